package softkmeans

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestLSDFloorNegative: where the iterative eigensolver, for n > fullOrder, is asked for
// more eigenvalues than are positive, the floor does not suffer.
func TestLSDFloorNegative(t *testing.T) {
	t.Parallel()
	n := fewer(264, fullOrder+8)
	for _, positive := range []int{0, 2, 5} {
		kernel := similarity(n, func(i, j int) float64 {
			switch {
			case i != j:
				return 0
			case i < positive:
				return 1
			}
			return -1
		})
		m, err := LSD(bg, kernel, 8, &LSDOptions{MaxIter: -1})
		if err != nil {
			t.Fatal(err)
		}
		if want := float64(n - positive); m.Floor > want || want-m.Floor > 1e-9 || m.FloorError > 1e-9 {
			t.Errorf("%d positive: floor %g above %g, want %g", positive, m.Floor, m.FloorError, want)
		}
	}
}

// TestLSDEigensolverLimit: eigenvalues that crowd at the upper end take more steps
// than the eigensolver has. That is a Status, and the floor is a bound still. Where the
// floor is proved a direct method follows.
func TestLSDEigensolverLimit(t *testing.T) {
	t.Parallel()
	if quick() {
		skip(t, "takes seconds")
		return
	}
	const n = provedOrder + 8
	value := func(i int) float64 { return 2 * math.Cos(math.Pi*float64(i)/float64(n+1)) }
	at := func(i, j int) float64 {
		if i != j {
			return 0
		}
		return value(i)
	}
	kernel := KernelFunc(n, at)
	want := 0.0
	for i := range n {
		if i >= 3 {
			want += value(i) * value(i)
		}
	}
	m, err := LSD(bg, kernel, 3, &LSDOptions{MaxIter: -1})
	if err != nil {
		t.Fatal(err)
	}
	if m.Status != StatusIterationLimit || m.Floor > want || m.Floor+m.FloorError < want {
		t.Errorf("%v, floor %.12g above %.3g, want %.12g", m.Status, m.Floor, m.FloorError, want)
	}
	few := mustDo(LSD(bg, KernelFunc(200, at), 3, &LSDOptions{MaxIter: -1}))(t)
	if few.Status == StatusIterationLimit || few.FloorError > 1e-12*few.Total {
		t.Errorf("of order 200: %v, floor %.12g above %.3g", few.Status, few.Floor, few.FloorError)
	}
}

// TestLSDFloor: the floor is a lower bound, with the Krylov iteration (n > fullOrder)
// as with all eigenvalues, also where eigenvalues are close and where the largest
// in magnitude is negative, and tight.
func TestLSDFloor(t *testing.T) {
	t.Parallel()
	n := fewer(full(200, 150), fullOrder+8)
	rng := rand.New(rand.NewPCG(3, 3))
	q := randomData(n, n, 0, 7)
	orthonormalize(q, 0)
	for name, value := range map[string]func(i int) float64{
		"falling":      func(i int) float64 { return math.Pow(0.9, float64(i)) },
		"close":        func(i int) float64 { return 1 - 1e-3*float64(i)/float64(n) },
		"multiple":     func(i int) float64 { return float64(5 - i/10) },
		"few positive": func(i int) float64 { return map[bool]float64{true: 1, false: -0.5}[i < 3] },
		"negative end": func(i int) float64 { return map[bool]float64{true: -100, false: rng.Float64()}[i == 0] },
	} {
		values := make([]float64, n)
		kernel := NewMatrix(n, n, nil)
		for i := range n {
			values[i] = value(i)
			for a := range n {
				axpy(kernel.Row(a), values[i]*q.Row(i)[a], q.Row(i))
			}
		}
		slices.Sort(values)
		slices.Reverse(values)
		for _, k := range fewer(full([]int{1, 4, 9}, []int{4}), []int{1}) {
			want := 0.0
			for i, v := range values {
				if i >= k || v < 0 {
					want += v * v
				}
			}
			m, err := LSD(bg, kernel, k, &LSDOptions{MaxIter: -1})
			if err != nil {
				t.Fatal(err)
			}
			if name == "few positive" && m.Status != StatusConverged {
				t.Errorf("%s, k=%d: %v", name, k, m.Status)
			}
			if slack := 1e-12 * m.Total; m.Floor > want+slack || m.Floor+m.FloorError < want-slack || m.FloorError > 1e-8*m.Total || m.Objective < m.Floor {
				t.Errorf("%s, k=%d: floor %g + %g, the eigenvalues say %g; objective %g", name, k, m.Floor, m.FloorError, want, m.Objective)
			}
		}
	}
}

// plainSimilarity is one of no kind that the package knows.
type plainSimilarity struct{ m *Matrix }

func (s plainSimilarity) Len() int { return s.m.Rows }

func (s plainSimilarity) CopyRows(dst *Matrix, lo int) {
	for i := range dst.Rows {
		copy(dst.Row(i), s.m.Row(lo+i))
	}
}

// checkOperator holds products, remainders, means and eigenpairs of an operator to those of
// the matrix that it stands for, in units of 2^exp.
func checkOperator(t *testing.T, name string, op *operator, kernel *Matrix) {
	t.Helper()
	n := kernel.Rows
	if n != op.n {
		t.Fatalf("%s: n is %d", name, op.n)
	}
	want := mapped(kernel, func(_, _ int, v float64) float64 { return math.Ldexp(v, -op.exp) })
	tol := 1e-13 * math.Sqrt(sumSquares(want.Data))
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tol*(1+float64(n))) {
			t.Errorf("%s: %s is %g, want %g", name, what, got, want)
		}
	}
	vt := randomData(3, n, 0, 5)
	got := mustDo(op.apply(vt))(t)
	yt := randomData(2, n, 0, 6)
	left := mustDo(op.without(yt))(t)
	rest := want.Clone()
	for i := range n {
		for c := range vt.Rows {
			near("a product", got.At(c, i), dot(want.row(i), vt.row(c)))
		}
		for j := range n {
			rest.row(i)[j] -= yt.At(0, i)*yt.At(0, j) + yt.At(1, i)*yt.At(1, j)
		}
	}
	tol *= 1 + sumSquares(yt.Data)
	near("the remainder", left.squares, sumSquares(rest.Data))
	near("the total", left.total, sumSquares(want.Data))
	if op.data == nil { // of XXᵀ it is at least 0
		near("the remainder's trace", left.trace, trace(rest))
	} else {
		near("the remainder's trace", left.trace, max(0, trace(rest)))
	}
	spec := mustDo(op.leading(2, 1))(t)
	values, vectors, err := EigenSym(want)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range spec.values {
		near("an eigenvalue", v, values[i])
		near("a vector", math.Abs(dot(spec.rows.row(i), vectors.transposed().row(i))), 1)
		if slices.Max(spec.rows.row(i)) < -slices.Min(spec.rows.row(i)) {
			t.Errorf("%s: the largest entry of vector %d is negative", name, i)
		}
	}
	if size := max(values[0], -values[n-1]); spec.top > size*(1+1e-9) || spec.top < values[0]*(1-1e-9) || spec.noise < float64(n)*0x1p-52*spec.top || op.data == nil && spec.open > 1e-18*spec.top {
		t.Errorf("%s: top %g of %g, noise %g", name, spec.top, size, spec.noise)
	}
}

// TestOperator: every kind of similarity is the matrix that it stands for, also once
// centred.
func TestOperator(t *testing.T) {
	t.Parallel()
	for _, n := range []int{9, 33, fullOrder + 2} {
		x := randomData(n, 3, 1, uint64(n))
		linear := mustDo(LinearKernel(x))(t)
		rbf := mustDo(RBFKernel(x, 0.1))(t)
		xx, k := outer(x), mustDo(SimilarityMatrix(rbf))(t)
		lopsided := mapped(k, func(i, j int, v float64) float64 { return v + 4e-9*float64((i-j)%2)*float64(i)/float64(n) })
		mean := mapped(lopsided, func(i, j int, v float64) float64 { return (v + lopsided.At(j, i)) / 2 })
		wide := &Matrix{Rows: n, Cols: n, Stride: n + 3, Data: nans(n * (n + 3))}
		for i := range n {
			copy(wide.row(i), k.row(i))
		}
		for _, c := range []struct {
			name string
			s    Similarity
			want *Matrix
		}{
			{"matrix", &denseKernel{m: k}, k}, {"strided", &denseKernel{m: wide}, k}, {"averaged", &denseKernel{lopsided, true}, mean},
			{"function", KernelFunc(n, k.At), k}, {"other", plainSimilarity{k}, k}, {"RBF", rbf, k}, {"linear", linear, xx},
			{"large", KernelFunc(n, func(i, j int) float64 { return 1e140 * k.At(i, j) }), mapped(k, func(_, _ int, v float64) float64 { return 1e140 * v })},
			{"small", KernelFunc(n, func(i, j int) float64 { return 1e-140 * k.At(i, j) }), mapped(k, func(_, _ int, v float64) float64 { return 1e-140 * v })},
		} {
			if n > fullOrder && c.name != "strided" && c.name != "function" { // for the Krylov iteration
				continue
			}
			op, err := newOperator(bg, c.s, 2)
			if err != nil {
				t.Fatal(c.name, err)
			}
			if top, _ := rowMaxAbs(c.want.Data); op.data == nil && (op.exp%2 != 0 || top >= math.Ldexp(1, op.exp) || top < math.Ldexp(1, op.exp-2)) {
				t.Errorf("%s: exp %d for %g", c.name, op.exp, top)
			}
			checkOperator(t, c.name, op, c.want)
			if c.name == "part of linear" { // parts are not centred: the tree is LSD's
				continue
			}
			if err := op.centre(); err != nil {
				t.Fatal(err)
			}
			checkOperator(t, c.name+", centred", op, centredKernel(c.want))
			top, _ := rowMaxAbs(c.want.Data)
			for i, v := range op.rowMeans() {
				mean := 0.0
				for _, v := range c.want.row(i) {
					mean += v / float64(c.want.Rows)
				}
				if math.Abs(v-mean) > 1e-14*top {
					t.Errorf("%s: the mean of row %d is %g, want %g", c.name, i, v, mean)
				}
			}
			if op.data == nil {
				minus := *op
				minus.negate = true
				y := randomData(1, op.n, 0, 4)
				a, b := mustDo(op.apply(y))(t), mustDo(minus.apply(y))(t)
				for i, v := range a.Data {
					if v != -b.Data[i] {
						t.Fatalf("%s: −K takes to %g, K to %g", c.name, b.Data[i], v)
					}
				}
				if p, q := mustDo(op.leading(op.n, 0))(t), mustDo(minus.leading(1, 0))(t); math.Abs(p.values[op.n-1]+q.values[0]) > 1e-9*p.top {
					t.Errorf("%s: eigenvalue %g of K, %g of −K", c.name, p.values[op.n-1], q.values[0])
				}
			}
		}
	}
}

// TestOperatorErrors: entries out of range are named by their row in all of K, the first of
// several; an asymmetry is told from rounding.
func TestOperatorErrors(t *testing.T) {
	const n = 300 // several blocks
	with := func(row, col int, v, others float64) Similarity {
		return KernelFunc(n, func(i, j int) float64 {
			if i == row && j == col || i == col && j == row {
				return v
			}
			return others
		})
	}
	for _, c := range []struct {
		s        Similarity
		row, col int
		want     error
	}{
		{with(177, 220, math.NaN(), 1), 177, 220, ErrNonFinite}, {with(140, 149, math.Inf(-1), 1), 140, 149, ErrNonFinite}, {with(0, 3, above(mostEntry), 1), 0, 3, ErrRange},
		{with(99, 101, leastScale/2, 0), 99, 101, ErrRange}, {with(199, 201, leastScale/2, leastScale/4), 199, 201, ErrRange}, {with(299, 299, -leastScale/2, 0), 299, 299, ErrRange},
		{KernelFunc(n, func(i, j int) float64 { return math.Sqrt(float64(260 - max(i, j))) }), 0, 261, ErrNonFinite},
	} {
		for _, workers := range []int{1, 2} {
			var at *InputError
			if _, err := newOperator(bg, c.s, workers); !errors.As(err, &at) || at.Arg != "similarity" || at.Row != c.row || at.Col != c.col || !errors.Is(err, c.want) {
				t.Errorf("%v, want one of [%d,%d]", err, c.row, c.col)
			}
		}
	}
	whole := func(e float64) Similarity {
		return KernelFunc(9, func(i, j int) float64 {
			if i < j {
				return 1 + e
			}
			return 1
		})
	}
	if _, err := newOperator(bg, whole(1e-9), 1); err != nil {
		t.Error(err)
	}
	if _, err := newOperator(bg, whole(1e-6), 1); !errors.Is(err, ErrShape) || !strings.Contains(err.Error(), "not symmetric") {
		t.Error(err)
	}
	if _, err := newOperator(bg, with(0, 0, leastScale, 0), 1); err != nil {
		t.Error(err)
	}
	// A factor of rank 2 has two eigenvalues that are not rounding.
	flat := product(randomData(20, 2, 0, 1), randomData(2, 5, 0, 2))
	if m := mustDo(TILSD(bg, mustDo(LinearKernel(flat))(t), 5, nil))(t); m.Rank != 2 {
		t.Errorf("rank %d", m.Rank)
	}
	if m := mustDo(LSD(bg, outer(flat), 5, &LSDOptions{MaxIter: -1}))(t); m.Rank != 2 {
		t.Errorf("rank %d", m.Rank)
	}
}

// TestSizeOfK: a k for which k×k numbers have no address is an error of k.
func TestSizeOfK(t *testing.T) {
	large := 1 << 23
	if math.MaxInt == math.MaxInt32 {
		large = 1 << 14
	}
	if _, err := LSD(bg, identity(1), large, nil); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "a matrix of "+shape(large, large)) {
		t.Error(err)
	}
}

// TestOperatorChanged: a similarity whose bad row is good when it is read once more is not
// taken for a good one.
func TestOperatorChanged(t *testing.T) {
	reads := 0
	s := KernelFunc(3, func(i, j int) float64 {
		if i == 2 && j == 0 {
			if reads++; reads == 1 {
				return math.NaN()
			}
		}
		return 1
	})
	_, err := LSD(bg, s, 2, &LSDOptions{Workers: 1})
	if !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "row 2 of the similarity") {
		t.Error(err)
	}
}
