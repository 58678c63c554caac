package softkmeans

// The binary forms of Stats, StreamSubspace and Extent. encode.go says what all forms share.

import (
	"math"
	"strconv"
)

// header goes through the first fields of rows' moments. The 32 bits after the columns are second, at most
// most.
func (m *moments) header(c *codec, second *int, most int) {
	integer(c, 4, &m.cols, math.MaxInt32)
	integer(c, 4, second, most)
	integer(c, 8, &m.rows, math.MaxInt)
	c.floats("weight", &m.weight)
	c.whole(&m.exp)
	c.whole(&m.wexp)
}

// fields goes through the fields of the statistics. Without weight there are none after the header.
func (s *Stats) fields(c *codec) {
	var flags uint16
	none := 0
	c.flags(&flags, 0)
	s.header(c, &none, 0)
	c.floats("Stats", &s.weightOff, &s.meanOff, &s.scatterOff)
	c.zeros(2)
	c.bad = c.bad || !addressable(s.cols+1, s.cols+1)
	if c.bad || !(s.weight > 0) {
		return
	}
	c.numbers("mean", &s.mean, s.cols)
	c.numbers("mean", &s.meanRest, s.cols)
	c.numbers("scatter", &s.scatter, triangleSize(s.cols))
	c.numbers("scatter", &s.scatterRest, triangleSize(s.cols))
}

// MarshalBinary returns the statistics in the binary form that UnmarshalBinary reads: 104 +
// 8·(2d + d(d+1)) bytes or less, the same for the same statistics on every machine.
func (s *Stats) MarshalBinary() ([]byte, error) { return marshal(statsForm, s.fields) }

// UnmarshalBinary reads what MarshalBinary wrote, as [Model.UnmarshalBinary] does.
func (s *Stats) UnmarshalBinary(data []byte) error {
	return unmarshal(s, data, statsForm, (*Stats).fields, (*Stats).soundScatter)
}

// isBound reports whether v can be a bound of rounding: true ones are far below 1, forged ones must not
// overflow.
func isBound(v float64) bool { return v >= 0 && v <= 0x1p400 }

// sound reports whether the numbers can be those of rows in range.
func (m *moments) sound() bool {
	if m.weight == 0 {
		return m.cols == 0 && m.exp == 0 && m.wexp == 0 &&
			allZero([]float64{m.weightOff, m.meanOff, m.scatterOff})
	}
	ok := m.cols > 0 && m.weight > 0 && m.weight <= float64(m.rows)*(1+0x1p-20) &&
		m.exp >= leastExp && m.exp <= mostExp && m.wexp >= -1073 && m.wexp <= 1024 &&
		isBound(m.weightOff) && isBound(m.meanOff) && isBound(m.scatterOff)
	for i := range m.mean {
		ok = ok && math.Abs(m.mean[i]) <= 1 && math.Abs(m.meanRest[i]) <= 0x1p-40
	}
	return ok
}

// soundScatter reports whether the numbers can be those of rows in range.
func (s *Stats) soundScatter() bool {
	if !s.sound() {
		return false
	}
	most, at := s.weight*(4+0x1p-20), 0
	for i := range s.mean {
		if s.scatter[at] < 0 {
			return false
		}
		for range s.cols - i {
			if math.Abs(s.scatter[at]) > most ||
				math.Abs(s.scatterRest[at]) > math.Abs(s.scatter[at])*0x1p-40 {
				return false
			}
			at++
		}
	}
	return true
}

// allZero reports whether all bits of v are 0.
func allZero(v []float64) bool {
	for _, x := range v {
		if math.Float64bits(x) != 0 {
			return false
		}
	}
	return true
}

// The flags of a StreamSubspace.
const (
	isTight        = 1
	hasOrientation = 1 << 1
	solverShift    = 2 // of three bits
	statusShift    = 5 // of three bits
)

// fields goes through the subspace's fields.
func (p *StreamSubspace) fields(c *codec) {
	pc := &p.pc
	flags := flagIf(p.enclosure == EnclosureTight, isTight) | flagIf(p.orientation != nil, hasOrientation) |
		uint16(pc.solver)<<solverShift | uint16(pc.status)<<statusShift
	c.flags(&flags, 1<<8-1)
	p.header(c, &p.k, math.MaxInt32)
	c.floats("StreamSubspace", &pc.total, &pc.totalError, &pc.floor, &pc.floorError)
	c.whole(&pc.steps)
	if c.reading {
		p.enclosure = Enclosure(flags & isTight)
		pc.solver, pc.status = Solver(flags>>solverShift&7), Status(flags>>statusShift&7)
	}
	if c.bad {
		return
	}
	c.numbers("mean", &p.mean, p.cols)
	c.numbers("mean", &p.meanRest, p.cols)
	c.matrix(&pc.basis, true)
	c.matrix(&p.orientation, flags&hasOrientation != 0)
}

// MarshalBinary returns the subspace in the binary form that UnmarshalBinary reads: 140 + 8·(2d + kd) bytes
// or so. Errors, where UnmarshalBinary would not read the result: [ErrTooFewSamples] for the zero value;
// [ErrShape] for more than 65537 centers in fewer columns.
func (p *StreamSubspace) MarshalBinary() ([]byte, error) {
	if err := p.checkFilled(); err != nil {
		return nil, err
	}
	if p.tooMany() {
		return nil, fail(ErrShape, "the subspace has "+strconv.Itoa(p.k)+" centers in "+
			strconv.Itoa(p.cols)+" columns, too many for so few numbers")
	}
	return marshal(subspaceForm, p.fields)
}

// tooMany reports whether so few bytes as the subspace has could become gigabytes of centers.
func (p *StreamSubspace) tooMany() bool { return p.k-1 > max(p.cols, 1<<16) }

// UnmarshalBinary reads what MarshalBinary wrote, as [Model.UnmarshalBinary] does.
func (p *StreamSubspace) UnmarshalBinary(data []byte) error {
	err := unmarshal(p, data, subspaceForm, (*StreamSubspace).fields, (*StreamSubspace).soundSubspace)
	if err == nil {
		p.fingerprint = fingerprintOf(p)
	}
	return err
}

// soundSubspace reports whether the numbers can be those of rows in range.
func (p *StreamSubspace) soundSubspace() bool {
	pc, most := &p.pc, 4*float64(p.cols)*p.weight*(1+0x1p-20)
	switch {
	case !p.sound() || p.weight == 0 || p.k < 1 || p.tooMany() || !addressable(p.k, p.cols):
		return false
	case pc.basis.Cols != p.cols || pc.basis.Rows != min(p.k-1, p.cols):
		return false
	case !(pc.total >= 0 && pc.total <= most && pc.floor >= 0 && pc.floor <= most):
		return false
	case !(pc.floorError >= 0 && isFinite(pc.floorError) && pc.totalError >= 0 && isFinite(pc.totalError)):
		return false
	case pc.steps < 0 || pc.solver >= solverCount || pc.status >= statusCount:
		return false
	case checkFit(p.k, p.placing()) != nil:
		return false
	}
	for i := range pc.basis.Rows {
		if !(math.Abs(sumSquares(pc.basis.row(i))-1) <= 1e-10) {
			return false
		}
	}
	return true
}

// fields goes through the extent's fields. A flag says that it has a subspace.
func (e *Extent) fields(c *codec) {
	flags, none := flagIf(e.started, 1), 0
	c.flags(&flags, 1)
	integer(c, 4, &none, 0)
	fingerprint := uint32(c.bits(4, uint64(e.fingerprint)))
	integer(c, 8, &e.rows, math.MaxInt)
	c.floats("Extent", &e.radius, &e.objective.sum, &e.squares, &e.objective.lost)
	c.zeros(4)
	c.list("facets", &e.facets)
	if c.reading { // several goroutines may write one extent
		e.started, e.fingerprint = flags != 0, fingerprint
	}
}

// MarshalBinary returns the extent in the binary form that UnmarshalBinary reads: 104 + 8k bytes or less.
func (e *Extent) MarshalBinary() ([]byte, error) { return marshal(extentForm, e.fields) }

// UnmarshalBinary reads what MarshalBinary wrote, as [Model.UnmarshalBinary] does.
func (e *Extent) UnmarshalBinary(data []byte) error {
	return unmarshal(e, data, extentForm, (*Extent).fields, (*Extent).sound)
}

// sound reports whether the numbers can be those of rows in range.
func (e *Extent) sound() bool {
	most := 8 * float64(e.rows) * math.MaxInt32
	numbers := []float64{e.radius, e.objective.sum, e.squares}
	for _, v := range append(numbers, e.facets...) {
		if !(v >= 0 && v <= most) {
			return false
		}
	}
	return math.Abs(e.objective.lost) <= 0x1p-40*most && e.started == (e.rows > 0) &&
		e.started == (len(e.facets) > 0) && (e.started || e.fingerprint == 0)
}
