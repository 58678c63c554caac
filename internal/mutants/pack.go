package main

// A package as the go command builds it on this machine: its files, their types, and
// whether a changed file still builds.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// pack is a package of the module without its tests.
type pack struct {
	dir     string
	path    string // of import
	sources map[string]*source
	names   []string // of the sources, in order
	set     *token.FileSet
	files   map[string]*ast.File
	info    *types.Info
	bare    map[string]*ast.File // files without the bodies of their functions
	imports types.Importer
}

// source is a file of the package.
type source struct {
	name, text string
	lines      []string
}

func newSource(name, text string) *source { return &source{name, text, strings.Split(text, "\n")} }

// listed is what go list says of a package.
type listed struct {
	ImportPath, Export, Dir string
	GoFiles                 []string
	DepOnly                 bool
}

// load reads the package in a directory.
func load(ctx context.Context, dir string) (*pack, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-export", "-deps",
		"-json=ImportPath,Export,Dir,GoFiles,DepOnly", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w\n%s", dir, err, &said)
	}
	exports := map[string]string{}
	p := &pack{set: token.NewFileSet(), sources: map[string]*source{},
		files: map[string]*ast.File{}, bare: map[string]*ast.File{}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		exports[l.ImportPath] = l.Export
		if !l.DepOnly {
			p.dir, p.path, p.names = l.Dir, l.ImportPath, l.GoFiles
		}
	}
	p.imports = importer.ForCompiler(p.set, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path])
	})
	for _, name := range p.names {
		data, err := os.ReadFile(filepath.Join(p.dir, name))
		if err != nil {
			return nil, err
		}
		if err := p.read(name, data); err != nil {
			return nil, err
		}
	}
	return p, p.know()
}

// read parses a file.
func (p *pack) read(name string, data []byte) (err error) {
	p.sources[name] = newSource(name, string(data))
	if p.files[name], err = parser.ParseFile(p.set, name, data, parser.SkipObjectResolution); err != nil {
		return err
	}
	p.bare[name], err = parser.ParseFile(p.set, name, data, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range p.bare[name].Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
	return nil
}

// know finds the types of all expressions.
func (p *pack) know() error {
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	var files []*ast.File
	for _, name := range p.names {
		files = append(files, p.files[name])
	}
	conf := types.Config{Importer: p.imports}
	_, err := conf.Check(p.path, p.set, files, p.info)
	return err
}

// builds is an error if a file of the package with a changed text does not build. It
// looks at the bodies of this file only, which is quick.
func (p *pack) builds(name, text string) error {
	set := p.set
	changed, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	begin, end := changed.FileStart, changed.FileEnd
	files := []*ast.File{changed}
	for _, other := range p.names {
		if other != name {
			files = append(files, p.bare[other])
		}
	}
	var failure error
	conf := types.Config{Importer: p.imports, Error: func(err error) {
		// The other files have errors, for lack of bodies.
		if e := (types.Error{}); failure == nil && errors.As(err, &e) && begin <= e.Pos && e.Pos <= end {
			failure = err
		}
	}}
	conf.Check(p.path, set, files, nil)
	return failure
}

// function is the one that has these lines, from 1, or nil.
func (p *pack) function(file string, first, last int) *ast.FuncDecl {
	f := p.files[file]
	if f == nil {
		return nil
	}
	for _, d := range f.Decls {
		begin, end := p.set.Position(d.Pos()).Line, p.set.Position(d.End()).Line
		if d, ok := d.(*ast.FuncDecl); ok && begin <= first && last <= end {
			return d
		}
	}
	return nil
}
