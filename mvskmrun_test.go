package softkmeans

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// must ends the test where a call fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// iterated returns a fit with a λ, and the last two iterates of a few steps.
func iterated(t testing.TB, x *Matrix, k int, o *MinVolumeOptions) (j *alternation, at, next *iterate) {
	t.Helper()
	j = mustDo(openMinVolume(bg, x, k, o))(t)
	start, err := j.startCenters(0)
	if err != nil {
		t.Fatal(err)
	}
	at, next = j.newIterate(), j.newIterate()
	copy(at.f.Data, start.f.Data)
	must(t, j.pass(at, nil))
	for range 3 {
		j.centersStep(next.f, at, j.firstLambda())
		must(t, j.pass(next, at.g))
		at, next = next, at
	}
	return j, at, next
}

// TestIterationAllocations: with one worker an iteration allocates the functions of its pass. Several workers
// allocate their start as well.
func TestIterationAllocations(t *testing.T) {
	if raceDetector {
		skip(t, "the race detector allocates")
		return
	}
	n := fewer(700, 150)
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
		{"k > d+1", randomData(n, 3, 1, 1), 6, MinVolumeOptions{}},
		{"k > 64", randomData(fewer(300, 100), 80, 1, 1), 70, MinVolumeOptions{}},
		{"k = 1", x, 1, MinVolumeOptions{}},
		{"exact", clean, 6, MinVolumeOptions{}},
	} {
		for _, workers := range []int{1, 3} {
			c.o.Workers = workers
			j, at, next := iterated(t, c.x, c.k, &c.o)
			got := testing.AllocsPerRun(5, func() {
				j.centersStep(next.f, at, j.firstLambda())
				if err := j.pass(next, at.g); err != nil {
					t.Error(err)
				}
			})
			if most := 2 + float64(8*(workers-1)); got > most {
				t.Errorf("%s, %d workers: %g allocations an iteration, %g at most", c.name, workers, got,
					most)
			}
		}
	}
}

// TestLogInverse: both ways agree where Cholesky is trusted, and it is not where
// the matrix is singular next to ε.
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
				regular := slices.Clone(own)
				if want := logInverseEigen(e, own, n, eps); math.Abs(logs-want) > 1e-3*max(1, math.Abs(want)) {
					t.Errorf("n=%d, ratio %g, ε %g: %g, %g from eigenvalues", n, ratio, eps, logs, want)
				}
				// D(A + εI) is I, to rounding times the norms of D and A + εI.
				for _, inverse := range [][]float64{d, e} {
					off := product(NewMatrix(n, n, inverse), NewMatrix(n, n, regular))
					if diff := maxDiff(off,
						identity(n)); !(diff <= 1e-15*float64(n)*norm2(inverse)*norm2(regular)) {
						t.Errorf("n=%d, ratio %g, ε %g: inverse off by %g", n, ratio, eps, diff)
					}
				}
			}
		}
	}
	for eps, trusted := range map[float64]bool{0x1p-39: true, 0x1.8p-41: false} { // up to 2^40
		logs := logInverse(make([]float64, 4), []float64{1, 0, 0, 0}, make([]float64, 4), 2, eps)
		if math.IsNaN(logs) == trusted {
			t.Errorf("at a condition of %g: %g", 1/eps, logs)
		}
	}
}

// TestAlternating: the objective lies between the floor and that of the start, every start works, more
// restarts are not worse, and from the global simplex the floor is kept.
func TestAlternating(t *testing.T) {
	t.Parallel()
	x := standardized(loadCSV(t, "wine"))
	for _, sum := range []Sum{SumToOne, SumAtMostOne} {
		for _, init := range []Init{InitAuto, InitKMeans, InitSPA, InitGlobal}[:4-sum] {
			m := mustDo(FitAlternating(bg, x, 3, &MinVolumeOptions{Init: init, Sum: sum}))(t)
			if m.Objective < m.Floor-1e-12*m.Total || m.Objective > m.Trace[0]+1e-12*m.Total ||
				m.Lambda != 0 || m.Epsilon != 0 || m.Sum != sum {
				t.Errorf("%v %v: objective %g, floor %g, start %g", init, sum,
					m.Objective, m.Floor, m.Trace[0])
			}
			// with its rounding
			if last := m.Trace[len(m.Trace)-1]; math.Abs(last-m.Objective) > 1e-11*m.Total {
				t.Errorf("%v %v: trace ends at %g, objective %g", init, sum, last, m.Objective)
			}
			if init == InitGlobal && sum == SumToOne && (m.Gap > 1e-12 || m.Status != StatusConverged) {
				t.Errorf("the global simplex is left: gap %g, %v", m.Gap, m.Status)
			}
		}
	}
	// Wide data, which is taken to its row space: the trace's last objective is that of
	// the data as well, to the rounding of sums of n·d squares.
	wide := randomData(14, 40, 1, 5)
	across, err := FitAlternating(bg, wide, 4, &MinVolumeOptions{Centers: randomCenters(wide, 4, 0)})
	if err != nil ||
		math.Abs(across.Trace[len(across.Trace)-1]-across.Objective) > 14*40*0x1p-52*across.Total {
		t.Errorf("wide: trace ends at %g, objective %g: %v",
			across.Trace[len(across.Trace)-1], across.Objective, err)
	}
	var objectives []float64
	for restarts := 1; restarts <= 6; restarts += fewer(1, 5) { // each has the starts of those before it, too
		m := mustDo(FitAlternating(bg, x, 5, &MinVolumeOptions{MaxIter: 5, Restarts: restarts}))(t)
		objectives = append(objectives, m.Objective)
		if restarts == 1 && (m.Status != StatusIterationLimit || m.Iterations != 5) {
			t.Errorf("%v after %d iterations", m.Status, m.Iterations)
		}
	}
	slices.Reverse(objectives)
	if !slices.IsSorted(objectives) || !(objectives[0] < .999*objectives[len(objectives)-1]) {
		t.Errorf("six starts to one: %g", objectives)
	}
}

// TestAlternatingStays: the example of docs/accuracy.md, four points and a start from
// which the iteration ends at four times the least error.
func TestAlternatingStays(t *testing.T) {
	x := NewMatrix(4, 2, []float64{2, 0, -2, 0, 0, 1, 0, -1})
	start := NewMatrix(2, 2, []float64{0, 1, 0, -1})
	m := mustDo(FitAlternating(bg, x, 2, &MinVolumeOptions{Centers: start}))(t)
	if m.Status != StatusConverged || math.Abs(m.Objective-8) > 1e-12 || math.Abs(m.Floor-2) > 1e-12 {
		t.Errorf("%v: objective %g, floor %g; want converged, 8, 2", m.Status, m.Objective, m.Floor)
	}
}

// TestTraceFalls: the loss never rises, at any λ, for both volumes and both sums.
func TestTraceFalls(t *testing.T) {
	t.Parallel()
	for _, set := range dataSets(t) {
		x := head(set.x, 60)
		if x.Rows > 1000 && os.Getenv("SOFTKMEANS_DATA") == "" { // all rows take a minute
			x = rowsOf(x, 0, 600)
		}
		total := mustDo(Floors(bg, x, nil))(t)[0]
		for seed, start := range []*Matrix{nil, randomCenters(x, set.k, 1)} {
			for _, volume := range []Volume{VolumeOrigin, VolumeAffine} {
				for _, share := range []float64{0, 0.02, 0.2, 2, math.NaN()} { // NaN: λ varies
					o := &MinVolumeOptions{Sum: Sum(seed), Centers: start, MaxIter: 40, Tol: 1e-9}
					fit := FitAlternating
					if share != 0 {
						o.Volume, fit = volume, FitMinVolume
					}
					if share > 0 {
						o.Lambda = share * total / float64(set.k)
					}
					m := mustDo(fit(bg, x, set.k, o))(t)
					for i, loss := range m.Trace[1:] {
						if last := m.Trace[i]; loss > last+1e-12*math.Abs(last) {
							t.Errorf("%s %+v: %g after %g in iteration %d", set.name, o, loss, last, i)
						}
					}
					if m.Status != StatusConverged && m.Status != StatusIterationLimit || m.Iterations > 40 {
						t.Errorf("%s: %d iterations, %v", set.name, m.Iterations, m.Status)
					}
				}
			}
		}
	}
}

// The trace does not rise where objective and penalty are tiny or cancel.
func TestTraceTiny(t *testing.T) {
	t.Parallel()
	x := mapped(randomData(30, 4, 0, 1), func(_, _ int, v float64) float64 { return 1e-150 * v })
	for _, sum := range []Sum{SumToOne, SumAtMostOne} {
		for _, slack := range []float64{1e-30, 0.25, 1, 1e30} {
			m := mustDo(FitMinVolume(bg, x, 8,
				&MinVolumeOptions{Sum: sum, Slack: slack, MaxIter: fewer(fewer(0, 100), 30)}))(t)
			checkFalls(t, fmt.Sprintf("%v, slack %g", sum, slack), m.Trace)
		}
	}
}

// slopeOf computes Model.Stationarity by differences: the gradient of the loss over the centers from first
// on, at exact memberships.
func slopeOf(t *testing.T, x *Matrix, w []float64, m *Model, first int) float64 {
	t.Helper()
	mean := make([]float64, x.Cols)
	if m.Sum == SumToOne {
		mean = statsOf(t, x, w).Mean()
	}
	loss := func() float64 {
		v := plainObjective(x, m.Centers, mustDo(m.Predict(nil, x))(t), w)
		if m.Lambda > 0 {
			from, count := mean, m.Centers.Rows
			if m.Volume == VolumeAffine {
				count--
				from = make([]float64, x.Cols)
				for j := range m.Centers.Rows {
					axpy(from, 1/float64(m.Centers.Rows), m.Centers.Row(j))
				}
			}
			_, s, _, err := SVD(mapped(m.Centers, func(_, j int, v float64) float64 { return v - from[j] }))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range s[:min(len(s), count)] {
				v += m.Lambda / 2 * math.Log(s*s+m.Epsilon)
			}
		}
		return v
	}
	var squares, size float64
	for i := first * x.Cols; i < len(m.Centers.Data); i++ {
		v := m.Centers.Data[i]
		h := 1e-5 * max(math.Abs(v), 1)
		m.Centers.Data[i] = v + h
		up := loss()
		m.Centers.Data[i] = v - h
		d := (up - loss()) / (2 * h)
		m.Centers.Data[i] = v
		squares += d * d
		size += (v - mean[i%x.Cols]) * (v - mean[i%x.Cols])
	}
	return math.Sqrt(squares*size) / m.Objective
}

// TestStationarity: it is the gradient, large where a run was cut short and small where it converged.
func TestStationarity(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"iris", "wine"} {
		x := head(loadCSV(t, name), 60)
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			for at, lambda := range []float64{0, 0.01, 0.01} {
				fit := func(most int, tol float64) *Model {
					if lambda == 0 {
						return mustDo(FitAlternating(bg, x, 3,
							&MinVolumeOptions{Sum: sum, MaxIter: most, Tol: tol}))(t)
					}
					total := mustDo(FitAlternating(bg, x, 1,
						&MinVolumeOptions{Sum: sum, MaxIter: 1}))(t).Total
					return mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{Sum: sum, MaxIter: most, Tol: tol,
						Lambda: lambda * total, Volume: Volume(at)}))(t) // VolumeOrigin, VolumeAffine
				}
				early := fit(2, 0)
				if want := slopeOf(t, x, nil, early, 0); math.Abs(early.Stationarity/want-1) > 1e-3 || want < 0.1 {
					t.Errorf("%s %v λ = %g·Total: %g, by differences %g", name, sum,
						lambda, early.Stationarity, want)
				}
				if m := fit(0, 0); lambda == 0 &&
					(m.Stationarity > 0.1 || m.Status != StatusConverged || m.Objective > 1.001*m.Floor) {
					t.Errorf("%s %v: %v at %g, %g of the floor", name, sum, m.Status,
						m.Stationarity, m.Objective/m.Floor)
				}
				if m := fit(20000, 1e-10); m.Stationarity > 1e-3 || m.Status != StatusConverged {
					t.Errorf("%s %v λ = %g·Total: %v after %d iterations at %g", name, sum, lambda,
						m.Status, m.Iterations, m.Stationarity)
				}
			}
		}
	}
	x := loadCSV(t, "iris")
	if m := mustDo(Fit(bg, x, 3, nil))(t); m.Stationarity != 0 {
		t.Errorf("Fit: %g", m.Stationarity)
	}
	if m := mustDo(FitAlternating(bg, NewMatrix(3, 2, nil), 2, nil))(t); m.Stationarity != 0 {
		t.Errorf("equal rows: %g", m.Stationarity)
	}
}

// printed makes one step of Algorithm 2, with its errata mended, in plain code and in the data's units: F =
// (GᵀG + (λ/2)D)⁻¹Gᵀ(X − 1x̄ᵀ) + 1x̄ᵀ, D = V diag(1/(σ_i²+ε))Vᵀ for the centers less
// x̄, and then the best G. It returns these and L.
func printed(t *testing.T, x, f, g *Matrix, lambda, eps float64) (nextF, nextG *Matrix, loss float64) {
	t.Helper()
	mean := Stats{}
	must(t, mean.Add(x))
	about := func(m *Matrix) *Matrix {
		return mapped(m, func(_, j int, v float64) float64 { return v - mean.Mean()[j] })
	}
	a, right := product(g.transposed(), g), product(g.transposed(), about(x))
	if lambda > 0 {
		u, s, _, err := SVD(about(f))
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Rows {
			for j := range a.Cols {
				for c, v := range s {
					a.row(i)[j] += lambda / 2 * u.At(i, c) * u.At(j, c) / (v*v + eps)
				}
			}
		}
	}
	values, vectors, err := EigenSym(a)
	if err != nil {
		t.Fatal(err)
	}
	half := product(vectors.transposed(), right)
	for i, v := range values {
		scale(half.row(i), 1/v)
	}
	nextF = mapped(product(vectors, half), func(_, j int, v float64) float64 { return v + mean.Mean()[j] })
	if nextG, err = SimplexLeastSquares(nil, x, nextF, nil); err != nil {
		t.Fatal(err)
	}
	loss = plainObjective(x, nextF, nextG, nil)
	if lambda > 0 {
		_, s, _, err := SVD(about(nextF))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range s {
			loss += lambda / 2 * math.Log(v*v+eps)
		}
	}
	return nextF, nextG, loss
}

// TestPlain: with Plain the iterates are those of Algorithm 2, the objective never rises,
// and ends where that with momentum does.
func TestPlain(t *testing.T) {
	x := standardized(loadCSV(t, "wine"))
	const k, eps = 3, 2
	for _, lambda := range []float64{0, 60} {
		start := rowsOf(x, 20, 20+k).Clone()
		fit := func(plain bool, tol float64, most int) *Model {
			if lambda == 0 {
				return mustDo(FitAlternating(bg, x, k,
					&MinVolumeOptions{Centers: start, Tol: tol, MaxIter: most, Plain: plain}))(t)
			}
			return mustDo(FitMinVolume(bg, x, k,
				&MinVolumeOptions{Centers: start, Tol: tol, MaxIter: most, Plain: plain,
					Lambda: lambda, Epsilon: eps, Volume: VolumeOrigin}))(t)
		}
		f := start
		g := mustDo(SimplexLeastSquares(nil, x, f, nil))(t)
		for step := 1; step <= 12; step++ {
			var loss float64
			f, g, loss = printed(t, x, f, g, lambda, eps)
			m := fit(true, 1e-300, step)
			if len(m.Trace) != step+1 || math.Abs(m.Trace[step]-loss) > 1e-9*math.Abs(loss) {
				t.Fatalf("λ %g, step %d: a trace of %v, want %g", lambda, step, m.Trace, loss)
			}
			if off := max(maxDiff(m.Centers, f), maxDiff(m.Memberships, g)); off > 1e-7 {
				t.Errorf("λ %g, step %d: off by %g", lambda, step, off)
			}
		}
		plain, quick := fit(true, 1e-9, 20000), fit(false, 1e-9, 20000)
		for i, v := range plain.Trace[1:] {
			if v > plain.Trace[i]*(1+1e-12) {
				t.Errorf("λ %g: %g after %g", lambda, v, plain.Trace[i])
			}
		}
		end, other := plain.Trace[len(plain.Trace)-1], quick.Trace[len(quick.Trace)-1]
		if plain.Status != StatusConverged || math.Abs(end-other) > 1e-4*other {
			t.Errorf("λ %g: %v at %g after %d, with momentum %g after %d", lambda, plain.Status, end,
				plain.Iterations, other, quick.Iterations)
		}
	}
}

// scarce returns n noisy mixtures of k prototypes of which half of the entries are 0.
func scarce(n, d, k int, noise float64, seed uint64) (x, prototypes *Matrix) {
	rng := rand.New(rand.NewPCG(seed, 5))
	prototypes, x = NewMatrix(k, d, nil), NewMatrix(n, d, nil)
	for i := range prototypes.Data {
		prototypes.Data[i] = max(0, rng.NormFloat64())
	}
	for i := range n {
		shares, sum := make([]float64, k), 0.0
		for j := range shares {
			shares[j] = math.Pow(rng.Float64(), 3)
			sum += shares[j]
		}
		for j, v := range shares {
			axpy(x.row(i), v/sum, prototypes.row(j))
		}
		for c := range d {
			x.row(i)[c] += noise * rng.NormFloat64()
		}
	}
	return x, prototypes
}

// TestInsidePass: a pass by multipliers has the memberships, sums and objective of a pass by memberships, for
// rows inside and far outside, with weights, in a hull of all directions or of fewer, for any workers.
func TestInsidePass(t *testing.T) {
	const n, k = 2000, 24
	for _, d := range []int{k - 1, k, k + 5} {
		x := NewMatrix(n, d, nil)
		prototypes := randomData(k, d, 1, 3)
		shares := randomData(n, k, 2, 4)
		for i := range n {
			row := shares.row(i)
			for j, v := range row {
				row[j] = 0.3 + math.Abs(v)
			}
			size := 1 / sumOf(row)
			if i%50 == 0 {
				size *= 4 // outside
			}
			for j, v := range row {
				axpy(x.row(i), v*size, prototypes.row(j))
			}
		}
		x = noisy(x, 40, 5)
		weights := make1(n)
		for i := range n {
			weights[i] = float64(i%20) / 9
		}
		var bits []float64
		for _, workers := range []int{1, 3} {
			o := &MinVolumeOptions{Weights: weights, Workers: workers}
			m := mustDo(openMinVolume(bg, x, k, o))(t)
			m = mustDo(m.end())(t)
			at, want, got := m.newIterate(), m.newIterate(), m.newIterate()
			copy(at.f.Data, m.data.fromData(prototypes, m.axes).Data)
			must(t, m.pass(at, nil))
			m.centersStep(want.f, at, 1e-3*m.firstLambda())
			copy(got.f.Data, want.f.Data)
			used := m.work.inside.used
			m.work.inside.used = 0
			must(t, m.pass(want, at.g))
			m.work.inside.used = used
			must(t, m.pass(got, at.g))
			if !m.work.inside.on {
				t.Fatalf("d = %d: off", d)
			}
			for _, c := range []struct {
				what      string
				got, want []float64
			}{
				{"memberships", got.g.Data, want.g.Data}, {"GᵀG", got.gg.Data, want.gg.Data},
				{"GᵀZ", got.gz.Data, want.gz.Data},
				{"objective", []float64{got.objective}, []float64{want.objective}},
			} {
				top, _ := rowMaxAbs(c.want)
				if c.what == "objective" { // of terms of the size of the total
					top = max(top, 5e-3*m.pc.total)
				}
				for i, v := range c.got {
					if !(math.Abs(v-c.want[i]) <= 1e-11*top) {
						t.Fatalf("d = %d: %s, entry %d: %g, want %g", d, c.what, i, v, c.want[i])
					}
				}
			}
			all := slices.Concat(got.g.Data, got.gg.Data, got.gz.Data, []float64{got.objective})
			if bits == nil {
				bits = all
			}
			if !slices.Equal(bits, all) {
				t.Errorf("d = %d: other bits for %d workers", d, workers)
			}
		}
	}
}

// TestPenaltyUnits: the trace ends at the paper's objective, computed from the model's own fields in the units
// of the data. VolumeAffine has the k−1 singular values of the centers less their own mean.
func TestPenaltyUnits(t *testing.T) {
	for at, unit := range []float64{1, 1e3, 1e-4, 1, 1, 1} {
		k, volume := []int{3, 3, 3, 3, 1, 2}[at], []Volume{VolumeOrigin, VolumeAffine}[at%2]
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			x := mapped(loadCSV(t, "iris"), func(_, _ int, v float64) float64 { return v * unit })
			m := mustDo(FitMinVolume(bg, x, k, &MinVolumeOptions{Lambda: 30 * unit * unit,
				Epsilon: 0.5 * unit * unit, Volume: volume, Sum: sum}))(t)
			f := m.Centers.Clone()
			if of := x; sum == SumToOne || volume == VolumeAffine {
				if volume == VolumeAffine {
					of = m.Centers
				}
				mean := make([]float64, x.Cols)
				for i := range of.Rows {
					axpy(mean, 1/float64(of.Rows), of.row(i))
				}
				for a := range f.Rows {
					axpy(f.row(a), -1, mean)
				}
			}
			_, s, _, err := SVD(f)
			if err != nil {
				t.Fatal(err)
			}
			want := plainObjective(x, m.Centers, m.Memberships, nil)
			if volume == VolumeAffine { // without the one that is always 0
				s = s[:k-1]
			}
			for _, v := range s {
				want += m.Lambda / 2 * math.Log(v*v+m.Epsilon)
			}
			if got := m.Trace[len(m.Trace)-1]; math.Abs(got-want) > 1e-10*math.Abs(want) ||
				math.Abs(m.Lambda/unit/unit-30) > 1e-12 || math.Abs(m.Epsilon/unit/unit-0.5) > 1e-12 {
				t.Errorf("%d centers, unit %g, %v, %v: trace ends at %g, want %g; λ %g, ε %g", k, unit, volume,
					sum, got, want, m.Lambda, m.Epsilon)
			}
		}
	}
}

// TestRunTold: what is told of each iterate is of that iterate, in the data's units, and the restart that is
// kept is the best.
func TestRunTold(t *testing.T) {
	x := mapped(randomData(40, 3, 1, 2), func(_, _ int, v float64) float64 { return 16 * v })
	for seed, lambda := range []float64{0, 40, 0, 40, 20} {
		last, next := map[int]Iteration{}, 0
		o := &MinVolumeOptions{Restarts: 4, MaxIter: 6, Seed: uint64(seed), Lambda: lambda}
		o.Progress = func(it Iteration) {
			if it.Iteration == 0 {
				next = 0
			}
			if it.Iteration != next || it.Lambda != lambda || (it.Penalty != 0) != (lambda > 0) ||
				math.Abs(it.Loss-it.Objective-lambda/2*it.Penalty) > 1e-12*(math.Abs(it.Loss)+it.Objective) {
				t.Errorf("λ %g: %+v, want iteration %d", lambda, it, next)
			}
			next++
			last[it.Restart] = it
		}
		fit := FitAlternating
		if lambda > 0 {
			fit = FitMinVolume
		}
		m := mustDo(fit(bg, x, 3, o))(t)
		least := last[0]
		for _, it := range last {
			if it.Loss < least.Loss {
				least = it
			}
		}
		if len(last) != 4 || m.Trace[len(m.Trace)-1] != least.Loss || m.Iterations != least.Iteration ||
			math.Abs(m.Objective-least.Objective) > 1e-12*m.Objective || m.Floor != least.Floor ||
			m.Lambda != lambda || (m.Epsilon != 0) != (lambda > 0) || len(m.Trace) != m.Iterations+1 {
			t.Errorf("λ %g: of %+v this is kept: %+v", lambda, last, m)
		}
	}
}

// TestNarrow: of a fit that begins in leading directions the loss does not rise, and at its end it is
// stationary in all columns.
func TestNarrow(t *testing.T) {
	for _, c := range []struct{ n, d, k int }{{120, 60, 3}, {40, 300, 3}, {90, 40, 5}} {
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			clean, _ := mixtures(c.n, c.d, c.k, 0.5, 1, uint64(c.d))
			x := noisy(clean, 15, 2)
			weights := inTurn(c.n, 0, 0.5, 1, 1.5)
			o := &MinVolumeOptions{Sum: sum, Weights: weights, Workers: 1}
			m := mustDo(FitMinVolume(bg, x, c.k, o))(t)
			used := m.Objective/m.Floor - 1 // the last two steps may lower it by Tol
			if used > (1+1e-9)*(1+m.Slack)-1 || used < 0.96*m.Slack-2e-5 || m.Stationarity > 0.2 ||
				len(m.Trace) != m.Iterations+1 {
				t.Errorf("%v, %v: %g floors, stationarity %g, %d iterations, trace of %d", c, sum,
					m.Objective/m.Floor, m.Stationarity, m.Iterations, len(m.Trace))
			}
			if i := slices.IndexFunc(m.Trace[1:], func(v float64) bool { return v > m.Trace[0] }); i >= 0 ||
				!slices.IsSortedFunc(m.Trace, func(a, b float64) int { return cmp.Compare(b, a) }) {
				t.Errorf("%v, %v: the trace rises: %g", c, sum, m.Trace)
			}
			// At the λ found, from the same start, all in all columns.
			o.Lambda, o.Epsilon, o.Centers = m.Lambda, m.Epsilon, m.Centers
			again := mustDo(FitMinVolume(bg, x, c.k, o))(t)
			last, end := m.Trace[len(m.Trace)-1], again.Trace[len(again.Trace)-1]
			if math.Abs(end-last) > 1e-4*m.Objective {
				t.Errorf("%v, %v: the loss %g becomes %g", c, sum, last, end)
			}
		}
	}
}
