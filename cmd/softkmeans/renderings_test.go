package main

import (
	"path/filepath"
	"strings"
	"testing"

	"softkmeans/internal/answer"
	"softkmeans/internal/report"
)

// JSON, text and page say the same in every number: the text of the JSON is the text, and the page has each table
// and each line of it. The tables are those of testdata and the first ones of the trade, by several flags.
func TestRenderingsAgree(t *testing.T) {
	t.Parallel()
	n := 0
	check := func(args ...string) {
		n++
		agree(t, filepath.Join(t.TempDir(), "page.html"), args)
	}
	for _, flags := range []string{"-k 2", "-k 3 -scale zscore", "-k 4 -seed 3 -bounds none", "-k auto"} {
		check(append(strings.Fields(flags), setFile("iris"))...)
	}
	check("-k", "3", setFile("wine"))
	for _, flags := range []string{"-k 3 -kernel rbf -method lsd", "-k 2 -kernel rbf -method tilsd", "-k 9"} {
		check(append(strings.Fields(flags), someRows(t, setFile("iris"), 3))...)
	}
	folder := filepath.Join("..", "..", "testdata", "tables")
	for _, in := range []string{folder, filepath.Join(folder, "trade")} {
		for _, text := range strings.Split(strings.TrimSpace(readFile(t, filepath.Join(in, "want.txt"))), "\n\n") {
			want := map[string]string{}
			for line := range strings.Lines(text) {
				key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
				want[key] = value
			}
			if want["error"] == "" && !strings.Contains(want["flags"], "-missing fit") {
				check(append(strings.Fields("-k 1 "+want["flags"]), filepath.Join(in, want["file"]))...)
			}
		}
	}
	if n < 30 {
		t.Errorf("%d tables", n)
	}
}

// agree compares the renderings of a fit with these flags.
func agree(t *testing.T, page string, args []string) {
	t.Helper()
	run := func(args ...string) string {
		t.Helper()
		code, out, stderr := do(t, "", args...)
		if code != 0 {
			t.Fatalf("%q: %s", args, stderr)
		}
		return out
	}
	a := parseJSON[answer.Answer](t, run(append([]string{"fit", "-json"}, args...)...))
	text := run(append([]string{"fit", "-v"}, args...)...)
	if got := string(a.Text(true)); !strings.HasPrefix(text, got) {
		t.Errorf("%q: the text of the JSON is\n%s\nnot\n%s", args, got, text)
	}
	if a.Method != "tilsd" && a.Method != "lsd" && a.Method != "minvol" {
		t.Errorf("%q: %s", args, a.Method)
	}
	run(append([]string{"report", "-o", page}, withoutMethod(a, args)...)...)
	html := readFile(t, page)
	a.Room = report.Room
	for _, s := range a.Sections() {
		s.Detail = false
		own := answer.HTML([]answer.Section{s}, func(string) string { return "" })
		if _, rest, ok := strings.Cut(own, "<tbody>"); ok {
			if rows, _, _ := strings.Cut(rest, "</tbody>"); !strings.Contains(html, rows) {
				t.Errorf("%q: the page has no table %s", args, own)
			}
		}
		for _, line := range strings.Split(own, "<p>")[1:] {
			if line, _, _ = strings.Cut(line, "</p>"); !strings.Contains(html, line) {
				t.Errorf("%q: the page has no line %s", args, line)
			}
		}
	}
}

// withoutMethod are the flags of a report: its method is that of the fit.
func withoutMethod(a answer.Answer, args []string) (left []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == "-method" && a.Kernel == "" {
			i++
			continue
		}
		left = append(left, args[i])
	}
	return left
}
