package report

// The fits that a page tells of.

import (
	"context"
	"errors"
	"iter"
	"strconv"

	"softkmeans"
	"softkmeans/internal/view"
)

const (
	// MostPrototypes is how many a page shows: of more the colors, and the panels,
	// cannot be told apart.
	MostPrototypes = 64
	// summaryRows are fitted at once; of more the minimal volume is found on a
	// summary, in seconds where all of them can take minutes.
	summaryRows = 30_000
	blockRows   = 4096 // that the summary's passes read at once
	// manyIterations is where the alternating method ends on so many rows: each
	// takes a while, and the later ones change little.
	manyIterations = 100
)

// Options are those of Fit.
type Options struct {
	K       int     // 0: as many as are proposed
	Slack   float64 // 0: the package's default
	Seed    uint64
	Workers int

	Step      func(what string)          // is told what begins; nil: not
	Iteration func(softkmeans.Iteration) // likewise; nil: not
}

// Fit fills in all that is to be known of Table, X and Weights.
func (in *Input) Fit(ctx context.Context, o Options) (err error) {
	step := func(what string) {
		if o.Step != nil {
			o.Step(what)
		}
	}
	x := in.X
	in.Seed, in.Slack = o.Seed, o.Slack
	if in.Slack == 0 {
		in.Slack = 0.25
	}
	step("floors")
	if in.Floors, err = softkmeans.FloorsWeighted(x, in.Weights); err != nil {
		return err
	}
	if in.Proposal, err = view.Propose(x, in.Weights, in.Floors); err != nil {
		return err
	}
	k := o.K
	if k == 0 {
		k = in.Proposal.K
	}
	switch {
	case k == 0:
		return errors.New("no number of prototypes is proposed: " + in.Proposal.Reason)
	case k < 0 || k > MostPrototypes:
		return errors.New(strconv.Itoa(k) + " prototypes: a page shows from 1 to " + strconv.Itoa(MostPrototypes))
	}
	if in.Plane, err = view.NewPlane(x, in.Weights); err != nil {
		return err
	}

	var way record
	follow := func(it softkmeans.Iteration) {
		way.progress(it)
		if o.Iteration != nil {
			o.Iteration(it)
		}
	}
	step("minimal volume")
	minVolume := softkmeans.MinVolumeOptions{Weights: in.Weights, Slack: o.Slack, Seed: o.Seed, Workers: o.Workers, Progress: follow}
	if in.SummaryBased = x.Rows > summaryRows; in.SummaryBased {
		if in.MinVolume.Model, err = softkmeans.FitMinVolumeSeq(ctx, blocks(x), k, &minVolume); err != nil {
			return err
		}
		m := in.MinVolume.Model
		m.Memberships, err = m.Predict(nil, x)
	} else {
		in.MinVolume.Model, err = softkmeans.FitMinVolume(ctx, x, k, &minVolume)
	}
	if err != nil {
		return err
	}
	in.MinVolume.Errors = way.errors(in.MinVolume.Model)

	step("alternating")
	way = record{}
	alternating := softkmeans.AlternatingOptions{Weights: in.Weights, Seed: o.Seed, Workers: o.Workers, Progress: follow}
	if in.SummaryBased {
		alternating.MaxIter = manyIterations
	}
	m, err := softkmeans.FitAlternating(ctx, x, k, &alternating)
	if err != nil {
		return err
	}
	in.Alternating.Errors = way.errors(m)
	in.Alternating.Model = view.Match(m, in.MinVolume.Model)

	step("global")
	if in.Global.Model, err = view.GlobalSimplex(ctx, x, in.Weights, in.Plane.Mean, in.MinVolume.Model.Centers); err != nil {
		return err
	}
	for i, f := range in.fits() {
		step("certificate of " + methods[i].String())
		if f.Certificate, err = softkmeans.CertifyWeighted(x, f.Model.Centers, f.Model.Memberships, in.Weights); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// blocks are the rows of x, some at a time.
func blocks(x *softkmeans.Matrix) iter.Seq2[*softkmeans.Matrix, error] {
	return func(yield func(*softkmeans.Matrix, error) bool) {
		for from := 0; from < x.Rows; from += blockRows {
			n := min(blockRows, x.Rows-from)
			if !yield(&softkmeans.Matrix{Rows: n, Cols: x.Cols, Stride: x.Stride, Data: x.Data[from*x.Stride:]}, nil) {
				return
			}
		}
	}
}
