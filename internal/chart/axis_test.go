package chart

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

func labels(ticks []tick) string {
	var s []string
	for _, t := range ticks {
		s = append(s, t.label)
	}
	return strings.Join(s, " ")
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		lo, hi float64
		most   int
		whole  bool
		want   string
	}{
		{0, 10, 5, false, "0 2 4 6 8 10"},
		{0, 1, 5, false, "0 0.2 0.4 0.6 0.8 1.0"},
		{-0.3, 0.3, 6, false, "−0.3 −0.2 −0.1 0 0.1 0.2 0.3"},
		{1.2, 7.9, 4, false, "2 4 6"},
		{1, 3, 8, true, "1 2 3"},
		{1, 3, 4, false, "1.0 1.5 2.0 2.5 3.0"},
		{15.2046443, 15.2046449, 3, false, "15.2046444 15.2046446 15.2046448"},
		{0, 2e7, 4, false, "0 5e6 1e7 1.5e7 2e7"},
		{-1e155, 1e155, 4, false, "−1e155 −5e154 0 5e154 1e155"},
		{0, 3e-150, 3, false, "0 1e−150 2e−150 3e−150"},
		{-1e300, 1e300, 2, false, "−1e300 0 1e300"},
		{0, 0.0004, 4, false, "0 0.0001 0.0002 0.0003 0.0004"},
		{0, 0.00004, 4, false, "0 1e−5 2e−5 3e−5 4e−5"},
	} {
		if got := labels(roundTicks(nil, test.lo, test.hi, test.most, test.whole)); got != test.want {
			t.Errorf("[%g, %g], %d: %s, want %s", test.lo, test.hi, test.most, got, test.want)
		}
	}
}

// Labels say what the ticks are, are in order and not too many, on any range.
func TestTicksAnyRange(t *testing.T) {
	for e := -289; e <= 298; e++ {
		for _, lo := range []float64{-3.7, -1, 0, 1, 9.99} {
			for _, span := range []float64{1e-11, 1e-5, .3, 1, 1.7, 42} {
				a := axis{lo: lo * math.Pow10(e), hi: (lo + span) * math.Pow10(e)}
				a.setTicks(6, false)
				if n := len(a.ticks); n < 2 || n > 8 {
					t.Fatalf("[%g, %g]: %d ticks", a.lo, a.hi, n)
				}
				for i, k := range a.ticks {
					rounding := 1e-6*(a.hi-a.lo) + 1e-15*math.Abs(a.hi)
					if k.at < a.lo-rounding || k.at > a.hi+rounding || i > 0 && !(k.at > a.ticks[i-1].at) {
						t.Fatalf("[%g, %g]: %v", a.lo, a.hi, a.ticks)
					}
					v, err := strconv.ParseFloat(strings.ReplaceAll(k.label, "−", "-"), 64)
					if err != nil || math.Abs(v-k.at) > 1e-3*(a.hi-a.lo) {
						t.Fatalf("[%g, %g]: %q is %g", a.lo, a.hi, k.label, k.at)
					}
				}
			}
		}
	}
}

func TestLogTicks(t *testing.T) {
	for _, test := range []struct {
		lo, hi float64
		most   int
		want   string
	}{
		{1, 1000, 6, "1 10 100 1000"},
		{1, 100, 9, "1 2 5 10 20 50 100"},
		{1e-8, 1e8, 6, "1e−6 1e−3 1 1e3 1e6"},
		{.001, 10, 6, "0.001 0.01 0.1 1 10"},
		{20, 80, 3, "20 40 60 80"},
		{1e-290, 1e300, 4, "1e−200 1 1e200"},
	} {
		a := axis{lo: math.Log10(test.lo), hi: math.Log10(test.hi), log: true}
		a.lo, a.hi = a.lo-1e-9, a.hi+1e-9
		a.setTicks(test.most, false)
		if got := labels(a.ticks); got != test.want {
			t.Errorf("[%g, %g], %d: %s, want %s", test.lo, test.hi, test.most, got, test.want)
		}
	}
}

func TestPadded(t *testing.T) {
	for _, test := range []struct {
		values []float64
		lo, hi float64
	}{
		{nil, 0, 1},
		{[]float64{0}, -1, 1},
		{[]float64{4, 4}, 2, 6},
		{[]float64{-4, -4 * (1 + 1e-14)}, -6, -2},
		{[]float64{1e-320, -1e-310}, -1, 1},
		{[]float64{0, 10}, -1, 11},
		{[]float64{-1e300, 1e300}, -1.2e300, 1.2e300},
	} {
		var e extent
		for _, v := range test.values {
			e.add(v)
		}
		lo, hi := e.padded(.1)
		if math.Abs(lo-test.lo) > 1e-12*math.Abs(test.lo) || math.Abs(hi-test.hi) > 1e-12*math.Abs(test.hi) {
			t.Errorf("%v: [%g, %g], want [%g, %g]", test.values, lo, hi, test.lo, test.hi)
		}
	}
}

// A tick stands where a point of its value does.
func TestTicksStandAtValues(t *testing.T) {
	all := parse(t, Scatter(nil, &ScatterPlot{X: []float64{0, 2, 9}, Y: []float64{-20, 40, 100}}))
	points := circles(all)
	seen := 0
	for _, e := range find(all, "sk-tick") {
		switch {
		case e.text == "2" && e.attr["text-anchor"] == "middle" && near(e.num(t, "x"), points[1][0], .1),
			e.text == "−20" && near(e.num(t, "y")-4, points[0][1], .1),
			e.text == "40" && near(e.num(t, "y")-4, points[1][1], .1),
			e.text == "100" && near(e.num(t, "y")-4, points[2][1], .1):
			seen++
		}
	}
	if seen != 4 {
		t.Errorf("%d of 4 ticks in place: %s", seen, texts(all))
	}
}
