package softkmeans

// Floors, solutions, certificates, memberships and volumes on the matrices of
// hard_test.go, in units of 2^exp and 4^exp.

import (
	"fmt"
	"math"
	"math/big"
	"testing"
)

// centring bounds what the rounding of the mean adds to any sum of squares about it: n times the square of
// the mean's error, which is orthogonal to the rest. The mean of differences from a row, added to it, is off
// by u·‖mean‖ and n·u of the differences ([H] section 4.2).
func (h *hardMatrix) centring() float64 {
	n := float64(h.a.Rows)
	e := laEps * (2*norm2(h.mean) + n*math.Sqrt(h.total()))
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
	eachHard(t, func(h *hardMatrix) {
		got, err := Floors(bg, h.a, nil)
		if err != nil || len(got) != len(h.floors) {
			t.Fatalf("%s: %d floors, %v", h.family, len(got), err)
		}
		rank := min(h.a.Rows-1, h.a.Cols)
		for i, v := range got {
			h.note(t, "Floors", h.off(v, h.floors[i], 2*h.exp, h.gram()))
			if rank > 0 && double(h.floors[rank-1]) < lostShare/2*h.total() {
				h.note(t, "Floors, small", h.off(v, h.floors[i], 2*h.exp, h.root(double(h.floors[i]))))
			}
		}
	})
}

// held holds floor and total to the bounds of their solver, the certificate to the truth,
// and returns the exact objective in units of 4^exp.
func (h *hardMatrix) held(t *testing.T, name string, k int, c Certificate, f, g *Matrix) *big.Float {
	t.Helper()
	tol := h.gram()
	if c.Solver == SolverJacobi {
		tol = h.root(double(h.floor(k)))
	}
	h.note(t, name+", floor", h.off(c.Floor, h.floor(k), 2*h.exp, tol))
	h.note(t, name+", total", h.off(c.Total, h.floors[0], 2*h.exp, h.gram()))
	checkCertificate(t, name+" "+h.family, h.a, nil, f, g, c)
	if h.total() == 0 && (c.Gap == math.MaxFloat64) != (c.Objective > 0) {
		t.Errorf("%s: without variance %+v", name, c)
	}
	exact := bigObjective(h.a, f, g, nil, SumToOne)
	return exact.SetMantExp(exact, -2*h.exp)
}

// far is the largest distance of a center from the mean.
func (h *hardMatrix) far(f *Matrix) (far float64) {
	for j := range f.Rows {
		square := 0.0
		for c, v := range f.row(j) {
			v = math.Ldexp(v, -h.exp) - h.mean[c]
			square += v * v
		}
		far = max(far, math.Sqrt(square))
	}
	return far
}

// TestHardFit: every solver and enclosure reaches the floor, and says so.
func TestHardFit(t *testing.T) {
	t.Parallel()
	eachHard(t, func(h *hardMatrix) {
		n, d := h.a.Rows, h.a.Cols
		for at, k := range []int{1, 2, 3, min(n, d), min(n, d) + 2} {
			for _, solver := range allSolvers {
				if fewer(false, (at+int(solver)/2+n+d)%2 > 0) {
					continue
				}
				enclosure := allEnclosures[(at+int(solver))%2]
				m := mustDo(Fit(bg, h.a, k, &Options{Solver: solver, Enclosure: enclosure}))(t)
				checkFeasible(t, m.Memberships)
				name := fmt.Sprintf("Fit %v %v k=%d", solver, enclosure, k)
				objective := h.held(t, name, k, m.Certificate, m.Centers, m.Memberships)
				// The subspace is that of a matrix within the Gram matrix's rounding. Its sum of squares
				// falls short by twice that at most (Ky Fan). The simplex and the memberships are rounded
				// from projections of length d, and the centers once more, to the size of the mean.
				root := math.Sqrt(float64(n))
				e := float64(2*k+d+8) * laEps * (math.Sqrt(h.total()) + root*h.far(m.Centers))
				e += 2 * root * laEps * norm2(h.mean)
				gap := 2*h.gram() + 2*math.Sqrt(double(h.floor(k)))*e + e*e
				if m.Solver == SolverKrylov {
					gap += krylovTol * h.total()
				}
				h.note(t, name+", gap", math.Abs(double(h.p.sub(objective, h.floor(k))))/h.orOne(gap))
				// On ties of few rows rounding keeps the floor's proof above its tolerance, which Status
				// says.
				if proved := m.FloorError <= krylovTol/2*m.Total; m.Status != StatusOptimal &&
					(proved || m.Solver != SolverKrylov) {
					t.Errorf("%s, %s: %v", name, h.family, m.Status)
				}
			}
		}
	})
}

// TestHardLogVolume: each singular value of the edges has the absolute error of sums of k
// differences, and of svdTolerance, relative to the largest.
func TestHardLogVolume(t *testing.T) {
	eachHard(t, func(h *hardMatrix) {
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
			s := h.p.singular(c)
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
				want += math.Log(double(h.p.times(s[i], -m))/float64(i+1)) + float64(m+h.exp)*math.Ln2
				tol += e / double(s[i])
			}
			if tol < 0.5 { // log(1+ε) ≤ 2ε
				h.note(t, "LogVolume", math.Abs(got-want)/(2*tol+float64(8*k)*laEps*(1+math.Abs(want))))
			}
		}
	})
}
