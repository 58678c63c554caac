// Package page is the files of the page as they are served.
package page

import "embed"

// Files are HTML, style sheet and scripts.
//
//go:embed *.html *.css *.js
var Files embed.FS
