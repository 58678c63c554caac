package softkmeans

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestOtherAnswers: clusters far apart have one answer; noise, and digits, have several,
// whose centers and share are those of fits by hand.
func TestOtherAnswers(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	apart := mapped(NewMatrix(120, 3, nil), func(i, j int, _ float64) float64 { return rng.NormFloat64() + float64(i%3*j*20) })
	o := &MinVolumeOptions{Workers: 2}
	m := mustDo(FitMinVolume(bg, apart, 3, o))(t)
	if err := OtherAnswers(bg, apart, m, o); err != nil || m.Others != nil || m.Warnings != nil {
		t.Errorf("three clusters: %d others, %v, %v", len(m.Others), m.Warnings, err)
	}
	tumours := standardized(loadCSV(t, "breast_cancer")) // some halves label 3 % otherwise
	m = mustDo(FitMinVolume(bg, tumours, 2, o))(t)
	if err := OtherAnswers(bg, tumours, m, o); err != nil || m.Others != nil || m.Warnings != nil {
		t.Errorf("breast_cancer: %d others, %v, %v", len(m.Others), m.Warnings, err)
	}
	digits := rowsOf(loadCSV(t, "digits"), 0, 300)
	weights := make1(300)
	for i := range weights {
		weights[i] = float64(i % 3)
	}
	for name, o := range map[string]*MinVolumeOptions{
		"default": {Workers: 2}, "λ": {Lambda: 30000, Seed: 3, Weights: weights}, "weights": {Weights: weights, Slack: 0.4},
	} {
		m := mustDo(FitMinVolume(bg, digits, 10, o))(t)
		before := len(m.Warnings)
		if err := OtherAnswers(bg, digits, m, o); err != nil {
			t.Fatal(name, err)
		}
		if len(m.Others) == 0 || len(m.Warnings) != before+1 {
			t.Fatalf("%s: %d others, %v", name, len(m.Others), m.Warnings)
		}
		w := m.Warnings[before]
		if w.Kind != WarnLabels || !(w.Value > leastMoved && w.Value < 1) || w.String() == "" {
			t.Errorf("%s: %+v", name, w)
		}
		again := mustDo(FitMinVolume(bg, digits, 10, o))(t)
		a := orZero(o)
		a.Workers = 1
		if err := OtherAnswers(bg, digits, again, &a); err != nil || len(again.Others) != len(m.Others) || maxDiff(again.Others[0].Centers, m.Others[0].Centers) != 0 || again.Warnings[before] != w {
			t.Errorf("%s: another answer with one worker: %v", name, err)
		}
		// The same by hand. The largest share of each multiple is listed.
		rng := rand.New(rand.NewPCG(a.Seed, halvesStream))
		rows := slices.DeleteFunc(indices(300), func(i int) bool { return a.Weights != nil && a.Weights[i] == 0 })
		var want [2]Answer
		for range 3 {
			rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			for half, factor := range []float64{0.5, 2} {
				chosen := slices.Sorted(slices.Values(rows[half*len(rows)/2 : (half+1)*len(rows)/2]))
				part := a
				if part.Lambda > 0 {
					part.Lambda = part.Lambda * factor * sumOf(chosenWeights(a.Weights, chosen)) / sumOf(chosenWeights(a.Weights, rows))
				} else {
					part.Slack = factor * orDefault(a.Slack, DefaultSlack)
				}
				if a.Weights != nil {
					part.Weights = chosenWeights(a.Weights, chosen)
				}
				other := mustDo(FitMinVolume(bg, chosenRows(digits, chosen), 10, &part))(t)
				labels := mustDo(other.PredictLabels(nil, digits))(t)
				if share := 1 - mustDo(Accuracy(m.Clusters, labels))(t); share > want[half].Moved {
					want[half] = Answer{chosenRows(other.Centers, matching(m.Clusters, labels, 10)), factor, share}
				}
			}
		}
		all := slices.DeleteFunc(want[:], func(a Answer) bool { return a.Moved <= leastMoved })
		if len(all) != len(m.Others) {
			t.Fatalf("%s: %d others, not %d", name, len(m.Others), len(all))
		}
		most := 0.0
		for i, b := range m.Others {
			if b.Factor != all[i].Factor || b.Moved != all[i].Moved || maxDiff(b.Centers, all[i].Centers) != 0 {
				t.Errorf("%s: other answer %d", name, i)
			}
			most = max(most, b.Moved)
		}
		if most != w.Value {
			t.Errorf("%s: the warning says %g, not %g", name, w.Value, most)
		}
	}
}

// chosenWeights are the weights of rows; nil: all 1.
func chosenWeights(w []float64, rows []int) (list []float64) {
	for _, i := range rows {
		if w == nil {
			list = append(list, 1)
		} else {
			list = append(list, w[i])
		}
	}
	return list
}

// TestHalfOptions: the multiples stay in range.
func TestHalfOptions(t *testing.T) {
	for _, c := range [][2]MinVolumeOptions{
		{{Slack: math.MaxFloat64}, {Slack: math.MaxFloat64}}, {{Slack: math.SmallestNonzeroFloat64}, {Slack: math.SmallestNonzeroFloat64}},
		{{Lambda: math.SmallestNonzeroFloat64}, {Lambda: math.SmallestNonzeroFloat64}}, {{}, {Slack: 0.125}}, {{Lambda: 8}, {Lambda: 2}},
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

// TestMatching: pairs share most rows, and all are used.
func TestMatching(t *testing.T) {
	a := []int{0, 0, 0, 1, 1, 1, 1, 2, 2, 3}
	b := []int{2, 2, 1, 2, 2, 2, 0, 1, 1, 2}
	if got := matching(a, b, 5); !slices.Equal(got, []int{0, 2, 1, 3, 4}) {
		t.Errorf("%v", got)
	}
}

// TestOtherAnswersErrors: what cannot be looked at, and a context that ends, leave the model.
func TestOtherAnswersErrors(t *testing.T) {
	x := rowsOf(loadCSV(t, "digits"), 0, 200)
	m := mustDo(FitMinVolume(bg, x, 10, nil))(t)
	ended, end := context.WithCancel(bg)
	end()
	bare := *m
	bare.Clusters = nil
	weightless := make1(200)
	for i := range weightless[:130] {
		weightless[i] = 0
	}
	for name, c := range map[string]struct {
		ctx  context.Context
		x    *Matrix
		m    *Model
		o    *MinVolumeOptions
		want error
	}{
		"no model": {bg, x, nil, nil, ErrShape}, "an empty model": {bg, NewMatrix(0, 3, nil), &Model{}, nil, ErrShape}, "no centers": {bg, NewMatrix(2, 3, nil), &Model{Clusters: []int{0, 0}}, nil, ErrShape}, "no rows": {bg, nil, m, nil, ErrShape}, "no labels": {bg, x, &bare, nil, ErrShape},
		"other rows": {bg, rowsOf(x, 0, 199), m, nil, ErrShape}, "other columns": {bg, NewMatrix(200, 3, nil), m, nil, ErrShape},
		"weights": {bg, x, m, &MinVolumeOptions{Weights: make1(3)}, ErrShape}, "options": {bg, x, m, &MinVolumeOptions{Slack: -1}, ErrOption},
		"ended": {ended, x, m, nil, context.Canceled},
		"few":   {bg, x, m, &MinVolumeOptions{Weights: weightless}, nil},
	} {
		if err := OtherAnswers(c.ctx, c.x, c.m, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if m.Others != nil || m.Warnings != nil {
			t.Errorf("%s: the model has changed", name)
		}
	}
}

// TestUnmixOthers: the centers of the other answers are as far away as the warning says, in
// the data's units, where it says so.
func TestUnmixOthers(t *testing.T) {
	for _, rows := range []Rows{RowsGiven, RowsUnit} {
		x := mapped(noisy(firstOf(mixtures(500, 12, 4, 0.7, 1, 3)), 15, 4), func(i, _ int, v float64) float64 { return max(0, v) * (1 + float64(i%5)) })
		m := mustDo(Unmix(bg, x, 4, &MinVolumeOptions{Rows: rows}))(t)
		i := slices.IndexFunc(m.Warnings, func(w Warning) bool { return w.Kind == WarnSeveral })
		if i < 0 || len(m.Others) == 0 {
			t.Fatalf("%v: %v, %d others", rows, m.Warnings, len(m.Others))
		}
		most := 0.0
		for _, other := range m.Others {
			f := other.Centers
			angle, _ := centersAngle(m.Centers, f)
			if most = max(most, angle); math.Abs(angle-other.Moved) > 0.2*angle || other.Factor != 0.5 && other.Factor != 2 {
				t.Errorf("%v: the angle is %g, not %g, with %g of the noise", rows, angle, other.Moved, other.Factor)
			}
			for j := range f.Rows {
				if ratio := norm2(f.row(j)) / norm2(m.Centers.row(j)); ratio < 0.5 || ratio > 2 {
					t.Errorf("%v: center %d is %g times as long", rows, j, ratio)
				}
			}
		}
		if value := m.Warnings[i].Value; most < 0.8*value || most > 1.2*value { // that is before the last passes
			t.Errorf("%v: the angle is %g, the warning says %g", rows, most, value)
		}
	}
}
