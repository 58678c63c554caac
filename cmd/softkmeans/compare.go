package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/stability"
)

const compareHelp = `Usage: softkmeans compare [flags] A B

Compare two models that fit -model wrote, as of last month's table and today's:
which center of A is which of B, how far each moved, and by how much in every
column. Columns are found by name if both models have names.

Each center of A is matched with one of B so that the sum of squared distances
is the least; with another number of centers some have no match. Distances are
in units of the columns as A scales them. "moved" is also a share of the
distance between the centers of A: the root of the mean square over all pairs.

  -json         print the report as JSON

Example: softkmeans fit -from a.json -method minvol -model b.json today.csv
         softkmeans compare a.json b.json

` + exitHelp

type compareFlags struct{ json bool }

func newCompareFlagSet(f *compareFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("compare", flag.ContinueOnError)
	fs.BoolVar(&f.json, "json", false, "")
	return fs
}

func runCompare(ctx context.Context, args []string, s streams) error {
	var f compareFlags
	files, err := parseFlags(newCompareFlagSet(&f), args, 2)
	if err != nil {
		return err
	}
	if len(files) < 2 || slices.Contains(files, "-") {
		return usageErrorf("compare takes the names of 2 files, models that softkmeans fit -model wrote")
	}
	var c comparison
	for i, name := range files {
		if c.models[i], err = readModel(name); err != nil {
			return err
		}
		if c.models[i].Model == nil {
			return fmt.Errorf("%s: a model of method %s has no centers", name,
				short(c.models[i].Method, mostName))
		}
	}
	c.files = [2]string(files)
	if err := c.match(); err != nil {
		return err
	}
	return writeAnswer(s.out, &c, f.json)
}

// comparison is two models and what is which.
type comparison struct {
	files   [2]string
	models  [2]*modelFile
	centers [2]*softkmeans.Matrix // in the table's units, in the columns of A
	*stability.Matching
}

// match matches the centers, scaled as A's are.
func (c *comparison) match() error {
	a, b := c.models[0], c.models[1]
	columns, err := c.columns()
	if err != nil {
		return err
	}
	c.centers[0] = a.Centers
	c.centers[1] = softkmeans.NewMatrix(b.K(), len(columns), nil)
	for j := range b.K() {
		for at, from := range columns {
			c.centers[1].Set(j, at, b.Centers.At(j, from))
		}
	}
	var scaled [2]*softkmeans.Model
	for i, m := range c.centers {
		m = m.Clone()
		a.scaling().Apply(m.Data)
		scaled[i] = &softkmeans.Model{Centers: m}
	}
	c.Matching, err = stability.Match(scaled[0], scaled[1])
	return err
}

func (c *comparison) columns() ([]int, error) {
	a, b := c.models[0], c.models[1]
	if len(a.Columns) != len(b.Columns) {
		return nil, fmt.Errorf("%s has %s, but %s has %d; compare needs the same columns", c.files[0],
			count(len(a.Columns), "column"), c.files[1], len(b.Columns))
	}
	list := make([]int, len(a.Columns))
	byPlace := !a.Named || !b.Named || slices.Equal(a.Columns, b.Columns) // a name may occur twice
	in := make(map[string]int, len(b.Columns))
	for j, name := range b.Columns {
		in[name] = j
	}
	for j, name := range a.Columns {
		at, ok := in[name]
		if delete(in, name); byPlace {
			at = j
		} else if !ok {
			return nil, fmt.Errorf("%s has a column %q, but %s has not; compare needs the same columns",
				c.files[0], short(name, mostName), c.files[1])
		}
		list[j] = at
	}
	return list, nil
}

// moved returns the distance of center j of A from its match as a share of the distance
// between the centers, nil without a match or with one center.
func (c *comparison) moved(j int) *float64 {
	if c.To[j] < 0 || c.Between == 0 {
		return nil
	}
	share := c.Moved[j] / c.Between
	return &share
}

// share returns the share of the rows that have label j in a model; 0 for no rows.
func share(m *modelFile, j int) float64 {
	if j >= len(m.Sizes) || m.Rows == 0 {
		return 0
	}
	return float64(m.Sizes[j]) / float64(m.Rows)
}

func (c *comparison) text() []byte {
	var b bytes.Buffer
	a := c.models[0]
	for i, m := range c.models {
		fmt.Fprintf(&b, "%c: %s, %s of %s, method %s, %s, scale %s\n", 'A'+i, c.files[i], prototypes(m.K()),
			count(len(m.Columns), "column"), short(m.Method, mostName), count(m.Rows, "row"), m.Scale)
	}
	b.WriteString("\nWhich prototype of B is which of A, and the rows with its label\n\n" +
		"  A      B         moved   of the distance between       rows of A       rows of B\n")
	rows := func(m *modelFile, j int) string {
		if j < 0 || j >= len(m.Sizes) {
			return "–"
		}
		return fmt.Sprintf("%d %6.2f %%", m.Sizes[j], 100*share(m, j))
	}
	for j, to := range c.To {
		match, distance, part := "–", "–", "–"
		if to >= 0 {
			match, distance = centerName(to), small(c.Moved[j])
		}
		if v := c.moved(j); v != nil {
			part = fmt.Sprintf("%.2f %%", 100**v)
		}
		fmt.Fprintf(&b, "  %-5s  %-5s  %8s   %23s %15s %15s\n", centerName(j), match, distance, part,
			rows(a, j), rows(c.models[1], to))
	}
	for j, from := range c.From {
		if from < 0 {
			fmt.Fprintf(&b, "  %-5s  %-5s  %8s   %23s %15s %15s\n", "–", centerName(j), "–",
				"–", "–", rows(c.models[1], j))
		}
	}
	b.WriteString("\nCenters of B less those of A, in the table's units; 0 where there is no match\n")
	if len(a.Columns) > mostTold {
		fmt.Fprintf(&b, "(They are in the report of -json.) Columns that moved most: %s.\n",
			abridged(c.largest()))
	} else {
		b.WriteByte('\n')
		writeCenters(&b, a.Columns, c.differences(), centerName)
	}
	return b.Bytes()
}

// differences has a row for each center of A, 0 without a match.
func (c *comparison) differences() *softkmeans.Matrix {
	out := softkmeans.NewMatrix(len(c.To), c.centers[0].Cols, nil)
	for j, to := range c.To {
		for at := range out.Cols {
			if to >= 0 {
				out.Set(j, at, c.centers[1].At(to, at)-c.centers[0].At(j, at))
			}
		}
	}
	return out
}

// largest returns the names of the eight columns that moved most, as A scales them.
func (c *comparison) largest() (names []string) {
	size := make([]float64, len(c.models[0].Columns))
	d := c.differences()
	for i, v := range d.Data {
		at := i % d.Cols
		if divisor := c.models[0].Divisor; divisor != nil {
			v /= divisor[at]
		}
		size[at] = max(size[at], math.Abs(v))
	}
	for _, at := range bySize(size)[:min(8, len(size))] {
		names = append(names, c.models[0].Columns[at])
	}
	return names
}

type comparisonJSON struct {
	A       comparedJSON   `json:"a"`
	B       comparedJSON   `json:"b"`
	Columns []string       `json:"columns"`
	Between float64        `json:"between"` // root mean square distance of two centers of A
	Matches []matchJSON    `json:"matches"` // a center of A each
	New     []newcomerJSON `json:"new"`     // centers of B without a match
}

type comparedJSON struct {
	File   string `json:"file"`
	Method string `json:"method"`
	K      int    `json:"k"`
	Rows   int    `json:"rows"`
}

// matchJSON is a center of A. Members about its match are null without one.
type matchJSON struct {
	A          int       `json:"aCenter"`
	B          *int      `json:"bCenter"`
	Moved      *float64  `json:"moved"`
	Relative   *float64  `json:"movedShare"` // of between
	Difference []float64 `json:"difference"` // by column, in the table's units
	ShareA     float64   `json:"aShare"`     // of the rows
	ShareB     *float64  `json:"bShare"`
}

type newcomerJSON struct {
	B     int     `json:"bCenter"`
	Share float64 `json:"bShare"`
}

func (c *comparison) json() any {
	j := &comparisonJSON{Columns: c.models[0].Columns, Between: c.Between, New: []newcomerJSON{}}
	for i, to := range []*comparedJSON{&j.A, &j.B} {
		m := c.models[i]
		*to = comparedJSON{c.files[i], m.Method, m.K(), m.Rows}
	}
	d := c.differences()
	for i, to := range c.To {
		m := matchJSON{A: i, ShareA: share(c.models[0], i), Relative: c.moved(i)}
		if to >= 0 {
			b := share(c.models[1], to)
			m.B, m.Moved, m.Difference, m.ShareB = &to, &c.Moved[i], d.Row(i), &b
		}
		j.Matches = append(j.Matches, m)
	}
	for i, from := range c.From {
		if from < 0 {
			j.New = append(j.New, newcomerJSON{i, share(c.models[1], i)})
		}
	}
	return j
}
