package table

import (
	"bytes"

	"softkmeans/internal/csv"
)

// surveySize is how many bytes of a text Guess looks at, and surveyRows how many rows.
const (
	surveySize = 1 << 18
	surveyRows = 2000
)

// survey is what the start of a text shows about its lines.
type survey struct {
	lines    [][][]byte      // the fields of the first lines that hold any, and of names in a comment
	first    int             // the place of the first of them in the text
	head     header          // what these show about line 1
	names    bool            // line 1 is the last comment before the others, and has as many fields
	skip     int             // bytes before the first line: that of Excel's sep=; and text of instruments
	skipped  int             // lines before it
	after    int             // bytes after the last line
	gct      bool            // samples are columns, by the form of the file
	about    bool            // the text there is about spectra
	comments [2][]byte       // the last two before line 1
	hash     bool            // lines that begin with # are comments
	short    bool            // line 1 has no name for the first column, as R writes
	units    int             // lines after the header that hold units and the like
	classes  int             // lines after these that have classes of the samples
	joined   bool            // they have names of columns
	orange   bool            // the lines after the header are types and flags, as Orange writes them
	quoted   bool            // line 1 has all fields in quotes, and no other line has
	quotes   []int           // how many of the lines have a field in quotes
	columns  []column        // what guessColumns has seen
	ask      *Error          // what cannot be guessed; nil: nothing
	cut      bool            // there are more rows
	seen     map[string]bool // the words of Dialect.NA that there are, and deleted
	notes    []string
}

// look surveys a text, and sets the delimiter and the decimal sign that d leaves open. It returns the start
// of the text that it looks at: as much, however it was read.
func look(text []byte, d *Dialect) (s *survey, start []byte) {
	s, start = &survey{seen: map[string]bool{}}, text
	if end := bytes.LastIndexByte(text[:min(len(text), surveySize)], '\n'); len(text) > surveySize && end >= 0 {
		start, s.cut = text[:end+1], true
	}
	text = start
	s.firstLine(text, d)
	s.dialect(text[s.skip:], d)
	text = text[s.skip:]
	if !s.cut && len(text)+s.skip < surveySize && d.Skip.none() { // it is whole
		s.after = s.footer(text, d.Delimiter)
		text = text[:len(text)-s.after]
	}
	s.findComments(text, d)
	s.lines = s.split(text, d.Delimiter, surveyRows)
	s.first += s.skipped
	s.cut = s.cut || len(s.lines) == surveyRows
	s.shape(d)
	s.orangeHead(d)
	s.decimal(text, d)
	s.namesAbove(d)
	return s, start
}

func (s *survey) left(rows [][][]byte, skip *Skip) (left [][][]byte) {
	for i, row := range rows {
		if !skip.has(i+1, i == len(rows)-1 && !s.cut) {
			left = append(left, row)
		}
	}
	return left
}

func (s *survey) note(text string) { s.notes = append(s.notes, text) }

// splitter splits text without the comments that s has found.
func (s *survey) splitter(text []byte, comma rune) csv.Splitter {
	split := csv.New(text, comma)
	split.Hash = s.hash
	return split
}

// split returns the first lines of text, up to one that is not CSV.
func (s *survey) split(text []byte, comma rune, most int) (lines [][][]byte) {
	split := s.splitter(text, comma)
	for len(lines) < most && split.Next() == nil {
		if fields := split.Fields; !empty(fields) && !ruled(fields) {
			if lines == nil {
				s.first = split.Start
			}
			s.quoted = (s.quoted || lines == nil) && (len(split.Quotes) == len(fields)) == (lines == nil)
			for _, j := range split.Quotes {
				s.quotes = append(s.quotes, make([]int, max(0, j+1-len(s.quotes)))...)
				s.quotes[j]++
			}
			lines = append(lines, mapped(fields, bytes.Clone))
		}
	}
	return lines
}
