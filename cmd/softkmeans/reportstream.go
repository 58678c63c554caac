package main

// This file makes the page of a file that is read block by block. Its numbers are of all
// rows. Its pictures show a sample, and that alone is kept.

import (
	"fmt"
	"math/rand/v2"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/answer"
	"softkmeans/internal/report"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// sampleRows is how many rows of a file that is read in blocks the pictures show.
const sampleRows = 2000

// blocks opens the file to be read in blocks; nil: the table is read into memory.
func (f *reportFlags) blocks(s *session) (*blockReader, error) {
	if f.stream == streamNo || f.stream == streamAuto && !(f.inBlocks() && f.large(s.in)) {
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
	k     int
	rows  []int // those of the pictures
	class []int // of all rows; nil: there are no classes
}

// fitStream computes the page and writes the memberships to w, unless w is nil.
func (f *reportFlags) fitStream(b *blockReader, w *membershipWriter) (*report.Input, error) {
	p := &streamedPage{Input: f.content(), f: f, b: b, k: f.k}
	p.Blocks, p.Seed = true, f.seed
	b.collect = &scale.Collector{Kind: scale.ZScore}
	b.progress.passes, b.progress.atMost = 1+minVolumePasses+globalPasses, true
	if f.scale != scale.None {
		b.progress.passes++
	}
	if err := b.setScale(f.scale); err != nil {
		return nil, err
	}
	if err := p.sumUp(); err != nil {
		return nil, err
	}
	if err := p.draw(); err != nil {
		return nil, err
	}
	if err := p.fitMinVolume(w); err != nil {
		return nil, err
	}
	nothing := func(int, []int, *softkmeans.Matrix, *softkmeans.Matrix) error { return nil }
	if err := p.fit(methodGlobal, &p.Global, nothing); err != nil {
		return nil, err
	}
	p.Global.Model = view.Match(p.Global.Model, p.MinVolume.Model)
	return p.Input, nil
}

// sumUp computes what the page has from the sums of all rows, the number of prototypes among
// it, and checks the flags against the table.
func (p *streamedPage) sumUp() error {
	b := p.b
	if err := p.f.checkImage(b.file.Source, len(b.file.Names)); err != nil {
		return err
	}
	drawn := newRowDraw(p.Seed, drawnRows)
	stats, err := b.stats(drawn)
	if err != nil {
		return err
	}
	if err := checkCenters(b.file.Source, b.rows, p.k); err != nil {
		return err
	}
	if p.Floors, err = stats.Floors(); err != nil {
		return err
	}
	if p.Proposal, err = choosek.Propose(p.Floors); err != nil {
		return err
	}
	if p.k == 0 {
		p.k, err = p.Choose(b.ctx, drawn.table(), &report.Options{Seed: p.Seed, Workers: p.f.workers})
		if err != nil {
			return noNumber(err, p.Input, b.file.Source)
		}
	}
	if p.k > report.MostPrototypes {
		return fmt.Errorf("%s: %d prototypes are proposed: a page shows at most %d; give -k N",
			b.file.Source, p.k, report.MostPrototypes)
	}
	p.Scaling, p.Moments = b.scale, momentsOf(b.columns, b.scale)
	p.Plane, err = view.PlaneOf(stats, p.Floors)
	return err
}

// momentsOf are those of columns after the scaling.
func momentsOf(c *scale.Columns, s *scale.Scaling) view.Moments {
	m := view.Moments{Mean: c.Mean, Spread: c.Spread, Constant: make([]bool, len(c.Mean))}
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
	p.rows = evenly(b.rows, sampleRows, p.Seed)
	t := &table.Table{Head: b.head(true, true), Rows: len(p.rows)}
	var left []bool
	fitted, number := 0, 0
	for block, err := range b.file.TextBlocks(b.ctx) {
		if err != nil {
			return err
		}
		texts := textsOf(block, b.drop)
		left = append(left, texts.left...)
		for i := range block.X.Rows {
			if texts.left != nil && texts.left[i] {
				continue
			}
			if block.Class != nil {
				p.class = append(p.class, block.Class[i])
			}
			if at := len(t.IDs); at < len(p.rows) && p.rows[at] == fitted {
				t.Data = append(t.Data, block.X.Row(i)...)
				_, id := answer.Numbered(number + i)
				if block.IDs != nil {
					id = block.IDs[i]
				}
				t.IDs = append(t.IDs, id)
			}
			fitted++
		}
		number += block.X.Rows
		t.Classes = block.Classes
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

// fitMinVolume fits the compact prototypes, counts the rows, and writes their memberships to
// w unless w is nil.
func (p *streamedPage) fitMinVolume(w *membershipWriter) error {
	if w != nil {
		w.clustered, w.likely = true, true
		defer w.follow(p.b)()
	}
	p.Tally = report.NewTally(p.k)
	var rows answer.Rows
	err := p.fit(methodMinVolume, &p.MinVolume, func(first int, labels []int, g, likely *softkmeans.Matrix) error {
		var class []int
		if p.class != nil {
			class = p.class[first:]
		}
		rows.Add(g, answer.Numbered)
		if p.Tally.Add(labels, g, nil, class); w == nil {
			return nil
		}
		w.probabilities = likely
		return w.add(p.b.ctx, labels, g)
	})
	if err == nil {
		p.Slack = p.MinVolume.Model.Slack
		err = p.b.name(append(rows.Pure, rows.Between))
	}
	if p.Pure, p.Between = rows.Pure, rows.Between; err != nil || w == nil {
		return err
	}
	return w.finish()
}

// fit fits one method in passes over all rows. The last hands each block to take. The model
// has the memberships and labels of the rows of the pictures.
func (p *streamedPage) fit(m method, to *report.Fit,
	take func(first int, labels []int, g, likely *softkmeans.Matrix) error) error {
	f := fitFlags{inputFlags: p.f.inputFlags, method: m, slack: p.f.slack, seed: p.f.seed,
		options: softkmeans.Options{Workers: p.f.workers}}
	r := &result{k: p.k}
	shown, labels, at := softkmeans.NewMatrix(len(p.rows), p.k, nil), make([]int, len(p.rows)), 0
	var all []int
	p.b.progress.before = p.b.progress.number
	model, err := f.fitBlocks(p.b, r, func(of []int, g, likely *softkmeans.Matrix) error {
		first := r.rows - len(of)
		for ; at < len(p.rows) && p.rows[at] < r.rows; at++ {
			labels[at] = of[p.rows[at]-first]
			copy(shown.Row(at), g.Row(p.rows[at]-first))
		}
		if p.class != nil {
			all = append(all, of...)
		}
		return take(first, of, g, likely)
	})
	if err != nil {
		return err
	}
	model.Memberships, model.Clusters = shown, labels
	*to = report.Fit{Model: model, Certificate: r.cert, Sampled: r.summarised}
	if p.class == nil {
		return nil
	}
	return to.Compare(p.class, all)
}
