//go:build goexperiment.simd && go1.27 && (arm64 || wasm)

package softkmeans

import (
	"math"
	"simd"
	"simd/archsimd"
)

// The same as simd_amd64.go for machines with SIMD registers of 128 bits.

var useSIMD = !simd.Emulated()

const useWide = false

type vector = archsimd.Float64x2

func load(s []float64) vector { return archsimd.LoadFloat64x2Array((*[2]float64)(s)) }

func broadcast(a float64) vector { return archsimd.BroadcastFloat64x2(a) }

func clearUpper() {}

func storeSums(dst []float64, a, b, c, d vector) {
	for i, v := range [...]vector{a, b, c, d} {
		dst[i] = v.GetElem(0) + v.GetElem(1)
	}
}

// fourRowsSIMD requires registers of 256 bits. fourRowsWidth is larger than any table is wide, so
// fourRowsSIMD is never called on these machines.
const fourRowsWidth = math.MaxInt

func fourRowsSIMD([]float64, int, *[4][]float64, []float64, float64, *[4]float64) { panic(lanes) }

// wideTileSIMD requires registers of 512 bits.
func wideTileSIMD(sums *[12]float64, a, b []float64) { panic(lanes) }
