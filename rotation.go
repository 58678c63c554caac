package softkmeans

// The rotation of left-stochastic decomposition (Arora, Gupta, Kapila & Fazel
// 2013): turns points of a hyperplane about its centre until they are closest to
// the probability simplex. Levenberg–Marquardt steps are tried first, which near
// the end converge in a few; where one fails, simplex projection and an orthogonal
// Procrustes step, which never raise the distance but gain little near the end: on
// exact data 3000 of them left squared distances of 1e-7 to 1e-20 where 3 to 66 of
// the others reached 2e-28.

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	rotationStarts = 5    // random orientations, by default; on exact data, k = 3…8, each of a hundred came to the same minimum
	rotationSteps  = 100  // of each, at most
	finalSteps     = 1000 // of the best of them, on all points: for k = 12 some 400 were needed
	rotationSubset = 600  // points that the starts are tried on, at most
)

// rotation is the problem: points q_i of ℝ^(k−1), which are 1/k + B·R·q_i in ℝ^k
// for an orthogonal R and the Helmert basis B of 1⊥.
type rotation struct {
	ctx    context.Context
	k      int
	b      *Matrix // k×(k−1)
	points *Matrix // n×(k−1)
	at     *Matrix // n×(k−1): R·q_i of the last call of place
	off    *Matrix // n×k: distance of each from the simplex, as a vector
}

func newRotation(ctx context.Context, k int, points *Matrix) *rotation {
	return &rotation{ctx: ctx, k: k, b: RegularSimplex(k), points: points,
		at: NewMatrix(points.Rows, k-1, nil), off: NewMatrix(points.Rows, k, nil)}
}

// place gives each point the nearest one of the simplex, g (n×k), and returns
// the sum of the squared distances.
func (r *rotation) place(g, turn *Matrix) (sum float64) {
	for i := range r.points.Rows {
		t, v, row := r.at.row(i), r.off.row(i), g.row(i)
		for c := range t {
			t[c] = dot(turn.row(c), r.points.row(i))
		}
		for j := range v {
			v[j] = 1/float64(r.k) + dot(r.b.row(j), t)
		}
		ProjectSimplex(row, v)
		axpy(v, -1, row)
		sum += sumSquares(v)
	}
	return sum
}

// procrustes returns the orthogonal R with the least Σ‖t_i − R·q_i‖² for
// t_i = Bᵀg_i: R = UVᵀ for Σt_i·q_iᵀ = USVᵀ (Schönemann 1966).
func (r *rotation) procrustes(g *Matrix) *Matrix {
	m, t := NewMatrix(r.k-1, r.k-1, nil), make([]float64, r.k-1)
	for i := range r.points.Rows {
		clear(t)
		for j, v := range g.row(i) {
			axpy(t, v, r.b.row(j))
		}
		for c, v := range t {
			axpy(m.row(c), v, r.points.row(i))
		}
	}
	return r.orthogonal(m)
}

// orthogonal is UVᵀ of m = USVᵀ.
func (r *rotation) orthogonal(m *Matrix) *Matrix {
	top, _ := rowMaxAbs(m.Data)
	svd := jacobiSVD(r.ctx, m, top)
	out := NewMatrix(m.Rows, m.Rows, nil)
	for i := range m.Rows {
		for j := range m.Rows {
			out.row(i)[j] = dot(svd.U.row(i), svd.V.row(j))
		}
	}
	return out
}

// skew adds h·yᵀ − y·hᵀ to m, halved.
func skew(m *Matrix, h, y []float64) {
	for c := range h {
		axpy(m.row(c), h[c]/2, y)
		axpy(m.row(c), -y[c]/2, h)
	}
}

// slope is the gradient of half the sum of squares at the last place, for
// rotations (I + Ω)R with a skew-symmetric Ω.
func (r *rotation) slope() *Matrix {
	m, h := NewMatrix(r.k-1, r.k-1, nil), make([]float64, r.k-1)
	for i := range r.points.Rows {
		r.lower(h, r.off.row(i))
		skew(m, h, r.at.row(i))
	}
	return m
}

// lower is h = Bᵀv.
func (r *rotation) lower(h, v []float64) {
	clear(h)
	for j, x := range v {
		axpy(h, x, r.b.row(j))
	}
}

// bend adds the Gauss–Newton matrix times Ω to m: the distance of a point whose
// projection has support S changes by the part of its movement u = BΩy that is
// normal to that face, u off S and its mean on S.
func (r *rotation) bend(m, omega, g *Matrix) {
	u, h := make([]float64, r.k), make([]float64, r.k-1)
	for i := range r.points.Rows {
		row := g.row(i)
		y := r.at.row(i)
		support, mean := 0, 0.0
		for _, v := range row {
			if v > 0 {
				support++
			}
		}
		if support == r.k {
			continue
		}
		for c := range h {
			h[c] = dot(omega.row(c), y)
		}
		for j := range u {
			u[j] = dot(r.b.row(j), h)
			if row[j] > 0 {
				mean += u[j]
			}
		}
		for j := range u {
			if row[j] > 0 {
				u[j] = mean / float64(support)
			}
		}
		r.lower(h, u)
		skew(m, h, y)
	}
}

// step solves (GaussNewton + μI)Ω = −slope by conjugate gradients.
func (r *rotation) step(g *Matrix, mu float64) *Matrix {
	p := r.k - 1
	x := NewMatrix(p, p, nil)
	res := r.slope()
	scale(res.Data, -1)
	dir := res.Clone()
	rho := sumSquares(res.Data)
	stop := 1e-6 * rho
	for range p*(p-1)/2 + 5 {
		if !(rho > stop) || r.ctx.Err() != nil {
			break
		}
		m := NewMatrix(p, p, nil)
		axpy(m.Data, mu, dir.Data)
		r.bend(m, dir, g)
		bent := dot(dir.Data, m.Data)
		if !(bent > 0) { // μ has vanished beside rounding
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

// improve lowers the sum of squared distances from R on, until it falls no
// more. It never rises.
func (r *rotation) improve(turn *Matrix, steps int) (*Matrix, float64) {
	n, p := r.points.Rows, r.k-1
	g, trial := NewMatrix(n, r.k, nil), NewMatrix(n, r.k, nil)
	sum := r.place(g, turn)
	size := sumSquares(r.points.Data)
	mu := 1e-3 * size / float64(n)
	for range steps {
		if sum <= 0x1p-100*size || r.ctx.Err() != nil {
			return turn, sum
		}
		omega := r.step(g, mu)
		next := turn.Clone()
		for i := range p {
			for c, v := range omega.row(i) {
				axpy(next.row(i), v, turn.row(c))
			}
		}
		next = r.orthogonal(next)
		now := r.place(trial, next)
		if now < sum {
			mu *= 0.1
		} else { // the plain step, which cannot raise it
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

// search looks for the rotation with the least sum over all points, from several
// starts: on points at the ends of random directions first, which stand for the
// hull of the others, then from the best on all.
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
		if sum < least || best == nil {
			best, least = turn, sum
		}
		// Another start cannot do better than 0.
		if least <= 0x1p-90*sumSquares(outer.points.Data) || r.ctx.Err() != nil {
			break
		}
	}
	best, _ = r.improve(best, finalSteps)
	return best
}

// ends returns the points that are farthest in random directions, without
// repetition, in ascending order.
func (r *rotation) ends(seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 0xe4d5))
	direction := make([]float64, r.k-1)
	found := map[int]bool{}
	for range rotationSubset / 2 {
		for c := range direction {
			direction[c] = rng.NormFloat64()
		}
		low, high := 0, 0
		var least, most float64
		for i := range r.points.Rows {
			v := dot(direction, r.points.row(i))
			if v < least {
				low, least = i, v
			}
			if v > most {
				high, most = i, v
			}
		}
		found[low], found[high] = true, true
	}
	return slices.Sorted(maps.Keys(found))
}
