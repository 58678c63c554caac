package softkmeans

// Where the alternating methods start: k-means centers, extreme samples, the global simplex.

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// The effort of InitKMeans. kmeansRuns starts of k-means++ take firstSteps iterations in the principal
// subspace. The kmeansKept best go on there, up to kmeansSteps, and the kmeansLifted best of these take
// liftedSteps on the samples themselves. Where there are more than kmeansRows rows, that many are drawn for
// all this. The best run then continues on all rows. A step of more than kmeansWork products makes these
// counts smaller, in proportion.
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

// startCenters returns the centers that a restart begins with.
func (m *alternation) startCenters(restart int) (from runStart, err error) {
	from.restart = restart
	switch {
	case m.o.Centers != nil:
		from.f = m.fromData(m.o.Centers)
	case m.o.Init == InitSPA:
		from.f = m.extremeRows()
	case m.o.Init == InitGlobal:
		from.f, err = m.globalCenters()
	default:
		from.f, err = m.kmeansCenters(rand.New(rand.NewPCG(m.o.Seed, uint64(restart))))
	}
	return from, err
}

// globalCenters returns the start of InitGlobal: the tight simplex of the global solution.
func (m *alternation) globalCenters() (*Matrix, error) {
	s := m.data
	out, err := Fit(s.ctx, s.x, m.k, &Options{
		Weights: m.o.Weights, Workers: m.o.Workers, Enclosure: EnclosureTight, Sum: m.o.Sum,
	})
	if err != nil {
		return nil, err
	}
	return m.fromData(out.Centers), nil
}

// chosenStart returns the start whose run at λ has the lowest loss. Without restarts there is no run.
func (m *alternation) chosenStart(lambda float64) (from runStart, run *volumeRun, err error) {
	if m.o.Restarts == 1 {
		from, err = m.startCenters(0)
		return from, nil, err
	}
	run, from, err = m.runStarts(lambda)
	return from, run, err
}

// runStarts runs all restarts at one λ and returns the one of the lowest loss, with its start. If the
// context ends the result is the best so far and the context's error.
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

// sampleRow draws an index with probability proportional to its share. It returns 0 where all shares are 0.
func sampleRow(rng *rand.Rand, shares []float64) int {
	left := rng.Float64() * sumOf(shares)
	last := 0
	for i, v := range shares {
		if v > 0 {
			last = i
			if left -= v; left < 0 {
				return i
			}
		}
	}
	return last
}

// clustering is k-means of k clusters of the rows z, and what its steps keep. They allocate nothing but
// goroutines.
type clustering struct {
	s       *samples // weights, workers and context of the rows
	z       *Matrix
	k       int
	f       *Matrix
	squares []float64 // ‖z_i‖²
	half    []float64 // ‖f_j‖²/2
	sums    []clusterSums
	workers []clusterMemory
	step    int // rows of a block
	task    func(worker, chunk int)
	scratch []float64 // of plusPlus
}

// clusterSums is what a chunk of samples adds to the clusters, with its sample that is farthest from a
// center.
type clusterSums struct {
	rows    *Matrix
	weights []float64
	inertia float64
	far     float64
	farRow  int
}

// clusterMemory is the scratch space of one worker: products, and by cluster the samples of a block with
// their weights.
type clusterMemory struct {
	b, shares    []float64
	users, count []int
}

func newClustering(s *samples, z *Matrix, k int) *clustering {
	n, r := z.Rows, z.Cols
	c := chunks(n, r, reduceChunks)
	l := &clustering{
		s: s, z: z, k: k,
		squares: make([]float64, n), half: make([]float64, k), scratch: make([]float64, 3*n),
		sums: make([]clusterSums, c), workers: make([]clusterMemory, max(1, min(s.workers, c))),
		step: min(blockRows(n, r), max(n, 1)),
	}
	for i := range n {
		l.squares[i] = sumSquares(z.row(i))
	}
	for t := range l.sums {
		l.sums[t].rows, l.sums[t].weights = NewMatrix(k, r, nil), make([]float64, k)
	}
	l.task = l.assign
	return l
}

// assign runs one task of a step: it finds the nearest center of a chunk's samples.
func (l *clustering) assign(worker, task int) {
	p, h := &l.sums[task], &l.workers[worker]
	n, r, k := l.z.Rows, l.z.Cols, l.k
	if h.b == nil {
		h.b, h.shares = make([]float64, k*l.step), make([]float64, k*l.step)
		h.users, h.count = make([]int, k*l.step), make([]int, k)
	}
	clear(p.rows.Data)
	clear(p.weights)
	p.inertia, p.far, p.farRow = 0, -1, -1
	first, last := taskRange(n, len(l.sums), task)
	for lo := first; lo < last && !stopped(l.s.ctx); lo += l.step {
		hi := min(lo+l.step, last)
		z, b := l.z.Data[lo*r:hi*r], h.b[:(hi-lo)*k]
		clear(b)
		clear(h.count)
		addMulNT(b, k, z, hi-lo, l.f.Data, k, r, false)
		for i := range hi - lo {
			row := b[i*k : (i+1)*k]
			best, most := 0, row[0]-l.half[0]
			for j, v := range row {
				if v -= l.half[j]; v > most {
					best, most = j, v
				}
			}
			w := l.s.weight(lo + i)
			if w == 0 {
				continue
			}
			d := max(0, l.squares[lo+i]-2*most)
			p.inertia += w * d
			p.weights[best] += w
			at := best*l.step + h.count[best]
			h.users[at], h.shares[at] = i, w
			h.count[best]++
			if d > p.far {
				p.far, p.farRow = d, lo+i
			}
		}
		for j, count := range h.count {
			at := j * l.step
			addRows(p.rows.row(j), h.shares[at:at+count], h.users[at:at+count], z)
		}
	}
}

// plusPlus draws seeds of k-means++.
func (l *clustering) plusPlus(rng *rand.Rand) *Matrix {
	n, r := l.z.Rows, l.z.Cols
	f, scratch := NewMatrix(l.k, r, nil), l.scratch
	shares, best, trial := scratch[:n], scratch[n:2*n], scratch[2*n:]
	for i := range shares {
		shares[i] = l.s.weight(i)
	}
	copy(f.row(0), l.z.row(sampleRow(rng, shares)))
	distances := func(dst []float64, to []float64) (sum float64) {
		for i := range n {
			var d float64
			for c, v := range l.z.row(i) {
				v -= to[c]
				d += v * v
			}
			dst[i] = min(shares[i], l.s.weight(i)*d)
			sum += dst[i]
		}
		return sum
	}
	for i := range shares {
		shares[i] = math.Inf(1)
	}
	distances(shares, f.row(0))
	tries := 2 + int(math.Log(float64(l.k)))
	for j := 1; j < l.k; j++ {
		least := math.Inf(1)
		for range tries {
			if stopped(l.s.ctx) { // the next pass over the samples returns the error
				return f
			}
			i := sampleRow(rng, shares)
			if sum := distances(trial, l.z.row(i)); sum < least {
				least = sum
				best, trial = trial, best
				copy(f.row(j), l.z.row(i))
			}
		}
		shares, best = best, shares
	}
	return f
}

// lloyd runs Lloyd's iteration from f, which it overwrites, and returns the inertia. An empty cluster moves
// to the sample that is farthest from its center.
func (l *clustering) lloyd(f *Matrix, steps int) (inertia float64, err error) {
	last := math.Inf(1)
	l.f = f
	for range steps {
		for j := range l.half {
			l.half[j] = sumSquares(f.row(j)) / 2
		}
		runTasks(l.s.workers, len(l.sums), l.task)
		if err := cancelled(l.s.ctx); err != nil {
			return 0, err
		}
		inertia = 0
		far, farRow := -1.0, 0
		sums, weights := l.sums[0].rows, l.sums[0].weights
		for t := range l.sums {
			p := &l.sums[t]
			inertia += p.inertia
			if t > 0 {
				axpy(sums.Data, 1, p.rows.Data)
				axpy(weights, 1, p.weights)
			}
			if p.far > far {
				far, farRow = p.far, p.farRow
			}
		}
		moved := false
		for j, w := range weights {
			switch {
			case w > 0:
				for c, v := range sums.row(j) {
					f.row(j)[c] = v / w
				}
			case far > 0:
				copy(f.row(j), l.z.row(farRow))
				far, moved = 0, true
			}
		}
		if !moved && last-inertia <= 1e-6*inertia {
			break
		}
		last = inertia
	}
	return inertia, nil
}

// kmeansCenters returns the start of InitKMeans.
//
// The runs are made in the principal subspace, which holds the optimum of the relaxed problem (Ding & He
// 2004), in a fraction of the time. The best after a few steps go on to their end, and the best of these on
// the samples themselves, where their inertia tells which is best. They mostly end lower than a run that
// has always had all coordinates.
func (m *alternation) kmeansCenters(rng *rand.Rand) (*Matrix, error) {
	w, axes := m.principalRows()
	s, z := m.s, m.z
	if w.Rows > kmeansRows {
		rows := drawRows(s, rng, kmeansRows)
		same := *s
		same.weights = nil
		s, z, w = &same, chosenRows(z, rows), chosenRows(w, rows)
	} else {
		w = w.Clone()
	}
	share := min(1, kmeansWork/(float64(w.Rows)*float64(w.Cols)*float64(m.k)))
	part := func(count int) int { return int(math.Ceil(share * float64(count))) }
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
	runs = runs[:min(part(kmeansLifted), len(runs))]
	for i, r := range runs {
		runs[i].f = inAxes(r.f, axes)
	}
	slow := newClustering(s, z, m.k)
	if err := slow.race(runs, liftedSteps); err != nil {
		return nil, err
	}
	if z != m.z {
		slow = newClustering(m.s, m.z, m.k)
	}
	_, err := slow.lloyd(runs[0].f, part(kmeansSteps))
	return runs[0].f, err
}

// kmeansRun has the centers of a run of k-means so far, and their inertia.
type kmeansRun struct {
	f       *Matrix
	inertia float64
}

// race continues runs by so many steps, and sorts them by their inertia.
func (l *clustering) race(runs []kmeansRun, steps int) (err error) {
	for i := range runs {
		if runs[i].inertia, err = l.lloyd(runs[i].f, steps); err != nil {
			return err
		}
	}
	slices.SortStableFunc(runs, func(a, b kmeansRun) int { return cmp.Compare(a.inertia, b.inertia) })
	return nil
}

// drawRows returns rows drawn by weight, with replacement.
func drawRows(s *samples, rng *rand.Rand, count int) []int {
	cumulative := make([]float64, s.n)
	var sum float64
	for i := range cumulative {
		sum += s.weight(i)
		cumulative[i] = sum
	}
	rows := make([]int, count)
	for i := range rows {
		u := rng.Float64() * sum
		rows[i] = sort.Search(s.n-1, func(i int) bool { return cumulative[i] > u })
	}
	return rows
}

// extremeRows returns the start of InitSPA, found in the principal subspace.
func (m *alternation) extremeRows() *Matrix {
	w, _ := m.principalRows()
	weights := make([]float64, w.Rows)
	for i := range weights {
		weights[i] = m.s.weight(i)
	}
	f := NewMatrix(m.k, m.z.Cols, nil)
	for j, i := range farthestRows(m.s.ctx, w, weights, m.k, m.o.Sum == SumToOne) {
		copy(f.row(j), m.z.row(i))
	}
	return f
}
