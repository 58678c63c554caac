package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"softkmeans/examples/browser/page"
	"softkmeans/examples/browser/sets"
	"softkmeans/internal/answer"
	"softkmeans/internal/chart"
	"softkmeans/testdata"
)

const (
	program = "softkmeans.wasm"
	source  = "softkmeans/examples/browser" // of the program
)

// compiler builds the program. Its loader is below the folder that its variable root names.
type compiler struct {
	name, root, loader string
	env, flags         []string
	missing            string // what to do without it
}

var (
	goCompiler = &compiler{
		name: "go", root: "GOROOT", loader: "lib/wasm/wasm_exec.js",
		env:     []string{"GOOS=js", "GOARCH=wasm"},
		flags:   []string{"build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w"},
		missing: "it builds the page",
	}
	// -opt=z would save 60 kB of 390 with gzip, and fit digits in 1.3 times the time. The default stacks of 64 kB
	// have no guard.
	tinygo = &compiler{
		name: "tinygo", root: "TINYGOROOT", loader: "targets/wasm_exec.js",
		flags:   []string{"build", "-target=wasm", "-opt=2", "-no-debug", "-stack-size=256kB"},
		missing: "see https://tinygo.org/getting-started/install; without -tinygo the page is built with go",
	}
)

// build writes the page to dir: its files, the data, the program and the loader of the compiler. It returns the
// size of the program.
func build(ctx context.Context, dir string, c *compiler) (int64, error) {
	if err := mayFill(dir); err != nil {
		return 0, err
	}
	root, err := c.run(ctx, "env", c.root)
	if err != nil {
		return 0, err
	}
	loader, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), c.loader))
	if err != nil {
		return 0, fmt.Errorf("%s has no loader: %w", c.name, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o777); err != nil {
		return 0, fmt.Errorf("cannot make the folder: %w", err)
	}
	target, err := filepath.Abs(filepath.Join(dir, program))
	if err != nil {
		return 0, err
	}
	if _, err := c.run(ctx, append(c.flags, "-o", target, source)...); err != nil {
		return 0, fmt.Errorf("%w\nThe page is built from within the softkmeans module", err)
	}
	files, err := pageFiles()
	// The style of pictures and answers is a file, so that the page's policy can forbid styles in its text.
	files["wasm_exec.js"], files["chart.css"] = loader, []byte(chart.Style+answer.Style)
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), text, 0o666))
	}
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// pageFiles returns the files of the page that need no compiler, and the tables that come with it.
func pageFiles() (files map[string][]byte, err error) {
	files = map[string][]byte{}
	read := func(from fs.FS, name string) []byte {
		text, wrong := fs.ReadFile(from, name)
		err = errors.Join(err, wrong)
		return text
	}
	names, err := fs.Glob(page.Files, "*")
	for _, name := range names {
		files[name] = read(page.Files, name)
	}
	for _, set := range sets.All {
		rows, labels := read(testdata.Files, set.Name+".csv"), read(testdata.Files, set.Name+".labels.csv")
		files["data/"+set.Name+".csv"] = []byte(set.Table(rows, labels))
	}
	return files, err
}

// mayFill returns an error if a folder holds files and no page.
func mayFill(dir string) error {
	names, err := os.ReadDir(dir)
	if err != nil || len(names) == 0 {
		return nil // creating the folder, or writing to it, gives the error
	}
	if _, err := os.Stat(filepath.Join(dir, program)); err != nil {
		return fmt.Errorf("%s holds other files; name a new or empty folder", dir)
	}
	return nil
}

// run runs the compiler and returns its standard output. The error has its standard error.
func (c *compiler) run(ctx context.Context, args ...string) (string, error) {
	var said, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, c.name, args...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &said, &complaint, append(os.Environ(), c.env...)
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return "", errors.New("interrupted")
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("there is no %s command on the PATH: %s", c.name, c.missing)
	case err != nil:
		return "", fmt.Errorf("%s %s: %w\n%s", c.name, args[0], err, complaint.Bytes())
	}
	return said.String(), nil
}
