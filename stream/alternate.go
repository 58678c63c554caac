package stream

// The alternation of minimal volume (F. Nie, H. Chen, R. Wang and X. Li, On the Global Solution of Soft
// k-Means, Algorithm 2) on rows in blocks, and its correction on a summary.

import (
	"math"

	"softkmeans"
)

// sums is what rows say of centers F with their exact memberships G.
type sums struct {
	centers, f         *softkmeans.Matrix // in the data's coordinates, and from the mean
	gg, gr             *softkmeans.Matrix // GᵀG and GᵀR for the residuals R = X − GF, weighted
	objective, squares fine               // ‖R‖², and ‖X‖² from the mean
	unsummed           float64            // the most that a sum of memberships is off 1, or above it
}

// newSums returns the sums of no rows at centers f from the mean.
func (v *volume) newSums(f *softkmeans.Matrix) *sums {
	s := &sums{centers: softkmeans.NewMatrix(v.k, v.cols, nil), gg: softkmeans.NewMatrix(v.k, v.k, nil),
		gr: softkmeans.NewMatrix(v.k, v.cols, nil)}
	for j := range v.k {
		for c, x := range f.Row(j) {
			s.centers.Row(j)[c] = min(max(x+v.p.Mean[c], -mostEntry), mostEntry)
		}
	}
	s.f = v.fromMean(s.centers)
	return s
}

func (v *volume) fromMean(centers *softkmeans.Matrix) *softkmeans.Matrix {
	f := centers.Clone()
	for j := range f.Rows {
		axpy(f.Row(j), -1, v.p.Mean)
	}
	return f
}

// all makes a pass for the centers f.
func (v *volume) all(f *softkmeans.Matrix) (*sums, error) {
	s := v.newSums(f)
	err := v.each(func(b *block) error { return v.add(s, b) })
	if err == nil {
		err = sameSquares(v.p, s.squares.value())
	}
	return s, err
}

// add adds the rows of a block. Memberships are divided by what their sum is off, so that x − gF is the sum
// of differences from the mean.
func (v *volume) add(s *sums, b *block) error {
	g, err := softkmeans.SimplexLeastSquares(nil, b.x, s.centers,
		&softkmeans.Options{Sum: v.o.Sum, Workers: v.o.Workers})
	if err != nil {
		return err
	}
	parts := make([]sums, chunks(b.x.Rows))
	inChunks(v.o.Workers, b.x.Rows, func(chunk, lo, hi int) {
		part := &parts[chunk]
		part.gg, part.gr = softkmeans.NewMatrix(v.k, v.k, nil), softkmeans.NewMatrix(v.k, v.cols, nil)
		r := make([]float64, v.cols)
		for i := lo; i < hi; i++ {
			w := b.weight(i)
			if w == 0 {
				continue
			}
			for c, x := range b.x.Row(i) {
				r[c] = x - v.p.Mean[c]
			}
			part.squares.add(w * dot(r, r))
			row, sum := g.Row(i), 0.0
			for j, m := range row {
				if m != 0 {
					sum += m
					axpy(r, -m, s.f.Row(j))
				}
			}
			if off := math.Abs(sum - 1); v.o.Sum == softkmeans.SumToOne || sum > 1 {
				part.unsummed = max(part.unsummed, off)
			}
			part.objective.add(w * dot(r, r))
			for j, m := range row {
				if m != 0 {
					axpy(part.gg.Row(j), w*m, row)
					axpy(part.gr.Row(j), w*m, r)
				}
			}
		}
	})
	for i := range parts {
		part := &parts[i]
		axpy(s.gg.Data, 1, part.gg.Data)
		axpy(s.gr.Data, 1, part.gr.Data)
		s.objective.merge(part.objective)
		s.squares.merge(part.squares)
		s.unsummed = max(s.unsummed, part.unsummed)
	}
	return nil
}

// spectrum returns the eigenvalues σ² of BᵀFFᵀB and B·(its eigenvectors), for the contrasts B.
func (v *volume) spectrum(f *softkmeans.Matrix) (values []float64, vectors *softkmeans.Matrix) {
	bf := product(transposed(v.contrasts), f)
	values, u, err := softkmeans.EigenSym(product(bf, transposed(bf)))
	if err != nil { // numbers out of range, from a step that leads nowhere
		return make([]float64, bf.Rows), v.contrasts
	}
	return values, product(v.contrasts, u)
}

// penalty returns Σ log(σ² + ε).
func (v *volume) penalty(f *softkmeans.Matrix) (sum float64) {
	values, _ := v.spectrum(f)
	for _, s := range values {
		sum += math.Log(max(s, 0) + v.epsilon)
	}
	return sum
}

// loss returns the objective and λ/2 times the penalty.
func (v *volume) loss(s *sums, lambda float64) float64 {
	return s.objective.value() + lambda/2*v.penalty(s.f)
}

// majoriser returns D = B(BᵀFFᵀB + εI)⁻¹Bᵀ: the penalty is at most tr(FᵀDF) and a constant.
func (v *volume) majoriser(f *softkmeans.Matrix) *softkmeans.Matrix {
	values, u := v.spectrum(f)
	return spectral(u, func(i int) float64 { return 1 / (max(values[i], 0) + v.epsilon) })
}

// step returns the centers that minimise the majorised loss for the memberships of s, with a correction
// unless it is nil: F + (GᵀG + λ/2·D + ρI)⁻¹(GᵀR − λ/2·DF + L − ρ(F − F_0)).
func (v *volume) step(s *sums, lambda float64, c *correction) *softkmeans.Matrix {
	d := v.majoriser(s.f)
	right, a := product(d, s.f), s.gg.Clone()
	axpy(a.Data, lambda/2, d.Data)
	for i, x := range right.Data {
		right.Data[i] = s.gr.Data[i] - lambda/2*x + c.linear.Data[i] - c.proximal*(s.f.Data[i]-c.at.f.Data[i])
	}
	for j := range v.k {
		a.Row(j)[j] += c.proximal
	}
	values, u, err := softkmeans.EigenSym(a)
	if err != nil {
		return s.f.Clone()
	}
	inverse := spectral(u, func(i int) float64 {
		if values[i] <= 0x1p-45*values[0] {
			return 0
		}
		return 1 / values[i]
	})
	to := product(inverse, right)
	axpy(to.Data, 1, s.f.Data)
	return to
}

// slope is Model.Stationarity: the gradient of the loss times ‖F‖, as a share of the objective.
func (v *volume) slope(s *sums, lambda float64) float64 {
	g := product(v.majoriser(s.f), s.f)
	for i, x := range g.Data {
		g.Data[i] = lambda*x - 2*s.gr.Data[i]
	}
	length := math.Sqrt(dot(g.Data, g.Data)) * math.Sqrt(dot(s.f.Data, s.f.Data))
	return min(length/max(s.objective.value(), 1e-30*v.p.Total, math.SmallestNonzeroFloat64), math.MaxFloat64)
}

const (
	mostIterations    = 200  // on the summary, of a refinement
	convergedProximal = 0.1  // above it the proximal term alone may keep the centers in place
	closeShare        = 0.01 // of the slack: an error nearer below the target is near enough
	calmShare         = 0.05 // λ changes once the error moves by less than this share of what it lacks
)

// corrected iterates on the summary, whose loss gets the value and the gradient of all rows' at the measured
// centers (stochastic variance reduction, Johnson & Zhang 2013): what is a fixed point of it is so for all
// rows, but for terms of second order in the step. λ follows the slack meanwhile. open is false if the
// solution promises little: the centers measured are as good.
func (v *volume) corrected(
	at *sums, lambda, proximal float64,
) (f *softkmeans.Matrix, to float64, open bool, err error) {
	c := &correction{volume: v, at: at}
	now, err := c.measure(at.f)
	if err != nil {
		return nil, 0, false, err
	}
	c.linear = at.gr.Clone()
	axpy(c.linear.Data, -1, now.gr.Data)
	for j := range v.k {
		c.proximal += proximal * at.gg.At(j, j) / float64(v.k)
	}
	c.shift = at.objective.value() - now.objective.value()
	q := &steering{volume: v, slope: 1.5}
	tol := v.o.Tol
	if tol == 0 {
		tol = 1e-5
	}
	age, calm := 0.0, 0
	for range mostIterations {
		if err := stopped(v.ctx); err != nil {
			return nil, 0, false, err
		}
		next, err := c.next(now, lambda, &age)
		if err != nil {
			return nil, 0, false, err
		}
		moved, fall := c.error(next)-c.error(now), c.loss(now, lambda)-c.loss(next, lambda)
		now = next
		if steered, changed := q.next(c.error(now), moved, lambda); changed {
			lambda, age, calm = steered, 0, 0
			continue
		}
		if calm++; fall > tol/10*c.error(now) {
			calm = 0
		}
		if calm == 2 {
			break
		}
	}
	fall, change := c.loss(at, lambda)-c.loss(now, lambda), math.Abs(c.error(now)-at.objective.value())
	open = fall > tol*max(at.objective.value(), 1e-12*v.p.Total) ||
		v.o.Lambda == 0 && change > closeShare*v.allowance
	return now.f, lambda, open, nil
}

// correction is the summary with the value and the gradient of all rows at measured centers.
type correction struct {
	*volume
	at       *sums
	linear   *softkmeans.Matrix
	shift    float64
	proximal float64            // of proximal·‖F − F_0‖², for the measured centers F_0
	plain    *softkmeans.Matrix // the last step, without momentum
}

func (c *correction) measure(f *softkmeans.Matrix) (*sums, error) {
	s := c.newSums(f)
	return s, c.add(s, c.summary)
}

// error is what the objective of all rows is taken to be.
func (c *correction) error(s *sums) float64 {
	if s == c.at {
		return s.objective.value()
	}
	return s.objective.value() + c.shift - 2*(dot(c.linear.Data, s.f.Data)-dot(c.linear.Data, c.at.f.Data))
}

func (c *correction) loss(s *sums, lambda float64) float64 {
	return c.error(s) + lambda/2*c.penalty(s.f)
}

// next takes a step with Nesterov's momentum, and without it where the loss would rise. age counts the steps
// since that.
func (c *correction) next(now *sums, lambda float64, age *float64) (*sums, error) {
	before, plain := c.plain, c.step(now, lambda, c)
	c.plain = plain
	momentum := max(*age-1, 0) / (*age + 4)
	*age++
	if momentum > 0 {
		far := plain.Clone()
		axpy(far.Data, momentum, plain.Data)
		axpy(far.Data, -momentum, before.Data)
		s, err := c.measure(far)
		if err != nil || c.loss(s, lambda) <= c.loss(now, lambda) {
			return s, err
		}
		*age = 0
	}
	return c.measure(plain)
}

// steering moves λ until the error is within the target and near it. The error over the floor grows about as
// a power of λ; the secant through the last two points gives its exponent.
type steering struct {
	*volume
	last, excess, slope float64 // log λ and log of the excess of the last point
	changes             int
}

// next returns λ for an error that moved by so much in the last iteration, and whether it changed.
func (q *steering) next(e, moved, lambda float64) (float64, bool) {
	goal := q.target - closeShare/2*q.allowance
	near := e <= q.target && e >= q.target-closeShare*q.allowance
	if q.o.Lambda > 0 || lambda == 0 || near || math.Abs(moved) > calmShare*math.Abs(e-goal) {
		return lambda, false
	}
	log := math.Log(lambda)
	excess := math.Log(max(e-q.p.Floor, 1e-6*q.allowance) / (goal - q.p.Floor))
	if q.changes > 0 && log != q.last {
		q.slope = min(max((excess-q.excess)/(log-q.last), 0.5), 4)
	}
	q.last, q.excess = log, excess
	q.changes++
	return math.Exp(log - min(max(excess/q.slope, -2), 2)), q.changes <= 24
}

// product returns a·b.
func product(a, b *softkmeans.Matrix) *softkmeans.Matrix {
	c := softkmeans.NewMatrix(a.Rows, b.Cols, nil)
	for i := range a.Rows {
		for j, x := range a.Row(i) {
			axpy(c.Row(i), x, b.Row(j))
		}
	}
	return c
}

func transposed(a *softkmeans.Matrix) *softkmeans.Matrix {
	t := softkmeans.NewMatrix(a.Cols, a.Rows, nil)
	for i := range a.Rows {
		for j, x := range a.Row(i) {
			t.Row(j)[i] = x
		}
	}
	return t
}

// spectral returns U·diag(value)·Uᵀ.
func spectral(u *softkmeans.Matrix, value func(i int) float64) *softkmeans.Matrix {
	t := transposed(u)
	for i := range t.Rows {
		x := value(i)
		for j := range t.Row(i) {
			t.Row(i)[j] *= x
		}
	}
	return product(u, t)
}

func squaredDistance(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return sum
}
