package drafts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

// Files have their names once all are committed, and old ones stay until then.
func TestCommit(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(a, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	var s Set
	var files []*File
	for _, name := range []string{a, b} {
		f, err := s.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("new")); err != nil || !f.Temporary() {
			t.Fatal(err, f.Temporary())
		}
		if _, err := f.WriteAt([]byte("N"), 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if text(t, a) != "old" || text(t, b) != "" {
		t.Errorf("%q, %q before", text(t, a), text(t, b))
	}
	if err := s.Commit(files); err != nil || text(t, a) != "New" || text(t, b) != "New" {
		t.Errorf("%v: %q, %q", err, text(t, a), text(t, b))
	}
	if info, err := os.Stat(a); err != nil || info.Mode().Perm() != 0o640 {
		t.Error("the mode is another")
	}
	if s.Abandon() {
		t.Error("abandoned after the commit")
	}
	if list, _ := os.ReadDir(dir); len(list) != 2 {
		t.Errorf("%v", list)
	}
}

// What is abandoned leaves no file, and takes no more.
func TestAbandon(t *testing.T) {
	dir := t.TempDir()
	var s Set
	f, err := s.Create(filepath.Join(dir, "a"))
	if err != nil || !s.Abandon() {
		t.Fatal(err)
	}
	if err := s.Commit([]*File{f}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := s.Create(filepath.Join(dir, "b")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("%v", list)
	}
	var other Set
	if _, err := other.Create(filepath.Join(dir, "none", "a")); err == nil || text(t, dir+"/none") != "" {
		t.Error("a file in no folder")
	}
}
