package softkmeans

// What a change of the data must do to the results: a table of changes × functions
// over all sets, each cell with a tolerance of its own.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// roundOff bounds what rounding does to the closed form for x and k.
type roundOff struct {
	square  float64 // to squared singular values and sums of them, in units of the total
	plane   float64 // to the principal subspace: the sine of an angle
	vectors float64 // to its single directions, likewise
	gap     float64 // the least difference of squared singular values that single directions rest on
	last    float64 // the difference of squared singular values at the end of the subspace
}

// roundingOf: sums over n rows and m reductions of the Gram matrix leave an error of E = 2^-52·(√n +
// m)·‖X‖·σ₁ in it, X with its mean, since that is subtracted. Each of m eigenvalues moves by ‖E‖
// at most (Weyl), a subspace by ‖E‖ over its gap (Davis & Kahan).
func roundingOf(x *Matrix, floors []float64, k int) (r roundOff) {
	total, m := floors[0], float64(min(x.Rows, x.Cols))
	values := make([]float64, len(floors)-1)
	for i := range values {
		values[i] = floors[i] - floors[i+1]
	}
	e := 0x1p-52 * (math.Sqrt(float64(x.Rows)) + m) * math.Sqrt(sumSquares(x.Data)*values[0])
	r.square = m * e / total
	r.gap = math.Inf(1)
	r.last = math.Inf(1)
	for i := 0; i < k-1 && i+1 < len(values); i++ {
		r.last = values[i] - values[i+1]
		r.gap = min(r.gap, r.last)
	}
	r.plane, r.vectors = e/r.last, e/r.gap
	return r
}

// table is data with weights; nil: all 1.
type table struct {
	x *Matrix
	w []float64
}

// change is a pair of tables of which the second must have the first's results, moved.
type change struct {
	name     string
	old, new table
	from     []int // row i of new is row from[i] of old
	// center writes to dst where a center of old, or a row of it, is in new.
	center func(dst, c []float64)
	exp    int  // new's unit is 2^exp
	exact  bool // to the bit
	turns  bool // signs and order of columns change, and with them the simplex that Fit takes
}

// forward is where centers of old are in new.
func (c *change) forward(f *Matrix) *Matrix {
	out := NewMatrix(f.Rows, c.new.x.Cols, nil)
	for j := range f.Rows {
		c.center(out.row(j), f.row(j))
	}
	return out
}

func changesOf(x *Matrix) (list []*change) {
	rng := rand.New(rand.NewPCG(7, uint64(x.Cols)))
	n, d := x.Rows, x.Cols
	same := make([]int, n)
	for i := range same {
		same[i] = i
	}
	add := func(name string, cols int, center func(dst, c []float64)) *change {
		c := &change{name: name, old: table{x: x}, from: same, center: center}
		c.new.x = NewMatrix(n, cols, nil)
		for i := range n {
			center(c.new.x.row(i), x.row(i))
		}
		list = append(list, c)
		return c
	}
	add("translation", d, func(dst, c []float64) {
		for j, v := range c {
			dst[j] = v + float64(j%7) - 2.3
		}
	})
	for _, e := range []int{5, -490, 490} {
		c := add(fmt.Sprintf("2^%d", e), d, func(dst, c []float64) {
			for j, v := range c {
				dst[j] = math.Ldexp(v, e)
			}
		})
		c.exp, c.exact = e, true
	}
	q := laOrthogonal(d, rng)
	add("rotation", d, func(dst, c []float64) {
		for j := range dst {
			dst[j] = dot(c, q.row(j))
		}
	}).turns = true
	add("reflection", d, func(dst, c []float64) {
		for j, v := range c {
			dst[j] = math.Copysign(v, v*float64(1-2*(j%2)))
		}
	}).turns = true
	order := rng.Perm(d)
	add("columns permuted", d, func(dst, c []float64) {
		for j, o := range order {
			dst[j] = c[o]
		}
	})
	add("constant column", d+1, func(dst, c []float64) {
		copy(dst, c)
		dst[d] = 1.7
	})
	add("zero column", d+1, func(dst, c []float64) { copy(dst, c) })
	// Of the rows.
	keep := func(dst, c []float64) { copy(dst, c) }
	picked := func(name string, from []int, old, new []float64) {
		y := NewMatrix(len(from), d, nil)
		for i, o := range from {
			copy(y.row(i), x.row(o))
		}
		list = append(list, &change{name: name, old: table{x, old}, new: table{y, new}, from: from,
			center: keep})
	}
	picked("rows permuted", rng.Perm(n), nil, nil)
	whole, parts := make([]float64, n), []float64{}
	var repeated, split []int
	for i := range n {
		whole[i] = float64(i % 3)
		for range i % 3 {
			repeated = append(repeated, i)
		}
		split, parts = append(split, i), append(parts, 1)
		if i%4 == 0 {
			split, parts = append(split, i), append(parts, 0.3)
			parts[len(parts)-2] = 0.7
		}
	}
	picked("rows repeated for weights", repeated, whole, nil)
	picked("weights split", split, nil, parts)
	return list
}

// metaResult is the result of a function for a table. A field that the function does not compute is nil or 0.
type metaResult struct {
	squares              []float64 // objective, floor, total, …: in squared units
	centers, memberships *Matrix
	tol                  float64 // of an iteration
}

// metaFunction is a column of the table.
type metaFunction struct {
	name     string
	iterates bool // follows the start that it is given, so that nothing turns
	krylov   bool
	of       func(t table, k int, start, g *Matrix) (metaResult, error)
}

func metaFunctions() (list []metaFunction) {
	model := func(m *Model) metaResult {
		return metaResult{squares: []float64{m.Objective, m.Floor, m.Total}, centers: m.Centers,
			memberships: m.Memberships}
	}
	for i, solver := range allSolvers {
		e := allEnclosures[(i+1)%2]
		fit := func(t table, k int, _, _ *Matrix) (metaResult, error) {
			m, err := Fit(bg, t.x, k, &Options{Weights: t.w, Solver: solver, Enclosure: e})
			if err != nil {
				return metaResult{}, err
			}
			return model(m), nil
		}
		list = append(list, metaFunction{fmt.Sprintf("Fit %v %v", solver, e), false, solver == SolverKrylov,
			fit})
	}
	iterated := func(m *Model, err error) (metaResult, error) {
		if err != nil {
			return metaResult{}, err
		}
		r := model(m)
		values, _, err := EigenSym(product(m.Memberships.transposed(), m.Memberships))
		// As in pinned.iterated.
		condition := values[0] / values[len(values)-1]
		r.tol = float64(m.Iterations+1) * math.Sqrt(float64(m.Memberships.Rows)) * condition * 0x1p-52
		return r, err
	}
	return append(list,
		metaFunction{name: "Floors", of: func(t table, k int, _, _ *Matrix) (metaResult, error) {
			floors, err := Floors(bg, t.x, &Options{Weights: t.w})
			return metaResult{squares: floors}, err
		}},
		metaFunction{name: "Certify", of: func(t table, k int, start, g *Matrix) (metaResult, error) {
			c, err := Certify(bg, t.x, start, g, &Options{Weights: t.w})
			return metaResult{squares: []float64{c.Objective, c.Floor, c.Total}}, err
		}},
		metaFunction{name: "FitMinVolume", iterates: true,
			of: func(t table, k int, start, _ *Matrix) (metaResult, error) {
				return iterated(FitMinVolume(bg, t.x, k, &MinVolumeOptions{Weights: t.w, Centers: start,
					MaxIter: 160}))
			}},
		metaFunction{name: "FitAlternating", iterates: true,
			of: func(t table, k int, start, _ *Matrix) (metaResult, error) {
				return iterated(FitAlternating(bg, t.x, k, &MinVolumeOptions{Weights: t.w, Centers: start,
					MaxIter: 20}))
			}},
	)
}

// metaSets are all sets, of which so many rows must do, and 400 where the environment names a folder.
func metaSets(t *testing.T, rows int) (sets []dataSet) {
	for _, s := range dataSets(t) {
		if os.Getenv("SOFTKMEANS_DATA") != "" {
			rows = 400
		}
		s.x = rowsOf(s.x, 0, min(s.x.Rows, rows))
		if !quick() || s.x.Cols < 20 {
			sets = append(sets, s)
		}
	}
	return sets
}

// TestMetamorphic runs the table.
func TestMetamorphic(t *testing.T) {
	t.Parallel()
	for _, set := range metaSets(t, fewer(200, 50)) {
		x, k := set.x, set.k
		start := NewMatrix(k, x.Cols, nil)
		for j := range k { // means of every k-th row: all different, and near
			for i := j; i < x.Rows; i += 2 * k {
				axpy(start.row(j), 2*float64(k)/float64(x.Rows), x.row(i))
			}
		}
		g := mustDo(SimplexLeastSquares(nil, x, start, nil))(t)
		for _, c := range changesOf(x) {
			moved, h := c.forward(start), NewMatrix(c.new.x.Rows, k, nil)
			for i, o := range c.from {
				copy(h.row(i), g.row(o))
			}
			floors := mustDo(Floors(bg, c.old.x, &Options{Weights: c.old.w}))(t)
			r := roundingOf(c.old.x, floors, k)
			if c.exp == 0 {
				more := mustDo(Floors(bg, c.new.x, &Options{Weights: c.new.w}))(t)
				s := roundingOf(c.new.x, more[:min(len(more), len(floors))], k)
				r = roundOff{max(r.square, s.square), max(r.plane, s.plane), max(r.vectors, s.vectors),
					min(r.gap, s.gap), min(r.last, s.last)}
			}
			for _, f := range metaFunctions() {
				// With k > d a column more gives the simplex, or FitMinVolume's rule, another dimension; and
				// the alternating methods have a floor of 0 there, which many solutions reach.
				if k > x.Cols && (f.iterates && !c.exact || c.new.x.Cols > x.Cols) {
					continue
				}
				a, b := mustDo(f.of(c.old, k, start, g))(t), mustDo(f.of(c.new, k, moved, h))(t)
				off := c.compare(a, b, f, r, floors, k)
				if !(slices.Max(off[:]) <= 1) {
					t.Errorf("%s, k = %d, %s, %s: squares, GF, centers, memberships off by %.2g tolerances",
						set.name, k, c.name, f.name, off)
				}
			}
		}
	}
}

// compare returns the errors of squares, of GF, centers and memberships, in tolerances.
func (c *change) compare(a, b metaResult, f metaFunction, r roundOff, floors []float64,
	k int) (off [4]float64) {
	total := floors[0]
	square, plane, vectors := r.square, r.plane, r.vectors
	if f.krylov {
		// It stops where the floor is proved to krylovTol of the total: the subspace may be
		// off by an angle whose square times the gap is that.
		square += krylovTol
		plane += math.Sqrt(krylovTol * total / r.last)
	}
	if f.iterates {
		square = max(square, a.tol, b.tol)
		plane, vectors = square, square
	}
	for i, v := range a.squares {
		if len(b.squares) <= i {
			break
		}
		d := math.Abs(b.squares[i] - math.Ldexp(v, 2*c.exp))
		if c.exact && d > 0 {
			off[0] = math.Inf(1)
		} else if d > 0 {
			off[0] = max(off[0], d/(square*total))
		}
	}
	if a.centers == nil {
		return off
	}
	want := c.forward(a.centers)
	g := NewMatrix(b.memberships.Rows, k, nil)
	for i, o := range c.from {
		copy(g.row(i), a.memberships.row(o))
	}
	length := func(p, q *Matrix) float64 {
		d := p.Clone()
		for i := range d.Rows {
			axpy(d.row(i), -1, q.row(i))
		}
		return norm2(d.Data)
	}
	n := math.Sqrt(float64(len(c.from)))
	if c.exact {
		if !laSameBits(want.Data, b.centers.Data) {
			off[2] = math.Inf(1)
		}
		if !laSameBits(g.Data, b.memberships.Data) {
			off[3] = math.Inf(1)
		}
		return off
	}
	size := norm2(b.centers.Data)
	off[1] = length(product(g, want), product(b.memberships,
		b.centers)) / (plane*math.Sqrt(total) + n*0x1p-52*size*n)
	if c.turns && !f.iterates || f.krylov {
		return off
	}
	off[2] = length(want, b.centers) / (vectors*size + n*0x1p-52*size)
	off[3] = length(g, b.memberships) / (vectors * n)
	return off
}
