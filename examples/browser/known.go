package main

// Known prototypes: the shares of the rows in those of a second file, without a fit.

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/sources"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// know reads the file of the prototypes. After an error there are none.
func (s *session) know(name string, text []byte) (err error) {
	s.library = nil
	if bytes.HasPrefix(text, []byte("{")) {
		return errors.New(name + ": this is a model; drop it on the page to see it with the table")
	}
	if err := foreign(text, name); err != nil {
		return err
	}
	read := func(text []byte, name string, d table.Dialect) (*table.Table, error) {
		d.Words = words
		return table.Read(bytes.NewReader(text), name, d)
	}
	l, err := sources.Read(text, name, "", read)
	if err == nil {
		s.library = l
	}
	return placed(err)
}

var errNoLibrary = errors.New("choose the file of the known prototypes, too: a CSV file with a " +
	"prototype a row, or a column, and the names that the columns of the table have")

func (s *session) shares(ctx context.Context, o options) (*result, error) {
	d := s.data
	if o.library == nil {
		return nil, errNoLibrary
	}
	from, err := o.library.Join(d.Source, d.Names, d.Named())
	if err != nil {
		return nil, err
	}
	if n := from.Centers.Rows; n > maxK || n > maxValues/d.Rows {
		return nil, tooMany(d, n)
	}
	x := d.x
	if d.given != nil {
		x = d.given
	}
	a, err := from.Solve(ctx, x, sources.Options{}, true)
	if err != nil {
		return nil, err
	}
	o.k, o.method = len(from.Groups), view.Alternating
	m := &softkmeans.Model{Centers: from.Centers, Memberships: a.Result.Shares}
	return &result{model: m, options: o, known: a}, nil
}

// ofKnown returns d with the columns named by known prototypes. Rows that have a length are drawn without.
func (d *data) ofKnown(ctx context.Context, k *sources.Answer) (_ *data, err error) {
	drawn := *d
	if lengths := k.Result.Length; lengths != nil {
		drawn.x = d.x.Clone()
		for i, v := range lengths {
			row := drawn.x.Row(i)
			for j := range row {
				if row[j] /= v; v == 0 {
					row[j] = 0
				}
			}
		}
		drawn.plane, err = view.NewPlane(ctx, drawn.x, d.Weights)
	}
	drawn.columns = view.NewColumns(drawn.x, d.Weights, d.Names)
	drawn.columns.Labels, drawn.columns.Axis = k.Mixer.Names, d.columns.Axis
	return &drawn, err
}

func (d *data) knownReport(r *result) []part {
	k, a := r.known, d.newAnswer(r)
	a.FillKnown(k, r.model.Labels(nil), d.name)
	a.Notes = append(slices.Clone(k.Mixer.Notes), texts(k.Scaled, k.Decides())...)
	if k.Lengths() {
		a.Notes = append(a.Notes, "each row is a mixture times a length of its own, as that leaves clearly less of the "+
			"squared error")
	}
	verdict := a.Sentence
	a.Sentence = "" // it is the heading
	return []part{{"verdict", verdict}, {"proved", "known"}, {"answer", answer.HTML(a.Sections(), nothing)},
		{"details", ""}}
}

// names are those of what memberships are in.
func (r *result) names() []string {
	if r.known != nil {
		return r.known.Mixer.Groups
	}
	return view.Names(r.options.k)
}

// open returns the ranges of the shares of row i in words, if they are not unique; "" for no ranges.
func (r *result) open(i int) string {
	if r.known == nil || r.known.Result.Low == nil {
		return ""
	}
	var list []string
	low, high := r.known.Result.Low.Row(i), r.known.Result.High.Row(i)
	for j, name := range r.known.Mixer.Groups {
		if high[j]-low[j] > .005 {
			list = append(list, name+" "+view.Percent(low[j])+"–"+view.Percent(high[j]))
		}
	}
	if list == nil {
		return ""
	}
	return "; not unique: " + strings.Join(list, ", ")
}
