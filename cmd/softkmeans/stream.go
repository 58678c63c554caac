package main

// Fitting files that outgrow memory.

import (
	"context"
	"io"
	"iter"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/rows"
)

// streamSize is what a file must exceed to be read block by block unasked: a fit
// in memory reads it once, and takes its time for other things as well.
const streamSize = 64 << 20

// streams reports whether the input is to be read block by block.
func (f *fitFlags) streams(in io.Reader) bool {
	size, ok := rows.Replayable(in)
	return f.stream == chooseYes || f.stream == chooseAuto && f.method != methodAlternating && f.named() && ok && size > streamSize
}

// fitStream is fitTable for the named file, read block by block. Its memberships
// are written, and looked at for the certificate, as the last pass finds them.
func (f *fitFlags) fitStream(ctx context.Context, _ io.Reader, source string, w *membershipWriter, stderr io.Writer) (*result, error) {
	file, err := await(ctx, func() (*rows.File, error) { return rows.Open(source, rows.Options{Dialect: f.dialect}) })
	if err != nil {
		return nil, err
	}
	p := newProgress(stderr, file.Size, file.BytesRead)
	p.on = p.on && !f.quiet
	defer p.clear()
	return await(ctx, func() (*result, error) {
		r := &result{Head: file.Head, sizes: make([]int, f.k), streamed: true}
		r.cert.MinMembership = math.Inf(1)
		var labels []int
		// What goes wrong outside of FitSeq is told without its words around it.
		var fault error
		take := func(_ int, g *softkmeans.Matrix) error {
			labels = (&softkmeans.Model{Memberships: g}).Labels(slices.Grow(labels[:0], g.Rows)[:g.Rows])
			r.add(labels, g)
			if w != nil {
				fault = w.add(ctx, labels, g)
			}
			return fault
		}
		m, err := f.fitBlocks(ctx, func(yield func(*softkmeans.Matrix, error) bool) {
			for x, err := range file.Blocks(ctx) {
				fault = err
				if !yield(x, err) {
					return
				}
			}
		}, take, p)
		if fault != nil {
			err = fault
		}
		if err != nil {
			return nil, err
		}
		r.model, r.summarised = m, f.method == methodMinVolume && p.number > 1
		r.cert.Objective, r.cert.Floor, r.cert.Gap = m.Objective, m.Floor, m.Gap
		r.cert.Total, r.cert.FloorError = m.Total, m.FloorError
		return r, nil
	})
}

// fitBlocks runs the method that was asked for.
func (f *fitFlags) fitBlocks(ctx context.Context, blocks iter.Seq2[*softkmeans.Matrix, error], take func(int, *softkmeans.Matrix) error, p *progress) (*softkmeans.Model, error) {
	if f.method == methodMinVolume {
		return softkmeans.FitMinVolumeSeq(ctx, blocks, f.k, &softkmeans.MinVolumeOptions{
			Slack: f.slack, Seed: f.seed, Workers: f.options.Workers, Memberships: take, PassProgress: p.pass, Progress: p.iteration})
	}
	o := f.options
	o.Progress, o.Memberships = p.pass, take
	return softkmeans.FitSeq(ctx, blocks, f.k, &o)
}

// add counts the next rows.
func (r *result) add(labels []int, g *softkmeans.Matrix) {
	c := &r.cert
	for i, label := range labels {
		r.sizes[label]++
		sum := 0.0
		for _, v := range g.Row(i) {
			sum += v
			c.MinMembership = min(c.MinMembership, v)
		}
		c.MaxSumError = max(c.MaxSumError, math.Abs(sum-1))
	}
	r.rows += len(labels)
}
