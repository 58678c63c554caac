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
	put8 := func(b []byte, v uint64) { b[0] = byte(v) }
	put16 := func(b []byte, v uint64) { order.PutUint16(b, uint16(v)) }
	put32 := func(b []byte, v uint64) { order.PutUint32(b, uint32(v)) }
	bytes := integers(1, 0, math.MaxUint8, func(b []byte) float64 { return float64(b[0]) }, put8)
	short := integers(2, math.MinInt16, math.MaxInt16, nil, put16)
	low := int(order.Uint16([]byte{0, 1}) & 1)  // where the low byte is
	short.Get = func(dst []float64, b []byte) { // the usual kind of images, without a call for each value
		for i := range dst {
			dst[i] = float64(int16(uint16(b[2*i+low]) | uint16(b[2*i+1-low])<<8))
		}
	}
	double := float64s(order)
	if descr == "<f8" { // the usual kind
		double.Get = func(dst []float64, b []byte) {
			for i := range dst {
				dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
			}
		}
	}
	kinds := map[string]Kind{"b1": bytes, "u1": bytes, "i2": short, "f4": float32s(order), "f8": double,
		"i1": integers(1, math.MinInt8, math.MaxInt8,
			func(b []byte) float64 { return float64(int8(b[0])) }, put8),
		"u2": integers(2, 0, math.MaxUint16,
			func(b []byte) float64 { return float64(order.Uint16(b)) }, put16),
		"i4": integers(4, math.MinInt32, math.MaxInt32,
			func(b []byte) float64 { return float64(int32(order.Uint32(b))) }, put32),
		"u4": integers(4, 0, math.MaxUint32,
			func(b []byte) float64 { return float64(order.Uint32(b)) }, put32),
		"i8": integers(8, math.MinInt64, 0x1p63-1024, // the largest float64 below 2⁶³
			func(b []byte) float64 { return float64(int64(order.Uint64(b))) }, order.PutUint64),
		"u8": integers(8, 0, 0x1p64-2048,
			func(b []byte) float64 { return float64(order.Uint64(b)) }, order.PutUint64)}
	if len(descr) == 3 {
		k, ok := kinds[descr[1:]]
		if orders := "<>|="; ok && (k.Size > 1 && strings.Contains(orders[:2], descr[:1]) ||
			k.Size == 1 && strings.Contains(orders, descr[:1])) {
			return k, nil
		}
	}
	return Kind{}, fmt.Errorf("values of type %.40q; f8, f4 and integers can be read: convert others by "+
		"x.astype('f8')", descr)
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
