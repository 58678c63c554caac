package softkmeans

// The descent of LSD, which minimises ‖K − PPᵀ/c‖² from the starts of lsdrotation.go. Arora et al. (2013)
// have no such step.

import (
	"math"
	"slices"
)

const (
	descentSteps = 1000
	descentTol   = 1e-9
	// descentMemory: a step may raise the objective up to the largest of the last descentMemory objectives.
	descentMemory = 10
	// extraColumns: P has at most this many more columns than there are positive eigenvalues; further columns
	// of the result are 0.
	extraColumns = 16
	entriesExact = 0x1p-80 // of the total: entries correct to 2^-40 of ‖K‖
	// anotherShare: no other start is tried if the objective exceeds the floor by at most this fraction of
	// the objective.
	anotherShare = 1e-3
)

// descent lowers φ(P) = ‖K‖² − ⟨K, PPᵀ⟩²/‖PPᵀ‖², the objective with the best scale for P, c = ‖PPᵀ‖²/⟨K,
// PPᵀ⟩. It is the spectral projected gradient method of Birgin, Martínez & Raydan (2000) with the step length
// of Barzilai & Borwein. It takes the full step if that ends below the largest of the last ten objectives,
// otherwise the best point along the step. Along a step ⟨K, PPᵀ⟩ is a polynomial of degree 2 and ‖PPᵀ‖² a
// polynomial of degree 4, so a step takes one product with K. The descent keeps the lowest P.
type descent struct {
	*operator
	k        int
	total    float64 // ‖K‖²
	floor    float64 // the lower bound of the objective
	fullRank bool    // all k columns have a positive eigenvalue
	opts     *LSDOptions
}

// candidate is a P with the products that φ and its gradient need.
type candidate struct {
	p, q      *Matrix // P and KP, n×k
	s         *Matrix // PᵀP
	a, b      float64 // ⟨K, PPᵀ⟩, ‖PPᵀ‖²
	objective float64 // φ(P), or ‖K − PPᵀ/c‖² entry by entry
	steps     int
	status    Status
}

// measure sets all other fields from p. The objective is the sum of squared entries, not φ.
func (d *descent) measure(f *candidate) error {
	pt := f.p.transposed()
	qt, err := d.apply(pt)
	if err != nil {
		return err
	}
	f.q, f.s = qt.transposed(), NewMatrix(f.p.Cols, f.p.Cols, nil)
	d.sums(f, pt)
	if f.a <= 0 {
		return nil
	}
	scale(pt.Data, math.Sqrt(f.a/f.b))
	left, err := d.without(pt)
	if err == nil {
		f.objective = left.squares
	}
	return err
}

// sums sets s, which is allocated, a, b and φ from p and q. pt is Pᵀ.
func (d *descent) sums(f *candidate, pt *Matrix) {
	timesT(f.s, pt, pt)
	f.a, f.b = dot(f.p.Data, f.q.Data), sumSquares(f.s.Data)
	f.objective = d.total
	if f.a > 0 {
		f.objective -= f.a / f.b * f.a
	}
}

// attained reports whether f is at the floor to the rounding of φ.
func (d *descent) attained(f *candidate) bool { return f.objective-d.floor <= 0x1p-50*d.total }

// gradient writes the gradient of φ for a > 0, 4h(h·P·PᵀP − KP) with h = 1/c; otherwise the gradient of −½⟨K,
// PPᵀ⟩.
func (f *candidate) gradient(g *Matrix) {
	copy(g.Data, f.q.Data)
	scale(g.Data, -1)
	if f.a <= 0 {
		return
	}
	h, hs := f.a/f.b, f.s.Clone()
	scale(hs.Data, h)
	addMulNT(g.Data, g.Cols, f.p.Data, g.Rows, hs.Data, g.Cols, g.Cols, false)
	scale(g.Data, 4*h)
}

// best returns the candidate of least objective among f and the ends of all descents. With an error it
// returns the best of f and the ends so far. values are the positive eigenvalues, of the factor z.
func (d *descent) best(f *candidate, z *Matrix, values []float64) (*candidate, error) {
	for start := range 4 {
		if start > 0 && d.enough(f, start) {
			return f, nil
		}
		p := d.place(start, z, values)
		if err := cancelled(d.ctx); err != nil {
			return f, err
		}
		if p == nil {
			continue
		}
		end, err := d.run(p, start)
		if end != nil && end.objective < f.objective {
			f = end
		}
		if err != nil {
			return f, err
		}
	}
	return f, nil
}

// place returns the P of start 0, 1, 2 or 3, or nil if the start does not apply. z and values are as for
// best.
func (d *descent) place(start int, z *Matrix, values []float64) *Matrix {
	switch solid := standOut(values); {
	case start == 0:
		return inHyperplane(d.operator, z, d.k, d.k, d.opts)
	case start == 1 && z.Rows < d.k: // with z.Rows = k this is start 0
		return inHyperplane(d.operator, z, z.Rows, d.k, d.opts)
	case start == 2 && solid < z.Rows:
		return inHyperplane(d.operator, rowsOf(z, 0, solid), solid, d.k, d.opts)
	case start == 3:
		return aroundMean(d.operator, z, d.k, d.opts)
	}
	return nil
}

// enough reports whether f is so near the floor that another start is not worthwhile. The second start is
// exact if K is an exact product PPᵀ/c.
func (d *descent) enough(f *candidate, start int) bool {
	switch {
	case f.a <= 0:
		return false
	case d.opts.MaxIter < 0 && d.fullRank:
		return true
	case f.objective-d.floor <= anotherShare*f.objective:
		return true
	}
	return d.attained(f) && (start > 1 || f.objective <= max(2*d.floor, entriesExact*d.total))
}

// run descends from p, and returns a candidate whose objective is at most the objective of p. With an error
// the candidate may be nil, and otherwise contains φ as its objective.
func (d *descent) run(p *Matrix, start int) (*candidate, error) {
	if err := cancelled(d.ctx); err != nil {
		return nil, err
	}
	f := &candidate{p: p, status: StatusConverged}
	if err := d.measure(f); err != nil {
		return nil, err
	}
	d.tell(start, f)
	if d.opts.MaxIter < 0 || d.attained(f) {
		return f, nil
	}
	best, err := d.lower(f, start)
	if err != nil {
		return best, err
	}
	for i := range d.n {
		fixSum(best.p.row(i))
	}
	if err := d.measure(best); err != nil || best.objective < f.objective {
		return best, err
	}
	f.steps, f.status = best.steps, best.status
	return f, nil
}

// move is a direction D from P, with products and transposes that the search along it needs.
type move struct {
	dir, kd    *Matrix // D and KD, n×k
	pt, dt, kt *Matrix // Pᵀ, Dᵀ and (KD)ᵀ, k×n
	one, two   *Matrix // PᵀD and DᵀD, k×k
}

// towards sets m to the direction from P to the projection of P − alpha·G.
func (d *descent) towards(m *move, f *candidate, g *Matrix, alpha float64) error {
	for i := range d.n {
		row := m.dir.row(i)
		copy(row, f.p.row(i))
		axpy(row, -alpha, g.row(i))
		ProjectSimplex(row, row)
		axpy(row, -1, f.p.row(i))
	}
	transposeTo(m.dt, m.dir)
	if err := d.applyTo(m.kt, m.dt); err != nil {
		return err
	}
	transposeTo(m.kd, m.kt)
	timesT(m.one, m.pt, m.dt)
	timesT(m.two, m.dt, m.dt)
	return nil
}

// advance adds t·m.dir to f.p, keeps it at 0 or above, and updates the other fields of f.
func (d *descent) advance(f *candidate, m *move, t float64) {
	for i := range f.p.Data {
		f.p.Data[i] = max(0, f.p.Data[i]+t*m.dir.Data[i])
		f.q.Data[i] += t * m.kd.Data[i]
	}
	transposeTo(m.pt, f.p)
	d.sums(f, m.pt)
	f.steps++
}

// lower returns the best candidate of the iteration that begins at `from`, which it does not change. The step
// alpha is first 0.1 over the gradient's largest entry, then Barzilai & Borwein's.
func (d *descent) lower(from *candidate, start int) (*candidate, error) {
	n, k := d.n, d.k
	f := &candidate{p: from.p.Clone(), q: from.q.Clone(), s: NewMatrix(k, k, nil)}
	m := &move{dir: NewMatrix(n, k, nil), kd: NewMatrix(n, k, nil), pt: from.p.transposed(),
		dt: NewMatrix(k, n, nil), kt: NewMatrix(k, n, nil), one: NewMatrix(k, k, nil),
		two: NewMatrix(k, k, nil)}
	d.sums(f, m.pt)
	best := &candidate{p: from.p.Clone(), a: f.a, b: f.b, objective: f.objective,
		status: StatusIterationLimit}
	g, last := NewMatrix(n, k, nil), NewMatrix(n, k, nil)
	f.gradient(g)
	first := 0.0
	if top, _ := rowMaxAbs(g.Data); top > 0 {
		first = 0.1 / top
	}
	alpha := first
	values, lows := []float64{f.objective}, []float64{f.objective}
	for best.steps < d.opts.MaxIter {
		if err := d.towards(m, f, g, alpha); err != nil {
			return best, err
		}
		t := d.along(f, m, slices.Max(values[max(0, len(values)-descentMemory):]))
		d.advance(f, m, t)
		best.steps = f.steps
		d.tell(start, f)
		if f.objective < best.objective {
			copy(best.p.Data, f.p.Data)
			best.a, best.b, best.objective = f.a, f.b, f.objective
		}
		values, lows = append(values, f.objective), append(lows, best.objective)
		if back := len(lows) - 1 - 2*descentMemory; t == 0 || back >= 0 &&
			lows[back]-best.objective <= d.opts.Tol*d.total {
			best.status = StatusConverged
			break
		}
		g, last = last, g
		f.gradient(g)
		ss, sy := 0.0, 0.0 // of s = t·D with itself and with y = g − last
		for i, v := range m.dir.Data {
			ss += t * t * v * v
			sy += t * v * (g.Data[i] - last.Data[i])
		}
		if sy > 0 {
			alpha = ss / sy
		} else {
			alpha *= 4
		}
		alpha = min(max(alpha, 1e-10*first), 1e10*first)
	}
	return best, nil
}

// along returns the step t: 1 if φ(P + D) < worst, otherwise the t in [0, 1] of the least φ(P + tD) on a grid
// and on ever finer grids about its best point. It overwrites m.one.
func (d *descent) along(f *candidate, m *move, worst float64) float64 {
	a1, a2 := dot(f.q.Data, m.dir.Data), dot(m.kd.Data, m.dir.Data)
	one, two := m.one, m.two
	for i := range d.k { // PᵀD + DᵀP
		for j := range i + 1 {
			v := one.row(i)[j] + one.row(j)[i]
			one.row(i)[j], one.row(j)[i] = v, v
		}
	}
	b1, b2 := 2*dot(f.s.Data, one.Data), sumSquares(one.Data)+2*dot(f.s.Data, two.Data)
	b3, b4 := 2*dot(one.Data, two.Data), sumSquares(two.Data)
	// The larger a·|a|/b, the smaller φ. The sign of a leads the step towards ⟨K, PPᵀ⟩ > 0 if a ≤ 0, for
	// which φ is constant.
	value := func(t float64) float64 {
		a := f.a + t*(2*a1+t*a2)
		return a * math.Abs(a) / (f.b + t*(b1+t*(b2+t*(b3+t*b4))))
	}
	if v := value(1); v > 0 && d.total-v < worst {
		return 1
	}
	best, most := 0.0, value(0)
	for step := 1. / 16; step > 0x1p-53; step /= 16 {
		for i, middle := -16, best; i <= 16; i++ {
			t := min(max(middle+float64(i)*step, 0), 1)
			if v := value(t); v > most {
				best, most = t, v
			}
		}
	}
	return best
}

// tell reports f to the caller's Progress.
func (d *descent) tell(start int, f *candidate) {
	if d.opts.Progress == nil {
		return
	}
	v := unscale(f.objective, 2*d.exp)
	d.opts.Progress(Iteration{Restart: start, Iteration: f.steps, Objective: v, Loss: v,
		Floor: unscale(d.floor, 2*d.exp)})
}
