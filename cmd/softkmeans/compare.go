package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/la"
	"softkmeans/internal/view"
	"softkmeans/stability"
)

type compareFlags struct{ printFlags }

func newCompareFlagSet(f *compareFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("compare", flag.ContinueOnError)
	f.printFlags.add(fs)
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
			return fmt.Errorf("%s: a model of method %s has no prototypes", name,
				short(c.models[i].Method, mostName))
		}
	}
	c.files = [2]string(files)
	if err := c.match(); err != nil {
		return err
	}
	return f.write(s.out, c.answer())
}

// comparison is two models and what is which.
type comparison struct {
	files   [2]string
	models  [2]*modelFile
	centers [2]*softkmeans.Matrix // in the table's units, in the columns of A
	*stability.Matching
}

// match matches the centers, scaled as A's are. Columns are found by name if both models have names.
func (c *comparison) match() (err error) {
	a, b := c.models[0], c.models[1]
	if len(a.Columns) != len(b.Columns) {
		return fmt.Errorf("%s has %s, but %s has %d; compare needs the same columns", c.files[0],
			count(len(a.Columns), "column"), c.files[1], len(b.Columns))
	}
	place := make(map[string]int, len(b.Columns))
	for j, name := range b.Columns {
		place[name] = j
	}
	byPlace := !a.Named || !b.Named || slices.Equal(a.Columns, b.Columns) // a name may occur twice
	c.centers = [2]*softkmeans.Matrix{a.Centers, softkmeans.NewMatrix(b.K(), len(b.Columns), nil)}
	for at, name := range a.Columns {
		from, ok := place[name]
		if byPlace {
			from = at
		} else if delete(place, name); !ok {
			return fmt.Errorf("%s has a column %q, but %s has not; compare needs the same columns",
				c.files[0], short(name, mostName), c.files[1])
		}
		for j := range b.K() {
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

// moved returns the distance of center j of A from its match as a share of the distance
// between the centers, nil without a match or with one center.
func (c *comparison) moved(j int) *float64 {
	if c.To[j] < 0 || c.Between == 0 {
		return nil
	}
	share := c.Moved[j] / c.Between
	return &share
}

// answer says which center is which, and what moved.
func (c *comparison) answer() *answer.Answer {
	m, d := c.models[0], c.differences()
	a := &answer.Answer{Version: answer.Version, Warnings: []string{}, Models: &answer.Models{Distance: c.Between}}
	a.Source, a.Columns, a.Scale, a.Shown = c.files[0], m.Columns, m.Scale, c.largest(d)
	for i, m := range c.models {
		a.Notes = append(a.Notes, fmt.Sprintf("%c: %s, %s of %s, method %s, %s, scale %s", 'A'+i, c.files[i],
			view.Prototypes(m.K()), count(len(m.Columns), "column"), short(m.Method, mostName), count(m.Rows, "row"), m.Scale))
		a.Models.Of = append(a.Models.Of, answer.ModelFile{File: c.files[i], Method: m.Method, K: m.K(), Rows: m.Rows})
	}
	for i, to := range c.To {
		m := answer.Match{A: i, Relative: c.moved(i)}
		m.RowsA, m.ShareA = rowsIn(c.models[0], i)
		if to >= 0 {
			rows, part := rowsIn(c.models[1], to)
			m.B, m.Moved, m.Difference, m.RowsB, m.ShareB = &to, &c.Moved[i], d.Row(i), &rows, &part
		}
		a.Models.Matches = append(a.Models.Matches, m)
	}
	for i, from := range c.From {
		if from < 0 {
			n, part := rowsIn(c.models[1], i)
			a.Models.New = append(a.Models.New, answer.Newcomer{B: i, Rows: n, Share: part})
		}
	}
	return a
}

// rowsIn returns how many rows have label j in a model, and their share; 0 for no rows.
func rowsIn(m *modelFile, j int) (n int, share float64) {
	if j < len(m.Sizes) && m.Rows > 0 {
		n = m.Sizes[j]
		share = float64(n) / float64(m.Rows)
	}
	return n, share
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

// largest returns columns by how far centers moved in them, as A scales them: the largest first.
func (c *comparison) largest(d *softkmeans.Matrix) []int {
	size := make([]float64, d.Cols)
	for i, v := range d.Data {
		at := i % d.Cols
		if divisor := c.models[0].Divisor; divisor != nil {
			v /= divisor[at]
		}
		size[at] = max(size[at], math.Abs(v))
	}
	return la.BySize(size)[:min(answer.MostShown, d.Cols)]
}
