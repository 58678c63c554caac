package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestShots writes pictures of the page to the folder that SHOTS names.
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
		{"iris", 1360, 1000, false, nil},
		{"iris-dark", 1360, 1000, true, nil},
		{"iris-narrow", 360, 800, false, nil},
		{"iris-slack", 1360, 1000, false, []chromedp.Action{slide(30)}},
		{"wine-classes", 1360, 1000, false, []chromedp.Action{click(`[data-set=wine]`), click(`[value=classes]`), click(`#fit`)}},
		{"digits", 1360, 1000, false, []chromedp.Action{click(`[data-set=digits]`)}},
		{"digits-dark", 1360, 1000, true, []chromedp.Action{click(`[data-set=digits]`)}},
		{"breast_cancer", 1360, 1000, false, []chromedp.Action{click(`[data-set=breast_cancer]`)}},
	} {
		t.Run(shot.name, func(t *testing.T) {
			p := open(t, pageOf(t, "go"), shot.width, shot.height)
			scheme := "light"
			if shot.dark {
				scheme = "dark"
			}
			p.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
			if len(shot.actions) > 0 {
				p.after(shot.actions...)
			}
			var png []byte
			p.run(chromedp.Sleep(700*time.Millisecond), chromedp.FullScreenshot(&png, 100))
			if err := os.WriteFile(filepath.Join(dir, shot.name+".png"), png, 0o666); err != nil {
				t.Fatal(err)
			}
			p.quiet()
		})
	}
}

func click(selector string) chromedp.Action { return chromedp.Click(selector, chromedp.ByQuery) }
