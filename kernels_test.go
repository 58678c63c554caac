package softkmeans

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRankTwoMul against a loop: every order of the triangle in matrices a little
// larger, in one part and in two, with NaN where nothing may be read.
func TestRankTwoMul(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	kernels := map[string]func(a []float64, stride, lo, hi int, v, w, u, p, q []float64){"either": rankTwoMul, "generic": rankTwoMulGeneric}
	for hi := range 71 {
		for n := hi; n < hi+10; n++ {
			full := randomSlice(n*n, rng)
			pad := func() []float64 { return append(randomSlice(hi, rng), make([]float64, 8)...) }
			v, w, u := pad(), pad(), pad()
			want, product := append([]float64(nil), full...), make([]float64, hi)
			for i := range n {
				for j := range i + 1 {
					if i < hi {
						want[i*n+j] -= v[i]*w[j] + w[i]*v[j]
						product[i] += want[i*n+j] * u[j]
						if j < i {
							product[j] += want[i*n+j] * u[i]
						}
					}
				}
				for j := i + 1; j < n; j++ {
					full[i*n+j] = math.NaN()
					if j/8 == i/8 {
						full[i*n+j] = full[j*n+i]
					}
				}
			}
			for name, kernel := range kernels {
				for _, cut := range []int{0, hi / 2 / 8 * 8} {
					a := append([]float64(nil), full...)
					q := make([]float64, hi+8)
					for i := range q {
						q[i] = math.NaN()
					}
					got := make([]float64, hi)
					for _, part := range [][2]int{{0, cut}, {cut, hi}} {
						p := make([]float64, part[1])
						kernel(a, n, part[0], part[1], v, w, u, p, q)
						for i, x := range p {
							got[i] += x
						}
					}
					for i := range hi {
						if !(math.Abs(got[i]+q[i]-product[i]) < 1e-12) {
							t.Fatalf("%s %d of %d: product %g at %d, want %g", name, hi, n, got[i]+q[i], i, product[i])
						}
					}
					for i := range n {
						for j := range i + 1 {
							if d := math.Abs(a[i*n+j] - want[i*n+j]); !(d < 1e-13) || i >= hi && d != 0 {
								t.Fatalf("%s %d of %d: %g at (%d,%d), want %g", name, hi, n, a[i*n+j], i, j, want[i*n+j])
							}
						}
						for j := i + 1; j < n; j++ {
							if j/8 != i/8 && !math.IsNaN(a[i*n+j]) {
								t.Fatalf("%s %d of %d: wrote at (%d,%d)", name, hi, n, i, j)
							}
						}
					}
				}
			}
		}
	}
}

func TestNorm2(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want float64
	}{
		{nil, 0}, {[]float64{0, 0}, 0}, {[]float64{3, 4}, 5}, {[]float64{3e150, -4e150}, 5e150}, {[]float64{3e-150, 4e-150}, 5e-150},
		{[]float64{1e-300, 1}, 1},
	} {
		if got := norm2(c.v); math.Abs(got-c.want) > 2e-16*c.want {
			t.Errorf("%v: %g, want %g", c.v, got, c.want)
		}
	}
}

// laIntegers is n integers from −9 to 9, whose sums of products are exact.
func laIntegers(n int, rng *rand.Rand) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(rng.IntN(19) - 9)
	}
	return v
}

// TestKernels: on integers every summation order gives the same bits. Kernels and
// loops must agree at all sizes around the tiles, and may not read or write outside of the
// operands.
func TestKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	nan := math.NaN()
	for n := range 100 {
		x, y := laIntegers(n, rng), append(laIntegers(n, rng), nan, nan, nan, nan, nan)
		want := 0.0
		for i, v := range x {
			want += v * y[i]
		}
		if got := dot(x, y); got != want {
			t.Errorf("dot n=%d: %g, want %g", n, got, want)
		}
		if got := sumSquares(x); got != dot(x, x) {
			t.Errorf("sumSquares n=%d: %g", n, got)
		}
		sum, turned, other, scaled := append([]float64(nil), y...), append([]float64(nil), x...), append([]float64(nil), y...), append([]float64(nil), x...)
		axpy(sum, -3, x)
		rotate(turned, other, 3, 4) // no rotation, but the same formula
		scale(scaled, -2)
		for i, v := range x {
			if sum[i] != y[i]-3*v || turned[i] != 3*v-4*y[i] || other[i] != 4*v+3*y[i] || scaled[i] != -2*v {
				t.Errorf("n=%d at %d: axpy %g, rotate %g %g, scale %g of %g, %g", n, i, sum[i], turned[i], other[i], scaled[i], v, y[i])
			}
		}
		if !laSameBits(sum[n:], y[n:]) || !laSameBits(other[n:], y[n:]) {
			t.Errorf("n=%d: written past the end", n)
		}
	}
	sizes := [][3]int{{17, 13, 65}, {33, 34, 3}, {2, 50, 128}, {50, 2, 127}, {64, 64, 64},
		{9, 8, 15}, {8, 9, 16}, {7, 7, 31}, {6, 9, 33}, {5, 5, 71}}
	for m := range 10 {
		for n := range 10 {
			for l := range 10 {
				sizes = append(sizes, [3]int{m, n, l})
			}
		}
	}
	for _, size := range sizes {
		m, n, l := size[0], size[1], size[2]
		a, b := laIntegers(m*l, rng), laIntegers(n*l, rng)
		for _, gap := range []int{0, 3} {
			ldc := n + gap
			c := make([]float64, m*ldc+1)
			for i := range c {
				c[i] = nan
			}
			for i := range m {
				copy(c[i*ldc:], laIntegers(n, rng))
			}
			want := append([]float64(nil), c...)
			for i := range m {
				for j := range n {
					for p := range l {
						want[i*ldc+j] += a[i*l+p] * b[j*l+p]
					}
				}
			}
			a0, b0 := append([]float64(nil), a...), append([]float64(nil), b...)
			addMulNT(c, ldc, a, m, b, n, l, false)
			if !laSameBits(c, want) || !laSameBits(a, a0) || !laSameBits(b, b0) {
				t.Errorf("%v gap %d: %v, want %v", size, gap, c, want)
			}
		}
		if m > 9 && m != n {
			continue
		}
		// Aᵀ's own product: the upper half, then mirrored.
		g := make([]float64, m*m)
		addMulNT(g, m, a, m, a, m, l, true)
		for round := range 2 {
			for i := range m {
				for j := range m {
					want := dot(a[i*l:i*l+l], a[j*l:j*l+l])
					if (j >= i || round == 1) && g[i*m+j] != want {
						t.Errorf("upper %v round %d at (%d,%d): %g, want %g", size, round, i, j, g[i*m+j], want)
					}
				}
			}
			mirror(g, m)
		}
	}
}

// TestKernelsRounding: on random numbers dot is within n·eps of the exact sum of
// magnitudes, and gives the same bits each time.
func TestKernelsRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 2))
	for _, n := range []int{1, 2, 5, 31, 32, 1000} {
		x, y := randomSlice(n, rng), randomSlice(n, rng)
		sum, size := new(big.Float).SetPrec(300), 0.0
		for i := range x {
			p := new(big.Float).SetPrec(300).Mul(big.NewFloat(x[i]), big.NewFloat(y[i]))
			sum.Add(sum, p)
			size += math.Abs(x[i] * y[i])
		}
		got := dot(x, y)
		diff, _ := new(big.Float).Sub(sum, big.NewFloat(got)).Float64()
		if math.Abs(diff) > float64(n)*laEps*size || got != dot(x, y) {
			t.Errorf("n=%d: off by %g", n, diff)
		}
	}
	// norm2 at every scale in range: n/2+3 roundings.
	for e := -490; e <= 490; e += 7 {
		for _, n := range []int{1, 3, 10} {
			x := randomSlice(n, rng)
			sum := new(big.Float).SetPrec(2500)
			for i := range x {
				x[i] = math.Ldexp(x[i], e)
				v := new(big.Float).SetPrec(2500).SetFloat64(x[i])
				sum.Add(sum, v.Mul(v, v))
			}
			want, _ := new(big.Float).SetPrec(200).Sqrt(sum).Float64()
			if got := norm2(x); !(math.Abs(got-want) <= (float64(n)/2+3)*laEps*want) {
				t.Errorf("2^%d n=%d: %g, want %g", e, n, got, want)
			}
		}
	}
}

// TestAddRows against a loop, at lengths around the vectors of all widths and
// with counts around the unrolled part; rows that are not asked for may be NaN.
func TestAddRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, l := range []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 23, 31, 32, 33, 63, 64, 65, 71, 127, 128, 129, 200} {
		for count := range 10 {
			rows := 3*count + 1
			x := make([]float64, rows*l)
			for i := range x {
				x[i] = math.NaN()
			}
			coef, index := randomSlice(count, rng), make([]int, count)
			for i := range index {
				index[i] = rng.IntN(rows)
				copy(x[index[i]*l:][:l], randomSlice(l, rng))
			}
			y := append(randomSlice(l, rng), math.NaN())
			want := append([]float64(nil), y...)
			size := 1.0
			for c, at := range index {
				for i := range l {
					want[i] += coef[c] * x[at*l+i]
					size = max(size, math.Abs(coef[c]*x[at*l+i]))
				}
			}
			addRows(y[:l], coef, index, x)
			for i := range l {
				if !(math.Abs(y[i]-want[i]) <= 1e-14*size) {
					t.Errorf("length %d, %d rows, at %d: %g, want %g", l, count, i, y[i], want[i])
				}
			}
			if !math.IsNaN(y[l]) {
				t.Errorf("length %d: wrote past y", l)
			}
		}
	}
}

// TestSmallKernels: those without a vector form, on integers, and a sum's rounding error.
func TestSmallKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 3))
	for n := range 20 {
		x, y := laIntegers(n, rng), append(laIntegers(n, rng), math.NaN())
		want, top := 0.0, 0.0
		for i, v := range x {
			want += (v - y[i]) * (v - y[i])
			top = max(top, math.Abs(v))
		}
		if got := squaredDistance(x, y); got != want || squaredDistance(y[:n], x) != want {
			t.Errorf("n=%d: squared distance %g, want %g", n, got, want)
		}
		if got, finite := rowMaxAbs(x); got != top || !finite {
			t.Errorf("n=%d: largest %g, want %g", n, got, top)
		}
		sums := slices.Clone(x)
		if got, finite := addDifference(sums, x, y, 0); got != top || !finite || !slices.Equal(sums, x) {
			t.Errorf("n=%d: a weight of 0 adds %v", n, sums)
		}
		for i := range x {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				v := slices.Clone(x)
				v[i] = bad
				if _, finite := rowMaxAbs(v); finite {
					t.Errorf("n=%d: %g at %d is finite", n, bad, i)
				}
			}
		}
	}
	x := []float64{3, 4, 5}
	if projectOut(x, []float64{0, 1, 0}); !slices.Equal(x, []float64{3, 0, 5}) {
		t.Error(x)
	}
	for range 1000 {
		a, b := math.Ldexp(rng.NormFloat64(), rng.IntN(80)), math.Ldexp(rng.NormFloat64(), rng.IntN(80))
		sum, lost := twoSum(a, b)
		exact := new(big.Float).SetPrec(300).Add(big.NewFloat(a), big.NewFloat(b))
		if got := new(big.Float).SetPrec(300).Add(big.NewFloat(sum), big.NewFloat(lost)); sum != a+b || got.Cmp(exact) != 0 {
			t.Fatalf("%g + %g = %g + %g", a, b, sum, lost)
		}
	}
}

// inStrips returns number j of vector i.
func inStrips(strips []float64, l, i, j int) float64 {
	return strips[i/stripRows*stripSize(stripRows, l)+j/lanes*stripRows*lanes+i%stripRows*lanes+j%lanes]
}

func nans(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.NaN()
	}
	return v
}

// stripShapes are lengths on both sides of full lanes, strips, steps of a
// kernel and groups, for 1 to 8 lanes.
var stripShapes = []int{1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 23, 24, 25, 47, 48, 49, 95, 96, 97, 101, 191, 193, 300}

// TestStrips: what is in strips, from rows and from columns of samples with
// weights, some of them 0, in places that held NaN.
func TestStrips(t *testing.T) {
	for _, n := range stripShapes {
		for _, d := range []int{1, 2, 3, 4, 5, 7, 8, 9, 47, 48, 49, 50, 97} {
			for weighting := range 2 {
				x := randomData(n, d, 3, uint64(n))
				x = &Matrix{Rows: n, Cols: d - d/3, Stride: d, Data: x.Data}
				var weights []float64
				if weighting == 1 {
					weights = make([]float64, n)
					for i := range weights {
						weights[i] = float64((i + 1) % 3)
					}
				}
				s, err := newSamples(bg, x, weights, 1, true)
				if err != nil {
					t.Fatal(err)
				}
				want := func(i, j int) float64 {
					if i >= s.n || j >= s.d || s.weight(i) == 0 {
						return 0
					}
					v := s.factor()*x.At(i, j) - s.mean[j]
					if weights != nil {
						v *= math.Sqrt(s.weight(i))
					}
					return v
				}
				lo, hi := n/4, n-n/5
				first, last := s.d/5, s.d-s.d/6
				got := nans(stripSize(last-first, hi-lo))
				s.packStripsT(got, span{lo, hi}, span{first, last})
				for j := range roundUp(last-first, stripRows) {
					for i := range stripLength(hi - lo) {
						w := 0.0
						if i < hi-lo && j < last-first {
							w = want(lo+i, first+j)
						}
						if v := inStrips(got, hi-lo, j, i); math.Abs(v-w) > 1e-15 {
							t.Fatalf("%d×%d, weights %v: column %d, row %d of %d…%d: %g, want %g", n, s.d, weights != nil, j, i, lo, hi, v, w)
						}
					}
				}
				lo, hi = s.d/4, s.d-s.d/5
				got = nans(stripSize(n, hi-lo))
				s.packStrips(got, span{0, n}, span{lo, hi})
				for i := range roundUp(n, stripRows) {
					for j := range stripLength(hi - lo) {
						w := 0.0
						if j < hi-lo {
							w = want(i, lo+j)
						}
						if v := inStrips(got, hi-lo, i, j); math.Abs(v-w) > 1e-15 {
							t.Fatalf("%d×%d, weights %v: row %d, column %d of %d…%d: %g, want %g", n, s.d, weights != nil, i, j, lo, hi, v, w)
						}
					}
				}
			}
		}
	}
}

// TestAddMulStrips against sums in a loop, with C's gaps and the work space
// full of NaN.
func TestAddMulStrips(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	check := func(m, n, l int, upper bool) {
		a, b := randomSlice(m*l, rng), randomSlice(n*l, rng)
		if upper {
			b = a
		}
		ldc := n + 2
		c := nans(m * ldc)
		for i := range m {
			for j := range n {
				c[i*ldc+j] = 1
			}
		}
		x, y := nans(stripSize(m, l)), nans(stripSize(n, l))
		packStrips(x, a, m, l, l)
		packStrips(y, b, n, l, l)
		addMulStrips(c, ldc, x, m, y, n, l, upper)
		for i := range m {
			for j := range ldc {
				got := c[i*ldc+j]
				switch {
				case j >= n:
					if !math.IsNaN(got) {
						t.Fatalf("%d×%d×%d: wrote past row %d", m, n, l, i)
					}
				case !upper || j >= i:
					want := 1.0
					for p := range l {
						want += a[i*l+p] * b[j*l+p]
					}
					if !(math.Abs(got-want) <= 1e-14*float64(l+8)) {
						t.Fatalf("%d×%d×%d, upper %v, at (%d,%d): %g, want %g", m, n, l, upper, i, j, got, want)
					}
				}
			}
		}
	}
	for _, l := range append([]int{0}, stripShapes...) {
		for m := 1; m < 8; m++ {
			for n := 1; n < 8; n++ {
				check(m, n, l, false)
			}
			check(m, m, l, true)
		}
	}
	check(70, 200, 300, false) // several groups
	check(200, 200, 300, true)
}

// TestPassKernels: addDifference and shift against loops, at all lengths.
func TestPassKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for n := range 80 {
		x, origin, mean := randomSlice(n, rng), randomSlice(n, rng), randomSlice(n, rng)
		before := append(randomSlice(n, rng), math.NaN())
		sums := append([]float64(nil), before...)
		top, finite := addDifference(sums, x, origin, 3)
		want := 0.0
		for j, v := range x {
			want = max(want, math.Abs(v))
			if w := before[j] + 3*(v-origin[j]); math.Abs(sums[j]-w) > 1e-14 {
				t.Errorf("n=%d: sum %d is %g, want %g", n, j, sums[j], w)
			}
		}
		if top != want || !finite || !math.IsNaN(sums[n]) {
			t.Errorf("n=%d: top %g, want %g; finite %v; then %g", n, top, want, finite, sums[n])
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for j := range x {
				y := append([]float64(nil), x...)
				y[j] = bad
				for w := range 2 {
					if _, finite := addDifference(append([]float64(nil), before...), y, origin, float64(w)); finite {
						t.Fatalf("n=%d: %g at %d was not seen with weight %d", n, bad, j, w)
					}
				}
			}
		}
		got := append([]float64(nil), before...)
		shift(got, x, mean, 0.5)
		for j, v := range x {
			if want := 0.5*v - mean[j]; math.Abs(got[j]-want) > 1e-15 {
				t.Errorf("n=%d: shifted %d is %g, want %g", n, j, got[j], want)
			}
		}
		if !math.IsNaN(got[n]) {
			t.Errorf("n=%d: wrote past the end", n)
		}
	}
}

// TestStripGaps: rows that are farther apart than they are long, with NaN between them and
// nothing behind the last.
func TestStripGaps(t *testing.T) {
	for n := range 8 {
		for l := range 12 {
			row := l + 2
			v := nans(max(0, (n-1)*row+l))
			for i := range n {
				for j := range l {
					v[i*row+j] = float64(100*i + j + 1)
				}
			}
			strips := nans(stripSize(n, l))
			packStrips(strips, v, n, l, row)
			for i := range roundUp(n, stripRows) {
				for j := range stripLength(l) {
					want := 0.0
					if i < n && j < l {
						want = v[i*row+j]
					}
					if got := inStrips(strips, l, i, j); got != want {
						t.Fatalf("%d×%d: %g at (%d,%d), want %g", n, l, got, i, j, want)
					}
				}
			}
			// One vector at a time, shifted, scaled and weighted.
			if l > 0 && n > 0 {
				one, mean := nans(stripSize(1, l)), randomSlice(l, rand.New(rand.NewPCG(1, uint64(l))))
				interleave(one[lanes:], v[:l], mean, 0.5, 2)
				for j := range stripLength(l) {
					want := 0.0
					if j < l {
						want = (v[j]*0.5 - mean[j]) * 2
					}
					if got := inStrips(one, l, 1, j); !(math.Abs(got-want) <= 1e-13) {
						t.Fatalf("length %d: %g at %d, want %g", l, got, j, want)
					}
				}
			}
		}
	}
	for n, want := range map[int]int{0: 0, 1: 3, 3: 3, 4: 6, 6: 6, 7: 9} {
		if got := roundUp(n, 3); got != want {
			t.Errorf("%d is rounded up to %d", n, got)
		}
	}
}
