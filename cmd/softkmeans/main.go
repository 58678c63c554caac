// Command softkmeans fits soft k-means to the rows of a CSV or .npy file, and says how far the squared error
// is from the least that any centers can have. It saves models and computes the memberships of new rows.
// Other commands propose a number of centers, certify centers and memberships of any program, compare labels
// with known classes and two models, write an HTML page, and unmix or simulate images with many bands.
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
	"time"

	"softkmeans/internal/drafts"
	"softkmeans/internal/pixels"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // the data, or reading and writing it
	exitUsage   = 2 // the command line
)

// streams are what a run reads and writes: standard input, output and error, and files.
type streams struct {
	in       io.Reader
	out, err io.Writer
	drafts   *drafts.Set
}

type command struct {
	name, summary string
	seldom        bool // listed at the end of the overview
	flags         func() *flag.FlagSet
	// run does the work. It returns flag.ErrHelp if the help is asked for and
	// a usageError if the command line is wrong.
	run func(ctx context.Context, args []string, s streams) error
}

// commands are in the order of the overview.
var commands = []command{
	{"fit", "find k prototypes and the memberships of every row", false,
		flagsOf(newFitFlagSet), onInput(parseFit)},
	{"predict", "compute memberships of new rows in a model or known prototypes", false,
		flagsOf(newPredictFlagSet), onInput(parsePredict)},
	{"report", "write an HTML page with pictures of a table and its fits", false,
		flagsOf(newReportFlagSet), onInput(parseReport)},
	{"unmix", "find the materials of an image with many bands, and map them", false,
		flagsOf(newUnmixFlagSet), onInput(parseUnmix)},
	{"floors", "print the minimum of the squared error for every k, propose a k", true,
		flagsOf(newFloorsFlagSet), onInput(parseFloors)},
	{"certify", "check whether prototypes and memberships are optimal", true,
		flagsOf(newCertifyFlagSet), onInput(parseCertify)},
	{"compare", "match the prototypes of two models, and print what moved", true,
		flagsOf(newCompareFlagSet), runCompare},
	{"evaluate", "compare labels with known classes, or spectra with known ones", true,
		flagsOf(newEvaluateFlagSet), runEvaluate},
	{"simulate", "write an image with known materials, to try unmix", true,
		flagsOf(newSimulateFlagSet), runSimulate},
	{"version", "print the version", true, flagsOf(newVersionFlagSet), runVersion},
}

func flagsOf[F any](set func(*F) *flag.FlagSet) func() *flag.FlagSet {
	return func() *flag.FlagSet { return set(new(F)) }
}

func main() {
	ignoreBrokenPipe()
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	// The first Ctrl-C cancels ctx; run removes unfinished files and returns soon after, whatever
	// is computed. The second one ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the program on the arguments after its name and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, overview())
		return exitUsage
	}
	s := streams{stdin, stdout, stderr, new(drafts.Set)}
	name, err := interruptible(ctx, s.drafts, func() (string, error) { return dispatch(ctx, args, s) })

	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errNotOptimal):
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "softkmeans: %s\nRun 'softkmeans help%s' for usage.\n", clipped(err.Error()),
			name)
		return exitUsage
	case errors.Is(err, errBrokenPipe):
		fmt.Fprintln(stderr, "softkmeans: the output was closed before it was complete")
	case errors.Is(err, context.Canceled):
		if isTerminal(stderr) {
			io.WriteString(stderr, "\r\x1b[K") // over a line of progress
		}
		fmt.Fprintln(stderr, "softkmeans: interrupted; no file was written")
	default:
		// The package's errors begin with the same prefix.
		fmt.Fprintf(stderr, "softkmeans: %s\n", inLines(clipped(strings.TrimPrefix(err.Error(), "softkmeans: "))))
	}
	return exitFailure
}

// inLines begins a line for each part of a long message of one line, and for its advice.
func inLines(message string) string {
	if len(message) <= 300 || strings.Contains(message, "\n") {
		return message
	}
	return strings.NewReplacer("; ", ";\n  ", " (add ", "\n(add ").Replace(message)
}

// clipped cuts the middle out of a very long message. A message may quote a name
// or a number of a million characters.
func clipped(message string) string {
	const most = 8192 // bytes: twice the longest path of Linux
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most/2]+" … "+message[len(message)-most/2:], "")
}

// grace is how long a command may take to return after an interrupt. Most do at once.
var grace = 200 * time.Millisecond

// interruptible returns what f returns, but at the latest soon after ctx ends: it then removes the drafts
// and lets f, which may compute or read or wait, go on until the process ends. Once drafts have got their
// names it is too late for that, and it waits for f.
func interruptible(ctx context.Context, d *drafts.Set, f func() (name string, err error)) (string, error) {
	type result struct {
		name string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		name, err := f()
		done <- result{name, err}
	}()
	var late <-chan time.Time
	for end := ctx.Done(); ; {
		select {
		case r := <-done:
			return r.name, r.err
		case <-end:
			late, end = time.After(grace), nil
		case <-late:
			if d.Abandon() {
				return "", ctx.Err()
			}
		}
	}
}

// dispatch returns the command's name after a space, or "" if there is no such command.
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
			return "", usageErrorf("%s is not a command; did you mean softkmeans fit %[1]s?", line)
		}
		if _, err := os.Stat(args[0]); err == nil {
			return "", usageErrorf("%q is a file, not a command; did you mean softkmeans fit -k 3 %[1]s?",
				args[0])
		}
		return "", usageErrorf("unknown command %q%s", args[0], nearCommand(args[0]))
	}
	err = c.run(ctx, args[1:], s)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(s.out, c.helpOf(false))
	}
	var unknown unknownFlag
	if errors.As(err, &unknown) {
		err = usageErrorf("%s%s", unknown.Error(), c.misspelt(unknown.name))
	}
	var misuse *pixels.Misuse
	if errors.As(err, &misuse) {
		err = usageErrorf("%v", misuse)
	}
	return " " + c.name, err
}

func find(name string) *command {
	for i := range commands {
		if commands[i].name == name {
			return &commands[i]
		}
	}
	return nil
}

func newVersionFlagSet(*struct{}) *flag.FlagSet {
	return flag.NewFlagSet("version", flag.ContinueOnError)
}

func runVersion(_ context.Context, args []string, s streams) error {
	if _, err := parseFlags(newVersionFlagSet(nil), args, 0); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.out, "softkmeans %s %s %s/%s, %s\n", version(),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, arithmetic)
	return err
}

// arithmetic says what the package computes with on this processor.
var arithmetic = "plain arithmetic"

// version returns the module's version, "(devel)" if it is not known.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
