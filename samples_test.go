package softkmeans

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWeights: a weight is a repetition, 0 is absence, a common factor only scales the objective.
// Rows of weight 0 have the memberships of Predict.
func TestWeights(t *testing.T) {
	iris := loadCSV(t, "iris")
	rng := rand.New(rand.NewPCG(9, 9))
	w := make([]float64, iris.Rows)
	var repeated [][]float64
	for i := range w {
		w[i] = float64(rng.IntN(4))
		for range int(w[i]) {
			repeated = append(repeated, iris.Row(i))
		}
	}
	twice, _ := FromRows(repeated)
	wide := iris.transposed()
	ww := []float64{1, 0, 2, 3}
	wideTwice, _ := FromRows([][]float64{wide.Row(0), wide.Row(2), wide.Row(2), wide.Row(3), wide.Row(3),
		wide.Row(3)})
	for _, c := range []struct {
		x, rep *Matrix
		w      []float64
		k      int
	}{{iris, twice, w, 3}, {iris, twice, w, 7}, {wide, wideTwice, ww, 2}} {
		for i, solver := range allSolvers {
			o := Options{Solver: solver, Enclosure: allEnclosures[i%2], Sum: Sum(i / 2)}
			b := mustDo(Fit(bg, c.rep, c.k, &o))(t)
			o.Weights = c.w
			a := mustDo(Fit(bg, c.x, c.k, &o))(t)
			checkShares(t, a.Memberships, SumAtMostOne)
			if off := maxDiff(mustDo(a.Predict(nil, c.x))(t), a.Memberships); c.k <= c.x.Cols && off > 1e-9 {
				t.Errorf("%+v k=%d: Predict is off by %g", o, c.k, off)
			}
			if math.Abs(a.Objective-b.Objective) > 1e-10*b.Total ||
				math.Abs(a.Floor-b.Floor) > 1e-10*b.Total ||
				maxDiff(a.Centers, b.Centers) > 1e-10*math.Sqrt(b.Total) {
				t.Errorf("%+v k=%d: objective %g weighted, %g repeated, or other centers", o, c.k,
					a.Objective, b.Objective)
			}
			row := 0
			for i, wi := range c.w {
				for range int(wi) {
					if d := maxDiff(rowsOf(a.Memberships, i, i+1), rowsOf(b.Memberships, row,
						row+1)); d > 1e-10 {
						t.Fatalf("%+v: memberships differ by %g", o, d)
					}
					row++
				}
			}
			if c := mustDo(Certify(bg, c.x, a.Centers, a.Memberships,
				&Options{Weights: c.w, Sum: o.Sum}))(t); !c.Optimal(1e-12) {
				t.Errorf("%+v: %+v", o, c)
			}
			o.Weights = slices.Clone(c.w)
			scale(o.Weights, 0x1p600)
			s := mustDo(Fit(bg, c.x, c.k, &o))(t)
			if maxDiff(s.Memberships, a.Memberships) != 0 || maxDiff(s.Centers, a.Centers) != 0 ||
				s.Objective != a.Objective*0x1p600 {
				t.Errorf("%+v: weights times 2^600 change more than the scale", o)
			}
		}
	}
}

// TestErrRange: the first entry beyond the range is an error that names it, and the last
// within is none, for every function that reads samples.
func TestErrRange(t *testing.T) {
	next := math.Nextafter
	for _, c := range []struct {
		large, rest float64
		row, col    int // of the error; -1: none
	}{
		{0x1p500, 1, -1, 0}, {next(0x1p500, math.Inf(1)), 1, 2, 1}, {-next(0x1p500, math.Inf(1)), 0x1p500, 2,
			1},
		{0x1p-500, 0, -1, 0}, {next(0x1p-500, 0), 0, 2, 1}, {0x1p-500, math.SmallestNonzeroFloat64, -1, 0},
		{math.SmallestNonzeroFloat64, 0, 2, 1}, {0, 0, -1, 0}, {1, 0x1p-1000, -1, 0},
	} {
		x := mapped(NewMatrix(4, 2, nil), func(i, j int, _ float64) float64 { return c.rest * float64(i%2) })
		x.Set(2, 1, c.large)
		centers := NewMatrix(1, 2, nil)
		var w []float64
		if math.Abs(c.large) > 1 { // of weight 0 it is in range as well
			w = []float64{1, 1, 0, 1}
		}
		for name, err := range map[string]error{
			"Fit":      second(Fit(bg, x, 2, nil)),
			"weight 0": second(Fit(bg, x, 2, &Options{Weights: w})),
			"Floors":   second(Floors(bg, x, nil)),
			"Certify":  second(Certify(bg, x, centers, NewMatrix(4, 1, make1(4)), nil)),
			"SkMable":  second(SkMable(bg, x, 2, 0)),
			"Stats":    new(Stats).Add(x),
		} {
			var at *InputError
			switch {
			case c.row < 0 && err != nil:
				t.Errorf("%s of %g and %g: %v", name, c.large, c.rest, err)
			case c.row >= 0 && (!errors.Is(err, ErrRange) || !errors.As(err, &at) || at.Row != c.row ||
				at.Col != c.col || at.Value != c.large):
				t.Errorf("%s of %g and %g: %v", name, c.large, c.rest, err)
			}
		}
	}
}

// TestZeroWeightSize: rows of weight 0 may have any size in range, change nothing, and enlarge no simplex.
func TestZeroWeightSize(t *testing.T) {
	for _, shape := range [][2]int{{9, 3}, {4, 12}} {
		n, d := shape[0], shape[1]
		x := randomData(n, d, 0.5, 7)
		w := inTurn(n, 0, 1, 2)
		for _, exp := range []int{0, -499} {
			x := mapped(x, func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) })
			huge := mapped(x, func(i, _ int, v float64) float64 {
				return []float64{v, math.Copysign(mostEntry, v)}[flagIf(i%3 == 0, 1)]
			})
			for _, solver := range allSolvers {
				o := &Options{Weights: w, Solver: solver, Enclosure: allEnclosures[solver%2]}
				a, b := mustDo(Fit(bg, x, 3, o))(t), mustDo(Fit(bg, huge, 3, o))(t)
				if a.Total != b.Total || a.Floor != b.Floor || a.Objective != b.Objective || a.Gap != b.Gap ||
					maxDiff(a.Centers, b.Centers) != 0 {
					t.Errorf("%d×%d %v: objective %g floor %g total %g, with huge rows of weight 0 %g %g %g",
						n, d, solver, a.Objective, a.Floor, a.Total, b.Objective, b.Floor, b.Total)
				}
				checkFeasible(t, b.Memberships)
				c, err := Certify(bg, huge, b.Centers, b.Memberships, &Options{Weights: w})
				if err != nil || !c.Optimal(1e-12) {
					t.Errorf("%d×%d %v: %+v %v", n, d, solver, c, err)
				}
			}
		}
	}
}

// TestSamplesTable: units, weights and mean by their definitions, over one block and over
// many, and the rows as they are packed into memory of any content.
func TestSamplesTable(t *testing.T) {
	for _, n := range []int{7, 9000} {
		x, w := NewMatrix(n, 2, nil), make([]float64, n)
		var sum, all float64
		for i := range n {
			x.Set(i, 0, 0.1)
			x.Set(i, 1, float64(i*i%7)-9)
			w[i] = float64(i % 3)
			sum += w[i] * x.At(i, 1)
			all += w[i]
		}
		for _, centred := range []bool{true, false} {
			s := mustDo(newSamples(bg, x, w, 3, centred))(t)
			want := []float64{0.1 / 16, sum / all / 16}
			if !centred {
				clear(want)
			}
			if s.exp != 4 || s.wexp != 2 || s.zeros || s.n != n || s.d != 2 || s.workers != 3 ||
				s.centred != centred || s.mean[0] != want[0] || math.Abs(s.mean[1]-want[1]) > 1e-15 {
				t.Errorf("%d rows, centred %t: %+v, want a mean of %g", n, centred, s.units, want)
			}
			for _, weighted := range []bool{true, false} {
				got := nans(2 * n)
				s.pack(got, 0, n, weighted)
				for i := range n {
					root := 1.0
					if weighted || w[i] == 0 {
						root = math.Sqrt(w[i] / 4)
					}
					for j := range 2 {
						want := root * (x.At(i, j)/16 - s.mean[j])
						if v := got[2*i+j]; math.Abs(v-want) > 1e-15 || w[i] == 0 &&
							math.Float64bits(v) != 0 {
							t.Fatalf("%d rows, centred %t, weighted %t: row %d is packed as %g, want %g", n,
								centred, weighted, i, v, want)
						}
					}
				}
			}
		}
	}
	for _, c := range []struct {
		x, w  []float64
		exp   int
		zeros bool
	}{{[]float64{0, 0, 0}, nil, 0, true}, {[]float64{0, 5, 0}, []float64{1, 0, 1}, 0, true},
		{[]float64{0, 5, 0}, nil, 3, false}, {[]float64{0, -4, 0}, nil, 3, false}} {
		s, err := newSamples(bg, NewMatrix(3, 1, c.x), c.w, 0, true)
		if err != nil || s.exp != c.exp || s.zeros != c.zeros {
			t.Errorf("%v: %+v, zeros: %t, %v", c.x, s.units, s.zeros, err)
		}
	}
	s := &samples{weights: []float64{1, 0x1p-499, 0x1p-500, 3, 0}, units: units{wexp: 2}}
	for i, want := range []float64{.25, 0, 0, .75, 0} {
		if got := s.weight(i); got != want {
			t.Errorf("weight %d is %g, want %g", i, got, want)
		}
	}
	s.wexp = 1
	if got := s.weight(1); got != leastScale {
		t.Errorf("a weight of 2^-500 is %g", got)
	}
	for _, c := range []struct {
		units
		v, want float64
	}{{units{}, 3, 3}, {units{2, 1}, 3, 96}, {units{-2, 1}, 32, 4}, {units{500, 40}, 1, math.MaxFloat64}} {
		if got := c.unscaleSquare(c.v); got != c.want {
			t.Errorf("%+v: %g", c, got)
		}
	}
	for _, c := range []struct {
		n, d                int
		centred, part, wide bool
		rank                int
	}{{3, 5, true, false, true, 2}, {3, 5, false, false, true, 3}, {3, 5, true, true, false, 2},
		{5, 5, true, false, false, 4}, {5, 5, false, false, false, 5}, {6, 5, true, false, false, 5},
		{9, 5, false, false, false, 5}} {
		s := &samples{n: c.n, d: c.d, centred: c.centred, part: c.part}
		small, large := s.sides()
		if c.wide && (small != c.n || large != c.d) || !c.wide && (small != c.d || large != c.n) ||
			s.wide() != c.wide || s.rankBound() != c.rank {
			t.Errorf("%+v: sides %d and %d, rank %d", c, small, large, s.rankBound())
		}
	}
}

// TestFineMean: mean + rest is within its bound of the exact mean, and the sum of squares
// and the Gram matrix about it are within theirs.
func TestFineMean(t *testing.T) {
	t.Parallel()
	for seed := range fewer[uint64](60, 15) {
		rng := rand.New(rand.NewPCG(seed, 52))
		n, d := 1+rng.IntN(300), 1+rng.IntN(5)
		by := []float64{0, 1, -1e4, 1e8, 1e15}[rng.IntN(5)]
		x := moved(randomData(n, d, 0, seed), by)
		var w []float64
		if rng.IntN(2) == 0 {
			for range n {
				w = append(w, []float64{1, 3, 1e-3, 1e6, 0, .7}[rng.IntN(6)])
			}
			w[rng.IntN(n)] = 1
		}
		s := mustDo(newSamples(bg, x, w, 1+rng.IntN(3), true))(t)
		mean, scatter := bigMoments(x, w, s.units)
		total, off, err := s.totalSquares()
		must(t, err)
		exact := new(big.Float).SetPrec(4000)
		for i := range scatter {
			exact.Add(exact, scatter[i][i])
		}
		apart := new(big.Float).SetPrec(4000).SetFloat64(total)
		if apart.Sub(apart, exact); !(math.Abs(double(apart)) <= off) {
			t.Errorf("seed %d, moved by %g: total %g off by %g, bound %g", seed, by, total, double(apart),
				off)
		}
		if got := math.Sqrt(s.fine.mass) * bigApart(s.mean, s.fine.rest,
			bigRows{mean}); !(got <= s.fine.off(total)) {
			t.Errorf("seed %d, moved by %g: the mean is %g off, bound %g", seed, by, got, s.fine.off(total))
		}
		if off > 1e-11*total && by < 1e8 && n > 1 && w == nil {
			t.Errorf("seed %d, moved by %g: total %g within %g", seed, by, total, off)
		}
		s.part = true // the Gram matrix of the columns
		gram, err := gramMatrix(s)
		if err == nil {
			err = recentre(s, gram)
		}
		must(t, err)
		bound := gramError(s, trace(gram)) + s.fine.bound(total)
		if got := bigApart(gram.Data, make([]float64, d*d), scatter); !(got <= bound) {
			t.Errorf("seed %d, moved by %g: the Gram matrix is %g off, bound %g", seed, by, got, bound)
		}
	}
}
