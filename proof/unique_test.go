package proof

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

// second returns a simplex of k vertices as rows, in memberships of the unit simplex, and of some part of its
// volume: the unit simplex under a random map near the identity or far from it.
func second(rng *rand.Rand, k int, part float64) *softkmeans.Matrix {
	v, by := softkmeans.NewMatrix(k, k, nil), decades(rng, -3, 0)
	for j := range k {
		row, mean := v.Row(j), 0.0
		for i := range row {
			row[i] = by * rng.NormFloat64()
			mean += row[i] / float64(k)
		}
		for i := range row {
			row[i] -= mean
		}
		row[j]++
	}
	size := logSize(v)
	grow := math.Exp((math.Log(part) - size) / float64(k-1))
	for c := range k { // about the centroid
		mean := 0.0
		for j := range k {
			mean += v.At(j, c) / float64(k)
		}
		for j := range k {
			v.Row(j)[c] = mean + grow*(v.At(j, c)-mean)
		}
	}
	return v
}

// logSize returns the log volume in units of the unit simplex.
func logSize(v *softkmeans.Matrix) float64 {
	size, err := softkmeans.LogVolume(v)
	if err != nil {
		return math.Inf(1)
	}
	unit, _ := softkmeans.LogVolume(shares(v.Rows, v.Rows, 1, 0))
	return size - unit
}

// common returns the vertices of what the unit simplex and another have in common, at most one from each
// k−1 of their 2k facets; nil for none.
func common(v *softkmeans.Matrix) *softkmeans.Matrix {
	k := v.Rows
	inverse := mustInverse(v)
	facets := softkmeans.NewMatrix(2*k, k, nil) // of points g: gᵀa ≥ 0
	for j := range k {
		facets.Row(j)[j] = 1
		for i := range k {
			facets.Row(k + j)[i] = inverse.At(i, j)
		}
	}
	var rows [][]float64
	chosen := la.Indices(k - 1)
	for {
		a := softkmeans.NewMatrix(k, k, nil)
		for l, f := range chosen {
			copy(a.Row(l), facets.Row(f))
		}
		for i := range k {
			a.Row(k - 1)[i] = 1
		}
		g, b, ok := make([]float64, k), mustInverse(a), true
		for i := range g {
			g[i] = b.At(i, k-1)
		}
		for f := range facets.Rows {
			ok = ok && la.Dot(facets.Row(f), g) > -1e-12
		}
		if ok {
			for i := range g {
				g[i] = max(0, g[i])
			}
			la.Scale(1/la.Sum(g), g)
			rows = append(rows, g)
		}
		l := k - 2
		for l >= 0 && chosen[l] == 2*k-(k-1)+l {
			l--
		}
		if l < 0 {
			break
		}
		chosen[l]++
		for ; l < k-2; l++ {
			chosen[l+1] = chosen[l] + 1
		}
	}
	m, err := softkmeans.FromRows(rows)
	if err != nil {
		return nil
	}
	return m
}

// TestUniqueFalse: where another simplex is known, of the same volume or less, the verdict is never that the
// unit simplex is the only one, or the smallest.
func TestUniqueFalse(t *testing.T) {
	found, smallest := 0, 0
	for seed := range uint64(tables.Fewer(10000, 200)) {
		rng := rand.New(rand.NewPCG(seed, 12))
		k, part := 2+rng.IntN(tables.Fewer(5, 3)), 1.0
		if seed%2 == 1 {
			part = 1 - decades(rng, -4, -1)
		}
		other := second(rng, k, part)
		g := common(other)
		if g == nil || g.Rows < k || !(math.Abs(logSize(other)-math.Log(part)) < 1e-9) {
			continue
		}
		found++
		v := tables.Must(Unique(t.Context(), g))(t)
		if v.Factor < 1/part-1e-9 {
			t.Errorf("seed %d, k = %d: %+v, a simplex has %g of the volume", seed, k, v, part)
		}
		apart := 0.0
		for j := range k {
			nearest := math.Inf(1)
			for i := range k {
				off := slices.Clone(other.Row(i))
				off[j]--
				nearest = min(nearest, la.Norm(off))
			}
			apart = max(apart, nearest)
		}
		if apart > v.Apart {
			t.Errorf("seed %d, k = %d: %+v, another is %g apart", seed, k, v, apart)
		}
		if v.Smallest() {
			smallest++
		}
	}
	if found < tables.Fewer(5000, 100) {
		t.Errorf("%d tables, of %d the unit simplex is the smallest", found, smallest)
	}
}

// scattered returns n memberships, of which each has a share of 0 and none is above most, but for pure rows.
func scattered(n, k, pure int, most float64, seed uint64) *softkmeans.Matrix {
	g, rng := softkmeans.NewMatrix(n, k, nil), rand.New(rand.NewPCG(seed, uint64(k)))
	for i := range n {
		row := g.Row(i)
		for row[0] = 2; slices.Max(row) > most; {
			for j := range row {
				row[j] = rng.ExpFloat64()
			}
			row[i%k] = 0
			la.Scale(1/la.Sum(row), row)
		}
		if i < pure {
			clear(row)
			row[i] = 1
		}
	}
	return g
}

// TestUniqueFound: pure rows, and rows that are scattered enough, have one smallest simplex.
func TestUniqueFound(t *testing.T) {
	for k := 2; k <= 6; k++ {
		v := tables.Must(Unique(t.Context(), scattered(40, k, k, 1, 1)))(t)
		if !v.Smallest() || !v.Only() || v.Rho > 1+1e-9 {
			t.Errorf("k = %d, pure rows: %+v", k, v)
		}
	}
	for k := 3; k <= tables.Fewer(6, 4); k++ {
		only, smallest, tries := 0, 0, tables.Fewer(20, 5)
		for seed := range uint64(tries) {
			v := tables.Must(Unique(t.Context(), scattered(100*k*k, k, 0, .95, seed)))(t)
			if v.Smallest() {
				smallest++
			}
			if v.Only() {
				only++
			}
		}
		if smallest < tries || only < tries {
			t.Errorf("k = %d: %d of %d the smallest, %d the only one", k, smallest, tries, only)
		}
	}
	v := tables.Must(Unique(t.Context(), scattered(100, 3, 0, .6, 1)))(t)
	if v.Smallest() || v.Only() || !(v.Factor < 10) {
		t.Errorf("no large share: %+v", v)
	}
}

// TestApart: no simplex that is turned about the centroid, and a little larger, is farther than the theorem
// says.
func TestApart(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 14))
		k, share := 3+rng.IntN(4), 1-decades(rng, -14, -1)
		b := softkmeans.RegularSimplex(k)
		turned := la.Product(b, softkmeans.RandomOrientation(k, seed))
		m, rho := softkmeans.NewMatrix(k, k, nil), 0.0
		for j := range k {
			for i := range k {
				m.Set(j, i, 1/float64(k)+share*la.Dot(turned.Row(j), b.Row(i)))
			}
			rho = max(rho, la.Norm(m.Row(j)))
		}
		bound, off := apart(k, 1e-15, rho, 1-math.Pow(share, float64(k-1))), math.Inf(1)
		vertices := la.Transpose(mustInverse(m))
		for j := range k { // of which one is nearest to the first
			vertices.Row(j)[0]--
			off = min(off, la.Norm(vertices.Row(j)))
		}
		if off > bound {
			t.Errorf("seed %d, k = %d: a vertex is %g apart, the bound is %g", seed, k, off, bound)
		}
	}
}

// TestUniqueEdges: shapes without a hull, and errors.
func TestUniqueEdges(t *testing.T) {
	one := softkmeans.NewMatrix(3, 1, []float64{1, 1, 1})
	if v := tables.Must(Unique(t.Context(), one))(t); !v.Smallest() || !v.Only() {
		t.Errorf("k = 1: %+v", v)
	}
	flat, two := softkmeans.NewMatrix(40, 3, nil), scattered(40, 2, 2, 1, 1)
	for i := range 40 {
		copy(flat.Row(i), two.Row(i))
	}
	for name, g := range map[string]*softkmeans.Matrix{
		"one row": scattered(1, 3, 0, 1, 1), "equal rows": tables.Mapped(scattered(9, 4, 0, 1, 1),
			func(int, int, float64) float64 { return .25 }),
		"many centers": scattered(40, 12, 12, 1, 1), "no third": flat,
	} {
		v, err := Unique(t.Context(), g)
		if err != nil || v.Factor != math.MaxFloat64 || v.Smallest() || v.Only() {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	for name, g := range map[string]*softkmeans.Matrix{
		"nil": nil, "no rows": softkmeans.NewMatrix(0, 3, nil),
		"a NaN":   softkmeans.NewMatrix(1, 1, []float64{math.NaN()}),
		"below 0": softkmeans.NewMatrix(1, 2, []float64{2, -1}),
		"sums":    softkmeans.NewMatrix(1, 2, []float64{.5, .4}),
	} {
		if _, err := Unique(t.Context(), g); !errors.Is(err, softkmeans.ErrShape) &&
			!errors.Is(err, softkmeans.ErrNonFinite) && !errors.Is(err, softkmeans.ErrOption) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
