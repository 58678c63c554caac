package main

// What can be wrong at each place of a syntax tree.

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"
)

// flips is what an operator may be mistaken for.
var flips = map[token.Token][]string{
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.EQL: {"!="}, token.NEQ: {"=="}, token.LAND: {"||"}, token.LOR: {"&&"},
	token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"/"}, token.QUO: {"*"}, token.REM: {"/"},
	token.SHL: {">>"}, token.SHR: {"<<"}, token.AND: {"|"}, token.OR: {"&"},
	token.ADD_ASSIGN: {"-=", "="}, token.SUB_ASSIGN: {"+=", "="}, token.MUL_ASSIGN: {"/=", "="},
	token.QUO_ASSIGN: {"*=", "="},
	token.INC:        {"--"}, token.DEC: {"++"},
}

// symmetric are functions whose result is the same with swapped arguments.
var symmetric = map[string]bool{"min": true, "max": true, "Min": true, "Max": true,
	"Hypot": true, "dot": true, "Join": true}

// messages are functions whose arguments are words for people.
var messages = map[string]bool{"fail": true, "panic": true, "New": true, "Errorf": true, "Sprintf": true}

// editor collects the edits of a file.
type editor struct {
	p     *pack
	text  string
	base  token.Pos
	edits []edit
}

// edits lists all that could be wrong in a file.
func (p *pack) edits(name string) []edit {
	file := p.files[name]
	e := &editor{p: p, text: p.sources[name].text, base: file.FileStart}
	ast.Inspect(file, e.visit)
	return e.edits
}

func (e *editor) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.IMPORT && n.Tok != token.TYPE
	case *ast.BinaryExpr:
		if e.isString(n) {
			return false
		}
		e.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.SUB || n.Op == token.NOT {
			e.add(n.Pos(), n.Pos()+1, "", "operator", "no "+n.Op.String())
		}
	case *ast.BasicLit:
		e.number(n)
	case *ast.IfStmt:
		e.condition(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			e.condition(n.Cond)
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, c := range n.Body.List {
				for _, cond := range c.(*ast.CaseClause).List {
					e.condition(cond)
				}
			}
		}
	case *ast.ReturnStmt:
		e.result(n)
	case *ast.CallExpr:
		return e.call(n)
	case ast.Stmt:
		return e.statement(n)
	}
	return true
}

// statement offers to leave a statement out. It is false where there is nothing to look
// at below.
func (e *editor) statement(n ast.Stmt) bool {
	const out = "a statement is left out"
	switch n := n.(type) {
	case *ast.AssignStmt:
		if blank(n.Lhs) { // as _ = x[:n], which helps the compiler only
			return false
		}
		e.flip(n.TokPos, n.Tok, "operator")
		if n.Tok != token.DEFINE {
			e.add(n.Pos(), n.End(), "", "statement", out)
		}
	case *ast.IncDecStmt:
		e.flip(n.TokPos, n.Tok, "operator")
		e.add(n.Pos(), n.End(), "", "statement", out)
	case *ast.ExprStmt, *ast.BranchStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
		e.add(n.Pos(), n.End(), "", "statement", out)
	}
	return true
}

func blank(list []ast.Expr) bool {
	for _, x := range list {
		if id, ok := x.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	return true
}

func (e *editor) at(pos token.Pos) int { return int(pos - e.base) }

func (e *editor) source(n ast.Node) string { return e.text[e.at(n.Pos()):e.at(n.End())] }

func (e *editor) add(pos, end token.Pos, text, kind, what string) {
	e.edits = append(e.edits, edit{e.at(pos), e.at(end), text, kind, what})
}

func (e *editor) flip(pos token.Pos, op token.Token, kind string) {
	for _, to := range flips[op] {
		e.add(pos, pos+token.Pos(len(op.String())), to, kind, op.String()+" is "+to)
	}
}

func (e *editor) typeOf(x ast.Expr) types.Type { return e.p.info.Types[x].Type }

func (e *editor) isString(x ast.Expr) bool {
	b, ok := e.typeOf(x).(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func (e *editor) isError(x ast.Expr) bool {
	t := e.typeOf(x)
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

func (e *editor) binary(n *ast.BinaryExpr) {
	kind := "operator"
	if e.isError(n.X) {
		kind = "error"
	}
	e.flip(n.OpPos, n.Op, kind)
}

// condition offers to negate a condition or to ignore it.
func (e *editor) condition(x ast.Expr) {
	kind := "condition"
	if b, ok := x.(*ast.BinaryExpr); ok && e.isError(b.X) {
		kind = "error"
	}
	text := e.source(x)
	e.add(x.Pos(), x.End(), "!("+text+")", kind, "the condition is negated")
	e.add(x.Pos(), x.End(), "("+text+") || true", kind, "the condition always holds")
	e.add(x.Pos(), x.End(), "("+text+") && false", kind, "the condition never holds")
}

// result offers to lose a returned error.
func (e *editor) result(n *ast.ReturnStmt) {
	if len(n.Results) == 0 {
		return
	}
	last := n.Results[len(n.Results)-1]
	t, pointer := e.typeOf(last).(*types.Pointer)
	if e.source(last) != "nil" && (e.isError(last) || pointer && strings.HasSuffix(t.Elem().String(), "Error")) {
		e.add(last.Pos(), last.End(), "nil", "error", "the error is lost")
	}
}

// call offers swapped arguments. It is false for words and for what make may ignore.
func (e *editor) call(n *ast.CallExpr) bool {
	name := ""
	switch f := n.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	if messages[name] {
		return false
	}
	if name == "make" {
		if len(n.Args) > 1 { // the capacity changes no result
			ast.Inspect(n.Args[1], e.visit)
		}
		return false
	}
	for i := 0; i+1 < len(n.Args) && !symmetric[name]; i++ {
		x, y := n.Args[i], n.Args[i+1]
		s, t := e.typeOf(x), e.typeOf(y)
		if a, b := e.source(x), e.source(y); a != b && s != nil && t != nil && types.Identical(s, t) {
			between := e.text[e.at(x.End()):e.at(y.Pos())]
			e.add(x.Pos(), y.End(), b+between+a, "arguments", "two arguments are swapped")
		}
	}
	return true
}

// number offers other numbers.
func (e *editor) number(n *ast.BasicLit) {
	var to []string
	switch n.Kind {
	case token.INT:
		v, err := strconv.ParseInt(n.Value, 0, 64)
		if err != nil || v > 1<<53 {
			return
		}
		if v > 0 && v < 100 { // one more or less of many is no mistake that shows
			to = append(to, strconv.FormatInt(v-1, 10))
		}
		if v < 100 {
			to = append(to, strconv.FormatInt(v+1, 10))
		}
		if v > 1 {
			to = append(to, strconv.FormatInt(2*v, 10))
		}
	case token.FLOAT:
		v, err := strconv.ParseFloat(n.Value, 64)
		if err != nil {
			return
		}
		for _, w := range []float64{v - 1, v + 1, 2 * v} {
			if math.Abs(w-v) >= 0.01*math.Abs(v) {
				s := strconv.FormatFloat(w, 'g', -1, 64)
				if !strings.ContainsAny(s, ".e") {
					s += ".0"
				}
				to = append(to, s)
			}
		}
	}
	for _, s := range to {
		text := s
		if strings.HasPrefix(s, "-") {
			text = "(" + s + ")"
		}
		e.add(n.Pos(), n.End(), text, "constant", n.Value+" is "+s)
	}
}
