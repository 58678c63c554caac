package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	print "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestShots writes pictures of the page, on screen and on paper, to the folder that SHOTS names. In docs,
// browser.png is the top of iris-slack.png, and browser-dark.png the top of digits-dark.png, in 256 colors.
func TestShots(t *testing.T) {
	dir := os.Getenv("SHOTS")
	if dir == "" {
		t.Skip("SHOTS names no folder")
	}
	for _, shot := range []struct {
		name          string
		width, height int64
		dark          bool
		actions       []chromedp.Action
	}{
		{"iris", 1280, 1000, false, nil},
		{"iris-dark", 1280, 1000, true, nil},
		{"iris-narrow", 390, 800, false, nil},
		{"iris-narrow-dark", 390, 800, true, nil},
		{"iris-slack", 1280, 1000, false, []chromedp.Action{slide(30)}},
		{"wine-classes", 1280, 1000, false, []chromedp.Action{click(`[data-set=wine]`), click(`[value=classes]`), click(`#fit`)}},
		{"digits", 1280, 1000, false, []chromedp.Action{click(`[data-set=digits]`)}},
		{"digits-dark", 1280, 1000, true, []chromedp.Action{click(`[data-set=digits]`)}},
		{"breast_cancer", 1280, 1000, false, []chromedp.Action{click(`[data-set=breast_cancer]`)}},
	} {
		t.Run(shot.name, func(t *testing.T) {
			b := open(t, pageOf(t, "go"), shot.width, shot.height)
			scheme := "light"
			if shot.dark {
				scheme = "dark"
			}
			b.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
			if len(shot.actions) > 0 {
				b.after(shot.actions...)
			}
			b.is(`document.body.dataset.path === "done"`)
			var png, pdf []byte
			b.run(chromedp.Sleep(700*time.Millisecond), chromedp.FullScreenshot(&png, 100),
				chromedp.ActionFunc(func(ctx context.Context) (err error) {
					pdf, _, err = print.PrintToPDF().WithPrintBackground(true).Do(ctx)
					return err
				}))
			for name, data := range map[string][]byte{shot.name + ".png": png, shot.name + ".pdf": pdf} {
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			b.quiet()
		})
	}
}

func click(selector string) chromedp.Action { return chromedp.Click(selector, chromedp.ByQuery) }
