package softkmeans

// The two ways of meeting the constraint g ≥ 0, Σg = 1: the nearest point of
// the simplex, and the point of the simplex whose mixture of given vertices is
// nearest to a sample (fully constrained least squares, as unmixing calls it).

import (
	"math"
	"strconv"
)

// ProjectSimplex returns the point of the probability simplex {g ≥ 0, Σg = 1}
// that is nearest to v in the Euclidean norm: max(v_i − τ, 0) with the one τ
// that makes the sum 1. Entries that become 0 are exactly 0, and the sum is 1
// to one rounding. dst receives the result; nil allocates, and dst may be v. It
// panics if dst has another length. An empty v has an empty result; if v has a
// NaN or an infinity every entry of the result is NaN.
//
// The threshold comes from a sort of the candidates (Held, Wolfe & Crowder
// 1974) where they are few, otherwise from Condat's algorithm (2016), linear
// in practice.
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
	// Relative to the largest entry only entries above −1 can remain positive: the
	// candidates. The rest may be −Inf.
	top := v[0]
	for _, x := range v {
		top = max(top, x)
	}
	count := 0
	for i, x := range v {
		dst[i] = x - top
		if dst[i] <= -1 {
			dst[i] = math.Inf(-1)
		} else {
			count++
		}
	}
	var few [32]float64
	candidates := few[:0]
	if count > len(few) {
		candidates = make([]float64, 0, count)
	}
	for _, x := range dst {
		if x > -1 {
			candidates = append(candidates, x)
		}
	}
	var tau float64
	if count <= len(few) {
		tau = thresholdSorted(candidates)
	} else {
		tau = thresholdCondat(candidates)
	}
	// Once more on the support itself, to one rounding of a plain sum, while it
	// shrinks. Rounding can let an entry at the threshold in again, and out and
	// in for ever: whether it counts then changes nothing but the last bit.
	for n := len(dst) + 1; ; {
		sum, support := 0.0, 0
		for _, x := range dst {
			if x > tau {
				sum += x
				support++
			}
		}
		if support >= n || support == 0 {
			break
		}
		n = support
		tau = (sum - 1) / float64(n)
	}
	for i, x := range dst {
		dst[i] = max(x-tau, 0)
	}
	fixSum(dst, 1)
	return dst
}

// thresholdSorted sorts c in descending order and returns τ for radius 1.
func thresholdSorted(c []float64) float64 {
	for i := 1; i < len(c); i++ {
		for j := i; j > 0 && c[j] > c[j-1]; j-- {
			c[j], c[j-1] = c[j-1], c[j]
		}
	}
	var sum, tau float64
	for i, x := range c {
		sum += x
		t := (sum - 1) / float64(i+1)
		if t >= x {
			break
		}
		tau = t
	}
	return tau
}

// thresholdCondat is Algorithm 1 of L. Condat, Fast projection onto the simplex
// and the ℓ1 ball, Math. Program. 158 (2016). It overwrites y. The list v of
// entries taken to be active stands in y[keep:active], the list ṽ of those put
// aside in y[:keep]: each entry read from y is stored at or before its place.
func thresholdCondat(y []float64) float64 {
	rho := y[0] - 1
	keep, active := 0, 1
	for _, x := range y[1:] {
		if x <= rho {
			continue
		}
		y[active] = x
		rho += (x - rho) / float64(active-keep+1)
		if rho <= x-1 { // x alone raises the threshold past all before it
			keep = active
			rho = x - 1
		}
		active++
	}
	// Those put aside may still be active.
	count := active - keep
	v := y[:active]
	in := keep
	for i := keep - 1; i >= 0; i-- {
		if v[i] > rho {
			in--
			v[in], v[i] = v[i], v[in]
			count++
			rho += (v[in] - rho) / float64(count)
		}
	}
	v = v[in:]
	for changed := true; changed; {
		changed = false
		kept := v[:0]
		n := len(v)
		for _, x := range v {
			if x > rho {
				kept = append(kept, x)
				continue
			}
			n--
			rho += (rho - x) / float64(n)
			changed = true
		}
		v = kept
	}
	return rho
}
