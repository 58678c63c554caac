package main

// The table on the page: read, standardized, with its floors and its plane.

import (
	"cmp"
	"context"
	"slices"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/examples/browser/sets"
	"softkmeans/internal/answer"
	"softkmeans/internal/draws"
	"softkmeans/internal/kinds"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/missing"
)

// data is a table ready to be fitted. It is replaced, never changed, but for choice.
type data struct {
	*found
	set      *sets.Set // nil: a table of the user's
	x        *softkmeans.Matrix
	given    *softkmeans.Matrix // if values are missing: x before they were filled in for pictures
	scaling  *scale.Scaling     // of the columns, if they are scaled
	Weights  []float64          // of the table, times the sizes
	sizes    []float64          // the sums of rows that are divided by them; nil: they are not
	plain    *data              // with the rows as given; nil: this one is
	kind     kinds.Found        // of the numbers, if the page decides how they are scaled
	mixtures bool               // rows are mixtures: their labels are the largest memberships
	above    bool               // prototypes are kept at 0 or above
	floors   []float64          // for k = 1, 2, …
	choice   *answer.Choice     // of the number of prototypes; nil: k was given
	plane    view.Plane
	draw     *data // for previews: d itself or, if it has many rows, a sample of them
	columns  *view.Columns
	spreads  *scale.Columns // in the table's units
}

// Above manyRows previews and the path of the slider are of a draw of drawnRows.
const (
	manyRows  = 1 << 14
	drawnRows = 1 << 12
)

// completeK is the number of prototypes for which a table with gaps is completed for pictures.
const completeK = 5

// prepare scales the table, if asked to, and computes its floors and its plane.
func prepare(ctx context.Context, f *found, of *sets.Set, kind scale.Kind) (*data, error) {
	numbers := kinds.Look(softkmeans.NewMatrix(f.Rows, len(f.Names), f.Data))
	mixtures := numbers.Mixtures()
	if kind == scale.Auto {
		kind = numbers.Scale()
	} else {
		numbers = kinds.Found{}
	}
	if kind == scale.Auto {
		kind, _ = view.ByUnits(&f.Head)
	}
	d := &data{found: f, set: of, kind: numbers, mixtures: mixtures}
	return d, d.scaleBy(ctx, scale.Of(kind, f.Data, len(f.Names), f.Weights), numbers.Divided)
}

// scaleBy scales the rows, nil: not, and computes the rest of d. divided is as for [kinds.ScaleRows].
func (d *data) scaleBy(ctx context.Context, by *scale.Scaling, divided bool) (err error) {
	t := *d.Table
	t.Data = slices.Clone(t.Data)
	if d.sizes, err = kinds.ScaleRows(&t, by, divided); err != nil {
		return err
	}
	d.x, d.scaling, d.Weights = softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data), by, t.Weights
	d.above = by.Bounds(d.Data, len(d.Names))
	if d.gaps > 0 {
		full, err := missing.Complete(ctx, d.x, completeK, &softkmeans.Options{Weights: d.Weights})
		if err != nil {
			return err
		}
		d.given, d.x = d.x, full.X
	}
	if d.floors, err = softkmeans.Floors(ctx, d.x, &softkmeans.Options{Weights: d.Weights}); err != nil {
		return err
	}
	if d.plane, err = view.NewPlane(ctx, d.x, d.Weights); err != nil {
		return err
	}
	if d.x.Cols == 2 {
		d.plane = view.ColumnPlane(d.Names, d.scaling)
	}
	d.columns = view.NewColumns(d.x, d.Weights, d.Names)
	if axis := d.columns.Axis; axis != nil && d.Axis != "" {
		axis.Name = table.Short(d.Axis, table.MostName)
	}
	d.spreads = scale.ColumnsOf(d.x.Data, d.x.Cols, d.Weights, d.scaling)
	if d.draw = d; d.Rows > manyRows {
		d.draw = d.sample(drawnRows)
	}
	return nil
}

// ofBrightness returns the data with rows divided by their sums if they are mixtures of k prototypes times a
// brightness of their own, else with the rows as given. Rows without a sum leave all rows as given.
func (d *data) ofBrightness(ctx context.Context, o options) (*data, error) {
	plain := cmp.Or(d.plain, d)
	if o.method != view.MinVolume || o.scale != scale.Auto || plain.scaling != nil || plain.gaps > 0 || plain.set != nil ||
		kinds.Square(plain.x) {
		return plain, nil
	}
	open, err := kinds.Open(ctx, plain.x, plain.Weights, d.clusters(o.k), o.k == 0)
	sums := scale.SumsOf(plain.x.Data, plain.x.Cols)
	if err != nil || !open || !(slices.Min(sums) > 0) || d.plain != nil {
		if open {
			plain = d
		}
		return plain, err
	}
	bright := &data{found: plain.found, set: plain.set, plain: plain, kind: plain.kind, mixtures: true}
	return bright, bright.scaleBy(ctx, scale.Of(scale.Sums, plain.x.Data, plain.x.Cols, plain.Weights), false)
}

// shown returns centers in the table's units.
func (d *data) shown(centers *softkmeans.Matrix) *softkmeans.Matrix {
	return d.columns.Shown(centers, d.scaling)
}

// clusters is the number of prototypes to fit: k or, if that is 0, that of the set or the proposed number.
func (d *data) clusters(k int) int {
	switch {
	case k > 0:
	case d.set != nil:
		k = len(d.set.Classes)
	default:
		k = cmp.Or(d.proposed(), 3)
	}
	return min(k, maxK)
}

// asksRows reports whether the rows are still to be asked for the number of prototypes, since neither k nor a
// set tells it.
func (d *data) asksRows(k int) bool { return k == 0 && d.set == nil && d.choice == nil }

// choose asks the rows for the number of prototypes if need be, as the command does: of few rows the floors.
func (d *data) choose(ctx context.Context, k int) error {
	if !d.asksRows(k) {
		return nil
	}
	var p choosek.Proposal
	c, err := kinds.Choose(ctx, d.x, d.sizes, d.scaling, &choosek.Options{Weights: d.Weights})
	if err == nil && c == nil {
		p, err = choosek.Propose(d.floors)
	}
	if err == nil {
		d.choice = answer.NewChoice(c, &p)
		d.draw.choice = d.choice
	}
	return err
}

// proposed is the number of prototypes that the rows propose; 0: none.
func (d *data) proposed() int {
	if d.choice == nil || d.choice.K == nil {
		return 0
	}
	return *d.choice.K
}

// rowName returns the id of row i of the table, or its number in the file.
func (d *data) rowName(i int) string {
	_, id := d.name(i)
	return id
}

// sample returns n rows at even steps. A row of the sample counts for a step of rows.
func (d *data) sample(n int) *data {
	part, at := *d, make([]int, n)
	for to := range at {
		at[to] = (2*to + 1) * d.Rows / (2 * n) // the middle of a step
	}
	head := &table.Table{Head: d.Head, Rows: n, Classes: d.Classes}
	part.found = &found{Table: head, name: func(to int) (int, string) { return d.name(at[to]) }}
	part.x, part.Weights = draws.Chosen(d.x, at), nil
	for _, i := range at {
		part.Weights = append(part.Weights, draws.Weight(d.Weights, i)*float64(d.Rows)/float64(n))
		if d.Class != nil {
			part.Class = append(part.Class, d.Class[i])
		}
	}
	return &part
}
