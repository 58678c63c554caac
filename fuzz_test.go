package softkmeans

// What the targets of fuzzing have in common: bytes become matrices, weights and
// options, as odd as they can be while every promise still holds. Targets of one
// decoder or one function stand beside their tests; those here go through several.

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
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
var oddities = [16]float64{0, math.Copysign(0, -1), 5e-324, -5e-324, 1e-310, 1e-300, -1e-300, 1e-150, 1e150, -1e150, 1e300, -1e300,
	math.MaxFloat64, -math.MaxFloat64, 1 + 0x1p-52, 1e-8}

// float is one of any size, small integers mostly.
func (in *input) float() float64 {
	switch v := in.byte(); {
	case v < 16:
		return oddities[v]
	default:
		return float64(int8(v)) / 4
	}
}

// matrix is a rows×cols matrix of one of eight kinds, with NaN between its rows.
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
				row[j] = math.Ldexp(float64(int8(in.byte())), 8*exp)
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
			row[j] = clampFinite(row[j])
		}
	}
	in.hold(m)
	return m
}

// hold keeps what m has now.
func (in *input) hold(m *Matrix) {
	in.held, in.as = append(in.held, m), append(in.as, slices.Clone(m.Data))
}

// samples is a table with weights.
func (in *input) samples(rows, cols int) (x *Matrix, weights []float64) {
	x = in.matrix(1+in.below(rows), 1+in.below(cols))
	return x, in.weights(x.Rows)
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

// mustDo is v, where there is no error.
func mustDo[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
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

// farMean is how many times ‖Xc‖ the length of the data, and of the products in GF, is,
// weighted; +Inf for data without variance. It is what rounding of numbers far away
// costs in relative error. Memberships that were found are wrong by 2^-52 of 1 and not
// of themselves: nil stands for 1.
func farMean(x *Matrix, weights []float64, centers, members *Matrix) float64 {
	// In the units of newSamples denormals stay small and some weights are 0: squares may
	// have no digits beside a weight.
	weight, first := func(int) float64 { return 1 }, 0
	if weights != nil {
		first = slices.Index(weights, slices.Max(weights))
		_, wexp := math.Frexp(weights[first])
		weight = func(i int) float64 { return math.Ldexp(weights[i], -wexp) }
	}
	var top float64
	for i := range x.Rows {
		if weight(i) > 0 {
			big, _ := rowMaxAbs(x.Row(i))
			top = max(top, big)
		}
	}
	_, exp := math.Frexp(top)
	exp = max(exp, -1020)
	// The total is taken of the rows less the heaviest one: where that outweighs the
	// others by 2^53, the mean rounds to it or beside it, and rows less the mean would be
	// this rounding.
	about, mean := make([]float64, x.Cols), make([]float64, x.Cols)
	for j, v := range x.Row(first) {
		about[j] = math.Ldexp(v, -exp)
	}
	all, whole := 0.0, 0.0
	pass := func(f func(i int, w float64, row []float64)) {
		row := make([]float64, x.Cols)
		for i := range x.Rows {
			if w := weight(i); w > 0 {
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

// nearData is the length of data, over ‖Xc‖, up to which rounding is left to the flat
// bounds, and mildWeights the largest of weights over the least for which that says it
// all: a row that hardly weighs may be far beyond ‖Xc‖, and centers that enclose it.
const (
	nearData    = 1e3
	mildWeights = 256
)

// room is by how much a gap may differ from 0, or from another one, by rounding: flat
// where the data is not far away, and 2q + q² more beyond.
//
// Stored centers, the mean, and entries less the mean are off by 2^-53 of themselves,
// memberships by k·2^-53 (they are sums of k−1 products of at most 1, and a quotient),
// and x − Σg_j(f_j − x̄) has k+1 roundings more: (2k+16)·2^-53 = (k+8)·2^-52 of the
// length in all, with room for the constants. That the parts are not all of one sign
// takes the √k that such sums could have. So ‖X − GF‖ is off by q‖Xc‖, q being
// (k+8)·2^-52 times [farMean]; near the floor it is at most ‖Xc‖, and its square over
// ‖Xc‖², a gap, is off by 2q + q². With k = 10 and a length of 1e3 that is 8e-12.
func room(flat float64, x *Matrix, weights []float64, centers, members *Matrix) float64 {
	heaviest, lightest := 0.0, math.Inf(1)
	for _, w := range weights {
		if w > 0 {
			heaviest, lightest = max(heaviest, w), min(lightest, w)
		}
	}
	far := farMean(x, weights, centers, members)
	if far <= nearData || heaviest <= mildWeights*lightest && members == nil && farMean(x, weights, &Matrix{}, nil) <= nearData {
		return flat
	}
	q := float64(centers.Rows+8) * 0x1p-52 * far
	return flat + 2*q + q*q
}

// addMatrices adds the seeds that five targets of matrices begin with.
func addMatrices(f *testing.F) {
	f.Add([]byte{7, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add([]byte("1: sixteen oddities and five columns, weighted"))
	f.Add([]byte{5, 2, 3, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88})
}

// FuzzFit: no panic, no NaN, feasible, and never off the floor by more than
// rounding; what may be asked of the model afterwards agrees with it.
func FuzzFit(f *testing.F) {
	addMatrices(f)
	f.Add([]byte{11, 5, 0x1a, 250, 200, 100, 50, 25, 12, 6, 3, 1})
	f.Add([]byte{9, 4, 0x2e, 33, 66, 99, 122, 155})
	f.Add([]byte{0, 0, 7, 255, 254, 253})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		x, w := in.samples(12, 12)
		k := 1 + in.below(10)
		o := &Options{Solver: Solver(in.below(4)), Enclosure: Enclosure(in.below(2)), Weights: w, Workers: in.below(3)}
		if in.byte()&1 > 0 {
			o.Orientation = RandomOrientation(k, uint64(in.byte()))
			in.hold(o.Orientation)
		}
		m := mustDo(Fit(bg, x, k, o))(t)
		checkFeasible(t, m.Memberships)
		finiteModel(t, m)
		most := room(1e-11, x, w, m.Centers, nil)
		top, _ := rowMaxAbs(m.Centers.Data)
		if m.Status == StatusOutOfRange {
			if top != math.MaxFloat64 {
				t.Fatalf("%v, but no center is beyond %g", m.Status, top)
			}
			most = math.Inf(1) // these centers had to stop; from below the floor holds all the same
		} else if m.Status != StatusOptimal && !(o.Solver == SolverKrylov && m.Status == StatusIterationLimit) {
			t.Fatalf("%v of %+v", m.Status, o)
		}
		if !(m.Gap <= most && m.Gap >= -room(1e-11, x, w, m.Centers, nil)) {
			t.Fatalf("gap %g, objective %g, floor %g, total %g, %+v, k = %d of %v, %v, at most %g", m.Gap, m.Objective, m.Floor, m.Total, o, k, x, m.Status, most)
		}
		c := mustDo(CertifyWeighted(x, m.Centers, m.Memberships, w))(t)
		if c.Objective != m.Objective || o.Solver == SolverAuto && (c.Floor != m.Floor || c.Gap != m.Gap || c.Total != m.Total) {
			t.Fatalf("fitted %+v, certified %+v", m, c)
		}
		if !(c.MinMembership >= 0 && c.MaxSumError <= 1e-12 && c.SpanError >= 0 && c.SpanError <= 1+1e-12) {
			t.Fatalf("certified %+v", c)
		}
		checkModel(t, in, m)
		if bound := mustDo(NonUniquenessBound(x, k))(t); !(bound >= 0 && bound <= 2*float64(x.Rows)*(1+1e-12)) {
			t.Fatalf("memberships further apart than any are: %g", bound)
		}
		in.finish(t)
	})
}

// checkModel asks all that a model can be asked, with rows of any numbers.
func checkModel(t *testing.T, in *input, m *Model) {
	t.Helper()
	d := m.Centers.Cols
	y := in.matrix(1+in.below(4), d)
	g := mustDo(m.Predict(nil, y))(t)
	if m.Sum == SumToOne {
		checkFeasible(t, g)
	}
	if m.Centers.Rows == d { // dst may be x itself
		same := y.Clone()
		if p := mustDo(m.Predict(same, same))(t); p != same || !laSameBits(p.Data, g.Data) {
			t.Fatalf("in place: %v, beside it: %v", p.Data, g.Data)
		}
	}
	into := &Matrix{Rows: g.Rows, Cols: g.Cols, Stride: g.Cols + 2, Data: nans(g.Rows * (g.Cols + 2))}
	mustDo(m.Predict(into, y))(t)
	for i := range g.Rows {
		if !laSameBits(into.Row(i), g.Row(i)) || !math.IsNaN(into.Data[i*into.Stride+g.Cols]) {
			t.Fatalf("with a stride %v, without %v", into.Data, g.Data)
		}
	}
	for _, j := range mustDo(m.Nearest(nil, y))(t) {
		if j < 0 || j >= m.Centers.Rows {
			t.Fatalf("nearest is %d", j)
		}
	}
	for i, j := range m.Labels(nil) {
		if row := m.Memberships.Row(i); row[j] != slices.Max(row) {
			t.Fatalf("label %d of %v", j, row)
		}
	}
	back := shipped(t, m)
	if p := mustDo(back.Predict(nil, y))(t); !laSameBits(p.Data, g.Data) {
		t.Fatalf("another prediction by way of the binary form: %v, %v", p.Data, g.Data)
	}
	// A row that is not finite is an error, and dst is as it was.
	bad := y.Clone()
	bad.Data[in.below(len(bad.Data))] = [...]float64{math.NaN(), math.Inf(1), math.Inf(-1)}[in.below(3)]
	before := slices.Clone(into.Data)
	if _, err := m.Predict(into, bad); !errors.Is(err, ErrNonFinite) || !laSameBits(into.Data, before) {
		t.Fatalf("%v, and dst is %v", err, into.Data)
	}
	labels := slices.Repeat([]int{-7}, y.Rows)
	if _, err := m.Nearest(labels, bad); !errors.Is(err, ErrNonFinite) || slices.Max(labels) != -7 {
		t.Fatalf("%v, and dst is %v", err, labels)
	}
}

// FuzzCertificate: floors descend and agree with what is said of any solution, which
// may have any centers and memberships.
func FuzzCertificate(f *testing.F) {
	addMatrices(f)
	f.Add([]byte{11, 5, 0x1a, 250, 200, 100, 50, 25, 12, 6, 3, 1})
	f.Add([]byte{2, 6, 0x1e, 90, 80, 70, 60, 50, 40, 30})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		x, w := in.samples(12, 12)
		floors := mustDo(FloorsWeighted(x, w))(t)
		if len(floors) != min(x.Rows, x.Cols)+1 || floors[len(floors)-1] != 0 {
			t.Fatalf("floors of %d×%d: %v", x.Rows, x.Cols, floors)
		}
		p := mustDo(ProposeK(floors))(t) // which checks that they descend
		if p.K < 0 || p.K > len(floors) || p.Elbow < 0 || p.Elbow > len(floors) || p.Profile < 0 || p.Profile > len(floors) || p.Reason == "" {
			t.Fatalf("%+v", p)
		}
		finite(t, "proposal", slices.Concat(p.Explained, p.Step, p.Stick)...)

		k := 1 + in.below(8)
		centers, members := in.matrix(k, x.Cols), in.matrix(x.Rows, k)
		if in.byte()&1 > 0 {
			members = mustDo((&Model{Centers: centers}).Predict(nil, x))(t)
		}
		c := mustDo(CertifyWeighted(x, centers, members, w))(t)
		finite(t, "certificate", c.Objective, c.Floor, c.Gap, c.MinMembership, c.MaxSumError, c.SpanError, c.Total, c.FloorError)
		if c.Objective < 0 || c.Floor < 0 || c.FloorError < 0 || c.MaxSumError < 0 || c.SpanError < 0 || c.SpanError > 1+1e-12 {
			t.Fatalf("%+v", c)
		}
		// Feasible memberships cannot be below the floor but for rounding, as in FuzzFit.
		if c.MinMembership >= 0 && c.MaxSumError <= 1e-12 && c.Gap < -room(1e-11, x, w, centers, members) {
			t.Fatalf("below the floor: %+v, %v with weights %v in %v, %v", c, x, w, centers, members)
		}
		// min(n, d)·2^-52 of the total, as Floors says, with room for the constant; and
		// three roundings for each entry's square, of 2^-1075 of a unit that is at most 8
		// times the largest square and weight: all digits, where nothing else is left.
		var size float64
		for i := range x.Rows {
			if w == nil || w[i] > 0 {
				top, _ := rowMaxAbs(x.Row(i))
				size = max(size, top)
			}
		}
		lost := 3 * float64(x.Rows*x.Cols) * (0x1p-1072 * size) * size
		if w != nil {
			lost *= slices.Max(w)
		}
		if want := append(slices.Clone(floors), make([]float64, k)...)[k-1]; math.Abs(c.Floor-want) > c.FloorError+1e-13*floors[0]+lost {
			t.Fatalf("floor %g ± %g, of Floors it is %g, total %g", c.Floor, c.FloorError, want, c.Total)
		}
		if v := mustDo(LogVolume(centers))(t); math.IsNaN(v) || math.IsInf(v, 1) {
			t.Fatalf("volume %g of %v", v, centers.Data)
		}
		if mixed := mustDo(SkMable(x, k, 0))(t); !mixed && k > min(x.Rows-1, x.Cols) {
			t.Fatal("more centers than dimensions do not mix all rows")
		}
		if b := StabilityBound(c.Floor, math.Abs(in.float())); !(b >= 0) {
			t.Fatalf("bound %g", b)
		}
		finite(t, "slack", NoiseSlack(x.Cols, k))
		in.finish(t)
	})
}

// FuzzSVD: any finite matrix has all that the decompositions promise.
func FuzzSVD(f *testing.F) {
	f.Add([]byte{7, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add([]byte("1: sixteen oddities and five columns"))
	f.Add([]byte{9, 9, 0x1c, 250, 200, 100, 50, 25, 12, 6, 3, 1})
	f.Add([]byte{5, 8, 7, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		// Values that stop at the end of float64's range are not those of the matrix, nor
		// have denormal ones its digits: at its own size the matrix is looked at for what
		// is finite, and judged where its largest entry is in [½, 1).
		whole := in.matrix(1+in.below(10), 1+in.below(10))
		finite(t, "singular values", mustDo(JacobiSVD(whole))(t).S...)
		top, _ := maxAbs("a", whole)
		_, exp := math.Frexp(top)
		a := mapped(whole, func(_, _ int, v float64) float64 { return math.Ldexp(v, -exp) })
		r := laJudge(t, "SVD", a)
		if t.Failed() {
			t.Fatalf("of %+v", a)
		}
		k := 1 + in.below(len(r.S))
		o := &TruncatedOptions{Tol: []float64{0, 1e-3, 1e-14}[in.below(3)], MaxSteps: in.below(6), Seed: uint64(in.byte()), Workers: in.below(3)}
		tr := mustDo(TruncatedSVD(bg, whole, k, o))(t)
		finite(t, "singular values", slices.Concat(tr.S, tr.Residuals)...)
		tr = mustDo(TruncatedSVD(bg, a, k, o))(t)
		if len(tr.S) != k || tr.U.Cols != k || tr.V.Cols != k || tr.Status != StatusConverged && tr.Status != StatusIterationLimit {
			t.Fatalf("%+v", tr)
		}
		checkSigns(t, tr.V)
		for _, q := range []*Matrix{tr.U, tr.V} {
			e := product(q.transposed(), q)
			for i := range k {
				e.Row(i)[i]--
			}
			if !(laNorm1(e) <= 10*float64(q.Rows)*laEps) { // the bound of laJudge
				t.Fatalf("not orthonormal by %g: %+v", laNorm1(e), tr)
			}
		}
		for i, s := range tr.S {
			if !(s >= 0) || i > 0 && s > tr.S[i-1] {
				t.Fatalf("values %v, residuals %v", tr.S, tr.Residuals)
			}
			// Some singular value is within the residual, but for the rounding of both.
			nearest := math.Inf(1)
			for _, v := range r.S {
				nearest = min(nearest, math.Abs(v-s))
			}
			if !(nearest <= tr.Residuals[i]+10*float64(a.Rows+a.Cols)*laEps*r.S[0]) {
				t.Fatalf("value %d is %g with a residual of %g, the true ones are %v", i, s, tr.Residuals[i], r.S)
			}
		}
		finite(t, "singular values", slices.Concat(r.S, tr.S, tr.Residuals)...)
		sym := in.symmetric(1 + in.below(10))
		finite(t, "eigenvalues", first(EigenSym(sym))...)
		top, _ = maxAbs("sym", sym)
		_, exp = math.Frexp(top)
		sym = mapped(sym, func(_, _ int, v float64) float64 { return math.Ldexp(v, -exp) })
		values, vectors, err := EigenSym(sym)
		if err != nil {
			t.Fatal(err)
		}
		for i, ratio := range laRatios(sym, vectors, values, vectors, 0) {
			if !(ratio < 10) {
				t.Fatalf("ratio %d of the eigenvalues is %.3g for %+v", i, ratio, sym)
			}
		}
		checkSigns(t, vectors)
		for i, v := range values[1:] {
			if v > values[i] {
				t.Fatalf("values %v", values)
			}
		}
		in.finish(t)
	})
}

func first[A, B, C any](a A, _ B, _ C) A { return a }

// symmetric is a symmetric matrix.
func (in *input) symmetric(n int) *Matrix {
	m := in.matrix(n, n)
	for i := range n {
		for j := range i {
			m.Set(j, i, m.At(i, j))
		}
	}
	in.as[len(in.as)-1] = slices.Clone(m.Data)
	return m
}

// FuzzMatrix: of a header with any sizes it is said correctly whether it can be read,
// by everything that takes one, and the wrong ones are errors.
func FuzzMatrix(f *testing.F) {
	f.Add([]byte{3, 3, 3, 9, 0})
	f.Add([]byte{3, 2, 3, 8, 1, 2})
	f.Add([]byte{1, 9, 10, 3})
	f.Add([]byte{8, 2, 8, 9})
	f.Add([]byte{0, 8, 0, 0})
	f.Add([]byte{7, 3, 3, 20})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		// A size between these and what is tested with would have to be in memory.
		sizes := []int{0, 1, 2, 3, 4, 5, -1, math.MinInt, math.MaxInt, math.MaxInt / 2, math.MaxInt - 1}
		m := &Matrix{Rows: sizes[in.below(len(sizes))], Cols: sizes[in.below(len(sizes))], Stride: sizes[in.below(len(sizes))]}
		m.Data = make([]float64, in.below(30))
		for i := range m.Data {
			m.Data[i] = in.float()
		}
		in.hold(m)
		big1 := func(v int) *big.Int { return big.NewInt(int64(v)) }
		need := new(big.Int).Add(new(big.Int).Mul(big1(m.Rows-1), big1(m.Stride)), big1(m.Cols))
		good := m.Rows >= 0 && m.Cols >= 0 && (m.Rows == 0 || m.Stride >= m.Cols) &&
			(m.Rows == 0 || m.Cols == 0 || need.Cmp(big1(len(m.Data))) <= 0)
		empty := m.Rows == 0 || m.Cols == 0
		small := NewMatrix(3, 2, []float64{1, 2, 3, 4, 5, 7})
		model := &Model{Centers: small}
		ti := mustDo(TILSD(bg, outer(small), 2, nil))(t)
		linear := mustDo(LinearKernel(small))(t)
		sub := mustDo(statsOf(t, small, nil).Subspace(2, nil))(t)
		for name, call := range map[string]func() error{
			"Fit":             func() error { _, err := Fit(bg, m, 2, nil); return err },
			"FitSeq":          func() error { _, err := FitSeq(bg, oneBlock(m), 2, nil); return err },
			"FitAlternating":  func() error { _, err := FitAlternating(bg, m, 2, &AlternatingOptions{MaxIter: 2}); return err },
			"FitMinVolume":    func() error { _, err := FitMinVolume(bg, m, 2, &MinVolumeOptions{MaxIter: 2}); return err },
			"FitMinVolumeSeq": func() error { _, err := FitMinVolumeSeq(bg, oneBlock(m), 2, &MinVolumeOptions{MaxIter: 2}); return err },
			"MinVolumePath": func() error {
				_, err := MinVolumePath(bg, m, 2, []float64{1}, &MinVolumeOptions{MaxIter: 2})
				return err
			},
			"starts at Centers": func() error {
				_, err := FitMinVolume(bg, small, 2, &MinVolumeOptions{MaxIter: 2, Centers: m})
				return err
			},
			"Orientation":         func() error { _, err := Fit(bg, small, 3, &Options{Orientation: m}); return err },
			"Floors":              func() error { _, err := Floors(m); return err },
			"SkMable":             func() error { _, err := SkMable(m, 2, 0); return err },
			"NonUniquenessBound":  func() error { _, err := NonUniquenessBound(m, 2); return err },
			"LogVolume":           func() error { _, err := LogVolume(m); return err },
			"Certify x":           func() error { _, err := Certify(m, small, NewMatrix(3, 3, nil)); return err },
			"Certify centers":     func() error { _, err := Certify(small, m, small); return err },
			"Certify memberships": func() error { _, err := Certify(small, small, m); return err },
			"SVD":                 func() error { _, _, _, err := SVD(m); return err },
			"TruncatedSVD":        func() error { _, err := TruncatedSVD(bg, m, 1, nil); return err },
			"EigenSym":            func() error { _, _, err := EigenSym(m); return err },
			"SimplexLeastSquares": func() error { _, _, err := SimplexLeastSquares(nil, m, small, nil); return err },
			"vertices":            func() error { _, _, err := SimplexLeastSquares(nil, small, m, nil); return err },
			"Start": func() error {
				_, _, err := SimplexLeastSquares(nil, small, small, &SimplexOptions{Start: m})
				return err
			},
			"Predict":            func() error { _, err := model.Predict(nil, m); return err },
			"Predict of centers": func() error { _, err := (&Model{Centers: m}).Predict(nil, small); return err },
			"Nearest":            func() error { _, err := model.Nearest(nil, m); return err },
			"Nearest of centers": func() error { _, err := (&Model{Centers: m}).Nearest(nil, small); return err },
			"MarshalBinary":      func() error { _, err := (&Model{Centers: small, Memberships: m}).MarshalBinary(); return err },
			"LSD":                func() error { _, err := LSD(bg, m, 2, &LSDOptions{MaxIter: 2}); return err },
			"TILSD":              func() error { _, err := TILSD(bg, m, 2, nil); return err },
			"HierarchicalLSD":    func() error { _, err := HierarchicalLSD(bg, m, 2, &LSDOptions{MaxIter: 2}); return err },
			"LSDable":            func() error { _, err := LSDable(m, 2, 0); return err },
			"TILSDable":          func() error { _, err := TILSDable(m, 2, 0); return err },
			"LSDModel.Predict":   func() error { _, err := ti.Predict(nil, m); return err },
			"Coordinates":        func() error { _, err := (&LSDModel{Memberships: m, Map: ti.Map}).Coordinates(nil, m); return err },
			"LinearKernel":       func() error { _, err := LinearKernel(m); return err },
			"RBFKernel":          func() error { _, err := RBFKernel(m, 0); return err },
			"Cross":              func() error { _, err := linear.Cross(nil, m); return err },
			"Stats":              func() error { return new(Stats).Add(m) },
			"Extent":             func() error { return new(Extent).Add(sub, m) },
		} {
			err := call()
			if err == nil && !good || !good && !errors.Is(err, ErrShape) {
				t.Errorf("%s of %+v: %v", name, m, err)
			}
			for _, kind := range []error{ErrShape, ErrNonFinite, ErrTooFewSamples, ErrFormat, ErrChanged, ErrOption, context.Canceled} {
				if errors.Is(err, kind) && !errors.Is(err, context.Canceled) {
					err = nil
				}
			}
			if err != nil {
				t.Errorf("%s: %v is of no kind", name, err)
			}
		}
		if good && !empty {
			sum := 0
			c := m.Clone()
			for i := range m.Rows {
				for j, v := range m.Row(i) {
					sum++
					if math.Float64bits(v) != math.Float64bits(m.At(i, j)) || math.Float64bits(v) != math.Float64bits(c.At(i, j)) || cap(m.Row(i)) != m.Cols {
						t.Fatalf("%+v: entry (%d,%d)", m, i, j)
					}
				}
			}
			if sum != len(c.Data) || c.Stride != m.Cols {
				t.Fatalf("%+v, clone %+v", m, c)
			}
		}
		in.finish(t)
	})
}

// oneBlock yields x.
func oneBlock(x *Matrix) func(yield func(*Matrix, error) bool) {
	return func(yield func(*Matrix, error) bool) { yield(x, nil) }
}

// minVolume draws options of all methods that iterate. Their limits are small.
func (in *input) minVolume(x *Matrix, w []float64, k int) *MinVolumeOptions {
	mode, more := in.byte(), in.byte()
	o := &MinVolumeOptions{Weights: w, Workers: int(mode & 1), Seed: uint64(more), Restarts: int(more & 1), MaxIter: 1 + int(mode>>1&7),
		Init: Init(in.below(6)), Sum: Sum(mode >> 4 & 1), Volume: Volume(in.below(3)), SummaryRows: int(more >> 1 & 1), Refinements: int(more>>2&3) - 1}
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

// checkIterated is what an iteration's model promises.
func checkIterated(t *testing.T, x *Matrix, m *Model, o *MinVolumeOptions) {
	t.Helper()
	finiteModel(t, m)
	finite(t, "model", append(slices.Clone(m.Trace), m.Lambda, m.Epsilon)...)
	for i := range m.Memberships.Rows {
		sum := 0.0
		for _, v := range m.Memberships.Row(i) {
			if !(v >= 0) {
				t.Fatalf("membership %g", v)
			}
			sum += v
		}
		if sum > 1+1e-13 || o.Sum == SumToOne && sum < 1-1e-13 {
			t.Fatalf("row %d adds up to %g", i, sum)
		}
	}
	var members *Matrix
	if o.Centers != nil { // which may be as far away as they like, and stay there
		members = m.Memberships
	}
	if !(m.Gap >= -room(1e-9, x, o.Weights, m.Centers, members)) {
		t.Fatalf("gap %g, objective %g, floor %g, total %g", m.Gap, m.Objective, m.Floor, m.Total)
	}
	for i := 1; i < len(m.Trace); i++ {
		if m.Trace[i] > m.Trace[i-1]+1e-12*max(math.Abs(m.Trace[i]), m.Total) {
			t.Fatalf("trace rises to %g from %g", m.Trace[i], m.Trace[i-1])
		}
	}
	for _, w := range m.Warnings {
		if w.String() == "" || !isFinite(w.Value) {
			t.Fatalf("warning %+v", w)
		}
	}
}

// FuzzFitMinVolume: what iterates keeps its promises from every start, and so does
// its path over λ.
func FuzzFitMinVolume(f *testing.F) {
	addMatrices(f)
	f.Add([]byte{11, 3, 0x1a, 250, 200, 100, 50, 25, 12, 6, 3, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		x, w := in.samples(24, 6)
		k := 1 + in.below(8)
		o := in.minVolume(x, w, k)
		m := mustDo(FitMinVolume(bg, x, k, o))(t)
		checkIterated(t, x, m, o)
		checkModel(t, in, m)
		a := mustDo(FitAlternating(bg, x, k, &AlternatingOptions{Weights: w, Workers: o.Workers, Seed: o.Seed, Restarts: o.Restarts,
			MaxIter: o.MaxIter, Tol: o.Tol, Init: o.Init, Centers: o.Centers, Sum: o.Sum}))(t)
		checkIterated(t, x, a, o)
		if a.Lambda != 0 || a.Epsilon != 0 {
			t.Fatalf("%+v", a)
		}
		if o.Sum == SumToOne {
			c := mustDo(CertifyWeighted(x, a.Centers, a.Memberships, w))(t)
			if math.Abs(c.Gap-a.Gap) > room(1e-12, x, w, a.Centers, a.Memberships)*max(1, math.Abs(a.Gap)) {
				t.Fatalf("gap %g, certified %+v of %v with weights %v in %v, %v", a.Gap, c, x, w, a.Centers, a.Memberships)
			}
		}
		if in.byte()&3 > 0 {
			in.finish(t)
			return // the path, three fits, takes as long as all before
		}
		lambdas := []float64{in.lambda(), 0, math.Abs(in.float())}
		path := mustDo(MinVolumePath(bg, x, k, lambdas, o))(t)
		for i, p := range path {
			finite(t, "path", p.Lambda, p.Objective, p.Floor, p.Volume)
			finite(t, "centers of the path", p.Centers.Data...)
			if p.Objective < 0 || p.Floor < 0 || p.Iterations > o.MaxIter || i >= len(lambdas) {
				t.Fatalf("%+v", p)
			}
		}
		if len(path) != len(lambdas) {
			t.Fatalf("%d points", len(path))
		}
		in.finish(t)
	})
}

// FuzzSimilarity: kernels of samples and functions, and all that is made of them.
func FuzzSimilarity(f *testing.F) {
	addMatrices(f)
	f.Add([]byte{11, 3, 0x1a, 250, 200, 100, 50, 25, 12, 6, 3, 1})
	f.Add([]byte{9, 1, 4, 1, 1, 1, 2, 2, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		x := in.matrix(1+in.below(12), 1+in.below(5))
		n, k := x.Rows, 1+in.below(5)
		var s Similarity
		var kernel *SampleKernel
		switch in.below(3) {
		case 0:
			kernel = mustDo(LinearKernel(x))(t)
			s = kernel
		case 1:
			kernel = mustDo(RBFKernel(x, math.Abs(in.float())))(t)
			s = kernel
		default:
			m := in.symmetric(n)
			s = KernelFunc(n, m.At)
		}
		whole := mustDo(SimilarityMatrix(s))(t)
		finite(t, "similarities", whole.Data...)
		if kernel != nil {
			y := in.matrix(1+in.below(3), x.Cols)
			finite(t, "similarities with others", mustDo(kernel.Cross(nil, y))(t).Data...)
			finite(t, "gamma", kernel.Gamma())
			cross := mustDo(kernel.Cross(nil, x))(t)
			for i, v := range whole.Data {
				if i/n <= i%n && v != whole.At(i%n, i/n) || math.Abs(cross.Data[i]-v) > 1e-12*max(1, math.Abs(v)) && kernel.Gamma() > 0 {
					t.Fatalf("similarity (%d,%d) is %g, its mirror image %g, that of Cross %g", i/n, i%n, v, whole.At(i%n, i/n), cross.Data[i])
				}
			}
		}
		o := &LSDOptions{Workers: in.below(3), Seed: uint64(in.byte()), Starts: in.below(3), MaxIter: in.below(7) - 1, Enclosure: Enclosure(in.below(2))}
		switch {
		case o.Starts == 0 && o.Seed%4 > 0: // 0 would be 5
			o.Starts = 1
		case o.MaxIter == 0: // would be 1000
			o.MaxIter = 25
		}
		o.MaxIter = cmp.Or(o.MaxIter, 6)
		lsd, ti := mustDo(LSDOf(bg, s, k, o))(t), mustDo(TILSDOf(bg, s, k, o))(t)
		tree := mustDo(HierarchicalLSDOf(bg, s, k, o))(t)
		if len(tree.Leaves) != n || len(tree.Splits) >= k || tree.String() == "" {
			t.Fatalf("%+v", tree)
		}
		for i, m := range []*LSDModel{lsd, ti, &tree.Model} {
			checkFeasible(t, m.Memberships)
			finite(t, "model", m.Scale, m.Objective, m.Floor, m.FloorError, m.Total, m.Gap, m.Distortion)
			if !(m.Scale >= 0 && m.Floor >= 0 && m.FloorError >= 0 && m.Gap >= 0 && m.Floor <= m.Objective && m.Objective <= m.Total*(1+1e-12)+m.FloorError) {
				t.Fatalf("%d: %+v", i, m)
			}
			back := shipped(t, m)
			for j, l := range m.Labels(nil) {
				if l < 0 || l >= k || back.Labels(nil)[j] != l {
					t.Fatalf("label %d", l)
				}
			}
			if m.Scale == 0 && m.Map == nil {
				continue // out of range, which Predict says
			}
			rows := in.matrix(2, n)
			g := mustDo(m.Predict(nil, rows))(t)
			checkFeasible(t, g)
			if p := mustDo(back.Predict(nil, rows))(t); !laSameBits(p.Data, g.Data) {
				t.Fatalf("another prediction by way of the binary form: %v, %v", p.Data, g.Data)
			}
		}
		finite(t, "coordinates", mustDo(ti.Coordinates(nil, nil))(t).Data...)
		finite(t, "coordinates of rows", mustDo(ti.Coordinates(nil, whole))(t).Data...)
		for _, call := range []func(*Matrix, int, float64) (Obstacle, error){LSDObstacle, TILSDObstacle} {
			for _, tol := range []float64{0, 0.1} {
				b := mustDo(call(whole, k, tol))(t)
				if b.String() == "" || !isFinite(b.Value) || b.Row < 0 || b.Row >= n || b.Col < 0 || b.Col >= n {
					t.Fatalf("obstacle %+v", b)
				}
			}
		}
		in.finish(t)
	})
}
