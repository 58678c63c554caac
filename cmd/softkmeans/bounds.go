package main

// This file holds -bounds: the least and the largest value that entries of prototypes have.

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/scale"
)

// bounds are those of -bounds, in the table's units. A nil pointer is none.
type bounds struct {
	low, high float64 // −Inf, +Inf: none
}

func boundsFlag(fs *flag.FlagSet, p **bounds) {
	fs.Func("bounds", "", func(s string) error {
		switch s {
		case "nonnegative":
			s = "0,"
		case "none":
			*p = &bounds{math.Inf(-1), math.Inf(1)}
			return nil
		}
		low, high, two := strings.Cut(s, ",")
		b := &bounds{endOf(low, math.Inf(-1)), endOf(high, math.Inf(1))}
		switch {
		case !two || b.low != b.low || b.high != b.high:
			return errors.New("must be none, nonnegative, or the least and the largest value, such as 0,1. " +
				"One of the two may be empty")
		case b.low > min(b.high, maxEntry) || b.high < -maxEntry:
			return fmt.Errorf("no value is from %g to %g", b.low, b.high)
		case math.IsInf(b.low, -1) && math.IsInf(b.high, 1):
			return errors.New("bounds nothing; leave the flag out")
		}
		*p = b
		return nil
	})
}

// endOf reads an end of the bounds. It is NaN if the text is no number.
func endOf(text string, none float64) float64 {
	if text == "" {
		return none
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// inside reports whether there are bounds other than 0, which have no meaning for rows divided by their sums.
func (b *bounds) inside() bool {
	return b.orNil() != nil && (b.low != 0 || !math.IsInf(b.high, 1))
}

// orNil returns nil for -bounds none.
func (b *bounds) orNil() *bounds {
	if b != nil && math.IsInf(b.low, -1) && math.IsInf(b.high, 1) {
		return nil
	}
	return b
}

// scaled returns Lower and Upper for columns scaled by s.
func (b *bounds) scaled(s *scale.Scaling) (lower, upper []float64) {
	if b == nil {
		return nil, nil
	}
	lower, upper = []float64{b.low}, []float64{b.high}
	if s != nil {
		lower, upper = slices.Repeat(lower, len(s.Shift)), slices.Repeat(upper, len(s.Shift))
		s.Apply(lower)
		s.Apply(upper)
	}
	return lower, upper
}

func (b *bounds) lists() (lower, upper []float64) {
	if b != nil && !math.IsInf(b.low, 0) {
		lower = []float64{b.low}
	}
	if b != nil && !math.IsInf(b.high, 0) {
		upper = []float64{b.high}
	}
	return lower, upper
}

// boundsOf are those of a model, from -Inf to Inf if it has none.
func boundsOf(f *modelFile) *bounds {
	b := &bounds{math.Inf(-1), math.Inf(1)}
	for _, v := range f.Lower {
		b.low = v
	}
	for _, v := range f.Upper {
		b.high = v
	}
	return b
}

// hold takes centers in the table's units to the bounds, which rounding may have left.
func (b *bounds) hold(centers *softkmeans.Matrix) {
	if b == nil {
		return
	}
	for i, v := range centers.Data {
		centers.Data[i] = min(max(v, b.low), b.high)
	}
}

// String is as in "kept at 0 or above".
func (b *bounds) String() string {
	digits := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch {
	case math.IsInf(b.high, 1):
		return "at " + digits(b.low) + " or above (-bounds)"
	case math.IsInf(b.low, -1):
		return "at " + digits(b.high) + " or below (-bounds)"
	}
	return "from " + digits(b.low) + " to " + digits(b.high) + " (-bounds)"
}

// json returns bounds as an answer has them. One that there is not is null.
func (b *bounds) json() *answer.Bounds {
	if b == nil {
		return nil
	}
	return &answer.Bounds{Lower: answer.InRange(b.low), Upper: answer.InRange(b.high)}
}
