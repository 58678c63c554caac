package softkmeans

// Placement of the global solution's simplex: projections, centers and memberships.

import "math"

// placeSimplex projects the data on the basis (p×d), W = XcU, encloses W in a simplex, and writes the
// memberships to g (n×k). g holds W until the enclosure is found.
func placeSimplex(x rows, g, basis *Matrix, o *Options) (*placement, error) {
	k, p, q := g.Cols, basis.Rows, o.Orientation
	if o.Enclosure == EnclosureTight && p < k-1 { // so few dimensions are enclosed without an orientation
		q = nil
	}
	normals := normalsOf(k, p, q)
	// Erratum: Algorithm 1, lines 2 and 6, print the singular vectors of X and UᵀX. Both must be of the
	// centred data, as in Theorem 1; otherwise the objective is not minimal, and G can be negative.
	if err := x.changeBasis(g, basis); err != nil {
		return nil, err
	}
	s, over := x.data(), chunking{g.Rows, k, manyChunks}
	extents := make([]extent, chunks(over.n, over.l, over.most))
	facets := NewMatrix(len(extents), k, nil)
	err := s.eachBlock(over, 0, func(at block) {
		ext := &extents[at.chunk]
		ext.facets = facets.row(at.chunk)
		for i := at.lo; i < at.hi; i++ { // rows of weight 0 have projections 0
			ext.squares.add(s.weight(i) * ext.add(g.row(i)[:p], normals, o.Enclosure))
		}
	})
	if err != nil {
		return nil, err
	}
	ext := &extents[0]
	for t := range extents[1:] {
		ext.merge(&extents[t+1])
	}
	// Trailing coordinates that are rounding, relative to the radius of the points, are left out.
	used := 0
	for i := 0; i < g.Rows && ext.radius > 0; i++ {
		for c := p - 1; c >= used; c-- {
			if math.Abs(g.row(i)[c]) > 0x1p-46*ext.radius {
				used = c + 1
			}
		}
	}
	var e *placement
	if used < k-1 && o.Enclosure != EnclosureBall && q == nil {
		e = flatten(normals, ext, used)
	} else {
		e = enclose(o.Enclosure, normals, ext).placement()
	}
	e.inside = ext
	return e, s.eachBlock(over, k, func(at block) {
		w := at.scratch[:p]
		for i := at.lo; i < at.hi; i++ {
			copy(w, g.row(i))
			e.coordinates.of(g.row(i), w)
		}
	})
}

// clearGap limits the use of projectedObjective: its result may exceed the floor by at most clearGap of the
// total and 10·clearGap of the floor.
const clearGap = 1e-12

// projectedObjective returns an upper bound of the objective like samples.objective, without a pass over X.
// It assumes that centers and memberships come from the simplex e around the projections on the basis of pc.
// It returns false unless rows are dense, SolverGram found pc, and e has all coordinates of the basis. It
// also returns false if the bound has too few digits, for example because the mean is far from 0.
//
// Proof. Let T be ‖X‖² about the mean in memory, which the total and the rest of the mean bound. Let U be the
// basis, ω ≥ ‖UUᵀ − I‖_F, and Ŵ the projections in memory.
//
//  1. Ŵ is off by E with ‖E‖_F ≤ √p·γ·√T for the depth of its sums.
//  2. Then ‖X − ŴU‖² is T − ‖Ŵ‖² + 2⟨Ŵ, E⟩ + tr Ŵ(UUᵀ − I)Ŵᵀ.
//  3. The mixtures of the centers differ from ŴU by AU + B; `missed` bounds A and B.
//  4. The part of X − ŴU within the space is (X − ŴU)Uᵀ = −E − Ŵ(UUᵀ − I).
//  5. So ‖X − ŴU + AU‖² is at most ‖X − ŴU‖² + 2(‖E‖ + ω‖Ŵ‖)‖A‖ + (1 + ω)‖A‖².
func (pc *principal) projectedObjective(s *samples, e *placement) (objective float64, ok bool) {
	p := pc.basis.Rows
	if p == 0 || s.x == nil || pc.solver != SolverGram || e.regular == nil || e.regular.normals.Cols != p {
		return 0, false
	}
	omega := skewOf(pc.basis)
	moved := math.Sqrt(s.fine.squares()) + s.fine.off(pc.total)
	total := pc.total + pc.totalError + 1.01*moved*moved
	squares := e.inside.squares.value()
	off := 1.01 * math.Sqrt(float64(p)*total) * gamma(projectedDepth(p, s.d))
	within, outside := e.regular.missed(norm2(s.mean), e.inside.radius)
	// Memberships that share a vertex round more often.
	shared := float64(e.vertices.Rows) / float64(e.regular.normals.Rows)
	within, outside = shared*within*math.Sqrt(s.fine.mass), shared*outside
	left := total - squares + gamma(fineDepth(s.n)+p+16)*total + underflow +
		1.01*(2*off*math.Sqrt(squares)+omega*squares+2*(off+omega*math.Sqrt(squares))*within+within*within)
	length := math.Sqrt(left) + math.Sqrt(s.fine.mass)*outside
	objective = length * length * (1 + 0x1p-48)
	return objective, omega < 0.01 && objective-pc.floor <= clearGap*min(pc.total, 10*pc.floor)
}

// simplexCenters returns the vertices of the enclosure in the data's units. For the ball these are the
// centers of Algorithm 1, line 5, s·BUᵀ + 1x̄ᵀ, with f_j = x̄ + (k−1)r·U·u_j.
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

// missed bounds the distance between a point w and the mixture of the results of simplexCenters with the
// memberships of w (from barycentric.of, divided by their sum). within is the bound of the distance within
// the space of the simplex, and outside the bound of the additional distance in any direction. The points are
// up to `longest` from 0, and mean is the length of the data's mean.
//
// Proof. Let vertices be t + Ru_j and memberships 1/k + u_jᵀ(w − t)(k−1)/(kR), with ‖w − t‖ ≤ R.
//
//  1. The mixture misses w by at most R(2‖Σu‖ + ‖(k−1)/k·Σuuᵀ − I‖).
//  2. Each membership is off by less than 6γ(p+8), and by 6γ(p+8)/k of the sum of its terms, 1 + (‖t‖ +
//     ‖w‖)/ρ.
//  3. Division by the sum changes the memberships by γ(k+8) in all.
//  4. A center is off by γ(p+6) of its terms and by one rounding of the sum.
func (e *enclosure) missed(mean, longest float64) (within, outside float64) {
	k, p := e.normals.Rows, e.normals.Cols
	sum, product, normal := make([]float64, p), NewMatrix(p, p, nil), 0.0
	for j := range k {
		u := e.normals.row(j)
		axpy(sum, 1, u)
		for c, v := range u {
			axpy(product.row(c), v*float64(k-1)/float64(k), u)
		}
		normal = max(normal, norm2(u))
	}
	for c := range p {
		product.row(c)[c]--
	}
	root, far := math.Sqrt(float64(p)), float64(k-1)*e.radius
	reach := norm2(e.centre) + far*normal
	if reach == 0 { // all centers are the mean
		return 0, 0
	}
	off := far * (2*norm2(sum) + norm2(product.Data) + gamma(k+8)*(2+root))
	terms := min(float64(k), 1+(norm2(e.centre)+longest)/e.radius)
	return 1.1 * (off + (6*terms*gamma(p+8)+gamma(k+8))*reach), 1.1 * (gamma(p+6)*root*reach + gamma(1)*mean)
}
