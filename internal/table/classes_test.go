package table

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestReadClasses(t *testing.T) {
	for _, test := range []struct {
		text, column string
		header       Choice
		name         string
		values       string // of the rows, separated by blanks
	}{
		{"a\nb\n a \n", "", Auto, "c1", "a b a"},
		{"a\nb\na\n", "", Yes, "a", "b a"},
		{"label\nb\na", "", Auto, "label", "b a"},
		{"label\nb\na", "", No, "c1", "label b a"},
		{"Species\nb\na", "", Auto, "Species", "b a"},
		{"1\n0\n1\n", "", Auto, "c1", "1 0 1"},
		{"which\n0\n1\n", "", Auto, "which", "0 1"},
		{"which\n0\nb\n", "", Auto, "c1", "which 0 b"},
		{"which\n0\n1\n", "", No, "c1", "which 0 1"},
		{"NA\n0\n1\n", "", Auto, "c1", "NA 0 1"},
		{"which\n", "", Auto, "c1", "which"},
		{"label,m0,m1\n0,.5,.5\n1,,x\n", "", Auto, "label", "0 1"},
		{"m0,label,2020\n0,b c,.5\n1,\"x,\"\"y\",\n", "", Auto, "label", "b_c x,\"y"},
		{"a;kind2\n1;x\n2;y\n", "2", Auto, "kind2", "x y"},
		{"a,kind2\n1,x\n2,a\n2,kind2\n", "2", Auto, "kind2", "x a kind2"},
		{"a,kind2\nb,x\nc,y\n", "2", Auto, "c2", "kind2 x y"},
		{"a,kind2\nb,x\nc,y\n", "kind2", Auto, "kind2", "x y"},
		{"a,kind2\nb,x\nc,y\n", "kind2", No, "kind2", "x y"}, // as in all tables
		{"5,setosa\n6,virginica\n", "2", Auto, "c2", "setosa virginica"},
		{"?,setosa\n6,virginica\n", "2", Auto, "c2", "setosa virginica"},
		{"\ufeff\n a | b \n\n1| x\n2|y\n\n", "b", Auto, "b", "x y"},
		{",x\n1,y\n", "1", Yes, "c1", "1"},
	} {
		d := Dialect{Header: test.header}
		if strings.Contains(test.text, "|") {
			d.Delimiter = '|'
		}
		for d.chunk = range 12 {
			got, err := ReadClasses(strings.NewReader(test.text), "f.csv", d, test.column)
			if err != nil {
				t.Errorf("%q: %v", test.text, err)
				break
			}
			var values []string
			for _, n := range got.Class {
				values = append(values, strings.ReplaceAll(got.Classes[n], " ", "_"))
			}
			if joined := strings.Join(values, " "); got.Source != "f.csv" ||
				got.Name != test.name || joined != test.values {
				t.Errorf("%q: %s: %q, want %s: %q", test.text, got.Name, joined, test.name, test.values)
			}
			for n := range got.Classes { // in order of appearance, and all of them used
				if i := slices.Index(got.Class, n); i < 0 || n > 0 && i < slices.Index(got.Class, n-1) {
					t.Errorf("%q: %v of %q", test.text, got.Class, got.Classes)
				}
			}
		}
	}
}

func TestReadClassesErrors(t *testing.T) {
	for _, test := range []struct {
		text, column string
		header       Choice
		want         string
	}{
		{"", "", Auto, "f.csv: there are no rows"},
		{"label\n", "", Auto, "f.csv: there are no rows"},
		{"a,b\n1,2\n", "", Auto, `f.csv:1: 2 columns, none of which is named "label": which one ` +
			`contains the classes or labels? (-label takes its name or number)`},
		{"1,b\n1,2\n", "", Auto, `f.csv:1: 2 columns, none of which is named "label": which one ` +
			`contains the classes or labels? (-label takes its name or number)`},
		{"label,b\n1,2\n", "", No, `f.csv:1: 2 columns, none of which is named "label": which one ` +
			`contains the classes or labels? (-label takes its name or number)`},
		{"label,b,label\n1,2,3\n", "", Auto,
			`f.csv:1:3: a second column named "label"; give -label its number`},
		{"a,b\n1,2\n", "c", Auto, `f.csv:1: no column is named "c", which -label asks for`},
		{"a,b\n1,2\n", "3", Auto, `f.csv:1: there is no column 3 for -label, only 2 columns`},
		{"a,b\n1,x\n2, \n", "b", Auto,
			`f.csv:3:2: missing value: the field is empty, and a row without a class cannot be compared`},
		{"a,b\n1,x\n2\n", "b", Auto, `f.csv:3: 1 field found, 2 expected as on the first line`},
		{"a\n\nb\n", "", Auto, "f.csv:2: " + blankLine},
		{"a,b\n1,\"x\n2,y\n", "b", Auto, `f.csv:2:2: a quoted field that does not end in a quote (")`},
		{"\x1f\x8b\x08", "", Auto, `f.csv: this is a gzip file; unpack it first`},
	} {
		for _, chunk := range []int{0, 1, 5} {
			if got, err := ReadClasses(strings.NewReader(test.text), "f.csv", Dialect{Header: test.header,
				chunk: chunk}, test.column); err == nil || err.Error() != test.want {
				t.Errorf("%q: %v, %v, want %s", test.text, got, err, test.want)
			}
		}
	}
}

// The files of labels in testdata have as many classes as their sets.
func TestReadClassesTestdata(t *testing.T) {
	for name, classes := range map[string]int{"iris.labels": 3, "digits.labels": 10} {
		f, err := os.Open("../../testdata/" + name + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadClasses(f, name, Dialect{}, "")
		f.Close()
		if err != nil || len(got.Classes) != classes {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// The memory depends on the rows, not on their other columns.
func TestReadClassesMemory(t *testing.T) {
	const rows, repeats = 40000, 40
	text := strings.Repeat("x,"+strings.Repeat("0.25,", 100)+"y\n", rows/repeats)
	readers := 0
	left := strings.NewReader("")
	in := readerFunc(func(p []byte) (int, error) {
		if left.Len() == 0 && readers < repeats {
			readers++
			left.Reset(text)
		}
		return left.Read(p)
	})
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	got, err := ReadClasses(in, "f.csv", Dialect{}, "1")
	runtime.ReadMemStats(&to)
	if alloc := to.TotalAlloc - from.TotalAlloc; err != nil || len(got.Class) != rows || alloc > 10<<20 {
		t.Errorf("%v, %d MB were allocated for %d MB of text", err, alloc>>20, repeats*len(text)>>20)
	}
}

func FuzzReadClasses(f *testing.F) {
	for i, text := range []string{"a\nb\n", "label,x\n1,\n", "which\n0\n1\n0", "a;b\n1;\"x\n\"\n", "1,2\n\n",
		"\ufeffclass\n\xff", "NA b\n1 2"} {
		for _, column := range []string{"", "1", "2", "b"} {
			f.Add(text, column, i%3, i)
		}
	}
	f.Fuzz(func(t *testing.T, text, column string, header, chunk int) {
		d := Dialect{Header: Choice(min(max(header, 0), 2))}
		want, wantErr := ReadClasses(strings.NewReader(text), "f.csv", d, column)
		d.chunk = min(max(chunk, 1), 1000)
		got, err := ReadClasses(strings.NewReader(text), "f.csv", d, column)
		if fmt.Sprint(got, err) != fmt.Sprint(want, wantErr) {
			t.Fatalf("%v, %v in chunks of %d, %v, %v at once", got, err, d.chunk, want, wantErr)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.csv:") {
				t.Fatalf("error without the name of the file: %v", err)
			}
			return
		}
		for n, s := range got.Classes {
			if i := slices.Index(got.Class, n); s == "" || i < 0 ||
				n > 0 && i < slices.Index(got.Class, n-1) {
				t.Fatalf("%v of %q", got.Class, got.Classes)
			}
		}
		if len(got.Class) == 0 || slices.Max(got.Class) >= len(got.Classes) || got.Name == "" {
			t.Fatalf("%+v", got)
		}
	})
}
