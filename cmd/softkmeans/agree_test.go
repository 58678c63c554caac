package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/report"
	"softkmeans/internal/scale"
	"softkmeans/metrics"
)

// The labels of a method are the same in the file of fit, in its report, by its model, with
// the package, and on the page, which may number them in another order. The memberships of
// the page are the file of fit.
func TestLabelsAgree(t *testing.T) {
	dir := t.TempDir()
	model, file := filepath.Join(dir, "m.json"), filepath.Join(dir, "g.csv")
	for name, kind := range map[string]scale.Kind{"iris": scale.None, "wine": scale.ZScore} {
		f := &reportFlags{fitFlags: fitFlags{k: 3, seed: 5, others: true}}
		f.scale, f.dialect.Guess = kind, true
		data := someRows(t, setFile(name), 2)
		page := pageOf(t, f, data)
		for method, m := range map[string]*softkmeans.Model{"global": page.Global.Model,
			"alternating": page.Alternating.Model, "minvol": page.MinVolume.Model} {
			args := []string{"fit", "-k", "3", "-method", method, "-scale", kind.String(), "-json",
				"-o", file, "-model", model, data}
			if method != "global" {
				args = append(args, "-seed", "5")
			}
			j := parseJSON[answer.Answer](t, must(t, args...))
			_, fitted, _ := parseMemberships(t, readFile(t, file))
			_, again, _ := parseMemberships(t, predicted(t, "-model", model, data))
			sizes := make([]int, 3)
			for _, label := range fitted {
				sizes[label]++
			}
			if !slices.Equal(fitted, again) || !slices.Equal(sizes, j.Sizes) {
				t.Errorf("%s, %s: fit and predict differ, or %v is not %v", name, method, sizes, j.Sizes)
			}
			if method == "minvol" {
				again := filepath.Join(dir, "again.csv")
				must(t, "report", "-k", "3", "-seed", "5", "-scale", kind.String(), "-o",
					filepath.Join(dir, "page.html"), "-memberships", again, data)
				if readFile(t, again) != readFile(t, file) {
					t.Errorf("%s: report and fit write other memberships", name)
				}
			}
			shown := m.Labels(nil)
			if same, err := metrics.Accuracy(fitted, shown); err != nil || same != 1 ||
				method == "minvol" && !slices.Equal(fitted, shown) {
				t.Errorf("%s, %s: %g of the page's labels are those of fit", name, method, same)
			}
			slices.Sort(sizes)
			counts := make([]int, 3)
			for _, label := range shown {
				counts[label]++
			}
			if slices.Sort(counts); !slices.Equal(counts, sizes) {
				t.Errorf("%s, %s: the page counts %v, fit %v", name, method, counts, sizes)
			}
		}
	}
}

// pageOf returns the content of the page for a file.
func pageOf(t *testing.T, f *reportFlags, name string) *report.Input {
	t.Helper()
	f.source = name
	s, err := f.open(t.Context(), streams{in: strings.NewReader(""),
		out: new(strings.Builder), err: new(strings.Builder)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	in, err := f.fitTable(s, newProgress(new(strings.Builder), true), nil)
	if err != nil {
		t.Fatal(err)
	}
	return in
}
