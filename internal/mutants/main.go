// Command mutants puts faults drawn at random into a package, one at a time, runs its
// tests, and says which faults they caught: a measure of the tests, not of the package.
//
//	go -C internal/mutants run . -n 150 -seed 7
//	go -C internal/mutants run . -n 40 -pkg modelfile
//	go -C internal/mutants run . -terms terms.txt # the faults that this file names
//
// It works in a copy in a temporary folder and never touches the working tree.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const help = `usage: go -C internal/mutants run . [flags]

Puts faults drawn at random into a copy of a package, one at a time, runs its tests, and
prints in Markdown which faults were caught and by which test: operators, constants,
conditions, errors, statements left out, swapped arguments.

A fault is shown to the tests that run its lines, the quickest first, and then to the others
that run its function. Which these are is measured first, with a run of each test by itself.
Tests that do not end have caught the fault, too.

Exit code: 0; 1 if fewer than -share of the faults were caught; 2 for wrong arguments or
where the tests cannot be run, as when they fail without any fault.

flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], "../..", os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

type options struct {
	list, full           bool
	only, files          *regexp.Regexp
	pkg, terms           string
	workers, count, skip int
	seed                 uint64
	share                float64
	timeout              time.Duration
}

func parseFlags(args []string, stderr io.Writer) (o options, err error) {
	set := flag.NewFlagSet("mutants", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Usage = func() {
		fmt.Fprint(stderr, help)
		set.PrintDefaults()
	}
	set.IntVar(&o.count, "n", 150, "draw so `many` faults")
	set.Uint64Var(&o.seed, "seed", 1, "of the draw")
	set.StringVar(&o.pkg, "pkg", ".", "the package's `folder` in the module")
	set.IntVar(&o.skip, "skip", 0, "leave out the first `many` of those drawn, as after a run that was stopped")
	set.StringVar(&o.terms, "terms", "", "try the faults of the proofs' terms in a `FILE`, and no others")
	files := set.String("files", "", "draw from files that match the `REGEXP`")
	only := set.String("run", "", "of those drawn only the faults whose name matches the `REGEXP`")
	set.BoolVar(&o.list, "list", false, "print the faults and do nothing")
	set.BoolVar(&o.full, "full", false, "run the tests without -short")
	set.IntVar(&o.workers, "p", 2, "how many faults at a time")
	set.Float64Var(&o.share, "share", 0.9, "the `share` of the faults that must be caught")
	set.DurationVar(&o.timeout, "timeout", 10*time.Minute, "the longest time for one run of tests; it is "+
		"mostly less: 20 s and ten times what they take without a fault")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, err
	}
	if o.files, err = regexp.Compile(*files); err != nil {
		return o, err
	}
	switch {
	case set.NArg() > 0:
		return o, fmt.Errorf("unknown argument %q", set.Arg(0))
	case o.workers < 1:
		return o, errors.New("-p is below 1")
	case o.count < 1:
		return o, errors.New("-n is below 1")
	case o.skip < 0:
		return o, errors.New("-skip is below 0")
	case !filepath.IsLocal(o.pkg):
		return o, fmt.Errorf("-pkg %s is not a folder of the module", o.pkg)
	case !(o.share >= 0 && o.share <= 1):
		return o, errors.New("-share is not in [0, 1]")
	case o.timeout <= 0:
		return o, errors.New("-timeout is not above 0")
	}
	return o, nil
}

// run does what the arguments say with the module in a folder, and returns the exit code.
func run(ctx context.Context, args []string, module string, stdout, stderr io.Writer) int {
	o, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fail := func(err error) int {
		fmt.Fprintln(stderr, "mutants:", err)
		return 2
	}
	if err != nil {
		return fail(err)
	}
	if o.terms != "" {
		if err := tryTerms(ctx, module, o.terms, o.only, stdout); err != nil {
			return fail(err)
		}
		return 0
	}
	p, err := load(ctx, filepath.Join(module, o.pkg))
	if err != nil {
		return fail(err)
	}
	faults, broken := p.sample(o.files, o.count, o.seed)
	faults = slices.DeleteFunc(faults[min(o.skip, len(faults)):], func(f fault) bool { return !o.only.MatchString(f.name) })
	if len(faults) == 0 {
		return fail(errors.New("no fault is left to try"))
	}
	if o.list {
		for i := range faults {
			fmt.Fprint(stdout, show(p, &faults[i]))
		}
		return 0
	}
	begin := time.Now()
	results, err := testAll(ctx, module, faults, &o, stderr)
	if err != nil {
		return fail(err)
	}
	return report(stdout, p, results, &o, broken, time.Since(begin))
}

// testAll tries the faults.
func testAll(ctx context.Context, module string, faults []fault, o *options,
	stderr io.Writer) ([]result, error) {
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	var mu sync.Mutex
	progress := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(stderr, text)
	}
	b, err := newBench(ctx, module, folder, o, progress)
	if err != nil {
		return nil, err
	}
	results := make([]result, len(faults))
	done, good := 0, 0
	err = each(ctx, len(faults), o.workers, func(i, worker int) error {
		r, err := b.try(ctx, faults[i], worker)
		if err != nil {
			return fmt.Errorf("%s: %w", faults[i].name, err)
		}
		mu.Lock()
		defer mu.Unlock()
		results[i] = r
		done++
		if r.verdict == caught || r.verdict == hung {
			good++
		}
		fmt.Fprintf(stderr, "%d/%d, %d caught; %s: %s %s, %.0f s\n", done, len(faults), good, r.name,
			r.verdict, r.by, r.took.Seconds())
		if r.verdict == invalid {
			fmt.Fprintf(stderr, "\n%s\n%s\n", r.name, shortened(r.output))
		}
		return nil
	})
	return results, err
}

// shortened is the beginning of what tests said.
func shortened(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return strings.Join(lines[:min(len(lines), 12)], "\n")
}

// report prints the table, the survivors and the counts, and returns the exit code. broken
// counts the faults that were drawn and not tried, as they do not build.
func report(out io.Writer, p *pack, results []result, o *options, broken int, took time.Duration) int {
	var counts [invalid + 1]int
	fmt.Fprint(out, "| fault | file | kind | what is wrong | verdict | by | s |\n| --- | --- | --- | --- | "+
		"--- | --- | --: |\n")
	escape := strings.NewReplacer("|", `\|`, "\n", " ")
	for _, r := range results {
		counts[r.verdict]++
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %.0f |\n", r.name, r.file, r.kind,
			escape.Replace(r.what), r.verdict, escape.Replace(r.by), r.took.Seconds())
	}
	if counts[survived] > 0 {
		fmt.Fprintf(out, "\nSurvivors:\n")
	}
	for i := range results {
		if r := &results[i]; r.verdict == survived {
			fmt.Fprintf(out, "\nrun by %d tests: %s", r.tests, show(p, &r.fault))
		}
	}
	valid := len(results) - counts[invalid] - counts[same]
	good := counts[caught] + counts[hung]
	fmt.Fprintf(out, "\n%d faults: %d caught, %d of them as tests that did not end, %d survived, %d "+
		"compile to the same program, %d do not build: %.1f %% of %d caught, in %s.\n",
		len(results)+broken, good, counts[hung], counts[survived], counts[same], counts[invalid]+broken,
		100*float64(good)/float64(max(valid, 1)), valid, took.Round(time.Second))
	if float64(good) < o.share*float64(valid) {
		return 1
	}
	return 0
}

// show is a fault with its place and the code around it: two lines before and after, with
// '-' what it replaces and with '+' what comes instead.
func show(p *pack, f *fault) string {
	s := p.sources[f.file]
	name := "no function"
	if d := p.function(f.file, f.first, f.last); d != nil {
		name = d.Name.Name
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s:%d in %s, %s: %s\n", f.name, f.file, f.first, name, f.kind, f.what)
	fresh := strings.Split(f.apply(s), "\n")
	for line := max(f.first-2, 1); line <= min(f.last+2, len(s.lines)); line++ {
		mark := ' '
		if f.first <= line && line <= f.last {
			mark = '-'
		}
		fmt.Fprintf(&b, "%6d %c\t%s\n", line, mark, s.lines[line-1])
		if line == f.last {
			for _, text := range fresh[f.first-1 : f.last] {
				fmt.Fprintf(&b, "       +\t%s\n", text)
			}
		}
	}
	return b.String()
}
