package softkmeans

// Work is cut into tasks by its size alone and never by the number of workers,
// and partial results are added in the order of the tasks: so the number of
// workers changes the time and not one bit of the answer.

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// workerCount is the number of goroutines that an option asks for; 0 and less
// mean as many as the program may run at once.
func workerCount(asked int) int {
	if asked >= 1 {
		return asked
	}
	return runtime.GOMAXPROCS(0)
}

// runTasks calls fn for task 0 … tasks−1, each once, on up to the given number
// of workers, and returns when all are done. Calls with the same worker number
// never overlap, so that fn may keep scratch space by worker. With one worker
// or one task no goroutine is started.
func runTasks(workers, tasks int, fn func(worker, task int)) {
	workers = min(workers, tasks)
	if workers <= 1 {
		for t := range tasks {
			fn(0, t)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	work := func(w int) {
		for {
			t := int(next.Add(1)) - 1
			if t >= tasks {
				return
			}
			fn(w, t)
		}
	}
	// The caller is one of the workers: where tasks are short it has done most
	// of them before another thread is awake.
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
