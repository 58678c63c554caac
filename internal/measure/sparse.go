package measure

import (
	"math"

	"softkmeans"
	"softkmeans/internal/la"
)

// products are what the stored entries of sparse rows are multiplied by.
type products struct {
	columns *softkmeans.Matrix // the centers, a row for each column of the data
	gram    *softkmeans.Matrix // the products of the centers
	squares []float64          // the squared lengths of what a row is compared with by its label
}

func productsOf(y *Yardstick) *products {
	f := y.centers
	columns := la.Transpose(f)
	p := &products{columns, la.Product(f, columns), make([]float64, f.Rows)}
	for a := range f.Rows {
		for _, v := range y.means.Row(a) {
			p.squares[a] += v * v
		}
	}
	return p
}

// measureSparse measures sparse rows by their stored entries. A squared distance is that of the lengths less twice
// the product: to about 1e-16 of the squared lengths.
func (y *Yardstick) measureSparse(x *softkmeans.SparseMatrix, g *softkmeans.Matrix, labels []int) *softkmeans.Matrix {
	if y.sparse == nil {
		y.sparse = productsOf(y)
	}
	p, out := y.sparse, softkmeans.NewMatrix(x.Rows, len(Names), nil)
	products := make([]float64, g.Cols)
	for i := range x.Rows {
		clear(products)
		square, across, label := 0.0, 0.0, labels[i]
		to := y.means.Row(label)
		for t := x.Indptr[i]; t < x.Indptr[i+1]; t++ {
			v := x.Data[t]
			square += v * v
			across += v * to[x.Indices[t]]
			for j, c := range p.columns.Row(x.Indices[t]) {
				products[j] += v * c
			}
		}
		rest := square
		for a, share := range g.Row(i) {
			rest -= 2 * share * products[a]
			for b, other := range g.Row(i) {
				rest += share * other * p.gram.At(a, b)
			}
		}
		out.Set(i, 0, math.Sqrt(max(rest, 0)))
		out.Set(i, 1, math.Sqrt(max(square-2*across+p.squares[label], 0)))
		out.Set(i, 2, Entropy(g.Row(i), y.sum))
	}
	return out
}
