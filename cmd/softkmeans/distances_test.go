package main

import (
	"strings"
	"testing"
)

// A table of distances is told from rows and from similarities.
func TestDistances(t *testing.T) {
	inFolder(t, ",a,b,c,d,e\na,0,1,9,9,8\nb,1,0,9,8,9\nc,9,9,0,1,1\nd,9,8,1,0,1\ne,8,9,1,1,0\n")
	for _, method := range []string{"lsd", "tilsd"} {
		text := must(t, strings.Fields("fit -k 2 -kernel distances -o g.csv -method "+method+" data.csv")...)
		if !strings.Contains(strings.Join(strings.Fields(text), " "), "exp(−γ·squared distance), γ = ") {
			t.Error(text)
		}
		var labels string
		for line := range strings.Lines(readFile(t, "g.csv")) {
			labels += strings.Split(line, ",")[0] + strings.Split(line, ",")[1]
		}
		if labels != "idlabela0b0c1d1e1" && labels != "idlabela1b1c0d0e0" {
			t.Errorf("%s: %s", method, labels)
		}
		_, _, stderr := do(t, "", strings.Fields("fit -k 2 -kernel matrix -method "+method+" data.csv")...)
		if !strings.Contains(stderr, "these are distances, not similarities; give -kernel distances") {
			t.Error(stderr)
		}
	}
	if text := must(t, strings.Fields("fit -k 2 data.csv")...); !strings.Contains(text,
		"looks like distances between its rows") {
		t.Error(text)
	}
	for _, args := range []string{"floors data.csv", "report -k 2 -o page.html data.csv"} {
		if text := must(t, strings.Fields(args)...); !strings.Contains(strings.Join(strings.Fields(text),
			" "), "looks like distances between its rows; if it is: -method tilsd -kernel distances") {
			t.Error(text)
		}
	}
	writeText(t, "data.csv", "1,.5,-.2\n.5,1,.1\n-.2,.1,1\n")
	if text := must(t, strings.Fields("fit -k 2 -kernel matrix -method "+
		"lsd data.csv")...); !strings.Contains(text, "2 similarities below 0, down to -0.2") {
		t.Error(text)
	}
	writeText(t, "data.csv", "0,1,2\n1,0,-3\n2,-3,0\n")
	if _, _, stderr := do(t, "", strings.Fields("fit -k 2 -kernel distances -method "+
		"tilsd data.csv")...); !strings.Contains(stderr, "is below 0, and no distance") {
		t.Error(stderr)
	}
}
