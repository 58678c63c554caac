//go:build !tinygo

// TinyGo's testing.B has no Elapsed.

package softkmeans

import (
	"fmt"
	"math"
	"math/rand/v2"
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

// BenchmarkFitSeq is BenchmarkFit in blocks, with memberships and without.
func BenchmarkFitSeq(b *testing.B) {
	x := randomData(200000, 64, 1, 1)
	for _, rows := range []int{1, 100, 8192} {
		for _, members := range []bool{false, true} {
			o := &Options{}
			if members {
				o.Memberships = take
			}
			bench(b, fmt.Sprintf("n=200000,d=64,k=10,blocks=%d,memberships=%v", rows, members), len(x.Data),
				func() error { return second(FitSeq(bg, inBlocks(x, rows), 10, o)) })
		}
	}
}

// BenchmarkStats adds blocks up, and merges what was added.
func BenchmarkStats(b *testing.B) {
	for _, d := range []int{32, 256} {
		x := randomData(8192, d, 1, 1)
		for _, rows := range []int{1, 100, 8192} {
			var s Stats
			bench(b, fmt.Sprintf("Add/d=%d,rows=%d", d, rows), rows*d,
				func() error { return s.Add(rowsOf(x, 0, rows)) })
		}
		s, t := statsOf(b, x, nil), statsOf(b, x, nil)
		bench(b, fmt.Sprintf("Merge/d=%d", d), 0, func() error { return s.Merge(t) })
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
	scene := noisy(firstOf(mixtures(10000, 198, 4, 0.3, 1, 1)), 20, 1)
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
			run(fmt.Sprintf("mul/n=%d,d=%d,b=%d", n, d, k), 2*n*d*k, func() { must(s.multiply(v)) })
			run(fmt.Sprintf("mulT/n=%d,d=%d,b=%d", n, d, k), 2*n*d*k, func() { must(s.multiplyT(y)) })
		}
	}
}
