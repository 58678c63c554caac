package softkmeans

// Fits and memberships of rows with missing entries.

import "context"

// PredictMissing returns the memberships of rows in which a NaN marks a missing entry, as [Model.Predict]
// does of whole rows. Each row gets the exact minimiser of the squared error over the entries that are
// there.
//
// Where these are few (k > entries+1 is enough) many mixtures are equally near, and the memberships are
// those of least norm, as in [SimplexLeastSquares]. A row without any entry has 1/k each, and 1/(k+1) under
// SumAtMostOne. Without a missing entry the result is that of Predict, to the bit.
//
// Cost: O(dk) a row, and O(dk² + k³) for each set of columns that are there. dst, and errors: as for
// Predict; an infinity is an [ErrNonFinite].
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

// PredictMissingLabels returns the labels of rows in which a NaN marks a missing entry, as
// [Model.PredictLabels] does of whole rows. The row's mixture of centers, by [Model.PredictMissing], stands
// in for missing entries. Without ClusterMeans the label is the largest membership.
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
	order, centers, all := g.order(), m.Centers.Clone(), indices(m.Centers.Rows)
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
		bg, f, seen := context.Background(), chosenColumns(centers, all, there), chosenColumns(x, rows, there)
		part := NewMatrix(len(rows), centers.Rows, nil)
		if m.Rows == RowsUnit {
			errs[t] = coneShares(bg, 1, part, nil, seen, f)
		} else {
			errs[t] = newSimplexProblem(f, m.Sum).solve(bg, part, seen, 1)
		}
		for i, at := range rows {
			copy(dst.row(at), part.row(i))
		}
	})
	return firstError(errs...)
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

// FitMissing fits a table with gaps by [FitMinVolume]: mark missing entries by NaN, and read Centers,
// Memberships and [Model.Labels]. Use [Model.PredictMissing] for new rows. Entries should be missing at
// random, as [Complete] says.
//
// # Details
//
// It fits the table of [Complete]. Then each row gets the memberships of [Model.PredictMissing]. Without a
// missing entry the result is that of FitMinVolume, to the bit. The slack is a share of what Complete's
// model expects the floor to be without gaps; the completed table's own floor is lower.
//
// Objective is the weighted squared error over the entries that are there, and Total that of k = 1. No
// floor is proved of such a table: Floor is an estimate, and FloorError reaches down to 0. VolumeRatio is
// 0, and Missing how many entries were missing. Lambda, Trace, Stationarity, Warnings and ClusterMeans are
// those of the completed table; Clusters are those of [Model.PredictMissingLabels].
//
// A row without any entry does not count. Status is StatusIterationLimit where that of Complete is.
// RowsUnit and Trim are an [ErrOption]. Cost: that of Complete, FitMinVolume and PredictMissing; three
// copies of x at a time. Errors and ctx: those of FitMinVolume, and of Complete; no model where ctx ends in
// that.
func FitMissing(ctx context.Context, x *Matrix, k int, opts *MinVolumeOptions) (*Model, error) {
	o := orZero(opts)
	if err := firstError(checkMinVolume(x, k, &o), checkGivenRows(&o)); err != nil {
		return nil, err
	}
	g, err := openGaps(ctx, x, o.Weights, o.Workers)
	if err != nil {
		return nil, err
	}
	if g.total == 0 {
		return FitMinVolume(ctx, x, k, &o)
	}
	full, err := g.complete(ctx, x, k, &Options{Weights: o.Weights, Workers: o.Workers, Sum: o.Sum})
	if err != nil {
		return nil, err
	}
	o.Weights = g.weights(o.Weights)
	m, err := fitMinVolume(ctx, full.X, k, &o, full.floor)
	if m == nil {
		return nil, err
	}
	if m.Status == StatusConverged {
		m.Status = full.Status
	}
	if wrong := m.observe(x, g, &o); wrong != nil { // what is left to do is short
		return nil, wrong
	}
	// The floor is an estimate. The minimum is between 0 and the objective, wherever the estimate is.
	m.Floor = min(full.floor*g.share(o.Weights), m.Objective, m.Total)
	m.FloorError = max(m.Floor, m.Objective-m.Floor)
	if m.Gap = 0; m.Total > 0 {
		m.Gap = quotient(m.Objective-m.Floor, m.Total)
	}
	return m, err
}

// observe takes a fit of a completed table to the entries of x that are there: memberships, labels,
// objective and total.
func (m *Model) observe(x *Matrix, g *gaps, o *MinVolumeOptions) error {
	bg, workers := context.Background(), workerCount(o.Workers)
	m.Missing, m.VolumeRatio = g.total, 0
	if err := m.predictGaps(m.Memberships, x, g, workers); err != nil {
		return err
	}
	// Missing entries that are those of the mixture have no error, those that are the mean of their column
	// (or 0) no part in the total.
	filled := g.mixtures(x, m.Memberships, m.Centers)
	if err := (metric{m.ClusterMeans, m.ClusterAxes}).nearest(bg, workers, m.Clusters, filled); err != nil {
		return err
	}
	centers := m.Centers
	if m.Sum == SumToOne { // far from 0 mixtures are rounded, and near a center they are not
		centers = lessRow(m.Centers, m.Centers.row(0))
		filled = g.mixtures(lessRow(x, m.Centers.row(0)), m.Memberships, centers)
	}
	s, err := newSamples(bg, filled, o.Weights, o.Workers, m.Sum == SumToOne)
	if err != nil {
		return err
	}
	objective, err := objectiveOf(s, centers, m.Memberships, m.Sum)
	if err != nil {
		return err
	}
	if m.Objective = s.unscaleSquare(objective); objective > 0 {
		m.Objective = outward(m.Objective)
	}
	if m.Sum == SumToOne {
		err = g.fillMeans(filled, o.Weights)
	} else {
		g.fill(filled, func(_, _ int) float64 { return 0 })
	}
	if err != nil {
		return err
	}
	if s, err = newSamples(bg, filled, o.Weights, o.Workers, m.Sum == SumToOne); err != nil {
		return err
	}
	total, _, err := s.totalSquares()
	m.Total = s.unscaleSquare(total)
	return err
}

// lessRow returns the rows of m less origin. Entries near it are exact.
func lessRow(m *Matrix, origin []float64) *Matrix {
	out := NewMatrix(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		for j, v := range m.row(i) {
			out.row(i)[j] = v - origin[j]
		}
	}
	return out
}

// share returns the share of the entries that are there, weighted.
func (g *gaps) share(weights []float64) float64 {
	weight, sum, all := weightOf(weights), 0.0, 0.0
	for i, n := range g.counts {
		w := weight(i)
		all += w * float64(g.d)
		sum += w * float64(g.d-n)
	}
	return sum / all
}
