//go:build !(goexperiment.simd && go1.27 && (amd64 || arm64 || wasm))

package softkmeans

// Without vectors the functions of kernels_simd.go are never called.

const useSIMD = false

func dotSIMD(x, y []float64) float64               { panic(useSIMD) }
func axpySIMD(y []float64, a float64, x []float64) { panic(useSIMD) }
