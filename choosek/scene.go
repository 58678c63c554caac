package choosek

// A proposal for the number of materials of a scene, from the directions of its pixels.

import (
	"context"
	"math"
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
	"softkmeans/internal/noise"
)

const (
	sceneRows       = 4096 // at most so many rows are looked at, or 2d
	sceneDirections = 10   // from which the distance of a row tells how well it fits
	// leastLength is the least length of a material's direction, as a share of that of the first. It
	// was chosen on half of the scenes that docs/accuracy.md has.
	leastLength = 0.01
	// farUnit is the power of two by which columns of other units differ at least.
	farUnit = 8
)

// ProposeScene proposes the number of materials of a scene, whose pixels are the rows of x: k for
// package unmix. Read K, and Reason.
//
// Columns are divided by their noise, which is what all others do not say of them, and rows are scaled to
// length 1, as package unmix does; rows that do not fit count less. Mixtures of k materials then have k
// directions, whatever their brightness. Those count that stand above noise, by the bound of [Choose] for
// white noise, and have at least 1 % of the length of the first: materials that vary have directions of their
// own, and in most scenes these are shorter. Explained and Step are shares of the energy in these directions,
// Stick is what a step must exceed. Elbow and Profile are 0.
//
// Columns that are 0 in all rows do not count. With fewer rows than twice the others, fewer than 4 of
// these, or without noise it is the proposal of [Propose].
//
// At most 4096 rows are looked at, drawn by weight, or 2d. MaxK bounds K. Cost: O(nd² + d³), four to eight
// times. Errors: those of [softkmeans.Floors] and [Propose], and ctx's, wrapped.
func ProposeScene(ctx context.Context, x *softkmeans.Matrix, opts *Options) (Proposal, error) {
	o := draws.OrZero(opts)
	switch {
	case o.MaxK < 0 || o.Workers < 0:
		return Proposal{}, fault.New(softkmeans.ErrOption, "MaxK or Workers is below 0")
	case o.MaxK == 0:
		o.MaxK = defaultMaxK
	}
	if err := x.Check("x"); err != nil {
		return Proposal{}, err
	}
	rows, err := draws.Rows(o.Weights, x.Rows)
	if err != nil {
		return Proposal{}, err
	}
	used := usedColumns(x, rows)
	if d := len(used); len(rows) >= 2*d && d >= 4 {
		rows, _ = drawn(rows, o.Weights, max(2*d, sceneRows), o.Seed)
		if squares, err := energies(ctx, evenColumns(x, rows, used), &o); squares != nil || err != nil {
			return proposalOf(squares, len(rows), o.MaxK), err
		}
	}
	floors, err := softkmeans.Floors(ctx, x, &softkmeans.Options{Weights: o.Weights, Workers: o.Workers})
	if err != nil {
		return Proposal{}, err
	}
	p, err := Propose(floors)
	if p.K > o.MaxK {
		p.K, p.Reason = o.MaxK, beyond(o.MaxK)
	}
	return p, err
}

// usedColumns returns the columns that are not 0 in all of these rows.
func usedColumns(x *softkmeans.Matrix, rows []int) (used []int) {
	some := make([]bool, x.Cols)
	for _, i := range rows {
		for c, v := range x.Row(i) {
			some[c] = some[c] || v != 0
		}
	}
	for c, yes := range some {
		if yes {
			used = append(used, c)
		}
	}
	return used
}

// evenColumns returns some rows in some columns, multiplied by the power of two that takes the largest
// entry to [½, 1). Where columns differ by farUnit or more each has its own: units may differ by more than
// eigenvalues have digits.
func evenColumns(x *softkmeans.Matrix, rows, columns []int) *softkmeans.Matrix {
	y := softkmeans.NewMatrix(len(rows), len(columns), nil)
	var exps []int
	for _, c := range columns {
		top := 0.0
		for _, i := range rows {
			top = max(top, math.Abs(x.At(i, c)))
		}
		_, exp := math.Frexp(top)
		exps = append(exps, exp)
	}
	most := slices.Max(exps)
	far := most-slices.Min(exps) >= farUnit
	for c, from := range columns {
		exp := most
		if far {
			exp = exps[c]
		}
		for r, i := range rows {
			y.Set(r, c, math.Ldexp(x.At(i, from), -exp))
		}
	}
	return y
}

// beyond says that MaxK ended the count.
func beyond(most int) string {
	return "more than " + strconv.Itoa(most) + ", the most to propose, stand out"
}

// proposalOf counts the directions that stand out, of n pixels.
func proposalOf(energies []float64, n, most int) (p Proposal) {
	if len(energies) == 0 {
		return p
	}
	total, sum := la.Sum(energies), 0.0
	_, edges := whiteEdge(energies, max(n, len(energies)))
	percent := func(square float64) string {
		return strconv.FormatFloat(100*math.Sqrt(max(square, 0)/energies[0]), 'g', 2, 64) + " %"
	}
	next := -1
	for i, v := range energies {
		bound := max(edges[i], leastLength*leastLength*energies[0])
		sum += v
		p.Explained = append(p.Explained, sum/total)
		if i > 0 {
			p.Step, p.Stick = append(p.Step, v/total), append(p.Stick, bound/total)
		}
		if next < 0 && !(v > bound) {
			next = i
		}
	}
	switch p.K = min(next, most); {
	case next == 0:
		p.Reason = "nothing stands out of the noise"
	case next > most:
		p.Reason = beyond(most)
	case next < 0:
		p.K = most
		p.Reason = "more directions of the pixels stand out than can be told apart"
	default:
		found := " directions of the pixels have 1 % of their length or more, and stand out"
		if p.K == 1 {
			found = " direction of the pixels has 1 % of its length or more, and stands out"
		}
		p.Reason = strconv.Itoa(p.K) + found + " of the noise; the next has " +
			percent(energies[next]) + ", and noise up to " + percent(edges[next])
	}
	return p
}

// energies returns the squares of the directions of rows of length 1, in columns divided by their noise;
// nil if there is no noise.
func energies(ctx context.Context, x *softkmeans.Matrix, o *Options) ([]float64, error) {
	directions := min(sceneDirections, x.Cols/2)
	found, err := noise.Find(ctx, x, noise.Options{Directions: directions, Unit: true, Workers: o.Workers})
	if err != nil || found.Columns == nil {
		return nil, err
	}
	y, weights := noise.Divide(x, found.Columns), found.Weights(nil)
	for i, v := range weights {
		square := 0.0
		for _, e := range y.Row(i) {
			square += e * e
		}
		if weights[i] = 0; square > 0 {
			weights[i] = v / math.Sqrt(square) // of rows of length 1 that count by their length
		}
	}
	p, err := softkmeans.Principal(ctx, y, 0, &softkmeans.Options{Weights: weights, Workers: o.Workers,
		Solver: softkmeans.SolverGram, Sum: softkmeans.SumAtMostOne})
	if err != nil {
		return nil, err
	}
	return p.Squares, nil
}
