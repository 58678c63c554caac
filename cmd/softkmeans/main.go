// Command softkmeans fits soft k-means, global or of minimal volume, to the rows
// of a CSV or .npy file, which may be larger than the memory, and says, with a
// certificate, how near to the proven minimum the result is; of centers and
// memberships from elsewhere, too. It saves models, gives new rows their
// memberships, and draws a page of pictures.
//
//	go run ./cmd/softkmeans fit -k 3 testdata/iris.csv
//
// Run it with help for the list of commands.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // the data, or reading and writing it
	exitUsage   = 2 // the command line
)

// streams are what a process has open at its start.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// command is one of the words that may follow the program's name.
type command struct {
	name, summary string
	help          string // what "help NAME" and "NAME -h" print
	// run does the work. It returns flag.ErrHelp to have the help printed, and
	// a usageError where the command line is at fault.
	run func(ctx context.Context, args []string, s streams) error
}

var commands = []command{
	{"fit", "find k centers and the memberships of every row", fitHelp, runFit},
	{"predict", "find the memberships of new rows in a saved model", predictHelp, runPredict},
	{"floors", "how much k centers can explain at best, and a first guess at k", floorsHelp, runFloors},
	{"certify", "whether centers and memberships of any program are optimal", certifyHelp, runCertify},
	{"evaluate", "how well labels agree with known classes", evaluateHelp, runEvaluate},
	{"report", "write an HTML page about a table, to look at", reportHelp, runReport},
	{"version", "print the version", "Usage: softkmeans version\n\nPrint the version of this program and of Go.\n", runVersion},
}

func main() {
	ignoreBrokenPipe()
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	// The first Ctrl-C asks for an end, which removes unfinished files; should
	// something hang, the second one ends the process as if ctx did not exist.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program without its process: args are the words after its name,
// and the result is the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, overview())
		return exitUsage
	}
	s := streams{stdin, stdout, stderr}
	name, err := dispatch(ctx, args, s)

	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errNotOptimal):
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "softkmeans: %s\nRun 'softkmeans help%s' for usage.\n", clipped(err.Error()), name)
		return exitUsage
	case errors.Is(err, errBrokenPipe):
		fmt.Fprintln(stderr, "softkmeans: nobody reads the output any more; there is no complete one")
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "softkmeans: interrupted; there is no result")
	default:
		// The package's own errors begin with its name, which is ours, too.
		fmt.Fprintf(stderr, "softkmeans: %s\n", clipped(strings.TrimPrefix(err.Error(), "softkmeans: ")))
	}
	return exitFailure
}

// clipped leaves out the middle of a message with a very long name, or a number of a
// million digits, in it.
func clipped(message string) string {
	const most = 8192 // more than twice that of a path
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most/2]+" … "+message[len(message)-most/2:], "")
}

// dispatch finds and runs the command. The name it returns is that of the
// command after a space, or empty if there is no such command.
func dispatch(ctx context.Context, args []string, s streams) (name string, err error) {
	switch args[0] {
	case "help", "-h", "-help", "--help":
		return "", printHelp(s.out, args[1:])
	case "-version", "--version":
		return "", runVersion(ctx, nil, s)
	}
	c := find(args[0])
	if c == nil {
		if strings.HasPrefix(args[0], "-") {
			line := commandLine(args)
			return "", usageErrorf("%s is no command; did you mean softkmeans fit %[1]s?", line)
		}
		if _, err := os.Stat(args[0]); err == nil {
			return "", usageErrorf("%q is a file, not a command; did you mean softkmeans fit -k 3 %[1]s?", args[0])
		}
		return "", usageErrorf("unknown command %q; there are %s", args[0], commandNames())
	}
	err = c.run(ctx, args[1:], s)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(s.out, c.help)
	}
	return " " + c.name, err
}

func printHelp(w io.Writer, args []string) error {
	text := overview()
	switch {
	case len(args) > 1:
		return usageErrorf("help takes one command, not %d", len(args))
	case len(args) == 1 && args[0] != "help":
		c := find(args[0])
		if c == nil {
			return usageErrorf("no help for %q; there are %s", args[0], commandNames())
		}
		text = c.help
	}
	_, err := io.WriteString(w, text)
	return err
}

func find(name string) *command {
	for i := range commands {
		if commands[i].name == name {
			return &commands[i]
		}
	}
	return nil
}

func overview() string {
	var b strings.Builder
	b.WriteString(`softkmeans describes every row of a table as a mixture of k centers, with the
least squared error that any k centers can reach, and proves it.

Usage: softkmeans COMMAND [flags] [FILE]

`)
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-10s %s\n", c.name, c.summary)
	}
	b.WriteString(`  help       describe a command: softkmeans help fit

Example: softkmeans fit -k 3 testdata/iris.csv
`)
	return b.String()
}

func commandNames() string {
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	return strings.Join(append(names, "help"), ", ")
}

func runVersion(_ context.Context, args []string, s streams) error {
	if _, err := parseFlags(flag.NewFlagSet("version", flag.ContinueOnError), args, 0); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.out, "softkmeans %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version is that of this program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
