package softkmeans

import (
	"math"
	"slices"
	"testing"
)

// TestWarnings: each kind shows where it must, and not on ordinary data.
func TestWarnings(t *testing.T) {
	has := func(m *Model, kind WarningKind) bool {
		return slices.ContainsFunc(m.Warnings, func(w Warning) bool { return w.Kind == kind && w.String() != "" && isFinite(w.Value) })
	}
	for _, set := range dataSets(t)[:4] {
		set.x = head(set.x, 300)
		m, err := FitMinVolume(bg, set.x, set.k, nil)
		if err != nil || len(m.Warnings) > 0 {
			t.Errorf("%s: %v %v", set.name, m.Warnings, err)
		}
	}
	x := standardized(loadCSV(t, "iris"))
	m, err := FitMinVolume(bg, x, 3, &MinVolumeOptions{Lambda: 1e9})
	if err != nil || !has(m, WarnCoincident) {
		t.Errorf("all prototypes in one: %v %v", m.Warnings, err)
	}
	// A third center between two clusters has no sample for which it is largest.
	two := NewMatrix(4, 1, []float64{-1, -1, 1, 1})
	m, err = FitAlternating(bg, two, 3, &MinVolumeOptions{Centers: NewMatrix(3, 1, []float64{-1, 0, 1})})
	if err != nil || !has(m, WarnEmpty) {
		t.Errorf("an idle center: %v %v", m.Warnings, err)
	}
	// Rows that add up to at most 1 cannot follow data on both sides of 0.
	sides := randomData(200, 6, 0, 4)
	m, err = FitMinVolume(bg, sides, 2, &MinVolumeOptions{Sum: SumAtMostOne, Slack: 1e-3, MaxIter: 20})
	if err != nil || !has(m, WarnSlack) || m.Objective < m.Floor {
		t.Errorf("no cone: %v %v", m.Warnings, err)
	}
	for _, w := range m.Warnings {
		if w.Kind == WarnSlack && (w.Cluster != 0 || w.Other != 0 || w.Value <= 1) {
			t.Errorf("no cone: %+v names a cluster, or no excess", w)
		}
	}
	if s := (Warning{Kind: 9}).String(); s != "Warning(9)" {
		t.Error(s)
	}
}

// TestWarningTable: the warnings about given centers, and the membership statistics they
// rest on, number by number.
func TestWarningTable(t *testing.T) {
	s := &samples{n: 4, weights: []float64{1, 0, 2, 1}, units: units{wexp: 2}} // scaled to ¼, 0, ½, ¼
	z := NewMatrix(4, 2, []float64{3, 4, 30, 40, 0, 1, 0, 2})
	g := NewMatrix(4, 4, []float64{0, .5, .5, 0, 0, 0, 0, 1, .25, .75, 0, 0, .5, .5, 0, 0})
	var c membershipStats
	length := func(i int) float64 { return norm2(z.row(i)) }
	c.add(s, length, g)
	if want := []float64{.25, .625, .125, 0}; !slices.Equal(c.members, want) || !slices.Equal(c.largest, []bool{true, true, false, false}) || c.total != 1 || c.farthest != 5 {
		t.Errorf("%+v", c)
	}
	c.add(s, length, g) // a second part of the data
	if c.total != 2 || c.members[1] != 1.25 || c.farthest != 5 || c.largest[2] {
		t.Errorf("%+v", c)
	}
	f := NewMatrix(4, 2, []float64{0, 1, 0, 2, 0, 2, 0, 15})
	want := []Warning{{WarnCoincident, 0, 1, 1e-3}, {WarnCoincident, 0, 2, 1e-3}, {WarnCoincident, 1, 2, 0},
		{WarnEmpty, 2, 0, .125}, {WarnEmpty, 3, 0, 0}, {WarnSlack, 0, 0, .5}}
	if got := findWarnings(f, &c, 1000, .5); !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	f.Set(3, 1, 20) // 15 is not yet far
	want = []Warning{{WarnCoincident, 1, 2, 0}, {WarnEmpty, 2, 0, .125}, {WarnEmpty, 3, 0, 0}, {WarnFar, 3, 0, 4}}
	if got := findWarnings(f, &c, 999, 0); !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	c.farthest = 0
	if got := findWarnings(f, &c, 0, 0); len(got) != 7 || got[6] != (Warning{WarnFar, 3, 0, math.MaxFloat64}) {
		t.Errorf("%v", got)
	}
	for want, w := range map[string]Warning{
		"centers 1 and 2 coincide: they are 0.000123 of the data's spread apart":                            {WarnCoincident, 1, 2, .000123456},
		"cluster 3 is empty: no sample has its largest membership there, and it has 0.25 of all membership": {WarnEmpty, 3, 0, .25},
		"center 4 is outside of the data: 3.5 times as far from the middle as the farthest sample":          {WarnFar, 4, 0, 3.5},
		"the error is 1.24 times what the slack allows, and no smaller one was found":                       {WarnSlack, 0, 0, 1.2355},
	} {
		if got := w.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWarningWords: every kind has a word of its own, and a sentence.
func TestWarningWords(t *testing.T) {
	seen := map[string]bool{}
	for kind := range warningCount {
		word, sentence := kind.String(), Warning{Kind: kind}.String()
		if seen[word] || word[0] == 'W' || sentence[:7] == "Warning" {
			t.Errorf("%d: %q, %q", int(kind), word, sentence)
		}
		seen[word] = true
	}
	if got := warningCount.String(); got != "WarningKind(6)" {
		t.Error(got)
	}
}
