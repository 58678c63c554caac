package softkmeans

// Sparse data for the solvers. The mean is subtracted from products, never from entries: XcV is √w·(XV −
// 1(μᵀV)). So each pass takes time in proportion to the stored entries. If the mean is far from 0, digits
// cancel in the difference, so that bounds of rounding contain ‖√w·X‖ + √Σw·‖μ‖ in place of ‖Xc‖.

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// sparseSamples holds weighted sparse rows about their mean, or about 0.
type sparseSamples struct {
	*samples // without rows: shape, units, mean and weights
	sparse   *SparseMatrix
	a        *compressed // the rows in scaled units
	columns  *compressed // the same entries
	root     []float64   // √w_i
	reach    float64     // an upper bound of ‖√w·X‖ + √Σw·‖μ‖
	total    float64     // ‖Xc‖²
	off      float64     // bounds the error of total
	squares  []float64   // ‖x_i‖², about the mean
	// multiplyBy sets times to XcFᵀ without weights, and square to FFᵀ.
	times, square *Matrix
}

// open expands x if at least half of its entries are stored, or if the given number of directions is more
// than two thirds of min(n, d) − 1. Otherwise x stays sparse.
func (x *SparseMatrix) open(ctx context.Context, o *Options, centred bool, directions int) (rows, error) {
	err := checkEnum("Solver", o.Solver, solverCount)
	if o.Solver == SolverJacobi {
		err = fail(ErrOption, "Solver is "+o.Solver.String()+", which takes no sparse rows")
	}
	if err = cmp.Or(err, checkCount("Workers", o.Workers), x.check("x")); err != nil {
		return nil, err
	}
	half := len(x.Data) > 0 && float64(len(x.Data)) >= float64(x.Rows)*float64(x.Cols)/2
	if half || directions > 0 && 3*directions > 2*(min(x.Rows, x.Cols)-1) {
		full, err := x.Dense()
		if err != nil {
			return nil, err
		}
		return full.open(ctx, o, centred, 0)
	}
	return newSparseSamples(ctx, x, o.Weights, o.Workers, centred)
}

// newSparseSamples finds the units and the mean of a checked matrix.
func newSparseSamples(
	ctx context.Context, x *SparseMatrix, weights []float64, workers int, centred bool,
) (*sparseSamples, error) {
	if err := checkSize("the starts of columns", x.Cols, 2); err != nil {
		return nil, err
	}
	rows, err := unread(ctx, x.Rows, x.Cols, weights, workers, centred)
	if err != nil {
		return nil, err
	}
	s := &sparseSamples{sparse: x, samples: rows}
	for i := range s.n {
		s.root = append(s.root, math.Sqrt(s.weight(i)))
	}
	top, err := x.largest(s.weight)
	if err != nil {
		return nil, err
	}
	s.zeros = top == 0
	_, s.exp = math.Frexp(top)
	s.a = x.rows(s.factor())
	for i := range s.n {
		if s.weight(i) == 0 { // its entries may be out of range after scaling
			_, value := s.a.row(i)
			clear(value)
		}
	}
	s.columns = s.a.transposed(s.d)
	s.setMean()
	s.setTotal()
	return s, cancelled(ctx)
}

// setMean sets the mean and its rest, or a mean of 0 if s is not centred. The lost roundings of sums are
// added, the roundings of the products with weights are not.
func (s *sparseSamples) setMean() {
	mass := s.samples.mass().value()
	s.mean = make([]float64, s.d)
	fine := meanRest{rest: make([]float64, s.d), mass: mass, depth: 6 + fineDepth(s.n)}
	for j := range s.d {
		var sum fineSum
		rows, value := s.columns.row(j)
		for t, v := range value {
			sum.add(s.weight(rows[t]) * v)
		}
		m := sum.value() / mass
		product, off := twoProduct(m, mass)
		s.mean[j], fine.rest[j] = m, (sum.sum-product-off+sum.lost)/mass
	}
	if !s.centred {
		clear(s.mean)
		return
	}
	fine.offset = norm2(s.mean) * (1 + gamma(s.d+8))
	s.fine = fine
}

// setTotal sets squares, total, reach and off. The square of a row is ‖x‖² − 2x·μ + ‖μ‖². Its terms are at
// most 2(‖x‖² + ‖μ‖²) in size, and pass the roundings of sumDepth and a few more.
func (s *sparseSamples) setTotal() {
	length := fineDot(s.mean, s.mean)
	s.squares = make([]float64, s.n)
	var sum fineSum
	var all, mass float64
	for i := range s.n {
		w := s.weight(i)
		product, squares := s.a.dot(i, s.mean)
		s.squares[i] = max(0, squares-2*product+length)
		sum.add(w * (squares - 2*product + length))
		all, mass = all+w*squares, mass+w
	}
	s.total = max(0, sum.value())
	s.reach = (math.Sqrt(all) + math.Sqrt(mass*length)) * (1 + gamma(s.n+s.a.longest+16))
	s.off = 2.1*gamma(sumDepth(s.a.longest)+fineDepth(s.n)+22)*s.reach*s.reach + s.beside(s.total)
}

// beside bounds the difference between sums of squares about the mean in memory and about the true mean.
func (s *sparseSamples) beside(total float64) float64 {
	return s.fine.squares()*(1+0x1p-40) + s.fine.bound(total)
}

// changeBasis writes (X − 1μᵀ)V for Vᵀ (b×d) to the left columns of out, without the weights. Rows of weight
// 0 are 0. An entry times √w passes sumDepth(s.a.longest) + 8 roundings.
func (s *sparseSamples) changeBasis(out, vt *Matrix) error {
	b, v := vt.Rows, vt.transposed()
	middle := make([]float64, b)
	if s.centred {
		for j := range middle {
			middle[j] = fineDot(vt.row(j), s.mean)
		}
	}
	return s.eachBlock(chunking{s.n, s.a.length(b), manyChunks}, b, func(at block) {
		for i := at.lo; i < at.hi; i++ {
			row := out.row(i)[:b]
			clear(row)
			if s.weight(i) > 0 {
				s.a.addTo(row, i, v, at.scratch[:b])
				axpy(row, -1, middle)
			}
		}
	})
}

func (s *sparseSamples) totalSquares() (total, off float64, err error) { return s.total, s.off, nil }

func (s *sparseSamples) nearest(dst []int, means, axes *Matrix) error {
	return s.sparse.score(s.parallelism, means, axes, labelling(dst))
}

func (s *sparseSamples) chosen(list []int) *Matrix {
	out := NewMatrix(len(list), s.d, nil)
	for t, i := range list {
		s.sparse.fill(out.row(t), i)
	}
	return out
}

func (s *sparseSamples) varying() (count int) {
	counting := s.n - len(s.zeroWeights())
	for j := range s.d {
		_, value := s.columns.row(j) // 0 in rows of weight 0
		value = slices.DeleteFunc(slices.Clone(value), func(v float64) bool { return v == 0 })
		if n := len(value); n > 0 && (n < counting || slices.Min(value) < slices.Max(value)) {
			count++
		}
	}
	return count
}

func (s *sparseSamples) multiplyT(yt *Matrix) (*Matrix, error) {
	b, y := yt.Rows, yt.transposed()
	for i, r := range s.root {
		scale(y.row(i), r)
	}
	sums := make([]float64, b)
	if s.centred {
		for j := range sums {
			sums[j] = fineDot(yt.row(j), s.root)
		}
	}
	out := NewMatrix(s.d, b, nil)
	err := s.eachBlock(chunking{s.d, s.columns.length(b), manyChunks}, b, func(at block) {
		for j := at.lo; j < at.hi; j++ {
			s.columns.addTo(out.row(j), j, y, at.scratch[:b])
			axpy(out.row(j), -s.mean[j], sums)
		}
	})
	return out.transposed(), err
}

// gram returns SSᵀ − (Sb)aᵀ − a(Sb)ᵀ + ‖b‖²aaᵀ. The rows of S are the vectors of the smaller side, and S −
// abᵀ is the centred data. Terms are 2·reach² at most, and pass the roundings of sumDepth and a few more.
func (s *sparseSamples) gram() (gram *Matrix, off float64, err error) {
	size, _ := s.sides()
	if !addressable(size, size) {
		return nil, 0, errTooLarge(s.samples)
	}
	side, items := s.columns, s.a
	if s.wide() {
		side, items = items, side
	}
	gram = NewMatrix(size, size, nil)
	err = s.eachBlock(chunking{size, side.length(items.length(1)), manyChunks}, size, func(at block) {
		for p := at.lo; p < at.hi; p++ {
			s.gramRow(gram.row(p), at.scratch[:size], p, side, items)
		}
	})
	if err != nil {
		return nil, 0, err
	}
	if s.centred {
		s.centreGram(gram)
	}
	mirror(gram.Data, size)
	total := trace(gram)
	return gram, 2.1*gamma(sumDepth(side.longest)+24)*s.reach*s.reach + s.beside(total), nil
}

// gramRow adds row p of SSᵀ to out, from the diagonal on, by sumByBlocks. part is scratch of the length of
// out.
func (s *sparseSamples) gramRow(out, part []float64, p int, side, items *compressed) {
	index, value := side.row(p)
	sumByBlocks(out, part, index, value, func(sums []float64, index []int, value []float64) {
		for t, item := range index {
			v := value[t]
			if !s.wide() {
				v *= s.weight(item)
			}
			others, numbers := items.row(item)
			for l := len(others) - 1; l >= 0 && others[l] >= p; l-- {
				sums[others[l]] += v * numbers[l]
			}
		}
	})
	if s.wide() && s.weights != nil {
		for q := p; q < len(out); q++ {
			out[q] *= s.root[p] * s.root[q]
		}
	}
}

// centreGram subtracts the mean from SSᵀ, on and right of its diagonal.
func (s *sparseSamples) centreGram(gram *Matrix) {
	size := gram.Rows
	a, c, length := s.mean, make([]float64, size), s.fine.mass
	if s.wide() {
		a, length = s.root, fineDot(s.mean, s.mean)
		for i := range a {
			c[i], _ = s.a.dot(i, s.mean)
			c[i] *= a[i]
		}
	} else {
		for j := range c {
			c[j] = s.fine.mass * (s.mean[j] + s.fine.rest[j])
		}
	}
	for p := range size {
		row := gram.row(p)
		axpy(row[p:], -c[p], a[p:])
		axpy(row[p:], -a[p], c[p:])
		axpy(row[p:], length*a[p], a[p:])
		row[p] = max(row[p], 0)
	}
}

// measure sets the sums of left over all rows: Σ‖y‖² to ‖Xc‖² − Σ‖w‖², and Σwyᵀ to WᵀXc − (WᵀW)U, for the
// coordinates w in the rows of W.
func (s *sparseSamples) measure(left *outside) error {
	w, err := multiply(s, left.vectors)
	if err != nil {
		return err
	}
	if left.coupling, err = s.multiplyT(w); err != nil {
		return err
	}
	left.total, left.squares = s.total, s.total
	for j := range w.Rows {
		for l := range left.p {
			v := fineDot(w.row(j), w.row(l))
			axpy(left.coupling.row(j), -v, left.vectors.row(l))
			if j < left.p {
				left.gram.row(j)[l] = v
			}
		}
		if j < left.p {
			left.squares -= left.gram.row(j)[j]
		}
	}
	left.squares = max(left.squares, 0)
	left.depth = sumDepth(s.columns.longest) + sumDepth(s.a.longest) + 8
	left.sparse = &sparseRounding{reach: s.reach, off: s.off, entry: sumDepth(s.a.longest) + 8}
	return nil
}

func (s *sparseSamples) multiplyBy(f *Matrix) error {
	k := f.Rows
	s.times, s.square = NewMatrix(s.n, k, nil), NewMatrix(k, k, nil)
	addMulNT(s.square.Data, k, f.Data, k, f.Data, k, f.Cols, true)
	mirror(s.square.Data, k)
	return s.changeBasis(s.times, f)
}

func (s *sparseSamples) terms(b []float64, p *simplexProblem, lo int) {
	f := math.Ldexp(1, -p.exp)
	for ; len(b) >= p.k; b, lo = b[p.k:], lo+1 {
		row := s.times.row(lo)
		mean := 0.0
		if !p.atMost {
			mean = sumOf(row) / float64(p.k)
		}
		b[p.k-1] = 0 // the origin's, if it is a vertex
		for j, v := range row {
			b[j] = (v-mean)*f*f - p.offset[j]
		}
	}
}

// residual returns ‖x_i − gF‖² for the g with −g in coef at index. Rounding of ‖x_i‖² may hide part of it.
func (s *sparseSamples) residual(i int, coef []float64, index []int) float64 {
	squares, times := s.squares[i], s.times.row(i)
	for u, a := range index {
		part, row := 2*times[a], s.square.row(a)
		for v, c := range index {
			part += coef[v] * row[c]
		}
		squares += coef[u] * part
	}
	return max(0, squares)
}

// objective returns an upper bound of ‖X − GF‖² for G put on the simplex. Let F − 1cᵀ = LQ + E with
// orthonormal rows of Q and c the mean, y = Q(x − c) and h = Lᵀg. The square of a row's residual is
//
//	‖x − c − Qᵀh‖² = ‖x − c‖² − ‖y‖² + ‖y − h‖² + hᵀ(QQᵀ − I)h
//
// except for the term Eᵀg, which `hidden` bounds. Centers far from the data, whose squares would cancel,
// occur only in y − h.
//
// Proof of the rounding. Let m be sumDepth of the row's entries, and ρ = ‖x‖ + ‖c‖.
//
//  1. y is off by e = 1.2√p·γ(m + 8)·ρ.
//  2. The squares are off by γ(m + p + 24)·2ρ² and by 2e·ρ.
//  3. h is off by γ(2k + 24) of the lengths of centers.
//  4. E is measured, to γ(k + 4)(2 + √p) of a center's length. hidden covers steps 3 and 4 by one term, γ(4k
//     + 24)(2 + √p).
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

// quotients holds F − 1cᵀ = LQ + E for objective: centers less the mean, in the coordinates of orthonormal
// rows Q.
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

// residual returns an upper bound of the distance between row i and its mixture with the memberships g.
func (q *quotients) residual(s *sparseSamples, i int, y, g []float64) float64 {
	product, squares := s.a.dot(i, s.mean)
	depth, p := sumDepth(s.a.start[i+1]-s.a.start[i]), float64(q.basis.Rows)
	rho := (math.Sqrt(squares) + q.mean) * (1 + 0x1p-40)
	off := 1.2 * math.Sqrt(p) * gamma(depth+8) * rho
	clear(q.h) // becomes −h
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

// score is Samples.score. Without axes it expands blocks of rows; with axes it multiplies the stored entries
// by the axes.
func (x *SparseMatrix) score(by parallelism, means, axes *Matrix, fn scored) error {
	if axes == nil {
		return eachFilled(by, x, func(lo, _ int, rows *Matrix) error {
			return rows.score(by, means, nil, func(i, nearest int, scores []float64, exp int) {
				fn(lo+i, nearest, scores, exp)
			})
		})
	}
	from := means.row(0)
	means, err := alongAxes(by, means, from, axes)
	if err != nil {
		return err
	}
	y := NewMatrix(x.Rows, axes.Rows, nil)
	about := &samples{parallelism: by, n: x.Rows, d: x.Cols, mean: from, centred: true}
	if err := (&sparseSamples{samples: about, a: x.rows(1)}).changeBasis(y, axes); err != nil {
		return err
	}
	return scoreRows(by, y, means, fn)
}

func (x *SparseMatrix) mix(by parallelism, p *simplexProblem, dst *Matrix) error {
	top, _ := rowMaxAbs(x.Data)
	if p.flat || !p.near || math.Ldexp(top, -p.exp) >= 1<<mostDistance {
		return eachFilled(by, x, func(lo, hi int, rows *Matrix) error {
			return p.solve(by, rowsOf(dst, lo, hi), rows)
		})
	}
	a, columns, f := x.rows(1), p.vertices.transposed(), math.Ldexp(1, -p.exp)
	over := chunking{x.Rows, a.length(p.k), manyChunks}
	return p.solveBlocks(by, over, p.k, dst, func(at block) []float64 {
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

// eachFilled calls fn with successive rows and all their zeros, 8 MB at a time.
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
