package sources

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// mixtures returns n rows that are mixtures of k sources, times lengths if asked for, with noise.
func mixtures(r *rand.Rand, n, k, d int, noise float64, lengths bool) (*Sources, *softkmeans.Matrix) {
	f, x := softkmeans.NewMatrix(k, d, nil), softkmeans.NewMatrix(n, d, nil)
	for i := range f.Data {
		f.Data[i] = 1 + 4*r.Float64()
	}
	s := &Sources{Centers: f}
	s.group(nil, nil)
	for i := range n {
		g, sum := make([]float64, k), 0.0
		for j := range g {
			g[j] = r.ExpFloat64()
			sum += g[j]
		}
		length := 1.0
		if lengths {
			length = .5 + r.Float64()
		}
		for c := range d {
			for j := range g {
				x.Row(i)[c] += length * g[j] / sum * f.At(j, c)
			}
			x.Row(i)[c] += noise * r.NormFloat64()
		}
	}
	return s, x
}

// Lengths are found where rows have them, and not where they are mixtures with noise.
func TestLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for run := range 150 {
		n, k := 1+r.IntN(60), 2+r.IntN(3)
		d := k + r.IntN(15)
		s, x := mixtures(r, n, k, d, .02, false)
		if on, err := s.Lengths(context.Background(), x, Options{}); on || err != nil {
			t.Errorf("run %d: lengths of %d×%d in %d sources: %v, %v", run, n, d, k, on, err)
		}
		if s, x = mixtures(r, n+5, k, d+2, .02, true); d > k+2 {
			if on, err := s.Lengths(context.Background(), x, Options{}); !on || err != nil {
				t.Errorf("run %d: no lengths of %d×%d in %d sources: %v, %v", run, n+5, d+2, k, on, err)
			}
		}
	}
}

// A source that is missing is no length.
func TestLengthsMissing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	s, x := mixtures(r, 60, 4, 40, .02, false)
	s.Centers = softkmeans.NewMatrix(3, 40, s.Centers.Data[:120])
	s.Names, s.Class, s.Groups = nil, nil, nil
	s.group(nil, nil)
	if on, err := s.Lengths(context.Background(), x, Options{}); on || err != nil {
		t.Errorf("lengths: %v, %v", on, err)
	}
}

// The ranges of mixtures times a length are those over the vertices of all a ≥ 0 with the same aF.
func TestRangesOfCone(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for run := range 200 {
		k, d := 3+r.IntN(3), 2+r.IntN(2)
		s, x := mixtures(r, 1, k, d, 0, true)
		m := tables.Must(s.NewMixer(Options{Cone: true}))(t)
		got := tables.Must(m.Mix(context.Background(), x, true))(t)
		if k <= d != m.Unique() || m.Unique() == (got.Low != nil) {
			t.Fatalf("run %d: k %d, d %d: unique %v, %v", run, k, d, m.Unique(), got.Low)
		}
		if got.Low == nil {
			continue
		}
		low, high := make([]float64, k), make([]float64, k)
		for j := range k {
			low[j], high[j] = math.Inf(1), math.Inf(-1)
		}
		for in := range subsets(k) {
			a, ok := conic(m.Centers, in, x.Row(0))
			if !ok {
				continue
			}
			sum := 0.0
			for _, v := range a {
				sum += v
			}
			shares := make([]float64, k)
			for at, i := range in {
				shares[i] = a[at] / sum
			}
			for j, v := range shares {
				low[j], high[j] = min(low[j], v), max(high[j], v)
			}
		}
		for j := range k {
			if math.Abs(low[j]-got.Low.At(0, j)) > 1e-8 || math.Abs(high[j]-got.High.At(0, j)) > 1e-8 {
				t.Fatalf("run %d: share %d is %v to %v, by enumeration %v to %v", run, j, got.Low.At(0, j),
					got.High.At(0, j), low[j], high[j])
			}
		}
	}
}

// conic solves for the only a ≥ 0 of some vertices with aF = x: their d columns alone.
func conic(f *softkmeans.Matrix, in []int, x []float64) (a []float64, ok bool) {
	lifted := softkmeans.NewMatrix(f.Rows, f.Cols-1, nil) // a column of 1 follows
	for i := range f.Rows {
		for j := range lifted.Cols {
			lifted.Set(i, j, f.At(i, j)/f.At(i, f.Cols-1))
		}
	}
	point := make([]float64, f.Cols)
	for j := range point {
		point[j] = x[j] / x[f.Cols-1]
	}
	if a, ok = solved(lifted, in, point); !ok {
		return nil, false
	}
	for at, i := range in {
		a[at] *= x[f.Cols-1] / f.At(i, f.Cols-1)
	}
	return a, true
}

// Noise is that of the rows, and rows with noise alone are rarely outside.
func TestOutside(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, cone := range []bool{false, true} {
		s, x := mixtures(r, 4000, 4, 12, .02, cone)
		noise, out := outsideOf(t, s, x, cone)
		if n := trues(out); math.Abs(noise.Value/.02-1) > .05 || noise.columns != nil || n > 60 {
			t.Errorf("cone %v: noise %v, %d of 4000 rows outside", cone, noise.Value, n)
		}
	}
}

// outsideOf returns the noise of rows, and which of them are outside.
func outsideOf(t *testing.T, s *Sources, x *softkmeans.Matrix, cone bool) (Noise, []bool) {
	t.Helper()
	m := tables.Must(s.NewMixer(Options{Cone: cone}))(t)
	got := tables.Must(m.Mix(t.Context(), x, false))(t)
	noise := tables.Must(m.Noise(t.Context(), got, x))(t)
	out := tables.Must(m.Out(t.Context(), got, x, noise))(t)
	return noise, out
}

func trues(list []bool) (n int) {
	for _, is := range list {
		if is {
			n++
		}
	}
	return n
}

// A column with more noise than others calls no rows outside, and hides none that are.
func TestNoiseOfColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 8))
	for _, cone := range []bool{false, true} {
		for _, c := range []struct{ rows, columns int }{{60, 30}, {300, 20}, {1000, 12}, {300, 200}} {
			s, x := mixtures(r, c.rows, 3, c.columns, .01, cone)
			for i := range x.Rows {
				x.Row(i)[1] += .5 * r.NormFloat64()
				x.Row(i)[2] += .1 * r.NormFloat64()
			}
			moved := x.Rows / 10
			for i := range moved {
				x.Row(i)[0] += .4
			}
			noise, out := outsideOf(t, s, x, cone)
			n, of := trues(out[:moved]), trues(out[moved:])
			if n < moved-1 || of > 1+x.Rows/100 {
				t.Errorf("cone %v, %+v: of %d rows outside %d are found, and %d of the others; %s",
					cone, c, moved, n, of, noise.Explains("row", "column"))
			}
		}
	}
}

// The noise of counts differs by entry. Noise by column is taken where it calls fewer rows outside.
func TestNoiseOfCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 8))
	for run := range 10 {
		s, x := mixtures(r, 100, 3, 20, 0, true)
		for i := range s.Centers.Data {
			s.Centers.Data[i] = math.Pow(r.ExpFloat64(), 3)
		}
		for i := range x.Rows {
			clear(x.Row(i))
			for k := range 3 {
				load := math.Exp(6 * r.Float64())
				for j, v := range s.Centers.Row(k) {
					x.Row(i)[j] += load * v
				}
			}
			for j, v := range x.Row(i) {
				x.Row(i)[j] += math.Sqrt(v) * r.NormFloat64()
			}
		}
		m := tables.Must(s.NewMixer(Options{Cone: true}))(t)
		got := tables.Must(m.Mix(t.Context(), x, false))(t)
		noise := tables.Must(m.Noise(t.Context(), got, x))(t)
		out, err := m.Out(t.Context(), got, x, noise)
		one, _ := m.Out(t.Context(), got, x, m.equal(got))
		if trues(out) > trues(one)+1 || err != nil {
			t.Errorf("run %d: %d rows are outside, %d with one noise, %v", run, trues(out), trues(one), err)
		}
	}
}

// Ranges that would take too long are left out, with and without draws.
func TestTooMuch(t *testing.T) {
	old := mostWork
	defer func() { mostWork = old }()
	r := rand.New(rand.NewPCG(9, 9))
	s, x := mixtures(r, 30, 5, 2, 0, false)
	for _, sd := range []*softkmeans.Matrix{nil, softkmeans.NewMatrix(5, 2, nil)} {
		s.SD = sd
		for _, most := range []float64{old, 10} {
			mostWork = most
			m := tables.Must(s.NewMixer(Options{}))(t)
			got, err := m.Mix(context.Background(), x, true)
			if err != nil || !got.Open || (got.Low == nil) != (most == 10) ||
				(got.Drawn == nil) != (most == 10 || sd == nil) {
				t.Errorf("%v, %v: %+v, %v", sd, most, got, err)
			}
		}
	}
}

// Of rows with nothing but noise hardly one in a hundred is outside, however few there are. Of rows that also
// have something of their own that the prototypes lack, far more in some than in others, few are.
func TestOutsideOfTheBulk(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 8))
	var rows, out [2]int
	for run := range 150 {
		n, k := []int{20, 60, 200}[run%3], 2+r.IntN(3)
		d := k + []int{1, 3, 10, 60}[r.IntN(4)]
		for model := range 2 {
			s, x := mixtures(r, n, k, d, .02, run%2 == 0)
			if model == 1 {
				own := tables.Normal(2, d, uint64(run))
				for i := range x.Rows {
					for c := range own.Rows {
						la.Axpy(x.Row(i), .3*math.Exp(r.NormFloat64())*r.NormFloat64(), own.Row(c))
					}
				}
			}
			_, are := outsideOf(t, s, x, run%2 == 0)
			rows[model], out[model] = rows[model]+n, out[model]+trues(are)
		}
	}
	if 100*out[0] > rows[0] || 30*out[1] > rows[1] {
		t.Errorf("%d of %d rows with noise are outside, and %d of %d with more", out[0], rows[0], out[1], rows[1])
	}
}
