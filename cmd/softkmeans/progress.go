package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"softkmeans"
)

// progressPause is the least time between two lines of progress.
const progressPause = 200 * time.Millisecond

// progress shows a line on the terminal: the pass over a file, or the iteration.
type progress struct {
	w      io.Writer
	on     bool
	size   int64        // bytes of the file
	read   func() int64 // bytes read in the current pass; nil: no file
	passes int          // in all; 0: not known
	atMost bool         // there may be fewer passes
	now    func() time.Time

	before int       // finished passes that a fit does not count
	number int       // of the current pass, from 1
	first  time.Time // start of the first pass
	began  time.Time // start of the current pass
	shown  time.Time // when the line was last written
}

// progress is off as well where its lines would come between the rows of an output.
func (s *session) progress(quiet bool) *progress {
	return newProgress(s.std.err, quiet || s.taken && isTerminal(s.std.out))
}

// newProgress returns a progress that is on if w is a terminal and quiet is false.
func newProgress(w io.Writer, quiet bool) *progress {
	p := &progress{w: w, now: time.Now, first: time.Now(), began: time.Now()}
	p.on = !quiet && isTerminal(w)
	return p
}

// isTerminal reports whether w is a terminal, or another character device.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// pass shows the pass and the share of the file that is read. Passes over a table in memory are not shown.
func (p *progress) pass(pass, _ int) {
	if p.read == nil {
		return
	}
	now := p.now()
	if number := p.before + pass; number != p.number {
		if p.number > 0 {
			p.began = now
		}
		p.number = number
	}
	if !p.due(now) {
		return
	}
	line := fmt.Sprintf("pass %d", p.number)
	if p.passes > 0 && p.atMost {
		line += " of at most " + strconv.Itoa(p.passes)
	} else if p.passes > 0 {
		line += " of " + strconv.Itoa(p.passes)
	}
	done := min(float64(p.read())/float64(p.size), 1)
	line += fmt.Sprintf(": %.0f %%", 100*done)
	if s := now.Sub(p.began).Seconds(); s >= 0.5 {
		line += fmt.Sprintf(", %.0f MB/s", float64(p.read())/1e6/s)
	}
	if s, all := now.Sub(p.first).Seconds(), float64(p.number-1)+done; p.passes > 0 && !p.atMost && s >= 2 && all > 0 {
		line += fmt.Sprintf(", %.0f s left", s/all*(float64(p.passes)-all))
	}
	p.show(line)
}

func (p *progress) iteration(at softkmeans.Iteration) {
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
		line += fmt.Sprintf(", %.1f %% above the floor", 100*(at.Objective/at.Floor-1))
	}
	p.show(line)
}

// due reports whether a line may be written now, and takes it as written.
func (p *progress) due(now time.Time) bool {
	if !p.on || now.Sub(p.shown) < progressPause {
		return false
	}
	p.shown = now
	return true
}

func (p *progress) show(line string) { fmt.Fprintf(p.w, "\r%s\x1b[K", line) }

// step shows a line at once.
func (p *progress) step(what string) {
	if p.on {
		p.shown = p.now()
		p.show(what)
	}
}

// clear removes the line and turns progress off.
func (p *progress) clear() {
	if p.on && !p.shown.IsZero() {
		io.WriteString(p.w, "\r\x1b[K")
	}
	p.on = false
}
