package softkmeans

// The binary forms of a Model and of an LSDModel. All numbers are little-endian; a
// float64 is its IEEE 754 bits.
//
// Model:
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
// LSDModel:
//
//	offset 0   magic "SKML"
//	       4   uint16 version, 1
//	       6   uint16 flags: bit 0 memberships, bit 1 map present
//	       8   uint32 rank
//	      12   uint32 status
//	      16   uint64 iterations
//	      24   float64 × 8: scale, objective, floor, floor error, total, gap, distortion, 0
//	      88   memberships, projection, vertices, as far as present: as the matrices above
//	           uint64 number of means, the means
//	   end−4   uint32 CRC-32 (IEEE) of all before
//
// A reader accepts only this: no byte more, and only finite numbers. It allocates only
// for entries that are there.

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

	lsdMagic      = "SKML"
	statsMagic    = "SKMS"
	subspaceMagic = "SKMP"
	extentMagic   = "SKME"

	lsdVersion    = 1
	lsdMembers    = 1
	lsdMap        = 2
	headerNumbers = 8
	headerSize    = 24 + 8*headerNumbers
)

// writer appends to a form, and keeps an error about the first number that is not finite.
type writer struct {
	b   []byte
	err error
}

// header is the first 88 bytes of a form, in their order; name is for errors.
type header struct {
	magic          string
	version, flags uint16
	first, second  int // 32 bits
	count          int
	name           string
	numbers        []float64 // headerNumbers of them
}

// header begins a form of size bytes.
func (w *writer) header(size int, h header) {
	w.b = make([]byte, 0, size)
	w.b = append(w.b, h.magic...)
	w.b = binary.LittleEndian.AppendUint16(w.b, h.version)
	w.b = binary.LittleEndian.AppendUint16(w.b, h.flags)
	w.b = binary.LittleEndian.AppendUint32(w.b, uint32(h.first))
	w.b = binary.LittleEndian.AppendUint32(w.b, uint32(h.second))
	w.count(h.count)
	w.numbers(h.name, h.numbers)
}

func (w *writer) count(n int) { w.b = binary.LittleEndian.AppendUint64(w.b, uint64(n)) }

func (w *writer) numbers(name string, v []float64) {
	for i, x := range v {
		if !isFinite(x) && w.err == nil {
			w.err = &InputError{Arg: name, Row: i, Col: -1, Value: x, Err: ErrNonFinite}
		}
		w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(x))
	}
}

// matrix writes a matrix that was checked; nil is not written.
func (w *writer) matrix(m *Matrix) {
	if m == nil {
		return
	}
	w.count(m.Rows)
	w.count(m.Cols)
	if tooEmpty(m.Rows, m.Cols) && w.err == nil {
		w.err = fail(ErrShape, "a matrix of "+shape(m.Rows, m.Cols)+" has no entries to store")
	}
	if m.Cols == 0 {
		return
	}
	for i := range m.Rows {
		w.numbers("", m.row(i))
	}
}

// sum ends the form.
func (w *writer) sum() ([]byte, error) {
	if w.err != nil {
		return nil, w.err
	}
	return binary.LittleEndian.AppendUint32(w.b, crc32.ChecksumIEEE(w.b)), nil
}

// tooEmpty reports whether a matrix without entries has more than 2^16 rows or columns. A
// few bytes could otherwise become a model whose memberships or labels take gigabytes.
func tooEmpty(rows, cols int) bool {
	return (rows == 0 || cols == 0) && max(rows, cols) > 1<<16
}

// matrixSize is the length that a matrix takes.
func matrixSize(m *Matrix) int { return 16 + 8*m.Rows*m.Cols }

// MarshalBinary returns the model in the binary form that UnmarshalBinary reads, 8 bytes a
// number: the same bytes for the same model on every machine. Matrices may be nil. Errors,
// where UnmarshalBinary would not read the result: [ErrShape] for a matrix that contradicts
// itself or the other, [ErrNonFinite], [ErrRange], and [ErrOption] for a Solver, a Status or
// a number of iterations that no fit returns.
func (m *Model) MarshalBinary() ([]byte, error) {
	switch {
	case m.Solver < 0 || m.Solver >= solverCount:
		return nil, fail(ErrOption, "the model's solver is "+m.Solver.String())
	case m.Status < 0 || m.Status >= statusCount:
		return nil, fail(ErrOption, "the model's status is "+m.Status.String())
	case m.Sum != SumToOne && m.Sum != SumAtMostOne:
		return nil, fail(ErrOption, "the model's sum is "+m.Sum.String())
	case m.Volume < VolumeAuto || m.Volume >= volumeCount:
		return nil, fail(ErrOption, "the model's volume is "+m.Volume.String())
	case m.Iterations < 0 || m.Iterations > math.MaxInt32:
		return nil, fail(ErrOption, "the model has "+strconv.Itoa(m.Iterations)+" iterations")
	case m.Centers != nil && m.Memberships != nil && m.Centers.Rows != m.Memberships.Cols:
		return nil, fail(ErrShape, "the model has "+strconv.Itoa(m.Centers.Rows)+" centers and memberships for "+strconv.Itoa(m.Memberships.Cols))
	}
	for i, w := range m.Warnings {
		if w.Kind < 0 || w.Kind >= warningCount || w.Cluster < 0 || w.Cluster > math.MaxInt32 || w.Other < 0 || w.Other > math.MaxInt32 {
			return nil, fail(ErrOption, "the model's warning "+strconv.Itoa(i)+" has values that no fit returns")
		}
	}
	flags := uint16(m.Volume) << volumeShift
	if m.Sum == SumAtMostOne {
		flags |= sumsAtMost
	}
	size := headerSize + 8 + 8*len(m.Trace) + 8 + 32*len(m.Warnings) + 4
	for _, part := range []struct {
		name string
		m    *Matrix
		flag uint16
	}{{"Centers", m.Centers, hasCenters}, {"Memberships", m.Memberships, hasMembers}} {
		if part.m == nil {
			continue
		}
		if err := checkMatrix(part.name, part.m, mostCenter); err != nil {
			return nil, err
		}
		flags |= part.flag
		size += matrixSize(part.m)
	}
	var w writer
	w.header(size, header{modelMagic, modelVersion, flags, int(m.Solver), int(m.Status), m.Iterations, "Model",
		[]float64{m.Objective, m.Floor, m.FloorError, m.Total, m.Gap, m.Lambda, m.Epsilon, 0}})
	w.matrix(m.Centers)
	w.matrix(m.Memberships)
	w.count(len(m.Trace))
	w.numbers("Trace", m.Trace)
	w.count(len(m.Warnings))
	for _, warning := range m.Warnings {
		for _, v := range []int{int(warning.Kind), warning.Cluster, warning.Other} {
			w.count(v)
		}
		w.numbers("Warnings", []float64{warning.Value})
	}
	return w.sum()
}

// UnmarshalBinary reads what MarshalBinary wrote. Anything else is an [ErrFormat], and m is
// then unchanged. It allocates no more than len(data) bytes for the model.
func (m *Model) UnmarshalBinary(data []byte) error {
	r, flags, err := newReader(data, modelMagic, modelVersion, 8+8)
	if err != nil {
		return err
	}
	out := Model{
		Solver: Solver(binary.LittleEndian.Uint32(data[8:])),
		Status: Status(binary.LittleEndian.Uint32(data[12:])),
		Volume: Volume(flags >> volumeShift),
	}
	if flags&sumsAtMost != 0 {
		out.Sum = SumAtMostOne
	}
	iterations := binary.LittleEndian.Uint64(data[16:])
	if flags&^knownFlags != 0 || out.Volume >= volumeCount || out.Solver < 0 || out.Solver >= solverCount ||
		out.Status < 0 || out.Status >= statusCount || iterations > math.MaxInt32 {
		return fail(ErrFormat, "the model's header has values that no fit returns")
	}
	out.Iterations = int(iterations)
	head := r.numbers(headerNumbers)
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
		return fail(ErrFormat, "the model's lengths contradict each other or a number is out of range")
	case out.Centers != nil && out.Memberships != nil && out.Centers.Rows != out.Memberships.Cols:
		return fail(ErrFormat, "the model has "+strconv.Itoa(out.Centers.Rows)+" centers and memberships for "+strconv.Itoa(out.Memberships.Cols))
	}
	*m = out
	return nil
}

// newReader checks what all forms share, and returns a reader at the numbers of the
// header. rest is the least length of what follows these.
func newReader(data []byte, magic string, version uint16, rest int) (r *reader, flags uint16, err error) {
	kind := kindOf(magic)
	if len(data) >= 4 && string(data[:4]) != magic {
		if other := kindOf(string(data[:4])); other != "" {
			return nil, 0, fail(ErrFormat, "this is "+other+", not "+kind)
		}
	}
	switch {
	case len(data) < headerSize+rest+4:
		return nil, 0, fail(ErrFormat, kind+" of "+strconv.Itoa(len(data))+" bytes: too short")
	case string(data[:4]) != magic:
		return nil, 0, fail(ErrFormat, "this is not "+kind)
	case binary.LittleEndian.Uint16(data[4:]) != version:
		return nil, 0, fail(ErrFormat, kind+" of version "+strconv.Itoa(int(binary.LittleEndian.Uint16(data[4:])))+
			", this package reads version "+strconv.Itoa(int(version)))
	}
	body := len(data) - 4
	if crc32.ChecksumIEEE(data[:body]) != binary.LittleEndian.Uint32(data[body:]) {
		return nil, 0, fail(ErrFormat, kind+" whose checksum is wrong: damaged or cut short")
	}
	return &reader{data: data[:body], at: 24}, binary.LittleEndian.Uint16(data[6:]), nil
}

// kindOf names the form that begins with a magic; "" for another magic.
func kindOf(magic string) string {
	switch magic {
	case modelMagic:
		return "a softkmeans model"
	case lsdMagic:
		return "a softkmeans model of similarities"
	case statsMagic:
		return "softkmeans statistics"
	case subspaceMagic:
		return "a softkmeans subspace"
	case extentMagic:
		return "a softkmeans extent"
	}
	return ""
}

// MarshalBinary returns the model in the binary form that UnmarshalBinary reads, 8 bytes a
// number: the same bytes for the same model on every machine. The kernel is not stored: to
// predict with a model that was read, keep the training samples and the kernel's
// [SampleKernel.Gamma]. Errors, where UnmarshalBinary would not read the result: [ErrShape]
// for matrices that contradict themselves or each other, [ErrNonFinite], [ErrRange], and
// [ErrOption] for a Status, a Rank or a number of iterations that no function returns.
func (m *LSDModel) MarshalBinary() ([]byte, error) {
	switch {
	case m.Status < 0 || m.Status >= statusCount:
		return nil, fail(ErrOption, "the model's status is "+m.Status.String())
	case m.Rank < 0 || m.Rank > math.MaxInt32:
		return nil, fail(ErrOption, "the model's rank is "+strconv.Itoa(m.Rank))
	case m.Iterations < 0 || m.Iterations > math.MaxInt32:
		return nil, fail(ErrOption, "the model has "+strconv.Itoa(m.Iterations)+" iterations")
	}
	var flags uint16
	size := headerSize + 8 + 4
	if m.Memberships != nil {
		if err := checkMatrix("Memberships", m.Memberships, mostCenter); err != nil {
			return nil, err
		}
		flags |= lsdMembers
		size += matrixSize(m.Memberships)
	}
	if m.isMapped() {
		if m.Memberships == nil {
			return nil, fail(ErrShape, "the model has a map without memberships")
		}
		if err := m.checkMap(); err != nil {
			return nil, err
		}
		flags |= lsdMap
		size += matrixSize(m.Projection) + matrixSize(m.Vertices) + 8*len(m.Means)
	}
	var w writer
	w.header(size, header{lsdMagic, lsdVersion, flags, m.Rank, int(m.Status), m.Iterations, "Model",
		[]float64{m.Scale, m.Objective, m.Floor, m.FloorError, m.Total, m.Gap, m.Distortion, 0}})
	w.matrix(m.Memberships)
	w.matrix(m.Projection)
	w.matrix(m.Vertices)
	w.count(len(m.Means))
	w.numbers("Means", m.Means)
	return w.sum()
}

// UnmarshalBinary reads what MarshalBinary wrote. Anything else is an [ErrFormat], and m is
// then unchanged. It allocates no more than len(data) bytes for the model.
func (m *LSDModel) UnmarshalBinary(data []byte) error {
	r, flags, err := newReader(data, lsdMagic, lsdVersion, 8)
	if err != nil {
		return err
	}
	rank, iterations := binary.LittleEndian.Uint32(data[8:]), binary.LittleEndian.Uint64(data[16:])
	out := LSDModel{Status: Status(binary.LittleEndian.Uint32(data[12:]))}
	if flags&^(lsdMembers|lsdMap) != 0 || flags == lsdMap || out.Status < 0 || out.Status >= statusCount ||
		iterations > math.MaxInt32 || rank > math.MaxInt32 {
		return fail(ErrFormat, "the model's header has values that no fit returns")
	}
	out.Rank, out.Iterations = int(rank), int(iterations)
	head := r.numbers(headerNumbers)
	if flags&lsdMembers != 0 {
		out.Memberships = r.matrix()
	}
	if flags&lsdMap != 0 {
		out.Projection, out.Vertices = r.matrix(), r.matrix()
	}
	if n := r.count(); n > 0 {
		out.Means = r.numbers(n)
	}
	if r.bad || r.at != len(r.data) || math.Float64bits(head[7]) != 0 || flags&lsdMap == 0 && out.Means != nil {
		return fail(ErrFormat, "the model's lengths contradict each other or a number is out of range")
	}
	if out.isMapped() {
		if err := out.checkMap(); err != nil {
			return fail(ErrFormat, "the model's map does not fit its memberships")
		}
	}
	out.Scale, out.Objective, out.Floor, out.FloorError = head[0], head[1], head[2], head[3]
	out.Total, out.Gap, out.Distortion = head[4], head[5], head[6]
	*m = out
	return nil
}

// reader reads numbers from bytes; bad says that something was wrong.
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
	if r.bad || tooEmpty(rows, cols) || cols > 0 && rows > r.left()/cols {
		r.bad = true
		return nil
	}
	data := r.numbers(rows * cols)
	if r.bad {
		return nil
	}
	m := NewMatrix(rows, cols, data)
	_, err := checkEntries("", m, mostCenter)
	r.bad = err != nil
	return m
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
		if r.bad || kind >= int(warningCount) {
			r.bad = true
			return nil
		}
		list[i] = Warning{WarningKind(kind), cluster, other, value[0]}
	}
	return list
}

// dimension reads a number below 2^31, such as that of the rows or columns of a matrix
// without entries.
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
