package softkmeans

// Pairs for the search for false claims: tables, weights, centers and memberships of the kinds that
// certificates were false on, the steps of its hill climbing, and what is claimed of them.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pairing contains the arguments of a certificate. Row i of the table is row order[i] of x, with its weight
// and memberships. nil: row i of x.
type pairing struct {
	family  string // what made it
	x, f, g *Matrix
	w       []float64
	order   []int
	path    string // what computes the floor beside Certify
	sum     Sum
	truth   *truth // of x and w; nil: not known yet
}

// The ways to a floor, beside Certify's.
var floorPaths = []string{
	"Fit gram", "Fit jacobi", "Fit krylov", "Stats", "Sparse gram", "Sparse krylov", "Floors", "Floors sparse", "FitMinVolume",
}

// Those that add up squares of rows.
var squarePaths = []string{"Fit jacobi", "Fit krylov", "Stats"}

// String is the candidate as Go has it.
func (c *pairing) String() string {
	matrix := func(m *Matrix) string {
		if len(m.Data) > 200 {
			return "of " + shape(m.Rows, m.Cols)
		}
		return fmt.Sprintf("NewMatrix(%d, %d, %#v)", m.Rows, m.Cols, m.Data)
	}
	return fmt.Sprintf("%s; %s; sum %v; %d rows\nx := %s\nw := %#v\nf := %s\ng := %s",
		c.family, c.path, c.sum, len(c.order), matrix(c.x), c.w, matrix(c.f), matrix(c.g))
}

// table returns the rows, or others of as many, in their order.
func (c *pairing) table(of *Matrix) *Matrix {
	if c.order == nil {
		return of
	}
	out := NewMatrix(len(c.order), of.Cols, nil)
	for i, j := range c.order {
		copy(out.row(i), of.row(j))
	}
	return out
}

// weights returns those of the rows.
func (c *pairing) weights() []float64 {
	if c.w == nil || c.order == nil {
		return c.w
	}
	return c.table(NewMatrix(len(c.w), 1, c.w)).Data
}

// judge holds the certificate of a candidate, dense and sparse, and the floor of its path, to the truth. It
// returns how close to a lie excess, objective and the two floors come.
func (c *pairing) judge(t testing.TB, rng *rand.Rand) (lies [4]float64) {
	if c.truth == nil {
		c.truth = truthOf(c.x, c.w, c.order, c.sum)
	}
	x, g := c.table(c.x), c.table(c.g)
	o := &Options{Weights: c.weights(), Workers: 1, Sum: c.sum}
	var both [2]Certificate
	for i, rows := range []Samples{x, sparseOf(x)} {
		got, err := Certify(bg, rows, c.f, g, o)
		if err != nil {
			return [4]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1)}
		}
		both[i] = got
	}
	own := c.truth.certificate(t, c, c.f, c.g, both[:]...)
	copy(lies[:], own[:])
	lies[3] = c.model(t, rng)
	return lies
}

// model judges the floor of a fit of the candidate's table by its path.
func (c *pairing) model(t testing.TB, rng *rand.Rand) (lie float64) {
	x, o := c.table(c.x), &Options{Weights: c.weights(), Workers: 1, Sum: c.sum}
	k := c.f.Rows
	var rows Samples = x
	name, solver, _ := strings.Cut(c.path, " ")
	if solver == "sparse" || name == "Sparse" {
		rows = sparseOf(x)
	}
	var m *Model
	var p *Subspace
	var err error
	switch name {
	case "Floors":
		return c.floors(t, rows, o)
	case "FitMinVolume":
		m, err = FitMinVolume(bg, x, k,
			&MinVolumeOptions{Weights: o.Weights, Sum: c.sum, MaxIter: 3, Workers: 1})
	case "Stats":
		if smallRow(x) { // every part has a range of its own
			return 0
		}
		p, err = c.statistics(t, rng, x, o.Weights).Principal(bg, directionsOf(k, c.sum), &Options{Sum: c.sum})
	default: // Fit of dense or sparse rows; with SumAtMostOne, which it does not take, the floor alone
		o.Solver = solverNamed(solver)
		if c.sum == SumToOne {
			m, err = Fit(bg, rows, k, o)
		} else {
			p, err = Principal(bg, rows, k, o)
		}
	}
	if err != nil {
		return math.Inf(-1)
	}
	if p != nil {
		return c.truth.floor(t, c, k, p.Floor, p.FloorError)
	}
	return c.truth.model(t, c, k, m)
}

// statistics returns those of x, in parts.
func (c *pairing) statistics(t testing.TB, rng *rand.Rand, x *Matrix, w []float64) *Stats {
	if x.Rows <= 1000 {
		return treeOf(t, rng, x, w)
	}
	at := rng.IntN(x.Rows-1) + 1
	left, right := w, w
	if w != nil {
		left, right = w[:at], w[at:]
	}
	s := statsOf(t, rowsOf(x, 0, at), left)
	must(t, s.Merge(statsOf(t, rowsOf(x, at, x.Rows), right)))
	return s
}

// floors judges the list of Floors: rounding may add min(n, d) + min(n, 600) times 2^-52 of the total,
// of the squared length of sparse rows.
func (c *pairing) floors(t testing.TB, rows Samples, o *Options) (lie float64) {
	floors, err := Floors(bg, rows, o)
	if err != nil {
		return math.Inf(-1)
	}
	size, p := c.truth.total, truthDigits
	if _, sparse := rows.(*SparseMatrix); sparse {
		size = truthOf(c.x, c.w, c.order, SumAtMostOne).total
	}
	n := max(len(c.order), c.x.Rows)
	off := p.mul(size, p.num(float64(min(n, c.x.Cols)+min(n, 600))*0x1p-52))
	off.Add(off, p.add(c.truth.off, c.truth.lost))
	for i, floor := range floors {
		above := p.sub(p.num(floor), c.truth.minimum(i+1))
		claim(t, floor == math.MaxFloat64 || above.Cmp(off) <= 0,
			"Floors[%d] is %g, the minimum is %g: %v", i, floor, c.truth.minimum(i+1), c)
		lie = max(lie, double(above)/double(off))
	}
	return lie
}

func solverNamed(name string) Solver {
	for s := range solverCount {
		if s.String() == name {
			return s
		}
	}
	panic("no solver " + name)
}

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
		c.drawOrder(rng, c.x.Rows+rng.IntN(100))
	}
	if rng.IntN(4) == 0 {
		c.drawWeights(rng)
	}
	k := 1 + rng.IntN(4)
	if rng.IntN(8) == 0 {
		k = 1 + rng.IntN(8)
	}
	c.drawForeign(rng, k)
	switch kind := rng.IntN(16); {
	case kind < 2:
		c.drawUnderflow(rng)
	case kind > 4:
		c.drawOptimum(rng, k)
	}
	c.keepRange()
	return c
}

// drawUnderflow sets rows that are 0 or a unit, a center for each, and a far one: Their memberships in the
// far center underflow in a division, unless a weight is large.
func (c *pairing) drawUnderflow(rng *rand.Rand) {
	n, d := 3+rng.IntN(5), 1+rng.IntN(3)
	c.x, c.f, c.g = NewMatrix(n, d, nil), NewMatrix(3, d, nil), NewMatrix(n, 3, nil)
	c.w, c.order = make([]float64, n), nil
	c.f.Set(1, 0, decades(rng, -150, -125))
	c.f.Set(2, d-1, math.Ldexp(1, 500+rng.IntN(20)))
	weight := decades(rng, 50, 150)
	for i := range n {
		row := max(0, 1-i) | rng.IntN(4)/3 // the first is a unit, most others are 0
		copy(c.x.Row(i), c.f.Row(row))
		c.w[i] = [...]float64{weight, 1}[row]
		c.g.Set(i, row, float64(2+rng.IntN(3)))
		c.g.Set(i, 2, 5e-324*float64(rng.IntN(2)))
	}
}

// keepRange brings entries into the range of the package.
func (c *pairing) keepRange() {
	for m, most := range map[*Matrix]float64{c.x: 0x1p499, c.f: 0x1p519, c.g: 0x1p519} {
		for i, v := range m.Data {
			if math.IsNaN(v) {
				v = 0
			}
			m.Data[i] = min(max(v, -most), most)
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
	kind := rng.IntN(10)
	switch by := decades(rng, -18, 0); kind {
	case 0:
		to, ulps := [...]float64{1, 0.1, 0.3}[rng.IntN(3)], rng.IntN(4)
		fill(func(_, _ int) float64 { return to * (1 + math.Ldexp(float64(rng.IntN(4)), ulps-52)) })
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
	case 8: // mostly zeros
		fill(func(_, _ int) float64 { return max(0, rng.NormFloat64()-0.7) })
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

// drawOrder repeats the rows of x to n rows, sometimes with their negatives.
func (c *pairing) drawOrder(rng *rand.Rand, n int) {
	if rng.IntN(4) == 0 {
		minus := c.x.Clone()
		scale(minus.Data, -1)
		c.x = stacked(c.x, minus)
	}
	m, kind, step := c.x.Rows, rng.IntN(6), 2+rng.IntN(1000)
	c.order = indices(max(m, n))
	for i := m; i < n; i++ {
		switch kind {
		case 0:
			c.order[i] = rng.IntN(m)
		case 1:
			c.order[i] = i * m / n
		case 2:
			c.order[i] = i % m
		default: // one of step
			c.order[i] = i / step * max(0, 1-i%step) % m
		}
	}
}

func (c *pairing) drawWeights(rng *rand.Rand) {
	c.w = make([]float64, c.x.Rows)
	kind := rng.IntN(5)
	for i := range c.w {
		c.w[i] = [...]float64{
			float64(rng.IntN(4)), decades(rng, -50, 50), decades(rng, -3, 3),
			math.Ldexp(1+rng.Float64(), rng.IntN(1000)-500), [...]float64{1, 1e50, 1e150}[rng.IntN(3)],
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

// TestCertificateAttacks: plain pairs that certificates were false of.
func TestCertificateAttacks(t *testing.T) {
	column := func(v ...float64) *Matrix { return NewMatrix(len(v), 1, v) }
	attacks := []pairing{
		// Differences that the rounding of the mean explains are differences all the same.
		{family: "a center beside a far mean", x: column(1e15, 1e15+1, 1e15+2), f: column(1e15 + 2.875),
			g: column(1, 1, 1)},
		// The mean of these is between two floats.
		{family: "an ulp", x: column(1, 1, 1+0x1p-52), f: column(1), g: column(1, 1, 1)},
		// A center that is 4e9 times the spread away, with memberships of up to −5e-10.
		{family: "far center", x: column(0, 1, 2), f: column(0, -4e9),
			g: NewMatrix(3, 2, []float64{1, 0, 1 + 2.5e-10, -2.5e-10, 1 + 5e-10, -5e-10})},
		// A mean of 1e9, and rows that add up to 1 − 1e-9.
		{family: "row sums", x: column(1e9-1, 1e9, 1e9+1), f: column(1e9 + 1),
			g: column(1-1e-9, 1-1e-9, 1-1e-9)},
		{family: "a total of 0", x: column(0.1, 0.1, 0.1), f: column(0.1 + 0x1p-55), g: column(1, 1, 1)},
	}
	for exp := -120; exp <= 0; exp += 30 { // squares that are lost beside those of a constant column
		x, f := NewMatrix(3, 2, nil), NewMatrix(1, 2, []float64{0x1p499, math.Ldexp(7, exp)})
		for i := range 3 {
			copy(x.row(i), []float64{0x1p499, math.Ldexp(float64(i), exp)})
		}
		const family = "a column of 2^499"
		attacks = append(attacks, pairing{family: family, x: x, f: f, g: column(1, 1, 1)},
			pairing{family: family, x: x})
	}
	// A membership that division takes to 0, of a center that is 2^1018 times the data.
	for exp := 0; exp <= 30; exp += 5 {
		attacks = append(attacks, pairing{family: "a membership of nothing",
			x: column(0x1p-499, 0x1p-499+0x1p-551, 0x1p-499+0x1p-550),
			f: column(0x1p-499+math.Ldexp(1, -551), math.Ldexp(1, 519)),
			g: NewMatrix(3, 2, []float64{3, 5e-324, 3, 5e-324, math.Ldexp(1, exp), 5e-324})})
	}
	for exp := 0.0; exp <= 16; exp++ { // the mean in spreads
		attacks = append(attacks, pairing{family: "far mean",
			x: randomData(12, 3, math.Pow(10, exp), uint64(exp))})
	}
	for exp := 4; exp <= 10; exp += 2 { // centers of 2^16 times the data that cancel
		x := randomData(12, 3, math.Pow(10, float64(exp)), 1)
		f, g := NewMatrix(2, 3, nil), NewMatrix(12, 2, nil)
		for j := range 3 {
			f.Set(0, j, x.At(0, j)+0x1p16)
			f.Set(1, j, x.At(0, j)-0x1p16)
		}
		for i := range 12 {
			g.Set(i, 0, 0.5+0x1p-17*x.At(i, 0)-0x1p-17*x.At(0, 0))
			g.Set(i, 1, 1-g.At(i, 0))
		}
		attacks = append(attacks, pairing{family: "far centers that cancel", x: x, f: f, g: g})
	}
	for seed := range uint64(5) { // mixtures but for 1e-12 … 1e-16
		x, _ := mixtures(12, 4, 3, 1, 1, seed)
		noise := math.Pow(10, -12-float64(seed))
		x = mapped(x, func(i, j int, v float64) float64 { return v + noise*float64((i*j+i)%5) })
		attacks = append(attacks, pairing{family: "near mixture", x: x})
	}
	for _, c := range attacks {
		c.attack(t)
	}
}

// attack judges a pair, or the optima for 1 to 3 centers, and the floors of all paths.
func (c pairing) attack(t *testing.T) {
	given := c.f != nil
	for k := 1; k <= 3; k++ {
		if !given {
			m := mustDo(Fit(bg, c.x, k, nil))(t)
			c.f, c.g = m.Centers, m.Memberships
		}
		for at, path := range floorPaths {
			rng := rand.New(rand.NewPCG(1, 2))
			if c.path = path; at == 0 {
				c.judge(t, rng)
			} else {
				c.model(t, rng)
			}
		}
		if given {
			return
		}
	}
}
