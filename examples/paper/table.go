package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"softkmeans"
	"softkmeans/internal/sets"
	"softkmeans/metrics"
)

// method is a way to cluster the rows of x. All that is random is by the seed.
type method struct {
	name   string
	labels func(x *softkmeans.Matrix, k int, seed uint64) ([]int, error)
}

// methods returns those of Table I as the paper has them: iterations start from random rows, the closed form
// has a random B.
func (c *config) methods() []method {
	ctx := context.Background()
	return []method{
		{"SkM-AM", func(x *softkmeans.Matrix, k int, seed uint64) ([]int, error) {
			o := &softkmeans.MinVolumeOptions{Centers: randomRows(x, k, seed), Plain: c.plain}
			return c.labelsOf(softkmeans.FitAlternating(ctx, x, k, o))
		}},
		{"SkM-Global", func(x *softkmeans.Matrix, k int, seed uint64) ([]int, error) {
			o := &softkmeans.Options{Orientation: softkmeans.RandomOrientation(k, seed)}
			return c.labelsOf(softkmeans.Fit(ctx, x, k, o))
		}},
		{"MVSkM", func(x *softkmeans.Matrix, k int, seed uint64) ([]int, error) {
			o := &softkmeans.MinVolumeOptions{Centers: randomRows(x, k, seed), Plain: c.plain,
				Slack: c.slack, Lambda: c.lambda}
			return c.labelsOf(softkmeans.FitMinVolume(ctx, x, k, o))
		}},
		{"k-means", func(x *softkmeans.Matrix, k int, seed uint64) ([]int, error) {
			_, labels, err := bestKMeans(x, k, seed)
			return labels, err
		}},
	}
}

// randomRows returns k different rows of x, or as many as there are and zeros.
func randomRows(x *softkmeans.Matrix, k int, seed uint64) *softkmeans.Matrix {
	f := softkmeans.NewMatrix(k, x.Cols, nil)
	for a, i := range rand.New(rand.NewPCG(seed, 0x57a7)).Perm(x.Rows)[:min(k, x.Rows)] {
		copy(f.Row(a), x.Row(i))
	}
	return f
}

// labelsOf returns the largest memberships of a model, or its own labels.
func (c *config) labelsOf(m *softkmeans.Model, err error) ([]int, error) {
	if err != nil {
		return nil, err
	}
	if c.labels == "largest" {
		return (&softkmeans.Model{Memberships: m.Memberships}).Labels(nil), nil
	}
	return m.Labels(nil), nil
}

// table prints Table I.
func table(c *config, out io.Writer) error {
	fmt.Fprintln(out, "| set | method | ACC | NMI | purity | s |\n| --- | --- | --- | --- | --- | --: |")
	return c.each(func(name string, t *sets.Labeled) error {
		for _, m := range c.methods() {
			var scores [3][]float64
			var seconds []float64
			for seed := range c.seeds {
				begin := time.Now()
				labels, err := m.labels(t.X, t.K, uint64(seed))
				if err != nil {
					return err
				}
				seconds = append(seconds, time.Since(begin).Seconds())
				for i, score := range []func(truth, labels []int) (float64, error){metrics.Accuracy, metrics.NMI, metrics.Purity} {
					v, err := score(t.Class, labels)
					if err != nil {
						return err
					}
					scores[i] = append(scores[i], v)
				}
			}
			fmt.Fprintf(out, "| %s, %d×%d, k = %d | %s | %s | %s | %s | %.2f |\n", name, t.X.Rows, t.X.Cols, t.K, m.name,
				spread(scores[0]), spread(scores[1]), spread(scores[2]), sets.Median(seconds))
		}
		return nil
	})
}

// spread writes the median of some shares, and in brackets the least and the largest where
// these differ.
func spread(v []float64) string {
	least, most := sets.Share(slices.Min(v)), sets.Share(slices.Max(v))
	if least == most {
		return least
	}
	return sets.Share(sets.Median(v)) + " (" + least + "–" + most + ")"
}
