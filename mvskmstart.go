package softkmeans

// Starts of the alternating methods: k-means centers, extreme samples, the global simplex.

import (
	"math"
	"math/rand/v2"
	"slices"
)

// The effort of InitKMeans. kmeansRuns starts of k-means++ take firstSteps iterations in the principal
// subspace. The kmeansKept best continue there, up to kmeansSteps iterations. The kmeansLifted best of these
// take liftedSteps iterations on the samples themselves. For more than kmeansRows rows these runs are on a
// random sample of kmeansRows rows, and the best one continues on all rows. If a step takes more than
// kmeansWork multiplications, the numbers of runs and kmeansSteps are reduced in proportion.
const (
	kmeansRuns   = 20
	firstSteps   = 4
	kmeansKept   = 6
	kmeansSteps  = 100
	kmeansLifted = 3
	liftedSteps  = 10
	kmeansRows   = 10000
	kmeansWork   = 1 << 23
)

// startCenters returns the centers with which a restart begins.
func (m *alternation) startCenters(restart int) (from runStart, err error) {
	from.restart = restart
	switch {
	case m.o.Centers != nil:
		from.f = m.data.fromData(m.o.Centers, m.axes)
	case m.fixed.Rows > 0:
		from.f, err = m.besideFixed(restart)
	case m.o.Init == InitSPA || m.manyCenters() && !m.quick:
		from.f = m.extremeRows(restart)
	case m.o.Init == InitGlobal:
		from.f, err = m.globalCenters()
	default:
		from.f, err = m.kmeansCenters(rand.New(rand.NewPCG(m.o.Seed, uint64(restart))))
	}
	return from, err
}

// globalCenters returns the start of InitGlobal, for SumToOne: the tight simplex of the global solution.
func (m *alternation) globalCenters() (*Matrix, error) {
	o := &Options{Enclosure: EnclosureTight}
	g := NewMatrix(m.data.n, m.k, nil)
	e, err := placeSimplex(m.rows, g, m.pc.basis, o)
	if err != nil {
		return nil, err
	}
	return m.data.fromData(simplexCenters(m.data, e, m.pc.basis), m.axes), nil
}

// chosenStart returns the result of runStarts if there are several starts. A single start is not run: best is
// then nil.
func (m *alternation) chosenStart(lambda float64) (best *volumeRun, from runStart, err error) {
	if m.o.Restarts > 1 {
		return m.runStarts(lambda)
	}
	from, err = m.startCenters(0)
	return nil, from, err
}

// runStarts runs all restarts at one λ and returns the run of the lowest loss, with its start. If the context
// ends it returns the best run so far and the context's error.
func (m *alternation) runStarts(lambda float64) (best *volumeRun, from runStart, err error) {
	for r := range m.o.Restarts {
		start, err := m.startCenters(r)
		if err != nil {
			return best, from, err
		}
		out := m.run(start, lambda, m.most, nil)
		if out != nil && (best == nil || out.lossAt(lambda) < best.lossAt(lambda)) {
			best, from = out, start
		}
		if err := cancelled(m.s.ctx); err != nil {
			return best, from, err
		}
	}
	return best, from, nil
}

// kmeansCenters returns the start of InitKMeans.
//
// The runs are made in the principal subspace, which contains the optimum of the relaxed problem (Ding & He
// 2004), in a fraction of the time. The runs with the lowest inertia after a few steps continue until they
// converge. The best of those continue in all coordinates, where the run with the lowest inertia is chosen.
// Such a run mostly ends with a lower inertia than a run that begins in all coordinates.
func (m *alternation) kmeansCenters(rng *rand.Rand) (*Matrix, error) {
	all, axes := m.principalRows()
	s, w, rows := m.fewRows(all, rng)
	z := m.z
	if rows != nil {
		z = chosenRows(z, rows)
	}
	part := m.kmeansEffort(w)
	runs, err := m.kmeansInPlane(s, w, rng, part)
	if err != nil {
		return nil, err
	}
	runs = runs[:min(part(kmeansLifted), len(runs))]
	for i, r := range runs {
		runs[i].f = combine(s.ctx, r.f, axes)
	}
	slow := newClustering(s, z, m.k)
	if err := slow.race(runs, liftedSteps); err != nil {
		return nil, err
	}
	if z != m.z {
		slow = newClustering(m.s, m.z, m.k)
	}
	_, err = slow.lloyd(runs[0].f, part(kmeansSteps))
	return runs[0].f, err
}

// fewRows returns the rows for k-means. Up to kmeansRows rows these are m.s and a copy of w, and rows is nil.
// Otherwise they are a random sample by weight, and rows contains its kmeansRows indices.
func (m *alternation) fewRows(w *Matrix, rng *rand.Rand) (s *samples, few *Matrix, rows []int) {
	if w.Rows <= kmeansRows {
		return m.s, w.Clone(), nil
	}
	rows = drawRows(rng, kmeansRows, m.s.n, m.s.weight)
	return m.s.some(kmeansRows, nil), chosenRows(w, rows), rows
}

// kmeansEffort returns the function that reduces a number of runs or steps: in proportion if a step on w
// takes more than kmeansWork multiplications, and to a quarter if manyCenters holds.
func (m *alternation) kmeansEffort(w *Matrix) func(count int) int {
	share := min(1, kmeansWork/(float64(w.Rows)*float64(w.Cols)*float64(m.k)))
	if m.manyCenters() {
		share /= 4
	}
	return func(count int) int { return int(math.Ceil(share * float64(count))) }
}

// kmeansInPlane returns the best runs of k-means, best first, on rows w in the principal subspace.
func (m *alternation) kmeansInPlane(
	s *samples, w *Matrix, rng *rand.Rand, part func(count int) int,
) ([]kmeansRun, error) {
	quick := newClustering(s, w, m.k)
	runs := make([]kmeansRun, part(kmeansRuns))
	for i := range runs {
		runs[i].f = quick.plusPlus(rng)
	}
	same := func(a, b kmeansRun) bool { return math.Abs(b.inertia-a.inertia) <= 1e-5*a.inertia }
	for _, stage := range [...][2]int{{part(kmeansRuns), firstSteps}, {part(kmeansKept), part(kmeansSteps)}} {
		runs = runs[:min(stage[0], len(runs))]
		if err := quick.race(runs, stage[1]); err != nil {
			return nil, err
		}
		runs = slices.CompactFunc(runs, same)
	}
	return runs, nil
}

// kmeansShare returns the part of the variance in the principal subspace that k-means explains.
func (m *alternation) kmeansShare() (float64, error) {
	rng := rand.New(rand.NewPCG(m.o.Seed, 0x5a4e))
	all, _ := m.principalRows()
	s, w, _ := m.fewRows(all, rng)
	runs, err := m.kmeansInPlane(s, w, rng, func(count int) int { return (m.kmeansEffort(w)(count) + 3) / 4 })
	if err != nil {
		return 0, err
	}
	return 1 - runs[0].inertia/squaresBeyond(s, w, nil), nil
}

// manyCenters reports whether centers are many. FitMinVolume then starts by InitSPA unless Init says
// otherwise, and k-means makes fewer runs. From k-means centers, each row begins with few of them, and the
// supports of all rows must change. On five simulated mixtures of 40 to 100 corners InitSPA took 55 to 85 %
// of the time from an inflated simplex of k-means centers, and memberships were as near to the truth, within
// 2 %. On 18 tables of 33 to 100 clusters labels were as good. On six real tables with k = 40 the penalty
// changed by −0.34 to 0.09.
func (m *alternation) manyCenters() bool { return m.k > 32 && (m.eps > 0 || m.many) }

// extremeRows returns the start of InitSPA, found in the principal subspace. Restarts apply a random linear
// map to the subspace first, so that other rows are the farthest (randomized SPA: Vu & Gillis 2022).
func (m *alternation) extremeRows(restart int) *Matrix {
	w, _ := m.principalRows()
	if restart > 0 {
		rng, axes := rand.New(rand.NewPCG(m.o.Seed, uint64(restart))), NewMatrix(w.Cols, w.Cols, nil)
		for i := range axes.Data {
			axes.Data[i] = rng.NormFloat64()
		}
		w = combine(m.s.ctx, w, axes)
	}
	f := NewMatrix(m.k, m.r, nil)
	for j, i := range farthestRows(m.s, w, m.k, m.o.Sum == SumToOne) {
		copy(f.row(j), m.z.row(i))
	}
	return f
}

// farthestRows returns k rows of positive weight by successive projection: the row farthest from 0, then each
// time the row farthest from the linear or affine hull of the rows before. If ctx ends farthestRows returns
// fewer rows, and the next pass over the samples returns the error.
func farthestRows(s *samples, w *Matrix, k int, affine bool) (rows []int) {
	rest := w.Clone()
	for j := range k {
		if stopped(s.ctx) {
			return rows
		}
		best, most := 0, -1.0
		for i := range w.Rows {
			if d := sumSquares(rest.row(i)); d > most && s.weight(i) > 0 {
				best, most = i, d
			}
		}
		rows = append(rows, best)
		if most <= 0 {
			continue
		}
		top := slices.Clone(rest.row(best))
		if j == 0 && affine {
			for i := range w.Rows {
				axpy(rest.row(i), -1, top)
			}
			continue
		}
		scale(top, 1/norm2(top))
		for i := range w.Rows {
			projectOut(rest.row(i), top)
		}
	}
	return rows
}

// besideFixed returns the start for a problem with fixed centers. The free centers of restart 0 are rows:
// each is the row farthest from the simplex of the centers before it, in the principal subspace, or a random
// row if all rows are in that simplex. Other restarts take random rows for all free centers.
func (m *alternation) besideFixed(restart int) (*Matrix, error) {
	w, axes := m.principalRows()
	w = w.Clone()
	f, rng := NewMatrix(m.k, m.r, nil), rand.New(rand.NewPCG(m.o.Seed, uint64(restart)))
	copyRows(f, m.fixed)
	corners := combine(m.s.ctx, f, axes.transposed())
	for j := m.fixed.Rows; j < m.k; j++ {
		near, g := rowsOf(corners, 0, j), NewMatrix(w.Rows, j, nil)
		if err := newSimplexProblem(near, m.o.Sum, false).solve(m.s.parallelism, g, w); err != nil {
			return nil, err
		}
		mixed := combine(m.s.ctx, g, near)
		best, most := drawRows(rng, 1, m.s.n, m.s.weight)[0], roundedFloor*m.perWeight(m.pc.total)
		for i := 0; i < w.Rows && restart == 0; i++ {
			if far := squaredDistance(w.row(i), mixed.row(i)); far > most && m.s.weight(i) > 0 {
				best, most = i, far
			}
		}
		copy(f.row(j), m.z.row(best))
		copy(corners.row(j), w.row(best))
	}
	return f, nil
}
