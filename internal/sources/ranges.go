package sources

// How far shares are open. Mixtures g ≥ 0 with the same Σg and the same gF are equally near to a
// row. They are a polytope, on which a share, or a sum of shares, is least and largest at a
// vertex: two linear programs, solved by the simplex method of G. B. Dantzig in a dense tableau.
// After a step that gains nothing, entering and leaving columns are those of least index until one
// gains (R. G. Bland, New Finite Pivoting Rules for the Simplex Method, Math. Oper. Res. 2, 1977),
// so it ends. It starts at a vertex that is found from a known mixture, without a first phase.

import (
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/la"
)

// Open is the mixtures of some vertices that are the same point.
type Open struct {
	k    int                // shares
	rows *softkmeans.Matrix // rank×n, orthonormal: what all mixtures of a point have in common
	cone bool               // shares are those of a cone: a point is a mixture times its length
	rank int                // of the vertices with a 1 each; of a cone the vertices
	flat *softkmeans.Matrix // an orthonormal basis of the plane of the vertices, or of their span, in rows
	mean []float64          // a point of the plane
}

// Singular values below rankTol of the largest count as 0.
const rankTol = 1e-10

// NewOpen takes the vertices, with the origin as one more where shares add up to at most 1.
func NewOpen(vertices *softkmeans.Matrix, sum softkmeans.Sum, cone bool) (*Open, error) {
	k, d := vertices.Rows, vertices.Cols
	o := &Open{k: k, cone: cone, mean: make([]float64, d)}
	n := k
	if sum == softkmeans.SumAtMostOne && !cone {
		n++
	}
	v := softkmeans.NewMatrix(n, d, nil)
	copy(v.Data, vertices.Clone().Data)
	if !cone {
		for i := range n {
			for j, x := range v.Row(i) {
				o.mean[j] += x / float64(n)
			}
		}
	}
	v = la.Centred(v, o.mean)
	least := 0x1p-44
	if most := la.Largest(v.Data); most > 0 {
		least *= la.Largest(vertices.Data) / most // rounding of the mean
		for i, x := range v.Data {
			v.Data[i] = x / most
		}
	}
	u, s, plane, err := softkmeans.SVD(v)
	if err != nil {
		return nil, err
	}
	r := 0
	for r < len(s) && s[r] > max(rankTol*s[0], least) {
		r++
	}
	o.flat = la.Transpose(columns(plane, la.Indices(r)))
	if o.rank = r; !cone {
		o.rank++
	}
	at := softkmeans.NewMatrix(n, o.rank, nil) // coordinates of the vertices, and 1 each
	for i := range n {
		for c := range r {
			at.Set(i, c, u.At(i, c)*s[c])
		}
		if !cone {
			at.Set(i, r, 1)
		}
	}
	if !cone {
		at, _, _, err = softkmeans.SVD(at)
	}
	if err != nil {
		return nil, err
	}
	o.rows = la.Transpose(columns(at, la.Indices(o.rank)))
	return o, nil
}

// Unique reports whether a point has one mixture only, wherever it is.
func (o *Open) Unique() bool { return o.rank >= o.rows.Cols }

// Ranges sets low and high to the least and the largest share of each group among all mixtures
// of the point that g is a mixture of. class has the group of each share.
func (o *Open) Ranges(low, high, g []float64, class []int) {
	p := &program{m: o.rows.Rows, n: o.rows.Cols, groups: class}
	start := slices.Clone(g)
	if p.n > o.k && !o.cone { // the share of the origin
		rest := 1.0
		for _, v := range g {
			rest -= v
		}
		start = append(start, max(0, rest))
	}
	if o.cone { // shares g of a point, and its length: Σg = 1, and gF less the point times 1/length is 0
		p.m, p.n = p.m+1, p.n+1
		start = append(start, 1)
	}
	p.a = make([]float64, p.m*p.n)
	for i := range o.rows.Rows {
		copy(p.a[i*p.n:], o.rows.Row(i))
		if o.cone {
			for j, v := range g {
				p.a[i*p.n+p.n-1] -= v * o.rows.At(i, j)
			}
		}
	}
	if o.cone {
		for j := range o.k {
			p.a[(p.m-1)*p.n+j] = 1
		}
	}
	p.begin(start)
	for c := range low {
		share := 0.0
		for j, v := range g {
			if class[j] == c {
				share += v
			}
		}
		low[c], high[c] = min(p.extreme(c, -1), share), max(p.extreme(c, 1), share)
	}
}

// program is a linear program in the tableau of its basis: a·g = b, g ≥ 0.
type program struct {
	m, n   int
	a      []float64 // m×n, of full row rank
	b      []float64
	groups []int

	t     []float64 // m×(n+1): the basis is the identity in it; b is the last column
	basis []int     // the column of each row
	in    []bool    // of each column
	steps int       // since t was computed anew
}

// Entries below pivotTol are no pivots. Objectives that gain less than gainTol a unit are no gain.
const (
	pivotTol = 1e-11
	gainTol  = 1e-11
)

// begin finds a basis of which start, or a mixture of the same point, is the solution.
func (p *program) begin(start []float64) {
	w := p.n + 1
	p.t, p.basis, p.in = make([]float64, p.m*w), make([]int, p.m), make([]bool, p.n)
	p.b = make([]float64, p.m)
	for i := range p.m {
		for j, v := range start {
			p.b[i] += v * p.a[i*p.n+j]
		}
	}
	p.reset()
	h := slices.Clone(start)
	for _, j := range la.BySize(start) {
		if row := p.freeRow(j); row >= 0 {
			p.pivot(row, j)
			continue
		}
		if h[j] > 0 { // column j is a mixture of the basis: take it out, or one of these
			p.exchange(h, j)
		}
	}
	p.refresh()
}

// reset makes the tableau that of the constraints, without a basis.
func (p *program) reset() {
	w := p.n + 1
	for i := range p.m {
		p.basis[i] = -1
		copy(p.t[i*w:], p.a[i*p.n:(i+1)*p.n])
		p.t[i*w+p.n] = p.b[i]
	}
	clear(p.in)
}

// freeRow is the row without a basis in which column j has its largest entry; −1 if none is a pivot.
func (p *program) freeRow(j int) int {
	row, most := -1, 1e-9
	for i, b := range p.basis {
		if v := math.Abs(p.t[i*(p.n+1)+j]); b < 0 && v > most {
			row, most = i, v
		}
	}
	return row
}

// exchange lowers h[j] to 0 and changes the basis with it; if one of these comes to 0 first,
// j takes its place.
func (p *program) exchange(h []float64, j int) {
	step, row := h[j], -1
	for i, b := range p.basis {
		if b < 0 {
			continue
		}
		if v := p.t[i*(p.n+1)+j]; v < -pivotTol && h[b] < -v*step {
			step, row = h[b]/-v, i
		}
	}
	for i, b := range p.basis {
		if b >= 0 {
			h[b] = max(0, h[b]+step*p.t[i*(p.n+1)+j])
		}
	}
	h[j] -= step
	if row < 0 {
		h[j] = 0
		return
	}
	h[p.basis[row]] = 0
	p.pivot(row, j)
}

// pivot makes column j the one of a row.
func (p *program) pivot(row, j int) {
	w := p.n + 1
	if b := p.basis[row]; b >= 0 {
		p.in[b] = false
	}
	p.basis[row], p.in[j] = j, true
	r := p.t[row*w : (row+1)*w]
	v := r[j]
	for c := range r {
		r[c] /= v
	}
	r[j] = 1
	for i := range p.m {
		if v := p.t[i*w+j]; i != row && v != 0 {
			other := p.t[i*w : (i+1)*w]
			la.Axpy(other, -v, r)
			other[j] = 0
		}
	}
	p.steps++
}

// refresh computes the tableau of the basis anew, without the roundings of the way to it.
func (p *program) refresh() {
	columns := slices.Clone(p.basis)
	p.reset()
	for _, j := range columns {
		if j < 0 {
			continue
		}
		if row := p.freeRow(j); row >= 0 {
			p.pivot(row, j)
		}
	}
	p.positive()
	p.steps = 0
}

// positive makes entries of the solution that rounding has put below 0 those at 0.
func (p *program) positive() {
	for i := range p.m {
		last := &p.t[i*(p.n+1)+p.n]
		*last = max(0, *last)
	}
}

// extreme returns the largest sum of the shares of a group, or with sign −1 the least.
func (p *program) extreme(group int, sign float64) float64 {
	if p.steps > 2*p.m {
		p.refresh()
	}
	stuck := false
	for range 100 * (p.m + p.n) {
		enter := p.entering(group, sign, stuck)
		if enter < 0 {
			break
		}
		row, step := p.leaving(enter)
		if row < 0 {
			break // the polytope is bounded: by rounding alone
		}
		p.pivot(row, enter)
		p.positive()
		stuck = step <= 1e-12
	}
	sum := 0.0
	for i, b := range p.basis {
		if p.of(b, group) {
			sum += p.t[i*(p.n+1)+p.n]
		}
	}
	if sum < 0x1p-50 { // rounding
		return 0
	}
	return min(sum, 1)
}

func (p *program) of(j, group int) bool { return j >= 0 && j < len(p.groups) && p.groups[j] == group }

// entering returns the column that gains most, or the first that gains; −1 if none does.
func (p *program) entering(group int, sign float64, first bool) (enter int) {
	var counted []int // the rows whose columns are of the group
	for i, b := range p.basis {
		if p.of(b, group) {
			counted = append(counted, i)
		}
	}
	enter, most := -1, gainTol
	for j := range p.n {
		if p.in[j] {
			continue
		}
		gain := 0.0
		if p.of(j, group) {
			gain = 1
		}
		for _, i := range counted {
			gain -= p.t[i*(p.n+1)+j]
		}
		if gain *= sign; gain > most {
			if enter, most = j, gain; first {
				return enter
			}
		}
	}
	return enter
}

// leaving returns the row whose column comes to 0 first, of equal ones that of least index; −1 if none does.
func (p *program) leaving(enter int) (row int, step float64) {
	row, step = -1, math.Inf(1)
	for i, b := range p.basis {
		v := p.t[i*(p.n+1)+enter]
		if v <= pivotTol || b < 0 {
			continue
		}
		ratio := p.t[i*(p.n+1)+p.n] / v
		if ratio < step || ratio == step && b < p.basis[row] {
			row, step = i, ratio
		}
	}
	return row, step
}
