// Package layout holds the root's sources, its exported names and the pages to what the house promises.
package layout

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/api.txt")

// TestMain has all paths begin at the root.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// mustDo returns what a call returned, if that was no error.
func mustDo[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// sources lists the root's files that are not tests.
func sources(t *testing.T) (files []string) {
	t.Helper()
	for _, f := range mustDo(filepath.Glob("*.go"))(t) {
		if !strings.HasSuffix(f, "_test.go") {
			files = append(files, f)
		}
	}
	return files
}

// parsed are the files of sources. All of them count, whatever machine and tags they are for.
func parsed(t *testing.T) (set *token.FileSet, files []*ast.File) {
	t.Helper()
	set = token.NewFileSet()
	for _, name := range sources(t) {
		f := mustDo(parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution))(t)
		files = append(files, f)
	}
	return set, files
}
