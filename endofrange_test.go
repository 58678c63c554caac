package softkmeans

import (
	"math"
	"testing"
)

// TestEndOfRange: what no float64 can express is said, and nothing else is.
func TestEndOfRange(t *testing.T) {
	square := NewMatrix(4, 2, []float64{1, 1, 1, -1, -1, 1, -1, -1})
	for _, c := range []struct {
		size float64
		k    int
		want Status
	}{
		{1e307, 3, StatusOptimal}, // the triangle's vertices are 2√2 away
		{1e308, 3, StatusOutOfRange}, {math.MaxFloat64, 3, StatusOutOfRange}, {math.MaxFloat64, 1, StatusOptimal},
	} {
		x := mapped(square, func(_, _ int, v float64) float64 { return v * c.size })
		for _, solver := range allSolvers {
			m, err := Fit(bg, x, c.k, &Options{Solver: solver})
			if err != nil {
				t.Fatal(err)
			}
			data, err := m.MarshalBinary()
			var back Model
			if err != nil || back.UnmarshalBinary(data) != nil || back.Status != m.Status {
				t.Errorf("%v comes back as %v (%v)", m.Status, back.Status, err)
			}
			// The gap of Fit's sums is rounding: that of 8 squares, 2^-52 each.
			if m.Status != c.want || (m.Gap > 8*0x1p-52) != (c.want == StatusOutOfRange) {
				t.Errorf("%g k=%d %v: %v, gap %g", c.size, c.k, solver, m.Status, m.Gap)
			}
			for _, memberships := range []bool{false, true} {
				o := &Options{Solver: solver}
				if memberships {
					o.Memberships = func(int, *Matrix) error { return nil }
				}
				seq, err := FitSeq(bg, inBlocks(x, 3, 1), c.k, o)
				if err != nil || seq.Status != c.want {
					t.Errorf("%g k=%d %v: FitSeq says %v, %v", c.size, c.k, solver, seq.Status, err)
				}
				if (seq.Gap > 8*0x1p-52) != (c.want == StatusOutOfRange) {
					t.Errorf("%g k=%d %v: FitSeq's gap is %g", c.size, c.k, solver, seq.Gap)
				}
			}
		}
	}
	// Equal rows of the largest number: the mean is that number, whatever its sums round to.
	same := mapped(NewMatrix(7, 3, nil), func(_, _ int, _ float64) float64 { return math.MaxFloat64 })
	if m, err := Fit(bg, same, 2, nil); err != nil || m.Status != StatusOptimal || m.Objective != 0 {
		t.Errorf("equal rows: %+v, %v", m, err)
	}
	// Values past the end, of entries and vectors that are not.
	a := mapped(NewMatrix(2, 2, nil), func(_, _ int, _ float64) float64 { return math.MaxFloat64 })
	_, s, v, err := SVD(a)
	if err != nil || s[0] != math.MaxFloat64 || math.Abs(v.At(0, 0)-math.Sqrt(0.5)) > 4*laEps {
		t.Errorf("SVD: %v %v, %v", s, v, err)
	}
	if r, err := TruncatedSVD(bg, a, 1, nil); err != nil || r.S[0] != math.MaxFloat64 || math.Abs(r.V.At(0, 0)-math.Sqrt(0.5)) > 4*laEps {
		t.Errorf("TruncatedSVD: %+v, %v", r, err)
	}
	for i := range a.Data {
		a.Data[i] = -a.Data[i]
	}
	if values, _, err := EigenSym(a); err != nil || values[1] != -math.MaxFloat64 || math.Abs(values[0]) > 4*laEps*math.MaxFloat64 {
		t.Errorf("EigenSym: %v, %v", values, err)
	}
	// Centers of the smallest numbers are whole multiples of them: half a one off, in each
	// of 3·2 places, on data that is 2 apart.
	tiny := NewMatrix(3, 2, []float64{0, 0, 2 * math.SmallestNonzeroFloat64, 0, 0, 2 * math.SmallestNonzeroFloat64})
	if m, err := Fit(bg, tiny, 3, nil); err != nil || m.Status != StatusOptimal || !(m.Gap*16/3 <= 6*0.25) {
		t.Errorf("denormals: gap %g of 16/3, %v", m.Gap, err)
	}
}

// TestEndOfRangeIterations: what FitAlternating and FitMinVolume say of centers that
// had to stop is how they ended, and the error of those that are left, as Certify sees it.
func TestEndOfRangeIterations(t *testing.T) {
	square := NewMatrix(4, 2, []float64{1, 1, 1, -1, -1, 1, -1, -1})
	x := mapped(square, func(_, _ int, v float64) float64 { return v * math.MaxFloat64 })
	for _, fit := range []func() (*Model, error){
		func() (*Model, error) { return FitAlternating(bg, x, 3, &AlternatingOptions{Init: InitGlobal}) },
		func() (*Model, error) { return FitMinVolume(bg, x, 3, &MinVolumeOptions{Init: InitGlobal}) },
	} {
		m, err := fit()
		if err != nil || m.Status == StatusOptimal || m.Status == StatusOutOfRange {
			t.Fatalf("%+v, %v", m, err)
		}
		// No triangle within the range has all corners of the largest square.
		c, err := Certify(x, m.Centers, m.Memberships)
		if err != nil || !(m.Gap > 1e-3) || c.Gap != m.Gap {
			t.Errorf("gap %g, certified %g, %v", m.Gap, c.Gap, err)
		}
	}
}
