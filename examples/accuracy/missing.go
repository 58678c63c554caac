package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"softkmeans"
	"softkmeans/internal/absent"
	"softkmeans/internal/la"
	"softkmeans/internal/scale"
	"softkmeans/internal/sets"
	"softkmeans/metrics"
	"softkmeans/missing"
)

// missingShares are the shares of entries that missingTable takes out.
var missingShares = []float64{0, .05, .1, .2, .3}

// missingTable compares fits of tables from which entries were taken out at random with the
// fit of the whole table: how far centers and memberships are off.
func missingTable(dir string, seeds int) error {
	fmt.Println("| set, k | missing | centers, missing.Fit | mean | drop | memberships, missing.Fit | mean | drop |")
	fmt.Println("| --- | --: | --: | --: | --: | --: | --: | --: |")
	return eachSet(dir, func(s set, x *softkmeans.Matrix, classes []int) error {
		if s.Name == "iris" || s.Name == "digits" { // whose columns share a unit
			s.Scale = scale.None
			t, err := s.Load()
			if err != nil {
				return err
			}
			x = t.X
		}
		k := slices.Max(classes) + 1
		whole, err := softkmeans.FitMinVolume(context.Background(), x, k, nil)
		if err != nil {
			return err
		}
		for _, share := range missingShares {
			var off [6][]float64
			for seed := range seeds {
				gone := without(x, share, uint64(seed))
				for way, fit := range []func(x *softkmeans.Matrix, k int) (*softkmeans.Model, error){fitMissing, fitMeans, fitDropped} {
					m, err := fit(gone, k)
					if err != nil {
						return err
					}
					centers, members := math.NaN(), math.NaN()
					if m != nil {
						centers, members = difference(whole, m, x)
					}
					off[way], off[3+way] = append(off[way], centers), append(off[3+way], members)
				}
			}
			fmt.Printf("| %s, %d | %.0f %% |", s.Name, k, 100*share)
			for _, v := range off {
				fmt.Printf(" %s |", measured(sets.Median(v)))
			}
			fmt.Println()
		}
		return nil
	})
}

// without returns x with a share of its entries taken out.
func without(x *softkmeans.Matrix, share float64, seed uint64) *softkmeans.Matrix {
	out, rng := x.Clone(), rand.New(rand.NewPCG(seed, 1))
	for i := range out.Data {
		if rng.Float64() < share {
			out.Data[i] = math.NaN()
		}
	}
	return out
}

func fitMissing(x *softkmeans.Matrix, k int) (*softkmeans.Model, error) {
	return missing.Fit(context.Background(), x, k, nil)
}

// fitMeans fits a table whose missing entries are the means of their columns.
func fitMeans(x *softkmeans.Matrix, k int) (*softkmeans.Model, error) {
	filled := x.Clone()
	absent.FillMeans(filled.Data, filled.Cols, nil)
	return softkmeans.FitMinVolume(context.Background(), filled, k, nil)
}

// fitDropped fits the rows without missing entries, and finds the memberships of all. It
// returns nil where 3k such rows are not left.
func fitDropped(x *softkmeans.Matrix, k int) (*softkmeans.Model, error) {
	data := absent.Without(slices.Clone(x.Data), absent.Rows(x), x.Cols)
	n := len(data) / x.Cols
	if n < 3*k {
		return nil, nil
	}
	m, err := softkmeans.FitMinVolume(context.Background(), softkmeans.NewMatrix(n, x.Cols, data), k, nil)
	if err == nil {
		m.Memberships, err = missing.Predict(m, nil, x)
	}
	return m, err
}

// difference returns how far the centers of m are from those of a, as the root mean square
// distance in units of the samples' from their mean, and their memberships, as a root mean
// square. Centers are matched so that the first is least.
func difference(a, m *softkmeans.Model, x *softkmeans.Matrix) (centers, members float64) {
	k := a.Centers.Rows
	gain, total := softkmeans.NewMatrix(k, k, nil), 0.0
	for i := range k {
		for j := range k {
			gain.Set(i, j, -la.SquaredDistance(a.Centers.Row(i), m.Centers.Row(j)))
		}
	}
	match := metrics.Assignment(gain)
	for i, j := range match {
		total -= gain.At(i, j)
	}
	for i := range x.Rows {
		for j, v := range a.Memberships.Row(i) {
			d := v - m.Memberships.At(i, match[j])
			members += d * d
		}
	}
	return math.Sqrt(total / float64(k) / (a.Total / float64(x.Rows))), math.Sqrt(members / float64(x.Rows*k))
}
