//go:build goexperiment.simd && go1.27 && (amd64 || arm64 || wasm)

package softkmeans

import "simd"

// addRowsSIMD is addRows: eight vectors of y stay in registers while the rows
// go by, so that there is a load for each product and little else.
func addRowsSIMD(y []float64, coef []float64, index []int, x []float64) {
	l := len(y)
	index = index[:len(coef)]
	var s0 simd.Float64s
	v := s0.Len()
	lo := 0
	for ; lo+8*v <= l; lo += 8 * v {
		out := y[lo : lo+8*v]
		s0 := simd.LoadFloat64s(out)
		s1 := simd.LoadFloat64s(out[v:])
		s2 := simd.LoadFloat64s(out[2*v:])
		s3 := simd.LoadFloat64s(out[3*v:])
		s4 := simd.LoadFloat64s(out[4*v:])
		s5 := simd.LoadFloat64s(out[5*v:])
		s6 := simd.LoadFloat64s(out[6*v:])
		s7 := simd.LoadFloat64s(out[7*v:])
		for t, a := range coef {
			row := x[index[t]*l+lo:][:8*v]
			f := simd.BroadcastFloat64s(a)
			s0 = simd.LoadFloat64s(row).MulAdd(f, s0)
			s1 = simd.LoadFloat64s(row[v:]).MulAdd(f, s1)
			s2 = simd.LoadFloat64s(row[2*v:]).MulAdd(f, s2)
			s3 = simd.LoadFloat64s(row[3*v:]).MulAdd(f, s3)
			s4 = simd.LoadFloat64s(row[4*v:]).MulAdd(f, s4)
			s5 = simd.LoadFloat64s(row[5*v:]).MulAdd(f, s5)
			s6 = simd.LoadFloat64s(row[6*v:]).MulAdd(f, s6)
			s7 = simd.LoadFloat64s(row[7*v:]).MulAdd(f, s7)
		}
		s0.Store(out)
		s1.Store(out[v:])
		s2.Store(out[2*v:])
		s3.Store(out[3*v:])
		s4.Store(out[4*v:])
		s5.Store(out[5*v:])
		s6.Store(out[6*v:])
		s7.Store(out[7*v:])
	}
	for ; lo+2*v <= l; lo += 2 * v {
		out := y[lo : lo+2*v]
		s0 := simd.LoadFloat64s(out)
		s1 := simd.LoadFloat64s(out[v:])
		for t, a := range coef {
			row := x[index[t]*l+lo:][:2*v]
			f := simd.BroadcastFloat64s(a)
			s0 = simd.LoadFloat64s(row).MulAdd(f, s0)
			s1 = simd.LoadFloat64s(row[v:]).MulAdd(f, s1)
		}
		s0.Store(out)
		s1.Store(out[v:])
	}
	for ; lo+v <= l; lo += v {
		out := y[lo : lo+v]
		s0 := simd.LoadFloat64s(out)
		for t, a := range coef {
			s0 = simd.LoadFloat64s(x[index[t]*l+lo:][:v]).MulAdd(simd.BroadcastFloat64s(a), s0)
		}
		s0.Store(out)
	}
	clearUpper()
	for ; lo < l; lo++ { // LoadFloat64sPart reads past its slice (Go 1.27.4)
		sum := y[lo]
		for t, a := range coef {
			sum += a * x[index[t]*l+lo]
		}
		y[lo] = sum
	}
}
