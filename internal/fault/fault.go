// Package fault makes errors in the form of package softkmeans, for the packages beside it.
// It does without fmt, which programs by TinyGo would have to carry.
package fault

import (
	"context"
	"runtime"
	"strconv"

	"softkmeans"
)

type fault struct {
	text string
	err  error
}

func (f *fault) Error() string { return "softkmeans: " + f.text + ": " + f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// New returns an error that unwraps to err and says text: strings and numbers, one behind
// the other.
func New(err error, text ...any) error {
	f := &fault{err: err}
	for _, part := range text {
		switch v := part.(type) {
		case string:
			f.text += v
		case int:
			f.text += strconv.Itoa(v)
		case uint64:
			f.text += strconv.FormatUint(v, 10)
		case float64:
			f.text += strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	return f
}

// Entry returns an error about entry i of a list.
func Entry(list string, i int, v float64, err error) error {
	return &softkmeans.InputError{Arg: list, Row: i, Col: -1, Value: v, Err: err}
}

// First returns the first of errs that is not nil.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Stopped returns an error if ctx has ended, which it wraps. In WebAssembly, on one thread, what cancels ctx
// runs during this call only.
func Stopped(ctx context.Context) error {
	if runtime.GOARCH == "wasm" {
		runtime.Gosched()
	}
	if err := ctx.Err(); err != nil {
		return New(err, "stopped")
	}
	return nil
}
