package main

// This file holds -centers of unmix: shares of pixels in spectra that are known, without a fit.

import (
	"context"
	"fmt"
	"strconv"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/measure"
	"softkmeans/internal/pixels"
	"softkmeans/internal/sources"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/unmix"
)

// checkKnown checks the flags that -centers goes with.
func (f *unmixFlags) checkKnown(given map[string]bool) error {
	if f.centers == "" {
		return refuse(given, " is for -centers", "class")
	}
	err := refuse(given, " is for a fit, and -centers has the spectra already; leave one out", "k", "slack", "lambda",
		"bounds", "trim", "seed")
	switch {
	case err != nil:
		return err
	case f.model != "":
		return usageErrorf("-model is for a fit; softkmeans predict takes the file of -centers as well")
	case f.options.Scaling == unmix.ScaleUnit && f.options.Sum == softkmeans.SumAtMostOne:
		return usageErrorf("-rows unit has shares that add up to one; leave -sum out")
	}
	return nil
}

// readKnown reads the file of -centers.
func (f *unmixFlags) readKnown() (err error) {
	var m *modelFile
	if f.from, m, err = readLibrary(f.centers, f.class); err != nil || m == nil {
		return err
	}
	if f.from, err = m.library(f.centers); err != nil {
		return err
	}
	if m.UnitRows && f.options.Scaling == unmix.ScaleAuto {
		f.options.Scaling = unmix.ScaleUnit
	}
	return nil
}

type knownScene struct {
	*unmixing
	mixer   *sources.Mixer
	noise   sources.Noise
	outside int
	lengths []float64 // of all pixels, with shade
	proved  bool      // there is a certificate
	ranged  bool      // shares are not unique, and their ranges are written
}

// join joins the bands of the scene with those of the spectra, and leaves the others out.
func (k *knownScene) join() (*sources.Sources, error) {
	sc, l := k.scene, k.flags.from
	names, named := sc.Names, sc.Named
	if sc.Wavelengths != nil {
		names, named = nil, true
		for _, w := range sc.Wavelengths {
			names = append(names, strconv.FormatFloat(w, 'g', -1, 64))
		}
		if sc.Named && l.Shared(names) == nil {
			names = sc.Names
		}
	}
	if named = named && (l.Columns != nil || l.Shared(names) != nil); named {
		shared := l.Shared(names)
		has := table.Set(shared)
		var at []int
		for j, name := range names {
			if has[name] {
				at = append(at, j)
			}
		}
		if n := len(names) - len(at); n > 0 && len(at) > 0 {
			sc.Notes = append(sc.Notes, count(n, "band")+" that the spectra lack "+plural(n, "is", "are")+
				" left out")
			sc.Pick(at)
			names = shared
		}
	} else if l.X.Cols == sc.Layout.Bands && len(sc.Bands) < sc.Layout.Bands {
		l.Pick(sc.Bands) // the library has the bad bands as well
	}
	from, err := l.Join(sc.Source, names, named)
	if err == nil && from.Centers.Rows > mostCenters {
		err = fmt.Errorf("%s: %d prototypes; at most %d can be given", l.Source, from.Centers.Rows,
			mostCenters)
	}
	if err != nil {
		return nil, err
	}
	if from.SD != nil {
		from.SD = nil
		from.Notes = append(from.Notes, "standard deviations are not used; softkmeans predict -centers has "+
			"ranges by them")
	}
	sc.Notes = append(sc.Notes, from.Notes...)
	return from, nil
}

func (k *knownScene) mix(ctx context.Context, out *unmixOutputs) error {
	if k.streamed && k.flags.page != "" {
		return usageErrorf("-report with -centers needs the image in memory; add -stream no, or " +
			"leave it out")
	}
	from, err := k.join()
	if err != nil {
		return err
	}
	k.progress.step("reading")
	all, sample, err := k.pixels(ctx)
	if err != nil {
		return err
	}
	k.result.k, k.result.Notes = len(from.Groups), k.scene.Notes
	if err := k.flags.checkPage(k.result.k); err != nil {
		return err
	}
	if sample.Rows == 0 {
		k.result.k = 0
		return k.checkPixels(0)
	}
	o := sources.Options{Sum: k.flags.options.Sum, Workers: k.flags.workers}
	if o.Cone = k.flags.options.Scaling == unmix.ScaleUnit; k.flags.options.Scaling == unmix.ScaleAuto &&
		o.Sum == softkmeans.SumToOne {
		if o.Cone, err = from.Lengths(ctx, sample, o); err != nil {
			return err
		}
	}
	if k.mixer, err = from.NewMixer(o); err != nil {
		return err
	}
	some, err := k.mixer.Mix(ctx, sample, false)
	if err != nil {
		return err
	}
	if k.noise, err = k.mixer.Noise(ctx, some, sample); err != nil {
		return err
	}
	k.found, k.result.model = &unmix.Result{Model: k.mixer.Model}, k.mixer.Model
	if o.Cone {
		k.found.Scaling, k.found.Brightness = unmix.ScaleUnit, some.Length
	}
	k.ranged = out.abundances != nil && !k.mixer.Unique() && !k.mixer.TooMuch(k.scene.Pixels())
	if err := k.begin(out); err != nil {
		return err
	}
	if all.X == nil {
		return k.scene.Pass(ctx, func(b *pixels.Block) error { return k.takeKnown(ctx, out, &block{Block: *b}) })
	}
	b := &block{Block: all}
	if err := k.takeKnown(ctx, out, b); err != nil {
		return err
	}
	return k.certifyKnown(ctx, b)
}

// pixels reads the scene, or where it is read in blocks a sample of it alone.
func (k *knownScene) pixels(ctx context.Context) (all pixels.Block, sample *softkmeans.Matrix, err error) {
	d := len(k.scene.Bands)
	if !k.streamed {
		if all, err = k.scene.All(ctx); err == nil {
			k.addSample(all.X)
		}
	} else {
		for _, err = range k.blocks(ctx) {
			k.progress.pass(1, k.seen)
		}
	}
	return all, softkmeans.NewMatrix(len(k.sample)/d, d, k.sample), err
}

// takeKnown computes the shares of a block and hands them out.
func (k *knownScene) takeKnown(ctx context.Context, to *unmixOutputs, b *block) error {
	if b.X.Rows == 0 {
		return k.take(to, b, nil)
	}
	r, err := k.mixer.Mix(ctx, b.X, k.ranged)
	if err != nil {
		return err
	}
	out, err := k.mixer.Out(ctx, r, b.X, k.noise)
	if err != nil {
		return err
	}
	for _, o := range out {
		if o {
			k.outside++
		}
	}
	b.shade, b.full = r.Length, r.Prototypes
	if b.low, b.high = r.Low, r.High; k.ranged && r.Low == nil { // points, by class
		b.low, b.high = r.Shares, r.Shares
	}
	k.lengths = append(k.lengths, r.Length...)
	return k.take(to, b, r.Shares)
}

// certifyKnown compares the squared error with the floor. With shade both are of shares times shade.
func (k *knownScene) certifyKnown(ctx context.Context, b *block) (err error) {
	centers, g := k.mixer.Centers, b.full
	o := &softkmeans.Options{Sum: k.mixer.Model.Sum, Workers: k.flags.workers}
	if b.shade != nil {
		o.Sum = softkmeans.SumAtMostOne
		centers, g = measure.WithBrightness(centers, g, b.shade)
	}
	k.result.cert, err = softkmeans.Certify(ctx, b.X, centers, g, o)
	k.proved = err == nil
	return err
}

func (u *unmixing) names() []string {
	if u.known != nil {
		return u.known.mixer.Groups
	}
	return view.Names(u.result.k)
}

func (k *knownScene) sentences() []string {
	o, lines := &k.flags.options, []string{"Pixels are mixtures as given."}
	switch cone := k.lengths != nil; {
	case cone && o.Scaling == unmix.ScaleUnit:
		lines[0] = "Each pixel is a mixture times its brightness (-rows unit)."
	case cone:
		lines[0] = "Each pixel is a mixture times its brightness, since this clearly reduces the squared error; -rows given takes pixels as they are."
	}
	if s := answer.ShadeOf(k.lengths); s != nil {
		lines[0] += " The brightness is " + s.Words() + "."
	}
	if !k.mixer.Unique() {
		ranges := "With -o the file has the ranges of shares"
		switch {
		case k.ranged:
			ranges = "The bands after them, " + short(k.mixer.Groups[0], mostWord) + "_low and so on, are " +
				"the least and the largest share of all nearest mixtures"
		case k.flags.abundances != "":
			ranges = "Ranges are left out, as ranges of so many sources would take long"
		}
		lines = append(lines, fmt.Sprintf("Shares are not unique: there are %s, and the bands tell %d of "+
			"them apart. %s%s.", view.Prototypes(k.mixer.Centers.Rows), k.mixer.Apart(), sources.LeastNorm, ranges))
	}
	return append(lines, sources.Outside(k.outside, "pixel", "spectra", "", k.noise.Explains("pixel", "band")))
}

// answer says which shares the spectra have.
func (k *knownScene) answer() *answer.Answer {
	a, r := k.read(), k.result
	a.Notes, a.CentersFile = append(a.Notes, k.sentences()...), k.flags.centers
	k.materials(a, len(k.scene.Bands), k.lengths != nil, answer.ShadeOf(k.lengths))
	a.Known = &answer.Known{Unique: k.mixer.Unique(), Outside: k.outside, Noise: k.noise.Value,
		Farthest: []answer.Far{}}
	if k.proved {
		q := &answer.Quality{Certificate: r.cert, K: k.mixer.Centers.Rows, Noun: "material", Sum: k.mixer.Model.Sum,
			Tol: certifiedTol, Streamed: true}
		if k.lengths != nil {
			q.Sum = softkmeans.SumAtMostOne
		}
		q.OfSquares(k.squares)
		a.Certificate, a.Sentence, a.Quality = q.JSON(), q.Sentence(), q.Sentences()
	}
	return a
}
