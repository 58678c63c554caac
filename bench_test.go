//go:build !tinygo

// TinyGo's testing.B has no Elapsed.

package softkmeans

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
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

// BenchmarkIteration is one pass with its F-step, from memberships at hand: ns/(ndk) is flat where the
// products decide, and rises where the n small problems of size k do.
func BenchmarkIteration(b *testing.B) {
	for _, c := range []struct{ n, d, k int }{
		{1000, 64, 10}, {4000, 64, 10}, {16000, 64, 10},
		{2000, 32, 10}, {2000, 128, 10}, {2000, 512, 10},
		{2000, 128, 5}, {2000, 128, 20}, {2000, 128, 40},
	} {
		b.Run(fmt.Sprintf("n=%d,d=%d,k=%d", c.n, c.d, c.k), func(b *testing.B) {
			clean, _ := mixtures(c.n, c.d, c.k, 0.3, 1, 1)
			j, err := openMinVolume(bg, noisy(clean, 20, 1), c.k, &MinVolumeOptions{Workers: 1}, true)
			must(b, err)
			start, err := j.startCenters(0)
			must(b, err)
			lifted := j.lift(start.f)
			if j, err = j.end(); err != nil {
				b.Fatal(err)
			}
			at, next := j.newIterate(), j.newIterate()
			copy(at.f.Data, lifted.Data)
			must(b, j.pass(at, nil))
			for b.Loop() {
				j.centersStep(next.f, at, j.firstLambda())
				must(b, j.pass(next, at.g))
				at, next = next, at
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.n*c.d*c.k), "ns/ndk")
		})
	}
}

// BenchmarkMinVolume is the whole default call with one worker, and its stages in
// milliseconds: the floor with the leading directions, the start, the search for λ in these
// directions, the end in all columns, and what is measured of the result.
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

func BenchmarkMinVolume(b *testing.B) {
	scene := noisy(firstOf(mixtures(10000, 198, 4, 0.3, 1, 1)), 20, 1)
	for _, c := range []dataSet{
		{"digits", standardized(loadCSV(b, "digits")), 10},
		{"images/n=1440,d=1024,k=20", objects(1440, 1024, 20, 1), 20},
		{"images/n=400,d=1024,k=40", objects(400, 1024, 40, 2), 40}, {"scene/n=10000,d=198,k=4", scene, 4},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var spent [5]time.Duration
			for b.Loop() {
				minVolumeStages(b, c.x, c.k, &spent)
			}
			for i, name := range [...]string{"floor-ms", "start-ms", "search-ms", "end-ms", "result-ms"} {
				b.ReportMetric(spent[i].Seconds()*1000/float64(b.N), name)
			}
		})
	}
}

// minVolumeStages is FitMinVolume, stage by stage, with the time of each added to spent.
func minVolumeStages(b *testing.B, x *Matrix, k int, spent *[5]time.Duration) {
	last, stage := time.Now(), 0
	done := func(err error) {
		must(b, err)
		spent[stage] += time.Since(last)
		last, stage = time.Now(), stage+1
	}
	vf, err := openMinVolume(bg, x, k, &MinVolumeOptions{Workers: 1}, true)
	done(err)
	start, _, err := vf.chosenStart(0)
	done(err)
	best, err := vf.steered(start, vf.firstLambda())
	done(err)
	best, err = best.inFull(func(all *alternation, from runStart) *volumeRun {
		out, _ := all.steered(from, best.lambda)
		return out
	})
	done(err)
	_, err = best.finish(nil)
	done(err)
}

// objects returns n rows of k objects, each a closed curve in a space of four smooth
// directions, as of pictures from all sides, with noise.
func objects(n, d, k int, seed uint64) *Matrix {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, base := NewMatrix(n, d, nil), NewMatrix(4*k, d, nil)
	for i := range base.Rows {
		for range 8 {
			f, p, a := 80*rng.Float64()/float64(d), 7*rng.Float64(), rng.NormFloat64()
			for j := range d {
				base.Data[i*d+j] += a * math.Sin(f*float64(j)+p)
			}
		}
	}
	for i := range n {
		row, t := x.row(i), 2*math.Pi*rng.Float64()
		for c, v := range []float64{1, .5 * math.Cos(t), .5 * math.Sin(t), .3 * math.Cos(2*t)} {
			axpy(row, v, base.row(4*(i*k/n)+c))
		}
		for j := range row {
			row[j] += .5 * rng.NormFloat64()
		}
	}
	return x
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

// BenchmarkStage has the stages of Fit with the operations and the bytes of X that
// each needs at least, on one worker and on all: docs/performance.md is made of it.
func BenchmarkStage(b *testing.B) {
	for _, c := range []struct{ n, d, k int }{{100000, 64, 10}, {20000, 784, 10}, {400, 4096, 20}} {
		x := randomData(c.n, c.d, 1, 1)
		small, p := min(c.n, c.d), c.k-1
		nd := c.n * c.d
		for _, workers := range []int{1, workerCount(0)} {
			s, err := newSamples(bg, x, nil, workers, true)
			must(b, err)
			gram, err := gramMatrix(s)
			must(b, err)
			_, vectors := leadingEigen(bg, gram.Clone(), p, workers)
			pc, err := findPrincipal(s, p, SolverGram)
			must(b, err)
			g := NewMatrix(c.n, c.k, nil)
			e, err := placeSimplex(s, g, pc.basis, &Options{}, path{})
			must(b, err)
			f := simplexCenters(s, e, pc.basis)
			run := func(stage string, flops, reads int, call func() error) {
				name := fmt.Sprintf("n=%d,d=%d,k=%d/workers=%d/%s", c.n, c.d, c.k, workers, stage)
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						must(b, call())
					}
					ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
					b.ReportMetric(ns/1e6, "ms")
					b.ReportMetric(float64(flops)/ns, "GF/s")
					b.ReportMetric(float64(8*reads*nd)/ns, "GB/s")
				})
			}
			run("survey", 2*nd, 1, func() error { return second(newSamples(bg, x, nil, workers, true)) })
			run("gram", nd*(small+1), 1, func() error { return second(gramMatrix(s)) })
			run("eigen", 4*small*small*small/3, 0, func() error {
				leadingEigen(bg, gram.Clone(), p, workers)
				return nil
			})
			if s.wide() {
				run("basis", 2*nd*p, 1, func() error {
					return new(principal).setBasis(s, vectors, wanted{p, 0}, s.multiplyT)
				})
			}
			run("place", 2*nd*p+2*c.n*p*c.k, 1, func() error {
				return second(placeSimplex(s, g, pc.basis, &Options{}, path{}))
			})
			run("objective", 2*nd*(c.k+1), 1, func() error { return second(objectiveOf(s, f, g, SumToOne)) })
			run("Fit", nd*(small+1)+2*nd*(2*c.k+1), 4, func() error {
				return second(Fit(bg, x, c.k, &Options{Workers: workers}))
			})
		}
	}
}

// BenchmarkPeak is what this machine gives one worker at most: arithmetic in registers, the same with
// operands from the nearest cache, and a read of memory.
func BenchmarkPeak(b *testing.B) {
	b.Run("registers", func(b *testing.B) {
		var sink float64
		for b.Loop() {
			sink += peakFlops(20000)
		}
		b.ReportMetric(float64(peakFlopsOf(20000))*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GF/s")
		_ = sink
	})
	b.Run("tile", func(b *testing.B) {
		const l = 240
		strips, c := make([]float64, stripSize(stripRows, l)), make([]float64, 9)
		for b.Loop() {
			addMulStrips(c, 3, strips, 3, strips, 3, l, false)
		}
		b.ReportMetric(18*l*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GF/s")
	})
	b.Run("memory", func(b *testing.B) {
		v, sum := randomData(1, 1<<24, 0, 1).Data, 0.0 // pages of zeros would all be one
		for b.Loop() {
			sum += sumSquares(v)
		}
		b.ReportMetric(8*float64(len(v))*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GB/s")
		_ = sum
	})
}

// peakFlops runs chains of multiplications and additions that do not wait for each
// other, peakFlopsOf operations in all.
func peakFlops(turns int) float64 {
	if useSIMD {
		return peakFlopsSIMD(turns)
	}
	var s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11 float64
	x, y := 0.999, 0.001
	for range turns {
		s0 = s0*x + y
		s1 = s1*x + y
		s2 = s2*x + y
		s3 = s3*x + y
		s4 = s4*x + y
		s5 = s5*x + y
		s6 = s6*x + y
		s7 = s7*x + y
		s8 = s8*x + y
		s9 = s9*x + y
		s10 = s10*x + y
		s11 = s11*x + y
	}
	return s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9 + s10 + s11
}

func peakFlopsOf(turns int) int {
	return turns * 2 * 12 * lanes
}
