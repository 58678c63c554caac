package softkmeans

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestMatrix(t *testing.T) {
	data := []float64{1, 2, 3, 4, 5, 6}
	m := NewMatrix(2, 3, data)
	if r, c := m.Rows, m.Cols; r != 2 || c != 3 || m.At(1, 0) != 4 {
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
	if r, c := zero.Rows, zero.Cols; r != 0 || c != 0 || zero.Clone().Rows != 0 {
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

// TestHugeK: more centers than 32 bits index, or than 48 bits address, are an error
// wherever a k is taken. With 10^14 make panicked in Fit and FitSeq.
func TestHugeK(t *testing.T) {
	x := NewMatrix(3, 2, []float64{1, 2, 3, 4, 5, 7})
	stats := statsOf(t, x, nil)
	kernel := outer(x)
	for name, call := range map[string]func(k int) error{
		"Fit":                func(k int) error { _, err := Fit(bg, x, k, nil); return err },
		"FitSeq":             func(k int) error { _, err := FitSeq(bg, inBlocks(x, 2), k, nil); return err },
		"Subspace":           func(k int) error { _, err := stats.Subspace(k, nil); return err },
		"FitAlternating":     func(k int) error { _, err := FitAlternating(bg, x, k, nil); return err },
		"FitMinVolume":       func(k int) error { _, err := FitMinVolume(bg, x, k, nil); return err },
		"FitMinVolumeSeq":    func(k int) error { _, err := FitMinVolumeSeq(bg, inBlocks(x, 2), k, nil); return err },
		"MinVolumePath":      func(k int) error { _, err := MinVolumePath(bg, x, k, nil, nil); return err },
		"NonUniquenessBound": func(k int) error { _, err := NonUniquenessBound(x, k); return err },
		"LSD":                func(k int) error { _, err := LSD(bg, kernel, k, nil); return err },
		"TILSD":              func(k int) error { _, err := TILSD(bg, kernel, k, nil); return err },
		"HierarchicalLSD":    func(k int) error { _, err := HierarchicalLSD(bg, kernel, k, nil); return err },
		"LSDable":            func(k int) error { _, err := isLSDable(kernel, k, 0); return err },
		"TILSDable":          func(k int) error { _, err := isTILSDable(kernel, k, 0); return err },
		"TruncatedSVD":       func(k int) error { _, err := TruncatedSVD(bg, x, k, nil); return err },
	} {
		for _, k := range []int{math.MaxInt, math.MaxInt / 2, min(1e14, math.MaxInt), math.MaxInt32} {
			if k < math.MaxInt32 {
				continue // it is 2^30 on 32 bits, which two columns and three rows do address
			}
			if err := call(k); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), strconv.Itoa(k)) {
				t.Errorf("%s, k = %d: %v", name, k, err)
			}
		}
	}
	// Of these the k×k numbers are beyond any address.
	if k := 1 << 23; math.MaxInt > math.MaxInt32 {
		for name, call := range map[string]func() error{
			"FitAlternating": func() error { _, err := FitAlternating(bg, x, k, nil); return err },
			"TILSD":          func() error { _, err := TILSD(bg, kernel, k, nil); return err },
		} {
			if err := call(); !errors.Is(err, ErrOption) {
				t.Errorf("%s, k = 2^23: %v", name, err)
			}
		}
	}
}

// TestProductsBeyondInt: sizes whose products overflow an int of 32 bits.
func TestProductsBeyondInt(t *testing.T) {
	if math.MaxInt > math.MaxInt32 {
		skip(t, "int has 64 bits")
		return
	}
	const k = 20000 // k² floats are 3.2 GB
	x := NewMatrix(3, 1, []float64{1, 2, 4})
	centers := NewMatrix(k, 1, nil)
	if _, err := Fit(context.Background(), x, k, &Options{Weights: []float64{1, 0, 1}}); !errors.Is(err, ErrOption) {
		t.Errorf("Fit with a weight of 0: %v", err)
	}
	if _, err := FitSeq(context.Background(), inBlocks(x, 2), k, &Options{Weights: []float64{1, 0, 1}, Seq: SeqOptions{Memberships: func(int, *Matrix) error { return nil }}}); !errors.Is(err, ErrOption) {
		t.Errorf("FitSeq with a weight of 0: %v", err)
	}
	if _, err := FitSeq(context.Background(), inBlocks(NewMatrix(9000, 1, nil), 9000), 3*k, nil); err != nil {
		t.Errorf("FitSeq of more rows than memberships fit at once: %v", err)
	}
	if m, err := Fit(context.Background(), x, k, nil); err != nil || !(math.Abs(m.Gap) <= 1e-12) {
		t.Errorf("Fit without weights: %v", err)
	}
	if _, err := (&Model{Centers: centers}).Nearest(nil, x); !errors.Is(err, ErrShape) {
		t.Errorf("Nearest: %v", err)
	}
	if _, err := (&Model{Centers: centers}).Predict(nil, x); !errors.Is(err, ErrShape) {
		t.Errorf("Predict: %v", err)
	}
	truth := make([]int, 1<<16)
	for i := range truth {
		truth[i] = i
	}
	if _, err := Accuracy(truth, truth); !errors.Is(err, ErrShape) {
		t.Errorf("Accuracy with 2^32 counts: %v", err)
	}
}

// An empty matrix may say that it has any number of rows or columns.
func TestEmptyOfAnySize(t *testing.T) {
	for _, a := range []*Matrix{{Rows: math.MaxInt}, {Cols: math.MaxInt}, {Cols: math.MaxInt, Stride: math.MaxInt}, {}} {
		r, err := JacobiSVD(a)
		if err != nil || r.U.Rows != a.Rows || r.V.Rows != a.Cols || r.U.Cols != 0 || r.V.Cols != 0 || len(r.S) != 0 {
			t.Errorf("SVD of %d×%d: %+v, %v", a.Rows, a.Cols, r, err)
		}
	}
	huge := &Matrix{Rows: math.MaxInt}
	if _, err := (&Model{Centers: huge}).Nearest(nil, &Matrix{Rows: 1}); !errors.Is(err, ErrShape) {
		t.Errorf("Nearest: %v", err)
	}
	if _, _, err := SimplexLeastSquares(nil, &Matrix{}, huge, nil); !errors.Is(err, ErrShape) {
		t.Errorf("SimplexLeastSquares: %v", err)
	}
	none := &LSDModel{Memberships: &Matrix{}, Projection: &Matrix{Cols: math.MaxInt32}, Vertices: &Matrix{Cols: math.MaxInt32}}
	if _, err := none.Coordinates(nil, &Matrix{Rows: 1}); !errors.Is(err, ErrTooFewSamples) {
		t.Errorf("Coordinates: %v", err)
	}
}
