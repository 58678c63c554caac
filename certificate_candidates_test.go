package softkmeans

// The candidates of TestNoFalseCertificate: tables, weights, centers and memberships of
// the kinds that certificates were false on, and the steps of its hill climbing.

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// decades is 10^v for a v between lo and hi.
func decades(rng *rand.Rand, lo, hi float64) float64 {
	return math.Pow(10, lo+(hi-lo)*rng.Float64())
}

func sign(rng *rand.Rand) float64 { return float64(2*rng.IntN(2) - 1) }

// drawCandidate draws a table, weights, and a pair for them.
func drawCandidate(rng *rand.Rand) *pairing {
	c := &pairing{path: floorPaths[rng.IntN(len(floorPaths))], sum: []Sum{SumToOne, SumToOne, SumAtMostOne}[rng.IntN(3)]}
	c.drawTable(rng)
	c.drawWeights(rng)
	k := 1 + rng.IntN(4)
	if rng.IntN(8) == 0 {
		k = 1 + rng.IntN(8)
	}
	if rng.IntN(4) > 0 {
		c.drawOptimum(rng, k)
	} else {
		c.drawForeign(rng, k)
	}
	for _, m := range []*Matrix{c.x, c.f, c.g} {
		inRange(m)
	}
	return c
}

// inRange brings entries into the range of the package.
func inRange(m *Matrix) {
	for i, v := range m.Data {
		if math.IsNaN(v) {
			v = 0
		}
		m.Data[i] = min(max(v, -0x1p499), 0x1p499)
	}
}

// drawTable sets x, and begins the family's name.
func (c *pairing) drawTable(rng *rand.Rand) {
	n, d := 1+rng.IntN(12), 1+rng.IntN(4)
	switch rng.IntN(24) {
	case 0:
		n, d = 1+rng.IntN(16), 1+rng.IntN(8)
	case 1, 2, 3, 4:
		d = 1
	}
	x := NewMatrix(n, d, nil)
	fill := func(entry func(i, j int) float64) {
		for i := range n {
			for j := range d {
				x.Set(i, j, entry(i, j))
			}
		}
	}
	moves := true // whether a mean is added
	switch rng.IntN(10) {
	case 0, 1:
		c.family = "normal"
		fill(func(_, _ int) float64 { return rng.NormFloat64() })
	case 2:
		c.family = "integers"
		fill(func(_, _ int) float64 { return float64(rng.IntN(9)) })
	case 3:
		c.family, moves = "ulps", false
		fill(func(_, _ int) float64 { return 1 + float64(rng.IntN(4))*0x1p-52 })
	case 4:
		c.family, moves = "near 2^53", false
		fill(func(_, _ int) float64 { return 0x1p53 - float64(rng.IntN(8)) })
	case 5:
		c.family = "mixture"
		noise, k := decades(rng, -18, -7), 1+rng.IntN(3)
		f := randomData(k, d, 0, rng.Uint64())
		for i := range n {
			g := make([]float64, k)
			for j := range g {
				g[j] = rng.ExpFloat64()
			}
			scale(g, 1/sumOf(g))
			for j, v := range g {
				axpy(x.row(i), v, f.row(j))
			}
		}
		fill(func(i, j int) float64 { return x.At(i, j) + noise*rng.NormFloat64() })
	case 6:
		c.family = "tied"
		near := decades(rng, -17, -1)
		fill(func(i, j int) float64 {
			if i/2%d != j {
				return near * rng.NormFloat64()
			}
			return float64(1-2*(i&1)) * (1 + near*rng.NormFloat64())
		})
	case 7:
		c.family = "graded"
		fall := decades(rng, -8, 0)
		fill(func(_, j int) float64 { return rng.NormFloat64() * math.Pow(fall, float64(j)) })
	case 8:
		c.family = "outlier"
		far := decades(rng, 0, 9)
		fill(func(i, _ int) float64 {
			if i == 0 {
				return far * rng.NormFloat64()
			}
			return rng.NormFloat64()
		})
	}
	if c.family == "" { // beside a column of 2^499 the others lose their squares
		c.family, moves = "a huge column", false
		by := math.Ldexp(1, -rng.IntN(200))
		fill(func(_, j int) float64 {
			if j == 0 {
				return 0x1p499
			}
			return by * rng.NormFloat64()
		})
	}
	c.x = x
	if moves && rng.IntN(2) == 0 {
		c.family += ", far mean"
		far := decades(rng, 0, 16.5)
		mean := make([]float64, d)
		for j := range mean {
			mean[j] = far * sign(rng) * (0.5 + rng.Float64())
		}
		fill(func(i, j int) float64 { return x.At(i, j) + mean[j] })
	}
	if rng.IntN(8) == 0 { // rows that are equal
		for range n {
			copy(x.row(rng.IntN(n)), x.row(rng.IntN(n)))
		}
	}
	if rng.IntN(6) == 0 {
		c.family += ", scaled"
		by := math.Ldexp(1+rng.Float64(), rng.IntN(900)-450)
		if rng.IntN(2) == 0 {
			by = [...]float64{1e150, 1e-150, 0x1p499, 0x1p-499}[rng.IntN(4)]
		}
		top := maxAbs(x)
		fill(func(i, j int) float64 { return x.At(i, j) / max(top, 1) * by })
	}
}

// drawWeights sets w, which is nil in three cases of four.
func (c *pairing) drawWeights(rng *rand.Rand) {
	if rng.IntN(4) > 0 {
		return
	}
	c.family += ", weights"
	c.w = make([]float64, c.x.Rows)
	kind := rng.IntN(4)
	for i := range c.w {
		switch kind {
		case 0:
			c.w[i] = float64(rng.IntN(4))
		case 1:
			c.w[i] = decades(rng, -50, 50)
		case 2:
			c.w[i] = decades(rng, -3, 3)
		case 3:
			c.w[i] = math.Ldexp(1+rng.Float64(), rng.IntN(1000)-500)
		}
	}
	c.w[rng.IntN(len(c.w))] = max(1, slices.Max(c.w))
}

// drawOptimum sets a pair that is optimal, by any solver, simplex and orientation, and
// then spoils it by up to three defects.
func (c *pairing) drawOptimum(rng *rand.Rand, k int) {
	o := &Options{Weights: c.w, Workers: 1, Solver: Solver(rng.IntN(4)), Enclosure: Enclosure(rng.IntN(2)), Sum: c.sum}
	if rng.IntN(2) == 0 {
		o.Orientation = RandomOrientation(k, rng.Uint64())
	}
	m, err := Fit(bg, c.x, k, o)
	if err != nil {
		c.drawForeign(rng, k)
		return
	}
	c.f, c.g = m.Centers, m.Memberships
	c.pair = "optimum"
	for range rng.IntN(4) {
		c.pair += ", " + c.spoil(rng)
	}
}

// spoil adds one defect, and names it.
func (c *pairing) spoil(rng *rand.Rand) string {
	f, g, k := c.f, c.g, c.f.Rows
	mean := make([]float64, c.x.Cols)
	for i := range c.x.Rows {
		axpy(mean, 1/float64(c.x.Rows), c.x.row(i))
	}
	switch rng.IntN(10) {
	case 0: // as a CSV of 15 digits has it
		c.f, c.g = mapped(f, digits15), mapped(g, digits15)
		return "15 digits"
	case 1: // about the mean; the mixtures are the same
		by := decades(rng, 0, 12)
		c.f = mapped(f, func(_, j int, v float64) float64 { return mean[j] + by*(v-mean[j]) })
		c.g = mapped(g, func(_, _ int, v float64) float64 { return 1/float64(k) + (v-1/float64(k))/by })
		return "stretched"
	case 2:
		by := 1 + sign(rng)*decades(rng, -16, -8)
		c.g = mapped(g, func(_, _ int, v float64) float64 { return v * by })
		return "row sums"
	case 3:
		by := decades(rng, -16, -8)
		a, b := rng.IntN(k), rng.IntN(k)
		c.g = g.Clone()
		for i := range g.Rows {
			c.g.Set(i, a, c.g.At(i, a)-by)
			c.g.Set(i, b, c.g.At(i, b)+by)
		}
		return "moved memberships"
	case 4: // other vertices for the same mixtures, some of them outside
		return c.slide(rng)
	case 5:
		by := decades(rng, -16, 0)
		c.f = mapped(f, func(_, j int, v float64) float64 { return v + by*rng.NormFloat64()*(v-mean[j]) })
		return "moved centers"
	case 6: // rows that any division brings back
		by := decades(rng, -300, 150)
		c.g = mapped(g, func(_, _ int, v float64) float64 { return v * by })
		return "scaled rows"
	case 7:
		j := rng.IntN(k)
		c.f = f.Clone()
		for l := range c.f.row(j) {
			c.f.row(j)[l] = mean[l] + sign(rng)*decades(rng, 0, 14)*(c.f.row(j)[l]-mean[l])
		}
		return "one center far"
	case 8: // with memberships that a division takes to 0
		j := rng.IntN(k)
		c.f, c.g = f.Clone(), mapped(g, func(_, l int, v float64) float64 {
			if l == j {
				return 5e-324 * float64(rng.IntN(4))
			}
			return v * float64(1+rng.IntN(4))
		})
		for l := range c.f.row(j) {
			c.f.row(j)[l] = math.Ldexp(sign(rng), 400+rng.IntN(119))
		}
		return "memberships of nothing"
	default:
		by := decades(rng, -16, 0)
		c.g = mapped(g, func(_, _ int, v float64) float64 { return v + by*rng.NormFloat64() })
		return "noise"
	}
}

// digits15 is an entry as most CSV files have it.
func digits15(_, _ int, v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	return v
}

// slide moves one vertex far along an edge, and the facet opposite to it into the data or
// just beside it. F becomes AF and G becomes GA⁻¹, which leaves GF as it is.
func (c *pairing) slide(rng *rand.Rand) string {
	k := c.f.Rows
	if k == 1 {
		return "as it was"
	}
	a := identity(k)
	far, by, at := sign(rng)*decades(rng, 0, 12), rng.Float64(), rng.IntN(k)
	if rng.IntN(2) == 0 {
		by = 1 / (far - 1) / far
	}
	for j := range k {
		if j != at {
			a.Set(j, j, 1-by)
			a.Set(j, at, by)
		}
	}
	a.Set(at, at, far)
	a.Set(at, (at+1)%k, 1-far)
	inverse := inverted(a)
	if inverse == nil {
		return "as it was"
	}
	c.f, c.g = product(a, c.f), product(c.g, inverse)
	return "slid"
}

// inverted is a⁻¹ by Gauss–Jordan elimination; nil where a pivot is 0.
func inverted(a *Matrix) *Matrix {
	k := a.Rows
	a, b := a.Clone(), identity(k)
	for l := range k {
		best := l
		for i := l; i < k; i++ {
			if math.Abs(a.At(i, l)) > math.Abs(a.At(best, l)) {
				best = i
			}
		}
		if a.At(best, l) == 0 {
			return nil
		}
		for _, m := range []*Matrix{a, b} {
			for j := range k {
				m.row(l)[j], m.row(best)[j] = m.row(best)[j], m.row(l)[j]
			}
		}
		pivot := 1 / a.At(l, l)
		scale(a.row(l), pivot)
		scale(b.row(l), pivot)
		for i := range k {
			if v := a.At(i, l); i != l {
				axpy(a.row(i), -v, a.row(l))
				axpy(b.row(i), -v, b.row(l))
			}
		}
	}
	return b
}

// drawForeign sets a pair that nothing has fitted.
func (c *pairing) drawForeign(rng *rand.Rand, k int) {
	n, d := c.x.Rows, c.x.Cols
	c.f, c.g = NewMatrix(k, d, nil), NewMatrix(n, k, nil)
	near := decades(rng, -17, 3)
	for j := range k {
		row := c.x.row(rng.IntN(n))
		for l, v := range row {
			c.f.Set(j, l, v+near*rng.NormFloat64()*max(math.Abs(v), math.SmallestNonzeroFloat64))
		}
	}
	kind := rng.IntN(5)
	c.pair = "foreign"
	for i := range n {
		row := c.g.row(i)
		switch kind {
		case 0: // hard
			row[rng.IntN(k)] = 1
		case 1:
			for j := range row {
				row[j] = rng.NormFloat64()
			}
			ProjectSimplex(row, row)
		case 2: // 2 = −1·0 + 2·1 and the like
			for j := range row {
				row[j] = math.Round(2 * rng.NormFloat64())
			}
			row[0] += 1 - sumOf(row)
		case 3: // of any size
			for j := range row {
				row[j] = sign(rng) * math.Ldexp(1, rng.IntN(1500)-1070)
			}
		default:
			for j := range row {
				row[j] = float64(rng.IntN(3)-1) * decades(rng, -9, 0)
			}
		}
	}
}

// mutated is c after one to three small changes.
func mutated(c *pairing, rng *rand.Rand) *pairing {
	next := *c
	for range 1 + rng.IntN(3) {
		next.mutate(rng)
	}
	for _, m := range []*Matrix{next.x, next.f, next.g} {
		inRange(m)
	}
	return &next
}

func (c *pairing) mutate(rng *rand.Rand) {
	entry := func(m **Matrix) {
		*m = (*m).Clone()
		at := &(*m).Data[rng.IntN(len((*m).Data))]
		switch min(rng.IntN(8), rng.IntN(8)) { // mostly small
		case 0:
			*at = math.Nextafter(*at, math.Inf(1))
		case 1:
			*at = math.Nextafter(*at, math.Inf(-1))
		case 2:
			*at *= 1 + sign(rng)*decades(rng, -16, 0)
		case 3:
			*at += sign(rng) * decades(rng, -16, 0) * maxAbs(*m)
		case 4:
			*at *= sign(rng) * decades(rng, -4, 4)
		case 5:
			*at = 0
		case 6:
			*at = math.Round(*at)
		case 7:
			*at = (*m).Data[rng.IntN(len((*m).Data))]
		}
	}
	switch kind := rng.IntN(12); {
	case kind < 4:
		entry(&c.f)
	case kind < 8:
		entry(&c.g)
	case kind == 8:
		c.spoil(rng)
	case kind == 9 && c.w != nil:
		c.w = slices.Clone(c.w)
		c.w[rng.IntN(len(c.w))] *= decades(rng, -9, 9)
		c.w[0] = min(max(c.w[0], 1e-300), 1e300)
		c.truth = nil
	case kind == 10: // table and centers move together
		c.x, c.f = c.x.Clone(), c.f.Clone()
		by := sign(rng) * decades(rng, -1, 10) * maxAbs(c.x)
		for _, m := range []*Matrix{c.x, c.f} {
			for i := range m.Rows {
				m.row(i)[0] += by
			}
		}
		c.truth = nil
	default:
		entry(&c.x)
		c.truth = nil
	}
}
