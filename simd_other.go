//go:build goexperiment.simd && go1.27 && (arm64 || wasm)

package softkmeans

// Matters of amd64 alone.

func clearUpper() {}

func fused() bool { return true }
