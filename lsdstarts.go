package softkmeans

// Where the descent of LSD starts: samples in the hyperplane of the simplex, after
// Arora et al. (2013), Algorithm 1, steps 2 to 5.

import (
	"math"
	"slices"
)

// wideDrop is the quotient of an eigenvalue and the next from which on a start is tried
// without those behind.
const wideDrop = 100

// standOut is how many of the positive values are before the widest drop, if that
// is by wideDrop or more; all of them otherwise. Those behind it are noise, which the
// descent fits. As a coordinate of the hyperplane noise would decide on the scale,
// which is a sum of terms in 1/λ.
func standOut(values []float64) int {
	at, widest := len(values), float64(wideDrop)
	for i := 1; i < len(values); i++ {
		if drop := values[i-1] / values[i]; drop >= widest {
			at, widest = i, drop
		}
	}
	return at
}

// uniform is the n×k matrix of 1/k.
func uniform(n, k int) *Matrix {
	g := NewMatrix(n, k, nil)
	for i := range g.Data {
		g.Data[i] = 1 / float64(k)
	}
	return g
}

// starts returns the starts of the descent, in the order in which it tries them. Each
// returns nil where it does not apply.
func starts(o *operator, z *Matrix, values []float64, k int, opts *LSDOptions) []func() *Matrix {
	return []func() *Matrix{
		func() *Matrix { return inHyperplane(o, z, k, k, opts) },
		func() *Matrix {
			if z.Rows == k {
				return nil // all k columns are needed
			}
			return inHyperplane(o, z, z.Rows, k, opts)
		},
		func() *Matrix {
			solid := standOut(values[:z.Rows])
			if solid == z.Rows {
				return nil
			}
			return inHyperplane(o, rowsOf(z, 0, solid), solid, k, opts)
		},
		func() *Matrix { return aroundMean(o, z, k, opts) },
	}
}

// inHyperplane is the method of the source. It projects the samples onto the hyperplane
// mᵀz = 1, with the scale c = ‖m‖²/k = 1ᵀK⁺1/k, and turns that into the hyperplane of
// the simplex. It returns nil if the samples lie in a hyperplane through the origin.
// The source leaves out the case of fewer positive eigenvalues than clusters. c may be
// larger then, that of fewer clusters: `used` of them, and zeros for the others.
func inHyperplane(o *operator, z *Matrix, used, k int, opts *LSDOptions) *Matrix {
	if used < 1 {
		return nil
	}
	points := hyperplane(z, used)
	if points == nil {
		return nil
	}
	g := inSimplex(o, points, used, opts)
	return padded(g, k)
}

// hyperplane returns the coordinates of the samples in the hyperplane of the simplex,
// about its centre 1/k: n×(k−1), before the rotation.
func hyperplane(z *Matrix, k int) *Matrix {
	// Where there are fewer than k positive eigenvalues Z has rows of zeros.
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
	// The Householder reflection I − 2wwᵀ/wᵀw with w = m/‖m‖ ± 1/√k takes m/‖m‖ to
	// ∓1/√k: H is it or its negative. The sign is the one that does not cancel: with the
	// other, an m along 1 would make w rounding alone, and H arbitrary. The coordinates
	// Bᵀ√c·Hz leave out the one along 1, and so project onto the hyperplane. H and B are
	// needed only as their product with Z.
	side := 1.0
	if sumOf(m) < 0 {
		side = -1
	}
	w := slices.Clone(m)
	for i := range w {
		w[i] += side / math.Sqrt(float64(k))
	}
	ww := sumSquares(w)
	b := RegularSimplex(k)
	out := NewMatrix(z.Cols, k-1, nil)
	h := make([]float64, k)
	for col := range z.Rows {
		clear(h)
		h[col] = 1
		axpy(h, -2*w[col]/ww, w)
		turned := make([]float64, k-1)
		for j, v := range h {
			axpy(turned, -side*math.Sqrt(c)*v, b.row(j))
		}
		for i, v := range z.row(col) {
			axpy(out.row(i), v, turned)
		}
	}
	return out
}

// aroundMean is the start for samples that are near no hyperplane off the origin, as
// where the rows of K add up to 0. It takes the coordinates about the mean, as TILSD
// does, and scales them so that the tight simplex around them is the probability
// simplex. It returns nil if the samples coincide.
func aroundMean(o *operator, z *Matrix, k int, opts *LSDOptions) *Matrix {
	r := z.Rows
	centred := z.Clone()
	for i := range r {
		mean := 0.0
		for _, v := range z.row(i) {
			mean += v / float64(o.n)
		}
		for j := range centred.row(i) {
			centred.row(i)[j] -= mean
		}
	}
	gram := NewMatrix(r, r, nil)
	addMulNT(gram.Data, r, centred.Data, r, centred.Data, r, o.n, true)
	mirror(gram.Data, r)
	values, rows := eigenSym(o.ctx, gram, true)
	p := 0
	for p < min(r, k-1) && values[p] > float64(o.n)*0x1p-52*values[0] {
		p++
	}
	if p == 0 {
		return nil
	}
	w := NewMatrix(o.n, p, nil)
	for i := range o.n {
		for c := range p {
			for l := range r {
				w.row(i)[c] += rows.row(c)[l] * centred.row(l)[i]
			}
		}
	}
	e := enclosed(w, k, nil, EnclosureTight)
	out := NewMatrix(o.n, k-1, nil)
	for i := range o.n {
		for c, v := range w.row(i) { // see surround: 1/s = 1/(ρ√(k(k−1)))
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
func enclosed(w *Matrix, k int, orientation *Matrix, kind Enclosure) *enclosure {
	normals := normalsOf(k, w.Cols, orientation)
	ext := &extent{facets: make([]float64, k)}
	for i := range w.Rows {
		ext.add(w.row(i), normals, kind)
	}
	return enclose(kind, normals, ext)
}
