// Package scenes simulates hyperspectral scenes, and knows what they are made of.
//
// A Recipe says what to simulate, Simulate returns the pixels with the spectra of the materials and the share
// of each in every pixel. The same recipe gives the same scene. A change of one effect (another noise, more
// shade) leaves all others as they are, since each draws from a stream of its own.
//
// The effects are those of published simulations:
//
//   - shares that never exceed a purity, noise by SNR: Nascimento and Bioucas-Dias,
//     Vertex component analysis, 2005; Bioucas-Dias, SISAL, 2009
//   - shares from Gaussian random fields: the synthesis toolbox of the Grupo de
//     Inteligencia Computacional (UPV/EHU); the fields by waves after Shinozuka and Jan,
//     Digital simulation of random processes, 1972
//   - materials whose reflectance varies: Thouvenin, Dobigeon and Tourneret (PLMM), 2016;
//     Drumetz and others (ELMM), 2016; Imbiriba and others (GLMM), 2018
//   - light reflected twice: Fan and others, 2009; Halimi and others (GBM), 2011
//   - noise by band and by brightness: Bioucas-Dias and Nascimento (HySime), 2008; Acito,
//     Diani and Corsini, 2011
package scenes

import (
	"fmt"
	"math/rand/v2"
)

// Recipe says what to simulate. Needed are Lines and Columns up to 2^15, 2 Bands or more, from 2 Materials to Bands,
// and 20 pixels a material; an effect whose field is 0 is left out. Shares are from 0 to 1, that of Outliers below .5.
type Recipe struct {
	Seed           uint64
	Lines, Columns int
	Bands          int
	Materials      int
	Spectra        [][]float64 // of the materials, each with Bands entries; nil: by a formula
	Alike          int         // so many materials of the formula are 3 to 7 degrees from another
	Dark           int         // so many have reflectances of .01 to .05, as water has
	Purity         Purity
	Shade          float64 // the least illumination, of (0, 1]
	Variability    float64 // the deviation of a material's reflectance, as a share of it
	Bilinear       float64 // the most that light reflected twice counts: 1 is Fan's model
	SNR            float64 // energy of the signal over that of the noise, in decibels
	NoiseRatio     float64 // the noise of the worst band over that of the best; 0 and 1 for white noise
	Shot           float64 // the share of the noise's variance that is in proportion to the brightness
	Outliers       float64 // the share of pixels that are saturated or of another material
}

// Purity says how large the largest share of a material is.
type Purity int

const (
	Pure Purity = iota // every material has some pixels of its own
	Few                // some materials have one, others end at shares of .85 to .95
	None               // all shares are at most .8
)

// String returns pure, few or none.
func (p Purity) String() string {
	if p < Pure || p > None {
		return fmt.Sprintf("Purity(%d)", int(p))
	}
	return [...]string{"pure", "few", "none"}[p]
}

// Scene is a simulated scene with its truth. Tables are row by row, pixels line by line.
type Scene struct {
	Recipe
	Wavelengths []float64 // of the bands, in nm: 400 to 2500
	Pixels      []float64 // Lines·Columns × Bands
	Endmembers  []float64 // Materials × Bands, the spectra
	Abundances  []float64 // Lines·Columns × Materials: shares that add up to 1
	Light       []float64 // the illumination of each pixel, from Shade to 1
	Deviations  []float64 // of the noise, by band, at the mean brightness of the band
	Strange     []int     // the pixels that are outliers, in order; their shares mean nothing
}

// The streams of random numbers, one an effect.
const (
	spectraStream = iota
	shareStream
	lightStream
	variabilityStream
	bilinearStream
	noiseStream
	outlierStream
	recipeStream
)

func (r *Recipe) stream(effect uint64) *rand.Rand { return rand.New(rand.NewPCG(r.Seed, effect)) }

// Simulate makes the scene. It costs some n·Bands·Materials operations.
func (r Recipe) Simulate() *Scene {
	s := &Scene{Recipe: r}
	for b := range r.Bands {
		s.Wavelengths = append(s.Wavelengths, 400+2100*float64(b)/float64(r.Bands-1))
	}
	s.makeEndmembers()
	s.makeAbundances()
	s.makeLight()
	s.mix()
	energy := 0.0
	for _, v := range s.Pixels {
		energy += v * v
	}
	s.addOutliers()
	if r.SNR != 0 {
		s.addNoise(energy)
	}
	return s
}

// Random returns a recipe with that purity, small enough to unmix in a second: 40×40 to
// 60×60 pixels, 50 to 200 bands, 3 to 6 materials, an SNR of 20 to 40 dB. Each of the
// other effects is there in about half of the recipes, with a strength of its range.
func Random(seed uint64, purity Purity) Recipe {
	rng := rand.New(rand.NewPCG(seed, recipeStream<<8+uint64(purity)))
	maybe := func(chance, lo, hi float64) float64 {
		v, on := lo+(hi-lo)*rng.Float64(), rng.Float64() < chance
		if !on {
			return 0
		}
		return v
	}
	return Recipe{
		Seed:        rng.Uint64(),
		Lines:       40 + rng.IntN(21),
		Columns:     40 + rng.IntN(21),
		Bands:       50 + rng.IntN(151),
		Materials:   3 + rng.IntN(4),
		Alike:       rng.IntN(2),
		Dark:        int(maybe(0.4, 1, 1)),
		Purity:      purity,
		Shade:       maybe(0.6, 0.3, 0.8),
		Variability: maybe(0.6, 0.01, 0.1),
		Bilinear:    maybe(0.4, 0.1, 0.5),
		SNR:         20 + 20*rng.Float64(),
		NoiseRatio:  maybe(0.75, 10, 40),
		Shot:        maybe(0.5, 0.2, 0.8),
		Outliers:    maybe(0.5, 0.001, 0.004),
	}
}
