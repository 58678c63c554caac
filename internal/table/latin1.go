package table

import "unicode/utf8"

// utf8Text is a name or a class as UTF-8. What is none is taken for Windows-1252,
// of which Latin-1 is a part: what older spreadsheets write.
func utf8Text(s []byte) []byte {
	if utf8.Valid(s) {
		return s
	}
	text := make([]byte, 0, 2*len(s))
	for _, c := range s {
		r := rune(c)
		if c >= 0x80 && c < 0xa0 {
			r = windows1252[c-0x80]
		}
		text = utf8.AppendRune(text, r)
	}
	return text
}

// utf8Texts are fields as names. Numbers are looked for in the fields as they are.
func utf8Texts(fields [][]byte) [][]byte {
	texts := make([][]byte, len(fields))
	for j, s := range fields {
		texts[j] = utf8Text(s)
	}
	return texts
}

// windows1252 is 0x80 to 0x9f of that encoding (unicode.org's CP1252.TXT); the five
// that it leaves open are the control characters that they are in Latin-1.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}
