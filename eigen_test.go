package softkmeans

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestEigenSym(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(31, 4))
	var worst float64
	for _, n := range fewer([]int{0, 1, 2, 3, 5, 12, 13, 20, 40, 100}, []int{0, 1, 2, 3, 5, 12, 13, 20, 40}) {
		for name, a := range laSymmetric(n, rng) {
			top, _ := checkEntries("a", a, math.MaxFloat64)
			_, exp := math.Frexp(top)
			unit := func(_, _ int, v float64) float64 { return math.Ldexp(v, -exp) }
			scaled := mapped(a, unit)
			check := func(method string, values []float64, vectors *Matrix) {
				t.Helper()
				r := product(scaled, vectors)
				for j, v := range values {
					if j > 0 && v > values[j-1] {
						t.Errorf("%s %s n=%d: values %v", method, name, n, values)
						return
					}
					for i := range n {
						r.Data[i*n+j] -= vectors.At(i, j) * math.Ldexp(v, -exp)
					}
				}
				e := product(vectors.transposed(), vectors)
				for i := range n {
					e.Row(i)[i]--
				}
				if n > 0 {
					ratio := max(laNorm1(r)/(max(laNorm1(scaled), 0x1p-100)*float64(n)*laEps), laNorm1(e)/(float64(n)*laEps))
					worst = max(worst, ratio)
					if ratio > 10 {
						t.Errorf("%s %s n=%d: ratio %.3g", method, name, n, ratio)
					}
				}
			}
			before := a.Clone()
			values, vectors, err := EigenSym(a)
			if err != nil {
				t.Fatal(err)
			}
			if maxDiff(a, before) != 0 {
				t.Error("the input changed")
			}
			check("EigenSym", values, vectors)
			checkSigns(t, vectors)
			for _, m := range laEigenMethods {
				raw, rows := m.f(scaled.Clone())
				order := descending(raw)
				sorted, byColumn := make([]float64, n), NewMatrix(n, n, nil)
				for at, i := range order {
					sorted[at] = math.Ldexp(raw[i], exp)
					for j, v := range rows.Row(i) {
						byColumn.Set(j, at, v)
					}
				}
				check(m.name, sorted, byColumn)
			}
			only, _ := eigenSym(bg, a.Clone(), false)
			for i := range only {
				if math.Abs(math.Ldexp(only[i]-values[i], -exp)) > 1e-14*float64(n) {
					t.Errorf("%s n=%d: value %d alone is %g, with vectors %g", name, n, i, only[i], values[i])
				}
			}
		}
	}
	t.Logf("worst ratio %.2f", worst)
}

func TestEigenSymErrors(t *testing.T) {
	for _, c := range []struct {
		a    *Matrix
		want error
	}{
		{nil, ErrShape}, {&Matrix{Rows: 3, Cols: 3, Stride: 2, Data: make([]float64, 9)}, ErrShape}, {NewMatrix(2, 3, nil), ErrShape}, {NewMatrix(2, 2, []float64{1, 2, 2.1, 1}), ErrShape},
		{NewMatrix(2, 2, []float64{1, math.NaN(), 0, 1}), ErrNonFinite},
		{NewMatrix(2, 2, []float64{1, mostEntry, -mostEntry, 1}), ErrShape},
		{NewMatrix(1, 1, []float64{1.001 * mostEntry}), ErrRange}, {NewMatrix(1, 1, []float64{0.999 * leastScale}), ErrRange},
	} {
		if values, vectors, err := EigenSym(c.a); !errors.Is(err, c.want) || values != nil || vectors != nil {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
	values, _, err := EigenSym(NewMatrix(2, 2, []float64{0, 1 + 1e-10, 1 - 1e-10, 0}))
	if err != nil || math.Abs(values[0]-1) > 1e-15 || math.Abs(values[1]+1) > 1e-15 {
		t.Error("a slight asymmetry is not averaged:", values, err)
	}
}

// BenchmarkEigenSym has both methods on both sides of jacobiMaxOrder.
func BenchmarkEigenSym(b *testing.B) {
	for _, n := range []int{2, 4, 8, 12, 16, 24, 32, 64} {
		x := randomData(3*n, n, 0, 1)
		g := product(x.transposed(), x)
		for name, f := range map[string]func(*Matrix){
			"jacobi": func(m *Matrix) { eigenJacobi(m) },
			"ql":     func(m *Matrix) { eigenQL(bg, m, true) },
		} {
			b.Run(fmt.Sprintf("n=%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					f(g.Clone())
				}
			})
		}
	}
}

// laEigenMethods are both methods behind eigenSym, without its scaling; the
// vectors are rows.
var laEigenMethods = []struct {
	name string
	f    func(a *Matrix) (values []float64, rows *Matrix)
}{
	{"Jacobi", eigenJacobi},
	{"QL", func(a *Matrix) ([]float64, *Matrix) { return eigenQL(bg, a, true) }},
}

// TestQLFallsApart: tridiagonal matrices whose entries are far apart, but none is below
// offZero. Sine and pivot of a QL step are 0 together, so the step ends in the middle and
// the parts are solved one by one.
func TestQLFallsApart(t *testing.T) {
	for _, c := range []struct{ diag, off []float64 }{
		{[]float64{0, 0x1p-199, 0, 0x1p-199, 0, 0, 0, 0x1p-87}, []float64{0x1p-199, 1, 0x1p-199, 0x1p-63, 0x1p-198, 0x1p-199, 1}},
		{[]float64{0, 0x1p-147, 0, 0, 0x1p-176, 0, 0, 0x1p-141, 0}, []float64{0x1p-199, 0x1p-75, 0x1p-199, 1, 0x1p-199, 0x1p-199, 1, 0x1p-199}},
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

// TestEigenSpread: blocks and gradings far below the largest entry, where
// sines and reflectors underflow. Without offZero the QL steps of such matrices
// do not move, and eigenvalues are wrong in the second digit.
func TestEigenSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 28))
	worst := 0.0
	for _, low := range []int{-50, -100, -190, -210, -300, -500, -600, -1070} {
		for _, n := range []int{2, 6, 20, 40} {
			for kind := range 6 {
				a := NewMatrix(n, n, nil)
				for i := range n {
					for j := range i + 1 {
						x, e := rng.NormFloat64()/8, 0
						switch kind {
						case 0: // a small block, weakly coupled
							if i >= n/2 {
								e = low
							}
						case 1: // graded from the top down
							e = low * (i + j) / (2 * n)
						case 2: // from the bottom up
							e = low * (2*n - 2 - i - j) / (2 * n)
						case 3: // 1, and a zero diagonal between tiny numbers
							switch i - j {
							case 0:
								x = float64(max(0, 1-i)) / 2
							case 1:
								x, e = 0.5, low
							default:
								x = 0
							}
						case 4: // a small block in the middle
							if i > n/3 && i < n-n/3 {
								e = low
							}
						case 5: // small off the diagonal
							if i != j {
								e = low
							}
						}
						a.Set(i, j, math.Ldexp(x, e))
						a.Set(j, i, a.At(i, j))
					}
				}
				for _, m := range laEigenMethods {
					if m.name == "Jacobi" && n > 20 { // more rotations than it is used for
						continue
					}
					values, rows := m.f(a.Clone())
					ratio := laEigenRatios(a, values, rows)
					worst = max(worst, ratio)
					if !(ratio < 10) {
						t.Errorf("%s kind %d n=%d 2^%d: ratio %.3g", m.name, kind, n, low, ratio)
					}
				}
			}
		}
	}
	for range fewer(2000, 500) {
		a := laPatchwork(2+rng.IntN(7), rng)
		top, _ := checkEntries("a", a, math.MaxFloat64)
		_, exp := math.Frexp(top) // eigenSym hands the methods entries below 1
		a = mapped(a, func(_, _ int, v float64) float64 { return math.Ldexp(v, -exp) })
		for _, m := range laEigenMethods {
			values, rows := m.f(a.Clone())
			if ratio := laEigenRatios(a, values, rows); !(ratio < 12) { // n = 2: 12·2·eps is 24 roundings
				t.Fatalf("%s: ratio %.3g of %v", m.name, ratio, a.Data)
			}
		}
	}
	t.Logf("worst ratio %.2f", worst)
}

// TestEigenKnown: matrices with closed formulas for their eigenvalues.
func TestEigenKnown(t *testing.T) {
	tri := func(n int, diag func(i int) float64, off float64) *Matrix {
		a := NewMatrix(n, n, nil)
		for i := range n {
			a.Set(i, i, diag(i))
			if i > 0 {
				a.Set(i, i-1, off)
				a.Set(i-1, i, off)
			}
		}
		return a
	}
	check := func(name string, a *Matrix, want []float64) {
		t.Helper()
		for _, m := range laEigenMethods {
			values, rows := m.f(a.Clone())
			if ratio := laEigenRatios(a, values, rows); !(ratio < 10) {
				t.Errorf("%s %s: ratio %.3g", name, m.name, ratio)
			}
			for i, at := range descending(values)[:len(want)] {
				// As EigenSym promises: a small multiple of n·eps·max|value|.
				if d := math.Abs(values[at] - want[i]); d > 2*float64(a.Rows)*laEps*math.Abs(want[0]) {
					t.Errorf("%s %s: value %d is %.17g, want %.17g", name, m.name, i, values[at], want[i])
				}
			}
		}
	}
	// Wilkinson (1965), p. 308: W21+ has close pairs.
	check("W21+", tri(21, func(i int) float64 { return math.Abs(float64(i - 10)) }, 1),
		[]float64{10.746194182903393, 10.746194182903322, 9.210678647361332, 9.210678647304919})
	// The second difference: 2 − 2cos(iπ/(n+1)).
	for _, n := range []int{1, 2, 9, 50, 100} {
		want := make([]float64, n)
		for i := range want {
			want[i] = 2 - 2*math.Cos(float64(n-i)*math.Pi/float64(n+1))
		}
		check("second difference", tri(n, func(int) float64 { return 2 }, -1), want)
	}
	check("ones", mapped(NewMatrix(12, 12, nil), func(_, _ int, _ float64) float64 { return 1 }), append([]float64{12}, make([]float64, 11)...))
}

// TestEigenJacobiRelative: D·H·D with H well conditioned and D over 28 decades:
// the Jacobi method keeps each eigenvalue to cond(H)·n·eps relative (Demmel &
// Veselić 1992); QL keeps the large ones alone. Against 600 bits.
func TestEigenJacobiRelative(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 92))
	worst := 0.0
	for trial := range fewer(6, 2) {
		n := 8
		a := NewMatrix(n, n, nil)
		at := func(i int) float64 {
			if trial%2 == 1 {
				i = n - 1 - i
			}
			return math.Ldexp(1, -13*i)
		}
		for i := range n {
			for j := range i + 1 {
				x := 1.0
				if i != j {
					x = 0.2 * (rng.Float64() - 0.5) // |off| < 0.1·7: cond(H) < 1.7/0.3
				}
				a.Set(i, j, x*at(i)*at(j))
				a.Set(j, i, a.At(i, j))
			}
		}
		want := bigSingular(t, a) // definite: singular values are eigenvalues
		values, _, err := EigenSym(a)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			rel := math.Abs(v/want[i] - 1)
			worst = max(worst, rel)
			if !(rel < 6*float64(n)*2*laEps) {
				t.Errorf("trial %d: value %d is %.17g, want %.17g", trial, i, v, want[i])
			}
		}
	}
	t.Logf("worst relative error %.2g", worst)
}

// TestEigenScale: powers of two change exponents alone, and the ends of the
// range come out as they went in.
func TestEigenScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, n := range []int{1, 3, jacobiMaxOrder, jacobiMaxOrder + 1, 30} {
		a := NewMatrix(n, n, nil)
		for i := range n {
			for j := range i + 1 {
				a.Set(i, j, rng.NormFloat64())
				a.Set(j, i, a.At(i, j))
			}
		}
		values, vectors, err := EigenSym(a)
		if err != nil {
			t.Fatal(err)
		}
		view := laStrided(a)
		before := append([]float64(nil), view.Data...)
		v2, w2, err := EigenSym(view)
		if err != nil || !laSameBits(values, v2) || !laSameBits(vectors.Data, w2.Data) {
			t.Errorf("n=%d: the view differs from its copy (%v)", n, err)
		}
		if !laSameBits(view.Data, before) {
			t.Errorf("n=%d: the input changed", n)
		}
		for _, e := range []int{-490, 490} {
			v, w, err := EigenSym(mapped(a, func(_, _ int, x float64) float64 { return math.Ldexp(x, e) }))
			if err != nil {
				t.Fatal(err)
			}
			for i := range v {
				v[i] = math.Ldexp(v[i], -e)
			}
			if !laSameBits(v, values) || !laSameBits(w.Data, vectors.Data) {
				t.Errorf("n=%d: scaling by 2^%d changes bits", n, e)
			}
		}
	}
	for _, n := range []int{1, 4, 20} {
		for _, v := range []float64{leastScale, 3 * leastScale, mostEntry} {
			values, vectors, err := EigenSym(mapped(identity(n), func(_, _ int, x float64) float64 { return x * v }))
			if err != nil || !laSameBits(vectors.Data, identity(n).Data) {
				t.Errorf("%g·I: %v %v", v, vectors, err)
			}
			for _, got := range values {
				if got != v {
					t.Errorf("%g·I has value %g", v, got)
				}
			}
		}
	}
}

// TestEigenInput: the first bad entry is named, symmetry is asked for to 1e-8 of
// the largest entry, and what is less is averaged.
func TestEigenInput(t *testing.T) {
	base := product(randomData(5, 4, 0, 2).transposed(), randomData(5, 4, 0, 2))
	for i := range 4 {
		for j := range 4 {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				a := base.Clone()
				a.Set(3, 3, math.NaN())
				a.Set(i, j, bad)
				var in *InputError
				if _, _, err := EigenSym(a); !errors.As(err, &in) || !errors.Is(err, ErrNonFinite) || in.Row != i || in.Col != j {
					t.Errorf("%g at (%d,%d): %v", bad, i, j, err)
				}
			}
			if i <= j {
				continue
			}
			top, _ := checkEntries("a", base, math.MaxFloat64)
			a := base.Clone()
			a.Set(i, j, a.At(i, j)+1.01e-8*top)
			_, _, err := EigenSym(a)
			if !errors.Is(err, ErrShape) || !strings.Contains(err.Error(), "worst at ["+strconv.Itoa(i)+","+strconv.Itoa(j)+"]") {
				t.Errorf("asymmetric at (%d,%d): %v", i, j, err)
			}
			a.Set(i, j, base.At(i, j)+0.99e-8*top)
			values, _, err := EigenSym(a)
			if err != nil {
				t.Fatal(err)
			}
			middle := base.At(i, j) + (a.At(i, j)-base.At(i, j))/2
			a.Set(i, j, middle)
			a.Set(j, i, middle)
			// The two averages may differ by a rounding.
			want, _, _ := EigenSym(a)
			for l := range want {
				if math.Abs(values[l]-want[l]) > 8*4*laEps*want[0] {
					t.Errorf("averaged at (%d,%d): %v, want %v", i, j, values, want)
				}
			}
		}
	}
}

// TestUnitScale: the largest entry comes to [½, 1), by a power of two that no less than
// 2^-1000 asks for.
func TestUnitScale(t *testing.T) {
	for _, c := range []struct {
		v, want float64
		exp     int
	}{{1, 0.5, 1}, {-3, -0.75, 2}, {0.5, 0.5, 0}, {0x1p500, 0.5, 501}, {0x1.8p-500, 0.75, -499}, {0, 0, -999}, {0x1p-1010, 0x1p-11, -999}} {
		m := NewMatrix(2, 2, []float64{0, c.v, c.v / 2, 0})
		if exp := unitScale(m); exp != c.exp || m.Data[1] != c.want || m.Data[2] != c.want/2 {
			t.Errorf("%g: 2^%d leaves %v", c.v, exp, m.Data)
		}
	}
}
