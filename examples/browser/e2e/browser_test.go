package e2e

// Helpers of all tests: the page, built and served, and a browser that records requests
// and messages.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const root = "../../.."

// hang is more than any one step takes on a busy machine. What takes longer has stopped.
const hang = 5 * time.Minute

// chromium is the browser's path; without one the test is skipped.
func chromium(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no Chromium: install it, or name it in CHROMIUM")
	return ""
}

// eachBuild runs the test with the page as each compiler builds it.
func eachBuild(t *testing.T, test func(t *testing.T, dir string)) {
	chromium(t)
	for _, build := range []string{"go", "tinygo"} {
		t.Run(build, func(t *testing.T) { test(t, pageOf(t, build)) })
	}
}

var builds = map[string]func() (string, error){
	"go":     sync.OnceValues(func() (string, error) { return buildPage() }),
	"tinygo": sync.OnceValues(func() (string, error) { return buildPage("-tinygo") }),
}

var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "softkmeans-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

func pageOf(t *testing.T, build string) string {
	t.Helper()
	if _, err := exec.LookPath(build); err != nil {
		t.Skipf("there is no %s command", build)
	}
	dir, err := builds[build]()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// buildPage returns the folder of a page: of SOFTKMEANS_PAGES, if it is there, else built with the flags of serve.
func buildPage(flags ...string) (string, error) {
	name := "page" + strings.Join(flags, "")
	dir := filepath.Join(os.Getenv("SOFTKMEANS_PAGES"), name)
	if _, err := os.Stat(filepath.Join(dir, "index.html")); err == nil {
		return dir, nil
	}
	dir = filepath.Join(scratch, name)
	cmd := exec.Command("go", append([]string{"run", "./examples/browser/serve", "-o", dir}, flags...)...)
	cmd.Dir = root
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("serve -o: %w\n%s", err, said)
	}
	return dir, nil
}

// tempDir is used instead of t.TempDir, which cannot be removed while files are in use.
func tempDir(t *testing.T) string {
	dir, err := os.MkdirTemp(scratch, "")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// page is the page in a new browser.
type page struct {
	*testing.T
	ctx       context.Context
	url       string
	downloads string

	mu     sync.Mutex
	hosts  map[string]bool // that were asked for something
	noises []string        // on the console
	saved  chan string     // names of finished downloads
}

// open loads the page and waits for its first fit, of iris.
func open(t *testing.T, dir string, width, height int64, flags ...chromedp.ExecAllocatorOption) *page {
	t.Helper()
	// A path below the root: the page must not depend on where it is.
	server := httptest.NewServer(http.StripPrefix("/some/where/", http.FileServer(http.Dir(dir))))
	t.Cleanup(server.Close)
	options := append([]chromedp.ExecAllocatorOption{
		chromedp.ExecPath(chromium(t)), chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("hide-scrollbars", true), chromedp.UserDataDir(tempDir(t)),
		chromedp.WindowSize(int(width), int(height)), chromedp.WSURLReadTimeout(hang),
	}, flags...)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if end, ok := t.Deadline(); ok {
		ctx, cancel = context.WithDeadline(ctx, end.Add(-10*time.Second)) // so that it can say what it waited for
		t.Cleanup(cancel)
	}
	p := &page{T: t, ctx: ctx, url: server.URL + "/some/where/", downloads: tempDir(t), hosts: map[string]bool{}, saved: make(chan string, 16)}
	chromedp.ListenTarget(ctx, p.listen)
	p.run(
		network.Enable(), runtime.Enable(), log.Enable(),
		browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllowAndName).WithDownloadPath(p.downloads).WithEventsEnabled(true),
		chromedp.EmulateViewport(width, height),
		chromedp.Navigate(p.url),
	)
	chromedp.ListenBrowser(ctx, p.listen)
	p.fitted("")
	return p
}

func (p *page) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.hosts[e.Request.URL] = true
	case *runtime.EventConsoleAPICalled:
		var words []string
		for _, a := range e.Args {
			words = append(words, string(a.Value)+a.Description)
		}
		p.noises = append(p.noises, string(e.Type)+": "+strings.Join(words, " "))
	case *runtime.EventExceptionThrown:
		p.noises = append(p.noises, "exception: "+e.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		p.noises = append(p.noises, string(e.Entry.Level)+": "+e.Entry.Text+" "+e.Entry.URL)
	case *browser.EventDownloadProgress:
		if e.State == browser.DownloadProgressStateCompleted {
			p.saved <- e.GUID
		}
	}
}

func (p *page) run(actions ...chromedp.Action) {
	p.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

// text is the text of an element, shown or hidden.
func (p *page) text(id string) (s string) {
	p.Helper()
	p.run(chromedp.Evaluate(fmt.Sprintf("document.getElementById(%q).textContent", id), &s))
	return strings.TrimSpace(s)
}

// eval evaluates an expression, and waits for it if it is a promise.
func (p *page) eval(expression string, to any) {
	p.Helper()
	p.run(chromedp.Evaluate(expression, to, awaited))
}

// is waits for an expression to be true, and to stay so until the test does something: a state that ends by
// itself may end between two looks.
func (p *page) is(expression string) {
	p.Helper()
	err := chromedp.Run(p.ctx, chromedp.Poll(expression, nil, chromedp.WithPollingTimeout(hang), chromedp.WithPollingInterval(10*time.Millisecond)))
	if errors.Is(err, chromedp.ErrPollingTimeout) {
		p.Fatalf("never: %s\nerror: %s\nverdict: %s\nprogress: %s", expression, p.text("error"), p.text("verdict"), p.text("progress-text"))
	}
	if err != nil {
		p.Fatal(err)
	}
}

// cancelAt returns an action that makes the page click on Stop as soon as an element has a text, which may be
// there for a moment only.
func cancelAt(id, text string) chromedp.Action {
	return chromedp.Evaluate(fmt.Sprintf(`{const at = document.getElementById(%q);
		new MutationObserver((_, all) => { if (at.textContent.includes(%q)) { all.disconnect(); document.getElementById("cancel").click() } })
			.observe(at, {childList: true, characterData: true, subtree: true})}`, id, text), nil)
}

// fitted waits for a fit other than the given one, and returns its number.
func (p *page) fitted(but string) (number string) {
	p.Helper()
	p.is(fmt.Sprintf(`document.body.dataset.fit && document.body.dataset.fit !== %q && document.getElementById("cancel").disabled`, but))
	p.eval("document.body.dataset.fit", &number)
	return number
}

// after does something that leads to another fit, and waits for it.
func (p *page) after(actions ...chromedp.Action) {
	p.Helper()
	var now string
	p.eval("document.body.dataset.fit", &now)
	p.run(actions...)
	p.fitted(now)
}

// quiet fails the test if there is a message on the console, or a request to another
// host.
func (p *page) quiet() {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.noises {
		p.Errorf("on the console: %s", s)
	}
	for url := range p.hosts {
		if !strings.HasPrefix(url, p.url) && !strings.HasPrefix(url, "blob:"+strings.TrimSuffix(p.url, "some/where/")) && url != "data:," {
			p.Errorf("a request to %s", url)
		}
	}
	if len(p.hosts) < 5 {
		p.Errorf("only %d requests were seen: %v", len(p.hosts), p.hosts)
	}
}

// awaited waits for a promise.
func awaited(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }
