package softkmeans

// The binary form of a Model. All numbers are little-endian; a float64 is its
// IEEE 754 bits.
//
//	offset 0   magic "SKMM"
//	       4   uint16 version, 2
//	       6   uint16 flags: bit 0 centers, bit 1 memberships present, bit 2 rows
//	           add up to at most 1, bits 3 and 4 the volume
//	       8   uint32 solver
//	      12   uint32 status
//	      16   uint64 iterations
//	      24   float64 × 8: objective, floor, floor error, total, gap, λ, ε, 0
//	      88   for each matrix present: uint64 rows, uint64 columns, the entries by rows
//	           uint64 length of the trace, its entries
//	           uint64 number of warnings, for each uint64 kind, cluster and other
//	           cluster, float64 value
//	   end−4   uint32 CRC-32 (IEEE) of all before
//
// A reader accepts this and nothing else: no byte too many, no number that is
// not finite, and it allocates only for entries that are there.

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"strconv"
)

const (
	modelMagic   = "SKMM"
	modelVersion = 2
	hasCenters   = 1
	hasMembers   = 2
	sumsAtMost   = 4
	volumeShift  = 3 // of two bits
	knownFlags   = hasCenters | hasMembers | sumsAtMost | 3<<volumeShift
)

// MarshalBinary returns the model in the binary form that UnmarshalBinary
// reads, 8 bytes a number: the same bytes for the same model on every machine.
// Matrices may be nil. Errors, where UnmarshalBinary would not read the result:
// [ErrShape] for a matrix that contradicts itself or the other, [ErrNonFinite],
// [ErrOption] for a Solver, a Status or a number of iterations of no meaning.
func (m *Model) MarshalBinary() ([]byte, error) {
	switch {
	case m.Solver < 0 || m.Solver > SolverKrylov:
		return nil, fail(ErrOption, "the model's solver is "+m.Solver.String())
	case m.Status < 0 || m.Status > StatusCancelled:
		return nil, fail(ErrOption, "the model's status is "+m.Status.String())
	case m.Sum != SumToOne && m.Sum != SumAtMostOne:
		return nil, fail(ErrOption, "the model's sum is "+m.Sum.String())
	case m.Volume < VolumeAuto || m.Volume > VolumeAffine:
		return nil, fail(ErrOption, "the model's volume is "+m.Volume.String())
	case m.Iterations < 0 || m.Iterations > math.MaxInt32:
		return nil, fail(ErrOption, "the model has "+strconv.Itoa(m.Iterations)+" iterations")
	case m.Centers != nil && m.Memberships != nil && m.Centers.Rows != m.Memberships.Cols:
		return nil, fail(ErrShape, "the model has "+strconv.Itoa(m.Centers.Rows)+" centers and memberships for "+strconv.Itoa(m.Memberships.Cols))
	}
	for i, w := range m.Warnings {
		if w.Kind < 0 || w.Kind > WarnSlack || w.Cluster < 0 || w.Cluster > math.MaxInt32 || w.Other < 0 || w.Other > math.MaxInt32 {
			return nil, fail(ErrOption, "the model's warning "+strconv.Itoa(i)+" has values of no meaning")
		}
	}
	flags := uint16(m.Volume) << volumeShift
	if m.Sum == SumAtMostOne {
		flags |= sumsAtMost
	}
	size := 88 + 8 + 8*len(m.Trace) + 8 + 32*len(m.Warnings) + 4
	for _, part := range []struct {
		name string
		m    *Matrix
		flag uint16
	}{{"Centers", m.Centers, hasCenters}, {"Memberships", m.Memberships, hasMembers}} {
		if part.m == nil {
			continue
		}
		if err := checkMatrix(part.name, part.m); err != nil {
			return nil, err
		}
		flags |= part.flag
		size += 16 + 8*part.m.Rows*part.m.Cols
	}
	b := make([]byte, 0, size)
	b = append(b, modelMagic...)
	b = binary.LittleEndian.AppendUint16(b, modelVersion)
	b = binary.LittleEndian.AppendUint16(b, flags)
	b = binary.LittleEndian.AppendUint32(b, uint32(m.Solver))
	b = binary.LittleEndian.AppendUint32(b, uint32(m.Status))
	b = binary.LittleEndian.AppendUint64(b, uint64(m.Iterations))
	var err error
	numbers := func(name string, v []float64) {
		for i, x := range v {
			if !isFinite(x) && err == nil {
				err = &InputError{Arg: name, Row: i, Col: -1, Value: x, Err: ErrNonFinite}
			}
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	numbers("Model", []float64{m.Objective, m.Floor, m.FloorError, m.Total, m.Gap, m.Lambda, m.Epsilon, 0})
	for _, part := range []*Matrix{m.Centers, m.Memberships} {
		if part == nil {
			continue
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(part.Rows))
		b = binary.LittleEndian.AppendUint64(b, uint64(part.Cols))
		for i := range part.Rows {
			numbers("", part.row(i))
		}
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(len(m.Trace)))
	numbers("Trace", m.Trace)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(m.Warnings)))
	for _, w := range m.Warnings {
		for _, v := range []int{int(w.Kind), w.Cluster, w.Other} {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		numbers("Warnings", []float64{w.Value})
	}
	if err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)), nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Anything else is an
// [ErrFormat], and m is then unchanged. It allocates no more than len(data)
// bytes for the model.
func (m *Model) UnmarshalBinary(data []byte) error {
	r := reader{data: data}
	switch {
	case len(data) < 88+8+8+4:
		return fail(ErrFormat, "a model of "+strconv.Itoa(len(data))+" bytes is too short")
	case string(data[:4]) != modelMagic:
		return fail(ErrFormat, "this is not a softkmeans model")
	case binary.LittleEndian.Uint16(data[4:]) != modelVersion:
		return fail(ErrFormat, "model of version "+strconv.Itoa(int(binary.LittleEndian.Uint16(data[4:])))+
			", this package reads version "+strconv.Itoa(modelVersion))
	}
	body := len(data) - 4
	if crc32.ChecksumIEEE(data[:body]) != binary.LittleEndian.Uint32(data[body:]) {
		return fail(ErrFormat, "the model's checksum does not fit: damaged or cut short")
	}
	r.data = data[:body]
	flags := binary.LittleEndian.Uint16(data[6:])
	out := Model{
		Solver: Solver(binary.LittleEndian.Uint32(data[8:])),
		Status: Status(binary.LittleEndian.Uint32(data[12:])),
		Volume: Volume(flags >> volumeShift),
	}
	if flags&sumsAtMost != 0 {
		out.Sum = SumAtMostOne
	}
	iterations := binary.LittleEndian.Uint64(data[16:])
	if flags&^knownFlags != 0 || out.Volume > VolumeAffine || out.Solver < 0 || out.Solver > SolverKrylov ||
		out.Status < 0 || out.Status > StatusCancelled || iterations > math.MaxInt32 {
		return fail(ErrFormat, "the model's header has values of no meaning")
	}
	out.Iterations = int(iterations)
	r.at = 24
	head := r.numbers(8)
	if head != nil {
		out.Objective, out.Floor, out.FloorError, out.Total = head[0], head[1], head[2], head[3]
		out.Gap, out.Lambda, out.Epsilon = head[4], head[5], head[6]
	}
	if flags&hasCenters != 0 {
		out.Centers = r.matrix()
	}
	if flags&hasMembers != 0 {
		out.Memberships = r.matrix()
	}
	if n := r.count(); n > 0 {
		out.Trace = r.numbers(n)
	}
	out.Warnings = r.warnings()
	switch {
	case r.bad || r.at != len(r.data) || head != nil && math.Float64bits(head[7]) != 0:
		return fail(ErrFormat, "the model's lengths contradict each other or a number is not finite")
	case out.Centers != nil && out.Memberships != nil && out.Centers.Rows != out.Memberships.Cols:
		return fail(ErrFormat, "the model has "+strconv.Itoa(out.Centers.Rows)+" centers and memberships for "+strconv.Itoa(out.Memberships.Cols))
	}
	*m = out
	return nil
}

// reader takes numbers off bytes, and remembers whether anything was wrong.
type reader struct {
	data []byte
	at   int
	bad  bool
}

// left is how many 8-byte numbers remain.
func (r *reader) left() int { return (len(r.data) - r.at) / 8 }

// count reads a uint64 that counts no more numbers than remain after it.
func (r *reader) count() int {
	if r.bad || r.left() < 1 {
		r.bad = true
		return 0
	}
	v := binary.LittleEndian.Uint64(r.data[r.at:])
	r.at += 8
	if v > uint64(r.left()) {
		r.bad = true
		return 0
	}
	return int(v)
}

func (r *reader) numbers(n int) []float64 {
	if r.bad || n > r.left() {
		r.bad = true
		return nil
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(r.data[r.at:]))
		r.at += 8
		r.bad = r.bad || !isFinite(out[i])
	}
	return out
}

func (r *reader) matrix() *Matrix {
	rows, cols := r.dimension(), r.dimension()
	if r.bad || cols > 0 && rows > r.left()/cols {
		r.bad = true
		return nil
	}
	data := r.numbers(rows * cols)
	if r.bad {
		return nil
	}
	return NewMatrix(rows, cols, data)
}

// warnings reads a list of warnings, 32 bytes each.
func (r *reader) warnings() []Warning {
	n := r.count()
	if r.bad || n == 0 {
		return nil
	}
	if n > r.left()/4 {
		r.bad = true
		return nil
	}
	list := make([]Warning, n)
	for i := range list {
		kind, cluster, other := r.dimension(), r.dimension(), r.dimension()
		value := r.numbers(1)
		if r.bad || kind > int(WarnSlack) {
			r.bad = true
			return nil
		}
		list[i] = Warning{WarningKind(kind), cluster, other, value[0]}
	}
	return list
}

// dimension reads a number below 2^31, as of rows or columns, which an empty
// matrix may have without entries behind it.
func (r *reader) dimension() int {
	if r.bad || r.left() < 1 {
		r.bad = true
		return 0
	}
	v := binary.LittleEndian.Uint64(r.data[r.at:])
	r.at += 8
	if v > math.MaxInt32 {
		r.bad = true
		return 0
	}
	return int(v)
}
