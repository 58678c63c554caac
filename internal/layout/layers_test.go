package layout

// docs/architecture.md says which file may use which. The test reads that table
// and the sources, so that neither can go stale.

import (
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// place is a file's layer, its wing of that layer (6a, 6b, …), and the index of its group within the wing.
// Files in parentheses are one group.
type place struct {
	layer, wing string
	room        int
}

// architecture reads the table of layers.
func architecture(t *testing.T, page string) map[string]place {
	t.Helper()
	text := mustDo(os.ReadFile(page))(t)
	rows := regexp.MustCompile(`(?m)^\| (\d)([a-z]?) [^|]*\| ([^|]+) \|`).FindAllStringSubmatch(string(text), -1)
	places := map[string]place{}
	for _, row := range rows {
		for room, group := range regexp.MustCompile(`\([^)]*\)|[a-z0-9_]+`).FindAllString(row[3], -1) {
			for _, file := range regexp.MustCompile(`[a-z0-9_]+`).FindAllString(group, -1) {
				if _, twice := places[file]; twice {
					t.Errorf("%s is in the table twice", file)
				}
				places[file] = place{row[1], row[2], room}
			}
		}
	}
	return places
}

// mayUse reports whether a file at p may use one at q.
func (p place) mayUse(q place) bool {
	if p.layer != q.layer {
		return p.layer > q.layer
	}
	return p.wing == q.wing && q.room <= p.room
}

// uses lists which file of the package uses which name of which other file.
func uses(t *testing.T) (list []use) {
	t.Helper()
	set, files := parsed(t)
	files = slices.DeleteFunc(files, func(f *ast.File) bool { // of several builds the plain one
		return slices.Contains([]string{"kernels_simd.go", "simd_amd64.go", "simd_other.go", "goroutines_none.go"},
			filepath.Base(set.Position(f.Package).Filename))
	})
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(set, "source", nil)}
	pkg := mustDo(config.Check("softkmeans", set, files, info))(t)
	fileOf := func(pos token.Pos) string {
		return strings.TrimSuffix(filepath.Base(set.Position(pos).Filename), ".go")
	}
	for id, o := range info.Uses {
		if o.Pkg() != pkg || !o.Pos().IsValid() {
			continue
		}
		if from, to := fileOf(id.Pos()), fileOf(o.Pos()); from != to {
			list = append(list, use{from, to, o.Name(), set.Position(id.Pos()).String()})
		}
	}
	return list
}

// use is a name of one file in another.
type use struct{ from, to, name, at string }

// TestLayers: every file has one place in the table, and no use runs up.
func TestLayers(t *testing.T) {
	t.Parallel()
	places := architecture(t, "docs/architecture.md")
	for _, name := range sources(t) {
		if _, ok := places[strings.TrimSuffix(name, ".go")]; !ok {
			t.Errorf("%s has no place in docs/architecture.md", name)
		}
	}
	for file := range places {
		if _, err := os.Stat(file + ".go"); err != nil {
			t.Errorf("docs/architecture.md names %s.go, which is not here", file)
		}
	}
	all := uses(t)
	if len(all) < 1000 {
		t.Errorf("only %d uses were found", len(all))
	}
	for _, u := range all {
		if !places[u.from].mayUse(places[u.to]) {
			t.Errorf("%s: %s of layer %s%s uses %s of %s, layer %s%s", u.at, u.from, places[u.from].layer, places[u.from].wing,
				u.name, u.to, places[u.to].layer, places[u.to].wing)
		}
	}
}

// The sizes that docs/architecture.md promises. Kernels are unrolled, and may have
// the parameters of a BLAS routine.
const (
	mostFileLines = 700
	mostFuncLines = 80
	mostParams    = 6
	mostWords     = 40
	mostColumns   = 110 // a tab counts as four
)

// TestSizes: no file, function, parameter list or comment sentence is longer than the house allows.
func TestSizes(t *testing.T) {
	set, files := parsed(t)
	for _, f := range files {
		name := filepath.Base(set.Position(f.Package).Filename)
		if lines := set.File(f.Pos()).LineCount(); lines > mostFileLines {
			t.Errorf("%s has %d lines", name, lines)
		}
		for _, group := range f.Comments {
			for _, s := range sentences(group.Text()) {
				if words := len(strings.Fields(s)); words > mostWords {
					t.Errorf("%s: a sentence of %d words: %.60s…", set.Position(group.Pos()), words, s)
				}
			}
		}
		if strings.HasPrefix(name, "kernels") {
			continue
		}
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if lines := set.Position(d.End()).Line - set.Position(d.Pos()).Line + 1; lines > mostFuncLines {
				t.Errorf("%s: %s has %d lines", set.Position(d.Pos()), d.Name.Name, lines)
			}
			if n := d.Type.Params.NumFields(); n > mostParams {
				t.Errorf("%s: %s has %d parameters", set.Position(d.Pos()), d.Name.Name, n)
			}
		}
	}
}

// TestLineLengths: no line of the sources is too long to read.
func TestLineLengths(t *testing.T) {
	for _, name := range sources(t) {
		text := mustDo(os.ReadFile(name))(t)
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); n > mostColumns {
				t.Errorf("%s:%d has %d columns", name, i+1, n)
			}
		}
	}
}

// sentences cuts a comment at full stops and blank lines; code blocks and lists are not sentences.
func sentences(text string) (list []string) {
	end := regexp.MustCompile(`[.!?]\s+|\.\s*$`)
	for _, paragraph := range strings.Split(text, "\n\n") {
		if !strings.HasPrefix(paragraph, "\t") && !strings.HasPrefix(strings.TrimSpace(paragraph), "- ") {
			list = append(list, end.Split(strings.ReplaceAll(paragraph, "\n", " "), -1)...)
		}
	}
	return list
}
