package proof

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"softkmeans"
)

var bg = context.Background()

// symmetric returns the n×n matrix of at(i, j) for j ≤ i and its mirror image.
func symmetric(n int, at func(i, j int) float64) *softkmeans.Matrix {
	m := softkmeans.NewMatrix(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			v := at(i, j)
			m.Set(i, j, v)
			m.Set(j, i, v)
		}
	}
	return m
}

// draw returns random memberships, the larger the power the purer.
func draw(rng *rand.Rand, n, k int, power float64) *softkmeans.Matrix {
	p := softkmeans.NewMatrix(n, k, nil)
	for i := range n {
		sum := 0.0
		for j := range p.Row(i) {
			p.Row(i)[j] = math.Pow(rng.ExpFloat64(), power) + 1e-300
			sum += p.Row(i)[j]
		}
		for j := range p.Row(i) {
			p.Row(i)[j] /= sum
		}
	}
	return p
}

// drawSimilarity returns K of many kinds: near a decomposition or its negative, noise, of low rank, blocks.
func drawSimilarity(rng *rand.Rand, n, k int) *softkmeans.Matrix {
	p := draw(rng, n, k, 3*rng.Float64())
	noise := math.Pow(10, 4*rng.Float64()-3)
	size := math.Ldexp(1, rng.IntN(200)-100)
	sign := float64(1 - 2*(rng.IntN(5)/4))
	low := draw(rng, n, 1+rng.IntN(3), 1)
	kind := rng.IntN(4)
	return symmetric(n, func(i, j int) float64 {
		v := sign * dot(p.Row(i), p.Row(j))
		switch kind {
		case 0:
			v += noise * (dot(low.Row(i), low.Row(j)) - .3)
		case 1:
			v = math.Round(v + noise*rng.NormFloat64())
		case 2:
			v -= noise
		default:
			v += noise * rng.NormFloat64()
		}
		return size * v
	})
}

// objective returns the least ‖K − PPᵀ/c‖² over c.
func objective(k, p *softkmeans.Matrix) (squares float64) {
	a, b := 0.0, 0.0
	for i := range k.Rows {
		for j, v := range k.Row(i) {
			y := dot(p.Row(i), p.Row(j))
			a, b = a+v*y, b+y*y
		}
	}
	for i := range k.Rows {
		for j, v := range k.Row(i) {
			v -= max(0, a) / b * dot(p.Row(i), p.Row(j))
			squares += v * v
		}
	}
	return squares
}

// TestLSDFloorHolds: no memberships that are found, drawn or on a grid have an objective below the floor.
func TestLSDFloorHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	draws, most := 40, 40
	if os.Getenv("SOFTKMEANS_LONG") != "" {
		draws, most = 1000, 300
	}
	higher := 0
	for at := range draws {
		n, k := 1+rng.IntN(most), 1+rng.IntN(5)
		if at%4 == 0 {
			n, k = 1+rng.IntN(4), 1+rng.IntN(3)
		}
		s := drawSimilarity(rng, n, k)
		m, err := softkmeans.LSD(bg, s, k, &softkmeans.LSDOptions{MaxIter: 1 + rng.IntN(300), Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		b, err := LSDFloor(bg, s, k, &LSDFloorOptions{Model: m, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !b.Spectral {
			higher++
		}
		least := m.Objective
		try := func(p *softkmeans.Matrix) { least = min(least, objective(s, p)) }
		for range 10 {
			try(draw(rng, n, k, 5*rng.Float64()))
		}
		for seed := range uint64(2) {
			o := &softkmeans.LSDOptions{Seed: seed, Workers: 1, Enclosure: softkmeans.EnclosureTight}
			other, err := softkmeans.LSD(bg, s, k, o)
			if err != nil {
				t.Fatal(err)
			}
			try(other.Memberships)
		}
		if n <= 4 && k <= 3 {
			grid(n, k, try)
		}
		if !(b.Floor >= m.Floor*(1-1e-9) && b.Floor <= least*(1+1e-12)+1e-24*m.Total) {
			t.Errorf("%d: %d×%d, k = %d: floor %.17g, spectral %.17g, an objective of %.17g", at, n, n, k,
				b.Floor, m.Floor, least)
		}
	}
	t.Logf("%d of %d floors are above those of eigenvalues", higher, draws)
}

// grid tries all memberships that are multiples of 1/4.
func grid(n, k int, try func(p *softkmeans.Matrix)) {
	var rows [][]float64
	for a := range 5 {
		for b := range 5 - a {
			row := []float64{float64(a) / 4, float64(b) / 4, float64(4-a-b) / 4}
			if k == 3 || a == 0 && (k == 2 || b == 0) {
				rows = append(rows, row[3-k:])
			}
		}
	}
	p := softkmeans.NewMatrix(n, k, nil)
	var fill func(i int)
	fill = func(i int) {
		if i == n {
			try(p)
			return
		}
		for _, row := range rows {
			copy(p.Row(i), row)
			fill(i + 1)
		}
	}
	fill(0)
}
