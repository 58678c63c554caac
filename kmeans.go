package softkmeans

// k-means of weighted rows: seeds of k-means++ (Arthur & Vassilvitskii 2007) and Lloyd's iteration. Random
// samples.

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// clustering runs k-means with k clusters on the rows z. It keeps the memory of its steps, which allocate
// nothing except goroutines.
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
	scratch []float64 // for plusPlus
}

// clusterSums holds the sums of a chunk's samples by cluster, and the sample farthest from its center.
type clusterSums struct {
	rows    *Matrix
	weights []float64
	inertia float64
	far     float64
	farRow  int
}

// centerUsers lists the samples of a block that use each center.
type centerUsers struct {
	users  []int     // step for each center
	shares []float64 // of users: weights that sums multiply their rows by
	count  []int     // the number of users of each center
}

// use adds sample i of the block to the users of center a.
func (u *centerUsers) use(step, a, i int, share float64) {
	at := a*step + u.count[a]
	u.users[at], u.shares[at] = i, share
	u.count[a]++
}

// addUsers adds to the row of sums of each center the rows of x that its users have, by their shares.
func (u *centerUsers) addUsers(step int, sums *Matrix, x []float64) {
	for a, n := range u.count {
		addRows(sums.row(a), u.shares[a*step:a*step+n], u.users[a*step:a*step+n], x)
	}
}

// clusterMemory is the scratch space of one worker: products, and the samples of each cluster in a block.
type clusterMemory struct {
	b []float64
	centerUsers
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
		h.b = make([]float64, k*l.step)
		h.users, h.shares, h.count = make([]int, k*l.step), make([]float64, k*l.step), make([]int, k)
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
			h.use(l.step, best, i, w)
			if d > p.far {
				p.far, p.farRow = d, lo+i
			}
		}
		h.addUsers(l.step, p.rows, z)
	}
}

// plusPlus returns k rows of z, the seeds of k-means++. If ctx ends, the last seeds are 0.
func (l *clustering) plusPlus(rng *rand.Rand) *Matrix {
	n, r := l.z.Rows, l.z.Cols
	f, scratch := NewMatrix(l.k, r, nil), l.scratch
	shares, best, trial := scratch[:n], scratch[n:2*n], scratch[2*n:]
	copy(f.row(0), l.z.row(drawRows(rng, 1, n, l.s.weight)[0]))
	distances := func(dst []float64, to []float64) (sum float64) {
		for i := range n {
			dst[i] = min(shares[i], l.s.weight(i)*squaredDistance(l.z.row(i), to))
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
		for _, i := range drawRows(rng, tries, n, func(i int) float64 { return shares[i] }) {
			if stopped(l.s.ctx) { // the next pass over the samples returns the error
				return f
			}
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

// lloyd runs Lloyd's iteration from f, which it overwrites, and returns the inertia before the last step. In
// each step, if clusters are empty, the center of one of them moves to the sample with the largest distance
// from its nearest center.
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

// kmeansRun holds the centers of an unfinished run of k-means, and their inertia.
type kmeansRun struct {
	f       *Matrix
	inertia float64
}

// race continues each run by the given number of steps, and sorts the runs by ascending inertia.
func (l *clustering) race(runs []kmeansRun, steps int) (err error) {
	for i := range runs {
		if runs[i].inertia, err = l.lloyd(runs[i].f, steps); err != nil {
			return err
		}
	}
	slices.SortStableFunc(runs, func(a, b kmeansRun) int { return cmp.Compare(a.inertia, b.inertia) })
	return nil
}

// drawRows returns random indices below n, drawn with replacement by their shares.
func drawRows(rng *rand.Rand, count, n int, share func(i int) float64) []int {
	cumulative := make([]float64, n)
	var sum float64
	for i := range cumulative {
		sum += share(i)
		cumulative[i] = sum
	}
	rows := make([]int, count)
	for i := range rows {
		u := rng.Float64() * sum
		rows[i] = sort.Search(n-1, func(i int) bool { return cumulative[i] > u })
	}
	return rows
}
