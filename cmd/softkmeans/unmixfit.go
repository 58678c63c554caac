package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/answer"
	"softkmeans/internal/draws"
	"softkmeans/internal/pixels"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/stream"
	"softkmeans/unmix"
)

type unmixing struct {
	flags    *unmixFlags
	scene    *pixels.Image
	result   *result
	progress *progress
	streamed bool
	fault    error       // of the scene; reported without the words of the package
	known    *knownScene // nil: a fit

	trimmed []answer.Pixel // left out as outliers
	shade   *answer.Shade  // nil: pixels are fitted as given
	found   *unmix.Result

	squares float64 // the sum of squares of the pixels

	shares []float64 // of each material, summed over the pixels
	pure   []int     // pixels of each material with a share of nearlyPure or more
	seen   int       // pixels of the pass that takes the sample
	sample []float64 // some pixels, evenly spaced, for the choice of colors
}

// block contains some pixels, and their brightness and shares.
type block struct {
	pixels.Block
	shade []float64 // the brightness of each row; nil: 1

	full      *softkmeans.Matrix // memberships in known prototypes; nil: those handed out
	low, high *softkmeans.Matrix // the ranges of those handed out; nil: not asked for
}

// nearlyPure is the least share of a pixel that is called nearly pure.
const nearlyPure = .9

// sampleSize is about how many pixels the sample has.
const sampleSize = 2048

func (f *unmixFlags) newUnmixing(s *session, sc *pixels.Image, p *progress) *unmixing {
	u := &unmixing{flags: f, scene: sc, progress: p,
		streamed: f.stream == streamYes || f.stream == streamAuto && !sc.InMemory() && f.large(s.in)}
	u.result = &result{Head: table.Head{Source: sc.Source, Names: sc.Names,
		Header: sc.Named, Notes: sc.Notes},
		k: f.k, method: methodMinVolume, bounds: f.bounds,
		seed: f.options.Seed}
	p.size, p.read = sc.Layout.Bytes()-sc.Layout.Offset, sc.BytesRead
	return u
}

// fit fits the scene and hands out all pixels, block by block.
func (u *unmixing) fit(ctx context.Context, out *unmixOutputs) error {
	if u.streamed {
		return u.fitBlocks(ctx, out)
	}
	u.progress.step("reading")
	b, err := u.scene.All(ctx)
	if err != nil {
		return err
	}
	x := b.X
	u.addSample(x)
	r := u.result
	if r.k == 0 && x.Rows > 0 {
		u.progress.step("the number of materials")
		if err := u.propose(ctx, x); err != nil {
			return err
		}
	}
	if err := u.checkPixels(x.Rows); err != nil {
		return err
	}
	o := u.flags.options
	o.Progress = u.progress.iteration
	m, err := unmix.Fit(ctx, x, r.k, &o)
	if err != nil {
		return err
	}
	u.setResult(m)
	if r.compact, err = u.prove(ctx, x); err != nil {
		return err
	}
	r.compact.LossGap = 0 // λ is of the pixels as the fit scaled them
	u.shade = answer.ShadeOf(m.Brightness)
	for _, i := range m.Trimmed {
		u.trimmed = append(u.trimmed, answer.Pixel{Line: b.At[i]/u.scene.Samples + 1, Sample: b.At[i]%u.scene.Samples + 1})
	}
	if err := u.begin(out); err != nil {
		return err
	}
	if err := u.take(out, &block{Block: b, shade: m.Brightness}, m.Memberships); err != nil {
		return err
	}
	u.result.certify()
	return nil
}

func (u *unmixing) setResult(m *unmix.Result) {
	u.found, u.result.unit = m, m.Scaling == unmix.ScaleUnit
	u.result.setModel(m.Model)
}

// prove returns what is proved of the spectra: nothing of their volume where pixels have a brightness.
func (u *unmixing) prove(ctx context.Context, x *softkmeans.Matrix) (c view.Compact, err error) {
	var weights []float64
	if u.found.Trimmed != nil {
		weights = slices.Repeat([]float64{1}, x.Rows)
		for _, i := range u.found.Trimmed {
			weights[i] = 0
		}
	}
	if u.result.unit {
		c.Unique, err = view.Unique(ctx, u.found.Model, weights)
		return c, err
	}
	o := &softkmeans.Options{Weights: weights, Workers: u.flags.workers}
	return view.Prove(ctx, x, u.found.Model, u.found.Certificate, o)
}

// fitBlocks fits a scene larger than memory.
func (u *unmixing) fitBlocks(ctx context.Context, out *unmixOutputs) error {
	r := u.result
	u.progress.passes, u.progress.atMost = minVolumePasses, true
	if r.k == 0 {
		u.progress.passes++
		if err := u.proposeBlocks(ctx); err != nil {
			return err
		}
	}
	if err := checkCenters(r.Source, u.scene.Pixels(), r.k); err != nil {
		return err
	}
	o := u.flags.options
	o.Init, o.Progress = softkmeans.InitSPA, u.progress.iteration
	if o.Slack == 0 && o.Lambda == 0 { // Unmix's rule takes all pixels at once
		o.Slack = u.streamSlack()
	}
	m, err := stream.FitMinVolume(ctx, u.blocks(ctx), r.k,
		&stream.MinVolumeOptions{MinVolumeOptions: o.MinVolumeOptions, Block: u.progress.pass})
	switch rows := u.scene.Pixels() - u.scene.Empty - u.scene.Incomplete; {
	case u.fault != nil:
		return u.fault
	case err != nil && ctx.Err() == nil && rows < max(1, r.k):
		return u.checkPixels(rows)
	case err != nil:
		return err
	}
	r.streamed = true
	u.setResult(&unmix.Result{Model: m})
	r.summarised = u.progress.number > u.progress.before+1
	if err := u.begin(out); err != nil {
		return err
	}
	u.progress.before = u.progress.number
	rows := 0
	err = u.scene.Pass(ctx, func(b *pixels.Block) error {
		var g *softkmeans.Matrix
		if b.X.Rows > 0 {
			if g, err = m.Predict(nil, b.X); err != nil {
				return err
			}
		}
		rows += b.X.Rows
		u.progress.pass(1, rows)
		return u.take(out, &block{Block: *b}, g)
	})
	u.result.certify()
	return err
}

// streamSlack returns the slack of a scene in blocks, if none is given. White noise in d
// bands has about (k−1)/(d−k+1) of the floor's energy in the plane of k materials. Most
// pixels are inside their simplex, so that a tenth of it does best.
func (u *unmixing) streamSlack() float64 {
	d, k := len(u.scene.Bands), u.result.k
	return 0.1 * float64(max(k-1, 1)) / float64(max(d-k+1, 1))
}

// checkStreamed returns an error for choices that a scene in blocks does not have.
func (u *unmixing) checkStreamed() error {
	o := &u.flags.options
	for _, c := range []struct {
		given bool
		flag  string
	}{{o.Scaling == unmix.ScaleUnit, "-rows unit"}, {o.Trim > 0, "-trim"}, {u.flags.shade != "", "-shade"},
		{u.flags.bounds != nil, "-bounds"}} {
		if u.streamed && c.given {
			return usageErrorf("%s needs the image in memory; add -stream no, or leave %[1]s out", c.flag)
		}
	}
	return nil
}

func (u *unmixing) blocks(ctx context.Context) func(yield func(*softkmeans.Matrix, error) bool) {
	return func(yield func(*softkmeans.Matrix, error) bool) {
		u.seen = 0
		full := u.sample != nil
		stopped := errors.New("stopped")
		err := u.scene.Pass(ctx, func(b *pixels.Block) error {
			if !full {
				u.addSample(b.X)
			}
			if b.X.Rows > 0 && !yield(b.X, nil) {
				return stopped
			}
			return nil
		})
		if err != nil && err != stopped {
			u.fault = err
			yield(nil, err)
		}
	}
}

// propose sets k to the proposal for these pixels, if a page can show it.
func (u *unmixing) propose(ctx context.Context, x *softkmeans.Matrix) error {
	if err := u.result.accept(choosek.ProposeScene(ctx, x,
		&choosek.Options{Seed: u.flags.options.Seed, Workers: u.flags.workers})); err != nil {
		return err
	}
	return u.flags.checkPage(u.result.k)
}

// sceneRows is how many pixels of a scene in blocks a proposal looks at.
const sceneRows = 4096

func (u *unmixing) proposeBlocks(ctx context.Context) error {
	d := draws.NewSample(u.flags.options.Seed, sceneRows)
	for x, err := range u.blocks(ctx) {
		if err == nil {
			err = d.Add(x)
		}
		if err != nil {
			return err
		}
		u.progress.pass(1, d.Seen)
	}
	u.progress.before++
	if d.Seen == 0 {
		return u.checkPixels(0)
	}
	return u.propose(ctx, d.Table())
}

// checkPixels returns an error if there are fewer pixels than materials.
func (u *unmixing) checkPixels(n int) error {
	if n == 0 {
		return fmt.Errorf("%s: no pixel has data: %d without, and %d with some values missing",
			u.scene.Source, u.scene.Empty, u.scene.Incomplete)
	}
	if u.result.k > n {
		return fmt.Errorf("%s: %s with data, but -k %d; give a k of at most the number of pixels",
			u.scene.Source, count(n, "pixel"), u.result.k)
	}
	return nil
}

func (u *unmixing) addSample(x *softkmeans.Matrix) {
	if u.flags.page == "" && u.known == nil {
		return
	}
	step := max(1, u.scene.Pixels()/sampleSize)
	for i := range x.Rows {
		if (u.seen+i)%step == 0 {
			u.sample = append(u.sample, x.Row(i)...)
		}
	}
	u.seen += x.Rows
}

func (u *unmixing) begin(out *unmixOutputs) error {
	r := u.result
	r.cert.MinMembership = math.Inf(1)
	u.shares, u.pure = make([]float64, r.k), make([]int, r.k)
	return out.begin(u)
}

func (u *unmixing) take(out *unmixOutputs, b *block, g *softkmeans.Matrix) error {
	for _, v := range b.X.Data {
		u.squares += v * v
	}
	if g != nil {
		labels := answer.LargestOf(g)
		u.result.add(labels, g, u.result.model.Sum)
		for i, label := range labels {
			row := g.Row(i)
			for j, v := range row {
				u.shares[j] += v
			}
			if row[label] >= nearlyPure {
				u.pure[label]++
			}
		}
	}
	return out.take(b, g)
}
