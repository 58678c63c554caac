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

// Long says whether a text is a long table.
type Long int

const (
	LongAuto Long = iota // with Guess: where the text is certain to be one
	LongYes
	LongNo
)

// long is what the columns of a long table are, from 0.
type long struct {
	keys   []int // of the samples
	axis   int
	values []int    // must be one
	named  bool     // a name tells the axis
	texts  []bool   // which columns hold text
	names  [][]byte // of all columns; nil: there is no header
	lines  int      // before the first entry
}

const mostLong = 8 // columns of a long table

// long finds the columns of a long table by their names and contents. It is nil where there are none.
// But if it is asked for, the last two columns are then the axis and the values.
func (f *frame) long(p *parser, cut bool) (l *long, t turning, why string) {
	asked := p.dialect.Long == LongYes
	if !f.ok || f.paired || f.width < 3 || !asked && (f.width > 2*mostLong || len(f.rows) < 3) {
		return nil, asItStands, ""
	}
	l = &long{names: f.head, lines: f.units}
	if f.head != nil {
		l.lines++
	}
	l.texts = mapped(f.all, func(c column) bool { return c.text() })
	if !l.find(f.all) {
		if l.keys = nil; !asked {
			return nil, asItStands, ""
		}
		l.axis, l.values = f.width-2, []int{f.width - 1}
		for j := range l.axis {
			l.keys = append(l.keys, j)
		}
	}
	l.reduce(p, f.rows)
	if t, why = l.judge(p, f.rows, cut); f.width > mostLong && len(l.values) == 1 {
		t = min(t, likely)
	} else if f.width > mostLong {
		t = asItStands
	}
	return l, t, why
}

// reduce leaves out keys that tell of the axis or of entries alone, such as units and flags. It leaves out values
// that tell of a sample or of the axis alone, such as codes and places, and columns that the Dialect leaves out.
func (l *long) reduce(p *parser, rows [][][]byte) {
	given := Set(slices.Concat(p.dialect.Drop, p.dialect.Keep))
	same := func(j int, of func(line [][]byte) string) bool {
		first := map[string]string{}
		return !slices.ContainsFunc(rows, func(line [][]byte) bool {
			key, v := of(line), string(line[j])
			old, ok := first[key]
			first[key] = v
			return ok && old != v
		})
	}
	sample := func(line [][]byte) string { return l.keyOf(func(j int) []byte { return line[j] }) }
	axis := func(line [][]byte) string { return axisKey(p, line[l.axis]) }
	if 2*len(Set(mapped(rows, axis))) > len(rows) {
		return
	}
	if keys := slices.DeleteFunc(slices.Clone(l.keys), func(j int) bool { return same(j, axis) }); len(keys) > 0 {
		l.keys = keys
	}
	for _, j := range slices.Clone(l.keys) { // one that differs within a sample tells of entries
		all, entries := l.keys, map[string]bool{}
		l.keys = slices.DeleteFunc(slices.Clone(all), func(i int) bool { return i == j })
		for _, line := range rows {
			entries[sample(line)+axis(line)] = true
		}
		if len(l.keys) == 0 || len(entries) < len(rows) || same(j, sample) {
			l.keys = all
		}
	}
	values := slices.DeleteFunc(slices.Clone(l.values), func(j int) bool {
		return given[strconv.Itoa(j+1)] || given[l.name(j)] ||
			(same(j, axis) || same(j, sample)) && !is("uncertainty", l.name(j))
	})
	if len(values) > 0 {
		l.values = values
	}
}

func (l *long) find(columns []column) bool {
	width := len(columns) // without one that counts the rows
	var texts, numbers []int
	for j := range columns {
		name := l.name(j)
		switch c := &columns[j]; {
		case c.consecutive && (name == "" && j == 0 && width > 3 || unnamed(name)), c.numbers+c.words == 0:
			width--
		case l.texts[j]:
			texts = append(texts, j)
		default:
			numbers = append(numbers, j)
		}
	}
	spectral := slices.IndexFunc(numbers, func(j int) bool { return is("axis", l.name(j)) })
	feature := -1 // the one with most values
	for i, j := range texts {
		if (is("gene", l.name(j)) || is("feature", l.name(j))) &&
			(feature < 0 || len(columns[j].values) > len(columns[texts[feature]].values)) {
			feature = i
		}
	}
	l.named = spectral >= 0 || feature >= 0
	switch {
	case spectral >= 0:
		l.axis = numbers[spectral]
	case feature >= 0:
		l.axis = texts[feature]
	case width != 3 || len(texts)+len(numbers) != 3:
		return false
	case len(texts) == 1:
		l.axis = numbers[0]
	case len(texts) == 2:
		l.axis = texts[1]
	case len(numbers) == 3 && l.namesSamples(numbers[0]):
		l.axis = numbers[1]
	default:
		return false
	}
	isAxis := func(j int) bool { return j == l.axis }
	numbers, l.keys = slices.DeleteFunc(numbers, isAxis), slices.DeleteFunc(texts, isAxis)
	for i, j := range numbers {
		if i < len(numbers)-1 && len(l.values) == 0 && (l.namesSamples(j) ||
			is("position", l.name(j)) || is("date", l.name(j)) ||
			l.named && width == 3 && columns[j].whole) {
			l.keys = append(l.keys, j)
		} else {
			l.values = append(l.values, j)
		}
	}
	slices.Sort(l.keys)
	return len(l.values) > 0 && len(l.keys) > 0
}

func (l *long) name(j int) string {
	if l.names == nil {
		return ""
	}
	return shown(l.names[j])
}

func (l *long) namesSamples(j int) bool { return idName(l.name(j)) || likeSample(l.name(j)) }

// judge says how sure it is that a text with these columns is long: most samples have most of the
// values of the axis, and none has one twice, unless a name says what the axis is.
func (l *long) judge(p *parser, rows [][][]byte, cut bool) (turning, string) {
	keys, axis, pairs := map[string]bool{}, map[string]bool{}, map[string]bool{}
	var numbers []float64
	for _, line := range rows {
		key, at := l.keyOf(func(j int) []byte { return line[j] }), axisKey(p, line[l.axis])
		if !axis[at] {
			v, _ := parseFloat([]byte(at))
			numbers = append(numbers, v)
		}
		keys[key], axis[at], pairs[key+at] = true, true, true
	}
	n, samples := len(rows), len(keys)
	full := len(pairs) == n && (n == samples*len(axis) || cut && 2*n >= samples*len(axis))
	spread := 2*len(pairs) >= samples*len(axis) && (samples == 1 || 2*len(pairs) >= 3*len(axis))
	why := "its lines have a value for each of " + Count(samples, "sample") + " and " +
		strconv.Itoa(len(axis)) + " values of column " + strconv.Itoa(l.axis+1)
	if name := l.name(l.axis); name != "" {
		why += " (" + name + ")"
	}
	switch {
	case len(axis) < 3 || !spread, len(l.values) > 2 && !(full && samples > 2): // two are values and their deviations
	case l.named, full && samples > 2 && l.names == nil && regular(numbers) && spectrumLike(numbers):
		return certain, why
	case full && samples > 2, l.texts[l.axis] && len(pairs) == n:
		return likely, why
	}
	return asItStands, ""
}

// keyOf is what tells the sample of a line from others.
func (l *long) keyOf(field func(j int) []byte) string {
	var b []byte
	for _, j := range l.keys {
		b = append(append(b, bytes.TrimSpace(field(j))...), 0)
	}
	return string(b)
}

// axisKey is a value of the axis, the same for 400 and 400.0.
func axisKey(p *parser, s []byte) string {
	if v, ok := p.value(s); ok {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return string(bytes.TrimSpace(s))
}

// chooseLong decides whether a text is read as a long table. The error asks.
func (f *frame) chooseLong(p *parser, cut bool) (l *long, err *Error) {
	d := &p.dialect
	if d.Long == LongNo || d.Long == LongAuto && (!d.Guess || d.Transpose == TransposeYes) {
		return nil, nil
	}
	l, t, why := f.long(p, cut)
	ask, fail := d.Words.Long, new(Error)
	switch {
	case d.Long == LongYes && d.Transpose == TransposeYes:
		fail.Msg = "a long table has a row for each sample, and is not turned"
		return nil, fail
	case d.Long == LongYes && l == nil:
		fail.Msg = "a long table has at least three columns: samples, wavelengths or the like, and values"
		return nil, fail
	case d.Long == LongYes && len(l.values) == 1:
		return l, nil
	case t == asItStands && d.Long == LongAuto, len(d.Known) > 0 &&
		l.hasAll(d.Known, slices.Concat(l.keys, l.values, []int{l.axis})):
		return nil, nil
	case len(l.values) > 1:
		fail.Msg = "this seems to be a long table with " + Count(len(l.values), "column") + " of values, " +
			someOf(mapped(l.values, l.called)) + ", of which a file may have one"
		return nil, fail.advise(ask, ask+" no reads the lines as they are", []string{ask, "no"})
	}
	err = d.doubt(t, l.hasAll(d.columns(), l.keys), ask, "this seems to be a long table, since "+why, "makes a row of each sample",
		"reads the lines as they are")
	if err != nil || t == likely {
		return nil, err
	}
	return l, nil
}

// left returns those of some columns that are keys, with their places in the table that is made.
func (l *long) left(columns []string) (left []string) {
	for i, j := range l.keys {
		if slices.Contains(columns, l.name(j)) || slices.Contains(columns, strconv.Itoa(j+1)) {
			left = append(left, strconv.Itoa(i+1))
		}
	}
	return left
}

func (d *Dialect) columns() []string {
	list := slices.Concat(d.Drop, d.Keep)
	for _, column := range []string{d.Label, d.Weights, d.ID} {
		if column != "" && column != NoID {
			list = append(list, column)
		}
	}
	return list
}

func (l *long) hasAll(names []string, columns []int) bool {
	return hasAll(mapped(columns, l.name), names)
}

// places numbers different keys in the order in which they come.
type places struct {
	of    map[string]int
	first []int // where each came first
}

// add returns the number of a key that comes at place i.
func (p *places) add(key string, i int) int {
	n, ok := p.of[key]
	if !ok {
		n = len(p.first)
		p.of[key], p.first = n, append(p.first, i)
	}
	return n
}

// pivot arranges the entries of a long table: a row for each sample, a column for each value of the axis after
// those of the keys. Numbers rise or fall as the first two. why says what becomes of them.
func (s *survey) pivot(p *parser, in *chunks, text []byte, l *long) (a *arranged, why string, err error) {
	lines, at, err := s.records(p, in, text, func([][]byte) bool { return false })
	if err != nil {
		return nil, "", err
	}
	skip := min(l.lines, len(lines))
	entries := lines[skip:]
	at = at[skip:]
	sample, x := make([]int, len(entries)), make([]int, len(entries)) // of each entry
	samples, points := places{of: map[string]int{}}, places{of: map[string]int{}}
	var numbers []float64
	for i := range entries {
		sample[i] = samples.add(l.keyOf(entries[i].field), i)
		field := entries[i].field(l.axis)
		if x[i] = points.add(axisKey(p, field), i); points.first[x[i]] != i {
			continue
		}
		if absent(field) || x[i] == mostColumns {
			return nil, "", &Error{Source: p.source, Line: at[i], Column: l.axis + 1, Msg: "a long table needs a value in " +
				l.called(l.axis) + " on each line, and at most " + strconv.Itoa(mostColumns)}
		}
		if v, ok := p.value(field); ok {
			numbers = append(numbers, v)
		}
	}
	n, width := len(samples.first), len(points.first)
	if float64(n)*float64(width) > 20*float64(len(entries))+1000 || n == 0 {
		return nil, "", &Error{Source: p.source, Msg: "a long table of " + Count(n, "sample") + " and " +
			strconv.Itoa(width) + " values of " + l.called(l.axis) + " has only " +
			strconv.Itoa(len(entries)) + " entries; samples must have values in common"}
	}
	order, rank := make([]int, width), make([]int, width)
	for j := range order {
		order[j] = j
	}
	if len(numbers) == width {
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Compare(numbers[a], numbers[b]) * cmp.Compare(numbers[min(1, width-1)], numbers[0])
		})
	}
	for r, j := range order {
		rank[j] = r
	}
	named := func(i int) string {
		key := func(j int) string { return shown(entries[samples.first[i]].field(j)) }
		return quote(strings.Join(mapped(l.keys, key), " "))
	}
	entry := make([]int, n*width) // of each sample and value of the axis, from 1; 0: none
	for i := range entries {
		to := &entry[sample[i]*width+rank[x[i]]]
		if *to > 0 {
			return nil, "", &Error{Source: p.source, Line: at[i], Msg: "a second value of " + named(sample[i]) +
				" at " + shown(entries[i].field(l.axis)) + " in " + l.called(l.axis) + "; the first is on line " +
				strconv.Itoa(at[*to-1])}
		}
		*to = i + 1
	}
	why = l.called(l.values[0]) + " becomes " + Count(n, "row") + " of " + Count(width, "column") +
		", one for each value of " + l.called(l.axis)
	if gaps := n*width - len(entries); gaps > 0 {
		why += "; " + strconv.Itoa(gaps) + Plural(gaps, " entry is missing", " entries are missing")
	}
	for r, j := range order {
		rank[r] = points.first[j]
	}
	return &arranged{lines: entries, at: at, rows: 1 + n, columns: len(l.keys) + width, head: l.names,
		on:   func(i int) string { return "of " + named(i-1) },
		from: func(i, j int) (int, int) { return l.from(i, j, samples.first, rank, entry) }}, why, nil
}

// from is where a field of the table is: of which entry and in which of its fields, below 0 if there is none.
// samples and points are the first entries of each, and entry has that of each sample and point, from 1.
func (l *long) from(i, j int, samples, points, entry []int) (line, field int) {
	at := j - len(l.keys)
	switch {
	case i == 0 && at < 0:
		return -1, l.keys[j]
	case i == 0:
		return points[at], l.axis
	case at < 0:
		return samples[i-1], l.keys[j]
	}
	if e := entry[(i-1)*len(points)+at]; e > 0 {
		return e - 1, l.values[0]
	}
	return samples[i-1], -1
}

func (l *long) called(j int) string {
	if name := l.name(j); name != "" {
		return quote(name)
	}
	return "column " + strconv.Itoa(j+1)
}

// settings changes a Dialect of the text to one of the table that is made.
func (l *long) settings(d *Dialect) {
	d.Header = HeaderYes
	d.Drop, d.Keep = l.left(d.Drop), l.left(d.Keep)
	for i, j := range l.keys {
		column := strconv.Itoa(i + 1)
		given := func(s string) bool { return s == column || s == l.name(j) }
		switch {
		case slices.ContainsFunc(d.columns(), given):
		case d.ID == NoID:
			d.Drop = append(slices.Clone(d.Drop), column)
		case d.ID == "" && (len(l.keys) == 1 || l.texts[j] && l.namesSamples(j)):
			d.ID = column
		case !l.texts[j]:
			d.Keep, d.Drop = append(slices.Clone(d.Keep), column), append(slices.Clone(d.Drop), column)
		}
	}
}
