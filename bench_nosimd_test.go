//go:build !(goexperiment.simd && go1.27 && (amd64 || arm64 || wasm))

package softkmeans

func peakFlopsSIMD(int) float64 { panic(useSIMD) }
