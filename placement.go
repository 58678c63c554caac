package softkmeans

// Where the simplex of the global solution lies: projections, centers and memberships.

import "math"

// dataset is the rows of a fit: what differs between dense and sparse ones.
type dataset interface {
	// data has the shape, the units, the weights and the mean.
	data() *samples
	// principal returns the leading directions and the floor.
	principal(q wanted, solver Solver, why purpose) (*principal, error)
	// project writes the rows in the basis to g and returns their extent.
	project(g, basis, normals *Matrix, kind Enclosure) (*extent, error)
	// objective returns an upper bound of ‖X − GF‖² in scaled units.
	objective(f, g *Matrix, sum Sum) (float64, error)
	// solveRows gives the rows of the list their nearest mixture of the centers.
	solveRows(centers, g *Matrix, sum Sum, rows []int) error
	// aboutMean returns the same rows about their mean.
	aboutMean() (dataset, error)
	// multiplyT returns YᵀXc for Y given as Yᵀ (b×n), weighted: b×d.
	multiplyT(yt *Matrix) (*Matrix, error)
	// floors returns the floors for 1, …, most centers; 0: all of them.
	floors(most int, sum Sum) ([]float64, error)
}

// placeSimplex projects the data on the basis (p×d), W = XcU, encloses it, and writes the memberships to g
// (n×k), which holds W until the enclosure is found.
func placeSimplex(x dataset, g, basis *Matrix, o *Options, by path) (*placement, error) {
	s, k := x.data(), g.Cols
	normals := fitNormals(k, basis.Rows, o)
	ext, err := x.project(g, basis, normals, o.Enclosure)
	if err != nil {
		return nil, err
	}
	if by.radius != 0 {
		if ext.radius, err = ballRadius(ext.radius, by.radius, s.units); err != nil {
			return nil, err
		}
	}
	var e *placement
	if by.triangles && k == 3 && basis.Rows == 2 {
		e = triangleAround(s, g)
	}
	if e == nil {
		e = placeExtent(normals, ext, o, dimensions(g, basis.Rows, ext.radius))
	}
	return e, fillMemberships(s, g, basis.Rows, e)
}

const (
	sameRadius = 1e-9    // the share by which Options.Radius may be below the smallest: a caller's rounding
	mostRadius = 0x1p200 // in scaled units: its squares are far from overflow
)

// ballRadius returns r of Algorithm 1, line 4, in scaled units: the one asked for in the data's, or the
// smallest.
func ballRadius(smallest, asked float64, u units) (float64, error) {
	r := math.Ldexp(asked, -u.exp)
	switch {
	case asked == 0:
		return smallest, nil
	case r < smallest*(1-sameRadius):
		return 0, fail(ErrOption, "Radius is "+decimal(asked)+", below "+
			decimal(math.Ldexp(smallest, u.exp))+", the smallest that encloses the data")
	case r > mostRadius:
		return 0, fail(ErrOption, "Radius is "+decimal(asked)+", more than 2^200 times the largest entry")
	}
	return max(r, smallest), nil
}

// dimensions returns how many of their p coordinates the points at the start of g's rows use: a trailing one
// that is rounding, of points up to radius from 0, counts as none.
func dimensions(g *Matrix, p int, radius float64) int {
	used := 0
	for i := range g.Rows {
		for c := p - 1; c >= used; c-- {
			if math.Abs(g.row(i)[c]) > 0x1p-46*radius {
				used = c + 1
			}
		}
	}
	return used
}

// fitNormals returns the normals for p coordinates. In fewer than k−1 a tight simplex needs no orientation.
func fitNormals(k, p int, o *Options) *Matrix {
	if o.Enclosure == EnclosureSmallest || o.Enclosure == EnclosureTight && p < k-1 {
		return normalsOf(k, p, nil)
	}
	return normalsOf(k, p, o.Orientation)
}

// placeExtent returns the simplex around rows of the given extent, of q dimensions.
func placeExtent(normals *Matrix, ext *extent, o *Options, q int) *placement {
	k := normals.Rows
	if ext.radius == 0 { // all rows are one
		q = 0
	}
	free := o.Orientation == nil || o.Enclosure == EnclosureSmallest || normals.Cols < k-1
	if q < k-1 && o.Enclosure != EnclosureBall && free {
		return flatten(normals, ext, q)
	}
	return enclose(o.Enclosure, normals, ext).placement()
}

// triangleAround returns the smallest triangle around the points at the start of g's rows; nil on a line.
func triangleAround(s *samples, g *Matrix) *placement {
	var points []point
	for i := range s.n {
		if s.weight(i) > 0 {
			points = append(points, point{g.row(i)[0], g.row(i)[1]})
		}
	}
	hull := convexHull(points)
	if len(hull) < 3 {
		return nil
	}
	corners, area := smallestTriangle(s.ctx, hull)
	size := 0.0
	for _, p := range hull {
		size = max(size, math.Abs(p[0]), math.Abs(p[1]))
	}
	if !(area > 0x1p-46*size*size) { // a line but for rounding
		return nil
	}
	return placementOf(corners)
}

// project writes the projections W on the basis (p×d) to the first p columns of g, which has no gaps, and
// returns their extent. The other columns are of no use then.
func (s *samples) project(g, basis, normals *Matrix, kind Enclosure) (*extent, error) {
	p, c := basis.Rows, chunking{s.n, s.d, manyChunks}
	count := chunks(c.n, c.l, c.most)
	extents, facets := make([]extent, count), NewMatrix(count, normals.Rows, nil)
	for t := range extents {
		extents[t].facets = facets.row(t)
	}
	// Erratum: Algorithm 1, lines 2 and 6, print the singular vectors of X and UᵀX. Both must be of the
	// centred data, as in Theorem 1; otherwise the objective is not minimal, and G can be negative.
	err := s.eachBlock(c.n, c.l, c.most, s.d, func(at block) {
		rows, m := at.scratch, at.hi-at.lo
		s.pack(rows, at.lo, at.hi, false)
		clear(g.Data[at.lo*g.Stride : (at.hi-1)*g.Stride+p])
		addMulNT(g.Data[at.lo*g.Stride:], g.Stride, rows[:m*s.d], m, basis.Data, p, s.d, false)
		for i := at.lo; i < at.hi; i++ { // rows of weight 0 are packed as 0 and change no extent
			extents[at.chunk].add(g.row(i)[:p], normals, kind)
		}
	})
	for c := range extents[1:] {
		extents[0].merge(&extents[c+1])
	}
	return &extents[0], err
}

// fillMemberships overwrites the rows of g, which begin with p projections, with memberships.
func fillMemberships(s *samples, g *Matrix, p int, e *placement) error {
	return s.eachBlock(s.n, g.Cols, manyChunks, g.Cols, func(at block) {
		w := at.scratch[:p]
		for i := at.lo; i < at.hi; i++ {
			copy(w, g.row(i))
			e.coordinates.of(g.row(i), w)
		}
	})
}

// simplexCenters returns the vertices of the enclosure in the data's units: for the ball those of Algorithm
// 1, line 5, s·BUᵀ + 1x̄ᵀ, where f_j = x̄ + (k−1)r·U·u_j.
func simplexCenters(s *samples, e *placement, basis *Matrix) *Matrix {
	k := e.vertices.Rows
	f := NewMatrix(k, s.d, nil)
	for j := range k {
		row := f.row(j)
		for c, v := range e.vertices.row(j) {
			axpy(row, v, basis.row(c))
		}
		axpy(row, 1, s.mean) // last: the mean may be far larger, and is rounded once
		scale(row, math.Ldexp(1, s.exp))
	}
	return f
}

// missed bounds how far the mixtures of simplexCenters, with memberships of barycentric.of divided by their
// sums, are from the points w that these are for, in data with a mean of the given length.
//
// Proof. For vertices t + Ru_j and memberships 1/k + u_jᵀ(w − t)(k−1)/(kR), ‖w − t‖ ≤ R, the
// mixture misses w by at most R(2‖Σu‖ + ‖(k−1)/k·Σuuᵀ − I‖). The memberships are off by less
// than 6γ(p+8) each. A center is off by γ(p+6) of its terms and by one rounding of the sum.
func (e *enclosure) missed(mean float64) float64 {
	k, p := e.normals.Rows, e.normals.Cols
	sum, product, longest := make([]float64, p), NewMatrix(p, p, nil), 0.0
	for j := range k {
		u := e.normals.row(j)
		axpy(sum, 1, u)
		for c, v := range u {
			axpy(product.row(c), v*float64(k-1)/float64(k), u)
		}
		longest = max(longest, norm2(u))
	}
	for c := range p {
		product.row(c)[c]--
	}
	root, far := math.Sqrt(float64(p)), float64(k-1)*e.radius
	reach := norm2(e.centre) + far*longest
	if reach == 0 { // all centers are the mean
		return 0
	}
	off := far * (2*norm2(sum) + norm2(product.Data) + gamma(k+8)*(2+root))
	return 1.1 * (off + float64(6*k)*gamma(p+8)*reach + gamma(p+6)*root*reach + gamma(1)*mean)
}
