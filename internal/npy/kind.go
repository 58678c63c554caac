package npy

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Kind is how a value is stored.
type Kind struct {
	Size int // bytes
	// Get reads len(dst) values from b.
	Get func(dst []float64, b []byte)
	// Put writes all values of src to b. Integers are rounded to the nearest. A value
	// that does not fit is an error.
	Put func(b []byte, src []float64) error
}

// KindOf returns the kind for NumPy's name of it: < or > for the order of bytes, then
// f, i, u or b, then their number. Integers beyond 2⁵³ are rounded.
func KindOf(descr string) (Kind, error) {
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(descr, ">") {
		order = binary.BigEndian
	}
	if len(descr) == 3 && strings.ContainsAny(descr[:1], "<>|=") {
		switch name := descr[1:]; {
		case descr == "<f8": // the usual kind, without a call for each value
			k := float64s(order)
			k.Get = func(dst []float64, b []byte) {
				for i := range dst {
					dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
				}
			}
			return k, nil
		case name == "u1" || name == "b1":
			return integers(1, 0, 0xff, func(b []byte) float64 { return float64(b[0]) },
				func(b []byte, v uint64) { b[0] = byte(v) }), nil
		case name == "i1":
			return integers(1, math.MinInt8, math.MaxInt8,
				func(b []byte) float64 { return float64(int8(b[0])) },
				func(b []byte, v uint64) { b[0] = byte(v) }), nil
		case descr[0] != '<' && descr[0] != '>': // more than one byte needs an order
		case name == "f8":
			return float64s(order), nil
		case name == "f4":
			return float32s(order), nil
		default:
			if k, ok := words(name, order); ok {
				return k, nil
			}
		}
	}
	return Kind{}, fmt.Errorf("values of type %.40q; f8, f4 and integers can be read: convert others by "+
		"x.astype('f8')", descr)
}

// words returns the kind of integers of more than one byte.
func words(name string, order binary.ByteOrder) (Kind, bool) {
	put16 := func(b []byte, v uint64) { order.PutUint16(b, uint16(v)) }
	put32 := func(b []byte, v uint64) { order.PutUint32(b, uint32(v)) }
	switch name {
	case "i2": // the usual kind of images, without a call for each value
		k := integers(2, math.MinInt16, math.MaxInt16, nil, put16)
		low := int(order.Uint16([]byte{0, 1}) & 1) // where the low byte is
		k.Get = func(dst []float64, b []byte) {
			for i := range dst {
				dst[i] = float64(int16(uint16(b[2*i+low]) | uint16(b[2*i+1-low])<<8))
			}
		}
		return k, true
	case "u2":
		return integers(2, 0, math.MaxUint16, func(b []byte) float64 { return float64(order.Uint16(b)) },
			put16), true
	case "i4":
		return integers(4, math.MinInt32, math.MaxInt32,
			func(b []byte) float64 { return float64(int32(order.Uint32(b))) }, put32), true
	case "u4":
		return integers(4, 0, math.MaxUint32, func(b []byte) float64 { return float64(order.Uint32(b)) },
			put32), true
	case "i8": // the largest float64 below 2⁶³
		return integers(8, math.MinInt64, 0x1p63-1024,
			func(b []byte) float64 { return float64(int64(order.Uint64(b))) }, order.PutUint64), true
	case "u8":
		return integers(8, 0, 0x1p64-2048, func(b []byte) float64 { return float64(order.Uint64(b)) },
			order.PutUint64), true
	}
	return Kind{}, false
}

// integers is a kind of integers from lo to hi. put writes the low bytes of the number.
func integers(size int, lo, hi float64, get func(b []byte) float64, put func(b []byte, v uint64)) Kind {
	return Kind{size, func(dst []float64, b []byte) {
		for i := range dst {
			dst[i] = get(b[i*size:])
		}
	}, func(b []byte, src []float64) error {
		for i, v := range src {
			n := math.RoundToEven(v)
			switch {
			case !(n >= lo && n <= hi):
				return fmt.Errorf("%v is not from %v to %v", v, lo, hi)
			case n < 0:
				put(b[i*size:], uint64(int64(n)))
			default:
				put(b[i*size:], uint64(n))
			}
		}
		return nil
	}}
}

func float64s(order binary.ByteOrder) Kind {
	return Kind{8, func(dst []float64, b []byte) {
		for i := range dst {
			dst[i] = math.Float64frombits(order.Uint64(b[8*i:]))
		}
	}, func(b []byte, src []float64) error {
		for i, v := range src {
			order.PutUint64(b[8*i:], math.Float64bits(v))
		}
		return nil
	}}
}

func float32s(order binary.ByteOrder) Kind {
	return Kind{4, func(dst []float64, b []byte) {
		for i := range dst {
			dst[i] = float64(math.Float32frombits(order.Uint32(b[4*i:])))
		}
	}, func(b []byte, src []float64) error {
		for i, v := range src {
			n := float32(v)
			if math.IsInf(float64(n), 0) && !math.IsInf(v, 0) {
				return fmt.Errorf("%v is above %v", v, math.MaxFloat32)
			}
			order.PutUint32(b[4*i:], math.Float32bits(n))
		}
		return nil
	}}
}
