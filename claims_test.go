package softkmeans

// The search for false claims: what the package says of tables whose truth is cheap to know, held to that
// truth. A kind draws tables that rounding, chance or changes of the data are hardest on.
//
//	SOFTKMEANS_CLAIMS=1000 go test -v -timeout 0 -run TestClaims .
//
// makes a thousand times as many draws as go test, of up to 2^22 rows, with seeds from the clock. A false
// claim names its draw, which SOFTKMEANS_DRAW=kind/seed repeats; SOFTKMEANS_DRAW=kind makes those of a kind.

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// claims counts what a kind of draws claims. It is the testing.TB of its draws, whose errors name them.
type claims struct {
	testing.TB
	kind        string
	seed        uint64
	made, wrong int
	most        int // rows of a table
}

// claimKinds are the kinds of draws, with how many go test makes.
var claimKinds = []struct {
	name  string
	draws int
	first uint64 // its seeds
	draw  func(c *claims, rng *rand.Rand)
}{
	{"pairs", 40, 25, drawPair}, {"many rows", 2, 13, drawManyRows}, {"hidden", 2, 1, drawHidden},
	{"similarities", 20, 1, drawSimilarity}, {"volumes", 30, 1, drawVolume}, {"weights", 60, 1, drawSpread},
	{"parts", 100, 1, drawParts}, {"wide rows", 16, 1, drawWide},
}

// TestClaims: of the claims of random and adversarial draws none is false.
func TestClaims(t *testing.T) {
	t.Parallel()
	if outgrown(t) {
		return
	}
	times, most, clock := 1, 1<<20, uint64(0)
	if n, err := strconv.Atoi(os.Getenv("SOFTKMEANS_CLAIMS")); err == nil {
		times, most, clock = n, 1<<22, uint64(time.Now().UnixNano())
	}
	only, number, again := strings.Cut(os.Getenv("SOFTKMEANS_DRAW"), "/")
	for _, k := range claimKinds {
		c := &claims{TB: t, kind: k.name, seed: k.first + clock, most: most}
		draws := k.draws * times
		switch {
		case only != "" && only != k.name:
			continue
		case again:
			c.seed, draws = mustDo(strconv.ParseUint(number, 10, 64))(t), 1
		}
		for range draws {
			k.draw(c, rand.New(rand.NewPCG(c.seed, 0xc1a1)))
			c.seed++
		}
		t.Logf("%-12s %9d claims of %d draws before seed %d, %d false", k.name, c.made, draws, c.seed, c.wrong)
	}
}

// Errorf names the draw of the first errors of a kind.
func (c *claims) Errorf(format string, args ...any) {
	c.TB.Helper()
	if c.wrong++; c.wrong <= 8 {
		c.TB.Errorf("SOFTKMEANS_DRAW='%s/%d': %s", c.kind, c.seed, fmt.Sprintf(format, args...))
	} else {
		c.TB.Fail()
	}
}

// claim fails unless a claim holds, and counts it in a search.
func claim(t testing.TB, holds bool, format string, args ...any) {
	t.Helper()
	if c, ok := t.(*claims); ok {
		c.made++
	}
	if !holds {
		t.Errorf(format, args...)
	}
}

// drawPair draws a candidate and, every other time, climbs from it towards a lie.
func drawPair(t *claims, rng *rand.Rand) {
	c := drawCandidate(rng)
	look := func(c *pairing) [4]float64 { return c.judge(t, rand.New(rand.NewPCG(1, 1))) }
	best := look(c)
	if rng.IntN(2) == 0 {
		return
	}
	goal := []int{0, 0, 0, 1, 2, 3}[rng.IntN(6)]
	for range 40 {
		next := mutated(c, rng)
		if lies := look(next); lies[goal] >= best[goal] {
			c, best = next, lies
		}
	}
}

// Uint64 makes an input a rand.Source, so that the bytes choose candidates.
func (in *input) Uint64() (v uint64) {
	for range 8 {
		v = v<<8 | uint64(in.byte())
	}
	return v
}

// FuzzFalseCertificate: the bytes draw a candidate, and the steps that change it.
func FuzzFalseCertificate(f *testing.F) {
	addMatrices(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		rng := rand.New(newInput(data))
		c := drawCandidate(rng)
		for range rng.IntN(8) {
			c = mutated(c, rng)
		}
		c.judge(t, rng)
	})
}

// The kinds of draws of the search for false claims, beside pairs.

// drawManyRows draws a few rows over and over, up to the most: sums of many equal terms round one way. Most
// draws are of a row and rare ones that differ little from it, for the solvers that add up squares of rows.
func drawManyRows(t *claims, rng *rand.Rand) {
	c := &pairing{family: "many rows", sum: Sum(rng.IntN(3) / 2), path: floorPaths[rng.IntN(len(floorPaths))]}
	n := t.most - rng.IntN(t.most/2)
	if c.drawTable(rng); rng.IntN(4) == 0 {
		c.x = rowsOf(c.x, 0, min(c.x.Rows, 1+rng.IntN(4)))
		c.drawOrder(rng, n>>rng.IntN(6))
	} else {
		c.sum = SumToOne
		c.x, c.path = NewMatrix(2, 1+rng.IntN(2), nil), squarePaths[rng.IntN(len(squarePaths))]
		for j := range c.x.Cols {
			v := rng.Float64()
			c.x.Set(0, j, v)
			c.x.Set(1, j, v*(1+math.Ldexp(1, -rng.IntN(50))))
		}
		c.order = make([]int, n)
		for i, step := 1, 100+rng.IntN(2000); i < n; i += step {
			c.order[i] = 1
		}
	}
	if rng.IntN(8) == 0 {
		c.drawWeights(rng)
	}
	c.drawForeign(rng, 1+rng.IntN(min(c.x.Cols, 2)))
	c.keepRange()
	c.truth = truthOf(c.x, c.w, c.order, c.sum)
	if rng.IntN(8) > 0 {
		c.model(t, rng)
		return
	}
	c.drawOptimum(rng, c.f.Rows)
	c.keepRange()
	c.judge(t, rng)
}

// drawSpread draws a pair whose weights are as far from each other as they count.
func drawSpread(t *claims, rng *rand.Rand) {
	c, reach := drawCandidate(rng), rng.IntN(250)
	c.w = make([]float64, c.x.Rows)
	for i := range c.w {
		c.w[i] = math.Ldexp(1+rng.Float64(), rng.IntN(2*reach+1)-reach)
	}
	c.keepRange()
	c.truth = nil // of other weights
	c.judge(t, rng)
}

// drawParts draws a table whose floor is found from statistics of parts, or from products of sparse rows.
func drawParts(t *claims, rng *rand.Rand) {
	c := drawCandidate(rng)
	c.path = []string{"Stats", "Sparse gram", "Sparse krylov"}[rng.IntN(3)]
	c.truth = truthOf(c.x, c.w, c.order, c.sum)
	c.model(t, rng)
}

// drawWide draws the products of a few rows of many columns, exactly: whole numbers, which may be far from 0.
func drawWide(t *claims, rng *rand.Rand) {
	x, far := NewMatrix(2+rng.IntN(7), 20+rng.IntN(600), nil), rng.IntN(2)<<rng.IntN(20)
	for i := range x.Data {
		x.Data[i] = float64(far + rng.IntN(4)*rng.IntN(2))
	}
	k := similarity(x.Rows, func(i, j int) float64 { return dot(x.row(i), x.row(j)) })
	for _, centred := range []bool{false, true} {
		t.similarity(k, eigenvaluesOf(k, centred), centred, 1+rng.IntN(x.Rows), 0x1p-50)
	}
}

// startOf returns the rows from which a Krylov iteration starts for p directions, as the code makes them.
func startOf(p, size int) *Matrix {
	rng := rand.New(rand.NewPCG(0, 0x5eed))
	start := NewMatrix(p+krylovExtra, size, nil)
	for i := range start.Data {
		start.Data[i] = 2*rng.Float64() - 1
	}
	return start
}

// drawHidden draws rows whose leading directions are orthogonal to the start of SolverKrylov, and to the
// vectors that a seed of 0 would draw, in ± pairs: their mean is 0, too.
func drawHidden(t *claims, rng *rand.Rand) {
	half, d, p := 30+rng.IntN(120), 60+rng.IntN(240), 1+rng.IntN(3)
	if t.most > 1<<20 && rng.IntN(20) == 0 { // where SolverAuto takes it
		half, d, p = 300+rng.IntN(200), 540+rng.IntN(300), 1
	}
	n := 2 * (half + 1)
	rank := min(half, d) - p - krylovExtra - 19
	if rank < 2 {
		return
	}
	known := NewMatrix(16, d, nil)
	probe := rand.New(rand.NewPCG(0, 0xb0d))
	for i := range known.Data {
		known.Data[i] = probe.NormFloat64()
	}
	leftKnown := NewMatrix(p+krylovExtra, half, nil)
	if n < d {
		start := startOf(p, n)
		for i := range leftKnown.Rows {
			for j := range half {
				leftKnown.Row(i)[j] = start.At(i, 2*j+2) - start.At(i, 2*j+3)
			}
		}
	} else {
		known = stacked(startOf(p, d), known)
	}
	hide := 1 + rng.IntN(2)
	left, right := hiddenFirst(rng, leftKnown, hide, rank), hiddenFirst(rng, known, hide, rank)
	x := NewMatrix(n, d, nil)
	share, above := decades(rng, -3, -0.3), decades(rng, -6, 1)
	var floor, total float64 // for p+1 centers
	for l := range rank {
		square := share * 2 * float64(rank-l) / float64(rank*rank)
		if l <= p {
			square = 1 + above*float64(p-l)/float64(p)
		}
		for i := range half {
			axpy(x.row(2*i+2), math.Sqrt(square)*left.At(l, i), right.row(l))
		}
		if l >= p {
			floor += 2 * square
		}
		total += 2 * square
	}
	for i := range half {
		axpy(x.row(2*i+3), -1, x.row(2*i+2))
	}
	o := Options{Solver: SolverKrylov, Workers: 1}
	if d > jacobiMaxSide {
		o.Solver = SolverAuto
	}
	for name, find := range map[string]func() (*Model, error){
		"Fit": func() (*Model, error) { return Fit(bg, x, p+1, &o) },
		"FitMinVolume": func() (*Model, error) {
			return FitMinVolume(bg, x, p+1, &MinVolumeOptions{MaxIter: 3})
		},
	} {
		m := mustDo(find())(t)
		t.near(name, m, floor, total)
		c := mustDo(Certify(bg, x, m.Centers, m.Memberships, &o))(t)
		claim(t, c.Floor-c.FloorError <= floor+1e-12*total,
			"Certify after %s: a floor of %g ± %g, the minimum is %g", name, c.Floor, c.FloorError, floor)
	}
}

// near judges a model whose exact floor is known but for 1e-12 of the total.
func (c *claims) near(name string, m *Model, floor, total float64) {
	claim(c, m.Floor-m.FloorError <= floor+1e-12*total, "%s: a floor of %g ± %g, the minimum is %g", name,
		m.Floor, m.FloorError, floor)
	claim(c, m.Objective >= floor-1e-12*total, "%s: an objective of %g, the minimum is %g", name, m.Objective,
		floor)
	claim(c, m.Objective >= m.Floor-m.FloorError, "%s: an objective of %g below the floor %g ± %g", name,
		m.Objective, m.Floor, m.FloorError)
	claim(c, !m.Certificate.Optimal(0) || m.Objective-floor <= 1.01e-9*total,
		"%s: optimal with %g, the minimum is %g", name, m.Objective, floor)
}

// hiddenFirst returns orthonormal rows, the first few of them orthogonal to those given.
func hiddenFirst(rng *rand.Rand, known *Matrix, few, rank int) *Matrix {
	first := orthogonalTo(rng, known, few)
	return stacked(first, orthogonalTo(rng, first, rank-few))
}

func stacked(a, b *Matrix) *Matrix {
	return NewMatrix(a.Rows+b.Rows, a.Cols, slices.Concat(a.Data, b.Data))
}

// orthogonalTo returns orthonormal rows, orthogonal to those given.
func orthogonalTo(rng *rand.Rand, rows *Matrix, count int) *Matrix {
	m := stacked(rows, NewMatrix(count, rows.Cols, nil))
	for i := range m.Data[len(rows.Data):] {
		m.Data[len(rows.Data)+i] = rng.NormFloat64()
	}
	orthonormalize(bg, m, 0)
	return rowsOf(m, rows.Rows, m.Rows).Clone()
}

// drawSimilarity draws a similarity whose eigenvalues are known: integers, exactly, with Walsh's vectors; or
// to rounding a few with random vectors, the first orthogonal to the start. A small one is held to math/big.
func drawSimilarity(t *claims, rng *rand.Rand) {
	var k *Matrix
	var values []float64 // of HKH, then that of the constant vector
	slip, most := 0.0, 1+rng.IntN(4)
	if rng.IntN(4) > 0 {
		k, values = walsh(rng, t.most)
	} else {
		n := 130 + rng.IntN(120)
		if t.most > 1<<20 {
			n += rng.IntN(350)
		}
		one := NewMatrix(1, n, slices.Repeat([]float64{1}, n))
		first := orthogonalTo(rng, stacked(one, startOf(most-1+rng.IntN(2), n)), 1)
		v := stacked(first, orthogonalTo(rng, stacked(first, one), 3+rng.IntN(6)))
		k, slip = NewMatrix(n, n, nil), 1e-12
		for l := range v.Rows {
			values = append(values, math.Pow(0.9, float64(l)))
			for i := range n {
				axpy(k.row(i), values[l]*v.At(l, i), v.row(l))
			}
		}
		for i := range n {
			for j := range i {
				k.Set(i, j, k.At(j, i))
			}
		}
		values = append(values, 0)
	}
	for _, centred := range []bool{false, true} {
		t.similarity(k, values, centred, most, slip)
	}
	n := 1 + rng.IntN(8)
	grade := decades(rng, -9, 0)
	k = similarity(n, func(i, j int) float64 { return math.Pow(grade, float64(i+j)/8) })
	for i := range n {
		for j := range i + 1 {
			k.Set(i, j, k.At(i, j)*rng.NormFloat64())
			k.Set(j, i, k.At(i, j))
		}
	}
	for _, centred := range []bool{false, true} {
		t.similarity(k, eigenvaluesOf(k, centred), centred, most, 0x1p-50)
	}
}

// eigenvaluesOf returns the eigenvalues of a symmetric matrix k, rounded; if centred is set, the eigenvalues of
// HKH and a further 0.
func eigenvaluesOf(k *Matrix, centred bool) (values []float64) {
	const p digits = 160 // the floors to compare are accurate to 2^-50 of the total
	a := p.rows(k)
	if centred {
		a = a.centred(p).transposed(k.Rows).centred(p)
		values = []float64{0}
	}
	for _, v := range p.eigenvalues(a) {
		values = append(values, double(v))
	}
	slices.Reverse(values)
	return values
}

// walsh returns Σλ_a·h_a·h_aᵀ with Walsh's vectors h_a, and its eigenvalues but 0, h_0's last.
func walsh(rng *rand.Rand, most int) (k *Matrix, values []float64) {
	log, m := rng.IntN(7), 1+rng.IntN(4)
	if most > 1<<20 && rng.IntN(50) == 0 {
		log += 3
		m = 1
	}
	size := 1 << log
	unit := math.Ldexp(1, rng.IntN(480)-240)
	f := make([]float64, size)
	for a := size - 1; a >= 0; a-- {
		v := 0.0
		if rng.IntN(size) < 6 {
			v = float64(rng.IntN(60) - 20)
		}
		for i := range f { // (−1)^(bits that a and i share)
			f[i] += v * float64(1-2*(bits.OnesCount(uint(a&i))%2)) * unit
		}
		values = append(values, v*float64(m*size)*unit)
	}
	return similarity(size*m, func(i, j int) float64 { return f[i/m^j/m] }), values
}

// similarity judges floors and models of a similarity with these eigenvalues, the constant vector's last.
func (c *claims) similarity(k *Matrix, values []float64, centred bool, most int, slip float64) {
	list, fit, name := LSDFloors, LSD, "LSD"
	if centred {
		list, fit, name = TILSDFloors, TILSD, "TILSD"
		values = values[:len(values)-1]
	}
	most = min(most, k.Rows)
	values = slices.Clone(values)
	slices.SortFunc(values, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
	var total float64
	for _, v := range values {
		total += v * v
	}
	off := (float64(k.Rows)*0x1p-51 + slip) * total
	floors, err := list(bg, k, most, nil)
	claim(c, err == nil && len(floors) == most, "%sFloors: %v, %v", name, floors, err)
	exact := total
	for i, floor := range floors {
		if centred {
			i--
		}
		if i >= 0 && i < len(values) && values[i] > 0 {
			exact -= values[i] * values[i]
		}
		claim(c, floor <= exact+off, "%sFloors of %s: %g for %d clusters, the least is %g", name,
			shape(k.Rows, k.Rows), floor, i, exact)
	}
	if most > 0 && k.Rows <= 300 {
		m, err := fit(bg, k, most, optionsOf(name, LSDOptions{MaxIter: 5, Starts: 1, Workers: 1}))
		claim(c, err == nil && m.Floor <= exact+slip*total && m.Floor+m.FloorError >= exact-slip*total &&
			m.Objective >= exact-off-m.FloorError && m.Objective >= m.Floor,
			"%s of %s: floor and objective are %+v, the least is %g (%v)", name, shape(k.Rows, k.Rows), m,
			exact, err)
	}
}

// drawVolume judges fits of minimal volume.
func drawVolume(t *claims, rng *rand.Rand) {
	n, d, k := 5+rng.IntN(26), 1+rng.IntN(5), 2+rng.IntN(3)
	c := &pairing{family: "volume", x: randomData(n, d, 0, rng.Uint64())}
	switch rng.IntN(4) {
	case 0:
		c.x = mapped(c.x, func(_, _ int, v float64) float64 { return math.Abs(math.Round(2 * v)) })
	case 1:
		c.x, _ = mixtures(n, d, k, 0.7, 1, rng.Uint64())
	case 2:
		c.x = mapped(c.x, func(_, j int, v float64) float64 { return 1e6 + v*math.Pow(0.1, float64(j)) })
	}
	if rng.IntN(3) == 0 {
		c.w = make([]float64, n)
		for i := range c.w {
			c.w[i] = float64(rng.IntN(4))
		}
		c.w[0] = 1
	}
	o := MinVolumeOptions{Weights: c.w, Workers: 1, Slack: decades(rng, -4, 0), Volume: Volume(rng.IntN(3)),
		Init: Init(rng.IntN(4)), MaxIter: 100, NonNegative: rng.IntN(3) == 0}
	fit := []func() (*Model, error){
		func() (*Model, error) { return FitMinVolume(bg, c.x, k, &o) },
		func() (*Model, error) { return Fit(bg, c.x, k, &Options{Weights: c.w, Enclosure: EnclosureTight}) },
	}[rng.IntN(2)]
	m, err := fit()
	if err != nil {
		return
	}
	c.f, c.g, c.sum = m.Centers, m.Memberships, m.Sum
	c.truth = truthOf(c.x, c.w, nil, m.Sum)
	c.truth.model(t, c, k, m)
	exact := c.truth.objective(c.f, c.g)
	claim(t, m.Objective == math.MaxFloat64 ||
		truthDigits.sub(exact, truthDigits.num(m.Objective)).Cmp(c.truth.off) <= 0,
		"objective %g, the exact one is %g: %v", m.Objective, exact, c)
}
