package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"softkmeans"
	"softkmeans/internal/chart"
	"softkmeans/internal/la"
	"softkmeans/internal/view"
)

// toyPoints is how many points MATLAB's fcmdata.dat has, which the paper's figure shows.
const toyPoints = 140

// toyData returns points in about the unit square: k clouds of equal size on a circle.
func toyData(k int, seed uint64) *softkmeans.Matrix {
	rng := rand.New(rand.NewPCG(seed, 0x70f))
	x := softkmeans.NewMatrix(toyPoints, 2, nil)
	for i := range x.Rows {
		sin, cos := math.Sincos(2*math.Pi*float64(i%k)/float64(k) + .6)
		x.Set(i, 0, .5+.28*cos+.09*rng.NormFloat64())
		x.Set(i, 1, .5+.28*sin+.09*rng.NormFloat64())
	}
	return x
}

// toyFit is the result of one method.
type toyFit struct {
	name string
	*softkmeans.Model
}

func (c *config) toyFits(x *softkmeans.Matrix, k int) ([]toyFit, error) {
	centers, labels, err := bestKMeans(x, k, 0)
	if err != nil {
		return nil, err
	}
	hard := softkmeans.NewMatrix(x.Rows, k, nil) // memberships of 0 and 1
	for i, a := range labels {
		hard.Set(i, a, 1)
	}
	certificate, err := softkmeans.Certify(context.Background(), x, centers, hard, nil)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	alternating, err1 := softkmeans.FitAlternating(ctx, x, k, nil)
	global, err2 := softkmeans.Fit(ctx, x, k, nil)
	compact, err3 := softkmeans.FitMinVolume(ctx, x, k, &softkmeans.MinVolumeOptions{Slack: c.slack, Lambda: c.lambda})
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, err
	}
	first := &softkmeans.Model{Centers: centers, Memberships: hard, Certificate: certificate}
	return []toyFit{ // in the order of k-means' centers
		{"k-means", first}, {"SkM-AM", view.Match(alternating, first)}, {"SkM-Global", view.Match(global, first)}, {"MVSkM", view.Match(compact, first)},
	}, nil
}

// outside returns how far each center is from the convex hull of the rows of x: 0 inside.
func outside(x, centers *softkmeans.Matrix) ([]float64, error) {
	g, err := softkmeans.SimplexLeastSquares(nil, centers, x, nil)
	if err != nil {
		return nil, err
	}
	far := make([]float64, centers.Rows)
	for a := range far {
		nearest := make([]float64, x.Cols)
		for i, share := range g.Row(a) {
			for j, v := range x.Row(i) {
				nearest[j] += share * v
			}
		}
		if far[a] = math.Sqrt(la.SquaredDistance(nearest, centers.Row(a))); far[a] < 1e-6 { // rounding
			far[a] = 0
		}
	}
	return far, nil
}

// toy prints and draws Figure 2.
func toy(c *config, out io.Writer) error {
	k := 2
	if c.k > 0 {
		k = c.k
	}
	x := toyData(k, c.seed)
	fits, err := c.toyFits(x, k)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "| method | squared error | centers | outside of the hull by |\n| --- | --: | --- | --- |")
	for _, f := range fits {
		far, err := outside(x, f.Centers)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %.4f | ", f.name, f.Objective)
		for a := range k {
			fmt.Fprintf(out, "(%.3f, %.3f) ", f.Centers.At(a, 0), f.Centers.At(a, 1))
		}
		fmt.Fprintf(out, "| %.3f |\n", far)
	}
	if c.page == "" {
		return nil
	}
	return writePage(c.page, "Figure 2: the centers of four methods",
		"Points have the color of their largest membership, and are paler where it is smaller. Lines join the centers.", toyPictures(x, fits))
}

// toyPictures has a panel for each method, all with the same axes.
func toyPictures(x *softkmeans.Matrix, fits []toyFit) (pictures []byte) {
	column := func(m *softkmeans.Matrix, j int) (v []float64) {
		for i := range m.Rows {
			v = append(v, m.At(i, j))
		}
		return v
	}
	var shownX, shownY []float64
	for _, f := range fits {
		shownX, shownY = append(shownX, column(f.Centers, 0)...), append(shownY, column(f.Centers, 1)...)
	}
	for i, f := range fits {
		names := view.Names(f.Centers.Rows)
		pictures = chart.Scatter(pictures, &chart.ScatterPlot{
			Frame: chart.Frame{ID: fmt.Sprint("toy-", i), Title: f.name, Width: 420, Height: 420, Desc: "140 points and the centers of " + f.name + "."},
			X:     column(x, 0), Y: column(x, 1), Class: f.Labels(nil), Classes: names, AllClasses: true, Opacity: view.Opacity(f.Memberships),
			Outlines:   []chart.Outline{{Name: "centers", Style: "current", X: column(f.Centers, 0), Y: column(f.Centers, 1), Labels: names}},
			EqualScale: true, XShown: shownX, YShown: shownY,
		})
	}
	return pictures
}
