package stability

import (
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
	"softkmeans/metrics"
)

// Matching matches the prototypes of a model a with the prototypes of a model b.
type Matching struct {
	To   []int // To[i] is the index of the prototype of b that matches prototype i of a; -1: none
	From []int // for each prototype of b its match in a; -1: none
	// Moved is the distance of each prototype of a from its match, in the units of the data; 0: no match.
	Moved []float64
	// Between is the root mean square distance of two prototypes of a, to compare Moved with; 0 if a has one.
	Between float64
	Rows    int   // the rows whose labels were compared; 0: none
	Changed []int // indices of the rows, ascending, whose label in b is not the match of their label in a
}

// Match matches the prototypes of the models a and b, for example of two fits with different options or rows.
// Their Centers must contain the same columns in the same scaling. Read To. Each prototype has at most one
// match. The matches minimise the sum of squared distances (see [metrics.Assignment]).
//
// If both models contain labels of equally many rows, Match assumes that the rows are the same, and Changed
// lists the rows whose label changed.
//
// Cost: O(kk'(d+k)) for k ≤ k', and O(n). Errors: [softkmeans.ErrShape] for different columns or too many
// pairs, [softkmeans.ErrTooFewSamples] for a model without centers, and the errors of
// [softkmeans.Model.Check].
func Match(a, b *softkmeans.Model) (*Matching, error) {
	for _, m := range []*softkmeans.Model{a, b} {
		if m == nil || m.Centers == nil || m.Centers.Rows == 0 {
			return nil, fault.New(softkmeans.ErrTooFewSamples, "the model has no centers")
		}
		if err := m.Check(); err != nil {
			return nil, err
		}
	}
	f, g := a.Centers, b.Centers
	if f.Cols != g.Cols {
		return nil, fault.New(softkmeans.ErrShape,
			"the models have ", f.Cols, " and ", g.Cols, " columns")
	}
	if f.Rows > mostPairs/g.Rows {
		return nil, fault.New(softkmeans.ErrShape, "the table of distances is too large to address")
	}
	unit := distanceExp(f, g)
	u, v := timesPower(f, -unit), timesPower(g, -unit)
	m := &Matching{To: matchCenters(u, v, nil), Moved: make([]float64, f.Rows)}
	m.From = slices.Repeat([]int{-1}, g.Rows)
	for i, j := range m.To {
		if j >= 0 {
			m.From[j] = i
			m.Moved[i] = math.Ldexp(math.Sqrt(la.SquaredDistance(u.Row(i), v.Row(j))), unit)
		}
	}
	m.Between = math.Ldexp(between(u), unit)
	if la, lb := a.Labels(nil), b.Labels(nil); len(la) == len(lb) {
		m.Rows = len(la)
		for i, l := range la {
			if m.To[l] != lb[i] {
				m.Changed = append(m.Changed, i)
			}
		}
	}
	return m, nil
}

// mostPairs bounds the number of distances in Match.
const mostPairs = math.MaxInt32 / 16

// matchCenters returns for each row of f its matching row of g, or −1. The matches have the least sum of
// squared distances. Their differences are in the units of distanceExp. If fixed is not nil, its rows are the
// first rows of f and of g, and row i of f is matched with row i of g.
func matchCenters(f, g, fixed *softkmeans.Matrix) []int {
	gain := softkmeans.NewMatrix(f.Rows, g.Rows, nil)
	for i := range f.Rows {
		for j := range g.Rows {
			gain.Set(i, j, -la.SquaredDistance(f.Row(i), g.Row(j)))
		}
	}
	return assign(gain, fixed)
}

// assign returns metrics.Assignment of gain, in which the first rows and columns, as many as there are fixed
// centers, belong together. fixed may be nil.
func assign(gain, fixed *softkmeans.Matrix) []int {
	if fixed == nil {
		return metrics.Assignment(gain)
	}
	n := fixed.Rows
	free := softkmeans.NewMatrix(gain.Rows-n, gain.Cols-n, nil)
	to := make([]int, n, gain.Rows)
	for i := range free.Rows {
		copy(free.Row(i), gain.Row(n + i)[n:])
	}
	for i := range to {
		to[i] = i
	}
	for _, at := range metrics.Assignment(free) {
		to = append(to, n+at)
	}
	return to
}

// between returns the root mean square distance of two rows of f; 0 for one row.
func between(f *softkmeans.Matrix) float64 {
	var sum float64
	for i := range f.Rows {
		for j := range i {
			sum += la.SquaredDistance(f.Row(i), f.Row(j))
		}
	}
	k := float64(f.Rows)
	return math.Sqrt(sum / max(1, k*(k-1)/2))
}

// distanceExp returns the exponent of the power of two above the largest difference, within a column, between
// entries of f and g. The result is at least the exponent of the largest entry less 500.
func distanceExp(f, g *softkmeans.Matrix) int {
	widest, top := 0.0, 0.0
	for j := range f.Cols {
		least, most := math.Inf(1), math.Inf(-1)
		for _, m := range []*softkmeans.Matrix{f, g} {
			for i := range m.Rows {
				least, most = min(least, m.At(i, j)), max(most, m.At(i, j))
			}
		}
		widest, top = max(widest, most-least), max(top, most, -least)
	}
	_, exp := math.Frexp(widest)
	_, least := math.Frexp(top)
	if least -= 500; widest == 0 {
		return least
	}
	return max(exp, least)
}

// timesPower returns 2^exp·m.
func timesPower(m *softkmeans.Matrix, exp int) *softkmeans.Matrix {
	out := m.Clone()
	for i, v := range out.Data {
		out.Data[i] = math.Ldexp(v, exp)
	}
	return out
}

// meanRow returns the mean of the rows of g by these weights; nil: all 1. One weight must be above 0.
func meanRow(g *softkmeans.Matrix, weights []float64) []float64 {
	sum, of, heaviest := make([]float64, g.Cols), 0.0, 1.0
	if weights != nil {
		heaviest = slices.Max(weights)
	}
	for i := range g.Rows {
		w := 1.0
		if weights != nil {
			w = weights[i] / heaviest
		}
		of += w
		la.Axpy(sum, w, g.Row(i))
	}
	la.Scale(1/of, sum)
	return sum
}
