package softkmeans

// The second pass over data in parts: how far the rows reach in the principal subspace, which gives the size
// of the simplex, and how far they are from it, which gives the objective.

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"strconv"
)

// StreamSubspace is the principal affine subspace in which the centers of a global solution lie, with the floor
// that it proves. [Stats.StreamSubspace] returns it after the first pass over the data;
// [Extent.Add] reads it in the second. It travels in its binary form, and goroutines may share it. The zero
// value is empty, and what needs a subspace returns [ErrTooFewSamples] for it.
type StreamSubspace struct {
	moments
	pc          principal
	k           int
	enclosure   Enclosure
	orientation *Matrix // nil: none
	fingerprint uint32  // see fingerprintOf
}

// StreamSubspace finds the subspace for k centers. It reads the options Enclosure, Orientation, Solver
// (SolverAuto or SolverGram) and Workers; Weights must be nil, since weights come with the rows.
//
// Cost: 4d³/3 multiplications, at a third of the speed of those of [Stats.Add]. Errors: [ErrTooFewSamples]
// without rows of positive weight, [ErrOption], [ErrShape].
func (s *Stats) StreamSubspace(k int, opts *Options) (*StreamSubspace, error) {
	o := orZero(opts)
	switch {
	case s.weight == 0:
		return nil, fail(ErrTooFewSamples, "no rows of positive weight were added")
	case o.Solver > SolverGram:
		return nil, fail(ErrOption,
			"Solver is "+o.Solver.String()+", which needs the rows; take SolverAuto or SolverGram")
	case o.Weights != nil:
		return nil, fail(ErrOption, "Weights is not nil; give weights to AddWeighted, with the rows")
	}
	err := firstError(o.only("StreamSubspace", "Enclosure", "Solver", "Orientation"),
		checkCount("Workers", o.Workers), checkFit(k, &o), checkSizeOfK(k, k, s.cols))
	if err != nil {
		return nil, err
	}
	about := Stats{moments: s.moments.clone(), scatter: s.scatter}
	pc, err := about.principal(context.Background(), min(k-1, s.cols), o.Workers)
	if err != nil {
		return nil, err
	}
	m := about.moments
	m.weightOff, m.meanOff, m.scatterOff = 0, 0, 0 // pc has used them, and the binary form does not hold them
	return newSubspace(m, pc, k, &o), nil
}

// newSubspace returns the subspace for statistics.
func newSubspace(m moments, pc *principal, k int, o *Options) *StreamSubspace {
	p := &StreamSubspace{moments: m, pc: *pc, k: k, enclosure: o.Enclosure}
	p.pc.squares = nil // the binary form does not hold them
	if o.Orientation != nil {
		p.orientation = o.Orientation.Clone()
	}
	p.fingerprint = fingerprintOf(p)
	return p
}

// fingerprintOf tells subspaces apart: a CRC-32 of what extents depend on.
func fingerprintOf(p *StreamSubspace) uint32 {
	var b []byte
	for _, n := range []int{p.k, p.rows, p.cols, p.exp, p.wexp, int(p.enclosure)} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	numbers := slices.Concat(p.mean, p.meanRest, p.pc.basis.Data)
	if p.orientation != nil {
		numbers = append(numbers, p.orientation.Data...)
	}
	for _, v := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return crc32.ChecksumIEEE(b)
}

// K returns the number of centers.
func (p *StreamSubspace) K() int { return p.k }

// Basis returns the subspace's orthonormal directions from the mean, min(k−1, d) rows of length d, by
// descending scatter; nil of the zero value.
func (p *StreamSubspace) Basis() *Matrix {
	if p.k == 0 {
		return nil
	}
	return p.pc.basis.Clone()
}

// checkFilled returns an error for the zero value.
func (p *StreamSubspace) checkFilled() error {
	if p.k == 0 {
		return fail(ErrTooFewSamples, "the subspace is empty")
	}
	return nil
}

// Floor returns the global minimum for K centers, as Model.Floor has it.
func (p *StreamSubspace) Floor() float64 { return p.unscaleSquare(p.pc.floor) }

// Extent is what the second pass over the data finds: how far the rows reach in a [StreamSubspace], and how far
// they are from it. As with [Stats], an Extent may take a part of the data, and extents merge. The zero value
// is empty and ready. It belongs to the subspace of its first rows.
type Extent struct {
	rows int
	extent
	// Weighted, in the subspace's units: Σ‖x − x̄ − UUᵀ(x − x̄)‖² = ‖X − GF‖², and Σ‖x − x̄‖².
	objective   fineSum
	squares     float64
	fingerprint uint32 // the subspace's
	started     bool
}

// Add adds the rows of x (n×d). They must be rows that the subspace's statistics have
// seen, with the weights that they had there; nil: all 1. Cost: 4ndk. Errors: [ErrShape],
// [ErrNonFinite], [ErrRange], [ErrOption] for a weight below 0, [ErrChanged] for an entry
// or a weight larger than any in the statistics. e is then unchanged.
func (e *Extent) Add(p *StreamSubspace, x *Matrix, weights []float64) error {
	return e.add(context.Background(), p, x, weights, 0)
}

func (e *Extent) add(ctx context.Context, p *StreamSubspace, x *Matrix, weights []float64, workers int) error {
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
	ext, err := s.project(w, p.pc.basis, p.normals(), p.enclosure)
	if err != nil {
		return err
	}
	f.extent = *ext
	objective, squares, err := s.residuals(w, p.pc.basis)
	if err != nil {
		return err
	}
	f.objective, f.squares = objective, squares.value()
	f.extent.squares = fineSum{} // which Fit alone needs
	e.merge(&f)
	return nil
}

// part checks some or all rows of the subspace's data, and returns them as samples about the mean of all.
func (p *StreamSubspace) part(ctx context.Context, x *Matrix, weights []float64, workers int) (*samples, error) {
	if err := checkShape("x", x); err != nil {
		return nil, err
	}
	if x.Rows > 0 && x.Cols != p.cols {
		return nil, fail(ErrShape,
			"x has "+strconv.Itoa(x.Cols)+" columns, the subspace is of "+strconv.Itoa(p.cols))
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

// checkMerge returns an error if f's rows are not of e's subspace, or too many.
func (e *Extent) checkMerge(f *Extent) error {
	if e.started && f.started && (e.fingerprint != f.fingerprint || len(e.facets) != len(f.facets)) {
		return fail(ErrShape, "the extents are of different subspaces")
	}
	return checkCountable(e.rows, f.rows)
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
	if f.rows == 0 {
		return
	}
	if !e.started {
		e.started, e.fingerprint, e.facets = true, f.fingerprint, make([]float64, len(f.facets))
	}
	e.extent.merge(&f.extent)
	e.rows += f.rows
	e.objective.merge(f.objective)
	e.squares += f.squares
}

// Rows returns how many rows were added.
func (e *Extent) Rows() int { return e.rows }

// Model returns the global solution for rows of the given extent, as [Fit] does but without memberships,
// which [Model.Predict] finds for any rows. Errors: [ErrShape] if the extent is of another subspace,
// [ErrChanged] if it has another number of rows than the statistics, or their squares add up to another
// number.
func (p *StreamSubspace) Model(e *Extent) (*Model, error) {
	if err := p.checkFilled(); err != nil {
		return nil, err
	}
	if e.started && (e.fingerprint != p.fingerprint || len(e.facets) != p.k) {
		return nil, fail(ErrShape, "the extent is of another subspace")
	}
	if e.rows != p.rows {
		return nil, &otherShape{problem{"the extent is of " + strconv.Itoa(e.rows) +
			" rows, the statistics are of " + strconv.Itoa(p.rows), ErrChanged}}
	}
	if err := p.sameSquares(e.squares); err != nil {
		return nil, err
	}
	s := p.frame(context.Background(), 0)
	around := p.enclose(e)
	m := &Model{Iterations: p.pc.steps, Status: p.pc.status}
	m.Centers = simplexCenters(s, around, p.pc.basis)
	return m.rate(s, p.upper(e, around), &p.pc)
}

// upper returns an upper bound of a model's objective, in scaled units. Rounding hides as much of the
// residuals from the projections as of outside.floor's, and the mixtures of the centers miss the projections.
func (p *StreamSubspace) upper(e *Extent, around *placement) float64 {
	dims := p.pc.basis.Rows
	length := math.Sqrt(max(0, e.objective.value()))*(1+gamma(fineDepth(p.rows)+dotDepth(p.cols)+6)) +
		1.1*gamma(dims+8)*(2+math.Sqrt(float64(dims)))*math.Sqrt(e.squares)
	within, outside := around.misses(norm2(p.mean), e.radius)
	length += math.Sqrt(p.weight) * (within + outside)
	return length * length * (1 + 0x1p-48)
}

// sameSquares returns an error if the sum of squares of a pass, about the mean, is not that of the
// statistics. The same rows differ by the rounding of the sums, by that of the mean, which shifts all rows by
// off, and by squares below 2^-1000, which count as 0.
func (p *StreamSubspace) sameSquares(squares float64) error {
	off := 0x1p-50 * math.Sqrt(p.weight*sumSquares(p.mean))
	allowed := 1e-9*p.pc.total + 2*off*math.Sqrt(p.pc.total) + off*off + p.weight*float64(p.cols)*0x1p-1000
	if math.Abs(squares-p.pc.total) <= allowed {
		return nil
	}
	return fail(ErrChanged, "the squared distances of the rows from the mean add up to "+
		decimal(p.unscaleSquare(squares))+", those of the statistics to "+
		decimal(p.unscaleSquare(p.pc.total)))
}

// normals are those of the simplex that encloses the rows.
func (p *StreamSubspace) normals() *Matrix { return fitNormals(p.k, p.pc.basis.Rows, p.placing()) }

// enclose returns the simplex around rows of the given extent and as many dimensions as the basis.
func (p *StreamSubspace) enclose(e *Extent) *placement {
	return placeExtent(p.normals(), &e.extent, p.placing(), p.pc.basis.Rows)
}

// placing are the options that place the simplex.
func (p *StreamSubspace) placing() *Options {
	return &Options{Enclosure: p.enclosure, Orientation: p.orientation}
}
