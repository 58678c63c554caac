package table

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

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
	if p.found != nil && (!others || !drop && p.dialect.atOnce) {
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
	if len(list) == 1 && w.Drop == "" {
		label = cmp.Or(label, words[0])
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
	other := slices.IndexFunc(c.values, func(v string) bool { return unitOf([]byte(v)) != unitOf([]byte(first)) })
	strange := func(unit string) bool { return !IsUnit(unit) && !strings.Contains(currencies, unit) }
	switch {
	case other >= 0 && c.units != nil && c.amounts == c.words && !slices.ContainsFunc(slices.Collect(maps.Keys(c.units)), strange):
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

// Plural returns one if n is 1, otherwise more.
func Plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}
