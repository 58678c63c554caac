package softkmeans

// A pass over rows that use most of the centers. A row's memberships are g = a + P·y. Here a is linear in the
// row: its memberships without bounds. y has the few multipliers of memberships that must be 0, and P is
// simplexProblem.projected. With rows a, g, y, z of A, G, Y, Z,
//
//	GᵀZ = AᵀZ + P·YᵀZ,   GᵀG = AᵀG + P·YᵀG,   ‖z − Fᵀg‖² = ‖e‖² + yᵀ(g − a),
//
// in the units of the problem. e is the part of z outside of the centers' affine hull. AᵀZ and AᵀG follow
// from ZᵀZ, GᵀZ and the sums of rows. A row costs its product with r+1 vectors, and O(k+r) for each of its
// multipliers.

import (
	"context"
	"math"
)

// insidePass is what a pass over such rows z keeps.
type insidePass struct {
	s      *samples
	z      *Matrix
	on     bool      // the pass that is running is one
	used   int       // memberships above 0 in the pass before
	least  float64   // the objective of that
	second *Matrix   // ZᵀZ, weighted; nil until the first of these passes
	first  []float64 // Σz, weighted
	// Of a row z, linear·z + constant is a, and then coordinates of e.
	linear   *Matrix // (r+1)×r
	constant []float64
	// Scratch.
	basis, yz, yg *Matrix
}

// A pass is of this kind if more than insideShare of the memberships before were above 0, and few directions
// are outside of the hull. The tolerance and the objective, as a share of the total, are above these, so that
// errors of P do not show.
const (
	insideShare     = 2. / 3
	insideTol       = 1e-8
	insideObjective = 1e-6
)

// begin decides on the kind of a pass for a tolerance and a total, and prepares it.
func (in *insidePass) begin(p *simplexProblem, tol, total float64) {
	k, r := p.k, in.z.Cols
	in.on = p.projected != nil && !p.rough && p.near && !p.atMost && r >= k-1 && 2*(r+1-k) <= k &&
		float64(in.used) > insideShare*float64(in.z.Rows*k) &&
		tol >= insideTol && in.least > insideObjective*total
	if !in.on {
		return
	}
	if in.second == nil {
		in.linear, in.constant = NewMatrix(r+1, r, nil), make([]float64, r+1)
		in.addUp()
	}
	if r >= k { // the rows of basis from k−1 on are outside of the hull
		in.basis = reshaped(in.basis, r, r)
		clear(in.basis.Data)
		copyRows(in.basis, rowsOf(p.vertices, 0, k-1))
		orthonormalize(context.Background(), in.basis, 0)
	}
	clear(in.linear.Data)
	unit := math.Ldexp(1, -p.exp)
	for a := range k {
		in.constant[a] = p.level[a] - dot(p.projected[a*k:(a+1)*k], p.offset)
		for b, v := range p.projected[a*k : (a+1)*k] {
			axpy(in.linear.row(a), v*unit, p.vertices.row(b))
		}
	}
	for a := k; a <= r; a++ {
		in.constant[a] = -dot(in.basis.row(a-1), p.centre)
		axpy(in.linear.row(a), unit, in.basis.row(a-1))
	}
}

// addUp sets second and first, unless the context ends.
func (in *insidePass) addUp() {
	r := in.z.Cols
	in.second, in.first = NewMatrix(r, r, nil), make([]float64, r)
	for i := range in.z.Rows {
		if i%1024 == 0 && stopped(in.s.ctx) {
			in.second = nil
			return
		}
		z, w := in.z.row(i), in.s.weight(i)
		axpy(in.first, w, z)
		for c, v := range z {
			axpy(in.second.row(c)[c:], w*v, z[c:])
		}
	}
	mirror(in.second.Data, r)
}

// end sets gz and gg to GᵀZ and GᵀG. They have YᵀZ and YᵀG; sum has 1ᵀG.
func (in *insidePass) end(gz, gg *Matrix, p *simplexProblem, sum []float64) {
	k, r := p.k, p.d
	in.yz, in.yg = reshaped(in.yz, k, r), reshaped(in.yg, k, k)
	copy(in.yz.Data, gz.Data)
	copy(in.yg.Data, gg.Data)
	clear(gz.Data)
	clear(gg.Data)
	for a := range k {
		axpy(gz.row(a), in.constant[a], in.first)
		for c, v := range in.linear.row(a) {
			axpy(gz.row(a), v, in.second.row(c))
		}
		for b, v := range p.projected[a*k : (a+1)*k] {
			axpy(gz.row(a), v, in.yz.row(b))
			axpy(gg.row(a), v, in.yg.row(b))
		}
	}
	for a := range k {
		axpy(gg.row(a), in.constant[a], sum)
		for b := range k {
			gg.row(a)[b] += dot(in.linear.row(a), gz.row(b))
		}
	}
	// Rounding would move a center that no row uses: its sums are 0.
	for a, share := range sum {
		if share == 0 {
			clear(gz.row(a))
			clear(gg.row(a))
			for b := range k {
				gg.row(b)[a] = 0
			}
		}
	}
}
