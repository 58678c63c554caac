package softkmeans

// Where the simplex of the global solution lies: projections, centers and memberships.

import "math"

// placeSimplex projects the data on the basis (p×d), W = XcU, encloses it, and writes the
// memberships to g (n×k). g's rows hold W until the enclosure is found.
func placeSimplex(s *samples, g, basis *Matrix, k int, o *Options) (*enclosure, error) {
	normals := normalsOf(k, basis.Rows, o.Orientation)
	ext, err := projectRows(s, g, basis, normals, o.Enclosure)
	if err != nil {
		return nil, err
	}
	e := enclose(o.Enclosure, normals, ext)
	return e, fillMemberships(s, g, basis.Rows, e)
}

// projectRows writes the projections W on the basis (p×d) to the first p columns of g and
// returns their extent.
func projectRows(s *samples, g, basis, normals *Matrix, kind Enclosure) (*extent, error) {
	p := basis.Rows
	extents, facets := make([]extent, productChunks(s, manyChunks)), NewMatrix(productChunks(s, manyChunks), normals.Rows, nil)
	for c := range extents {
		extents[c].facets = facets.row(c)
	}
	// Erratum: Algorithm 1, lines 2 and 6, print the singular vectors of X and
	// UᵀX. Both must be of the centred data, as Theorem 1 has it; with the
	// printed ones the objective is not minimal, and G can be negative.
	err := eachProduct(s, basis, manyChunks, false, func(at block, w Matrix) {
		for c := range p {
			for i, v := range w.row(c) {
				g.row(at.lo + i)[c] = v
			}
		}
		for i := at.lo; i < at.hi; i++ { // rows of weight 0 are packed as 0 and change no extent
			extents[at.chunk].add(g.row(i)[:p], normals, kind)
		}
	})
	for c := range extents[1:] {
		extents[0].merge(&extents[c+1])
	}
	return &extents[0], err
}

// fillMemberships overwrites the rows of g, which begin with p projections, with their
// coordinates in the enclosure.
func fillMemberships(s *samples, g *Matrix, p int, e *enclosure) error {
	coordinates := e.coordinates()
	return s.eachBlock(s.n, g.Cols, manyChunks, g.Cols, func(at block) {
		w := at.scratch[:p]
		for i := at.lo; i < at.hi; i++ {
			copy(w, g.row(i))
			coordinates.of(g.row(i), w)
		}
	})
}

// simplexCenters returns the vertices of the enclosure in the data's units: for the
// ball f_j = x̄ + (k−1)r·U·u_j, which is s·BUᵀ + 1x̄ᵀ of Algorithm 1, line 5.
func simplexCenters(s *samples, e *enclosure, basis *Matrix) *Matrix {
	k := e.normals.Rows
	f := NewMatrix(k, s.d, nil)
	for j := range k {
		row := f.row(j)
		copy(row, s.mean)
		for c, u := range e.normals.row(j) {
			axpy(row, e.centre[c]+float64(k-1)*e.radius*u, basis.row(c))
		}
		scale(row, math.Ldexp(1, s.exp))
	}
	return f
}
