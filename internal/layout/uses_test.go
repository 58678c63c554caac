package layout

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestImports: the root imports the standard library alone, none of its own module, and
// nothing that weighs on a small build or reaches around the type system. So its files
// can be copied into any module; .ci/run does.
func TestImports(t *testing.T) {
	for _, f := range sources(t) {
		src := mustDo(parser.ParseFile(token.NewFileSet(), f, nil, parser.ImportsOnly))(t)
		for _, im := range src.Imports {
			path := strings.Trim(im.Path.Value, `"`)
			first, _, _ := strings.Cut(path, "/")
			if strings.Contains(first, ".") || first == "softkmeans" {
				t.Errorf("%s imports %s: not the standard library", f, path)
			}
			switch path {
			case "unsafe", "C", "fmt", "reflect", "encoding/json":
				t.Errorf("%s imports %s", f, path)
			}
		}
	}
	if mod := mustDo(os.ReadFile("go.mod"))(t); strings.Contains(string(mod), "require") {
		t.Error("go.mod has a requirement")
	}
}

// TestLeaves: what builds on the root stays outside of it. The root's tests, too, import
// their own package alone, so that they run in a copy of the folder. A package beside the
// root imports the root, the standard library and small words of internal, no other leaf.
func TestLeaves(t *testing.T) {
	imports := func(file string) (paths []string) {
		src := mustDo(parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly))(t)
		for _, im := range src.Imports {
			if path := strings.Trim(im.Path.Value, `"`); strings.HasPrefix(path, "softkmeans/") {
				paths = append(paths, path)
			}
		}
		return paths
	}
	files := mustDo(filepath.Glob("*.go"))(t)
	for _, f := range files {
		for _, path := range imports(f) {
			t.Errorf("%s imports %s", f, path)
		}
	}
	leaves := mustDo(filepath.Glob("*/*.go"))(t)
	for _, f := range leaves {
		dir := filepath.Dir(f)
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || strings.HasSuffix(f, "_test.go") {
			continue // another module, or a test
		}
		for _, path := range imports(f) {
			if !strings.HasPrefix(path, "softkmeans/internal/") && path != "softkmeans/metrics" {
				t.Errorf("%s imports %s, another leaf", f, path)
			}
		}
	}
}
