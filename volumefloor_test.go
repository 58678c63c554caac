package softkmeans

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

func logVolume(t *testing.T, vertices *Matrix) float64 {
	t.Helper()
	v := mustDo(LogVolume(vertices))(t)
	return v
}

// volumeCase is a table with a number of centers, and weights or nil.
type volumeCase struct {
	name    string
	x       *Matrix
	k       int
	weights []float64
}

// volumeCases are the sets of testdata, and small random ones: integers, duplicates, flat
// and exact ones, weights.
func volumeCases(t *testing.T, count int) (cases []volumeCase) {
	for _, set := range dataSets(t) {
		if set.x.Rows > fewer(math.MaxInt, 180) {
			continue
		}
		set.x = head(set.x, 100)
		for _, k := range []int{2, 3, 4} {
			cases = append(cases, volumeCase{set.name, set.x, k, nil})
		}
	}
	rng := rand.New(rand.NewPCG(3, 1))
	for i := range count {
		n, d, k := 5+rng.IntN(30), 1+rng.IntN(6), 2+rng.IntN(4)
		x := randomData(n, d, 0, uint64(i))
		c := volumeCase{"random " + strconv.Itoa(i), x, k, nil}
		switch i % 5 {
		case 1:
			c.x = mapped(x, func(_, _ int, v float64) float64 { return math.Round(2 * v) })
		case 2:
			c.x, _ = mixtures(n, d, k, 0.7, 1, uint64(i))
		case 3:
			c.weights = make([]float64, n)
			for j := range c.weights {
				c.weights[j] = float64(rng.IntN(4))
			}
			c.weights[0] = 1
		case 4:
			c.x = mapped(x, func(_, j int, v float64) float64 { return 1e6 + v*math.Pow(0.1, float64(j)) })
		}
		cases = append(cases, c)
	}
	return cases
}

// TestVolumeRatio checks it against the floor at the model's own error, and that it is in units of nothing.
func TestVolumeRatio(t *testing.T) {
	x := loadCSV(t, "iris")
	m := mustDo(FitMinVolume(bg, x, 3, nil))(t)
	b := mustDo(VolumeFloor(bg, x, 3, m.Objective/m.Floor-1, nil))(t)
	if want := math.Exp(logVolume(t, m.Centers) - b.LogVolume); math.Abs(m.VolumeRatio-want) > 1e-3*want ||
		want > 10 {
		t.Errorf("iris: the ratio is %g, that of the floor %g", m.VolumeRatio, want)
	}
	// Rounding of the objective does not make it smaller.
	vf, _ := started(t, x, 3, &MinVolumeOptions{})
	w, _ := vf.principalRows()
	q := newVolumeProblem(vf.s, w, 3)
	q.total, q.lower = vf.pc.total+vf.pc.totalError, max(0, vf.pc.floor-vf.pc.floorError)
	q.outside = max(0, q.total-sumSquares(q.sigma))
	b = q.bound(1.1*q.outside).inUnits(3, vf.s.units)
	least := math.Exp(logVolume(t, m.Centers) - b.LogVolume)
	if got := vf.volumeRatio(m.Centers, 1.1*q.outside); got < least {
		t.Errorf("iris: the ratio is %g, the true one may be %g", got, least)
	}
	far := mapped(x, func(_, _ int, v float64) float64 { return math.Ldexp(v, 90) })
	if got := mustDo(FitMinVolume(bg, far, 3, nil))(t).VolumeRatio; math.Abs(got-m.VolumeRatio) > 1e-9*got {
		t.Errorf("2^90 times as large the ratio is %g, not %g", got, m.VolumeRatio)
	}
	for name, ratio := range map[string]float64{
		"alternating": mustDo(FitAlternating(bg, x, 3, nil))(t).VolumeRatio,
		"at most one": mustDo(FitMinVolume(bg, x, 3,
			&MinVolumeOptions{Sum: SumAtMostOne}))(t).VolumeRatio,
		"more than d + 1": mustDo(FitMinVolume(bg, x, 6, nil))(t).VolumeRatio,
	} {
		if ratio != 0 {
			t.Errorf("%s: the ratio is %g", name, ratio)
		}
	}
	if got := mustDo(FitMinVolume(bg, x, 1, nil))(t).VolumeRatio; got != 1 {
		t.Errorf("k = 1: the ratio is %g", got)
	}
	// A whole direction of noise is within this slack.
	if got := mustDo(FitMinVolume(bg, randomData(100, 8, 0, 2), 3,
		&MinVolumeOptions{Slack: 1}))(t).VolumeRatio; got != math.MaxFloat64 {
		t.Errorf("with a slack of 1: the ratio is %g", got)
	}
}

// TestVolumeFloorExact: intervals, triangles and pure samples, whose least volume is known.
func TestVolumeFloorExact(t *testing.T) {
	for i, set := range planeSets(30) {
		x := NewMatrix(len(set), 2, nil)
		for j, p := range set {
			copy(x.row(j), p[:])
		}
		hull := convexHull(slices.Clone(set))
		b := mustDo(VolumeFloor(bg, x, 3, 0, nil))(t)
		m := mustDo(Fit(bg, x, 3, &Options{Enclosure: EnclosureSmallest}))(t)
		if len(hull) < 3 {
			if !math.IsInf(b.LogVolume, -1) {
				t.Errorf("set %d: points on a line have the floor %g", i, b.LogVolume)
			}
			continue
		}
		_, area := smallestTriangle(bg, hull)
		if v := logVolume(t, m.Centers); math.Abs(v-math.Log(area)) > 1e-6 && area > 1e-10 {
			t.Errorf("set %d: Fit's triangle is of %g, the smallest of %g", i, math.Exp(v), area)
		}
		if !(b.LogVolume <= math.Log(area) && b.LogVolume > math.Log(area)-1e-4) && area > 1e-4 {
			t.Errorf("set %d: the floor is %g of %g", i, math.Exp(b.LogVolume), area)
		}
		if m.Objective > 1e-24*m.Total {
			t.Errorf("set %d: the triangle leaves %g of %g", i, m.Objective, m.Total)
		}
	}
	noise := randomData(30, 3, 0, 1) // whose interval of projected rows is Fit's
	line := logVolume(t, mustDo(Fit(bg, noise, 2, &Options{Enclosure: EnclosureTight}))(t).Centers)
	if b := mustDo(VolumeFloor(bg, noise, 2, 0, nil))(t); !(b.LogVolume <= line && b.LogVolume > line-1e-4) {
		t.Errorf("an interval in noise: the floor is %g of %g", math.Exp(b.LogVolume), math.Exp(line))
	}
	x, truth := mixtures(200, 9, 5, 0.5, 1, 4)
	for j := range 5 {
		copy(x.row(7*j), truth.row(j))
	}
	want := logVolume(t, truth)
	if b := mustDo(VolumeFloor(bg, x, 5, 0, nil))(t); math.Abs(b.LogVolume-want) > 1e-4 ||
		b.LogVolume > want {
		t.Errorf("pure samples: the floor is %.9g, not %.9g", b.LogVolume, want)
	}
}

// TestPureSamples: where the samples themselves are the smallest simplex FitMinVolume
// returns them, and nothing else is smaller.
func TestPureSamples(t *testing.T) {
	t.Parallel()
	for _, k := range fewer([]int{2, 3, 4}, []int{2, 4}) {
		x, truth := mixtures(150, 12, k, 1, 0.95, uint64(k))
		for j := range k {
			copy(x.row(11*j), truth.row(j))
		}
		m := mustDo(FitMinVolume(bg, x, k, nil))(t)
		if m.Lambda != 0 || m.Status != StatusConverged || m.VolumeRatio > 1+1e-6 ||
			m.Objective > 1e-26*m.Total {
			t.Errorf("k = %d: λ = %g, %v, ratio %g, objective %g of %g", k, m.Lambda, m.Status, m.VolumeRatio,
				m.Objective, m.Total)
		}
		for j := range k {
			nearest := math.Inf(1)
			for i := range k {
				nearest = min(nearest, math.Sqrt(squaredDistance(truth.row(j), m.Centers.row(i))))
			}
			if nearest > 1e-13 {
				t.Errorf("k = %d: prototype %d is %g from a center", k, j, nearest)
			}
		}
		for _, o := range []*MinVolumeOptions{
			{Lambda: 1e-3}, {Init: InitGlobal}, {Centers: truth}, {Volume: VolumeOrigin},
		} {
			if o.MaxIter = 20; mustDo(FitMinVolume(bg, x, k, o))(t).Lambda == 0 {
				t.Errorf("k = %d: with %+v the samples are returned", k, o)
			}
		}
		// Without its pure samples the data has a smaller simplex.
		if m := mustDo(FitMinVolume(bg, x, k, &MinVolumeOptions{Weights: without(x.Rows, 11,
			k)}))(t); k > 2 && m.Lambda == 0 {
			t.Errorf("k = %d: samples that are not the simplex are returned", k)
		}
	}
}

// without returns weights of 1, 0 for rows 0, step, … (k of them).
func without(n, step, k int) []float64 {
	w := make1(n)
	for j := range k {
		w[step*j] = 0
	}
	return w
}

// TestVolumeFloorEdges: shapes that have no volume, and errors.
func TestVolumeFloorEdges(t *testing.T) {
	one := NewMatrix(1, 3, []float64{1, 2, 3})
	same := NewMatrix(4, 2, []float64{5, 7, 5, 7, 5, 7, 5, 7})
	for _, c := range []struct {
		x *Matrix
		k int
	}{{one, 2}, {one, 3}, {same, 2}, {same, 3}, {randomData(3, 5, 0, 1), 5}, {randomData(30, 2, 0, 1), 4}} {
		b, err := VolumeFloor(bg, c.x, c.k, 0.1, nil)
		if err != nil || !math.IsInf(b.LogVolume, -1) {
			t.Errorf("%d×%d, k = %d: %v, %v", c.x.Rows, c.x.Cols, c.k, b, err)
		}
	}
	if b, err := VolumeFloor(bg, one, 1, 0, nil); err != nil || b.LogVolume != 0 {
		t.Errorf("k = 1: %v, %v", b, err)
	}
	for _, slack := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := VolumeFloor(bg, same, 2, slack, nil); err == nil {
			t.Errorf("slack %g is no error", slack)
		}
	}
	for _, k := range []int{0, math.MaxInt / 2} {
		if _, err := VolumeFloor(bg, same, k, 0, nil); !errors.Is(err, ErrOption) {
			t.Errorf("k = %d: %v", k, err)
		}
	}
}

// TestLeastLogProduct compares with a search, and in the convex case with Lagrange's condition.
func TestLeastLogProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	for i := range 200 {
		p := 1 + rng.IntN(5)
		sigma := make([]float64, p)
		for j := range sigma {
			sigma[j] = 0.05 + rng.ExpFloat64()
		}
		slices.Sort(sigma)
		slices.Reverse(sigma)
		r := sigma[p-1] * rng.Float64()
		bound := leastLogProduct(sigma, r)
		least := math.Inf(1)
		at := make([]float64, p)
		for range 500 { // points of the sphere
			for j := range at {
				at[j] = math.Abs(rng.NormFloat64())
				if i%2 == 0 {
					at[j] /= sigma[j] // as at the least
				}
			}
			size, log := norm2(at), 0.0
			for j, v := range at {
				log += math.Log(sigma[j] - r*v/size)
			}
			least = min(least, log)
		}
		if bound > least {
			t.Errorf("%v, r = %g: the bound is %g, a point has %g", sigma, r, bound, least)
		}
		if r <= sigma[p-1]/2 && bound < least-0.05 {
			t.Errorf("%v, r = %g: the bound is %g, the best point has %g", sigma, r, bound, least)
		}
	}
	if got := leastLogProduct([]float64{2, 1}, 1); !math.IsInf(got, -1) {
		t.Errorf("where one can be 0 the bound is %g", got)
	}
	if got := leastLogProduct([]float64{4, 2}, 0); math.Abs(got-math.Log(8)) > 1e-11 || got > math.Log(8) {
		t.Errorf("without an error the bound is %g", got)
	}
}

// TestMomentBound: no simplex of random mixtures is below the bound by moments, and its own
// vertices have the bound.
func TestMomentBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for seed := range uint64(100) {
		k, n := 2+rng.IntN(3), 2+rng.IntN(7)
		f := randomData(k, k-1, 0, seed)
		g := dirichlet(n+k, k, 1, seed)
		w := make([]float64, n+k)
		for i := range w {
			w[i] = float64(1 + rng.IntN(3))
		}
		moments := func(g *Matrix, w []float64) float64 {
			x := product(g, f)
			q := &volumeProblem{k: k, d: k - 1, w: x, weights: w}
			return q.moments(singularValues(x, w), w, 0)
		}
		volume := logVolume(t, f)
		if bound := moments(g, w); bound > volume+1e-12 {
			t.Errorf("seed %d: the bound is %g, the volume %g", seed, bound, volume)
		}
		// The vertices alone have the most scatter that there is.
		if bound := moments(identity(k), make1(k)); math.Abs(bound-volume) > 1e-9 {
			t.Errorf("seed %d: the bound of vertices is %g, the volume %g", seed, bound, volume)
		}
	}
}

// TestVolumeFloorManyRows: of many rows the design drops some, and the floor is that of the same rows once.
func TestVolumeFloorManyRows(t *testing.T) {
	once, _ := mixtures(2500, 6, 4, .5, .8, 1)
	twice := NewMatrix(2*once.Rows, 6, nil)
	for i := range twice.Rows {
		copy(twice.row(i), once.row(i%once.Rows))
	}
	if twice.Rows <= designRows {
		t.Fatal("no row is dropped")
	}
	a, b := mustDo(VolumeFloor(bg, once, 4, 0, nil))(t), mustDo(VolumeFloor(bg, twice, 4, 0, nil))(t)
	if math.Abs(a.LogVolume-b.LogVolume) > 1e-4 {
		t.Errorf("floors %g and %g", a.LogVolume, b.LogVolume)
	}
}
