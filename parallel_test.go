package softkmeans

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestCancelBetweenRows: a row of many centers takes milliseconds, so that a block
// of rows would be late.
func TestCancelBetweenRows(t *testing.T) {
	ctx, cancel := context.WithCancel(bg)
	cancel()
	const n, k = 30, 100
	r := newRowSolver(newSimplexProblem(randomData(k, k, 1, 1), SumToOne))
	g, b := NewMatrix(n, k, nil), randomData(n, k, 0, 2)
	if r.rows(ctx, g, nil, 0, n, b.Data); slices.Max(g.Data) != 0 {
		t.Error("rows are solved after the end")
	}
	if r.rows(bg, g, nil, 0, n, b.Data); slices.Max(g.Row(n-1)) == 0 {
		t.Error("rows are not solved")
	}
}

// TestCancelledByGoroutine: also where goroutines take turns on one thread.
func TestCancelledByGoroutine(t *testing.T) {
	for _, solver := range allSolvers {
		ctx, cancel := context.WithCancel(bg)
		go func() {
			time.Sleep(5 * time.Millisecond)
			cancel()
		}()
		// A basis for 1500 directions takes long.
		if _, err := Fit(ctx, randomData(3, 1500, 0, 1), 1501, &Options{Solver: solver}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", solver, err)
		}
	}
}

// TestWorkerCount: the default asks how many threads the process may use, and leaves that
// as it is.
func TestWorkerCount(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	threads := runtime.GOMAXPROCS(0) // WebAssembly has one, whatever is set
	for _, c := range []struct{ asked, want int }{{0, threads}, {-1, threads}, {1, 1}, {7, 7}} {
		if got := workerCount(c.asked); got != c.want || runtime.GOMAXPROCS(0) != threads {
			t.Errorf("%d asked: %d workers, and the process may use %d threads, not %d", c.asked, got, runtime.GOMAXPROCS(0), threads)
		}
	}
}

func TestRunTasks(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, workers := range []int{1, 2, 7, 100} {
		for _, tasks := range []int{0, 1, 2, 50} {
			done := make([]atomic.Int32, tasks)
			busy := make([]atomic.Int32, workers)
			runTasks(workers, tasks, func(w, task int) {
				if busy[w].Add(1) != 1 {
					t.Error("two tasks at once on one worker")
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
}

func TestTaskRange(t *testing.T) {
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

// TestRunTasksSerial: one worker, no worker, or one task run in order on the
// caller's goroutine as worker 0.
func TestRunTasksSerial(t *testing.T) {
	for _, c := range [][2]int{{1, 9}, {0, 9}, {-3, 9}, {8, 1}, {8, 0}, {1, 0}} {
		next := 0 // no lock: the race detector sees any other goroutine
		runTasks(c[0], c[1], func(worker, task int) {
			if worker != 0 || task != next {
				t.Errorf("%v: worker %d has task %d, want 0 and %d", c, worker, task, next)
			}
			next++
		})
		if next != c[1] {
			t.Errorf("%v: %d tasks ran", c, next)
		}
	}
	// With more, scratch space by worker needs no lock either.
	const tasks = 200
	scratch := make([]int, 5)
	runTasks(len(scratch), tasks, func(worker, _ int) { scratch[worker]++ })
	sum := 0
	for _, v := range scratch {
		sum += v
	}
	if sum != tasks {
		t.Errorf("%d of %d tasks ran", sum, tasks)
	}
}

// TestSameBits: workers, strides and repetition change nothing.
func TestSameBits(t *testing.T) {
	// Nor do the bits depend on how many processors there are.
	wide := randomData(1000, 6, 1, 3) // four tasks
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	few, err := Fit(bg, wide, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GOMAXPROCS(3)
	if more, err := Fit(bg, wide, 4, nil); err != nil || maxDiff(few.Centers, more.Centers) != 0 || few.Objective != more.Objective {
		t.Errorf("three processors give other bits than one: %v", err)
	}

	same := func(a, b *Model) bool {
		return maxDiff(a.Centers, b.Centers) == 0 && maxDiff(a.Memberships, b.Memberships) == 0 &&
			a.Objective == b.Objective && a.Floor == b.Floor && a.Total == b.Total && a.Gap == b.Gap
	}
	for _, x := range []*Matrix{randomData(fewer(3000, 800), 20, 1, 1), randomData(30, fewer(900, 600), 1, 2), head(loadCSV(t, "digits"), 500)} {
		view := &Matrix{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols + 3, Data: make([]float64, x.Rows*(x.Cols+3)-3)}
		for i := range view.Data {
			view.Data[i] = math.NaN() // between the rows: must not be read
		}
		for i := range x.Rows {
			copy(view.Row(i), x.Row(i))
		}
		w := make([]float64, x.Rows)
		for i := range w {
			w[i] = float64(i%5) + 0.5
		}
		for _, solver := range allSolvers {
			o := Options{Solver: solver, Enclosure: EnclosureTight, Weights: w, Workers: 1}
			one, err := Fit(bg, x, 4, &o)
			if err != nil {
				t.Fatal(err)
			}
			p, err := SimplexLeastSquares(nil, x, one.Centers, &SimplexOptions{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{2, 7} {
				o.Workers = workers
				m, err := Fit(bg, x, 4, &o)
				if err != nil || !same(one, m) {
					t.Errorf("%v: %d workers give other bits (%v)", solver, workers, err)
				}
				q, err := SimplexLeastSquares(nil, x, one.Centers, &SimplexOptions{Workers: workers})
				if err != nil || maxDiff(p, q) != 0 {
					t.Errorf("SimplexLeastSquares: %d workers give other bits (%v)", workers, err)
				}
			}
			m, err := Fit(bg, view, 4, &o)
			if err != nil || !same(one, m) {
				t.Errorf("%v: a strided view gives other bits (%v)", solver, err)
			}
		}
	}
}

// TestCancel stops Fit after every number of looks at the context.
func TestCancel(t *testing.T) {
	n := fewer(1500, 600)
	x := randomData(n, fewer(40, 20), 0, 1)
	before := runtime.NumGoroutine()
	for _, solver := range allSolvers[1:] {
		stopped := 0
		for looks := 0; ; looks += 1 + looks/fewer(8, 6) {
			left := looks
			m, err := Fit(countdown{bg, &left}, x, 4, &Options{Solver: solver, Workers: 1, Weights: make1(n)})
			if err == nil {
				break
			}
			if m != nil || !errors.Is(err, context.Canceled) {
				t.Fatalf("%v stopped after %d looks: %v, %v", solver, looks, m, err)
			}
			stopped++
		}
		if stopped < 20 {
			t.Errorf("%v looked at its context %d times", solver, stopped)
		}
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if _, err := Fit(ctx, x, 3, &Options{Workers: 7}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	noneLeft(t, before)
}

// TestManyWorkers: what is kept for each worker is kept for those that have a task.
func TestManyWorkers(t *testing.T) {
	x, large := randomData(50, 4, 0, 1), randomData(3000, 80, 0, 1)
	kernel := product(x, x.transposed())
	for name, run := range map[string]func() error{
		"Fit": func() error {
			if payingWorkers(2, large, 3) != 2 {
				t.Error("Fit has one worker")
			}
			_, err := Fit(bg, large, 3, &Options{Workers: math.MaxInt})
			return err
		},
		"FitMinVolume": func() error {
			_, err := FitMinVolume(bg, x, 3, &MinVolumeOptions{Workers: math.MaxInt})
			return err
		},
		"FitAlternating": func() error {
			_, err := FitAlternating(bg, x, 3, &MinVolumeOptions{Workers: math.MaxInt})
			return err
		},
		"SimplexLeastSquares": func() error {
			_, err := SimplexLeastSquares(nil, x, rowsOf(x, 0, 3), &SimplexOptions{Workers: math.MaxInt})
			return err
		},
		"TILSD": func() error {
			_, err := TILSD(bg, kernel, 3, &LSDOptions{Workers: math.MaxInt})
			return err
		},
		"TruncatedSVD": func() error {
			_, err := TruncatedSVD(bg, x, 2, &TruncatedOptions{Workers: math.MaxInt})
			return err
		},
	} {
		if err := run(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBlocks: how many rows a block has, and how many chunks a pass, at the bounds of each.
func TestBlocks(t *testing.T) {
	for _, c := range []struct{ n, l, rows, chunks int }{
		{0, 0, 240, 1}, {100, 1, 240, 1}, {479, 10, 240, 1}, {480, 10, 240, 2}, {7679, 10, 240, 31}, {7680, 10, 480, 16}, {7680, 68, 480, 16}, {7680, 69, 456, 16},
		{1000, 136, 240, 4}, {1000, 137, 216, 4}, {1000, 1365, 24, 41}, {1000, 1366, 24, 41}, {1000, math.MaxInt, 24, 41}, {1000, 682, 48, 20}, {1000, 683, 24, 41},
		{100000, 1, 480, 64}, {47, 99999, 24, 1}, {48, 99999, 24, 2},
	} {
		if rows := blockRows(c.n, c.l); rows != c.rows {
			t.Errorf("%d rows of %d: blocks of %d, want %d", c.n, c.l, rows, c.rows)
		}
		if got := chunks(c.n, c.l, 64); got != c.chunks {
			t.Errorf("%d rows of %d: %d chunks, want %d", c.n, c.l, got, c.chunks)
		}
	}
	if got := chunks(1000, 1, 3); got != 3 {
		t.Errorf("%d chunks of at most 3", got)
	}
}

// TestEachBlock: the blocks of a chunk come in order and cover it, each with scratch space
// of its worker, which the next pass finds again.
func TestEachBlock(t *testing.T) {
	for _, c := range []chunking{{0, 5, 16}, {1, 5, 16}, {23, 5, 16}, {1000, 5, 1}, {1000, 5, 3}, {1001, 2000, 64}, {7700, 1, 16}} {
		for _, workers := range []int{1, 3} {
			var w workspace
			tasks, step := chunks(c.n, c.l, c.most), blockRows(c.n, c.l)
			next := make([]int, tasks)
			for task := range tasks {
				next[task], _ = taskRange(c.n, tasks, task)
			}
			err := w.eachBlock(bg, workers, c, 3, func(b block) {
				_, last := taskRange(c.n, tasks, b.chunk)
				if b.lo != next[b.chunk] || b.hi != min(b.lo+step, last) || b.hi <= b.lo || b.worker >= workers || len(b.scratch) != 3*min(step, c.n) || &b.scratch[0] != &w.scratch[b.worker][0] {
					t.Errorf("%+v: block %d…%d of chunk %d, worker %d, %d numbers", c, b.lo, b.hi, b.chunk, b.worker, len(b.scratch))
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
	var w workspace
	var kept []*float64
	for _, size := range []int{5, 4, 5, 6} {
		if err := w.each(bg, 1, chunking{10, 1, 1}, size, func(b block) {
			kept = append(kept, &b.scratch[0])
			if len(b.scratch) != size {
				t.Errorf("%d numbers, want %d", len(b.scratch), size)
			}
		}); err != nil {
			t.Error(err)
		}
	}
	if kept[0] != kept[1] || kept[1] != kept[2] || kept[2] == kept[3] {
		t.Error("scratch space is not kept while it is large enough")
	}
	// The end of a context comes between blocks, and is an error even after the last.
	for left := range 7 {
		blocks := 0
		err := eachBlock(&laContext{bg, left}, 1, chunking{1000, 1, 1}, 0, func(block) { blocks++ })
		if blocks != min(left, 5) || (left < 6) != errors.Is(err, context.Canceled) {
			t.Errorf("ended at look %d: %d blocks, %v", left, blocks, err)
		}
	}
	mustSay(t, cancelled(&laContext{bg, 0}), "stopped: context canceled")
	if err := cancelled(bg); err != nil || stopped(bg) || !stopped(&laContext{bg, 0}) {
		t.Error(err)
	}
	// Workers have numbers below that of the tasks: what is kept for each is that long.
	for range 20 {
		runTasks(50, 3, func(worker, _ int) {
			if worker > 2 {
				t.Errorf("worker %d for three tasks", worker)
			}
		})
	}
}

// TestLargestEntry in parallel is that of a loop, and the first bad entry is named.
func TestLargestEntry(t *testing.T) {
	x := randomData(2000, 3, 0, 1)
	for _, i := range []int{0, 239, 240, 999, 1999} {
		y := x.Clone()
		y.Set(i, 1, -50)
		if top, err := largestEntry(bg, "x", y, 3); top != 50 || err != nil {
			t.Errorf("row %d: %g, %v", i, top, err)
		}
		for _, bad := range []float64{math.NaN(), math.Inf(-1), 0x1p501} {
			y.Set(i, 1, bad)
			y.Set(1999, 2, math.Inf(1))
			var e *InputError
			if _, err := largestEntry(bg, "x", y, 3); !errors.As(err, &e) || e.Arg != "x" || e.Row != i || e.Col != 1 || errors.Is(err, ErrRange) != (bad == 0x1p501) {
				t.Errorf("row %d, %g: %v", i, bad, err)
			}
		}
	}
	for _, m := range []*Matrix{{Rows: math.MaxInt}, {Cols: 3}} {
		if top, err := largestEntry(bg, "x", m, 1); top != 0 || err != nil {
			t.Error(top, err)
		}
	}
	if _, err := largestEntry(&laContext{bg, 0}, "x", x, 1); !errors.Is(err, context.Canceled) {
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
	if f, _ := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:1])]).Next(); !strings.HasSuffix(f.Function, ".cancelled") {
		return nil // most are stopped's
	}
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	where := ""
	for f, more := frames.Next(); more; f, more = frames.Next() {
		where += " " + f.Function[strings.LastIndexByte(f.Function, '.')+1:]
	}
	if !strings.HasPrefix(where, " cancelled ") || strings.Contains(where, " run ") || strings.Contains(where, " leading ") {
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
	none := func(v any, err error) (*Model, error) { return nil, err }
	calls := map[string]func(ctx context.Context) (*Model, error){
		"Floors, tall": func(ctx context.Context) (*Model, error) { return none(Floors(ctx, tall, nil)) },
		"Floors, wide": func(ctx context.Context) (*Model, error) { return none(Floors(ctx, wide, nil)) },
		"Floors, line": func(ctx context.Context) (*Model, error) { return none(Floors(ctx, line, nil)) },
		"Certify": func(ctx context.Context) (*Model, error) {
			c, err := Certify(ctx, wide, f, g, &Options{Weights: weights, Workers: 1})
			if err != nil && c != (Certificate{}) {
				t.Errorf("Certify: %v, and %+v", err, c)
			}
			return nil, err
		},
		"TruncatedSVD, tall": func(ctx context.Context) (*Model, error) { return none(TruncatedSVD(ctx, tall, 2, nil)) },
		"TruncatedSVD, wide": func(ctx context.Context) (*Model, error) { return none(TruncatedSVD(ctx, wide, 2, nil)) },
		"auto":               volume(tall, 3, MinVolumeOptions{}),
		"restarts, weights":  volume(wide, 2, MinVolumeOptions{Init: InitKMeans, Restarts: 2, Weights: weights}),
		"global, given λ":    volume(tall, 3, MinVolumeOptions{Init: InitGlobal, Lambda: 1}),
		"SPA":                volume(line, 2, MinVolumeOptions{}),
		"no cone":            volume(moved(tall, -1), 2, MinVolumeOptions{Sum: SumAtMostOne, Slack: 1e-3}),
		"cone": func(ctx context.Context) (*Model, error) {
			return Fit(ctx, wide, 2, &Options{Sum: SumAtMostOne, Workers: 1, Weights: weights})
		},
		"cone, no half-space": func(ctx context.Context) (*Model, error) {
			return Fit(ctx, moved(tall, -1), 2, &Options{Sum: SumAtMostOne, Workers: 1})
		},
		"cone in blocks": func(ctx context.Context) (*Model, error) {
			return FitSeq(ctx, inBlocks(moved(tall, -1), 7), 2, &Options{Sum: SumAtMostOne, Workers: 1})
		},
		"alternating": func(ctx context.Context) (*Model, error) {
			return FitAlternating(ctx, tall, 2, &MinVolumeOptions{Workers: 1, MaxIter: 2})
		},
		"path": func(ctx context.Context) (*Model, error) {
			return none(MinVolumePath(ctx, wide, 2, []float64{1, 2}, &MinVolumeOptions{Workers: 1, MaxIter: 2, Init: InitSPA}))
		},
		"hasty": func(ctx context.Context) (*Model, error) {
			s, err := newSamples(ctx, flat, nil, 1, true)
			if err != nil {
				return nil, err
			}
			return none(principalByKrylov(s, wanted{2, 0}, krylovEffort{6, true}))
		},
	}
	for _, solver := range allSolvers {
		for _, x := range []*Matrix{tall, wide} {
			calls[solver.String()+" "+shape(x.Rows, x.Cols)] = func(ctx context.Context) (*Model, error) {
				return Fit(ctx, x, 3, &Options{Solver: solver, Workers: 1})
			}
		}
		calls[solver.String()+" weights"] = func(ctx context.Context) (*Model, error) {
			return Fit(ctx, wide, 1, &Options{Solver: solver, Workers: 1, Weights: weights})
		}
	}
	for name, call := range calls {
		for n := 0; ; n += 1 + n/10 {
			ctx := &oneEnd{Context: bg, left: n}
			m, err := call(ctx)
			if ctx.where == "" { // all questions were answered
				if err != nil || n < 2 {
					t.Errorf("%s: %d questions, %v", name, n, err)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || m != nil && m.Status != StatusCancelled {
				t.Errorf("%s: %v, where the context ended in%s", name, err, ctx.where)
			}
		}
	}
}

// TestFitWorkers: Fit has the same bits for any number of workers, on tables that are large
// enough for more than one, of either side.
func TestFitWorkers(t *testing.T) {
	for _, c := range []struct{ n, d, k int }{{3000, 80, 6}, {1100, 130, 9}, {120, 1300, 5}, {40000, 6, 7}} {
		x := randomData(c.n, c.d, 1, 1)
		if payingWorkers(2, x, c.k) != 2 {
			t.Fatalf("%v has one worker", c)
		}
		one := mustDo(Fit(bg, x, c.k, &Options{Workers: 1}))(t)
		for _, workers := range []int{2, 3, 7} {
			m := mustDo(Fit(bg, x, c.k, &Options{Workers: workers}))(t)
			if !slices.Equal(m.Centers.Data, one.Centers.Data) || !slices.Equal(m.Memberships.Data, one.Memberships.Data) || m.Objective != one.Objective || m.Floor != one.Floor || m.FloorError != one.FloorError {
				t.Errorf("%v: %d workers give other bits", c, workers)
			}
		}
	}
	if small := randomData(100, 4, 1, 1); payingWorkers(2, small, 3) != 1 || payingWorkers(0, small, 3) != 1 || payingWorkers(-1, small, 3) != -1 {
		t.Error("a small table has more than one worker, or an error is lost")
	}
}
