package softkmeans

// What is true of a table, and of centers and memberships for it, in math/big. Floats
// count as the exact numbers that they are. Certificates are held to this.

import (
	"math"
	"math/big"
	"slices"
)

// The digits of the oracle: of differences from the mean, which may cancel all but the
// last bits of entries of any size, and of sums of squares.
const (
	centringDigits digits = 1200
	truthDigits    digits = 384
)

// truth is what no rounding hides of a table: the least that k centers leave, for every k.
type truth struct {
	x      *Matrix
	sum    Sum
	w      []*big.Float // as given, 0 for rows that do not count
	floors []*big.Float // [k−1]: the minimum for k centers; the last is 0
	total  *big.Float
	off    *big.Float // what the oracle itself may be wrong by, in floors and total, and what float64 cannot say
}

// truthOf takes the spectrum of the rows about their mean; about 0 for SumAtMostOne, whose
// floors[k] is the bound for k centers.
func truthOf(x *Matrix, w []float64, sum Sum) *truth {
	q := &truth{x: x, sum: sum}
	scaled := scaledWeights(w, x.Rows)
	weight := truthDigits.zero()
	for i, v := range scaled {
		if w != nil && v > 0 {
			v = w[i]
		}
		q.w = append(q.w, truthDigits.num(v))
		weight.Add(weight, q.w[i])
	}
	rows, most := q.centred(weight)
	a := truthDigits.gram(rows, q.w)
	values := truthDigits.eigenvalues(a)
	q.total = truthDigits.zero()
	q.floors = []*big.Float{q.total}
	for _, v := range slices.Backward(values) {
		if v.Sign() > 0 {
			q.total = truthDigits.add(q.total, v)
		}
		q.floors = append(q.floors, q.total)
	}
	slices.Reverse(q.floors)
	q.off = truthDigits.times(q.total, 64-int(truthDigits))
	most.Mul(most, most)
	q.off.Add(q.off, truthDigits.times(most.Mul(most, weight), -2*int(centringDigits)+64))
	q.off.Add(q.off, truthDigits.num(0x1p-1074)) // the steps that float64 ends with
	return q
}

// centred returns the rows less their weighted mean, and the largest entry of x.
func (q *truth) centred(weight *big.Float) (rows bigRows, most *big.Float) {
	p := centringDigits
	rows, most = make(bigRows, q.x.Rows), p.zero()
	part := p.zero()
	for c := range q.x.Cols {
		mean := p.zero()
		for i := range rows {
			v := p.num(q.x.At(i, c))
			rows[i] = append(rows[i], v)
			mean.Add(mean, part.Mul(v, q.w[i]))
			if part.Abs(v).Cmp(most) > 0 {
				most.Set(part)
			}
		}
		mean.Quo(mean, weight)
		for i := range rows {
			if q.sum == SumToOne {
				rows[i][c].Sub(rows[i][c], mean)
			}
			rows[i][c].SetPrec(uint(truthDigits))
		}
	}
	return rows, most
}

// gram is the smaller of Σw·rᵀr and of the products of the rows √w·r.
func (p digits) gram(rows bigRows, w []*big.Float) bigRows {
	n, d := len(rows), len(rows[0])
	part := p.zero()
	if n < d {
		a := make(bigRows, n)
		for i := range a {
			for l := range a {
				if l < i {
					a[i] = append(a[i], p.zero().Set(a[l][i]))
					continue
				}
				v := p.dot(rows[i], rows[l])
				v.Mul(v, p.sqrt(part.Mul(w[i], w[l])))
				a[i] = append(a[i], v)
			}
		}
		return a
	}
	a := make(bigRows, d)
	for i := range a {
		for l := range a {
			if l < i {
				a[i] = append(a[i], p.zero().Set(a[l][i]))
				continue
			}
			sum := p.zero()
			for at, r := range rows {
				sum.Add(sum, part.Mul(part.Mul(r[i], r[l]), w[at]))
			}
			a[i] = append(a[i], sum)
		}
	}
	return a
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

// minimum is the least that k centers can leave; of the cone form a bound of it.
func (q *truth) minimum(k int) *big.Float {
	if q.sum == SumToOne {
		k--
	}
	return q.floors[min(k, len(q.floors)-1)]
}

// objective is ‖X − GF‖², weighted, for memberships as Certify repairs them: what is
// negative is 0, and rows are divided by their sum, under SumAtMostOne if it is above 1. A
// row without a positive entry is 1/k each; 0 under SumAtMostOne.
func (q *truth) objective(f, g *Matrix) *big.Float {
	p := q.digitsFor(f)
	big1 := func(v float64) *big.Float { return p.num(v) }
	centers := p.rows(f)
	all, share, r, part, square := p.zero(), p.zero(), p.zero(), p.zero(), p.zero()
	for i := range q.x.Rows {
		if q.w[i].Sign() == 0 {
			continue
		}
		row, sum := slices.Clone(g.row(i)), p.zero()
		for j, v := range row {
			row[j] = max(v, 0)
			sum.Add(sum, big1(row[j]))
		}
		switch {
		case q.sum == SumAtMostOne && sum.Cmp(big1(1)) <= 0:
			sum = big1(1)
		case sum.Sign() == 0:
			for j := range row {
				row[j] = 1
			}
			sum = big1(float64(len(row)))
		}
		square.SetInt64(0)
		for c := range q.x.Cols { // of sum·x − Σg·f
			r.Mul(sum, part.SetFloat64(q.x.At(i, c)))
			for j, v := range row {
				if v != 0 {
					r.Sub(r, part.Mul(share.SetFloat64(v), centers[j][c]))
				}
			}
			square.Add(square, part.Mul(r, r))
		}
		square.Mul(square, q.w[i])
		all.Add(all, square.Quo(square, part.Mul(sum, sum)))
	}
	return all
}

// digitsFor is so many that the rounding of a residual is nothing beside √total.
func (q *truth) digitsFor(f *Matrix) digits {
	if q.total.Sign() == 0 {
		return 2200
	}
	_, exp := math.Frexp(max(maxAbs(f), maxAbs(q.x)))
	heaviest := slices.MaxFunc(q.w, func(a, b *big.Float) int { return a.Cmp(b) })
	root := (q.total.MantExp(nil) - heaviest.MantExp(nil)) / 2
	return truthDigits + digits(max(0, exp-root))
}

// excess is how far an objective is above the minimum for k centers, and what the oracle
// may be wrong by.
func (q *truth) excess(objective *big.Float, k int) (above, off *big.Float) {
	off = truthDigits.times(truthDigits.add(objective, q.total), 64-int(truthDigits))
	return truthDigits.sub(objective, q.minimum(k)), off.Add(off, q.off)
}
