package csv

import "unicode/utf8"

// UTF8 is a text as UTF-8. Bytes that are not UTF-8 are taken for
// Windows-1252, which older spreadsheets write, and which contains Latin-1.
func UTF8(s []byte) []byte {
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

// windows1252 is the characters 0x80 to 0x9f (unicode.org's CP1252.TXT). The five that
// are undefined there are control characters, as in Latin-1.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}
