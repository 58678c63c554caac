// Accuracy prints a Markdown table of how well the labels of soft k-means agree with
// given classes, which the fits do not use:
//
//	go run ./examples/accuracy            # the sets in testdata/
//	go run ./examples/accuracy -data DIR  # also those that are in DIR
//	go run ./examples/accuracy -kernels   # from an RBF kernel instead of the columns
//	go run ./examples/accuracy -missing   # how far fits are off where entries are missing
//	go run ./examples/accuracy -k         # the number of clusters that is found
//	go run ./examples/accuracy -sure 50 -scenes DIR  # how sure the spectra of scenes are, by 50 draws
//
// DIR holds seeds, glass, ecoli, yeast and the six views of the UCI Multiple Features as NAME.csv, a sample a
// row without header, with NAME.labels.csv, a class a row (mfeat.labels.csv for the views). Run it in the
// folder that has testdata/.
//
// Columns are standardized to mean 0 and variance 1, except those of mfeat_pix. mfeat joins its six views,
// each standardized and divided by the root of its number of columns.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/sets"
	"softkmeans/metrics"
)

// A set is a table with the class of each row.
type set struct {
	sets.Set
	// kmeans is the accuracy of scikit-learn's k-means on the same data, the best of ten
	// runs by inertia; NaN: not measured.
	kmeans float64
}

// known returns the sets that may be in testdata/ or a folder with more.
func known(folder string) []set {
	of := func(name string, kmeans float64) set {
		return set{sets.Set{Name: name, Views: []string{name + ".csv"}, Labels: name + ".labels.csv", Scale: scale.ZScore, Open: sets.Folders("testdata", folder)}, kmeans}
	}
	pixels, views := of("mfeat_pix", .747), of("mfeat", .963)
	pixels.Scale, pixels.Labels = scale.None, views.Labels
	views.Views = nil
	for _, view := range []string{"fac", "fou", "kar", "mor", "pix", "zer"} {
		views.Views = append(views.Views, "mfeat_"+view+".csv")
	}
	return []set{of("iris", .833), of("wine", .966), of("seeds", .919), of("digits", .591), of("breast_cancer", .905),
		of("glass", math.NaN()), of("ecoli", math.NaN()), of("yeast", math.NaN()), pixels, views}
}

func main() {
	data := flag.String("data", "", "a folder with more sets")
	seeds := flag.Int("seeds", 5, "number of seeds to take the median of")
	slack := flag.Float64("slack", 0, "the slack; 0: that of the package")
	kernels := flag.Bool("kernels", false, "print the table of similarities (RBF kernels) instead")
	missing := flag.Bool("missing", false, "print the table of missing entries instead")
	number := flag.Bool("k", false, "print the table of the number of prototypes instead: before, by choosek.Propose, and by choosek.Choose")
	scenes := flag.String("scenes", "", "with -k and -sure: a folder of scenes, NAME.npy (pixels x bands) with NAME_endmembers.npy")
	sure := flag.Int("sure", 0, "print the table of how sure spectra are, by so many draws, at least 2")
	seed := flag.Uint64("seed", 1, "with -k: of the simulated tables")
	flag.Parse()
	if flag.NArg() > 0 || *seeds < 1 {
		flag.Usage()
		os.Exit(2)
	}
	var err error
	switch {
	case *sure > 0:
		err = sureTable(*scenes, *sure)
	case *number:
		err = numberTable(*data, *scenes, *seed)
	case *missing:
		err = missingTable(*data, *seeds)
	case *kernels:
		err = kernelTable(*data)
	default:
		err = labelTable(*data, *seeds, *slack)
	}
	if err != nil {
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
			alternating, err := softkmeans.FitAlternating(context.Background(), x, k, &softkmeans.MinVolumeOptions{Seed: uint64(seed)})
			if err != nil {
				return err
			}
			nearest, err := (&softkmeans.Model{Centers: m.Centers, ClusterMeans: m.Centers}).PredictLabels(nil, x)
			if err != nil {
				return err
			}
			for i, c := range []struct {
				score  func(truth, labels []int) (float64, error)
				labels []int
			}{
				{metrics.Accuracy, labels}, {metrics.NMI, labels}, {metrics.Purity, labels},
				{metrics.Accuracy, nearest}, {metrics.Accuracy, alternating.Labels(nil)},
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
		acc, err := metrics.Accuracy(classes, global.Labels(nil))
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %d×%d, %d |", s.Name, x.Rows, x.Cols, k)
		for _, of := range scores {
			fmt.Printf(" %s |", sets.Share(sets.Median(of)))
		}
		fmt.Printf(" %s | %s | %s | %.2f |\n", sets.Share(acc), measured(s.kmeans), excess(over), seconds)
		return nil
	})
}

// eachSet calls fn for every set that is in testdata/ or dir.
func eachSet(dir string, fn func(s set, x *softkmeans.Matrix, classes []int) error) error {
	found := 0
	for _, s := range known(dir) {
		t, err := s.Load()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = fn(s, t.X, t.Class)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		found++
	}
	if found == 0 {
		return errors.New("no data set found: run this in the folder that has testdata/")
	}
	return nil
}

// measured writes a share, and – for NaN, which stands for no value.
func measured(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return sets.Share(v)
}

// excess writes an objective over its floor, and – if the floor is 0.
func excess(v float64) string {
	if v > 1e3 || math.IsNaN(v) {
		return "–"
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}
