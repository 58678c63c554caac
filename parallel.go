package softkmeans

// Work is cut into tasks by its size alone, and partial results are added in the order of
// the tasks. So the number of workers changes the time, and no bit of the answer.

import (
	"context"
	"runtime"
	"slices"
)

// workerCount returns how many goroutines an option asks for; 0 and less: as many as may run at once.
func workerCount(asked int) int {
	if asked >= 1 {
		return asked
	}
	return runtime.GOMAXPROCS(0)
}

// runTasks calls fn for task 0 … tasks−1, each once, on at most so many workers, and returns when all are
// done. Calls with the same worker number never overlap, so that fn may keep scratch space by worker.
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

// parallelism is by how many workers, until which context ends, and the scratch space of their passes.
type parallelism struct {
	ctx     context.Context
	workers int
	space   *workspace // what passes share that do not overlap; nil: each has its own
}

// openEnded is by as many workers as an option asks for, without an end.
func openEnded(asked int) parallelism {
	return parallelism{context.Background(), workerCount(asked), nil}
}

// cancelled returns the error of a context that has ended, in this package's form.
func cancelled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fail(err, "stopped")
	}
	return nil
}

// stopped reports whether ctx has ended. Loops ask after every few milliseconds of work. In WebAssembly, on
// one thread, timers and goroutines that cancel ctx run during this call only.
func stopped(ctx context.Context) bool {
	if runtime.GOARCH == "wasm" {
		runtime.Gosched()
	}
	return ctx.Err() != nil
}

// blockRows returns how many of n rows of length l make a block: some 256 kB, for the second-level cache, but
// a multiple of 24, so that strips of any number of lanes are full. Sums over 480 rows are a tenth faster
// than over 240; few rows make smaller blocks, which share the work better.
func blockRows(n, l int) int {
	most := 240
	if n >= 480*reduceChunks { // a block for every chunk of a sum
		most = 480
	}
	return min(max(32768/max(l, 1), 24), most) / 24 * 24
}

// chunks returns how many tasks a pass over n rows of length l has, at most `most`.
func chunks(n, l, most int) int { return max(1, min(most, n/blockRows(n, l))) }

// block is a run of items, lo…hi−1, for one call of eachBlock's fn.
type block struct {
	worker, chunk, lo, hi int
	scratch               []float64 // the worker's, of any content
}

// chunking says how the items of a pass are cut: n rows or columns of length l, in at most `most` chunks.
type chunking struct{ n, l, most int }

// eachBlock calls fn for all blocks of the items, in parallel over the chunks, with scratch
// space for `floats` numbers an item. Blocks of one chunk come in order. Once ctx has ended
// the rest is skipped, and the error is that of ctx.
func (by parallelism) eachBlock(c chunking, floats int, fn func(b block)) error {
	return by.each(c, floats*min(blockRows(c.n, c.l), c.n), fn)
}

// each does what eachBlock does, with scratch space for `size` numbers in all.
func (by parallelism) each(c chunking, size int, fn func(b block)) error {
	w, tasks := by.space, chunks(c.n, c.l, c.most)
	if w == nil {
		w = new(workspace)
	}
	for len(w.scratch) < max(1, min(by.workers, tasks)) {
		w.scratch = append(w.scratch, nil)
	}
	if by.workers > 1 && tasks > 1 {
		runTasks(by.workers, tasks, func(worker, task int) { w.run(by.ctx, worker, task, c, size, fn) })
	} else { // a function of its own would be allocated
		for t := range tasks {
			w.run(by.ctx, 0, t, c, size, fn)
		}
	}
	return cancelled(by.ctx)
}

// workspace keeps each worker's scratch space for the next pass. Passes over one do not overlap.
type workspace struct{ scratch [][]float64 }

// run does one task of each.
func (w *workspace) run(ctx context.Context, worker, task int, c chunking, size int, fn func(b block)) {
	if cap(w.scratch[worker]) < size {
		w.scratch[worker] = make([]float64, size)
	}
	first, last := taskRange(c.n, chunks(c.n, c.l, c.most), task)
	for lo, step := first, blockRows(c.n, c.l); lo < last && !stopped(ctx); lo += step {
		fn(block{worker, task, lo, min(lo+step, last), w.scratch[worker][:size]})
	}
}

// taskRange returns the part lo…hi−1 of 0…n−1 that task t of c covers.
func taskRange(n, c, t int) (lo, hi int) {
	q, r := n/c, n%c
	return t*q + min(t, r), (t+1)*q + min(t+1, r)
}

const (
	manyChunks   = 64 // the most tasks of a pass whose results are a few numbers each
	reduceChunks = 16 // the most of one whose results are matrices
)

// checkRange returns an error that names the first entry of x that is not finite or above mostEntry.
func checkRange(by parallelism, arg string, x *Matrix) error {
	if x.Cols == 0 {
		return nil // of any number of rows
	}
	bad := make([]bool, chunks(x.Rows, x.Cols, manyChunks))
	err := by.eachBlock(chunking{x.Rows, x.Cols, manyChunks}, 0, func(at block) {
		for i := at.lo; i < at.hi; i++ {
			top, finite := rowMaxAbs(x.row(i))
			bad[at.chunk] = bad[at.chunk] || !finite || top > mostEntry
		}
	})
	if err == nil && slices.Contains(bad, true) {
		_, err = checkEntries(arg, x, mostEntry) // again, to name the first
	}
	return err
}
