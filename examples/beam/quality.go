package main

import (
	"math"

	"softkmeans"
)

// quality is what the third pass measures of the memberships that it writes. It uses only
// the rows, the centers and the memberships.
type quality struct {
	Rows          int64
	Objective     float64 // ‖X − GF‖²
	MinMembership float64
	MaxSumError   float64
	Sizes         []int64 // rows by label
}

func newQuality(k int) *quality {
	return &quality{MinMembership: 1, Sizes: make([]int64, k)}
}

// add adds a row and its memberships. It sums x − Fᵀg as
// (x − f₀) − Σg_j(f_j − f₀) − (Σg_j − 1)f₀, so that centers far from 0 cost no digits.
func (q *quality) add(label int, x, g []float64, centers *softkmeans.Matrix) {
	q.Rows++
	q.Sizes[label]++
	sum := 0.0
	for _, v := range g {
		sum += v
		q.MinMembership = min(q.MinMembership, v)
	}
	q.MaxSumError = max(q.MaxSumError, math.Abs(sum-1))
	first := centers.Row(0)
	for c, v := range x {
		r := v - first[c] - (sum-1)*first[c]
		for j, share := range g[1:] {
			r -= share * (centers.Data[(j+1)*centers.Stride+c] - first[c])
		}
		q.Objective += r * r
	}
}

// merge adds the quality of other shards.
func (q *quality) merge(p *quality) {
	q.Rows += p.Rows
	q.Objective += p.Objective
	q.MinMembership = min(q.MinMembership, p.MinMembership)
	q.MaxSumError = max(q.MaxSumError, p.MaxSumError)
	for i, n := range p.Sizes {
		if i == len(q.Sizes) { // k is 0 before the first merge
			q.Sizes = append(q.Sizes, 0)
		}
		q.Sizes[i] += n
	}
}

// agrees reports whether the memberships as written are those of the model: on the simplex,
// and with its squared error, to 1e-9.
func (q *quality) agrees(c softkmeans.Certificate) bool {
	return math.Abs(q.Objective-c.Objective) <= 1e-9*c.Total && q.MinMembership >= -1e-9 && q.MaxSumError <= 1e-9
}
