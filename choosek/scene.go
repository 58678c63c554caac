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
)

// Noise and fit of the rows follow each other for sceneTurns turns, or until no row's fit changes by
// restFit. A row fits half at farRow times the median distance from sceneDirections directions, and
// not at all if it has more than mostLeverage of one of them. Below leastFit it is left out. A column's
// noise is at most mostNoisy times the median. One with as little of it has no noise of its own, and gets
// the median.
const (
	sceneRows       = 4096 // at most so many rows are looked at, or 2d
	sceneTurns      = 8
	sceneDirections = 10
	restFit         = 0.01
	farRow          = 10
	mostLeverage    = 0.1
	leastFit        = 0.1
	mostNoisy       = 32
	// leastLength is the least length of a material's direction, as a share of that of the first. It
	// was chosen on half of the scenes that docs/accuracy.md has.
	leastLength = 0.01
	// farUnit is the power of two by which columns of other units differ at least.
	farUnit = 8
	// scarce is the share of the energy below which noise may be rounding.
	scarce = 0x1p-36
)

// ProposeScene proposes the number of materials of a scene, whose pixels are the rows of x: k for
// [softkmeans.Unmix]. Read K, and Reason.
//
// Columns are divided by their noise, which is what all others do not say of them, and rows are scaled to
// length 1, as Unmix does; rows that do not fit count less. Mixtures of k materials then have k directions,
// whatever their brightness. Those count that stand above noise, by the bound of [Choose] for white
// noise, and have at least 1 % of the length of the first: materials that vary have directions
// of their own, and in most scenes these are shorter. Explained and Step are shares of the energy in
// these directions, Stick is what a step must exceed. Elbow and Profile are 0.
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
		p := &pixels{evenColumns(x, rows, used), slices.Repeat([]float64{1}, d),
			slices.Repeat([]float64{1}, len(rows))}
		if energies, err := p.energies(ctx); energies != nil || err != nil {
			return proposalOf(energies, len(rows), o.MaxK), err
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

// pixels are rows whose columns are divided by their noise.
type pixels struct {
	x     *softkmeans.Matrix
	noise []float64 // of each column, over the median
	fit   []float64 // how well each row fits, of (0, 1]
}

// energies returns the energies of the directions, descending; nil where there is no noise.
func (p *pixels) energies(ctx context.Context) ([]float64, error) {
	for range sceneTurns {
		if err := fault.Stopped(ctx); err != nil {
			return nil, err
		}
		energies, axes, err := p.directions(func(fit float64) float64 { return fit })
		if err != nil || energies == nil {
			return nil, err
		}
		change := p.refit(energies, axes)
		if !p.renoise(energies, axes) {
			return nil, nil
		}
		if change < restFit {
			break
		}
	}
	energies, _, err := p.directions(func(fit float64) float64 {
		if fit < leastFit {
			return 0
		}
		return fit * fit
	})
	return energies, err
}

// divided writes row i in divided columns to dst, and returns its length.
func (p *pixels) divided(dst []float64, i int) float64 {
	square := 0.0
	for c, v := range p.x.Row(i) {
		dst[c] = v / p.noise[c]
		square += dst[c] * dst[c]
	}
	return math.Sqrt(square)
}

// directions returns eigenvalues and eigenvectors of Σ w·yyᵀ/‖y‖ for the divided rows y and weights by
// their fit; nil if no row counts.
func (p *pixels) directions(weight func(fit float64) float64) ([]float64, *softkmeans.Matrix, error) {
	weights, row := make([]float64, p.x.Rows), make([]float64, p.x.Cols)
	for i, fit := range p.fit {
		if length := p.divided(row, i); length > 0 {
			weights[i] = weight(fit) / length
		}
	}
	var s softkmeans.Stats
	if err := s.AddWeighted(p.x, weights); err != nil || s.Cols() == 0 {
		return nil, nil, err
	}
	gram, mean := s.Scatter(), s.Mean()
	for a := range gram.Rows {
		row := gram.Row(a)
		for b := range row {
			row[b] = (row[b] + s.Weight()*mean[a]*mean[b]) / (p.noise[a] * p.noise[b])
		}
	}
	return softkmeans.EigenSym(gram)
}

// renoise multiplies the noise of each column by its deviation from what all others say of it, by least
// squares: the root of the inverse of the inverse's diagonal. It reports whether there is noise.
func (p *pixels) renoise(energies []float64, axes *softkmeans.Matrix) bool {
	for c := range p.noise {
		sum := 0.0
		for j, v := range axes.Row(c) {
			sum += v * v / max(energies[j], scarce/16*energies[0])
		}
		p.noise[c] /= math.Sqrt(sum)
	}
	middle := slices.Sorted(slices.Values(p.noise))[len(p.noise)/2]
	for c, v := range p.noise {
		if p.noise[c] = min(v/middle, mostNoisy); p.noise[c] < 1./mostNoisy {
			p.noise[c] = 1 // a mixture of others, as a copy of one is
		}
	}
	return middle*middle > scarce*energies[0]
}

// refit sets the fit of the rows, by their distance from the leading directions, and returns the largest
// change.
func (p *pixels) refit(energies []float64, axes *softkmeans.Matrix) (change float64) {
	n, q := p.x.Rows, min(sceneDirections, p.x.Cols/2)
	far, leverage := make([]float64, n), make([]float64, n)
	row := make([]float64, p.x.Cols)
	for i := range n {
		length := p.divided(row, i)
		if length == 0 {
			continue
		}
		far[i] = length // its square over the length
		for j := range q {
			along := 0.0
			for c, v := range row {
				along += v * axes.At(c, j)
			}
			far[i] -= along * along / length
			if energies[j] > 0 {
				leverage[i] += along * along / length / energies[j]
			}
		}
	}
	median := slices.Sorted(slices.Values(far))[(n-1)/2]
	for i, was := range p.fit {
		switch {
		case leverage[i] > max(mostLeverage, farRow*float64(q)/float64(n)):
			p.fit[i] = 0
		case median > 0:
			p.fit[i] = 1 / (1 + max(far[i], 0)/(farRow*median))
		}
		change = max(change, math.Abs(p.fit[i]-was))
	}
	return change
}
