package noise

import (
	"math"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/internal/scenes"
)

// TestFind: the noise of the columns is that of the simulation, for rows as given and of length 1, and with
// a weight of 2 in place of a row twice. Outliers do not fit, and copies of columns get no noise of their own.
func TestFind(t *testing.T) {
	t.Parallel()
	s := scenes.Recipe{Seed: 4, Lines: 50, Columns: 50, Bands: 40, Materials: 4, SNR: 30, NoiseRatio: 20,
		Outliers: .002}.Simulate()
	x := softkmeans.NewMatrix(2500, 40, s.Pixels)
	middle := slices.Sorted(slices.Values(s.Deviations))[20]
	for _, unit := range []bool{false, true} {
		n, err := Find(t.Context(), x, Options{Directions: 5, Unit: unit})
		if err != nil || len(n.Columns) != 40 || len(n.Rows) != 2500 {
			t.Fatal(n, err)
		}
		for c, v := range n.Columns {
			if want := s.Deviations[c] / middle; math.Abs(v/want-1) > .2 {
				t.Errorf("unit %v: column %d has noise of %v, not %v", unit, c, v, want)
			}
		}
		for _, i := range s.Strange {
			if n.Rows[i] > .5 {
				t.Errorf("unit %v: outlier %d fits %v", unit, i, n.Rows[i])
			}
		}
		if fit := Median(n.Rows, nil); fit < .8 || fit > .95 { // 1/(1 + 1/10) at the median
			t.Errorf("unit %v: the median row fits %v", unit, fit)
		}
	}
	copies := softkmeans.NewMatrix(2500, 42, nil)
	for i := range copies.Rows {
		copy(copies.Row(i), x.Row(i))
		copy(copies.Row(i)[40:], x.Row(i)[:2])
	}
	n, err := Find(t.Context(), copies, Options{Directions: 4})
	if err != nil || n.Columns == nil || n.Columns[0] != 1 || n.Columns[41] != 1 {
		t.Errorf("%v, %v", n.Columns, err)
	}
}

// TestNone: too few rows or columns, and no noise, say nothing.
func TestNone(t *testing.T) {
	line := softkmeans.NewMatrix(50, 5, nil)
	for i := range line.Data {
		line.Data[i] = float64(i / 5 * (1 + i%5))
	}
	for name, x := range map[string]*softkmeans.Matrix{"zeros": softkmeans.NewMatrix(50, 5, nil), "exact": line,
		"few rows": softkmeans.NewMatrix(9, 5, line.Data[:45]), "none": softkmeans.NewMatrix(0, 5, nil)} {
		if n, err := Find(t.Context(), x, Options{Directions: 1}); err != nil || n.Columns != nil || n.Rows != nil {
			t.Errorf("%s: %v, %v", name, n, err)
		}
	}
	if w := (Noise{Rows: []float64{1, .5, .09}}).Weights([]float64{2, 4, 1}); !slices.Equal(w, []float64{2, 1, 0}) {
		t.Error(w)
	}
}

// TestMedian: the lower of two, by weight.
func TestMedian(t *testing.T) {
	for n, want := range map[int]float64{1: 4, 2: 1, 3: 4} {
		if got := Median([]float64{4, 1, 9}[:n], nil); got != want {
			t.Errorf("the median of %d is %g, not %g", n, got, want)
		}
	}
	if got := Median([]float64{4, 1, 9}, []float64{1, 3, 1}); got != 1 {
		t.Errorf("the median of 4, 1, 1, 1 and 9 is %g", got)
	}
}
