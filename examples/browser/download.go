package main

// The files that can be saved.

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/view"
	"softkmeans/modelfile"
)

// file is a download.
type file struct {
	name, kind string // its name, and its MIME type
	bytes      []byte
}

var errNoModel = errors.New("there is no fit to save yet")

// save returns a file of the latest fit: "memberships", "centers" or "model".
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
		return file{base + "-prototypes.csv", "text/csv", centersCSV(d, s.shown)}, nil
	case "model":
		var b bytes.Buffer
		_, err := d.modelFile(s.shown).WriteTo(&b)
		return file{base + "-model.json", "application/json", b.Bytes()}, err
	}
	return file{}, errors.New("there is nothing to save called " + strconv.Quote(what))
}

// baseName is the table's name without its folder and extension.
func (d *data) baseName() string {
	name := d.Source
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	if name == "" {
		return "table"
	}
	return name
}

// membershipsCSV has the columns label,p0,…,p(k−1), as the command writes them, after the
// id and the columns that are carried along, and the given class last if there is one. A
// row that was left out is empty. Numbers have the digits that are needed to read the
// same float64.
func membershipsCSV(d *data, r *result) []byte {
	m := r.model
	var b []byte
	texts := append([]string(nil), d.KeptNames...)
	if d.IDColumn > 0 {
		texts = append([]string{d.IDName}, texts...)
	}
	for _, name := range texts {
		b = append(append(b, field(name)...), ',')
	}
	b = append(b, "label"...)
	names, details := r.names(), softkmeans.NewMatrix(len(m.Labels(nil)), 0, nil)
	if r.known != nil {
		var more []string
		more, details = r.known.Columns(nil)
		names = append(slices.Clone(names), more...)
	}
	for _, name := range names {
		b = append(append(b, ','), field(name)...)
	}
	if d.sizes != nil {
		b = append(b, ",size"...)
	}
	if len(d.Class) > 0 {
		b = append(b, ",class"...)
	}
	b = append(b, '\n')
	labels, next := m.Labels(nil), 0 // the next row that was fitted
	for i := range d.all {
		if d.IDColumn > 0 {
			b = append(append(b, field(d.ids[i])...), ',')
		}
		if d.kept != nil {
			for _, text := range d.kept[i] {
				b = append(append(b, field(text)...), ',')
			}
		}
		fitted := d.rows == nil || next < len(d.rows) && d.rows[next] == i
		if fitted {
			label := itoa(labels[next])
			if r.known != nil {
				label = field(names[labels[next]])
			}
			b = append(b, label...)
			for _, list := range [][]float64{m.Memberships.Row(next), details.Row(next)} {
				for _, v := range list {
					b = strconv.AppendFloat(append(b, ','), v, 'g', -1, 64)
				}
			}
		} else {
			b = append(b, strings.Repeat(",", len(names))...)
		}
		if d.sizes != nil {
			if b = append(b, ','); fitted {
				b = strconv.AppendFloat(b, d.sizes[next], 'g', -1, 64)
			}
		}
		if len(d.Class) > 0 {
			if b = append(b, ','); fitted {
				b = append(b, field(d.Classes[d.Class[next]])...)
			}
		}
		if b = append(b, '\n'); fitted {
			next++
		}
	}
	return b
}

// centersCSV has a header and a row for each prototype, in the units of the table, as the
// command writes them and certify -centers reads them.
func centersCSV(d *data, r *result) []byte {
	var b []byte
	for j, name := range d.Names {
		if j > 0 {
			b = append(b, ',')
		}
		b = append(b, field(name)...)
	}
	b = append(b, '\n')
	for i := range r.model.Centers.Rows {
		for j, v := range d.original(r.model.Centers.Row(i)) {
			if j > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		}
		b = append(b, '\n')
	}
	return b
}

// modelFile is the model that the command and the package read.
func (d *data) modelFile(r *result) *modelfile.File {
	m, c := *r.model, r.certificate
	m.Objective, m.Floor, m.FloorError, m.Total, m.Gap, m.Solver = c.Objective, c.Floor, c.FloorError, c.Total, c.Gap, c.Solver
	f := &modelfile.File{Model: &m, Method: methodWord(r.options.method), Columns: d.Names, Named: d.Header,
		VolumeRatio: r.compact.VolumeRatio, LossGap: r.compact.LossGap}
	if d.scaling != nil {
		f.Scale, f.Shift, f.Divisor = d.scaling.Kind.String(), d.scaling.Shift, d.scaling.Divisor
	}
	if r.options.method == view.MinVolume {
		f.Slack = r.options.slack
	}
	return f
}

// methodWord is the method's name on the command line.
func methodWord(m view.Method) string {
	for word, method := range methodWords {
		if method == m {
			return word
		}
	}
	return ""
}

// field is s as a field of CSV.
func field(s string) string {
	if !strings.ContainsAny(s, ",\"\r\n") {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
