package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"softkmeans/internal/rows"
	"softkmeans/internal/table"
)

// What is written is as large as asked for, and is read as so many rows.
func TestWrite(t *testing.T) {
	for _, format := range []string{"csv", "npy"} {
		s := &settings{size: 100000, format: format, cols: 5, k: 3}
		name := filepath.Join(t.TempDir(), "rows")
		n, err := s.write(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		// A row of text has 20 digits or so and a comma for each number, so that the last
		// one goes beyond the size by less than 128 bytes; an array's header has those.
		info, err := f.Stat()
		if err != nil || info.Size() < s.size-128 || info.Size() > s.size+128 {
			t.Errorf("%s: %d bytes, %v", format, info.Size(), err)
		}
		if got, err := rows.ReadAll(f, name, table.Dialect{}); err != nil || got.Rows != n || len(got.Names) != 5 {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// A full disk and an end that is asked for are errors, and a full disk's names the file.
func TestWriteFaults(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, format := range []string{"csv", "npy"} {
		s := &settings{size: 1 << 21, format: format, cols: 5, k: 3}
		if _, err := s.write(over, filepath.Join(t.TempDir(), "rows")); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", format, err)
		}
		if _, err := os.Stat("/dev/full"); err == nil {
			if _, err := s.write(t.Context(), "/dev/full"); err == nil || !strings.HasPrefix(err.Error(), "write /dev/full: no space left") {
				t.Errorf("%s: %v", format, err)
			}
		}
	}
}
