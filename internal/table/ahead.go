//go:build !scheduler.none

package table

import (
	"bytes"
	"sync"
)

// newFeed returns the chunks of rest and then of in. With more than one worker they
// are read and parsed ahead.
func newFeed(in *chunks, l *layout, rest []byte, workers int) feed {
	if workers <= 1 {
		return &serial{in: in, rest: rest}
	}
	return &ahead{in: in, layout: l, rest: rest, workers: workers}
}

// ahead reads chunks on one goroutine and parses each on another. A chunk with a quote in it is parsed by the
// caller: whether an end of line ends a row depends on all quotes before it.
type ahead struct {
	in      *chunks
	layout  *layout
	rest    []byte
	workers int

	running sync.WaitGroup
	free    chan *chunk // to be read into; both hold all chunks there are, so that sending never blocks
	order   chan *chunk // as they were read
	stop    chan struct{}

	end    error // the error that next has returned
	closed bool
}

func (a *ahead) start() {
	n := a.workers + 2 // one is being read, one delivered
	a.free, a.order, a.stop = make(chan *chunk, n), make(chan *chunk, n), make(chan struct{})
	for range n {
		p := &parser{layout: a.layout, split: a.layout.survey.splitter(nil, a.layout.dialect.Delimiter)}
		a.free <- &chunk{done: make(chan struct{}, 1), parser: p}
	}
	a.running.Add(1)
	go a.read()
}

func (a *ahead) read() {
	defer a.running.Done()
	for {
		var c *chunk
		select {
		case <-a.stop:
			return
		case c = <-a.free:
		}
		if a.stopped() { // select picks either case at random
			return
		}
		c.fill(a.in, &a.rest)
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
		c.parser.split.rest, c.parser.split.end, c.parser.split.comment = c.text, 0, 0
		c.parser.parse(&c.part)
	}
	c.done <- struct{}{}
}

func (a *ahead) stopped() bool {
	select {
	case <-a.stop:
		return true
	default:
		return false
	}
}

func (a *ahead) next() (*chunk, error) {
	if a.order == nil {
		a.start()
	}
	if a.end != nil {
		return nil, a.end
	}
	c := <-a.order
	<-c.done
	if a.end = c.err; a.end != nil {
		return nil, a.end
	}
	return c, nil
}

func (a *ahead) release(c *chunk) { a.free <- c }

func (a *ahead) close() {
	if a.order != nil && !a.closed {
		a.closed = true
		close(a.stop)
		a.running.Wait()
	}
}
