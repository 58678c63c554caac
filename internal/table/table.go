// Package table reads a table of numbers from CSV text, at once or a block of
// rows at a time. Nothing is guessed about a value: what is not a finite number is
// an error that names its place, because a row or a value left out in silence
// would be missed only much later, if at all.
//
// It imports neither fmt nor reflect, so that it can be part of a small
// WebAssembly file.
package table

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Dialect is how a text is to be read. The zero value guesses the delimiter and
// the header, and takes every column for data.
type Dialect struct {
	Delimiter rune   // 0: tab, semicolon or comma, whichever the first line has
	Decimal   rune   // the decimal sign: the point (also 0), or the comma
	Header    Header // whether the first line holds names
	Words     Words  // for messages
	Workers   int    // goroutines that read and parse ahead; none for 0 and 1

	// Columns that are not data, by their name in the header or their number from 1;
	// "" and nil for none. No column can be two of these, or one of these and picked.
	Label   string   // the rows' classes
	Weights string   // the rows' weights: numbers, at least 0
	Drop    []string // not looked at: they may hold anything

	// Pick chooses the columns that are data, and their order: the values of a row
	// come in the order of the names that it returns. It is called once a text, with
	// the names of all columns, or nil where there is no header and the names to
	// return are c1, c2, … by position. A name that several columns have is returned
	// as many times, and stands for them in their order. What is not picked may hold
	// anything, but where the header is guessed. If Pick is nil, or returns nil, all columns that
	// are not one of the above are data.
	Pick func(names []string) []string

	// For tests.
	chunk int  // bytes that are read at once, 0 for chunkSize
	slow  bool // every line is split, as one with quotes is
}

// Header tells whether the first line holds names.
type Header int

const (
	HeaderAuto Header = iota // it does if it has no number in it
	HeaderYes
	HeaderNo
)

// Head is what a text says of its columns.
type Head struct {
	Source string   // the text's name, for messages
	Names  []string // of the columns of numbers: the header's, or c1, c2, … by position
	Header bool     // the first line held the names

	// The label column and that of the weights, as they are counted from 1 in the
	// text; 0 without one, and then its name is empty.
	LabelColumn   int
	LabelName     string // as in Names, were it among them
	WeightsColumn int
	WeightsName   string
}

// Table is the numbers of a text, and the classes and the weights that columns
// of it give to the rows.
type Table struct {
	Head
	Rows    int       // at least 1
	Data    []float64 // Rows × len(Names), row after row, all finite
	Class   []int     // of every row with a label column: an index into Classes
	Weights []float64 // of every row with a column of weights, all finite and at least 0
	Classes []string  // the label column's values, in order of appearance, without the spaces around them
}

// Label is what the label column says of row i; "" without a label column.
func (t *Table) Label(i int) string {
	if t.LabelColumn == 0 {
		return ""
	}
	return t.Classes[t.Class[i]]
}

// Read reads all of r, as a [Reader] does. Errors are of type *Error, but for
// those of r that have source in their text already, which are returned as they
// are.
//
// The table takes 8 bytes a value, twice that for moments while it grows.
func Read(r io.Reader, source string, d Dialect) (*Table, error) {
	b, err := NewReader(r, source, d)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	t := &Table{Head: b.Head}
	width := len(t.Names)
	for {
		t.Data = slices.Grow(t.Data, max(width, 1<<12))
		space := (cap(t.Data) - len(t.Data)) / width
		if t.LabelColumn > 0 {
			t.Class = slices.Grow(t.Class, space)
		}
		if t.WeightsColumn > 0 {
			t.Weights = slices.Grow(t.Weights, space)
		}
		n, err := b.readRows(t.Data[len(t.Data):cap(t.Data)], t.Class[len(t.Class):cap(t.Class)], t.Weights[len(t.Weights):cap(t.Weights)])
		if err == io.EOF {
			t.Classes = b.Classes
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		t.Rows += n
		t.Data = t.Data[:t.Rows*width]
		if t.LabelColumn > 0 {
			t.Class = t.Class[:t.Rows]
		}
		if t.WeightsColumn > 0 {
			t.Weights = t.Weights[:t.Rows]
		}
	}
}

// Column is the name of column j, from 0, where there is no other.
func Column(j int) string { return "c" + strconv.Itoa(j+1) }

// Printable is a name on one line and without control characters, which would
// upset a terminal or the columns of a report.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}
