package kinds

// Counts that were divided: by the sum of their row, or all by one number.

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
)

const (
	leastMultiple = 100 // the smallest entry is at most so many times the quantum
	poolRows      = 20  // rows from which the rounding and one quantum of all are found, at most
	mostDigits    = 12  // more are the rounding of float64
	floatDigits   = 7   // of a float32
)

// Multiples returns the rows of x as whole multiples of a quantum, and nil if an entry is below 0 or
// missing, or if no quantum leaves no doubt. The quantum is that of the row, else of all rows. A last
// decimal is none, as all rounded numbers are multiples of it. Rows of whole numbers have one only if
// they add up to a million.
func Multiples(x *softkmeans.Matrix) *softkmeans.Matrix {
	if !(slices.Min(x.Data) >= 0) {
		return nil
	}
	if !slices.ContainsFunc(x.Data, func(v float64) bool { return v != math.Trunc(v) }) && closed(x) != 1e6 {
		return nil
	}
	var pool []float64
	for a := range min(x.Rows, poolRows) {
		pool = append(pool, x.Row(a*x.Rows/min(x.Rows, poolRows))...)
	}
	r := roundingOf(pool)
	m := softkmeans.NewMatrix(x.Rows, x.Cols, nil)
	if r.byRow(m, x) {
		return m
	}
	if q, off := r.quantum(pool); r.by(q, off, m.Data, x.Data) {
		return m
	}
	return nil
}

// apart returns the largest number of which all differences within rows of whole numbers are multiples.
// It is 1 for counts, and 2 for 1.5, 2.5, 4.5 as multiples of .5.
func apart(m *softkmeans.Matrix) (step float64) {
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			for v = math.Abs(v - m.At(i, 0)); v > 0; {
				step, v = v, math.Mod(step, v)
			}
		}
	}
	return step
}

// rounding is how numbers were rounded: to decimals or digits, at most.
type rounding struct{ decimals, digits int }

// roundingOf returns the most decimals and digits of the values above 0.
func roundingOf(values []float64) (r rounding) {
	most := floatDigits
	for _, v := range values {
		if v == 0 {
			continue
		}
		if float64(float32(v)) != v {
			most = mostDigits
		}
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
		power, _ := strconv.Atoi(exponent)
		digits := max(1, len(mantissa)-len("."))
		r.digits, r.decimals = max(r.digits, digits), max(r.decimals, digits-1-power)
	}
	r.digits, r.decimals = min(r.digits, most), min(r.decimals, 300)
	return r
}

// of returns how far rounding may have moved v.
func (r rounding) of(v float64) float64 {
	digits := math.Pow10(int(math.Floor(math.Log10(v))) - r.digits + 1)
	return .501 * max(digits, math.Pow10(-r.decimals))
}

// byRow sets m to the multiples of the quantum of each row of x, and reports whether all rows have one.
func (r rounding) byRow(m, x *softkmeans.Matrix) bool {
	for i := range x.Rows {
		if slices.Max(x.Row(i)) == 0 {
			clear(m.Row(i))
		} else if q, off := r.quantum(x.Row(i)); !r.by(q, off, m.Row(i), x.Row(i)) {
			return false
		}
	}
	return true
}

// by sets m to the multiples of q that the values are, and reports whether they are. q is known to ±off;
// 0: there is none.
func (r rounding) by(q, off float64, m, values []float64) bool {
	for i, v := range values {
		if m[i] = 0; v == 0 {
			continue
		}
		m[i] = math.Round(v / q)
		if !(math.Abs(v-m[i]*q) <= min(r.of(v)+m[i]*off, q/4)) {
			return false
		}
	}
	return true
}

// quantum returns the largest number of which all values above 0 are whole multiples except for rounding,
// and how far it may be off. It is 0 if there is none, or if rounding leaves more than one multiple for a
// value. Values in ascending order narrow it.
func (r rounding) quantum(values []float64) (q, off float64) {
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v == 0 })
	slices.Sort(values)
	if values = slices.Compact(values); len(values) == 0 {
		return 0, 0
	}
	for first := 1.0; first <= leastMultiple; first++ {
		low, high := 0.0, math.Inf(1)
		for i, v := range values {
			off := r.of(v)
			n := math.Ceil((v - off) / high)
			if i == 0 {
				n = first
			} else if n != math.Floor((v+off)/low) {
				low = 0
				break
			}
			low, high = max(low, (v-off)/n), min(high, (v+off)/n)
		}
		if low > 0 && low <= high {
			return (low + high) / 2, (high - low) / 2
		}
	}
	return 0, 0
}
