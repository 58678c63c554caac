package main

// Scenes: pixels, the spectra that they are mixtures of, and the shares of each.

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"softkmeans/internal/npy"
	"softkmeans/internal/scenes"
)

// scene is a table of pixels with its truth.
type scene struct {
	name       string
	kind       string     // of generated scenes: pure, few, none; "" for those of folders; of mixtures: their line
	path       string     // of the table as CSV; "" if there is none
	open       bool       // rows are not closed: they differ in brightness
	x          *mat.Dense // pixels × bands
	spectra    *mat.Dense // k × bands; nil: unknown, of mixtures alone
	abundances *mat.Dense // pixels × k, rows that add up to 1; or 0: unknown, of mixtures alone
}

// k is the number of materials, which all ways are told.
func (s *scene) k() int { return s.abundances.RawMatrix().Cols }

// withTruth are the endings of the files that belong to a scene.
var withTruth = []string{"_endmembers", "_abundances"}

// readScenes reads the scenes of a folder: NAME.npy with NAME_endmembers.npy and
// NAME_abundances.npy. Several scenes may share one truth: that of a_b is a's if it has
// none of its own.
func readScenes(dir string) (list []*scene, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.npy"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".npy")
		if strings.HasSuffix(name, withTruth[0]) || strings.HasSuffix(name, withTruth[1]) {
			continue
		}
		s := &scene{name: name}
		if s.x, err = readNPY(path); err != nil {
			return nil, err
		}
		for i, m := range []**mat.Dense{&s.spectra, &s.abundances} {
			if *m, err = readNPY(companion(dir, name, withTruth[i]+".npy")); err != nil {
				return nil, err
			}
		}
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, s)
	}
	if list == nil {
		return nil, fmt.Errorf("%s has no scene: NAME.npy with NAME%s.npy and NAME%s.npy", dir, withTruth[0], withTruth[1])
	}
	return list, nil
}

// readNPY reads a table of real numbers, in the order of rows or of columns.
func readNPY(path string) (*mat.Dense, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	h, err := npy.ReadHeader(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(h.Shape) != 2 || min(h.Shape[0], h.Shape[1]) < 1 {
		return nil, fmt.Errorf("%s: an array of shape %d is no table", path, h.Shape)
	}
	rows, cols, data := h.Shape[0], h.Shape[1], raw[h.Size:]
	if len(data)%h.Kind.Size != 0 || len(data)/h.Kind.Size%rows != 0 || len(data)/h.Kind.Size/rows != cols {
		return nil, fmt.Errorf("%s: %d bytes for %d×%d numbers of %d bytes", path, len(data), rows, cols, h.Kind.Size)
	}
	v := make([]float64, rows*cols)
	h.Kind.Get(v, data)
	if h.Fortran {
		return mat.DenseCopyOf(mat.NewDense(cols, rows, v).T()), nil
	}
	return mat.NewDense(rows, cols, v), nil
}

// companion is the path of a file that belongs to name, or to what is before its last
// underscore, if that one is there.
func companion(dir, name, ending string) string {
	own := filepath.Join(dir, name+ending)
	for base := name; ; {
		path := filepath.Join(dir, base+ending)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		at := strings.LastIndexByte(base, '_')
		if at < 0 {
			return own
		}
		base = base[:at]
	}
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
