package main

// The slack slider: prototypes for a series of penalties λ, and between two of
// them by interpolation, so that moving the slider costs no fit. All fits of the
// series start from the same centers, so prototype i stays the same one.

import (
	"context"
	"math"
	"sort"

	"softkmeans"
)

// slackPath is prototypes by slack: a slack of 0 is the global simplex.
type slackPath struct {
	k      int
	points []pathPoint // by λ
	next   int         // of the λ of the series, which to find next
	done   bool        // all that are within the slider's reach are found
}

type pathPoint struct {
	lambda, objective float64
	centers           *softkmeans.Matrix
}

// pathSteps penalties are tried, four to a factor of ten, from where the
// simplex hardly contracts.
const pathSteps = 25

func (d *data) lambda(step, k int) float64 {
	return d.floors[0] / float64(k) * math.Pow(10, float64(step-16)/4)
}

// base is what slack is relative to: the floor or, where that is as good as 0,
// what FitMinVolume takes in its place.
func (d *data) base(k int) float64 {
	floor, total := d.floor(k), d.floors[0]
	if k > min(d.Rows-1, len(d.Names)) {
		return 0.1 * total
	}
	return max(floor, 1e-6*total)
}

// floor is the least squared error of k prototypes.
func (d *data) floor(k int) float64 {
	if k > len(d.floors) {
		return 0
	}
	return d.floors[k-1]
}

// slackOf is how far above the floor an objective is, in shares of it.
func (d *data) slackOf(objective float64, k int) float64 {
	base := d.base(k)
	if !(base > 0) || !finite(objective) {
		return 0
	}
	return max(objective/base-1, 0)
}

// extend finds the points that are still missing, until they are beyond the
// slider's end. If ctx ends, what has been found stays.
func (p *slackPath) extend(ctx context.Context, d *data, progress func(step int, it softkmeans.Iteration)) error {
	if p.done {
		return nil
	}
	// The largest λ must be a number, too.
	if !(d.floors[0] > 0) || !finite(d.lambda(pathSteps, 1)) || p.k < 2 {
		p.done = true
		return nil
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	var lambdas []float64
	for step := p.next; step < pathSteps; step++ {
		lambdas = append(lambdas, d.lambda(step, p.k))
	}
	var last float64 // the fit before this iteration
	step := p.next - 1
	points, err := softkmeans.MinVolumePath(inner, d.x, p.k, lambdas, &softkmeans.MinVolumeOptions{
		Progress: func(it softkmeans.Iteration) {
			if it.Iteration == 0 { // the next λ begins
				if step >= p.next && d.slackOf(last, p.k) > maxSlack {
					stop()
				}
				step++
			}
			last = it.Fit
			progress(min(step, pathSteps-1), it)
		},
	})
	p.next += len(points)
	for _, at := range points {
		p.add(at.Lambda, at.Objective, at.Centers)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && inner.Err() == nil {
		return err
	}
	p.done = true
	return nil
}

// add puts in a point, or replaces the one of the same λ.
func (p *slackPath) add(lambda, objective float64, centers *softkmeans.Matrix) {
	if !(lambda > 0) {
		return
	}
	i := sort.Search(len(p.points), func(i int) bool { return p.points[i].lambda >= lambda })
	at := pathPoint{lambda, objective, centers}
	if i < len(p.points) && p.points[i].lambda == lambda {
		p.points[i] = at
		return
	}
	p.points = append(p.points, pathPoint{})
	copy(p.points[i+1:], p.points[i:])
	p.points[i] = at
}

// at are the centers for a slack: between two points on a straight line, below
// the first one on that to the global simplex. nil: there is none yet.
func (p *slackPath) at(d *data, slack float64) (*softkmeans.Matrix, error) {
	var low float64
	var from *softkmeans.Matrix
	for _, to := range p.points {
		high := d.slackOf(to.objective, p.k)
		if high <= low && from != nil {
			continue // a local minimum that is no worse for more penalty
		}
		if slack <= high {
			if from == nil {
				var err error
				if from, err = alignedSimplex(d, p.k, to.centers); err != nil {
					return nil, err
				}
			}
			share := 1.0
			if high > low {
				share = (slack - low) / (high - low)
			}
			return between(from, to.centers, share), nil
		}
		low, from = high, to.centers
	}
	if !p.done { // the point that is asked for may be still to come
		return nil, nil
	}
	return from, nil
}

func between(a, b *softkmeans.Matrix, share float64) *softkmeans.Matrix {
	m := softkmeans.NewMatrix(a.Rows, a.Cols, nil)
	for i := range m.Rows {
		for j := range m.Cols {
			m.Set(i, j, (1-share)*a.At(i, j)+share*b.At(i, j))
		}
	}
	return m
}

// alignedSimplex is the tight global simplex, turned so that each of its vertices
// lies in the direction of the center of the same number. Every orientation is
// a global minimum; this one shows where the centers come from.
func alignedSimplex(d *data, k int, centers *softkmeans.Matrix) (*softkmeans.Matrix, error) {
	m, err := softkmeans.Fit(context.Background(), d.x, k, &softkmeans.Options{Enclosure: softkmeans.EnclosureTight, Orientation: d.orientation(k, centers)})
	if err != nil {
		return nil, err
	}
	return m.Centers, nil
}

// orientation solves the orthogonal Procrustes problem: Fit's ball simplex is
// mean + c·B·U with B = RegularSimplex(k), so Q, in B·Q·U, is to take B to T, the
// centers' coordinates along U. That Q is the orthogonal factor of BᵀT. nil:
// none is better than another.
func (d *data) orientation(k int, centers *softkmeans.Matrix) *softkmeans.Matrix {
	if k < 2 {
		return nil
	}
	m, err := softkmeans.Fit(context.Background(), d.x, k, nil)
	if err != nil {
		return nil
	}
	b := softkmeans.RegularSimplex(k)
	axes := product(b, centred(m.Centers, d.plane.mean)) // c·U, (k−1)×d
	target := product(b, centred(centers, d.plane.mean)) // BᵀT·U
	mixed := softkmeans.NewMatrix(k-1, k-1, nil)         // c·BᵀT
	for i := range mixed.Rows {
		for j := range mixed.Cols {
			var sum float64
			for c, v := range target.Row(i) {
				sum += v * axes.At(j, c)
			}
			mixed.Set(i, j, sum)
		}
	}
	u, s, v, err := softkmeans.SVD(mixed)
	if err != nil || len(s) < k-1 || u.Cols < k-1 || !(s[k-2] > 1e-12*s[0]) {
		return nil
	}
	q := softkmeans.NewMatrix(k-1, k-1, nil)
	for i := range q.Rows {
		for j := range q.Cols {
			var sum float64
			for c := range k - 1 {
				sum += u.At(i, c) * v.At(j, c)
			}
			q.Set(i, j, sum)
		}
	}
	return q
}

func centred(m *softkmeans.Matrix, mean []float64) *softkmeans.Matrix {
	m = m.Clone()
	for i := range m.Rows {
		row := m.Row(i)
		for j := range row {
			row[j] -= mean[j]
		}
	}
	return m
}

// product is aᵀb.
func product(a, b *softkmeans.Matrix) *softkmeans.Matrix {
	m := softkmeans.NewMatrix(a.Cols, b.Cols, nil)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			row := m.Row(j)
			for c, w := range b.Row(i) {
				row[c] += v * w
			}
		}
	}
	return m
}
