package chart

// Text and numbers in XML, and the width of text.

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AppendText escapes s for content and for attributes. Bytes that are not UTF-8
// and characters that XML forbids become U+FFFD.
func AppendText(dst []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r == '&':
			dst = append(dst, "&amp;"...)
		case r == '<':
			dst = append(dst, "&lt;"...)
		case r == '>':
			dst = append(dst, "&gt;"...)
		case r == '"':
			dst = append(dst, "&quot;"...)
		case r == '\t' || r == '\n' || r == '\r':
			dst = append(dst, ' ')
		case r < ' ' || r == 0xFFFE || r == 0xFFFF:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// token removes what is not safe in an id or in the name of a class.
func token(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return -1
	}, s)
}

// appendCoordinate writes v with one decimal, a tenth of a pixel.
func appendCoordinate(dst []byte, v float64) []byte {
	if !(v > -1e6) { // also NaN, which no caller should pass
		v = -1e6
	}
	v = math.Round(min(v, 1e6) * 10)
	if v < 0 {
		dst = append(dst, '-')
		v = -v
	}
	n := int64(v)
	dst = strconv.AppendInt(dst, n/10, 10)
	if n%10 != 0 {
		dst = append(dst, '.', byte('0'+n%10))
	}
	return dst
}

// number writes v with four significant digits.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'g', 4, 64)
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		s = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return tidy(s)
}

// tidy shortens the exponent of a number and writes − (U+2212) for its minus signs.
func tidy(s string) string {
	mantissa, exponent, ok := strings.Cut(s, "e")
	if ok {
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		sign := ""
		if strings.HasPrefix(exponent, "-") {
			sign = "-"
		}
		s = mantissa + "e" + sign + strings.TrimLeft(exponent, "+-0")
	}
	return strings.ReplaceAll(s, "-", "−")
}

// width estimates the width of a text in px, for one of the wider fonts.
func width(s string, size float64) float64 {
	em := 0.0
	for _, r := range s {
		em += runeWidth(r)
	}
	return em * size
}

func widest(texts []string) (w float64) {
	for _, s := range texts {
		w = max(w, width(s, textSize))
	}
	return w
}

func runeWidth(r rune) float64 {
	switch {
	case strings.ContainsRune(".,':;| iljI", r):
		return 0.32
	case strings.ContainsRune("mwMW@%…", r):
		return 0.95
	case r >= 'A' && r <= 'Z':
		return 0.72
	case r >= 0x1100 || r < ' ' && r != '\t' && r != '\n' && r != '\r': // also what becomes U+FFFD
		return 1.05
	}
	return 0.6
}

// fit cuts s so that it takes at most limit px.
func fit(s string, limit, size float64) string {
	if width(s, size) <= limit {
		return s
	}
	w := runeWidth('…') * size
	for i, r := range s {
		w += runeWidth(r) * size
		if w > limit {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// wrap breaks s at its spaces into at most most lines of limit px. The last line
// is cut if there is more text.
func wrap(s string, limit, size float64, most int) (lines []string) {
	line := ""
	words := strings.Fields(s)
	for i, word := range words {
		switch {
		case line == "":
			line = word
		case width(line, size)+width(" "+word, size) <= limit:
			line += " " + word
		case len(lines) == most-1:
			return append(lines, fit(line+" "+strings.Join(words[i:], " "), limit, size))
		default:
			lines = append(lines, fit(line, limit, size))
			line = word
		}
	}
	if line != "" {
		lines = append(lines, fit(line, limit, size))
	}
	return lines
}
