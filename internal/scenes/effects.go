package scenes

// What a scene is made of, in the order of its making.

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Reflectance overwrites a row with a smooth spectrum from 0.02 to 0.98: a level, a slope,
// two broad bumps, and three absorption bands.
func Reflectance(row []float64, rng *rand.Rand) {
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
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
		t := position(j, len(row))
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

func bell(t, at, width float64) float64 { return math.Exp(-(t - at) * (t - at) / (2 * width * width)) }

// position returns the place of a band: 0 for the first of them, 1 for the last.
func position(band, bands int) float64 { return float64(band) / float64(max(bands-1, 1)) }

// Angle returns the angle between two spectra, in degrees: 90 if either is 0.
func Angle(u, v []float64) float64 {
	var uv, uu, vv float64
	for j := range u {
		uv += u[j] * v[j]
		uu += u[j] * u[j]
		vv += v[j] * v[j]
	}
	if !(uu > 0 && vv > 0) {
		return 90
	}
	return 180 / math.Pi * math.Acos(min(max(uv/math.Sqrt(uu*vv), -1), 1))
}

// makeEndmembers copies the recipe's spectra, or makes some. These are at least 8 degrees
// from each other and at most 40, but for the last, which may be alike one before. The
// first are dark. The last of 1000 tries is kept, whatever its angles.
func (s *Scene) makeEndmembers() {
	s.Endmembers = make([]float64, s.Materials*s.Bands)
	rng := s.stream(spectraStream)
	for l := range s.Materials {
		row := s.Endmembers[l*s.Bands:][:s.Bands]
		if s.Spectra != nil {
			copy(row, s.Spectra[l])
			continue
		}
		least, kin := 8.0, -1
		if l >= s.Materials-s.Alike {
			least, kin = 2.9, rng.IntN(l)
		}
		for range 1000 {
			Reflectance(row, rng)
			brightness := 0.3 + 0.7*rng.Float64()
			if kin >= 0 {
				s.approach(row, kin, 3+4*rng.Float64())
			}
			for j := range row {
				row[j] *= brightness
			}
			if l < s.Dark {
				lo, hi := slices.Min(row), slices.Max(row)
				for j, v := range row {
					row[j] = 0.01 + 0.04*(v-lo)/(hi-lo)
				}
			}
			fits := true
			for m := range l {
				a := Angle(row, s.Endmembers[m*s.Bands:][:s.Bands])
				fits = fits && a >= least && a <= 40
			}
			if fits {
				break
			}
		}
	}
}

// approach mixes row with the spectrum of material kin, so that at most `degrees` are between the two.
func (s *Scene) approach(row []float64, kin int, degrees float64) {
	to, from := s.Endmembers[kin*s.Bands:][:s.Bands], slices.Clone(row)
	lo, hi := 0.0, 1.0
	for range 40 {
		t := (lo + hi) / 2
		for j := range row {
			row[j] = (1-t)*from[j] + t*to[j]
		}
		if Angle(row, to) > degrees {
			lo = t
		} else {
			hi = t
		}
	}
}

// field returns a smooth Gaussian random field with mean 0 and deviation 1, the sum of
// waves of all directions. Its length is a twelfth to a fifth of the smaller side.
func (s *Scene) field(rng *rand.Rand) []float64 {
	const waves = 40
	length := float64(min(s.Lines, s.Columns)) * (1./12 + (1./5-1./12)*rng.Float64())
	f, across := make([]float64, s.Lines*s.Columns), make([][2]float64, s.Columns)
	for range waves {
		down, right, phase := rng.NormFloat64()/length, rng.NormFloat64()/length, 2*math.Pi*rng.Float64()
		for j := range across {
			across[j][0], across[j][1] = math.Sincos(right*float64(j) + phase)
		}
		for i := range s.Lines { // cos(a+b) = cos a·cos b − sin a·sin b
			sin, cos := math.Sincos(down * float64(i))
			for j, at := range across {
				f[i*s.Columns+j] += cos*at[1] - sin*at[0]
			}
		}
	}
	mean, square := 0.0, 0.0
	for _, v := range f {
		mean += v / float64(len(f))
	}
	for _, v := range f {
		square += (v - mean) * (v - mean) / float64(len(f))
	}
	for i := range f {
		f[i] = (f[i] - mean) / math.Sqrt(square)
	}
	return f
}

// makeAbundances draws a field and a mean share for each material: the shares are the
// softmax of the fields, which a few rounds move to these means. Then the largest share of
// each pixel is stretched so that that of each material ends at what its purity says, and
// the others fill up what is left. So zeros stay, which minimum volume rests on.
func (s *Scene) makeAbundances() {
	rng, k, n := s.stream(shareStream), s.Materials, s.Lines*s.Columns
	logits, shares := make([]float64, n*k), make([]float64, n*k)
	// The softer the fields are, the fewer pixels lie at the largest share.
	sharpness := [...]float64{Pure: 3, Few: 2, None: 1.5}[s.Purity] * (1 + rng.Float64())
	target, offset := make([]float64, k), make([]float64, k)
	for l := range k {
		target[l] = 0.4 + 0.6*rng.Float64()
		for i, v := range s.field(rng) {
			logits[i*k+l] = sharpness * (v + 0.15*rng.NormFloat64())
		}
	}
	total := 0.0
	for _, v := range target {
		total += v
	}
	mean := make([]float64, k)
	for range 10 {
		clear(mean)
		for i := range n {
			row := shares[i*k:][:k]
			softmax(row, logits[i*k:][:k], offset)
			for l, v := range row {
				mean[l] += v / float64(n)
			}
		}
		for l := range offset {
			offset[l] += math.Log(target[l] / total / mean[l])
		}
	}
	largest := make([][]float64, k) // the shares of the pixels where a material has the largest
	for i := range n {
		l := argmax(shares[i*k:][:k])
		largest[l] = append(largest[l], shares[i*k+l])
	}
	for l, list := range largest {
		slices.Sort(list)
		if len(list) == 0 { // no pixel has more of it than of others
			largest[l] = []float64{1}
		}
	}
	caps, pure := s.caps(rng)
	for i := range n {
		row := shares[i*k:][:k]
		l := argmax(row)
		top := largest[l][max(len(largest[l])-pure[l], 0)]
		stretch(row, l, top, caps[l])
	}
	s.Abundances = shares
}

// caps draws the largest share of each material, and how many pixels have it. Without pure
// pixels it is above 1/√(k−1), below which the least volume says little (Lin and others,
// Identifiability of the simplex volume minimization criterion, 2015).
func (s *Scene) caps(rng *rand.Rand) (caps []float64, pixels []int) {
	k, n := s.Materials, s.Lines*s.Columns
	impure := rng.Perm(k)[:(k+1)/2]
	for l := range k {
		cap, count := 1.0, max(3, n/200)
		switch u := rng.Float64(); {
		case s.Purity == None:
			least := min(max(0.65, 1/math.Sqrt(float64(k-1))+0.03), 0.78)
			cap, count = least+(0.8-least)*u, 1
		case s.Purity == Few && slices.Contains(impure, l):
			cap, count = 0.85+0.1*u, 1
		case s.Purity == Few:
			count = 1
		}
		caps, pixels = append(caps, cap), append(pixels, count)
	}
	return caps, pixels
}

// stretch maps the largest share of a pixel so that top becomes cap, the more the larger
// it is. The other shares keep their ratios.
func stretch(row []float64, l int, top, cap float64) {
	from := min(max(0.45, cap-0.3), 0.7*top)
	old := row[l]
	if old <= from {
		return
	}
	now := min(from+(old-from)*(cap-from)/(top-from), cap)
	rest := 0.0
	for m := range row {
		if m != l {
			rest += row[m]
		}
	}
	for m := range row {
		if m != l && rest > 0 {
			row[m] *= (1 - now) / rest
		}
	}
	row[l] = now
}

func softmax(dst, logits, offset []float64) {
	most, sum := math.Inf(-1), 0.0
	for l, v := range logits {
		most = max(most, v+offset[l])
	}
	for l, v := range logits {
		dst[l] = math.Exp(v + offset[l] - most)
		sum += dst[l]
	}
	for l := range dst {
		dst[l] /= sum
	}
}

func argmax(row []float64) int {
	best := 0
	for l, v := range row {
		if v > row[best] {
			best = l
		}
	}
	return best
}

// makeLight draws the illumination: half of the scene is in the sun, the rest in a shade
// that is smooth but for a fifth of it.
func (s *Scene) makeLight() {
	rng, depth := s.stream(lightStream), 1-s.Shade
	if s.Shade == 0 {
		depth = 0
	}
	for _, v := range s.field(rng) {
		dark := 0.8*min(max(v, 0)/2, 1) + 0.2*rng.Float64()*rng.Float64()
		s.Light = append(s.Light, 1-depth*dark)
	}
}

// mix makes the pixels: the light times the mixture of the spectra, as they are there.
func (s *Scene) mix() {
	k, d, twice := s.Materials, s.Bands, s.stream(bilinearStream)
	s.Pixels = make([]float64, s.Lines*s.Columns*d)
	vary := s.varying()
	for i := range s.Lines * s.Columns {
		row, share, spectra := s.Pixels[i*d:][:d], s.Abundances[i*k:][:k], vary(i)
		for l := range k {
			for j := range d {
				row[j] += share[l] * spectra[l*d+j]
			}
			for m := range l {
				gamma := s.Bilinear * twice.Float64() * share[l] * share[m]
				for j := 0; gamma > 0 && j < d; j++ {
					row[j] += gamma * spectra[l*d+j] * spectra[m*d+j]
				}
			}
		}
		for j := range row {
			row[j] *= s.Light[i]
		}
	}
}

// varying returns the spectra of the materials in a pixel. Pixels come in order. A spectrum varies by a
// scale, which is smooth over the scene, a slope and a wave, whose squares have the mean 11/6 together.
func (s *Scene) varying() func(i int) []float64 {
	if s.Variability == 0 {
		return func(int) []float64 { return s.Endmembers }
	}
	rng, d, size := s.stream(variabilityStream), s.Bands, s.Variability/math.Sqrt(11./6)
	scale, wave, here := make([][]float64, s.Materials), make([]float64, d), make([]float64, s.Materials*d)
	for l := range scale {
		scale[l] = s.field(rng)
	}
	for j := range wave {
		wave[j] = math.Cos(2 * math.Pi * position(j, d))
	}
	return func(i int) []float64 {
		for l := range scale {
			slope, curve := rng.NormFloat64(), rng.NormFloat64()
			for j, v := range s.Endmembers[l*d:][:d] {
				here[l*d+j] = v * max(1+size*(scale[l][i]+slope*(2*position(j, d)-1)+curve*wave[j]), 0)
			}
		}
		return here
	}
}

// addOutliers overwrites pixels: every second is saturated, at 1.1 times the scene's
// largest entry in a part of the bands, the others are of a material of their own.
func (s *Scene) addOutliers() {
	if s.Outliers == 0 {
		return
	}
	rng, n := s.stream(outlierStream), s.Lines*s.Columns
	s.Strange = rng.Perm(n)[:max(1, int(math.Round(s.Outliers*float64(n))))]
	slices.Sort(s.Strange)
	most := 1.1 * slices.Max(s.Pixels)
	for at, i := range s.Strange {
		row := s.Pixels[i*s.Bands:][:s.Bands]
		if at%2 == 0 {
			start := rng.IntN(s.Bands)
			for j := start; j < min(start+s.Bands/2+1, s.Bands); j++ {
				row[j] = most
			}
		} else {
			Reflectance(row, rng)
		}
	}
}

// addNoise adds noise whose energy is that of the signal less SNR. In the logarithm its
// deviations follow a smooth curve over the bands, and four peaks: the absorption of water
// at 1400 and 1900 nm and the ends of the range.
func (s *Scene) addNoise(signal float64) {
	rng, d, n := s.stream(noiseStream), s.Bands, s.Lines*s.Columns
	level := make([]float64, d)
	phase, turns := 2*math.Pi*rng.Float64(), 1+2*rng.Float64()
	for j, nm := range s.Wavelengths {
		level[j] = 0.2 + 0.2*math.Cos(turns*math.Pi*position(j, d)+phase)
		for _, peak := range [][2]float64{{400, 50}, {1400, 35}, {1900, 45}, {2500, 50}} {
			level[j] = max(level[j], bell(nm, peak[0], peak[1]))
		}
	}
	lo, hi := slices.Min(level), slices.Max(level)
	mean, energy := make([]float64, d), 0.0
	for i, v := range s.Pixels {
		mean[i%d] += v / float64(n)
	}
	for j := range level {
		sigma := math.Pow(max(s.NoiseRatio, 1), (level[j]-lo)/(hi-lo))
		energy += float64(n) * sigma * sigma
		s.Deviations = append(s.Deviations, sigma)
	}
	size := math.Sqrt(signal / energy * math.Pow(10, -s.SNR/10))
	for j := range s.Deviations {
		s.Deviations[j] *= size
	}
	for i, v := range s.Pixels {
		variance := 1.0
		if m := mean[i%d]; m > 0 {
			variance += s.Shot * (max(v, 0)/m - 1)
		}
		s.Pixels[i] += s.Deviations[i%d] * math.Sqrt(variance) * rng.NormFloat64()
	}
}
