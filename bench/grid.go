package main

// Simulated tables of mixtures, by designs.

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"softkmeans/internal/scenes"
	"softkmeans/unmix"
)

// design is a kind of simulated tables. Tables of one seed have the same number and kind of prototypes in all
// designs, and the same sizes and noise except where a design sets its own.
type design struct {
	name       string
	shares     func(row []float64, i int, rng *rand.Rand) // overwrites the shares of row i; nil: uniform
	n, d       [2]int                                     // the least and the most rows and columns; 0: any
	brightness float64                                    // the deviation of the logarithm of a row's factor
	scatter    float64                                    // of rows about a prototype, in three directions
	noise      float64                                    // deviation, as a share of the signal's; 0: any
}

// designs lists the designs in the order of the table's lines.
var designs = []design{
	{name: "pure", shares: pure},
	{name: "few", shares: few},
	{name: "uniform"},
	{name: "capped", shares: capped},
	{name: "clusters", shares: clusters},
	{name: "clusters with scatter", shares: clusters, scatter: 0.5},
	{name: "n < d", n: [2]int{20, 60}, d: [2]int{150, 400}},
	{name: "n > d", n: [2]int{200, 400}, d: [2]int{10, 40}},
	{name: "brightness .3", brightness: 0.3},
	{name: "brightness .6", brightness: 0.6},
	{name: "noise .03", noise: 0.03},
	{name: "noise .1", noise: 0.1},
	{name: "noise .3", noise: 0.3},
	{name: "noise 1", noise: 1},
}

// uniform makes shares uniform on the simplex.
func uniform(row []float64, _ int, rng *rand.Rand) {
	for j := range row {
		row[j] = rng.ExpFloat64()
	}
	floats.Scale(1/floats.Sum(row), row)
}

// capped makes uniform shares of which none is above .8.
func capped(row []float64, i int, rng *rand.Rand) {
	for uniform(row, i, rng); floats.Max(row) > 0.8; {
		uniform(row, i, rng)
	}
}

// clusters makes rows of one prototype each, in turn.
func clusters(row []float64, i int, _ *rand.Rand) {
	clear(row)
	row[i%len(row)] = 1
}

// pure makes a fifth of the rows of one prototype each.
func pure(row []float64, i int, rng *rand.Rand) {
	if uniform(row, i, rng); i%5 == 0 {
		clusters(row, i/5, rng)
	}
}

// few makes one row of each prototype alone, and others with shares of at most .8.
func few(row []float64, i int, rng *rand.Rand) {
	if capped(row, i, rng); i < len(row) {
		clusters(row, i, rng)
	}
}

// gridWays are the package's ways beside the command.
var gridWays = []unmixWay{
	{"FitMinVolume", false, ownUnmixing(minVolume, nil)},
	{"FitMinVolume, slack 0.25", false, ownUnmixing(minVolume, with(func(o *unmix.Options) { o.Slack = 0.25 }))},
}

// simulatedMixtures simulates a table of each design for each seed from first to last.
func simulatedMixtures(first, last uint64) (list []*scene) {
	for _, c := range designs {
		for seed := first; seed <= last; seed++ {
			list = append(list, c.simulate(seed))
		}
	}
	return list
}

// simulate makes the table of a seed. It has 2 to 5 prototypes: smooth spectra, uniform numbers or log-normal
// levels, the three in turn. Unless the design sets a range, the table has 40 to 300 rows, 12 to 200 columns
// and noise of .03 to 1. Each is uniform in logarithms. The noise is white. Its deviation is given as a share
// of the signal's deviation, which is taken about the means of columns, before brightness and scatter.
func (c *design) simulate(seed uint64) *scene {
	rng := rand.New(rand.NewPCG(seed, 18))
	between := func(lo, hi float64) float64 { return lo * math.Pow(hi/lo, rng.Float64()) }
	size := func(own, all [2]int) int {
		if own == [2]int{} {
			own = all
		}
		return int(math.Round(between(float64(own[0]), float64(own[1]))))
	}
	k, n, d := 2+rng.IntN(4), size(c.n, [2]int{40, 300}), size(c.d, [2]int{12, 200})
	noise := between(0.03, 1)
	if c.noise > 0 {
		noise = c.noise
	}
	s := &scene{
		name: fmt.Sprintf("%s, seed %d", c.name, seed), kind: c.name,
		x: mat.NewDense(n, d, nil), spectra: prototypes(k, d, int(seed%3), rng), abundances: mat.NewDense(n, k, nil),
	}
	shares := c.shares
	if shares == nil {
		shares = uniform
	}
	for i := range n {
		shares(s.abundances.RawRowView(i), i, rng)
	}
	s.x.Mul(s.abundances, s.spectra)
	_, about := centred(s.x)
	signal := mat.Norm(about, 2) / math.Sqrt(float64(n*d))
	ways := table(3*k, d, func(int, int) float64 { return c.scatter * signal * rng.NormFloat64() })
	for i := range n {
		row, light := s.x.RawRowView(i), math.Exp(c.brightness*rng.NormFloat64())
		for v := range 3 {
			if c.scatter > 0 {
				floats.AddScaled(row, rng.NormFloat64(), ways.RawRowView(3*(i%k)+v))
			}
		}
		for j, v := range row {
			row[j] = light*v + noise*signal*rng.NormFloat64()
		}
	}
	return s
}

// prototypes makes k prototypes of d columns: 0 smooth spectra, 1 uniform numbers, 2 log-normal levels, which
// columns share more than they differ by.
func prototypes(k, d, kind int, rng *rand.Rand) *mat.Dense {
	levels := table(1, d, func(int, int) float64 { return 1.5 * rng.NormFloat64() })
	f := table(k, d, func(_, j int) float64 {
		if kind == 2 {
			return math.Exp(levels.At(0, j) + 0.7*rng.NormFloat64())
		}
		return rng.Float64()
	})
	for i := range k {
		if kind == 0 {
			scenes.Reflectance(f.RawRowView(i), rng)
		}
	}
	return f
}
