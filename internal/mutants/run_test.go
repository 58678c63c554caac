package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
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

// long skips what builds programs or reads all sources, but in the complete tests:
//
//	SOFTKMEANS_LONG=1 go test ./internal/mutants
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("SOFTKMEANS_LONG") != "1" {
		t.Skip("runs with SOFTKMEANS_LONG=1")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
}

func TestVerdicts(t *testing.T) {
	long(t)
	from := small(t)
	source, err := os.ReadFile(filepath.Join(from, "small.go"))
	if err != nil {
		t.Fatal(err)
	}
	faults, err := parse(`
seen small.go sign: differences for sums
-		sum += i
+		sum -= i

late small.go wrong start: one too many where n is 1
-	return sum
+	return sum + max(0, 2-n)

unseen small.go lost check: nothing that the tests look at
-	return sum
+	return max(sum, -1)

endless small.go lost answer: nobody sends what is waited for
-	return sum
+	return <-make(chan int)

equal small.go nothing: the sum of the same
-		sum += i
+		sum = i + sum

broken small.go slip: does not compile
-		sum += i
+		sum += "i"
`)
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	// The others take milliseconds; what hangs, as long as it may.
	o := &options{workers: 2, timeout: 3 * time.Second}
	results, err := testAll(context.Background(), from, faults, o, &said)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		verdict
		by string
	}{{caught, "TestSum"}, {caught, "TestOne"}, {survived, ""}, {hung, "TestSum"}, {same, ""}, {invalid, ""}} {
		if r := results[i]; r.verdict != want.verdict || r.by != want.by && i != 3 {
			t.Errorf("%s: %s by %s, not %s by %s\n%s", r.name, r.verdict, r.by, want.verdict, want.by, r.output)
		}
	}
	if !strings.Contains(said.String(), "6/6, 3 caught") {
		t.Errorf("said %q", &said)
	}
	if after, err := os.ReadFile(filepath.Join(from, "small.go")); err != nil || string(after) != string(source) {
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
	if got := []int{code(results, 0.5), code(results[:5], 0.75), code(results[:5], 0.8)}; got[0] != 1 || got[1] != 0 || got[2] != 1 {
		t.Errorf("exit codes %d", got)
	}
	for _, want := range []string{
		"| late | small.go | wrong start | one too many where n is 1 | caught | TestOne | ",
		"\nsmall.go:7 in Sum, run by 2 tests\nunseen small.go ",
		"\n     7\t\treturn sum\n     8\t}\n",
		"7 faults: 3 caught, 1 of them as tests that did not end, 1 survived, 1 compile to the same program, 2 do not build: 75.0 % of 4 caught",
	} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, &table)
		}
	}
	// Chosen tests see it or not.
	o.tests = "^TestOne$"
	if results, err := testAll(context.Background(), from, faults[:2], o, &said); err != nil || results[0].verdict != caught || results[1].verdict != caught || results[0].by != "TestOne" {
		t.Errorf("-tests: %+v, %v", results, err)
	}
}

// TestUnsound: tests that fail by themselves prove nothing.
func TestUnsound(t *testing.T) {
	long(t)
	from := small(t)
	faults, err := parse("seen small.go sign: differences for sums\n-sum += i\n+sum -= i\n")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	o := &options{workers: 2, timeout: time.Minute}
	if err := os.Remove(filepath.Join(from, "testdata", "four")); err != nil {
		t.Fatal(err)
	}
	if _, err := testAll(context.Background(), from, faults[:1], o, &said); err == nil || !strings.Contains(err.Error(), "without any fault") {
		t.Errorf("failing tests: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := testAll(ctx, from, faults[:1], o, &said); err == nil {
		t.Error("no error of a context that has ended")
	}
}

func TestStages(t *testing.T) {
	tests := []testRun{{Name: "A", Seconds: 0.4}, {Name: "B", Seconds: 0.5}, {Name: "C", Seconds: 0.6}, {Name: "D", Seconds: 8}, {Name: "E", Seconds: 9}, {Name: "F", Seconds: 20}}
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

func TestReadProfile(t *testing.T) {
	got := readProfile([]byte("mode: set\nx/a.go:3.10,5.2 2 1\nx/a.go:7.1,8.2 1 0\nx/b_c.go:1.1,1.9 1 3\n"))
	if len(got) != 2 || !got[block{"a.go", 3, 5}] || !got[block{"b_c.go", 1, 1}] {
		t.Errorf("%v", got)
	}
}

func TestFlags(t *testing.T) {
	for _, args := range []string{"-p 0", "-n -1", "-share 2", "-share NaN", "-timeout -1s", "-run (", "-files (", "more", "-nothing", "-run ^nothing$",
		"-check -n 3", "-pkg cmd/softkmeans", "-n 3 -pkg ../x", "-n 3 -pkg none"} {
		var out, said bytes.Buffer
		if code := run(context.Background(), strings.Fields(args), module, &out, &said); code != 2 || said.Len() == 0 || out.Len() > 0 {
			t.Errorf("%s: exit code %d, %q, %q", args, code, &out, &said)
		}
	}
	var out, said bytes.Buffer
	if code := run(context.Background(), []string{"-list", "-run", "^erratum-"}, module, &out, &said); code != 0 || !strings.Contains(out.String(), "\n+") {
		t.Errorf("-list: %d, %q, %q", code, &out, &said)
	}
	if code := run(context.Background(), []string{"-list", "-n", "3", "-pkg", "internal/npy"}, module, &out, &said); code != 0 {
		t.Errorf("-pkg: %d, %q, %q", code, &out, &said)
	}
	if code := run(context.Background(), []string{"-help"}, module, &out, &said); code != 0 || !strings.Contains(said.String(), "-share") {
		t.Errorf("-help: %d, %q", code, &said)
	}
	if code := run(context.Background(), []string{"-list"}, t.TempDir(), &out, &said); code != 2 || !strings.Contains(said.String(), "root") {
		t.Errorf("in another folder: %d, %q", code, &said)
	}
}
