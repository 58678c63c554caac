package main

// Scenes: pixels, the spectra that they are mixtures of, and the shares of each.

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"softkmeans/internal/scenes"
	"softkmeans/internal/sets"
)

// scene is a table of pixels with its truth.
type scene struct {
	name       string
	kind       string     // line of the table: pure, few, none; "" for scenes of folders
	path       string     // of the table as CSV; "" if there is none
	open       bool       // rows are not closed: they differ in brightness
	x          *mat.Dense // pixels × bands
	spectra    *mat.Dense // k × bands; nil: unknown, of mixtures alone
	abundances *mat.Dense // pixels × k, rows that add up to 1; or 0: unknown, of mixtures alone
}

// k is the number of materials, which all ways are told.
func (s *scene) k() int { return s.abundances.RawMatrix().Cols }

// readScenes reads the scenes of a folder.
func readScenes(dir string) (list []*scene, err error) {
	read, err := sets.ReadScenes(dir)
	for _, r := range read {
		s := &scene{name: r.Name, x: unwrap(r.X), spectra: unwrap(r.Spectra), abundances: unwrap(r.Abundances)}
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		list = append(list, s)
	}
	return list, err
}

// check compares the shapes.
func (s *scene) check() error {
	n, d := s.x.Dims()
	rows, k := s.abundances.Dims()
	spectra, bands := k, d
	if s.spectra != nil {
		spectra, bands = s.spectra.Dims()
	}
	switch {
	case bands != d:
		return fmt.Errorf("%d bands, but %d of its spectra", d, bands)
	case rows != n || spectra != k:
		return fmt.Errorf("%d pixels and %d spectra, but %d×%d abundances", n, spectra, rows, k)
	}
	return nil
}

// generated simulates a scene by a recipe.
func generated(name string, r scenes.Recipe) *scene {
	s := r.Simulate()
	n := r.Lines * r.Columns
	return &scene{
		name:       name,
		x:          mat.NewDense(n, r.Bands, s.Pixels),
		spectra:    mat.NewDense(r.Materials, r.Bands, s.Endmembers),
		abundances: mat.NewDense(n, r.Materials, s.Abundances),
	}
}

// purities lists the kinds of generated scenes.
var purities = []scenes.Purity{scenes.Pure, scenes.Few, scenes.None}

// randomScenes simulates a scene of each kind for each seed from first to last. A name has
// the kind and the seed.
func randomScenes(first, last uint64) (list []*scene) {
	for _, kind := range purities {
		for seed := first; seed <= last; seed++ {
			s := generated(fmt.Sprintf("%v_%d", kind, seed), scenes.Random(seed, kind))
			s.kind = kind.String()
			list = append(list, s)
		}
	}
	return list
}
