//go:build !js && !wasip1 && !tinygo

package softkmeans

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestImports: the standard library alone, and none of it that weighs on a
// small build or reaches around the type system.
func TestImports(t *testing.T) {
	for _, f := range sources(t) {
		src, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
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
	mod, err := os.ReadFile("go.mod")
	if err != nil || strings.Contains(string(mod), "require") {
		t.Errorf("go.mod has a requirement (%v)", err)
	}
}

// TestCopiedFolder copies the package into another module, as a user would who
// vendors it by hand, and runs a program on it.
func TestCopiedFolder(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	dir := t.TempDir()
	inner := filepath.Join(dir, "internal", "mixtures")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range sources(t) {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(inner, f), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := `package main

import (
	"context"

	softkmeans "example.org/host/internal/mixtures"
)

func main() {
	x := softkmeans.NewMatrix(3, 1, []float64{0, 1, 5})
	m, err := softkmeans.Fit(context.Background(), x, 2, nil)
	if err != nil || m.Objective > 1e-20 {
		panic("no fit")
	}
	print("fitted")
}
`
	for name, text := range map[string]string{"go.mod": "module example.org/host\n\ngo 1.24\n", "main.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "run", "-trimpath", ".") // whose compiled package is kept from run to run
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local", "GOOS=", "GOARCH=")
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "fitted" {
		t.Errorf("%v\n%s", err, out)
	}
}
