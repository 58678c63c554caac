package table

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"unicode"
)

//go:embed words.txt
var wordTable string

// words are the words of each kind, see words.txt.
var words = func() map[string]map[string]bool {
	kinds := map[string]map[string]bool{}
	for line := range strings.Lines(wordTable) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		kind, list, _ := strings.Cut(strings.TrimSpace(line), " | ")
		if kinds[kind] == nil {
			kinds[kind] = map[string]bool{}
		}
		for word := range strings.SplitSeq(list, "|") {
			kinds[kind][strings.TrimSpace(word)] = true
		}
	}
	return kinds
}()

// is reports whether a field is a word of a kind.
func is(kind, field string) bool {
	field = strings.ToLower(strings.TrimSpace(field))
	if words[kind][field] || words[kind][strings.ReplaceAll(field, ".", " ")] { // as R writes blanks
		return true
	}
	for word := range words[kind+"*"] {
		if strings.Contains(field, word) {
			return true
		}
	}
	return false
}

// has reports whether one of the words of a name, as in station_longitude_deg, is of a kind.
func has(kind, name string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }),
		func(word string) bool { return is(kind, word) })
}

// IsUnit reports whether a word is a unit for certain.
func IsUnit(word string) bool { return words["unit"][word] }

// isUnit reports whether a field is a unit, such as mg/l, [%] or (any text).
func isUnit(f []byte) bool {
	f = bytes.TrimSpace(f)
	return len(f) > 0 && (IsUnit(string(f)) || bytes.IndexByte([]byte("[(%"), f[0]) >= 0)
}

func isTotal(s string) bool {
	s = strings.TrimRight(strings.TrimSpace(s), ":")
	return is("sum", s) || is("total", s)
}
