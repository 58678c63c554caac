package rows

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"softkmeans"
	"softkmeans/internal/sparse"
	"softkmeans/internal/table"
)

// Sparse is a table of which only some entries are stored.
type Sparse struct {
	table.Head
	X       *softkmeans.SparseMatrix
	Weights []float64 // of every row, if there is a column of weights
	Class   []int     // of every row, if there are labels: an index into Classes
	Classes []string
	IDs     []string // of every row, if a file beside it has them

	full bool // there are no entries that the file lacks
}

// mostFilled is the largest number of entries of a sparse file with all zeros: 1 GB.
const mostFilled = 1 << 27

// kindOfSparse is what messages call these files.
const kindOfSparse = "a sparse file"

// readSparse reads a sparse file and takes the columns that are data. Labels of svmlight
// are the classes, unless a column is.
func readSparse(c content, source string, d table.Dialect) (*Sparse, error) {
	if d.ID != "" && d.ID != table.NoID || len(d.Keep) > 0 {
		return nil, fmt.Errorf("%s: a sparse file has numbers alone; ids and columns to carry along "+
			"need a CSV file", source)
	}
	t, err := sparse.Read(c, source, c.sparse, d.Least)
	if err != nil {
		return nil, err
	}
	s := &Sparse{Head: table.Head{Source: source}, X: t.X, full: t.Full}
	if c.sparse == sparse.MatrixMarket {
		if err := s.name(&d); err != nil {
			return nil, err
		}
	} else if d.Transpose == table.Yes {
		return nil, fmt.Errorf("%s: the rows of svmlight have labels and cannot be turned", source)
	}
	if d.Label != "" || d.Weights != "" || len(d.Drop) > 0 || d.Pick != nil || d.Names != nil {
		if err := s.choose(d); err != nil {
			return nil, err
		}
	} else {
		s.Names = make([]string, s.X.Cols)
		for j := range s.Names {
			s.Names[j] = table.Column(j)
		}
	}
	s.Bare = true
	if strings.HasPrefix(t.Note, "columns are counted from 0") {
		t.Note += ", which is c1 here; -drop and the like count from 1"
	}
	if t.Labels != nil && s.Class == nil {
		s.Class, s.Classes = classesOf(t.Labels)
		s.LabelColumn, s.LabelName, s.LabelFirst = 1, "label", true
		s.Notes = append(s.Notes, "the first field of a row is its label, which is no data; "+t.Note)
	} else if t.Note != "" {
		s.Notes = append(s.Notes, t.Note)
	}
	return s, nil
}

func (s *Sparse) choose(d table.Dialect) error {
	err := numbered(s.Source, kindOfSparse, append([]string{d.Label, d.Weights}, d.Drop...))
	if d.Names == nil && err != nil {
		return err
	}
	layout, err := table.NewLayout(s.Source, s.X.Cols, d)
	if err != nil {
		return err
	}
	head := s.Head
	s.Head = layout.Head
	s.Notes, s.Turned, s.IDColumn, s.IDName = head.Notes, head.Turned, head.IDColumn, head.IDName
	x := s.X
	var rows, columns []int
	var values []float64
	labels := make([]float64, x.Rows)
	if s.WeightsColumn > 0 {
		s.Weights = make([]float64, x.Rows)
	}
	for i := range x.Rows {
		for t := x.Indptr[i]; t < x.Indptr[i+1]; t++ {
			v := x.Data[t]
			switch place, label, weight := layout.Column(x.Indices[t]); {
			case place >= 0:
				rows, columns, values = append(rows, i), append(columns, place), append(values, v)
			case label:
				labels[i] = v
			case weight && v < 0:
				return fmt.Errorf("%s: row %d, column %d: the weight %v is not at least 0",
					s.Source, i+1, s.WeightsColumn, v)
			case weight:
				s.Weights[i] = v
			}
		}
	}
	if s.LabelColumn > 0 {
		s.Class, s.Classes = classesOf(labels)
	}
	s.X, err = softkmeans.SparseFromTriples(x.Rows, len(s.Names), rows, columns, values)
	return err
}

// Fill writes row i with all its zeros to dst.
func (s *Sparse) Fill(dst []float64, i int) {
	clear(dst)
	for t := s.X.Indptr[i]; t < s.X.Indptr[i+1]; t++ {
		dst[s.X.Indices[t]] = s.X.Data[t]
	}
}

// Table returns the table with all its zeros, up to 1 GB.
func (s *Sparse) Table() (*table.Table, error) {
	rows, cols := s.X.Rows, s.X.Cols
	if rows > mostFilled/cols && !s.full {
		return nil, fmt.Errorf("%s: %d rows of %d columns take %.3g GB with all their zeros, more than 1",
			s.Source, rows, cols, 8e-9*float64(rows)*float64(cols))
	}
	t := &table.Table{Head: s.Head, Rows: rows, Data: make([]float64, rows*cols), Class: s.Class,
		Classes: s.Classes, Weights: s.Weights, IDs: s.IDs}
	for i := range rows {
		s.Fill(t.Data[i*cols:(i+1)*cols], i)
	}
	return t, nil
}

func (s *Sparse) reader(compressed bool) *reader {
	at, from, cols := 0, 0, s.X.Cols
	read := func(dst []float64, class []int) (n int, err error) {
		if at == s.X.Rows {
			return 0, io.EOF
		}
		for from = at; at < s.X.Rows && (n+1)*cols <= len(dst); n++ {
			if s.Fill(dst[n*cols:(n+1)*cols], at); class != nil {
				class[n] = s.Class[at]
			}
			at++
		}
		return n, nil
	}
	texts := func() (ids []string, _ [][]string) {
		if s.IDs != nil {
			ids = s.IDs[from:at]
		}
		return ids, nil
	}
	return &reader{s.Head, compressed, s, read, func() []string { return s.Classes }, texts, func() {}}
}

// readSparseClasses reads the labels of svmlight, or a column, as classes.
func readSparseClasses(c content, source, column string) (*table.Classes, error) {
	t, err := sparse.Read(c, source, c.sparse, 0)
	if err != nil {
		return nil, err
	}
	if t.Labels != nil && column == "" {
		return classTable(source, "label", t.Labels), nil
	}
	at, err := classColumn(source, kindOfSparse, column, t.X.Cols)
	if err != nil {
		return nil, err
	}
	labels := make([]float64, t.X.Rows)
	for i := range labels {
		lo, hi := t.X.Indptr[i], t.X.Indptr[i+1]
		if n, ok := slices.BinarySearch(t.X.Indices[lo:hi], at-1); ok {
			labels[i] = t.X.Data[lo+n]
		}
	}
	return classTable(source, table.Column(at-1), labels), nil
}
