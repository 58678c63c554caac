package softkmeans

// Regular simplices, those that enclose the data, and volumes.

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
)

// RegularSimplex returns the vertices of a regular simplex around the origin, the rows of a
// k×(k−1) matrix B with BᵀB = I, 1ᵀB = 0 and BBᵀ = I − 11ᵀ/k. Cost: O(k²). It panics if k < 1.
//
// Its columns are the Helmert contrasts, the "EVs of H_k" of the paper's Algorithm 1, line 3: column j
// (from 0) is 1/√((j+1)(j+2)) in rows 0…j, −(j+1)/√((j+1)(j+2)) in row j+1, and 0 below.
func RegularSimplex(k int) *Matrix {
	if k < 1 {
		panic("softkmeans: RegularSimplex of " + strconv.Itoa(k) + " vertices")
	}
	b := NewMatrix(k, k-1, nil)
	for i := range k {
		row := b.row(i)
		for j := range row {
			row[j] = helmert(i, j)
		}
	}
	return b
}

// helmert returns entry (i, j) of B.
func helmert(i, j int) float64 {
	f := float64(j + 1)
	switch {
	case i <= j:
		return 1 / math.Sqrt(f*(f+1))
	case i == j+1:
		return -f / math.Sqrt(f*(f+1))
	}
	return 0
}

// RandomOrientation returns a random (k−1)×(k−1) orthogonal matrix, the same for the same
// seed. As [Options].Orientation each gives another global optimum. Cost: O(k³).
func RandomOrientation(k int, seed uint64) *Matrix {
	if k < 1 {
		panic("softkmeans: RandomOrientation for " + strconv.Itoa(k) + " centers")
	}
	q := NewMatrix(k-1, k-1, nil)
	rng := rand.New(rand.NewPCG(seed, 0x0412e7))
	for i := range q.Data {
		q.Data[i] = 2*rng.Float64() - 1
	}
	orthonormalize(context.Background(), q, 0)
	return q
}

// Enclosure is the rule by which Fit places its simplex around the data. All rules reach the same, global,
// minimum of the objective. enclosure.Smallest makes any simplex of Fit smaller.
type Enclosure int

const (
	// EnclosureBall is the paper's (Algorithm 1, lines 4–6): the regular simplex around the smallest ball
	// about the mean that holds the projected data. No row of positive weight has a membership above 2/k.
	EnclosureBall Enclosure = iota
	// EnclosureTight is the smallest regular simplex of the same orientation: each facet touches the data.
	// Its prototypes are nearer to the data and its memberships farther from 1/k.
	//
	// Where the data has fewer than k−1 dimensions and there is no Orientation, which is not read where
	// min(n, d) < k−1, it has as many. The other centers repeat its vertices, and share their memberships.
	EnclosureTight
	enclosureCount // a new enclosure stands before it
)

// String returns "ball" or "tight".
func (e Enclosure) String() string { return nameOf("Enclosure", int(e), "ball", "tight") }

// enclosure is a regular simplex in the coordinates of the projected data. Its inward facet normals are unit
// vectors u_j with Σu_j = 0, its vertices t + (k−1)ρ·u_j for the inradius ρ and the centre t. A point w
// has barycentric coordinates 1/k + u_jᵀ(w − t)/(kρ).
type enclosure struct {
	normals *Matrix   // k×p: the u_j; k×(k−1) ones cut to the p coordinates that the data has
	centre  []float64 // p
	radius  float64   // ρ; 0 if all points are one
}

// normalsOf returns the u_j for an orientation q, cut to p ≤ k−1 coordinates: rows of B·q,
// scaled to length 1 before the cut. With q nil they are rows of B.
func normalsOf(k, p int, q *Matrix) *Matrix {
	u := NewMatrix(k, p, nil)
	long := math.Sqrt(float64(k) / float64(max(k-1, 1)))
	for j := range k {
		row := u.row(j)
		if q == nil { // without all of B: k may be far above p
			for c := range row {
				row[c] = helmert(j, c)
			}
		} else {
			for l := range k - 1 {
				axpy(row, helmert(j, l), q.row(l)[:p])
			}
		}
		scale(row, long)
	}
	return u
}

// extent says how far a set of points w reaches.
type extent struct {
	radius float64   // the largest length
	facets []float64 // for each u_j the largest −u_jᵀw
	// squares is the weighted sum of the squared lengths, of placeSimplex alone.
	squares fineSum
}

// extentOf returns the extent of the rows of w.
func extentOf(w, normals *Matrix, kind Enclosure) *extent {
	e := &extent{facets: make([]float64, normals.Rows)}
	for i := range w.Rows {
		e.add(w.row(i), normals, kind)
	}
	return e
}

// add adds a point, and returns its squared length. A ball needs the radius only.
func (e *extent) add(w []float64, normals *Matrix, kind Enclosure) (squares float64) {
	squares = sumSquares(w)
	if r := math.Sqrt(squares); r > e.radius { // faster than max
		e.radius = r
	}
	if kind != EnclosureBall {
		for j := range e.facets {
			e.facets[j] = max(e.facets[j], -dot(normals.row(j), w))
		}
	}
	return squares
}

// merge adds another set of points.
func (e *extent) merge(f *extent) {
	e.radius = max(e.radius, f.radius)
	e.squares.merge(f.squares)
	for j, v := range f.facets {
		e.facets[j] = max(e.facets[j], v)
	}
}

// enclose returns the simplex of the given kind around points of the given extent.
func enclose(kind Enclosure, normals *Matrix, ext *extent) *enclosure {
	k, p := normals.Rows, normals.Cols
	e := &enclosure{normals: normals, centre: make([]float64, p), radius: ext.radius}
	if kind == EnclosureBall || k == 1 {
		return e
	}
	// t = −((k−1)/k)Σh_j u_j. With all k−1 coordinates every facet then is ρ = Σh_j/k away. With
	// fewer the farthest facet decides, and the ball's centre is taken if it is better.
	for j, h := range ext.facets {
		axpy(e.centre, -h*float64(k-1)/float64(k), normals.row(j))
	}
	var off, plain float64
	for j, h := range ext.facets {
		off = max(off, h+dot(normals.row(j), e.centre))
		plain = max(plain, h)
	}
	if plain <= off {
		clear(e.centre)
		off = plain
	}
	e.radius = off
	return e
}

// flatten returns the smallest regular simplex of q < k−1 dimensions around points that have no more, with
// its vertices repeated. Of the normals' first q coordinates, rows 0 to q are the Helmert contrasts of q+1
// vertices, but for their length.
func flatten(normals *Matrix, ext *extent, q int) *placement {
	k := normals.Rows
	long := math.Sqrt(float64(q) / float64(q+1) * float64(k) / float64(k-1)) // of a cut row
	low := &extent{facets: make([]float64, q+1)}
	for j := range low.facets {
		if q > 0 {
			low.facets[j] = ext.facets[j] / long
		}
	}
	return enclose(EnclosureTight, normalsOf(q+1, q, nil), low).placement().repeated(k, normals.Cols)
}

// placement is a simplex in the coordinates of the projected data.
type placement struct {
	vertices    *Matrix // k×p
	coordinates *barycentric
	regular     *enclosure // with these vertices, or each of them once
	inside      *extent    // of placeSimplex: that of the points inside
}

// placement returns the enclosure's vertices and coordinates.
func (e *enclosure) placement() *placement {
	k, p := e.normals.Rows, e.normals.Cols
	v := NewMatrix(k, p, nil)
	for j := range k {
		for c, u := range e.normals.row(j) {
			v.row(j)[c] = e.centre[c] + float64(k-1)*e.radius*u
		}
	}
	return &placement{vertices: v, coordinates: e.coordinates(), regular: e}
}

// repeated returns a placement of k vertices in p coordinates, which repeat those of a. Copies share the
// coordinate, as the shortest memberships do.
func (a *placement) repeated(k, p int) *placement {
	m, q := a.vertices.Rows, a.vertices.Cols
	old := a.coordinates
	to := &barycentric{at: make([]float64, k), slope: NewMatrix(p, k, nil), radius: old.radius}
	vertices := NewMatrix(k, p, nil)
	for j := range k {
		from := j % m
		share := 1 / float64((k-from+m-1)/m)
		copy(vertices.row(j), a.vertices.row(from))
		to.at[j] = share * old.at[from]
		for c := range q {
			to.slope.row(c)[j] = share * old.slope.row(c)[from]
		}
	}
	return &placement{vertices: vertices, coordinates: to, regular: a.regular}
}

// barycentric maps points to their barycentric coordinates in a simplex.
type barycentric struct {
	at     []float64 // the coordinates of 0
	slope  *Matrix   // p×k: their slopes along each axis, for a radius of 1
	radius float64
}

// coordinates returns the map to the enclosure's coordinates.
func (e *enclosure) coordinates() *barycentric {
	k, p := e.normals.Rows, e.normals.Cols
	b := &barycentric{at: make([]float64, k), slope: NewMatrix(p, k, nil), radius: e.radius}
	for j := range k {
		b.at[j] = 1 / float64(k)
		for c, u := range e.normals.row(j) {
			b.slope.row(c)[j] = u / float64(k)
		}
		if e.radius > 0 {
			b.at[j] -= dot(e.normals.row(j), e.centre) / e.radius / float64(k)
		}
	}
	return b
}

// of overwrites g (length k) with the coordinates of the point w: at least 0, adding up to 1.
func (b *barycentric) of(g, w []float64) {
	copy(g, b.at)
	if b.radius == 0 {
		return
	}
	c := 0
	for ; c+2 <= len(w); c += 2 {
		u, v := b.slope.row(c)[:len(g)], b.slope.row(c + 1)[:len(g)]
		x, y := w[c]/b.radius, w[c+1]/b.radius // the slope over the radius could overflow
		for j := range g {
			g[j] += x*u[j] + y*v[j]
		}
	}
	if c < len(w) {
		axpy(g, w[c]/b.radius, b.slope.row(c))
	}
	fixSum(g) // a point on a facet may come out a rounding error below 0
}

// fixSum makes entries below 0 zero, and adds what the sum lacks of 1, a rounding error, to the largest
// entry. Zeros stay 0.
func fixSum(g []float64) {
	for range 2 {
		sum, best := 0.0, 0
		for j, v := range g {
			if v < 0 {
				v, g[j] = 0, 0
			}
			sum += v
			if v > g[best] {
				best = j
			}
		}
		if len(g) > 1024 { // a plain sum's error is not small next to the entries
			var all fineSum
			for _, v := range g {
				all.add(v)
			}
			sum = all.value()
		}
		if sum == 1 {
			return
		}
		g[best] += 1 - sum
	}
}

// LogVolume returns the natural logarithm of the (k−1)-dimensional volume of the simplex whose k vertices
// are the rows of the given k×d matrix. Compare prototypes by it, and with proof.VolumeFloor. It is 0 for a
// single point, and −Inf if the vertices are affinely dependent, as they always are for k > d+1; where only
// rounding keeps them independent, each direction lost adds some −35. Differences below 2^-500 of the
// largest entry count as 0. Cost: O(k²d). Errors: [ErrShape], [ErrNonFinite], [ErrRange], [ErrTooFewSamples]
// without vertices.
func LogVolume(vertices *Matrix) (float64, error) {
	if err := checkShape("vertices", vertices); err != nil {
		return 0, err
	}
	k := vertices.Rows
	if k == 0 {
		return 0, fail(ErrTooFewSamples, "no vertices")
	}
	top, err := checkEntries("vertices", vertices, mostCenter)
	if err != nil {
		return 0, err
	}
	if k > vertices.Cols+1 {
		return math.Inf(-1), nil
	}
	// The volume is √k·Πσ_i/(k−1)!, with σ_i the k−1 singular values of the vertices about their
	// mean. Erratum 6: the paper takes the k of F itself, which is that only while F1 = 0.
	//
	// Bᵀ·F has the same σ_i in k−1 rows. B's columns add up to 0, so the first vertex may be
	// subtracted from all: differences keep the digits of vertices far from 0.
	_, exp := math.Frexp(top)
	b := RegularSimplex(k)
	edges, edge := NewMatrix(k-1, vertices.Cols, nil), make([]float64, vertices.Cols)
	for j := range k {
		for i, v := range vertices.row(j) {
			edge[i] = math.Ldexp(v, -exp) - math.Ldexp(vertices.Data[i], -exp)
		}
		for c := max(0, j-1); c < k-1; c++ { // B is 0 before
			axpy(edges.row(c), b.row(j)[c], edge)
		}
	}
	bg, columns, log := context.Background(), edges.transposed(), 0.5*math.Log(float64(k))
	f := qrPivot(bg, chosenRows(columns, rowsBySize(bg, columns)))
	if f.rank < k-1 {
		return math.Inf(-1), nil
	}
	for i := range k - 1 { // |Πr_ii| is Πσ_i
		log += math.Log(math.Abs(f.a.row(i)[i])) + float64(exp)*math.Ln2 - math.Log(float64(i+1))
	}
	return log, nil
}

// Sum says what the memberships of a sample add up to.
type Sum int

const (
	// SumToOne: exactly 1, the default.
	SumToOne Sum = iota
	// SumAtMostOne: at most 1. The rest up to 1 is the membership of a vertex at 0, such as
	// the shade of a scene. The data is not centred. Package enclosure has the global minimum
	// in closed form for nonnegative data, among others.
	SumAtMostOne
	sumCount // a new sum stands before it
)

// String returns "one" or "at most one".
func (s Sum) String() string { return nameOf("Sum", int(s), "one", "at most one") }
