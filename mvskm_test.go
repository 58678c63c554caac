package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// standardized returns x with columns of mean 0 and variance 1; constant columns
// become 0.
func standardized(x *Matrix) *Matrix {
	n := float64(x.Rows)
	mean, dev := make([]float64, x.Cols), make([]float64, x.Cols)
	for i := range x.Rows {
		axpy(mean, 1/n, x.row(i))
	}
	for i := range x.Rows {
		for j, v := range x.row(i) {
			dev[j] += (v - mean[j]) * (v - mean[j]) / n
		}
	}
	return mapped(x, func(_, j int, v float64) float64 {
		if dev[j] == 0 {
			return 0
		}
		return (v - mean[j]) / math.Sqrt(dev[j])
	})
}

// dataSet is a set of testdata/, standardized, or one of the folder that the
// environment names.
type dataSet struct {
	name string
	x    *Matrix
	k    int
}

func dataSets(t testing.TB) []dataSet {
	sets := []dataSet{
		{"iris", standardized(loadCSV(t, "iris")), 3}, {"wine", standardized(loadCSV(t, "wine")), 3},
		{"breast_cancer", standardized(loadCSV(t, "breast_cancer")), 2}, {"digits", standardized(loadCSV(t, "digits")), 10},
	}
	dir := os.Getenv("SOFTKMEANS_DATA")
	if dir == "" {
		return sets
	}
	for _, s := range []struct {
		name string
		k    int
	}{{"seeds", 3}, {"glass", 6}, {"ecoli", 8}, {"yeast", 10}, {"mfeat_fac", 10}, {"mfeat_fou", 10}, {"mfeat_kar", 10}, {"mfeat_mor", 10}, {"mfeat_pix", 10}, {"mfeat_zer", 10}} {
		sets = append(sets, dataSet{s.name, standardized(readCSV(t, os.DirFS(dir), s.name+".csv")), s.k})
	}
	return sets
}

// TestTraceFalls: the objective never rises, at any λ, for both volumes and both
// sums, and the memberships are optimal in every state.
func TestTraceFalls(t *testing.T) {
	t.Parallel()
	for _, set := range dataSets(t) {
		seeds := 3
		if quick() {
			set.x, seeds = head(set.x, 60), 1
		}
		if set.x.Rows > 1000 && os.Getenv("SOFTKMEANS_DATA") == "" { // all rows and seeds take a minute
			set.x, seeds = rowsOf(set.x, 0, 600), 2
		}
		for _, volume := range []Volume{VolumeOrigin, VolumeAffine} {
			for _, sum := range []Sum{SumToOne, SumAtMostOne} {
				for seed := range seeds {
					o := &MinVolumeOptions{Volume: volume, Sum: sum, Seed: uint64(seed), Init: []Init{InitKMeans, InitPlusPlus, InitRandom}[seed%3], MaxIter: 15}
					j, err := newJob(bg, set.x, set.k, o)
					if err != nil {
						t.Fatal(err)
					}
					j.setEpsilon()
					start, err := j.start(0)
					if err != nil {
						t.Fatal(err)
					}
					for _, share := range []float64{0, 0.02, 0.2, 2} {
						var last *state
						lambda := share * j.total / float64(j.k)
						j.lambda = lambda
						_, iterations, status := j.run(start, 40, 1e-9, func(i int, at *state) {
							if last != nil && at.value > last.value+1e-12*math.Abs(last.value) {
								t.Errorf("%s %v %v seed %d λ %g: %g after %g in iteration %d", set.name, volume, sum, seed, lambda, at.value, last.value, i)
							}
							if at.info.KKT > 1e-10 {
								t.Errorf("%s %v %v seed %d λ %g: G-step %+v", set.name, volume, sum, seed, lambda, at.info)
							}
							kept := *at
							last = &kept
						})
						if status != StatusConverged && status != StatusIterationLimit || iterations > 40 {
							t.Errorf("%s: %d iterations, %v", set.name, iterations, status)
						}
						if out := j.try(start, lambda); out != nil {
							for i, v := range out.trace[1:] {
								if v > out.trace[i]+1e-12*math.Abs(out.trace[i]) {
									t.Errorf("%s %v %v seed %d λ %g: trace rises to %g after %g", set.name, volume, sum, seed, lambda, v, out.trace[i])
								}
							}
						}
					}
				}
			}
		}
	}
}

// TestStep holds a pass and the F-step to plain matrix arithmetic: the sums, the
// objective, and that the new centers are the minimiser of the majoriser.
func TestStep(t *testing.T) {
	x := randomData(60, 7, 3, 5)
	weights := make1(60)
	for i := range weights {
		weights[i] = 0.5 + float64(i%4)/2
	}
	for _, volume := range []Volume{VolumeOrigin, VolumeAffine} {
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			j, err := newJob(bg, x, 4, &MinVolumeOptions{Weights: weights, Volume: volume, Sum: sum})
			if err != nil {
				t.Fatal(err)
			}
			j.setEpsilon()
			j.lambda = 0.3 * j.total
			start, _ := j.start(0)
			at := j.newState()
			copy(at.f.Data, start.Data)
			if err := j.visit(at, nil); err != nil {
				t.Fatal(err)
			}
			centers := j.outside(at.f)
			fit := plainObjective(x, centers, at.g, weights)
			if got := j.s.unscaleSquare(at.fit); math.Abs(got-fit) > 1e-12*fit {
				t.Errorf("%v %v: fit %g, want %g", volume, sum, got, fit)
			}
			// Σ log(σ² + ε) from a singular value decomposition.
			f := at.f.Clone()
			count := j.k
			if volume == VolumeAffine {
				mean := make([]float64, f.Cols)
				for a := range j.k {
					axpy(mean, 1/float64(j.k), f.row(a))
				}
				for a := range j.k {
					axpy(f.row(a), -1, mean)
				}
				count--
			}
			_, s, _, err := SVD(f)
			if err != nil {
				t.Fatal(err)
			}
			logs := 0.0
			for _, v := range s[:count] {
				logs += math.Log(v*v + j.eps)
			}
			if math.Abs(logs-at.logs) > 1e-11*math.Abs(logs) {
				t.Errorf("%v %v: logs %g, want %g", volume, sum, at.logs, logs)
			}
			// The majoriser ‖Z − GF‖² + (λ/2)·Tr(FᵀDF) is stationary at the result.
			next := NewMatrix(j.k, j.z.Cols, nil)
			j.centersStep(next, at)
			for a := range j.k {
				for c := range j.z.Cols {
					var g float64
					for i := range x.Rows {
						r := j.z.At(i, c)
						for b := range j.k {
							r -= at.g.At(i, b) * next.At(b, c)
						}
						g -= 2 * j.s.weight(i) * at.g.At(i, a) * r
					}
					for b := range j.k {
						g += j.lambda * at.inner.At(a, b) * next.At(b, c)
					}
					if math.Abs(g) > 1e-8*j.total {
						t.Errorf("%v %v: gradient %g at %d, %d", volume, sum, g, a, c)
					}
				}
			}
			after := j.newState()
			copy(after.f.Data, next.Data)
			if err := j.visit(after, at.g); err != nil || after.value > at.value {
				t.Errorf("%v %v: %g after %g (%v)", volume, sum, after.value, at.value, err)
			}
		}
	}
}

// TestSlack: the error is within the slack, near to it, and the numbers of the
// model belong together.
func TestSlack(t *testing.T) {
	t.Parallel()
	for _, set := range dataSets(t) {
		set.x = head(set.x, 300)
		for _, slack := range fewer([]float64{0, 0.05, 0.4}, []float64{0}) {
			m, err := FitMinVolume(bg, set.x, set.k, &MinVolumeOptions{Slack: slack})
			if err != nil {
				t.Fatal(err)
			}
			checkFeasible(t, m.Memberships)
			if slack == 0 {
				slack = 0.25
			}
			// Where k > d+1 the floor is 0 and a tenth of the variance stands for it;
			// where the error jumps over the target no λ comes near.
			room := slack * m.Floor
			if set.k > set.x.Cols {
				room = slack * 0.1 * m.Total
			}
			room = min(room, 0.5*(m.Total-m.Floor))
			over := (m.Objective - m.Floor) / room
			if over > 1+1e-9 || over < 0.7 || over < 0.989 && set.x.Rows != 214 && os.Getenv("SOFTKMEANS_DATA") == "" {
				t.Errorf("%s slack %g: %.4f of it used", set.name, slack, over)
			}
			if got := plainObjective(set.x, m.Centers, m.Memberships, nil); math.Abs(got-m.Objective) > 1e-10*m.Total {
				t.Errorf("%s: objective %g, is %g", set.name, m.Objective, got)
			}
			if m.Status != StatusConverged && m.Status != StatusIterationLimit || len(m.Trace) != m.Iterations+1 || m.Lambda <= 0 || m.Epsilon <= 0 {
				t.Errorf("%s: %v, %d iterations, trace of %d, λ %g, ε %g", set.name, m.Status, m.Iterations, len(m.Trace), m.Lambda, m.Epsilon)
			}
			g, err := m.Predict(nil, set.x)
			if err != nil {
				t.Fatal(err)
			}
			if d := maxDiff(g, m.Memberships); d > 1e-8 && set.k <= set.x.Cols {
				t.Errorf("%s: Predict differs by %g", set.name, d)
			}
			// The last of the trace is the objective with its penalty.
			j, _ := newJob(bg, set.x, set.k, &MinVolumeOptions{Volume: m.Volume})
			j.eps = math.Ldexp(m.Epsilon, -2*j.s.exp)
			at := j.newState()
			copy(at.f.Data, j.inside(m.Centers).Data)
			j.lambda = j.scaledLambda(m.Lambda)
			if err := j.visit(at, nil); err != nil {
				t.Fatal(err)
			}
			want := m.Objective + m.Lambda/2*j.volume(at.logs)
			if last := m.Trace[len(m.Trace)-1]; math.Abs(last-want) > 1e-9*(math.Abs(want)+m.Total) {
				t.Errorf("%s: trace ends at %g, objective and penalty are %g", set.name, last, want)
			}
		}
	}
}

// TestTolTwice: a run that converged fell by no more than Tol of the fit twice in a
// row, not once.
func TestTolTwice(t *testing.T) {
	ended := 0
	for _, set := range dataSets(t)[:2] {
		x := head(set.x, 300)
		for seed := range uint64(4) {
			m, err := FitAlternating(bg, x, set.k, &AlternatingOptions{Init: InitRandom, Seed: seed, Tol: 1e-4})
			if err != nil {
				t.Fatal(err)
			}
			n := len(m.Trace)
			if m.Status != StatusConverged || n < 3 {
				continue
			}
			ended++
			for i := n - 2; i < n; i++ {
				if fall := m.Trace[i-1] - m.Trace[i]; fall > 1e-4*m.Trace[i] {
					t.Errorf("%s, seed %d: iteration %d, of %d, fell by %g of the fit", set.name, seed, i, n-1, fall/m.Trace[i])
				}
			}
		}
	}
	if ended == 0 {
		t.Error("no run converged")
	}
}

// TestLambdaWeights: λ is in squared units of the data times weight, so that four
// times the weights with four times λ are the same problem, to the bit.
func TestLambdaWeights(t *testing.T) {
	x := loadCSV(t, "iris")
	w, more := make([]float64, x.Rows), make([]float64, x.Rows)
	for i := range w {
		w[i] = float64(i%4) + 0.5
		more[i] = 4 * w[i]
	}
	a, err := FitMinVolume(bg, x, 3, &MinVolumeOptions{Weights: w, Lambda: 3})
	if err != nil {
		t.Fatal(err)
	}
	b, err := FitMinVolume(bg, x, 3, &MinVolumeOptions{Weights: more, Lambda: 12})
	if err != nil {
		t.Fatal(err)
	}
	if maxDiff(a.Centers, b.Centers) != 0 || b.Lambda != 4*a.Lambda || b.Objective != 4*a.Objective {
		t.Errorf("centers differ by %g; λ %g and %g, objectives %g and %g", maxDiff(a.Centers, b.Centers), a.Lambda, b.Lambda, a.Objective, b.Objective)
	}
}

// TestVolumeAuto: what the defaults choose is what they do: the bits are those of the
// same choice by name.
func TestVolumeAuto(t *testing.T) {
	exact, _ := mixtures(80, 6, 3, 0.5, 2, 1)
	for _, c := range []struct {
		x      *Matrix
		init   Init
		volume Volume
	}{{exact, InitSPA, VolumeAffine}, {loadCSV(t, "iris"), InitKMeans, VolumeOrigin}} {
		auto, err := FitMinVolume(bg, c.x, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		named, err := FitMinVolume(bg, c.x, 3, &MinVolumeOptions{Init: c.init, Volume: c.volume})
		if err != nil {
			t.Fatal(err)
		}
		if auto.Volume != c.volume || maxDiff(auto.Centers, named.Centers) != 0 || auto.Lambda != named.Lambda {
			t.Errorf("%v and %v: the default has %v and centers %g off", c.init, c.volume, auto.Volume, maxDiff(auto.Centers, named.Centers))
		}
	}
}

// TestPenaltyUnits: the trace ends at the paper's objective, computed from the
// model's own fields in the units of the data.
func TestPenaltyUnits(t *testing.T) {
	for _, unit := range []float64{1, 1e3, 1e-4} {
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			x := mapped(loadCSV(t, "iris"), func(_, _ int, v float64) float64 { return v * unit })
			m, err := FitMinVolume(bg, x, 3, &MinVolumeOptions{Lambda: 30 * unit * unit, Epsilon: 0.5 * unit * unit, Volume: VolumeOrigin, Sum: sum})
			if err != nil {
				t.Fatal(err)
			}
			f := m.Centers.Clone()
			if sum == SumToOne {
				mean := make([]float64, x.Cols)
				for i := range x.Rows {
					axpy(mean, 1/float64(x.Rows), x.row(i))
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
			for _, v := range s {
				want += m.Lambda / 2 * math.Log(v*v+m.Epsilon)
			}
			if got := m.Trace[len(m.Trace)-1]; math.Abs(got-want) > 1e-10*math.Abs(want) || math.Abs(m.Lambda/unit/unit-30) > 1e-12 || math.Abs(m.Epsilon/unit/unit-0.5) > 1e-12 {
				t.Errorf("unit %g %v: trace ends at %g, want %g; λ %g, ε %g", unit, sum, got, want, m.Lambda, m.Epsilon)
			}
		}
	}
}

// TestSlackIsCapped: on noise, whose floor is most of the variance, the slack
// does not draw all prototypes into one.
func TestSlackIsCapped(t *testing.T) {
	x := randomData(400, 40, 0, 3)
	m, err := FitMinVolume(bg, x, 3, &MinVolumeOptions{Slack: 3})
	if err != nil {
		t.Fatal(err)
	}
	if given := (m.Objective - m.Floor) / (m.Total - m.Floor); given > 0.5+1e-9 || given < 0.4 {
		t.Errorf("%g of what the floor explains is given up", given)
	}
	if len(m.Warnings) > 0 {
		t.Error(m.Warnings)
	}
}

// TestUnits: scale, units and origin of the data do not matter, whether or not
// the columns have one scale. Rounding errors of the data grow by the condition
// of the problem only, not with the number of iterations.
func TestUnits(t *testing.T) {
	t.Parallel()
	for _, name := range fewer([]string{"iris", "wine", "breast_cancer"}, []string{"iris"}) {
		for _, k := range fewer([]int{3, 5}, []int{3}) {
			for _, x := range []*Matrix{loadCSV(t, name), standardized(loadCSV(t, name))} {
				o := &MinVolumeOptions{MaxIter: fewer(100, 30)}
				want, err := FitMinVolume(bg, x, k, o)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range []struct{ a, t, tol float64 }{{1024, 0, 0}, {0x1p-300, 0, 0}, {-3.7, 0, 1e-8}, {3.7, 11, 1e-8}, {1e150, 0, 1e-8}, {1e-150, 0, 1e-8}, {0.01, -3, 1e-8}} {
					got, err := FitMinVolume(bg, mapped(x, func(_, j int, v float64) float64 { return c.a*v + c.t*float64(j) }), k, o)
					if err != nil {
						t.Fatal(err)
					}
					if d := maxDiff(got.Memberships, want.Memberships); d > c.tol {
						t.Errorf("%s k %d: %g·x + %g·j changes memberships by %g", name, k, c.a, c.t, d)
					}
					if r := got.Lambda / want.Lambda / c.a / c.a; math.Abs(c.a) < 1e100 && math.Abs(c.a) > 1e-60 && math.Abs(r-1) > 1e-8 {
						t.Errorf("%s k %d: %g·x + %g·j changes λ by a factor of %g over a²", name, k, c.a, c.t, r)
					}
				}
			}
		}
	}
}

// TestMinVolumeBits: the same bits for any number of workers, on every call,
// and for a strided view; another seed gives another start.
func TestMinVolumeBits(t *testing.T) {
	t.Parallel()
	x := rowsOf(standardized(loadCSV(t, "digits")), 0, fewer(900, 500))
	view := &Matrix{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols + 3, Data: make([]float64, x.Rows*(x.Cols+3))}
	for i := range view.Data {
		view.Data[i] = math.NaN()
	}
	for i := range x.Rows {
		copy(view.row(i), x.row(i))
	}
	k, most := fewer(10, 5), fewer(20, 5)
	for _, o := range []MinVolumeOptions{{Restarts: 2, MaxIter: fewer(0, most)}, {Init: InitSPA, Volume: VolumeAffine, MaxIter: most}, {Sum: SumAtMostOne, Init: InitRandom, MaxIter: most}} {
		var first *Model
		for _, c := range []struct {
			x       *Matrix
			workers int
		}{{x, 1}, {x, 2}, {x, 7}, {view, 2}} {
			o.Workers, o.Seed = c.workers, 5
			m, err := FitMinVolume(bg, c.x, k, &o)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = m
				continue
			}
			if !slices.Equal(m.Centers.Data, first.Centers.Data) || !slices.Equal(m.Memberships.Data, first.Memberships.Data) || !slices.Equal(m.Trace, first.Trace) {
				t.Errorf("%+v: other bits with %d workers", o, c.workers)
			}
		}
		o.Seed = 6
		if m, err := FitMinVolume(bg, x, k, &o); err != nil || o.Init != InitSPA && slices.Equal(m.Trace, first.Trace) {
			t.Errorf("%+v: another seed changes nothing (%v)", o, err)
		}
	}
}

// TestAlternatingWeights: a weight of 2 is the row given twice, a weight of 0 a
// row that does not count.
func TestAlternatingWeights(t *testing.T) {
	x := standardized(loadCSV(t, "wine"))
	start := rowsOf(x, 10, 14).Clone()
	copy(start.row(3), x.row(170))
	w := make1(x.Rows)
	var rows [][]float64
	for i := range w {
		w[i] = float64(i % 3)
		for range i % 3 {
			rows = append(rows, x.row(i))
		}
	}
	twice, _ := FromRows(rows)
	for _, sum := range []Sum{SumToOne, SumAtMostOne} {
		if sum == SumAtMostOne { // data on one side of 0
			up := func(_, _ int, v float64) float64 { return v + 4 }
			x, twice, start = mapped(x, up), mapped(twice, up), mapped(start, up)
		}
		a, err := FitMinVolume(bg, x, 4, &MinVolumeOptions{Weights: w, Centers: start, Sum: sum, Tol: 1e-10})
		if err != nil {
			t.Fatal(err)
		}
		b, err := FitMinVolume(bg, twice, 4, &MinVolumeOptions{Centers: start, Sum: sum, Tol: 1e-10})
		if err != nil {
			t.Fatal(err)
		}
		if d := maxDiff(a.Centers, b.Centers); d > 1e-8 || math.Abs(a.Objective-b.Objective) > 1e-10*a.Total || math.Abs(a.Floor-b.Floor) > 1e-10*a.Total {
			t.Errorf("%v: centers differ by %g, objectives are %g and %g", sum, d, a.Objective, b.Objective)
		}
		g, _ := a.Predict(nil, x)
		if d := maxDiff(g, a.Memberships); d > 1e-8 {
			t.Errorf("%v: Predict differs by %g", sum, d)
		}
	}
}

// TestAlternating: the objective lies between the floor and that of the start,
// every start works, more restarts are not worse, and from the global simplex
// the floor is kept.
func TestAlternating(t *testing.T) {
	x := standardized(loadCSV(t, "wine"))
	for _, sum := range []Sum{SumToOne, SumAtMostOne} {
		for _, init := range []Init{InitAuto, InitKMeans, InitPlusPlus, InitSPA, InitGlobal, InitRandom} {
			m, err := FitAlternating(bg, x, 3, &AlternatingOptions{Init: init, Sum: sum})
			if err != nil {
				t.Fatal(err)
			}
			if m.Objective < m.Floor-1e-12*m.Total || m.Objective > m.Trace[0]+1e-12*m.Total || m.Lambda != 0 || m.Epsilon != 0 || m.Sum != sum {
				t.Errorf("%v %v: objective %g, floor %g, start %g", init, sum, m.Objective, m.Floor, m.Trace[0])
			}
			if last := m.Trace[len(m.Trace)-1]; math.Abs(last-m.Objective) > 1e-12*m.Total {
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
	across, err := FitAlternating(bg, wide, 4, &AlternatingOptions{Init: InitRandom})
	if err != nil || math.Abs(across.Trace[len(across.Trace)-1]-across.Objective) > 14*40*0x1p-52*across.Total {
		t.Errorf("wide: trace ends at %g, objective %g: %v", across.Trace[len(across.Trace)-1], across.Objective, err)
	}
	var objectives []float64
	for restarts := 1; restarts <= 6; restarts++ { // each has the starts of those before it, too
		m, err := FitAlternating(bg, x, 3, &AlternatingOptions{Init: InitRandom, MaxIter: 5, Restarts: restarts})
		if err != nil {
			t.Fatal(err)
		}
		objectives = append(objectives, m.Objective)
		if restarts == 1 && (m.Status != StatusIterationLimit || m.Iterations != 5) {
			t.Errorf("%v after %d iterations", m.Status, m.Iterations)
		}
	}
	slices.Reverse(objectives)
	if !slices.IsSorted(objectives) || objectives[0] == objectives[5] {
		t.Errorf("six starts to one: %g", objectives)
	}
}

// mixtures returns n samples that are mixtures, Dirichlet(α) but for those with
// a share above `most`, of k prototypes, all entries between 0 and 1.
func mixtures(n, d, k int, alpha, most float64, seed uint64) (x, prototypes *Matrix) {
	rng := rand.New(rand.NewPCG(seed, uint64(100*k+d)))
	// Marsaglia & Tsang 2000.
	var gamma func(a float64) float64
	gamma = func(a float64) float64 {
		if a < 1 {
			return gamma(a+1) * math.Pow(rng.Float64(), 1/a)
		}
		c := a - 1.0/3
		for {
			z := rng.NormFloat64()
			v := math.Pow(1+z/math.Sqrt(9*c), 3)
			if v > 0 && math.Log(rng.Float64()) < z*z/2+c-c*v+c*math.Log(v) {
				return c * v
			}
		}
	}
	prototypes, x = NewMatrix(k, d, nil), NewMatrix(n, d, nil)
	for i := range prototypes.Data {
		prototypes.Data[i] = rng.Float64()
	}
	g := make([]float64, k)
	for i := range n {
		for {
			sum := 0.0
			for j := range g {
				g[j] = gamma(alpha)
				sum += g[j]
			}
			scale(g, 1/sum)
			if slices.Max(g) <= most {
				break
			}
		}
		for j, v := range g {
			axpy(x.row(i), v, prototypes.row(j))
		}
	}
	return x, prototypes
}

// meanAngle is the mean spectral angle in degrees between true and found
// prototypes, matched greedily.
func meanAngle(truth, found *Matrix) (mean float64) {
	used := make([]bool, found.Rows)
	for i := range truth.Rows {
		best, at := math.Inf(1), -1
		for j := range found.Rows {
			cos := dot(truth.row(i), found.row(j)) / norm2(truth.row(i)) / norm2(found.row(j))
			if a := math.Acos(min(cos, 1)) * 180 / math.Pi; !used[j] && a < best {
				best, at = a, j
			}
		}
		used[at] = true
		mean += best / float64(truth.Rows)
	}
	return mean
}

// noisy adds white noise at the given ratio in dB.
func noisy(x *Matrix, db float64, seed uint64) *Matrix {
	rng := rand.New(rand.NewPCG(seed, 30))
	dev := math.Sqrt(sumSquares(x.Data) / float64(len(x.Data)) / math.Pow(10, db/10))
	return mapped(x, func(_, _ int, v float64) float64 { return v + dev*rng.NormFloat64() })
}

var unmixingShapes = [][2]int{{3, 8}, {4, 200}, {5, 50}, {6, 30}, {8, 200}, {7, 8}}

// purest is how pure the purest sample may be; odd k take the last only, for time.
var purest = []float64{1, 0.9}

// unmixings are the shapes that a run has time for.
func unmixings() [][2]int { return fewer(unmixingShapes, unmixingShapes[:2]) }

// TestUnmixExact: with all options at their defaults the vertices of noise-free
// mixtures come back, whether or not some samples are nearly pure.
func TestUnmixExact(t *testing.T) {
	t.Parallel()
	for _, s := range unmixings() {
		for _, most := range purest[s[0]%2:] {
			x, truth := mixtures(fewer(2000, 400), s[1], s[0], 0.5, most, 1)
			m, err := FitMinVolume(bg, x, s[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			a := meanAngle(truth, m.Centers)
			t.Logf("k %d d %d purest %g: %.3f° after %d iterations", s[0], s[1], most, a, m.Iterations)
			if a > 0.25 || m.Volume != VolumeAffine {
				t.Errorf("k %d d %d purest %g: mean angle %.3f°, volume %v, %v", s[0], s[1], most, a, m.Volume, m.Status)
			}
		}
	}
}

// TestUnmixNoisy: at 30 dB the prototypes are nearer to the truth than the
// samples that SPA picks, and so are the abundances.
func TestUnmixNoisy(t *testing.T) {
	t.Parallel()
	for _, s := range unmixings() {
		for _, most := range purest[s[0]%2:] {
			clean, truth := mixtures(fewer(2000, 400), s[1], s[0], 0.5, most, 1)
			x := noisy(clean, 30, 2)
			j, start := started(t, x, s[0], &MinVolumeOptions{Init: InitSPA})
			spa := j.outside(start)
			m, err := FitMinVolume(bg, x, s[0], &MinVolumeOptions{Init: InitSPA, Slack: NoiseSlack(s[1], s[0])})
			if err != nil {
				t.Fatal(err)
			}
			g, _, err := SimplexLeastSquares(nil, x, spa, nil)
			if err != nil {
				t.Fatal(err)
			}
			was, is := meanAngle(truth, spa), meanAngle(truth, m.Centers)
			werr, ierr := plainObjective(clean, spa, g, nil), plainObjective(clean, m.Centers, m.Memberships, nil)
			t.Logf("k %d d %d purest %g: SPA %.3f°, min-volume %.3f°; error of the clean data %.4g, %.4g", s[0], s[1], most, was, is, werr, ierr)
			if is >= was || ierr >= werr {
				t.Errorf("k %d d %d purest %g: SPA %.3f°, min-volume %.3f°; error %.4g, %.4g", s[0], s[1], most, was, is, werr, ierr)
			}
		}
	}
}

// TestUnmixShade: under light that varies the rows add up to at most 1, and the
// vertices come back without the data being centred.
func TestUnmixShade(t *testing.T) {
	x, truth := mixtures(fewer(2000, 1000), 50, 4, 0.4, 1, 3)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range x.Rows {
		scale(x.row(i), math.Sqrt(rng.Float64()))
	}
	m, err := FitMinVolume(bg, x, 4, &MinVolumeOptions{Sum: SumAtMostOne})
	if err != nil {
		t.Fatal(err)
	}
	if a := meanAngle(truth, m.Centers); a > 0.5 {
		t.Errorf("mean angle %.3f°", a)
	}
	for i := range x.Rows {
		sum := 0.0
		for _, v := range m.Memberships.row(i) {
			sum += v
			if v < 0 {
				t.Fatalf("membership %g in row %d", v, i)
			}
		}
		if sum > 1+1e-15 {
			t.Fatalf("row %d adds up to %g", i, sum)
		}
	}
	g, err := m.Predict(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	if d := maxDiff(g, m.Memberships); d > 1e-8 {
		t.Errorf("Predict differs by %g", d)
	}
	values, _, _, _ := squares(x)
	if want := tailSum(values, 4); math.Abs(m.Floor-want) > 1e-12*m.Total || math.Abs(m.Total-sumSquares(x.Data)) > 1e-12*m.Total {
		t.Errorf("floor %g, want %g; total %g", m.Floor, want, m.Total)
	}
}

// squares returns the squared singular values of x as it is.
func squares(x *Matrix) (values []float64, u, v *Matrix, err error) {
	u, values, v, err = SVD(x)
	for i, s := range values {
		values[i] = s * s
	}
	return values, u, v, err
}

// TestMinVolumeDegenerate: every kind of strange data gives finite centers,
// feasible memberships and a status.
func TestMinVolumeDegenerate(t *testing.T) {
	t.Parallel()
	constant := mapped(NewMatrix(12, 3, nil), func(_, j int, _ float64) float64 { return float64(j) + 0.1 })
	rank1 := mapped(NewMatrix(30, 5, nil), func(i, j int, _ float64) float64 { return float64(i*i) * float64(j+1) })
	doubled := mapped(NewMatrix(40, 3, nil), func(i, j int, _ float64) float64 { return float64((i / 2 * (j + 3)) % 7) })
	n := fewer(30, 16)
	random := randomData(n, 4, 1, 9)
	for _, c := range []struct {
		name string
		x    *Matrix
		k    int
	}{
		{"equal rows", constant, 3}, {"zeros", NewMatrix(5, 4, nil), 2}, {"one row", rowsOf(random, 0, 1), 3}, {"one column", randomData(20, 1, 0, 1), 4},
		{"one value", NewMatrix(1, 1, []float64{7}), 1}, {"k = 1", random, 1}, {"rank 1", rank1, 4}, {"k > d+1", random, 9}, {"k > n", random, n + 5},
		{"k = n", random, n}, {"doubled rows", doubled, 5}, {"wide", randomData(10, 300, 0, 2), 4}, {"wide, k > n", randomData(4, 50, 0, 2), 6},
		{"large", mapped(random, func(_, _ int, v float64) float64 { return v * 1e150 }), 3}, {"small", mapped(random, func(_, _ int, v float64) float64 { return v * 1e-150 }), 3},
		{"huge", mapped(random, func(_, _ int, v float64) float64 { return v * 1e307 }), 3}, {"denormal", mapped(random, func(_, _ int, v float64) float64 { return v * 0x1p-1060 }), 3},
		{"outlier", mapped(random, func(i, _ int, v float64) float64 {
			if i == 3 {
				return v * 1e9
			}
			return v
		}), 3},
	} {
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			for _, volume := range []Volume{VolumeAuto, VolumeOrigin, VolumeAffine} {
				for _, init := range []Init{InitAuto, InitSPA, InitGlobal, InitRandom} {
					if volume == VolumeAuto != (init == InitAuto) {
						continue
					}
					m, err := FitMinVolume(bg, c.x, c.k, &MinVolumeOptions{Sum: sum, Volume: volume, Init: init, MaxIter: fewer(10, 3)})
					if err != nil {
						t.Errorf("%s %v %v %v: %v", c.name, sum, volume, init, err)
						continue
					}
					if _, err := m.MarshalBinary(); err != nil { // every number is finite
						t.Errorf("%s %v %v %v: %v", c.name, sum, volume, init, err)
					}
					for i := range c.x.Rows {
						total := 0.0
						for _, v := range m.Memberships.row(i) {
							if !(v >= 0) {
								t.Fatalf("%s %v %v %v: membership %g", c.name, sum, volume, init, v)
							}
							total += v
						}
						if total > 1+1e-14 || sum == SumToOne && total < 1-1e-14 {
							t.Fatalf("%s %v %v %v: row adds up to %g", c.name, sum, volume, init, total)
						}
					}
					if m.Objective < m.Floor-1e-12*m.Total || m.Status == StatusNone || m.Status == StatusCancelled {
						t.Errorf("%s %v %v %v: objective %g below floor %g, %v", c.name, sum, volume, init, m.Objective, m.Floor, m.Status)
					}
				}
			}
		}
	}
}

func TestMinVolumeErrors(t *testing.T) {
	x := randomData(20, 3, 0, 1)
	bad := x.Clone()
	bad.Set(4, 2, math.Inf(-1))
	calls := 0
	progress := func(Iteration) { calls++ }
	for _, c := range []struct {
		name string
		x    *Matrix
		k    int
		o    MinVolumeOptions
		want error
	}{
		{"k", x, 0, MinVolumeOptions{}, ErrOption}, {"nil", nil, 2, MinVolumeOptions{}, ErrShape}, {"empty", NewMatrix(0, 3, nil), 2, MinVolumeOptions{}, ErrTooFewSamples},
		{"infinite", bad, 2, MinVolumeOptions{}, ErrNonFinite}, {"restarts", x, 2, MinVolumeOptions{Restarts: -1}, ErrOption},
		{"iterations", x, 2, MinVolumeOptions{MaxIter: -1}, ErrOption}, {"tol", x, 2, MinVolumeOptions{Tol: math.NaN()}, ErrOption},
		{"slack", x, 2, MinVolumeOptions{Slack: -0.1}, ErrOption}, {"lambda", x, 2, MinVolumeOptions{Lambda: math.Inf(1)}, ErrOption},
		{"epsilon", x, 2, MinVolumeOptions{Epsilon: -1}, ErrOption}, {"init", x, 2, MinVolumeOptions{Init: 99}, ErrOption}, {"sum", x, 2, MinVolumeOptions{Sum: -1}, ErrOption},
		{"volume", x, 2, MinVolumeOptions{Volume: 3}, ErrOption}, {"workers", x, 2, MinVolumeOptions{Workers: -1}, ErrOption},
		{"weights", x, 2, MinVolumeOptions{Weights: make1(3)}, ErrShape}, {"centers", x, 2, MinVolumeOptions{Centers: NewMatrix(3, 3, nil)}, ErrShape},
		{"centers", x, 2, MinVolumeOptions{Centers: NewMatrix(2, 3, []float64{1, 2, 3, 4, math.NaN(), 6})}, ErrNonFinite},
	} {
		c.o.Progress = progress
		if m, err := FitMinVolume(bg, c.x, c.k, &c.o); m != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if path, err := MinVolumePath(bg, c.x, c.k, nil, &c.o); path != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: path %v, want %v", c.name, err, c.want)
		}
	}
	if m, err := FitAlternating(bg, bad, 2, nil); m != nil || !errors.Is(err, ErrNonFinite) {
		t.Error(err)
	}
	if _, err := MinVolumePath(bg, x, 2, []float64{1, -1}, nil); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
	if calls > 0 {
		t.Error("work was done before an error")
	}
}

// TestMinVolumeCancel stops after ever more looks at the context, or passes: the
// error is the context's, and the model, if there is one, is complete.
func TestMinVolumeCancel(t *testing.T) {
	x, k := rowsOf(standardized(loadCSV(t, "digits")), 0, fewer(700, 250)), fewer(10, 4)
	for _, o := range []MinVolumeOptions{{Workers: 1, Restarts: 2, MaxIter: 4}, {Workers: 2, Init: InitGlobal, MaxIter: 4}, {Workers: 2, Lambda: 2, Init: InitSPA, MaxIter: 4}} {
		models, stops := 0, 0
		for looks := 0; ; looks = looks*5/4 + 1 {
			left := looks
			if o.Workers > 1 { // the counter is not for two goroutines: cancel from Progress
				ctx, cancel := context.WithCancel(bg)
				o.Progress = func(Iteration) {
					if left--; left < 0 {
						cancel()
					}
				}
				m, err := FitMinVolume(ctx, x, k, &o)
				cancel()
				if left >= 0 {
					break
				}
				if m == nil || m.Status != StatusCancelled || !errors.Is(err, context.Canceled) {
					t.Fatalf("after %d passes: %v", looks, err)
				}
				stops++
				models++
				continue
			}
			m, err := FitMinVolume(countdown{bg, &left}, x, k, &o)
			if err == nil {
				if m == nil || m.Status == StatusCancelled {
					t.Fatal("no error, and no result")
				}
				break
			}
			stops++
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("after %d looks: %v", looks, err)
			}
			if m == nil {
				continue
			}
			models++
			checkFeasible(t, m.Memberships)
			if got := plainObjective(x, m.Centers, m.Memberships, nil); m.Status != StatusCancelled || math.Abs(got-m.Objective) > 1e-10*m.Total {
				t.Fatalf("after %d looks: %v, objective %g, is %g", looks, m.Status, m.Objective, got)
			}
		}
		if stops < 5 || models < 3 {
			t.Errorf("%d stops, %d models: the test does not test", stops, models)
		}
	}
	ctx, cancel := context.WithCancel(bg)
	calls := 0
	path, err := MinVolumePath(ctx, x, 5, []float64{1, 10, 100}, &MinVolumeOptions{Progress: func(i Iteration) {
		if calls++; i.Lambda == 10 {
			cancel()
		}
	}})
	if len(path) != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d points, %v", len(path), err)
	}
}

// TestProgress: what is told is what the model then says.
func TestProgress(t *testing.T) {
	x := standardized(loadCSV(t, "iris"))
	var told []Iteration
	m, err := FitMinVolume(bg, x, 3, &MinVolumeOptions{Restarts: 3, Seed: 1, Progress: func(i Iteration) { told = append(told, i) }})
	if err != nil {
		t.Fatal(err)
	}
	restarts, found := 0, false
	var run []float64
	for i, it := range told {
		if it.Iteration == 0 {
			run = run[:0]
		}
		run = append(run, it.Objective)
		restarts = max(restarts, it.Restart)
		if it.Floor != m.Floor || it.Fit < it.Floor || math.Abs(it.Objective-it.Fit-it.Lambda/2*it.Volume) > 1e-9*m.Total {
			t.Fatalf("%+v", it)
		}
		if last := i == len(told)-1 || told[i+1].Iteration == 0; last && it.Lambda == m.Lambda && slices.Equal(run, m.Trace) {
			found = true
			if math.Abs(it.Fit-m.Objective) > 1e-12*m.Total {
				t.Errorf("fit %g, objective %g", it.Fit, m.Objective)
			}
		}
	}
	if restarts != 2 || !found {
		t.Errorf("%d restarts; the model's run was told: %v", restarts, found)
	}
}

// TestPath: each point is what FitMinVolume gives for its λ, larger λ leave more
// error and less volume, and the default grid goes from the data's own simplex
// to a single point.
func TestPath(t *testing.T) {
	x := standardized(loadCSV(t, "wine"))
	path, err := MinVolumePath(bg, x, 3, nil, &MinVolumeOptions{Seed: 2})
	if err != nil || len(path) != 25 {
		t.Fatalf("%d points, %v", len(path), err)
	}
	for i, p := range path {
		if i > 0 && !(p.Objective >= path[i-1].Objective*(1-1e-6) && p.Volume <= path[i-1].Volume+1e-3 && p.Lambda > path[i-1].Lambda) {
			t.Errorf("λ %g: error %g after %g, volume %g after %g", p.Lambda, p.Objective, path[i-1].Objective, p.Volume, path[i-1].Volume)
		}
		if i%6 > 0 {
			continue
		}
		m, err := FitMinVolume(bg, x, 3, &MinVolumeOptions{Seed: 2, Lambda: p.Lambda})
		if err != nil || math.Abs(m.Objective-p.Objective) > 1e-6*m.Total || maxDiff(m.Centers, p.Centers) > 1e-4 {
			t.Errorf("λ %g: error %g, FitMinVolume has %g (%v)", p.Lambda, p.Objective, m.Objective, err)
		}
	}
	floors, _ := Floors(x)
	first, last := path[0], path[24]
	if first.Objective > 1.1*floors[2] || first.Floor > floors[2]*(1+1e-9) || last.Objective < 0.95*floors[0] {
		t.Errorf("from %g to %g; floor %g, total %g", first.Objective, last.Objective, floors[2], floors[0])
	}
	given, err := MinVolumePath(bg, x, 3, []float64{path[12].Lambda, 0}, &MinVolumeOptions{Seed: 2})
	if err != nil || len(given) != 2 || math.Abs(given[0].Objective-path[12].Objective) > 1e-9*floors[0] || given[1].Objective > path[0].Objective*(1+1e-6) {
		t.Errorf("%+v, %v", given, err)
	}
}

// TestWarnings: each kind shows where it must, and not on ordinary data.
func TestWarnings(t *testing.T) {
	has := func(m *Model, kind WarningKind) bool {
		return slices.ContainsFunc(m.Warnings, func(w Warning) bool { return w.Kind == kind && w.String() != "" && isFinite(w.Value) })
	}
	for _, set := range dataSets(t)[:4] {
		set.x = head(set.x, 300)
		m, err := FitMinVolume(bg, set.x, set.k, nil)
		if err != nil || len(m.Warnings) > 0 {
			t.Errorf("%s: %v %v", set.name, m.Warnings, err)
		}
	}
	x := standardized(loadCSV(t, "iris"))
	m, err := FitMinVolume(bg, x, 3, &MinVolumeOptions{Lambda: 1e9})
	if err != nil || !has(m, WarnCoincident) {
		t.Errorf("all prototypes in one: %v %v", m.Warnings, err)
	}
	j, err := newJob(bg, x, 2, &MinVolumeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at := j.newState()
	copy(at.f.Data, j.inside(rowsOf(x, 0, 2)).Data)
	farthest := 0.0
	for i := range x.Rows {
		farthest = max(farthest, norm2(j.z.row(i)))
	}
	for _, c := range []struct {
		factor float64
		want   bool
	}{{2.99, false}, {3.01, true}} {
		scale(at.f.row(1), c.factor*farthest/norm2(at.f.row(1)))
		if err := j.visit(at, nil); err != nil {
			t.Fatal(err)
		}
		var found census
		found.count(j.s, j.z, at.g)
		if m := (&Model{Warnings: j.warnings(at.f, &found)}); has(m, WarnFar) != c.want {
			t.Errorf("a center %g times as far as the farthest sample: %v", c.factor, m.Warnings)
		}
	}
	// A third center between two clusters has no sample for which it is largest.
	two := NewMatrix(4, 1, []float64{-1, -1, 1, 1})
	m, err = FitAlternating(bg, two, 3, &AlternatingOptions{Centers: NewMatrix(3, 1, []float64{-1, 0, 1})})
	if err != nil || !has(m, WarnEmpty) {
		t.Errorf("an idle center: %v %v", m.Warnings, err)
	}
	// Nor does one whose only sample has no weight.
	light, err := newJob(bg, NewMatrix(3, 1, []float64{1, 2, 3}), 2, &MinVolumeOptions{Weights: []float64{1, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	var some census
	some.count(light.s, light.z, NewMatrix(3, 2, []float64{1, 0, 1, 0, 0, 1}))
	if !some.first[0] || some.first[1] || some.members[1] != 0 || some.all != 2*light.s.weight(0) {
		t.Errorf("a sample of weight 0: %+v", some)
	}
	// Rows that add up to at most 1 cannot follow data on both sides of 0.
	sides := randomData(200, 6, 0, 4)
	m, err = FitMinVolume(bg, sides, 2, &MinVolumeOptions{Sum: SumAtMostOne, Slack: 1e-3, MaxIter: 20})
	if err != nil || !has(m, WarnSlack) || m.Objective < m.Floor {
		t.Errorf("no cone: %v %v", m.Warnings, err)
	}
	if s := (Warning{Kind: 9}).String(); s != "Warning(9)" {
		t.Error(s)
	}
}

// TestSumAtMostOne: simplex least squares with the sum at most 1 against the
// same with a vertex at 0.
func TestSumAtMostOne(t *testing.T) {
	x, f := randomData(300, 5, 0.5, 1), randomData(4, 5, 1, 2)
	got, info, err := SimplexLeastSquares(nil, x, f, &SimplexOptions{Sum: SumAtMostOne})
	if err != nil || info.KKT > 1e-13 {
		t.Fatal(err, info)
	}
	with := NewMatrix(5, 5, nil)
	copy(with.Data, f.Data)
	want, _, _ := SimplexLeastSquares(nil, x, with, nil)
	if d := maxDiff(got, &Matrix{Rows: 300, Cols: 4, Stride: 5, Data: want.Data}); d > 1e-13 {
		t.Errorf("differs by %g", d)
	}
	again, _, err := SimplexLeastSquares(got.Clone(), x, f, &SimplexOptions{Sum: SumAtMostOne, Start: got})
	if err != nil || maxDiff(again, got) > 1e-13 {
		t.Error("another answer from its own start", err)
	}
	if _, _, err := SimplexLeastSquares(nil, x, f, &SimplexOptions{Sum: 2}); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
}
