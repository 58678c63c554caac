package sparse

import (
	"bytes"
	"io"
	"math"
	"strconv"

	"softkmeans"
)

// svmlight is the rows so far.
type svmlight struct {
	*lines
	x      *softkmeans.SparseMatrix // columns as in the file
	least  int                      // the smallest column
	most   int                      // the largest column
	labels []float64
}

// readSVMLight reads rows of a label and entries index:value, of which the indices ascend.
// The columns are counted from 1, or from 0 if the file has a column 0. What follows # is
// a comment.
func readSVMLight(l *lines, columns int) (*Table, error) {
	s := &svmlight{lines: l, x: &softkmeans.SparseMatrix{Indptr: []int{0}}, least: math.MaxInt, most: -1}
	for {
		text, err := l.next()
		if err == io.EOF {
			return s.done(columns)
		}
		if err != nil {
			return nil, err
		}
		if at := bytes.IndexByte(text, '#'); at >= 0 {
			text = bytes.TrimSpace(text[:at])
		}
		if len(text) == 0 {
			continue
		}
		at, err := s.label(text)
		if err == nil {
			err = s.entries(text, at)
		}
		if err != nil {
			return nil, err
		}
		s.x.Indptr = append(s.x.Indptr, len(s.x.Data))
		s.x.Rows++
	}
}

// label reads the label, and returns where the entries begin.
func (s *svmlight) label(text []byte) (at int, err error) {
	v, at, err := s.number(text, 0, 1)
	if err != nil {
		if field := quoted(text, 0); bytes.IndexByte(field, ',') > 0 && isLabel(field) {
			return 0, s.fault(1, "several labels, "+quote(text, 0)+"; a row has one")
		}
		if bytes.IndexByte(quoted(text, 0), ':') >= 0 {
			return 0, s.fault(1, "the row begins with "+quote(text, 0)+", not with a label")
		}
		return 0, err
	}
	if math.Abs(v) >= 1<<53 {
		return 0, s.fault(1, "the label "+quote(text,
			0)+" is too large: from 2^53 on numbers lose digits, and classes would merge")
	}
	s.labels = append(s.labels, v)
	return at, nil
}

func (s *svmlight) entries(text []byte, at int) error {
	last := -1
	for field := 2; ; field++ {
		if at = skip(text, at); at == len(text) {
			return nil
		}
		if field == 2 && bytes.HasPrefix(text[at:], []byte("qid:")) {
			at += len(quoted(text, at))
			continue
		}
		j, end, ok := count(text, at)
		switch {
		case !ok && text[at]-'0' <= 9:
			return s.fault(field, quote(text, at)+" is a column above "+strconv.Itoa(math.MaxInt32))
		case !ok || end == len(text) || text[end] != ':':
			return s.fault(field, quote(text, at)+" is not of the form column:value")
		case j <= last:
			return s.fault(field,
				"column "+strconv.Itoa(j)+" after "+strconv.Itoa(last)+"; columns must ascend")
		case j == math.MaxInt32:
			return s.fault(field, quote(text, at)+" is a column above "+strconv.Itoa(math.MaxInt32-1))
		}
		v, end, err := s.number(text, end+1, field)
		if err != nil {
			return err
		}
		s.x.Indices, s.x.Data = append(s.x.Indices, j), append(s.x.Data, v)
		s.least, s.most = min(s.least, j), max(s.most, j)
		last, at = j, end
	}
}

// done finishes the table, of at least so many columns.
func (s *svmlight) done(columns int) (*Table, error) {
	switch {
	case s.x.Rows == 0:
		return nil, s.whole("there are no rows")
	case s.most < 0:
		return nil, s.whole("no row has an entry, so there are no columns")
	}
	s.x.Cols = s.most + 1
	note := "columns are counted from 0, since the file has a column 0"
	if s.least > 0 {
		note = "columns are counted from 1, since the file has no column 0"
		s.x.Cols--
		for t := range s.x.Indices {
			s.x.Indices[t]--
		}
	}
	if err := s.checkSize(s.x.Cols, len(s.x.Data), "columns"); err != nil {
		return nil, err
	}
	s.x.Cols = max(s.x.Cols, columns)
	return &Table{X: s.x, Labels: s.labels, Note: note}, nil
}
