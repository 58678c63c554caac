package proof

// The parts of a table that the proofs need: its rows in the leading directions, and bounds of the remainder.

import (
	"context"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

const (
	mostK        = 1 << 24
	mostFilledIn = 1 << 27 // entries of a sparse table with its zeros: 1 GB
	// farFrom0: if an entry of the mean exceeds farFrom0 times the largest range of a column, a row is
	// subtracted from all rows.
	farFrom0 = 0x1p8
	plainExp = 100 // entries and weights beyond 2^±plainExp are scaled
	block    = 64  // rows of a partial sum
	passes   = 16  // sums of all rows are added up in so many parts, at most
	// flat: a direction whose singular value is less than this fraction of the largest does not count.
	flat = 0x1p-40
)

// table is rows about a vector, with weights.
type table struct {
	x       *softkmeans.Matrix
	about   []float64
	rows    []int     // of positive weight
	weights []float64 // of these
}

// row overwrites y with the t-th row of positive weight.
func (s *table) row(y []float64, t int) {
	for j, v := range s.x.Row(s.rows[t]) {
		y[j] = v - s.about[j]
	}
}

// eachPart calls fn for parts of the rows, from row lo to hi, on some workers.
func (s *table) eachPart(workers int, fn func(part, lo, hi int)) {
	n := len(s.rows)
	parts := max(1, min(passes, n/block))
	draws.Run(workers, parts, func(t int) { fn(t, n*t/parts, n*(t+1)/parts) })
}

// open returns the problem for k centers and the rows of x. If the argument off is set, it also computes the
// field off.
func open(
	ctx context.Context, x softkmeans.Samples, k int, opts *softkmeans.Options, off bool,
) (*problem, error) {
	o := draws.OrZero(opts)
	if k < 1 || k > mostK {
		return nil, fault.New(softkmeans.ErrOption, "k is ", k, ", not from 1 to ", mostK)
	}
	m, err := filledIn(x)
	if err != nil {
		return nil, err
	}
	s := &table{x: m}
	if s.rows, err = draws.Rows(o.Weights, m.Rows); err != nil {
		return nil, err
	}
	q := &problem{ctx: ctx, k: k, d: m.Cols}
	all := q.scale(s, o.Weights)
	space, err := softkmeans.Principal(ctx, s.x, min(k, m.Rows-1, m.Cols),
		&softkmeans.Options{Weights: all, Solver: o.Solver, Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	q.beyond = max(0, space.Floor-space.FloorError)
	basis := space.Basis
	for basis.Rows > 0 && !(space.Squares[basis.Rows-1] > flat*flat*space.Squares[0]) {
		basis.Rows--
	}
	return q, q.project(s, basis, o.Workers, off)
}

// filledIn returns x with all its zeros.
func filledIn(x softkmeans.Samples) (*softkmeans.Matrix, error) {
	m, _ := x.(*softkmeans.Matrix)
	if sparse, is := x.(*softkmeans.SparseMatrix); is && sparse != nil {
		if float64(sparse.Rows)*float64(sparse.Cols) > mostFilledIn {
			return nil, fault.New(softkmeans.ErrShape,
				"sparse rows are filled in, and x would have more than 2^27 entries")
		}
		var err error
		if m, err = sparse.Dense(); err != nil {
			return nil, err
		}
	}
	if err := m.Check("x"); err != nil {
		return nil, err
	}
	if m.Rows == 0 {
		return nil, fault.New(softkmeans.ErrTooFewSamples, "x has no rows")
	}
	return m, nil
}

// scale sets q.exp and q.wexp, the weights of s, and s.about, the mean of the rows. If entries are out of the
// range of plain, or so far from 0 that the rounding of the mean matters, s.x becomes a scaled copy of the
// rows less the first row, which is exact enough. scale returns the scaled weights of all rows, or nil if
// given is nil.
func (q *problem) scale(s *table, given []float64) (all []float64) {
	heaviest := 1.0
	if given != nil {
		heaviest = slices.Max(given)
	}
	if _, q.wexp = math.Frexp(heaviest); plain(q.wexp) {
		q.wexp = 0
	}
	for _, i := range s.rows {
		s.weights = append(s.weights, math.Ldexp(draws.Weight(given, i), -q.wexp))
	}
	if given != nil {
		all = make([]float64, len(given))
		for t, i := range s.rows {
			all[i] = s.weights[t]
		}
	}
	top, far := s.centre()
	if _, q.exp = math.Frexp(top); plain(q.exp) && !far {
		q.exp = 0
		return all
	}
	y, first := softkmeans.NewMatrix(s.x.Rows, s.x.Cols, nil), s.x.Row(s.rows[0])
	for _, i := range s.rows {
		for j, v := range s.x.Row(i) {
			y.Row(i)[j] = math.Ldexp(v, -q.exp) - math.Ldexp(first[j], -q.exp)
		}
	}
	s.x = y
	s.centre()
	return all
}

// plain reports whether 2^exp is in the range that needs no scaling.
func plain(exp int) bool { return max(exp, -exp) <= plainExp }

// centre sets about to the mean of the rows. It returns the largest magnitude of an entry, and whether the
// rows are so far from 0 that the rounding of the mean matters.
func (s *table) centre() (top float64, far bool) {
	d := s.x.Cols
	s.about = make([]float64, d)
	low, high := slices.Repeat([]float64{math.Inf(1)}, d), slices.Repeat([]float64{math.Inf(-1)}, d)
	share := 1 / la.Sum(s.weights)
	for t, i := range s.rows {
		by := s.weights[t] * share
		for j, v := range s.x.Row(i) {
			s.about[j] += by * v
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	var middle, ranges float64
	for j := range low {
		top = max(top, -low[j], high[j])
		middle = max(middle, math.Abs(s.about[j]))
		ranges = max(ranges, high[j]-low[j])
	}
	return top, middle > farFrom0*ranges
}

// project sets q.w, the coordinates of the rows in the leading directions; q.outside, a bound of ‖Y − YŨŨᵀ‖²;
// q.total, q.sigma and q.lower; and, if off is set, q.off, a bound of the norm of R = YᵀYŨ − ŨM.
func (q *problem) project(s *table, basis *softkmeans.Matrix, workers int, off bool) error {
	n, d, b := len(s.rows), s.x.Cols, basis.Rows
	p := min(q.k-1, b)
	all := softkmeans.NewMatrix(n, b, nil)
	var parts [passes]sums
	s.eachPart(workers, func(part, lo, hi int) {
		sum := sums{mean: make([]float64, d), product: softkmeans.NewMatrix(p, d, nil)}
		y, squares, rest := make([]float64, d), 0.0, 0.0
		for t := lo; t < hi && !(t%block == 0 && q.ctx.Err() != nil); t++ {
			s.row(y, t)
			v, w := s.weights[t], all.Row(t)
			la.Axpy(sum.mean, v, y)
			squares += v * la.SumSquares(y)
			for c := range w {
				w[c] = la.Dot(y, basis.Row(c))
			}
			if off {
				for c, u := range w[:p] {
					la.Axpy(sum.product.Row(c), v*u, y)
				}
			}
			for c, u := range w[:p] {
				la.Axpy(y, -u, basis.Row(c))
			}
			rest += v * la.SumSquares(y)
			if t%block == block-1 || t == hi-1 { // so that few roundings add up
				sum.total, sum.outside, squares, rest = sum.total+squares, sum.outside+rest, 0, 0
			}
		}
		parts[part] = sum
	})
	for _, sum := range parts[1:] {
		if sum.mean == nil {
			break
		}
		parts[0].total += sum.total
		parts[0].outside += sum.outside
		la.Axpy(parts[0].mean, 1, sum.mean)
		la.Axpy(parts[0].product.Data, 1, sum.product.Data)
	}
	sum := &parts[0]
	// A row has a relative rounding error of γ(1), and its projection an error of γ(2p+8) of its length.
	depth := block + n/(passes*block) + passes + d/4 + 16
	q.total = sum.total * (1 + la.Gamma(depth))
	length := math.Sqrt(sum.outside)*(1+la.Gamma(depth)) + la.Gamma(2*p+8)*math.Sqrt(q.total)
	q.outside = length * length
	q.weights = s.weights
	q.w = &softkmeans.Matrix{Rows: n, Cols: p, Stride: all.Stride, Data: all.Data}
	q.sigma = singularValues(q.w, q.weights, true)
	q.lower = q.beyond
	if b > p { // σ_k² is at least the Ritz value
		sigma := max(0, singularValues(all, q.weights, true)[p]-q.rounding(p+1))
		q.lower += sigma * sigma
	}
	if off {
		for c := range p {
			u := sum.product.Row(c)
			projectOut(u, basis, p)
		}
		// YᵀYŨ is summed over n rows, and about a vector that is not quite the mean.
		mass := la.Sum(q.weights)
		moved := (la.Norm(sum.mean)/math.Sqrt(mass) + la.Gamma(n+8)*math.Sqrt(q.total)) * (1 + 0x1p-40)
		q.off = la.Norm(sum.product.Data) + moved*moved +
			math.Sqrt(float64(p))*q.total*(la.Gamma(n+64)+float64(q.d+p+16)*0x1p-50)
	}
	return q.ctx.Err()
}

// sums are over rows y, weighted.
type sums struct {
	total, outside float64
	mean           []float64          // Σv·y
	product        *softkmeans.Matrix // YᵀYŨ in rows
}
