package enclosure

import (
	"math/rand/v2"
	"testing"

	"softkmeans"
	"softkmeans/internal/tables"
)

// nonnegative returns entries from 0 to 1, a share of them 0.
func nonnegative(n, d int, zeros float64, seed uint64) *softkmeans.Matrix {
	rng := rand.New(rand.NewPCG(seed, 11))
	return tables.Mapped(softkmeans.NewMatrix(n, d, nil), func(_, _ int, _ float64) float64 {
		if rng.Float64() < zeros {
			return 0
		}
		return rng.Float64()
	})
}

// feasible fails unless memberships are at least 0 and rows add up to 1, or with SumAtMostOne to at most 1.
func feasible(t *testing.T, m *softkmeans.Model) {
	t.Helper()
	for i := range m.Memberships.Rows {
		total := 0.0
		for j, v := range m.Memberships.Row(i) {
			if !(v >= 0) {
				t.Fatalf("membership (%d,%d) is %g", i, j, v)
			}
			total += v
		}
		off := float64(m.Memberships.Cols) * 0x1p-51
		if !(total <= 1+off) || m.Sum == softkmeans.SumToOne && total < 1-off {
			t.Fatalf("memberships of row %d add up to 1%+g", i, total-1)
		}
	}
}

// certified returns the certificate of a feasible model.
func certified(t *testing.T, x softkmeans.Samples, m *softkmeans.Model, w []float64) softkmeans.Certificate {
	t.Helper()
	feasible(t, m)
	o := &softkmeans.Options{Weights: w, Sum: m.Sum}
	return tables.Must(softkmeans.Certify(t.Context(), x, m.Centers, m.Memberships, o))(t)
}
