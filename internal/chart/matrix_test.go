package chart

import (
	"strings"
	"testing"
)

// A cell's color is the sign of its number, its strength the size; wide cells have the
// number.
func TestMatrix(t *testing.T) {
	s := &MatrixPlot{Values: []float64{2, -1, 0, nan}, Rows: []string{"a", "b"}, Cols: []string{"p0", "p1"},
		Above: "more", Below: "less", Note: "In units",
		Tip: func(i, j int) string { return string(rune('a'+i)) + string(rune('0'+j)) }}
	all := parse(t, Matrix(nil, s))
	var got []string
	for _, e := range find(all, "sk-cell") {
		got = append(got, strings.TrimPrefix(e.class, "sk-cell ")+" "+e.attr["fill-opacity"])
	}
	if want := "sk-c0 0.6,sk-c1 0.3,sk-c0 0,sk-c0 0"; strings.Join(got, ",") != want {
		t.Errorf("%s, not %s", got, want)
	}
	if got := texts(all); got != "more|less|In units|p0|p1|a|2.0|−1.0|b|0.0" {
		t.Error(got)
	}
	if got := strings.Join(tips(all), "|"); got != "a0|a1|b0|b1" {
		t.Error(got)
	}
	many := &MatrixPlot{Values: make([]float64, 20*64), Frame: Frame{Width: 480}}
	for range 20 {
		many.Rows = append(many.Rows, strings.Repeat("a long name ", 9))
	}
	for range 64 {
		many.Cols = append(many.Cols, "p63")
	}
	if all := parse(t, Matrix(nil, many)); len(find(all, "sk-cell")) != 1280 ||
		len(find(all, "sk-number")) != 0 || len(find(all, "sk-tick")) < 7 || len(find(all, "sk-tick")) > 20 {
		t.Error("64 columns do not fit")
	}
	for _, s := range []*MatrixPlot{{}, {Rows: []string{"a"}}, {Rows: []string{"a"}, Cols: []string{"b"}},
		{Rows: []string{"a"}, Cols: []string{"b"}, Values: []float64{1e300}}} {
		parse(t, Matrix(nil, s))
	}
}
