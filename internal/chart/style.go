package chart

import "strconv"

// Style is the CSS of all pictures, for a page's style element. A page changes
// colors by the custom properties, which it may set on any element around a
// picture: --sk-paper is the page's background, --sk-0 … --sk-9 are the classes.
// All else is the page's own text color. Dark colors go by the system's setting,
// and a data-theme attribute, light or dark, overrides it.
//
// The ten colors differ from each other also to the color-blind, see the tests,
// and from the background by at least 3 to 1.
const Style = `:root,[data-theme=light]{` + light + `}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){` + dark + `}}
[data-theme=dark]{` + dark + `}
.sk-chart{max-width:100%;height:auto;display:block;font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.sk-chart text{fill:currentColor}
.sk-chart .sk-title{font-size:14px;font-weight:600}
.sk-chart .sk-note{font-size:11px;opacity:.75}
.sk-chart .sk-tick{opacity:.8}
.sk-chart .sk-halo{stroke:var(--sk-paper);stroke-width:3px;paint-order:stroke;font-weight:600}
.sk-grid{stroke:currentColor;stroke-opacity:.13;fill:none}
.sk-axis{stroke:currentColor;stroke-opacity:.5;fill:none}
.sk-point{fill:var(--sk-c);fill-opacity:.8}
.sk-line{stroke:var(--sk-c);stroke-width:1.8;fill:none;stroke-linejoin:round}
.sk-open{stroke:var(--sk-c);stroke-width:1.5;fill:var(--sk-paper)}
.sk-area{fill:var(--sk-c)}
.sk-split{stroke:var(--sk-paper);stroke-width:1.5;fill:none}
.sk-mark{stroke:currentColor;stroke-opacity:.6;stroke-dasharray:4 3;fill:none}
.sk-ink{fill:currentColor;shape-rendering:crispEdges}
.sk-outline{stroke:currentColor;stroke-width:1.8;fill:none;stroke-linejoin:round}
.sk-outline circle{fill:currentColor;stroke:none}
.sk-outline.sk-global{stroke-dasharray:7 4}
.sk-outline.sk-previous{stroke-dasharray:2 3;opacity:.65}
.sk-dash1{stroke-dasharray:7 3}
.sk-dash2{stroke-dasharray:2 3}
.sk-dash3{stroke-dasharray:8 3 2 3}
.sk-none{--sk-c:#80868e}
.sk-c0{--sk-c:var(--sk-0)}.sk-c1{--sk-c:var(--sk-1)}.sk-c2{--sk-c:var(--sk-2)}.sk-c3{--sk-c:var(--sk-3)}.sk-c4{--sk-c:var(--sk-4)}
.sk-c5{--sk-c:var(--sk-5)}.sk-c6{--sk-c:var(--sk-6)}.sk-c7{--sk-c:var(--sk-7)}.sk-c8{--sk-c:var(--sk-8)}.sk-c9{--sk-c:var(--sk-9)}
`

const (
	light  = `--sk-paper:#fff;--sk-0:#0072b2;--sk-1:#d55e00;--sk-2:#009e73;--sk-3:#b2559b;--sk-4:#b58900;--sk-5:#3d9bd6;--sk-6:#332288;--sk-7:#882255;--sk-8:#7a7a2e;--sk-9:#555555`
	dark   = `--sk-paper:#15181c;--sk-0:#4aa3df;--sk-1:#f0803c;--sk-2:#20c997;--sk-3:#e39bd0;--sk-4:#f0c541;--sk-5:#9fd8ff;--sk-6:#9a8cff;--sk-7:#d9587f;--sk-8:#b8b85c;--sk-9:#c8ccd2`
	colors = 10
)

// color is the class of CSS that has the color of class c; a negative one is
// no class.
func color(c int) string {
	if c < 0 {
		return "sk-none"
	}
	return "sk-c" + strconv.Itoa(c%colors)
}

// dash tells the lines beyond the tenth from those before.
func dash(c int) string {
	if n := c / colors % 4; n > 0 {
		return " sk-dash" + strconv.Itoa(n)
	}
	return ""
}
