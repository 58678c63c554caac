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
func (s *survey) long(p *parser) (l *long, t turning, why string) {
	asked := p.dialect.Long == LongYes
	f, ok := s.frame(p)
	if !ok || f.paired || f.width < 3 || !asked && (f.width > mostLong || len(f.rows) < 3) {
		return nil, asItStands, ""
	}
	p.width = f.width
	columns := p.columnsOf(f.rows)
	l = &long{names: f.head, lines: f.units}
	if f.head != nil {
		l.lines++
	}
	l.texts = mapped(columns, func(c column) bool { return c.text() })
	if !l.find(columns) {
		if l.keys = nil; !asked {
			return nil, asItStands, ""
		}
		l.axis, l.values = f.width-2, []int{f.width - 1}
		for j := range l.axis {
			l.keys = append(l.keys, j)
		}
	}
	t, why = l.judge(p, f.rows, s.cut)
	return l, t, why
}

func (l *long) find(columns []column) bool {
	width := len(columns) // without one that counts the rows
	var texts, numbers []int
	for j := range columns {
		name := l.name(j)
		switch c := &columns[j]; {
		case c.consecutive && (name == "" && j == 0 && width > 3 || unnamed(name)):
			width--
		case l.texts[j]:
			texts = append(texts, j)
		default:
			numbers = append(numbers, j)
		}
	}
	spectral := slices.IndexFunc(numbers, func(j int) bool { return is("axis", l.name(j)) })
	feature := slices.IndexFunc(texts, func(j int) bool {
		return is("gene", l.name(j)) || is("feature", l.name(j))
	})
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
			is("position", l.name(j)) ||
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
func (s *survey) chooseLong(d *Dialect) (l *long, err *Error) {
	if d.Long == LongNo || d.Long == LongAuto && (!d.Guess || d.Transpose == TransposeYes) {
		return nil, nil
	}
	p := &parser{layout: &layout{dialect: *d}}
	l, t, why := s.long(p)
	ask := d.Words.Long
	given := d.rolesGiven()
	if t == certain && d.Names == nil && d.Header != HeaderNo && l.hasAll(d.columns(), l.keys) {
		given = "" // about columns that stay
	}
	fail := new(Error)
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
	err = d.doubt(t, given, ask, "this seems to be a long table, since "+why, "makes a row of each sample",
		"reads the lines as they are")
	if err != nil || t == likely {
		return nil, err
	}
	return l, nil
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

// longText is a long table, and where its entries are in the text.
type longText struct {
	*long
	lines []packed
	line  []int // of each of lines
	// Indices into lines: the first of each sample and of each value of the axis, in the order of the rows; and
	// for each sample and value of the axis, the entry, from 1; 0: none.
	samples, points, at []int
}

// pivot finds the entry of each sample and value of the axis. Numbers rise or fall as the first two.
func (s *survey) pivot(p *parser, in *chunks, text []byte, l *long) (*longText, error) {
	lines, line, err := s.records(p, in, text, func([][]byte) bool { return false })
	if err != nil {
		return nil, err
	}
	skip := min(l.lines, len(lines))
	t := &longText{long: l, lines: lines[skip:], line: line[skip:]}
	sample, x := make([]int, len(t.lines)), make([]int, len(t.lines)) // of each line
	samples, xs := map[string]int{}, map[string]int{}
	var numbers []float64
	number := func(of map[string]int, key string, list *[]int, i int) int {
		n, ok := of[key]
		if !ok {
			n = len(*list)
			of[key], *list = n, append(*list, i)
		}
		return n
	}
	for i := range t.lines {
		sample[i] = number(samples, l.keyOf(t.lines[i].field), &t.samples, i)
		at := t.lines[i].field(l.axis)
		if x[i] = number(xs, axisKey(p, at), &t.points, i); t.points[x[i]] != i {
			continue
		}
		if absent(at) || x[i] == mostColumns {
			return nil, &Error{Source: p.source, Line: t.line[i], Column: l.axis + 1, Msg: "a long table needs a value in " +
				l.called(l.axis) + " on each line, and at most " + strconv.Itoa(mostColumns)}
		}
		if v, ok := p.value(at); ok {
			numbers = append(numbers, v)
		}
	}
	n, width := len(t.samples), len(t.points)
	if float64(n)*float64(width) > 20*float64(len(t.lines))+1000 || n == 0 {
		return nil, &Error{Source: p.source, Msg: "a long table of " + Count(n, "sample") + " and " +
			strconv.Itoa(width) + " values of " + t.called(l.axis) + " has only " +
			strconv.Itoa(len(t.lines)) + " entries; samples must have values in common"}
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
	t.points = mapped(order, func(j int) int { return t.points[j] })
	for r, j := range order {
		rank[j] = r
	}
	t.at = make([]int, n*width)
	for i := range t.lines {
		to := &t.at[sample[i]*width+rank[x[i]]]
		if *to > 0 {
			return nil, &Error{Source: p.source, Line: t.line[i], Msg: "a second value of " + t.sample(sample[i]) +
				" at " + shown(t.lines[i].field(l.axis)) + " in " + t.called(l.axis) + "; the first is on line " +
				strconv.Itoa(t.line[*to-1])}
		}
		*to = i + 1
	}
	return t, nil
}

func (l *long) called(j int) string {
	if name := l.name(j); name != "" {
		return quote(name)
	}
	return "column " + strconv.Itoa(j+1)
}

func (t *longText) sample(i int) string {
	return quote(strings.Join(mapped(t.keys, func(j int) string { return shown(t.lines[t.samples[i]].field(j)) }), " "))
}

// cell is a field of the table with a row for each sample: its keys, then its values. Row 0 has names.
func (t *longText) cell(i, j int) []byte {
	at := j - len(t.keys)
	switch {
	case i == 0 && at >= 0:
		return t.lines[t.points[at]].field(t.axis)
	case i == 0 && t.names == nil:
		return []byte("sample")
	case i == 0:
		return t.names[t.keys[j]]
	case at < 0:
		return t.lines[t.samples[i-1]].field(t.keys[j])
	}
	if e := t.at[(i-1)*len(t.points)+at]; e > 0 {
		return t.lines[e-1].field(t.values[0])
	}
	return nil
}

func (s *survey) openLong(in *chunks, text []byte, d Dialect, l *long) (*Reader, *chunks, error) {
	word, note := d.Words.Long, "the table is long: "
	if d.Long == LongYes {
		note = "the table is long, as asked: "
	}
	if d.Stream {
		return nil, in, d.inBlocks(in.source, word)
	}
	p := &parser{layout: &layout{dialect: d, source: in.source}}
	t, err := s.pivot(p, in, text, l)
	if err != nil {
		return nil, in, err
	}
	note += l.called(l.values[0]) + " becomes " + Count(len(t.samples), "row") + " of " +
		Count(len(t.points), "column") + ", one for each value of " + l.called(l.axis)
	if gaps := len(t.at) - len(t.lines); gaps > 0 {
		note += "; " + strconv.Itoa(gaps) + Plural(gaps, " entry is missing", " entries are missing")
	}
	if d.Long == LongAuto {
		note += hint(word, " no reads its lines as rows")
	}
	d.Long, d.Header, d.Transpose = LongNo, HeaderYes, TransposeNo
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
	r, in, err := s.reopen(in, d.csv(1+len(t.samples), len(t.keys)+len(t.points), t.cell), d, note, t)
	if err != nil {
		return nil, in, err
	}
	r.Long = true
	return r, in, nil
}

// place is where an entry, a key or the name of a column was.
func (t *longText) place(line, column int) (int, int) {
	i, j := line-2, column-1-len(t.keys)
	switch {
	case i < 0 || i >= len(t.samples) || column < 1:
		return 1, 0
	case j < 0:
		return t.line[t.samples[i]], t.keys[column-1] + 1
	}
	if e := t.at[i*len(t.points)+j]; e > 0 {
		return t.line[e-1], t.values[0] + 1
	}
	return t.line[t.samples[i]], 0
}

func (t *longText) on(line int) string { return "of " + t.sample(line-2) }
