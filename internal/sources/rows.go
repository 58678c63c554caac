package sources

// How a table is read whose rows are mixtures of the prototypes of a library: its columns are those
// that the library has, and where its lines have their names it is turned.

import (
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/table"
)

// Rows follows the reading of a table.
type Rows struct {
	library *Library
	drop    map[string]bool
	all     []string // the columns of the file; nil: it has no header
	picked  bool     // some of them are those of the prototypes

	Keep string // what carries columns along that the prototypes lack, such as a flag; "": nothing
}

// Rows changes the dialect of a table: the library tells whether line 1 is a header, and which columns
// are data. Values may be missing.
func (l *Library) Rows(d *table.Dialect) *Rows {
	r := &Rows{library: l, drop: table.Set(d.Drop)}
	d.Heads, d.Known, d.Missing = l.Heads, l.Known(), true
	id := d.ID
	d.Pick = func(names []string) []string {
		var asked []string // those that Drop and ID do not name
		for j, name := range names {
			n := strconv.Itoa(j + 1)
			if !r.drop[name] && !r.drop[n] && id != name && id != n {
				asked = append(asked, name)
			}
		}
		shared := l.Shared(asked)
		r.all, r.picked = names, shared != nil
		return shared
	}
	return r
}

// Settle makes the rows of a table that was read those of the library: turned, where the lines have
// the names of its columns. It reports whether it turned the table.
func (r *Rows) Settle(t *table.Table) (turned bool) {
	ids, l := t.IDs, r.library
	if x := softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data); ids == nil && x.Cols > 1 {
		ids = Axis(x) // the first column may be an axis, such as wavelengths
	}
	var columns []string
	if t.Named() {
		columns = l.Shared(t.Names)
	}
	list := numbers(ids)
	values := len(list) == len(ids)
	if values && table.Counts(list) { // the rows
		ids = nil
	}
	lines := l.list(ids, !values)
	// Columns may be joined by their places.
	places := !t.Named() && (values || l.Columns == nil) && len(t.Names) == l.X.Cols
	switch {
	case len(lines) > 1 && columns == nil && !places && 2*len(keys(ids)) > len(ids):
		turn(t, ids, lines)
		turned = true
	case t.Named() && len(columns) > 0 && len(columns) < len(t.Names): // of files without a header
		keep(t, columns)
	}
	Reword(t.Notes)
	if t.Header && r.picked {
		r.noteLeft(t)
	}
	return turned
}

// Reword makes notes about the columns of a model notes about known prototypes.
func Reword(notes []string) {
	for i, note := range notes {
		note = strings.Replace(note, "no column of the model", "no column of the prototypes", 1)
		notes[i] = strings.Replace(note, "names of the model's columns", "names that the prototypes have", 1)
	}
}

// keep leaves out the columns that the prototypes do not have.
func keep(t *table.Table, names []string) {
	n := len(t.Names) - len(names)
	t.Data = columns(softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data), places(names, t.Names)).Data
	t.Names = names
	t.CountMissing()
	t.Notes = append(t.Notes, table.Count(n, "column")+" that the prototypes lack "+table.Plural(n, "is", "are")+" left out")
}

// places returns where names stand first in a list.
func places(names, list []string) (at []int) {
	first := make(map[string]int, len(list))
	for j, name := range slices.Backward(list) {
		first[name] = j
	}
	for _, name := range names {
		at = append(at, first[name])
	}
	return at
}

// turn makes rows of the columns. ids are the names of the lines, and lines those that the prototypes have.
func turn(t *table.Table, ids, lines []string) {
	from := 0
	if t.IDs == nil {
		from = 1
	}
	all := la.Transpose(softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data))
	data := columns(all, places(lines, ids)).Data[from*len(lines):]
	note := "a row is a column of the file, as its lines have the names that the prototypes have"
	if n := t.Rows - len(lines); n > 0 {
		note += "; " + table.Count(n, "line") + " that the prototypes lack " + table.Plural(n, "is", "are") + " left out"
	}
	t.Notes = append(slices.DeleteFunc(t.Notes, func(note string) bool {
		return strings.Contains(note, "is data, though")
	}), note)
	t.IDs, t.IDColumn, t.IDName = t.Names[from:], 1, "id"
	t.Names, t.Rows, t.Data, t.Header = lines, len(t.IDs), data, true
	t.Kept, t.KeptNames, t.Units = nil, nil, nil
	t.Class, t.LabelColumn, t.Weights, t.WeightsColumn = nil, 0, nil, 0
	t.CountMissing()
}

// noteLeft names the columns of the file that the prototypes do not have.
func (r *Rows) noteLeft(t *table.Table) {
	var left []string
	names, kept := table.Set(t.Names), table.Set(t.KeptNames)
	for j, name := range r.all {
		used := slices.Contains([]int{t.IDColumn, t.LabelColumn, t.WeightsColumn}, j+1)
		if !used && !names[name] && !kept[name] && !r.drop[name] && !r.drop[strconv.Itoa(j+1)] {
			left = append(left, name)
		}
	}
	if len(left) == 0 {
		return
	}
	note, keep := "columns that the prototypes lack are left out: ", " carries such along"
	if len(left) == 1 {
		note = "a column that the prototypes lack is left out: "
		keep = " " + table.Printable(left[0]) + " carries it along"
	}
	if note += some(left); r.Keep != "" {
		note += "; " + r.Keep + keep
	}
	t.Notes = append(t.Notes, note)
}
