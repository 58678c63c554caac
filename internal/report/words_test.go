package report

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"softkmeans/internal/scale"
	"softkmeans/internal/tables"
)

// A column with nearly all of the variance is named, unless columns are scaled.
func TestDominant(t *testing.T) {
	for _, c := range []struct {
		factor float64
		kind   scale.Kind
		want   bool
	}{{1, scale.None, false}, {1e3, scale.None, true},
		{1e3, scale.ZScore, false}, {1e140, scale.None, true}} {
		r := rand.New(rand.NewPCG(1, 2))
		in := input(30, 3, func(i, j int) float64 {
			if j == 1 {
				return c.factor * r.NormFloat64()
			}
			return 7 + r.NormFloat64()
		})
		in.Scaling = scale.Of(c.kind, in.X.Data, 3, nil)
		in.Scaling.Apply(in.X.Data)
		if page, _ := made(t, in, 2); regexp.MustCompile("Column c2 alone has (100|more than 99.99)\u00a0% "+
			"of the variance").MatchString(page) != c.want {
			t.Errorf("times %g, %v: the column is named: %v", c.factor, c.kind, !c.want)
		}
	}
}

// The result in one sentence, also for tables with nothing to explain.
func TestAnswer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	noise := func(scale float64) func(int, int) float64 {
		return func(int, int) float64 { return scale * r.NormFloat64() }
	}
	last := func(scale float64) func(int, int) float64 { // the last of three columns is small
		return func(_, j int) float64 { return []float64{1, 1, scale}[j] * r.NormFloat64() }
	}
	for _, c := range []struct {
		k     int
		value func(i, j int) float64
		want  string
	}{
		{3, last(1e-3), "3 prototypes explain more than 99.99 % of the variance; no 3 can explain all of it (proved)."},
		{2, func(int, int) float64 { return 7 }, "All rows are equal: one prototype is enough."},
		{2, noise(1e-150), "2 prototypes explain "},
		{2, noise(1e149), "2 prototypes explain "},
		{1, noise(1), "1 prototype, the mean of the rows, explains nothing"},
		{2, noise(1), "2 prototypes explain "},
		{4, noise(1), "4 prototypes explain "},
		{13, noise(1), "13 prototypes explain "},
	} {
		in := input(20, 3, c.value)
		if page, _ := made(t, in, c.k); !strings.HasPrefix(in.Answer(), c.want) ||
			!strings.Contains(strings.ReplaceAll(page, "\u00a0%", " %"), `<p class="answer">`+c.want) {
			t.Errorf("k = %d: %q, not %q", c.k, in.Answer(), c.want)
		}
	}
}

// Rows of weight 0 are not called equal, and a column whose variance is rounding is
// not called dominant.
func TestRowsWithoutWeight(t *testing.T) {
	in := input(8, 3, func(i, j int) float64 { return float64(j+1) + float64(i/5*j)/3 })
	in.Weights = []float64{1, 1, 1, 1, 1, 0, 0, 0}
	page, _ := made(t, in, 2)
	if got := in.Answer(); got != "All rows are equal: one prototype is enough." ||
		strings.Contains(page, "alone has") || !strings.Contains(page, "use the weights of rows") {
		t.Errorf("%s\n%s", got, page[strings.Index(page, `<p class="about">`):][:300])
	}
}

// The page says of what the slack is a share, and where the iterations start.
func TestSlackRule(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few := [][]float64{{0, 0, 0, 0}, {9, 1, 0, 2}, {1, 7, 3, 0}}
	mixed := func(noise float64) func(i, j int) float64 {
		var g [3]float64
		return func(i, j int) float64 {
			if j == 0 {
				g = [3]float64{r.ExpFloat64(), r.ExpFloat64(), r.ExpFloat64()}
			}
			return (g[0]*few[0][j]+g[1]*few[1][j]+g[2]*few[2][j])/(g[0]+g[1]+g[2]) + noise*r.NormFloat64()
		}
	}
	const k3 = "Both methods start from k-means centers"
	for _, c := range []struct {
		name             string
		k                int
		value            func(i, j int) float64
		made, note, none string
	}{
		{"noisy", 3, mixed(.1), "as compact as a slack of 25\u00a0% over the floor allows", k3, "no prototypes span a smaller volume"},
		{"exact", 3, mixed(1e-4), "25\u00a0% of a millionth of the total variance, which stands for the " +
			"floor, allows", "minimal volume from rows at the corners", k3},
		{"trivial", 5, mixed(.1), "25\u00a0% of a tenth of the total variance, which stands for the " +
			"floor, allows", k3, "no prototypes span a smaller volume"},
		{"noise only", 2, func(i, j int) float64 { return r.NormFloat64() }, "as compact as half of what " +
			"can be explained, which is less than a slack of 25\u00a0%, allows", k3, "no prototypes span a smaller volume"},
		// no iteration
		{"one", 1, mixed(.1), "as compact as a slack of 25\u00a0% over the floor allows", "",
			"ends above the floor"},
	} {
		cols, slack := 4, 0.0
		if c.name == "noise only" {
			cols, slack = 30, .25
		}
		in := input(50, cols, c.value)
		tables.OK(t, in.Fit(t.Context(), Options{K: c.k, Slack: slack}))
		page := string(tables.Must(in.HTML())(t))
		if !strings.Contains(page, c.made) || !strings.Contains(page, c.note) ||
			strings.Contains(page, c.none) {
			t.Errorf("%s: the page is without %q or %q, or has %q", c.name, c.made, c.note, c.none)
		}
		m := in.MinVolume.Certificate
		if part := m.Objective - m.Floor; c.name == "noise only" &&
			!(part <= .5001*(m.Total-m.Floor) && part > .4*(m.Total-m.Floor)) ||
			c.name == "exact" && !(part <= .2501e-6*m.Total) {
			t.Errorf("%s: the error is %g above the floor of %g, of %g", c.name, part, m.Floor, m.Total)
		}
	}
}
