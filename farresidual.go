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

// farResiduals finds and measures the rows that a plain sum has no digits or no range for:
// whose centers, or their products with memberships, are more than 2^16 times as large as
// the data, which would leave fewer than 37 bits for the rest, or whose memberships are
// above 2^4, which that sum has times the mean. nil: there are none. Cost: a look at f and
// g, and some 30 operations for each entry of f in each of these rows: with all of
// 10000×30 rows far, k = 5, Certify takes FAR times as long.
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
	alike := f.Clone() // centers without their sizes
	for j, size := range sizes {
		scale2(alike.row(j), -s.exp-size)
	}
	far, some := make([]farResidual, s.n), make([]bool, chunks(s.n, s.d, manyChunks))
	err := s.eachBlock(s.n, s.d, manyChunks, 2*s.d, func(at block) {
		for i := at.lo; i < at.hi; i++ {
			if s.weight(i) == 0 {
				continue
			}
			out, size := false, 0
			for j, v := range g.row(i) {
				if _, e := math.Frexp(v); v != 0 {
					out = out || isFar(e, sizes[j])
					size = max(size, e+sizes[j])
				}
			}
			if out {
				some[at.chunk] = true
				far[i] = s.farResidual(i, alike, g.row(i), sizes, size, at.scratch)
			}
		}
	})
	if !slices.Contains(some, true) {
		far = nil
	}
	return far, err
}

// farResidual measures row i of which the largest product is about 2^unit, of centers
// alike times 2^sizes. Products and their sum have twice the digits (Ogita, Rump & Oishi,
// Accurate sum and dot product, SIAM J. Sci. Comput. 26, 2005, Algorithm 5.3). They come
// in descending order, and the unit falls to what they leave when they cancel, which may
// be any power of ten below; the row itself comes last.
func (s *samples) farResidual(i int, alike *Matrix, g []float64, sizes []int, unit int, scratch []float64) farResidual {
	exponent := func(j int) int {
		_, e := math.Frexp(g[j])
		return e + sizes[j]
	}
	order := make([]int, 0, len(g))
	for j, v := range g {
		if v != 0 {
			order = append(order, j)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return exponent(b) - exponent(a) })
	r, low := scratch[:s.d], scratch[s.d:2*s.d]
	clear(scratch[:2*s.d])
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
	for _, j := range order {
		fall(max(exponent(j), 0))
		v := math.Ldexp(g[j], sizes[j]-unit)
		twiceAxpy(r, low, v, alike.row(j))
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
