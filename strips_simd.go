//go:build goexperiment.simd && go1.27 && (amd64 || arm64 || wasm)

package softkmeans

import "simd"

// The kernels of strips.go in vectors; see kernels_simd.go.

// interleaveSIMD is interleave.
func interleaveSIMD(dst, x, mean []float64, a, w float64) {
	mean = mean[:len(x)]
	f, g := simd.BroadcastFloat64s(a), simd.BroadcastFloat64s(w)
	v := f.Len()
	for len(x) >= v && len(mean) >= v && len(dst) >= v {
		simd.LoadFloat64s(x).Mul(f).Sub(simd.LoadFloat64s(mean)).Mul(g).Store(dst)
		x, mean, dst = x[v:], mean[v:], dst[min(3*v, len(dst)):]
	}
	clearUpper()
	for len(dst) >= v { // the end of x, and zeros
		clear(dst[:v])
		for i, m := range mean {
			dst[i] = (x[i]*a - m) * w
		}
		mean, dst = nil, dst[min(3*v, len(dst)):]
	}
}

// stripSIMD is stripGeneric.
func stripSIMD(c []float64, ldc int, x, y []float64, n int) {
	var sums [72]float64
	for j := 0; j < n; j += stripRows {
		tileSIMD(&sums, x, y)
		addSums(c, ldc, j, n, &sums)
		y = y[len(x):]
	}
}

// tileSIMD computes the nine dot products of the vectors of strip a with those of b's first
// strip. It leaves their lanes, not yet added up, in eight places for each product.
func tileSIMD(lanes *[72]float64, a, b []float64) {
	var s0, s1, s2, s3, s4, s5, s6, s7, s8 simd.Float64s
	v := s0.Len()
	for len(a) >= 9*v && len(b) >= 9*v { // lengths are multiples of three vectors
		p, q, r := simd.LoadFloat64s(b), simd.LoadFloat64s(b[v:]), simd.LoadFloat64s(b[2*v:])
		t := simd.LoadFloat64s(a)
		s0 = t.MulAdd(p, s0)
		s1 = t.MulAdd(q, s1)
		s2 = t.MulAdd(r, s2)
		t = simd.LoadFloat64s(a[v:])
		s3 = t.MulAdd(p, s3)
		s4 = t.MulAdd(q, s4)
		s5 = t.MulAdd(r, s5)
		t = simd.LoadFloat64s(a[2*v:])
		s6 = p.MulAdd(t, s6)
		s7 = q.MulAdd(t, s7)
		s8 = r.MulAdd(t, s8)
		p, q, r = simd.LoadFloat64s(b[3*v:]), simd.LoadFloat64s(b[4*v:]), simd.LoadFloat64s(b[5*v:])
		t = simd.LoadFloat64s(a[3*v:])
		s0 = t.MulAdd(p, s0)
		s1 = t.MulAdd(q, s1)
		s2 = t.MulAdd(r, s2)
		t = simd.LoadFloat64s(a[4*v:])
		s3 = t.MulAdd(p, s3)
		s4 = t.MulAdd(q, s4)
		s5 = t.MulAdd(r, s5)
		t = simd.LoadFloat64s(a[5*v:])
		s6 = p.MulAdd(t, s6)
		s7 = q.MulAdd(t, s7)
		s8 = r.MulAdd(t, s8)
		p, q, r = simd.LoadFloat64s(b[6*v:]), simd.LoadFloat64s(b[7*v:]), simd.LoadFloat64s(b[8*v:])
		t = simd.LoadFloat64s(a[6*v:])
		s0 = t.MulAdd(p, s0)
		s1 = t.MulAdd(q, s1)
		s2 = t.MulAdd(r, s2)
		t = simd.LoadFloat64s(a[7*v:])
		s3 = t.MulAdd(p, s3)
		s4 = t.MulAdd(q, s4)
		s5 = t.MulAdd(r, s5)
		t = simd.LoadFloat64s(a[8*v:])
		s6 = p.MulAdd(t, s6)
		s7 = q.MulAdd(t, s7)
		s8 = r.MulAdd(t, s8)
		a, b = a[9*v:], b[9*v:]
	}
	s0.Store(lanes[:])
	s1.Store(lanes[8:])
	s2.Store(lanes[8*2:])
	s3.Store(lanes[8*3:])
	s4.Store(lanes[8*4:])
	s5.Store(lanes[8*5:])
	s6.Store(lanes[8*6:])
	s7.Store(lanes[8*7:])
	s8.Store(lanes[8*8:])
	clearUpper()
}

// addSums adds up a tile's lanes and adds the sums to columns j, j+1 and j+2, below n, of
// each row of c.
func addSums(c []float64, ldc, j, n int, lanes *[72]float64) {
	if j+3 <= n && 2*ldc+j < len(c) {
		p, q, r := (*[3]float64)(c[j:]), (*[3]float64)(c[ldc+j:]), (*[3]float64)(c[2*ldc+j:])
		p[0] += sumLanes((*[8]float64)(lanes[:]))
		p[1] += sumLanes((*[8]float64)(lanes[8:]))
		p[2] += sumLanes((*[8]float64)(lanes[16:]))
		q[0] += sumLanes((*[8]float64)(lanes[24:]))
		q[1] += sumLanes((*[8]float64)(lanes[32:]))
		q[2] += sumLanes((*[8]float64)(lanes[40:]))
		r[0] += sumLanes((*[8]float64)(lanes[48:]))
		r[1] += sumLanes((*[8]float64)(lanes[56:]))
		r[2] += sumLanes((*[8]float64)(lanes[64:]))
		return
	}
	for i := 0; i*ldc+j < len(c); i++ {
		for l := range min(3, n-j) {
			c[i*ldc+j+l] += sumLanes((*[8]float64)(lanes[24*i+8*l:]))
		}
	}
}
