package rows

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/table"
	"softkmeans/internal/tables"
)

// The columns of an array have the same roles as those of text, given by number.
func TestArrayColumns(t *testing.T) {
	const rows = 9000
	var values, want []float64
	for i := range rows {
		v := float64(i)
		values = append(values, v, math.NaN(), float64(i%3)-1, v/2, -v)
		want = append(want, -v, v)
	}
	content := npyFile(t, rows, 5, values)
	d := table.Dialect{Label: "3", Weights: "4", Drop: []string{"2"}, Pick: func(names []string) []string {
		if names != nil {
			t.Errorf("an array has the names %q", names)
		}
		return []string{"c5", "c1"}
	}}
	got, err := ReadAll(bytes.NewReader(content), "a.npy", d)
	if err != nil || !slices.Equal(got.Data, want) || !slices.Equal(got.Names, []string{"c5", "c1"}) ||
		got.Rows != rows {
		t.Fatal(err)
	}
	if got.LabelColumn != 3 || got.LabelName != "c3" || !slices.Equal(got.Classes,
		[]string{"-1", "0", "1"}) || got.WeightsColumn != 4 || got.WeightsName != "c4" {
		t.Errorf("%+v, classes %q", got.Head, got.Classes)
	}
	for i := range rows {
		if got.Class[i] != i%3 || got.Weights[i] != float64(i)/2 {
			t.Fatalf("row %d: class %d, weight %v", i, got.Class[i], got.Weights[i])
		}
	}
	d.Weights = ""
	path := write(t, "a.npy", content)
	for _, block := range []int{0, 1, 1000, 20000} {
		f := tables.Must(Open(path, Options{Dialect: d, BlockRows: block}))(t)
		row, data := 0, allOf(t, f)
		for b, err := range f.TextBlocks(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			for _, class := range b.Class {
				if b.Classes[class] != got.Classes[row%3] {
					t.Fatalf("blocks of %d rows: row %d has class %d of %q", block, row, class, b.Classes)
				}
				row++
			}
		}
		if row != rows {
			t.Errorf("blocks of %d rows: %d classes", block, row)
		}
		if !slices.Equal(data, want) || f.LabelColumn != 3 {
			t.Errorf("blocks of %d rows: %d values, want %d", block, len(data), len(want))
		}
	}
	d.Weights, d.Missing = "4", true
	for _, weight := range []float64{-1, math.NaN()} {
		values[8999*5+3] = weight
		if _, err := ReadAll(bytes.NewReader(npyFile(t, rows, 5, values)), "a.npy", d); err == nil ||
			err.Error() != fmt.Sprintf("a.npy: row 9000, column 4: the weight %v is not at least 0", weight) {
			t.Error(err)
		}
	}
}

func TestReadClasses(t *testing.T) {
	one, two := npyFile(t, 3, 1, []float64{2, 0, 2}), npyFile(t, 2, 2, []float64{1, 2.5, 3, 4})
	for _, test := range []struct {
		content []byte
		column  string
		want    string // an error, or the values
	}{
		{one, "", "2 0 2"},
		{two, "2", "2.5 4"},
		{packed(t, one), "1", "2 0 2"},
		{npyFile(t, 2, 2, []float64{math.NaN(), 2.5, 3, 4}), "2", "2.5 4"},
		{npyFile(t, 2, 2, []float64{1, 2.5, math.Inf(1), 4}), "1",
			"F: row 2, column 1: +Inf is not a finite number"},
		{packed(t, []byte("label,x\na,1\nb,2\n")), "", "a b"},
		{[]byte("a\nb\n"), "1", "a b"},
		{two, "", "F: 2 columns: which one contains the classes or labels?"},
		{two, "3", "F: there is no column 3, only 2"},
		{two, "label", "F: the columns of a .npy file have no names"},
		{one[:len(one)-1], "", "F: the file is cut"},
		{packed(t, []byte("label,x\na,1\nb,2\n"))[:20], "", "F:2: the gzip file is cut"},
	} {
		got, err := ReadClasses(bytes.NewReader(test.content), "F", table.Dialect{}, test.column)
		if err != nil {
			if !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%.20q, %q: %v, want %s", test.content, test.column, err, test.want)
			}
			continue
		}
		var values []string
		for _, n := range got.Class {
			values = append(values, got.Classes[n])
		}
		if joined := strings.Join(values, " "); joined != test.want {
			t.Errorf("%.20q, %q: %q, want %q", test.content, test.column, joined, test.want)
		}
	}
}
