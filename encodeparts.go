package softkmeans

// The binary forms of Stats, Subspace and Extent, which take the passes of the global
// solution from one process to another. As with models (encode.go) all numbers are
// little-endian, the header implies the lengths, and a reader accepts only this.
//
//	offset 0   magic "SKMS", "SKMP" or "SKME"
//	       4   uint16 version, 2
//	       6   uint16 flags
//	       8   uint32 number of columns; of an extent 0
//	      12   uint32 of Subspace k, of Extent the CRC-32 of its subspace's form
//	      16   uint64 rows
//	      24   float64 × 8
//	   end−4   uint32 CRC-32 (IEEE) of all before
//
// Stats: weight and the powers of two of entries and weights, bounds of the errors of
// weight, mean and scatter, 0 × 2. Then, unless the weight is 0, the mean (d), its rest
// (d), the upper triangle of the scatter by rows and its rest.
//
// Subspace: the same three, total, its error, floor, its error, steps. Flags: bit 0 the tight
// enclosure, bit 1 an orientation, bits 2 to 4 the solver, bits 5 to 7 the status, bit 8
// sums of at most 1, bit 9 a radius of its own. Then mean and rest, which are 0 with bit 8,
// with it the limit of the cone, with bit 9 the radius in the data's units, the basis, and the orientation, if any, as matrices.
//
// Extent: radius, objective, sum of squares, what the objective's sum lost, height and
// squares outside of a cone, 0 × 2; without a cone the height is 0. Flags: bit 0 it has a
// subspace, as it does from the first row on. Then uint64 number of facets, which is that
// of the centers, and the facets.

import (
	"math"
	"strconv"
)

const (
	partsVersion = 2

	isTight        = 1
	hasOrientation = 2
	solverShift    = 2
	statusShift    = 5
	isCone         = 1 << 8
	hasRadius      = 1 << 9
	hasSubspace    = 1
)

// MarshalBinary returns the statistics in the binary form that UnmarshalBinary reads: 104 +
// 8·(2d + d(d+1)) bytes or less, the same for the same statistics on every machine.
func (s *Stats) MarshalBinary() ([]byte, error) {
	var w writer
	size := headerSize + 8*(2*len(s.mean)+2*len(s.scatter)) + 4
	head := s.numbers()
	copy(head[3:], []float64{s.weightOff, s.meanOff, s.scatterOff})
	w.header(size, header{magic: statsMagic, version: partsVersion, first: s.cols, count: s.rows, name: "Stats", numbers: head})
	w.numbers("mean", s.mean)
	w.numbers("mean", s.meanRest)
	w.numbers("scatter", s.scatter)
	w.numbers("scatter", s.scatterRest)
	return w.sum()
}

// UnmarshalBinary reads what MarshalBinary wrote. Anything else is an [ErrFormat], and s is
// then unchanged. It allocates no more than len(data) bytes for the statistics.
func (s *Stats) UnmarshalBinary(data []byte) error {
	r, err := newReader(data, statsMagic, partsVersion, 0)
	if err != nil {
		return err
	}
	var out Stats
	head := r.moments(&out.moments)
	d := out.cols
	r.bad = r.bad || r.flags != 0 || r.second != 0 || !zeros(head[3:]) || !addressable(d+1, d+1)
	if !r.bad {
		out.weightOff, out.meanOff, out.scatterOff = head[0], head[1], head[2]
	}
	if !r.bad && out.weight > 0 {
		out.mean, out.meanRest = r.numbers(d), r.numbers(d)
		out.scatter, out.scatterRest = r.numbers(triangleSize(d)), r.numbers(triangleSize(d))
	}
	if r.bad || r.at != len(r.data) || !out.sound() || !out.soundScatter() {
		return fail(ErrFormat, "the statistics contradict themselves or a number is out of range")
	}
	*s = out
	return nil
}

// numbers are those of the header.
func (m *moments) numbers() []float64 {
	return []float64{m.weight, float64(m.exp), float64(m.wexp), 0, 0, 0, 0, 0}
}

// moments reads m's part of the header and returns the other numbers.
func (r *reader) moments(m *moments) (rest []float64) {
	head := r.numbers(headerNumbers)
	if r.bad || r.first > math.MaxInt32 || r.total > math.MaxInt {
		r.bad = true
		return nil
	}
	m.cols, m.rows, m.weight = int(r.first), int(r.total), head[0]
	for i, to := range []*int{&m.exp, &m.wexp} {
		*to = int(max(-4096, min(head[1+i], 4096)))
		r.bad = r.bad || !equalsInt(head[1+i], *to)
	}
	return head[3:]
}

// isBound reports whether v can bound what rounding did to scaled sums. True bounds are far
// below 1; the limit keeps what is computed from forged ones finite.
func isBound(v float64) bool { return v >= 0 && v <= 0x1p400 }

// sound reports whether the numbers can be those of rows in range.
func (m *moments) sound() bool {
	if m.weight == 0 {
		return m.cols == 0 && m.exp == 0 && m.wexp == 0 && zeros([]float64{m.weightOff, m.meanOff, m.scatterOff})
	}
	ok := m.cols > 0 && m.weight > 0 && m.weight <= float64(m.rows)*(1+0x1p-20) &&
		m.exp >= leastExp && m.exp <= mostExp && m.wexp >= -1073 && m.wexp <= 1024 &&
		isBound(m.weightOff) && isBound(m.meanOff) && isBound(m.scatterOff)
	for i := range m.mean {
		ok = ok && math.Abs(m.mean[i]) <= 1 && math.Abs(m.meanRest[i]) <= 0x1p-40
	}
	return ok
}

func (s *Stats) soundScatter() bool {
	most, at := s.weight*(4+0x1p-20), 0
	for i := range s.mean {
		if s.scatter[at] < 0 {
			return false
		}
		for range s.cols - i {
			if math.Abs(s.scatter[at]) > most || math.Abs(s.scatterRest[at]) > math.Abs(s.scatter[at])*0x1p-40 {
				return false
			}
			at++
		}
	}
	return true
}

// equalsInt reports whether v is n, bit by bit: −0 is not 0.
func equalsInt(v float64, n int) bool { return math.Float64bits(v) == math.Float64bits(float64(n)) }

// zeros reports whether all bits of v are 0.
func zeros(v []float64) bool {
	for _, x := range v {
		if math.Float64bits(x) != 0 {
			return false
		}
	}
	return true
}

// MarshalBinary returns the subspace in the binary form that UnmarshalBinary
// reads: 140 + 8·(2d + kd) bytes or so. Errors, where UnmarshalBinary would not read the
// result: [ErrTooFewSamples] for the zero value; [ErrShape] for more than 65537 centers in
// fewer columns, and for one center in more than 65536 columns.
func (p *Subspace) MarshalBinary() ([]byte, error) {
	if err := p.checkFilled(); err != nil {
		return nil, err
	}
	w := p.form()
	if p.tooMany() && w.err == nil {
		w.err = fail(ErrShape, "the subspace has "+strconv.Itoa(p.k)+" centers in "+strconv.Itoa(p.cols)+" columns, too many for so few numbers")
	}
	return w.sum()
}

// tooMany is tooEmpty for the centers: a few bytes could otherwise become gigabytes of
// centers.
func (p *Subspace) tooMany() bool { return p.k-1 > max(p.cols, 1<<16) }

// form is the binary form without its checksum.
func (p *Subspace) form() *writer {
	flags := flagIf(p.enclosure == EnclosureTight, isTight) | flagIf(p.orientation != nil, hasOrientation) |
		uint16(p.pc.solver)<<solverShift | uint16(p.pc.status)<<statusShift | flagIf(p.sum == SumAtMostOne, isCone) | flagIf(p.radius > 0, hasRadius)
	size := headerSize + 16*p.cols + 8*int(p.sum) + 8*int(flags&hasRadius/hasRadius) + matrixSize(p.pc.basis) + matrixSize(p.orientation) + 4
	head := p.numbers()
	copy(head[3:], []float64{p.pc.total, p.pc.totalError, p.pc.floor, p.pc.floorError, float64(p.pc.steps)})
	w := &writer{}
	w.header(size, header{subspaceMagic, partsVersion, flags, p.cols, p.k, p.rows, "Subspace", head})
	w.numbers("mean", p.mean)
	w.numbers("mean", p.meanRest)
	if p.sum == SumAtMostOne {
		w.numbers("limit", []float64{p.limit})
	}
	if p.radius > 0 {
		w.numbers("radius", []float64{p.radius})
	}
	w.matrix(p.pc.basis)
	w.matrix(p.orientation)
	return w
}

// UnmarshalBinary reads what MarshalBinary wrote. Anything else is an [ErrFormat], and p is
// then unchanged. It allocates no more than len(data) bytes for the subspace.
func (p *Subspace) UnmarshalBinary(data []byte) error {
	r, err := newReader(data, subspaceMagic, partsVersion, 0)
	if err != nil {
		return err
	}
	out := Subspace{k: int(min(r.second, math.MaxInt32)), enclosure: Enclosure(r.flags & isTight)}
	if r.flags&isCone != 0 {
		out.sum, out.atZero = SumAtMostOne, true
	}
	head := r.moments(&out.moments)
	if !r.bad {
		out.mean, out.meanRest = r.numbers(out.cols), r.numbers(out.cols)
		if limit := r.numbers(int(out.sum)); len(limit) > 0 {
			out.limit = limit[0]
		}
		if radius := r.numbers(int(r.flags & hasRadius / hasRadius)); len(radius) > 0 {
			out.radius, r.bad = radius[0], !(radius[0] > 0)
		}
		out.pc.basis, out.orientation = r.matrix(), r.optional(hasOrientation)
	}
	out.pc.solver, out.pc.status = Solver(r.flags>>solverShift&7), Status(r.flags>>statusShift&7)
	if r.bad || r.at != len(r.data) || !out.sound() || !out.soundSubspace(head) || r.flags>>(statusShift+5) != 0 || r.second > math.MaxInt32 {
		return fail(ErrFormat, "the subspace contradicts itself or a number is out of range")
	}
	out.fingerprint = fingerprintOf(&out)
	*p = out
	return nil
}

// soundSubspace is sound for what Subspace adds. It takes the other numbers of the header.
func (p *Subspace) soundSubspace(head []float64) bool {
	pc, most := &p.pc, 4*float64(p.cols)*p.weight*(1+0x1p-20)
	pc.total, pc.totalError, pc.floor, pc.floorError = head[0], head[1], head[2], head[3]
	pc.steps = int(max(0, min(head[4], math.MaxInt32)))
	switch {
	case p.weight == 0 || p.k < 1 || p.tooMany() || !addressable(p.k, p.cols) || pc.basis.Cols != p.cols || pc.basis.Rows != min(directionsOf(p.k, p.sum), p.cols):
		return false
	case !(pc.total >= 0 && pc.total <= most && pc.floor >= 0 && pc.floor <= most):
		return false
	case p.sum == SumAtMostOne && !(p.limit >= leastMargin && p.limit <= 1 && zeros(p.mean) && zeros(p.meanRest)):
		return false
	case !(pc.floorError >= 0 && isFinite(pc.floorError) && pc.totalError >= 0 && isFinite(pc.totalError)):
		return false
	case !equalsInt(head[4], pc.steps) || pc.solver >= solverCount || pc.status >= statusCount:
		return false
	case checkRegular(p.k, &Options{Enclosure: p.enclosure, Sum: p.sum, Orientation: p.orientation, Radius: p.radius}) != nil:
		return false
	}
	for i := range pc.basis.Rows {
		if !(math.Abs(sumSquares(pc.basis.row(i))-1) <= 1e-10) {
			return false
		}
	}
	return true
}

// MarshalBinary returns the extent in the binary form that UnmarshalBinary
// reads: 104 + 8k bytes or less.
func (e *Extent) MarshalBinary() ([]byte, error) {
	var w writer
	w.header(headerSize+8+8*len(e.facets)+4, header{magic: extentMagic, version: partsVersion, flags: flagIf(e.started, hasSubspace), second: int(e.fingerprint),
		count: e.rows, name: "Extent", numbers: []float64{e.radius, e.objective, e.squares, e.lost, e.height, e.outside, 0, 0}})
	w.list("facets", e.facets)
	return w.sum()
}

// UnmarshalBinary reads what MarshalBinary wrote. Anything else is an
// [ErrFormat], and e is then unchanged.
func (e *Extent) UnmarshalBinary(data []byte) error {
	r, err := newReader(data, extentMagic, partsVersion, 8)
	if err != nil {
		return err
	}
	head := r.numbers(headerNumbers)
	out := Extent{fingerprint: r.second, started: r.flags&hasSubspace != 0, objective: head[1], squares: head[2], lost: head[3]}
	out.radius, out.facets, out.height, out.outside = head[0], r.list(), head[4], head[5]
	sound := !r.bad && r.at == len(r.data) && r.flags&^hasSubspace == 0 && r.total <= math.MaxInt && r.first == 0 && zeros(head[6:])
	if sound {
		out.rows = int(r.total)
		most := 8 * float64(out.rows) * math.MaxInt32
		sound = out.radius >= 0 && out.radius <= most && out.objective >= 0 && out.objective <= most && out.squares >= 0 && out.squares <= most && math.Abs(out.lost) <= 0x1p-40*most
		sound = sound && out.height >= 0 && out.height <= most && out.outside >= 0 && out.outside <= most
		for _, v := range out.facets {
			sound = sound && v >= 0 && v <= most
		}
	}
	if !sound || out.started != (r.total > 0) || out.started != (len(out.facets) > 0) || !out.started && out.fingerprint != 0 {
		return fail(ErrFormat, "the extent contradicts itself or a number is out of range")
	}
	*e = out
	return nil
}
