package softkmeans

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSparseFromTriples: numbers for one place are added up, in any order of the triples.
func TestSparseFromTriples(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range [][2]int{{0, 0}, {1, 1}, {5, 3}, {3, 9}, {20, 20}} {
		rows, cols := size[0], size[1]
		want := NewMatrix(rows, cols, nil)
		var i, j []int
		var v []float64
		for range rows * cols {
			r, c, x := rng.IntN(rows), rng.IntN(cols), float64(rng.IntN(9)-4)
			i, j, v = append(i, r), append(j, c), append(v, x)
			want.row(r)[c] += x
		}
		m := mustDo(SparseFromTriples(rows, cols, i, j, v))(t)
		got, err := m.Dense()
		if err != nil || !slices.Equal(got.Data, want.Data) {
			t.Errorf("%v: %v, not %v: %v", size, got, want, err)
		}
		c := m.rows(1)
		tr := c.transposed(cols)
		back := tr.transposed(rows)
		if !slices.Equal(back.index, c.index) || !slices.Equal(back.value, c.value) ||
			!slices.Equal(back.start, c.start) && rows > 0 {
			t.Errorf("%v: transposed twice is another matrix", size)
		}
		for r := range tr.count {
			index, value := tr.row(r)
			for l, at := range index {
				if want.row(at)[r] != value[l] {
					t.Errorf("%v: column %d, row %d is %v", size, r, at, value[l])
				}
			}
		}
	}
	for _, c := range []struct{ rows, cols, i, j int }{{2, 2, 2, 0}, {2, 2, 0, 2}, {2, 2, -1, 0},
		{2, 2, 0, -1}, {-1, 2, 0, 0}, {0, 0, 0, 0}} {
		if _, err := SparseFromTriples(c.rows, c.cols, []int{c.i}, []int{c.j}, []float64{1}); !errors.Is(err,
			ErrShape) {
			t.Error(c, err)
		}
	}
	if _, err := SparseFromTriples(2, 2, []int{1}, nil, []float64{1}); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	if m, err := new(SparseMatrix).Dense(); err != nil || m.Rows != 0 {
		t.Error(m, err)
	}
}

// TestSumDepth: a first term of 1 loses no more of the small ones after it than sumDepth says.
func TestSumDepth(t *testing.T) {
	for _, n := range []int{1, 1024, 1025, 2048, 5000} {
		for _, l := range []int{1, 16} { // with vectors, rows of 16 have other sums
			c := &compressed{count: 1, start: []int{0, n}, index: indices(n),
				value: slices.Repeat([]float64{0x1p-26}, n)}
			v := NewMatrix(n, l, slices.Repeat([]float64{0x1p-27}, n*l))
			c.value[0] = 1
			for j := range l {
				v.row(0)[j] = 1
			}
			out := make([]float64, l)
			c.addTo(out, 0, v, make([]float64, l))
			product, _ := c.dot(0, slices.Repeat([]float64{0x1p-27}, n))
			if off, most := math.Abs(out[0]-1-float64(n-1)*0x1p-53),
				gamma(sumDepth(n))*(1+float64(n)*0x1p-53); off > most {
				t.Errorf("%d numbers in rows of %d: off by %v, not %v", n, l, off, most)
			}
			if want := 0x1p-27 + float64(n-1)*0x1p-53; math.Abs(product-want) > gamma(sumDepth(n))*want {
				t.Errorf("product of %d numbers: %v", n, product)
			}
		}
	}
}
