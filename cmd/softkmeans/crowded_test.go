package main

import (
	"strings"
	"testing"
)

// TestKnownCrowded: more known sources than two columns can tell apart are mixtures all the same. A row is labelled
// by its largest membership, and the shares are shown.
func TestKnownCrowded(t *testing.T) {
	inFolder(t, "")
	writeText(t, "x.csv", "id,a,b\nr1,0,1\nr2,9,1\nr3,1,9\nr4,9,9\nr5,5,1\nr6,1,5\nr7,9,5\nr8,5,9\nr9,5,5\n")
	writeText(t, "known.csv", "name,a,b\nW,0,0\nX,10,0\nY,0,10\nZ,10,10\n")
	report := must(t, strings.Fields("fit -k 4 -known known.csv -others no -o g.csv x.csv")...)
	if !strings.Contains(report, "membership") || strings.Contains(report, "use the labels") ||
		!strings.Contains(lined(report), "predict -centers FILE gives the ranges") {
		t.Errorf("no shares, or no word on ranges:\n%s", report)
	}
	for i, line := range strings.Split(strings.TrimSpace(readFile(t, "g.csv")), "\n")[1:5] {
		if want := []string{"W", "X", "Y", "Z"}[i]; strings.Split(line, ",")[1] != want {
			t.Errorf("%q is not labelled %s", line, want)
		}
	}
}
