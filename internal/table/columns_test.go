package table

import (
	"slices"
	"testing"
)

func TestWeights(t *testing.T) {
	for _, workers := range []int{1, 3} {
		for text, d := range map[string]Dialect{
			"a, w ,b\n1,2,3\n4,0,6\n7,1e-3,9\n": {Weights: "w"},
			"1;\"2\";3\n4;-0;6\n7;.001;9\n":     {Weights: "2"},
		} {
			d.Workers = workers
			got, err := read(text, d)
			if err != nil {
				t.Errorf("%q: %v", text, err)
				continue
			}
			name := "c2"
			if got.Header {
				name = "w"
			}
			if got.WeightsColumn != 2 || got.WeightsName != name || !slices.Equal(got.Weights,
				[]float64{2, 0, .001}) || !slices.Equal(got.Data, []float64{1, 3, 4, 6, 7, 9}) {
				t.Errorf("%q: %+v", text, got)
			}
		}
	}
	if got, err := read("1,2\n", Dialect{}); err != nil || got.Weights != nil ||
		got.WeightsColumn != 0 || got.WeightsName != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Pick is called once with all names. Changing its argument changes nothing else.
func TestPick(t *testing.T) {
	for text, want := range map[string][]string{"a,w,b,k\n1,1,2,x\n": {"a", "w", "b", "k"},
		"1,1,2,x\n": nil} {
		calls := 0
		d := Dialect{Weights: "2", Label: "4", Pick: func(names []string) []string {
			if calls++; !slices.Equal(names, want) || (names == nil) != (want == nil) {
				t.Errorf("%q: %q, want %q", text, names, want)
			}
			for j := range names {
				names[j] = "z"
			}
			return nil
		}}
		got, err := read(text, d)
		if err != nil || calls != 1 || !slices.Equal(got.Data, []float64{1, 2}) ||
			slices.Contains(append(got.Names, got.LabelName, got.WeightsName), "z") {
			t.Errorf("%q: %d calls, %+v, %v", text, calls, got, err)
		}
	}
}

// A column is found by its name as it is printed or as it is in the text.
func TestPrintedName(t *testing.T) {
	for _, name := range []string{"a b", " a  b", "a\tb"} {
		got, err := read("x, a \u00a0 b,c\n1,2,3\n", Dialect{Label: name})
		if err != nil || got.LabelColumn != 2 || got.LabelName != "a b" {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
	if got, err := read("x,gr\xf6\xdfe,c\n1,2,3\n", Dialect{Drop: []string{"größe"}}); err != nil ||
		!slices.Equal(got.Data, []float64{1, 3}) {
		t.Errorf("%+v, %v", got, err)
	}
	want := `f.csv:1:2: a second column named "a b"; give -label its number`
	if _, err := read("a b,a  b\n1,2\n", Dialect{Label: "a b"}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Columns of one name are picked together, in their order.
func TestPickSameNames(t *testing.T) {
	for text, want := range map[string][]float64{"b,a,b,c\n1,2,3,4\n": {2, 1, 3},
		"b,b,x,a\n1,2,x,4\n": {4, 1, 2}} {
		got, err := read(text, Dialect{Pick: func([]string) []string { return []string{"a", "b", "b"} },
			Header: Yes})
		if err != nil || !slices.Equal(got.Data, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}
