// Command mutants puts deliberate faults into a package, one at a time, runs its tests,
// and says which faults they caught: a measure of the tests, not of the package.
//
//	go run ./internal/mutants            the faults of internal/mutants/faults.txt
//	go run ./internal/mutants -n 150     faults drawn at random by -seed
//	go run ./internal/mutants -check     whether the list still follows the sources
//
// It works in a copy in a temporary folder and never touches the working tree, but for
// the list itself with -fix.
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
	"strings"
	"sync"
	"time"
)

const help = `usage: go run ./internal/mutants [flags]     from the module's root

Puts deliberate faults into a copy of a package, one at a time, runs its tests, and
prints in Markdown which faults were caught and by which test. The faults are those of
internal/mutants/faults.txt or, with -n, drawn at random from the syntax trees:
operators, constants, conditions, errors, statements left out, swapped arguments.

A fault is shown to the tests that run its lines, the quickest first. Which these are is
measured once, with a run of each test by itself, and kept in the user's cache folder
until a Go file or test data of the module changes. Tests that do not end have caught the fault, too.

Exit code: 0; 1 if fewer than -share of the faults were caught, or if one of the list
does not build; 2 for wrong arguments or where the tests cannot be run, as when they
fail without any fault.

flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], ".", os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

type options struct {
	list, check, fix, long bool
	failing, verbose       bool
	only, files            *regexp.Regexp
	tests, pkg             string
	workers, random        int
	seed                   uint64
	share                  float64
	timeout                time.Duration
}

func parseFlags(args []string, stderr io.Writer) (o options, err error) {
	set := flag.NewFlagSet("mutants", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Usage = func() {
		fmt.Fprint(stderr, help)
		set.PrintDefaults()
	}
	set.BoolVar(&o.list, "list", false, "print the faults and do nothing")
	set.BoolVar(&o.check, "check", false, "only say which faults of the list do not match the sources or do not build, and what to mend")
	set.BoolVar(&o.fix, "fix", false, "-check, and write the list anew where lines have moved to another file or differ in names alone")
	only := set.String("run", "", "only the faults whose name matches the `REGEXP`")
	files := set.String("files", "", "only faults in files that match the `REGEXP`")
	set.StringVar(&o.tests, "tests", "", "only the tests that match the `REGEXP`: to see whether a new test catches what it is for")
	set.StringVar(&o.pkg, "pkg", ".", "the package's `folder`; the list is of the root, others have random faults only")
	set.IntVar(&o.workers, "p", 2, "how many faults at a time")
	set.IntVar(&o.random, "n", 0, "in place of the list so `many` faults drawn at random")
	set.Uint64Var(&o.seed, "seed", 1, "of -n")
	set.BoolVar(&o.long, "long", false, "show what survives to all tests with SOFTKMEANS_LONG=1")
	set.BoolVar(&o.failing, "failing", false, "leave out the tests that fail without any fault; without this flag they are an error")
	set.Float64Var(&o.share, "share", 0.9, "the `share` of the faults that must be caught")
	set.DurationVar(&o.timeout, "timeout", 10*time.Minute, "the longest time for one run of tests; it is mostly less: 20 s and ten times what they take without a fault")
	set.BoolVar(&o.verbose, "v", false, "print what the tests that caught a fault said")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, err
	}
	if o.files, err = regexp.Compile(*files); err != nil {
		return o, err
	}
	o.check = o.check || o.fix
	switch {
	case set.NArg() > 0:
		return o, fmt.Errorf("unknown argument %q", set.Arg(0))
	case o.workers < 1:
		return o, errors.New("-p is below 1")
	case o.random < 0:
		return o, errors.New("-n is below 0")
	case o.check && o.random > 0:
		return o, errors.New("-check is of the list, -n does without it")
	case filepath.Clean(o.pkg) != "." && o.random == 0:
		return o, errors.New("the list is of the root; with -pkg give -n")
	case !filepath.IsLocal(o.pkg):
		return o, fmt.Errorf("-pkg %s is not a folder of the module", o.pkg)
	case !(o.share >= 0 && o.share <= 1):
		return o, errors.New("-share is not in [0, 1]")
	case o.timeout <= 0:
		return o, errors.New("-timeout is not above 0")
	}
	return o, nil
}

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
	if _, err := os.Stat(filepath.Join(module, listPath)); err != nil {
		return fail(fmt.Errorf("%w (this runs in the module's root)", err))
	}
	p, err := load(ctx, filepath.Join(module, o.pkg))
	if err != nil {
		return fail(err)
	}
	if o.check {
		faults, err := parse(list)
		if err != nil {
			return fail(fmt.Errorf("%s, %w", listPath, err))
		}
		return checkList(p, module, faults, o.fix, stdout)
	}
	faults, broken, err := chosen(p, &o)
	if err != nil {
		return fail(err)
	}
	if o.list {
		for i := range faults {
			fmt.Fprintln(stdout, &faults[i])
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

// chosen are the faults to try, each of which is in the sources. broken counts random ones
// that do not build.
func chosen(p *pack, o *options) (faults []fault, broken int, err error) {
	if o.random > 0 {
		faults, broken = p.sample(o.files, o.random, o.seed)
	} else if faults, err = parse(list); err != nil {
		return nil, 0, fmt.Errorf("%s, %w", listPath, err)
	}
	kept := faults[:0]
	for _, f := range faults {
		if !o.only.MatchString(f.name) {
			continue
		}
		s, err := p.locate(&f)
		if err != nil {
			return nil, 0, fmt.Errorf("%s:%d: %s: %w", listPath, f.number, f.name, err)
		}
		if f.file = s.name; o.files.MatchString(f.file) {
			kept = append(kept, f)
		}
	}
	if len(kept) == 0 {
		return nil, 0, errors.New("no fault has such a name or file")
	}
	return kept, broken, nil
}

// testAll tries the faults.
func testAll(ctx context.Context, module string, faults []fault, o *options, stderr io.Writer) ([]result, error) {
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	var mu sync.Mutex
	print := func(text string) { fmt.Fprintln(stderr, text) }
	if f, ok := stderr.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 { // one line, written over
			print = func(text string) { fmt.Fprintf(stderr, "\r%.79s\x1b[K", text) }
			defer fmt.Fprintln(stderr)
		}
	}
	progress := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		print(text)
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
		print(fmt.Sprintf("%d/%d, %d caught; %s: %s %s, %.0f s", done, len(faults), good, r.name, r.verdict, r.by, r.took.Seconds()))
		if o.verbose || r.verdict == invalid {
			fmt.Fprintf(stderr, "\n%s\n%s\n", &r.fault, shortened(r.output))
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
	fmt.Fprint(out, "| fault | file | kind | what is wrong | verdict | by | s |\n| --- | --- | --- | --- | --- | --- | --: |\n")
	escape := strings.NewReplacer("|", `\|`, "\n", " ")
	for _, r := range results {
		counts[r.verdict]++
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %.0f |\n", r.name, r.file, r.kind, escape.Replace(r.text), r.verdict, escape.Replace(r.by), r.took.Seconds())
	}
	if counts[survived] > 0 {
		fmt.Fprintf(out, "\nSurvivors:\n")
	}
	for i := range results {
		if r := &results[i]; r.verdict == survived {
			fmt.Fprintf(out, "\n%s, run by %d tests\n%s%s", place(p, &r.fault), r.tests, &r.fault, around(p, &r.fault))
		}
	}
	valid := len(results) - counts[invalid] - counts[same]
	good := counts[caught] + counts[hung]
	fmt.Fprintf(out, "\n%d faults: %d caught, %d of them as tests that did not end, %d survived, %d compile to the same program, %d do not build: %.1f %% of %d caught, in %s.\n",
		len(results)+broken, good, counts[hung], counts[survived], counts[same], counts[invalid]+broken,
		100*float64(good)/float64(max(valid, 1)), valid, took.Round(time.Second))
	if counts[invalid] > 0 && o.random == 0 || float64(good) < o.share*float64(valid) {
		return 1
	}
	return 0
}

// place is where a fault is, with the function around it.
func place(p *pack, f *fault) string {
	_, first, last, _ := f.apply(p.sources[f.file])
	name := "no function"
	if d := p.function(f.file, first, last); d != nil {
		name = d.Name.Name
	}
	return fmt.Sprintf("%s:%d in %s", f.file, first, name)
}

// around is the code with two lines before and after what a fault changes.
func around(p *pack, f *fault) string {
	s := p.sources[f.file]
	_, first, last, _ := f.apply(s)
	var b strings.Builder
	for line := max(first-2, 1); line <= min(last+2, len(s.lines)); line++ {
		fmt.Fprintf(&b, "%6d\t%s\n", line, s.lines[line-1])
	}
	return b.String()
}
