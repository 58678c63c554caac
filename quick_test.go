package softkmeans

import (
	"flag"
	"runtime"
	"testing"
)

// update is for the tests that hold files of testdata/ to what is: those chosen by
// -run add what is new to api.txt, or write regress.txt anew.
var update = flag.Bool("update", false, "write testdata/api.txt or regress.txt")

// quick reports whether fewer sets, seeds and smaller shapes must do: for machines
// that are emulated or interpreted, and under the race detector, which takes ten
// times as long and sees the same goroutines. Every check is the same.
func quick() bool { return testing.Short() || raceDetector }

// fewer returns what a test takes in all, or less of the same kinds in quick mode.
func fewer[T any](all, less T) T {
	if quick() {
		return less
	}
	return all
}

// head is x, of which in quick mode the first so many rows must do.
func head(x *Matrix, rows int) *Matrix {
	return rowsOf(x, 0, fewer(x.Rows, min(rows, x.Rows)))
}

// skip says why a test does nothing more; the caller returns. TinyGo has no Skip
// that would not fail the test.
func skip(t *testing.T, why string) {
	t.Helper()
	if runtime.Compiler == "tinygo" {
		t.Log(why)
		return
	}
	t.Skip(why)
}
