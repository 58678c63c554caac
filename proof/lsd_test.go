package proof

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

var bg = context.Background()

// symmetric returns the n×n matrix of at(i, j) for j ≤ i and its mirror image.
func symmetric(n int, at func(i, j int) float64) *softkmeans.Matrix {
	m := softkmeans.NewMatrix(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			v := at(i, j)
			m.Set(i, j, v)
			m.Set(j, i, v)
		}
	}
	return m
}

// draw returns random memberships, the larger the power the purer.
func draw(rng *rand.Rand, n, k int, power float64) *softkmeans.Matrix {
	p := softkmeans.NewMatrix(n, k, nil)
	for i := range n {
		sum := 0.0
		for j := range p.Row(i) {
			p.Row(i)[j] = math.Pow(rng.ExpFloat64(), power) + 1e-300
			sum += p.Row(i)[j]
		}
		for j := range p.Row(i) {
			p.Row(i)[j] /= sum
		}
	}
	return p
}

// drawSimilarity returns K of many kinds: near a decomposition or its negative, noise, of low rank, blocks.
func drawSimilarity(rng *rand.Rand, n, k int) *softkmeans.Matrix {
	p := draw(rng, n, k, 3*rng.Float64())
	noise := math.Pow(10, 4*rng.Float64()-3)
	size := math.Ldexp(1, rng.IntN(200)-100)
	sign := float64(1 - 2*(rng.IntN(5)/4))
	low := draw(rng, n, 1+rng.IntN(3), 1)
	kind := rng.IntN(4)
	return symmetric(n, func(i, j int) float64 {
		v := sign * la.Dot(p.Row(i), p.Row(j))
		switch kind {
		case 0:
			v += noise * (la.Dot(low.Row(i), low.Row(j)) - .3)
		case 1:
			v = math.Round(v + noise*rng.NormFloat64())
		case 2:
			v -= noise
		default:
			v += noise * rng.NormFloat64()
		}
		return size * v
	})
}

// objective returns the least ‖K − PPᵀ/c‖² over c.
func objective(k, p *softkmeans.Matrix) (squares float64) {
	a, b := 0.0, 0.0
	for i := range k.Rows {
		for j, v := range k.Row(i) {
			y := la.Dot(p.Row(i), p.Row(j))
			a, b = a+v*y, b+y*y
		}
	}
	for i := range k.Rows {
		for j, v := range k.Row(i) {
			v -= max(0, a) / b * la.Dot(p.Row(i), p.Row(j))
			squares += v * v
		}
	}
	return squares
}

// TestLSDFloorHolds: no memberships that are found, drawn or on a grid have an objective below the floor.
func TestLSDFloorHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	draws, most := 40, 40
	if os.Getenv("SOFTKMEANS_LONG") != "" {
		draws, most = 1000, 300
	}
	higher := 0
	for at := range draws {
		n, k := 1+rng.IntN(most), 1+rng.IntN(5)
		if at%4 == 0 {
			n, k = 1+rng.IntN(4), 1+rng.IntN(3)
		}
		s := drawSimilarity(rng, n, k)
		m := tables.Must(softkmeans.LSD(bg, s, k, &softkmeans.LSDOptions{MaxIter: 1 + rng.IntN(300), Workers: 1}))(t)
		worse := *m // a floor holds whatever the model says
		if at%2 == 0 {
			worse.Objective = m.Total
		}
		b := tables.Must(LSDFloor(bg, s, k, &LSDFloorOptions{Model: &worse, Workers: 1}))(t)
		if !b.Spectral {
			higher++
		}
		least := m.Objective
		try := func(p *softkmeans.Matrix) { least = min(least, objective(s, p)) }
		for range 10 {
			try(draw(rng, n, k, 5*rng.Float64()))
		}
		for seed := range uint64(2) {
			o := &softkmeans.LSDOptions{Seed: seed, Workers: 1}
			other := tables.Must(softkmeans.LSD(bg, s, k, o))(t)
			try(other.Memberships)
		}
		if n <= 4 && k <= 3 {
			grid(n, k, try)
		}
		if !(b.Floor >= m.Floor*(1-1e-9) && b.Floor <= least*(1+1e-12)+1e-24*m.Total) {
			t.Errorf("%d: %d×%d, k = %d: floor %.17g, spectral %.17g, an objective of %.17g", at, n, n, k,
				b.Floor, m.Floor, least)
		}
	}
	t.Logf("%d of %d floors are above those of eigenvalues", higher, draws)
}

// grid tries all memberships that are multiples of 1/4.
func grid(n, k int, try func(p *softkmeans.Matrix)) {
	var rows [][]float64
	for a := range 5 {
		for b := range 5 - a {
			row := []float64{float64(a) / 4, float64(b) / 4, float64(4-a-b) / 4}
			if k == 3 || a == 0 && (k == 2 || b == 0) {
				rows = append(rows, row[3-k:])
			}
		}
	}
	p := softkmeans.NewMatrix(n, k, nil)
	var fill func(i int)
	fill = func(i int) {
		if i == n {
			try(p)
			return
		}
		for _, row := range rows {
			copy(p.Row(i), row)
			fill(i + 1)
		}
	}
	fill(0)
}

// groups returns similarities of n samples in three groups.
func groups(rng *rand.Rand, n int) *softkmeans.Matrix {
	x := softkmeans.NewMatrix(n, 3, nil)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
		if i/3%3 == i%3 {
			x.Data[i] += 3
		}
	}
	return symmetric(n, func(i, j int) float64 { return math.Exp(-la.SquaredDistance(x.Row(i), x.Row(j)) / 25) })
}

// TestLSDFloorNear: on three groups with noise the floor is near the objective, far above that of
// eigenvalues, and the same for any number of workers.
func TestLSDFloorNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{20, 100} { // by all eigenvectors, by some
		s := groups(rng, n)
		m, err := softkmeans.LSD(bg, s, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		one, err := LSDFloor(bg, s, 3, &LSDFloorOptions{Workers: 1})
		if err != nil || one.Objective != m.Objective || one.Spectral || !(one.Gap < 1e-4) ||
			math.Abs(one.Gap-(m.Objective-one.Floor)/m.Total) > 1e-12 || !(m.Gap > 10*one.Gap) {
			t.Errorf("n = %d: %+v, %v; gap by eigenvalues %g", n, one, err, m.Gap)
		}
		three, err := LSDFloor(bg, s, 3, &LSDFloorOptions{Model: m, Workers: 3})
		if err != nil || *three != *one {
			t.Errorf("n = %d: %+v, %+v, %v", n, one, three, err)
		}
		la.Scale(0x1p-60, s.Data)
		small, err := LSDFloor(bg, s, 3, nil)
		if err != nil || math.Abs(small.Gap-one.Gap) > 1e-9 {
			t.Errorf("n = %d, in small units: %+v, %+v, %v", n, one, small, err)
		}
	}
}

// TestLSDFloorHalved: on a similarity of 37 samples the search halves its steps, and the floor reaches the
// objective. Without that it stays .07 of the total below.
func TestLSDFloorHalved(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var s *softkmeans.Matrix
	k := 0
	for range 49 {
		n := 8 + rng.IntN(50)
		k = 2 + rng.IntN(4)
		s = drawSimilarity(rng, n, k)
	}
	if b := tables.Must(LSDFloor(bg, s, k, nil))(t); !(b.Gap < 1e-6) {
		t.Errorf("%d samples: %+v", s.Rows, b)
	}
}

// TestLSDFloorErrors: a model of another size, one without an objective, and an ended context.
func TestLSDFloorErrors(t *testing.T) {
	s := symmetric(5, func(i, j int) float64 { return float64(1 + i%2*(j%2)) })
	p := softkmeans.NewMatrix(5, 2, nil)
	for _, m := range []*softkmeans.LSDModel{{}, {Memberships: softkmeans.NewMatrix(5, 3, nil)},
		{Memberships: softkmeans.NewMatrix(4, 2, nil)}, {Memberships: &softkmeans.Matrix{Rows: 5, Cols: 2, Stride: 2}}} {
		if _, err := LSDFloor(bg, s, 2, &LSDFloorOptions{Model: m}); !errors.Is(err, softkmeans.ErrShape) {
			t.Error(err)
		}
	}
	bad := &softkmeans.LSDModel{Memberships: p, Certificate: softkmeans.Certificate{Objective: math.NaN()}}
	if _, err := LSDFloor(bg, s, 2, &LSDFloorOptions{Model: bad}); !errors.Is(err, softkmeans.ErrOption) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(bg)
	cancel()
	good := &softkmeans.LSDModel{Memberships: p, Certificate: softkmeans.Certificate{Objective: 1}, Scale: 1}
	if _, _, err := dualFloor(ended, s, 2, good, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestCurve: a curve is not below h, and at its own τ near it.
func TestCurve(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{6, 40, 61} {
		for k := 1; k <= 5; k++ {
			s := drawSimilarity(rng, n, k)
			kn := openKernel(bg, s, k, 1)
			tau := rng.Float64() / 4
			d := newDual(kn, draw(rng, n, k, 2), tau)
			if err := d.search(5, 1); err != nil {
				t.Fatal(err)
			}
			c, err := d.curve(tau)
			if err != nil || c == nil {
				t.Fatal(n, k, c, err)
			}
			for _, at := range []float64{0, tau / 2, tau, 2 * tau, 5 * tau} {
				low, h := d.a.Clone(), 0.0
				for i := range low.Data {
					low.Data[i] -= at
				}
				values, _, err := softkmeans.EigenSym(low)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range values[:min(k-1, n)] {
					h += max(0, v) * max(0, v)
				}
				size := la.Dot(low.Data, low.Data)
				if v := c.at(at); v < h-1e-13*size || at == tau && v > 1.1*h+1e-6*size {
					t.Errorf("n = %d, k = %d, τ = %g·%g: %g, want %g", n, k, tau, at/tau, v, h)
				}
			}
		}
	}
}

// TestDefinite: a factorization ends for a definite matrix of any order, and not for one that is indefinite
// by little.
func TestDefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{1, 2, 31, 32, 33, 70} {
		x := draw(rng, n, n, 1)
		d := &dual{kernel: &kernel{ctx: bg, n: n, workers: 1}}
		values, _, err := softkmeans.EigenSym(symmetric(n, func(i, j int) float64 { return la.Dot(x.Row(i), x.Row(j)) }))
		if err != nil {
			t.Fatal(err)
		}
		for _, shift := range []float64{1e-9, -1e-9} {
			m := symmetric(n, func(i, j int) float64 {
				v := la.Dot(x.Row(i), x.Row(j))
				if i == j {
					v += shift - values[n-1]
				}
				return v
			})
			if d.definite(m) != (shift > 0) {
				t.Errorf("n = %d, shift %g", n, shift)
			}
		}
	}
}

// TestCurveMissed: no curve of eigenvectors without the leading one.
func TestCurveMissed(t *testing.T) {
	const n = 8
	kn := openKernel(bg, symmetric(n, func(i, j int) float64 { return 1 / float64(1+i-j) }), 3, 1)
	d := newDual(kn, nil, 0)
	values, vectors, err := d.leading(0)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := d.curveOf(0, values, vectors); c == nil || err != nil {
		t.Error(c, err)
	}
	without := softkmeans.NewMatrix(n-1, n, vectors.Data[n:])
	if c, err := d.curveOf(0, values[1:], without); c != nil || err != nil {
		t.Error(c, err)
	}
}

// TestCurveOff: a curve of vectors and values that are off, which is proved, is not below h.
func TestCurveOff(t *testing.T) {
	check := func(name string, a *softkmeans.Matrix, tau float64, values, v []float64, at, top float64) {
		t.Helper()
		d := &dual{kernel: &kernel{ctx: bg, n: a.Rows, k: 2, workers: 1}, a: a}
		c, err := d.curveOf(tau, values, softkmeans.NewMatrix(1, a.Rows, v))
		if err != nil || c == nil && name != "far" { // some of which are not proved
			t.Fatal(name, c, err)
		}
		if c != nil && c.at(at) < top*math.Abs(top) {
			t.Errorf("%s: a square of %v, the eigenvalue's is %v", name, c.at(at), top*top)
		}
	}
	const cos, sin = 0.5 - 0x1p-44, 0x1p-22 // The vector is nearly that of ones.
	diagonal := func(i, j int) float64 { return float64(1 - min(1, i-j)) }
	check("near ones", symmetric(4, func(i, j int) float64 { return 8 + diagonal(i, j) }), 8, []float64{1, 1},
		[]float64{cos + sin, cos - sin, cos + sin, cos - sin}, 0, 33)
	check("longer than 1", symmetric(3, func(i, j int) float64 {
		return diagonal(i, j) * float64(1+4*(1-min(1, i)))
	}), 0, []float64{4.853, 1}, []float64{1.02, 0, 0}, 0, 5)
	// a−b is the eigenvalue of [a b; b a] less τ that is not near −2τ. τ takes its digits.
	rng := rand.New(rand.NewPCG(14, 14))
	for range 2000 {
		const tau, unit = 0x1p40, 0x1p-13
		a, b := 1+unit*rng.Float64(), 1-unit*rng.Float64()
		top := a - b - 4*unit*rng.Float64() - 0x1p-7
		check("far", symmetric(2, func(i, j int) float64 { return b + (a-b)*diagonal(i, j) }), tau,
			[]float64{top, top - 1}, []float64{math.Sqrt2 / 2, -math.Sqrt2 / 2}, tau, a-b)
	}
	// A vector whose sum of squares lacks all but the first, and a matrix of it that is proved.
	const n, sigma, small = 1200, 0x1p-49, 1200 * 0x1p-48
	v := make([]float64, n)
	for i := 4; i < n; i += 4 {
		v[i] = 0x1p-27 * math.Sqrt2 * (1 - 0x1p-20)
	}
	v[0] = 1
	next := (sigma - 0.05 - small) / (0.95 - small)
	w := 1 + small*(1-next) - sigma
	check("long", symmetric(n, func(i, j int) float64 { return w * v[i] * v[j] }), 0, []float64{1, next}, v, 0,
		w*(1+0.99*n*0x1p-55))
}

// TestLSDFloorAsymmetric: K is the mean of a matrix and its transpose.
func TestLSDFloorAsymmetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	s := groups(rng, 12)
	skew := s.Clone()
	for i := range 12 {
		for j := range i {
			v := 4e-9 * rng.Float64()
			skew.Set(i, j, s.At(i, j)+v)
			skew.Set(j, i, s.At(i, j)-v)
		}
	}
	a := tables.Must(LSDFloor(bg, s, 3, nil))(t)
	b, err := LSDFloor(bg, skew, 3, nil)
	if err != nil || a.Spectral || math.Abs(a.Floor-b.Floor) > 1e-12*a.Floor {
		t.Errorf("%+v, %+v, %v", a, b, err)
	}
}

func BenchmarkLSDFloor(b *testing.B) {
	for _, n := range []int{150, 500, 2000} {
		b.Run("n="+strconv.Itoa(n), func(b *testing.B) {
			s := groups(rand.New(rand.NewPCG(1, 2)), n)
			m, err := softkmeans.LSD(bg, s, 3, nil)
			for b.Loop() && err == nil {
				_, err = LSDFloor(bg, s, 3, &LSDFloorOptions{Model: m})
			}
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
