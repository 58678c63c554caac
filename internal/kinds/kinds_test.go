package kinds

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/tables"
)

// poisson returns a count that is expected to be m.
func poisson(r *rand.Rand, m float64) (n float64) {
	if m > 30 {
		return max(0, math.Round(m+math.Sqrt(m)*r.NormFloat64()))
	}
	for p := r.Float64(); p > math.Exp(-m); p *= r.Float64() {
		n++
	}
	return n
}

// mixed returns rows of mixtures of four random profiles, in sizes of their own.
func mixed(seed uint64, n, d int) *softkmeans.Matrix {
	r := rand.New(rand.NewPCG(seed, 1))
	profiles := softkmeans.NewMatrix(4, d, nil)
	for i := range profiles.Data {
		profiles.Data[i] = math.Pow(r.Float64(), 4)
	}
	x := softkmeans.NewMatrix(n, d, nil)
	for i := range n {
		for j := range 4 {
			load := []float64{1, 10, 100}[r.IntN(3)]
			for c, v := range profiles.Row(j) {
				x.Row(i)[c] += load * v
			}
		}
	}
	return x
}

// changed returns x with f of each entry.
func changed(x *softkmeans.Matrix, f func(v float64) float64) *softkmeans.Matrix {
	x = x.Clone()
	for i, v := range x.Data {
		x.Data[i] = f(v)
	}
	return x
}

// Counts are told from numbers that are whole, at least 0 and differ as much in size, but vary otherwise.
func TestCounts(t *testing.T) {
	var r *rand.Rand
	kinds := map[string]func(v float64) float64{
		"counts":              func(v float64) float64 { return poisson(r, v) },
		"ten of each":         func(v float64) float64 { return 10 * poisson(r, v/10) },
		"without noise":       math.Round,
		"noise of one size":   func(v float64) float64 { return max(0, math.Round(v+4*r.NormFloat64())) },
		"noise by size":       func(v float64) float64 { return math.Round(v * math.Exp(r.NormFloat64()/2)) },
		"capped, as pixels":   func(v float64) float64 { return min(40, poisson(r, v)) },
		"few":                 func(v float64) float64 { return poisson(r, v/50) },
		"no whole numbers":    func(v float64) float64 { return poisson(r, v) + .5 },
		"some are below zero": func(v float64) float64 { return poisson(r, v) - 1 },
		"any up to 255":       func(v float64) float64 { return float64(r.IntN(256)) },
		"missing":             func(v float64) float64 { return math.NaN() },
	}
	for name, f := range kinds {
		for seed := range uint64(10) {
			r = rand.New(rand.NewPCG(seed, 3))
			x := changed(mixed(seed, 30+10*int(seed), 40), f)
			if got := Look(x).Counts; got != (name == "counts") {
				t.Errorf("%s, seed %d: %v", name, seed, got)
			}
		}
	}
}

// None of the tables that come with the project is mistaken, also in whole tenths or thousandths.
func TestNoCounts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "*.csv"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		in := tables.Must(os.Open(name))(t)
		got, err := table.Read(in, name, table.Dialect{Guess: true, Text: table.TextDrop})
		if in.Close(); err != nil {
			t.Fatal(err)
		}
		x := softkmeans.NewMatrix(got.Rows, len(got.Names), got.Data)
		for _, times := range []float64{1, 10, 1000} {
			y := changed(x, func(v float64) float64 { return math.Abs(math.Round(times * v)) })
			if f := Look(y); f != (Found{}) {
				t.Errorf("%s, times %v: %+v", name, times, f)
			}
		}
	}
}

func TestClosedAndTotal(t *testing.T) {
	x := mixed(1, 20, 6)
	shares := x.Clone()
	scale.Close(shares.Data, 6)
	withTotal := softkmeans.NewMatrix(20, 7, nil)
	for i := range 20 {
		for j, v := range x.Row(i) {
			at := j
			if j >= 3 {
				at++
			}
			withTotal.Set(i, at, v)
			withTotal.Row(i)[3] += v
		}
	}
	below := shares.Clone()
	below.Row(2)[0], below.Row(2)[1] = -.2, below.Row(2)[1]+below.Row(2)[0]+.2
	off := shares.Clone()
	off.Row(19)[0] += .02
	onehot := softkmeans.NewMatrix(20, 3, nil)
	for i := range 20 {
		onehot.Set(i, i%3, 1)
	}
	times := func(f float64) *softkmeans.Matrix {
		return changed(shares, func(v float64) float64 { return f * v })
	}
	gaps := func(x *softkmeans.Matrix) *softkmeans.Matrix {
		x = x.Clone()
		x.Set(3, 3, math.NaN())
		return x
	}
	for _, c := range []struct {
		name string
		x    *softkmeans.Matrix
		want Found
	}{
		{"rows of any sum", x, Found{}},
		{"shares", shares, Found{Sum: 1}},
		{"percent", times(100), Found{Sum: 100}},
		{"rounded percent", changed(times(1000), math.Round), Found{}},
		{"percent with a digit", changed(times(1000), func(v float64) float64 { return math.Round(v) / 10 }),
			Found{Sum: 100}},
		{"per million", times(1e6), Found{Sum: 1e6}},
		{"sums of 2", times(2), Found{}},
		{"one row off", off, Found{}},
		{"one below 0", below, Found{}},
		{"codes", onehot, Found{}},
		{"a total", withTotal, Found{Total: 4}},
		{"zeros", softkmeans.NewMatrix(20, 3, nil), Found{}},
		{"a total, and gaps", gaps(withTotal), Found{Total: 4}}, {"shares, and gaps", gaps(shares), Found{}},
	} {
		if got := Look(c.x); got != c.want {
			t.Errorf("%s: %+v, not %+v", c.name, got, c.want)
		}
	}
}

// Surprises of counts have one direction less than there are profiles, above noise of variance 1.
func TestSurprises(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	x := changed(mixed(2, 200, 40), func(v float64) float64 { return poisson(r, v) })
	sizes := scale.Close(x.Data, x.Cols)
	s := scale.Of(scale.Counts, x.Data, x.Cols, nil)
	s.Apply(x.Data)
	z := surprising(x, sizes, s)
	c, err := Choose(t.Context(), x, sizes, s, &choosek.Options{})
	if err != nil || c.Edge != 4 || c.HeldOut != 4 || c.K != 4 || !c.Certain {
		t.Fatalf("%+v, %v", c, err)
	}
	space := tables.Must(softkmeans.Principal(t.Context(), z, 0, nil))(t)
	rest := 0.0
	for _, v := range space.Squares[3:] {
		rest += v
	}
	if rest /= 199 * 37; math.Abs(rest-1) > .15 {
		t.Errorf("the variance of noise is %v", rest)
	}
}

func TestSlack(t *testing.T) {
	if Slack(1, 9) != 0 || Slack(9, 9) != 0 || Slack(4, 48) != .25*3/45 {
		t.Error(Slack(1, 9), Slack(9, 9), Slack(4, 48))
	}
}

// TestCodes: few whole numbers beside measurements are codes. They are none beside other small counts,
// and in few rows.
func TestCodes(t *testing.T) {
	rows := func(n int, of ...func(i int) float64) (rows [][]float64) {
		for i := range n {
			row := make([]float64, len(of))
			for j := range of {
				row[j] = of[j](i)
			}
			rows = append(rows, row)
		}
		return rows
	}
	measured := func(i int) float64 { return math.Sin(float64(i)) }
	size := func(i int) float64 { return float64(40 + i*i) }
	one := func(i int) float64 { return 7 }
	turns := func(codes ...float64) func(i int) float64 {
		return func(i int) float64 { return codes[i*i%11%len(codes)] }
	}
	gap := func(i int) float64 {
		if i == 4 {
			return math.NaN()
		}
		return float64(i % 3)
	}
	for _, c := range []struct {
		name string
		rows [][]float64
		want []int
	}{
		{"classes at the end", rows(60, measured, size, turns(1, 2, 3, 7)), []int{3}},
		{"shares of 0 and 1", rows(60, turns(0, 1),
			func(i int) float64 { return (1 - turns(0, 1)(i)) * size(i) / 1e4 },
			func(i int) float64 { return (1 - turns(0, 1)(i)) * (1 - size(i)/1e4) }), nil},
		{"ratings in the middle", rows(24, measured, turns(3, 4, 5), size, measured), []int{2}},
		{"two of six", rows(24, measured, turns(0, 1), size, measured, turns(2, 3), size), []int{2, 5}},
		{"a missing one", rows(24, measured, size, gap), []int{3}},
		{"codes and one measurement", rows(24, turns(1, 2), turns(0, 1), turns(3, 4), measured), []int{1, 2, 3}},
		{"a survey", rows(24, turns(1, 2), turns(0, 1), turns(3, 4), turns(1, 2, 3), measured), nil},
		{"below 0", rows(24, measured, size, turns(-2, 0, 3)), []int{3}},
		{"above the codes", rows(24, measured, size, turns(10, 20, 30)), nil},
		{"decimals", rows(24, measured, size, turns(1, 1.5)), nil},
		{"one number", rows(24, measured, size, one), nil},
		{"few rows", rows(8, measured, size, turns(1, 2, 3)), nil},
		{"two columns", rows(24, measured, turns(1, 2)), nil},
		{"counts with a class", rows(60, turns(1, 2), size, size, size), []int{1}},
		{"counts with rare ones", rows(60, size, turns(0, 1), size, size), nil},
		{"few rows of counts", rows(40, turns(1, 2), size, size, size), nil},
	} {
		x := tables.Must(softkmeans.FromRows(c.rows))(t)
		names, none := make([]string, x.Cols), func(string) bool { return false }
		if got := Codes(x, names, none); !slices.Equal(got, c.want) {
			t.Errorf("%s: columns %d, want %d", c.name, got, c.want)
		}
	}
	x := tables.Must(softkmeans.FromRows(rows(60, size, turns(0, 1), measured, turns(2, 3), size, measured)))(t)
	told := func(name string) bool { return name == "class" }
	places := func(name string) bool { return name == "x" }
	survey := rows(24, measured, turns(1, 2), turns(0, 1), turns(3, 4))
	beside := tables.Must(softkmeans.FromRows(survey))(t)
	if got := Codes(beside, []string{"x", "a", "b", "c"}, places); len(got) > 0 {
		t.Errorf("codes beside a place: %v", got)
	}
	if got := Codes(x, []string{"a", "city=Rome", "b", "class", "c", "d"}, told); len(got) > 0 {
		t.Errorf("columns %d are told already, or code words", got)
	}
	if got := Constant(tables.Must(softkmeans.FromRows(rows(24, one, size, gap, one)))(t)); !slices.Equal(got, []int{1, 4}) {
		t.Errorf("constant columns %d, want 1 and 4", got)
	}
}

// TestCurves: neighbors of a curve are alike, also with noise; columns in another order, few columns and
// constant ones are no curve.
func TestCurves(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	curve := func(cols, step int, noise float64) *softkmeans.Matrix {
		x := softkmeans.NewMatrix(60, cols, nil)
		for i := range x.Rows {
			share, rest := r.Float64(), r.Float64()
			for j := range cols {
				at := float64(j*step%cols) / float64(cols)
				x.Set(i, j, 1+share*math.Sin(6*at)+rest*math.Cos(9*at)+noise*r.NormFloat64())
			}
		}
		return x
	}
	large := curve(100, 1, 0)
	for i := range large.Data {
		large.Data[i] *= 0x1p490
	}
	for name, c := range map[string]struct {
		x    *softkmeans.Matrix
		want bool
	}{
		"smooth": {curve(100, 1, 0), true}, "noisy": {curve(100, 1, .1), true}, "noise": {curve(100, 1, 2), false},
		"another order": {curve(100, 37, 0), false}, "few columns": {curve(19, 1, 0), false},
		"constant": {softkmeans.NewMatrix(60, 100, nil), false}, "large": {large, true},
	} {
		if got := Look(c.x); got.Curves != c.want || got.Mixtures() != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
