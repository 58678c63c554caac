package main

// Comparisons of the results of softkmeans to those of gonum.

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"softkmeans"
)

// All comparisons use scaled units: the data is multiplied by 2^-exp, which is exact, so
// that its largest entry is in [½, 1), and sums of squares by 2^-2exp. So nothing that the
// tests compute is out of range.

// kinds of data, by their spectrum. Each is an n×d table of spread about 1.
var kinds = []struct {
	name string
	data func(rng *rand.Rand, n, d int) *mat.Dense
}{
	{"falling", func(rng *rand.Rand, n, d int) *mat.Dense {
		return table(n, d, func(_, j int) float64 { return rng.NormFloat64() / (1 + float64(j)/4) })
	}},
	{"flat", func(rng *rand.Rand, n, d int) *mat.Dense { // no gap after any singular value
		return table(n, d, func(_, _ int) float64 { return rng.NormFloat64() })
	}},
	{"steep", func(rng *rand.Rand, n, d int) *mat.Dense { // squares fall below rounding
		return table(n, d, func(_, j int) float64 { return rng.NormFloat64() * math.Pow(10, -float64(j)) })
	}},
	{"rank 2", func(rng *rand.Rand, n, d int) *mat.Dense {
		var x mat.Dense
		normal := func(_, _ int) float64 { return rng.NormFloat64() }
		x.Mul(table(n, 2, normal), table(2, d, normal))
		return &x
	}},
	{"few rows, repeated", func(rng *rand.Rand, n, d int) *mat.Dense {
		rows := table(3, d, func(_, _ int) float64 { return rng.NormFloat64() })
		return table(n, d, func(i, j int) float64 { return rows.At(i%3, j) })
	}},
	{"one outlier", func(rng *rand.Rand, n, d int) *mat.Dense {
		return table(n, d, func(i, _ int) float64 {
			if i == n-1 {
				return rng.NormFloat64()
			}
			return rng.NormFloat64() * 1e-6
		})
	}},
}

// dense copies m times 2^exp.
func dense(m *softkmeans.Matrix, exp int) *mat.Dense {
	return table(m.Rows, m.Cols, func(i, j int) float64 { return math.Ldexp(m.At(i, j), exp) })
}

// exponent is the exp for which 2^-exp takes x's largest entry to [½, 1).
func exponent(x *softkmeans.Matrix) int {
	_, exp := math.Frexp(max(mat.Max(unwrap(x)), -mat.Min(unwrap(x))))
	return exp
}

// oracle is gonum's results for a table.
type oracle struct {
	x      *mat.Dense // in scaled units
	exp    int
	floors []float64 // of k = 1 … min(n, d)+1, from gonum's singular values
	total  float64   // ‖Xc‖², from its entries
}

func newOracle(t testing.TB, x *softkmeans.Matrix) *oracle {
	o := &oracle{exp: exponent(x)}
	o.x = dense(x, -o.exp)
	_, c := centred(o.x)
	o.total = squares(c)
	var svd mat.SVD
	if !svd.Factorize(c, mat.SVDNone) {
		t.Fatal("gonum's SVD failed")
	}
	s := svd.Values(nil)
	o.floors = make([]float64, len(s)+1)
	for i := len(s) - 1; i >= 0; i-- {
		o.floors[i] = o.floors[i+1] + s[i]*s[i]
	}
	return o
}

func (o *oracle) floor(k int) float64 { return o.floors[min(k, len(o.floors))-1] }

// share is |a − b| relative to the total. Where there is no variance to speak
// of, 2^-58 of ‖X‖² stands for it: limit is then a rounding error or two in
// every entry, squared.
func (o *oracle) share(a, b float64) float64 {
	return math.Abs(a-b) / max(o.total, 0x1p-58*squares(o.x))
}

// scaled takes a sum of squares in the data's units to scaled ones.
func (o *oracle) scaled(v float64) float64 { return math.Ldexp(v, -2*o.exp) }

// objective is ‖X − GF‖², as it stands.
func (o *oracle) objective(g, f *mat.Dense) float64 {
	var r mat.Dense
	r.Mul(g, f)
	r.Sub(o.x, &r)
	return squares(&r)
}

var (
	solvers    = []softkmeans.Solver{softkmeans.SolverAuto, softkmeans.SolverGram, softkmeans.SolverJacobi, softkmeans.SolverKrylov}
	enclosures = []softkmeans.Enclosure{softkmeans.EnclosureBall, softkmeans.EnclosureTight}
	shapes     = [][2]int{{1, 3}, {3, 1}, {2, 2}, {50, 6}, {150, 4}, {3000, 150}, {40, 400}, {64, 64}}
)

// clusterCounts are the k to try on a shape.
func clusterCounts(n, d int) []int {
	small := min(n, d)
	ks := []int{1, 2, 3, 4, 5, 6, 7, small + 1}
	if n*d > 100000 {
		ks = []int{1, 3, small + 1}
	}
	if small >= 40 {
		ks = append(ks, min(64, small))
	}
	slices.Sort(ks)
	return slices.Compact(ks)
}

// onTables runs a test on data of each kind, near to and far from the origin, at any scale.
func onTables(t *testing.T, shapes [][2]int, test func(t *testing.T, tables iter.Seq2[string, *softkmeans.Matrix])) {
	for _, shape := range shapes {
		n, d := shape[0], shape[1]
		for at, kind := range kinds {
			large := n*d > 100000
			if large && at > 0 { // one kind is enough where a fit takes long
				continue
			}
			t.Run(fmt.Sprintf("n=%d,d=%d/%s", n, d, kind.name), func(t *testing.T) {
				t.Parallel()
				base := kind.data(rand.New(rand.NewPCG(uint64(n), uint64(d))), n, d)
				test(t, func(yield func(string, *softkmeans.Matrix) bool) {
					for _, mean := range []float64{0, 1e3} {
						for _, scale := range []float64{1, 1e-140, 1e140} {
							if large && mean != 0 && scale != 1 { // both at once on small tables only
								continue
							}
							x := wrap(table(n, d, func(i, j int) float64 { return (mean + base.At(i, j)) * scale }))
							if !yield(fmt.Sprintf("mean %g, scale %g", mean, scale), x) {
								return
							}
						}
					}
				})
			})
		}
	}
}

// The objective, floor and memberships of every solver and enclosure agree with gonum's
// singular values to 1e-12 of the total.
func TestFloor(t *testing.T) {
	onTables(t, shapes, func(t *testing.T, tables iter.Seq2[string, *softkmeans.Matrix]) {
		var gap, floor float64
		var fits, unproved int
		for where, x := range tables {
			o := newOracle(t, x)
			all, err := softkmeans.Floors(context.Background(), x, nil)
			if err != nil || len(all) != len(o.floors) {
				t.Fatalf("%s: %d floors, not %d: %v", where, len(all), len(o.floors), err)
			}
			for i, v := range all {
				off := o.share(o.scaled(v), o.floors[i])
				if floor = max(floor, off); !(off <= limit) {
					t.Errorf("%s: Floors[%d] is %g, gonum has %g, of a total of %g", where, i, o.scaled(v), o.floors[i], o.total)
				}
			}
			for _, k := range clusterCounts(x.Rows, x.Cols) {
				for _, solver := range solvers {
					for _, enclosure := range enclosures {
						where := fmt.Sprintf("k %d, %s, %v, %v", k, where, solver, enclosure)
						m, err := softkmeans.Fit(context.Background(), x, k, &softkmeans.Options{Solver: solver, Enclosure: enclosure})
						if err != nil {
							t.Fatal(where, err)
						}
						fits++
						if m.Status != softkmeans.StatusOptimal {
							unproved++
						}
						offGap, offFloor := o.checkModel(t, where, m, k)
						gap, floor = max(gap, offGap), max(floor, offFloor)
					}
				}
			}
		}
		t.Logf("%d models, %d not optimal by their status; worst gap %.2g, worst floor %.2g", fits, unproved, gap, floor)
	})
}

// checkModel returns how far the objective and the floor are from gonum's floor.
func (o *oracle) checkModel(t *testing.T, where string, m *softkmeans.Model, k int) (gap, floor float64) {
	want := o.floor(k)
	objective := o.objective(dense(m.Memberships, 0), dense(m.Centers, -o.exp))
	if gap = o.share(objective, want); !(gap <= limit) {
		t.Errorf("%s: the objective is %g, gonum's floor %g, of a total of %g", where, objective, want, o.total)
	}
	if floor = o.share(o.scaled(m.Floor), want); !(floor <= limit) {
		t.Errorf("%s: Floor is %g, gonum has %g, of a total of %g", where, o.scaled(m.Floor), want, o.total)
	}
	// The model's own figures: its objective, total and gap, and a floor whose error
	// reaches up to the true one.
	// The objective includes what rounding can hide of a row: some 3k·2^-53 of centers that
	// are k times as far out as the data.
	bounded := limit + 1e-15*float64(k*k)
	if off := o.share(o.scaled(m.Objective), objective); !(off <= bounded) {
		t.Errorf("%s: Objective is %g, its centers and memberships have %g", where, o.scaled(m.Objective), objective)
	}
	if off := o.share(o.scaled(m.Total), o.total); !(off <= limit) {
		t.Errorf("%s: Total is %g, not %g", where, o.scaled(m.Total), o.total)
	}
	if !(math.Abs(m.Gap) <= bounded) {
		t.Errorf("%s: Gap is %g", where, m.Gap)
	}
	if up := o.scaled(m.Floor) + o.scaled(m.FloorError); !(want <= up+1e-13*o.total+0x1p-100*squares(o.x)) {
		t.Errorf("%s: Floor and FloorError add up to %g, gonum's floor is %g, of a total of %g", where, up, want, o.total)
	}
	for i := range m.Memberships.Rows {
		row := m.Memberships.Row(i)
		if !(floats.Min(row) >= 0) || !(math.Abs(floats.Sum(row)-1) <= 1e-12) {
			t.Fatalf("%s: the memberships of row %d are %g", where, i, row)
		}
	}
	return gap, floor
}

// The singular values are gonum's, and the product of the factors is the matrix.
func TestSVD(t *testing.T) {
	onTables(t, append([][2]int{{1, 1}, {30, 12}, {12, 30}, {100, 100}}, shapes...), func(t *testing.T, tables iter.Seq2[string, *softkmeans.Matrix]) {
		for where, x := range tables {
			exp := exponent(x)
			a := dense(x, -exp)
			var svd mat.SVD
			if !svd.Factorize(a, mat.SVDNone) {
				t.Fatal("gonum's SVD failed")
			}
			u, s, v, err := softkmeans.SVD(x)
			if err != nil {
				t.Fatal(err)
			}
			floats.Scale(math.Ldexp(1, -exp), s)
			want := svd.Values(nil)
			if !floats.EqualFunc(s, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-13*want[0] }) {
				t.Errorf("%s: σ = %g, gonum has %g", where, s, want)
			}
			var us, r mat.Dense
			us.Mul(dense(u, 0), mat.NewDiagDense(len(s), s))
			r.Mul(&us, dense(v, 0).T())
			r.Sub(a, &r)
			if off := mat.Norm(&r, 2); !(off <= 1e-13*mat.Norm(a, 2)) {
				t.Errorf("%s: ‖A − USVᵀ‖ = %g ‖A‖", where, off/mat.Norm(a, 2))
			}
		}
	})
}

// The eigenvalues of Gram matrices and of indefinite ones are gonum's, and the vectors
// have small residuals.
func TestEigenSym(t *testing.T) {
	for _, n := range []int{1, 2, 3, 6, 30, 64, 65, 150} {
		for _, kind := range kinds {
			for _, indefinite := range []bool{false, true} {
				b := kind.data(rand.New(rand.NewPCG(uint64(n), 7)), n, n)
				sym := mat.NewSymDense(n, nil)
				if indefinite {
					for i := range n {
						for j := range i + 1 {
							sym.SetSym(i, j, b.At(i, j)+b.At(j, i))
						}
					}
				} else {
					sym.SymOuterK(1, b)
				}
				for _, scale := range []float64{1, 1e-140, 1e140} {
					a := wrap(table(n, n, func(i, j int) float64 { return sym.At(i, j) * scale }))
					exp := exponent(a)
					one := dense(a, -exp)
					where := fmt.Sprintf("n %d, %s, indefinite %t, scale %g", n, kind.name, indefinite, scale)
					var eig mat.EigenSym
					if !eig.Factorize(mat.NewSymDense(n, one.RawMatrix().Data), false) {
						t.Fatal("gonum's eigensolver failed")
					}
					want := eig.Values(nil)
					slices.Reverse(want)
					got, vectors, err := softkmeans.EigenSym(a)
					if err != nil || len(got) != n {
						t.Fatal(where, len(got), err)
					}
					size := max(math.Abs(want[0]), math.Abs(want[n-1]))
					floats.Scale(math.Ldexp(1, -exp), got)
					if !floats.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-13*size }) {
						t.Errorf("%s: λ = %g, gonum has %g", where, got, want)
					}
					v := dense(vectors, 0)
					var r, s mat.Dense
					r.Mul(one, v)
					s.Mul(v, mat.NewDiagDense(n, got))
					r.Sub(&r, &s)
					if off := mat.Norm(&r, 2); !(off <= 1e-13*mat.Norm(one, 2)) {
						t.Errorf("%s: ‖AV − VΛ‖ = %g ‖A‖", where, off/mat.Norm(one, 2))
					}
					s.Mul(v.T(), v)
					for i := range n {
						s.Set(i, i, s.At(i, i)-1)
					}
					if off := mat.Norm(&s, 2); !(off <= 1e-13*float64(n)) {
						t.Errorf("%s: ‖VᵀV − I‖ = %g", where, off)
					}
				}
			}
		}
	}
}
