package softkmeans

// Fuzzing of what reads data block by block: however it is cut, and whatever goes
// wrong on the way.

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"testing"
)

// blocks are the rows of x, cut at random: with NaN between the rows, in memory that
// is used again, some of them without rows.
func (in *input) blocks(x *Matrix) iter.Seq2[*Matrix, error] {
	gap, sizes := in.below(3), []int{}
	for left := x.Rows; left > 0; {
		n := min(in.below(12)*(1+in.below(4)), left)
		if left -= n; n > 0 || len(sizes) < 20 {
			sizes = append(sizes, n)
		}
	}
	return func(yield func(*Matrix, error) bool) {
		memory, at := make([]float64, x.Rows*(x.Cols+gap)), 0
		for _, n := range sizes {
			for i := range memory {
				memory[i] = math.NaN()
			}
			b := &Matrix{Rows: n, Cols: x.Cols, Stride: x.Cols + gap}
			if n > 0 {
				b.Data = memory[:(n-1)*b.Stride+b.Cols]
			}
			for i := range n {
				copy(b.Row(i), x.Row(at+i))
			}
			if at += n; !yield(b, nil) {
				return
			}
		}
	}
}

// trouble is what goes wrong with a block of a pass.
type trouble struct {
	kind, pass, block, entry int
	happened                 bool
}

const (
	blockFails = iota
	blockHasNaN
	blockIsNil
	blockIsMissing
	blockIsTwice
	blockIsOther
	blockIsHuge
	blockIsWider
	troubles
)

var errBroken = errors.New("the disk is gone")

func (in *input) trouble() *trouble {
	return &trouble{kind: in.below(troubles), pass: 1 + in.below(5), block: in.below(4), entry: in.below(64)}
}

// in yields blocks until it happens, and goes on.
func (c *trouble) in(blocks iter.Seq2[*Matrix, error]) iter.Seq2[*Matrix, error] {
	pass := 0
	return func(yield func(*Matrix, error) bool) {
		pass++
		at := -1
		for b, err := range blocks {
			if b.Rows > 0 {
				at++
			}
			if pass == c.pass && at == c.block && b.Rows > 0 {
				c.happened = true
				b = b.Clone()
				entry := &b.Data[c.entry%len(b.Data)]
				switch c.kind {
				case blockFails:
					yield(nil, errBroken)
					return
				case blockHasNaN:
					*entry = math.NaN()
				case blockIsNil:
					b = nil
				case blockIsMissing:
					continue
				case blockIsTwice:
					if !yield(b, nil) {
						return
					}
				case blockIsOther:
					*entry = -*entry / 2
				case blockIsHuge:
					*entry = math.MaxFloat64
				case blockIsWider:
					b = NewMatrix(b.Rows, b.Cols+1, nil)
				}
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// check fails for an error that is not of what happened, and for a model beside it.
func (c *trouble) check(t *testing.T, m *Model, err error) {
	t.Helper()
	kinds := []error{ErrChanged, ErrShape, ErrTooFewSamples} // of rows that are others
	switch {
	case !c.happened:
		kinds = nil
	case c.kind == blockFails:
		kinds = []error{errBroken}
	case c.kind == blockHasNaN:
		kinds = []error{ErrNonFinite}
	case c.kind == blockIsNil:
		kinds = []error{ErrShape}
	}
	if err == nil && (!c.happened || c.kind > blockIsNil) {
		finiteModel(t, m) // of the sums alone not every change is to be seen
		return
	}
	for _, kind := range kinds {
		if m == nil && errors.Is(err, kind) {
			return
		}
	}
	t.Fatalf("%+v: %v, %v", *c, m, err)
}

// progress is told of progress, which has to go on.
type progress struct {
	t    *testing.T
	rows int // in all
	last Pass
}

func (p *progress) told(now Pass) {
	good := now.Pass == p.last.Pass && now.Rows > p.last.Rows ||
		now.Pass == p.last.Pass+1 && now.Rows > 0 && (p.last.Rows == p.rows || p.last.Pass == 0)
	if !good || now.Rows > p.rows {
		p.t.Errorf("%+v after %+v, of %d rows", now, p.last, p.rows)
	}
	p.last = now
}

// collected receives memberships.
type collected struct {
	t *testing.T
	g *Matrix
}

func (c *collected) take(first int, g *Matrix) error {
	if first != c.g.Rows || g.Cols != c.g.Cols {
		c.t.Errorf("%d×%d memberships from row %d, not %d", g.Rows, g.Cols, first, c.g.Rows)
	}
	for i := range g.Rows {
		c.g.Data = append(c.g.Data, g.Row(i)...)
	}
	c.g.Rows += g.Rows
	return nil
}

// sameSolution compares two models of the same rows, by shares of the total, which is
// what may be out of range: floors within what their errors say. Numbers below 2^-1022
// are off by 2^-1074 each.
func sameSolution(t *testing.T, x *Matrix, w []float64, got, want *Model) {
	t.Helper()
	finiteModel(t, got)
	most := max(room(1e-9, x, w, got.Centers, nil), room(1e-9, x, w, want.Centers, nil))
	if most > 0.1 { // of such data no digit is left
		return
	}
	unknown := want.Total == 0 || want.Total == math.MaxFloat64 || got.Total == 0 || got.Total == math.MaxFloat64
	share := func(v float64) float64 {
		if unknown {
			return 0
		}
		return v / want.Total
	}
	most += share(4*0x1p-1074) + share(got.FloorError) + share(want.FloorError)
	if math.Abs(share(got.Floor)-share(want.Floor)) > most || math.Abs(share(got.Total)-share(want.Total)) > most {
		t.Fatalf("floor %g, total %g; want %g, %g, within %g: %+v, %+v, %v, %v", got.Floor, got.Total, want.Floor, want.Total, most, got, want, x, w)
	}
	if got.Status != StatusOutOfRange && want.Status != StatusOutOfRange && math.Abs(got.Gap-want.Gap) > most {
		t.Fatalf("gap %g, want %g, within %g: %+v, %+v, %v, %v", got.Gap, want.Gap, most, got, want, x, w)
	}
}

// FuzzFitSeq: blocks cut at random agree with the whole, and have the bits of any other
// cut; so do statistics of parts, within rounding. What goes wrong with the blocks is
// an error of its kind.
func FuzzFitSeq(f *testing.F) {
	addMatrices(f)
	f.Add([]byte{11, 5, 0x1a, 250, 200, 100, 50, 25, 12, 6, 3, 1})
	f.Add([]byte{23, 4, 0x2e, 33, 66, 99, 122, 155})
	f.Add([]byte{0, 0, 7, 255, 254, 253})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		x, w := in.samples(24, 6)
		k := 1 + in.below(8)
		o := Options{Enclosure: allEnclosures[in.below(2)], Solver: Solver(in.below(4)), Weights: w, Workers: in.below(3)}
		if in.byte()&1 > 0 {
			o.Orientation = RandomOrientation(k, uint64(in.byte()))
		}
		if in.byte()&1 > 0 {
			o.Passes = fewestPasses + in.below(3)
		}
		want := mustDo(Fit(bg, x, k, &o))(t)
		blocks := in.blocks(x)
		plain := mustDo(FitSeq(bg, blocks, k, &o))(t)
		sameSolution(t, x, w, plain, want)

		asked, told, got := o, progress{t: t, rows: x.Rows}, collected{t, NewMatrix(0, k, nil)}
		asked.Workers, asked.Progress, asked.Memberships = 3-o.Workers, told.told, got.take
		m := mustDo(FitSeq(bg, inBlocks(x, 1+in.below(30)), k, &asked))(t)
		sameSolution(t, x, w, m, want)
		if !laSameBits(m.Centers.Data, plain.Centers.Data) || m.Floor != plain.Floor || m.Total != plain.Total || m.Status != plain.Status {
			t.Fatalf("other blocks: %+v, not %+v", m, plain)
		}
		if got.g.Rows != x.Rows || told.last.Rows != x.Rows || told.last.Pass > 1+max(o.Passes, 3) && o.Passes > 0 {
			t.Fatalf("memberships of %d rows of %d, last told of %+v of at most %d", got.g.Rows, x.Rows, told.last, o.Passes)
		}
		checkFeasible(t, got.g)
		c := mustDo(CertifyWeighted(x, m.Centers, got.g, w))(t)
		if most := room(1e-11, x, w, m.Centers, nil); math.Abs(c.Gap-m.Gap)-m.FloorError/max(m.Total, 0x1p-1022) > most && m.Status != StatusOutOfRange {
			t.Fatalf("gap %g, certified %+v, within %g", m.Gap, c, most)
		}

		if o.Solver <= SolverGram {
			p := in.parts(t, x, w, k, &o)
			sameSolution(t, x, w, p, want)
			// Totals may be out of range: what a certificate says is not. A row that weighs
			// nothing beside the others may still give its part a unit that squares are lost in.
			c := mustDo(CertifyWeighted(x, p.Centers, mustDo(p.Predict(nil, x))(t), w))(t)
			if most := room(1e-9, x, w, p.Centers, nil); w == nil && p.Status == StatusOptimal && c.Gap > most {
				t.Fatalf("gap %g by parts, within %g: %+v of %v", c.Gap, most, p, x)
			}
		}
		bad := in.trouble()
		m, err := FitSeq(bg, bad.in(blocks), k, &o)
		bad.check(t, m, err)

		ctx, cancel := context.WithCancel(bg)
		end := 1 + in.below(2)
		asked.Progress = func(p Pass) {
			if p.Pass == end {
				cancel()
			}
		}
		asked.Memberships = func(int, *Matrix) error { return nil }
		if m, err := FitSeq(ctx, blocks, k, &asked); m != nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled in pass %d: %v, %v", end, m, err)
		}
		in.finish(t)
	})
}

// parts is the solution by statistics and extents of parts, which go by their binary
// forms and are merged in some order.
func (in *input) parts(t *testing.T, x *Matrix, w []float64, k int, o *Options) *Model {
	t.Helper()
	var ends []int
	for at := 0; at < x.Rows; {
		at = min(at+1+in.below(9), x.Rows)
		ends = append(ends, at)
	}
	part := func(i int) (*Matrix, []float64) {
		lo := 0
		if i > 0 {
			lo = ends[i-1]
		}
		rows := &Matrix{Rows: ends[i] - lo, Cols: x.Cols, Stride: x.Stride, Data: x.Data[lo*x.Stride:]}
		if w == nil {
			return rows, nil
		}
		return rows, w[lo:ends[i]]
	}
	order := func() []int { // the ends' numbers, turned round and perhaps backwards
		n, from, back := len(ends), in.below(len(ends)), in.byte()&1 > 0
		out := make([]int, n)
		for i := range out {
			if out[i] = (i + from) % n; back {
				out[i] = n - 1 - out[i]
			}
		}
		return out
	}
	sum := new(Stats)
	for _, i := range order() {
		rows, weights := part(i)
		s := shipped(t, statsOf(t, rows, weights))
		if in.byte()&1 > 0 {
			s, sum = sum, s
		}
		if err := sum.Merge(s); err != nil {
			t.Fatal(err)
		}
	}
	if sum.Rows() != x.Rows || sum.Cols() != x.Cols {
		t.Fatalf("%d×%d merged, not %d×%d", sum.Rows(), sum.Cols(), x.Rows, x.Cols)
	}
	finite(t, "mean", sum.Mean()...)
	finite(t, "scatter", sum.Scatter().Data...)
	finite(t, "floors", mustDo(sum.Floors())(t)...)
	own := *o
	own.Weights = nil
	p := shipped(t, mustDo(shipped(t, sum).Subspace(k, &own))(t))
	all := new(Extent)
	for _, i := range order() {
		e := new(Extent)
		rows, weights := part(i)
		if err := e.AddWeighted(p, rows, weights); err != nil {
			t.Fatalf("%v: rows %v with %v of %v with %v", err, rows, weights, x, w)
		}
		e = shipped(t, e)
		if in.byte()&1 > 0 {
			e, all = all, e
		}
		if err := all.Merge(e); err != nil {
			t.Fatal(err)
		}
	}
	return mustDo(p.Model(shipped(t, all)))(t)
}

// FuzzMinVolumeSeq: a model of a summary, and of rows that fit into it, keeps what the
// one of all rows promises.
func FuzzMinVolumeSeq(f *testing.F) {
	f.Add([]byte{0, 7, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add([]byte("1: oddities of all kinds, and five columns"))
	f.Add([]byte{2, 1, 5, 0x1a, 250, 200, 100, 50, 25, 12, 6, 3, 1})
	f.Add([]byte{5, 2, 3, 3, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		k := 1 + in.below(3)
		n := 32*k + in.below(30) - 5 // a summary has 32 rows for each center
		x := in.matrix(n, 1+in.below(4))
		w := in.weights(n)
		o := in.minVolume(x, w, k)
		o.SummaryRows, o.MaxIter = 1, min(o.MaxIter, 3)
		told, got := progress{t: t, rows: n}, collected{t, NewMatrix(0, k, nil)}
		o.PassProgress, o.Memberships = told.told, got.take
		blocks := in.blocks(x)
		m := mustDo(FitMinVolumeSeq(bg, blocks, k, o))(t)
		if m.Memberships != nil || got.g.Rows != n || told.last.Rows != n {
			t.Fatalf("%+v, memberships of %d rows, last told of %+v", m, got.g.Rows, told.last)
		}
		form := mustDo(m.MarshalBinary())(t)
		m.Memberships = got.g
		checkIterated(t, x, m, o)
		checkModel(t, in, m)
		if m.Status == StatusNone || m.Status == StatusCancelled {
			t.Fatal(m.Status)
		}
		if o.Sum == SumToOne {
			c := mustDo(CertifyWeighted(x, m.Centers, got.g, w))(t)
			if most := room(1e-9, x, w, m.Centers, got.g) * max(1, math.Abs(m.Gap)); !(math.Abs(c.Gap-m.Gap) <= most) {
				t.Fatalf("gap %g, certified %+v, within %g: %+v of %v with %v", m.Gap, c, most, o, x, w)
			}
		}

		again := *o
		other := collected{t, NewMatrix(0, k, nil)}
		again.Workers, again.Memberships, again.PassProgress = 2, other.take, nil
		b := mustDo(FitMinVolumeSeq(bg, inBlocks(x, 1+in.below(200)), k, &again))(t)
		if !slices.Equal(mustDo(b.MarshalBinary())(t), form) || !laSameBits(other.g.Data, got.g.Data) {
			t.Fatalf("other blocks: %+v, not %+v", b, m)
		}
		if n <= 32*k {
			whole := mustDo(FitMinVolume(bg, x, k, o))(t)
			if !slices.Equal(mustDo(whole.MarshalBinary())(t), mustDo(m.MarshalBinary())(t)) {
				t.Fatalf("%+v, not %+v of FitMinVolume", m, whole)
			}
		}

		bad := in.trouble()
		again.Memberships = func(int, *Matrix) error { return nil }
		b, err := FitMinVolumeSeq(bg, bad.in(blocks), k, &again)
		bad.check(t, b, err)
		in.finish(t)
	})
}
