package softkmeans

// The fields of a model file, in one order for the reader and the writer.

import (
	"encoding/base64"
	"math"
	"strconv"
)

// modelText goes through the fields of a model file: it reads them from in or writes them
// to out.
type modelText struct {
	in  *jsonReader
	out *jsonWriter

	// What is not in ModelFile.
	version, k int
	checksum   string
}

// fields reads or writes all fields but the checksum, in the order of the file.
func (f *ModelFile) fields(t *modelText) {
	m := f.Model
	t.head(f)
	d := len(f.Columns)
	t.flag("named", &f.Named)
	t.texts("units", &f.Units, d)
	choose(t, "sum", &m.Sum, sumCount)
	choose(t, "rowScaling", &m.Rows, RowsUnit+1)
	t.text("scale", &f.Scale, true)
	t.numbers("shift", &f.Shift, d)
	t.numbers("divisor", &f.Divisor, d)
	t.matrix("centers", &f.Centers, t.k, d)
	if t.in != nil || f.Divisor != nil && f.Similarities == nil {
		t.matrix("scaledCenters", &m.Centers, t.k, d)
	}
	t.matrix("clusterMeans", &m.ClusterMeans, t.k, d)
	t.matrix("clusterAxes", &m.ClusterAxes, -(t.k + d), d)
	t.integer("rows", &f.Rows, mostOfFile, false)
	t.integers("sizes", &f.Sizes, t.k)
	t.numbers("columnLeast", &f.ColumnLeast, d)
	t.numbers("columnMost", &f.ColumnMost, d)
	t.numbers("columnMean", &f.ColumnMean, d)
	t.numbers("columnSpread", &f.ColumnSpread, d)
	t.number("largestResidual", &f.LargestResidual, false)
	for i, v := range []*float64{&m.Objective, &m.Floor, &m.FloorError, &m.Total, &m.Gap} {
		t.number([...]string{"objective", "floor", "floorError", "total", "gap"}[i], v, true)
	}
	choose(t, "solver", &m.Solver, solverCount)
	t.number("lambda", &m.Lambda, false)
	t.number("epsilon", &m.Epsilon, false)
	t.number("slack", &f.Slack, false)
	t.seed("seed", &f.Seed)
	choose(t, "volume", &m.Volume, volumeCount)
	t.number("volumeRatio", &m.VolumeRatio, false)
	t.number("stationarity", &m.Stationarity, false)
	t.integer("iterations", &m.Iterations, math.MaxInt32, false)
	choose(t, "status", &m.Status, statusCount)
	t.warnings(m)
	t.others(m, d)
	t.text("kernel", &f.Kernel, false)
	t.number("gamma", &f.Gamma, false)
	t.similarities(f)
	t.matrix("samples", &f.Samples, f.Rows, d)
}

// at goes to a field: to its value if it is next in the input, or if it is filled to its
// place in the output. It reports whether there is one.
func (t *modelText) at(name string, filled bool) bool {
	if t.in != nil {
		return t.in.field(name)
	}
	if filled {
		t.out.key(name)
	}
	return filled
}

// head is format, version, method, k and columns.
func (t *modelText) head(f *ModelFile) {
	format, version, k := fileFormat, fileVersion, f.K()
	t.text("format", &format, true)
	t.integer("version", &version, math.MaxInt32, true)
	if t.in != nil && t.in.err == nil && (format != fileFormat || version < 1 || version > fileVersion) {
		t.in.name = ""
		t.in.fail(quotedShort(format) + " of version " + strconv.Itoa(version) + "; this package reads models of versions 1 and " + strconv.Itoa(fileVersion))
	}
	t.version = version
	t.text("method", &f.Method, false)
	t.integer("k", &k, math.MaxInt32, true)
	t.k = k
	t.texts("columns", &f.Columns, -mostFileCols)
	if t.in != nil && len(f.Columns) == 0 {
		t.missing("columns")
	}
	if t.in != nil && k == 0 {
		t.in.fail("k is 0")
	}
}

const misplaced = " is unknown, repeated or not in its place"

// missing is an error for a field that must be there, when reading.
func (t *modelText) missing(name string) {
	if t.in == nil {
		return
	}
	if t.in.key == "" {
		t.in.fail("the field " + name + " is missing")
	}
	t.in.fail("the field " + name + " is missing, or " + quotedShort(t.in.key) + misplaced)
}

func (t *modelText) text(name string, v *string, always bool) {
	if !t.at(name, always || *v != "") {
		if always {
			t.missing(name)
		}
		return
	}
	if t.in == nil {
		t.out.text(*v)
		return
	}
	*v = string(t.in.quoted(mostName, "a text"))
	t.in.done()
}

func (t *modelText) flag(name string, v *bool) {
	if !t.at(name, true) {
		return
	}
	if t.in == nil {
		t.out.put(strconv.FormatBool(*v))
		return
	}
	*v = t.in.flag()
	t.in.done()
}

// number is a number that is 0 where it is not there.
func (t *modelText) number(name string, v *float64, always bool) {
	if !t.at(name, always || *v != 0) {
		return
	}
	if t.in == nil {
		t.out.number(*v)
		return
	}
	*v = t.in.number()
	t.in.done()
}

// integer is a whole number from 0 to most.
func (t *modelText) integer(name string, v *int, most uint64, required bool) {
	if !t.at(name, true) {
		if required {
			t.missing(name)
		}
		return
	}
	if t.in == nil {
		t.out.integer(*v)
		return
	}
	*v = int(t.in.integer(min(most, math.MaxInt)))
	t.in.done()
}

func (t *modelText) seed(name string, v *uint64) {
	if !t.at(name, *v != 0) {
		return
	}
	if t.in == nil {
		t.out.put(strconv.FormatUint(*v, 10))
		return
	}
	*v = t.in.integer(math.MaxUint64)
	t.in.done()
}

// list is a list of n items, or of at most −n; nil where it is not there. The output has
// has of them. item writes item i, or reads and appends one.
func (t *modelText) list(name string, n, has int, lines bool, item func(i int)) {
	if !t.at(name, has > 0) {
		return
	}
	if t.in == nil {
		t.out.list(has, lines, item)
		return
	}
	t.items(n, func() { item(0) })
	t.in.done()
}

// items reads n items, or at most −n.
func (t *modelText) items(n int, item func()) {
	if got := t.in.list(max(n, -n), item); got < n {
		t.in.fail(strconv.Itoa(got) + " in a list of " + strconv.Itoa(n))
	}
}

func (t *modelText) numbers(name string, v *[]float64, n int) {
	t.list(name, n, len(*v), false, func(i int) {
		if t.in == nil {
			t.out.number((*v)[i])
		} else {
			*v = append(*v, t.in.number())
		}
	})
}

func (t *modelText) integers(name string, v *[]int, n int) {
	t.list(name, n, len(*v), false, func(i int) {
		if t.in == nil {
			t.out.integer((*v)[i])
		} else {
			*v = append(*v, int(t.in.integer(min(mostOfFile, math.MaxInt))))
		}
	})
}

// texts is a list of n strings, or of at most −n.
func (t *modelText) texts(name string, v *[]string, n int) {
	t.list(name, n, len(*v), false, func(i int) {
		if t.in == nil {
			t.out.text((*v)[i])
		} else {
			*v = append(*v, string(t.in.quoted(mostName, "a text")))
		}
	})
}

// matrix is a list of n rows, or of at most −n, of d numbers.
func (t *modelText) matrix(name string, m **Matrix, n, d int) {
	rows := 0
	if *m != nil {
		rows = (*m).Rows
	}
	var r rowReader
	t.list(name, n, rows, true, func(i int) {
		if t.in == nil {
			t.row((*m).row(i))
		} else {
			r.read(t, d)
		}
	})
	if t.in != nil {
		*m = r.matrix(t, d)
	}
}

// row writes a row.
func (t *modelText) row(row []float64) {
	t.out.list(len(row), false, func(j int) { t.out.number(row[j]) })
}

// rowReader takes the rows of a matrix.
type rowReader struct {
	data []float64
	rows int
}

func (r *rowReader) read(t *modelText, d int) {
	t.items(d, func() { r.data = append(r.data, t.in.number()) })
	r.rows++
}

// matrix is the matrix of the rows; nil for none, and after an error.
func (r *rowReader) matrix(t *modelText, d int) *Matrix {
	if t.in.err != nil || r.rows == 0 {
		return nil
	}
	return NewMatrix(r.rows, d, r.data)
}

// choose is a value of a type with names, of which the first is that of a missing field.
func choose[T interface {
	~int
	String() string
}](t *modelText, name string, v *T, count T) {
	if !t.at(name, *v != 0) {
		return
	}
	if t.in == nil {
		t.out.text((*v).String())
		return
	}
	word := string(t.in.quoted(mostName, "a text"))
	for *v = 0; *v < count && (*v).String() != word; *v++ {
	}
	if *v == count {
		*v = 0
		t.in.fail("it is " + quotedShort(word))
	}
	t.in.done()
}

// warnings are objects of kind, cluster, other and value. Those of version 1 are sentences.
func (t *modelText) warnings(m *Model) {
	t.list("warnings", -mostName, len(m.Warnings), true, func(i int) {
		if t.in == nil {
			w := m.Warnings[i]
			t.out.put(`{"kind":`)
			t.out.text(w.Kind.String())
			t.out.put(`,"cluster":` + strconv.Itoa(w.Cluster) + `,"other":` + strconv.Itoa(w.Other) + `,"value":`)
			t.out.number(w.Value)
			t.out.put("}")
			return
		}
		if t.version == 1 {
			t.in.quoted(mostName, "a text")
			return
		}
		w := Warning{}
		t.in.member('{', "kind")
		word := string(t.in.quoted(mostName, "a text"))
		for w.Kind < warningCount && w.Kind.String() != word {
			w.Kind++
		}
		if w.Kind == warningCount {
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

// others are objects of factor, moved and centers, in the units of the fit.
func (t *modelText) others(m *Model, d int) {
	t.list("others", -mostName, len(m.Others), true, func(i int) {
		if t.in == nil {
			a := m.Others[i]
			t.out.put(`{"factor":`)
			t.out.number(a.Factor)
			t.out.put(`,"moved":`)
			t.out.number(a.Moved)
			t.out.put(`,"centers":`)
			t.out.list(a.Centers.Rows, false, func(i int) { t.row(a.Centers.row(i)) })
			t.out.put("}")
			return
		}
		a := Answer{}
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

// similarities is the binary form of the decomposition, in base64.
func (t *modelText) similarities(f *ModelFile) {
	if !t.at("decomposition", f.Similarities != nil) {
		return
	}
	if t.in == nil {
		b, err := f.Similarities.MarshalBinary()
		if err != nil && t.out.err == nil {
			t.out.err = err
		}
		t.out.put(`"` + base64.StdEncoding.EncodeToString(b) + `"`)
		return
	}
	b := t.in.quoted(mostModelBytes, "a text")
	n, err := base64.StdEncoding.Strict().Decode(b, b)
	if err != nil {
		t.in.fail("it is not base64")
	}
	t.in.done()
	f.Similarities = new(LSDModel)
	if err := f.Similarities.UnmarshalBinary(b[:n]); err != nil && t.in.err == nil {
		t.in.err = err
	}
}
