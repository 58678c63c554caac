package view

import (
	"math"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/tables"
	"softkmeans/proof"
)

// TestSame: a verdict has its sentence, and a model with many prototypes or without memberships that add up
// to 1 none.
func TestSame(t *testing.T) {
	for want, v := range map[string]*proof.Verdict{
		"":                     {Factor: math.MaxFloat64, Apart: math.MaxFloat64},
		"any others as small":  {Factor: 1, Apart: 1e-3},
		"but for a millionth":  {Factor: 1, Apart: math.MaxFloat64},
		"at most 1.5 times as": {Factor: 1.5, Apart: math.MaxFloat64},
	} {
		if got := Same(v); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%+v: %q", v, got)
		}
	}
	x := tables.CSV(t, "iris")
	for k, known := range map[int]bool{1: false, 3: true, 6: false} {
		m := tables.Must(softkmeans.Fit(t.Context(), x, k, nil))(t)
		v, err := Unique(t.Context(), m)
		if err != nil || (v != nil) != known {
			t.Errorf("k = %d: %v, %v", k, v, err)
		}
		if m.Sum = softkmeans.SumAtMostOne; k == 3 {
			if v, err := Unique(t.Context(), m); err != nil || v != nil {
				t.Errorf("sums of at most one: %v, %v", v, err)
			}
		}
	}
	two := &softkmeans.Matrix{Rows: x.Rows, Cols: 2, Stride: x.Stride, Data: x.Data}
	flat := tables.Must(softkmeans.FitMinVolume(t.Context(), two, 4, nil))(t)
	if v, err := Unique(t.Context(), flat); err != nil || v != nil {
		t.Errorf("prototypes without volume: %v, %v", v, err)
	}
	if Same(nil) != "" {
		t.Error("words without a verdict")
	}
}
