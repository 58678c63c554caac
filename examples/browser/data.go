package main

// The table on the page: read, standardized, with its floors and its plane.

import (
	"bytes"
	"context"
	"errors"
	"strconv"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// The largest table. Reading and fitting make copies, and the memory of WebAssembly is
// at most 4 GB.
const (
	maxText   = 256 << 20 // bytes
	maxValues = 1 << 24
)

// words are the settings of the page in messages of the reader.
var words = table.Words{Delimiter: "another file", Header: "a header", Label: "the label column"}

// data is a table ready to be fitted. It is replaced, never changed.
type data struct {
	*table.Table
	set     *set // nil: a table of the user's
	guessed bool // the label column was guessed
	x       *softkmeans.Matrix
	scaling *scale.Scaling // of the columns, if standardized
	floors  []float64      // for k = 1, 2, …
	propose softkmeans.KProposal
	plane   view.Plane
	columns *view.Columns
}

// source is a text as it came from the page.
type source struct {
	name   string
	text   []byte
	set    *set
	labels []byte // of a set, one number on each line
}

// read parses the text. label is the name or number of the label column, "" for none,
// or "auto" for the only column of words, if there is one.
func (s *source) read(label string) (t *table.Table, guessed bool, err error) {
	if len(s.text) > maxText {
		return nil, false, errors.New(s.name + ": " + itoa(len(s.text)>>20) + " MB; the page reads up to " + itoa(maxText>>20) + " MB, the command line more")
	}
	auto := label == "auto"
	if auto {
		label = ""
	}
	if s.set != nil {
		t, err = s.readSet()
	} else if t, err = s.parse(label); err != nil && auto {
		var bad *table.Error
		if errors.As(err, &bad) && bad.Column > 0 {
			again, e := s.parse(itoa(bad.Column))
			if e == nil && allWords(again.Classes) {
				t, guessed, err = again, true, nil
			}
		}
	}
	if err != nil {
		return nil, false, placed(err)
	}
	if len(t.Data) > maxValues {
		return nil, false, errors.New(s.name + ": " + itoa(t.Rows) + " rows of " + itoa(len(t.Names)) + " numbers; the page takes up to " +
			itoa(maxValues) + " numbers, the command line more")
	}
	return t, guessed, nil
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

func (s *source) parse(label string) (*table.Table, error) {
	return table.Read(bytes.NewReader(s.text), s.name, table.Dialect{Label: label, Words: words})
}

// readSet reads a set that comes with the page. Its labels are in a second file.
func (s *source) readSet() (*table.Table, error) {
	t, err := table.Read(bytes.NewReader(s.text), s.name, table.Dialect{Header: table.HeaderNo})
	if err != nil {
		return nil, err
	}
	if len(t.Names) != len(s.set.columns) {
		return nil, errors.New(s.name + ": " + itoa(len(t.Names)) + " columns, not the " + itoa(len(s.set.columns)) + " of " + s.set.title)
	}
	t.Names = s.set.columns
	labels, err := table.Read(bytes.NewReader(s.labels), s.name+" (labels)", table.Dialect{Header: table.HeaderNo})
	if err != nil {
		return nil, err
	}
	if labels.Rows != t.Rows {
		return nil, errors.New(s.name + ": " + itoa(labels.Rows) + " labels for " + itoa(t.Rows) + " rows")
	}
	for i := range t.Rows {
		class := int(labels.Data[i*len(labels.Names)])
		if class < 0 || class >= len(s.set.classes) {
			return nil, errors.New(s.name + " (labels), line " + itoa(i+1) + ": there is no class " + itoa(class))
		}
		t.Class = append(t.Class, class)
	}
	t.Classes = s.set.classes
	return t, nil
}

func allWords(classes []string) bool {
	for _, s := range classes {
		if _, err := strconv.ParseFloat(s, 64); s == "" || err == nil || errors.Is(err, strconv.ErrRange) {
			return false
		}
	}
	return true
}

// columns returns the names of all columns of the text, including the label column.
func columns(t *table.Table) []string {
	if t.LabelColumn == 0 {
		return t.Names
	}
	at := t.LabelColumn - 1
	names := append([]string{}, t.Names[:at]...)
	return append(append(names, t.LabelName), t.Names[at:]...)
}

// prepare standardizes the table, if asked to, and computes its floors and its plane.
func prepare(t *table.Table, of *set, guessed, standardize bool) (*data, error) {
	var by *scale.Scaling
	if standardize {
		by = scale.Of(scale.ZScore, t.Data, len(t.Names), nil)
	}
	return prepareBy(by, t, of, guessed)
}

// prepareBy is prepare with a scaling of the columns, or nil.
func prepareBy(by *scale.Scaling, t *table.Table, of *set, guessed bool) (*data, error) {
	d := &data{Table: t, set: of, guessed: guessed, scaling: by}
	d.x = softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data)
	if by != nil {
		d.x = d.x.Clone()
		by.Apply(d.x.Data)
	}
	var err error
	if d.floors, err = softkmeans.Floors(context.Background(), d.x, nil); err != nil {
		return nil, err
	}
	if d.propose, err = softkmeans.ProposeK(d.floors); err != nil {
		return nil, err
	}
	d.columns = view.NewColumns(d.x, nil, d.Names)
	d.plane, err = view.NewPlane(d.x, nil)
	return d, err
}

// original returns a center in the units of the text.
func (d *data) original(center []float64) []float64 {
	out := append([]float64{}, center...)
	d.scaling.Undo(out)
	return out
}

// shown returns centers in the units of the text.
func (d *data) shown(centers *softkmeans.Matrix) *softkmeans.Matrix {
	clean := d.columns.Clean(centers)
	for i := range clean.Rows {
		d.scaling.Undo(clean.Row(i))
	}
	return clean
}

// clusters is the number of prototypes to fit: k or, if that is 0, the number of
// classes or the proposed number.
func (d *data) clusters(k int) int {
	switch {
	case k > 0:
	case d.set != nil:
		k = d.set.k
	case len(d.Classes) > 1 && len(d.Classes) <= 20:
		k = len(d.Classes)
	case d.propose.K > 0:
		k = d.propose.K
	default:
		k = 3
	}
	return min(k, maxK)
}
