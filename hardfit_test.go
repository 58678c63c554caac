package softkmeans

// Floors, solutions, certificates, memberships and volumes on the matrices of
// hard_test.go, in units of 2^exp and 4^exp.

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"
)

// centring bounds what the rounding of the mean adds to any sum of squares about it: n times
// the square of the mean's error, which is orthogonal to the rest. The mean of
// differences from a row, added to it, is off by u·‖mean‖ and n·u of the differences
// ([H] section 4.2).
func (h *hardMatrix) centring() float64 {
	n := float64(h.a.Rows)
	e := laEps * (2*h.mean + n*math.Sqrt(h.total()))
	return n * e * e
}

// total is ‖Xc‖² in units of 4^exp.
func (h *hardMatrix) total() float64 { return double(h.floors[0]) }

// floor is that of k centers.
func (h *hardMatrix) floor(k int) *big.Float { return h.floors[min(k-1, len(h.floors)-1)] }

// gram is what Model.FloorError states of squares from a Gram matrix, min(n, d)·2^-52 of the
// total (Weyl), with what centring adds.
func (h *hardMatrix) gram() float64 {
	return float64(min(h.a.Rows, h.a.Cols))*0x1p-52*h.total() + h.centring()
}

// root is the bound for floors from singular values: √floor is the distance from a
// matrix of lower rank, so what moves the matrix by E moves it by ‖E‖ at most
// (Mirsky). E is that of svdTolerance, of the centred data, and of forming differences.
func (h *hardMatrix) root(floor float64) float64 {
	e := 2 * float64(h.a.Rows+h.a.Cols) * laEps * math.Sqrt(h.total())
	return 2*math.Sqrt(floor)*e + e*e + h.centring()
}

// TestHardFloors: floors to the stated share of the total, and small ones to what their
// own Jacobi values have.
func TestHardFloors(t *testing.T) {
	eachHard(t, func(h *hardMatrix, r hardRatios) {
		got, err := Floors(context.Background(), h.a, nil)
		if err != nil || len(got) != len(h.floors) {
			t.Fatalf("%s: %d floors, %v", h.family, len(got), err)
		}
		for i, v := range got {
			r.note(t, h, "Floors", h.off(v, h.floors[i], 2*h.exp, h.gram()))
			if rank := min(h.a.Rows-1, h.a.Cols); rank > 0 && double(h.floors[rank-1]) < lostShare/2*h.total() {
				r.note(t, h, "Floors, small", h.off(v, h.floors[i], 2*h.exp, h.root(double(h.floors[i]))))
			}
		}
	})
}

// TestHardFit: every solver and enclosure reaches the floor, and says so.
func TestHardFit(t *testing.T) {
	t.Parallel()
	eachHard(t, func(h *hardMatrix, r hardRatios) {
		n, d := h.a.Rows, h.a.Cols
		for _, k := range []int{1, 2, 3, min(n, d), min(n, d) + 2} {
			for _, solver := range allSolvers {
				for _, enclosure := range allEnclosures {
					m, err := Fit(bg, h.a, k, &Options{Solver: solver, Enclosure: enclosure})
					if err != nil {
						t.Fatal(err)
					}
					checkFeasible(t, m.Memberships)
					name := "Fit " + solver.String() + " " + enclosure.String()
					h.judge(t, r, name, k, m)
				}
			}
		}
	})
}

// proved holds a floor to the theorem: the minimum is within the error stated.
func (h *hardMatrix) proved(t *testing.T, r hardRatios, name string, k int, floor, floorError float64) {
	t.Helper()
	r.note(t, h, name+", floor error", h.off(floor, h.floor(k), 2*h.exp, math.Ldexp(floorError, -2*h.exp)))
}

// upper holds an objective to the theorem: it is an upper bound, and above the exact one by
// rounding and by as much again, at most. Each hides (3k+4)u of Σg_j‖f_j − mean‖ in a row.
func (h *hardMatrix) upper(t *testing.T, r hardRatios, name string, got float64, f, g *Matrix) {
	t.Helper()
	unit := h.unit()
	exact := bigObjective(h.a, f, g, nil, SumToOne)
	exact.SetMantExp(exact, -2*h.exp)
	down := mapped(f, func(_, _ int, v float64) float64 { return math.Ldexp(v, -h.exp) })
	root := math.Sqrt(double(exact))
	tol := 2.2*hides(unit, nil, down, g, SumToOne) + float64(h.a.Rows+h.a.Cols+40)*laEps*root
	r.note(t, h, name+", objective", h.off(got, exact, 2*h.exp, 2*root*tol+tol*tol))
	least := h.p.times(exact, 2*h.exp)
	if least.Sub(least, h.p.times(h.p.num(1), -1074)).Cmp(h.p.num(got)) > 0 {
		t.Errorf("%s, %s: objective %g is below %g", name, h.family, got, math.Ldexp(double(exact), 2*h.exp))
	}
}

// judge holds a solution to the floor and to what it says of itself.
func (h *hardMatrix) judge(t *testing.T, r hardRatios, name string, k int, m *Model) {
	t.Helper()
	n, d := h.a.Rows, h.a.Cols
	floor := double(h.floor(k))
	tol := h.gram()
	if m.Solver == SolverJacobi {
		tol = h.root(floor)
	}
	r.note(t, h, name+", floor", h.off(m.Floor, h.floor(k), 2*h.exp, tol))
	r.note(t, h, name+", total", h.off(m.Total, h.floors[0], 2*h.exp, h.gram()))
	h.proved(t, r, name, k, m.Floor, m.FloorError)
	h.upper(t, r, name, m.Objective, m.Centers, m.Memberships)
	objective, far := h.objective(m.Centers, m.Memberships)
	// The subspace is that of a matrix within the Gram matrix's rounding. Its sum of
	// squares falls short by twice that at most (Ky Fan). The simplex and the memberships
	// are rounded as above, from projections of length d, and the centers once more, to
	// the size of the mean.
	e := float64(2*k+d+8)*laEps*(math.Sqrt(h.total())+math.Sqrt(float64(n))*far) + 2*math.Sqrt(float64(n))*laEps*h.mean
	gap := 2*h.gram() + 2*math.Sqrt(floor)*e + e*e
	if m.Solver == SolverKrylov {
		gap += krylovTol * h.total()
	}
	above := double(h.p.sub(objective, h.floor(k)))
	r.note(t, h, name+", gap", math.Abs(above)/h.orOne(gap))
	// What is stated has the bound of rounding, (3k+4)u, added to each residual.
	e += 2.2 * float64(3*k+4) * laEps * math.Sqrt(float64(n)) * far
	if h.total() > 0 {
		r.note(t, h, name+", stated gap", math.Abs(m.Gap)*h.total()/(2*h.gram()+2*math.Sqrt(floor)*e+e*e+krylovTol*h.total()))
	}
	if m.Status != StatusOptimal {
		t.Errorf("%s, %s k=%d: %v", name, h.family, k, m.Status)
	}
}

// objective is ‖X − GF‖² in units of 4^exp, and the largest distance of a center from the
// mean.
func (h *hardMatrix) objective(f, g *Matrix) (sum *big.Float, far float64) {
	n, d := h.a.Rows, h.a.Cols
	sum = h.p.zero()
	centers, members := h.p.rows(f), h.p.rows(g)
	for j, row := range centers {
		square := h.p.zero()
		for c, v := range row {
			v.SetMantExp(v, -h.exp)
			e := h.p.sub(v, h.p.sub(h.rows[0][c], h.centred[0][c]))
			square.Add(square, e.Mul(e, e))
		}
		far = max(far, math.Sqrt(double(square)))
		centers[j] = row
	}
	columns := centers.transposed(d)
	for i := range n {
		square := h.p.zero()
		for c := range d {
			e := h.p.sub(h.rows[i][c], h.p.dot(members[i], columns[c]))
			square.Add(square, e.Mul(e, e))
		}
		sum.Add(sum, square)
	}
	return sum, far
}

// TestHardCertify: the certificate of a global solution, and of one far from it.
func TestHardCertify(t *testing.T) {
	eachHard(t, func(h *hardMatrix, r hardRatios) {
		n, d := h.a.Rows, h.a.Cols
		for _, k := range []int{1, 2, 3} {
			f, g := NewMatrix(k, d, nil), NewMatrix(n, k, nil)
			for j := range k {
				copy(f.Row(j), h.a.Row(j%n))
			}
			for i := range n {
				g.Set(i, i%k, 0.75)
				g.Row(i)[(i+1)%k] += 0.25
			}
			c, err := Certify(context.Background(), h.a, f, g, nil)
			if err != nil {
				t.Fatal(err)
			}
			h.certificate(t, r, "Certify", k, c, f, g)
			if c.MinMembership != []float64{1, 0.25, 0}[k-1] || c.MaxSumError != 0 || !(c.SpanError >= 0 && c.SpanError <= 1+4*float64(d)*laEps) {
				t.Errorf("%s k=%d: %+v", h.family, k, c)
			}
		}
	})
}

// certificate holds one to what it is about.
func (h *hardMatrix) certificate(t *testing.T, r hardRatios, name string, k int, c Certificate, f, g *Matrix) {
	t.Helper()
	tol := h.gram()
	if c.Solver == SolverJacobi {
		tol = h.root(double(h.floor(k)))
	}
	r.note(t, h, name+", floor", h.off(c.Floor, h.floor(k), 2*h.exp, tol))
	r.note(t, h, name+", total", h.off(c.Total, h.floors[0], 2*h.exp, h.gram()))
	h.proved(t, r, name, k, c.Floor, c.FloorError)
	h.upper(t, r, name, c.Objective, f, g)
	exact := bigObjective(h.a, f, g, nil, SumToOne)
	above := h.p.sub(exact, h.p.times(h.floor(k), 2*h.exp))
	if above.Cmp(h.p.num(c.Excess+0x1p-1074)) > 0 {
		t.Errorf("%s, %s k=%d: %g above the minimum, Excess is %g", name, h.family, k, double(above), c.Excess)
	}
	if total := h.floors[0]; total.Sign() > 0 {
		share := double(h.p.quo(above, h.p.times(total, 2*h.exp)))
		if !(c.ExcessShare >= share*(1-1e-15)) || !(c.Gap <= c.ExcessShare) && c.Gap > 0 || c.Optimal(0) && share > 1e-9 {
			t.Errorf("%s, %s k=%d: a share of %g above the minimum: %+v", name, h.family, k, share, c)
		}
	} else if (c.Gap == math.MaxFloat64) != (c.Objective > 0) || c.ExcessShare != c.Gap || c.Gap == 0 && c.Objective > 0 {
		t.Errorf("%s k=%d: without variance %+v", h.family, k, c)
	}
}

// TestHardMinVolume: memberships are feasible, the objective is what it says, within the
// slack of the floor or with a warning, and Certify agrees.
func TestHardMinVolume(t *testing.T) {
	eachHard(t, func(h *hardMatrix, r hardRatios) {
		for _, k := range []int{2, 3} {
			m, err := FitMinVolume(bg, h.a, k, &MinVolumeOptions{MaxIter: fewer(50, 20)})
			if err != nil {
				t.Fatal(err)
			}
			checkFeasible(t, m.Memberships)
			for _, v := range m.Centers.Data {
				if !isFinite(v) {
					t.Fatalf("%s k=%d: center %g", h.family, k, v)
				}
			}
			c, err := Certify(context.Background(), h.a, m.Centers, m.Memberships, nil)
			if err != nil {
				t.Fatal(err)
			}
			h.certificate(t, r, "FitMinVolume", k, c, m.Centers, m.Memberships)
			h.upper(t, r, "FitMinVolume, stated", m.Objective, m.Centers, m.Memberships)
			_, far := h.objective(m.Centers, m.Memberships)
			objective := bigObjective(h.a, m.Centers, m.Memberships, nil, SumToOne)
			objective.SetMantExp(objective, -2*h.exp)
			n := math.Sqrt(float64(h.a.Rows))
			e := float64(k+4) * laEps * (math.Sqrt(h.total()) + n*(far+h.mean))
			if m.Status != StatusConverged && m.Status != StatusIterationLimit {
				t.Errorf("%s k=%d: %v", h.family, k, m.Status)
			}
			// Within the slack of the floor, or with a warning, unless the centers had to
			// stop at the end of the range. Where they are denormals they are off by half of one.
			within := slices.ContainsFunc(m.Warnings, func(w Warning) bool { return w.Kind == WarnSlack })
			most := (1 + DefaultSlack) * max(double(h.floor(k)), trivialShare*h.total())
			if above := double(objective) - most; above > 2*math.Sqrt(most)*e+e*e+2*h.gram() && !within {
				t.Errorf("%s k=%d: objective %g, %g were allowed, and no warning", h.family, k, double(objective), most)
			}
		}
	})
}

// TestHardSimplex: memberships in rows of the matrix of its other rows and of
// their sums and differences, against all supports.
func TestHardSimplex(t *testing.T) {
	t.Parallel()
	eachHard(t, func(h *hardMatrix, r hardRatios) {
		n, d := h.a.Rows, h.a.Cols
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
	k, d := f.Rows, f.Cols
	got, err := SimplexLeastSquares(nil, x, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkFeasible(t, got)
	kkt := float64(d+k+4) * laEps
	if newSimplexProblem(f, SumToOne).ridge > 0 { // as SimplexLeastSquares says of dependent vertices, and a proximal step's own term
		kkt = 1e-9 + ridgeShare
	}
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
		// kkt bounds the violations, relative to the larger of |A| and |b|, which are at
		// most 2·top and √top·‖x − mean‖, and themselves sums of d products ([H] Lemma 3.1).
		size := max(2*top, math.Sqrt(top*double(from)))
		r.note(t, h, name, double(gap)/h.orOne(2*(kkt+float64(d+k+4)*laEps)*size))
	}
}

// TestHardLogVolume: each singular value of the edges has the absolute error of sums of k
// differences, and of svdTolerance, relative to the largest.
func TestHardLogVolume(t *testing.T) {
	eachHard(t, func(h *hardMatrix, r hardRatios) {
		n, d := h.a.Rows, h.a.Cols
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
