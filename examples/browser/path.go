package main

// The slack slider. Prototypes are fitted for a series of penalties λ and interpolated
// in between, so that moving the slider needs no fit. A fit starts from the centers of the one
// before, so that prototype i of one corresponds to i of the next.

import (
	"cmp"
	"context"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/view"
)

// slackPath is prototypes as a function of the slack; at 0 it is the global simplex.
type slackPath struct {
	k      int
	points []pathPoint     // in order of λ
	found  [pathSteps]bool // the steps of the series whose points are found
	end    int             // the first step beyond the slider
	done   bool

	start *softkmeans.Matrix // the global simplex aligned with first
	first *softkmeans.Matrix // the centers of the first point
}

func newSlackPath(k int) *slackPath { return &slackPath{k: k, end: pathSteps} }

type pathPoint struct {
	lambda, objective float64
	centers           *softkmeans.Matrix
}

// pathSteps is the number of penalties, four to a factor of ten. With the first the simplex hardly contracts.
const pathSteps = 25

func (d *data) lambda(step, k int) float64 {
	return d.floors[0] / float64(k) * math.Pow(10, float64(step-16)/4)
}

// base is the unit of the slack: the floor or, if that is nearly 0, what FitMinVolume takes instead.
func (d *data) base(k int) float64 {
	floor, total := d.floor(k), d.floors[0]
	if d.trivial(k) {
		return 0.1 * total
	}
	return max(floor, 1e-6*total)
}

// trivial reports whether k prototypes mix any table of this size exactly.
func (d *data) trivial(k int) bool { return k > min(d.Rows-1, len(d.Names)) }

func (d *data) floor(k int) float64 {
	if k > len(d.floors) {
		return 0
	}
	return d.floors[k-1]
}

// slackOf is how far an objective is above the floor, in units of base.
func (d *data) slackOf(objective float64, k int) float64 {
	base := d.base(k)
	if !(base > 0) || !view.Finite(objective) {
		return 0
	}
	return max(objective/base-d.floor(k)/base, 0)
}

// mostSlack is the largest slack that FitMinVolume uses: half of what can be explained.
func (d *data) mostSlack(k int) float64 {
	base := d.base(k)
	if !(base > 0) {
		return maxSlack
	}
	return min((d.floors[0]-d.floor(k))/2/base, maxSlack)
}

// extend computes the missing points, every fourth first, up to the first beyond the slider. If ctx is
// cancelled, the points found so far remain.
func (p *slackPath) extend(ctx context.Context, d *data, progress func(found int, it softkmeans.Iteration)) error {
	// The largest λ must be finite, too.
	if !(d.floors[0] > 0) || !view.Finite(d.lambda(pathSteps, 1)) || p.k < 2 {
		p.done = true
	}
	had := 0
	for _, found := range p.found {
		if found {
			had++
		}
	}
	for _, stride := range []int{4, 1} {
		for step := 0; step < p.end && !p.done; step += stride {
			if p.found[step] {
				continue
			}
			lambda := d.lambda(step, p.k)
			m, err := softkmeans.FitMinVolume(ctx, d.x, p.k, &softkmeans.MinVolumeOptions{
				Weights:     d.Weights,
				NonNegative: d.above,
				Lambda:      lambda,
				Centers:     p.before(lambda),
				Init:        softkmeans.InitKMeans, // of the first; labels are not looked at
				Restarts:    1,
				Progress:    func(it softkmeans.Iteration) { progress(had, it) },
			})
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return err
			}
			p.found[step] = true
			had++
			p.add(m.Lambda, m.Objective, m.Centers)
			if d.slackOf(m.Objective, p.k) > d.mostSlack(p.k) {
				p.end = step + 1
			}
		}
	}
	p.done = true
	return nil
}

// before returns the centers of the last point of a smaller λ; nil: there is none.
func (p *slackPath) before(lambda float64) (centers *softkmeans.Matrix) {
	for _, at := range p.points {
		if at.lambda < lambda {
			centers = at.centers
		}
	}
	return centers
}

// add inserts a point, or replaces the one of the same λ.
func (p *slackPath) add(lambda, objective float64, centers *softkmeans.Matrix) {
	if !(lambda > 0) {
		return
	}
	i, found := slices.BinarySearchFunc(p.points, lambda, func(at pathPoint, lambda float64) int {
		return cmp.Compare(at.lambda, lambda)
	})
	if !found {
		p.points = slices.Insert(p.points, i, pathPoint{})
	}
	p.points[i] = pathPoint{lambda, objective, centers}
}

// at returns the centers for a slack, interpolated between the global simplex and the points. Beyond the last
// point they are the centers of the last. It returns nil if there are no points.
func (p *slackPath) at(d *data, slack float64) (*softkmeans.Matrix, error) {
	if len(p.points) == 0 {
		return nil, nil
	}
	from, err := p.global(d)
	if err != nil {
		return nil, err
	}
	slack = min(slack, d.mostSlack(p.k))
	var low float64
	for _, to := range p.points {
		high := d.slackOf(to.objective, p.k)
		if high <= low {
			continue // a local minimum whose error is no larger in spite of a larger λ
		}
		if slack <= high {
			return p.between(d, from, to.centers, (slack-low)/(high-low), slack, high-low)
		}
		low, from = high, to.centers
	}
	return from, nil
}

// global returns the global simplex at the start of the path, which must have points.
func (p *slackPath) global(d *data) (*softkmeans.Matrix, error) {
	if first := p.points[0].centers; p.first != first {
		start, err := d.globalSimplex(first)
		if err != nil {
			return nil, err
		}
		p.start, p.first = start, first
	}
	return p.start, nil
}

// between returns centers from a to b, whose slacks differ by rise. Those at the fraction t would have the
// given slack if the error rose linearly. As it is convex, it is measured there, and a parabola has the answer.
func (p *slackPath) between(d *data, a, b *softkmeans.Matrix, t, slack, rise float64) (*softkmeans.Matrix, error) {
	m, err := d.mixed(mean(a, b, t))
	if err != nil {
		return nil, err
	}
	r, err := d.judge(m, options{})
	if err != nil {
		return nil, err
	}
	bend := (slack - d.slackOf(r.certificate.Objective, p.k)) / (t * (1 - t))
	if !(bend > 0) || !view.Finite(bend) {
		return m.Centers, nil
	}
	slope := rise - bend
	return mean(a, b, 2*rise*t/(slope+math.Sqrt(slope*slope+4*bend*rise*t))), nil
}

// mean returns (1−t)·a + t·b.
func mean(a, b *softkmeans.Matrix, t float64) *softkmeans.Matrix {
	m := softkmeans.NewMatrix(a.Rows, a.Cols, nil)
	for i, v := range a.Data {
		m.Data[i] = (1-t)*v + t*b.Data[i]
	}
	return m
}

// mixed returns a model of the rows as mixtures of the centers.
func (d *data) mixed(centers *softkmeans.Matrix) (m *softkmeans.Model, err error) {
	m = &softkmeans.Model{Centers: centers}
	m.Memberships, err = m.Predict(nil, d.x)
	return m, err
}

// globalSimplex returns the corners of the global simplex that is turned towards the centers.
func (d *data) globalSimplex(centers *softkmeans.Matrix) (*softkmeans.Matrix, error) {
	m, err := view.GlobalSimplex(context.Background(), d.x, d.Weights, d.plane.Mean, centers)
	if err != nil {
		return nil, err
	}
	return m.Centers, nil
}
