package softkmeans

// The second pass over data in parts: how far the rows reach in the principal subspace, which gives the size
// of the simplex, and how far they are from it, which gives the objective.

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"strconv"
)

// StreamSubspace is the principal affine subspace in which the centers of a global solution lie, with the floor
// that it proves; through 0 for SumAtMostOne. [Stats.StreamSubspace] returns it after the first pass over the data;
// [Extent.Add] reads it in the second. It travels in its binary form, and goroutines may share it. The zero
// value is empty, and what needs a subspace returns [ErrTooFewSamples] for it.
type StreamSubspace struct {
	moments
	pc          principal
	k           int
	enclosure   Enclosure
	sum         Sum
	limit       float64 // of SumAtMostOne: see cone; the basis then begins with the axis
	orientation *Matrix // nil: none
	radius      float64 // Options.Radius; extents do not depend on it
	fingerprint uint32  // see fingerprintOf
}

// StreamSubspace finds the subspace for k centers. It reads the options Enclosure, Sum, Orientation, Radius, Solver
// (SolverAuto or SolverGram) and Workers; Weights must be nil, since weights come with the rows. For
// SumAtMostOne the axis of the cone is the sum of the singular vectors of one sign, or else the first one. If
// rows are outside all the same, [StreamSubspace.Model] says so; FitSeq looks for another axis.
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
	if err := cmp.Or(checkCount("Workers", o.Workers), checkRegular(k, &o),
		checkSizeOfK(k, k, s.cols)); err != nil {
		return nil, err
	}
	about := Stats{moments: s.moments.clone(), scatter: s.scatter}
	mean := about.mean
	if o.Sum == SumAtMostOne {
		about.scatter = slices.Clone(s.scatter)
		mean = about.aboutZero()
	}
	pc, err := about.principal(context.Background(), min(directionsOf(k, o.Sum), s.cols), o.Workers)
	if err != nil {
		return nil, err
	}
	m := about.moments
	m.weightOff, m.meanOff, m.scatterOff = 0, 0, 0 // pc has used them, and the binary form does not hold them
	return newSubspace(m, pc, mean, k, &o), nil
}

// newSubspace returns the subspace for statistics that had this mean.
func newSubspace(m moments, pc *principal, mean []float64, k int, o *Options) *StreamSubspace {
	p := &StreamSubspace{moments: m, pc: *pc, k: k, enclosure: o.Enclosure, sum: o.Sum, radius: o.Radius}
	p.pc.squares = nil // the binary form does not hold them
	if o.Sum == SumAtMostOne {
		p.limit = leastMargin
		turnTo(p.pc.basis, axisOf(p.pc.basis, mean))
	}
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
	if p.sum == SumAtMostOne {
		numbers = append(numbers, p.limit)
	}
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
// descending scatter; nil of the zero value. For SumAtMostOne they are min(k, d) from 0, the first the cone's
// axis.
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
	rows       int
	coneExtent // an extent alone for SumToOne
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
	f := Extent{fingerprint: p.fingerprint, started: true,
		coneExtent: coneExtent{extent: extent{facets: make([]float64, p.k)}}}
	if err := e.checkMerge(&f); err != nil {
		return err
	}
	s, err := p.part(ctx, x, weights, workers)
	if err != nil {
		return err
	}
	f.rows = s.n
	w := NewMatrix(s.n, p.pc.basis.Rows, nil)
	if f.coneExtent, err = p.reach(s, w); err != nil {
		return err
	}
	objective, squares, err := s.residuals(w, p.pc.basis)
	if err != nil {
		return err
	}
	f.objective, f.squares = objective, squares.value()
	f.extent.squares = fineSum{} // which Fit alone needs
	e.merge(&f)
	return nil
}

// reach overwrites w with the rows' coordinates in the basis and returns their extent.
func (p *StreamSubspace) reach(s *samples, w *Matrix) (coneExtent, error) {
	normals, kind := p.normals(), p.enclosure
	if p.sum == SumAtMostOne {
		normals, kind = NewMatrix(0, w.Cols, nil), EnclosureBall
	}
	ext, err := s.project(w, p.pc.basis, normals, kind)
	if err != nil || p.sum == SumToOne {
		return coneExtent{extent: *ext}, err
	}
	reach, err := p.cone().reach(s, w)
	row := make([]float64, w.Cols)
	for i := range w.Rows {
		if copy(row, w.row(i)); !slice(row, p.limit) {
			clear(w.row(i)) // a membership of 0
		}
	}
	return *reach, err
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
	e.coneExtent.merge(&f.coneExtent)
	e.rows += f.rows
	e.objective.merge(f.objective)
	e.squares += f.squares
}

// Rows returns how many rows were added.
func (e *Extent) Rows() int { return e.rows }

// Model returns the global solution for rows of the given extent, as [Fit] does but without memberships,
// which [Model.Predict] finds for any rows. Errors: [ErrShape] if the extent is of another subspace,
// [ErrChanged] if it has another number of rows than the statistics, or their squares add up to another
// number, [ErrOption] if the rows reach beyond Options.Radius.
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
	if _, err := ballRadius(e.radius, p.radius, p.units); err != nil {
		return nil, err
	}
	around := p.enclose(e)
	m := &Model{Iterations: p.pc.steps, Status: p.pc.status, Sum: p.sum}
	if p.sum == SumToOne {
		m.Centers = simplexCenters(s, around, p.pc.basis)
	} else {
		m.Centers = p.cone().centers(s, around, e.height)
		if !e.complete(&p.pc) {
			m.Status = StatusNoHalfSpace
		}
	}
	return m.rate(s, p.upper(e, around), &p.pc)
}

// upper returns an upper bound of a model's objective, in scaled units. Rounding hides as much of the
// residuals from the projections as of outside.floor's, and the mixtures of the centers miss the projections.
func (p *StreamSubspace) upper(e *Extent, around *placement) float64 {
	dims := p.pc.basis.Rows
	length := math.Sqrt(max(0, e.objective.value()))*(1+gamma(fineDepth(p.rows)+dotDepth(p.cols)+6)) +
		1.1*gamma(dims+8)*(2+math.Sqrt(float64(dims)))*math.Sqrt(e.squares)
	if p.sum == SumToOne {
		within, outside := around.misses(norm2(p.mean), e.radius)
		length += math.Sqrt(p.weight) * (within + outside)
	} else {
		// In the slice, about the axis, the mixtures miss as much for a height of 1. The heights' squares add
		// up to less than all; their rounding is less than these.
		within, outside := around.misses(1, math.Inf(1))
		length += 1.1 * math.Sqrt(e.squares) * (2*(within+outside) + gamma(16))
	}
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

// normals are those of the simplex that encloses the rows, or the slice of the cone.
func (p *StreamSubspace) normals() *Matrix { return fitNormals(p.k, p.dims(), p.placing()) }

// dims is how many coordinates the rows, or the points of the slice, have.
func (p *StreamSubspace) dims() int { return p.pc.basis.Rows - directionsOf(1, p.sum) }

// cone returns the cone for SumAtMostOne.
func (p *StreamSubspace) cone() *cone { return &cone{p.pc.basis, p.normals(), p.limit, p.placing()} }

// enclose returns the simplex around rows of the given extent and as many dimensions as the basis.
func (p *StreamSubspace) enclose(e *Extent) *placement {
	reach := e.extent
	reach.radius = max(reach.radius, math.Ldexp(p.radius, -p.exp))
	return placeExtent(p.normals(), &reach, p.placing(), p.dims())
}

// placing are the options that place the simplex.
func (p *StreamSubspace) placing() *Options {
	return &Options{Enclosure: p.enclosure, Orientation: p.orientation}
}
