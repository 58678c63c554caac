package main

// This file holds what fit, floors and report share about similarities of rows, and the
// choice of a number of clusters.

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/absent"
	"softkmeans/internal/answer"
	"softkmeans/internal/kinds"
	"softkmeans/internal/la"
	"softkmeans/internal/report"
	"softkmeans/internal/scale"
	"softkmeans/proof"
	"softkmeans/unmix"
)

// addSimilar adds the flags about similarities to a command that takes rows, too.
func (f *fitFlags) addSimilar(fs *flag.FlagSet) {
	choiceFlag(fs, &f.method, "method", methodsWith(method.ofSimilarities))
	kernelFlags(fs, &f.kernel, &f.gamma)
}

// checkSimilar checks the given flags of such a command, and sets its method. of are flags for rows only.
func (f *fitFlags) checkSimilar(given map[string]bool, of ...string) error {
	if !given["kernel"] && !given["method"] {
		f.method = methodMinVolume
		return refuse(given, " is only for -kernel "+withGamma(), "gamma")
	}
	if f.missing == absent.Fit {
		return usageErrorf("-missing fit is for rows; similarities take drop and mean")
	}
	return cmp.Or(refuse(given, " is for rows; with -kernel "+f.kernel.String()+" leave it out", append(of, "weights")...),
		f.kernel.check(given, &f.inputFlags))
}

// check checks the flags of the input that a kernel needs, and settles the scaling.
func (k kernelKind) check(given map[string]bool, in *inputFlags) error {
	switch {
	case given["gamma"] && kernels[k].gamma == nil:
		return usageErrorf("-gamma is only for -kernel %s", withGamma())
	case k.compares() && given["scale"]:
		return usageErrorf("-scale needs rows; with -kernel %v leave it out", k)
	case in.perRow == unmix.ScaleUnit:
		return usageErrorf("-rows unit weighs rows, which similarities do not; take -method %s",
			takers("weights"))
	case k.compares() && in.missing != absent.Error:
		return usageErrorf("-missing needs rows; with -kernel %v leave it out", k)
	}
	if in.noCounts = true; in.scale == scale.Counts {
		return usageErrorf("-scale counts weighs rows, which similarities do not; take -method %s",
			takers("weights"))
	}
	if k.compares() {
		in.dialect.Words.Rules = "none"
		if in.scale == scale.Auto {
			in.scale = scale.None // 0 must stay 0
		}
	}
	return nil
}

// similar is similarities of the rows of a table, ready to be decomposed.
type similar struct {
	*fitFlags
	d      *data
	matrix *softkmeans.Matrix
}

// computed is the argument that errors name in place of the "s" of LSD if s comes from rows.
const computed = "similarity"

// mostSimilar is the largest number of rows whose similarities are computed: 8n² bytes, 7.2 GB.
const mostSimilar = 30000

// openSimilar takes the similarities of the rows. It sets γ and the samples of the result.
func (f *fitFlags) openSimilar(d *data, r *result) (s *similar, err error) {
	k := &kernels[f.kernel]
	r.kernel, r.gamma = f.kernel, f.gamma
	switch {
	case k.compares && d.x.Rows != d.x.Cols:
		return nil, d.notSquare(k.holds)
	case !k.compares && d.Rows > mostSimilar:
		return nil, fmt.Errorf("%s: %s; similarities of more than %d do not fit in memory; take a part of "+
			"the rows, or a method for rows", d.Source, count(d.Rows, "row"), mostSimilar)
	case !k.compares:
		r.samples, r.columns = d.x, scale.ColumnsOf(d.x.Data, d.x.Cols, nil, d.scale)
	}
	s = &similar{fitFlags: f, d: d}
	if k.gamma != nil && r.gamma == 0 {
		r.gamma, err = k.gamma(d.x)
	}
	if err == nil {
		x := d.x
		if f.kernel == kernelLinear && f.method == methodTILSD && x.Check("x") == nil {
			x = la.Centred(x, meanOf(x))
		}
		s.matrix, err = k.open(x, r.gamma)
	}
	var e *softkmeans.InputError
	if errors.As(err, &e) && e.Col >= 0 { // of an entry that may be less its mean
		e.Value = d.x.At(e.Row, e.Col)
	}
	if err != nil && k.compares {
		err = fmt.Errorf("%s: %w", d.Source, err)
	}
	return s, err
}

func (f *fitFlags) lsdOptions(show func(softkmeans.Iteration)) *softkmeans.LSDOptions {
	o := &softkmeans.LSDOptions{Seed: f.seed, Workers: f.workers, Progress: show}
	if f.method == methodTILSD {
		o.Enclosure, o.Progress = f.options.Enclosure, nil
	}
	return o
}

func (s *similar) decompose(ctx context.Context, m method, k int,
	o *softkmeans.LSDOptions) (*softkmeans.LSDModel, error) {
	fit, err := methods[m].decompose(ctx, s.matrix, k, o)
	var e *softkmeans.InputError
	if errors.As(err, &e) && !s.kernel.compares() {
		e.Arg = computed
	}
	return fit, err
}

// LSD has a floor by duality for up to mostProved rows and mostParts clusters. For 500 rows that takes .2 s
// of a processor with 3 clusters, 1.2 with 10 and up to 15 with 100.
const (
	mostProved = 500
	mostParts  = 10
)

// prove looks for a floor by duality of the fit, where that is quick.
func (s *similar) prove(ctx context.Context, r *result) (err error) {
	if r.method != methodLSD || s.matrix.Rows > mostProved || r.k > mostParts {
		return nil
	}
	r.bound, err = proof.LSDFloor(ctx, s.matrix, r.k, &proof.LSDFloorOptions{Model: r.lsd, Workers: s.workers})
	return err
}

// byDuality reports whether the floor is one by duality.
func (r *result) byDuality() bool { return r.bound != nil && !r.bound.Spectral }

func (r *result) rated() *softkmeans.LSDModel {
	if !r.byDuality() {
		return r.lsd
	}
	m := *r.lsd
	m.Floor, m.FloorError, m.Gap = r.bound.Floor, 0, r.bound.Gap
	return &m
}

// floors returns the sum of squares that floors are shares of, and the floors for k = 1, …, most.
func (s *similar) floors(ctx context.Context, most int) (total float64, floors []float64, err error) {
	o := &softkmeans.LSDOptions{Workers: s.workers}
	m, err := s.decompose(ctx, s.method, 1, o) // it checks a matrix, too
	if err != nil {
		return 0, nil, err
	}
	floors, err = methods[s.method].floors(ctx, s.matrix, min(most, s.d.Rows), o)
	return m.Total, floors, err
}

// choice returns the number of clusters for which the similarities are evidence. For inner products it is the
// number for the rows. If rows are too few, K is 0 and Reason says so.
func (s *similar) choice(ctx context.Context) (*choosek.Choice, error) {
	var c choosek.Choice
	var err error
	o := &choosek.Options{Seed: s.seed, Workers: s.workers}
	if s.kernel == kernelLinear {
		c, err = choosek.Choose(ctx, s.d.x, o)
	} else {
		c, err = kinds.ChooseSimilar(ctx, s.matrix, o)
	}
	if errors.Is(err, softkmeans.ErrTooFewSamples) {
		c, err = choosek.Choice{Rows: s.d.Rows, Reason: count(s.d.Rows, "row") + " are too few to compare halves"}, nil
	}
	return &c, err
}

// naming names the rows: those of a square table without ids have the names of its columns.
func (f *fitFlags) naming(d *data) answer.Naming {
	if f.method.ofSimilarities() && f.kernel.compares() && d.texts.IDs == nil &&
		d.Header && len(d.Names) == d.Rows {
		return func(i int) (int, string) { return i, d.Names[i] }
	}
	return d.texts.Names()
}

// similarPage is the page about similarities. It writes the memberships to w unless w is nil.
func (f *reportFlags) similarPage(s *session, show *progress, w *answer.MembershipWriter) (page, *answer.Answer, error) {
	show.step("reading")
	d, err := f.readReported(s)
	if err != nil {
		return nil, nil, err
	}
	r, err := f.fitData(s, d, show, w)
	if err != nil {
		return nil, nil, err
	}
	name := f.naming(d)
	c := &report.Similar{Page: f.pageOf(r.answer()), Table: d.Table, Model: r.rated(),
		Centred: f.method == methodTILSD, Name: func(i int) string { _, id := name(i); return id }}
	if r.choice != nil {
		c.Proposed = r.k
	}
	if d.Rows <= mostDrawn {
		c.Matrix = r.similar.matrix
	}
	show.step("floors")
	if c.Total, c.Floors, err = r.similar.floors(s.ctx, max(mostFloors, r.k+2)); err == nil {
		c.Plane, err = r.similar.plane(s.ctx, r)
	}
	return c, c.Answer, err
}

const (
	// mostDrawn is the largest number of rows whose similarities are drawn.
	mostDrawn = 4000
	// mostFloors is how many floors the page has, or two more than clusters.
	mostFloors = 20
)

// plane returns the rows in leading directions: those of the fit, if it has two.
func (s *similar) plane(ctx context.Context, r *result) (*softkmeans.Matrix, error) {
	m := r.lsd
	if m.Vertices == nil || m.Vertices.Cols < 2 {
		var err error
		o := &softkmeans.LSDOptions{Workers: s.workers, Enclosure: softkmeans.EnclosureTight}
		if m, err = s.decompose(ctx, methodTILSD, 3, o); err != nil {
			return nil, err
		}
	}
	return m.Coordinates(nil, nil)
}
