package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// TestFitKnown: -known keeps prototypes that are joined by name, from rows, columns and models, with their names
// in memberships, prototypes and the report, and finds the one that is left out. Its outputs go back into predict.
func TestFitKnown(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	names, columns := []string{"quartz", "clay", "iron"}, []string{"Si", "Al", "Fe", "Mg", "K", "Ca"}
	f := [][]float64{{5, 1, 0, 2, 3, 1}, {0, 4, 1, 1, 6, 2}, {1, 0, 7, 3, 0, 4}}
	var x, library, turned strings.Builder
	fmt.Fprintf(&x, "sample,%s\n", strings.Join(columns, ","))
	var truth [][]float64
	for i := range 60 {
		g := []float64{math.Pow(rng.Float64(), 3), math.Pow(rng.Float64(), 3), math.Pow(rng.Float64(), 3)}
		if i < 3 {
			g = []float64{0, 0, 0}
			g[i] = 1
		}
		sum := g[0] + g[1] + g[2]
		fmt.Fprintf(&x, "s%d", i)
		for c := range columns {
			fmt.Fprintf(&x, ",%.9f", (g[0]*f[0][c]+g[1]*f[1][c]+g[2]*f[2][c])/sum+1e-4*rng.NormFloat64())
		}
		x.WriteByte('\n')
		truth = append(truth, []float64{g[2] / sum, g[1] / sum, g[0] / sum})
	}
	library.WriteString("name,Fe,Si,Na,Ca,K,Mg,Al\n") // another order, and a column more
	turned.WriteString("element,iron,clay\n")
	for _, j := range []int{2, 1} {
		p := f[j]
		fmt.Fprintf(&library, "%s,%v,%v,9,%v,%v,%v,%v\n", names[j], p[2], p[0], p[5], p[4], p[3], p[1])
	}
	for c, name := range columns {
		fmt.Fprintf(&turned, "%s,%v,%v\n", name, f[2][c], f[1][c])
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	rows := writeText(t, in("x.csv"), x.String())
	known := writeText(t, in("known.csv"), library.String())
	columnwise := writeText(t, in("turned.csv"), turned.String())
	for _, scale := range []string{"", "-scale zscore"} {
		args := append([]string{"fit", "-k", "3", "-others", "no", "-slack", "0.01"}, strings.Fields(scale)...)
		report := must(t, append(args, "-known", known, "-o", in("g.csv"), "-centers", in("c.csv"), "-model",
			in("m.json"), rows)...)
		for _, want := range []string{"2 of 3 prototypes are known, and stay: iron, clay", "its column Na is not used"} {
			if !strings.Contains(strings.Join(strings.Fields(report), " "), want) {
				t.Errorf("no %q in %s", want, report)
			}
		}
		centers := readFile(t, in("c.csv"))
		want := "prototype,Si,Al,Fe,Mg,K,Ca\niron,1,0,7,3,0,4\nclay,0,4,1,1,6,2\np2,"
		if !strings.HasPrefix(centers, want) {
			t.Fatalf("prototypes %s", centers)
		}
		var p [6]float64
		if _, err := fmt.Sscanf(centers[len(want):], "%g,%g,%g,%g,%g,%g", &p[0], &p[1], &p[2], &p[3], &p[4],
			&p[5]); err != nil {
			t.Fatal(err)
		}
		for c, v := range p {
			if !near(v, f[0][c], 2e-3) {
				t.Errorf("%s: the free prototype is %v, not %v", scale, p, f[0])
			}
		}
		g, labels := shares(t, readFile(t, in("g.csv")), "iron", "clay", "p2")
		sameShares(t, "fit", g, truth, 2e-3)
		if labels[0] != "p2" || labels[1] != "clay" || labels[2] != "iron" {
			t.Errorf("labels %v", labels[:3])
		}
		if head, _, _ := strings.Cut(readFile(t, in("g.csv")), "\n"); head != "sample,label,iron,clay,p2,cluster,largest,probability" {
			t.Errorf("columns %s", head)
		}
		numbers, _ := shares(t, readFile(t, in("g.csv")), "largest", "cluster", "probability")
		for i, v := range numbers[:3] { // the purest rows
			if v[0] != float64(2-i) || v[1] != float64(2-i) {
				t.Errorf("row %d: largest and cluster %v", i, v)
			}
		}
		must(t, "predict", "-model", in("m.json"), "-o", in("h.csv"), rows)
		again, _ := shares(t, readFile(t, in("h.csv")), "p0", "p1", "p2")
		sameShares(t, "predict -model", again, g, 1e-9)
		must(t, "predict", "-centers", in("c.csv"), "-rows", "given", "-o", in("h.csv"), rows)
		again, _ = shares(t, readFile(t, in("h.csv")), "iron", "clay", "p2")
		sameShares(t, "predict -centers", again, truth, 2e-3)
		for _, other := range []string{columnwise, in("c.csv"), in("m.json")} {
			k := []string{"-k", "3"}
			if err := must(t, append(append(args, k...), "-known", other, "-centers", in("d.csv"), rows)...); err == "" {
				t.Error("no report")
			}
			same := readFile(t, in("d.csv"))
			if other == in("m.json") {
				same = strings.NewReplacer("p0,", "iron,", "p1,", "clay,").Replace(same)
			}
			if same != centers {
				t.Errorf("-known %s: %s, not %s", filepath.Base(other), same, centers)
			}
		}
	}
	args := []string{"fit", "-k", "2", "-known", known, rows}
	for _, c := range []struct{ iron, bounds string }{{"1", "at 0 or above"}, {"-.01", "none"}} {
		writeText(t, known, strings.Replace(library.String(), "iron,7,1,", "iron,7,"+c.iron+",", 1))
		report := must(t, args...)
		if strings.Contains(report, "at 0 or above") != (c.bounds != "none") {
			t.Errorf("Si of iron is %s, and bounds are not %s: %s", c.iron, c.bounds, report)
		}
		if strings.Contains(report, "Slack") || strings.Contains(report, "nother answer") {
			t.Errorf("all prototypes are known: %s", report)
		}
	}
	far := writeText(t, in("far.csv"), "n,Fe,Si,K,Ca,Mg,Al\niron,7e3,1e3,0,4e3,3e3,0\nclay,1e3,0,6e3,2e3,1e3,4e3\n")
	for _, c := range []struct {
		k, known       string
		pulled, unlike bool
	}{{"3", known, true, false}, {"2", known, false, false}, {"3", far, true, true}, {"2", far, false, true}} {
		writeText(t, known, library.String())
		report := strings.Join(strings.Fields(must(t, "fit", "-v", "-others", "no", "-k", c.k, "-known", c.known, rows)), " ")
		for want, is := range map[string]bool{
			"1/3 of it is permitted above the least error": c.pulled,
			"times as long as the rows: check their units": c.unlike, "check the units of the known ones": c.unlike && !c.pulled,
			"olumns are not standardized (-scale zscore does)": true,
		} {
			if strings.Contains(report, want) != is {
				t.Errorf("-k %s -known %s: %q is there: %v, in %s", c.k, c.known, want, !is, report)
			}
		}
	}
	writeText(t, known, library.String())
	for _, c := range []struct{ args, want string }{
		{"-k 1 -known " + known, "give at least -k 2"},
		{"-k 3 -method global -known " + known, "-known is only for -method minvol and alternating"},
		{"-k 3 -stream yes -known " + known, "-known is for tables in memory"},
		{"-k 3 -scale counts -known " + known, "leave one out"},
		{"-k 2 -bootstrap 3 -known " + known, "all prototypes are known"},
		{"-k 3 -known " + in("none.csv"), "none.csv"},
		{"-k 3 -known " + known + " -centers " + known, "would overwrite the prototypes"},
		{"-known " + known + " -from " + in("m.json"), "-known and -from"},
		{"-k 3 -bounds 0,6 -known " + known, "iron is 7 in column Fe, and prototypes are kept from 0 to 6"},
		{"-k 2 -known " + writeText(t, in("same.csv"), "n,Si,Al,Fe,Mg,K,Ca\np1,1,2,3,4,5,6\n"), "the same name"},
		{"-k 2 -known " + writeText(t, in("far.csv"), "n,A,B\na,1,2\n"), "in common"},
	} {
		code, stdout, stderr := do(t, "", append(append([]string{"fit"}, strings.Fields(c.args)...), rows)...)
		if code == 0 || stdout != "" || !strings.Contains(strings.Join(strings.Fields(stderr), " "), c.want) {
			t.Errorf("%s: %d, %s%s", c.args, code, stdout, stderr)
		}
	}
}
