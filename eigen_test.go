package softkmeans

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// laSymmetric are symmetric matrices of one size, with a name each.
func laSymmetric(n int, rng *rand.Rand) map[string]*Matrix {
	with := func(value func(i int) float64) *Matrix {
		q := laOrthogonal(n, rng)
		m := product(product(q.transposed(), mapped(identity(n), func(i, _ int, v float64) float64 { return v * value(i) })), q)
		for i := range n {
			for j := range i {
				m.Data[i*n+j] = m.Data[j*n+i]
			}
		}
		return m
	}
	wilkinson := NewMatrix(n, n, nil)
	for i := range n {
		wilkinson.Set(i, i, math.Abs(float64(i)-float64(n-1)/2))
		if i > 0 {
			wilkinson.Set(i, i-1, 1)
			wilkinson.Set(i-1, i, 1)
		}
	}
	return map[string]*Matrix{
		"zero": NewMatrix(n, n, nil), "identity": identity(n), "Wilkinson": wilkinson,
		"indefinite": with(func(int) float64 { return rng.NormFloat64() }),
		"repeated":   with(func(i int) float64 { return float64(i / 3) }),
		"graded":     with(func(i int) float64 { return math.Pow(10, -float64(i)) }),
		"rank 1":     with(func(i int) float64 { return float64(max(0, 1-i)) }),
		"tiny":       with(func(int) float64 { return 1e-300 * rng.NormFloat64() }),
		"huge":       with(func(int) float64 { return 1e300 * rng.NormFloat64() }),
		"antidiagonal": mapped(NewMatrix(n, n, nil), func(i, j int, _ float64) float64 {
			if i+j == n-1 {
				return 1
			}
			return 0
		}),
	}
}

func TestEigenSym(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	var worst float64
	for _, n := range []int{0, 1, 2, 3, 5, 12, 13, 20, 40, 100} {
		for name, a := range laSymmetric(n, rng) {
			top, _ := maxAbs("a", a)
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
			for method, f := range map[string]func(*Matrix) ([]float64, *Matrix){
				"Jacobi": eigenJacobi,
				"QL":     func(m *Matrix) ([]float64, *Matrix) { return eigenQL(bg, m, true) },
			} {
				raw, rows := f(scaled.Clone())
				order := descending(raw)
				sorted, byColumn := make([]float64, n), NewMatrix(n, n, nil)
				for at, i := range order {
					sorted[at] = math.Ldexp(raw[i], exp)
					for j, v := range rows.Row(i) {
						byColumn.Set(j, at, v)
					}
				}
				check(method, sorted, byColumn)
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
		{nil, ErrShape}, {NewMatrix(2, 3, nil), ErrShape}, {NewMatrix(2, 2, []float64{1, 2, 2.1, 1}), ErrShape},
		{NewMatrix(2, 2, []float64{1, math.NaN(), 0, 1}), ErrNonFinite},
		{NewMatrix(2, 2, []float64{1, math.MaxFloat64, -math.MaxFloat64, 1}), ErrShape},
	} {
		if _, _, err := EigenSym(c.a); !errors.Is(err, c.want) {
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
