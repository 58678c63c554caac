package main

import (
	"context"
	"fmt"
	"slices"

	"softkmeans"
)

// narrower is by how much the second kernel's γ is larger than that of the median
// heuristic: what is far apart then has a similarity near 0, as in K = PPᵀ/c.
const narrower = 8

// kernelTable compares clusters found from RBF kernels with those found from the
// samples themselves: ACC, and NMI in brackets. The last column is LSD's error and
// its floor for the narrow kernel, over ‖K‖².
func kernelTable(dir string) error {
	fmt.Println("| set | n, k | Fit | FitMinVolume | TILSD, tight | kernel FitMinVolume | LSD | LSD, 8γ | HierarchicalLSD, 8γ | error, floor |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	return eachSet(dir, func(s set, x *softkmeans.Matrix, classes []int) error {
		k := slices.Max(classes) + 1
		kernel, err := softkmeans.RBFKernel(x, 0)
		if err != nil {
			return err
		}
		similarity, err := softkmeans.SimilarityMatrix(kernel)
		if err != nil {
			return err
		}
		narrow, err := softkmeans.RBFKernel(x, narrower*kernel.Gamma())
		if err != nil {
			return err
		}
		sharp, err := softkmeans.SimilarityMatrix(narrow)
		if err != nil {
			return err
		}
		ctx := context.Background()
		var lsd *softkmeans.LSDModel
		fmt.Printf("| %s | %d, %d |", s.name, x.Rows, k)
		for _, labels := range []func() ([]int, error){
			func() ([]int, error) { return labelsOf(softkmeans.Fit(ctx, x, k, nil)) },
			func() ([]int, error) { return labelsOf(softkmeans.FitMinVolume(ctx, x, k, nil)) },
			func() ([]int, error) {
				return labelsOf(softkmeans.TILSD(ctx, similarity, k, &softkmeans.LSDOptions{Enclosure: softkmeans.EnclosureTight}))
			},
			func() ([]int, error) {
				wide, err := softkmeans.TILSD(ctx, similarity, 3*k, nil)
				if err != nil {
					return nil, err
				}
				w, err := wide.Coordinates(nil, similarity)
				if err != nil {
					return nil, err
				}
				return labelsOf(softkmeans.FitMinVolume(ctx, w, k, nil))
			},
			func() ([]int, error) { return labelsOf(softkmeans.LSD(ctx, similarity, k, nil)) },
			func() ([]int, error) {
				var err error
				lsd, err = softkmeans.LSD(ctx, sharp, k, nil)
				return labelsOf(lsd, err)
			},
			func() ([]int, error) {
				tree, err := softkmeans.HierarchicalLSD(ctx, sharp, k, nil)
				if err != nil {
					return nil, err
				}
				return tree.Leaves, nil
			},
		} {
			found, err := labels()
			if err != nil {
				return err
			}
			acc, err := softkmeans.Accuracy(classes, found)
			if err != nil {
				return err
			}
			nmi, err := softkmeans.NMI(classes, found)
			if err != nil {
				return err
			}
			fmt.Printf(" %s (%s) |", share(acc), share(nmi))
		}
		fmt.Printf(" %.3f, %.3f |\n", lsd.Objective/lsd.Total, lsd.Floor/lsd.Total)
		return nil
	})
}

// labelsOf returns a model's labels unless there was an error.
func labelsOf[M interface{ Labels(dst []int) []int }](m M, err error) ([]int, error) {
	if err != nil {
		return nil, err
	}
	return m.Labels(nil), nil
}
