package table

// Spectrometers such as the Cary write a pair of columns for each sample, wavelengths and values: a
// line of samples' names stands above, and text about each sample may follow the numbers.

import (
	"slices"
	"strings"
)

// pair reports whether lines begin with the header of such a table, and fills the frame. Without a line
// of samples' names all wavelengths must rise or fall.
func (f *frame) pair(p *parser, lines [][][]byte) bool {
	if len(lines) < 3 {
		return false
	}
	names, axes := lines[0], lines[1]
	switch f.units = 1; {
	case paired(names, axes):
	case paired(axes, names): // which some programs write below
		names, axes = axes, names
	case paired(nil, names):
		axes, f.units = names, 0
	default:
		return false
	}
	f.paired, f.width = true, len(axes)&^1 // without a blank last one
	f.head = make([][]byte, f.width)
	for j := 1; j < f.width; j += 2 {
		f.samples, f.aside = append(f.samples, j), append(f.aside, j-1)
		if f.head[j] = names[j]; len(names[j]) == 0 {
			f.head[j] = names[j-1]
		}
	}
	f.rows, p.width = lines[1+f.units:], f.width
	all := p.columnsOf(f.rows)
	falls := func(j int) bool { return all[j].axis(len(f.rows)) == nil }
	ok := f.units > 0 || !slices.ContainsFunc(f.aside, falls)
	f.head[0], f.aside = axes[0], f.aside[1:]
	return ok
}

// paired reports whether axes has the same name of an axis before each other name, and names, if not
// nil, one for each pair. The last column may be blank.
func paired(names, axes [][]byte) bool {
	n := len(axes) / 2
	if names == nil && n < 2 || names != nil && len(names)/2 != n || n < 1 ||
		len(axes)%2 == 1 && present(axes[2*n]) {
		return false
	}
	shapeOf := func(name []byte) string { // but for the number of nm.1, as pandas and R write
		shape, _ := shapeOf(string(name))
		return strings.TrimSuffix(shape, ".0")
	}
	first := shapeOf(axes[0])
	for j := 0; j < 2*n; j += 2 {
		shape := shapeOf(axes[j])
		if shape != first || !is("axis", shape) || absent(axes[j+1]) || is("axis", string(axes[j+1])) ||
			names != nil && present(names[j]) == present(names[j+1]) {
			return false
		}
	}
	return true
}

func (f *frame) after(line [][]byte) bool {
	return f.paired && len(within(line, f.width)) != f.width && !numeric(line[0])
}

// agree returns an error unless all pairs of a line have the same wavelength.
func (f *frame) agree(p *parser, lines []packed, at []int) error {
	for i := 1; i < len(lines) && f.paired; i++ {
		line := &lines[i]
		for _, j := range f.aside {
			if axisKey(p, line.field(j)) == axisKey(p, line.field(0)) {
				continue
			}
			e := &Error{Source: p.source, Line: at[i], Column: j + 1, Msg: quote(string(line.field(j))) + " in " +
				shown(f.head[0]) + " of " + quote(string(f.head[j+1])) + ", but " + quote(string(line.field(0))) +
				" in column 1; samples in pairs of columns must have the same axis: interpolate them before"}
			if w := p.dialect.Words.Transpose; f.units == 0 {
				e.advise(w, w+" no reads the rows as they are", []string{w, "no"})
			}
			return e
		}
	}
	return nil
}
