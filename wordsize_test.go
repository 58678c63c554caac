package softkmeans

// Sizes whose products do not fit an int. Where that has 64 bits most of them do,
// and these tests have nothing to say.

import (
	"context"
	"errors"
	"math"
	"testing"
)

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
	if _, err := FitSeq(context.Background(), inBlocks(x, 2), k, &Options{Weights: []float64{1, 0, 1}, Memberships: func(int, *Matrix) error { return nil }}); !errors.Is(err, ErrOption) {
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
	none := &LSDModel{Memberships: &Matrix{}, Map: &KernelMap{Projection: &Matrix{Cols: math.MaxInt32}, Vertices: &Matrix{Cols: math.MaxInt32}}}
	if _, err := none.Coordinates(nil, &Matrix{Rows: 1}); !errors.Is(err, ErrTooFewSamples) {
		t.Errorf("Coordinates: %v", err)
	}
}
