package softkmeans

import (
	"math"
	"math/rand/v2"
	"testing"
)

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
