package main

// The requests of the page and their answers, without a browser. main_js.go exchanges
// them with the page.

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// part is a text or a picture for the page, by its name in page.js.
type part struct{ name, value string }

// session holds a table and its latest fit. It serves one request at a time.
type session struct {
	source *source
	data   *data
	label  string // the label column of data, as in options
	scaled bool   // data is standardized
	loaded bool   // data has the scaling of a model that was read
	shown  *result
	path   *slackPath
	global *softkmeans.Matrix // centers of the global simplex that is shown

	widened bool // the picture of the memberships takes a row
}

// result is a fit, its certificate and its options.
type result struct {
	model       *softkmeans.Model
	certificate softkmeans.Certificate
	options     options // with the k that was fitted
	partial     bool    // cancelled: the best so far
	between     bool    // not a fit, but interpolated between two points of the path
}

var errNoTable = errors.New("there is no table yet: choose one, or drop a file")

// open reads a table. If it cannot be read the previous one stays.
func (s *session) open(from *source, o options) ([]part, error) {
	t, guessed, err := from.read(o.label)
	if err != nil {
		return nil, err
	}
	if from.set != nil {
		o.standardize = from.set.standardize
	}
	d, err := prepare(t, from.set, guessed, o.standardize)
	if err != nil {
		return nil, err
	}
	s.source, s.data, s.label, s.scaled, s.shown, s.path = from, d, labelOption(t), o.standardize, nil, nil
	s.loaded = false
	return d.describe(o), nil
}

// ready reads and prepares the table again if the options have changed what is read.
func (s *session) ready(o options) error {
	if s.source == nil {
		return errNoTable
	}
	sameLabel := o.label == s.label || o.label == "auto" || s.source.set != nil
	if sameLabel && o.standardize == s.scaled && !s.loaded {
		return nil
	}
	t, guessed := s.data.Table, s.data.guessed
	if !sameLabel {
		var err error
		if t, guessed, err = s.source.read(o.label); err != nil {
			return err
		}
	}
	d, err := prepare(t, s.source.set, guessed, o.standardize)
	if err != nil {
		return err
	}
	s.data, s.label, s.scaled, s.shown, s.path = d, labelOption(t), o.standardize, nil, nil
	s.loaded = false
	return nil
}

func labelOption(t *table.Table) string {
	if t.LabelColumn == 0 {
		return ""
	}
	return itoa(t.LabelColumn)
}

// fit fits a model by the options. If ctx is cancelled the parts show the best model so
// far, and say so.
func (s *session) fit(ctx context.Context, o options, progress func(softkmeans.Iteration)) ([]part, error) {
	if err := s.ready(o); err != nil {
		return nil, err
	}
	d := s.data
	o.k = d.clusters(o.k)
	if o.k > maxValues/d.Rows {
		return nil, errors.New(itoa(d.Rows) + " rows with " + itoa(o.k) + " memberships are more than the page takes; the command line takes more")
	}
	if s.path == nil || s.path.k != o.k {
		s.path = newSlackPath(o.k)
	}
	m, err := s.model(ctx, o, progress)
	cancelled := err != nil && ctx.Err() != nil
	if err != nil && !(cancelled && m != nil) {
		if cancelled {
			return nil, errors.New("cancelled before there was a first result")
		}
		return nil, err
	}
	r, err := d.judge(m, o)
	if err != nil {
		return nil, err
	}
	r.partial = cancelled
	if o.method == view.MinVolume && !cancelled {
		s.path.add(m.Lambda, m.Objective, m.Centers)
	}
	parts, err := s.view(r)
	if err == nil {
		s.shown = r
	}
	return parts, err
}

func (s *session) model(ctx context.Context, o options, progress func(softkmeans.Iteration)) (*softkmeans.Model, error) {
	x := s.data.x
	switch {
	case o.method == view.Global:
		return softkmeans.Fit(ctx, x, o.k, &softkmeans.Options{Enclosure: o.enclosure})
	case o.method == view.Alternating:
		return softkmeans.FitAlternating(ctx, x, o.k, &softkmeans.AlternatingOptions{Progress: progress})
	case o.slack < noSlack: // the start of the path
		tight := softkmeans.Options{Enclosure: softkmeans.EnclosureTight}
		if len(s.path.points) > 0 {
			q, err := view.Orientation(ctx, x, nil, s.data.plane.Mean, s.path.points[0].centers)
			if err != nil {
				return nil, err
			}
			tight.Orientation = q
		}
		return softkmeans.Fit(ctx, x, o.k, &tight)
	}
	return softkmeans.FitMinVolume(ctx, x, o.k, &softkmeans.MinVolumeOptions{Slack: o.slack, Progress: progress})
}

// judge certifies a model.
func (d *data) judge(m *softkmeans.Model, o options) (*result, error) {
	c, err := softkmeans.Certify(context.Background(), d.x, m.Centers, m.Memberships, nil)
	if err != nil {
		return nil, err
	}
	return &result{model: m, certificate: c, options: o}, nil
}

// load shows a model file with the table that is there: its memberships of these rows. The
// table stays if the model is not for it.
func (s *session) load(text []byte, o options) ([]part, error) {
	if s.data == nil {
		return nil, errors.New("this is a model: choose the table first that it is for")
	}
	f, err := softkmeans.ReadModel(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	switch method, known := methodWords[f.Method]; {
	case f.Model == nil || f.Model.Sum != softkmeans.SumToOne || f.Model.Rows != softkmeans.RowsAuto || !known || f.K() > maxK:
		return nil, errors.New("the page shows models of minvol, global and alternating, with sums of one and up to " + itoa(maxK) + " prototypes; softkmeans predict takes the others")
	case len(f.Columns) != len(s.data.Names) || f.Named && s.data.Header && !slices.Equal(f.Columns, s.data.Names):
		return nil, errors.New("the model is for other columns: " + strings.Join(f.Columns, ", "))
	case f.K() > maxValues/s.data.Rows:
		return nil, errors.New(itoa(f.K()) + " memberships for " + itoa(s.data.Rows) + " rows are more than the page takes")
	default:
		o.method, o.k, o.slack = method, f.K(), f.Slack
	}
	var by *scale.Scaling
	if f.Divisor != nil {
		by = &scale.Scaling{Kind: scale.ZScore, Shift: f.Shift, Divisor: f.Divisor}
	}
	d, err := prepareBy(by, s.data.Table, s.data.set, s.data.guessed)
	if err != nil {
		return nil, err
	}
	m := f.Model
	if m.Memberships, err = m.Predict(nil, d.x); err != nil {
		return nil, err
	}
	if m.ClusterMeans != nil {
		if m.Clusters, err = m.PredictLabels(nil, d.x); err != nil {
			return nil, err
		}
	}
	r, err := d.judge(m, o)
	if err != nil {
		return nil, err
	}
	old := *s
	s.data, s.loaded, s.path, s.shown = d, true, newSlackPath(o.k), r
	parts, err := s.view(r)
	if err != nil {
		*s = old
	}
	return parts, err
}

// preview returns the parts for a slack by the path. There are none if the path is
// empty.
func (s *session) preview(o options) ([]part, error) {
	if s.data == nil || s.path == nil || o.method != view.MinVolume {
		return nil, nil
	}
	o.k = s.path.k
	centers, err := s.path.at(s.data, o.slack)
	if err != nil || centers == nil {
		return nil, err
	}
	m := &softkmeans.Model{Centers: centers}
	if m.Memberships, err = m.Predict(nil, s.data.x); err != nil {
		return nil, err
	}
	r, err := s.data.judge(m, o)
	if err != nil {
		return nil, err
	}
	r.between = true
	return s.glimpse(r)
}

// extend computes more points of the path, for previews.
func (s *session) extend(ctx context.Context, progress func(found int, it softkmeans.Iteration)) error {
	if s.data == nil || s.path == nil {
		return nil
	}
	return s.path.extend(ctx, s.data, progress)
}

// describe returns the texts about a table that was read.
func (d *data) describe(o options) []part {
	why := whyAny
	if d.set != nil {
		why = d.set.why
	}
	what := d.Source
	if d.set != nil {
		what = d.set.title
	}
	what += ": " + view.Count(d.Rows, "row") + ", " + view.Count(len(d.Names), "column")
	switch {
	case d.guessed:
		what += "; column " + itoa(d.LabelColumn) + " (" + d.LabelName + ") holds words and is taken for the label, " + view.Classes(len(d.Classes))
	case d.LabelColumn > 0:
		what += "; column " + itoa(d.LabelColumn) + " (" + d.LabelName + ") is the label, " + view.Classes(len(d.Classes))
	case d.set != nil:
		what += ", labelled with " + view.Classes(len(d.Classes))
	}
	parts := []part{
		{"table", what + "."},
		{"columns", strings.Join(columns(d.Table), "\n")},
		{"label", labelOption(d.Table)},
		{"k", itoa(d.clusters(o.k))},
		{"standardize", yesNo(o.standardize)},
		{"why", why},
	}
	if d.set != nil {
		parts = append(parts, part{"source", d.set.source})
	}
	return parts
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
