package main

import (
	"encoding/csv"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans/internal/answer"
)

// TestCorpus fits the awkward tables of testdata/tables and of the trade, and holds what the command
// says and writes to want.txt.
func TestCorpus(t *testing.T) {
	t.Parallel()
	tables := filepath.Join("..", "..", "testdata", "tables")
	fitTables(t, tables)
	fitTables(t, filepath.Join(tables, "trade"))
}

func fitTables(t *testing.T, folder string) {
	for _, text := range strings.Split(strings.TrimSpace(readFile(t, filepath.Join(folder, "want.txt"))),
		"\n\n") {
		want := map[string]string{}
		var notes []string
		for line := range strings.Lines(text) {
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			if want[key] = value; key == "note" {
				notes = append(notes, value)
			}
		}
		out := filepath.Join(t.TempDir(), "g.csv")
		args := append(strings.Fields("fit -k 1 -method minvol -json -quiet -o "+out+" "+want["flags"]),
			filepath.Join(folder, want["file"]))
		code, stdout, stderr := do(t, "", args...)
		if want["error"] != "" {
			if code != 1 || !strings.Contains(lined(stderr), lined(want["error"])) {
				t.Errorf("%q: code %d, %s", args, code, stderr)
			}
			continue
		}
		if code != 0 || stderr != "" {
			t.Errorf("%q: code %d, %s", args, code, stderr)
			continue
		}
		got := parseJSON[answer.Answer](t, stdout)
		records, err := csv.NewReader(strings.NewReader(readFile(t, out))).ReadAll()
		if err != nil || strconv.Itoa(len(records)-1) != want["rows"] ||
			strings.Join(got.Columns, "|") != want["columns"] {
			t.Errorf("%q: %d rows, columns %q, %v", args, len(records)-1, got.Columns, err)
		}
		if ids := want["ids"]; ids != "" {
			for i, id := range strings.Split(ids, "|") {
				if records[i+1][0] != id {
					t.Errorf("%q: id %q, not %q", args, records[i+1][0], id)
				}
			}
		} else if before, _, _ := strings.Cut(strings.Join(records[0], "|"), answer.LabelName); strings.TrimSuffix(
			before, "|") != want["kept"] {
			t.Errorf("%q: %q", args, records[0])
		}
		for _, note := range notes {
			if !slices.ContainsFunc(got.Notes, func(s string) bool { return strings.Contains(s, note) }) {
				t.Errorf("%q: no note has %q in %q", args, note, got.Notes)
			}
		}
	}
}
