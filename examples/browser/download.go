package main

// The files that can be saved.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/modelfile"
)

var errNoModel = errors.New("there is no fit to save yet")

// save returns the name, the MIME type and the text of a file of the latest fit: "memberships", "centers", "means"
// or "model".
func (s *session) save(what string) (_ []part, err error) {
	if s.shown == nil {
		return nil, errNoModel
	}
	d, name, kind, text := s.data, "-"+what+".csv", "text/csv", []byte(nil)
	switch what {
	case "memberships":
		text, err = membershipsCSV(d, s.shown)
	case "centers":
		name, text = "-prototypes.csv", answer.CentersCSV(d.Names, nil, answer.RowsOf(d.shown(s.shown.model.Centers)))
	case "means":
		if s.shown.likely == nil {
			return nil, errors.New("this fit has no clusters to save: minimal volume and alternating have some, of rows " +
				"without missing values")
		}
		text = answer.MeansCSV(d.Names, d.answer(s.shown).Clusters)
	case "model":
		var b bytes.Buffer
		_, err = d.modelFile(s.shown).WriteTo(&b)
		name, kind, text = "-model.json", "application/json", b.Bytes()
	default:
		err = errors.New("there is nothing to save called " + strconv.Quote(what))
	}
	table := path.Base(strings.ReplaceAll(d.Source, `\`, "/"))
	table = cmp.Or(strings.TrimSuffix(table, path.Ext(table)), "table")
	return []part{{"name", table + name}, {"type", kind}, {"text", string(text)}}, err
}

// membershipsCSV returns the file of memberships of the command, with a column of classes that is carried
// along.
func membershipsCSV(d *data, r *result) ([]byte, error) {
	var b bytes.Buffer
	w := answer.NewMembershipWriter(&b)
	w.Describe(&d.Head, d.texts)
	w.Clustered, w.Likely = r.clusters != nil, r.likely != nil
	rows := answer.MemberRows{Labels: r.model.Labels(nil), Clusters: r.clusters, Memberships: r.model.Memberships,
		Probabilities: r.likely}
	if r.known != nil {
		w.Centers, w.Sources = r.names(), true
		w.Details, rows.Details = r.known.Columns(nil)
	} else if d.sizes != nil {
		w.Details, rows.Details = []string{answer.SizeName}, softkmeans.NewMatrix(d.Rows, 1, d.sizes)
	}
	err := errors.Join(w.Add(context.Background(), rows), w.Finish())
	return b.Bytes(), err
}

// modelFile is the model that the command and the package read.
func (d *data) modelFile(r *result) *modelfile.File {
	m := *r.model
	m.Certificate = r.certificate
	f := &modelfile.File{Model: &m, Method: methods[r.options.method], Columns: d.Names, Named: d.Header,
		VolumeRatio: r.compact.VolumeRatio, LossGap: r.compact.LossGap,
		LabelLargest: d.mixtures && r.clusters != nil}
	if d.scaling != nil {
		f.Scale, f.Shift, f.Divisor = d.scaling.Kind.String(), d.scaling.Shift, d.scaling.Divisor
	}
	return f
}
