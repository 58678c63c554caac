package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/kinds"
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
			" "), "looks like distances between its rows; if it is: -kernel distances") {
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

// looksOf returns what the table of at(i, j), i > j, and its mirror image seems to hold.
func looksOf(n int, at func(i, j int) float64) kinds.Content {
	x := softkmeans.NewMatrix(n, n, nil)
	for i := range n {
		for j := range i {
			v := at(i, j)
			x.Set(i, j, v)
			x.Set(j, i, v)
		}
	}
	return kinds.Holds(x)
}

// Distances are told from graphs, whether most of a graph's weights are 0 or none is.
func TestLooks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0x100c5))
	chance := func(p float64) float64 {
		if rng.Float64() < p {
			return 1
		}
		return 0
	}
	for _, name := range []string{iris, "../../testdata/wine.csv", "../../testdata/digits.csv"} {
		x := readTable(t, name)
		distance := func(i, j int) (d float64) {
			for c, v := range x.Row(i) {
				d = math.Hypot(d, v-x.At(j, c))
			}
			return d
		}
		scale := distance(x.Rows-1, 0)
		for what, of := range map[string]func(d float64) float64{
			"distances": func(d float64) float64 { return d },
			"squares":   func(d float64) float64 { return d * d },
			"rounded":   func(d float64) float64 { return math.Round(d) },
			"large":     func(d float64) float64 { return 1e150 * d },
		} {
			if looksOf(100, func(i, j int) float64 { return of(distance(i, j)) }) != kinds.Distances {
				t.Errorf("%s: %s are none", name, what)
			}
		}
		for what, of := range map[string]func(d float64) float64{
			"inverse distances": func(d float64) float64 { return 1 / (1 + d) },
			"gaussians":         func(d float64) float64 { return math.Exp(-d * d / scale / scale) },
			"near rows": func(d float64) float64 {
				if d > scale/2 {
					return 0
				}
				return 1
			},
		} {
			if looksOf(100, func(i, j int) float64 { return of(distance(i, j)) }) != kinds.Graph {
				t.Errorf("%s: the weights %s are no graph", name, what)
			}
		}
	}
	for _, p := range [][2]float64{{.3, .05}, {.6, .3}, {.95, .6}} {
		if looksOf(120, func(i, j int) float64 { return chance(p[min(1, (i-j)%3)]) }) != kinds.Graph {
			t.Errorf("%v: no graph", p)
		}
	}
	for want, at := range map[kinds.Content]func(i, j int) float64{
		kinds.Graph:        func(i, j int) float64 { return math.Floor(1 / float64(i-j)) }, // a path
		kinds.Similarities: func(i, j int) float64 { return float64(j - 5) },
		kinds.Distances:    func(i, j int) float64 { return float64(i - j) },
	} {
		if got := looksOf(20, at); got != want {
			t.Errorf("%d, not %d", got, want)
		}
	}
	if looksOf(4, func(int, int) float64 { return 0 }) != kinds.Similarities {
		t.Error("zeros")
	}
}

// A graph is taken for similarities with a note, for distances with a warning, and as a graph without.
func TestGraph(t *testing.T) {
	text := ""
	for i := range 24 {
		for j := range 24 {
			v := ",0" // two rings of twelve
			if d := (i%12 - j%12 + 12) % 12; i/12 == j/12 && (d == 1 || d == 2 || d >= 10) {
				v = ",1"
			}
			if text += v; j == 0 {
				text = text[:len(text)-2] + v[1:]
			}
		}
		text += "\n"
	}
	inFolder(t, text)
	for args, want := range map[string]string{
		"fit -k 2 data.csv":                                      "The table looks like the weights of a graph; if it is: -kernel graph.",
		"fit -k 2 -kernel matrix data.csv":                       "is taken for similarities as it is; -kernel graph",
		"fit -k 2 -kernel distances data.csv":                    "The table looks like the weights of a graph; if it is: -kernel graph.",
		"fit -k 2 -kernel graph -o g.csv -model m.json data.csv": "the weights of a graph over the roots of both rows' sums.",
	} {
		if out := must(t, strings.Fields(args)...); !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("%s:\n%s", args, out)
		}
	}
	_, labels, _ := parseMemberships(t, readFile(t, "g.csv"))
	for i, label := range labels {
		if (label == labels[0]) != (i < 12) {
			t.Fatalf("%v", labels)
		}
	}
	code, _, stderr := do(t, "", "predict", "-model", "m.json", "data.csv")
	if code != 1 || !strings.Contains(stderr, "takes no new rows") {
		t.Errorf("%d, %s", code, stderr)
	}
}
