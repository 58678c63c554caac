package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/enclosure"
	"softkmeans/internal/answer"
	"softkmeans/internal/draws"
	"softkmeans/internal/kinds"
	"softkmeans/internal/measure"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/missing"
	"softkmeans/proof"
	"softkmeans/stability"
)

type method int

const (
	methodMinVolume method = iota // the default
	methodGlobal
	methodAlternating
	methodTILSD
	methodLSD
)

// methods is the table of the methods. A new method is a constant and a row here, and a sentence
// in the help of -method.
var methods = [...]struct {
	word    string      // of -method, of reports and of model files
	takes   string      // the flags that it takes and others do not
	of      view.Method // of rows
	similar bool        // it takes similarities in place of rows
	// fit fits rows, with the options that all methods share.
	fit func(context.Context, *fitFlags, *data, *result, *softkmeans.MinVolumeOptions) (*softkmeans.Model, error)
	// decompose fits similarities, and floors returns their least errors.
	decompose func(context.Context, *softkmeans.Matrix, int, *softkmeans.LSDOptions) (*softkmeans.LSDModel, error)
	floors    func(context.Context, *softkmeans.Matrix, int, *softkmeans.LSDOptions) ([]float64, error)
}{
	methodMinVolume: {
		word: "minvol",
		takes: "labelby slack lambda bounds seed plain others bootstrap from known sum weights centers means " +
			"details stream missing",
		fit: fitMinVolume,
	},
	methodGlobal: {
		word:  "global",
		of:    view.Global,
		takes: "enclosure solver sum weights centers details stream",
		fit:   fitGlobal,
	},
	methodAlternating: {
		word:  "alternating",
		of:    view.Alternating,
		takes: "labelby bounds seed plain from known sum weights centers means details",
		fit:   fitAlternating,
	},
	methodTILSD: {
		word:      "tilsd",
		takes:     "enclosure kernel gamma",
		similar:   true,
		decompose: softkmeans.TILSD,
		floors:    softkmeans.TILSDFloors,
	},
	methodLSD: {
		word:      "lsd",
		takes:     "seed kernel gamma",
		similar:   true,
		decompose: softkmeans.LSD,
		floors:    softkmeans.LSDFloors,
	},
}

func (m method) String() string { return methods[m].word }

// takes reports whether the method takes a flag that not all methods take.
func (m method) takes(flag string) bool {
	return slices.Contains(strings.Fields(methods[m].takes), flag)
}

// methodsWith returns the methods for which ok holds, as words of -method.
func methodsWith(ok func(method) bool) (list []choice[method]) {
	for m := range method(len(methods)) {
		if ok(m) {
			list = append(list, choice[method]{m.String(), m})
		}
	}
	return list
}

// takers returns the words of the methods that take a flag; "" if all methods do.
func takers(flag string) string {
	var words []string
	for _, c := range methodsWith(func(m method) bool { return m.takes(flag) }) {
		words = append(words, c.word)
	}
	return view.And(words)
}

// ofValues reports whether takes is about some values of the flag only.
func ofValues(flag string) bool { return flag == "stream" || flag == "missing" }

// ofSimilarities reports whether the method takes similarities instead of rows.
func (m method) ofSimilarities() bool { return methods[m].similar }

type result struct {
	table.Head
	rows     int
	k        int
	method   method
	sizes    []int             // rows by label
	scale    *scale.Scaling    // nil: none
	proposal *choosek.Proposal // by the floors alone, or of a scene; nil: not
	choice   *choosek.Choice   // by the data; nil: not
	slack    bool              // given by -slack
	bounds   *bounds           // of the centers; nil: none
	kept     bool              // the bounds are those of -bounds
	seed     uint64
	known    []string           // the names of the first centers; nil: p0, p1, …
	fixed    *softkmeans.Matrix // these centers, in the table's units; nil: none
	meaning  answer.Rows
	mixtures bool  // labels are the largest memberships, though there are clusters
	clusters []int // of the rows; nil: there are none, or the table is read in blocks
	likely   likelyRows

	// Methods of rows.
	unit       bool // pixels have a brightness of their own
	model      *softkmeans.Model
	centers    *softkmeans.Matrix  // in the table's units
	others     []softkmeans.Answer // as centers
	cert       softkmeans.Certificate
	columns    *scale.Columns // in the table's units
	residual   float64        // the largest of a row, if measured
	streamed   bool           // the certificate comes from the passes; SpanError is unknown
	summarised bool           // the centers were fitted to a sample of the rows
	missing    int            // values
	compact    view.Compact
	faint      string            // that the last direction is hardly stronger than the next; "": not so, or not known
	sure       *answer.Bootstrap // nil: not asked for

	// Methods of similarities.
	similar *similar
	lsd     *softkmeans.LSDModel
	bound   *proof.LSDBound // of lsd; nil: not looked for
	kernel  kernelKind
	gamma   float64            // of kernelRBF
	samples *softkmeans.Matrix // the scaled rows; nil for kernelMatrix
}

// choose sets k to what the rows speak for, or at least support, or returns an error if there is no answer.
// Tables of fewer rows than choosek.Choose takes have a proposal by their floors. sums are those by which
// rows were divided; nil: they were not.
func (r *result) choose(ctx context.Context, x *softkmeans.Matrix, sums []float64, o *choosek.Options) error {
	c, err := kinds.Choose(ctx, x, sums, r.scale, o)
	if err == nil && c == nil {
		return r.propose(ctx, x, o)
	}
	return r.take(c, err)
}

// take sets r.k and r.choice by the choice c. It returns err, or an error if c names no number.
func (r *result) take(c *choosek.Choice, err error) error {
	if err != nil {
		return err
	}
	if r.k, r.choice = c.K, c; c.K == 0 {
		return r.noNumber(c.Reason + "; give -k N\n" + answer.NewChoice(c, nil).Lines())
	}
	return nil
}

func (r *result) noNumber(why string) error {
	return fmt.Errorf("%s: no k is proposed: %s", r.Source, why)
}

func (r *result) counts() bool { return scale.KindOf(r.scale) == scale.Counts }

// propose sets k to the proposal by the floors of rows, or returns an error if there is none.
func (r *result) propose(ctx context.Context, x softkmeans.Samples, o *choosek.Options) error {
	floors, err := softkmeans.Floors(ctx, x, &softkmeans.Options{Weights: o.Weights, Workers: o.Workers})
	if err != nil {
		return err
	}
	return r.accept(choosek.Propose(floors))
}

// accept sets k to that of a proposal, or returns an error if it has none.
func (r *result) accept(p choosek.Proposal, err error) error {
	if err != nil {
		return err
	}
	if r.k, r.proposal = p.K, &p; p.K == 0 {
		return r.noNumber(p.Reason + "; give -k N")
	}
	return nil
}

// checkCenters returns an error for more centers than rows. Such a k is useless, and
// a mistyped one could exceed the memory.
func checkCenters(source string, rows, k int) error {
	if k > rows {
		return fmt.Errorf("%s: %s, but -k %d; give a k of at most the number of rows",
			source, count(rows, "row"), k)
	}
	return nil
}

func (r *result) count(labels []int) {
	if r.sizes == nil {
		r.sizes = make([]int, r.k)
	}
	for _, label := range labels {
		r.sizes[label]++
	}
}

// open reports whether the rows were divided by their sums, and prototypes have the mean sum.
func (r *result) open() bool { return scale.KindOf(r.scale) == scale.Sums }

// clustered reports whether rows have clusters beside their memberships.
func (r *result) clustered() bool {
	if r.lsd != nil {
		return r.lsd.Clustering != nil
	}
	return r.model != nil && r.model.ClusterMeans != nil
}

func (r *result) labels() []int {
	if r.lsd != nil {
		return r.lsd.Labels(nil)
	}
	return r.model.Labels(nil)
}

// setModel sets the model and the centers in the table's units. In memory the model's centers then become
// those that files have, rounded to these units and scaled again, so that the certificate is about them.
func (r *result) setModel(m *softkmeans.Model) {
	r.model, r.centers = m, m.Centers
	if m.Clusters != nil {
		r.clusters = kinds.Label(m, r.mixtures)
	}
	if r.scale != nil {
		r.centers = m.Centers.Clone()
		r.scale.Undo(r.centers.Data)
	}
	r.flatten(r.centers)
	r.bounds.hold(r.centers)
	if r.fixed != nil {
		copy(r.centers.Data, r.fixed.Data)
	}
	if r.scale != nil && !r.streamed {
		copy(m.Centers.Data, r.centers.Data)
		r.scale.Apply(m.Centers.Data)
	}
	r.others = m.Others
	if r.scale != nil {
		r.others = nil
		for _, other := range m.Others {
			other.Centers = other.Centers.Clone()
			r.scale.Undo(other.Centers.Data)
			r.flatten(other.Centers)
			r.scale.Close(other.Centers.Data)
			r.bounds.hold(other.Centers)
			r.others = append(r.others, other)
		}
	}
}

// minVolumeOptions returns the options that flags set, without weights, bounds and known prototypes.
func (f *fitFlags) minVolumeOptions(p *progress) *softkmeans.MinVolumeOptions {
	return &softkmeans.MinVolumeOptions{Slack: f.slack, Lambda: f.lambda, Seed: f.seed, Sum: f.options.Sum,
		Plain: f.plain, Workers: f.workers, Progress: p.iteration}
}

func (f *fitFlags) fitRows(ctx context.Context, d *data, r *result,
	p *progress) (g *softkmeans.Matrix, err error) {
	weights := d.Weights
	var start *softkmeans.Matrix
	if f.start != nil {
		if start, err = f.start.centersFor(d, f.from); err != nil {
			return nil, err
		}
	}
	fixed, err := f.joinKnown(d, r)
	if err != nil {
		return nil, err
	}
	if t := d.sparse; t != nil {
		r.columns = scale.ColumnsOfSparse(t.X.Indptr, t.X.Indices, t.X.Data, weights, t.X.Cols, d.scale)
	} else {
		r.columns = scale.ColumnsOf(d.x.Data, d.x.Cols, weights, d.scale)
	}
	o := f.minVolumeOptions(p)
	o.Centers, o.Fixed, o.Weights = start, fixed, weights
	o.Lower, o.Upper = f.bounds.scaled(d.scale)
	if r.counts() && o.Slack == 0 && o.Lambda == 0 && f.method == methodMinVolume {
		o.Slack = kinds.Slack(r.k, d.x.Cols)
	}
	if d.missing > 0 {
		return f.fitMissing(ctx, d, r, o)
	}
	m, err := methods[f.method].fit(ctx, f, d, r, o)
	if err == nil {
		err = kinds.Keep(m, d.scale, d.x)
	}
	if err != nil {
		return nil, err
	}
	r.setModel(m)
	r.cert, err = softkmeans.Certify(ctx, d.samples(), m.Centers, m.Memberships,
		&softkmeans.Options{Sum: m.Sum, Weights: weights, Workers: f.workers})
	if f.around.smallest {
		m.Certificate = r.cert
	}
	var x *softkmeans.Matrix
	if err == nil {
		x, err = d.filled()
	}
	if err == nil && x != nil {
		err = f.prove(ctx, r, x, weights)
	}
	if err == nil {
		err = f.draw(ctx, d, r, o, p)
	}
	return m.Memberships, err
}

// prove sets what is proved of the volume of the centers: for minvol the ratio and the verdict, for the
// smallest enclosure of global the verdict alone.
func (f *fitFlags) prove(
	ctx context.Context, r *result, x *softkmeans.Matrix, weights []float64,
) (err error) {
	if f.method == methodMinVolume {
		o := &softkmeans.Options{Weights: weights, Workers: f.workers}
		r.compact, err = view.Prove(ctx, x, r.model, r.cert, o)
		if err == nil {
			o.Sum, o.MostK = r.model.Sum, r.k+1
			var floors []float64
			floors, err = softkmeans.Floors(ctx, x, o)
			r.faint = view.LastDirection(floors, r.k)
		}
	} else if f.around.smallest {
		r.compact.Unique, err = view.Unique(ctx, r.model, weights)
	}
	return err
}

// fitMinVolume looks for other answers to sparse rows with their zeros.
func fitMinVolume(ctx context.Context, f *fitFlags, d *data, r *result,
	o *softkmeans.MinVolumeOptions) (*softkmeans.Model, error) {
	m, err := softkmeans.FitMinVolume(ctx, d.samples(), r.k, o)
	if err != nil || !f.others {
		return m, err
	}
	r.clusters = kinds.Label(m, r.mixtures)
	x, err := d.filled()
	if err == nil && x == nil {
		r.Notes = append(r.Notes, fmt.Sprintf("other answers were not looked for: that takes up to %d "+
			"entries with their zeros", filledForK))
	} else if err == nil {
		err = stability.Others(ctx, x, m, o)
	}
	return m, err
}

func fitAlternating(ctx context.Context, _ *fitFlags, d *data, r *result,
	o *softkmeans.MinVolumeOptions) (*softkmeans.Model, error) {
	return softkmeans.FitAlternating(ctx, d.samples(), r.k, o)
}

// fitGlobal returns the global solution, for sums and the enclosure that are asked for. The certificate of
// the smallest enclosure is to be renewed.
func fitGlobal(ctx context.Context, f *fitFlags, d *data, r *result,
	_ *softkmeans.MinVolumeOptions) (*softkmeans.Model, error) {
	o, fit := f.options, softkmeans.Fit
	o.Weights = d.Weights
	if o.Sum == softkmeans.SumAtMostOne {
		o.Sum, fit = softkmeans.SumToOne, enclosure.Cone
	}
	m, err := fit(ctx, d.samples(), r.k, &o)
	if err != nil || !f.around.smallest {
		return m, err
	}
	all := m.Memberships.Rows
	rows, err := draws.Rows(d.Weights, all)
	if err != nil {
		return nil, err
	}
	m.Memberships = draws.Chosen(m.Memberships, rows)
	if m, err = enclosure.Smallest(ctx, m); err == nil && len(rows) < all {
		m.Memberships, err = m.Predict(nil, d.samples())
	}
	return m, err
}

// fitMissing fits rows with missing values. These then become those of the mixtures.
func (f *fitFlags) fitMissing(ctx context.Context, d *data, r *result,
	o *softkmeans.MinVolumeOptions) (*softkmeans.Matrix, error) {
	m, err := missing.Fit(ctx, d.x, r.k, o)
	if err != nil {
		return nil, err
	}
	r.setModel(m)
	r.missing = d.missing
	measure.FillMixtures(d.x, m.Memberships, m.Centers, false)
	r.cert = m.Certificate
	return m.Memberships, nil
}
