package e2e

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// largeFile writes a table of 50 MB: mixtures of five prototypes, and noise.
func largeFile(t *testing.T, rows, cols int) string {
	path := filepath.Join(tempDir(t), "large.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	r := rand.New(rand.NewPCG(1, 2))
	const k = 5
	centers := make([]float64, k*cols)
	for i := range centers {
		centers[i] = 10 * r.Float64()
	}
	for range rows {
		var g [k]float64
		sum := 0.0
		for j := range g {
			e := r.ExpFloat64()
			g[j] = e * e
			sum += g[j]
		}
		for j := range cols {
			v := .1 * r.NormFloat64()
			for i, m := range g {
				v += m / sum * centers[i*cols+j]
			}
			fmt.Fprintf(w, "%.5f", v)
			if j+1 < cols {
				w.WriteByte(',')
			}
		}
		w.WriteByte('\n')
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return path
}

// cpu is the time that the browser's processes have computed, by /proc; 0 where there is
// none. A busy machine changes it less than the time by the clock.
func (p *page) cpu() (sum time.Duration) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	parent, ticks := map[string]string{}, map[string]int{}
	for _, path := range all {
		text, _ := os.ReadFile(path)
		_, after, _ := strings.Cut(string(text), ") ")
		if f := strings.Fields(after); len(f) > 12 {
			pid := filepath.Base(filepath.Dir(path))
			user, _ := strconv.Atoi(f[11])
			system, _ := strconv.Atoi(f[12])
			parent[pid], ticks[pid] = f[1], user+system
		}
	}
	own := strconv.Itoa(chromedp.FromContext(p.ctx).Browser.Process().Pid)
	for pid, n := range ticks {
		for at := pid; at != ""; at = parent[at] {
			if at == own {
				sum += time.Duration(n) * 10 * time.Millisecond
			}
		}
	}
	return sum
}

// watchSteps notes whether the results of the table before are dimmed while the page tells of a step.
const watchSteps = `{window.seen = {}; const at = document.getElementById("progress-text");
	new MutationObserver(() => { const [step] = at.textContent.match(/^(Reading(?=: )|Fitting)/) ?? ["other"];
		seen[step] ??= document.getElementById("certificate").classList.contains("outdated") ? "dimmed" : "not dimmed" })
		.observe(at, {childList: true})}`

// A table of 50 MB is read, fitted and shown, with progress, and the slider works. Times
// are logged, not judged: the machine may be busy.
func TestLarge(t *testing.T) {
	path := largeFile(t, 100_000, 64)
	eachBuild(t, func(t *testing.T, dir string) {
		p := open(t, dir, 1360, 900)
		var before string
		p.eval("document.body.dataset.fit", &before)
		from, used := time.Now(), p.cpu()
		p.run(chromedp.Evaluate(watchSteps, nil), chromedp.SetUploadFiles("#file", []string{path}, chromedp.ByQuery))
		p.is(`seen.Fitting`)
		t.Logf("read after %v, %v of processor", time.Since(from).Round(time.Millisecond), p.cpu()-used)
		p.is(fmt.Sprintf(`document.body.dataset.fit !== %q && document.getElementById("cancel").disabled`, before))
		t.Logf("read, fitted and shown after %v, %v of processor: %s, %s",
			time.Since(from).Round(time.Millisecond), p.cpu()-used, p.text("verdict"), p.text("time"))
		var seen struct{ Reading, Fitting string }
		p.eval("seen", &seen)
		if seen.Reading != "dimmed" || seen.Fitting != "dimmed" || p.outdated() {
			t.Errorf("the results are dimmed, or not: %v, and at last: %v", seen, p.outdated())
		}
		p.pictures("scatter", "centers", "memberships", "floors", "trace")
		p.is(`document.body.dataset.path === "done"`)
		t.Logf("the slider is ready after %v, %v of processor", time.Since(from).Round(time.Millisecond), p.cpu()-used)
		p.eval("document.body.dataset.fit", &before)
		p.run(slide(80))
		p.is(fmt.Sprintf(`document.body.dataset.fit !== %q && document.getElementById("cancel").disabled`, before))
		if got := p.number("above"); got < 55 || got > 70 {
			t.Errorf("with a slack of 64 %% it is %v %% above the floor", got)
		}

		// Stop ends the reading.
		p.run(chromedp.Evaluate(`document.getElementById("file").value = ""`, nil), cancelAt("progress-text", "Reading: "),
			chromedp.SetUploadFiles("#file", []string{path}, chromedp.ByQuery))
		p.fails("Cancelled. large.csv has not been read.")
		p.quiet()
	})
}
