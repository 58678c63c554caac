package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A model gives the fitted rows their memberships of the fit, for every method and
// scale and any order of the columns.
func TestPredictFitted(t *testing.T) {
	inFolder(t, flowers(t))
	// The columns in another order, with others between them.
	var turned strings.Builder
	for line := range strings.Lines(readFile(t, "data.csv")) {
		line = strings.Replace(strings.TrimSuffix(line, "\n"), `"petal, width"`, "PETAL", 1)
		f := strings.Split(line, ",")
		turned.WriteString(strings.Replace(strings.Join([]string{f[5], f[6], f[2], f[1], f[0], f[4]}, ","),
			"PETAL", `"petal, width"`, 1) + "\n")
	}
	if err := os.WriteFile("turned.csv", []byte(turned.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	base := []string{"fit", "-drop", "id", "-label", "species", "-weights", "weight", "-o", "m.csv",
		"-model", "model.json", "data.csv"}
	for _, more := range []string{
		"-k 3 -others no", "-k 2 -scale minmax -others no",
		"-k 3 -method minvol -scale zscore -others no", "-k 2 -method alternating",
		"-k 3 -method global -enclosure tight -scale minmax", "-k 1",
		"-k 3 -method tilsd -scale zscore", "-k 3 -method tilsd -kernel linear",
		"-k 3 -method lsd -kernel linear",
	} {
		args := append(strings.Fields(more), base[1:]...)
		if strings.Contains(more, "lsd") {
			args = slices.Delete(args, len(args)-7, len(args)-5) // -weights
			args = append(args, "-drop", "id,weight")
		}
		must(t, append([]string{"fit"}, args...)...)
		_, _, fitted := parseMemberships(t, readFile(t, "m.csv"))
		tol := 1e-10
		if strings.Contains(more, "-method lsd") {
			tol = 0.2 // its Predict promises no more than nearness
		}
		for _, file := range []string{"data.csv", "turned.csv", "-"} {
			if file == "-" && more != "-k 1" {
				continue // as from a file
			}
			stdin := ""
			if file == "-" {
				stdin = turned.String()
			}
			code, stdout, stderr := do(t, stdin, "predict", "-model", "model.json", file)
			if code != 0 || stderr != "" &&
				(!strings.HasPrefix(stderr, "Warning of the fit: ") || strings.Count(stderr, "\n") > 1) {
				t.Fatalf("%s: predict %s: %s", more, file, stderr)
			}
			_, _, g := parseMemberships(t, stdout)
			if len(g) != len(fitted) {
				t.Fatalf("%s: predict %s: %d rows", more, file, len(g))
			}
			for i := range g {
				for j, v := range g[i] {
					if !near(v, fitted[i][j], tol) {
						t.Fatalf("%s: predict %s: row %d is %v, was %v", more, file, i, g[i], fitted[i])
					}
				}
			}
		}
	}
}

// Several columns may have the same name.
func TestSameNames(t *testing.T) {
	inFolder(t, "a,k,a,b\n1,x,2,3\n4,y,5,7\n7,x,8,8\n1,y,9,2\n")
	must(t, strings.Fields("fit -method global -k 2 -label k -o g.csv -centers f.csv -model "+
		"m.json data.csv")...)
	must(t, strings.Fields("predict -model m.json -o p.csv data.csv")...)
	for _, args := range []string{"-model m.json data.csv",
		"-centers f.csv -memberships g.csv -label k data.csv",
		"-centers f.csv -memberships p.csv -drop k data.csv"} {
		if text := must(t, append([]string{"certify"}, strings.Fields(args)...)...); !strings.Contains(text,
			"\nCertified: ") {
			t.Errorf("%s: %s", args, text)
		}
	}
	// The columns are found by position, since the data does not have b twice.
	writeText(t, "f.csv", strings.Replace(readFile(t, "f.csv"), "a,a,b", "a,b,b", 1))
	if text := must(t, strings.Fields("certify -centers f.csv -label k data.csv")...); !strings.Contains(text,
		"\nCertified: ") {
		t.Error(text)
	}
}

// Names may be numbers, or occur twice.
func TestPredictNames(t *testing.T) {
	inFolder(t, "1,2\n1,2\n3,4\n5,7\n")
	must(t, strings.Fields("fit -k 2 -header yes -o want.csv -model model.json data.csv")...)
	must(t, strings.Fields("predict -header yes -model model.json -o got.csv data.csv")...)
	sameMemberships(t, "got.csv", "want.csv")
	for _, command := range []string{"predict", "certify"} {
		code, stdout, stderr := do(t, "", command, "-model", "model.json", "data.csv")
		if code != 2 || stdout != "" || !strings.Contains(stderr, "columns are numbers (1, 2)") {
			t.Errorf("%s: code %d, %q", command, code, stderr)
		}
	}
	for _, header := range []string{"a,a,b", "a,,c2", "a,a,a", `"a,b","c ""d""",é`} {
		writeText(t, "twice.csv", header+"\n1,2,3\n3,4,4\n5,7,9\n")
		must(t, strings.Fields("fit -guess no -k 2 -o want.csv -model model.json twice.csv")...)
		must(t, strings.Fields("predict -guess no -model model.json -o got.csv twice.csv")...)
		sameMemberships(t, "got.csv", "want.csv")
	}
	writeText(t, "other.csv", "b,a,a\n1,2,3\n")
	must(t, strings.Fields("fit -k 2 -model model.json twice.csv")...)
	if code, _, stderr := do(t, "", "predict", "-model", "model.json", "other.csv"); code != 1 ||
		!strings.HasPrefix(stderr, "softkmeans: other.csv:1: ") {
		t.Errorf("code %d, %q", code, stderr)
	}
}

// TI-LSD keeps its digits for rows far from the origin, where products of rows have
// none left. Products out of range are an error.
func TestPredictProducts(t *testing.T) {
	table := func(shift, unit float64) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, "%v,%v,%v\n", shift+unit*float64(i*7%11),
				shift+unit*float64(i*i%13), shift-unit*float64(i*5%17))
		}
		return b.String()
	}
	inFolder(t, table(1e8, 1))
	for _, args := range []string{"-k 2", "-k 3", "-k 3 -enclosure tight", "-k 4 -scale minmax"} {
		must(t, append(strings.Fields("fit -method tilsd -kernel linear -o want.csv -model "+
			"model.json data.csv"), strings.Fields(args)...)...)
		must(t, strings.Fields("predict -model model.json -o got.csv data.csv")...)
		sameMemberships(t, "got.csv", "want.csv")
	}
	writeText(t, "near.csv", table(0, 1))
	writeText(t, "far.csv", table(0, 1e149))
	for _, method := range []string{"tilsd", "lsd"} {
		must(t, strings.Fields("fit -k 2 -kernel linear -model model.json near.csv -method "+method)...)
		failure{"predict -model model.json far.csv", 1, "far.csv: the similarity of row 2 to row "}.check(t)
	}
}

func TestPredictUsage(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	for name, text := range map[string]string{
		"three.csv": "1,2,3\n", "text.csv": "1,2\n3,x\n" + strings.Repeat("5,1\n2,1\n", 5),
		"other.csv": "a,c\n1,2\n", "named.csv": "a,b\n1,2\n3,4\n",
	} {
		writeText(t, name, text)
	}
	must(t, strings.Fields("fit -k 2 -scale zscore -model model.json data.csv")...)
	must(t, strings.Fields("fit -k 1 -model named.json named.csv")...)
	for _, f := range []failure{
		{"data.csv", 2, "-model is missing"},
		{"-model model.json -o model.json data.csv", 2, "-o model.json would overwrite the model"},
		{"-model model.json -o data.csv data.csv", 2, "-o data.csv would overwrite the data"},
		{"-model missing.json data.csv", 1, "missing.json"},
		{"-model model.json three.csv", 1, "three.csv: 3 columns, but the model has 2 (c1, c2)"},
		{"-model model.json text.csv", 1, "text.csv:2:2: "},
		{"-model named.json other.csv", 1, `"b"`},
	} {
		f.args = "predict " + f.args
		f.check(t)
	}
}

// TestPredictLabels: predict gives the fitted rows the labels of the fit, which minvol and
// alternating take from means of clusters; without these labels are the largest
// memberships.
func TestPredictLabels(t *testing.T) {
	inFolder(t, flowers(t))
	moved := 0
	for _, more := range []string{
		"-method minvol -others no", "-method minvol -scale zscore -others no",
		"-method minvol -stream yes -scale minmax",
		"-method alternating -scale zscore -weights weight", "-method minvol -sum at-most-one",
		"-method global -scale zscore", "-method tilsd",
	} {
		drop := "id,weight"
		if strings.Contains(more, "-weights") {
			drop = "id"
		}
		args := append([]string{"fit", "-k", "3", "-drop", drop, "-label", "species", "-o", "m.csv", "-model",
			"model.json"}, strings.Fields(more)...)
		must(t, append(args, "data.csv")...)
		must(t, strings.Fields("predict -model model.json -o p.csv data.csv")...)
		_, labels, g := parseMemberships(t, readFile(t, "m.csv"))
		_, again, _ := parseMemberships(t, readFile(t, "p.csv"))
		if !slices.Equal(labels, again) {
			t.Errorf("%s: predicted labels %v, fitted %v", more, again, labels)
		}
		largest := make([]int, len(g))
		for i, row := range g {
			largest[i] = slices.Index(row, slices.Max(row))
		}
		model := readFile(t, "model.json")
		means := strings.Contains(model, `"clusterMeans"`) || strings.Contains(model, `"labelMeans"`)
		if means == strings.Contains(more, "global") ||
			!means && !slices.Equal(labels, largest) {
			t.Errorf("%s: cluster means in the model: %v, labels %v", more, means, labels)
		}
		if !means {
			continue
		}
		if !slices.Equal(labels, largest) {
			moved++
		}
		axes := regexp.MustCompile(`(?s)\t"(?:cluster|label)Axes".*?\n\t\],\n`)
		bare := unsealed(regexp.MustCompile(
			`(?s)\t"(?:cluster|label)Means".*?\n\t\],\n|\t"(?:clusterWeights|labelWeights|labels)".*?\],\n`).ReplaceAllString(axes.ReplaceAllString(model, ""), ""))
		if err := os.WriteFile("model.json", []byte(bare), 0o666); err != nil {
			t.Fatal(err)
		}
		must(t, strings.Fields("predict -model model.json -o p.csv data.csv")...)
		if _, old, _ := parseMemberships(t, readFile(t, "p.csv")); !slices.Equal(old, largest) {
			t.Errorf("%s: a model without means has the labels %v, not %v", more, old, largest)
		}
	}
	if moved == 0 {
		t.Error("no label is by a mean")
	}
}

// A row without any value has no label. Notes go to standard error where the memberships
// take standard output.
func TestPredictEmptyRow(t *testing.T) {
	inFolder(t, "v,w\n1,2\n4,1\n2,8\n7,3\n3,3\n")
	must(t, strings.Fields("fit -k 2 -others no -model m.json data.csv")...)
	const text = "id,v,w\na,,\nb,1,2\nc,NA,-\nd,,3\ne,,\n"
	writeText(t, "new.csv", text)
	const notes = ": 5 rows, memberships in 2 prototypes of m.json.\nColumn 1 (id) is taken for the rows' ids and left out: its name says so, and no " +
		"value comes\ntwice.\n" +
		"1 missing value, left out of the distances: v (1).\n3 rows without any value have no label and no " +
		"memberships.\n"
	for in, details := range map[string]bool{"new.csv": false, "-": true} {
		args := []string{"predict", "-model", "m.json", in}
		name, commas := in, ",,,,,,"
		if in == "-" {
			name = "<stdin>"
		}
		if details {
			args, commas = []string{"predict", "-model", "m.json", "-details", in}, ",,,,,,,,,,,"
		}
		code, stdout, stderr := do(t, text, args...)
		lines := strings.Split(stdout, "\n")
		if code != 0 || stderr != name+notes {
			t.Errorf("%q: code %d, %s", args, code, stderr)
		}
		if len(lines) != 7 || lines[1] != "a"+commas || lines[3] != "c"+commas || lines[5] != "e"+commas ||
			strings.Count(lines[0], ",") != len(commas) || strings.Contains(lines[2]+lines[4], ",,") {
			t.Errorf("%q: %q", args, lines)
		}
	}
	if text := must(t, strings.Fields("predict -model m.json -o p.csv new.csv")...); !strings.Contains(text,
		"new.csv: 5 rows, memberships in 2 prototypes of m.json.\n") || !strings.Contains(text, "\n3 rows without any value have no label") {
		t.Error(text)
	}
}
