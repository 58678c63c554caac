package table

// What is wrong with the columns of a text is counted to its end, and told in one error with the settings
// that mend all of it: columns of text, missing numbers, words among numbers, limits such as <4, a bad line.

import (
	"cmp"
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
	rows      []int    // of lines of words that may be left out, at most mostValues; nil for others
	words     []string // different ones, at most mostStrays + 1; nil for missing fields
	fault     *Error   // of the first; nil for missing fields and columns of text
}

type flawKind int

const (
	isGap   flawKind = iota
	isWord           // no number
	isLimit          // below a limit, as <4
	isText           // all of a column
	isLine           // a line of words, such as a header again
)

// mostStrays is how many words of a column may be advised to count as missing.
const mostStrays = 3

// flaws has at most one flaw for a column and a kind, in the order of the first ones.
type flaws struct {
	list []flaw
	at   map[[2]int]int // the place of each column and kind
}

func (l *flaws) add(f flaw) {
	key := [2]int{f.field, int(f.kind)}
	i, ok := l.at[key]
	if !ok {
		if l.at == nil {
			l.at = map[[2]int]int{}
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
// its column, or three words or more are in more than half of the columns of data, all different, or in all
// of them, as classes are. A header of partly other names, or below a comment, begins another table, and is
// not to be skipped.
func (o *part) addFlaws(p *parser, list []flaw) {
	var words []string
	names := 0
	for _, f := range list {
		if f.kind == isWord {
			if words = append(words, f.words[0]); f.field < len(p.header) && f.words[0] == p.header[f.field] {
				names++
			}
		}
	}
	n, kinds := len(words), len(Set(words))
	if names > 0 || n > 2 && (2*n > p.cols && kinds == n || n == p.cols && kinds > 1) {
		line := flaw{kind: isLine, count: 1, line: p.split.Start, row: o.rows, words: words}
		if names == 0 || names == n && p.split.Comment != p.split.Start-1 {
			line.rows = []int{o.rows}
		}
		list = []flaw{line}
	}
	for _, f := range list {
		o.flaws.add(f)
	}
}

// faultError is the error for all flaws of a text of so many rows, and for what is wrong on a line.
func (p *parser) faultError(flaws []flaw, rows int, other *Error) *Error {
	of := func(kinds ...flawKind) []flaw {
		return slices.DeleteFunc(slices.Clone(flaws), func(f flaw) bool { return !slices.Contains(kinds, f.kind) })
	}
	texts, lines, strays, gaps := of(isText), of(isLine), of(isWord, isLimit), of(isGap)
	slices.SortStableFunc(strays, func(a, b flaw) int { return a.field - b.field })
	e, parts := &Error{Source: p.source}, []string(nil)
	say := func(part string) { parts = append(parts, part) }
	bare := len(texts) > 1 && (p.cols == 1 || len(p.varying()) == 1) // hardly a table
	if len(texts) > 0 {
		list := firstOf(mapped(texts, p.describe), 7, "; ")
		say(Plural(len(texts), "a column of text: ", "columns of text: ") + list)
	}
	if bare {
		parts[0] += "; without them 1 column of numbers is left"
		if len(p.keys(nil)) > 1 {
			parts[0] += ", as in a long table"
		}
	}
	for _, s := range lines {
		say(Plural(s.count, "a line", Count(s.count, "line")) + " of words among the rows, as of a header, with " +
			quote(s.words[0]) + " (first " + p.on(s.line) + ")")
	}
	if s := strays; len(s) == 1 && len(texts) == 0 && len(s[0].words) == 1 {
		e.Line, e.Column = s[0].fault.Line, s[0].fault.Column
		say(s[0].fault.Msg + Plural(s[0].count, "", ", "+strconv.Itoa(s[0].count)+" times"))
	} else if len(s) > 0 {
		say("entries that are not numbers: " + p.list(s))
	}
	if p.dialect.Missing {
		gaps = nil
	}
	if total := 0; len(gaps) > 0 {
		for _, g := range gaps {
			total += g.count
		}
		say(Count(total, "missing value") + ": " + p.list(gaps))
	}
	if other != nil {
		say(p.on(other.Line) + ": " + other.Msg)
	}
	if e.Msg = strings.Join(parts, "; and "); bare {
		ask := p.dialect.Words.Long
		return e.advise(ask, "if it is a long table, "+ask+" yes makes a row of each sample", []string{ask, "yes"})
	}
	return p.mend(e, texts, slices.Concat(lines, strays), len(gaps) > 0, rows)
}

// list says how many flaws columns have, and where the first are.
func (p *parser) list(flaws []flaw) string {
	return firstOf(mapped(flaws, func(s flaw) string {
		name, words := p.columnName(s.field), s.words
		if s.kind == isLimit {
			name += ", below a limit"
		}
		if len(words) > mostStrays {
			name += ", such as " + quote(words[0])
		} else if words != nil {
			name += ", " + strings.Join(mapped(words, quote), ", ")
		}
		if slices.ContainsFunc(words, flagged) {
			name += ": marks behind numbers have to be removed"
		}
		return strconv.Itoa(s.count) + " in " + name + " (first " + p.on(s.line) + ")"
	}), 7, ", ")
}

// fills are the values of Words.Missing that may be advised, the best first; nil: missing values are no
// error.
func (d *Dialect) fills() []string {
	if d.Missing || d.Words.Missing == "" || d.Words.Rules == "none" {
		return nil
	}
	return strings.Fields(cmp.Or(d.Words.Rules, "fit drop mean"))
}

// rules say what the values of Words.Missing do.
var rules = map[string]string{
	"fit":  "fits the values that are present",
	"drop": "leaves these rows out",
	"mean": "fills in the means of the columns",
}

// remedies returns which columns and lines to leave out for columns of text, and for lines and words among so
// many rows. e gets NA and Below.
func (p *parser) remedies(e *Error, texts, strays []flaw, rows int) (drop, skip []string) {
	drop = p.wordsFor(texts)
	once := func(list *[]string, word string) {
		if len(*list) < mostValues && !slices.Contains(*list, word) { // nobody types more
			*list = append(*list, word)
		}
	}
	for _, s := range strays {
		switch {
		case s.kind == isLine && len(s.rows) == 0: // another table begins
		case s.kind == isLine, len(s.words) == 1 && isTotal(s.words[0]):
			for _, row := range append(s.rows, s.row) {
				once(&skip, p.dialect.Skip.adds(row, rows))
			}
		case s.kind == isLimit:
			e.Below = true
		case slices.ContainsFunc(s.words, flagged), numeral([]byte(s.words[0]), ','), // not to be lost
			strings.Contains(s.words[0], " = "): // a legend of marks, as plate readers write
		case len(s.words) > mostStrays, slices.ContainsFunc(s.words, noWord):
			once(&drop, strconv.Itoa(s.field+1))
		default:
			for _, word := range s.words {
				once(&e.NA, word)
			}
		}
	}
	return drop, skip
}

// mend advises one line of settings that mend columns of text, lines and words among the rows, and gaps; and
// other ways for columns of text.
func (p *parser) mend(e *Error, texts, strays []flaw, gaps bool, rows int) *Error {
	drop, skip := p.remedies(e, texts, strays, rows)
	var flags, does, settings []string
	use := func(word string, values []string, effect string) {
		if word != "" && len(values) > 0 {
			flags, does = append(flags, word+" "+listWord(values)), append(does, effect)
			for _, v := range values {
				settings = append(settings, word, v)
			}
		}
	}
	w, fills, ways := &p.dialect.Words, p.dialect.fills(), p.ways(texts)
	use(w.Drop, drop, "leaves "+Plural(len(drop), "it", "them")+" out")
	use(w.Skip, skip, "leaves "+Plural(len(skip), "that line", "these lines")+" out")
	if e.Below {
		use(w.Below, []string{"half"}, "takes half of each limit (missing: counts it as missing)")
	}
	use(w.NA, e.NA, "counts "+Plural(len(e.NA), quote(strings.Join(e.NA, "")), "these words")+" as missing")
	if fills != nil && (gaps || e.NA != nil && w.NA != "") {
		use(w.Missing, fills[:1], rules[fills[0]])
		for i := 1; i < len(fills) && len(does) == 1; i++ {
			ways = append(ways, w.Missing+" "+fills[i]+" "+rules[fills[i]])
		}
	}
	if does != nil {
		ways = slices.Insert(ways, 0, "add "+strings.Join(flags, " ")+", which "+strings.Join(does, " and "))
	}
	advice := strings.Join(ways, "; ")
	return e.advise(advice, advice, settings)
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
	return shellWord(strings.Join(mapped(words, func(word string) string {
		if strings.ContainsAny(word, `,"`) {
			word = `"` + strings.ReplaceAll(word, `"`, `""`) + `"`
		}
		return word
	}), ","))
}

// settleTexts leaves out columns of text by Dialect.Text. Otherwise they are an error, which waits
// until the gaps of the other columns are counted.
func (p *parser) settleTexts() error {
	drop, others := p.dialect.Text == TextDrop, 0
	for j, role := range p.roles {
		if role == 0 && p.survey.columns[j].text() {
			p.found = append(p.found, flaw{field: j, kind: isText})
		} else if role == 0 || role == roleOneHot {
			others++
		}
	}
	if p.found != nil && others == 0 {
		return p.faultError(p.found, 0, nil)
	}
	for _, f := range p.found {
		p.roles[f.field] = roleNone
	}
	if p.found != nil && drop {
		p.survey.note(Plural(len(p.found), "a column of text is left out: ", "columns of text are left out: ") +
			firstOf(mapped(p.found, p.describe), 7, "; "))
		p.found = nil
	}
	return nil
}

// wordsFor names columns for a setting: by a name on line 1 that can be typed as it is and comes once, else
// by the number.
func (p *parser) wordsFor(list []flaw) []string {
	first := p.header
	if lines := p.survey.lines; p.dialect.Names == nil && first != nil && len(lines) > 0 {
		first = mapped(lines[0], shown) // lines below it may complete names
	}
	places := placesOf(first)
	return mapped(list, func(f flaw) string {
		name := p.names[f.field]
		if slices.Equal(places[name], []int{f.field}) && unicode.IsLetter([]rune(name)[0]) &&
			shellWord(name) == name &&
			!strings.Contains(name, ",") {
			return name
		}
		return strconv.Itoa(f.field + 1)
	})
}

// ways are other uses of columns of text than to leave them out.
func (p *parser) ways(texts []flaw) (ways []string) {
	w, id := &p.dialect.Words, p.id
	add := func(fits bool, word, advice string) {
		if way := word + advice; fits && word != "" && !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
	}
	words := p.wordsFor(texts)
	for i, f := range texts {
		c, name, n := &p.survey.columns[f.field], p.names[f.field], words[i]
		add(w.Drop != "", w.Keep, " in place of "+w.Drop+" carries "+Plural(len(texts), "it", "them")+
			" to the outputs")
		if id == 0 && p.header != nil && (idName(name) || c.dates == c.words) {
			id = f.field + 1
			add(true, w.ID, " "+n+" takes it for the ids, which may repeat")
		}
		add(is("class", name) && p.dialect.Label == "", w.Label, " "+n+" takes it for the classes")
		add(c.few(), w.OneHot, " turns a column of few values into columns of 0 and 1")
	}
	return ways
}

// few reports whether the words of a column may become columns of 0 and 1.
func (c *column) few() bool {
	return c.dates < c.words && (len(c.values) == 2 || len(c.values) <= mostValues && len(c.values) < c.words)
}

// describe says what a column of text holds, with its first and its last value.
func (p *parser) describe(f flaw) string {
	c, is := &p.survey.columns[f.field], p.columnName(f.field)+","
	switch {
	case c.dates == c.words:
		is += " dates"
	case c.few():
		is += " " + Count(len(c.values), "value")
	}
	is += " such as " + quote(c.values[0])
	if n := len(c.values); n > 1 {
		is += " and " + quote(c.values[n-1])
	}
	return is
}
