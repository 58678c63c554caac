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

// progress is a line on a terminal that says how far the passes over a file are.
type progress struct {
	w    io.Writer
	on   bool
	size int64        // of the file
	read func() int64 // bytes of the present pass
	now  func() time.Time

	mu     sync.Mutex // clear comes from another goroutine after an interrupt
	number int
	began  time.Time // the present pass
	shown  time.Time
}

// newProgress is on if w is a terminal.
func newProgress(w io.Writer, size int64, read func() int64) *progress {
	p := &progress{w: w, size: size, read: read, now: time.Now, began: time.Now()}
	if f, ok := w.(*os.File); ok {
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
	if at.Pass != p.number {
		if p.number > 0 {
			p.began = now
		}
		p.number = at.Pass
	}
	if !p.on || now.Sub(p.shown) < progressPause {
		return
	}
	p.shown = now
	line := fmt.Sprintf("pass %d: %d%%", at.Pass, 100*p.read()/p.size)
	if s := now.Sub(p.began).Seconds(); s >= 0.5 {
		line += fmt.Sprintf(", %.0f MB/s", float64(p.read())/1e6/s)
	}
	fmt.Fprintf(p.w, "\r%s\x1b[K", line)
}

// iteration is for MinVolumeOptions.Progress: between two passes.
func (p *progress) iteration(at softkmeans.Iteration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if !p.on || now.Sub(p.shown) < progressPause {
		return
	}
	p.shown = now
	fmt.Fprintf(p.w, "\rafter pass %d: iteration %d\x1b[K", p.number, at.Iteration)
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
