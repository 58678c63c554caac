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
	sceneRows = 4096 // at most so many rows are read, or 2d
	// sceneDirections: how well a row fits follows from its distance from the space of this many directions.
	sceneDirections = 10
	// leastLength is the least length of a material's direction, as a fraction of the first direction's. It
	// was chosen on half of the scenes in docs/accuracy.md.
	leastLength = 0.01
	// Columns whose largest entries differ by a factor of 2^farUnit or more count as columns in different
	// units.
	farUnit = 8
)

// ProposeScene proposes the number of materials of an image, whose pixels are the rows of x (n×d): the k for
// package unmix. Read K, Certain and Reason.
//
// Mixtures of k materials span k directions, whatever the brightness of the pixels. K is the number of
// directions that exceed the noise and are at least 1 % as long as the first direction (in singular values).
// Explained and Step are fractions of the sum of all squares; Stick is the bound for Step. Elbow and Profile
// are 0.
//
// K is Certain if all directions that exceed the noise are at least 1 % as long. K was certain for 25 of the
// 90 simulated scenes of docs/accuracy.md, and right for 22 of the 25. For the other 65 it was right 32
// times.
//
// # Details
//
// As in package unmix, columns are divided by their noise and rows by their length, and rows that fit badly
// count less. The noise of a column is its residual when predicted from the other columns. The bound for a
// direction is the bound of [Choose] for white noise. A material that varies adds a direction, which is below
// 1 % in most images.
//
// Columns of zeros do not count. With fewer than 4 other columns, with fewer than two rows for each of these
// columns, or if there is no noise, the result is [Propose]'s. At most max(4096, 2d) rows are read, sampled
// by weight. MaxK bounds K.
//
// Cost: four to eight times O(nd² + d³). Errors: as for [softkmeans.Floors] and [Propose]; ctx's, wrapped.
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
		p.K, p.Certain, p.Reason = o.MaxK, false, beyond(o.MaxK)
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
// entry to [½, 1). If columns differ by farUnit or more, each is multiplied by its own power: units may
// differ by more than the digits of eigenvalues.
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

// beyond returns the Reason for the case that more than `most` directions exceed the bounds.
func beyond(most int) string {
	return "more than " + strconv.Itoa(most) + ", the most to propose, stand out"
}

// proposalOf counts the directions of n pixels that exceed the noise and leastLength.
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
		p.Certain = energies[next] <= edges[next]
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
