package stream

// The alternation of minimal volume (F. Nie, H. Chen, R. Wang and X. Li, On the Global Solution of Soft
// k-Means, Algorithm 2) on rows in blocks, and its correction on a summary.

import (
	"math"

	"softkmeans"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// sums contains sums over rows for centers F and their exact memberships G.
type sums struct {
	centers, f         *softkmeans.Matrix // centers in the data's coordinates, and f = centers less the mean
	gg, gr             *softkmeans.Matrix // GᵀG and GᵀR for the residuals R = X − GF, weighted
	objective, squares fine               // ‖R‖², and ‖X‖² from the mean
	// unsummed: the largest |Σg − 1| of a row; with SumAtMostOne the largest Σg − 1.
	unsummed float64
	// error: the squared error of all rows: objective after a pass over all rows, otherwise an estimate.
	error float64
}

// newSums returns empty sums for centers whose differences from the mean are f.
func (v *volume) newSums(f *softkmeans.Matrix) *sums {
	s := &sums{centers: f.Clone(), f: softkmeans.NewMatrix(v.k, v.cols, nil),
		gg: softkmeans.NewMatrix(v.k, v.k, nil), gr: softkmeans.NewMatrix(v.k, v.cols, nil)}
	for j := range v.k {
		for c, mean := range v.p.Mean {
			x := min(max(f.Row(j)[c]+mean, -mostEntry), mostEntry)
			s.centers.Row(j)[c], s.f.Row(j)[c] = x, x-mean
		}
	}
	return s
}

// all makes a pass over the data and returns the sums of all rows for the centers f, which are relative to
// the mean.
func (v *volume) all(f *softkmeans.Matrix) (*sums, error) {
	s := v.newSums(f)
	err := v.each(func(b *block) error { return v.add(s, b) })
	if err == nil {
		err = sameSquares(v.p, s.squares.value())
	}
	s.error = s.objective.value()
	return s, err
}

// add adds the rows of a block. It computes x − gF as (x − mean) − g(F − mean), which is exact for
// memberships that add up to 1. unsummed measures how far sums are from 1.
func (v *volume) add(s *sums, b *block) error {
	m := &softkmeans.Model{Centers: s.centers, ClusterMeans: s.centers, Sum: v.o.Sum}
	g, err := v.mixtures(m, b.x, v.o.Workers)
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
			copy(r, b.x.Row(i))
			la.Axpy(r, -1, v.p.Mean)
			part.squares.add(w * la.SumSquares(r))
			row := g.Row(i)
			for j, m := range row {
				if m != 0 {
					la.Axpy(r, -m, s.f.Row(j))
				}
			}
			if sum := la.Sum(row); v.o.Sum == softkmeans.SumToOne || sum > 1 {
				part.unsummed = max(part.unsummed, math.Abs(sum-1))
			}
			part.objective.add(w * la.SumSquares(r))
			for j, m := range row {
				if m != 0 {
					la.Axpy(part.gg.Row(j), w*m, row)
					la.Axpy(part.gr.Row(j), w*m, r)
				}
			}
		}
	})
	for i := range parts {
		part := &parts[i]
		la.Axpy(s.gg.Data, 1, part.gg.Data)
		la.Axpy(s.gr.Data, 1, part.gr.Data)
		s.objective.merge(part.objective)
		s.squares.merge(part.squares)
		s.unsummed = max(s.unsummed, part.unsummed)
	}
	return nil
}

// factor adds a bound of rounding to the diagonal of the positive semidefinite matrix a, and overwrites a
// with its Cholesky factor. It returns false if numbers are out of range.
func factor(a *softkmeans.Matrix) bool {
	trace := 0.0
	for j := range a.Rows {
		trace += a.At(j, j)
	}
	for j := range a.Rows {
		a.Row(j)[j] += float64(a.Rows) * 0x1p-50 * trace
	}
	return trace <= math.MaxFloat64 && la.Cholesky(a.Data, a.Rows)
}

// penalty returns log = Σ log(σ² + ε) = log det(BᵀFFᵀB + εI) for the contrasts B, and the majoriser D =
// B(BᵀFFᵀB + εI)⁻¹Bᵀ: the penalty of other centers F′ is at most tr(F′ᵀDF′) plus a constant. log is +Inf if
// numbers are out of range.
func (v *volume) penalty(f *softkmeans.Matrix) (log float64, d *softkmeans.Matrix) {
	bf, z := la.Product(la.Transpose(v.contrasts), f), v.contrasts.Clone()
	s := la.Product(bf, la.Transpose(bf))
	for j := range s.Rows {
		s.Row(j)[j] += v.epsilon
	}
	if !factor(s) {
		return math.Inf(1), softkmeans.NewMatrix(v.k, v.k, nil)
	}
	for j := range s.Rows {
		log += 2 * math.Log(s.At(j, j))
	}
	for j := range z.Rows {
		la.SolveLower(s.Data, s.Rows, z.Row(j))
	}
	return log, la.Product(z, la.Transpose(z))
}

// loss returns the error and λ/2 times the penalty.
func (v *volume) loss(s *sums, lambda float64) float64 {
	log, _ := v.penalty(s.f)
	return s.error + lambda/2*log
}

// downhill returns minus half of the gradient of the loss, and the majoriser λ/2·D.
func (v *volume) downhill(s *sums, lambda float64) (g, d *softkmeans.Matrix) {
	_, d = v.penalty(s.f)
	la.Scale(lambda/2, d.Data)
	g = s.gr.Clone()
	la.Axpy(g.Data, -1, la.Product(d, s.f).Data)
	return g, d
}

// step returns the centers that minimise the majorised loss for the memberships of s, plus ρ‖F − F_0‖²:
// F + (GᵀG + λ/2·D + ρI)⁻¹(GᵀR − λ/2·DF − ρ(F − F_0)).
func (v *volume) step(s *sums, lambda, rho float64, from *softkmeans.Matrix) *softkmeans.Matrix {
	g, a := v.downhill(s, lambda)
	la.Axpy(g.Data, -rho, s.f.Data)
	la.Axpy(g.Data, rho, from.Data)
	la.Axpy(a.Data, 1, s.gg.Data)
	for j := range v.k {
		a.Row(j)[j] += rho
	}
	if !factor(a) {
		return s.f
	}
	columns := la.Transpose(g)
	for c := range columns.Rows {
		la.CholeskySolve(a.Data, v.k, columns.Row(c))
	}
	to := la.Transpose(columns)
	la.Axpy(to.Data, 1, s.f.Data)
	return to
}

// slope returns Model.Stationarity: the norm of the gradient of the loss times ‖F‖, divided by the squared
// error.
func (v *volume) slope(s *sums, lambda float64) float64 {
	g, _ := v.downhill(s, lambda)
	share := 2 * la.Norm(g.Data) * la.Norm(s.f.Data)
	share /= max(s.error, 1e-30*v.p.Total, math.SmallestNonzeroFloat64)
	if share <= math.MaxFloat64 {
		return share
	}
	return math.MaxFloat64
}

const (
	mostEntry         = 0x1p500 // of data in the package's range
	mostIterations    = 200     // the most iterations on the summary in one refinement
	convergedProximal = 0.1     // above it the proximal term alone may keep the centers in place
	// closeShare: an error below the target by at most this fraction of the permitted excess is near enough.
	closeShare = 0.01
	calmShare  = 0.3 // λ changes if the error moves less than this fraction of its distance from the target
	usualPower = 1.5 // the error less the floor grows about as this power of λ
)

// corrected iterates on the summary. `at` contains sums over all rows at some centers. Linear and constant
// terms are added to the loss of the summary. At these centers it then has the value and the gradient of the
// loss of all rows (stochastic variance reduction, Johnson & Zhang 2013). A fixed point is a fixed point for
// all rows, up to terms of second order in the step. Meanwhile λ is changed to meet the slack. corrected
// returns the centers f, the last λ, and open = false if f lowers the loss by no more than the tolerance, so
// that another pass is not worthwhile.
func (v *volume) corrected(
	at *sums, lambda, proximal float64,
) (f *softkmeans.Matrix, to float64, open bool, err error) {
	measure := func(f *softkmeans.Matrix) (*sums, error) {
		s := v.newSums(f)
		return s, v.add(s, v.summary)
	}
	now, err := measure(at.f)
	if err != nil {
		return nil, 0, false, err
	}
	linear, shift, rho := at.gr.Clone(), at.error-now.objective.value(), 0.0
	la.Axpy(linear.Data, -1, now.gr.Data)
	shift += 2 * la.Dot(linear.Data, at.f.Data)
	for j := range v.k {
		rho += proximal * at.gg.At(j, j) / float64(v.k)
	}
	tol := v.o.Tol
	if tol == 0 {
		tol = 1e-5
	}
	now.gr, now.error = at.gr, at.error
	for range mostIterations {
		if err := fault.Stopped(v.ctx); err != nil {
			return nil, 0, false, err
		}
		next, err := measure(v.step(now, lambda, rho, at.f))
		if err != nil {
			return nil, 0, false, err
		}
		la.Axpy(next.gr.Data, 1, linear.Data)
		next.error = next.objective.value() + shift - 2*la.Dot(linear.Data, next.f.Data)
		moved, fall := next.error-now.error, v.loss(now, lambda)-v.loss(next, lambda)
		now = next
		if steered := v.steered(now.error, moved, lambda); steered != lambda {
			lambda = steered
		} else if fall <= tol/10*now.error {
			break
		}
	}
	fall, change := v.loss(at, lambda)-v.loss(now, lambda), math.Abs(now.error-at.error)
	open = fall > tol*max(at.error, 1e-12*v.p.Total) || v.o.Lambda == 0 && change > v.near
	return now.f, lambda, open, nil
}

// steered returns the next λ, for the squared error e that changed by moved in the last iteration. λ stays if
// it was given, if e is near the target or still changes, or if the target is the floor.
func (v *volume) steered(e, moved, lambda float64) float64 {
	goal := v.target - v.near/2
	near := e <= v.target && e >= v.target-v.near
	if v.o.Lambda > 0 || lambda == 0 || near || goal <= v.p.Floor ||
		math.Abs(moved) > calmShare*math.Abs(e-goal) {
		return lambda
	}
	excess := math.Log(max(e-v.p.Floor, 1e-6*v.allowance) / (goal - v.p.Floor))
	return lambda * math.Exp(-min(max(excess/usualPower, -2), 2))
}
