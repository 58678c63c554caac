package softkmeans

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// delaunay returns the barycentric coordinates of a point in its Delaunay triangle: the triangle of vertices
// that contains it and whose circumcircle contains no vertex. margin is how far the nearest vertex is outside
// of that circle, or the point inside of the triangle. nil: no triangle contains the point.
func delaunay(p []float64, f *Matrix) (g []float64, margin float64) {
	cross := func(a, b, c []float64) float64 {
		return (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
	}
	for i := range f.Rows {
		for j := range i {
			for l := range j {
				a, b, c := f.row(i), f.row(j), f.row(l)
				area := cross(a, b, c)
				u, v, w := cross(p, b, c)/area, cross(a, p, c)/area, cross(a, b, p)/area
				if !(min(u, v, w) >= 0) {
					continue
				}
				sa, sb, sc := sumSquares(a), sumSquares(b), sumSquares(c)
				middle := []float64{(sa*(b[1]-c[1]) + sb*(c[1]-a[1]) + sc*(a[1]-b[1])) / (2 * area),
					(sa*(c[0]-b[0]) + sb*(a[0]-c[0]) + sc*(b[0]-a[0])) / (2 * area)}
				radius, margin := squaredDistance(middle, a), min(u, v, w)
				for t := range f.Rows {
					if t != i && t != j && t != l {
						margin = min(margin, squaredDistance(middle, f.row(t))/radius-1)
					}
				}
				if margin >= 0 {
					g = make([]float64, f.Rows)
					g[i], g[j], g[l] = u, v, w
					return g, margin
				}
			}
		}
	}
	return nil, 0
}

// TestNearestMemberships: of rows in the plane, memberships in many centers are those of the corners of their
// Delaunay triangle, as all triangles tell, and of rows outside of the hull the errors are the least. So they
// are in Predict, and in other units, and far away.
func TestNearestMemberships(t *testing.T) {
	for _, c := range []struct{ size, mean float64 }{{1, 0}, {0x1p-300, 0}, {0x1p300, 0}, {1, 1e5}} {
		f := mapped(randomData(12, 2, 0, 4), func(_, _ int, v float64) float64 { return c.size * (v + c.mean) })
		x := mapped(randomData(400, 2, 0, 5), func(_, _ int, v float64) float64 { return c.size * (v + c.mean) })
		m := &Model{Centers: f, ClusterMeans: f.Clone()}
		g := mustDo(m.Predict(nil, x))(t)
		checkFeasible(t, g)
		least := mustDo((&Model{Centers: f}).Predict(nil, x))(t)
		inside, tol := 0, 1e-9*max(1, c.mean)
		for i := range x.Rows {
			row := rowsOf(x, i, i+1)
			off := plainObjective(row, f, rowsOf(g, i, i+1), nil) -
				plainObjective(row, f, rowsOf(least, i, i+1), nil)
			if off > 1e-6*c.size*c.size {
				t.Errorf("size %g, mean %g: row %d has %g more error", c.size, c.mean, i, off/c.size/c.size)
			}
			flat := func(m *Matrix) *Matrix {
				return mapped(m, func(_, _ int, v float64) float64 { return v/c.size - c.mean })
			}
			if want, margin := delaunay(flat(row).row(0), flat(f)); margin > 1e-3 {
				inside++
				if d := maxDiff(rowsOf(g, i, i+1), NewMatrix(1, 12, want)); d > tol {
					t.Errorf("size %g, mean %g: row %d is off by %g", c.size, c.mean, i, d)
				}
			}
		}
		if inside < 150 {
			t.Errorf("%d rows are inside", inside)
		}
	}
}

// manyCases are tables with far more clusters than dimensions.
func manyCases() map[string]struct {
	x *Matrix
	k int
	w []float64
} {
	type many = struct {
		x *Matrix
		k int
		w []float64
	}
	x, _ := blobs(300, 2, 12, 30, 1)
	flat := mapped(NewMatrix(300, 5, nil), func(i, j int, _ float64) float64 {
		return x.At(i, 0)*float64(j+1) + x.At(i, 1)*float64(j*j)
	})
	return map[string]many{
		"plain": {x, 12, nil}, "weights": {x, 12, inTurn(300, 1, 2, 0)}, "rank 2 of 5": {flat, 12, nil},
		"identical": {mapped(NewMatrix(20, 3, nil), func(_, j int, _ float64) float64 { return float64(j) }), 9, nil},
		"zeros":     {NewMatrix(20, 3, nil), 9, nil}, "k = n": {randomData(20, 1, 0, 2), 20, nil},
		"k above n": {randomData(5, 9, 0, 2), 30, nil}, "one row": {randomData(1, 3, 0, 2), 4, nil},
		"large": {mapped(x, func(_, _ int, v float64) float64 { return v * 1e148 }), 12, nil},
		"small": {mapped(x, func(_, _ int, v float64) float64 { return v * 1e-150 }), 12, nil},
		"far":   {moved(x, 1e15), 12, nil},
	}
}

// TestManyClusters: both iterations give the same clusters with their means as centers and a λ of 0, as Predict
// and PredictLabels find them, and sparse rows the same.
func TestManyClusters(t *testing.T) {
	for name, c := range manyCases() {
		o := &MinVolumeOptions{Weights: c.w}
		m := mustDo(FitMinVolume(bg, c.x, c.k, o))(t)
		finiteModel(t, m)
		checkFeasible(t, m.Memberships)
		other := mustDo(FitAlternating(bg, c.x, c.k, o))(t)
		if !laSameBits(m.Centers.Data, other.Centers.Data) || !laSameBits(m.Centers.Data, m.ClusterMeans.Data) ||
			!laSameBits(m.Memberships.Data, other.Memberships.Data) {
			t.Errorf("%s: FitAlternating has another answer, or centers are not means", name)
		}
		if m.Lambda != 0 || m.Epsilon != 0 || m.Status != StatusConverged || len(m.Trace) != 1 ||
			m.Objective > m.Total || m.Floor > 1e-14*m.Total {
			t.Errorf("%s: λ %g, ε %g, %v, trace %v, error %g of %g over %g", name, m.Lambda, m.Epsilon, m.Status,
				m.Trace, m.Objective, m.Total, m.Floor)
		}
		if name == "far" { // where plain loops lose the digits
			near := moved(c.x, -1e15)
			if l := mustDo(FitMinVolume(bg, near, c.k, o))(t); accuracyOf(l.Clusters, m.Clusters) < 1 {
				t.Error("far rows have other clusters")
			}
		} else {
			checkClusters(t, name, m, c.x, c.w)
		}
		size := maxAbs(c.x)
		again := mustDo(m.Predict(nil, c.x))(t)
		a, b := plainObjective(c.x, m.Centers, again, c.w), plainObjective(c.x, m.Centers, m.Memberships, c.w)
		if math.Abs(a-b) > 1e-6*m.Total+1e-28*size*size {
			t.Errorf("%s: Predict has an error of %g, not %g", name, a, b)
		}
		if name != "far" && name != "k above n" && maxDiff(again, m.Memberships) > 1e-6 {
			t.Errorf("%s: Predict is off by %g", name, maxDiff(again, m.Memberships))
		}
		plainly := &MinVolumeOptions{Weights: c.w, Lambda: 1e-3 * max(m.Total, 0x1p-900)}
		if l := mustDo(FitMinVolume(bg, c.x, c.k, plainly))(t); l.Lambda == 0 {
			t.Errorf("%s: a given λ is not used", name)
		}
	}
}

// TestManyBounds: means outside of the bounds of centers come to the nearest point within.
func TestManyBounds(t *testing.T) {
	for seed := range uint64(fewer(8, 2)) {
		x, _ := blobs(300, 2, 12, 30, seed+1)
		for least, equal := range map[float64]bool{-9: true, 0.1: false} {
			m := mustDo(FitMinVolume(bg, x, 12, &MinVolumeOptions{Lower: []float64{least}}))(t)
			want := mapped(m.ClusterMeans, func(_, _ int, v float64) float64 { return max(v, least) })
			if m.Lambda != 0 || maxDiff(m.Centers, want) != 0 || (maxDiff(m.Centers, m.ClusterMeans) == 0) != equal {
				t.Errorf("seed %d, from %g: centers %v", seed, least, m.Centers.Data)
			}
			// The rounding of products with vertices is divided by the ridge, 2^-30 of the largest entry.
			if d := maxDiff(m.Memberships, mustDo(m.Predict(nil, x))(t)); d > 1e-6 {
				t.Errorf("seed %d, from %g: Predict is off by %g", seed, least, d)
			}
		}
	}
}

// TestManySparse: sparse rows have the clusters of the same rows with their zeros.
func TestManySparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	const n, d, k = 600, 40, 7
	x := NewMatrix(n, d, nil)
	for i := range n { // 7 points on a plane, with noise along it
		j := i % k
		x.Set(i, 3, 10*math.Cos(float64(j))+0.1*rng.NormFloat64())
		x.Set(i, 17, 10*math.Sin(float64(j))+0.1*rng.NormFloat64())
	}
	w := inTurn(n, 1, 2, 3, 0)
	o := &MinVolumeOptions{Weights: w}
	dense := mustDo(FitMinVolume(bg, x, k, o))(t)
	sparse := mustDo(FitMinVolume(bg, sparseOf(x), k, o))(t)
	if dense.Lambda != 0 || sparse.Lambda != 0 || accuracyOf(dense.Clusters, sparse.Clusters) < 1 {
		t.Fatalf("λ %g and %g, or other clusters", dense.Lambda, sparse.Lambda)
	}
	if math.Abs(dense.Objective-sparse.Objective) > 1e-6*dense.Total {
		t.Errorf("errors %g and %g", dense.Objective, sparse.Objective)
	}
}

// TestClusterProbabilities compares them with their formula, in plain loops, and the spread and the weights with
// theirs. They add up to 1, are the same for sparse rows, and on blobs that are apart sure and right.
func TestClusterProbabilities(t *testing.T) {
	cases := manyCases()
	for name, c := range cases {
		m := mustDo(FitMinVolume(bg, c.x, c.k, &MinVolumeOptions{Weights: c.w}))(t)
		must(t, m.Check())
		p := mustDo(m.ClusterProbabilities(nil, c.x))(t)
		checkFeasible(t, p)
		weights, within, mass, rows := make([]float64, c.k), 0.0, 0.0, 0.0
		from := m.ClusterMeans.row(0)
		y, means := plainAlong(c.x, from, m.ClusterAxes), plainAlong(m.ClusterMeans, from, m.ClusterAxes)
		unit := max(maxAbs(y), maxAbs(means), math.SmallestNonzeroFloat64) // squares are of the range
		_, exp := math.Frexp(unit)
		for _, a := range []*Matrix{y, means} {
			scale(a.Data, math.Ldexp(1, -exp))
		}
		for i, j := range m.Clusters {
			w := 1.0
			if c.w != nil {
				w = c.w[i]
			}
			weights[j] += w
			mass += w
			within += w * squaredDistance(y.row(i), means.row(j))
			rows += float64(oneIf(w > 0))
		}
		spread := math.Ldexp(m.ClusterSpread, -exp)
		free := max(1, rows-float64(c.k)) / rows
		want := math.Sqrt(1.5 * within / (mass * free * float64(y.Cols)))
		if m.ClusterAxes != nil && name != "far" && math.Abs(spread-want) > 1e-6*want+1e-7 {
			t.Errorf("%s: the spread is %g, not %g", name, spread, want)
		}
		for j := range weights {
			if math.Abs(weights[j]/mass-m.ClusterWeights[j]) > 1e-12 {
				t.Errorf("%s: weight %d is %g, not %g", name, j, m.ClusterWeights[j], weights[j]/mass)
			}
		}
		if name == "far" || spread == 0 || m.ClusterAxes == nil {
			continue
		}
		for i := range y.Rows {
			sum, v := 0.0, m.ClusterDoubt
			for j := range c.k {
				sum += m.ClusterWeights[j] * math.Exp(-squaredDistance(y.row(i), means.row(j))/2/spread/spread)
			}
			for j := range c.k {
				one := m.ClusterWeights[j] * math.Exp(-squaredDistance(y.row(i), means.row(j))/2/spread/spread)
				want := (1-v)*one/sum + v*m.ClusterWeights[j]
				if sum > 0x1p-500 && math.Abs(p.At(i, j)-want) > 1e-8 {
					t.Fatalf("%s: row %d is of cluster %d with %g, not %g", name, i, j, p.At(i, j), want)
				}
			}
		}
		sparse := mustDo(m.ClusterProbabilities(nil, sparseOf(c.x)))(t)
		if d := maxDiff(p, sparse); d > 1e-9 {
			t.Errorf("%s: sparse rows are off by %g", name, d)
		}
	}
	x, truth := blobs(300, 2, 12, 30, 1)
	m := mustDo(FitMinVolume(bg, x, 12, nil))(t)
	for i, row := range mustDo(m.ClusterProbabilities(nil, x))(t).Data {
		if (m.Clusters[i/12] == i%12) != (row > 0.999) || m.ClusterDoubt != 0 {
			t.Fatalf("row %d of blob %d has %g, doubt %g", i/12, truth[i/12], row, m.ClusterDoubt)
		}
	}
	noise := randomData(400, 2, 0, 7) // of no clusters
	if m := mustDo(FitMinVolume(bg, noise, 8, nil))(t); m.ClusterDoubt < 0.02 || m.ClusterDoubt > 0.9 {
		t.Errorf("on noise the doubt is %g", m.ClusterDoubt)
	}
}

// TestClusterProbabilitiesErrors: models without clusters, or with numbers that no fit returns, are errors, and
// so are rows that do not fit; dst is unchanged then, and panics for a wrong shape.
func TestClusterProbabilitiesErrors(t *testing.T) {
	x, _ := blobs(60, 2, 7, 30, 1)
	good := mustDo(FitMinVolume(bg, x, 7, nil))(t)
	for name, change := range map[string]func(m *Model){
		"no centers": func(m *Model) { m.Centers = nil },
		"no means":   func(m *Model) { m.ClusterMeans = nil }, "no weights": func(m *Model) { m.ClusterWeights = nil },
		"few weights":     func(m *Model) { m.ClusterWeights = m.ClusterWeights[:6] },
		"weights above 1": func(m *Model) { m.ClusterWeights = make1(7) },
		"a weight below 0": func(m *Model) {
			m.ClusterWeights = []float64{-1, 1, 1, 0, 0, 0, 0}
		},
		"NaN":    func(m *Model) { m.ClusterSpread = math.NaN() },
		"doubt":  func(m *Model) { m.ClusterDoubt = 1.5 },
		"spread": func(m *Model) { m.ClusterSpread = -1 },
	} {
		m, dst := *good, NewMatrix(60, 7, nil)
		change(&m)
		if p, err := m.ClusterProbabilities(dst, x); err == nil || p != nil || maxAbs(dst) != 0 {
			t.Errorf("%s: no error, or dst has changed", name)
		}
		if name != "no weights" && m.Check() == nil {
			t.Errorf("%s: Check finds nothing", name)
		}
	}
	for _, bad := range []Samples{nil, NewMatrix(3, 3, nil), NewMatrix(1, 2, []float64{0, math.NaN()})} {
		if _, err := good.ClusterProbabilities(nil, bad); err == nil {
			t.Errorf("no error for %v", bad)
		}
	}
	mustPanic(t, func() { _, _ = good.ClusterProbabilities(NewMatrix(60, 6, nil), x) })
	got := mustDo(good.ClusterProbabilities(NewMatrix(60, 7, nil), x))(t)
	if d := maxDiff(got, mustDo(good.ClusterProbabilities(nil, x))(t)); d != 0 {
		t.Errorf("a given dst is off by %g", d)
	}
}

// TestManyMoved: blobs that are apart are found from any seed, in any order of rows, and with weights as with rows
// that are there twice.
func TestManyMoved(t *testing.T) {
	x, truth := blobs(300, 3, 20, 30, 1)
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 9))
		order := rng.Perm(600)[:450] // rows once or twice
		w, list, want := make([]float64, 300), []int{}, []int{}
		for _, i := range order {
			w[i%300]++
			list, want = append(list, i%300), append(want, truth[i%300])
		}
		m := mustDo(FitMinVolume(bg, chosenRows(x, list), 20, &MinVolumeOptions{Seed: seed}))(t)
		of := mustDo(FitMinVolume(bg, x, 20, &MinVolumeOptions{Seed: seed, Weights: w}))(t)
		if accuracyOf(want, m.Clusters) < 1 || accuracyOf(truth, of.Clusters) < 1 || m.ClusterDoubt+of.ClusterDoubt > 0 {
			t.Errorf("seed %d: right in %g, with weights in %g", seed, accuracyOf(want, m.Clusters),
				accuracyOf(truth, of.Clusters))
		}
		for i, j := range m.Clusters { // the clusters may have other numbers
			k := of.Clusters[list[i]]
			if math.Abs(m.ClusterWeights[j]-of.ClusterWeights[k]) > 1e-12 {
				t.Errorf("seed %d: cluster %d weighs %g, not %g", seed, k, of.ClusterWeights[k], m.ClusterWeights[j])
			}
		}
	}
}

// TestCrowdedAlike: where k exceeds the rows, or what their dimensions determine, Fit, FitAlternating and
// FitMinVolume answer alike, of dense and of sparse rows: the same warning first, the floor 0, an end that is
// none of limits, and memberships that Predict finds again. PredictLabels finds the labels of the iterations
// again. Where k is less there is no such warning.
func TestCrowdedAlike(t *testing.T) {
	type fit = func(x Samples, k int, sum Sum) (*Model, error)
	fits := []fit{
		func(x Samples, k int, sum Sum) (*Model, error) {
			return FitMinVolume(bg, x, k, &MinVolumeOptions{Sum: sum})
		},
		func(x Samples, k int, sum Sum) (*Model, error) {
			return FitAlternating(bg, x, k, &MinVolumeOptions{Sum: sum})
		},
		func(x Samples, k int, sum Sum) (*Model, error) { return Fit(bg, x, k, nil) },
	}
	for _, shape := range [][2]int{{1, 3}, {7, 2}, {5, 9}, {12, 1}, {30, 3}} {
		n, d := shape[0], shape[1]
		x := mapped(randomData(n, d, 0, 3), func(i, j int, v float64) float64 {
			if d > 1 && (i+j)%3 == 1 {
				return 0
			}
			return v
		})
		for _, k := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 31} {
			for sum, some := range map[Sum][]fit{SumToOne: fits, SumAtMostOne: fits[:2]} {
				var want []Warning
				rank := map[Sum]int{SumToOne: min(n-1, d), SumAtMostOne: min(n, d)}[sum]
				switch {
				case k > n:
					want = []Warning{{Kind: WarnRows, Other: n, Value: float64(k)}}
				case directionsOf(k, sum) > rank:
					want = []Warning{{Kind: WarnDimensions, Other: rank, Value: float64(k)}}
				}
				for at, call := range some {
					for kind, rows := range []Samples{x, sparseOf(x)} {
						m := mustDo(call(rows, k, sum))(t)
						about := fmt.Sprint(n, "×", d, " k = ", k, " ", sum, " fit ", at, " rows ", kind)
						first := m.Warnings[:min(1, len(m.Warnings))]
						if want == nil {
							if len(first) > 0 && first[0].Kind >= WarnDimensions {
								t.Errorf("%s: %v", about, first)
							}
							continue
						}
						if !slices.Equal(first, want) || m.Floor > 1e-12*m.Total ||
							m.Status != StatusConverged && m.Status != StatusOptimal {
							t.Errorf("%s: %v, %v, floor %g", about, m.Warnings, m.Status, m.Floor)
						}
						g := mustDo(m.Predict(nil, rows))(t)
						if d := maxDiff(m.Memberships, g); d > 1e-5 && k <= n {
							t.Errorf("%s: Predict is off by %g", about, d)
						}
						if at == 2 {
							continue
						}
						if l := mustDo(m.PredictLabels(nil, rows))(t); !slices.Equal(m.Labels(nil), l) {
							t.Errorf("%s: labels %v, again %v", about, m.Clusters, l)
						}
					}
				}
			}
		}
	}
}
