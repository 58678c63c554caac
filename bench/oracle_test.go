// Package bench holds softkmeans to gonum: the same answers, and the time for
// them.
package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"softkmeans"
)

// data has n×d normal entries, falling along the columns, about a mean.
func data(n, d int, mean float64) *softkmeans.Matrix {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	m := softkmeans.NewMatrix(n, d, nil)
	for i := range n {
		row := m.Row(i)
		for j := range row {
			row[j] = mean + rng.NormFloat64()/(1+float64(j)/4)
		}
	}
	return m
}

func scaled(m *softkmeans.Matrix, exp int) *softkmeans.Matrix {
	c := m.Clone()
	for i, v := range c.Data {
		c.Data[i] = math.Ldexp(v, exp)
	}
	return c
}

// centred returns x minus its column means.
func centred(x *softkmeans.Matrix) *mat.Dense {
	n, d := x.Dims()
	c := mat.NewDense(n, d, append([]float64(nil), x.Data...))
	for j := range d {
		m := 0.0
		for i := range n {
			m += (x.At(i, j) - x.At(0, j)) / float64(n)
		}
		for i := range n {
			c.Set(i, j, (x.At(i, j)-x.At(0, j))-m)
		}
	}
	return c
}

// gonumFloors returns Σ_{i≥k} σ_i² for k = 1…, by gonum's SVD, and the total.
func gonumFloors(t *testing.T, x *softkmeans.Matrix) (floors []float64, total float64) {
	var svd mat.SVD
	if !svd.Factorize(centred(x), mat.SVDNone) {
		t.Fatal("gonum's SVD failed")
	}
	s := svd.Values(nil)
	floors = make([]float64, len(s)+1)
	for i := len(s) - 1; i >= 0; i-- {
		floors[i] = floors[i+1] + s[i]*s[i]
	}
	return floors, floors[0]
}

// TestFloor: objective and floor of every solver and enclosure against gonum's
// singular values, at all scales, to 1e-12 of the total.
func TestFloor(t *testing.T) {
	var worst float64
	for _, c := range []struct {
		n, d int
		ks   []int
	}{
		{1, 3, []int{1, 2}}, {3, 1, []int{1, 2}}, {2, 2, []int{1, 2, 3}}, {50, 6, []int{1, 2, 3, 7}}, {150, 4, []int{2, 3, 5}},
		{3000, 150, []int{3, 7, 64}}, {40, 400, []int{2, 7, 40}}, {64, 64, []int{2, 7, 64}},
	} {
		for _, mean := range []float64{0, 1000} {
			base := data(c.n, c.d, mean)
			floors, total := gonumFloors(t, base)
			all, err := softkmeans.Floors(base)
			if err != nil || len(all) != len(floors) {
				t.Fatal(err, len(all), len(floors))
			}
			for i := range all {
				if math.Abs(all[i]-floors[i]) > 1e-12*total {
					t.Errorf("%d×%d: floor for k=%d is %g, gonum's %g", c.n, c.d, i+1, all[i], floors[i])
				}
			}
			for _, exp := range []int{0, -498, 498} {
				x := scaled(base, exp)
				for _, k := range c.ks {
					for _, solver := range []softkmeans.Solver{softkmeans.SolverAuto, softkmeans.SolverGram, softkmeans.SolverJacobi, softkmeans.SolverKrylov} {
						for _, enc := range []softkmeans.Enclosure{softkmeans.EnclosureBall, softkmeans.EnclosureTight} {
							m, err := softkmeans.Fit(context.Background(), x, k, &softkmeans.Options{Solver: solver, Enclosure: enc})
							if err != nil {
								t.Fatal(err)
							}
							var gf, r mat.Dense
							f := scaled(m.Centers, -exp)
							gf.Mul(mat.NewDense(c.n, k, m.Memberships.Data), mat.NewDense(k, c.d, f.Data))
							r.Sub(mat.NewDense(c.n, c.d, base.Data), &gf)
							norm := mat.Norm(&r, 2)
							gap := math.Abs(norm*norm-floors[min(k-1, len(floors)-1)]) / max(total, 0x1p-1000)
							if total == 0 {
								gap = norm
							}
							worst = max(worst, gap)
							if !(gap <= 1e-12) || !(math.Abs(m.Gap) <= 1e-12) {
								t.Errorf("%d×%d k=%d mean %g 2^%d %v %v: gap %g, by the model %g", c.n, c.d, k, mean, exp, solver, enc, gap, m.Gap)
							}
							for i := range c.n {
								sum := 0.0
								for _, v := range m.Memberships.Row(i) {
									if !(v >= 0) {
										t.Fatalf("membership %g", v)
									}
									sum += v
								}
								if math.Abs(sum-1) > 1e-12 {
									t.Fatalf("row sum %g", sum)
								}
							}
						}
					}
				}
			}
		}
	}
	t.Logf("worst gap %.3g", worst)
}

// TestFactorizations: singular values and eigenvalues as gonum has them.
func TestFactorizations(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {30, 12}, {12, 30}, {100, 100}} {
		x := data(size[0], size[1], 0.3)
		var svd mat.SVD
		if !svd.Factorize(mat.NewDense(size[0], size[1], x.Data), mat.SVDNone) {
			t.Fatal("gonum's SVD failed")
		}
		_, s, _, err := softkmeans.SVD(x)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range svd.Values(nil) {
			if math.Abs(s[i]-want) > 1e-13*s[0] {
				t.Errorf("%v: σ%d = %g, gonum's %g", size, i, s[i], want)
			}
		}
		n := size[1]
		var g mat.SymDense
		g.SymOuterK(1, mat.NewDense(size[0], n, x.Data).T())
		var eig mat.EigenSym
		if !eig.Factorize(&g, false) {
			t.Fatal("gonum's eigensolver failed")
		}
		want := eig.Values(nil) // ascending
		a := softkmeans.NewMatrix(n, n, nil)
		for i := range n {
			for j := range n {
				a.Set(i, j, g.At(i, j))
			}
		}
		got, _, err := softkmeans.EigenSym(a)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if math.Abs(got[i]-want[n-1-i]) > 1e-13*got[0] {
				t.Errorf("%v: λ%d = %g, gonum's %g", size, i, got[i], want[n-1-i])
			}
		}
	}
}

// BenchmarkPeers: the global solution by this package, and by gonum's principal
// components with the two products around them.
func BenchmarkPeers(b *testing.B) {
	for _, c := range []struct{ n, d, k int }{{150, 4, 3}, {1797, 64, 10}, {20000, 64, 10}, {2000, 256, 10}} {
		x := data(c.n, c.d, 1)
		name := fmt.Sprintf("n=%d,d=%d,k=%d/impl=", c.n, c.d, c.k)
		b.Run(name+"softkmeans", func(b *testing.B) {
			for b.Loop() {
				if _, err := softkmeans.Fit(context.Background(), x, c.k, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"gonum", func(b *testing.B) {
			for b.Loop() {
				if _, _, floor := gonumFit(x, c.k); !(floor >= 0) {
					b.Fatal(floor)
				}
			}
		})
	}
}

// gonumFit is Algorithm 1 on gonum.
func gonumFit(x *softkmeans.Matrix, k int) (f, g *mat.Dense, floor float64) {
	n, d := x.Dims()
	var pc stat.PC
	if !pc.PrincipalComponents(mat.NewDense(n, d, x.Data), nil) {
		return nil, nil, -1
	}
	var vectors mat.Dense
	pc.VectorsTo(&vectors)
	for _, v := range pc.VarsTo(nil)[k-1:] {
		floor += v * float64(n-1)
	}
	u := vectors.Slice(0, d, 0, k-1)
	c := centred(x)
	var w mat.Dense
	w.Mul(c, u)
	r := 0.0
	for i := range n {
		r = max(r, mat.Norm(w.RowView(i), 2))
	}
	simplex := softkmeans.RegularSimplex(k)
	bt := mat.NewDense(k, k-1, simplex.Data)
	s := r * math.Sqrt(float64(k*(k-1)))
	f, g = new(mat.Dense), new(mat.Dense)
	f.Mul(bt, u.T())
	f.Scale(s, f)
	g.Mul(&w, bt.T())
	g.Apply(func(_, _ int, v float64) float64 { return v/s + 1/float64(k) }, g)
	for j := range d {
		mean := x.At(0, j) - c.At(0, j)
		for l := range k {
			f.Set(l, j, f.At(l, j)+mean)
		}
	}
	return f, g, floor
}
