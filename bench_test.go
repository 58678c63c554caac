//go:build !tinygo

package softkmeans

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
)

// bench runs a benchmark of a call that may fail, and reads so many numbers; 0: that does not matter.
func bench(b *testing.B, name string, numbers int, call func() error) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(8 * numbers))
		b.ReportAllocs()
		for b.Loop() {
			must(b, call())
		}
	})
}

func BenchmarkFit(b *testing.B) {
	for _, c := range []struct{ n, d, k int }{
		{150, 4, 3}, {1797, 64, 10}, {20000, 64, 10}, {200000, 64, 10}, {2000, 784, 10}, {400, 4096, 20},
	} {
		x := randomData(c.n, c.d, 1, 1)
		bench(b, fmt.Sprintf("n=%d,d=%d,k=%d", c.n, c.d, c.k), c.n*c.d,
			func() error { return second(Fit(bg, x, c.k, nil)) })
	}
}

// BenchmarkPredict has rows inside of the simplex and, after the vertices are
// drawn in, rows outside, where supports must be found.
func BenchmarkPredict(b *testing.B) {
	for _, c := range []struct{ n, d, k int }{{10000, 198, 4}, {10000, 198, 12}, {10000, 64, 30}} {
		for _, shrink := range []float64{1, 0.3} {
			x, dst := randomData(c.n, c.d, 1, 1), NewMatrix(c.n, c.k, nil)
			m, err := Fit(bg, x, c.k, nil)
			must(b, err)
			m.Centers = mapped(m.Centers, func(_, _ int, v float64) float64 { return 1 + shrink*(v-1) })
			bench(b, fmt.Sprintf("n=%d,d=%d,k=%d,shrink=%g", c.n, c.d, c.k, shrink), 0,
				func() error { return second(m.Predict(dst, x)) })
		}
	}
}

// BenchmarkCertify certifies centers near the data, and ones so far from it that cancel in
// each row, which takes twice the digits.
func BenchmarkCertify(b *testing.B) {
	const n, d, k = 10000, 30, 5
	x, g := randomData(n, d, 1, 1), NewMatrix(n, k, nil)
	for i := range n {
		copy(g.Row(i), []float64{0.25, 0.25, 0.2, 0.2, 0.1})
	}
	for _, size := range []float64{1, 1e12} {
		f := randomData(k, d, 0, 2)
		for j, v := range f.Row(0) {
			f.Set(0, j, size*v)
			f.Set(1, j, -size*v)
		}
		bench(b, fmt.Sprintf("n=%d,d=%d,k=%d,size=%g", n, d, k, size), 0,
			func() error { return second(Certify(bg, x, f, g, nil)) })
	}
}

// BenchmarkManyRows is FitMinVolume, on all processors, of mixtures of normal prototypes. Their shares are as
// fourth powers of exponentials, and the noise is 0.1.
func BenchmarkManyRows(b *testing.B) {
	for _, c := range [][3]int{
		{4000, 500, 10}, {20000, 100, 10}, {100000, 20, 20}, {200000, 10, 10}, {10000, 100, 100},
	} {
		b.Run(fmt.Sprintf("n=%d,d=%d,k=%d", c[0], c[1], c[2]), func(b *testing.B) {
			if testing.Short() && c[2] > 20 {
				b.Skip("takes minutes on a slow machine")
			}
			rng := rand.New(rand.NewPCG(1, 1))
			normal := func(n int) *Matrix {
				m := NewMatrix(n, c[1], nil)
				for i := range m.Data {
					m.Data[i] = rng.NormFloat64()
				}
				return m
			}
			prototypes, x := normal(c[2]), normal(c[0])
			shares := make([]float64, c[2])
			for i := range x.Rows {
				for j := range shares {
					shares[j] = math.Pow(rng.ExpFloat64(), 4)
				}
				scale(x.row(i), 0.1)
				sum := sumOf(shares)
				for j, v := range shares {
					axpy(x.row(i), v/sum, prototypes.row(j))
				}
			}
			for b.Loop() {
				mustDo(FitMinVolume(bg, x, c[2], nil))(b)
			}
		})
	}
}

// BenchmarkMinVolume is the default call with one worker.
func BenchmarkMinVolume(b *testing.B) {
	scene, _ := mixtures(10000, 198, 4, 0.3, 1, 1)
	scene = noisy(scene, 20, 1)
	for _, c := range []dataSet{{"digits", standardized(loadCSV(b, "digits")), 10},
		{"scene/n=10000,d=198,k=4", scene, 4}} {
		bench(b, c.name, 0, func() error {
			return second(FitMinVolume(bg, c.x, c.k, &MinVolumeOptions{Workers: 1}))
		})
	}
}

// BenchmarkLSD: similarities of n samples with 10 clusters and noise of 5 % of their norm, beside all
// eigenvectors of the same matrix, which is what the decompositions would cost without the Krylov iteration;
// 5000 of them take minutes and are left out with -short.
func BenchmarkLSD(b *testing.B) {
	const k = 10
	for _, n := range []int{500, 1000, 5000} {
		kernel := disturbed(similarityOf(dirichlet(n, k, 0.3, 1), 2), 0.05, 1)
		run := func(name string, f func() error) { bench(b, fmt.Sprintf("n=%d,k=%d/%s", n, k, name), 0, f) }
		run("TILSD", func() error { return second(TILSD(bg, kernel, k, nil)) })
		run("LSD", func() error { return second(LSD(bg, kernel, k, nil)) })
		run("LSD without descent", func() error { return second(LSD(bg, kernel, k, &LSDOptions{MaxIter: -1})) })
		if n <= 1000 || !testing.Short() {
			run("EigenSym", func() error { _, _, err := EigenSym(kernel); return err })
		}
	}
}

// BenchmarkKernel: what the package spends its time in, on one worker. Counted
// are the products that the result needs: of a Gram matrix one triangle.
func BenchmarkKernel(b *testing.B) {
	run := func(name string, flops int, f func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(flops)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GF/s")
		})
	}
	vector := randomData(2, 1024, 0, 1)
	var sink float64
	run("dot/n=1024,d=1,b=1", 2048, func() { sink += dot(vector.row(0), vector.row(1)) })
	run("axpy/n=1024,d=1,b=1", 2048, func() { axpy(vector.row(1), 1e-9, vector.row(0)) })
	const n = 4096
	for _, d := range []int{32, 64, 100, 256, 784} {
		s, err := newSamples(bg, randomData(n, d, 1, 1), nil, 1, true)
		must(b, err)
		must := func(_ *Matrix, err error) {
			must(b, err)
		}
		run(fmt.Sprintf("gram/n=%d,d=%d,b=1", n, d), n*d*(d+1), func() { must(gramMatrix(s)) })
		for _, k := range []int{4, 10, 32} {
			v, y := randomData(k, d, 0, 1), randomData(k, n, 0, 1)
			run(fmt.Sprintf("mul/n=%d,d=%d,b=%d", n, d, k), 2*n*d*k, func() { must(multiply(s, v)) })
			run(fmt.Sprintf("mulT/n=%d,d=%d,b=%d", n, d, k), 2*n*d*k, func() { must(s.multiplyT(y)) })
		}
	}
}

// Many small calls of every kind, as a server makes them for weeks: nothing grows, no goroutine
// stays. Whether results are right the fuzz targets say. All of the calls by
//
//	SOFTKMEANS_SOAK=1 go test -race -run TestSoak -timeout 60m -v .

// soakCalls are the calls, and how many of them: in a soak, and in the suite.
var soakCalls = []struct {
	soak, few int
	call      func(s *soak) error
}{
	{100000, 100, func(s *soak) error { return second(Fit(s, s.x, s.k, &s.o)) }},
	{1000, 3, func(s *soak) error { return second(FitMinVolume(s, s.x, s.k, &s.v)) }},
	{400, 2, func(s *soak) error { return second(FitAlternating(s, s.x, s.k, &s.v)) }},
	{400, 2, func(s *soak) error {
		m, err := LSD(s, outer(s.x), s.k, &LSDOptions{Workers: s.v.Workers, Seed: s.v.Seed, MaxIter: 100})
		if err == nil && m.Scale > 0 {
			_, err = m.Predict(nil, outer(s.x))
		}
		return err
	}},
	{400, 2, func(s *soak) error {
		return second(TILSD(s, outer(s.x), s.k, &LSDOptions{Workers: s.v.Workers, Enclosure: s.o.Enclosure}))
	}},
	{400, 2, func(s *soak) error {
		m, err := Fit(bg, s.x, s.k, nil)
		if err != nil {
			return err
		}
		y := s.x.Clone()
		if s.IntN(2) == 0 {
			y.Set(0, 0, math.NaN())
		}
		_, err = m.Predict(nil, y)
		return errors.Join(err, second(m.PredictLabels(nil, y)))
	}},
}

// soak contains the arguments of one random call. One call in eight has bad input, one in eight is cancelled.
type soak struct {
	*rand.Rand
	context.Context
	x *Matrix
	k int
	o Options
	v MinVolumeOptions
}

func newSoak(seed uint64) *soak {
	r := rand.New(rand.NewPCG(seed, 51))
	s := &soak{Rand: r, Context: bg, k: 1 + r.IntN(6)}
	rows := 60
	if r.IntN(500) == 0 { // of several blocks
		rows = 4000
	}
	s.x = randomData(1+r.IntN(rows), 1+r.IntN(12), 20*r.NormFloat64(), r.Uint64())
	if r.IntN(3) == 0 {
		s.x = laStrided(s.x)
	}
	w := randomSlice(s.x.Rows, r)
	for i, v := range w {
		w[i] = max(v, 0)
	}
	w[0] = 1
	s.v = MinVolumeOptions{
		Workers: r.IntN(4), Seed: r.Uint64(), Restarts: r.IntN(3), MaxIter: 1 + r.IntN(100),
		Init: Init(r.IntN(int(initCount))), Volume: Volume(r.IntN(3)), Sum: Sum(r.IntN(2)),
	}
	s.o = Options{
		Weights: w, Solver: Solver(r.IntN(4)), Enclosure: Enclosure(r.IntN(2)), Workers: r.IntN(5),
	}
	switch r.IntN(16) {
	case 0:
		s.x.Set(s.x.Rows-1, 0, math.Inf(-1))
	case 1:
		s.o.Workers, s.v.Workers = -1, -1
	case 2, 3:
		s.Context = endingAt(r.IntN(12))
	}
	return s
}

// TestSoak makes all calls in a random order. In the midst of them the live heap is
// measured after every tenth.
func TestSoak(t *testing.T) {
	long := os.Getenv("SOFTKMEANS_SOAK") == "1"
	var order []func(s *soak) error
	for _, c := range soakCalls {
		n := c.few
		if long {
			n = c.soak
		}
		for range n {
			order = append(order, c.call)
		}
	}
	shuffle := rand.New(rand.NewPCG(1, 50))
	shuffle.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	goroutines, wrong, cancelled := runtime.NumGoroutine(), 0, 0
	var live []uint64
	for i, call := range order {
		err := call(newSoak(uint64(i)))
		switch {
		case errors.Is(err, context.Canceled):
			cancelled++
		case errors.Is(err, ErrNonFinite), errors.Is(err, ErrOption):
			wrong++
		case err != nil:
			t.Fatalf("call %d: %v", i, err)
		}
		if (i+1)*10/len(order) > i*10/len(order) {
			noneLeft(t, goroutines)
			live = append(live, liveHeap())
		}
	}
	// If every call left the smallest object, of 8 bytes, twice as much would have come. The
	// runtime keeps some 0.5 kB for each of fewer than a hundred ended goroutines: 64 kB.
	grown, allowed := int64(live[len(live)-1])-int64(live[0]), int64(4*len(order)+64<<10)
	if grown > allowed {
		t.Errorf("%d bytes more are live after %d calls than after a tenth: %d", grown, len(order), live)
	}
	t.Logf("%d calls, %d of bad input, %d cancelled, live heap %+d bytes (%d allowed)", len(order), wrong,
		cancelled, grown, allowed)
	if wrong < len(order)/20 || cancelled < len(order)/100 {
		t.Error("too few errors or cancelled calls to say anything")
	}
}

// liveHeap is what is still reachable.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers and pools let go in the first
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
