//go:build goexperiment.simd && go1.27

package softkmeans

import "simd/archsimd"

// clearUpper ends the use of vectors: scalar arithmetic after 512-bit code is
// otherwise some hundred times slower.
func clearUpper() { archsimd.ClearAVXUpperBits() }

// fused reports whether the machine has what MulAdd and, at any width, broadcasts become.
func fused() bool { return archsimd.X86.FMA() && archsimd.X86.AVX2() }
