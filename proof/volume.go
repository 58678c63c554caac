// Package proof bounds how far fits are from the optimum. [VolumeFloor] and [VolumeRatio] bound the volume of
// the centers, [LossGap] the loss, and [LSDFloor] the objective of LSD. [Unique] proves that a simplex is the
// smallest around its mixtures, or the only one. A proof may cost more than the fit.
package proof

// How small the simplex of centers can be: proved lower bounds of its volume for every pair (F, G) with at
// most a given error. The largest of four bounds is returned: by moments, by moments with chosen weights
// (design), by the largest ellipsoid inside the hull of the rows, and by the smallest triangle around them.
//
// Let W be the sum of the weights w_i, p = k−1, Y have the rows √w_i·(x_i − x̄), and Ŷ the rows
// √w_i·(g_iF − m), with m the weighted mean of the rows of GF. Then ‖Y − Ŷ‖² is at most the
// error ‖X − GF‖² = E, since Y is centred.
//
// Moments. With B of RegularSimplex and ḡ the weighted mean of the rows of G, the rows of G − 1ḡ add up to 0.
// So Ŷ = M·(BᵀF) with M = diag(√w)·(G − 1ḡ)B, and the product of the p largest σ_i²(Ŷ) is
// det(MᵀM)·Πσ_i²(BᵀF). The trace of MᵀM is Σw_i‖g_i‖² − W‖ḡ‖², at most W(1 − 1/k), as ‖g_i‖ ≤ 1 and ‖ḡ‖² ≥
// 1/k. By the inequality of the means its determinant is at most (W/k)^p, and
//
//	Πσ_i²(BᵀF) ≥ (k/W)^p·Πσ_i²(Ŷ).
//
// Ŷ has rank p at most. So Mirsky's theorem says Σ_{i≤p}(σ_i(Y) − σ_i(Ŷ))² ≤ E − floor, and
// leastLogProduct bounds the product. For other weights v the error is at most E·max v_i/w_i.
//
// Projection, for all bounds except the first. Let Ũ be p orthonormal, nearly principal directions. The
// volume of the simplex of FŨ is at most the volume of the simplex of F, and its mixtures are at most E from
// the projected rows, and much nearer if E is near the floor. With δ = E − floor, gap = σ_p² − σ_{p+1}² and P
// the projection on the row space of Ŷ,
//
//	‖Y(I−P)‖² + ‖YP − Ŷ‖² ≤ E  and  ‖Y(I−P)‖² ≥ floor + Σ_{i≤p}(σ_i² − σ_{p+1}²)t_i
//
// for t_i = ‖(I−P)v_i‖² and the principal directions v_i, the rows of Vᵀ. The last follows from the trace of
// YᵀY(VVᵀ − P). Let t_i = a_i + b_i with the squared lengths a_i and b_i of the parts of (I−P)v_i inside and
// outside of the span of V. As I−P is symmetric, ‖Y(I−P)V‖² is at most Σ(σ_i²a_i + σ_{p+1}²b_i) ≤ Σσ_i²t_i,
// and σ_i²/(σ_i² − σ_{p+1}²) is at most σ_p²/gap. Ũ differs from directions within V by at most √(δ_U/gap)
// for δ_U = ‖Y − YŨŨᵀ‖² − floor. So (Y−Ŷ)Ũ = Y(I−P)Ũ + (YP−Ŷ)Ũ has a norm of at most
//
//	√δ·√(1 + σ_p²/gap) + σ_1·√(δ_U/gap)
//
// by Cauchy's inequality.
//
// At the least error itself the mixtures are the rows' principal parts. With R = YᵀYŨ − ŨM and M = ŨᵀYᵀYŨ,
// their projection P has ‖(I−P)Ũ‖ ≤ ‖R‖/(λ_p(M) − σ_{p+1}²) (Davis & Kahan 1970). So after the projection the
// distance between a row of weight v and its mixture is at most this bound times √(‖Y‖²/v).
//
// Ellipsoid. Let near bound ‖(Y−Ŷ)Ũ‖. Mixtures of a mean Σa_i·w_i of rows, a ≥ 0 and Σa_i = 1, are at most
// Σa_i‖δ_i‖ ≤ near·√(Σa_i²/v_i) from it, and the simplex holds them. So the simplex contains every ellipsoid
// that is inside the hull of such means even if each mean moves by up to this distance (shell.go). The
// regular simplex is the smallest around a ball, so a simplex around {Lu + d: ‖u‖ ≤ 1} has a volume of at
// least |det L|·p^{p/2}·(p+1)^{(p+1)/2}/p!. Along a the mean that reaches farthest for certain has a_i ∝
// v_i·(aᵀw_i − t)₊ with Σv_i·(aᵀw_i − t)₊² = near². It reaches as far as t.
//
// Triangle. If no mixture is farther than ρ from its row, the triangle with every side moved out by ρ holds
// the projected rows. The width of this larger triangle is at least the width of the rows, which is at least
// 2σ_p/√W, because a variance is at most a quarter of the squared range. A simplex's inradius is at least its
// width over k. Moved back, its area is at least (1 − 3ρ/width)² times the area of the smallest triangle
// around the rows.

import (
	"context"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
	"softkmeans/internal/triangle"
)

// VolumeBound is a lower bound of the volume of the simplex of centers.
type VolumeBound struct {
	LogVolume float64 // no centers with this Error or less have a smaller log volume; −Inf: nothing is proved
	// Error is a bound of ‖X − GF‖², weighted if weights were given. At slack 0 it is the minimum, or less by
	// rounding: a fit that reaches the minimum may exceed Error.
	Error float64
}

// VolumeFloor returns a lower bound for the (k−1)-dimensional volume of k centers. Pass the samples x (n×d)
// and the slack: how far the error may be above the floor, as a fraction of the floor. Read LogVolume:
// centers whose memberships add up to 1, with a squared error of at most (1+slack) times the floor, do not
// span a smaller volume. VolumeBound.Error is this squared error.
//
// # Details
//
// At slack 0 the bound is for pairs that reach the minimum exactly. For k of 2 or 3 and σ_{k−1} > σ_k it is
// the volume of enclosure.Smallest to within 1e-9. For k up to 10 it is nearly the volume of the smallest
// simplex around the largest ellipsoid inside the hull of the projected rows. For larger k it is at least the
// volume of a simplex of k rows. Nothing is proved if slack·floor is σ_{k−1}² or more: then k−1 centers reach
// the error.
//
// VolumeFloor reads Weights, Solver and Workers. A [*softkmeans.SparseMatrix] is expanded, up to 2^27
// entries; rows far from 0 are copied. Cost: [softkmeans.Fit]'s for k+1 centers, and some seconds for k from
// 4 to 10. Errors: Fit's; [softkmeans.ErrOption] for a slack that is negative or not finite, and for other
// options.
func VolumeFloor(
	ctx context.Context, x softkmeans.Samples, k int, slack float64, opts *softkmeans.Options,
) (VolumeBound, error) {
	none := VolumeBound{LogVolume: math.Inf(-1)}
	if !(slack >= 0 && slack <= math.MaxFloat64) {
		return none, fault.New(softkmeans.ErrOption, "slack is ", slack, ", not finite, or below 0")
	}
	if err := checkOptions(opts); err != nil {
		return none, err
	}
	q, err := open(ctx, x, k, opts, slack == 0)
	if err != nil {
		return none, err
	}
	if slack == 0 {
		return q.inUnits(q.least())
	}
	return q.inUnits(q.bound((1+slack)*q.outside, 0))
}

// VolumeRatio returns an upper bound for the volume of the centers of m, divided by the smallest volume of
// any centers with no more error. Pass the samples x of the fit, the model, and the Weights of the fit, with
// weight 0 for rows that the fit left out. The ratio is at least 1, and [math.MaxFloat64] if nothing is
// proved. It is 0 if no volumes are compared: for SumAtMostOne, for more than d+1 centers, for centers
// without volume, and if the objective is below the floor of x.
//
// A model without a penalty is compared with centers that reach the floor exactly, if its Gap is at most
// 1e-10. VolumeRatio reads Weights, Solver and Workers. Cost: as for [VolumeFloor]. Errors: VolumeFloor's and
// Model.Check's; [softkmeans.ErrShape] for a model without centers, or with another number of columns.
func VolumeRatio(
	ctx context.Context, x softkmeans.Samples, m *softkmeans.Model, opts *softkmeans.Options,
) (float64, error) {
	if err := checkModel(m, opts); err != nil {
		return 0, err
	}
	k := m.Centers.Rows
	if m.Sum != softkmeans.SumToOne || k > m.Centers.Cols+1 {
		return 0, nil
	}
	volume, err := softkmeans.LogVolume(m.Centers)
	if err != nil || math.IsInf(volume, -1) {
		return 0, err
	}
	o := draws.OrZero(opts)
	table, err := filledIn(x)
	if err != nil {
		return 0, err
	}
	q, err := open(ctx, table, k, &o, m.Lambda == 0)
	if err != nil {
		return 0, err
	}
	if q.d != m.Centers.Cols {
		return 0, fault.New(softkmeans.ErrShape, "x has ", q.d, " columns, centers have ", m.Centers.Cols)
	}
	e := math.Ldexp(m.Objective*(1+0x1p-40), -2*q.exp-q.wexp)
	if !(e >= q.lower-0x1p-40*q.total) {
		return 0, nil
	}
	b := q.bound(max(e, q.lower), 0)
	if m.Lambda == 0 && e-q.lower <= 1e-10*q.total {
		b = q.least()
	}
	b, err = q.inUnits(b)
	return min(math.Exp(max(0, volume-b.LogVolume)), math.MaxFloat64), err
}

// checkModel returns an error if m contains no centers, if Model.Check rejects m, or if an option is set that
// proofs do not read.
func checkModel(m *softkmeans.Model, opts *softkmeans.Options) error {
	if m == nil || m.Centers == nil {
		return fault.New(softkmeans.ErrShape, "the model has no centers")
	}
	return fault.First(m.Check(), checkOptions(opts))
}

// checkOptions returns an error if an option is set that proofs do not read.
func checkOptions(opts *softkmeans.Options) error {
	if o := draws.OrZero(opts); o.Enclosure != 0 || o.Sum != 0 || o.Orientation != nil || o.MostK != 0 {
		return fault.New(softkmeans.ErrOption,
			"Enclosure, Sum, Orientation or MostK is set, which proofs do not read")
	}
	return nil
}

// inUnits converts a bound to the data's units. If the context has ended, nothing is proved.
func (q *problem) inUnits(b VolumeBound) (VolumeBound, error) {
	b.LogVolume += float64(q.k-1) * float64(q.exp) * math.Ln2
	b.Error = min(math.Ldexp(b.Error, 2*q.exp+q.wexp), math.MaxFloat64)
	err := fault.Stopped(q.ctx)
	if err != nil {
		b.LogVolume = math.Inf(-1)
	}
	return b, err
}

// problem contains the numbers that the bounds need, in units of powers of two.
type problem struct {
	ctx     context.Context
	k       int
	d       int                // columns of the data, for rounding
	w       *softkmeans.Matrix // n×p: the rows of positive weight in p ≤ k−1 orthonormal directions
	weights []float64          // n, above 0
	sigma   []float64          // at most the singular values of the weighted rows of w
	total   float64            // at least ‖Y‖²
	outside float64            // at least ‖Y − YŨŨᵀ‖²
	lower   float64            // at most the floor of k centers
	beyond  float64            // at most the floor of k+1 centers
	off     float64            // at least ‖R‖, if asked for
	exp     int                // the unit of the rows is 2^exp
	wexp    int                // the unit of the weights is 2^wexp
	mean    []float64          // for Unique: the mean of the rows of memberships, in the coordinates of w
}

// lightest returns the least weight.
func (q *problem) lightest() float64 { return slices.Min(q.weights) }

// rounding bounds the rounding of all projections on p directions, √p·(d+8)u of a row's length, and of Ũ.
func (q *problem) rounding(p int) float64 {
	return math.Sqrt(float64(p)) * float64(q.d+8) * 0x1p-52 * math.Sqrt(q.total)
}

// least returns the bound for pairs that reach the least error.
func (q *problem) least() VolumeBound { return q.bound(q.lower, q.each()) }

// each bounds the distance of a mixture from its row's projection in pairs that reach the least error. The
// deviation of Ũ from orthonormal and the rounding of w count as rounding of rows.
func (q *problem) each() float64 {
	p := q.w.Cols
	if p == 0 {
		return 0
	}
	gap := max(0, q.sigma[p-1]*q.sigma[p-1]-(q.outside-q.beyond))
	return (q.off/gap + float64(p*(q.d+8))*0x1p-52) * math.Sqrt(q.total/q.lightest()) * (1 + 0x1p-40)
}

// bound returns the best bound for errors of at most E. If the argument `each` is above 0, it bounds the
// distance of every mixture from its row. Otherwise the error alone bounds these distances.
func (q *problem) bound(e, each float64) VolumeBound {
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
	if each > 0 {
		near = 0
	}
	if near < last {
		r := reach{near, each}
		best.LogVolume = max(best.LogVolume, q.design(r), q.byTriangle(r, last))
		if p <= mostSides {
			_, log := q.ellipsoid(r)
			best.LogVolume = max(best.LogVolume, log)
		}
	}
	return best
}

// reach bounds how far mixtures are from their rows. near bounds the norm of all differences, weighted; each
// bounds the distance of each mixture from its row.
type reach struct{ near, each float64 }

// byTriangle returns the bound by the smallest triangle around the rows, or −Inf.
func (q *problem) byTriangle(r reach, last float64) float64 {
	width := 2 * last / math.Sqrt(la.Sum(q.weights)) * (1 - la.Gamma(q.w.Rows))
	// The steps to the triangle move points and widths by some u of the size.
	off := 3 * (r.each + r.near/math.Sqrt(q.lightest()) + 0x1p-40*sizeOf(q.w)) / width
	if q.k != 3 || !(off < .5) {
		return math.Inf(-1)
	}
	_, area := triangle.Smallest(q.ctx, q.w)
	return math.Log(area) + 2*math.Log1p(-off) - 0x1p-40
}

const (
	mostSides = 9    // the most dimensions of the ellipsoid
	roughly   = 3e-4 // the fraction by which it may still grow, if there is an error
)

// ellipsoid returns a shell around the largest ellipsoid inside the hull of the rows, and the bound. If there
// is no ellipsoid, the shell is nil and the bound −Inf.
func (q *problem) ellipsoid(r reach) (h *shell, log float64) {
	p, size, near := q.w.Cols, sizeOf(q.w), r.near
	around := q.around(r, size)
	size += 2 * (near + r.each)
	rows := la.Farthest(q.ctx, q.w)
	corners := draws.Chosen(q.w, rows)
	moves, accuracy := slices.Repeat([]float64{r.each}, q.k), 1e-8
	h = newShell(corners, moves, size)
	if near > 0 && h != nil { // a single row may move farther than a mean of rows
		accuracy = roughly
		corners = corners.Clone()
		for j, f := range h.facets {
			la.Scale(-1, f.normal)
			var z []float64
			z, moves[j] = around(f.normal)
			copy(corners.Row(j), z)
		}
		h = newShell(corners, moves, size)
	}
	if h == nil || !h.move(q.ctx, around) {
		return nil, math.Inf(-1)
	}
	log = h.largestEllipsoid(q.ctx, around, accuracy) + float64(p+1)/2*math.Log(float64(p+1))
	for i := range p {
		log += math.Log(float64(p))/2 - math.Log(float64(i+1))
	}
	return h, log - 0x1p-44
}

// around returns the support function of means of rows: it gives the mean that reaches farthest. size is the
// largest length of a row.
func (q *problem) around(r reach, size float64) support {
	along, all, near := make([]float64, q.w.Rows), la.Indices(q.w.Rows), r.near
	index, lightest := make([]int, len(all)), math.Sqrt(q.lightest())
	return func(a []float64) ([]float64, float64) {
		top, length := all[0], la.Norm(a)
		for _, i := range all {
			if along[i] = la.Dot(q.w.Row(i), a) / length; along[i] > along[top] {
				top = i
			}
		}
		if near == 0 {
			return q.w.Row(top), r.each
		}
		// Newton's method from below; Σv(u − t)₊² falls there and is convex.
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
			return q.w.Row(top), near/math.Sqrt(q.weights[top]) + r.each
		}
		z := make([]float64, q.w.Cols)
		for _, i := range rows {
			la.Axpy(z, q.weights[i]*(along[i]-t)/sum, q.w.Row(i))
		}
		return z, near*math.Sqrt(squares)/sum + 2*la.Gamma(len(rows)+16)*(near/lightest+size)
	}
}
