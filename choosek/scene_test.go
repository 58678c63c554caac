package choosek

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/scenes"
	"softkmeans/internal/tables"
)

// simulated returns the pixels of a scene.
func simulated(t *testing.T, r scenes.Recipe) (*scenes.Scene, *softkmeans.Matrix) {
	t.Helper()
	s := r.Simulate()
	return s, softkmeans.NewMatrix(s.Lines*s.Columns, s.Bands, s.Pixels)
}

// TestProposeSceneCounts: the number of materials is found or missed by one in nearly all scenes. Run
//
//	SOFTKMEANS_LONG=1 go test -run ProposeSceneCounts -v ./choosek
//
// for the numbers of docs/accuracy.md: even seeds below 30, on which the rule was chosen, odd ones, and
// 100 to 129.
func TestProposeSceneCounts(t *testing.T) {
	t.Parallel()
	lists := map[string][3]int{"seeds 0 and 2": {0, 3, 2}} // from, to, step
	if os.Getenv("SOFTKMEANS_LONG") != "" {
		lists = map[string][3]int{"even seeds": {0, 30, 2}, "odd seeds": {1, 30, 2},
			"seeds from 100": {100, 130, 1}}
	}
	for name, l := range lists {
		var right, near, before, nearBefore, all int
		for seed := l[0]; seed < l[1]; seed += l[2] {
			for purity := scenes.Pure; purity <= scenes.None; purity++ {
				s, x := simulated(t, scenes.Random(uint64(seed), purity))
				p := tables.Must(ProposeScene(t.Context(), x, nil))(t)
				floors := tables.Must(softkmeans.Floors(t.Context(), x, nil))(t)
				old := tables.Must(Propose(floors))(t)
				count := func(k int, right, near *int) {
					if k == s.Materials {
						*right++
					}
					if k >= s.Materials-1 && k <= s.Materials+1 {
						*near++
					}
				}
				count(p.K, &right, &near)
				count(old.K, &before, &nearBefore)
				all++
			}
		}
		t.Logf("%s: of %d scenes %d right, %d within one; by floors %d and %d", name, all, right, near,
			before, nearBefore)
		if 10*near < 8*all || 2*right < all {
			t.Errorf("%s: of %d scenes %d right, %d within one", name, all, right, near)
		}
	}
}

// sceneOf has k materials, noise that differs between bands, and light and shade.
func sceneOf(k int) scenes.Recipe {
	return scenes.Recipe{Seed: 3, Lines: 32, Columns: 30, Bands: 40, Materials: k, Shade: .4, SNR: 30,
		NoiseRatio: 20}
}

// TestProposeScene: the number does not change with the units of bands, the brightness and the order of the
// pixels, a few pixels of other materials, and weights.
func TestProposeScene(t *testing.T) {
	t.Parallel()
	for k := 2; k <= 6; k += 2 {
		_, x := simulated(t, sceneOf(k))
		p, err := ProposeScene(t.Context(), x, nil)
		if err != nil || p.K != k || !strings.Contains(p.Reason, " directions of the pixels have 1 % ") {
			t.Fatalf("%d materials: %+v, %v", k, p, err)
		}
		if p.Step[k-2] <= p.Stick[k-2] || p.Step[k-1] > p.Stick[k-1] || len(p.Explained) != 40 ||
			math.Abs(p.Explained[39]-1) > 1e-12 {
			t.Errorf("%d materials: %+v", k, p)
		}
		rng := rand.New(rand.NewPCG(1, uint64(k)))
		same := func(what string, y *softkmeans.Matrix, o *Options, tol float64) {
			q, err := ProposeScene(t.Context(), y, o)
			if err != nil || q.K != k {
				t.Fatalf("%d materials, %s: %+v, %v", k, what, q, err)
			}
			for i, v := range p.Explained {
				if math.Abs(v-q.Explained[i]) > tol {
					t.Errorf("%d materials, %s: explained %v, not %v", k, what, q.Explained[i], v)
				}
			}
		}
		y := x.Clone()
		for c := range y.Cols {
			factor := math.Exp2(2*rng.Float64() - 1)
			for i := range y.Rows {
				y.Row(i)[c] *= factor
			}
		}
		same("other units", y, nil, 1e-6)
		far := softkmeans.NewMatrix(x.Rows, 2*x.Cols+1, nil)
		for i := range x.Rows {
			for c, v := range x.Row(i) {
				far.Row(i)[2*c+1] = v * math.Pow(10, float64(c*11%40)*11/40)
			}
		}
		same("units that differ by 1e11, and columns of 0", far, nil, 1e-2)
		y = draws.Chosen(x, rng.Perm(x.Rows))
		same("another order", y, nil, 1e-9)
		for i := range y.Rows {
			factor := math.Exp(rng.NormFloat64() / 4)
			for c := range y.Row(i) {
				y.Row(i)[c] *= factor
			}
		}
		same("other brightness", y, nil, 1e-2)
		y = x.Clone()
		strange := make([]float64, x.Cols)
		for i := range 3 {
			scenes.Reflectance(strange, rng)
			for c, v := range strange {
				y.Row(7 * i)[c] = 3 * v * float64(1+c%2)
			}
		}
		same("strange pixels", y, nil, 1e-2)
		weights := make([]float64, x.Rows+100)
		for i := range x.Rows {
			weights[i] = .5
		}
		y = softkmeans.NewMatrix(len(weights), x.Cols, append(slices.Clone(x.Data),
			tables.Normal(100, x.Cols, 5).Data...))
		same("rows of weight 0", y, &Options{Weights: weights}, 1e-12)
		if q, err := ProposeScene(t.Context(), x, &Options{MaxK: 2}); err != nil || q.K != 2 {
			t.Errorf("MaxK of 2: %+v, %v", q, err)
		}
		few := softkmeans.NewMatrix(20, x.Cols, x.Data[:20*x.Cols])
		if q, err := ProposeScene(t.Context(), few, &Options{MaxK: 1}); err != nil || q.K > 1 {
			t.Errorf("few rows, MaxK of 1: %+v, %v", q, err)
		}
	}
}

// TestProposeSceneCopies: columns that are copies of others or 0 have no noise of their own, and do not
// hide materials.
func TestProposeSceneCopies(t *testing.T) {
	t.Parallel()
	r := sceneOf(6)
	r.NoiseRatio = 0
	_, x := simulated(t, r)
	y := softkmeans.NewMatrix(x.Rows, x.Cols+5, nil)
	for i := range y.Rows {
		copy(y.Row(i), x.Row(i))
		copy(y.Row(i)[x.Cols:], x.Row(i)[:3])
	}
	if p, err := ProposeScene(t.Context(), y, nil); err != nil || p.K != 6 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestProposeSceneSimple: what says nothing of its noise has the proposal of its floors.
func TestProposeSceneSimple(t *testing.T) {
	t.Parallel()
	exact := tables.Mixtures(200, 30, 4, 1)
	constant := softkmeans.NewMatrix(100, 10, slices.Repeat([]float64{2}, 1000))
	for name, x := range map[string]*softkmeans.Matrix{"exact": exact, "constant": constant,
		"few rows": tables.Noisy(tables.Mixtures(40, 30, 3, 2), 30, 3),
		"zero":     softkmeans.NewMatrix(50, 6, nil), "3 columns": tables.Normal(50, 3, 4)} {
		floors := tables.Must(softkmeans.Floors(t.Context(), x, nil))(t)
		want := tables.Must(Propose(floors))(t)
		p, err := ProposeScene(t.Context(), x, nil)
		if err != nil || p.K != want.K || p.Reason != want.Reason {
			t.Errorf("%s: %+v, %v, not %+v", name, p, err, want)
		}
	}
	if p, err := ProposeScene(t.Context(), exact, nil); err != nil || p.K != 4 {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := ProposeScene(t.Context(), tables.Normal(400, 20, 6), nil); err != nil || p.K != 0 ||
		p.Reason != "nothing stands out of the noise" {
		t.Errorf("noise: %+v, %v", p, err)
	}
}

func TestProposeSceneErrors(t *testing.T) {
	t.Parallel()
	x := tables.Normal(50, 6, 1)
	bad := x.Clone()
	bad.Data[7] = math.NaN()
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		x    *softkmeans.Matrix
		o    *Options
		want error
	}{
		{t.Context(), x, &Options{MaxK: -1}, softkmeans.ErrOption},
		{t.Context(), x, &Options{Workers: -1}, softkmeans.ErrOption},
		{t.Context(), x, &Options{Weights: []float64{1}}, softkmeans.ErrShape},
		{t.Context(), x, &Options{Weights: make([]float64, 50)}, softkmeans.ErrTooFewSamples},
		{t.Context(), bad, nil, softkmeans.ErrNonFinite},
		{t.Context(), softkmeans.NewMatrix(3, 0, nil), nil, softkmeans.ErrShape},
		{t.Context(), softkmeans.NewMatrix(0, 3, nil), nil, softkmeans.ErrTooFewSamples},
		{stopped, x, nil, context.Canceled},
	} {
		if p, err := ProposeScene(c.ctx, c.x, c.o); !errors.Is(err, c.want) || p.K != 0 {
			t.Errorf("%+v, %v, not %v", p, err, c.want)
		}
	}
}
