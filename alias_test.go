package softkmeans

// The package's one rule about destinations and receivers (see Errors in doc.go), held for every function
// that has one: tables_test.go compares the tables with the sources.

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"
)

// destinationCase is a call that writes to a matrix, on inputs of one shape.
type destinationCase struct {
	name string    // of the function, as in the documentation
	what string    // of these inputs
	in   []*Matrix // all that the call reads, arguments and the receiver's matrices
	// apart has the inputs that dst must not be: "the samples of a SampleKernel".
	apart []int
	// bad has what the error is where an input is nil; the others may be nil.
	bad  map[int]error
	dims []int // inputs of which only the shape counts
	call func(dst *Matrix, in []*Matrix) (*Matrix, error)
	size int // rows of the result that a call without a dst cannot tell; 0: it can
}

// rowsFrom is the case of a CopyRows method, which has no result and no error.
func rowsFrom(s Similarity, err error, dst *Matrix, lo int) (*Matrix, error) {
	if err != nil {
		return nil, err
	}
	s.CopyRows(dst, lo)
	return dst, nil
}

func destinationCases(t testing.TB) (cases []destinationCase) {
	type call = func(dst *Matrix, in []*Matrix) (*Matrix, error)
	square := func(n int, seed uint64) *Matrix { return randomData(n, n, 0.5, seed) }
	add := func(c destinationCase, what string, in ...*Matrix) {
		c.what, c.in = what, in
		cases = append(cases, c)
	}
	model := func(name string, bad map[int]error, f call) destinationCase {
		return destinationCase{name: name, bad: bad, call: f}
	}
	withoutCenters := map[int]error{0: ErrShape, 1: ErrTooFewSamples}
	leastSquares := model("SimplexLeastSquares", map[int]error{0: ErrShape, 1: ErrShape},
		func(dst *Matrix, in []*Matrix) (*Matrix, error) {
			return SimplexLeastSquares(dst, in[0], in[min(1, len(in)-1)], nil)
		})
	predict := model("Model.Predict", withoutCenters, func(dst *Matrix, in []*Matrix) (*Matrix, error) {
		return (&Model{Centers: in[1], Memberships: in[2]}).Predict(dst, in[0])
	})
	atMost := model("Model.Predict", withoutCenters, func(dst *Matrix, in []*Matrix) (*Matrix, error) {
		return (&Model{Centers: in[1], Memberships: in[2], Sum: SumAtMostOne}).Predict(dst, in[0])
	})
	sparse := model("Model.PredictSparse", withoutCenters, func(dst *Matrix, in []*Matrix) (*Matrix, error) {
		return (&Model{Centers: in[1], Memberships: in[2]}).Predict(dst, sparseOf(in[0]))
	})
	// Coincident vertices have one answer for all rows; dependent ones are solved twice.
	same := mapped(NewMatrix(5, 5, nil), func(_, j int, _ float64) float64 { return float64(j) })
	twice := square(5, 9)
	copy(twice.row(3), twice.row(1))
	simplex := mapped(NewMatrix(5, 5, nil), func(i, j int, _ float64) float64 { return float64((i + j) % 2) })
	for _, c := range []struct {
		what    string
		x, f, g *Matrix
	}{
		{"square", square(5, 1), square(5, 2), simplex}, {"coincident", square(5, 1), same, simplex},
		{"dependent", square(5, 1), twice, simplex}, {"no rows", NewMatrix(0, 3, nil), square(3, 1),
			NewMatrix(0, 3, nil)},
		{"several blocks", randomData(500, 4, 0, 3), square(4, 4), randomData(500, 4, 0, 5)},
		{"no columns", NewMatrix(3, 0, nil), NewMatrix(3, 0, nil), square(3, 1)},
	} {
		for _, to := range []destinationCase{leastSquares, predict, atMost, sparse} {
			add(to, c.what, c.x, c.f, c.g)
		}
	}
	leastSquares.bad = map[int]error{0: ErrShape}
	add(leastSquares, "all inputs the same", randomData(5, 5, 0.5, 1))

	lsd := func(f func(m *LSDModel, dst, rows *Matrix) (*Matrix, error)) call {
		return func(dst *Matrix, in []*Matrix) (*Matrix, error) {
			m := &LSDModel{Memberships: in[1], Scale: 0.5}
			if len(in) > 2 {
				m.Projection, m.Vertices, m.Means = in[2], in[3], in[4].Data
			}
			return f(m, dst, in[0])
		}
	}
	bad := map[int]error{0: ErrShape, 1: ErrTooFewSamples, 2: ErrShape, 3: ErrShape}
	similar := model("LSDModel.Predict", bad, lsd((*LSDModel).Predict))
	// Without rows it has those of the samples.
	coordinates := model("LSDModel.Coordinates", map[int]error{1: ErrShape, 2: ErrShape, 3: ErrShape},
		lsd((*LSDModel).Coordinates))
	coordinates.dims = []int{1}
	means := NewMatrix(1, 7, []float64{1, 2, 3, 4, 5, 6, 7})
	add(similar, "LSD", square(7, 1), square(7, 2))
	add(similar, "LSD, blocks", randomData(500, 7, 0, 1), square(7, 2))
	for what, in := range map[string][]*Matrix{
		"TILSD": {square(7, 1), square(7, 2), square(7, 3), square(7, 4), means},
		"TILSD, k = 3": {randomData(9, 7, 0, 1), randomData(7, 3, 0, 2), randomData(7, 2, 0, 3),
			randomData(3, 2, 0, 4), means},
	} {
		add(similar, what, in...)
		add(coordinates, what, in...)
		own := coordinates
		own.dims = nil
		add(own, what+", training samples", append([]*Matrix{nil}, in[1:]...)...)
	}
	for what, kernel := range map[string]func(x *Matrix) (*SampleKernel, error){
		"linear": LinearKernel, "RBF": func(x *Matrix) (*SampleKernel, error) { return RBFKernel(x, 0.7) },
	} {
		cross := model("SampleKernel.Cross", map[int]error{0: ErrShape, 1: ErrShape},
			func(dst *Matrix, in []*Matrix) (*Matrix, error) {
				k, err := kernel(in[1])
				if err != nil {
					return nil, err
				}
				return k.Cross(dst, in[0])
			})
		cross.apart = []int{1}
		add(cross, what, square(6, 1), square(6, 2))
		add(cross, what+", blocks", randomData(500, 4, 0, 1), square(4, 2))
		add(cross, what+", many samples", square(3, 1), randomData(300, 3, 0, 2))
		rows := destinationCase{name: "SampleKernel.CopyRows", apart: []int{0},
			bad: map[int]error{0: ErrShape}, size: 5}
		rows.call = func(dst *Matrix, in []*Matrix) (*Matrix, error) {
			k, err := kernel(in[0])
			return rowsFrom(k, err, dst, 295)
		}
		add(rows, what, randomData(300, 3, 0, 2))
	}
	own := destinationCase{name: "Matrix.CopyRows", apart: []int{0}, size: 3,
		call: func(dst *Matrix, in []*Matrix) (*Matrix, error) {
			return rowsFrom(in[0], checkShape("m", in[0]), dst, 4)
		}}
	add(own, "", randomData(7, 7, 0, 3))
	function := destinationCase{name: "Similarity.CopyRows", size: 3,
		call: func(dst *Matrix, _ []*Matrix) (*Matrix, error) {
			return rowsFrom(similarityFunc(7, func(i, j int) float64 { return float64(i + j) }), nil, dst, 4)
		}}
	add(function, "a function")
	return cases
}

// sameMatrix reports whether two matrices have the same shape and bits.
func sameMatrix(a, b *Matrix) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Rows == b.Rows && a.Cols == b.Cols && laSameBits(a.Clone().Data, b.Clone().Data)
}

func sameMatrices(a, b []*Matrix) bool { return slices.EqualFunc(a, b, sameMatrix) }

// copied are the inputs with storage of their own, with gaps or without.
func copied(in []*Matrix, strided bool) []*Matrix {
	out := make([]*Matrix, len(in))
	for i, m := range in {
		switch {
		case m == nil:
		case strided && m.Rows > 1: // a matrix of one row may stand for a slice
			out[i] = laStrided(m)
		default:
			out[i] = m.Clone()
		}
	}
	return out
}

// paddingKept reports whether the gaps of a matrix of laStrided are as they were.
func paddingKept(m *Matrix) bool {
	for i := range m.Rows {
		for _, v := range m.Data[i*m.Stride+m.Cols : (i+1)*m.Stride] {
			if !math.IsNaN(v) {
				return false
			}
		}
	}
	return true
}

// panics reports whether f does, where canRecover.
func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// TestDestinations: whatever dst was, the result has the bits of a call without
// one, and all that dst is not is as it was.
func TestDestinations(t *testing.T) {
	t.Parallel()
	nan := func(_, _ int, _ float64) float64 { return math.NaN() }
	scratch := nans(3000 * 16) // dirty: of any earlier case
	met := map[string][]bool{}
	for _, c := range destinationCases(t) {
		name := c.name + ", " + c.what
		in := copied(c.in, false)
		var first *Matrix // the dst of a call that must have one
		if c.size > 0 {
			n := 7
			if len(in) > 0 {
				n = in[0].Rows
			}
			first = NewMatrix(c.size, n, nil)
		}
		want, err := c.call(first, in)
		if err != nil || !sameMatrices(in, c.in) {
			t.Errorf("%s: %v, or an input changed", name, err)
			continue
		}
		want = want.Clone()
		check := func(how string, dst *Matrix, in []*Matrix, at int) {
			t.Helper()
			got, err := c.call(dst, in)
			if got != dst || err != nil || !sameMatrix(dst, want) {
				t.Errorf("%s, dst %s: %v; off by %g", name, how, err, maxDiff(dst, want))
			}
			for i, m := range in {
				if i != at && !sameMatrix(m, c.in[i]) {
					t.Errorf("%s, dst %s: input %d changed", name, how, i)
				}
			}
		}
		check("clean", NewMatrix(want.Rows, want.Cols, nil), in, -1)
		filled := mapped(want, nan)
		check("of NaN", filled, in, -1)
		check("once more", filled, in, -1)
		check("dirty", &Matrix{Rows: want.Rows, Cols: want.Cols, Stride: want.Cols + 1, Data: scratch}, in,
			-1)
		strided := laStrided(mapped(want, nan))
		check("strided", strided, in, -1)
		if !paddingKept(strided) {
			t.Errorf("%s: wrote between the rows of dst", name)
		}
		wide := copied(c.in, true)
		check("for strided inputs", mapped(want, nan), wide, -1)

		if met[c.name] == nil {
			met[c.name] = make([]bool, 8)
		}
		for i, m := range c.in {
			if m == nil || m.Rows != want.Rows || m.Cols != want.Cols || slices.Contains(c.apart, i) {
				continue
			}
			met[c.name][i] = true
			own := copied(c.in, false)
			check("input "+strconv.Itoa(i), own[i], own, i)
			own = copied(c.in, true)
			check("strided input "+strconv.Itoa(i), own[i], own, i)
			if own[i].Stride > own[i].Cols && !paddingKept(own[i]) {
				t.Errorf("%s: wrote between the rows of input %d", name, i)
			}
		}

		// Errors: every input with a NaN, of a contradictory shape, or missing.
		for i, m := range c.in {
			if c.bad[i] == nil {
				continue
			}
			mistakes := map[*Matrix]error{nil: c.bad[i]}
			if m.Rows > 1 && m.Cols > 0 && !slices.Contains(c.dims, i) {
				spoilt := m.Clone()
				spoilt.Set(m.Rows-1, m.Cols-1, math.NaN())
				short := &Matrix{Rows: m.Rows, Cols: m.Cols, Stride: m.Cols, Data: m.Data[1:]}
				mistakes[spoilt], mistakes[short] = ErrNonFinite, ErrShape
			}
			for wrong, is := range mistakes {
				own, dst := copied(c.in, false), laStrided(want)
				own[i] = wrong
				got, err := c.call(dst, own)
				if got != nil || !errors.Is(err, is) || !sameMatrix(dst, want) || !paddingKept(dst) {
					t.Errorf("%s: input %d: %v, want %v, or dst changed", name, i, err, is)
				}
			}
		}
		if !canRecover() {
			continue
		}
		for _, dst := range []*Matrix{
			NewMatrix(want.Rows, want.Cols+1, nil), NewMatrix(want.Rows+max(c.size, 1), want.Cols, nil),
			{Rows: want.Rows, Cols: -1},
			{Rows: want.Rows + 1, Cols: want.Cols + 1, Stride: want.Cols, Data: make([]float64, 99)}, {},
		} {
			if dst.Rows == want.Rows && dst.Cols == want.Cols {
				continue
			}
			before := slices.Clone(dst.Data)
			if !panics(func() { c.call(dst, in) }) || !laSameBits(dst.Data, before) ||
				!sameMatrices(in, c.in) {
				t.Errorf("%s: a dst of %d×%d: no panic, or it changed", name, dst.Rows, dst.Cols)
			}
		}
	}
	for _, c := range destinationCases(t) {
		for i := range c.in {
			if c.in[i] != nil && i < 4 && !met[c.name][i] && !slices.Contains(c.apart, i) {
				t.Errorf("%s: dst was never input %d", c.name, i)
			}
		}
	}
}

// sliceCase is a call that writes to a slice.
type sliceCase struct {
	name, what string
	in         []*Matrix
	bad        map[int]error
	call       func(dst []int, in []*Matrix) ([]int, error)
}

func intCases() []sliceCase {
	x, f, g := randomData(500, 3, 0, 1), randomData(4, 3, 0, 2), randomData(500, 4, 0, 3)
	nearest := func(dst []int, in []*Matrix) ([]int, error) {
		return (&Model{Centers: in[1]}).Nearest(dst, in[0])
	}
	labels := func(dst []int, in []*Matrix) ([]int, error) {
		return (&Model{Centers: in[1], ClusterMeans: in[2]}).PredictLabels(dst, in[0])
	}
	bad := map[int]error{0: ErrShape, 1: ErrTooFewSamples}
	return []sliceCase{
		{name: "Model.Nearest", what: "several blocks", in: []*Matrix{x, f}, bad: bad, call: nearest},
		{name: "Model.PredictLabels", what: "means", in: []*Matrix{x, f, randomData(4, 3, 0, 4)}, bad: bad,
			call: labels},
		{name: "Model.PredictLabels", what: "no means", in: []*Matrix{x, f, nil}, bad: bad, call: labels},
		{name: "Model.Labels", what: "clusters", in: []*Matrix{g},
			call: func(dst []int, in []*Matrix) ([]int, error) {
				return (&Model{Clusters: slices.Repeat([]int{2, 1}, in[0].Rows/2)}).Labels(dst), nil
			}},
		{name: "Model.Labels", what: "memberships", in: []*Matrix{g},
			call: func(dst []int, in []*Matrix) ([]int, error) {
				return (&Model{Memberships: in[0]}).Labels(dst), nil
			}},
		{name: "LSDModel.Labels", what: "memberships", in: []*Matrix{g},
			call: func(dst []int, in []*Matrix) ([]int, error) {
				return (&LSDModel{Memberships: in[0]}).Labels(dst), nil
			}},
	}
}

// TestSliceDestinations is TestDestinations for those that are slices.
func TestSliceDestinations(t *testing.T) {
	for _, c := range intCases() {
		name := c.name + ", " + c.what
		want := mustDo(c.call(nil, c.in))(t)
		const mark = 99 // of what must stay
		memory := slices.Repeat([]int{mark}, len(want)+6)
		dst := memory[2 : len(want)+2]
		for _, how := range []string{"dirty", "once more"} {
			own := copied(c.in, true)
			got, err := c.call(dst, own)
			if err != nil || len(got) != len(dst) || &got[0] != &dst[0] || !slices.Equal(dst, want) {
				t.Errorf("%s, dst %s: %v, or it differs", name, how, err)
			}
			if !sameMatrices(own, c.in) || memory[1] != mark || memory[len(want)+2] != mark {
				t.Errorf("%s: an input or what is beside dst changed", name)
			}
		}
		keep := slices.Clone(dst)
		for i, m := range c.in {
			if c.bad[i] == nil {
				continue
			}
			spoilt := m.Clone()
			spoilt.Set(m.Rows-1, m.Cols-1, math.Inf(1))
			for wrong, want := range map[*Matrix]error{nil: c.bad[i], spoilt: ErrNonFinite,
				{Rows: 2, Cols: 2}: ErrShape} {
				own := copied(c.in, false)
				own[i] = wrong
				got, err := c.call(dst, own)
				if got != nil || !errors.Is(err, want) || !slices.Equal(dst, keep) {
					t.Errorf("%s: input %d: %v, want %v, or dst changed", name, i, err, want)
				}
			}
		}
		for _, n := range []int{len(want) + 1, len(want) - 1, 0} {
			if !canRecover() {
				continue
			}
			if !panics(func() { c.call(memory[1:1+n], c.in) }) || !slices.Equal(dst, keep) ||
				memory[1] != mark {
				t.Errorf("%s: a dst of length %d: no panic, or it changed", name, n)
			}
		}
	}
}

// form is a value with a binary form.
type form interface {
	MarshalBinary() ([]byte, error)
	UnmarshalBinary([]byte) error
}

// receiverCase is a receiver whose calls may fail.
type receiverCase struct {
	name  string // of the receiver's type, in the documentation
	make  func() form
	fails []failure
	works func(v form) error // what changes it; nil: its decoder
}

// failure is a call of a method that fails, and what with.
type failure struct {
	method string
	want   error
	call   func(v form) error
	reads  []form // arguments that stay as they are, too
}

// formOf is the binary form; none where the value has none.
func formOf(v form) []byte {
	b, _ := v.MarshalBinary()
	return b
}

// on is a call of a method of the receiver.
func on[T form](f func(v T) error) func(form) error { return func(v form) error { return f(v.(T)) } }

func receiverCases(t *testing.T) (cases []receiverCase) {
	x := randomData(30, 3, 1, 4)
	nan, short := rowsOf(x, 0, 2).Clone(), NewMatrix(2, 2, nil)
	nan.Set(1, 1, math.NaN())
	two, w2 := rowsOf(x, 28, 30), []float64{1, 1}
	stats := func(x *Matrix) *Stats { return statsOf(t, x, nil) }
	add := func(name string, make func() form, works func(v form) error, fails ...failure) {
		cases = append(cases, receiverCase{name, make, fails, works})
	}
	grow := on(func(s *Stats) error {
		return errors.Join(s.Add(rowsOf(x, 0, 20)), s.AddWeighted(two, []float64{0.5, 0}),
			s.AddSparse(sparseOf(two), []float64{0, 2}), s.Merge(stats(rowsOf(x, 20, 28))))
	})
	some := []failure{
		{"Stats.Add", ErrNonFinite, on(func(s *Stats) error { return s.Add(nan) }), nil},
		{"Stats.AddSparse", ErrNonFinite, on(func(s *Stats) error { return s.AddSparse(sparseOf(nan), w2) }),
			nil},
		{"Stats.AddSparse", ErrOption, on(func(s *Stats) error {
			return s.AddSparse(sparseOf(two), []float64{1, -1})
		}), nil},
		{"Stats.AddWeighted", ErrNonFinite,
			on(func(s *Stats) error { return s.AddWeighted(nan, make([]float64, 2)) }), nil},
		{"Stats.AddWeighted", ErrOption, on(func(s *Stats) error {
			return s.AddWeighted(two, []float64{1, -1})
		}), nil},
		{"Stats.Principal", nil, on(func(s *Stats) error { return second(s.Principal(-1, nil)) }), nil},
	}
	narrow, many := stats(NewMatrix(1, 2, nil)), &Stats{moments: moments{rows: math.MaxInt - 1}}
	add("Stats", func() form { return &Stats{} }, grow, some...)
	add("Stats", func() form { return stats(rowsOf(x, 3, 9)) }, grow, append(some,
		failure{"Stats.Add", ErrShape, on(func(s *Stats) error { return s.Add(short) }), nil},
		failure{"Stats.AddWeighted", ErrShape, on(func(s *Stats) error { return s.AddWeighted(short, w2) }),
			nil},
		failure{"Stats.Merge", ErrShape, on(func(s *Stats) error { return s.Merge(narrow) }), []form{narrow}},
		failure{"Stats.Merge", ErrShape, on(func(s *Stats) error { return s.Merge(many) }), []form{many}},
		failure{"Stats.Principal", ErrOption,
			on(func(s *Stats) error { return second(s.Principal(4, nil)) }), nil})...)
	light := stats(two)
	add("Stats", func() form { return &Stats{moments: moments{rows: math.MaxInt - 1}} },
		on(func(s *Stats) error { return s.AddWeighted(rowsOf(x, 0, 1), []float64{0}) }),
		failure{"Stats.Add", ErrShape, on(func(s *Stats) error { return s.Add(two) }), nil},
		failure{"Stats.AddWeighted", ErrShape,
			on(func(s *Stats) error { return s.AddWeighted(two, make([]float64, 2)) }), nil},
		failure{"Stats.AddSparse", ErrShape,
			on(func(s *Stats) error { return s.AddSparse(sparseOf(two), make([]float64, 2)) }), nil},
		failure{"Stats.Merge", ErrShape, on(func(s *Stats) error { return s.Merge(light) }), []form{light}})
	// Every receiver is a decoder, too; TestBinary has all bytes that none takes.
	for i := range cases {
		c := &cases[i]
		for _, from := range cases {
			good := formOf(from.make())
			if from.name != c.name || good == nil {
				continue
			}
			decode := func(v form) error { return v.UnmarshalBinary(good[:len(good)-1]) }
			c.fails = append(c.fails, failure{c.name + ".UnmarshalBinary", ErrFormat, decode, nil})
			if c.works == nil {
				c.works = func(v form) error { return v.UnmarshalBinary(good) }
			}
		}
	}
	return cases
}

// TestReceivers: after every kind of failing call a receiver, and what it was given, is what
// it was, and works as one that never failed.
func TestReceivers(t *testing.T) {
	for i, c := range receiverCases(t) {
		name := c.name + " " + strconv.Itoa(i)
		v, fresh := c.make(), c.make()
		before := formOf(v)
		if !bytes.Equal(before, formOf(fresh)) {
			t.Fatalf("%s: not the same twice", name)
		}
		for at, f := range c.fails {
			var reads [][]byte
			for _, r := range f.reads {
				reads = append(reads, formOf(r))
			}
			if err := f.call(v); err == nil || f.want != nil && !errors.Is(err, f.want) {
				t.Errorf("%s: %d, %s: %v, want %v", name, at, f.method, err, f.want)
			}
			if !bytes.Equal(formOf(v), before) {
				t.Errorf("%s: changed by %d, %s", name, at, f.method)
			}
			for i, r := range f.reads {
				if !bytes.Equal(formOf(r), reads[i]) {
					t.Errorf("%s: argument %d of %d, %s, changed", name, i, at, f.method)
				}
			}
		}
		if err := errors.Join(c.works(v), c.works(fresh)); err != nil {
			t.Errorf("%s, after errors: %v", name, err)
		}
		after := formOf(v)
		if after == nil || !bytes.Equal(after, formOf(fresh)) {
			t.Errorf("%s: errors before changed what came after", name)
		}
		// A form and what was read of it share no memory, and the receiver's old content none with it.
		form := bytes.Clone(after)
		again := c.make()
		if err := errors.Join(again.UnmarshalBinary(form), again.UnmarshalBinary(form)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		clear(form)
		clear(formOf(again))
		if !bytes.Equal(formOf(again), after) {
			t.Errorf("%s: shares memory with its form, or a used receiver shows", name)
		}
	}
}

// TestMergeItself: the receiver as its own argument is as a copy of it.
func TestMergeItself(t *testing.T) {
	s := statsOf(t, randomData(9, 4, 3, 1), nil)
	s2 := shipped(t, s)
	must(t, errors.Join(s2.Merge(shipped(t, s)), s.Merge(s)))
	if !bytes.Equal(formOf(s), formOf(s2)) || s.Rows() != 18 {
		t.Error("differs from merging a copy")
	}
	x := NewMatrix(2, 1, []float64{1, 2})
	for _, s := range []*Stats{{}, statsOf(t, x, []float64{0, 0})} { // nothing that weighs
		rows, copied := s.Rows(), shipped(t, s)
		if err := errors.Join(copied.Merge(shipped(t, s)), s.Merge(s)); err != nil ||
			!bytes.Equal(formOf(s), formOf(copied)) || s.Rows() != 2*rows {
			t.Errorf("%d rows without weight: differs from merging a copy, %v", rows, err)
		}
	}
}
