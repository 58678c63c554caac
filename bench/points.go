package main

// Points with classes: how well probabilities of clusters tell how sure labels are, beside memberships and
// published ways (cluster.py).

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"softkmeans"
	"softkmeans/metrics"
	"softkmeans/stability"
)

// pointAnswer is the answer of one way for one set: a label for each row, and the probabilities of the
// clusters for each row (n×k).
type pointAnswer struct {
	way      string
	labels   []int
	likely   *mat.Dense
	cpu      float64 // seconds
	warnings int
}

// pointPeers are the ways of cluster.py.
var pointPeers = []struct{ name, way string }{
	{"k-means", "kmeans"}, {"Gaussian mixture", "mixture"}, {"GMM tied", "tied"}, {"fuzzy c-means", "fuzzy"},
}

// leastLikely is what probabilities of classes are taken for if they are less, in the log loss.
const leastLikely = 1e-6

// calibrationBins is how many bins of probability the calibration error has.
const calibrationBins = 10

// pointScore is one way on one set.
type pointScore struct {
	*pointAnswer
	set                              *labelSet
	acc, nmi, brier, loss, miscalled float64
}

// pointMeasures are the lines of the table of means.
var pointMeasures = []struct {
	name string
	of   func(s *pointScore) float64
}{
	{"ACC", func(s *pointScore) float64 { return s.acc }},
	{"NMI", func(s *pointScore) float64 { return s.nmi }},
	{"Brier", func(s *pointScore) float64 { return s.brier }},
	{"log loss", func(s *pointScore) float64 { return s.loss }},
	{"ECE", func(s *pointScore) float64 { return s.miscalled }},
	{"CPU s", func(s *pointScore) float64 { return s.cpu }},
	{"warnings", func(s *pointScore) float64 { return float64(s.warnings) }},
}

// comparePoints runs all ways on ../testdata and the sets of the folders. py may be nil.
func comparePoints(ctx context.Context, py *python, o *options, say func(string, ...any)) (scores []*pointScore, err error) {
	var sets []*labelSet
	for _, dir := range append([]string{filepath.Join("..", "testdata")}, o.folders...) {
		more, err := readLabelSets(dir, o.raw)
		if err != nil {
			return nil, err
		}
		sets = append(sets, more...)
	}
	if sets, err = selected(o, sets, func(s *labelSet) string { return s.name }); err != nil {
		return nil, err
	}
	for _, s := range sets {
		answers, err := s.pointAnswers(ctx, py)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		for _, a := range answers {
			score, err := s.rate(a)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", s.name, a.way, err)
			}
			say("%s: %s: ACC %.3f, Brier %.3f, log loss %.3f, ECE %.3f, %s CPU s", s.name, a.way, score.acc, score.brier,
				score.loss, score.miscalled, digits(a.cpu))
			scores = append(scores, score)
		}
	}
	return scores, nil
}

// pointAnswers runs all ways on a set.
func (s *labelSet) pointAnswers(ctx context.Context, py *python) ([]*pointAnswer, error) {
	x := s.x
	if !s.raw {
		x = standardized(x)
	}
	all, o, start := wrap(x), &softkmeans.MinVolumeOptions{Workers: 1}, cpuTime()
	m, err := softkmeans.FitMinVolume(ctx, all, s.k, o)
	if err != nil {
		return nil, err
	}
	warnings := len(m.Warnings)
	list := []*pointAnswer{{"memberships", (&softkmeans.Model{Memberships: m.Memberships}).Labels(nil), unwrap(m.Memberships),
		cpuTime() - start, warnings}}
	for _, way := range []string{"probabilities", "with halves"} {
		if way == "with halves" {
			if err := stability.Others(ctx, all, m, o); err != nil {
				return nil, err
			}
		}
		p, err := m.ClusterProbabilities(nil, all)
		if err != nil {
			return nil, err
		}
		list = append(list, &pointAnswer{way, m.Labels(nil), unwrap(p), cpuTime() - start, len(m.Warnings)})
	}
	if py == nil || !py.learn {
		return list, nil
	}
	if err := py.load(x, s.k); err != nil {
		return nil, err
	}
	for _, peer := range pointPeers {
		a, err := py.likely(peer.way)
		if err != nil {
			return nil, err
		}
		a.way = peer.name
		list = append(list, a)
	}
	return list, nil
}

// rate compares an answer with the classes. Clusters have the names of the classes by the labels of the highest
// probabilities, such that most rows agree.
func (s *labelSet) rate(a *pointAnswer) (score *pointScore, err error) {
	score = &pointScore{pointAnswer: a, set: s}
	if score.acc, err = metrics.Accuracy(s.classes, a.labels); err != nil {
		return nil, err
	}
	if score.nmi, err = metrics.NMI(s.classes, a.labels); err != nil {
		return nil, err
	}
	shared := softkmeans.NewMatrix(s.k, s.k, nil)
	for i, class := range s.classes {
		shared.Row(class)[floats.MaxIdx(a.likely.RawRowView(i))]++
	}
	cluster := metrics.Assignment(shared)
	var off [calibrationBins]float64 // by how much probabilities are above what came true
	for i, class := range s.classes {
		row := a.likely.RawRowView(i)
		for c, at := range cluster {
			if c == class {
				score.brier += (1 - row[at]) * (1 - row[at])
				score.loss -= math.Log(max(row[at], leastLikely))
			} else {
				score.brier += row[at] * row[at]
			}
		}
		top := floats.MaxIdx(row)
		bin := min(int(row[top]*calibrationBins), calibrationBins-1)
		if off[bin] += row[top]; cluster[class] == top {
			off[bin]--
		}
	}
	n := float64(len(s.classes))
	score.brier, score.loss = score.brier/n, score.loss/n
	for _, v := range off {
		score.miscalled += math.Abs(v) / n
	}
	return score, nil
}

// writePoints writes a line a set with the accuracies, the Brier scores and the warnings, and the means of all
// measures.
func writePoints(w io.Writer, scores []*pointScore) {
	var ways []string
	for _, s := range scores {
		if !slices.Contains(ways, s.way) {
			ways = append(ways, s.way)
		}
	}
	var rows [][]string
	sums := make([][]float64, len(pointMeasures))
	for at, s := range scores {
		if at%len(ways) == 0 {
			n, d := s.set.x.Dims()
			rows = append(rows, []string{s.set.label(), shape{n, d, s.set.k}.String()})
		}
		row := &rows[len(rows)-1]
		*row = append(*row, fmt.Sprintf("%.3f / %.3f", s.acc, s.brier))
		if at%len(ways) == len(ways)-1 {
			*row = append(*row, fmt.Sprint(scores[at+1-len(ways)].warnings))
		}
		for i, m := range pointMeasures {
			if sums[i] == nil {
				sums[i] = make([]float64, len(ways))
			}
			sums[i][at%len(ways)] += m.of(s)
		}
	}
	fmt.Fprint(w, "ACC of labels / Brier score, and warnings of FitMinVolume:\n\n")
	markdown(w, 2, append([][]string{append(append([]string{"set", "n×d, k"}, ways...), "warnings")}, rows...))
	fmt.Fprintf(w, "\nMeans of %d sets:\n\n", len(rows))
	means := [][]string{append([]string{""}, ways...)}
	for i, m := range pointMeasures {
		row := []string{m.name}
		for _, v := range sums[i] {
			row = append(row, fmt.Sprintf("%.3f", v/float64(len(rows))))
		}
		means = append(means, row)
	}
	markdown(w, 1, means)
}
