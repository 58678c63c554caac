package gonumx_test

import (
	"context"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"softkmeans"
	"softkmeans/gonumx"
)

// load reads a set of the package's testdata.
func load(t testing.TB, name string) *mat.Dense {
	t.Helper()
	f, err := os.Open("../testdata/" + name + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var data []float64
	for _, record := range records {
		for _, field := range record {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, v)
		}
	}
	return mat.NewDense(len(records), len(data)/len(records), data)
}

// hidden shows nothing but the three methods of a mat.Matrix.
type hidden struct{ mat.Matrix }

// forms are the same table in different types of gonum. Those that share their numbers are
// marked.
func forms(x *mat.Dense) map[string]struct {
	m      mat.Matrix
	shares bool
} {
	n, d := x.Dims()
	wide := mat.NewDense(n+2, d+3, nil)
	wide.Apply(func(int, int, float64) float64 { return math.NaN() }, wide)
	view := wide.Slice(1, n+1, 2, d+2).(*mat.Dense)
	view.Copy(x)
	turned := mat.DenseCopyOf(x.T())
	return map[string]struct {
		m      mat.Matrix
		shares bool
	}{
		"dense": {mat.DenseCopyOf(x), true}, "slice": {view, true}, "transpose": {turned.T(), false}, "other": {hidden{x}, false},
	}
}

// TestSameNumbers: iris and wine have the same results in every type of gonum, to the bit.
func TestSameNumbers(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"iris", "wine"} {
		x := load(t, name)
		n, d := x.Dims()
		own := softkmeans.NewMatrix(n, d, slices.Clone(x.RawMatrix().Data))
		fit, err := softkmeans.Fit(ctx, own, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		volume, err := softkmeans.FitMinVolume(ctx, own, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		for form, f := range forms(x) {
			y, err := gonumx.Of(f.m)
			if err != nil {
				t.Fatal(err)
			}
			a, err := softkmeans.Fit(ctx, y, 3, nil)
			if err != nil {
				t.Fatal(err)
			}
			b, err := softkmeans.FitMinVolume(ctx, y, 3, nil)
			if err != nil {
				t.Fatal(err)
			}
			for what, pair := range map[string][2]*softkmeans.Matrix{
				"centers": {a.Centers, fit.Centers}, "memberships": {a.Memberships, fit.Memberships},
				"compact centers": {b.Centers, volume.Centers}, "compact memberships": {b.Memberships, volume.Memberships},
			} {
				if !mat.Equal(gonumx.Dense(pair[0]), gonumx.Dense(pair[1])) {
					t.Errorf("%s, %s: other %s", name, form, what)
				}
			}
		}
	}
}

// TestShared: numbers written on one side are read on the other, where nothing is copied.
func TestShared(t *testing.T) {
	x := load(t, "iris")
	for form, f := range forms(x) {
		y, err := gonumx.Of(f.m)
		if err != nil {
			t.Fatal(err)
		}
		y.Set(3, 2, 77)
		if got := f.m.At(3, 2) == 77; got != f.shares {
			t.Errorf("%s: shared is %v", form, got)
		}
		back := gonumx.Dense(y)
		back.Set(5, 1, 78)
		if y.At(5, 1) != 78 {
			t.Errorf("%s: the way back copies", form)
		}
	}
	v := mat.NewVecDense(4, []float64{1, 2, 3, 4})
	every := mat.NewDense(4, 3, nil).ColView(1).(*mat.VecDense) // stride 3
	every.CopyVec(v)
	for _, v := range []*mat.VecDense{v, every} {
		y, err := gonumx.Of(v)
		if err != nil || y.Rows != 4 || y.Cols != 1 {
			t.Fatal(y, err)
		}
		y.Set(2, 0, 9)
		if v.AtVec(2) != 9 || y.At(3, 0) != 4 {
			t.Error("a vector was copied")
		}
	}
	row, err := gonumx.Of(v.T())
	if err != nil || row.Rows != 1 || row.Cols != 4 || row.At(0, 2) != 9 {
		t.Error(row, err)
	}
	s := mat.NewSymDense(2, []float64{1, 2, math.NaN(), 3}) // gonum reads the upper triangle
	y, err := gonumx.Of(s)
	if err != nil || y.At(1, 0) != 2 || y.At(1, 1) != 3 {
		t.Error(y, err)
	}
}

// TestBad: what is empty or not finite is an error of softkmeans, and no panic.
func TestBad(t *testing.T) {
	ctx := context.Background()
	for name, x := range map[string]mat.Matrix{"nil": nil, "nil pointer": (*mat.Dense)(nil)} {
		if _, err := gonumx.Of(x); !errors.Is(err, softkmeans.ErrShape) {
			t.Error(name, err)
		}
	}
	for name, x := range map[string]mat.Matrix{"empty": new(mat.Dense), "empty vector": new(mat.VecDense), "empty symmetric": new(mat.SymDense)} {
		y, err := gonumx.Of(x)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := softkmeans.Fit(ctx, y, 1, nil); !errors.Is(err, softkmeans.ErrTooFewSamples) && !errors.Is(err, softkmeans.ErrShape) {
			t.Error(name, err)
		}
	}
	y, err := gonumx.Of(mat.NewDense(2, 2, []float64{1, 2, math.NaN(), 3}))
	if err != nil {
		t.Fatal(err)
	}
	var where *softkmeans.InputError
	if _, err := softkmeans.Fit(ctx, y, 1, nil); !errors.As(err, &where) || where.Row != 1 || where.Col != 0 {
		t.Error(err)
	}
	for name, m := range map[string]*softkmeans.Matrix{"nil": nil, "no rows": softkmeans.NewMatrix(0, 3, nil), "no columns": softkmeans.NewMatrix(3, 0, nil)} {
		if !gonumx.Dense(m).IsEmpty() {
			t.Error(name)
		}
	}
	if s := gonumx.Shares(new(softkmeans.Model)); len(s) != 0 {
		t.Error(s)
	}
}

// TestShares: weighted means of the rows add up to the plain one.
func TestShares(t *testing.T) {
	x := load(t, "wine")
	y, err := gonumx.Of(x)
	if err != nil {
		t.Fatal(err)
	}
	m, err := softkmeans.FitMinVolume(context.Background(), y, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	shares := gonumx.Shares(m)
	column := mat.Col(nil, 4, x)
	sum, mass := 0.0, 0.0
	for _, w := range shares {
		total := 0.0
		for _, v := range w {
			total += v
		}
		sum, mass = sum+total*stat.Mean(column, w), mass+total
	}
	if len(shares) != 3 || math.Abs(mass-float64(len(column))) > 1e-9 || math.Abs(sum/mass-stat.Mean(column, nil)) > 1e-12*sum/mass {
		t.Error(len(shares), mass, sum/mass, stat.Mean(column, nil))
	}
}
