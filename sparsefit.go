package softkmeans

// Sparse rows as fits read them, and what is proved of them. Passes of a fit take stored entries alone. What
// needs the zeros of new rows fills in a block of them at a time.

import (
	"context"
	"math"
	"slices"
)

// open opens the matrix with all its zeros where half of its entries are stored.
func (x *SparseMatrix) open(
	ctx context.Context, o *Options, weights []float64, centred bool,
) (dataset, error) {
	if o.Solver == SolverJacobi {
		return nil, fail(ErrOption, "Solver is "+o.Solver.String()+", which takes no sparse rows")
	}
	if err := checkSolver(o.Solver); err != nil {
		return nil, err
	}
	if full := x.filled(); full != nil {
		return full.open(ctx, o, weights, centred)
	}
	return newSparseSamples(ctx, x, weights, o.Workers, centred)
}

// floors returns floors less what SolverKrylov may have missed, where min(n, d) is above certifyGramSide and
// it has not converged.
func (s *sparseSamples) floors(most int, sum Sum) ([]float64, error) {
	small, _ := s.sides()
	first := directionsOf(1, sum)
	if all := small + 1 - first; most == 0 || most > all {
		most = all
	}
	values, missed, err := s.spectrum(most - 1 + first)
	if err != nil {
		return nil, err
	}
	floors := floorsOf(s.units, values, s.total)[first : first+most]
	for i, floor := range floors {
		if i+first > 0 { // the total is whole
			floors[i] = max(0, floor-s.unscaleSquare(missed))
		}
	}
	return floors, nil
}

// spectrum returns all squared singular values; by SolverKrylov, or for p = 0, the p leading ones and the sum
// of the rest. missed bounds by how much all together may be too small; 0 but for SolverKrylov.
func (s *sparseSamples) spectrum(p int) (values []float64, missed float64, err error) {
	small, large := s.sides()
	if p == 0 {
		return []float64{s.total}, 0, nil
	}
	c := chooseSolver(SolverAuto, sparseRows, toFit, p, small, large)
	if !gramOnly && p < small && c.first == SolverKrylov {
		pc, err := s.principalByKrylov(wanted{p, 0})
		if err != nil {
			return nil, 0, err
		}
		if pc.status == StatusOptimal || c.then == SolverKrylov {
			if pc.status != StatusOptimal {
				missed = pc.floorError
			}
			return append(pc.squares[:p:p], pc.floor), missed, nil
		}
	}
	_, values, err = s.principalByGram(wanted{})
	if err == nil {
		clear(values[s.rankBound():])
	}
	return values, 0, err
}

func (s *sparseSamples) solveRows(centers, g *Matrix, sum Sum, rows []int) error {
	if len(rows) == 0 {
		return nil
	}
	some := &SparseMatrix{Rows: len(rows), Cols: s.d, Indptr: []int{0}}
	for _, i := range rows {
		lo, hi := s.sparse.Indptr[i], s.sparse.Indptr[i+1]
		some.Indices = append(some.Indices, s.sparse.Indices[lo:hi]...)
		some.Data = append(some.Data, s.sparse.Data[lo:hi]...)
		some.Indptr = append(some.Indptr, len(some.Data))
	}
	found := NewMatrix(len(rows), g.Cols, nil)
	err := mixSparse(parallelism{s.ctx, s.workers}, newSimplexProblem(centers, sum), found, some)
	copyRowsTo(g, rows, found)
	return err
}

func (s *sparseSamples) aboutMean() (dataset, error) {
	return newSparseSamples(s.ctx, s.sparse, s.weights, s.workers, true)
}

// objective returns an upper bound of ‖X − GF‖² for G put on the simplex. Let
// F − 1cᵀ be LQ + E with orthonormal rows of Q, c the mean, y = Q(x − c) and h = Lᵀg. A row has
//
//	‖x − c − Qᵀh‖² = ‖x − c‖² − ‖y‖² + ‖y − h‖² + hᵀ(QQᵀ − I)h
//
// and is Eᵀg from that. So far centers, whose squares would cancel, enter by y − h alone.
//
// Proof of the rounding. Let m be sumDepth of the row's entries, and ρ = ‖x‖ + ‖c‖. Then y is off by
// e = 1.2√p·γ(m + 8)·ρ. The squares are off by γ(m + p + 24)·2ρ² and by 2e·ρ. h is off by γ(2k +
// 24) of the lengths of centers. E is measured, to γ(k + 4)(2 + √p) of a center's length. hidden has one term
// for both, γ(4k + 24)(2 + √p).
func (s *sparseSamples) objective(f, g *Matrix, sum Sum) (total float64, err error) {
	q, err := newQuotients(s, f, sum)
	if err != nil {
		return 0, err
	}
	y := NewMatrix(s.n, q.basis.Rows, nil)
	if err := s.changeBasis(y, q.basis); err != nil {
		return 0, err
	}
	var all fineSum
	for i := range s.n {
		if i%1024 == 0 && stopped(s.ctx) {
			break
		}
		if w := s.weight(i); w > 0 {
			length := q.residual(s, i, y.row(i), g.row(i))
			all.add(w * length * length)
			if length > 0 || !s.zeros {
				all.lost += underflow
			}
		}
	}
	total = all.value() * (1 + gamma(fineDepth(s.n)+30))
	if !isFinite(total) {
		total = math.Inf(1)
	}
	return total, cancelled(s.ctx)
}

// quotients are centers less the mean, as L times orthonormal rows.
type quotients struct {
	repaired
	basis *Matrix // Q, p×d
	left  *Matrix // L, k×p
	apart float64 // bounds ‖QQᵀ − I‖
	mean  float64 // ‖c‖
	mean2 float64
	h     []float64 // scratch
	mix   mixture   // scratch
}

func newQuotients(s *sparseSamples, f *Matrix, sum Sum) (*quotients, error) {
	k, p := f.Rows, min(f.Rows, s.d)
	q := &quotients{repaired: newRepaired(s.samples, f, sum), left: NewMatrix(k, p, nil),
		h: make([]float64, p)}
	basis, err := completed(s.ctx, rowsOf(q.shifted, 0, p), p, s.d)
	if err != nil {
		return nil, err
	}
	q.basis, q.apart = basis, skewOf(basis)
	q.mean2 = fineDot(s.mean, s.mean)
	q.mean = math.Sqrt(q.mean2) * (1 + 0x1p-48)
	for j := 0; j < k && !stopped(s.ctx); j++ {
		row := slices.Clone(q.shifted.row(j))
		size := norm2(row) * (1 + gamma(s.d+12))
		for l := range p {
			v := dot(row, basis.row(l))
			q.left.row(j)[l] = v
			axpy(row, -v, basis.row(l))
		}
		q.hide(j, norm2(row)*(1+gamma(s.d+12))+gamma(4*k+24)*(2+math.Sqrt(float64(p)))*size)
	}
	return q, nil
}

// residual returns an upper bound of the length of row i less its mixture with the memberships g.
func (q *quotients) residual(s *sparseSamples, i int, y, g []float64) float64 {
	product, squares := s.a.dot(i, s.mean)
	depth, p := sumDepth(s.a.start[i+1]-s.a.start[i]), float64(q.basis.Rows)
	rho := (math.Sqrt(squares) + q.mean) * (1 + 0x1p-40)
	off := 1.2 * math.Sqrt(p) * gamma(depth+8) * rho
	clear(q.h) // which becomes −h
	hidden := q.of(&q.mix, g)
	addRows(q.h, q.mix.coef, q.mix.index, q.left.Data)
	inside, length := 0.0, sumSquares(q.h)
	for l, v := range y {
		inside += (v + q.h[l]) * (v + q.h[l])
	}
	outside := max(0, squares-2*product+q.mean2-sumSquares(y))
	outside += 2.1*gamma(depth+len(y)+24)*rho*rho + 2.4*off*rho + 1.1*q.apart*(length+rho*rho)
	inside = math.Sqrt(inside)*(1+gamma(len(y)+8)) + off
	return math.Sqrt(outside+inside*inside)*(1+0x1p-48) + hidden
}

func (x *SparseMatrix) mix(m *Model, dst *Matrix) (*Matrix, error) {
	if err := firstError(checkEnum("Sum", m.Sum, sumCount), x.checkNew(m.Centers)); err != nil {
		return nil, err
	}
	k := m.Centers.Rows
	if x.Rows == 0 {
		return destination(dst, 0, k), nil
	}
	dst = destination(dst, x.Rows, k)
	by := parallelism{context.Background(), workerCount(0)}
	if m.Rows == RowsUnit {
		return dst, eachFilled(by, x, func(lo, hi int, rows *Matrix) error {
			return coneShares(by.ctx, 1, rowsOf(dst, lo, hi), nil, rows, m.Centers)
		})
	}
	return dst, mixSparse(by, newSimplexProblem(m.Centers, m.Sum), dst, x)
}

// checkNew returns an error unless x is a valid matrix, with columns as the centers and entries in range.
func (x *SparseMatrix) checkNew(centers *Matrix) error {
	if err := x.check("x"); err != nil {
		return err
	}
	if err := checkNewRows(x.Rows, x.Cols, centers); err != nil {
		return err
	}
	for i := range x.Rows {
		if big, finite := rowMaxAbs(x.Data[x.Indptr[i]:x.Indptr[i+1]]); !finite || big > mostEntry {
			return x.entryError(i, 0)
		}
	}
	return nil
}

func (x *SparseMatrix) label(dst []int, q metric) ([]int, error) {
	if err := x.checkNew(q.means); err != nil {
		return nil, err
	}
	dst = labelsOf(dst, x.Rows)
	return dst, x.nearest(parallelism{context.Background(), workerCount(0)}, dst, q)
}

func (s *sparseSamples) nearest(dst []int, q metric) error {
	return s.sparse.nearest(parallelism{s.ctx, s.workers}, dst, q)
}

// nearest sets dst to the index of the nearest mean of q for each row. All entries are in range. Where q has
// no axes it takes blocks of rows with their zeros.
func (x *SparseMatrix) nearest(by parallelism, dst []int, q metric) error {
	if q.axes == nil {
		return eachFilled(by, x, func(lo, hi int, rows *Matrix) error {
			return q.nearest(by.ctx, by.workers, dst[lo:hi], rows)
		})
	}
	from := q.means.row(0)
	means, err := alongAxes(by.ctx, by.workers, q.means, from, q.axes)
	if err != nil {
		return err
	}
	p, a, v := q.axes.Rows, x.rows(1), q.axes.transposed()
	y, middle := NewMatrix(x.Rows, p, nil), make([]float64, p)
	for c := range middle {
		middle[c] = dot(from, q.axes.row(c))
	}
	over := chunking{x.Rows, a.length(p), manyChunks}
	if err := eachBlock(by.ctx, by.workers, over, p, func(at block) {
		for i := at.lo; i < at.hi; i++ {
			a.addTo(y.row(i), i, v, at.scratch[:p])
			axpy(y.row(i), -1, middle)
		}
	}); err != nil {
		return err
	}
	return nearestRows(by.ctx, by.workers, dst, y, means)
}

func (s *sparseSamples) labelMeans(labels []int, centers *Matrix) (*Matrix, error) {
	member, weights := NewMatrix(s.n, centers.Rows, nil), make([]float64, centers.Rows)
	for i, j := range labels {
		member.row(i)[j] = 1
		weights[j] += s.weight(i)
	}
	sums, err := s.sums(member)
	if err != nil {
		return nil, err
	}
	out := centers.Clone()
	for j, w := range weights {
		if w > 0 {
			for c, v := range sums.row(j) {
				out.row(j)[c] = math.Ldexp(s.mean[c]+v/w, s.exp)
			}
		}
	}
	return out, nil
}

func (x *SparseMatrix) openVolume(ctx context.Context, k int, o *MinVolumeOptions) (*samples, error) {
	if err := firstError(checkSparseOptions(o), checkCount("Workers", o.Workers), x.check("x")); err != nil {
		return nil, err
	}
	full := x.filled()
	// Where a fit begins in all columns or the row space, these are hardly more than leading directions, or
	// the table than centers.
	if few := 3*narrowColumns(k) > 2*(min(x.Rows, x.Cols)-1); few && full == nil {
		var err error
		if full, err = x.Dense(); err != nil {
			return nil, err
		}
	}
	centred := o.Sum == SumToOne
	if full != nil {
		return newSamples(ctx, full, o.Weights, o.Workers, centred)
	}
	s, err := newSparseSamples(ctx, x, o.Weights, o.Workers, centred)
	if err != nil {
		return nil, err
	}
	return s.samples, nil
}

func (s *sparseSamples) global(k int, o *Options) (*Model, error) { return Fit(s.ctx, s.sparse, k, o) }

// mixSparse writes the memberships of sparse rows, whose entries are in range, to dst.
func mixSparse(by parallelism, p *simplexProblem, dst *Matrix, x *SparseMatrix) error {
	top, _ := rowMaxAbs(x.Data)
	if p.flat || !p.near || math.Ldexp(top, -p.exp) >= 1<<mostDistance {
		return eachFilled(by, x, func(lo, hi int, rows *Matrix) error {
			return p.solve(by.ctx, rowsOf(dst, lo, hi), rows, by.workers)
		})
	}
	a, columns, f := x.rows(1), p.vertices.transposed(), math.Ldexp(1, -p.exp)
	over := chunking{x.Rows, a.length(p.k), manyChunks}
	return p.solveBlocks(by.ctx, by.workers, over, p.k, dst, func(at block) []float64 {
		b := at.scratch[:(at.hi-at.lo)*p.k]
		clear(b)
		for i := at.lo; i < at.hi; i++ {
			out := b[(i-at.lo)*p.k:][:p.k]
			index, value := a.row(i)
			addRows(out, value, index, columns.Data)
			for j, c := range p.offset {
				out[j] = out[j]*f - c
			}
		}
		return b
	})
}

// eachFilled calls fn with some rows after others, with all their zeros: 8 MB at a time.
func eachFilled(by parallelism, x *SparseMatrix, fn func(lo, hi int, rows *Matrix) error) error {
	rows := NewMatrix(min(x.Rows, max(1, 1<<20/max(x.Cols, 1))), x.Cols, nil)
	for lo := 0; lo < x.Rows; lo += rows.Rows {
		hi := min(lo+rows.Rows, x.Rows)
		for i := lo; i < hi; i++ {
			x.fill(rows.row(i-lo), i)
		}
		if err := fn(lo, hi, rowsOf(rows, 0, hi-lo)); err != nil {
			return err
		}
	}
	return cancelled(by.ctx)
}
