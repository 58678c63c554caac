package softkmeans

import (
	"testing"
)

// TestProducts: the passes over samples in blocks, with weights, on a strided view, against sums in a loop.
func TestProducts(t *testing.T) {
	type shape struct{ n, d, b int }
	for _, c := range []shape{{1, 1, 1}, {5, 3, 2}, {30, 7, 4}, {700, 5, 3}, {500, 30, 9}, {9, 700, 5},
		{250, 191, 4}, {250, 192, 7},
		{30, 481, 3}, {fewer(700, 385), fewer(1000, 386), 2}} {
		x := randomData(c.n, c.d+2, 3, uint64(c.n))
		x = &Matrix{Rows: c.n, Cols: c.d, Stride: c.d + 2, Data: x.Data[:c.n*(c.d+2)-2]}
		weights := inTurn(c.n, 1, 2, 3, 0)
		s := mustDo(newSamples(bg, x, weights, 2, true))(t)
		xc := NewMatrix(c.n, c.d, nil)
		s.pack(xc.Data, 0, c.n, true)
		v, y := randomData(c.b, c.d, 0, 1), randomData(c.b, c.n, 0, 2)
		for _, p := range []struct {
			name      string
			got, want *Matrix
		}{
			{"mul", mustDo(s.multiply(v))(t), product(v, xc.transposed())},
			{"mulT", mustDo(s.multiplyT(y))(t), product(y, xc)},
			{"normal", mustDo(normalProduct(s, v))(t), product(product(v, xc.transposed()), xc)},
		} {
			if off := maxDiff(p.got, p.want); !(off <= 1e-13*float64(c.n+c.d)) {
				t.Errorf("%v: %s is off by %g", c, p.name, off)
			}
		}
		want := product(xc.transposed(), xc)
		if s.wide() {
			want = product(xc, xc.transposed())
		}
		if off := maxDiff(mustDo(gramMatrix(s))(t), want); !(off <= 1e-13*float64(c.n+c.d)) {
			t.Errorf("%v: the Gram matrix is off by %g", c, off)
		}
	}
}

// TestTriangularFactor: R is upper triangular, and RᵀR is the smaller Gram matrix, for one
// stack and for many, also where a stack is full before its end.
func TestTriangularFactor(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {5, 3}, {700, 3}, {9000, 2}, {1500, 30}, {3, 700}, {2, 9000},
		{30, 29}} {
		n, d := c[0], c[1]
		x := randomData(n, d, 2, 3)
		weights := inTurn(n, 1, 2, 3, 0)
		s := mustDo(newSamples(bg, x, weights, 2, true))(t)
		r, gram := mustDo(triangularFactor(s))(t), mustDo(gramMatrix(s))(t)
		if r.Rows != min(n, d) || r.Cols != r.Rows || gram.Rows != r.Rows ||
			maxDiff(r, upperPart(r, r.Rows)) > 0 {
			t.Fatalf("%v: R is %s, or not triangular", c, shape(r.Rows, r.Cols))
		}
		if off := maxDiff(product(r.transposed(), r), gram); off > 1e-14*float64(n+d) {
			t.Errorf("%v: RᵀR is %g off", c, off)
		}
		// Products with nothing have the shape of nothing.
		for name, f := range map[string]func(*samples, *Matrix) (*Matrix, error){
			"multiply":      (*samples).multiply,
			"normalProduct": normalProduct,
			"multiplyT":     (*samples).multiplyT,
		} {
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
