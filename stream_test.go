package softkmeans

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestFitSeq: the model of any sequence of blocks is that of Fit on all rows, to 1e-9,
// also where the mean is 1e4 spreads away; two passes make it, and three its memberships.
func TestFitSeq(t *testing.T) {
	t.Parallel()
	type set struct {
		name string
		x    *Matrix
	}
	sets := []set{{"one row", randomData(1, 3, 0, 1)}, {"wide", randomData(8, 30, 0, 2)}, {"equal rows", mapped(NewMatrix(9, 2, nil), func(_, _ int, _ float64) float64 { return .1 })},
		{"tall", randomData(full(20000, 9000), 6, 0, 3)}}
	for _, name := range realSets {
		sets = append(sets, set{name, head(standardized(loadCSV(t, name)), 300)})
	}
	worst := 0.0
	for _, set := range sets {
		for _, mean := range []float64{0, 1e4} {
			x := moved(set.x, mean)
			// Centers so far from 0 are rounded, and the mean is: each by u of its length.
			far := math.Sqrt(float64(x.Rows)) * 0x1p-52 * norm2(statsOf(t, x, nil).Mean())
			for _, k := range []int{1, 2, 5} {
				for i, solver := range []Solver{SolverAuto, SolverGram, SolverKrylov} {
					if solver == SolverKrylov && k > min(x.Rows-1, x.Cols) || !extended() && k == 2 {
						continue
					}
					enclosure := allEnclosures[i%2]
					name := fmt.Sprintf("%s, mean %g, k = %d, %v", set.name, mean, k, solver)
					want, err := Fit(bg, x, k, &Options{Solver: solver, Enclosure: enclosure})
					if err != nil {
						t.Fatal(name, err)
					}
					blocks, passes := counted(inBlocks(x, 1, 100, 7, 9000))
					got, err := FitSeq(bg, blocks, k, &Options{Solver: solver, Enclosure: enclosure})
					if err != nil {
						t.Fatal(name, err)
					}
					if solver != SolverKrylov && *passes != 2 || got.Memberships != nil || got.Status != StatusOptimal || got.Solver != want.Solver && solver != SolverAuto {
						t.Errorf("%s: %d passes, %+v", name, *passes, got)
					}
					for _, pair := range [][2]float64{{got.Objective, want.Objective}, {got.Floor, want.Floor}, {got.Total, want.Total}} {
						if math.Abs(pair[0]-pair[1]) <= float64(x.Rows*x.Cols)*0x1p-98*(1+mean*mean) {
							continue // the rounding of entries, squared: no variance at all
						}
						if !close9(pair[0], pair[1], want.Total) {
							t.Errorf("%s: objective %g, floor %g, total %g; want %g, %g, %g", name, got.Objective, got.Floor, got.Total, want.Objective, want.Floor, want.Total)
						}
						if pair[1] > 1e-12*want.Total {
							worst = max(worst, math.Abs(pair[0]-pair[1])/pair[1])
						}
					}
					most := 1e-12
					if got.Total > 0 {
						most += (2*math.Sqrt(got.Floor) + far) * far / got.Total
					}
					if !(got.Gap <= most && got.Objective >= (got.Floor-got.FloorError)*(1-1e-15)) {
						t.Errorf("%s: gap %g, at most %g", name, got.Gap, most)
					}
					// Other blocks, other workers, and memberships asked for: the same bits.
					g := NewMatrix(x.Rows, k, nil)
					rows := 0
					blocks, passes = counted(inBlocks(x, 30))
					again, err := FitSeq(bg, blocks, k, &Options{Solver: solver, Enclosure: enclosure, Workers: 3, Seq: SeqOptions{Memberships: func(first int, part *Matrix) error {
						if first != rows {
							t.Errorf("%s: memberships of row %d after those of %d rows", name, first, rows)
						}
						rows += copy(g.Data[rows*k:], part.Data) / k
						return nil
					}}})
					if err != nil {
						t.Fatal(name, err)
					}
					if solver != SolverKrylov && *passes != 3 || !slices.Equal(again.Centers.Data, got.Centers.Data) || again.Floor != got.Floor || again.Total != got.Total {
						t.Errorf("%s: other blocks have other bits, or %d passes", name, *passes)
					}
					if rows != x.Rows || !(again.Gap <= most && again.Objective >= (again.Floor-again.FloorError)*(1-1e-15)) {
						t.Errorf("%s: %d rows of memberships, objective %g", name, rows, again.Objective)
					}
					// Krylov's basis is as good as its floor asks for, no better.
					if d := maxDiff(g, want.Memberships); d > 1e-9 && solver != SolverKrylov {
						t.Errorf("%s: memberships off by %g", name, d)
					}
					c, err := Certify(context.Background(), x, again.Centers, g, nil)
					if err != nil || !c.Optimal(0) {
						t.Errorf("%s: %+v, %v", name, c, err)
					}
				}
			}
		}
	}
	t.Logf("worst relative difference %.1e", worst)
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
		want, err := Fit(bg, x, 3, &Options{Weights: w, Solver: solver})
		if err != nil {
			t.Fatal(err)
		}
		var g []float64
		got, err := FitSeq(bg, inBlocks(x, 40), 3, &Options{Weights: w, Solver: solver, Seq: SeqOptions{Memberships: func(_ int, part *Matrix) error {
			g = append(g, part.Data...)
			return nil
		}}})
		if err != nil {
			t.Fatal(err)
		}
		if !close9(got.Objective, want.Objective, want.Total) || !close9(got.Floor, want.Floor, want.Total) || maxDiff(NewMatrix(x.Rows, 3, g), want.Memberships) > 1e-6 {
			t.Errorf("%v: %+v, want %+v", solver, got, want)
		}
	}
}

// TestFitSeqJacobi: blocks of rows have no such solver, and no pass begins.
func TestFitSeqJacobi(t *testing.T) {
	blocks, passes := counted(inBlocks(randomData(20, 3, 0, 1), 5))
	for _, sum := range []Sum{SumToOne, SumAtMostOne} {
		_, err := FitSeq(bg, blocks, 2, &Options{Solver: SolverJacobi, Sum: sum})
		if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "jacobi") || *passes != 0 {
			t.Errorf("%v after %d passes", err, *passes)
		}
	}
}

// TestFitSeqHalfSpace: counts of which each row has a few, so that a direction from the
// statistics leaves rows outside of the cone. The search finds one that does not.
func TestFitSeqHalfSpace(t *testing.T) {
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 9))
		x := NewMatrix(60, 40, nil)
		for i := range x.Rows {
			for range 2 {
				x.Set(i, rng.IntN(x.Cols), rng.ExpFloat64())
			}
		}
		m := mustDo(FitSeq(bg, inBlocks(x, 7), 8, &Options{Sum: SumAtMostOne}))(t)
		if m.Status != StatusOptimal || m.Gap > 1e-9 {
			t.Errorf("seed %d: %v, gap %g", seed, m.Status, m.Gap)
		}
	}
}

// TestFitSeqKrylov: too many columns for a scatter matrix; the passes are as many as
// stated, and too few of them are no error.
func TestFitSeqKrylov(t *testing.T) {
	x := randomData(60, streamGramSide+1, 1e3, 8)
	for i := range x.Rows { // a spectrum that falls
		for j, v := range x.row(i) {
			x.row(i)[j] = 1e3 + (v-1e3)/(1+float64(j)/4)
		}
	}
	floors, err := Floors(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{0, fewestPasses, fewestPasses + 1} {
		blocks, passes := counted(inBlocks(x, 25))
		told := 0
		m, err := FitSeq(bg, blocks, 4, &Options{Progress: func(p Iteration) { told = p.Pass }, Seq: SeqOptions{Passes: limit}})
		if err != nil {
			t.Fatal(err)
		}
		if m.Solver != SolverKrylov || *passes != m.Iterations+3 || told != *passes || limit > 0 && *passes > limit {
			t.Errorf("limit %d: %d passes, %d told, %d steps of %v", limit, *passes, told, m.Iterations, m.Solver)
		}
		if limit == 0 && (m.Status != StatusOptimal || !close9(m.Objective, floors[3], floors[0])) {
			t.Errorf("%v after %d passes: objective %g, floor %g", m.Status, *passes, m.Objective, floors[3])
		}
		if limit == fewestPasses && m.Status != StatusIterationLimit {
			t.Errorf("one step: %v", m.Status)
		}
		// The floor is proved whatever the number of passes. It is what the basis leaves, and
		// so no less than the minimum.
		if !(m.Floor-m.FloorError <= floors[3]*(1+1e-12) && floors[3] <= m.Floor*(1+1e-12) && m.Objective >= floors[3]*(1-1e-12)) {
			t.Errorf("limit %d: floor %g + %g, objective %g; the minimum is %g", limit, m.Floor, m.FloorError, m.Objective, floors[3])
		}
	}
}

// TestFitSeqErrors: errors name the pass and the row.
func TestFitSeqErrors(t *testing.T) {
	x := randomData(100, 5, 0, 1)
	broken := errors.New("the disk is gone")
	// on yields x in blocks of 30 rows, and what `change` makes of x in a pass.
	pass := 0 // of the present call
	on := func(which int, change func(x *Matrix) *Matrix) iter.Seq2[*Matrix, error] {
		return func(yield func(*Matrix, error) bool) {
			y := x
			if pass++; pass == which {
				y = change(x.Clone())
			}
			inBlocks(y, 30)(yield)
		}
	}
	fails := func(which int) iter.Seq2[*Matrix, error] {
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
	fewerRows := func(x *Matrix) *Matrix { return rowsOf(x, 0, 50) }
	narrow := func(x *Matrix) *Matrix { return &Matrix{Rows: 100, Cols: 4, Stride: 5, Data: x.Data} }
	ragged := func(yield func(*Matrix, error) bool) {
		_ = yield(x, nil) && yield(narrow(x), nil)
	}
	none := func(func(*Matrix, error) bool) {}
	ended, cancel := context.WithCancel(bg)
	cancel()
	for _, c := range []struct {
		what   string
		ctx    context.Context
		blocks iter.Seq2[*Matrix, error]
		k      int
		o      Options
		want   []error
		says   string
	}{
		{"nil", bg, nil, 2, Options{}, []error{ErrShape}, "nil"},
		{"no blocks", bg, none, 2, Options{}, []error{ErrTooFewSamples}, "no rows"},
		{"nil block", bg, func(y func(*Matrix, error) bool) { y(nil, nil) }, 2, Options{}, []error{ErrShape}, "nil"},
		{"no columns", bg, inBlocks(&Matrix{Rows: 3}, 1), 2, Options{}, []error{ErrShape}, "no columns"},
		{"ragged", bg, ragged, 2, Options{}, []error{ErrShape}, "4 columns, those before have 5"},
		{"fails", bg, fails(1), 2, Options{}, []error{broken}, "pass 1, after row 30"},
		{"fails later", bg, fails(2), 2, Options{}, []error{broken}, "pass 2, after row 30"},
		{"NaN", bg, on(1, with(math.NaN())), 2, Options{}, []error{ErrNonFinite}, "x[71,3]"},
		{"NaN later", bg, on(2, with(math.NaN())), 2, Options{}, []error{ErrNonFinite}, "x[71,3]"},
		{"larger later", bg, on(2, with(1e9)), 2, Options{}, []error{ErrChanged}, "x[71,3]"},
		{"other values", bg, on(2, with(1)), 2, Options{}, []error{ErrChanged}, "add up to"},
		{"values hardly other", bg, on(2, with(x.At(71, 3)+1e-3)), 2, Options{}, []error{ErrChanged}, "add up to"},
		{"fewer rows", bg, on(2, fewerRows), 2, Options{}, []error{ErrShape, ErrChanged}, "pass 2 has 50 rows, pass 1 had 100"},
		{"more rows", bg, on(1, fewerRows), 2, Options{}, []error{ErrShape, ErrChanged}, "more than the 50 rows"},
		{"no rows again", bg, on(2, func(x *Matrix) *Matrix { return rowsOf(x, 0, 0) }), 2, Options{}, []error{ErrShape, ErrChanged}, "read again"},
		{"fewer columns", bg, on(2, narrow), 2, Options{}, []error{ErrShape, ErrChanged}, "4 columns, pass 1 had 5"},
		{"changed for memberships", bg, on(3, fewerRows), 2, Options{Seq: SeqOptions{Memberships: func(int, *Matrix) error { return nil }}}, []error{ErrShape, ErrChanged}, "pass 3"},
		{"other values for memberships", bg, on(3, with(1)), 2, Options{Seq: SeqOptions{Memberships: func(int, *Matrix) error { return nil }}}, []error{ErrChanged}, "add up to"},
		{"memberships", bg, inBlocks(x, 30), 2, Options{Seq: SeqOptions{Memberships: func(int, *Matrix) error { return io.ErrShortWrite }}}, []error{io.ErrShortWrite}, "from row 0"},
		{"few weights", bg, inBlocks(x, 30), 2, Options{Weights: []float64{1, 2}}, []error{ErrShape}, "2 weights"},
		{"many weights", bg, inBlocks(x, 30), 2, Options{Weights: make1(101)}, []error{ErrShape}, "101 weights for 100 rows"},
		{"weights of 0", bg, inBlocks(x, 30), 2, Options{Weights: make([]float64, 100)}, []error{ErrTooFewSamples}, "weight"},
		{"negative weight", bg, inBlocks(x, 30), 2, Options{Weights: append(make1(99), -1)}, []error{ErrOption}, "weights[99]"},
		{"k", bg, inBlocks(x, 30), 0, Options{}, []error{ErrOption}, "k is 0"},
		{"workers", bg, inBlocks(x, 30), 2, Options{Workers: -1}, []error{ErrOption}, "Workers"},
		{"passes", bg, inBlocks(x, 30), 2, Options{Seq: SeqOptions{Passes: 3}}, []error{ErrOption}, "at least 4"},
		{"orientation", bg, inBlocks(x, 30), 3, Options{Orientation: NewMatrix(2, 2, nil)}, []error{ErrOption}, "orthogonal"},
		{"ended", ended, inBlocks(x, 30), 2, Options{}, []error{context.Canceled}, "stopped"},
	} {
		for _, solver := range []Solver{SolverGram, SolverKrylov} {
			pass, c.o.Solver = 0, solver
			m, err := FitSeq(c.ctx, c.blocks, c.k, &c.o)
			if m != nil || err == nil || !strings.HasPrefix(err.Error(), "softkmeans: ") || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, %v: %v, %v", c.what, solver, m, err)
			}
			for _, want := range c.want {
				if !errors.Is(err, want) {
					t.Errorf("%s, %v: %v is not %v", c.what, solver, err, want)
				}
			}
		}
	}
}

// TestFitSeqRow: the row that an error names counts from the first of all, in every
// pass, for rows that come in blocks.
func TestFitSeqRow(t *testing.T) {
	x := randomData(9000, 2, 0, 1)
	for c := range 6 { // three passes, an early row that waits for others and a late one
		which, row, pass := 1+c/2, []int{100, 8700}[c%2], 0
		_, err := FitSeq(bg, func(yield func(*Matrix, error) bool) {
			y := x
			if pass++; pass == which {
				y = x.Clone()
				y.Set(row, 1, math.Inf(1))
			}
			inBlocks(y, 500)(yield)
		}, 2, &Options{Seq: SeqOptions{Memberships: func(int, *Matrix) error { return nil }}})
		var at *InputError
		if !errors.As(err, &at) || at.Row != row || at.Col != 1 || !errors.Is(err, ErrNonFinite) || !strings.Contains(err.Error(), fmt.Sprintf("x[%d,1]", row)) {
			t.Errorf("pass %d: %v", which, err)
		}
	}
}

// TestZeroParts: parts of zeros have no scale of their own, against which the rows of
// other parts would be negligible.
func TestZeroParts(t *testing.T) {
	t.Parallel()
	for _, size := range []float64{1, 1e-150} {
		for first := range 2 { // zeros, then others, or the other way round
			x := NewMatrix(20000, 3, nil)
			others := randomData(1000, 3, 1, 7)
			for i, v := range others.Data {
				x.Data[i+(1-first)*19000*3] = size * v
			}
			for _, solver := range []Solver{SolverAuto, SolverKrylov} {
				o := &Options{Solver: solver}
				want := mustDo(Fit(bg, x, 2, o))(t)
				got := mustDo(FitSeq(bg, inBlocks(x, 1000), 2, o))(t)
				sameSolution(t, x, nil, got, want)
				if d := maxDiff(got.Centers, want.Centers); d > 1e-12*size {
					t.Errorf("%g, %d, %v: centers are off by %g", size, first, solver, d)
				}
			}
			s := statsOf(t, rowsOf(x, 0, 10000), nil)
			if err := s.Merge(statsOf(t, rowsOf(x, 10000, 20000), nil)); err != nil {
				t.Fatal(err)
			}
			all := statsOf(t, x, nil)
			a, b := mustDo(s.Subspace(2, nil))(t), mustDo(all.Subspace(2, nil))(t)
			if s.exp != all.exp || math.Abs(a.pc.total-b.pc.total) > 1e-12*b.pc.total || b.pc.total < 1e-3 {
				t.Errorf("%g, %d: %g·2^%d of parts, %g·2^%d of all", size, first, a.pc.total, s.exp, b.pc.total, all.exp)
			}
		}
	}
}

// TestFitSeqCallersError: an error of the caller's that happens to be about an input of
// its own comes back as it was.
func TestFitSeqCallersError(t *testing.T) {
	mine := &InputError{Arg: "x", Row: 3, Col: 1, Err: ErrOption}
	_, err := FitSeq(bg, inBlocks(randomData(9000, 2, 0, 1), 500), 2, &Options{Seq: SeqOptions{Memberships: func(first int, _ *Matrix) error {
		if first > 0 {
			return mine
		}
		return nil
	}}})
	var got *InputError
	if !errors.As(err, &got) || got != mine || mine.Row != 3 || !strings.Contains(err.Error(), "from row 8192") {
		t.Error(err)
	}
}

// TestFitSeqShapes: one center of very many columns, and more centers than rows, whose
// memberships come in smaller parts.
func TestFitSeqShapes(t *testing.T) {
	x := randomData(3, 1<<16+1, 0, 1)
	floors, err := Floors(context.Background(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := FitSeq(bg, inBlocks(x, 2), 1, nil); err != nil || !close9(m.Objective, floors[0], floors[0]) || !close9(m.Floor, floors[0], floors[0]) {
		t.Errorf("one center: %v, %v", m, err)
	}
	const k = 1 << 15
	x = randomData(100, 2, 0, 1)
	rows := 0
	var last Iteration
	told := func(p Iteration) {
		if p.Pass == last.Pass && p.Rows != min(last.Rows+64, 100) || p.Pass != last.Pass && (p != Iteration{Pass: last.Pass + 1, Rows: 64} || p.Pass > 1 && last.Rows != 100) {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
	}
	m, err := FitSeq(bg, inBlocks(x, 7), k, &Options{Progress: told, Seq: SeqOptions{Memberships: func(first int, g *Matrix) error {
		if first != rows || g.Rows > 64 || g.Cols != k {
			t.Errorf("%d×%d memberships after %d rows, from row %d", g.Rows, g.Cols, rows, first)
		}
		rows += g.Rows
		return nil
	}}})
	if err != nil || rows != 100 || last != (Iteration{Pass: 3, Rows: 100}) || m.Centers.Rows != k || !(math.Abs(m.Gap) <= 1e-9) {
		t.Errorf("%d rows of memberships, %v", rows, err)
	}
}

// TestFitSeqViews: blocks with room between their rows, none behind the last, and in
// memory that is used again, give the bits of one block.
func TestFitSeqViews(t *testing.T) {
	const n, d = 9000, 3 // more than a piece
	x := randomData(n, d, 1, 1)
	reused := func(size int) iter.Seq2[*Matrix, error] {
		return func(yield func(*Matrix, error) bool) {
			wide := &Matrix{Cols: d, Stride: d + 2, Data: make([]float64, size*(d+2)-2)}
			for b := range inBlocks(x, size) {
				for i := range wide.Data {
					wide.Data[i] = math.NaN()
				}
				wide.Rows = b.Rows
				for i := range b.Rows {
					copy(wide.row(i), b.row(i))
				}
				if !yield(&Matrix{Rows: b.Rows, Cols: d, Stride: d + 2, Data: wide.Data[:b.Rows*(d+2)-2]}, nil) {
					return
				}
			}
		}
	}
	for _, solver := range []Solver{SolverGram, SolverKrylov} {
		want, err := FitSeq(bg, inBlocks(x, n), 3, &Options{Solver: solver})
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{n, 8500, 77} {
			got, err := FitSeq(bg, reused(size), 3, &Options{Solver: solver})
			if err != nil || !slices.Equal(got.Centers.Data, want.Centers.Data) || got.Objective != want.Objective || got.Floor != want.Floor || got.Total != want.Total {
				t.Errorf("%v, blocks of %d: %+v, want %+v, %v", solver, size, got, want, err)
			}
		}
	}
}

// TestFitSeqPieces: pieces whose entries and weights have other sizes, the larger first
// or last.
func TestFitSeqPieces(t *testing.T) {
	t.Parallel()
	const n, d = 8192, 3
	for _, order := range full([][3]int{{0, 1, 2}, {2, 0, 1}, {1, 2, 0}}, [][3]int{{0, 1, 2}, {2, 0, 1}}) {
		x, w := randomData(2*n+50, d, 1, 1), make([]float64, 2*n+50)
		for i := range w {
			size := order[i/n]
			scale(x.row(i), []float64{1, 900, .03}[size])
			w[i] = []float64{1, .001, 300}[size]
			x.row(i)[size] *= 3
		}
		want, err := Fit(bg, x, 3, &Options{Weights: w, Solver: SolverGram})
		if err != nil {
			t.Fatal(err)
		}
		s, minimum := statsOf(t, x, w), bigFloor(bigFloors(x, w), 3)
		for _, solver := range []Solver{SolverGram, SolverKrylov} {
			got, err := FitSeq(bg, inBlocks(x, 1000), 3, &Options{Weights: w, Solver: solver})
			if err != nil {
				t.Fatal(err)
			}
			checkPlaced(t, fmt.Sprintf("order %v, %v", order, solver), got, s.Mean(), s.Weight(), minimum, 0)
			if !close9(got.Total, want.Total, 0) || !close9(got.Floor, want.Floor, 0) || !close9(got.Floor, double(minimum), 0) ||
				maxDiff(got.Centers, want.Centers) > 1e-5 {
				t.Errorf("order %v, %v: %+v, want %+v, %v", order, solver, got, want, err)
			}
		}
	}
}

// TestFitSeqCancelled: a context that ends in the middle of a pass ends the fit with
// the block.
func TestFitSeqCancelled(t *testing.T) {
	x := randomData(100, 3, 0, 2)
	for _, solver := range []Solver{SolverGram, SolverKrylov} {
		for pass := 1; pass <= 3; pass++ {
			ctx, cancel := context.WithCancel(bg)
			n, after := 0, 0
			blocks := func(yield func(*Matrix, error) bool) {
				n++
				for range 1000 { // far more than would be read
					if n == pass && ctx.Err() == nil {
						cancel()
					} else if n == pass {
						after++
					}
					if !yield(x, nil) {
						return
					}
				}
			}
			_, err := FitSeq(ctx, blocks, 2, &Options{Solver: solver, Seq: SeqOptions{Memberships: func(int, *Matrix) error { return nil }}})
			if !errors.Is(err, context.Canceled) || after > 0 || n != pass {
				t.Errorf("%v: %v in pass %d for %d, %d blocks later", solver, err, n, pass, after)
			}
			cancel()
		}
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
		o := Options{Enclosure: allEnclosures[in.below(2)], Solver: []Solver{SolverAuto, SolverGram, SolverGram, SolverKrylov}[in.below(4)], Weights: w,
			Workers: in.below(3)}
		if in.byte()&1 > 0 {
			o.Orientation = RandomOrientation(k, uint64(in.byte()))
		}
		if in.byte()&1 > 0 {
			o.Seq.Passes = fewestPasses + in.below(3)
		}
		want := mustDo(Fit(bg, x, k, &o))(t)
		blocks := in.blocks(x)
		plain := mustDo(FitSeq(bg, blocks, k, &o))(t)
		sameSolution(t, x, w, plain, want)

		asked, told, got := o, progress{t: t, rows: x.Rows}, collected{t, NewMatrix(0, k, nil)}
		asked.Workers, asked.Progress, asked.Seq.Memberships = 3-o.Workers, told.told, got.take
		m := mustDo(FitSeq(bg, inBlocks(x, 1+in.below(30)), k, &asked))(t)
		sameSolution(t, x, w, m, want)
		if !laSameBits(m.Centers.Data, plain.Centers.Data) || m.Floor != plain.Floor || m.Total != plain.Total || m.Status != plain.Status {
			t.Fatalf("other blocks: %+v, not %+v", m, plain)
		}
		if got.g.Rows != x.Rows || told.last.Rows != x.Rows || told.last.Pass > 1+max(o.Seq.Passes, 3) && o.Seq.Passes > 0 {
			t.Fatalf("memberships of %d rows of %d, last told of %+v of at most %d", got.g.Rows, x.Rows, told.last, o.Seq.Passes)
		}
		checkFeasible(t, got.g)
		c := mustDo(Certify(context.Background(), x, m.Centers, got.g, &Options{Weights: w}))(t)
		if most := room(1e-11, x, w, m.Centers, nil); math.Abs(c.Gap-m.Gap)-m.FloorError/max(m.Total, 0x1p-1022) > most && m.Status != StatusCancelled {
			t.Fatalf("gap %g, certified %+v, within %g", m.Gap, c, most)
		}

		if o.Solver <= SolverGram && !smallRow(x) {
			p := in.parts(t, x, w, k, &o)
			sameSolution(t, x, w, p, want)
			// Totals may be out of range: what a certificate says is not. A row that weighs
			// nothing beside the others may still give its part a unit that squares are lost in.
			c := mustDo(Certify(context.Background(), x, p.Centers, mustDo(p.Predict(nil, x))(t), &Options{Weights: w}))(t)
			if most := room(1e-9, x, w, p.Centers, nil); w == nil && p.Status == StatusOptimal && c.Gap > most {
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
		asked.Seq.Memberships = func(int, *Matrix) error { return nil }
		if m, err := FitSeq(ctx, blocks, k, &asked); m != nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled in pass %d: %v, %v", end, m, err)
		}
		in.finish(t)
	})
}

// TestSeqCancelledAnywhere ends the context at every look that the fits of data in parts
// take at it: none of these is lost.
func TestSeqCancelledAnywhere(t *testing.T) {
	x := randomData(70, 3, 1, 2)
	w := make1(x.Rows)
	w[5], w[40] = 0, 2
	take := func(int, *Matrix) error { return nil }
	fits := map[string]func(ctx context.Context) (*Model, error){
		"minimal volume": func(ctx context.Context) (*Model, error) {
			o := &MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Workers: 1, MaxIter: 1, Init: InitSPA, Lambda: 0.1, Weights: w}, SummaryRows: 1, Refinements: 1, Memberships: take}
			return FitMinVolumeSeq(ctx, inBlocks(x, 50), 2, o)
		},
		"no memberships": func(ctx context.Context) (*Model, error) {
			o := &MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Workers: 1, MaxIter: 1, Init: InitSPA}, SummaryRows: 1, Refinements: 1}
			return FitMinVolumeSeq(ctx, inBlocks(x, 50), 2, o)
		},
		"minimal volume in memory": func(ctx context.Context) (*Model, error) {
			o := &MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Workers: 1, MaxIter: 1, Init: InitSPA, Lambda: 0.1}, Memberships: take}
			return FitMinVolumeSeq(ctx, inBlocks(x, 50), 2, o)
		},
	}
	for _, solver := range []Solver{SolverGram, SolverKrylov} {
		fits[solver.String()] = func(ctx context.Context) (*Model, error) {
			return FitSeq(ctx, inBlocks(x, 50), 2, &Options{Solver: solver, Workers: 1, Weights: w, Seq: SeqOptions{Memberships: take}})
		}
	}
	for name, fit := range fits {
		for at := int64(0); ; at++ {
			ctx := &endingContext{Context: bg}
			ctx.left.Store(at)
			m, err := fit(ctx)
			if err == nil {
				if ctx.left.Load() < 0 || at < 5 {
					t.Errorf("%s: no error at look %d", name, at)
				}
				t.Log(name, at, "looks")
				break
			}
			if !errors.Is(err, context.Canceled) || m != nil && (m.Status != StatusCancelled || m.Memberships != nil || m.Centers == nil || !(m.Objective >= 0)) {
				t.Fatalf("%s, look %d: %+v, %v", name, at, m, err)
			}
		}
	}
}

// TestFitSeqFirst: what can be seen without the data is an error before it is read.
func TestFitSeqFirst(t *testing.T) {
	large := 1<<22 + 1
	if math.MaxInt == math.MaxInt32 {
		large = 1<<14 + 1
	}
	unread := func(func(*Matrix, error) bool) { t.Error("the blocks are read") }
	for what, c := range map[string]struct {
		k    int
		o    Options
		want error
		says string
	}{
		"k": {0, Options{}, ErrOption, "k is 0"}, "workers": {2, Options{Workers: -1}, ErrOption, "Workers is -1, below 0"}, "passes below 0": {2, Options{Seq: SeqOptions{Passes: -1}}, ErrOption, "Passes is -1, at least 4 are needed"},
		"few passes": {2, Options{Seq: SeqOptions{Passes: 3}}, ErrOption, "Passes is 3, at least 4 are needed"}, "one pass": {2, Options{Seq: SeqOptions{Passes: 1}}, ErrOption, "Passes is 1"}, "weights": {2, Options{Weights: []float64{1, -1}}, ErrOption, "weights[1]"},
		"weights of 0": {2, Options{Weights: []float64{0, 0}}, ErrTooFewSamples, "every weight is 0"}, "large k": {large, Options{Weights: make1(2)}, ErrOption, "a matrix of " + shape(large+1, large+1)},
		"enclosure": {2, Options{Enclosure: 2}, ErrOption, "Enclosure"},
	} {
		if m, err := FitSeq(bg, unread, c.k, &c.o); m != nil || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", what, err, c.want, c.says)
		}
	}
	if _, err := FitSeq(bg, nil, 2, nil); !errors.Is(err, ErrShape) || !strings.Contains(err.Error(), "blocks is nil") {
		t.Error(err)
	}
	if _, err := FitSeq(bg, inBlocks(NewMatrix(1, 8200, nil), 1), math.MaxInt32-1, nil); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "a matrix of "+shape(math.MaxInt32-1, 8200)) {
		t.Error(err)
	}
	x := randomData(20, 2, 0, 1)
	ended, cancel := context.WithCancel(bg)
	cancel()
	if _, err := FitSeq(ended, inBlocks(x, 5), large, nil); !errors.Is(err, context.Canceled) { // without weights so many are no error
		t.Error(err)
	}
	if m, err := FitSeq(bg, inBlocks(x, 5), 2, &Options{Seq: SeqOptions{Passes: fewestPasses}, Solver: SolverKrylov}); err != nil || m.Iterations != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}
