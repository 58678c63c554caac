package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tabTo presses Tab until the element has the focus, and checks that the focus is visible
// on the way. It adds what had the focus to reached.
func (p *page) tabTo(selector string, reached map[string]bool) {
	p.Helper()
	for range 60 {
		p.run(chromedp.KeyEvent(kb.Tab))
		var at struct{ Name, Outline string }
		p.eval(`(() => { const e = document.activeElement; return {name: e.id || e.dataset.set || e.dataset.save || e.name || e.localName,
			outline: e.matches(":focus-visible") ? getComputedStyle(e).outlineStyle : "not visible"} })()`, &at)
		reached[at.Name] = true
		if at.Outline != "solid" && at.Name != "body" {
			p.Errorf("the focus on %s is %q", at.Name, at.Outline)
		}
		var there bool
		p.eval(fmt.Sprintf("document.activeElement.matches(%q)", selector), &there)
		if there {
			return
		}
	}
	p.Fatalf("Tab does not lead to %s, only to %v", selector, reached)
}

// The page can be used without a mouse: Tab leads to all of it, and the focus is visible.
func TestKeyboard(t *testing.T) {
	p := open(t, pageOf(t, "go"), 1360, 900)
	reached := map[string]bool{}
	tabTo := func(selector string) { p.tabTo(selector, reached) }
	tabTo(".skip")
	tabTo("[data-set=wine]")
	p.after(chromedp.KeyEvent(kb.Enter))
	if got := p.text("table"); got != "wine.csv: 178 rows, 13 columns, and a header; column 14 (class) is left out; "+
		"columns are scaled to mean 0 and variance 1." {
		t.Errorf("Enter on Wine shows %q", got)
	}
	tabTo("summary")
	tabTo("#standardize")
	p.after(chromedp.KeyEvent(kb.ArrowDown))
	p.after(chromedp.KeyEvent(kb.ArrowUp))
	tabTo("[name=method]")
	p.after(chromedp.KeyEvent(kb.ArrowDown))
	if got := p.text("verdict"); !strings.HasSuffix(got, proved) {
		t.Errorf("the arrow to Global shows %q", got)
	}
	p.after(chromedp.KeyEvent(kb.ArrowUp))
	tabTo("#k")
	p.after(chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Enter))
	var k string
	p.eval(`document.getElementById("k").value`, &k)
	if k != "4" {
		t.Errorf("the arrow in k leads to %s", k)
	}
	tabTo("#fit")
	p.after(chromedp.KeyEvent(kb.Enter))
	tabTo("#slack")
	before := p.text("slack-value")
	p.after(chromedp.KeyEvent(kb.ArrowRight))
	var spoken string
	p.eval(`document.getElementById("slack").getAttribute("aria-valuetext")`, &spoken)
	if now := p.text("slack-value"); now == before || spoken != "slack "+now {
		t.Errorf("the arrow on the slider leads from %s to %s, spoken %q", before, now, spoken)
	}
	tabTo("#global")
	tabTo("[name=color]")
	tabTo("[data-save=memberships]")
	p.run(chromedp.KeyEvent(kb.Enter))
	<-p.saved
	if got := p.text("status"); got != "wine-memberships.csv is saved." {
		t.Errorf("what is read aloud is %q", got)
	}
	for _, name := range []string{"iris", "digits", "breast_cancer", "file"} {
		if !reached[name] {
			t.Errorf("Tab does not lead to %s", name)
		}
	}
	var nameless []string
	p.eval(`[...document.querySelectorAll("input, select, textarea, button, progress")].filter((e) =>
		!e.labels?.length && !e.getAttribute("aria-label") && !e.textContent.trim() && !e.hidden).map((e) => e.outerHTML)`, &nameless)
	if len(nameless) > 0 {
		t.Errorf("without a name: %q", nameless)
	}
	p.quiet()
}

// Nothing sticks out of a screen of 360 px.
func TestNarrow(t *testing.T) {
	p := open(t, pageOf(t, "go"), 360, 740)
	look := func(what string) {
		t.Helper()
		var wide int
		p.eval("document.documentElement.scrollWidth", &wide)
		var out []string
		p.eval(`[...document.querySelectorAll("body *")].filter((e) => !e.closest(".skip, .hidden, [hidden], .scroll > *") && e.getBoundingClientRect().right > 360.5)
			.map((e) => e.outerHTML.slice(0, 80))`, &out)
		if wide > 360 || len(out) > 0 {
			t.Errorf("%s: the page is %d px wide; outside are %q", what, wide, out)
		}
	}
	look("iris")
	p.after(click("[data-set=digits]"))
	look("digits")
	p.after(click("[data-set=breast_cancer]"))
	look("breast cancer")
	p.drop("a-file-with-a-name-that-is-so-long-that-it-does-not-fit-on-any-line-of-a-narrow-screen.csv", "a,b,c,a-column-with-a-name-that-is-so-long-that-it-does-not-fit-on-any-line\n1,2,x,u\n3,4,y,v\n5,6,x,u\n")
	p.fails("narrow-screen.csv:")
	look("an error")
	p.quiet()
}

// contrast is that of the text of an element and what is behind it (WCAG 2).
const contrast = `((selector) => {
  const parse = (s) => s.match(/[\d.]+/g).map(Number);
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b };
  const e = document.querySelector(selector);
  let behind = e;
  while (behind && (parse(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) behind = behind.parentElement;
  const style = getComputedStyle(e);
  const a = light(parse(e instanceof SVGElement ? style.fill : style.color).slice(0, 3));
  const b = light(parse(getComputedStyle(behind).backgroundColor).slice(0, 3));
  return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), b];
})`

// Text can be read in both schemes, and the dark one is dark.
func TestSchemes(t *testing.T) {
	p := open(t, pageOf(t, "go"), 1360, 900)
	for _, scheme := range []string{"light", "dark"} {
		p.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		for _, selector := range []string{"h1", "header p", ".note", "#verdict", "dt", "#answer td", "[aria-pressed=true]", "#fit", "footer p", ".seal", "figure text"} {
			var got [2]float64
			p.eval(fmt.Sprintf("%s(%q)", contrast, selector), &got)
			least := 4.5
			if selector == ".seal" {
				least = 3
			}
			if got[0] < least {
				t.Errorf("%s: the contrast of %s is %.2f", scheme, selector, got[0])
			}
			if bright := got[1] > .5; (scheme == "light") != bright && selector != "[aria-pressed=true]" && selector != "#fit" && selector != ".seal" {
				t.Errorf("%s: the background of %s has a luminance of %.2f", scheme, selector, got[1])
			}
		}
	}
	p.quiet()
}
