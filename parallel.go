package softkmeans

// Work is cut into tasks by its size alone and never by the number of workers,
// and partial results are added in the order of the tasks: so the number of
// workers changes the time and not one bit of the answer.

import (
	"context"
	"runtime"
	"slices"
)

// workerCount is the number of goroutines that an option asks for; 0 and less
// mean as many as the program may run at once.
func workerCount(asked int) int {
	if asked >= 1 {
		return asked
	}
	return runtime.GOMAXPROCS(0)
}

// runTasks calls fn for task 0 … tasks−1, each once, on up to the given number
// of workers, and returns when all are done. Calls with the same worker number
// never overlap, so that fn may keep scratch space by worker. With one worker
// or one task no goroutine is started, nor where there are none.
func runTasks(workers, tasks int, fn func(worker, task int)) {
	workers = min(workers, tasks)
	if workers <= 1 || !goroutines {
		for t := range tasks {
			fn(0, t)
		}
		return
	}
	share(workers, tasks, fn)
}

// cancelled is the error of a context that has ended, in this package's form.
func cancelled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fail(err, "stopped")
	}
	return nil
}

// stopped reports whether ctx has ended; what loops ask after each piece of work.
// In WebAssembly goroutines take turns on one thread and none is interrupted:
// the timer of a deadline and whoever would cancel ctx wait for this call.
func stopped(ctx context.Context) bool {
	if runtime.GOARCH == "wasm" {
		runtime.Gosched()
	}
	return ctx.Err() != nil
}

// blockRows is how many of n rows of length l make a block: 256 kB or so, which
// the second-level cache holds, but never fewer than 24 rows, below which the
// loops over a block cost more than the arithmetic. Whole strips of any number of
// lanes have multiples of 24. Where there are many rows sums over up to 480 of them are
// a tenth faster than over 240; where there are few, more blocks share the work better.
func blockRows(n, l int) int {
	most := 240
	if n >= 480*reduceChunks { // a block for every chunk of a sum
		most = 480
	}
	return min(max(32768/max(l, 1), 24), most) / 24 * 24
}

// chunks is how many tasks a pass over n rows of length l is cut into.
func chunks(n, l, most int) int {
	return max(1, min(most, n/blockRows(n, l)))
}

// block is a run of items, lo…hi−1, for one call of eachBlock's fn.
type block struct {
	worker, chunk, lo, hi int
	scratch               []float64 // the worker's own, of any content
}

// eachBlock calls fn for all blocks of the items 0…n−1 (rows or columns, of
// length l each), in parallel over at most `most` chunks, with scratch space for
// `floats` numbers an item. Blocks of one chunk come in order. A context
// that has ended skips what is left, which is the error returned.
func eachBlock(ctx context.Context, workers, n, l, most, floats int, fn func(b block)) error {
	var w workspace
	return w.eachBlock(ctx, workers, n, l, most, floats, fn)
}

// workspace keeps the scratch space of each worker for the next pass. Passes over
// one workspace do not overlap.
type workspace struct{ scratch [][]float64 }

// eachBlock is the function of that name.
func (w *workspace) eachBlock(ctx context.Context, workers, n, l, most, floats int, fn func(b block)) error {
	return w.each(ctx, workers, n, l, most, floats*min(blockRows(n, l), n), fn)
}

// each is eachBlock with scratch space for `size` numbers.
func (w *workspace) each(ctx context.Context, workers, n, l, most, size int, fn func(b block)) error {
	c, step := chunks(n, l, most), blockRows(n, l)
	for len(w.scratch) < max(1, min(workers, c)) {
		w.scratch = append(w.scratch, nil)
	}
	runTasks(workers, c, func(worker, task int) {
		if cap(w.scratch[worker]) < size {
			w.scratch[worker] = make([]float64, size)
		}
		first, last := taskRange(n, c, task)
		for lo := first; lo < last && !stopped(ctx); lo += step {
			fn(block{worker, task, lo, min(lo+step, last), w.scratch[worker][:size]})
		}
	})
	return cancelled(ctx)
}

// taskRange is the part of 0…n−1 that task t of c covers.
func taskRange(n, c, t int) (lo, hi int) {
	q, r := n/c, n%c
	lo = t*q + min(t, r)
	hi = lo + q
	if t < r {
		hi++
	}
	return lo, hi
}

// manyChunks bounds the tasks of passes whose tasks leave no more than a few
// numbers behind; reduceChunks those whose tasks leave a matrix.
const (
	manyChunks   = 64
	reduceChunks = 16
)

// largestEntry is checkEntries for data, in parallel.
func largestEntry(ctx context.Context, arg string, x *Matrix, workers int) (float64, error) {
	if x.Cols == 0 {
		return 0, nil
	}
	c := chunks(x.Rows, x.Cols, manyChunks)
	tops, bad := make([]float64, c), make([]bool, c)
	err := eachBlock(ctx, workers, x.Rows, x.Cols, manyChunks, 0, func(at block) {
		for i := at.lo; i < at.hi; i++ {
			top, finite := rowMaxAbs(x.row(i))
			tops[at.chunk] = max(tops[at.chunk], top)
			bad[at.chunk] = bad[at.chunk] || !finite || top > mostEntry
		}
	})
	if err == nil && slices.Contains(bad, true) {
		_, err = checkEntries(arg, x, mostEntry) // once more, to name the first
	}
	return slices.Max(tops), err
}
