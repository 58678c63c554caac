package softkmeans

import (
	"math"
	"slices"
	"testing"
)

// TestTILSDMinimum: the objective is the sum of the squares of the other
// eigenvalues of HKH, by an independent way, and ‖H(K − PPᵀ/c)H‖² by its definition.
func TestTILSDMinimum(t *testing.T) {
	t.Parallel()
	n := fewer(300, fullOrder+2)
	x := randomData(n, 12, 2, 9)
	for name, kernel := range map[string]*Matrix{
		"linear":     outer(x),
		"rbf":        rbfOf(x, 0.02),
		"indefinite": disturbed(NewMatrix(80, 80, slices.Repeat([]float64{1}, 6400)), 2, 1),
		"small":      disturbed(similarityOf(dirichlet(30, 4, 1, 1), 1e-3), 0.2, 1),
	} {
		centred := centredKernel(kernel)
		values, _, err := EigenSym(centred)
		must(t, err)
		for i, factor := range []float64{1e140, 1e-140} {
			scaled := mapped(kernel, func(_, _ int, v float64) float64 { return v * factor })
			for _, k := range fewer([]int{1, 2, 3, 7}, []int{1, 3 + 4*i}) {
				m := mustDo(TILSD(bg, scaled, k, &LSDOptions{Enclosure: allEnclosures[(k+i)%2]}))(t)
				checkFeasible(t, m.Memberships)
				want, total := 0.0, 0.0
				for i, v := range values {
					total += v * v
					if i >= k-1 || v < 0 {
						want += v * v
					}
				}
				want, total = want*factor*factor, total*factor*factor
				if math.Abs(m.Objective-want) > 1e-9*want || math.Abs(m.Floor-want) > 1e-9*want ||
					math.Abs(m.Total-total) > 1e-9*total || m.Status != StatusOptimal {
					t.Errorf("%s ×%g k=%d: objective %g, floor %g, total %g, %v; want %g of %g", name,
						factor, k, m.Objective, m.Floor, m.Total, m.Status, want, total)
				}
				if k == 1 {
					continue
				}
				fitted := centredKernel(similarityOf(m.Memberships, m.Scale*factor))
				got := sumSquares(axpyOf(fitted, -1, centred).Data) * factor * factor
				if math.Abs(got-want) > 1e-9*want {
					t.Errorf("%s ×%g k=%d: ‖H(K−PPᵀ/c)H‖² = %g, want %g", name, factor, k, got, want)
				}
			}
		}
	}
}

// TestTILSDFit: TI-LSD of XXᵀ is Fit of X, and the scale is 1/(r²k(k−1)). Rows of the training samples, or
// none, give the model's own coordinates and memberships.
func TestTILSDFit(t *testing.T) {
	t.Parallel()
	for _, x := range []*Matrix{
		loadCSV(t, "iris"), randomData(40, 90, 3, 1), randomData(fullOrder+8, 5, 3, 1),
	} {
		n, d, rows := x.Rows, x.Cols, outer(x)
		for _, k := range []int{1, 2, 5} {
			for _, enclosure := range allEnclosures {
				fit := mustDo(Fit(bg, x, k, &Options{Enclosure: enclosure}))(t)
				m := mustDo(TILSD(bg, rows, k, &LSDOptions{Enclosure: enclosure}))(t)
				fails := func(what string, got, want float64) {
					t.Helper()
					t.Errorf("%d×%d k=%d %v: %s %g, not %g", n, d, k, enclosure, what, got, want)
				}
				// Signs of eigenvectors differ: PPᵀ of the ball's simplex does not know them.
				if enclosure == EnclosureBall {
					if diff := maxDiff(outer(m.Memberships), outer(fit.Memberships)); diff > 1e-9 {
						fails("PPᵀ is off by", diff, 0)
					}
					row := slices.Clone(fit.Centers.Row(0))
					axpy(row, -1, statsOf(t, x, nil).Mean())
					r := norm2(row) / float64(max(k-1, 1))
					if want := 1 / (r * r * float64(k*(k-1))); k > 1 && math.Abs(m.Scale/want-1) > 1e-9 {
						fails("c", m.Scale, want)
					}
				}
				own := mustDo(m.Coordinates(nil, nil))(t)
				diff := maxDiff(mustDo(m.Coordinates(nil, rows))(t), own)
				if diff > 1e-8*math.Sqrt(fit.Total) {
					fails("coordinates with and without K are apart by", diff, 0)
				}
				diff = maxDiff(mustDo(m.Predict(nil, rows))(t), m.Memberships)
				if diff > 1e-8 && k <= min(n-1, d)+1 {
					fails("Predict is off by", diff, 0)
				}
			}
		}
	}
}

// TestDescentStep: gradient, direction and step of the descent against their definitions:
// where the whole step will not do, the one taken is at the least of φ along the line.
func TestDescentStep(t *testing.T) {
	const n, k = 24, 3
	kernel := disturbed(similarityOf(dirichlet(n, k, 0.3, 1), 3), 0.1, 1)
	op, opts, err := openSimilarity(bg, kernel, k, nil, "LSD")
	must(t, err)
	unit := mapped(kernel, func(_, _ int, v float64) float64 { return math.Ldexp(v, -op.exp) })
	left := mustDo(op.without(NewMatrix(0, n, nil)))(t)
	d := &descent{operator: op, k: k, total: left.total, opts: &opts}
	phi := func(p *Matrix) float64 {
		pp := similarityOf(p, 1)
		a := dot(unit.Data, pp.Data)
		return sumSquares(unit.Data) - a*a/sumSquares(pp.Data)
	}
	measured := func(p *Matrix) *candidate {
		f := &candidate{p: p}
		must(t, d.measure(f))
		return f
	}
	f := measured(dirichlet(n, k, 2, 9))
	if math.Abs(f.objective-phi(f.p)) > 1e-12*left.total ||
		math.Abs(f.objective-lsdObjective(unit, f.p, f.b/f.a)) > 1e-12*left.total {
		t.Errorf("φ is %g, want %g", f.objective, phi(f.p))
	}
	if none := measured(NewMatrix(n, k, nil)); none.objective != left.total {
		t.Errorf("objective %g without a scale", none.objective)
	}
	g := NewMatrix(n, k, nil)
	f.gradient(g)
	for _, at := range []int{0, 7, n*k - 1} {
		up, down := f.p.Clone(), f.p.Clone()
		up.Data[at] += 1e-5
		down.Data[at] -= 1e-5
		if want := (phi(up) - phi(down)) / 2e-5; math.Abs(g.Data[at]-want) > 1e-6*norm2(g.Data) {
			t.Errorf("the gradient's entry %d is %g, want %g", at, g.Data[at], want)
		}
	}
	minus := &candidate{p: f.p, q: f.q, s: f.s, a: 0, b: f.b}
	flat := NewMatrix(n, k, nil)
	minus.gradient(flat)
	if size := sumSquares(axpyOf(flat, 1, product(unit, f.p)).Data); size > 1e-26 {
		t.Errorf("where a is 0 the gradient is off by %g", math.Sqrt(size))
	}
	square := func() *Matrix { return NewMatrix(k, k, nil) }
	m := &move{dir: NewMatrix(n, k, nil), kd: NewMatrix(n, k, nil), pt: f.p.transposed(),
		dt: NewMatrix(k, n, nil), kt: NewMatrix(k, n, nil), one: square(), two: square()}
	inside := 0
	for _, alpha := range []float64{0.01, 0.3, 5} {
		must(t, d.towards(m, f, g, alpha))
		for i := range n {
			want := make([]float64, k)
			copy(want, f.p.row(i))
			axpy(want, -alpha, g.row(i))
			ProjectSimplex(want, want)
			axpy(want, -1, f.p.row(i))
			axpy(want, -1, m.dir.row(i))
			if norm2(want) > 1e-15 {
				t.Fatalf("the direction of row %d is off by %g", i, norm2(want))
			}
		}
		for what, pair := range map[string][2]*Matrix{
			"KD": {m.kd, product(unit, m.dir)}, "PᵀD": {m.one, product(f.p.transposed(), m.dir)},
			"DᵀD": {m.two, product(m.dir.transposed(), m.dir)},
		} {
			if diff := maxDiff(pair[0], pair[1]); diff > 1e-12 {
				t.Errorf("step %g: %s is off by %g", alpha, what, diff)
			}
		}
		whole := phi(axpyOf(f.p.Clone(), 1, m.dir))
		one := m.one.Clone()
		if s := d.along(f, m, whole*(1+1e-9)); s != 1 {
			t.Errorf("step %g: %g in place of the whole step", alpha, s)
		}
		copy(m.one.Data, one.Data) // which along overwrites
		s := d.along(f, m, whole*(1-1e-9))
		best := phi(axpyOf(f.p.Clone(), s, m.dir))
		if s > 0.1 && s < 0.95 {
			inside++
		}
		for i := range 257 {
			at := float64(i) / 256
			if v := phi(axpyOf(f.p.Clone(), at, m.dir)); v < best-1e-13*left.total {
				t.Errorf("step %g: φ is %g at %g, %g at %g", alpha, best, s, v, at)
			}
		}
	}
	if inside == 0 {
		t.Error("no line has its least inside")
	}
	// A step keeps products up to date, and counts.
	to := &candidate{p: f.p.Clone(), q: f.q.Clone(), s: f.s.Clone()}
	d.advance(to, m, 0.37)
	fresh := measured(to.p)
	if diff := max(maxDiff(to.q, fresh.q), maxDiff(to.s, fresh.s), math.Abs(to.a-fresh.a),
		math.Abs(to.b-fresh.b), math.Abs(to.objective-fresh.objective)); diff > 1e-12 || to.steps != 1 ||
		maxDiff(to.p, axpyOf(f.p.Clone(), 0.37, m.dir)) > 1e-15 || maxDiff(m.pt, to.p.transposed()) != 0 {
		t.Errorf("after %d steps products are off by %g", to.steps, diff)
	}
	for i, c := range []struct {
		a, objective, floor float64
		maxIter             int
		full                bool
		start               int
		want                bool
	}{
		{0, 0, 0, -1, true, 2, false}, {1, 1, 0, -1, true, 1, true}, {1, 1, 0, -1, false, 1, false},
		{1, 1, 0, 0, true, 1, false}, {1, 1, 0.9991, 0, false, 1, true}, {1, 1, 0.9989, 0, false, 1, false},
		{1, 0x1p-51, 0, 5, false, 2, true}, {1, 0x1p-51, 0, 5, false, 1, false},
		{1, 0x1p-81, 0, 5, false, 1, true}, {1, 0x1p-79, 0, 5, false, 1, false},
		{1, 0x1p-49, 0, 5, false, 2, false}, {1, 0x1p-60, 0x1.2p-61, 5, false, 1, true},
	} {
		d := &descent{operator: op, total: 1, floor: c.floor, fullRank: c.full,
			opts: &LSDOptions{MaxIter: c.maxIter}}
		if got := d.enough(&candidate{a: c.a, objective: c.objective}, c.start); got != c.want {
			t.Errorf("%d: enough is %v", i, got)
		}
	}
}

// TestLSDSteps: a limit is kept, 0 stands for the default and below 0 for no descent; what
// Progress is told is what happens, and the result is the lowest of it.
func TestLSDSteps(t *testing.T) {
	kernel := disturbed(similarityOf(dirichlet(40, 3, 0.3, 1), 3), 0.3, 1)
	scale(kernel.Data, 64) // which is in other units inside
	last := math.Inf(1)
	for _, most := range []int{-1, 1, 2, 5, 0} {
		var told []Iteration
		m := mustDo(LSD(bg, kernel, 3, &LSDOptions{MaxIter: most,
			Progress: func(it Iteration) { told = append(told, it) }}))(t)
		steps, least := 0, math.Inf(1)
		for i, it := range told {
			next := it.Iteration == 0 ||
				it.Iteration == told[i-1].Iteration+1 && it.Restart == told[i-1].Restart
			if !next || it.Loss != it.Objective || it.Floor != m.Floor || i == 0 && it.Restart != 0 {
				t.Errorf("MaxIter %d: %+v after %+v, floor %g", most, it, told[max(i-1, 0)], m.Floor)
			}
			steps, least = max(steps, it.Iteration), min(least, it.Loss)
		}
		status := StatusIterationLimit
		if most <= 0 {
			status = StatusConverged
		}
		if most != 0 && (m.Iterations != max(most, 0) || steps != max(most, 0)) || most == 0 &&
			(steps < 10 || steps > descentSteps) || m.Status != status {
			t.Errorf("MaxIter %d: %d iterations, %d told, %v", most, m.Iterations, steps, m.Status)
		}
		if m.Objective > last || math.Abs(least-m.Objective) > 1e-12*m.Total {
			t.Errorf("MaxIter %d: objective %g after %g, least told %g", most, m.Objective, last, least)
		}
		last = m.Objective
	}
	m := mustDo(LSD(bg, kernel, 3, &LSDOptions{Tol: 0.5}))(t)
	if m.Iterations > 2*descentMemory || m.Status != StatusConverged {
		t.Errorf("%d iterations at a tolerance of one half, %v", m.Iterations, m.Status)
	}
}
