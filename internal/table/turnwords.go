package table

// Words in the names of columns that tell samples, axes and genes apart.

import (
	"slices"
	"strings"
)

// annotates reports whether a column of that name describes genes or peaks, and is no sample.
func annotates(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains(annotations, name) || slices.Contains(peakNames, name) ||
		strings.Contains(name, "retention time") || strings.Contains(name, "detection p") ||
		strings.HasPrefix(name, "rt ") || strings.HasPrefix(name, "rt_")
}

// spectralWords are in names of axes of spectra, spectralNames are such, in lower case.
var (
	spectralWords = []string{"wavelength", "wavenumber", "wave number", "wave_number", "wellenl",
		"wellenzahl", "raman", "lambda", "m/z", "cm-1", "cm^-1", "cm⁻¹", "1/cm", "energy", "energie",
		"(ev)", "(kev)", "theta", "chemical shift", "retention", "(nm)", "_nm", "[nm]",
		"(µm)", "(μm)", "[µm]", "longitud de onda", "longueur d'onde"}
	spectralNames = []string{"nm", "mz", "ppm", "ev", "kev", "wl", "wave", "waves", "wn", "µm", "um", "λ"}
	aboutWords    = []string{"spectral", "spectrum", "spectra", "spektr", "spectre", "nanomet", "xydata"}
	// The first surePlaces of these are no properties of a sample.
	placeNames = []string{"depth", "tiefe", "position", "distance", "time", "age", "year", "elevation", "altitude",
		"lat", "lon", "latitude", "longitude", "zeit", "alter", "jahr"}
	clockNames = []string{"date", "year", "month", "day", "week", "hour", "datum", "jahr", "tag", "index",
		"row", "nr", "no", "timestamp", "id"}
	timeNames    = []string{"time", "t", "zeit", "min", "sec", "seconds", "minutes", "time (s)", "time_s"}
	downNames    = []string{"species", "protein ids", "protein id", "accession", "otu", "otu id", "asv", "asv id"}
	featureNames = []string{"type", "feature", "features", "probe", "otu", "otu id", "asv", "asv id",
		"taxon", "taxa", "genus", "compound", "metabolite", "peptide", "protein", "variable", "motif",
		"region", "peak"}
	geneNames = []string{"gene", "genes", "symbol", "hugo_symbol", "geneid", "gene_id", "gene id", "id_ref",
		"targetid", "gene symbol", "gene_symbol", "gene name", "gene_name", "ensembl", "ensembl_id", "probeset"}
	// peakNames are of mzMine, XCMS and MS-DIAL, annotations of featureCounts and GC-MS too.
	peakNames   = []string{"m/z", "mz", "row m/z", "average mz"}
	annotations = []string{"chr", "start", "end", "strand", "length", "rt", "rt (min)", "ri"}
	sampleWords = []string{"site", "plot", "station", "core", "well", "quadrat", "sample", "samp", "spectrum", "spec", "spc", "sp", "map", "cell", "patient",
		"pat", "subject", "subj", "mouse", "donor", "pixel", "px", "scan", "replicate", "rep", "gsm", "srr",
		"err", "drr", "tumor", "tumour", "normal", "ctrl", "control", "treated", "specimen", "probe"}
)

// gctMarks begin tables of gene expression whose second line has the sizes.
var gctMarks = []string{"#1.2", "#1.3"}

const surePlaces = 4

// elements are the symbols of elements that analyses of rocks, soils and waters have.
var elements = strings.Fields(`Ag Al As Au B Ba Be Bi Br C Ca Cd Ce Cl Co Cr Cs Cu Dy Er Eu F Fe Ga Gd Ge Hf Hg Ho I
	In K La Li Lu Mg Mn Mo N Na Nb Nd Ni P Pb Pr Pt Rb S Sb Sc Se Si Sm Sn Sr Ta Tb Te Th Ti Tl Tm U V W Y Yb Zn Zr`)

func isSpectral(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains(spectralNames, name) || anyOf(name, spectralWords)
}

// anyOf reports whether any of the words is in a name.
func anyOf(name string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

func isGene(name string) bool  { return slices.Contains(geneNames, strings.ToLower(name)) }
func isClock(name string) bool { return slices.Contains(clockNames, strings.ToLower(name)) }
func isTime(name string) bool  { return slices.Contains(timeNames, strings.ToLower(name)) }
