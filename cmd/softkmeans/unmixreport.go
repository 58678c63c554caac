package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/pixels"
	"softkmeans/internal/report"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/unmix"
)

// read is an answer about the scene.
func (u *unmixing) read() *answer.Answer {
	s := u.scene
	size := count(s.Pixels(), "pixel")
	if s.Pictured {
		size = count(s.Lines, "line") + " × " + count(s.Samples, "sample")
	}
	a := answer.New(&u.result.Head, 0, scale.None)
	a.About = fmt.Sprintf("%s: %s, %s, %s%s", table.Printable(s.Source), s.Kind, size, count(s.Layout.Bands, "band"),
		bandRange(s))
	a.Notes = append(slices.Clone(u.result.Notes), s.Left()...)
	if s.Header != nil && s.Header.Scale > 0 && s.Header.Scale != 1 {
		a.Notes = append(a.Notes, "values are divided by the reflectance scale factor, "+
			strconv.FormatFloat(s.Header.Scale, 'g', 6, 64))
	}
	return a
}

// materials fills in the scene and its materials with these names.
func (u *unmixing) materials(a *answer.Answer, bands int, unit bool, shade *answer.Shade) {
	s, scaling := u.scene, unmix.ScaleGiven
	if unit {
		scaling = unmix.ScaleUnit
	}
	a.K, a.Sizes = u.result.k, u.result.sizes
	a.Scene = &answer.Scene{Lines: s.Lines, Samples: s.Samples, Bands: bands, Empty: s.Empty, Incomplete: s.Incomplete,
		BadBands: []int{}, Wavelengths: s.Wavelengths, Unit: s.Unit, Shares: u.means(), Pure: u.pure,
		RowScaling: scaling.String(), Shade: shade, Trimmed: append([]answer.Pixel{}, u.trimmed...)}
	for j, name := range u.names() {
		a.Prototypes = append(a.Prototypes, answer.Prototype{Name: name, Membership: a.Shares[j],
			Columns: []answer.Difference{}, Purest: []answer.Row{}})
	}
	for band := range s.Layout.Bands {
		if _, used := slices.BinarySearch(s.Bands, band); !used {
			a.BadBands = append(a.BadBands, band+1)
		}
	}
}

// answer says what the fit found.
func (u *unmixing) answer() *answer.Answer {
	a, r := u.read(), u.result
	a.Rows, a.Method, a.Bounds = r.rows, r.method.String(), r.bounds.json()
	if a.Choice = answer.NewChoice(nil, r.proposal); a.Choice != nil {
		a.Choice.Reason = strings.ReplaceAll(a.Choice.Reason, "prototype", "material")
	}
	a.Notes = slices.Concat(a.Notes, answer.Outliers(u.trimmed, u.scene.Pictured), u.choices())
	u.materials(a, u.scene.Layout.Bands, r.unit, u.shade)
	a.Turns, a.PureRows, a.BandNoise = u.found.Turns, u.found.PureRows, u.found.Noise
	a.Centers = answer.RowsOf(r.centers)
	q := &answer.Quality{Certificate: r.cert, K: r.k, Noun: "material", Sum: sumOf(u.found), Tol: certifiedTol,
		Streamed: true}
	q.OfSquares(u.squares)
	if r.model.Lambda > 0 {
		a.LambdaBy = u.lambdaBy()
	}
	a.Certificate, a.Sentence, a.Quality = q.JSON(), q.Sentence(), q.Sentences()
	a.Warnings = append(append(a.Warnings, view.Warnings(r.model, false)...), view.Unsure(u.found.Turns)...)
	r.fit().Details(a)
	if a.FillProofs(&r.compact, r.k, "spectra"); u.shade != nil {
		a.How = append(a.How, "Squared error and floor allow each pixel any brightness. Proofs are about pixels of length 1.")
	}
	a.How = append(a.How, u.lambda())
	if r.others != nil {
		a.Next = "With half or twice λ the spectra differ: -json contains these spectra, and -report draws them dotted."
	}
	return a
}

// lambdaBy says what set λ: the flag, the noise of the data, or a slack.
func (u *unmixing) lambdaBy() string {
	switch {
	case u.flags.options.Lambda > 0:
		return "lambda"
	case u.found.PureRows != nil: // without noise, and for k = 1, the slack sets λ
		return "noise"
	}
	return "slack"
}

// choices says how the pixels were scaled, a sentence or two a line.
func (u *unmixing) choices() []string {
	o, shaded := &u.flags.options, u.result.unit
	line := "Pixels are scaled to length 1, as their brightness varies."
	switch {
	case u.streamed:
		line = "An image that is read in blocks is fitted as given, and spectra may be slightly below 0; -stream no keeps them at 0 or above, and accepts -rows and -trim."
	case o.Scaling == unmix.ScaleGiven:
		line = "Pixels are fitted as given (-rows given)."
	case u.flags.inUnits():
		line = "Pixels are fitted as given, for bounds in their units."
	case !shaded && o.Scaling == unmix.ScaleUnit:
		line = "Pixels are fitted as given: all are 0."
	case !shaded:
		line = "Pixels are fitted as given: their brightness varies only with the materials."
	case o.Scaling == unmix.ScaleUnit:
		line = "Pixels are scaled to length 1 (-rows unit)."
	}
	lines := []string{line}
	if s := u.shade; s != nil {
		lines = append(lines, "Each pixel is its mixture of the spectra times a factor, its brightness: "+s.Words()+".")
	}
	if b := u.flags.bounds; b != nil {
		lines = append(lines, "Spectra are kept "+b.String()+".")
	}
	return lines
}

// lambda says what λ is, and by what.
func (u *unmixing) lambda() string {
	m := u.result.model
	if m.Lambda == 0 {
		return ""
	}
	by := map[string]string{"lambda": "-lambda", "noise": "the noise of the data",
		"slack": "a slack of " + small(m.Slack)}[u.lambdaBy()]
	if u.streamed && u.flags.options.Slack == 0 && u.lambdaBy() == "slack" {
		by += ", from the numbers of bands and materials"
	}
	return "λ, the weight of the volume, is " + small(m.Lambda) + ": by " + by + "."
}

func bandRange(s *pixels.Image) string {
	if len(s.Wavelengths) == 0 {
		return ""
	}
	unit := report.Unit(s.Unit)
	if unit != "" {
		unit = " " + unit
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	return " from " + number(slices.Min(s.Wavelengths)) + " to " + number(slices.Max(s.Wavelengths)) + unit
}

// sumOf returns the constraint on the shares of a scene for floor and total. If rows have length 1, their brightness
// is free, as if sums were at most 1.
func sumOf(m *unmix.Result) softkmeans.Sum {
	if m.Scaling == unmix.ScaleUnit {
		return softkmeans.SumAtMostOne
	}
	return m.Sum
}
