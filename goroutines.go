//go:build !scheduler.none

package softkmeans

import (
	"sync"
	"sync/atomic"
)

// share does the work of runTasks for two or more workers.
func share(workers, tasks int, fn func(worker, task int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	work := func(w int) {
		for t := int(next.Add(1)) - 1; t < tasks; t = int(next.Add(1)) - 1 {
			fn(w, t)
		}
	}
	// The caller is one of the workers. It completes most short tasks before another thread is awake.
	wg.Add(workers - 1)
	for w := 1; w < workers; w++ {
		go func() {
			defer wg.Done()
			work(w)
		}()
	}
	work(0)
	wg.Wait()
}

// spaces keeps scratch space from fit to fit. Allocating it would take a tenth of the time of a small fit.
var spaces = sync.Pool{New: func() any { return new(workspace) }}

func newWorkspace() *workspace { return spaces.Get().(*workspace) }

// free returns the space for other fits; the caller must not use it any more. A nil w is ignored.
func (w *workspace) free() {
	if w != nil {
		spaces.Put(w)
	}
}
