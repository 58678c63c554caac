package table

// The fourth stage: whether line 1 holds names, and line 2 units.

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
)

// header contains the evidence about line 1: whether it holds names, and why.
type header struct {
	is      bool      // it holds names
	ask     *Error    // it may
	note    string    // why numbers are names
	numbers []float64 // on it
}

// findHeader decides whether line 1 is a header, and notes the lines of units below it. named reports that a
// column was found by its name there.
func (p *parser) findHeader(fields [][]byte, named bool, h *Head) error {
	s := p.survey
	switch {
	case named || p.dialect.Header == HeaderYes || p.dialect.Header == HeaderAuto && p.known(fields):
		h.Header = true
	case p.dialect.Header == HeaderAuto && s != nil && len(s.lines) > 0:
		if h.Header = s.head.is; s.head.ask != nil {
			return s.head.ask
		} else if s.head.note != "" {
			s.note(s.head.note)
		}
	case p.dialect.Header == HeaderAuto:
		var err *Error
		if h.Header, err = p.detectHeader(fields); err != nil {
			return err
		}
	}
	if s != nil && (!h.Header || s.orange > 0) {
		s.units = 0
	} else if s != nil && s.units > 0 {
		s.note(noteHeadLines(s.units, s.lines[1]))
	}
	return nil
}

// noteHeadLines returns a note that n lines below the header are left out, with the first words of one of them.
func noteHeadLines(n int, line [][]byte) string {
	var units []string
	for _, s := range line {
		if present(s) && len(units) < 3 {
			units = append(units, shown(s))
		}
	}
	return Plural(n, "the line after the header is taken for units", "the "+strconv.Itoa(n)+
		" lines after the header are taken for units and the like") + " (" + strings.Join(units, ", ") +
		", …) and left out"
}

// guessHeader finds out whether line 1 is a header. Columns of numbers below words make it one, and so do
// quotes that the rows do not have. A line of numbers alone is one if they rise and those of the rows do not.
func (p *parser) guessHeader(lines [][][]byte) (h header) {
	if p.survey.quoted || p.survey.names {
		return header{is: true}
	}
	first, rows := lines[0], lines[1:]
	p.width = len(first)
	below := p.columnsOf(rows)
	words, above, word := 0, 0, 0 // fields that are words; those above columns of numbers
	formed := 0                   // numbers with signs
	for j, f := range first {
		f = p.halved(bytes.TrimSpace(f))
		switch text := p.withPoint(f); {
		case missing(f): // or the name of a column, as NA for sodium
		case isNumber(text):
			v, _ := parseFloat(text)
			if !below[j].text() {
				h.numbers = append(h.numbers, v)
			}
		case below[j].numbers > 0 && !below[j].text():
			if text, has := plainer(f, p.dialect.Decimal); !isNumber(text) ||
				has&^below[j].form&formUnit != 0 {
				above++
				word = j
			} else if has != 0 && has&^below[j].form == 0 {
				formed++ // a number, written as those below
				continue
			}
			words++
		default:
			words++
		}
	}
	switch n := len(h.numbers); {
	case n == 0:
		h.is = words > 0 && (formed == 0 || above > 0)
	case is("axis", shown(first[0])) && (above > 0 || Ordered(h.numbers)):
		h.is = true
	case above == 0:
		p.numericHeader(&h, first, rows, below)
	case above >= n, p.outside(h.numbers, first, below), exactAxis(h.numbers):
		h.is = true
	default:
		h.ask = p.noNames(first, word)
	}
	return h
}

// outside reports whether numbers are in order, and most of them outside of the range of their column.
func (p *parser) outside(numbers []float64, first [][]byte, below []column) bool {
	n := 0
	for j, f := range first {
		if v, ok := p.value(f); ok && (v < below[j].least || v > below[j].most) {
			n++
		}
	}
	return len(numbers) >= 3 && ordered(numbers) && 2*n > len(numbers)
}

// numericHeader decides whether a line of numbers names the columns, as wavelengths, years or 0, 1, 2, … do.
// They rise or fall, and most rows do not, or not at equal steps as those of line 1 do. It is a header for
// certain if no row does, and there is more: many steps alike, a column without a name, numbers beyond those
// of the rows, a count above the names of rows. So it is above an axis in column 1, if no two are alike.
func (p *parser) numericHeader(h *header, first [][]byte, rows [][][]byte, below []column) {
	numbers := h.numbers
	n, unnamed := len(numbers), false
	for j, f := range first {
		unnamed = unnamed || absent(f) && below[j].numbers > 0
	}
	is, setting := "rise", p.dialect.Words.Header
	if n < 3 || len(rows) == 0 || p.mirrored() {
		return
	}
	if n == len(first)-1 && absent(first[0]) && numbered(numbers, below[0].axis(len(rows))) {
		h.is, h.note = true, p.thisLine()+" is taken for a header: its numbers are above an axis in column 1"+
			hint(setting, " no makes a row of it")
		return
	}
	shown := "(" + strconv.FormatFloat(numbers[0], 'g', -1, 64) + ", " +
		strconv.FormatFloat(numbers[1], 'g', -1, 64) + ", …)"
	ask := p.fault(-1, p.thisLine()+" may be a header of numbers "+shown+" or a row").advise(setting,
		"give "+setting+" yes or no", []string{setting, "yes"}, []string{setting, "no"})
	if !ordered(numbers) {
		if unnamed && absent(first[0]) && below[0].rising && below[0].numbers >= longAxis { // ids above an axis
			h.ask = ask
		}
		return
	}
	if !rises(numbers) {
		is = "fall"
	}
	exact, counts, same := exactAxis(numbers), counting(numbers), 0 // rows of the same kind
	var row []float64
	for _, line := range rows {
		row = row[:0]
		for j, f := range line[:min(len(line), len(first))] {
			if v, ok := p.value(f); ok && trimmedNumber(p.withPoint(first[j])) {
				row = append(row, v)
			}
		}
		if len(row) == n && ordered(row) && rises(row) == rises(numbers) && (!exact || exactAxis(row)) {
			same++
		}
	}
	switch {
	case 2*same > len(rows) && !(counts && same < len(rows)):
	case same == 0 && (exact || n >= longAxis && len(rows) >= leastTable && regular(numbers) && !counts ||
		counts && below[0].text() || (even(numbers) || n >= 5) && (unnamed || p.outside(numbers, first, below))):
		h.is = true
		h.note = p.thisLine() + " is taken for a header: its numbers " + is + " " + shown +
			", and the numbers of no other line do" + hint(setting, " no makes a row of it")
	case same > 0 || counts || n >= longAxis || n >= 5 && even(numbers):
		h.ask = ask
	}
}

// numbered reports whether numbers of samples, whole and no two alike, are above an axis.
func numbered(numbers, axis []float64) bool {
	whole := func(v float64) bool { return v == math.Trunc(v) }
	numbers = slices.Sorted(slices.Values(numbers))
	return howMany(numbers, whole) == len(numbers) && len(slices.Compact(numbers)) == len(numbers) &&
		len(axis) >= leastTurned && regular(axis) && !Counts(axis)
}

func (p *parser) thisLine() string { return "line " + strconv.Itoa(p.split.Start) }

// mirrored reports whether line 1 is the first column, as in a table of distances.
func (p *parser) mirrored() bool {
	lines := p.survey.lines
	return slices.EqualFunc(lines, lines[0], func(line [][]byte, f []byte) bool {
		return bytes.Equal(bytes.TrimSpace(line[0]), bytes.TrimSpace(f))
	})
}

// mostHeadLines is how many lines a header may have below its names: loggers write units and kinds of means,
// and surveys write questions and keys.
const mostHeadLines = 4

// headLines counts the lines after line 1 that belong to the header, such as units. They have words, and no
// numbers, above columns of numbers. A row with a name may have words as well: one or two and no units, or a
// name with digits like the last row's.
// classes reports that such a line has the classes of samples, which are columns then.
func (p *parser) headLines(lines [][][]byte) (n int, classes bool) {
	width := len(lines[0])
	p.width = width
	for i := 2; i <= mostHeadLines && i < len(lines)-1 && absent(lines[0][0]) && repeats(lines[0]); i++ {
		if line := lines[i]; present(line[0]) && empty(line[1:]) { // the names of an index, as pandas writes
			return i, false
		}
	}
	below := p.columnsOf(lines[min(mostHeadLines+1, max(2, len(lines)-leastTable), len(lines)):])
	for _, line := range lines[1:max(1, min(mostHeadLines+1, len(lines)-1))] {
		numbers, words, units, row, named := 0, map[string]bool{}, true, false, false
		for j, f := range line[:min(width, len(line))] {
			f = bytes.TrimSpace(f)
			text, _ := plainer(f, p.dialect.Decimal)
			_, _, limit := p.limit(f)
			switch {
			case isNumber(p.withPoint(f)) || isNumber(text) || limit:
				numbers++
			case missing(f):
			case below[j].numbers > 0 && !below[j].text():
				words[string(f)] = true
				units = units && isUnit(f)
			case below[j].words > 0:
				row = true
				if last := lines[len(lines)-1]; j < len(last) {
					shape, digits := shapeOf(string(f))
					other, _ := shapeOf(string(bytes.TrimSpace(last[j])))
					named = named || digits && shape == other
				}
			}
		}
		index := n > 0 && row && absent(lines[0][0]) && len(words) == 0 // pandas names the rows so
		classes = numbers == 0 && len(words) > 0 && is("class", shown(line[0]))
		if classes || len(line) != width || numbers > 0 || len(words) == 0 && !index ||
			row && len(words) < 3 && !units || named {
			break
		}
		n++
	}
	return n, classes
}

// noNames is the error for a word among the numbers of line 1: a bad number must not turn a row into names.
func (p *parser) noNames(fields [][]byte, word int) *Error {
	_, err := p.number(fields, word)
	w := p.dialect.Words.Header
	return err.advise(w, "if "+p.thisLine()+" holds names: "+w+" yes", []string{w, "yes"})
}

// detectHeader decides without a survey whether the first line is a header: it is if none of its fields is a
// number or stands for a missing one. Empty fields, the label column and ignored columns do not count. A line
// with both words and numbers is an error.
func (p *parser) detectHeader(fields [][]byte) (bool, *Error) {
	numbers, words, word := 0, 0, 0
	for j, s := range fields {
		if s = p.halved(bytes.TrimSpace(s)); len(s) == 0 || p.roles[j] == roleLabel ||
			p.roles[j] == roleNone {
			continue // a column of row names often has no name
		}
		if isNumber(p.withPoint(s)) || missing(s) {
			numbers++
		} else if words++; words == 1 {
			word = j
		}
	}
	if words > 0 && numbers > 0 {
		return false, p.noNames(fields, word)
	}
	return words > 0, nil
}

// known reports whether line 1 has all names that the Dialect knows, or is a header by its Heads.
func (p *parser) known(fields [][]byte) bool {
	names := mapped(fields, shown)
	if p.dialect.Heads != nil && p.dialect.Heads(names) {
		return true
	}
	return len(p.dialect.Known) > 0 && hasAll(names, p.dialect.Known)
}

func hasAll(names, wanted []string) bool {
	there := Set(names)
	return !slices.ContainsFunc(wanted, func(name string) bool { return !there[name] })
}

// shape finds out why line 1 has one field less or more than the others, if it does. An empty last field that not
// all lines have does not count.
func (s *survey) shape(d *Dialect) {
	if len(s.lines) < 2 {
		return
	}
	n, rows := len(s.lines[0]), s.lines[1:]
	fewer := howMany(rows, func(line [][]byte) bool { return len(line) == n-1 && n > 1 && present(line[n-2]) })
	ended := howMany(rows, func(line [][]byte) bool { return len(line) == n && absent(line[n-1]) })
	if n > 2 && absent(s.lines[0][n-1]) && fewer > 0 && fewer+ended == len(rows) {
		n--
		s.lines[0] = s.lines[0][:n]
	}
	if !slices.ContainsFunc(rows, func(line [][]byte) bool { return len(line) == n+1 && present(line[n]) }) {
		for i, line := range rows {
			rows[i] = within(line, n)
		}
		return
	}
	if slices.ContainsFunc(rows, func(line [][]byte) bool { return len(line) != n+1 }) {
		return // an error follows: the lines differ in length
	}
	other := func(f []byte) bool { return len(bytes.Trim(f, "0123456789")) > 0 || len(f) == 0 }
	if n == 1 && d.Delimiter == ',' && d.Decimal == 0 && !slices.ContainsFunc(slices.Concat(rows...), other) {
		f := rows[0]
		s.ask = &Error{Msg: "the comma of " + string(f[0]) + "," + string(f[1]) +
			" may be a delimiter or the decimal sign"}
		s.ask.advise(d.Words.Decimal, "give "+d.Words.Decimal+" comma or "+d.Words.Delimiter+" ,",
			[]string{d.Words.Decimal, "comma"}, []string{d.Words.Delimiter, ","})
	}
	if !different(rows) {
		return
	}
	if absent(s.lines[0][0]) { // a blank corner is the place of names
		s.lines[0] = append(s.lines[0], nil)
		return
	}
	s.short, s.lines[0] = true, slices.Insert(s.lines[0], 0, []byte{})
	s.note("line " + strconv.Itoa(s.skipped+1) + " has one name less than the others have fields: " +
		"column 1 has the names of the rows")
}

// within is a line without an empty field after the last column.
func within(fields [][]byte, width int) [][]byte {
	if len(fields) == width+1 && absent(fields[width]) {
		return fields[:width]
	}
	return fields
}

// different reports whether the first fields of lines can be names: all differ and are whole or no numbers.
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

// rowAlone reports whether a line cannot be a header, since it has numbers that do not rise.
func rowAlone(line [][]byte) bool {
	var numbers []float64
	for _, f := range line {
		if v, err := parseFloat(bytes.TrimSpace(f)); err == nil {
			numbers = append(numbers, v)
		}
	}
	return len(numbers) > 0 && (len(numbers) < 3 || !rises(numbers))
}

// namesQuoted reports whether line 1 alone is in quotes, as R and softkmeans-convert write names.
func (s *survey) namesQuoted(text []byte, comma rune) bool {
	split := s.splitter(text, comma)
	line := 0
	for line < surveyRows && split.Next() == nil {
		if empty(split.Fields) {
			continue
		}
		if all := split.Quotes == len(split.Fields); all != (line == 0) {
			return false
		}
		line++
	}
	return line > 1
}

// orangeHead takes roles from the header of three lines that Orange writes: names, types, flags.
func (s *survey) orangeHead(d *Dialect) {
	if len(s.lines) < 4 || d.Header != HeaderAuto {
		return
	}
	for i, kind := range []string{"orange type", "orange flag"} {
		line := s.lines[i+1]
		other := func(f []byte) bool { return !is(kind, string(f)) }
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
			d.carry(n)
			said += "; column " + n + " is carried along"
		case "ignore", "i":
			d.Drop = append(slices.Clone(d.Drop), n)
			said += "; column " + n + " is left out"
		}
	}
	s.orange, d.Header = 2, HeaderYes
	s.note(said)
}
