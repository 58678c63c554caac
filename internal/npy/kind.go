package npy

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// kindOf returns the kind of values for NumPy's name of it: < or > for the order of
// bytes, then f, i, u or b, then their number. Integers beyond 2⁵³ are rounded.
func kindOf(descr string) (kind, error) {
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(descr, ">") {
		order = binary.BigEndian
	}
	word16, word32, word64 := order.Uint16, order.Uint32, order.Uint64
	each := func(size int, value func(b []byte) float64) (kind, error) {
		return kind{size, func(dst []float64, b []byte) {
			for i := range dst {
				dst[i] = value(b[i*size:])
			}
		}}, nil
	}
	if len(descr) == 3 && strings.ContainsAny(descr[:1], "<>|=") {
		switch name := descr[1:]; {
		case descr == "<f8": // the usual kind, without a call for each value
			return kind{8, func(dst []float64, b []byte) {
				for i := range dst {
					dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
				}
			}}, nil
		case name == "u1" || name == "b1":
			return each(1, func(b []byte) float64 { return float64(b[0]) })
		case name == "i1":
			return each(1, func(b []byte) float64 { return float64(int8(b[0])) })
		case descr[0] != '<' && descr[0] != '>': // more than one byte needs an order
		case name == "f8":
			return each(8, func(b []byte) float64 { return math.Float64frombits(word64(b)) })
		case name == "f4":
			return each(4, func(b []byte) float64 { return float64(math.Float32frombits(word32(b))) })
		case name == "i2":
			return each(2, func(b []byte) float64 { return float64(int16(word16(b))) })
		case name == "u2":
			return each(2, func(b []byte) float64 { return float64(word16(b)) })
		case name == "i4":
			return each(4, func(b []byte) float64 { return float64(int32(word32(b))) })
		case name == "u4":
			return each(4, func(b []byte) float64 { return float64(word32(b)) })
		case name == "i8":
			return each(8, func(b []byte) float64 { return float64(int64(word64(b))) })
		case name == "u8":
			return each(8, func(b []byte) float64 { return float64(word64(b)) })
		}
	}
	return kind{}, fmt.Errorf("values of type %.40q; f8, f4 and integers can be read: convert others by x.astype('f8')", descr)
}
