package table

// The fourth stage: whether line 1 holds names, and line 2 units.

import (
	"bytes"
	"maps"
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

// findHeader decides whether line 1 is a header, and notes the lines of units below it. named reports
// that a column was found by its name there.
func (p *parser) findHeader(fields [][]byte, named bool, h *Head) error {
	s, d, names := p.survey, &p.dialect, mapped(fields, shown)
	known := d.Heads != nil && d.Heads(names) || len(d.Known) > 0 && hasAll(names, d.Known)
	var head header
	switch {
	case named, d.Header != Auto, known:
		head.is = named || d.Header != No
	case len(s.lines) > 0:
		head = s.head
	default:
		head.is = p.allWords(fields)
	}
	if h.Header = head.is; head.ask != nil {
		return head.ask
	} else if head.note != "" {
		s.note(head.note)
	}
	if !h.Header {
		s.units = 0
	} else if s.units > 0 {
		note := noteHeadLines(s.units, s.lines[1])
		if s.orange {
			note = "lines 2 and 3 are types and flags, as Orange writes them"
		}
		s.note(note)
	}
	return nil
}

// noteHeadLines returns a note that n lines below the header belong to it, with the first words of one
// of them.
func noteHeadLines(n int, line [][]byte) string {
	words := mapped(slices.DeleteFunc(slices.Clone(line), absent), shown)
	return Plural(n, "the line after the header is", "the "+strconv.Itoa(n)+" lines after the header are") +
		" taken for names or units (" + strings.Join(words[:min(3, len(words))], ", ") + ", …)"
}

// guessHeader finds out whether line 1 is a header. Columns of numbers below words make it one, and so
// do quotes that the rows do not have. A line of numbers alone is one if they rise and those of the rows
// do not.
func (p *parser) guessHeader(lines [][][]byte) (h header) {
	if p.survey.quoted && len(lines) > 1 || p.survey.names {
		return header{is: true}
	}
	first, rows := lines[0], lines[1:]
	p.width = len(first)
	below := p.columnsOf(rows)
	words, above, word := 0, 0, 0 // fields that are words; those above columns of numbers
	out := 0                      // numbers outside of the range of their column
	for j, f := range first {
		e, c := p.entry(f), &below[j]
		data := c.numbers > 0 && !c.text()
		plain := e.number && (e.form == 0 || data && e.form&^c.form == 0) // as those below
		switch {
		case e.noName(), plain && c.text(): // or the name of a column, as NA for sodium
		case plain:
			if h.numbers = append(h.numbers, e.v); e.v < c.least || e.v > c.most {
				out++
			}
		default:
			if words++; data && !e.number {
				above++
				word = j
			}
		}
	}
	switch n := len(h.numbers); {
	case n == 0:
		h.is = words > 0
	case is("axis", shown(first[0])), above >= n:
		h.is = true
	default:
		if p.numericHeader(&h, first, rows, below, 2*out > n); above > 0 && !h.is {
			_, h.ask = p.number(p.entry(first[word]), word) // a bad number must not turn a row into names
			w := p.dialect.Words.Header
			h.ask.advise(w, "if "+p.thisLine()+" holds names: "+w+" yes", []string{w, "yes"})
		}
	}
	return h
}

// numericHeader decides whether a line of numbers names the columns, as wavelengths, years or 0, 1, 2, …
// do. They rise or fall, and most rows do not, or not at equal steps as those of line 1 do. It is a
// header for certain if no row does, and there is more: many steps alike, a column without a name,
// numbers outside of their columns, a count above the names of rows. Others above an axis without a name
// are a question.
func (p *parser) numericHeader(h *header, first [][]byte, rows [][][]byte, below []column, outside bool) {
	numbers, n, ask := h.numbers, len(h.numbers), false
	mirrored := slices.EqualFunc(p.survey.lines, first, func(line [][]byte, f []byte) bool { // as distances
		return bytes.Equal(bytes.TrimSpace(line[0]), bytes.TrimSpace(f))
	})
	if n < 3 || len(rows) == 0 || mirrored {
		return
	}
	axis, counts, exact := below[0].axis(len(rows)), Counts(numbers), exactAxis(numbers)
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
	case !ordered(numbers):
		ids := below[0].text() && below[0].different && len(Set(mapped(first, shown))) == len(first)
		ask = ids && idName(shown(first[0])) || absent(first[0]) && // as above numbers of OTUs
			(ids && n >= longAxis || len(axis) >= longAxis && !Counts(axis))
	case 2*same > len(rows) && !(counts && same < len(rows)):
	default:
		h.is = same == 0 && (exact || n >= longAxis && len(rows) >= leastTable && regular(numbers) && !counts ||
			counts && below[0].text() ||
			(even(numbers) || n >= 5) && (slices.ContainsFunc(first, absent) || outside))
		ask = same > 0 || n >= longAxis || even(numbers)
	}
	w, form := p.dialect.Words.Header, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch shown := "(" + form(numbers[0]) + ", " + form(numbers[1]) + ", …)"; {
	case h.is:
		h.note = p.thisLine() + " is taken for a header: its numbers rise or fall " + shown +
			", and the numbers of no other line do" + hint(w, " no makes a row of it")
	case ask:
		h.ask = p.fault(-1, p.thisLine()+" may be a header of numbers "+shown+" or a row").advise(w,
			"give "+w+" yes or no", []string{w, "yes"}, []string{w, "no"})
	}
}

func (p *parser) thisLine() string { return "line " + strconv.Itoa(p.split.Start) }

// mostHeadLines is how many lines a header may have below its names: loggers write units and kinds of
// means, and surveys write questions and keys.
const mostHeadLines = 4

// headLines counts the lines after line 1 that belong to the header, such as units. They have words, and
// no numbers, above columns of numbers. A row with a name may have words as well: one or two and no
// units, or a name with digits like the last row's. classes counts the lines below them that have
// classes of samples, which are columns then: they begin so, or have a name and a few words, each more
// than once.
func (p *parser) headLines(lines [][][]byte) (n, classes int) {
	p.width = len(lines[0])
	switch {
	case p.survey.orange:
		return 2, 0
	case len(lines) > 2 && completes(lines[0], lines[1]):
		return 1, 0
	}
	for i := 2; i <= mostHeadLines && i < len(lines)-1 && absent(lines[0][0]) && repeats(lines[0]); i++ {
		if line := lines[i]; present(line[0]) && empty(line[1:]) { // the names of an index, as pandas writes
			return i, 0
		}
	}
	below := p.columnsOf(lines[min(mostHeadLines+1, max(2, len(lines)-leastTable), len(lines)):])
	for _, line := range lines[1:max(1, min(mostHeadLines+1, len(lines)-1))] {
		words, units, row, named := map[string]int{}, true, false, false
		if len(line) != p.width {
			break
		}
		for j, f := range line {
			f = bytes.TrimSpace(f)
			switch {
			case numeric(f) || p.entry(f).limit:
				return n, classes
			case missing(f):
			case below[j].numbers > 0 && !below[j].text():
				words[string(f)]++
				units = units && isUnit(f)
			case below[j].words > 0:
				row = true
				shape, digits := shapeOf(string(f))
				other, _ := shapeOf(below[j].values[len(below[j].values)-1])
				named = named || digits && shape == other
			}
		}
		kinds := slices.Collect(maps.Values(words))
		joined, _ := joinedNames(mapped(lines[0], shown), line)
		unique := repeats(lines[0]) && len(Set(joined)) == p.width // they are several measurements of each name
		several := row && !named && !units && !unique && len(kinds) > 1 && slices.Min(kinds) > 1
		switch {
		case len(words) > 0 && (several || is("class", shown(line[0]))):
			classes++
		case classes > 0 || len(words) == 0 || named || row && len(words) < 3 && !units && !unique:
			return n, classes
		default:
			n++
		}
	}
	return n, classes
}

// completes reports whether a line below the header has names where the header has none but one, as the
// Mastersizer writes sizes of grains.
func completes(head, line [][]byte) bool {
	both := 0
	for j, f := range line[:min(len(line), len(head))] {
		if present(f) && present(head[j]) {
			both++
		}
	}
	return howMany(line, present) >= longAxis && both < 2 && howMany(head, present) > 2
}

// allWords reports whether a line is a header, without a survey: none of its fields is a number or
// stands for a missing one. Empty fields, the label column and ignored columns do not count.
func (p *parser) allWords(fields [][]byte) bool {
	var words []entry
	for j, f := range fields {
		if present(f) && p.roles[j] != roleLabel && p.roles[j] != roleNone { // row names often have none
			words = append(words, p.entry(f))
		}
	}
	other := func(e entry) bool { return e.noName() || e.number && e.form == 0 }
	return len(words) > 0 && !slices.ContainsFunc(words, other)
}

func hasAll(names, wanted []string) bool {
	there := Set(names)
	return !slices.ContainsFunc(wanted, func(name string) bool { return !there[name] })
}

// shape finds out why lines have one field more than line 1, or than others, if they do. Empty last fields
// that not all lines have do not count.
func (s *survey) shape(d *Dialect) {
	if len(s.lines) < 2 {
		return
	}
	least := slices.Min(mapped(s.lines, func(line [][]byte) int { return len(line) }))
	ended := func(line [][]byte) bool {
		return len(line) == least && present(line[least-1]) || len(line) > least && empty(line[least:])
	}
	if howMany(s.lines, ended) == len(s.lines) {
		s.lines = mapped(s.lines, func(line [][]byte) [][]byte { return within(line, least) })
		return
	}
	first, rows := s.lines[0], s.lines[1:]
	longer := func(line [][]byte) bool { return len(line) == len(first)+1 }
	c := &(&parser{layout: &layout{dialect: *d, survey: s, width: 1}}).columnsOf(rows)[0]
	one := c.gaps == 0 || c.gaps == 1 && len(rows) >= 8 // NA may be a name
	switch names := c.different && one && (c.text() || c.whole); {
	case howMany(rows, longer) < len(rows), len(first) == 1 && !c.text(),
		!names && !(c.text() && absent(first[0])):
		// an error follows: the lines differ in length, or the comma may be the decimal sign
	case absent(first[0]): // a blank corner is the place of names
		s.lines[0] = append(first, nil)
	default:
		s.short, s.lines[0] = true, slices.Insert(first, 0, []byte{})
		s.note("line " + strconv.Itoa(s.skipped+1) + " has one name less than the others have fields: " +
			"column 1 has the names of the rows")
	}
}

// within is a line without empty fields after the last column.
func within(fields [][]byte, width int) [][]byte {
	if len(fields) > width && empty(fields[width:]) {
		return fields[:width]
	}
	return fields
}

// orangeHead takes roles from the header of three lines that Orange writes: names, types, flags.
func (s *survey) orangeHead(d *Dialect) {
	if len(s.lines) < 4 || d.Header != Auto {
		return
	}
	names, types, flags := s.lines[0], s.lines[1], s.lines[2]
	all := func(kind string, line [][]byte) bool {
		return !slices.ContainsFunc(line, func(f []byte) bool { return !is(kind, string(f)) })
	}
	if len(types) != len(names) || len(flags) > len(names) ||
		!all("orange type", types) || !all("orange flag", flags) {
		return
	}
	s.orange, s.joined, d.Header = true, true, Yes // types are no units
	given := Set(d.columns())
	for j, f := range flags {
		n, flag, role := strconv.Itoa(j+1), shown(f), "left out"
		switch {
		case flag == "" || given[n] || given[shown(names[j])] || flag == "class" && d.Label != "":
			continue
		case flag == "class":
			d.Label, role = n, "the label"
		case flag[0] == 'm':
			d.carry(n)
			role = "carried along"
		default:
			d.Drop = append(slices.Clone(d.Drop), n)
		}
		s.note("column " + n + " is " + role + ", as Orange writes: " + flag)
	}
}
