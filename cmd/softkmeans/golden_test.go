package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/golden anew")

// goldens are runs of every command, one after the other in one folder. Their output is
// in testdata/golden/NAME.txt.
var goldens = []struct{ name, args string }{
	{"fit", "fit -k 3 -o g.csv -centers f.csv -model m.json iris.csv"},
	{"fit-minvol", "fit -k auto -method minvol iris.csv"},
	{"fit-bounds", "fit -k 3 -bounds 0,6.5 -scale zscore -others no iris.csv"},
	{"fit-tilsd", "fit -k 3 -method tilsd iris.csv"},
	{"fit-bootstrap", "fit -k 3 -method minvol -others no -bootstrap 20 -model old.json iris.csv"},
	{"fit-from", "fit -from old.json -method minvol -others no -drop 5 -label 6 -model new.json more.csv"},
	{"fit-mixtures", "fit -k 3 grains.csv"},
	{"fit-clusters", "fit -k 6 -drop 3,4 iris.csv"},
	{"fit-missing", "fit -k 3 -missing fit -v gaps.csv"},
	{"compare", "compare old.json new.json"},
	{"predict", "predict -model m.json -o p.csv iris.csv"},
	{"predict-centers", "predict -centers sources.csv -o p.csv consumers.csv"},
	{"predict-centers-json", "predict -centers square.csv -json -o p.csv consumers.csv"},
	{"floors", "floors wine.csv -scale zscore"},
	{"floors-similar", "floors -kernel rbf -method lsd -most 5 some.csv"},
	{"floors-cut", "floors -most 4 -stream yes wine.csv"},
	{"fit-global", "fit -k 3 -method global -o gg.csv -centers gf.csv iris.csv"},
	{"certify", "certify -centers gf.csv -memberships gg.csv iris.csv"},
	{"certify-not", "certify -centers first.csv iris.csv"},
	{"report", "report -k 2 -scale none -o page.html iris.csv"},
	{"report-similar", "report -kernel rbf -k 3 -method lsd -o similar.html some.csv"},
	{"fit-sparse", "fit -k 3 -method global -o sg.csv -details -model sm.json iris.svm"},
	{"predict-sparse", "predict -model sm.json -o sp.csv iris.svm"},
	{"floors-sparse", "floors -most 3 iris.svm"},
	{"unmix", "unmix -k 3 -size 10x15 -o u.img -spectra u.csv -report u.html iris.csv"},
	{"evaluate", "evaluate iris.labels.csv g.csv"},
	{"simulate", "simulate -k 3 -size 16x16 -seed 4 s"},
	{"unmix-simulated", "unmix -k 3 -spectra v.csv s.hdr"},
	{"unmix-centers", "unmix -centers s_endmembers.csv -o w.img s.hdr"},
	{"evaluate-materials", "evaluate -materials s_endmembers.csv v.csv"},
}

// The output of every command is unchanged: the words exactly, the numbers to a
// millionth, since their last digits depend on the machine. To accept a change, run
//
//	go test ./cmd/softkmeans -run TestGolden -update
//
// and read the difference.
func TestGolden(t *testing.T) {
	golden, err := filepath.Abs(filepath.Join("testdata", "golden"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs(filepath.Join("..", "..", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"iris.csv", "wine.csv", "iris.labels.csv"} {
		text := readFile(t, filepath.Join(source, name))
		if name == "wine.csv" { // as many rows as -k auto takes in little time
			text = readFile(t, someRows(t, filepath.Join(source, name), 3))
		}
		writeText(t, name, text)
	}
	writeText(t, "grains.csv", readFile(t, filepath.Join(source, "tables", "trade", "grain_sizes_percent.csv")))
	writeText(t, "gaps.csv", strings.ReplaceAll(readFile(t, "iris.csv"), "5.6,", ","))
	writeText(t, "more.csv", strings.ReplaceAll(readFile(t, "iris.csv"), "\n",
		",7,x\n")+"9,4,8,3,7,x\n9,4,8,3,7,x\n")
	var some strings.Builder
	for i, line := range strings.Split(readFile(t, "iris.csv"), "\n") {
		if i%4 == 0 {
			some.WriteString(line + "\n")
		}
	}
	writeText(t, "some.csv", some.String())
	writeText(t, "first.csv", "5.1,3.5,1.4,.2\n7,3.2,4.7,1.4\n6.3,3.3,6,2.5\n")
	writeText(t, "sources.csv", ",Meand13C,SDd13C,Meand15N,SDd15N,n\nGrass,-27.3,.6,2.3,.5,10\n"+
		"Algae,-19.2,.9,3.4,.6,8\nShrub,-25.7,.5,6.0,.7,9\nCorn,-11.4,.4,1.9,.4,12\n")
	writeText(t, "square.csv", "food,d13C,d15N\nA,-28,1\nB,-10,1\nC,-28,5\nD,-10,5\n")
	writeText(t, "consumers.csv",
		"pack,d13C,d15N\n1,-18.09,2.48\n2,-16.92,4.2\n3,-16.9,3.59\n1,-18.21,6.66\n")
	var svm strings.Builder // iris in tenths of meters, without what is below 1.5 cm
	for line := range strings.Lines(readFile(t, "iris.csv")) {
		svm.WriteString("7")
		for j, v := range strings.Split(strings.TrimSpace(line), ",") {
			if v > "1.5" {
				fmt.Fprintf(&svm, " %d:0.%s", j+1, strings.ReplaceAll(v, ".", ""))
			}
		}
		svm.WriteByte('\n')
	}
	writeText(t, "iris.svm", svm.String())
	for _, g := range goldens {
		code, stdout, stderr := do(t, "", strings.Fields(g.args)...)
		got := fmt.Sprintf("$ softkmeans %s\n%sexit code %d\n%s", g.args, stdout, code, stderr)
		path := filepath.Join(golden, g.name+".txt")
		if *update {
			writeText(t, path, got)
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, line := range differences(string(want), got) {
			t.Errorf("%s: %s", g.name, line)
		}
	}
	for _, c := range commands {
		if !slices.ContainsFunc(goldens,
			func(g struct{ name, args string }) bool { return strings.HasPrefix(g.args, c.name+" ") }) &&
			c.name != "version" { // which is another tomorrow
			t.Errorf("there is no golden run of %s", c.name)
		}
	}
	entries, err := os.ReadDir(golden)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.ContainsFunc(goldens,
			func(g struct{ name, args string }) bool { return g.name+".txt" == e.Name() }) {
			t.Errorf("%s is of no run", e.Name())
		}
	}
}

// differences lists the lines in which two texts differ.
func differences(want, got string) (list []string) {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(b):
			list = append(list, fmt.Sprintf("line %d is missing:\n%s", i+1, a[i]))
		case i >= len(a):
			list = append(list, fmt.Sprintf("line %d is new:\n%s", i+1, b[i]))
		case !sameLine(a[i], b[i]):
			list = append(list, fmt.Sprintf("line %d is\n%s\nnot\n%s", i+1, b[i], a[i]))
		}
	}
	return list
}

// numberPattern matches a number. A minus after a word, as in x-1, is not its sign.
var numberPattern = regexp.MustCompile(`(?:\B-)?\b\d+(?:\.\d+)?(?:e[-+]?\d+)?\b`)

// sameLine reports whether two lines have the same words and, up to rounding, the same
// numbers. Numbers below 1e-9 count as 0. The spaces around a number do not count.
func sameLine(want, got string) bool {
	words := func(line string) []string {
		list := numberPattern.Split(line, -1)
		for i, s := range list {
			list[i] = strings.Join(strings.Fields("<"+s+">"), " ")
		}
		return list
	}
	a, b := numberPattern.FindAllString(want, -1), numberPattern.FindAllString(got, -1)
	if !slices.Equal(words(want), words(got)) || len(a) != len(b) {
		return false
	}
	for i := range a {
		v, errV := strconv.ParseFloat(a[i], 64)
		w, errW := strconv.ParseFloat(b[i], 64)
		if errV != nil || errW != nil {
			return false
		}
		if math.Abs(v) < 1e-9 {
			v = 0
		}
		if math.Abs(w) < 1e-9 {
			w = 0
		}
		if !near(v, w, 1e-6*max(math.Abs(v), math.Abs(w))) {
			return false
		}
	}
	return true
}
