//go:build goexperiment.simd && go1.27 && (amd64 || arm64 || wasm)

package softkmeans

// The kernels of kernels.go in vectors, by the portable simd package: of 128,
// 256 or 512 bits, as the machine has them. Sums are over V lanes of several
// accumulators, so their bits differ from those of the plain kernels, and
// between machines; on one machine they depend on the sizes alone.
//
// Every function that uses vectors is compiled once for each width, behind a
// switch at its call: loops belong inside. Each ends its use of vectors with
// clearUpper before it does any scalar arithmetic.

import "simd"

// useSIMD is false where vectors would be emulated.
var useSIMD = !simd.Emulated() && fused()

// dotSIMD is dot.
func dotSIMD(x, y []float64) float64 {
	y = y[:len(x)]
	var s0, s1, s2, s3 simd.Float64s
	v := s0.Len()
	for len(x) >= 4*v && len(y) >= 4*v {
		s0 = simd.LoadFloat64s(x).MulAdd(simd.LoadFloat64s(y), s0)
		s1 = simd.LoadFloat64s(x[v:]).MulAdd(simd.LoadFloat64s(y[v:]), s1)
		s2 = simd.LoadFloat64s(x[2*v:]).MulAdd(simd.LoadFloat64s(y[2*v:]), s2)
		s3 = simd.LoadFloat64s(x[3*v:]).MulAdd(simd.LoadFloat64s(y[3*v:]), s3)
		x, y = x[4*v:], y[4*v:]
	}
	for len(x) > 0 {
		a, _ := simd.LoadFloat64sPart(x)
		b, m := simd.LoadFloat64sPart(y)
		s0 = a.MulAdd(b, s0)
		x, y = x[m:], y[m:]
	}
	var lanes [8]float64
	s0.Add(s1).Add(s2.Add(s3)).Store(lanes[:])
	clearUpper()
	return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
}

// axpySIMD is axpy.
func axpySIMD(y []float64, a float64, x []float64) {
	y = y[:len(x)]
	f := simd.BroadcastFloat64s(a)
	v := f.Len()
	for len(x) >= 4*v && len(y) >= 4*v {
		simd.LoadFloat64s(x).MulAdd(f, simd.LoadFloat64s(y)).Store(y)
		simd.LoadFloat64s(x[v:]).MulAdd(f, simd.LoadFloat64s(y[v:])).Store(y[v:])
		simd.LoadFloat64s(x[2*v:]).MulAdd(f, simd.LoadFloat64s(y[2*v:])).Store(y[2*v:])
		simd.LoadFloat64s(x[3*v:]).MulAdd(f, simd.LoadFloat64s(y[3*v:])).Store(y[3*v:])
		x, y = x[4*v:], y[4*v:]
	}
	for len(x) > 0 {
		p, _ := simd.LoadFloat64sPart(x)
		q, m := simd.LoadFloat64sPart(y)
		p.MulAdd(f, q).StorePart(y)
		x, y = x[m:], y[m:]
	}
	clearUpper()
}
