package main

// The requests of the page and their answers, without a browser. main_js.go exchanges them with the page.

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/kinds"
	"softkmeans/internal/scale"
	"softkmeans/internal/sources"
	"softkmeans/internal/view"
	"softkmeans/missing"
	"softkmeans/modelfile"
	"softkmeans/stability"
)

// part is a text or a picture for the page, by its name in page.js.
type part struct{ name, value string }

// session holds a table and its latest fit. It serves one request at a time.
type session struct {
	source *source
	data   *data // nil: the source could not be read
	read   reading
	scaled scale.Kind
	loaded bool // data has the scaling of a model that was read
	shown  *result
	path   *slackPath
	global *softkmeans.Matrix // centers of the global simplex that is shown

	library *sources.Library // the known prototypes; nil: none yet

	widened bool // the picture of the memberships takes a row
}

// result is a fit, its certificate and its options.
type result struct {
	model       *softkmeans.Model
	certificate softkmeans.Certificate
	options     options            // with the k that was fitted
	clusters    []int              // of the rows; nil: there are none
	likely      *softkmeans.Matrix // the probabilities of clusters; nil: there are none
	compact     view.Compact
	partial     bool              // cancelled: the best so far
	between     bool              // not a fit, but interpolated between two points of the path
	known       *sources.Answer   // shares in known prototypes; nil: a fit
	slackGiven  bool              // by the slider
	first       *softkmeans.Model // as fitted, to be compared with fits of halves; nil: it was, or there is nothing to compare
}

var (
	errNoTable   = errors.New("there is no table yet: choose one, or drop a file")
	errCancelled = errors.New("cancelled before there was a first result")
)

// open reads a file. Also with an error the parts say how, and the file is the session's,
// so that it may be read with other options.
func (s *session) open(ctx context.Context, from *source, o options, progress tell) ([]part, error) {
	s.source, s.data = from, nil
	s.takeLibrary(&o)
	return s.ready(ctx, o, progress)
}

// takeLibrary makes the known prototypes an option, if they are asked for. Columns are then as given.
func (s *session) takeLibrary(o *options) {
	if o.known {
		o.library, o.scale = s.library, scale.None
	}
}

// ready reads and prepares the table if the options have changed what is read. The parts describe it then.
func (s *session) ready(ctx context.Context, o options, progress tell) ([]part, error) {
	if s.source == nil {
		return nil, errNoTable
	}
	if s.data != nil && o.reading == s.read && o.scale == s.scaled && !s.loaded {
		return nil, nil
	}
	var f *found
	if s.data != nil && o.reading == s.read {
		f = s.data.found
	} else {
		s.data, s.shown, s.path = nil, nil, nil
		var err error
		if f, err = s.source.read(o.reading, progress); err != nil {
			return f.overview(s.source, err), err
		}
	}
	d, err := prepare(ctx, f, s.source.set, o.scale)
	if err != nil {
		return f.overview(s.source, err), err
	}
	s.data, s.read, s.scaled, s.shown, s.path = d, o.reading, o.scale, nil, nil
	s.loaded = false
	return append(f.overview(s.source, nil), d.describe(o)...), nil
}

// fit fits a model by the options, or computes shares of known prototypes. If ctx is cancelled the parts show the
// best model so far, and say so.
func (s *session) fit(
	ctx context.Context, o options, reads tell, progress func(softkmeans.Iteration),
) ([]part, error) {
	s.takeLibrary(&o)
	described, err := s.ready(ctx, o, reads)
	var r *result
	switch before := s.data; {
	case err != nil:
	case o.known:
		r, err = s.shares(ctx, o)
	default:
		if err = s.settle(ctx, o); s.data != before {
			described = append(described, s.data.describe(o)...)
		}
		if err == nil {
			r, err = s.fitted(ctx, o, progress)
		}
	}
	if err != nil {
		return described, err
	}
	parts, err := s.view(r)
	if err == nil {
		s.shown = r
	}
	return append(described, parts...), err
}

// settle chooses the number of prototypes if none is given, and whether rows are divided by their sums.
func (s *session) settle(ctx context.Context, o options) error {
	err := s.data.choose(ctx, o.k)
	if err == nil {
		var bright *data
		if bright, err = s.data.ofBrightness(ctx, o); err == nil && bright != s.data {
			s.data, s.shown, s.path = bright, nil, nil
			err = bright.choose(ctx, o.k)
		}
	}
	if ctx.Err() != nil {
		return errCancelled
	}
	return err
}

// fitted is the fit by the options, proved. After a cancel it is the best model so far.
func (s *session) fitted(ctx context.Context, o options, progress func(softkmeans.Iteration)) (*result, error) {
	d := s.data
	if o.k = d.clusters(o.k); o.k > maxValues/d.Rows {
		return nil, tooMany(d, o.k)
	}
	if s.path == nil || s.path.k != o.k {
		s.path = &slackPath{k: o.k}
	}
	m, err := s.model(ctx, o, progress)
	cancelled := err != nil && ctx.Err() != nil
	if cancelled && m == nil {
		return nil, errCancelled
	}
	if err != nil && !cancelled {
		return nil, err
	}
	first := *m
	first.Centers = m.Centers.Clone()
	if err := kinds.Keep(m, d.scaling, d.x); err != nil {
		return nil, err
	}
	given := o.slack != byNoise
	if !given {
		o.slack = max(m.Slack, noSlack)
	}
	r, err := d.judge(m, o)
	if err != nil {
		return nil, err
	}
	r.partial, r.slackGiven = cancelled, given
	if o.method != view.MinVolume || d.given != nil || cancelled {
		return r, nil
	}
	if m.Lambda > 0 {
		r.first = &first
	}
	if d.draw == d {
		s.path.add(d.slackOf(m.Objective, o.k), m.Centers)
	}
	if err = r.prove(ctx, d); ctx.Err() != nil {
		err = nil // it is shown without proof
	}
	return r, err
}

// tooMany returns the error for k memberships of each row that are more than the page takes.
func tooMany(d *data, k int) error {
	return errors.New(d.Source + ": " + itoa(k) + " memberships of " + view.Count(d.Rows, "row") +
		" are more than the page takes; softkmeans takes more")
}

func (s *session) model(
	ctx context.Context, o options, progress func(softkmeans.Iteration),
) (*softkmeans.Model, error) {
	d, by := s.data, s.minVolume(o)
	by.Progress = progress
	switch global := o.slack != byNoise && o.slack < noSlack; {
	case d.given != nil && (o.method != view.MinVolume || global):
		return nil, errors.New("with missing values only minimal volume with some slack is available; other methods " +
			"need missing values left out or replaced")
	case d.given != nil:
		return missing.Fit(ctx, d.given, o.k, by)
	case o.method == view.Global:
		return softkmeans.Fit(ctx, d.x, o.k, &softkmeans.Options{Enclosure: o.enclosure, Weights: d.Weights})
	case o.method == view.Alternating:
		by.Slack = 0
		return softkmeans.FitAlternating(ctx, d.x, o.k, by)
	case global && len(s.path.points) > 0: // the start of the path
		return view.GlobalSimplex(ctx, d.x, d.Weights, d.plane.Mean, s.path.points[0].centers)
	case global:
		return softkmeans.Fit(ctx, d.x, o.k,
			&softkmeans.Options{Enclosure: softkmeans.EnclosureTight, Weights: d.Weights})
	}
	return softkmeans.FitMinVolume(ctx, d.x, o.k, by)
}

// minVolume are the options of a fit of minimal volume.
func (s *session) minVolume(o options) *softkmeans.MinVolumeOptions {
	d, slack := s.data, max(o.slack, 0) // 0 is FitMinVolume's own
	if o.slack == byNoise && d.sizes != nil {
		slack = kinds.Slack(o.k, d.x.Cols)
	}
	return &softkmeans.MinVolumeOptions{Weights: d.Weights, Slack: slack, NonNegative: d.above}
}

func (d *data) judge(m *softkmeans.Model, o options) (*result, error) {
	r := &result{model: m, clusters: kinds.Label(m, d.mixtures), certificate: m.Certificate, options: o}
	if d.given != nil {
		return r, nil // nothing is proved, and rows without all values have no probabilities
	}
	var err error
	if r.clusters != nil && m.ClusterWeights != nil {
		if r.likely, err = m.ClusterProbabilities(nil, d.x); err != nil {
			return nil, err
		}
	}
	r.certificate, err = softkmeans.Certify(context.Background(), d.x, m.Centers, m.Memberships,
		&softkmeans.Options{Weights: d.Weights})
	return r, err
}

// prove sets how compact other prototypes could be.
func (r *result) prove(ctx context.Context, d *data) (err error) {
	r.compact, err = view.Prove(ctx, d.x, r.model, r.certificate, &softkmeans.Options{Weights: d.Weights})
	return err
}

// doubt compares the latest fit with fits of halves of the rows, as the command does, and returns the report with what
// they say. There are no parts if it was done before, or if there is nothing to compare.
func (s *session) doubt(ctx context.Context) ([]part, error) {
	r := s.shown
	if r == nil || r.first == nil {
		return nil, nil
	}
	d, o, first := s.data, r.options, *r.first
	if !r.slackGiven {
		o.slack = byNoise
	}
	kinds.Label(&first, d.mixtures)
	if err := stability.Others(ctx, d.x, &first, s.minVolume(o)); err != nil {
		return nil, err
	}
	next, m := *r, *r.model
	m.Warnings, m.Others, m.ClusterDoubt = first.Warnings, first.Others, first.ClusterDoubt
	if next.model, next.first = &m, nil; r.likely != nil {
		var err error
		if next.likely, err = m.ClusterProbabilities(nil, d.x); err != nil {
			return nil, err
		}
	}
	s.shown = &next
	return d.report(&next), nil
}

// load shows a model file with the table that is there: its memberships of these rows. The
// table stays if the model is not for it.
func (s *session) load(ctx context.Context, text []byte, o options) ([]part, error) {
	if s.data == nil {
		return nil, errors.New("this is a model: choose the table first that it is for")
	}
	if s.data.given != nil {
		return nil, errors.New("the table has missing values: leave them out or replace them to show a model with it")
	}
	f, err := modelfile.Read(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	switch method := slices.Index(methods[:ofKnown], f.Method); {
	case f.Model == nil || f.Model.Sum != softkmeans.SumToOne || f.UnitRows || method < 0 || f.K() > maxK:
		return nil, errors.New("the page shows models of minvol, global and alternating, with sums of one and up to " +
			itoa(maxK) + " prototypes; softkmeans predict takes the others")
	case len(f.Columns) != len(s.data.Names) ||
		f.Named && s.data.Header && !slices.Equal(f.Columns, s.data.Names):
		return nil, errors.New("the model is for other columns: " + strings.Join(f.Columns, ", "))
	case f.K() > maxValues/s.data.Rows:
		return nil, tooMany(s.data, f.K())
	default:
		if o.method, o.k, o.slack = view.Method(method), f.K(), f.Model.Slack; o.slack > 0 {
			o.slack = max(o.slack, noSlack)
		}
	}
	var by *scale.Scaling
	if f.Divisor != nil {
		kind, _ := scale.Named(f.Scale)
		by = &scale.Scaling{Kind: kind, Shift: f.Shift, Divisor: f.Divisor}
	}
	d := &data{found: s.data.found, set: s.data.set, mixtures: f.LabelLargest}
	if err := d.scaleBy(ctx, by, true); err != nil {
		return nil, err
	}
	m := f.Model
	if m.Memberships, err = m.Predict(nil, d.x); err == nil && m.ClusterMeans != nil {
		m.Clusters, err = m.PredictLabels(nil, d.x)
	}
	if err != nil {
		return nil, err
	}
	r, err := d.judge(m, o)
	if err == nil && o.method == view.MinVolume {
		err = r.prove(ctx, d) // the rows may be others than those of the fit
	}
	if err != nil {
		return nil, err
	}
	old := *s
	s.data, s.loaded, s.path, s.shown = d, true, &slackPath{k: o.k}, r
	parts, err := s.view(r)
	if err != nil {
		*s = old
	}
	return parts, err
}

// preview returns the report for a slack by the path, and the pictures that change with it: to draw all of them would
// be too slow. There are no parts if the path is empty.
func (s *session) preview(o options) ([]part, error) {
	if s.data == nil || s.data.given != nil || s.path == nil || o.method != view.MinVolume || o.slack == byNoise {
		return nil, nil
	}
	o.k = s.path.k
	d := s.data.draw
	centers, err := s.path.at(d, o.slack)
	if err != nil || centers == nil {
		return nil, err
	}
	r, err := d.mixed(centers, o)
	if err != nil {
		return nil, err
	}
	r.between = true
	p := s.picturesOf(d, r)
	parts := append(d.report(r), p.scatter(), p.ternary())
	if d.Rows <= detailedRows {
		parts = append(append(parts, p.centers()), s.mixtures(p)...)
	}
	return parts, nil
}

// overview returns the parts about how a file is read, and what may help after an error.
func (f *found) overview(from *source, err error) []part {
	found := func(yes bool) string {
		if f.Columns == nil {
			return "auto"
		}
		return yesNo(yes)
	}
	var names, text, ways []string
	for _, c := range f.Columns {
		names, text = append(names, c.Name), append(text, yesNo(c.Text))
	}
	for _, w := range f.ways(err) {
		ways = append(ways, w.text+"\t"+w.option+"\t"+w.value)
	}
	delimiter, decimal := delimiters[max(slices.Index(delimiterSigns, f.Delimiter), 0)], "point"
	if f.Decimal == ',' {
		decimal = "comma"
	}
	return []part{{"file", from.name}, {"columns", strings.Join(names, "\n")}, {"roles", string(f.letters())},
		{"text", strings.Join(text, "\n")}, {"header", found(f.Header)}, {"transpose", found(f.Turned)},
		{"long", found(f.Long)}, {"delimiter", delimiter}, {"decimal", decimal}, {"ways", strings.Join(ways, "\n")}}
}

func (d *data) describe(o options) []part {
	source := ""
	if d.set != nil {
		source = d.set.Source
	}
	notes := d.Notes
	if !o.known { // else the answer says how columns are scaled
		notes = slices.Concat(d.Notes, d.kindNotes(o.scale))
	}
	k := ""
	if !d.asksRows(o.k) {
		k = itoa(d.clusters(o.k))
	}
	return []part{{"table", answer.New(&d.Head, d.Rows, scale.KindOf(d.scaling)).About + "."}, {"notes", strings.Join(notes, "\n")}, {"k", k},
		{"standardized", yesNo(d.scaling != nil && d.sizes == nil)}, {"source", source}}
}

// kindNotes returns notes on the kind of the numbers, on the scale and the bounds that follow from it, and on
// labels.
func (d *data) kindNotes(asked scale.Kind) (notes []string) {
	given := softkmeans.NewMatrix(d.Rows, len(d.Names), d.Data)
	called := func(columns []int) (names []string) {
		for _, j := range columns {
			names = append(names, d.Names[j-1])
		}
		return names
	}
	if at := kinds.Codes(given, d.Names, d.Doubted); len(at) > 0 {
		notes = append(notes, kinds.CodesWords(called(at)))
	}
	if at := kinds.Constant(given); at != nil {
		notes = append(notes, kinds.ConstantWords(called(at)))
	}
	if at := d.kind.Total; at > 0 {
		notes = append(notes, "column "+d.Names[at-1]+kinds.TotalWords)
	}
	if kinds.Square(given) {
		notes = append(notes, "the table is symmetric; if it compares its rows with each other, softkmeans fit -kernel "+
			"takes it for similarities, distances or a graph")
	}
	taken, above, labels := d.kind.Words(), "", ""
	switch {
	case d.plain != nil:
		taken = kinds.OpenWords + " (Standardize: no takes them as they are)"
	case taken == "":
		taken = d.scaleNote(asked)
	}
	if d.above {
		above = kinds.AboveWords
	}
	if d.mixtures {
		labels = kinds.LabelWords
	}
	return append(notes, texts(strings.Join(texts(taken, above), ". "), labels)...)
}

// texts are those that are not empty.
func texts(list ...string) []string {
	return slices.DeleteFunc(list, func(text string) bool { return text == "" })
}

// scaleNote says why the columns are standardized if that was found out, or which of them decides if they are
// not; "" for no note. kind is the scale that the user asked for.
func (d *data) scaleNote(kind scale.Kind) string {
	switch {
	case d.scaling != nil && d.sizes == nil && kind == scale.Auto:
		return view.Differ(d.scaling, &d.Head, d.Names)
	case d.scaling != nil, d.kind.Total > 0: // what was read, or another note, tells
		return ""
	}
	columns := scale.ColumnsOf(d.Data, len(d.Names), d.Weights, nil)
	text, _ := view.Deciding(columns, &d.Head, d.Names, kind == scale.Auto)
	if text != "" {
		text += "; Standardize: yes counts all columns alike"
	}
	return text
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
