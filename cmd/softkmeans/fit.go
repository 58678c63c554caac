package main

import (
	"context"
	"flag"
	"io"
	"slices"

	"softkmeans"
)

const fitHelp = `Usage: softkmeans fit -k N [flags] [FILE]

Fit soft k-means to the rows of a table: N centers, and for every row its
memberships, which are the shares (at least 0, together 1) of the mixture of
centers that stands for the row. With -method global the result is a global
minimum of the squared error, and the report proves it. With -method minvol the
centers are near the rows, for a little more error than the proven minimum.
Columns with different units should have one scale: -scale zscore.

` + fileHelp + `
  -k N          the number of centers, required; auto takes what the floors
                propose (see softkmeans help floors)
  -method M     global: the least squared error, by centers around the data
                (default)
                minvol: compact centers for an error of (1 + slack) times
                the least; clusters and mixtures to look at
                alternating: an iteration from k-means centers
                tilsd: global, for similarities (-kernel) in place of rows
                lsd: clusters from similarities, which are 0 between clusters
                These two compare every two rows (but for -kernel linear),
                so the time grows as their square: 8000 take ten seconds
` + scaleHelp + columnsHelp + `
What is written:

  -o FILE       the memberships as CSV: label,p0,p1,… The label is the number
                of the largest membership, from 0. With - they go to standard
                output and the report to standard error.
  -centers FILE the centers as CSV, in the table's units and by its names
  -model FILE   the model as JSON, for softkmeans predict
  -json         the report as JSON

Of some methods only:

  -slack S      of minvol; 0.25 is the default. At most half of what can be
                explained is given up. With more centers than columns the
                least error is 0, and a tenth of the variance stands for it
  -lambda L     of minvol: the weight of the volume itself, in squared units
                of the (scaled) data, in place of -slack
  -seed N       of the starts of minvol, alternating and lsd; 0 is the default
  -enclosure E  of global and tilsd:
                ball: the centers enclose a ball around the data (default)
                tight: they enclose the data more closely, for the same error
  -solver S     of global: auto (default), gram, jacobi or krylov
  -kernel K     of lsd and tilsd:
                rbf: exp(−γ·squared distance) of two rows (default)
                linear: their product
                matrix: FILE itself is square, the similarity of every row of
                a data set to every other
  -gamma G      γ of -kernel rbf; 0 (default) is the median heuristic

Reading:

` + textHelp + `  -stream Y     of global and minvol:
                yes: FILE is read block by block, three times or more, for
                tables larger than the memory. minvol fits some 16000 rows
                then, and corrects and measures the result on all
                no: it is kept in memory
                auto: yes for files above 64 MB, no for pipes, standard input
                and with -weights (default)
` + runHelp + `
Examples: softkmeans fit -k 3 -o memberships.csv testdata/iris.csv
          softkmeans fit -k auto -method minvol -scale zscore testdata/wine.csv

` + exitHelp

// fitFlags is the command line of fit.
type fitFlags struct {
	inputFlags
	k       int // 0: as proposed
	method  method
	options softkmeans.Options
	slack   float64 // 0: the package's default
	lambda  float64 // 0: by slack
	seed    uint64
	kernel  kernelKind
	gamma   float64 // 0: the median heuristic
	stream  choose
	json    bool

	// Files: "" none; "-" standard output.
	memberships, centers, model string
}

// choose is what is done always, never, or where it makes sense.
type choose int

const (
	chooseAuto choose = iota
	chooseYes
	chooseNo
)

func streamFlag(fs *flag.FlagSet, p *choose) {
	choiceFlag(fs, p, "stream", []choice[choose]{{"auto", chooseAuto}, {"yes", chooseYes}, {"no", chooseNo}})
}

// newFitFlagSet returns the flags, bound to f. Their help is fitHelp.
func newFitFlagSet(f *fitFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("fit", flag.ContinueOnError)
	f.inputFlags.add(fs)
	clustersFlag(fs, &f.k)
	choiceFlag(fs, &f.method, "method", methods)
	fs.StringVar(&f.memberships, "o", "", "")
	fs.StringVar(&f.centers, "centers", "", "")
	fs.StringVar(&f.model, "model", "", "")
	fs.BoolVar(&f.json, "json", false, "")
	aboveZeroFlag(fs, &f.slack, "slack")
	aboveZeroFlag(fs, &f.lambda, "lambda")
	seedFlag(fs, &f.seed)
	streamFlag(fs, &f.stream)
	choiceFlag(fs, &f.kernel, "kernel", []choice[kernelKind]{
		{"rbf", kernelRBF}, {"linear", kernelLinear}, {"matrix", kernelMatrix}})
	atLeastZeroFlag(fs, &f.gamma, "gamma")
	choiceFlag(fs, &f.options.Enclosure, "enclosure", []choice[softkmeans.Enclosure]{
		{"ball", softkmeans.EnclosureBall}, {"tight", softkmeans.EnclosureTight}})
	choiceFlag(fs, &f.options.Solver, "solver", []choice[softkmeans.Solver]{
		{"auto", softkmeans.SolverAuto}, {"gram", softkmeans.SolverGram},
		{"jacobi", softkmeans.SolverJacobi}, {"krylov", softkmeans.SolverKrylov}})
	return fs
}

// methodFlags are those that not every method has.
var methodFlags = []struct {
	name string
	of   []method
}{
	{"slack", []method{methodMinVolume}},
	{"lambda", []method{methodMinVolume}},
	{"seed", []method{methodMinVolume, methodAlternating, methodLSD}},
	{"enclosure", []method{methodGlobal, methodTILSD}},
	{"solver", []method{methodGlobal}},
	{"kernel", []method{methodLSD, methodTILSD}},
	{"gamma", []method{methodLSD, methodTILSD}},
	{"weights", []method{methodGlobal, methodMinVolume, methodAlternating}},
	{"centers", []method{methodGlobal, methodMinVolume, methodAlternating}},
}

func parseFit(args []string) (f fitFlags, err error) {
	fs := newFitFlagSet(&f)
	rest, err := parseFlags(fs, args, 1)
	if err != nil {
		return f, err
	}
	if err := f.check(rest); err != nil {
		return f, err
	}
	f.options.Workers = f.workers
	given := given(fs)
	if !given["k"] {
		return f, usageErrorf("-k is missing: how many centers? (auto takes what the floors propose)")
	}
	for _, m := range methodFlags {
		if given[m.name] && !slices.Contains(m.of, f.method) {
			return f, usageErrorf("-%s is for -method %s", m.name, listed(m.of))
		}
	}
	kernels := f.method.ofSimilarities()
	switch {
	case given["slack"] && given["lambda"]:
		return f, usageErrorf("-slack and -lambda are two ways to say the same; give one")
	case f.model != "" && f.k > mostCenters:
		return f, usageErrorf("-k %d: a model has %d centers at most; leave -model out", f.k, mostCenters)
	case given["gamma"] && f.kernel != kernelRBF:
		return f, usageErrorf("-gamma is for -kernel rbf")
	case kernels && f.kernel == kernelMatrix && f.k == 0:
		return f, usageErrorf("-k auto goes by rows; with -kernel matrix give a number")
	case kernels && f.kernel == kernelMatrix && given["scale"]:
		return f, usageErrorf("-scale is for rows; with -kernel matrix there are none")
	case f.stream == chooseYes && f.method != methodGlobal && f.method != methodMinVolume:
		return f, usageErrorf("-stream yes is for -method global and minvol")
	}
	return f, f.checkStream(f.stream)
}

func runFit(ctx context.Context, args []string, s streams) error {
	f, err := parseFit(args)
	if err != nil {
		return err
	}
	in, source, err := openInput(ctx, f.source, s.in)
	if err != nil {
		return err
	}
	defer in.Close()

	out := &outputs{ctx: ctx, in: in, stdout: s.out}
	defer out.discard()
	memberships, err := out.add("o", f.memberships)
	if err != nil {
		return err
	}
	centers, err := out.add("centers", f.centers)
	if err != nil {
		return err
	}
	model, err := out.add("model", f.model)
	if err != nil {
		return err
	}

	f.quiet = f.quiet || out.mixedWith(s.err)
	fit := f.fitTable
	if f.streams(in) {
		fit = f.fitStream
	}
	var w *membershipWriter
	if memberships != nil {
		w = newMembershipWriter(memberships)
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
	if centers != nil {
		if err := writeCenterTable(centers, result.Names, result.centers); err != nil {
			return err
		}
	}
	if model != nil {
		if err := writeModel(model, result); err != nil {
			return err
		}
	}
	return out.finish(s, func(w io.Writer) error { return f.report(w, result) })
}

// report writes what fit has to say.
func (f *fitFlags) report(w io.Writer, r *result) error {
	switch {
	case f.json:
		return writeJSON(w, fitJSON(r))
	case r.lsd != nil:
		_, err := w.Write(similarityReport(r))
		return err
	}
	_, err := w.Write(fitReport(r))
	return err
}

// fitTable fits a table that is in memory.
func (f *fitFlags) fitTable(ctx context.Context, in io.Reader, source string, w *membershipWriter, stderr io.Writer) (*result, error) {
	d, err := f.read(ctx, in, source)
	if err != nil {
		return nil, err
	}
	r := &result{Head: d.Head, rows: d.Rows, k: f.k, method: f.method, scale: d.scale}
	if r.k == 0 {
		floors, err := await(ctx, func() ([]float64, error) {
			return softkmeans.Floors(context.Background(), d.x, &softkmeans.Options{Weights: d.Weights})
		})
		if err != nil {
			return nil, err
		}
		if err := r.propose(floors); err != nil {
			return nil, err
		}
	}
	if err := checkClusters(r.Source, d.Rows, r.k); err != nil {
		return nil, err
	}
	p := newProgress(stderr, f.quiet)
	defer p.clear()
	var memberships *softkmeans.Matrix
	if f.method.ofSimilarities() {
		memberships, err = await(ctx, func() (*softkmeans.Matrix, error) { return f.fitSimilarities(ctx, d, r, p) })
	} else {
		memberships, err = await(ctx, func() (*softkmeans.Matrix, error) { return f.fitRows(ctx, d, r, p) })
	}
	if err != nil {
		return nil, err
	}
	labels := labelsOf(memberships)
	r.count(labels)
	if w != nil {
		return r, w.add(ctx, labels, memberships)
	}
	return r, nil
}
