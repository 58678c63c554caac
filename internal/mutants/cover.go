package main

// Which tests run which lines, and how long they take: so that a fault is shown to the
// tests that can see it, the quickest first.

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"sort"
	"strings"
	"time"
)

// coverage is what each test of a package runs.
type coverage struct {
	Blocks []block
	Tests  []testRun // the quickest first
	Failed []string  // tests that fail without any fault, with what they say; not in Tests
}

// block is a part of a source that runs as one.
type block struct {
	File        string
	First, Last int // lines, from 1
}

// testRun is a test by itself.
type testRun struct {
	Name    string
	Seconds float64
	Blocks  []int // that it runs
}

// cover measures the tests of the package in b, or reads what it measured for the same
// sources before.
func (b *bench) cover(ctx context.Context, workers int, progress func(string)) (*coverage, error) {
	sum, err := b.sum()
	if err != nil {
		return nil, err
	}
	cache := ""
	if dir, err := os.UserCacheDir(); err == nil {
		cache = filepath.Join(dir, "softkmeans-mutants", fmt.Sprintf("%x.json", sum[:8]))
		if data, err := os.ReadFile(cache); err == nil {
			var c coverage
			if json.Unmarshal(data, &c) == nil {
				return &c, nil
			}
		}
	}
	begin := time.Now()
	c, err := b.measure(ctx, workers, progress)
	if err != nil || cache == "" || time.Since(begin) < 10*time.Second {
		return c, err
	}
	data, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(cache), 0o777); err == nil {
		os.WriteFile(cache, data, 0o666) // without it the next run takes longer
	}
	return c, nil
}

// sum is a hash of all that the tests depend on: code and test data, for the root those of
// its own folder.
func (b *bench) sum() ([32]byte, error) {
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version(), b.pkg, b.full)
	err := filepath.WalkDir(b.dir, func(name string, d fs.DirEntry, err error) error {
		at := filepath.ToSlash(strings.TrimPrefix(name, b.dir))
		code := strings.HasSuffix(at, ".go") ||
			strings.Contains(at, "/testdata/") || path.Base(at) == "go.mod"
		if b.pkg == "." && strings.Count(at, "/") > 1 && !strings.HasPrefix(at, "/testdata/") {
			code = false
		}
		if err != nil || !d.Type().IsRegular() || !code {
			return err
		}
		data, err := os.ReadFile(name)
		fmt.Fprintf(h, "%s %d\n", at, len(data))
		h.Write(data)
		return err
	})
	return [32]byte(h.Sum(nil)), err
}

var testName = regexp.MustCompile(`(?m)^(?:Test|Fuzz|Example)\w*$`)

// measure runs each test by itself.
func (b *bench) measure(ctx context.Context, workers int, progress func(string)) (*coverage, error) {
	covered, plain := filepath.Join(b.out, "cover.test"), filepath.Join(b.out, "plain.test")
	if out, err := b.compile(ctx, covered, "-cover", "-covermode=set"); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	if out, err := b.compile(ctx, plain); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	cmd := exec.CommandContext(ctx, plain, "-test.list", ".")
	cmd.Dir = b.pkgDir()
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the tests: %w", err)
	}
	names := testName.FindAllString(string(out), -1)
	c := &coverage{Tests: make([]testRun, len(names))}
	ran, failed := make([]map[block]bool, len(names)), make([]string, len(names))
	err = each(ctx, len(names), workers, func(i, worker int) error {
		file := filepath.Join(b.out, fmt.Sprint("profile", worker))
		s := stage{flags: []string{"-test.run", "^" + names[i] + "$", "-test.coverprofile", file},
			limit: b.timeout}
		begin := time.Now()
		_, _, err := b.run(ctx, covered, s)
		c.Tests[i] = testRun{Name: names[i], Seconds: time.Since(begin).Seconds()}
		if err != nil { // counting may make a test fail that counts allocations
			s.flags = s.flags[:2]
			if out, _, err := b.run(ctx, plain, s); err != nil {
				failed[i] = names[i] + ": " + shortened(out)
			}
		}
		progress(fmt.Sprintf("coverage %d/%d: %s, %.1f s", i+1, len(names), names[i], c.Tests[i].Seconds))
		if failed[i] != "" {
			return ctx.Err()
		}
		data, err := os.ReadFile(file)
		ran[i] = readProfile(data)
		return errors.Join(err, os.Remove(file))
	})
	if err != nil {
		return nil, err
	}
	c.index(ran, failed)
	return c, nil
}

// index numbers the blocks that the tests ran, parts what failed from the others, and sorts
// these by their time.
func (c *coverage) index(ran []map[block]bool, failed []string) {
	number := map[block]int{}
	for i, blocks := range ran {
		for at := range blocks {
			n, ok := number[at]
			if !ok {
				n = len(c.Blocks)
				number[at] = n
				c.Blocks = append(c.Blocks, at)
			}
			c.Tests[i].Blocks = append(c.Tests[i].Blocks, n)
		}
	}
	kept := c.Tests[:0]
	for i, t := range c.Tests {
		if failed[i] == "" {
			kept = append(kept, t)
		} else {
			c.Failed = append(c.Failed, failed[i])
		}
	}
	c.Tests = kept
	sort.SliceStable(c.Tests, func(i, j int) bool { return c.Tests[i].Seconds < c.Tests[j].Seconds })
}

// readProfile returns the blocks of a coverage profile that ran.
func readProfile(data []byte) map[block]bool {
	ran := map[block]bool{}
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		var k block
		var column, statements, count int
		name, rest, ok := strings.Cut(s.Text(), ".go:")
		if !ok {
			continue
		}
		n, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &k.First, &column,
			&k.Last, &column, &statements, &count)
		if n == 6 && err == nil && count > 0 {
			k.File = path.Base(name) + ".go"
			ran[k] = true
		}
	}
	return ran
}

// seeing returns the tests that run these lines, and after them the others that run their function: the
// condition of a case is in no block, or in that of the case before. For lines outside of functions these are
// all tests.
func (c *coverage) seeing(p *pack, file string, first, last int) []testRun {
	d := p.function(file, first, last)
	if d == nil {
		return c.Tests
	}
	tests, seen := c.running(file, first, last), map[string]bool{}
	for _, t := range tests {
		seen[t.Name] = true
	}
	for _, t := range c.running(file, p.set.Position(d.Pos()).Line, p.set.Position(d.End()).Line) {
		if !seen[t.Name] {
			tests = append(tests, t)
		}
	}
	return tests
}

func (c *coverage) running(file string, first, last int) (tests []testRun) {
	in := map[int]bool{}
	for i, b := range c.Blocks {
		if b.File == file && b.First <= last && first <= b.Last {
			in[i] = true
		}
	}
	for _, t := range c.Tests {
		for _, b := range t.Blocks {
			if in[b] {
				tests = append(tests, t)
				break
			}
		}
	}
	return tests
}

// stages parts tests, the quickest first, into runs: what takes a second in all, then what
// takes ten, then the rest. A run ends at the first test that fails.
func stages(tests []testRun, timeout time.Duration) (list []stage) {
	limits := [...]float64{1, 10, math.Inf(1)}
	at := 0
	var names []string
	sum := 0.0
	put := func() {
		limit := min(timeout, time.Duration((20+10*sum)*float64(time.Second)))
		list = append(list, stage{[]string{"-test.run", "^(" + strings.Join(names, "|") + ")$"}, limit})
		names, sum = nil, 0
	}
	for _, t := range tests {
		if sum+t.Seconds > limits[at] {
			if len(names) > 0 {
				put()
				at++
			}
			for t.Seconds > limits[at] {
				at++
			}
		}
		names, sum = append(names, t.Name), sum+t.Seconds
	}
	if len(names) > 0 {
		put()
	}
	return list
}
