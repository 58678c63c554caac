package main

// Scenes: pixels, the spectra that they are mixtures of, and the shares of each.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// scene is a table of pixels with its truth.
type scene struct {
	name       string
	x          *mat.Dense // pixels × bands
	spectra    *mat.Dense // k × bands
	abundances *mat.Dense // pixels × k, rows that add up to 1
}

// k is the number of materials, which all ways are told.
func (s *scene) k() int { return s.spectra.RawMatrix().Rows }

// withTruth are the endings of the files that belong to a scene.
var withTruth = []string{"_endmembers", "_abundances"}

// readScenes reads the scenes of a folder: NAME.npy with NAME_endmembers.npy and
// NAME_abundances.npy. Several scenes may share one truth: that of a_b is a's if it has
// none of its own.
func readScenes(dir string) (scenes []*scene, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.npy"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".npy")
		if strings.HasSuffix(name, withTruth[0]) || strings.HasSuffix(name, withTruth[1]) {
			continue
		}
		s := &scene{name: name}
		if s.x, err = readNPY(path); err != nil {
			return nil, err
		}
		for i, m := range []**mat.Dense{&s.spectra, &s.abundances} {
			if *m, err = readNPY(companion(dir, name, withTruth[i]+".npy")); err != nil {
				return nil, err
			}
		}
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		scenes = append(scenes, s)
	}
	if scenes == nil {
		return nil, fmt.Errorf("%s has no scene: NAME.npy with NAME%s.npy and NAME%s.npy", dir, withTruth[0], withTruth[1])
	}
	return scenes, nil
}

// companion is the path of a file that belongs to name, or to what is before its last
// underscore, if that one is there.
func companion(dir, name, ending string) string {
	own := filepath.Join(dir, name+ending)
	for base := name; ; {
		path := filepath.Join(dir, base+ending)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		at := strings.LastIndexByte(base, '_')
		if at < 0 {
			return own
		}
		base = base[:at]
	}
}

// check compares the shapes.
func (s *scene) check() error {
	n, d := s.x.Dims()
	k, bands := s.spectra.Dims()
	rows, cols := s.abundances.Dims()
	switch {
	case bands != d:
		return fmt.Errorf("%d bands, but %d of its spectra", d, bands)
	case rows != n || cols != k:
		return fmt.Errorf("%d pixels and %d spectra, but %d×%d abundances", n, k, rows, cols)
	case k > mostMatched:
		return fmt.Errorf("%d spectra; at most %d can be matched", k, mostMatched)
	}
	return nil
}

// sceneRecipe says what to simulate.
type sceneRecipe struct {
	side, bands, k int
	decibels       float64 // the signal-to-noise ratio; white noise
	shade          float64 // the least illumination, from 0 to 1 (no shade)
	seed           uint64
}

// sceneRecipes are the scenes that the program has of its own. The noise is the only
// difference between the two.
var sceneRecipes = []sceneRecipe{
	{side: 60, bands: 200, k: 5, decibels: 30, shade: 0.5, seed: 1},
	{side: 60, bands: 200, k: 5, decibels: 20, shade: 0.5, seed: 1},
}

// simulate makes a scene. Spectra are smooth, with a few absorption bands, as those of
// minerals. On a ground of one mixture there are k×k squares: in line i those of equal
// parts of i+1 materials, so that the first has the pure ones. The right third of the
// scene lies in shade, which falls to the right from 1 to the recipe's.
func (r sceneRecipe) simulate() *scene {
	rng := rand.New(rand.NewPCG(r.seed, 0))
	n := r.side * r.side
	s := &scene{
		name:       fmt.Sprintf("formula_%.0fdb", r.decibels),
		spectra:    mat.NewDense(r.k, r.bands, nil),
		abundances: mat.NewDense(n, r.k, nil),
		x:          mat.NewDense(n, r.bands, nil),
	}
	for l := range r.k {
		smoothSpectrum(s.spectra.RawRowView(l), rng)
	}
	ground := make([]float64, r.k)
	for l := range ground {
		ground[l] = (1 + rng.Float64()) / float64(r.k)
	}
	divideBySum(ground)
	for i := range n {
		copy(s.abundances.RawRowView(i), ground)
		r.square(s.abundances.RawRowView(i), i/r.side, i%r.side)
	}
	s.x.Mul(s.abundances, s.spectra)
	for i := range n {
		dark := max(0, 3*float64(i%r.side)/float64(r.side)-2) * (1 - r.shade)
		scaleRow(s.x.RawRowView(i), 1-dark)
	}
	sigma := math.Sqrt(squares(s.x)/float64(n*r.bands)) * math.Pow(10, -r.decibels/20)
	for i := range n {
		row := s.x.RawRowView(i)
		for j := range row {
			row[j] += sigma * rng.NormFloat64()
		}
	}
	return s
}

// square overwrites the abundances of a pixel in one of the squares. They have half the
// distance from one to the next as their side.
func (r sceneRecipe) square(g []float64, line, col int) {
	grid := func(at int) (int, bool) {
		part := 4 * (at * r.k % r.side)
		return at * r.k / r.side, part >= r.side && part < 3*r.side
	}
	i, in := grid(line)
	j, also := grid(col)
	if !in || !also {
		return
	}
	clear(g)
	for l := range i + 1 {
		g[(j+l)%r.k] = 1 / float64(i+1)
	}
}

// smoothSpectrum overwrites a row with reflectances from 0.02 to 0.98: a level, a slope,
// two broad bumps, and three absorption bands.
func smoothSpectrum(row []float64, rng *rand.Rand) {
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	bell := func(t, at, width float64) float64 { return math.Exp(-(t - at) * (t - at) / (2 * width * width)) }
	level, slope := between(0.2, 0.6), between(-0.3, 0.3)
	var height, at, width [5]float64
	for b := range height {
		at[b] = rng.Float64()
		if b < 2 {
			height[b], width[b] = between(-0.2, 0.2), between(0.15, 0.4)
		} else {
			height[b], width[b] = between(0.1, 0.5), between(0.01, 0.06)
		}
	}
	for j := range row {
		t := float64(j) / float64(max(len(row)-1, 1))
		v := level + slope*(t-0.5)
		for b := range 2 {
			v += height[b] * bell(t, at[b], width[b])
		}
		for b := 2; b < len(height); b++ {
			v *= 1 - height[b]*bell(t, at[b], width[b])
		}
		row[j] = min(max(v, 0.02), 0.98)
	}
}

func scaleRow(row []float64, by float64) {
	for j := range row {
		row[j] *= by
	}
}

// divideBySum makes a row with a positive sum add up to 1.
func divideBySum(row []float64) {
	sum := 0.0
	for _, v := range row {
		sum += v
	}
	if sum > 0 {
		scaleRow(row, 1/sum)
	}
}
