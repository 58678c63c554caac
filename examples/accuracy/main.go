// Accuracy prints a Markdown table of how well the labels of soft k-means agree with
// given classes, which the fits do not use:
//
//	go run ./examples/accuracy            # the sets in testdata/
//	go run ./examples/accuracy -data DIR  # also those that are in DIR
//	go run ./examples/accuracy -kernels   # from an RBF kernel instead of the columns
//
// DIR holds seeds, glass, ecoli, yeast and the six views of the UCI Multiple
// Features as NAME.csv, a sample a row without header, with NAME.labels.csv, a
// class a row (mfeat.labels.csv for the views). Run it in the folder that has
// testdata/.
//
// Columns are standardized to mean 0 and variance 1, except those of mfeat_pix. mfeat
// joins its six views, each standardized and divided by the root of its number of
// columns.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

// A set is a table with the class of each row.
type set struct {
	name  string
	parts []string // files to join; nil: the one called name
	raw   bool     // not standardized
	// kmeans is the accuracy of scikit-learn's k-means on the same data, the best of ten
	// runs by inertia; 0: not measured.
	kmeans float64
}

var sets = []set{
	{name: "iris", kmeans: .833},
	{name: "wine", kmeans: .966},
	{name: "seeds", kmeans: .919},
	{name: "digits", kmeans: .591},
	{name: "breast_cancer", kmeans: .905},
	{name: "glass"},
	{name: "ecoli"},
	{name: "yeast"},
	{name: "mfeat_pix", raw: true, kmeans: .747},
	{name: "mfeat", parts: []string{"mfeat_fac", "mfeat_fou", "mfeat_kar", "mfeat_mor", "mfeat_pix", "mfeat_zer"}, kmeans: .963},
}

func main() {
	data := flag.String("data", "", "a folder with more sets")
	seeds := flag.Int("seeds", 5, "number of seeds to take the median of")
	slack := flag.Float64("slack", 0, "the slack; 0: the default, 0.25")
	kernels := flag.Bool("kernels", false, "print the table of similarities (RBF kernels) instead")
	flag.Parse()
	if flag.NArg() > 0 || *seeds < 1 {
		flag.Usage()
		os.Exit(2)
	}
	show := func() error { return labelTable(*data, *seeds, *slack) }
	if *kernels {
		show = func() error { return kernelTable(*data) }
	}
	if err := show(); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func labelTable(dir string, seeds int, slack float64) error {
	fmt.Println("| set | n×d, k | ACC | NMI | purity | ACC nearest | ACC alternating | ACC global | ACC k-means | error over floor | s |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	return eachSet(dir, func(s set, x *softkmeans.Matrix, classes []int) error {
		k := slices.Max(classes) + 1
		var scores [5][]float64   // ACC, NMI, purity; ACC by nearest center, of the alternating method
		var over, seconds float64 // of the last seed; mean
		for seed := range seeds {
			begin := time.Now()
			m, err := softkmeans.FitMinVolume(context.Background(), x, k, &softkmeans.MinVolumeOptions{Seed: uint64(seed), Slack: slack})
			if err != nil {
				return err
			}
			seconds += time.Since(begin).Seconds() / float64(seeds)
			over = m.Objective / m.Floor
			labels := m.Labels(nil)
			alternating, err := softkmeans.FitAlternating(context.Background(), x, k, &softkmeans.AlternatingOptions{Seed: uint64(seed)})
			if err != nil {
				return err
			}
			nearest, err := m.Nearest(nil, x)
			if err != nil {
				return err
			}
			for i, c := range []struct {
				score  func(truth, labels []int) (float64, error)
				labels []int
			}{
				{softkmeans.Accuracy, labels}, {softkmeans.NMI, labels}, {softkmeans.Purity, labels},
				{softkmeans.Accuracy, nearest}, {softkmeans.Accuracy, alternating.Labels(nil)},
			} {
				v, err := c.score(classes, c.labels)
				if err != nil {
					return err
				}
				scores[i] = append(scores[i], v)
			}
		}
		global, err := softkmeans.Fit(context.Background(), x, k, nil)
		if err != nil {
			return err
		}
		acc, err := softkmeans.Accuracy(classes, global.Labels(nil))
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %d×%d, %d | %s | %s | %s | %s | %s | %s | %s | %s | %.2f |\n", s.name, x.Rows, x.Cols, k,
			share(median(scores[0])), share(median(scores[1])), share(median(scores[2])), share(median(scores[3])), share(median(scores[4])), share(acc), share(s.kmeans), excess(over), seconds)
		return nil
	})
}

// eachSet calls fn for every set that is in testdata/ or dir.
func eachSet(dir string, fn func(s set, x *softkmeans.Matrix, classes []int) error) error {
	found := 0
	for _, s := range sets {
		x, classes, err := s.load([]string{"testdata", dir})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = fn(s, x, classes)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		found++
	}
	if found == 0 {
		return errors.New("no data set found: run this in the folder that has testdata/")
	}
	return nil
}

// share writes .954, and – for 0, which stands for no value.
func share(v float64) string {
	if v == 0 {
		return "–"
	}
	return strings.TrimPrefix(strconv.FormatFloat(v, 'f', 3, 64), "0")
}

// excess writes an objective over its floor, and – if the floor is 0.
func excess(v float64) string {
	if v > 1e3 || math.IsNaN(v) {
		return "–"
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// load reads a set from the first folder that has it.
func (s set) load(dirs []string) (*softkmeans.Matrix, []int, error) {
	parts, labels := s.parts, s.name
	if parts == nil {
		parts = []string{s.name}
	}
	if strings.HasPrefix(s.name, "mfeat") {
		labels = "mfeat"
	}
	var rows [][]float64
	for _, name := range parts {
		part, err := read(name+".csv", dirs)
		if err != nil {
			return nil, nil, err
		}
		cols := len(part.Names)
		if !s.raw {
			scale.Of(scale.ZScore, part.Data, cols, nil).Apply(part.Data)
		}
		if rows == nil {
			rows = make([][]float64, part.Rows)
		}
		if part.Rows != len(rows) {
			return nil, nil, fmt.Errorf("%s has %d rows, other parts %d", name, part.Rows, len(rows))
		}
		weight := 1.0
		if s.parts != nil {
			weight = 1 / math.Sqrt(float64(cols))
		}
		for i := range rows {
			for _, v := range part.Data[i*cols : (i+1)*cols] {
				rows[i] = append(rows[i], v*weight)
			}
		}
	}
	x, err := softkmeans.FromRows(rows)
	if err != nil {
		return nil, nil, err
	}
	column, err := read(labels+".labels.csv", dirs)
	if err != nil {
		return nil, nil, err
	}
	if column.Rows != x.Rows || len(column.Names) != 1 {
		return nil, nil, fmt.Errorf("%s has %d rows, and %d labels in %d columns", s.name, x.Rows, column.Rows, len(column.Names))
	}
	classes := make([]int, x.Rows)
	for i, v := range column.Data {
		classes[i] = int(v)
	}
	return x, classes, nil
}

// read reads a file of numbers from the first folder that has it.
func read(name string, dirs []string) (t *table.Table, err error) {
	var f *os.File
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		if f, err = os.Open(filepath.Join(dir, name)); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return table.Read(f, name, table.Dialect{Header: table.HeaderNo})
}
