package main

// Timing in turns, so that a disturbance of the machine affects all peers alike.

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"
)

// rounds is the number of turns of each peer. A peer whose single call exceeds a turn has fewer.
const rounds = 20

// pythonPause is the pause after a call of Python: OpenBLAS's threads spin for some 25 ms
// before they sleep, and would take a core from the next peer.
const pythonPause = 50 * time.Millisecond

// wallTime is the seconds since the program started: what there is where the system does
// not tell processor time.
func wallTime() float64 { return time.Since(started).Seconds() }

var started = time.Now()

// peer is one way to solve one problem.
type peer struct {
	name   string
	exact  bool // it must reach the floor
	python bool
	slow   func(x, c *mat.Dense) (*mat.Dense, []float64) // nil, or estimated before it is called
	solve  func() (*solution, time.Duration, error)      // one call, and its time
	repeat func(count int) (time.Duration, error)        // the time of count calls
}

// goPeer returns a peer that runs in this process.
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

// peersOf lists the ways to solve one problem. py is nil, or has loaded x.
func peersOf(x *mat.Dense, k, workers int, py *python) []peer {
	peers := []peer{goPeer(ownName, func() (*solution, error) { return ownFit(x, k, workers) })}
	if workers > 1 {
		peers = append(peers, goPeer("1 worker", func() (*solution, error) { return ownFit(x, k, 1) }))
	}
	for _, way := range gonumWays {
		p := goPeer(way.name, func() (*solution, error) { return gonumFit(x, k, way.right) })
		p.slow = way.right
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

// figure is the measurements of one peer on one problem.
type figure struct {
	peer    peer
	skipped string          // why it was not timed; "": it was timed
	how     string          // the solver that it chose
	excess  float64         // (objective − floor)/total
	times   []time.Duration // of a call, the mean of each turn
	turns   int             // without the first call, which counts only if there is no other
	spent   time.Duration
}

// best is the least time of a turn: disturbances only add to it.
func (f *figure) best() time.Duration { return slices.Min(f.times) }

// spread is how far the median turn is above the best, as a ratio.
func (f *figure) spread() float64 {
	sorted := slices.Sorted(slices.Values(f.times))
	return float64(sorted[len(sorted)/2]) / float64(sorted[0])
}

// done reports whether the peer has had its time. If a call takes no more than five
// times the limit, it needs three turns at least.
func (f *figure) done(limit time.Duration) bool {
	return f.spent >= limit && (f.turns >= 3 || f.best() > 5*limit)
}

// estimateAbove is the n·d·min(n, d) above which a slow peer's time, a few seconds, is
// estimated before it is called.
var estimateAbove = 2e9

// estimate returns a lower bound of the time of one call of right, and how it was found. It times a call on a
// quarter of the rows and columns, and multiplies by 64: all terms of the cost are products of three sizes.
func (p problem) estimate(
	right func(x, c *mat.Dense) (*mat.Dense, []float64),
) (_ time.Duration, how string, err error) {
	n, d := max(p.at.n/4, 2), max(p.at.d/4, 2)
	x, best := p.data(n, d), time.Duration(math.MaxInt64)
	for range 3 {
		start := time.Now()
		if _, err := gonumFit(x, min(p.at.k, n, d+1), right); err != nil {
			return 0, "", err
		}
		best = min(best, time.Since(start))
	}
	return 64 * best, fmt.Sprintf("%d×%d takes %s", n, d, duration(best)), nil
}

// problem is a shape and a kind of data. say reports progress.
type problem struct {
	at   shape
	data func(n, d int) *mat.Dense
	say  func(format string, args ...any)
}

// measure times all peers on one problem. py may be nil.
func measure(ctx context.Context, p problem, py *python, o *options) ([]*figure, error) {
	x := p.data(p.at.n, p.at.d)
	_, c := centred(x)
	total := squares(c)
	if py != nil {
		if err := py.load(x, p.at.k); err != nil {
			return nil, err
		}
	}
	var figures []*figure
	answers := map[*figure]*solution{}
	for _, way := range peersOf(x, p.at.k, o.workers, py) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := &figure{peer: way}
		figures = append(figures, f)
		s, err := p.first(f, o.cap)
		if err != nil {
			return nil, err
		}
		if s != nil {
			answers[f] = s
		}
	}
	if err := judge(x, total, figures, answers); err != nil {
		return nil, fmt.Errorf("%v: %w", p.at, err)
	}
	clear(answers)
	return figures, p.turns(ctx, figures, o.time)
}

// first calls a peer for the first time. It returns nil for a slow peer that is skipped,
// because a call is expected to take more than limit.
func (p problem) first(f *figure, limit time.Duration) (*solution, error) {
	at := p.at
	if f.peer.slow != nil && float64(at.n)*float64(at.d)*float64(min(at.n, at.d)) > estimateAbove {
		expected, how, err := p.estimate(f.peer.slow)
		if err != nil {
			return nil, err
		}
		p.say("%v: %s: about %s or more expected (%s)", at, f.peer.name, duration(expected), how)
		if expected > limit {
			f.skipped = fmt.Sprintf("a call would take about %s or more (%s), the limit is %s", duration(expected), how, duration(limit))
			return nil, nil
		}
	}
	runtime.GC()
	s, first, err := f.peer.solve()
	if err != nil {
		return nil, fmt.Errorf("%v: %s: %w", at, f.peer.name, err)
	}
	if f.peer.python {
		time.Sleep(pythonPause)
	}
	p.say("%v: %s: first call %s", at, f.peer.name, duration(first))
	f.how = s.how
	f.times, f.spent = []time.Duration{first}, first
	return s, nil
}

// turns times the peers in turns until each has had its time.
func (p problem) turns(ctx context.Context, figures []*figure, each time.Duration) error {
	for turn, more := 0, true; more && turn < rounds; turn++ {
		more = false
		for i, f := range figures {
			// Every other turn is backwards, so that no peer always follows the pause for
			// Python, after which caches and heap are cold.
			if turn%2 == 1 {
				f = figures[len(figures)-1-i]
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if f.skipped != "" || f.done(each) {
				continue
			}
			count := max(1, int(each/rounds/max(f.best(), 1)))
			runtime.GC()
			t, err := f.peer.repeat(count)
			if err != nil {
				return fmt.Errorf("%v: %s: %w", p.at, f.peer.name, err)
			}
			if f.peer.python {
				time.Sleep(pythonPause)
			}
			if f.turns == 0 { // drop the first call: it does not include its garbage collection
				f.times = f.times[:0]
			}
			f.turns++
			f.times = append(f.times, t/time.Duration(count))
			f.spent += t
			more = true
		}
	}
	return nil
}

// judge checks that all answers solve the problem. The floor is that of gonum's Gram
// matrix or, if that was skipped, this package's.
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
