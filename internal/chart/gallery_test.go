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

var gallery = flag.String("gallery", "", "write a page with all kinds of pictures to this file, to be looked at")

// TestGallery draws all kinds of pictures of the data in testdata.
func TestGallery(t *testing.T) {
	var b []byte
	n := 0
	frame := func(title string, width int) Frame {
		n++
		return Frame{ID: "g" + strconv.Itoa(n), Title: title, Desc: "From the data in testdata.", Width: width}
	}
	fits := map[string][2]*softkmeans.Model{}
	for _, w := range []int{0, 340} {
		b = append(b, "<section>"...)
		for _, set := range []struct {
			name string
			k    int
		}{{"iris", 3}, {"wine", 3}, {"breast_cancer", 2}, {"digits", 10}} {
			x, class := load(t, set.name)
			classes := []string{"setosa", "versicolor", "virginica"}
			if set.name != "iris" {
				classes = nil
			}
			if _, ok := fits[set.name]; !ok {
				m, err := softkmeans.FitMinVolume(context.Background(), x, set.k, nil)
				if err != nil {
					t.Fatal(err)
				}
				g, err := softkmeans.Fit(context.Background(), x, set.k, nil)
				if err != nil {
					t.Fatal(err)
				}
				fits[set.name] = [2]*softkmeans.Model{m, g}
			}
			m, g := fits[set.name][0], fits[set.name][1]
			floors, err := softkmeans.Floors(x)
			if err != nil {
				t.Fatal(err)
			}
			col := func(m *softkmeans.Matrix, j int) (c []float64) {
				for i := range m.Rows {
					c = append(c, m.At(i, j))
				}
				return c
			}
			i, j := 0, min(2, x.Cols-1)
			if set.name == "digits" {
				i, j = 20, 43
			}
			labels := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}[:set.k]
			sp := ScatterPlot{Frame: frame(set.name+": two columns of the data, by class", w), X: col(x, i), Y: col(x, j), Class: class, Classes: classes, EqualScale: set.name == "iris",
				Outlines: []Outline{
					{Name: "global", Style: "global", X: col(g.Centers, i), Y: col(g.Centers, j)},
					{Name: "minimal volume", Style: "current", X: col(m.Centers, i), Y: col(m.Centers, j), Labels: labels}}}
			sp.XLabel, sp.YLabel = "column "+strconv.Itoa(i+1), "column "+strconv.Itoa(j+1)
			b = Scatter(b, &sp)
			if set.k == 3 {
				b = Ternary(b, &TernaryPlot{Frame: frame(set.name+": memberships", w), Memberships: m.Memberships.Data, Class: class, Classes: classes,
					Corners: [3]string{"first", "second, with a longer name", "third, with a longer name"}})
			}
			lp := LinePlot{Frame: frame(set.name+": floor for every k", w), Series: []Series{{Name: "floor", Y: floors, Markers: true}}, LogY: true, IntegerX: true,
				Highlight: []float64{float64(set.k)}, HighlightName: "proposed k"}
			lp.XLabel, lp.YLabel = "k", "squared error"
			b = Lines(b, &lp)
			cp := LinePlot{Frame: frame(set.name+": centers", w), IntegerX: true}
			if x.Cols <= 13 {
				for j := range x.Cols {
					cp.XNames = append(cp.XNames, "column "+strconv.Itoa(j+1))
				}
			}
			for i := range set.k {
				cp.Series = append(cp.Series, Series{Name: "center " + strconv.Itoa(i+1), Y: m.Centers.Row(i), Markers: x.Cols < 20})
			}
			b = Lines(b, &cp)
			mp := MixturePlot{Frame: frame(set.name+": memberships of all rows", w), Memberships: m.Memberships.Data, K: set.k}
			mp.XLabel = "rows, by cluster"
			b = Mixtures(b, &mp)
			if set.name == "digits" {
				b = Tiles(b, &TilePlot{Frame: frame("digits: centers", w), Values: m.Centers.Data, Rows: 8, Cols: 8})
			}
		}
		b = Lines(b, &LinePlot{Frame: frame("trace of an iteration that ends in 0, on a logarithmic axis, with a title that takes more than one line", w), LogY: true,
			Series: []Series{{Name: "objective", Y: []float64{3e5, 2e4, 1000, 2, .5, .01, 1e-5, 0, 0}}, {Name: "penalty", Y: []float64{1, 2, 2.5, math.NaN(), 4, 3, 3, 3, 3}, Markers: true}}})
		big := ScatterPlot{Frame: frame("100 000 rows", w)}
		for i := range 100000 {
			u, v := math.Sincos(float64(i) * 1.7)
			big.X, big.Y, big.Class = append(big.X, 1e150*u*float64(i)), append(big.Y, 1e-150*v*float64(i)), append(big.Class, i%12)
		}
		b = Scatter(b, &big)
		b = append(b, "</section>"...)
	}
	parse(t, b)
	if *gallery == "" {
		return
	}
	var page bytes.Buffer
	page.WriteString("<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'><style>" + Style +
		"body{margin:0}section{display:flex;flex-wrap:wrap;align-items:flex-start;gap:8px;padding:8px}div{background:var(--sk-paper)}div[data-theme=light]{color:#1b1f24}div[data-theme=dark]{color:#e6e8eb}</style>")
	for _, theme := range []string{"light", "dark"} {
		page.WriteString("<div data-theme=" + theme + ">" + strings.NewReplacer(`id="g`, `id="`+theme+"g", `by="g`, `by="`+theme+`g`).Replace(string(b)) + "</div>")
	}
	if err := os.WriteFile(*gallery, page.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
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
