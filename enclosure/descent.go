package enclosure

// Small simplices of more than three vertices, by descents that move two facets at a time.

import (
	"context"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/la"
)

const (
	starts       = 32      // descents for k = 6; their number goes as k^-4
	rounds       = 64      // passes over the points, for each
	sweeps       = 64      // over all pairs of facets, for each pass
	leastGain    = 1e-4    // the gain of a sweep, in log volume, up to which it is the last of a start
	mostWork     = 1 << 30 // multiplications of all programs: some seconds
	mostVertices = 64      // programs of more unknowns would use up the work
	tiny         = 1e-12   // memberships, slopes and multipliers up to this size are rounding
)

// descent is a simplex around the rows of w that becomes smaller.
//
// A simplex is its barycentric coordinates: k = p+1 linear functions f_j of (w, 1), which are at least 0 on
// the rows and add up to 1. Its volume is 1/(p!·|det F|) for their coefficients F. A descent moves two facets
// at a time as far as a list of rows allows (after Chan, Chi, Huang & Ma, A convex analysis-based
// minimum-volume enclosing simplex algorithm for hyperspectral unmixing, 2009). Rows that turn out to be
// outside join the list. It ends when no two facets can be moved to less volume.
type descent struct {
	ctx  context.Context
	w    *softkmeans.Matrix // n×p
	f    *softkmeans.Matrix // k×k: row j contains the coefficients of f_j
	gain float64            // of a sweep, in log volume: a smaller gain ends the sweeps
	list []int              // rows that bound the descent
	g    []float64          // len(list)×k: their memberships
	work int                // multiplications so far
}

// descended returns the corners (k×p) of the smallest of some simplices around the rows of w (n×p), which
// reach about equally far along each axis. It returns nil if ctx ends, an SVD fails, or no descent ends at a
// simplex. A quarter of the descents begin with a regular simplex around the rows. The others begin ever
// nearer to the best simplex so far. No two facets of the best simplex can be moved, but all its facets
// together may be. The distances were tried for k from 4 to 7, on rows that mix up to three centers.
// Memberships were at most .6 to .8. With these distances the volume exceeded the smallest by less than half
// as much as with the distance .1 for all descents.
func descended(ctx context.Context, w *softkmeans.Matrix) *softkmeans.Matrix {
	p, k := w.Cols, w.Cols+1
	d := &descent{ctx: ctx, w: w, list: la.Farthest(ctx, w)} // rows that span all dimensions bound every program
	plain := softkmeans.RegularSimplex(k)
	la.Scale(math.Sqrt(float64(k)/float64(p)), plain.Data)
	var best, corners *softkmeans.Matrix
	least, count := math.Inf(1), max(1, starts*1296/(k*k*k*k))
	for seed := 0; seed <= count; seed++ {
		if ctx.Err() != nil || best == nil && seed > count/4 {
			return nil
		}
		normals := la.Product(plain, softkmeans.RandomOrientation(k, uint64(seed)))
		switch d.gain, d.f = leastGain, softkmeans.NewMatrix(k, k, nil); {
		case seed == count: // the best goes on to its end
			d.gain, d.f = 0, best
		case seed > count/4: // near the best
			near := .1 * math.Pow(.1, float64(seed-count/4)/float64(count-count/4))
			for j := range k {
				copy(d.f.Row(j), best.Row(j))
				for l := range k {
					la.Axpy(d.f.Row(j), near/float64(k)*la.Dot(normals.Row(j), plain.Row(l)), best.Row(l))
				}
			}
		default:
			for j := range k {
				copy(d.f.Row(j), normals.Row(j))
				d.f.Set(j, p, 1/float64(k))
			}
		}
		d.run()
		u, s, v, err := softkmeans.SVD(d.f)
		if err != nil {
			return nil
		}
		log := 0.0
		for _, x := range s {
			log -= math.Log(x)
		}
		if log < least { // also at the end: rows that join the list may stop a descent above its start
			best, least, corners = d.f, log, cornersOf(u, s, v)
		}
	}
	return corners
}

// cornersOf returns the corners V of the simplex whose coefficients have the SVD F = u·diag(s)·vᵀ: the
// coordinates of the corners are 0 and 1, (V, 1)·Fᵀ = I.
func cornersOf(u *softkmeans.Matrix, s []float64, v *softkmeans.Matrix) *softkmeans.Matrix {
	axes := la.Transpose(v)
	for l, x := range s {
		la.Scale(1/x, axes.Row(l))
	}
	corners := la.Product(u, axes)
	corners.Cols--
	return corners.Clone()
}

// run descends until no row is outside. It ends earlier if the rounds or the work are used up, or if ctx
// ends. The simplex then encloses all rows, too, unless ctx has ended.
func (d *descent) run() {
	k := d.f.Cols
	for round := 0; ; round++ {
		outside := d.enclose()
		if !outside && round > 0 || round == rounds || d.work >= mostWork || d.ctx.Err() != nil {
			return
		}
		d.g = make([]float64, len(d.list)*k)
		for r, i := range d.list {
			for j := range k {
				d.g[r*k+j] = max(0, d.coordinate(j, i))
			}
		}
		for range sweeps {
			gain := 0.0
			for i := range k {
				for j := 0; j < i && d.work < mostWork && d.ctx.Err() == nil; j++ {
					gain += d.improve(i, j)
				}
			}
			if gain <= d.gain {
				break
			}
		}
	}
}

// coordinate returns the barycentric coordinate j of row i.
func (d *descent) coordinate(j, i int) float64 {
	f, p := d.f.Row(j), d.w.Cols
	return f[p] + la.Dot(f[:p], d.w.Row(i))
}

// enclose moves each facet to touch the rows from outside. It puts the rows that are touched on the list, and
// reports whether a row was outside.
func (d *descent) enclose() (outside bool) {
	k := d.f.Rows
	low, at := make([]float64, k), make([]int, k)
	for j := range low {
		low[j] = math.Inf(1)
	}
	for i := range d.w.Rows {
		if i%1024 == 0 && d.ctx.Err() != nil {
			return false
		}
		for j := range k {
			if v := d.coordinate(j, i); v < low[j] {
				low[j], at[j] = v, i
			}
		}
	}
	rest := 1.0
	for j, v := range low {
		outside = outside || v < -tiny
		if !slices.Contains(d.list, at[j]) {
			d.list = append(d.list, at[j])
		}
		d.f.Row(j)[k-1] -= v
		rest -= v
	}
	la.Scale(1/rest, d.f.Data)
	return outside
}

// improve replaces f_i by Σx_l·f_l for the solution x of a linear program, and f_j by f_i + f_j − Σx_l·f_l.
// This divides the volume by x_i − x_j; improve returns the logarithm of x_i − x_j, or 0 if it changes
// nothing. The program maximises x_i − x_j over 0 ≤ g·x ≤ g_i + g_j for the memberships g on the list, by
// active sets, starting at x = e_i. A program that cycles ends early.
func (d *descent) improve(i, j int) float64 {
	k, n := d.f.Rows, len(d.list)
	x, along, y, t := make([]float64, k), make([]float64, k), make([]float64, n), make([]float64, n)
	x[i] = 1
	for r := range y {
		y[r] = d.g[r*k+i]
	}
	var a activeRows
	for range 20 * k {
		clear(along)
		along[i], along[j] = 1, -1
		if a.project(along); la.Norm(along) < tiny || len(a.a) == k { // k bounds leave rounding alone
			if !a.drop(i, j) {
				break
			}
			continue
		}
		d.work += k * (n + 3*k)
		step, at, sign := math.Inf(1), -1, 0.0
		for r := range t {
			g := d.g[r*k : (r+1)*k]
			t[r] = la.Dot(g, along)
			if room := y[r] / -t[r]; t[r] < -tiny && room < step {
				step, at, sign = room, r, -1
			}
			if room := (g[i] + g[j] - y[r]) / t[r]; t[r] > tiny && room < step {
				step, at, sign = room, r, 1
			}
		}
		if at < 0 {
			break
		}
		step = max(0, step)
		la.Axpy(x, step, along)
		la.Axpy(y, step, t)
		a.add(d.g[at*k:(at+1)*k], sign)
	}
	gain := math.Log(x[i] - x[j])
	if !(gain > 0) {
		return 0
	}
	f := make([]float64, k)
	for l, v := range x {
		la.Axpy(f, v, d.f.Row(l))
	}
	la.Axpy(d.f.Row(j), 1, d.f.Row(i))
	la.Axpy(d.f.Row(j), -1, f)
	copy(d.f.Row(i), f)
	for r := range n {
		g := d.g[r*k : (r+1)*k]
		sum := g[i] + g[j]
		g[i] = min(max(0, la.Dot(g, x)), sum)
		g[j] = sum - g[i]
	}
	return gain
}

// activeRows are the normals a of the bounds a·x ≤ b that hold with equality, at most k.
type activeRows struct{ a, q, r [][]float64 }

// add takes up sign·g, which is not in the span of the others.
func (s *activeRows) add(g []float64, sign float64) {
	a := slices.Clone(g)
	la.Scale(sign, a)
	s.a = append(s.a, a)
	q, r := slices.Clone(a), make([]float64, len(a))
	for range 2 {
		for l, u := range s.q {
			c := la.Dot(u, q)
			r[l] += c
			la.Axpy(q, -c, u)
		}
	}
	r[len(s.q)] = la.Norm(q)
	la.Scale(1/r[len(s.q)], q)
	s.q, s.r = append(s.q, q), append(s.r, r)
}

// project projects x on the space in which the active bounds do not change.
func (s *activeRows) project(x []float64) {
	for range 2 {
		for _, q := range s.q {
			la.Axpy(x, -la.Dot(q, x), q)
		}
	}
}

// drop leaves out the bound that holds x_i − x_j back most, and reports false if there is none.
func (s *activeRows) drop(i, j int) bool {
	// e_i − e_j = Σ μ_l·a_l: a bound with μ < 0 may be left.
	m := len(s.a)
	mu, worst := make([]float64, m), m
	for l := m - 1; l >= 0; l-- {
		mu[l] = s.q[l][i] - s.q[l][j]
		for c := l + 1; c < m; c++ {
			mu[l] -= s.r[c][l] * mu[c]
		}
		mu[l] /= s.r[l][l]
		if mu[l] < -tiny && (worst == m || mu[l] < mu[worst]) {
			worst = l
		}
	}
	if worst == m {
		return false
	}
	left := slices.Delete(s.a, worst, worst+1)
	*s = activeRows{}
	for _, a := range left {
		s.add(a, 1)
	}
	return true
}
