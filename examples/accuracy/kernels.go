package main

import (
	"context"
	"fmt"
	"slices"

	"softkmeans"
	"softkmeans/internal/sets"
	"softkmeans/kernel"
	"softkmeans/metrics"
)

// narrower is the factor between the γ of the narrow kernel and that of the median
// heuristic. With it distant samples have a similarity near 0, as in K = PPᵀ/c.
const narrower = 8

// kernelTable compares clusters found from RBF kernels with those found from the samples themselves: ACC, and
// NMI in brackets. The last column is LSD's error and its floor for the narrow kernel, over ‖K‖².
func kernelTable(dir string) error {
	fmt.Println("| set | n, k | Fit | FitMinVolume | TILSD, tight | kernel FitMinVolume | LSD | LSD, 8γ | error, floor |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	return eachSet(dir, func(s set, x *softkmeans.Matrix, classes []int) error {
		gamma, err := kernel.Gamma(x)
		if err != nil {
			return err
		}
		k, ctx := slices.Max(classes)+1, context.Background()
		wide, err := kernel.RBF(x, gamma)
		if err != nil {
			return err
		}
		narrow, err := kernel.RBF(x, narrower*gamma)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %d, %d |", s.Name, x.Rows, k)
		var lsd *softkmeans.LSDModel
		for _, labels := range []func() ([]int, error){
			func() ([]int, error) { return labelsOf(softkmeans.Fit(ctx, x, k, nil)) },
			func() ([]int, error) { return labelsOf(softkmeans.FitMinVolume(ctx, x, k, nil)) },
			func() ([]int, error) {
				return labelsOf(softkmeans.TILSD(ctx, wide, k, &softkmeans.LSDOptions{Enclosure: softkmeans.EnclosureTight}))
			},
			func() ([]int, error) {
				m, err := softkmeans.TILSD(ctx, wide, 3*k, nil)
				if err != nil {
					return nil, err
				}
				w, err := m.Coordinates(nil, wide)
				if err != nil {
					return nil, err
				}
				return labelsOf(softkmeans.FitMinVolume(ctx, w, k, nil))
			},
			func() ([]int, error) { return labelsOf(softkmeans.LSD(ctx, wide, k, nil)) },
			func() (_ []int, err error) {
				lsd, err = softkmeans.LSD(ctx, narrow, k, nil)
				return labelsOf(lsd, err)
			},
		} {
			found, err := labels()
			if err != nil {
				return err
			}
			acc, err := metrics.Accuracy(classes, found)
			if err != nil {
				return err
			}
			nmi, err := metrics.NMI(classes, found)
			if err != nil {
				return err
			}
			fmt.Printf(" %s (%s) |", sets.Share(acc), sets.Share(nmi))
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
