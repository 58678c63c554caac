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

	"softkmeans/internal/answer"
	"softkmeans/internal/chart"
)

const program = "softkmeans.wasm"

// build writes the page to dir: its files, the data, the program and the loader of the
// compiler. It returns the size of the program.
func build(ctx context.Context, dir string, tiny bool) (int64, error) {
	if err := mayFill(dir); err != nil {
		return 0, err
	}
	source, err := find(ctx)
	if err != nil {
		return 0, err
	}
	findLoader := goLoader
	if tiny {
		findLoader = tinygoLoader
	}
	loader, err := findLoader(ctx, source)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, fmt.Errorf("cannot make the folder: %w", err)
	}
	target, err := filepath.Abs(filepath.Join(dir, program))
	if err != nil {
		return 0, err
	}
	if tiny {
		// -opt=z would save 60 kB of 390 with gzip, and fit digits in 1.3 times the time.
		// The default stacks of 64 kB have no guard.
		err = compile(ctx, source, nil, "tinygo", "build", "-target=wasm", "-opt=2", "-no-debug", "-stack-size=256kB", "-o", target, ".")
	} else {
		err = compile(ctx, source, []string{"GOOS=js", "GOARCH=wasm"}, "go", "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", target, ".")
	}
	if err != nil {
		return 0, err
	}
	if err := copyFile(filepath.Join(dir, "wasm_exec.js"), loader); err != nil {
		return 0, err
	}
	if err := copyAll(dir, filepath.Join(source, "page"), "*"); err != nil {
		return 0, err
	}
	// The style of pictures and answers is a file, so that the page's policy can forbid styles in its text.
	if err := os.WriteFile(filepath.Join(dir, "chart.css"), []byte(chart.Style+answer.Style), 0o666); err != nil {
		return 0, err
	}
	if err := copyAll(filepath.Join(dir, "data"), filepath.Join(source, "..", "..", "testdata"), "*.csv"); err != nil {
		return 0, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
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

// find returns the folder of the page's source, from anywhere in the module.
func find(ctx context.Context) (string, error) {
	said, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}")
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("there is no go command on the PATH; it builds the page")
	}
	root := strings.TrimSpace(said)
	if err == nil && root != "" && !strings.Contains(root, "\n") {
		at := filepath.Join(root, "examples", "browser")
		if _, err := os.Stat(filepath.Join(at, "page", "index.html")); err == nil {
			return at, nil
		}
	}
	here, wdErr := os.Getwd()
	if wdErr != nil {
		here = "here"
	}
	return "", fmt.Errorf("%s is not within the softkmeans module, whose examples/browser is to be built: change to its folder first", here)
}

func goLoader(ctx context.Context, source string) (string, error) {
	root, err := output(ctx, source, "go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	return existing("the go command's loader wasm_exec.js", filepath.Join(strings.TrimSpace(root), "lib", "wasm", "wasm_exec.js"))
}

func tinygoLoader(ctx context.Context, source string) (string, error) {
	root, err := output(ctx, source, "tinygo", "env", "TINYGOROOT")
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("there is no tinygo command on the PATH (https://tinygo.org/getting-started/install); without -tinygo the page is built with go")
	}
	if err != nil {
		return "", err
	}
	return existing("tinygo's loader wasm_exec.js", filepath.Join(strings.TrimSpace(root), "targets", "wasm_exec.js"))
}

func existing(what, path string) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is missing: %w", what, err)
	}
	return path, nil
}

// output runs a command in dir and returns its standard output. The error has its
// standard error.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	var said, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, complaint.Bytes())
	}
	return said.String(), nil
}

func compile(ctx context.Context, dir string, env []string, name string, args ...string) error {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &said
	cmd.Env = append(os.Environ(), env...)
	err := cmd.Run()
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if err != nil {
		return fmt.Errorf("%s build: %w\n%s", name, err, said.Bytes())
	}
	return nil
}

// copyAll copies the files of a folder that match, and no folders.
func copyAll(to, from, pattern string) error {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	paths, err := filepath.Glob(filepath.Join(from, pattern))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s: %w", filepath.Join(from, pattern), fs.ErrNotExist)
	}
	for _, path := range paths {
		if err := copyFile(filepath.Join(to, filepath.Base(path)), path); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}
