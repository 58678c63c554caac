package softkmeans

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRankTwoMul against a loop: orders of the triangle around the tiles in matrices a little
// larger, in one part and in two, with NaN where nothing may be read.
func TestRankTwoMul(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	kernels := map[string]func(a []float64, stride, lo, hi int, v, w, u, p, q []float64){"either": rankTwoMul,
		"generic": rankTwoMulGeneric}
	for hi := range 50 {
		for _, n := range []int{hi, hi + 1, hi + 9} {
			full := randomSlice(n*n, rng)
			pad := func() []float64 { return append(randomSlice(hi, rng), make([]float64, 8)...) }
			v, w, u := pad(), pad(), pad()
			want, product := slices.Clone(full), make([]float64, hi)
			for i := range n {
				for j := range i + 1 {
					if i < hi {
						want[i*n+j] += v[i]*w[j] + w[i]*v[j]
						product[i] += want[i*n+j] * u[j]
						if j < i {
							product[j] += want[i*n+j] * u[i]
						}
					}
				}
				for j := i + 1; j < n; j++ {
					want[i*n+j] = math.NaN()
					full[i*n+j] = math.NaN()
					if j/8 == i/8 {
						full[i*n+j] = full[j*n+i]
					}
				}
			}
			for name, kernel := range kernels {
				for _, cut := range []int{0, hi / 2 / 8 * 8} {
					a, q, got := slices.Clone(full), nans(hi+8), make([]float64, hi)
					for _, part := range [][2]int{{0, cut}, {cut, hi}} {
						p := make([]float64, part[1])
						kernel(a, n, part[0], part[1], v, w, u, p, q)
						axpy(got, 1, p)
					}
					for i := range hi {
						if !(math.Abs(got[i]+q[i]-product[i]) < 1e-12) {
							t.Fatalf("%s %d of %d: product %g at %d, want %g", name, hi, n, got[i]+q[i], i,
								product[i])
						}
					}
					for at, x := range a {
						i, j := at/n, at%n
						d := math.Abs(x - want[at])
						if j > i && j/8 != i/8 && !math.IsNaN(x) || j <= i && (!(d < 1e-13) || i >= hi &&
							d != 0) {
							t.Fatalf("%s %d of %d: %g at (%d,%d), want %g", name, hi, n, x, i, j, want[at])
						}
					}
				}
			}
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

// TestKernels: on integers every summation order gives the same bits. Kernels and loops must agree at all
// sizes around the tiles, and may not read or write outside of the operands.
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
		sum, turned, other, scaled := slices.Clone(y), slices.Clone(x), slices.Clone(y), slices.Clone(x)
		axpy(sum, -3, x)
		rotate(turned, other, 3, 4) // no rotation, but the same formula
		scale(scaled, -2)
		for i, v := range x {
			if sum[i] != y[i]-3*v || turned[i] != 3*v-4*y[i] || other[i] != 4*v+3*y[i] || scaled[i] != -2*v {
				t.Errorf("n=%d at %d: axpy %g, rotate %g %g, scale %g of %g, %g", n, i, sum[i], turned[i],
					other[i], scaled[i], v, y[i])
			}
		}
		if !laSameBits(sum[n:], y[n:]) || !laSameBits(other[n:], y[n:]) {
			t.Errorf("n=%d: written past the end", n)
		}
	}
	sizes := [][3]int{{17, 13, 65}, {33, 34, 3}, {2, 50, 128}, {64, 64, 64}, {9, 8, 15}, {8, 9, 16},
		{6, 9, 33}, {5, 5, 71}}
	for at := range 10 * 10 * 10 {
		sizes = append(sizes, [3]int{at / 100, at / 10 % 10, at % 10})
	}
	for _, size := range sizes {
		m, n, l := size[0], size[1], size[2]
		a, b := laIntegers(m*l, rng), laIntegers(n*l, rng)
		for _, gap := range []int{0, 3} {
			ldc := n + gap
			c := nans(m*ldc + 1)
			for i := range m {
				copy(c[i*ldc:], laIntegers(n, rng))
			}
			want := slices.Clone(c)
			for i := range m {
				for j := range n {
					for p := range l {
						want[i*ldc+j] += a[i*l+p] * b[j*l+p]
					}
				}
			}
			a0, b0 := slices.Clone(a), slices.Clone(b)
			addMulNT(c, ldc, a, m, b, n, l, false)
			if !laSameBits(c, want) || !laSameBits(a, a0) || !laSameBits(b, b0) {
				t.Errorf("%v gap %d: %v, want %v", size, gap, c, want)
			}
		}
		if n > 0 && m != n { // of A alone
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
						t.Errorf("upper %v round %d at (%d,%d): %g, want %g", size, round, i, j, g[i*m+j],
							want)
					}
				}
			}
			mirror(g, m)
		}
	}
}

// TestNorm2 at every scale in range: n/2+3 roundings.
func TestNorm2(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 2))
	for e := -490; e <= 490; e += 70 {
		for _, n := range []int{0, 1, 10} {
			x := randomSlice(n, rng)
			sum := new(big.Float).SetPrec(2500)
			for i := range x {
				x[i] = math.Ldexp(x[i], e)
				v := new(big.Float).SetPrec(2500).SetFloat64(x[i])
				sum.Add(sum, v.Mul(v, v))
			}
			want, _ := sum.Sqrt(sum).Float64()
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
	for _, l := range []int{0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 129} {
		for count := range 10 {
			rows := 3*count + 1
			x := nans(rows * l)
			coef, index := randomSlice(count, rng), make([]int, count)
			for i := range index {
				index[i] = rng.IntN(rows)
				copy(x[index[i]*l:][:l], randomSlice(l, rng))
			}
			y := append(randomSlice(l, rng), math.NaN())
			want, size := slices.Clone(y), 1.0
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
		want := 0.0
		for i, v := range x {
			want += (v - y[i]) * (v - y[i])
		}
		if got := squaredDistance(x, y); got != want || squaredDistance(y[:n], x) != want {
			t.Errorf("n=%d: squared distance %g, want %g", n, got, want)
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
		if got := new(big.Float).SetPrec(300).Add(big.NewFloat(sum), big.NewFloat(lost)); sum != a+b ||
			got.Cmp(exact) != 0 {
			t.Fatalf("%g + %g = %g + %g", a, b, sum, lost)
		}
	}
	for n, want := range map[int]int{0: 0, 1: 3, 3: 3, 4: 6, 6: 6, 7: 9} {
		if got := roundUp(n, 3); got != want {
			t.Errorf("%d is rounded up to %d", n, got)
		}
	}
}

// inStrips returns number j of vector i.
func inStrips(strips []float64, l, i, j int) float64 {
	return strips[i/stripRows*stripSize(stripRows, l)+j/lanes*stripRows*lanes+i%stripRows*lanes+j%lanes]
}

func nans(n int) []float64 { return inTurn(n, math.NaN()) }

// checkStrips holds strips of n vectors of length l to what they should have, 0 behind the ends.
func checkStrips(t *testing.T, name string, strips []float64, n, l int, tol float64, want func(i,
	j int) float64) {
	t.Helper()
	for i := range roundUp(n, stripRows) {
		for j := range stripLength(l) {
			w := 0.0
			if i < n && j < l {
				w = want(i, j)
			}
			if v := inStrips(strips, l, i, j); !(math.Abs(v-w) <= tol) {
				t.Fatalf("%s, %d vectors of %d: %g at (%d,%d), want %g", name, n, l, v, i, j, w)
			}
		}
	}
}

// stripShapes are lengths on both sides of full lanes, strips, steps of a
// kernel and groups, for 1 to 8 lanes.
var stripShapes = []int{1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 24, 25, 47, 49, 96, 97, 193, 300}

// TestAddMulStrips against sums in a loop, with C's gaps and the work space full of NaN.
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
		plainRows(NewMatrix(m, l, a)).packStrips(x, span{0, m}, span{0, l}, false)
		plainRows(NewMatrix(n, l, b)).packStrips(y, span{0, n}, span{0, l}, false)
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
						t.Fatalf("%d×%d×%d, upper %v, at (%d,%d): %g, want %g", m, n, l, upper, i, j, got,
							want)
					}
				}
			}
		}
	}
	for _, l := range append([]int{0}, stripShapes...) {
		for m := 1; m < 8; m++ {
			for n := 1; n < 8; n += 2 {
				check(m, n, l, false)
			}
			check(m, m, l, true)
		}
	}
	check(20, 200, 300, false) // several groups
	check(200, 200, 50, true)
}

// TestPassKernels: addDifference, shift and rowMaxAbs against loops, at all lengths.
func TestPassKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for n := range 50 {
		x, origin, mean := randomSlice(n, rng), randomSlice(n, rng), randomSlice(n, rng)
		before := append(randomSlice(n, rng), math.NaN())
		sums, got, none := slices.Clone(before), slices.Clone(before), slices.Clone(before)
		top, finite := addDifference(sums, x, origin, 3)
		again, finite2 := addDifference(none, x, origin, 0)
		largest, finite3 := rowMaxAbs(x)
		shift(got, x, mean, 0.5)
		want := 0.0
		for j, v := range x {
			want = max(want, math.Abs(v))
			if w := before[j] + 3*(v-origin[j]); math.Abs(sums[j]-w) > 1e-14 {
				t.Errorf("n=%d: sum %d is %g, want %g", n, j, sums[j], w)
			}
			if w := 0.5*v - mean[j]; math.Abs(got[j]-w) > 1e-15 {
				t.Errorf("n=%d: shifted %d is %g, want %g", n, j, got[j], w)
			}
		}
		if top != want || again != want || largest != want || !finite || !finite2 || !finite3 ||
			!math.IsNaN(sums[n]) || !math.IsNaN(got[n]) || !laSameBits(none, before) {
			t.Errorf("n=%d: tops %g %g %g, want %g, or wrote past the end", n, top, again, largest, want)
		}
		for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
			for j := range x {
				y := slices.Clone(x)
				y[j] = bad
				_, finite := addDifference(slices.Clone(before), y, origin, 0)
				_, finite2 := addDifference(slices.Clone(before), y, origin, 1)
				if _, finite3 := rowMaxAbs(y); finite || finite2 || finite3 {
					t.Fatalf("n=%d: %g at %d was not seen", n, bad, j)
				}
			}
		}
	}
}

// TestStripGaps: rows that are farther apart than they are long, with NaN between them and
// nothing behind the last.
func TestStripGaps(t *testing.T) {
	for n := 1; n < 8; n++ {
		for l := 1; l < 12; l++ {
			row := l + 2
			v := nans((n-1)*row + l)
			for i := range n {
				for j := range l {
					v[i*row+j] = float64(100*i + j + 1)
				}
			}
			strips := nans(stripSize(n, l))
			plainRows(&Matrix{n, l, row, v}).packStrips(strips, span{0, n}, span{0, l}, false)
			checkStrips(t, "gaps", strips, n, l, 0, func(i, j int) float64 { return v[i*row+j] })
			// Three vectors, shifted, scaled and weighted.
			one, mean := nans(stripSize(1, l)), randomSlice(l, rand.New(rand.NewPCG(1, uint64(l))))
			x := [stripRows][]float64{v[:l], v[(n-1)*row:], v[n/2*row:][:l]}
			w := [stripRows]float64{2, 3, 0}
			interleave(one, &x, mean, 0.5, &w)
			checkStrips(t, "shifted", one, stripRows, l, 1e-12, func(i, j int) float64 {
				return (x[i][j]*0.5 - mean[j]) * w[i]
			})
		}
	}
}

// TestPackedColumns: the columns of a matrix, and of weighted samples, against formulas.
func TestPackedColumns(t *testing.T) {
	for _, m := range []int{1, 2, 7, 8, 9, 23, 25, 49} {
		for _, n := range []int{1, 2, 3, 11, 12, 13, 14, 24, 38, 100} {
			x, weights := randomData(m, n, 3, uint64(m)), inTurn(m, 1, 2, 3)
			strips := nans(stripSize(n, m))
			packColumns(strips, x.Data, m, n)
			checkStrips(t, "columns", strips, n, m, 0, func(j, i int) float64 { return x.row(i)[j] })
			weights[m/2] = 0
			if m == 1 {
				weights = nil
			}
			s := mustDo(newSamples(bg, x, weights, 1, true))(t)
			rows, cols := span{m / 3, m}, span{n / 8, n}
			strips = nans(stripSize(n-cols.lo, m-rows.lo))
			s.packStripsT(strips, rows, cols)
			checkStrips(t, "samples", strips, n-cols.lo, m-rows.lo, 1e-15, func(j, i int) float64 {
				i, j = i+rows.lo, j+cols.lo
				return (x.row(i)[j]*s.factor() - s.mean[j]) * s.root(i, true)
			})
		}
	}
}

// TestTwoProduct: a product and its error are the exact product, to 2^-104 of it.
func TestTwoProduct(t *testing.T) {
	for i, a := range randomData(200, 1, 0, 1).Data {
		b := math.Ldexp(1+float64(i)/7, 3*i-300)
		product, lost := twoProduct(a, b)
		exact := new(big.Float).SetPrec(200).SetFloat64(a)
		exact.Mul(exact, new(big.Float).SetFloat64(b))
		exact.Sub(exact, new(big.Float).SetFloat64(product))
		off, _ := exact.Sub(exact, new(big.Float).SetFloat64(lost)).Float64()
		if product != a*b || math.Abs(off) > 0x1p-104*math.Abs(product) {
			t.Errorf("%g·%g: %g and %g, off by %g", a, b, product, lost, off)
		}
	}
}
