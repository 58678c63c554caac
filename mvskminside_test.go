package softkmeans

import (
	"math"
	"slices"
	"testing"
)

// TestInsidePass: a pass by multipliers has the memberships, sums and objective of a pass by memberships, for
// rows inside and far outside, with weights, in a hull of all directions or of fewer, for any workers.
func TestInsidePass(t *testing.T) {
	const n, k = 2000, 24
	for _, d := range []int{k - 1, k, k + 5} {
		x := NewMatrix(n, d, nil)
		prototypes := randomData(k, d, 1, 3)
		shares := randomData(n, k, 2, 4)
		for i := range n {
			row := shares.row(i)
			for j, v := range row {
				row[j] = 0.3 + math.Abs(v)
			}
			size := 1 / sumOf(row)
			if i%50 == 0 {
				size *= 4 // outside
			}
			for j, v := range row {
				axpy(x.row(i), v*size, prototypes.row(j))
			}
		}
		x = noisy(x, 40, 5)
		weights := make1(n)
		for i := range n {
			weights[i] = float64(i%20) / 9
		}
		var bits []float64
		for _, workers := range []int{1, 3} {
			o := &MinVolumeOptions{Weights: weights, Workers: workers}
			m := mustDo(openMinVolume(bg, x, k, o, true))(t)
			m = mustDo(m.end())(t)
			at, want, got := m.newIterate(), m.newIterate(), m.newIterate()
			copy(at.f.Data, m.fromData(prototypes).Data)
			must(t, m.pass(at, nil))
			m.centersStep(want.f, at, 1e-3*m.firstLambda())
			copy(got.f.Data, want.f.Data)
			used := m.work.inside.used
			m.work.inside.used = 0
			must(t, m.pass(want, at.g))
			m.work.inside.used = used
			must(t, m.pass(got, at.g))
			if !m.work.inside.on || m.work.inside.used != countPositive(want.g, weights) {
				t.Fatalf("d = %d: %v, %d memberships", d, m.work.inside.on, m.work.inside.used)
			}
			for _, c := range []struct {
				what      string
				got, want []float64
			}{
				{"memberships", got.g.Data, want.g.Data}, {"GᵀG", got.gg.Data, want.gg.Data},
				{"GᵀZ", got.gz.Data, want.gz.Data},
				{"objective", []float64{got.objective}, []float64{want.objective}},
			} {
				top, _ := rowMaxAbs(c.want)
				if c.what == "objective" { // of terms of the size of the total
					top = max(top, 5e-3*m.pc.total)
				}
				for i, v := range c.got {
					if !(math.Abs(v-c.want[i]) <= 1e-11*top) {
						t.Fatalf("d = %d: %s, entry %d: %g, want %g", d, c.what, i, v, c.want[i])
					}
				}
			}
			all := slices.Concat(got.g.Data, got.gg.Data, got.gz.Data, []float64{got.objective})
			if bits == nil {
				bits = all
			}
			if !slices.Equal(bits, all) {
				t.Errorf("d = %d: other bits for %d workers", d, workers)
			}
		}
	}
}

func countPositive(g *Matrix, weights []float64) (count int) {
	for i, w := range weights {
		for _, v := range g.row(i) {
			if w > 0 && v > 0 {
				count++
			}
		}
	}
	return count
}
