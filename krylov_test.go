package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTruncatedSVD against the full one, on falling, flat and deficient spectra.
func TestTruncatedSVD(t *testing.T) {
	t.Parallel()
	long, short, square := fewer(400, 130), fewer(60, 24), fewer(100, 50)
	flat := randomData(fewer(200, 90), fewer(150, 70), 0, 3)
	flat = mapped(flat, func(_, j int, v float64) float64 { return v * (1 + float64(j)/4) })
	deficient := product(randomData(fewer(120, 60), 5, 0, 1), randomData(5, fewer(90, 45), 0, 2))
	for _, c := range []struct {
		name string
		a    *Matrix
		ks   []int
	}{
		{"tall", randomData(long, short, 1, 1), []int{1, 5, short}}, {"wide", randomData(short, long, 1, 2), []int{1, 5, short}},
		{"square", randomData(square, square, 0, 3), []int{7}}, {"flat", flat, []int{1, 10}}, {"rank 5", deficient, []int{3, 5, 8}},
		{"small", randomData(3, 2, 0, 4), []int{1, 2}}, {"zero", NewMatrix(20, 30, nil), []int{2}},
		{"tiny", mapped(randomData(90, 40, 0, 5), func(_, _ int, v float64) float64 { return v * 1e-150 }), []int{4}},
		{"huge", mapped(randomData(90, 40, 0, 5), func(_, _ int, v float64) float64 { return v * 5e149 }), []int{4}},
	} {
		full, err := thinSVD(c.a)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range c.ks {
			r, err := TruncatedSVD(bg, c.a, k, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != StatusConverged {
				t.Errorf("%s k=%d: %v after %d steps", c.name, k, r.Status, r.Iterations)
			}
			top := full.S[0]
			for i, s := range r.S {
				if math.Abs(s-full.S[i]) > 1e-12*top {
					t.Errorf("%s k=%d: σ%d = %g, want %g", c.name, k, i, s, full.S[i])
				}
				if r.Residuals[i] > 2e-10*top {
					t.Errorf("%s k=%d: residual %g of %g", c.name, k, r.Residuals[i], top)
				}
				// ‖Av − σu‖, which is claimed to be rounding.
				off := 0.0
				for row := range c.a.Rows {
					v := -s * r.U.At(row, i)
					for col, x := range c.a.Row(row) {
						v += x * r.V.At(col, i)
					}
					off = math.Hypot(off, v)
				}
				if off > 1e-13*top {
					t.Errorf("%s k=%d: ‖Av−σu‖ = %g of %g", c.name, k, off, top)
				}
			}
			for _, q := range []*Matrix{r.U, r.V} {
				if d := maxDiff(product(q.transposed(), q), identity(k)); d > 1e-13 {
					t.Errorf("%s k=%d: orthogonality %g", c.name, k, d)
				}
			}
			checkSigns(t, r.V)
		}
	}
	x := randomData(300, fewer(200, 60), 0, 9)
	one, err := TruncatedSVD(bg, x, 6, &TruncatedOptions{Workers: 1})
	seven, err2 := TruncatedSVD(bg, x, 6, &TruncatedOptions{Workers: 7})
	if err != nil || err2 != nil || maxDiff(one.U, seven.U) != 0 || maxDiff(one.V, seven.V) != 0 {
		t.Error("workers change bits", err, err2)
	}
	two, err := TruncatedSVD(bg, flat, 10, &TruncatedOptions{MaxSteps: 2})
	if err != nil || two.Status != StatusIterationLimit || two.Iterations != 2 || !(two.Residuals[9] > 1e-10*two.S[0]) {
		t.Errorf("%v %+v", err, two)
	}
}

// TestTruncatedResiduals: reported residuals are the true ones, they are below
// what was asked for, and the singular values lie within them, on spectra of
// all kinds and at both ends of the range.
func TestTruncatedResiduals(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(14, 1))
	spectrum := func(n int, f func(i int) float64) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = f(i)
		}
		return s
	}
	worst := 0.0
	for _, c := range []struct {
		name string
		f    func(i int) float64
		ks   []int
	}{
		{"flat", func(int) float64 { return 1 }, []int{1, 4, 40}},
		{"slow", func(i int) float64 { return 1 / (1 + float64(i)) }, []int{1, 6, 40}},
		{"fast", func(i int) float64 { return math.Pow(0.3, float64(i)) }, []int{2, 7, 40}},
		{"plateau", func(i int) float64 { return math.Pow(10, -0.5*float64(min(i, 5))) * (1 - 0.3*float64(i)/40) }, []int{3, 6, 10}},
		{"low plateau", func(i int) float64 { return math.Pow(10, -float64(min(i, 5))) * (1 - 0.1*float64(i)/40) }, []int{6, 10}},
		{"rank 3", func(i int) float64 { return float64(max(0, 3-i)) }, []int{2, 3, 5, 40}},
		{"pairs", func(i int) float64 { return 1 / (1 + float64(i/2)) }, []int{1, 2, 3}},
	} {
		for _, size := range fewer([][2]int{{150, 40}, {40, 150}, {40, 40}, {120, 100}}, [][2]int{{60, 40}, {40, 60}, {40, 40}}) {
			small := min(size[0], size[1])
			a := laSpectrum(size[0], size[1], spectrum(small, c.f), rng)
			for _, k := range c.ks {
				for _, exp := range []int{0, -490, 490} {
					if exp != 0 && k != c.ks[0] {
						continue
					}
					tol := []float64{1e-10, 1e-6}[k%2]
					m := mapped(a, func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) })
					r, err := TruncatedSVD(bg, m, k, &TruncatedOptions{Tol: tol, Seed: uint64(k)})
					if err != nil {
						t.Fatal(err)
					}
					if r.Status != StatusConverged {
						t.Errorf("%s %v k=%d: %v after %d steps", c.name, size, k, r.Status, r.Iterations)
					}
					left, right := laResiduals(m, r.U, r.S, r.V, exp)
					for i := range k {
						s := math.Ldexp(r.S[i], -exp)
						reported := math.Ldexp(r.Residuals[i], -exp)
						// Both are sums of up to 150 products of size 1.
						if math.Abs(reported-left[i]) > 150*laEps || right[i] > 150*laEps {
							t.Errorf("%s %v k=%d·2^%d: residual %d reported %g, is %g and %g", c.name, size, k, exp, i, reported, left[i], right[i])
						}
						// As asked, or what the rounding of AᵀA leaves: size·2^-52·σ₁²/σ_i.
						if limit := max(tol, float64(small)*0x1p-52/max(s, 1e-9)); left[i] > limit*1.001 {
							t.Errorf("%s %v k=%d·2^%d: residual %d is %g, limit %g", c.name, size, k, exp, i, left[i], limit)
						}
						if d := math.Abs(s - c.f(i)); d > left[i]+150*laEps {
							t.Errorf("%s %v k=%d: σ%d is off by %g, residual %g", c.name, size, k, i, d, left[i])
						}
					}
					for _, q := range []*Matrix{r.U, r.V} {
						e := product(q.transposed(), q)
						for i := range k {
							e.Row(i)[i]--
						}
						ratio := laNorm1(e) / (float64(q.Rows) * laEps)
						worst = max(worst, ratio)
						if !(ratio < 10) {
							t.Errorf("%s %v k=%d: orthogonality ratio %.3g", c.name, size, k, ratio)
						}
					}
					checkSigns(t, r.V)
				}
			}
		}
	}
	t.Logf("worst orthogonality ratio %.2f", worst)
	// The largest entries.
	d := mapped(NewMatrix(4, 3, nil), func(i, j int, _ float64) float64 {
		if i == j {
			return mostEntry
		}
		return 0
	})
	for _, m := range []*Matrix{d, d.transposed()} {
		if r, err := TruncatedSVD(bg, m, 2, nil); err != nil || !(math.Abs(r.S[1]/mostEntry-1) < 1e-14) || !(r.Residuals[0] < 1e-14*mostEntry) {
			t.Errorf("largest numbers: %+v, %v", r, err)
		}
	}
}

// TestTruncatedShort: few steps leave orthonormal vectors, honest residuals,
// and values from below that do not get worse.
func TestTruncatedShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	values := make([]float64, fewer(200, 100))
	for i := range values {
		values[i] = 1 - 0.002*float64(i)
	}
	a := laSpectrum(len(values)+60, len(values), values, rng)
	last := 0.0
	for steps := 1; steps <= 4; steps++ {
		r, err := TruncatedSVD(bg, a, 5, &TruncatedOptions{MaxSteps: steps})
		if err != nil || r.Status != StatusIterationLimit || r.Iterations != steps {
			t.Fatalf("%+v %v", r, err)
		}
		left, right := laResiduals(a, r.U, r.S, r.V, 0)
		sum := 0.0
		for i, s := range r.S {
			sum += s
			if math.Abs(left[i]-r.Residuals[i]) > 260*laEps || right[i] > 260*laEps || s > values[i]*(1+1e-14) || left[i] < 1e-10 {
				t.Errorf("%d steps: σ%d = %g, residuals %g (reported %g), %g", steps, i, s, left[i], r.Residuals[i], right[i])
			}
		}
		for _, q := range []*Matrix{r.U, r.V} {
			if d := maxDiff(product(q.transposed(), q), identity(5)); d > 1e-13 {
				t.Errorf("%d steps: orthogonality %g", steps, d)
			}
		}
		if sum < last {
			t.Errorf("%d steps: Σσ fell from %g to %g", steps, last, sum)
		}
		last = sum
	}
}

func TestTruncatedCancelled(t *testing.T) {
	a := randomData(fewer(300, 120), fewer(80, 40), 0, 2)
	full := &laContext{bg, 1 << 30}
	if _, err := TruncatedSVD(full, a, 4, &TruncatedOptions{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	looks := 1<<30 - full.left
	for n := 0; n < looks; n += 1 + looks/fewer(40, 12) {
		if r, err := TruncatedSVD(&laContext{bg, n}, a, 4, &TruncatedOptions{Workers: 1}); !errors.Is(err, context.Canceled) || r != nil {
			t.Errorf("ended at look %d of %d: %v, %v", n, looks, r, err)
		}
	}
}

// TestTruncatedSeed: the start, and so the bits after one step, are a function of the seed.
func TestTruncatedSeed(t *testing.T) {
	x := randomData(60, 30, 0, 1)
	one := func(seed uint64) []float64 {
		r, err := TruncatedSVD(bg, x, 2, &TruncatedOptions{MaxSteps: 1, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return r.Residuals
	}
	if !slices.Equal(one(1), one(1)) || slices.Equal(one(1), one(2)) {
		t.Errorf("after one step the residuals of seeds 1, 1, 2 are %v, %v, %v", one(1), one(1), one(2))
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
	kry, err := krylov(bg, n, apply, 2, krylovOptions{steps: defaultKrylovSteps, residual: 1e-12, indefinite: true})
	if err != nil || kry.status != StatusConverged {
		t.Fatal(kry, err)
	}
	// Eigenvalues are no further off than residuals, 1e-12 of the largest magnitude or
	// n roundings of it.
	off := (1e-12 + n*0x1p-52) * 2 * n
	if math.Abs(kry.values[0]+1) > off || math.Abs(kry.values[1]+2) > off || kry.top < 1.5*n || kry.top > 2*n {
		t.Errorf("%v, of up to %g, after %d steps", kry.values, kry.top, kry.steps)
	}
}

// TestTruncatedWorkers: all bits, for tall and wide data of several chunks.
func TestTruncatedWorkers(t *testing.T) {
	long, short := fewer(1500, 800), fewer(60, 24)
	for _, a := range []*Matrix{randomData(long, short, 0.1, 9), randomData(short, long, 0.1, 9)} {
		var want *SVDResult
		for _, workers := range []int{1, 2, 7} {
			r, err := TruncatedSVD(bg, a, 6, &TruncatedOptions{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = r
			}
			if !laSameBits(r.U.Data, want.U.Data) || !laSameBits(r.S, want.S) || !laSameBits(r.V.Data, want.V.Data) || !laSameBits(r.Residuals, want.Residuals) || r.Iterations != want.Iterations {
				t.Errorf("%d workers change bits", workers)
			}
		}
	}
}
