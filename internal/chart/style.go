package chart

import "strconv"

// Style is the CSS of all pictures, for a page's style element. A page changes the colors by custom
// properties on any element around a picture: --sk-paper is the background, --sk-0 … --sk-9 are the classes.
// All else has the page's text color. On screens the dark colors follow the system's setting; a data-theme
// attribute, light or dark, overrides it.
//
// Any two of the ten colors differ by at least 19 (CIE76), also to eyes that lack
// one kind of cones. Their contrast to the paper is at least 3 to 1.
const Style = `:root,[data-theme=light]{` + light + `}
@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){` + dark + `}}
[data-theme=dark]{` + dark + `}
.sk-chart{max-width:100%;height:auto;display:block;font:12px system-ui,
-apple-system,"Segoe UI",Roboto,sans-serif}
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
.sk-cell{fill:var(--sk-c)}
.sk-chart .sk-number{font-size:11px;pointer-events:none}
.sk-hatch{stroke:var(--sk-paper);stroke-width:1.6;fill:none}
.sk-hit{fill:none;pointer-events:all}
.sk-hit:hover{fill:currentColor;fill-opacity:.09}
.sk-lead{stroke:currentColor;stroke-opacity:.5;fill:none}
.sk-split{stroke:var(--sk-paper);stroke-width:1.5;fill:none}
.sk-mark{stroke:currentColor;stroke-opacity:.6;stroke-dasharray:4 3;fill:none}
.sk-ink{fill:currentColor;shape-rendering:crispEdges}
.sk-dark{fill:#000}
.sk-light{fill:#fff;shape-rendering:crispEdges}
.sk-outline{stroke:currentColor;stroke-width:1.8;fill:none;stroke-linejoin:round}
.sk-outline circle{fill:currentColor;stroke:none}
.sk-outline.sk-global{stroke-dasharray:7 4}
.sk-outline.sk-previous{stroke-dasharray:2 3;opacity:.65}
.sk-dash1{stroke-dasharray:7 3}
.sk-dash2{stroke-dasharray:2 3}
.sk-dash3{stroke-dasharray:8 3 2 3}
.sk-dash4{stroke-dasharray:14 3}
.sk-dash5{stroke-dasharray:2 6}
.sk-dash6{stroke-dasharray:8 3 2 3 2 3}
.sk-other{stroke-dasharray:1 3;stroke-width:1.2}
.sk-none{--sk-c:#80868e}
.sk-c0{--sk-c:var(--sk-0)}.sk-c1{--sk-c:var(--sk-1)}.sk-c2{--sk-c:var(--sk-2)}
.sk-c3{--sk-c:var(--sk-3)}.sk-c4{--sk-c:var(--sk-4)}
.sk-c5{--sk-c:var(--sk-5)}.sk-c6{--sk-c:var(--sk-6)}.sk-c7{--sk-c:var(--sk-7)}
.sk-c8{--sk-c:var(--sk-8)}.sk-c9{--sk-c:var(--sk-9)}
`

const (
	light = `--sk-paper:#fff;--sk-0:#1356ce;--sk-1:#b9421c;--sk-2:#00ab5e;--sk-3:#ce6393;` +
		`--sk-4:#b98f00;--sk-5:#4d94ff;--sk-6:#00009f;--sk-7:#590041;--sk-8:#352b0e;--sk-9:#7f4999`
	dark = `--sk-paper:#15181c;--sk-0:#6590fb;--sk-1:#e86420;--sk-2:#31e39a;--sk-3:#d87fb4;` +
		`--sk-4:#ffd200;--sk-5:#c2ffff;--sk-6:#7932ff;--sk-7:#b50ca3;--sk-8:#746147;--sk-9:#ecff89`
	colors = 10
	dashes = 7 // of lines, also the textures of areas
)

// color is the CSS class with the color of class c; a negative c is no class.
func color(c int) string {
	if c < 0 {
		return "sk-none"
	}
	return "sk-c" + strconv.Itoa(c%colors)
}

// dash is the CSS class of a line's dashes. Lines beyond the tenth have some, because their colors repeat.
func dash(c int) string {
	if n := c / colors % dashes; n > 0 {
		return " sk-dash" + strconv.Itoa(n)
	}
	return ""
}
