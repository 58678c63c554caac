package csv

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
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

// split splits a text that comes line by line.
func split(text string, comma rune, trim bool) (records []record, last int) {
	lines := strings.SplitAfter(text, "\n")
	s := Splitter{Comma: comma, trim: trim}
	s.More = func() (line []byte, err error) {
		if len(lines) == 0 || lines[0] == "" {
			return nil, io.EOF
		}
		line, lines = []byte(lines[0]), lines[1:]
		return line, nil
	}
	for {
		err := s.Next()
		if err == io.EOF {
			return records, s.End
		}
		rec := record{lines: slices.Clone(s.Lines[:len(s.Fields)])}
		for _, field := range s.Fields {
			rec.fields = append(rec.fields, string(field))
		}
		if err != nil {
			rec.fault = strconv.Itoa(err.(*Fault).Line) + "quote"
		}
		if records = append(records, rec); err != nil {
			return records, s.End
		}
	}
}

func checkSplit(t *testing.T, text string, comma rune, trim bool) {
	t.Helper()
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

// FuzzSplit compares records with the records of encoding/csv.
func FuzzSplit(f *testing.F) {
	for _, s := range splitTexts {
		f.Add(s, ',', true)
		f.Add(s, ' ', false)
	}
	f.Add("1,2\n\n", ',', true)
	f.Add("1;\"2\r\n\";3", ';', false)
	f.Fuzz(func(t *testing.T, text string, comma rune, trim bool) {
		if ValidComma(comma) {
			checkSplit(t, text, comma, trim)
		}
	})
}

// FuzzUTF16 writes a text as UTF-16, and reads it in pieces.
func FuzzUTF16(f *testing.F) {
	f.Add("a,µ\n1,\U0001f600\n", true)
	f.Add("", false)
	f.Fuzz(func(t *testing.T, text string, little bool) {
		var raw []byte
		for _, u := range utf16.Encode([]rune(text)) {
			if low, high := byte(u), byte(u>>8); little {
				raw = append(raw, low, high)
			} else {
				raw = append(raw, high, low)
			}
		}
		got, err := io.ReadAll(UTF16(iotest.OneByteReader(bytes.NewReader(raw)), little))
		if want := string([]rune(text)); err != nil || string(got) != want {
			t.Fatalf("%q, %v, want %q", got, err, want)
		}
	})
}
