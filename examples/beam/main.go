// Command beam fits soft k-means to a table in many CSV files, its shards, on many
// machines, with Apache Beam. The result is the global minimum of all rows together.
//
//	go run . -generate /data/demo
//	go run . -k 5 -out /data/fit '/data/demo/shard-*.csv'
//
// README.md has commands for runners other than the one inside of this program.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // an error of the data, of a file or of a runner
	exitUsage   = 2 // an error of the command line
)

func main() {
	fs := flag.CommandLine // Beam's flags are here already
	o := newOptions(fs)
	fs.Usage = func() {}
	fs.Init("beam", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // report prints the error, once
	err := o.parse(fs, os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		usage(os.Stdout, fs)
		os.Exit(exitOK)
	}
	if err == nil {
		beamlog.LogLevel = cmp.Or(o.log, "error")
		beam.Init() // in a worker it does not return
		if o.log == "" && inProcess() {
			slog.SetDefault(slog.New(slog.DiscardHandler))
		}
		err = o.check()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	if err == nil {
		err = o.run(ctx, os.Stdout)
	}
	os.Exit(report(os.Stderr, err))
}

// run executes the command line.
func (o *options) run(ctx context.Context, stdout io.Writer) error {
	if o.generate.dir != "" {
		return o.generate.run(ctx, stdout)
	}
	return o.fit(ctx, stdout)
}

// report prints the error on one line, which is the last, and returns the exit code.
func report(stderr io.Writer, err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "beam: %v\nRun 'beam -help' for usage.\n", err)
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "beam: interrupted; there is no result\n")
	default:
		// The errors of the package begin with its name.
		fmt.Fprintf(stderr, "beam: %s\n", strings.TrimPrefix(err.Error(), "softkmeans: "))
	}
	return exitFailure
}
