package softkmeans

// Every function with a context hears it, whatever the shape of the data.

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// contextShape is rows, and the number of prototypes, on which work is where it is seldom.
type contextShape struct {
	name string
	x    *Matrix
	k    int
}

// contextShapes returns shapes of some 200 numbers, or of a million in extended mode.
func contextShapes() []contextShape {
	size := func(large, small int) int { return fewer(large, small) }
	circle := NewMatrix(size(1<<14, 40), 2, nil) // all rows are corners of the hull
	for i := range circle.Rows {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(circle.Rows))
		circle.Set(i, 0, cos)
		circle.Set(i, 1, sin)
	}
	return []contextShape{
		{"circle", circle, 3},
		{"one column", randomData(size(1000000, 50), 1, 0, 1), 4},
		{"tall", randomData(size(20000, 30), size(50, 7), 0, 2), size(10, 3)},
		{"many prototypes", randomData(size(50000, 24), size(20, 3), 0, 3), size(50, 7)},
		{"square", randomData(size(1000, 20), size(1000, 20), 0, 4), size(100, 6)},
		{"wide", randomData(size(50, 6), size(20000, 60), 0, 5), size(10, 3)},
		{"two rows", randomData(2, size(500000, 100), 0, 6), 2},
	}
}

// contextCall is a call of a function with a context.
type contextCall struct {
	name string
	do   func(ctx context.Context) error
}

// calls returns a call of every function with a context, in all ways that have code of their own.
func (s *contextShape) calls(t *testing.T) (list []contextCall) {
	add := func(name string, do func(ctx context.Context) error) {
		list = append(list, contextCall{s.name + ", " + name, do})
	}
	fits := map[string]*Options{"Fit": {}, "tight": {Enclosure: EnclosureTight},
		"at most one": {Sum: SumAtMostOne, Enclosure: EnclosureTight}, "Jacobi": {Solver: SolverJacobi},
		"Krylov": {Solver: SolverKrylov}}
	if s.k <= 3 {
		fits["smallest"] = &Options{Enclosure: EnclosureSmallest}
	}
	for name, o := range fits {
		o.Workers = 1
		add("Fit "+name, func(ctx context.Context) error { return second(Fit(ctx, s.x, s.k, o)) })
	}
	one, x, sparse := &Options{Workers: 1, MostK: 20}, s.x, sparseOf(s.x)
	g := NewMatrix(x.Rows, s.k, nil)
	for i := range g.Rows {
		g.Set(i, i%s.k, 1)
	}
	f := randomData(s.k, x.Cols, 0, 7)
	for name, x := range map[string]Samples{"": x, "sparse ": sparse} {
		add(name+"Fit", func(ctx context.Context) error { return second(Fit(ctx, x, s.k, one)) })
		add(name+"Floors", func(ctx context.Context) error { return second(Floors(ctx, x, one)) })
		add(name+"Certify", func(ctx context.Context) error { return second(Certify(ctx, x, f, g, one)) })
		add(name+"CentersOf", func(ctx context.Context) error { return second(CentersOf(ctx, x, g, one)) })
		add(name+"SkMable", func(ctx context.Context) error { return second(SkMable(ctx, x, s.k, 0)) })
		for _, init := range []Init{InitAuto, InitSPA, InitGlobal} {
			o := &MinVolumeOptions{Workers: 1, Init: init, MaxIter: fewer(0, 3)}
			add(name+"FitMinVolume "+init.String(), func(ctx context.Context) error {
				_, err := FitMinVolume(ctx, x, s.k, o)
				return err
			})
		}
		o := &MinVolumeOptions{Workers: 1, MaxIter: fewer(0, 3)}
		add(name+"FitAlternating", func(ctx context.Context) error {
			_, err := FitAlternating(ctx, x, s.k, o)
			return err
		})
		add(name+"MinVolumePath", func(ctx context.Context) error {
			_, err := MinVolumePath(ctx, x, s.k, []float64{0.1, 1}, o)
			return err
		})
	}
	add("Unmix", func(ctx context.Context) error {
		_, err := Unmix(ctx, x, s.k, &MinVolumeOptions{Workers: 1, MaxIter: fewer(0, 3)})
		return err
	})
	unit := &MinVolumeOptions{Workers: 1, Rows: RowsUnit, Trim: 0.1, MaxIter: fewer(0, 3)}
	add("Unmix of unit rows", func(ctx context.Context) error { return second(Unmix(ctx, x, s.k, unit)) })
	add("Principal", func(ctx context.Context) error { _, _, err := Principal(ctx, x, 1, one); return err })
	blocks := inBlocks(x, fewer(1000, 9))
	for _, sum := range []Sum{SumToOne, SumAtMostOne} {
		add("FitSeq "+sum.String(), func(ctx context.Context) error {
			_, err := FitSeq(ctx, blocks, s.k, &Options{Workers: 1, Sum: sum, Memberships: take})
			return err
		})
		o := seqOptions(MinVolumeOptions{Workers: 1, Sum: sum, MaxIter: fewer(0, 3)}, 0, 0)
		add("FitMinVolumeSeq "+sum.String(), func(ctx context.Context) error {
			_, err := FitMinVolumeSeq(ctx, blocks, s.k, &o)
			return err
		})
	}
	kernel := mustDo(RBFKernel(rowsOf(x, 0, min(x.Rows, 2000)), 0))(t)
	o, k := &LSDOptions{Workers: 1, MaxIter: fewer(0, 3)}, min(fewer(s.k, 3), kernel.Len())
	add("LSD", func(ctx context.Context) error { return second(LSD(ctx, kernel, k, o)) })
	add("TILSD", func(ctx context.Context) error { return second(TILSD(ctx, kernel, k, o)) })
	add("LSDFloors", func(ctx context.Context) error { return second(LSDFloors(ctx, kernel, k, o)) })
	add("TILSDFloors", func(ctx context.Context) error { return second(TILSDFloors(ctx, kernel, k, o)) })
	return list
}

// TestContexts ends the context of every function with one at random moments: at looks at it in small data,
// after which there are few more, and on a million numbers at moments of the first second. It logs how late
// the calls return there: run it alone to measure.
func TestContexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 29))
	var latest time.Duration
	for _, s := range contextShapes() {
		for _, c := range s.calls(t) {
			if !quick() {
				late := endedByTime(t, c, time.Duration(rng.Int64N(int64(time.Second))))
				latest = max(latest, late)
				continue
			}
			whole := endingAt(1 << 30)
			if err := c.do(whole); err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			looks := 1<<30 - whole.left.Load()
			for range 2 {
				ctx := endingAt(int(rng.Int64N(looks)))
				if err := c.do(ctx); !errors.Is(err, context.Canceled) || ctx.left.Load() < -400 {
					t.Errorf("%s: %v, and %d looks after the end, of %d", c.name, err, -ctx.left.Load(),
						looks)
				}
			}
		}
	}
	t.Logf("the latest return: %v", latest)
}

// endedByTime returns how long after the end of its context a call returns; 0 if it was done before.
func endedByTime(t *testing.T, c contextCall, after time.Duration) time.Duration {
	ctx, cancel := context.WithCancel(bg)
	defer cancel()
	ended := make(chan time.Time, 1)
	timer := time.AfterFunc(after, func() { ended <- time.Now(); cancel() })
	err := c.do(ctx)
	if timer.Stop() {
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		return 0
	}
	late := time.Since(<-ended)
	if late > 100*time.Millisecond {
		t.Logf("%s: %v late", c.name, late)
	}
	if err != nil && !errors.Is(err, context.Canceled) || late > 5*time.Second {
		t.Errorf("%s: %v, %v after the end", c.name, err, late)
	}
	return late
}
