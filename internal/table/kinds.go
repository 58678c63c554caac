package table

// The sixth stage: what the columns of a table hold.

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
)

// column is what a survey shows about a column of the rows.
type column struct {
	list                 []float64 // the numbers
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
}

// mostValues is how many values a column may have that becomes columns of 0 and 1.
const mostValues = 50

func (p *parser) columnsOf(lines [][][]byte) []column {
	columns := make([]column, p.width)
	for j := range columns {
		c := &columns[j]
		*c = column{whole: true, different: true}
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
		if c.rising = goes(c.list, 1, 0); len(c.list) > 0 {
			c.least, c.most = slices.Min(c.list), slices.Max(c.list)
		}
		c.consecutive = c.rising && c.whole && c.most-c.least == float64(len(c.list)-1)
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
	c.list = append(c.list, v)
	if v == 0 && has&formUnit == 0 {
		c.zeros++
	}
	if has&formPercent != 0 {
		c.percents++
	} else if v != 0 && c.bare == "" {
		c.bare = string(utf8Text(f))
	}
	c.whole = c.whole && v == math.Trunc(v)
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
			wanted == nil && !p.survey.cut && h.Header && !isNumber([]byte(names[j])) {
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
		p.noteUncertainties(names)
		p.noteFactors(columns, names)
	}
	p.noteForms(columns, names)
	p.noteMended(columns, names)
	return p.settleTexts(columns, names)
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

// noteFactors warns of columns such as Plot or class, whose few whole numbers are data as well.
func (p *parser) noteFactors(columns []column, names []string) {
	var in, numbers []string
	for j := range columns {
		c, n := &columns[j], len(slices.Compact(slices.Sorted(slices.Values(columns[j].list))))
		if p.roles[j] == 0 && c.whole && !c.text() && 2*n <= c.numbers &&
			(is("factor", names[j]) || is("class", names[j]) || idName(names[j])) {
			in, numbers = append(in, p.columnName(j, names)), append(numbers, strconv.Itoa(j+1))
		}
	}
	if w := p.dialect.Words; in != nil {
		note := "warning: " + someOf(in) + Plural(len(in), " is", " are") + " data, too, but may be classes or ids"
		if len(in) == 1 && w.Label != "" && p.dialect.Label == "" {
			note += "; " + w.Label + " " + numbers[0] + " takes it for the classes"
		}
		p.survey.note(note + hint(w.Drop, " "+strings.Join(numbers, ",")+Plural(len(in), " leaves it", " leaves them")+" out"))
	}
}

// noteUncertainties warns of columns such as Zr Error behind Zr, which are data as well.
func (p *parser) noteUncertainties(names []string) {
	var in, numbers []string
	for j := 1; j < len(names); j++ {
		rest, ok := strings.CutPrefix(names[j], names[j-1])
		if ok && p.roles[j] == 0 && is("uncertainty", strings.Trim(rest, " _.()[]")) {
			in, numbers = append(in, names[j]), append(numbers, strconv.Itoa(j+1))
		}
	}
	if len(in) > 1 {
		p.survey.note("warning: " + someOf(in) + " are data, and seem to be uncertainties of the columns before them" +
			hint(p.dialect.Words.Drop, " "+strings.Join(numbers, ",")+" leaves them out"))
	}
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
