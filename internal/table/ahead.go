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

// ahead reads chunks on one goroutine and parses them on others, in any order. A chunk with a quote in it is
// parsed by the caller: whether an end of line ends a row depends on all quotes before it.
type ahead struct {
	in      *chunks
	layout  *layout
	rest    []byte
	workers int

	running sync.WaitGroup
	// Every channel holds all chunks there are, so that sending never blocks.
	free  chan *chunk // to be read into
	work  chan *chunk // to be parsed
	order chan *chunk // as they were read
	stop  chan struct{}

	end    error // the error that next has returned
	closed bool
}

func (a *ahead) start() {
	n := a.workers + 2 // one is being read, one delivered
	a.free, a.work, a.order = make(chan *chunk, n), make(chan *chunk, n), make(chan *chunk, n)
	a.stop = make(chan struct{})
	for range n {
		a.free <- &chunk{done: make(chan struct{}, 1)}
	}
	a.running.Add(1 + a.workers)
	go a.read()
	for range a.workers {
		go a.parse()
	}
}

func (a *ahead) read() {
	defer a.running.Done()
	defer close(a.work)
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
		c.parsed = false
		c.fill(a.in, &a.rest)
		a.order <- c
		if c.err != nil {
			c.done <- struct{}{}
			return
		}
		a.work <- c
	}
}

func (a *ahead) parse() {
	defer a.running.Done()
	p := parser{layout: a.layout, split: newSplitter(nil, a.layout.dialect.Delimiter)}
	p.split.hash, p.split.trail = a.layout.comments, a.layout.trail
	for c := range a.work {
		if a.stopped() {
			continue
		}
		if bytes.IndexByte(c.text, '"') < 0 {
			p.split.rest, p.split.end = c.text, 0
			p.parse(&c.part)
			c.parsed = true
		}
		c.done <- struct{}{}
	}
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
