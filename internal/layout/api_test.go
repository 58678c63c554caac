package layout

// What the root exports, read from its sources: the golden list of it.

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"
)

// receiver returns the name of the type of a method's receiver, and whether it is a
// pointer; "" of a function.
func receiver(f *ast.FuncDecl) (name string, pointer bool) {
	if f.Recv == nil {
		return "", false
	}
	typ := f.Recv.List[0].Type
	star, pointer := typ.(*ast.StarExpr)
	if pointer {
		typ = star.X
	}
	return types.ExprString(typ), pointer
}

// signature is a function's without the names of parameters and results, which callers do not depend on.
func signature(f *ast.FuncType) string {
	list := func(fields *ast.FieldList) (out []string) {
		if fields == nil {
			return nil
		}
		for _, p := range fields.List {
			text := types.ExprString(p.Type)
			if inner, ok := p.Type.(*ast.FuncType); ok {
				text = "func" + signature(inner)
			}
			out = append(out, slices.Repeat([]string{text}, max(1, len(p.Names)))...)
		}
		return out
	}
	text, results := "("+strings.Join(list(f.Params), ", ")+")", list(f.Results)
	switch len(results) {
	case 0:
		return text
	case 1:
		return text + " " + results[0]
	}
	return text + " (" + strings.Join(results, ", ") + ")"
}

// exportedLines is a line for everything that programs can refer to, sorted. What it
// cannot say in a line is a failure: the list must not be less than it seems.
func exportedLines(t *testing.T) []string {
	set, files := parsed(t)
	// Only for the values of constants; what is imported is not looked at.
	config := types.Config{Importer: noImports{}, Error: func(error) {}, IgnoreFuncBodies: true, FakeImportC: true}
	pkg, _ := config.Check("softkmeans", set, files, nil)
	var lines []string
	add := func(line string) {
		if strings.ContainsAny(line, "…\n") || strings.Contains(line, "struct{") || strings.Contains(line, "interface{") {
			t.Errorf("this list has no words for %s", line)
		}
		lines = append(lines, line)
	}
	for _, f := range files {
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				name, pointer := receiver(d)
				switch {
				case !d.Name.IsExported() || name != "" && !ast.IsExported(name):
				case d.Type.TypeParams != nil:
					t.Errorf("this list has no words for the type parameters of %s", d.Name)
				case name == "":
					add("func " + d.Name.Name + signature(d.Type))
				case pointer:
					add("method (*" + name + ") " + d.Name.Name + signature(d.Type))
				default:
					add("method (" + name + ") " + d.Name.Name + signature(d.Type))
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.ValueSpec:
						for i, n := range s.Names {
							switch {
							case !n.IsExported():
							case d.Tok == token.CONST:
								c, ok := pkg.Scope().Lookup(n.Name).(*types.Const)
								if !ok || c.Val().Kind() == constant.Unknown {
									t.Errorf("no value of %s", n.Name)
									continue
								}
								add("const " + n.Name + " " + types.TypeString(c.Type(), types.RelativeTo(pkg)) + " = " + c.Val().ExactString())
							case s.Type != nil:
								add("var " + n.Name + " " + types.ExprString(s.Type))
							case i < len(s.Values) && strings.HasPrefix(types.ExprString(s.Values[i]), "errors.New("):
								add("var " + n.Name + " error")
							default:
								t.Errorf("declare the type of %s, for this list", n.Name)
							}
						}
					case *ast.TypeSpec:
						if s.Name.IsExported() {
							typeLines(t, pkg, s, add)
						}
					}
				}
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines) // files for one machine each may declare the same
}

// typeLines adds a type's own line, and those of its fields or methods.
func typeLines(t *testing.T, pkg *types.Package, s *ast.TypeSpec, add func(line string)) {
	if s.TypeParams != nil {
		t.Errorf("this list has no words for the type parameters of %s", s.Name)
	}
	head := "type " + s.Name.Name
	if s.Assign.IsValid() {
		head += " ="
	}
	switch typ := s.Type.(type) {
	case *ast.StructType:
		add(head + " struct")
		for _, f := range typ.Fields.List {
			tag := ""
			if f.Tag != nil {
				tag = " " + f.Tag.Value
			}
			text := types.ExprString(f.Type)
			if inner, ok := f.Type.(*ast.FuncType); ok {
				text = "func" + signature(inner)
			}
			for _, n := range f.Names {
				if n.IsExported() {
					add("field " + s.Name.Name + "." + n.Name + " " + text + tag)
				}
			}
			if len(f.Names) == 0 {
				name := strings.TrimPrefix(text, "*")
				if ast.IsExported(name) {
					add("embed " + s.Name.Name + " " + text)
				} else if what := exportsOf(pkg.Scope().Lookup(name).Type()); what != "" {
					t.Errorf("%s exports %s of the embedded %s: this list has no words for it", s.Name, what, text)
				}
			}
		}
	case *ast.InterfaceType:
		var names []string // one more breaks those who implement it
		for _, m := range typ.Methods.List {
			f, ok := m.Type.(*ast.FuncType)
			if !ok {
				t.Errorf("this list has no words for what %s embeds", s.Name)
				continue
			}
			for _, n := range m.Names { // those that are not exported, too: they keep others from implementing it
				names = append(names, n.Name)
				add("method " + s.Name.Name + "." + n.Name + signature(f))
			}
		}
		slices.Sort(names)
		add(head + " interface of " + strings.Join(names, ", "))
	default:
		add(head + " " + types.ExprString(s.Type))
	}
}

// exportsOf returns an exported method or field of a type that is not exported; "": it has none.
func exportsOf(typ types.Type) string {
	methods := types.NewMethodSet(types.NewPointer(typ))
	for i := range methods.Len() {
		if m := methods.At(i).Obj(); m.Exported() {
			return m.Name()
		}
	}
	if of, ok := typ.Underlying().(*types.Struct); ok {
		for i := range of.NumFields() {
			if f := of.Field(i); f.Exported() {
				return f.Name()
			} else if f.Embedded() && exportsOf(f.Type()) != "" {
				return exportsOf(f.Type())
			}
		}
	}
	return ""
}

// noImports imports nothing: no other package's sources are needed.
type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) { return nil, errors.New("not needed") }

// TestExported: testdata/api.txt has a line for all that is exported, so that a change of
// the API shows in a diff. -update writes it anew. Nothing is released: lines may go.
func TestExported(t *testing.T) {
	const path = "testdata/api.txt"
	got := exportedLines(t)
	slices.Sort(got)
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text := mustDo(os.ReadFile(path))(t)
	want := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")), "\n")
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("went:  %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("came:  %s", line)
		}
	}
	if t.Failed() {
		t.Error("if that is meant: go test ./internal/layout -run TestExported -update")
	}
	if !slices.IsSorted(want) {
		t.Error(path + " is not sorted")
	}
}
