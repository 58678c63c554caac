package softkmeans

// Numbers in the messages of errors. strconv.FormatFloat says the same, but its
// tables, made for speed, were a seventh of a WebAssembly module with Fit.

import (
	"math"
	"strconv"
)

// decimal is strconv.FormatFloat(v, 'g', -1, 64).
func decimal(v float64) string {
	sign := ""
	if math.Signbit(v) {
		sign = "-"
	}
	switch {
	case v != v:
		return "NaN"
	case v > math.MaxFloat64:
		return "+Inf"
	case v < -math.MaxFloat64:
		return "-Inf"
	case v == 0:
		return sign + "0"
	}
	d, k := shortest(math.Abs(v))
	switch {
	case k < -3 || k > 6:
		exponent := "e+"
		if k--; k < 0 {
			exponent, k = "e-", -k
		}
		if k < 10 {
			exponent += "0"
		}
		if len(d) > 1 {
			d = d[:1] + "." + d[1:]
		}
		return sign + d + exponent + strconv.Itoa(k)
	case k <= 0:
		return sign + "0." + "000"[:-k] + d
	case k < len(d):
		return sign + d[:k] + "." + d[k:]
	}
	return sign + d + "00000"[:k-len(d)]
}

// shortest returns the fewest digits d for which 0.d·10^k rounds to v > 0, and of
// those the nearest: R. G. Burger and R. K. Dybvig, Printing Floating-Point
// Numbers Quickly and Accurately (1996), free-format algorithm. v is r/s; low/s
// and high/s are half the distances to the float64 below and above.
func shortest(v float64) (d string, k int) {
	bits := math.Float64bits(v)
	f, e := bits&(1<<52-1), int(bits>>52)
	even := f%2 == 0 // then the ends of the interval round to v, too
	nearer := 0      // below a power of two the next number is half as far
	if f == 0 && e > 1 {
		nearer = 1
	}
	if e > 0 {
		f |= 1 << 52
		e--
	}
	e -= 1074
	r, s := natural{uint32(f), uint32(f >> 32)}, natural{1}
	low, high := natural{1}, natural{1}
	var digits []byte
	r.shift(max(e, 0) + 1 + nearer)
	s.shift(max(-e, 0) + 1 + nearer)
	low.shift(max(e, 0))
	high.shift(max(e, 0) + nearer)
	above := func() bool { // whether r/s rounded up reaches 1
		c := compare(r, high, s)
		return c > 0 || c == 0 && even
	}
	for ; above(); k++ {
		s.times(10)
	}
	for {
		r.times(10)
		low.times(10)
		high.times(10)
		if len(digits) == 0 && !above() {
			k-- // a leading zero
			continue
		}
		// r/s is the next digit and what follows.
		digit := byte('0')
		for compare(r, nil, s) >= 0 {
			r.subtract(s)
			digit++
		}
		c := compare(r, nil, low)
		down, up := c < 0 || c == 0 && even, above()
		if up {
			half := compare(r, r, s)
			if !down || half > 0 || half == 0 && digit%2 == 1 {
				digit++
			}
		}
		digits = append(digits, digit)
		if down || up {
			return string(digits), k
		}
	}
}

// natural is an integer ≥ 0 of any size, its least 32 bits first.
type natural []uint32

func (x *natural) times(a uint64) {
	var carry uint64
	for i, v := range *x {
		carry += uint64(v) * a
		(*x)[i] = uint32(carry)
		carry >>= 32
	}
	if carry > 0 {
		*x = append(*x, uint32(carry))
	}
}

// shift multiplies by 2^n.
func (x *natural) shift(n int) {
	*x = append(make(natural, n/32), *x...)
	x.times(1 << (n % 32))
}

// subtract takes y off, which is not above x.
func (x natural) subtract(y natural) {
	var carry int64
	for i := range x {
		carry += int64(x[i]) - y.at(i)
		x[i] = uint32(carry)
		carry >>= 32
	}
}

// compare returns the sign of x + y − z.
func compare(x, y, z natural) int {
	var carry int64
	var rest uint32
	for i := range max(len(x), len(y), len(z)) {
		carry += x.at(i) + y.at(i) - z.at(i)
		rest |= uint32(carry)
		carry >>= 32
	}
	switch {
	case carry < 0:
		return -1
	case carry > 0 || rest > 0:
		return 1
	}
	return 0
}

func (x natural) at(i int) int64 {
	if i < len(x) {
		return int64(x[i])
	}
	return 0
}
