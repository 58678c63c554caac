package stream

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"softkmeans"
)

// column is a table of one column.
func column(v ...float64) *matrix { return softkmeans.NewMatrix(len(v), 1, v) }

// TestRange: weights and entries far from 1 give the certificate of softkmeans.Fit, and no false ErrChanged.
func TestRange(t *testing.T) {
	heavy := []float64{0x1p250, 0x1p250, 1}
	for i, c := range []struct {
		x       *matrix
		weights []float64
		k       int
	}{
		{column(0, 0, 1e-130), []float64{1e70, 1e70, 1}, 1},
		{column(0, 0, 1e-100), []float64{0x1p300, 0x1p300, 0x1p-190}, 1},
		{column(1e140, 1e140, 1e140), heavy, 2}, {column(1e140, 2e140, 4e140), heavy, 2},
		{column(0, 0, 1), []float64{1, 1, 0x1p-510}, 2},
		{column(1e15, -1e15, 1e15, -1e15), []float64{0x1p330, 0x1p-330, 0x1p-200, 0x1p-180}, 2},
		{column(1, 1, 1, 1), nil, 2}, {column(.1, .1, .1), nil, 1},
		{column(.3, .3, .3), []float64{1e200, 3, 7}, 3},
		{column(1e9 / 7), nil, 2}, {column(0, 0), nil, 1},
	} {
		want, err := softkmeans.Fit(t.Context(), c.x, c.k, &softkmeans.Options{Weights: c.weights})
		got, err2 := Fit(t.Context(), in(c.x, 2), c.k, &Options{Weights: c.weights})
		if err := errors.Join(err, err2); err != nil {
			t.Errorf("%d: %v", i, err)
		} else if !close9(got.Objective, want.Objective, want.Total) ||
			got.Total == 0 && (got.Gap != 0 || !got.Optimal(0)) {
			t.Errorf("%d: %+v, want %+v", i, got.Certificate, want.Certificate)
		}
	}
}

// TestCancelledTotal: the extent of rows far from 0 belongs to the subspace of the same rows as sparse ones.
func TestCancelledTotal(t *testing.T) {
	x, s := softkmeans.NewMatrix(100, 3, nil), &softkmeans.SparseMatrix{Rows: 100, Cols: 3, Indptr: []int{0}}
	for i := range x.Rows {
		x.Row(i)[0] = 1e6 + float64(i%3)
		s.Indices, s.Data = append(s.Indices, 0), append(s.Data, x.Row(i)[0])
		s.Indptr = append(s.Indptr, i+1)
	}
	space, err := softkmeans.Principal(t.Context(), s, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, e := &Subspace{*space, 1, x.Rows, softkmeans.EnclosureBall}, new(Extent)
	m, err := (*softkmeans.Model)(nil), e.Add(p, x, nil)
	if err == nil {
		m, err = p.Model(e)
	}
	if err != nil || !(m.Objective >= 66.66 && m.Objective < 67) {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestHeavyChange: a change is seen where the weights times the squared mean are out of range.
func TestHeavyChange(t *testing.T) {
	pass := 0
	blocks := func(yield func(*matrix, error) bool) {
		if pass++; pass == 1 {
			yield(column(1e140, 1.0000001e140, 1.0000004e140), nil)
		} else {
			yield(column(1e140, 1.0000009e140, 1.0000007e140), nil)
		}
	}
	_, err := Fit(t.Context(), blocks, 2, &Options{Weights: []float64{0x1p105, 0x1p105, 1}})
	if !errors.Is(err, softkmeans.ErrChanged) {
		t.Error(err)
	}
}

// TestForged: extents that no rows have are refused, with whatever checksum.
func TestForged(t *testing.T) {
	p, e := small(t)
	b, err := e.MarshalBinary()
	good, err2 := unmarshal(extentMagic, b, 7)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for at, v := range map[int]float64{2: 1e308, 4: -1e300, 6: 1e300, 7: 1e308} {
		bad := slices.Clone(good)
		bad[at] = v
		b, _ := marshal(extentMagic, bad)
		if err := new(Extent).UnmarshalBinary(b); !errors.Is(err, softkmeans.ErrFormat) {
			t.Errorf("%d: %v", at, err)
		}
	}
	for _, bad := range [][]float64{append(slices.Clone(good), 1), good[:len(good)-1], good[:7]} {
		var f Extent
		b, _ := marshal(extentMagic, bad)
		if err := f.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		_, err := p.Model(&f)
		x := mixtures(9, 3, 2, .1, 0, 1)
		for _, err := range []error{err, e.Merge(&f), f.Merge(e), f.Add(p, x, nil)} {
			if !errors.Is(err, softkmeans.ErrShape) {
				t.Errorf("%d numbers: %v", len(bad), err)
			}
		}
	}
}

// TestEarly: wrong options are told before a pass.
func TestEarly(t *testing.T) {
	var blocks iter.Seq2[*matrix, error] = func(func(*matrix, error) bool) { t.Error("a pass was made") }
	for _, o := range []Options{{Enclosure: 7}, {Enclosure: -1}, {Workers: -1}, {Workers: math.MinInt}} {
		if _, err := Fit(t.Context(), blocks, 2, &o); !errors.Is(err, softkmeans.ErrOption) {
			t.Error(fmt.Sprintf("%+v", o), err)
		}
	}
}
