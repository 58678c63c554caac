package table

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// surveySize is how many bytes of a text Guess looks at, and surveyRows how many rows.
const (
	surveySize = 1 << 18
	surveyRows = 2000
)

// survey is what the start of a text shows about its lines.
type survey struct {
	lines   [][][]byte      // the fields of the first lines that hold any, without comments
	names   [][]byte        // those in the last comment before them, if they are as many; or nil
	skip    int             // bytes before the first line: that of Excel's sep=; and text of instruments
	skipped int             // lines before it
	after   int             // bytes after the last line
	gct     bool            // samples are columns, by the form of the file
	about   bool            // the text there is about spectra
	hash    bool            // lines that begin with # are comments
	short   bool            // line 1 has no name for the first column, as R writes
	tail    bool            // all lines but the first end in a delimiter
	trail   byte            // what begins a comment at the end of a line; 0: nothing
	units   bool            // the line after the header holds units
	orange  int             // lines after the header that hold what Orange writes there
	quoted  bool            // line 1 has all fields in quotes, and no other line has
	columns []column        // what guessColumns has seen
	doubt   []byte          // the first number such as 1.234, which may be 1234; nil: there is none
	doubted int             // its line
	ask     *Error          // what cannot be guessed; nil: nothing
	cut     bool            // there are more rows
	deleted bool            // there are deleted channels
	seen    map[string]bool // the words of Dialect.NA that there are
	notes   []string
}

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

// look surveys a text, and sets the delimiter and the decimal sign that d leaves open.
func look(text []byte, d *Dialect) *survey {
	s := &survey{seen: map[string]bool{}}
	if end := bytes.LastIndexByte(text[:min(len(text), surveySize)], '\n'); len(text) > surveySize &&
		end >= 0 {
		text, s.cut = text[:end+1], true // as much, however it was read
	}
	s.separator(text, d)
	if line, rest, _ := bytes.Cut(text, []byte("\n")); slices.Contains(gctMarks, string(bytes.TrimSpace(line))) {
		s.skip, s.skipped, s.gct = len(line)+1+bytes.IndexByte(rest, '\n')+1, 2, true // the sizes
	}
	guess := d.Delimiter == 0
	s.dialect(text[s.skip:], d)
	text = text[s.skip:]
	if len(text)+s.skip < surveySize && d.Skip.none() { // it is whole
		s.after = s.footer(text, d.Delimiter)
		text = text[:len(text)-s.after]
	}
	comment := s.comments(text, d)
	if guess && s.trailing(text) {
		d.Delimiter = 0
		s.dialect(text, d)
	}
	s.lines = s.split(text, d.Delimiter, surveyRows)
	s.cut = s.cut || len(s.lines) == surveyRows
	s.hashes(text, d.Delimiter)
	s.quoted = s.namesQuoted(text, d.Delimiter)
	s.shape(d)
	s.orangeHead(d)
	if d.Decimal == 0 && s.commas(d.Delimiter) {
		d.Decimal, s.doubt = ',', nil
		s.note("the decimal sign is the comma")
	}
	if s.doubt != nil {
		before := text[:max(0, bytes.Index(text, s.doubt))]
		s.doubted = 1 + s.skipped + bytes.Count(before, []byte("\n"))
	}
	s.namesAbove(comment, d)
	return s
}

// namesAbove takes names from the last comment before the rows. There may be # before each, and
// several tabs between them.
func (s *survey) namesAbove(comment []byte, d *Dialect) {
	list := s.split(bytes.TrimLeft(comment, "# \t"), d.Delimiter, 1)
	if d.Header != HeaderAuto || len(list) == 0 || len(s.lines) == 0 || !rowAlone(s.lines[0]) {
		return
	}
	names, width := list[0], len(s.lines[0])
	if len(names) != width {
		names = slices.DeleteFunc(names, absent)
	}
	if n := len(names); n > 0 && isComment(names[n-1]) {
		for j, f := range names {
			names[j] = bytes.TrimLeft(f, "# ")
		}
	}
	if len(names) == width && width > 1 {
		s.names = names
	}
}

func (s *survey) below() int {
	if s.units {
		return 1
	}
	return s.orange
}

func (s *survey) left(rows [][][]byte, skip *Skip) (left [][][]byte) {
	if skip.none() {
		return rows
	}
	for i, row := range rows {
		if !skip.has(i+1, i == len(rows)-1 && !s.cut) {
			left = append(left, row)
		}
	}
	return left
}

func (s *survey) note(text string) { s.notes = append(s.notes, text) }

// separator takes the delimiter from a first line such as sep=; which Excel reads.
func (s *survey) separator(text []byte, d *Dialect) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	word := bytes.Trim(line, "\r \"") // but no tab: it may be the delimiter
	if len(word) != 5 || !bytes.EqualFold(word[:4], []byte("sep=")) || word[4] >= utf8.RuneSelf {
		return
	}
	s.skip, s.skipped = min(len(line)+1, len(text)), 1
	if d.Delimiter == 0 && validComma(rune(word[4])) {
		d.Delimiter = rune(word[4])
	}
}

// rowAlone: a line cannot be a header, since it has numbers that do not rise.
func rowAlone(line [][]byte) bool {
	var numbers []float64
	for _, f := range line {
		if v, err := parseFloat(bytes.TrimSpace(f)); err == nil {
			numbers = append(numbers, v)
		}
	}
	return len(numbers) > 0 && (len(numbers) < 3 || !rises(numbers))
}

// hashes looks at the comments again, once the delimiter is known. Some may be rows whose ids begin with #:
// they have as many fields as the last line, and a number. If such comments are as many as the other lines,
// they are rows. If they are fewer, the user is asked.
func (s *survey) hashes(text []byte, comma rune) {
	if !s.hash || len(s.lines) == 0 {
		return
	}
	all := survey{}
	for isComment(text) { // those before the first line are none
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	lines, rows, first := all.split(text, comma, surveyRows), 0, []byte(nil)
	width := len(s.lines[len(s.lines)-1])
	for _, line := range lines {
		if len(line) == width && width > 1 && isComment(line[0]) &&
			slices.ContainsFunc(line[1:], trimmedNumber) {
			if rows++; rows == 1 {
				first = line[0]
			}
		}
	}
	switch {
	case rows == 0:
	case rows >= len(s.lines)-1:
		s.hash, s.lines, s.notes = false, lines, nil
	default:
		s.ask = &Error{Msg: Count(rows, "line") +
			" with as many numbers as the rows begin with #, the first with " + quote(string(first)) +
			": remove them if they are comments, or put the field in quotes if they are rows"}
	}
}

// comments finds out whether lines that begin with # are comments, and returns the last
// one before the first other line. They are none if they are nine lines of ten.
func (s *survey) comments(text []byte, d *Dialect) (last []byte) {
	if d.Delimiter == '#' {
		return nil
	}
	hashes, others := 0, 0
	for line := range bytes.Lines(text) {
		switch {
		case absent(line):
		case isComment(line):
			if hashes++; others == 0 {
				last = bytes.TrimSuffix(line, []byte("\n"))
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

// trailing finds comments at the ends of lines, after ; # % or |: what is before the sign are as many
// numbers with decimal points on each line, with commas, tabs or spaces between them, and what
// follows it is no number on any.
func (s *survey) trailing(text []byte) bool {
	for _, sign := range []byte(";#%|") {
		for _, comma := range "\t, " {
			lines := s.split(text, rune(sign), 100)
			width := 0
			other := func(line [][]byte) bool {
				if len(line) != 2 || trimmedNumber(line[1]) || missing(bytes.TrimSpace(line[1])) {
					return true
				}
				fields := bytes.Split(bytes.TrimSpace(line[0]), []byte(string(comma)))
				if width == 0 {
					width = len(fields)
				}
				points := howMany(fields, func(f []byte) bool { return bytes.IndexByte(f, '.') >= 0 })
				return points < 2 || len(fields) != width || howMany(fields, trimmedNumber) < width
			}
			if len(lines) > 1 && !slices.ContainsFunc(lines, other) {
				s.trail = sign
				s.note("what follows " + string(rune(sign)) + " on a line is a comment")
				return true
			}
		}
	}
	return false
}

// orangeTypes and orangeFlags are the words of the second and third line of a table of Orange.
var (
	orangeTypes = []string{"d", "discrete", "c", "continuous", "s", "string", "t", "time"}
	orangeFlags = []string{"", "class", "meta", "ignore", "i", "m"}
)

// orangeHead takes roles from the header of three lines that Orange writes: names, types, flags.
func (s *survey) orangeHead(d *Dialect) {
	if len(s.lines) < 4 || d.Header != HeaderAuto {
		return
	}
	for i, words := range [][]string{orangeTypes, orangeFlags} {
		line := s.lines[i+1]
		other := func(f []byte) bool { return !slices.Contains(words, string(bytes.TrimSpace(f))) }
		if len(line) != len(s.lines[0]) && (i == 0 || len(line) > len(s.lines[0])) ||
			slices.ContainsFunc(line, other) {
			return
		}
	}
	said := "lines 2 and 3 are types and flags, as Orange writes them"
	given := Set(d.columns())
	for j, f := range s.lines[2] {
		n := strconv.Itoa(j + 1)
		if given[n] || given[shown(s.lines[0][j])] {
			continue
		}
		switch string(bytes.TrimSpace(f)) {
		case "class":
			if d.Label == "" {
				d.Label = n
				said += "; column " + n + " is the label"
			}
		case "meta", "m":
			d.Keep, d.Drop = append(slices.Clone(d.Keep), n), append(slices.Clone(d.Drop), n)
			said += "; column " + n + " is carried along"
		case "ignore", "i":
			d.Drop = append(slices.Clone(d.Drop), n)
			said += "; column " + n + " is left out"
		}
	}
	s.orange, d.Header = 2, HeaderYes
	s.note(said)
}

func (s *survey) splitter(text []byte, comma rune) splitter {
	split := newSplitter(text, comma)
	split.hash, split.trail = s.hash, s.trail
	return split
}

// split returns the first lines of text, up to one that is not CSV.
func (s *survey) split(text []byte, comma rune, most int) (lines [][][]byte) {
	split := s.splitter(text, comma)
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
			lines = append(lines, mapped(fields, bytes.Clone))
		}
	}
	return lines
}

// namesQuoted: line 1 alone is in quotes. R and softkmeans-convert write names so.
func (s *survey) namesQuoted(text []byte, comma rune) bool {
	split := s.splitter(text, comma)
	line := 0
	for line < surveyRows && split.next() == nil {
		if empty(split.fields) {
			continue
		}
		if all := split.quotes == len(split.fields); all != (line == 0) {
			return false
		}
		line++
	}
	return line > 1
}

// widthOf counts fields. The width is 0 if lines differ, but the first may have one field less.
func widthOf(lines [][][]byte) (width, first int) {
	if len(lines) == 0 {
		return 0, 0
	}
	first = len(lines[0])
	width = len(lines[min(1, len(lines)-1)])
	other := func(line [][]byte) bool { return len(line) != width }
	if width-first > 1 || width < first || slices.ContainsFunc(lines[1:], other) {
		return 0, first
	}
	return width, first
}

// shape finds out why line 1 has one field less than the others, if it does.
func (s *survey) shape(d *Dialect) {
	width, first := widthOf(s.lines)
	if width == 0 || first == width {
		return
	}
	if width == 2 && d.Delimiter == ',' && d.Decimal == 0 && wholes(s.lines[1:]) {
		f := s.lines[1]
		s.ask = &Error{Msg: "the comma of " + string(f[0]) + "," + string(f[1]) +
			" may be a delimiter or the decimal sign"}
		s.ask.advise(d.Words.Decimal, "give "+d.Words.Decimal+" comma or "+d.Words.Delimiter+" ,",
			[]string{d.Words.Decimal, "comma"}, []string{d.Words.Delimiter, ","})
	}
	s.tail = !slices.ContainsFunc(s.lines[1:], func(line [][]byte) bool { return present(line[width-1]) })
	if !s.tail && !different(s.lines[1:]) {
		return // an error follows: the lines differ in length
	}
	if s.short = !s.tail; s.short {
		s.lines[0] = append([][]byte{nil}, s.lines[0]...)
		s.note("line " + strconv.Itoa(s.skipped+1) + " has one name less than the others have fields: " +
			"column 1 has the names of the rows")
	} else {
		s.lines[0] = append(s.lines[0], nil)
	}
}

func wholes(lines [][][]byte) bool {
	return !slices.ContainsFunc(slices.Concat(lines...), func(f []byte) bool {
		return len(bytes.Trim(f, "0123456789")) > 0 || len(f) == 0
	})
}

// different: the first fields can be names, since all differ and are whole or no numbers.
func different(lines [][][]byte) bool {
	seen := map[string]bool{}
	for _, line := range lines {
		f := bytes.TrimSpace(line[0])
		if v, err := parseFloat(f); seen[string(f)] || err == nil && v != math.Trunc(v) {
			return false
		}
		seen[string(f)] = true
	}
	return true
}

// commas reports whether the decimal sign is the comma. Numbers such as 1,5 or 1.234,5
// say so, those such as 1.5 or 1,234.5 deny it. doubt is one such as 1,234, where the comma
// is not the delimiter, or as 1.234 beside semicolons, if no other says which sign it is.
func (s *survey) commas(delimiter rune) bool {
	commas, points := 0, 0
	lines := s.lines
	if len(lines) > 1 && !slices.ContainsFunc(lines[0], trimmedNumber) { // names, such as 0.5 µm
		lines = lines[1:]
	}
	for _, line := range lines {
		for _, f := range line {
			if f = bytes.TrimLeft(f, "<≤= "); bytes.IndexAny(f, ",.") < 0 {
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
			case s.doubt == nil && point && (has&formGroups == 0 && delimiter != ',' ||
				has&formGroups != 0 && delimiter == ';'):
				s.doubt = f
			}
		}
	}
	if points > 0 {
		s.doubt = nil
	}
	return points == 0 && commas > 0
}
