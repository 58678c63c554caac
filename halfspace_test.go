package softkmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func searched(t *testing.T, h *halfSpace, w *Matrix) float64 {
	t.Helper()
	return mustDo(h.search(directions{bg, 2, w, func(int, float64) bool { return false }}))(t)
}

// leastCosine is the least cosine of v with the rows that are not 0.
func leastCosine(v []float64, w *Matrix) float64 {
	low := 1.0
	for i := range w.Rows {
		if r := w.row(i); norm2(r) > 0 {
			low = min(low, dot(v, r)/norm2(r)/norm2(v))
		}
	}
	return low
}

// TestHalfSpace: the least cosine is what the axis has, and within 2 % of the norm of a
// point of the hull, above which no axis comes. Around 0 no half-space is found.
func TestHalfSpace(t *testing.T) {
	for seed := range uint64(fewer(400, 100)) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n, p := 1+rng.IntN(60), 1+rng.IntN(6)
		lift := []float64{0.01, 0.3, 1, 3}[rng.IntN(4)]
		w := randomData(n, p, 0, seed)
		for i := range n { // on one side of an axis
			w.row(i)[p-1] = math.Abs(w.row(i)[p-1]) + lift
			scale(w.row(i), math.Exp(3*rng.NormFloat64()))
		}
		turn := laOrthogonal(p, rng)
		rows := NewMatrix(n, p, nil)
		timesT(rows, w, turn)
		var h halfSpace
		margin := searched(t, &h, rows)
		if own := leastCosine(h.axis, rows); math.Abs(own-margin) > 1e-14 || margin < marginShare*h.norm ||
			math.Abs(norm2(h.axis)-1) > 1e-14 || h.none() {
			t.Fatalf("seed %d, %d×%d: margin %g, own %g, norm %g", seed, n, p, margin, own, h.norm)
		}
		if p == 2 { // by angles
			var angles []float64
			for i := range n {
				angles = append(angles, math.Remainder(math.Atan2(rows.row(i)[1],
					rows.row(i)[0])-math.Atan2(h.axis[1], h.axis[0]), 2*math.Pi))
			}
			best := math.Cos((slices.Max(angles) - slices.Min(angles)) / 2)
			if margin < marginShare*best || margin > best+1e-14 || h.norm < best-1e-14 {
				t.Fatalf("seed %d: margin %g, norm %g, best %g", seed, margin, h.norm, best)
			}
		}
		var parts halfSpace // the corral is what a part leaves
		for range 3 {
			searched(t, &parts, rowsOf(rows, 0, n/2))
			searched(t, &parts, rowsOf(rows, n/2, n))
		}
		if got := leastCosine(parts.axis, rows); got < margin/2 {
			t.Errorf("seed %d: in parts %g, at once %g", seed, got, margin)
		}
		opposite := rows.Clone()
		for j := range p {
			opposite.Data[j] = 0
			for i := 1; i < n; i++ {
				opposite.Data[j] -= rows.row(i)[j] / norm2(rows.row(i))
			}
		}
		if n > 1 {
			var none halfSpace
			if margin := searched(t, &none, opposite); margin >= leastMargin {
				t.Errorf("seed %d: a half-space of margin %g around 0", seed, margin)
			}
			if searched(t, &none, opposite); len(none.axis) > 0 &&
				leastCosine(none.axis, opposite) >= leastMargin {
				t.Errorf("seed %d: an axis %v", seed, none.axis)
			}
		}
	}
	var h halfSpace
	if margin := searched(t, &h, NewMatrix(3, 2, nil)); margin != 1 || h.axis != nil || h.none() {
		t.Errorf("zeros: %g, %+v", margin, h)
	}
}

// TestReflection: it takes v to the first axis and keeps products.
func TestReflection(t *testing.T) {
	for seed := range uint64(20) {
		p := 1 + int(seed%5)
		rows := randomData(4, p, 0, seed)
		v := slices.Clone(rows.row(0))
		scale(v, 1/norm2(v))
		before := outer(rows)
		r := reflectionOf(v)
		for i := range rows.Rows {
			r.row(rows.row(i))
		}
		e := rows.row(0)
		if off := norm2(e[1:]); off > 1e-14*norm2(e) || e[0] < 0 ||
			maxDiff(before, outer(rows)) > 1e-13*before.At(0, 0)+1e-13 {
			t.Errorf("seed %d: v becomes %v", seed, e)
		}
	}
}
