package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func read(text string, d dialect) (*table, error) {
	return readTable(strings.NewReader(text), "f.csv", d)
}

func TestReadTable(t *testing.T) {
	for _, test := range []struct {
		name, text string
		dialect    dialect
		names      string // separated by spaces
		data       []float64
	}{
		{"plain", "1,2\n3,4\n", dialect{}, "c1 c2", []float64{1, 2, 3, 4}},
		{"no newline at the end", "1,2\n3,4", dialect{}, "c1 c2", []float64{1, 2, 3, 4}},
		{"one value", "7", dialect{}, "c1", []float64{7}},
		{"one column", "1\n2\n3\n", dialect{}, "c1", []float64{1, 2, 3}},
		{"CRLF", "a,b\r\n1,2\r\n3,4\r\n\r\n", dialect{}, "a b", []float64{1, 2, 3, 4}},
		{"byte order mark", "\ufeffa,b\n1,2\n", dialect{}, "a b", []float64{1, 2}},
		{"byte order mark before a number", "\ufeff1,2\n", dialect{}, "c1 c2", []float64{1, 2}},
		{"blank lines around", "\n  \na,b\n\n1,2\n3,4\n\n   \n\n", dialect{}, "a b", []float64{1, 2, 3, 4}},
		{"spaces", " 1 ,  2\t\n3 , 4 \n", dialect{delimiter: ','}, "c1 c2", []float64{1, 2, 3, 4}},
		{"quotes", "\"a,x\",\"b\"\"\"\n\"1\", \"2\"\n", dialect{}, `a,x b"`, []float64{1, 2}},
		{"number formats", "-1.5e-3,+2,.5,4.,0x1p-2,-0\n", dialect{}, "c1 c2 c3 c4 c5 c6", []float64{-1.5e-3, 2, .5, 4, .25, math.Copysign(0, -1)}},
		{"underflow is 0", "1e-999\n", dialect{}, "c1", []float64{0}},

		{"semicolons", "a;b\n1;2\n", dialect{}, "a b", []float64{1, 2}},
		{"semicolons before commas", "a,x;b\n1;2\n", dialect{}, "a,x b", []float64{1, 2}},
		{"tabs", "a\tb\n1\t2\n", dialect{}, "a b", []float64{1, 2}},
		{"tabs before others", "a;1\tb,2\n1\t2\n", dialect{}, "a;1 b,2", []float64{1, 2}},
		{"quoted characters delimit nothing", "\"a;\tx\",b\n1,2\n", dialect{}, "a; x b", []float64{1, 2}},
		{"delimiter by the first line that is not blank", "\n\n1;2\n", dialect{}, "c1 c2", []float64{1, 2}},
		{"bar", "1|2\n", dialect{delimiter: '|'}, "c1 c2", []float64{1, 2}},
		{"any number of spaces", "  1   2 \n3 4\n5 6", dialect{delimiter: ' '}, "c1 c2", []float64{1, 2, 3, 4, 5, 6}},

		{"header without a name for the first column", ",a\n1,2\n", dialect{}, "c1 a", []float64{1, 2}},
		{"header of numbers", "2020,2021\n1,2\n", dialect{header: headerYes}, "2020 2021", []float64{1, 2}},
		{"numbers are no header", "2020,2021\n1,2\n", dialect{}, "c1 c2", []float64{2020, 2021, 1, 2}},
		{"mixed header if told", "a,2021\n1,2\n", dialect{header: headerYes}, "a 2021", []float64{1, 2}},

		{"label by number", "1,x,2\n3,y,4\n", dialect{label: "2"}, "c1 c3", []float64{1, 2, 3, 4}},
		{"label by number, with header", "a,b,c\n1,x,2\n", dialect{label: "2"}, "a c", []float64{1, 2}},
		{"label by name", "a, kind ,c\n1,x,2\n", dialect{label: "kind"}, "a c", []float64{1, 2}},
		{"a named label makes a header", "2020,kind\n1,x\n", dialect{label: "kind"}, "2020", []float64{1}},
		{"a label may be empty or span lines", "1,\"x\ny\"\n2,\n3,z\n", dialect{label: "2"}, "c1", []float64{1, 2, 3}},
	} {
		got, err := read(test.text, test.dialect)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if names := strings.Join(got.names, " "); names != test.names {
			t.Errorf("%s: names are %q, want %q", test.name, names, test.names)
		}
		if !slices.EqualFunc(got.data, test.data, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Errorf("%s: data is %v, want %v", test.name, got.data, test.data)
		}
		if got.rows*len(got.names) != len(got.data) {
			t.Errorf("%s: %d rows × %d names, %d values", test.name, got.rows, len(got.names), len(got.data))
		}
	}
}

func TestReadTableErrors(t *testing.T) {
	for _, test := range []struct {
		text    string
		dialect dialect
		want    string // how the message begins
	}{
		{"1,2\n3,4\n5,abc\n", dialect{}, `f.csv:3:2: "abc" is not a number`},
		{"a,b\r\n1,2\r\nabc,4\r\n", dialect{}, `f.csv:3:1: "abc" is not a number`},
		{"\n\n1,2\n3,x\n", dialect{}, `f.csv:4:2: "x" is not a number`},
		{"1,2\n3,\n", dialect{}, `f.csv:2:2: missing value`},
		{"1,2\n  ,4\n", dialect{}, `f.csv:2:1: missing value`},
		{"1\t2\t3\n1\t\t3\n", dialect{}, `f.csv:2:2: missing value`},
		{",\n", dialect{}, `f.csv:1:1: missing value`},
		{"1,2\n3,NaN\n", dialect{}, `f.csv:2:2: "NaN" is not a finite number`},
		{"1,2\n-Inf,4\n", dialect{}, `f.csv:2:1: "-Inf" is not a finite number`},
		{"nan,nan\n1,2\n", dialect{}, `f.csv:1:1: "nan" is not a finite number`},
		{"1,2\n3,-1e400\n", dialect{}, `f.csv:2:2: "-1e400" is too large for a number`},
		{"1;2\n3;4,5\n", dialect{}, `f.csv:2:2: "4,5" is not a number (the decimal sign is the point)`},
		{"1\n2 3\n", dialect{}, `f.csv:2:1: "2 3" is not a number (fields are split at ',';`},
		{"1\n" + strings.Repeat("é", 100), dialect{}, `f.csv:2:1: "` + strings.Repeat("é", 40) + `" is not a number`},
		{"1,2\n\"x\ny\",4\n", dialect{}, `f.csv:2:1: "x\ny" is not a number`},
		{"1,\"x\ny\",z\n", dialect{label: "2"}, `f.csv:2:3: "z" is not a number`},

		{"1,2\n3\n", dialect{}, `f.csv:2: 1 field found, 2 expected`},
		{"1,2\n3,4,5\n", dialect{}, `f.csv:2: 3 fields found, 2 expected`},
		{"a,b,c\n3,4\n", dialect{}, `f.csv:2: 2 fields found, 3 expected`},
		{"1,2\n\n3,4\n", dialect{}, `f.csv:2: a blank line between rows`},
		{"1\n2\n \n\n3\n", dialect{}, `f.csv:3: a blank line between rows`},
		{"1,\"x\ny\"\n\n2,z\n", dialect{label: "2"}, `f.csv:3: a blank line between rows`},

		// A first line with a number and a word is neither.
		{"a,b,kind\n1,2,x\n", dialect{}, `f.csv:2:3: "x" is not a number (if column 3 is not data: -label 3)`},
		{"1,x\n3,4\n", dialect{}, `f.csv:1:2: "x" is not a number (if line 1 holds names: -header yes; if column 2 is not data: -label 2)`},
		{"5.1,setosa\n4.9,setosa\n", dialect{}, `f.csv:1:2: "setosa" is not a number (`},
		{"a,b\n3,4\n", dialect{header: headerNo}, `f.csv:1:1: "a" is not a number`},
		{"a,b\nc,d\n", dialect{}, `f.csv:2:1: "c" is not a number`},

		{"1,x\"\n", dialect{}, `f.csv:1:2: a quote (") inside of a field`},
		{"1,2\n3,\"4\"5\n", dialect{}, `f.csv:2:2: a quoted field that does not end`},
		{"1,2\n3,\"4\n5,6\n", dialect{}, `f.csv:2:2: a quoted field that does not end`},
		{"\xff\xfe1\x00", dialect{}, `f.csv: the text is UTF-16`},
		{"", dialect{}, `f.csv: there are no rows`},
		{"\n\n", dialect{}, `f.csv: there are no rows`},
		{"\ufeff", dialect{}, `f.csv: there are no rows`},
		{"a,b\n", dialect{}, `f.csv: there are no rows`},
		{"1,2\n", dialect{header: headerYes}, `f.csv: there are no rows`},

		{"1,2\n", dialect{label: "3"}, `f.csv:1: there is no column 3 for -label, only 2 columns`},
		{"a,b\n1,2\n", dialect{label: "c"}, `f.csv:1: no column is named "c"`},
		{"a,b,a\n1,2,3\n", dialect{label: "a"}, `f.csv:1:3: a second column named "a"`},
		{"x\ny\n", dialect{label: "1"}, `f.csv: there is no column besides the label column`},
	} {
		got, err := read(test.text, test.dialect)
		if err == nil {
			t.Errorf("%q: no error but %v", test.text, got.data)
		} else if !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: the error is\n  %v, want\n  %s", test.text, err, test.want)
		}
	}
}

// Reading in small pieces gives the same, and an error of the reader comes
// through, with the name of the file, wherever it happens.
func TestReadTablePieces(t *testing.T) {
	text := "\ufeffa,b\r\n" + strings.Repeat("1,2.5\r\n", 20000)
	got, err := readTable(iotest.OneByteReader(strings.NewReader(text)), "f.csv", dialect{})
	if err != nil || got.rows != 20000 || got.data[39999] != 2.5 {
		t.Errorf("one byte at a time: %v", err)
	}
	broken := errors.New("disk on fire")
	for _, n := range []int{0, 1, 2, 3, 6, 10, 100000} {
		r := strings.NewReader(text[:n])
		_, err := readTable(io.MultiReader(r, iotest.ErrReader(broken)), "f.csv", dialect{})
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "f.csv: ") {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

// Names come from anywhere and go to a terminal.
func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		" a  b ": "a b", "a\nb": "a b", "\x1b[31mred": "?[31mred", "Länge in µm": "Länge in µm", "\xff": "?",
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzReadTable(f *testing.F) {
	for _, s := range []string{"1,2\n3,4\n", "a;b\n1;2\n", "\ufeff\"a\"\t b\n1\t2\n\n", "1 2 \n 3 4", ",,\n", "1,\"x\ny\"\n\n2,3"} {
		for i := range 4 {
			f.Add(s, i)
		}
	}
	f.Fuzz(func(t *testing.T, text string, kind int) {
		kinds := []dialect{{}, {label: "1"}, {delimiter: ' ', header: headerYes}, {label: "b"}}
		got, err := read(text, kinds[(kind%4+4)%4])
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.csv:") {
				t.Fatalf("error without the name of the file: %v", err)
			}
			return
		}
		if got.rows < 1 || len(got.names) < 1 || got.rows*len(got.names) != len(got.data) {
			t.Fatalf("%d rows, %d columns, %d values", got.rows, len(got.names), len(got.data))
		}
		// What was read can be written and read again.
		var b strings.Builder
		for i, v := range got.data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("value %d is %v", i, v)
			}
			end := ","
			if (i+1)%len(got.names) == 0 {
				end = "\n"
			}
			fmt.Fprint(&b, v, end)
		}
		again, err := read(b.String(), dialect{header: headerNo})
		if err != nil || !slices.Equal(again.data, got.data) {
			t.Fatalf("%q, then %q: %v", text, b.String(), err)
		}
	})
}
