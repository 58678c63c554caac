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

// clustering runs k-means with k clusters on the rows z. It keeps the memory of its steps.
type clustering struct {
	s       *samples // weights, workers and context of the rows
	z       *Matrix
	k       int
	f       *Matrix
	squares []float64 // ‖z_i‖²
	half    []float64 // ‖f_j‖²/2
	sums    []clusterSums
	users   []centerUsers // of each worker
	space   workspace
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
	step   int       // places for each center
	users  []int     // step for each center
	shares []float64 // of users: weights that sums multiply their rows by
	count  []int     // the number of users of each center
}

// begin removes all users, and prepares for a block of `step` samples and k centers.
func (u *centerUsers) begin(k, step int) {
	if u.step = step; len(u.users) < k*step {
		u.users, u.shares, u.count = make([]int, k*step), make([]float64, k*step), make([]int, k)
	}
	clear(u.count)
}

// use adds sample i of the block to the users of center a.
func (u *centerUsers) use(a, i int, share float64) {
	at := a*u.step + u.count[a]
	u.users[at], u.shares[at] = i, share
	u.count[a]++
}

// addUsers adds to the row of sums of each center the rows of x that its users have, by their shares.
func (u *centerUsers) addUsers(sums *Matrix, x []float64) {
	for a, n := range u.count {
		addRows(sums.row(a), u.shares[a*u.step:][:n], u.users[a*u.step:][:n], x)
	}
}

func newClustering(s *samples, z *Matrix, k int) *clustering {
	n, r := z.Rows, z.Cols
	c := chunks(n, r, reduceChunks)
	l := &clustering{
		s: s, z: z, k: k,
		squares: make([]float64, n), half: make([]float64, k), scratch: make([]float64, 3*n),
		sums: make([]clusterSums, c), users: make([]centerUsers, min(s.workers, c)),
	}
	for i := range n {
		l.squares[i] = sumSquares(z.row(i))
	}
	for t := range l.sums {
		l.sums[t].rows, l.sums[t].weights = NewMatrix(k, r, nil), make([]float64, k)
	}
	return l
}

// assign finds the nearest center of a block's samples.
func (l *clustering) assign(at block) {
	p, h, lo, m := &l.sums[at.chunk], &l.users[at.worker], at.lo, at.hi-at.lo
	r, k := l.z.Cols, l.k
	z, b := l.z.Data[lo*r:at.hi*r], at.scratch[:m*k]
	clear(b)
	h.begin(k, m)
	addMulNT(b, k, z, m, l.f.Data, k, r, false)
	for i := range m {
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
		h.use(best, i, w)
		if d > p.far {
			p.far, p.farRow = d, lo+i
		}
	}
	h.addUsers(p.rows, z)
}

// plusPlus returns k rows of z, the seeds of k-means++. If ctx ends, the last seeds are 0.
func (l *clustering) plusPlus(rng *rand.Rand) *Matrix {
	n, r := l.z.Rows, l.z.Cols
	f, scratch := NewMatrix(l.k, r, nil), l.scratch
	shares, best, trial := scratch[:n], scratch[n:2*n], scratch[2*n:]
	copy(f.row(0), l.z.row(drawRows(rng, 1, n, l.s.weight)[0]))
	z := l.z
	distances := func(dst, shares, to []float64) (sum float64) {
		for i := range n {
			dst[i] = min(shares[i], l.s.weight(i)*squaredDistance(z.row(i), to))
			sum += dst[i]
		}
		return sum
	}
	for i := range shares {
		shares[i] = math.Inf(1)
	}
	distances(shares, shares, f.row(0))
	tries := 2 + int(math.Log(float64(l.k)))
	for j := 1; j < l.k; j++ {
		least := math.Inf(1)
		for _, i := range drawRows(rng, tries, n, func(i int) float64 { return shares[i] }) {
			if stopped(l.s.ctx) { // the next pass over the samples returns the error
				return f
			}
			if sum := distances(trial, shares, z.row(i)); sum < least {
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
		for t := range l.sums {
			p := &l.sums[t]
			clear(p.rows.Data)
			clear(p.weights)
			p.inertia, p.far, p.farRow = 0, -1, -1
		}
		by := parallelism{l.s.ctx, l.s.workers, &l.space}
		if err := by.eachBlock(chunking{l.z.Rows, l.z.Cols, reduceChunks}, l.k, l.assign); err != nil {
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
