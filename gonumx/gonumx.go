// Package gonumx takes gonum's matrices to softkmeans and back, where possible without a copy:
//
//	x, err := gonumx.Of(data)                             // a mat.Matrix
//	m, err := softkmeans.FitMinVolume(ctx, x, 3, nil)
//	centers := gonumx.Dense(m.Centers)                    // a *mat.Dense
//	mean := stat.Mean(mat.Col(nil, 0, data), gonumx.Shares(m)[1])
//
// It is a module of its own, so that softkmeans requires nothing.
package gonumx

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"softkmeans"
)

// Of returns a gonum matrix as softkmeans takes it: rows are samples. It shares the numbers of x, whatever
// its stride, where x stores them by rows ([mat.RawMatrixer], such as *mat.Dense and its slices) or is a
// column vector that stores them ([mat.RawVectorer]). Other matrices are copied, by x.At: transposes,
// symmetric and banded ones. A matrix without rows or columns is empty.
//
// NaN and infinities pass: the functions of softkmeans name the entry. A nil x is a [softkmeans.ErrShape].
func Of(x mat.Matrix) (*softkmeans.Matrix, error) {
	switch x := x.(type) {
	case nil:
		return nil, fmt.Errorf("gonumx: x is nil: %w", softkmeans.ErrShape)
	case *mat.Dense:
		if x == nil {
			return nil, fmt.Errorf("gonumx: x is nil: %w", softkmeans.ErrShape)
		}
		return general(x.RawMatrix()), nil
	case mat.RawMatrixer:
		return general(x.RawMatrix()), nil
	case mat.RawVectorer:
		v := x.RawVector()
		return &softkmeans.Matrix{Rows: v.N, Cols: 1, Stride: max(v.Inc, 1), Data: v.Data}, nil
	}
	rows, cols := x.Dims()
	out := softkmeans.NewMatrix(rows, cols, nil)
	for i := range rows {
		row := out.Row(i)
		for j := range row {
			row[j] = x.At(i, j)
		}
	}
	return out, nil
}

func general(g blas64.General) *softkmeans.Matrix {
	return &softkmeans.Matrix{Rows: g.Rows, Cols: g.Cols, Stride: g.Stride, Data: g.Data}
}

// Dense returns m as gonum takes it. The two share their numbers. Where m is nil or has no
// rows or columns the result is the empty matrix, since gonum has no 0×d ones. A matrix
// whose fields contradict each other panics, as in gonum.
func Dense(m *softkmeans.Matrix) *mat.Dense {
	out := new(mat.Dense)
	if m != nil && m.Rows > 0 && m.Cols > 0 {
		out.SetRawMatrix(blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: m.Data[:(m.Rows-1)*m.Stride+m.Cols]})
	}
	return out
}

// Shares returns the memberships of a model by its prototypes: k slices of a weight for each
// row, as the functions of gonum's stat package take them. They are copies. A model without
// memberships, as of package stream, has none: use [softkmeans.Model.Predict].
func Shares(m *softkmeans.Model) [][]float64 {
	g := Dense(m.Memberships)
	_, k := g.Dims()
	out := make([][]float64, k)
	for j := range out {
		out[j] = mat.Col(nil, j, g)
	}
	return out
}
