package chart

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestTiles(t *testing.T) {
	all := parse(t, Tiles(nil, &TilePlot{Values: []float64{0, 31, 31, 10, 0, 0, nan, 31}, Rows: 2,
		Cols: 2, Names: []string{"one"}}))
	tiles := find(all, "sk-ink")
	if len(tiles) != 2 {
		t.Fatalf("%d tiles", len(tiles))
	}
	var got []string
	for _, e := range all {
		if o, ok := e.attr["fill-opacity"]; ok {
			got = append(got, o+" "+e.attr["d"])
		}
	}
	if want := []string{"0.32 M1 1h1v1h-1z", "1 M1 0h1v1h-1zM0 1h1v1h-1z",
		"1 M1 1h1v1h-1z"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := texts(all); !strings.HasSuffix(got, "one|2") ||
		!strings.Contains(got, "From 0 (paper) to 31 (ink)|1 values are not finite") {
		t.Error(got)
	}
	for size, want := range map[int]string{0: "scale(36.0000 36.0000)", 100: "scale(50.0000 50.0000)",
		1 << 30: "scale(232.0000 232.0000)"} {
		if b := Tiles(nil, &TilePlot{Values: make([]float64, 8), Rows: 2, Cols: 2,
			Size: size}); !strings.Contains(string(b), want) {
			t.Errorf("tiles of %d px are not drawn with %s", size, want)
		}
	}
	light := parse(t, Tiles(nil, &TilePlot{Values: []float64{0, 1}, Rows: 1, Cols: 2, Light: true}))
	if len(find(light, "sk-dark")) != 1 || len(find(light, "sk-light")) != 1 ||
		len(find(light, "sk-ink")) != 0 || !strings.Contains(texts(light), "From 0 (black) to 1 (white)") {
		t.Error("large values are not light")
	}
	big := make([]float64, 3*1000*1000)
	for i := range big {
		big[i] = float64(i % 977)
	}
	if b := Tiles(nil, &TilePlot{Values: big, Rows: 1000, Cols: 1000}); len(b) > 2000000 {
		t.Errorf("%d bytes", len(b))
	}
	for _, s := range []*TilePlot{{}, {Rows: 3, Cols: -1, Values: big[:9]},
		{Rows: math.MaxInt, Cols: math.MaxInt, Values: big[:9]}, {Rows: 1, Cols: 5000, Values: big[:5000]},
		{Rows: 5000, Cols: 1, Values: big[:10000]}, {Rows: 1, Cols: 2, Values: []float64{7, 7}}, {Rows: 1,
			Cols: 2, Values: []float64{-1e300, 1e300}}, {Rows: 1, Cols: 1, Values: []float64{inf}}} {
		parse(t, Tiles(nil, s))
	}
}
