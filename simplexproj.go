package softkmeans

// The nearest point of the probability simplex. Least squares on the simplex is in simplexls.go.

import (
	"math"
	"slices"
	"strconv"
)

// ProjectSimplex returns the point of the probability simplex {g ≥ 0, Σg = 1} that is nearest to v: max(v_i −
// τ, 0), with the one τ that makes the sum 1. dst receives the result; nil allocates. Entries that become 0
// are exactly 0, and the sum is 1 to one rounding. The result of an empty v is empty. If v contains a NaN or
// an infinity, all entries become NaN. The method, linear in practice, is by Michelot (A Finite Algorithm …,
// 1986).
func ProjectSimplex(dst, v []float64) []float64 {
	if dst == nil {
		dst = make([]float64, len(v))
	}
	if len(dst) != len(v) {
		panic("softkmeans: dst has length " + strconv.Itoa(len(dst)) + ", v has " + strconv.Itoa(len(v)))
	}
	if len(v) == 0 {
		return dst
	}
	if _, ok := rowMaxAbs(v); !ok {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return dst
	}
	top := slices.Max(v)
	for i, x := range v {
		dst[i] = x - top
	}
	tau := threshold(dst)
	for i, x := range dst {
		dst[i] = x - tau
	}
	fixSum(dst)
	return dst
}

// threshold returns the τ with Σ max(v_i − τ, 0) = 1, for a v whose largest entry is 0. It begins with the
// entries above −1, since no other entry can remain positive. It then drops entries at or below the τ of the
// remaining ones until none is left to drop.
func threshold(v []float64) (tau float64) {
	count := 0
	for _, x := range v {
		if x > -1 {
			count++
		}
	}
	var few [32]float64
	kept := few[:0]
	if count > len(few) {
		kept = make([]float64, 0, count)
	}
	tau = -1
	for n := count + 1; ; {
		sum := 0.0
		for _, x := range v {
			if x > tau {
				sum += x
				kept = append(kept, x)
			}
		}
		if len(kept) >= n {
			return tau
		}
		n = len(kept)
		tau = (sum - 1) / float64(n)
		v, kept = kept, kept[:0] // the k-th kept entry overwrites entry k or an earlier one
	}
}
