package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"softkmeans"
)

// progressPause is how long a line of progress stands.
const progressPause = 200 * time.Millisecond

// progress is a line on a terminal that says how far long work is: the passes over
// a file, or an iteration.
type progress struct {
	w    io.Writer
	on   bool
	size int64        // of the file
	read func() int64 // bytes of the present pass
	most int          // how many passes there will be; 0: not known
	now  func() time.Time

	mu     sync.Mutex // clear comes from another goroutine after an interrupt
	before int        // passes that were made before those that are told of
	number int        // of the present pass, from 1
	first  time.Time  // the first one
	began  time.Time  // the present one
	shown  time.Time
}

// newProgress is on if w is a terminal, unless it is to be quiet.
func newProgress(w io.Writer, quiet bool) *progress {
	p := &progress{w: w, now: time.Now, first: time.Now(), began: time.Now()}
	if f, ok := w.(*os.File); ok && !quiet {
		info, err := f.Stat()
		p.on = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// pass is for Options.Progress.
func (p *progress) pass(at softkmeans.Pass) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if number := p.before + at.Pass; number != p.number {
		if p.number > 0 {
			p.began = now
		}
		p.number = number
	}
	if !p.due(now) {
		return
	}
	line := fmt.Sprintf("pass %d", p.number)
	if p.most > 0 {
		line += fmt.Sprintf(" of %d", p.most)
	}
	done := min(float64(p.read())/float64(p.size), 1)
	line += fmt.Sprintf(": %.0f%%", 100*done)
	if s := now.Sub(p.began).Seconds(); s >= 0.5 {
		line += fmt.Sprintf(", %.0f MB/s", float64(p.read())/1e6/s)
	}
	if s, all := now.Sub(p.first).Seconds(), float64(p.number-1)+done; p.most > 0 && s >= 2 && all > 0 {
		line += fmt.Sprintf(", %.0f s left", s/all*(float64(p.most)-all))
	}
	p.show(line)
}

// iteration is for the Progress of iterations, between passes or of a table in
// memory.
func (p *progress) iteration(at softkmeans.Iteration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.due(p.now()) {
		return
	}
	line := fmt.Sprintf("iteration %d", at.Iteration)
	if at.Lambda > 0 {
		line += fmt.Sprintf(" with λ = %.3g", at.Lambda)
	}
	if p.number > 0 {
		line = fmt.Sprintf("after pass %d: %s", p.number, line)
	}
	if at.Floor > 0 {
		line += fmt.Sprintf(", %.1f%% above the floor", 100*(at.Fit/at.Floor-1))
	}
	p.show(line)
}

// due reports whether a line is to be shown, which it then counts as.
func (p *progress) due(now time.Time) bool {
	if !p.on || now.Sub(p.shown) < progressPause {
		return false
	}
	p.shown = now
	return true
}

func (p *progress) show(line string) { fmt.Fprintf(p.w, "\r%s\x1b[K", line) }

// step shows what is under way, be it as short as it may.
func (p *progress) step(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.on {
		p.shown = p.now()
		p.show(what)
	}
}

// clear takes the line away; there is none after it.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.on && !p.shown.IsZero() {
		io.WriteString(p.w, "\r\x1b[K")
	}
	p.on = false
}
