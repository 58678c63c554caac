package softkmeans

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// closedRows returns n compositions of d parts: shares of k prototypes, of whose entries half are 0, with
// noise, closed to a sum.
func closedRows(n, d, k int, noise, sum float64, seed uint64) *Matrix {
	x, _ := scarce(n, d, k, noise, seed)
	for i := range n {
		row := x.row(i)
		for c, v := range row {
			row[c] = max(v, 0)
		}
		scale(row, sum/sumOf(row))
	}
	return x
}

// checkBox checks that rows are within a box.
func checkBox(t *testing.T, f *Matrix, b *box, size float64) {
	t.Helper()
	for i := range f.Rows {
		for c, v := range f.row(i) {
			if !(v >= b.low[c] && v <= b.high[c]) {
				t.Fatalf("row %d: %v is not from %v to %v", i, v, b.low[c], b.high[c])
			}
		}
		if sum := sumOf(f.row(i)); b.closed && math.Abs(sum) > 1e-14*(size+norm2(f.row(i))) {
			t.Fatalf("row %d has the sum %v", i, sum)
		}
	}
}

// TestBoxProject: the projection is within box and sum, and no move of two entries against each other brings
// it nearer. Rows that are within stay.
func TestBoxProject(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for trial := range 2000 {
		d := 1 + trial%7
		b := &box{make([]float64, d), make([]float64, d), trial%3 > 0}
		least, most := 0.0, 0.0
		for c := range d {
			b.low[c], b.high[c] = -math.Exp(rng.NormFloat64()), math.Exp(rng.NormFloat64())
			switch rng.IntN(6) {
			case 0:
				b.low[c] = math.Inf(-1)
			case 1:
				b.high[c] = math.Inf(1)
			case 2:
				b.high[c] = b.low[c]
			}
			least += b.low[c]
			most += b.high[c]
		}
		b.closed = b.closed && least <= 0 && most >= 0
		row := randomSlice(d, rng)
		scale(row, math.Pow(10, float64(trial%5-1)))
		was := slices.Clone(row)
		b.project(row)
		checkBox(t, &Matrix{1, d, d, row}, b, norm2(was))
		up, down := math.Inf(-1), math.Inf(1) // between them is what free entries move by
		for c, v := range row {
			if !b.closed && v != min(max(was[c], b.low[c]), b.high[c]) {
				t.Fatalf("trial %d: %v to %v", trial, was[c], v)
			}
			if v > b.low[c] {
				up = max(up, v-was[c])
			}
			if v < b.high[c] {
				down = min(down, v-was[c])
			}
		}
		size := norm2(was) + norm2(row)
		// Moving up one entry and down another must not bring the row nearer.
		if b.closed && down < up-1e-13*size {
			t.Fatalf("trial %d: %v to %v in %+v", trial, was, row, b)
		}
		again := slices.Clone(row)
		b.project(again)
		if math.Sqrt(squaredDistance(again, row)) > 1e-15*size {
			t.Fatalf("trial %d: %v to %v", trial, row, again)
		}
	}
}

// boundedFits are the fits whose centers may have bounds.
var boundedFits = map[string]func(x *Matrix, k int, o *MinVolumeOptions) (*Model, error){
	"FitMinVolume": func(x *Matrix, k int, o *MinVolumeOptions) (*Model, error) {
		return FitMinVolume(bg, x, k, o)
	},
	"FitAlternating": func(x *Matrix, k int, o *MinVolumeOptions) (*Model, error) {
		return FitAlternating(bg, x, k, o)
	},
}

// TestBounds: the centers of all fits are within the bounds, some at them; the loss never rises; at rest no
// step within the bounds lowers it. Without the option some are outside. The bits depend on neither workers
// nor the unit, and columns may have bounds of their own.
func TestBounds(t *testing.T) {
	t.Parallel()
	x, _ := scarce(60, 8, 3, 0.05, 3)
	wide, _ := scarce(20, 60, 3, 0.05, 4)
	for name, fit := range boundedFits {
		for _, x := range []*Matrix{x, wide} {
			low, high := make([]float64, x.Cols), make([]float64, x.Cols)
			for c := range x.Cols {
				low[c], high[c] = 0.1, 0.9
				if c%4 == 3 {
					low[c], high[c] = math.Inf(-1), math.Inf(1)
				}
			}
			o := MinVolumeOptions{Lower: low, Upper: high, Workers: 1, Tol: 1e-7, Init: InitSPA}
			m := mustDo(fit(x, 3, &o))(t)
			checkFalls(t, name, m.Trace)
			at := 0
			for i, v := range m.Centers.Data {
				if c := i % x.Cols; !(v >= low[c] && v <= high[c]) {
					t.Fatalf("%s: %v in column %d", name, v, c)
				}
				if v == 0.1 || v == 0.9 {
					at++
				}
			}
			if at == 0 || at == len(m.Centers.Data) || m.Objective < m.Floor || m.Stationarity > 0.02 {
				t.Errorf("%s: %d entries at bounds, objective %v, floor %v, stationarity %v",
					name, at, m.Objective, m.Floor, m.Stationarity)
			}
			large := o
			large.Lower, large.Upper, large.Workers = slices.Clone(low), slices.Clone(high), 3
			scale(large.Lower, 0x1p100)
			scale(large.Upper, 0x1p100)
			y := x.Clone()
			scale(y.Data, 0x1p100)
			far := mustDo(fit(y, 3, &large))(t)
			scale(far.Centers.Data, 0x1p-100)
			if !slices.Equal(far.Centers.Data, m.Centers.Data) {
				t.Errorf("%s: other bits in other units, or with other workers", name)
			}
			o.Lower, o.Upper = nil, nil
			loose := mustDo(fit(x, 3, &o))(t)
			if slices.Max(loose.Centers.Data) <= 0.9 {
				t.Errorf("%s: the bounds are not needed", name)
			}
		}
	}
}

// TestNonNegative: centers are at least 0, the loss never rises, and no step within the bound lowers it. A
// Lower of 0 for all columns is the same, to the bit, with any workers, and no bounds are none.
func TestNonNegative(t *testing.T) {
	x, _ := scarce(60, 8, 3, 0.05, 3)
	inf := math.Inf(1)
	for _, o := range []MinVolumeOptions{
		{Init: InitSPA, Slack: 0.02}, {Init: InitKMeans, Volume: VolumeAffine},
		{Sum: SumAtMostOne, Init: InitSPA}, {Init: InitGlobal, Slack: 0.01}} {
		fit := func(by MinVolumeOptions) *Model {
			o := o
			o.NonNegative, o.Lower, o.Upper, o.Workers, o.Tol = by.NonNegative, by.Lower, by.Upper,
				by.Workers, by.Tol
			return mustDo(FitMinVolume(bg, x, 3, &o))(t)
		}
		free := fit(MinVolumeOptions{})
		for _, by := range []MinVolumeOptions{{Lower: []float64{-inf}}, {Upper: []float64{1e300}}} {
			m := fit(by)
			d := squaredDistance(m.Centers.Data, free.Centers.Data)
			if d > 1e-6*sumSquares(free.Centers.Data) {
				t.Errorf("%+v: centers off by %v", by, math.Sqrt(d))
			}
		}
		m := fit(MinVolumeOptions{NonNegative: true, Workers: 1, Tol: 1e-7})
		low := slices.Min(m.Centers.Data)
		if low < 0 || m.Objective < m.Floor || m.Stationarity > 1e-2 {
			t.Errorf("%+v: smallest entry %v, objective %v, floor %v, stationarity %v", o, low, m.Objective,
				m.Floor,
				m.Stationarity)
		}
		if o.Init == InitSPA && slices.Min(free.Centers.Data) >= 0 {
			t.Errorf("%+v: the bound is not needed", o)
		}
		checkFalls(t, fmt.Sprintf("%+v", o), m.Trace)
		for _, by := range []MinVolumeOptions{{Lower: []float64{0}}, {Lower: make([]float64, 8)},
			{Lower: []float64{-1}, NonNegative: true, Upper: []float64{inf}}} {
			by.Workers, by.Tol = 3, 1e-7
			if again := fit(by); !slices.Equal(again.Centers.Data, m.Centers.Data) ||
				!slices.Equal(again.Trace, m.Trace) {
				t.Errorf("%+v, %+v: other bits", o, by)
			}
		}
	}
}

// TestClosedRows: where all rows have one sum the centers have it, in all fits that have bounds, and about so
// where rows are rounded to three digits. Where bounds forbid it they come first.
func TestClosedRows(t *testing.T) {
	t.Parallel()
	for _, sum := range []float64{1, 100} {
		x := closedRows(120, 10, 3, 0.1, sum, 5)
		rounded := mapped(x, func(_, _ int, v float64) float64 { return math.Round(v/sum*1e3) * sum / 1e3 })
		for _, x := range []*Matrix{x, rounded} {
			tol := 1e-12
			if x == rounded {
				tol = 2e-4
			}
			check := func(what any, m *Model) {
				for j := range m.Centers.Rows {
					if off := sumOf(m.Centers.row(j)) - sum; math.Abs(off) > tol*sum {
						t.Errorf("%+v: the sum is off by %g", what, off/sum)
					}
				}
			}
			for _, o := range []MinVolumeOptions{
				{NonNegative: true, Slack: 0.02},
				{NonNegative: true, Slack: 0.02, Volume: VolumeAffine, Init: InitSPA},
				{Lower: []float64{0.01 * sum}, Upper: []float64{0.3 * sum}},
			} {
				m := mustDo(FitMinVolume(bg, x, 3, &o))(t)
				check(o, m)
				if at := slices.Min(m.Centers.Data); at != 0 && at != o.Lower[0] || m.Stationarity > 0.05 {
					t.Errorf("%+v: the least entry is %v, stationarity %v", o, at, m.Stationarity)
				}
			}
			check("FitAlternating", mustDo(FitAlternating(bg, x, 3, &MinVolumeOptions{NonNegative: true}))(t))
			o := &MinVolumeOptions{Lower: []float64{0.2 * sum}}
			if m := mustDo(FitMinVolume(bg, x, 3, o))(t); slices.Min(m.Centers.Data) < 0.2*sum ||
				slices.Max(m.Centers.Data) < 0.25*sum {
				t.Errorf("centers from %v to %v", slices.Min(m.Centers.Data), slices.Max(m.Centers.Data))
			}
		}
	}
}

// TestBoundsHard: bounds that keep all centers from the data, that coincide, and far from 0; constant data;
// k of 1 and above d; samples that are an exact mixture and outside.
func TestBoundsHard(t *testing.T) {
	t.Parallel()
	x, _ := scarce(40, 5, 3, 0.05, 3)
	shifted := mapped(x, func(_, _ int, v float64) float64 { return v + 1e15 })
	exact, truth := mixtures(30, 5, 3, 0.5, 0.9, 1)
	copy(exact.Data, truth.Data)
	long, corners := mixtures(60, 40, 3, 0.5, 0.9, 1) // begins in leading directions
	copy(long.Data, corners.Data)
	tiny := mapped(x, func(_, _ int, v float64) float64 { return v * 0x1p-480 })
	one := func(v float64) []float64 { return []float64{v} }
	for name, c := range map[string]struct {
		x         *Matrix
		k         int
		low, high []float64
	}{
		"above":              {x, 3, one(50), nil},
		"below":              {x, 3, nil, one(-50)},
		"one point":          {x, 3, one(0.5), one(0.5)},
		"far":                {shifted, 3, one(1e15), one(1e15 + 1)},
		"constant":           {NewMatrix(6, 2, nil), 2, one(1), one(2)},
		"k of 1":             {x, 1, one(0.6), one(0.7)},
		"k above d":          {x, 7, one(0), one(0.5)},
		"exact":              {exact, 3, one(0.3), nil},
		"exact, wide":        {long, 3, one(0.3), one(0.6)},
		"huge":               {x, 3, one(0x1p500), nil},
		"huge, of tiny data": {tiny, 3, one(0x1p500), nil},
		"no such":            {x, 3, one(-0x1p500), one(0x1p500)},
	} {
		for _, fit := range boundedFits {
			m, err := fit(c.x, c.k, &MinVolumeOptions{Lower: c.low, Upper: c.high})
			must(t, err)
			// A fit does better than the pure samples, moved to their bounds.
			if strings.HasPrefix(name, "exact") {
				f := mapped(rowsOf(c.x, 0, 3), func(_, _ int, v float64) float64 {
					if v = max(v, c.low[0]); c.high != nil {
						v = min(v, c.high[0])
					}
					return v
				})
				g := mustDo(SimplexLeastSquares(nil, c.x, f, nil))(t)
				if moved := plainObjective(c.x, f, g, nil); m.Objective > 0.98*moved {
					t.Errorf("%s: objective %v, that of moved samples %v", name, m.Objective, moved)
				}
			}
			finite(t, name, m.Objective, m.Gap)
			finite(t, name, slices.Concat(m.Centers.Data, m.Memberships.Data)...)
			for _, v := range m.Centers.Data {
				if c.low != nil && v < c.low[0] || c.high != nil && v > c.high[0] {
					t.Fatalf("%s: a center has %v", name, v)
				}
			}
			if err := m.Check(); err != nil {
				t.Error(name, err)
			}
		}
	}
}

// TestBoundsRest: at rest no small step within bounds and sum lowers L, with the best memberships for it.
func TestBoundsRest(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	open, _ := scarce(60, 6, 3, 0.1, 3)
	for _, x := range []*Matrix{open, closedRows(60, 6, 3, 0.1, 1, 3)} {
		for _, volume := range []Volume{VolumeOrigin, VolumeAffine} {
			o := MinVolumeOptions{Lower: []float64{0.05}, Upper: []float64{0.4}, Tol: 1e-12, MaxIter: 100000,
				Lambda: 1e-3, Volume: volume}
			m := mustDo(FitMinVolume(bg, x, 3, &o))(t)
			b := mustDo(openMinVolume(bg, x, 3, &o))(t)
			all := mustDo(b.end())(t)
			loss := func(f *Matrix) float64 {
				it := all.newIterate()
				copy(it.f.Data, all.data.fromData(f, all.axes).Data)
				all.clamp(it.f)
				must(t, all.pass(it, nil))
				return it.lossAt(math.Ldexp(o.Lambda, -2*all.data.exp-all.data.wexp))
			}
			if all.box.closed != (x != open) {
				t.Fatal("which rows are closed")
			}
			rest, free := loss(m.Centers), 0
			for trial := range 300 {
				other := m.Centers.Clone()
				axpy(other.Data, math.Pow(10, float64(-2-trial%4)), randomSlice(18, rng))
				if v := loss(other); v < rest-1e-9*math.Abs(rest) {
					t.Errorf("volume %v: %v at rest, %v elsewhere", volume, rest, v)
					break
				}
			}
			for _, v := range m.Centers.Data {
				if v > 0.05 && v < 0.4 {
					free++
				}
			}
			if free < 3 || free > 15 {
				t.Errorf("%d entries of 18 are free", free)
			}
		}
	}
}
