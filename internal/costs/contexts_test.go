package costs

// Every function with a context hears it, whatever the shape of the data.

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/enclosure"
	"softkmeans/kernel"
	"softkmeans/missing"
	"softkmeans/proof"
	"softkmeans/stability"
	"softkmeans/stream"
	"softkmeans/unmix"
)

// shape is rows, and the number of prototypes, on which work is where it is seldom.
type shape struct {
	name string
	x    *matrix
	k    int
}

// shapes returns shapes of some 200 numbers, or of a million in full size.
func shapes() []shape {
	size := func(large, small int) int {
		if long() {
			return large
		}
		return small
	}
	of := func(n, d int, seed uint64) *matrix { return random(n, d, seed, nil) }
	return []shape{
		{"circle", circle(size(1<<14, 40)), 3},
		{"one column", of(size(1000000, 50), 1, 1), 4},
		{"tall", of(size(20000, 30), size(50, 7), 2), size(10, 3)},
		{"many prototypes", of(size(50000, 24), size(20, 3), 3), size(50, 7)},
		{"square", of(size(1000, 20), size(1000, 20), 4), size(100, 6)},
		{"wide", of(size(50, 6), size(20000, 60), 5), size(10, 3)},
		{"two rows", of(2, size(500000, 100), 6), 2},
	}
}

// call is a call of a function with a context.
type call struct {
	name string
	do   func(ctx context.Context) error
}

// calls returns a call of every function with a context, in all ways that have code of their own.
func (s *shape) calls() (list []call) {
	add := func(name string, do func(ctx context.Context) error) {
		list = append(list, call{name, do})
	}
	s.global(add)
	s.volume(add)
	s.similar(add)
	s.leaves(add)
	return list
}

// adder adds a call to a list.
type adder func(name string, do func(ctx context.Context) error)

// few returns options of a fit of minimal volume on one worker, of few iterations in small data.
func few() *minimal {
	if long() {
		return &minimal{Workers: 1}
	}
	return &minimal{Workers: 1, MaxIter: 3}
}

// both calls fn for rows as they are and as sparse ones.
func (s *shape) both(fn func(name string, x softkmeans.Samples)) {
	fn("", s.x)
	fn("sparse ", sparse(s.x))
}

func (s *shape) global(add adder) {
	tight := softkmeans.EnclosureTight
	fits := map[string]*options{"Fit": {}, "tight": {Enclosure: tight},
		"Jacobi": {Solver: softkmeans.SolverJacobi}, "Krylov": {Solver: softkmeans.SolverKrylov}}
	for name, o := range fits {
		o.Workers = 1
		add("Fit "+name, func(ctx context.Context) error { return second(softkmeans.Fit(ctx, s.x, s.k, o)) })
	}
	one, most := &options{Workers: 1}, &options{Workers: 1, MostK: 20}
	f, g := random(s.k, s.x.Cols, 7, nil), s.pure()
	s.both(func(name string, x softkmeans.Samples) {
		add(name+"Fit", func(ctx context.Context) error { return second(softkmeans.Fit(ctx, x, s.k, one)) })
		add(name+"Floors", func(ctx context.Context) error { return second(softkmeans.Floors(ctx, x, most)) })
		add(name+"Certify", func(ctx context.Context) error {
			return second(softkmeans.Certify(ctx, x, f, g, one))
		})
		add(name+"CentersOf", func(ctx context.Context) error {
			return second(softkmeans.CentersOf(ctx, x, g, one))
		})
	})
	add("Principal", func(ctx context.Context) error {
		return second(softkmeans.Principal(ctx, s.x, 1, one))
	})
	if s.x.Cols <= mostStreamed {
		add("stream.Fit", func(ctx context.Context) error {
			o := &stream.Options{Workers: 1, Memberships: func(int, *matrix) error { return nil }}
			return second(stream.Fit(ctx, inBlocks(s.x, 1000), s.k, o))
		})
	}
}

// mostStreamed is the number of columns up to which tables are streamed: the statistics of d columns take
// 8·d² bytes, and a block of 24 rows takes longer than any other call to hear its context.
const mostStreamed = 4096

// pure returns memberships of 1, in turn.
func (s *shape) pure() *matrix {
	g := softkmeans.NewMatrix(s.x.Rows, s.k, nil)
	for i := range g.Rows {
		g.Set(i, i%s.k, 1)
	}
	return g
}

func (s *shape) volume(add adder) {
	s.both(func(name string, x softkmeans.Samples) {
		starts := []softkmeans.Init{softkmeans.InitAuto, softkmeans.InitSPA, softkmeans.InitGlobal}
		for _, init := range starts {
			o := few()
			o.Init = init
			add(name+"FitMinVolume "+init.String(), func(ctx context.Context) error {
				return second(softkmeans.FitMinVolume(ctx, x, s.k, o))
			})
		}
		add(name+"FitAlternating", func(ctx context.Context) error {
			return second(softkmeans.FitAlternating(ctx, x, s.k, few()))
		})
	})
	add("Unmix", func(ctx context.Context) error {
		return second(unmix.Fit(ctx, s.x, s.k, &unmix.Options{MinVolumeOptions: *few()}))
	})
	add("Unmix of unit rows", func(ctx context.Context) error {
		o := &unmix.Options{MinVolumeOptions: *few(), Scaling: unmix.ScaleUnit, Trim: 0.1}
		return second(unmix.Fit(ctx, s.x, s.k, o))
	})
	for _, sum := range []softkmeans.Sum{softkmeans.SumToOne, softkmeans.SumAtMostOne} {
		if s.x.Cols > mostStreamed {
			break
		}
		add("stream.FitMinVolume "+sum.String(), func(ctx context.Context) error {
			o := &stream.MinVolumeOptions{MinVolumeOptions: *few()}
			o.Sum = sum
			return second(stream.FitMinVolume(ctx, inBlocks(s.x, 1000), s.k, o))
		})
	}
}

func (s *shape) similar(add adder) {
	similarities := must(kernel.RBF(top(s.x, min(s.x.Rows, 2000)), 0))
	one, o := &softkmeans.LSDOptions{Workers: 1}, &softkmeans.LSDOptions{Workers: 1}
	k := min(s.k, similarities.Rows)
	if !long() {
		o.MaxIter, k = 3, min(k, 3)
	}
	add("LSD", func(ctx context.Context) error { return second(softkmeans.LSD(ctx, similarities, k, o)) })
	add("TILSD", func(ctx context.Context) error { return second(softkmeans.TILSD(ctx, similarities, k, one)) })
	add("LSDFloors", func(ctx context.Context) error {
		return second(softkmeans.LSDFloors(ctx, similarities, k, one))
	})
	add("TILSDFloors", func(ctx context.Context) error {
		return second(softkmeans.TILSDFloors(ctx, similarities, k, one))
	})
	first := &softkmeans.LSDOptions{Workers: 1, MaxIter: -1}
	add("LSDFloor", func(ctx context.Context) error {
		m, err := softkmeans.LSD(ctx, similarities, k, first)
		if err != nil {
			return err
		}
		return second(proof.LSDFloor(ctx, similarities, k, &proof.LSDFloorOptions{Model: m, Workers: 1}))
	})
}

// leaves adds the calls of packages beside the root.
func (s *shape) leaves(add adder) {
	k := min(s.k, 10) // proofs with an ellipsoid
	s.both(func(name string, x softkmeans.Samples) {
		for slack, word := range map[float64]string{0: "", 0.1: " with slack"} {
			add(name+"VolumeFloor"+word, func(ctx context.Context) error {
				return second(proof.VolumeFloor(ctx, x, k, slack, &options{Workers: 1}))
			})
		}
		add(name+"VolumeRatio", func(ctx context.Context) error {
			m, err := softkmeans.Fit(ctx, x, k, &options{Workers: 1})
			if err != nil {
				return err
			}
			return second(proof.VolumeRatio(ctx, x, m, &options{Workers: 1}))
		})
		add(name+"LossGap", func(ctx context.Context) error {
			m, err := softkmeans.Fit(ctx, x, k, &options{Workers: 1})
			if err != nil {
				return err
			}
			m.Lambda, m.Epsilon, m.Volume = m.Total/float64(k), m.Total, softkmeans.VolumeAffine
			return second(proof.LossGap(ctx, x, m, &options{Workers: 1}))
		})
		add(name+"Cone", func(ctx context.Context) error {
			return second(enclosure.Cone(ctx, x, s.k, &options{Workers: 1}))
		})
	})
	if s.k <= 3 {
		add("Smallest", func(ctx context.Context) error {
			m, err := softkmeans.Fit(ctx, s.x, s.k, &options{Workers: 1})
			if err != nil {
				return err
			}
			return second(enclosure.Smallest(ctx, m))
		})
	}
	g := mixed(s.x.Rows, k)
	add("Unique", func(ctx context.Context) error { return second(proof.Unique(ctx, g)) })
	add("Choose", func(ctx context.Context) error {
		_, err := choosek.Choose(ctx, s.x, &choosek.Options{Workers: 1, MaxK: 4})
		if s.x.Rows < 16 {
			return ctx.Err()
		}
		return err
	})
	add("ProposeScene", func(ctx context.Context) error {
		return second(choosek.ProposeScene(ctx, s.x, &choosek.Options{Workers: 1}))
	})
	open := gaps(s.x)
	add("missing.Complete", func(ctx context.Context) error {
		return second(missing.Complete(ctx, open, s.k, &options{Workers: 1}))
	})
	add("missing.Fit", func(ctx context.Context) error { return second(missing.Fit(ctx, open, s.k, few())) })
	add("Others", func(ctx context.Context) error {
		m, err := softkmeans.FitMinVolume(ctx, s.x, s.k, few())
		if err != nil {
			return err
		}
		return stability.Others(ctx, s.x, m, few())
	})
	add("Bootstrap", func(ctx context.Context) error {
		m, err := softkmeans.FitMinVolume(ctx, s.x, s.k, few())
		if err != nil || m.Lambda == 0 {
			return err
		}
		o := &stability.BootstrapOptions{MinVolumeOptions: *few(), Resamples: 2}
		return second(stability.Bootstrap(ctx, s.x, m, o))
	})
}

// mixed returns n rows of memberships of which few are pure.
func mixed(n, k int) *matrix {
	g := random(n, k, 8, func(float64) float64 { return 1 })
	for i := range n {
		sum := 0.0
		for j, v := range g.Row(i) {
			g.Row(i)[j] = v * v
			sum += v * v
		}
		for j := range g.Row(i) {
			g.Row(i)[j] /= sum
		}
	}
	return g
}

// counting is a context that ends at its look after `left` others.
type counting struct {
	context.Context
	left atomic.Int64
}

func (c *counting) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func endingAt(look int64) *counting {
	c := &counting{Context: bg}
	c.left.Store(look)
	return c
}

// TestContexts ends the context of every function with one at a random look at it, and at the last. There are
// few more, and the call says that it was stopped.
func TestContexts(t *testing.T) {
	if long() {
		t.Skip("TestLate has the full sizes")
	}
	rng := rand.New(rand.NewPCG(20, 29))
	for _, s := range shapes() {
		for _, c := range s.calls() {
			whole := endingAt(1 << 30)
			if err := c.do(whole); err != nil {
				t.Errorf("%s, %s: %v", s.name, c.name, err)
				continue
			}
			looks := 1<<30 - whole.left.Load()
			for _, at := range []int64{rng.Int64N(looks), looks - 1} {
				ctx := endingAt(at)
				if err := c.do(ctx); !ended(err) || ctx.left.Load() < -400 {
					t.Errorf("%s, %s: %v, and %d looks after the end, of %d", s.name, c.name, err,
						-ctx.left.Load(), looks)
				}
			}
		}
	}
}
