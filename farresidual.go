package softkmeans

import (
	"math"
	"slices"
)

// Centers and memberships of others may be far larger than the data, and cancel. What
// is left of a row then needs more digits than a plain sum has. Models of this package
// never do.

// farResidual is ‖x_i − Fᵀg_i‖ of such a row in scaled units, 2^exp times length.
type farResidual struct {
	is     bool // of the others there is none
	length float64
	exp    int
}

// farPart is a center, or those of its entries that are above 2^-900 of the part's
// largest, as a row of at most 1 times 2^size in scaled units. What is left is a part of
// its own, which shows where this one cancels.
type farPart struct {
	center, size int
	row          []float64
}

// farParts cuts the centers, so that products of their entries keep their digits.
func (s *samples) farParts(f *Matrix) (parts []farPart) {
	for j := range f.Rows {
		for rest := slices.Clone(f.row(j)); ; {
			top, _ := rowMaxAbs(rest)
			if top == 0 {
				break
			}
			_, e := math.Frexp(top)
			row := make([]float64, s.d)
			for c, v := range rest {
				if _, own := math.Frexp(v); own > e-900 {
					row[c], rest[c] = v, 0
				}
			}
			scale2(row, -e)
			parts = append(parts, farPart{j, e - s.exp, row})
		}
	}
	return parts
}

// farResiduals finds and measures the rows that a plain sum has no digits or no range for:
// where a center that has a part in them, or its product with the membership, is some 2^16
// times as large as the data or larger, or a membership, which that sum has times the
// mean, is 2^4 or more. nil: there are none. Cost: a look at f and g, and some 30
// operations for each entry of f in each of these rows: with all of 10000×30 rows far,
// k = 5, Certify takes four times as long.
func (s *samples) farResiduals(f, g *Matrix) ([]farResidual, error) {
	isFar := func(membership, center int) bool { // powers of two
		return membership > 4 || max(center, membership+center-1) > 16
	}
	sizes := make([]int, f.Rows) // of centers, likewise
	for j := range sizes {
		if top, _ := rowMaxAbs(f.row(j)); top > 0 {
			_, e := math.Frexp(top)
			sizes[j] = e - s.exp
		}
	}
	if largest := slices.Max(sizes); !isFar(0, largest) {
		top, err := finiteMax(s.ctx, "memberships", g, s.workers)
		if _, e := math.Frexp(top); err != nil || !isFar(e, largest) {
			return nil, err
		}
	}
	parts := s.farParts(f)
	far, some := make([]farResidual, s.n), make([]bool, chunks(s.n, s.d, manyChunks))
	var w workspace
	err := w.each(s.ctx, s.workers, s.n, s.d, manyChunks, 2*s.d, func(at block) {
		for i := at.lo; i < at.hi; i++ {
			out := false
			for j, v := range g.row(i) {
				_, e := math.Frexp(v)
				out = out || v != 0 && isFar(e, sizes[j])
			}
			if out && s.weight(i) > 0 {
				some[at.chunk] = true
				far[i] = s.farResidual(i, parts, g.row(i), at.scratch)
			}
		}
	})
	if !slices.Contains(some, true) {
		far = nil
	}
	return far, err
}

// farResidual measures row i, with scratch space for 2d numbers. Products and their sum
// have twice the digits (Ogita, Rump & Oishi, Accurate sum and dot product, SIAM J. Sci.
// Comput. 26, 2005, Algorithm 5.3). They come in descending order, in units of 2^unit,
// which falls to what they leave when they cancel, and that may be any power of ten
// below; the row itself comes last.
func (s *samples) farResidual(i int, parts []farPart, g, scratch []float64) farResidual {
	exponent := func(p farPart) int {
		_, e := math.Frexp(g[p.center])
		return e + p.size
	}
	order := make([]farPart, 0, len(parts))
	for _, p := range parts {
		if g[p.center] != 0 {
			order = append(order, p)
		}
	}
	slices.SortFunc(order, func(a, b farPart) int { return exponent(b) - exponent(a) })
	r, low := scratch[:s.d], scratch[s.d:2*s.d]
	clear(scratch[:2*s.d])
	unit := 0
	fall := func(to int) {
		for c, v := range low {
			r[c], low[c] = twoSum(r[c], v)
		}
		if top, _ := rowMaxAbs(r); top > 0 {
			_, own := math.Frexp(top)
			to = max(to, own+unit)
			scale2(r, unit-to)
			scale2(low, unit-to)
		}
		unit = to
	}
	for _, p := range order {
		fall(max(exponent(p), 0))
		twiceAxpy(r, low, math.Ldexp(g[p.center], p.size-unit), p.row)
	}
	fall(0)
	for c, v := range s.x.row(i) {
		sum, lost := twoSum(math.Ldexp(v, -s.exp-unit), -r[c])
		r[c] = sum + (lost - low[c])
	}
	return farResidual{true, norm2(r), unit}
}

// twiceAxpy adds a·x to y, and what the roundings of products and sums take off to low
// (Dekker, A floating-point technique for extending the available precision, Numer.
// Math. 18, 1971), but for what is below 2^-1074. a and x are at most 2^995. math.FMA
// would give the rounding of a product at once, but is software in WebAssembly. The
// conversions keep compilers from fusing.
func twiceAxpy(y, low []float64, a float64, x []float64) {
	a1, a2 := halves(a)
	low = low[:len(x)]
	y = y[:len(x)]
	for c, b := range x {
		b1, b2 := halves(b)
		product := float64(a * b)
		off := float64(a2*b2) - (((product - float64(a1*b1)) - float64(a2*b1)) - float64(a1*b2))
		sum, lost := twoSum(y[c], product)
		y[c] = sum
		low[c] += lost + off
	}
}

// halves are the upper 26 bits of a and the rest, of as many with its sign.
func halves(a float64) (upper, lower float64) {
	c := float64((1<<27 + 1) * a)
	upper = c - (c - a)
	return upper, a - upper
}
