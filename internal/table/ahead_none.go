//go:build scheduler.none

package table

// ahead does nothing: there are no other goroutines.
func (c *chunk) ahead(*layout) {}
