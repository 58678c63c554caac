package softkmeans

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestLSDEigensolverLimit: eigenvalues that crowd at the upper end take more steps than the eigensolver has.
// Status says so unless the floor is proved all the same, and it is a bound in any case.
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
	want := 0.0
	for i := 3; i < n; i++ {
		want += value(i) * value(i)
	}
	m := mustDo(LSD(bg, similarityFunc(n, at), 3, &LSDOptions{MaxIter: -1}))(t)
	if proved := m.FloorError <= 1e-12*m.Total; (m.Status == StatusIterationLimit) == proved ||
		m.Floor > want || m.Floor+m.FloorError < want {
		t.Errorf("%v, floor %.12g above %.3g, want %.12g", m.Status, m.Floor, m.FloorError, want)
	}
	few := mustDo(LSD(bg, similarityFunc(200, at), 3, &LSDOptions{MaxIter: -1}))(t)
	if few.Status == StatusIterationLimit || few.FloorError > 1e-12*few.Total {
		t.Errorf("of order 200: %v, floor %.12g above %.3g", few.Status, few.Floor, few.FloorError)
	}
}

// TestLSDFloor: the floor is a tight lower bound with the Krylov iteration (n > fullOrder), where eigenvalues
// are close, where the largest in magnitude is negative, and where fewer are positive than are asked for.
func TestLSDFloor(t *testing.T) {
	t.Parallel()
	n := fewer(200, fullOrder+8)
	rng := rand.New(rand.NewPCG(3, 3))
	q := randomData(n, n, 0, 7)
	orthonormalize(bg, q, 0)
	step := func(at int, before, from float64) func(i int) float64 {
		return func(i int) float64 {
			if i < at {
				return before
			}
			return from
		}
	}
	for name, value := range map[string]func(i int) float64{
		"falling":      func(i int) float64 { return math.Pow(0.9, float64(i)) },
		"close":        func(i int) float64 { return 1 - 1e-3*float64(i)/float64(n) },
		"multiple":     func(i int) float64 { return float64(5 - i/10) },
		"few positive": step(3, 1, -0.5), "none positive": step(0, 1, -1),
		"negative end": func(i int) float64 { return step(1, -100, rng.Float64())(i) },
	} {
		values := make([]float64, n)
		scaled := mapped(q, func(i, j int, v float64) float64 {
			if j == 0 {
				values[i] = value(i)
			}
			return values[i] * v
		})
		kernel := product(q.transposed(), scaled)
		slices.Sort(values)
		slices.Reverse(values)
		for _, k := range fewer([]int{1, 4, 9}, []int{1, 8}) {
			want := 0.0
			for i, v := range values {
				if i >= k || v < 0 {
					want += v * v
				}
			}
			m := mustDo(LSD(bg, kernel, k, &LSDOptions{MaxIter: -1, Starts: 1}))(t)
			if name == "few positive" && k == 1 && m.Status != StatusConverged {
				t.Errorf("%s, k=%d: %v", name, k, m.Status)
			}
			if slack := 1e-12 * m.Total; m.Floor > want+slack || m.Floor+m.FloorError < want-slack ||
				m.FloorError > 1e-8*m.Total || m.Objective < m.Floor {
				t.Errorf("%s, k=%d: floor %g + %g, the eigenvalues say %g; objective %g",
					name, k, m.Floor, m.FloorError, want, m.Objective)
			}
		}
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
	vt, yt := randomData(3, n, 0, 5), randomData(2, n, 0, 6)
	near("the distance of products", maxDiff(mustDo(op.apply(vt))(t), product(vt, want)), 0)
	left := mustDo(op.without(yt))(t)
	rest := axpyOf(want.Clone(), -1, outer(yt.transposed()))
	tol *= 1 + sumSquares(yt.Data)
	near("the remainder", left.squares, sumSquares(rest.Data))
	near("the total", left.total, sumSquares(want.Data))
	if op.data == nil { // of XXᵀ it is at least 0
		near("the remainder's trace", left.trace, trace(rest))
	} else {
		near("the remainder's trace", left.trace, max(0, trace(rest)))
	}
	spec, _, _, err := op.nearest(2, 1)
	must(t, err)
	values, vectors, err := EigenSym(want)
	must(t, err)
	for i, v := range spec.values {
		near("an eigenvalue", v, values[i])
		near("a vector", math.Abs(dot(spec.rows.row(i), vectors.transposed().row(i))), 1)
		if slices.Max(spec.rows.row(i)) < -slices.Min(spec.rows.row(i)) {
			t.Errorf("%s: the largest entry of vector %d is negative", name, i)
		}
	}
	if size := max(values[0], -values[n-1]); spec.top > size*(1+1e-9) || spec.top < values[0]*(1-1e-9) ||
		spec.noise < float64(n)*0x1p-52*spec.top || op.data == nil && spec.open > 1e-18*spec.top {
		t.Errorf("%s: top %g of %g, noise %g", name, spec.top, size, spec.noise)
	}
}

// TestOperator: every kind of similarity is the matrix that it stands for, also once
// centred. One that is symmetric to rounding of its source is its mean with its mirror image.
func TestOperator(t *testing.T) {
	t.Parallel()
	for _, n := range []int{33, fullOrder + 2} {
		x := randomData(n, 3, 1, uint64(n))
		linear, rbf := mustDo(LinearKernel(x))(t), mustDo(RBFKernel(x, 0.1))(t)
		k := mustDo(SimilarityMatrix(rbf))(t)
		lopsided := mapped(k, func(i, j int, v float64) float64 {
			return v + 4e-9*float64((i-j)%2)*float64(i)/float64(n)
		})
		mean := similarity(n, func(i, j int) float64 { return (lopsided.At(i, j) + lopsided.At(j, i)) / 2 })
		times := func(f float64) func(i, j int) float64 {
			return func(i, j int) float64 { return f * k.At(i, j) }
		}
		for _, c := range []struct {
			name string
			s    Similarity
			want *Matrix
		}{
			{"strided", mustDo(newDense(laStrided(k)))(t), k}, {"function", similarityFunc(n, k.At), k},
			{"matrix", mustDo(newDense(k))(t), k}, {"averaged", mustDo(newDense(lopsided))(t), mean},
			{"RBF", rbf, k}, {"linear", linear, outer(x)},
			{"large", similarityFunc(n, times(1e140)), similarity(n, times(1e140))},
			{"small", similarityFunc(n, times(1e-140)), similarity(n, times(1e-140))},
		} {
			if n > fullOrder && c.name != "strided" && c.name != "function" { // for the Krylov iteration
				continue
			}
			op := mustDo(newOperator(bg, c.s, 2))(t)
			top, _ := rowMaxAbs(c.want.Data)
			unit := math.Ldexp(1, op.exp)
			if op.data == nil && (op.exp%2 != 0 || top >= unit || top < unit/4) {
				t.Errorf("%s: exp %d for %g", c.name, op.exp, top)
			}
			checkOperator(t, c.name, op, c.want)
			must(t, op.centre())
			checkOperator(t, c.name+", centred", op, centredKernel(c.want))
			for i, v := range op.rowMeans() {
				if mean := sumOf(c.want.row(i)) / float64(n); math.Abs(v-mean) > 1e-14*top {
					t.Errorf("%s: the mean of row %d is %g, want %g", c.name, i, v, mean)
				}
			}
		}
	}
	// A factor of rank 2 has two eigenvalues that are not rounding.
	flat := product(randomData(20, 2, 0, 1), randomData(2, 5, 0, 2))
	ti := mustDo(TILSD(bg, mustDo(LinearKernel(flat))(t), 5, nil))(t)
	if m := mustDo(LSD(bg, outer(flat), 5, &LSDOptions{MaxIter: -1}))(t); ti.Rank != 2 || m.Rank != 2 {
		t.Errorf("ranks %d and %d", ti.Rank, m.Rank)
	}
	// The floor of a linear kernel is proved by its smaller Gram matrix.
	wide := mustDo(LSD(bg, mustDo(LinearKernel(randomData(40, 80, 1, 3)))(t), 3, nil))(t)
	if !(wide.FloorError < 1e-14*wide.Total) {
		t.Errorf("an error of %g of %g", wide.FloorError, wide.Total)
	}
}

// TestOperatorErrors: entries out of range are named by their row in all of K, the first of
// several; an asymmetry is told from rounding. A similarity whose bad row is good when it is
// read once more is not taken for a good one.
func TestOperatorErrors(t *testing.T) {
	const n = 300 // several blocks
	with := func(row, col int, v, others float64) Similarity {
		return similarityFunc(n, func(i, j int) float64 {
			if i == row && j == col || i == col && j == row {
				return v
			}
			return others
		})
	}
	root := similarityFunc(n, func(i, j int) float64 { return math.Sqrt(float64(260 - max(i, j))) })
	for _, c := range []struct {
		s        Similarity
		row, col int
		want     error
	}{
		{with(177, 220, math.NaN(), 1), 177, 220, ErrNonFinite},
		{with(140, 149, math.Inf(-1), 1), 140, 149, ErrNonFinite}, {root, 0, 261, ErrNonFinite},
		{with(0, 3, above(mostEntry), 1), 0, 3, ErrRange},
		{with(99, 101, leastScale/2, 0), 99, 101, ErrRange},
		{with(199, 201, leastScale/2, leastScale/4), 199, 201, ErrRange},
		{with(299, 299, -leastScale*(1-0x1p-53), 0), 299, 299, ErrRange},
	} {
		for _, workers := range []int{1, 2} {
			var at *InputError
			if _, err := newOperator(bg, c.s, workers); !errors.As(err, &at) || at.Arg != "similarity" ||
				at.Row != c.row || at.Col != c.col || !errors.Is(err, c.want) {
				t.Errorf("%v, want one of [%d,%d]", err, c.row, c.col)
			}
		}
	}
	whole := func(e float64) Similarity {
		return similarityFunc(9, func(i, j int) float64 { return 1 + e*float64(max(0, min(1, j-i))) })
	}
	for _, good := range []Similarity{whole(1e-9), with(0, 0, leastScale, 0), with(3, 3, mostEntry, 0)} {
		mustDo(newOperator(bg, good, 1))(t)
	}
	if _, err := newOperator(bg, whole(1e-6), 1); !errors.Is(err, ErrShape) ||
		!strings.Contains(err.Error(), "not symmetric") {
		t.Error(err)
	}
	reads := 0
	_, err := LSD(bg, similarityFunc(3, func(i, j int) float64 {
		if i == 2 && j == 0 {
			if reads++; reads == 1 {
				return math.NaN()
			}
		}
		return 1
	}), 2, &LSDOptions{Workers: 1})
	if !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "row 2 of the similarity") {
		t.Error(err)
	}
}

// TestLSDRate: where no floor is proved, it is what the factor leaves less what the iteration
// left open: of values that were used and of those up to the noise.
func TestLSDRate(t *testing.T) {
	m, op := &LSDModel{}, &operator{n: 2, data: new(samples)}
	spec := &spectrum{values: []float64{3, 0.5, -1}, open: 0.25, noise: 0.75}
	left := remainder{squares: 10, total: 20}
	op.estimate(&left, spec, 3)
	if math.Abs(left.lows[0]-left.lows[3]-9) > 1e-12 || left.lows[1] != left.lows[3] {
		t.Error(left.lows)
	}
	floor := m.rate(op, left, 11)
	open := (2*3+0.25)*0.25 + 0.75*0.75
	if math.Abs(floor-(10-open)) > 1e-12 || m.Floor != floor || m.Objective != 11 || m.Total != 20 ||
		math.Abs(m.FloorError-open) > 1e-12 || m.Gap != (11-floor)/20 || m.Floor+m.FloorError < 10 {
		t.Errorf("%g, %+v", floor, m)
	}
}
