package table

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// column is what a survey shows about a column of the rows.
type column struct {
	numbers, words, gaps int
	whole                bool // all numbers are whole
	rising, consecutive  bool // every number is above the last; by 1
	different            bool // all fields differ that are not empty
	amounts              int  // words such as 0.5 mg and <0.1
	least, most          float64
	form                 form
	percents             int    // numbers with a percent sign
	bare                 string // the first other than 0 without one
	dates                int
	below                int            // entries such as <4
	units                map[string]int // behind numbers, how often; nil: none
	zeros                int            // that have none
	unit, currency       string         // that of the numbers; "": none
	mixed                bool           // the numbers have several units
	values               []string       // different fields, in order of appearance, at most mostValues + 1
	last                 float64
}

// mostValues is how many values a column may have that becomes columns of 0 and 1.
const mostValues = 50

func (p *parser) columnsOf(lines [][][]byte) []column {
	columns := make([]column, p.width)
	for j := range columns {
		c := &columns[j]
		*c = column{whole: true, rising: true, consecutive: true, different: true}
		seen := map[string]bool{}
		for _, line := range lines {
			if j >= len(line) {
				continue
			}
			f := bytes.TrimSpace(line[j])
			c.add(p, f)
			if len(f) == 0 {
				continue
			}
			if c.different = c.different && !seen[string(f)]; c.different {
				seen[string(f)] = true
			}
		}
		c.settleUnits()
	}
	return columns
}

func (c *column) add(p *parser, f []byte) {
	if s := p.survey; s != nil {
		s.deleted = s.deleted || p.isDeleted(f)
		if word := p.naWord(f); word != "" {
			s.seen[word] = true
		}
	}
	_, _, limit := p.limit(f)
	if limit {
		c.below++
	}
	if f = p.settled(f); missing(f) {
		c.gaps++
		return
	}
	if limit && p.dialect.Below == BelowError { // an error, which the parser tells
		c.numbers++
		c.whole = false
		return
	}
	if len(c.values) <= mostValues {
		if word := string(utf8Text(f)); !slices.Contains(c.values, word) {
			c.values = append(c.values, word)
		}
	}
	text, has := p.withPoint(f), form(0)
	if !isNumber(text) {
		if text, has = plainer(f, p.dialect.Decimal); !isNumber(text) {
			if text, _ = plainer(f, ','); isNumber(text) { // a slip, which the parser tells
				c.numbers++
				c.whole = false
				return
			}
			c.words++
			if isDate(f) {
				c.dates++
			} else if isAmount(f) {
				c.amounts++
			}
			return
		}
	}
	c.form |= has
	c.addUnit(f, has)
	v, _ := parseFloat(text)
	if v == 0 && has&formUnit == 0 {
		c.zeros++
	}
	if has&formPercent != 0 {
		c.percents++
	} else if v != 0 && c.bare == "" {
		c.bare = string(utf8Text(f))
	}
	if c.numbers > 0 {
		c.rising = c.rising && v > c.last
		c.consecutive = c.consecutive && v == c.last+1
	}
	if c.numbers == 0 {
		c.least, c.most = v, v
	}
	c.least, c.most = min(c.least, v), max(c.most, v)
	c.whole = c.whole && v == math.Trunc(v)
	c.last = v
	c.numbers++
}

// text: the column holds words rather than numbers with slips, of which the parser tells.
func (c *column) text() bool { return c.words > 0 && c.words >= c.numbers }

// isAmount is for a number with a unit after it or a sign such as < before it.
func isAmount(f []byte) bool {
	number, _, _ := bytes.Cut(bytes.TrimLeft(f, "<>~≤≥ "), []byte(" "))
	return len(number) > 0 && len(number) < len(f) && isNumber(number)
}

// isDate is for 2020-01-31, 31.1.2020 or 1/31/20, with or without a time.
func isDate(f []byte) bool {
	f, _, _ = bytes.Cut(f, []byte("T"))
	f, _, _ = bytes.Cut(f, []byte(" "))
	for _, sign := range []string{"-", ".", "/"} {
		parts := strings.Split(string(f), sign)
		if len(parts) != 3 {
			continue
		}
		return !slices.ContainsFunc(parts, func(part string) bool {
			n, err := strconv.Atoi(part)
			return err != nil || n < 0 || len(part) > 4
		})
	}
	return false
}

// guessHeader decides whether line 1 is a header. Columns of numbers below words make it one, and so do
// quotes that the rows do not have. A line of numbers alone is one if they rise and those of the rows do not.
func (p *parser) guessHeader(first [][]byte) (bool, error) {
	if p.survey.quoted {
		return true, nil
	}
	rows := p.survey.lines[1:]
	below := p.columnsOf(rows)
	words, above, word := 0, 0, 0 // fields that are words; those above columns of numbers
	formed := 0                   // numbers with signs
	var numbers []float64         // of line 1
	for j, f := range first {
		if f = p.halved(bytes.TrimSpace(f)); p.roles[j] == roleLabel || p.roles[j] == roleNone ||
			len(f) == 0 {
			continue
		}
		switch text := p.withPoint(f); {
		case missing(f): // or the name of a column, as NA for sodium
		case isNumber(text):
			v, _ := parseFloat(text)
			if !below[j].text() {
				numbers = append(numbers, v)
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
	switch {
	case len(numbers) == 0:
		return words > 0 && (formed == 0 || above > 0), nil
	case above > 0 && isSpectral(shown(first[0])):
		return true, nil
	case above > 0 && above < len(numbers) && !p.outside(numbers, first, below) && !exactAxis(numbers):
		// A bad number in the first row must not turn the row into names.
		_, err := p.number(first, word)
		w := p.dialect.Words.Header
		return false, err.advise(w, "if "+p.thisLine()+" holds names: "+w+" yes", []string{w, "yes"})
	case above > 0:
		return true, nil
	}
	return p.numericHeader(numbers, first, rows, below)
}

// outside is for numbers in order, most of which are outside of the range of their column.
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
// of the rows, a count above the names of rows.
func (p *parser) numericHeader(numbers []float64, first [][]byte, rows [][][]byte,
	below []column) (bool, error) {
	n, unnamed := len(numbers), false
	for j, f := range first {
		unnamed = unnamed || absent(f) && below[j].numbers > 0
	}
	is, header := "rise", p.dialect.Words.Header
	if n < 3 || len(rows) == 0 || p.mirrored() {
		return false, nil
	}
	shown := "(" + strconv.FormatFloat(numbers[0], 'g', -1, 64) + ", " +
		strconv.FormatFloat(numbers[1], 'g', -1, 64) + ", …)"
	ask := p.fault(-1, p.thisLine()+" may be a header of numbers "+shown+" or a row").advise(header,
		"give "+header+" yes or no", []string{header, "yes"}, []string{header, "no"})
	if !ordered(numbers) {
		if unnamed && absent(first[0]) && below[0].rising && below[0].numbers >= longAxis { // ids above an axis
			return false, ask
		}
		return false, nil
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
		return false, nil
	case same == 0 && (exact || n >= longAxis && len(rows) >= leastTable && regular(numbers) && !counts ||
		counts && below[0].text() || (even(numbers) || n >= 5) && (unnamed || p.outside(numbers, first, below))):
		p.survey.note(p.thisLine() + " is taken for a header: its numbers " + is + " " + shown +
			", and those of no other line do" + hint(header, " no makes a row of it"))
		return true, nil
	case same == 0 && !counts && n < longAxis && !(n >= 5 && even(numbers)):
		return false, nil
	}
	return false, ask
}

func (p *parser) thisLine() string { return "line " + strconv.Itoa(p.split.start) }

// mirrored reports whether line 1 is the first column, as in a table of distances.
func (p *parser) mirrored() bool {
	lines := p.survey.lines
	return slices.EqualFunc(lines, lines[0], func(line [][]byte, f []byte) bool {
		return bytes.Equal(bytes.TrimSpace(line[0]), bytes.TrimSpace(f))
	})
}

// unitsBelow reports whether line 2 holds units: it has no number, and the lines below have.
func (p *parser) unitsBelow() bool {
	lines := p.survey.lines
	if len(lines) < 3 || len(lines[1]) != p.width {
		return false
	}
	if brackets, rule := p.marked(); brackets || rule {
		return true
	}
	below := p.columnsOf(lines[2:])
	units := 0
	for j, f := range lines[1] {
		f = bytes.TrimSpace(f)
		numeric := below[j].numbers > 0 && !below[j].text()
		text, _ := plainer(f, p.dialect.Decimal)
		switch {
		case isNumber(p.withPoint(f)) || isNumber(text):
			return false
		case numeric && !missing(f):
			units++
		case !numeric && below[j].words > 0 && !missing(f):
			return false // a row with a name
		}
	}
	return units > 0
}

// marked reports whether all fields of line 2 that are there are in brackets, as units are, or whether it is
// a rule, such as |---|:--|.
func (p *parser) marked() (brackets, rule bool) {
	line := p.survey.lines[1]
	n := howMany(line, func(f []byte) bool { return bytes.ContainsAny(f[:min(1, len(f))], "([") && !numeric(f) })
	dashes := !slices.ContainsFunc(line, func(f []byte) bool { return len(bytes.Trim(f, "-=:+ ")) > 0 })
	return n > 1 && n == howMany(line, present), dashes && bytes.Contains(bytes.Join(line, nil), []byte("---"))
}

// guessColumns finds the columns that are not data: those of ids, and empty ones. It returns an error that
// names the columns of text that are left. wanted has the names that Pick asks for, if it does.
func (p *parser) guessColumns(rows [][][]byte, names []string, wanted []string, h *Head) error {
	if s := p.survey.doubt; s != nil && p.dialect.Decimal == 0 {
		e := p.fault(-1, Printable(string(s))+" may be a number of thousands or one with three decimals").
			advise(p.dialect.Words.Decimal,
				"say which the decimal sign is: "+p.dialect.Words.Decimal+" comma or point",
				[]string{p.dialect.Words.Decimal, "comma"}, []string{p.dialect.Words.Decimal, "point"})
		e.Line = p.survey.doubted
		return e
	}
	columns := p.columnsOf(rows)
	p.survey.columns = columns
	p.forms = mapped(columns, func(c column) form { return c.form })
	p.units = mapped(columns, func(c column) string { return c.unit })
	p.plain = p.plain && !slices.ContainsFunc(p.units, func(unit string) bool { return unit != "" })
	sorted := slices.Sorted(slices.Values(wanted))
	free := func(j int) bool {
		if p.roles[j] != 0 {
			return false
		}
		_, is := slices.BinarySearch(sorted, names[j])
		hot, _ := slices.BinarySearch(sorted, names[j]+"=") // the first of the names that begin so
		return !is && !(hot < len(sorted) && strings.HasPrefix(sorted[hot], names[j]+"="))
	}
	written := columns
	if p.dialect.NA != nil { // 99 may be missing in a column, and an id
		l := *p.layout
		l.dialect.NA = nil
		written = (&parser{layout: &l}).columnsOf(rows)
		for j := range written {
			if written[j].text() && !columns[j].text() {
				written[j] = columns[j]
			}
		}
	}
	p.guessIDs(written, free, names, h, wanted != nil)
	p.guessPositions(columns, free, names, h)
	var hollow []string
	for j := range columns {
		c := &columns[j]
		if free(j) && p.kept != nil && p.kept[j] && c.text() && p.dialect.Text != TextOneHot {
			p.roles[j] = roleNone // text that is carried along
		}
		if free(j) && c.numbers >= 5 && c.words+c.gaps == 0 && c.least == 100 && c.most == 100 && p.width > 3 &&
			wanted == nil {
			p.roles[j] = roleNone
			p.survey.note(p.columnName(j, names) + " is left out: it is always 100")
		}
		if free(j) && c.numbers+c.words == 0 && len(rows) > 0 && wanted == nil {
			p.roles[j] = roleNone
			if h.Header && names[j] != Column(j) && !unnamed(names[j]) {
				hollow = append(hollow, strconv.Itoa(j+1)+" ("+names[j]+")")
			}
		}
	}
	if hollow != nil {
		p.survey.note(Plural(len(hollow), "column ", "columns ") + someOf(hollow) +
			Plural(len(hollow), " is", " are") + " empty and left out")
	}
	if wanted != nil {
		return p.unwanted(columns, free, wanted)
	}
	if p.dialect.Text == TextOneHot {
		p.guessValues(columns, names)
	}
	if h.Header {
		p.noteOthers(columns, names)
	}
	p.noteForms(columns, names)
	p.noteMended(columns, names)
	return p.settleTexts(columns, names)
}

// guessPositions finds columns of numbers without a name beside names that are an axis, such as
// the positions of spectra on a map. They are carried along.
func (p *parser) guessPositions(columns []column, free func(int) bool, names []string, h *Head) {
	var at []int
	var axis []float64
	for j, name := range names {
		if !free(j) || p.kept != nil && p.kept[j] {
			continue
		}
		v, err := parseFloat(p.withPoint([]byte(name)))
		switch {
		case err == nil:
			axis = append(axis, v)
		case (name == Column(j) || unnamed(name)) && columns[j].words == 0 && columns[j].numbers > 0:
			at = append(at, j)
		default:
			return
		}
	}
	if !h.Header || at == nil || len(axis) < 5 || !ordered(axis) {
		return
	}
	if p.kept == nil {
		p.kept = make([]bool, p.width)
	}
	var list []string
	for _, j := range at {
		p.kept[j], p.roles[j] = true, roleNone
		list = append(list, strconv.Itoa(j+1))
	}
	p.survey.note(Plural(len(at), "column ", "columns ") + strings.Join(list, ", ") +
		Plural(len(at), " has", " have") +
		" no name beside numbers as names: no data, but carried along as positions")
}

// unwanted is the error for columns of numbers to the right of those picked by their places alone.
func (p *parser) unwanted(columns []column, free func(int) bool, wanted []string) error {
	last := p.width - 1
	for last >= 0 && free(last) {
		last--
	}
	for j := last + 1; j < p.width && p.header == nil; j++ {
		if columns[j].numbers > 0 && p.roles[j] == 0 {
			return p.fault(-1, "column "+strconv.Itoa(j+1)+" is one more than the "+Count(len(wanted),
				"column")+" asked for, "+list(wanted)).
				advise(p.notData(j), p.notData(j), []string{p.dialect.Words.Drop, strconv.Itoa(j + 1)})
		}
	}
	return nil
}

// columnName is "column 2 (income)" for notes, without a name that stands for the place.
func (p *parser) columnName(j int, names []string) string {
	s := "column " + strconv.Itoa(j+1)
	if names[j] != Column(j) {
		s += " (" + names[j] + ")"
	}
	return s
}

// unnamed reports whether a name is that which pandas or R give a column without one.
func unnamed(name string) bool {
	return strings.HasPrefix(name, "Unnamed: ") || name == "..1" || name == "...1"
}

// Names of columns of ids and their ends, in lower case.
var (
	idNames = []string{"id", "ids", "index", "idx", "key", "nr", "no", "no.", "number", "row", "rowid",
		"row_id", "rownames", "uuid", "guid", "code", "sku", "isbn", "ean", "sampleid", "customer", "patient",
		"subject"}
	idEnds = []string{"_id", " id", "-id", ".id", "_nr", " nr", "_no", "_key", "nr.", "nummer", "_number",
		"customerno", "customer no"}
)

func idName(name string) bool {
	lower := strings.ToLower(name)
	if slices.Contains(idNames, lower) {
		return true
	}
	if slices.ContainsFunc(idEnds, func(end string) bool { return strings.HasSuffix(lower, end) }) {
		return true
	}
	n := len(name)
	return n > 2 && (strings.HasSuffix(name, "ID") || strings.HasSuffix(name, "Id")) &&
		unicode.IsLower(rune(name[n-3]))
}

// guessIDs finds columns of ids among those that are free. The first that looks most
// like one becomes that of the rows. The others are left out.
func (p *parser) guessIDs(columns []column, free func(int) bool, names []string, h *Head, picked bool) {
	if p.dialect.ID == NoID {
		return
	}
	type found struct {
		at  int
		why string
	}
	var ids []found
	data := 0
	for j := range columns {
		if !free(j) {
			continue
		}
		data++
		c := &columns[j]
		why := p.whyID(c, j, names[j], h.Header)
		if why == "" && picked && c.different && (c.text() || idName(names[j])) { // of few rows
			why = "it is no column of the model, and no value comes twice"
		}
		if why != "" {
			ids = append(ids, found{j, why})
		} else if !picked && h.Header && c.words == 0 && c.gaps == 0 &&
			(c.whole || j == 0 && isNumber([]byte(names[j]))) && c.rising && c.numbers >= 10 {
			note := p.columnName(j, names) + " is data, though its whole numbers rise from row to row"
			if !c.whole { // the corner of a map of times and wavelengths
				note = strings.Replace(note, "whole ", "", 1)
			}
			if w := p.dialect.Words.ID; w != "" {
				note += "; if they are ids: " + w + " " + strconv.Itoa(j+1)
			}
			p.survey.note(note)
		}
	}
	if p.dialect.Pick == nil && len(ids) == data { // something must be data
		ids = slices.DeleteFunc(ids, func(f found) bool { return columns[f.at].words == 0 })
	}
	looked := ""
	if p.survey.cut {
		looked = ", in the " + strconv.Itoa(len(p.survey.lines)) + " lines that were looked at"
	}
	// Names and codes tell more than dates do, and these more than numbers of rows.
	rank := func(f found) int { return slices.Index([]string{datesOfRows, numbersOfRows}, f.why) }
	slices.SortStableFunc(ids, func(a, b found) int { return rank(a) - rank(b) })
	for _, f := range ids {
		p.roles[f.at] = roleNone
		if c := &columns[f.at]; p.id == 0 {
			p.id = f.at + 1
			if c.words > 4 && c.dates == c.words-1 && !isDate([]byte(c.values[0])) { // as FRED-MD
				f.why += "; warning: row 1 is data, though it has " + quote(c.values[0]) +
					" where others have dates"
				if w := p.dialect.Words.Skip; w != "" {
					f.why += ", and " + w + " 1 leaves it out"
				}
			}
			p.survey.note(p.columnName(f.at, names) + " is taken for the rows' ids and left out: " + f.why +
				looked)
		} else {
			p.survey.note(p.columnName(f.at, names) + " is left out: " + f.why + looked)
		}
	}
}

const (
	datesOfRows   = "it holds dates, and none comes twice"
	numbersOfRows = "its numbers count the rows"
)

// whyID says why a column looks like ids; "" if it does not.
func (p *parser) whyID(c *column, j int, name string, header bool) string {
	all := c.numbers + c.words
	integers := c.words == 0 && c.whole && c.numbers > 0 && c.gaps == 0
	full := c.gaps == 0 || c.gaps == 1 && all >= 8         // a line of totals may have none
	bare := header && (name == Column(j) || unnamed(name)) // without a name in the header
	switch {
	case j == 0 && p.survey.short, bare && c.different && full && all > 1 && (c.text() || integers && c.rising):
		return "it has no name, and no value comes twice"
	case header && idName(name) && c.different && full && all > 1 && (c.text() || integers):
		return "its name says so, and no value comes twice"
	case integers && c.consecutive && c.numbers >= 5:
		return numbersOfRows
	case !header && j == 0 && integers && c.rising && c.numbers >= 10:
		return "its whole numbers rise from row to row"
	case c.text() && c.different && full && c.dates == c.words && all > 2:
		return datesOfRows
	case c.text() && c.different && full && c.dates+c.amounts < c.words && all > 2:
		return "it holds text, and no value comes twice"
	}
	return ""
}

// noteOthers names the few columns of data beside many with numbered names: constituents beside
// wavelengths, years and places beside species.
func (p *parser) noteOthers(columns []column, names []string) {
	free := func(j int) bool { return p.roles[j] == 0 && !columns[j].text() }
	shapes, most := map[string][]int{}, ""
	for j, name := range names {
		if free(j) {
			shape, _ := shapeOf(strings.TrimLeft(strings.Replace(name, ".", "", 1), "-"))
			if shapes[shape] = append(shapes[shape], j); len(shapes[shape]) > len(shapes[most]) {
				most = shape
			}
		}
	}
	many := shapes[most]
	var others, numbers []string
	for j := range names {
		if _, one := slices.BinarySearch(many, j); free(j) && !one {
			others, numbers = append(others, p.columnName(j, names)), append(numbers, strconv.Itoa(j+1))
		}
	}
	if n := len(others); n == 0 || len(many) < longAxis || len(many) < 4*n || !strings.Contains(most, "0") {
		return
	}
	note := someOf(others) + Plural(len(others), " is", " are") + " data, too, beside " +
		strconv.Itoa(len(many)) + " columns from " + names[many[0]] + " to " + names[many[len(many)-1]]
	p.survey.note(note + hint(p.dialect.Words.Drop, " "+strings.Join(numbers, ",")+
		Plural(len(others), " leaves it", " leaves them")+" out"))
}

func (p *parser) numbersThat(columns []column, names []string, are func(*column) bool) (in []string) {
	for j := range columns {
		if c := &columns[j]; are(c) && p.roles[j] == 0 && !c.text() {
			in = append(in, p.columnName(j, names))
		}
	}
	return in
}

func (p *parser) noteForms(columns []column, names []string) {
	for _, f := range []struct {
		is  form
		say string
	}{
		{formGroups, "the separators of thousands are taken out: "},
		{formPercent, "percent signs are taken out, 50 % is 50: "},
		{formCurrency, "signs of currencies are taken out: "},
		{formParens, "(5) is read as -5: "},
	} {
		in := p.numbersThat(columns, names, func(c *column) bool { return c.form&f.is != 0 })
		if in != nil {
			p.survey.note(f.say + someOf(in))
		}
	}
	for j := range columns {
		if c := &columns[j]; c.percents > 0 && c.bare != "" && p.roles[j] == 0 && !c.text() {
			p.survey.note("warning: " + p.columnName(j, names) +
				" has numbers with a percent sign and numbers without one, such as " + Printable(c.bare) +
				": 50 % is read as 50, not as 0.5")
		}
	}
}
