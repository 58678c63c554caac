package view

// The certificate in sentences.

import (
	"context"
	"math"
	"strings"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/proof"
	"softkmeans/unmix"
)

// CertifiedTol is the tolerance of Certificate.Optimal for a result that is called optimal: it is proved to
// be this close to the minimum, as a share of the total variance. It is Optimal's own default.
const CertifiedTol = 1e-9

// exactShare is the share of the total variance below which FitMinVolume takes a floor for 0.
const exactShare = 1e-6

// Fit is a certificate and what else a verdict depends on.
type Fit struct {
	Certificate softkmeans.Certificate
	Method      Method
	K           int
	NoSlack     bool // of MinVolume: the certificate is that of the global simplex
	Trivial     bool // K prototypes mix any table of this size exactly
	Partial     bool // the fit was stopped early
	Compact
	Sum  softkmeans.Sum
	Rule Rule // of MinVolume: where λ comes from
}

// Rule is what sets λ.
type Rule int

const (
	RuleSlack  Rule = iota
	RuleNoise       // the noise of the data, in Unmix
	RuleLambda      // it is given
)

// SumOf is what shares of a scene add up to where floor and total are concerned. With rows
// of length 1 the shade is free, as where sums are at most one.
func SumOf(m *unmix.Result) softkmeans.Sum {
	if m.Scaling == unmix.ScaleUnit {
		return softkmeans.SumAtMostOne
	}
	return m.Sum
}

// SlackPart says which part of the total variance takes the floor's place in
// FitMinVolume's slack where the floor is too small; "" where it is not.
func (f *Fit) SlackPart() string {
	switch {
	case f.Trivial:
		return "a tenth"
	case f.Certificate.Floor <= exactShare*f.Certificate.Total:
		return "a millionth"
	}
	return ""
}

// Verdict returns a headline and what it means.
func (f *Fit) Verdict() (head, meaning string) {
	c, k := f.Certificate, f.K
	optimal := c.Optimal(CertifiedTol)
	switch {
	case optimal:
		head = "Proved optimal"
		meaning = "No choice of " + Prototypes(k) + " and memberships has a squared error that is smaller " +
			"by more than " + AtMost(c.Excess()) + relative(c) + "." + chance(c) + repaired(c, k)
		if (f.Method == Global || f.NoSlack) && k > 1 && c.Total > 0 { // there is a simplex
			meaning += " Every simplex in the best subspace that encloses the data reaches this minimum. " +
				"Its corners lie outside of the data or at its edge, " +
				"so memberships are vague. The minimal volume moves the corners towards the data." +
				Same(f.Unique)
		}
	case c.Floor-c.FloorError > 1e-12*c.Total && HasTotal(c):
		head = more(c.ExcessFloors()) + " above the floor"
		if c.Floor <= exactShare*c.Total {
			head = more(c.Objective/c.Total) + " left over"
		} else if c.ExcessFloors() >= 10 {
			head = Number(math.Round(1+c.ExcessFloors())) + " times the floor"
		}
		meaning = "The least that any " + Prototypes(k) + " can leave over is proved to be " +
			Number(c.Floor) + but(c) + "; these leave over " + Number(c.Objective) +
			"." + chance(c) + repaired(c, k)
		if part := f.SlackPart(); part != "" && f.Method == MinVolume && f.Rule == RuleSlack && !f.Partial {
			meaning += " With so small a floor the slack is a share of " + part + " of the total variance."
		}
	case HasTotal(c):
		head = more(c.Objective/c.Total) + " left over"
		meaning = "This table could be mixed from " + Prototypes(k) + " exactly" + but(c) +
			"; these leave over that share of the total variance." + chance(c) + repaired(c, k)
		if f.Method == MinVolume && f.Rule == RuleSlack {
			meaning += " With a floor of 0 the slack is a share of " + f.SlackPart() + " of that variance."
		}
	case Finite(c.Gap):
		head = Percent(c.Gap) + " of the variance above the floor"
		meaning = "Squared errors times these weights are out of range, and so are the error and the " +
			"floor. The gap is not."
	default:
		head = "No variance to explain"
		meaning = "All rows are equal."
	}
	if optimal && f.Method == MinVolume && !f.NoSlack && k > 1 && !f.Partial {
		meaning += Volume(f.VolumeRatio) + Same(f.Unique)
	}
	if !optimal && !f.Partial {
		switch f.Method {
		case MinVolume:
			meaning += " " + f.Rule.allows() + " this for compact prototypes." + Volume(f.VolumeRatio) +
				Same(f.Unique)
		case Alternating:
			meaning += " The iteration may have ended in a local minimum, at another stationary point, or " +
				"before it converged."
		default:
			meaning += " Better prototypes may exist, by up to " +
				AtMost(c.ExcessShare()) + " of the total variance."
		}
	}
	if f.Sum == softkmeans.SumAtMostOne { // nothing is centred
		meaning = strings.NewReplacer("total variance", "sum of squares", "of that variance",
			"of that sum").Replace(meaning)
	}
	return strings.ToUpper(head[:1]) + head[1:], meaning
}

// allows is who allows an error above the floor, and the verb.
func (r Rule) allows() string {
	switch r {
	case RuleNoise:
		return "The noise of the data sets the weight of the volume, which allows"
	case RuleLambda:
		return "The given weight of the volume allows"
	}
	return "The slack allows"
}

// relative gives the excess as a share of the total and as a multiple of the floor.
func relative(c softkmeans.Certificate) string {
	switch {
	case c.Excess() == 0 || !HasTotal(c):
		return ""
	case !Finite(c.ExcessFloors()):
		return ", which is " + AtMost(c.ExcessShare()) +
			" of the total variance; the floor is 0 to rounding, so that nothing can be said relative to it"
	case c.ExcessFloors() > 1:
		return ", which is " + AtMost(c.ExcessShare()) + " of the total variance, but " +
			AtMost(c.ExcessFloors()) + " times the proved floor"
	}
	return ", which is " + AtMost(c.ExcessShare()) + " of the total variance and " +
		AtMost(c.ExcessFloors()) + " times the floor"
}

// but names the rounding of the floor, where its digits are shown to be wrong by it.
func but(c softkmeans.Certificate) string {
	if c.FloorError <= 1e-8*c.Floor {
		return ""
	}
	return " (but for rounding of " + AtMost(c.FloorError) + ")"
}

// chance says on what the floor of SolverKrylov rests.
func chance(c softkmeans.Certificate) string {
	if c.Solver != softkmeans.SolverKrylov {
		return ""
	}
	return " The floor is proved by random vectors, but for a chance of 2e-10."
}

// repaired names what was changed to put memberships on the simplex, beyond rounding.
func repaired(c softkmeans.Certificate, k int) string {
	if c.Repair <= float64(k+4)*0x1p-52 {
		return ""
	}
	return " This is for memberships whose negative entries count as 0, and whose rows are divided by " +
		"their sums; the largest change is " + Small(c.Repair) + "."
}

// Compact is what is proved of how compact prototypes are.
type Compact struct {
	VolumeRatio float64        // proof.VolumeRatio; 0: not known, or not asked for
	LossGap     float64        // proof.LossGap; 0: not asked for
	Unique      *proof.Verdict // on the same mixtures; nil: not known, or not asked for
}

// Prove returns what is proved of a model of minimal volume that was fitted to x with the option Weights.
func Prove(ctx context.Context, x softkmeans.Samples, m *softkmeans.Model,
	o *softkmeans.Options) (c Compact, err error) {
	if c.LossGap, err = proof.LossGap(ctx, x, m, o); err == nil {
		c.VolumeRatio, err = proof.VolumeRatio(ctx, x, m, o)
	}
	if err == nil {
		c.Unique, err = Unique(ctx, m, o.Weights)
	}
	return c, err
}

// Volume compares the volume that prototypes span with the least possible, in a sentence with
// a space before it; "" where that is not known. ratio is proof.VolumeRatio.
func Volume(ratio float64) string {
	switch {
	case ratio == 0:
		return ""
	case ratio <= 1+1e-6:
		return " Proved: no prototypes with this error or less span a volume smaller by more than 1e-6."
	case !Finite(ratio):
		return " How small a volume prototypes with this error can span is not known."
	}
	return " Proved: prototypes with this error or less span at least 1/" + AtMost(ratio) + " of this volume."
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

// Same says of prototypes that give the same mixtures how compact they can be, in a sentence with a space
// before it; "" where that is not known.
func Same(v *proof.Verdict) string {
	switch {
	case v == nil || !Finite(v.Factor):
		return ""
	case v.Smallest() && v.Only():
		return " Proved: no prototypes with the same mixtures span a volume smaller by more than 1e-6; equally " +
			"small ones lie within 0.01."
	case v.Smallest():
		return " Proved: no prototypes with the same mixtures span a volume smaller by more than 1e-6."
	}
	return " Proved: prototypes with the same mixtures span at least 1/" + AtMost(v.Factor) + " of this volume."
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
	if gap := LossGap(c); gap != "" {
		how += "; proved: " + gap
	}
	return how
}

// LossGap says how far error plus penalty may be above the least; "" where that is not known.
func LossGap(c Compact) string {
	if !(c.LossGap > 0) || !Finite(c.LossGap) {
		return ""
	}
	return "error plus penalty is at most " + AtMost(100*c.LossGap) +
		"\u00a0% of the total variance above the least"
}
