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
		strings.Contains(name, "retention time") || strings.Contains(name, "detection p")
}

// spectralWords are in names of axes of spectra, spectralNames are such, in lower case.
var (
	spectralWords = []string{"wavelength", "wavenumber", "wave number", "wave_number", "wellenl",
		"wellenzahl", "raman", "lambda", "m/z", "cm-1", "cm^-1", "cm⁻¹", "1/cm", "energy", "energie",
		"(ev)", "(kev)", "theta", "chemical shift", "retention", "(nm)", "_nm", "[nm]",
		"(µm)", "(μm)", "[µm]", "longitud de onda", "longueur d'onde"}
	spectralNames = []string{"nm", "mz", "ppm", "ev", "kev", "wl", "wave", "waves", "wn", "µm", "um", "λ"}
	aboutWords    = []string{"spectral", "spectrum", "spectra", "spektr", "spectre"}
	placeNames    = []string{"depth", "time", "position", "distance", "age", "year", "elevation", "altitude",
		"lat", "lon", "latitude", "longitude", "tiefe", "zeit", "alter", "jahr"}
	clockNames = []string{"date", "year", "month", "day", "week", "hour", "datum", "jahr", "tag", "index",
		"row", "nr", "no", "timestamp", "id"}
	timeNames    = []string{"time", "t", "zeit", "min", "sec", "seconds", "minutes", "time (s)", "time_s"}
	featureNames = []string{"type", "feature", "features", "probe", "otu", "otu id", "asv", "asv id",
		"taxon", "taxa", "genus", "compound", "metabolite", "peptide", "protein", "variable", "motif",
		"region", "peak"}
	geneNames = []string{"gene", "genes", "symbol", "hugo_symbol", "geneid", "gene_id", "gene id", "id_ref",
		"targetid", "gene symbol", "gene_symbol", "gene name", "gene_name", "ensembl", "ensembl_id", "probeset"}
	// peakNames are of mzMine, XCMS and MS-DIAL, annotations of featureCounts and GC-MS too.
	peakNames   = []string{"m/z", "mz", "row m/z", "average mz"}
	annotations = []string{"chr", "start", "end", "strand", "length", "rt", "rt (min)", "ri"}
	sampleWords = []string{"sample", "samp", "spectrum", "spec", "spc", "sp", "map", "cell", "patient",
		"pat", "subject", "subj", "mouse", "donor", "pixel", "px", "scan", "replicate", "rep", "gsm", "srr",
		"err", "drr", "tumor", "tumour", "normal", "ctrl", "control", "treated", "specimen", "probe"}
)

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
