package softkmeans

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// TestCancelBetweenRows: a row of many centers takes milliseconds, so that a block of rows would be late.
func TestCancelBetweenRows(t *testing.T) {
	ctx, cancel := context.WithCancel(bg)
	cancel()
	const n, k = 30, 100
	r := newRowSolver(newSimplexProblem(randomData(k, k, 1, 1), SumToOne, false))
	g, b := NewMatrix(n, k, nil), randomData(n, k, 0, 2)
	if r.rows(ctx, g, nil, 0, n, b.Data); slices.Max(g.Data) != 0 {
		t.Error("rows are solved after the end")
	}
	if r.rows(bg, g, nil, 0, n, b.Data); slices.Max(g.Row(n-1)) == 0 {
		t.Error("rows are not solved")
	}
}

// TestCancelledByGoroutine: a fit lets the goroutine run that cancels it, also where goroutines take turns on one
// thread. Fits are repeated, since the first may end before that goroutine has run.
func TestCancelledByGoroutine(t *testing.T) {
	ctx, cancel := context.WithCancel(bg)
	go cancel()
	x := randomData(3, 400, 0, 1)
	for range 1000 {
		if _, err := Fit(ctx, x, 401, nil); err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			return
		}
	}
	t.Error("1000 fits have let no other goroutine run")
}

// TestWorkerCount: the default asks how many threads the process may use, and leaves that as it is.
func TestWorkerCount(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	threads := runtime.GOMAXPROCS(0) // WebAssembly has one, whatever is set
	for _, c := range []struct{ asked, want int }{{0, threads}, {-1, threads}, {1, 1}, {7, 7}} {
		if got := workerCount(c.asked); got != c.want || runtime.GOMAXPROCS(0) != threads {
			t.Errorf("%d asked: %d workers, and the process may use %d threads, not %d", c.asked, got,
				runtime.GOMAXPROCS(0), threads)
		}
	}
}

// TestRunTasks: every task runs once, on a worker below their number that has one at a time,
// and in order on the caller's goroutine where there is one worker, none, or one task.
func TestRunTasks(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, workers := range []int{-3, 0, 1, 2, 7, 100} {
		for _, tasks := range []int{0, 1, 2, 50} {
			done := make([]atomic.Int32, tasks)
			busy := make([]atomic.Int32, max(1, min(workers, tasks)))
			next := 0 // no lock: the race detector sees any other goroutine
			runTasks(workers, tasks, func(w, task int) {
				if busy[w].Add(1) != 1 {
					t.Error("two tasks at once on one worker")
				}
				if min(workers, tasks) <= 1 {
					if w != 0 || task != next {
						t.Errorf("%d workers: worker %d has task %d, want 0 and %d", workers, w, task, next)
					}
					next++
				}
				done[task].Add(1)
				runtime.Gosched()
				busy[w].Add(-1)
			})
			for i := range done {
				if done[i].Load() != 1 {
					t.Errorf("task %d ran %d times", i, done[i].Load())
				}
			}
		}
	}
	noneLeft(t, before)
	for n := range 30 {
		for c := 1; c < 12; c++ {
			at := 0
			for task := range c {
				lo, hi := taskRange(n, c, task)
				if lo != at || hi < lo {
					t.Fatalf("n=%d c=%d task %d: %d…%d after %d", n, c, task, lo, hi, at)
				}
				at = hi
			}
			if at != n {
				t.Fatalf("n=%d c=%d ends at %d", n, c, at)
			}
		}
	}
}

// TestWorkers: workers, processors and a stride change no bit of any result, on tables of either side that are
// large enough for more than one worker.
func TestWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	type call = func(x *Matrix, workers int) (any, error)
	fit := func(k int, o Options) call {
		return func(x *Matrix, workers int) (any, error) {
			o.Workers = workers
			return Fit(bg, x, k, &o)
		}
	}
	volume := func(k int, o MinVolumeOptions) call {
		return func(x *Matrix, workers int) (any, error) {
			o.Workers = workers
			return FitMinVolume(bg, x, k, &o)
		}
	}
	sparse := func(fill func(x *SparseMatrix, workers int) (any, error)) call {
		return func(x *Matrix, workers int) (any, error) { return fill(sparseOf(x), workers) }
	}
	similar := func(name string) call {
		return func(x *Matrix, workers int) (any, error) {
			return decompositions[name](bg, x, 4, optionsOf(name, LSDOptions{MaxIter: 3, Workers: workers}))
		}
	}
	n := fewer(400, 200)
	digits, text := rowsOf(standardized(loadCSV(t, "digits")), 0, fewer(900, 300)), words(n, 150, 4, 12, 6)
	near, most := rbfOf(randomData(fullOrder+8, 6, 1, 5), 0.05), fewer(10, 5)
	tall, wide, few := randomData(2500, 100, 1, 1), randomData(120, 2000, 1, 1), randomData(60000, 6, 1, 1)
	for name, c := range map[string]struct {
		x    *Matrix
		call call
	}{
		"tall": {tall, fit(6, Options{})}, "krylov": {tall, fit(6, Options{Solver: SolverKrylov})},
		"wide krylov": {wide, fit(5, Options{Solver: SolverKrylov})}, "few columns": {few, fit(4, Options{})},
		"least squares": {tall, func(x *Matrix, workers int) (any, error) {
			return SimplexLeastSquares(nil, x, rowsOf(tall, 0, 6), &Options{Workers: workers})
		}},
		"restarts":    {digits, volume(5, MinVolumeOptions{Restarts: 2, Seed: 5, MaxIter: most})},
		"affine":      {digits, volume(5, MinVolumeOptions{Init: InitSPA, Volume: VolumeAffine, MaxIter: most})},
		"at most one": {digits, volume(5, MinVolumeOptions{Sum: SumAtMostOne, Init: InitSPA, MaxIter: most})},
		"LSD":         {near, similar("LSD")}, "TILSD": {near, similar("TILSD")},
		"sparse": {text, sparse(func(x *SparseMatrix, workers int) (any, error) {
			return Fit(bg, x, 4, &Options{Workers: workers})
		})},
		"sparse krylov": {text, sparse(func(x *SparseMatrix, workers int) (any, error) {
			return Fit(bg, x, 4, &Options{Solver: SolverKrylov, Weights: fifths(n), Workers: workers})
		})},
		"sparse volume": {text, sparse(func(x *SparseMatrix, workers int) (any, error) {
			return FitMinVolume(bg, x, 4, &MinVolumeOptions{Workers: workers})
		})},
		"sparse bounds": {text, sparse(func(x *SparseMatrix, workers int) (any, error) {
			return FitMinVolume(bg, x, 4, &MinVolumeOptions{NonNegative: true, Weights: fifths(n), Sum: SumAtMostOne,
				Workers: workers})
		})},
	} {
		runtime.GOMAXPROCS(1)
		want := mustDo(c.call(c.x, 1))(t)
		runtime.GOMAXPROCS(3)
		for _, workers := range []int{0, 2, 7} {
			if got := mustDo(c.call(laStrided(c.x), workers))(t); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: other bits with %d workers", name, workers)
			}
		}
	}
	if fitWorkers(2, tall, 6) != 2 || fitWorkers(2, few, 4) != 2 {
		t.Error("large tables have one worker")
	}
	small := randomData(100, 4, 1, 1)
	for asked, want := range map[int]int{2: 1, 0: 1, -1: -1} {
		if got := fitWorkers(asked, small, 3); got != want {
			t.Errorf("%d workers of %d for a small table", got, asked)
		}
	}
}

// TestEachBlock: the blocks of a chunk come in order and cover it, each with scratch space
// of its worker, which the next pass finds again. Space for more numbers than two rows fits strips of items.
func TestEachBlock(t *testing.T) {
	for _, c := range []chunking{{0, 5, 16}, {1, 5, 16}, {23, 5, 16}, {1000, 5, 1}, {1000, 5, 3},
		{1001, 2000, 64}, {7700, 1, 16}} {
		for _, workers := range []int{1, 3} {
			w := new(workspace)
			tasks, step := chunks(c.n, c.l, c.most), blockRows(c.n, c.l)
			floats, size := 2*c.l, 2*c.l*roundUp(min(step, c.n), stripRows)
			if workers > 1 {
				floats, size = 2*c.l+1, (2*c.l+1)*stripLength(min(step, c.n))
			}
			next := make([]int, tasks)
			for task := range tasks {
				next[task], _ = taskRange(c.n, tasks, task)
			}
			err := parallelism{bg, workers, w}.eachBlock(c, floats, func(b block) {
				_, last := taskRange(c.n, tasks, b.chunk)
				if b.lo != next[b.chunk] || b.hi != min(b.lo+step, last) || b.hi <= b.lo ||
					b.worker >= workers || len(b.scratch) != size ||
					&b.scratch[0] != &w.scratch[b.worker][0] {
					t.Errorf("%+v: block %d…%d of chunk %d, worker %d, %d numbers", c, b.lo, b.hi, b.chunk,
						b.worker, len(b.scratch))
				}
				next[b.chunk] = b.hi
			})
			if err != nil || len(w.scratch) != min(workers, tasks) {
				t.Error(err, len(w.scratch))
			}
			for task := range tasks {
				if _, last := taskRange(c.n, tasks, task); next[task] != last {
					t.Errorf("%+v: chunk %d ends at %d, not %d", c, task, next[task], last)
				}
			}
		}
	}
	// The end of a context comes between blocks, and is an error even after the last.
	for left := range 7 {
		blocks := 0
		err := parallelism{endingAt(left), 1, nil}.eachBlock(chunking{1000, 1, 1}, 0, func(block) { blocks++ })
		if blocks != min(left, 5) || (left < 6) != errors.Is(err, context.Canceled) {
			t.Errorf("ended at look %d: %d blocks, %v", left, blocks, err)
		}
	}
	mustSay(t, cancelled(endingAt(0)), "stopped: context canceled")
	if err := cancelled(bg); err != nil || stopped(bg) || !stopped(endingAt(0)) {
		t.Error(err)
	}
}

// oneEnd is a context that ends for one question of cancelled, and goes on after it. So an
// error that a caller loses is not found again by the next pass. The loop of an alternation
// and the coordinates of a start lose it, as they are asked again.
type oneEnd struct {
	context.Context
	left  int    // questions before
	where string // it was asked from, innermost first
}

func (c *oneEnd) Err() error {
	var pcs [32]uintptr
	if f, _ := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:1])]).Next(); !strings.HasSuffix(f.Function,
		".cancelled") {
		return nil // most are stopped's
	}
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	where := ""
	for f, more := frames.Next(); more; f, more = frames.Next() {
		where += " " + f.Function[strings.LastIndexByte(f.Function, '.')+1:]
	}
	if !strings.HasPrefix(where, " cancelled ") || strings.Contains(where, " run ") ||
		strings.Contains(where, " principalRows ") {
		return nil
	}
	if c.left--; c.left != -1 {
		return nil
	}
	c.where = where
	return context.Canceled
}

// TestErrorsArrive: an error of any pass, at any depth, is that of the call.
func TestErrorsArrive(t *testing.T) {
	if runtime.Compiler == "tinygo" {
		skip(t, "TinyGo does not tell callers")
		return
	}
	tall, wide := randomData(30, 6, 1, 1), randomData(5, 12, 1, 2)
	weights := []float64{1, 0, 2, 1, 1}
	flat := randomData(60, 60, 0, 3)
	line := NewMatrix(7, 3, nil)
	for i := range line.Rows {
		copy(line.row(i), []float64{float64(i), float64(2 * i), 1})
	}
	g, f := NewMatrix(5, 2, []float64{1, 0, 0, 1, .5, .5, 1, 0, 0, 1}), rowsOf(wide, 0, 2)
	volume := func(x *Matrix, k int, o MinVolumeOptions) func(ctx context.Context) (*Model, error) {
		o.Workers, o.MaxIter = 1, 3
		return func(ctx context.Context) (*Model, error) { return FitMinVolume(ctx, x, k, &o) }
	}
	type call = func(ctx context.Context) (*Model, error)
	none := func(_ any, err error) (*Model, error) { return nil, err }
	fit := func(x *Matrix, k int, o Options) call {
		o.Workers = 1
		return func(ctx context.Context) (*Model, error) { return Fit(ctx, x, k, &o) }
	}
	below := moved(tall, -1)
	sparse := func(n, d int) *SparseMatrix {
		return sparseOf(mapped(randomData(n, d, 0, 4), func(i, j int, v float64) float64 {
			if (i+j)%4 == 0 {
				return v
			}
			return 0
		}))
	}
	tallSparse, wideSparse := sparse(60, 12), sparse(20, 60)
	sparseVolume := func(x *SparseMatrix, o MinVolumeOptions) call {
		o.Workers, o.MaxIter = 1, 3
		return func(ctx context.Context) (*Model, error) { return FitMinVolume(ctx, x, 3, &o) }
	}
	calls := []call{
		func(ctx context.Context) (*Model, error) { return none(Floors(ctx, wideSparse, nil)) },
		func(ctx context.Context) (*Model, error) { return Fit(ctx, tallSparse, 3, &Options{Workers: 1}) },
		func(ctx context.Context) (*Model, error) {
			return Fit(ctx, wideSparse, 3, &Options{Workers: 1, Solver: SolverKrylov})
		},
		sparseVolume(tallSparse, MinVolumeOptions{}), sparseVolume(wideSparse, MinVolumeOptions{Slack: .1}),
		func(ctx context.Context) (*Model, error) { return none(Floors(ctx, tall, nil)) },
		func(ctx context.Context) (*Model, error) { return none(Floors(ctx, wide, nil)) },
		func(ctx context.Context) (*Model, error) { return none(Floors(ctx, line, nil)) },
		func(ctx context.Context) (*Model, error) { return none(Principal(ctx, wide, 2, nil)) },
		func(ctx context.Context) (*Model, error) {
			c, err := Certify(ctx, wide, f, g, &Options{Weights: weights, Workers: 1})
			if err != nil && c != (Certificate{}) {
				t.Errorf("Certify: %v, and %+v", err, c)
			}
			return nil, err
		},
		volume(tall, 3, MinVolumeOptions{}), volume(line, 2, MinVolumeOptions{}), volume(flat, 2, MinVolumeOptions{}),
		volume(wide, 2, MinVolumeOptions{Init: InitKMeans, Restarts: 2, Weights: weights}),
		volume(tall, 3, MinVolumeOptions{Init: InitGlobal, Lambda: 1}),
		volume(below, 2, MinVolumeOptions{Sum: SumAtMostOne, Slack: 1e-3}),
		func(ctx context.Context) (*Model, error) {
			return FitAlternating(ctx, tall, 2, &MinVolumeOptions{Workers: 1, MaxIter: 2})
		},
		func(ctx context.Context) (*Model, error) { // a hasty attempt
			s, err := newSamples(ctx, flat, nil, 1, true)
			if err != nil {
				return nil, err
			}
			return none(principalByKrylov(s, wanted{2, 0}, krylovOptions{steps: 6, hasty: true}))
		},
	}
	for _, solver := range allSolvers {
		calls = append(calls, fit(tall, 3, Options{Solver: solver}), fit(wide, 3, Options{Solver: solver}),
			fit(wide, 1, Options{Solver: solver, Weights: weights}))
	}
	for name, call := range calls {
		for n := 0; ; n += 1 + n/10 {
			ctx := &oneEnd{Context: bg, left: n}
			m, err := call(ctx)
			if ctx.where == "" { // all questions were answered
				if err != nil || n < 2 {
					t.Errorf("%d: %d questions, %v", name, n, err)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || m != nil && m.Status != StatusCancelled {
				t.Errorf("%d: %v, where the context ended in%s", name, err, ctx.where)
			}
		}
	}
}
