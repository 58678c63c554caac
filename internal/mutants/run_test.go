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

func TestVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
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

broken small.go slip: does not compile
-		sum += i
+		sum += "i"
`)
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	// The others take milliseconds; what hangs, as long as it may.
	results, err := testAll(context.Background(), from, faults, &options{parallel: 2, timeout: 2 * time.Second}, &said)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		verdict
		stage, by string
	}{{caught, "own", "TestSum"}, {caught, "full", "TestOne"}, {survived, "", ""}, {hung, "own", "TestSum"}, {invalid, "", ""}} {
		if r := results[i]; r.verdict != want.verdict || r.stage != want.stage || r.by != want.by {
			t.Errorf("%s: %s by %s in the %s tests, not %s by %s in the %s ones\n%s", r.name, r.verdict, r.by, r.stage, want.verdict, want.by, want.stage, r.output)
		}
	}
	if !strings.Contains(said.String(), "5/5, 3 caught") {
		t.Errorf("said %q", &said)
	}
	if after, err := os.ReadFile(filepath.Join(from, "small.go")); err != nil || string(after) != string(source) {
		t.Error("the module itself was changed", err)
	}
	var table bytes.Buffer
	if code := report(&table, results, &options{share: 0.5}, time.Second); code != 1 { // one does not compile
		t.Errorf("exit code %d", code)
	}
	if code := report(&table, results[:4], &options{share: 0.75}, time.Second); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if code := report(&table, results[:4], &options{share: 0.8}, time.Second); code != 1 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{
		"| late | small.go | wrong start | one too many where n is 1 | caught | TestOne (full tests only) |\n",
		"5 faults: 3 caught, 1 of them as tests that did not end, 1 survived, 1 do not compile: 75.0 % caught",
	} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, &table)
		}
	}

	// Tests that fail by themselves prove nothing.
	if err := os.Remove(filepath.Join(from, "testdata", "four")); err != nil {
		t.Fatal(err)
	}
	if _, err := testAll(context.Background(), from, faults[:1], &options{parallel: 1, timeout: time.Minute}, &said); err == nil || !strings.Contains(err.Error(), "without any fault") {
		t.Errorf("failing tests: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := testAll(ctx, from, faults[:1], &options{parallel: 1, timeout: time.Minute}, &said); err == nil {
		t.Error("no error of a context that has ended")
	}
}

func TestFlags(t *testing.T) {
	for _, args := range []string{"-p 0", "-random -1", "-share 2", "-share NaN", "-timeout -1s", "-run (", "more", "-nothing", "-run ^nothing$"} {
		var out, said bytes.Buffer
		if code := run(context.Background(), strings.Fields(args), module, &out, &said); code != 2 || said.Len() == 0 || out.Len() > 0 {
			t.Errorf("%s: exit code %d, %q, %q", args, code, &out, &said)
		}
	}
	var out, said bytes.Buffer
	if code := run(context.Background(), []string{"-list", "-run", "^erratum-"}, module, &out, &said); code != 0 || !strings.Contains(out.String(), "+axpy(a, m.lambda, from.inner.Data)\n") {
		t.Errorf("-list: %d, %q, %q", code, &out, &said)
	}
	if code := run(context.Background(), []string{"-help"}, module, &out, &said); code != 0 || !strings.Contains(said.String(), "-share") {
		t.Errorf("-help: %d, %q", code, &said)
	}
	if code := run(context.Background(), []string{"-list"}, t.TempDir(), &out, &said); code != 2 || !strings.Contains(said.String(), "root") {
		t.Errorf("in another folder: %d, %q", code, &said)
	}
}
