package softkmeans

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// unitOf returns a with its largest entry in [½, 1), as eigenSym hands it to its methods, and
// the exponent that went.
func unitOf(a *Matrix) (*Matrix, int) {
	u := a.Clone()
	return u, unitScale(u)
}

// TestEigenSym: values and vectors of EigenSym and of both methods behind it, and values alone.
func TestEigenSym(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	for _, n := range []int{0, 1, 2, 3, 5, 12, 20, 40} {
		for name, a := range laSymmetric(n, rng) {
			unit, exp := unitOf(a)
			check := func(method string, values []float64, rows *Matrix) {
				t.Helper()
				if ratio := laEigenRatios(unit, values, rows); n > 0 && maxAbs(a) > 0 && !(ratio < 10) {
					t.Errorf("%s %s n=%d: ratio %.3g", method, name, n, ratio)
				}
			}
			before := a.Clone()
			values, vectors, err := EigenSym(a)
			if err != nil || maxDiff(a, before) != 0 {
				t.Fatal("the input changed, or", err)
			}
			only, _ := leadingEigen(bg, a.Clone(), 0, 1)
			for i := range values {
				values[i] = math.Ldexp(values[i], -exp)
				if i > 0 && values[i] > values[i-1] || math.Abs(math.Ldexp(only[i],
					-exp)-values[i]) > 1e-14*float64(n) {
					t.Errorf("%s n=%d: values %v, without vectors %v", name, n, values, only)
				}
			}
			check("EigenSym", values, vectors.transposed())
			checkSigns(t, vectors)
			for _, m := range laEigenMethods {
				raw, rows := m.f(unit.Clone())
				check(m.name, raw, rows)
			}
		}
	}
}

// TestEigenInput: the first bad entry is named, symmetry is asked for to 1e-8 of the largest
// entry, and what is less is averaged.
func TestEigenInput(t *testing.T) {
	nan, two := math.NaN(), func(v ...float64) *Matrix { return NewMatrix(2, 2, v) }
	for _, c := range []struct {
		a    *Matrix
		is   error
		want string
	}{
		{nil, ErrShape, ""}, {&Matrix{Rows: 3, Cols: 3, Stride: 2, Data: make([]float64, 9)}, ErrShape, ""},
		{NewMatrix(2, 3, nil), ErrShape, ""}, {two(1, 2, 2.1, 1), ErrShape, "worst at [1,0]"},
		{NewMatrix(3, 3, []float64{1, 0, 1.01e-8, 0, 1, 1e-8, 0, 0, 1}), ErrShape, "worst at [2,0]"},
		{two(1, nan, nan, 1), ErrNonFinite, "[0,1]"}, {two(1, 0, math.Inf(-1), nan), ErrNonFinite, "[1,0]"},
		{two(1, mostEntry, -mostEntry, 1), ErrShape, ""},
		{NewMatrix(1, 1, []float64{1.001 * mostEntry}), ErrRange, ""},
		{NewMatrix(1, 1, []float64{0.999 * leastScale}), ErrRange, ""},
	} {
		values, vectors, err := EigenSym(c.a)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) || values != nil ||
			vectors != nil {
			t.Errorf("%v, want %v %s", err, c.is, c.want)
		}
	}
	for _, off := range []float64{1e-10, 0.49e-8} {
		values, _, err := EigenSym(two(0, 1+off, 1-off, 0))
		if err != nil || math.Abs(values[0]-1) > 1e-15 || math.Abs(values[1]+1) > 1e-15 {
			t.Error("a slight asymmetry is not averaged:", values, err)
		}
	}
}

// laEigenMethods are both methods behind eigenSym, without its scaling; the vectors are rows.
var laEigenMethods = []struct {
	name string
	f    func(a *Matrix) (values []float64, rows *Matrix)
}{
	{"Jacobi", eigenJacobi},
	{"QL", func(a *Matrix) ([]float64, *Matrix) {
		t := tridiagonal(bg, a, 1)
		rows := t.accumulate(bg, 1)
		return t.implicitQL(bg, rows), rows
	}},
}

// TestQLFallsApart: tridiagonal matrices whose entries are far apart, but none is below offZero. Sine and
// pivot of a QL step are 0 together, so the step ends in the middle and the parts are solved one by one.
func TestQLFallsApart(t *testing.T) {
	for _, c := range []struct{ diag, off []float64 }{
		{[]float64{0, 0x1p-199, 0, 0x1p-199, 0, 0, 0, 0x1p-87}, []float64{0x1p-199, 1, 0x1p-199, 0x1p-63,
			0x1p-198, 0x1p-199, 1}},
		{[]float64{0, 0x1p-147, 0, 0, 0x1p-176, 0, 0, 0x1p-141, 0}, []float64{0x1p-199, 0x1p-75, 0x1p-199, 1,
			0x1p-199, 0x1p-199, 1, 0x1p-199}},
	} {
		n := len(c.diag)
		a := NewMatrix(n, n, nil)
		for i, v := range c.diag {
			a.Set(i, i, v)
			if i < n-1 {
				a.Set(i, i+1, c.off[i])
				a.Set(i+1, i, c.off[i])
			}
		}
		q, rows := &reduction{diag: slices.Clone(c.diag), off: append(slices.Clone(c.off), 0)}, identity(n)
		if r := laEigenRatios(a, q.implicitQL(bg, rows), rows); !(r < 10) {
			t.Errorf("%g: %g units of rounding off", c, r)
		}
	}
}

// TestEigenSpread: blocks and gradings far below the largest entry, where sines and reflectors underflow.
// Without offZero the QL steps of such matrices do not move, and eigenvalues are wrong in the second digit.
func TestEigenSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 28))
	for _, low := range []int{-50, -190, -210, -500, -1070} {
		for _, n := range []int{2, 6, 20} {
			for kind := range 6 {
				a := NewMatrix(n, n, nil)
				for i := range n {
					for j := i; j < n; j++ {
						x, e := rng.NormFloat64()/8, 0
						switch {
						case kind == 1: // graded from the top down
							e = low * (i + j) / (2 * n)
						case kind == 2: // from the bottom up
							e = low * (2*n - 2 - i - j) / (2 * n)
						case kind == 3 && j <= i+1: // 1, and a zero diagonal between tiny numbers
							x, e = []float64{float64(max(0, 1-i)) / 2, 0.5}[j-i], low*(j-i)
						case kind == 3:
							x = 0
						case kind == 0 && j >= n/2, kind == 4 && j > n/3 && j < n-n/3, kind == 5 && i != j:
							e = low // a small block at the end, in the middle; small off the diagonal
						}
						a.Set(i, j, math.Ldexp(x, e))
					}
				}
				mirror(a.Data, n)
				for _, m := range laEigenMethods {
					values, rows := m.f(a.Clone())
					if ratio := laEigenRatios(a, values, rows); !(ratio < 10) {
						t.Errorf("%s kind %d n=%d 2^%d: ratio %.3g", m.name, kind, n, low, ratio)
					}
				}
			}
		}
	}
	for range fewer(2000, 500) {
		a, _ := unitOf(laPatchwork(2+rng.IntN(7), rng))
		for _, m := range laEigenMethods {
			values, rows := m.f(a.Clone())
			if ratio := laEigenRatios(a, values, rows); !(ratio < 12) { // n = 2: 12·2·eps is 24 roundings
				t.Fatalf("%s: ratio %.3g of %v", m.name, ratio, a.Data)
			}
		}
	}
}

// TestEigenJacobiRelative: D·H·D with H well conditioned and D over 28 decades: the Jacobi
// method keeps each eigenvalue to cond(H)·n·eps relative (Demmel & Veselić 1992). QL does not.
func TestEigenJacobiRelative(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 92))
	const n = 8
	for _, up := range []bool{false, true} {
		a := mapped(NewMatrix(n, n, nil), func(i, j int, _ float64) float64 {
			x := 0.2 * (rng.Float64() - 0.5) // |off| < 0.1·7: cond(H) < 1.7/0.3
			if i == j {
				x = 1
			}
			if up {
				i, j = n-1-i, n-1-j
			}
			return math.Ldexp(x, -13*(i+j))
		})
		mirror(a.Data, n)
		want := bigSingular(t, a) // definite: singular values are eigenvalues
		values, _, err := EigenSym(a)
		must(t, err)
		for i, v := range values {
			if rel := math.Abs(v/want[i] - 1); !(rel < 6*n*2*laEps) {
				t.Errorf("value %d is %.17g, want %.17g", i, v, want[i])
			}
		}
	}
}

// TestEigenScale: powers of two change exponents alone, a view is as its copy, and the ends of
// the range come out as they went in.
func TestEigenScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, n := range []int{1, jacobiMaxOrder, jacobiMaxOrder + 1, 30} {
		a := NewMatrix(n, n, randomSlice(n*n, rng))
		mirror(a.Data, n)
		values, vectors, err := EigenSym(a)
		must(t, err)
		for e, b := range map[int]*Matrix{0: laStrided(a), -490: nil, 490: nil} {
			if b == nil {
				b = mapped(a, func(_, _ int, x float64) float64 { return math.Ldexp(x, e) })
			}
			before := slices.Clone(b.Data)
			v, w, err := EigenSym(b)
			scale(v, math.Ldexp(1, -e))
			if err != nil || !laSameBits(v, values) || !laSameBits(w.Data, vectors.Data) ||
				!laSameBits(b.Data, before) {
				t.Errorf("n=%d: scaled by 2^%d, or as a view: other bits, or the input changed (%v)", n, e,
					err)
			}
		}
		for _, v := range []float64{leastScale, mostEntry} {
			one := identity(n)
			scale(one.Data, v)
			values, vectors, err := EigenSym(one)
			if err != nil || !laSameBits(vectors.Data, identity(n).Data) || slices.Min(values) != v ||
				slices.Max(values) != v {
				t.Errorf("%g·I: %v %v %v", v, values, vectors, err)
			}
		}
	}
}
