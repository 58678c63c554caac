package view

import (
	"math"
	"testing"

	"softkmeans"
	"softkmeans/enclosure"
	"softkmeans/internal/draws"
	"softkmeans/internal/tables"
)

// TestUnique: a model with many prototypes, without volume or without memberships that add up to 1 has no verdict.
func TestUnique(t *testing.T) {
	x := tables.CSV(t, "iris")
	for k, known := range map[int]bool{1: false, 3: true, 6: false} {
		m := tables.Must(softkmeans.Fit(t.Context(), x, k, nil))(t)
		v, err := Unique(t.Context(), m, nil)
		if err != nil || (v != nil) != known {
			t.Errorf("k = %d: %v, %v", k, v, err)
		}
		if m.Sum = softkmeans.SumAtMostOne; k == 3 {
			if v, err := Unique(t.Context(), m, nil); err != nil || v != nil {
				t.Errorf("sums of at most one: %v, %v", v, err)
			}
		}
	}
	two := &softkmeans.Matrix{Rows: x.Rows, Cols: 2, Stride: x.Stride, Data: x.Data}
	flat := tables.Must(softkmeans.FitMinVolume(t.Context(), two, 4, nil))(t)
	if v, err := Unique(t.Context(), flat, nil); err != nil || v != nil {
		t.Errorf("prototypes without volume: %v, %v", v, err)
	}
	// A hexagon has two smallest triangles, whatever else has no weight.
	hexagon, weights := softkmeans.NewMatrix(30, 2, nil), make([]float64, 30)
	for i := range 30 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 3)
		if i < 6 {
			weights[i] = 1
		} else {
			sin, cos = math.Sincos(float64(i)*math.Pi/12 + .1)
			sin, cos = 50*sin, 50*cos
		}
		hexagon.Set(i, 0, cos)
		hexagon.Set(i, 1, sin)
	}
	m := tables.Must(softkmeans.Fit(t.Context(), hexagon, 3, &softkmeans.Options{Weights: weights}))(t)
	m.Memberships = draws.Chosen(m.Memberships, []int{0, 1, 2, 3, 4, 5})
	m = tables.Must(enclosure.Smallest(t.Context(), m))(t)
	m.Memberships = tables.Must(m.Predict(nil, hexagon))(t)
	if v, err := Unique(t.Context(), m, weights); err != nil || !v.Smallest() || v.Only() {
		t.Errorf("a hexagon: %v, %v", v, err)
	}
}
