//go:build !scheduler.none

package softkmeans

import (
	"sync"
	"sync/atomic"
)

// share does the work of runTasks for more than one worker.
func share(workers, tasks int, fn func(worker, task int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	work := func(w int) {
		for t := int(next.Add(1)) - 1; t < tasks; t = int(next.Add(1)) - 1 {
			fn(w, t)
		}
	}
	// The caller is one of the workers: it has done most short tasks before another thread is awake.
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

// spaces keeps scratch space from fit to fit. Allocating it takes a tenth of a small fit's time.
var spaces = sync.Pool{New: func() any { return new(workspace) }}

func newWorkspace() *workspace { return spaces.Get().(*workspace) }

// free hands on the space, which the caller does not use any more. nil has none.
func (w *workspace) free() {
	if w != nil {
		spaces.Put(w)
	}
}
