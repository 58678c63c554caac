package main

// One fault after the other: a copy of the package, a test binary of it with the
// fault, and what that says.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// verdict is what became of a fault.
type verdict int

const (
	caught   verdict = iota
	hung             // caught: the tests did not come to an end
	survived         // no test failed
	invalid          // does not compile: no fault that a test could see
)

func (v verdict) String() string { return [...]string{"caught", "hung", "survived", "invalid"}[v] }

// result is a verdict and its reason.
type result struct {
	fault
	verdict
	stage  string // of the tests: own, short, full
	by     string // the first test that failed, or where it stopped
	output string
	took   time.Duration
}

// stage is a run of the tests.
type stage struct {
	name  string
	flags []string
}

// bench tests faults in a folder of its own.
type bench struct {
	module, dir string
	timeout     time.Duration // of a stage
	short       bool          // no full tests
	tests       string        // only these; "": all
}

// newBench copies the root package of a module with its tests and their data.
func newBench(module, dir string) (*bench, error) {
	b := &bench{module: module, dir: dir}
	entries, err := os.ReadDir(module)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		from, to := filepath.Join(module, e.Name()), filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && e.Name() == "testdata":
			err = os.CopyFS(to, os.DirFS(from))
		case !e.IsDir() && (e.Name() == "go.mod" || strings.HasSuffix(e.Name(), ".go")):
			err = copyFile(to, from)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}

var testName = regexp.MustCompile(`(?m)^func (Test\w+|Fuzz\w+|Example\w*)\(`)

// stages are the runs of the tests for a fault in a file: those in the file's own
// test file first, which mostly are the ones that fail, and quickly.
func (b *bench) stages(file string) (list []stage) {
	if b.tests != "" {
		list = append(list, stage{"chosen", []string{"-test.run", b.tests}})
		if b.short {
			list[0].flags = append(list[0].flags, "-test.short")
		}
		return list
	}
	own, err := os.ReadFile(filepath.Join(b.dir, strings.TrimSuffix(file, ".go")+"_test.go"))
	if names := testName.FindAllStringSubmatch(string(own), -1); err == nil && len(names) > 0 {
		var all []string
		for _, n := range names {
			all = append(all, n[1])
		}
		list = append(list, stage{"own", []string{"-test.short", "-test.run", "^(" + strings.Join(all, "|") + ")$"}})
	}
	list = append(list, stage{"short", []string{"-test.short"}})
	if !b.short {
		list = append(list, stage{"full", nil})
	}
	return list
}

var (
	failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	panicLine  = regexp.MustCompile(`(?m)^(?:panic|fatal error): .*`)
	runningNow = regexp.MustCompile(`running tests:\s+(\S+)`)
)

// try tests the package with a fault. The error is one of the machinery; no fault
// at all is a fault without a file.
func (b *bench) try(ctx context.Context, f fault) (r result, err error) {
	r = result{fault: f}
	begin := time.Now()
	defer func() { r.took = time.Since(begin) }()
	if f.file != "" {
		path := filepath.Join(b.dir, f.file)
		source, failed := os.ReadFile(path)
		if failed != nil {
			return r, failed
		}
		wrong, failed := f.apply(string(source))
		if failed != nil {
			return r, failed
		}
		defer func() { err = errors.Join(err, os.WriteFile(path, source, 0o666)) }()
		if err := os.WriteFile(path, []byte(wrong), 0o666); err != nil {
			return r, err
		}
	}
	binary := filepath.Join(b.dir, "mutant.test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-gcflags=-dwarf=false", "-o", binary, ".")
	build.Dir = b.dir
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		r.verdict, r.output = invalid, string(out)
		return r, nil
	}
	for _, s := range b.stages(f.file) {
		out, late, err := b.run(ctx, binary, s)
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err == nil {
			continue
		}
		if !late && !errors.As(err, new(*exec.ExitError)) {
			return r, err
		}
		r.stage, r.output = s.name, out
		if r.verdict = caught; late {
			r.verdict = hung
		}
		switch {
		case failedTest.MatchString(out):
			r.by = failedTest.FindStringSubmatch(out)[1]
		case runningNow.MatchString(out):
			r.by = runningNow.FindStringSubmatch(out)[1]
		default:
			r.by = panicLine.FindString(out)
		}
		return r, nil
	}
	r.verdict = survived
	return r, nil
}

// run runs one stage. late: it did not end in time.
func (b *bench) run(ctx context.Context, binary string, s stage) (output string, late bool, err error) {
	// The test binary's own limit names the test that hangs; should it be deaf to that,
	// as in a loop that never yields, it is killed.
	ctx, cancel := context.WithTimeout(ctx, b.timeout+30*time.Second)
	defer cancel()
	flags := append([]string{"-test.failfast", "-test.timeout", b.timeout.String()}, s.flags...)
	cmd := exec.CommandContext(ctx, binary, flags...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "SOFTKMEANS_LONG=1") // of which short tests take no notice
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	output = out.String()
	late = ctx.Err() == context.DeadlineExceeded || strings.Contains(output, "panic: test timed out after")
	return output, late, err
}

// sound is an error if the tests fail without any fault.
func (b *bench) sound(ctx context.Context) error {
	r, err := b.try(ctx, fault{})
	switch {
	case err != nil:
		return err
	case r.verdict != survived:
		return fmt.Errorf("the tests fail without any fault (%s, %s):\n%s", r.verdict, r.by, r.output)
	}
	return nil
}
