package softkmeans

// Slow answers with as many digits as they take, in math/big, to hold the
// package to: singular values and floors by one-sided Jacobi rotations, whose digits
// are proved by bigCheck, objectives, and simplex-constrained least squares by
// trying all supports.

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
)

// digits is a precision in bits, with the arithmetic of that precision.
type digits uint

func (p digits) num(v float64) *big.Float { return p.zero().SetFloat64(v) }

func (p digits) zero() *big.Float { return new(big.Float).SetPrec(uint(p)) }

func (p digits) add(x, y *big.Float) *big.Float { return p.zero().Add(x, y) }

func (p digits) sub(x, y *big.Float) *big.Float { return p.zero().Sub(x, y) }

func (p digits) mul(x, y *big.Float) *big.Float { return p.zero().Mul(x, y) }

func (p digits) quo(x, y *big.Float) *big.Float { return p.zero().Quo(x, y) }

func (p digits) sqrt(x *big.Float) *big.Float { return p.zero().Sqrt(x) }

// times is x·2^e.
func (p digits) times(x *big.Float, e int) *big.Float { return p.zero().SetMantExp(x, e) }

func (p digits) dot(x, y []*big.Float) *big.Float {
	sum, part := p.zero(), p.zero()
	for i := range x {
		sum.Add(sum, part.Mul(x[i], y[i]))
	}
	return sum
}

// double is the nearest float64, the largest where that would be infinite.
func double(x *big.Float) float64 {
	v, _ := x.Float64()
	return min(max(v, -math.MaxFloat64), math.MaxFloat64)
}

// bigRows are vectors, one a row.
type bigRows [][]*big.Float

// bigMatrix returns a with so many bits that sums and differences of its entries are
// exact, and 400 more.
func bigMatrix(a *Matrix) (bigRows, digits) {
	low, high := math.MaxInt, math.MinInt
	for i := range a.Rows {
		for _, v := range a.Row(i) {
			if v != 0 {
				x := big.NewFloat(v)
				e := x.MantExp(nil)
				low, high = min(low, e-int(x.MinPrec())), max(high, e)
			}
		}
	}
	p := digits(400)
	if low < high {
		p += digits(high - low)
	}
	return p.rows(a), p
}

// rows is a in this precision.
func (p digits) rows(a *Matrix) bigRows {
	rows := make(bigRows, a.Rows)
	for i := range rows {
		for _, v := range a.Row(i) {
			rows[i] = append(rows[i], p.num(v))
		}
	}
	return rows
}

// transposed is for rows of length d, of which there may be none.
func (m bigRows) transposed(d int) bigRows {
	t := make(bigRows, d)
	for j := range t {
		for i := range m {
			t[j] = append(t[j], m[i][j])
		}
	}
	return t
}

// centred is m without its mean row, which is exact but for one rounding of
// each entry.
func (m bigRows) centred(p digits) bigRows {
	out, n := make(bigRows, len(m)), p.num(float64(len(m)))
	for c := range m[0] {
		sum := p.zero()
		for i := range m {
			sum.Add(sum, m[i][c])
		}
		for i := range m {
			v := p.sub(p.mul(n, m[i][c]), sum)
			out[i] = append(out[i], v.Quo(v, n))
		}
	}
	return out
}

// bigSVD returns the singular values of m, descending, and the singular vectors as
// rows, by one-sided Jacobi rotations of the shorter side. Values that are nothing but
// rounding are 0, with left vectors of zeros.
func bigSVD(m bigRows, d int, p digits) (s []*big.Float, u, v bigRows) {
	if len(m) < d {
		s, v, u = bigSVD(m.transposed(d), len(m), p)
		return s, u, v
	}
	w := m.transposed(d)
	for j := range w {
		for i, x := range w[j] {
			w[j][i] = p.zero().Set(x)
		}
		v = append(v, make([]*big.Float, d))
		for i := range v[j] {
			v[j][i] = p.zero()
		}
		v[j][j] = p.num(1)
	}
	squares := make([]*big.Float, d)
	for j := range w {
		squares[j] = p.dot(w[j], w[j])
	}
	one, t1, t2 := p.num(1), p.zero(), p.zero()
	rotate := func(x, y []*big.Float, c, s *big.Float) {
		for i := range x {
			if x[i].Sign() == 0 && y[i].Sign() == 0 {
				continue
			}
			t1.Mul(c, x[i])
			t1.Sub(t1, t2.Mul(s, y[i]))
			t2.Mul(s, x[i])
			x[i].Set(t1)
			t1.Mul(c, y[i])
			y[i].Add(t1, t2)
		}
	}
	nothing := func(square *big.Float, shift int, top *big.Float) bool { // √square is below 2^-(p−shift)·√top
		return square.Sign() == 0 || square.Cmp(p.times(top, -2*(int(p)-shift))) <= 0
	}
	for done := false; !done; {
		done = true
		for i := range d {
			for j := i + 1; j < d; j++ {
				if squares[j].Cmp(squares[i]) > 0 {
					w[i], w[j], v[i], v[j], squares[i], squares[j] = w[j], w[i], v[j], v[i], squares[j], squares[i]
				}
			}
			for j := i + 1; j < d; j++ {
				if nothing(squares[j], 60, squares[0]) {
					continue
				}
				g := p.dot(w[i], w[j])
				if nothing(p.mul(g, g), 30, p.mul(squares[i], squares[j])) {
					continue
				}
				done = false
				z := p.sub(squares[j], squares[i])
				z.Quo(z, g.Add(g, g))
				root := p.mul(z, z)
				tn := p.zero().Abs(z)
				tn.Quo(one, tn.Add(tn, p.sqrt(root.Add(root, one))))
				if z.Sign() < 0 {
					tn.Neg(tn)
				}
				c := p.mul(tn, tn)
				c.Quo(one, p.sqrt(c.Add(c, one)))
				sn := p.mul(c, tn)
				rotate(w[i], w[j], c, sn)
				rotate(v[i], v[j], c, sn)
				squares[i], squares[j] = p.dot(w[i], w[i]), p.dot(w[j], w[j])
			}
		}
	}
	order := make([]int, d)
	for i := range order {
		order[i] = i
		for l := i; l > 0 && squares[order[l]].Cmp(squares[order[l-1]]) > 0; l-- {
			order[l], order[l-1] = order[l-1], order[l]
		}
	}
	sorted := make(bigRows, d)
	u = make(bigRows, d)
	for at, j := range order {
		sorted[at], u[at] = v[j], w[j]
		s = append(s, p.sqrt(squares[j]))
		if nothing(squares[j], 60, squares[order[0]]) {
			s[at] = p.zero()
		}
		for i, x := range u[at] {
			if s[at].Sign() == 0 {
				u[at][i] = p.zero()
			} else {
				u[at][i] = x.Quo(x, s[at])
			}
		}
	}
	return s, u, sorted
}

// bigCheck proves what bigSVD returned: m = UΣVᵀ to 2^-250 of the smallest value that is
// not 0, with vectors orthonormal to 2^-250, so that by Weyl's theorem each value has 240
// bits, or is 0.
func bigCheck(m bigRows, s []*big.Float, u, v bigRows, p digits) error {
	rank := 0
	for rank < len(s) && s[rank].Sign() > 0 {
		rank++
	}
	limit := p.zero()
	if rank > 0 {
		limit = p.times(s[rank-1], -250)
	}
	for i := range m {
		for j, x := range m[i] {
			r := p.zero().Set(x)
			for l := range rank {
				r.Sub(r, p.mul(s[l], p.mul(u[l][i], v[l][j])))
			}
			if r.Abs(r).Cmp(limit) > 0 {
				return fmt.Errorf("the oracle's residual is %.3g, its limit %.3g", r, limit)
			}
		}
	}
	unit := p.times(p.num(1), -250)
	for a := range rank {
		for b := range a + 1 {
			for _, q := range []bigRows{u, v} {
				e := p.dot(q[a], q[b])
				if a == b {
					e.Sub(e, p.num(1))
				}
				if e.Abs(e).Cmp(unit) > 0 {
					return fmt.Errorf("the oracle's vectors %d and %d are off by %.3g", a, b, e)
				}
			}
		}
	}
	return nil
}

// bigSingular are the singular values of a, to the last bit.
func bigSingular(t *testing.T, a *Matrix) []float64 {
	t.Helper()
	m, p := bigMatrix(a)
	s, u, v := bigSVD(m, a.Cols, p)
	if err := bigCheck(m, s, u, v, p); err != nil {
		t.Fatal(err)
	}
	out := make([]float64, len(s))
	for i, x := range s {
		out[i], _ = x.Float64()
	}
	return out
}

// bigSimplex is the smallest ‖x − Fᵀg‖² over g ≥ 0, Σg = 1, for the few rows of f: of all
// supports whose own minimum is inside of them the best. Those of dependent rows are
// covered by smaller ones.
func bigSimplex(x []*big.Float, f bigRows, p digits) *big.Float {
	p *= 2 // normal equations square the condition
	difference := func(a, b []*big.Float) []*big.Float {
		out := make([]*big.Float, len(a))
		for i := range a {
			out[i] = p.sub(a[i], b[i])
		}
		return out
	}
	var best *big.Float
	for set := 1; set < 1<<len(f); set++ {
		var edges bigRows // and last x itself, all from the first vertex
		first := -1
		for j := range f {
			switch {
			case set>>j&1 == 0:
			case first < 0:
				first = j
			default:
				edges = append(edges, difference(f[j], f[first]))
			}
		}
		n := len(edges)
		edges = append(edges, difference(x, f[first]))
		a := make(bigRows, n+1) // [EEᵀ Ey; yᵀEᵀ yᵀy]: eliminated, its corner is what is left of ‖y‖²
		for i := range a {
			for l := range a {
				a[i] = append(a[i], p.dot(edges[i], edges[l]))
			}
		}
		regular := true
		for l := range n {
			if size := p.dot(edges[l], edges[l]); a[l][l].Cmp(p.times(size, 100-int(p))) <= 0 {
				regular = false
				break
			}
			for i := l + 1; i <= n; i++ {
				q := p.quo(a[i][l], a[l][l])
				for c := l; c <= n; c++ {
					a[i][c].Sub(a[i][c], p.mul(q, a[l][c]))
				}
			}
		}
		if !regular {
			continue
		}
		left, inside := p.num(1), true
		for i := n - 1; i >= 0; i-- {
			g := a[i][n]
			for l := i + 1; l < n; l++ {
				g.Sub(g, p.mul(a[i][l], a[l][n]))
			}
			g.Quo(g, a[i][i])
			left.Sub(left, g)
			inside = inside && g.Sign() >= 0
		}
		if inside && left.Sign() >= 0 && (best == nil || a[n][n].Cmp(best) < 0) {
			best = a[n][n]
		}
	}
	return best
}

// bigObjective is Σw‖x − Σg_j f_j‖² exactly, but for one rounding of each square, for
// memberships put on the simplex: negative ones are 0, and a row is divided by its sum; for
// SumAtMostOne where that is above 1. nil weights are 1; those below leastScale count as 0.
func bigObjective(x, f, g *Matrix, w []float64, rule Sum) *big.Float {
	const p digits = 6000
	total, scaled, exp := p.zero(), scaledWeights(w, x.Rows), weightExp(w)
	for i := range x.Rows {
		over, members := p.zero(), make([]*big.Float, f.Rows)
		for j, v := range g.row(i) {
			members[j] = p.num(max(v, 0))
			over.Add(over, members[j])
		}
		if over.Sign() == 0 && rule == SumToOne {
			for j := range members {
				members[j] = p.num(1)
			}
			over = p.num(float64(f.Rows))
		}
		if rule == SumAtMostOne && over.Cmp(p.num(1)) < 0 {
			over = p.num(1)
		}
		square := p.zero()
		for c := range x.Cols { // the residual times over, which is exact
			r := p.mul(over, p.num(x.At(i, c)))
			for j, v := range members {
				r.Sub(r, p.mul(v, p.num(f.At(j, c))))
			}
			square.Add(square, r.Mul(r, r))
		}
		square.Mul(square, p.num(scaled[i]))
		total.Add(total, square.Quo(square, over.Mul(over, over)))
	}
	return p.times(total, exp)
}

// weightExp is the power of two that weights are divided by.
func weightExp(w []float64) (exp int) {
	if w != nil {
		_, exp = math.Frexp(slices.Max(w))
	}
	return exp
}

// bigFloors returns Σ_{i≥k}σ_i² of √w·(x − mean) for k = 1 … min(n, d)+1. nil weights are
// 1; those below leastScale count as 0.
func bigFloors(x *Matrix, w []float64) []*big.Float {
	rows, p := bigMatrix(x)
	if w != nil {
		p += 1100
	}
	rows = p.rows(x)
	all, scaled, exp := p.zero(), scaledWeights(w, x.Rows), weightExp(w)
	mean := make([]*big.Float, x.Cols)
	for c := range mean {
		mean[c] = p.zero()
	}
	for i, row := range rows {
		weight := p.num(scaled[i])
		all.Add(all, weight)
		for c, v := range row {
			mean[c].Add(mean[c], p.mul(weight, v))
		}
	}
	for _, v := range mean {
		v.Quo(v, all)
	}
	for i, row := range rows {
		root := p.sqrt(p.num(scaled[i]))
		for c, v := range row {
			row[c] = p.mul(root, p.sub(v, mean[c]))
		}
	}
	var values []*big.Float // σ²
	if x.Rows > 20*x.Cols { // the singular values of the scatter, in twice the digits
		p *= 2
		columns := rows.transposed(x.Cols)
		gram := make(bigRows, x.Cols)
		for a := range gram {
			for b := range gram {
				gram[a] = append(gram[a], p.dot(columns[a], columns[b]))
			}
		}
		values, _, _ = bigSVD(gram, x.Cols, p)
	} else {
		values, _, _ = bigSVD(rows, x.Cols, p)
		for _, v := range values {
			v.Mul(v, v)
		}
	}
	floors := []*big.Float{p.zero()}
	for i := min(x.Rows, x.Cols) - 1; i >= 0; i-- {
		floors = append(floors, p.add(floors[len(floors)-1], p.times(values[i], exp)))
	}
	slices.Reverse(floors)
	return floors
}

// bigMoments returns the weighted mean and Σw(x − mean)(x − mean)ᵀ, in units of 2^exp for
// entries and 2^wexp for weights. nil weights are 1; those below leastScale count as 0.
func bigMoments(x *Matrix, w []float64, u units) (mean []*big.Float, scatter bigRows) {
	const p digits = 4000
	scaled, all := scaledWeights(w, x.Rows), p.zero()
	for c := range x.Cols {
		mean = append(mean, p.zero())
		scatter = append(scatter, nil)
		for range x.Cols {
			scatter[c] = append(scatter[c], p.zero())
		}
	}
	for i, w := range scaled {
		all.Add(all, p.num(w))
		for c, v := range x.row(i) {
			mean[c].Add(mean[c], p.mul(p.num(w), p.num(v)))
		}
	}
	for _, v := range mean {
		v.Quo(v, all)
	}
	for i, w := range scaled {
		for a := range mean {
			left := p.mul(p.num(w), p.sub(p.num(x.At(i, a)), mean[a]))
			for b := range mean {
				scatter[a][b].Add(scatter[a][b], p.mul(left, p.sub(p.num(x.At(i, b)), mean[b])))
			}
		}
	}
	for a, v := range mean {
		v.SetMantExp(v, -u.exp)
		for _, v := range scatter[a] {
			v.SetMantExp(v, weightExp(w)-u.wexp-2*u.exp)
		}
	}
	return mean, scatter
}

// bigApart returns how far a + rest is from want: the length of the difference, and of
// matrices that of the trace, if it is more.
func bigApart(a, rest []float64, want bigRows) float64 {
	const p digits = 4000
	sum, diagonal := p.zero(), p.zero()
	for i, row := range want {
		for j, v := range row {
			d := p.sub(p.add(p.num(a[i*len(row)+j]), p.num(rest[i*len(row)+j])), v)
			if i == j && len(want) > 1 {
				diagonal.Add(diagonal, d)
			}
			sum.Add(sum, d.Mul(d, d))
		}
	}
	return max(double(p.sqrt(sum)), math.Abs(double(diagonal)))
}

// bigFloor is that of k centers.
func bigFloor(floors []*big.Float, k int) *big.Float { return floors[min(k, len(floors))-1] }

// checkFloor fails unless the exact floor is within floorError of floor, but for squares
// below the range of float64: lost.
func checkFloor(t testing.TB, name string, floor, floorError float64, exact *big.Float, lost float64) {
	t.Helper()
	if floor == math.MaxFloat64 && double(exact) == floor {
		return
	}
	off := new(big.Float).SetPrec(6000).SetFloat64(floor)
	off.Sub(off, exact)
	if off.Abs(off); off.Cmp(new(big.Float).SetPrec(200).Add(big.NewFloat(floorError), big.NewFloat(lost))) > 0 {
		t.Errorf("%s: floor %g within %g, but the minimum is %g, %.3g off", name, floor, floorError, double(exact), double(off))
	}
}

// hides is the root of Σw·hidden² for what rounding can hide of the residuals, with the
// bound of newResidual: 3k+4 roundings of Σg_j‖f_j − mean‖.
func hides(x *Matrix, w []float64, f, g *Matrix, rule Sum) (length float64) {
	scaled, all := scaledWeights(w, x.Rows), 0.0
	mean := make([]float64, x.Cols)
	for _, w := range scaled {
		all += w
	}
	for i, w := range scaled {
		if w > 0 && rule == SumToOne {
			axpy(mean, w/all, x.row(i))
		}
	}
	distances := make([]float64, f.Rows)
	for j := range distances {
		row := slices.Clone(f.row(j))
		axpy(row, -1, mean)
		distances[j] = norm2(row)
	}
	for i, w := range scaled {
		over, hidden := rule.divisor(g.row(i)), 0.0
		for j, v := range g.row(i) {
			hidden += member(v, over, f.Rows) * distances[j]
		}
		length = math.Hypot(length, math.Sqrt(w)*hidden)
	}
	return float64(3*f.Rows+4) * 0x1p-53 * length * math.Sqrt(math.Ldexp(1, weightExp(w)))
}

// checkObjective fails unless objective is an upper bound of the exact one, and above it by
// no more than rounding and the bound of that: each hides as much. Squares below the range
// of float64 may be lost.
func checkObjective(t testing.TB, name string, objective float64, exact *big.Float, hidden, lost float64) {
	t.Helper()
	least := new(big.Float).SetPrec(200).Sub(exact, big.NewFloat(lost))
	root := math.Sqrt(double(exact)) + 2.2*hidden
	most := min(root*root*(1+0x1p-38)+lost, math.MaxFloat64)
	if objective < math.MaxFloat64 && big.NewFloat(objective).Cmp(least) < 0 || !(objective <= most) {
		t.Errorf("%s: objective %g, the exact one is %g and the most %g", name, objective, double(exact), most)
	}
}

// lostSquares is what squares below 2^-1000 of the largest entry and weight can add up to,
// and numbers below the range of float64.
func lostSquares(x *Matrix, w []float64) float64 {
	_, exp := math.Frexp(largestWeighted(x, w))
	size := float64(x.Rows*x.Cols + 4)
	return min(math.Ldexp(size, 2*exp+weightExp(w)-990)+size*0x1p-1070, math.MaxFloat64)
}

// centersOff bounds what the rounding of centers and memberships adds to ‖X − GF‖, as
// enclosure.missed derives it: less than 8k(k+9)u of the centers' distance from the mean,
// for simplex, memberships and centers; and one rounding of the mean there and here, with a
// bound of the first.
func centersOff(f *Matrix, mean []float64, weight float64) float64 {
	reach, k := 0.0, float64(f.Rows)
	for j := range f.Rows {
		row := slices.Clone(f.row(j))
		axpy(row, -1, mean)
		reach = max(reach, norm2(row))
	}
	return math.Sqrt(weight) * 0x1p-53 * (8*k*(k+9)*reach + 3*norm2(mean))
}

// checkPlaced fails unless a global solution without memberships, for data of the given
// mean and weight, is as near the minimum as it can be: its objective is an upper bound,
// and more by the rounding of centersOff, by what the basis may capture too little, twice
// FloorError, and by what rounding hides in coordinates and residuals, 8(k+9)u of √Total.
func checkPlaced(t testing.TB, name string, m *Model, mean []float64, weight float64, minimum *big.Float, lost float64) {
	t.Helper()
	checkFloor(t, name, m.Floor, m.FloorError, minimum, lost)
	if least := new(big.Float).SetPrec(200).Sub(minimum, big.NewFloat(lost)); m.Objective < math.MaxFloat64 && big.NewFloat(m.Objective).Cmp(least) < 0 {
		t.Errorf("%s: objective %g is below the minimum %g", name, m.Objective, double(minimum))
	}
	if most := placedMost(m, mean, weight, double(minimum)+lost); !(m.Objective <= most) {
		t.Errorf("%s: objective %g, at most %g; the minimum is %g", name, m.Objective, most, double(minimum))
	}
}

// placedMost is the most that checkPlaced allows.
func placedMost(m *Model, mean []float64, weight, minimum float64) float64 {
	root := math.Sqrt(minimum+2*m.FloorError)*(1+1e-12) + centersOff(m.Centers, mean, weight) + 8*float64(m.Centers.Rows+9)*0x1p-53*math.Sqrt(m.Total)
	return root * root * (1 + 1e-12)
}

// largestWeighted is the largest entry of a row of positive weight.
func largestWeighted(x *Matrix, w []float64) (top float64) {
	for i := range x.Rows {
		if w == nil || w[i] > slices.Max(w)*leastScale { // below, a weight counts as 0
			v, _ := rowMaxAbs(x.row(i))
			top = max(top, v)
		}
	}
	return top
}

// checkCertificate holds a certificate of memberships that add up to 1 to its theorems: the
// minimum is at least Floor − FloorError, the objective of the repaired memberships at most
// Objective, and so at most Excess above the minimum.
func checkCertificate(t testing.TB, name string, x *Matrix, w []float64, f, g *Matrix, c Certificate) {
	t.Helper()
	objective, minimum, lost := bigObjective(x, f, g, w, SumToOne), bigFloor(bigFloors(x, w), f.Rows), lostSquares(x, w)
	if top := largestWeighted(x, w); c.Objective < math.MaxFloat64 || top == 0 || maxAbs(f) <= 1e150*top { // beyond, squares may be out of range
		checkObjective(t, name, c.Objective, objective, hides(x, w, f, g, SumToOne), lost)
	}
	checkFloor(t, name, c.Floor, c.FloorError, minimum, lost)
	above := new(big.Float).SetPrec(6000).Sub(objective, minimum)
	if c.Excess < math.MaxFloat64 && above.Cmp(new(big.Float).SetPrec(200).Add(big.NewFloat(c.Excess), big.NewFloat(lost))) > 0 {
		t.Errorf("%s: %g above the minimum, Excess is %g", name, double(above), c.Excess)
	}
	if share := new(big.Float).SetPrec(200).Quo(big.NewFloat(c.Excess), big.NewFloat(max(c.Total, 0x1p-1074))); c.Total < math.MaxFloat64 && c.Total > 1e-280 && c.Excess < math.MaxFloat64 && c.ExcessShare < math.MaxFloat64 &&
		(c.ExcessShare < double(share)*(1-1e-12) || c.FloorError < 1e-9*c.Total && c.ExcessShare > double(share)*(1+1e-8)) {
		t.Errorf("%s: ExcessShare %g, Excess %g, Total %g", name, c.ExcessShare, c.Excess, c.Total)
	}
}

// TestBigOracle: the oracle itself, on a diagonal with a known rotation.
func TestBigOracle(t *testing.T) {
	got := bigSingular(t, NewMatrix(2, 2, []float64{3, 4, 4, -3}))
	if got[0] != 5 || got[1] != 5 {
		t.Error(got)
	}
}

// oracle finds floors and total the slow and obvious way: centre the data,
// form the smaller Gram matrix entry by entry, and diagonalise it with the
// classical Jacobi method. x must be of moderate size.
func oracle(x *Matrix, w []float64) (floors []float64, total float64) {
	n, d := x.Rows, x.Cols
	mean, weight := make([]float64, d), 0.0
	at := func(i int) float64 {
		if w == nil {
			return 1
		}
		return w[i]
	}
	for i := range n {
		weight += at(i)
	}
	for j := range d {
		for i := range n {
			mean[j] += at(i) * (x.At(i, j) - x.At(0, j))
		}
		mean[j] = x.At(0, j) + mean[j]/weight
	}
	m := min(n, d)
	a := make([][]float64, m)
	for p := range m {
		a[p] = make([]float64, m)
		for q := range m {
			if d <= n {
				for i := range n {
					a[p][q] += at(i) * (x.At(i, p) - mean[p]) * (x.At(i, q) - mean[q])
				}
			} else {
				for j := range d {
					a[p][q] += math.Sqrt(at(p)*at(q)) * (x.At(p, j) - mean[j]) * (x.At(q, j) - mean[j])
				}
			}
		}
	}
	for p := range m {
		total += a[p][p]
	}
	for range 50 {
		off := 0.0
		for p := range m {
			for q := p + 1; q < m; q++ {
				off += a[p][q] * a[p][q]
				if a[p][q] == 0 {
					continue
				}
				angle := 0.5 * math.Atan2(2*a[p][q], a[p][p]-a[q][q])
				c, s := math.Cos(angle), math.Sin(angle)
				for i := range m {
					a[i][p], a[i][q] = c*a[i][p]+s*a[i][q], c*a[i][q]-s*a[i][p]
				}
				for i := range m {
					a[p][i], a[q][i] = c*a[p][i]+s*a[q][i], c*a[q][i]-s*a[p][i]
				}
			}
		}
		if off <= 1e-34*total*total {
			break
		}
	}
	values := make([]float64, m)
	for p := range m {
		values[p] = max(a[p][p], 0)
	}
	order := descending(values)
	floors = make([]float64, m+1)
	for i := m - 1; i >= 0; i-- {
		floors[i] = floors[i+1] + values[order[i]]
	}
	return floors, total
}
