package stability

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/tables"
	"softkmeans/metrics"
)

func init() { debug.SetGCPercent(400) } // the tests make much garbage of little memory

// TestOthersShares: without clusters the share that moves is that of the memberships in the other centers, and
// exchanging two of these makes it no smaller.
func TestOthersShares(t *testing.T) {
	t.Parallel()
	x := tables.First(tables.CSV(t, "digits"), 120)
	o := &softkmeans.MinVolumeOptions{Workers: 2}
	m := tables.Must(softkmeans.FitMinVolume(t.Context(), x, 6, o))(t)
	m.Clusters = nil
	before := m.ClusterDoubt
	if err := Others(t.Context(), x, m, o); err != nil || len(m.Others) == 0 || len(m.Warnings) == 0 {
		t.Fatal(m.Warnings, err)
	}
	worst := 0.0
	for _, a := range m.Others {
		g := tables.Must((&softkmeans.Model{Centers: a.Centers}).Predict(nil, x))(t)
		moved := func() (sum float64) {
			for i, v := range g.Data {
				sum += math.Abs(v-m.Memberships.Data[i]) / 2 / float64(x.Rows)
			}
			return sum
		}
		if got := moved(); math.Abs(got-a.Moved) > 1e-6 {
			t.Errorf("%v moves, not %v", got, a.Moved)
		}
		for i := range 6 {
			for j := range i {
				swap := func() {
					for r := range x.Rows {
						row := g.Row(r)
						row[i], row[j] = row[j], row[i]
					}
				}
				if swap(); moved() < a.Moved-1e-6 {
					t.Errorf("%d and %d exchanged move %v, not %v", i, j, moved(), a.Moved)
				}
				swap()
			}
		}
		worst = max(worst, a.Moved)
	}
	if m.ClusterDoubt != before {
		t.Error("shares of memberships became the doubt of labels")
	}
	if w := m.Warnings[len(m.Warnings)-1]; w.Kind != softkmeans.WarnShares || w.Value != worst {
		t.Error(w)
	}
}

// TestOthers: clusters far apart have one answer; digits have several, whose centers and
// share are those of fits by hand.
func TestOthers(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	apart := tables.Mapped(softkmeans.NewMatrix(120, 3, nil), func(i, j int, _ float64) float64 { return rng.NormFloat64() + float64(i%3*j*20) })
	plain := &softkmeans.MinVolumeOptions{Workers: 2}
	m := tables.Must(softkmeans.FitMinVolume(t.Context(), apart, 3, plain))(t)
	if err := Others(t.Context(), apart, m, plain); err != nil || m.Others != nil || m.Warnings != nil {
		t.Errorf("three clusters: %d others, %v, %v", len(m.Others), m.Warnings, err)
	}
	digits := tables.First(tables.CSV(t, "digits"), 120)
	weights := make([]float64, 120)
	for i := range weights {
		weights[i] = float64(i % 3)
	}
	for name, o := range map[string]*softkmeans.MinVolumeOptions{
		"default": plain, "λ": {Lambda: 12000, Seed: 3, Weights: weights}, "weights": {Weights: weights, Slack: 0.4},
	} {
		fit := func(x *softkmeans.Matrix, o *softkmeans.MinVolumeOptions) *softkmeans.Model {
			return tables.Must(softkmeans.FitMinVolume(t.Context(), x, 6, o))(t)
		}
		m := fit(digits, o)
		before := len(m.Warnings)
		if err := Others(t.Context(), digits, m, o); err != nil {
			t.Fatal(name, err)
		}
		if len(m.Others) == 0 || len(m.Warnings) != before+1 {
			t.Fatalf("%s: %d others, %v", name, len(m.Others), m.Warnings)
		}
		w := m.Warnings[before]
		if w.Kind != softkmeans.WarnLabels || !(w.Value > leastMoved && w.Value < 1) || w.String() == "" {
			t.Errorf("%s: %+v", name, w)
		}
		again, a := fit(digits, o), *o
		a.Workers = 1
		if err := Others(t.Context(), digits, again, &a); err != nil || len(again.Others) != len(m.Others) ||
			!tables.Same(again.Others[0].Centers, m.Others[0].Centers) || again.Warnings[before] != w {
			t.Errorf("%s: another answer with one worker: %v", name, err)
		}
		// The same by hand. The largest share of each multiple is listed.
		rng := rand.New(rand.NewPCG(a.Seed, halvesStream))
		rows := tables.Must(draws.Rows(a.Weights, 120))(t)
		var want [2]softkmeans.Answer
		moved := 0.0
		for range 3 {
			rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			for half, factor := range []float64{0.5, 2} {
				chosen := slices.Sorted(slices.Values(rows[half*len(rows)/2 : (half+1)*len(rows)/2]))
				part := a
				part.Weights = chosenWeights(a.Weights, chosen)
				if part.Lambda > 0 {
					part.Lambda *= factor * sumOf(part.Weights) / sumOf(chosenWeights(a.Weights, rows))
				} else {
					part.Slack = factor * m.Slack
				}
				other := fit(draws.Chosen(digits, chosen), &part)
				labels := tables.Must(other.PredictLabels(nil, digits))(t)
				share := 1 - tables.Must(metrics.Accuracy(m.Clusters, labels))(t)
				if moved += share / 6; share > want[half].Moved {
					want[half] = softkmeans.Answer{Centers: other.Centers, Factor: factor, Moved: share}
				}
			}
		}
		all := slices.DeleteFunc(want[:], func(a softkmeans.Answer) bool { return a.Moved <= leastMoved })
		if len(all) != len(m.Others) {
			t.Fatalf("%s: %d others, not %d", name, len(m.Others), len(all))
		}
		most := 0.0
		for i, b := range m.Others {
			if b.Factor != all[i].Factor || b.Moved != all[i].Moved {
				t.Errorf("%s: other answer %d", name, i)
			}
			checkPlaces(t, digits, m, b, all[i].Centers)
			most = max(most, b.Moved)
		}
		if math.Abs(m.ClusterDoubt-moved) > 1e-12 {
			t.Errorf("%s: the doubt is %g, not %g", name, m.ClusterDoubt, moved)
		}
		if most != w.Value {
			t.Errorf("%s: the warning says %g, not %g", name, w.Value, most)
		}
	}
}

// checkPlaces fails unless the centers of an answer are those found, each once.
func checkPlaces(t *testing.T, x *softkmeans.Matrix, m *softkmeans.Model, a softkmeans.Answer, found *softkmeans.Matrix) {
	t.Helper()
	used := make([]bool, found.Rows)
	for j := range a.Centers.Rows {
		at := 0
		for !slices.Equal(found.Row(at), a.Centers.Row(j)) || used[at] {
			if at++; at == found.Rows {
				t.Errorf("center %d was not found", j)
				return
			}
		}
		used[at] = true
	}
}

// chosenWeights returns the weights of rows; nil: all 1.
func chosenWeights(w []float64, rows []int) (list []float64) {
	for _, i := range rows {
		if w == nil {
			return nil
		}
		list = append(list, w[i])
	}
	return list
}

func sumOf(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}

// TestHalfOptions: the multiples stay in range.
func TestHalfOptions(t *testing.T) {
	for _, c := range [][2]softkmeans.MinVolumeOptions{
		{{Slack: math.MaxFloat64}, {Slack: math.MaxFloat64}}, {{Slack: math.SmallestNonzeroFloat64}, {Slack: math.SmallestNonzeroFloat64}},
		{{Lambda: math.SmallestNonzeroFloat64}, {Lambda: math.SmallestNonzeroFloat64}}, {{}, {}}, {{Lambda: 8}, {Lambda: 2}},
	} {
		factor := 0.5
		if c[0].Slack > 1 {
			factor = 2
		}
		if got := halfOptions(c[0], []int{0, 1, 2, 3}, []int{1, 2}, factor); got.Slack != c[1].Slack || got.Lambda != c[1].Lambda {
			t.Errorf("%g, %g for %g, %g", got.Slack, got.Lambda, c[0].Slack, c[0].Lambda)
		}
	}
}

// TestOthersFixed: fixed centers stay, in their places, in the other answers and in the draws of Bootstrap.
func TestOthersFixed(t *testing.T) {
	x := tables.First(tables.CSV(t, "digits"), 200)
	o := &softkmeans.MinVolumeOptions{Fixed: tables.First(x, 3).Clone(), Seed: 1}
	m := tables.Must(softkmeans.FitMinVolume(t.Context(), x, 10, o))(t)
	if err := Others(t.Context(), x, m, o); err != nil || m.Others == nil {
		t.Fatal(m.Others, err)
	}
	for _, a := range m.Others {
		for i := range 3 {
			if !slices.Equal(a.Centers.Row(i), o.Fixed.Row(i)) {
				t.Errorf("%v times the slack: center %d is not the fixed one", a.Factor, i)
			}
		}
	}
	all := softkmeans.MinVolumeOptions{Fixed: m.Centers}
	known := tables.Must(softkmeans.FitMinVolume(t.Context(), x, 10, &all))(t)
	known.Warnings = nil
	if err := Others(t.Context(), x, known, &all); err != nil || known.Others != nil || known.Warnings != nil {
		t.Errorf("all fixed: %v, %v, %v", known.Others, known.Warnings, err)
	}
	s := tables.Must(Bootstrap(t.Context(), x, m, &BootstrapOptions{MinVolumeOptions: *o, Resamples: 3}))(t)
	for i := range 3 {
		for j, v := range o.Fixed.Row(i) {
			if s.Lower.At(i, j) != v || s.Upper.At(i, j) != v {
				t.Fatalf("center %d, column %d: from %v to %v, not %v", i, j, s.Lower.At(i, j), s.Upper.At(i, j), v)
			}
		}
	}
}

// TestAssignFixed: fixed centers are matched with themselves if others are nearer, and if all are fixed.
func TestAssignFixed(t *testing.T) {
	f := softkmeans.NewMatrix(3, 1, []float64{0, 10, 20})
	g := softkmeans.NewMatrix(3, 1, []float64{9, 21, 0})
	for n, want := range [][]int{{2, 0, 1}, {0, 2, 1}, {0, 1, 2}, {0, 1, 2}} {
		if got := matchCenters(f, g, softkmeans.NewMatrix(n, 1, nil)); !slices.Equal(got, want) {
			t.Errorf("%d fixed: %v, want %v", n, got, want)
		}
	}
}

// TestOthersErrors: what cannot be looked at, and a context that ends, leave the model.
func TestOthersErrors(t *testing.T) {
	x := tables.First(tables.CSV(t, "digits"), 200)
	m := tables.Must(softkmeans.FitMinVolume(t.Context(), x, 10, nil))(t)
	ended, end := context.WithCancel(t.Context())
	end()
	bare := *m
	bare.Clusters, bare.Memberships = nil, nil
	light := make([]float64, 200)
	for i := range light[130:] {
		light[130+i] = 1
	}
	empty := softkmeans.NewMatrix(0, 3, nil)
	for name, c := range map[string]struct {
		ctx  context.Context
		x    *softkmeans.Matrix
		m    *softkmeans.Model
		o    *softkmeans.MinVolumeOptions
		want error
	}{
		"no model": {t.Context(), x, nil, nil, softkmeans.ErrShape}, "an empty model": {t.Context(), empty, &softkmeans.Model{}, nil, softkmeans.ErrShape},
		"no centers": {t.Context(), softkmeans.NewMatrix(2, 3, nil), &softkmeans.Model{Clusters: []int{0, 0}}, nil, softkmeans.ErrShape},
		"no rows":    {t.Context(), nil, m, nil, softkmeans.ErrShape}, "no labels": {t.Context(), x, &bare, nil, softkmeans.ErrShape},
		"other rows":    {t.Context(), tables.First(x, 199), m, nil, softkmeans.ErrShape},
		"other columns": {t.Context(), softkmeans.NewMatrix(200, 3, nil), m, nil, softkmeans.ErrShape},
		"weights":       {t.Context(), x, m, &softkmeans.MinVolumeOptions{Weights: make([]float64, 3)}, softkmeans.ErrShape},
		"options":       {t.Context(), x, m, &softkmeans.MinVolumeOptions{Slack: -1}, softkmeans.ErrOption},
		"ended":         {ended, x, m, nil, context.Canceled},
		"few":           {t.Context(), x, m, &softkmeans.MinVolumeOptions{Weights: light}, nil},
	} {
		if err := Others(c.ctx, c.x, c.m, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if m.Others != nil || m.Warnings != nil {
			t.Errorf("%s: the model has changed", name)
		}
	}
}
