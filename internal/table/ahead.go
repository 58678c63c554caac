//go:build !scheduler.none

package table

import "bytes"

// ahead parses a chunk on another goroutine, unless it has no text, or a quote in it: whether an end of line
// ends a row depends on all quotes before it.
func (c *chunk) ahead(l *layout) {
	if c.parsed = c.err == nil && bytes.IndexByte(c.text, '"') < 0; !c.parsed {
		return
	}
	if c.parser == nil {
		c.parser = &parser{layout: l, split: l.survey.splitter(nil, l.dialect.Delimiter)}
		c.done = make(chan struct{}, 1)
	}
	go func() {
		c.parser.parse(c, &c.part)
		c.done <- struct{}{}
	}()
}
