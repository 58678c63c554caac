package softkmeans

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
)

// take is a receiver of memberships that keeps nothing.
func take(int, *Matrix) error { return nil }

// inViews yields the rows of x in blocks with room between their rows, none behind the last,
// and in memory that is used again.
func inViews(x *Matrix, size int) iter.Seq2[*Matrix, error] {
	return func(yield func(*Matrix, error) bool) {
		stride := x.Cols + 2
		memory := make([]float64, size*stride)
		for b := range inBlocks(x, size) {
			copy(memory, nans(len(memory)))
			view := &Matrix{Rows: b.Rows, Cols: x.Cols, Stride: stride, Data: memory[:b.Rows*stride-2]}
			if copyRows(view, b); !yield(view, nil) {
				return
			}
		}
	}
}

// TestFitSeq: the model of any sequence of blocks is that of Fit on all rows, to 1e-9,
// also where the mean is 1e4 spreads away; two passes make it, and three its memberships.
// Other blocks, as views, and other workers have the same bits.
func TestFitSeq(t *testing.T) {
	t.Parallel()
	equal := func(_, _ int, _ float64) float64 { return .1 }
	sets := map[string]*Matrix{
		"one row": randomData(1, 3, 0, 1), "wide": randomData(8, 30, 0, 2),
		"equal rows": mapped(NewMatrix(9, 2, nil), equal), "tall": randomData(fewer(20000, 8500), 4, 0, 3),
	}
	for _, name := range fewer(realSets, []string{"iris", "digits"}) {
		sets[name] = head(standardized(loadCSV(t, name)), 300)
	}
	for name, set := range sets {
		for _, mean := range []float64{0, 1e4} {
			x := moved(set, mean)
			// Centers so far from 0 are rounded, and the mean is: each by u of its length.
			far := math.Sqrt(float64(x.Rows)) * 0x1p-52 * norm2(statsOf(t, x, nil).Mean())
			for _, k := range fewer([]int{1, 2, 5}, []int{1, 5}) {
				for i, solver := range []Solver{SolverAuto, SolverGram, SolverKrylov} {
					if solver == SolverKrylov && k > min(x.Rows-1, x.Cols) {
						continue
					}
					name := fmt.Sprintf("%s, mean %g, k = %d, %v", name, mean, k, solver)
					o := Options{Solver: solver, Enclosure: allEnclosures[i%2]}
					want := mustDo(Fit(bg, x, k, &o))(t)
					blocks, passes := counted(inBlocks(x, 1, 100, 7, 9000))
					got := mustDo(FitSeq(bg, blocks, k, &o))(t)
					if solver != SolverKrylov && *passes != 2 || got.Memberships != nil ||
						got.Status != StatusOptimal || got.Solver != want.Solver && solver != SolverAuto {
						t.Errorf("%s: %d passes, %+v", name, *passes, got)
					}
					for _, pair := range [][2]float64{
						{got.Objective, want.Objective}, {got.Floor, want.Floor}, {got.Total, want.Total},
					} {
						// Unless it is the rounding of entries, squared: no variance at all.
						none := float64(x.Rows*x.Cols) * 0x1p-98 * (1 + mean*mean)
						if math.Abs(pair[0]-pair[1]) > none && !close9(pair[0], pair[1], want.Total) {
							t.Errorf("%s: objective, floor or total %g, want %g", name, pair[0], pair[1])
						}
					}
					most := 1e-12
					if got.Total > 0 {
						most += (2*math.Sqrt(got.Floor) + far) * far / got.Total
					}
					all := collected{t, NewMatrix(0, k, nil)}
					o.Workers, o.Memberships = 3, all.take
					blocks, passes = counted(inViews(x, 30+8500*(i%2)))
					again := mustDo(FitSeq(bg, blocks, k, &o))(t)
					if solver != SolverKrylov && *passes != 3 || all.g.Rows != x.Rows ||
						!slices.Equal(again.Centers.Data, got.Centers.Data) || again.Floor != got.Floor ||
						again.Total != got.Total {
						t.Errorf("%s: other blocks have other bits, or %d passes", name, *passes)
					}
					for _, m := range []*Model{got, again} {
						if !(m.Gap <= most && m.Objective >= (m.Floor-m.FloorError)*(1-1e-15)) {
							t.Errorf("%s: gap %g, at most %g", name, m.Gap, most)
						}
					}
					// Krylov's basis is as good as its floor asks for, no better.
					if d := maxDiff(all.g, want.Memberships); d > 1e-9 && solver != SolverKrylov {
						t.Errorf("%s: memberships off by %g", name, d)
					}
					if c := mustDo(Certify(bg, x, again.Centers, all.g, nil))(t); !c.Optimal(0) {
						t.Errorf("%s: %+v", name, c)
					}
				}
			}
		}
	}
}

// TestFitSeqWeights: weights are counted through the blocks, and rows without weight
// get their nearest mixtures.
func TestFitSeqWeights(t *testing.T) {
	x := standardized(loadCSV(t, "wine"))
	w := make([]float64, x.Rows)
	for i := range w {
		w[i] = float64(i / 40 % 3) // whole blocks without weight
	}
	for _, solver := range []Solver{SolverGram, SolverKrylov} {
		o := &Options{Weights: w, Solver: solver}
		want := mustDo(Fit(bg, x, 3, o))(t)
		all := collected{t, NewMatrix(0, 3, nil)}
		o.Memberships = all.take
		got := mustDo(FitSeq(bg, inBlocks(x, 40), 3, o))(t)
		if !close9(got.Objective, want.Objective, want.Total) || !close9(got.Floor, want.Floor, want.Total) ||
			maxDiff(all.g, want.Memberships) > 1e-6 {
			t.Errorf("%v: %+v, want %+v", solver, got, want)
		}
	}
}

// TestFitSeqKrylov: too many columns for a scatter matrix; the passes are as many as
// stated, and too few of them are no error.
func TestFitSeqKrylov(t *testing.T) {
	// A spectrum that falls.
	x := mapped(randomData(60, streamGramSide+1, 0, 8), func(_, j int, v float64) float64 {
		return 1e3 + v/(1+float64(j)/4)
	})
	floors := mustDo(Floors(bg, x, nil))(t)
	for _, limit := range []int{0, fewestPasses, fewestPasses + 1} {
		blocks, passes := counted(inBlocks(x, 25))
		told := 0
		o := &Options{Progress: func(p Iteration) { told = p.Pass }, Passes: limit}
		m := mustDo(FitSeq(bg, blocks, 4, o))(t)
		if m.Solver != SolverKrylov || *passes != m.Iterations+3 || told != *passes ||
			limit > 0 && *passes != limit {
			t.Errorf("limit %d: %d passes, %d told, %d steps", limit, *passes, told, m.Iterations)
		}
		if limit == 0 && (m.Status != StatusOptimal || !close9(m.Objective, floors[3], floors[0])) ||
			limit == fewestPasses && (m.Status != StatusIterationLimit || m.Iterations != 1) {
			t.Errorf("%v after %d passes: objective %g, floor %g", m.Status, *passes, m.Objective, floors[3])
		}
		// The floor is proved whatever the number of passes. It is what the basis leaves, and
		// so no less than the minimum.
		if !(m.Floor-m.FloorError <= floors[3]*(1+1e-12) && floors[3] <= m.Floor*(1+1e-12) &&
			m.Objective >= floors[3]*(1-1e-12)) {
			t.Errorf("limit %d: floor %g + %g, objective %g; the minimum is %g",
				limit, m.Floor, m.FloorError, m.Objective, floors[3])
		}
	}
}

// TestFitSeqErrors: errors name the pass and the row. Those that can be seen without the data
// come before it is read.
func TestFitSeqErrors(t *testing.T) {
	type sequence = iter.Seq2[*Matrix, error]
	x := randomData(100, 5, 0, 1)
	broken := errors.New("the disk is gone")
	pass := 0 // of the present call
	// on yields x in blocks of 30 rows, and what `change` makes of x in a pass.
	on := func(which int, change func(x *Matrix) *Matrix) sequence {
		return func(yield func(*Matrix, error) bool) {
			y := x
			if pass++; pass == which {
				y = change(x.Clone())
			}
			inBlocks(y, 30)(yield)
		}
	}
	fails := func(which int) sequence {
		return func(yield func(*Matrix, error) bool) {
			pass++
			for b := range inBlocks(x, 30) {
				if !yield(b, nil) {
					return
				}
				if pass == which {
					yield(nil, broken)
					return
				}
			}
		}
	}
	with := func(v float64) func(*Matrix) *Matrix {
		return func(x *Matrix) *Matrix { x.Set(71, 3, v); return x }
	}
	first := func(n int) func(x *Matrix) *Matrix { return func(x *Matrix) *Matrix { return rowsOf(x, 0, n) } }
	narrow := func(x *Matrix) *Matrix { return &Matrix{Rows: 100, Cols: 4, Stride: 5, Data: x.Data} }
	yields := func(blocks ...*Matrix) sequence {
		return func(yield func(*Matrix, error) bool) {
			for _, b := range blocks {
				if !yield(b, nil) {
					return
				}
			}
		}
	}
	unread := func(func(*Matrix, error) bool) { t.Error("the blocks are read") }
	all, wide := inBlocks(x, 30), inBlocks(NewMatrix(1, 8200, nil), 1)
	large := 1<<22 + 1
	if math.MaxInt == math.MaxInt32 {
		large = 1<<14 + 1
	}
	ended, cancel := context.WithCancel(bg)
	cancel()
	none, members := Options{}, Options{Memberships: take}
	short := Options{Memberships: func(int, *Matrix) error { return io.ErrShortWrite }}
	weights := func(w ...float64) Options { return Options{Weights: w} }
	limit := func(n int) Options { return Options{Passes: n} }
	for _, c := range []struct {
		blocks sequence
		k      int
		o      Options
		want   error
		says   string
	}{
		{nil, 2, none, ErrShape, "blocks is nil"}, {yields(), 2, none, ErrTooFewSamples, "no rows"},
		{yields(nil), 2, none, ErrShape, "nil"}, {yields(&Matrix{Rows: 3}), 2, none, ErrShape, "no columns"},
		{yields(x, narrow(x)), 2, none, ErrShape, "4 columns, those before have 5"},
		{fails(1), 2, none, broken, "pass 1, after row 30"},
		{fails(2), 2, none, broken, "pass 2, after row 30"},
		{on(2, with(1e9)), 2, none, ErrChanged, "x[71,3]"},
		{on(2, with(1)), 2, none, ErrChanged, "add up to"},
		{on(2, with(x.At(71, 3)+1e-3)), 2, none, ErrChanged, "add up to"},
		{on(2, first(50)), 2, none, ErrChanged, "pass 2 has 50 rows, pass 1 had 100"},
		{on(2, first(50)), 2, none, ErrShape, ""},
		{on(1, first(50)), 2, none, ErrShape, "pass 2 has more rows, pass 1 had 50"},
		{on(2, first(0)), 2, none, ErrChanged, "read again"}, {on(1, first(50)), 2, none, ErrChanged, ""},
		{on(2, narrow), 2, none, ErrChanged, "4 columns, pass 1 had 5"},
		{on(2, narrow), 2, none, ErrShape, ""},
		{on(3, first(50)), 2, members, ErrChanged, "pass 3"},
		{on(3, with(1)), 2, members, ErrChanged, "add up to"},
		{all, 2, short, io.ErrShortWrite, "from row 0"}, {all, 2, weights(1, 2), ErrShape, "2 weights"},
		{all, 2, weights(make1(101)...), ErrShape, "101 weights for 100 rows"},
		{unread, 2, weights(0, 0), ErrTooFewSamples, "every weight is 0"},
		{unread, 2, weights(1, 1, -1), ErrOption, "weights[2]"},
		{unread, 0, none, ErrOption, "k is 0"},
		{unread, 2, Options{Workers: -1}, ErrOption, "Workers is -1, below 0"},
		{unread, 2, Options{Enclosure: 2}, ErrOption, "Enclosure"},
		{unread, 2, limit(-1), ErrOption, "Passes is -1, at least 4 are needed"},
		{unread, 2, limit(3), ErrOption, "Passes is 3, at least 4 are needed"},
		{unread, 2, limit(1), ErrOption, "Passes is 1"},
		{unread, large, weights(1, 1), ErrOption, "k×k numbers"},
		{wide, math.MaxInt32 - 1, none, ErrOption, "too large"},
		{all, 3, Options{Orientation: NewMatrix(2, 2, nil)}, ErrOption, "orthogonal"},
		{all, 2, none, context.Canceled, "stopped"}, {all, large, none, context.Canceled, "stopped"},
	} {
		ctx := bg
		if c.want == context.Canceled {
			ctx = ended
		}
		for _, solver := range []Solver{SolverGram, SolverKrylov} {
			pass, c.o.Solver = 0, solver
			m, err := FitSeq(ctx, c.blocks, c.k, &c.o)
			if m != nil || !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "softkmeans: ") ||
				!strings.Contains(err.Error(), c.says) {
				t.Errorf("%v with %q, %v: %v, %v", c.want, c.says, solver, m, err)
			}
		}
	}
	_, err := FitSeq(bg, unread, 2, &Options{Solver: SolverJacobi}) // blocks of rows have no such solver
	if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "jacobi") {
		t.Error(err)
	}
}

// TestFitSeqRow: the row that an error names counts from the first of all, in every pass, for rows that come
// in blocks. An error of the caller's that happens to be about an input of its own comes back as it was.
func TestFitSeqRow(t *testing.T) {
	x := randomData(9000, 2, 0, 1)
	for c := range 6 { // three passes, an early row that waits for others and a late one
		which, row, pass := 1+c/2, []int{100, 8700}[c%2], 0
		_, err := FitSeq(bg, func(yield func(*Matrix, error) bool) {
			y := x
			if pass++; pass == which {
				y = x.Clone()
				y.Set(row, 1, []float64{math.Inf(1), math.NaN()}[c%2])
			}
			inBlocks(y, 500)(yield)
		}, 2, &Options{Memberships: take})
		var at *InputError
		if !errors.As(err, &at) || at.Row != row || at.Col != 1 || !errors.Is(err, ErrNonFinite) ||
			!strings.Contains(err.Error(), fmt.Sprintf("x[%d,1]", row)) {
			t.Errorf("pass %d: %v", which, err)
		}
	}
	mine := &InputError{Arg: "x", Row: 3, Col: 1, Err: ErrOption}
	late := func(first int, _ *Matrix) error {
		if first > 0 {
			return mine
		}
		return nil
	}
	_, err := FitSeq(bg, inBlocks(x, 500), 2, &Options{Memberships: late})
	var got *InputError
	if !errors.As(err, &got) || got != mine || mine.Row != 3 ||
		!strings.Contains(err.Error(), "from row 8192") {
		t.Error(err)
	}
}

// TestZeroParts: parts of zeros have no scale of their own, against which the rows of
// other parts would be negligible.
func TestZeroParts(t *testing.T) {
	t.Parallel()
	for _, size := range []float64{1, 1e-150} {
		for first := range 2 { // zeros, then others, or the other way round
			x := NewMatrix(9000, 3, nil)
			for i, v := range randomData(500, 3, 1, 7).Data {
				x.Data[i+(1-first)*8500*3] = size * v
			}
			for _, solver := range []Solver{SolverAuto, SolverKrylov} {
				o := &Options{Solver: solver}
				want, got := mustDo(Fit(bg, x, 2, o))(t), mustDo(FitSeq(bg, inBlocks(x, 1000), 2, o))(t)
				sameSolution(t, x, nil, got, want)
				if d := maxDiff(got.Centers, want.Centers); d > 1e-12*size {
					t.Errorf("%g, %d, %v: centers are off by %g", size, first, solver, d)
				}
			}
			s, all := statsOf(t, rowsOf(x, 0, 4000), nil), statsOf(t, x, nil)
			must(t, s.Merge(statsOf(t, rowsOf(x, 4000, 9000), nil)))
			a, b := mustDo(s.StreamSubspace(2, nil))(t).pc.total, mustDo(all.StreamSubspace(2, nil))(t).pc.total
			if s.exp != all.exp || math.Abs(a-b) > 1e-12*b || b < 1e-3 {
				t.Errorf("%g, %d: %g·2^%d of parts, %g·2^%d of all", size, first, a, s.exp, b, all.exp)
			}
		}
	}
}

// TestFitSeqShapes: one center of very many columns, and more centers than rows, whose
// memberships come in smaller parts.
func TestFitSeqShapes(t *testing.T) {
	x := randomData(3, 1<<16+1, 0, 1)
	floors := mustDo(Floors(bg, x, nil))(t)
	m := mustDo(FitSeq(bg, inBlocks(x, 2), 1, nil))(t)
	if !close9(m.Objective, floors[0], floors[0]) || !close9(m.Floor, floors[0], floors[0]) {
		t.Errorf("one center: %v", m)
	}
	const n, k = 70, 1 << 15
	rows := 0
	var last Iteration
	told := func(p Iteration) {
		next := Iteration{Pass: last.Pass, Rows: n}
		if last.Rows == n || last.Pass == 0 {
			next = Iteration{Pass: last.Pass + 1, Rows: 64}
		}
		if p != next {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
	}
	members := func(first int, g *Matrix) error {
		if first != rows || g.Rows > 64 || g.Cols != k {
			t.Errorf("%d×%d memberships after %d rows, from row %d", g.Rows, g.Cols, rows, first)
		}
		rows += g.Rows
		return nil
	}
	o := &Options{Progress: told, Memberships: members}
	m = mustDo(FitSeq(bg, inBlocks(randomData(n, 2, 0, 1), 7), k, o))(t)
	if rows != n || last != (Iteration{Pass: 3, Rows: n}) || !(math.Abs(m.Gap) <= 1e-9) {
		t.Errorf("%d rows of memberships", rows)
	}
}

// TestFitSeqPieces: pieces whose entries and weights have other sizes, the larger first or last.
func TestFitSeqPieces(t *testing.T) {
	t.Parallel()
	const n, d = 8192, 3
	for _, order := range fewer([][3]int{{0, 1, 2}, {2, 0, 1}, {1, 2, 0}}, [][3]int{{0, 1, 0}, {1, 2, 0}}) {
		rows := fewer(2*n+50, n+50)
		x, w := randomData(rows, d, 1, 1), make([]float64, rows)
		for i := range w {
			size := order[i/n]
			scale(x.row(i), []float64{1, 900, .03}[size])
			w[i] = []float64{1, .001, 300}[size]
			x.row(i)[size] *= 3
		}
		want := mustDo(Fit(bg, x, 3, &Options{Weights: w, Solver: SolverGram}))(t)
		s, minimum := statsOf(t, x, w), bigFloor(bigFloors(x, w), 3)
		for _, solver := range []Solver{SolverGram, SolverKrylov} {
			name := fmt.Sprintf("order %v, %v", order, solver)
			got := mustDo(FitSeq(bg, inBlocks(x, 1000), 3, &Options{Weights: w, Solver: solver}))(t)
			checkPlaced(t, name, got, s.Mean(), s.Weight(), minimum, 0)
			if !close9(got.Total, want.Total, 0) || !close9(got.Floor, double(minimum), 0) ||
				maxDiff(got.Centers, want.Centers) > 1e-5 {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		}
	}
}

// FuzzFitSeq: blocks cut at random agree with the whole, and have the bits of any other cut; so do statistics
// of parts, within rounding. What goes wrong with the blocks is an error of its kind.
func FuzzFitSeq(f *testing.F) {
	addMatrices(f)
	f.Add([]byte{23, 4, 0x2e, 33, 66, 99, 122, 155})
	f.Add([]byte{0, 0, 7, 255, 254, 253})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		x, w := in.samples(24, 6)
		k := 1 + in.below(8)
		solvers := []Solver{SolverAuto, SolverGram, SolverGram, SolverKrylov}
		o := Options{Enclosure: allEnclosures[in.below(2)], Solver: solvers[in.below(4)], Weights: w,
			Workers: in.below(3)}
		if in.byte()&1 > 0 {
			o.Orientation = RandomOrientation(k, uint64(in.byte()))
		}
		want := mustDo(Fit(bg, x, k, &o))(t)
		if in.byte()&1 > 0 {
			o.Passes = fewestPasses + in.below(3)
		}
		blocks := in.blocks(x)
		plain := mustDo(FitSeq(bg, blocks, k, &o))(t)
		sameSolution(t, x, w, plain, want)

		asked, told, got := o, progress{t: t, rows: x.Rows}, collected{t, NewMatrix(0, k, nil)}
		asked.Workers, asked.Progress, asked.Memberships = 3-o.Workers, told.told, got.take
		m := mustDo(FitSeq(bg, inBlocks(x, 1+in.below(30)), k, &asked))(t)
		sameSolution(t, x, w, m, want)
		if !laSameBits(m.Centers.Data, plain.Centers.Data) || m.Floor != plain.Floor ||
			m.Total != plain.Total || m.Status != plain.Status {
			t.Fatalf("other blocks: %+v, not %+v", m, plain)
		}
		if got.g.Rows != x.Rows || told.last.Rows != x.Rows ||
			told.last.Pass > 1+max(o.Passes, 3) && o.Passes > 0 {
			t.Fatalf("memberships of %d rows of %d, last told of %+v of at most %d",
				got.g.Rows, x.Rows, told.last, o.Passes)
		}
		checkFeasible(t, got.g)
		c := mustDo(Certify(bg, x, m.Centers, got.g, &Options{Weights: w}))(t)
		most, unknown := room(1e-11, x, w, m.Centers, nil), m.FloorError/max(m.Total, 0x1p-1022)
		if math.Abs(c.Gap-m.Gap)-unknown > most && m.Status != StatusCancelled {
			t.Fatalf("gap %g, certified %+v, within %g", m.Gap, c, most)
		}

		if o.Solver <= SolverGram && !smallRow(x) {
			o.Passes = 0
			p := in.parts(t, x, w, k, &o)
			sameSolution(t, x, w, p, want)
			// Totals may be out of range: what a certificate says is not. A row that weighs
			// nothing beside the others may still give its part a unit that squares are lost in.
			c := mustDo(Certify(bg, x, p.Centers, mustDo(p.Predict(nil, x))(t), &Options{Weights: w}))(t)
			most := room(1e-9, x, w, p.Centers, nil)
			if w == nil && p.Status == StatusOptimal && c.Gap > most {
				t.Fatalf("gap %g by parts, within %g: %+v of %v", c.Gap, most, p, x)
			}
		}
		bad := in.trouble()
		m, err := FitSeq(bg, bad.in(blocks), k, &o)
		bad.check(t, m, err)

		ctx, cancel := context.WithCancel(bg)
		end := 1 + in.below(2)
		asked.Progress = func(p Iteration) {
			if p.Pass == end {
				cancel()
			}
		}
		asked.Memberships = take
		if m, err := FitSeq(ctx, blocks, k, &asked); m != nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled in pass %d: %v, %v", end, m, err)
		}
		in.finish(t)
	})
}

// TestSeqCancelledAnywhere ends the context at every look that the fits of data in parts
// take at it: none of these is lost, and a pass asks for no more blocks. From the first solution
// of a summary on there is a model.
func TestSeqCancelledAnywhere(t *testing.T) {
	x := randomData(70, 3, 1, 2)
	w := make1(x.Rows)
	w[5], w[40] = 0, 2
	type fit = func(ctx context.Context) (*Model, error)
	blocks := func(ctx context.Context) iter.Seq2[*Matrix, error] {
		return func(yield func(*Matrix, error) bool) {
			for b := range inBlocks(x, 50) {
				if !yield(b, nil) {
					return
				}
				if ctx.(*endingContext).left.Load() < 0 {
					t.Error("more blocks are asked for after the end")
				}
			}
		}
	}
	volume := func(rows int, w []float64, members func(int, *Matrix) error) fit {
		one := MinVolumeOptions{Workers: 1, MaxIter: 1, Init: InitSPA, Lambda: 0.1, Weights: w}
		o := seqOptions(one, rows, 1)
		o.Memberships = members
		return func(ctx context.Context) (*Model, error) {
			return FitMinVolumeSeq(ctx, blocks(ctx), 2, &o)
		}
	}
	fits := map[string]fit{
		"volume": volume(1, w, take), "no members": volume(1, nil, nil), "in memory": volume(0, nil, take),
	}
	for _, solver := range []Solver{SolverGram, SolverKrylov} {
		fits[solver.String()] = func(ctx context.Context) (*Model, error) {
			o := &Options{Solver: solver, Workers: 1, Weights: w, Memberships: take}
			return FitSeq(ctx, blocks(ctx), 2, o)
		}
	}
	for name, fit := range fits {
		kept := 0
		for at := 0; ; at++ {
			ctx := endingAt(at)
			m, err := fit(ctx)
			if err == nil {
				if global := name == "gram" || name == "krylov"; ctx.left.Load() < 0 || (kept > 0) == global {
					t.Errorf("%s: no error at look %d, %d models before", name, at, kept)
				}
				break
			}
			if m != nil {
				kept++
			}
			if !errors.Is(err, context.Canceled) || m != nil && (m.Status != StatusCancelled ||
				m.Memberships != nil || m.Centers == nil || !(m.Objective >= 0)) {
				t.Fatalf("%s, look %d: %+v, %v", name, at, m, err)
			}
			if kept > 0 && m == nil && name != "in memory" {
				t.Fatalf("%s, look %d: no model any more", name, at)
			}
		}
	}
}
