package kernel

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/tables"
)

func column(v ...float64) *softkmeans.Matrix { return softkmeans.NewMatrix(len(v), 1, v) }

func times(m *softkmeans.Matrix, by float64) *softkmeans.Matrix {
	return tables.Mapped(m, func(_, _ int, v float64) float64 { return by * v })
}

// slowDistance is the distance of rows a and b.
func slowDistance(a, b []float64) (d float64) {
	for i, v := range a {
		d = math.Hypot(d, v-b[i])
	}
	return d
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestKernels: all functions against their definitions, at all scales, for strided tables, and with the same bits
// for rows as new ones. The units of rows do not matter with the median heuristic.
func TestKernels(t *testing.T) {
	for _, n := range []int{1, 2, 31, 32, 70} {
		for _, d := range []int{1, 3, 4, 70} {
			wide := tables.Normal(n, d+2, uint64(n*d))
			x := &softkmeans.Matrix{Rows: n, Cols: d, Stride: d + 2, Data: wide.Data}
			if n > 2 {
				copy(x.Row(1), x.Row(0))
			}
			linear, err1 := Linear(x)
			between, err2 := LinearBetween(x, x)
			rbf, err3 := RBF(x, 0.3)
			rbfBetween, err4 := RBFBetween(x, x, 0.3)
			distances := softkmeans.NewMatrix(n, n, nil)
			for i := range n {
				for j := range n {
					distances.Set(i, j, slowDistance(x.Row(i), x.Row(j)))
				}
			}
			gaussian, err5 := Distances(distances, 0.3)
			gaussianBetween, err6 := DistancesBetween(distances, 0.3)
			must(t, err1, err2, err3, err4, err5, err6)
			for i := range n {
				for j := range n {
					want := 0.0
					for c, v := range x.Row(i) {
						want += v * x.At(j, c)
					}
					e := math.Exp(-0.3 * distances.At(i, j) * distances.At(i, j))
					if math.Abs(linear.At(i, j)-want) > 1e-12*float64(d) || math.Abs(rbf.At(i, j)-e) > 1e-13 ||
						math.Abs(gaussian.At(i, j)-e) > 1e-13 || linear.At(i, j) != between.At(i, j) ||
						rbf.At(i, j) != rbfBetween.At(i, j) || rbf.At(i, j) != rbf.At(j, i) ||
						gaussian.At(i, j) != gaussianBetween.At(i, j) {
						t.Fatalf("%d×%d: entry %d, %d", n, d, i, j)
					}
				}
			}
			gamma, err1 := Gamma(x)
			of, err2 := GammaOfDistances(distances)
			plain, err3 := RBF(x, 0)
			same, err4 := Distances(distances, 0)
			must(t, err1, err2, err3, err4)
			if n > 1 && math.Abs(of/gamma-1) > 1e-12 {
				t.Errorf("%d×%d: γ %g, of distances %g", n, d, gamma, of)
			}
			for _, unit := range []float64{1e149, 1e-149, 0x1p-490} {
				scaled, err1 := RBF(times(x, unit), 0)
				got, err2 := Gamma(times(x, unit))
				must(t, err1, err2)
				if want := gamma / unit / unit; n > 1 && want <= math.MaxFloat64 && want > 0 &&
					math.Abs(got/want-1) > 1e-9 {
					t.Errorf("%d×%d times %g: γ %g, want %g", n, d, unit, got, want)
				}
				for i, v := range plain.Data {
					if math.Abs(scaled.Data[i]-v) > 1e-13 || n > 1 && math.Abs(same.Data[i]-v) > 1e-12 {
						t.Fatalf("%d×%d times %g: entry %d is %g and %g, want %g", n, d, unit, i, scaled.Data[i],
							same.Data[i], v)
					}
				}
			}
		}
	}
}

// TestGamma: the median distance; of the distances above 0 if half are 0; a unit of the rows if all are. Of many
// rows a thousand count.
func TestGamma(t *testing.T) {
	median := func(x ...float64) float64 {
		gamma, err := Gamma(column(x...))
		must(t, err)
		return math.Sqrt(1 / (2 * gamma))
	}
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{0, 1, 3, 7}, 3.5},                 // 1 2 3 4 6 7
		{[]float64{0, 0, 0, 0, 0, 0, 0, 1, 4}, 3},    // 21 times 0, then 1 ×7, 3, 4 ×7
		{[]float64{0, 0, 0, 1, 1}, 1},                // six times 1, four times 0
		{[]float64{1, 1, 1, 3}, 1},                   // three times 0, three times 2
		{[]float64{0, 1e-200, 2e-200, 3e-200, 1}, 1}, // six times 0 to 2^-500, four times 1
		{[]float64{1, 1, 1}, 2}, {[]float64{1.9, 1.9}, 2}, {[]float64{0.3}, 0.5},
	} {
		if m := median(c.x...); math.Abs(m-c.want) > 1e-12 {
			t.Errorf("%v: median %g, want %g", c.x, m, c.want)
		}
	}
	x := tables.Normal(1200, 1, 3)
	all := median(x.Data[:1000]...)
	if m := median(x.Data...); m == all || math.Abs(m-all) > 0.1*all {
		t.Errorf("of 1200 rows %g, of 1000 %g", m, all)
	}
	if gamma, err := GammaOfDistances(softkmeans.NewMatrix(3, 3, nil)); gamma != 0.5 || err != nil {
		t.Error(gamma, err)
	}
}

// TestEdges: rows and new rows of any size in range, and every γ.
func TestEdges(t *testing.T) {
	x := softkmeans.NewMatrix(2, 2, []float64{0, 0x1p-499, -0x1p-500, 0x1p-498})
	far := softkmeans.NewMatrix(2, 2, []float64{0x1p500, 0, 0x1p500, -0x1p500})
	got, err := LinearBetween(far, x)
	must(t, err)
	if want := []float64{0, -1, -2, -5}; !slices.Equal(got.Data, want) {
		t.Errorf("linear: %v, want %v", got.Data, want)
	}
	for gamma, want := range map[float64]float64{0: 0, 5e-324: 1, 1: 0, math.MaxFloat64: 0} {
		got, err := RBFBetween(far, x, gamma)
		must(t, err)
		if slices.Min(got.Data) != want || slices.Max(got.Data) != want {
			t.Errorf("RBF, γ = %g: %g, want %g", gamma, got.Data, want)
		}
	}
	for _, size := range []float64{0, 0x1p-500, 1e-150, 1, 1e150, 0x1p500} {
		x := column(0, size, size/2)
		for _, gamma := range []float64{0, 5e-324, 1e-300, 1, 1e300, math.MaxFloat64} {
			k, err := RBF(x, gamma)
			must(t, err)
			v := math.Exp(-math.Sqrt(gamma) * size * math.Sqrt(gamma) * size)
			if gamma > 0 && math.Abs(k.At(0, 1)-v) > 1e-12 || k.At(1, 1) != 1 || !(k.At(0, 2) >= k.At(0, 1)) {
				t.Errorf("rows of size %g, γ = %g: %v, want %g", size, gamma, k.Data, v)
			}
			d := softkmeans.NewMatrix(2, 2, []float64{0, size, size, 0})
			if k, err = Distances(d, gamma); err != nil || gamma > 0 && math.Abs(k.At(0, 1)-v) > 1e-12 {
				t.Errorf("distances of %g, γ = %g: %v, %v", size, gamma, k, err)
			}
		}
	}
	for _, c := range [][3]float64{{3e150, 3.5e-151, 1e-300}, {3e-154, 1e150, 1e308}, {1e-150, 1, 0x1p1000}} {
		k, err := RBFBetween(column(c[0]), column(c[1], 0), c[2])
		must(t, err)
		if want := math.Exp(-c[2] * c[0] * c[0]); math.Abs(k.At(0, 1)-want) > 1e-12 {
			t.Errorf("%g from 0, γ = %g: %g, want %g", c[0], c[2], k.At(0, 1), want)
		}
	}
	none, err := RBFBetween(softkmeans.NewMatrix(0, 2, nil), x, 1)
	must(t, err)
	if none.Rows != 0 || none.Cols != 2 {
		t.Error(none)
	}
}

func TestErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	type table = *softkmeans.Matrix
	second := func(_ any, err error) error { return err }
	square := func(v ...float64) table { return softkmeans.NewMatrix(2, 2, v) }
	x, large := column(1, 2), column(1, 0x1p501)
	padded := &softkmeans.Matrix{Rows: 2, Cols: 1, Stride: 3, Data: []float64{1e-158, 1e-155, 7, 1e-155}}
	for i, c := range []struct {
		err, want error
		says      string
	}{
		{second(Linear(nil)), softkmeans.ErrShape, "x is nil"},
		{second(Linear(column(1, nan))), softkmeans.ErrNonFinite, "x[1,0]"},
		{second(Linear(large)), softkmeans.ErrRange, "x[1,0]"},
		{second(Linear(column(0, 1e-160))), softkmeans.ErrRange, "x[1,0]"},
		{second(Linear(padded)), softkmeans.ErrRange, "x[1,0]"},
		{second(Linear(column())), softkmeans.ErrTooFewSamples, "x has no rows"},
		{second(RBF(&softkmeans.Matrix{Rows: 1 << 23}, 1)), softkmeans.ErrShape, "too many"},
		{second(RBF(x, -1)), softkmeans.ErrOption, "gamma is -1"}, {second(RBF(x, nan)), softkmeans.ErrOption, "NaN"},
		{second(RBF(x, inf)), softkmeans.ErrOption, "Inf"}, {second(Gamma(large)), softkmeans.ErrRange, "x[1,0]"},
		{second(RBFBetween(nil, x, 1)), softkmeans.ErrShape, "y is nil"},
		{second(RBFBetween(large, x, 1)), softkmeans.ErrRange, "y[1,0]"},
		{second(RBFBetween(x, square(1, 2, 3, 4), 1)), softkmeans.ErrShape, "y has 1 columns, x has 2"},
		{second(LinearBetween(x, nil)), softkmeans.ErrShape, "x is nil"},
		{second(LinearBetween(column(nan), x)), softkmeans.ErrNonFinite, "y[0,0]"},
		{second(Distances(nil, 1)), softkmeans.ErrShape, "d is nil"},
		{second(Distances(x, 1)), softkmeans.ErrShape, "d is 2×1, not square"},
		{second(Distances(softkmeans.NewMatrix(0, 0, nil), 1)), softkmeans.ErrTooFewSamples, "d has no rows"},
		{second(Distances(square(1, 0, 0, 1), 0)), softkmeans.ErrShape, "d[0,0] = 1"},
		{second(Distances(square(0, -1, -1, 0), 0)), softkmeans.ErrShape, "d[0,1] = -1"},
		{second(Distances(square(0, 1, 2, 0), 1)), softkmeans.ErrShape, "not symmetric: [1,0] = 2 and [0,1] = 1"},
		{second(Distances(square(0, nan, 1, 0), 0)), softkmeans.ErrNonFinite, "d[0,1]"},
		{second(Distances(square(0, 1, 1, 0), nan)), softkmeans.ErrOption, "NaN"},
		{second(DistancesBetween(x, 0)), softkmeans.ErrOption, "gamma is 0"},
		{second(DistancesBetween(column(-1), 1)), softkmeans.ErrShape, "d[0,0] = -1"},
		{second(GammaOfDistances(x)), softkmeans.ErrShape, "not square"},
	} {
		if !errors.Is(c.err, c.want) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%d: %v, want %v with %q", i, c.err, c.want, c.says)
		}
	}
}

// Graph divides weights by the roots of their rows' sums, however large, and leaves rows of zeros.
func TestGraph(t *testing.T) {
	for _, size := range []float64{1, 1e149, 1e-149} {
		w := softkmeans.NewMatrix(4, 4, []float64{0, 3, 1, 0, 3, 0, 6, 0, 1, 6, 2, 0, 0, 0, 0, 0})
		k, err := Graph(times(w, size))
		must(t, err)
		sums := []float64{4, 9, 9, 1}
		for i := range 4 {
			for j := range 4 {
				if want := w.At(i, j) / math.Sqrt(sums[i]*sums[j]); math.Abs(k.At(i, j)-want) > 1e-15 {
					t.Errorf("size %g: [%d,%d] = %g, want %g", size, i, j, k.At(i, j), want)
				}
			}
		}
	}
	for want, w := range map[error]*softkmeans.Matrix{
		softkmeans.ErrShape:     softkmeans.NewMatrix(2, 2, []float64{0, -1, -1, 0}),
		softkmeans.ErrNonFinite: softkmeans.NewMatrix(1, 1, []float64{math.NaN()}),
	} {
		if _, err := Graph(w); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if _, err := Graph(column(1, 2)); !errors.Is(err, softkmeans.ErrShape) {
		t.Error(err)
	}
}
