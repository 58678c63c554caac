package table

// Spectrometers such as the Cary write a pair of columns for each sample, wavelengths and values: a
// line of samples' names stands above, and text about each sample may follow the numbers.

import (
	"slices"
	"strings"
)

// pair reports whether lines begin with the header of such a table, two lines, and fills the frame.
func (f *frame) pair(lines [][][]byte) bool {
	if len(lines) < 3 {
		return false
	}
	names, axes := lines[0], lines[1]
	if !paired(names, axes) { // some programs write the names below
		names, axes = axes, names
	}
	if !paired(names, axes) {
		return false
	}
	f.ok, f.paired, f.above, f.rows = true, true, 2, lines[2:]
	f.width = len(axes) &^ 1 // without a blank last column
	f.name = shown(axes[0])
	f.head = slices.Concat(axes[:1], make([][]byte, f.width-1))
	for j := 1; j < f.width; j += 2 {
		if f.head[j] = names[j]; absent(names[j]) {
			f.head[j] = names[j-1]
		}
		if f.samples = append(f.samples, j); j > 1 {
			f.again = append(f.again, j-1)
		}
	}
	f.aside = f.again
	return true
}

// paired reports whether axes has the same name of an axis before each other name, and names one for each
// pair. The last column may be blank.
func paired(names, axes [][]byte) bool {
	n := len(axes) &^ 1
	if n == 0 || len(names)&^1 != n || len(axes) > n && present(axes[n]) {
		return false
	}
	for j := 0; j < n; j += 2 {
		if !sameAxis(string(axes[j]), string(axes[0])) || absent(axes[j+1]) || is("axis", string(axes[j+1])) ||
			present(names[j]) == present(names[j+1]) {
			return false
		}
	}
	return true
}

// sameAxis reports whether two names of axes differ at most in a number, as nm and nm.1 of pandas and R.
func sameAxis(name, other string) bool {
	plain := func(name string) string {
		shape, _ := shapeOf(name)
		return strings.TrimSuffix(shape, ".0")
	}
	return is("axis", plain(name)) && plain(name) == plain(other)
}

func (f *frame) after(line [][]byte) bool {
	return f.paired && len(within(line, f.width)) != f.width && !numeric(line[0])
}

// agree returns an error unless all columns of the axis are the same.
func (f *frame) agree(p *parser, lines []packed) error {
	for i := range lines[min(1, len(lines)):] {
		line := &lines[i+1]
		for _, j := range f.again {
			if first, other := line.field(0), line.field(j); axisKey(p, first) != axisKey(p, other) {
				e := &Error{Source: p.source, Line: line.at, Column: j + 1, Msg: quote(string(other)) + " in " + f.name +
					", but " + quote(string(first)) + " in column 1; samples must have the same axis: interpolate them"}
				w := p.dialect.Words.Transpose
				return e.advise(w, w+" no reads the rows as they are", []string{w, "no"})
			}
		}
	}
	return nil
}
