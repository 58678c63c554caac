package proof

// Whether the simplex of a fit is the smallest around its mixtures, and the only one.
//
// The rows g of G are points of the unit simplex, with the unit vectors as vertices. Another simplex around
// them has k barycentric coordinates, functions that are linear on it: m_jᵀg, at least 0 on the rows, with
// Σm_j = 1. With the rows m_j in M, the volume of this simplex is 1/|det M| times the volume of the unit
// simplex.
//
// Let K be a polytope inside the hull of the rows (shell.go). A linear function that is at least 0 on K is
// a combination of K's facets b − aᵀg with coefficients of at least 0 (Farkas). Let y_f be the values
// of facet f at the k vertices, divided by their sum, which is above 0 if K contains the centroid. Then m_j
// = s_j·y_j, where y_j is a convex combination of the y_f, s_j ≥ 0, and Σs_j = k, so that Πs_j ≤ 1.
//
// Theorem. Let τ be such that each y_f is within τ of a unit vector, or no longer than ρ < 1. Let |det M| ≥
// 1−δ. Then, in some order, the vertices of the other simplex are within apart(k, τ, ρ, δ) of the unit
// vectors.
//
// Proof. No y_f is longer than 1+τ, so by Hadamard 1−δ ≤ Π‖y_j‖, and each ‖y_j‖ is at least 1−η =
// (1−δ)/(1+τ)^{k−1}. Let far facets have the weight α in y_j. As 1−η ≤ αρ + (1−α)(1+τ), it is at most
// (τ+η)/(1+τ−ρ). The facets near unit vector i have the weight β_i, and ‖β‖ ≥ 1−η−αρ−τ =: b. As Σβ_i ≤ 1,
// some β_i is at least b². The other weights add up to at most μ = 1−b², so ‖y_j − e_i‖ ≤ ω = 2μ + τ. Two y_j
// near the same e_i would make |det Y| ≤ 2ω(1+τ)^{k−1} by Hadamard. If 2ω(1+τ)^{k−1} < 1−δ, each y_j is
// therefore near another e_i; let i = j. From Σs_j·y_j = 1 follows |s_j − 1| ≤ kω, so that ‖m_j − e_j‖ ≤ ν =
// kω + (1+kω)ω, and ‖M − I‖ ≤ √k·ν. The vertices are the columns of M⁻¹. ∎
//
// The least volume follows from the largest ellipsoid inside K (volume.go). Two other bounds are no better.
// The bound from ρ alone equals the bound from a ball about the centroid. The bound from the weights of the
// y_f that maximise a determinant equals the bound from the smallest ellipsoid around the polar of K about
// the centroid. The polar of this ellipsoid is inside K, and the product of their volumes is at least the
// product for two balls.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

const (
	nearly    = 1e-6 // a simplex counts as the smallest if no simplex is smaller by more than this fraction
	same      = 1e-9 // volumes that differ by at most this fraction count as the same
	mostApart = 1e-2 // how far vertices of the only simplex may be apart
	mostUnits = 1e-9 // the largest difference of a row's sum from 1
)

// Verdict compares the simplex of a fit with all other simplices around its mixtures.
type Verdict struct {
	// Factor bounds the volume of the simplex of the fit as a multiple of the smallest volume. It is
	// math.MaxFloat64 if nothing is proved, as for more than 10 centers.
	Factor float64
	// Rho is the largest length of certain vectors, one for each facet of a polytope inside the hull of the
	// rows. The facet is the zero set of a linear function. The vector contains the values of this function
	// at the k centers, divided by their sum. If Rho is at most 1, no simplex is smaller. Rho is
	// math.MaxFloat64 if the centroid is not inside the polytope, or if nothing is known.
	Rho float64
	// Apart compares the fit with other simplices of at most 1 + 1e-9 times the smallest volume. It bounds,
	// in units of memberships, how far their vertices lie from the matched vertices of the fit.
	// math.MaxFloat64: nothing is proved.
	Apart float64
}

// Smallest reports whether it is proved that no simplex is smaller by more than 1e-6 of the volume.
func (v Verdict) Smallest() bool { return v.Factor <= 1+nearly }

// Only reports whether the vertices of all equally small simplices are proved to lie within 0.01 of the
// vertices of the fit.
func (v Verdict) Only() bool { return v.Apart <= mostApart }

// Unique bounds how much smaller another simplex around the same mixtures can be, and how far the vertices of
// an equally small simplex can differ. Pass the memberships of a fit (n×k), whose rows add up to 1. Leave out
// rows of weight 0 and trimmed rows. The centers must be affinely independent, so that k is at most d+1. Call
// Smallest and Only. If Smallest is true, no centers with the same mixtures span a volume smaller by more
// than 1e-6. If Only is true, the vertices of all equally small simplices lie within 0.01 of these centers,
// in memberships. Both statements are proved for the memberships as stored.
//
// Nothing is proved for k above 10. Cost: some hundred passes over the memberships, and up to some seconds
// for k of 6 to 10. Errors: [softkmeans.ErrShape], [softkmeans.ErrNonFinite], [softkmeans.ErrRange];
// [softkmeans.ErrOption] for memberships below 0 or sums other than 1; ctx's, wrapped.
func Unique(ctx context.Context, memberships *softkmeans.Matrix) (Verdict, error) {
	v := Verdict{Factor: math.MaxFloat64, Rho: math.MaxFloat64, Apart: math.MaxFloat64}
	q, each, err := openShares(ctx, memberships)
	switch {
	case err != nil:
		return v, err
	case q.k == 1:
		return Verdict{Factor: 1, Rho: 1}, nil
	case q.k-1 > mostSides || q.w.Rows < q.k:
		return v, nil
	}
	corners := softkmeans.RegularSimplex(q.k)
	volume, err := softkmeans.LogVolume(corners)
	if err != nil {
		return v, err
	}
	h, floor := q.ellipsoid(reach{each: each})
	floor = max(floor, q.byTriangle(reach{each: each}, slices.Min(singularValues(q.w, q.weights, true))))
	v.Factor = min(math.Exp(max(0, volume-floor)), math.MaxFloat64)
	if h != nil {
		for j := range corners.Rows {
			la.Axpy(corners.Row(j), -1, q.mean)
		}
		v.Rho, v.Apart = h.apart(corners)
	}
	return v, fault.Stopped(ctx)
}

// openShares checks g. It returns the rows of g, less their mean, in the coordinates of RegularSimplex, and a
// bound `each` of the distance by which rounding may have moved a row. If there are too many centers for an
// ellipsoid, only k and the weights are set.
func openShares(ctx context.Context, g *softkmeans.Matrix) (q *problem, each float64, err error) {
	if err := g.Check("memberships"); err != nil {
		return nil, 0, err
	}
	n, k := g.Rows, g.Cols
	if n == 0 || k == 0 {
		return nil, 0, fault.New(softkmeans.ErrShape, "memberships are ", n, "×", k)
	}
	q = &problem{ctx: ctx, k: k, d: k, weights: slices.Repeat([]float64{1}, n)}
	for i := range n {
		for j, v := range g.Row(i) {
			if v < 0 {
				return nil, 0, &softkmeans.InputError{
					Arg: "memberships", Row: i, Col: j, Value: v, Err: softkmeans.ErrOption,
				}
			}
		}
		each = max(each, math.Abs(la.Sum(g.Row(i))-1))
	}
	switch {
	case each > mostUnits:
		return nil, 0, fault.New(softkmeans.ErrOption, "a row of memberships adds up to 1 but for ", each)
	case k-1 > mostSides:
		return q, 0, nil
	}
	if err := fault.Stopped(ctx); err != nil {
		return nil, 0, err
	}
	q.w, q.mean = la.Product(g, softkmeans.RegularSimplex(k)), make([]float64, k-1)
	for i := range n {
		la.Axpy(q.mean, 1/float64(n), q.w.Row(i))
	}
	for i := range n {
		la.Axpy(q.w.Row(i), -1, q.mean)
	}
	return q, each + 0x1p-48*float64(k), fault.Stopped(ctx)
}

// values overwrites y with the values of a facet at the corners, divided by their sum. It returns the length
// of y and the distance from the nearest unit vector, with their rounding; +Inf if the sum is not above 0.
func (f *facet) values(y []float64, corners *softkmeans.Matrix) (length, off float64) {
	for j := range y {
		y[j] = f.offset - la.Dot(f.normal, corners.Row(j))
	}
	sum := la.Sum(y)
	if !(sum > 0x1p-20) {
		return math.Inf(1), math.Inf(1)
	}
	la.Scale(1/sum, y)
	rounding := float64(len(y)*len(y)) * 0x1p-48 / sum * (1 + la.Norm(y))
	length = la.Norm(y) + rounding
	top := slices.Index(y, slices.Max(y))
	y[top]--
	off = la.Norm(y) + rounding
	return length, off
}

// apart returns ρ, the largest length of a y_f, and the smallest distance that the theorem proves, over all
// τ.
func (h *shell) apart(corners *softkmeans.Matrix) (rho, least float64) {
	k, y := corners.Rows, make([]float64, corners.Rows)
	var all [][2]float64 // distances and lengths
	for i := range h.facets {
		length, off := h.facets[i].values(y, corners)
		all = append(all, [2]float64{off, length})
	}
	slices.SortFunc(all, func(a, b [2]float64) int { return cmp.Compare(b[0], a[0]) })
	least = math.MaxFloat64
	for _, f := range all { // those before are far
		if rho < 1 {
			least = min(least, apart(k, f[0], rho, same/(1+same)))
		}
		rho = min(max(rho, f[1]), math.MaxFloat64)
	}
	return rho, least
}

// apart returns the theorem's bound for facets within tau of a unit vector, or no longer than rho.
func apart(k int, tau, rho, delta float64) float64 {
	more := math.Pow(1+tau, float64(k-1))
	eta := 1 - (1-delta)/more
	alpha := (tau + eta) / (1 + tau - rho)
	b := 1 - eta - alpha*rho - tau
	if !(tau < 1 && alpha < 1 && b > 0) {
		return math.MaxFloat64
	}
	omega := 2*(1-b*b) + tau
	nu := float64(k)*omega + (1+float64(k)*omega)*omega
	off := math.Sqrt(float64(k)) * nu * (1 + 0x1p-20) // eta is off by 2^-53, of δ by less than that
	if !(2*omega*more < 1-delta && off < 1) {
		return math.MaxFloat64
	}
	return off / (1 - off)
}
