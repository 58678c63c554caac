//go:build !(goexperiment.simd && go1.27 && (amd64 || arm64 || wasm))

package softkmeans

func addRowsSIMD(y []float64, coef []float64, index []int, x []float64) { panic(useSIMD) }
