package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"math"
	"strconv"

	"softkmeans"
	"softkmeans/internal/table"
)

const fitHelp = `Usage: softkmeans fit -k N [flags] [FILE]

Fit soft k-means to the rows of a table: N centers, and for every row its
memberships, which are the shares (at least 0, together 1) of the mixture of
centers that stands for the row. With -method global the result is a global
minimum of the squared error, and the report proves it. With -method minvol the
centers are near the rows, for a little more error than the proven minimum.
Columns with different units should have one scale before.

` + fileHelp + `
  -k N          the number of centers; required
  -o FILE       write the memberships as CSV: label,m0,m1,… The label is the
                number of the largest membership, from 0. With - they go
                to standard output and the report to standard error.
  -method M     global: the least squared error, by centers around the data
                (default)
                minvol: compact centers for an error of (1 + slack) times
                the least; clusters and mixtures to look at
                alternating: an iteration from k-means centers
  -slack S      of minvol; 0.25 is the default. At most half of what can be
                explained is given up. With more centers than columns the
                least error is 0, and a tenth of the variance stands for it
  -seed N       of the starts of minvol and alternating; 0 is the default
  -enclosure E  of global:
                ball: the centers enclose a ball around the data (default)
                tight: they enclose the data more closely, for the same error
` + columnsHelp + textHelp + workersHelp + `  -solver S     of global: auto (default), gram, jacobi or krylov
  -stream Y     of global and minvol:
                yes: FILE is read block by block, three times or more, for
                tables larger than the memory. minvol fits some 16000 rows
                then, and corrects and measures the result on all
                no: it is kept in memory
                auto: yes for files above 64 MB, no for pipes and standard
                input (default)
  -quiet        do not show on a terminal how far a -stream is

Examples: softkmeans fit -k 3 -o memberships.csv testdata/iris.csv
          softkmeans fit -k 3 -method minvol testdata/iris.csv

` + exitHelp

// fitFlags is the command line of fit.
type fitFlags struct {
	inputFlags
	k       int
	out     string // "": no memberships; "-": standard output
	options softkmeans.Options
	method  method
	slack   float64 // 0: the package's default
	seed    uint64
	seeded  bool // -seed was given
	stream  choose
	quiet   bool
}

// choose is what is done always, never, or where it makes sense.
type choose int

const (
	chooseAuto choose = iota
	chooseYes
	chooseNo
)

// method is the way in which fit finds its centers.
type method int

const (
	methodGlobal method = iota
	methodMinVolume
	methodAlternating
)

// newFitFlagSet returns the flags, bound to f. Their help is fitHelp.
func newFitFlagSet(f *fitFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("fit", flag.ContinueOnError)
	fs.StringVar(&f.out, "o", "", "")
	f.inputFlags.add(fs)
	fs.BoolVar(&f.quiet, "quiet", false, "")
	fs.Func("k", "", func(s string) (err error) {
		if f.k, err = strconv.Atoi(s); err != nil || f.k < 1 {
			return errors.New("must be a whole number, at least 1")
		}
		return nil
	})
	fs.Func("seed", "", func(s string) (err error) {
		f.seeded = true
		if f.seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			return errors.New("must be a whole number, at least 0")
		}
		return nil
	})
	fs.Func("slack", "", func(s string) (err error) {
		if f.slack, err = strconv.ParseFloat(s, 64); err != nil || !(f.slack > 0 && f.slack <= math.MaxFloat64) {
			return errors.New("must be a number above 0")
		}
		return nil
	})
	choiceFlag(fs, &f.method, "method", []choice[method]{
		{"global", methodGlobal}, {"minvol", methodMinVolume}, {"alternating", methodAlternating}})
	choiceFlag(fs, &f.stream, "stream", []choice[choose]{
		{"auto", chooseAuto}, {"yes", chooseYes}, {"no", chooseNo}})
	choiceFlag(fs, &f.options.Enclosure, "enclosure", []choice[softkmeans.Enclosure]{
		{"ball", softkmeans.EnclosureBall}, {"tight", softkmeans.EnclosureTight}})
	choiceFlag(fs, &f.options.Solver, "solver", []choice[softkmeans.Solver]{
		{"auto", softkmeans.SolverAuto}, {"gram", softkmeans.SolverGram},
		{"jacobi", softkmeans.SolverJacobi}, {"krylov", softkmeans.SolverKrylov}})
	return fs
}

func parseFit(args []string) (f fitFlags, err error) {
	rest, err := parseFlags(newFitFlagSet(&f), args, 1)
	if err != nil {
		return f, err
	}
	if err := f.check(rest); err != nil {
		return f, err
	}
	f.options.Workers = f.workers
	switch {
	case f.k == 0:
		return f, usageErrorf("-k is missing: how many centers?")
	case f.slack > 0 && f.method != methodMinVolume:
		return f, usageErrorf("-slack is for -method minvol")
	case f.seeded && f.method == methodGlobal:
		return f, usageErrorf("-seed is for -method minvol and alternating")
	case f.method != methodGlobal && (f.options.Enclosure != softkmeans.EnclosureBall || f.options.Solver != softkmeans.SolverAuto):
		return f, usageErrorf("-enclosure and -solver are for -method global")
	case f.method == methodAlternating && f.stream == chooseYes:
		return f, usageErrorf("-stream yes is for -method global and minvol")
	case !f.named() && f.stream == chooseYes:
		return f, usageErrorf("-stream yes: standard input can be read only once; give a file")
	}
	return f, nil
}

func runFit(ctx context.Context, args []string, s streams) error {
	f, err := parseFit(args)
	if err != nil {
		return err
	}
	in, source, err := openInput(f.source, s.in, fitHelp)
	if err != nil {
		return err
	}
	defer in.Close()

	report, memberships := s.out, s.out
	var file *outputFile
	switch f.out {
	case "":
	case "-":
		report = s.err
	default:
		if sameFile(in, f.out) {
			return usageErrorf("-o %s would replace the data", f.out)
		}
		if file, err = createOutput(f.out); err != nil {
			return err
		}
		defer file.discard()
		memberships = file
	}

	fit := f.fitTable
	if f.streams(in) {
		fit = f.fitStream
	}
	var w *membershipWriter
	if f.out != "" {
		w = newMembershipWriter(memberships, f.k)
	}
	result, err := fit(ctx, in, source, w, s.err)
	if err != nil {
		return err
	}
	if w != nil {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if file != nil {
		if err := file.Close(); err != nil {
			return err
		}
	}
	if _, err := report.Write(fitReport(result, f.method)); err != nil {
		return err
	}
	if file != nil {
		return file.commit() // last, so that a failure above leaves an old file as it was
	}
	return nil
}

// result is what the report tells of.
type result struct {
	table.Head
	rows     int
	sizes    []int // of the labels
	model    *softkmeans.Model
	cert     softkmeans.Certificate
	streamed bool // the certificate is of the passes, and has no SpanError
	// summarised: the centers were found on some of the rows.
	summarised bool
}

// fitTable fits a table that is in memory.
func (f *fitFlags) fitTable(ctx context.Context, in io.Reader, source string, w *membershipWriter, _ io.Writer) (*result, error) {
	t, err := f.read(ctx, in, source)
	if err != nil {
		return nil, err
	}
	m, err := await(ctx, func() (*softkmeans.Model, error) { return f.fit(ctx, t.x) })
	if err != nil {
		return nil, err
	}
	cert, err := await(ctx, func() (softkmeans.Certificate, error) {
		return softkmeans.Certify(t.x, m.Centers, m.Memberships)
	})
	if err != nil {
		return nil, err
	}
	labels := m.Labels(nil)
	r := &result{Head: t.Head, rows: t.Rows, sizes: make([]int, f.k), model: m, cert: cert}
	for _, label := range labels {
		r.sizes[label]++
	}
	if w != nil {
		if err := w.add(ctx, labels, m.Memberships); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// fit runs the method that was asked for.
func (f *fitFlags) fit(ctx context.Context, x *softkmeans.Matrix) (*softkmeans.Model, error) {
	switch f.method {
	case methodMinVolume:
		return softkmeans.FitMinVolume(ctx, x, f.k, &softkmeans.MinVolumeOptions{Slack: f.slack, Seed: f.seed, Workers: f.options.Workers})
	case methodAlternating:
		return softkmeans.FitAlternating(ctx, x, f.k, &softkmeans.AlternatingOptions{Seed: f.seed, Workers: f.options.Workers})
	}
	return softkmeans.Fit(ctx, x, f.k, &f.options)
}
