package main

// Timing in turns: what disturbs the machine for a while disturbs all alike.

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
)

// rounds is how many turns everyone gets, but for those whose single call takes
// longer than a turn.
const rounds = 20

// settle is how long to wait after Python: OpenBLAS's threads spin for some 25
// ms before they sleep, and would take a core from whoever comes next.
const settle = 50 * time.Millisecond

// peer is one way to solve one problem.
type peer struct {
	name   string
	exact  bool // else it need not reach the floor
	slow   bool // estimated before it is called
	python bool
	solve  func() (*solution, time.Duration, error) // one call, and its time
	repeat func(count int) (time.Duration, error)   // the time of all
}

// goPeer is a way that runs in this process.
func goPeer(name string, fit func() (*solution, error)) peer {
	return peer{
		name: name, exact: true,
		solve: func() (*solution, time.Duration, error) {
			start := time.Now()
			s, err := fit()
			return s, time.Since(start), err
		},
		repeat: func(count int) (time.Duration, error) {
			start := time.Now()
			for range count {
				if _, err := fit(); err != nil {
					return 0, err
				}
			}
			return time.Since(start), nil
		},
	}
}

// ownName is the peer that the others are compared with.
const ownName = "softkmeans"

// peersOf lists the ways to solve one problem; py may be nil and has loaded x
// otherwise.
func peersOf(x *mat.Dense, k, workers int, py *python) []peer {
	peers := []peer{goPeer(ownName, func() (*solution, error) { return ownFit(x, k, workers) })}
	if workers > 1 {
		peers = append(peers, goPeer("1 worker", func() (*solution, error) { return ownFit(x, k, 1) }))
	}
	for _, way := range gonumWays {
		p := goPeer(way.name, func() (*solution, error) { return gonumFit(x, k, way.right) })
		p.slow = true
		peers = append(peers, p)
	}
	if py == nil {
		return peers
	}
	add := func(name, way string, exact bool) {
		peers = append(peers, peer{
			name: name, exact: exact, python: true,
			solve:  func() (*solution, time.Duration, error) { return py.solve(way) },
			repeat: func(count int) (time.Duration, error) { return py.repeat(way, count) },
		})
	}
	add("NumPy", "numpy", true)
	if py.learn {
		add("scikit-learn PCA", "sklearn", false)
	}
	return peers
}

// figure is what is known of one peer on one problem.
type figure struct {
	peer    peer
	skipped string          // why it was left out; "": it was not
	how     string          // the solver that it chose
	excess  float64         // (objective − floor)/total
	times   []time.Duration // of a call, the mean of each turn
	turns   int             // without the first call, which counts only where there is no other
	spent   time.Duration
}

// best is the least time of a turn: the machine's noise only adds.
func (f *figure) best() time.Duration { return slices.Min(f.times) }

// spread is how far the median turn is above the best, as a ratio.
func (f *figure) spread() float64 {
	sorted := slices.Sorted(slices.Values(f.times))
	return float64(sorted[len(sorted)/2]) / float64(sorted[0])
}

// done says whether it had its time: all of it, and for calls that are not far
// above it a few turns.
func (f *figure) done(limit time.Duration) bool {
	return f.spent >= limit && (f.turns >= 3 || f.best() > 5*limit)
}

// estimateAbove is the count n·d·min(n, d) from which on a slow peer's time is
// estimated before it is called: a few seconds.
var estimateAbove = 2e9

// estimate predicts the time of one call of a way on data of this size from its
// times on parts of the rows and columns. All terms of its cost are products of
// three sizes, so that time grows by 8 where both sides double, or by more where
// a cache no longer holds the data. A quarter of both sides, times 64, is
// therefore too little if anything; where that is not far below the limit, half
// of both is tried, and the growth between the two taken to go on.
func estimate(at shape, limit time.Duration, data func(n, d int) *mat.Dense, right func(x, c *mat.Dense) (*mat.Dense, []float64)) (_ time.Duration, how string, err error) {
	part := func(part, times int) (best time.Duration, size string, err error) {
		n, d := max(at.n/part, 2), max(at.d/part, 2)
		x := data(n, d)
		k := min(at.k, n, d+1)
		best = math.MaxInt64
		for range times {
			start := time.Now()
			if _, err := gonumFit(x, k, right); err != nil {
				return 0, "", err
			}
			best = min(best, time.Since(start))
		}
		return best, fmt.Sprintf("%d×%d", n, d), nil
	}
	quarter, size, err := part(4, 3)
	if err != nil {
		return 0, "", err
	}
	how = fmt.Sprintf("%s takes %s", size, duration(quarter))
	least := 64 * quarter
	if least > limit || least < limit/10 {
		return least, how, nil
	}
	half, size, err := part(2, 1)
	if err != nil {
		return 0, "", err
	}
	growth := max(8, half.Seconds()/quarter.Seconds())
	return seconds(half.Seconds() * growth), how + fmt.Sprintf(", %s %s", size, duration(half)), nil
}

// measure times all peers on one problem. say reports progress.
func measure(ctx context.Context, at shape, data func(n, d int) *mat.Dense, py *python, o *options, say func(format string, args ...any)) ([]*figure, error) {
	x := data(at.n, at.d)
	total := squares(centred(x))
	if py != nil {
		if err := py.load(x, at.k); err != nil {
			return nil, err
		}
	}
	var figures []*figure
	answers := map[*figure]*solution{}
	for _, p := range peersOf(x, at.k, o.workers, py) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := &figure{peer: p}
		figures = append(figures, f)
		if p.slow && float64(at.n)*float64(at.d)*float64(min(at.n, at.d)) > estimateAbove {
			for _, way := range gonumWays {
				if way.name != p.name {
					continue
				}
				expected, how, err := estimate(at, o.cap, data, way.right)
				if err != nil {
					return nil, err
				}
				say("%v: %s: about %s or more expected (%s)", at, p.name, duration(expected), how)
				if expected > o.cap {
					f.skipped = fmt.Sprintf("a call would take about %s or more (%s), the limit is %s", duration(expected), how, duration(o.cap))
				}
			}
			if f.skipped != "" {
				continue
			}
		}
		runtime.GC()
		s, first, err := p.solve()
		if err != nil {
			return nil, fmt.Errorf("%v: %s: %w", at, p.name, err)
		}
		if p.python {
			time.Sleep(settle)
		}
		say("%v: %s: first call %s", at, p.name, duration(first))
		answers[f] = s
		f.how = s.how
		f.times, f.spent = []time.Duration{first}, first
	}
	if err := judge(x, total, figures, answers); err != nil {
		return nil, fmt.Errorf("%v: %w", at, err)
	}
	clear(answers)
	for turn, more := 0, true; more && turn < rounds; turn++ {
		more = false
		for _, f := range figures {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if f.skipped != "" || f.done(o.time) {
				continue
			}
			count := max(1, int(o.time/rounds/max(f.best(), 1)))
			runtime.GC()
			t, err := f.peer.repeat(count)
			if err != nil {
				return nil, fmt.Errorf("%v: %s: %w", at, f.peer.name, err)
			}
			if f.peer.python {
				time.Sleep(settle)
			}
			if f.turns == 0 { // what a single call leaves to the garbage collector would flatter it
				f.times = f.times[:0]
			}
			f.turns++
			f.times = append(f.times, t/time.Duration(count))
			f.spent += t
			more = true
		}
	}
	return figures, nil
}

// judge holds all answers to the same result. The floor is gonum's from the Gram
// matrix, as of a third party; if that was skipped, this package's.
func judge(x *mat.Dense, total float64, figures []*figure, answers map[*figure]*solution) error {
	floor := math.NaN()
	for _, f := range figures {
		if s := answers[f]; s != nil && (f.peer.name == ownName || f.peer.name == "gonum Gram") {
			floor = s.floor
		}
	}
	for _, f := range figures {
		s := answers[f]
		if s == nil {
			continue
		}
		objective, err := s.check(x, f.peer.exact, floor, total)
		if err != nil {
			return fmt.Errorf("%s does not solve the problem: %w", f.peer.name, err)
		}
		f.excess = (objective - floor) / total
	}
	return nil
}
