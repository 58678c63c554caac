// Package enclosure places the centers of a global solution in other ways. [Smallest] finds a small simplex
// around the mixtures. [Cone] solves for memberships that add up to at most 1.
package enclosure

import (
	"context"
	"slices"

	"softkmeans"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
	"softkmeans/internal/triangle"
)

const (
	flat      = 0x1p-46 // directions along which memberships extend no farther are rounding
	mostShare = 0x1p-80 // the fraction of the squares by which mixtures may miss the points
)

// Smallest returns a model with the mixtures of m whose centers (k×d) span a small simplex around them. Pass
// a model of [softkmeans.Fit] or [Cone] with its memberships (n×k). m is unchanged. The squared error is m's
// to rounding, unless weights differ by 2^200 or the mean is 1e15 times the spread.
//
// For k up to 3 no smaller simplex contains the mixtures. For larger k the simplex is the smallest result of
// several descents; proof.VolumeRatio bounds how much smaller another may be. If the mixtures span q < k−1
// dimensions, the simplex has q+1 vertices, and the other centers repeat them. Rows of weight 0 count, too,
// since m stores no weights.
//
// # Details
//
// Certificate repeats m's numbers. Its Solver is SolverAuto, which proves nothing: pass the result to
// [softkmeans.Certify]. Labels are the largest memberships.
//
// Cost: max(1, 32·(6/k)⁴) descents of some ten passes of O(nk²) each, and up to 2^30 multiplications for
// linear programs. Beyond k = 64, or if rounding stops the descents, the result is the simplex of m, shrunk
// until each facet touches a row.
//
// If m contains no centers, or no memberships of n×k, the error is [softkmeans.ErrShape]. Other errors are
// [softkmeans.ErrNonFinite], [softkmeans.ErrRange] and ctx's, wrapped.
func Smallest(ctx context.Context, m *softkmeans.Model) (*softkmeans.Model, error) {
	if err := check(m); err != nil {
		return nil, err
	}
	p, err := pointsOf(m)
	if err != nil {
		return nil, err
	}
	corners := p.enclosed(ctx)
	if err := fault.Stopped(ctx); err != nil {
		return nil, err
	}
	var shares *softkmeans.Matrix
	if corners != nil {
		if shares, err = softkmeans.SimplexLeastSquares(nil, p.at, corners, nil); err != nil {
			return nil, err
		}
	}
	out := &softkmeans.Model{Certificate: m.Certificate, Sum: m.Sum, Status: m.Status, Iterations: m.Iterations}
	out.Solver = softkmeans.SolverAuto
	if corners == nil || p.missed(shares, corners) {
		out.Centers, out.Memberships = shrunk(m.Centers, p.shares)
	} else {
		k := m.Centers.Rows
		out.Centers, out.Memberships = repeated(p.centers(m.Centers, corners), shares, k)
	}
	for i, sum := range p.sums {
		la.Scale(sum, out.Memberships.Row(i))
	}
	return out, nil
}

// check returns an error unless m has centers, with memberships for them.
func check(m *softkmeans.Model) error {
	if m == nil || m.Centers == nil || m.Memberships == nil {
		return fault.New(softkmeans.ErrShape, "the model has no centers, or no memberships")
	}
	if err := m.Check(); err != nil {
		return err
	}
	if f, g := m.Centers, m.Memberships; f.Rows == 0 || g.Rows == 0 {
		return fault.New(softkmeans.ErrShape, "the model has ", f.Rows, " centers, and memberships of ", g.Rows,
			" rows")
	}
	return nil
}

// points are the rows of a model as shares: memberships divided by their sum.
type points struct {
	shares *softkmeans.Matrix // n×k
	sums   []float64          // of the memberships
	mean   []float64          // k: the mean of the shares
	// at contains the coordinates of the shares on their principal axes, n×q. The largest on each axis is 1.
	at   *softkmeans.Matrix
	axes *softkmeans.Matrix // q×k: the shares are mean + at·axes
}

// pointsOf returns the points of a model. Rows without memberships are at the mean.
func pointsOf(m *softkmeans.Model) (*points, error) {
	g := m.Memberships.Clone()
	p := &points{shares: g, mean: make([]float64, g.Cols), sums: slices.Repeat([]float64{1}, g.Rows)}
	count := 0.0
	for i := range g.Rows {
		if m.Sum == softkmeans.SumAtMostOne {
			p.sums[i] = la.Sum(g.Row(i))
		}
		if p.sums[i] < leastSquare { // its inverse may be infinite
			p.sums[i] = 0
		}
		if p.sums[i] > 0 {
			la.Scale(1/p.sums[i], g.Row(i))
			la.Axpy(p.mean, 1, g.Row(i))
			count++
		}
	}
	la.Scale(1/max(count, 1), p.mean)
	for i := range g.Rows {
		if p.sums[i] == 0 {
			copy(g.Row(i), p.mean)
		}
	}
	u, s, v, err := softkmeans.SVD(la.Centred(g, p.mean))
	if err != nil {
		return nil, err
	}
	p.setAxes(u, s, v)
	return p, nil
}

// setAxes sets at and axes from the SVD of the shares about their mean.
func (p *points) setAxes(u *softkmeans.Matrix, s []float64, v *softkmeans.Matrix) {
	reach := make([]float64, len(s)) // how far the rows of u reach
	axes, across := la.Transpose(v), la.Transpose(u)
	for l := range reach {
		reach[l] = la.Largest(across.Row(l))
	}
	q := 0
	for q < min(len(s), v.Rows-1) && s[q]*reach[q] > flat {
		q++
	}
	for l := range q {
		la.Scale(1/reach[l], across.Row(l))
		la.Scale(s[l]*reach[l], axes.Row(l))
	}
	p.at, p.axes = la.Transpose(la.FirstRows(across, q)), la.FirstRows(axes, q)
}

// enclosed returns the corners of a small simplex around the points, (q+1)×q; nil if there is none. If ctx
// has ended, the corners mean nothing.
func (p *points) enclosed(ctx context.Context) *softkmeans.Matrix {
	switch q := p.at.Cols; {
	case q == 0:
		return softkmeans.NewMatrix(1, 0, nil)
	case q == 1:
		return softkmeans.NewMatrix(2, 1, []float64{slices.Min(p.at.Data), slices.Max(p.at.Data)})
	case q == 2:
		corners, area := triangle.Smallest(ctx, p.at)
		if !(area > 0) {
			return nil
		}
		out := softkmeans.NewMatrix(3, 2, nil)
		for j, c := range corners {
			copy(out.Row(j), c[:])
		}
		return out
	case q < mostVertices:
		return descended(ctx, p.at)
	}
	return nil
}

// missed reports whether the mixtures of the corners by shares differ from the points by more than rounding.
func (p *points) missed(shares, corners *softkmeans.Matrix) bool {
	off := la.Product(shares, corners)
	la.Axpy(off.Data, -1, p.at.Data)
	return !(la.SumSquares(off.Data) <= mostShare*la.SumSquares(p.at.Data))
}

// centers returns the corners as mixtures of the centers f.
func (p *points) centers(f, corners *softkmeans.Matrix) *softkmeans.Matrix {
	about := la.Centred(f, f.Row(0)) // so that centers far from 0 keep their digits
	out := la.Product(corners, la.Product(p.axes, about))
	for j := range out.Rows {
		for l, v := range p.mean {
			la.Axpy(out.Row(j), v, about.Row(l))
		}
		la.Axpy(out.Row(j), 1, f.Row(0)) // last: it may be far larger, and is rounded once
	}
	return out
}

// shrunk shrinks the simplex of the centers f about a point until each facet touches a row. It returns the
// new centers, and as g the memberships of the rows in them, which overwrite shares, the memberships in f.
func shrunk(f, shares *softkmeans.Matrix) (centers, g *softkmeans.Matrix) {
	k := f.Rows
	low, rest := make([]float64, k), 1.0
	copy(low, shares.Row(0))
	for i := range shares.Rows {
		for j, v := range shares.Row(i) {
			low[j] = max(0, min(low[j], v))
		}
	}
	about := make([]float64, f.Cols)
	for j, v := range low {
		rest -= v
		la.Axpy(about, v, f.Row(j))
	}
	centers = softkmeans.NewMatrix(k, f.Cols, nil)
	for j := range k {
		copy(centers.Row(j), about)
		la.Axpy(centers.Row(j), rest, f.Row(j))
	}
	for i := range shares.Rows {
		row := shares.Row(i)
		la.Axpy(row, -1, low)
		la.Scale(1/la.Sum(row), row)
	}
	return centers, shares
}

// repeated returns k centers that repeat the centers f, and divides the memberships g among the copies.
func repeated(f, g *softkmeans.Matrix, k int) (centers, memberships *softkmeans.Matrix) {
	m := f.Rows
	if m == k {
		return f, g
	}
	centers, memberships = softkmeans.NewMatrix(k, f.Cols, nil), softkmeans.NewMatrix(g.Rows, k, nil)
	for j := range k {
		from := j % m
		copy(centers.Row(j), f.Row(from))
		copies := float64((k - from + m - 1) / m)
		for i := range g.Rows {
			memberships.Set(i, j, g.At(i, from)/copies)
		}
	}
	return centers, memberships
}
