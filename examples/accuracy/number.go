package main

// The number of prototypes: what choosek.Propose and choosek.Choose find on tables whose number is known.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"softkmeans"
	"softkmeans/choosek"
	"softkmeans/internal/scale"
	"softkmeans/internal/sets"
)

// counted is a table with a known number of prototypes; 1 is noise, which has none.
type counted struct {
	name string
	x    *softkmeans.Matrix
	k    int
}

// score counts the answers of a rule. near is those that are right or off by one.
type score struct{ right, near, none, wrong int }

// add counts an answer and returns it with a mark.
func (s *score) add(k, truth int) string {
	if k >= truth-1 && k <= truth+1 && k > 0 || k == 0 && truth == 1 {
		s.near++
	}
	switch {
	case k == truth || k == 0 && truth == 1:
		s.right++
		return answer(k) + " ✓"
	case k == 0:
		s.none++
		return answer(k)
	}
	s.wrong++
	return answer(k) + " ✗"
}

func answer(k int) string {
	if k == 0 {
		return "none"
	}
	return strconv.Itoa(k)
}

// numberTable prints what is found on the sets, the scenes and simulated tables.
func numberTable(dir, scenes string, seed uint64) error {
	var list []counted
	err := eachSet(dir, func(s set, x *softkmeans.Matrix, classes []int) error {
		list = append(list, counted{s.Name, x, slices.Max(classes) + 1})
		return nil
	})
	if err != nil {
		return err
	}
	if scenes != "" {
		images, err := sets.ReadScenes(scenes)
		if err != nil {
			return err
		}
		for _, s := range images {
			list = append(list, counted{s.Name, s.X, s.Spectra.Rows})
		}
	}
	list = append(list, simulated(seed)...)
	fmt.Println("| table | n×d | k | choosek.Propose | certain " +
		"| noise | held out | halves | clusters | answer | s |")
	fmt.Println("| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |")
	var before, certain, after score
	for _, t := range list {
		floors, err := softkmeans.Floors(context.Background(), t.x, nil)
		if err != nil {
			return err
		}
		p, err := choosek.Propose(floors)
		if err != nil {
			return err
		}
		begin := time.Now()
		c, err := choosek.Choose(context.Background(), t.x, nil)
		if err != nil {
			return err
		}
		sure := 0
		if c.Certain {
			sure = c.K
		}
		fmt.Printf("| %s | %d×%d | %d | %s | %s | %s | %s | %s | %s | %s | %.1f |\n",
			t.name, t.x.Rows, t.x.Cols, t.k,
			before.add(p.K, t.k), certain.add(sure, t.k), answer(c.Edge), answer(c.HeldOut), answer(c.Stable), answer(c.Clusters),
			after.add(c.K, t.k), time.Since(begin).Seconds())
	}
	fmt.Println()
	for _, r := range []struct {
		name string
		score
	}{{"choosek.Propose", before}, {"choosek.Choose, where certain", certain}, {"choosek.Choose", after}} {
		fmt.Printf("Of %d, %s: %d right, %d right or off by one, %d none, %d wrong.\n", len(list), r.name,
			r.right, r.near, r.none, r.wrong)
	}
	return nil
}

// simulated returns mixtures of k random prototypes, exact and with white noise, clusters
// around k random points, and noise.
func simulated(seed uint64) (list []counted) {
	rng := rand.New(rand.NewPCG(seed, 0x6e))
	for k := 3; k <= 6; k++ {
		for _, decibels := range []float64{math.Inf(1), 30, 20, 10} {
			d := 12 + 28*(k%2)
			name := fmt.Sprintf("mixture, %g dB", decibels)
			if math.IsInf(decibels, 1) {
				name = "exact mixture"
			}
			list = append(list, counted{name, mixture(rng, 800, d, k, decibels), k})
		}
	}
	for k := 3; k <= 8; k++ {
		x, at := normal(rng, 600, 10), normal(rng, k, 10)
		for i := range x.Rows {
			for j := range x.Cols {
				x.Set(i, j, x.At(i, j)+3*at.At(i%k, j))
			}
		}
		list = append(list, counted{"clusters", x, k})
	}
	list = append(list, counted{"white noise", normal(rng, 500, 10), 1}, counted{"white noise", normal(rng, 100, 300), 1})
	uneven := normal(rng, 500, 10)
	for i := range uneven.Data {
		uneven.Data[i] *= math.Pow(0.7, float64(i%10))
	}
	scaled := mixture(rng, 800, 12, 4, 20)
	scale.Of(scale.ZScore, scaled.Data, scaled.Cols, nil).Apply(scaled.Data)
	return append(list, counted{"uneven noise", uneven, 1}, counted{"mixture, 20 dB, standardized", scaled, 4})
}

func normal(rng *rand.Rand, n, d int) *softkmeans.Matrix {
	x := softkmeans.NewMatrix(n, d, nil)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}

// mixture is n mixtures of k random prototypes. Memberships are uniform on the simplex, and
// noise is so many decibels below the variance.
func mixture(rng *rand.Rand, n, d, k int, decibels float64) *softkmeans.Matrix {
	x, f := softkmeans.NewMatrix(n, d, nil), normal(rng, k, d)
	for i := range n {
		g, sum := make([]float64, k), 0.0
		for j := range g {
			g[j] = rng.ExpFloat64()
			sum += g[j]
		}
		for j, share := range g {
			for c := range d {
				x.Set(i, c, x.At(i, c)+share/sum*f.At(j, c))
			}
		}
	}
	floors, err := softkmeans.Floors(context.Background(), x, nil)
	if err != nil {
		panic(err)
	}
	size := math.Sqrt(floors[0] / float64(n*d) * math.Pow(10, -decibels/10))
	for i := range x.Data {
		x.Data[i] += size * rng.NormFloat64()
	}
	return x
}
