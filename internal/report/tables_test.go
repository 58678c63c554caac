package report

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"softkmeans/internal/scale"
	"softkmeans/internal/tables"
)

// The centers are those of the model, in the units of the table.
func TestUnits(t *testing.T) {
	plain := set(t, "wine", scale.None)
	in := set(t, "wine", scale.ZScore)
	page, _ := made(t, in, 3)
	cells := named(parse(t, []byte("<!doctype html>\n"+between(t, page,
		"<caption>Compact prototypes in the table", "</table>"))), "td")
	if len(cells) != 13*4 {
		t.Fatalf("%d cells", len(cells))
	}
	for j := range 13 {
		var mean, size float64
		for i := range plain.X.Rows {
			mean += plain.X.At(i, j) / float64(plain.X.Rows)
		}
		for c := range 4 {
			got := tables.Must(strconv.ParseFloat(strings.ReplaceAll(cells[4*j+c].text, "−", "-"), 64))(t)
			want := mean
			if c < 3 {
				want = in.MinVolume.Model.Centers.At(c, j)*in.Scaling.Divisor[j] + in.Scaling.Shift[j]
			}
			size = max(size, math.Abs(want))
			if math.Abs(got-want) > 1e-3*size+1e-12 {
				t.Errorf("column %d, %d: %v, not %v", j, c, got, want)
			}
		}
	}
	if !strings.Contains(page, "standard deviations from the mean") ||
		!strings.Contains(page, "scaled to mean 0 and variance 1") {
		t.Error("the page does not tell that columns are scaled")
	}
}

// An accuracy with one row of very many in a wrong cluster is not written as 100 %.
func TestNearlyAll(t *testing.T) {
	in := input(21000, 2, func(i, j int) float64 { return float64((i*7 + j) % 5) })
	in.Table.Classes = []string{"a", "b"}
	for i := range in.X.Rows {
		in.Table.Class = append(in.Table.Class, min(i, 1))
	}
	page, all := made(t, in, 1)
	if text := named(all, "table")[0].text; !strings.Contains(text, "> 99.99\u00a0%") ||
		!strings.Contains(page, "a part of the 21000 rows, evenly spaced, and say how many") ||
		len(page) > 1<<20 {
		t.Error(text)
	}
}

// The page says that a constant column is 0 after scaling, and that an optimal fit
// has no larger error.
func TestConstantColumn(t *testing.T) {
	for _, constant := range []bool{true, false} {
		r := rand.New(rand.NewPCG(1, 2))
		in := input(30, 3, func(i, j int) float64 {
			if constant && j == 1 {
				return 7.1
			}
			return r.NormFloat64()
		})
		in.Scaling = scale.Of(scale.ZScore, in.X.Data, 3, nil)
		in.Scaling.Apply(in.X.Data)
		page, all := made(t, in, 1)
		if strings.Contains(page, "variance 1, except constant ones, which are 0.") != constant {
			t.Errorf("constant: %v, and the page says the opposite", constant)
		}
		if text := named(all, "table")[0].text; strings.Contains(text, "at a larger error") {
			t.Errorf("one prototype: %s", text)
		}
	}
}

// The numbers of a row have the same number of decimals, and 0 has no sign.
func TestDecimals(t *testing.T) {
	for want, values := range map[string][]float64{
		"5.026 −0.400 0.000":              {5.0258, -.4, -1e-9},
		"1234 −1":                         {1234.4, -1.4},
		"1.500e−07 0.000e+00":             {1.5e-7, 0},
		"2.000e+150 −1.000e+140":          {2e150, -1e140},
		"0.00 0.00":                       {0, 0},
		"out of range 1.000":              {math.MaxFloat64, 1},
		"out of range 12.50 out of range": {-math.MaxFloat64, 12.5, math.NaN()},
	} {
		if got := strings.Join(decimals(values), " "); got != want {
			t.Errorf("%v: %q, not %q", values, got, want)
		}
	}
}

// Of many columns the page has those that tell the prototypes apart, and says so.
func TestWide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	in := input(30, 1000, func(i, j int) float64 {
		if j == 999 {
			return 100 * float64(i%2)
		}
		return r.NormFloat64()
	})
	page, all := made(t, in, 2)
	if strings.Count(page, "the 20 most telling of 1000 columns</title>") != 2 || !strings.Contains(page,
		"The 20 most telling of 1000 columns. The farthest apart first.") || len(page) > 1<<17 {
		t.Errorf("too many columns are shown, in %d bytes", len(page))
	}
	found := false
	for _, e := range named(all, "th") {
		found = found || e.text == "c1000"
	}
	if !found {
		t.Error("the column that differs most is not there")
	}
}

// Constant columns have their value, without the rounding of a center.
func TestConstantColumns(t *testing.T) {
	in := input(30, 3, func(i, j int) float64 { return [3]float64{float64(i%3) + float64(i)/50, 0, 0.1}[j] })
	tables.OK(t, in.Fit(t.Context(), Options{K: 2}))
	for _, f := range in.fits() {
		f.Model.Centers.Set(0, 1, 1.77e-38)
		f.Model.Centers.Set(1, 2, .1+1e-16)
	}
	b := tables.Must(in.HTML())(t)
	const zeros = `<th scope="row">c2</th><td>0.00</td><td>0.00</td><td>0.00</td>`
	if page := string(b); !strings.Contains(page, zeros) || strings.Contains(page, "e-38") ||
		strings.Contains(page, "e−38") {
		t.Error("a constant column shows rounding")
	}
}

// A page says that prototypes are close to the data where a row is nearly pure in each.
func TestClose(t *testing.T) {
	in := input(30, 2, func(i, j int) float64 { return float64(i%2*10+i*(j+1)%7) / 10 })
	made(t, in, 2)
	if b := (&builder{Input: in, k: 2, names: []string{"p0", "p1"}}); b.off() != "" {
		t.Error("prototypes with pure rows are not close to them")
	}
	for i := range in.X.Rows {
		g := in.MinVolume.Model.Memberships.Row(i)
		g[0] = .15 + .7*g[0]
		g[1] = 1 - g[0]
	}
	in.count()
	if b := (&builder{Input: in, k: 2, names: []string{"p0", "p1"}}); b.off() != " The compact p0 and p1 lie off the data: no row has 90 % of them." {
		t.Error("prototypes far from all rows are called close to the data")
	}
}
