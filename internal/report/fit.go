package report

// The page of a table: the fit that the answer is about, and those of other methods.

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/answer"
	"softkmeans/internal/kinds"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/metrics"
)

// Input is the content of a page about a table. The answer is about the fit of minimal volume.
type Input struct {
	Page
	Table   *table.Table       // the names, ids and classes; the numbers are those of X
	X       *softkmeans.Matrix // the rows that are fitted, or some of them, for the pictures
	Scaling *scale.Scaling     // from the table to X; nil: none
	Image   Image              // the pixels of a row that is a picture

	// Of all rows that are fitted.
	Floors  []float64 // for k = 1, 2, …
	Plane   view.Plane
	Moments view.Moments
	Classes Counts // by MinVolume

	// The fits have the same number of prototypes, matched to those of MinVolume. Alternating has no Model if the
	// table was read in blocks or has missing values, and Global none if it has missing values.
	MinVolume, Global, Alternating Fit
}

// Image says how a row is a picture. Without Rows it is none.
type Image struct {
	Rows, Cols int
	Transpose  bool // pixels are column after column
	Invert     bool // large values are drawn light where they would be dark, and dark where light
}

// Fit is a model with the memberships of X, and its certificate.
type Fit struct {
	Model       *softkmeans.Model
	Certificate softkmeans.Certificate

	accuracy, information float64 // see Compare
}

// Compare compares the labels of all rows with their classes.
func (f *Fit) Compare(class, labels []int) (err error) {
	if f.accuracy, err = metrics.Accuracy(class, labels); err != nil {
		return err
	}
	f.information, err = metrics.NMI(class, labels)
	return err
}

// Options are those of Others.
type Options struct {
	Alone bool // no floors and no other fits: X has the values of MinVolume's mixtures for missing ones

	Weights []float64 // of the rows; nil: all 1
	Seed    uint64
	Workers int
	// Lower and Upper bound the prototypes of the alternating fit, in units of X.
	Lower, Upper []float64

	Step      func(what string)          // called at the start of each step; nil: not
	Iteration func(softkmeans.Iteration) // called after each iteration; nil: not
}

func (o *Options) step(what string) {
	if o.Step != nil {
		o.Step(what)
	}
}

// Others computes the other fits, and all that is not in the answer, from Table, X and MinVolume.
func (in *Input) Others(ctx context.Context, o Options) (err error) {
	x, k, by := in.X, in.K(), &softkmeans.Options{Weights: o.Weights, Workers: o.Workers}
	if in.Plane, err = view.NewPlane(ctx, x, o.Weights); err != nil {
		return err
	}
	in.Moments = view.MomentsOf(x, o.Weights)
	if o.Alone {
		return in.compare()
	}
	o.step("floors")
	if in.Floors, err = softkmeans.Floors(ctx, x, by); err != nil {
		return err
	}
	o.step("alternating")
	m, err := softkmeans.FitAlternating(ctx, x, k, &softkmeans.MinVolumeOptions{Weights: o.Weights, Seed: o.Seed,
		Lower: o.Lower, Upper: o.Upper, Workers: o.Workers, Progress: o.Iteration})
	if err == nil {
		err = kinds.Keep(m, in.Scaling, x)
	}
	if err != nil {
		return err
	}
	in.Alternating.Model = view.Match(m, in.MinVolume.Model)
	o.step("global")
	if m, err = softkmeans.Fit(ctx, x, k, by); err != nil {
		return err
	}
	in.Global.Model = view.Match(m, in.MinVolume.Model)
	for i, f := range in.fits() {
		if i > 0 {
			kinds.Label(f.Model, in.Answer.LabelBy == "largest")
			if f.Certificate, err = softkmeans.Certify(ctx, x, f.Model.Centers, f.Model.Memberships, by); err != nil {
				return err
			}
		}
	}
	return in.compare()
}

// compare compares the labels of the fits with the classes of the table, if there are any.
func (in *Input) compare() error {
	for _, f := range in.fits() {
		if in.Table.Class != nil {
			if err := f.Compare(in.Table.Class, f.Model.Labels(nil)); err != nil {
				return err
			}
		}
	}
	in.Classes.Add(in.Table.Class, in.MinVolume.Model.Labels(nil), in.K())
	return nil
}

// K is the number of prototypes of the fits.
func (in *Input) K() int { return in.MinVolume.Model.Centers.Rows }

// methods are in the order of fits.
var methods = [...]view.Method{view.MinVolume, view.Global, view.Alternating}

// fits are the fits that there are, by the place of their method in methods.
func (in *Input) fits() iter.Seq2[int, *Fit] {
	return func(yield func(int, *Fit) bool) {
		for i, f := range [...]*Fit{&in.MinVolume, &in.Global, &in.Alternating} {
			if f.Model != nil && !yield(i, f) {
				return
			}
		}
	}
}

// builder is an input and the names that are shown.
type builder struct {
	*Input
	k       int
	names   []string // of the prototypes
	classes []string // their names, shortened and on one line
	*view.Columns
}

// HTML returns the page.
func (in *Input) HTML() ([]byte, error) {
	k := in.K()
	b := &builder{Input: in, k: k, names: view.Names(k), classes: shortened(in.Table.Classes)}
	names := shortened(in.Table.Names)
	b.Columns = &view.Columns{Names: names, Axis: view.NewAxis(names), Moments: in.Moments}
	if b.Axis != nil && in.Table.Axis != "" {
		b.Axis.Name = short(in.Table.Axis)
	}
	if in.X.Cols == 2 {
		in.Plane = view.ColumnPlane(names, in.Scaling)
	}
	in.below = nil
	return in.html(b.sections()), nil
}

// sections are those of the answer, with a map and the classes, and with other methods in the end.
func (b *builder) sections() []answer.Section {
	all := b.Answer.Sections()
	f := &b.MinVolume
	note := []string{"Every point is a row."}
	if b.X.Cols > 2 {
		note[0] = "Every point is a row, drawn along the two directions in which the table varies most."
	}
	if b.X.Rows <= view.MostShaded && !b.Answer.Undetermined {
		note[0] += " Paler points have a smaller largest membership."
	}
	if len(b.dotted(f.Model)) > 0 {
		note[0] += " Dotted: prototypes of other fits, of halves of the rows."
	}
	if b.Answer.LabelBy == "cluster" && !b.Answer.Undetermined {
		note[0] += " Colors are clusters: a row's cluster need not be the prototype of its largest membership."
	}
	if b.Global.Model == nil {
		note = append(note, "The row's mixture replaces missing values.")
	}
	points := b.points(f.Model)
	classes := b.Classes.section(b.classes, points.LabelNames())
	if len(b.classes) > 0 {
		classes.Lines = append(classes.Lines, "Labels and classes agree in "+view.Percent(f.accuracy)+
			" of the rows (NMI "+strconv.FormatFloat(f.information, 'f', 3, 64)+").")
	}
	all = insert(insert(all, "rows", answer.Section{ID: "map", Lines: note}), "rows", classes)
	b.show("clusters", b.prototypes("means", "Means of clusters", f.Model.ClusterMeans))
	b.show("prototypes", b.prototypes("centers", "Prototypes", f.Model.Centers))
	pictures := b.plane(0)
	if !b.Answer.Undetermined {
		triangle := points.triangle("A row that equals a prototype")
		pictures = slices.Concat(pictures, triangle, b.memberships(0))
	}
	b.show("map", b.switched()+figures(pictures))
	b.show("how", figures(b.loss()))
	if b.Global.Model == nil {
		return all
	}
	b.show("floors", figures(b.curves()))
	b.show("methods", figures(b.others()))
	return append(all, b.floors(), b.methods())
}

// methods compares the fits.
func (b *builder) methods() answer.Section {
	s := answer.Section{ID: "methods", Title: "Other methods, with prototypes in the order of the ones above",
		Detail: true, Table: &answer.Table{Head: []string{"method", "squared error", "explained", "above the floor",
			"proved optimal", "found"}}}
	if len(b.classes) > 0 {
		s.Table.Head = append(s.Table.Head, "accuracy", "NMI")
	}
	for i, f := range b.fits() {
		c := f.Certificate
		row := []string{methods[i].String(), view.Number(c.Objective), view.Share(c, 1-c.Objective/c.Total),
			view.Above(c), map[bool]string{true: "yes", false: "no"}[c.Optimal(view.CertifiedTol)],
			view.How(f.Model, view.Compact{})}
		if len(b.classes) > 0 {
			row = append(row, view.Percent(f.accuracy), strconv.FormatFloat(f.information, 'f', 3, 64))
		}
		s.Table.Rows = append(s.Table.Rows, row)
	}
	s.Lines = []string{"Global encloses the data with the least squared error; every rotation of its simplex has " +
		"the same error, but other labels. Alternating is a plain iteration from k-means, without a penalty on the " +
		"volume."}
	if b.Alternating.Model == nil {
		s.Lines = []string{"Global encloses the data with the least squared error. A table that is read in blocks " +
			"has no alternating fit; -stream no has it."}
	}
	return s
}

// floors says what the floors alone propose.
func (b *builder) floors() answer.Section {
	s := answer.Section{ID: "floors", Title: "The floor for every k", Detail: true}
	if p, err := choosek.Propose(b.Floors); err == nil {
		s.Lines = []string{answer.FloorsAlone(&p)}
	}
	return s
}
