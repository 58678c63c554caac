package main

// This file says what the prototypes of a fit mean: the columns that set each apart, its
// purest rows, and the rows between two.

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

const (
	mostColumns = 5  // columns named for a prototype
	mostPure    = 3  // rows named for a prototype
	mostBetween = 5  // rows named as between two prototypes, or as far out
	mostWord    = 40 // characters shown of an id or a column
	mostGap     = .2 // of the two largest memberships of a row between prototypes
)

// ranked is a row and what it is ranked by.
type ranked struct {
	row    int // from 0
	id     string
	value  float64
	pair   [2]int // the prototypes of its two largest memberships
	shares [2]float64
}

// few is the rows of the largest values, up to most. Of equal ones the first stay.
type few struct {
	most int
	rows []ranked
}

func (f *few) takes(value float64) bool {
	return len(f.rows) < f.most || value > f.rows[len(f.rows)-1].value
}

// add keeps a row if its value is among the largest.
func (f *few) add(r ranked) {
	if !f.takes(r.value) {
		return
	}
	at := len(f.rows)
	for at > 0 && r.value > f.rows[at-1].value {
		at--
	}
	f.rows = slices.Insert(f.rows, at, r)
	f.rows = f.rows[:min(len(f.rows), f.most)]
}

// meaning is the rows that tell most about the prototypes.
type meaning struct {
	pure    []few // of each prototype: those with the largest memberships in it
	between few   // those whose two largest memberships differ least
	rows    int   // seen so far
	moved   int   // those with their largest membership in another cluster
}

// compare counts the rows that have their largest membership in another cluster.
func (m *meaning) compare(clusters []int, g *softkmeans.Matrix) {
	for i, cluster := range clusters {
		if row := g.Row(i); row[cluster] < slices.Max(row) {
			m.moved++
		}
	}
}

// naming returns the number in the table, from 0, and the name of fitted row i.
type naming func(i int) (row int, id string)

// numbered is the naming where rows have no ids, and none is left out.
func numbered(i int) (int, string) { return i, "row " + strconv.Itoa(i+1) }

func (m *meaning) add(g *softkmeans.Matrix, name naming) {
	if m.pure == nil {
		m.pure, m.between.most = make([]few, g.Cols), mostBetween
		for j := range m.pure {
			m.pure[j].most = mostPure
		}
	}
	for i := range g.Rows {
		r := ranked{pair: [2]int{-1, -1}}
		for j, v := range g.Row(i) {
			if v > 0 && m.pure[j].takes(v) {
				row, id := name(m.rows + i)
				m.pure[j].add(ranked{row: row, id: id, value: v})
			}
			switch {
			case r.pair[0] < 0 || v > r.shares[0]:
				r.pair, r.shares = [2]int{j, r.pair[0]}, [2]float64{v, r.shares[0]}
			case r.pair[1] < 0 || v > r.shares[1]:
				r.pair[1], r.shares[1] = j, v
			}
		}
		r.value = r.shares[1] - r.shares[0]
		if g.Cols > 1 && r.shares[0] > 0 && r.value >= -mostGap && m.between.takes(r.value) {
			r.row, r.id = name(m.rows + i)
			m.between.add(r)
		}
	}
	m.rows += g.Rows
}

// differences returns the largest differences of prototype p from the mean.
func (r *result) differences(p int) []view.Difference {
	m := view.Moments{Mean: r.columns.Mean, Spread: r.columns.Spread}
	return m.Apart(r.centers.Row(p), mostColumns)
}

// flatten sets the entries of centers in constant columns to the value of the column,
// which they are but for rounding where memberships add up to 1.
func (r *result) flatten(centers *softkmeans.Matrix) {
	if r.columns == nil || r.model.Sum != softkmeans.SumToOne {
		return
	}
	top := 0.0
	for _, v := range centers.Data {
		top = max(top, math.Abs(v))
	}
	for j, v := range r.columns.Least {
		if v != r.columns.Most[j] {
			continue
		}
		for i := range centers.Rows {
			if math.Abs(centers.At(i, j)-v) <= 1e-9*max(top, math.Abs(v)) {
				centers.Set(i, j, v)
			}
		}
	}
}

func (r *result) writeMeaning(b *bytes.Buffer) {
	width := widest(r.k, r.center)
	if r.centers != nil && r.k > 1 {
		b.WriteString("\nWhat sets each apart: its largest differences from the mean, in standard " +
			"deviations\n\n")
		for p := range r.k {
			var words []string
			for _, d := range r.differences(p) {
				words = append(words, short(table.Printable(r.Names[d.Column]),
					mostWord)+" "+view.Signed(d.Value))
			}
			if words == nil {
				words = []string{"about the mean"}
			}
			fmt.Fprintf(b, "  %-*s  %s\n", width, short(r.center(p), mostWord), strings.Join(words, ", "))
		}
	}
	b.WriteString("\nRows by label")
	if r.k == 1 {
		b.WriteString("\n\n" + sizeLines(r.sizes, r.center))
		return
	}
	b.WriteString(", and those with the largest memberships\n\n")
	for p, n := range r.sizes {
		var words []string
		for _, row := range r.meaning.pure[p].rows {
			words = append(words, row.name()+" "+rounded(row.value))
		}
		fmt.Fprintf(b, "  %-*s %8d   %s\n", max(5, width), short(r.center(p), mostWord), n, strings.Join(words, ", "))
	}
	if r.clustered() {
		b.WriteString("\n" + view.LabelBy(r.mixtures, r.meaning.moved, r.rows) + "\n")
	}
	for i, row := range r.meaning.between.rows {
		if i == 0 {
			b.WriteString("\nRows between two prototypes, with about the same membership in both\n\n")
		}
		fmt.Fprintf(b, "  %s: %s %s, %s %s\n", row.name(), short(r.center(row.pair[0]), mostWord), rounded(row.shares[0]),
			short(r.center(row.pair[1]), mostWord), rounded(row.shares[1]))
	}
}

func (r *ranked) name() string { return short(table.Printable(r.id), mostWord) }

// rounded formats a membership.
func rounded(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

type prototypeJSON struct {
	Name    string       `json:"name"`
	Columns []columnJSON `json:"columns"` // with the largest differences from the mean
	Purest  []rowJSON    `json:"purest"`
}

type columnJSON struct {
	Name       string  `json:"name"`
	Difference float64 `json:"difference"` // from the mean, in standard deviations
}

type rowJSON struct {
	Row         int       `json:"row"` // from 1
	ID          string    `json:"id"`
	Prototypes  []string  `json:"prototypes"`
	Memberships []float64 `json:"memberships"`
}

func (r *result) prototypesJSON() (list []prototypeJSON, between []rowJSON) {
	for p, pure := range r.meaning.pure {
		j := prototypeJSON{r.center(p), []columnJSON{}, []rowJSON{}}
		if r.centers != nil {
			for _, d := range r.differences(p) {
				j.Columns = append(j.Columns, columnJSON{r.Names[d.Column], d.Value})
			}
		}
		for _, row := range pure.rows {
			j.Purest = append(j.Purest, rowJSON{row.row + 1, row.id, []string{j.Name}, []float64{row.value}})
		}
		list = append(list, j)
	}
	for _, row := range r.meaning.between.rows {
		between = append(between, rowJSON{row.row + 1, row.id,
			[]string{r.center(row.pair[0]), r.center(row.pair[1])}, row.shares[:]})
	}
	return list, between
}
