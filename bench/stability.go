package main

// How much the labels depend on what a user did not choose: the slack, the seed, half of the
// rows; and whether OtherAnswers tells of it.

import (
	"context"
	"fmt"
	"io"
	"math"

	"softkmeans"
	"softkmeans/metrics"
	"softkmeans/stability"
)

// moves is by how much the accuracy on a set moves.
type moves struct {
	accuracy float64 // by defaults
	moves    [len(stabilityWays)]float64
	told     float64 // the value of WarnLabels; 0: no warning
}

var stabilityWays = [...]string{"½ slack", "2·slack", "seed 1", "first half", "second half"}

// stability fits a set by defaults, with other slacks and another seed, and halves of the
// rows, which then label all rows.
func (s *labelSet) stability(ctx context.Context) (*moves, error) {
	x := s.x
	if !s.raw {
		x = standardized(x)
	}
	all := wrap(x)
	n, d := x.Dims()
	var halves [2]*softkmeans.Matrix
	for h := range halves {
		halves[h] = wrap(table((n+1-h)/2, d, func(i, j int) float64 { return x.At(2*i+h, j) }))
	}
	accuracyOf := func(x *softkmeans.Matrix, o softkmeans.MinVolumeOptions) (*softkmeans.Model, float64, error) {
		o.Workers = 1
		m, err := softkmeans.FitMinVolume(ctx, x, s.k, &o)
		if err != nil {
			return nil, 0, err
		}
		labels, err := m.PredictLabels(nil, all)
		if err != nil {
			return nil, 0, err
		}
		acc, err := metrics.Accuracy(s.classes, labels)
		return m, acc, err
	}
	m, acc, err := accuracyOf(all, softkmeans.MinVolumeOptions{})
	if err != nil {
		return nil, err
	}
	out := &moves{accuracy: acc}
	for i, c := range [...]struct {
		x *softkmeans.Matrix
		o softkmeans.MinVolumeOptions
	}{{x: all, o: softkmeans.MinVolumeOptions{Slack: 0.125}}, {x: all, o: softkmeans.MinVolumeOptions{Slack: 0.5}},
		{x: all, o: softkmeans.MinVolumeOptions{Seed: 1}}, {x: halves[0]}, {x: halves[1]}} {
		if _, acc, err = accuracyOf(c.x, c.o); err != nil {
			return nil, err
		}
		out.moves[i] = acc - out.accuracy
	}
	if err := stability.Others(ctx, all, m, &softkmeans.MinVolumeOptions{Workers: 1}); err != nil {
		return nil, err
	}
	for _, w := range m.Warnings {
		if w.Kind == softkmeans.WarnLabels {
			out.told = w.Value
		}
	}
	return out, nil
}

// most is the largest move.
func (s *moves) most() (v float64) {
	for _, m := range s.moves {
		v = max(v, math.Abs(m))
	}
	return v
}

// writeStability writes the table, and how often the warning is right.
func writeStability(w io.Writer, scores []labelScore) {
	rows := [][]string{append(append([]string{"set", "ACC"}, stabilityWays[:]...), "warning: other labels")}
	missed, told, large := 0, 0, 0
	for _, s := range scores {
		row := []string{s.set.label(), fmt.Sprintf("%.3f", s.stability.accuracy)}
		for _, v := range s.stability.moves {
			row = append(row, fmt.Sprintf("%+.3f", v))
		}
		warning := "–"
		if s.stability.told > 0 {
			told++
			warning = fmt.Sprintf("%.0f %%", 100*s.stability.told)
		}
		if s.stability.most() > 0.02 {
			large++
			if s.stability.told == 0 {
				missed++
			}
		}
		rows = append(rows, append(row, warning))
	}
	fmt.Fprintf(w, "By how much the accuracy moves with the slack, the seed, and half of the rows:\n\n")
	markdown(w, 1, rows)
	fmt.Fprintf(w, "\nMoves above .02: %d sets, %d of them without a warning; %d sets have one.\n", large, missed, told)
}
