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
	lengths []float64
	squares []float64 // the squared lengths of what a row is compared with by its label
}

func productsOf(y *Yardstick) *products {
	f := y.centers
	columns := la.Transpose(f)
	p := &products{columns, la.Product(f, columns), make([]float64, f.Rows), make([]float64, f.Rows)}
	for a := range f.Rows {
		p.lengths[a] = math.Sqrt(p.gram.At(a, a))
		for _, v := range y.means.Row(a) {
			p.squares[a] += v * v
		}
	}
	return p
}

// lostShare is the share of the terms of a squared distance below which it has lost more
// than six digits to cancelling, and the row is measured with its zeros.
const lostShare = 1e-6

// measureSparse measures sparse rows by their stored entries. A squared distance is that of the lengths less twice
// the product.
func (y *Yardstick) measureSparse(x *softkmeans.SparseMatrix, g *softkmeans.Matrix, labels []int) *softkmeans.Matrix {
	if y.sparse == nil {
		y.sparse = productsOf(y)
	}
	p, out := y.sparse, softkmeans.NewMatrix(x.Rows, len(Names), nil)
	products := make([]float64, g.Cols)
	var filled *softkmeans.Matrix
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
		length := math.Sqrt(square)
		rest, reach := square, length
		for a, share := range g.Row(i) {
			reach += share * p.lengths[a]
			rest -= 2 * share * products[a]
			for b, other := range g.Row(i) {
				rest += share * other * p.gram.At(a, b)
			}
		}
		apart := square - 2*across + p.squares[label]
		far := length + math.Sqrt(p.squares[label])
		if rest > lostShare*reach*reach && apart > lostShare*far*far &&
			reach < math.MaxFloat64 && far < math.MaxFloat64 {
			out.Set(i, 0, math.Sqrt(rest))
			out.Set(i, 1, math.Sqrt(apart))
			out.Set(i, 2, Entropy(g.Row(i), y.sum))
			continue
		}
		if filled == nil {
			filled = softkmeans.NewMatrix(1, x.Cols, nil)
		}
		clear(filled.Data)
		for t := x.Indptr[i]; t < x.Indptr[i+1]; t++ {
			filled.Data[x.Indices[t]] = x.Data[t]
		}
		one := y.measure(filled, softkmeans.NewMatrix(1, g.Cols, g.Row(i)), labels[i:i+1])
		copy(out.Row(i), one.Data)
	}
	return out
}
