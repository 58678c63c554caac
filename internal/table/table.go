package table

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Dialect says how to read a text. The zero value guesses the delimiter and the
// header, and takes every column for data.
type Dialect struct {
	Delimiter rune   // 0: tab, semicolon or comma, whichever the first line has
	Decimal   rune   // the decimal sign: the point (also 0), or the comma
	Header    Choice // whether the first line holds names
	Words     Words  // for messages
	Workers   int    // goroutines that parse ahead; 0 and 1: none

	// Guess finds out what the zero values leave open, from the first 256 kB of the text: the decimal sign,
	// comments, a header of numbers, a line of units, numbers with signs such as 1,234 or 50 %, and the
	// column of ids. Head.Notes has what was taken for what. Columns of text are then one error that names
	// them all, and all that is missing in the others.
	Guess bool

	// Columns that are not data, by their name in the header, their number from 1, or, in the lists, a range
	// of numbers such as 2-4; "" and nil: none. No column can be two of these, or one of these and picked.
	Label   string   // the rows' classes
	Weights string   // the rows' weights: numbers, at least 0
	ID      string   // the rows' ids: any text; with Guess "" is found out, and NoID is none
	Keep    []string // carried along as text; a column of data may be one of these
	Drop    []string // ignored columns: they may hold anything

	Names []string // names of all columns, instead of those of the header
	Known []string // line 1 is a header if it has all of these names
	// Heads, if not nil, reports whether line 1, of these fields, is a header for certain.
	Heads func(fields []string) bool
	Text  Text // with Guess: what is done with a column of text that has no other use
	Least int  // the least number of columns of a file that does not say how many there are

	// Missing makes NaN of missing fields, such as an empty one or NA. Otherwise they
	// are an error that counts and names them all.
	Missing bool

	NA    []string // words and numbers that count as missing in columns of data
	Below Below    // what an entry such as <4.0 is
	Skip  Skip     // rows of data that are left out; the text is kept in memory

	// Transpose makes rows of the columns, before all else: names and numbers of columns
	// are those of the turned text, which is kept in memory. Stream makes an error of that,
	// with ErrTurned, for a caller that reads blocks.
	Transpose Choice
	Stream    bool

	// Long makes a row for each sample of a long table, before Transpose and all else, as that does.
	Long Choice

	// Pick chooses the columns that are data. It returns their names in the order that the values of a row
	// shall have. It is called once a text, with the names of all columns; or with nil if there is no header,
	// and then returns names of the form c1, c2, … by position. The name of several columns is returned as
	// many times, and stands for them in their order. Other columns may hold anything, unless the header is
	// guessed. If Pick is nil or returns nil, all columns but those above are data.
	Pick func(names []string) []string

	trying  bool // advice is tried, and none is given
	classes bool // the labels alone are read

	// For tests.
	chunk int  // bytes of a chunk; 0: chunkSize
	slow  bool // plainRows is not used
}

// NoID is the Dialect.ID of a text whose rows have no ids.
const NoID = "none"

// Text says what is done with columns of text.
type Text int

const (
	TextError  Text = iota // they are an error, which names all of them and what is missing
	TextOneHot             // each becomes a column of 0 and 1 for each of its values
	TextDrop               // they are left out
)

// Choice says whether a text has a header, is transposed, or is a long table.
type Choice int

const (
	Auto Choice = iota // with Guess if it is certain; without, line 1 is a header if it has no number
	Yes
	No
)

func (c *Choice) set(s string) { *c = map[string]Choice{"yes": Yes, "no": No}[s] }

// Head describes the columns of a text.
type Head struct {
	Source string   // the text's name, for messages
	Names  []string // of the columns that are data: from the header, or c1, c2, … by position
	Header bool     // the first line held the names
	Bare   bool     // the form of the file has no place for a header
	Turned bool     // the rows are the columns of the text
	Axis   string   // the name above those of the columns of a turned table; "": none
	Long   bool     // the text is a long table: its lines are the entries

	// The columns of the labels and of the weights, counted from 1 in the text. If
	// there is none, the number is 0 and the name is empty.
	LabelColumn   int
	LabelName     string
	LabelFirst    bool // the labels are no column, but stand before the columns
	WeightsColumn int
	WeightsName   string

	IDColumn  int // of the ids, counted from 1; 0: none
	IDName    string
	KeptNames []string // of the columns that are carried along
	Units     []string // of the columns of data, where a line below the header has them; nil: none

	// Notes says what was found out beyond what a plain table has, a sentence each
	// without a full stop: which columns are left out and why, that line 2 holds units.
	Notes []string

	doubted map[string]bool // the names of columns that warnings tell of
}

// Named reports whether columns have names that are more than the places c1, c2, ….
func (h *Head) Named() bool {
	return h.Header || slices.ContainsFunc(h.Names, func(name string) bool {
		place, _, _ := strings.Cut(name, "=")
		n, err := strconv.Atoi(strings.TrimPrefix(place, "c"))
		return err != nil || place != Column(n-1)
	})
}

// Table is the numbers of a text, and the classes and weights of its rows.
type Table struct {
	Head
	Rows    int       // at least 1
	Data    []float64 // Rows × len(Names), row after row, finite or, with Dialect.Missing, NaN
	Class   []int     // of every row, if there is a label column: an index into Classes
	Weights []float64 // of every row, if there is a column of weights: finite and at least 0
	Classes []string  // the label column's values, in order of appearance, without spaces around them

	IDs     []string   // of every row, if there is a column of ids
	Kept    [][]string // of every row, the texts of KeptNames; nil: there are none
	Missing []int      // of every column of data, the number of missing fields; nil: none at all
}

// CountMissing sets Missing from the NaN in Data.
func (t *Table) CountMissing() {
	t.Missing = nil
	for i, v := range t.Data {
		if v != v {
			if t.Missing == nil {
				t.Missing = make([]int, len(t.Names))
			}
			t.Missing[i%len(t.Names)]++
		}
	}
}

// RowName is the id of row i, from 0, or "row 1", "row 2", … if there are no ids.
func (t *Table) RowName(i int) string {
	if t.IDs != nil {
		return t.IDs[i]
	}
	return "row " + strconv.Itoa(i+1)
}

// Label is the label of row i, "" if there is no label column.
func (t *Table) Label(i int) string {
	if t.LabelColumn == 0 {
		return ""
	}
	return t.Classes[t.Class[i]]
}

// Read reads all of r, as a [Reader] does. Errors are of type *Error, except those
// of r that have source in their text already.
//
// The table takes 8 bytes a value, for moments twice as much.
func Read(r io.Reader, source string, d Dialect) (*Table, error) {
	b, err := NewReader(r, source, d)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return b.ReadAll()
}

// ReadAll reads all rows, as [Read] does, if ReadRows has read none.
func (b *Reader) ReadAll() (*Table, error) {
	p := &b.parser
	for b.more() {
		b.Data = append(b.Data, b.take(math.MaxInt-b.at)...)
	}
	if b.err != io.EOF {
		return nil, b.settled(b.err)
	}
	t := b.Table
	t.Rows = len(t.Data) / max(1, len(t.Names))
	t.CountMissing()
	if p.dialect.Guess {
		t.noteTotals(p.numeric(), &p.dialect)
		t.noteFar(p.numeric(), &p.dialect)
		t.noteNegative(p.numeric(), &p.dialect)
		t.noteZeros()
		t.noteAlike(p.numeric(), &p.dialect)
		t.noteMixed()
	}
	return &t, nil
}

// Column is the name of column j, from 0, if it has no other.
func Column(j int) string { return "c" + strconv.Itoa(j+1) }

// MostName is how many characters are shown of a column's name.
const MostName = 192

// Short cuts a name to at most so many characters; an empty one is "(none)".
func Short(s string, most int) string {
	s = Printable(s)
	if s == "" {
		return "(none)"
	}
	if r := []rune(s); len(r) > most {
		return strings.TrimRight(string(r[:most-1]), " ") + "…"
	}
	return s
}

// Printable puts a name on one line. Control characters, which would disturb a
// terminal or a report, become question marks.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}
