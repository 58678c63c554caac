package chart

import (
	"bytes"
	"context"
	"flag"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/table"
)

var gallery = flag.String("gallery", "", "write a page with all kinds of pictures to this `file`")

// TestGallery draws all kinds of pictures of the data in testdata, in two widths.
func TestGallery(t *testing.T) {
	sets := []gallerySet{{name: "iris", k: 3, classes: []string{"setosa", "versicolor", "virginica"}},
		{name: "wine", k: 3}, {name: "breast_cancer", k: 2}, {name: "digits", k: 10}}
	for i := range sets {
		sets[i].fit(t)
	}
	g := &galleryPage{}
	for _, w := range []int{0, 340} {
		g.width = w
		g.b = append(g.b, "<section>"...)
		for i := range sets {
			g.set(&sets[i])
		}
		g.extremes()
		g.b = append(g.b, "</section>"...)
	}
	parse(t, g.b)
	if *gallery == "" {
		return
	}
	var page bytes.Buffer
	page.WriteString("<!doctype html><meta charset=utf-8><meta name=viewport " +
		"content='width=device-width'><style>" + Style +
		"body{margin:0}section{display:flex;flex-wrap:wrap;align-items:flex-start;gap:8px;padding:8px}" +
		"div{background:var(--sk-paper)}" +
		"div[data-theme=light]{color:#1b1f24}div[data-theme=dark]{color:#e6e8eb}</style>")
	for _, theme := range []string{"light", "dark"} {
		page.WriteString("<div data-theme=" + theme + ">" + strings.NewReplacer(`id="g`, `id="`+theme+"g",
			`by="g`, `by="`+theme+`g`).Replace(string(g.b)) + "</div>")
	}
	if err := os.WriteFile(*gallery, page.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// gallerySet is a data set of the gallery and what was computed from it.
type gallerySet struct {
	name      string
	k         int
	classes   []string
	x         *softkmeans.Matrix
	class     []int
	m, global *softkmeans.Model
	floors    []float64
}

func (s *gallerySet) fit(t *testing.T) {
	var err error
	s.x, s.class = load(t, s.name)
	if *gallery == "" && s.x.Rows > 200 { // none looks at them
		s.x, s.class = softkmeans.NewMatrix(200, s.x.Cols, s.x.Data[:200*s.x.Cols]), s.class[:200]
	}
	if s.m, err = softkmeans.FitMinVolume(context.Background(), s.x, s.k, nil); err != nil {
		t.Fatal(err)
	}
	if s.global, err = softkmeans.Fit(context.Background(), s.x, s.k, nil); err != nil {
		t.Fatal(err)
	}
	if s.floors, err = softkmeans.Floors(context.Background(), s.x, nil); err != nil {
		t.Fatal(err)
	}
}

// galleryPage appends pictures of one width to b.
type galleryPage struct {
	b        []byte
	pictures int
	width    int
}

func (g *galleryPage) frame(title string) Frame {
	g.pictures++
	return Frame{ID: "g" + strconv.Itoa(g.pictures), Title: title,
		Desc: "From the data in testdata.", Width: g.width}
}

func (g *galleryPage) set(s *gallerySet) {
	col := func(m *softkmeans.Matrix, j int) (c []float64) {
		for i := range m.Rows {
			c = append(c, m.At(i, j))
		}
		return c
	}
	i, j := 0, min(2, s.x.Cols-1)
	if s.name == "digits" {
		i, j = 20, 43
	}
	labels := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}[:s.k]
	sp := ScatterPlot{Frame: g.frame(s.name + ": two columns of the data, by class"), X: col(s.x, i),
		Y: col(s.x, j), Class: s.class, Classes: s.classes, EqualScale: s.name == "iris",
		Outlines: []Outline{
			{Name: "global", Style: "global", X: col(s.global.Centers, i), Y: col(s.global.Centers, j)},
			{Name: "minimal volume", Style: "current", X: col(s.m.Centers, i),
				Y: col(s.m.Centers, j), Labels: labels}}}
	sp.XLabel, sp.YLabel = "column "+strconv.Itoa(i+1), "column "+strconv.Itoa(j+1)
	g.b = Scatter(g.b, &sp)
	if s.k == 3 {
		g.b = Ternary(g.b, &TernaryPlot{Frame: g.frame(s.name + ": memberships"),
			Memberships: s.m.Memberships.Data, Class: s.class, Classes: s.classes,
			Corners: [3]string{"first", "second, with a longer name", "third, with a longer name"}})
	}
	lp := LinePlot{Frame: g.frame(s.name + ": floor for every k"),
		Series: []Series{{Name: "floor", Y: s.floors, Markers: true}}, LogY: true, IntegerX: true,
		Highlight: []float64{float64(s.k)}, HighlightName: "proposed k"}
	lp.XLabel, lp.YLabel = "k", "squared error"
	g.b = Lines(g.b, &lp)
	cp := LinePlot{Frame: g.frame(s.name + ": centers"), IntegerX: true}
	if s.x.Cols <= 13 {
		for j := range s.x.Cols {
			cp.XNames = append(cp.XNames, "column "+strconv.Itoa(j+1))
		}
	}
	for i := range s.k {
		cp.Series = append(cp.Series, Series{Name: "center " + strconv.Itoa(i+1),
			Y: s.m.Centers.Row(i), Markers: s.x.Cols < 20})
	}
	g.b = Lines(g.b, &cp)
	mp := MixturePlot{Frame: g.frame(s.name + ": memberships of all rows"),
		Memberships: s.m.Memberships.Data, K: s.k}
	mp.XLabel = "rows, by cluster"
	g.b = Mixtures(g.b, &mp)
	if s.name == "digits" {
		g.b = Tiles(g.b, &TilePlot{Frame: g.frame("digits: centers"),
			Values: s.m.Centers.Data, Rows: 8, Cols: 8})
	}
}

// extremes draws a long title, gaps, many points and values far apart.
func (g *galleryPage) extremes() {
	g.b = Lines(g.b, &LinePlot{Frame: g.frame("trace of an iteration that ends in 0, on a logarithmic " +
		"axis, with a title that takes more than one line"), LogY: true,
		Series: []Series{{Name: "objective", Y: []float64{3e5, 2e4, 1000, 2, .5, .01, 1e-5, 0, 0}},
			{Name: "penalty", Y: []float64{1, 2, 2.5, math.NaN(), 4, 3, 3, 3, 3}, Markers: true}}})
	big := ScatterPlot{Frame: g.frame("10 000 rows")}
	for i := range 10000 {
		u, v := math.Sincos(float64(i) * 1.7)
		big.X, big.Y, big.Class = append(big.X, 1e150*u*float64(i)),
			append(big.Y, 1e-150*v*float64(i)), append(big.Class, i%12)
	}
	g.b = Scatter(g.b, &big)
}

func load(t *testing.T, name string) (*softkmeans.Matrix, []int) {
	t.Helper()
	read := func(name string) *table.Table {
		f, err := os.Open("../../testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		x, err := table.Read(f, name, table.Dialect{})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := read(name + ".csv")
	var class []int
	for _, v := range read(name + ".labels.csv").Data {
		class = append(class, int(v))
	}
	return softkmeans.NewMatrix(x.Rows, len(x.Names), x.Data), class
}
