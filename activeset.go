package softkmeans

// The active-set method for least squares on the simplex, one sample after another.
//
// With support S the solution is g_S = A_SS⁻¹(b_S − μ1), μ = (1ᵀA_SS⁻¹b_S − 1)/(1ᵀA_SS⁻¹1). It is optimal if
// and only if g_S ≥ 0, and (Ag − b)_i + μ ≥ 0 off S. The solver exchanges all infeasible indices at once,
// until more than three rounds have not lowered their number (Kim & Park 2011). Then a feasible descent
// exchanges one at a time. Rows with the same support share one Cholesky factor, as in Van Benthem & Keenan
// (2004).
//
// If most vertices are in S, a fast problem solves for the multipliers w of the set N of the other vertices,
// rather than for g_S: −P_NN·w = P_N·b + level_N. P (projected) and level are fields of simplexProblem.

import (
	"context"
	"math"
	"slices"
)

// support is the part of the problem on a set S of vertices.
type support struct {
	// off: index lists the vertices that are not in S, and chol is the factor of P_NN, the part of projected
	// for these vertices; h and sum are not used.
	off   bool
	index []int     // S, ascending
	chol  []float64 // of A_SS
	h     []float64 // A_SS⁻¹1
	sum   float64   // 1ᵀh
	ok    bool      // A_SS is not singular to working accuracy
}

// supports caches the factors of supports in a hash table with open addressing. The key is S as bits. reset
// keeps the memory for the next problem.
type supports struct {
	words  int // of a key
	slots  []int32
	all    []support
	keys   []uint64 // of all
	floats []float64
	ints   []int
	held   int // number of floats in use
}

// reset removes all supports, and prepares for supports of k vertices.
func (t *supports) reset(k int) {
	t.words, t.held = (k+63)/64, 0
	t.all, t.keys, t.floats, t.ints = t.all[:0], t.keys[:0], t.floats[:0], t.ints[:0]
	if t.slots == nil {
		t.slots = make([]int32, 32)
	}
	clear(t.slots)
}

// find returns the place of a key in slots, and the support there, or nil.
func (t *supports) find(key []uint64) (slot int, s *support) {
	var h uint64
	for _, w := range key {
		h = (h ^ w) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	mask := len(t.slots) - 1
	for slot = int(h) & mask; ; slot = (slot + 1) & mask {
		at := int(t.slots[slot]) - 1
		if at < 0 {
			return slot, nil
		}
		if slices.Equal(t.keys[at*t.words:(at+1)*t.words], key) {
			return slot, &t.all[at]
		}
	}
}

// mostHeld is the largest number of floats that supports keeps, unless one support alone requires more. If
// every row has its own support, a larger cache saves no time.
const mostHeld = 1 << 18

// add returns a new support of `count` vertices under a key that find did not find. It invalidates the
// supports returned before.
func (t *supports) add(slot int, key []uint64, count int) *support {
	size := count * (count + 1)
	if t.held += size + count; t.held > mostHeld {
		t.reset(64 * t.words)
		t.held = size + count
		slot, _ = t.find(key)
	}
	if 2*len(t.all)+2 > len(t.slots) {
		t.slots = make([]int32, 2*len(t.slots))
		for at := range t.all {
			again, _ := t.find(t.keys[at*t.words : (at+1)*t.words])
			t.slots[again] = int32(at + 1)
		}
		slot, _ = t.find(key)
	}
	// If the current array is full, a new one follows. The slices of earlier supports keep the old array
	// alive.
	if cap(t.floats)-len(t.floats) < size {
		t.floats = make([]float64, 0, max(2*cap(t.floats), size, 32))
	}
	if cap(t.ints)-len(t.ints) < count {
		t.ints = make([]int, 0, max(2*cap(t.ints), count, 8))
	}
	f, i := len(t.floats), len(t.ints)
	t.floats, t.ints = t.floats[:f+size], t.ints[:i+count]
	t.keys = append(t.keys, key...)
	t.all = append(t.all, support{
		index: t.ints[i : i : i+count],
		chol:  t.floats[f : f+count*count], h: t.floats[f+count*count : f+size],
	})
	t.slots[slot] = int32(len(t.all))
	return &t.all[len(t.all)-1]
}

// rowSolver solves row after row of a problem, and caches the factors of their supports. It may be reused for
// other problems.
type rowSolver struct {
	p       *simplexProblem
	cache   supports
	in      []bool   // the current S
	key     []uint64 // S as bits
	g, w    []float64
	rhs     []float64
	step    []float64 // of refinement
	part    []float64 // the entries of g on S
	current []float64 // of the fine solver: the current memberships
	all     []float64 // the solution, including the origin's membership
	z       []float64 // the row, from which terms computes the linear term if necessary; set by solveFree
	now     []float64 // of descend
	warm    []float64 // memberships of the row to begin with, or nil
	barred  []bool
	// free: for a fast problem, the memberships without bounds; nil: factor only parts of A, not of P.
	free  []float64
	frees []float64  // free of all rows
	fine  *rowSolver // for the second round of proximal steps
}

func newRowSolver(p *simplexProblem) *rowSolver {
	r := &rowSolver{}
	r.begin(p)
	return r
}

// begin makes p the problem to solve. It must also be called if p itself has changed.
func (r *rowSolver) begin(p *simplexProblem) {
	k := p.k
	r.p = p
	r.cache.reset(k)
	if len(r.in) != k {
		r.in, r.barred, r.key = make([]bool, k), make([]bool, k), make([]uint64, (k+63)/64)
		floats := make([]float64, 8*k)
		for i, v := range []*[]float64{
			&r.g, &r.w, &r.rhs, &r.step, &r.part, &r.current, &r.all, &r.now,
		} {
			*v = floats[i*k : (i+1)*k : (i+1)*k]
		}
	}
	if r.fine != nil && p.ridge > 0 {
		r.fine.begin(p.fine)
	}
}

// rows overwrites rows lo…hi−1 of g with the solutions for the linear terms b, k numbers a row. The supports
// of the memberships in start are tried first; if start is nil, the support of all vertices. If ctx ends,
// rows returns soon.
func (r *rowSolver) rows(ctx context.Context, g, start *Matrix, lo, hi int, b []float64) {
	k := r.p.k
	long := k > 64 // a row of so many vertices may take milliseconds
	fast := r.p.projected != nil
	if r.free = nil; fast {
		r.frees = resized(r.frees, len(b))
		for i := range hi - lo {
			copy(r.frees[i*k:], r.p.level)
		}
		addMulNT(r.frees, k, b, hi-lo, r.p.projected, k, k, false)
	}
	for i := lo; i < hi && !(long && stopped(ctx)); i++ {
		var warm []float64
		if start != nil {
			warm = start.row(i)
		}
		if fast {
			r.free = r.frees[(i-lo)*k : (i-lo+1)*k]
		}
		r.solve(g.row(i), b[:k], warm)
		b = b[k:]
	}
}

// solveFree overwrites g with the memberships of row z. free contains the memberships without bounds. The
// support of warm is tried first. For each vertex with r.in false, r.w then contains the multiplier;
// other entries of r.w are invalid. solveFree assumes that r.p is fast and its vertices are near.
func (r *rowSolver) solveFree(g, free, z, warm []float64) {
	top, _ := rowMaxAbs(free)
	r.free, r.z = free, z
	r.begins(warm)
	r.minimise(nil, r.p.top*max(1, top))
	copy(g, r.g)
	fixSum(g)
}

// terms returns the linear term of the row z.
func (r *rowSolver) terms() []float64 {
	r.p.productsNear(r.rhs, r.z)
	return r.rhs
}

// solve overwrites g with the solution for the linear term b. If the origin is a vertex, its membership is
// left out of g. The support of the memberships in warm is tried first; nil: all vertices.
//
// If sums are at most 1, memberships of rows near the origin grow in proportion to the row until they add up
// to 1. solve multiplies such a b by 2^lift and divides the result by it, so that errors are relative to the
// sum of the memberships.
func (r *rowSolver) solve(g, b, warm []float64) {
	most, _ := rowMaxAbs(b)
	size, lift := max(r.p.top, most), 0
	if r.p.atMost && r.p.ridge == 0 && r.free == nil && most < 0x1p-8*size {
		_, e := math.Frexp(max(most/size, 0x1p-1000))
		lift = -e - 2
		scale(b, math.Ldexp(1, lift))
	}
	r.begins(warm)
	switch {
	case r.p.ridge == 0:
		for r.minimise(b, size); lift > 0 && r.g[len(b)-1] == 0; r.minimise(b, size) {
			less := min(lift, 8)
			scale(b, math.Ldexp(1, -less))
			lift -= less
		}
		copy(r.all, r.g)
	case r.p.local:
		r.finer().nearest(r.all, b, size)
	default:
		r.proximal(r.all, b, size)
	}
	fixSum(r.all)
	copy(g, r.all)
	if lift > 0 {
		scale(g, math.Ldexp(1, -lift))
	}
}

// begins sets r.warm, and r.in to the support of warm, or to all vertices if warm is nil.
func (r *rowSolver) begins(warm []float64) {
	some, rest := false, 1.0
	for j := range r.in {
		if j < len(warm) {
			rest -= warm[j]
			r.in[j] = warm[j] > 0
		} else {
			r.in[j] = warm == nil || rest > 1e-12
		}
		some = some || r.in[j]
	}
	if !some {
		r.in[0] = true
	}
	r.warm = warm
}

// nearShare is the weight of the distances between a row and the vertices. The distance between the row and
// its mixture has the weight 1.
const nearShare = 0x1p-20

// nearest solves for dependent vertices, for which many mixtures reach the least error. It writes to g the
// one with the smallest Σ g_j‖x − v_j‖². In general position the vertices of this mixture are the corners of
// the Delaunay cell that contains x.
//
// To find these vertices, nearest adds nearShare of that sum to the objective, as a change of b. It then
// solves for their memberships without the sum. It uses the smaller ridge, so that sums that differ little
// are still told apart.
func (r *rowSolver) nearest(g, b []float64, size float64) {
	tol := float64(r.p.k) * 0x1p-52 * size
	for j, v := range b {
		squares := r.p.gram.row(j)[j] - r.p.top/2 - r.p.ridge
		r.rhs[j] = v + nearShare*(v-squares/2)
	}
	r.descend(r.rhs, tol)
	copy(g, r.g)
	for j, v := range g {
		r.in[j] = v > 0
		r.rhs[j] = b[j] + r.p.ridge*v // without the bias of the ridge
	}
	if s := r.factor(); s != nil {
		if r.evaluate(s, r.rhs, tol); slices.Min(r.g) >= 0 {
			copy(g, r.g)
		}
	}
}

// proximal solves for dependent vertices. Each step adds ridge·‖g − g_t‖²/2 to the objective, which makes it
// strictly convex. From g₀ = 1/k the steps converge to the minimiser of least norm, without the bias of a
// fixed ridge (Rockafellar 1976).
//
// For vertices that are close but not the same, the steps may not converge. Then steps with the smaller ridge
// follow, and their result replaces g if it lowers the objective by more than rounding.
// If p.once is set, proximal takes one step from r.warm, or from 1/k. The objective does not rise.
func (r *rowSolver) proximal(g, b []float64, size float64) {
	rest := 1.0
	for j := range g {
		switch {
		case !r.p.once || r.warm == nil:
			g[j] = 1 / float64(len(g))
		case j < len(r.warm):
			g[j] = r.warm[j]
			rest -= g[j]
		default:
			g[j] = max(rest, 0)
		}
	}
	if r.approach(g, b, size) {
		return
	}
	fine := r.finer()
	copy(fine.in, r.in)
	copy(fine.current, g)
	fine.approach(fine.current, b, size)
	if fine.cost(fine.current, b) < fine.cost(g, b)-float64(8*len(g))*0x1p-52*size {
		copy(g, fine.current)
	}
}

// finer returns the solver with the smaller ridge.
func (r *rowSolver) finer() *rowSolver {
	if r.fine == nil {
		r.fine = newRowSolver(r.p.fine)
	}
	return r.fine
}

// approach takes up to ten proximal steps from g, which it overwrites, or one step if p.once is set. It
// returns true after this one step. It also does if the last step changed the gradient, which is the ridge
// times the change of g, by no more than rounding. Further steps would add the rounding of b, divided by the
// ridge, to g again and again.
func (r *rowSolver) approach(g, b []float64, size float64) (rest bool) {
	tol := float64(r.p.k) * 0x1p-52 * size
	for range 10 {
		for j, v := range b {
			r.rhs[j] = v + r.p.ridge*g[j]
		}
		r.minimise(r.rhs, size)
		var change float64
		for j, v := range r.g {
			change = max(change, math.Abs(v-g[j]))
			r.in[j] = v > 0
		}
		copy(g, r.g)
		if r.p.once || r.p.ridge*change <= tol {
			return true
		}
	}
	return false
}

// cost returns gᵀAg/2 − bᵀg without the ridge.
func (r *rowSolver) cost(g, b []float64) (sum float64) {
	for i, v := range g {
		if v != 0 {
			sum += v * ((dot(r.p.gram.row(i), g)-r.p.ridge*v)/2 - b[i])
		}
	}
	return sum
}

// minimise sets r.g to the minimiser for the linear term b. It starts from the support in r.in.
func (r *rowSolver) minimise(b []float64, size float64) {
	tol := float64(r.p.k) * 0x1p-52 * size
	// Exchange all infeasible vertices while their number falls. Each new minimum of the number allows three
	// rounds without another.
	least, grace := r.p.k+1, 3
	for {
		s := r.factor()
		if s == nil {
			break
		}
		if b == nil && !s.off {
			b = r.terms()
		}
		r.evaluate(s, b, tol)
		bad := 0
		for j, on := range r.in {
			if on && r.g[j] < 0 || !on && r.w[j] < -tol {
				bad++
			}
		}
		if bad == 0 {
			return
		}
		if bad < least {
			least, grace = bad, 3
		} else if grace--; grace < 0 {
			break
		}
		for j, on := range r.in { // S does not become empty, since the memberships on S add up to 1
			if on {
				r.in[j] = r.g[j] >= 0
			} else {
				r.in[j] = r.w[j] < -tol
			}
		}
	}
	if r.free != nil { // use only factors by S
		r.free = nil
		r.cache.reset(r.p.k)
		defer r.cache.reset(r.p.k)
	}
	if b == nil {
		b = r.terms()
	}
	r.descend(b, tol)
}

// descend sets r.g to the minimiser for the linear term b by the feasible active-set method. It starts at the
// memberships in r.warm, or at the best vertex, and adds or removes one vertex at a time. The objective falls
// strictly, so the descent ends. Rounding may prevent that, as among dependent vertices. Then the descent
// ends at a limit of steps, and r.g is the last feasible point.
func (r *rowSolver) descend(b []float64, tol float64) {
	k := r.p.k
	best := 0
	cost := func(j int) float64 { return r.p.gram.row(j)[j]/2 - b[j] }
	for j := range k {
		if cost(j) < cost(best) {
			best = j
		}
	}
	now := r.now
	barred := r.barred // vertices that entered and left at once, by rounding
	clear(now)
	clear(barred)
	if len(r.warm) == k {
		copy(now, r.warm)
	}
	for j, v := range now {
		r.in[j] = v > 0
	}
	if len(r.warm) != k || r.factor() == nil {
		clear(now)
		clear(r.in)
		now[best], r.in[best] = 1, true
	}
	entered := -1
	for range 50 * (k + 1) {
		s := r.factor()
		if s == nil && entered < 0 {
			break
		}
		if s == nil { // the entered vertex depends on the others to working accuracy
			r.in[entered], barred[entered] = false, true
			continue
		}
		r.evaluate(s, b, tol)
		if step, out := r.blocked(s); out >= 0 {
			if step == 0 && out == entered {
				barred[out] = true
			}
			for _, j := range s.index {
				now[j] += step * (r.g[j] - now[j])
			}
			now[out], r.in[out] = 0, false
			continue
		}
		copy(now, r.g)
		entered = -1
		for j, on := range r.in {
			if !on && !barred[j] && r.w[j] < -tol && (entered < 0 || r.w[j] < r.w[entered]) {
				entered = j
			}
		}
		if entered < 0 {
			return
		}
		r.in[entered] = true
	}
	for j, v := range now {
		r.g[j] = max(v, 0)
	}
	for j := range r.w { // the multipliers Ag − b of any r.g, up to a constant
		r.w[j] = dot(r.p.gram.row(j), r.g) - (b[j] - b[0])
	}
	for j, mean := 0, sumOf(r.w)/float64(k); j < k; j++ {
		r.w[j] -= mean
	}
	clear(r.in)
}

// blocked returns the fraction of the step from r.now to r.g after which a membership first becomes 0, and
// the vertex of this membership. If no membership becomes 0 it returns 1 and −1.
func (r *rowSolver) blocked(s *support) (step float64, out int) {
	step, out = 1, -1
	for _, j := range s.index {
		now := r.now[j]
		switch {
		case r.g[j] > 0:
		case now == 0:
			step, out = 0, j
		default:
			if t := now / (now - r.g[j]); t < step {
				step, out = t, j
			}
		}
	}
	return step, out
}

// factor returns the factors for the support in r.in, or nil if A_SS is singular to working accuracy.
func (r *rowSolver) factor() *support {
	clear(r.key)
	count := 0
	for j, on := range r.in {
		if on {
			r.key[j>>6] |= 1 << (j & 63)
			count++
		}
	}
	slot, s := r.cache.find(r.key)
	if s == nil {
		a, off := r.p.gram.Data, r.free != nil && 2*count > r.p.k
		if off {
			a, count = r.p.projected, r.p.k-count
		}
		s = r.cache.add(slot, r.key, count)
		s.off = off
		for j, on := range r.in {
			if on != off {
				s.index = append(s.index, j)
			}
		}
		for t, i := range s.index {
			row, out := a[i*r.p.k:], s.chol[t*count:t*count+t+1]
			for c, j := range s.index[:t+1] {
				out[c] = row[j]
			}
			s.h[t] = 1
		}
		if s.ok = cholesky(s.chol, count); s.ok {
			cholSolve(s.chol, count, s.h)
			s.sum = sumOf(s.h)
		}
	}
	if !s.ok {
		return nil
	}
	return s
}

// evaluate sets r.g to the solution on S, 0 elsewhere, and r.w to the gradient Ag − b + μ. At the optimum the
// gradient is 0 on S and at least 0 off S.
func (r *rowSolver) evaluate(s *support, b []float64, tol float64) {
	if s.off {
		r.evaluateOff(s)
		return
	}
	n := len(s.index)
	y := r.w[:n] // scratch until the gradient replaces it
	// A constant added to b changes only μ. After the shift, entries of b on the support of a solution are no
	// larger than entries of A, however far the sample is from the vertices, so that no digits cancel.
	shift := b[s.index[0]]
	for a, j := range s.index {
		y[a] = b[j] - shift
	}
	cholSolve(s.chol, n, y)
	total := -1.0
	for _, v := range y {
		total += v
	}
	mu := total / s.sum
	clear(r.g)
	for a, j := range s.index {
		r.g[j] = y[a] - mu*s.h[a]
	}
	// If vertices differ much in length, y and mu·h are large, and their difference is inexact. Iterative
	// refinement, which is seldom required, corrects it.
	for range 4 {
		if r.gradient(s, b, shift, mu) <= tol/4 {
			break
		}
		y = r.step[:n]
		total = -1
		for a, j := range s.index {
			y[a] = r.w[j]
			total += r.g[j]
		}
		cholSolve(s.chol, n, y)
		for _, v := range y {
			total -= v
		}
		change := total / s.sum
		for a, j := range s.index {
			r.g[j] -= y[a] + change*s.h[a]
		}
		mu += change
	}
}

// evaluateOff sets r.g and r.w as evaluate does. It assumes s.off, which means that few vertices are off S.
func (r *rowSolver) evaluateOff(s *support) {
	y := r.part[:len(s.index)]
	for a, j := range s.index {
		y[a] = -r.free[j]
	}
	cholSolve(s.chol, len(y), y)
	copy(r.g, r.free)
	addRows(r.g, y, s.index, r.p.projected)
	clear(r.w)
	for a, j := range s.index {
		r.g[j] = 0
		r.w[j] = y[a]
	}
}

// gradient sets r.w to Ag − b + μ, for b less shift, and returns the largest |w| on S.
func (r *rowSolver) gradient(s *support, b []float64, shift, mu float64) (off float64) {
	for i, v := range b {
		r.w[i] = mu - (v - shift)
	}
	part := r.part[:len(s.index)]
	for a, j := range s.index {
		part[a] = r.g[j]
	}
	addRows(r.w, part, s.index, r.p.gram.Data)
	for _, j := range s.index {
		off = max(off, math.Abs(r.w[j]))
	}
	return off
}
