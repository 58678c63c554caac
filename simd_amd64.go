//go:build goexperiment.simd && go1.27

package softkmeans

import (
	"simd"
	"simd/archsimd"
)

// useSIMD is false if the machine lacks registers of 256 bits with multiply-add, or if GODEBUG=simd=0 is set.
var useSIMD = !simd.Emulated() && archsimd.X86.AVX2() && archsimd.X86.FMA()

// useWide is true if the processor has registers of 512 bits, unless GODEBUG=cpu.avx512f=off is set. Strips
// then have eight lanes, for wideTileSIMD. The other kernels use registers of 256 bits, also to write strips.
var useWide = useSIMD && archsimd.X86.AVX512()

type vector = archsimd.Float64x4

func load(s []float64) vector { return archsimd.LoadFloat64x4Array((*[4]float64)(s)) }

func broadcast(a float64) vector { return archsimd.BroadcastFloat64x4(a) }

// clearUpper ends the use of SIMD. Without it, scalar arithmetic is slow afterwards on some machines.
func clearUpper() { archsimd.ClearAVXUpperBits() }

// storeSums writes the sum of the lanes of each vector to the four numbers of dst.
func storeSums(dst []float64, a, b, c, d vector) {
	p, q := a.ConcatAddPairsGrouped(b), c.ConcatAddPairsGrouped(d)
	p.ConcatPermute128Scalars(0, 2, q).Add(p.ConcatPermute128Scalars(1, 3, q)).StoreArray((*[4]float64)(dst))
}

// fourRowsWidth is the number of columns that fourRowsSIMD processes at a time, four strips of three. It is
// also the smallest number of columns that fourRowsSIMD accepts.
const fourRowsWidth = 12

// fourRowsSIMD writes four rows (x_i·a − mean)·w_i to the first four lanes at dst, in strips of columns that
// are `size` numbers apart. The rows are as long as mean, which is a multiple of three.
func fourRowsSIMD(dst []float64, size int, x *[4][]float64, mean []float64, a float64, w *[4]float64) {
	f, w0, w1, w2, w3 := broadcast(a), broadcast(w[0]), broadcast(w[1]), broadcast(w[2]), broadcast(w[3])
	second, third := lanes, 2*lanes // where the vectors of a strip begin
	for c := 0; c < len(mean); c += fourRowsWidth {
		c = min(c, len(mean)-fourRowsWidth) // the last columns overlap the ones before
		x0, x1, m := (*[12]float64)(x[0][c:]), (*[12]float64)(x[1][c:]), (*[12]float64)(mean[c:])
		x2, x3 := (*[12]float64)(x[2][c:]), (*[12]float64)(x[3][c:])
		at := c / stripRows * size
		d0, d1 := dst[at:][:third+4], dst[at+size:][:third+4]
		d2, d3 := dst[at+2*size:][:third+4], dst[at+3*size:][:third+4]
		p, q := load(x0[0:]).Mul(f).Sub(load(m[0:])).Mul(w0), load(x1[0:]).Mul(f).Sub(load(m[0:])).Mul(w1)
		r, s := load(x2[0:]).Mul(f).Sub(load(m[0:])).Mul(w2), load(x3[0:]).Mul(f).Sub(load(m[0:])).Mul(w3)
		p, q, r, s = transposed(p, q, r, s)
		p.Store(d0[0:])
		q.Store(d0[second:])
		r.Store(d0[third:])
		s.Store(d1[0:])
		p, q = load(x0[4:]).Mul(f).Sub(load(m[4:])).Mul(w0), load(x1[4:]).Mul(f).Sub(load(m[4:])).Mul(w1)
		r, s = load(x2[4:]).Mul(f).Sub(load(m[4:])).Mul(w2), load(x3[4:]).Mul(f).Sub(load(m[4:])).Mul(w3)
		p, q, r, s = transposed(p, q, r, s)
		p.Store(d1[second:])
		q.Store(d1[third:])
		r.Store(d2[0:])
		s.Store(d2[second:])
		p, q = load(x0[8:]).Mul(f).Sub(load(m[8:])).Mul(w0), load(x1[8:]).Mul(f).Sub(load(m[8:])).Mul(w1)
		r, s = load(x2[8:]).Mul(f).Sub(load(m[8:])).Mul(w2), load(x3[8:]).Mul(f).Sub(load(m[8:])).Mul(w3)
		p, q, r, s = transposed(p, q, r, s)
		p.Store(d2[third:])
		q.Store(d3[0:])
		r.Store(d3[second:])
		s.Store(d3[third:])
	}
	clearUpper()
}

// transposed returns the columns of the matrix whose rows are p, q, r and s.
func transposed(p, q, r, s vector) (c0, c1, c2, c3 vector) {
	even, odd := p.ConcatPermuteScalarsGrouped(0, 2, q), p.ConcatPermuteScalarsGrouped(1, 3, q)
	next, last := r.ConcatPermuteScalarsGrouped(0, 2, s), r.ConcatPermuteScalarsGrouped(1, 3, s)
	return even.ConcatPermute128Scalars(0, 2, next), odd.ConcatPermute128Scalars(0, 2, last),
		even.ConcatPermute128Scalars(1, 3, next), odd.ConcatPermute128Scalars(1, 3, last)
}

// wideTileSIMD sets sums to the nine dot products of the vectors of strip a with the vectors of b's first
// strip, as tileSIMD does. The strips have eight lanes, for registers of 512 bits. A generic function for
// both widths would call a method for every product.
func wideTileSIMD(sums *[12]float64, a, b []float64) {
	type vector = archsimd.Float64x8
	load := func(s []float64) vector { return archsimd.LoadFloat64x8Array((*[8]float64)(s)) }
	var s0, s1, s2, s3, s4, s5, s6, s7, s8 vector
	const v = 8
	for len(a) >= 9*v && len(b) >= 9*v { // lengths are multiples of three registers
		p, q, r := load(b), load(b[v:]), load(b[2*v:])
		s0, s1, s2 = load(a).MulAdd(p, s0), load(a).MulAdd(q, s1), load(a).MulAdd(r, s2)
		s3, s4, s5 = load(a[v:]).MulAdd(p, s3), load(a[v:]).MulAdd(q, s4), load(a[v:]).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a[2*v:]), s6), q.MulAdd(load(a[2*v:]), s7), r.MulAdd(load(a[2*v:]), s8)
		p, q, r = load(b[3*v:]), load(b[4*v:]), load(b[5*v:])
		s0, s1, s2 = load(a[3*v:]).MulAdd(p, s0), load(a[3*v:]).MulAdd(q, s1), load(a[3*v:]).MulAdd(r, s2)
		s3, s4, s5 = load(a[4*v:]).MulAdd(p, s3), load(a[4*v:]).MulAdd(q, s4), load(a[4*v:]).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a[5*v:]), s6), q.MulAdd(load(a[5*v:]), s7), r.MulAdd(load(a[5*v:]), s8)
		p, q, r = load(b[6*v:]), load(b[7*v:]), load(b[8*v:])
		s0, s1, s2 = load(a[6*v:]).MulAdd(p, s0), load(a[6*v:]).MulAdd(q, s1), load(a[6*v:]).MulAdd(r, s2)
		s3, s4, s5 = load(a[7*v:]).MulAdd(p, s3), load(a[7*v:]).MulAdd(q, s4), load(a[7*v:]).MulAdd(r, s5)
		s6, s7, s8 = p.MulAdd(load(a[8*v:]), s6), q.MulAdd(load(a[8*v:]), s7), r.MulAdd(load(a[8*v:]), s8)
		a, b = a[9*v:], b[9*v:]
	}
	fold := func(s vector) archsimd.Float64x4 { return s.GetLo().Add(s.GetHi()) }
	storeSums(sums[:4], fold(s0), fold(s1), fold(s2), fold(s3))
	storeSums(sums[4:8], fold(s4), fold(s5), fold(s6), fold(s7))
	last := fold(s8)
	storeSums(sums[8:], last, last, last, last)
	clearUpper()
}
