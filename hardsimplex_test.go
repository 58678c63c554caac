package softkmeans

// Memberships and volumes on the matrices of hard_test.go.

import (
	"math"
	"math/big"
	"testing"
)

// TestHardSimplex: memberships in rows of the matrix of its other rows and of
// their sums and differences, against all supports.
func TestHardSimplex(t *testing.T) {
	eachHard(t, func(h *hardMatrix, r hardRatios) {
		n, d := h.a.Dims()
		for _, k := range []int{2, 4, 5} {
			if k > n {
				continue
			}
			f, x := rowsOf(h.a, 0, k), NewMatrix(n+2, d, nil)
			for i := range n {
				copy(x.Row(i), h.a.Row(i))
			}
			for j := range d { // one between vertices, one far from them
				x.Set(n, j, f.At(0, j)/4+f.At(1, j)/4+f.At(k-1, j)/2)
				x.Set(n+1, j, f.At(0, j)/2-f.At(1, j)/4+f.At(k-1, j)/4)
			}
			h.simplex(t, r, "SimplexLeastSquares", x, f)
		}
		for _, k := range []int{2, 4} {
			m, err := Fit(bg, h.a, k, nil)
			if err != nil {
				t.Fatal(err)
			}
			h.simplex(t, r, "Predict", h.a, m.Centers)
		}
	})
}

// simplex holds the memberships of x in f to the best there are.
func (h *hardMatrix) simplex(t *testing.T, r hardRatios, name string, x, f *Matrix) {
	t.Helper()
	k, d := f.Dims()
	got, info, err := SimplexLeastSquares(nil, x, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkFeasible(t, got)
	both := NewMatrix(x.Rows+k, d, nil)
	for i := range both.Rows {
		if i < k {
			copy(both.Row(i), f.Row(i))
		} else {
			copy(both.Row(i), x.Row(i-k))
		}
	}
	all, p := bigMatrix(both)
	for _, row := range all {
		for _, v := range row {
			v.SetMantExp(v, -h.exp)
		}
	}
	vertices, g := all[:k], p.rows(got)
	c := vertices.centred(p)
	top := 0.0 // the largest squared distance of a vertex from their mean
	for _, row := range c {
		top = max(top, double(p.dot(row, row)))
	}
	for i, row := range all[k:] {
		best := bigSimplex(row, vertices, p)
		sum := p.zero()
		for _, v := range g[i] {
			sum.Add(sum, v)
		}
		e, from := make([]*big.Float, d), p.zero() // Fᵀg − x, and ‖x − mean‖²
		for j := range d {
			y := p.sub(row[j], p.sub(vertices[0][j], c[0][j]))
			from.Add(from, p.mul(y, y))
			e[j] = y.Neg(y)
			for l, v := range g[i] { // as they add up to 1, which rounding may keep them from
				y.Add(y, p.quo(p.mul(v, c[l][j]), sum))
			}
		}
		// ‖x − Fᵀg‖² − best ≤ 2(gᵀ∇ − min ∇) for the gradient ∇ = F(Fᵀg − x): Frank & Wolfe's gap,
		// 0 at the minimum, which the supports tried must agree with to 300 of their bits.
		gap, least := p.zero(), p.dot(c[0], e)
		for l, v := range g[i] {
			slope := p.dot(c[l], e)
			gap.Add(gap, p.quo(p.mul(v, slope), sum))
			if slope.Cmp(least) < 0 {
				least = slope
			}
		}
		gap.Sub(gap, least)
		if above, digit := p.sub(p.dot(e, e), best), p.times(p.add(from, p.num(top)), -300); above.Cmp(p.add(p.times(gap, 1), digit)) > 0 || above.Cmp(p.zero().Neg(digit)) < 0 {
			t.Errorf("%s, %s k=%d row %d: %.3g above the best support, gap %.3g", name, h.family, k, i, above, gap)
		}
		// KKT states the violations, relative to the larger of |A| and |b|, which are at
		// most 2·top and √top·‖x − mean‖, and themselves sums of d products ([H] Lemma 3.1).
		// A proximal step adds its own term, at most Ridge.
		size := max(2*top, math.Sqrt(top*double(from)))
		r.note(t, h, name, double(gap)/h.orOne(2*(info.KKT+info.Ridge+float64(d+k+4)*laEps)*size))
	}
	r.note(t, h, name+", KKT", info.KKT/1e-9) // as SimplexInfo says of the worst
	if info.Ridge == 0 {
		r.note(t, h, name+", KKT of independent vertices", info.KKT/(float64(d+k+4)*laEps))
	}
}

// TestHardLogVolume: each singular value of the edges has the absolute error of sums of k
// differences, and of svdTolerance, relative to the largest.
func TestHardLogVolume(t *testing.T) {
	eachHard(t, func(h *hardMatrix, r hardRatios) {
		n, d := h.a.Dims()
		for _, k := range []int{1, 2, 3, 4} {
			if k > n {
				continue
			}
			got, err := LogVolume(rowsOf(h.a, 0, k))
			if err != nil || math.IsNaN(got) || math.IsInf(got, 1) {
				t.Fatalf("%s k=%d: %g, %v", h.family, k, got, err)
			}
			c := h.rows[:k].centred(h.p)
			s, u, v := bigSVD(c, d, h.p)
			if err := bigCheck(c, s, u, v, h.p); err != nil {
				t.Fatal(err)
			}
			e := float64(2*(k+d)+2*k) * laEps * math.Sqrt(float64(k)) * double(s[0])
			if k > d+1 {
				if !math.IsInf(got, -1) {
					t.Errorf("%s k=%d: %g", h.family, k, got)
				}
				continue
			}
			want, tol := math.Log(float64(k))/2, 0.0
			for i := range k - 1 {
				m := s[i].MantExp(nil)
				want += math.Log(double(h.p.times(s[i], -m))) + float64(m+h.exp)*math.Ln2 - math.Log(float64(i+1))
				tol += e / double(s[i])
			}
			if tol < 0.5 { // log(1+ε) ≤ 2ε
				r.note(t, h, "LogVolume", math.Abs(got-want)/(2*tol+float64(8*k)*laEps*(1+math.Abs(want))))
			}
		}
	})
}
