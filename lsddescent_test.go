package softkmeans

import (
	"math"
	"slices"
	"testing"
)

// TestTILSDMinimum: the objective is the sum of the squares of the other
// eigenvalues of HKH, by an independent way, and no other K′ of the class does
// better.
func TestTILSDMinimum(t *testing.T) {
	t.Parallel()
	n := full(300, fullOrder+2)
	x := randomData(n, 12, 2, 9)
	rbf, err := RBFKernel(x, 0)
	if err != nil {
		t.Fatal(err)
	}
	kernels := map[string]*Matrix{
		"linear":     mapped(NewMatrix(n, n, nil), func(i, j int, _ float64) float64 { return dot(x.Row(i), x.Row(j)) }),
		"rbf":        NewMatrix(n, n, nil),
		"indefinite": disturbed(NewMatrix(80, 80, slices.Repeat([]float64{1}, 6400)), 2, 1),
		"small":      disturbed(similarityOf(dirichlet(30, 4, 1, 1), 1e-3), 0.2, 1),
	}
	rbf.CopyRows(kernels["rbf"], 0)
	for name, kernel := range kernels {
		values, _, err := EigenSym(centredKernel(kernel))
		if err != nil {
			t.Fatal(err)
		}
		for _, factor := range full([]float64{1, 1e140, 1e-140}, []float64{1e140, 1e-140}) {
			scaled := mapped(kernel, func(_, _ int, v float64) float64 { return v * factor })
			for _, k := range full([]int{1, 2, 3, 7}, []int{1, 3, 7}) {
				for _, enclosure := range []Enclosure{EnclosureBall, EnclosureTight} {
					m, err := TILSD(bg, scaled, k, &LSDOptions{Enclosure: enclosure})
					if err != nil {
						t.Fatal(err)
					}
					checkFeasible(t, m.Memberships)
					want, trace, total := 0.0, 0.0, 0.0
					for i, v := range values {
						total += v * v
						if i >= k-1 || v < 0 {
							want += v * v
							trace += v
						}
					}
					want, total = want*factor*factor, total*factor*factor
					if math.Abs(m.Objective-want) > 1e-9*want || math.Abs(m.Floor-want) > 1e-9*want || math.Abs(m.Total-total) > 1e-9*total || m.Status != StatusOptimal {
						t.Errorf("%s ×%g k=%d: objective %g, floor %g, total %g, %v; the eigenvalues say %g of %g", name, factor, k, m.Objective, m.Floor, m.Total, m.Status, want, total)
					}
					if math.Abs(m.Distortion-trace*factor) > 1e-9*math.Abs(trace*factor)+1e-12*math.Sqrt(total) {
						t.Errorf("%s ×%g k=%d: distortion %g, want %g", name, factor, k, m.Distortion, trace*factor)
					}
					if k == 1 {
						continue
					}
					// H(K − PPᵀ/c)H, by its definition.
					fitted := centredKernel(similarityOf(m.Memberships, m.Scale*factor))
					centred := centredKernel(kernel)
					axpy(centred.Data, -1, fitted.Data)
					if got := sumSquares(centred.Data) * factor * factor; math.Abs(got-want) > 1e-9*want {
						t.Errorf("%s ×%g k=%d %v: ‖H(K−PPᵀ/c)H‖² = %g, want %g", name, factor, k, enclosure, got, want)
					}
				}
			}
		}
	}
}

// TestTILSDFit: TI-LSD of XXᵀ is Fit of X, through a dense kernel and through
// LinearKernel, and the scale is 1/(r²k(k−1)).
func TestTILSDFit(t *testing.T) {
	t.Parallel()
	for _, x := range []*Matrix{loadCSV(t, "iris"), loadCSV(t, "wine"), randomData(40, 90, 3, 1), randomData(fewer(400, 150), 5, 3, 1)} {
		n, d := x.Rows, x.Cols
		kernel := mapped(NewMatrix(n, n, nil), func(i, j int, _ float64) float64 { return dot(x.Row(i), x.Row(j)) })
		linear, err := LinearKernel(x)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{1, 2, 3, 5} {
			for _, enclosure := range []Enclosure{EnclosureBall, EnclosureTight} {
				fit, err := Fit(bg, x, k, &Options{Enclosure: enclosure})
				if err != nil {
					t.Fatal(err)
				}
				dense, err := TILSD(bg, kernel, k, &LSDOptions{Enclosure: enclosure})
				if err != nil {
					t.Fatal(err)
				}
				factored, err := TILSD(bg, linear, k, &LSDOptions{Enclosure: enclosure})
				if err != nil {
					t.Fatal(err)
				}
				for name, m := range map[string]*LSDModel{"dense": dense, "linear": factored} {
					if math.Abs(m.Distortion-fit.Objective) > 1e-9*fit.Total {
						t.Errorf("%d×%d k=%d %s: distortion %g, Fit's objective %g", n, d, k, name, m.Distortion, fit.Objective)
					}
					if math.Abs(m.Objective-dense.Objective) > 1e-9*dense.Total {
						t.Errorf("%d×%d k=%d %s: objective %g, dense %g", n, d, k, name, m.Objective, dense.Objective)
					}
					// Signs of eigenvectors differ: compare PPᵀ, which does not know them
					// with the ball, and the map's vertices through Predict.
					if enclosure == EnclosureBall {
						if diff := maxDiff(similarityOf(m.Memberships, 1), similarityOf(fit.Memberships, 1)); diff > 1e-9 {
							t.Errorf("%d×%d k=%d %s: PPᵀ differs from Fit's by %g", n, d, k, name, diff)
						}
						r := 0.0
						for j := range k {
							row := append([]float64(nil), fit.Centers.Row(j)...)
							for i := range n {
								axpy(row, -1/float64(n), x.Row(i))
							}
							r = max(r, norm2(row)/float64(max(k-1, 1)))
						}
						if want := 1 / (r * r * float64(k*(k-1))); k > 1 && math.Abs(m.Scale/want-1) > 1e-9 {
							t.Errorf("%d×%d k=%d %s: c = %g, 1/(r²k(k−1)) = %g", n, d, k, name, m.Scale, want)
						}
					}
					rows, err := linear.Cross(nil, x)
					if err != nil {
						t.Fatal(err)
					}
					g, err := m.Predict(nil, rows)
					if err != nil {
						t.Fatal(err)
					}
					w, err := m.Coordinates(nil, rows)
					if err != nil {
						t.Fatal(err)
					}
					own, err := m.Coordinates(nil, nil)
					if err != nil {
						t.Fatal(err)
					}
					if diff := maxDiff(w, own); diff > 1e-8*math.Sqrt(fit.Total) {
						t.Errorf("%d×%d k=%d %s: coordinates of the training rows with and without K differ by %g", n, d, k, name, diff)
					}
					if diff := maxDiff(g, m.Memberships); diff > 1e-8 && k <= min(n-1, d)+1 {
						t.Errorf("%d×%d k=%d %s: Predict of the training rows differs by %g", n, d, k, name, diff)
					}
				}
			}
		}
	}
}

// TestLineSearch: where the whole step will not do, the one taken along a line is at
// the least of φ there, as a fine grid of φ itself finds it.
func TestLineSearch(t *testing.T) {
	const n, k, grid = 40, 3, 256
	op, _, err := openSimilarity(bg, &denseKernel{m: disturbed(similarityOf(dirichlet(n, k, 0.3, 1), 1), 0.05, 1)}, k, nil)
	if err != nil {
		t.Fatal(err)
	}
	left, err := op.without(NewMatrix(0, n, nil))
	if err != nil {
		t.Fatal(err)
	}
	d := &descent{operator: op, k: k, total: left.total}
	at := func(p *Matrix) *candidate {
		f := &candidate{p: p}
		if err := d.measure(f); err != nil {
			t.Fatal(err)
		}
		return f
	}
	inside := 0
	for seed := range uint64(8) {
		p, to := dirichlet(n, k, 1, seed+2), dirichlet(n, k, 0.3, 1)
		dir := mapped(to, func(i, j int, v float64) float64 { return (v - p.At(i, j)) * (1 + float64(seed)/2) })
		along := func(s float64) *Matrix {
			return mapped(p, func(i, j int, v float64) float64 { return v + s*dir.At(i, j) })
		}
		f := at(p)
		m := &move{dir: dir, kd: at(dir).q, one: NewMatrix(k, k, nil), two: NewMatrix(k, k, nil)}
		timesT(m.one, p.transposed(), dir.transposed())
		timesT(m.two, dir.transposed(), dir.transposed())
		s := d.along(f, m, math.Inf(-1))
		best, least := 0.0, math.Inf(1)
		for i := range grid + 1 {
			if v := at(along(float64(i) / grid)).objective; v < least {
				best, least = float64(i)/grid, v
			}
		}
		if best > 0.1 && best < 1 {
			inside++
		}
		// φ is a difference of sums of n² products, right to n roundings of the total.
		if got := at(along(s)).objective; got > least+n*0x1p-52*left.total {
			t.Errorf("seed %d: φ is %g at %g, %g at %g", seed, got, s, least, best)
		}
	}
	if inside < 3 {
		t.Errorf("only %d of the lines have their least inside", inside)
	}
}

// TestDescentStep: gradient, direction and step of the descent against their definitions,
// and when it has enough.
func TestDescentStep(t *testing.T) {
	const n, k = 24, 3
	kernel := disturbed(similarityOf(dirichlet(n, k, 0.3, 1), 3), 0.1, 1)
	op, opts, err := openSimilarity(bg, &denseKernel{m: kernel}, k, nil)
	if err != nil {
		t.Fatal(err)
	}
	unit := mapped(kernel, func(_, _ int, v float64) float64 { return math.Ldexp(v, -op.exp) })
	left := mustDo(op.without(NewMatrix(0, n, nil)))(t)
	d := &descent{operator: op, k: k, total: left.total, opts: &opts}
	phi := func(p *Matrix) float64 {
		pp := similarityOf(p, 1)
		a := dot(unit.Data, pp.Data)
		return sumSquares(unit.Data) - a*a/sumSquares(pp.Data)
	}
	f := &candidate{p: dirichlet(n, k, 2, 9)}
	if err := d.measure(f); err != nil {
		t.Fatal(err)
	}
	if math.Abs(f.objective-phi(f.p)) > 1e-12*left.total {
		t.Errorf("φ is %g, want %g", f.objective, phi(f.p))
	}
	g := NewMatrix(n, k, nil)
	f.gradient(g, NewMatrix(k, k, nil))
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
	minus.gradient(flat, NewMatrix(k, k, nil))
	if diff := maxDiff(flat, mapped(product(unit, f.p), func(_, _ int, v float64) float64 { return -v })); diff > 1e-13 {
		t.Errorf("where a is 0 the gradient is off by %g", diff)
	}
	square := func() *Matrix { return NewMatrix(k, k, nil) }
	m := &move{dir: NewMatrix(n, k, nil), kd: NewMatrix(n, k, nil), pt: f.p.transposed(), dt: NewMatrix(k, n, nil), kt: NewMatrix(k, n, nil), one: square(), two: square()}
	for _, alpha := range []float64{0.01, 0.3, 5} {
		if err := d.towards(m, f, g, alpha); err != nil {
			t.Fatal(err)
		}
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
		for what, pair := range map[string][2]*Matrix{"KD": {m.kd, product(unit, m.dir)}, "PᵀD": {m.one, product(f.p.transposed(), m.dir)}, "DᵀD": {m.two, product(m.dir.transposed(), m.dir)}} {
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
		for i := range 101 {
			at := float64(i) / 100
			if v, best := phi(axpyOf(f.p.Clone(), at, m.dir)), phi(axpyOf(f.p.Clone(), s, m.dir)); v < best-1e-11*left.total {
				t.Errorf("step %g: φ is %g at %g, %g at %g", alpha, best, s, v, at)
			}
		}
	}
	// A step keeps products up to date, and counts.
	to := &candidate{p: f.p.Clone(), q: f.q.Clone(), s: f.s.Clone()}
	d.advance(to, m, 0.37)
	fresh := &candidate{p: to.p}
	if err := d.measure(fresh); err != nil {
		t.Fatal(err)
	}
	if diff := max(maxDiff(to.q, fresh.q), maxDiff(to.s, fresh.s), math.Abs(to.a-fresh.a), math.Abs(to.b-fresh.b), math.Abs(to.objective-fresh.objective)); diff > 1e-12 || to.steps != 1 || maxDiff(to.p, axpyOf(f.p.Clone(), 0.37, m.dir)) > 1e-15 || maxDiff(m.pt, to.p.transposed()) != 0 {
		t.Errorf("after %d steps products are off by %g", to.steps, diff)
	}
	// The objective of a candidate is entry by entry, and the whole of one without scale.
	if math.Abs(f.objective-lsdObjective(unit, f.p, f.b/f.a)) > 1e-12*left.total {
		t.Errorf("objective %g", f.objective)
	}
	none := &candidate{p: NewMatrix(n, k, nil)}
	if err := d.measure(none); err != nil || none.objective != left.total {
		t.Errorf("objective %g without a scale, %v", none.objective, err)
	}
	for i, c := range []struct {
		a, objective, floor float64
		maxIter             int
		full                bool
		start               int
		want                bool
	}{
		{0, 0, 0, -1, true, 2, false}, {1, 1, 0, -1, true, 1, true}, {1, 1, 0, -1, false, 1, false}, {1, 1, 0, 0, true, 1, false}, {1, 1, 0.9991, 0, false, 1, true}, {1, 1, 0.9989, 0, false, 1, false},
		{1, 0x1p-51, 0, 5, false, 2, true}, {1, 0x1p-51, 0, 5, false, 1, false}, {1, 0x1p-81, 0, 5, false, 1, true}, {1, 0x1p-79, 0, 5, false, 1, false}, {1, 0x1p-49, 0, 5, false, 2, false}, {1, 0x1p-60, 0x1.2p-61, 5, false, 1, true},
	} {
		d := &descent{operator: op, total: 1, floor: c.floor, fullRank: c.full, opts: &LSDOptions{MaxIter: c.maxIter}}
		if got := d.enough(&candidate{a: c.a, objective: c.objective}, c.start); got != c.want {
			t.Errorf("%d: enough is %v", i, got)
		}
	}
}

// TestLSDSteps: a limit is kept, 0 stands for the default and below 0 for no descent; what
// Progress is told is what happens.
func TestLSDSteps(t *testing.T) {
	kernel := disturbed(similarityOf(dirichlet(40, 3, 0.3, 1), 3), 0.3, 1)
	last := math.Inf(1)
	for _, most := range []int{-1, 1, 2, 3, 5, 0} {
		var told []Iteration
		m := mustDo(LSD(bg, kernel, 3, &LSDOptions{MaxIter: most, Progress: func(it Iteration) { told = append(told, it) }}))(t)
		steps := 0
		for i, it := range told {
			if it.Iteration != 0 && (it.Iteration != told[i-1].Iteration+1 || it.Restart != told[i-1].Restart) || it.Loss != it.Objective || it.Floor != told[0].Floor {
				t.Errorf("MaxIter %d: %+v after %+v", most, it, told[max(i-1, 0)])
			}
			steps = max(steps, it.Iteration)
		}
		status := StatusIterationLimit
		if most <= 0 {
			status = StatusConverged
		}
		if most > 0 && (m.Iterations != most || steps != most) || most < 0 && (m.Iterations != 0 || steps != 0) || most == 0 && (steps < 10 || steps > descentSteps) || m.Status != status {
			t.Errorf("MaxIter %d: %d iterations, %d told, %v", most, m.Iterations, steps, m.Status)
		}
		if m.Objective > last {
			t.Errorf("MaxIter %d: objective %g after %g", most, m.Objective, last)
		}
		last = m.Objective
	}
	if m := mustDo(LSD(bg, kernel, 3, &LSDOptions{Tol: 0.5}))(t); m.Iterations > 2*descentMemory || m.Status != StatusConverged {
		t.Errorf("%d iterations at a tolerance of one half, %v", m.Iterations, m.Status)
	}
}
