package main

// Labels: those of this package's minimal volume beside k-means and a Gaussian mixture
// (cluster.py), on sets with known classes.

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"softkmeans"
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
func readLabelSets(dir string, raw []string) (sets []*labelSet, err error) {
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
		labels := companion(dir, name, ".labels.csv")
		s, err := readLabelSet(name, path, labels)
		if err != nil {
			return nil, err
		}
		s.raw = slices.Contains(raw, name)
		sets = append(sets, s)
		if of := strings.TrimSuffix(filepath.Base(labels), ".labels.csv"); of != name {
			views[of] = append(views[of], s)
		}
	}
	for name, of := range views {
		if len(of) > 1 {
			sets = append(sets, joined(name, of))
		}
	}
	if sets == nil {
		return nil, fmt.Errorf("%s has no set: NAME.csv with NAME.labels.csv", dir)
	}
	slices.SortFunc(sets, func(a, b *labelSet) int { return strings.Compare(a.name, b.name) })
	return sets, nil
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

func readLabelSet(name, path, labels string) (*labelSet, error) {
	x, err := readNumbers(path, os.ReadFile)
	if err != nil {
		return nil, err
	}
	classes, err := readNumbers(labels, os.ReadFile)
	if err != nil {
		return nil, err
	}
	s, seen := &labelSet{name: name, x: x}, map[int]bool{}
	for _, c := range mat.Col(nil, 0, classes) {
		s.classes = append(s.classes, int(c))
		seen[int(c)] = true
	}
	if n, _ := x.Dims(); len(s.classes) != n {
		return nil, fmt.Errorf("%s has %d rows, %s %d", path, n, labels, len(s.classes))
	}
	s.k = len(seen)
	return s, nil
}

// readNumbers reads a CSV file without a header, of at least one row.
func readNumbers(path string, read func(path string) ([]byte, error)) (*mat.Dense, error) {
	raw, err := read(path)
	if err != nil {
		return nil, err
	}
	records, err := csv.NewReader(bytes.NewReader(raw)).ReadAll() // rows have one length
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if records == nil {
		return nil, fmt.Errorf("%s is empty", path)
	}
	x := table(len(records), len(records[0]), func(i, j int) float64 {
		v, wrong := strconv.ParseFloat(strings.TrimSpace(records[i][j]), 64)
		if wrong != nil && err == nil {
			err = fmt.Errorf("%s: row %d, column %d: %w", path, i+1, j+1, wrong)
		}
		return v
	})
	return x, err
}

// standardized returns a copy whose columns have mean 0 and variance 1; constant ones are 0.
func standardized(x *mat.Dense) *mat.Dense {
	_, c := centred(x)
	n, d := c.Dims()
	for j := range d {
		column, scale := mat.Col(nil, j, c), 0.0
		sd := floats.Norm(column, 2) / math.Sqrt(float64(n))
		if sd > 1e-12*floats.Norm(mat.Col(nil, j, x), math.Inf(1)) {
			scale = 1 / sd
		}
		floats.Scale(scale, column)
		c.SetCol(j, column)
	}
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

// agreement is that of labels with classes.
type agreement struct{ acc, nmi float64 }

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
		acc, nmi := make([][]float64, len(ways)), make([][]float64, len(ways))
		for seed := range count {
			all, err := of(seed).agreements(ctx, ways, seed, py)
			if err != nil {
				return nil, err
			}
			for w, a := range all {
				acc[w], nmi[w] = append(acc[w], a.acc), append(nmi[w], a.nmi)
			}
		}
		for w := range ways {
			medians = append(medians, agreement{median(acc[w]), median(nmi[w])})
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
		if a.acc, err = metrics.Accuracy(s.classes, labels); err != nil {
			return nil, err
		}
		if a.nmi, err = metrics.NMI(s.classes, labels); err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// median is the mean of the middle two for an even number.
func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
