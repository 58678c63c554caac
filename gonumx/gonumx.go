// Package gonumx converts gonum's matrices to matrices of softkmeans and back, if possible without a copy:
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

// Of returns the gonum matrix x as a matrix of softkmeans: rows are samples. The result shares the numbers of
// x if x stores them by rows ([mat.RawMatrixer], such as *mat.Dense), or is a column vector
// ([mat.RawVectorer]). Other matrices, such as transposes, symmetric and banded ones, are copied by x.At. A
// matrix without rows or columns is empty.
//
// NaN and infinities are not errors here: the functions of softkmeans name the entry. A nil x causes
// [softkmeans.ErrShape].
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

// Dense returns m as a gonum matrix that shares the numbers of m. If m is nil, or without rows or columns,
// the result is empty, since gonum has no 0×d matrices. If the fields of m contradict each other, Dense
// panics.
func Dense(m *softkmeans.Matrix) *mat.Dense {
	out := new(mat.Dense)
	if m != nil && m.Rows > 0 && m.Cols > 0 {
		out.SetRawMatrix(blas64.General{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: m.Data[:(m.Rows-1)*m.Stride+m.Cols]})
	}
	return out
}

// Shares returns a copy of the memberships of a model: k slices, one for each prototype, with a weight for
// each row, as functions of gonum's package stat require. Without memberships, as after a fit by package
// stream, the result is empty: use [softkmeans.Model.Predict].
func Shares(m *softkmeans.Model) [][]float64 {
	g := Dense(m.Memberships)
	_, k := g.Dims()
	out := make([][]float64, k)
	for j := range out {
		out[j] = mat.Col(nil, j, g)
	}
	return out
}
