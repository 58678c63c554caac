//go:build !js && !wasip1 && !tinygo

package view

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"softkmeans/internal/tables"
)

// The browser's page consists of these packages. They must not import, at any
// depth, what makes a WebAssembly file large.
func TestImports(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	large := []string{"fmt", "os", "encoding/json", "encoding/csv", "html/template"}
	for pkg, also := range map[string][]string{".": nil, "../chart": {"reflect"},
		"../table": {"reflect"}, "../scale": {"reflect"}, "../sources": nil, "../answer": nil} {
		out := tables.Must(exec.Command("go", "list", "-deps", pkg).Output())(t)
		for dep := range strings.Lines(string(out)) {
			if dep = strings.TrimSpace(dep); slices.Contains(large, dep) || slices.Contains(also, dep) {
				t.Errorf("%s imports %s", pkg, dep)
			}
		}
	}
}
