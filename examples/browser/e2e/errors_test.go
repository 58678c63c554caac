package e2e

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// drop drops a file on the page.
func (p *page) drop(name, text string) {
	p.Helper()
	p.run(chromedp.Evaluate(`{const data = new DataTransfer(); data.items.add(new File([`+strconv.Quote(text)+`], `+strconv.Quote(name)+`));
		document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}))}`, nil))
}

// fails waits for an error that has all these words.
func (p *page) fails(words ...string) {
	p.Helper()
	p.is(`document.getElementById("error").textContent.includes(` + strconv.Quote(words[0]) + `) && !document.getElementById("error").hidden &&
		document.getElementById("cancel").disabled`)
	said := p.text("error")
	for _, w := range words {
		if !strings.Contains(said, w) {
			p.Errorf("the page says %q, without %q", said, w)
		}
	}
}

// An error names its file, line and column. The results of the file before go.
func TestErrors(t *testing.T) {
	eachBuild(t, func(t *testing.T, dir string) {
		p := open(t, dir, 1360, 900)
		p.drop("bad.csv", "a,b\n1,2\n3,5..1\n3,4\n3,5\n3,5\n3,5\n3,5\n3,5\n3,5\n3,5\n")
		p.fails("bad.csv, line 3, column 2:", `"5..1" in column "b" is not a number`)
		p.run(click("summary"), chromedp.SetValue("#text", "1;2\n3;4\n5;NaN\n", chromedp.ByQuery), click("#paste"))
		p.fails("pasted table: 1 missing value: 1 in column 2 (first on line 3)")
		p.drop("short.csv", "1,2,3\n4,2,6\n7,8\n")
		p.fails("short.csv, line 3:", "2 fields found, 3 expected")
		p.drop("empty.csv", "")
		p.fails("empty.csv", "no rows")
		if !p.hidden("certificate") || !p.hidden("slider") || p.text("details") != "" {
			t.Error("the results of another table are there")
		}
		p.after(click("[data-set=iris]"))
		for _, k := range []string{"0", "2.5", "65"} {
			p.run(chromedp.SetValue("#k", k, chromedp.ByQuery))
			p.fails("k is", k, "a whole number from 1 to 64")
		}
		p.after(chromedp.SetValue("#k", "4", chromedp.ByQuery))
		if !p.hidden("error") {
			t.Errorf("an error is still there after a fit: %s", p.text("error"))
		}
		p.quiet()
	})
}

// outdated reports whether the results are dimmed, and said to be busy.
func (p *page) outdated() (old bool) {
	p.Helper()
	p.eval(`["certificate", "pictures"].every((id) => { const e = document.getElementById(id);
		return e.classList.contains("outdated") && e.getAttribute("aria-busy") === "true" })`, &old)
	return old
}

func (p *page) hidden(id string) (hidden bool) {
	p.Helper()
	p.eval(`document.getElementById("`+id+`").hidden`, &hidden)
	return hidden
}

const kinds = "height,<img src=x>,kind\n1,5,a\n1.2,5.1,a\n0.9,5.3,a\n8,1,b\n8.3,1.2,b\n7.7,0.8,b\n"

// A column of words is taken for the label, and can be chosen.
func TestLabelColumn(t *testing.T) {
	eachBuild(t, func(t *testing.T, dir string) {
		p := open(t, dir, 1360, 900)
		var now string
		p.eval("document.body.dataset.fit", &now)
		p.drop("kinds.csv", kinds)
		p.fails("a column of text: column 3 (kind)")
		p.run(click("#ways button:last-child")) // the labels
		now = p.fitted(now)
		if got := p.text("table"); !strings.Contains(got, "kinds.csv: 6 rows, 2 columns, and a header; column 3 (kind) is left out") {
			t.Errorf("the page says of the table: %q", got)
		}
		if got := p.text("accuracy"); got != "100 %" {
			t.Errorf("the accuracy is %s", got)
		}
		var images int
		p.eval(`document.querySelectorAll("img").length`, &images)
		if images > 0 {
			t.Error("a column's name was taken for HTML")
		}
		// Data: columns of 0 and 1. The list that the error opened is closed again.
		p.run(click("#reading > summary"))
		p.after(click("#columns li:nth-child(3) input"))
		if got := p.text("table"); !strings.HasPrefix(got, "kinds.csv: 6 rows, 4 columns") {
			t.Errorf("with columns of 0 and 1 the page says: %q", got)
		}
		p.after(chromedp.SetValue("#columns li:nth-child(3) select", "l", chromedp.ByQuery))
		if got := p.text("accuracy"); got != "100 %" {
			t.Errorf("with the label chosen the accuracy is %s", got)
		}
		p.quiet()
	})
}

// Cancel ends a slow fit with the best model so far, and says so. The next fit runs.
func TestCancel(t *testing.T) {
	eachBuild(t, func(t *testing.T, dir string) {
		p := open(t, dir, 1360, 900)
		p.after(click("[data-set=digits]"))
		var now string
		p.eval("document.body.dataset.fit", &now)
		p.run(cancelAt("progress-text", "iteration"), chromedp.SetValue("#k", "20", chromedp.ByQuery))
		p.fitted(now)
		if got := p.text("answer"); !strings.Contains(got, "The fit was stopped after ") {
			t.Errorf("the answer is %q", got)
		}
		if p.number("objective") < p.number("floor") {
			t.Errorf("the best so far is %s, below the floor %s", p.text("objective"), p.text("floor"))
		}
		pictures := []string{"scatter", "centers", "memberships", "floors"}
		if !strings.Contains(p.text("answer"), "stopped after 0 iterations") { // heard before the first one of a try there is no trace
			pictures = append(pictures, "trace")
		}
		p.pictures(pictures...)

		// Of two requests the second waits for the first, and must not start after Cancel.
		p.eval("document.body.dataset.fit", &now)
		p.run(chromedp.Evaluate(`for (const k of [19, 18]) { const e = document.getElementById("k"); e.value = k; e.dispatchEvent(new Event("change")); }
			document.getElementById("cancel").click()`, nil))
		p.is(`document.getElementById("cancel").disabled && !document.getElementById("error").hidden`)
		p.run(chromedp.Sleep(500 * time.Millisecond))
		var same bool
		p.eval(`document.getElementById("cancel").disabled && document.body.dataset.fit === `+strconv.Quote(now), &same)
		if !same {
			t.Error("a request that was cancelled has begun")
		}
		p.after(click("[data-set=iris]"))
		if got := p.text("verdict"); !strings.Contains(got, "3 prototypes explain 97.2 %") {
			t.Errorf("the next verdict is %q", got)
		}
		p.quiet()
	})
}

// A worker that does not answer is replaced after about a second, and the new one works.
func TestReplacedWorker(t *testing.T) {
	eachBuild(t, func(t *testing.T, dir string) {
		p := open(t, dir, 1360, 900)
		// It hears nothing, as when a computation does not look at its messages.
		p.run(chromedp.Evaluate(`{const post = Worker.prototype.postMessage;
			Worker.prototype.postMessage = function (message, ...rest) { if (message.kind !== "cancel") post.call(this, message, ...rest) };
			let text = "", s = 1; for (let i = 0; i < 1600; i++) { const row = [];
			for (let j = 0; j < 1600; j++) { s = (s * 16807) % 2147483647; row.push(s % 10); } text += row.join(",") + "\n"; }
			const data = new DataTransfer(); data.items.add(new File([text], "wide.csv"));
			document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}))}`, nil))
		p.is(`!document.getElementById("cancel").disabled`)
		from := time.Now()
		p.run(click("#cancel"))
		p.fails("The worker was replaced", "did not answer")
		t.Logf("replaced %v after the click", time.Since(from).Round(time.Millisecond))
		p.after(click("#fit"))
		if got := p.text("floor"); got != "15.20464" {
			t.Errorf("iris has a floor of %s in the new worker", got)
		}
		p.quiet()
	})
}

// A worker that was silent for long before, as on a busy machine, has longer to hear of Stop.
func TestBusyWorker(t *testing.T) {
	p := open(t, pageOf(t, "go"), 1360, 900)
	p.run(chromedp.Evaluate(`{const post = Worker.prototype.postMessage;
		Worker.prototype.postMessage = function (message, ...rest) {
			setTimeout(() => post.call(this, message, ...rest), message.kind === "cancel" ? 1500 : 0) };
		const from = performance.now();
		while (performance.now() < from + 1200);}`, nil)) // messages of the worker wait meanwhile
	p.after(click("[data-set=digits]"))
	p.after(cancelAt("progress-text", "iteration"), chromedp.SetValue("#k", "20", chromedp.ByQuery))
	if got := p.text("answer"); !strings.Contains(got, "The fit was stopped after ") {
		t.Errorf("the answer is %q; %s", got, p.text("error"))
	}
	p.quiet()
}

// When the worker is lost with the first fit of a table, the results of the table before go.
func TestLostFit(t *testing.T) {
	p := open(t, pageOf(t, "go"), 1360, 900)
	p.run(chromedp.Evaluate(`{const post = Worker.prototype.postMessage;
		Worker.prototype.postMessage = function (message, ...rest) {
			if (message.kind === "fit") this.onerror(new ErrorEvent("error", {message: "out of memory"}));
			else post.call(this, message, ...rest) }}`, nil))
	p.drop("other.csv", "a,b\n1,2\n2,4\n5,1\n4,4\n")
	p.fails("The worker was replaced", "out of memory")
	if !p.hidden("certificate") || p.text("status") != "" {
		t.Errorf("the page still says %q, and reads %q", p.text("verdict"), p.text("status"))
	}
	p.quiet()
}

// Neither the page nor a worker of it can reach another host.
func TestNoOtherHost(t *testing.T) {
	dir := pageOf(t, "go")
	var asked atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}))
	defer other.Close()
	p := open(t, dir, 1360, 900)
	p.quiet() // what follows is not
	for name, expression := range map[string]string{
		"the page": `fetch("` + other.URL + `").then(() => "reached", () => "refused")`,
		"a worker": `new Promise((resolve) => { const w = new Worker(URL.createObjectURL(new Blob(
			['fetch("` + other.URL + `").then(() => postMessage("reached"), () => postMessage("refused"))'])));
			w.onmessage = (e) => resolve(e.data); w.onerror = () => resolve("no worker"); })`,
		"an image": `new Promise((resolve) => { const i = new Image(); i.onload = () => resolve("reached"); i.onerror = () => resolve("refused"); i.src = "` + other.URL + `"; })`,
	} {
		var got string
		p.run(chromedp.Evaluate(expression, &got, func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
		if got != "refused" {
			t.Errorf("%s: another host is %s", name, got)
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the other host got %d requests", n)
	}
}
