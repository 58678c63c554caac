package proof

// Proved bounds of the leading eigenvalues of A − τ11ᵀ for all τ, by one Cholesky factorization.

import (
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// curve bounds the eigenvalues of S(τ) = A − τ11ᵀ: S(τ₀) ⪯ (σ + η)I + VWVᵀ, with the vectors V in memory.
//
// Proof. If the Cholesky factorization of the stored matrix M = σI + VWVᵀ − S(τ₀) does not break down, no
// eigenvalue of the stored matrix is below −γ(n+8)/(1−γ(n+8))·tr M (Rump, Verification of Positive
// Definiteness, 2006; Higham, Accuracy and Stability of Numerical Algorithms, 2002, theorem 10.3). Forming M
// rounds an entry of VWVᵀ p+4 times at most. η is the sum of the two errors.
//
// S(τ) = S(τ₀) − δ11ᵀ for δ = τ − τ₀. Let Q be V and one more column, 1 = Qx + r, ‖QᵀQ
// − I‖ ≤ ω and T = diag(W, 0) − δxxᵀ. Then S(τ) ⪯ (σ + η + ε)I + QTQᵀ with ε =
// |δ|‖r‖(2‖Qx‖ + ‖r‖). The eigenvalues of QTQᵀ are 0 and the eigenvalues of T times factors
// from 1 − ω to 1 + ω (Ostrowski).
type curve struct {
	tau, sigma, eta float64
	count           int // k−1 eigenvalues count
	w, x            []float64
	omega, rest     float64 // ω and ‖r‖
}

// at returns a bound of h(A − τ11ᵀ), rounding included.
func (c *curve) at(tau float64) float64 {
	if c.count == 0 {
		return 0
	}
	m := len(c.x)
	t := softkmeans.NewMatrix(m, m, nil)
	delta, length, size := tau-c.tau, 0.0, 0.0
	for i, v := range c.x {
		length += v * v
		for j, w := range c.x {
			t.Data[i*m+j] = -delta * (v * w)
		}
		if i < len(c.w) {
			t.Data[i*m+i] += c.w[i]
			size = max(size, math.Abs(c.w[i]))
		}
	}
	values, off := eigenvalues(t)
	off += c.eta + math.Abs(delta)*c.rest*(2.1*math.Sqrt(length)+c.rest) +
		(c.omega+0x1p-48)*1.01*(size+math.Abs(delta)*length+math.Abs(c.sigma))
	values = append(values, make([]float64, c.count)...)
	slices.Sort(values)
	h := 0.0
	for _, v := range values[len(values)-c.count:] {
		v = max(0, c.sigma+v+off)
		h += v * v
	}
	return h * (1 + la.Gamma(c.count+4))
}

// curve returns a curve that is near h at τ, or nil if none is proved.
func (d *dual) curve(tau float64) (*curve, error) {
	if d.k == 1 {
		return &curve{tau: tau}, nil
	}
	values, vectors, err := d.leading(tau)
	for step := 0; step < polishSteps && err == nil && d.coupling(d.k-1) > 1e-14*values[0]*values[0]; step++ {
		values, vectors, err = d.leading(tau)
	}
	if err != nil {
		return nil, err
	}
	return d.curveOf(tau, values, vectors)
}

// curveOf returns a curve from the p ≥ k−1 leading eigenpairs before the widest gap. It raises their
// eigenvalues a little, and takes a σ a little above the next eigenvalue, until a factorization proves the
// curve; nil if none does. values and vectors need not be accurate.
func (d *dual) curveOf(tau float64, values []float64, vectors *softkmeans.Matrix) (*curve, error) {
	c := &curve{tau: tau, count: min(d.k-1, d.n)}
	next := func(p int) float64 { return values[min(p, len(values)-1)] }
	p := c.count
	for q := p; q < len(values); q++ {
		if values[q-1]-values[q] > values[p-1]-next(p) {
			p = q
		}
	}
	small := float64(d.n) * 0x1p-48 * (math.Abs(values[0]) + math.Abs(next(d.n)) + tau)
	v := la.FirstRows(vectors, p)
	c.measure(v)
	for _, share := range []float64{0.05, 0.3, 1} {
		above := share*(values[p-1]-next(p)) + small
		c.sigma, c.w = next(p)+above, make([]float64, p)
		for l := range c.w { // [ε, Eᵀ; E, above] is definite for ε·above > ‖E‖²
			c.w[l] = values[l] + 2*d.coupling(p)/above + small - c.sigma
		}
		if ok, err := d.proves(c, v); ok || err != nil {
			return c, err
		}
	}
	return nil, nil
}

// coupling returns the sum of the squared residuals of the first p vectors.
func (d *dual) coupling(p int) (squares float64) {
	if d.basis == nil {
		return 0
	}
	for l := range p {
		squares += la.SumSquares(d.basis.Row(d.basis.Rows/2 + l))
	}
	return squares
}

// measure sets x, ω and ‖r‖ for the vectors v.
func (c *curve) measure(v *softkmeans.Matrix) {
	n := v.Cols
	root := math.Sqrt(float64(n))
	q := softkmeans.NewMatrix(v.Rows+1, n, nil)
	copy(q.Data, v.Data)
	last, rest := q.Row(v.Rows), make([]float64, n)
	for i := range last {
		last[i], rest[i] = 1, 1
	}
	projectOut(last, v, v.Rows)
	if size := la.Norm(last); size > 0x1p-20*root {
		la.Scale(1/size, last)
	} else {
		q = v
	}
	one, apart := slices.Clone(rest), 0.0
	c.x = make([]float64, q.Rows)
	for l := range c.x {
		c.x[l] = la.Dot(one, q.Row(l))
		la.Axpy(rest, -c.x[l], q.Row(l))
		for j := range l {
			s := la.Dot(q.Row(l), q.Row(j))
			apart += 2 * s * s
		}
		s := la.Dot(q.Row(l), q.Row(l)) - 1
		apart += s * s
	}
	// The errors of products of vectors of about length 1, and of n sums of x_l·q_l.
	m := float64(q.Rows)
	c.omega = 1.01*math.Sqrt(apart) + 1.1*m*la.Gamma(n/4+20)
	c.rest = 1.01*la.Norm(rest) + 1.1*la.Gamma(q.Rows+4)*root*(1+m)
	if !(c.omega < 0.1) {
		c.rest = math.Inf(1)
	}
}

// proves reports whether a factorization proves the curve of the vectors v. It sets η.
func (d *dual) proves(c *curve, v *softkmeans.Matrix) (bool, error) {
	n, p := d.n, v.Rows
	m := softkmeans.NewMatrix(n, n, nil)
	norms, terms := make([]float64, n), 0.0
	for l, w := range c.w {
		terms += math.Abs(w) * la.SumSquares(v.Row(l))
	}
	d.eachTask(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := m.Row(i)[:i+1]
			for l, w := range c.w {
				la.Axpy(row, w*v.Row(l)[i], v.Row(l)[:i+1])
			}
			for j, a := range d.a.Row(i)[:i+1] {
				row[j] -= a - c.tau
			}
			row[i] += c.sigma
			norms[i] = la.SumSquares(d.a.Row(i))
		}
	})
	trace := 0.0
	for i := range n {
		trace += m.At(i, i)
	}
	size := math.Abs(c.sigma) + terms + math.Sqrt(la.Sum(norms)) + float64(n)*c.tau
	c.eta = 1.1*(la.Gamma(p+6)*size+la.Gamma(n+10)*max(0, trace)) + 0x1p-900
	ok := d.definite(m)
	return ok, fault.Stopped(d.ctx)
}

// definite reports whether the Cholesky factorization m = LLᵀ runs to its end, for the lower triangle of m,
// which it overwrites with L. Every entry passes at most n+3 roundings. It processes blocks of rows: first
// the entries left of the block's triangle, which depend on the rows above only and are shared among workers,
// then the triangle itself.
func (d *dual) definite(m *softkmeans.Matrix) bool {
	const panel = 32
	for top := 0; top < m.Rows; top += panel {
		end := min(top+panel, m.Rows)
		draws.Run(d.workers, (end-top+7)/8, func(task int) {
			lo := top + 8*task
			hi := min(lo+8, end)
			for j := 0; j < top && d.ctx.Err() == nil; j += 4 { // top is a multiple of 4
				for i := lo; i < hi; i++ {
					eliminate(m, i, j)
				}
			}
		})
		for i := top; i < end; i++ {
			row := m.Row(i)
			for j := top; j < i; j++ {
				row[j] = (row[j] - la.Dot(row[:j], m.Row(j)[:j])) / m.Data[j*m.Cols+j]
			}
			left := row[i] - la.SumSquares(row[:i])
			if !(left > 0) || d.ctx.Err() != nil {
				return false
			}
			row[i] = math.Sqrt(left)
		}
	}
	return true
}

// eliminate finds the entries j to j+3 of row i of L.
func eliminate(m *softkmeans.Matrix, i, j int) {
	row := m.Row(i)
	b0, b1, b2, b3 := m.Row(j), m.Row(j+1), m.Row(j+2), m.Row(j+3)
	s0, s1, s2, s3 := dot4(row[:j], b0, b1, b2, b3)
	x0 := (row[j] - s0) / b0[j]
	x1 := (row[j+1] - s1 - x0*b1[j]) / b1[j+1]
	x2 := (row[j+2] - s2 - x0*b2[j] - x1*b2[j+1]) / b2[j+2]
	x3 := (row[j+3] - s3 - x0*b3[j] - x1*b3[j+1] - x2*b3[j+2]) / b3[j+3]
	row[j], row[j+1], row[j+2], row[j+3] = x0, x1, x2, x3
}
