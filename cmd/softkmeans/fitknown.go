package main

// This file holds -known of fit: prototypes that are known, and stay while the others are fitted.

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/scale"
	"softkmeans/internal/sources"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// checkKnown checks the flags that -known goes with. Columns stay as they are unless a scale is given.
func (f *fitFlags) checkKnown() error {
	switch {
	case f.known == "":
		return nil
	case f.from != "":
		return usageErrorf("-known and -from both have prototypes; give one")
	case f.scale == scale.Counts:
		return usageErrorf("-scale counts makes all rows add up to 1, and -known keeps prototypes as they " +
			"are; leave one out")
	case f.scale == scale.Words:
		return usageErrorf("-scale words makes prototypes no counts, and -known keeps them as they are; leave one out")
	case f.scale == scale.Auto:
		f.scale = scale.None
	}
	return nil
}

// free reports whether prototypes have no bounds by default: those of the paper, and beside known ones with
// values below 0.
func (f *fitFlags) free() bool {
	return f.plain || f.library != nil && slices.Min(f.library.X.Data) < 0
}

// readLibrary reads the file of -known, which then chooses the columns of the table.
func (f *fitFlags) readLibrary() error {
	if f.known == "" {
		return nil
	}
	l, m, err := readLibrary(f.known, "")
	if err == nil && m != nil {
		l, err = m.library(f.known)
	}
	if err != nil {
		return err
	}
	f.library = l
	missing := f.dialect.Missing
	f.reading = l.Rows(&f.dialect)
	f.dialect.Missing, f.reading.Keep = missing, "-keep"
	return nil
}

// library returns the prototypes of a model, of which name is the file.
func (f *modelFile) library(name string) (*sources.Library, error) {
	if f.Model == nil {
		return nil, fmt.Errorf("%s: a model of method %s has no prototypes", name, short(f.Method, mostName))
	}
	l := &sources.Library{Source: name, Names: view.Names(f.K()), X: f.Centers}
	if f.Named {
		l.Columns = f.Columns
	}
	return l, nil
}

// joinKnown sets the known prototypes of r and their names. If the rows are divided by their sums, the prototypes
// are profiles, and take the mean sum of a row. It returns them as the rows are scaled; nil: none are known.
func (f *fitFlags) joinKnown(d *data, r *result) (*softkmeans.Matrix, error) {
	if f.library == nil {
		return nil, nil
	}
	from, err := f.library.Join(d.Source, d.Names, d.Named())
	if err != nil {
		return nil, err
	}
	r.fixed, r.known = from.Centers, from.Names
	m := len(r.known)
	if m > r.k {
		return nil, usageErrorf("-k %d: %s has %s; give at least -k %d", r.k, f.known, count(m, "prototype"), m)
	}
	if m == r.k && f.bootstrap > 0 {
		return nil, usageErrorf("-bootstrap: all prototypes are known, and stay as they are; leave one out")
	}
	all := slices.Clone(r.known)
	for j := m; j < r.k; j++ {
		all = append(all, r.center(j))
	}
	if len(table.Set(all)) < len(all) {
		return nil, fmt.Errorf("%s: two prototypes have the same name, fitted ones included (%s); give other "+
			"names", f.known, view.Abridged(all))
	}
	stay := plural(m, "stays", "stay")
	if r.open() {
		if at := slices.Index(scale.SumsOf(r.fixed.Data, r.fixed.Cols), 0); at >= 0 {
			return nil, fmt.Errorf("%s: %s has no sum above 0 to divide it by, as the rows are; -rows given takes "+
				"them as they are", f.known, short(r.known[at], mostName))
		}
		d.scale.Close(r.fixed.Data)
		stay = plural(m, "is", "are") + " scaled to the mean sum of a row"
	}
	r.Notes = append(append(r.Notes, from.Notes...), fmt.Sprintf("%d of %s %s known, and %s: %s", m,
		count(r.k, "prototype"), plural(m, "is", "are"), stay, view.Abridged(r.known)))
	if from.SD != nil {
		r.Notes = append(r.Notes, "standard deviations of the known prototypes are not used")
	}
	if note := r.sizeNote(d); note != "" {
		r.Notes = append(r.Notes, note)
	}
	if b := r.bounds; b != nil {
		for i := range m {
			for j, v := range r.fixed.Row(i) {
				if v < b.low || v > b.high {
					return nil, fmt.Errorf("%s: %s is %g in column %s, and prototypes are kept %s; -bounds none "+
						"lifts this", f.known, short(r.known[i], mostName), v, short(d.Names[j], mostName), b)
				}
			}
		}
	}
	scaled := r.fixed.Clone()
	d.scale.Apply(scaled.Data)
	return scaled, nil
}

// unlikeSize is how many times as long as the rows, or as short, known prototypes are that may be in other units.
const unlikeSize = 10.

// sizeNote says that all known prototypes are much longer than the rows of d, or shorter; "" if they are not, or if
// the columns are scaled.
func (r *result) sizeNote(d *data) string {
	if d.scale != nil || d.missing > 0 || d.sparse != nil {
		return ""
	}
	mean := math.Sqrt(la.SumSquares(d.x.Data) / float64(d.Rows))
	least, most := math.Inf(1), 0.0
	for i := range r.fixed.Rows {
		length := math.Sqrt(la.SumSquares(r.fixed.Row(i))) / mean
		least, most = min(least, length), max(most, length)
	}
	how := "long"
	if most < 1/unlikeSize {
		least, how = 1/most, "short"
	}
	if !(least > unlikeSize) || math.IsInf(least, 1) {
		return ""
	}
	return fmt.Sprintf("the known prototypes are at least %s times as %s as the rows: check their units", small(least),
		how)
}

// center returns the name of center j: the known one, or p and its number.
func (r *result) center(j int) string {
	if j < len(r.known) {
		return r.known[j]
	}
	return centerName(j)
}

// centerName returns the name of center j, from 0, in reports and as the column of its memberships.
func centerName(j int) string { return "p" + strconv.Itoa(j) }

// centerNames returns the names of all centers; nil: all are p and their numbers.
func (r *result) centerNames() (names []string) {
	for j := 0; r.known != nil && j < r.k; j++ {
		names = append(names, r.center(j))
	}
	return names
}
