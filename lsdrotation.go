package softkmeans

// The rotation of left-stochastic decomposition (Arora, Gupta, Kapila & Fazel 2013). It turns points of a
// hyperplane about its centre until they are closest to the probability simplex, by Levenberg–Marquardt
// steps. If such a step does not lower the distance, the step of Arora et al. follows: projection onto the
// simplex, and an orthogonal Procrustes problem. That step never raises the distance. On exact data 3 to 66
// Levenberg–Marquardt steps reached squared distances of 2e-28, and 3000 of the source's steps 1e-7 to 1e-20.

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// rotationStarts: the default number of starts; on exact data each of a hundred starts reached the same
	// minimum.
	rotationStarts = 5
	rotationSteps  = 100  // at most, of each start
	finalSteps     = 1000 // at most, of the best start on all points: k = 12 took some 400
	rotationSubset = 600  // at most so many points for the starts
)

// rotation turns points q_i of ℝ^(k−1) by an orthogonal R, to the points 1/k + B·R·q_i of ℝ^k, for the
// Helmert basis B of the complement of (1, …, 1). The struct also holds the scratch space of all steps.
type rotation struct {
	ctx    context.Context
	k      int
	b, bt  *Matrix // k×(k−1), and Bᵀ
	points *Matrix // n×(k−1)
	at     *Matrix // n×(k−1): R·q_i of the last call of place
	off    *Matrix // n×k: each point less its projection onto the simplex
	// Memory of slope and bend.
	atT, hT *Matrix // (k−1)×n
	h, u    *Matrix // n×(k−1), n×k
	sum     *Matrix // (k−1)×(k−1)
}

// newRotation returns a rotation of points whose rows are contiguous.
func newRotation(ctx context.Context, k int, points *Matrix) *rotation {
	n, p := points.Rows, k-1
	b := RegularSimplex(k)
	return &rotation{ctx: ctx, k: k, b: b, bt: b.transposed(), points: points, at: NewMatrix(n, p, nil),
		off: NewMatrix(n, k, nil), atT: NewMatrix(p, n, nil), hT: NewMatrix(p, n, nil),
		h: NewMatrix(n, p, nil), u: NewMatrix(n, k, nil), sum: NewMatrix(p, p, nil)}
}

// place turns the points by the rotation `turn`, sets row i of g (n×k) to the point of the simplex nearest to
// point i, and returns the sum of squared distances.
func (r *rotation) place(g, turn *Matrix) (sum float64) {
	timesT(r.at, r.points, turn)
	timesT(r.off, r.at, r.b)
	for i := range r.points.Rows {
		v, row := r.off.row(i), g.row(i)
		for j := range v {
			v[j] += 1 / float64(r.k)
		}
		ProjectSimplex(row, v)
		axpy(v, -1, row)
		sum += sumSquares(v)
	}
	return sum
}

// procrustes returns the orthogonal R with the least Σ‖Bᵀg_i − R·q_i‖² (Schönemann 1966).
func (r *rotation) procrustes(g *Matrix) *Matrix {
	timesT(r.h, g, r.bt)
	transposeTo(r.hT, r.h)
	timesT(r.sum, r.hT, r.points.transposed())
	return r.orthogonal(r.sum)
}

// orthogonal returns UVᵀ of m = USVᵀ.
func (r *rotation) orthogonal(m *Matrix) *Matrix {
	svd := jacobiSVD(r.ctx, m)
	out := NewMatrix(m.Rows, m.Rows, nil)
	timesT(out, svd.U, svd.V)
	return out
}

// skew adds Σ(h_i·y_iᵀ − y_i·h_iᵀ)/2 to m, for the rows of r.h and r.at.
func (r *rotation) skew(m *Matrix) {
	transposeTo(r.hT, r.h)
	timesT(r.sum, r.hT, r.atT)
	p := r.k - 1
	for c := range p {
		row := m.row(c)
		for e := range row {
			row[e] += (r.sum.Data[c*p+e] - r.sum.Data[e*p+c]) / 2
		}
	}
}

// slope sets m to the gradient of half the last sum of place, for rotations (I + Ω)R, and returns m.
func (r *rotation) slope(m *Matrix) *Matrix {
	transposeTo(r.atT, r.at)
	timesT(r.h, r.off, r.bt)
	clear(m.Data)
	r.skew(m)
	return m
}

// bend adds the Gauss–Newton matrix times omega (Ω) to m. It assumes that slope ran, and that g is the result
// of place. A point moves by u = BΩy. Its distance changes by the part of u normal to the face of its
// projection: u off the support, and the mean of u on the support.
func (r *rotation) bend(m, omega, g *Matrix) {
	timesT(r.h, r.at, omega)
	timesT(r.u, r.h, r.b)
	for i := range g.Rows {
		row, u := g.row(i), r.u.row(i)
		support, mean := 0, 0.0
		for j, v := range row {
			if v > 0 {
				support++
				mean += u[j]
			}
		}
		if support == r.k {
			clear(u)
			continue
		}
		mean /= float64(support)
		for j, v := range row {
			if v > 0 {
				u[j] = mean
			}
		}
	}
	timesT(r.h, r.u, r.bt)
	r.skew(m)
}

// step returns the Ω with (GaussNewton + μI)Ω = −slope, by conjugate gradients. g is the result of the last
// place.
func (r *rotation) step(g *Matrix, mu float64) *Matrix {
	p := r.k - 1
	x, m, res := NewMatrix(p, p, nil), NewMatrix(p, p, nil), r.slope(NewMatrix(p, p, nil))
	scale(res.Data, -1)
	dir := res.Clone()
	rho := sumSquares(res.Data)
	stop := 1e-6 * rho
	for range p*(p-1)/2 + 5 {
		if !(rho > stop) || stopped(r.ctx) {
			break
		}
		clear(m.Data)
		axpy(m.Data, mu, dir.Data)
		r.bend(m, dir, g)
		bent := dot(dir.Data, m.Data)
		if !(bent > 0) { // μ is below rounding
			break
		}
		alpha := rho / bent
		axpy(x.Data, alpha, dir.Data)
		axpy(res.Data, -alpha, m.Data)
		next := sumSquares(res.Data)
		scale(dir.Data, next/rho)
		axpy(dir.Data, 1, res.Data)
		rho = next
	}
	return x
}

// improve lowers the sum of squared distances from the rotation `turn` on, by at most the given number of
// steps, until the sum stops falling. It returns the best rotation and its sum.
func (r *rotation) improve(turn *Matrix, steps int) (*Matrix, float64) {
	n, p := r.points.Rows, r.k-1
	g, trial := NewMatrix(n, r.k, nil), NewMatrix(n, r.k, nil)
	sum := r.place(g, turn)
	size := sumSquares(r.points.Data)
	mu := 1e-3 * size / float64(n)
	for range steps {
		if sum <= 0x1p-100*size || stopped(r.ctx) {
			return turn, sum
		}
		omega := r.step(g, mu)
		for i := range p {
			omega.row(i)[i]++ // I + Ω
		}
		next := r.orthogonal(combine(r.ctx, omega, turn))
		now := r.place(trial, next)
		if now < sum {
			mu *= 0.1
		} else { // the source's step, which cannot raise the sum
			mu = max(10*mu, 1e-8*size/float64(n))
			next = r.procrustes(g)
			now = r.place(trial, next)
		}
		if !(now < sum) {
			r.place(g, turn)
			return turn, sum
		}
		done := sum-now <= 1e-9*sum
		turn, sum = next, now
		g, trial = trial, g
		if done {
			return turn, sum
		}
	}
	return turn, sum
}

// search returns the rotation with the least sum that it finds from several starts. The starts use at most
// rotationSubset points: the farthest ones in random directions. The best start continues with all points.
func (r *rotation) search(starts int, seed uint64) *Matrix {
	outer := r
	if r.points.Rows > rotationSubset {
		outer = newRotation(r.ctx, r.k, chosenRows(r.points, r.ends(seed)))
	}
	var best *Matrix
	least := math.Inf(1)
	for start := range max(starts, 1) {
		turn := RandomOrientation(r.k, seed+uint64(start))
		turn, sum := outer.improve(turn, rotationSteps)
		// Orientations that permute the columns end at the same sum. Rounding should not choose among them.
		if sum < (1-1e-6)*least || best == nil {
			best, least = turn, sum
		}
		// Another start cannot do better than 0.
		if least <= 0x1p-90*sumSquares(outer.points.Data) || stopped(r.ctx) {
			break
		}
	}
	best, _ = r.improve(best, finalSteps)
	return best
}

// ends returns the points that are farthest in random directions, without repetition, in ascending order.
func (r *rotation) ends(seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 0xe4d5))
	direction, values := make([]float64, r.k-1), make([]float64, r.points.Rows)
	found := map[int]bool{}
	for range rotationSubset / 2 {
		for c := range direction {
			direction[c] = rng.NormFloat64()
		}
		for i := range values {
			values[i] = dot(direction, r.points.row(i))
		}
		found[argmax(values)] = true
		scale(values, -1)
		found[argmax(values)] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// Starts of LSD's descent: Arora et al. (2013), Algorithm 1, steps 2 to 5.

// wideDrop is the least quotient of two consecutive eigenvalues for which the descent also starts from the
// eigenvalues before this drop alone.
const wideDrop = 100

// standOut returns how many positive values precede the widest drop, if that drop is wideDrop or more,
// otherwise all. The values after the drop are noise. With them the scale, a sum of terms in 1/λ, would
// depend on the noise alone.
func standOut(values []float64) int {
	at, widest := len(values), float64(wideDrop)
	for i := 1; i < len(values); i++ {
		if drop := values[i-1] / values[i]; drop >= widest {
			at, widest = i, drop
		}
	}
	return at
}

// inHyperplane returns the source's start. The leading positive eigenpairs give K ≈ ZᵀZ. The samples, the
// columns of Z, should lie in the hyperplane mᵀz = 1 with m = (ZZᵀ)⁻¹Z1. inHyperplane multiplies the samples
// by √c, c = ‖m‖²/k = 1ᵀK⁺1/k, projects them onto the hyperplane, and rotates the hyperplane into the
// hyperplane of the simplex. For k > 2 it also rotates the points about the centre of the simplex. Their
// projections onto the simplex are P. It returns nil if the samples lie in a hyperplane through the origin.
// If there are fewer positive eigenvalues than clusters, a case that the source leaves out, c is for `used`
// clusters, and the other columns of the result are 0.
func inHyperplane(o *operator, z *Matrix, used, k int, opts *LSDOptions) *Matrix {
	points := hyperplane(z, used)
	if points == nil {
		return nil
	}
	return padded(inSimplex(o, points, used, opts), k)
}

// hyperplane returns the samples' coordinates in the hyperplane of the simplex, about 1/k: n×(k−1), not
// rotated.
func hyperplane(z *Matrix, k int) *Matrix {
	// With fewer than k positive eigenvalues the last rows of Z are 0.
	m := make([]float64, k)
	for i := range z.Rows {
		m[i] = sumOf(z.row(i)) / sumSquares(z.row(i)) // ZZᵀ = Λ
	}
	length := norm2(m)
	if !(length > 0) {
		return nil
	}
	c := length * length / float64(k)
	scale(m, 1/length)
	// Let w = m/‖m‖ ± 1/√k. The Householder reflection I − 2wwᵀ/wᵀw takes m/‖m‖ to ∓1/√k. H is the reflection
	// or its negative, with the sign that does not cancel. The coordinates Bᵀ√c·Hz leave out the coordinate
	// along 1, and so project onto the hyperplane.
	side := 1.0
	if sumOf(m) < 0 {
		side = -1
	}
	w := slices.Clone(m)
	for i := range w {
		w[i] += side / math.Sqrt(float64(k))
	}
	ww := sumSquares(w)
	bg, h := context.Background(), identity(k)
	for i := range k {
		axpy(h.row(i), -2*w[i]/ww, w)
	}
	scale(h.Data, -side*math.Sqrt(c))
	return combine(bg, z.transposed(), combine(bg, h, RegularSimplex(k)))
}

// aroundMean returns a start for samples that are near no hyperplane off the origin, for example if the rows
// of K add up to 0. It scales the coordinates about the mean, so that the tight simplex around them is the
// probability simplex. It returns nil if the samples coincide.
func aroundMean(o *operator, z *Matrix, k int, opts *LSDOptions) *Matrix {
	r, centred := z.Rows, z.Clone()
	for i := range r {
		row := centred.row(i)
		for mean, j := sumOf(row)/float64(o.n), 0; j < o.n; j++ {
			row[j] -= mean
		}
	}
	gram := NewMatrix(r, r, nil)
	timesT(gram, centred, centred)
	values, rows := eigenSym(o.ctx, gram)
	p := 0
	for p < min(r, k-1) && values[p] > float64(o.n)*0x1p-52*values[0] {
		p++
	}
	if p == 0 {
		return nil
	}
	w := NewMatrix(o.n, p, nil)
	timesT(w, centred.transposed(), rowsOf(rows, 0, p))
	e := enclosed(w, k, EnclosureTight)
	out := NewMatrix(o.n, k-1, nil)
	for i := range o.n {
		for c, v := range w.row(i) { // 1/s = 1/(ρ√(k(k−1)))
			out.row(i)[c] = (v - e.centre[c]) / (e.radius * math.Sqrt(float64(k)*float64(k-1)))
		}
	}
	return inSimplex(o, out, k, opts)
}

// inSimplex turns the points and projects them onto the simplex: n×k.
func inSimplex(o *operator, points *Matrix, k int, opts *LSDOptions) *Matrix {
	g := NewMatrix(o.n, k, nil)
	r := newRotation(o.ctx, k, points)
	turn := identity(k - 1)
	if k > 2 {
		turn = r.search(opts.Starts, opts.Seed)
	}
	r.place(g, turn)
	return g
}

// enclosed returns the simplex with k vertices around the rows of w.
func enclosed(w *Matrix, k int, kind Enclosure) *enclosure {
	normals, ext := normalsOf(k, w.Cols, nil), &extent{facets: make([]float64, k)}
	for i := range w.Rows {
		ext.add(w.row(i), normals, kind)
	}
	return enclose(kind, normals, ext)
}
