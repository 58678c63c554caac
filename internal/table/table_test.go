package table

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func init() { debug.SetGCPercent(400) } // the tests make much garbage of little memory

func read(text string, d Dialect) (*Table, error) {
	return Read(strings.NewReader(text), "f.csv", d)
}

func pick(names ...string) func([]string) []string {
	return func([]string) []string { return append([]string{}, names...) }
}

var readTests = []struct {
	name, text string
	dialect    Dialect
	names      string // separated by spaces
	data       []float64
}{
	{"plain", "1,2\n3,4\n", Dialect{}, "c1 c2", []float64{1, 2, 3, 4}},
	{"no newline at the end", "1,2\n3,4", Dialect{}, "c1 c2", []float64{1, 2, 3, 4}},
	{"one value", "7", Dialect{}, "c1", []float64{7}},
	{"one column", "1\n2\n3\n", Dialect{}, "c1", []float64{1, 2, 3}},
	{"CRLF", "a,b\r\n1,2\r\n3,4\r\n\r\n", Dialect{}, "a b", []float64{1, 2, 3, 4}},
	{"byte order mark", "\ufeffa,b\n1,2\n", Dialect{}, "a b", []float64{1, 2}},
	{"byte order mark before a number", "\ufeff1,2\n", Dialect{}, "c1 c2", []float64{1, 2}},
	{"blank lines around", "\n  \na,b\n\n1,2\n3,4\n\n   \n\n", Dialect{}, "a b", []float64{1, 2, 3, 4}},
	{"spaces", " 1 ,  2\t\n3 , 4 \n", Dialect{Delimiter: ','}, "c1 c2", []float64{1, 2, 3, 4}},
	{"quotes", "\"a,x\",\"b\"\"\"\n\"1\", \"2\"\n", Dialect{}, `a,x b"`, []float64{1, 2}},
	{"number formats", "-1.5e-3,+2,.5,4.,1E2,-0\n", Dialect{}, "c1 c2 c3 c4 c5 c6",
		[]float64{-1.5e-3, 2, .5, 4, 100, math.Copysign(0, -1)}},
	{"underflow is 0", "1e-999\n", Dialect{}, "c1", []float64{0}},

	{"semicolons", "a;b\n1;2\n", Dialect{}, "a b", []float64{1, 2}},
	{"semicolons before commas", "a,x;b\n1;2\n", Dialect{}, "a,x b", []float64{1, 2}},
	{"tabs", "a\tb\n1\t2\n", Dialect{}, "a b", []float64{1, 2}},
	{"tabs before others", "a;1\tb,2\n1\t2\n", Dialect{}, "a;1 b,2", []float64{1, 2}},
	{"quoted characters delimit nothing", "\"a;\tx\",b\n1,2\n", Dialect{}, "a; x b", []float64{1, 2}},
	{"delimiter by the first line that is not blank", "\n\n1;2\n", Dialect{}, "c1 c2", []float64{1, 2}},
	{"bar", "1|2\n", Dialect{Delimiter: '|'}, "c1 c2", []float64{1, 2}},
	{"any number of spaces", "  1   2 \n3 4\n5 6", Dialect{Delimiter: ' '},
		"c1 c2", []float64{1, 2, 3, 4, 5, 6}},

	{"header without a name for the first column", ",a\n1,2\n", Dialect{}, "c1 a", []float64{1, 2}},
	{"header of numbers", "2020,2021\n1,2\n", Dialect{Header: Yes}, "2020 2021", []float64{1, 2}},
	{"numbers are no header", "2020,2021\n1,2\n", Dialect{}, "c1 c2", []float64{2020, 2021, 1, 2}},
	{"what only Go takes for numbers", "2024_01,0x1p4\n1,2\n", Dialect{}, "2024_01 0x1p4", []float64{1, 2}},
	{"mixed header if told", "a,2021\n1,2\n", Dialect{Header: Yes}, "a 2021", []float64{1, 2}},

	{"label by number", "1,x,2\n3,y,4\n", Dialect{Label: "2"}, "c1 c3", []float64{1, 2, 3, 4}},
	{"label by number, with header", "a,b,c\n1,x,2\n", Dialect{Label: "2"}, "a c", []float64{1, 2}},
	{"label by name", "a, kind ,c\n1,x,2\n", Dialect{Label: "kind"}, "a c", []float64{1, 2}},
	{"a named label makes a header", "2020,kind\n1,x\n", Dialect{Label: "kind"}, "2020", []float64{1}},
	{"weights", "a,w,b\n1,.5,2\n3, 0 ,4\n", Dialect{Weights: "w"}, "a b", []float64{1, 2, 3, 4}},
	{"left out", "a,b,c,d\n1,,2,x\n3,\"u\nv\",4,\n", Dialect{Drop: []string{"b", "4"}},
		"a c", []float64{1, 2, 3, 4}},
	{"left out, twice", "1,x\n3,y\n", Dialect{Drop: []string{"2", "2"}}, "c1", []float64{1, 3}},
	{"left out, words in line 1", "5,setosa\n6,virginica\n",
		Dialect{Drop: []string{"2"}}, "c1", []float64{5, 6}},
	{"picked", "a,b,c\n1,x,2\n3,,4\n", Dialect{Pick: pick("c", "a")}, "c a", []float64{2, 1, 4, 3}},
	{"picked by position", "1,2,3\n4,5,x\n", Dialect{Pick: pick("c2", "c1")}, "c2 c1", []float64{2, 1, 5, 4}},
	{"picked beside others", "w,a,k,b,d\n1,2,x,3,y\n",
		Dialect{Pick: pick("b", "a"), Weights: "w", Label: "k", Drop: []string{"d"}}, "b a", []float64{3, 2}},
	{"nothing is picked", "a,b\n1,2\n", Dialect{Pick: func([]string) []string { return nil }}, "a b",
		[]float64{1, 2}},
	{"one of two of a name", "a,b,a\n1,2,3\n", Dialect{Drop: []string{"3"}}, "a b", []float64{1, 2}},
	{"a label may be empty or span lines", "1,\"x\ny\"\n2,\n3,z\n",
		Dialect{Label: "2"}, "c1", []float64{1, 2, 3}},
}

func TestRead(t *testing.T) {
	for _, test := range readTests {
		got, err := read(test.text, test.dialect)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if names := strings.Join(got.Names, " "); names != test.names {
			t.Errorf("%s: names are %q, want %q", test.name, names, test.names)
		}
		if !slices.EqualFunc(got.Data, test.data,
			func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Errorf("%s: data is %v, want %v", test.name, got.Data, test.data)
		}
		if got.Rows*len(got.Names) != len(got.Data) {
			t.Errorf("%s: %d rows × %d names, %d values", test.name, got.Rows, len(got.Names), len(got.Data))
		}
	}
}

var readErrors = []struct {
	text    string
	dialect Dialect
	want    string // how the message begins
}{
	{"1,2\n3,4\n5,abc\n", Dialect{}, `f.csv:3:2: "abc" is not a number`},
	{"a,b\r\n1,2\r\nabc,4\r\n", Dialect{}, `f.csv:3:1: "abc" in column "a" is not a number`},
	{"\n\n1,2\n3,x\n", Dialect{}, `f.csv:4:2: "x" is not a number`},
	{"1,2\n3,\n", Dialect{}, `f.csv:2:2: missing value`},
	{"1,2\n  ,4\n", Dialect{}, `f.csv:2:1: missing value`},
	{"1\t2\t3\n1\t\t3\n", Dialect{}, `f.csv:2:2: missing value`},
	{",\n", Dialect{}, `f.csv:1:1: missing value`},
	{"1,2\n3,NaN\n", Dialect{}, `f.csv:2:2: missing value "NaN"`},
	{"a,\x1b b\n3,\n", Dialect{}, `f.csv:2:2: missing value in column "? b": the field is empty`},
	{"a,b\n3, N/A \n", Dialect{}, `f.csv:2:2: missing value "N/A" in column "b"`},
	{"a,b\n3,-\n", Dialect{}, `f.csv:2:2: missing value "-" in column "b"`},
	{"1,2\n3,NULL\n", Dialect{}, `f.csv:2:2: missing value "NULL"`},
	{"1,2\n3,nano\n", Dialect{}, `f.csv:2:2: "nano" is not a number`},
	{"NA,NA\n1,2\n", Dialect{}, `f.csv:1:1: missing value "NA"`},
	{"?,setosa\n1,virginica\n", Dialect{},
		`f.csv:1:1: missing value "?"`},
	{"1,2\n-Inf,4\n", Dialect{}, `f.csv:2:1: "-Inf" is not a finite number`},
	{"1\n1_000\n", Dialect{}, `f.csv:2:1: "1_000" is not a number`},
	{"1\n2024_01\n", Dialect{}, `f.csv:2:1: "2024_01" is not a number`},
	{"1\n0x1p4\n", Dialect{}, `f.csv:2:1: "0x1p4" is not a number`},
	{"1\n\"0X1P4\"\n", Dialect{}, `f.csv:2:1: "0X1P4" is not a number`},
	{"1,2024_01\n", Dialect{}, `f.csv:1:2: "2024_01" is not a number`},
	{"nan,nan\n1,2\n", Dialect{}, `f.csv:1:1: missing value "nan"`},
	{"1,2\n3,-1e400\n", Dialect{}, `f.csv:2:2: "-1e400" is not a finite number`},
	{"1;2\n3;4,5\n", Dialect{},
		`f.csv:2:2: "4,5" is not a number (the decimal sign is the point)`},
	{"1;2\n3;1,234.5\n", Dialect{}, `f.csv:2:2: "1,234.5" is not a number`},
	{"1;2\n3;1,234,567\n", Dialect{}, `f.csv:2:2: "1,234,567" is not a number`},
	{"1;2\n3;1.234,5\n", Dialect{Decimal: ','}, `f.csv:2:2: "1.234,5" is not a number (the decimal sign is ` +
		`the comma)`},
	{"1;2\n3;4.5\n", Dialect{Decimal: ','},
		`f.csv:2:2: "4.5" is not a number (the decimal sign is the comma)`},
	{"a;b\n3;n/a\n", Dialect{Decimal: ','}, `f.csv:2:2: missing value "n/a" in column "b"`},
	{"1\n2 3\n", Dialect{}, `f.csv:2:1: "2 3" is not a number (fields are split at ',')`},
	{"1\n" + strings.Repeat("é", 100), Dialect{},
		`f.csv:2:1: "` + strings.Repeat("é", 20) + "…" + strings.Repeat("é", 19) + `" is not a number`},
	{"1,2\n\"x\ny\",4\n", Dialect{}, `f.csv:2:1: "x\ny" is not a number`},
	{"1,\"x\ny\",z\n", Dialect{Label: "2"}, `f.csv:2:3: "z" is not a number`},

	{"1,2\n3\n", Dialect{}, `f.csv:2: 1 field found, 2 expected`},
	{"1,2\n3,4,5\n", Dialect{}, `f.csv:2: 3 fields found, 2 expected`},
	{"a,b,c\n3,4\n", Dialect{}, `f.csv:2: 2 fields found, 3 expected`},
	{"1,2\n\n3,4\n", Dialect{}, "f.csv:2: " + blankLine},
	{"1\n2\n \n\n3\n", Dialect{}, "f.csv:3: " + blankLine},
	{"1,\"x\ny\"\n\n2,z\n", Dialect{Label: "2"}, "f.csv:3: " + blankLine},

	// A first line with a number and a word is neither.
	{"a,b,kind\n1,2,x\n", Dialect{},
		`f.csv:2:3: "x" in column "kind" is not a number`},
	{"1,x\n3,4\n", Dialect{}, `f.csv:1:2: "x" is not a number`},
	{"5.1,setosa\n4.9,setosa\n", Dialect{}, `f.csv:1:2: "setosa" is not a number`},
	{"a,b\n3,4\n", Dialect{Header: No}, `f.csv:1:1: "a" is not a number`},
	{"a,b\nc,d\n", Dialect{}, `f.csv:2:1: "c" in column "a" is not a number`},

	{"1,\"x\"y\n", Dialect{}, `f.csv:1:2: a quoted field that does not end in a quote (")`},
	{"1,2\n3,\"4\"5\n", Dialect{}, `f.csv:2:2: a quoted field that does not end`},
	{"1,2\n3,\"4\n5,6\n", Dialect{}, `f.csv:2:2: a quoted field that does not end`},
	{"\x1f\x8b\x08\x00\x00\"\n\"", Dialect{}, `f.csv: this is a gzip file; unpack it first`},
	{"\x1f\x8b", Dialect{}, `f.csv: this is a gzip file; unpack it first`},
	{"PK\x03\x04\x14\x00\n", Dialect{}, `f.csv: this is a zip file, as .xlsx and .npz are; ` +
		`softkmeans-convert f.csv | softkmeans … - reads it`},
	{"PAR1\x15\x04", Dialect{},
		`f.csv: this is a Parquet file; softkmeans-convert f.csv | softkmeans … - reads it`},
	{"ARROW1\x00\x00", Dialect{},
		`f.csv: this is an Arrow file; softkmeans-convert f.csv | softkmeans … - reads it`},
	{"\xff\xff\xff\xff\x10", Dialect{},
		`f.csv: this is an Arrow stream; softkmeans-convert f.csv | softkmeans … - reads it`},
	{"MATLAB 5.0 MAT-file Platform", Dialect{},
		`f.csv: this is a MATLAB file; softkmeans-convert f.csv | softkmeans … - reads it`},
	{"\x89HDF\r\n\x1a\n\x00\x00", Dialect{}, `f.csv: this is an HDF5 file`},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Dialect{}, `f.csv: this is an OLE file, as old Excel (.xls)`},
	{"\x89PNG\r\n\x1a\n\x00\x00", Dialect{}, `f.csv: this is a binary file, not text`},
	{"", Dialect{}, `f.csv: there are no rows`},
	{"\n\n", Dialect{}, `f.csv: there are no rows`},
	{"\ufeff", Dialect{}, `f.csv: there are no rows`},
	{"a,b\n", Dialect{}, `f.csv: there are no rows`},
	{"1,2\n", Dialect{Header: Yes}, `f.csv: there are no rows`},

	{"1,2\n", Dialect{Label: "3"}, `f.csv:1: there is no column 3 for -label, only 2 columns`},
	{"a,b\n1,2\n", Dialect{Label: "c"}, `f.csv:1: no column is named "c"`},
	{"species,b\n1,2\n", Dialect{Label: "Specis"},
		`f.csv:1: no column is named "Specis", which -label asks for; did you mean "species"?`},
	{"species,b\n1,2\n", Dialect{Drop: []string{"kinds"}},
		`f.csv:1: no column is named "kinds", which -drop asks for`},
	{"a,b,a\n1,2,3\n", Dialect{Label: "a"}, `f.csv:1:3: a second column named "a"`},
	{"x\ny\n", Dialect{Label: "1"}, `f.csv: there is no column of data`},
	{"x,y,z\n", Dialect{Drop: []string{"2", "z"}, Label: "1"},
		`f.csv: there is no column of data`},
	{"a,w\n1,2\n", Dialect{Label: "2", Weights: "w"},
		`f.csv:1: column 2 is asked for by -label and by -weights; it can be only one of them`},
	{"a,w\n1,2\n", Dialect{Weights: "w", Drop: []string{"a", "2"}},
		`f.csv:1: column 2 is asked for by -weights and by -drop`},
	{"a,w\n1,2\n", Dialect{Weights: "v"}, `f.csv:1: no column is named "v", which -weights asks for`},
	{"a,w\n1,2\n", Dialect{Drop: []string{"3"}}, `f.csv:1: there is no column 3 for -drop, only 2 columns`},
	{"a,b,a\n1,2,3\n", Dialect{Drop: []string{"a"}},
		`f.csv:1:3: a second column named "a"; give -drop its number`},
	{"a,w\n1,2\n3,-0.5\n", Dialect{Weights: "w"}, `f.csv:3:2: "-0.5" in column "w" is a weight below 0`},
	{"a,w\n1,-2\n", Dialect{Weights: "2"}, `f.csv:2:2: "-2" in column "w" is a weight below 0`},
	{"a,w\n1,inf\n", Dialect{Weights: "2"}, `f.csv:2:2: "inf" in column "w" is not a finite number`},
	{"a,w\n1,2\n1,\n", Dialect{Weights: "2"}, `f.csv:3:2: missing value in column "w"`},
	{"a,w\n1,x\n", Dialect{Weights: "2"}, `f.csv:2:2: "x" in column "w" is not a number`},

	{"a,b\n1,2\n", Dialect{Pick: pick("b", "c")}, `f.csv:1: there is no column "c"; there are "a", "b"`},
	{"a,b,a\n1,2,3\n", Dialect{Pick: pick("b", "a")},
		`f.csv:1: 2 columns are named "a", and 1 is asked for`},
	{"a,b\n1,2\n", Dialect{Pick: pick("b", "a", "b")},
		`f.csv:1: 1 column is named "b", and 2 are asked for`},
	{"a,b,a\n1,2,3\n", Dialect{Pick: pick("a", "b", "a", "a")},
		`f.csv:1: 2 columns are named "a", and 3 are asked for`},
	{"a,b,a\n1,2,3\n", Dialect{Pick: pick("a", "a"), Label: "3"},
		`f.csv:1: column "a" is one of the data, and is asked for by -label; it can be only one of them`},
	{"a,b\n1,2\n", Dialect{Pick: pick("b", "a"), Label: "a"},
		`f.csv:1: column "a" is one of the data, and is asked for by -label`},
	{"a,b\n1,2\n", Dialect{Pick: pick("b", "a"), Drop: []string{"2"}},
		`f.csv:1: column "b" is one of the data, and is asked for by -drop`},
	{"a,b\n1,2\n", Dialect{Pick: pick()}, `f.csv: none of the columns is to be data`},
	{"a,b\n1,x\n", Dialect{Pick: pick("b")}, `f.csv:2:2: "x" in column "b" is not a number`},
	{"1,2\n", Dialect{Pick: pick("a")}, `f.csv:1: there is no column "a"; there are "c1", "c2"`},
	{strings.Repeat("a,", 30) + "b\n", Dialect{Pick: pick("c")}, `f.csv:1: there is no column "c"; there ` +
		`are "a", "a", 29 others`},

	{"a,b\n1,2\r3,4\r5,6\n", Dialect{},
		`f.csv:2: 4 fields found, 2 expected as on the first line`},
	{"a\n1\r3\r", Dialect{}, `f.csv:2:1: "1\r3" in column "a" is not a number`},
}

func TestReadErrors(t *testing.T) {
	for _, test := range readErrors {
		got, err := read(test.text, test.dialect)
		if err == nil {
			t.Errorf("%q: no error but %v", test.text, got.Data)
		} else if !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: the error is\n  %v, want\n  %s", test.text, err, test.want)
		}
	}
}

// Reading a few bytes at a time gives the same table. An error of the reader comes
// through with the name of the file, wherever it happens.
func TestReadSlowly(t *testing.T) {
	text := "\ufeffa,b\r\n" + strings.Repeat("1,2.5\r\n", 20000)
	got, err := Read(iotest.OneByteReader(strings.NewReader(text)), "f.csv", Dialect{})
	if err != nil || got.Rows != 20000 || got.Data[39999] != 2.5 {
		t.Errorf("one byte at a time: %v", err)
	}
	broken := errors.New("disk on fire")
	for _, n := range []int{0, 1, 2, 3, 6, 10, 100000} {
		r := strings.NewReader(text[:n])
		_, err := Read(io.MultiReader(r, iotest.ErrReader(broken)), "f.csv", Dialect{})
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "f.csv: ") {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

// Names from any file are safe to print on a terminal.
func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		" a  b ": "a b", "a\nb": "a b", "\x1b[31mred": "?[31mred", "Länge in µm": "Länge in µm", "\xff": "?",
	} {
		if got := Printable(in); got != want {
			t.Errorf("Printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, s := range []string{"1,2\n3,4\n", "a;b\n1;2\n", "\ufeff\"a\"\t b\n1\t2\n\n", "1 2 \n 3 4",
		",,\n", "1,\"x\ny\"\n\n2,3"} {
		for i := range 4 {
			f.Add(s, i)
		}
	}
	f.Fuzz(func(t *testing.T, text string, kind int) {
		kinds := []Dialect{{}, {Label: "1"}, {Delimiter: ' ', Header: Yes}, {Label: "b"}}
		got, err := read(text, kinds[(kind%4+4)%4])
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.csv:") {
				t.Fatalf("error without the name of the file: %v", err)
			}
			return
		}
		if got.Rows < 1 || len(got.Names) < 1 || got.Rows*len(got.Names) != len(got.Data) {
			t.Fatalf("%d rows, %d columns, %d values", got.Rows, len(got.Names), len(got.Data))
		}
		// What was read can be written and read again.
		var b strings.Builder
		for i, v := range got.Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("value %d is %v", i, v)
			}
			end := ","
			if (i+1)%len(got.Names) == 0 {
				end = "\n"
			}
			fmt.Fprint(&b, v, end)
		}
		again, err := read(b.String(), Dialect{Header: No})
		if err != nil || !slices.Equal(again.Data, got.Data) {
			t.Fatalf("%q, then %q: %v", text, b.String(), err)
		}
	})
}

// A decimal comma is read like a point, with every option of the reader.
func TestDecimalComma(t *testing.T) {
	points := "weight;a;b;kind\n1;1.5;-2e3;x\n0.25; .5 ;1.25e-7;y,z\n2;\"3.75\";12345678901234567.5;x\n"
	commas := strings.Map(func(r rune) rune {
		if r == '.' {
			return ','
		}
		return r
	}, points)
	d := Dialect{Weights: "weight", Label: "kind"}
	for _, delimiter := range []string{";", "\t", "|"} {
		for _, workers := range []int{0, 3} {
			d.Workers, d.Delimiter = workers, rune(delimiter[0])
			want, err := Read(strings.NewReader(strings.ReplaceAll(points, ";", delimiter)), "f.csv", d)
			if err != nil {
				t.Fatal(err)
			}
			comma := d
			comma.Decimal = ','
			got, err := Read(strings.NewReader(strings.ReplaceAll(commas, ";", delimiter)), "f.csv", comma)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q, %d workers: %+v, %v; want %+v", delimiter, workers, got, err, want)
			}
		}
	}
	// One column, guessed; and fields in quotes between commas.
	for _, text := range []string{"1,5\n2,5\n", "\"1,5\",\"7\"\n\"2,5\",\"8,0\"\n", "1,5;7\n2,5;8,0\n"} {
		got, err := Read(strings.NewReader(text), "f.csv", Dialect{Decimal: ','})
		if err != nil || got.Rows != 2 || got.Data[0] != 1.5 ||
			got.Data[len(got.Names)] != 2.5 || got.Header {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
