package proof

// The largest ellipsoid inside the half-spaces of facets, by Newton's method on a barrier. shell.go proves
// that it lies in the hull of the points.

import (
	"context"
	"math"
	"slices"

	"softkmeans/internal/la"
)

// ellipsoid is {Lu + d: ‖u‖ ≤ 1}. v contains the columns of the lower triangle of L, one after the other,
// followed by d.
type ellipsoid struct {
	p int
	v []float64
}

// volume returns log det L.
func (e *ellipsoid) volume() (log float64) {
	for c, i := 0, 0; c < e.p; c++ {
		log += math.Log(e.v[i])
		i += e.p - c
	}
	return log
}

// middle returns d.
func (e *ellipsoid) middle() []float64 { return e.v[len(e.v)-e.p:] }

// spread overwrites u with Lᵀa: the ellipsoid reaches up to aᵀd + ‖u‖.
func (e *ellipsoid) spread(u, a []float64) {
	for c, i := 0, 0; c < e.p; c++ {
		u[c] = la.Dot(e.v[i:i+e.p-c], a[c:])
		i += e.p - c
	}
}

// fill returns the largest factor, rounded down, by which L can be multiplied so that the ellipsoid remains
// inside all facets.
func (h *shell) fill(e *ellipsoid) float64 {
	share, u := math.Inf(1), make([]float64, e.p)
	for i := range h.facets {
		f := &h.facets[i]
		e.spread(u, f.normal)
		share = min(share, (f.offset-la.Dot(f.normal, e.middle())-h.slip)/la.Norm(u))
	}
	return share * (1 - 0x1p-44)
}

// inflate replaces e, which is strictly inside all facets, by nearly the largest ellipsoid inside them. It
// first maximizes within the facets whose room is below near, and repeats this with further facets while the
// result is not inside all. worth is the accuracy: see maximize.
func (h *shell) inflate(ctx context.Context, e *ellipsoid, near, worth float64) {
	var tight, rest []facet
	u := make([]float64, e.p)
	for _, f := range h.facets {
		if e.room(&f, u) < near {
			tight = append(tight, f)
		} else {
			rest = append(rest, f)
		}
	}
	for start := slices.Clone(e.v); ; copy(e.v, start) {
		bounded := maximize(ctx, e, tight, worth)
		known, left := len(tight), rest[:0]
		for _, f := range rest {
			if bounded && e.room(&f, u) > 0 {
				left = append(left, f)
			} else {
				tight = append(tight, f)
			}
		}
		if rest = left; len(tight) == known {
			return
		}
	}
}

// room returns the distance of the ellipsoid from the facet, divided by the distance of its middle from the
// facet; below 0 if the ellipsoid crosses the facet. It overwrites u.
func (e *ellipsoid) room(f *facet, u []float64) float64 {
	s := f.offset - la.Dot(f.normal, e.middle())
	e.spread(u, f.normal)
	return (s - la.Norm(u)) / math.Abs(s)
}

// maximize is Newton's method for the largest t·log det L + Σ log((b − aᵀd)² − ‖Lᵀa‖²) over
// the facets, concave where ‖Lᵀa‖ < b − aᵀd, with t rising (Nesterov & Nemirovskii 1994). It
// reports false if it fails, for example if the facets bound nothing.
func maximize(ctx context.Context, e *ellipsoid, facets []facet, worth float64) bool {
	q := len(e.v)
	grad, hess, next := make([]float64, q), make([]float64, q*q), &ellipsoid{e.p, make([]float64, q)}
	for t := 16.0; t*worth <= 16; t *= 16 {
		value := e.barrier(facets, t, nil, nil)
		for range 50 {
			e.barrier(facets, t, grad, hess)
			step := slices.Clone(grad)
			if ctx.Err() != nil || !la.Cholesky(hess, q) {
				return false
			}
			la.CholeskySolve(hess, q, step)
			decrement := la.Dot(step, grad)
			share, better := 1.0, 0.0
			for ; share > 0x1p-30; share /= 2 {
				copy(next.v, e.v)
				la.Axpy(next.v, share, step)
				if better = next.barrier(facets, t, nil, nil); better >= value+share*decrement/8 {
					break
				}
			}
			if !(better > value) {
				break
			}
			copy(e.v, next.v)
			value = better
			if decrement < 1e-2 {
				break
			}
		}
	}
	return true
}

// barrier returns the value that maximize raises, −Inf outside. If they are not nil it overwrites grad
// with the gradient and hess with minus the Hessian, on and below its diagonal.
func (e *ellipsoid) barrier(facets []facet, t float64, grad, hess []float64) (value float64) {
	p, q := e.p, len(e.v)
	clear(grad)
	clear(hess)
	for c, i := 0, 0; c < p; c++ {
		if !(e.v[i] > 0) {
			return math.Inf(-1)
		}
		value += t * math.Log(e.v[i])
		if grad != nil {
			grad[i] = t / e.v[i]
			hess[i*q+i] = t / (e.v[i] * e.v[i])
		}
		i += p - c
	}
	u, g := make([]float64, p), make([]float64, q)
	for i := range facets {
		f := &facets[i]
		e.spread(u, f.normal)
		s := f.offset - la.Dot(f.normal, e.middle())
		w := s*s - la.SumSquares(u)
		if !(s > 0 && w > 0) {
			return math.Inf(-1)
		}
		value += math.Log(w)
		if grad == nil {
			continue
		}
		at := 0
		for c := range p + 1 {
			a, by, curve := f.normal, -2*s/w, -2/w // of the middle
			if c < p {
				a, by, curve = f.normal[c:], -2*u[c]/w, 2/w
			}
			for r, v := range a {
				g[at+r] = by * v
				la.Axpy(hess[(at+r)*q+at:(at+r)*q+at+r+1], curve*v, a[:r+1])
			}
			at += len(a)
		}
		la.Axpy(grad, 1, g)
		for r, v := range g {
			la.Axpy(hess[r*q:r*q+r+1], v, g[:r+1])
		}
	}
	return value
}

// mostRounds limits the rounds of largestEllipsoid, which might not end if points that may move replace each
// other. In all other cases at most 13 rounds were required.
const mostRounds = 32

// largestEllipsoid returns log det L of an ellipsoid inside the hull, nearly the largest there is; −Inf
// if none was found. It begins with a simplex of p+1 points, and adds points beyond the facets that bound the
// ellipsoid until there are none.
func (h *shell) largestEllipsoid(ctx context.Context, farthest support, accuracy float64) float64 {
	p := len(h.centre)
	e := &ellipsoid{p, make([]float64, p*(p+1)/2+p)}
	for c, i := 0, 0; c < p; c++ {
		e.v[i] = 1
		i += p - c
	}
	copy(e.middle(), h.centre)
	la.Scale(h.fill(e)/2, e.v[:len(e.v)-p])
	u, worth := make([]float64, p), max(1e-3, accuracy)
	for near, round := 1.0, 1; ; near, round = .4, round+1 {
		h.inflate(ctx, e, near, worth)
		added, known := false, len(h.facets)
		for _, f := range h.facets[:known:known] {
			if e.room(&f, u) > max(8*worth, 1e-6) || ctx.Err() != nil {
				continue
			}
			z, r := farthest(f.normal)
			if h.beyond(&f, z, r)-f.offset > worth*(f.offset-la.Dot(f.normal, e.middle())) {
				added = h.add(z, r) || added
			}
		}
		ended := len(h.facets) > mostFacets || round > mostRounds || ctx.Err() != nil
		if ended || !added && worth == accuracy {
			break
		}
		if !added {
			worth = accuracy
		}
		la.Scale(.9, e.v[:len(e.v)-p]) // so that it is strictly inside the facets
	}
	share := h.fill(e)
	if !(share > 0 && la.Norm(e.middle())*0x1p-46 <= h.slip) {
		return math.Inf(-1)
	}
	return e.volume() + float64(p)*math.Log(share) - 0x1p-40
}
