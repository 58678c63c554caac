package softkmeans

// Least squares with lower bounds, by block pivoting, and on the cone of given vertices.
//
// J. Kim and H. Park, Fast nonnegative matrix factorization: an active-set-like method and
// comparisons, SIAM J. Sci. Comput. 33 (2011).

import (
	"math"
)

// boundedProblem is least squares with a lower bound for all entries: A, k×k and definite,
// for many right sides r. It is also its own scratch space.
type boundedProblem struct {
	a, factor []float64 // A, and a Cholesky factor of a part of it
	r         []float64 // the right side
	u, slope  []float64 // the solution above the bound, and A·u − r
	part      []float64 // the part of r on the support
	free      []bool    // what is not at the bound
	index     []int
}

func newBoundedProblem(k int) *boundedProblem {
	return &boundedProblem{a: make([]float64, k*k), factor: make([]float64, k*k), r: make([]float64, k), u: make([]float64, k),
		slope: make([]float64, k), part: make([]float64, k), free: make([]bool, k), index: make([]int, k)}
}

// mostPivots is the most exchanges of a column, per center. Block pivots take a handful. A
// pivot at a time ends, too, but for rounding.
const mostPivots = 20

// solve sets u to the minimiser of ½uᵀAu − (r − low·A1)ᵀu over u ≥ 0, and reports whether
// it was found. On entry u is the minimiser of ½fᵀAf − rᵀf without bounds.
//
// All infeasible indices change sides at once while their number falls, or for three more
// exchanges. Then the last of them alone does, which ends (Murty 1974).
func (b *boundedProblem) solve(low float64) bool {
	k := len(b.r)
	var size float64
	for i := range k {
		b.free[i] = b.u[i] >= low
		size = max(size, math.Abs(b.r[i]))
		b.r[i] -= low * sumOf(b.a[i*k:(i+1)*k])
		size = max(size, math.Abs(b.r[i]))
	}
	tol := float64(k) * 0x1p-52 * size
	least, spare := k+1, 3
	for range mostPivots * k {
		if !b.onSupport() {
			return false
		}
		count, last := 0, 0
		for i := range k {
			if b.wrong(i, tol) {
				count, last = count+1, i
			}
		}
		switch {
		case count == 0:
			return true
		case count < least:
			least, spare = count, 3
		case spare > 0:
			spare--
		default:
			b.free[last] = !b.free[last]
			continue
		}
		for i := range k {
			if b.wrong(i, tol) {
				b.free[i] = !b.free[i]
			}
		}
	}
	return false
}

// wrong reports whether index i breaks the conditions of the minimum: u ≥ 0 where it is
// free, a slope of at least 0 where it is not.
func (b *boundedProblem) wrong(i int, tol float64) bool {
	if b.free[i] {
		return b.u[i] < 0
	}
	return b.slope[i] < -tol
}

// onSupport sets u to the minimiser with the free indices alone, and the slopes.
func (b *boundedProblem) onSupport() bool {
	k, n := len(b.r), 0
	for i, free := range b.free {
		b.u[i] = 0
		if free {
			b.index[n] = i
			n++
		}
	}
	index := b.index[:n]
	for s, i := range index {
		b.part[s] = b.r[i]
		for t, j := range index {
			b.factor[s*n+t] = b.a[i*k+j]
		}
	}
	if !cholesky(b.factor[:n*n], n) {
		return false
	}
	cholSolve(b.factor[:n*n], n, b.part[:n])
	for s, i := range index {
		b.u[i] = b.part[s]
	}
	for i := range k {
		b.slope[i] = 0
		if !b.free[i] {
			b.slope[i] = dot(b.a[i*k:(i+1)*k], b.u) - b.r[i]
		}
	}
	return true
}

// coneRidge is what is added to the diagonal of FFᵀ, relative to its largest entry, so that
// dependent vertices have a factor.
const coneRidge = 0x1p-40

// coneShares sets the rows of dst (n×k) to a/Σa for the a ≥ 0 that minimise ‖x − Σa_j·v_j‖,
// x a row of x (n×d) and v_j one of vertices (k×d), and shade to Σa; nil: not. Where all a
// are 0 the shares are 1/k each. dst may be x. O(ndk), and O(k³) a row and support tried.
func coneShares(by parallelism, dst *Matrix, shade []float64, x, vertices *Matrix) error {
	k, d := vertices.Rows, vertices.Cols
	_, vexp := math.Frexp(maxAbs(vertices))
	v := NewMatrix(k, d, nil)
	for j := range k {
		for c, e := range vertices.row(j) {
			v.row(j)[c] = math.Ldexp(e, -vexp)
		}
	}
	gram, top := make([]float64, k*k), 0.0
	addMulNT(gram, k, v.Data, k, v.Data, k, d, false)
	for j := range k {
		top = max(top, gram[j*k+j])
	}
	for j := range k {
		gram[j*k+j] += max(coneRidge*top, 0x1p-100)
	}
	full := append([]float64(nil), gram...)
	if !cholesky(full, k) {
		return fail(ErrRange, "the centers' Gram matrix has no factor") // does not happen: it has a ridge
	}
	count := chunks(x.Rows, d, manyChunks)
	solvers := make([]*boundedProblem, min(by.workers, count)) // workers may be any number
	return eachBlock(by.ctx, by.workers, chunking{x.Rows, d, manyChunks}, d, func(at block) {
		b := solvers[at.worker]
		if b == nil {
			b = newBoundedProblem(k)
			copy(b.a, gram)
			solvers[at.worker] = b
		}
		row := at.scratch[:d]
		for i := at.lo; i < at.hi; i++ {
			top, _ := rowMaxAbs(x.row(i))
			_, exp := math.Frexp(top)
			for c, e := range x.row(i) {
				row[c] = math.Ldexp(e, -exp)
			}
			sum := b.cone(v, full, row)
			for j, a := range b.u {
				if sum > 0 {
					a /= sum
				} else {
					a = 1 / float64(k)
				}
				dst.row(i)[j] = a
			}
			if shade != nil {
				shade[i] = min(math.Ldexp(sum, exp-vexp), math.MaxFloat64)
			}
		}
	})
}

// cone sets u to the minimiser of ‖x − Σu_j·v_j‖ over u ≥ 0, and returns its sum. full is
// the factor of A.
func (b *boundedProblem) cone(v *Matrix, full, x []float64) (sum float64) {
	k, below := len(b.r), false
	for j := range k {
		b.r[j] = dot(v.row(j), x)
		b.u[j] = b.r[j]
	}
	cholSolve(full, k, b.u)
	for _, u := range b.u {
		below = below || u < 0
	}
	if below {
		b.solve(0)
	}
	for j, u := range b.u {
		b.u[j] = max(u, 0) // solve ends above 0, but for its limit of pivots
		sum += b.u[j]
	}
	return sum
}
