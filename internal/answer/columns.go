package answer

// The columns and rows that tell most about prototypes and clusters.

import (
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// MostShown is the largest number of columns of which an answer shows values.
const MostShown = 20

const (
	mostApart = 5 // columns named for a prototype
	mostPure  = 3 // rows named for a prototype
	mostPairs = 3 // rows named as between two prototypes
	// leastShare is the least of the two largest memberships of a row between two prototypes.
	leastShare = .4
)

// Columns is what an answer needs to know of a table's columns. Mean and Spread are in the table's units.
type Columns struct {
	view.Columns
	ordered bool // neighbors belong together
}

// NewColumns returns columns with these names and moments, in which the centers are smooth or not. unit contains
// the divisors of the fit; nil: 1.
func NewColumns(names []string, mean, spread, unit []float64, centers *softkmeans.Matrix) *Columns {
	c := &Columns{Columns: view.Columns{Names: names, Axis: view.NewAxis(names),
		Moments: view.Moments{Mean: mean, Spread: spread, Unit: unit}}}
	c.ordered = c.Ordered(centers)
	return c
}

// Differences returns the largest differences of values from the mean of the rows. Where columns are an axis
// each is the top of a peak: neighbors on its slopes, down to half of its height, are left out.
func (c *Columns) Differences(values []float64) []Difference {
	list := []Difference{}
	taken := make([]bool, len(values))
	for _, d := range c.Columns.Differences(values) {
		if taken[d.Column] || len(list) == mostApart {
			continue
		}
		n := Difference{Name: table.Printable(c.Names[d.Column]), Value: d.Value}
		if c.ordered {
			n.Around = c.slopes(values, d.Column, taken)
		}
		list = append(list, n)
	}
	return list
}

// slopes takes the columns on both slopes of the peak at column top, and returns how many these are with the top;
// 0 if it is a single one.
func (c *Columns) slopes(values []float64, top int, taken []bool) int {
	n := 1
	for _, step := range []int{-1, 1} {
		for j := top + step; j >= 0 && j < len(values) && c.Spread[j] > 0; j += step {
			if c.Apart(values, j)/c.Apart(values, top) < .5 {
				break
			}
			if !taken[j] {
				taken[j] = true
				n++
			}
		}
	}
	if n == 1 {
		return 0
	}
	return n
}

// Shown returns the columns whose values tell the centers apart: first the largest differences of each, as
// Differences names them, then the most telling ones. Of a long axis these are the tops of peaks alone.
func (c *Columns) Shown(centers *softkmeans.Matrix) []int {
	var list []int
	tops := make([][]Difference, centers.Rows)
	for i := range tops {
		tops[i] = c.Differences(centers.Row(i))
	}
	for n := range mostApart {
		for _, top := range tops {
			if n < len(top) {
				if j := slices.Index(c.Names, top[n].Name); j >= 0 && !slices.Contains(list, j) {
					list = append(list, j)
				}
			}
		}
	}
	if !c.ordered || centers.Cols <= MostShown {
		list = c.ranked(centers, list)
	}
	return list[:min(len(list), MostShown)]
}

// ranked appends columns by how far the centers lie apart in them, in the fit's units, each center's first
// columns before the second ones of others.
func (c *Columns) ranked(centers *softkmeans.Matrix, list []int) []int {
	for n := 1; n <= min(MostShown, centers.Cols); n++ {
		for _, j := range c.Telling(centers, n) {
			if !slices.Contains(list, j) {
				list = append(list, j)
			}
		}
	}
	return list
}

// Ranked is a row and what it is ranked by.
type Ranked struct {
	Row    int // from 0
	ID     string
	Value  float64
	Pair   [2]int // the prototypes of its two largest memberships
	Shares [2]float64
}

// Few is the rows of the largest values, up to Most. Of equal ones the first stay.
type Few struct {
	Most int
	Rows []Ranked
}

// Takes reports whether Add keeps a row of this value.
func (f *Few) Takes(value float64) bool {
	return len(f.Rows) < f.Most || value > f.Rows[len(f.Rows)-1].Value
}

// Add keeps a row if its value is among the largest.
func (f *Few) Add(r Ranked) {
	if !f.Takes(r.Value) {
		return
	}
	at := len(f.Rows)
	for at > 0 && r.Value > f.Rows[at-1].Value {
		at--
	}
	f.Rows = slices.Insert(f.Rows, at, r)
	f.Rows = f.Rows[:min(len(f.Rows), f.Most)]
}

// Rows is what the memberships of rows say: add all rows, block by block.
type Rows struct {
	Pure    []Few     // of each prototype: the rows with the largest memberships in it
	Between Few       // the rows whose two largest memberships differ least
	Seen    int       // rows
	Mixed   int       // rows between two prototypes
	Moved   int       // rows with their largest membership in another cluster
	sums    []float64 // of memberships
}

// Naming returns the number in the table, from 0, and the name of fitted row i.
type Naming func(i int) (row int, id string)

// Numbered is the naming where rows have no ids, and none is left out.
func Numbered(i int) (int, string) { return i, "row " + strconv.Itoa(i+1) }

// Compare counts the rows that have their largest membership in another cluster.
func (m *Rows) Compare(clusters []int, g *softkmeans.Matrix) {
	for i, cluster := range clusters {
		if row := g.Row(i); row[cluster] < slices.Max(row) {
			m.Moved++
		}
	}
}

// Add adds rows with memberships g.
func (m *Rows) Add(g *softkmeans.Matrix, name Naming) {
	if m.Pure == nil {
		m.Pure, m.Between.Most, m.sums = make([]Few, g.Cols), mostPairs, make([]float64, g.Cols)
		for j := range m.Pure {
			m.Pure[j].Most = mostPure
		}
	}
	for i := range g.Rows {
		r := Ranked{Pair: [2]int{-1, -1}}
		for j, v := range g.Row(i) {
			if m.sums[j] += v; v > 0 && m.Pure[j].Takes(v) {
				row, id := name(m.Seen + i)
				m.Pure[j].Add(Ranked{Row: row, ID: id, Value: v})
			}
			switch {
			case r.Pair[0] < 0 || v > r.Shares[0]:
				r.Pair, r.Shares = [2]int{j, r.Pair[0]}, [2]float64{v, r.Shares[0]}
			case r.Pair[1] < 0 || v > r.Shares[1]:
				r.Pair[1], r.Shares[1] = j, v
			}
		}
		if r.Value = r.Shares[1] - r.Shares[0]; g.Cols < 2 || r.Shares[1] < leastShare {
			continue
		}
		if m.Mixed++; m.Between.Takes(r.Value) {
			r.Row, r.ID = name(m.Seen + i)
			m.Between.Add(r)
		}
	}
	m.Seen += g.Rows
}

// Fill sets what the rows say: mean memberships and purest rows of prototypes with these names, and rows
// between two.
func (m *Rows) Fill(a *Answer, names []string) {
	if m.Pure == nil {
		return
	}
	for j, name := range names {
		p := Prototype{Name: name, Membership: m.sums[j] / float64(max(m.Seen, 1)), Columns: []Difference{}}
		p.Purest = []Row{}
		for _, r := range m.Pure[j].Rows {
			p.Purest = append(p.Purest, Row{r.Row + 1, r.ID, []string{name}, []float64{r.Value}})
		}
		a.Prototypes = append(a.Prototypes, p)
	}
	for _, r := range m.Between.Rows {
		a.Between = append(a.Between, Row{r.Row + 1, r.ID,
			[]string{names[r.Pair[0]], names[r.Pair[1]]}, slices.Clone(r.Shares[:])})
	}
	a.Mixed, a.Moved = m.Mixed, m.Moved
}
