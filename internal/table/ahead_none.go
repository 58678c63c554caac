//go:build scheduler.none

package table

// TinyGo without a scheduler has no goroutines: a go statement does not even compile.
func newFeed(in *chunks, l *layout, workers int) feed { return serial(in) }
