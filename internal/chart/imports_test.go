//go:build !js && !wasip1 && !tinygo

package chart

import (
	"os/exec"
	"strings"
	"testing"
)

// What these packages import, at any depth, leaves a WebAssembly file small.
func TestImports(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	for _, pkg := range []string{".", "../table", "../scale"} {
		out, err := exec.Command("go", "list", "-deps", pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		for dep := range strings.Lines(string(out)) {
			switch dep = strings.TrimSpace(dep); dep {
			case "fmt", "reflect", "os", "encoding/json", "encoding/csv":
				t.Errorf("%s imports %s", pkg, dep)
			}
		}
	}
}
