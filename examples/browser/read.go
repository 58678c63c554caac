package main

// How a file is read: the options of the reader, and what is found in the file.

import (
	"errors"
	"io"
	"slices"
	"strings"

	"softkmeans/examples/browser/sets"
	"softkmeans/internal/absent"
	"softkmeans/internal/answer"
	"softkmeans/internal/sources"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// The largest table. Fitting makes copies, and the memory of WebAssembly is at most 4 GB.
const (
	maxText   = 256 << 20 // bytes
	maxValues = 1 << 24
)

// words are the settings of the page in messages of the reader. What is not among them
// has a button, see ways.
var words = table.Words{Delimiter: "Delimiter", Header: "Header", Label: "Labels", Weights: "Weights",
	Transpose: "Turn", Long: "Long", Skip: "Leave out rows"}

// reading is the options of the reader. The zero value finds out all of them.
type reading struct {
	delimiter rune
	decimal   rune
	header    table.Choice
	transpose table.Choice
	long      table.Choice
	names     string // with commas between them
	na        string // words that count as missing, with commas between them
	below     table.Below
	skip      string     // rows, as of table.Skip
	text      table.Text // TextError or TextDrop
	missing   absent.Rule
	roles     string // a table.Role for each column, or undecided; "": found out

	library *sources.Library // whose prototypes the rows are mixtures of; nil: none
}

// undecided stands among roles for a column of text. With AsData one becomes columns of 0 and 1.
const undecided = 't'

// source is a file as it came from the page.
type source struct {
	name string
	size int
	open func() io.Reader
	set  *sets.Set // nil: a file of the user's
}

// found is what is known of a file. If it could not be read the table is nil.
type found struct {
	table.Overview
	*table.Table
	undecided []int // columns of text that are neither left out nor to be columns of 0 and 1

	texts answer.Texts  // of all rows of the file; the class is one of the columns to keep
	name  answer.Naming // of a row of the table
	gaps  int           // missing values in Data, NaN there

	bad *table.Error // why the table was not read, if it is about the text
	na  string       // of the reading
}

// tell is called as a file is read. An error ends the reading.
type tell func(read, size int) error

// read reads the file. The first result is never nil.
func (s *source) read(r reading, progress tell) (*found, error) {
	f := &found{na: r.na}
	if r.text == table.TextDrop {
		r.roles = strings.ReplaceAll(r.roles, string(undecided), string(table.AsNothing))
	}
	if s.size > maxText {
		return f, errors.New(s.name + ": " + itoa(s.size>>20) + " MB; the page reads up to " + itoa(maxText>>20) +
			" MB, the command line more")
	}
	err := s.readTable(f, r, progress)
	if err != nil {
		errors.As(err, &f.bad)
		f.Table = nil
		if err = placed(err); strings.HasSuffix(err.Error(), "binary file, not text") {
			err = errors.New(err.Error() + others)
		}
		return f, err
	}
	if len(f.Data) > maxValues {
		err = errors.New(s.name + ": " + itoa(f.Rows) + " rows of " + itoa(len(f.Names)) +
			" numbers; the page takes up to " + itoa(maxValues) + " numbers, the command line more")
		f.Table = nil
		return f, err
	}
	f.keepClass()
	if r.library != nil && r.missing == absent.Error {
		r.missing = absent.Fit // shares are by the values that are there
	}
	leave := func(left []bool) {
		f.texts.Leave(left)
		absent.Keep(f.Table, left)
	}
	if f.gaps, err = absent.Settle(f.Table, r.missing, "", leave); err != nil {
		f.Table = nil
	}
	f.name = f.texts.Names()
	return f, err
}

// keepClass has files repeat the class of each row, and the columns that are carried along.
func (f *found) keepClass() {
	f.texts = answer.Texts{IDs: f.IDs, Kept: f.Kept}
	if len(f.Class) == 0 {
		return
	}
	f.KeptNames, f.texts.Kept = append(slices.Clone(f.KeptNames), f.LabelName), make([][]string, f.Rows)
	for i, class := range f.Class {
		f.texts.Kept[i] = f.Classes[class : class+1]
		if f.Kept != nil {
			f.texts.Kept[i] = slices.Concat(f.Kept[i], f.texts.Kept[i])
		}
	}
}

// placed writes the place of an error in words.
func placed(err error) error {
	var bad *table.Error
	if !errors.As(err, &bad) || bad.Line == 0 {
		return err
	}
	where := bad.Source + ", line " + itoa(bad.Line)
	if bad.Column > 0 {
		where += ", column " + itoa(bad.Column)
	}
	return errors.New(where + ": " + bad.Msg)
}

// readTable reads the file as a table.
func (s *source) readTable(f *found, r reading, progress tell) (err error) {
	d, id := r.dialect()
	if s.set != nil && r.roles == "" {
		d.Label = sets.Label
	}
	head := make([]byte, 16)
	n, _ := io.ReadFull(s.open(), head)
	if err := foreign(head[:n], s.name); err != nil {
		return err
	}
	var known *sources.Rows
	if r.library != nil {
		known = r.library.Rows(&d)
	}
	rows, err := table.NewReader(&counted{s.open(), 0, s.size, progress}, s.name, d)
	if rows != nil {
		f.Overview = rows.Overview()
	}
	if err != nil && f.Columns == nil {
		return err
	}
	if r.roles != "" && f.Columns != nil {
		if len(r.roles) != len(f.Columns) {
			return errors.New(itoa(len(r.roles)) + " roles for " + view.Count(len(f.Columns), "column"))
		}
		for j := range f.Columns {
			if f.Columns[j].As = table.Role(r.roles[j]); r.roles[j] == undecided {
				f.Columns[j].As = table.AsData
			}
		}
	}
	for j, c := range f.Columns { // none, or as many as there are roles
		if c.Text && c.As == table.AsData && (r.roles == "" || r.roles[j] == undecided) {
			f.undecided = append(f.undecided, j)
		}
	}
	var bad *table.Error
	if errors.As(err, &bad) && len(f.undecided) > 0 {
		return errors.New(bad.Source + ": " + bad.Plain()) // its advice is a button
	}
	if err != nil {
		return err
	}
	if f.Table, err = rows.ReadAll(); err != nil {
		return err
	}
	if id > 0 {
		f.takeID(id)
	}
	if known != nil {
		known.Settle(f.Table)
	}
	return nil
}

// others says what reads files that the page does not.
const others = "; the page reads CSV files. The command softkmeans fit also reads arrays of NumPy, matrices of " +
	"MatrixMarket and spectral libraries of ENVI, softkmeans unmix images of ENVI, and softkmeans-convert other formats"

// foreign returns an error that says what reads a file of another format than CSV, by its first bytes; nil for CSV.
func foreign(head []byte, name string) error {
	for _, format := range [...][2]string{{"ENVI", "the header of an ENVI file"},
		{"%%MatrixMarket", "a matrix of MatrixMarket"}, {"\x93NUMPY", "an array of NumPy"}} {
		if strings.HasPrefix(string(head), format[0]) {
			return errors.New(name + ": this is " + format[1] + others)
		}
	}
	return nil
}

// dialect returns the Dialect for a reading. With roles, id is the column of the ids. It is read as one that
// is carried along, because the reader looks for further ids beside one that it knows.
func (r *reading) dialect() (d table.Dialect, id int) {
	d = table.Dialect{Delimiter: r.delimiter, Decimal: r.decimal, Header: r.header, Transpose: r.transpose,
		Long: r.long, Words: words, Guess: true, Text: r.text, Missing: r.missing != absent.Error,
		Names: split(r.names), NA: split(r.na), Below: r.below}
	if r.skip != "" {
		_ = d.Skip.Add(r.skip) // which went well when it was set
	}
	if r.roles == "" {
		return d, 0
	}
	if d.ID = table.NoID; !strings.ContainsRune(r.roles, undecided) {
		d.Text = table.TextOneHot
	}
	for j, role := range []byte(r.roles) {
		column := itoa(j + 1)
		switch table.Role(role) {
		case table.AsData, undecided:
		case table.AsWeights:
			d.Weights = column
		case table.AsLabel:
			d.Label = column
		case table.AsID:
			id = j + 1
			fallthrough
		case table.AsKept:
			d.Keep = append(d.Keep, column)
			fallthrough
		default:
			d.Drop = append(d.Drop, column)
		}
	}
	return d, id
}

// split is the parts of a list with commas; nil for "".
func split(list string) (parts []string) {
	if list == "" {
		return nil
	}
	for part := range strings.SplitSeq(list, ",") {
		parts = append(parts, strings.TrimSpace(part))
	}
	return parts
}

// takeID makes ids of a column that was carried along.
func (f *found) takeID(id int) {
	at := 0
	for _, c := range f.Columns[:id-1] {
		if c.As == table.AsKept {
			at++
		}
	}
	t := f.Table
	t.IDColumn, t.IDName, t.IDs = id, t.KeptNames[at], make([]string, t.Rows)
	t.KeptNames = slices.Delete(t.KeptNames, at, at+1)
	for i, list := range t.Kept {
		t.IDs[i] = list[at]
		t.Kept[i] = slices.Delete(list, at, at+1)
	}
	if len(t.KeptNames) == 0 {
		t.Kept = nil
	}
}

// letters are the roles of all columns, as in reading.
func (f *found) letters() []byte {
	list := make([]byte, len(f.Columns))
	for j, c := range f.Columns {
		list[j] = byte(c.As)
	}
	for _, j := range f.undecided {
		list[j] = undecided
	}
	return list
}

// way is a change of an option that may help after an error.
type way struct{ text, option, value string }

// ways returns changes that let a file be read, as buttons for the page.
func (f *found) ways(err error) []way {
	says := func(text string) bool { return err != nil && strings.Contains(err.Error(), text) }
	switch {
	case len(f.undecided) > 0 && f.Table == nil:
		return f.roleWays()
	case f.bad != nil && f.bad.Below:
		return []way{{"Half of each limit", "below", "half"}, {"Entries below a limit are missing", "below", "missing"}}
	case f.bad != nil && f.bad.NA != nil && !strings.ContainsAny(strings.Join(f.bad.NA, ""), ",\t\n"):
		words := strings.Join(append(split(f.na), f.bad.NA...), ", ")
		return []way{{"Count " + view.Abridged(f.bad.NA) + " as missing", "na", words}}
	case says("missing value"):
		return []way{{"Leave these rows out", "missing", "drop"}, {"Take the means", "missing", "mean"},
			{"Fit what is there", "missing", "fit"}}
	case says(words.Transpose + " yes"):
		return []way{{"The columns are the samples", "transpose", "yes"}, {"The rows are the samples", "transpose", "no"}}
	case says(words.Long + " yes"):
		return []way{{"A row for each sample", "long", "yes"}, {"The lines are the rows", "long", "no"}}
	case says(words.Long + " no"):
		return []way{{"The lines are the rows", "long", "no"}}
	case says(words.Header + " yes"):
		return []way{{"Line 1 is a header", "header", "yes"}, {"Line 1 is a row", "header", "no"}}
	}
	return nil
}

// roleWays returns what columns of text can be.
func (f *found) roleWays() []way {
	out, hot, names, few := f.letters(), f.letters(), []string(nil), true
	for _, j := range f.undecided {
		out[j], hot[j] = byte(table.AsNothing), byte(table.AsData)
		names, few = append(names, f.Columns[j].Name), few && f.Columns[j].Classes
	}
	list := []way{{"Leave out " + view.Abridged(names), "roles", string(out)}}
	if few {
		list = append(list, way{"Make columns of 0 and 1", "roles", string(hot)})
	}
	if len(names) == 1 {
		label := f.letters()
		label[f.undecided[0]] = byte(table.AsLabel)
		list = append(list, way{"Take it for the labels", "roles", string(label)})
	}
	return list
}

// counted tells how much of a reader has been read.
type counted struct {
	io.Reader
	read, size int
	tell       tell
}

func (c *counted) Read(p []byte) (n int, err error) {
	if c.tell != nil {
		if err := c.tell(c.read, c.size); err != nil {
			return 0, err
		}
	}
	n, err = c.Reader.Read(p)
	c.read += n
	return n, err
}
