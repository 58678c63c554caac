package rows

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/sparse"
	"softkmeans/internal/table"
	"softkmeans/internal/tables"
)

const (
	marketText = "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 2\n3 1 7\n1 3 4\n2 2 5\n3 3 -1\n"
	svmText    = "2 1:2 3:4\n1 2:5\n2 1:7 3:-1\n"
	arrayText  = "%%MatrixMarket matrix array real general\n3 3\n2 0 7\n0 5 0\n4 0 -1\n"
)

// A sparse file is a table with its zeros: at once, in blocks, from a pipe and in gzip.
func TestSparse(t *testing.T) {
	t.Parallel()
	want := []float64{2, 0, 4, 0, 5, 0, 7, 0, -1}
	for name, text := range map[string]string{"MatrixMarket": marketText,
		"svmlight": svmText, "an array": arrayText} {
		for kind, content := range map[string][]byte{"plain": []byte(text), "gzip": packed(t, []byte(text))} {
			path := write(t, "f", content)
			for what, in := range map[string]io.Reader{"a file": openFile(t, path),
				"a pipe": io.MultiReader(bytes.NewReader(content))} {
				got, err := ReadAll(in, path, table.Dialect{Guess: true})
				if err != nil || got.Rows != 3 || !slices.Equal(got.Data, want) ||
					strings.Join(got.Names, " ") != "c1 c2 c3" || got.Missing != nil {
					t.Fatalf("%s of %s, %s: %v, %+v", what, name, kind, err, got)
				}
				if classed := name == "svmlight"; classed != (got.Class != nil) || classed &&
					(!slices.Equal(got.Class, []int{0, 1, 0}) ||
						!slices.Equal(got.Classes, []string{"2", "1"}) || got.LabelColumn != 1 ||
						got.Label(1) != "1" || len(got.Notes) != 1) {
					t.Errorf("%s: %+v", name, got)
				}
			}
			_, few, err := Read(bytes.NewReader(content), path, table.Dialect{Guess: true})
			if err != nil || (few == nil) != (name == "an array") || few != nil && len(few.X.Data) != 5 {
				t.Errorf("%s, %s: %v, %+v", name, kind, err, few)
			}
			if in := openFile(t, path); !IsSparse(in, table.Dialect{}) ||
				IsSparse(in, table.Dialect{Delimiter: ' '}) != (name != "svmlight") {
				t.Errorf("%s, %s: sparse %v", name, kind, IsSparse(in, table.Dialect{}))
			}
			for blockRows := range 4 {
				f, err := Open(path, Options{BlockRows: blockRows})
				if err != nil || f.Compressed != (kind == "gzip") {
					t.Fatal(err)
				}
				for range 2 {
					var data []float64
					var labels []string
					for b, err := range f.TextBlocks(t.Context()) {
						if err != nil || blockRows > 0 && b.X.Rows > blockRows {
							t.Fatal(err, b.X.Rows)
						}
						data = append(data, b.X.Data...)
						for _, class := range b.Class {
							labels = append(labels, b.Classes[class])
						}
					}
					if !slices.Equal(data, want) || name == "svmlight" &&
						!slices.Equal(labels, []string{"2", "1", "2"}) {
						t.Errorf("%s, %s, blocks of %d: %v, %q", name, kind, blockRows, data, labels)
					}
				}
			}
		}
	}
	if IsSparse(openFile(t, write(t, "f", []byte("1,2\n3,4\n"))), table.Dialect{}) ||
		IsSparse(strings.NewReader(marketText), table.Dialect{}) {
		t.Error("a CSV file and a pipe are sparse files")
	}
}

// Columns are chosen by their numbers, as those of .npy files are.
func TestSparseColumns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		text    string
		dialect table.Dialect
		columns string
		data    []float64
		weights []float64
		labels  string
	}{
		{"drop", marketText, table.Dialect{Drop: []string{"2-3"}}, "c1", []float64{2, 0, 7}, nil, ""},
		{"weights", marketText, table.Dialect{Weights: "2"}, "c1 c3",
			[]float64{2, 4, 0, 0, 7, -1}, []float64{0, 5, 0}, ""},
		{"label", marketText, table.Dialect{Label: "3"}, "c1 c2", []float64{2, 0, 0, 5, 7, 0}, nil, "4 0 -1"},
		{"label beside a label", svmText, table.Dialect{Label: "3"}, "c1 c2",
			[]float64{2, 0, 0, 5, 7, 0}, nil, "4 0 -1"},
		{"drop beside a label", svmText, table.Dialect{Drop: []string{"1"}}, "c2 c3",
			[]float64{0, 4, 5, 0, 0, -1}, nil, "2 1 2"},
		{"pick", svmText, table.Dialect{Pick: func([]string) []string { return []string{"c3", "c1"} }},
			"c3 c1", []float64{4, 2, 0, 0, -1, 7}, nil, "2 1 2"},
		{"names", marketText, table.Dialect{Names: []string{"x", "y", "z"}, Drop: []string{"y"}}, "x z",
			[]float64{2, 4, 0, 0, 7, -1}, nil, ""},
		{"least", "1 1:3\n", table.Dialect{Least: 2}, "c1 c2", []float64{3, 0}, nil, "1"},
		{"no ids", marketText, table.Dialect{ID: table.NoID}, "c1 c2 c3",
			[]float64{2, 0, 4, 0, 5, 0, 7, 0, -1}, nil, ""},
	} {
		got, err := ReadAll(strings.NewReader(test.text), "F", test.dialect)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var labels []string
		for i := range got.Class {
			labels = append(labels, got.Label(i))
		}
		if strings.Join(got.Names, " ") != test.columns || !slices.Equal(got.Data, test.data) ||
			!slices.Equal(got.Weights, test.weights) ||
			strings.Join(labels, " ") != test.labels {
			t.Errorf("%s: %+v, %q", test.name, got, labels)
		}
	}
}

func TestSparseErrors(t *testing.T) {
	t.Parallel()
	wide := "%%MatrixMarket matrix coordinate real general\n1000000 1000 1\n1 1 1\n"
	for _, test := range []struct {
		text    string
		dialect table.Dialect
		want    string
	}{
		{wide, table.Dialect{},
			"F: 1000000 rows of 1000 columns take 8 GB with all their zeros, more than 1"},
		{marketText, table.Dialect{ID: "1"}, "F: a sparse file has numbers alone"},
		{marketText, table.Dialect{Keep: []string{"1"}}, "F: a sparse file has numbers alone"},
		{marketText, table.Dialect{Drop: []string{"x"}},
			`F: the columns of a sparse file have no names, only numbers from 1 ("x")`},
		{marketText, table.Dialect{Weights: "4"}, "F: there is no column 4"},
		{marketText, table.Dialect{Weights: "3"}, "F: row 3, column 3: the weight -1 is not at least 0"},
		{marketText, table.Dialect{Names: []string{"a"}}, "F: 1 name in "},
		{marketText[:len(marketText)-7], table.Dialect{}, "F: the file is cut: 1 of 5 entries are missing"},
		{svmText + "3 2:x\n", table.Dialect{}, `F:4:2: "x" is not a number`},
	} {
		_, err := ReadAll(strings.NewReader(test.text), "F", test.dialect)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%.20q, %+v: %v, want %s", test.text, test.dialect, err, test.want)
		}
	}
	f := write(t, "f", packed(t, []byte(svmText))[:30])
	if _, err := Open(f, Options{}); err == nil || !strings.Contains(err.Error(), "the gzip file is cut") {
		t.Errorf("a gzip file that is cut: %v", err)
	}
	f = write(t, "g", []byte(marketText))
	opened := tables.Must(Open(f, Options{}))(t)
	tables.OK(t, os.WriteFile(f, []byte(svmText), 0o666))
	var err error
	for _, err = range opened.Blocks(t.Context()) {
	}
	if err == nil || !strings.Contains(err.Error(), "another size") {
		t.Errorf("a file that changed: %v", err)
	}
}

func TestSparseClasses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, column, want string }{
		{svmText, "", "label: 2 1 2"},
		{svmText, "1", "c1: 2 0 7"},
		{marketText, "3", "c3: 4 0 -1"},
		{"%%MatrixMarket matrix array real general\n2 1\n4 5\n", "", "c1: 4 5"},
		{marketText, "", "F: 3 columns: which one contains the classes or labels? Give its number from 1"},
		{marketText, "4", "F: there is no column 4, only 3"},
		{marketText, "x", `F: the columns of a sparse file have no names, only numbers from 1 ("x")`},
		{"%%MatrixMarket matrix\n", "", "F:1: the first line must"},
	} {
		got, err := ReadClasses(strings.NewReader(test.text), "F", table.Dialect{}, test.column)
		if err != nil {
			if !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%v, want %s", err, test.want)
			}
			continue
		}
		text := got.Name + ":"
		for _, class := range got.Class {
			text += " " + got.Classes[class]
		}
		if text != test.want {
			t.Errorf("%s, want %s", text, test.want)
		}
	}
}

// A CSV file with settings of its own is not taken for svmlight, whatever it looks like.
func TestSparseOrText(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 20 {
		fmt.Fprintf(&text, "%d.5 1%d:30\n", i, i%10)
	}
	for name, d := range map[string]table.Dialect{"-delimiter": {Delimiter: ' '}, "-decimal": {Decimal: ','},
		"-encode": {Text: table.TextDrop},
		"-keep":   {Keep: []string{"2"}}, "-header": {Header: table.No}, "-id": {ID: "2"}} {
		if c, err := sniff(strings.NewReader(text.String()), "F", &d); err != nil || c.sparse != sparse.None {
			t.Errorf("%s: %v, %+v", name, err, c)
		}
	}
	got, err := ReadAll(strings.NewReader(text.String()), "F",
		table.Dialect{Delimiter: ' ', Drop: []string{"2"}})
	if err != nil || got.Rows != 20 || len(got.Names) != 1 || got.Data[3] != 3.5 {
		t.Errorf("%v, %+v", err, got)
	}
}
