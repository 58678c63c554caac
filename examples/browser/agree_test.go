package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"softkmeans/internal/answer"
	"softkmeans/internal/scale"
	"softkmeans/internal/tables"
)

var aNumber = regexp.MustCompile(`[-−+]?\d[\d.]*(e[-+]?\d+)?`)

// The page says what the command says of a table in the same words, and in the same numbers to within their
// rounding.
func TestCommandAgrees(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	command := filepath.Join(t.TempDir(), "softkmeans")
	if said, err := exec.Command("go", "build", "-o", command, "../../cmd/softkmeans").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	folder := filepath.Join("..", "..", "testdata")
	trade := filepath.Join(folder, "tables", "trade")
	for _, c := range []struct {
		file string
		k    int
	}{{filepath.Join(folder, "iris.csv"), 2}, {filepath.Join(folder, "iris.csv"), 3}, {filepath.Join(folder, "wine.csv"), 3},
		{filepath.Join(trade, "counts_types_by_samples.csv"), 3}, {filepath.Join(trade, "grain_sizes_percent.csv"), 2},
		{filepath.Join(trade, "spectra_in_columns.csv"), 3}} {
		out := tables.Must(exec.Command(command, "fit", "-json", "-k", itoa(c.k), c.file).Output())(t)
		var want answer.Answer
		tables.OK(t, json.Unmarshal(out, &want))
		s := &session{}
		text := tables.Must(os.ReadFile(c.file))(t)
		o := options{k: c.k, slack: byNoise, scale: scale.Auto}
		tables.Must(s.open(t.Context(), fromText(filepath.Base(c.file), string(text)), o, nil))(t)
		tables.Must(s.fit(t.Context(), o, nil, nil))(t)
		tables.Must(s.doubt(t.Context()))(t)
		got := s.data.answer(s.shown)
		want.About, want.Notes = "", nil
		same(t, c.file, string(got.Text(true)), string(want.Text(true)))
	}
}

// same compares texts: words exactly, and numbers to within a hundredth.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	a, b := aNumber.FindAllString(got, -1), aNumber.FindAllString(want, -1)
	if aNumber.ReplaceAllString(got, "#") != aNumber.ReplaceAllString(want, "#") {
		t.Errorf("%s: the page says\n%s\nand the command\n%s", what, got, want)
		return
	}
	for i := range a {
		v, err := strconv.ParseFloat(a[i], 64)
		w, err2 := strconv.ParseFloat(b[i], 64)
		if a[i] != b[i] && (err != nil || err2 != nil || !(v-w <= .01*max(v, w, .1) && w-v <= .01*max(v, w, .1))) {
			t.Errorf("%s: %s on the page, %s by the command", what, a[i], b[i])
		}
	}
}
