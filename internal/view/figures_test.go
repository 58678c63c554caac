package view

import "testing"

func TestPercent(t *testing.T) {
	for v, want := range map[float64]string{-1e-17: "0.00 %", 0: "0.00 %", 1: "100 %", .25: "25.0 %",
		.0531: "5.31 %", .09999: "10.0 %", .99999: "> 99.99 %", 1 - 1e-12: "100 %", 1.00003: "100 %",
		.9997: "99.97 %", .9994: "99.9 %", 12.5: "1250 %", -.02: "-2.00 %"} {
		if got := Percent(v); got != want {
			t.Errorf("%v is %q, not %q", v, got, want)
		}
	}
}
