package view

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/chart"
)

func TestAxis(t *testing.T) {
	for names, want := range map[string]string{
		"400 410 420.5":        "column",
		"400nm 410nm 1e":       "",
		"400nm 410nm 420nm":    "wavelength (nm)",
		"2500nm 800nm 3nm":     "wavelength (nm)",
		"2001 2002 2003":       "column",
		"0 1 2 3":              "", // counted
		"1 2 3 4":              "",
		"1 2 4":                "column",
		"4 3 5":                "",
		"4 4 5":                "",
		"a b c":                "",
		"4 5":                  "",
		"400nm 410um 420nm":    "",
		"-1.5[s] 0[s] 1.5_[s]": "time (s)",
	} {
		a := NewAxis(strings.Fields(names))
		if (a == nil) != (want == "") || a != nil && a.Name != want {
			t.Errorf("%s: %+v, not %q", names, a, want)
		}
	}
	if a := NewAxis([]string{"10 cm-1", "20 cm-1", "30 cm-1"}); a == nil || a.Name != "wavenumber (cm⁻¹)" ||
		!slices.Equal(a.At, []float64{10, 20, 30}) {
		t.Errorf("%+v", a)
	}
}

// columnsOf is k centers of d columns, and the columns of n rows around them.
func columnsOf(k, d int, names func(j int) string,
	value func(i, j int) float64) (*Columns, *softkmeans.Matrix) {
	r := rand.New(rand.NewPCG(1, 2))
	m, x := softkmeans.NewMatrix(k, d, nil), softkmeans.NewMatrix(5*k, d, nil)
	all := make([]string, d)
	for j := range d {
		all[j] = names(j)
		for i := range k {
			m.Set(i, j, value(i, j))
		}
		for i := range x.Rows {
			x.Set(i, j, value(i%k, j)+.01*r.NormFloat64())
		}
	}
	return NewColumns(x, nil, all), m
}

func TestQuartiles(t *testing.T) {
	x, clusters := softkmeans.NewMatrix(8, 2, nil), []int{0, 2, 0, 2, 0, 0, 0, 2}
	for i := range x.Rows {
		x.Set(i, 0, float64(8-i)*2)
		x.Set(i, 1, float64(i*i))
	}
	low, high := Quartiles(x, clusters, 3)
	// Cluster 0 has rows 0, 2, 4, 5, 6, and cluster 2 rows 1, 3, 7, whose quartiles lie between rows.
	for c, want := range map[int][4]float64{0: {6, 12, 4, 25}, 2: {6, 12, 5, 29}} {
		if got := [4]float64{low.At(c, 0), high.At(c, 0), low.At(c, 1), high.At(c, 1)}; got != want {
			t.Errorf("cluster %d: %v, not %v", c, got, want)
		}
	}
	if v := low.At(1, 0); v == v {
		t.Errorf("of no rows: %v", v)
	}
}

// Size classes have a logarithmic axis; wavelengths and wavenumbers, which step evenly, have none.
func TestLogAxis(t *testing.T) {
	sizes, phi, waves, numbers := []string{}, []string{"2000 um", "1000 um", "500 um", "250 um", "125 um", "63 um"}, []string{}, []string{}
	for i := range 50 {
		sizes = append(sizes, strconv.FormatFloat(.05*math.Pow(1.15, float64(i)), 'f', 4, 64))
		waves = append(waves, strconv.Itoa(400+40*i))
		numbers = append(numbers, strconv.Itoa(4000-75*i))
	}
	for want, list := range map[bool][][]string{true: {sizes, phi}, false: {waves, numbers, {"-2", "-1", "0", "5"}, {"1 h", "10 h", "11 h"}}} {
		for _, names := range list {
			if a := NewAxis(names); a == nil || a.Log != want {
				t.Errorf("%v: %+v", names[:3], a)
			}
		}
	}
	c := &Columns{Names: sizes, Axis: NewAxis(sizes), Moments: MomentsOf(softkmeans.NewMatrix(2, 50, nil), nil)}
	m := softkmeans.NewMatrix(2, 50, nil)
	got := string(c.Centers(chart.Frame{Title: "P"}, m, m))
	for _, label := range []string{">0.1<", ">1<", ">10<"} {
		if !strings.Contains(got, label) {
			t.Errorf("no %s in %s", label, got)
		}
	}
}

// Which picture shows the prototypes.
func TestCenters(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	noise := make([]float64, 64*400)
	for i := range noise {
		noise[i] = r.NormFloat64()
	}
	any := func(i, j int) float64 { return noise[i*400+j] }
	curve := func(i, j int) float64 { return math.Sin(float64(j)/30 + float64(i)) }
	letter := func(j int) string { return "gene " + strconv.Itoa(j) }
	wave := func(j int) string { return strconv.Itoa(400+3*j) + " nm" }
	for _, c := range []struct {
		k, d  int
		names func(int) string
		value func(i, j int) float64
		want  string
	}{
		{3, 300, wave, any, `sk-lines".*wavelength \(nm\)`},
		{12, 300, wave, curve, `sk-tiles".*a strip each`}, {4, 300, letter, curve, `sk-lines`},
		{4, 400, letter, any, `sk-matrix".*20 most telling of 400`}, {3, 20, letter, any, `sk-lines`},
		{12, 5, letter, any, `sk-matrix`}, {64, 30, letter, any, `sk-matrix`},
	} {
		columns, m := columnsOf(c.k, c.d, c.names, c.value)
		got := string(columns.Centers(chart.Frame{Title: "P"}, m, m))
		kind, text, _ := strings.Cut(c.want, `".*`)
		if !strings.Contains(got, kind) || !strings.Contains(got, strings.ReplaceAll(text, `\`, "")) {
			t.Errorf("%d prototypes of %d columns %s: %.300s", c.k, c.d, c.names(1), got)
		}
		if kind != "sk-tiles" && !strings.Contains(got, c.names(0)) && c.d <= 20 {
			t.Errorf("the columns of %.300s have no names", got)
		}
	}
}

// Every prototype has columns that tell it from the others, the clearest first.
func TestTelling(t *testing.T) {
	columns, m := columnsOf(3, 40, strconv.Itoa, func(i, j int) float64 {
		if j%4 == i {
			return 10
		}
		return float64(j) // the same for all
	})
	if two := columns.Telling(softkmeans.NewMatrix(2, 40, m.Data[:80]), 40); two[0]%4 > 1 ||
		two[19]%4 > 1 || two[20]%4 < 2 {
		t.Errorf("of two centers: %v", two)
	}
	columns.Spread[5] = 0
	got := columns.Telling(m, 6)
	if len(got) != 6 || got[0]%4 != 0 || got[1]%4 != 0 || got[2]%4 != 1 || got[3]%4 != 1 || got[4]%4 != 2 ||
		got[5]%4 != 2 || slices.Contains(got, 5) {
		t.Errorf("%v", got)
	}
}

// Weights count as rows; a constant column has its value and no spread.
func TestColumns(t *testing.T) {
	x := softkmeans.NewMatrix(3, 2, []float64{1, .1, 2, .1, 6, .1})
	c := NewColumns(x, []float64{2, 1, 0}, []string{"a", "b"})
	if math.Abs(c.Mean[0]-4./3) > 1e-15 || math.Abs(c.Spread[0]-math.Sqrt(2)/3) > 1e-15 || c.Mean[1] != .1 ||
		c.Spread[1] != 0 || !c.Constant[1] {
		t.Errorf("%+v", c)
	}
	clean := c.Clean(softkmeans.NewMatrix(1, 2, []float64{5, .1 + 1e-17}))
	if clean.At(0, 0) != 5 || clean.At(0, 1) != .1 {
		t.Errorf("%v", clean.Data)
	}
}
