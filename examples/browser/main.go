//go:build !(js && wasm)

// Command browser is the program of a page that shows what the package does, in
// a browser and without a server: see README.md, and serve, which builds it. Here
// it only says so; what the page says and draws is tested on every machine.
package main

import "os"

func main() {
	os.Stderr.WriteString("This program runs in a browser: go run ./examples/browser/serve\n")
	os.Exit(2)
}
