package main

// Labels: those of this package's minimal volume beside k-means and a Gaussian mixture
// (cluster.py), on sets with known classes.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/sets"
	"softkmeans/metrics"
)

// labelSet is a table with the class of each row. k is the number of classes.
type labelSet struct {
	name    string
	x       *mat.Dense
	classes []int
	k       int
	raw     bool // the columns are not standardized
}

// readLabelSets reads the sets of a folder: NAME.csv with NAME.labels.csv. Several tables
// of the same samples may share one file of labels: that of a_b is a's if it has none of
// its own. They are also joined, as the set a.
func readLabelSets(dir string, raw []string) (list []*labelSet, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		return nil, err
	}
	views := map[string][]*labelSet{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".csv")
		if strings.HasSuffix(name, ".labels") {
			continue
		}
		labels := sets.Companion(dir, name, ".labels.csv")
		s, err := readSet(name, path, labels, nil)
		if err != nil {
			return nil, err
		}
		s.raw = slices.Contains(raw, name)
		list = append(list, s)
		if of := strings.TrimSuffix(filepath.Base(labels), ".labels.csv"); of != name {
			views[of] = append(views[of], s)
		}
	}
	for name, of := range views {
		if len(of) > 1 {
			list = append(list, joined(name, of))
		}
	}
	if list == nil {
		return nil, fmt.Errorf("%s has no set: NAME.csv with NAME.labels.csv", dir)
	}
	slices.SortFunc(list, func(a, b *labelSet) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

// joined has the columns of all views, standardized.
func joined(name string, views []*labelSet) *labelSet {
	out := *views[0]
	out.name, out.raw = name, false
	for _, v := range views[1:] {
		var wide mat.Dense
		wide.Augment(out.x, v.x)
		out.x = &wide
	}
	return &out
}

// readSet reads a table as it is, and the class of each row.
func readSet(name, path, labels string, open sets.Opener) (*labelSet, error) {
	t, err := (&sets.Set{Views: []string{path}, Labels: labels, Scale: scale.None, Open: open}).Load()
	if err != nil {
		return nil, err
	}
	return &labelSet{name: name, x: unwrap(t.X), classes: t.Class, k: t.K}, nil
}

// standardized returns a copy whose columns have mean 0 and variance 1; constant ones are 0.
func standardized(x *mat.Dense) *mat.Dense {
	c := mat.DenseCopyOf(x)
	data := c.RawMatrix().Data
	scale.Of(scale.ZScore, data, c.RawMatrix().Cols, nil).Apply(data)
	return c
}

// part returns a sample of 80 % of the rows, in their order.
func (s *labelSet) part(seed uint64) *labelSet {
	n, d := s.x.Dims()
	chosen := rand.New(rand.NewPCG(seed, uint64(n))).Perm(n)[:max(n*4/5, 1)]
	slices.Sort(chosen)
	out := *s
	out.x = table(len(chosen), d, func(i, j int) float64 { return s.x.At(chosen[i], j) })
	out.classes = make([]int, len(chosen))
	for i, row := range chosen {
		out.classes[i] = s.classes[row]
	}
	return &out
}

// labelWay is one way to labels from x and k. With NumPy py has loaded both.
type labelWay struct {
	name  string
	numpy bool
	label func(ctx context.Context, x *mat.Dense, k, seed int, py *python) ([]int, error)
}

// labelWays has this package's way first, which is compared with the others.
var labelWays = []labelWay{
	{"FitMinVolume", false, ownLabels},
	{"k-means", true, learnLabels("kmeans")},
	{"Gaussian mixture", true, learnLabels("mixture")},
}

// learnLabels is a way of cluster.py.
func learnLabels(way string) func(context.Context, *mat.Dense, int, int, *python) ([]int, error) {
	return func(_ context.Context, _ *mat.Dense, _, seed int, py *python) ([]int, error) {
		labels, _, err := py.labels(way, seed)
		return labels, err
	}
}

func ownLabels(ctx context.Context, x *mat.Dense, k, seed int, _ *python) ([]int, error) {
	m, err := softkmeans.FitMinVolume(ctx, wrap(x), k, &softkmeans.MinVolumeOptions{Seed: uint64(seed), Workers: 1})
	if err != nil {
		return nil, err
	}
	return m.Labels(nil), nil
}

// agreement has the accuracy and the NMI of labels.
type agreement [2]float64

// labelScore is the median agreements of all ways on one set.
type labelScore struct {
	set          *labelSet
	seeds, parts []agreement // medians of a way each: over seeds, and over subsamples
	stability    *moves
}

const (
	labelSeeds = 5
	labelParts = 6
)

// compareLabels runs all ways on all sets. py may be nil.
func compareLabels(ctx context.Context, py *python, o *options, say func(format string, args ...any)) (ways []labelWay, scores []labelScore, err error) {
	for _, way := range labelWays {
		if !way.numpy || py != nil && py.learn {
			ways = append(ways, way)
		}
	}
	var sets []*labelSet
	for _, dir := range o.folders {
		more, err := readLabelSets(dir, o.raw)
		if err != nil {
			return nil, nil, err
		}
		sets = append(sets, more...)
	}
	if sets, err = selected(o, sets, func(s *labelSet) string { return s.name }); err != nil {
		return nil, nil, err
	}
	for _, s := range sets {
		score, err := s.score(ctx, ways, py)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.name, err)
		}
		say("%s: %.3f", s.name, score.seeds)
		scores = append(scores, *score)
	}
	return ways, scores, nil
}

// score runs all ways with several seeds, and on several parts.
func (s *labelSet) score(ctx context.Context, ways []labelWay, py *python) (*labelScore, error) {
	score := &labelScore{set: s}
	over := func(count int, of func(seed int) *labelSet) (medians []agreement, err error) {
		found := make([][2][]float64, len(ways))
		for seed := range count {
			all, err := of(seed).agreements(ctx, ways, seed, py)
			if err != nil {
				return nil, err
			}
			for w, a := range all {
				found[w][0], found[w][1] = append(found[w][0], a[0]), append(found[w][1], a[1])
			}
		}
		for _, f := range found {
			medians = append(medians, agreement{sets.Median(f[0]), sets.Median(f[1])})
		}
		return medians, nil
	}
	var err error
	if score.seeds, err = over(labelSeeds, func(int) *labelSet { return s }); err == nil {
		score.parts, err = over(labelParts, func(i int) *labelSet { return s.part(uint64(i)) })
	}
	if err == nil {
		score.stability, err = s.stability(ctx)
	}
	return score, err
}

// agreements runs all ways once.
func (s *labelSet) agreements(ctx context.Context, ways []labelWay, seed int, py *python) (all []agreement, err error) {
	x := s.x
	if !s.raw {
		x = standardized(x)
	}
	if py != nil {
		if err := py.load(x, s.k); err != nil {
			return nil, err
		}
	}
	for _, way := range ways {
		labels, err := way.label(ctx, x, s.k, seed, py)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", way.name, err)
		}
		var a agreement
		if a[0], err = metrics.Accuracy(s.classes, labels); err != nil {
			return nil, err
		}
		if a[1], err = metrics.NMI(s.classes, labels); err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}
