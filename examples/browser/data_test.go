package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"softkmeans/examples/browser/sets"
	"softkmeans/internal/scale"
	"softkmeans/internal/tables"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	b := tables.Must(os.ReadFile(filepath.Join("..", "..", "testdata", name)))(t)
	return b
}

// fromText is a file of that text.
func fromText(name, text string) *source {
	return &source{name: name, size: len(text), open: func() io.Reader { return strings.NewReader(text) }}
}

// opened is a session with one of our sets.
func opened(t *testing.T, name string) *session {
	t.Helper()
	s := &session{}
	set := sets.Find(name)
	from := fromText(name+".csv", set.Table(read(t, name+".csv"), read(t, name+".labels.csv")))
	from.set = set
	tables.Must(s.open(t.Context(), from, options{scale: scale.Auto}, nil))(t)
	return s
}

// The note on the scale names columns that differ in spread if the page found that out, and not if it was asked for.
func TestScaleNote(t *testing.T) {
	s := opened(t, "wine")
	for kind, want := range map[scale.Kind]bool{scale.Auto: true, scale.ZScore: false} {
		parts := tables.Must(s.open(t.Context(), s.source, options{scale: kind}, nil))(t)
		if notes := valueOf(t, parts, "notes"); strings.Contains(notes, "is widest") != want {
			t.Errorf("%v: %q", kind, notes)
		}
		if text := valueOf(t, parts, "table"); !strings.HasSuffix(text, "; columns are scaled to mean 0 and variance 1.") {
			t.Errorf("%v: %q", kind, text)
		}
	}
}

// The sets are those of testdata, and their sources those that its README tells.
func TestSets(t *testing.T) {
	readme := string(read(t, "README.md"))
	for _, set := range sets.All {
		s := opened(t, set.Name)
		d := s.data
		if !slices.Equal(d.Names, set.Columns) || len(d.Class) != d.x.Rows || d.clusters(0) != len(set.Classes) {
			t.Errorf("%s: %d columns, %d labels, k = %d", set.Name, d.x.Cols, len(d.Class), d.clusters(0))
		}
		if (d.scaling != nil) != (set.Name == "wine" || set.Name == "breast_cancer") {
			t.Errorf("%s: standardized: %v", set.Name, d.scaling != nil)
		}
		author, _, _ := strings.Cut(strings.SplitN(set.Source, ": ", 2)[1], ", doi ")
		_, doi, _ := strings.Cut(set.Source, "doi ")
		doi, _, _ = strings.Cut(doi, ",")
		if !strings.Contains(readme, author) || !strings.Contains(readme, doi) || !strings.Contains(set.Source, "CC BY 4.0") {
			t.Errorf("%s: testdata/README.md has neither %q nor %q, or the licence is missing", set.Name, author, doi)
		}
	}
}

// The shares that the reasons for or against standardizing name.
func TestReasons(t *testing.T) {
	if testing.Short() {
		t.Skip("fits ten clusters")
	}
	for name, want := range map[string]string{"wine": "68", "digits": "74"} {
		s := opened(t, name)
		other := scale.None
		if s.data.scaling == nil {
			other = scale.ZScore
		}
		parts := tables.Must(s.fit(t.Context(), options{slack: .25, scale: other}, nil, nil))(t)
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
