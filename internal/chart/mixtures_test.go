package chart

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestMixtures(t *testing.T) {
	// Sorted: rows 2 and 0 of the first cluster, then row 1.
	s := &MixturePlot{Memberships: []float64{.6, .4, .25, .75, 1, 0, nan, 1, 0, 0}, K: 2,
		Names: []string{"p"}}
	all := parse(t, Mixtures(nil, s))
	areas := find(all, "sk-area")[2:] // after the legend; from the back to the front
	back, front := figures(areas[0].attr["d"]), figures(areas[1].attr["d"])
	left, bottom, top, right := back[0], back[1], back[2], back[3]
	if len(back) != 5 || back[4] != bottom || len(front) != 9 {
		t.Fatalf("%v, %v", back, front)
	}
	want := []float64{left, bottom, top, left + (right-left)/3, bottom + .6*(top-bottom),
		left + (right-left)*2/3, bottom + .25*(top-bottom), right, bottom}
	for i := range want {
		if !near(front[i], want[i], .11) {
			t.Errorf("%v, want %v", front, want)
		}
	}
	if split := figures(find(all, "sk-split")[0].attr["d"]); !near(split[0], want[5], .11) {
		t.Errorf("split at %v", split)
	}
	if got := texts(all); !strings.HasPrefix(got, "p (2)|2 (1)|") ||
		!strings.Contains(got, "2 of 5 rows are left out") {
		t.Error(got)
	}

	// By given labels: row 2 counts for the second cluster, of which it has nothing.
	s.Labels = []int{0, 1, 1, 0, 0}
	all = parse(t, Mixtures(nil, s))
	if got := texts(all); !strings.HasPrefix(got, "p (1)|2 (2)|") {
		t.Error(got)
	}
	if split := figures(find(all, "sk-split")[0].attr["d"]); !near(split[0], left+(right-left)/3, .11) {
		t.Errorf("split at %v", split)
	}

	many := &MixturePlot{K: 2}
	for i := range 100000 {
		u := float64(i%1000) / 999
		many.Memberships = append(many.Memberships, u, 1-u)
	}
	b := Mixtures(nil, many)
	all = parse(t, b)
	if got := texts(all); !strings.Contains(got, "100000 rows; each bar is the mean of about 2") ||
		len(b) > 20000 {
		t.Errorf("%d bytes, %s", len(b), got)
	}
	// The first cluster's share falls from 1 to 1/2 in its own rows, and rises
	// from 0 to 1/2 in those of the second.
	var levels []float64
	for _, m := range regexp.MustCompile(`V([\d.]+)`).FindAllStringSubmatch(find(all, "sk-area")[3].attr["d"],
		-1) {
		v, _ := strconv.ParseFloat(m[1], 64)
		levels = append(levels, (bottom-v)/(bottom-top))
	}
	second := slices.IndexFunc(levels, func(v float64) bool { return v < .1 })
	falling := slices.IsSortedFunc(levels[:second], // the last of which may be a column of both
		func(a, b float64) int { return cmp.Compare(b, a) })
	if rising := levels[second : len(levels)-1]; !near(levels[0], 1, .01) || !falling ||
		!near(levels[second-2], .5, .02) ||
		!near(rising[0], 0, .01) || !slices.IsSorted(rising) || !near(rising[len(rising)-1], .5, .02) {
		t.Errorf("%.2f", levels)
	}
	for _, s := range []*MixturePlot{{}, {K: -1}, {K: 3}, {K: math.MaxInt},
		{K: 1, Memberships: []float64{.5}}, {K: 2, Memberships: []float64{1e300, 1e300, -1, -1, 1e-300, 1}}} {
		parse(t, Mixtures(nil, s))
	}
}

// More clusters than colors have textures, and names at their rows.
func TestTextures(t *testing.T) {
	const k = 64
	g := make([]float64, 5*k*k)
	for i := range 5 * k {
		g[i*k+i%k] = 1
	}
	all := parse(t, Mixtures(nil, &MixturePlot{Frame: Frame{ID: "m", Width: 1000}, Memberships: g, K: k}))
	fills := map[string]bool{}
	for _, e := range all {
		if fill := e.attr["fill"]; fill != "" {
			fills[fill] = true
		}
	}
	patterns := map[string]bool{}
	for i, e := range all {
		if e.name == "pattern" {
			patterns[e.attr["width"]+e.attr["patternTransform"]+all[i+1].class] = true
		}
	}
	if len(fills) != k-colors || len(patterns) != k-colors {
		t.Errorf("%d textures, %d of them differ", len(fills), len(patterns))
	}
	if n := len(find(all, "sk-halo")); n < 20 || n > k {
		t.Errorf("%d names", n)
	}
}
