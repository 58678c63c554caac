package table

// A long table has one entry in a line: a sample, a wavelength, a value. It becomes a table with a
// row for each sample and a column for each wavelength, without being asked only where names leave
// no doubt: years of countries look the same.

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// long is what the columns of a long table are, from 0.
type long struct {
	*frame
	keys   []int // of the samples
	axis   int
	values []int // must be one
	named  bool  // a name tells the axis
}

const mostLong = 16 // columns of a long table

// long finds the columns of a long table by their names and contents. It is nil where there are none.
// But if it is asked for, the last two columns are then the axis and the values.
func (f *frame) long(p *parser, cut bool) (l *long, t turning, why string) {
	asked := p.dialect.Long == Yes
	if !f.ok || f.paired || f.width < 3 || !asked && (f.width > mostLong || len(f.rows) < 3) {
		return nil, asItStands, ""
	}
	if l = (&long{frame: f}); !l.find() {
		if l.keys = nil; !asked {
			return nil, asItStands, ""
		}
		l.axis, l.values = f.width-2, []int{f.width - 1}
		for j := range l.axis {
			l.keys = append(l.keys, j)
		}
	}
	l.reduce(p)
	t, why = l.judge(cut)
	return l, t, why
}

// find fills in keys, axis and values by names and contents, and reports whether the table has some of each.
func (l *long) find() bool {
	var texts, numbers []int
	for j := range l.all {
		c := &l.all[j]
		numbered := j == 0 && c.consecutive && l.namesSamples(0) && l.namesSamples(1) // as entries are
		switch {
		case l.width > 3 && (numbered || l.counts(j)), c.numbers+c.words == 0:
		case c.text():
			texts = append(texts, j)
		default:
			numbers = append(numbers, j)
		}
	}
	if !l.findAxis(texts, numbers) {
		return false
	}
	other := func(j int) bool { return j != l.axis }
	l.keys, l.values = only(texts, other), only(numbers, other)
	for len(l.values) > 1 { // numbers before others may be keys
		j := l.values[0]
		if !l.keyed(j) {
			break
		}
		l.keys, l.values = append(l.keys, j), l.values[1:]
	}
	slices.Sort(l.keys)
	return len(l.values) > 0 && len(l.keys) > 0
}

// findAxis finds the axis among columns of texts and of numbers: by its name, or beside a sample, in the
// second of three columns, or of two of text, or in years beside one of text.
func (l *long) findAxis(texts, numbers []int) bool {
	texts = only(texts, func(j int) bool { return len(l.all[j].values) > 1 })
	features := only(texts, func(j int) bool { return is("gene", l.nameOf(j)) || is("feature", l.nameOf(j)) })
	axes := only(numbers, func(j int) bool {
		return is("axis", l.nameOf(j)) && (len(features) == 0 || !is("aside", l.nameOf(j))) // as times of peptides
	})
	values := func(i, j int) int { return len(l.all[i].values) - len(l.all[j].values) }
	if l.named = true; len(axes) > 0 {
		l.axis = axes[0]
		return true
	} else if len(features) > 0 {
		l.axis = slices.MaxFunc(features, values)
		return true
	}
	pair := texts
	years := only(numbers, func(j int) bool { return l.all[j].years() })
	if all := slices.Concat(texts, numbers); len(all) == 3 && (texts != nil || l.namesSamples(all[0])) {
		pair = all
	} else if len(pair) == 1 && len(years) == 1 {
		pair = append(pair, years[0])
	} else if n := len(pair); n < 2 || n > 2 && len(only(numbers, l.measured)) > 1 {
		return false
	} else if pair = pair[n-2:]; len(numbers) > 2 && values(pair[0], pair[1]) > 0 {
		slices.Reverse(pair)
	}
	samples := func(j int) bool { return likeSample(l.nameOf(j)) || len(numbers) < 3 && idName(l.nameOf(j)) }
	if l.named, l.axis = false, pair[1]; samples(pair[1]) && !samples(pair[0]) { // ids of genes are no samples
		l.axis = pair[0]
	}
	return true
}

// keyed reports whether a column of numbers may name samples, or where and when they were taken.
func (l *long) keyed(j int) bool {
	name := l.nameOf(j)
	return l.namesSamples(j) || is("position", name) || has("where", name) || is("date", name)
}

func (l *long) measured(j int) bool {
	return !l.keyed(j) && !is("uncertainty", l.nameOf(j)) && l.all[j].least < l.all[j].most
}

func (l *long) namesSamples(j int) bool { return idName(l.nameOf(j)) || likeSample(l.nameOf(j)) }

// reduce leaves out keys that tell of the axis or of entries alone, such as units and flags. It leaves out
// values that tell of a sample or of the axis alone, such as codes and places, and columns that the Dialect
// leaves out.
func (l *long) reduce(p *parser) {
	if l.byValue(p); 2*l.all[l.axis].kinds > len(l.rows) {
		return
	}
	given := Set(slices.Concat(p.dialect.Drop, p.dialect.Keep))
	tells := func(j int, of ...int) bool { return distinct(l.all, append(of, j)...) == distinct(l.all, of...) }
	for _, j := range l.keys { // one that differs within a sample tells of entries
		rest := only(l.keys, func(i int) bool { return i != j })
		if len(rest) > 0 && (tells(j, l.axis) || !tells(j, rest...) && tells(j, append(rest, l.axis)...)) {
			l.keys = rest
		}
	}
	left := func(j int) bool { return !given[strconv.Itoa(j+1)] && !given[l.nameOf(j)] }
	own := func(j int) bool {
		return is("uncertainty", l.nameOf(j)) || !tells(j, l.axis) && !tells(j, l.keys...)
	}
	for _, ask := range []func(int) bool{left, own} {
		if values := only(l.values, ask); len(values) > 0 {
			l.values = values
		}
	}
}

// byValue numbers the values of the axis, of which 400 and 400.0 are one.
func (l *long) byValue(p *parser) {
	c, seen := &l.all[l.axis], map[string]int{}
	for i, line := range l.rows {
		key := axisKey(p, line[l.axis])
		if _, again := seen[key]; !again {
			seen[key] = len(seen)
		}
		c.codes[i] = seen[key]
	}
	c.kinds = len(seen)
}

// judge says how sure it is that a text with these columns is long: most samples have most of the
// values of the axis, and none has one twice, unless a name says what the axis is.
func (l *long) judge(cut bool) (turning, string) {
	n, samples, axis := len(l.rows), distinct(l.all, l.keys...), l.all[l.axis].kinds
	pairs := distinct(l.all, append(slices.Clone(l.keys), l.axis)...)
	spread := 2*pairs >= samples*axis && (samples == 1 || 2*pairs >= 3*axis)
	value := &l.all[l.values[0]]
	counts := l.named && l.all[l.axis].text() && value.whole && value.least > 0 && pairs == n && 2*n >= 3*axis
	full := samples > 2 && pairs == n && (cut || n == samples*axis)
	panel := len(l.values) > 1 && l.all[l.axis].years() // of countries, which are other samples each year
	why := "its lines have a value for each of " + Count(samples, "sample") + " of " +
		someOf(mapped(l.keys, l.column)) + " and " + strconv.Itoa(axis) + " values of " + l.column(l.axis)
	if axis < 2 || axis < 3 && !l.named || !spread && !counts || panel || len(l.values) > 2 && !full ||
		!l.named && !full && (pairs < n || !l.all[l.axis].text()) {
		return asItStands, why
	} else if l.named && axis > 2 && spread {
		return certain, why
	}
	return likely, why
}

// only returns those of a list that are as asked.
func only[T any](list []T, ask func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(v T) bool { return !ask(v) })
}

// axisKey is a value of the axis, the same for 400 and 400.0.
func axisKey(p *parser, s []byte) string {
	if v, ok := p.value(s); ok {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return string(bytes.TrimSpace(s))
}

// chooseLong decides whether a text is read as a long table. The error asks.
func (f *frame) chooseLong(p *parser, cut bool) (*long, *Error) {
	d := &p.dialect
	if d.Long == No || d.Long == Auto && (!d.Guess || d.Transpose == Yes) {
		return nil, nil
	}
	l, t, why := f.long(p, cut)
	asked := d.Long == Yes
	switch {
	case asked && d.Transpose == Yes:
		return nil, &Error{Msg: "a long table has a row for each sample, and is not turned"}
	case asked && l == nil:
		return nil, &Error{Msg: "a long table has at least three columns: samples, wavelengths or such, and values"}
	case asked && len(l.values) == 1:
		return l, nil
	case t == asItStands && !asked, len(d.Known) > 0 &&
		hasAll(mapped(slices.Concat(l.keys, l.values, []int{l.axis}), l.nameOf), d.Known):
		return nil, nil
	case len(l.values) > 1:
		return nil, l.several(d, why)
	}
	stay := hasAll(mapped(l.keys, l.nameOf), d.columns())
	sure, err := d.doubt(t, stay, d.Words.Long, "this seems to be a long table, since "+why,
		"makes a row of each sample", "reads the lines as they are")
	if !sure {
		return nil, err
	}
	return l, nil
}

// several asks for one of several columns of values, and advises one that is no code.
func (l *long) several(d *Dialect, why string) *Error {
	e := &Error{Msg: "this seems to be a long table with " + Count(len(l.values), "column") + " of values, " +
		someOf(mapped(l.values, l.column)) + ", of which a file may have one: " + why}
	ask, drop := d.Words.Long, d.Words.Drop
	advice, tries := ask+" no reads the lines as they are", [][]string{{ask, "no"}}
	if drop != "" {
		fit := only(l.values, func(j int) bool { return !is("aside", l.nameOf(j)) })
		broken := only(fit, func(j int) bool { return !l.all[j].whole })
		one := slices.Concat(broken, fit, l.values)[0]
		rest := only(l.values, func(j int) bool { return j != one })
		others := strings.Join(mapped(rest, func(j int) string { return strconv.Itoa(j + 1) }), ",")
		advice += ", " + ask + " yes " + drop + " " + others + " makes a row of each sample, of " + l.column(one)
		tries = append(tries, []string{ask, "yes", drop, others})
	}
	return e.advise(ask, advice, tries...)
}

// is reports whether a setting means a column, by its name or its number.
func (l *long) is(j int, column string) bool {
	return column == l.nameOf(j) || column == strconv.Itoa(j+1)
}

// left returns those of some columns that are keys, with their places in the table that is made.
func (l *long) left(columns []string) (left []string) {
	for i, j := range l.keys {
		if slices.ContainsFunc(columns, func(column string) bool { return l.is(j, column) }) {
			left = append(left, strconv.Itoa(i+1))
		}
	}
	for _, name := range columns { // of no column, which is an error later
		here := func(c column) bool { return l.is(c.at, name) }
		if strings.Trim(name, "0123456789-") != "" && !slices.ContainsFunc(l.all, here) {
			left = append(left, name)
		}
	}
	return left
}

func (d *Dialect) columns() []string {
	none := func(column string) bool { return column == "" || column == NoID }
	return slices.Concat(d.Drop, d.Keep, slices.DeleteFunc([]string{d.Label, d.Weights, d.ID}, none))
}

// firsts are the lines, from 0, on which keys are first.
type firsts struct {
	of    map[string]int32
	lines []int32 // in order
}

func (f *firsts) add(key string, line int) int32 {
	if _, ok := f.of[key]; !ok {
		f.of[key], f.lines = int32(line), append(f.lines, int32(line))
	}
	return f.of[key]
}

// pivot arranges the entries of a long table: a row for each sample, a column for each value of the axis
// after the keys. why says what becomes of them.
func (s *survey) pivot(p *parser, in *chunks, text []byte, l *long) (a *arranged, why string, err error) {
	lines, err := s.records(p, in, text, nil)
	if err != nil {
		return nil, "", err
	}
	samples, points := firsts{of: map[string]int32{}}, firsts{of: map[string]int32{}}
	entries := make(map[[2]int32]int32, len(lines)) // the line of each sample and value of the axis
	for i := l.above; i < len(lines); i++ {
		line := &lines[i]
		field, e := line.field(l.axis), &Error{Source: p.source, Line: line.at}
		key := string(bytes.Join(mapped(l.keys, line.field), []byte{0}))
		at := [2]int32{samples.add(key, i), points.add(axisKey(p, field), i)}
		if absent(field) || len(points.lines) > mostColumns {
			e.Column, e.Msg = l.axis+1, "a long table needs a value in "+l.column(l.axis)+
				" on each line, and at most "+strconv.Itoa(mostColumns)
			return nil, "", e
		}
		if first, twice := entries[at]; twice {
			ask := p.dialect.Words.Long
			e.Msg = "a second value of " + l.sample(line) + " at " + shown(field) + " in " + l.column(l.axis) +
				"; the first is on line " + strconv.Itoa(lines[first].at)
			advice := "a long table has one; " + ask + " no reads its lines as rows"
			return nil, "", e.advise(ask, advice, []string{ask, "no"})
		}
		entries[at] = int32(i)
	}
	n, width := len(samples.lines), len(points.lines)
	why = l.column(l.values[0]) + " becomes " + Count(n, "row") + " of " + Count(width, "column") +
		", one for each value of " + l.column(l.axis)
	one := len(entries) == n && width > 2 // each sample has one value: a key tells lines
	if float64(n)*float64(width) > 20*float64(len(entries))+1000 || n == 0 || one {
		return nil, "", &Error{Source: p.source, Msg: why + ", but there are only " +
			Count(len(entries), "line") + "; samples must have values in common: leave out keys that differ on " +
			"each line"}
	}
	value := &l.all[l.values[0]]
	a = l.cells(p, lines, samples.lines, points.lines, entries)
	if gaps := n*width - len(entries); gaps > 0 && l.all[l.axis].text() && value.whole && value.least > 0 {
		a.blank = "0"
		why += "; of " + Count(gaps, "value") + " there is no line: taken for 0, since the others are counts from 1"
	}
	used := append(slices.Clone(l.keys), l.axis, l.values[0])
	if left := only(l.all, func(c column) bool { return !slices.Contains(used, c.at) }); len(left) > 0 {
		why += "; left out: " + someOf(mapped(left, func(c column) string { return l.frame.column(c.at) }))
	}
	return a, why, nil
}

// sample is what the keys of a line say.
func (l *long) sample(line *packed) string {
	return quote(strings.Join(mapped(l.keys, func(j int) string { return shown(line.field(j)) }), " "))
}

// cells makes the table of samples and values of the axis, which are first on these lines, and of entries.
// Numbers rise or fall as the first two.
func (l *long) cells(p *parser, lines []packed, samples, points []int32, entries map[[2]int32]int32,
) *arranged {
	if len(points) > 1 && l.all[l.axis].words == 0 {
		number := func(line int32) float64 {
			v, _ := p.value(lines[line].field(l.axis))
			return v
		}
		sign := cmp.Compare(number(points[1]), number(points[0]))
		slices.SortFunc(points, func(a, b int32) int { return sign * cmp.Compare(number(a), number(b)) })
	}
	samples = slices.Insert(samples, 0, 0) // line 1 has the names
	at := func(row, column int) cell {
		line := int(samples[row])
		switch k := column - len(l.keys); {
		case k >= 0 && row == 0:
			return cell{int(points[k]), l.axis}
		case k >= 0:
			if entry, ok := entries[[2]int32{samples[row], points[k]}]; ok {
				return cell{int(entry), l.values[0]}
			}
		case row > 0 || l.head != nil:
			return cell{line, l.keys[column]}
		}
		return cell{line, -1}
	}
	sample := func(row int) string { return l.sample(&lines[samples[row]]) }
	return &arranged{lines, len(samples), len(l.keys) + len(points), at, sample, ""}
}

// settings changes a Dialect of the text to one of the table that is made.
func (l *long) settings(d *Dialect) {
	d.Header = Yes
	d.Drop, d.Keep = l.left(d.Drop), l.left(d.Keep)
	for i, j := range l.keys {
		column := strconv.Itoa(i + 1)
		given := func(s string) bool { return s == column || s == l.nameOf(j) }
		switch {
		case slices.ContainsFunc(d.columns(), given):
		case d.ID == NoID, d.ID == "" && (len(l.keys) == 1 || l.all[j].text() && l.namesSamples(j)):
			d.takeIDs(column)
		case !l.all[j].text():
			d.carry(column)
		}
	}
}
