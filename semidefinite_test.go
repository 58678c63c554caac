package softkmeans

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// bigEigenvalues returns the eigenvalues of the symmetric matrix m, descending, by Jacobi
// rotations until what is off the diagonal is below 2^-200 of the matrix.
func bigEigenvalues(m bigRows, p digits) []*big.Float {
	n := len(m)
	all := p.zero()
	for i := range m {
		all.Add(all, p.dot(m[i], m[i]))
	}
	for {
		off := p.zero()
		for i := range n {
			for j := range i {
				off.Add(off, p.mul(m[i][j], m[i][j]))
			}
		}
		if off.Sign() == 0 || off.Cmp(p.times(all, -400)) < 0 {
			break
		}
		for i := range n {
			for j := range i {
				if m[i][j].Sign() == 0 {
					continue
				}
				theta := p.quo(p.sub(m[i][i], m[j][j]), p.times(m[i][j], 1))
				t := p.quo(p.num(1), p.add(p.zero().Abs(theta), p.sqrt(p.add(p.num(1), p.mul(theta, theta)))))
				if theta.Sign() < 0 {
					t.Neg(t)
				}
				c := p.quo(p.num(1), p.sqrt(p.add(p.num(1), p.mul(t, t))))
				s := p.mul(t, c)
				for l := range n { // rows j and i
					x, y := m[j][l], m[i][l]
					m[j][l], m[i][l] = p.sub(p.mul(c, x), p.mul(s, y)), p.add(p.mul(s, x), p.mul(c, y))
				}
				for l := range n { // columns
					x, y := m[l][j], m[l][i]
					m[l][j], m[l][i] = p.sub(p.mul(c, x), p.mul(s, y)), p.add(p.mul(s, x), p.mul(c, y))
				}
			}
		}
	}
	values := make([]*big.Float, n)
	for i := range n {
		values[i] = m[i][i]
	}
	slices.SortFunc(values, func(a, b *big.Float) int { return b.Cmp(a) })
	return values
}

// similarityFloors returns the least ‖A − M‖² over semidefinite M of rank r for every r, for A = K
// or HKH with K the mean of a and its transpose.
func similarityFloors(a *Matrix, centred bool) (func(r int) *big.Float, digits) {
	m, p := bigMatrix(a)
	n := len(m)
	for i := range n {
		for j := range i {
			v := p.times(p.add(m[i][j], m[j][i]), -1)
			m[i][j], m[j][i] = v, v
		}
		m[i][i] = p.zero().Set(m[i][i])
	}
	if centred {
		for range 2 {
			m = m.centred(p).transposed(n)
		}
	}
	return floorsOfBig(bigEigenvalues(m, p), p), p
}

// linearFloors is similarityFloors for K = XXᵀ.
func linearFloors(x *Matrix, centred bool) (func(r int) *big.Float, digits) {
	m, p := bigMatrix(x)
	if centred {
		m = m.centred(p)
	}
	columns := m.transposed(x.Cols)
	gram := make(bigRows, x.Cols)
	for i := range gram {
		for j := range gram {
			gram[i] = append(gram[i], p.dot(columns[i], columns[j]))
		}
	}
	return floorsOfBig(bigEigenvalues(gram, p), p), p
}

func floorsOfBig(values []*big.Float, p digits) func(r int) *big.Float {
	return func(r int) *big.Float {
		floor := p.zero()
		for i, v := range values {
			if i >= r || v.Sign() < 0 {
				floor.Add(floor, p.mul(v, v))
			}
		}
		return floor
	}
}

// spectral returns QΛQᵀ, rounded, for a random orthogonal Q.
func spectral(values []float64, seed uint64) *Matrix {
	n := len(values)
	q := laOrthogonal(n, rand.New(rand.NewPCG(seed, 7)))
	out := NewMatrix(n, n, nil)
	for i := range n {
		for j := range i + 1 {
			for l, v := range values {
				out.Data[i*n+j] += v * q.Row(l)[i] * q.Row(l)[j]
			}
			out.Data[j*n+i] = out.Data[i*n+j]
		}
	}
	return out
}

// floorCases are similarities that are hard for a floor.
func floorCases() map[string]*Matrix {
	rng := rand.New(rand.NewPCG(3, 21))
	symmetric := func(n int, f func(i, j int) float64) *Matrix {
		out := NewMatrix(n, n, nil)
		for i := range n {
			for j := range i + 1 {
				out.Data[i*n+j] = f(i, j)
				out.Data[j*n+i] = out.Data[i*n+j]
			}
		}
		return out
	}
	points := randomData(16, 3, 1e7, 5)
	near := randomData(16, 3, 0, 6)
	out := map[string]*Matrix{
		"equal but for 1e-15":  spectral([]float64{1, 1 + 1e-15, 1 - 1e-15, 1 + 3e-16, 1, 1, 0.5, -1, -1, 1e-17}, 1),
		"equal but for 1e-8":   spectral([]float64{3, 2 + 1e-8, 2, 2 - 1e-8, 2 - 1e-7, 1, -2, -2 - 1e-8}, 2),
		"graded":               spectral([]float64{1, 1e-4, 1e-8, 1e-12, 1e-16, 1e-20, -1e-10, -1e-18}, 3),
		"exact rank":           spectral([]float64{5, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 4),
		"negative":             spectral([]float64{-1, -2, -3, -4, -5, -1e-16}, 5),
		"one positive":         spectral([]float64{1e-9, -1, -1, -1, -2, -3, -4}, 6),
		"identity":             identity(20),
		"integers":             symmetric(15, func(i, j int) float64 { return float64(rng.IntN(9) - 3) }),
		"large integers":       symmetric(15, func(i, j int) float64 { return float64(rng.Int64N(1 << 52)) }),
		"large mean":           symmetric(15, func(i, j int) float64 { return 1e9 + rng.NormFloat64() }),
		"large row means":      symmetric(15, func(i, j int) float64 { return 1e6*float64(i*i+j*j) + rng.NormFloat64() }),
		"a block of ones":      symmetric(20, func(i, j int) float64 { return float64(flagIf(i/7 == j/7, 1)) }),
		"products, far":        symmetric(16, func(i, j int) float64 { return dot(points.Row(i), points.Row(j)) }),
		"distances":            symmetric(16, func(i, j int) float64 { return -squaredDistance(near.Row(i), near.Row(j)) }),
		"zero":                 NewMatrix(5, 5, nil),
		"one":                  NewMatrix(1, 1, []float64{3}),
		"two":                  NewMatrix(2, 2, []float64{1, 1 + 0x1p-52, 1 + 0x1p-52, 1}),
		"near, of order 24":    symmetric(24, func(i, j int) float64 { return math.Exp(-math.Abs(float64(i-j)) / 5) }),
		"nearly equal, of 24":  spectral(slices.Repeat([]float64{1, 1 + 1e-14, 1 - 1e-14, -1}, 6), 8),
		"random, of 24":        symmetric(24, func(i, j int) float64 { return rng.NormFloat64() }),
		"nearly symmetric":     mapped(symmetric(12, func(i, j int) float64 { return rng.Float64() }), func(i, j int, v float64) float64 { return v + 1e-9*rng.Float64() }),
		"tiny":                 symmetric(9, func(i, j int) float64 { return 0x1p-490 * rng.NormFloat64() }),
		"huge":                 symmetric(9, func(i, j int) float64 { return 0x1p490 * rng.NormFloat64() }),
		"entries far in size":  symmetric(12, func(i, j int) float64 { return rng.NormFloat64() * math.Pow(10, float64(rng.IntN(20)-10)) }),
		"one entry far larger": symmetric(12, func(i, j int) float64 { return rng.NormFloat64() * float64(1+flagIf(i == 7 && j == 3, 1<<15)) * 0x1p30 }),
	}
	return out
}

// TestFloorProved holds Floor and Floor + FloorError of LSD and TILSD to
// eigenvalues in math/big.
func TestFloorProved(t *testing.T) {
	t.Parallel()
	if outgrown(t) {
		return
	}
	var widest, used float64
	for name, kernel := range floorCases() {
		if kernel.Rows > full(math.MaxInt, 12) { // the exact eigenvalues take long
			continue
		}
		for _, centred := range []bool{false, true} {
			floor, p := similarityFloors(kernel, centred)
			for _, k := range []int{1, 2, 3, 5, 8} {
				var m *LSDModel
				r := k
				if centred {
					r--
					m = mustDo(TILSD(bg, kernel, k, nil))(t)
				} else {
					m = mustDo(LSD(bg, kernel, k, &LSDOptions{MaxIter: 1, Starts: 1}))(t)
				}
				want := floor(r)
				high := p.add(p.num(m.Floor), p.num(m.FloorError))
				if m.Floor < math.MaxFloat64 && (p.num(m.Floor).Cmp(want) > 0 || high.Cmp(want) < 0) {
					t.Errorf("%s, k = %d, centred %v: floor %v + %g, truly %g", name, k, centred, m.Floor, m.FloorError, double(want))
				}
				if m.Total == 0 || m.Floor == math.MaxFloat64 {
					continue
				}
				if off := math.Abs(double(p.sub(want, p.num(m.Floor)))); m.FloorError > 0 {
					used = max(used, off/m.FloorError)
				}
				// HKH may be small beside K, which is what is rounded.
				top, _ := rowMaxAbs(kernel.Data)
				size := top / math.Sqrt(m.Total) * float64(kernel.Rows)
				widest = max(widest, m.FloorError/m.Total/max(1, size*size))
				if m.FloorError > 1e-13*m.Total*max(1, size*size) {
					t.Errorf("%s, k = %d, centred %v: floor %v + %g of %g", name, k, centred, m.Floor, m.FloorError, m.Total)
				}
			}
		}
	}
	t.Logf("FloorError up to %.2g of Total, its use up to %.2g", widest, used)
}

// TestFloorProvedLinear is TestFloorProved for the linear kernel, which forms no K.
func TestFloorProvedLinear(t *testing.T) {
	t.Parallel()
	if outgrown(t) {
		return
	}
	var widest float64
	few := func(name string, n int) *Matrix { return rowsOf(loadCSV(t, name), 0, n).Clone() }
	for name, x := range map[string]*Matrix{
		"iris": few("iris", 150), "wine": few("wine", 60), "far": randomData(40, 4, 1e9, 1), "wide": randomData(6, 30, 0, 2), "wide, far": randomData(7, 12, 1e7, 3),
		"line": mapped(NewMatrix(30, 3, nil), func(i, j int, _ float64) float64 { return float64(i * (j + 1)) }), "integers": mapped(randomData(50, 5, 0, 4), func(_, _ int, v float64) float64 { return math.Round(5 * v) }),
		"equal": spectral([]float64{1, 1, 1 + 1e-15, 1, 0.5, 0.5}, 9), "graded": spectral([]float64{1, 1e-5, 1e-9, 1e-13}, 10), "tiny": mapped(randomData(20, 4, 1, 5), func(_, _ int, v float64) float64 { return 0x1p-200 * v }),
	} {
		kernel := mustDo(LinearKernel(x))(t)
		for _, centred := range []bool{false, true} {
			floor, p := linearFloors(x, centred)
			for _, k := range full([]int{1, 2, 3, 4}, []int{1, 2, 4}) {
				var m *LSDModel
				r := k
				if centred {
					r--
					m = mustDo(TILSDOf(bg, kernel, k, nil))(t)
				} else {
					m = mustDo(LSDOf(bg, kernel, k, &LSDOptions{MaxIter: 1, Starts: 1}))(t)
				}
				want := floor(r)
				if p.num(m.Floor).Cmp(want) > 0 || p.add(p.num(m.Floor), p.num(m.FloorError)).Cmp(want) < 0 {
					t.Errorf("%s, k = %d, centred %v: floor %v + %g, truly %g", name, k, centred, m.Floor, m.FloorError, double(want))
				}
				if m.Total > 0 {
					widest = max(widest, m.FloorError/m.Total)
					if m.FloorError > 1e-12*m.Total {
						t.Errorf("%s, k = %d, centred %v: floor %v + %g of %g", name, k, centred, m.Floor, m.FloorError, m.Total)
					}
				}
			}
		}
	}
	t.Logf("FloorError up to %.2g of Total", widest)
}

// TestFloorOfAnyFactor: the bounds hold whatever factor they are given, such as one that
// lacks the leading direction.
func TestFloorOfAnyFactor(t *testing.T) {
	t.Parallel()
	if outgrown(t) {
		return
	}
	rng := rand.New(rand.NewPCG(8, 1))
	for name, kernel := range floorCases() {
		n := kernel.Rows
		if n > 16 || name == "nearly symmetric" || name == "tiny" || name == "huge" {
			continue
		}
		values, vectors, err := EigenSym(kernel)
		if err != nil {
			t.Fatal(err)
		}
		floor, p := similarityFloors(kernel, false)
		for _, r := range []int{0, 1, 2, 4} {
			want := floor(r)
			for try := range full(60, 20) {
				y := NewMatrix(min(r, rng.IntN(r+1), n), n, nil)
				from := rng.Perm(n)
				slices.Sort(from[:y.Rows])
				for i := range y.Rows {
					for j := range n {
						v := vectors.Row(j)[from[i]] + []float64{0, 1e-12, 1e-3}[try%3]*rng.NormFloat64()
						y.Row(i)[j] = v * math.Sqrt(max(values[from[i]], 1e-300))
					}
				}
				low, high := semidefiniteFloor(kernel.Clone(), y, r, 0, 1)
				if p.num(low).Cmp(want) > 0 || p.num(high).Cmp(want) < 0 {
					t.Errorf("%s, r = %d, columns %v: from %v to %v, truly %v", name, r, from[:y.Rows], low, high, double(want))
				}
			}
		}
	}
}

// TestFloorBlindStart: a leading direction that the eigensolver's start cannot see is
// found by the proof.
func TestFloorBlindStart(t *testing.T) {
	const n, k = 200, 2
	start := newKrylovSpace(bg, n, k, 1)
	rng := rand.New(rand.NewPCG(2, 2))
	rows := NewMatrix(n, n, nil)
	copy(rows.Data, start.q.Data[:start.block*n])
	for i := start.block * n; i < len(rows.Data); i++ {
		rows.Data[i] = rng.NormFloat64()
	}
	orthonormalize(rows, start.block)
	hidden := rows.Row(n - 1) // all others are mixed
	others := product(laOrthogonal(n-1, rng), rowsOf(rows, 0, n-1))
	kernel := NewMatrix(n, n, nil)
	want := 0.0
	add := func(v float64, u []float64) {
		for i, a := range u {
			axpy(kernel.Row(i), v*a, u)
		}
		if v < 3 {
			want += v * v
		}
	}
	add(5, hidden)
	for i := range n - 1 {
		add([]float64{3, 2, 1e-3 * rng.NormFloat64()}[min(i, 2)], others.Row(i))
	}
	for i := range n {
		for j := range i {
			kernel.Data[i*n+j] = kernel.Data[j*n+i]
		}
	}
	m := mustDo(LSD(bg, kernel, k, &LSDOptions{Seed: 1, MaxIter: 5}))(t)
	if math.Abs(m.Floor-want) > 1e-9 || m.FloorError > 1e-9 {
		t.Errorf("floor %g + %g, truly %g; %d eigenvalues, %v", m.Floor, m.FloorError, want, m.Rank, m.Status)
	}
}
