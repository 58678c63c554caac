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

// The file has the requested size and as many rows as write returns.
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
		// Each number of a text takes about 20 bytes, so that the last row exceeds the size
		// by less than 128 bytes. The header of an array has about as many.
		info, err := f.Stat()
		if err != nil || info.Size() < s.size-128 || info.Size() > s.size+128 {
			t.Errorf("%s: %d bytes, %v", format, info.Size(), err)
		}
		if got, err := rows.ReadAll(f, name, table.Dialect{}); err != nil || got.Rows != n || len(got.Names) != 5 {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// A full disk and a cancel are errors, and the former names the file.
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
