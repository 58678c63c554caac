package softkmeans

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// laJudge checks everything that SVD promises of any finite matrix. LAPACK passes below
// ratios of 35; this package asks for 10.
func laJudge(t *testing.T, name string, a *Matrix) *svdResult {
	t.Helper()
	before := a.Clone()
	r, err := thinSVD(bg, a)
	if err != nil {
		t.Fatal(name, err)
	}
	p := min(a.Rows, a.Cols)
	if maxDiff(a, before) > 0 || r.U.Rows != a.Rows || r.U.Cols != p || r.V.Rows != a.Cols || r.V.Cols != p ||
		len(r.S) != p {
		t.Fatalf("%s: factors %+v, the input is %v, was %v", name, r, a, before)
	}
	top, _ := checkEntries("a", a, math.MaxFloat64)
	_, exp := math.Frexp(top)
	for i, ratio := range laRatios(a, r.U, r.S, r.V, exp) {
		if !(ratio < 10) {
			t.Errorf("%s: ratio %d is %.3g", name, i, ratio)
		}
	}
	for i, s := range r.S {
		if !(s >= 0) || i > 0 && s > r.S[i-1] {
			t.Errorf("%s: singular values %v", name, r.S)
			break
		}
	}
	checkSigns(t, r.V)
	if p > 0 && r.Status != StatusConverged || r.Iterations > 15 {
		t.Errorf("%s: %v after %d sweeps", name, r.Status, r.Iterations)
	}
	return r
}

// TestSVDLapack is LAPACK's driver test DDRVBD: five matrix types over all sizes.
func TestSVDLapack(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 26))
	sizes := [][2]int{{80, 25}, {25, 80}}
	for _, m := range []int{0, 1, 2, 3, 10, 20} {
		for _, n := range []int{0, 1, 2, 3, 10, 20} {
			sizes = append(sizes, [2]int{m, n})
		}
	}
	for _, size := range sizes {
		m, n := size[0], size[1]
		values := make([]float64, min(m, n)) // evenly spaced from 1 down to eps
		for l := range values {
			values[l] = 1 - float64(l)/float64(max(len(values)-1, 1))*(1-laEps)
		}
		even := laSpectrum(m, n, values, rng)
		laJudge(t, "even", even)
		for _, exp := range []int{-500 + 53, 500 - 53} {
			laJudge(t, "scaled", mapped(even, func(_, _ int, x float64) float64 {
				return math.Ldexp(x, exp)
			}))
		}
		one := mapped(NewMatrix(m, n, nil), func(i, j int, _ float64) float64 {
			return float64(oneIf(i == j))
		})
		for value, a := range []*Matrix{NewMatrix(m, n, nil), one} {
			for _, s := range laJudge(t, "zero or one", a).S {
				if s != float64(value) {
					t.Errorf("%d×%d: singular value %g, want %d", m, n, s, value)
				}
			}
		}
	}
}

// TestSVDSpread: columns, rows or both of which some count as 0, next to a column of ordinary size.
func TestSVDSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for _, low := range []int{-300, -500, -510, -530, -1070} {
		for _, n := range []int{2, 6, 12} {
			for kind := range 6 {
				a := mapped(NewMatrix(n+n/3, n, nil), func(i, j int, _ float64) float64 {
					e := 0
					switch {
					case kind == 0 && j >= n/2, kind == 1 && i >= n/2, kind == 2 && (i >= n/2 || j >= n/2):
						e = low
					case kind == 3:
						e = low * j / (n - 1)
					case kind == 4:
						e = low * (n - 1 - j) / (n - 1)
					case kind == 5:
						e = low * (i + j) / (3 * n)
					}
					return math.Ldexp(rng.NormFloat64(), e)
				})
				name := "2^" + shape(low, n) + " kind " + string(rune('0'+kind))
				laJudge(t, name, a)
				laJudge(t, name+" transposed", a.transposed())
			}
		}
	}
	// From 1e150 to 1e-300.
	laJudge(t, "450 decades", mapped(NewMatrix(6, 6, nil), func(_, j int, _ float64) float64 {
		return rng.NormFloat64() * math.Pow(10, 150-90*float64(j))
	}))
	// Each value of a diagonal keeps its digits; the last is below 2^-500 of the largest.
	values := []float64{1e-70, 1e75, 1, 1e-120, 1e-20}
	r := laJudge(t, "diagonal", mapped(identity(5), func(i, _ int, v float64) float64 {
		return v * values[i]
	}))
	for i, at := range descending(values) {
		if want := values[at]; math.Abs(r.S[i]-want) > 1e-14*want && !(i == 4 && r.S[i] == 0) {
			t.Errorf("diagonal: %g, want %g", r.S[i], want)
		}
	}
}

// TestSVDLimitCycle: small matrices of a few round numbers. Some have angles that each rotation makes anew
// just above jacobiTol; the first two did so for 60 sweeps.
func TestSVDLimitCycle(t *testing.T) {
	laJudge(t, "2×2", NewMatrix(2, 2, []float64{3.725290298461914e-09, 0.744181504703513, 0.744181504703513,
		-0.0032750951698834463}))
	laJudge(t, "3×3", NewMatrix(3, 3, []float64{0.22764952223746532, 1, -1, 1, 2.812447567316372e-73,
		2.706145555185259, -1, 2.706145555185259, 4.354832848484599e-81}))
	rng := rand.New(rand.NewPCG(5, 5))
	for range fewer(4000, 500) {
		n := 2 + rng.IntN(4)
		a := laPatchwork(n, rng)
		r := laJudge(t, "patchwork", a)
		// n³ products at most, each with a few roundings.
		if want, got := sumSquares(a.Data), sumSquares(r.S); math.Abs(got-want) > float64(8*n*n)*laEps*want {
			t.Errorf("Σσ² = %.17g, ‖A‖² = %.17g", got, want)
		}
		if t.Failed() {
			t.Fatal(a.Data)
		}
	}
}

// TestFixSigns: the first of equal magnitudes decides; zero columns stay.
func TestFixSigns(t *testing.T) {
	v := NewMatrix(3, 4, []float64{-1, 2, 0, -1, 1, -3, 0, 0, -1, 1, 0, 0})
	u := NewMatrix(1, 4, []float64{1, 2, 3, 4})
	fixSigns(v, u)
	if !laSameBits(v.Data, []float64{1, -2, 0, 1, -1, 3, 0, math.Copysign(0, -1), 1, -1, 0, math.Copysign(0,
		-1)}) || !laSameBits(u.Data, []float64{-1, -2, 3, -4}) {
		t.Error(v.Data, u.Data)
	}
}

// FuzzSVD: any finite matrix has all that the decompositions promise.
func FuzzSVD(f *testing.F) {
	f.Add([]byte{7, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add([]byte("1: sixteen oddities and five columns"))
	f.Add([]byte{9, 9, 0x1c, 250, 200, 100, 50, 25, 12, 6, 3, 1})
	f.Add([]byte{5, 8, 7, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		// The matrix may be out of range; it is judged where its largest entry is in [½, 1).
		given := in.matrix(1+in.below(10), 1+in.below(10))
		top, _ := checkEntries("a", given, math.MaxFloat64)
		inRange := top == 0 || top >= leastScale && top <= mostEntry
		if _, err := thinSVD(bg, given); inRange != (err == nil) || err != nil && !errors.Is(err, ErrRange) {
			t.Fatalf("largest entry %g: %v", top, err)
		}
		_, exp := math.Frexp(top)
		a := mapped(given, func(_, _ int, v float64) float64 { return math.Ldexp(v, -exp) })
		r := laJudge(t, "SVD", a)
		if t.Failed() {
			t.Fatalf("of %+v", a)
		}
		finite(t, "singular values", r.S...)
		sym := in.symmetric(1 + in.below(10))
		top, _ = checkEntries("sym", sym, math.MaxFloat64)
		_, exp = math.Frexp(top)
		sym = mapped(sym, func(_, _ int, v float64) float64 { return math.Ldexp(v, -exp) })
		values, vectors, err := EigenSym(sym)
		must(t, err)
		for i, ratio := range laRatios(sym, vectors, values, vectors, 0) {
			if !(ratio < 10) {
				t.Fatalf("ratio %d of the eigenvalues is %.3g for %+v", i, ratio, sym)
			}
		}
		checkSigns(t, vectors)
		for i, v := range values[1:] {
			if v > values[i] {
				t.Fatalf("values %v", values)
			}
		}
		in.finish(t)
	})
}

// TestKrylov: vectors are orthonormal, residuals are those that were asked for and are said to be, and values
// are within them of the true ones, from below, on spectra of all kinds. Few steps leave honest residuals.
func TestKrylov(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(14, 1))
	for name, f := range map[string]func(i int) float64{
		"flat":    func(int) float64 { return 1 },
		"slow":    func(i int) float64 { return 1 / (1 + float64(i)) },
		"fast":    func(i int) float64 { return math.Pow(0.1, float64(i)) },
		"plateau": func(i int) float64 { return math.Pow(0.01, float64(min(i, 5))) * (1 - 0.1*float64(i)/n) },
		"rank 3":  func(i int) float64 { return float64(max(0, 3-i)) },
		"pairs":   func(i int) float64 { return 1 / (1 + float64(i/2)) },
		"zero":    func(int) float64 { return 0 },
	} {
		b := spectral(rng, n, f)
		apply := func(v *Matrix) (*Matrix, error) { return product(v, b), nil }
		for at := range 10 {
			p, o := []int{1, 3, 6, 10, n}[at/2], krylovOptions{steps: 2, residual: 1e-8, seed: uint64(at)}
			if at%2 == 0 {
				o.steps = defaultKrylovSteps
			}
			r := mustDo(krylov(bg, n, apply, p, o))(t)
			what, rounding, squares := fmt.Sprintf("%s, p = %d, %d steps", name, p, o.steps), 1e-14*f(0), 0.0
			if ratio := orthonormality(r.rows.transposed()); !(ratio < 10) || len(r.values) != p ||
				at%2 == 0 && r.status != StatusConverged || r.steps > o.steps {
				t.Errorf("%s: %v after %d, orthonormal to %g", what, r.status, r.steps, ratio)
			}
			for i, v := range r.values {
				left := product(rowsOf(r.rows, i, i+1), b)
				axpy(left.Data, -v, r.rows.row(i))
				off := norm2(left.Data)
				squares += off * off
				if v > f(i)+rounding || r.status == StatusConverged &&
					(off > 1e-8*math.Sqrt(f(0)*max(v, 0))+rounding || v < f(i)-off-rounding) {
					t.Errorf("%s: value %d is %g, not %g; residual %g", what, i, v, f(i), off)
				}
			}
			if math.Abs(math.Sqrt(squares)-math.Sqrt(r.squares)) > 10*rounding {
				t.Errorf("%s: residuals of %g in all, not %g", what, math.Sqrt(squares), math.Sqrt(r.squares))
			}
		}
	}
	// Values that are 0 have residuals of rounding, which no step makes smaller.
	b := spectral(rng, 200, func(i int) float64 { return float64(max(0, 3-i)) })
	apply := func(v *Matrix) (*Matrix, error) { return product(v, b), nil }
	if r := mustDo(krylov(bg, 200, apply, 5, krylovOptions{steps: 20, residual: 1e-15}))(t); r.status != StatusConverged {
		t.Errorf("rank 3 of order 200: %v after %d steps, %v", r.status, r.steps, r.values)
	}
}

// TestKrylovNegative: of a negative definite matrix, too, the algebraically largest
// eigenvalues are found, and residuals are held to the largest magnitude.
func TestKrylovNegative(t *testing.T) {
	const n = 200
	apply := func(v *Matrix) (*Matrix, error) {
		return mapped(v, func(_, j int, x float64) float64 {
			if j < 2 {
				return -float64(j+1) * x
			}
			return -float64(n+j) * x
		}), nil
	}
	kry, err := krylov(bg, n, apply, 2, krylovOptions{steps: defaultKrylovSteps, residual: 1e-12,
		indefinite: true})
	if err != nil || kry.status != StatusConverged {
		t.Fatal(kry, err)
	}
	// Eigenvalues are no further off than residuals, 1e-12 of the largest magnitude or n roundings of it.
	off := (1e-12 + n*0x1p-52) * 2 * n
	if math.Abs(kry.values[0]+1) > off || math.Abs(kry.values[1]+2) > off || kry.top < 1.5*n ||
		kry.top > 2*n {
		t.Errorf("%v, of up to %g, after %d steps", kry.values, kry.top, kry.steps)
	}
}

// TestSVDZeroRow: a row of zeros does not take digits from small rows.
func TestSVDZeroRow(t *testing.T) {
	rows := [][]float64{{.2, .4, .1}, {.7, .8, -.6}, {2e-41, 9e-41, 9e-41}}
	_, want, _, err := SVD(mustDo(FromRows(rows))(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		_, got, _, err := SVD(mustDo(FromRows(slices.Insert(slices.Clone(rows), i, make([]float64, 3))))(t))
		if err != nil || math.Abs(got[2]-want[2]) > 1e-12*want[2] {
			t.Errorf("zeros in row %d: %g, not %g: %v", i, got[2], want[2], err)
		}
	}
}
