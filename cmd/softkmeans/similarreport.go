package main

import (
	"context"
	"fmt"
	"strings"

	"softkmeans"
	"softkmeans/internal/report"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// similarPage is the page about similarities. It writes the memberships to w unless w is nil.
func (f *reportFlags) similarPage(s *session, show *progress, w *membershipWriter) (page, *table.Table, error) {
	show.step("reading")
	d, err := f.readReported(s)
	if err != nil {
		return nil, nil, err
	}
	fit := f.similarFlags.fitFlags(&f.inputFlags, f.seed)
	fit.k = f.k
	d.noteKind(fit)
	content, err := fit.similarContent(s.ctx, d, show)
	if err != nil {
		return nil, nil, err
	}
	content.Command, content.Version = f.command(), version()
	if w != nil {
		w.describe(&d.Head, d.texts)
		err = w.add(s.ctx, content.Model.Labels(nil), content.Model.Memberships)
	}
	return content, d.Table, err
}

const (
	// mostDrawn is the largest number of rows whose similarities are drawn.
	mostDrawn = 4000
	// mostFloors is how many floors the page has, or two more than clusters.
	mostFloors = 20
)

func (f *fitFlags) similarContent(ctx context.Context, d *data, show *progress) (*report.Similar, error) {
	r := &result{Head: d.Head, rows: d.Rows, k: f.k, method: f.method, scale: d.scale}
	show.step("similarities")
	s, err := f.openSimilar(d, r)
	if err != nil {
		return nil, err
	}
	show.step("the number of clusters")
	choice, err := s.choice(ctx)
	if err != nil {
		return nil, err
	}
	k, why := choice.Supported()
	if r.k == 0 {
		if r.k = k; k == 0 {
			return nil, fmt.Errorf("%s: no number of clusters is proposed: %s; give -k N", r.Source, why)
		}
	}
	show.step(f.method.String())
	if r.lsd, err = s.decompose(ctx, f.method, r.k, f.lsdOptions(show.iteration)); err != nil {
		return nil, err
	}
	if err = s.prove(ctx, r); err != nil {
		return nil, err
	}
	name := f.naming(d)
	r.meaning.add(r.lsd.Memberships, name)
	c := &report.Similar{Table: d.Table, Kernel: kernelWords(f.kernel, r.gamma), Model: r.rated(),
		Centred: f.method == methodTILSD, ByDuality: r.byDuality(), Seed: f.seed,
		Proposed: k, Name: func(i int) string { _, id := name(i); return id }}
	c.Proposal = joined(view.Choice(choice), opinions(&choice), agreements(&choice))
	c.Pure, c.Between = r.meaning.ranked()
	if d.Rows <= mostDrawn {
		c.Matrix = s.matrix
	}
	show.step("floors")
	if c.Total, c.Floors, err = s.floors(ctx, max(mostFloors, r.k+2)); err != nil {
		return nil, err
	}
	c.Plane, err = s.plane(ctx, r)
	return c, err
}

// plane returns the rows in leading directions: those of the fit, if it has two.
func (s *similar) plane(ctx context.Context, r *result) (*softkmeans.Matrix, error) {
	m := r.lsd
	if m.Vertices == nil || m.Vertices.Cols < 2 {
		var err error
		o := &softkmeans.LSDOptions{Workers: s.workers, Enclosure: softkmeans.EnclosureTight}
		if m, err = s.decompose(ctx, methodTILSD, 3, o); err != nil {
			return nil, err
		}
	}
	return m.Coordinates(nil, nil)
}

// ranked returns the rows that tell most, for a page.
func (m *meaning) ranked() (pure [][]report.Ranked, between []report.Ranked) {
	pure = make([][]report.Ranked, len(m.pure))
	for j, list := range m.pure {
		for _, row := range list.rows {
			pure[j] = append(pure[j], report.Ranked{Name: row.id, Of: []int{j}, Shares: []float64{row.value}})
		}
	}
	for _, row := range m.between.rows {
		between = append(between, report.Ranked{Name: row.id, Of: row.pair[:], Shares: row.shares[:]})
	}
	return pure, between
}

func joined(parts ...string) string {
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}
