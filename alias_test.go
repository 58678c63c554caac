package softkmeans

// The package's one rule about destinations and receivers (see Errors in doc.go),
// held for every function that has one: exported_test.go compares the tables with the
// sources.

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
	gaps bool // a NaN in input 0 is a missing entry
	size int  // rows of the result that a call without a dst cannot tell; 0: it can
}

// rowsFrom is the case of a CopyRows method, which has no result and no error.
func rowsFrom(s Similarity, err error, dst *Matrix, lo int) (*Matrix, error) {
	if err != nil {
		return nil, err
	}
	s.CopyRows(dst, lo)
	return dst, nil
}

// gapped is x with a third of its entries missing.
func gapped(x *Matrix) *Matrix {
	return mapped(x, func(i, j int, v float64) float64 {
		if (i*i+j)%3 == 1 {
			return math.NaN()
		}
		return v
	})
}

func destinationCases(t testing.TB) (cases []destinationCase) {
	square := func(n int, seed uint64) *Matrix { return randomData(n, n, 0.5, seed) }
	predict := func(sum Sum) func(dst *Matrix, in []*Matrix) (*Matrix, error) {
		return func(dst *Matrix, in []*Matrix) (*Matrix, error) {
			return (&Model{Centers: in[1], Memberships: in[2], Sum: sum}).Predict(dst, in[0])
		}
	}
	leastSquares := func(dst *Matrix, in []*Matrix) (*Matrix, error) {
		return SimplexLeastSquares(dst, in[0], in[1], nil)
	}
	lsd := func(f func(m *LSDModel, dst, rows *Matrix) (*Matrix, error)) func(dst *Matrix, in []*Matrix) (*Matrix, error) {
		return func(dst *Matrix, in []*Matrix) (*Matrix, error) {
			m := &LSDModel{Memberships: in[1], Scale: 0.5}
			if len(in) > 2 {
				m.Projection, m.Vertices, m.Means = in[2], in[3], in[4].Data
			}
			return f(m, dst, in[0])
		}
	}
	means := NewMatrix(1, 7, []float64{1, 2, 3, 4, 5, 6, 7})
	// Coincident vertices, which have one answer for all rows; dependent ones, which are
	// solved twice; one; and rows that are far from all.
	same := mapped(NewMatrix(5, 5, nil), func(_, j int, _ float64) float64 { return float64(j) })
	twice := square(5, 9)
	copy(twice.row(3), twice.row(1))
	far := mapped(square(5, 8), func(_, _ int, v float64) float64 { return 1e149 * v })
	simplex := mapped(NewMatrix(5, 5, nil), func(i, j int, _ float64) float64 { return float64((i + j) % 2) })
	withoutCenters := map[int]error{0: ErrShape, 1: ErrTooFewSamples}
	for _, c := range []struct {
		what    string
		x, f, g *Matrix
	}{
		{"square", square(5, 1), square(5, 2), simplex}, {"coincident", square(5, 1), same, simplex}, {"dependent", square(5, 1), twice, simplex},
		{"far rows", far, square(5, 2), simplex}, {"one center", randomData(4, 1, 0, 1), square(1, 1), NewMatrix(4, 1, nil)},
		{"several blocks", randomData(500, 4, 0, 3), square(4, 4), randomData(500, 4, 0, 5)}, {"k above d", randomData(30, 2, 0, 3), randomData(6, 2, 0, 4), randomData(30, 6, 0, 5)},
		{"no rows", NewMatrix(0, 3, nil), square(3, 1), NewMatrix(0, 3, nil)}, {"no columns", NewMatrix(3, 0, nil), NewMatrix(3, 0, nil), square(3, 1)},
	} {
		in := []*Matrix{c.x, c.f, c.g}
		cases = append(cases,
			destinationCase{name: "SimplexLeastSquares", what: c.what, in: in, bad: map[int]error{0: ErrShape, 1: ErrShape}, call: leastSquares},
			destinationCase{name: "Model.Predict", what: c.what, in: in, bad: withoutCenters, call: predict(SumToOne)},
			destinationCase{name: "Model.Predict", what: c.what + ", at most", in: in, bad: withoutCenters, call: predict(SumAtMostOne)},
			destinationCase{name: "Model.PredictSparse", what: c.what, in: in, bad: withoutCenters, call: func(dst *Matrix, in []*Matrix) (*Matrix, error) {
				return (&Model{Centers: in[1], Memberships: in[2]}).Predict(dst, sparseOf(in[0]))
			}},
			destinationCase{name: "Model.PredictMissing", what: c.what, in: []*Matrix{gapped(c.x), c.f, c.g}, bad: withoutCenters, gaps: true, call: func(dst *Matrix, in []*Matrix) (*Matrix, error) {
				return (&Model{Centers: in[1], Memberships: in[2]}).PredictMissing(dst, in[0])
			}})
	}
	shared := randomData(5, 5, 0.5, 1)
	cases = append(cases, destinationCase{name: "SimplexLeastSquares", what: "all inputs the same", in: []*Matrix{shared}, bad: map[int]error{0: ErrShape},
		call: func(dst *Matrix, in []*Matrix) (*Matrix, error) {
			return leastSquares(dst, []*Matrix{in[0], in[0], in[0]})
		}})
	maps := map[string][]*Matrix{
		"LSD":          {square(7, 1), square(7, 2)},
		"LSD, blocks":  {randomData(500, 7, 0, 1), square(7, 2)},
		"TILSD":        {square(7, 1), square(7, 2), square(7, 3), square(7, 4), means},
		"TILSD, k = 3": {randomData(9, 7, 0, 1), randomData(7, 3, 0, 2), randomData(7, 2, 0, 3), randomData(3, 2, 0, 4), means},
		"one sample":   {square(1, 1), square(1, 2), square(1, 3), square(1, 4), NewMatrix(1, 1, nil)},
	}
	for what, in := range maps {
		bad := map[int]error{0: ErrShape, 1: ErrTooFewSamples, 2: ErrShape, 3: ErrShape}
		cases = append(cases, destinationCase{name: "LSDModel.Predict", what: what, in: in, bad: bad, call: lsd((*LSDModel).Predict)})
		if len(in) > 2 {
			bad := map[int]error{1: ErrShape, 2: ErrShape, 3: ErrShape} // without rows it has those of the samples
			cases = append(cases, destinationCase{name: "LSDModel.Coordinates", what: what, in: in, bad: bad, dims: []int{1}, call: lsd((*LSDModel).Coordinates)},
				destinationCase{name: "LSDModel.Coordinates", what: what + ", training samples", in: append([]*Matrix{nil}, in[1:]...), bad: bad, call: lsd((*LSDModel).Coordinates)})
		}
	}
	kernels := map[string]func(x *Matrix) (*SampleKernel, error){
		"linear": LinearKernel,
		"RBF":    func(x *Matrix) (*SampleKernel, error) { return RBFKernel(x, 0.7) },
		"median": func(x *Matrix) (*SampleKernel, error) { return RBFKernel(x, 0) },
	}
	for what, kernel := range kernels {
		for at, in := range map[string][]*Matrix{
			"": {square(6, 1), square(6, 2)}, ", far rows": {far, square(5, 2)}, ", blocks": {randomData(500, 4, 0, 1), square(4, 2)}, ", many samples": {square(3, 1), randomData(300, 3, 0, 2)},
		} {
			cases = append(cases, destinationCase{name: "SampleKernel.Cross", what: what + at, in: in, apart: []int{1}, bad: map[int]error{0: ErrShape, 1: ErrShape},
				call: func(dst *Matrix, in []*Matrix) (*Matrix, error) {
					k, err := kernel(in[1])
					if err != nil {
						return nil, err
					}
					return k.Cross(dst, in[0])
				}})
		}
		cases = append(cases, destinationCase{name: "SampleKernel.CopyRows", what: what, in: []*Matrix{randomData(300, 3, 0, 2)}, apart: []int{0}, bad: map[int]error{0: ErrShape}, size: 5,
			call: func(dst *Matrix, in []*Matrix) (*Matrix, error) {
				k, err := kernel(in[0])
				return rowsFrom(k, err, dst, 295)
			}})
	}
	cases = append(cases, destinationCase{name: "Matrix.CopyRows", in: []*Matrix{randomData(7, 7, 0, 3)}, apart: []int{0}, size: 3,
		call: func(dst *Matrix, in []*Matrix) (*Matrix, error) {
			return rowsFrom(in[0], checkShape("m", in[0]), dst, 4)
		}})
	return append(cases, destinationCase{name: "Similarity.CopyRows", what: "KernelFunc", size: 3,
		call: func(dst *Matrix, _ []*Matrix) (*Matrix, error) {
			return rowsFrom(KernelFunc(7, func(i, j int) float64 { return float64(i + j) }), nil, dst, 4)
		}})
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
		check("dirty", &Matrix{Rows: want.Rows, Cols: want.Cols, Stride: want.Cols + 1, Data: scratch}, in, -1)
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
			own = copied(c.in, false)
			view := *own[i]
			check("the memory of input "+strconv.Itoa(i), &view, own, i)
			own = copied(c.in, true)
			check("strided input "+strconv.Itoa(i), own[i], own, i)
			if own[i].Stride > own[i].Cols && !paddingKept(own[i]) {
				t.Errorf("%s: wrote between the rows of input %d", name, i)
			}
		}

		// Errors: every input with a NaN, of a contradictory shape, or missing.
		for i, m := range c.in {
			type mistake struct {
				what string
				m    *Matrix
				want error
			}
			mistakes := []mistake{{"missing", nil, c.bad[i]}}
			if c.bad[i] != nil && m.Rows > 1 && m.Cols > 0 && !slices.Contains(c.dims, i) {
				spoilt := m.Clone()
				spoilt.Set(m.Rows-1, m.Cols-1, math.NaN())
				if c.gaps && i == 0 {
					spoilt.Set(m.Rows-1, m.Cols-1, math.Inf(-1))
				}
				mistakes = append(mistakes, mistake{"short", &Matrix{Rows: m.Rows, Cols: m.Cols, Stride: m.Cols, Data: m.Data[1:]}, ErrShape},
					mistake{"NaN", spoilt, ErrNonFinite})
			}
			for _, wrong := range mistakes {
				if wrong.want == nil {
					continue
				}
				own := copied(c.in, false)
				own[i] = wrong.m
				dst := laStrided(want)
				got, err := c.call(dst, own)
				if got != nil || !errors.Is(err, wrong.want) || !sameMatrix(dst, want) || !paddingKept(dst) {
					t.Errorf("%s: input %d %s: %v, or dst changed", name, i, wrong.what, err)
				}
			}
		}
		if !canRecover() {
			continue
		}
		for _, dst := range []*Matrix{
			NewMatrix(want.Rows, want.Cols+1, nil), NewMatrix(want.Rows+max(c.size, 1), want.Cols, nil), {Rows: want.Rows, Cols: -1},
			{Rows: want.Rows + 1, Cols: want.Cols + 1, Stride: want.Cols, Data: make([]float64, 99)}, {},
		} {
			if dst.Rows == want.Rows && dst.Cols == want.Cols {
				continue
			}
			before := slices.Clone(dst.Data)
			if !panics(func() { c.call(dst, in) }) || !laSameBits(dst.Data, before) || !sameMatrices(in, c.in) {
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

// sliceCase is a call that writes to a slice. All its inputs are floats, of which
// only a []float64 can be the dst.
type sliceCase[T int | float64] struct {
	name, what string
	in         []*Matrix
	bad        map[int]error
	call       func(dst []T, in []*Matrix) ([]T, error)
	slip       func(dst []T) // what panics whatever dst is; nil: nothing
}

func intCases() []sliceCase[int] {
	x, f, g := randomData(500, 3, 0, 1), randomData(4, 3, 0, 2), randomData(500, 4, 0, 3)
	nearest := func(dst []int, in []*Matrix) ([]int, error) { return (&Model{Centers: in[1]}).Nearest(dst, in[0]) }
	labels := func(dst []int, in []*Matrix) ([]int, error) {
		return (&Model{Centers: in[1], ClusterMeans: in[2]}).PredictLabels(dst, in[0])
	}
	sparse := gapped(x)
	gapLabels := func(dst []int, in []*Matrix) ([]int, error) {
		return (&Model{Centers: in[1], ClusterMeans: in[2]}).PredictMissingLabels(dst, in[0])
	}
	bad := map[int]error{0: ErrShape, 1: ErrTooFewSamples}
	return []sliceCase[int]{
		{name: "Model.Nearest", what: "several blocks", in: []*Matrix{x, f}, bad: bad, call: nearest},
		{name: "Model.Nearest", what: "coincident", in: []*Matrix{x, NewMatrix(4, 3, nil)}, bad: bad, call: nearest},
		{name: "Model.PredictLabels", what: "means", in: []*Matrix{x, f, randomData(4, 3, 0, 4)}, bad: map[int]error{0: ErrShape, 1: ErrTooFewSamples}, call: labels},
		{name: "Model.PredictLabels", what: "no means", in: []*Matrix{x, f, nil}, bad: bad, call: labels},
		{name: "Model.PredictMissingLabels", what: "means", in: []*Matrix{sparse, f, randomData(4, 3, 0, 4)}, bad: bad, call: gapLabels},
		{name: "Model.PredictMissingLabels", what: "no means", in: []*Matrix{sparse, f, nil}, bad: bad, call: gapLabels},
		{name: "Model.Labels", what: "clusters", in: []*Matrix{g}, call: func(dst []int, in []*Matrix) ([]int, error) {
			return (&Model{Memberships: in[0], Clusters: slices.Repeat([]int{2, 1}, 250)}).Labels(dst), nil
		}},
		{name: "Model.Labels", what: "memberships", in: []*Matrix{g}, call: func(dst []int, in []*Matrix) ([]int, error) {
			return (&Model{Memberships: in[0]}).Labels(dst), nil
		}},
		{name: "LSDModel.Labels", what: "memberships", in: []*Matrix{g}, call: func(dst []int, in []*Matrix) ([]int, error) {
			return (&LSDModel{Memberships: in[0]}).Labels(dst), nil
		}},
	}
}

func floatCases() (cases []sliceCase[float64]) {
	vectors := map[string]*Matrix{
		"a point of it": NewMatrix(1, 3, []float64{.25, .75, 0}), "NaN": NewMatrix(1, 3, []float64{1, math.NaN(), 2}), "nothing": NewMatrix(1, 0, nil),
	}
	for _, n := range []int{1, 2, 3, 4, 31, 32, 33, 34, 100, 700} { // about the 32 candidates of the sort
		for _, spread := range []float64{1e-3, 1, 1e3, 1e30} {
			vectors[strconv.Itoa(n)+" of "+decimal(spread)] = mapped(randomData(1, n, 0, uint64(n)), func(_, j int, v float64) float64 {
				if j%3 == 0 { // ties
					v = math.Round(v)
				}
				return spread * v
			})
		}
	}
	for what, v := range vectors {
		cases = append(cases, sliceCase[float64]{name: "ProjectSimplex", what: what, in: []*Matrix{v},
			call: func(dst []float64, in []*Matrix) ([]float64, error) { return ProjectSimplex(dst, in[0].Data), nil }})
	}
	return cases
}

// TestSliceDestinations is TestDestinations for those that are slices.
func TestSliceDestinations(t *testing.T) {
	for _, c := range intCases() {
		c.test(t, func(a, b []int) bool { return slices.Equal(a, b) })
	}
	for _, c := range floatCases() {
		c.test(t, laSameBits)
		want, _ := c.call(nil, c.in)
		own := copied(c.in, false)
		if got, _ := c.call(own[0].Data, own); !laSameBits(got, want) || !laSameBits(own[0].Data, want) {
			t.Errorf("%s, %s: in place differs", c.name, c.what)
		}
	}
}

func (c sliceCase[T]) test(t *testing.T, same func(a, b []T) bool) {
	t.Helper()
	name := c.name + ", " + c.what
	want, err := c.call(nil, c.in)
	if err != nil {
		t.Fatal(name, err)
	}
	const mark = 99 // of what must stay
	memory := slices.Repeat([]T{mark}, len(want)+6)
	dst := memory[2 : len(want)+2]
	for _, how := range []string{"dirty", "once more"} {
		own := copied(c.in, true)
		got, err := c.call(dst, own)
		if err != nil || len(got) != len(dst) || len(got) > 0 && &got[0] != &dst[0] || !same(dst, want) {
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
		for wrong, want := range map[*Matrix]error{nil: c.bad[i], spoilt: ErrNonFinite, {Rows: 2, Cols: 2}: ErrShape} {
			own := copied(c.in, false)
			own[i] = wrong
			if got, err := c.call(dst, own); got != nil || !errors.Is(err, want) || !same(dst, keep) {
				t.Errorf("%s: input %d: %v, want %v, or dst changed", name, i, err, want)
			}
		}
	}
	if !canRecover() {
		return
	}
	for _, n := range []int{len(want) + 1, len(want) - 1, 0} {
		if n < 0 || n == len(want) {
			continue
		}
		if !panics(func() { c.call(memory[1:1+n], c.in) }) || !same(dst, keep) || memory[1] != mark {
			t.Errorf("%s: a dst of length %d: no panic, or it changed", name, n)
		}
	}
	if c.slip != nil && (!panics(func() { c.slip(dst) }) || !same(dst, keep)) {
		t.Errorf("%s: no panic, or it changed dst", name)
	}
}

// receiverCase is a receiver whose calls may fail.
type receiverCase struct {
	name  string // of the receiver's type, in the documentation
	what  string
	make  func() form
	fails []failure
	works func(v form) error // what changes it
}

// failure is a call of a method that fails, and what with.
type failure struct {
	method, what string
	want         error
	call         func(v form) error
	reads        []form // arguments that stay as they are, too
}

// formOf is the binary form; none where the value has none.
func formOf(v form) []byte {
	b, _ := v.MarshalBinary()
	return b
}

// badForms are bytes that no decoder of the form takes.
func badForms(v form) map[string][]byte {
	b := formOf(v)
	out := map[string][]byte{"nothing": nil, "longer": resum(append(bytes.Clone(b), make([]byte, 8)...))}
	for n := 1; n < len(b); n += 1 + len(b)/40 {
		out["cut at "+strconv.Itoa(n)] = resum(bytes.Clone(b[:n]))
		flipped := bytes.Clone(b)
		flipped[n] ^= 0x10
		out["flipped at "+strconv.Itoa(n)] = flipped
	}
	for _, magic := range []string{modelForm.magic, lsdForm.magic, statsForm.magic, subspaceForm.magic, extentForm.magic, "SKM?"} {
		if magic != string(b[:4]) {
			out["called "+magic] = resum(append([]byte(magic), b[4:]...))
		}
	}
	return out
}

func receiverCases(t testing.TB) (cases []receiverCase) {
	x := randomData(30, 3, 1, 4)
	nan := rowsOf(x, 0, 2).Clone()
	nan.Set(1, 1, math.NaN())
	short := &Matrix{Rows: 2, Cols: 3, Stride: 3, Data: make([]float64, 5)}
	two, w2 := rowsOf(x, 28, 30), []float64{1, 1}
	stats := func(x *Matrix) *Stats { return statsOf(t, x, nil) }
	subspace := func(x *Matrix, k int) *Subspace {
		p, err := stats(x).Subspace(k, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	reachOf := func(p *Subspace, x *Matrix) *Extent {
		e := &Extent{}
		if err := e.Add(p, x, nil); err != nil {
			t.Fatal(err)
		}
		return e
	}

	narrow, many := stats(NewMatrix(1, 2, nil)), &Stats{moments: moments{rows: math.MaxInt - 1}}
	add := func(x *Matrix) func(form) error { return func(v form) error { return v.(*Stats).Add(x) } }
	weigh := func(x *Matrix, w ...float64) func(form) error {
		return func(v form) error { return v.(*Stats).AddWeighted(x, w) }
	}
	sparse := func(x *SparseMatrix, w ...float64) func(form) error {
		return func(v form) error { return v.(*Stats).AddSparse(x, w) }
	}
	merge := func(s *Stats) func(form) error { return func(v form) error { return v.(*Stats).Merge(s) } }
	of := func(k int, o *Options) func(form) error {
		return func(v form) error { _, err := v.(*Stats).Subspace(k, o); return err }
	}
	common := []failure{
		{"Stats.Add", "nil", ErrShape, add(nil), nil}, {"Stats.Add", "too short", ErrShape, add(short), nil}, {"Stats.Add", "NaN", ErrNonFinite, add(nan), nil},
		{"Stats.Add", "no columns", ErrShape, add(NewMatrix(2, 0, nil)), nil},
		{"Stats.AddSparse", "nil", ErrShape, sparse(nil), nil}, {"Stats.AddSparse", "one weight", ErrShape, sparse(sparseOf(two), 1), nil},
		{"Stats.AddSparse", "NaN without weight", ErrNonFinite, sparse(sparseOf(nan), 0, 0), nil}, {"Stats.AddSparse", "negative", ErrOption, sparse(sparseOf(two), 1, -1), nil},
		{"Stats.AddWeighted", "one weight", ErrShape, weigh(two, 1), nil}, {"Stats.AddWeighted", "NaN without weight", ErrNonFinite, weigh(nan, 0, 0), nil},
		{"Stats.AddWeighted", "negative", ErrOption, weigh(two, 1, -1), nil}, {"Stats.AddWeighted", "NaN as weight", ErrNonFinite, weigh(two, 1, math.NaN()), nil},
		{"Stats.Subspace", "k = 0", nil, of(0, nil), nil},
	}
	full := append(slices.Clone(common),
		failure{"Stats.Add", "width", ErrShape, add(NewMatrix(2, 2, nil)), nil}, failure{"Stats.AddWeighted", "width", ErrShape, weigh(NewMatrix(2, 4, nil), 1, 1), nil},
		failure{"Stats.Merge", "width", ErrShape, merge(narrow), []form{narrow}}, failure{"Stats.Merge", "too many rows", ErrShape, merge(many), []form{many}},
		failure{"Stats.Subspace", "Krylov", ErrOption, of(2, &Options{Solver: SolverKrylov}), nil}, failure{"Stats.Subspace", "weights", ErrOption, of(2, &Options{Weights: w2}), nil},
		failure{"Stats.Subspace", "turn", ErrShape, of(3, &Options{Orientation: NewMatrix(1, 1, []float64{1})}), nil})
	grow := func(v form) error {
		s := v.(*Stats)
		return errors.Join(s.Add(rowsOf(x, 0, 20)), s.AddWeighted(two, []float64{0.5, 0}), s.AddSparse(sparseOf(two), []float64{0, 2}), s.Merge(stats(rowsOf(x, 20, 28))))
	}
	light := stats(two)
	cases = append(cases,
		receiverCase{name: "Stats", what: "empty", make: func() form { return &Stats{} }, fails: common, works: grow},
		receiverCase{name: "Stats", what: "with rows", make: func() form { return stats(rowsOf(x, 3, 9)) }, fails: full, works: grow},
		receiverCase{name: "Stats", what: "with very many rows", make: func() form { return &Stats{moments: moments{rows: math.MaxInt - 1}} },
			fails: []failure{{"Stats.Add", "too many", ErrShape, add(two), nil}, {"Stats.AddWeighted", "too many", ErrShape, weigh(two, 0, 0), nil},
				{"Stats.AddSparse", "too many", ErrShape, sparse(sparseOf(two), 0, 0), nil},
				{"Stats.Merge", "too many", ErrShape, merge(light), []form{light}}},
			works: func(v form) error { return v.(*Stats).AddWeighted(rowsOf(x, 0, 1), []float64{0}) }})

	p, other := subspace(x, 2), subspace(x, 3)
	large := two.Clone()
	large.Set(1, 1, -1e9)
	foreign := reachOf(other, two)
	crowd := &Extent{rows: math.MaxInt - 1, coneExtent: coneExtent{extent: extent{facets: make([]float64, 2)}}, fingerprint: p.fingerprint, started: true}
	reach := func(p *Subspace, x *Matrix, w []float64) func(form) error {
		return func(v form) error { return v.(*Extent).Add(p, x, w) }
	}
	join := func(f *Extent) func(form) error { return func(v form) error { return v.(*Extent).Merge(f) } }
	fresh := []failure{
		{"Extent.Add", "no subspace", ErrTooFewSamples, func(v form) error { return v.(*Extent).Add(&Subspace{}, two, nil) }, nil},
		{"Extent.Add", "width", ErrShape, func(v form) error { return v.(*Extent).Add(p, NewMatrix(2, 2, nil), nil) }, []form{p}},
		{"Extent.Add", "nil", ErrShape, reach(p, nil, nil), []form{p}}, {"Extent.Add", "NaN", ErrNonFinite, reach(p, nan, nil), []form{p}},
		{"Extent.Add", "larger", ErrChanged, reach(p, large, nil), []form{p}}, {"Extent.Add", "heavier", ErrChanged, reach(p, two, []float64{1, 2}), []form{p}},
		{"Extent.Add", "one weight", ErrShape, reach(p, two, []float64{1}), []form{p}}, {"Extent.Add", "negative", ErrOption, reach(p, two, []float64{-1, 1}), []form{p}},
		{"Extent.Add", "too short", ErrShape, reach(p, short, nil), []form{p}},
	}
	reached := append(slices.Clone(fresh), failure{"Extent.Add", "another subspace's rows", ErrShape, reach(other, x, nil), []form{other}},
		failure{"Extent.Merge", "another subspace's", ErrShape, join(foreign), []form{foreign}}, failure{"Extent.Merge", "too many rows", ErrShape, join(crowd), []form{crowd}},
		failure{"Subspace.Model", "too few rows", ErrChanged, func(v form) error { _, err := p.Model(v.(*Extent)); return err }, []form{p}},
		failure{"Subspace.Model", "another subspace", ErrShape, func(v form) error { _, err := other.Model(v.(*Extent)); return err }, []form{other}})
	extend := func(v form) error {
		e := v.(*Extent)
		return errors.Join(e.Add(p, rowsOf(x, 0, 20), nil), e.Add(p, two, w2), e.Merge(reachOf(p, rowsOf(x, 20, 28))))
	}
	cases = append(cases,
		receiverCase{name: "Extent", what: "empty", make: func() form { return &Extent{} }, fails: fresh, works: extend},
		receiverCase{name: "Extent", what: "with rows", make: func() form { return reachOf(p, rowsOf(x, 3, 9)) }, fails: reached, works: extend})

	bad := reachOf(p, two)
	cases = append(cases, receiverCase{name: "Subspace", what: "with rows", make: func() form { return subspace(x, 2) }, fails: []failure{
		{"Subspace.Model", "too few rows", ErrChanged, func(v form) error { _, err := v.(*Subspace).Model(bad); return err }, []form{bad}},
		{"Subspace.Model", "another subspace's", ErrShape, func(v form) error { _, err := v.(*Subspace).Model(foreign); return err }, []form{foreign}},
		{"Subspace.Model", "none", ErrChanged, func(v form) error { _, err := v.(*Subspace).Model(&Extent{}); return err }, nil},
	}}, receiverCase{name: "Subspace", what: "empty", make: func() form { return &Subspace{} }, fails: []failure{
		{"Subspace.Model", "none", ErrTooFewSamples, func(v form) error { _, err := v.(*Subspace).Model(&Extent{}); return err }, nil},
		{"Subspace.MarshalBinary", "none", ErrTooFewSamples, func(v form) error { _, err := v.MarshalBinary(); return err }, nil},
	}})

	for i, m := range sampleModels(t) {
		model := func(call func(m *Model) error) func(form) error {
			return func(v form) error { return call(v.(*Model)) }
		}
		c := receiverCase{name: "Model", what: strconv.Itoa(i), make: func() form { return shipped(t, m) }, fails: []failure{
			{"Model.Predict", "nil", nil, model(func(m *Model) error { _, err := m.Predict(nil, nil); return err }), nil},
			{"Model.PredictLabels", "nil", nil, model(func(m *Model) error { _, err := m.PredictLabels(nil, nil); return err }), nil},
			{"Model.Nearest", "nil", nil, model(func(m *Model) error { _, err := m.Nearest(nil, nil); return err }), nil},
		}}
		if m.Centers != nil && m.Centers.Rows > 0 {
			wrong := NewMatrix(1, 4, []float64{1, 2, 3, math.NaN()})
			c.fails = append(c.fails, failure{"Model.Predict", "NaN", ErrNonFinite, model(func(m *Model) error { _, err := m.Predict(nil, wrong); return err }), nil},
				failure{"Model.Nearest", "NaN", ErrNonFinite, model(func(m *Model) error { _, err := m.Nearest(nil, wrong); return err }), nil})
		}
		cases = append(cases, c)
	}
	for i, m := range lsdModels(t) {
		model := func(call func(m *LSDModel) error) func(form) error {
			return func(v form) error { return call(v.(*LSDModel)) }
		}
		c := receiverCase{name: "LSDModel", what: strconv.Itoa(i), make: func() form { return shipped(t, m) }, fails: []failure{
			{"LSDModel.Predict", "nil", nil, model(func(m *LSDModel) error { _, err := m.Predict(nil, nil); return err }), nil},
			{"LSDModel.Coordinates", "width", nil, model(func(m *LSDModel) error { _, err := m.Coordinates(nil, NewMatrix(1, 5, nil)); return err }), nil},
		}}
		cases = append(cases, c)
	}
	// Every receiver is a decoder, too: of all bytes that are none of the forms of its kind.
	for i := range cases {
		c := &cases[i]
		for _, from := range cases {
			if from.name != c.name || formOf(from.make()) == nil {
				continue
			}
			good := formOf(from.make())
			for what, b := range badForms(from.make()) {
				c.fails = append(c.fails, failure{c.name + ".UnmarshalBinary", from.what + ", " + what, ErrFormat, func(v form) error { return v.UnmarshalBinary(b) }, nil})
			}
			if c.works == nil {
				c.works = func(v form) error { return v.UnmarshalBinary(good) }
			}
		}
	}
	return cases
}

// TestReceivers: after every kind of failing call a receiver, and what it was given,
// is what it was, and works as one that never failed.
func TestReceivers(t *testing.T) {
	for _, c := range receiverCases(t) {
		v, fresh := c.make(), c.make()
		before := formOf(v)
		if !bytes.Equal(before, formOf(fresh)) {
			t.Fatalf("%s, %s: not the same twice", c.name, c.what)
		}
		for _, f := range c.fails {
			var reads [][]byte
			for _, r := range f.reads {
				reads = append(reads, formOf(r))
			}
			if err := f.call(v); err == nil || f.want != nil && !errors.Is(err, f.want) {
				t.Errorf("%s, %s: %s, %s: %v, want %v", c.name, c.what, f.method, f.what, err, f.want)
			}
			if !bytes.Equal(formOf(v), before) {
				t.Errorf("%s, %s: changed by %s, %s", c.name, c.what, f.method, f.what)
			}
			for i, r := range f.reads {
				if !bytes.Equal(formOf(r), reads[i]) {
					t.Errorf("%s, %s: argument %d of %s, %s, changed", c.name, c.what, i, f.method, f.what)
				}
			}
		}
		if err := errors.Join(c.works(v), c.works(fresh)); err != nil {
			t.Errorf("%s, %s, after errors: %v", c.name, c.what, err)
		}
		after := formOf(v)
		if after == nil || !bytes.Equal(after, formOf(fresh)) || len(after) == len(before) && c.name == "Stats" && c.what == "empty" {
			t.Errorf("%s, %s: errors before changed what came after", c.name, c.what)
		}
		// A form and what was read of it share no memory, and the receiver's old content none with it.
		form := bytes.Clone(after)
		again := c.make()
		if err := errors.Join(again.UnmarshalBinary(form), again.UnmarshalBinary(form)); err != nil {
			t.Errorf("%s, %s: %v", c.name, c.what, err)
		}
		clear(form)
		clear(formOf(again))
		if !bytes.Equal(formOf(again), after) {
			t.Errorf("%s, %s: shares memory with its form, or a used receiver shows", c.name, c.what)
		}
	}
}

// TestMergeItself: the receiver as its own argument is as a copy of it.
func TestMergeItself(t *testing.T) {
	s := statsOf(t, randomData(9, 4, 3, 1), nil)
	p, err := s.Subspace(3, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := &Extent{}
	if err := e.Add(p, randomData(9, 4, 3, 1), nil); err != nil {
		t.Fatal(err)
	}
	s2, e2 := shipped(t, s), shipped(t, e)
	if err := errors.Join(s2.Merge(shipped(t, s)), s.Merge(s), e2.Merge(shipped(t, e)), e.Merge(e)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(formOf(s), formOf(s2)) || s.Rows() != 18 || !bytes.Equal(formOf(e), formOf(e2)) || e.Rows() != 18 {
		t.Error("differs from merging a copy")
	}
	x := NewMatrix(2, 1, []float64{1, 2})
	for _, s := range []*Stats{{}, statsOf(t, x, []float64{0, 0})} { // nothing that weighs
		rows, copied := s.Rows(), shipped(t, s)
		if err := errors.Join(copied.Merge(shipped(t, s)), s.Merge(s)); err != nil || !bytes.Equal(formOf(s), formOf(copied)) || s.Rows() != 2*rows {
			t.Errorf("%d rows without weight: differs from merging a copy, %v", rows, err)
		}
	}
}
