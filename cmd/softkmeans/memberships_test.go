package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
)

func TestMemberships(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.csv")
	code, report, stderr := do(t, "", "fit", "-method", "global", iris, "-o", path, "-k", "3")
	if code != 0 || stderr != "" || !strings.HasPrefix(report, iris) {
		t.Fatalf("code %d, stdout %q, stderr %q", code, report, stderr)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	header, labels, g := parseMemberships(t, string(text))
	if header != "label,p0,p1,p2" || len(g) != 150 {
		t.Errorf("header %q, %d rows", header, len(g))
	}
	m, err := softkmeans.Fit(t.Context(), readTable(t, iris), 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range g {
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		if !near(sum, 1, 1e-15) || slices.Min(row) < 0 {
			t.Errorf("row %d: %v adds up to %v", i, row, sum)
		}
		if labels[i] != slices.Index(row, slices.Max(row)) {
			t.Errorf("row %d: %v has label %d", i, row, labels[i])
		}
		if !slices.Equal(row, m.Memberships.Row(i)) {
			t.Errorf("row %d: %v lost digits of %v", i, row, m.Memberships.Row(i))
		}
	}

	code, stdout, stderr := do(t, "", "fit", "-method", "global", iris, "-o", "-", "-k", "3")
	if code != 0 || stdout != string(text) || stderr != report {
		t.Errorf("-o -: code %d, stdout %.100q, stderr %.100q", code, stdout, stderr)
	}
}

// Rows that are written before an error are complete.
func TestWholeLines(t *testing.T) {
	inFolder(t, "1,2\n3,4\n5,7\n")
	must(t, strings.Fields("fit -k 2 -model model.json data.csv")...)
	writeText(t, "bad.csv", strings.Repeat("1.5,2.25\n3,4.125\n0.7,2.3\n", 3000)+"1,x\n")
	code, stdout, _ := do(t, "", strings.Fields("predict -model model.json bad.csv")...)
	if code != 1 || len(stdout) < 1<<16 || !strings.HasSuffix(stdout, "\n") {
		t.Fatalf("code %d, %d bytes, %.40q at the end", code, len(stdout), stdout[max(0, len(stdout)-40):])
	}
	if _, _, g := parseMemberships(t, stdout); len(g) < 1000 {
		t.Errorf("%d rows", len(g))
	}
}

// Memberships have the ids of the table, and the columns of -keep, so that they join. predict
// and certify read the same table; blocks and memory give the same.
func TestMembershipIDs(t *testing.T) {
	table := flowers(t)
	t.Chdir(t.TempDir())
	writeText(t, "data.csv", strings.Replace(table, "flower 5", `"flower, ""5"""`, 1))
	ids := make([]string, 150)
	for i := range ids {
		ids[i] = fmt.Sprintf("f%03d", 149-i)
	}
	lines := strings.Split(strings.TrimSpace(table), "\n")
	for i, id := range ids {
		lines[i+1] = id + lines[i+1][strings.Index(lines[i+1], ","):]
	}
	writeText(t, "ids.csv", strings.Join(lines, "\n")+"\n")
	for _, test := range []struct{ flags, header, first string }{
		{"-drop weight,species ids.csv", "id,label,p0,p1,largest", "f149,"},
		{"-drop 4,7 -id none -label id ids.csv", "label,p0,p1,largest", ""},
		{"-drop weight -keep species ids.csv", "id,species,label,p0,p1,largest", "f149,sa,"},
		{"-drop 4,7 -id 7 -keep 1-3 ids.csv", "species,id,petal length,\"petal, width\",label,p0,p1,largest",
			"sa,f149,1.4,0.2,"},
		{"-drop 4 -id id -keep 1,species data.csv", "id,id,species,label,p0,p1,largest", `"flower, ""5""",`},
		{"-names label,l,w,p1,a,b,kind -header yes -label kind -drop p1 -id label ids.csv",
			"label,label,p0,p1,largest", "f149,"},
	} {
		for _, stream := range []string{" -stream no", " -stream yes"} {
			report := must(t,
				strings.Fields("fit -k 2 -method global -o g.csv -model m.json "+test.flags+stream)...)
			text := readFile(t, "g.csv")
			records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if err != nil || len(records) != 151 || !strings.HasPrefix(text, test.header+"\n"+test.first) {
				t.Errorf("%s: %d lines, %v:\n%.200s", test.flags, len(records), err, text)
			}
			if twice := strings.Contains(report,
				"In the memberships two columns are named"); twice != (strings.Count(","+test.header,
				",label") > 1) {
				t.Errorf("%s: %s", test.flags, report)
			}
		}
	}
}

// Rows of predict keep their ids, and rows of any order join by them.
func TestPredictIDs(t *testing.T) {
	inFolder(t, "plot,a,b\nq1,1,2\nq2,3,4\nq3,5,7\nq4,9,1\nq5,2,2\n")
	writeText(t, "new.csv", "b,note,plot,a\n1,yes,q4,9\n7,no,q3,5\n2,yes,q1,1\n")
	must(t, strings.Fields("fit -k 2 -o g.csv -model m.json data.csv")...)
	fitted := map[string]string{}
	for _, line := range strings.Split(readFile(t, "g.csv"), "\n")[1:] {
		id, rest, _ := strings.Cut(line, ",")
		fitted[id] = rest
	}
	for _, flags := range []string{"-o p.csv new.csv", "-keep note -o p.csv new.csv"} {
		must(t, strings.Fields("predict -model m.json "+flags)...)
		_, stdout, _ := do(t, readFile(t, "new.csv"),
			strings.Fields("predict -model m.json "+strings.Replace(flags, "-o p.csv new.csv", "-", 1))...)
		text := readFile(t, "p.csv")
		if stdout != text {
			t.Errorf("%s: %s in memory, %s in blocks", flags, stdout, text)
		}
		for i, line := range strings.Split(text, "\n")[:4] {
			id, rest, _ := strings.Cut(line, ",")
			note := ""
			if strings.Contains(flags, "-keep") {
				note, rest, _ = strings.Cut(rest, ",")
			}
			if i == 0 && (id != "plot" || rest != "label,p0,p1,cluster,largest,probability") ||
				i > 0 && id != []string{"", "q4", "q3", "q1"}[i] {
				t.Errorf("%s: %s", flags, text)
			}
			if want := fitted[id]; i > 0 && !closeFields(rest, want) {
				t.Errorf("%s: %s, want %s (%s)", flags, line, want, note)
			}
		}
	}
}

// closeFields compares lines of numbers.
func closeFields(a, b string) bool {
	v, w := strings.Split(a, ","), strings.Split(b, ",")
	if len(v) != len(w) {
		return false
	}
	for i := range v {
		x, errX := strconv.ParseFloat(v[i], 64)
		y, errY := strconv.ParseFloat(w[i], 64)
		if errX != nil || errY != nil || !near(x, y, 1e-9) {
			return false
		}
	}
	return true
}
