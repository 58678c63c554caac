package stream

// The binary forms of Subspace and Extent: four letters that name the form and its version, float64 numbers
// in little-endian order, and the CRC-32 (IEEE) of all bytes before it. Integers are stored as float64.

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"softkmeans"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

func marshal(magic string, numbers []float64) ([]byte, error) {
	b := []byte(magic)
	for i, v := range numbers {
		if v-v != 0 {
			return nil, fault.Entry(magic, i, v, softkmeans.ErrNonFinite)
		}
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)), nil
}

// unmarshal returns the numbers in data, or an error unless data begins with this magic, has a correct
// checksum, and contains at least `least` numbers, all finite.
func unmarshal(magic string, data []byte, least int) ([]float64, error) {
	body := len(data) - 4
	if body < 4+8*least || body%8 != 4 || string(data[:4]) != magic ||
		crc32.ChecksumIEEE(data[:body]) != binary.LittleEndian.Uint32(data[body:]) {
		return nil, malformed(magic)
	}
	numbers := make([]float64, body/8)
	for i := range numbers {
		numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[4+8*i:]))
		if v := numbers[i]; v-v != 0 {
			return nil, malformed(magic)
		}
	}
	return numbers, nil
}

func malformed(magic string) error { return fault.New(softkmeans.ErrFormat, "not the form ", magic) }

// whole reports whether v is an integer from low to high, and not −0.
func whole(v, low, high float64) bool {
	return v >= low && v <= high && v == math.Trunc(v) && !(v == 0 && math.Signbit(v))
}

const (
	subspaceMagic, extentMagic = "SKP3", "SKE3"
	mostRows                   = 1 << 53
)

func (p *Subspace) numbers() []float64 {
	list := []float64{float64(p.K), float64(p.Rows), float64(p.Enclosure), float64(p.Basis.Rows),
		float64(p.Basis.Cols), p.Floor, p.FloorError, p.Total, p.Weight, float64(p.Solver), float64(p.Status)}
	list = append(list, p.Mean...)
	return append(list, p.Basis.Data...)
}

// fingerprint returns a number above 0 that differs between different subspaces (1 plus the CRC-32 of the
// binary form), or −1 if the subspace is not finite.
func (p *Subspace) fingerprint() float64 {
	b, err := marshal(subspaceMagic, p.numbers())
	if err != nil {
		return -1
	}
	return 1 + float64(binary.LittleEndian.Uint32(b[len(b)-4:]))
}

// MarshalBinary returns the subspace in the form that UnmarshalBinary reads, some 8·dk bytes.
func (p *Subspace) MarshalBinary() ([]byte, error) {
	if p.Basis == nil {
		return nil, fault.New(softkmeans.ErrTooFewSamples, "the subspace is empty")
	}
	return marshal(subspaceMagic, p.numbers())
}

// UnmarshalBinary sets p to the subspace that MarshalBinary wrote to data. Other data causes
// [softkmeans.ErrFormat], and p is then unchanged.
func (p *Subspace) UnmarshalBinary(data []byte) error {
	n, err := unmarshal(subspaceMagic, data, 11)
	if err != nil {
		return err
	}
	ok := whole(n[0], 1, mostK) && whole(n[1], 1, mostRows) && whole(n[2], 0, 1) && whole(n[3], 0, n[0]-1) &&
		whole(n[4], 1, mostRows) && n[3] <= n[4] && float64(len(n)-11) == n[4]*(1+n[3]) &&
		n[5] >= 0 && n[6] >= 0 && n[7] >= 0 && n[8] > 0 && whole(n[9], 0, 3) && whole(n[10], 0, math.MaxInt16)
	if !ok {
		return malformed(subspaceMagic)
	}
	rows, cols := int(n[3]), int(n[4])
	q := Subspace{K: int(n[0]), Rows: int(n[1]), Enclosure: softkmeans.Enclosure(n[2])}
	q.Floor, q.FloorError, q.Total, q.Weight = n[5], n[6], n[7], n[8]
	q.Solver, q.Status = softkmeans.Solver(n[9]), softkmeans.Status(n[10])
	q.Mean, q.Basis = n[11:11+cols:11+cols], softkmeans.NewMatrix(rows, cols, n[11+cols:])
	for i := range rows {
		if u := q.Basis.Row(i); !(math.Abs(la.SumSquares(u)-1) <= 1e-10) {
			return malformed(subspaceMagic)
		}
	}
	*p = q
	return nil
}

// MarshalBinary returns the extent in the form that UnmarshalBinary reads: 64 + 8k bytes or less.
func (e *Extent) MarshalBinary() ([]byte, error) {
	return marshal(extentMagic, append([]float64{float64(e.rows), e.subspace, e.radius, e.residual.sum,
		e.residual.lost, e.squares.sum, e.squares.lost}, e.facets...))
}

// UnmarshalBinary sets e to the extent that MarshalBinary wrote to data. Other data causes
// [softkmeans.ErrFormat], and e is then unchanged.
func (e *Extent) UnmarshalBinary(data []byte) error {
	n, err := unmarshal(extentMagic, data, 7)
	if err != nil {
		return err
	}
	ok := whole(n[0], 0, mostRows) && whole(n[1], 0, 1<<32) && (n[0] > 0) == (n[1] > 0) && len(n)-7 <= mostK
	for i, v := range n {
		switch i {
		case 4, 6: // what the sum before lost
			ok = ok && math.Abs(v) <= n[i-1]
		case 3, 5:
			ok = ok && v >= 0
		default: // lengths have the range of data
			ok = ok && v >= 0 && v <= 1<<20*mostEntry
		}
		ok = ok && (n[0] > 0 || v == 0 && i < 7)
	}
	if !ok {
		return malformed(extentMagic)
	}
	*e = Extent{rows: int(n[0]), subspace: n[1], radius: n[2], residual: fine{n[3], n[4]},
		squares: fine{n[5], n[6]}, facets: n[7:]}
	return nil
}
