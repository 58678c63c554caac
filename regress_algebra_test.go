package softkmeans

// The bits of layers 1 to 3 on matrices of many kinds, so that no change of a tolerance, a
// shift or an order of sums goes unseen. They are those of a plain build for amd64, as in
// regress_test.go. How good the results are, on every machine, other tests say.
//
//	go test -run RegressAlgebra -update .
//
// writes testdata/regress_algebra.txt anew.

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/regress_algebra.txt
var regressAlgebraText string

// TestRegressAlgebra holds the algebra to testdata/regress_algebra.txt.
func TestRegressAlgebra(t *testing.T) {
	t.Parallel()
	if !plainBuild() {
		skip(t, "other bits than those of a plain build for amd64")
		return
	}
	p := &pinnedBits{}
	for _, f := range []func(*testing.T, *pinnedBits){regressKernels, regressQR, regressEigen, regressSVD, regressKrylov, regressSimplex, regressProjection, regressLeastSquares} {
		f(t, p)
	}
	if *update {
		must(t, os.WriteFile("testdata/regress_algebra.txt", []byte(strings.Join(p.lines, "")), 0o644))
		return
	}
	want := slices.Collect(strings.Lines(regressAlgebraText))
	if len(want) != len(p.lines) {
		t.Fatalf("%d results in the file, %d here", len(want), len(p.lines))
	}
	for i, line := range p.lines {
		if line != want[i] {
			t.Errorf("%sis not %s", line, want[i])
		}
	}
}

// pinnedBits has a line for each result: its name, and a hash of its numbers.
type pinnedBits struct{ lines []string }

func (p *pinnedBits) add(name string, numbers ...[]float64) {
	h := fnv.New64a()
	var b [8]byte
	for _, list := range numbers {
		for _, v := range append(list, float64(len(list))) {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			h.Write(b[:])
		}
	}
	p.lines = append(p.lines, fmt.Sprintf("%s: %016x\n", name, h.Sum64()))
}

// scaledKinds are m×n matrices of columns and rows of all sizes, some of them 0 or equal.
func scaledKinds(m, n int, rng *rand.Rand) (list []*Matrix) {
	for kind := range 8 {
		list = append(list, mapped(NewMatrix(m, n, nil), func(i, j int, _ float64) float64 {
			x := rng.NormFloat64()
			switch {
			case kind == 1 && j >= n/2:
				return math.Ldexp(x, -490)
			case kind == 2:
				return math.Ldexp(x, -60*j/n)
			case kind == 3:
				return math.Ldexp(x, -60*i/m)
			case kind == 4 && (j%2 == 1 || i == 0):
				return 0
			case kind == 5:
				return math.Ldexp(x, 40)
			case kind == 6:
				return float64((i+1)*(j+1)%5) - 2
			case kind == 7: // nearly dependent columns
				return float64(1+i) + math.Ldexp(x, -20-j)
			}
			return x
		}))
	}
	return list
}

// regressKernels pins the order of the sums.
func regressKernels(_ *testing.T, p *pinnedBits) {
	rng := rand.New(rand.NewPCG(10, 1))
	var sums, sum2, distances, combined, rotated []float64
	for n := range 40 {
		x, y := randomSlice(n, rng), randomSlice(n, rng)
		sums, sum2, distances = append(sums, dot(x, y)), append(sum2, sumSquares(x)), append(distances, squaredDistance(x, y))
		rotate(x, y, 0.6, 0.8)
		rotated = append(append(rotated, x...), y...)
		for count := range 8 {
			z := slices.Clone(y)
			addRows(z, randomSlice(count, rng), []int{1, 0, 2, 3, 0, 1, 2, 3}[:count], randomSlice(4*n, rng))
			combined = append(combined, z...)
		}
	}
	p.add("sums", sums, sum2, distances)
	p.add("combined", rotated, combined)
	var tiles, strips []float64
	for _, c := range [][3]int{{1, 1, 1}, {2, 4, 3}, {3, 5, 4}, {4, 4, 5}, {5, 9, 8}, {7, 7, 13}, {8, 3, 40}} {
		m, n, l := c[0], c[1], c[2]
		a, b := randomSlice(m*l, rng), randomSlice(n*l, rng)
		out := randomSlice(m*n, rng)
		addMulNT(out, n, a, m, b, n, l, false)
		tiles = append(tiles, out...)
		x, y := make([]float64, stripSize(m, l)), make([]float64, stripSize(n, l))
		packStrips(x, a, m, l, l)
		packStrips(y, b, n, l, l)
		addMulStrips(out, n, x, m, y, n, l, false)
		strips = append(strips, out...)
	}
	p.add("products", tiles, strips)
}

func regressQR(_ *testing.T, p *pinnedBits) {
	rng := rand.New(rand.NewPCG(11, 1))
	for _, size := range [][2]int{{1, 1}, {5, 3}, {3, 5}, {12, 12}, {20, 6}} {
		var plain, pivoted, reduced, basis, signs []float64
		for _, a := range scaledKinds(size[0], size[1], rng) {
			f := qrFactor(bg, a.Clone())
			plain = append(append(plain, f.a.Data...), f.tau...)
			f = qrPivot(bg, a.Clone())
			pivoted = append(append(append(pivoted, f.a.Data...), f.tau...), float64(f.rank))
			for _, j := range f.perm {
				pivoted = append(pivoted, float64(j))
			}
			r := a.Clone()
			qrReduce(bg, r)
			reduced = append(reduced, r.Data...)
			fixRowSigns(r)
			signs = append(signs, r.Data...)
			fixSigns(a, r)
			signs = append(append(signs, a.Data...), r.Data...)
			if a.Rows <= a.Cols {
				orthonormalize(bg, a, 0)
				basis = append(basis, a.Data...)
			}
		}
		name := "QR " + shape(size[0], size[1])
		p.add(name, plain)
		p.add(name+" pivoted", pivoted)
		p.add(name+" reduced", reduced, basis, signs)
	}
}

func regressEigen(_ *testing.T, p *pinnedBits) {
	rng := rand.New(rand.NewPCG(12, 1))
	for _, n := range []int{1, 2, 5, 8, 9, 17, 30} {
		all := laHard(n, rng)
		var whole, leading, inverse [][]float64
		for _, name := range slices.Sorted(maps.Keys(all)) {
			a := all[name]
			values, rows := eigenSym(bg, a.Clone())
			alone, _ := leadingEigen(bg, a.Clone(), 0, 1)
			whole = append(whole, values, rows.Data, alone)
			for _, most := range []int{1, n / 2, (2*n + 2) / 3} {
				values, rows = leadingEigen(bg, a.Clone(), most, 1)
				leading = append(leading, values, rows.Data)
			}
			unit := a.Clone()
			unitScale(unit)
			r := tridiagonal(bg, unit, 1)
			raw := r.values(bg)
			inverse = append(inverse, raw)
			if rows, ok := r.leading(bg, raw, descending(bg, raw)); ok {
				inverse = append(inverse, rows.Data)
			}
		}
		name := "Eigen " + strconv.Itoa(n)
		p.add(name, whole...)
		p.add(name+" leading", leading...)
		p.add(name+" inverse iteration", inverse...)
	}
}

func regressSVD(t *testing.T, p *pinnedBits) {
	rng := rand.New(rand.NewPCG(13, 1))
	for _, size := range [][2]int{{1, 1}, {2, 2}, {7, 4}, {4, 7}, {9, 9}, {30, 12}} {
		var all [][]float64
		for _, a := range append(scaledKinds(size[0], size[1], rng), laPatchwork(size[0], rng)) {
			r := mustDo(thinSVD(bg, a))(t)
			all = append(all, r.U.Data, r.S, r.V.Data, []float64{float64(r.Iterations)})
		}
		p.add("SVD "+shape(size[0], size[1]), all...)
	}
}

func regressKrylov(t *testing.T, p *pinnedBits) {
	rng := rand.New(rand.NewPCG(14, 1))
	spectra := []struct {
		name string
		f    func(i int) float64
	}{
		{"slow", func(i int) float64 { return 1 / (1 + float64(i)) }},
		{"fast", func(i int) float64 { return math.Ldexp(1, -3*i) }},
		{"flat", func(i int) float64 { return 1 - 0.002*float64(i) }},
		{"rank 3", func(i int) float64 { return float64(max(0, 3-i)) }},
		{"both signs", func(i int) float64 { return 1/(1+float64(i)) - 0.2 }},
		{"negative", func(i int) float64 { return -float64(1 + i) }},
		{"zero", func(int) float64 { return 0 }},
	}
	for _, n := range []int{7, 40, 110} {
		q := laOrthogonal(n, rng)
		for _, s := range spectra {
			b := product(q.transposed(), mapped(q, func(i, _ int, v float64) float64 { return v * s.f(i) }))
			mirror(b.Data, n)
			var all [][]float64
			for _, o := range []krylovOptions{
				{steps: defaultKrylovSteps, residual: 1e-10, seed: 3},
				{steps: 3, residual: 1e-10},
				{steps: 60, residual: 1e-8, sum: 1e-9},
				{steps: 12, residual: 1e-8, sum: 1e-12, hasty: true},
				{steps: 30, residual: 0.1, sum: 1e-3},
				{steps: 60, residual: 1e-6, sum: 1e-5, hasty: true},
				{steps: 40, residual: 1e-8, indefinite: true},
			} {
				r, err := krylov(bg, n, func(v *Matrix) (*Matrix, error) {
					z := NewMatrix(v.Rows, n, nil)
					timesT(z, v, b)
					return z, nil
				}, 4, o)
				must(t, err)
				all = append(all, rowsOf(r.rows, 0, len(r.values)).Data, r.values, []float64{r.rest, r.next,
					r.top, float64(r.steps), float64(r.status)})
			}
			p.add("Krylov "+strconv.Itoa(n)+" "+s.name, all...)
		}
	}
}

func regressSimplex(t *testing.T, p *pinnedBits) {
	rng := rand.New(rand.NewPCG(15, 1))
	var all [][]float64
	for _, c := range []struct {
		k, p   int
		turned bool
	}{{1, 0, false}, {2, 1, false}, {3, 2, true}, {5, 2, false}, {5, 3, true}, {6, 5, true}, {9, 4, false}} {
		var q *Matrix
		if c.turned {
			q = RandomOrientation(c.k, 7)
		}
		normals := normalsOf(c.k, c.p, q)
		for _, n := range []int{0, 1, 12} {
			for _, kind := range allEnclosures {
				points := randomData(n, c.p, 0.4, uint64(n))
				one, other := &extent{facets: make([]float64, c.k)}, &extent{facets: make([]float64, c.k)}
				for i := range n {
					[]*extent{one, other}[i%2].add(points.row(i), normals, kind)
				}
				one.merge(other)
				e := enclose(kind, normals, one)
				b := e.coordinates()
				out := slices.Concat([]float64{one.radius, e.radius}, one.facets, e.centre, b.at, b.slope.Data)
				g := make([]float64, c.k)
				for i := range n {
					b.of(g, points.row(i))
					out = append(out, g...)
				}
				all = append(all, out)
			}
		}
	}
	p.add("enclosures", all...)
	var logs []float64
	for k := 1; k < 7; k++ {
		for d := k - 1; d < 8; d += 2 {
			for _, v := range scaledKinds(k, d, rng) {
				log := mustDo(LogVolume(v))(t)
				logs = append(logs, log)
			}
		}
	}
	p.add("LogVolume", logs)
}

func regressProjection(_ *testing.T, p *pinnedBits) {
	rng := rand.New(rand.NewPCG(17, 1))
	for _, n := range []int{1, 2, 3, 5, 20, 32, 33, 34, 70, 1024, 1025, 1500} {
		var out []float64
		for spread := -9; spread <= 3; spread += 3 {
			for kind := range 3 {
				v := make([]float64, n)
				for i := range v {
					v[i] = math.Ldexp(rng.NormFloat64(), spread)
					switch {
					case kind == 1 && i%3 == 0:
						v[i] = math.Round(v[i])
					case kind == 2:
						v[i] = 1/float64(n) + v[i]/1024
					}
				}
				out = append(out, ProjectSimplex(nil, v)...)
			}
		}
		p.add("ProjectSimplex "+strconv.Itoa(n), out)
	}
}

func regressLeastSquares(t *testing.T, p *pinnedBits) {
	rng := rand.New(rand.NewPCG(16, 1))
	var all, falls [][]float64
	hardSupports(func(r *rowSolver, b []float64, size float64) {
		r.minimise(b, size)
		all = append(all, slices.Clone(r.g))
	})
	p.add("supports in circles", all...)
	all = nil
	add := func(f, x, start *Matrix, sum Sum) {
		all = append(all, solveFrom(f, x, start, sum).Data)
		// The fall-back on its own.
		q := newSimplexProblem(f, SumToOne)
		if q.flat || q.ridge > 0 {
			return
		}
		r := newRowSolver(q)
		var out []float64
		for i := range x.Rows {
			b, size := linearTerm(q, x.Row(i))
			r.descend(b, float64(f.Rows)*0x1p-52*size)
			out = append(out, r.g...)
		}
		falls = append(falls, out)
	}
	for _, size := range [][2]int{{1, 2}, {2, 1}, {2, 3}, {4, 4}, {6, 3}, {5, 9}, {12, 15}, {70, 71}} {
		k, d := size[0], size[1]
		for kind := range 7 {
			if k > 12 && kind > 0 && kind != 5 {
				continue
			}
			f := mapped(randomData(k, d, 0, rng.Uint64()), func(_, _ int, v float64) float64 { return v + float64(kind%3) })
			switch {
			case kind == 1 && k > 1: // two coincide
				copy(f.Row(k-1), f.Row(0))
			case kind == 2 && k > 1: // nearly
				for j, v := range f.Row(0) {
					f.Set(k-1, j, v+math.Ldexp(rng.NormFloat64(), -30))
				}
			case kind == 3: // all do
				for i := range k {
					copy(f.Row(i), f.Row(0))
				}
			case kind == 4: // of very different sizes
				f = mapped(f, func(i, _ int, v float64) float64 { return math.Ldexp(v, -12*i) })
			case kind == 6: // on a line, far from the origin
				f = mapped(f, func(i, j int, v float64) float64 { return 1e4 + float64(i*(j+1)) + math.Ldexp(v, -33) })
			}
			x := mapped(NewMatrix(40, d, nil), func(i, j int, _ float64) float64 {
				return math.Ldexp(rng.NormFloat64(), i%7-3) + f.At(i%k, j)
			})
			start := mapped(NewMatrix(x.Rows, k, nil), func(_, _ int, _ float64) float64 { return float64(rng.IntN(2)) / float64(k) })
			for _, from := range []*Matrix{nil, start} {
				add(f, x, from, SumToOne)
				add(f, x, from, SumAtMostOne)
			}
			p.add("SimplexLeastSquares "+shape(k, d)+" kind "+strconv.Itoa(kind), all...)
			p.add("descent "+shape(k, d)+" kind "+strconv.Itoa(kind), falls...)
			all, falls = nil, nil
		}
	}
}
