package main

// The slack slider. Prototypes are fitted for some slacks and interpolated in between, so that moving the slider
// needs no fit. A fit starts from the centers of the nearest one, so that prototype i of one corresponds to i of
// the next.

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
	points []pathPoint // in order of their slacks
	next   int         // the next of pathSteps to be fitted

	start *softkmeans.Matrix // the global simplex aligned with first
	first *softkmeans.Matrix // the centers of the first point
}

type pathPoint struct {
	slack   float64
	centers *softkmeans.Matrix
}

// pathSteps are the places of the slider, in percent, that are fitted: from the middle to the end, then to the start.
var pathSteps = [...]int{50, 60, 70, 80, 90, 100, 40, 30, 20, 10, 5, 2}

const pathDown = 6 // the first of pathSteps that has less slack than the one before

// base is the unit of the slack: the floor or, if that is nearly 0, what FitMinVolume takes instead.
func (d *data) base(k int) float64 {
	floor, total := d.floor(k), d.floors[0]
	if k > min(d.Rows-1, len(d.Names)) { // as many mix any table of this size exactly
		return 0.1 * total
	}
	return max(floor, 1e-6*total)
}

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

// extend computes the missing points of the path, for previews. It ends in either direction where a fit does not
// get to its slack. If ctx is cancelled, the points found so far remain.
func (s *session) extend(ctx context.Context, progress func(found int, it softkmeans.Iteration)) error {
	p := s.path
	if s.data == nil || s.data.given != nil || p == nil {
		return nil
	}
	d := s.data.draw
	if p.k < 2 || !(d.floors[0] > 0) {
		p.next = len(pathSteps)
	}
	for p.next < len(pathSteps) {
		at := float64(pathSteps[p.next]) / 100
		slack := at * at * maxSlack // as on the slider
		m, err := softkmeans.FitMinVolume(ctx, d.x, p.k, &softkmeans.MinVolumeOptions{
			Weights: d.Weights, NonNegative: d.above, Slack: slack, Centers: p.near(slack),
			Progress: func(it softkmeans.Iteration) { progress(p.next, it) },
		})
		if err != nil {
			return err
		}
		p.next++
		got := d.slackOf(m.Objective, p.k)
		p.add(got, m.Centers)
		switch {
		case got < .9*slack:
			p.next = max(p.next, pathDown)
		case got > 1.1*slack && p.next > pathDown:
			p.next = len(pathSteps)
		}
	}
	return nil
}

// near returns the centers of the point nearest to a slack; nil: there is none.
func (p *slackPath) near(slack float64) *softkmeans.Matrix {
	if len(p.points) == 0 {
		return nil
	}
	far := func(at pathPoint) float64 { return math.Abs(at.slack - slack) }
	return slices.MinFunc(p.points, func(a, b pathPoint) int { return cmp.Compare(far(a), far(b)) }).centers
}

// add inserts a point, or replaces the one of the same slack. One at 0 is the global simplex.
func (p *slackPath) add(slack float64, centers *softkmeans.Matrix) {
	if !(slack > 0) {
		return
	}
	i, there := slices.BinarySearchFunc(p.points, slack, func(at pathPoint, slack float64) int {
		return cmp.Compare(at.slack, slack)
	})
	if !there {
		p.points = slices.Insert(p.points, i, pathPoint{})
	}
	p.points[i] = pathPoint{slack, centers}
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
	low := 0.0
	for _, to := range p.points {
		if slack <= to.slack {
			return p.between(d, from, to.centers, (slack-low)/(to.slack-low), slack, to.slack-low)
		}
		low, from = to.slack, to.centers
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
	r, err := d.mixed(mean(a, b, t), options{})
	if err != nil {
		return nil, err
	}
	bend := (slack - d.slackOf(r.certificate.Objective, p.k)) / (t * (1 - t))
	if !(bend > 0) || !view.Finite(bend) {
		return r.model.Centers, nil
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

// mixed returns the rows as mixtures of the centers.
func (d *data) mixed(centers *softkmeans.Matrix, o options) (_ *result, err error) {
	m := &softkmeans.Model{Centers: centers}
	if m.Memberships, err = m.Predict(nil, d.x); err != nil {
		return nil, err
	}
	return d.judge(m, o)
}

// globalSimplex returns the corners of the global simplex that is turned towards the centers.
func (d *data) globalSimplex(centers *softkmeans.Matrix) (*softkmeans.Matrix, error) {
	m, err := view.GlobalSimplex(context.Background(), d.x, d.Weights, d.plane.Mean, centers)
	if err != nil {
		return nil, err
	}
	return m.Centers, nil
}
