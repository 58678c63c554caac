package choosek

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/internal/sets"
	"softkmeans/internal/tables"
)

// clustersOf returns Clusters and the best mean silhouette of x, as Choose finds them.
func clustersOf(t *testing.T, x *softkmeans.Matrix) (k int, silhouette float64) {
	t.Helper()
	rows, _ := drawn(la.Indices(x.Rows), nil, rowsOf(x.Cols), 0)
	s := search{ctx: t.Context(), mostApart: mostApart, x: scaled(draws.Chosen(x, rows))}
	tables.OK(t, s.findClusters(cmp.Or(standardized(s.x), s.x)))
	return s.c.Clusters, slices.Max(s.c.Silhouette)
}

// onGrid returns rows around k points of a grid with steps of 20 standard deviations, about as many around each.
func onGrid(n, d, k int) *softkmeans.Matrix {
	x := tables.Normal(n, d, uint64(k))
	side := int(math.Ceil(math.Pow(float64(k), 1/float64(d)) - 1e-9))
	for i := range n {
		at := i % k
		for j := range d {
			x.Row(i)[j] += 20 * float64(at%side)
			at /= side
		}
	}
	return x
}

// Clusters that are apart are counted in any columns, if they are 4 to 50, and of 8 rows or more.
func TestClusters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ n, d, k, want int }{
		{32, 2, 4, 4}, {400, 1, 50, 50}, {408, 2, 50, 50}, {3000, 2, 50, 50}, {900, 3, 27, 27}, {200, 5, 17, 17},
		{90, 2, 3, 0}, {900, 2, 51, 0}, {100, 2, 13, 0}, {16, 2, 4, 0},
	} {
		x := onGrid(c.n, c.d, c.k)
		if k, v := clustersOf(t, x); k != c.want {
			t.Errorf("%+v: %d, %g", c, k, v)
		}
		for i := range x.Data { // nor do units count
			x.Data[i] = math.Ldexp(x.Data[i], 498-300*(i%c.d%3))
		}
		if k, v := clustersOf(t, x); k != c.want {
			t.Errorf("%+v in other units: %d, %g", c, k, v)
		}
	}
}

// Rows that are equal are one cluster, constant columns and rows of weight 0 do not count.
func TestClustersDuplicates(t *testing.T) {
	t.Parallel()
	x, ten := softkmeans.NewMatrix(10000, 4, nil), tables.Normal(10, 3, 3)
	weights := make([]float64, x.Rows)
	for i := range weights {
		if copy(x.Row(i), ten.Row(i%10)); i%3 > 0 {
			weights[i] = float64(i % 3)
			continue
		}
		x.Row(i)[3] = float64(i)
	}
	c := tables.Must(Choose(t.Context(), x, &Options{Weights: weights}))(t)
	if c.Clusters != 10 || c.K != 10 || c.Silhouette[9] < 1-1e-9 {
		t.Errorf("%+v", c)
	}
	for _, v := range []float64{0, 1, 1e150} {
		for i := range x.Data {
			x.Data[i] = v
		}
		if c := tables.Must(Choose(t.Context(), x, nil))(t); c.Clusters != 0 || c.Silhouette != nil {
			t.Errorf("%+v", c)
		}
	}
	// At most MaxK clusters are an answer.
	for most, want := range map[int]int{9: 0, 10: 10} {
		x := softkmeans.NewMatrix(80, 3, nil)
		for i := range 80 {
			copy(x.Row(i), ten.Row(i%10))
		}
		c := tables.Must(Choose(t.Context(), x, &Options{MaxK: most}))(t)
		if c.Clusters != want {
			t.Errorf("MaxK %d: %+v", most, c)
		}
	}
}

// TestWard compares the merges of ward with a search through all pairs, and silhouettes with their definition.
func TestWard(t *testing.T) {
	t.Parallel()
	for seed, d := range []int{1, 2, 5} {
		y := tables.Normal(40, d, uint64(seed))
		mean, least, err := silhouettes(t.Context(), y, 40)
		tables.OK(t, err)
		groups := make([][]int, 40)
		for i := range groups {
			groups[i] = []int{i}
		}
		for k := len(groups); k > 1; k-- {
			want, few := silhouette(y, groups)
			if !tables.Near(mean[k-1], want, 1e-9) || least[k-1] != few {
				t.Errorf("%d columns, k = %d: %g of %g, not %g of %g", d, k, mean[k-1], least[k-1], want, few)
			}
			a, b, cheapest := 0, 0, math.Inf(1)
			for i := range groups {
				for j := range i {
					both := append(slices.Clone(groups[i]), groups[j]...)
					if cost := spread(y, both) - spread(y, groups[i]) - spread(y, groups[j]); cost < cheapest {
						a, b, cheapest = i, j, cost
					}
				}
			}
			groups[b] = append(groups[b], groups[a]...)
			groups = slices.Delete(groups, a, a+1)
		}
	}
}

// spread returns the squared distances of rows from their mean.
func spread(y *softkmeans.Matrix, rows []int) (sum float64) {
	mean := make([]float64, y.Cols)
	for _, i := range rows {
		la.Axpy(mean, 1/float64(len(rows)), y.Row(i))
	}
	for _, i := range rows {
		sum += la.SquaredDistance(y.Row(i), mean)
	}
	return sum
}

// silhouette returns the mean silhouette of groups of rows, and the rows of the smallest.
func silhouette(y *softkmeans.Matrix, groups [][]int) (mean, least float64) {
	least = math.Inf(1)
	for own, group := range groups {
		least = min(least, float64(len(group)))
		for _, i := range group {
			a, b := 0.0, math.Inf(1)
			for g, other := range groups {
				sum := 0.0
				for _, j := range other {
					sum += math.Sqrt(la.SquaredDistance(y.Row(i), y.Row(j)))
				}
				if g == own {
					a = sum / float64(len(group)-1)
				} else {
					b = min(b, sum/float64(len(other)))
				}
			}
			if len(group) > 1 {
				mean += (b - a) / max(a, b) / float64(y.Rows)
			}
		}
	}
	return mean, least
}

// TestClusterCounts: noise lies in no clusters that are apart, and no more are found than there are. Run
//
//	SOFTKMEANS_LONG=1 SOFTKMEANS_POINTS=DIR go test -run ClusterCounts -v ./choosek
//
// for the numbers of docs/accuracy.md, by Choose, too. DIR has sets NAME.csv with classes NAME.labels.csv.
func TestClusterCounts(t *testing.T) {
	t.Parallel()
	long := os.Getenv("SOFTKMEANS_LONG") != ""
	for _, kind := range []string{"noise", "mixtures", "clusters at random", "sets"} {
		var right, near, far, answered, sure, wrong, chosen, all int
		for _, c := range countedTables(t, kind, tables.Fewer(40, 10)) {
			k, v := clustersOf(t, c.x)
			all++
			switch {
			case k == c.k:
				right++
			case k > c.k+2:
				far++
			case k > c.k:
				near++
			}
			if k > 0 {
				answered++
			}
			if k > c.k && (kind == "noise" || kind == "clusters at random") {
				t.Errorf("%s, %s of %d clusters: %d, %g", kind, c.name, c.k, k, v)
			}
			if !long {
				continue
			}
			got := tables.Must(Choose(t.Context(), c.x, nil))(t)
			if got.Certain {
				sure++
				if got.K != c.k {
					wrong++
				}
			}
			if got.K == c.k {
				chosen++
			}
			if kind == "sets" {
				t.Logf("%s, k = %d: %d, %v: %s", c.name, c.k, got.K, got.Certain, got.Reason)
			}
		}
		t.Logf("| %s | %d | %d / %d / %d / %d | %d / %d | %d |", kind, all, right, near, far, answered, sure-wrong, sure,
			chosen)
	}
}

// counted is a table with k clusters or prototypes; noise has k = 0.
type counted struct {
	name string
	x    *softkmeans.Matrix
	k    int
}

func countedTables(t *testing.T, kind string, count int) (list []counted) {
	rng := rand.New(rand.NewPCG(uint64(len(kind)), 0x19e5))
	pick := func(of ...int) int { return of[rng.IntN(len(of))] }
	if kind == "sets" {
		return labelledSets(t)
	}
	for i := range count {
		var c counted
		n, d := pick(60, 200, 1000), pick(1, 2, 3, 5, 10, 30, 100)
		switch kind {
		case "noise":
			c = noiseOf(rng, i, n, d)
		case "mixtures":
			c.k = 3 + rng.IntN(6)
			c.x = mixtureOf(rng, n, max(d, 3), c.k)
		default:
			c.k = 2 + rng.IntN(49)
			d, n = max(d, 2), pick(300, 1000, 3000)
			c.x = softkmeans.NewMatrix(n, d, nil)
			at := softkmeans.NewMatrix(c.k, d, nil)
			apart := float64(pick(2, 4, 8))
			if d <= 5 {
				apart *= 2
			}
			for i := range at.Data {
				at.Data[i] = apart * rng.NormFloat64()
			}
			for i := range c.x.Data {
				c.x.Data[i] = at.At(i/d%c.k, i%d) + rng.NormFloat64()
			}
		}
		c.name = fmt.Sprintf("%s %d×%d", c.name, c.x.Rows, c.x.Cols)
		list = append(list, c)
	}
	return list
}

// noiseOf returns noise of one of five kinds.
func noiseOf(rng *rand.Rand, kind, n, d int) counted {
	names := []string{"uniform", "normal", "correlated", "Student's t", "log-normal"}
	draws := []func() float64{rng.Float64, rng.NormFloat64, rng.NormFloat64,
		func() float64 { return rng.NormFloat64() / math.Sqrt(rng.ExpFloat64()) },
		func() float64 { return math.Exp(2 * rng.NormFloat64()) }}
	x := softkmeans.NewMatrix(n, d, nil)
	for i := range x.Data {
		x.Data[i] = draws[kind%5]()
	}
	if kind%5 == 2 {
		x = timesT(x, tables.Normal(d, d, rng.Uint64()))
	}
	return counted{names[kind%5], x, 0}
}

// mixtureOf returns mixtures of k normal prototypes, some nearly pure, with noise in three of four.
func mixtureOf(rng *rand.Rand, n, d, k int) *softkmeans.Matrix {
	g, f := softkmeans.NewMatrix(n, k, nil), softkmeans.NewMatrix(d, k, nil)
	pure, noise := []float64{1, 1, 2, 5}[rng.IntN(4)], []float64{0, .015, .05, .15}[rng.IntN(4)]
	for i := range f.Data {
		f.Data[i] = rng.NormFloat64()
	}
	for i := range n {
		row := g.Row(i)
		for j := range row {
			row[j] = math.Pow(rng.ExpFloat64(), pure)
		}
		la.Scale(1/la.Sum(row), row)
	}
	x := timesT(g, f)
	for i := range x.Data {
		x.Data[i] += noise * rng.NormFloat64()
	}
	return x
}

// labelledSets reads the sets of the folder SOFTKMEANS_POINTS, and of testdata.
func labelledSets(t *testing.T) (list []counted) {
	for i, name := range []string{"iris", "wine", "breast_cancer", "digits"} {
		list = append(list, counted{name, tables.CSV(t, name), []int{3, 3, 2, 10}[i]})
	}
	dir := os.Getenv("SOFTKMEANS_POINTS")
	files, _ := filepath.Glob(filepath.Join(dir, "*.labels.csv"))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".labels.csv")
		s := sets.Set{Views: []string{name + ".csv"}, Labels: name + ".labels.csv", Open: sets.Folders(dir)}
		if l, err := s.Load(); err == nil {
			list = append(list, counted{name, l.X, l.K})
		}
	}
	return list
}
