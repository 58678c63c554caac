package softkmeans

// Work is cut into tasks by its size alone, and partial results are added in the order of the tasks.
// Therefore the number of workers changes the time, but no bit of the result.

import (
	"context"
	"runtime"
	"slices"
)

// workerCount returns the number of goroutines for the option Workers: asked, or GOMAXPROCS if asked is below
// 1.
func workerCount(asked int) int {
	if asked >= 1 {
		return asked
	}
	return runtime.GOMAXPROCS(0)
}

// leastShared is the least work of a pass that workers share, in multiplications of blocks: about 0.1 ms. A
// thread that slept takes as long to wake up, and the pass waits for all threads.
const leastShared = 1 << 20

// paying returns the number of workers, or 1 for a pass of less work than leastShared.
func paying(workers int, work float64) int {
	if work < leastShared {
		return 1
	}
	return workers
}

// fitWorkers returns asked, or 1 if more workers cost a Fit time: its largest passes take an eighth of the
// work or more. The work is n·d·(min(n, d) + 2k) multiplications, and nk² for memberships. Reading a number
// or writing a membership counts as 50 multiplications. A Fit of 1797×64 rows took 2.1 to 2.3 ms with two
// workers, and 2.5 to 3.0 with one; on another machine 1.8 and 1.4.
func fitWorkers(asked int, x *Matrix, k int) int {
	if asked < 0 || x == nil { // errors, for newSamples
		return asked
	}
	n, d, c := float64(x.Rows), float64(x.Cols), float64(k)
	return paying(asked, (n*d*(min(n, d)+2*c+50)+n*c*(c+50))/8)
}

// runTasks calls fn once for each task 0 … tasks−1, on at most the given number of workers, and returns when
// all calls have returned. Calls with the same worker number never overlap, so fn may keep scratch space by
// worker.
func runTasks(workers, tasks int, fn func(worker, task int)) {
	workers = min(workers, tasks)
	if workers <= 1 {
		for t := range tasks {
			fn(0, t)
		}
		return
	}
	share(workers, tasks, fn)
}

// parallelism describes how passes run: their context, their number of workers, and their scratch space.
type parallelism struct {
	ctx     context.Context
	workers int
	space   *workspace // shared by passes that do not overlap; nil: each pass allocates its own
}

// openEnded returns a parallelism for the option Workers, with a context that never ends.
func openEnded(asked int) parallelism {
	return parallelism{context.Background(), workerCount(asked), nil}
}

// cancelled returns the context's error in this package's form if ctx has ended, otherwise nil.
func cancelled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fail(err, "stopped")
	}
	return nil
}

// stopped reports whether ctx has ended. Loops call it every few milliseconds. In WebAssembly, which has one
// thread, timers and goroutines that cancel ctx run only during this call.
func stopped(ctx context.Context) bool {
	if runtime.GOARCH == "wasm" {
		runtime.Gosched()
	}
	return ctx.Err() != nil
}

// blockRows returns how many of n rows of length l make a block. A block takes about 256 kB, for the
// second-level cache. Its rows are a multiple of 24, so that strips of any number of lanes are full. Sums
// over 480 rows are a tenth faster than over 240. A table of few rows gets smaller blocks, which workers
// share better.
func blockRows(n, l int) int {
	most := 240
	if n >= 480*reduceChunks { // each chunk of a sum gets a block
		most = 480
	}
	return min(max(32768/max(l, 1), 24), most) / 24 * 24
}

// chunks returns the number of tasks of a pass over n rows of length l, at most `most`.
func chunks(n, l, most int) int { return max(1, min(most, n/blockRows(n, l))) }

// block is the run of items lo…hi−1 for one call of fn in eachBlock.
type block struct {
	worker, chunk, lo, hi int
	scratch               []float64 // scratch space of the worker, of any content
}

// chunking describes how a pass is cut: n rows or columns of length l, in at most `most` chunks.
type chunking struct{ n, l, most int }

// eachBlock calls fn for all blocks of the items, in parallel over the chunks, with scratch space for
// `floats` numbers an item. If floats is above 2·c.l, strips of items fit it: a few long rows would fill most
// of such space with zeros. Blocks of one chunk come in order. If ctx ends, eachBlock skips the remaining
// blocks and returns the context's error.
func (by parallelism) eachBlock(c chunking, floats int, fn func(b block)) error {
	w, tasks, items := by.space, chunks(c.n, c.l, c.most), min(blockRows(c.n, c.l), c.n)
	size := floats * roundUp(items, stripRows)
	if floats > 2*c.l {
		size = floats * stripLength(items)
	}
	if w == nil {
		w = new(workspace)
	}
	for len(w.scratch) < max(1, min(by.workers, tasks)) {
		w.scratch = append(w.scratch, nil)
	}
	runTasks(by.workers, tasks, func(worker, task int) { w.run(by.ctx, worker, task, c, size, fn) })
	return cancelled(by.ctx)
}

// workspace keeps the scratch space of each worker for the next pass. Passes that share a workspace do not
// overlap.
type workspace struct{ scratch [][]float64 }

// run does one task of eachBlock: all blocks of a chunk.
func (w *workspace) run(ctx context.Context, worker, task int, c chunking, size int, fn func(b block)) {
	if cap(w.scratch[worker]) < size {
		w.scratch[worker] = make([]float64, size)
	}
	first, last := taskRange(c.n, chunks(c.n, c.l, c.most), task)
	for lo, step := first, blockRows(c.n, c.l); lo < last && !stopped(ctx); lo += step {
		fn(block{worker, task, lo, min(lo+step, last), w.scratch[worker][:size]})
	}
}

// taskRange returns lo and hi of the part lo…hi−1 of 0…n−1 for task t of c tasks.
func taskRange(n, c, t int) (lo, hi int) {
	q, r := n/c, n%c
	return t*q + min(t, r), (t+1)*q + min(t+1, r)
}

const (
	manyChunks   = 64 // the most tasks of a pass that returns a few numbers from each
	reduceChunks = 16 // the most tasks of a pass that returns a matrix from each
)

// checkRange returns an error for the first entry of x that is not finite or above mostEntry.
func checkRange(by parallelism, arg string, x *Matrix) error {
	if x.Cols == 0 {
		return nil // x may have any number of rows
	}
	bad := make([]bool, chunks(x.Rows, x.Cols, manyChunks))
	err := by.eachBlock(chunking{x.Rows, x.Cols, manyChunks}, 0, func(at block) {
		for i := at.lo; i < at.hi; i++ {
			top, finite := rowMaxAbs(x.row(i))
			bad[at.chunk] = bad[at.chunk] || !finite || top > mostEntry
		}
	})
	if err == nil && slices.Contains(bad, true) {
		_, err = checkEntries(arg, x, mostEntry) // a second pass names the first one
	}
	return err
}
