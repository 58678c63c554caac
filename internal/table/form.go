package table

import (
	"bytes"
	"cmp"
	"strings"
	"unicode/utf8"
)

// form is how numbers are written, beyond digits, a sign and a decimal sign.
type form uint8

const (
	formGroups   form = 1 << iota // 1,234,567 or 1 234 567 or 1'234'567
	formPercent                   // 50 %
	formCurrency                  // $5, 5 €
	formParens                    // (5) for −5, as accountants write
	formMinus                     // −5 with the sign U+2212, or 5-
	formUnit                      // 5 kg
	formDouble                    // 1.5D+03, as Fortran writes
)

// currencies are the signs that are taken from numbers.
const currencies = "$€£¥"

// plainer returns a number without its group separators and signs, with a decimal
// point, and the forms it had. It returns nil for text in none of these forms.
func plainer(s []byte, decimal rune) (text []byte, has form) {
	s = bytes.TrimSpace(utf8Text(s))
	if i := bytes.IndexAny(s, "dD"); i > 0 && i+1 < len(s) && (s[i+1] == '-' || s[i+1] == '+') {
		if text = append(append(bytes.Clone(s[:i]), 'e'), s[i+1:]...); isNumber(text) {
			return text, formDouble
		}
		text = nil
	}
	if number, unit := cutUnit(s); unit != nil {
		if s, has = number, formUnit; decimal != ',' && isNumber(s) {
			return s, has
		}
	}
	negative := false
	if n := len(s); n > 2 && s[0] == '(' && s[n-1] == ')' {
		s, negative, has = bytes.TrimSpace(s[1:n-1]), true, has|formParens
	}
	sign := func() {
		if bytes.HasPrefix(s, []byte("\u2212")) { // a minus sign that is no hyphen
			s, has = append([]byte{'-'}, s[len("\u2212"):]...), has|formMinus
		}
		if len(s) > 0 && (s[0] == '-' || s[0] == '+') && !negative {
			negative = s[0] == '-'
			s = bytes.TrimSpace(s[1:])
		}
	}
	sign()
	if r, size := utf8.DecodeRune(s); isCurrency(r) {
		s, has = bytes.TrimSpace(s[size:]), has|formCurrency
		sign()
	} else if r, size := utf8.DecodeLastRune(s); isCurrency(r) {
		s, has = bytes.TrimSpace(s[:len(s)-size]), has|formCurrency
	}
	if n := len(s); n > 1 && s[n-1] == '-' && isDigit(s[n-2]) && !negative && bytes.ContainsAny(s, ".,") { // as SAP
		s, negative, has = s[:n-1], true, has|formMinus
	}
	if n := len(s); n > 1 && s[n-1] == '%' {
		s, has = bytes.TrimSpace(s[:n-1]), has|formPercent
	}
	point := byte(cmp.Or(decimal, '.'))
	whole, rest, cut := bytes.Cut(s, []byte{point})
	whole, grouped := ungrouped(whole, point)
	if whole == nil {
		return nil, 0
	}
	if grouped {
		has |= formGroups
	}
	if negative {
		text = append(text, '-')
	}
	text = append(text, whole...)
	if cut {
		text = append(append(text, '.'), rest...)
	}
	return text, has
}

func isCurrency(r rune) bool { return r != utf8.RuneError && bytes.ContainsRune([]byte(currencies), r) }

// ungrouped removes the separators of thousands from a whole number. It returns nil if
// they do not stand between groups of three digits.
func ungrouped(s []byte, point byte) (digits []byte, grouped bool) {
	digits = []byte{}
	var separator rune
	group := 0 // digits since the last separator
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRune(s[i:])
		i += size
		switch {
		case r >= '0' && r <= '9':
			digits = append(digits, byte(r))
			group++
		case !isSeparator(r) || byte(r) == point && r < 0x80 || separator != 0 &&
			(r != separator || group != 3),
			separator == 0 && (group < 1 || group > 3):
			return nil, false
		default:
			separator, group = r, 0
		}
	}
	if separator != 0 && (group != 3 || digits[0] == '0') {
		return nil, false
	}
	return digits, separator != 0
}

func isSeparator(r rune) bool {
	return strings.ContainsRune(",. '\u00a0\u202f\u2009’", r)
}
