//go:build !(goexperiment.simd && go1.27 && (amd64 || arm64 || wasm))

package softkmeans

// Without SIMD the functions of kernels_simd.go are never called, but must compile.

const (
	useSIMD = false
	lanes   = 1

	fourRowsWidth = 1
)

func dotSIMD(x, y []float64) float64                                              { panic(useSIMD) }
func axpySIMD(y []float64, a float64, x []float64)                                { panic(useSIMD) }
func stripSIMD(c []float64, ldc int, x, y []float64, n int)                       { panic(useSIMD) }
func shiftSIMD(dst, x, mean []float64, a float64)                                 { panic(useSIMD) }
func rotateSIMD(x, y []float64, c, s float64)                                     { panic(useSIMD) }
func addRowsSIMD(y, coef []float64, index []int, x []float64)                     { panic(useSIMD) }
func rankTwoMulSIMD(a []float64, stride, lo, hi int, v, w, u, p, q []float64)     { panic(useSIMD) }
func addDifferenceSIMD(sums, x, origin []float64, w float64) (float64, bool)      { panic(useSIMD) }
func addMulNTSIMD([]float64, int, []float64, int, []float64, int, int, bool)      { panic(useSIMD) }
func fourRowsSIMD([]float64, int, *[4][]float64, []float64, float64, *[4]float64) { panic(useSIMD) }
func interleaveSIMD([]float64, *[stripRows][]float64, []float64, float64, *[stripRows]float64) {
	panic(useSIMD)
}
