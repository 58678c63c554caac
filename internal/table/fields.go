package table

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"softkmeans/internal/csv"
	"softkmeans/internal/number"
)

// Names of the layers below.
var (
	isComment  = csv.IsComment
	validComma = csv.ValidComma
	utf8Text   = csv.UTF8
	parseFloat = number.Parse
)

// shown is a field as messages and names have it.
func shown(s []byte) string { return Printable(string(utf8Text(s))) }

func mapped[A, B any](list []A, of func(A) B) []B {
	made := make([]B, len(list))
	for i, v := range list {
		made[i] = of(v)
	}
	return made
}

func howMany[A any](list []A, is func(A) bool) (n int) {
	for _, v := range list {
		if is(v) {
			n++
		}
	}
	return n
}

// isNumber counts NaN, infinities and numbers beyond the range of float64.
func isNumber(s []byte) bool {
	_, err := parseFloat(s)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

func trimmedNumber(s []byte) bool { return isNumber(bytes.TrimSpace(s)) }

// ruled reports whether a line is a rule, such as ----- or |---|:--|.
func ruled(fields [][]byte) bool {
	other := func(f []byte) bool { return len(bytes.Trim(f, "-=:+| ")) > 0 }
	long := func(f []byte) bool { return len(bytes.Trim(f, ":| ")) > 2 }
	return slices.ContainsFunc(fields, long) && !slices.ContainsFunc(fields, other)
}

func present(field []byte) bool { return len(bytes.TrimSpace(field)) > 0 }
func absent(field []byte) bool  { return !present(field) }

func empty(fields [][]byte) bool { return !slices.ContainsFunc(fields, present) }

// missing reports whether a field is empty or a usual sign for a missing value.
func missing(s []byte) bool {
	switch string(s) {
	case "", "NA", "na", "?", "-", "--", "---", ".", "*", "–", "—", "\x96",
		"\x97": // dashes of Windows-1252, too
		return true
	}
	for _, word := range [...]string{"nan", "n/a", "#n/a", "null", "none", "n.a.", "k.a.",
		"#nv", "#div/0!", "#value!", "#wert!", "#num!", "#zahl!", "#ref!", "#bezug!"} {
		if len(s) <= len(word)+1 && strings.EqualFold(strings.TrimLeft(string(s), "+-"), word) {
			return true
		}
	}
	return false
}
