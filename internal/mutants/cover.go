package main

// Which tests run which lines, and how long they take: so that a fault is shown to the
// tests that can see it, the quickest first.

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// coverage is what each test of a package runs: the quickest first.
type coverage []testRun

// block is a part of a source that runs as one.
type block struct {
	file        string
	first, last int // lines, from 1
}

// testRun is a test by itself.
type testRun struct {
	name    string
	seconds float64
	blocks  []block // that it runs
}

var testName = regexp.MustCompile(`(?m)^(?:Test|Fuzz|Example)\w*$`)

// measure runs each test by itself.
func (b *bench) measure(ctx context.Context, workers int, progress func(string)) (coverage, error) {
	covered, plain := filepath.Join(b.out, "cover.test"), filepath.Join(b.out, "plain.test")
	if out, err := b.compile(ctx, covered, "-cover", "-covermode=set"); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	cmd := exec.CommandContext(ctx, plain, "-test.list", ".")
	cmd.Dir = b.pkgDir()
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the tests: %w", err)
	}
	names := testName.FindAllString(string(out), -1)
	c := make(coverage, len(names))
	failed := make([]string, len(names))
	err = each(ctx, len(names), workers, func(i, worker int) error {
		file := filepath.Join(b.out, fmt.Sprint("profile", worker))
		s := stage{flags: []string{"-test.run", "^" + names[i] + "$", "-test.coverprofile", file},
			limit: b.timeout}
		begin := time.Now()
		_, _, err := b.run(ctx, covered, s)
		c[i] = testRun{name: names[i], seconds: time.Since(begin).Seconds()}
		if err != nil { // counting may make a test fail that counts allocations
			s.flags = s.flags[:2]
			if out, _, err := b.run(ctx, plain, s); err != nil {
				failed[i] = names[i] + ": " + shortened(out)
			}
		}
		progress(fmt.Sprintf("coverage %d/%d: %s, %.1f s", i+1, len(names), names[i], c[i].seconds))
		if failed[i] != "" {
			return ctx.Err()
		}
		data, err := os.ReadFile(file)
		c[i].blocks = readProfile(data)
		return errors.Join(err, os.Remove(file))
	})
	if err != nil {
		return nil, err
	}
	if failed = slices.DeleteFunc(failed, func(s string) bool { return s == "" }); len(failed) > 0 {
		return nil, fmt.Errorf("%d tests fail without any fault:\n%s", len(failed), strings.Join(failed, "\n"))
	}
	slices.SortStableFunc(c, func(a, b testRun) int { return cmp.Compare(a.seconds, b.seconds) })
	return c, nil
}

// readProfile returns the blocks of a coverage profile that ran.
func readProfile(data []byte) (ran []block) {
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		var k block
		var column, statements, count int
		name, rest, ok := strings.Cut(s.Text(), ".go:")
		if !ok {
			continue
		}
		n, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &k.first, &column,
			&k.last, &column, &statements, &count)
		if n == 6 && err == nil && count > 0 {
			k.file = path.Base(name) + ".go"
			ran = append(ran, k)
		}
	}
	return ran
}

// seeing returns the tests that run these lines, and after them the others that run their function: the
// condition of a case is in no block, or in that of the case before. For lines outside of functions these are
// all tests.
func (c coverage) seeing(p *pack, file string, first, last int) []testRun {
	d := p.function(file, first, last)
	if d == nil {
		return c
	}
	tests := c.running(file, first, last)
	for _, t := range c.running(file, p.set.Position(d.Pos()).Line, p.set.Position(d.End()).Line) {
		if !slices.ContainsFunc(tests, func(u testRun) bool { return u.name == t.name }) {
			tests = append(tests, t)
		}
	}
	return tests
}

func (c coverage) running(file string, first, last int) (tests []testRun) {
	for _, t := range c {
		if slices.ContainsFunc(t.blocks, func(b block) bool { return b.file == file && b.first <= last && first <= b.last }) {
			tests = append(tests, t)
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
		if sum+t.seconds > limits[at] {
			if len(names) > 0 {
				put()
				at++
			}
			for t.seconds > limits[at] {
				at++
			}
		}
		names, sum = append(names, t.name), sum+t.seconds
	}
	if len(names) > 0 {
		put()
	}
	return list
}
