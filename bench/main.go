// Command bench times softkmeans.Fit and other libraries' ways to the same global solution, compares minimal
// volume with other ways to unmix and to cluster, and prints the figures as Markdown. See README.md.
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
	"slices"
	"strings"
	"time"
)

const usage = `Times softkmeans.Fit, gonum and, if there is a Python with NumPy, also NumPy, SciPy
and scikit-learn, all on the same data and in turns. Tables in Markdown go to
standard output, progress to standard error.

usage: go run . [flags]            the global solution
       go run . -kernels [flags]   the products that it consists of, on one thread
       go run . -scenes [DIR...]   Unmix and published ways to unmix, on scenes with truth
       go run . -mixtures [DIR...] the command and published ways, on mixtures with known shares
       go run . -labels DIR...     FitMinVolume, k-means and Gaussian mixtures, on classes
       go run . -points [DIR...]   how sure labels are, of clusters of ../testdata and the folders
       go run . -similarities      TILSD, LSD and spectral clustering, on generated similarities
       go run . -minvol            processor time of FitMinVolume, beside k-means
       go run . -words             sparse counts: Fit, FitMinVolume, truncated SVD, NMF and LDA

All shapes and both kinds of data take some minutes. Quicker:

       go run . -shapes 1797x64x10,2000x256x10 -data decaying -time 500ms

`

// options are the flags.
type options struct {
	shapes  []shape
	kinds   []string
	time    time.Duration
	cap     time.Duration
	workers int
	python  string
	kernels bool
	scenes  bool
	mixture bool
	labels  bool
	points  bool
	similar bool
	minvol  bool
	words   bool
	raw     []string   // sets that are not standardized
	only    []string   // names; nil: all
	without string     // ways whose names have this word are left out
	seeds   *[2]uint64 // of generated scenes, first and last; nil: none
	flags   []string   // of the command, with -mixtures
	folders []string
}

// oneThread reports whether the figures are those of one thread.
func (o *options) oneThread() bool {
	return o.kernels || o.scenes || o.mixture || o.labels || o.points || o.similar || o.minvol
}

// selected returns those of the scenes, sets or cases that are to be run, and an error if
// a name is none of theirs.
func selected[T any](o *options, all []T, name func(T) string) (out []T, err error) {
	for _, asked := range o.only {
		if !slices.ContainsFunc(all, func(t T) bool { return name(t) == asked }) {
			return nil, fmt.Errorf("-only: there is no %q", asked)
		}
	}
	for _, t := range all {
		if o.only == nil || slices.Contains(o.only, name(t)) {
			out = append(out, t)
		}
	}
	return out, nil
}

func main() {
	if child := os.Getenv(wordsChild); child != "" {
		fail(runWords(os.Stdout, child))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	go func() {
		<-ctx.Done()
		stop() // gonum cannot be cancelled; a second interrupt ends the process
	}()
	fail(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func fail(err error) {
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parse reads the flags.
func parse(args []string, stderr io.Writer) (*options, error) {
	o := new(options)
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	set.SetOutput(io.Discard) // main prints errors
	shapes := set.String("shapes", defaultShapes, "comma-separated `list` of samples x columns x clusters")
	var names []string
	about := "comma-separated `kinds` of data:"
	for _, kind := range timedKinds {
		names = append(names, kind.name)
		about += "\n" + kind.name + ": " + kind.about
	}
	kinds := set.String("data", strings.Join(names, ","), about)
	set.DurationVar(&o.time, "time", 2*time.Second, "the time of each measurement, over all its turns; a `duration` as 500ms")
	set.DurationVar(&o.cap, "cap", time.Minute, "skip gonum if one call is expected to take more than this `duration`; with -minvol: stop FitMinVolume\nwhen it has had it in processor time")
	set.IntVar(&o.workers, "workers", runtime.NumCPU(), "`threads` for all; softkmeans is also timed on 1")
	set.StringVar(&o.python, "python", "", "`path` of a python3 with NumPy; none: without; default: the first found in PATH, or /usr/bin/python3")
	set.BoolVar(&o.kernels, "kernels", false, "compare GF/s of the kernels, on one thread; the package's own by its benchmarks")
	set.BoolVar(&o.scenes, "scenes", false,
		"compare ways to unmix: the scenes of the folders, NAME.npy (pixels x bands) with\n"+
			"NAME_endmembers.npy and NAME_abundances.npy, and generated ones")
	set.StringVar(&o.without, "without", "",
		"with -scenes: leave out the ways whose names have this `word`, as oracle, which takes\n"+
			"nine tenths of the time")
	set.Func("seeds",
		"with -scenes: `seeds` of the generated scenes, as 0-11, of each of three kinds; with\n"+
			"-mixtures: seeds of the simulated tables; default: 0-11 if there are no folders; with\n"+
			"-similarities: seeds of the matrices of each of eight kinds; default: 0-4", o.parseSeeds)
	set.BoolVar(&o.mixture, "mixtures", false,
		"compare softkmeans fit with published ways on the sets of the folders, NAME.csv with\n"+
			"NAME_shares.csv and perhaps NAME_centers.csv; and with FitMinVolume on simulated tables")
	flags := set.String("flags", "", "with -mixtures: more `flags` of softkmeans fit, with spaces between")
	set.BoolVar(&o.labels, "labels", false, "compare labels on the sets of the folders, NAME.csv with NAME.labels.csv")
	set.BoolVar(&o.points, "points", false, "compare probabilities of clusters on the sets of ../testdata and "+
		"of the folders")
	set.BoolVar(&o.similar, "similarities", false, "compare labels of similarities with known clusters")
	set.BoolVar(&o.minvol, "minvol", false, "time FitMinVolume")
	set.BoolVar(&o.words, "words", false, "fit sparse counts of words and of genes")
	raw := set.String("raw", "mfeat_pix", "comma-separated `names` of sets whose columns -labels does not standardize")
	only := set.String("only", "", "comma-separated `names` of the scenes, sets, designs or cases to run, as in the tables; default: all")
	err := o.parseFolders(set, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stderr, usage)
		set.SetOutput(stderr)
		set.PrintDefaults()
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w (go run . -help lists the flags)", err)
	}
	o.raw = strings.Split(*raw, ",")
	o.flags = strings.Fields(*flags)
	if *only != "" {
		o.only = strings.Split(*only, ",")
	}
	if o.shapes, err = parseShapes(*shapes); err != nil {
		return nil, fmt.Errorf("-shapes: %w", err)
	}
	for _, name := range strings.Split(*kinds, ",") {
		if _, err := kindNamed(name); err != nil {
			return nil, err
		}
		o.kinds = append(o.kinds, name)
	}
	if (o.scenes || o.mixture) && o.seeds == nil && o.folders == nil {
		o.seeds = &[2]uint64{0, 11}
	}
	if o.similar && o.seeds == nil {
		o.seeds = &[2]uint64{0, 4}
	}
	return o, o.check()
}

// parseFolders reads flags and folders in any order.
func (o *options) parseFolders(set *flag.FlagSet, args []string) error {
	for {
		if err := set.Parse(args); err != nil {
			return err
		}
		if set.NArg() == 0 {
			return nil
		}
		o.folders = append(o.folders, set.Arg(0))
		args = set.Args()[1:]
	}
}

// parseSeeds reads the first and the last seed.
func (o *options) parseSeeds(s string) error {
	o.seeds = new([2]uint64)
	n, err := fmt.Sscanf(s, "%d-%d", &o.seeds[0], &o.seeds[1])
	if err != nil || n != 2 || o.seeds[0] > o.seeds[1] {
		return errors.New("must be two numbers, the first and the last, as 0-11")
	}
	return nil
}

// check returns an error for flags that contradict each other.
func (o *options) check() error {
	all := []bool{o.kernels, o.scenes, o.mixture, o.labels, o.points, o.similar, o.minvol, o.words}
	modes := slices.DeleteFunc(all, func(on bool) bool { return !on })
	switch {
	case len(modes) > 1:
		return errors.New("-kernels, -scenes, -mixtures, -labels, -points, -similarities, -minvol and -words " +
			"exclude each other")
	case o.labels && len(o.folders) == 0:
		return errors.New("-labels needs a folder")
	case len(o.folders) > 0 && !o.scenes && !o.mixture && !o.labels && !o.points:
		return fmt.Errorf("%q is not a flag (go run . -help lists them)", o.folders[0])
	case o.seeds != nil && !o.scenes && !o.mixture && !o.similar:
		return errors.New("-seeds is for -scenes, -mixtures and -similarities")
	case o.without != "" && !o.scenes:
		return errors.New("-without is for -scenes")
	case len(o.flags) > 0 && !o.mixture:
		return errors.New("-flags is for -mixtures")
	case o.time <= 0:
		return fmt.Errorf("-time is %v; it must be above 0", o.time)
	case o.cap <= 0:
		return fmt.Errorf("-cap is %v; it must be above 0", o.cap)
	case o.workers < 1:
		return fmt.Errorf("-workers is %d; it must be at least 1", o.workers)
	}
	return nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	say := func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }
	dir, err := os.MkdirTemp("", "softkmeans-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.oneThread() {
		o.workers = 1
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(o.workers))

	py, peers, err := openPython(ctx, dir, o, say)
	if err != nil {
		return err
	}
	if py != nil {
		defer py.close()
	}
	write, err := compute(ctx, py, dir, o, say)
	if err != nil {
		return err
	}
	writeHead(stdout, args, o.workers, peers)
	write(stdout)
	return nil
}

// compute measures what the flags ask for. It returns what writes the tables.
func compute(ctx context.Context, py *python, dir string, o *options, say func(format string, args ...any)) (write func(io.Writer), err error) {
	switch {
	case o.kernels:
		figures, err := timeKernels(ctx, py, dir, o, say)
		return func(w io.Writer) { writeKernels(w, figures) }, err
	case o.scenes:
		each, kinds, err := unmixScenes(ctx, py, o, say)
		return func(w io.Writer) {
			if len(each) > 1 {
				markdown(w, 2, each)
			}
			if len(kinds) > 1 {
				markdown(w, 1, kinds)
			}
		}, err
	case o.mixture:
		tables, err := compareMixtures(ctx, py, dir, o, say)
		return func(w io.Writer) { writeMixtures(w, tables) }, err
	case o.labels:
		ways, scores, err := compareLabels(ctx, py, o, say)
		return func(w io.Writer) { writeLabels(w, ways, scores) }, err
	case o.points:
		scores, err := comparePoints(ctx, py, o, say)
		return func(w io.Writer) { writePoints(w, scores) }, err
	case o.similar:
		rows, err := compareSimilarities(ctx, py, o, say)
		return func(w io.Writer) { writeSimilarities(w, rows) }, err
	case o.minvol:
		rows, err := timeVolumes(ctx, py, o, say)
		return func(w io.Writer) { markdown(w, 1, rows) }, err
	case o.words:
		rows, err := compareWords(ctx, py, dir, o, say)
		return func(w io.Writer) { markdown(w, 1, rows) }, err
	}
	results, err := timeFits(ctx, py, o, say)
	return func(w io.Writer) { writeTimes(w, results, o.workers) }, err
}

// timeFits times the global solution on all shapes and kinds of data.
func timeFits(ctx context.Context, py *python, o *options, say func(format string, args ...any)) (results []result, err error) {
	for _, name := range o.kinds {
		kind, _ := kindNamed(name)
		for _, at := range o.shapes {
			say("%s data, %v", name, at)
			var ids []int
			if py != nil {
				ids = append(ids, py.cmd.Process.Pid)
			}
			from := readProcessorTime(ids...)
			figures, err := measure(ctx, problem{at, kind, say}, py, o)
			if err != nil {
				return nil, err
			}
			results = append(results, result{name, at, figures, others(from, readProcessorTime(ids...))})
		}
	}
	return results, nil
}

// openPython starts Python, and describes its versions. py is nil if there is no NumPy,
// or if Python is not to be used.
func openPython(ctx context.Context, dir string, o *options, say func(format string, args ...any)) (py *python, about string, err error) {
	if o.python == "none" {
		return nil, "Python was left out", nil
	}
	path, err := findPython(ctx, o.python)
	if errors.Is(err, errNoNumPy) {
		say("%v", err)
		return nil, errNoNumPy.Error(), nil
	}
	if err != nil {
		return nil, "", err
	}
	say("Python: %s", path)
	if py, err = startPython(ctx, path, dir, o.workers); err != nil {
		return nil, "", err
	}
	return py, py.about, nil
}

// gonumVersion is the version of gonum that this program was built with.
func gonumVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "gonum.org/v1/gonum" {
				return m.Version
			}
		}
	}
	return "of unknown version"
}
