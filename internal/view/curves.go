package view

// Curves that a page draws of a fit.

import (
	"strconv"

	"softkmeans"
	"softkmeans/internal/chart"
)

// mostFloors is the number of floors that are drawn; for a larger k it is k+5.
const mostFloors = 40

// FloorCurve draws the least error of 1, 2, … prototypes, which noun names, as fractions of the total, with k and the
// proposed number (0: none) highlighted, and the error of a fit that is not optimal. It is nil for fewer than two
// floors, and if the total is 0 or out of range. The frame needs only its size.
func FloorCurve(f chart.Frame, noun string, floors []float64, total float64, k, proposed int,
	c softkmeans.Certificate) *chart.LinePlot {
	if len(floors) < 2 || !(total > 0) || !Finite(total) {
		return nil
	}
	var y []float64
	for _, v := range floors[:min(len(floors), max(mostFloors, k+5))] {
		y = append(y, v/total)
	}
	f.Title = "The floor for every k"
	f.Desc = "The least fraction of the total that k " + noun + "s can leave unexplained. With " + Count(k, noun) +
		" it is " + Share(c, c.Floor/c.Total) + "."
	f.XLabel, f.YLabel = noun+"s k", "fraction not explained"
	plot := &chart.LinePlot{Frame: f, Series: []chart.Series{{Name: "floor", Y: y, Markers: true}},
		IntegerX:  true,
		Highlight: []float64{float64(k)}, HighlightName: "k = " + strconv.Itoa(k)}
	switch {
	case proposed == k:
		plot.HighlightName += ", as proposed"
	case proposed > 0 && proposed <= len(y):
		plot.Series = append(plot.Series,
			chart.Series{Name: "proposed k = " + strconv.Itoa(proposed), X: []float64{float64(proposed)},
				Y: []float64{y[proposed-1]}, Markers: true})
	}
	if !c.Optimal(CertifiedTol) {
		plot.Series = append(plot.Series, chart.Series{Name: "this fit", X: []float64{float64(k)},
			Y: []float64{c.Objective / total}, Markers: true})
	}
	return plot
}

// Descent is the loss L of a method after every iteration, as [softkmeans.Model].Trace has it.
type Descent struct {
	Name string
	Loss []float64
}

// LossCurve draws how far L is above where it ends, after every iteration, as a share of the
// total variance. L is the squared error with λ/2·Σ log(σ_i² + ε) added, which never rises
// (the paper's Theorem 5, Descent); the squared error alone may. It is nil if no L falls, or
// if total is 0 or out of range. The frame needs only its size.
func LossCurve(f chart.Frame, total float64, runs ...Descent) *chart.LinePlot {
	if !(total > 0) || !Finite(total) {
		return nil
	}
	f.Title = "The loss L of the iterations"
	f.Desc = "The squared error with the penalty on the volume, after every iteration of the run that gave " +
		"the result, less its last value."
	f.XLabel, f.YLabel = "iteration", "(L − its last value) / variance"
	plot := &chart.LinePlot{Frame: f, LogY: true, IntegerX: true}
	for _, run := range runs {
		s := chart.Series{Name: run.Name, Markers: len(run.Loss) <= 40}
		for t, v := range run.Loss {
			above := (v - run.Loss[len(run.Loss)-1]) / total
			if !(above > 0) { // the last value, and those that differ by rounding
				break
			}
			s.X, s.Y = append(s.X, float64(t)), append(s.Y, above)
		}
		if len(s.Y) > 0 {
			plot.Series = append(plot.Series, s)
		}
	}
	if len(plot.Series) == 0 {
		return nil
	}
	return plot
}
