package main

// This file holds what fit, floors and report share about similarities of rows, and the
// choice of a number of clusters.

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/absent"
	"softkmeans/internal/answer"
	"softkmeans/internal/report"
	"softkmeans/internal/scale"
	"softkmeans/proof"
	"softkmeans/unmix"
)

// similarFlags are the flags about similarities of commands that take rows, too.
type similarFlags struct {
	given  bool // similarities in place of rows
	method method
	kernel kernelKind
	gamma  float64
}

func (f *similarFlags) add(fs *flag.FlagSet) {
	choiceFlag(fs, &f.method, "method", methodsWith(method.ofSimilarities))
	kernelFlags(fs, &f.kernel, &f.gamma)
}

// check checks the flags of fs, which are parsed. of are those for rows only.
func (f *similarFlags) check(fs *flag.FlagSet, in *inputFlags, of ...string) error {
	given := given(fs)
	f.method = methodFor(f.method, given)
	if f.given = given["kernel"] || given["method"]; !f.given {
		if given["gamma"] {
			return usageErrorf("-gamma is only for -kernel %s", withGamma())
		}
		return nil
	}
	if in.missing == absent.Fit {
		return usageErrorf("-missing fit is for rows; similarities take drop and mean")
	}
	for _, name := range append(of, "weights") {
		if given[name] {
			return usageErrorf("-%s is for rows; with -kernel %v leave it out", name, f.kernel)
		}
	}
	return f.kernel.check(given, in)
}

// methodFor returns the method of a command whose flags are given: tilsd for a -kernel without -method.
func methodFor(m method, given map[string]bool) method {
	if given["kernel"] && !given["method"] {
		return methodTILSD
	}
	return m
}

// check checks the flags of the input that a kernel needs, and settles the scaling.
func (k kernelKind) check(given map[string]bool, in *inputFlags) error {
	switch {
	case given["gamma"] && !kernels[k].hasGamma:
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

func (f *similarFlags) fitFlags(in *inputFlags, seed uint64) *fitFlags {
	fit := &fitFlags{inputFlags: *in, method: f.method, kernel: f.kernel, gamma: f.gamma, seed: seed}
	fit.options.Workers = in.workers
	return fit
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
func (f *fitFlags) openSimilar(d *data, r *result) (*similar, error) {
	r.kernel = f.kernel
	if !f.kernel.compares() {
		if d.Rows > mostSimilar {
			return nil, fmt.Errorf("%s: %s; similarities of more than %d do not fit in memory; take a part of "+
				"the rows, or a method for rows", d.Source, count(d.Rows, "row"), mostSimilar)
		}
		r.samples, r.columns = d.x, scale.ColumnsOf(d.x.Data, d.x.Cols, nil, d.scale)
	}
	matrix, err := kernels[f.kernel].open(f, d, r)
	return &similar{f, d, matrix}, err
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

const (
	// mostCompared is how many rows are looked at for a number of clusters.
	mostCompared = 1000
	// mostDirections is how many directions of the similarities are: three for each of
	// the clusters that are tried.
	mostDirections = 36
	// Halves of the rows agree from an adjusted Rand index of agreeFrom on, if it is
	// larger than that of a cloud by agreeMargin, as for choosek.Choose.
	agreeFrom   = 0.8
	agreeMargin = 0.15
)

// choose returns the number of clusters that the similarities speak for. That of products is
// the number for the rows. Otherwise directions tell nothing, because those of similarities
// are bent: many may stand out where there is one cluster. What remains is whether halves of
// the rows give the same labels. The number is that for which they agree most beyond what
// halves of a cloud do that has no clusters (Dudoit & Fridlyand 2002).
func (s *similar) choose(ctx context.Context) (choosek.Choice, error) {
	o := &choosek.Options{Seed: s.seed, Workers: s.workers}
	if s.kernel == kernelLinear {
		return choosek.Choose(ctx, s.d.x, o)
	}
	var c choosek.Choice
	x, err := s.coordinates(ctx)
	if err != nil {
		return c, err
	}
	if x == nil {
		return choosek.Choice{K: 1, Certain: true, Reason: "no direction of the similarities is above 0",
			Rows: s.d.Rows}, nil
	}
	all, err := choosek.Choose(ctx, x, o)
	if err != nil {
		return c, err
	}
	c = choosek.Choice{Rows: all.Rows, Agreement: all.Agreement, Chance: all.Chance}
	decideSimilar(&c)
	return c, nil
}

// choice is choose, but without a number for too few rows.
func (s *similar) choice(ctx context.Context) (choosek.Choice, error) {
	c, err := s.choose(ctx)
	if errors.Is(err, softkmeans.ErrTooFewSamples) {
		return choosek.Choice{Rows: s.d.Rows, Reason: count(s.d.Rows, "row") +
			" are too few to compare halves"}, nil
	}
	return c, err
}

// decideSimilar sets K and Reason by the agreement of halves.
func decideSimilar(c *choosek.Choice) {
	best := agreeMargin
	for i, v := range c.Agreement {
		if beyond := v - c.Chance[i]; i > 0 && v >= agreeFrom && beyond > best {
			best, c.K, c.Certain, c.Stable = beyond, i+1, true, i+1
		}
	}
	if c.K == 0 {
		c.Reason = "halves of the rows agree on no number of clusters"
		return
	}
	c.Reason = fmt.Sprintf("halves of the rows agree on %s by %.2f, where those of a cloud without "+
		"clusters do by %.2f; "+
		"for no other k they agree more beyond chance", count(c.K, "cluster"),
		c.Agreement[c.K-1], c.Chance[c.K-1])
}

// coordinates returns rows in the space of the similarities, in their leading directions.
// It is turned at random, so that every column has a part of all directions: choosek.Choose
// permutes columns and holds out entries. nil: there is no direction.
func (s *similar) coordinates(ctx context.Context) (*softkmeans.Matrix, error) {
	matrix := s.drawn()
	k := min(mostDirections, matrix.Rows-1) + 1
	m, err := softkmeans.TILSD(ctx, matrix, k, &softkmeans.LSDOptions{Workers: s.workers})
	if err != nil || m.Projection.Cols == 0 {
		return nil, err
	}
	w, err := m.Coordinates(nil, nil)
	if err != nil {
		return nil, err
	}
	p := w.Cols
	rng := rand.New(rand.NewPCG(s.seed, 0x51311a2))
	normal := softkmeans.NewMatrix(p, p, nil)
	for i := range normal.Data {
		normal.Data[i] = rng.NormFloat64()
	}
	turn, _, _, err := softkmeans.SVD(normal)
	if err != nil {
		return nil, err
	}
	x := softkmeans.NewMatrix(w.Rows, p, nil)
	for i := range w.Rows {
		for c, v := range w.Row(i) {
			for j, u := range turn.Row(c) {
				x.Data[i*p+j] += v * u
			}
		}
	}
	return x, nil
}

// drawn returns the similarities of some rows: of all up to mostCompared.
func (s *similar) drawn() *softkmeans.Matrix {
	n := s.d.Rows
	if n <= mostCompared {
		return s.matrix
	}
	rows := rand.New(rand.NewPCG(s.seed, 0xd3a35)).Perm(n)[:min(n, mostCompared)]
	slices.Sort(rows)
	part := softkmeans.NewMatrix(len(rows), len(rows), nil)
	for i, at := range rows {
		for j, other := range rows {
			part.Set(i, j, s.matrix.At(at, other))
		}
	}
	return part
}

// propose chooses a number, or returns an error that says that there is none.
func (s *similar) propose(ctx context.Context, source string) (int, *choosek.Choice, error) {
	c, err := s.choice(ctx)
	if err != nil {
		return 0, nil, err
	}
	if c.K == 0 {
		return 0, nil, fmt.Errorf("%s: no number of clusters is proposed: %s; give -k N\n%s", source, c.Reason,
			answer.NewChoice(&c, nil).Lines())
	}
	return c.K, &c, nil
}

// naming names the rows: those of a square table without ids have the names of its columns.
func (f *fitFlags) naming(d *data) answer.Naming {
	if f.method.ofSimilarities() && f.kernel.compares() && d.texts.ids == nil &&
		d.Header && len(d.Names) == d.Rows {
		return func(i int) (int, string) { return i, d.Names[i] }
	}
	return d.texts.names()
}

// similarPage is the page about similarities. It writes the memberships to w unless w is nil.
func (f *reportFlags) similarPage(s *session, show *progress, w *membershipWriter) (page, *answer.Answer, error) {
	show.step("reading")
	d, err := f.readReported(s)
	if err != nil {
		return nil, nil, err
	}
	fit := f.similarFlags.fitFlags(&f.inputFlags, f.seed)
	fit.k = f.k
	r, err := fit.fitData(s, d, show, w)
	if err != nil {
		return nil, nil, err
	}
	name := fit.naming(d)
	c := &report.Similar{Page: f.pageOf(r.answer()), Table: d.Table, Model: r.rated(),
		Centred: fit.method == methodTILSD, Name: func(i int) string { _, id := name(i); return id }}
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
