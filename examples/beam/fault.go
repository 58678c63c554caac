package main

// One clear message for a failed job. Runners return the error of a worker as text within a longer one.

import (
	"errors"
	"regexp"
	"sync/atomic"
)

// bracket puts the error of a DoFn between brackets that no other text has, and stores the first error.
func bracket(err *error) {
	if *err != nil {
		e := *err
		first.CompareAndSwap(nil, &e)
		*err = fault{e}
	}
}

// first is the first error of a DoFn in this process. Prism, in the same process, may
// have started a later stage by then, and report that this has no side input.
var first atomic.Pointer[error]

type fault struct{ err error }

func (f fault) Error() string { return "⟦" + f.err.Error() + "⟧" }
func (f fault) Unwrap() error { return f.err }

var bracketed = regexp.MustCompile(`(?s)⟦([^⟦⟧]*)⟧`)

// plainError returns the first error of a DoFn in this process, or the text between the brackets, or err.
func plainError(err error) error {
	if err == nil {
		return nil
	}
	if e := first.Load(); e != nil {
		return *e
	}
	if m := bracketed.FindStringSubmatch(err.Error()); m != nil {
		return errors.New(m[1])
	}
	return err
}
