package softkmeans

// The binary forms of a Model and of an LSDModel. All numbers are little-endian; a
// float64 is its IEEE 754 bits.
//
// Model:
//
//	offset 0   magic "SKMM"
//	       4   uint16 version, 4
//	       6   uint16 flags: bit 0 centers, bit 1 memberships present, bit 2 rows
//	           add up to at most 1, bits 3 and 4 the volume, bit 5 cluster means, bit 6 unit rows
//	       8   uint32 solver
//	      12   uint32 status
//	      16   uint64 iterations
//	      24   float64 × 8: objective, floor, floor error, total, gap, λ, ε, volume
//	           ratio
//	      88   for each matrix present: uint64 rows, uint64 columns, the entries by rows
//	           uint64 number of labels, for each uint64 its cluster
//	           uint64 length of the trace, its entries
//	           uint64 number of warnings, for each uint64 kind, cluster and other
//	           cluster, float64 value
//	           float64 stationarity
//	           uint64 length of the shade, its entries
//	           uint64 number of rows left out, their indices as uint64
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
	modelVersion = 4
	hasCenters   = 1
	hasMembers   = 2
	sumsAtMost   = 4
	volumeShift  = 3 // of two bits
	hasMeans     = 1 << 5
	unitRowsFlag = 1 << 6
	hasAxes      = 1 << 7
	volumeBits   = 3
	knownFlags   = hasCenters | hasMembers | sumsAtMost | volumeBits<<volumeShift | hasMeans | unitRowsFlag | hasAxes

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

// list writes numbers after their count.
func (w *writer) list(name string, v []float64) {
	w.count(len(v))
	w.numbers(name, v)
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

// matrixSize is the length that a matrix takes; nil takes nothing.
func matrixSize(m *Matrix) int {
	if m == nil {
		return 0
	}
	return 16 + 8*m.Rows*m.Cols
}

// flagIf is the flag where it is set, otherwise 0.
func flagIf(set bool, flag uint16) uint16 {
	if set {
		return flag
	}
	return 0
}

// checkStored is checkMatrix for a matrix that may be nil.
func checkStored(name string, m *Matrix) error {
	if m == nil {
		return nil
	}
	return checkMatrix(name, m, mostCenter)
}

// checkIterations is an error for a number of iterations that no fit returns.
func checkIterations(n int) error {
	if n < 0 || n > math.MaxInt32 {
		return fail(ErrOption, "the model has "+strconv.Itoa(n)+" iterations")
	}
	return nil
}

// checkHeader is an error for values of the header that no fit returns.
func (m *Model) checkHeader() error {
	if v := m.VolumeRatio; math.Signbit(v) || v > 0 && v < 1 {
		return fail(ErrOption, "the model's volume ratio is "+decimal(v))
	}
	return firstError(checkEnum("the model's solver", m.Solver, solverCount), checkEnum("the model's status", m.Status, statusCount),
		checkEnum("the model's sum", m.Sum, sumCount), checkEnum("the model's volume", m.Volume, volumeCount), checkIterations(m.Iterations))
}

// checkCenters is an error of the given kind if the matrices contradict each other.
func (m *Model) checkCenters(kind error) error {
	if m.Centers == nil || m.Memberships == nil || m.Centers.Rows == m.Memberships.Cols {
		return nil
	}
	return fail(kind, "the model has "+strconv.Itoa(m.Centers.Rows)+" centers and memberships for "+strconv.Itoa(m.Memberships.Cols))
}

// checkClusters is an error of the given kind if the labels contradict the rest.
func (m *Model) checkClusters(kind error) error {
	if n := len(m.Clusters); n > 0 && (m.ClusterMeans == nil || m.Memberships != nil && m.Memberships.Rows != n) {
		return fail(kind, "the model has "+strconv.Itoa(n)+" labels without as many memberships, or without cluster means")
	}
	for i, j := range m.Clusters {
		if j < 0 || j >= m.ClusterMeans.Rows {
			return fail(kind, "the model's label "+strconv.Itoa(i)+" is "+strconv.Itoa(j))
		}
	}
	return nil
}

// Check returns an error unless the model's parts fit together, as those of a fit do:
// matrices of finite numbers with a row or a column for each center, labels, a Solver and a
// Status that there are. Parts that are nil fit.
func (m *Model) Check() error {
	return firstError(checkStored("centers", m.Centers), checkStored("Memberships", m.Memberships),
		checkStored("clusterMeans", m.ClusterMeans), checkStored("clusterAxes", m.ClusterAxes),
		m.checkHeader(), m.checkCenters(ErrShape), m.checkMeans(ErrShape), m.checkClusters(ErrOption))
}

// MarshalBinary returns the model in the binary form that UnmarshalBinary reads, 8 bytes a
// number: the same bytes for the same model on every machine. Matrices may be nil. Errors,
// where UnmarshalBinary would not read the result: [ErrShape] for a matrix that contradicts
// itself or the other, [ErrNonFinite], [ErrRange], and [ErrOption] for a Solver, a Status,
// labels or a number of iterations that no fit returns.
func (m *Model) MarshalBinary() ([]byte, error) {
	if err := firstError(m.checkHeader(), m.checkCenters(ErrShape), m.checkMeans(ErrShape), m.checkClusters(ErrOption)); err != nil {
		return nil, err
	}
	for i, w := range m.Warnings {
		if w.Kind < 0 || w.Kind >= warningCount || w.Cluster < 0 || w.Cluster > math.MaxInt32 || w.Other < 0 || w.Other > math.MaxInt32 {
			return nil, fail(ErrOption, "the model's warning "+strconv.Itoa(i)+" has values that no fit returns")
		}
	}
	for _, i := range m.Trimmed {
		if i < 0 || i > math.MaxInt32 {
			return nil, fail(ErrOption, "the model's Trimmed has "+strconv.Itoa(i)+", which is no row")
		}
	}
	if m.Rows != RowsAuto && m.Rows != RowsUnit {
		return nil, fail(ErrOption, "the model's Rows is "+m.Rows.String())
	}
	if err := firstError(checkStored("Centers", m.Centers), checkStored("Memberships", m.Memberships), checkStored("ClusterMeans", m.ClusterMeans), checkStored("ClusterAxes", m.ClusterAxes)); err != nil {
		return nil, err
	}
	flags := flagIf(m.ClusterMeans != nil, hasMeans) | flagIf(m.ClusterAxes != nil, hasAxes) | flagIf(m.Centers != nil, hasCenters) | flagIf(m.Memberships != nil, hasMembers) | flagIf(m.Sum == SumAtMostOne, sumsAtMost) | uint16(m.Volume)<<volumeShift | flagIf(m.Rows == RowsUnit, unitRowsFlag)
	size := headerSize + matrixSize(m.Centers) + matrixSize(m.Memberships) + matrixSize(m.ClusterMeans) + matrixSize(m.ClusterAxes) + 8 + 8*len(m.Clusters) + 8 + 8*len(m.Trace) + 8 + 32*len(m.Warnings) + 8 + 8 + 8*len(m.Shade) + 8 + 8*len(m.Trimmed) + 4
	var w writer
	w.header(size, header{modelMagic, modelVersion, flags, int(m.Solver), int(m.Status), m.Iterations, "Model",
		[]float64{m.Objective, m.Floor, m.FloorError, m.Total, m.Gap, m.Lambda, m.Epsilon, m.VolumeRatio}})
	w.matrix(m.Centers)
	w.matrix(m.Memberships)
	w.matrix(m.ClusterMeans)
	w.matrix(m.ClusterAxes)
	w.count(len(m.Clusters))
	for _, j := range m.Clusters {
		w.count(j)
	}
	w.list("Trace", m.Trace)
	w.count(len(m.Warnings))
	for _, warning := range m.Warnings {
		for _, v := range []int{int(warning.Kind), warning.Cluster, warning.Other} {
			w.count(v)
		}
		w.numbers("Warnings", []float64{warning.Value})
	}
	w.numbers("Stationarity", []float64{m.Stationarity})
	w.list("Shade", m.Shade)
	w.count(len(m.Trimmed))
	for _, i := range m.Trimmed {
		w.count(i)
	}
	return w.sum()
}

// UnmarshalBinary reads what MarshalBinary wrote. Anything else is an [ErrFormat], and m is
// then unchanged. It allocates no more than len(data) bytes for the model.
func (m *Model) UnmarshalBinary(data []byte) error {
	r, err := newReader(data, modelMagic, modelVersion, 6*8)
	if err != nil {
		return err
	}
	h := r.numbers(headerNumbers)
	out := Model{
		Objective: h[0], Floor: h[1], FloorError: h[2], Total: h[3], Gap: h[4], Lambda: h[5], Epsilon: h[6], VolumeRatio: h[7], Volume: Volume(r.flags >> volumeShift & volumeBits),
		Solver: Solver(r.first), Status: Status(r.second), Iterations: int(min(r.total, 1<<31)), // more is refused, and so is 2^31
	}
	if r.flags&sumsAtMost != 0 {
		out.Sum = SumAtMostOne
	}
	if r.flags&^knownFlags != 0 || out.checkHeader() != nil {
		return fail(ErrFormat, "the model's header has values that no fit returns")
	}
	if r.flags&unitRowsFlag != 0 {
		out.Rows = RowsUnit
	}
	out.Centers, out.Memberships = r.optional(hasCenters), r.optional(hasMembers)
	out.ClusterMeans, out.ClusterAxes, out.Clusters = r.optional(hasMeans), r.optional(hasAxes), r.indices()
	out.Trace = r.list()
	out.Warnings = r.warnings()
	if last := r.numbers(1); last != nil {
		out.Stationarity = last[0]
	}
	out.Shade = r.list()
	out.Trimmed = r.indices()
	if r.bad || r.at != len(r.data) {
		return fail(ErrFormat, "the model's lengths contradict each other or a number is out of range")
	}
	if err := firstError(out.checkCenters(ErrFormat), out.checkMeans(ErrFormat), out.checkClusters(ErrFormat)); err != nil {
		return err
	}
	*m = out
	return nil
}

// newReader checks what all forms share, and returns a reader at the numbers of the
// header, which are there. rest is the least length of what follows these.
func newReader(data []byte, magic string, version uint16, rest int) (*reader, error) {
	kind := kindOf(magic)
	if len(data) >= 4 && string(data[:4]) != magic {
		if other := kindOf(string(data[:4])); other != "" {
			return nil, fail(ErrFormat, "this is "+other+", not "+kind)
		}
	}
	switch {
	case len(data) < headerSize+rest+4:
		return nil, fail(ErrFormat, kind+" of "+strconv.Itoa(len(data))+" bytes: too short")
	case string(data[:4]) != magic:
		return nil, fail(ErrFormat, "this is not "+kind)
	case binary.LittleEndian.Uint16(data[4:]) != version:
		return nil, fail(ErrFormat, kind+" of version "+strconv.Itoa(int(binary.LittleEndian.Uint16(data[4:])))+
			", this package reads version "+strconv.Itoa(int(version)))
	}
	body := len(data) - 4
	if crc32.ChecksumIEEE(data[:body]) != binary.LittleEndian.Uint32(data[body:]) {
		return nil, fail(ErrFormat, kind+" whose checksum is wrong: damaged or cut short")
	}
	return &reader{
		data: data[:body], at: 24, flags: binary.LittleEndian.Uint16(data[6:]),
		first: binary.LittleEndian.Uint32(data[8:]), second: binary.LittleEndian.Uint32(data[12:]), total: binary.LittleEndian.Uint64(data[16:]),
	}, nil
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
	if err := firstError(m.checkHeader(), checkStored("Memberships", m.Memberships)); err != nil {
		return nil, err
	}
	if m.isMapped() {
		if m.Memberships == nil {
			return nil, fail(ErrShape, "the model has a map without memberships")
		}
		if err := m.checkMap(); err != nil {
			return nil, err
		}
	}
	flags := flagIf(m.Memberships != nil, lsdMembers) | flagIf(m.isMapped(), lsdMap)
	size := headerSize + matrixSize(m.Memberships) + matrixSize(m.Projection) + matrixSize(m.Vertices) + 8 + 8*len(m.Means) + 4
	var w writer
	w.header(size, header{lsdMagic, lsdVersion, flags, m.Rank, int(m.Status), m.Iterations, "Model",
		[]float64{m.Scale, m.Objective, m.Floor, m.FloorError, m.Total, m.Gap, m.Distortion, 0}})
	w.matrix(m.Memberships)
	w.matrix(m.Projection)
	w.matrix(m.Vertices)
	w.list("Means", m.Means)
	return w.sum()
}

// checkHeader is an error for values of the header that no function returns.
func (m *LSDModel) checkHeader() error {
	if m.Rank < 0 || m.Rank > math.MaxInt32 {
		return fail(ErrOption, "the model's rank is "+strconv.Itoa(m.Rank))
	}
	return firstError(checkEnum("the model's status", m.Status, statusCount), checkIterations(m.Iterations))
}

// UnmarshalBinary reads what MarshalBinary wrote. Anything else is an [ErrFormat], and m is
// then unchanged. It allocates no more than len(data) bytes for the model.
func (m *LSDModel) UnmarshalBinary(data []byte) error {
	r, err := newReader(data, lsdMagic, lsdVersion, 8)
	if err != nil {
		return err
	}
	h := r.numbers(headerNumbers)
	out := LSDModel{
		Scale: h[0], Objective: h[1], Floor: h[2], FloorError: h[3], Total: h[4], Gap: h[5], Distortion: h[6],
		Rank: int(r.first), Status: Status(r.second), Iterations: int(min(r.total, 1<<31)),
	}
	if r.flags&^(lsdMembers|lsdMap) != 0 || r.flags == lsdMap || out.checkHeader() != nil {
		return fail(ErrFormat, "the model's header has values that no fit returns")
	}
	out.Memberships, out.Projection, out.Vertices = r.optional(lsdMembers), r.optional(lsdMap), r.optional(lsdMap)
	out.Means = r.list()
	if r.bad || r.at != len(r.data) || math.Float64bits(h[7]) != 0 {
		return fail(ErrFormat, "the model's lengths contradict each other or a number is out of range")
	}
	if out.isMapped() {
		if err := out.checkMap(); err != nil {
			return fail(ErrFormat, "the model's map does not fit its memberships")
		}
	}
	*m = out
	return nil
}

// reader reads numbers from bytes; bad says that something was wrong.
type reader struct {
	data []byte
	at   int
	bad  bool

	flags         uint16 // as in header
	first, second uint32
	total         uint64
}

// left is how many 8-byte numbers remain.
func (r *reader) left() int { return (len(r.data) - r.at) / 8 }

// integer reads a uint64 of at most `most`.
func (r *reader) integer(most int) int {
	if r.bad || r.left() < 1 {
		r.bad = true
		return 0
	}
	v := binary.LittleEndian.Uint64(r.data[r.at:])
	r.at += 8
	if v > uint64(most) {
		r.bad = true
		return 0
	}
	return int(v)
}

// count reads a uint64 that counts no more numbers than remain after it.
func (r *reader) count() int { return r.integer(r.left() - 1) }

// dimension reads a number below 2^31, such as that of the rows or columns of a matrix
// without entries.
func (r *reader) dimension() int { return r.integer(math.MaxInt32) }

// list reads numbers after their count; nil: there are none.
func (r *reader) list() []float64 {
	if n := r.count(); n > 0 {
		return r.numbers(n)
	}
	return nil
}

// indices reads numbers below 2^31 after their count; nil: there are none.
func (r *reader) indices() []int {
	n := r.count()
	if r.bad || n == 0 {
		return nil
	}
	list := make([]int, n)
	for i := range list {
		list[i] = r.dimension()
	}
	return list
}

// optional reads a matrix if its flag is set; nil: it is not.
func (r *reader) optional(flag uint16) *Matrix {
	if r.flags&flag == 0 {
		return nil
	}
	return r.matrix()
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
	m := NewMatrix(rows, cols, r.numbers(rows*cols))
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
