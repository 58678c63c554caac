package main

// Processor time of FitMinVolume on shapes that users have, beside ten runs of k-means.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"softkmeans"
	"softkmeans/internal/scenes"
	"softkmeans/testdata"
)

// volumeCase is a table to fit.
type volumeCase struct {
	name string
	k    int
	data func() (*mat.Dense, error)
}

// volumeCases are those of -minvol.
var volumeCases = []volumeCase{
	{"images", 20, imagesCase(1440, 1024, 20)},
	{"faces", 40, imagesCase(400, 1024, 40)},
	{"scene_30db", 4, sceneCase(30)},
	{"scene_20db", 4, sceneCase(20)},
	{"digits", 10, digitsData},
	{"digits_64", 64, digitsData},
	{"mixtures_500", 10, mixturesCase(4000, 500, 10)},
	{"mixtures_100", 10, mixturesCase(20000, 100, 10)},
	{"mixtures_20", 10, mixturesCase(100000, 20, 10)},
	{"mixtures_20_20", 20, mixturesCase(100000, 20, 20)},
	{"mixtures_10", 10, mixturesCase(200000, 10, 10)},
	{"mixtures_100_100", 100, mixturesCase(10000, 100, 100)},
	{"mixtures_many", 10, mixturesCase(1000000, 20, 10)},
}

func imagesCase(n, d, k int) func() (*mat.Dense, error) {
	return func() (*mat.Dense, error) { return simulateImages(n, d, k, 1), nil }
}

func sceneCase(decibels float64) func() (*mat.Dense, error) {
	return func() (*mat.Dense, error) {
		recipe := scenes.Recipe{Seed: 2, Lines: 100, Columns: 100, Bands: 198, Materials: 4, SNR: decibels}
		return generated("", recipe).x, nil
	}
}

// mixturesCase makes n mixtures of k prototypes with d standard normal entries. Shares are in proportion to
// fourth powers of exponential numbers, and the noise has the deviation 0.1.
func mixturesCase(n, d, k int) func() (*mat.Dense, error) {
	return func() (*mat.Dense, error) {
		rng := rand.New(rand.NewPCG(1, 1))
		prototypes := table(k, d, func(_, _ int) float64 { return rng.NormFloat64() })
		x, shares := mat.NewDense(n, d, nil), make([]float64, k)
		for i := range n {
			for j := range shares {
				shares[j] = math.Pow(rng.ExpFloat64(), 4)
			}
			row, sum := x.RawRowView(i), floats.Sum(shares)
			for j, g := range shares {
				floats.AddScaled(row, g/sum, prototypes.RawRowView(j))
			}
			for c := range row {
				row[c] += 0.1 * rng.NormFloat64()
			}
		}
		return x, nil
	}
}

// imageRank is the number of directions in which the views of one object vary.
const imageRank = 6

// simulateImages makes n images of d pixels of k objects: an object is a mean and directions in which its
// views vary, all of them combinations of a few smooth patterns, and there is white noise.
func simulateImages(n, d, k int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, uint64(d)))
	patterns := mat.NewDense(4*imageRank, d, nil)
	for i := range 4 * imageRank {
		scenes.Reflectance(patterns.RawRowView(i), rng)
	}
	normal := func(r int, spread func(i, j int) float64) *mat.Dense {
		return table(r, 4*imageRank, func(i, j int) float64 { return spread(i, j) * rng.NormFloat64() })
	}
	means := normal(k, func(_, j int) float64 { return 1 / (1 + float64(j)/4) })
	views := normal(k*imageRank, func(i, _ int) float64 { return 0.4 / (1 + float64(i%imageRank)) })
	loads := mat.NewDense(n, 4*imageRank, nil)
	for i := range n {
		row := loads.RawRowView(i)
		object := i * k / n
		copy(row, means.RawRowView(object))
		for v := range imageRank {
			by := rng.NormFloat64()
			for j, w := range views.RawRowView(object*imageRank + v) {
				row[j] += by * w
			}
		}
	}
	x := mat.NewDense(n, d, nil)
	x.Mul(loads, patterns)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] += 0.1 * rng.NormFloat64()
		}
	}
	return x
}

// digitsData is the set of testdata, as it is.
func digitsData() (*mat.Dense, error) {
	s, err := readSet("digits", "digits.csv", "digits.labels.csv", testdata.Files.Open)
	if err != nil {
		return nil, err
	}
	return s.x, nil
}

// volumeTime is what a call of FitMinVolume takes.
type volumeTime struct {
	cpu    float64           // seconds
	passes int               // over the data, of all λ
	model  *softkmeans.Model // nil: it was stopped, and takes longer
}

// more stands before figures that are lower bounds.
func (v *volumeTime) more() string {
	if v.model == nil {
		return "> "
	}
	return ""
}

func (v *volumeTime) time() string { return v.more() + digits(v.cpu) }

// timeVolume calls FitMinVolume on one thread. It is stopped when it has had the limit in processor time.
func timeVolume(ctx context.Context, x *mat.Dense, k int, limit time.Duration) (*volumeTime, error) {
	stopping, stop := context.WithCancel(ctx)
	defer stop()
	v := new(volumeTime)
	runtime.GC()
	start := cpuTime()
	m, err := softkmeans.FitMinVolume(stopping, wrap(x), k, &softkmeans.MinVolumeOptions{Workers: 1, Progress: func(softkmeans.Iteration) {
		v.passes++
		if cpuTime()-start > limit.Seconds() {
			stop()
		}
	}})
	v.cpu = cpuTime() - start
	switch {
	case err == nil:
		v.model = m
	case ctx.Err() != nil || stopping.Err() == nil:
		return nil, err
	}
	return v, nil
}

// timeVolumes runs FitMinVolume and k-means once on each case, and returns the table. py may be nil.
func timeVolumes(ctx context.Context, py *python, o *options, say func(format string, args ...any)) ([][]string, error) {
	cases, err := selected(o, volumeCases, func(c volumeCase) string { return c.name })
	if err != nil {
		return nil, err
	}
	rows := [][]string{{"data", "n×d, k", "FitMinVolume, CPU s", "passes", "objective/floor", "ten runs of k-means, CPU s", "ratio"}}
	for _, c := range cases {
		x, err := c.data()
		if err != nil {
			return nil, err
		}
		n, d := x.Dims()
		own, err := timeVolume(ctx, x, c.k, o.cap)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		row := []string{c.name, shape{n, d, c.k}.String(), own.time(), strconv.Itoa(own.passes), "–", "–", "–"}
		if m := own.model; m != nil && m.Floor > 0 {
			row[4] = digits(m.Objective / m.Floor)
		}
		say("%s: FitMinVolume %s CPU s", c.name, own.time())
		if py != nil && py.learn {
			if err := py.load(x, c.k); err != nil {
				return nil, err
			}
			_, cpu, err := py.labels("kmeans", 0)
			if err != nil {
				return nil, err
			}
			say("%s: k-means %s CPU s", c.name, digits(cpu))
			row[5], row[6] = digits(cpu), own.more()+digits(own.cpu/cpu)
		}
		rows = append(rows, row)
	}
	return rows, nil
}
