package softkmeans

import (
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
	j, err := openVolumeFit(bg, x, 2, &MinVolumeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at := j.newIterate()
	copy(at.f.Data, j.fromData(rowsOf(x, 0, 2)).Data)
	farthest := 0.0
	for i := range x.Rows {
		farthest = max(farthest, norm2(j.z.row(i)))
	}
	for _, c := range []struct {
		factor float64
		want   bool
	}{{2.99, false}, {3.01, true}} {
		scale(at.f.row(1), c.factor*farthest/norm2(at.f.row(1)))
		if err := j.pass(at, nil); err != nil {
			t.Fatal(err)
		}
		var found membershipStats
		found.add(j.s, j.z, at.g)
		if m := (&Model{Warnings: findWarnings(at.f, &found, j.spread(), j.missed)}); has(m, WarnFar) != c.want {
			t.Errorf("a center %g times as far as the farthest sample: %v", c.factor, m.Warnings)
		}
	}
	// A third center between two clusters has no sample for which it is largest.
	two := NewMatrix(4, 1, []float64{-1, -1, 1, 1})
	m, err = FitAlternating(bg, two, 3, &AlternatingOptions{Centers: NewMatrix(3, 1, []float64{-1, 0, 1})})
	if err != nil || !has(m, WarnEmpty) {
		t.Errorf("an idle center: %v %v", m.Warnings, err)
	}
	// Nor does one whose only sample has no weight.
	weightless, err := openVolumeFit(bg, NewMatrix(3, 1, []float64{1, 2, 3}), 2, &MinVolumeOptions{Weights: []float64{1, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	var some membershipStats
	some.add(weightless.s, weightless.z, NewMatrix(3, 2, []float64{1, 0, 1, 0, 0, 1}))
	if !some.largest[0] || some.largest[1] || some.members[1] != 0 || some.total != 2*weightless.s.weight(0) {
		t.Errorf("a sample of weight 0: %+v", some)
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
