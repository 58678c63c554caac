//go:build goexperiment.simd && go1.27 && (amd64 || arm64 || wasm)

package main

import (
	"runtime"
	"simd"
	"simd/archsimd"
)

// init follows useSIMD, useWide and vector of the package.
func init() {
	switch {
	case simd.Emulated():
	case runtime.GOARCH != "amd64":
		arithmetic = "SIMD of 128 bits"
	case !archsimd.X86.AVX2() || !archsimd.X86.FMA():
	case archsimd.X86.AVX512():
		arithmetic = "SIMD of 512 bits"
	default:
		arithmetic = "SIMD of 256 bits"
	}
}
