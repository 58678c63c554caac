//go:build scheduler.none

package draws

// Run calls fn for task 0 … n−1.
func Run(workers, n int, fn func(task int)) {
	for t := range n {
		fn(t)
	}
}

// Workers returns 1.
func Workers(asked int) int { return 1 }
