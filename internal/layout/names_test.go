package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// declared lists the names that the sources declare: Name, package.Name, and Type.Member of methods and
// fields, those of embedded types among them.
func declared(t *testing.T) map[string]bool {
	t.Helper()
	known, embeds := map[string]bool{}, map[string][]string{}
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		add := func(of string, name *ast.Ident) {
			known[name.Name], known[f.Name.Name+"."+name.Name], known[of+"."+name.Name] = true, true, true
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				of, _ := receiver(d)
				add(of, d.Name)
			case *ast.GenDecl:
				ast.Inspect(d, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.ValueSpec:
						for _, name := range n.Names {
							add("", name)
						}
					case *ast.TypeSpec:
						add("", n.Name)
						ast.Inspect(n.Type, func(m ast.Node) bool {
							if field, ok := m.(*ast.Field); ok {
								for _, name := range field.Names {
									add(n.Name.Name, name)
								}
								if of, ok := field.Type.(*ast.Ident); ok && field.Names == nil {
									embeds[n.Name.Name] = append(embeds[n.Name.Name], of.Name)
								}
							}
							return true
						})
					}
					return true
				})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range maps.Clone(known) {
		of, member, _ := strings.Cut(name, ".")
		for outer, list := range embeds {
			if slices.Contains(list, of) {
				known[outer+"."+member] = true
			}
		}
	}
	return known
}

// TestNames: every exported name in backquotes, alone or behind its package or type, is declared in the sources, and
// every flag of softkmeans is in its help.
func TestNames(t *testing.T) {
	known := declared(t)
	// Names of other programs.
	for _, name := range strings.Fields("SpectralClustering KMeans Float64Array Float32Array Response SoftKMeansError AbortError TimeoutError") {
		known[name] = true
	}
	help := string(mustDo(os.ReadFile("cmd/softkmeans/help/flags.txt"))(t))
	code := regexp.MustCompile("`[^`\n]+`")
	name := regexp.MustCompile(`^(?:[A-Za-z]\w*\.)?[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*$`)
	flags := regexp.MustCompile(`(?:^| )-([a-z]+)`)
	test := regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)[A-Z]`)
	ofCommand := regexp.MustCompile(`^(\./)?(softkmeans |fit |predict |report |floors |certify |unmix |evaluate )`)
	own := regexp.MustCompile(`^docs/(command|files|unmix|answer)\.md$`) // other pages have flags of other programs
	names, flagged := 0, 0
	for _, page := range append(pages(t), "js/README.md", "convert/README.md", "examples/beam/README.md") {
		var commands []string
		text := string(mustDo(os.ReadFile(page))(t))
		text = regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")
		for _, quoted := range code.FindAllString(text, -1) {
			quoted = strings.Trim(quoted, "`")
			if name.MatchString(quoted) && !test.MatchString(quoted) {
				names++
				if !known[quoted] {
					t.Errorf("%s names %s, which no source declares", page, quoted)
				}
			}
			if !ofCommand.MatchString(quoted) && !(strings.HasPrefix(quoted, "-") && own.MatchString(page)) {
				continue
			}
			commands = append(commands, quoted)
		}
		for _, line := range fences(t, page, "") {
			line, _, _ = strings.Cut(line, "#")
			if _, args, ok := strings.Cut(line, "softkmeans "); ok {
				commands = append(commands, args)
			}
		}
		for _, line := range commands {
			for _, m := range flags.FindAllStringSubmatch(line, -1) {
				if flagged++; m[1] != "all" && !regexp.MustCompile(`(?m)^-`+m[1]+`\b`).MatchString(help) {
					t.Errorf("%s: the help has no flag -%s: %s", page, m[1], line)
				}
			}
		}
	}
	if names < 100 || flagged < 100 {
		t.Errorf("only %d names and %d flags were found", names, flagged)
	}
}
