package softkmeans

// How small the simplex of centers can be: proved lower bounds of its volume for every pair (F, G) with at
// most a given error. The best of four counts: by moments, by moments with chosen weights (design), by the
// largest ellipsoid inside the hull of the rows, and by the smallest triangle around them.
//
// Let W be the sum of the weights w_i, p = k−1, Y have the rows √w_i·(x_i − x̄), and Ŷ the rows
// √w_i·(g_iF − m), with m the weighted mean of the rows of GF. Then ‖Y − Ŷ‖² is at most the
// error ‖X − GF‖² = E, since Y is centred.
//
// Moments. With B of RegularSimplex and ḡ the weighted mean of the rows of G, the rows of G − 1ḡ add
// up to 0. So Ŷ = M·(BᵀF) with M = diag(√w)·(G − 1ḡ)B, and the product of the p largest
// σ_i²(Ŷ) is det(MᵀM)·Πσ_i²(BᵀF). The trace of MᵀM is Σw_i‖g_i‖² − W‖ḡ‖², at
// most W(1 − 1/k), as ‖g_i‖ ≤ 1 and ‖ḡ‖² ≥ 1/k. By the inequality of the means its
// determinant is at most (W/k)^p, and
//
//	Πσ_i²(BᵀF) ≥ (k/W)^p·Πσ_i²(Ŷ).
//
// Ŷ has rank p at most. So Mirsky's theorem says Σ_{i≤p}(σ_i(Y) − σ_i(Ŷ))² ≤ E − floor, and
// leastLogProduct bounds the product. For other weights v the error is at most E·max v_i/w_i.
//
// Projection, for all but the first. Let Ũ be p orthonormal, nearly principal directions. The simplex of FŨ
// has no larger volume than that of F, and its mixtures are at most E from the projected rows. That is far
// less where E is near the floor. With δ = E − floor, gap = σ_p² − σ_{p+1}² and P the projection on
// the row space of Ŷ,
//
//	‖Y(I−P)‖² + ‖YP − Ŷ‖² ≤ E  and  ‖Y(I−P)‖² ≥ floor + Σ_{i≤p}(σ_i² − σ_{p+1}²)t_i
//
// for t_i = ‖(I−P)v_i‖² and the principal directions v_i, the rows of Vᵀ. The last follows from
// the trace of YᵀY(VVᵀ − P). Let t_i = a_i + b_i, the parts of (I−P)v_i in the span of V and
// outside. As I−P is symmetric, ‖Y(I−P)V‖² is at most Σ(σ_i²a_i + σ_{p+1}²b_i) ≤
// Σσ_i²t_i, and σ_i²/(σ_i² − σ_{p+1}²) is at most σ_p²/gap. Ũ differs from directions within
// V by at most √(δ_U/gap), where δ_U = ‖Y − YŨŨᵀ‖² − floor. So (Y−Ŷ)Ũ = Y(I−P)Ũ +
// (YP−Ŷ)Ũ has a norm of at most
//
//	√δ·√(1 + σ_p²/gap) + σ_1·√(δ_U/gap)
//
// by Cauchy's inequality.
//
// At the least error itself the mixtures are the rows' principal parts. With R = YᵀYŨ − ŨM and M =
// ŨᵀYᵀYŨ, their projection P has ‖(I−P)Ũ‖ ≤ ‖R‖/(λ_p(M) − σ_{p+1}²) (Davis & Kahan
// 1970). So after the projection no mixture of a row of weight v is farther from it than that times
// √(‖Y‖²/v).
//
// Ellipsoid. Let near bound ‖(Y−Ŷ)Ũ‖. Mixtures of a mean Σa_i·w_i of rows, a ≥ 0 and Σa_i = 1,
// are at most Σa_i‖δ_i‖ ≤ near·√(Σa_i²/v_i) from it, and the simplex holds them. So it holds
// each ellipsoid inside the hull of such means wherever they go within that distance (hull.go). The regular
// simplex is the smallest around a ball, so a simplex around {Lu + d: ‖u‖ ≤ 1} has a volume of at
// least |det L|·p^{p/2}·(p+1)^{(p+1)/2}/p!. Along a the mean that reaches farthest for certain has a_i
// ∝ v_i·(aᵀw_i − t)₊ with Σv_i·(aᵀw_i − t)₊² = near². It reaches as far as t.
//
// Triangle. If no mixture is farther than ρ from its row, the triangle with every side moved out by ρ holds
// the projected rows. Its width is at least theirs, 2σ_p/√W, because no variance is above a quarter of the
// squared range. A simplex's inradius is at least its width over k. Moved back, its area is at least
// (1 − 3ρ/width)² times that of the smallest triangle around the rows.

import (
	"context"
	"math"
	"slices"
)

// VolumeBound is a lower bound of the volume of the simplex of centers.
type VolumeBound struct {
	LogVolume float64 // of the centers of every pair with at most this Error; −Inf: nothing is proved
	// Error is ‖X − GF‖², weighted if weights were given; at slack 0 the least one, or a little less:
	// a fit that reaches the least may have more, by rounding.
	Error float64
}

// VolumeFloor returns how small the simplex of k centers can be, to judge a minimal-volume fit by. Pass the
// samples and by what share of the least error a fit may be above it. Read LogVolume: no centers with rows of
// memberships that add up to 1 and an error of at most VolumeBound.Error, (1+slack) times the least, have a
// smaller (k−1)-dimensional volume.
//
// At slack 0 the floor is that of pairs that reach the least error exactly. Where k is 2 or 3 and
// σ_{k−1} > σ_k it is the volume of [EnclosureSmallest] but for rounding, some 1e-9 of it. For k up to
// 10 it is that of the smallest simplex around the largest ellipsoid inside the hull of the projected rows,
// or nearly. For larger k it is the volume of a simplex of k rows, or more. The build tag gramonly leaves
// out the ellipsoid. Nothing is proved where slack·floor is at least σ_{k−1}²: k−1 centers reach
// that error.
//
// It reads the options Weights, Solver and Workers. A [*SparseMatrix] is filled in, up to 2^27 entries. Cost:
// that of [Fit] for k+1 centers, and for k from 4 to 10 up to some seconds. Errors: those of [Fit];
// [ErrOption] for a slack that is negative or not finite.
func VolumeFloor(ctx context.Context, x Samples, k int, slack float64, opts *Options) (VolumeBound, error) {
	o, none := orZero(opts), VolumeBound{LogVolume: math.Inf(-1)}
	if err := firstError(checkFit(k, &Options{Solver: o.Solver}), checkAmount("slack", slack)); err != nil {
		return none, err
	}
	m, err := filledIn(x, "VolumeFloor")
	if err != nil {
		return none, err
	}
	s, err := newSamples(ctx, m, o.Weights, o.Workers, true)
	if err != nil {
		return none, err
	}
	if err := checkSizeOfK(k, k, max(s.n, s.d)); err != nil {
		return none, err
	}
	p := min(k-1, s.d)
	pc, err := findPrincipal(s, min(k, s.d), o.Solver)
	if err != nil {
		return none, err
	}
	all := NewMatrix(s.n, pc.basis.Rows, nil)
	if err := changeBasis(s, all, pc.basis); err != nil {
		return none, err
	}
	q := newVolumeProblem(s, leftColumns(all, p), k)
	q.total = pc.total + pc.totalError
	if q.outside, err = squaresOutside(s, q.w, rowsOf(pc.basis, 0, p), q.total); err != nil {
		return none, err
	}
	q.beyond = max(0, pc.floor-pc.floorError)
	q.lower = q.beyond
	if pc.basis.Rows > p { // σ_k² is at least the Ritz value
		sigma := max(0, singularValues(all, q.weights)[p]-q.rounding(p+1))
		q.lower += sigma * sigma
	}
	if slack == 0 {
		if q.each, err = q.turned(s, rowsOf(pc.basis, 0, p)); err != nil {
			return none, err
		}
		return q.bound(q.lower).inUnits(k, s.units), cancelled(ctx)
	}
	return q.bound((1+slack)*q.outside).inUnits(k, s.units), cancelled(ctx)
}

// turned bounds how far a row's principal part is from its projection on the basis, within the basis.
// YᵀYŨ is summed over n rows. That Ũ is not quite orthonormal, and the rounding of w, count as rounding
// of rows.
func (q *volumeProblem) turned(s *samples, basis *Matrix) (float64, error) {
	p, rows := basis.Rows, q.w.Clone()
	if p == 0 {
		return 0, nil
	}
	for i, v := range q.weights {
		scale(rows.row(i), math.Sqrt(v))
	}
	r, err := s.multiplyT(rows.transposed())
	if err != nil {
		return 0, err
	}
	for c := range p {
		projectOutRows(r.row(c), basis, p)
		projectOutRows(r.row(c), basis, p)
	}
	off := norm2(r.Data) + math.Sqrt(float64(p))*q.total*(gamma(s.n+64)+float64(q.d+p+16)*0x1p-50)
	gap := max(0, q.sigma[p-1]*q.sigma[p-1]-(q.outside-q.beyond))
	return (off/gap + float64(p*(q.d+8))*0x1p-52) * math.Sqrt(q.total/q.lightest()) * (1 + 0x1p-40), nil
}

// lightest returns the least weight that is above 0.
func (q *volumeProblem) lightest() float64 {
	least := math.Inf(1)
	for _, v := range q.weights {
		if v > 0 {
			least = min(least, v)
		}
	}
	return least
}

// squaresOutside bounds Σw_i‖y_i − Ũ·w_i‖² from above, for rows y_i and their projections w_i.
func squaresOutside(s *samples, w, basis *Matrix, total float64) (float64, error) {
	sum, _, err := s.residuals(w, basis)
	// Each row is rounded by at most γ(2p+8) of its length.
	length := math.Sqrt(sum.value())*(1+gamma(fineDepth(s.n)+dotDepth(s.d)+8)) +
		gamma(2*basis.Rows+8)*math.Sqrt(total)
	return length * length, err
}

// volumeProblem is what the bounds need, in scaled units.
type volumeProblem struct {
	ctx     context.Context
	k       int
	d       int       // columns of the data, for rounding
	w       *Matrix   // n×p: the rows in p ≤ k−1 orthonormal directions
	weights []float64 // n, some may be 0
	sigma   []float64 // at most the singular values of the weighted rows of w
	total   float64   // at least ‖Y‖²
	outside float64   // at least ‖Y − YŨŨᵀ‖²
	each    float64   // how far a mixture is from its row at most; 0: the error alone bounds that
	lower   float64   // at most the floor of k centers
	beyond  float64   // at most the floor of k+1 centers
}

func newVolumeProblem(s *samples, w *Matrix, k int) *volumeProblem {
	q := &volumeProblem{ctx: s.ctx, k: k, d: s.d, w: w, weights: make([]float64, s.n)}
	for i := range q.weights {
		q.weights[i] = s.weight(i)
	}
	q.sigma = singularValues(w, q.weights)
	return q
}

// inUnits takes a bound to the data's units.
func (b VolumeBound) inUnits(k int, u units) VolumeBound {
	b.LogVolume += float64(k-1) * float64(u.exp) * math.Ln2
	b.Error = u.unscaleSquare(b.Error)
	return b
}

// rounding bounds that of all projections on p directions: √p·(d+8)u of a row's length, and that of Ũ.
func (q *volumeProblem) rounding(p int) float64 {
	return math.Sqrt(float64(p)) * float64(q.d+8) * 0x1p-52 * math.Sqrt(q.total)
}

// bound returns the best bound for errors of at most E.
func (q *volumeProblem) bound(e float64) VolumeBound {
	best := VolumeBound{LogVolume: math.Inf(-1), Error: e}
	p := q.w.Cols
	if q.k == 1 {
		return VolumeBound{Error: e}
	}
	if p < q.k-1 { // the vertices are affinely dependent
		return best
	}
	rounding := q.rounding(p)
	last := q.sigma[p-1]
	delta := max(0, e-q.lower) * (1 + 0x1p-40)
	best.LogVolume = q.moments(q.sigma, q.weights, math.Sqrt(delta)+rounding)
	near := math.Sqrt(max(0, e)) // the error of the projected rows
	if gap := last*last - (q.outside - q.beyond); gap > 0 {
		excess := max(0, q.outside-q.lower)
		near = min(near, math.Sqrt(delta*(1+last*last/gap))+math.Sqrt(q.total*excess/gap))
	}
	near += rounding
	if q.each > 0 {
		near = 0
	}
	if near < last {
		best.LogVolume = max(best.LogVolume, q.design(near))
		if q.k == 3 && near == 0 {
			best.LogVolume = max(best.LogVolume, q.byTriangle(last))
		}
		if p <= mostSides && !gramOnly {
			best.LogVolume = max(best.LogVolume, q.byEllipsoid(near))
		}
	}
	return best
}

// moments returns the bound for rows weighted by v. The mixtures' singular values differ by at most r.
func (q *volumeProblem) moments(sigma, v []float64, r float64) float64 {
	k := float64(q.k)
	log := 0.5*math.Log(k) + (k-1)/2*math.Log(k/sumOf(v)) + leastLogProduct(sigma, r)
	for i := range q.k - 1 {
		log -= math.Log(float64(i + 1))
	}
	// The sum of the weights, the logarithms, and ŨᵀŨ, which is I but for rounding.
	return log - k*float64(q.w.Rows+q.d+64)*0x1p-50
}

// byTriangle returns the bound by the smallest triangle around the rows, at the least error.
func (q *volumeProblem) byTriangle(last float64) float64 {
	size, sum := 0.0, 0.0
	var points []point
	for i, v := range q.weights {
		if v > 0 {
			sum += v
			points = append(points, point(q.w.row(i)))
			size = max(size, norm2(q.w.row(i)))
		}
	}
	corners := convexHull(points)
	if len(corners) < 3 {
		return math.Inf(-1)
	}
	_, area := smallestTriangle(q.ctx, corners)
	// The steps move points and widths by some u of the size.
	width := 2 * last / math.Sqrt(sum) * (1 - gamma(len(points)))
	return math.Log(area) + 2*math.Log(max(0, 1-3*(q.each+0x1p-44*size)/width)) - 0x1p-44
}

const (
	mostSides = 9    // dimensions in which the ellipsoid is looked for
	roughly   = 3e-4 // by what share it may grow, at most, where there is an error
)

// byEllipsoid returns the bound by the largest ellipsoid inside the hull of the rows, or −Inf.
func (q *volumeProblem) byEllipsoid(near float64) float64 {
	p, size := q.w.Cols, 0.0
	for i := range q.w.Rows {
		size = max(size, norm2(q.w.row(i)))
	}
	around := q.around(near, size)
	size += 2 * (near + q.each)
	rows := farthestRows(q.ctx, q.w, q.weights, q.k, true)
	if len(rows) < q.k { // ctx has ended
		return math.Inf(-1)
	}
	corners := chosenRows(q.w, rows)
	reach, accuracy := slices.Repeat([]float64{q.each}, q.k), 1e-8
	h := newShell(corners, reach, size)
	if near > 0 && h != nil { // rows alone may move too far
		accuracy = roughly
		corners = corners.Clone()
		for j, f := range h.facets {
			scale(f.normal, -1)
			var z []float64
			z, reach[j] = around(f.normal)
			copy(corners.row(j), z)
		}
		h = newShell(corners, reach, size)
	}
	if h == nil || !h.move(q.ctx, around) {
		return math.Inf(-1)
	}
	log := h.largestEllipsoid(q.ctx, around, accuracy) + float64(p+1)/2*math.Log(float64(p+1))
	for i := range p {
		log += math.Log(float64(p))/2 - math.Log(float64(i+1))
	}
	return log - 0x1p-44
}

// around returns a function that gives the mean z of rows that reaches farthest along a for certain, and how
// far z may be from its mixture. size is the largest length of a row.
func (q *volumeProblem) around(near, size float64) func(a []float64) (z []float64, reach float64) {
	along, all := make([]float64, q.w.Rows), indices(q.w.Rows)
	all = slices.DeleteFunc(all, func(i int) bool { return !(q.weights[i] > 0) })
	index := make([]int, len(all))
	return func(a []float64) ([]float64, float64) {
		top, length := all[0], norm2(a)
		for _, i := range all {
			if along[i] = dot(q.w.row(i), a) / length; along[i] > along[top] {
				top = i
			}
		}
		if near == 0 {
			return q.w.row(top), q.each
		}
		// Newton's method from below, where Σv(u − t)₊² falls and is convex.
		var sum, squares float64
		rows, t := append(index[:0], all...), along[top]-near/math.Sqrt(q.weights[top])
		for range 60 {
			sum, squares = 0, 0
			kept := rows[:0]
			for _, i := range rows {
				if u := along[i] - t; u > 0 {
					kept = append(kept, i)
					sum += q.weights[i] * u
					squares += q.weights[i] * u * u
				}
			}
			step := (squares - near*near) / (2 * sum)
			if rows = kept; !(step > 0x1p-40*near) {
				break
			}
			t += step
		}
		if sum == 0 { // by rounding
			return q.w.row(top), near/math.Sqrt(q.weights[top]) + q.each
		}
		z := make([]float64, q.w.Cols)
		for _, i := range rows {
			axpy(z, q.weights[i]*(along[i]-t)/sum, q.w.row(i))
		}
		return z, near*math.Sqrt(squares)/sum + 2*gamma(len(rows)+16)*(near/math.Sqrt(q.lightest())+size)
	}
}

// design takes up to designSteps, and tries the weights after 1, 2, 4, … of them. After designAll steps the
// designRows of the most weight are left.
const (
	designSteps = 64
	designAll   = 4
	designRows  = 4096
)

// design returns the best bound by moments among some weights v, and whatever v is, the bound holds. It
// begins with the simplex of k rows and goes towards the largest determinant, by the multiplicative algorithm
// (Silvey, Titterington & Torsney 1978): v_i is multiplied by its leverage over k.
func (q *volumeProblem) design(near float64) float64 {
	n, k := q.w.Rows, q.k
	v := slices.Clone(q.weights)
	scale(v, 1/sumOf(v))
	a, inverse, row := make([]float64, k*k), make([]float64, k*k), make([]float64, k)
	row[k-1] = 1
	corners, rows := make([]float64, n), indices(n)
	for _, i := range farthestRows(q.ctx, q.w, q.weights, k, true) {
		corners[i] = 1
	}
	best, next := q.weighted(corners, near), 1
	for step := 1; step <= designSteps && !stopped(q.ctx); step++ {
		clear(a)
		for _, i := range rows {
			copy(row, q.w.row(i))
			for c := range row {
				axpy(a[c*k:(c+1)*k], v[i]*row[c], row)
			}
		}
		if !cholesky(a, k) {
			break
		}
		cholInverse(inverse, a, k)
		for _, i := range rows {
			copy(row, q.w.row(i))
			leverage := 0.0
			for c, u := range row {
				leverage += u * dot(inverse[c*k:(c+1)*k], row)
			}
			v[i] *= max(0, leverage) / float64(k)
		}
		if step == designAll && n > designRows {
			rows = descending(v)
			for _, i := range rows[designRows:] {
				v[i] = 0
			}
			rows = rows[:designRows]
		}
		if step == next {
			next *= 2
			best = max(best, q.weighted(v, near))
		}
	}
	return best
}

// weighted returns the bound by moments for other weights v of the rows.
func (q *volumeProblem) weighted(v []float64, near float64) float64 {
	most := 0.0
	for i, u := range v {
		if u > 0 {
			most = max(most, u/q.weights[i])
		}
	}
	sigma := singularValues(q.w, v)
	return q.moments(sigma, v, (near*math.Sqrt(most)+q.each*math.Sqrt(sumOf(v)))*(1+0x1p-40))
}

// singularValues returns numbers that are at most the singular values of the rows √v_i·(w_i
// − w̄), descending, and little smaller.
//
// The scatter matrix is off by at most γ(m+8) of its trace, and by the square of that for the rounded mean,
// where a term goes through m sums. For eigenvectors in the rows of V, R = SVᵀ − VᵀΘ and N = VVᵀ −
// I, some orthogonal Q is within ‖N‖ of Vᵀ. So QᵀSQ is within ‖R‖ + 3‖N‖·‖S‖ of Θ,
// which bounds the error of every eigenvalue (Weyl).
func singularValues(w *Matrix, v []float64) (sigma []float64) {
	p := w.Cols
	mean, row := make([]float64, p), make([]float64, p)
	var sum, raw float64
	rows, done := 0, 0 // of positive weight
	for i, u := range v {
		if u > 0 {
			axpy(mean, u, w.row(i))
			sum += u
			raw += u * sumSquares(w.row(i))
			rows++
		}
	}
	scale(mean, 1/sum)
	s, part := NewMatrix(p, p, nil), NewMatrix(p, p, nil)
	for i, u := range v {
		if !(u > 0) {
			continue
		}
		copy(row, w.row(i))
		axpy(row, -1, mean)
		for c, e := range row {
			axpy(part.row(c), u*e, row)
		}
		if done++; done%scatterRows == 0 || done == rows {
			axpy(s.Data, 1, part.Data)
			clear(part.Data)
		}
	}
	values, vectors := eigenSym(context.Background(), s.Clone())
	size, rounding := trace(s), float64(min(rows, scatterRows)+rows/scatterRows+p+16)*0x1p-52
	var residual, skew float64
	for i, theta := range values {
		x := vectors.row(i)
		for c := range row {
			row[c] = dot(s.row(c), x) - theta*x[c]
		}
		residual += sumSquares(row)
		for j := range values {
			e := dot(vectors.row(j), x)
			if i == j {
				e--
			}
			skew += e * e
		}
	}
	off := math.Sqrt(residual) + 3*math.Sqrt(skew)*size + 2*rounding*size +
		float64(rows)*float64(rows)*0x1p-104*raw
	sigma = values
	for i, theta := range values {
		sigma[i] = math.Sqrt(max(0, theta-off)) * (1 - 0x1p-50)
	}
	return sigma
}

// scatterRows is how many rows singularValues adds up before it adds their sum to others.
const scatterRows = 512

// leastLogProduct returns a number that is at most Σ log s_i for all s with
// Σ(σ_i − s_i)² ≤ r²; −Inf if one of them can be 0. sigma is descending.
//
// Each s_i is at least σ_i − r, and at most σ_i where the sum is least. For any ν ≥ 0 the sum is at
// least Σ min_s(log s + ν(σ_i − s)²) − νr² (weak duality), with s from σ_i − r to σ_i. The
// function under the minimum rises at σ_i, and its slope is 0 where s(σ_i − s) = 1/(2ν). So it is least
// at σ_i − r or at the larger root. The best ν has Σ(σ_i − s_i)² = r². If that jumps some bound is
// lost, but not for r ≤ σ_p/2, where the problem is convex in (σ_i − s_i)².
func leastLogProduct(sigma []float64, r float64) float64 {
	least := sigma[len(sigma)-1]
	if !(least > r*(1+0x1p-44)) {
		return math.Inf(-1)
	}
	r *= 1 + 0x1p-44 // so that the rounding of σ_i − r, which may be all of it, is on the safe side
	best := math.Inf(-1)
	low := -math.Log2(8 * sigma[0] * sigma[0])
	high := math.Log2(float64(len(sigma))) - math.Log2(least) - math.Log2(max(r, 0x1p-60*least)) + 4
	r2 := r * r
	for range 60 {
		log := (low + high) / 2
		nu := math.Exp2(log)
		value, used := -nu*r2, 0.0
		for _, v := range sigma {
			at := v - r
			if inner := v*v/4 - 0.5/nu; inner > 0 {
				root := v/2 + math.Sqrt(inner)
				if math.Log(root)+nu*(v-root)*(v-root) < math.Log(at)+nu*r2 {
					at = max(at, root)
				}
			}
			value += math.Log(at) + nu*(v-at)*(v-at)
			used += (v - at) * (v - at)
		}
		best = max(best, value)
		if used > r2 {
			low = log
		} else {
			high = log
		}
	}
	return best - float64(len(sigma))*0x1p-40
}
