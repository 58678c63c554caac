package main

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"softkmeans/internal/scenes"
)

func TestMeanRemoved(t *testing.T) {
	if got := meanRemoved([]float64{1, 2, 6}); got[0] != -2 || got[1] != -1 || got[2] != 3 {
		t.Error(got)
	}
}

// The match is the least of all permutations.
func TestBestMatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var least func(cost *mat.Dense, row int, taken int) float64
	least = func(cost *mat.Dense, row, taken int) float64 {
		k, _ := cost.Dims()
		if row == k {
			return 0
		}
		best := math.Inf(1)
		for j := range k {
			if taken>>j&1 == 0 {
				best = min(best, cost.At(row, j)+least(cost, row+1, taken|1<<j))
			}
		}
		return best
	}
	for k := 1; k <= 6; k++ {
		for range 20 {
			cost := table(k, k, func(_, _ int) float64 { return rng.Float64() })
			sum, seen := 0.0, map[int]bool{}
			for i, j := range bestMatch(cost) {
				sum += cost.At(i, j)
				seen[j] = true
			}
			if len(seen) != k || math.Abs(sum-least(cost, 0, 0)) > 1e-12 {
				t.Errorf("k = %d: %d columns of a cost of %g, not %g", k, len(seen), sum, least(cost, 0, 0))
			}
		}
	}
}

// The truth in another order has no error; a wrong share and shade count as they should.
func TestErrorOf(t *testing.T) {
	s := generated("", scenes.Recipe{Seed: 5, Lines: 12, Columns: 12, Bands: 30, Materials: 3})
	n, d := s.x.Dims()
	order := []int{2, 0, 1}
	turned := func() *unmixing {
		return &unmixing{
			f: table(3, d, func(i, j int) float64 { return s.spectra.At(order[i], j) }),
			g: table(n, 3, func(i, j int) float64 { return s.abundances.At(i, order[j]) }),
		}
	}
	if e := s.errorOf(turned()); e.mrsa > 1e-5 || e.angle > 1e-5 || e.abundances > 1e-15 || e.residual > 1e-14 {
		t.Errorf("the truth: %+v", e)
	}
	u := turned()
	u.f.Scale(2, u.f)
	u.g.Scale(0.5, u.g)
	if e := s.errorOf(u); e.mrsa > 1e-5 || e.abundances > 1e-15 || e.residual > 1e-14 {
		t.Errorf("twice the spectra, half of the shares: %+v", e)
	}
	u = turned()
	for i := range n {
		copy(u.g.RawRowView(i), []float64{0, 0, 1})
	}
	want := 0.0
	for i := range n {
		for l, v := range s.abundances.RawRowView(i) {
			if l == 1 { // the last of order
				v--
			}
			want += v * v
		}
	}
	if e := s.errorOf(u); math.Abs(e.abundances-math.Sqrt(want/float64(3*n))) > 1e-12 || e.residual < 0.01 {
		t.Errorf("one material everywhere: %+v", e)
	}
	for j := range d {
		u.f.Set(0, j, s.spectra.At(2, j)+100)
	}
	if e := s.errorOf(u); e.mrsa > 1e-5 || !(e.angle > 1) {
		t.Errorf("a spectrum plus a constant: %+v", e)
	}
}

// All ways find the materials of a scene that has them as pure pixels, without noise. The
// limits leave room for the penalty: unit rows are no exact mixture of unit spectra.
func TestUnmixWays(t *testing.T) {
	s := generated("", scenes.Recipe{Seed: 5, Lines: 20, Columns: 20, Bands: 30, Materials: 3})
	py := pythonFor(t)
	if py != nil {
		if err := py.load(s.x, s.k()); err != nil {
			t.Fatal(err)
		}
	}
	for _, way := range unmixWays {
		if way.numpy && py == nil {
			continue
		}
		u, err := way.solve(context.Background(), s, py)
		if err != nil {
			t.Fatalf("%s: %v", way.name, err)
		}
		abundances := 0.01
		if way.name == "Unmix, unit rows" { // spectra have the mean length of their rows, whatever their material's is
			abundances = 0.2
		}
		if e := s.errorOf(u); e.mrsa > 0.3 || e.abundances > abundances || e.residual > 0.005 {
			t.Errorf("%s: %+v", way.name, e)
		}
	}
}

// The table of kinds has means and deviations over the scenes of a kind.
func TestKindTable(t *testing.T) {
	score := func(way, kind string, mrsa, abundances, cpu float64) wayScore {
		return wayScore{way, kind, unmixingError{mrsa: mrsa, abundances: abundances}, cpu}
	}
	got := kindTable([]wayScore{score("SPA", "none", 3, 0.25, 1), score("VCA", "pure", 2, 0.5, 1),
		score("SPA", "none", 5, 0.125, 2), score("SPA", "few", 1, 0, 6)})
	want := [][]string{
		{
			"way", "MRSA, pure", "MRSA, few", "MRSA, none",
			"abundance RMSE, pure", "abundance RMSE, few", "abundance RMSE, none", "CPU s",
		},
		{"VCA", "2.0 ± 0.0", "–", "–", "0.500 ± 0.000", "–", "–", "1.00 ± 0.00"},
		{"SPA", "–", "1.0 ± 0.0", "4.0 ± 1.0", "–", "0.000 ± 0.000", "0.188 ± 0.062", "3.00 ± 2.16"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

// Generated scenes have names of their own, and the kind that they say.
func TestRandomScenes(t *testing.T) {
	list := randomScenes(3, 4)
	if len(list) != 6 || list[0].name != "pure_3" || list[5].name != "none_4" || list[5].kind != "none" {
		t.Fatalf("%d scenes", len(list))
	}
	for _, s := range list {
		if err := s.check(); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		if purest := mat.Max(s.abundances); (purest == 1) == (s.kind == "none") {
			t.Errorf("%s: a share of %g", s.name, purest)
		}
	}
}
