package softkmeans

import (
	"math"
	"testing"
)

// TestProducts: the passes over samples in blocks, with weights, on a strided
// view, against sums in a loop.
func TestProducts(t *testing.T) {
	type shape struct{ n, d, b int }
	for _, c := range full([]shape{{1, 1, 1}, {5, 3, 2}, {30, 7, 4}, {700, 5, 3}, {1300, 50, 9}, {9, 700, 5}, {600, 191, 4}, {600, 192, 7}, {50, 481, 3}, {700, 1000, 3}, {501, 400, 2}, {390, 601, 2}, {1100, 385, 2}},
		[]shape{{1, 1, 1}, {5, 3, 2}, {30, 7, 4}, {700, 5, 3}, {500, 30, 9}, {9, 700, 5}, {250, 191, 4}, {250, 192, 7}, {30, 481, 3}, {385, 386, 2}}) {
		x := randomData(c.n, c.d+2, 3, uint64(c.n))
		x = &Matrix{Rows: c.n, Cols: c.d, Stride: c.d + 2, Data: x.Data[:c.n*(c.d+2)-2]}
		weights := make([]float64, c.n)
		for i := range weights {
			weights[i] = float64((i + 1) % 4)
		}
		s, err := newSamples(bg, x, weights, 2, true)
		if err != nil {
			t.Fatal(err)
		}
		xc := NewMatrix(c.n, c.d, nil)
		s.pack(xc.Data, 0, c.n, true)
		v, y := randomData(c.b, c.d, 0, 1), randomData(c.b, c.n, 0, 2)
		must := func(m *Matrix, err error) *Matrix {
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		for _, p := range []struct {
			name      string
			got, want *Matrix
		}{
			{"mul", must(multiply(s, v)), product(v, xc.transposed())},
			{"mulT", must(multiplyT(s, y)), product(y, xc)},
			{"normal", must(normalProduct(s, v)), product(product(v, xc.transposed()), xc)},
		} {
			if off := maxDiff(p.got, p.want); !(off <= 1e-13*float64(c.n+c.d)) {
				t.Errorf("%v: %s is off by %g", c, p.name, off)
			}
		}
		want := product(xc.transposed(), xc)
		if s.wide() {
			want = product(xc, xc.transposed())
		}
		if off := maxDiff(must(gramMatrix(s)), want); !(off <= 1e-13*float64(c.n+c.d)) {
			t.Errorf("%v: the Gram matrix is off by %g", c, off)
		}
	}
}

// TestTriangularFactor: R is upper triangular, and RᵀR is the smaller Gram matrix, for one
// stack and for many, also where a stack is full before its end.
func TestTriangularFactor(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {5, 3}, {700, 3}, {9000, 2}, {1500, 30}, {3, 700}, {2, 9000}, {30, 29}} {
		n, d := c[0], c[1]
		x := randomData(n, d, 2, 3)
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = float64((i + 1) % 4)
		}
		s, err := newSamples(bg, x, weights, 2, true)
		if err != nil {
			t.Fatal(err)
		}
		r, err := triangularFactor(s)
		if err != nil {
			t.Fatal(err)
		}
		gram, err := gramMatrix(s)
		if err != nil {
			t.Fatal(err)
		}
		if r.Rows != min(n, d) || r.Cols != r.Rows || gram.Rows != r.Rows {
			t.Fatalf("%v: R is %s", c, shape(r.Rows, r.Cols))
		}
		for i := range r.Rows {
			for j := range i {
				if r.At(i, j) != 0 {
					t.Fatalf("%v: R has %g below its diagonal", c, r.At(i, j))
				}
			}
		}
		if off := maxDiff(product(r.transposed(), r), gram); off > 1e-14*float64(n+d) {
			t.Errorf("%v: RᵀR is %g off", c, off)
		}
		for i := range min(3, r.Rows) { // the Gram matrix itself, in a loop
			var want float64
			xc := NewMatrix(n, d, nil)
			s.pack(xc.Data, 0, n, true)
			if s.wide() {
				want = dot(xc.row(i), xc.row(0))
			} else {
				for l := range n {
					want += xc.At(l, i) * xc.At(l, 0)
				}
			}
			if math.Abs(gram.At(i, 0)-want) > 1e-14*float64(n+d) {
				t.Errorf("%v: the Gram matrix has %g for %g", c, gram.At(i, 0), want)
			}
		}
		// Products with nothing have the shape of nothing.
		for name, f := range map[string]func(*samples, *Matrix) (*Matrix, error){"multiply": multiply, "normalProduct": normalProduct, "multiplyT": multiplyT} {
			from, to := d, d
			if name == "multiply" {
				to = n
			} else if name == "multiplyT" {
				from = n
			}
			if p, err := f(s, NewMatrix(0, from, nil)); err != nil || p.Rows != 0 || p.Cols != to {
				t.Errorf("%v: %s of nothing is %+v, %v", c, name, p, err)
			}
		}
	}
}
