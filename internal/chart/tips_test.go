package chart

import (
	"strconv"
	"strings"
	"testing"
)

// tips are the texts under the pointer: all titles but the first, that of the picture.
func tips(all []*element) (found []string) {
	for _, e := range all {
		if e.name == "title" {
			found = append(found, e.text)
		}
	}
	return found[1:]
}

// Points, centers, lines, bars and pixels have texts, escaped; many points have none.
func TestTips(t *testing.T) {
	row := func(i int) string { return "row <" + strconv.Itoa(i) + ">" }
	x, y := []float64{1, 2, 3}, []float64{3, 4, nan}
	plot := &ScatterPlot{X: x, Y: y, Tip: row,
		Outlines: []Outline{{X: x, Y: x, Tips: []string{"p0", "", "p2"}}}}
	g := []float64{.2, .3, .5, 1, 0, 0, .004, .996, 0}
	lines := &LinePlot{Frame: Frame{XLabel: "k"}, Series: []Series{{Name: "a", Y: []float64{1, nan, 5}},
		{Name: "b", Y: []float64{2, 3}}, {Y: []float64{7}, Of: 1}}}
	named := &LinePlot{Series: []Series{{Y: []float64{1, 2}}}, XNames: []string{"x", "y"}}
	for name, c := range map[string]struct {
		drawn []byte
		want  string
	}{
		"scatter": {Scatter(nil, plot), "row <0>|row <1>|p0|p2"},
		"ternary": {Ternary(nil, &TernaryPlot{Memberships: g, Tip: row}), "row <0>|row <1>|row <2>"},
		"lines":   {Lines(nil, lines), "k 1: b 2; a 1|k 2: b 3|k 3: a 5"},
		"named":   {Lines(nil, named), "x: 1|y: 2"},
		"mixtures": {Mixtures(nil, &MixturePlot{Memberships: g, K: 3, Name: row}),
			"row <1>: 1 100 %|row <2>: 2 100 %|row <0>: 3 50 %, 2 30 %, 1 20 %"},
		"tiles": {Tiles(nil, &TilePlot{Values: []float64{1, 2, 3, 4}, Rows: 1, Cols: 2, Pixel: row}),
			"1, row <0>: 1|1, row <1>: 2|2, row <0>: 3|2, row <1>: 4"},
		"large": {Tiles(nil, &TilePlot{Values: make([]float64, 3000), Rows: 30, Cols: 50, Pixel: row}),
			"1: from 0 to 0|2: from 0 to 0"},
		"long": {Scatter(nil, &ScatterPlot{X: x[:1], Y: y,
			Tip: func(int) string { return strings.Repeat("ü", 200) }}), strings.Repeat("ü", 150) + "…"},
		"many": {Scatter(nil, &ScatterPlot{X: make([]float64, 3000), Y: make([]float64, 3000), Tip: row}),
			""},
	} {
		if got := strings.Join(tips(parse(t, c.drawn)), "|"); got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
	wide := &LinePlot{Series: []Series{{Y: make([]float64, 100000)}}}
	if n := len(tips(parse(t, Lines(nil, wide)))); n < 100 || n > 250 {
		t.Errorf("a line of many points has %d texts", n)
	}
	for range 30 {
		lines.Series = append(lines.Series, Series{Name: "c", Y: []float64{0}})
	}
	if got := tips(parse(t, Lines(nil, lines)))[0]; !strings.HasSuffix(got, "; and 20 more") {
		t.Error(got)
	}
}
