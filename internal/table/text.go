package table

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// texts are columns of text that are taken for data.
type texts struct {
	columns   []int
	what      []string // what each holds
	give      []string // how a flag names it
	label, id string   // one that may be the labels or the ids; "": none
	few       bool     // one has few values
}

// settleTexts leaves out columns of text by Dialect.Text. Otherwise they are an error, which waits
// until the gaps of the other columns are counted.
func (p *parser) settleTexts() error {
	found := p.findTexts()
	if found == nil {
		return nil
	}
	drop := p.dialect.Text == TextDrop
	others := false // there is a column of numbers
	for j, role := range p.roles {
		_, text := slices.BinarySearch(found.columns, j)
		others = others || (role == 0 || role == roleOneHot) && !text
	}
	if !others || !drop && p.dialect.atOnce {
		return p.faultError(&faults{texts: found})
	}
	for _, j := range found.columns {
		p.roles[j] = roleNone
	}
	if p.found = found; drop {
		p.found = nil
		p.survey.note(Plural(len(found.columns), "a column of text is left out: ",
			"columns of text are left out: ") + found.list())
	}
	return nil
}

func (p *parser) findTexts() *texts {
	found, times := new(texts), map[string]int{}
	for _, name := range p.names {
		times[name]++
	}
	for j, name := range p.names {
		c := &p.survey.columns[j]
		if p.roles[j] != 0 || !c.text() && !c.mixed {
			continue
		}
		give := strconv.Itoa(j + 1)
		if p.header != nil && simple(name) && times[name] == 1 {
			give = name
		}
		found.columns, found.give = append(found.columns, j), append(found.give, give)
		found.what = append(found.what, p.columnName(j)+p.describe(c, &found.few))
		if is("class", name) && !p.labels && p.dialect.Label == "" {
			found.label = give
		}
		if p.id == 0 && (idName(name) || c.dates == c.words) && p.header != nil {
			found.id = give
		}
	}
	if found.columns == nil {
		return nil
	}
	return found
}

// simple is for names that can be typed in a shell as they are, and no numbers or ranges.
func simple(name string) bool {
	if _, err := strconv.Atoi(name); err == nil || name[0] == '-' {
		return false
	}
	letter := func(r rune) bool { return unicode.IsLetter(r) || r == '_' }
	other := func(r rune) bool { return !letter(r) && !unicode.IsDigit(r) && r != '-' && r != '.' }
	return strings.ContainsFunc(name, letter) && !strings.ContainsFunc(name, other)
}

func (t *texts) list() string { return firstOf(t.what, "; ", "") }

// firstOf joins what is said of the first six columns, and counts the others.
func firstOf(list []string, comma, others string) string {
	if n := len(list) - 6; n > 0 {
		list = append(list[:6:6], others+Count(n, "other column"))
	}
	return strings.Join(list, comma)
}

// ways are other uses of the columns than to leave them out.
func (t *texts) ways(w *Words) (ways []string) {
	n := len(t.columns)
	if w.Keep != "" && w.Drop != "" {
		ways = append(ways, w.Keep+" in place of "+w.Drop+" carries "+Plural(n, "it", "them")+
			" to the outputs")
	}
	if t.id != "" && w.ID != "" {
		ways = append(ways, w.ID+" "+t.id+" takes it for the ids, though some come twice")
	}
	if t.label != "" && w.Label != "" {
		ways = append(ways, w.Label+" "+t.label+" takes it for the classes")
	} else if n == 1 && w.Drop == "" && w.Label != "" {
		ways = append(ways, w.Label+" "+t.give[0]+" takes it for the classes")
	}
	if t.few && w.OneHot != "" {
		ways = append(ways, w.OneHot+" makes columns of 0 and 1 of few values")
	}
	return ways
}

// describe says what the words of a column are. few is set where they are few.
func (p *parser) describe(c *column, few *bool) string {
	switch {
	case c.mixed:
		return ", numbers with different units, such as " + quote(c.values[0]) + " and " +
			quote(c.otherUnit())
	case c.dates == c.words:
		return ", dates such as " + Printable(c.values[0])
	case len(c.values) > mostValues && p.dialect.Text == TextOneHot:
		return ", more than " + strconv.Itoa(mostValues) + " values, too many for columns of 0 and 1"
	case len(c.values) == 2:
		*few = true
		return ", " + quote(c.values[0]) + " or " + quote(c.values[1])
	case len(c.values) <= mostValues && len(c.values) < c.words:
		*few = true
		return ", " + Count(len(c.values), "value") + " such as " + quote(c.values[0])
	}
	return ", such as " + quote(c.values[0])
}

// Plural returns one if n is 1, otherwise more.
func Plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// also adds the error for columns of text.
func (p *parser) also(err *Error) error {
	if p.found == nil {
		return err
	}
	return p.faultError(&faults{texts: p.found, other: err})
}

// textsAndGaps reads all rows for the error that names all faults.
func (t *Reader) textsAndGaps() error {
	defer t.Close()
	for t.err == nil {
		t.err = t.advance()
	}
	other, ok := t.err.(*Error)
	if t.err != io.EOF && !(ok && other.Line > 0) {
		return t.err // the text cannot be read
	}
	return t.parser.faultError(t.faults(other))
}

// faults is what is wrong with the text so far, and on a line.
func (t *Reader) faults(other *Error) *faults {
	return &faults{t.parser.found, t.flaws.list, t.before + t.part.rows, other}
}
