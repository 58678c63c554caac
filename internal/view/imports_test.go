//go:build !js && !wasip1 && !tinygo

package view

import (
	"os/exec"
	"strings"
	"testing"
)

// What the package imports, at any depth, leaves a WebAssembly file small.
func TestImports(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.Lines(string(out)) {
		switch dep = strings.TrimSpace(dep); dep {
		case "fmt", "os", "encoding/json", "encoding/csv", "html/template":
			t.Errorf("view imports %s", dep)
		}
	}
}
