package report

// The fits that a page shows.

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/kinds"
	"softkmeans/internal/scale"
	"softkmeans/internal/view"
	"softkmeans/stability"
)

// MostPrototypes is the largest number of prototypes that a page shows. The colors of
// more could not be told apart.
const MostPrototypes = 64

// Options are those of Fit.
type Options struct {
	K       int     // 0: the proposed number
	Slack   float64 // 0: by the noise
	Seed    uint64
	Workers int
	// Lower and Upper bound the prototypes of the minimal volume and the alternating one, in units of X,
	// as those of softkmeans.MinVolumeOptions.
	Lower, Upper []float64

	Step      func(what string)          // called at the start of each step; nil: not
	Iteration func(softkmeans.Iteration) // called after each iteration; nil: not
}

func (o *Options) step(what string) {
	if o.Step != nil {
		o.Step(what)
	}
}

// Fit computes all other fields of the Input from Table, X and Weights, of a table in memory. The
// fits are those of the command fit with the same k, slack and seed; only the order of the
// prototypes of the global and the alternating one is that of the minimal volume.
func (in *Input) Fit(ctx context.Context, o Options) (err error) {
	x := in.X
	in.Seed = o.Seed
	o.step("floors")
	if in.Floors, err = softkmeans.Floors(context.Background(), x,
		&softkmeans.Options{Weights: in.Weights}); err != nil {
		return err
	}
	if in.Proposal, err = choosek.Propose(in.Floors); err != nil {
		return err
	}
	k := o.K
	if k == 0 {
		o.step("the number of prototypes")
		if k, err = in.Choose(ctx, x, &o); err != nil {
			return err
		}
		x = in.X
	}
	if k < 1 || k > MostPrototypes {
		return errors.New(strconv.Itoa(k) +
			" prototypes: a page shows from 1 to " + strconv.Itoa(MostPrototypes))
	}
	if scale.KindOf(in.Scaling) == scale.Counts && o.Slack == 0 {
		o.Slack = kinds.Slack(k, x.Cols)
	}
	if in.Plane, err = view.NewPlane(x, in.Weights); err != nil {
		return err
	}
	in.Moments = view.MomentsOf(x, in.Weights)

	o.step("minimal volume")
	if err := in.fitMinVolume(ctx, k, &o); err != nil {
		return err
	}
	o.step("alternating")
	if err := in.fitAlternating(ctx, k, &o); err != nil {
		return err
	}
	o.step("global")
	global, err := softkmeans.Fit(ctx, x, k, &softkmeans.Options{Weights: in.Weights, Workers: o.Workers})
	if err != nil {
		return err
	}
	in.Global.Model = view.Match(global, in.MinVolume.Model)
	for i, f := range in.fits() {
		o.step("certificate of " + methods[i].String())
		if f.Certificate, err = softkmeans.Certify(context.Background(), x, f.Model.Centers,
			f.Model.Memberships, &softkmeans.Options{Weights: in.Weights}); err != nil {
			return err
		}
		kinds.Label(f.Model, in.Mixtures)
		if in.Table.Class != nil {
			if err := f.Compare(in.Table.Class, f.Model.Labels(nil)); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	in.count()
	return nil
}

func (in *Input) count() {
	m := in.MinVolume.Model
	in.Tally = NewTally(in.K())
	in.Tally.Add(m.Labels(nil), m.Memberships, in.Weights, in.Table.Class)
}

// ErrNoNumber is the error where the data speaks for no number of prototypes.
var ErrNoNumber = errors.New("no number of prototypes is proposed")

// Choose returns the number that rows x speak for or, where they are few, the floors.
func (in *Input) Choose(ctx context.Context, x *softkmeans.Matrix, o *Options) (int, error) {
	c, err := kinds.Choose(ctx, x, in.Sizes, in.Scaling,
		&choosek.Options{Weights: in.Weights, Workers: o.Workers, Seed: o.Seed})
	if err != nil {
		return 0, err
	}
	in.Choice = c
	k, reason := in.Proposal.K, in.Proposal.Reason
	if c != nil {
		k, reason = c.K, c.Reason
	}
	if k == 0 {
		return 0, fmt.Errorf("%w: %s", ErrNoNumber, reason)
	}
	return k, nil
}

// proposed is the number that was chosen or, where k was given, that the floors propose.
func (in *Input) proposed() int {
	if in.Choice != nil {
		return in.Choice.K
	}
	return in.Proposal.K
}

func (in *Input) fitMinVolume(ctx context.Context, k int, o *Options) error {
	var r record
	opts := softkmeans.MinVolumeOptions{Weights: in.Weights, Slack: o.Slack, Seed: o.Seed,
		Lower: o.Lower, Upper: o.Upper, Workers: o.Workers, Progress: r.follow(o)}
	m, err := softkmeans.FitMinVolume(ctx, in.X, k, &opts)
	if err != nil {
		return err
	}
	in.MinVolume.Model, in.MinVolume.Errors, in.Slack = m, r.errors(m), m.Slack
	if err := kinds.Keep(m, in.Scaling, in.X); err != nil {
		return err
	}
	o.step("the least volume")
	in.MinVolume.Compact, err = view.Prove(ctx, in.X, m,
		&softkmeans.Options{Weights: in.Weights, Workers: o.Workers})
	if err != nil {
		return err
	}
	o.step("other answers")
	opts.Progress = nil
	in.Clusters = kinds.Label(m, in.Mixtures)
	return stability.Others(ctx, in.X, m, &opts)
}

func (in *Input) fitAlternating(ctx context.Context, k int, o *Options) error {
	var r record
	opts := softkmeans.MinVolumeOptions{Weights: in.Weights, Seed: o.Seed,
		Lower: o.Lower, Upper: o.Upper, Workers: o.Workers, Progress: r.follow(o)}
	m, err := softkmeans.FitAlternating(ctx, in.X, k, &opts)
	if err != nil {
		return err
	}
	in.Alternating.Errors = r.errors(m)
	if err := kinds.Keep(m, in.Scaling, in.X); err != nil {
		return err
	}
	in.Alternating.Model = view.Match(m, in.MinVolume.Model)
	return nil
}
