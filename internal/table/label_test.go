package table

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/csv"
)

func TestLabels(t *testing.T) {
	for _, test := range []struct {
		text    string
		label   string
		column  int
		name    string
		class   []int
		classes []string
	}{
		{"1,x\n2,y\n3, x \n", "2", 2, "c2", []int{0, 1, 0}, []string{"x", "y"}},
		{"kind,a\n\"b, c\",1\n,2\nb,3\n,4\n", "kind", 1, "kind",
			[]int{0, 1, 2, 1}, []string{"b, c", "", "b"}},
		{"a,,b\n1,2,3\n1,1,3\n", "2", 2, "c2", []int{0, 1}, []string{"2", "1"}},
		{"1,2\n", "", 0, "", nil, nil},
	} {
		got, err := read(test.text, Dialect{Label: test.label})
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if got.LabelColumn != test.column || got.LabelName != test.name ||
			!slices.Equal(got.Class, test.class) || !slices.Equal(got.Classes, test.classes) {
			t.Errorf("%q: column %d %q, %v of %q", test.text, got.LabelColumn,
				got.LabelName, got.Class, got.Classes)
		}
		for i := range got.Rows {
			want := ""
			if test.class != nil {
				want = test.classes[test.class[i]]
			}
			if got.Label(i) != want {
				t.Errorf("%q: row %d is %q, want %q", test.text, i, got.Label(i), want)
			}
		}
	}
}

// An error has its line and column as numbers and in its text. An error without a
// place has neither.
func TestErrorPlace(t *testing.T) {
	for _, test := range []struct {
		text         string
		line, column int
		message      string
	}{
		{"1,2\n3,x\n", 2, 2, `"x" is not a number`},
		{"1,2\n\"3\n\",\"x", 2, 2, `a quoted field that does not end in a quote (")`},
		{"1,2\n3," + csv.Cut, 2, 2,
			"softkmeans-convert failed here, and the rest of its table is missing; its own error says why"},
		{"1,2\n3\n", 2, 0, "1 field found, 2 expected as on the first line"},
		{"\n", 0, 0, "there are no rows"},
	} {
		_, err := read(test.text, Dialect{})
		var e *Error
		if !errors.As(err, &e) || e.Source != "f.csv" || e.Line != test.line ||
			e.Column != test.column || e.Msg != test.message {
			t.Errorf("%q: %#v", test.text, err)
		}
	}
}

// Words replace the flags of the command line, for a page with other settings.
func TestWords(t *testing.T) {
	words := Words{Delimiter: "Delimiter", Header: "Header", Label: "Class column"}
	for text, want := range map[string]string{
		"1,x\n":         `f.csv:1:2: "x" is not a number`,
		"a,b\n1,x\n":    `f.csv:2:2: "x" in column "b" is not a number`,
		"7\n1 2\n":      `f.csv:2:1: "1 2" is not a number (fields are split at ',')`,
		"1,2\n3,x\n":    `f.csv:2:2: "x" is not a number`,
		"a|b\n1|2\n3|4": `f.csv:2:1: "1|2" in column "a|b" is not a number (fields are split at ',')`,
	} {
		if _, err := read(text, Dialect{Words: words}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// An error of the reader that has the source's name already is returned unchanged.
func TestReaderError(t *testing.T) {
	broken := errors.New("read f.csv: disk on fire")
	r, w := io.Pipe()
	go func() {
		io.Copy(w, strings.NewReader("1,2\n3,\"4"))
		w.CloseWithError(broken)
	}()
	if _, err := Read(r, "f.csv", Dialect{}); err != broken {
		t.Error(err)
	}
}
