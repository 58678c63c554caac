// Command gonum fits iris with softkmeans and draws the flowers with gonum/plot: as mixtures
// of three prototypes, in the triangle of these. The format of the file is that of its name:
// .png, .svg, .pdf.
//
//	cd examples/gonum && go run . iris.png
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"image/color"
	"math"
	"os"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"softkmeans"
	"softkmeans/gonumx"
	"softkmeans/testdata"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run . FILE     FILE ends in .png, .svg or .pdf")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(file string) error {
	data, err := iris()
	if err != nil {
		return err
	}
	x, err := gonumx.Of(data)
	if err != nil {
		return err
	}
	m, err := softkmeans.FitMinVolume(context.Background(), x, 3, nil)
	if err != nil {
		return err
	}
	p, err := triangle(gonumx.Dense(m.Memberships), m.Labels(nil))
	if err != nil {
		return err
	}
	return p.Save(14*vg.Centimeter, 13*vg.Centimeter, file)
}

// iris reads the 150 flowers.
func iris() (*mat.Dense, error) {
	text, err := testdata.Files.ReadFile("iris.csv")
	if err != nil {
		return nil, err
	}
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		return nil, err
	}
	x := mat.NewDense(len(records), len(records[0]), nil)
	for i, record := range records {
		for j, field := range record {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, err
			}
			x.Set(i, j, v)
		}
	}
	return x, nil
}

// corners are where the three prototypes are drawn.
var corners = mat.NewDense(3, 2, []float64{0, 0, 1, 0, 0.5, math.Sqrt(0.75)})

// triangle draws every row at the mixture of the corners that its memberships are.
func triangle(memberships *mat.Dense, labels []int) (*plot.Plot, error) {
	if _, k := memberships.Dims(); k != 3 {
		return nil, errors.New("a triangle is for three prototypes")
	}
	var at mat.Dense
	at.Mul(memberships, corners)
	p := plot.New()
	p.Title.Text = "Iris: flowers as mixtures of three prototypes"
	p.HideAxes()
	sides := make(plotter.XYs, 4)
	for j := range sides {
		sides[j] = plotter.XY{X: corners.At(j%3, 0), Y: corners.At(j%3, 1)}
	}
	line, err := plotter.NewLine(sides)
	if err != nil {
		return nil, err
	}
	line.Color = color.Gray{160}
	p.Add(line)
	colors := []color.Color{color.RGBA{0, 114, 178, 255}, color.RGBA{213, 94, 0, 255}, color.RGBA{0, 158, 115, 255}}
	for j, c := range colors {
		var points plotter.XYs
		for i, label := range labels {
			if label == j {
				points = append(points, plotter.XY{X: at.At(i, 0), Y: at.At(i, 1)})
			}
		}
		if len(points) == 0 {
			continue
		}
		marks, err := plotter.NewScatter(points)
		if err != nil {
			return nil, err
		}
		marks.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(2.5), Shape: draw.CircleGlyph{}}
		p.Add(marks)
		p.Legend.Add(fmt.Sprintf("p%d, %d flowers", j, len(points)), marks)
	}
	p.Legend.Top = true
	return p, nil
}
