package sources

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/tables"
)

// unlike makes the columns of rows and prototypes differ in unit, with noise that is like these.
func unlike(r *rand.Rand) (s *Sources, x, want *softkmeans.Matrix, units []float64) {
	s, clean := mixtures(r, 60, 3, 6, 0, false)
	m, _ := s.NewMixer(Options{})
	of, _ := m.Mix(context.Background(), clean, false)
	for range clean.Cols {
		units = append(units, math.Exp(3*r.NormFloat64()))
	}
	x = clean.Clone()
	for i := range x.Rows {
		for j := range x.Row(i) {
			x.Row(i)[j] = units[j] * (x.Row(i)[j] + .1*r.NormFloat64())
		}
	}
	for i := range s.Centers.Rows {
		for j := range units {
			s.Centers.Row(i)[j] *= units[j]
		}
	}
	s.columns = named("v", clean.Cols)
	return s, x, of.Shares, units
}

// errorOf returns the root mean square difference of shares of an answer from those that are right.
func errorOf(t *testing.T, s *Sources, x, want *softkmeans.Matrix, how Scale) (float64, *Answer) {
	t.Helper()
	a := tables.Must(s.Solve(t.Context(), x, Options{Scale: how}, false))(t)
	sum := 0.0
	for i, v := range want.Data {
		sum += (a.Result.Shares.Data[i] - v) * (a.Result.Shares.Data[i] - v)
	}
	return math.Sqrt(sum / float64(len(want.Data))), a
}

// Standard deviations of the prototypes, the spread of classes and -scale zscore make columns of any unit
// count alike. Without these one line says which column decides, if one does.
func TestWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 8))
	var sum [4]float64
	told := 0
	for range 40 {
		s, x, want, units := unlike(r)
		plain, a := errorOf(t, s, x, want, ScaleAuto)
		scaled, b := errorOf(t, s, x, want, ScaleRows)
		if a.Decides() != "" {
			told++
		}
		if a.Scaled != "" || b.Decides() != "" {
			t.Errorf("%q, %q", a.Scaled, b.Decides())
		}
		with := *s
		with.SD = softkmeans.NewMatrix(3, x.Cols, nil)
		for i := range with.SD.Data {
			with.SD.Data[i] = .1 * units[i%x.Cols]
		}
		bySD, _ := errorOf(t, &with, x, want, ScaleAuto)
		none, _ := errorOf(t, &with, x, want, ScaleNone)
		if none != plain {
			t.Errorf("ScaleNone: %v, not %v", none, plain)
		}
		many := &Sources{columns: s.columns}
		many.Centers = draws.Chosen(s.Centers, []int{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2})
		for i := range many.Centers.Rows {
			for j := range units {
				many.Centers.Row(i)[j] += .1 * units[j] * r.NormFloat64()
			}
		}
		many.group(strings.Fields("a b c a b c a b c a b c"), nil)
		byClass, _ := errorOf(t, many, x, want, ScaleAuto)
		for i, v := range []float64{plain, scaled, bySD, byClass} {
			sum[i] += v / 40
		}
	}
	if sum[1] > .6*sum[0] || sum[2] > .6*sum[0] || sum[3] > .6*sum[0] || told < 20 {
		t.Errorf("errors of shares are %v as given, by rows, by deviations and by classes; %d of 40 were told",
			sum, told)
	}
}

// A column that decides is named, with its share of the squared differences between prototypes. Prototypes
// that are not those of the table are said not to explain it.
func TestDecides(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 8))
	s, x := mixtures(r, 50, 3, 10, .05, false)
	s.columns = named("v", 10)
	for i := range 3 {
		s.Centers.Set(i, 4, 1e5*float64(i*i))
	}
	_, a := errorOf(t, s, x, softkmeans.NewMatrix(50, 3, nil), ScaleAuto)
	want := "column v4 decides: 99 % of the squared differences between prototypes are in it"
	if got := a.Decides(); got != want {
		t.Errorf("%q, not %q", got, want)
	}
	s, x = mixtures(r, 50, 3, 10, .05, false)
	for _, off := range []float64{0, 5} {
		for i := range s.Centers.Data {
			s.Centers.Data[i] += off
		}
		_, a = errorOf(t, s, x, softkmeans.NewMatrix(50, 3, nil), ScaleAuto)
		text := a.OutWords(5, func(int) string { return "" })
		if strings.HasPrefix(text, "The table as a whole") != (off > 0) {
			t.Errorf("off by %v: %s", off, text)
		}
	}
}
