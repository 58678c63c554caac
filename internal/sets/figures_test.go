package sets

import "testing"

func TestFigures(t *testing.T) {
	for v, want := range map[float64]string{0: ".000", .95449: ".954", .9996: "1.000", 1: "1.000"} {
		if got := Share(v); got != want {
			t.Errorf("%v is written %s", v, got)
		}
	}
	for want, v := range map[float64][]float64{3: {3}, 2.5: {4, 1, 2, 3}, 2: {9, 2, 1}} {
		if got := Median(v); got != want {
			t.Errorf("the median of %v is %v", v, got)
		}
	}
}
