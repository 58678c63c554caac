//go:build goexperiment.simd && go1.27 && (amd64 || arm64 || wasm)

package main

import (
	"runtime"
	"simd"
	"simd/archsimd"
	"strconv"
)

// init follows useSIMD of the package.
func init() {
	if !simd.Emulated() && (runtime.GOARCH != "amd64" || archsimd.X86.FMA() && archsimd.X86.AVX2()) {
		arithmetic = "vectors of " + strconv.Itoa(simd.VectorBitSize()) + " bits"
	}
}
