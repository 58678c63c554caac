//go:build !(js && wasm)

// Command browser is the program of a web page that fits tables in the browser. See README.md, and the
// command serve, which builds it. Outside of a browser it only prints how to build the page.
package main

import "os"

func main() {
	os.Stderr.WriteString("This program runs in a browser: go run ./examples/browser/serve\n")
	os.Exit(2)
}
