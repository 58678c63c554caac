package softkmeans

// The F-step for centers that are at least 0 in the data's own columns.

import "math"

// boundRounding is how far above its bound an entry counts as being there, as a share.
const boundRounding = 0x1p-46

// clamp takes centers up to their lower bounds, which a step with momentum may cross, and
// down to them from a rounding above, where such a step has left its start.
func (m *alternation) clamp(f *Matrix) {
	if m.low == nil {
		return
	}
	for a := range f.Rows {
		row := f.row(a)
		for c, low := range m.low {
			if row[c] <= low+boundRounding*math.Abs(low) {
				row[c] = low
			}
		}
	}
}

// boundedStep is centersStep for centers with lower bounds. With A = GᵀG + (λ/2)D + δI it
// overwrites column c of f with the minimiser of ½fᵀAf − rᵀf over f ≥ low_c, for
// r = GᵀX + δF_t. Columns are independent, as they share A and all else is linear in F. D is
// that of F_t, so that the majoriser, and with it L, does not rise under the bound either.
// O(k²) a column whose plain solution is above the bound, and O(k³) a pivot of the others.
func (m *alternation) boundedStep(f *Matrix, from *iterate, delta float64) {
	v := m.memory()
	if v.bounded == nil {
		v.bounded = newBoundedProblem(m.k)
	}
	b, k := v.bounded, m.k
	copy(b.a, v.a)
	copy(f.Data, from.f.Data)
	if !cholesky(v.a, k) {
		return // does not happen: see centersStep
	}
	for c, low := range m.low {
		below := false
		for i := range k {
			b.r[i] = from.gz.row(i)[c] + delta*from.f.row(i)[c]
			b.u[i] = b.r[i]
		}
		cholSolve(v.a, k, b.u)
		for _, u := range b.u {
			below = below || u < low
		}
		switch {
		case !below:
			for i, u := range b.u {
				f.row(i)[c] = u
			}
		case b.solve(low):
			for i, u := range b.u {
				f.row(i)[c] = max(low+u, low)
			}
		} // otherwise the column stays, which keeps the loss
	}
}
