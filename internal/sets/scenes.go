package sets

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/npy"
)

// Scene is an image, a row for each pixel, with its truth: a spectrum for each material (k×d) and the materials'
// shares of each pixel (n×k).
type Scene struct {
	Name                   string
	X, Spectra, Abundances *softkmeans.Matrix
}

// ReadScenes reads the scenes of a folder: NAME.npy with NAME_endmembers.npy and NAME_abundances.npy, which
// [Companion] finds. A folder without scenes is an error. The shapes are not compared.
func ReadScenes(dir string) (list []Scene, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.npy"))
	if err != nil {
		return nil, err
	}
	const spectra, abundances = "_endmembers", "_abundances"
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".npy")
		if strings.HasSuffix(name, spectra) || strings.HasSuffix(name, abundances) {
			continue
		}
		s := Scene{Name: name}
		files := [...]string{path, Companion(dir, name, spectra+".npy"), Companion(dir, name, abundances+".npy")}
		for i, m := range []**softkmeans.Matrix{&s.X, &s.Spectra, &s.Abundances} {
			if *m, err = readArray(files[i]); err != nil {
				return nil, err
			}
		}
		list = append(list, s)
	}
	if list == nil {
		return nil, fmt.Errorf("%s has no scene: NAME.npy with NAME%s.npy and NAME%s.npy", dir, spectra, abundances)
	}
	return list, nil
}

// readArray reads a .npy file of real numbers, in the order of rows or of columns.
func readArray(path string) (*softkmeans.Matrix, error) {
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
	n, d, size, data := h.Shape[0], h.Shape[1], h.Kind.Size, raw[h.Size:]
	if len(data)%size != 0 || len(data)/size%n != 0 || len(data)/size/n != d {
		return nil, fmt.Errorf("%s: %d bytes for %d×%d numbers of %d bytes", path, len(data), n, d, size)
	}
	v := make([]float64, n*d)
	if h.Kind.Get(v, data); h.Fortran {
		return la.Transpose(softkmeans.NewMatrix(d, n, v)), nil
	}
	return softkmeans.NewMatrix(n, d, v), nil
}

// Companion returns the path of a file that belongs to name, with an ending. Several names may share one: the
// file of a_b is that of a if it has none of its own.
func Companion(dir, name, ending string) string {
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
