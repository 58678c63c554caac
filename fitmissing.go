package softkmeans

// Soft k-means of an incomplete table.

import (
	"context"
)

// FitMissing is ...
func FitMissing(ctx context.Context, x *Matrix, k int, opts *MinVolumeOptions) (*Model, error) {
	o := orZero(opts)
	if err := firstError(checkAlternating(x, k, &o), checkGivenRows(&o), checkCount("Workers", o.Workers), checkSamples(x)); err != nil {
		return nil, err
	}
	if err := checkWeights(o.Weights, x.Rows); err != nil {
		return nil, err
	}
	g, err := findGaps(ctx, x, workerCount(o.Workers))
	if err != nil {
		return nil, err
	}
	if g.total == 0 {
		return FitMinVolume(ctx, x, k, &o)
	}
	full, err := g.complete(ctx, x, k, &Options{Weights: o.Weights, Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	o.Weights = g.weights(o.Weights)
	m, err := FitMinVolume(ctx, full.X, k, &o)
	if m == nil {
		return nil, err
	}
	if m.Status == StatusConverged {
		m.Status = full.Status
	}
	if wrong := m.observe(x, g, &o); wrong != nil {
		return nil, wrong
	}
	return m, err
}

// observe takes a fit of a completed table to the entries that were there.
func (m *Model) observe(x *Matrix, g *gaps, o *MinVolumeOptions) error {
	m.Missing = g.total
	if err := m.predictGaps(m.Memberships, x, g); err != nil {
		return err
	}
	s, err := newSamples(context.Background(), g.mixtures(x, m.Memberships, m.Centers), o.Weights, o.Workers, o.Sum == SumToOne)
	if err != nil {
		return err
	}
	objective, err := objectiveOf(s, m.Centers, m.Memberships, m.Sum)
	if err != nil {
		return err
	}
	m.Objective = s.unscaleSquare(objective)
	return nil
}
