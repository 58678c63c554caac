// Package e2e drives the page of examples/browser in Chromium, built by Go and
// by TinyGo. It has only tests, and is a module because these need a package that drives
// the browser:
//
//	cd examples/browser/e2e && go test -v .
//
// CHROMIUM names the browser if it is not on the PATH. Without a browser, or for the page
// of TinyGo without tinygo, tests are skipped and say so. SOFTKMEANS_PAGES=DIR takes the
// pages that serve has written to DIR/page and DIR/page-tinygo, and builds none that is there.
// SHOTS=DIR writes pictures of the page to DIR.
package e2e
