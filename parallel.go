package softkmeans

// Work is cut into tasks by its size alone and never by the number of workers,
// and partial results are added in the order of the tasks: so the number of
// workers changes the time and not one bit of the answer.

import "runtime"

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
// or one task no goroutine is started, nor where there are none.
func runTasks(workers, tasks int, fn func(worker, task int)) {
	workers = min(workers, tasks)
	if workers <= 1 || !goroutines {
		for t := range tasks {
			fn(0, t)
		}
		return
	}
	share(workers, tasks, fn)
}
