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
	kind       string     // of generated scenes: pure, few, none; "" for those of folders
	x          *mat.Dense // pixels × bands
	spectra    *mat.Dense // k × bands
	abundances *mat.Dense // pixels × k, rows that add up to 1
}

// k is the number of materials, which all ways are told.
func (s *scene) k() int { return s.spectra.RawMatrix().Rows }

// readScenes reads the scenes of a folder.
func readScenes(dir string) (list []*scene, err error) {
	read, err := sets.ReadScenes(dir)
	for _, s := range read {
		list = append(list, &scene{name: s.Name, x: unwrap(s.X), spectra: unwrap(s.Spectra), abundances: unwrap(s.Abundances)})
	}
	return list, err
}

// generated simulates a scene by a recipe.
func generated(name string, r scenes.Recipe) *scene {
	s, err := r.Simulate()
	if err != nil {
		panic(err) // a slip in this program
	}
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
