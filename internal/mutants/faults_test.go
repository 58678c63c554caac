package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// module is where the root package is.
const module = "../.."

// root loads the root package.
func root(t *testing.T) *pack {
	t.Helper()
	long(t)
	p, err := load(context.Background(), module)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFaults: every fault of the list is in the sources once and builds, and no file is
// without one but those that have nothing to get wrong.
func TestFaults(t *testing.T) {
	faults, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(faults) < 200 {
		t.Errorf("%d faults only", len(faults))
	}
	p := root(t)
	var said bytes.Buffer
	if code := checkList(p, module, faults, false, &said); code != 0 {
		t.Errorf("go run ./internal/mutants -check\n%s", &said)
	}
	has := map[string]bool{}
	for _, f := range faults {
		has[f.file] = true
	}
	// These have constants and build tags only, or what no test of results can see.
	for _, name := range []string{"doc.go", "status.go", "parallel.go", "goroutines.go", "goroutines_none.go", "kernels_nosimd.go", "kernels_simd.go",
		"strips_simd.go", "simd_amd64.go", "simd_other.go", "solvers_all.go", "solvers_gram.go"} {
		has[name] = true
	}
	for _, name := range p.names {
		if !has[name] {
			t.Errorf("no fault in %s", name)
		}
	}
}

func TestParse(t *testing.T) {
	const good = "# a comment\n\na x.go sign: it is wrong\n before\n-old\n+new\n\n# another\nb x.go off-by-one: too many\n-two: lines\n-\tof it\n"
	faults, err := parse(good)
	if err != nil {
		t.Fatal(err)
	}
	if len(faults) != 2 || faults[0].kind != "sign" || faults[0].text != "it is wrong" || strings.Join(faults[0].side('+'), "|") != "before|old" ||
		strings.Join(faults[0].side('-'), "|") != "before|new" || strings.Join(faults[1].side('+'), "|") != "two : lines|of it" || len(faults[1].side('-')) != 0 ||
		faults[0].number != 3 || faults[1].number != 9 {
		t.Errorf("%+v", faults)
	}
	// What String prints is read as the same.
	again, err := parse(faults[0].String() + "\n" + faults[1].String())
	if err != nil || len(again) != 2 || again[0].String() != faults[0].String() || again[1].String() != faults[1].String() {
		t.Errorf("%+v, %v", again, err)
	}
	for _, bad := range []string{
		"a x.go no text\n-old\n",
		"a x.txt sign: not of a Go file\n-old\n",
		"A x.go sign: capital\n-old\n",
		"a ../x.go sign: another folder\n-old\n",
		"a x.go sign: no lines\n",
		"a x.go sign: no lines\n\nb x.go sign: lines\n-old\n",
		"a x.go sign: only new lines\n+new\n",
		"a x.go sign: nothing changes\n-old\n+old\n",
		"a x.go sign: only a comment changes\n-old\n+old // with words\n",
		"a x.go sign: nothing changes\n old\n",
		"a x.go sign: no mark\nold\n",
		"a x.go sign: nothing behind the mark\n-\n",
		"a x.go sign: nothing behind the mark\n-old\n+\t\n",
		"a x.go sign: only a comment behind the mark\n-old\n-// words\n",
		"a x.go sign: twice\n-old\n\na y.go sign: twice\n-old\n",
		"-old\n+new\n",
	} {
		if faults, err := parse(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, faults)
		}
	}
}

func TestCanonical(t *testing.T) {
	got := canonical("x:=f(a,b) // words\n\n\t// more\ny = `raw\nstring`+\"//\"\n} else { /* no */ i++")
	want := []string{"x := f ( a , b )", "", "", "y = `raw\nstring`", `+ "//"`, "} else { i ++"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestApply(t *testing.T) {
	const text = "a\n\tb // words\n\t// more\n\tc\nb\nd\n"
	for _, c := range []struct {
		lines       string
		want        string
		first, last int
	}{
		{"-c|+x", "a\n\tb // words\n\t// more\nx\nb\nd\n", 4, 4},
		{"-b|-d|+b", "a\n\tb // words\n\t// more\n\tc\nb\n\n", 5, 6},
		{" a| b|+x", "a\n\tb // words\nx\n\t// more\n\tc\nb\nd\n", 2, 3},
		{"+x| a", "x\na\n\tb // words\n\t// more\n\tc\nb\nd\n", 1, 1},
		{" b|-c", "a\n\tb // words\n\t// more\n\nb\nd\n", 4, 4},
		{" a|-b|-c|+x| b|-d|+y", "a\nx\n\n\nb\ny\n", 2, 6},
		{"-b // other|-c", "a\n\n\n\nb\nd\n", 2, 4},
		{"-b|+x", "", 0, 0}, // twice
		{"-e|+x", "", 0, 0}, // not at all
		{"-d|-b", "", 0, 0},
	} {
		f := fault{name: "f", file: "x.go"}
		for _, l := range strings.Split(c.lines, "|") {
			f.lines = append(f.lines, change{l[0], l[1:]})
		}
		got, first, last, err := f.apply(newSource("x.go", text))
		if got != c.want || first != c.first || last != c.last || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, lines %d to %d, %v", c.lines, got, first, last, err)
		}
	}
}

// TestCheck: what -check says of faults that no longer match, and what -fix writes.
func TestCheck(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	dir := small(t)
	const text = `# comment
good small.go sign: differences for sums
-sum += i // other words
+sum -= i

moved other.go lost check: is elsewhere now
-return sum
+return max(sum, -1)

typed small.go slip: does not build
-sum += i
+sum += "i"

gone small.go sign: the condition is another one now
 for i := 1; i <= 2*n; i++ {
-sum += i
+sum -= i

same small.go sign: like the first
-sum += i
+sum -= i

named other.go wrong start: the names are other ones now
-for n := 1; n <= till; n++ {
+for n := 2; n <= till; n++ {
 sum += n
`
	path := filepath.Join(dir, listPath)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	faults, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := load(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	code := checkList(p, dir, faults, false, &said)
	for _, want := range []string{
		"faults.txt:6: moved: its lines are other ones now; -fix writes\nmoved small.go ",
		"faults.txt:23: named: its lines are other ones now; -fix writes\nnamed small.go ",
		"faults.txt:10: typed: ",
		"faults.txt:14: gone: its lines are not in small.go\n",
		"the most like it is small.go:4: for i := 1; i <= n; i++ {",
		"-sum += i\n\t\tin lines [5]",
		"faults.txt:19: same: it is the same as good",
		"6 faults, 5 to mend",
	} {
		if code != 1 || !strings.Contains(said.String(), want) {
			t.Errorf("%d, %q is not in\n%s", code, want, &said)
		}
	}
	said.Reset()
	if code := checkList(p, dir, faults, true, &said); code != 1 || !strings.Contains(said.String(), "6 faults, 3 to mend") {
		t.Errorf("-fix: %d, %s", code, &said)
	}
	want := strings.ReplaceAll(text, "other.go", "small.go")
	want = strings.NewReplacer("for n := 1; n <= till; n++", "for i := 1; i <= n; i++", "for n := 2; n <= till; n++", "for i := 2; i <= n; i++", " sum += n\n", " sum += i\n").Replace(want)
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("-fix writes\n%s\nnot\n%s", got, want)
	}
}

// TestSample: the same seed draws the same; each fault is in the sources, builds, and is
// read as it is printed.
func TestSample(t *testing.T) {
	p := root(t)
	every := regexp.MustCompile("")
	faults, _ := p.sample(every, 50, 7)
	again, _ := p.sample(every, 50, 7)
	other, _ := p.sample(every, 50, 8)
	if len(faults) != 50 || len(again) != 50 || len(other) != 50 {
		t.Fatal(len(faults), len(again), len(other))
	}
	seen := map[string]bool{}
	kinds := map[string]int{}
	for i := range faults {
		f := &faults[i]
		if f.String() != again[i].String() {
			t.Errorf("the seed draws\n%s\nand\n%s", f, &again[i])
		}
		seen[f.name] = true
		kinds[f.kind]++
		if s, err := p.locate(f); err != nil || s.name != f.file {
			t.Errorf("%s: %v", f, err)
		}
		read, err := parse(f.String())
		if err != nil || len(read) != 1 || read[0].String() != f.String() {
			t.Errorf("%s: %v", f, err)
		}
	}
	common := 0
	for i := range other {
		if seen[other[i].name] {
			common++
		}
	}
	if common > 10 || len(kinds) < 4 {
		t.Errorf("another seed draws %d of 50 alike; kinds %v", common, kinds)
	}
	few, _ := p.sample(regexp.MustCompile("^svd.go$"), 5, 1)
	for i := range few {
		if few[i].file != "svd.go" {
			t.Errorf("drew %s", &few[i])
		}
	}
}

// TestEdits: what can be wrong in a small file, in full.
func TestEdits(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
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
	want := []string{"a < b → !(a < b)", "a < b → (a < b) || true", "a < b → (a < b) && false", "< → <=", "< → >=",
		`errors.New("a" + s) → nil`, "0 → 1", "2 → 1", "2 → 3", "2 → 4",
		"copy(p, p[1:]) → ", "p, p[1:] → p[1:], p", "1 → 0", "1 → 2",
		"+= → -=", "+= → =", "b += -1.5 → ", "- → ", "1.5 → 0.5", "1.5 → 2.5", "1.5 → 3.0", "a, b → b, a"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}
