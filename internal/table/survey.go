package table

import (
	"bytes"
	"io"
	"strings"
)

// surveySize is how many bytes of a text Guess looks at, and surveyRows how many rows.
const (
	surveySize = 1 << 18
	surveyRows = 2000
)

// survey is what the start of a text shows about its lines.
type survey struct {
	lines   [][][]byte // the fields of the first lines that hold any, without comments
	names   [][]byte   // those in the last comment before them, if they are as many; or nil
	skip    int        // bytes before the first line: that of Excel's sep=;
	hash    bool       // lines that begin with # are comments
	short   bool       // line 1 has no name for the first column, as R writes
	tail    bool       // all lines but the first end in a delimiter
	units   bool       // the line after the header holds units
	columns []column   // what guessColumns has seen
	notes   []string
}

// upTo reads on until text has size bytes, or until there is no more.
func (c *chunks) upTo(text []byte, size int) []byte {
	for len(text) < size {
		more, err := c.read(nil)
		if err != nil {
			break // the next read returns it again
		}
		text = append(text, more...)
	}
	return text
}

// look surveys a text, and sets the delimiter and the decimal sign of d where these are
// left open.
func look(text []byte, d *Dialect) *survey {
	s := new(survey)
	s.separator(text, d)
	text = text[s.skip:]
	comment := s.comments(text, d)
	if d.Delimiter == 0 {
		d.Delimiter = s.delimiter(text)
	}
	s.lines = s.split(text, d.Delimiter, surveyRows)
	s.shape()
	if d.Decimal == 0 && s.commas(d.Delimiter) {
		d.Decimal = ','
		s.note("the decimal sign is the comma")
	}
	if names := bytes.TrimLeft(comment, "# \t"); len(names) > 0 && len(s.lines) > 0 {
		if list := s.split(names, d.Delimiter, 1); len(list) == 1 && len(list[0]) == len(s.lines[0]) && len(list[0]) > 1 {
			s.names = list[0]
		}
	}
	return s
}

func (s *survey) note(text string) { s.notes = append(s.notes, text) }

// separator takes the delimiter from a first line such as sep=; which Excel reads.
func (s *survey) separator(text []byte, d *Dialect) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	word := strings.Trim(strings.TrimSpace(string(line)), `"`)
	if len(word) != 5 || !strings.EqualFold(word[:4], "sep=") && word != "sep=\t" {
		if len(line) > 8 || !bytes.HasPrefix(bytes.ToLower(line), []byte("sep=\t")) {
			return
		}
		word = "sep=\t"
	}
	if s.skip = len(line) + 1; s.skip > len(text) {
		s.skip = len(text)
	}
	if d.Delimiter == 0 && validComma(rune(word[4])) {
		d.Delimiter = rune(word[4])
	}
}

// comments finds out whether lines that begin with # are comments, and returns the last
// one before the first other line. They are not where nine lines of ten begin so.
func (s *survey) comments(text []byte, d *Dialect) (last []byte) {
	if d.Delimiter == '#' {
		return nil
	}
	hashes, others := 0, 0
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case isComment(line):
			if hashes++; others == 0 {
				last = line
			}
		default:
			others++
		}
	}
	if s.hash = hashes > 0 && hashes < 9*others; !s.hash {
		return nil
	}
	s.note("lines that begin with # are comments")
	return last
}

// split returns the fields of the first lines of text. It stops before a line that is
// not CSV.
func (s *survey) split(text []byte, comma rune, most int) (lines [][][]byte) {
	split := newSplitter(text, comma)
	split.hash = s.hash
	for len(lines) < most {
		if err := split.next(); err != nil {
			if err != io.EOF {
				break
			}
			return lines
		}
		if fields := split.fields; !empty(fields) {
			if n := len(fields); comma == ' ' && n > 1 && len(fields[n-1]) == 0 {
				fields = fields[:n-1]
			}
			lines = append(lines, cloned(fields))
		}
	}
	return lines
}

// cloned copies fields into memory of their own.
func cloned(fields [][]byte) [][]byte {
	size := 0
	for _, f := range fields {
		size += len(f)
	}
	text, list := make([]byte, 0, size), make([][]byte, len(fields))
	for j, f := range fields {
		text = append(text, f...)
		list[j] = text[len(text)-len(f):]
	}
	return list
}

// delimiter returns the first of tab, semicolon, comma and bar that splits all lines in
// as many fields, or the space, if nearly all fields between spaces are numbers.
// Otherwise line 1 decides.
func (s *survey) delimiter(text []byte) rune {
	const most = 100 // lines
	for _, comma := range "\t;,|" {
		if w, _ := widthOf(s.split(text, comma, most)); w > 1 {
			return comma
		}
	}
	lines := s.split(text, ' ', most)
	if w, _ := widthOf(lines); w > 1 {
		numbers, all := 0, 0
		for _, line := range lines[min(1, len(lines)-1):] {
			for _, f := range line {
				if all++; isNumber(f) || isNumber(bytes.Replace(f, []byte(","), []byte("."), 1)) || missing(f) {
					numbers++
				}
			}
		}
		if 2*numbers > all {
			return ' '
		}
	}
	line, _, _ := strings.Cut(strings.TrimLeft(string(text), "\r\n \t"), "\n")
	return guessDelimiter(line)
}

// widthOf returns the number of fields on all lines, and of the first if that has one
// less or one more. It returns 0 where they differ otherwise.
func widthOf(lines [][][]byte) (width, first int) {
	if len(lines) == 0 {
		return 0, 0
	}
	first = len(lines[0])
	width = first
	for i, line := range lines[1:] {
		if i == 0 {
			width = len(line)
		}
		if len(line) != width {
			return 0, first
		}
	}
	if width-first > 1 || width < first {
		return 0, first
	}
	return width, first
}

// shape finds out why line 1 has one field less than the others, if it does.
func (s *survey) shape() {
	width, first := widthOf(s.lines)
	if width == 0 || first == width {
		return
	}
	s.tail = true
	for _, line := range s.lines[1:] {
		s.tail = s.tail && len(bytes.TrimSpace(line[width-1])) == 0
	}
	if s.short = !s.tail; s.short {
		s.lines[0] = append([][]byte{nil}, s.lines[0]...)
		s.note("line 1 has one name less than the others have fields: column 1 has the names of the rows")
	} else {
		s.lines[0] = append(s.lines[0], nil)
	}
}

// commas reports whether the decimal sign is the comma. Numbers such as 1,5 or 1.234,5
// say so, those such as 1.5 or 1,234.5 deny it. One such as 1,234 may be either, and says
// so where the comma is not the delimiter.
func (s *survey) commas(delimiter rune) bool {
	commas, points, either := 0, 0, 0
	for _, line := range s.lines {
		for _, f := range line {
			if bytes.IndexAny(f, ",.") < 0 {
				continue
			}
			asComma, has := plainer(f, ',')
			comma := isNumber(asComma)
			asPoint, _ := plainer(f, '.')
			switch point := isNumber(asPoint); {
			case comma && !point:
				commas++
			case point && !comma:
				points++
			case point && has&formGroups == 0: // 1,234, not 1.234
				either++
			}
		}
	}
	return points == 0 && (commas > 0 || either > 0 && delimiter != ',')
}
