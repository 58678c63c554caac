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
	c := &pairing{path: floorPaths[rng.IntN(len(floorPaths))],
		sum: []Sum{SumToOne, SumToOne, SumAtMostOne}[rng.IntN(3)]}
	c.drawTable(rng)
	if rng.IntN(4) == 0 {
		c.drawWeights(rng)
	}
	k := 1 + rng.IntN(4)
	if rng.IntN(8) == 0 {
		k = 1 + rng.IntN(8)
	}
	c.drawForeign(rng, k)
	if rng.IntN(4) > 0 {
		c.drawOptimum(rng, k)
	}
	c.keepRange()
	return c
}

// keepRange brings entries into the range of the package.
func (c *pairing) keepRange() {
	for _, m := range []*Matrix{c.x, c.f, c.g} {
		for i, v := range m.Data {
			if math.IsNaN(v) {
				v = 0
			}
			m.Data[i] = min(max(v, -0x1p499), 0x1p499)
		}
	}
}

// drawTable sets x.
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
	kind := rng.IntN(9)
	switch by := decades(rng, -18, 0); kind {
	case 0:
		fill(func(_, _ int) float64 { return 1 + float64(rng.IntN(4))*0x1p-52 })
	case 1:
		fill(func(_, _ int) float64 { return 0x1p53 - float64(rng.IntN(8)) })
	case 2: // beside a column of 2^499 the others lose their squares
		fill(func(_, j int) float64 {
			if j == 0 {
				return 0x1p499
			}
			return math.Ldexp(rng.NormFloat64(), -rng.IntN(200))
		})
	case 3:
		fill(func(_, _ int) float64 { return float64(rng.IntN(9)) })
	case 4: // mixtures and noise
		k := 1 + rng.IntN(3)
		x = product(dirichlet(n, k, 1, rng.Uint64()), randomData(k, d, 0, rng.Uint64()))
		fill(func(i, j int) float64 { return x.At(i, j) + by*rng.NormFloat64() })
	case 5: // ties
		fill(func(i, j int) float64 {
			if i/2%d != j {
				return by * rng.NormFloat64()
			}
			return float64(1-2*(i&1)) * (1 + by*rng.NormFloat64())
		})
	case 6: // graded
		fill(func(_, j int) float64 { return rng.NormFloat64() * math.Pow(by, float64(j)/2) })
	case 7: // an outlier
		fill(func(i, _ int) float64 { return rng.NormFloat64() * math.Pow(by, min(float64(i), 1)/2) })
	default:
		fill(func(_, _ int) float64 { return rng.NormFloat64() })
	}
	if kind > 2 && rng.IntN(2) == 0 { // far from 0
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
		by := math.Ldexp(1+rng.Float64(), rng.IntN(900)-450)
		if rng.IntN(2) == 0 {
			by = [...]float64{1e150, 1e-150, 0x1p499, 0x1p-499}[rng.IntN(4)]
		}
		scale(x.Data, 1/max(maxAbs(x), 1))
		scale(x.Data, by)
	}
	c.x = x
}

func (c *pairing) drawWeights(rng *rand.Rand) {
	c.w = make([]float64, c.x.Rows)
	kind := rng.IntN(4)
	for i := range c.w {
		c.w[i] = [...]float64{
			float64(rng.IntN(4)), decades(rng, -50, 50), decades(rng, -3, 3),
			math.Ldexp(1+rng.Float64(), rng.IntN(1000)-500),
		}[kind]
	}
	c.w[rng.IntN(len(c.w))] = max(1, slices.Max(c.w))
}

// drawOptimum sets a pair that is optimal, by any solver, simplex and orientation, and
// then spoils it by up to three defects.
func (c *pairing) drawOptimum(rng *rand.Rand, k int) {
	o := &Options{Weights: c.w, Workers: 1, Solver: Solver(rng.IntN(4)), Enclosure: Enclosure(rng.IntN(2)),
		Sum: c.sum}
	if rng.IntN(2) == 0 {
		o.Orientation = RandomOrientation(k, rng.Uint64())
	}
	if m, err := Fit(bg, c.x, k, o); err == nil {
		c.f, c.g = m.Centers, m.Memberships
		for range rng.IntN(4) {
			c.spoil(rng)
		}
	}
}

// spoil adds one defect.
func (c *pairing) spoil(rng *rand.Rand) {
	k := c.f.Rows
	mean := make([]float64, c.x.Cols)
	for i := range c.x.Rows {
		axpy(mean, 1/float64(c.x.Rows), c.x.row(i))
	}
	centers := func(of func(i, j int, v float64) float64) { c.f = mapped(c.f, of) }
	members := func(of func(i, j int, v float64) float64) { c.g = mapped(c.g, of) }
	at, by := rng.IntN(k), decades(rng, -16, -8)
	switch rng.IntN(9) {
	case 0: // as a CSV has it
		centers(digits15)
		members(digits15)
	case 1: // stretched about the mean; the mixtures are the same
		by := decades(rng, 0, 12)
		centers(func(_, j int, v float64) float64 { return mean[j] + by*(v-mean[j]) })
		members(func(_, _ int, v float64) float64 { return 1/float64(k) + (v-1/float64(k))/by })
	case 2: // row sums
		by *= sign(rng)
		members(func(_, _ int, v float64) float64 { return v * (1 + by) })
	case 3: // from one center to another
		to := rng.IntN(k)
		c.g = c.g.Clone()
		for i := range c.g.Rows {
			c.g.row(i)[at] -= by
			c.g.row(i)[to] += by
		}
	case 4:
		by := decades(rng, -16, 0)
		centers(func(_, j int, v float64) float64 { return v + by*rng.NormFloat64()*(v-mean[j]) })
	case 5: // rows that any division brings back
		by := decades(rng, -300, 150)
		members(func(_, _ int, v float64) float64 { return v * by })
	case 6: // one center far
		c.f = c.f.Clone()
		for l, v := range c.f.row(at) {
			c.f.row(at)[l] = mean[l] + sign(rng)*decades(rng, 0, 14)*(v-mean[l])
		}
	case 7: // with memberships that a division takes to 0
		members(func(_, l int, v float64) float64 {
			if l == at {
				return 5e-324 * float64(rng.IntN(4))
			}
			return v * float64(1+rng.IntN(4))
		})
		c.f = c.f.Clone()
		for l := range c.f.row(at) {
			c.f.row(at)[l] = math.Ldexp(sign(rng), 400+rng.IntN(119))
		}
	default:
		by := decades(rng, -16, 0)
		members(func(_, _ int, v float64) float64 { return v + by*rng.NormFloat64() })
	}
}

// digits15 is an entry as most CSV files have it.
func digits15(_, _ int, v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	return v
}

// drawForeign sets a pair that nothing has fitted.
func (c *pairing) drawForeign(rng *rand.Rand, k int) {
	n, d := c.x.Rows, c.x.Cols
	c.f, c.g = NewMatrix(k, d, nil), NewMatrix(n, k, nil)
	near := decades(rng, -17, 3)
	for j := range k {
		for l, v := range c.x.row(rng.IntN(n)) {
			c.f.Set(j, l, v+near*rng.NormFloat64()*max(math.Abs(v), math.SmallestNonzeroFloat64))
		}
	}
	kind := rng.IntN(4)
	for i := range n {
		row := c.g.row(i)
		for j := range row {
			row[j] = [...]float64{
				0, math.Round(2 * rng.NormFloat64()), sign(rng) * math.Ldexp(1, rng.IntN(1500)-1070),
				float64(rng.IntN(3)-1) * decades(rng, -9, 0),
			}[kind]
		}
		switch kind {
		case 0: // hard
			row[rng.IntN(k)] = 1
		case 1: // 2 = −1·0 + 2·1 and the like
			row[0] += 1 - sumOf(row)
		}
	}
}

// mutated is c after one to three small changes.
func mutated(c *pairing, rng *rand.Rand) *pairing {
	next := *c
	for range 1 + rng.IntN(3) {
		next.mutate(rng)
	}
	next.keepRange()
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
		by := sign(rng) * decades(rng, -1, 10) * maxAbs(c.x)
		move := func(_, j int, v float64) float64 { return v + by*max(0, 1-float64(j)) }
		c.x, c.f, c.truth = mapped(c.x, move), mapped(c.f, move), nil
	default:
		entry(&c.x)
		c.truth = nil
	}
}
