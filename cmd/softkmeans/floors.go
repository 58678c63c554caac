package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/answer"
	"softkmeans/internal/draws"
	"softkmeans/internal/kinds"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

type floorsFlags struct {
	fitFlags // of similarities, or of the rows
	most     int
	out      string // "": none; "-": standard output
}

func newFloorsFlagSet(f *floorsFlags) *flag.FlagSet {
	fs := flag.NewFlagSet("floors", flag.ContinueOnError)
	f.inputFlags.add(fs)
	f.addSimilar(fs)
	f.most = 20
	wholeFlag(fs, &f.most, "most", 1)
	fs.StringVar(&f.out, "o", "", "")
	f.printFlags.add(fs)
	streamFlag(fs, &f.stream)
	return fs
}

func parseFloors(args []string) (f floorsFlags, err error) {
	fs := newFloorsFlagSet(&f)
	if err := f.parse(fs, args); err != nil {
		return f, err
	}
	if err := f.checkSimilar(given(fs), "stream"); err != nil {
		return f, err
	}
	f.options.Workers = f.workers
	return f, f.checkStream(f.stream)
}

func (f *floorsFlags) run(s *session) error {
	list, err := s.add("o", f.out)
	if err != nil {
		return err
	}

	find := f.ofTable
	if f.method.ofSimilarities() {
		find = f.ofSimilarities
	} else if f.streams(s.in) {
		find = f.ofStream
	}
	r, err := find(s)
	if err != nil {
		return err
	}
	a := r.answer()
	if list != nil {
		if _, err := list.Write(answer.FloorsCSV(a.Floors, r.Proposal != nil)); err != nil {
			return err
		}
	}
	return s.tell(a, &f.printFlags)
}

type scree struct {
	table.Head
	answer.Curve
	rows  int
	scale *scale.Scaling

	fit   *fitFlags // of similarities
	gamma float64
}

// propose sets the proposal by the floors. Without the floors of all k it has no k.
func (r *scree) propose(all bool) error {
	p, err := choosek.Propose(r.Floors)
	if r.Proposal = &p; !all {
		p.K, p.Elbow, p.Profile, p.Stick = 0, 0, 0, nil
		p.Reason = fmt.Sprintf("the floors beyond k = %d are not computed, and a proposal needs all",
			len(r.Floors))
	}
	return err
}

// k is the number to mark, 0 if there is none.
func (r *scree) k() int {
	if r.Choice != nil {
		return r.Choice.K
	}
	return r.Proposal.K
}

func (f *floorsFlags) ofTable(s *session) (*scree, error) {
	d, err := f.readAs(s, always(true))
	if err != nil {
		return nil, err
	}
	if d.sparse == nil {
		d.noteKind(&f.fitFlags)
	}
	r, err := f.ofRows(s.ctx, d)
	if err != nil {
		return nil, err
	}
	if open, err := d.open(s.ctx, &f.inputFlags, r.k(), true); err != nil || !open {
		return r, err
	}
	return f.ofRows(s.ctx, d)
}

// ofRows returns the floors of the rows of d, which are in memory, and a proposal for k. It computes all floors if
// one Gram matrix gives them, and otherwise the floors up to -most.
func (f *floorsFlags) ofRows(ctx context.Context, d *data) (r *scree, err error) {
	r = &scree{Head: d.Head, rows: d.Rows, scale: d.scale, Curve: answer.Curve{Most: f.most}}
	o := &softkmeans.Options{Weights: d.Weights, Workers: f.workers}
	small := min(d.Rows, len(d.Names))
	if d.sparse != nil && small > allFloors {
		o.MostK = f.most
	}
	if r.Floors, err = softkmeans.Floors(ctx, d.samples(), o); err == nil {
		err = r.propose(len(r.Floors) > small)
	}
	if err != nil {
		return nil, err
	}
	forK := &choosek.Options{Workers: f.workers}
	x, err := d.filled()
	if err != nil || x == nil {
		return r, err
	}
	x, _ = d.rowsForK(x, forK)
	return r, r.choose(ctx, x, d.sizes, forK)
}

// choose sets the choice of k by rows, unless they are too few. sums are those by which rows were divided; nil:
// they were not.
func (r *scree) choose(
	ctx context.Context, x *softkmeans.Matrix, sums []float64, o *choosek.Options,
) (err error) {
	r.Choice, err = kinds.Choose(ctx, x, sums, r.scale, o)
	return err
}

// ofStream computes the floors of a file block by block.
func (f *floorsFlags) ofStream(s *session) (*scree, error) {
	b, err := f.openStream(s)
	if err != nil {
		return nil, err
	}
	defer b.progress.clear()
	if b.progress.passes = 1; f.scale != scale.None {
		b.progress.passes = 2
	}
	if _, err := f.beginStream(b); err != nil {
		return nil, err
	}
	drawn := draws.NewSample(0, drawnRows)
	stats, err := b.stats(drawn)
	if err != nil {
		return nil, err
	}
	floors, err := stats.Floors()
	if err != nil {
		return nil, err
	}
	r := &scree{Head: b.head(false, false), rows: b.rows, scale: b.scale, Curve: answer.Curve{Most: f.most, Floors: floors}}
	if err := r.propose(true); err != nil {
		return nil, err
	}
	return r, r.choose(s.ctx, drawn.Table(), nil, &choosek.Options{Workers: f.workers})
}

// ofSimilarities computes the floors of similarities up to -most, and up to the number that is chosen.
func (f *floorsFlags) ofSimilarities(s *session) (*scree, error) {
	d, err := f.read(s)
	if err != nil {
		return nil, err
	}
	d.noteKind(&f.fitFlags)
	of := &result{}
	similar, err := f.openSimilar(d, of)
	if err != nil {
		return nil, err
	}
	r := &scree{Head: d.Head, rows: d.Rows, scale: d.scale, fit: &f.fitFlags, gamma: of.gamma}
	if r.Choice, err = similar.choice(s.ctx); err != nil {
		return nil, err
	}
	r.Most = max(f.most, r.Choice.K)
	r.Total, r.Floors, err = similar.floors(s.ctx, r.Most)
	return r, err
}

func (r *scree) answer() *answer.Answer {
	a := answer.New(&r.Head, r.rows, scale.KindOf(r.scale))
	if r.fit != nil {
		a.Method, a.Kernel, a.Gamma = r.fit.method.String(), r.fit.kernel.String(), r.gamma
		a.About += "; similarities: " + strings.TrimSuffix(kernelWords(r.fit.kernel, r.gamma), ".")
		r.Reached = r.fit.method == methodTILSD
	}
	r.Fill(a)
	return a
}
