package e2e

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// In the end the page shows the last request, whatever came before.
func TestLatestWins(t *testing.T) {
	p := open(t, pageOf(t, "go"), 1360, 900)

	// Digits take longer to load than wine, which is chosen after them: they come when wine is fitted.
	p.after(chromedp.Evaluate(`{const quick = fetch; const late = new Promise((resolve) => { window.release = resolve }); window.came = [];
		window.fetch = (url) => { if (!String(url).includes("digits")) return quick(url);
			const answer = late.then(() => quick(url)).then(async (got) => { const file = await got.blob();
				return {ok: true, blob: async () => file} });
			came.push(answer); return answer };
		document.querySelector("[data-set=digits]").click(); document.querySelector("[data-set=wine]").click()}`, nil))
	p.eval(`(async () => { release(); await Promise.all(came); await new Promise((resolve) => setTimeout(resolve)); return true })()`, nil)
	p.fitted("")
	if got := p.text("table"); !strings.HasPrefix(got, "wine.csv:") {
		t.Errorf("wine was chosen last; the page has %q", got)
	}

	// Colors and a number of prototypes that change while a fit runs.
	p.after(click("[data-set=digits]"))
	p.after(chromedp.Evaluate(`{const k = document.getElementById("k"); k.value = 9; k.dispatchEvent(new Event("change"));
		document.querySelector("[name=color][value=classes]").click(); k.value = 1}`, nil))
	p.is(`document.querySelectorAll("[data-picture=scatter] .sk-c9").length > 0`) // of ten classes; there are nine clusters
	var k string
	p.eval(`document.getElementById("k").value`, &k)
	if k != "1" {
		t.Errorf("k was being typed, and became %s", k)
	}
	p.after(chromedp.SetValue("#k", "10", chromedp.ByQuery))

	// A slider that moves on while previews and fits are under way: in the end
	// there is a fit, which nobody cancelled.
	p.after(chromedp.Evaluate(`(async () => { const slack = document.getElementById("slack");
		for (let i = 0; i < 60; i++) { slack.value = 20 + i; slack.dispatchEvent(new Event("input"));
			await new Promise((resolve) => setTimeout(resolve, i % 12 === 11 ? 255 : 8)); } })()`, nil, awaited))
	// 79² %. What comes after older requests would be there when the path is done.
	p.is(`/^6[0-3](\.\d+)? %$/.test(document.getElementById("above").textContent) &&
		document.body.dataset.path === "done" && document.getElementById("cancel").disabled`)
	if got := p.number("above"); got < 60 || got > 63 {
		t.Errorf("at a slack of 62 %% it is %v %% above the floor", got)
	}

	// No file can be saved while another fit is on its way: it would cancel that.
	var disabled bool
	p.eval(`{const k = document.getElementById("k"); k.value = 11; k.dispatchEvent(new Event("change")); document.getElementById("downloads").disabled}`, &disabled)
	if !disabled {
		t.Error("files can be saved while a fit runs")
	}
	p.quiet()
}

// After another table is chosen, the results of the previous one do not stay.
func TestNoStaleResults(t *testing.T) {
	p := open(t, pageOf(t, "go"), 1360, 900)
	p.run(cancelAt("table", "digits.csv:"), chromedp.Evaluate(`document.querySelector("[data-set=digits]").click()`, nil))
	p.is(`document.getElementById("table").textContent.startsWith("digits.csv:")`)
	p.is(`document.getElementById("cancel").disabled`)
	var stale bool
	p.eval(`!document.getElementById("certificate").hidden && !document.getElementById("answer").textContent.includes("The fit was stopped after")`, &stale)
	if stale {
		t.Errorf("digits are open, and the page says %q", p.text("verdict"))
	}
	p.after(click("#fit"))
	p.quiet()
}

// A fit that divides rows by their sums says so, and leaves the list of columns.
func TestDivided(t *testing.T) {
	p := open(t, pageOf(t, "go"), 1360, 900)
	r := rand.New(rand.NewPCG(2, 8))
	var profiles [3][12]float64
	for i := range profiles {
		for c := range profiles[i] {
			profiles[i][c] = math.Exp(r.NormFloat64())
		}
	}
	var text strings.Builder
	for range 40 {
		light := math.Exp(.5 * r.NormFloat64())
		parts := [3]float64{r.ExpFloat64(), r.ExpFloat64(), r.ExpFloat64()}
		for c := range 12 {
			v := .01 * r.NormFloat64()
			for j, part := range parts {
				v += light * part / (parts[0] + parts[1] + parts[2]) * profiles[j][c]
			}
			fmt.Fprintf(&text, "%.9g%s", v, [...]string{",", "\n"}[c/11])
		}
	}
	var now string
	p.eval("document.body.dataset.fit", &now)
	p.drop("open.csv", text.String())
	p.fitted(now)
	var columns int
	p.eval(`document.querySelectorAll("#columns li").length`, &columns)
	if notes := p.text("notes"); columns != 12 || !strings.Contains(notes, "differ in brightness") {
		t.Errorf("%d columns; %s", columns, notes)
	}
	p.quiet()
}
