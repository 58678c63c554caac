package view

import (
	"math"
	"testing"

	"softkmeans"
	"softkmeans/internal/tables"
)

// The plane keeps the distances that it can, and takes any shape.
func TestPlane(t *testing.T) {
	for _, x := range []*softkmeans.Matrix{
		softkmeans.NewMatrix(1, 1, []float64{3}),
		softkmeans.NewMatrix(3, 1, []float64{1, 2, 6}),
		softkmeans.NewMatrix(1, 3, []float64{1, 2, 6}),
		softkmeans.NewMatrix(3, 2, []float64{1, 1, 1, 1, 1, 1}),
		softkmeans.NewMatrix(3, 2, []float64{.1, .3, .1, .3, .1, .3}),
		softkmeans.NewMatrix(4, 2, []float64{0, 0, 3, 1, -1, 2, 5, 7}),
	} {
		p := tables.Must(NewPlane(t.Context(), x, nil))(t)
		checkPlane(t, x, &p)
		sums := planeOfSums(t, x)
		checkPlane(t, x, &sums)
		for c, v := range p.Share {
			if math.Abs(v-sums.Share[c]) > 1e-12 {
				t.Errorf("%d×%d: shares %v of sums, not %v", x.Rows, x.Cols, sums.Share, p.Share)
			}
		}
	}
}

// planeOfSums returns the plane of rows that were added up.
func planeOfSums(t *testing.T, x *softkmeans.Matrix) Plane {
	t.Helper()
	var s softkmeans.Stats
	tables.OK(t, s.Add(x))
	return tables.Must(PlaneOf(t.Context(), &s))(t)
}

// checkPlane checks the plane of rows that lie in one.
func checkPlane(t *testing.T, x *softkmeans.Matrix, p *Plane) {
	t.Helper()
	for i := range x.Rows {
		for l := range i {
			var far float64
			for j := range x.Cols {
				far = math.Hypot(far, x.At(i, j)-x.At(l, j))
			}
			ax, ay := p.At(x.Row(i))
			bx, by := p.At(x.Row(l))
			if got := math.Hypot(ax-bx, ay-by); math.Abs(got-far) > 1e-12 {
				t.Errorf("%d×%d: rows %d and %d are %v apart in the plane, not %v",
					x.Rows, x.Cols, i, l, got, far)
			}
		}
	}
	if s := p.Share[0] + p.Share[1]; math.Abs(s-1) > 1e-12 && s != 0 {
		t.Errorf("%d×%d: the plane has %v of the variance", x.Rows, x.Cols, s)
	}
}

// A weight of 2 is a row given twice, and the size of all weights does not matter.
func TestPlaneWeights(t *testing.T) {
	x := softkmeans.NewMatrix(4, 2, []float64{0, 0, 3, 1, -1, 2, 5, 7})
	twice := tables.Must(NewPlane(t.Context(), softkmeans.NewMatrix(5, 2, append([]float64{5, 7}, x.Data...)), nil))(t)
	for _, w := range []float64{1, 1e-300, .8e308} {
		p := tables.Must(NewPlane(t.Context(), x, []float64{w, w, w, 2 * w}))(t)
		for c := range 2 {
			ax, _ := twice.At(x.Row(0))
			bx, _ := p.At(x.Row(0))
			if math.Abs(p.Share[c]-twice.Share[c]) > 1e-12 || math.Abs(p.Mean[c]-twice.Mean[c]) > 1e-12 ||
				math.Abs(math.Abs(ax)-math.Abs(bx)) > 1e-12 {
				t.Errorf("weights of %g: %+v, not %+v", w, p, twice)
			}
		}
	}
}

// The directions are the leading right singular vectors, in tables of any shape.
func TestDirections(t *testing.T) {
	for _, shape := range [][2]int{{40, 5}, {6, 30}, {3, 3}, {2, 7}} {
		x, mean := softkmeans.NewMatrix(shape[0], shape[1], nil), make([]float64, shape[1])
		for i := range x.Rows {
			for j := range x.Cols {
				x.Set(i, j, math.Sin(float64(i*x.Cols+3*j*j))/float64(1+j))
				mean[j] += x.At(i, j) / float64(x.Rows)
			}
		}
		for i := range x.Rows {
			for j, m := range mean {
				x.Set(i, j, x.At(i, j)-m)
			}
		}
		p := min(2, x.Rows-1)
		plane, err := NewPlane(t.Context(), x, nil)
		axes, shares := plane.Axes, plane.Share
		_, s, v, wrong := softkmeans.SVD(x)
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		var total float64
		for _, v := range s {
			total += v * v
		}
		for c := range p {
			if math.Abs(shares[c]-s[c]*s[c]/total) > 1e-12 {
				t.Errorf("%v: share %d is %v", shape, c, shares[c])
			}
			for j := range x.Cols {
				if math.Abs(axes.At(c, j)-v.At(j, c)) > 1e-12 {
					t.Errorf("%v: entry %d of direction %d is %v, not %v", shape, j, c,
						axes.At(c, j), v.At(j, c))
				}
			}
		}
	}
}
