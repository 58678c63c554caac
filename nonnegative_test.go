package softkmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// scarce returns n noisy mixtures of k prototypes of which half of the entries are 0.
func scarce(n, d, k int, noise float64, seed uint64) (x, prototypes *Matrix) {
	rng := rand.New(rand.NewPCG(seed, 5))
	prototypes, x = NewMatrix(k, d, nil), NewMatrix(n, d, nil)
	for i := range prototypes.Data {
		prototypes.Data[i] = max(0, rng.NormFloat64())
	}
	for i := range n {
		shares, sum := make([]float64, k), 0.0
		for j := range shares {
			shares[j] = math.Pow(rng.Float64(), 3)
			sum += shares[j]
		}
		for j, v := range shares {
			axpy(x.row(i), v/sum, prototypes.row(j))
		}
		for c := range d {
			x.row(i)[c] += noise * rng.NormFloat64()
		}
	}
	return x, prototypes
}

// TestNonNegative: centers are at least 0, the loss never rises, no step within the bound
// lowers it, and the bits do not depend on workers. Without the option some are below 0.
func TestNonNegative(t *testing.T) {
	x, _ := scarce(60, 8, 3, 0.05, 3)
	for _, o := range []MinVolumeOptions{{Init: InitSPA, Slack: 0.02}, {Init: InitKMeans, Volume: VolumeAffine}, {Sum: SumAtMostOne, Init: InitSPA}, {Init: InitGlobal, Slack: 0.01}} {
		free, err := FitMinVolume(bg, x, 3, &o)
		if err != nil {
			t.Fatal(err)
		}
		o.NonNegative, o.Workers, o.Tol = true, 1, 1e-7
		m, err := FitMinVolume(bg, x, 3, &o)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Min(m.Centers.Data) < 0 || m.Objective < m.Floor {
			t.Errorf("%+v: smallest entry %v, objective %v, floor %v", o, slices.Min(m.Centers.Data), m.Objective, m.Floor)
		}
		if o.Init == InitSPA && slices.Min(free.Centers.Data) >= 0 {
			t.Errorf("%+v: the bound is not needed", o)
		}
		for i := 1; i < len(m.Trace); i++ {
			if m.Trace[i] > m.Trace[i-1] {
				t.Errorf("%+v: the loss rises at %d", o, i)
			}
		}
		if m.Stationarity > 1e-2 {
			t.Errorf("%+v: stationarity %v", o, m.Stationarity)
		}
		o.Workers = 3
		if again, err := FitMinVolume(bg, x, 3, &o); err != nil || !slices.Equal(again.Centers.Data, m.Centers.Data) || !slices.Equal(again.Trace, m.Trace) {
			t.Errorf("%+v: other bits with other workers (%v)", o, err)
		}
	}
}

// TestBoundedStep: the F-step's columns are the minimisers that trying all supports finds.
func TestBoundedStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const n, k, d = 40, 4, 9
	m := alternation{ctx: bg, s: &samples{n: n, d: d, workers: 1}, z: NewMatrix(n, d, nil), k: k, lambda: 0.5, low: make([]float64, d)}
	for c := range d {
		m.low[c] = rng.NormFloat64() / 2
	}
	from := m.newIterate()
	from.gg.Data, from.gz.Data, from.majoriser.Data = gramOf(k, 3, rng), randomSlice(k*d, rng), gramOf(k, 1, rng)
	copy(from.f.Data, randomSlice(k*d, rng))
	f := NewMatrix(k, d, nil)
	m.centersStep(f, from)
	a := slices.Clone(from.gg.Data)
	axpy(a, m.lambda/2, from.majoriser.Data)
	bound := 0
	for c, low := range m.low {
		r := make([]float64, k)
		for j := range k {
			r[j] = from.gz.row(j)[c]
		}
		for j, u := range leastBounded(a, r, low) {
			if math.Abs(f.row(j)[c]-low-u) > 1e-7 || f.row(j)[c] < low {
				t.Errorf("column %d: center %d is at %v, want %v", c, j, f.row(j)[c], low+u)
			}
			if u == 0 {
				bound++
			}
		}
	}
	if bound == 0 || bound == k*d {
		t.Errorf("%d entries at their bounds", bound)
	}
}
