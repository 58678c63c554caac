package softkmeans

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// truncated has leading singular triplets by block Krylov iteration, with ‖aᵀu_i − s_i·v_i‖ of each.
type truncated struct {
	svdResult
	Residuals []float64
}

// truncatedSVD returns the k leading singular triplets of a, by krylovVectors. Without a tolerance or steps
// they are 1e-10 and defaultKrylovSteps.
func truncatedSVD(ctx context.Context, a *Matrix, k, workers int, o krylovOptions) (*truncated, error) {
	s, err := newSamples(ctx, a, nil, workers, false)
	if err != nil {
		return nil, err
	}
	o.residual, o.steps = orDefault(o.residual, 1e-10), orDefault(o.steps, defaultKrylovSteps)
	kry, err := krylovVectors(s, k, o)
	if err != nil {
		return nil, err
	}
	// The triplets are those of A·V (n×k), not of its square, so that small ones keep their digits.
	basis := rowsOf(kry.rows, 0, k)
	orthonormalize(bg, basis, 0)
	av, err := s.multiply(basis)
	if err != nil {
		return nil, err
	}
	r := &truncated{*jacobiSVD(ctx, av.transposed(), 1), make([]float64, k)}
	r.V = combine(bg, r.V.transposed(), basis).transposed()
	r.Iterations, r.Status = kry.steps, kry.status
	fixSigns(r.V, r.U)
	atu, err := s.multiplyT(r.U.transposed())
	if err != nil {
		return nil, err
	}
	for i := range k {
		axpy(atu.row(i), -r.S[i], r.V.transposed().row(i))
		r.Residuals[i] = math.Ldexp(norm2(atu.row(i)), s.exp)
		r.S[i] = math.Ldexp(r.S[i], s.exp)
	}
	return r, nil
}

// checkTruncated: orthonormal vectors with their signs, and residuals that are the true ones.
func checkTruncated(t *testing.T, name string, a *Matrix, r *truncated) (residuals []float64) {
	t.Helper()
	exp := 0
	if top := maxAbs(a); top > 0 {
		_, exp = math.Frexp(top)
	}
	left, right := laResiduals(a, r.U, r.S, r.V, exp)
	room := float64(max(a.Rows, a.Cols)) * laEps * max(math.Ldexp(r.S[0], -exp),
		1) // sums of so many products
	for i, reported := range r.Residuals {
		if math.Abs(math.Ldexp(reported, -exp)-left[i]) > room || right[i] > room {
			t.Errorf("%s: residual %d reported %g, is %g and %g·2^%d", name, i, reported, left[i], right[i],
				exp)
		}
		left[i] = math.Ldexp(left[i], exp)
	}
	if ratio := max(orthonormality(r.U), orthonormality(r.V)); !(ratio < 10) {
		t.Errorf("%s: orthogonality ratio %.3g", name, ratio)
	}
	checkSigns(t, r.V)
	return left
}

// TestTruncatedResiduals: reported residuals are the true ones, they are below what was asked for, and the
// singular values lie within them, on spectra of all kinds and at both ends of the range.
func TestTruncatedResiduals(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for _, c := range []struct {
		name string
		f    func(i int) float64
		ks   []int
	}{
		{"flat", func(int) float64 { return 1 }, []int{1, 4, 40}},
		{"slow", func(i int) float64 { return 1 / (1 + float64(i)) }, []int{1, 6, 40}},
		{"fast", func(i int) float64 { return math.Pow(0.3, float64(i)) }, []int{2, 7, 40}},
		{"plateau", func(i int) float64 {
			return math.Pow(10, -0.5*float64(min(i, 5))) * (1 - 0.3*float64(i)/40)
		}, []int{3, 6, 10}},
		{"low plateau", func(i int) float64 {
			return math.Pow(10, -float64(min(i, 5))) * (1 - 0.1*float64(i)/40)
		}, []int{6, 10}},
		{"rank 3", func(i int) float64 { return float64(max(0, 3-i)) }, []int{2, 3, 5, 40}},
		{"pairs", func(i int) float64 { return 1 / (1 + float64(i/2)) }, []int{1, 2, 3}},
		{"zero", func(int) float64 { return 0 }, []int{2}},
	} {
		for _, size := range [][2]int{{60, 40}, {40, 60}, {40, 40}} {
			values := make([]float64, 40)
			for i := range values {
				values[i] = c.f(i)
			}
			a := laSpectrum(size[0], size[1], values, rng)
			for _, k := range c.ks {
				for _, exp := range []int{0, -490, 490} {
					if exp != 0 && k != c.ks[0] {
						continue
					}
					tol := []float64{1e-10, 1e-6}[k%2]
					m := mapped(a, func(_, _ int, v float64) float64 { return math.Ldexp(v, exp) })
					r := mustDo(truncatedSVD(bg, m, k, 0, krylovOptions{residual: tol, seed: uint64(k)}))(t)
					name := fmt.Sprintf("%s %v k=%d·2^%d", c.name, size, k, exp)
					if r.Status != StatusConverged {
						t.Errorf("%s: %v after %d steps", name, r.Status, r.Iterations)
					}
					for i, left := range checkTruncated(t, name, m, r) {
						s, left := math.Ldexp(r.S[i], -exp), math.Ldexp(left, -exp)
						// As asked, or what the rounding of AᵀA leaves: size·2^-52·σ₁²/σ_i.
						if limit := max(tol, 40*0x1p-52/max(s, 1e-9)); left > limit*1.001 {
							t.Errorf("%s: residual %d is %g, limit %g", name, i, left, limit)
						}
						if d := math.Abs(s - c.f(i)); d > left+150*laEps {
							t.Errorf("%s: σ%d is off by %g, residual %g", name, i, d, left)
						}
					}
				}
			}
		}
	}
	// The largest entries.
	d := identity(4)
	scale(d.Data, mostEntry)
	for _, m := range []*Matrix{rowsOf(d, 0, 3), rowsOf(d, 0, 3).transposed()} {
		r, err := truncatedSVD(bg, m, 2, 0, krylovOptions{})
		if err != nil || !(math.Abs(r.S[1]/mostEntry-1) < 1e-14) || !(r.Residuals[0] < 1e-14*mostEntry) {
			t.Errorf("largest numbers: %+v, %v", r, err)
		}
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

// TestTruncatedWorkers: all bits, for tall and wide data of several chunks.
func TestTruncatedWorkers(t *testing.T) {
	for _, a := range []*Matrix{randomData(800, 24, 0.1, 9), randomData(24, 800, 0.1, 9)} {
		var want []float64
		for _, workers := range []int{1, 2, 7} {
			r := mustDo(truncatedSVD(bg, a, 6, workers, krylovOptions{}))(t)
			got := slices.Concat(r.U.Data, r.S, r.V.Data, r.Residuals, []float64{float64(r.Iterations)})
			if want == nil {
				want = got
			}
			if !laSameBits(got, want) {
				t.Errorf("%d workers change bits", workers)
			}
		}
	}
}
