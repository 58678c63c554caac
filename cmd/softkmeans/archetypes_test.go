package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/metrics"
)

// archetypes returns a table of mixtures of three archetypes in eight columns, and their
// true memberships. The archetypes are uniform in the unit cube, the memberships Dirichlet
// with concentration 0.3, and the noise has a standard deviation of 0.03.
func archetypes(seed uint64, n int) (text string, truth *softkmeans.Matrix) {
	const d = 8
	random := rand.New(rand.NewPCG(seed, 7))
	var f [3][d]float64
	for i := range f {
		for c := range d {
			f[i][c] = random.Float64()
		}
	}
	truth = softkmeans.NewMatrix(n, 3, nil)
	var b strings.Builder
	for i := range n {
		g, sum := truth.Row(i), 0.0
		for j := range g {
			g[j] = gammaOf(random, .3)
			sum += g[j]
		}
		for j := range g {
			g[j] /= sum
		}
		for c := range d {
			v := .03 * random.NormFloat64()
			for j := range g {
				v += g[j] * f[j][c]
			}
			fmt.Fprintf(&b, "%.6f%c", v, ",\n"[min(c/(d-1), 1)])
		}
	}
	return b.String(), truth
}

// gammaOf draws from the gamma distribution of a shape below 1, after G. Marsaglia and
// W. W. Tsang, A simple method for generating gamma variables (ACM TOMS 26, 2000).
func gammaOf(random *rand.Rand, shape float64) float64 {
	d := shape + 1 - 1.0/3
	for {
		x := random.NormFloat64()
		v := 1 + x/math.Sqrt(9*d)
		if v = v * v * v; v > 0 && math.Log(random.Float64()) < .5*x*x+d-d*v+d*math.Log(v) {
			return d * v * math.Pow(random.Float64(), 1/shape)
		}
	}
}

// The default finds three archetypes: their labels, and shares near the true ones. The
// global simplex has the least error and does not: docs/accuracy.md has the figures.
func TestArchetypes(t *testing.T) {
	dir := t.TempDir()
	table, file := filepath.Join(dir, "x.csv"), filepath.Join(dir, "g.csv")
	var accuracy, off [2]float64
	const seeds, rows = 3, 400
	for seed := range uint64(seeds) {
		text, truth := archetypes(seed, rows)
		writeText(t, table, text)
		for m, args := range []string{"fit -k 3 -others no", "fit -k 3 -method global"} {
			must(t, append(strings.Fields(args), "-o", file, table)...)
			_, labels, g := parseMemberships(t, readFile(t, file))
			share, err := metrics.Accuracy(answer.LargestOf(truth), labels)
			if err != nil {
				t.Fatal(err)
			}
			best := math.Inf(1)
			for _, at := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
				sum := 0.0
				for i, row := range g {
					for j, p := range at {
						d := row[p] - truth.At(i, j)
						sum += d * d
					}
				}
				best = min(best, math.Sqrt(sum/(3*rows)))
			}
			accuracy[m], off[m] = accuracy[m]+share/seeds, off[m]+best/seeds
		}
	}
	t.Logf("accuracy %.3f, memberships %.3f off; global %.3f, %.3f", accuracy[0], off[0], accuracy[1], off[1])
	if accuracy[0] < .97 || off[0] > .04 || accuracy[1] > .9 || off[1] < .2 {
		t.Errorf("accuracy %.3f, memberships %.3f off; global %.3f, %.3f",
			accuracy[0], off[0], accuracy[1], off[1])
	}
}
