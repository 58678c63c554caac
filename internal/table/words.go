package table

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// wordTable has the words that fields are known by, a line for each kind: … in a table, axis of spectra,
// and so on. Words of kinds with a star may be anywhere in a field. All are in lower case, but units and
// elements.
const wordTable = `
axis | nm | mz | ppm | ev | kev | wl | wave | waves | wn | µm | um | λ
axis* | wavelength | wavenumber | wave number | wave_number | wellenl | wellenzahl | raman | lambda | m/z
axis* | cm-1 | cm^-1 | cm⁻¹ | 1/cm | energy | energie | (ev) | (kev) | theta | chemical shift | retention
axis* | (nm) | _nm | [nm] | (µm) | (μm) | [µm] | longitud de onda | longueur d'onde
about* | spectral | spectrum | spectra | spektr | spectre | nanomet | xydata
clock | date | year | month | day | week | hour | datum | jahr | tag | index | row | nr | no | timestamp | id
depth | depth | tiefe | position | distance | centroid | doy | elevation | elev | altitude
when | time | elapsed | age_ma | age ma | age (ma) | age_ka | age ka | age (ka) | day since | days since
long | long
where | lat | lon | lng | latitude | longitude | easting | northing | breitengrad | längengrad
where | coord | coords | utm
year | year | jahr | année | annee | anno | año
day | date | datum | fecha
date | yy | yyyy | year | month | day | dd | hour | hh | minute | mm | jahr | monat | stunde
position | x | y | z | line | row | col | column | pixel
gene | mutationtype | mutation type | gene | genes | symbol | hugo_symbol | geneid | gene_id | gene id
gene | id_ref | targetid | gene symbol | gene_symbol | gene name | gene_name | ensembl | ensembl_id | probeset | protein ids | protein id
gene | protein | protein.group | protein.ids | protein group | pg.proteingroups | pg.genes | accession | uniprot | uniprot_id
gene | uniprot accession | protein accession | protein.accession | otu | otu id | asv | asv id | peptide
feature | measurement_type | measurement type | measure | indicator | metric
feature | type | feature | features | species | taxon | taxa | genus | clade
feature | genera | isotope | celltype | cell type | cell_type
feature | chemical | compound | metabolite | protein | variable | motif | region | peak
feature | parameter | analyte | metal | metals
feature | clade_name | sp_code | species_code | item | target | target name | element | component | verbindung | stoff
sample | site | plot | station | core | well | quadrat | sample | samp | spectrum | spec | spc | sp | map
sample | cell | patient | pat | subject | subj | mouse | donor | pixel | px | scan | replicate | rep | gsm
sample | srr | err | drr | tumor | tumour | normal | ctrl | ctl | control | treated | treat | trt | specimen | probe
sample | wt | ko | mut | dmso | vehicle | case | untreated | batch | gsm
of features | m/z | mz | row m/z | average mz | mzmed | taxonomy | taxonomy_id | ncbi_tax_id | lineage
aside | chr | start | end | strand | length | rt | rt (min) | rt [min] | ri | m/z | mz | row m/z
aside | average rt(min) | fill % | s/n average | average mz | mzmed | mzmin | mzmax | rtmed | rtmin | rtmax | npeaks
aside | genestart | geneend | start_position | end_position | chromosome_name
aside | score | q-value | mol. weight [kda] | sequence length | peptides | unique peptides | effectivelength
aside* | molecular weight | confidence
aside* | retention time | detection p | razor | peptide counts | sequence coverage | ms/ms count | number of prot
oxide | sio2 | al2o3 | cao
gct | #1.2 | #1.3
id | id | ids | index | idx | key | nr | no | no. | number | row | rowid | row_id | rownames | uuid | guid
id | code | sku | isbn | ean | sampleid | customer | patient | subject
class | label | labels | class | cond | classes | target | species | category | cluster | group | kind | truth
sum | total | totals | grand total | sum | sums | summe | gesamt | gesamtsumme | gesamtergebnis
sum | score | insgesamt | suma | totale
total | average | mean | mittelwert | durchschnitt | moyenne | promedio | media
total | __no_feature | __ambiguous | n_unmapped | s.d | stdev | std dev | std. dev | sigma | minimum | maximum | median
spread | sd | std | rsd | n | min | max | cv | sem | se
spread | stderr | variance | range | count | __too_low_aqual | __not_aligned | __alignment_not_unique
spread | n_multimapping | n_nofeature | n_ambiguous | stabw | standardabweichung | varianz
spread | standard deviation | standard error | std. error | écart-type | écart type | desviación estándar
uncertainty | error | err | +/- | ± | sd | std | stdev | rsd | unc | uncertainty | sigma | se | 1s | 2s | 2se
uncertainty | 1σ | 2σ | 1 sigma | 2 sigma | int2se
factor | well | plot | block | replicate | rep | site | station | batch | treatment | plate | run | sex
factor | gender | quadrat
factor | r_score | f_score | m_score | r score | f score | m score | rfm_score | rfm score
factor | condition | arm | treat | subject | patient | seurat_clusters | leiden | louvain | daytime
factor* | _qc
flag | flag
limit | lod | loq | mdl | dl | detection limit | limit of detection
orange type | d | discrete | c | continuous | s | string | t | time
orange flag | | class | meta | ignore | i | m
not a unit | am | pm | jan | feb | mar | apr | may | mai | jun | jul | aug | sep | oct | okt | nov | dec
not a unit | dez`

// Units may stand behind a number without a space, and two of them in a column are an error. Elements
// are those that analyses of rocks, soils and waters have.
const exactTable = `
unit | kg | mg | µg | ug | ng | lb | oz | cm | mm | µm | μm | um | nm | km | ft | in | m2 | m² | m3 | m³
unit | cm2 | cm² | cm3 | cm³ | ha | ml | mL | µl | µL | ul | dl | hl | ms | min | sec | Hz | kHz | MHz
unit | GHz | °C | °F | Pa | hPa | kPa | MPa | bar | mbar | kJ | MJ | kcal | cal | kW | MW | Wh | kWh | MWh
unit | mV | kV | mA | kA | mol | mmol | µmol | umol | nmol | mM | µM | uM | nM | ppm | ppb | ppt | ‰ | EUR
unit | USD | GBP | CHF | JPY | mg/l | mg/L | µg/l | µg/L | ug/l | ug/L | ng/l | ng/L | g/l | g/L | mg/kg
unit | µg/kg | ug/kg | ng/g | g/kg | g/cm3 | g/cm³ | kg/m3 | kg/m³ | m/s | km/h | mg/m3 | µg/m3 | µg/m³
unit | ug/m3 | mg/dl | mg/dL | mmol/l | mmol/L | mol/L | g | t | m | s | d | h | l | L | W | V | A | J | K
unit | N | °
element | Ag | Al | As | Au | B | Ba | Be | Bi | Br | C | Ca | Cd | Ce | Cl | Co | Cr | Cs | Cu | Dy | Er
element | Eu | F | Fe | Ga | Gd | Ge | Hf | Hg | Ho | I | In | K | La | Li | Lu | Mg | Mn | Mo | N | Na
element | Nb | Nd | Ni | P | Pb | Pr | Pt | Rb | S | Sb | Sc | Se | Si | Sm | Sn | Sr | Ta | Tb | Te | Th
element | Ti | Tl | Tm | U | V | W | Y | Yb | Zn | Zr`

var words = func() map[string]map[string]bool {
	kinds := map[string]map[string]bool{}
	for line := range strings.Lines(wordTable + exactTable) {
		kind, list, _ := strings.Cut(strings.TrimSpace(line), " | ")
		if kinds[kind] == nil {
			kinds[kind] = map[string]bool{}
		}
		for word := range strings.SplitSeq(list, "|") {
			kinds[kind][strings.TrimSpace(word)] = true
		}
	}
	return kinds
}()

// is reports whether a field is a word of a kind.
func is(kind, field string) bool {
	field = strings.ToLower(strings.TrimSpace(field))
	if words[kind][field] || words[kind][strings.ReplaceAll(field, ".", " ")] { // as R writes blanks
		return true
	}
	for word := range words[kind+"*"] {
		if strings.Contains(field, word) {
			return true
		}
	}
	return false
}

// has reports whether one of the words of a name, as in station_longitude_deg, is of a kind.
func has(kind, name string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }),
		func(word string) bool { return is(kind, word) })
}

// IsUnit reports whether a word is a unit for certain.
func IsUnit(word string) bool { return words["unit"][word] }

// isUnit reports whether a field is a unit, such as mg/l, [%] or (any text).
func isUnit(f []byte) bool {
	f = bytes.TrimSpace(f)
	return len(f) > 0 && (IsUnit(string(f)) || bytes.IndexByte([]byte("[(%"), f[0]) >= 0)
}

func isTotal(s string) bool {
	s = strings.TrimRight(strings.TrimSpace(s), ":")
	return is("sum", s) || is("total", s)
}
