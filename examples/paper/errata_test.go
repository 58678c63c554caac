package main

// Errata of the paper's statements, with numbers that show the printed version failing and the corrected
// one holding. Those of its algorithms are in errata_test.go of the package.

import (
	"math"
	"math/rand/v2"
	"testing"

	"softkmeans"
)

// fitted returns the optimum of x.
func fitted(t *testing.T, x *softkmeans.Matrix, k int, o *softkmeans.Options) *softkmeans.Model {
	t.Helper()
	m, err := softkmeans.Fit(t.Context(), x, k, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Erratum 2. Theorem (Stability) has squared norms; it holds for norms: what a solution fitted to X + E
// leaves of X is at most (√floor + 2‖E‖)², by the triangle inequality and Mirsky's theorem.
func TestErratumStability(t *testing.T) {
	// Two orthogonal centred directions of lengths 1 and 1−δ; E raises the
	// second to 1+δ, so that the solution of X + E keeps the wrong one.
	const delta, k = 0.01, 2
	a := math.Sqrt(0.5)
	data := func(second float64) *softkmeans.Matrix {
		return softkmeans.NewMatrix(4, 2, []float64{a, 0, -a, 0, 0, a * second, 0, -a * second})
	}
	m := fitted(t, data(1+delta), k, nil)
	c, err := softkmeans.Certify(t.Context(), data(1-delta), m.Centers, m.Memberships, nil)
	if err != nil {
		t.Fatal(err)
	}
	const noise = 2 * delta // ‖E‖
	if printed := c.Floor + 2*noise*noise; c.Objective <= printed {
		t.Errorf("left %g, printed bound %g: the printed version does not fail here", c.Objective, printed)
	}
	if right := math.Pow(math.Sqrt(c.Floor)+2*noise, 2); c.Objective > right {
		t.Errorf("left %g, corrected bound %g", c.Objective, right)
	}
}

// Erratum 3. Theorem (Lower bound) divides by r√(k(k−1)) in place of its square
// and so depends on the units of X. It counts swapped labels as another solution.
func TestErratumLowerBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	x := softkmeans.NewMatrix(150, 4, nil)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64() * float64(4-i%4)
	}
	apartOf := func(a, b *softkmeans.Matrix, from func(j int) int) (sum float64) {
		for i := range a.Rows {
			for j, v := range a.Row(i) {
				sum += math.Pow(v-b.At(i, from(j)), 2)
			}
		}
		return sum
	}
	for _, k := range []int{2, 3} {
		mirrored := softkmeans.NewMatrix(k-1, k-1, nil)
		for j := range k - 1 {
			mirrored.Set(j, j, -1)
		}
		for _, unit := range []float64{1, 1e6} {
			y := x.Clone()
			for i := range y.Data {
				y.Data[i] *= unit
			}
			m, other := fitted(t, y, k, nil), fitted(t, y, k, &softkmeans.Options{Orientation: mirrored})
			// ‖W‖² = total − floor; r from the centers: they are (k−1)r from x̄.
			r := 0.0
			for c, v := range m.Centers.Row(0) {
				mean := 0.0
				for j := range k {
					mean += m.Centers.At(j, c) / float64(k)
				}
				r = math.Hypot(r, (v-mean)/float64(k-1))
			}
			root := r * math.Sqrt(float64(k*(k-1)))
			printed, corrected := (m.Total-m.Floor)/root, (m.Total-m.Floor)/(root*root)
			apart := apartOf(m.Memberships, other.Memberships, func(j int) int { return j })
			if math.Abs(apart/(4*corrected)-1) > 1e-12 {
				t.Errorf("k = %d: mirror images are %g apart, want 4·%g", k, apart, corrected)
			}
			swapped := apartOf(m.Memberships, other.Memberships, func(j int) int { return k - 1 - j })
			if k == 2 && swapped > 1e-24*apart {
				t.Errorf("the mirror image differs by %g with its labels swapped", swapped)
			}
			if possible := 2 * float64(x.Rows); unit > 1 && printed <= possible {
				t.Errorf("printed %g, possible %g: the printed version does not fail here", printed, possible)
			}
		}
	}
}

// Erratum 9. Sections I and II-B say that FCPM with m = 0, Σ_j ‖x − g_j f_j‖², is soft k-means, ‖x
// − Σ_j g_j f_j‖². On X = {0, 1} with k = 2 soft k-means leaves nothing. FCPM leaves something with any
// centers: x = 0 leaves nothing only where one of them is 0, and then x = 1 leaves at least 1.
func TestErratumProportional(t *testing.T) {
	if m := fitted(t, softkmeans.NewMatrix(2, 1, []float64{0, 1}), 2, nil); m.Objective > 1e-30 {
		t.Fatalf("soft k-means leaves %v", m.Objective)
	}
	// The least over g, which is a parabola's for one row and two centers.
	least := func(x, f, h float64) float64 {
		g := 0.5
		if f != 0 || h != 0 {
			g = max(0, min(1, (x*f+h*(h-x))/(f*f+h*h)))
		}
		return (x-g*f)*(x-g*f) + (x-(1-g)*h)*(x-(1-g)*h)
	}
	for f := -10.0; f <= 10; f += 0.125 {
		for h := -10.0; h <= 10; h += 0.125 {
			if left := least(0, f, h) + least(1, f, h); left < 0.5 {
				t.Errorf("centers %g and %g leave %g: FCPM is soft k-means here, as printed", f, h, left)
			}
		}
	}
}

// Erratum 13. The lemma of the trace, Σ σ_{n−i+1}(A)σ_i(B) ≤ Tr(AB) for symmetric A and B,
// has singular values; it holds for eigenvalues. Where it is used both are semidefinite.
func TestErratumTrace(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	const n = 4
	fails := 0
	for range 50 {
		symmetric := func() *softkmeans.Matrix {
			m := softkmeans.NewMatrix(n, n, nil)
			for i := range n {
				for j := range i + 1 {
					m.Set(i, j, rng.NormFloat64())
					m.Set(j, i, m.At(i, j))
				}
			}
			return m
		}
		a, b, right := symmetric(), symmetric(), 0.0
		for i, v := range a.Data {
			right += v * b.Data[i] // both are symmetric
		}
		left := func(of func(*softkmeans.Matrix) []float64) (sum float64) {
			p, q := of(a), of(b)
			for i := range n {
				sum += p[n-1-i] * q[i]
			}
			return sum
		}
		singular := left(func(m *softkmeans.Matrix) []float64 { _, s, _, _ := softkmeans.SVD(m); return s })
		eigen := left(func(m *softkmeans.Matrix) []float64 { e, _, _ := softkmeans.EigenSym(m); return e })
		if eigen > right+1e-12 {
			t.Errorf("with eigenvalues %g, trace %g", eigen, right)
		}
		if singular > right+1e-12 {
			fails++
		}
	}
	if fails == 0 {
		t.Error("with singular values it does not fail here")
	}
}
