package draws

import (
	"context"

	"softkmeans"
	"softkmeans/internal/fault"
)

// SparseRows returns rows lo…hi−1 of x, with an Indptr of their own.
func SparseRows(x *softkmeans.SparseMatrix, lo, hi int) *softkmeans.SparseMatrix {
	from, to := x.Indptr[lo], x.Indptr[hi]
	part := &softkmeans.SparseMatrix{Rows: hi - lo, Cols: x.Cols,
		Indices: x.Indices[from:to], Data: x.Data[from:to]}
	for _, at := range x.Indptr[lo : hi+1] {
		part.Indptr = append(part.Indptr, at-from)
	}
	return part
}

// rowsOf returns rows lo…hi−1 of m, hi > lo, without a copy.
func rowsOf(m *softkmeans.Matrix, lo, hi int) *softkmeans.Matrix {
	return &softkmeans.Matrix{Rows: hi - lo, Cols: m.Cols, Stride: m.Stride,
		Data: m.Data[lo*m.Stride : (hi-1)*m.Stride+m.Cols]}
}

// Mixtures returns the memberships (n×k) of the rows of x in m.Centers, whose sums are as in m.Sum. The
// workers, 0 for all processors, share the rows. A row takes up to k³ + dk products. Mixtures looks at
// ctx after 2^24 products or 4096 rows, but at least 72 rows, which share their preparation. In 350 centers
// 72 rows take .3 s.
func Mixtures(
	ctx context.Context, x *softkmeans.Matrix, m *softkmeans.Model, workers int,
) (*softkmeans.Matrix, error) {
	n, d, k := x.Rows, x.Cols, m.Centers.Rows
	g := softkmeans.NewMatrix(n, k, nil)
	step := min(max(int(0x1p24/(float64(k)*float64(k)*float64(k)+float64(k)*float64(d))), 72), 4096) / 24 * 24
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		_, err := softkmeans.SimplexLeastSquares(rowsOf(g, lo, hi), rowsOf(x, lo, hi), m.Centers,
			&softkmeans.Options{Sum: m.Sum, Workers: workers})
		if err == nil {
			err = fault.Stopped(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}
