// Package noise finds the noise of the columns and the rows of a scene, for packages unmix and choosek.
package noise

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
)

// Noise and fit follow each other for at most mostTurns turns, or until no row's fit changes by restFit. A
// deviation is at most mostNoisy times the median. A column with as little noise as 1/mostNoisy is a mixture
// of others, and gets the median. A row fits half at FarRow times the median squared distance. A row with
// more than mostLeverage of a direction's energy does not fit, unless rows are few: it would be the
// direction.
const (
	mostRows     = 1 << 13
	mostTurns    = 9
	restFit      = 0.01
	mostNoisy    = 32
	mostLeverage = 0.1
	mostWeight   = 8
	leastLength  = 0x1p-400 // of the longest row: the others would weigh nothing beside a shorter one
	scarce       = 0x1p-36  // the share of the largest energy below which noise may be rounding
	stream       = 0x4015

	FarRow   = 10
	LeastFit = 0.1 // a row that fits less is an outlier
)

// Options say what a scene is.
type Options struct {
	Directions int  // how many leading directions are signal
	Unit       bool // rows will be scaled to length 1: they count by 1/‖x‖, and directions are from 0
	Weights    []float64
	Workers    int
	Seed       uint64
}

// Noise is the noise of a scene. Both lists are nil if rows or columns are too few to tell, if there is no
// noise, or if most rows would be outliers.
type Noise struct {
	Columns []float64 // the deviation of each column over the median one, times Unit(x)
	Rows    []float64 // how well each row fits, of [0, 1]
}

// Find returns the noise of x (n×d). A column's noise is its deviation from what all others say of it by
// least squares. A row fits to 1/(1 + r²/FarRow) for a squared distance r² from the leading directions in
// units of the median; columns are divided by their noise. Rows count by their fit in the next turn. No
// row counts more than mostWeight times the median weight. At most 8192 rows are looked at, drawn at random.
//
// Cost: up to nine times O(md² + d³), m = min(n, 8192). Errors: those of softkmeans.Principal.
func Find(ctx context.Context, x *softkmeans.Matrix, o Options) (Noise, error) {
	used, err := draws.Rows(o.Weights, x.Rows)
	if err != nil || len(used) < 2*x.Cols || x.Cols < 4 {
		return Noise{}, err
	}
	unit := Unit(x)
	if unit > 1 {
		x = Divide(x, slices.Repeat([]float64{unit}, x.Cols))
	}
	var weights []float64
	for _, i := range used {
		weights = append(weights, draws.Weight(o.Weights, i))
	}
	middle := slices.Sorted(slices.Values(weights))[(len(used)-1)/2]
	p := &plane{Options: o, columns: slices.Repeat([]float64{1}, x.Cols)}
	if most := max(2*x.Cols, mostRows); len(used) > most {
		rand.New(rand.NewPCG(o.Seed, stream)).Shuffle(len(used), func(i, j int) {
			used[i], used[j] = used[j], used[i]
		})
		used = used[:most]
		slices.Sort(used)
	}
	some := draws.Chosen(x, used)
	p.Weights = nil
	for _, i := range used {
		p.Weights = append(p.Weights, min(draws.Weight(o.Weights, i)/middle, mostWeight))
	}
	p.rows = la.Sum(p.Weights)
	fit := slices.Repeat([]float64{1}, len(used))
	for turn := range mostTurns {
		if err := p.find(ctx, some, fit); err != nil || p.columns == nil {
			return Noise{}, err
		}
		if turn == 0 { // columns first: outliers are seen in units of the noise
			continue
		}
		before := fit
		if fit, err = p.fit(p.y); err != nil {
			return Noise{}, err
		}
		la.Axpy(before, -1, fit)
		if la.Largest(before) < restFit {
			break
		}
	}
	kept := 0.0
	for i, v := range fit {
		if v >= LeastFit {
			kept += p.Weights[i]
		}
	}
	if kept < p.rows/2 { // these are no outliers
		return Noise{}, nil
	}
	out := Noise{Columns: p.columns, Rows: fit}
	la.Scale(unit, out.Columns)
	if len(used) < x.Rows {
		out.Rows, err = p.fit(Divide(x, p.used))
	}
	return out, err
}

// plane is the leading directions of rows whose columns are divided by their noise.
type plane struct {
	Options
	rows    float64 // how many rows count: the sum of weights in units of the median one
	columns []float64
	used    []float64            // the noise of the columns that lead is of
	lead    *softkmeans.Subspace // the leading directions, of rows divided by used
	y       *softkmeans.Matrix   // the rows that were looked at, so divided
	median  float64              // the median squared distance from them; 0: not known yet
}

// counts returns what the squares of divided rows count.
func (p *plane) counts(y *softkmeans.Matrix) []float64 {
	counts := slices.Repeat([]float64{1}, y.Rows)
	if !p.Unit {
		return counts
	}
	most := 0.0
	for i := range counts {
		counts[i] = la.Norm(y.Row(i))
		most = max(most, counts[i])
	}
	for i, length := range counts {
		if counts[i] = 0; length > leastLength*most {
			counts[i] = 1 / length
		}
	}
	return counts
}

// find finds the leading directions in columns divided by their noise, and then the noise anew, from rows
// that count by their fit. columns is nil then if there is none.
func (p *plane) find(ctx context.Context, x *softkmeans.Matrix, fit []float64) error {
	y, sum := Divide(x, p.columns), 0.0
	counts := p.counts(y)
	for i := range counts {
		counts[i] *= fit[i] * p.Weights[i]
		sum += counts[i]
	}
	p.used, p.y, p.median = p.columns, y, 0
	if p.columns = nil; sum == 0 {
		return nil
	}
	o := &softkmeans.Options{Weights: counts, Workers: p.Workers, Solver: softkmeans.SolverGram}
	if p.Unit {
		o.Sum = softkmeans.SumAtMostOne
	}
	all, err := softkmeans.Principal(ctx, y, min(x.Rows-1, x.Cols), o)
	if err != nil {
		return err
	}
	inverse := make([]float64, x.Cols) // the diagonal
	for j := range all.Basis.Rows {
		square := max(all.Squares[j], scarce/16*all.Squares[0])
		for c, v := range all.Basis.Row(j) {
			inverse[c] += v * v / square
		}
	}
	q := min(p.Directions, all.Basis.Rows)
	p.lead = &softkmeans.Subspace{Mean: all.Mean, Squares: all.Squares[:q], Basis: la.FirstRows(all.Basis, q)}
	columns := make([]float64, x.Cols)
	for c, v := range p.used {
		columns[c] = v / math.Sqrt(inverse[c])
	}
	middle := slices.Sorted(slices.Values(columns))[len(columns)/2]
	if !(middle*middle > scarce*all.Squares[0]) {
		return nil
	}
	for c, v := range columns {
		if columns[c] = min(v/middle, mostNoisy); columns[c] < 1./mostNoisy {
			columns[c] = 1
		}
	}
	p.columns = columns
	return nil
}

// fit returns how well divided rows, which it centres, fit the leading directions. The first call sets the
// median.
func (p *plane) fit(y *softkmeans.Matrix) ([]float64, error) {
	counts := p.counts(y)
	z, err := p.lead.Coordinates(nil, y)
	if err != nil {
		return nil, err
	}
	fit, sizes, far := make([]float64, y.Rows), make([]float64, y.Rows), make([]bool, y.Rows)
	most := max(mostLeverage, FarRow*float64(p.Directions)/p.rows)
	for i := range fit {
		row, leverage := y.Row(i), 0.0
		la.Axpy(row, -1, p.lead.Mean)
		sizes[i] = la.SumSquares(row) * counts[i]
		fit[i] = sizes[i]
		for c, v := range z.Row(i) {
			v *= v * counts[i]
			fit[i] -= v
			if square := p.lead.Squares[c]; square > 0 {
				leverage += v / square
			}
		}
		far[i] = leverage > most
	}
	if p.median == 0 { // of rows without noise, what may be rounding
		p.median = max(Median(fit, p.Weights), 0x1p-40*Median(sizes, p.Weights))
	}
	for i, v := range fit {
		fit[i] = 1
		if p.median > 0 {
			fit[i] = 1 / (1 + max(v, 0)/(FarRow*p.median))
		}
		if far[i] {
			fit[i] = 0
		}
	}
	return fit, nil
}

// Unit returns by what rows are divided so that their coordinates, and columns over their noise, stay in
// range: 1, or a power of two for rows near its end.
func Unit(x *softkmeans.Matrix) float64 {
	for i := range x.Rows {
		if la.Largest(x.Row(i)) > 0x1p480 {
			return 0x1p20
		}
	}
	return 1
}

// Divide returns x with each column divided by its noise; nil: all alike.
func Divide(x *softkmeans.Matrix, columns []float64) *softkmeans.Matrix {
	y := x.Clone()
	for i := range y.Rows {
		for c, v := range columns {
			y.Row(i)[c] /= v
		}
	}
	return y
}

// Weights returns given weights (nil: all 1) times the square of each row's fit; 0 for outliers.
func (n Noise) Weights(given []float64) []float64 {
	if n.Rows == nil {
		return given
	}
	out := make([]float64, len(n.Rows))
	for i, v := range n.Rows {
		if v >= LeastFit {
			out[i] = draws.Weight(given, i) * v * v
		}
	}
	return out
}

// Median returns the median of values by weight, the lower of two; nil weights are all 1.
func Median(values, weights []float64) float64 {
	order, left := la.Indices(len(values)), 0.0
	for i := range order {
		left += draws.Weight(weights, i) / 2
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[j], values[i]) })
	for _, i := range order {
		if left -= draws.Weight(weights, i); left < 0 {
			return values[i]
		}
	}
	return values[order[0]] // no row has a weight
}
