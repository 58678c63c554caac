package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestReturns checks that no return reads a field of a value beside a call of its method, as in
// return s.c, s.choose(). The language leaves open which comes first, and TinyGo reads the field first.
func TestReturns(t *testing.T) {
	owner := func(e ast.Expr) string { // s for s.c and s.choose
		if s, ok := e.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				return x.Name
			}
		}
		return ""
	}
	returns := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			r, ok := n.(*ast.ReturnStmt)
			if !ok || len(r.Results) < 2 {
				return true
			}
			returns++
			for i, e := range r.Results {
				call, ok := e.(*ast.CallExpr)
				for j, field := range r.Results {
					if name := owner(field); ok && i != j && name != "" && name == owner(call.Fun) {
						t.Errorf("%s: a field of %s beside a call of its method", set.Position(r.Pos()), name)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil || returns < 1000 {
		t.Errorf("%d returns: %v", returns, err)
	}
}
