package softkmeans

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
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
	for n := range 40 {
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
		}
	}
	for m := range 10 {
		for n := range 10 {
			for _, l := range []int{0, 1, 2, 3, 4, 5, 7, 33} {
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
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
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
