package main

// This file makes the page of a file that is read block by block. Its numbers are of all
// rows. Its pictures show a sample, and that alone is kept.

import (
	"math/rand/v2"
	"slices"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/answer"
	"softkmeans/internal/draws"
	"softkmeans/internal/report"
	"softkmeans/internal/rows"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// sampleRows is how many rows of a file that is read in blocks the pictures show.
const sampleRows = 2000

// blocks opens the file to be read in blocks; nil: the table is read into memory.
func (f *reportFlags) blocks(s *session) (*blockReader, error) {
	if !f.streams(s.in) {
		return nil, nil
	}
	b, err := f.openStream(s)
	if err == nil && f.stream == streamAuto && len(b.file.Names) > statsColumns {
		return nil, nil
	}
	return b, err
}

// streamedPage is a page whose table is read pass by pass.
type streamedPage struct {
	*report.Input
	f     *reportFlags
	b     *blockReader
	rows  []int // those of the pictures
	class []int // of all rows; nil: there are no classes
}

// fitStream computes the page and writes the memberships to w, unless w is nil.
func (f *reportFlags) fitStream(b *blockReader, w *answer.MembershipWriter) (*report.Input, error) {
	p := &streamedPage{Input: &report.Input{Image: f.image}, f: f, b: b}
	b.progress.passes, b.progress.atMost = 1+minVolumePasses+globalPasses, true
	if f.scale != scale.None {
		b.progress.passes++
	}
	r, err := f.beginStream(b)
	if err == nil {
		err = p.sumUp(r)
	}
	if err == nil {
		err = p.draw()
	}
	if err != nil {
		return nil, err
	}
	all := p.takeRows(&p.MinVolume, r)
	if err = f.fitOpened(b, r, w, all.take); err == nil {
		err = all.finish(r)
	}
	if err != nil {
		return nil, err
	}
	p.Page = f.pageOf(r.answer())
	fit := f.fitFlags
	fit.method = methodGlobal
	global := &result{Head: r.Head, k: r.k, scale: r.scale, method: methodGlobal}
	all = p.takeRows(&p.Global, global)
	if _, err = fit.fitBlocks(b, global, func(labels []int, g, _ *softkmeans.Matrix) error {
		return all.take(labels, g)
	}); err == nil {
		err = all.finish(global)
	}
	if err != nil {
		return nil, err
	}
	p.Global.Model = view.Match(p.Global.Model, p.MinVolume.Model)
	return p.Input, nil
}

// sumUp computes what the page has from the sums of all rows, the number of prototypes among
// it, and checks the flags against the table.
func (p *streamedPage) sumUp(r *result) error {
	b := p.b
	if err := p.f.checkImage(b.file.Source, len(b.file.Names)); err != nil {
		return err
	}
	drawn := draws.NewSample(p.f.seed, drawnRows)
	stats, err := b.stats(drawn)
	if err != nil {
		return err
	}
	if err := checkCenters(b.file.Source, b.rows, r.k); err != nil {
		return err
	}
	if p.Floors, err = stats.Floors(); err != nil {
		return err
	}
	if r.k == 0 {
		if err := r.choose(b.ctx, drawn.Table(), nil,
			&choosek.Options{Seed: p.f.seed, Workers: p.f.workers}); err != nil {
			return err
		}
	}
	if err := p.f.checkShown(r); err != nil {
		return err
	}
	p.Scaling, p.Moments = b.scale, momentsOf(b.columns, b.scale)
	p.Plane, err = view.PlaneOf(b.ctx, stats)
	return err
}

// momentsOf are those of columns after the scaling.
func momentsOf(c *scale.Columns, s *scale.Scaling) view.Moments {
	m := view.Moments{Mean: slices.Clone(c.Mean), Spread: slices.Clone(c.Spread), Constant: make([]bool, len(c.Mean))}
	for j := range m.Constant {
		if m.Constant[j] = c.Least[j] == c.Most[j]; m.Constant[j] {
			m.Mean[j], m.Spread[j] = c.Least[j], 0
		}
		if s != nil {
			m.Spread[j] /= s.Divisor[j]
		}
	}
	s.Apply(m.Mean)
	return m
}

// draw takes the rows of the pictures, with their names and classes, in one pass.
func (p *streamedPage) draw() error {
	b := p.b
	p.rows = evenly(b.rows, sampleRows, p.f.seed)
	t := &table.Table{Head: b.head(true, true), Rows: len(p.rows)}
	var left []bool
	err := b.eachText(func(block *rows.Block, i, row, fitted int) {
		t.Classes = block.Classes
		if left = append(left, fitted < 0); fitted < 0 {
			return
		}
		if block.Class != nil {
			p.class = append(p.class, block.Class[i])
		}
		if at := len(t.IDs); at < len(p.rows) && p.rows[at] == fitted {
			t.Data = append(t.Data, block.X.Row(i)...)
			_, id := answer.Numbered(row)
			if block.IDs != nil {
				id = block.IDs[i]
			}
			t.IDs = append(t.IDs, id)
		}
	})
	if err != nil {
		return err
	}
	b.scale.Apply(t.Data)
	p.Table, p.X = t, softkmeans.NewMatrix(t.Rows, len(t.Names), t.Data)
	return p.classify(left)
}

// classify gives the rows of the pictures their classes, those of -classes if they have no
// others. left are the rows of the file that are not fitted; nil: none.
func (p *streamedPage) classify(left []bool) error {
	if p.f.classes != "" {
		c, err := p.f.readClasses(p.b.file.Source, p.b.rows, left)
		if err != nil {
			return err
		}
		p.class, p.Table.Classes = c.Class, c.Classes
	}
	if p.class != nil {
		for _, i := range p.rows {
			p.Table.Class = append(p.Table.Class, p.class[i])
		}
	}
	return nil
}

// evenly draws rows below n, one from each of most parts of the same size, or all.
func evenly(n, most int, seed uint64) []int {
	r := rand.New(rand.NewPCG(seed, 0))
	most = min(most, n)
	rows := make([]int, most)
	for i := range rows {
		from, to := int(int64(i)*int64(n)/int64(most)), int(int64(i+1)*int64(n)/int64(most))
		rows[i] = from + r.IntN(to-from)
	}
	return rows
}

// taken keeps the memberships and labels of the rows of the pictures, and if there are classes all labels.
type taken struct {
	p           *streamedPage
	to          *report.Fit
	shown       *softkmeans.Matrix
	labels, all []int
	seen, at    int // rows, and rows of the pictures
}

// takeRows returns what takes the rows of a fit, whose result is r.
func (p *streamedPage) takeRows(to *report.Fit, r *result) *taken {
	n := len(p.rows)
	p.b.progress.before = p.b.progress.number
	return &taken{p: p, to: to, shown: softkmeans.NewMatrix(n, r.k, nil), labels: make([]int, n)}
}

func (t *taken) take(labels []int, g *softkmeans.Matrix) error {
	for rows := t.p.rows; t.at < len(rows) && rows[t.at] < t.seen+len(labels); t.at++ {
		i := rows[t.at] - t.seen
		t.labels[t.at] = labels[i]
		copy(t.shown.Row(t.at), g.Row(i))
	}
	if t.p.class != nil {
		t.all = append(t.all, labels...)
	}
	t.seen += len(labels)
	return nil
}

// finish makes the fit.
func (t *taken) finish(r *result) error {
	m := *r.model
	m.Memberships, m.Clusters = t.shown, t.labels
	*t.to = report.Fit{Model: &m, Certificate: r.cert}
	if t.p.class == nil {
		return nil
	}
	if t.to == &t.p.MinVolume {
		t.p.Classes.Add(t.p.class, t.all, r.k)
	}
	return t.to.Compare(t.p.class, t.all)
}
