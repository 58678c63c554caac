package main

// Faults that nobody chose: an operator, a small constant or a statement, drawn
// from all of them.

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// flips is what an operator may be mistaken for.
var flips = map[token.Token][]string{
	token.LSS: {"<=", ">"}, token.LEQ: {"<", ">="}, token.GTR: {">=", "<"}, token.GEQ: {">", "<="},
	token.EQL: {"!="}, token.NEQ: {"=="}, token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"/"}, token.QUO: {"*"},
	token.LAND: {"||"}, token.LOR: {"&&"}, token.ADD_ASSIGN: {"-="}, token.SUB_ASSIGN: {"+="}, token.MUL_ASSIGN: {"/="}, token.QUO_ASSIGN: {"*="},
}

// numbers is what a small constant may be mistaken for.
var numbers = map[string]string{"0": "1", "1": "2", "2": "1", "3": "2", "4": "5", "8": "7"}

// edit is a replacement within one line.
type edit struct {
	file     string
	line     int // from 0
	from, to int // bytes of the line
	text     string
	kind     string
}

// randomFaults draws faults from the files that a build on this machine has, at
// most one from each line. Some may not compile.
func randomFaults(module string, count int, seed uint64) ([]fault, error) {
	pkg, err := build.ImportDir(module, 0)
	if err != nil {
		return nil, err
	}
	sort.Strings(pkg.GoFiles)
	var all []edit
	sources := map[string][]string{}
	for _, name := range pkg.GoFiles {
		data, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			return nil, err
		}
		sources[name] = strings.Split(string(data), "\n")
		edits, err := editsOf(name, data)
		if err != nil {
			return nil, err
		}
		all = append(all, edits...)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var faults []fault
	used := map[string]bool{}
	for _, e := range all {
		if len(faults) == count {
			break
		}
		where := fmt.Sprintf("%s-%d", strings.TrimSuffix(e.file, ".go"), e.line+1)
		if used[where] {
			continue
		}
		used[where] = true
		if f, ok := e.fault(strings.ReplaceAll(where, "_", "-"), sources[e.file]); ok {
			faults = append(faults, f)
		}
	}
	return faults, nil
}

// editsOf lists all that could be wrong in a file.
func editsOf(name string, source []byte) (edits []edit, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, 0)
	if err != nil {
		return nil, err
	}
	add := func(pos, end token.Pos, text, kind string) {
		p, q := set.Position(pos), set.Position(end)
		if p.Line == q.Line {
			edits = append(edits, edit{name, p.Line - 1, p.Column - 1, q.Column - 1, text, kind})
		}
	}
	replace := func(pos token.Pos, op token.Token) {
		for _, to := range flips[op] {
			add(pos, pos+token.Pos(len(op.String())), to, op.String()+" is "+to)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.IMPORT
		case *ast.BinaryExpr:
			if s, ok := n.X.(*ast.BasicLit); ok && s.Kind == token.STRING { // a message
				return false
			}
			replace(n.OpPos, n.Op)
		case *ast.AssignStmt:
			replace(n.TokPos, n.Tok)
			if n.Tok != token.DEFINE {
				add(n.Pos(), n.End(), "", "a statement is left out")
			}
		case *ast.ExprStmt:
			add(n.Pos(), n.End(), "", "a statement is left out")
		case *ast.BranchStmt:
			add(n.Pos(), n.End(), "", "a statement is left out")
		case *ast.BasicLit:
			if to, ok := numbers[n.Value]; ok {
				add(n.Pos(), n.End(), to, n.Value+" is "+to)
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "fail" { // messages
				return false
			}
		}
		return true
	})
	return edits, nil
}

// fault makes one of an edit: with as many of the lines before as tell where it is.
func (e *edit) fault(name string, lines []string) (fault, bool) {
	old := lines[e.line]
	wrong := old[:e.from] + e.text + old[e.to:]
	f := fault{name: name, file: e.file, kind: "random", text: e.kind}
	for more := 0; more <= e.line; more++ {
		f.before, f.after = nil, nil
		for _, l := range lines[e.line-more : e.line] {
			f.before = append(f.before, strings.TrimSpace(l))
		}
		f.after = append(f.after, f.before...)
		f.before = append(f.before, strings.TrimSpace(old))
		if w := strings.TrimSpace(wrong); w != "" {
			f.after = append(f.after, w)
		}
		if _, err := f.apply(strings.Join(lines, "\n")); err == nil {
			return f, true
		}
	}
	return f, false
}
