//go:build goexperiment.simd && go1.27 && (arm64 || wasm)

package softkmeans

// What amd64 alone needs, for the machines that do not. kernels_simd.go serves them all.

func clearUpper() {}

func fused() bool { return true }
