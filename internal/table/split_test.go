package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// record is a record of CSV: its fields and lines.
type record struct {
	fields []string
	lines  []int
	fault  string
}

// oracle splits with encoding/csv, up to the first error. lazy takes all quotes that are out of place for text.
func oracle(text string, comma rune, trim, lazy bool) (records []record) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.TrimLeadingSpace, r.FieldsPerRecord, r.LazyQuotes = comma, trim, -1, lazy
	for {
		fields, err := r.Read()
		if err == io.EOF {
			return records
		}
		rec := record{fields: fields}
		for j := range fields {
			line, _ := r.FieldPos(j)
			rec.lines = append(rec.lines, line)
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			rec.fault = strconv.Itoa(syntax.StartLine) +
				map[error]string{csv.ErrBareQuote: "bare", csv.ErrQuote: "quote"}[syntax.Err]
		}
		if records = append(records, rec); err != nil {
			return records
		}
	}
}

func split(text string, comma rune, trim bool) (records []record, last int) {
	in := &chunks{r: strings.NewReader(text), size: 7}
	first, _, err := start(in)
	if err != nil {
		return nil, 0
	}
	s := splitter{rest: first, comma: comma, trim: trim}
	s.more = func() ([]byte, error) { return in.read(nil) }
	for {
		err := s.next()
		if err == io.EOF {
			return records, s.end
		}
		rec := record{lines: slices.Clone(s.lines[:len(s.fields)])}
		for _, field := range s.fields {
			rec.fields = append(rec.fields, string(field))
		}
		if err != nil {
			rec.fault = strconv.Itoa(s.start) + map[error]string{errQuote: "quote"}[err]
		}
		if records = append(records, rec); err != nil {
			return records, s.end
		}
	}
}

func checkSplit(t *testing.T, text string, comma rune, trim bool) {
	t.Helper()
	if m := []byte(text); bytes.HasPrefix(m, []byte("\ufeff")) || endsInCR(m) {
		return // which encoding/csv does not know of
	}
	got, _ := split(text, comma, trim)
	want := oracle(text, comma, trim, false)
	if n := len(want); n > 0 && strings.HasSuffix(want[n-1].fault, "bare") {
		// A quote within a field is text: up to a field in quotes that ends badly, if there is one.
		if want = oracle(text, comma, trim, true); len(got) > 0 && got[len(got)-1].fault != "" {
			got = got[:len(got)-1]
			want = want[:min(len(got), len(want))]
		}
	}
	for i := range want { // a space at the end of a line is not a delimiter
		if r, n := &want[i], len(want[i].fields)-1; comma == ' ' && n > 0 && r.fields[n] == "" && r.fault == "" {
			r.fields, r.lines = r.fields[:n], r.lines[:n]
		}
	}
	if !slices.EqualFunc(got, want, func(a, b record) bool {
		return slices.Equal(a.fields, b.fields) && slices.Equal(a.lines, b.lines) && a.fault == b.fault
	}) {
		t.Fatalf("%q at %q, trim %v:\n  %q\nencoding/csv:\n  %q", text, comma, trim, got, want)
	}
}

var splitTexts = []string{
	"", "\n", "\r\n", "\r", "a", "a\r", "a,b\r\nc,d", ",\n,,\n", "\n\n a , b \n", `"a"`, `"a","b"` + "\r\n",
	`"a""b",c`, `""`, `"",""`, `a""`, `"a"b`, `"a" `,
	"\"a\nb\",c\nd\n", "\"a\r\nb\r\"\r\n", "\"a\n\n\",\"b\n\"\nx\n\n\ny", `"`, "\"\n", "\"a\n", `x,"`,
	"x,\"\r", `""",`, "a\rb,c\r\r\n", "a;b\tc d", " \"a\", \"b", "\u2003a,\u2003\"b\"\n",
	"1¦2¦\"3\"¦4", "\xff,\"\xff\"\xff\n", "\x00,\x00",
}

func TestSplitAsEncodingCSV(t *testing.T) {
	texts := slices.Clone(splitTexts)
	// Longer than any buffer on the way: in one field, in quotes, in many.
	for _, s := range []string{"x", "x,", `"x"",y",`, "\"x\n\","} {
		texts = append(texts, strings.Repeat(s, 70000/len(s))+"\r\nz")
	}
	for _, text := range texts {
		for _, comma := range []rune{',', ';', '\t', ' ', '¦'} {
			checkSplit(t, text, comma, true)
			checkSplit(t, text, comma, false)
		}
	}
}

// A record ends on the line on which its last field ends.
func TestSplitLines(t *testing.T) {
	if got, last := split("a,\"b\n\nc\"\n\nd,\"e\n\"", ',', true); last != 6 || len(got) != 2 ||
		!slices.Equal(got[1].lines, []int{5, 5}) {
		t.Errorf("%v, ends on line %d", got, last)
	}
}

// FuzzTable compares records to those of encoding/csv, and so the table if there are
// only numbers.
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
		checkSplit(t, text, comma, trim)

		got, err := Read(strings.NewReader(text), "f", Dialect{Delimiter: comma, Header: HeaderNo})
		if err != nil || comma == ' ' { // where the last field may be left out
			return
		}
		var data []float64
		rows := 0
		for _, r := range oracle(strings.TrimPrefix(text, "\ufeff"), comma, comma != '\t', true) {
			if r.fault != "" {
				t.Fatalf("%q: read, but encoding/csv finds %s", text, r.fault)
			}
			if len(r.fields) == 1 && strings.TrimSpace(r.fields[0]) == "" {
				continue
			}
			rows++
			for _, s := range r.fields {
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
