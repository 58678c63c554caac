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

// kernelTable compares clusters found from RBF kernels with those found from the
// samples themselves: ACC, and NMI in brackets. The last column is LSD's error and
// its floor for the narrow kernel, over ‖K‖².
func kernelTable(dir string) error {
	fmt.Println("| set | n, k | Fit | FitMinVolume | TILSD, tight | kernel FitMinVolume | LSD | LSD, 8γ | error, floor |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	return eachSet(dir, func(s set, x *softkmeans.Matrix, classes []int) error {
		gamma, err := kernel.Gamma(x)
		if err != nil {
			return err
		}
		r := kernelRow{x: x, k: slices.Max(classes) + 1}
		if r.wide, err = kernel.RBF(x, gamma); err != nil {
			return err
		}
		if r.narrow, err = kernel.RBF(x, narrower*gamma); err != nil {
			return err
		}
		fmt.Printf("| %s | %d, %d |", s.Name, x.Rows, r.k)
		for _, labels := range r.methods(context.Background()) {
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
		fmt.Printf(" %.3f, %.3f |\n", r.lsd.Objective/r.lsd.Total, r.lsd.Floor/r.lsd.Total)
		return nil
	})
}

// kernelRow is a set and its similarities by both kernels.
type kernelRow struct {
	x            *softkmeans.Matrix
	k            int
	wide, narrow *softkmeans.Matrix
	lsd          *softkmeans.LSDModel // LSD of the narrow kernel, when it has run
}

// methods are the columns of the table; each returns its labels.
func (r *kernelRow) methods(ctx context.Context) []func() ([]int, error) {
	return []func() ([]int, error){
		func() ([]int, error) { return labelsOf(softkmeans.Fit(ctx, r.x, r.k, nil)) },
		func() ([]int, error) { return labelsOf(softkmeans.FitMinVolume(ctx, r.x, r.k, nil)) },
		func() ([]int, error) {
			return labelsOf(softkmeans.TILSD(ctx, r.wide, r.k, &softkmeans.LSDOptions{Enclosure: softkmeans.EnclosureTight}))
		},
		func() ([]int, error) {
			wide, err := softkmeans.TILSD(ctx, r.wide, 3*r.k, nil)
			if err != nil {
				return nil, err
			}
			w, err := wide.Coordinates(nil, r.wide)
			if err != nil {
				return nil, err
			}
			return labelsOf(softkmeans.FitMinVolume(ctx, w, r.k, nil))
		},
		func() ([]int, error) { return labelsOf(softkmeans.LSD(ctx, r.wide, r.k, nil)) },
		func() (_ []int, err error) {
			r.lsd, err = softkmeans.LSD(ctx, r.narrow, r.k, nil)
			return labelsOf(r.lsd, err)
		},
	}
}

// labelsOf returns a model's labels unless there was an error.
func labelsOf[M interface{ Labels(dst []int) []int }](m M, err error) ([]int, error) {
	if err != nil {
		return nil, err
	}
	return m.Labels(nil), nil
}
