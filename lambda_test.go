package softkmeans

import (
	"math"
	"os"
	"testing"
)

// TestSlack: the error is within the slack, near to it, and the numbers of the
// model belong together.
func TestSlack(t *testing.T) {
	t.Parallel()
	for _, set := range dataSets(t) {
		set.x = head(set.x, 300)
		for _, slack := range fewer(full([]float64{0, 0.05, 0.4}, []float64{0, 0.4}), []float64{0}) {
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
			allowed := slack * m.Floor
			if set.k > set.x.Cols {
				allowed = slack * 0.1 * m.Total
			}
			allowed = min(allowed, 0.5*(m.Total-m.Floor))
			over := (m.Objective - m.Floor) / allowed
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
			j, _ := openVolumeFit(bg, set.x, set.k, &MinVolumeOptions{Volume: m.Volume})
			j.eps = math.Ldexp(m.Epsilon, -2*j.s.exp)
			at := j.newIterate()
			copy(at.f.Data, j.fromData(m.Centers).Data)
			j.lambda = j.scaledLambda(m.Lambda)
			if err := j.pass(at, nil); err != nil {
				t.Fatal(err)
			}
			want := m.Objective + m.Lambda/2*j.dataPenalty(at.penalty)
			if last := m.Trace[len(m.Trace)-1]; math.Abs(last-want) > 1e-9*(math.Abs(want)+m.Total) {
				t.Errorf("%s: trace ends at %g, objective and penalty are %g", set.name, last, want)
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

// From some starts the alternating method ends just above the slack. No λ > 0 is within
// it then, and the search must find that out.
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
			// The global simplex is within the slack unless that is near rounding.
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

// One center is the mean whatever λ is: one run, and no warning where the objective is
// above the floor by a rounding. A slack below rounding makes no NaN.
func TestSlackBelowRounding(t *testing.T) {
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
