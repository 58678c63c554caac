package main

// Getting one clear message out of a failed job. Runners hand the error of a
// worker on as text, inside of much else.

import (
	"errors"
	"regexp"
)

// mark puts the error of a DoFn between brackets that nothing else has.
func mark(err *error) {
	if *err != nil {
		*err = fault{*err}
	}
}

type fault struct{ err error }

func (f fault) Error() string { return "⟦" + f.err.Error() + "⟧" }
func (f fault) Unwrap() error { return f.err }

var marked = regexp.MustCompile(`(?s)⟦([^⟦⟧]*)⟧`)

// plainError returns what is between the brackets, or the error as it is.
func plainError(err error) error {
	if err == nil {
		return nil
	}
	if m := marked.FindStringSubmatch(err.Error()); m != nil {
		return errors.New(m[1])
	}
	return err
}
