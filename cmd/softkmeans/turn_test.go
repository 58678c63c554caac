package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Spectra in columns are fitted, predicted by the names in column 1, and unmixed; in blocks they are
// an error. What was turned is said, and how to turn it back.
func TestTurned(t *testing.T) {
	t.Parallel()
	trade := filepath.Join("..", "..", "testdata", "tables", "trade")
	spectra := filepath.Join(trade, "spectra_in_columns.csv")
	bare := filepath.Join(trade, "spectra_in_columns_bare.txt")
	model := filepath.Join(t.TempDir(), "m.json")
	code, stdout, stderr := do(t, "", "fit", "-k", "3", "-others=no", "-quiet", "-model", model, spectra)
	if code != 0 || !strings.Contains(stdout, "40 rows, 121 columns") ||
		!strings.Contains(stdout, "-transpose no reads") {
		t.Fatalf("code %d, %s, %s", code, stdout, stderr)
	}
	for _, name := range []string{spectra, bare} {
		code, stdout, stderr = do(t, "", "predict", "-quiet", "-model", model, name)
		if code != 0 || strings.Count(stdout, "\n") != 41 {
			t.Errorf("%s: code %d, %s, %s", name, code, stdout, stderr)
		}
	}
	code, stdout, stderr = do(t, "", "unmix", "-k", "3", "-quiet", "-transpose", "yes", bare)
	if code != 0 || !strings.Contains(lined(stdout), "40 pixels, 121 bands from 400 to 1000") {
		t.Errorf("code %d, %s, %s", code, stdout, stderr)
	}
	for _, flags := range []string{"-stream yes", "-stream yes -transpose yes"} {
		code, _, stderr = do(t, "", append(strings.Fields("floors -quiet "+flags), spectra)...)
		if code != 1 || !strings.Contains(stderr, "-stream no reads it whole") {
			t.Errorf("%s: code %d, %s", flags, code, stderr)
		}
	}
	code, stdout, _ = do(t, "", "fit", "-k", "2", "-others=no", "-quiet", "-o", "-",
		filepath.Join(trade, "tenx"))
	if code != 0 || !strings.Contains(stdout, "\nAAAC24-1,") || strings.Count(stdout, "\n") != 26 {
		t.Errorf("code %d, %s", code, stdout)
	}
}

// A long table is fitted, predicted and taken for prototypes as the table that it stands for.
func TestLong(t *testing.T) {
	t.Parallel()
	name := filepath.Join("..", "..", "testdata", "tables", "trade", "long_table.csv")
	model := filepath.Join(t.TempDir(), "m.json")
	code, stdout, stderr := do(t, "", "fit", "-k", "3", "-others=no", "-quiet", "-model", model, name)
	if code != 0 || !strings.Contains(stdout, "12 rows, 31 columns") {
		t.Fatalf("code %d, %s, %s", code, stdout, stderr)
	}
	for _, from := range []string{"-model " + model, "-centers " + name} {
		code, stdout, stderr = do(t, "", append(strings.Fields("predict -quiet "+from), name)...)
		if code != 0 || strings.Count(stdout, "\n") != 13 || !strings.Contains(stdout, "\nS12,") {
			t.Errorf("%s: code %d, %s, %s", from, code, stdout, stderr)
		}
	}
	code, stdout, stderr = do(t, "", "floors", "-quiet", "-stream", "yes", name)
	if code != 1 || !strings.Contains(stderr, "-stream no reads it whole; -long no") {
		t.Errorf("code %d, %s, %s", code, stdout, stderr)
	}
}
