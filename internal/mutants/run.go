package main

// One fault after the other: a test binary with the fault, and what its tests say.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// verdict is what became of a fault.
type verdict int

const (
	caught   verdict = iota
	hung             // caught: the tests did not end
	survived         // no test failed
	same             // compiles to the same program: nothing to see
	invalid          // does not build
)

func (v verdict) String() string {
	return [...]string{"caught", "hung", "survived", "same program", "does not build"}[v]
}

// result is a verdict and its reason.
type result struct {
	fault
	verdict
	by     string // the first test that failed, or where it stopped
	output string
	tests  int // that run the lines
	took   time.Duration
}

// stage is a run of some tests.
type stage struct {
	flags []string
	limit time.Duration
}

// bench tests faults of one package. Its copy of the module is never changed: the go
// command lays the faulty file over it.
type bench struct {
	dir     string // of the copy
	pkg     string // the package's folder in it
	out     string // for binaries
	goroot  string
	timeout time.Duration
	full    bool // the tests run without -short
	p       *pack
	covers  coverage
	plain   [32]byte // the hash of the binary without a fault
}

// newBench copies the module and measures what its tests run.
func newBench(ctx context.Context, module, folder string, o *options, progress func(string)) (*bench, error) {
	b := &bench{dir: filepath.Join(folder, "tree"), pkg: o.pkg, out: folder, timeout: o.timeout, full: o.full}
	if err := copyTree(b.dir, module); err != nil {
		return nil, err
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	b.goroot = strings.TrimSpace(string(root))
	if b.p, err = load(ctx, b.pkgDir()); err != nil {
		return nil, err
	}
	plain := filepath.Join(folder, "plain.test")
	if out, err := b.compile(ctx, plain); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	data, err := os.ReadFile(plain)
	if err != nil {
		return nil, err
	}
	b.plain = sha256.Sum256(data)
	b.covers, err = b.measure(ctx, o.workers, progress)
	return b, err
}

func (b *bench) pkgDir() string { return filepath.Join(b.dir, filepath.FromSlash(b.pkg)) }

// copyTree copies what is not hidden.
func copyTree(to, from string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && e.Name() != ".ci" {
			continue
		}
		old, fresh := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if e.IsDir() {
			err = copyTree(fresh, old)
		} else if e.Type().IsRegular() {
			var data []byte
			if data, err = os.ReadFile(old); err == nil {
				err = os.WriteFile(fresh, data, 0o666)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compile builds the tests of the package. Without positions of columns, debugging tables
// and build numbers, equal programs are equal files.
func (b *bench) compile(ctx context.Context, binary string, flags ...string) (output string, err error) {
	args := append([]string{"test", "-c", "-vet=off", "-trimpath", "-ldflags=-s -w -buildid=",
		"-gcflags=-dwarf=false", "-o", binary}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, ".")...)
	cmd.Dir, cmd.Env = b.pkgDir(), append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var (
	failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	panicLine  = regexp.MustCompile(`(?m)^(?:panic|fatal error): .*`)
	runningNow = regexp.MustCompile(`running tests:\s+(\S+)`)
)

// try tests the package with a fault. The error is one of the machinery.
func (b *bench) try(ctx context.Context, f fault, worker int) (r result, err error) {
	r = result{fault: f, verdict: survived}
	begin := time.Now()
	defer func() { r.took = time.Since(begin) }()
	s := b.p.sources[f.file]
	binary := filepath.Join(b.out, fmt.Sprintf("mutant%d.test", worker))
	if out, err := b.compileWith(ctx, f.file, f.apply(s), binary); err != nil {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		r.verdict, r.output = invalid, out
		return r, nil
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return r, err
	}
	if sha256.Sum256(data) == b.plain {
		r.verdict = same
		return r, nil
	}
	tests := b.covers.seeing(b.p, f.file, f.first, f.last)
	r.tests = len(tests)
	for _, s := range stages(tests, b.timeout) {
		out, late, err := b.run(ctx, binary, s)
		if stop, err := r.judge(ctx, out, late, err); stop {
			return r, err
		}
	}
	return r, nil
}

// compileWith builds the tests with another text of a file.
func (b *bench) compileWith(ctx context.Context, file, text, binary string) (output string, err error) {
	path := binary + ".go"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return "", err
	}
	over, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(b.pkgDir(),
		file): path}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(binary+".json", over, 0o666); err != nil {
		return "", err
	}
	return b.compile(ctx, binary, "-overlay", binary+".json")
}

// judge reads what a run of tests said. It says whether this decides.
func (r *result) judge(ctx context.Context, out string, late bool, err error) (bool, error) {
	switch {
	case ctx.Err() != nil:
		return true, ctx.Err()
	case err == nil:
		return false, nil
	case !late && !errors.As(err, new(*exec.ExitError)):
		return true, err
	}
	r.output = out
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
	return true, nil
}

// memory is the limit of a test's addresses in KiB, as a fault may ask for all there is.
const memory = 12 << 20

// run runs one stage. late: it did not end in time.
func (b *bench) run(ctx context.Context, binary string, s stage) (output string, late bool, err error) {
	// The test binary's own limit names the test that hangs; should it be deaf to that,
	// as in a loop that never yields, it is killed.
	ctx, cancel := context.WithTimeout(ctx, s.limit+10*time.Second)
	defer cancel()
	flags := append([]string{"-test.failfast", "-test.timeout", s.limit.String(),
		"-test.short=" + strconv.FormatBool(!b.full)}, s.flags...)
	cmd := exec.CommandContext(ctx, binary, flags...)
	if runtime.GOOS == "linux" {
		script := fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, memory)
		cmd = exec.CommandContext(ctx, "sh", append([]string{"-c", script, binary}, flags...)...)
	}
	cmd.Dir, cmd.Env = b.pkgDir(), append(os.Environ(), "GOROOT="+b.goroot) // which -trimpath takes out
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	output = out.String()
	late = ctx.Err() == context.DeadlineExceeded || strings.Contains(output, "panic: test timed out after")
	return output, late, err
}

// each calls f for 0 to n−1 on some workers until one returns an error.
func each(ctx context.Context, n, workers int, f func(i, worker int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	work := make(chan int)
	for w := range min(workers, n) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range work {
				if ctx.Err() != nil {
					continue
				}
				if err := f(i, w); err != nil {
					cancel(err)
				}
			}
		}()
	}
	for i := range n {
		work <- i
	}
	close(work)
	wg.Wait()
	return context.Cause(ctx)
}
