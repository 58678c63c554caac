package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// small is a module with a test that sees some of its faults.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module small\n\ngo 1.24\n",
		"small.go": `package small

func Sum(n int) (sum int) {
	for i := 1; i <= n; i++ {
		sum += i
	}
	return sum
}
`,
		"small_test.go": `package small

import (
	"os"
	"testing"
)

func TestSum(t *testing.T) {
	if data, err := os.ReadFile("testdata/four"); err != nil || Sum(len(data)) != 10 {
		t.Error(err, Sum(len(data)))
	}
}

func TestOne(t *testing.T) {
	if !testing.Short() && Sum(1) != 1 {
		t.Error(Sum(1))
	}
}
`,
		"testdata/four": "four",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestVerdicts(t *testing.T) {
	from := small(t)
	source, err := os.ReadFile(filepath.Join(from, "small.go"))
	if err != nil {
		t.Fatal(err)
	}
	source0 := newSource("small.go", string(source))
	// mistake replaces the only place of a text.
	mistake := func(name, old, text string) fault {
		at := strings.Index(string(source), old)
		f := newFault(source0, edit{at, at + len(old), text, "kind", "what"})
		f.name = name
		return f
	}
	faults := []fault{
		mistake("seen", "sum += i", "sum -= i"),
		mistake("late", "return sum", "return sum + max(0, 2-n)"),
		mistake("unseen", "return sum", "return max(sum, -1)"),
		mistake("endless", "return sum", "return <-make(chan int)"),
		mistake("equal", "sum += i", "sum = i + sum"),
		mistake("broken", "sum += i", `sum += "i"`),
	}
	var said bytes.Buffer
	// The others take milliseconds; what hangs, as long as it may.
	o := &options{workers: 2, timeout: 3 * time.Second, full: true}
	results, err := testAll(context.Background(), from, faults, o, &said)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		verdict
		by string
	}{{caught, "TestSum"}, {caught, "TestOne"}, {survived, ""},
		{hung, "TestSum"}, {same, ""}, {invalid, ""}} {
		if r := results[i]; r.verdict != want.verdict || r.by != want.by && i != 3 {
			t.Errorf("%s: %s by %s, not %s by %s\n%s", r.name, r.verdict, r.by,
				want.verdict, want.by, r.output)
		}
	}
	if !strings.Contains(said.String(), "6/6, 3 caught") {
		t.Errorf("said %q", &said)
	}
	if after, err := os.ReadFile(filepath.Join(from, "small.go")); err != nil ||
		string(after) != string(source) {
		t.Error("the module itself was changed", err)
	}
	p, err := load(context.Background(), from)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	code := func(results []result, share float64) int {
		return report(&table, p, results, &options{share: share}, 1, time.Second)
	}
	if got := []int{code(results, 0.5), code(results[:5], 0.75), code(results[:5], 0.8)}; got[0] != 0 ||
		got[1] != 0 || got[2] != 1 {
		t.Errorf("exit codes %d", got)
	}
	for _, want := range []string{
		"| late | small.go | kind | what | caught | TestOne | ",
		"\nrun by 2 tests: unseen, small.go:7 in Sum, kind: what\n",
		"\n     7 -\t\treturn sum\n       +\t\treturn max(sum, -1)\n     8  \t}\n",
		"7 faults: 3 caught, 1 of them as tests that did not end, 1 survived, 1 compile to the same " +
			"program, 2 do not build: 75.0 % of 4 caught",
	} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, &table)
		}
	}
	// With -short nobody sees what only TestOne does.
	o.full = false
	if results, err := testAll(context.Background(), from, faults[:2], o, &said); err != nil ||
		results[0].verdict != caught || results[1].verdict != survived {
		t.Errorf("-short: %+v, %v", results, err)
	}
}

// TestUnsound: tests that fail by themselves prove nothing.
func TestUnsound(t *testing.T) {
	from := small(t)
	p, err := load(context.Background(), from)
	if err != nil {
		t.Fatal(err)
	}
	faults, _ := p.sample(regexp.MustCompile(""), 1, 1)
	var said bytes.Buffer
	o := &options{workers: 2, timeout: time.Minute}
	if err := os.Remove(filepath.Join(from, "testdata", "four")); err != nil {
		t.Fatal(err)
	}
	if _, err := testAll(context.Background(), from, faults[:1], o, &said); err == nil ||
		!strings.Contains(err.Error(), "without any fault") {
		t.Errorf("failing tests: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := testAll(ctx, from, faults[:1], o, &said); err == nil {
		t.Error("no error of a context that has ended")
	}
}

func TestStages(t *testing.T) {
	tests := []testRun{{name: "A", seconds: 0.4}, {name: "B", seconds: 0.5}, {name: "C", seconds: 0.6},
		{name: "D", seconds: 8}, {name: "E", seconds: 9}, {name: "F", seconds: 20}}
	var got []string
	for _, s := range stages(tests, time.Minute) {
		got = append(got, s.flags[1]+s.limit.Round(time.Second).String())
	}
	if strings.Join(got, " ") != "^(A|B)$29s ^(C|D)$1m0s ^(E|F)$1m0s" {
		t.Errorf("%q", got)
	}
	if got := stages(tests[5:], time.Second); len(got) != 1 || got[0].limit != time.Second {
		t.Errorf("%v", got)
	}
}

func TestFlags(t *testing.T) {
	from := small(t)
	for _, args := range []string{"-p 0", "-n 0", "-share 2", "-share NaN", "-timeout -1s", "-run (",
		"-files (", "more", "-nothing", "-run ^nothing$",
		"-files none", "-pkg ../x", "-pkg none", "-list -files ^none"} {
		var out, said bytes.Buffer
		if code := run(context.Background(), strings.Fields(args), from, &out, &said); code != 2 ||
			said.Len() == 0 || out.Len() > 0 {
			t.Errorf("%s: exit code %d, %q, %q", args, code, &out, &said)
		}
	}
	var out, said bytes.Buffer
	if code := run(context.Background(), []string{"-list", "-n", "2"}, from, &out, &said); code != 0 ||
		strings.Count(out.String(), "small.go:") != 2 {
		t.Errorf("-list: %d, %q, %q", code, &out, &said)
	}
	if code := run(context.Background(), []string{"-help"}, from, &out, &said); code != 0 ||
		!strings.Contains(said.String(), "-share") {
		t.Errorf("-help: %d, %q", code, &said)
	}
}

// TestSample: the same seed draws the same, another one others; faults build, and those of
// one line are not all of a kind.
func TestSample(t *testing.T) {
	p, err := load(context.Background(), ".") // this program
	if err != nil {
		t.Fatal(err)
	}
	faults, _ := p.sample(regexp.MustCompile(""), 50, 7)
	again, _ := p.sample(regexp.MustCompile(""), 50, 7)
	other, _ := p.sample(regexp.MustCompile(""), 50, 8)
	if len(faults) != 50 || !slices.Equal(faults, again) {
		t.Fatalf("%d faults and %d of the same seed", len(faults), len(again))
	}
	kinds, common := map[string]bool{}, 0
	for _, f := range faults {
		kinds[f.kind] = true
		if slices.Contains(other, f) {
			common++
		}
		if wrong := f.apply(p.sources[f.file]); strings.Count(wrong,
			"\n") != len(p.sources[f.file].lines)-1 || p.builds(f.file, wrong) != nil {
			t.Errorf("%s", show(p, &f))
		}
	}
	if common > 10 || len(kinds) < 4 {
		t.Errorf("another seed draws %d of 50 alike; kinds %v", common, kinds)
	}
}

// TestEdits: what can be wrong in a small file, in full.
func TestEdits(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module x\n\ngo 1.24\n", "x.go": `package x

import "errors"

func f(a, b float64, s string) (float64, error) {
	if a < b {
		return 0, errors.New("a" + s)
	}
	_ = s[:1]
	p := make([]float64, 2, 9)
	copy(p, p[1:])
	b += -1.5
	return f(a, b, s)
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := load(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	text := p.sources["x.go"].text
	for _, e := range p.edits("x.go") {
		got = append(got, text[e.from:e.to]+" → "+e.text)
	}
	want := []string{"a < b → !(a < b)", "a < b → (a < b) || true",
		"a < b → (a < b) && false", "< → <=", "< → >=",
		`errors.New("a" + s) → nil`, "0 → 1", "2 → 1", "2 → 3", "2 → 4",
		"copy(p, p[1:]) → ", "p, p[1:] → p[1:], p", "1 → 0", "1 → 2",
		"+= → -=", "+= → =", "b += -1.5 → ", "- → ", "1.5 → 0.5", "1.5 → 2.5", "1.5 → 3.0", "a, b → b, a"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}
