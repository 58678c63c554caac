package main

// The files that can be saved.

import (
	"bytes"
	"cmp"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/modelfile"
)

// file is a download.
type file struct {
	name, kind string // its name, and its MIME type
	bytes      []byte
}

var errNoModel = errors.New("there is no fit to save yet")

// save returns a file of the latest fit: "memberships", "centers", "means" or "model".
func (s *session) save(what string) (file, error) {
	if s.shown == nil {
		return file{}, errNoModel
	}
	d := s.data
	base := d.baseName()
	switch what {
	case "memberships":
		return file{base + "-memberships.csv", "text/csv", membershipsCSV(d, s.shown)}, nil
	case "centers":
		centers := s.shown.model.Centers.Clone()
		d.scaling.Undo(centers.Data)
		return file{base + "-prototypes.csv", "text/csv", answer.CentersCSV(d.Names, nil, answer.RowsOf(centers))}, nil
	case "means":
		if s.shown.likely == nil {
			return file{}, errors.New("this fit has no clusters to save: minimal volume and alternating have some, of rows without missing values")
		}
		return file{base + "-means.csv", "text/csv", answer.MeansCSV(d.Names, d.answer(s.shown).Clusters)}, nil
	case "model":
		var b bytes.Buffer
		_, err := d.modelFile(s.shown).WriteTo(&b)
		return file{base + "-model.json", "application/json", b.Bytes()}, err
	}
	return file{}, errors.New("there is nothing to save called " + strconv.Quote(what))
}

// baseName is the table's name without its folder and extension.
func (d *data) baseName() string {
	name := path.Base(strings.ReplaceAll(d.Source, `\`, "/"))
	return cmp.Or(strings.TrimSuffix(name, path.Ext(name)), "table")
}

// membershipsCSV has the columns label,p0,…,p(k−1),cluster,largest,probability as the command writes them, after
// the id and the columns that are carried along, and the given class last if there is one. A row that was left out
// is empty. Numbers have the digits that are needed to read the same float64.
func membershipsCSV(d *data, r *result) []byte {
	labels, names, details := r.model.Labels(nil), r.names(), softkmeans.NewMatrix(d.Rows, 0, nil)
	var head, more []string
	if d.IDColumn > 0 {
		head = append(head, d.IDName)
	}
	switch {
	case r.known != nil:
		more, details = r.known.Columns(nil)
	case r.clusters != nil:
		more = []string{"cluster", "largest"}
	default:
		more = []string{"largest"}
	}
	if r.likely != nil {
		more = append(more, "probability")
	}
	largest := (&softkmeans.Model{Memberships: r.model.Memberships}).Labels(nil)
	head = slices.Concat(head, d.KeptNames, []string{"label"}, names, more)
	if d.sizes != nil {
		head = append(head, "size")
	}
	if len(d.Class) > 0 {
		head = append(head, "class")
	}
	b, next := answer.AppendLine(nil, head), 0 // the next row that was fitted
	for i := range d.all {
		row := make([]string, 0, len(head))
		if d.IDColumn > 0 {
			row = append(row, d.ids[i])
		}
		if d.kept != nil {
			row = append(row, d.kept[i]...)
		}
		if d.rows == nil || next < len(d.rows) && d.rows[next] == i {
			label := itoa(labels[next])
			if r.known != nil {
				label = names[labels[next]]
			}
			row = answer.AppendNumbers(append(row, label), slices.Concat(r.model.Memberships.Row(next), details.Row(next))...)
			if r.clusters != nil {
				row = append(row, itoa(r.clusters[next]))
			}
			if r.known == nil {
				row = append(row, itoa(largest[next]))
			}
			if r.likely != nil {
				at := r.clusters[next]
				row = answer.AppendNumbers(row, r.likely.At(next, at))
			}
			if d.sizes != nil {
				row = answer.AppendNumbers(row, d.sizes[next])
			}
			if len(d.Class) > 0 {
				row = append(row, d.Classes[d.Class[next]])
			}
			next++
		}
		b = answer.AppendLine(b, row[:len(head)])
	}
	return b
}

// modelFile is the model that the command and the package read.
func (d *data) modelFile(r *result) *modelfile.File {
	m := *r.model
	m.Certificate = r.certificate
	f := &modelfile.File{Model: &m, Method: methods[r.options.method], Columns: d.Names, Named: d.Header,
		VolumeRatio: r.compact.VolumeRatio, LossGap: r.compact.LossGap}
	if d.scaling != nil {
		f.Scale, f.Shift, f.Divisor = d.scaling.Kind.String(), d.scaling.Shift, d.scaling.Divisor
	}
	f.LabelLargest = d.mixtures && r.clusters != nil
	return f
}
