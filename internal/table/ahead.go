//go:build !scheduler.none

package table

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// newFeed returns the chunks of in. With more than one worker they are read and parsed ahead.
func newFeed(in *chunks, l *layout, workers int) feed {
	if workers <= 1 {
		return serial(in)
	}
	n := workers + 2 // one is being read, one delivered
	a := &ahead{in: in, free: make(chan *chunk, n), order: make(chan *chunk, n)}
	for range n {
		p := &parser{layout: l, split: l.survey.splitter(nil, l.dialect.Delimiter)}
		a.free <- &chunk{done: make(chan struct{}, 1), parser: p}
	}
	a.running.Add(1)
	go a.read()
	return feed{a.next, a.close}
}

// ahead reads chunks on one goroutine and parses each on another. A chunk with a quote in it is parsed by the
// caller: whether an end of line ends a row depends on all quotes before it.
type ahead struct {
	in      *chunks
	running sync.WaitGroup
	free    chan *chunk // to be read into; both hold all chunks there are, so that sending never blocks
	order   chan *chunk // as they were read
	closed  atomic.Bool
}

func (a *ahead) read() {
	defer a.running.Done()
	for c := range a.free {
		if a.closed.Load() {
			return
		}
		c.read(a.in)
		a.order <- c
		a.running.Add(1)
		go a.parse(c)
		if c.err != nil {
			return
		}
	}
}

// parse parses a chunk unless there is a quote in it, or no text.
func (a *ahead) parse(c *chunk) {
	defer a.running.Done()
	if c.parsed = c.err == nil && bytes.IndexByte(c.text, '"') < 0; c.parsed {
		c.parser.parse(c, &c.part)
	}
	c.done <- struct{}{}
}

func (a *ahead) next(last *chunk) *chunk {
	if last != nil {
		a.free <- last
	}
	c := <-a.order
	<-c.done
	return c
}

func (a *ahead) close() {
	if !a.closed.Swap(true) {
		close(a.free)
		a.running.Wait()
	}
}
