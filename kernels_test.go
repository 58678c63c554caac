package softkmeans

import (
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

func randomSlice(n int, rng *rand.Rand) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// TestKernels against loops, at all lengths around the unrolled parts.
func TestKernels(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 100 {
		x, y := randomSlice(n, rng), randomSlice(n+3, rng)
		want := 0.0
		for i := range x {
			want += x[i] * y[i]
		}
		if got := dot(x, y); math.Abs(got-want) > 1e-14*float64(n+1) {
			t.Errorf("dot n=%d: %g, want %g", n, got, want)
		}
		z := append([]float64(nil), y...)
		axpy(z, 2, x)
		a, b := append([]float64(nil), x...), append([]float64(nil), y[:n]...)
		rotate(a, b, 0.6, 0.8)
		c := append([]float64(nil), y...)
		scale(c[:n], 3)
		for i := range y {
			w := y[i]
			if i < n {
				w += 2 * x[i]
				if math.Abs(a[i]-(0.6*x[i]-0.8*y[i])) > 1e-15 || math.Abs(b[i]-(0.8*x[i]+0.6*y[i])) > 1e-15 {
					t.Errorf("rotate n=%d at %d", n, i)
				}
			}
			if z[i] != w {
				t.Errorf("axpy n=%d at %d: %g, want %g", n, i, z[i], w)
			}
			if i < n && c[i] != 3*y[i] || i >= n && c[i] != y[i] {
				t.Errorf("scale n=%d at %d: %g of %g", n, i, c[i], y[i])
			}
		}
	}
	for m := range 10 {
		for n := range 10 {
			for _, l := range []int{0, 1, 2, 3, 4, 5, 7, 15, 16, 17, 31, 33, 65, 71} {
				a, b := randomSlice(m*l, rng), randomSlice(n*l, rng)
				ldc := n + 2
				c := make([]float64, m*ldc)
				for i := range c {
					c[i] = math.NaN() // the gap between rows
				}
				for i := range m {
					for j := range n {
						c[i*ldc+j] = 1
					}
				}
				addMulNT(c, ldc, a, m, b, n, l, false)
				for i := range m {
					for j := range ldc {
						got := c[i*ldc+j]
						if j >= n {
							if !math.IsNaN(got) {
								t.Errorf("%d×%d×%d: wrote past a row", m, n, l)
							}
							continue
						}
						want := 1.0
						for p := range l {
							want += a[i*l+p] * b[j*l+p]
						}
						if math.Abs(got-want) > 1e-13 {
							t.Errorf("%d×%d×%d at (%d,%d): %g, want %g", m, n, l, i, j, got, want)
						}
					}
				}
				g := make([]float64, m*m)
				addMulNT(g, m, a, m, a, m, l, true)
				mirror(g, m)
				for i := range m {
					for j := range m {
						want := dot(a[i*l:i*l+l], a[j*l:j*l+l])
						if math.Abs(g[i*m+j]-want) > 1e-13 || g[i*m+j] != g[j*m+i] {
							t.Errorf("upper %d×%d at (%d,%d): %g, want %g", m, l, i, j, g[i*m+j], want)
						}
					}
				}
			}
		}
	}
}

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
		{nil, 0}, {[]float64{0, 0}, 0}, {[]float64{3, 4}, 5}, {[]float64{3e200, -4e200}, 5e200}, {[]float64{3e-200, 4e-200}, 5e-200},
		{[]float64{3 * 0x1p-1074, 4 * 0x1p-1074}, 5 * 0x1p-1074}, {[]float64{1e-300, 1}, 1}, {[]float64{math.MaxFloat64 / 2, 0}, math.MaxFloat64 / 2},
	} {
		if got := norm2(c.v); math.Abs(got-c.want) > 2e-16*c.want {
			t.Errorf("%v: %g, want %g", c.v, got, c.want)
		}
		if c.want > 0 {
			u := append([]float64(nil), c.v...)
			unit(u, c.want)
			if math.Abs(norm2(u)-1) > 1e-15 && c.want > 1e-300 {
				t.Errorf("unit of %v has length %g", c.v, norm2(u))
			}
			if got := cosineOf(c.v, c.v, c.want, c.want); math.Abs(got-1) > 1e-15 {
				t.Errorf("cosine of %v with itself is %g", c.v, got)
			}
		}
	}
}

func TestQR(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, size := range [][2]int{{1, 1}, {5, 3}, {3, 5}, {20, 20}, {40, 7}, {4, 0}} {
		for kind := range 3 {
			m, n := size[0], size[1]
			a := NewMatrix(m, n, randomSlice(m*n, rng))
			if kind == 1 && n > 1 { // duplicate columns
				for i := range m {
					a.Set(i, n-1, a.At(i, 0))
				}
			}
			if kind == 2 {
				clear(a.Data)
			}
			for _, pivot := range []bool{false, true} {
				b := a.Clone()
				var f *qr
				if pivot {
					f = qrPivot(bg, b)
				} else {
					f = qrFactor(bg, b)
				}
				q := identity(m)
				f.applyQ(q)
				if d := maxDiff(product(q.transposed(), q), identity(m)); d > 1e-14 {
					t.Errorf("%v kind %d: Q is off by %g", size, kind, d)
				}
				r := mapped(b, func(i, j int, v float64) float64 {
					if i > j || i >= f.rank {
						return 0
					}
					return v
				})
				back := product(q, r)
				for i := range m {
					for j := range n {
						from := j
						if pivot {
							from = f.perm[j]
						}
						if math.Abs(back.At(i, j)-a.At(i, from)) > 1e-13 {
							t.Errorf("%v kind %d pivot %v: QR differs by %g", size, kind, pivot, back.At(i, j)-a.At(i, from))
						}
					}
				}
				if pivot {
					for i := 1; i < f.rank; i++ {
						if math.Abs(b.At(i, i)) > math.Abs(b.At(i-1, i-1))*(1+1e-12) {
							t.Errorf("%v: the diagonal rises", size)
						}
					}
				}
			}
		}
	}
	// Rows that add nothing are replaced.
	v := NewMatrix(5, 6, nil)
	copy(v.Row(1), []float64{1, 2, 3, 4, 5, 6})
	copy(v.Row(2), []float64{2, 4, 6, 8, 10, 12})
	copy(v.Row(4), []float64{1e-200, 0, 0, 0, 0, 1e-200})
	orthonormalize(v, 0)
	if d := maxDiff(product(v, v.transposed()), identity(5)); d > 1e-15 {
		t.Errorf("orthonormalize is off by %g", d)
	}
}

func TestRunTasks(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, workers := range []int{1, 2, 7, 100} {
		for _, tasks := range []int{0, 1, 2, 50} {
			done := make([]atomic.Int32, tasks)
			busy := make([]atomic.Int32, workers)
			runTasks(workers, tasks, func(w, task int) {
				if busy[w].Add(1) != 1 {
					t.Error("two tasks at once on one worker")
				}
				done[task].Add(1)
				runtime.Gosched()
				busy[w].Add(-1)
			})
			for i := range done {
				if done[i].Load() != 1 {
					t.Errorf("task %d ran %d times", i, done[i].Load())
				}
			}
		}
	}
	noneLeft(t, before)
}

// noneLeft waits for goroutines that are done to go, and fails if some stay.
func noneLeft(t *testing.T, before int) {
	t.Helper()
	for range 60000 { // a minute: an emulated machine takes its time
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines left", runtime.NumGoroutine()-before)
}

func TestTaskRange(t *testing.T) {
	for n := range 30 {
		for c := 1; c < 12; c++ {
			at := 0
			for task := range c {
				lo, hi := taskRange(n, c, task)
				if lo != at || hi < lo {
					t.Fatalf("n=%d c=%d task %d: %d…%d after %d", n, c, task, lo, hi, at)
				}
				at = hi
			}
			if at != n {
				t.Fatalf("n=%d c=%d ends at %d", n, c, at)
			}
		}
	}
}

// laWhole is n whole numbers from −9 to 9, whose sums of products are exact.
func laWhole(n int, rng *rand.Rand) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(rng.IntN(19) - 9)
	}
	return v
}

// TestKernelsExact: on whole numbers every summation order gives the same, so
// kernels and loops must agree in every bit, at all sizes around the tiles,
// and nothing outside of the operands may be read or written.
func TestKernelsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	nan := math.NaN()
	for n := range 70 {
		x, y := laWhole(n, rng), append(laWhole(n, rng), nan, nan, nan, nan, nan)
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
	sizes := [][3]int{{17, 13, 65}, {33, 34, 3}, {2, 50, 128}, {50, 2, 127}, {64, 64, 64}}
	for m := range 10 {
		for n := range 10 {
			for l := range 10 {
				sizes = append(sizes, [3]int{m, n, l})
			}
		}
	}
	for _, size := range sizes {
		m, n, l := size[0], size[1], size[2]
		a, b := laWhole(m*l, rng), laWhole(n*l, rng)
		for _, gap := range []int{0, 3} {
			ldc := n + gap
			c := make([]float64, m*ldc+1)
			for i := range c {
				c[i] = nan
			}
			for i := range m {
				copy(c[i*ldc:], laWhole(n, rng))
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
	// norm2 at every scale, denormals included: half an ulp of the smallest
	// number, and n/2+3 roundings.
	for e := -1074; e <= 1020; e += 7 {
		for _, n := range []int{1, 3, 10} {
			x := randomSlice(n, rng)
			sum := new(big.Float).SetPrec(2500)
			for i := range x {
				x[i] = math.Ldexp(x[i], e)
				v := new(big.Float).SetPrec(2500).SetFloat64(x[i])
				sum.Add(sum, v.Mul(v, v))
			}
			want, _ := new(big.Float).SetPrec(200).Sqrt(sum).Float64()
			if got := norm2(x); !(math.Abs(got-want) <= (float64(n)/2+3)*laEps*want+math.SmallestNonzeroFloat64) {
				t.Errorf("2^%d n=%d: %g, want %g", e, n, got, want)
			}
		}
	}
	if got := norm2([]float64{math.MaxFloat64, math.MaxFloat64}); !math.IsInf(got, 1) {
		t.Errorf("a length beyond the range is %g", got)
	}
}

// TestQRScales: backward error and orthogonality as LAPACK's DQRT01 measures
// them, with columns of all sizes down to the denormals.
func TestQRScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	worst := 0.0
	for _, size := range [][2]int{{1, 1}, {2, 2}, {5, 3}, {3, 5}, {12, 12}, {40, 7}, {7, 40}} {
		m, n := size[0], size[1]
		for kind := range 7 {
			a := mapped(NewMatrix(m, n, nil), func(i, j int, _ float64) float64 {
				x := rng.NormFloat64()
				switch {
				case kind == 1 && j >= n/2: // denormal columns
					return math.Ldexp(x, -1060)
				case kind == 2: // falling into the denormals
					return math.Ldexp(x, -1060*j/n)
				case kind == 3: // denormal rows
					return math.Ldexp(x, -1060*i/m)
				case kind == 4 && (j%2 == 1 || i == 0): // zero columns, which the rank leaves out, and a zero row
					return 0
				case kind == 5: // all denormal
					return math.Ldexp(x, -1060)
				case kind == 6: // rank 1
					return float64((i + 1) * (j + 1))
				}
				return x
			})
			for _, pivot := range []bool{false, true} {
				r := a.Clone()
				var f *qr
				if pivot {
					f = qrPivot(bg, r)
				} else {
					f = qrFactor(bg, r)
				}
				q := identity(m)
				f.applyQ(q)
				e := product(q.transposed(), q)
				for i := range m {
					e.Row(i)[i]--
				}
				ratio := laNorm1(e) / (float64(m) * laEps)
				upper := mapped(r, func(i, j int, v float64) float64 {
					if i > j || i >= f.rank {
						return 0
					}
					return v
				})
				diff := product(q, upper)
				seen := make([]bool, n)
				for j := range n {
					from := j
					if pivot {
						from = f.perm[j]
					}
					if seen[from] {
						t.Fatalf("%v: perm %v", size, f.perm)
					}
					seen[from] = true
					for i := range m {
						diff.Row(i)[j] -= a.At(i, from)
					}
				}
				// Denormals have a rounding of their own.
				top := laNorm1(a)
				slack := float64(m*n) * 4 * math.SmallestNonzeroFloat64
				if d := laNorm1(diff); d > slack {
					ratio = max(ratio, (d-slack)/(top*float64(max(m, n))*laEps))
				}
				worst = max(worst, ratio)
				if !(ratio < 10) {
					t.Errorf("%v kind %d pivot %v: ratio %.3g", size, kind, pivot, ratio)
				}
				if pivot && kind == 4 && f.rank > (n+1)/2 {
					t.Errorf("%v: rank %d with zero columns", size, f.rank)
				}
				for i := 1; pivot && i < f.rank; i++ {
					if math.Abs(r.At(i, i)) > math.Abs(r.At(i-1, i-1))*(1+float64(8*m)*laEps)+slack {
						t.Errorf("%v kind %d: the diagonal rises from %g to %g", size, kind, r.At(i-1, i-1), r.At(i, i))
					}
				}
			}
			// qrReduce: RᵀR = AᵀA, and nothing below the diagonal.
			r := a.Clone()
			qrReduce(bg, r)
			for i := range m {
				for j := range min(i, n) {
					if r.At(i, j) != 0 {
						t.Errorf("%v kind %d: R has %g below its diagonal", size, kind, r.At(i, j))
					}
				}
			}
			left, right := product(r.transposed(), r), product(a.transposed(), a)
			top, _ := maxAbs("", right)
			if d := maxDiff(left, right); d > float64(20*m)*laEps*top {
				t.Errorf("%v kind %d: RᵀR differs by %g", size, kind, d)
			}
		}
	}
	t.Logf("worst ratio %.2f", worst)
}

// TestOrthonormalize: rows come out orthonormal, span what they spanned, and
// those said to be done are not touched.
func TestOrthonormalize(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 1))
	worst := 0.0
	for trial := range 300 {
		d := 1 + rng.IntN(12)
		b := rng.IntN(d + 1)
		v := NewMatrix(b, d, nil)
		for i := range b {
			switch row := v.Row(i); rng.IntN(6) {
			case 0: // zero
			case 1: // a row before, or nearly
				if i > 0 {
					copy(row, v.Row(rng.IntN(i)))
					row[0] += 1e-14 * rng.NormFloat64()
				}
			case 2: // tiny
				copy(row, randomSlice(d, rng))
				scale(row, 1e-310)
			case 3: // huge
				copy(row, randomSlice(d, rng))
				scale(row, 1e300)
			case 4: // a unit vector
				row[rng.IntN(d)] = -2
			default:
				copy(row, randomSlice(d, rng))
			}
		}
		from := 0
		if b > 0 && trial%3 == 0 {
			from = rng.IntN(b)
			orthonormalize(rowsOf(v, 0, from), 0)
		}
		in := v.Clone()
		view := laStrided(v)
		orthonormalize(view, from)
		orthonormalize(v, from)
		for i := range b {
			if !laSameBits(view.Row(i), v.Row(i)) {
				t.Errorf("trial %d: the view differs from its copy", trial)
			}
			if i < from && !laSameBits(v.Row(i), in.Row(i)) {
				t.Errorf("trial %d: row %d was done and changed", trial, i)
			}
			// Row i of the input is a combination of rows 0…i.
			rest, size := append([]float64(nil), in.Row(i)...), norm2(in.Row(i))
			if size == 0 {
				continue
			}
			unit(rest, size)
			for range 2 {
				for l := range i + 1 {
					axpy(rest, -dot(rest, v.Row(l)), v.Row(l))
				}
			}
			if left := norm2(rest); left > float64(d)*0x1p-50 && !(size < 1e-300 && left < 1e-12) { // deflate's limit
				t.Errorf("trial %d: row %d left its span by %g", trial, i, left)
			}
		}
		if b > 0 {
			e := product(v, v.transposed())
			for i := range b {
				e.Row(i)[i]--
			}
			ratio := laNorm1(e) / (float64(d) * laEps)
			worst = max(worst, ratio)
			if !(ratio < 10) {
				t.Errorf("trial %d, %d×%d: ratio %.3g", trial, b, d, ratio)
			}
		}
	}
	t.Logf("worst ratio %.2f", worst)
}

// TestRunTasksSerial: one worker, no worker, or one task run in order on the
// caller's goroutine as worker 0.
func TestRunTasksSerial(t *testing.T) {
	for _, c := range [][2]int{{1, 9}, {0, 9}, {-3, 9}, {8, 1}, {8, 0}, {1, 0}} {
		next := 0 // no lock: the race detector sees any other goroutine
		runTasks(c[0], c[1], func(worker, task int) {
			if worker != 0 || task != next {
				t.Errorf("%v: worker %d has task %d, want 0 and %d", c, worker, task, next)
			}
			next++
		})
		if next != c[1] {
			t.Errorf("%v: %d tasks ran", c, next)
		}
	}
	// With more, scratch space by worker needs no lock either.
	const tasks = 200
	scratch := make([]int, 5)
	runTasks(len(scratch), tasks, func(worker, _ int) { scratch[worker]++ })
	sum := 0
	for _, v := range scratch {
		sum += v
	}
	if sum != tasks {
		t.Errorf("%d of %d tasks ran", sum, tasks)
	}
}
