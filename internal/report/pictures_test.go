package report

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/scale"
)

// Rows that are pictures are drawn as tiles, and their table is folded.
func TestImages(t *testing.T) {
	if testing.Short() {
		t.Skip("fits ten clusters")
	}
	in := set(t, "digits", scale.None)
	in.Image = Image{Rows: 8, Cols: 8}
	page, _ := made(t, in, 10)
	if n := strings.Count(page, `class="sk-chart sk-tiles"`); n != 2 {
		t.Errorf("%d pictures of tiles", n)
	}
	if strings.Contains(page, "the table's own units") || !strings.Contains(page, "Each has axes of its own") {
		t.Error("pixels have a table, or the simplex has the data's axes")
	}
	in.Image.Cols = 9
	if _, err := HTML(in); err == nil {
		t.Error("64 columns are pictures of 72 pixels")
	}
}

// The three panels have the same axes where the page says so, also if a prototype is
// empty in one of them.
func TestSameAxes(t *testing.T) {
	tick := regexp.MustCompile(`<text x="[-\d.]+" y="[-\d.]+" class="sk-tick"[^<]*`)
	empty, others := 0, 0
	for k := 2; k <= 9; k++ {
		in := set(t, "iris", scale.ZScore)
		page, _ := made(t, in, k)
		if !strings.Contains(page, "The three have the same axes.") {
			continue
		}
		for _, w := range in.MinVolume.Model.Warnings {
			switch w.Kind {
			case softkmeans.WarnEmpty:
				empty++
			case softkmeans.WarnLabels:
				others++
			}
		}
		if dotted := strings.Contains(page, "Dotted: the prototypes of such fits"); dotted != (in.MinVolume.Model.Others != nil) || dotted != strings.Contains(page, `class="sk-outline sk-previous"`) {
			t.Errorf("k = %d: other answers are %v", k, dotted)
		}
		for _, suffix := range []string{"", "-classes"} {
			var first string
			for i := range 3 {
				_, rest, ok := strings.Cut(page, ` id="plane-`+strconv.Itoa(i)+suffix+`"`)
				svg, _, _ := strings.Cut(rest, "</svg>")
				ticks := strings.Join(tick.FindAllString(svg, -1), "\n")
				if i == 0 {
					first = ticks
				}
				if !ok || len(ticks) < 100 || ticks != first {
					t.Errorf("k = %d: panel %d%s has the axes\n%s\nnot\n%s", k, i, suffix, ticks, first)
				}
			}
		}
	}
	if empty == 0 || others == 0 || others == 8 {
		t.Errorf("%d prototypes are empty, %d pages have other answers", empty, others)
	}
}

// Too many lines are drawn as strips instead.
func TestStrips(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ cols, k, want int }{{300, 9, 2}, {300, 6, 0}, {100, 9, 0}} {
		in := input(60, c.cols, func(i, j int) float64 {
			if i%c.k == j%c.k {
				return 5
			}
			return .1 * r.NormFloat64()
		})
		if page, _ := made(t, in, c.k); strings.Count(page, "a strip each, column by column</title>") != c.want {
			t.Errorf("%d prototypes of %d columns are %d pictures of strips", c.k, c.cols, strings.Count(page, "a strip each, column by column</title>"))
		}
	}
}
