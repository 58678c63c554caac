package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module is where the root package is.
const module = "../.."

// TestFaults: every fault fits the source as it is, once, leaves a file that can be
// parsed, and is told in one way by the list.
func TestFaults(t *testing.T) {
	faults, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(faults) < 64 {
		t.Errorf("%d faults only", len(faults))
	}
	sources, seen, changes := map[string]string{}, map[string]int{}, map[string]string{}
	for _, f := range faults {
		if sources[f.file] == "" {
			data, err := os.ReadFile(filepath.Join(module, f.file))
			if err != nil {
				t.Fatal(err)
			}
			sources[f.file] = string(data)
		}
		seen[f.file]++
		wrong, err := f.apply(sources[f.file])
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), f.file, wrong, parser.SkipObjectResolution); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		if other := changes[wrong]; other != "" {
			t.Errorf("%s and %s are the same", f.name, other)
		}
		changes[wrong] = f.name
	}
	// All files with something to do wrong in them.
	files, err := filepath.Glob(filepath.Join(module, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	without := map[string]bool{"doc.go": true, "parallel.go": true, "goroutines_none.go": true, "kernels_nosimd.go": true, "kernels_simd.go": true,
		"strips_simd.go": true, "simd_amd64.go": true, "simd_other.go": true, "solvers_all.go": true, "solvers_gram.go": true}
	for _, path := range files {
		if name := filepath.Base(path); !strings.HasSuffix(name, "_test.go") && !without[name] && seen[name] == 0 {
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
	if len(faults) != 2 || faults[0].kind != "sign" || faults[0].text != "it is wrong" || strings.Join(faults[0].before, "|") != "before|old" ||
		strings.Join(faults[0].after, "|") != "before|new" || strings.Join(faults[1].before, "|") != "two: lines|of it" || len(faults[1].after) != 0 {
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
		"a x.go sign: nothing changes\n old\n",
		"a x.go sign: no mark\nold\n",
		"a x.go sign: nothing behind the mark\n-\n",
		"a x.go sign: nothing behind the mark\n-old\n+\t\n",
		"a x.go sign: twice\n-old\n\na y.go sign: twice\n-old\n",
		"-old\n+new\n",
	} {
		if faults, err := parse(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, faults)
		}
	}
}

func TestApply(t *testing.T) {
	const source = "a\n\tb\n\tc\nb\nd\n"
	for _, c := range []struct{ before, after, want string }{
		{"c", "x", "a\n\tb\nx\nb\nd\n"},
		{"b|d", "b", "a\n\tb\n\tc\nb\n"},
		{"a|b", "a|b|x", "a\nb\nx\n\tc\nb\nd\n"},
		{"b", "x", ""}, // twice
		{"e", "x", ""}, // not at all
		{"d|b", "x", ""},
	} {
		f := fault{name: "f", file: "x.go", before: strings.Split(c.before, "|"), after: strings.Split(c.after, "|")}
		if got, err := f.apply(source); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s for %s: %q, %v", c.after, c.before, got, err)
		}
	}
}

// TestRandomFaults: the same seed draws the same, each fits the source and is
// read as it is printed.
func TestRandomFaults(t *testing.T) {
	faults, err := randomFaults(module, 50, 7)
	if err != nil {
		t.Fatal(err)
	}
	again, err := randomFaults(module, 50, 7)
	if err != nil || len(faults) != 50 {
		t.Fatal(len(faults), err)
	}
	other, err := randomFaults(module, 50, 8)
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for i := range faults {
		f := &faults[i]
		if f.String() != again[i].String() {
			t.Errorf("the seed draws\n%s\nand\n%s", f, &again[i])
		}
		if f.String() == other[i].String() {
			same++
		}
		data, err := os.ReadFile(filepath.Join(module, f.file))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.apply(string(data)); err != nil {
			t.Error(err)
		}
		read, err := parse(f.String())
		if err != nil || len(read) != 1 || read[0].String() != f.String() {
			t.Errorf("%s: %v", f, err)
		}
	}
	if same > 5 {
		t.Errorf("another seed draws %d of 50 alike", same)
	}
}
