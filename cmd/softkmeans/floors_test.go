package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/answer"
)

// JSON and CSV have the numbers of the package for all k.
func TestFloorsNumbers(t *testing.T) {
	for _, name := range []string{someRows(t, iris, 3), someRows(t, setFile("wine"), 4)} {
		x := readTable(t, name)
		floors, err := softkmeans.Floors(t.Context(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := choosek.Propose(floors)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "floors.csv")
		choose, err := choosek.Choose(t.Context(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		k, why := choose.K, choose.Reason
		code, stdout, stderr := do(t, "", "floors", "-json", "-scale", "none", "-most", "1", "-o", path, name)
		if code != 0 || stderr != "" {
			t.Fatalf("%s: code %d, %s", name, code, stderr)
		}
		got := parseJSON[answer.Answer](t, stdout)
		if got.Rows != x.Rows || len(got.Columns) != x.Cols || got.Source != name ||
			got.Choice.Reason != why || got.Choice.Certain != choose.Certain ||
			got.Choice.K == nil || *got.Choice.K != k ||
			got.Evidence.Edge != choose.Edge ||
			!slices.Equal(got.Evidence.Agreement, choose.Agreement) || *got.Choice.Elbow != p.Elbow ||
			*got.Choice.Profile != p.Profile || len(got.Floors) != len(floors) {
			t.Errorf("%s: %+v, want %+v", name, got, p)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil || len(records) != len(floors)+1 ||
			strings.Join(records[0], ",") != "k,floor,explained,step,stick" {
			t.Fatalf("%s: %v, %.100q", name, err, text)
		}
		for i, f := range got.Floors {
			if f.K != i+1 || f.Floor != floors[i] || *f.Explained != p.Explained[i] {
				t.Errorf("%s: %+v, want %v, %v", name, f, floors[i], p.Explained[i])
			}
			want := []string{strconv.Itoa(f.K), "", "", "", ""}
			for j, v := range []*float64{&f.Floor, f.Explained, f.Step, f.Stick} {
				if v != nil {
					want[j+1] = strconv.FormatFloat(*v, 'g', -1, 64)
				}
			}
			if !slices.Equal(records[i+1], want) {
				t.Errorf("%s: %q, want %q", name, records[i+1], want)
			}
			if i == 0 || i > len(p.Step) {
				if f.Step != nil || f.Stick != nil {
					t.Errorf("%s: %+v has a step", name, f)
				}
			} else if *f.Step != p.Step[i-1] || *f.Stick != p.Stick[i-1] {
				t.Errorf("%s: %+v, want %v, %v", name, f, p.Step[i-1], p.Stick[i-1])
			}
		}
	}
}

// The report has a line for every k up to -most and for the proposed k. The bars show
// the explained share.
func TestFloorsReport(t *testing.T) {
	few := filepath.Join(t.TempDir(), "few.csv") // fewer rows than a choice takes
	var distinct string
	for i := range 5 {
		for j := range 20 {
			distinct += fmt.Sprintf("%d,", j*(i+1)%11)
		}
		distinct += "0\n"
	}
	if err := os.WriteFile(few, []byte(strings.Repeat(distinct, 3)), 0o666); err != nil {
		t.Fatal(err)
	}
	flowers := someRows(t, iris, 2)
	line := regexp.MustCompile(`(?m)^ +(\*?) *(\d+) +(\S+) +(\S+) %(?: +(\S+) % +(\S+) %)?(?: +(#*))?$`)
	for _, test := range []struct {
		args, ks string
		proposed string
	}{
		{flowers, "1 2 3 4 5", "2"},
		{"-most 1 " + flowers, "1 2", "2"},
		{"-most 3 " + few, "1 2 3 5", "5"},
		{"-most 4 -stream yes " + few, "1 2 3 4 5", "5"},
	} {
		code, report, stderr := do(t, "", append([]string{"floors"}, strings.Fields(test.args)...)...)
		if code != 0 || stderr != "" {
			t.Fatalf("%s: code %d, %s", test.args, code, stderr)
		}
		var ks []string
		for _, m := range line.FindAllStringSubmatch(report, -1) {
			ks = append(ks, m[2])
			if (m[1] == "*") != (m[2] == test.proposed) {
				t.Errorf("%s: the mark is at %s", test.args, m[2])
			}
			if v, err := strconv.ParseFloat(m[4], 64); err != nil ||
				!near(float64(len(m[7])), v*30/100, 0.51) {
				t.Errorf("%s: %s%% has a bar of %d", test.args, m[4], len(m[7]))
			}
		}
		if got := strings.Join(ks, " "); got != test.ks {
			t.Errorf("%s: lines of %s, want %s, in\n%s", test.args, got, test.ks, report)
		}
		gap := strings.Contains(report, "…\n  * 5 ")
		if want := test.ks == "1 2 3 5"; gap != want {
			t.Errorf("%s: gap %v in\n%s", test.args, gap, report)
		}
		for l := range strings.Lines(report) {
			if len([]rune(l)) > answer.LineWidth+1 {
				t.Errorf("%s: a line is too long: %s", test.args, l)
			}
		}
		words := []string{". Not certain: " + test.proposed + " by the noise and halves of the rows", "\nNoise: k = 2; direction 1",
			"\nHeld-out entries: k = 3;", "\nHalves of the rows: up to k = 2; "}
		if strings.Contains(test.args, few) {
			words = []string{"\nProposed: k = " + test.proposed + ", since 5 prototypes mix all samples exactly.",
				"\nElbow of the column explained: ", "\nEnd of the large steps: "}
		}
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(report, w) }) {
			t.Errorf("%s: no words in\n%s", test.args, report)
		}
	}
	if _, report, _ := do(t, "", "floors", "-most", "3", few); !strings.Contains(report,
		"\n12 more, up to k = 16, are not shown; use -most, -o or -json.\n") {
		t.Errorf("the rows that are not shown are not mentioned:\n%s", report)
	}
}

// Degenerate data.
// Clusters may speak for more prototypes than there are floors above 0: the table of floors has a line for them.
func TestFloorsOfClusters(t *testing.T) {
	var text strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 320 {
		fmt.Fprintf(&text, "%g,%g\n", float64(i%4)+.08*r.NormFloat64(), float64(i/4%4)+.08*r.NormFloat64())
	}
	_, report, _ := do(t, text.String(), "floors")
	if want := regexp.MustCompile(`(?m)^ +3 .*100.%.*\n  \* 16 +0 +100.% *$`); !want.MatchString(report) {
		t.Error(report)
	}
}

func TestFloorsEdges(t *testing.T) {
	for _, test := range []struct {
		text, says string
		k          int // 0: none
		floors     []float64
	}{
		{"1,2\n1,2\n", "Proposed: k = 1, since all samples are equal.", 1, []float64{0, 0, 0}},
		{"4\n", "Proposed: k = 1, since all samples are equal.", 1, []float64{0, 0}},
		{"1\n2\n6\n", "No k is proposed: the data has one direction only", 0, []float64{14, 0}},
		{"1,0\n-1,0\n0,1\n0,-1\n", "No k is proposed: no direction stands out: the first explains 50.0 %", 0,
			[]float64{4, 2, 0}},
		{"0,0,0,0\n1,1,1,1\n2,2,2,2\n4,4,4,4\n",
			"Proposed: k = 2, since 2 prototypes mix all samples exactly.", 2, []float64{35, 0, 0, 0, 0}},
	} {
		path := filepath.Join(t.TempDir(), "x.csv")
		if err := os.WriteFile(path, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"-"}, {"-stream", "yes", path}} {
			code, report, stderr := do(t, test.text, append([]string{"floors"}, args...)...)
			if code != 0 || !strings.Contains(report, test.says) ||
				regexp.MustCompile("NaN|Inf").MatchString(report) {
				t.Errorf("%q, %q: code %d, %s\n%s", test.text, args, code, stderr, report)
			}
			code, report, _ = do(t, test.text, append([]string{"floors", "-json"}, args...)...)
			got := parseJSON[answer.Answer](t, report)
			if k := got.Choice.K; code != 0 || (k == nil) != (test.k == 0) || k != nil && *k != test.k {
				t.Errorf("%q, %q: code %d\n%s", test.text, args, code, report)
			}
			for i, f := range got.Floors {
				if !near(f.Floor, test.floors[i], 1e-12) {
					t.Errorf("%q, %q: floor %d is %v, want %v", test.text, args, f.K, f.Floor, test.floors[i])
				}
			}
		}
	}
}

// The floors of a stream are those of a table in memory, to rounding.
func TestFloorsStream(t *testing.T) {
	path, _ := writeTables(t, t.TempDir(), 9000, 2)
	want, err := softkmeans.Floors(t.Context(), readTable(t, path), nil)
	if err != nil {
		t.Fatal(err)
	}
	code, text, stderr := do(t, "", "floors", "-json", "-stream", "yes", path)
	if code != 0 || stderr != "" {
		t.Fatalf("code %d, %s", code, stderr)
	}
	got := parseJSON[answer.Answer](t, text)
	if got.Rows != 9000 || len(got.Columns) != 2 || len(got.Floors) != 3 ||
		!got.Evidence.Drawn || got.Evidence.Rows != 1000 {
		t.Errorf("%s", text)
	}
	for i, f := range got.Floors {
		if !near(f.Floor, want[i], 1e-12*want[0]) {
			t.Errorf("floor %d is %v, want %v", i+1, f.Floor, want[i])
		}
	}
	wide := filepath.Join(t.TempDir(), "wide.csv")
	row := strings.Repeat("1,", statsColumns) + "2\n"
	if err := os.WriteFile(wide, []byte(row+row), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := do(t, "", "floors", "-stream", "yes", wide); code != 1 ||
		stderr != "softkmeans: "+wide+": 4097 columns; floors of a stream take at most 4096; use "+
			"-stream no\n" {
		t.Errorf("code %d, %s", code, stderr)
	}
	if code, stdout, stderr := do(t, "", "floors", wide); code != 0 ||
		!strings.Contains(stdout, "4097 columns") {
		t.Errorf("code %d, %s", code, stderr)
	}
}

func TestFloorsUsage(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.csv")
	if err := os.WriteFile(bad, []byte("a,b\n1,2\n3,x\n"+strings.Repeat("5,1\n2,1\n", 5)),
		0o666); err != nil {
		t.Fatal(err)
	}
	for _, f := range []failure{
		{"-most 0 " + iris, 2, "at least 1"},
		{"-stream yes", 2, "standard input can be read only once"},
		{"-stream yes -weights a " + bad, 2, "-stream yes does not go with -weights"},
		{"-o " + bad + " " + bad, 2, "would overwrite the data"},
		{"", 1, "<stdin>: there are no rows"},
		{bad, 1, bad + `:3:2: "x" in column "b" is not a number`},
		{"-stream yes " + bad, 1, bad + `:3:2: "x" in column "b" is not a number`},
	} {
		f.args = "floors " + f.args
		f.check(t)
	}
}

// The list goes to -o. With -o - the report goes to standard error.
func TestFloorsOutput(t *testing.T) {
	data, path := someRows(t, iris, 6), filepath.Join(t.TempDir(), "floors.csv")
	report := must(t, "floors", data, "-o", path)
	if code, stdout, stderr := do(t, "", "floors", data, "-o", "-"); code != 0 ||
		stdout != readFile(t, path) || stderr != report {
		t.Errorf("code %d, %q, %q", code, stdout, stderr)
	}
}
