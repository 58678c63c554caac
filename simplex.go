package softkmeans

// Regular simplices, simplices that enclose the data, and volumes.

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
)

// RegularSimplex returns a k×(k−1) matrix B whose rows are the vertices of a regular simplex around the
// origin: BᵀB = I, 1ᵀB = 0 and BBᵀ = I − 11ᵀ/k. Its columns are the Helmert contrasts, the "EVs of H_k" of
// the paper's Algorithm 1, line 3. It panics if k < 1. Cost: O(k²).
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

// helmert returns entry (i, j) of B. Column j (from 0) is 1/√((j+1)(j+2)) in rows 0…j, −(j+1)/√((j+1)(j+2))
// in row j+1, and 0 below.
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

// RandomOrientation returns a random (k−1)×(k−1) orthogonal matrix for [Options].Orientation. The same seed
// gives the same matrix. Other matrices lead Fit to other global optima. It panics if k < 1. Cost: O(k³).
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

// Enclosure selects Fit's simplex around the data. All reach the same minimum.
type Enclosure int

const (
	// EnclosureBall is the paper's (Algorithm 1, lines 4–6): the regular simplex around the smallest ball
	// about the mean that contains the projected data. No row of positive weight gets a membership above 2/k.
	EnclosureBall Enclosure = iota
	// EnclosureTight is the smallest regular simplex of the same orientation: each facet touches the data.
	// Its prototypes are nearer to the data, and its memberships farther from 1/k. If the data has r < k−1
	// dimensions, the simplex has r+1 vertices, and the other centers repeat them. An Orientation prevents
	// this if min(n, d) ≥ k−1.
	EnclosureTight
	enclosureCount // a new enclosure stands before it
)

// String returns "ball" or "tight".
func (e Enclosure) String() string { return nameOf("Enclosure", int(e), "ball", "tight") }

// enclosure is a regular simplex in the coordinates of the projected data. Its inward facet normals are unit
// vectors u_j with Σu_j = 0. Its vertices are t + (k−1)ρ·u_j, with the inradius ρ and the centre t. A point w
// has the barycentric coordinates 1/k + u_jᵀ(w − t)/(kρ).
type enclosure struct {
	normals *Matrix   // k×p: the u_j, cut from k−1 to the p coordinates of the data
	centre  []float64 // p
	radius  float64   // ρ; 0 if all points coincide
}

// normalsOf returns the u_j for an orientation q, cut to p ≤ k−1 coordinates. They are the rows of B·q (of B
// if q is nil), scaled to length 1 before the cut.
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

// extent describes how far a set of points w reaches.
type extent struct {
	radius float64   // the largest length of a point
	facets []float64 // for each u_j the largest −u_jᵀw
	// squares is the weighted sum of squared lengths. Only placeSimplex sets it.
	squares fineSum
}

// add adds a point, and returns its squared length. A ball needs only the radius.
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
	// t = −((k−1)/k)Σh_j u_j. With all k−1 coordinates every facet is then at the distance ρ = Σh_j/k from t.
	// With fewer coordinates the distances differ, and ρ is the largest of them; t becomes 0, the centre of
	// the ball, if that makes ρ smaller.
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

// flatten returns the smallest regular simplex of q < k−1 dimensions around points of at most q dimensions.
// Its q+1 vertices are repeated to k, and copies share a coordinate equally, as memberships of least norm do.
// placeSimplex calls flatten for EnclosureTight if no Orientation is set. (If min(n, d) < k−1, no Orientation
// is read.) In the first q coordinates, normals 0 to q are the Helmert contrasts of q+1 vertices, up to a
// common factor.
func flatten(normals *Matrix, ext *extent, q int) *placement {
	k, p := normals.Rows, normals.Cols
	long := math.Sqrt(float64(q) / float64(q+1) * float64(k) / float64(k-1)) // the length of a cut row
	low := &extent{facets: make([]float64, q+1)}
	for j := range low.facets {
		if q > 0 {
			low.facets[j] = ext.facets[j] / long
		}
	}
	a := enclose(EnclosureTight, normalsOf(q+1, q, nil), low).placement()
	old := a.coordinates
	to := &barycentric{at: make([]float64, k), slope: NewMatrix(p, k, nil), radius: old.radius}
	vertices := NewMatrix(k, p, nil)
	for j := range k {
		from := j % (q + 1)
		share := 1 / float64((k-from+q)/(q+1))
		copy(vertices.row(j), a.vertices.row(from))
		to.at[j] = share * old.at[from]
		for c := range q {
			to.slope.row(c)[j] = share * old.slope.row(c)[from]
		}
	}
	return &placement{vertices: vertices, coordinates: to, regular: a.regular}
}

// placement is a simplex in the coordinates of the projected data.
type placement struct {
	vertices    *Matrix // k×p
	coordinates *barycentric
	regular     *enclosure // the regular simplex with these vertices, or with each of them once
	inside      *extent    // the extent of the points inside; only placeSimplex sets it
}

// placement returns the enclosure's vertices and coordinates.
func (e *enclosure) placement() *placement {
	k, p := e.normals.Rows, e.normals.Cols
	v := NewMatrix(k, p, nil)
	b := &barycentric{at: make([]float64, k), slope: NewMatrix(p, k, nil), radius: e.radius}
	for j := range k {
		b.at[j] = 1 / float64(k)
		for c, u := range e.normals.row(j) {
			v.row(j)[c] = e.centre[c] + float64(k-1)*e.radius*u
			b.slope.row(c)[j] = u / float64(k)
		}
		if e.radius > 0 {
			b.at[j] -= dot(e.normals.row(j), e.centre) / e.radius / float64(k)
		}
	}
	return &placement{vertices: v, coordinates: b, regular: e}
}

// barycentric maps points to their barycentric coordinates in a simplex.
type barycentric struct {
	at     []float64 // the coordinates of 0
	slope  *Matrix   // p×k: the slopes of the coordinates along each axis, for a radius of 1
	radius float64
}

// of overwrites g (length k) with the coordinates of the point w. They are at least 0 and add up to 1.
func (b *barycentric) of(g, w []float64) {
	copy(g, b.at)
	if b.radius == 0 {
		return
	}
	c := 0
	for ; c+2 <= len(w); c += 2 {
		u, v := b.slope.row(c)[:len(g)], b.slope.row(c + 1)[:len(g)]
		x, y := w[c]/b.radius, w[c+1]/b.radius // a slope divided by the radius could overflow
		for j := range g {
			g[j] += x*u[j] + y*v[j]
		}
	}
	if c < len(w) {
		axpy(g, w[c]/b.radius, b.slope.row(c))
	}
	fixSum(g) // rounding may make the coordinate of a point on a facet negative
}

// fixSum sets negative entries to 0, and adds the difference of the sum from 1, a rounding error, to the
// largest entry. Zeros stay 0.
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
		if len(g) > 1024 { // the rounding error of a plain sum may be large next to the entries
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

// LogVolume returns the natural logarithm of the (k−1)-dimensional volume of the simplex whose vertices are
// the rows of a k×d matrix. Compare it with proof.VolumeFloor. A single point gives 0, affinely dependent
// vertices (as for all k > d+1) −Inf. If only rounding makes vertices independent, each lost direction adds
// about −35 to the logarithm. Differences below 2^-500 of the largest entry count as 0. Cost: O(k²d). Errors:
// [ErrShape], [ErrNonFinite], [ErrRange], [ErrTooFewSamples] without vertices.
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
	// The volume is √k·Πσ_i/(k−1)!, with the k−1 singular values σ_i of the vertices less their mean. Erratum
	// 6: the paper takes the k singular values of F itself. Their product is the same only while F1 = 0.
	//
	// The σ_i are also the singular values of Bᵀ·F, which contains only k−1 rows. Since the columns of B add
	// up to 0, the first vertex may be subtracted from all. The differences keep the digits of vertices far
	// from 0.
	_, exp := math.Frexp(top)
	edges := NewMatrix(k, vertices.Cols, nil)
	for j := range k {
		for i, v := range vertices.row(j) {
			edges.row(j)[i] = math.Ldexp(v, -exp) - math.Ldexp(vertices.Data[i], -exp)
		}
	}
	bg, log := context.Background(), 0.5*math.Log(float64(k))
	columns := combine(bg, RegularSimplex(k).transposed(), edges).transposed()
	f := qrPivot(bg, chosenRows(columns, rowsBySize(columns)))
	if f.rank < k-1 {
		return math.Inf(-1), nil
	}
	for i := range k - 1 { // |Πr_ii| is Πσ_i
		log += math.Log(math.Abs(f.a.row(i)[i])) + float64(exp)*math.Ln2 - math.Log(float64(i+1))
	}
	return log, nil
}

// Sum selects the sum of the memberships of a sample.
type Sum int

const (
	SumToOne Sum = iota // exactly 1, the default
	// SumAtMostOne: at most 1. The difference is the membership of a vertex at 0, such as shadow. The data is
	// not centred. Package enclosure finds the global minimum for such sums.
	SumAtMostOne
	sumCount // a new sum stands before it
)

// String returns "one" or "at most one".
func (s Sum) String() string { return nameOf("Sum", int(s), "one", "at most one") }
