package scenes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// all calls f on scenes of random recipes of each purity, of which one part is made.
func all(seeds uint64, part, f func(s *Scene)) {
	for p := Pure; p <= None; p++ {
		for seed := range seeds {
			s := &Scene{Recipe: Random(seed, p)}
			part(s)
			f(s)
		}
	}
}

// Shares are at least 0 and add up to 1. The largest of each material is what its purity
// says, and each material has a tenth of the pixels that it would have by equal parts.
func TestShares(t *testing.T) {
	all(6, (*Scene).makeAbundances, func(s *Scene) {
		k, n := s.Materials, s.Lines*s.Columns
		most, count, mean := make([]float64, k), make([]int, k), make([]float64, k)
		for i := range n {
			sum := 0.0
			for l, v := range s.Abundances[i*k:][:k] {
				if sum += v; v < 0 {
					t.Fatalf("%+v: a share of %g", s.Recipe, v)
				}
				if v == 1 {
					count[l]++
				}
				most[l], mean[l] = max(most[l], v), mean[l]+v/float64(n)
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("%+v: shares that add up to %g", s.Recipe, sum)
			}
		}
		below := 0
		for l, v := range most {
			ok := v == 1 && count[l] == max(3, n/200)
			switch s.Purity {
			case Few:
				ok = v == 1 && count[l] == 1
				if v < 1 {
					below++
					ok = v > 0.849 && v < 0.951
				}
			case None:
				ok = v > 0.6 && v <= 0.8
			}
			if !ok || mean[l] < 0.1/float64(k) {
				t.Errorf("%+v: material %d: at most %g, %d pure, mean %g", s.Recipe, l, v, count[l], mean[l])
			}
		}
		if s.Purity == Few && below != (k+1)/2 {
			t.Errorf("%+v: %d of %d materials have no pure pixel", s.Recipe, below, k)
		}
	})
}

func TestAngle(t *testing.T) {
	for _, c := range []struct {
		u, v []float64
		want float64
	}{
		{[]float64{1, 0}, []float64{0, 3}, 90},
		{[]float64{1, 1}, []float64{5, 5}, 0},
		{[]float64{1, 0}, []float64{-2, 0}, 180},
		{[]float64{1, 0}, []float64{2, 2}, 45},
		{[]float64{0, 0}, []float64{2, 2}, 90},
	} {
		if got := Angle(c.u, c.v); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%v, %v: %g, not %g", c.u, c.v, got, c.want)
		}
	}
}

// Spectra of the formula are 3 to 40 degrees apart, one is alike another where that is
// asked for, and the dark ones are dark.
func TestEndmembers(t *testing.T) {
	all(12, (*Scene).makeEndmembers, func(s *Scene) {
		row := func(l int) []float64 { return s.Endmembers[l*s.Bands:][:s.Bands] }
		least := 90.0
		for l := range s.Materials {
			for m := range l {
				a := Angle(row(l), row(m))
				if least = min(least, a); !(a >= 2.9 && a <= 40) {
					t.Errorf("%+v: %g degrees", s.Recipe, a)
				}
			}
			lo, hi := slices.Min(row(l)), slices.Max(row(l))
			if lo < 0.005 || hi > 1 || (l < s.Dark && math.Abs(lo-0.01)+math.Abs(hi-0.05) > 1e-12) {
				t.Errorf("%+v: reflectances of %g to %g", s.Recipe, lo, hi)
			}
		}
		if (least < 7.1) != (s.Alike > 0) {
			t.Errorf("%+v: %g degrees at least", s.Recipe, least)
		}
	})
}

// Given spectra stay as they are, and without effects pixels are their mixtures.
func TestGiven(t *testing.T) {
	spectra := [][]float64{{1, 2, 3, 4}, {0, 1, 0, 0}}
	r := Recipe{Lines: 10, Columns: 9, Bands: 4, Materials: 2, Spectra: spectra}
	s := r.Simulate()
	for i, v := range s.Pixels {
		a, j := s.Abundances[i/4*2:], i%4
		if want := a[0]*spectra[0][j] + a[1]*spectra[1][j]; math.Abs(v-want) > 1e-14 {
			t.Fatalf("pixel %d: %g, not %g", i/4, v, want)
		}
	}
	if s.Strange != nil || s.Deviations != nil || slices.Max(s.Light) != 1 || slices.Min(s.Light) != 1 {
		t.Errorf("%v, %v, %v", s.Strange, s.Deviations, s.Light)
	}
	if s.Wavelengths[0] != 400 || s.Wavelengths[3] != 2500 {
		t.Error(s.Wavelengths)
	}
}

// The noise has the power, the ratio over the bands and the dependence on brightness that
// the recipe says. It is all that SNR changes.
func TestNoise(t *testing.T) {
	for _, decibels := range []float64{20, 40} {
		for _, ratio := range []float64{0, 10, 40} {
			for _, shot := range []float64{0, 0.5} {
				r := Recipe{Seed: 3, Lines: 60, Columns: 60, Bands: 24, Materials: 3, Shade: 0.3,
					SNR: decibels, NoiseRatio: ratio, Shot: shot}
				s := r.Simulate()
				r.SNR = 0
				clean := r.Simulate()
				signal, noise := 0.0, 0.0
				found, dark, bright := make([]float64, r.Bands), 0.0, 0.0
				for i, v := range clean.Pixels {
					e := s.Pixels[i] - v
					signal, noise = signal+v*v, noise+e*e
					found[i%r.Bands] += e * e / 3600
					if scaled := e / s.Deviations[i%r.Bands]; clean.Light[i/r.Bands] < 0.7 {
						dark += scaled * scaled
					} else {
						bright += scaled * scaled
					}
				}
				if db := 10 * math.Log10(signal/noise); math.Abs(db-decibels) > 0.5 {
					t.Errorf("%+v: %g dB", r, db)
				}
				for j, v := range found {
					if off := math.Sqrt(v) / s.Deviations[j]; off < 0.93 || off > 1.07 {
						t.Errorf("%+v: band %d has %g times its deviation", r, j, off)
					}
				}
				got := slices.Max(s.Deviations) / slices.Min(s.Deviations)
				if math.Abs(got/max(ratio, 1)-1) > 1e-12 {
					t.Errorf("%+v: a ratio of %g", r, got)
				}
				pixels := 0.0
				for _, light := range clean.Light {
					if light < 0.7 {
						pixels++
					}
				}
				if got := (dark / pixels) / (bright / (3600 - pixels)); (got < 0.9) != (shot > 0) {
					t.Errorf("%+v: noise in the dark is %g of that in the light", r, got)
				}
			}
		}
	}
}

// Each effect changes what it should and nothing else.
func TestEffects(t *testing.T) {
	plain := Recipe{Seed: 8, Lines: 50, Columns: 40, Bands: 30, Materials: 4}
	base := plain.Simulate()
	change := func(set func(r *Recipe)) (s *Scene, off float64) {
		r := plain
		set(&r)
		s = r.Simulate()
		if !slices.Equal(s.Abundances, base.Abundances) || !slices.Equal(s.Endmembers, base.Endmembers) {
			t.Errorf("%+v changes the truth", r)
		}
		energy := 0.0
		for i, v := range s.Pixels {
			off, energy = off+(v-base.Pixels[i])*(v-base.Pixels[i]), energy+base.Pixels[i]*base.Pixels[i]
		}
		return s, math.Sqrt(off / energy)
	}
	s, _ := change(func(r *Recipe) { r.Shade = 0.4 })
	for i, light := range s.Light {
		if v := light * base.Pixels[i*30]; math.Abs(s.Pixels[i*30]-v) > 1e-14 || light < 0.4 || light > 1 {
			t.Fatalf("a light of %g makes %g of %g", light, s.Pixels[i*30], base.Pixels[i*30])
		}
	}
	if lo := slices.Min(s.Light); lo > 0.6 {
		t.Errorf("the darkest pixel has a light of %g", lo)
	}
	if _, off := change(func(r *Recipe) { r.Variability = 0.1 }); off < 0.05 || off > 0.1 {
		t.Errorf("variability of .1 changes pixels by %g", off)
	}
	s, off := change(func(r *Recipe) { r.Bilinear = 0.5 })
	if off < 0.005 || off > 0.2 || slices.Max(s.Pixels) < slices.Max(base.Pixels) {
		t.Errorf("bilinear mixing changes pixels by %g", off)
	}
	s, _ = change(func(r *Recipe) { r.Outliers = 0.004 })
	for i := range 2000 {
		same := slices.Equal(s.Pixels[i*30:][:30], base.Pixels[i*30:][:30])
		if _, found := slices.BinarySearch(s.Strange, i); found == same {
			t.Errorf("pixel %d is as before: %v", i, same)
		}
	}
	if len(s.Strange) != 8 {
		t.Errorf("outliers %v", s.Strange)
	}
}

// The same recipe is the same scene, on all machines up to rounding, and a change of its
// digits would be seen.
func TestPinned(t *testing.T) {
	for p, want := range []float64{18782.6688676, 57151.0609196, 23061.3923445} {
		r := Random(7, Purity(p))
		r.Shade, r.Variability, r.Bilinear, r.Outliers, r.Shot = 0.5, 0.05, 0.3, 0.002, 0.5
		s, again := r.Simulate(), r.Simulate()
		if !slices.Equal(s.Pixels, again.Pixels) || !slices.Equal(s.Abundances, again.Abundances) {
			t.Error("two calls differ")
		}
		rng, sum := rand.New(rand.NewPCG(1, 1)), 0.0
		for _, list := range [][]float64{s.Pixels, s.Abundances, s.Endmembers, s.Light, s.Deviations} {
			for _, v := range list {
				sum += v * rng.Float64()
			}
		}
		if math.Abs(sum/want-1) > 1e-9 {
			t.Errorf("%+v: a sum of %.12g, not %.12g", r, sum, want)
		}
	}
	if slices.Equal(Recipe{Lines: 9, Columns: 9, Bands: 5, Materials: 2}.Simulate().Endmembers,
		Recipe{Seed: 1, Lines: 9, Columns: 9, Bands: 5, Materials: 2}.Simulate().Endmembers) {
		t.Error("two seeds have the same spectra")
	}
}

// A recipe at its limits makes finite pixels.
func TestLimits(t *testing.T) {
	good := Recipe{Lines: 8, Columns: 10, Bands: 6, Materials: 4}
	good.Alike, good.Dark, good.Purity, good.SNR, good.NoiseRatio = 3, 4, None, 50, 1
	good.Shade, good.Shot, good.Bilinear = 1, 1, 1
	for i, v := range good.Simulate().Pixels {
		if v-v != 0 {
			t.Fatalf("entry %d is %g", i, v)
		}
	}
	if None.String() != "none" || Purity(7).String() != "Purity(7)" {
		t.Error(None, Purity(7))
	}
}

// Random recipes are of their ranges, and 36 of them cover all effects.
func TestRandom(t *testing.T) {
	with := map[string]int{}
	for p := Pure; p <= None; p++ {
		for seed := range uint64(12) {
			r := Random(seed, p)
			if r.Lines < 40 || r.Lines > 60 || r.Columns < 40 || r.Columns > 60 || r.Bands < 50 ||
				r.Bands > 200 || r.Materials < 3 || r.Materials > 6 || r.SNR < 20 || r.SNR > 40 {
				t.Errorf("%+v", r)
			}
			for name, v := range map[string]float64{"shade": r.Shade, "variability": r.Variability,
				"bilinear": r.Bilinear, "bands": r.NoiseRatio, "shot": r.Shot, "outliers": r.Outliers,
				"dark": float64(r.Dark), "alike": float64(r.Alike)} {
				if v > 0 {
					with[name]++
				}
			}
		}
	}
	for name, count := range with {
		if count < 9 || count > 32 {
			t.Errorf("%d of 36 recipes have %s", count, name)
		}
	}
	if len(with) != 8 {
		t.Error(with)
	}
}
