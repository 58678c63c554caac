package softkmeans

// Numbers in the messages of errors. strconv.FormatFloat prints any number in the
// fewest digits that tell it from its neighbors, with tables that were a seventh
// of a WebAssembly module with Fit; 14 digits do in a message.

import (
	"math"
	"strconv"
)

// decimal is v to 14 digits, in the form of strconv.FormatFloat(v, 'g', -1, 64).
func decimal(v float64) string {
	switch {
	case v != v:
		return "NaN"
	case v > math.MaxFloat64:
		return "+Inf"
	case v < -math.MaxFloat64:
		return "-Inf"
	case math.Signbit(v):
		return "-" + decimal(-v)
	case v == 0:
		return "0"
	}
	// v is about 0.ddd…·10^k: the product errs by less than a tenth of a last
	// digit, so that what has no more digits is printed as it was typed.
	const digits = 14
	_, e := math.Frexp(v)
	k := int(math.Floor(float64(e) * (math.Ln2 / math.Ln10)))
	half := (digits - k) / 2 // 10^(digits−k) itself may be out of range
	scaled := v * math.Pow10(half) * math.Pow10(digits-k-half)
	if scaled >= 1e14-0.5 {
		scaled /= 10
		k++
	}
	d := strconv.FormatInt(int64(math.Round(scaled)), 10)
	k += len(d) - digits
	for len(d) > 1 && d[len(d)-1] == '0' {
		d = d[:len(d)-1]
	}
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
		return d + exponent + strconv.Itoa(k)
	case k <= 0:
		return "0." + "000"[:-k] + d
	case k < len(d):
		return d[:k] + "." + d[k:]
	}
	return d + "00000"[:k-len(d)]
}
