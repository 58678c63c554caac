package softkmeans

// Memberships that add up to at most 1: the simplicial cone of the global solution.
//
//	minimise ‖X − GF‖²  subject to  G ≥ 0, G1 ≤ 1,
//
// for data that is not centred. F may have any size, so the bound on the sums is one of
// units only, and this is semi-nonnegative matrix factorization.
//
// Theorem. Let U (d×k) be leading right singular vectors of X, W = XU. If some v has
// vᵀw_i > 0 for all rows w_i ≠ 0, the minimum is Σ_{i>k} σ_i², and (G, F) below attain it.
//
// Proof. GF has rank k at most, so no objective is smaller (Eckart and Young). Let v have
// length 1, and let [v Q] be orthogonal. With heights h_i = vᵀw_i the points s_i = Qᵀw_i/h_i
// are finitely many in k−1 dimensions, and some simplex of k vertices t_j encloses them:
// s_i = Σ_j b_ij t_j with b_ij ≥ 0, Σ_j b_ij = 1. Hence
//
//	w_i = h_i(v + Qs_i) = Σ_j (h_i b_ij)(v + Qt_j).
//
// With c = max h_i take G_ij = h_i b_ij/c and F_j = c·(v + Qt_j)ᵀUᵀ; rows with w_i = 0 have G = 0. Then
// GF = WUᵀ = XUUᵀ, rows of G add up to h_i/c ≤ 1, and ‖X − XUUᵀ‖² = Σ_{i>k} σ_i².
//
// Nonnegative data without a tie σ_k = σ_{k+1} has such a v. Sort rows and columns into the connected parts
// of X's bipartite graph. Singular vectors are those of the parts, and a part's leading one, with u > 0 on
// all of its columns, is simple (Perron and Frobenius). If U has a vector of the part it has this one, which
// has xᵀu > 0 for the part's rows x ≠ 0; otherwise w = 0 for them. The sum of these vectors is in U's
// range, and its coordinates are v. With a tie U has to be chosen part by part.
//
// Where no half-space has the rows the problem is NP-hard, and its infimum need not be attained (N. Gillis
// and A. Kumar, Exact and Heuristic Algorithms for Semi-Nonnegative Matrix Factorization, SIAM J. Matrix
// Anal. Appl. 36, 2015, who have the theorem as well). If rank X < k a simplex around 0 needs no half-space.

import "math"

// lightShare is the share of Σ‖w‖² up to which rows outside of a half-space are rounding, with memberships 0.
const lightShare = 0x1p-52

// The shares of the mean square ‖w‖² up to which a row is light for findAxis.
const (
	leastLight  = 0x1p-56
	nextLight   = 0x1p8 // times the share before
	lightShares = 7     // all are below 1
)

// exactGap is the gap up to which a model without a half-space is optimal all the same.
const exactGap = 1e-12

// cone is a simplicial cone before its size is known.
type cone struct {
	basis   *Matrix // Vᵀ, p×d, orthonormal rows: the axis, then the directions of the slice
	normals *Matrix // k×(p−1): those of the simplex in the slice
	// limit is the least cosine with the axis. Rows below it are outside.
	limit float64
	o     *Options // how the slice is enclosed
}

// coneExtent is how far the rows reach: in the slice, and along the axis.
type coneExtent struct {
	extent
	height  float64 // the largest
	outside float64 // Σ‖w‖² of the rows outside of the cone, weighted
}

// slice replaces the coordinates w in the cone's basis by the height and the point of the slice. It reports
// false, and leaves w, for a row outside and for one that counts as 0.
func slice(w []float64, limit float64) bool {
	length := norm2(w)
	if !(length >= negligible && w[0] >= limit*length) {
		return false
	}
	for c := range w[1:] {
		w[1+c] /= w[0]
	}
	return true
}

// reach measures the rows of w, which begin with coordinates in the cone's basis.
func (c *cone) reach(s *samples, w *Matrix) (*coneExtent, error) {
	p := c.basis.Rows
	parts := make([]coneExtent, chunks(s.n, p, manyChunks))
	for t := range parts {
		parts[t].facets = make([]float64, c.normals.Rows)
	}
	err := s.eachBlock(s.n, p, manyChunks, 1, func(at block) {
		e, row := &parts[at.chunk], make([]float64, p)
		for i := at.lo; i < at.hi; i++ {
			copy(row, w.row(i))
			if slice(row, c.limit) {
				e.height = max(e.height, row[0])
				e.add(row[1:], c.normals, c.o.Enclosure)
			} else if weight := s.weight(i); weight > 0 {
				e.outside += weight * sumSquares(row)
			}
		}
	})
	for t := range parts[1:] {
		parts[0].merge(&parts[1+t])
	}
	return &parts[0], err
}

// merge adds other rows.
func (e *coneExtent) merge(f *coneExtent) {
	e.extent.merge(&f.extent)
	e.height = max(e.height, f.height)
	e.outside += f.outside
}

// complete reports whether no row is outside but for rounding.
func (e *coneExtent) complete(pc *principal) bool { return e.outside <= lightShare*pc.total }

// place encloses the slice. The rows of w begin with coordinates in the cone's basis.
func (c *cone) place(s *samples, w *Matrix, ext *coneExtent) *placement {
	if k := c.normals.Rows; c.o.Enclosure == EnclosureSmallest && k >= 3 && c.normals.Cols == k-1 {
		points, row := NewMatrix(s.n, k-1, nil), make([]float64, k)
		for i := range s.n { // rows outside stand on the axis, which is among the others
			if copy(row, w.row(i)); slice(row, c.limit) {
				copy(points.row(i), row[1:])
			}
		}
		if t := smallestAround(s, points, k); t != nil {
			return t
		}
	}
	return placeExtent(c.normals, &ext.extent, c.o, c.normals.Cols)
}

// fill overwrites the rows of g, which begin with coordinates in the cone's basis, with memberships in the
// enclosure of the slice, for vertices of the given height. It returns the rows that are left at 0 and are
// to be solved: those of weight 0, and with solve those outside.
func (c *cone) fill(
	s *samples, g *Matrix, around *placement, height float64, solve bool,
) (rest []int, err error) {
	p := c.basis.Rows
	parts := make([][]int, chunks(s.n, g.Cols, manyChunks))
	err = s.eachBlock(s.n, g.Cols, manyChunks, 1, func(at block) {
		w := make([]float64, p)
		for i := at.lo; i < at.hi; i++ {
			row := g.row(i)
			copy(w, row)
			if slice(w, c.limit) {
				around.coordinates.of(row, w[1:])
				scale(row, w[0]/height)
				continue
			}
			clear(row)
			if s.weight(i) == 0 || solve && sumSquares(w) > 0 {
				parts[at.chunk] = append(parts[at.chunk], i)
			}
		}
	})
	for _, part := range parts {
		rest = append(rest, part...)
	}
	return rest, err
}

// centers returns the vertices F in the data's units.
func (c *cone) centers(s *samples, around *placement, height float64) *Matrix {
	about := *s
	about.mean = c.basis.row(0)
	f := simplexCenters(&about, around, rowsOf(c.basis, 1, c.basis.Rows))
	scale(f.Data, height)
	return f
}

// turnTo makes v, in coordinates of the basis, the axis.
func turnTo(basis *Matrix, v []float64) {
	r := reflectionOf(v)
	column := make([]float64, basis.Rows)
	for i := range basis.Cols {
		for j := range column {
			column[j] = basis.row(j)[i]
		}
		r.row(column)
		for j, x := range column {
			basis.row(j)[i] = x
		}
	}
}

// placeCone finds the half-space of the rows and the cone, and returns its vertices. It writes the
// memberships to g (n×k), but for those of rest, which are to be solved. The basis (p×d) is turned to the
// axis. complete is false where rows are outside.
func placeCone(
	x dataset, g *Matrix, pc *principal, o *Options,
) (f *Matrix, rest []int, complete bool, err error) {
	s, p := x.data(), pc.basis.Rows
	if _, err := x.project(g, pc.basis, NewMatrix(0, p, nil), EnclosureBall); err != nil {
		return nil, nil, false, err
	}
	w := leftColumns(g, p)
	v, limit, err := findAxis(s, w, pc.total)
	if err != nil {
		return nil, nil, false, err
	}
	turnTo(pc.basis, v)
	r := reflectionOf(v)
	if err := s.eachBlock(s.n, p, manyChunks, 0, func(at block) {
		for i := at.lo; i < at.hi; i++ {
			r.row(w.row(i))
		}
	}); err != nil {
		return nil, nil, false, err
	}
	c := &cone{basis: pc.basis, normals: fitNormals(g.Cols, p-1, o), limit: limit, o: o}
	ext, err := c.reach(s, w)
	if err != nil {
		return nil, nil, false, err
	}
	around := c.place(s, w, ext)
	f, complete = c.centers(s, around, ext.height), ext.complete(pc)
	rest, err = c.fill(s, g, around, ext.height, !complete)
	return f, rest, complete, err
}

// findAxis returns the axis of the narrowest cone around the rows of w, and the least cosine with it. It
// leaves out light rows: those at rounding, and where no half-space has the others, those whose squares are a
// growing share of the mean square. If nothing helps the axis is the first singular vector.
func findAxis(s *samples, w *Matrix, total float64) (v []float64, limit float64, err error) {
	share := leastLight
	for range lightShares {
		light := share * total / float64(s.n)
		share *= nextLight
		var h halfSpace
		margin, err := h.search(directions{s.ctx, s.workers, w, func(i int, squares float64) bool {
			return s.weight(i)*squares <= light
		}})
		if err != nil {
			return nil, 0, err
		}
		if h.axis != nil && margin >= leastMargin {
			return h.axis, margin / 2, nil // light rows do not make the cone wide
		}
	}
	v = make([]float64, w.Cols)
	v[0] = 1
	var sum float64
	for i := range w.Rows {
		sum += s.weight(i) * w.row(i)[0] * math.Abs(w.row(i)[0])
	}
	if sum < 0 {
		v[0] = -1
	}
	return v, 0x1p-10, nil // rows this near to its border lose 1e-6 of their squares
}

// directionsOf returns how many principal directions k centers take, if the data has so many.
func directionsOf(k int, sum Sum) int {
	if sum == SumAtMostOne {
		return k
	}
	return k - 1
}

// directions returns how many principal directions Fit takes for k centers: at most as many as rows.
func (s *samples) directions(k int, sum Sum) int { return min(directionsOf(k, sum), s.d, s.n) }
