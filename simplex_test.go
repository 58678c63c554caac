package softkmeans

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestRegularSimplex(t *testing.T) {
	for k := 1; k <= 40; k++ {
		b := RegularSimplex(k)
		if b.Rows != k || b.Cols != k-1 {
			t.Fatalf("k=%d: %s", k, shape(b.Rows, b.Cols))
		}
		btb, bbt := product(b.transposed(), b), product(b, b.transposed())
		for i := range k - 1 {
			sum := 0.0
			for j := range k {
				sum += b.At(j, i)
			}
			if math.Abs(sum) > 1e-15*float64(k) {
				t.Errorf("k=%d: column %d adds up to %g", k, i, sum)
			}
		}
		if d := maxDiff(btb, identity(k-1)); d > 1e-15*float64(k) {
			t.Errorf("k=%d: BᵀB is off by %g", k, d)
		}
		h := mapped(identity(k), func(_, _ int, v float64) float64 { return v - 1/float64(k) })
		if d := maxDiff(bbt, h); d > 1e-15*float64(k) {
			t.Errorf("k=%d: BBᵀ is off by %g", k, d)
		}
	}
	mustPanic(t, func() { RegularSimplex(0) })
	mustPanic(t, func() { RandomOrientation(0, 1) })
}

func TestLogVolume(t *testing.T) {
	cases := []struct {
		name string
		v    *Matrix
		want float64
	}{
		{"point", NewMatrix(1, 3, []float64{1, 2, 3}), 0},
		{"segment 3-4-5", NewMatrix(2, 2, []float64{1, 1, 4, 5}), math.Log(5)},
		{"triangle in space", NewMatrix(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}), math.Log(math.Sqrt(3) / 2)},
		{"corner", NewMatrix(4, 3, []float64{0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 5}), math.Log(30.0 / 6)},
		{"thin", NewMatrix(3, 2, []float64{0, 0, 1, 0, 0, 1e-20}), math.Log(0.5e-20)},
		{"huge", NewMatrix(3, 2, []float64{0, 0, 1e150, 0, 0, 1e150}), math.Log(0.5) + 300*math.Ln10},
		{"tiny", NewMatrix(3, 2, []float64{0, 0, 1e-150, 0, 0, 1e-150}), math.Log(0.5) - 300*math.Ln10},
		{"below the least", NewMatrix(2, 2, []float64{1, 1e-200, 1, 2e-200}), math.Inf(-1)},
		{"far from 0", NewMatrix(3, 2, []float64{1e8, -1e8, 1e8 + 3, -1e8, 1e8, -1e8 + 4}), math.Log(6)},
		{"in a plane", NewMatrix(4, 2, []float64{0, 0, 1, 0, 0, 1, 3, 3}), math.Inf(-1)},
		{"coinciding", NewMatrix(2, 2, []float64{1, 1, 1, 1}), math.Inf(-1)},
		{"no dimension", NewMatrix(2, 0, nil), math.Inf(-1)},
	}
	for _, c := range cases {
		got, err := LogVolume(c.v)
		if err != nil || got != c.want && math.Abs(got-c.want) > 1e-12*max(1, math.Abs(c.want)) {
			t.Errorf("%s: %g, want %g (%v)", c.name, got, c.want, err)
		}
	}
	if _, err := LogVolume(NewMatrix(0, 2, nil)); !errors.Is(err, ErrTooFewSamples) {
		t.Error(err)
	}
	if _, err := LogVolume(NewMatrix(1, 1, []float64{math.NaN()})); !errors.Is(err, ErrNonFinite) {
		t.Error(err)
	}
	if _, err := LogVolume(NewMatrix(1, 1, []float64{1.001 * mostCenter})); !errors.Is(err, ErrRange) {
		t.Error(err)
	}
	if _, err := LogVolume(nil); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	// The regular simplex of Fit: edges √2·s.
	for k := 2; k < 9; k++ {
		got, err := LogVolume(RegularSimplex(k))
		want := math.Log(math.Sqrt(float64(k)))
		for i := 2; i < k; i++ {
			want -= math.Log(float64(i))
		}
		if err != nil || math.Abs(got-want) > 1e-13 {
			t.Errorf("k=%d: %g, want %g", k, got, want)
		}
	}
}

// TestTightRadius: where the simplex has more corners than the data's space can hold
// independently, the tight one is no larger than that about the mean, however it is turned.
func TestTightRadius(t *testing.T) {
	still := 0 // about the mean itself
	for seed := range uint64(60) {
		const k, p = 6, 2
		normals, points := normalsOf(k, p, RandomOrientation(k, seed)), randomData(20, p, 0.5, seed)
		ext := &extent{facets: make([]float64, k)}
		for i := range points.Rows {
			ext.add(points.row(i), normals, EnclosureTight)
		}
		e := enclose(EnclosureTight, normals, ext)
		most := slices.Max(ext.facets)
		if e.radius > most {
			t.Errorf("seed %d: radius %g, about the mean %g", seed, e.radius, most)
		}
		if e.radius == most {
			still++
		}
		for i := range points.Rows {
			for j := range k { // on the inner side of each facet, to rounding
				if out := -dot(normals.row(j), points.row(i)) + dot(normals.row(j), e.centre) - e.radius; out > 0x1p-50*ext.radius {
					t.Errorf("seed %d: point %d is %g outside of facet %d", seed, i, out, j)
				}
			}
		}
	}
	if still == 0 || still == 60 {
		t.Errorf("%d of 60 are about the mean", still)
	}
}
