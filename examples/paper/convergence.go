package main

import (
	"context"
	"fmt"
	"io"

	"softkmeans"
	"softkmeans/internal/chart"
	"softkmeans/internal/la"
	"softkmeans/internal/sets"
	"softkmeans/internal/view"
)

// mostSteps is enough for steps without momentum.
const mostSteps = 20000

// descent is a run of a method.
type descent struct {
	name string
	*softkmeans.Model
}

// descents runs both methods with momentum and without, all from the same centers. MVSkM has the λ and ε
// that the slack rule found, so that L is one function from the start on.
func (c *config) descents(t *sets.Labeled) (all []descent, err error) {
	ctx := context.Background()
	global, err := softkmeans.Fit(ctx, t.X, t.K, nil)
	if err != nil {
		return nil, err
	}
	// Random rows on the plane of the global solution, since runs with momentum may begin in leading
	// directions.
	start := la.Product(randomRows(global.Memberships, t.K, c.seed), global.Centers)
	alternating := softkmeans.MinVolumeOptions{MaxIter: mostSteps, Centers: start}
	for _, alternating.Plain = range []bool{false, true} {
		m, err := softkmeans.FitAlternating(ctx, t.X, t.K, &alternating)
		if err != nil {
			return nil, err
		}
		all = append(all, descent{"SkM-AM", m})
	}
	o := softkmeans.MinVolumeOptions{MaxIter: mostSteps, Centers: start, Slack: c.slack, Lambda: c.lambda}
	m, err := softkmeans.FitMinVolume(ctx, t.X, t.K, &o)
	if err != nil {
		return nil, err
	}
	o.Lambda, o.Epsilon, o.Volume = m.Lambda, m.Epsilon, m.Volume
	for _, o.Plain = range []bool{false, true} {
		if m.Lambda > 0 { // λ = 0: pure samples, found without a step
			if m, err = softkmeans.FitMinVolume(ctx, t.X, t.K, &o); err != nil {
				return nil, err
			}
		}
		all = append(all, descent{"MVSkM", m})
	}
	all[1].name += ", plain"
	all[3].name += ", plain"
	return all, nil
}

// rises counts the iterations in which L rises by more than rounding.
func (d *descent) rises() (n int) {
	for i, v := range d.Trace[1:] {
		if before := d.Trace[i]; v > before+1e-12*max(before, -before) {
			n++
		}
	}
	return n
}

// convergence prints and draws L.
func convergence(c *config, out io.Writer) error {
	if c.trace {
		fmt.Fprintln(out, "set,method,iteration,L")
	} else {
		fmt.Fprintln(out, "| set | method | λ | first L | last L | iterations | rises | status |\n| --- | --- | --: | --: | --: | --: | --: | --- |")
	}
	var pictures []byte
	n := 0
	err := c.each(func(name string, t *sets.Labeled) error {
		all, err := c.descents(t)
		if err != nil {
			return err
		}
		var curves []view.Descent
		for _, d := range all {
			curves = append(curves, view.Descent{Name: d.name, Loss: d.Trace})
			if c.trace {
				for i, v := range d.Trace {
					fmt.Fprintf(out, "%q,%q,%d,%v\n", name, d.name, i, v)
				}
				continue
			}
			fmt.Fprintf(out, "| %s, k = %d | %s | %.4g | %.8g | %.8g | %d | %d | %v |\n", name, t.K, d.name, d.Lambda,
				d.Trace[0], d.Trace[len(d.Trace)-1], d.Iterations, d.rises(), d.Status)
		}
		plot := view.LossCurve(chart.Frame{ID: fmt.Sprint("loss-", n), Width: 640, Height: 420}, all[0].Total, curves...)
		if n++; plot != nil {
			plot.Title = name + ": " + plot.Title
			pictures = chart.Lines(pictures, plot)
		}
		return nil
	})
	if err != nil || c.page == "" {
		return err
	}
	return writePage(c.page, "Theorem 5: the loss L never rises",
		"L is the squared error with λ/2·Σ log(σ² + ε) added; SkM-AM has λ = 0. Plain runs are step by step as the paper has them, the others have momentum.", pictures)
}
