package table

import "strings"

// missing reports whether a field is empty or a usual sign for a missing value.
func missing(s []byte) bool {
	switch string(s) {
	case "", "NA", "na", "?", "-", "--", "---", ".", "*", "–", "—", "\x96", "\x97": // dashes of Windows-1252, too
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

func (p *parser) missing(s string, j int) string {
	if s == "" {
		return "missing value" + p.in(j) + ": the field is empty"
	}
	return "missing value " + quote(s) + p.in(j)
}

// in names the column of field j, if it has a name.
func (p *parser) in(j int) string {
	if j < len(p.header) {
		return " in column " + quote(p.header[j])
	}
	return ""
}
