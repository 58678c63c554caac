package softkmeans

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLSDEigensolverLimit: eigenvalues that crowd at the upper end take more steps than the eigensolver has.
// Status says so unless the floor is proved all the same, and it is a bound in any case. The end of the
// context comes first.
func TestLSDEigensolverLimit(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(bg)
	near := similarity(400, func(i, j int) float64 {
		if i != j {
			return 0
		}
		return 1 + 1e-6*math.Cos(math.Pi*float64(i)/400)
	})
	most := mustDo(LSD(ctx, near, 3, &LSDOptions{MaxIter: -1}))(t)
	if m, err := LSD(ctx, near, 3, &LSDOptions{Progress: func(Iteration) { cancel() }}); m == nil ||
		m.Status != StatusCancelled || most.Status != StatusIterationLimit {
		t.Errorf("eigenvalues within 2e-6: %v, and after the end of the context %v: %v", most.Status, m, err)
	}
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
	m := mustDo(LSD(bg, similarity(n, at), 3, &LSDOptions{MaxIter: -1}))(t)
	if proved := m.FloorError <= 1e-12*m.Total; (m.Status == StatusIterationLimit) == proved ||
		m.Floor > want || m.Floor+m.FloorError < want {
		t.Errorf("%v, floor %.12g above %.3g, want %.12g", m.Status, m.Floor, m.FloorError, want)
	}
	few := mustDo(LSD(bg, similarity(200, at), 3, &LSDOptions{MaxIter: -1}))(t)
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
	if size := max(values[0], -values[n-1]); spec.top > size*(1+1e-9) || spec.top < values[0]*(1-1e-9) {
		t.Errorf("%s: top %g of %g", name, spec.top, size)
	}
}

// TestOperator: a matrix is what it stands for, also once centred, and is not changed. One that is symmetric to
// rounding of its source is its mean with its mirror image.
func TestOperator(t *testing.T) {
	t.Parallel()
	for _, n := range []int{33, fullOrder + 2} {
		k := rbfOf(randomData(n, 3, 1, uint64(n)), 0.1)
		lopsided := mapped(k, func(i, j int, v float64) float64 {
			return v + 4e-9*float64((i-j)%2)*float64(i)/float64(n)
		})
		mean := similarity(n, func(i, j int) float64 { return (lopsided.At(i, j) + lopsided.At(j, i)) / 2 })
		times := func(f float64) *Matrix {
			return similarity(n, func(i, j int) float64 { return f * k.At(i, j) })
		}
		for _, c := range []struct {
			name    string
			s, want *Matrix
		}{
			{"matrix", k, k}, {"strided", laStrided(k), k}, {"averaged", lopsided, mean},
			{"large", times(1e140), times(1e140)}, {"small", times(1e-140), times(1e-140)},
		} {
			before := slices.Clone(c.s.Data)
			op := mustDo(newOperator(bg, c.s, 2))(t)
			top, _ := rowMaxAbs(c.want.Data)
			if unit := math.Ldexp(1, op.exp); op.exp%2 != 0 || top >= unit || top < unit/4 {
				t.Errorf("%s: exp %d for %g", c.name, op.exp, top)
			}
			for i := range n {
				for j := range i {
					if op.k.At(i, j) != op.k.At(j, i) {
						t.Fatalf("%s: not symmetric at %d, %d", c.name, i, j)
					}
				}
			}
			checkOperator(t, c.name, op, c.want)
			must(t, op.centre())
			checkOperator(t, c.name+", centred", op, centredKernel(c.want))
			for i, shift := range op.shifts {
				v, mean := math.Ldexp(shift+op.half, op.exp), sumOf(c.want.row(i))/float64(n)
				if math.Abs(v-mean) > 1e-14*top {
					t.Errorf("%s: the mean of row %d is %g, want %g", c.name, i, v, mean)
				}
			}
			full := mustDo(op.full())(t)
			for i := range full.Data {
				if full.Data[i] != full.Data[i%n*n+i/n] {
					t.Fatalf("%s, centred: not symmetric", c.name)
				}
			}
			if !laSameBits(c.s.Data, before) {
				t.Errorf("%s is changed", c.name)
			}
		}
	}
	// A factor of rank 2 has two eigenvalues that are not rounding.
	flat := outer(product(randomData(20, 2, 0, 1), randomData(2, 5, 0, 2)))
	if ti := mustDo(TILSD(bg, flat, 5, nil))(t); ti.Projection.Cols != 2 {
		t.Errorf("rank %d", ti.Projection.Cols)
	}
}
