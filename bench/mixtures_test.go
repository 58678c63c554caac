package main

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// writeMixture writes the files of a set. The file of shares has the shares of s times factor(i).
func writeMixture(t *testing.T, dir, name string, s *scene, factor func(i int) float64) {
	n, k := s.abundances.Dims()
	shares := table(n, k, func(i, j int) float64 { return factor(i) * s.abundances.At(i, j) })
	for end, m := range map[string]*mat.Dense{"": s.x, "_shares": shares, "_centers": s.spectra} {
		if err := writeCSV(filepath.Join(dir, name+end+".csv"), m); err != nil {
			t.Fatal(err)
		}
	}
}

// The truth of a set in another order has no error, whether its prototypes are known or not, and with a row whose
// shares are unknown. The command runs on the set and on a simulated table.
func TestMixtures(t *testing.T) {
	dir, s := t.TempDir(), (&design{shares: pure, noise: 1e-6}).simulate(4)
	writeMixture(t, dir, "open", s, func(i int) float64 { return float64(i) })
	list, err := readMixtures(dir)
	if err != nil || len(list) != 1 || list[0].name != "open" || !list[0].open || !mat.Equal(list[0].x, s.x) {
		t.Fatalf("%d sets, %v", len(list), err)
	}
	n, d := s.x.Dims()
	k := s.k()
	truth := &unmixing{
		f: table(k, d, func(i, j int) float64 { return s.spectra.At((i+1)%k, j) }),
		g: table(n, k, func(i, j int) float64 { return 2 * s.abundances.At(i, (j+1)%k) }),
	}
	if e := list[0].errorOf(truth); e.mrsa > 1e-5 || e.abundances > 1e-15 {
		t.Errorf("the truth: %+v", e)
	}
	if err := os.Remove(filepath.Join(dir, "open_centers.csv")); err != nil {
		t.Fatal(err)
	}
	if list, err = readMixtures(dir); err != nil {
		t.Fatal(err)
	}
	if e := list[0].errorOf(truth); !math.IsNaN(e.mrsa) || e.abundances > 1e-15 {
		t.Errorf("the truth without prototypes: %+v", e)
	}
	writeMixture(t, dir, "closed", s, func(int) float64 { return 1 })
	var out bytes.Buffer
	args := []string{"-mixtures", "-python", "none", dir, "-seeds", "4-4", "-only", "closed,uniform", "-flags", "-others no"}
	if err := run(context.Background(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| set ", "\n| closed ", "| design ", "\n| uniform ", "\n| mean "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "open.csv"), []byte("1,2\n3,word\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readMixtures(dir); err == nil || !strings.Contains(err.Error(), "row 2") {
		t.Errorf("a word: %v", err)
	}
}

// Simulated tables have the sizes and the shares of their design, and the same seed makes the same table.
func TestDesigns(t *testing.T) {
	for _, c := range designs {
		for seed := uint64(0); seed < 6; seed++ {
			s := c.simulate(seed)
			if err := s.check(); err != nil || !mat.Equal(s.x, c.simulate(seed).x) {
				t.Fatalf("%s: %v, or another table for the same seed", s.name, err)
			}
			n, d := s.x.Dims()
			pure := make([]int, s.k())
			for i := range n {
				row := s.abundances.RawRowView(i)
				if floats.Min(row) < 0 || math.Abs(floats.Sum(row)-1) > 1e-14 {
					t.Fatalf("%s: shares %v", s.name, row)
				}
				if j := floats.MaxIdx(row); row[j] == 1 {
					pure[j]++
				}
			}
			all, least := 0, n
			for _, p := range pure {
				all, least = all+p, min(least, p)
			}
			right := map[string]bool{
				"pure": all == (n+4)/5 && least > 0, "few": all == s.k() && least == 1,
				"clusters": all == n && least > 0, "clusters with scatter": all == n, "n < d": n < d, "n > d": n > d,
			}
			if ok, named := right[c.name]; named && !ok || !named && all > 0 {
				t.Errorf("%s: %d×%d with %d pure rows", s.name, n, d, pure)
			}
		}
	}
}

// All ways fit mixtures without noise, of closed and of open rows, and find prototypes that have rows of their
// own: except NMF and MCR-ALS of open rows, whose factors are not unique. Shares of open rows depend on the scales
// of prototypes, which nothing tells.
func TestMixturePeers(t *testing.T) {
	py := pythonFor(t)
	if py == nil {
		return
	}
	for _, brightness := range []float64{0, 0.5} {
		s := (&design{shares: pure, brightness: brightness, noise: 1e-6, n: [2]int{60, 60}, d: [2]int{20, 20}}).simulate(3)
		s.open = brightness > 0
		if err := py.load(s.x, s.k()); err != nil {
			t.Fatal(err)
		}
		for _, way := range mixturePeers {
			if way.learn && !py.learn || s.open && way.name == "SPA" { // its farthest row may be a mixture
				continue
			}
			u, err := way.solve(context.Background(), s, py)
			if err != nil {
				t.Fatalf("%s: %v", way.name, err)
			}
			unique := way.name != "NMF" && (way.name != "MCR-ALS" || !s.open)
			if e := s.errorOf(u); unique && !(e.mrsa < 0.3 && (s.open || e.abundances < 0.01)) || !(e.residual < 0.005) {
				t.Errorf("%s, brightness %g: %+v", way.name, brightness, e)
			}
		}
	}
}
