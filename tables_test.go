//go:build !tinygo

package softkmeans

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTablesComplete: every function that has a dst is among the destinations of
// alias_test.go, and every method that changes its receiver among the receivers.
func TestTablesComplete(t *testing.T) {
	table := map[string]bool{}
	for _, c := range destinationCases(t) {
		table[c.name] = true
	}
	for _, c := range intCases() {
		table[c.name] = true
	}
	destinations := len(table)
	table["ProjectSimplex"] = true // in simplexproj_test.go
	table["Matrix.Check"] = true   // takes the name that its error has, and changes nothing
	for _, c := range receiverCases(t) {
		for _, f := range c.fails {
			table[f.method] = true
		}
	}
	hasDst := func(f *ast.FuncType) bool {
		return slices.ContainsFunc(f.Params.List, func(p *ast.Field) bool {
			return slices.ContainsFunc(p.Names, func(n *ast.Ident) bool { return n.Name == "dst" })
		})
	}
	found := 0
	want := func(name string) {
		found++
		if !table[name] {
			t.Errorf("the tables of alias_test.go are without %s", name)
		}
	}
	inspect := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.IsExported() && hasDst(n.Type) {
				want(n.Name.Name)
			}
			if n.Recv == nil || !n.Name.IsExported() {
				return false
			}
			typ := n.Recv.List[0].Type
			star, pointer := typ.(*ast.StarExpr)
			if pointer {
				typ = star.X
			}
			if of := typ.(*ast.Ident); of.IsExported() &&
				(hasDst(n.Type) || pointer && n.Name.Name != "Check" && changes(n.Type)) {
				want(of.Name + "." + n.Name.Name)
			}
			return false
		case *ast.TypeSpec:
			if typ, ok := n.Type.(*ast.InterfaceType); ok && n.Name.IsExported() {
				for _, m := range typ.Methods.List {
					if f, ok := m.Type.(*ast.FuncType); ok && m.Names[0].IsExported() && hasDst(f) {
						want(n.Name.Name + "." + m.Names[0].Name)
					}
				}
			}
		}
		return true
	}
	for _, name := range mustDo(filepath.Glob("*.go"))(t) {
		if !strings.HasSuffix(name, "_test.go") {
			ast.Inspect(mustDo(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t), inspect)
		}
	}
	if found == 0 {
		t.Skip("the package's sources are not here")
	}
	if destinations < 10 || found < 15 {
		t.Errorf("only %d destinations, and %d functions were looked for", destinations, found)
	}
}

// changes: a method that takes something in and returns an error, and nothing else,
// is there for what it does to its receiver.
func changes(f *ast.FuncType) bool {
	if f.Params.NumFields() == 0 || f.Results.NumFields() != 1 {
		return false
	}
	result, ok := f.Results.List[0].Type.(*ast.Ident)
	return ok && result.Name == "error"
}
