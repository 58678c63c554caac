package table

import (
	"bytes"
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// form is how numbers are written, beyond digits, a sign, a decimal sign and an exponent. The minus sign
// may be U+2212. The exponent may begin with D, as in 1.5D+03 of Fortran.
type form uint8

const (
	formGroups   form = 1 << iota // 1,234,567 or 1 234 567 or 1'234'567
	formPercent                   // 50 %
	formCurrency                  // $5, 5 €
	formParens                    // (5) for −5, as accountants write
	formMinus                     // 5.00- for −5, as SAP writes
	formUnit                      // 5 kg
)

// currencies are the signs that are taken from numbers.
const currencies = "$€£¥"

// separators may stand between groups of three digits; spaces of them also before a sign or a unit.
const (
	separators = ",.'’" + spaces
	spaces     = " \u00a0\u202f\u2009"
)

// plainer returns a number with a decimal point and without all that its form adds, its form, and its
// unit or currency. It returns nil for text in none of these forms. The digits may have too many points.
func plainer(field []byte, decimal rune) (text []byte, has form, unit string) {
	sign, digits, exponent, behind := parts(string(bytes.TrimSpace(utf8Text(field))))
	if digits == "" {
		return nil, 0, ""
	}
	sign = strings.Join(strings.Fields(sign), "")
	if strings.HasPrefix(sign, "(") && strings.HasSuffix(behind, ")") {
		sign, behind, has = "-"+sign[1:], behind[:len(behind)-1], formParens
	}
	for _, side := range []*string{&sign, &behind} {
		if i := strings.IndexAny(*side, currencies); i >= 0 && unit == "" {
			_, size := utf8.DecodeRuneInString((*side)[i:])
			unit, has = (*side)[i:i+size], has|formCurrency
			*side = (*side)[:i] + (*side)[i+size:]
		}
	}
	switch word := strings.TrimLeft(behind, spaces); {
	case behind == "-" && sign == "" && strings.ContainsAny(digits, ".,"):
		sign, has = "-", has|formMinus
	case word == "%":
		has |= formPercent
	case has == 0 && isUnitBehind(word, word != behind):
		unit, has = word, has|formUnit
	case word != "":
		return nil, 0, ""
	}
	sign = strings.Replace(sign, "\u2212", "-", 1)
	whole, rest, cut := strings.Cut(digits, string(cmp.Or(decimal, '.')))
	whole, grouped, ok := ungrouped(whole)
	if !ok || sign != "" && sign != "+" && sign != "-" || grouped && exponent != "" {
		return nil, 0, ""
	}
	text = append(append(text, strings.Trim(sign, "+")...), whole...)
	if cut {
		text = append(append(text, '.'), rest...)
	}
	if grouped {
		has |= formGroups
	}
	if exponent != "" {
		text = append(append(text, 'e'), exponent[1:]...)
	}
	return text, has, unit
}

// numeral reports whether a field is a number in any of the forms.
func numeral(field []byte, decimal rune) bool {
	text, _, _ := plainer(field, decimal)
	return isNumber(text)
}

// parts takes a number apart: what is before its digits, these with points and separators, the exponent
// with its letter, and what is behind.
func parts(s string) (before, digits, exponent, behind string) {
	from := strings.IndexAny(s, "0123456789.,")
	if from < 0 {
		return s, "", "", ""
	}
	before, behind = s[:from], strings.TrimLeft(s[from:], "0123456789"+separators)
	digits = strings.TrimRight(s[from:len(s)-len(behind)], "'’"+spaces)
	behind = s[from+len(digits):]
	if behind != "" && strings.Contains("eEdD", behind[:1]) {
		signed := strings.TrimLeft(behind[1:], "+-")
		rest := strings.TrimLeft(signed, "0123456789")
		if rest != signed && (len(signed) < len(behind)-1 || behind[0]|0x20 == 'e') {
			exponent, behind = behind[:len(behind)-len(rest)], rest
		}
	}
	return before, digits, exponent, behind
}

// isUnitBehind reports whether text behind a number is its unit. With a space between them any short
// word may be one.
func isUnitBehind(s string, apart bool) bool {
	first, _ := utf8.DecodeRuneInString(s)
	other := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("°‰/²³^·*-._⁻¹%", r)
	}
	return (unicode.IsLetter(first) || first == '°' || first == '‰') && utf8.RuneCountInString(s) <= 12 &&
		!strings.ContainsFunc(s, other) && !is("not a unit", s[:min(3, len(s))]) &&
		(apart || len(s) > 1 && IsUnit(s))
}

// ungrouped removes the separators of thousands from a whole number. It is not ok if they do not stand
// between groups of three digits.
func ungrouped(s string) (digits string, grouped, ok bool) {
	i := strings.IndexAny(s, separators)
	if i < 0 {
		return s, false, true
	}
	separator, _ := utf8.DecodeRuneInString(s[i:])
	groups := strings.Split(s, string(separator))
	digits = strings.Join(groups, "")
	ok = i > 0 && i <= 3 && s[0] != '0' && !strings.ContainsAny(digits, separators)
	for _, group := range groups[1:] {
		ok = ok && len(group) == 3
	}
	return digits, true, ok
}
