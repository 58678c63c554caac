package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"softkmeans/internal/report"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/unmix"
)

func (u *unmixing) text() []byte {
	var b bytes.Buffer
	u.writeScene(&b)
	u.writeFit(&b)
	return b.Bytes()
}

func (u *unmixing) writeScene(b *bytes.Buffer) {
	s := u.scene
	fmt.Fprintf(b, "%s: %s, ", table.Printable(s.source), s.kind)
	if s.pictured {
		fmt.Fprintf(b, "%s × %s, ", count(s.lines, "line"), count(s.samples, "sample"))
	} else {
		b.WriteString(count(s.pixels(), "pixel") + ", ")
	}
	b.WriteString(count(s.layout.Bands, "band") + s.span())
	writeNotes(b, u.result.Notes)
	b.WriteByte('\n')
	for _, line := range s.left() {
		b.WriteString(line + "\n")
	}
	if s.header != nil && s.header.Scale > 0 && s.header.Scale != 1 {
		fmt.Fprintf(b, "Values are divided by the reflectance scale factor, %s.\n",
			strconv.FormatFloat(s.header.Scale, 'g', 6, 64))
	}
}

func (u *unmixing) writeFit(b *bytes.Buffer) {
	r := u.result
	if r.proposal != nil {
		b.WriteString(proposed(r.proposal))
	}
	for _, line := range append(u.outliers(), u.choices()...) {
		b.WriteString(line + "\n")
	}
	turns, head := u.found.Turns, ""
	if turns != nil {
		head = "    sure to"
	}
	b.WriteString("\nMaterials\n\n           mean share    pixels    nearly pure" + head + "\n")
	for j, share := range u.means() {
		fmt.Fprintf(b, "  %-5s %13s %9d %14d", centerName(j), percent(share), r.sizes[j], u.pure[j])
		if turns != nil {
			fmt.Fprintf(b, " %10.1f", turns[j])
		}
		b.WriteByte('\n')
	}
	b.WriteString("\nPixels are counted by their largest share; nearly pure ones have 90 % or more of a " +
		"material.\n")
	if turns != nil {
		b.WriteString(view.SureTo + "\n")
	}
	b.WriteByte('\n')

	q := &quality{Certificate: r.cert, k: r.k, noun: "material", sum: view.SumOf(u.found),
		tol: certifiedTol, streamed: true, bounded: r.bounds != nil}
	q.writeErrors(b)
	b.WriteString("\n" + localVerdict(q, r) + "\n")
	if u.shade != nil {
		b.WriteString("Objective and floor are those of mixtures with any brightness: shares times shade. " +
			"Proofs are of pixels of length 1.\n")
	}
	if r.summarised {
		b.WriteString("The spectra were fitted to a sample of the pixels and corrected by passes over " +
			"all pixels.\n" +
			"All numbers above are of all pixels.\n")
	}
	writeWarnings(b, r.model)
	for _, w := range view.Unsure(turns) {
		b.WriteString(wrapped("Warning: " + w))
	}
	if r.others != nil {
		b.WriteString("The page of -report draws the other spectra dotted; the report of -json has them.\n")
	}
}

// mostListed is how many outliers the text names.
const mostListed = 5

// outliers says which pixels were left out of the fit, in a line or none.
func (u *unmixing) outliers() []string {
	n := len(u.trimmed)
	if n == 0 {
		return nil
	}
	var places []string
	for _, p := range u.trimmed[:min(n, mostListed)] {
		place := "pixel " + strconv.Itoa(p.Line)
		if u.scene.pictured {
			place = fmt.Sprintf("line %d, sample %d", p.Line, p.Sample)
		}
		places = append(places, place)
	}
	if n > mostListed {
		places = append(places, "…")
	}
	return []string{count(n, "pixel") + plural(n, " is", " are") + " left out of the fit as " +
		plural(n, "an outlier", "outliers") + ": " + strings.Join(places, "; ") + "."}
}

func (u *unmixing) rule() view.Rule {
	switch o := &u.flags.options; {
	case o.Lambda > 0:
		return view.RuleLambda
	case u.found.PureRows != nil: // without noise, and for k = 1, the slack sets λ
		return view.RuleNoise
	}
	return view.RuleSlack
}

// choices says how the pixels were scaled and what set λ, a sentence or two a line.
func (u *unmixing) choices() (lines []string) {
	m, o := u.result.model, &u.flags.options
	shaded := u.result.unit
	switch {
	case u.streamed:
		lines = append(lines, "A scene that is read in blocks is fitted as given, and spectra may be "+
			"slightly below 0; -stream no keeps them at 0 or above, and has -rows and -trim.")
	case o.Scaling == unmix.ScaleGiven:
		lines = append(lines, "Pixels are fitted as given (-rows given).")
	case u.flags.inUnits():
		lines = append(lines, "Pixels are fitted as given, for bounds in their units.")
	case !shaded && o.Scaling == unmix.ScaleUnit:
		lines = append(lines, "Pixels are fitted as given: all are 0.")
	case !shaded:
		lines = append(lines,
			"Pixels are fitted as given: their brightness hardly varies but by the materials.")
	case o.Scaling == unmix.ScaleUnit:
		lines = append(lines, "Pixels are scaled to length 1 (-rows unit).")
	default:
		lines = append(lines, "Pixels are scaled to length 1, as their brightness varies.")
	}
	if s := u.shade; s != nil {
		lines = append(lines, fmt.Sprintf("A pixel is a mixture times its shade, which is %s to %s, with "+
			"the median %s.", small(s.Min), small(s.Max), small(s.Median)))
	}
	if b := u.flags.bounds; b != nil {
		lines = append(lines, "Spectra are kept "+b.String()+".")
	}
	if m.Lambda == 0 {
		return lines
	}
	lambda := "λ, the weight of the volume, is " + small(m.Lambda)
	if shaded {
		lambda += ", for pixels of length 1"
	}
	switch rule := u.rule(); {
	case rule == view.RuleLambda:
		lambda += ": by -lambda."
	case rule == view.RuleNoise:
		lambda += ": by the noise of the data."
	case o.Slack > 0:
		lambda += ": by -slack " + small(o.Slack) + "."
	case u.streamed:
		lambda += ": by a slack of " + small(u.streamSlack()) + ", from the numbers of bands and materials."
	case u.result.k == 1:
		lambda += ": by a slack of " + small(m.Slack) + ", as for one material."
	default:
		lambda += ": by a slack of " + small(m.Slack) + ", as the materials leave hardly any noise."
	}
	return append(lines, lambda)
}

type shadeJSON struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"` // of an even number the mean of two
	Max    float64 `json:"max"`
}

type pixelJSON struct {
	Line   int `json:"line"` // of a list of pixels its number
	Sample int `json:"sample"`
}

// shadeOf sums up the brightness of the pixels; nil: they have none.
func shadeOf(list []float64) *shadeJSON {
	n := len(list)
	if n == 0 {
		return nil
	}
	v := slices.Sorted(slices.Values(list))
	return &shadeJSON{v[0], v[(n-1)/2]/2 + v[n/2]/2, v[n-1]}
}

func (s *scene) span() string {
	if len(s.wavelengths) == 0 {
		return ""
	}
	unit := report.Unit(s.unit)
	if unit != "" {
		unit = " " + unit
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	return " from " + number(slices.Min(s.wavelengths)) + " to " + number(slices.Max(s.wavelengths)) + unit
}

// sceneJSON is what a report says of any scene.
type sceneJSON struct {
	Lines       int        `json:"lines"`
	Samples     int        `json:"samples"`
	Bands       int        `json:"bands"` // of the file, with -centers those that are used
	Empty       int        `json:"empty"` // pixels left out, without data
	Incomplete  int        `json:"incomplete"`
	Wavelengths []float64  `json:"wavelengths,omitempty"` // of the columns
	Unit        string     `json:"wavelengthUnits,omitempty"`
	Shares      []float64  `json:"meanShares"`
	Pure        []int      `json:"nearlyPure"`      // pixels with a share of 0.9 or more
	RowScaling  string     `json:"rowScaling"`      // given, or unit: pixels have a brightness of their own
	Shade       *shadeJSON `json:"shade,omitempty"` // with unit
}

func (u *unmixing) sceneJSON(bands int, unit bool, shade *shadeJSON) sceneJSON {
	s, scaling := u.scene, unmix.ScaleGiven
	if unit {
		scaling = unmix.ScaleUnit
	}
	return sceneJSON{s.lines, s.samples, bands, s.empty, s.incomplete, s.wavelengths, s.unit, u.means(), u.pure,
		scaling.String(), shade}
}

type unmixReportJSON struct {
	fitReportJSON
	sceneJSON
	BadBands []int     `json:"badBands"`           // left out, from 1
	Turns    []float64 `json:"sureTo,omitempty"`   // see Turns, PureRows, Noise of unmix.Result
	PureRows []float64 `json:"pureRows,omitempty"` // on how many each spectrum rests
	Noise    []float64 `json:"noise,omitempty"`    // of the columns, over the median

	Trimmed  []pixelJSON `json:"trimmed"`            // left out as outliers
	LambdaBy string      `json:"lambdaBy,omitempty"` // noise, slack or lambda: what set it
}

func (u *unmixing) json() any {
	s, r := u.scene, u.result
	j := &unmixReportJSON{fitReportJSON: *r.reportJSON(), sceneJSON: u.sceneJSON(s.layout.Bands, r.unit, u.shade),
		BadBands: []int{}, Turns: u.found.Turns, PureRows: u.found.PureRows, Noise: u.found.Noise,
		Trimmed: append([]pixelJSON{}, u.trimmed...)}
	j.Warnings = append(j.Warnings, view.Unsure(u.found.Turns)...)
	if r.model.Lambda > 0 {
		j.LambdaBy = [...]string{"slack", "noise", "lambda"}[u.rule()]
	}
	for band := range s.layout.Bands {
		if _, used := slices.BinarySearch(s.bands, band); !used {
			j.BadBands = append(j.BadBands, band+1)
		}
	}
	j.Certificate.SpanError = nil // not measured
	return j
}
