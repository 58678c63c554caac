package softkmeans

import (
	"context"
	"math"
	"testing"
)

// Wide data has fewer directions than k > d centers could span.
func TestMinVolumeMoreCentersThanColumns(t *testing.T) {
	for _, shape := range [][3]int{{1, 2, 2}, {1, 2, 3}, {3, 5, 6}, {5, 12, 13}} {
		x := randomData(shape[0], shape[1], 1, 1)
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			for _, start := range []Init{InitKMeans, InitSPA} {
				m, err := FitMinVolume(bg, x, shape[2], &MinVolumeOptions{Sum: sum, Init: start})
				if err != nil {
					t.Fatalf("%v %v %v: %v", shape, sum, start, err)
				}
				if m.Objective > trivialShare*defaultSlack*m.Total*(1+1e-9) && len(m.Warnings) == 0 {
					t.Errorf("%v %v %v: objective %g of %g", shape, sum, start, m.Objective, m.Total)
				}
			}
		}
	}
}

// From some starts the alternating method ends just above the slack; no λ > 0
// fits then, and the search must find that out.
func TestSlackHoldsOrWarns(t *testing.T) {
	for seed := range fewer[uint64](8, 3) {
		x := randomData(60, 5, 0, seed)
		start := rowsOf(x, 0, 4).Clone()
		a, err := FitAlternating(bg, x, 4, &AlternatingOptions{Centers: start})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []float64{0.9, 0.97, 0.99, 1} {
			slack := part * (a.Objective - a.Floor) / a.Floor
			if slack < 1e-11 { // rounding
				continue
			}
			m, err := FitMinVolume(bg, x, 4, &MinVolumeOptions{Centers: start, Slack: slack})
			if err != nil {
				t.Fatal(err)
			}
			checkSlack(t, m, slack)
			// The global simplex fits wherever there is room to speak of.
			if slack > 1e-9 && m.Objective > m.Floor*(1+slack)+1e-13*m.Total {
				t.Errorf("slack %g: objective is floor·(1 + %g), %v", slack, m.Objective/m.Floor-1, m.Warnings)
			}
		}
		x = randomData(50+37*int(seed), 5, float64(seed), seed)
		m, err := FitMinVolume(bg, x, 1, &MinVolumeOptions{Sum: SumAtMostOne})
		if err != nil {
			t.Fatal(err)
		}
		checkSlack(t, m, defaultSlack)
	}
}

func checkSlack(t *testing.T, m *Model, slack float64) {
	t.Helper()
	for _, w := range m.Warnings {
		if w.Kind == WarnSlack {
			return
		}
	}
	if m.Objective > m.Floor*(1+slack)+1e-13*m.Total {
		t.Errorf("objective is floor·(1 + %g), slack is %g", m.Objective/m.Floor-1, slack)
	}
}

// One center is the mean whatever λ is: one run, and no warning where the fit is
// above the floor by a rounding. A slack below rounding makes no NaN.
func TestSlackWithoutRoom(t *testing.T) {
	for seed := range uint64(10) {
		x := randomData(50+37*int(seed), 5, float64(seed), seed)
		runs := 0
		m, err := FitMinVolume(bg, x, 1, &MinVolumeOptions{Progress: func(i Iteration) {
			if i.Iteration == 0 {
				runs++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if runs != 1 || len(m.Warnings) > 0 {
			t.Errorf("%d runs, warnings %v", runs, m.Warnings)
		}
	}
	x := mapped(randomData(30, 4, 0, 1), func(_, _ int, v float64) float64 { return 1e-100 * v })
	x = mapped(x, func(_, j int, v float64) float64 {
		if j == 0 {
			return 1
		}
		return v
	})
	for _, k := range []int{3, 8} {
		m, err := FitMinVolume(bg, x, k, &MinVolumeOptions{Slack: 1e-300, Progress: func(i Iteration) {
			if math.IsNaN(i.Lambda) {
				t.Fatal("λ is NaN")
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.MarshalBinary(); err != nil {
			t.Error(err)
		}
	}
}

// The volume of a path is continuous at λ = 0.
func TestPathVolumeAtZero(t *testing.T) {
	path, err := MinVolumePath(bg, loadCSV(t, "iris"), 3, []float64{0, 1e-9}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(path[0].Volume-path[1].Volume) > 1e-3 {
		t.Errorf("volume %g at 0, %g at 1e-9", path[0].Volume, path[1].Volume)
	}
}

// The trace does not rise where fit and penalty are denormal or cancel.
func TestTraceDenormal(t *testing.T) {
	t.Parallel()
	x := mapped(randomData(30, 4, 0, 1), func(_, _ int, v float64) float64 { return 1e-160 * v })
	for _, sum := range []Sum{SumToOne, SumAtMostOne} {
		for _, slack := range []float64{1e-30, 0.25, 1, 1e30} {
			m, err := FitMinVolume(bg, x, 8, &MinVolumeOptions{Sum: sum, Slack: slack, MaxIter: fewer(0, 30)})
			if err != nil {
				t.Fatal(err)
			}
			for i := 1; i < len(m.Trace); i++ {
				if m.Trace[i] > m.Trace[i-1] {
					t.Errorf("%v, slack %g: %g after %g", sum, slack, m.Trace[i], m.Trace[i-1])
				}
			}
		}
	}
}

// A cluster of rows whose weights are denormal beside the largest has a center.
func TestKMeansDenormalWeights(t *testing.T) {
	x := mapped(randomData(30, 4, 0, 1), func(_, _ int, v float64) float64 { return 1 + 1e-15*v })
	w := make([]float64, 30)
	for i := range w {
		w[i] = math.Pow(10, float64(20*i-300))
	}
	for _, sum := range []Sum{SumToOne, SumAtMostOne} {
		m, err := FitMinVolume(bg, x, 8, &MinVolumeOptions{Weights: w, Sum: sum, Progress: func(i Iteration) {
			if math.IsNaN(i.Objective) {
				t.Fatal("NaN")
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := maxAbs("centers", m.Centers); err != nil {
			t.Error(err)
		}
	}
}

// passes counts how often it is asked, and ends after some.
type passes struct {
	context.Context
	left, late int
}

func (p *passes) Err() error {
	if p.left--; p.left >= 0 {
		return nil
	}
	p.late++
	return context.Canceled
}

// A start is many passes over the samples, and ends with its context.
func TestStartsSeeContext(t *testing.T) {
	x := randomData(300, 20, 0, 1)
	for _, start := range []Init{InitPlusPlus, InitSPA} {
		full := &passes{Context: bg, left: math.MaxInt}
		j, err := newJob(full, x, 15, &MinVolumeOptions{Init: start, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		ctx := &passes{Context: bg}
		j.ctx = ctx
		f, err := j.start(0)
		if err != nil || ctx.late == 0 {
			t.Fatalf("%v: asked %d times, %v", start, ctx.late, err)
		}
		if top, _ := rowMaxAbs(f.Data[f.Cols:]); top != 0 {
			t.Errorf("%v went on", start)
		}
		if out := j.try(f, 0); out != nil {
			t.Errorf("%v: an unfinished start was used", start)
		}
	}
}
