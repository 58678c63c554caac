package softkmeans

// Helpers of the fuzz targets. Bytes become matrices, weights and options, as odd as the
// range allows.

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// input makes numbers of bytes. Once these are used up a generator goes on from
// them, so that short inputs are full matrices too.
type input struct {
	bytes []byte
	more  uint32
	held  []*Matrix // whose storage nothing may write to, and
	as    [][]float64
}

func newInput(b []byte) *input {
	in := &input{bytes: b, more: 1}
	for _, v := range b {
		in.more = in.more*31 + uint32(v)
	}
	return in
}

func (in *input) byte() byte {
	if len(in.bytes) > 0 {
		v := in.bytes[0]
		in.bytes = in.bytes[1:]
		return v
	}
	in.more = in.more*1664525 + 1013904223
	return byte(in.more >> 24)
}

// below is a number from 0 to n−1.
func (in *input) below(n int) int { return int(in.byte()) % n }

// oddities are numbers that arithmetic is different for.
var oddities = [16]float64{0, math.Copysign(0, -1), 5e-324, -5e-324, 1e-310, 1e-300, -1e-300, 1e-150, 1e150,
	-1e150, 0x1p-500, -0x1p-500,
	mostEntry, -mostEntry, 1 + 0x1p-52, 1e-8}

// float is an oddity or, mostly, a small multiple of ¼.
func (in *input) float() float64 {
	switch v := in.byte(); {
	case v < 16:
		return oddities[v]
	default:
		return float64(int8(v)) / 4
	}
}

// matrix is a rows×cols matrix of one of eight kinds, in range, with NaN between its rows.
func (in *input) matrix(rows, cols int) *Matrix {
	kind := in.byte()
	m := &Matrix{Rows: rows, Cols: cols, Stride: cols + int(kind>>3&3)}
	m.Data = nans(max(0, (rows-1)*m.Stride+cols+int(kind>>5&1)))
	exp := 0
	if kind&7 == 2 || kind&7 == 7 {
		exp = int(in.byte()) - 128
	}
	for i := range rows {
		row := m.Row(i)
		for j := range row {
			switch kind & 7 {
			case 0: // whole numbers
				row[j] = float64(int8(in.byte()))
			case 2: // all of one size
				row[j] = math.Ldexp(float64(int8(in.byte())), 4*exp)
			case 3: // a mean that is far
				row[j] = 1e6 + float64(int8(in.byte()))/16
			case 4: // rows that are equal
				if row[j] = in.float(); i > 1 && i%2 == 0 {
					row[j] = m.Row(i / 2)[j]
				}
			case 5: // columns that are
				if row[j] = float64(int8(in.byte())); j > 0 && j%2 == 0 {
					row[j] = row[j-1]
				}
			case 6: // of few directions
				if row[j] = float64(int8(in.byte())); i > 1 {
					row[j] = m.Row(0)[j]*float64(i)/8 + m.Row(1)[j]*float64(8-i)/8
				}
			case 7: // of many sizes
				row[j] = math.Ldexp(float64(int8(in.byte())), exp*(i+j)/2)
			default:
				row[j] = in.float()
			}
			row[j] = min(max(row[j], -mostEntry), mostEntry)
		}
	}
	if top, _ := checkEntries("m", m, mostEntry); top < leastScale {
		for i := range rows {
			scale(m.Row(i), 0x1p600)
		}
	}
	in.hold(m)
	return m
}

// beyond fails unless call of x with an entry above the range, and of a table whose
// largest entry is below it, are errors that name the entry.
func (in *input) beyond(t *testing.T, x *Matrix, call func(x *Matrix) error) {
	t.Helper()
	row, col := in.below(x.Rows), in.below(x.Cols)
	huge, small := x.Clone(), NewMatrix(x.Rows, x.Cols, nil)
	huge.Set(row, col, [...]float64{mostEntry * (1 + 0x1p-52), -1e300, math.MaxFloat64}[in.below(3)])
	small.Set(row, col, [...]float64{leastScale * (1 - 0x1p-53), -1e-300, 5e-324}[in.below(3)])
	for _, y := range []*Matrix{huge, small} {
		var e *InputError
		if err := call(y); !errors.Is(err, ErrRange) || !errors.As(err, &e) || e.Row != row || e.Col != col {
			t.Fatalf("%g at [%d,%d]: %v", y.At(row, col), row, col, err)
		}
	}
}

// hold keeps what m has now.
func (in *input) hold(m *Matrix) {
	in.held, in.as = append(in.held, m), append(in.as, slices.Clone(m.Data))
}

// samples is a table with weights.
func (in *input) samples(rows, cols int) (x *Matrix, weights []float64) {
	x = in.matrix(1+in.below(rows), 1+in.below(cols))
	return x, in.weightsOf(x)
}

// weightsOf is weights of the rows of x: none where only rows without weight are in range.
func (in *input) weightsOf(x *Matrix) []float64 {
	weights := in.weights(x.Rows)
	if weights == nil {
		return nil
	}
	top := 0.0
	for i, w := range scaledWeights(weights, x.Rows) {
		if big, _ := rowMaxAbs(x.Row(i)); w > 0 {
			top = max(top, big)
		}
	}
	if top > 0 && top < leastScale {
		return nil
	}
	return weights
}

// weights are nil in two cases of three.
func (in *input) weights(n int) []float64 {
	kind := in.byte()
	if kind%3 != 0 {
		return nil
	}
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = float64(in.byte() & 3)
		if kind%2 == 0 {
			weights[i] = math.Abs(in.float())
			weights[i] *= weights[i] // up to 2^1000, and from 0
		}
	}
	weights[in.below(n)] = 1 + float64(kind)
	in.hold(&Matrix{Rows: 1, Cols: n, Stride: n, Data: weights})
	return weights
}

// finish fails if what came out of the input has another bit than it had.
func (in *input) finish(t *testing.T) {
	t.Helper()
	for i, m := range in.held {
		if !laSameBits(m.Data, in.as[i]) {
			t.Fatalf("argument %d of %d×%d has changed from %v to %v", i, m.Rows, m.Cols, in.as[i], m.Data)
		}
	}
}

// smallRow reports whether a row would be too small in a part of its own.
func smallRow(x *Matrix) bool {
	for i := range x.Rows {
		if top, _ := rowMaxAbs(x.Row(i)); top > 0 && top < leastScale {
			return true
		}
	}
	return false
}

// mustDo is v, where there is no error.
func mustDo[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// finite fails for a NaN or an infinity.
func finite(t *testing.T, what string, values ...float64) {
	t.Helper()
	for i, v := range values {
		if !isFinite(v) {
			t.Fatalf("%s: value %d is %g", what, i, v)
		}
	}
}

// farMean returns the weighted length of the data and of the products in GF, divided by ‖Xc‖. It is +Inf for
// data without variance. The relative error by rounding grows with it. Computed memberships are off by 2^-52
// of 1, not of themselves: for them pass nil.
func farMean(x *Matrix, weights []float64, centers, members *Matrix) float64 {
	weight, first := scaledWeights(weights, x.Rows), 0
	if weights != nil {
		first = slices.Index(weights, slices.Max(weights))
	}
	var top float64
	for i := range x.Rows {
		if weight[i] > 0 {
			big, _ := rowMaxAbs(x.Row(i))
			top = max(top, big)
		}
	}
	_, exp := math.Frexp(top)
	exp = max(exp, -1020)
	// The total is taken of the rows less the heaviest one: where that outweighs the others by 2^53, the mean
	// rounds to it or beside it, and rows less the mean would be this rounding.
	about, mean := make([]float64, x.Cols), make([]float64, x.Cols)
	for j, v := range x.Row(first) {
		about[j] = math.Ldexp(v, -exp)
	}
	all, whole := 0.0, 0.0
	pass := func(f func(i int, w float64, row []float64)) {
		row := make([]float64, x.Cols)
		for i := range x.Rows {
			if w := weight[i]; w > 0 {
				for j, v := range x.Row(i) {
					row[j] = math.Ldexp(v, -exp)
				}
				f(i, w, row)
			}
		}
	}
	pass(func(i int, w float64, row []float64) {
		all += w
		for j, v := range row {
			mean[j] += w * (v - about[j])
		}
		whole += w * sumSquares(row)
		lost := math.Ldexp(1, -1022-exp) // what is below has the rounding of this
		whole += w * lost * lost * float64(x.Cols)
		for j := range centers.Rows {
			g := 1.0
			if members != nil {
				g = members.At(i, j)
			}
			for _, v := range centers.Row(j) {
				v = g * math.Ldexp(v, -exp)
				whole += w * v * v
			}
		}
	})
	scale(mean, 1/all)
	total := 0.0
	pass(func(_ int, w float64, row []float64) {
		for j, v := range row {
			v = v - about[j] - mean[j]
			total += w * v * v
		}
	})
	if total == 0 {
		return math.Inf(1)
	}
	return math.Sqrt(whole) / math.Sqrt(total)
}

// nearData is the length of data, over ‖Xc‖, up to which the flat bounds hold. mildWeights
// is the quotient of the largest and least weight up to which that is enough: a row of
// hardly any weight may be far beyond ‖Xc‖, and so may centers that enclose it.
const (
	nearData    = 1e3
	mildWeights = 256
)

// room is the rounding by which a gap may differ from 0, or from another one: flat where
// the data is not far away, and 2q + q² more beyond.
//
// Stored centers, the mean, and entries less the mean are off by 2^-53 of themselves, memberships by
// k·2^-53, x − Σg_j(f_j − x̄) by k+1 roundings more; an upper bound of the objective adds
// (3k+5)·2^-53. With margins that is (3k+11)·2^-52 of the length, and ‖X − GF‖² is off by q‖Xc‖,
// q being that times [farMean]. Near the floor it is at most ‖Xc‖, and a gap, its square over ‖Xc‖²,
// is off by 2q + q².
func room(flat float64, x *Matrix, weights []float64, centers, members *Matrix) float64 {
	heaviest, lightest := 0.0, math.Inf(1)
	for _, w := range weights {
		if w > 0 {
			heaviest, lightest = max(heaviest, w), min(lightest, w)
		}
	}
	far := farMean(x, weights, centers, members)
	if far <= nearData || heaviest <= mildWeights*lightest && members == nil && farMean(x, weights, &Matrix{},
		nil) <= nearData {
		far = min(far, nearData)
	}
	q := float64(3*centers.Rows+11) * 0x1p-52 * far
	return flat + 2*q + q*q
}

// checkCertifiedAs fails unless a model's objective and floor are as its certificate's, by
// the theorems of both.
func checkCertifiedAs(t *testing.T, m *Model, x *Matrix, w []float64, c Certificate) {
	t.Helper()
	checkCertificate(t, "certified", x, w, m.Centers, m.Memberships, c)
	as := c
	as.Objective, as.Floor, as.FloorError, as.Total = m.Objective, m.Floor, m.FloorError, m.Total
	checkCertificate(t, "fitted", x, w, m.Centers, m.Memberships, as)
	if m.Total == 0 && m.Objective == c.Objective && c.Floor == m.Floor && c.Gap != m.Gap {
		t.Fatalf("gap %g, certified %g, without variance", m.Gap, c.Gap)
	}
}

// symmetric is a symmetric matrix.
func (in *input) symmetric(n int) *Matrix {
	m := in.matrix(n, n)
	for i := range n {
		for j := range i {
			m.Set(j, i, m.At(i, j))
		}
	}
	if top, _ := rowMaxAbs(m.Data); top > 0 && top < leastScale {
		m.Data[0] = 1 // what was in range lay above the diagonal
	}
	in.as[len(in.as)-1] = slices.Clone(m.Data)
	return m
}

// minVolume draws options of all methods that iterate. Their limits are small.
func (in *input) minVolume(x *Matrix, w []float64, k int) *MinVolumeOptions {
	mode, more := in.byte(), in.byte()
	o := &MinVolumeOptions{Weights: w, Workers: int(mode & 1),
		Seed: uint64(more), Restarts: int(more & 1), MaxIter: 1 + int(mode>>1&7),
		Init: Init(in.below(int(initCount))), Sum: Sum(mode >> 4 & 1), Volume: Volume(in.below(3))}
	if o.Init == InitGlobal {
		o.Sum = SumToOne
	}
	if more>>4 == 0 { // longer runs now and then
		o.MaxIter = 12
	}
	if mode&32 > 0 {
		o.Centers = in.matrix(k, x.Cols)
	}
	switch mode >> 6 {
	case 1:
		o.Lambda = in.lambda()
	case 2:
		o.Epsilon, o.Tol = math.Abs(in.float()), math.Abs(in.float())
	case 3:
		o.Slack = math.Abs(in.float())
	}
	return o
}

// lambda is 2^±127, or an oddity.
func (in *input) lambda() float64 {
	if v := in.byte(); v > 8 {
		return math.Ldexp(1, int(int8(v)))
	}
	return math.Abs(in.float())
}
