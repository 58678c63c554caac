package main

// The files that can be saved.

import (
	"errors"
	"strconv"
	"strings"
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
	d, m := s.data, s.shown.model
	base := d.baseName()
	switch what {
	case "memberships":
		return file{base + "-memberships.csv", "text/csv", membershipsCSV(d, s.shown)}, nil
	case "centers":
		return file{base + "-prototypes.csv", "text/csv", centersCSV(d, s.shown)}, nil
	case "model":
		b, err := m.MarshalBinary()
		return file{base + ".softkmeans", "application/octet-stream", b}, err
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

// membershipsCSV has the columns label,p0,…,p(k−1), as the command writes them, and the
// given class last if there is one. Numbers have the digits that are needed to read the
// same float64.
func membershipsCSV(d *data, r *result) []byte {
	m := r.model
	b := []byte("label")
	for j := range m.Memberships.Cols {
		b = strconv.AppendInt(append(b, ",p"...), int64(j), 10)
	}
	if len(d.Class) > 0 {
		b = append(b, ",class"...)
	}
	b = append(b, '\n')
	for i, label := range m.Labels(nil) {
		b = strconv.AppendInt(b, int64(label), 10)
		for _, v := range m.Memberships.Row(i) {
			b = strconv.AppendFloat(append(b, ','), v, 'g', -1, 64)
		}
		if len(d.Class) > 0 {
			b = append(append(b, ','), field(d.Classes[d.Class[i]])...)
		}
		b = append(b, '\n')
	}
	return b
}

// centersCSV has a row for every column of the table, with the prototypes in the units
// of the table. If the table was standardized it also has each column's mean and
// deviation, by which new rows must be standardized before Model.Predict.
func centersCSV(d *data, r *result) []byte {
	m := r.model.Centers
	b := []byte("column")
	if d.scaling != nil {
		b = append(b, ",mean,deviation"...)
	}
	original := make([][]float64, m.Rows)
	for i := range original {
		original[i] = d.original(m.Row(i))
		b = strconv.AppendInt(append(b, ",p"...), int64(i), 10)
	}
	b = append(b, '\n')
	for j, name := range d.Names {
		b = append(b, field(name)...)
		if d.scaling != nil {
			b = strconv.AppendFloat(append(b, ','), d.scaling.Shift[j], 'g', -1, 64)
			b = strconv.AppendFloat(append(b, ','), d.scaling.Divisor[j], 'g', -1, 64)
		}
		for i := range original {
			b = strconv.AppendFloat(append(b, ','), original[i][j], 'g', -1, 64)
		}
		b = append(b, '\n')
	}
	return b
}

// field is s as a field of CSV.
func field(s string) string {
	if !strings.ContainsAny(s, ",\"\r\n") {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
