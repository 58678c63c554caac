package softkmeans

// The binary form of Stats. All is little-endian; a float64 is its IEEE 754 bits.
//
//	offset 0   "SKMS", uint16 version 2, uint16 0
//	       8   uint32 columns, uint32 0, uint64 rows
//	      24   float64 × 8: weight, the two exponents, three bounds of errors, 0, 0
//	      88   with weight: mean, its rest (d each), scatter, its rest (d(d+1)/2 each)
//	   end−4   uint32 CRC-32 (IEEE) of all before
//
// A reader accepts only what a writer writes, and allocates only for numbers that are there.

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
)

const (
	statsMagic  = "SKMS\x02\x00\x00\x00"
	statsHeader = 88
)

// MarshalBinary returns the statistics in the binary form that UnmarshalBinary reads: 104 +
// 8·(2d + d(d+1)) bytes or less, the same for the same statistics on every machine.
func (s *Stats) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, statsHeader+8*(2*s.cols+2*triangleSize(s.cols))+4)
	b = append(b, statsMagic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.cols))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.rows))
	header := []float64{s.weight, float64(s.exp), float64(s.wexp), s.weightOff, s.meanOff, s.scatterOff, 0, 0}
	for _, list := range [][]float64{header, s.mean, s.meanRest, s.scatter, s.scatterRest} {
		for i, v := range list {
			if !isFinite(v) {
				return nil, &InputError{Arg: "Stats", Row: i, Col: -1, Value: v, Err: ErrNonFinite}
			}
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)), nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Anything else is an [ErrFormat], and s is then unchanged.
// It allocates no more than len(data) bytes.
func (s *Stats) UnmarshalBinary(data []byte) error {
	body := len(data) - 4
	switch {
	case body < statsHeader || body%8 != 0 || string(data[:8]) != statsMagic:
		return fail(ErrFormat, "this is not the binary form of statistics, version 2")
	case crc32.ChecksumIEEE(data[:body]) != binary.LittleEndian.Uint32(data[body:]):
		return fail(ErrFormat, "statistics whose checksum is wrong: damaged or cut short")
	}
	cols, rows := binary.LittleEndian.Uint64(data[8:]), binary.LittleEndian.Uint64(data[16:])
	numbers := make([]float64, 0, (body-24)/8)
	for at := 24; at < body; at += 8 {
		numbers = append(numbers, math.Float64frombits(binary.LittleEndian.Uint64(data[at:])))
	}
	var t Stats
	ok := cols <= math.MaxInt32 && rows <= math.MaxInt && !slices.ContainsFunc(numbers, notFinite)
	if ok = ok && t.take(int(cols), int(rows), numbers) && t.sound(); !ok {
		return fail(ErrFormat, "statistics whose numbers contradict each other or are out of range")
	}
	*s = t
	return nil
}

func notFinite(v float64) bool { return !isFinite(v) }

// take sets the fields from the numbers of a form. It reports whether they are as many as belong to it.
func (s *Stats) take(cols, rows int, numbers []float64) bool {
	h := numbers[:8]
	s.cols, s.rows, s.weight = cols, rows, h[0]
	for _, v := range h[1:3] {
		if !(math.Abs(v) < 1<<12) || v != math.Trunc(v) || v == 0 && math.Signbit(v) {
			return false
		}
	}
	s.exp, s.wexp = int(h[1]), int(h[2])
	s.weightOff, s.meanOff, s.scatterOff = h[3], h[4], h[5]
	if !allZero(h[6:]) || !addressable(cols+1, cols+1) {
		return false
	}
	rest := numbers[8:]
	if !(s.weight > 0) {
		return len(rest) == 0
	}
	if size := triangleSize(cols); size > len(rest) || len(rest) != 2*cols+2*size {
		return false
	}
	next := func(n int) []float64 {
		list := rest[:n:n]
		rest = rest[n:]
		return list
	}
	s.mean, s.meanRest = next(cols), next(cols)
	s.scatter, s.scatterRest = next(triangleSize(cols)), next(triangleSize(cols))
	return true
}

// isBound reports whether v can be a bound of rounding: true ones are far below 1, forged ones must not
// overflow.
func isBound(v float64) bool { return v >= 0 && v <= 0x1p400 }

// sound reports whether the numbers can be those of rows in range.
func (s *Stats) sound() bool {
	if s.weight == 0 {
		return s.cols == 0 && s.exp == 0 && s.wexp == 0 &&
			allZero([]float64{s.weight, s.weightOff, s.meanOff, s.scatterOff})
	}
	ok := s.cols > 0 && s.weight > 0 && s.weight <= float64(s.rows)*(1+0x1p-20) &&
		s.exp >= leastExp && s.exp <= mostExp && s.wexp >= -1073 && s.wexp <= 1024 &&
		isBound(s.weightOff) && isBound(s.meanOff) && isBound(s.scatterOff)
	most, at := s.weight*(4+0x1p-20), 0
	for i := range s.mean {
		ok = ok && math.Abs(s.mean[i]) <= 1 && math.Abs(s.meanRest[i]) <= 0x1p-40 && s.scatter[at] >= 0
		for range s.cols - i {
			v := math.Abs(s.scatter[at])
			ok = ok && v <= most && math.Abs(s.scatterRest[at]) <= v*0x1p-40
			at++
		}
	}
	return ok
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
