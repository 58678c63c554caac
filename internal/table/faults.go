package table

// What is wrong with the columns of a text is counted to its end, and told in one error with the settings that
// mend all of it: columns of text, missing numbers, words among numbers, limits such as <4, a bad line.

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// flaw counts the fields of one column, from 0, that are missing or no number.
type flaw struct {
	field     int
	kind      flawKind
	count     int
	line, row int      // of the first; the row counts from 0
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
	for _, word := range f.words {
		if len(old.words) <= mostStrays && !slices.Contains(old.words, word) {
			old.words = append(old.words, word)
		}
	}
}

// addFault counts a field that is missing, or no number.
func (o *part) addFault(p *parser, j int, field []byte, err *Error) {
	f := flaw{field: j, count: 1, line: p.line(j), row: o.rows}
	if !missing(field) {
		f.kind, f.words, f.fault = isWord, []string{string(bytes.TrimSpace(utf8Text(field)))}, err
		if _, _, below := p.limit(field); below {
			f.kind = isLimit
		}
	}
	o.flaws.add(f)
}

// faultError is the error for all flaws of a text of so many rows, and for what is wrong on a line.
func (p *parser) faultError(flaws []flaw, rows int, other *Error) *Error {
	var texts, gaps, strays []flaw
	for _, s := range flaws {
		switch {
		case s.kind == isText:
			texts = append(texts, s)
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
	e := &Error{Source: p.source}
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
	e.Msg = strings.Join(parts, "; and ")
	advice, settings := p.mending(texts, gaps, strays, rows, e)
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
	w, total, words := p.dialect.Words, "", p.wordsFor(texts)
	var drop, others []string
	few := howMany(texts, func(f flaw) bool {
		n := len(f.text.values)
		return f.text.few() && n > 1 && 2*n <= f.text.words
	})
	encode := few > p.cols && p.cols > 0 && w.OneHot != "" // little is left without them
	if !encode {
		drop = append(drop, words...)
	}
	once := func(list *[]string, word string) {
		if len(*list) < mostValues && !slices.Contains(*list, word) { // nobody types more
			*list = append(*list, word)
		}
	}
	for _, s := range strays {
		switch {
		case len(s.words) == 1 && (isTotal(s.words[0]) || s.count == 1 && p.in(s.field) == " in column "+quote(s.words[0])):
			total = p.dialect.Skip.adds(s.row, rows)
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
	list, rule := strings.Join(drop, ","), ruleOf(fill)
	these := Plural(len(e.NA), quote(strings.Join(e.NA, "")), "these words")
	var flags, does []string
	for _, m := range []struct {
		needed            bool
		word, value, does string
		values            []string
	}{
		{encode, w.OneHot, "", "makes columns of 0 and 1 of " + Count(few, "column") + " of few values",
			[]string{""}},
		{drop != nil, w.Drop, list, "leaves " + Plural(len(drop), "it", "them") + " out", []string{list}},
		{total != "", w.Skip, total, "leaves that line out", []string{total}},
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
	if n := len(does) - 1; n >= 0 {
		which := does[n]
		switch {
		case n > 0:
			which = strings.Join(does[:n], ", ") + " and " + which
		case flags[0] == fill:
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

// flagged reports whether s is a number with a mark or a unit behind it.
func flagged(s string) bool { return s != "" && isDigit(s[0]) && isAmount([]byte(s)) }

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
