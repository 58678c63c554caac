package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestEndOfRange: what no float64 can express is said, and nothing else is.
func TestEndOfRange(t *testing.T) {
	square := NewMatrix(4, 2, []float64{1, 1, 1, -1, -1, 1, -1, -1})
	for _, c := range []struct {
		size float64
		k    int
		want Status
	}{
		{1e307, 3, StatusOptimal}, // the triangle's vertices are 2√2 away
		{1e308, 3, StatusCancelled}, {math.MaxFloat64, 3, StatusCancelled}, {math.MaxFloat64, 1, StatusOptimal},
	} {
		x := mapped(square, func(_, _ int, v float64) float64 { return v * c.size })
		for _, solver := range allSolvers {
			m, err := Fit(bg, x, c.k, &Options{Solver: solver})
			if err != nil {
				t.Fatal(err)
			}
			data, err := m.MarshalBinary()
			var back Model
			if err != nil || back.UnmarshalBinary(data) != nil || back.Status != m.Status {
				t.Errorf("%v comes back as %v (%v)", m.Status, back.Status, err)
			}
			// The gap of Fit's sums is rounding: that of 8 squares, 2^-52 each.
			if m.Status != c.want || (m.Gap > 8*0x1p-52) != (c.want == StatusCancelled) {
				t.Errorf("%g k=%d %v: %v, gap %g", c.size, c.k, solver, m.Status, m.Gap)
			}
			for _, memberships := range []bool{false, true} {
				o := &Options{Solver: solver}
				if memberships {
					o.Seq.Memberships = func(int, *Matrix) error { return nil }
				}
				seq, err := FitSeq(bg, inBlocks(x, 3, 1), c.k, o)
				if err != nil || seq.Status != c.want {
					t.Errorf("%g k=%d %v: FitSeq says %v, %v", c.size, c.k, solver, seq.Status, err)
				}
				if (seq.Gap > 8*0x1p-52) != (c.want == StatusCancelled) {
					t.Errorf("%g k=%d %v: FitSeq's gap is %g", c.size, c.k, solver, seq.Gap)
				}
			}
		}
	}
	// Equal rows of the largest number: the mean is that number, whatever its sums round to.
	same := mapped(NewMatrix(7, 3, nil), func(_, _ int, _ float64) float64 { return math.MaxFloat64 })
	if m, err := Fit(bg, same, 2, nil); err != nil || m.Status != StatusOptimal || m.Objective != 0 {
		t.Errorf("equal rows: %+v, %v", m, err)
	}
	// Values past the end, of entries and vectors that are not.
	a := mapped(NewMatrix(2, 2, nil), func(_, _ int, _ float64) float64 { return math.MaxFloat64 })
	_, s, v, err := SVD(a)
	if err != nil || s[0] != math.MaxFloat64 || math.Abs(v.At(0, 0)-math.Sqrt(0.5)) > 4*laEps {
		t.Errorf("SVD: %v %v, %v", s, v, err)
	}
	if r, err := TruncatedSVD(bg, a, 1, nil); err != nil || r.S[0] != math.MaxFloat64 || math.Abs(r.V.At(0, 0)-math.Sqrt(0.5)) > 4*laEps {
		t.Errorf("TruncatedSVD: %+v, %v", r, err)
	}
	for i := range a.Data {
		a.Data[i] = -a.Data[i]
	}
	if values, _, err := EigenSym(a); err != nil || values[1] != -math.MaxFloat64 || math.Abs(values[0]) > 4*laEps*math.MaxFloat64 {
		t.Errorf("EigenSym: %v, %v", values, err)
	}
	// Centers of the smallest numbers are whole multiples of them: half a one off, in each
	// of 3·2 places, on data that is 2 apart.
	tiny := NewMatrix(3, 2, []float64{0, 0, 2 * math.SmallestNonzeroFloat64, 0, 0, 2 * math.SmallestNonzeroFloat64})
	if m, err := Fit(bg, tiny, 3, nil); err != nil || m.Status != StatusOptimal || !(m.Gap*16/3 <= 6*0.25) {
		t.Errorf("denormals: gap %g of 16/3, %v", m.Gap, err)
	}
}

// TestEndOfRangeIterations: what FitAlternating and FitMinVolume say of centers that
// had to stop is how they ended, and the error of those that are left, as Certify sees it.
func TestEndOfRangeIterations(t *testing.T) {
	square := NewMatrix(4, 2, []float64{1, 1, 1, -1, -1, 1, -1, -1})
	x := mapped(square, func(_, _ int, v float64) float64 { return v * math.MaxFloat64 })
	for _, fit := range []func() (*Model, error){
		func() (*Model, error) { return FitAlternating(bg, x, 3, &AlternatingOptions{Init: InitGlobal}) },
		func() (*Model, error) { return FitMinVolume(bg, x, 3, &MinVolumeOptions{Init: InitGlobal}) },
	} {
		m, err := fit()
		if err != nil || m.Status == StatusOptimal || m.Status == StatusCancelled {
			t.Fatalf("%+v, %v", m, err)
		}
		// No triangle within the range has all corners of the largest square.
		c, err := Certify(context.Background(), x, m.Centers, m.Memberships, nil)
		if err != nil || !(m.Gap > 1e-3) || c.Gap != m.Gap {
			t.Errorf("gap %g, certified %g, %v", m.Gap, c.Gap, err)
		}
	}
}

// TestWeights: a weight is a repetition, 0 is absence, a common factor only
// scales the objective.
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
	wideTwice, _ := FromRows([][]float64{wide.Row(0), wide.Row(2), wide.Row(2), wide.Row(3), wide.Row(3), wide.Row(3)})
	for _, c := range []struct {
		x, rep *Matrix
		w      []float64
		k      int
	}{{iris, twice, w, 3}, {iris, twice, w, 7}, {wide, wideTwice, ww, 2}} {
		for _, solver := range allSolvers {
			for _, enc := range allEnclosures {
				a, err := Fit(bg, c.x, c.k, &Options{Weights: c.w, Solver: solver, Enclosure: enc})
				if err != nil {
					t.Fatal(err)
				}
				checkFeasible(t, a.Memberships)
				b, err := Fit(bg, c.rep, c.k, &Options{Solver: solver, Enclosure: enc})
				if err != nil {
					t.Fatal(err)
				}
				if d := math.Abs(a.Objective - b.Objective); d > 1e-10*b.Total || math.Abs(a.Floor-b.Floor) > 1e-10*b.Total {
					t.Errorf("%v %v k=%d: objective %g weighted, %g repeated", solver, enc, c.k, a.Objective, b.Objective)
				}
				if d := maxDiff(a.Centers, b.Centers); d > 1e-10*math.Sqrt(b.Total) {
					t.Errorf("%v %v k=%d: centers differ by %g", solver, enc, c.k, d)
				}
				row := 0
				for i, wi := range c.w {
					for range int(wi) {
						for j := range c.k {
							if d := math.Abs(a.Memberships.At(i, j) - b.Memberships.At(row, j)); d > 1e-10 {
								t.Fatalf("%v %v: memberships differ by %g", solver, enc, d)
							}
						}
						row++
					}
				}
				cert, err := Certify(context.Background(), c.x, a.Centers, a.Memberships, &Options{Weights: c.w})
				if err != nil || !cert.Optimal(1e-12) {
					t.Errorf("%v %v: %+v %v", solver, enc, cert, err)
				}
				big := make([]float64, len(c.w))
				for i, v := range c.w {
					big[i] = v * 0x1p600
				}
				s, err := Fit(bg, c.x, c.k, &Options{Weights: big, Solver: solver, Enclosure: enc})
				if err != nil || maxDiff(s.Memberships, a.Memberships) != 0 || maxDiff(s.Centers, a.Centers) != 0 || s.Objective != a.Objective*0x1p600 {
					t.Errorf("%v %v: weights times 2^600 change more than the scale (%v)", solver, enc, err)
				}
			}
		}
	}
}

func TestFitErrors(t *testing.T) {
	good := randomData(5, 3, 0, 1)
	bad := good.Clone()
	bad.Set(3, 2, math.NaN())
	inf := good.Clone()
	inf.Set(0, 1, math.Inf(-1))
	cases := []struct {
		name string
		x    *Matrix
		k    int
		o    *Options
		want error
	}{
		{"nil", nil, 2, nil, ErrShape},
		{"no rows", NewMatrix(0, 3, nil), 2, nil, ErrTooFewSamples},
		{"no columns", NewMatrix(3, 0, nil), 2, nil, ErrShape},
		{"short data", &Matrix{Rows: 3, Cols: 3, Stride: 3, Data: make([]float64, 8)}, 2, nil, ErrShape},
		{"small stride", &Matrix{Rows: 3, Cols: 3, Stride: 2, Data: make([]float64, 9)}, 2, nil, ErrShape},
		{"negative", &Matrix{Rows: -1, Cols: 3, Stride: 3}, 2, nil, ErrShape},
		{"huge", &Matrix{Rows: math.MaxInt, Cols: math.MaxInt, Stride: math.MaxInt, Data: make([]float64, 9)}, 2, nil, ErrShape},
		{"NaN", bad, 2, nil, ErrNonFinite},
		{"Inf", inf, 2, nil, ErrNonFinite},
		{"k = 0", good, 0, nil, ErrOption},
		{"k < 0", good, -3, nil, ErrOption},
		{"k huge", good, math.MaxInt / 2, nil, ErrOption},
		{"enclosure", good, 2, &Options{Enclosure: 7}, ErrOption},
		{"solver", good, 2, &Options{Solver: -1}, ErrOption},
		{"workers", good, 2, &Options{Workers: -1}, ErrOption},
		{"weights' length", good, 2, &Options{Weights: make([]float64, 4)}, ErrShape},
		{"weights zero", good, 2, &Options{Weights: make([]float64, 5)}, ErrTooFewSamples},
		{"weight negative", good, 2, &Options{Weights: []float64{1, 1, -1, 1, 1}}, ErrOption},
		{"weight NaN", good, 2, &Options{Weights: []float64{1, 1, 1, 1, math.NaN()}}, ErrNonFinite},
		{"orientation's shape", good, 3, &Options{Orientation: identity(3)}, ErrShape},
		{"orientation", good, 3, &Options{Orientation: NewMatrix(2, 2, []float64{1, 0, 0, 2})}, ErrOption},
		{"orientation, hardly", good, 3, &Options{Orientation: NewMatrix(2, 2, []float64{1, 1e-9, 0, 1})}, ErrOption},
		{"orientation NaN", good, 3, &Options{Orientation: NewMatrix(2, 2, []float64{1, 0, 0, math.NaN()})}, ErrNonFinite},
	}
	for _, c := range cases {
		m, err := Fit(bg, c.x, c.k, c.o)
		if m != nil || !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "softkmeans: ") {
			t.Errorf("%s: %v, %v", c.name, m, err)
		}
	}
	var in *InputError
	if _, err := Fit(bg, bad, 2, nil); !errors.As(err, &in) || in.Row != 3 || in.Col != 2 || in.Arg != "x" || !math.IsNaN(in.Value) {
		t.Errorf("%v does not name row 3, column 2", in)
	}
	if got, want := in.Error(), "softkmeans: x[3,2] = NaN: not a finite number"; got != want {
		t.Errorf("%q", got)
	}
	if _, err := Fit(bg, good, 2, &Options{Weights: []float64{1, 1, -1, 1, 1}}); !errors.As(err, &in) || in.Row != 2 || in.Col != -1 || in.Arg != "weights" {
		t.Errorf("%v", err)
	}
}

// TestZeroWeightSize: rows that do not count may have any size, and change
// nothing.
func TestZeroWeightSize(t *testing.T) {
	for _, shape := range [][2]int{{9, 3}, {4, 12}, {300, 6}} {
		n, d := shape[0], shape[1]
		x := randomData(n, d, 0.5, 7)
		w := make([]float64, n)
		for i := range w {
			w[i] = float64(i % 3)
		}
		huge := mapped(x, func(i, j int, v float64) float64 {
			if i%3 == 0 {
				return math.Copysign(math.MaxFloat64, v)
			}
			return v
		})
		for _, exp := range []int{0, -1000} {
			x, huge := mapped(x, func(i, j int, v float64) float64 { return math.Ldexp(v, exp) }), mapped(huge, func(i, j int, v float64) float64 {
				if i%3 == 0 {
					return v
				}
				return math.Ldexp(v, exp)
			})
			for _, solver := range allSolvers {
				a, err := Fit(bg, x, 3, &Options{Weights: w, Solver: solver})
				if err != nil {
					t.Fatal(err)
				}
				b, err := Fit(bg, huge, 3, &Options{Weights: w, Solver: solver})
				if err != nil {
					t.Fatal(err)
				}
				if a.Total != b.Total || a.Floor != b.Floor || a.Objective != b.Objective || a.Gap != b.Gap || maxDiff(a.Centers, b.Centers) != 0 {
					t.Errorf("%d×%d %v: objective %g floor %g total %g, with huge rows of weight 0 %g %g %g",
						n, d, solver, a.Objective, a.Floor, a.Total, b.Objective, b.Floor, b.Total)
				}
				checkFeasible(t, b.Memberships)
				c, err := Certify(context.Background(), huge, b.Centers, b.Memberships, &Options{Weights: w})
				if err != nil || !c.Optimal(1e-12) {
					t.Errorf("%d×%d %v: %+v %v", n, d, solver, c, err)
				}
			}
		}
	}
}
