package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"softkmeans"
)

// peers are gonum's ways to the same result. Neither validates its input,
// computes the objective that it reached, or shifts by powers of two.
var peers = []struct {
	name  string
	right func(c *mat.Dense) (v mat.Matrix, squares []float64)
}{
	{"gonum", rightSVD},
	{"gonum-gram", rightGram},
}

// rightSVD takes the right singular vectors from the SVD, as stat.PC does, but
// without U, which is of no use here.
func rightSVD(c *mat.Dense) (mat.Matrix, []float64) {
	var svd mat.SVD
	if !svd.Factorize(c, mat.SVDThinV) {
		return nil, nil
	}
	v := new(mat.Dense)
	svd.VTo(v)
	values := svd.Values(nil)
	for i, s := range values {
		values[i] = s * s
	}
	return v, values
}

// rightGram takes them from the d×d Gram matrix, which is what SolverAuto does
// on tall data: faster, and blind to what is below 1e-16 of the total.
func rightGram(c *mat.Dense) (mat.Matrix, []float64) {
	var gram mat.SymDense
	gram.SymOuterK(1, c.T())
	var eig mat.EigenSym
	if !eig.Factorize(&gram, true) {
		return nil, nil
	}
	var up mat.Dense
	eig.VectorsTo(&up)
	values := eig.Values(nil)
	d := len(values)
	v := mat.NewDense(d, d, nil)
	for i := range d {
		for j, e := range up.RawRowView(i) {
			v.Set(i, d-1-j, e)
		}
	}
	for i, j := 0, d-1; i < j; i, j = i+1, j-1 {
		values[i], values[j] = values[j], values[i]
	}
	return v, values
}

// gonumFit is Algorithm 1 on gonum: centre, factor, two products.
func gonumFit(x *mat.Dense, k int, right func(*mat.Dense) (mat.Matrix, []float64)) (f, g *mat.Dense, floor float64) {
	n, d := x.Dims()
	mean := make([]float64, d)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			mean[j] += v
		}
	}
	for j := range mean {
		mean[j] /= float64(n)
	}
	c := mat.NewDense(n, d, nil)
	for i := range n {
		row := c.RawRowView(i)
		for j, v := range x.RawRowView(i) {
			row[j] = v - mean[j]
		}
	}
	v, values := right(c)
	if v == nil {
		return nil, nil, math.NaN()
	}
	for _, s := range values[k-1:] {
		floor += s
	}
	u := v.(*mat.Dense).Slice(0, d, 0, k-1)
	var w mat.Dense
	w.Mul(c, u)
	r := 0.0
	for i := range n {
		sum := 0.0
		for _, v := range w.RawRowView(i) {
			sum += v * v
		}
		r = max(r, math.Sqrt(sum))
	}
	b := mat.NewDense(k, k-1, softkmeans.RegularSimplex(k).Data)
	s := r * math.Sqrt(float64(k*(k-1)))
	f, g = new(mat.Dense), new(mat.Dense)
	f.Mul(b, u.T())
	for l := range k {
		row := f.RawRowView(l)
		for j := range row {
			row[j] = s*row[j] + mean[j]
		}
	}
	g.Mul(&w, b.T())
	for i := range n {
		row := g.RawRowView(i)
		for j := range row {
			row[j] = row[j]/s + 1/float64(k)
		}
	}
	return f, g, floor
}

var peerShapes = []struct{ n, d, k int }{{150, 4, 3}, {1797, 64, 10}, {20000, 64, 10}, {2000, 256, 10}}

func peerData(n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	return table(n, d, func(_, j int) float64 { return 1 + rng.NormFloat64()/(1+float64(j)/4) })
}

// TestPeers: what is timed below is the same result.
func TestPeers(t *testing.T) {
	for _, c := range peerShapes {
		x := peerData(c.n, c.d)
		m, err := softkmeans.Fit(context.Background(), wrap(x), c.k, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := newOracle(t, wrap(x))
		for _, peer := range peers {
			f, g, floor := gonumFit(x, c.k, peer.right)
			var r mat.Dense
			r.Mul(g, f)
			r.Sub(x, &r)
			if off := math.Abs(squares(&r)-m.Objective) / m.Total; !(off <= limit) {
				t.Errorf("%v: %s reaches %g, softkmeans %g", c, peer.name, squares(&r), m.Objective)
			}
			if off := o.share(o.scaled(floor), o.floor(c.k)); !(off <= limit) {
				t.Errorf("%v: %s has the floor %g, not %g", c, peer.name, o.scaled(floor), o.floor(c.k))
			}
			if low := mat.Min(g); !(low >= -1e-12) {
				t.Errorf("%v: %s has a membership of %g", c, peer.name, low)
			}
		}
	}
}

// BenchmarkPeers: the global solution by this package and by gonum.
func BenchmarkPeers(b *testing.B) {
	for _, c := range peerShapes {
		x := peerData(c.n, c.d)
		name := fmt.Sprintf("n=%d,d=%d,k=%d/impl=", c.n, c.d, c.k)
		b.Run(name+"softkmeans", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := softkmeans.Fit(context.Background(), wrap(x), c.k, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, peer := range peers {
			b.Run(name+peer.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, _, floor := gonumFit(x, c.k, peer.right); !(floor >= 0) {
						b.Fatal(floor)
					}
				}
			})
		}
	}
}
