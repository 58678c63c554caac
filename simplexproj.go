package softkmeans

// The nearest point of the probability simplex. Least squares on it is in simplexls.go.

import (
	"math"
	"slices"
	"strconv"
)

// ProjectSimplex returns the point of the probability simplex {g ≥ 0, Σg = 1} that is
// nearest to v: max(v_i − τ, 0) with the one τ that makes the sum 1. dst receives the
// result; nil allocates, and dst may be v. It panics if dst has another length.
//
// Entries that become 0 are exactly 0, and the sum is 1 to one rounding. An empty v has an empty result; if v
// has a NaN or an infinity every entry of the result is NaN. Up to 32 entries that may stay positive are
// sorted (Held, Wolfe & Crowder 1974); more take Condat's algorithm (2016), linear in practice.
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
		dst[i] = max(x-tau, 0)
	}
	fixSum(dst)
	return dst
}

// threshold returns the τ with Σ max(v_i − τ, 0) = 1, for a v whose largest entry is 0. Only
// entries above −1 can remain positive: the candidates.
func threshold(v []float64) (tau float64) {
	count := 0
	for _, x := range v {
		if x > -1 {
			count++
		}
	}
	var few [32]float64
	candidates := few[:0]
	if count > len(few) {
		candidates = make([]float64, 0, count)
	}
	for _, x := range v {
		if x > -1 {
			candidates = append(candidates, x)
		}
	}
	if count <= len(few) {
		tau = thresholdSorted(candidates)
	} else {
		tau = thresholdCondat(candidates)
	}
	// Once more on the support itself, to one rounding of a plain sum, while it shrinks. Rounding may let an
	// entry at the threshold in and out again, for ever; whether it counts changes the last bit only.
	for n := len(v) + 1; ; {
		sum, support := 0.0, 0
		for _, x := range v {
			if x > tau {
				sum += x
				support++
			}
		}
		if support >= n || support == 0 {
			return tau
		}
		n = support
		tau = (sum - 1) / float64(n)
	}
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

// thresholdCondat returns τ for radius 1, by Algorithm 1 of L. Condat, Fast projection onto the simplex and
// the ℓ1 ball, Math. Program. 158 (2016). It overwrites y. The list v of active entries is y[keep:active],
// the list ṽ of those set aside is y[:keep]. Each entry read from y is stored at or before its place.
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
	// Those set aside may still be active.
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
