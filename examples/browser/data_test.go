package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// opened is a session with one of our sets.
func opened(t *testing.T, name string) *session {
	t.Helper()
	s := &session{}
	from := &source{name: name + ".csv", text: read(t, name+".csv"), labels: read(t, name+".labels.csv"), set: findSet(name)}
	if _, err := s.open(from, options{label: "auto"}); err != nil {
		t.Fatal(err)
	}
	return s
}

// The sets are those of testdata, and their sources those that its README tells.
func TestSets(t *testing.T) {
	readme := string(read(t, "README.md"))
	for _, set := range sets {
		s := opened(t, set.name)
		d := s.data
		if d.x.Cols != len(set.columns) || len(d.Class) != d.x.Rows || d.clusters(0) != set.k || len(set.classes) != set.k {
			t.Errorf("%s: %d columns, %d labels, k = %d", set.name, d.x.Cols, len(d.Class), d.clusters(0))
		}
		if (d.scaling != nil) != set.standardize || set.why == "" {
			t.Errorf("%s: standardized: %v, because %q", set.name, d.scaling != nil, set.why)
		}
		author, _, _ := strings.Cut(strings.SplitN(set.source, ": ", 2)[1], ", doi ")
		_, doi, _ := strings.Cut(set.source, "doi ")
		doi, _, _ = strings.Cut(doi, ",")
		if !strings.Contains(readme, author) || !strings.Contains(readme, doi) || !strings.Contains(set.source, "CC BY 4.0") {
			t.Errorf("%s: testdata/README.md has neither %q nor %q, or the licence is missing", set.name, author, doi)
		}
	}
}

// The shares that the reasons for or against standardizing name.
func TestReasons(t *testing.T) {
	if testing.Short() {
		t.Skip("fits ten clusters")
	}
	for name, want := range map[string]string{"wine": "68", "digits": "60"} {
		s := opened(t, name)
		parts, err := s.fit(t.Context(), options{slack: .25, label: "auto", standardize: !findSet(name).standardize}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := accuracyOf(t, parts); got != want {
			t.Errorf("%s: an accuracy of %s %%", name, got)
		}
	}
}

// accuracyOf is the accuracy of a fit in percent, without decimals.
func accuracyOf(t *testing.T, parts []part) string {
	t.Helper()
	return strings.SplitN(valueOf(t, parts, "accuracy"), ".", 2)[0]
}

func valueOf(t *testing.T, parts []part, name string) string {
	t.Helper()
	for _, p := range parts {
		if p.name == name {
			return p.value
		}
	}
	t.Fatalf("there is no %s among %d parts", name, len(parts))
	return ""
}

func TestLabelGuess(t *testing.T) {
	for _, c := range []struct {
		text, label string
		column      int // of the label; 0: none
		guessed     bool
		err         string
	}{
		{"a,b,kind\n1,2,x\n3,4,y\n", "auto", 3, true, ""},
		{"a,b\n1,2\n3,4\n", "auto", 0, false, ""},
		{"a,b\n1,2\n3,y\n", "auto", 0, false, `t.csv, line 3, column 2: "y" in column "b" is not a number`}, // 2 is no word
		{"x,y\na,b\nc,d\n", "auto", 0, false, "t.csv, line 2, column 1: "},                                  // two columns of words
		{"a,b,kind\n1,2,x\n3,4,y\n", "", 0, false, "the label column 3"},
		{"a,b,kind\n1,2,x\n3,4,y\n", "3", 3, false, ""},
		{"a,b,kind\n1,2,7\n3,4,8\n", "3", 3, false, ""},
		{"a,b,kind\n1,2,7\n3,4,8\n", "4", 0, false, "t.csv, line 1: there is no column 4"},
		{"", "auto", 0, false, "t.csv: there are no rows"},
	} {
		s := &source{name: "t.csv", text: []byte(c.text)}
		table, guessed, err := s.read(c.label)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q, label %q: the error is %v, not %q", c.text, c.label, err, c.err)
			}
		case err != nil:
			t.Errorf("%q, label %q: %v", c.text, c.label, err)
		case table.LabelColumn != c.column || guessed != c.guessed:
			t.Errorf("%q, label %q: the label is column %d, guessed: %v", c.text, c.label, table.LabelColumn, guessed)
		case len(columns(table)) != strings.Count(strings.SplitN(c.text, "\n", 2)[0], ",")+1:
			t.Errorf("%q: the columns are %q", c.text, columns(table))
		}
	}
}
