package chart

import (
	"slices"
	"testing"
)

func TestHull(t *testing.T) {
	p := []vertex{{x: 0, y: 0}, {x: 4, y: 0}, {x: 4, y: 4}, {x: 0, y: 4}, {x: 2, y: 2},
		{x: 2, y: 0}, {x: 4, y: 4}, {x: 1, y: 3}}
	got := hull(p)
	if want := []vertex{p[0], p[1], p[2], p[3]}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := hull([]vertex{{x: 2, y: 2}, {x: 0, y: 0}, {x: 1, y: 1}}); len(got) != 2 ||
		got[0].x != 0 || got[1].x != 2 {
		t.Errorf("on a line: %v", got)
	}
	if got := hull([]vertex{{x: 1}, {x: 1}}); len(got) != 1 {
		t.Errorf("one point twice: %v", got)
	}
}
