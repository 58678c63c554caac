package softkmeans

// The binary forms of Model, LSDModel, Stats, StreamSubspace and Extent. One function for each type goes through
// its fields in order, and serves writing and reading. All is little-endian; a float64 is its IEEE 754 bits.
//
//	offset 0   magic
//	       4   uint16 version
//	       6   uint16 flags
//	       8   uint32, uint32, uint64, float64 × 8: as the type's function says
//	      88   the type's other fields
//	   end−4   uint32 CRC-32 (IEEE) of all before
//
// A matrix is uint64 rows and columns and its entries by rows. A list is its length as uint64 and its items.
// A reader accepts only what a writer writes, and allocates only for entries that are there.

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"strconv"
)

// formKind is what a form begins with, and what errors call it.
type formKind struct {
	magic   string
	version uint16
	name    string
}

var (
	modelForm    = formKind{"SKMM", 6, "a softkmeans model"}
	lsdForm      = formKind{"SKML", 1, "a softkmeans model of similarities"}
	statsForm    = formKind{"SKMS", 2, "softkmeans statistics"}
	subspaceForm = formKind{"SKMP", 2, "a softkmeans subspace"}
	extentForm   = formKind{"SKME", 2, "a softkmeans extent"}
)

// headerSize is the length of the header, which all forms have.
const headerSize = 88

// codec goes through the fields of a value. It measures them, then writes them, or it reads
// them from all of the form but its checksum.
type codec struct {
	data    []byte
	at      int
	writing bool
	reading bool
	bad     bool  // what is read is not what a writer writes
	err     error // what is written would not be read
}

func marshal(kind formKind, fields func(c *codec)) ([]byte, error) {
	measured := &codec{at: 6}
	fields(measured)
	w := &codec{writing: true, data: make([]byte, 0, measured.at+4)}
	w.data = append(w.data, kind.magic...)
	w.data = binary.LittleEndian.AppendUint16(w.data, kind.version)
	fields(w)
	if w.err != nil {
		return nil, w.err
	}
	return binary.LittleEndian.AppendUint32(w.data, crc32.ChecksumIEEE(w.data)), nil
}

// unmarshal overwrites v with what a form holds, if that is sound. Anything else is an error.
func unmarshal[T any](v *T, data []byte, kind formKind, fields func(*T, *codec), sound func(*T) bool) error {
	for _, other := range []formKind{modelForm, lsdForm, statsForm, subspaceForm, extentForm} {
		if len(data) >= 4 && string(data[:4]) == other.magic && other.magic != kind.magic {
			return fail(ErrFormat, "this is "+other.name+", not "+kind.name)
		}
	}
	switch {
	case len(data) < headerSize+4:
		return fail(ErrFormat, kind.name+" of "+strconv.Itoa(len(data))+" bytes: too short")
	case string(data[:4]) != kind.magic:
		return fail(ErrFormat, "this is not "+kind.name)
	}
	if v := binary.LittleEndian.Uint16(data[4:]); v != kind.version {
		return fail(ErrFormat, kind.name+" of version "+strconv.Itoa(int(v))+
			", this package reads version "+strconv.Itoa(int(kind.version)))
	}
	body := len(data) - 4
	if crc32.ChecksumIEEE(data[:body]) != binary.LittleEndian.Uint32(data[body:]) {
		return fail(ErrFormat, kind.name+" whose checksum is wrong: damaged or cut short")
	}
	var out T
	c := &codec{data: data[:body], at: 6, reading: true}
	fields(&out, c)
	if c.bad || c.at != body || !sound(&out) {
		return fail(ErrFormat, kind.name+" whose numbers contradict each other or are out of range")
	}
	*v = out
	return nil
}

// bits is a field of some bytes, at most 8. It returns v, or what is read.
func (c *codec) bits(bytes int, v uint64) uint64 {
	var b [8]byte
	switch {
	case c.writing:
		binary.LittleEndian.PutUint64(b[:], v)
		c.data = append(c.data, b[:bytes]...)
	case c.reading && (c.bad || len(c.data)-c.at < bytes):
		c.bad = true
		return 0
	case c.reading:
		copy(b[:bytes], c.data[c.at:])
		v = binary.LittleEndian.Uint64(b[:])
	}
	c.at += bytes
	return v
}

// flags is a field of 16 bits, of which those of known may be set.
func (c *codec) flags(v *uint16, known uint16) {
	*v = uint16(c.bits(2, uint64(*v)))
	c.bad = c.bad || *v&^known != 0
}

// left is how many 8-byte numbers remain to be read.
func (c *codec) left() int { return (len(c.data) - c.at) / 8 }

// integer is a field of 4 or 8 bytes for a number from 0 to most.
func integer[T ~int](c *codec, bytes int, v *T, most int) {
	bits := c.bits(bytes, uint64(*v))
	if !c.reading {
		return
	}
	if bits > uint64(most) {
		c.bad, bits = true, 0
	}
	*v = T(bits)
}

// length is the number of items that follow. As many numbers must be there to be read.
func (c *codec) length(n int) int {
	integer(c, 8, &n, c.left()-1)
	return n
}

// floats are numbers, one after the other. The name is for errors.
func (c *codec) floats(name string, v ...*float64) {
	for i, p := range v {
		if c.writing {
			c.checkFinite(name, i, *p)
		}
		bits := c.bits(8, math.Float64bits(*p))
		if c.reading {
			*p = math.Float64frombits(bits)
			c.bad = c.bad || !isFinite(*p)
		}
	}
}

func (c *codec) checkFinite(name string, i int, v float64) {
	if !isFinite(v) && c.err == nil {
		c.err = &InputError{Arg: name, Row: i, Col: -1, Value: v, Err: ErrNonFinite}
	}
}

// numbers are n numbers.
func (c *codec) numbers(name string, v *[]float64, n int) {
	switch {
	case c.writing:
		for i, x := range *v {
			c.checkFinite(name, i, x)
			c.data = binary.LittleEndian.AppendUint64(c.data, math.Float64bits(x))
		}
	case !c.reading:
		c.at += 8 * n
	case c.bad || n > c.left():
		c.bad = true
	default:
		*v = make([]float64, n)
		for i := range *v {
			x := math.Float64frombits(binary.LittleEndian.Uint64(c.data[c.at:]))
			c.bad = c.bad || !isFinite(x)
			(*v)[i] = x
			c.at += 8
		}
	}
}

// list is numbers after their length; nil where there are none.
func (c *codec) list(name string, v *[]float64) {
	if n := c.length(len(*v)); n > 0 {
		c.numbers(name, v, n)
	}
}

// integers are numbers from 0 to math.MaxInt32 after their length; nil where there are none.
func (c *codec) integers(v *[]int) {
	n := c.length(len(*v))
	if c.reading && n > 0 {
		*v = make([]int, n)
	}
	for i := range *v {
		integer(c, 8, &(*v)[i], math.MaxInt32)
	}
}

// matrix is a matrix, if it is present; otherwise nothing, and nil is read.
func (c *codec) matrix(m **Matrix, present bool) {
	if !present {
		return
	}
	var rows, cols int
	if !c.reading {
		rows, cols = (*m).Rows, (*m).Cols
	}
	integer(c, 8, &rows, math.MaxInt32)
	integer(c, 8, &cols, math.MaxInt32)
	switch {
	case !c.reading:
		for i := range rows {
			row := (*m).row(i)
			c.numbers("", &row, cols)
		}
	case c.bad || cols > 0 && rows > c.left()/cols:
		c.bad = true
		*m = &Matrix{}
	default:
		var data []float64
		c.numbers("", &data, rows*cols)
		*m = NewMatrix(rows, cols, data)
	}
}

// zeros are n numbers that must be 0.
func (c *codec) zeros(n int) {
	for range n {
		c.bad = c.bad || c.bits(8, 0) != 0
	}
}

// whole is an integer that is stored as a float64.
func (c *codec) whole(v *int) {
	bits := c.bits(8, math.Float64bits(float64(*v)))
	if c.reading {
		x := math.Float64frombits(bits)
		*v = int(max(-math.MaxInt32, min(x, math.MaxInt32)))
		c.bad = c.bad || math.Float64bits(float64(*v)) != bits
	}
}

func flagIf(set bool, flag uint16) uint16 {
	if set {
		return flag
	}
	return 0
}

// checkStored returns an error for a matrix that is not nil and not in range, or has more than 2^16 rows or
// columns and no entry: a few bytes that could become gigabytes of memberships or labels.
func checkStored(name string, m *Matrix) error {
	if m == nil {
		return nil
	}
	if (m.Rows == 0 || m.Cols == 0) && max(m.Rows, m.Cols) > 1<<16 {
		return fail(ErrShape, name+" of "+shape(m.Rows, m.Cols)+" have no entries to store")
	}
	return checkMatrix(name, m, mostCenter)
}

// checkIterations returns an error for a number of iterations that no fit returns.
func checkIterations(n int) error {
	if n < 0 || n > math.MaxInt32 {
		return fail(ErrOption, "the model has "+strconv.Itoa(n)+" iterations")
	}
	return nil
}

// The flags of a Model.
const (
	hasCenters  = 1
	hasMembers  = 1 << 1
	sumsAtMost  = 1 << 2
	volumeShift = 3 // of two bits
	volumeBits  = 3
	hasMeans    = 1 << 5
	hasAxes     = 1 << 7
)

// fields goes through the model's fields.
func (m *Model) fields(c *codec) {
	flags := flagIf(m.Centers != nil, hasCenters) | flagIf(m.Memberships != nil, hasMembers) |
		flagIf(m.Sum == SumAtMostOne, sumsAtMost) | uint16(m.Volume)<<volumeShift |
		flagIf(m.ClusterMeans != nil, hasMeans) |
		flagIf(m.ClusterAxes != nil, hasAxes)
	c.flags(&flags, 1<<8-1&^(1<<6))
	if c.reading {
		m.Sum, m.Volume = Sum(flags&sumsAtMost/sumsAtMost), Volume(flags>>volumeShift&volumeBits)
	}
	integer(c, 4, &m.Solver, math.MaxInt32)
	integer(c, 4, &m.Status, math.MaxInt32)
	integer(c, 8, &m.Iterations, math.MaxInt32)
	c.floats("Model", &m.Objective, &m.Floor, &m.FloorError, &m.Total, &m.Gap, &m.Lambda, &m.Epsilon,
		&m.Stationarity)
	c.matrix(&m.Centers, flags&hasCenters != 0)
	c.matrix(&m.Memberships, flags&hasMembers != 0)
	c.matrix(&m.ClusterMeans, flags&hasMeans != 0)
	c.matrix(&m.ClusterAxes, flags&hasAxes != 0)
	c.integers(&m.Clusters)
	c.list("Trace", &m.Trace)
	c.warnings(&m.Warnings)
	c.floats("LossGap", &m.LossGap)
}

// warnings are a list of warnings, four numbers each.
func (c *codec) warnings(list *[]Warning) {
	n := c.length(len(*list))
	if c.reading && n > 0 {
		if c.bad || n > c.left()/4 {
			c.bad = true
			return
		}
		*list = make([]Warning, n)
	}
	for i := range *list {
		w := &(*list)[i]
		integer(c, 8, &w.Kind, int(warningCount)-1)
		integer(c, 8, &w.Cluster, math.MaxInt32)
		integer(c, 8, &w.Other, math.MaxInt32)
		c.floats("Warnings", &w.Value)
	}
}

// checkHeader returns an error for values of the header that no fit returns.
func (m *Model) checkHeader() error {
	return firstError(checkEnum("the model's solver", m.Solver, solverCount),
		checkEnum("the model's status", m.Status, statusCount),
		checkEnum("the model's sum", m.Sum, sumCount), checkEnum("the model's volume", m.Volume, volumeCount),
		checkIterations(m.Iterations))
}

// checkCenters returns an error if the matrices contradict each other.
func (m *Model) checkCenters() error {
	if m.Centers == nil || m.Memberships == nil || m.Centers.Rows == m.Memberships.Cols {
		return nil
	}
	return fail(ErrShape, "the model has "+strconv.Itoa(m.Centers.Rows)+" centers and memberships for "+
		strconv.Itoa(m.Memberships.Cols))
}

// checkClusters returns an error if the labels contradict the rest.
func (m *Model) checkClusters() error {
	if n := len(m.Clusters); n > 0 &&
		(m.ClusterMeans == nil || m.Memberships != nil && m.Memberships.Rows != n) {
		return fail(ErrOption, "the model has "+strconv.Itoa(n)+
			" labels without as many memberships, or without cluster means")
	}
	for i, j := range m.Clusters {
		if j < 0 || j >= m.ClusterMeans.Rows {
			return fail(ErrOption, "the model's label "+strconv.Itoa(i)+" is "+strconv.Itoa(j))
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
		m.checkHeader(), m.checkCenters(), m.checkMeans(), m.checkClusters())
}

// MarshalBinary returns the model in the binary form that UnmarshalBinary reads, 8 bytes a number: the same
// bytes for the same model on every machine. Matrices may be nil. Others, Missing, Noise, RowWeights,
// PureRows and Turns are not stored. Errors, where UnmarshalBinary would not read the result: [ErrShape] for
// a matrix that contradicts itself or the other, [ErrNonFinite], [ErrRange], and [ErrOption] for a Solver, a
// Status, labels or a number of iterations that no fit returns.
func (m *Model) MarshalBinary() ([]byte, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	bad := func(i int) bool { return i < 0 || i > math.MaxInt32 }
	for i, w := range m.Warnings {
		if w.Kind < 0 || w.Kind >= warningCount || bad(w.Cluster) || bad(w.Other) {
			return nil, fail(ErrOption,
				"the model's warning "+strconv.Itoa(i)+" has values that no fit returns")
		}
	}
	return marshal(modelForm, m.fields)
}

// UnmarshalBinary reads what MarshalBinary wrote. Anything else is an [ErrFormat], and m is
// then unchanged. It allocates no more than len(data) bytes for the model.
func (m *Model) UnmarshalBinary(data []byte) error {
	return unmarshal(m, data, modelForm, (*Model).fields, func(m *Model) bool { return m.Check() == nil })
}

// The flags of an LSDModel.
const (
	lsdMembers = 1
	lsdMap     = 2
)

// fields goes through the model's fields.
func (m *LSDModel) fields(c *codec) {
	flags := flagIf(m.Memberships != nil, lsdMembers) | flagIf(m.isMapped(), lsdMap)
	c.flags(&flags, lsdMembers|lsdMap)
	integer(c, 4, &m.Rank, math.MaxInt32)
	integer(c, 4, &m.Status, math.MaxInt32)
	integer(c, 8, &m.Iterations, math.MaxInt32)
	c.floats("Model", &m.Scale, &m.Objective, &m.Floor, &m.FloorError, &m.Total, &m.Gap, &m.Distortion)
	c.zeros(1)
	c.matrix(&m.Memberships, flags&lsdMembers != 0)
	c.matrix(&m.Projection, flags&lsdMap != 0)
	c.matrix(&m.Vertices, flags&lsdMap != 0)
	c.list("Means", &m.Means)
}

// check returns an error for values that no function returns, or that contradict each other.
func (m *LSDModel) check() error {
	if m.Rank < 0 || m.Rank > math.MaxInt32 {
		return fail(ErrOption, "the model's rank is "+strconv.Itoa(m.Rank))
	}
	err := firstError(checkEnum("the model's status", m.Status, statusCount), checkIterations(m.Iterations),
		checkStored("Memberships", m.Memberships))
	switch {
	case err != nil || !m.isMapped():
		return err
	case m.Memberships == nil:
		return fail(ErrShape, "the model has a map without memberships")
	}
	return m.checkMap()
}

// MarshalBinary returns the model in binary form, with the errors of [Model.MarshalBinary]. The kernel is not
// stored: to predict with a model that was read, keep the training samples and [SampleKernel.Gamma].
func (m *LSDModel) MarshalBinary() ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	return marshal(lsdForm, m.fields)
}

// UnmarshalBinary reads what MarshalBinary wrote, as [Model.UnmarshalBinary] does.
func (m *LSDModel) UnmarshalBinary(data []byte) error {
	return unmarshal(m, data, lsdForm, (*LSDModel).fields, func(m *LSDModel) bool { return m.check() == nil })
}
