package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/absent"
	"softkmeans/internal/answer"
	"softkmeans/internal/measure"
	"softkmeans/internal/scale"
	"softkmeans/internal/sources"
	"softkmeans/unmix"
)

type fitFlags struct {
	inputFlags
	sureFlags
	printFlags
	k       int // 0: the proposal
	method  method
	options softkmeans.Options
	around  around
	slack   float64 // 0: the package's default
	lambda  float64 // 0: by slack
	bounds  *bounds // nil: none
	labels  labelRule
	seed    uint64
	plain   bool
	others  bool // to look for other answers
	kernel  kernelKind
	gamma   float64 // 0: the median heuristic
	stream  streaming
	details bool // columns of memberships beyond the shares

	// Files: "" none; "-" standard output.
	memberships, centers, means, model, known string

	library *sources.Library // of known; nil: none
}

// labelRule is what the label of a row is.
type labelRule int

const (
	labelAuto    labelRule = iota // largest if rows are mixtures
	labelCluster                  // the cluster
	labelLargest                  // the largest membership
)

// around is how the simplex of the global solution encloses the data.
type around struct {
	softkmeans.Enclosure
	smallest bool // by enclosure.Smallest
}

// inMemory reports whether the fit needs all rows at once, whatever their number.
func (f *fitFlags) inMemory() bool {
	return f.method == methodGlobal && (f.around.smallest || f.options.Sum == softkmeans.SumAtMostOne ||
		f.options.Solver > softkmeans.SolverGram)
}

func newFitFlagSet(f *fitFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("fit", flag.ContinueOnError)
	f.inputFlags.add(fs)
	f.sureFlags.add(fs)
	clustersFlag(fs, &f.k)
	choiceFlag(fs, &f.method, "method", methodsWith(func(method) bool { return true }))
	fs.StringVar(&f.memberships, "o", "", "")
	fs.StringVar(&f.centers, "centers", "", "")
	fs.StringVar(&f.means, "means", "", "")
	fs.StringVar(&f.known, "known", "", "")
	fs.StringVar(&f.model, "model", "", "")
	f.printFlags.add(fs)
	fs.BoolVar(&f.details, "details", false, "")
	aboveZeroFlag(fs, &f.slack, "slack")
	aboveZeroFlag(fs, &f.lambda, "lambda")
	boundsFlag(fs, &f.bounds)
	labelByFlag(fs, &f.labels)
	seedFlag(fs, &f.seed)
	fs.BoolVar(&f.plain, "plain", false, "")
	choiceFlag(fs, &f.others, "others", []choice[bool]{{"yes", true}, {"no", false}})
	streamFlag(fs, &f.stream)
	kernelFlags(fs, &f.kernel, &f.gamma)
	choiceFlag(fs, &f.around, "enclosure", []choice[around]{
		{"ball", around{}}, {"tight", around{Enclosure: softkmeans.EnclosureTight}},
		{"smallest", around{smallest: true}}})
	sumFlag(fs, &f.options.Sum)
	choiceFlag(fs, &f.options.Solver, "solver", []choice[softkmeans.Solver]{
		{"auto", softkmeans.SolverAuto}, {"gram", softkmeans.SolverGram},
		{"jacobi", softkmeans.SolverJacobi}, {"krylov", softkmeans.SolverKrylov}})
	return fs
}

func parseFit(args []string) (f fitFlags, err error) {
	fs := newFitFlagSet(&f)
	if err := f.parse(fs, args); err != nil {
		return f, err
	}
	f.options.Workers, f.options.Enclosure = f.workers, f.around.Enclosure
	given := given(fs)
	if given["kernel"] && !given["method"] {
		f.method = methodTILSD
	}
	if !given["k"] && f.from == "" {
		return f, usageErrorf("-k is missing; give a number of prototypes, or auto for the proposal of " +
			"softkmeans floors")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if of := takers(name); of != "" && !f.method.takes(name) && !ofValues(name) { // values: below
			return f, usageErrorf("-%s is only for -method %s", name, of)
		}
	}
	switch {
	case given["slack"] && given["lambda"]:
		return f, usageErrorf("-slack and -lambda exclude each other; give one")
	case f.around.smallest && f.method != methodGlobal:
		return f, usageErrorf("-enclosure smallest is only for -method global")
	case f.stream == streamYes && f.inMemory():
		return f, usageErrorf("-solver, -enclosure smallest and -sum at-most-one of -method global are for " +
			"tables in memory, without -stream yes")
	case f.model != "" && f.k > mostCenters:
		return f, usageErrorf("-k %d: a model has at most %d prototypes; leave -model out", f.k, mostCenters)
	case f.details && f.memberships == "":
		return f, usageErrorf("-details adds columns to the file of -o; give -o")
	case f.missing == absent.Fit && !f.method.takes("missing"):
		return f, usageErrorf("-missing fit is only for -method %s; drop and mean are for all",
			takers("missing"))
	case f.missing == absent.Fit && (given["others"] && f.others || given["bootstrap"]):
		return f, usageErrorf("-others and -bootstrap need complete rows; with -missing fit leave them out")
	case f.stream == streamYes && given["others"] && f.others:
		return f, usageErrorf("-others yes is for tables in memory, without -stream yes")
	case f.stream == streamYes && !f.method.takes("stream"):
		return f, usageErrorf("-stream yes is only for -method %s", takers("stream"))
	}
	if f.method.ofSimilarities() {
		if err := f.kernel.check(given, &f.inputFlags); err != nil {
			return f, err
		}
	}
	if err := f.checkKnown(); err != nil {
		return f, err
	}
	if f.scale == scale.Auto && f.options.Sum == softkmeans.SumAtMostOne {
		f.scale = scale.None // 0 must stay 0
	}
	if f.options.Sum == softkmeans.SumAtMostOne {
		switch {
		case f.scale == scale.Counts:
			return f, usageErrorf("-scale counts makes all rows add up to 1; leave -sum out")
		case f.perRow == unmix.ScaleUnit:
			return f, usageErrorf("-rows unit makes all rows add up to 1; leave -sum out")
		}
	}
	if err := f.checkSure(given); err != nil {
		return f, err
	}
	if f.method == methodMinVolume && f.named() && f.inBlocks() {
		f.mostStreamed = math.MaxInt
	}
	switch {
	case f.stream == streamYes:
		f.dialect.Words.Rules = "drop"
	case f.method == methodMinVolume && !given["bootstrap"] && !(given["others"] && f.others):
		f.dialect.Words.Rules = "fit drop mean"
	}
	return f, f.checkStream(f.stream)
}

func (f *fitFlags) run(s *session) error {
	if err := cmp.Or(f.readStart(), f.readLibrary()); err != nil {
		return err
	}
	s.reads = [][2]string{{f.known, "prototypes"}}
	files, err := s.addAll([2]string{"o", f.memberships}, [2]string{"centers", f.centers}, [2]string{"means", f.means},
		[2]string{"model", f.model})
	if err != nil {
		return err
	}
	memberships, centers, means, model := files[0], files[1], files[2], files[3]
	fit := f.fitTable
	if f.streams(s.in) {
		fit = f.fitStream
	}
	w := answer.NewMembershipWriter(memberships)
	result, err := fit(s, w)
	if err != nil {
		return err
	}
	if err := w.Conclude(&result.Notes); err != nil {
		return err
	}
	if centers != nil {
		text := answer.CentersCSV(result.Names, result.centerNames(), answer.RowsOf(result.centers))
		if _, err := centers.Write(text); err != nil {
			return err
		}
	}
	a := result.answer()
	if means != nil {
		if a.Clusters == nil {
			return fmt.Errorf("%s: -means: the fit has no clusters; leave the flag out", result.Source)
		}
		if _, err := means.Write(answer.MeansCSV(a.Columns, a.Clusters)); err != nil {
			return err
		}
	}
	if model != nil {
		if _, err := newModelFile(result).WriteTo(model); err != nil {
			return err
		}
	}
	a.Next = f.next()
	return s.tell(a, &f.printFlags)
}

// next says what to do after the fit.
func (f *fitFlags) next() string {
	text := ""
	if f.memberships == "" {
		text = "Labels and memberships of all rows: -o FILE. "
	}
	if !f.verbose {
		text += "All digits: -v. "
	}
	return text + "Pictures: report. Which k: floors."
}

// fitTable fits a table in memory. It writes the memberships to w unless w is nil.
func (f *fitFlags) fitTable(s *session, w *answer.MembershipWriter) (*result, error) {
	d, err := f.readAs(s, f.takesSparse)
	if err != nil {
		return nil, err
	}
	p := s.progress(f.quiet)
	defer p.clear()
	return f.fitData(s, d, p, w)
}

// fitData fits a table that was read. It writes the memberships to w unless w is nil.
func (f *fitFlags) fitData(s *session, d *data, p *progress, w *answer.MembershipWriter) (*result, error) {
	if d.sparse == nil {
		d.noteKind(f)
	}
	r := &result{k: f.k, method: f.method, slack: f.slack > 0, seed: f.seed}
	if err := f.settleRows(s.ctx, d, r, p); err != nil {
		return nil, err
	}
	if !f.method.ofSimilarities() && (f.scale == scale.Auto || f.library != nil) {
		d.noteColumns()
	}
	if f.method.takes("bounds") {
		r.kept = f.bounds.orNil() != nil
		f.bounds = d.within(f.bounds, f.free())
	}
	r.Head, r.rows, r.scale, r.bounds = d.Head, d.Rows, d.scale, f.bounds
	r.mixtures = f.labels == labelLargest || f.labels == labelAuto && !f.method.ofSimilarities() &&
		(d.mixtures || f.library != nil || f.start != nil && f.start.LabelLargest) // rows mix known sources
	if err := checkCenters(r.Source, d.Rows, r.k); err != nil {
		return nil, err
	}
	fit := f.fitRows
	if f.method.ofSimilarities() {
		fit = f.fitSimilarities
	}
	memberships, err := fit(s.ctx, d, r, p)
	if err != nil {
		return nil, err
	}
	labels := r.labels()
	r.count(labels)
	r.meaning.Add(memberships, f.naming(d))
	clusters := labels
	if r.clusters != nil {
		clusters = r.clusters
		r.meaning.Compare(clusters, memberships)
	}
	likely, err := r.probabilities(d.samples(), clusters)
	if err != nil {
		return nil, err
	}
	var details *softkmeans.Matrix
	if r.model != nil && (f.details || f.model != "") {
		details = measure.Of(r.model, r.unit).Measure(d.samples(), memberships, clusters)
		if r.setResidual(details, d.Weights, d.sizes); !f.details {
			details = nil
		}
	}
	if w != nil {
		w.Describe(&d.Head, d.texts)
		w.Centers, w.Clustered, w.Likely, w.EachLikely = r.centerNames(), r.clusters != nil, likely != nil, f.details
		w.Details = detailNames(details != nil, d.sizes)
		return r, w.Add(s.ctx, answer.MemberRows{Labels: labels, Clusters: clusters, Memberships: memberships,
			Probabilities: likely, Details: withSizes(details, d.sizes)})
	}
	return r, nil
}

// settleRows chooses k, if it is not given, and divides rows that differ in brightness. k is then chosen anew.
func (f *fitFlags) settleRows(ctx context.Context, d *data, r *result, p *progress) error {
	auto := r.k == 0 && !f.method.ofSimilarities()
	choose := func() error {
		r.Head, r.scale = d.Head, d.scale
		return f.choose(ctx, d, r, p)
	}
	if auto {
		if err := choose(); err != nil {
			return err
		}
	}
	if f.method != methodMinVolume || f.options.Sum != softkmeans.SumToOne || f.bounds.inside() {
		return nil
	}
	open, err := d.open(ctx, &f.inputFlags, r.k, auto)
	if err == nil && open && auto {
		err = choose()
	}
	return err
}

// choose chooses k by the rows, and notes which of them if they are not all.
func (f *fitFlags) choose(ctx context.Context, d *data, r *result, p *progress) error {
	p.step("the number of prototypes")
	o := &choosek.Options{Weights: d.Weights, Seed: f.seed, Workers: f.workers}
	x, err := d.filled()
	switch {
	case err != nil:
		return err
	case x != nil:
		x, note := d.rowsForK(x, o)
		if note != "" {
			d.Notes = append(d.Notes, note)
		}
		return r.choose(ctx, x, d.sizes, o)
	case min(d.Rows, len(d.Names)) > allFloors:
		return fmt.Errorf("%s: -k auto takes a sparse file of up to %d rows or columns, or of %d entries with its zeros; "+
			"give -k N, after a look at softkmeans floors", d.Source, allFloors, filledForK)
	}
	return r.propose(ctx, d.samples(), o)
}
