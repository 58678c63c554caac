//go:build scheduler.none

package softkmeans

// TinyGo without a scheduler, as for bare WebAssembly, supports no goroutines: a go statement does not even
// compile.

func share(_, tasks int, fn func(worker, task int)) {
	for t := range tasks {
		fn(0, t)
	}
}

func newWorkspace() *workspace { return new(workspace) }

func (w *workspace) free() {}
