package main

// This file holds evaluate -materials: which material of an unmixing is which of the truth,
// and how far they are apart.

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/table"
	"softkmeans/metrics"
)

// materials has a table of spectra, a band a row, or of shares, a pixel a row. A column is a
// material.
type materials struct {
	source string
	names  []string
	rows   int
	at     []int              // the rows that have values, rising
	values *softkmeans.Matrix // these rows
	bad    []bool             // rows that are bad channels of a library; nil: none
	notes  []string           // of an ENVI header
}

// readMaterials reads a CSV file, an array, an ENVI image, or an ENVI spectral library, whose
// spectra become columns. A column of bands or their wavelengths is left out, and so are bad
// channels of a library, which unmix does not write.
func (f *evaluateFlags) readMaterials(ctx context.Context, name string, std streams) (*materials, error) {
	u := unmixFlags{inputFlags: f.inputFlags, library: true}
	u.source = name
	u.dialect.Transpose, u.dialect.Long = table.TransposeNo, table.LongNo // its materials are columns
	s, err := u.open(ctx, std)
	if err != nil {
		return nil, err
	}
	defer s.close()
	sc, err := u.newScene(s)
	if err != nil {
		return nil, err
	}
	m := &materials{source: s.source, names: sc.names, rows: sc.pixels(), bad: sc.badPixels}
	if m.values, m.at, err = sc.all(ctx); err != nil {
		return nil, err
	}
	if sc.header != nil {
		m.notes = sc.header.Notes
	}
	first := m.names[0]
	if sc.header == nil && len(m.names) > 1 && (first == "wavelength" || first == "band") {
		m.names, m.values.Cols = m.names[1:], m.values.Cols-1
		m.values.Data = m.values.Data[min(1, len(m.at)):]
	}
	return m, nil
}

// mostMaterials is the largest number of materials that evaluate matches.
const mostMaterials = 1024

func (f *evaluateFlags) evaluateMaterials(ctx context.Context, files []string, std streams) error {
	var both [2]*materials
	for i, name := range files {
		var err error
		if both[i], err = f.readMaterials(ctx, name, std); err != nil {
			return err
		}
		if k := len(both[i].names); k > mostMaterials {
			return fmt.Errorf("%s: %d columns; at most %d materials can be matched", name, k, mostMaterials)
		}
	}
	a, b := both[0], both[1]
	// Where tables have the same rows, bad channels of one lack values; else the other has no rows for them.
	apart := a.rows != b.rows || slices.Equal(a.bad, b.bad)
	a.leave(apart)
	b.leave(apart)
	if a.rows != b.rows {
		return fmt.Errorf("%s has %s, but %s has %d; they must be of the same pixels or bands", a.source,
			count(a.rows, "row"), b.source, b.rows)
	}
	a.keep(b.at)
	b.keep(a.at)
	if len(a.at) == 0 {
		return fmt.Errorf("%s, %s: every row lacks values", a.source, b.source)
	}
	return writeAnswer(std.out, matchMaterials(a, b), f.json)
}

// keep leaves the rows out that are not in at.
func (m *materials) keep(at []int) {
	n := 0
	for i, row := range m.at {
		if _, found := slices.BinarySearch(at, row); found {
			copy(m.values.Row(n), m.values.Row(i))
			m.at[n] = row
			n++
		}
	}
	m.at, m.values.Rows = m.at[:n], n
}

// leave takes bad channels out of the table, with their rows as if it had never had them, if asked for.
func (m *materials) leave(rows bool) {
	if m.bad == nil {
		return
	}
	var left []int
	for i, bad := range m.bad {
		if !bad {
			left = append(left, i)
		}
	}
	m.keep(left)
	if rows {
		for i, at := range m.at {
			m.at[i], _ = slices.BinarySearch(left, at)
		}
		m.rows = len(left)
	}
}

type materialsJSON struct {
	Truth   materialsSide   `json:"truth"`
	Found   materialsSide   `json:"found"`
	Rows    int             `json:"rows"`
	Left    int             `json:"left,omitempty"` // rows without values
	MRSA    float64         `json:"mrsa"`           // means over those that have a match
	Angle   float64         `json:"angle"`
	RMSE    float64         `json:"rmse"`
	Matches []materialMatch `json:"matches"` // a material of the truth each
}

type materialsSide struct {
	Source string   `json:"source"`
	Names  []string `json:"names"`
	Notes  []string `json:"notes,omitempty"` // what was assumed of the header
}

// materialMatch has a material of the truth and its match. Without a match, numbers are 0.
type materialMatch struct {
	Truth string  `json:"truth"`
	Found string  `json:"found"`
	MRSA  float64 `json:"mrsa"`  // percent of π
	Angle float64 `json:"angle"` // degrees
	RMSE  float64 `json:"rmse"`
}

// matchMaterials matches the columns of a with those of b, and returns the report. The angles
// between matched columns, less their means, have the least sum.
func matchMaterials(a, b *materials) *materialsJSON {
	e := &materialsJSON{Truth: materialsSide{a.source, a.names, a.notes},
		Found: materialsSide{b.source, b.names, b.notes},
		Rows:  len(a.at), Left: a.rows - len(a.at)}
	gain := softkmeans.NewMatrix(len(a.names), len(b.names), nil)
	for i := range gain.Rows {
		for j := range gain.Cols {
			gain.Set(i, j, -columnsAngle(a.values, b.values, i, j, true))
		}
	}
	matched := 0.0
	for i, j := range metrics.Assignment(gain) {
		m := materialMatch{Truth: a.names[i]}
		if j >= 0 {
			square := 0.0
			for row := range a.values.Rows {
				off := a.values.At(row, i) - b.values.At(row, j)
				square += off * off / float64(a.values.Rows)
			}
			m = materialMatch{a.names[i], b.names[j], -100 / math.Pi * gain.At(i, j),
				180 / math.Pi * columnsAngle(a.values, b.values, i, j, false), math.Sqrt(square)}
			matched++
			e.MRSA, e.Angle, e.RMSE = e.MRSA+m.MRSA, e.Angle+m.Angle, e.RMSE+square
		}
		e.Matches = append(e.Matches, m)
	}
	e.MRSA, e.Angle, e.RMSE = e.MRSA/matched, e.Angle/matched, math.Sqrt(e.RMSE/matched)
	return e
}

// columnsAngle returns the angle between column i of a and column j of b, in radians. centred
// subtracts their means first. The angle is a right one if either is 0.
func columnsAngle(a, b *softkmeans.Matrix, i, j int, centred bool) float64 {
	var u, v float64 // means
	for row := range a.Rows {
		if centred {
			u, v = u+a.At(row, i)/float64(a.Rows), v+b.At(row, j)/float64(a.Rows)
		}
	}
	var uv, uu, vv float64
	for row := range a.Rows {
		x, y := a.At(row, i)-u, b.At(row, j)-v
		uv, uu, vv = uv+x*y, uu+x*x, vv+y*y
	}
	if !(uu > 0 && vv > 0) {
		return math.Pi / 2
	}
	return math.Acos(min(max(uv/math.Sqrt(uu)/math.Sqrt(vv), -1), 1))
}

func (e *materialsJSON) json() any { return e }

func (e *materialsJSON) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Materials of %s, and which of %s each is, by %s\n", e.Truth.Source, e.Found.Source,
		count(e.Rows, "row"))
	for _, side := range []materialsSide{e.Truth, e.Found} {
		for _, note := range side.Notes {
			b.WriteString(wrapped(side.Source + ": " + note + "."))
		}
	}
	if e.Left > 0 {
		fmt.Fprintf(&b, "%s without values %s left out.\n", count(e.Left, "row"), plural(e.Left, "is", "are"))
	}
	fmt.Fprintf(&b, "\n  %-16s  %-16s  %6s  %7s  %8s\n", "material", "match", "MRSA", "angle", "RMSE")
	line := func(name, match string, mrsa, angle, rmse float64) {
		fmt.Fprintf(&b, "  %-16s  %-16s  %6.2f  %6.2f°  %8.4f\n", short(name, 16), match, mrsa, angle, rmse)
	}
	for _, m := range e.Matches {
		if m.Found == "" {
			fmt.Fprintf(&b, "  %-16s  –\n", short(m.Truth, 16))
			continue
		}
		line(m.Truth, short(m.Found, 16), m.MRSA, m.Angle, m.RMSE)
	}
	line("all", "", e.MRSA, e.Angle, e.RMSE)
	b.WriteString("\nMRSA: angle between the columns less their means, 100 is a half turn. RMSE: root mean " +
		"square\nof the differences.\n")
	return b.Bytes()
}
