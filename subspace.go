package softkmeans

// The second pass of the global solution over data in parts: how far the rows reach in
// the principal subspace, which gives the size of the simplex, and how far they are from
// it, which gives the objective.

import (
	"context"
	"hash/crc32"
	"math"
	"slices"
	"strconv"
)

// Subspace is the principal affine subspace in which the centers of a global solution
// lie, with the floor that it proves. [Stats.Subspace] returns it after the first pass
// over the data; [Extent.Add] reads it in the second. Its binary form takes it to other
// processes. No method but UnmarshalBinary changes it, so goroutines may share it. The
// zero value is empty, and what needs a subspace returns [ErrTooFewSamples] for it.
type Subspace struct {
	moments
	pc          principal
	k           int
	enclosure   Enclosure
	orientation *Matrix // nil: none
	fingerprint uint32  // see fingerprintOf
}

// Subspace finds the subspace for k centers. It reads the options Enclosure, Orientation,
// Solver and Workers. Solver is SolverAuto or SolverGram; Weights must be nil, since
// weights come with the rows.
//
// Cost: 4d³/3 multiplications, at a third of the speed of those of [Stats.Add]. Errors:
// [ErrTooFewSamples] without rows of positive weight, [ErrOption], [ErrShape].
func (s *Stats) Subspace(k int, opts *Options) (*Subspace, error) {
	o := orZero(opts)
	switch {
	case s.weight == 0:
		return nil, fail(ErrTooFewSamples, "no rows of positive weight were added")
	case o.Solver > SolverGram:
		return nil, fail(ErrOption, "Solver is "+o.Solver.String()+", which needs the rows; take SolverAuto or SolverGram")
	case o.Weights != nil:
		return nil, fail(ErrOption, "Weights is not nil; give weights to AddWeighted, with the rows")
	}
	if err := firstError(checkCount("Workers", o.Workers), checkFit(k, &o), checkSizeOfK(k, k, s.cols)); err != nil {
		return nil, err
	}
	pc, err := s.principal(context.Background(), min(k-1, s.cols), o.Workers)
	if err != nil {
		return nil, err
	}
	return newSubspace(s.moments.clone(), pc, k, &o), nil
}

func newSubspace(m moments, pc *principal, k int, o *Options) *Subspace {
	p := &Subspace{moments: m, pc: *pc, k: k, enclosure: o.Enclosure}
	p.pc.squares = nil // the binary form does not hold them
	if o.Orientation != nil {
		p.orientation = o.Orientation.Clone()
	}
	p.fingerprint = fingerprintOf(p)
	return p
}

// fingerprintOf tells subspaces apart: a CRC-32 of what extents depend on.
func fingerprintOf(p *Subspace) (sum uint32) {
	add := func(bits uint64) {
		var b [8]byte
		for i := range b {
			b[i] = byte(bits >> (8 * i))
		}
		sum = crc32.Update(sum, crc32.IEEETable, b[:])
	}
	for _, n := range []int{p.k, p.rows, p.cols, p.exp, p.wexp, int(p.enclosure)} {
		add(uint64(n))
	}
	numbers := [][]float64{p.mean, p.meanRest, p.pc.basis.Data}
	if p.orientation != nil {
		numbers = append(numbers, p.orientation.Data)
	}
	for _, list := range numbers {
		for _, v := range list {
			add(math.Float64bits(v))
		}
	}
	return sum
}

// K returns the number of centers.
func (p *Subspace) K() int { return p.k }

// Basis returns the subspace's orthonormal directions from the mean, min(k−1, d)
// rows of length d, by descending scatter along them; nil of the zero value.
func (p *Subspace) Basis() *Matrix {
	if p.k == 0 {
		return nil
	}
	return p.pc.basis.Clone()
}

// checkFilled is an error for the zero value.
func (p *Subspace) checkFilled() error {
	if p.k == 0 {
		return fail(ErrTooFewSamples, "the subspace is empty")
	}
	return nil
}

// Floor returns the global minimum for K centers, as Model.Floor has it.
func (p *Subspace) Floor() float64 { return p.unscaleSquare(p.pc.floor) }

// Extent is what the second pass over the data finds: how far the rows reach in a
// [Subspace], and how far they are from it. As with [Stats], an Extent may take a part of
// the data, and extents merge. The zero value is empty and ready. It belongs to the
// subspace of its first rows.
type Extent struct {
	rows int
	extent
	// Both weighted and in the subspace's units: Σ‖x − x̄ − UUᵀ(x − x̄)‖², which
	// is ‖X − GF‖², and Σ‖x − x̄‖².
	objective, squares float64
	fingerprint        uint32 // the subspace's
	started            bool
}

// Add adds the rows of x (n×d). They must be rows that the subspace's statistics have
// seen, with the weights that they had there; nil: all 1. Cost: 4ndk. Errors: [ErrShape],
// [ErrNonFinite], [ErrRange], [ErrOption] for a weight below 0, [ErrChanged] for an entry
// or a weight larger than any in the statistics. e is then unchanged.
func (e *Extent) Add(p *Subspace, x *Matrix, weights []float64) error {
	return e.add(context.Background(), p, x, weights, 0)
}

func (e *Extent) add(ctx context.Context, p *Subspace, x *Matrix, weights []float64, workers int) error {
	if err := p.checkFilled(); err != nil {
		return err
	}
	f := Extent{fingerprint: p.fingerprint, started: true, extent: extent{facets: make([]float64, p.k)}}
	if err := e.checkMerge(&f); err != nil {
		return err
	}
	s, err := p.part(ctx, x, weights, workers)
	if err != nil {
		return err
	}
	f.rows = s.n
	w := NewMatrix(s.n, p.pc.basis.Rows, nil)
	ext, err := projectRows(s, w, p.pc.basis, p.normals(), p.enclosure)
	if err != nil {
		return err
	}
	f.extent = *ext
	if f.objective, f.squares, err = residuals(s, w, p.pc.basis); err != nil {
		return err
	}
	e.merge(&f)
	return nil
}

// part checks some or all rows of the subspace's data, and returns them as samples about
// the mean of all.
func (p *Subspace) part(ctx context.Context, x *Matrix, weights []float64, workers int) (*samples, error) {
	if err := checkShape("x", x); err != nil {
		return nil, err
	}
	if x.Rows > 0 && x.Cols != p.cols {
		return nil, fail(ErrShape, "x has "+strconv.Itoa(x.Cols)+" columns, the subspace is of "+strconv.Itoa(p.cols))
	}
	if err := checkSize("a matrix of memberships", x.Rows, p.k); err != nil {
		return nil, err
	}
	s := p.frame(ctx, workers)
	s.x, s.n, s.weights = x, x.Rows, weights
	heaviest, err := heaviest(weights, x.Rows)
	if err != nil || x.Rows == 0 {
		return s, err
	}
	top, err := largestEntry(ctx, "x", x, s.workers)
	if err != nil {
		return nil, err
	}
	if weights == nil && p.wexp != 0 { // other parts had weights
		s.weights = slices.Repeat([]float64{1}, x.Rows)
	}
	if math.Ldexp(heaviest, -p.wexp) > 1 {
		return nil, fail(ErrChanged, "a weight is "+decimal(heaviest)+", larger than any in the statistics")
	}
	if bound := math.Ldexp(1, p.exp); top > bound {
		for i := range x.Rows {
			for c, v := range x.row(i) {
				if math.Abs(v) > bound && s.weight(i) > 0 { // larger than any in the statistics
					return nil, &InputError{Arg: "x", Row: i, Col: c, Value: v, Err: ErrChanged}
				}
			}
		}
	}
	return s, nil
}

// residuals returns Σ‖x − x̄ − Uw‖² and Σ‖x − x̄‖² of the rows, weighted and in
// scaled units. It takes their projections w, and leaves −w there.
func residuals(s *samples, w, basis *Matrix) (objective, squares float64, err error) {
	index := indices(basis.Rows)
	sums := make([][2]float64, chunks(s.n, s.d, manyChunks))
	err = s.eachBlock(s.n, s.d, manyChunks, s.d, func(at block) {
		rows := at.scratch[:(at.hi-at.lo)*s.d]
		s.pack(rows, at.lo, at.hi, false)
		for i := at.lo; i < at.hi; i++ {
			r := rows[(i-at.lo)*s.d:][:s.d]
			sums[at.chunk][1] += s.weight(i) * sumSquares(r)
			scale(w.row(i), -1)
			addRows(r, w.row(i), index, basis.Data)
			sums[at.chunk][0] += s.weight(i) * sumSquares(r)
		}
	})
	for _, v := range sums {
		objective, squares = objective+v[0], squares+v[1]
	}
	return objective, squares, err
}

// checkMerge is an error if f's rows are not of e's subspace, or too many.
func (e *Extent) checkMerge(f *Extent) error {
	switch {
	case e.started && f.started && (e.fingerprint != f.fingerprint || len(e.facets) != len(f.facets)):
		return fail(ErrShape, "the extents are of different subspaces")
	case f.rows > math.MaxInt-e.rows:
		return errTooManyRows()
	}
	return nil
}

// Merge adds the rows of f, which is unchanged; e and f may be the same. Errors:
// [ErrShape] if both have rows and not the same subspace; e is then unchanged.
func (e *Extent) Merge(f *Extent) error {
	if err := e.checkMerge(f); err != nil {
		return err
	}
	e.merge(f)
	return nil
}

func (e *Extent) merge(f *Extent) {
	if !f.started || f.rows == 0 {
		return
	}
	if !e.started {
		*e = *f
		e.facets = slices.Clone(f.facets)
		return
	}
	e.extent.merge(&f.extent)
	e.rows += f.rows
	e.objective += f.objective
	e.squares += f.squares
}

// Rows returns how many rows were added.
func (e *Extent) Rows() int { return e.rows }

// Model returns the global solution for rows of the given extent, as [Fit] does but
// without memberships, which [Model.Predict] finds for any rows. Errors: [ErrShape] if
// the extent is of another subspace, [ErrChanged] if it has another number of rows than
// the statistics, or their squares add up to another number.
func (p *Subspace) Model(e *Extent) (*Model, error) {
	if err := p.checkFilled(); err != nil {
		return nil, err
	}
	if e.started && (e.fingerprint != p.fingerprint || len(e.facets) != p.k) {
		return nil, fail(ErrShape, "the extent is of another subspace")
	}
	if e.rows != p.rows {
		return nil, &otherShape{problem{"the extent is of " + strconv.Itoa(e.rows) + " rows, the statistics are of " + strconv.Itoa(p.rows), ErrChanged}}
	}
	if err := p.sameSquares(e.squares); err != nil {
		return nil, err
	}
	s := p.frame(context.Background(), 0)
	m := &Model{Centers: simplexCenters(s, p.enclose(e), p.pc.basis), Solver: p.pc.solver, Iterations: p.pc.steps, Status: p.pc.status}
	m.rate(s, e.objective, &p.pc)
	return m, nil
}

// sameSquares is an error if the sum of squares of a pass, about the mean, is not that of
// the statistics.
func (p *Subspace) sameSquares(squares float64) error {
	// The same rows differ by the rounding of the sums, by that of the mean, which
	// shifts all rows by off, and by squares below 2^-1000, which count as 0.
	off := 0x1p-50 * math.Sqrt(p.weight*sumSquares(p.mean))
	if math.Abs(squares-p.pc.total) <= 1e-9*p.pc.total+2*off*math.Sqrt(p.pc.total)+off*off+p.weight*float64(p.cols)*0x1p-1000 {
		return nil
	}
	return fail(ErrChanged, "the squared distances of the rows from the mean add up to "+decimal(p.unscaleSquare(squares))+
		", those of the statistics to "+decimal(p.unscaleSquare(p.pc.total)))
}

// normals are those of the simplex that encloses the rows.
func (p *Subspace) normals() *Matrix { return normalsOf(p.k, p.pc.basis.Rows, p.orientation) }

// enclose returns the simplex around rows of the given extent.
func (p *Subspace) enclose(e *Extent) *enclosure { return enclose(p.enclosure, p.normals(), &e.extent) }
