//go:build goexperiment.simd && go1.27

package softkmeans

import (
	"simd"
	"simd/archsimd"
)

// useSIMD is false if the machine lacks registers of 256 bits with multiply-add, or if GODEBUG=simd=0 is set.
var useSIMD = !simd.Emulated() && archsimd.X86.AVX2() && archsimd.X86.FMA()

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

// fourRowsSIMD writes four rows (x_i·a − mean)·w_i to strips of columns that are `size` numbers apart. The
// rows are as long as mean, which is a multiple of three.
func fourRowsSIMD(dst []float64, size int, x *[4][]float64, mean []float64, a float64, w *[4]float64) {
	f, w0, w1, w2, w3 := broadcast(a), broadcast(w[0]), broadcast(w[1]), broadcast(w[2]), broadcast(w[3])
	for c := 0; c < len(mean); c += fourRowsWidth {
		c = min(c, len(mean)-fourRowsWidth) // the last columns overlap the ones before
		x0, x1, m := (*[12]float64)(x[0][c:]), (*[12]float64)(x[1][c:]), (*[12]float64)(mean[c:])
		x2, x3 := (*[12]float64)(x[2][c:]), (*[12]float64)(x[3][c:])
		at := c / stripRows * size
		d0, d1 := (*[12]float64)(dst[at:]), (*[12]float64)(dst[at+size:])
		d2, d3 := (*[12]float64)(dst[at+2*size:]), (*[12]float64)(dst[at+3*size:])
		p, q := load(x0[0:]).Mul(f).Sub(load(m[0:])).Mul(w0), load(x1[0:]).Mul(f).Sub(load(m[0:])).Mul(w1)
		r, s := load(x2[0:]).Mul(f).Sub(load(m[0:])).Mul(w2), load(x3[0:]).Mul(f).Sub(load(m[0:])).Mul(w3)
		p, q, r, s = transposed(p, q, r, s)
		p.Store(d0[0:])
		q.Store(d0[4:])
		r.Store(d0[8:])
		s.Store(d1[0:])
		p, q = load(x0[4:]).Mul(f).Sub(load(m[4:])).Mul(w0), load(x1[4:]).Mul(f).Sub(load(m[4:])).Mul(w1)
		r, s = load(x2[4:]).Mul(f).Sub(load(m[4:])).Mul(w2), load(x3[4:]).Mul(f).Sub(load(m[4:])).Mul(w3)
		p, q, r, s = transposed(p, q, r, s)
		p.Store(d1[4:])
		q.Store(d1[8:])
		r.Store(d2[0:])
		s.Store(d2[4:])
		p, q = load(x0[8:]).Mul(f).Sub(load(m[8:])).Mul(w0), load(x1[8:]).Mul(f).Sub(load(m[8:])).Mul(w1)
		r, s = load(x2[8:]).Mul(f).Sub(load(m[8:])).Mul(w2), load(x3[8:]).Mul(f).Sub(load(m[8:])).Mul(w3)
		p, q, r, s = transposed(p, q, r, s)
		p.Store(d2[8:])
		q.Store(d3[0:])
		r.Store(d3[4:])
		s.Store(d3[8:])
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
