package softkmeans

// Two models side by side: which prototype is which, and what moved.

import (
	"math"
	"slices"
	"strconv"
)

// Matching says how the prototypes of a model b are those of a model a.
type Matching struct {
	To   []int // for each prototype of a the one of b; -1 where b has fewer
	From []int // for each prototype of b the one of a; -1 where a has fewer
	// Moved is how far each prototype of a is from its match, in the units of the data; 0
	// where it has none.
	Moved []float64
	// Between is the root mean square distance of two prototypes of a, of which Moved is a
	// share; 0 where a has one.
	Between float64
	// SharesA and SharesB are the mean memberships of each model's own prototypes; nil for a
	// model without Memberships. Every row counts once.
	SharesA, SharesB []float64
	Rows             int   // whose labels were compared; 0: the models have none, or not of as many rows
	Changed          []int // the rows with another label: b's is not the match of a's. Rising
}

// Match finds which prototypes of b are which of a, as those of two fits at two times, with
// two options or of two samples. Each has at most one match. The sum of squared distances
// over the matches is the least, by the exact assignment of [Accuracy], in the units of the
// data: scale the data of both fits by the same numbers. Of models with k and k' prototypes
// |k−k'| stay without a match.
//
// Where both models have labels of as many rows these are taken to be the same rows, and
// Changed lists those whose label is another one.
//
// Cost: O(kk'(d+k)) for k ≤ k', and O(n). Errors: [ErrShape] for different columns and
// centers that are none, [ErrTooFewSamples] for a model without centers.
func Match(a, b *Model) (*Matching, error) {
	if a == nil || b == nil {
		return nil, fail(ErrTooFewSamples, "there is no model")
	}
	if err := firstError(a.checkFitted(), b.checkFitted(), a.checkShares(), b.checkShares()); err != nil {
		return nil, err
	}
	f, g := a.Centers, b.Centers
	if f.Cols != g.Cols {
		return nil, fail(ErrShape, "the models have "+strconv.Itoa(f.Cols)+" and "+strconv.Itoa(g.Cols)+" columns")
	}
	if err := checkSize("the table of distances", f.Rows, g.Rows); err != nil {
		return nil, err
	}
	unit := distanceExp(f, g)
	u, v := timesPower(f, -unit), timesPower(g, -unit)
	m := &Matching{To: matchCenters(u, v), From: slices.Repeat([]int{-1}, g.Rows), Moved: make([]float64, f.Rows)}
	for i, j := range m.To {
		if j >= 0 {
			m.From[j] = i
			m.Moved[i] = math.Ldexp(math.Sqrt(squaredDistance(u.row(i), v.row(j))), unit)
		}
	}
	m.Between = math.Ldexp(between(u), unit)
	m.SharesA, m.SharesB = meanRow(a.Memberships, nil), meanRow(b.Memberships, nil)
	la, err := a.checkedLabels()
	if err != nil {
		return nil, err
	}
	lb, err := b.checkedLabels()
	if err != nil {
		return nil, err
	}
	if len(la) == len(lb) {
		m.Rows = len(la)
		for i, l := range la {
			if m.To[l] != lb[i] {
				m.Changed = append(m.Changed, i)
			}
		}
	}
	return m, nil
}

// checkedLabels is Labels, or an error where one is not that of a center.
func (m *Model) checkedLabels() ([]int, error) {
	labels := m.Labels(nil)
	for i, l := range labels {
		if l < 0 || l >= m.Centers.Rows {
			return nil, fail(ErrShape, "row "+strconv.Itoa(i)+" has label "+strconv.Itoa(l)+" of "+strconv.Itoa(m.Centers.Rows)+" centers")
		}
	}
	return labels, nil
}

// matchCenters returns for each row of f the row of g that it is matched with, or −1: the
// least sum of squared distances. Their differences are in the units of distanceExp.
func matchCenters(f, g *Matrix) []int {
	if f.Rows > g.Rows {
		to := slices.Repeat([]int{-1}, f.Rows)
		for j, i := range matchCenters(g, f) {
			to[i] = j
		}
		return to
	}
	gain := make([]float64, 0, f.Rows*g.Rows)
	for i := range f.Rows {
		for j := range g.Rows {
			gain = append(gain, -squaredDistance(f.row(i), g.row(j)))
		}
	}
	to := make([]int, f.Rows)
	for j, i := range bestAssignment(gain, f.Rows, g.Rows) {
		if i >= 0 {
			to[i] = j
		}
	}
	return to
}

// between is the root mean square distance of two rows of f; 0 for one row.
func between(f *Matrix) float64 {
	var sum float64
	for i := range f.Rows {
		for j := range i {
			sum += squaredDistance(f.row(i), f.row(j))
		}
	}
	return math.Sqrt(sum / max(1, pairs(f.Rows)))
}

// distanceExp is the exponent of the power of two above the largest difference of two rows of
// f and g in a column, but at least 500 below that of their largest entry.
func distanceExp(f, g *Matrix) int {
	widest := 0.0
	for j := range f.Cols {
		least, most := math.Inf(1), math.Inf(-1)
		for _, m := range []*Matrix{f, g} {
			for i := range m.Rows {
				least, most = min(least, m.row(i)[j]), max(most, m.row(i)[j])
			}
		}
		widest = max(widest, most-least)
	}
	_, exp := math.Frexp(widest)
	least := max(entryExp(f), entryExp(g)) - 500
	if widest == 0 {
		return least
	}
	return max(exp, least)
}

// columnExps are the exponents of the powers of two above the largest entries of the columns
// of f and g.
func columnExps(f, g *Matrix) []int {
	top := make([]float64, f.Cols)
	for _, m := range []*Matrix{f, g} {
		for i := range m.Rows {
			for j, v := range m.row(i) {
				top[j] = max(top[j], math.Abs(v))
			}
		}
	}
	exps := make([]int, len(top))
	for j, v := range top {
		_, exps[j] = math.Frexp(v)
	}
	return exps
}

// entryExp is the exponent of the power of two above the largest entry of m.
func entryExp(m *Matrix) (exp int) {
	top := 0.0
	for i := range m.Rows {
		most, _ := rowMaxAbs(m.row(i))
		top = max(top, most)
	}
	_, exp = math.Frexp(top)
	return exp
}

// timesPower returns 2^exp·m.
func timesPower(m *Matrix, exp int) *Matrix {
	out := NewMatrix(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		for c, v := range m.row(i) {
			out.row(i)[c] = math.Ldexp(v, exp)
		}
	}
	return out
}

// meanRow returns the mean of the rows of g by these weights, nil for all 1, of which one is
// above 0; nil where there are no rows.
func meanRow(g *Matrix, weights []float64) []float64 {
	if g == nil || g.Rows == 0 {
		return nil
	}
	sum, of := make([]float64, g.Cols), 0.0
	heaviest, _ := rowMaxAbs(weights)
	for i := range g.Rows {
		w := 1.0
		if weights != nil {
			w = weights[i] / heaviest
		}
		of += w
		axpy(sum, w, g.row(i))
	}
	scale(sum, 1/of)
	return sum
}

// checkShares is an error if Memberships is not a matrix of finite numbers with a column for
// each center.
func (m *Model) checkShares() error {
	g := m.Memberships
	if g == nil {
		return nil
	}
	if err := checkMatrix("Memberships", g, mostCenter); err != nil {
		return err
	}
	if g.Cols != m.Centers.Rows {
		return fail(ErrShape, "Memberships has "+strconv.Itoa(g.Cols)+" columns, there are "+strconv.Itoa(m.Centers.Rows)+" centers")
	}
	return nil
}
