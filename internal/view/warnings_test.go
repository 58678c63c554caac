package view

import (
	"regexp"
	"strings"
	"testing"

	"softkmeans"
)

func TestWarnings(t *testing.T) {
	far := func(j int, v float64) softkmeans.Warning {
		return softkmeans.Warning{Kind: softkmeans.WarnFar, Cluster: j, Value: v}
	}
	m := &softkmeans.Model{Warnings: []softkmeans.Warning{
		{Kind: softkmeans.WarnCoincident, Cluster: 0, Other: 1},
		{Kind: softkmeans.WarnCoincident, Cluster: 0, Other: 3},
		{Kind: softkmeans.WarnEmpty, Cluster: 2, Value: .01},
		far(4, 4), far(0, 3.25), far(1, 4.5), {Kind: softkmeans.WarnSlack, Value: 1.5},
		{Kind: softkmeans.WarnLabels, Value: .123}}}
	want := []string{
		"Prototypes p0 and p1 coincide: fewer would do.",
		"Prototypes p0 and p3 coincide: fewer would do.",
		"Prototype p2 is the largest membership of no row: a small part of mixtures, or too many prototypes.",
		"Prototypes p0, p1 and p4 are far outside of the data: up to 4.5 times as far from the middle as " +
			"the farthest row. A larger slack or fewer prototypes may help.",
		"The squared error is 1.5 times the largest error that the slack allows, and no fit had a smaller one: check bounds and known prototypes.",
		"Refits on half of the rows give up to 12.3 % of the rows another label. In test tables as unstable as this one, " +
			"about 76 % of the labels agreed with the known classes. For rows between clusters rely on memberships.",
	}
	if got := Warnings(m, false); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
	if got := Warnings(&softkmeans.Model{Warnings: []softkmeans.Warning{far(2, 5)}}, false); len(got) != 1 ||
		!strings.HasPrefix(got[0], "Prototype p2 is far outside of the data: 5 times") {
		t.Errorf("%q", got)
	}
	equal := softkmeans.Warning{Kind: softkmeans.WarnDimensions, Other: 0, Value: 3}
	if got := Warnings(&softkmeans.Model{Warnings: []softkmeans.Warning{equal}}, false); len(got) != 1 ||
		!strings.HasPrefix(got[0], "All rows are equal") {
		t.Errorf("%q", got)
	}
	if got := Warnings(&softkmeans.Model{}, false); len(got) != 0 {
		t.Errorf("without any: %q", got)
	}
}

// TestWarningNames: the sentence of every kind that names a prototype calls it p0, not center 0 or cluster 0.
func TestWarningNames(t *testing.T) {
	for kind := softkmeans.WarningKind(0); !strings.Contains(kind.String(), "("); kind++ {
		m := &softkmeans.Model{Warnings: []softkmeans.Warning{{Kind: kind, Other: 1, Value: 2}}}
		number := regexp.MustCompile("(enter|luster) [01]")
		if lines := Warnings(m, false); len(lines) != 1 || number.MatchString(lines[0]) {
			t.Errorf("%v: %q", kind, lines)
		}
	}
}
