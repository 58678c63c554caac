// Command serve builds the page in examples/browser and serves it on this machine, or
// writes it to a folder for any web server:
//
//	go run ./examples/browser/serve
//	go run ./examples/browser/serve -o DIR
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const usage = `Usage: go run ./examples/browser/serve [-addr HOST:PORT] [-tinygo] [-o DIR]

Builds the page that runs softkmeans as WebAssembly in the browser, and serves
it until interrupted. With -o the files are written to DIR instead; any web
server can serve them, under any path. Run it from within the module.

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

// errUsage stands for an error that package flag has printed.
var errUsage = errors.New("usage")

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	addr := flags.String("addr", "localhost:8080", "where to serve; port 0 is any free one")
	tiny := flags.Bool("tinygo", false, "build with tinygo: 40 % of the size, with gzip half")
	out := flags.String("o", "", "write the page to this folder, which is created if needed, and do not serve")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return errUsage
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("what is %q? There are flags only; -h lists them", flags.Arg(0))
	}
	with := goCompiler
	if *tiny {
		with = tinygo
	}
	if *out == "" {
		return serve(ctx, *addr, with, stdout)
	}
	size, err := build(ctx, *out, with)
	if err == nil {
		fmt.Fprintf(stdout, "The page is in %s, ready for a web server; %s has %.2f MB.\n", *out, program, float64(size)/1e6)
	}
	return err
}

// serve builds the page in a folder of its own and serves it until ctx is done.
func serve(ctx context.Context, addr string, with *compiler, stdout io.Writer) error {
	listener, err := net.Listen("tcp", addr) // before the build, which takes some seconds
	if err != nil {
		return fmt.Errorf("cannot serve on %s: %w", addr, err)
	}
	defer listener.Close()
	dir, err := os.MkdirTemp("", "softkmeans-page-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := build(ctx, dir, with); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "http://%s/   (Ctrl-C ends)\n", listener.Addr())
	server := &http.Server{Handler: handler(dir), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler serves the files of dir. Browsers must not cache them, so that a new build is
// seen.
func handler(dir string) http.Handler {
	files := http.FileServer(http.Dir(dir))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		files.ServeHTTP(w, r)
	})
}
