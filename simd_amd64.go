//go:build goexperiment.simd && go1.27

package softkmeans

import (
	"simd"
	"simd/archsimd"
)

// useSIMD is false where the machine has no vectors of 256 bits with multiply-add, or GODEBUG=simd=0 is set.
var useSIMD = !simd.Emulated() && archsimd.X86.AVX2() && archsimd.X86.FMA()

type vector = archsimd.Float64x4

func load(s []float64) vector { return archsimd.LoadFloat64x4Array((*[4]float64)(s)) }

func broadcast(a float64) vector { return archsimd.BroadcastFloat64x4(a) }

// clearUpper ends the use of vectors: scalar arithmetic after them is otherwise slow on some machines.
func clearUpper() { archsimd.ClearAVXUpperBits() }

// storeSums writes the sum of each vector's lanes to the four numbers of dst.
func storeSums(dst []float64, a, b, c, d vector) {
	p, q := a.ConcatAddPairsGrouped(b), c.ConcatAddPairsGrouped(d)
	p.ConcatPermute128Scalars(0, 2, q).Add(p.ConcatPermute128Scalars(1, 3, q)).StoreArray((*[4]float64)(dst))
}
