package softkmeans

// Memberships of rows with missing entries.

import (
	"context"
)

// PredictMissing is [Model.Predict] for rows in which a NaN marks a missing entry: for each
// row the exact minimiser of the squared error over the entries that are there.
//
// Where these are few, centers may be affinely dependent on them (k > entries+1 is enough),
// and many mixtures are equally near. The memberships of least norm are then found, as
// [SimplexLeastSquares] does. A row without any entry so has 1/k each, and 1/(k+1) under
// SumAtMostOne.
//
// Without a missing entry the result is that of Predict, to the bit. Cost: O(dk) a row, and
// O(dk² + k³) for each set of columns that are there: rows with the same set share one
// problem. dst, and errors: as for Predict; an infinity is an [ErrNonFinite].
func (m *Model) PredictMissing(dst, x *Matrix) (*Matrix, error) {
	g, err := m.gapsOf(x)
	if err != nil {
		return nil, err
	}
	if g.total == 0 {
		return m.Predict(dst, x)
	}
	dst = destination(dst, x.Rows, m.Centers.Rows)
	return dst, m.predictGaps(dst, x, g, workerCount(0))
}

// PredictMissingLabels is [Model.PredictLabels] for rows in which a NaN marks a missing
// entry. In place of a missing entry stands that of the row's mixture of centers, with the
// memberships of [Model.PredictMissing]. Without ClusterMeans it is the largest of these.
//
// dst, and errors: as for PredictLabels. Cost: that of PredictMissing, and a copy of x.
func (m *Model) PredictMissingLabels(dst []int, x *Matrix) ([]int, error) {
	g, err := m.gapsOf(x)
	if err != nil {
		return nil, err
	}
	if g.total == 0 {
		return m.PredictLabels(dst, x)
	}
	members := NewMatrix(x.Rows, m.Centers.Rows, nil)
	if err := m.predictGaps(members, x, g, workerCount(0)); err != nil {
		return nil, err
	}
	if m.ClusterMeans == nil {
		return largest(dst, members), nil
	}
	return m.PredictLabels(dst, g.mixtures(x, members, m.Centers))
}

// gapsOf checks rows for PredictMissing, and finds their missing entries.
func (m *Model) gapsOf(x *Matrix) (*gaps, error) {
	if err := firstError(m.checkFitted(), checkEnum("Sum", m.Sum, sumCount), checkShape("x", x)); err != nil {
		return nil, err
	}
	if err := m.checkRows(x.Rows, x.Cols); err != nil {
		return nil, err
	}
	return findGaps(context.Background(), x, workerCount(0))
}

// sharedRows is how many rows at most share one problem.
const sharedRows = 1024

// predictGaps overwrites dst with the memberships of the rows of x. dst may be x or centers.
func (m *Model) predictGaps(dst, x *Matrix, g *gaps, workers int) error {
	order, centers := g.order(), m.Centers.Clone()
	var tasks []span // of order, whose rows have the same entries missing
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && hi < lo+sharedRows && g.same(order[hi], order[lo]) {
			hi++
		}
		tasks = append(tasks, span{lo, hi})
		lo = hi
	}
	errs := make([]error, len(tasks))
	runTasks(workers, len(tasks), func(_, t int) {
		rows := order[tasks[t].lo:tasks[t].hi]
		there, _ := g.columns(rows[0], nil, nil)
		seen := &Model{Centers: chosenColumns(centers, indices(centers.Rows), there), Sum: m.Sum, Rows: m.Rows}
		part := NewMatrix(len(rows), centers.Rows, nil)
		errs[t] = seen.solveChecked(part, chosenColumns(x, rows, there))
		for i, at := range rows {
			copy(dst.row(at), part.row(i))
		}
	})
	return firstError(errs...)
}

// solveChecked is Predict for checked rows, on the caller's goroutine.
func (m *Model) solveChecked(dst, x *Matrix) error {
	if m.Rows == RowsUnit {
		return coneShares(context.Background(), 1, dst, nil, x, m.Centers)
	}
	return newSimplexProblem(m.Centers, m.Sum).solve(context.Background(), dst, x, 1)
}

// chosenColumns returns some columns of some rows of m.
func chosenColumns(m *Matrix, rows, columns []int) *Matrix {
	out := NewMatrix(len(rows), len(columns), nil)
	for i, at := range rows {
		from, to := m.row(at), out.row(i)
		for l, j := range columns {
			to[l] = from[j]
		}
	}
	return out
}

// mixtures returns x with each missing entry that of its row's mixture of centers.
func (g *gaps) mixtures(x, members, centers *Matrix) *Matrix {
	out := x.Clone()
	g.fill(out, func(i, j int) (v float64) {
		for a, share := range members.row(i) {
			v += share * centers.row(a)[j]
		}
		return v
	})
	return out
}
