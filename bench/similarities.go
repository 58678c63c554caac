package main

// Similarities with known clusters: TILSD and LSD beside scikit-learn's spectral clustering (cluster.py) on
// generated matrices.

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"softkmeans"
	"softkmeans/kernel"
	"softkmeans/metrics"
)

// similarityKind is a kind of generated matrices. make returns the similarities of rows of the given classes.
type similarityKind struct {
	name  string
	graph bool // of weights, with zeros on the diagonal
	make  func(rng *rand.Rand, classes []int, k int) *mat.Dense
}

var similarityKinds = []similarityKind{
	{"blocks with noise", false, blocks},
	{"RBF of blobs", false, func(rng *rand.Rand, classes []int, k int) *mat.Dense { return rbf(blobs(rng, classes, k), 1) }},
	{"RBF of rings", false, func(rng *rand.Rand, classes []int, _ int) *mat.Dense { return rbf(rings(rng, classes), 8) }},
	{"RBF of moons", false, func(rng *rand.Rand, classes []int, _ int) *mat.Dense { return rbf(moons(rng, classes), 8) }},
	{"neighbors of blobs", true, func(rng *rand.Rand, classes []int, k int) *mat.Dense {
		return neighbors(blobs(rng, classes, k))
	}},
	{"neighbors of moons", true, func(rng *rand.Rand, classes []int, _ int) *mat.Dense {
		return neighbors(moons(rng, classes))
	}},
	{"random graphs", true, randomGraph},
	{"correlations", false, correlations},
}

// symmetric returns the n×n matrix of at(i, j), j ≤ i, and its mirror image.
func symmetric(n int, at func(i, j int) float64) *mat.Dense {
	m := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			v := at(i, j)
			m.Set(i, j, v)
			m.Set(j, i, v)
		}
	}
	return m
}

// blocks has .5 more between rows of one class, noise of deviation .5, and 1 on the diagonal.
func blocks(rng *rand.Rand, classes []int, _ int) *mat.Dense {
	return symmetric(len(classes), func(i, j int) float64 {
		switch v := .2 + .5*rng.NormFloat64(); {
		case i == j:
			return 1
		case classes[i] == classes[j]:
			return v + .5
		default:
			return v
		}
	})
}

// blobs has normal clusters about normal means of deviation 2, in 5 columns.
func blobs(rng *rand.Rand, classes []int, k int) *mat.Dense {
	means := table(k, 5, func(int, int) float64 { return 2 * rng.NormFloat64() })
	return table(len(classes), 5, func(i, j int) float64 { return means.At(classes[i], j) + rng.NormFloat64() })
}

// rings has a circle of radius 1, 2, … for each class, with noise of deviation .1.
func rings(rng *rand.Rand, classes []int) *mat.Dense {
	m := mat.NewDense(len(classes), 2, nil)
	for i, c := range classes {
		y, x := math.Sincos(2 * math.Pi * rng.Float64())
		r := float64(1 + c)
		m.SetRow(i, []float64{r*x + .1*rng.NormFloat64(), r*y + .1*rng.NormFloat64()})
	}
	return m
}

// moons has half circles that interlock, one a class, with noise of deviation .1.
func moons(rng *rand.Rand, classes []int) *mat.Dense {
	m := mat.NewDense(len(classes), 2, nil)
	for i, c := range classes {
		y, x := math.Sincos(math.Pi * rng.Float64())
		if c%2 == 1 {
			y = .5 - y
		}
		m.SetRow(i, []float64{x + float64(c) + .1*rng.NormFloat64(), y + .1*rng.NormFloat64()})
	}
	return m
}

// rbf returns the RBF kernel with a multiple of the median heuristic's γ.
func rbf(x *mat.Dense, times float64) *mat.Dense {
	gamma, err := kernel.Gamma(wrap(x))
	if err != nil {
		panic(err) // the rows are made above, without NaN
	}
	k, err := kernel.RBF(wrap(x), times*gamma)
	if err != nil {
		panic(err)
	}
	return unwrap(k)
}

// neighbors is 1 if one of two rows is among the ten nearest of the other, 0 otherwise and on the diagonal.
func neighbors(x *mat.Dense) *mat.Dense {
	n, _ := x.Dims()
	near := make([]map[int]bool, n)
	for i := range near {
		distances, order := make([]float64, n), make([]int, n)
		for j := range distances {
			distances[j] = floats.Distance(x.RawRowView(i), x.RawRowView(j), 2)
		}
		floats.Argsort(distances, order)
		near[i] = map[int]bool{}
		for _, j := range order[:11] {
			near[i][j] = i != j
		}
	}
	return symmetric(n, func(i, j int) float64 {
		if near[i][j] || near[j][i] {
			return 1
		}
		return 0
	})
}

// randomGraph joins a tenth of all pairs, and of pairs of one class .15 more.
func randomGraph(rng *rand.Rand, classes []int, _ int) *mat.Dense {
	return symmetric(len(classes), func(i, j int) float64 {
		p := .1
		if classes[i] == classes[j] {
			p = .25
		}
		if i == j || rng.Float64() > p {
			return 0
		}
		return 1
	})
}

// correlations are of rows of 30 columns: the profile of a class and noise of deviation 2.
func correlations(rng *rand.Rand, classes []int, k int) *mat.Dense {
	profiles := table(k, 30, func(int, int) float64 { return rng.NormFloat64() })
	x := table(len(classes), 30, func(i, j int) float64 { return profiles.At(classes[i], j) + 2*rng.NormFloat64() })
	return symmetric(len(classes), func(i, j int) float64 { return stat.Correlation(x.RawRowView(i), x.RawRowView(j), nil) })
}

// set returns the matrix of a seed: 120 to 240 rows in 2 to 5 classes of unequal size.
func (k *similarityKind) set(seed uint64) *labelSet {
	s := &labelSet{name: k.name, k: 2 + int(seed%4), classes: make([]int, 120+30*(seed%5))}
	for i := range s.classes {
		s.classes[i] = int(float64(s.k) * math.Pow(float64(i)/float64(len(s.classes)), .8))
	}
	s.x = k.make(rand.New(rand.NewPCG(seed, 0x51a11a2)), s.classes, s.k)
	return s
}

// similarityWay is one way to labels from similarities, or from the weights of a graph.
type similarityWay struct {
	name  string
	learn bool
	label func(ctx context.Context, s *labelSet, graph bool, py *python) ([]int, error)
}

var similarityWays = []similarityWay{
	{"TILSD, largest membership", false, func(ctx context.Context, s *labelSet, _ bool, _ *python) ([]int, error) {
		m, err := softkmeans.TILSD(ctx, wrap(s.x), s.k, nil)
		if err != nil {
			return nil, err
		}
		return (&softkmeans.LSDModel{Memberships: m.Memberships}).Labels(nil), nil
	}},
	{"TILSD", false, decomposed(softkmeans.TILSD, false)},
	{"TILSD, graphs by kernel.Graph", false, decomposed(softkmeans.TILSD, true)},
	{"LSD", false, decomposed(softkmeans.LSD, false)},
	{"SpectralClustering", true, func(_ context.Context, _ *labelSet, _ bool, py *python) ([]int, error) {
		labels, _, err := py.labels("spectral", 0)
		return labels, err
	}},
}

// decomposed is the labels of TILSD or LSD. Weights of a graph pass kernel.Graph before if normalized is set.
func decomposed(
	fit func(context.Context, *softkmeans.Matrix, int, *softkmeans.LSDOptions) (*softkmeans.LSDModel, error), normalized bool,
) func(context.Context, *labelSet, bool, *python) ([]int, error) {
	return func(ctx context.Context, s *labelSet, graph bool, _ *python) ([]int, error) {
		x := wrap(s.x)
		if graph && normalized {
			var err error
			if x, err = kernel.Graph(x); err != nil {
				return nil, err
			}
		}
		m, err := fit(ctx, x, s.k, nil)
		if err != nil {
			return nil, err
		}
		return m.Labels(nil), nil
	}
}

// compareSimilarities returns a head and a line for each kind with the mean accuracies of all ways, and one with
// the means over all matrices. py may be nil.
func compareSimilarities(
	ctx context.Context, py *python, o *options, say func(format string, args ...any),
) (rows [][]string, err error) {
	kinds, err := selected(o, similarityKinds, func(k similarityKind) string { return k.name })
	if err != nil {
		return nil, err
	}
	learn, each := py != nil && py.learn, int(o.seeds[1]-o.seeds[0]+1)
	ways := slices.DeleteFunc(slices.Clone(similarityWays), func(w similarityWay) bool { return w.learn && !learn })
	head, all := []string{"kind", "matrices"}, make([]float64, len(ways))
	for _, way := range ways {
		head = append(head, way.name)
	}
	rows = append(rows, head)
	line := func(name string, n int, sums []float64) {
		row := []string{name, strconv.Itoa(n)}
		for _, sum := range sums {
			row = append(row, fmt.Sprintf("%.3f", sum/float64(n)))
		}
		rows = append(rows, row)
	}
	for _, kind := range kinds {
		sums := make([]float64, len(ways))
		for seed := o.seeds[0]; seed <= o.seeds[1]; seed++ {
			s := kind.set(seed)
			if learn {
				if err := py.load(s.x, s.k); err != nil {
					return nil, err
				}
			}
			found := make([]float64, len(ways))
			for w, way := range ways {
				labels, err := way.label(ctx, s, kind.graph, py)
				if err == nil {
					found[w], err = metrics.Accuracy(s.classes, labels)
				}
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", s.name, way.name, err)
				}
			}
			say("%s, seed %d, %d rows, k = %d: %.3f", s.name, seed, len(s.classes), s.k, found)
			floats.Add(sums, found)
		}
		line(kind.name, each, sums)
		floats.Add(all, sums)
	}
	line("mean", each*len(kinds), all)
	return rows, nil
}

func writeSimilarities(w io.Writer, rows [][]string) {
	fmt.Fprint(w, "ACC:\n\n")
	markdown(w, 1, rows)
}
