package table

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var splitTexts = []string{
	"", "\n", "\r\n", "\r", "a", "a\r", "a,b\r\nc,d", ",\n,,\n", "\n\n a , b \n", `"a"`, `"a","b"` + "\r\n",
	`"a""b",c`, `""`, `"",""`, `a""`, `"a"b`, `"a" `,
	"\"a\nb\",c\nd\n", "\"a\r\nb\r\"\r\n", "\"a\n\n\",\"b\n\"\nx\n\n\ny", `"`, "\"\n", "\"a\n", `x,"`,
	"x,\"\r", `""",`, "a\rb,c\r\r\n", "a;b\tc d", " \"a\", \"b", "\u2003a,\u2003\"b\"\n",
	"1¦2¦\"3\"¦4", "\xff,\"\xff\"\xff\n", "\x00,\x00",
}

// plainNumber writes a number as strconv.ParseFloat takes it: without spaces of Latin-1, U+2212, spaces
// behind its sign and the D of an exponent.
func plainNumber(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ReplaceAll(s, "\xa0", " ")
	}
	s = strings.NewReplacer("\u2212", "-", "D", "e", "d", "e").Replace(strings.TrimSpace(s))
	if digits := strings.TrimLeft(s, "+-"); len(digits) == len(s)-1 {
		s = s[:1] + strings.TrimSpace(digits)
	}
	return s
}

// FuzzTable compares tables of numbers to the records of encoding/csv, for which lines do not end in CR
// alone.
func FuzzTable(f *testing.F) {
	for _, s := range splitTexts {
		f.Add(s, ',', true)
		f.Add(s, ' ', false)
	}
	f.Add("1,2\n\n", ',', true)
	f.Add("1;\"2\r\n\";3", ';', false)
	f.Add("1\r2\r", ',', true)
	f.Add("9\r9\r\r\n", ',', true)
	f.Add("0\xa0,- 1,\u22122,3D+01", ',', true)
	f.Fuzz(func(t *testing.T, text string, comma rune, trim bool) {
		if !validComma(comma) {
			if _, err := Read(strings.NewReader(text), "f", Dialect{Delimiter: comma}); comma != 0 &&
				err == nil {
				t.Fatalf("%q was taken for a delimiter", comma)
			}
			return
		}
		got, err := Read(strings.NewReader(text), "f", Dialect{Delimiter: comma, Header: No})
		if err != nil || comma == ' ' { // where the last field may be left out
			return
		}
		var data []float64
		rows := 0
		lines := strings.TrimPrefix(text, "\ufeff")
		first, _, lf := strings.Cut(lines, "\n")
		if strings.Contains(strings.TrimSpace(first), "\r") && !(lf && strings.Contains(first, `"`)) {
			lines = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(lines)
		}
		r := csv.NewReader(strings.NewReader(lines))
		r.Comma, r.TrimLeadingSpace, r.FieldsPerRecord, r.LazyQuotes = comma, comma != '\t', -1, true
		for {
			fields, err := r.Read()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%q: read, but encoding/csv finds %v", text, err)
			}
			if len(fields) == 1 && strings.TrimSpace(fields[0]) == "" {
				continue
			}
			rows++
			for _, s := range fields {
				v, err := strconv.ParseFloat(plainNumber(s), 64)
				if err != nil || strings.ContainsAny(s, "_xX") || math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%q: %q was read", text, s)
				}
				data = append(data, v)
			}
		}
		if rows != got.Rows || !slices.Equal(got.Data, data) {
			t.Fatalf("%q: %d rows %v, want %d rows %v", text, got.Rows, got.Data, rows, data)
		}
		if len(got.Names) != len(data)/rows {
			t.Fatalf("%q: %d names", text, len(got.Names))
		}
	})
}
