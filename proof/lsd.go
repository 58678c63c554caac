package proof

// A floor of left-stochastic decomposition by duality. For P ≥ 0 (n×k) with P1 = 1, τ > 0 and c = 1/(kτ) let
//
//	Ỹ = PPᵀ/c − τ11ᵀ = kτ·P(I − 11ᵀ/k)Pᵀ.
//
// It is positive semidefinite, of rank k−1 at most, its entries are from −τ to (k−1)τ, and those on the
// diagonal at least 0. Let A be any symmetric matrix, D = A − K, c(D) the sum of D⁺ off the diagonal and of
// (k−1)D⁻ everywhere, and h(S) the sum of the squares of the k−1 largest eigenvalues of S, as far as these
// are above 0. Then −⟨D, Ỹ⟩ ≤ τc(D), and ‖Ỹ‖² − 2⟨S, Ỹ⟩ ≥ −h(S) for S = A − τ11ᵀ. So
//
//	‖K − PPᵀ/c‖² = ‖K − τ11ᵀ‖² − 2⟨S − D, Ỹ⟩ + ‖Ỹ‖² ≥ ‖K‖² − 2τ(1ᵀK1 + c(D)) + n²τ² − h(A − τ11ᵀ).
//
// So one A gives a floor for every P and c. lsdsearch.go searches for an A with a high floor; errors of the
// search lower the floor, but do not make it wrong. Mostly the highest floor of this dual problem is close to
// the smallest objective.
//
// Over τ, h is convex. Between two τ, h is below its chord, and the other terms are a parabola. If P has an
// objective below ℓ with the best c for P, then ‖PPᵀ/c‖² > ‖K‖² − ℓ. As n/k ≤ ‖PPᵀ‖ ≤ n, its τ is between
// √(‖K‖² − ℓ)/(kn) and ‖K‖/n. So the least over these τ, or ℓ if that is less, is a floor.

import (
	"context"
	"math"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// LSDFloorOptions tunes [LSDFloor]. nil and the zero value are the defaults.
type LSDFloorOptions struct {
	// Model is a model of LSD for the same similarities and number of clusters; nil: LSDFloor calls LSD. The
	// search begins with the model. The floor is proved for any model.
	Model   *softkmeans.LSDModel
	Workers int // 0: GOMAXPROCS; results are bit-identical for any number
}

// LSDBound is the result of [LSDFloor]: a lower bound of the objective, compared with the objective of a
// model.
type LSDBound struct {
	// Floor is at most ‖K − PPᵀ/c‖² for every P and c of as many clusters, with all rounding. Compare it with
	// LSDModel.Objective. It is at least LSDModel.Floor, to rounding.
	Floor float64
	// Objective is the model's objective. Gap is (Objective − Floor)/‖K‖²: no decomposition is better by a
	// larger fraction of ‖K‖².
	Objective, Gap float64
	// Spectral reports that Floor comes from softkmeans.LSDFloors, since the search found no higher one. For
	// more than 512 samples Floor is then wrong with a probability of at most 2e-10.
	Spectral bool
}

// LSDFloor bounds how far a result of [softkmeans.LSD] is from the minimum. Pass the same similarities s
// (n×n) and number of clusters k, and the result as opts.Model. Read Gap: a Gap of 0.01 says that no
// memberships have an objective that is smaller by more than 1 % of ‖K‖².
//
// # Details
//
// On cosines of standardized iris and wine, k = 3, the gap is 5e-4 and 1e-5; with the Floor of LSDModel it is
// .5. The gap may be large if LSD ended at a local minimum, or if no matrix A of the proof (lsd.go) gives a
// sharp bound.
//
// Cost: LSDFloors, and at most 100 steps of n²(3k+14). Up to 6 proofs about eigenvalues follow: each takes at
// most 61 products of n²(2k+6) and 3 factorizations of n³/6. For n ≤ 24, and for k above n/4 − 4, a step is
// an eigenproblem of order n instead. Memory: 4 times K. The floor is Spectral if Scale is 0, or if 4 steps
// take more than 2^33: from some 10 000 samples on, or 250 if k is above n/4.
//
// Errors: [softkmeans.LSD]'s; [softkmeans.ErrShape] for a model of another size; [softkmeans.ErrOption] for a
// model without a finite objective.
func LSDFloor(
	ctx context.Context, s *softkmeans.Matrix, k int, opts *LSDFloorOptions,
) (*LSDBound, error) {
	o := draws.OrZero(opts)
	so := &softkmeans.LSDOptions{Workers: o.Workers}
	m := o.Model
	if m == nil {
		var err error
		if m, err = softkmeans.LSD(ctx, s, k, so); err != nil {
			return nil, err
		}
	}
	// These check s and k; a model's own floor is not trusted.
	floors, err := softkmeans.LSDFloors(ctx, s, k, so)
	if err != nil {
		return nil, err
	}
	if !(m.Objective >= 0 && m.Objective <= math.MaxFloat64) {
		return nil, fault.New(softkmeans.ErrOption, "the model's objective is ", m.Objective)
	}
	if m.Memberships.Check("memberships") != nil || m.Memberships.Rows != s.Rows || m.Memberships.Cols != k {
		return nil, fault.New(softkmeans.ErrShape, "the model is not of these similarities and clusters")
	}
	bound := &LSDBound{Floor: floors[len(floors)-1], Objective: m.Objective, Spectral: true}
	floor, total, err := dualFloor(ctx, s, k, m, o.Workers)
	if err != nil {
		return nil, err
	}
	if floor > bound.Floor {
		bound.Floor, bound.Spectral = floor, false
	}
	if total > 0 {
		bound.Gap = max(0, bound.Objective-bound.Floor) / total
	}
	return bound, nil
}

// mostCurves is the largest number of curves, and mostWork bounds n³/6 multiplications times their number; a
// curve takes up to three factorizations. mostCells is the largest number of cells of lowest.
const (
	mostCurves = 6
	mostWork   = 1 << 33
	mostCells  = 150
	// cellWork: the number of cells times the cube of k + spareVectors, the order of their eigenproblems,
	// stays below cellWork.
	cellWork   = 1 << 23
	closeShare = 1e-7 // an improvement by less than this fraction of ‖K‖² is worth no other curve
)

// kernel is 2^-exp·K, exactly symmetric, with the sums that the floor needs.
type kernel struct {
	ctx        context.Context
	n, k       int
	workers    int
	rows       *softkmeans.Matrix
	exp        int
	slip       float64 // how far rows may be from 2^-exp·K, in norm
	squares    float64 // ‖K‖²
	sum, sizes float64 // 1ᵀK1, Σ|K|
}

// openKernel returns the kernel of s, which LSDFloors has checked. If ctx ends, the result is incomplete, and
// the caller must check ctx.
func openKernel(ctx context.Context, s *softkmeans.Matrix, k, workers int) *kernel {
	rows, n := s.Clone(), s.Rows
	kn := &kernel{ctx: ctx, n: n, k: k, workers: workers, rows: rows}
	_, kn.exp = math.Frexp(la.Largest(rows.Data))
	for i := range n {
		if ctx.Err() != nil {
			return kn
		}
		row := rows.Row(i)
		for j := range i + 1 {
			v, w := math.Ldexp(row[j], -kn.exp), math.Ldexp(rows.Data[j*n+i], -kn.exp)
			if v != w {
				v, kn.slip = v/2+w/2, float64(n)*0x1p-52
			}
			row[j], rows.Data[j*n+i] = v, v
		}
	}
	for i := range n {
		var squares, sum, sizes float64
		for _, v := range rows.Row(i) {
			squares, sum, sizes = squares+v*v, sum+v, sizes+math.Abs(v)
		}
		kn.squares, kn.sum, kn.sizes = kn.squares+squares, kn.sum+sum, kn.sizes+sizes
	}
	return kn
}

// dualFloor returns the floor by duality, or 0 if there is none, and ‖K‖².
func dualFloor(
	ctx context.Context, s *softkmeans.Matrix, k int, m *softkmeans.LSDModel, workers int,
) (floor, total float64, err error) {
	kn := openKernel(ctx, s, k, workers)
	if err := fault.Stopped(ctx); err != nil {
		return 0, 0, err
	}
	unscaled := func(v float64) float64 { return min(math.Ldexp(v, 2*kn.exp), math.MaxFloat64) }
	total = unscaled(kn.squares)
	tau := math.Ldexp(1/m.Scale/float64(k), -kn.exp)
	n := kn.n
	d := newDual(kn, m.Memberships, tau)
	steps := d.steps()
	if !(tau > 0 && tau < 0x1p100) || steps < leastSteps {
		return 0, total, nil
	}
	objective := math.Ldexp(m.Objective, -2*kn.exp)
	if err := d.search(steps, objective); err != nil {
		return 0, total, err
	}
	c := &cover{kernel: kn, dual: d, cost: d.cost}
	c.low = math.Sqrt(max(0, kn.squares*(1-0x1p-30)-objective)) / float64(k) / float64(n) * (1 - 0x1p-20)
	c.high = math.Sqrt(kn.squares) / float64(n) * (1 + 0x1p-20)
	least, err := c.least(d.tau, objective)
	if err != nil {
		return 0, total, err
	}
	// D(K) = min ‖K − PPᵀ/c‖ changes by no more than K does.
	root := max(0, math.Sqrt(max(0, min(least, objective)))-kn.slip)
	if floor = unscaled(root * root * (1 - 0x1p-50)); floor < 0x1p-1000 { // which may be rounded up
		floor = 0
	}
	return floor, total, nil
}

// cover proves that the dual is above a floor for all τ from low to high.
type cover struct {
	*kernel
	dual      *dual
	cost      float64 // c(D)
	low, high float64
	curves    []*curve
}

// rest returns the terms of the floor at τ other than −h(A − τ11ᵀ), and a bound of their rounding. Each sum
// is a sum over n rows of sums of n numbers.
func (c *cover) rest(tau float64) (v, off float64) {
	n := float64(c.n)
	v = c.squares - 2*tau*(c.sum+c.cost) + n*tau*n*tau
	return v, la.Gamma(2*c.n+12) * (c.squares + 2*tau*(c.sizes+c.cost) + n*tau*n*tau)
}

// node is a τ with bounds of h there by each curve.
type node struct {
	tau float64
	h   []float64
}

// at returns the node of τ.
func (c *cover) at(tau float64) node {
	v := node{tau: tau, h: make([]float64, len(c.curves))}
	for i, u := range c.curves {
		v.h[i] = u.at(tau)
	}
	return v
}

// between returns a floor for the τ between a and b, by the best curve, and the τ that attains it.
func (c *cover) between(a, b node) (floor, at float64) {
	floor = math.Inf(-1)
	n := float64(c.n)
	_, off := c.rest(b.tau)
	for i := range c.curves {
		slope := 0.0
		if b.tau > a.tau {
			slope = (b.h[i] - a.h[i]) / (b.tau - a.tau)
		}
		// rest − chord is the parabola n²(τ − t)² above its least, where t is off by 2^-50 of its parts.
		t := min(max((c.sum+c.cost+slope/2)/(n*n), a.tau), b.tau)
		v, _ := c.rest(t)
		v -= a.h[i] + slope*(t-a.tau)
		parts := (c.sizes + c.cost + math.Abs(slope)) / n * 0x1p-48
		v -= off + 0x1p-48*(a.h[i]+b.h[i]) + parts*parts
		if v > floor {
			floor, at = v, t
		}
	}
	return floor, at
}

// least returns the least floor over all τ. It begins with a curve at the dual's τ, and adds others at the τ
// of the lowest floor.
func (c *cover) least(tau, objective float64) (float64, error) {
	floor, work := math.Inf(-1), float64(c.n)*float64(c.n)*float64(c.n)/6
	// The lowest value of a curve at its own τ, at which it is exact: no floor of this A is higher.
	reached := objective
	for len(c.curves) < mostCurves && (len(c.curves) == 0 || work*float64(len(c.curves)+1) < mostWork) {
		u, err := c.dual.curve(tau)
		if err != nil || u == nil {
			return floor, err
		}
		c.curves = append(c.curves, u)
		v, _ := c.rest(tau)
		reached = min(reached, v-u.at(tau))
		before := floor
		floor, tau = c.lowest(reached)
		if floor >= reached-closeShare*c.squares || floor <= before+closeShare*c.squares {
			break
		}
	}
	return floor, fault.Stopped(c.ctx)
}

// lowest returns the least floor over all cells between nodes, and its τ. It cuts the lowest cell in two
// until the floor of that cell is enough, or the cell is small.
func (c *cover) lowest(enough float64) (floor, at float64) {
	type cell struct {
		a, b      node
		floor, at float64
	}
	made := func(a, b node) cell {
		floor, at := c.between(a, b)
		return cell{a, b, floor, at}
	}
	cells := []cell{made(c.at(c.low), c.at(c.high))}
	order := float64(c.k + spareVectors)
	most := int(min(mostCells, cellWork/(order*order*order)))
	for {
		lowest := 0
		for i := range cells {
			if cells[i].floor < cells[lowest].floor {
				lowest = i
			}
		}
		u := cells[lowest]
		if len(cells) >= most || u.floor >= enough || u.b.tau-u.a.tau <= 1e-9*u.b.tau || c.ctx.Err() != nil {
			return u.floor, u.at
		}
		mid := c.at(u.a.tau + (u.b.tau-u.a.tau)/2)
		cells[lowest] = made(u.a, mid)
		cells = append(cells, made(mid, u.b))
	}
}
