package main

// Getting one clear message out of a failed job. Runners hand the error of a
// worker on as text, inside of much else.

import (
	"errors"
	"regexp"
	"sync/atomic"
)

// mark puts the error of a DoFn between brackets that nothing else has, and remembers
// the first.
func mark(err *error) {
	if *err != nil {
		e := *err
		first.CompareAndSwap(nil, &e)
		*err = fault{e}
	}
}

// first is the first error of a DoFn in this process. Prism, in the same one, may have
// begun with a later stage by then, and report that this has no side input.
var first atomic.Pointer[error]

type fault struct{ err error }

func (f fault) Error() string { return "⟦" + f.err.Error() + "⟧" }
func (f fault) Unwrap() error { return f.err }

var marked = regexp.MustCompile(`(?s)⟦([^⟦⟧]*)⟧`)

// plainError returns the first error of a DoFn in this process, or what is between the
// brackets, or the error as it is.
func plainError(err error) error {
	if err == nil {
		return nil
	}
	if e := first.Load(); e != nil {
		return *e
	}
	if m := marked.FindStringSubmatch(err.Error()); m != nil {
		return errors.New(m[1])
	}
	return err
}
