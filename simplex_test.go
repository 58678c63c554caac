package softkmeans

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestRegularSimplex(t *testing.T) {
	for k := 1; k <= 20; k++ {
		b := RegularSimplex(k)
		if b.Rows != k || b.Cols != k-1 {
			t.Fatalf("k=%d: %s", k, shape(b.Rows, b.Cols))
		}
		tol := 1e-15 * float64(k)
		if d := maxDiff(product(b.transposed(), b), identity(k-1)); d > tol {
			t.Errorf("k=%d: BᵀB is off by %g", k, d)
		}
		h := mapped(identity(k), func(_, _ int, v float64) float64 { return v - 1/float64(k) })
		if d := maxDiff(product(b, b.transposed()), h); d > tol {
			t.Errorf("k=%d: BBᵀ is off by %g", k, d)
		}
	}
	mustPanicWith(t, "RegularSimplex of 0 vertices", func() { RegularSimplex(0) })
	mustPanicWith(t, "RandomOrientation for 0 centers", func() { RandomOrientation(0, 1) })
}

func TestLogVolume(t *testing.T) {
	cases := []struct {
		name string
		v    *Matrix
		want float64
	}{
		{"point", NewMatrix(1, 3, []float64{1, 2, 3}), 0},
		{"segment 3-4-5", NewMatrix(2, 2, []float64{1, 1, 4, 5}), math.Log(5)},
		{"triangle in space", NewMatrix(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}),
			math.Log(math.Sqrt(3) / 2)},
		{"corner", NewMatrix(4, 3, []float64{0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 5}), math.Log(30.0 / 6)},
		{"thin", NewMatrix(3, 2, []float64{0, 0, 1, 0, 0, 1e-20}), math.Log(0.5e-20)},
		{"a column in a far smaller unit", NewMatrix(3, 2, []float64{0, 0, 3e-21, 1, 1e-20, .3}),
			math.Log(.455e-20)},
		{"huge", NewMatrix(3, 2, []float64{0, 0, 1e150, 0, 0, 1e150}), math.Log(0.5) + 300*math.Ln10},
		{"tiny", NewMatrix(3, 2, []float64{0, 0, 1e-150, 0, 0, 1e-150}), math.Log(0.5) - 300*math.Ln10},
		{"below the least", NewMatrix(2, 2, []float64{1, 1e-200, 1, 2e-200}), math.Inf(-1)},
		{"one edge below the least", NewMatrix(3, 2, []float64{0, 0, 1, 0, 0, 1e-160}), math.Inf(-1)},
		{"far from 0", NewMatrix(3, 2, []float64{1e8, -1e8, 1e8 + 3, -1e8, 1e8, -1e8 + 4}), math.Log(6)},
		{"in a plane", NewMatrix(4, 2, []float64{0, 0, 1, 0, 0, 1, 3, 3}), math.Inf(-1)},
		{"coinciding", NewMatrix(2, 2, []float64{1, 1, 1, 1}), math.Inf(-1)},
		{"no dimension", NewMatrix(2, 0, nil), math.Inf(-1)}, {"three on a line", NewMatrix(3, 1, []float64{1,
			2, 3}), math.Inf(-1)},
		{"the largest point", NewMatrix(1, 1, []float64{0x1p520}), 0},
	}
	for _, c := range cases {
		got, err := LogVolume(c.v)
		if err != nil || got != c.want && math.Abs(got-c.want) > 1e-12*max(1, math.Abs(c.want)) {
			t.Errorf("%s: %g, want %g (%v)", c.name, got, c.want, err)
		}
	}
	for _, c := range []struct {
		v    *Matrix
		is   error
		want string
	}{
		{nil, ErrShape, "vertices is nil: wrong shape"}, {NewMatrix(0, 2, nil), ErrTooFewSamples,
			"no vertices: too few samples"},
		{&Matrix{Rows: 2, Cols: 2, Stride: 1, Data: make([]float64, 4)}, ErrShape,
			"vertices has stride 1 below its 2 columns: wrong shape"},
		{NewMatrix(4, 1, []float64{1, 2, 3, math.Inf(1)}), ErrNonFinite,
			"vertices[3,0] = +Inf: not a finite number"},
		{NewMatrix(1, 1, []float64{1.001 * mostCenter}), ErrRange, ""},
	} {
		if _, err := LogVolume(c.v); !errors.Is(err, c.is) || c.want != "" && !strings.HasSuffix(err.Error(),
			c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	// The regular simplex of Fit: edges √2·s.
	for k := 2; k < 9; k++ {
		got, err := LogVolume(RegularSimplex(k))
		want := math.Log(math.Sqrt(float64(k)))
		for i := 2; i < k; i++ {
			want -= math.Log(float64(i))
		}
		if err != nil || math.Abs(got-want) > 1e-13 {
			t.Errorf("k=%d: %g, want %g", k, got, want)
		}
	}
}

// TestTightRadius: where the simplex has more corners than the data's space can hold
// independently, the tight one is no larger than that about the mean, however it is turned.
func TestTightRadius(t *testing.T) {
	still := 0 // about the mean itself
	for seed := range uint64(60) {
		const k, p = 6, 2
		normals, points := normalsOf(k, p, RandomOrientation(k, seed)), randomData(20, p, 0.5, seed)
		ext := &extent{facets: make([]float64, k)}
		for i := range points.Rows {
			ext.add(points.row(i), normals, EnclosureTight)
		}
		e := enclose(EnclosureTight, normals, ext)
		most := slices.Max(ext.facets)
		if e.radius > most {
			t.Errorf("seed %d: radius %g, about the mean %g", seed, e.radius, most)
		}
		if e.radius == most {
			still++
		}
		for i := range points.Rows {
			for j := range k { // on the inner side of each facet, to rounding
				if out := -dot(normals.row(j), points.row(i)) + dot(normals.row(j),
					e.centre) - e.radius; out > 0x1p-50*ext.radius {
					t.Errorf("seed %d: point %d is %g outside of facet %d", seed, i, out, j)
				}
			}
		}
	}
	if still == 0 || still == 60 {
		t.Errorf("%d of 60 are about the mean", still)
	}
}

// TestRandomOrientation: orthogonal, another for another seed, and its entries have both signs.
func TestRandomOrientation(t *testing.T) {
	below := 0
	for seed := range uint64(20) {
		q := RandomOrientation(6, seed)
		if d := maxDiff(product(q.transposed(), q), identity(5)); d > 4e-15 {
			t.Errorf("seed %d: off by %g", seed, d)
		}
		if q.Data[0] < 0 {
			below++
		}
		if d := maxDiff(q, RandomOrientation(6, seed+1)); d < 0.1 || maxDiff(q, RandomOrientation(6,
			seed)) != 0 {
			t.Errorf("seeds %d and %d differ by %g", seed, seed+1, d)
		}
	}
	if below < 4 || below > 16 {
		t.Errorf("%d of 20 first entries are negative", below)
	}
}

// TestEnclosures against their definition: unit normals, every point inside, the ball's
// inradius the farthest point's length, tight facets touched, coordinates of the vertices.
func TestEnclosures(t *testing.T) {
	for k := 1; k < 8; k++ {
		for _, q := range []*Matrix{nil, RandomOrientation(k, uint64(k))} {
			normals, points := normalsOf(k, k-1, q), randomData(15, k-1, 0, uint64(k))
			regular := mapped(NewMatrix(k, k, nil), func(i, j int, _ float64) float64 {
				if i == j {
					return 1
				}
				return -1 / float64(k-1)
			})
			if k > 1 && maxDiff(product(normals, normals.transposed()), regular) > 1e-14 {
				t.Fatalf("k=%d: normals %v", k, normals)
			}
			if maxDiff(normalsOf(k, (k-1)/2, q), normals) != 0 {
				t.Errorf("k=%d: fewer coordinates are others", k)
			}
			for _, kind := range allEnclosures {
				ext, other := &extent{facets: make([]float64, k)}, &extent{facets: make([]float64, k)}
				var radius float64
				for i := range points.Rows {
					[]*extent{ext, other}[i%2].add(points.row(i), normals, kind)
					radius = max(radius, norm2(points.row(i)))
				}
				ext.merge(other)
				e := enclose(kind, normals, ext)
				if ext.radius != radius || kind == EnclosureBall && (e.radius != radius ||
					len(e.centre) > 0 && slices.Max(ext.facets) != 0) {
					t.Errorf("k=%d %v: radius %g, of the points %g", k, kind, e.radius, radius)
				}
				b, g, low := e.placement().coordinates, make([]float64, k), make1(k)
				for i := range points.Rows {
					b.of(g, points.row(i))
					for j, v := range g {
						want := 1/float64(k) + (dot(normals.row(j), points.row(i))-dot(normals.row(j),
							e.centre))/(float64(k)*max(e.radius, 0x1p-1000))
						if k > 1 && math.Abs(v-want) > 1e-14 || !(v >= 0) {
							t.Fatalf("k=%d %v: coordinate %g, want %g", k, kind, v, want)
						}
						low[j] = min(low[j], v)
					}
					if sum := sumOf(g); math.Abs(sum-1) > 0x1p-52 {
						t.Errorf("k=%d: coordinates add up to %g", k, sum)
					}
				}
				if kind == EnclosureTight && k > 1 && slices.Max(low) > 1e-14 {
					t.Errorf("k=%d: not all facets are touched: %v", k, low)
				}
				// The vertices are t + (k−1)ρ·u_j.
				for j := range k {
					v := slices.Clone(e.centre)
					axpy(v, float64(k-1)*e.radius, normals.row(j))
					if b.of(g, v); k > 1 && math.Abs(g[j]-1) > 1e-13 {
						t.Errorf("k=%d %v: vertex %d has coordinates %v", k, kind, j, g)
					}
				}
			}
		}
	}
	// One point is its own simplex: all coordinates are 1/k.
	ext := &extent{facets: make([]float64, 4)}
	e := enclose(EnclosureTight, normalsOf(4, 2, nil), ext)
	g := make([]float64, 4)
	if e.placement().coordinates.of(g, []float64{0, 0}); e.radius != 0 || !slices.Equal(g, []float64{.25, .25, .25,
		.25}) {
		t.Error(e, g)
	}
}

// TestFixSum: the largest entry, the first of equal ones, takes the difference.
func TestFixSum(t *testing.T) {
	for _, c := range []struct{ g, want []float64 }{
		{[]float64{.5, .25}, []float64{.75, .25}}, {[]float64{.25, .5}, []float64{.25, .75}},
		{[]float64{.25, .25}, []float64{.75, .25}},
		{[]float64{.5, .75, .75}, []float64{.5, 0, .5}}, {[]float64{0, 1}, []float64{0, 1}},
		{[]float64{-.25, 1}, []float64{0, 1}},
		{[]float64{3}, []float64{1}},
	} {
		if fixSum(c.g); !slices.Equal(c.g, c.want) {
			t.Errorf("%v, want %v", c.g, c.want)
		}
	}
	// Entries that a plain sum loses count where there are many.
	for n, want := range map[int]float64{1024: 1, 1025: 1 - 1023*0x1p-54} {
		g := make([]float64, n)
		g[0] = 1
		for i := 1; i < 1024; i++ {
			g[i] = 0x1p-54
		}
		if fixSum(g); g[0] != want {
			t.Errorf("n=%d: %.17g, want %.17g", n, g[0], want)
		}
	}
}

// globalCheck: the pair is certified, the model predicts its own memberships, and weights
// do not matter to that.
func globalCheck(t *testing.T, name string, x *Matrix, m *Model, weights []float64) {
	t.Helper()
	c := mustDo(Certify(bg, x, m.Centers, m.Memberships, &Options{Weights: weights}))(t)
	if !c.Optimal(1e-10) {
		t.Errorf("%s: not optimal: %+v", name, c)
	}
	g := mustDo(m.Predict(nil, x))(t)
	for i := range x.Rows {
		if d := maxDiff(rowsOf(g, i, i+1), rowsOf(m.Memberships, i, i+1)); d > 3e-6 &&
			(weights == nil || weights[i] > 0) {
			t.Errorf("%s: row %d has memberships %v, Predict says %v", name, i, m.Memberships.row(i),
				g.row(i))
		}
	}
}

// TestTightInFewDimensions: where the data has q < k−1 dimensions the tight simplex has
// q+1 vertices that touch it.
func TestTightInFewDimensions(t *testing.T) {
	line := NewMatrix(3, 1, []float64{-1, 0, 1})
	m := mustDo(Fit(bg, line, 3, &Options{Enclosure: EnclosureTight}))(t)
	if f := slices.Sorted(slices.Values(m.Centers.Data)); math.Abs(f[0]+1) > 1e-15 ||
		math.Abs(f[2]-1) > 1e-15 || math.Abs(f[1]) < 1-1e-15 {
		t.Errorf("−1, 0, 1 have centers %v", f)
	}
	for d := 1; d < 7; d++ {
		for q := 0; q < min(d+1, 4); q++ {
			// Points of q dimensions in d columns, in directions without zeros.
			low := randomData(25, max(q, 1), 0, uint64(10*d+q))
			turn := RandomOrientation(d+1, uint64(d))
			x := NewMatrix(25, d, nil)
			for i := range x.Rows {
				for c := range q {
					axpy(x.row(i), low.row(i)[c], turn.row(c))
				}
			}
			for k := q + 2; k < 8; k++ {
				name := fmt.Sprintf("%d of %d dimensions, k = %d", q, d, k)
				m := mustDo(Fit(bg, x, k, &Options{Enclosure: EnclosureTight}))(t)
				globalCheck(t, name, x, m, nil)
				for j := range k {
					for a := range j {
						same := squaredDistance(m.Centers.row(a), m.Centers.row(j)) < 1e-24
						if q > 0 && same != (a%(q+1) == j%(q+1)) {
							t.Errorf("%s: centers %v", name, m.Centers.Data)
						}
					}
					low := 1.0
					for i := range x.Rows {
						low = min(low, m.Memberships.row(i)[j])
					}
					if q > 0 && low > 1e-12 {
						t.Errorf("%s: facet %d is %g away", name, j, low)
					}
				}
			}
		}
	}
}

// TestProjectRowsOverwrites: the former contents of the rows do not matter, as in passes that use one matrix
// again.
func TestProjectRowsOverwrites(t *testing.T) {
	for _, d := range []int{3, 64, 500} {
		x := randomData(60, d, 1, 1)
		s := mustDo(newSamples(bg, x, nil, 1, true))(t)
		pc := mustDo(principalOf(s, wanted{3, 0}, SolverGram, toFit))(t)
		fresh, used := NewMatrix(60, 4, nil), randomData(60, 4, 0, 2)
		for _, g := range []*Matrix{fresh, used} {
			must(t, s.changeBasis(g, pc.basis))
		}
		for i := range 60 {
			if !slices.Equal(fresh.row(i)[:3], used.row(i)[:3]) {
				t.Fatalf("d = %d, row %d: %v over zeros, %v over other numbers", d, i, fresh.row(i),
					used.row(i))
			}
		}
	}
}
