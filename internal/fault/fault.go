// Package fault makes errors in the form of package softkmeans, for the packages beside it.
// It does without fmt, which programs by TinyGo would have to carry.
package fault

import "strconv"

type fault struct {
	text string
	err  error
}

func (f *fault) Error() string { return "softkmeans: " + f.text + ": " + f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// New returns an error that says text and unwraps to err.
func New(err error, text string) error { return &fault{text, err} }

// First returns the first of errs that is not nil.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Number returns v for messages.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
