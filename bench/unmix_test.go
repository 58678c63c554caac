package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"softkmeans/internal/scenes"
)

// The truth in another order has no error; a wrong share and shade count as they should.
func TestErrorOf(t *testing.T) {
	s := generated("", scenes.Recipe{Seed: 5, Lines: 12, Columns: 12, Bands: 30, Materials: 3})
	n, d := s.x.Dims()
	order := []int{2, 0, 1}
	turned := func() *unmixing {
		return &unmixing{
			f: table(3, d, func(i, j int) float64 { return s.spectra.At(order[i], j) }),
			g: table(n, 3, func(i, j int) float64 { return s.abundances.At(i, order[j]) }),
		}
	}
	if e := s.errorOf(turned()); e.mrsa > 1e-5 || e.angle > 1e-5 || e.abundances > 1e-15 || e.residual > 1e-14 {
		t.Errorf("the truth: %+v", e)
	}
	u := turned()
	u.f.Scale(2, u.f)
	u.g.Scale(0.5, u.g)
	if e := s.errorOf(u); e.mrsa > 1e-5 || e.abundances > 1e-15 || e.residual > 1e-14 {
		t.Errorf("twice the spectra, half of the shares: %+v", e)
	}
	u = turned()
	for i := range n {
		copy(u.g.RawRowView(i), []float64{0, 0, 1})
	}
	want := 0.0
	for i := range n {
		for l, v := range s.abundances.RawRowView(i) {
			if l == 1 { // the last of order
				v--
			}
			want += v * v
		}
	}
	if e := s.errorOf(u); math.Abs(e.abundances-math.Sqrt(want/float64(3*n))) > 1e-12 || e.residual < 0.01 {
		t.Errorf("one material everywhere: %+v", e)
	}
	for j := range d {
		u.f.Set(0, j, s.spectra.At(2, j)+100)
	}
	if e := s.errorOf(u); e.mrsa > 1e-5 || !(e.angle > 1) {
		t.Errorf("a spectrum plus a constant: %+v", e)
	}
}

// All ways find the materials of a scene that has them as pure pixels, without noise. The
// limits leave room for the penalty: unit rows are no exact mixture of unit spectra.
func TestUnmixWays(t *testing.T) {
	s := generated("", scenes.Recipe{Seed: 5, Lines: 20, Columns: 20, Bands: 30, Materials: 3})
	py := pythonFor(t)
	if py != nil {
		if err := py.load(s.x, s.k()); err != nil {
			t.Fatal(err)
		}
	}
	for _, way := range unmixWays {
		if way.numpy && py == nil {
			continue
		}
		u, err := way.solve(context.Background(), s, py)
		if err != nil {
			t.Fatalf("%s: %v", way.name, err)
		}
		abundances := 0.01
		if way.name == "Unmix, unit rows" { // spectra have the mean length of their rows, whatever their material's is
			abundances = 0.2
		}
		if e := s.errorOf(u); e.mrsa > 0.3 || e.abundances > abundances || e.residual > 0.005 {
			t.Errorf("%s: %+v", way.name, e)
		}
	}
}

// The table of kinds has means and deviations over the scenes of a kind.
func TestKindTable(t *testing.T) {
	score := func(way, kind string, mrsa, abundances, cpu float64) wayScore {
		return wayScore{way, kind, unmixingError{mrsa: mrsa, abundances: abundances}, cpu}
	}
	got := kindTable([]wayScore{score("SPA", "none", 3, 0.25, 1), score("VCA", "pure", 2, 0.5, 1),
		score("SPA", "none", 5, 0.125, 2), score("SPA", "few", 1, 0, 6)})
	want := [][]string{
		{
			"way", "MRSA, pure", "MRSA, few", "MRSA, none",
			"abundance RMSE, pure", "abundance RMSE, few", "abundance RMSE, none", "CPU s",
		},
		{"VCA", "2.0 ± 0.0", "–", "–", "0.500 ± 0.000", "–", "–", "1.00 ± 0.00"},
		{"SPA", "–", "1.0 ± 0.0", "4.0 ± 1.0", "–", "0.000 ± 0.000", "0.188 ± 0.062", "3.00 ± 2.16"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

// Generated scenes have names of their own, and the kind that they say.
func TestRandomScenes(t *testing.T) {
	list := randomScenes(3, 4)
	if len(list) != 6 || list[0].name != "pure_3" || list[5].name != "none_4" || list[5].kind != "none" {
		t.Fatalf("%d scenes", len(list))
	}
}

// Scenes of a folder share their truth. What belongs to no scene is an error.
func TestReadScenes(t *testing.T) {
	dir := t.TempDir()
	s := generated("", scenes.Recipe{Seed: 3, Lines: 8, Columns: 6, Bands: 7, Materials: 2, SNR: 30})
	write := func(name string, fortran bool, m *mat.Dense) {
		n, d := m.Dims()
		head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, %d), }\n", map[bool]string{true: "True", false: "False"}[fortran], n, d)
		if fortran {
			m = mat.DenseCopyOf(m.T())
		}
		raw, err := binary.Append(append([]byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(head)), 0})), head...), binary.LittleEndian, m.RawMatrix().Data)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".npy"), raw, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	fails := func(words string) {
		if list, err := readScenes(dir); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("not %q: %v, %v", words, list, err)
		}
	}
	fails("has no scene")
	write("a_20db", true, s.x)
	write("a_endmembers", false, s.spectra)
	fails("a_20db_abundances.npy")
	write("a_abundances", false, s.abundances)
	list, err := readScenes(dir)
	if err != nil || len(list) != 1 || list[0].name != "a_20db" || !mat.Equal(list[0].x, s.x) ||
		!mat.Equal(list[0].abundances, s.abundances) {
		t.Errorf("%v, %v", list, err)
	}
	write("a_20db_endmembers", false, mat.NewDense(2, 6, nil))
	fails("7 bands, but 6 of its spectra")
	if err := os.Truncate(filepath.Join(dir, "a_20db.npy"), 500); err != nil {
		t.Fatal(err)
	}
	fails("bytes for 48×7 numbers of 8 bytes")
}
