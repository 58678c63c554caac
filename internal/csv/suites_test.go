package csv

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The fields of csv-spectrum (max-mapper, d30e80f) are those of its JSON. SOFTKMEANS_SUITES names the folder
// with the suites.
func TestSpectrum(t *testing.T) {
	dir := os.Getenv("SOFTKMEANS_SUITES")
	if dir == "" {
		t.Skip("SOFTKMEANS_SUITES is not set")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "csv-spectrum", "csvs", "*.csv"))
	if len(files) != 12 {
		t.Errorf("%d files", len(files))
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := split(string(text), ',', false)
		if strings.HasSuffix(name, "location_coordinates.csv") { // its JSON has other numbers, and is of UTF-8
			if !strings.HasSuffix(got[1].fields[1], `17.9"W`) || got[1].fault != "" {
				t.Errorf("%s: %q", name, got)
			}
			continue
		}
		var want []map[string]string
		object, err := os.ReadFile(filepath.Join(dir, "csv-spectrum", "json",
			strings.TrimSuffix(filepath.Base(name), ".csv")+".json"))
		if err == nil {
			err = json.Unmarshal(object, &want)
		}
		if err != nil || len(got) != len(want)+1 {
			t.Errorf("%s: %d records, not %d, %v", name, len(got), len(want)+1, err)
			continue
		}
		for i, row := range want {
			for j, key := range got[0].fields {
				value := strings.ReplaceAll(row[key], "\r\n", "\n") // as encoding/csv reads it
				if j >= len(got[i+1].fields) || got[i+1].fields[j] != value {
					t.Errorf("%s: row %d: %q, not %q", name, i+1, got[i+1].fields, fmt.Sprint(row))
				}
			}
			if len(row) != len(slices.Compact(slices.Sorted(slices.Values(got[0].fields)))) {
				t.Errorf("%s: %d fields of %q", name, len(row), got[0].fields)
			}
		}
	}
}
