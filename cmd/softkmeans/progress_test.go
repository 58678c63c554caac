package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"softkmeans"
)

// The line appears at most five times a second, shows the share of the file that is
// read, and is removed at the end.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	read, now := int64(0), time.Unix(1000, 0)
	p := newProgress(&b, false)
	p.size, p.read = 200e6, func() int64 { return read }
	if p.on {
		t.Error("a buffer is taken for a terminal")
	}
	p.pass(1, 1)
	p.clear()
	if b.Len() > 0 {
		t.Errorf("%q", &b)
	}
	p.on, p.began, p.now = true, now, func() time.Time { return now }
	for pass := 1; pass <= 2; pass++ {
		for read = 0; read < 200e6; read += 1e6 {
			now = now.Add(10 * time.Millisecond) // 100 MB/s
			p.pass(pass, int(read/10))
		}
	}
	p.clear()
	p.pass(3, 1)
	lines := strings.Split(b.String(), "\r")
	if len(lines) != 22 || lines[1] != "pass 1: 0 %\x1b[K" || lines[6] != "pass 1: 50 %, 99 MB/s\x1b[K" ||
		!strings.HasPrefix(lines[17], "pass 2: ") || lines[21] != "\x1b[K" {
		t.Errorf("%d lines: %q", len(lines), lines)
	}

	// If the number of passes is known, the remaining time is shown: 8 s, after 2 s for
	// a fifth of two passes.
	b.Reset()
	read, now = 0, time.Unix(2000, 0)
	p = newProgress(&b, false)
	p.size, p.read, p.passes, p.before = 500e6, func() int64 { return read }, 2, 0
	p.on, p.first, p.began, p.now = true, now, now, func() time.Time { return now }
	now, read = now.Add(2*time.Second), 200e6
	p.pass(1, 1)
	p.before, read, now = 1, 0, now.Add(3*time.Second)
	p.pass(1, 1)
	now = now.Add(time.Second)
	p.iteration(softkmeans.Iteration{Iteration: 7, Objective: 3, Floor: 2, Lambda: .5})
	if got, want := b.String(), "\rpass 1 of 2: 40 %, 100 MB/s, 8 s left\x1b[K\rpass 2 of 2: 0 %, 5 s "+
		"left\x1b[K\rafter pass 2: iteration 7 with λ = 0.5, 50.0 % above the floor\x1b[K"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	// The largest possible number of passes tells no time.
	b.Reset()
	p.passes, p.atMost, p.before, now = 9, true, 2, now.Add(time.Second)
	p.pass(1, 1)
	if got := b.String(); !strings.HasPrefix(got, "\rpass 3 of at most 9: 0 %") || strings.Contains(got, "left") {
		t.Errorf("%q", got)
	}
}
