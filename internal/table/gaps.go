package table

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// gapCount counts the missing numbers of a field, from 0, in some lines.
type gapCount struct{ field, count, line int } // line is that of the first

// byField is a list with at most one entry for a key, such as a field, in the order of the first uses.
type byField[E any] struct {
	list []E
	at   map[int]int // the place of each key
}

// entry returns the entry of a key, and whether it is new, the zero value.
func (b *byField[E]) entry(key int) (e *E, fresh bool) {
	at, ok := b.at[key]
	if !ok {
		if b.at == nil {
			b.at = map[int]int{}
		}
		at = len(b.list)
		b.at[key], b.list = at, append(b.list, *new(E))
	}
	return &b.list[at], !ok
}

func addGap(gaps *byField[gapCount], g gapCount) {
	e, fresh := gaps.entry(g.field)
	if fresh {
		*e = g
		return
	}
	e.count += g.count
}

func (o *part) addGap(field, line int) { addGap(&o.gaps, gapCount{field, 1, line}) }

// rowless reports whether a line is a row without any value, if a row follows.
func (p *parser) rowless(fields [][]byte) bool {
	return p.gaps && !p.weights && len(fields) > 1 && empty(fields)
}

// fill makes rows of the lines of delimiters before the splitter's record. It stops at a
// blank line before one.
func (p *parser) fill(o *part) {
	for _, line := range o.empty {
		if p.skips(false) {
			o.first, o.last = max(o.first, 1), max(o.last, line)
			continue
		}
		if o.first == 0 {
			o.first = line
		} else if line > o.last+1 {
			break
		}
		p.addEmpty(o, line)
		o.last = max(o.last, line)
	}
	o.empty = o.empty[:0]
}

func (p *parser) addEmpty(o *part, line int) {
	for range p.cols {
		o.data = append(o.data, math.NaN())
	}
	for range p.texts {
		o.ends = append(o.ends, len(o.texts))
	}
	for j, role := range p.roles {
		if role >= 0 || role == roleOneHot {
			o.addGap(j, line)
		}
	}
	o.rows++
}

// carry moves the lines of delimiters at the end of the part to empty, and those of the parts
// before it to its front as rows, if it has a row.
func (t *Reader) carry() {
	o := t.part
	if o.rows > 0 && len(t.empty) > 0 {
		var front part
		for _, line := range t.empty {
			t.parser.addEmpty(&front, line-t.base)
		}
		o.data, o.ends = slices.Insert(o.data, 0, front.data...), slices.Insert(o.ends, 0, front.ends...)
		o.rows += front.rows
		for i := range o.strays.list {
			o.strays.list[i].row += front.rows
		}
		for _, g := range o.gaps.list {
			addGap(&front.gaps, g)
		}
		o.gaps, t.empty = front.gaps, nil
	}
	for _, line := range o.empty {
		if line += t.base; line == t.last+1 {
			t.last = line
		}
		t.empty = append(t.empty, line)
	}
}

// faultError returns the error that names gaps and strays of all columns, and one of a line.
func (t *Reader) faultError(other *Error) error {
	p := &t.parser
	f := &faults{texts: p.found, strays: t.strays.list, rows: t.before + t.part.rows, other: other}
	if !p.dialect.Missing {
		f.gaps = t.gaps.list
	}
	if f.texts != nil || f.strays != nil || f.gaps == nil {
		return p.faultError(f)
	}
	e := &Error{Source: t.Source, Msg: p.gapList(f.gaps)}
	first, more := p.dialect.Words.forGaps()
	return e.advise(first, "add "+first+", which "+rules[ruleOf(first)]+more,
		[]string{p.dialect.Words.Missing, "fit"})
}

func (p *parser) gapList(gaps []gapCount) string {
	total, places := 0, []string(nil)
	for _, g := range gaps {
		total += g.count
		name := "column " + strconv.Itoa(g.field+1)
		if g.field < len(p.header) {
			name = quote(p.header[g.field])
		}
		places = append(places, strconv.Itoa(g.count)+" in "+name+" (first "+p.on(g.line)+")")
	}
	return Count(total, "missing value") + ": " + firstOf(places, ", ", "and in ")
}

// rules say what the values of Words.Missing do.
var rules = map[string]string{
	"fit":  "fits what is there",
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
