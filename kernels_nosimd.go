//go:build !(goexperiment.simd && go1.27 && (amd64 || arm64 || wasm))

package softkmeans

// Without SIMD the functions of kernels_simd.go are never called, but must compile.

const (
	useSIMD = false
	lanes   = 1

	fourRowsWidth = 1
)

func dotSIMD(x, y []float64) float64                        { panic(useSIMD) }
func axpySIMD(y []float64, a float64, x []float64)          { panic(useSIMD) }
func stripSIMD(c []float64, ldc int, x, y []float64, n int) { panic(useSIMD) }
func addMulNTSIMD(c []float64, ldc int, a []float64, m int, b []float64, n, l int, upper bool) {
	panic(useSIMD)
}

func interleaveSIMD(dst []float64, x *[stripRows][]float64, mean []float64, a float64,
	w *[stripRows]float64) {
	panic(useSIMD)
}
func addDifferenceSIMD(sums, x, origin []float64, w float64) (top float64, finite bool) {
	panic(useSIMD)
}
func shiftSIMD(dst, x, mean []float64, a float64) { panic(useSIMD) }
func scaleSIMD(x []float64, a float64)            { panic(useSIMD) }
func rotateSIMD(x, y []float64, c, s float64)     { panic(useSIMD) }
func rankTwoMulSIMD(a []float64, stride, lo, hi int, v, w, u, p, q []float64) {
	panic(useSIMD)
}
func addRowsSIMD(y []float64, coef []float64, index []int, x []float64) { panic(useSIMD) }
func fourRowsSIMD(dst []float64, size int, x *[4][]float64, mean []float64, a float64, w *[4]float64) {
	panic(useSIMD)
}
