package e2e

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"softkmeans"
)

// watch clicks every 30 ms while a fit runs, from inside of the page, and notes how many clicks were handled then,
// and for how long nothing else could run.
const watch = `(() => {
  window.seen = {delay: 0, clicks: 0};
  const summary = document.querySelector("summary");
  const running = () => !document.getElementById("cancel").disabled;
  const channel = new MessageChannel();
  let last = performance.now();
  channel.port1.onmessage = () => {
    const now = performance.now();
    seen.delay = Math.max(seen.delay, now - last);
    last = now;
    setTimeout(() => channel.port2.postMessage(0));
  };
  channel.port2.postMessage(0);
  summary.addEventListener("click", () => { if (running()) seen.clicks++; });
  setInterval(() => { if (running()) summary.click(); }, 30);
})()`

// The page answers while digits, standardized, is fitted: 1797×64, k = 10,
// minimal volume. Times are logged, not judged: the machine may be busy. That the
// fit ends, and that clicks are handled while it runs, is.
func TestResponsive(t *testing.T) {
	eachBuild(t, func(t *testing.T, dir string) {
		p := open(t, dir, 1360, 900)
		var started string
		p.eval("document.body.dataset.started", &started)
		raw, packed := sizes(t, filepath.Join(dir, "softkmeans.wasm"))
		t.Logf("softkmeans.wasm: %d bytes, %d with gzip; ready %s ms after the page's script began", raw, packed, started)
		p.after(click("[data-set=digits]"))
		t.Logf("digits: %s", p.text("time"))
		p.run(chromedp.Evaluate(watch, nil))
		var before string
		p.eval("document.body.dataset.fit", &before)
		p.run(chromedp.SetValue("#standardize", "yes", chromedp.ByQuery))
		p.fitted(before)
		var seen struct{ Delay, Clicks float64 }
		p.eval("window.seen", &seen)
		t.Logf("digits standardized: %s; longest delay of the main thread %.0f ms; %v clicks handled",
			p.text("time"), seen.Delay, seen.Clicks)
		if seen.Clicks < 2 {
			t.Errorf("%v clicks were handled during the fit", seen.Clicks)
		}
		digits := readCSV(t, "digits")
		standardize(digits)
		from := time.Now()
		m, err := softkmeans.FitMinVolume(background, digits, 10, &softkmeans.MinVolumeOptions{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("natively, with one worker: %v", time.Since(from).Round(time.Millisecond))
		p.compare(m, labelsOf(t, "digits"))
		p.pictures("scatter", "centers", "memberships", "floors", "trace")
		p.quiet()
	})
}

func sizes(t *testing.T, path string) (raw, packed int64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	go func() {
		z, _ := gzip.NewWriterLevel(w, gzip.BestCompression)
		z.Write(data)
		z.Close()
		w.Close()
	}()
	packed, err = io.Copy(io.Discard, r)
	if err != nil {
		t.Fatal(err)
	}
	return int64(len(data)), packed
}
