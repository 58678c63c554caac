package softkmeans

import (
	"errors"
	"math"
	"testing"
)

func TestMatrix(t *testing.T) {
	data := []float64{1, 2, 3, 4, 5, 6}
	m := NewMatrix(2, 3, data)
	if r, c := m.Dims(); r != 2 || c != 3 || m.At(1, 0) != 4 {
		t.Error(m)
	}
	m.Set(1, 2, 9)
	if data[5] != 9 {
		t.Error("NewMatrix copied")
	}
	view := m.Row(0)
	view[1] = 7
	if m.At(0, 1) != 7 {
		t.Error("Row copied")
	}
	_ = append(view, 100)
	if m.At(1, 0) != 4 {
		t.Error("appending to a row wrote into the next")
	}
	s := &Matrix{Rows: 2, Cols: 2, Stride: 3, Data: data[:5]}
	if s.At(1, 1) != 5 || s.Clone().Stride != 2 || s.Clone().At(1, 1) != 5 {
		t.Error("strided view")
	}
	mustPanic(t, func() { s.At(0, 2) }) // inside of Data, outside of the view
	mustPanic(t, func() { s.At(-1, 0) })
	mustPanic(t, func() { s.Set(2, 0, 1) })
	mustPanic(t, func() { s.Row(2) })
	mustPanic(t, func() { NewMatrix(2, 2, data) })
	mustPanic(t, func() { NewMatrix(-1, 2, nil) })
	mustPanic(t, func() { NewMatrix(math.MaxInt, math.MaxInt, nil) })
	mustPanic(t, func() { NewMatrix(math.MaxInt/2+1, 4, nil) }) // whose product is 0 in an int
	if z := NewMatrix(2, 2, nil); len(z.Data) != 4 {
		t.Error(z)
	}
	var zero Matrix
	if r, c := zero.Dims(); r != 0 || c != 0 || zero.Clone().Rows != 0 {
		t.Error("zero value")
	}
}

func TestFromRows(t *testing.T) {
	rows := [][]float64{{1, 2}, {3, 4}}
	m, err := FromRows(rows)
	if err != nil || m.At(1, 1) != 4 {
		t.Error(m, err)
	}
	rows[1][1] = 0
	if m.At(1, 1) != 4 {
		t.Error("FromRows did not copy")
	}
	if _, err := FromRows([][]float64{{1, 2}, {3}}); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	if m, err := FromRows(nil); err != nil || m.Rows != 0 {
		t.Error(m, err)
	}
	if m, err := FromRows([][]float64{{}, {}}); err != nil || m.Rows != 2 || m.Cols != 0 {
		t.Error(m, err)
	}
}
