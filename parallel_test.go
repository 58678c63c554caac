package softkmeans

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestCancelledByGoroutine: also where goroutines take turns on one thread.
func TestCancelledByGoroutine(t *testing.T) {
	for _, solver := range allSolvers {
		ctx, cancel := context.WithCancel(bg)
		go func() {
			time.Sleep(5 * time.Millisecond)
			cancel()
		}()
		// A basis for 1500 directions takes long.
		if _, err := Fit(ctx, randomData(3, 1500, 0, 1), 1501, &Options{Solver: solver}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", solver, err)
		}
	}
}
