package table

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// stray counts what is no number in a field, from 0, of columns of numbers.
type stray struct {
	field, count, line, row int      // line is that of the first, row its place from 0
	words                   []string // different ones, at most mostStrays + 1
	below                   bool     // they are all below a limit, as <4
	fault                   *Error   // of the first
}

// mostStrays is how many words of a column may be advised to count as missing.
const mostStrays = 3

// addFault counts a field that is missing, or no number.
func (o *part) addFault(p *parser, j int, field []byte, err *Error) {
	if missing(field) {
		o.addGap(j, p.line(j))
		return
	}
	_, _, below := p.limit(field)
	word := string(bytes.TrimSpace(utf8Text(field)))
	addStray(&o.strays, stray{j, 1, p.line(j), o.rows, []string{word}, below, err})
}

func addStray(strays *byField[stray], s stray) {
	key := 2 * s.field
	if s.below {
		key++
	}
	old, fresh := strays.entry(key)
	if fresh {
		*old = s
		return
	}
	old.count += s.count
	for _, word := range s.words {
		if len(old.words) <= mostStrays && !slices.Contains(old.words, word) {
			old.words = append(old.words, word)
		}
	}
}

// faults is all that is wrong with the columns of a text.
type faults struct {
	texts  *texts // columns of text; nil: none
	gaps   []gapCount
	strays []stray
	rows   int    // of the text
	other  *Error // on a line
}

func (p *parser) faultError(f *faults) *Error {
	slices.SortStableFunc(f.strays, func(a, b stray) int { return a.field - b.field })
	var parts []string
	if t := f.texts; t != nil {
		parts = append(parts, Plural(len(t.columns), "a column of text: ", "columns of text: ")+t.list())
	}
	e := &Error{Source: p.source}
	if s := f.strays; len(s) == 1 && len(parts) == 0 && len(s[0].words) == 1 {
		e.Line, e.Column = s[0].fault.Line, s[0].fault.Column
		parts = append(parts, s[0].fault.Plain()+times(s[0].count))
	} else if s != nil {
		parts = append(parts, "what is no number: "+p.strayList(s))
	}
	if f.gaps != nil {
		parts = append(parts, p.gapList(f.gaps))
	}
	if f.other != nil {
		parts = append(parts, p.on(f.other.Line)+": "+f.other.Msg)
	}
	e.Msg = strings.Join(parts, "; and ")
	advice, settings := p.mending(f, e)
	return e.advise(advice, advice, settings)
}

func times(n int) string {
	if n == 1 {
		return ""
	}
	return ", " + strconv.Itoa(n) + " times"
}

func (p *parser) strayList(strays []stray) string {
	var list []string
	for _, s := range strays {
		words := s.words
		like := ""
		if s.below {
			words, like = words[:1], "below a limit, such as "
		} else if len(words) > mostStrays {
			words, like = words[:1], "such as "
		}
		name := "column " + strconv.Itoa(s.field+1)
		if s.field < len(p.header) {
			name += " (" + p.header[s.field] + ")"
		}
		list = append(list, strconv.Itoa(s.count)+" in "+name+", "+like+
			strings.Join(mapped(words, quote), ", ")+" (first "+p.on(s.line)+")")
	}
	return firstOf(list, ", ", "and in ")
}

// mending is one line of flags that mends all faults, and other ways. e gets NA and Below.
func (p *parser) mending(f *faults, e *Error) (advice string, settings []string) {
	w := p.dialect.Words
	var flags, does, ways, others []string
	add := func(word, value, what string) {
		if word != "" && value != "" {
			flags, does = append(flags, word+" "+value), append(does, what)
			settings = append(settings, word, value)
		}
	}
	var drop []string
	if f.texts != nil {
		drop = slices.Clip(f.texts.give)
	}
	total, told := "", map[string]bool{}
	once := func(list []string, word string) []string {
		if told[word] {
			return list
		}
		told[word] = true
		return append(list, word)
	}
	for _, s := range f.strays {
		switch {
		case isTotal(s.words[0]) && len(s.words) == 1:
			total = p.dialect.Skip.adds(s.row, f.rows)
		case s.below:
			e.Below = true
		case s.fault.advice != "": // as of a decimal comma
			others = once(others, strings.Trim(s.fault.advice, " ()"))
		case len(s.words) > mostStrays, slices.ContainsFunc(s.words, noWord):
			drop = append(drop, strconv.Itoa(s.field+1))
		default:
			for _, word := range s.words {
				e.NA = once(e.NA, word)
			}
		}
	}
	fill := ""
	if !p.dialect.Missing {
		fill, _ = w.forGaps()
	}
	add(w.Drop, strings.Join(drop, ","), "leaves "+Plural(len(drop), "it", "them")+" out")
	add(w.Skip, total, "leaves out the line of totals")
	if e.Below {
		add(w.Below, "half", "takes half of each limit")
	}
	if e.NA != nil {
		add(w.NA, listWord(e.NA), "counts "+Plural(len(e.NA), quote(e.NA[0]), "these words")+" as missing")
		for _, word := range e.NA {
			settings = append(settings, w.NA, word)
		}
	}
	if fill != "" && (f.gaps != nil || e.NA != nil && w.NA != "") {
		flags, does = append(flags, fill), append(does, rules[ruleOf(fill)])
		settings = append(settings, w.Missing, ruleOf(fill))
	}
	if n := len(does) - 1; n >= 0 {
		which := does[n]
		if n > 0 {
			which = strings.Join(does[:n], ", ") + " and " + which
		}
		ways = append(ways, "add "+strings.Join(flags, " ")+", which "+which)
	}
	if e.Below && w.Below != "" {
		ways = append(ways, strings.TrimSpace(w.Below+" missing "+fill)+" counts them as missing")
	}
	if f.texts != nil {
		ways = append(ways, f.texts.ways(&w)...)
	}
	return strings.Join(append(ways, others...), "; "), settings
}

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
