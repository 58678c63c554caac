package stream

// The second pass: how far rows reach in the principal subspace, which gives the size of the simplex, and how
// far they are from it, which gives the objective.

import (
	"cmp"
	"context"
	"math"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// mostK is the most centers: their regular simplex consists of k² numbers.
const mostK = 1 << 12

// Subspace is the principal affine subspace in which the centers of a global solution lie. [NewSubspace]
// makes it after the first pass over the data; [Extent.Add] reads it in the second. Goroutines may share it.
type Subspace struct {
	softkmeans.Subspace
	K         int
	Rows      int // the number of rows in the statistics
	Enclosure softkmeans.Enclosure
}

// NewSubspace returns the subspace for k centers of the rows in s. It reads Enclosure and Workers of opts;
// other options cause [softkmeans.ErrOption], since s contains the weights. Cost and other errors: as for
// [softkmeans.Stats.Principal].
func NewSubspace(
	ctx context.Context, s *softkmeans.Stats, k int, opts *Options,
) (*Subspace, error) {
	o := draws.OrZero(opts)
	if o.Weights != nil || o.Block != nil || o.Memberships != nil {
		return nil, fault.New(softkmeans.ErrOption, "NewSubspace reads Enclosure and Workers alone")
	}
	if err := o.check(k); err != nil {
		return nil, err
	}
	at, err := s.Principal(ctx, max(0, min(k-1, s.Rows()-1, s.Cols())), &softkmeans.Options{Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	at.Squares = nil
	return &Subspace{*at, k, s.Rows(), o.Enclosure}, nil
}

// check checks k, Enclosure and Workers.
func (o *Options) check(k int) error {
	switch {
	case k < 1 || k > mostK:
		return fault.New(softkmeans.ErrOption, "k is ", k, ", not from 1 to ", mostK)
	case o.Enclosure != softkmeans.EnclosureBall && o.Enclosure != softkmeans.EnclosureTight:
		return fault.New(softkmeans.ErrOption, "Enclosure is ", int(o.Enclosure), ", not 0 or 1")
	case o.Workers < 0:
		return fault.New(softkmeans.ErrOption, "Workers is ", o.Workers)
	}
	return nil
}

// facets returns the number of facets of an extent.
func (p *Subspace) facets() int {
	if p.Enclosure == softkmeans.EnclosureTight {
		return p.Basis.Rows + 1
	}
	return 0
}

// unit returns the unit of the sums of an extent: Total, or 1 if Total is 0. In this unit sums are in range
// for any weights.
func (p *Subspace) unit() float64 { return cmp.Or(p.Total, 1) }

// square converts a sum of an extent to squared units of the data, at most math.MaxFloat64.
func (p *Subspace) square(s fine) float64 { return min(s.value()*p.unit(), math.MaxFloat64) }

// part returns min(‖root·y‖², 2^960), so that sums over all rows are in range.
func part(y []float64, root float64) (sum float64) {
	for _, v := range y {
		v *= root
		sum += float64(v * v)
	}
	return min(sum, 0x1p960)
}

// normals returns the inward normals of the simplex's facets: unit vectors, cut to the dimensions of the
// subspace. If the subspace has fewer than k−1 dimensions, the simplex of EnclosureBall is the projection of
// a regular simplex with k vertices. The simplex of EnclosureTight then has one vertex more than the subspace
// has dimensions, and further centers repeat these vertices.
func (p *Subspace) normals() *softkmeans.Matrix {
	dims, m := p.Basis.Rows, cmp.Or(p.facets(), p.K)
	b, u := softkmeans.RegularSimplex(m), softkmeans.NewMatrix(m, dims, nil)
	for j := range m {
		la.Axpy(u.Row(j), math.Sqrt(float64(m)/float64(max(m-1, 1))), b.Row(j)[:dims])
	}
	return u
}

// Extent is the result of the second pass: how far the rows reach in the subspace, and their residuals. Like
// a [softkmeans.Stats], an Extent may cover a part of the data, and extents merge. The zero value is empty
// and ready. After rows were added for one subspace, rows for another subspace cause an error.
type Extent struct {
	rows     int
	subspace float64 // its fingerprint; 0: none yet
	radius   float64 // the largest distance from the mean in the subspace
	// facets: for each facet normal u_j of a tight simplex the largest −u_jᵀw over the rows.
	facets []float64
	// residual, squares: weighted sums of squared distances from the subspace, and from the mean, in units of
	// Subspace.unit.
	residual, squares fine
}

// Rows returns how many rows were added.
func (e *Extent) Rows() int { return e.rows }

// Add adds the rows of x (n×d). weights must equal the weights in the statistics; nil: all 1. Cost: 4ndk.
// Errors: [softkmeans.ErrShape], [softkmeans.ErrNonFinite], [softkmeans.ErrRange], and [softkmeans.ErrOption]
// for a weight below 0. After an error e is unchanged.
func (e *Extent) Add(p *Subspace, x *softkmeans.Matrix, weights []float64) error {
	if x != nil && x.Rows == 0 {
		return nil
	}
	data := &passes{ctx: context.Background(), weights: weights, k: p.K,
		blocks: func(yield func(*softkmeans.Matrix, error) bool) { yield(x, nil) }}
	if err := data.check(); err != nil {
		return err
	}
	f := new(Extent)
	if err := data.each(func(b *block) error { return p.measure(f, b, 0) }); err != nil {
		return err
	}
	return e.Merge(f)
}

// measure adds the rows of a block to e.
func (p *Subspace) measure(e *Extent, b *block, workers int) error {
	d := p.Basis.Cols
	if b.x.Cols != d {
		return fault.New(softkmeans.ErrShape, "x has ", b.x.Cols, " columns, the subspace is of ", d)
	}
	parts, subspace, normals := make([]Extent, chunks(b.x.Rows)), p.fingerprint(), new(softkmeans.Matrix)
	if p.Enclosure == softkmeans.EnclosureTight {
		normals = p.normals()
	}
	inChunks(workers, b.x.Rows, func(chunk, lo, hi int) {
		own := &parts[chunk]
		own.subspace, own.rows, own.facets = subspace, hi-lo, make([]float64, normals.Rows)
		y, at := make([]float64, d), make([]float64, p.Basis.Rows)
		for i := lo; i < hi; i++ {
			w := b.weight(i)
			if w == 0 {
				continue
			}
			root := min(math.Sqrt(w)/math.Sqrt(p.unit()), math.MaxFloat64)
			copy(y, b.x.Row(i))
			la.Axpy(y, -1, p.Mean)
			own.squares.add(part(y, root))
			for c := range at {
				at[c] = la.Dot(p.Basis.Row(c), y)
			}
			for c, v := range at {
				la.Axpy(y, -v, p.Basis.Row(c))
			}
			own.residual.add(part(y, root))
			own.radius = max(own.radius, la.Norm(at))
			for j := range own.facets {
				own.facets[j] = max(own.facets[j], -la.Dot(normals.Row(j), at))
			}
		}
	})
	for i := range parts {
		if err := e.Merge(&parts[i]); err != nil {
			return err
		}
	}
	return nil
}

// Merge adds the rows of f to e. f is unchanged. Errors: [softkmeans.ErrShape] if the two belong to different
// subspaces; e is then unchanged.
func (e *Extent) Merge(f *Extent) error {
	same := e.subspace == f.subspace && len(e.facets) == len(f.facets)
	if e.rows > 0 && f.rows > 0 && !same || f.rows > math.MaxInt-e.rows {
		return fault.New(softkmeans.ErrShape, "the extents are of different subspaces")
	}
	if f.rows == 0 {
		return nil
	}
	if e.facets == nil {
		e.facets = make([]float64, len(f.facets))
	}
	for j, v := range f.facets {
		e.facets[j] = max(e.facets[j], v)
	}
	e.subspace, e.radius = f.subspace, max(e.radius, f.radius)
	e.rows += f.rows
	e.residual.merge(f.residual)
	e.squares.merge(f.squares)
	return nil
}

// Model returns the global solution for rows of the extent e, without memberships; [softkmeans.Model.Predict]
// computes them. Errors: [softkmeans.ErrShape] for the extent of another subspace, [softkmeans.ErrChanged] if
// the extent and the statistics differ in the number of rows, or in the sum of squared distances from the
// mean.
func (p *Subspace) Model(e *Extent) (*softkmeans.Model, error) {
	switch {
	case e.rows != p.Rows:
		return nil, fault.New(errBoth, "the extent is of ", e.rows, " rows, the statistics are of ", p.Rows)
	case e.subspace != p.fingerprint() || len(e.facets) != p.facets():
		return nil, fault.New(softkmeans.ErrShape, "the extent is of another subspace")
	}
	squares := p.square(e.squares)
	if err := sameSquares(&p.Subspace, squares); err != nil {
		return nil, err
	}
	vertices := p.place(e)
	dims := vertices.Cols
	m := &softkmeans.Model{Centers: softkmeans.NewMatrix(p.K, p.Basis.Cols, nil), Status: p.Status}
	far := 0.0
	for j := range p.K {
		v, f := vertices.Row(j%vertices.Rows), m.Centers.Row(j)
		for c := range dims {
			la.Axpy(f, v[c], p.Basis.Row(c))
		}
		la.Axpy(f, 1, p.Mean) // last: the mean may be far larger, and is rounded once
		far = max(far, la.Norm(v))
	}
	// The mixtures of the vertices reach the coordinates of the rows exactly. The error contains the
	// residuals, their rounding, and the rounding of the centers, unless all centers are the mean.
	root := 1 + math.Sqrt(float64(dims))
	off := la.Gamma(dims+8) * 1.1 * root * math.Sqrt(squares)
	if far > 0 {
		off += math.Sqrt(p.Weight) * (la.Gamma(dims+8)*root*far + la.Gamma(1)*(la.Norm(p.Mean)+far))
	}
	var err error
	m.Certificate, err = certify(&p.Subspace, p.square(e.residual), off)
	return m, err
}

// margin is the relative amount by which the simplex is larger than the rows require. No row is then outside
// of it by rounding, which is below 2^-40 for up to mostK dimensions.
const margin = 0x1p-36

// place returns the vertices around rows of the given extent: the ball's regular simplex, or the smallest one
// with the same normals u_j. For facets at the distances h_j from 0 the centre of the smallest simplex is
// −((m−1)/m)·Σh_j·u_j, and its inradius is Σh_j/m.
func (p *Subspace) place(e *Extent) *softkmeans.Matrix {
	v := p.normals()
	m, centre, radius := v.Rows, make([]float64, v.Cols), e.radius
	if p.Enclosure == softkmeans.EnclosureTight {
		radius = 0
		for j, h := range e.facets {
			radius += h / float64(m)
			la.Axpy(centre, -h*float64(m-1)/float64(m), v.Row(j))
		}
	}
	radius += margin * e.radius
	for j := range m {
		for c, u := range v.Row(j) {
			v.Row(j)[c] = centre[c] + float64(m-1)*radius*u
		}
	}
	return v
}

// sameSquares returns an error if the sum of squares of a pass, about the mean, differs from the statistics.
// If cancellation has cost Total digits, as for sparse rows far from 0, FloorError bounds the error of Total.
func sameSquares(p *softkmeans.Subspace, squares float64) error {
	length, want := math.Sqrt(squares), math.Sqrt(p.Total)
	off := math.Sqrt(p.Weight) * (0x1p-50*la.Norm(p.Mean) + 0x1p-490) // the mean is rounded
	if math.Abs(length-want) <= 5e-10*want+off || math.Abs(squares-p.Total) <= p.FloorError {
		return nil
	}
	return fault.New(softkmeans.ErrChanged, "the squared distances from the mean add up to ", squares,
		", in pass 1 to ", p.Total)
}

// certify compares ‖X − GF‖² with the floor. residual is ‖X − GF‖² as computed, and off bounds the rounding
// of ‖X − GF‖.
func certify(p *softkmeans.Subspace, residual, off float64) (softkmeans.Certificate, error) {
	length := math.Sqrt(residual)*(1+la.Gamma(len(p.Mean)+8)) + 1.01*off
	c := softkmeans.Certificate{Objective: min(length*length*(1+0x1p-48), math.MaxFloat64), Floor: p.Floor,
		FloorError: p.FloorError, Total: p.Total, Solver: p.Solver}
	if c.Objective < c.Floor-c.FloorError {
		return c, fault.New(softkmeans.ErrChanged, "a solution is below the floor")
	}
	if c.Objective != c.Floor {
		c.Gap = min(max(-1, (c.Objective-c.Floor)/c.Total), math.MaxFloat64)
	}
	return c, nil
}
