package modelfile

// How a field of a model file is read, written and checked: File.fields says which ones there are.

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"softkmeans"
	"softkmeans/internal/fault"
)

// walk goes through the fields of a file. It reads them from in or writes them to out; if both are nil, it
// checks them.
type walk struct {
	in  *reader
	out *writer
	// Of a check: the kind of its errors, and the first error.
	kind, err error

	// Fields that File lacks.
	version, k int
	checksum   string
}

// Rules for numbers. With always, a number is written even if it is 0, and a whole number is required in the
// input. With notBelow0, a number below 0 fails the check.
const (
	always = 1 << iota
	notBelow0
)

// must stores an error of the given kind in t.err if holds is false and no error is stored yet.
func (t *walk) must(holds bool, kind error, text ...any) {
	if !holds && t.err == nil {
		t.err = fault.New(kind, text...)
	}
}

// checking reports whether t checks a file, and neither reads nor writes it.
func (t *walk) checking() bool { return t.in == nil && t.out == nil }

// at goes to a field: to its value if it is next in the input, or to its place in the output if it is filled.
// It reports whether the field is there.
func (t *walk) at(name string, filled bool) bool {
	switch {
	case t.in != nil:
		return t.in.field(name)
	case t.out == nil:
		return false
	case filled:
		t.out.key(name)
	}
	return filled
}

// head goes through format, version, method, k and columns.
func (t *walk) head(f *File) {
	form, v, k := format, version, f.K()
	t.text("format", &form, true)
	t.integer("version", &v, math.MaxInt32, always)
	if t.in != nil && t.in.err == nil && (form != format || v < 1 || v > version) {
		t.in.name = ""
		t.in.fail(quotedShort(form) + " of version " + strconv.Itoa(v) +
			"; this package reads models of versions 1 and " + strconv.Itoa(version))
	}
	t.version = v
	t.text("method", &f.Method, false)
	t.integer("k", &k, math.MaxInt32, always)
	t.k = k
	t.texts("columns", &f.Columns, -mostCols)
	if t.in != nil && len(f.Columns) == 0 {
		t.missing("columns")
	}
	if t.in != nil && k == 0 {
		t.in.fail("k is 0")
	}
}

const misplaced = " is unknown, repeated or not in its place"

// missing reports, when reading, that a required field is not there.
func (t *walk) missing(name string) {
	if t.in == nil {
		return
	}
	if t.in.key == "" {
		t.in.fail("the field " + name + " is missing")
	}
	t.in.fail("the field " + name + " is missing, or " + quotedShort(t.in.key) + misplaced)
}

// shorter checks that a string takes at most mostName bytes as it is written. Each byte that is no
// UTF-8 becomes U+FFFD.
func (t *walk) shorter(name, s string) {
	size := 0
	for _, r := range s {
		size += utf8.RuneLen(r)
	}
	t.must(size <= mostName, softkmeans.ErrFormat, name+": a string of more than ", mostName, " bytes")
}

// value reads the value of a field that is in the input, or writes the value of a field that is filled or
// required.
func (t *walk) value(name string, filled, required bool, read, write func()) {
	switch {
	case !t.at(name, filled || required):
		if required {
			t.missing(name)
		}
	case t.in == nil:
		write()
	default:
		read()
		t.in.done()
	}
}

func (t *walk) text(name string, v *string, required bool) {
	if t.checking() {
		t.shorter(name, *v)
	}
	t.value(name, *v != "", required, func() { *v = t.in.word() }, func() { t.out.text(*v) })
}

func (t *walk) flag(name string, v *bool) {
	t.value(name, true, false, func() { *v = t.in.flag() }, func() { t.out.put(strconv.FormatBool(*v)) })
}

// number reads, writes or checks a number; a missing field is 0.
func (t *walk) number(name string, v *float64, rules int) {
	if t.checking() && rules&notBelow0 != 0 {
		t.must(*v >= 0, t.kind, name+" is ", *v, ", below 0")
	}
	read := func() { *v = t.in.number() }
	t.value(name, *v != 0 || rules&always != 0, false, read, func() { t.out.number(*v) })
}

// integer reads, writes or checks a whole number from 0 to most, which is always written.
func (t *walk) integer(name string, v *int, most uint64, rules int) {
	if t.checking() {
		t.within(name, *v, most)
	}
	read := func() { *v = int(t.in.integer(min(most, math.MaxInt))) }
	t.value(name, true, rules&always != 0, read, func() { t.out.integer(*v) })
}

// within checks that a number is from 0 to most.
func (t *walk) within(name string, v int, most uint64) {
	t.must(v >= 0 && uint64(v) <= most, t.kind, name+": ", v, " is not from 0 to ", most)
}

func (t *walk) seed(name string, v *uint64) {
	read := func() { *v = t.in.integer(math.MaxUint64) }
	t.value(name, *v != 0, false, read, func() { t.out.put(strconv.FormatUint(*v, 10)) })
}

// list reads, writes or checks a list of n items; for n < 0, of at most −n. A missing field is nil. has is
// the number of items to write or check. item writes or checks item i, or reads and appends an item.
func (t *walk) list(name string, n, has int, lines bool, item func(i int)) {
	if t.checking() {
		t.must(has <= max(n, -n) || n > 0, softkmeans.ErrFormat, name+": more than ", -n, " in a list")
		t.must(n < 0 || has == 0 || has == n, t.kind, name+": ", has, " in a list of ", n)
		for i := 0; i < has && t.err == nil; i++ {
			item(i)
		}
	}
	read := func() { t.items(n, func() { item(0) }) }
	t.value(name, has > 0, false, read, func() { t.out.list(has, lines, item) })
}

// items reads n items; for n < 0, at most −n.
func (t *walk) items(n int, item func()) {
	if got := t.in.list(max(n, -n), item); got < n {
		t.in.fail(strconv.Itoa(got) + " in a list of " + strconv.Itoa(n))
	}
}

func (t *walk) numbers(name string, v *[]float64, n int) {
	listOf(t, name, v, n, t.in.number, t.out.number, func(float64) {})
}

func (t *walk) integers(name string, v *[]int, n int) {
	read := func() int { return int(t.in.integer(min(mostCount, math.MaxInt))) }
	listOf(t, name, v, n, read, t.out.integer, func(x int) { t.within(name, x, mostCount) })
}

// texts reads, writes or checks a list of n strings; for n < 0, of at most −n.
func (t *walk) texts(name string, v *[]string, n int) {
	listOf(t, name, v, n, t.in.word, t.out.text, func(s string) { t.shorter(name, s) })
}

// listOf returns the field of the slice v; its arguments are functions that read, write and check one item.
func listOf[T any](t *walk, name string, v *[]T, n int, read func() T, write, check func(T)) {
	t.list(name, n, len(*v), false, func(i int) {
		switch {
		case t.in != nil:
			*v = append(*v, read())
		case t.out != nil:
			write((*v)[i])
		default:
			check((*v)[i])
		}
	})
}

// matrix reads, writes or checks a list of n rows of d numbers; for n < 0, of at most −n rows.
func (t *walk) matrix(name string, m **softkmeans.Matrix, n, d int) {
	rows := 0
	if *m != nil {
		rows = (*m).Rows
	}
	if t.checking() {
		t.checkMatrix(name, *m, d)
	}
	var r rowReader
	t.list(name, n, rows, true, func(i int) {
		switch {
		case t.in != nil:
			r.read(t, d)
		case t.out != nil:
			t.row((*m).Row(i))
		}
	})
	if t.in != nil {
		*m = r.matrix(t, d)
	}
}

// checkMatrix checks a matrix of d columns, or none. Centers in the table's units may exceed the range of
// other entries.
func (t *walk) checkMatrix(name string, m *softkmeans.Matrix, d int) {
	err := checkMatrix(name, m)
	e, ok := err.(*softkmeans.InputError)
	if ok && name == "centers" && math.Abs(e.Value) <= math.MaxFloat64 {
		err = nil
	}
	if t.err == nil {
		t.err = err
	}
	t.must(m == nil || m.Cols == d, t.kind, name+" has not a number for each of ", d, " columns")
}

// row writes a row.
func (t *walk) row(row []float64) {
	t.out.list(len(row), false, func(j int) { t.out.number(row[j]) })
}

// rowReader takes the rows of a matrix.
type rowReader struct {
	data []float64
	rows int
}

func (r *rowReader) read(t *walk, d int) {
	t.items(d, func() { r.data = append(r.data, t.in.number()) })
	r.rows++
}

// matrix returns the matrix of the rows; nil for none, and after an error.
func (r *rowReader) matrix(t *walk, d int) *softkmeans.Matrix {
	if t.in.err != nil || r.rows == 0 {
		return nil
	}
	return softkmeans.NewMatrix(r.rows, d, r.data)
}

// choose goes through a value of a type with names. The first name stands for a missing field. Values
// behind the last name are written in parentheses, as Solver(7).
func choose[T interface {
	~int
	String() string
}](t *walk, name string, v *T) {
	if t.checking() {
		t.must(*v >= 0 && !unnamed((*v).String()), t.kind, name+" is "+(*v).String())
	}
	read := func() {
		word := t.in.word()
		for *v = 0; (*v).String() != word; *v++ {
			if unnamed((*v).String()) {
				*v = 0
				t.in.fail("it is " + quotedShort(word))
				break
			}
		}
	}
	t.value(name, *v != 0, false, read, func() { t.out.text((*v).String()) })
}

// either reads, writes or checks a choice of the two words no and yes. A missing field stands for no.
func (t *walk) either(name string, v *bool, no, yes string) {
	read := func() {
		if word := t.in.word(); word == yes || word == no {
			*v = word == yes
		} else {
			t.in.fail("it is " + quotedShort(word))
		}
	}
	t.value(name, *v, false, read, func() { t.out.text(yes) })
}

func unnamed(name string) bool { return strings.HasSuffix(name, ")") }

// warnings goes through objects of kind, cluster, other and value. In version 1 warnings are sentences.
func (t *walk) warnings(m *softkmeans.Model) {
	t.list("warnings", -mostName, len(m.Warnings), true, func(i int) {
		if t.in == nil {
			w := m.Warnings[i]
			if t.out == nil {
				known := w.Kind >= 0 && !unnamed(w.Kind.String()) &&
					min(w.Cluster, w.Other) >= 0 && max(w.Cluster, w.Other) < t.k
				t.must(known, t.kind, "the model's warning ", i, " has values that no fit returns")
				return
			}
			t.out.put(`{"kind":`)
			t.out.text(w.Kind.String())
			t.out.put(`,"cluster":` + strconv.Itoa(w.Cluster))
			t.out.put(`,"other":` + strconv.Itoa(w.Other) + `,"value":`)
			t.out.number(w.Value)
			t.out.put("}")
			return
		}
		if t.version == 1 {
			t.in.word()
			return
		}
		w := softkmeans.Warning{}
		t.in.member('{', "kind")
		word := t.in.word()
		for w.Kind.String() != word && !unnamed(w.Kind.String()) {
			w.Kind++
		}
		if w.Kind.String() != word {
			t.in.fail("a warning of the kind " + quotedShort(word))
		}
		t.in.member(',', "cluster")
		w.Cluster = int(t.in.integer(math.MaxInt32))
		t.in.member(',', "other")
		w.Other = int(t.in.integer(math.MaxInt32))
		t.in.member(',', "value")
		w.Value = t.in.number()
		t.in.expect('}', "the end of a warning")
		m.Warnings = append(m.Warnings, w)
	})
}

// others goes through objects of factor, moved and centers, in the units of the fit.
func (t *walk) others(m *softkmeans.Model, d int) {
	t.list("others", -mostName, len(m.Others), true, func(i int) {
		if t.in == nil {
			a := m.Others[i]
			if t.out == nil {
				t.must(a.Centers != nil && a.Centers.Rows == t.k, t.kind, "others: not ", t.k, " centers")
				t.checkMatrix("others", a.Centers, d)
				return
			}
			t.out.put(`{"factor":`)
			t.out.number(a.Factor)
			t.out.put(`,"moved":`)
			t.out.number(a.Moved)
			t.out.put(`,"centers":`)
			t.out.list(a.Centers.Rows, false, func(i int) { t.row(a.Centers.Row(i)) })
			t.out.put("}")
			return
		}
		a := softkmeans.Answer{}
		t.in.member('{', "factor")
		a.Factor = t.in.number()
		t.in.member(',', "moved")
		a.Moved = t.in.number()
		t.in.member(',', "centers")
		var r rowReader
		t.items(t.k, func() { r.read(t, d) })
		t.in.expect('}', "the end of an answer")
		a.Centers = r.matrix(t, d)
		m.Others = append(m.Others, a)
	})
}

// similarities goes through the decomposition: scale and the number of coordinates in a list,
// then the memberships and the map. Certificate, iterations and status come from the file.
func (t *walk) similarities(f *File) {
	s, head, n, p := f.Similarities, []float64(nil), -mostCols, 0
	switch {
	case s == nil:
		s = new(softkmeans.LSDModel)
	case s.Vertices != nil:
		p = s.Vertices.Cols
		fallthrough
	default:
		head, n = []float64{s.Scale, float64(p)}, s.Memberships.Rows
	}
	t.numbers("decomposition", &head, 2)
	if t.in != nil && t.in.err == nil && head != nil {
		if cols := head[1]; cols != math.Trunc(cols) || cols < 0 || cols > mostCols {
			t.in.fail("a decomposition of " + strconv.FormatFloat(cols, 'g', -1, 64) + " coordinates")
			return
		}
		s.Scale, p = head[0], int(head[1])
		f.Similarities = s
	}
	t.matrix("memberships", &s.Memberships, n, t.k)
	switch {
	case t.in == nil || f.Similarities == nil:
	case s.Memberships == nil:
		t.missing("memberships")
	default:
		n = s.Memberships.Rows
		m := f.Model
		s.Certificate, s.Iterations, s.Status = m.Certificate, m.Iterations, m.Status
	}
	t.matrix("projection", &s.Projection, n, p)
	t.matrix("vertices", &s.Vertices, t.k, p)
	t.numbers("means", &s.Means, n)
	c := s.Clustering
	if c == nil {
		c = new(softkmeans.Model)
	}
	t.matrix("labelMeans", &c.ClusterMeans, t.k, p)
	t.matrix("labelAxes", &c.ClusterAxes, -max(p, 1), p)
	t.numbers("labelWeights", &c.ClusterWeights, t.k)
	t.number("labelSpread", &c.ClusterSpread, notBelow0)
	t.number("labelDoubt", &c.ClusterDoubt, notBelow0)
	t.integers("labels", &c.Clusters, n)
	if t.in != nil && (c.ClusterMeans != nil || c.ClusterWeights != nil || c.Clusters != nil) {
		c.Centers, c.Memberships, s.Clustering = s.Vertices, s.Memberships, c
	}
}
