package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"softkmeans/examples/browser/page"
	"softkmeans/internal/tables"
)

func TestUsage(t *testing.T) {
	var said bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, io.Discard, &said); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h: %v", err)
	}
	for _, want := range []string{"Usage: go run ./examples/browser/serve", "-addr", "-tinygo", "-o string", "localhost:8080"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the help text has no %q:\n%s", want, said.String())
		}
	}
	if err := run(t.Context(), []string{"-fast"}, io.Discard, io.Discard); !errors.Is(err, errUsage) {
		t.Errorf("an unknown flag: %v", err)
	}
	if err := run(t.Context(), []string{"page"}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), `"page"`) {
		t.Errorf("an argument: %v", err)
	}
}

// Errors that a first try meets say what to do.
func TestErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Skip(err)
	}
	defer taken.Close()
	addr := taken.Addr().String()
	if err := run(t.Context(), []string{"-addr", addr}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "cannot serve on "+addr) {
		t.Errorf("an address that is taken: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	tables.OK(t, os.WriteFile(file, nil, 0o666))
	if err := run(t.Context(), []string{"-o", file}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "cannot make the folder") {
		t.Errorf("-o with a file: %v", err)
	}

	t.Run("elsewhere", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if err := run(t.Context(), []string{"-o", "page"}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "from within the softkmeans module") {
			t.Errorf("outside of the module: %v", err)
		}
	})
	t.Run("no compiler", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		for _, flags := range [][]string{nil, {"-tinygo"}} {
			name := []string{"go", "tinygo"}[len(flags)]
			if err := run(t.Context(), append(flags, "-o", t.TempDir()), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "no "+name+" command") {
				t.Errorf("without %s: %v", name, err)
			}
		}
	})
}

// TestFolder: a page may be built anew over an old one, and over nothing else.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	tables.OK(t, mayFill(dir))
	tables.OK(t, mayFill(filepath.Join(dir, "new")))
	tables.OK(t, os.WriteFile(filepath.Join(dir, "index.html"), nil, 0o666))
	if err := run(t.Context(), []string{"-o", dir}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "holds other files") {
		t.Errorf("a folder with other files: %v", err)
	}
	tables.OK(t, os.WriteFile(filepath.Join(dir, program), nil, 0o666))
	tables.OK(t, mayFill(dir))
}

// What a browser needs to know of the files.
func TestHandler(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"index.html", "page.js", "style.css", "softkmeans.wasm"} {
		tables.OK(t, os.WriteFile(filepath.Join(dir, name), []byte("<p>"), 0o666))
	}
	server := httptest.NewServer(handler(dir))
	defer server.Close()
	for path, want := range map[string]string{"/": "text/html", "/page.js": "text/javascript", "/style.css": "text/css", "/softkmeans.wasm": "application/wasm"} {
		r := tables.Must(http.Get(server.URL + path))(t)
		r.Body.Close()
		if got := r.Header.Get("Content-Type"); r.StatusCode != http.StatusOK || !strings.HasPrefix(got, want) || r.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %s, %s", path, r.Status, got)
		}
	}
}

// The page names all that it loads, and allows itself nothing else.
func TestPage(t *testing.T) {
	text := tables.Must(page.Files.ReadFile("index.html"))(t)
	for _, want := range []string{"default-src 'none'", "connect-src 'self'", "script-src 'self' 'wasm-unsafe-eval';", `src="page.js"`, `href="chart.css"`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("index.html has no %s", want)
		}
	}
	for _, bad := range []string{"http://", "https://", "unsafe-inline", "style=", "onclick"} {
		if bytes.Contains(text, []byte(bad)) {
			t.Errorf("index.html has %s", bad)
		}
	}
}
