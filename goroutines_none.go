//go:build scheduler.none

package softkmeans

// TinyGo without a scheduler, as for bare WebAssembly, has no goroutines: a go
// statement does not even compile.

const goroutines = false

func share(workers, tasks int, fn func(worker, task int)) { panic(goroutines) }

func newWorkspace() *workspace { return new(workspace) }

func (w *workspace) free() {}
