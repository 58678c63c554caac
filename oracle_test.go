package softkmeans

// Slow answers in math/big to hold the package to: what is true of a table, and of centers
// and memberships for it. Floats count as the exact numbers that they are.

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"testing"
)

// digits is a precision in bits, with the arithmetic of that precision.
type digits uint

// The digits of truth: of differences from the mean, which may cancel all but the last bits
// of entries of any size, and of sums of squares.
const (
	centringDigits digits = 1200
	truthDigits    digits = 384
)

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

// spreadOf is the number of bits in which sums of the entries are exact, but for carries.
func spreadOf(ms ...*Matrix) digits {
	low, high := math.MaxInt, math.MinInt
	for _, m := range ms {
		for i := range m.Rows {
			for _, v := range m.Row(i) {
				if v != 0 {
					x := big.NewFloat(v)
					e := x.MantExp(nil)
					low, high = min(low, e-int(x.MinPrec())), max(high, e)
				}
			}
		}
	}
	return digits(max(high, low) - low)
}

// bigMatrix returns a with so many bits that sums and differences of its entries are exact, and 400 more.
func bigMatrix(a *Matrix) (bigRows, digits) {
	p := 400 + spreadOf(a)
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

// centred is m without its mean row, which is exact but for one rounding of each entry.
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

// squares returns the squared singular values of m, descending: the eigenvalues of its
// smaller Gram matrix. What is nothing but rounding is 0.
func (p digits) squares(m bigRows) []*big.Float {
	if len(m) > len(m[0]) {
		m = m.transposed(len(m[0]))
	}
	a := make(bigRows, len(m))
	for i := range a {
		for l := range a {
			if l < i {
				a[i] = append(a[i], p.zero().Set(a[l][i]))
			} else {
				a[i] = append(a[i], p.dot(m[i], m[l]))
			}
		}
	}
	values := p.eigenvalues(a)
	for _, v := range values {
		if v.Cmp(p.times(values[0], 64-int(p))) < 0 {
			v.SetInt64(0)
		}
	}
	return values
}

// singular returns the singular values of m, whose rows have p digits.
func (p digits) singular(m bigRows) (s []*big.Float) {
	for _, v := range (2 * p).squares(m) {
		s = append(s, p.sqrt(v))
	}
	return s
}

// eigenvalues of a symmetric matrix, descending, by Jacobi rotations; a is overwritten.
// What is left beside the diagonal is below 2^(44−p) of the trace.
func (p digits) eigenvalues(a bigRows) (values []*big.Float) {
	m := len(a)
	trace := p.zero()
	for i := range a {
		trace.Add(trace, a[i][i])
	}
	one, t1, t2, c, s, tn := p.num(1), p.zero(), p.zero(), p.zero(), p.zero(), p.zero()
	small := func(v *big.Float) bool {
		return v.Sign() == 0 || v.MantExp(nil) < trace.MantExp(nil)+40-int(p)
	}
	rotate := func(x, y *big.Float) { // x, y = cx − sy, sx + cy
		t1.Sub(t1.Mul(c, x), t2.Mul(s, y))
		t2.Mul(s, x)
		y.Add(t2, y.Mul(c, y))
		x.Set(t1)
	}
	for done := m == 1; !done; {
		done = true
		for i := range m {
			for j := i + 1; j < m; j++ {
				if small(a[i][j]) {
					continue
				}
				done = false
				tn.Sub(a[j][j], a[i][i])
				tn.Quo(tn, t1.Add(a[i][j], a[i][j]))
				negative := tn.Sign() < 0
				tn.Abs(tn)
				t1.Mul(tn, tn)
				tn.Quo(one, tn.Add(tn, t2.Sqrt(t1.Add(t1, one))))
				if negative {
					tn.Neg(tn)
				}
				t1.Mul(tn, tn)
				c.Quo(one, t2.Sqrt(t1.Add(t1, one)))
				s.Mul(c, tn)
				for l := range m {
					rotate(a[l][i], a[l][j])
				}
				for l := range m {
					rotate(a[i][l], a[j][l])
				}
			}
		}
	}
	for i := range a {
		values = append(values, a[i][i])
	}
	slices.SortFunc(values, func(x, y *big.Float) int { return y.Cmp(x) })
	return values
}

// truth contains the exact minimum of the squared error of a table, for every k.
type truth struct {
	x      *Matrix
	sum    Sum
	w      []*big.Float // as given, 0 for rows that do not count
	floors []*big.Float // [k−1]: the minimum for k centers; the last is 0
	total  *big.Float
	off    *big.Float // bounds the error of the oracle, and numbers below the range of float64
	lost   *big.Float // what squares that count as 0 add up to
}

// truthOf takes the spectrum of the rows about their mean; about 0 for SumAtMostOne, whose floors[k] is the
// bound for k centers. If order is not nil, row i of the table is row order[i] of x, so that a row of x may
// count several times.
func truthOf(x *Matrix, w []float64, order []int, sum Sum) *truth {
	p := truthDigits
	q := &truth{x: x, sum: sum, w: bigWeights(w, x.Rows), total: p.zero()}
	if order != nil {
		times := make([]float64, x.Rows)
		for _, i := range order {
			times[i]++
		}
		for i, v := range times {
			q.w[i] = p.mul(q.w[i], p.num(v))
		}
	}
	weight := centringDigits.zero()
	for _, v := range q.w {
		weight.Add(weight, v)
	}
	q.lost = p.num(lostSquares(x, w))
	q.lost.Mul(q.lost, p.num(float64(max(1, len(order)))))
	rows := q.centred(weight)
	for i, row := range rows {
		root := p.sqrt(q.w[i])
		for _, v := range row {
			v.Mul(v, root)
		}
	}
	q.floors = []*big.Float{q.total}
	for _, v := range slices.Backward(p.squares(rows)) {
		q.total = p.add(q.total, v)
		q.floors = append(q.floors, q.total)
	}
	slices.Reverse(q.floors)
	most := centringDigits.num(maxAbs(x))
	q.off = p.add(p.times(q.total, 64-int(p)), p.num(0x1p-1074))
	q.off.Add(q.off, p.times(most.Mul(most.Mul(most, most), weight), -2*int(centringDigits)+64))
	return q
}

// bigWeights are the weights of n rows; nil: all 1. Those below leastScale count as 0.
func bigWeights(w []float64, n int) (out []*big.Float) {
	for i, v := range scaledWeights(w, n) {
		if w != nil && v > 0 {
			v = w[i]
		}
		out = append(out, truthDigits.num(v))
	}
	return out
}

// centred returns the rows less their weighted mean, for SumAtMostOne as they are.
func (q *truth) centred(weight *big.Float) bigRows {
	p := centringDigits
	rows, part := p.rows(q.x), p.zero()
	for c := range q.x.Cols {
		mean := p.zero()
		for i, row := range rows {
			mean.Add(mean, part.Mul(row[c], q.w[i]))
		}
		mean.Quo(mean, weight)
		for _, row := range rows {
			if q.sum == SumToOne {
				row[c].Sub(row[c], mean)
			}
			row[c].SetPrec(uint(truthDigits))
		}
	}
	return rows
}

// minimum is the least that k centers can leave; with SumAtMostOne a bound of it.
func (q *truth) minimum(k int) *big.Float {
	if q.sum == SumToOne {
		k--
	}
	return q.floors[min(k, len(q.floors)-1)]
}

// objective is ‖X − GF‖², weighted and exact but for one rounding of each square, for memberships put
// on the simplex. Negative ones are 0, and a row is divided by its sum, for SumAtMostOne if that is above 1.
// A row without a positive entry has 1/k each; 0 for SumAtMostOne.
func (q *truth) objective(f, g *Matrix) *big.Float {
	p := truthDigits + spreadOf(q.x, f) + spreadOf(g)
	centers, total := p.rows(f), p.zero()
	r, part := p.zero(), p.zero()
	for i, w := range q.w {
		if w.Sign() == 0 {
			continue
		}
		over, members := p.zero(), make([]*big.Float, f.Rows)
		for j, v := range g.row(i) {
			members[j] = p.num(max(v, 0))
			over.Add(over, members[j])
		}
		switch {
		case q.sum == SumAtMostOne && over.Cmp(p.num(1)) < 0:
			over.SetInt64(1)
		case over.Sign() == 0:
			for _, v := range members {
				v.SetInt64(1)
			}
			over.SetInt64(int64(f.Rows))
		}
		square := p.zero()
		for c, v := range q.x.row(i) { // over times the residual
			r.Mul(over, p.num(v))
			for j, v := range members {
				r.Sub(r, part.Mul(v, centers[j][c]))
			}
			square.Add(square, part.Mul(r, r))
		}
		total.Add(total, square.Quo(square.Mul(square, w), part.Mul(over, over)))
	}
	return total
}

// certificate fails for every claim of a pair's certificates that is false. It returns how close to
// a lie excess, objective and floor come.
func (q *truth) certificate(t testing.TB, name any, f, g *Matrix, all ...Certificate) (lies [3]float64) {
	t.Helper()
	objective, most := q.objective(f, g), largestRepair(g, q.sum)
	for i, c := range all {
		claim(t, math.Abs(c.Repair-most) <= 0x1p-48*(most+1), "Repair is %g, claimed %g: %v", most, c.Repair,
			name)
		for j, lie := range q.claims(t, name, f.Rows, objective, c) {
			if i == 0 || lie > lies[j] {
				lies[j] = lie
			}
		}
	}
	return lies
}

// claims judges a certificate of k centers with an exact objective.
func (q *truth) claims(t testing.TB, name any, k int, objective *big.Float, c Certificate) (lies [3]float64) {
	t.Helper()
	p, minimum := truthDigits, q.minimum(k)
	above := p.sub(objective, minimum)
	off := p.add(q.off, p.times(p.add(objective, q.total), 64-int(p)))
	judge := func(what string, is, claimed *big.Float) {
		t.Helper()
		claim(t, p.sub(is, claimed).Cmp(off) <= 0, "%s is %g, claimed are %g: %v", what, is, claimed, name)
	}
	for _, tol := range []float64{1e-12, 0, 1e-6} {
		if c.Optimal(tol) {
			judge("Optimal", above, p.mul(p.num(cmp.Or(tol, 1e-9)), q.total))
		}
	}
	if c.Excess() < math.MaxFloat64 {
		judge("Excess", above, p.num(c.Excess()))
	}
	if c.ExcessShare() < math.MaxFloat64 {
		judge("ExcessShare", above, p.mul(p.num(c.ExcessShare()), q.total))
	}
	if c.ExcessFloors() < math.MaxFloat64 {
		proved := p.sub(p.num(c.Floor), p.num(c.FloorError))
		if c.Floor < 0x1p-900 || c.Floor == math.MaxFloat64 { // whose digits are lost
			proved = minimum
		}
		judge("ExcessFloors", above, p.mul(p.num(c.ExcessFloors()), proved))
	}
	lies[0] = double(above) / max(double(q.total), math.SmallestNonzeroFloat64) / max(c.ExcessShare(), 1e-13)
	if c.Optimal(1e-6) { // a search stays where there are verdicts
		lies[0] += 10
	}
	if claimed := p.num(c.Objective); c.Objective < math.MaxFloat64 {
		judge("Objective", objective, claimed)
		lies[1] = double(p.sub(objective, claimed)) / max(c.Objective, math.SmallestNonzeroFloat64)
	}
	lies[2] = q.floor(t, name, k, c.Floor, c.FloorError)
	return lies
}

// floor fails unless the minimum for k centers is within floorError of floor.
func (q *truth) floor(t testing.TB, name any, k int, floor, floorError float64) (lie float64) {
	t.Helper()
	if max(floor, floorError) == math.MaxFloat64 {
		return 0
	}
	above := truthDigits.sub(truthDigits.num(floor), q.minimum(k))
	claim(t, truthDigits.sub(above, truthDigits.num(floorError)).Cmp(q.off) <= 0,
		"a floor of %g ± %g for %d centers, the minimum is %g: %v", floor, floorError, k, q.minimum(k), name)
	below := truthDigits.sub(truthDigits.sub(q.minimum(k), truthDigits.num(floor)), truthDigits.add(q.off, q.lost))
	claim(t, below.Cmp(truthDigits.num(floorError)) <= 0, "a floor of %g ± %g, the minimum is %g: %v", floor,
		floorError, q.minimum(k), name)
	return double(above) / max(floorError, math.SmallestNonzeroFloat64)
}

// model fails for every claim of a fit of k centers that is false. It returns how close its
// floor comes to a lie.
func (q *truth) model(t testing.TB, name any, k int, m *Model) (lie float64) {
	t.Helper()
	p, c := truthDigits, m.Certificate
	if m.Objective == math.MaxFloat64 {
		return q.floor(t, name, k, m.Floor, m.FloorError)
	}
	above, off := p.sub(p.num(m.Objective), q.minimum(k)), p.add(q.off, q.lost)
	claim(t, above.Cmp(p.zero().Neg(off)) >= 0, "an objective of %g, the minimum is %g: %v", m.Objective,
		q.minimum(k), name)
	claim(t, m.Objective >= m.Floor-m.FloorError, "an objective of %g with the floor %g ± %g: %v",
		m.Objective, m.Floor, m.FloorError, name)
	claim(t, !c.Optimal(0) || p.sub(above, p.mul(p.num(1e-9), q.total)).Cmp(off) <= 0,
		"optimal, %g above the minimum %g: %v", above, q.minimum(k), name)
	if gap := (m.Objective - m.Floor) / m.Total; m.Total > 0x1p-900 && m.Total < math.MaxFloat64 {
		claim(t, math.Abs(m.Gap-gap) <= 1e-13*(1+math.Abs(gap)), "a gap of %g, claimed %g: %v", gap,
			m.Gap, name)
	}
	return q.floor(t, name, k, m.Floor, m.FloorError)
}

// largestRepair is the largest |g′ − g|, but for (k + 3)·2^-53 times 1 + |g|.
func largestRepair(g *Matrix, rule Sum) (most float64) {
	for i := range g.Rows {
		sum := 0.0
		for _, v := range g.row(i) {
			sum += max(v, 0)
		}
		if rule == SumAtMostOne {
			sum = max(sum, 1)
		}
		for _, v := range g.row(i) {
			to := 1 / float64(g.Cols)
			if sum > 0 {
				to = max(v, 0) / sum
			}
			most = max(most, math.Abs(to-v))
		}
	}
	return most
}

// bigObjective is the objective of truth.
func bigObjective(x, f, g *Matrix, w []float64, rule Sum) *big.Float {
	return (&truth{x: x, w: bigWeights(w, x.Rows), sum: rule}).objective(f, g)
}

// bigFloors are the floors of truth.
func bigFloors(x *Matrix, w []float64) []*big.Float { return truthOf(x, w, nil, SumToOne).floors }

// bigFloor is that of k centers.
func bigFloor(floors []*big.Float, k int) *big.Float { return floors[min(k, len(floors))-1] }

// weightExp is the power of two that weights are divided by.
func weightExp(w []float64) (exp int) {
	if w != nil {
		_, exp = math.Frexp(slices.Max(w))
	}
	return exp
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

// checkFloor fails unless the exact floor is within floorError of floor, but for squares
// below the range of float64: lost.
func checkFloor(t testing.TB, name string, floor, floorError float64, exact *big.Float, lost float64) {
	t.Helper()
	if floor == math.MaxFloat64 && double(exact) == floor {
		return
	}
	off := new(big.Float).SetPrec(6000).SetFloat64(floor)
	off.Sub(off, exact)
	if off.Abs(off); off.Cmp(new(big.Float).SetPrec(200).Add(big.NewFloat(floorError),
		big.NewFloat(lost))) > 0 {
		t.Errorf("%s: floor %g within %g, but the minimum is %g, %.3g off", name, floor, floorError,
			double(exact), double(off))
	}
}

// hides returns √(Σw·b²). b bounds the rounding of a row's residual, as in certificate.go: 3k+4 roundings of
// Σg_j‖f_j − mean‖.
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

// checkObjective fails if objective is below the exact one. It also fails if the root of objective exceeds
// the exact root by over 2.2·hidden, apart from room. Squares below the range of float64 may be lost.
func checkObjective(t testing.TB, name string, objective float64, exact *big.Float, hidden, lost, room float64) {
	t.Helper()
	least := new(big.Float).SetPrec(200).Sub(exact, big.NewFloat(lost))
	root := math.Sqrt(double(exact)) + 2.2*hidden
	most := min(root*root*(1+0x1p-38)+room, math.MaxFloat64)
	if objective < math.MaxFloat64 && big.NewFloat(objective).Cmp(least) < 0 || !(objective <= most) {
		t.Errorf("%s: objective %g, the exact one is %g and the most %g", name, objective, double(exact),
			most)
	}
}

// lostSquares is what squares below 2^-1000 of the largest entry and weight can add up to,
// and numbers below the range of float64.
func lostSquares(x *Matrix, w []float64) float64 {
	_, exp := math.Frexp(largestWeighted(x, w))
	size := float64(x.Rows*x.Cols + 4)
	return min(math.Ldexp(size, 2*exp+weightExp(w)-990)+size*0x1p-1070, math.MaxFloat64)
}

// centersOff bounds what the rounding of centers and memberships adds to ‖X − GF‖, as enclosure.missed
// derives it: less than 8k(k+9)u of the centers' distance from the mean, for simplex, memberships and
// centers; and one rounding of the mean there and here, with a bound of the first.
func centersOff(f *Matrix, mean []float64, weight float64) float64 {
	reach, k := 0.0, float64(f.Rows)
	for j := range f.Rows {
		row := slices.Clone(f.row(j))
		axpy(row, -1, mean)
		reach = max(reach, norm2(row))
	}
	return math.Sqrt(weight) * 0x1p-53 * (8*k*(k+9)*reach + 3*norm2(mean))
}

// checkPlaced fails unless a global solution without memberships, for data of the given mean and weight, is
// near the minimum. Its objective must be an upper bound. It may exceed the minimum by twice FloorError,
// which the basis may lose. Its root may exceed that by centersOff, and by 8(k+9)u of √Total for the rounding
// of coordinates and residuals.
func checkPlaced(t testing.TB, name string, m *Model, mean []float64, weight float64, minimum *big.Float,
	lost float64) {
	t.Helper()
	checkFloor(t, name, m.Floor, m.FloorError, minimum, lost)
	if least := new(big.Float).SetPrec(200).Sub(minimum, big.NewFloat(lost)); m.Objective < math.MaxFloat64 &&
		big.NewFloat(m.Objective).Cmp(least) < 0 {
		t.Errorf("%s: objective %g is below the minimum %g", name, m.Objective, double(minimum))
	}
	root := math.Sqrt(double(minimum)+lost+2*m.FloorError)*(1+1e-12) + centersOff(m.Centers, mean, weight) +
		8*float64(m.Centers.Rows+9)*0x1p-53*math.Sqrt(m.Total)
	if most := root * root * (1 + 1e-12); !(m.Objective <= most) {
		t.Errorf("%s: objective %g, at most %g; the minimum is %g", name, m.Objective, most, double(minimum))
	}
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

// checkCertificate holds a certificate of memberships that add up to 1 to the truth, and its
// objective and floor to their bounds on the other side.
func checkCertificate(t testing.TB, name string, x *Matrix, w []float64, f, g *Matrix, c Certificate) {
	t.Helper()
	q, lost := truthOf(x, w, nil, SumToOne), lostSquares(x, w)
	q.certificate(t, name, f, g, c)
	top := largestWeighted(x, w)
	// Beyond, squares may be out of range.
	if c.Objective < math.MaxFloat64 || top == 0 || maxAbs(f) <= 1e150*top {
		room := lost
		if c.Solver == SolverGram && c.Gap <= clearGap { // of Fit it may be that of projectedObjective
			room += clearGap * min(c.Total, 10*c.Floor)
		}
		checkObjective(t, name, c.Objective, q.objective(f, g), hides(x, w, f, g, SumToOne), lost, room)
	}
	checkFloor(t, name, c.Floor, c.FloorError, q.minimum(f.Rows), lost)
	if c.Total > 1e-280 && c.FloorError < 1e-9*c.Total && max(c.Excess(), c.ExcessShare()) < math.MaxFloat64 &&
		c.ExcessShare() > c.Excess()/c.Total*(1+1e-8) {
		t.Errorf("%s: ExcessShare %g, Excess %g, Total %g", name, c.ExcessShare(), c.Excess(), c.Total)
	}
}

// oracle returns the floors and the total of truth.
func oracle(x *Matrix, w []float64) (floors []float64, total float64) {
	q := truthOf(x, w, nil, SumToOne)
	for _, v := range q.floors {
		floors = append(floors, double(v))
	}
	return floors, double(q.total)
}
