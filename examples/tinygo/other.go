//go:build !(wasip1 || wasm_unknown)

package main

import (
	"io"
	"os"
)

func main() {
	io.WriteString(os.Stderr, "this is for WebAssembly: sh examples/tinygo/build.sh FOLDER\n")
	os.Exit(2)
}
