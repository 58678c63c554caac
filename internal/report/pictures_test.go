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
	in := set(t, "digits", scale.None)
	in.Table.Rows, in.Table.Class = 150, in.Table.Class[:150]
	in.X = softkmeans.NewMatrix(150, 64, in.Table.Data[:150*64])
	in.Image = Image{Rows: 8, Cols: 8}
	page, _ := made(t, in, 10)
	if n := strings.Count(page, `class="sk-chart sk-tiles"`); n != 2 {
		t.Errorf("%d pictures of tiles", n)
	}
}

// What lies under the pointer has a text: rows by their id, prototypes, bars and lines.
func TestTips(t *testing.T) {
	in := set(t, "iris", scale.None)
	for i := range in.Table.Rows {
		in.Table.IDs = append(in.Table.IDs, "flower <"+strconv.Itoa(i)+">")
	}
	page, all := made(t, in, 3)
	var texts []string
	for _, e := range named(all, "title") {
		texts = append(texts, e.text)
	}
	got := strings.Join(texts, "\n")
	for want, least := range map[string]int{
		`flower <149>: p\d [\d.]+ %`: 10, `p0: c\d [\d.]+, c\d`: 3,
		`c1: p\d [\d.]+; p\d [\d.]+; p\d [\d.]+`: 1, `c1: cluster \d [\d.]+; cluster \d [\d.]+; `: 1,
		`prototypes k 2: floor 0\.\d+`: 1, `iteration 1: `: 1,
	} {
		if n := len(regexp.MustCompile(want).FindAllString(got, -1)); n < least {
			t.Errorf("%d texts %s in %.2000s", n, want, got)
		}
	}
	if len(page) > 1<<19 {
		t.Errorf("it has %d bytes", len(page))
	}
}

// More than ten prototypes have colors with textures.
func TestManyPrototypes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	in := input(40, 25, func(i, j int) float64 {
		if i%13 == j {
			return 9
		}
		return .1 * r.NormFloat64()
	})
	page, _ := made(t, in, 13)
	for _, want := range []string{"the 20 most telling of 25 columns</title>", `fill="url(#memberships-0-t12)"`, `class="wide"`, ">p12</text>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// Large values are ink on mostly empty paper, else light; invert changes it, transpose
// the order of the pixels.
func TestPolarity(t *testing.T) {
	for _, c := range []struct {
		empty float64 // the share of pixels without ink
		at    Image
		want  bool
	}{{.9, Image{}, false}, {.1, Image{}, true}, {.9, Image{Invert: true}, true},
		{.1, Image{Invert: true, Transpose: true}, false}} {
		in := input(40, 6, func(i, j int) float64 {
			if float64((i*7+j*3)%20) < 20*c.empty {
				return 0
			}
			return float64(8 + (i+j)%3)
		})
		c.at.Rows, c.at.Cols = 2, 3
		in.Image = c.at
		page, _ := made(t, in, 2)
		if got := strings.Contains(page, `class="sk-light"`); got != c.want ||
			strings.Contains(page, "(white)") != c.want {
			t.Errorf("%+v: large values are light: %v", c, got)
		}
	}
	at := Image{Rows: 2, Cols: 3, Transpose: true}
	for p, want := range []int{0, 2, 4, 1, 3, 5} {
		if got := at.column(p); got != want {
			t.Errorf("pixel %d is in column %d", p, got)
		}
	}
}
