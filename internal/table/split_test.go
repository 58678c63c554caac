package table

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var splitTexts = []string{
	"", "\n", "\r\n", "\r", "a", "a\r", "a,b\r\nc,d", ",\n,,\n", "\n\n a , b \n", `"a"`, `"a","b"` + "\r\n",
	`"a""b",c`, `""`, `"",""`, `a""`, `"a"b`, `"a" `,
	"\"a\nb\",c\nd\n", "\"a\r\nb\r\"\r\n", "\"a\n\n\",\"b\n\"\nx\n\n\ny", `"`, "\"\n", "\"a\n", `x,"`,
	"x,\"\r", `""",`, "a\rb,c\r\r\n", "a;b\tc d", " \"a\", \"b", "\u2003a,\u2003\"b\"\n",
	"1¦2¦\"3\"¦4", "\xff,\"\xff\"\xff\n", "\x00,\x00",
}

// FuzzTable compares tables of numbers to the records of encoding/csv.
func FuzzTable(f *testing.F) {
	for _, s := range splitTexts {
		f.Add(s, ',', true)
		f.Add(s, ' ', false)
	}
	f.Add("1,2\n\n", ',', true)
	f.Add("1;\"2\r\n\";3", ';', false)
	f.Fuzz(func(t *testing.T, text string, comma rune, trim bool) {
		if !validComma(comma) {
			if _, err := Read(strings.NewReader(text), "f", Dialect{Delimiter: comma}); comma != 0 &&
				err == nil {
				t.Fatalf("%q was taken for a delimiter", comma)
			}
			return
		}
		got, err := Read(strings.NewReader(text), "f", Dialect{Delimiter: comma, Header: HeaderNo})
		if err != nil || comma == ' ' { // where the last field may be left out
			return
		}
		var data []float64
		rows := 0
		r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
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
				v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
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
