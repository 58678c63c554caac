package softkmeans

// A pass over rows that use most of the centers. Their memberships are g = a + P·y: a without bounds, linear
// in the row, and y ≥ 0 the few multipliers of memberships that must be 0 (simplexProblem.projected). Sums over
// all rows then cost the multipliers alone. With rows a, g, y, z of A, G, Y, Z,
//
//	GᵀZ = AᵀZ + P·YᵀZ,   GᵀG = AᵀG + P·YᵀG,   ‖z − Fᵀg‖² = ‖e‖² + yᵀ(g − a)
//
// in the units of the problem, e the part of z outside of the centers' affine hull. AᵀZ and AᵀG follow from
// ZᵀZ, GᵀZ and sums of rows.

import "math"

// insidePass is what a pass over such rows keeps.
type insidePass struct {
	on     bool      // the pass that is running is one
	used   int       // memberships above 0 in the pass before
	least  float64   // the objective of that
	second *Matrix   // ZᵀZ, weighted; nil until the first of these passes
	first  []float64 // Σz, weighted
	// Of a row z, linear·z + constant is a, and then coordinates of e.
	linear   *Matrix // (r+1)×r
	constant []float64
	yz, yg   *Matrix // scratch
}

// A pass is of this kind if more than insideShare of the memberships before were above 0, few directions are
// outside of the hull, and neither the objective nor the tolerance is so small that rounding shows: P has
// errors of up to roughCondition roundings.
const (
	insideShare     = 2. / 3
	insideTol       = 1e-8
	insideObjective = 1e-6
)

// begin decides on the kind of a pass from given memberships, and prepares it.
func (in *insidePass) begin(m *alternation, p *simplexProblem, warm *Matrix) {
	k, r := m.k, m.z.Cols
	in.on = warm != nil && m.far == nil && p.projected != nil && !p.rough && p.near && !p.atMost &&
		r >= k-1 && 2*(r+1-k) <= k && float64(in.used) > insideShare*float64(m.z.Rows*k) &&
		m.tol >= insideTol && in.least > insideObjective*m.pc.total
	if !in.on {
		return
	}
	if in.second == nil {
		in.addUp(m)
		in.linear, in.constant = NewMatrix(r+1, r, nil), make([]float64, r+1)
	}
	basis := NewMatrix(r, r, nil)
	copyRows(basis, rowsOf(p.vertices, 0, k-1))
	orthonormalize(basis, 0)
	clear(in.linear.Data)
	unit := math.Ldexp(1, -p.exp)
	for a := range k {
		in.constant[a] = p.level[a] - dot(p.projected[a*k:(a+1)*k], p.offset)
		for b, v := range p.projected[a*k : (a+1)*k] {
			axpy(in.linear.row(a), v*unit, p.vertices.row(b))
		}
	}
	for a := k; a <= r; a++ {
		in.constant[a] = -dot(basis.row(a-1), p.centre)
		axpy(in.linear.row(a), unit, basis.row(a-1))
	}
}

// addUp sets second and first.
func (in *insidePass) addUp(m *alternation) {
	r := m.z.Cols
	in.second, in.first = NewMatrix(r, r, nil), make([]float64, r)
	for i := range m.z.Rows {
		z, w := m.z.row(i), m.s.weight(i)
		axpy(in.first, w, z)
		for c, v := range z {
			axpy(in.second.row(c)[c:], w*v, z[c:])
		}
	}
	mirror(in.second.Data, r)
}

// blockInside is block in such a pass. The chunk's gg, gz and sum become those of YᵀG, YᵀZ and 1ᵀG.
func (v *passMemory) blockInside(part *chunkSums, h *workerMemory, lo, hi int) {
	m, k, wide := v.m, v.m.k, v.inside.linear.Rows
	rows := h.scratch[:(hi-lo)*wide]
	for i := range hi - lo {
		copy(rows[i*wide:], v.inside.constant)
	}
	addMulNT(rows, wide, m.z.Data[lo*v.r:hi*v.r], hi-lo, v.inside.linear.Data, wide, v.r, false)
	for i := lo; i < hi && !stopped(m.s.ctx); i++ {
		g, z, row := v.to.g.row(i), m.z.row(i), rows[(i-lo)*wide:(i-lo+1)*wide]
		h.solver.solveFree(g, row[:k], z, v.warm.row(i))
		w := m.s.weight(i)
		if w == 0 {
			continue
		}
		squares := sumSquares(row[k:])
		for j, y := range h.solver.w {
			if y == 0 || h.solver.in[j] {
				continue
			}
			squares += y * (g[j] - row[j])
			axpy(part.gg.row(j), w*y, g)
			axpy(part.gz.row(j), w*y, z)
		}
		for _, x := range g {
			if x > 0 {
				part.used++
			}
		}
		axpy(part.sum, w, g)
		part.objective += w * squares
	}
}

// end sets the sums of an iterate, which has those of the chunks, and 1ᵀG in sum.
func (in *insidePass) end(to *iterate, p *simplexProblem, sum []float64) {
	k, r := p.k, p.d
	in.yz, in.yg = reshaped(in.yz, k, r), reshaped(in.yg, k, k)
	copy(in.yz.Data, to.gz.Data)
	copy(in.yg.Data, to.gg.Data)
	clear(to.gz.Data)
	clear(to.gg.Data)
	for a := range k {
		gz, gg := to.gz.row(a), to.gg.row(a)
		axpy(gz, in.constant[a], in.first)
		for c, v := range in.linear.row(a) {
			axpy(gz, v, in.second.row(c))
		}
		for b, v := range p.projected[a*k : (a+1)*k] {
			axpy(gz, v, in.yz.row(b))
			axpy(gg, v, in.yg.row(b))
		}
	}
	for a := range k {
		gg := to.gg.row(a)
		axpy(gg, in.constant[a], sum)
		for b := range gg {
			gg[b] += dot(in.linear.row(a), to.gz.row(b))
		}
	}
}
