package softkmeans

import (
	"math"
	"math/rand/v2"
	"testing"
)

// iterated returns a mixture with a lambda, and a state after some iterations.
func iterated(t testing.TB, x *Matrix, k int, o *MinVolumeOptions) (j *job, at, next *state) {
	t.Helper()
	j, err := newJob(bg, x, k, o)
	if err != nil {
		t.Fatal(err)
	}
	j.setEpsilon()
	j.lambda = j.firstLambda()
	start, err := j.start(0)
	if err != nil {
		t.Fatal(err)
	}
	at, next = j.newState(), j.newState()
	copy(at.f.Data, start.Data)
	if err := j.visit(at, nil); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		j.centersStep(next.f, at)
		if err := j.visit(next, at.g); err != nil {
			t.Fatal(err)
		}
		at, next = next, at
	}
	return j, at, next
}

// TestIterationAllocations: with one worker an iteration allocates nothing, with
// several only what it takes to start them.
func TestIterationAllocations(t *testing.T) {
	if raceDetector {
		skip(t, "the race detector allocates")
		return
	}
	n := fewer(700, 300)
	clean, _ := mixtures(n, fewer(40, 20), 6, 0.3, 1, 1)
	x := noisy(clean, 20, 1)
	weights := make1(n)
	weights[3], weights[40] = 0, 0.5
	for _, c := range []struct {
		name string
		x    *Matrix
		k    int
		o    MinVolumeOptions
	}{
		{"origin", x, 6, MinVolumeOptions{Volume: VolumeOrigin}},
		{"affine", x, 6, MinVolumeOptions{Volume: VolumeAffine, Weights: weights}},
		{"sum at most 1", x, 6, MinVolumeOptions{Sum: SumAtMostOne}},
		{"k > d+1", randomData(300, 3, 1, 1), 6, MinVolumeOptions{}},
		{"k > 64", randomData(fewer(300, 100), 80, 1, 1), 70, MinVolumeOptions{Init: InitRandom}},
		{"k = 1", x, 1, MinVolumeOptions{}},
		{"exact", clean, 6, MinVolumeOptions{}},
	} {
		for _, workers := range []int{1, 3} {
			c.o.Workers = workers
			j, at, next := iterated(t, c.x, c.k, &c.o)
			got := testing.AllocsPerRun(5, func() {
				j.centersStep(next.f, at)
				if err := j.visit(next, at.g); err != nil {
					t.Error(err)
				}
			})
			if most := 0.0 + float64(8*(workers-1)); got > most {
				t.Errorf("%s, %d workers: %g allocations an iteration, %g at most", c.name, workers, got, most)
			}
		}
	}
}

// TestVisit holds a visit with memory of any content to plain loops: weights of
// 0, memberships of 0, vertices near the origin and far from it.
func TestVisit(t *testing.T) {
	x := randomData(500, 9, 3, 5)
	weights := make1(500)
	for i := range weights {
		weights[i] = float64(i % 3)
	}
	for _, far := range []float64{0, 1, 1e3} {
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			j, at, next := iterated(t, x, 5, &MinVolumeOptions{Weights: weights, Sum: sum, Workers: 2})
			for _, f := range []*state{at, next} {
				for a := range 5 {
					f.f.row(a)[0] += far
				}
			}
			for w := range j.work.hands { // what is left from other visits does not matter
				h := &j.work.hands[w]
				for _, v := range [][]float64{h.scratch, h.row, h.coef, h.shares, j.work.a, j.work.inverse, j.work.scratch} {
					for i := range v {
						v[i] = math.NaN()
					}
				}
			}
			for _, f := range []*Matrix{next.g, next.gg, next.gz, next.inner} {
				for i := range f.Data {
					f.Data[i] = math.NaN()
				}
			}
			j.centersStep(next.f, at)
			for a := range 5 {
				next.f.row(a)[1] += far
			}
			if err := j.visit(next, at.g); err != nil {
				t.Fatal(err)
			}
			if near := j.work.problem.near; far == 0 && !near || far == 1e3 && sum == SumToOne && near {
				t.Errorf("%v far %g: near is %v", sum, far, near)
			}
			g, _, err := SimplexLeastSquares(nil, j.z, next.f, &SimplexOptions{Sum: sum})
			if err != nil {
				t.Fatal(err)
			}
			if d := maxDiff(g, next.g); d > 1e-11*(1+far) {
				t.Errorf("%v far %g: memberships differ by %g", sum, far, d)
			}
			fit, gg, gz := j.left, NewMatrix(5, 5, nil), NewMatrix(5, j.z.Cols, nil)
			for i := range x.Rows {
				w, row := j.s.weight(i), append([]float64(nil), j.z.row(i)...)
				for a, v := range next.g.row(i) {
					axpyGeneric(row, -v, next.f.row(a))
					axpyGeneric(gz.row(a), w*v, j.z.row(i))
					axpyGeneric(gg.row(a), w*v, next.g.row(i))
				}
				fit += w * dotGeneric(row, row)
			}
			if math.Abs(fit-next.fit) > 1e-12*fit || maxDiff(gg, next.gg) > 1e-11 || maxDiff(gz, next.gz) > 1e-11 {
				t.Errorf("%v far %g: fit %g, want %g; GᵀG off by %g, GᵀZ by %g", sum, far, next.fit, fit, maxDiff(gg, next.gg), maxDiff(gz, next.gz))
			}
		}
	}
}

// TestLogInverse: both ways agree where Cholesky is trusted, and it is not where
// the matrix is singular beside ε.
func TestLogInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{1, 2, 5, 12, 40} {
		for _, ratio := range []float64{1, 1e-3, 1e-5, 1e-9} {
			f := NewMatrix(n, n+3, randomSlice(n*(n+3), rng))
			for a := range n { // singular values of very different sizes
				scale(f.row(a), math.Pow(ratio, float64(a)/float64(n)))
			}
			a := make([]float64, n*n)
			addMulNT(a, n, f.Data, n, f.Data, n, n+3, false)
			for _, eps := range []float64{1, 1e-6, 1e-12, 1e-15, 1e-30} {
				d, e, scratch := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
				for i := range d {
					d[i], e[i], scratch[i] = math.NaN(), math.NaN(), math.NaN()
				}
				own := append([]float64(nil), a...)
				logs := logInverse(d, own, scratch, n, eps)
				cond := norm2(own) / eps
				if math.IsNaN(logs) {
					if cond < safeCondition/float64(n*n) {
						t.Errorf("n=%d, ratio %g, ε %g: not trusted", n, ratio, eps)
					}
					continue
				}
				whole := append([]float64(nil), own...)
				want := logInverseEigen(e, own, n, eps)
				if math.Abs(logs-want) > 1e-3*math.Abs(want) && math.Abs(logs-want) > 1e-3 {
					t.Errorf("n=%d, ratio %g, ε %g: logarithms %g, %g from eigenvalues", n, ratio, eps, logs, want)
				}
				// D(A + εI) = I to rounding times what D and A are of.
				off := product(NewMatrix(n, n, d), NewMatrix(n, n, whole))
				if diff := maxDiff(off, identity(n)); diff > 1e-15*float64(n)*norm2(d)*norm2(whole) {
					t.Errorf("n=%d, ratio %g, ε %g: inverse off by %g", n, ratio, eps, diff)
				}
			}
		}
	}
}
