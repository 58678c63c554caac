package softkmeans

import (
	"math"
	"slices"
	"testing"
)

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

// TestUnits: scale, units and origin of the data do not matter, whether or not
// the columns have one scale. Rounding errors of the data grow by the condition
// of the problem only, not with the number of iterations.
func TestUnits(t *testing.T) {
	t.Parallel()
	for _, name := range fewer(full([]string{"iris", "wine", "breast_cancer"}, []string{"iris", "wine"}), []string{"iris"}) {
		for _, k := range fewer([]int{3, 5}, []int{3}) {
			for _, x := range []*Matrix{loadCSV(t, name), standardized(loadCSV(t, name))} {
				o := &MinVolumeOptions{MaxIter: fewer(full(100, 40), 30)}
				want, err := FitMinVolume(bg, x, k, o)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range []struct{ a, t, tol float64 }{{1024, 0, 0}, {0x1p-300, 0, 0}, {-3.7, 0, 1e-8}, {3.7, 11, 1e-8}, {7e146, 0, 1e-8}, {1e-150, 0, 1e-8}, {0.01, -3, 1e-8}} {
					got, err := FitMinVolume(bg, mapped(x, func(_, j int, v float64) float64 { return c.a*v + c.t*float64(j) }), k, o)
					if err != nil {
						t.Fatal(err)
					}
					if d := maxDiff(got.Memberships, want.Memberships); d > c.tol {
						t.Errorf("%s k %d: %g·x + %g·j changes memberships by %g", name, k, c.a, c.t, d)
					}
					if r := got.Lambda / want.Lambda / c.a / c.a; math.Abs(r-1) > 1e-8 {
						t.Errorf("%s k %d: %g·x + %g·j changes λ by a factor of %g over a²", name, k, c.a, c.t, r)
					}
				}
			}
		}
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
		run = append(run, it.Loss)
		restarts = max(restarts, it.Restart)
		if it.Floor != m.Floor || it.Objective < it.Floor || math.Abs(it.Loss-it.Objective-it.Lambda/2*it.Penalty) > 1e-9*m.Total {
			t.Fatalf("%+v", it)
		}
		if last := i == len(told)-1 || told[i+1].Iteration == 0; last && it.Lambda == m.Lambda && slices.Equal(run, m.Trace) {
			found = true
			if math.Abs(it.Objective-m.Objective) > 1e-12*m.Total {
				t.Errorf("objective %g, told %g", m.Objective, it.Objective)
			}
		}
	}
	if restarts != 2 || !found {
		t.Errorf("%d restarts; the model's run was told: %v", restarts, found)
	}
}
