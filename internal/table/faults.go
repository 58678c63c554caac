package table

// What is wrong with the columns of a text is counted to its end, and told in one error with the settings that
// mend all of it: columns of text, missing numbers, words among numbers, limits such as <4, a bad line.

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// flaw counts the fields of one column, from 0, that are missing or no number.
type flaw struct {
	field     int
	kind      flawKind
	count     int
	line, row int      // of the first; the row counts from 0
	rows      []int    // of lines of words, at most mostValues; nil for others
	words     []string // different ones, at most mostStrays + 1; nil for missing fields
	fault     *Error   // of the first; nil for missing fields
	text      *column  // of text, that is none of data
}

type flawKind int

const (
	isGap   flawKind = iota
	isWord           // no number
	isLimit          // below a limit, as <4
	isText           // all of a column
	isLine           // a line of words, such as a header again
	flawKinds
)

// mostStrays is how many words of a column may be advised to count as missing.
const mostStrays = 3

// flaws has at most one flaw for a column and a kind, in the order of the first ones.
type flaws struct {
	list []flaw
	at   map[int]int // the place of each column and kind
}

func (l *flaws) add(f flaw) {
	key := int(flawKinds)*f.field + int(f.kind)
	i, ok := l.at[key]
	if !ok {
		if l.at == nil {
			l.at = map[int]int{}
		}
		l.at[key], l.list = len(l.list), append(l.list, f)
		return
	}
	old := &l.list[i]
	old.count += f.count
	old.rows = append(old.rows, f.rows[:min(len(f.rows), mostValues-len(old.rows))]...)
	for _, word := range f.words {
		if len(old.words) <= mostStrays && !slices.Contains(old.words, word) {
			old.words = append(old.words, word)
		}
	}
}

// flaw returns the flaw of field j, which is missing or no number; err is its fault.
func (o *part) flaw(p *parser, j int, e entry, err *Error) flaw {
	f := flaw{field: j, count: 1, line: p.line(j), row: o.rows}
	if !e.gap {
		f.kind, f.words, f.fault = isWord, []string{string(utf8Text(e.text))}, err
		if e.limit && !e.number {
			f.kind = isLimit
		}
	}
	return f
}

// addFlaws counts the flaws of a row. It is a line of words, such as a header again, if a word is the name of
// its column, or three words or more are in more than half of the columns of data, all different, or in all of
// them, as classes are.
func (o *part) addFlaws(p *parser, list []flaw) {
	var words []string
	header := false
	for _, f := range list {
		if f.kind == isWord {
			words = append(words, f.words[0])
			header = header || f.field < len(p.header) && f.words[0] == p.header[f.field]
		}
	}
	n, kinds := len(words), len(Set(words))
	if header || n > 2 && (2*n > p.cols && kinds == n || n == p.cols && kinds > 1) {
		list = []flaw{{kind: isLine, count: 1, line: p.split.Start, row: o.rows, rows: []int{o.rows}, words: words}}
	}
	for _, f := range list {
		o.flaws.add(f)
	}
}

// faultError is the error for all flaws of a text of so many rows, and for what is wrong on a line.
func (p *parser) faultError(flaws []flaw, rows int, other *Error) *Error {
	var texts, gaps, strays, lines []flaw
	for _, s := range flaws {
		switch {
		case s.kind == isText:
			texts = append(texts, s)
		case s.kind == isLine:
			lines = append(lines, s)
		case s.kind != isGap:
			strays = append(strays, s)
		case !p.dialect.Missing:
			gaps = append(gaps, s)
		}
	}
	slices.SortStableFunc(strays, func(a, b flaw) int { return a.field - b.field })
	var parts []string
	if texts != nil {
		parts = append(parts, Plural(len(texts), "a column of text: ", "columns of text: ")+p.textsOf(texts))
	}
	bare := len(texts) > 1 && p.cols == 1 // hardly a table: no advice
	if bare {
		parts[0] += "; without them 1 column of numbers is left" + hint(p.dialect.Words.OneHot,
			" makes columns of 0 and 1 of columns of few values")
	}
	e := &Error{Source: p.source}
	for _, s := range lines {
		parts = append(parts, Plural(s.count, "a line", Count(s.count, "line"))+" of words among the rows, as of "+
			"a header, with "+quote(s.words[0])+" (first "+p.on(s.line)+")")
	}
	if s := strays; len(s) == 1 && texts == nil && len(s[0].words) == 1 {
		e.Line, e.Column = s[0].fault.Line, s[0].fault.Column
		said := s[0].fault.Plain()
		if s[0].count > 1 {
			said += ", " + strconv.Itoa(s[0].count) + " times"
		}
		parts = append(parts, said)
	} else if s != nil {
		parts = append(parts, "entries that are not numbers: "+p.list(s))
	}
	for _, s := range strays {
		if i := slices.IndexFunc(s.words, flagged); i >= 0 {
			parts[len(parts)-1] += "; what is behind numbers, as in " + quote(s.words[i]) + ", has to be removed"
			break
		}
	}
	if gaps != nil {
		total := 0
		for _, g := range gaps {
			total += g.count
		}
		parts = append(parts, Count(total, "missing value")+": "+p.list(gaps))
	}
	if other != nil {
		parts = append(parts, p.on(other.Line)+": "+other.Msg)
	}
	if e.Msg = strings.Join(parts, "; and "); bare {
		return e
	}
	advice, settings := p.mending(texts, gaps, slices.Concat(lines, strays), rows, e)
	return e.advise(advice, advice, settings)
}

// list says how many flaws columns have, and where the first are.
func (p *parser) list(flaws []flaw) string {
	var list []string
	for _, s := range flaws {
		name := "column " + strconv.Itoa(s.field+1)
		if s.field < len(p.header) {
			name += " (" + p.header[s.field] + ")"
			if s.kind == isGap {
				name = quote(p.header[s.field])
			}
		}
		switch words := s.words; {
		case s.kind == isLimit:
			name += ", below a limit, such as " + quote(words[0])
		case len(words) > mostStrays:
			name += ", such as " + quote(words[0])
		case words != nil:
			name += ", " + strings.Join(mapped(words, quote), ", ")
		}
		list = append(list, strconv.Itoa(s.count)+" in "+name+" (first "+p.on(s.line)+")")
	}
	return firstOf(list, ", ", "and in ")
}

// rules say what the values of Words.Missing do.
var rules = map[string]string{
	"fit":  "fits the values that are present",
	"drop": "leaves these rows out",
	"mean": "fills in the means of the columns",
}

// ruleOf is the value of a flag such as -missing fit.
func ruleOf(flag string) string { return flag[strings.LastIndexByte(flag, ' ')+1:] }

// forGaps is the flag that mends gaps, if there is one, and advice about its other values.
func (w *Words) forGaps() (first, more string) {
	list := strings.Fields(w.Rules)
	if w.Missing == "" || w.Rules == "none" {
		return "", ""
	}
	others := mapped(list[1:], func(rule string) string { return rule + " " + rules[rule] })
	if len(others) > 0 {
		more = "; " + w.Missing + " " + strings.Join(others, ", ")
	}
	return w.Missing + " " + list[0], more
}

// mending is one line of flags that mends all faults, and other ways. e gets NA and Below.
func (p *parser) mending(texts, gaps, strays []flaw, rows int, e *Error) (advice string, settings []string) {
	w, words := p.dialect.Words, p.wordsFor(texts)
	drop, skip, others := slices.Clone(words), []string(nil), []string(nil)
	once := func(list *[]string, word string) {
		if len(*list) < mostValues && !slices.Contains(*list, word) { // nobody types more
			*list = append(*list, word)
		}
	}
	for _, s := range strays {
		switch {
		case s.kind == isLine && s.count > len(s.rows): // too many to type
		case s.kind == isLine, len(s.words) == 1 && isTotal(s.words[0]):
			for _, row := range append(s.rows, s.row) {
				once(&skip, p.dialect.Skip.adds(row, rows))
			}
		case s.kind == isLimit:
			e.Below = true
		case s.fault.advice != "": // as of a decimal comma
			once(&others, strings.Trim(s.fault.advice, " ()"))
		case slices.ContainsFunc(s.words, flagged): // not to be lost, so that no advice mends all
		case len(s.words) > mostStrays, slices.ContainsFunc(s.words, noWord):
			drop = append(drop, strconv.Itoa(s.field+1))
		default:
			for _, word := range s.words {
				once(&e.NA, word)
			}
		}
	}
	fill, more := w.forGaps()
	list, total, rule := strings.Join(drop, ","), strings.Join(skip, ","), ruleOf(fill)
	these := Plural(len(e.NA), quote(strings.Join(e.NA, "")), "these words")
	var flags, does []string
	for _, m := range []struct {
		needed            bool
		word, value, does string
		values            []string
	}{
		{len(drop) > 0, w.Drop, list, "leaves " + Plural(len(drop), "it", "them") + " out", []string{list}},
		{skip != nil, w.Skip, total, "leaves " + Plural(len(skip), "that line", "these lines") + " out", []string{total}},
		{e.Below, w.Below, "half", "takes half of each limit", []string{"half"}},
		{e.NA != nil, w.NA, listWord(e.NA), "counts " + these + " as missing", e.NA},
		{!p.dialect.Missing && fill != "" && (gaps != nil || e.NA != nil && w.NA != ""), w.Missing, rule,
			rules[rule], []string{rule}},
	} {
		if !m.needed || m.word == "" {
			continue
		}
		flags, does = append(flags, strings.TrimSpace(m.word+" "+m.value)), append(does, m.does)
		for _, v := range m.values {
			settings = append(settings, m.word, v)
		}
	}
	var ways []string
	if does != nil {
		which := strings.Join(does, " and ")
		if flags[0] == fill {
			which += more
		}
		ways = append(ways, "add "+strings.Join(flags, " ")+", which "+which)
	}
	if e.Below && w.Below != "" {
		if p.dialect.Missing {
			fill = ""
		}
		ways = append(ways, strings.TrimSpace(w.Below+" missing "+fill)+" counts them as missing")
	}
	return strings.Join(slices.Concat(ways, p.ways(texts, words), others), "; "), settings
}

// flagged reports whether s is a number with a mark or a unit behind it, such as 54 with lid. Eurostat marks
// provisional numbers so: 93083475p.
func flagged(s string) bool {
	number := strings.TrimRightFunc(s, unicode.IsLetter)
	return s != "" && isDigit(s[0]) && (isAmount([]byte(s)) || number != s && isNumber([]byte(number)))
}

// noWord reports whether s is no word for a missing number: long, on two lines, or behind a key.
func noWord(s string) bool { return len(s) > 20 || Printable(s) != s || strings.Contains(s, ": ") }

// listWord is words as one word of a shell, with commas between them.
func listWord(words []string) string {
	list := mapped(words, func(word string) string {
		if strings.ContainsAny(word, `,"`) || word == "" {
			word = `"` + strings.ReplaceAll(word, `"`, `""`) + `"`
		}
		return word
	})
	return shellWord(strings.Join(list, ","))
}

// settleTexts leaves out columns of text by Dialect.Text. Otherwise they are an error, which waits
// until the gaps of the other columns are counted.
func (p *parser) settleTexts() error {
	others, drop := false, p.dialect.Text == TextDrop // others: there is a column of numbers
	for j := range p.names {
		c := &p.survey.columns[j]
		if p.roles[j] == 0 && c.text() {
			p.found = append(p.found, flaw{field: j, kind: isText, text: c, fault: new(Error)})
		} else {
			others = others || p.roles[j] == 0 || p.roles[j] == roleOneHot
		}
	}
	if p.found != nil && !others {
		return p.faultError(p.found, 0, nil)
	}
	for _, f := range p.found {
		p.roles[f.field] = roleNone
	}
	if p.found != nil && drop {
		p.survey.note(Plural(len(p.found), "a column of text is left out: ", "columns of text are left out: ") +
			p.textsOf(p.found))
		p.found = nil
	}
	return nil
}

// textsOf says what columns of text hold.
func (p *parser) textsOf(list []flaw) string {
	return firstOf(mapped(list, func(f flaw) string { return p.columnName(f.field) + p.describe(f.text) }), "; ", "")
}

// wordsFor names columns for a setting.
func (p *parser) wordsFor(list []flaw) []string {
	times := map[string]int{}
	for _, name := range p.names {
		times[name]++
	}
	return mapped(list, func(f flaw) string {
		if name := p.names[f.field]; p.header != nil && simple(name) && times[name] == 1 {
			return name
		}
		return strconv.Itoa(f.field + 1)
	})
}

// simple reports whether a name can be typed in a shell as it is, and is no number or range.
func simple(name string) bool {
	if _, err := strconv.Atoi(name); err == nil || name[0] == '-' {
		return false
	}
	letter := func(r rune) bool { return unicode.IsLetter(r) || r == '_' }
	other := func(r rune) bool { return !letter(r) && !unicode.IsDigit(r) && r != '-' && r != '.' }
	return strings.ContainsFunc(name, letter) && !strings.ContainsFunc(name, other)
}

// firstOf joins what is said of the first six columns, and counts the others.
func firstOf(list []string, comma, others string) string {
	if n := len(list) - 6; n > 0 {
		list = append(list[:6:6], others+Count(n, "other column"))
	}
	return strings.Join(list, comma)
}

// ways are other uses of columns of text, of these words, than to leave them out.
func (p *parser) ways(list []flaw, words []string) (ways []string) {
	w, label, id, few := p.dialect.Words, "", "", false
	for i, f := range list {
		c, name := f.text, p.names[f.field]
		if is("class", name) && p.dialect.Label == "" {
			label = words[i]
		}
		if p.id == 0 && (idName(name) || c.dates == c.words) && p.header != nil {
			id = words[i]
		}
		few = few || c.few()
	}
	add := func(fits bool, word, advice string) {
		if fits && word != "" {
			ways = append(ways, word+advice)
		}
	}
	add(list != nil && w.Drop != "", w.Keep, " in place of "+w.Drop+" carries "+
		Plural(len(list), "it", "them")+" to the outputs")
	add(id != "", w.ID, " "+id+" takes it for the ids, which may repeat")
	add(label != "", w.Label, " "+label+" takes it for the classes")
	add(few, w.OneHot, " turns a column of few values into columns of 0 and 1")
	return ways
}

// few reports whether the words of a column may become columns of 0 and 1.
func (c *column) few() bool {
	return c.dates < c.words && (len(c.values) == 2 || len(c.values) <= mostValues && len(c.values) < c.words)
}

// describe says what the words of a column are.
func (p *parser) describe(c *column) string {
	first := c.values[0]
	unit := func(v string) string {
		_, _, unit := plainer([]byte(v), p.dialect.Decimal)
		return unit
	}
	other := slices.IndexFunc(c.values, func(v string) bool { return unit(v) != unit(first) })
	strange := func(unit string) bool { return !IsUnit(unit) && !strings.Contains(currencies, unit) }
	switch {
	case other >= 0 && len(c.units) > 0 && c.amounts == c.words &&
		!slices.ContainsFunc(slices.Collect(maps.Keys(c.units)), strange):
		return ", numbers with different units, such as " + quote(first) + " and " + quote(c.values[other])
	case c.dates == c.words:
		return ", dates such as " + Printable(first)
	case len(c.values) > mostValues && p.dialect.Text == TextOneHot:
		return ", more than " + strconv.Itoa(mostValues) + " values, too many for columns of 0 and 1"
	case len(c.values) == 2:
		return ", " + quote(first) + " or " + quote(c.values[1])
	case c.few():
		return ", " + Count(len(c.values), "value") + " such as " + quote(first)
	}
	return ", such as " + quote(first)
}
