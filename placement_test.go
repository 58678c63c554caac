package softkmeans

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// globalCheck: the pair is certified, the model predicts its own memberships, and weights
// do not matter to that.
func globalCheck(t *testing.T, name string, x *Matrix, m *Model, weights []float64) {
	t.Helper()
	c := mustDo(Certify(bg, x, m.Centers, m.Memberships, &Options{Weights: weights}))(t)
	if !c.Optimal(1e-10) {
		t.Errorf("%s: not optimal: %+v", name, c)
	}
	g := mustDo(m.Predict(nil, x))(t)
	for i := range x.Rows {
		if d := maxDiff(rowsOf(g, i, i+1), rowsOf(m.Memberships, i, i+1)); d > 3e-6 &&
			(weights == nil || weights[i] > 0) {
			t.Errorf("%s: row %d has memberships %v, Predict says %v", name, i, m.Memberships.row(i),
				g.row(i))
		}
	}
}

// TestTightInFewDimensions: where the data has q < k−1 dimensions the tight simplex has
// q+1 vertices that touch it.
func TestTightInFewDimensions(t *testing.T) {
	line := NewMatrix(3, 1, []float64{-1, 0, 1})
	m := mustDo(Fit(bg, line, 3, &Options{Enclosure: EnclosureTight}))(t)
	if f := slices.Sorted(slices.Values(m.Centers.Data)); math.Abs(f[0]+1) > 1e-15 ||
		math.Abs(f[2]-1) > 1e-15 || math.Abs(f[1]) < 1-1e-15 {
		t.Errorf("−1, 0, 1 have centers %v", f)
	}
	for d := 1; d < 7; d++ {
		for q := 0; q < min(d+1, 4); q++ {
			// Points of q dimensions in d columns, in directions without zeros.
			low := randomData(25, max(q, 1), 0, uint64(10*d+q))
			turn := RandomOrientation(d+1, uint64(d))
			x := NewMatrix(25, d, nil)
			for i := range x.Rows {
				for c := range q {
					axpy(x.row(i), low.row(i)[c], turn.row(c))
				}
			}
			for k := q + 2; k < 8; k++ {
				name := fmt.Sprintf("%d of %d dimensions, k = %d", q, d, k)
				m := mustDo(Fit(bg, x, k, &Options{Enclosure: EnclosureTight}))(t)
				globalCheck(t, name, x, m, nil)
				for j := range k {
					for a := range j {
						same := squaredDistance(m.Centers.row(a), m.Centers.row(j)) < 1e-24
						if q > 0 && same != (a%(q+1) == j%(q+1)) {
							t.Errorf("%s: centers %v", name, m.Centers.Data)
						}
					}
					low := 1.0
					for i := range x.Rows {
						low = min(low, m.Memberships.row(i)[j])
					}
					if q > 0 && low > 1e-12 {
						t.Errorf("%s: facet %d is %g away", name, j, low)
					}
				}
			}
		}
	}
}

// TestProjectRowsOverwrites: what the rows held before is of no matter, as in passes that
// use one matrix again.
func TestProjectRowsOverwrites(t *testing.T) {
	for _, d := range []int{3, 64, 500} {
		x := randomData(60, d, 1, 1)
		s := mustDo(newSamples(bg, x, nil, 1, true))(t)
		pc := mustDo(principalOf(s, wanted{3, 0}, SolverGram, toFit))(t)
		fresh, used := NewMatrix(60, 4, nil), randomData(60, 4, 0, 2)
		for _, g := range []*Matrix{fresh, used} {
			must(t, s.changeBasis(g, pc.basis))
		}
		for i := range 60 {
			if !slices.Equal(fresh.row(i)[:3], used.row(i)[:3]) {
				t.Fatalf("d = %d, row %d: %v over zeros, %v over other numbers", d, i, fresh.row(i),
					used.row(i))
			}
		}
	}
}
