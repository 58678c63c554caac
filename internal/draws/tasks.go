//go:build !scheduler.none

package draws

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Run calls fn for task 0 … n−1, each once, on up to the given number of workers, 0 for as
// many as the program may run at once, and returns when all are done.
func Run(workers, n int, fn func(task int)) {
	if workers = min(Workers(workers), n); workers == 1 {
		for t := range n {
			fn(t)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for t := int(next.Add(1)) - 1; t < n; t = int(next.Add(1)) - 1 {
				fn(t)
			}
		}()
	}
	wg.Wait()
}

// Workers returns the number of workers that an option asks for.
func Workers(asked int) int {
	if asked >= 1 {
		return asked
	}
	return runtime.GOMAXPROCS(0)
}
