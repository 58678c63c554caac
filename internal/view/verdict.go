package view

// Sentences about the proofs for prototypes, other than the floor of their squared error.

import (
	"context"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/proof"
)

// CertifiedTol is the tolerance of Certificate.Optimal for a result that is called optimal: it is proved to
// be this close to the minimum, as a share of the total variance. It is Optimal's own default.
const CertifiedTol = 1e-9

// exactShare is the share of the total variance below which FitMinVolume takes a floor for 0.
const exactShare = 1e-6

// SlackPart says which part of the total variance takes the floor's place in FitMinVolume's slack if the floor
// is too small; "" if it is not. trivial says that as many prototypes mix any table of this size exactly.
func SlackPart(c softkmeans.Certificate, trivial bool) string {
	switch {
	case trivial:
		return "a tenth"
	case c.Floor <= exactShare*c.Total:
		return "a millionth"
	}
	return ""
}

// Compact is what is proved of how compact prototypes are.
type Compact struct {
	VolumeRatio float64        // proof.VolumeRatio; 0: not known, or not asked for
	LossGap     float64        // proof.LossGap; 0: not asked for
	Unique      *proof.Verdict // on the same mixtures; nil: not known, or not asked for
}

// Prove returns what is proved of a model of minimal volume that was fitted to x with the option Weights.
// found is the certificate of its pair as it is shown, whose centers may have moved since the fit.
func Prove(ctx context.Context, x softkmeans.Samples, m *softkmeans.Model, found softkmeans.Certificate,
	o *softkmeans.Options) (c Compact, err error) {
	shown := *m
	shown.Certificate = found
	if c.LossGap, err = proof.LossGap(ctx, x, &shown, o); err == nil {
		c.VolumeRatio, err = proof.VolumeRatio(ctx, x, &shown, o)
	}
	if err == nil {
		c.Unique, err = Unique(ctx, m, o.Weights)
	}
	return c, err
}

// mostUnique is the most prototypes for which Unique is worth its time: six take up to seconds.
const mostUnique = 5

// flat is the share of their longest direction below which the differences of prototypes span no volume.
const flat = 1e-9

// Unique returns the verdict of proof.Unique on a model that was fitted with weights; nil where shares do not
// add up to 1, where the prototypes span no volume, or where there are too many.
func Unique(ctx context.Context, m *softkmeans.Model, weights []float64) (*proof.Verdict, error) {
	if k := m.Centers.Rows; m.Sum != softkmeans.SumToOne || k < 2 || k > mostUnique {
		return nil, nil
	}
	apart := la.Centred(m.Centers, m.Centers.Row(0))
	_, sizes, _, err := softkmeans.SVD(apart)
	if p := apart.Rows - 1; err != nil || len(sizes) < p || !(sizes[p-1] > flat*sizes[0]) {
		return nil, err
	}
	g := m.Memberships
	if weights != nil { // other rows are not in the fit
		rows, err := draws.Rows(weights, g.Rows)
		if err != nil {
			return nil, err
		}
		g = draws.Chosen(g, rows)
	}
	v, err := proof.Unique(ctx, g)
	return &v, err
}

// How says how a model was computed, and what is proved of its loss.
func How(m *softkmeans.Model, c Compact) string {
	if m.Trace == nil {
		return "in closed form"
	}
	how := Count(m.Iterations, "iteration") + ", " + m.Status.String()
	if m.Lambda > 0 {
		how += ", λ\u00a0=\u00a0" + Small(m.Lambda)
	}
	if v := c.LossGap; v > 0 && Finite(v) {
		how += "; proved: error plus penalty is at most " + AtMost(100*v) +
			"\u00a0% of the total variance above its minimum"
	}
	return how
}
