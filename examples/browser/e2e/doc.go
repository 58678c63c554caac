// Package e2e drives the page of examples/browser in Chromium, built by Go and
// by TinyGo. It has tests only, and a module of its own for what drives the
// browser:
//
//	cd examples/browser/e2e && go test -v .
//
// CHROMIUM names the browser if it is not on the PATH. Without a browser, or
// without tinygo for its half, tests are skipped and say so. SHOTS=DIR writes
// pictures of the page there.
package e2e
