package table

// The fourth stage: whether line 1 holds names, and line 2 units.

import (
	"bytes"
	"maps"
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
	s, head := p.survey, header{is: named || p.dialect.Header == HeaderYes}
	switch {
	case head.is || p.dialect.Header == HeaderNo:
	case p.known(fields):
		head.is = true
	case s != nil && len(s.lines) > 0:
		head = s.head
	default:
		head = p.detectHeader(fields)
	}
	if h.Header = head.is; head.ask != nil {
		return head.ask
	} else if head.note != "" {
		s.note(head.note)
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
	if !slices.ContainsFunc(line, func(f []byte) bool { return present(f) && !numeric(f) }) {
		return "the line after the header has the names of columns that line 1 does not name"
	}
	units := mapped(slices.DeleteFunc(slices.Clone(line), absent), shown)
	return Plural(n, "the line after the header is taken for units", "the "+strconv.Itoa(n)+
		" lines after the header are taken for units and the like") +
		" (" + strings.Join(units[:min(3, len(units))], ", ") + ", …) and left out"
}

// guessHeader finds out whether line 1 is a header. Columns of numbers below words make it one, and so do
// quotes that the rows do not have. A line of numbers alone is one if they rise and those of the rows do not.
func (p *parser) guessHeader(lines [][][]byte) (h header) {
	if p.survey.quoted && len(lines) > 1 || p.survey.names {
		return header{is: true}
	}
	first, rows := lines[0], lines[1:]
	p.width = len(first)
	below := p.columnsOf(rows)
	words, above, word := 0, 0, 0 // fields that are words; those above columns of numbers
	formed, out := 0, 0           // numbers with signs; numbers outside of the range of their column
	for j, f := range first {
		e, c := p.entry(f), &below[j]
		plain := e.number && e.form == 0
		switch data := c.numbers > 0 && !c.text(); {
		case e.noName(), plain && c.text(): // or the name of a column, as NA for sodium
		case plain:
			if h.numbers = append(h.numbers, e.v); e.v < c.least || e.v > c.most {
				out++
			}
		case data && e.number && e.form&^c.form == 0: // as those below
			formed++
		default:
			if words++; data && !e.number {
				above++
				word = j
			}
		}
	}
	switch n := len(h.numbers); {
	case n == 0:
		h.is = words > 0 && (formed == 0 || above > 0)
	case is("axis", shown(first[0])), above >= n:
		h.is = true
	default:
		if p.numericHeader(&h, first, rows, below, 2*out > n); above > 0 && !h.is {
			h.ask = p.noNames(first, word)
		}
	}
	return h
}

// numericHeader decides whether a line of numbers names the columns, as wavelengths, years or 0, 1, 2, … do.
// They rise or fall, and most rows do not, or not at equal steps as those of line 1 do. It is a header for
// certain if no row does, and there is more: many steps alike, a column without a name, numbers outside of
// their columns, a count above the names of rows. So are whole numbers that differ, above an axis in column 1.
func (p *parser) numericHeader(h *header, first [][]byte, rows [][][]byte, below []column, outside bool) {
	numbers, n := h.numbers, len(h.numbers)
	mirrored := slices.EqualFunc(p.survey.lines, first, func(line [][]byte, f []byte) bool { // as distances
		return bytes.Equal(bytes.TrimSpace(line[0]), bytes.TrimSpace(f))
	})
	if n < 3 || len(rows) == 0 || mirrored {
		return
	}
	setting, why := p.dialect.Words.Header, "rise"
	if !rises(numbers) {
		why = "fall"
	}
	shown := "(" + strconv.FormatFloat(numbers[0], 'g', -1, 64) + ", " +
		strconv.FormatFloat(numbers[1], 'g', -1, 64) + ", …)"
	ask := p.fault(-1, p.thisLine()+" may be a header of numbers "+shown+" or a row").advise(setting,
		"give "+setting+" yes or no", []string{setting, "yes"}, []string{setting, "no"})
	axis, counts, exact := below[0].axis(len(rows)), counting(numbers), exactAxis(numbers)
	beside := absent(first[0]) && len(axis) >= longAxis && !Counts(axis)
	other := func(v float64) bool { return v != math.Trunc(v) }
	ids := n == len(first)-1 && !slices.ContainsFunc(numbers, other) &&
		len(slices.Compact(slices.Sorted(slices.Values(numbers)))) == n
	same := howMany(rows, func(line [][]byte) bool { // rows of the same kind
		var row []float64
		for _, f := range line {
			if v, ok := p.value(f); ok {
				row = append(row, v)
			}
		}
		row = row[max(0, len(row)-n):]
		return len(row) == n && ordered(row) && rises(row) == rises(numbers) && (!exact || exactAxis(row))
	})
	switch {
	case beside && ids:
		h.is, why = true, "are above an axis in column 1"
	case !ordered(numbers):
		if beside {
			h.ask = ask
		}
	case 2*same > len(rows) && !(counts && same < len(rows)):
	case same == 0 && (exact || n >= longAxis && len(rows) >= leastTable && regular(numbers) && !counts ||
		counts && below[0].text() || (even(numbers) || n >= 5) && (slices.ContainsFunc(first, absent) || outside)):
		h.is, why = true, why+" "+shown+", and the numbers of no other line do"
	case same > 0 || n >= longAxis || even(numbers):
		h.ask = ask
	}
	if h.is {
		h.note = p.thisLine() + " is taken for a header: its numbers " + why +
			hint(setting, " no makes a row of it")
	}
}

func (p *parser) thisLine() string { return "line " + strconv.Itoa(p.split.Start) }

// mostHeadLines is how many lines a header may have below its names: loggers write units and kinds of means,
// and surveys write questions and keys.
const mostHeadLines = 4

// headLines counts the lines after line 1 that belong to the header, such as units. They have words, and no
// numbers, above columns of numbers. A row with a name may have words as well: one or two and no units, or a
// name with digits like the last row's.
// classes counts the lines below them that have classes of samples, which are columns then: they begin so, or
// have a name and a few words, each more than once.
func (p *parser) headLines(lines [][][]byte) (n, classes int) {
	width := len(lines[0])
	p.width = width
	for i := 2; i <= mostHeadLines && i < len(lines)-1 && absent(lines[0][0]) && repeats(lines[0]); i++ {
		if line := lines[i]; present(line[0]) && empty(line[1:]) { // the names of an index, as pandas writes
			return i, 0
		}
	}
	if len(lines) > 2 && sizes(lines[0], lines[1]) {
		return 1, 0
	}
	below := p.columnsOf(lines[min(mostHeadLines+1, max(2, len(lines)-leastTable), len(lines)):])
	for _, line := range lines[1:max(1, min(mostHeadLines+1, len(lines)-1))] {
		numbers, words, units, row, named := 0, map[string]int{}, true, false, false
		for j, f := range line[:min(width, len(line))] {
			f = bytes.TrimSpace(f)
			switch {
			case numeric(f) || p.entry(f).limit:
				numbers++
			case missing(f):
			case below[j].numbers > 0 && !below[j].text():
				words[string(f)]++
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
		kinds := slices.Collect(maps.Values(words))
		several := row && !named && !units && len(kinds) > 1 && slices.Min(kinds) > 1
		if len(line) == width && numbers == 0 && len(words) > 0 && (several || is("class", shown(line[0]))) {
			classes++
			continue
		}
		if classes > 0 || len(line) != width || numbers > 0 || len(words) == 0 || named ||
			row && len(words) < 3 && !units {
			break
		}
		n++
	}
	return n, classes
}

// sizes reports whether a line below the header has numbers that rise, where the header has no names but one of
// them all, and nothing else: sizes of grains, as the Mastersizer writes.
func sizes(head, line [][]byte) bool {
	var numbers []float64
	named := 0
	for j, f := range line[:min(len(line), len(head))] {
		v, err := parseFloat(bytes.TrimSpace(f))
		if present(f) && err != nil {
			return false
		}
		if present(f) {
			numbers = append(numbers, v)
			named += howMany(head[j:j+1], present)
		}
	}
	return len(numbers) >= longAxis && named < 2 && howMany(head, present) > 2 && Ordered(numbers)
}

// noNames is the error for a word among the numbers of line 1: a bad number must not turn a row into names.
func (p *parser) noNames(fields [][]byte, word int) *Error {
	_, err := p.number(p.entry(fields[word]), word)
	w := p.dialect.Words.Header
	return err.advise(w, "if "+p.thisLine()+" holds names: "+w+" yes", []string{w, "yes"})
}

// detectHeader decides without a survey whether the first line is a header: it is if none of its fields is a
// number or stands for a missing one. Empty fields, the label column and ignored columns do not count. A line
// with both words and numbers is an error.
func (p *parser) detectHeader(fields [][]byte) (h header) {
	numbers, words, word := 0, 0, 0
	for j, s := range fields {
		e := p.entry(s)
		if len(e.text) == 0 || p.roles[j] == roleLabel || p.roles[j] == roleNone {
			continue // a column of row names often has no name
		}
		if e.noName() || e.number && e.form == 0 {
			numbers++
		} else if words++; words == 1 {
			word = j
		}
	}
	if h.is = words > 0; h.is && numbers > 0 {
		h.ask = p.noNames(fields, word)
	}
	return h
}

// known reports whether line 1 has all names that the Dialect knows, or is a header by its Heads.
func (p *parser) known(fields [][]byte) bool {
	d, names := &p.dialect, mapped(fields, shown)
	return d.Heads != nil && d.Heads(names) || len(d.Known) > 0 && hasAll(names, d.Known)
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
	names := mapped(lines, func(line [][]byte) string { return string(bytes.TrimSpace(line[0])) })
	fraction := func(name string) bool {
		v, err := parseFloat([]byte(name))
		return err == nil && v != math.Trunc(v)
	}
	return len(Set(names)) == len(names) && !slices.ContainsFunc(names, fraction)
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

// orangeHead takes roles from the header of three lines that Orange writes: names, types, flags.
func (s *survey) orangeHead(d *Dialect) {
	if len(s.lines) < 4 || d.Header != HeaderAuto {
		return
	}
	names, types, flags := s.lines[0], s.lines[1], s.lines[2]
	other := func(kind string) func(f []byte) bool {
		return func(f []byte) bool { return !is(kind, string(f)) }
	}
	if len(types) != len(names) || len(flags) > len(names) || slices.ContainsFunc(types, other("orange type")) ||
		slices.ContainsFunc(flags, other("orange flag")) {
		return
	}
	said, given := "lines 2 and 3 are types and flags, as Orange writes them", Set(d.columns())
	for j, f := range flags {
		n, flag, role := strconv.Itoa(j+1), string(bytes.TrimSpace(f)), " is left out"
		switch {
		case flag == "" || given[n] || given[shown(names[j])] || flag == "class" && d.Label != "":
			continue
		case flag == "class":
			d.Label, role = n, " is the label"
		case flag[0] == 'm':
			d.carry(n)
			role = " is carried along"
		default:
			d.Drop = append(slices.Clone(d.Drop), n)
		}
		said += "; column " + n + role
	}
	s.orange, d.Header = 2, HeaderYes
	s.note(said)
}
