package answer

// Answers of evaluate: how labels agree with classes, and materials with the true ones.

import (
	"slices"
	"strconv"
	"strings"

	"softkmeans/internal/la"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// Agreement compares labels with classes.
type Agreement struct {
	Truth        Labelling `json:"truth"`
	Labels       Labelling `json:"labels"`
	Rows         int       `json:"rows"`
	Left         int       `json:"left,omitempty"` // rows without a class or a label
	Accuracy     *float64  `json:"accuracy"`       // nil: too many classes and labels
	NMI          float64   `json:"nmi"`
	Purity       float64   `json:"purity"`
	AdjustedRand float64   `json:"adjustedRand"`
	Counts       [][]int   `json:"counts"` // by class and cluster; nil as Accuracy
}

// Labelling is a column of classes or labels.
type Labelling struct {
	Source string   `json:"source"`
	Column string   `json:"column"`
	Values []string `json:"values"`
}

// Sections returns the measures, and the table of counts.
func (e *Agreement) Sections() []Section {
	read := Section{}
	side := func(c Labelling, one, more string) {
		n := len(c.Values)
		read.Lines = append(read.Lines, c.Source+", column "+table.Short(c.Column, table.MostName)+": "+
			view.Count(e.Rows, "row")+" in "+strconv.Itoa(n)+" "+table.Plural(n, one, more))
	}
	side(e.Truth, "class", "classes")
	side(e.Labels, "cluster", "clusters")
	if e.Left > 0 {
		read.Lines = append(read.Lines, view.Count(e.Left, "row")+" without a class or a label "+
			table.Plural(e.Left, "is", "are")+" left out.")
	}
	accuracy := []string{"ACC", "-", "not computed for so many classes and clusters"}
	if e.Accuracy != nil {
		accuracy = []string{"ACC", four(*e.Accuracy), "fraction of rows in the right class, with the best one-to-one matching"}
	}
	all := []Section{read, {Title: "Agreement", Table: &Table{Head: []string{"", "", ""}, Rows: [][]string{
		accuracy,
		{"NMI", four(e.NMI), "normalized mutual information, from 0 to 1"},
		{"purity", four(e.Purity), "fraction of rows in the most frequent class of their cluster"},
		{"adjusted Rand", four(e.AdjustedRand), "agreement of pairs: 0 by chance, 1 at best"}}}}}
	if e.Counts != nil {
		all = append(all, Section{Title: "Rows by class (down) and cluster (across)",
			Table: CountsTable(e.Truth.Values, e.Labels.Values, e.Counts, LineWidth)})
	}
	return all
}

// mostCounted is the largest number of classes and of clusters in the table of counts.
const mostCounted = 20

// CountsTable has the number of rows by class and cluster, with sums: of at most mostCounted classes, and of
// as many clusters as fit in a row of room characters. Of more it has the largest, and the sum of the others.
func CountsTable(classes, clusters []string, counts [][]int, room int) *Table {
	head, rows := summed(classes, counts, mostCounted)
	columns := turned(rows, len(clusters))
	for most := mostCounted; ; most-- {
		top, cells := summed(clusters, columns, most)
		t := &Table{Head: append([]string{""}, top...)}
		for i, name := range head {
			row := []string{name}
			for j := range top {
				row = append(row, strconv.Itoa(cells[j][i]))
			}
			t.Rows = append(t.Rows, row)
		}
		if t.Width() <= room || most == 1 {
			return t
		}
	}
}

// summed returns the rows with the most largest sums, then "n others" if some are left, and "sum".
func summed(names []string, rows [][]int, most int) (head []string, out [][]int) {
	cols := len(rows[0])
	sizes := make([]int, len(rows))
	others, all := make([]int, cols), make([]int, cols)
	for i, row := range rows {
		for j, n := range row {
			sizes[i] += n
			others[j] += n
			all[j] += n
		}
	}
	order := la.BySize(sizes)
	for _, i := range slices.Sorted(slices.Values(order[:min(most, len(order))])) {
		head, out = append(head, table.Short(names[i], 16)), append(out, rows[i])
		for j, n := range rows[i] {
			others[j] -= n
		}
	}
	if left := len(names) - len(head); left > 0 {
		head, out = append(head, strconv.Itoa(left)+" others"), append(out, others)
	}
	return append(head, "sum"), append(out, all)
}

func turned(rows [][]int, cols int) [][]int {
	out := make([][]int, cols)
	for j := range out {
		for _, row := range rows {
			out[j] = append(out[j], row[j])
		}
	}
	return out
}

func four(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

// Materials compares spectra, or shares, with those that are known.
type Materials struct {
	Truth   MaterialsOf     `json:"truth"`
	Found   MaterialsOf     `json:"found"`
	Rows    int             `json:"rows"`
	Left    int             `json:"left,omitempty"` // rows without values
	MRSA    float64         `json:"mrsa"`           // means over those that have a match
	Angle   float64         `json:"angle"`
	RMSE    float64         `json:"rmse"`
	Matches []MaterialMatch `json:"matches"` // a material of the truth each
}

// MaterialsOf is a file of materials.
type MaterialsOf struct {
	Source string   `json:"source"`
	Names  []string `json:"names"`
	Notes  []string `json:"notes,omitempty"` // what was assumed of the header
}

// MaterialMatch has a material of the truth and its match. Without a match, numbers are 0.
type MaterialMatch struct {
	Truth string  `json:"truth"`
	Found string  `json:"found"`
	MRSA  float64 `json:"mrsa"`  // percent of π
	Angle float64 `json:"angle"` // degrees
	RMSE  float64 `json:"rmse"`
}

// Sections returns the table of matches.
func (e *Materials) Sections() []Section {
	read := Section{Lines: []string{"Materials of " + e.Truth.Source + " matched with the materials of " + e.Found.Source + ", by " +
		view.Count(e.Rows, "row")}}
	for _, side := range []MaterialsOf{e.Truth, e.Found} {
		for _, note := range side.Notes {
			read.Lines = append(read.Lines, side.Source+": "+note+".")
		}
	}
	if e.Left > 0 {
		read.Lines = append(read.Lines, view.Count(e.Left, "row")+" without values "+table.Plural(e.Left, "is", "are")+
			" left out.")
	}
	t := &Table{Head: []string{"material", "match", "MRSA", "angle", "RMSE"}}
	for _, m := range append(slices.Clone(e.Matches), MaterialMatch{"all", " ", e.MRSA, e.Angle, e.RMSE}) {
		row := []string{table.Short(m.Truth, 16), "–", "", "", ""}
		if m.Found != "" {
			row = []string{row[0], strings.TrimPrefix(table.Short(m.Found, 16), "(none)"), rounded(m.MRSA),
				rounded(m.Angle) + "°", four(m.RMSE)}
		}
		t.Rows = append(t.Rows, row)
	}
	return []Section{read, {Table: t, Lines: []string{"MRSA: angle between columns less their means; 100 stands for 180°. " +
		"RMSE: root mean square of the differences."}}}
}
