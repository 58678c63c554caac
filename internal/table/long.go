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
	*frame
	keys   []int // of the samples
	axis   int
	values []int // must be one
	named  bool  // a name tells the axis
}

const mostLong = 8 // columns of a long table

// long finds the columns of a long table by their names and contents. It is nil where there are none.
// But if it is asked for, the last two columns are then the axis and the values.
func (f *frame) long(p *parser, cut bool) (l *long, t turning, why string) {
	asked := p.dialect.Long == LongYes
	if !f.ok || f.paired || f.width < 3 || !asked && (f.width > 2*mostLong || len(f.rows) < 3) {
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
	if t, why = l.judge(p, cut); f.width > mostLong {
		t = min(t, likely)
	}
	return l, t, why
}

// reduce leaves out keys that tell of the axis or of entries alone, such as units and flags. It leaves out values
// that tell of a sample or of the axis alone, such as codes and places, and columns that the Dialect leaves out.
func (l *long) reduce(p *parser) {
	rows := l.rows
	given := Set(slices.Concat(p.dialect.Drop, p.dialect.Keep))
	same := func(j int, of func(line [][]byte) string) bool {
		both := mapped(rows, func(line [][]byte) string { return of(line) + "\x00" + string(line[j]) })
		return len(Set(both)) == len(Set(mapped(rows, of)))
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
		all := l.keys
		l.keys = slices.DeleteFunc(slices.Clone(all), func(i int) bool { return i == j })
		entries := Set(mapped(rows, func(line [][]byte) string { return sample(line) + axis(line) }))
		if len(l.keys) == 0 || len(entries) < len(rows) || same(j, sample) {
			l.keys = all
		}
	}
	values := slices.DeleteFunc(slices.Clone(l.values), func(j int) bool {
		return given[strconv.Itoa(j+1)] || given[l.nameOf(j)] ||
			(same(j, axis) || same(j, sample)) && !is("uncertainty", l.nameOf(j))
	})
	if len(values) > 0 {
		l.values = values
	}
}

// find fills in keys, axis and values by names and contents, and reports whether the table has some of each.
func (l *long) find() bool {
	var texts, numbers []int
	for j := range l.all {
		c, name := &l.all[j], l.nameOf(j)
		before := name == "" || l.namesSamples(0) && l.namesSamples(1)
		switch count := unnamed(name) || l.width > 3 && j == 0 && before; {
		case c.consecutive && count, c.numbers+c.words == 0:
		case c.text():
			texts = append(texts, j)
		default:
			numbers = append(numbers, j)
		}
	}
	all := slices.Concat(texts, numbers)
	features := slices.DeleteFunc(slices.Clone(texts), func(j int) bool {
		return !is("gene", l.nameOf(j)) && !is("feature", l.nameOf(j)) && !is("down", l.nameOf(j))
	})
	spectral := slices.IndexFunc(numbers, func(j int) bool {
		return is("axis", l.nameOf(j)) && (len(features) == 0 || !is("aside", l.nameOf(j))) // as times of peptides
	})
	// A sample and a value of the axis: the first of three columns, or two of text beside one or two of numbers.
	pair := slices.DeleteFunc(slices.Clone(texts), func(j int) bool { return len(l.all[j].values) < 2 })
	if len(all) == 3 && (texts != nil || l.namesSamples(all[0])) {
		pair = all
	} else if n := len(pair); n < 2 || n > 2 && len(numbers) > 1 {
		pair = nil
	} else if pair = pair[n-2:]; len(numbers) > 2 && len(l.all[pair[0]].values) > len(l.all[pair[1]].values) {
		slices.Reverse(pair)
	}
	switch l.named = true; {
	case spectral >= 0:
		l.axis = numbers[spectral]
	case len(features) > 0:
		l.axis = slices.MaxFunc(features, func(i, j int) int { return len(l.all[i].values) - len(l.all[j].values) })
	case pair != nil:
		l.named, l.axis = false, pair[1]
		samples := func(j int) bool { return likeSample(l.nameOf(j)) || len(numbers) < 3 && idName(l.nameOf(j)) }
		if samples(pair[1]) && !samples(pair[0]) { // beside more numbers the ids of genes are no samples
			l.axis = pair[0]
		}
	default:
		return false
	}
	isAxis := func(j int) bool { return j == l.axis }
	numbers, l.keys = slices.DeleteFunc(numbers, isAxis), slices.DeleteFunc(texts, isAxis)
	for i, j := range numbers {
		if i < len(numbers)-1 && len(l.values) == 0 && (l.namesSamples(j) ||
			is("position", l.nameOf(j)) || is("date", l.nameOf(j)) ||
			l.named && len(all) == 3 && l.all[j].whole) {
			l.keys = append(l.keys, j)
		} else {
			l.values = append(l.values, j)
		}
	}
	slices.Sort(l.keys)
	return len(l.values) > 0 && len(l.keys) > 0
}

func (l *long) namesSamples(j int) bool { return idName(l.nameOf(j)) || likeSample(l.nameOf(j)) }

// judge says how sure it is that a text with these columns is long: most samples have most of the
// values of the axis, and none has one twice, unless a name says what the axis is.
func (l *long) judge(p *parser, cut bool) (turning, string) {
	sample := func(line [][]byte) string { return l.keyOf(func(j int) []byte { return line[j] }) }
	at := func(line [][]byte) string { return axisKey(p, line[l.axis]) }
	axis, n, samples := Set(mapped(l.rows, at)), len(l.rows), len(Set(mapped(l.rows, sample)))
	pairs := Set(mapped(l.rows, func(line [][]byte) string { return sample(line) + at(line) }))
	numbers := slices.Compact(slices.Clone(l.all[l.axis].list))
	numbers = numbers[:min(len(axis), len(numbers))]
	full := samples > 2 && len(pairs) == n && (n == samples*len(axis) || cut && 2*n >= samples*len(axis))
	spread := 2*len(pairs) >= samples*len(axis) && (samples == 1 || 2*len(pairs) >= 3*len(axis))
	several := len(l.values) > 2 || len(l.values) > 1 && l.width > mostLong // not values and their deviations
	why := "its lines have a value for each of " + Count(samples, "sample") + " of " +
		someOf(mapped(l.keys, l.column)) + " and " + strconv.Itoa(len(axis)) + " values of " + l.column(l.axis)
	return decide([]evidence{
		{len(axis) < 3 || !spread || several && !full, asItStands, ""},
		{l.named, certain, why},
		{full && l.head == nil && len(numbers) > 2 && regular(numbers) && spectrumLike(numbers), certain, why},
		{full || l.all[l.axis].text() && len(pairs) == n, likely, why},
	})
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
		if why != "" {
			fail.Msg += ": " + why
		}
		advice, tries := ask+" no reads the lines as they are", [][]string{{ask, "no"}}
		if drop := d.Words.Drop; drop != "" {
			best := slices.DeleteFunc(slices.Clone(l.values), func(j int) bool { return is("aside", l.nameOf(j)) })
			one := append(best, l.values[0])[0]
			if i := slices.IndexFunc(best, func(j int) bool { return !l.all[j].whole }); i > 0 { // not a code
				one = best[i]
			}
			rest := slices.DeleteFunc(slices.Clone(l.values), func(j int) bool { return j == one })
			others := strings.Join(mapped(rest, func(j int) string { return strconv.Itoa(j + 1) }), ",")
			advice += ", " + ask + " yes " + drop + " " + others + " makes a row of each sample, of " + l.called(one)
			tries = append(tries, []string{ask, "yes", drop, others})
		}
		return nil, fail.advise(ask, advice, tries...)
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
		if slices.Contains(columns, l.nameOf(j)) || slices.Contains(columns, strconv.Itoa(j+1)) {
			left = append(left, strconv.Itoa(i+1))
		}
	}
	return left
}

func (d *Dialect) columns() []string {
	none := func(column string) bool { return column == "" || column == NoID }
	return slices.Concat(d.Drop, d.Keep, slices.DeleteFunc([]string{d.Label, d.Weights, d.ID}, none))
}

func (l *long) hasAll(names []string, columns []int) bool {
	return hasAll(mapped(columns, l.nameOf), names)
}

// pivot arranges the entries of a long table: a row for each sample, a column for each value of the axis after
// those of the keys. Numbers rise or fall as the first two. why says what becomes of them.
func (s *survey) pivot(p *parser, in *chunks, text []byte, l *long) (a *arranged, why string, err error) {
	lines, at, err := s.records(p, in, text, func([][]byte) bool { return false })
	if err != nil {
		return nil, "", err
	}
	skip := min(l.above(), len(lines))
	columns, rows := map[string]int{}, map[string]int{} // of each value of the axis, and of each sample
	var points []int                                    // the first line of each value
	numbers := map[int]float64{}                        // on these lines
	places := make([][2]int, len(lines))                // the row of each line, and its value among points
	for i := skip; i < len(lines); i++ {
		sample, field := l.keyOf(lines[i].field), lines[i].field(l.axis)
		if rows[sample] == 0 {
			rows[sample] = 1 + len(rows)
		}
		key := axisKey(p, field)
		point, ok := columns[key]
		if places[i] = [2]int{rows[sample], point}; ok {
			continue
		}
		if absent(field) || len(points) == mostColumns {
			return nil, "", &Error{Source: p.source, Line: at[i], Column: l.axis + 1, Msg: "a long table needs a value in " +
				l.called(l.axis) + " on each line, and at most " + strconv.Itoa(mostColumns)}
		}
		places[i][1], columns[key], points = len(points), len(points), append(points, i)
		if v, ok := p.value(field); ok {
			numbers[i] = v
		}
	}
	n, width, entries := len(rows), len(points), len(lines)-skip
	if float64(n)*float64(width) > 20*float64(entries)+1000 || n == 0 {
		return nil, "", &Error{Source: p.source, Msg: "a long table of " + Count(n, "sample") + " and " +
			strconv.Itoa(width) + " values of " + l.called(l.axis) + " has only " +
			strconv.Itoa(entries) + " entries; samples must have values in common"}
	}
	if len(numbers) == width {
		sign := cmp.Compare(numbers[points[min(1, width-1)]], numbers[points[0]])
		slices.SortFunc(points, func(a, b int) int { return sign * cmp.Compare(numbers[a], numbers[b]) })
	}
	cells := make([][]cell, 1+n)
	row := func(line int) []cell { // the keys of a line, and no values
		list := slices.Repeat([]cell{{int32(line), -1}}, len(l.keys)+width)
		for i, j := range l.keys {
			list[i].field = int32(j)
		}
		return list
	}
	if cells[0] = row(0); l.head == nil {
		cells[0] = slices.Repeat([]cell{{0, -1}}, len(cells[0]))
	}
	column := make([]int, width) // of each value of the axis
	for j, i := range points {
		column[places[i][1]] = len(l.keys) + j
		cells[0][len(l.keys)+j] = cell{int32(i), int32(l.axis)}
	}
	named := func(i int) string {
		key := func(j int) string { return shown(lines[cells[i][0].line].field(j)) }
		return quote(strings.Join(mapped(l.keys, key), " "))
	}
	for i := skip; i < len(lines); i++ {
		r := places[i][0]
		if cells[r] == nil {
			cells[r] = row(i)
		}
		to := &cells[r][column[places[i][1]]]
		if to.field >= 0 {
			return nil, "", &Error{Source: p.source, Line: at[i], Msg: "a second value of " + named(r) +
				" at " + shown(lines[i].field(l.axis)) + " in " + l.called(l.axis) + "; the first is on line " +
				strconv.Itoa(at[to.line])}
		}
		*to = cell{int32(i), int32(l.values[0])}
	}
	why = l.called(l.values[0]) + " becomes " + Count(n, "row") + " of " + Count(width, "column") +
		", one for each value of " + l.called(l.axis)
	value := &l.all[l.values[0]]
	if gaps := n*width - entries; gaps > 0 && l.all[l.axis].text() && value.whole && value.least > 0 {
		lines, at = append(lines, pack([][]byte{[]byte("0")})), append(at, 0)
		for _, row := range cells[1:] {
			for j := len(l.keys); j < len(row); j++ {
				if row[j].field < 0 {
					row[j] = cell{int32(len(lines) - 1), 0}
				}
			}
		}
		why += "; " + Count(gaps, "value") + Plural(gaps, " without a line is", " without lines are") +
			" taken for 0, since the others are counts from 1"
	} else if gaps > 0 {
		why += "; " + strconv.Itoa(gaps) + Plural(gaps, " entry is missing", " entries are missing")
	}
	return &arranged{lines: lines, at: at, cells: cells,
		on: func(i int) string { return "of " + named(i) }}, why, nil
}

func (l *long) called(j int) string {
	if name := l.nameOf(j); name != "" {
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
