package main

import (
	"html"
	"os"

	"softkmeans/internal/chart"
)

// writePage writes an HTML page of pictures.
func writePage(file, title, note string, pictures []byte) error {
	page := []byte(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<title>` + html.EscapeString(title) + `</title>
<style>` + chart.Style + `body{margin:1rem;font:15px system-ui,sans-serif;background:var(--sk-paper)}
@media screen and (prefers-color-scheme:dark){body{color:#ddd}}
main{display:flex;flex-wrap:wrap;gap:1rem}</style></head>
<body><h1>` + html.EscapeString(title) + `</h1><p>` + html.EscapeString(note) + `</p><main>
`)
	return os.WriteFile(file, append(append(page, pictures...), "</main></body></html>\n"...), 0o666)
}
