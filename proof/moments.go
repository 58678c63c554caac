package proof

import (
	"cmp"
	"math"
	"slices"

	"softkmeans"
	"softkmeans/internal/la"
)

// moments returns the bound by moments for rows with weights v. sigma are the singular values of the weighted
// rows, and r bounds the norm of the differences between these values and the singular values of the
// mixtures.
func (q *problem) moments(sigma, v []float64, r float64) float64 {
	k := float64(q.k)
	log := 0.5*math.Log(k) + (k-1)/2*math.Log(k/la.Sum(v)) + leastLogProduct(sigma, r)
	for i := range q.k - 1 {
		log -= math.Log(float64(i + 1))
	}
	// The sum of the weights, the logarithms, and ŨᵀŨ, which is I to rounding.
	return log - k*float64(q.w.Rows+q.d+64)*0x1p-50
}

// design takes up to designSteps steps, and computes the bound for the weights after 1, 2, 4, … steps. After
// designAll steps it continues with the designRows rows of largest weight.
const (
	designSteps = 64
	designAll   = 4
	designRows  = 4096
)

// design returns the best bound by moments for several choices of weights v. The bound holds for any v. It
// begins with the simplex of k rows and goes towards the largest determinant, by the multiplicative algorithm
// (Silvey, Titterington & Torsney 1978): v_i is multiplied by its leverage over k.
func (q *problem) design(r reach) float64 {
	n, k := q.w.Rows, q.k
	v := slices.Clone(q.weights)
	la.Scale(1/la.Sum(v), v)
	a, row := make([]float64, k*k), make([]float64, k)
	corners, rows := make([]float64, n), la.Indices(n)
	for _, i := range la.Farthest(q.ctx, q.w) {
		corners[i] = 1
	}
	best, next := q.weighted(corners, r), 1
	for step := 1; step <= designSteps && q.ctx.Err() == nil; step++ {
		clear(a)
		for _, i := range rows {
			row[copy(row, q.w.Row(i))] = 1
			for c := range row {
				la.Axpy(a[c*k:(c+1)*k], v[i]*row[c], row)
			}
		}
		if !la.Cholesky(a, k) {
			break
		}
		for _, i := range rows {
			row[copy(row, q.w.Row(i))] = 1
			la.SolveLower(a, k, row)
			v[i] *= la.SumSquares(row) / float64(k)
		}
		if step == designAll && n > designRows {
			slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(v[j], v[i]) })
			for _, i := range rows[designRows:] {
				v[i] = 0
			}
			rows = rows[:designRows]
		}
		if step == next {
			next *= 2
			best = max(best, q.weighted(v, r))
		}
	}
	return best
}

// weighted returns the bound by moments for the rows with weights v in place of q.weights.
func (q *problem) weighted(v []float64, r reach) float64 {
	most := 0.0
	for i, u := range v {
		if u > 0 {
			most = max(most, u/q.weights[i])
		}
	}
	sigma := singularValues(q.w, v, true)
	return q.moments(sigma, v, (r.near*math.Sqrt(most)+r.each*math.Sqrt(la.Sum(v)))*(1+0x1p-40))
}

// singularValues returns close lower bounds of the singular values of the rows √v_i·(w_i − w̄), descending.
// w̄ is the weighted mean, or 0 unless centred is set.
//
// The scatter matrix is off by at most γ(m+8) of its trace, and by the square of that for the rounded mean,
// for terms that pass through m sums.
func singularValues(w *softkmeans.Matrix, v []float64, centred bool) []float64 {
	p := w.Cols
	mean, row := make([]float64, p), make([]float64, p)
	var sum, raw float64
	rows, done := 0, 0 // of positive weight
	for i, u := range v {
		if u > 0 {
			la.Axpy(mean, u, w.Row(i))
			sum += u
			raw += u * la.SumSquares(w.Row(i))
			rows++
		}
	}
	if !centred {
		sum = math.Inf(1)
	}
	la.Scale(1/sum, mean)
	s, part := softkmeans.NewMatrix(p, p, nil), softkmeans.NewMatrix(p, p, nil)
	for i, u := range v {
		if !(u > 0) {
			continue
		}
		copy(row, w.Row(i))
		la.Axpy(row, -1, mean)
		for c, e := range row {
			la.Axpy(part.Row(c), u*e, row)
		}
		if done++; done%scatterRows == 0 || done == rows {
			la.Axpy(s.Data, 1, part.Data)
			clear(part.Data)
		}
	}
	size, rounding := 0.0, float64(min(rows, scatterRows)+rows/scatterRows+16)*0x1p-52
	for i := range p {
		size += s.At(i, i)
	}
	sigma, off := eigenvalues(s)
	off += 2*rounding*size + float64(rows)*float64(rows)*0x1p-104*raw
	for i, theta := range sigma {
		sigma[i] = math.Sqrt(max(0, theta-off)) * (1 - 0x1p-50)
	}
	return sigma
}

// scatterRows is the number of rows of a partial sum in singularValues.
const scatterRows = 512

// leastLogProduct returns a number that is at most Σ log s_i for all s with
// Σ(σ_i − s_i)² ≤ r²; −Inf if one of them can be 0. sigma is descending.
//
// Each s_i is at least σ_i − r, and at most σ_i at the minimum of the sum. For any ν ≥ 0 the sum is at least
// Σ min_s(log s + ν(σ_i − s)²) − νr² (weak duality), with s from σ_i − r to σ_i. The function under the
// minimum rises at σ_i, and its slope is 0 at s(σ_i − s) = 1/(2ν). So the function is least at σ_i − r or at
// the larger root. For the best ν, Σ(σ_i − s_i)² = r². If no ν gives this sum, since the sum jumps, the bound
// is lower than the true minimum. That does not happen for r ≤ σ_p/2, for which the problem is convex in (σ_i
// − s_i)².
func leastLogProduct(sigma []float64, r float64) float64 {
	least := sigma[len(sigma)-1]
	if !(least > r*(1+0x1p-44)) {
		return math.Inf(-1)
	}
	r *= 1 + 0x1p-44 // so that σ_i − r, even if it is only rounding, is too small rather than too large
	best := math.Inf(-1)
	low := -math.Log2(8 * sigma[0] * sigma[0])
	high := math.Log2(float64(len(sigma))) - math.Log2(least) - math.Log2(max(r, 0x1p-60*least)) + 4
	r2 := r * r
	for range 60 {
		log := (low + high) / 2
		nu := math.Exp2(log)
		value, used := -nu*r2, 0.0
		for _, v := range sigma {
			at := v - r
			if inner := v*v/4 - 0.5/nu; inner > 0 {
				root := v/2 + math.Sqrt(inner)
				if math.Log(root)+nu*(v-root)*(v-root) < math.Log(at)+nu*r2 {
					at = max(at, root)
				}
			}
			value += math.Log(at) + nu*(v-at)*(v-at)
			used += (v - at) * (v - at)
		}
		best = max(best, value)
		if used > r2 {
			low = log
		} else {
			high = log
		}
	}
	return best - float64(len(sigma))*0x1p-40
}
