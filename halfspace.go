package softkmeans

// A half-space around given directions: the unit vector v whose least cosine with them is largest, towards
// the point of their convex hull that is nearest to 0.

import (
	"context"
	"math"
	"slices"
)

const (
	leastMargin = 0x1p-14    // the least cosine of a half-space; memberships in so wide a cone keep 38 bits
	marginShare = 1 - 0x1p-6 // how near the least cosine comes to the largest possible one
	mostCorral  = 1000       // steps of a search, at most; usual are some 3 to 5 a dimension
)

// halfSpace searches for the half-space (P. Wolfe, Finding the Nearest Point in a Polytope, 1976). It keeps a
// corral: few points, whose hull has the nearest point so far. A step adds the point whose cosine with it is
// least, and drops those no longer needed. The norm of the nearest point falls with every step; where it
// falls to 0 there is no half-space. Points may come in parts: the corral is what a part leaves.
type halfSpace struct {
	corral *Matrix   // unit rows
	axis   []float64 // v; nil before the first point
	norm   float64   // of the nearest point: no v has a larger least cosine
}

// directions are the rows w of a matrix but those of 0, and those for which skip(row, ‖w‖²) is true.
type directions struct {
	ctx     context.Context
	workers int
	w       *Matrix
	skip    func(i int, squares float64) bool
}

// none reports whether no half-space has the points so far.
func (h *halfSpace) none() bool { return h.axis != nil && h.norm < leastMargin }

// search adds points until the least cosine of v with them is near the largest. It returns that cosine, 1
// where there is no point; a search that has failed stays so.
func (h *halfSpace) search(r directions) (margin float64, err error) {
	for range mostCorral {
		if h.none() {
			return 0, nil
		}
		low, at, err := r.lowest(h.axis)
		if err != nil || at < 0 {
			return 1, err
		}
		if h.axis != nil && low >= marginShare*h.norm {
			return low, nil
		}
		if err := h.add(r.ctx, r.w.row(at)); err != nil {
			return 0, err
		}
	}
	low, _, err := r.lowest(h.axis)
	return low, err
}

// lowest returns the least cosine of a row with v, and the row: any without v, −1 where there is none.
func (r directions) lowest(v []float64) (low float64, at int, err error) {
	p := r.w.Cols
	over := chunking{r.w.Rows, p, manyChunks}
	count := chunks(over.n, over.l, over.most)
	lows, rows := make([]float64, count), make([]int, count)
	for c := range rows {
		lows[c], rows[c] = 2, -1
	}
	err = eachBlock(r.ctx, r.workers, over, 0, func(b block) {
		for i := b.lo; i < b.hi; i++ {
			w := r.w.row(i)
			squares := sumSquares(w)
			if squares < negligible*negligible || r.skip(i, squares) {
				continue
			}
			cosine := 1.0
			if v != nil {
				cosine = dot(v, w) / math.Sqrt(squares)
			}
			if cosine < lows[b.chunk] {
				lows[b.chunk], rows[b.chunk] = cosine, i
			}
		}
	})
	low, at = 2, -1
	for c, v := range lows {
		if v < low {
			low, at = v, rows[c]
		}
	}
	return low, at, err
}

// add takes a point into the corral and finds the nearest point of the hull, as a mixture.
func (h *halfSpace) add(ctx context.Context, w []float64) error {
	p := len(w)
	if h.corral == nil {
		h.corral = NewMatrix(0, p, nil)
	}
	corral := NewMatrix(h.corral.Rows+1, p, slices.Concat(h.corral.Data, w))
	last := corral.row(h.corral.Rows)
	scale(last, 1/norm2(last))
	g := NewMatrix(1, corral.Rows, nil)
	if err := newSimplexProblem(corral, SumToOne).solve(ctx, g, NewMatrix(1, p, nil), 1); err != nil {
		return err
	}
	h.axis = make([]float64, p)
	var used []int
	for j, v := range g.row(0) {
		if v > 0 {
			used = append(used, j)
			axpy(h.axis, v, corral.row(j))
		}
	}
	h.corral = chosenRows(corral, used)
	if h.norm = norm2(h.axis); h.norm > 0 {
		scale(h.axis, 1/h.norm)
	}
	return nil
}

// reflection is the orthogonal map that takes a unit vector v to the first axis: the
// reflection I − 2aaᵀ/aᵀa with a = v ± e, and a change of the first sign.
type reflection struct {
	a    []float64
	sign float64 // of the first coordinate, after the reflection
}

func reflectionOf(v []float64) reflection {
	r := reflection{a: slices.Clone(v), sign: -1}
	if v[0] < 0 {
		r.sign = 1
	}
	r.a[0] -= r.sign // away from 0, so that nothing cancels
	return r
}

// row maps a row.
func (r reflection) row(w []float64) {
	axpy(w, -2*dot(r.a, w)/sumSquares(r.a), r.a)
	w[0] *= r.sign
}
