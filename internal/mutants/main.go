// Command mutants puts deliberate faults into the root package, one at a time, runs
// its tests, and says which faults they caught: a measure of the tests, not of the
// package.
//
//	go run ./internal/mutants [-list] [-run REGEXP] [-tests REGEXP] [-p N] [-short] [-share S] [-v]
//	go run ./internal/mutants -random N [-seed S] …
//
// It works in copies in temporary folders and never touches the working tree.
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

Puts deliberate faults into copies of the root package, one at a time, runs its
tests there, and prints in Markdown which faults were caught and by which test.
Each sees the short tests, first those in the test file beside its own file, then
all, and the full ones if it survived these. Tests that do not end have caught
it, too. The faults are in internal/mutants/faults.txt.

Exit code: 0; 1 if fewer than -share of the faults were caught, or if one does
not compile; 2 for wrong arguments or where the tests cannot be run, as when
they fail without any fault.

flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], ".", os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

type options struct {
	list, short, verbose bool
	only                 *regexp.Regexp
	tests                string
	parallel, random     int
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
	set.BoolVar(&o.list, "list", false, "print the faults and do nothing")
	only := set.String("run", "", "only the faults whose name matches the `REGEXP`")
	set.StringVar(&o.tests, "tests", "", "only the tests that match the `REGEXP`, and only once: to see whether a new test catches what it is for")
	set.IntVar(&o.parallel, "p", 2, "how many faults at a time")
	set.IntVar(&o.random, "random", 0, "in place of the list so `many` faults drawn at random from all operators, small constants and simple statements")
	set.Uint64Var(&o.seed, "seed", 1, "of -random")
	set.BoolVar(&o.short, "short", false, "no full tests")
	set.Float64Var(&o.share, "share", 0.9, "the `share` of the faults that must be caught")
	set.DurationVar(&o.timeout, "timeout", 10*time.Minute, "for each run of the tests")
	set.BoolVar(&o.verbose, "v", false, "print what the tests that caught a fault said")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, err
	}
	switch {
	case set.NArg() > 0:
		return o, fmt.Errorf("unknown argument %q", set.Arg(0))
	case o.parallel < 1:
		return o, errors.New("-p is below 1")
	case o.random < 0:
		return o, errors.New("-random is below 0")
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
	var faults []fault
	if err == nil {
		faults, err = chosen(module, &o)
	}
	if err != nil {
		fmt.Fprintln(stderr, "mutants:", err)
		return 2
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
		fmt.Fprintln(stderr, "mutants:", err)
		return 2
	}
	return report(stdout, results, &o, time.Since(begin))
}

// chosen are the faults to try, each of which fits the source.
func chosen(module string, o *options) (faults []fault, err error) {
	if o.random > 0 {
		faults, err = randomFaults(module, o.random, o.seed)
	} else {
		faults, err = parse(list)
	}
	if err != nil {
		return nil, err
	}
	kept := faults[:0]
	for _, f := range faults {
		if !o.only.MatchString(f.name) {
			continue
		}
		source, err := os.ReadFile(filepath.Join(module, f.file))
		if err != nil {
			return nil, fmt.Errorf("%s: %w (this runs in the module's root)", f.name, err)
		}
		if _, err := f.apply(string(source)); err != nil {
			return nil, err
		}
		kept = append(kept, f)
	}
	if len(kept) == 0 {
		return nil, errors.New("no fault has such a name")
	}
	return kept, nil
}

// testAll tries the faults on o.parallel benches.
func testAll(ctx context.Context, module string, faults []fault, o *options, stderr io.Writer) ([]result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	var (
		mu      sync.Mutex
		wg      sync.WaitGroup
		results = make([]result, len(faults))
		next    int
		done    int
		good    int
		failure error
	)
	progress := func(text string) { fmt.Fprintln(stderr, text) }
	if f, ok := stderr.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 { // one line, written over
			progress = func(text string) { fmt.Fprintf(stderr, "\r%.79s\x1b[K", text) }
			defer fmt.Fprintln(stderr)
		}
	}
	work := func(dir string, first bool) error {
		if err := os.Mkdir(dir, 0o777); err != nil {
			return err
		}
		b, err := newBench(module, dir)
		if err != nil {
			return err
		}
		b.timeout, b.short, b.tests = o.timeout, o.short, o.tests
		if first {
			if err := b.sound(ctx); err != nil {
				return err
			}
		}
		for {
			mu.Lock()
			i := next
			next++
			mu.Unlock()
			if i >= len(faults) || ctx.Err() != nil {
				return ctx.Err()
			}
			r, err := b.try(ctx, faults[i])
			if err != nil {
				return err
			}
			mu.Lock()
			results[i] = r
			done++
			if r.verdict == caught || r.verdict == hung {
				good++
			}
			progress(fmt.Sprintf("%d/%d, %d caught; %s: %s %s %s, %.0f s", done, len(faults), good, r.name, r.verdict, r.stage, r.by, r.took.Seconds()))
			if o.verbose || r.verdict == invalid {
				fmt.Fprintf(stderr, "\n%s\n%s\n", &r.fault, shortened(r.output))
			}
			mu.Unlock()
		}
	}
	for w := range min(o.parallel, len(faults)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := work(filepath.Join(folder, fmt.Sprint(w)), w == 0); err != nil {
				mu.Lock()
				if failure == nil {
					failure = err
				}
				mu.Unlock()
				cancel()
			}
		}()
	}
	wg.Wait()
	return results, failure
}

// shortened is the beginning of what tests said.
func shortened(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return strings.Join(lines[:min(len(lines), 12)], "\n")
}

// report prints the table and the counts, and returns the exit code.
func report(out io.Writer, results []result, o *options, took time.Duration) int {
	var counts [4]int
	fmt.Fprint(out, "| fault | file | kind | what is wrong | verdict | by |\n| --- | --- | --- | --- | --- | --- |\n")
	escape := strings.NewReplacer("|", `\|`, "\n", " ")
	for _, r := range results {
		counts[r.verdict]++
		by := r.by
		if r.stage == "full" {
			by += " (full tests only)"
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", r.name, r.file, r.kind, escape.Replace(r.text), r.verdict, escape.Replace(by))
	}
	valid := len(results) - counts[invalid]
	good := counts[caught] + counts[hung]
	fmt.Fprintf(out, "\n%d faults: %d caught, %d of them as tests that did not end, %d survived, %d do not compile: %.1f %% caught, in %s.\n",
		len(results), good, counts[hung], counts[survived], counts[invalid], 100*float64(good)/float64(max(valid, 1)), took.Round(time.Second))
	if counts[invalid] > 0 && o.random == 0 || float64(good) < o.share*float64(valid) {
		return 1
	}
	return 0
}
