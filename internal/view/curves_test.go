package view

import (
	"math"
	"testing"

	"softkmeans/internal/chart"
)

// The curve of L falls to where it ends, in shares of the variance; what does not fall is
// not drawn.
func TestLossCurve(t *testing.T) {
	runs := []Descent{{"a", []float64{-2, -6, -6.5, -7, -7}}, {"flat", []float64{3, 3}},
		{"none", nil}, {"b", []float64{9, 1}}}
	plot := LossCurve(chart.Frame{}, 10, runs...)
	if plot == nil || len(plot.Series) != 2 || !plot.LogY {
		t.Fatalf("%+v", plot)
	}
	for i, want := range [][]float64{{.5, .1, .05}, {.8}} {
		s := plot.Series[i]
		if len(s.Y) != len(want) || s.Name != []string{"a", "b"}[i] {
			t.Fatalf("%+v", s)
		}
		for j, v := range s.Y {
			if math.Abs(v-want[j]) > 1e-15 || s.X[j] != float64(j) {
				t.Errorf("%s: (%g, %g) for (%d, %g)", s.Name, s.X[j], v, j, want[j])
			}
		}
	}
	for _, total := range []float64{0, math.NaN(), math.Inf(1), -1} {
		if LossCurve(chart.Frame{}, total, runs...) != nil {
			t.Errorf("a total of %g has a curve", total)
		}
	}
	if LossCurve(chart.Frame{}, 1, runs[1:3]...) != nil {
		t.Error("a curve of nothing")
	}
}
