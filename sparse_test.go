package softkmeans

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sparseOf stores the entries of x that are not 0; nil where x has no shape.
func sparseOf(x *Matrix) *SparseMatrix {
	if checkShape("x", x) != nil {
		return nil
	}
	s := &SparseMatrix{Rows: x.Rows, Cols: x.Cols, Indptr: []int{0}}
	for i := range x.Rows {
		for j, v := range x.row(i) {
			if v != 0 {
				s.Indices, s.Data = append(s.Indices, j), append(s.Data, v)
			}
		}
		s.Indptr = append(s.Indptr, len(s.Data))
	}
	return s
}

// words is a table of counts: n rows of k mixed topics over d words, of which a row has at most `filled`.
func words(n, d, k, filled int, seed uint64) *Matrix {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := NewMatrix(n, d, nil)
	for i := range n {
		topic := rng.IntN(k)
		for range filled {
			if rng.IntN(4) == 0 {
				topic = rng.IntN(k)
			}
			j := int(float64(d) / float64(k) * (float64(topic) + math.Pow(rng.Float64(), 3)))
			x.row(i)[min(j, d-1)]++
		}
	}
	return x
}

// fifths are weights 0, ½, 1, … in turn, with 1 first.
func fifths(n int) []float64 {
	w := inTurn(n, 0, .5, 1, 1.5, 2)
	w[0] = 1
	return w
}

// thinned returns x with more columns of zeros than it has columns, so that it is less than half filled.
func thinned(x *Matrix) *Matrix {
	out := NewMatrix(x.Rows, 2*x.Cols+1, nil)
	for i := range x.Rows {
		copy(out.row(i), x.row(i))
	}
	return out
}

// farFrom is a table with a mean so many spreads from 0.
func farFrom(mean float64) *Matrix {
	x, rng := NewMatrix(60, 5, nil), rand.New(rand.NewPCG(5, 6))
	for i := range x.Data {
		x.Data[i] = mean + rng.NormFloat64()
	}
	return x
}

// sparseTables are tables with zeros, most of them less than half filled.
func sparseTables(t *testing.T) map[string]*Matrix {
	small, large := words(40, 12, 3, 9, 4), words(70, 30, 3, 9, 4)
	scale(small.Data, 1e-120)
	scale(large.Data, 1e120)
	return map[string]*Matrix{
		"words": words(150, 60, 4, 15, 1), "wide": words(40, 200, 4, 20, 2), "square": words(60, 60, 5, 10,
			3),
		"small": small, "large": large, "iris": thinned(loadCSV(t, "iris")), "columns of zeros": words(90, 40,
			2, 2, 8),
		"tall": words(fewer(1500, 500), 12, 3, 5, 9), "long rows": words(8, fewer(3000, 1000), 3, 400, 10),
		"full": loadCSV(t, "iris"),
	}
}

// TestFitSparse: sparse rows have the numbers of the same rows with all their zeros, to 1e-10
// of the total, and a sound certificate.
func TestFitSparse(t *testing.T) {
	for name, x := range sparseTables(t) {
		s := sparseOf(x)
		for at, o := range []*Options{
			{}, {Enclosure: EnclosureTight}, {Weights: fifths(x.Rows)},
			{Solver: SolverKrylov},
			{Weights: fifths(x.Rows), Solver: SolverKrylov},
		} {
			for k := 1 + at%2; k <= 3; k += 2 - at%2 {
				what := fmt.Sprintf("%s, k = %d, options %d", name, k, at)
				want, got := mustDo(Fit(bg, x, k, o))(t), mustDo(Fit(bg, s, k, o))(t)
				near := func(a, b, unit float64) {
					t.Helper()
					if !(math.Abs(a-b) <= 1e-10*unit) {
						t.Errorf("%s: %v, %v of all entries", what, a, b)
					}
				}
				near(got.Total, want.Total, want.Total)
				near(got.Floor, want.Floor, want.Total)
				near(got.Objective, want.Objective, want.Total)
				if got.Status != want.Status || got.Floor-got.FloorError > want.Floor+want.FloorError ||
					got.FloorError > 1e-10*got.Total {
					t.Errorf("%s: %v, floor %v ± %v; of all entries %v, %v", what, got.Status, got.Floor,
						got.FloorError, want.Status, want.Floor)
				}
				c := mustDo(Certify(bg, x, got.Centers, got.Memberships,
					&Options{Weights: o.Weights, Solver: o.Solver}))(t)
				if c.Gap > 1e-10 || c.Objective > got.Objective*(1+1e-12)+1e-14*c.Total {
					t.Errorf("%s: certificate of all entries: %+v; objective %v", what, c, got.Objective)
				}
				// Isolated directions give one simplex; k = 2 of these tables has some. SolverKrylov
				// has half the digits of them.
				if k == 2 && o.Weights == nil && name != "square" {
					unit := 100.0
					if o.Solver == SolverKrylov {
						unit = 10000
					}
					near(maxDiff(got.Centers, want.Centers)/maxAbs(want.Centers), 0, unit)
					near(maxDiff(got.Memberships, want.Memberships), 0, unit)
				}
			}
		}
	}
}

// TestFitSparseMany: bounds do not grow with the numbers of entries of columns and rows. Tables
// of one mean do not share the random start.
func TestFitSparseMany(t *testing.T) {
	for name, at := range map[string][3]int{"tall": {60000, 9, 4}, "long rows": {5, 60000, 24000}} {
		n, d, filled := at[0], at[1], at[2]
		x := &SparseMatrix{Rows: n, Cols: d, Indptr: []int{0}}
		rng := rand.New(rand.NewPCG(1, 2))
		for range n {
			from := rng.IntN(d - filled + 1)
			for j := range filled {
				x.Indices, x.Data = append(x.Indices, from+j), append(x.Data, rng.NormFloat64())
			}
			x.Indptr = append(x.Indptr, len(x.Data))
		}
		m := mustDo(Fit(bg, x, 3, nil))(t)
		if c := m.Certificate; !(c.ExcessShare() < 1e-11 && m.FloorError < 1e-11*m.Total) {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestFitSparseFar: where products cancel the certificate says so, and stays true.
func TestFitSparseFar(t *testing.T) {
	same := NewMatrix(6, 3, slices.Repeat([]float64{1, 0, 2}, 6))
	uneven := NewMatrix(4, 2, []float64{1, 2, 3, 5, 4, 1, 1, 7})
	tables := map[string]*Matrix{"same": thinned(same), "one": words(1, 9, 2, 4, 7), "zeros": NewMatrix(7, 4,
		nil), "uneven": thinned(uneven)}
	for _, mean := range []float64{1e3, 1e6, 1e9, 1e12} {
		tables["far by "+strconv.FormatFloat(mean, 'g', -1, 64)] = thinned(farFrom(mean))
	}
	for name, x := range tables {
		for k := 1; k <= 4; k++ {
			for _, solver := range []Solver{SolverAuto, SolverKrylov} {
				o := &Options{Solver: solver}
				length := sumSquares(x.Data)
				if name == "uneven" {
					o.Weights = []float64{1e20, 1, 1, 1}
					length *= 1e20
				}
				want := mustDo(Fit(bg, x, k, &Options{Weights: o.Weights}))(t)
				m := mustDo(Fit(bg, sparseOf(x), k, o))(t)
				share := (m.Objective - want.Floor) / want.Total
				if m.Certificate.ExcessShare() < share*(1-1e-9) && share > 1e-12 && want.Total > 0 ||
					m.Total > want.Total*(1+1e-9) {
					t.Errorf("%s, k = %d: %g of the total %g above the minimum; Total %g, ExcessShare %g",
						name, k, share, want.Total, m.Total, m.Certificate.ExcessShare())
				}
				if m.Objective < want.Floor-want.FloorError ||
					math.Abs(m.Floor-want.Floor) > m.FloorError+want.FloorError ||
					m.Objective-want.Floor > 1e-12*length || m.Floor-want.Floor > 1e-12*length {
					t.Errorf("%s, k = %d: objective %v, floor %v ± %v; minimum %v, ‖X‖² %v", name, k,
						m.Objective, m.Floor, m.FloorError, want.Floor, length)
				}
			}
		}
	}
}

// TestCertifySparse: the objective of any pair is that of all entries, and above it.
func TestCertifySparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, x := range sparseTables(t) {
		for k := 1; k <= 5; k += 2 {
			f, g := NewMatrix(k, x.Cols, nil), NewMatrix(x.Rows, k, nil)
			top := maxAbs(x)
			for i := range f.Data {
				f.Data[i] = top * (3*rng.Float64() - 1)
			}
			for i := range g.Data {
				g.Data[i] = rng.Float64() - 0.2
			}
			for _, o := range []*Options{nil, {Sum: SumAtMostOne, Weights: fifths(x.Rows)},
				{Solver: SolverKrylov}} {
				want := mustDo(Certify(bg, x, f, g, o))(t)
				got := mustDo(Certify(bg, sparseOf(x), f, g, o))(t)
				if got.Objective < want.Objective*(1-1e-12) || got.Objective > want.Objective*(1+1e-11) ||
					math.Abs(got.Floor-want.Floor) > 1e-10*want.Total ||
					got.Repair != want.Repair || got.MinMembership != want.MinMembership ||
					math.Abs(got.SpanError-want.SpanError) > 1e-6 {
					t.Errorf("%s, k = %d: %+v, of all entries %+v", name, k, got, want)
				}
			}
		}
	}
}

// TestFloorsSparse: the floors are those of all entries, by both solvers.
func TestFloorsSparse(t *testing.T) {
	tables := sparseTables(t)
	tables["large side"] = words(1100, 1050, 3, 4, 9)
	for name, x := range tables {
		options := []*Options{{MostK: 3}, {}, {Sum: SumAtMostOne, MostK: 1}, {Weights: fifths(x.Rows),
			MostK: 5000}}
		if name == "large side" {
			options = options[:1]
		}
		for _, o := range options {
			sparse := mustDo(Floors(bg, sparseOf(x), o))(t)
			all := *o
			all.MostK = 0
			var want []float64
			if name == "large side" { // its Gram matrix takes a second
				for k := 1; k <= 3; k++ {
					want = append(want, mustDo(Fit(bg, x, k, &Options{Solver: SolverKrylov}))(t).Floor)
				}
			} else {
				want = mustDo(Floors(bg, x, &all))(t)
			}
			if most := min(len(want), cmp.Or(o.MostK, len(want))); len(sparse) != most {
				t.Fatalf("%s: %d floors of %d, not %d", name, len(sparse), len(want), most)
			}
			for i, v := range sparse {
				if !(math.Abs(v-want[i]) <= 1e-10*want[0]) {
					t.Errorf("%s: floor %d is %v, of all entries %v", name, i, v, want[i])
				}
			}
		}
	}
}

// TestFloorsSparseOpen: where SolverKrylov does not converge, floors are the Gram matrix's, or
// lower bounds. All singular values of the diagonal matrix are next to others, most so the largest.
func TestFloorsSparseOpen(t *testing.T) {
	for _, n := range fewer([]int{1100, 4000}, []int{1030, 2060}) {
		x := &SparseMatrix{Rows: n, Cols: n, Indptr: []int{0}}
		var rest float64
		for i := range n {
			v := 1 - math.Pow(float64(i)/float64(n), 2)
			x.Indices, x.Data, x.Indptr = append(x.Indices, i), append(x.Data, math.Sqrt(v)),
				append(x.Indptr, i+1)
			if i >= 2 {
				rest += v
			}
		}
		floors := mustDo(Floors(bg, x, &Options{Sum: SumAtMostOne, MostK: 2}))(t)
		if floors[1] > rest*(1+1e-13) || n <= mostGramSide && floors[1] < rest*(1-1e-13) ||
			!slices.IsSortedFunc(floors, func(a, b float64) int { return cmp.Compare(b, a) }) {
			t.Errorf("n = %d: %v; the last is %v", n, floors, rest)
		}
	}
}

// TestPredictSparse: memberships of sparse rows are those of all entries.
func TestPredictSparse(t *testing.T) {
	tables := sparseTables(t)
	far := farFrom(1e6)
	tables["far"] = far
	for name, x := range tables {
		for _, sum := range []Sum{SumToOne, SumAtMostOne} {
			m := mustDo(FitMinVolume(bg, x, 3, &MinVolumeOptions{Sum: sum}))(t)
			want := mustDo(m.Predict(nil, x))(t)
			got, err := m.Predict(NewMatrix(x.Rows, 3, nil), sparseOf(x))
			tol := 1e-10
			if name == "far" && sum == SumAtMostOne { // vertices near to each other
				tol = 1e-5
			}
			if err != nil || maxDiff(got, want) > tol {
				t.Errorf("%s %v: memberships are %v from those of all entries, %v", name, sum,
					maxDiff(got, want), err)
			}
		}
	}
	m := &Model{Centers: NewMatrix(2, 3, []float64{0, 0, 0, 1, 1, 1})}
	huge := &SparseMatrix{Rows: 2, Cols: 3, Indptr: []int{0, 1, 1}, Indices: []int{1},
		Data: []float64{0x1p499}}
	if g, err := m.Predict(nil, huge); err != nil ||
		maxDiff(g, NewMatrix(2, 2, []float64{0, 1, 1, 0})) > 1e-15 {
		t.Error(g, err)
	}
	if g, err := m.Predict(nil, &SparseMatrix{Cols: 3}); err != nil || g.Rows != 0 || g.Cols != 2 {
		t.Error(g, err)
	}
}

// TestSparseMean: the digits that the first sum loses are in the rest of the mean.
func TestSparseMean(t *testing.T) {
	fine := sparseOf(NewMatrix(2, 3, []float64{0, 1, 0, 0, 0x1p-60, 0}))
	mean := mustDo(newSparseSamples(bg, fine, nil, 1, true))(t)
	if m, rest := mean.mean[1], mean.fine.rest[1]; m != 0.25 || rest != 0x1p-62 { // in units of 2
		t.Errorf("mean %v, rest %v", m, rest)
	}
	seven := randomData(7, 2, 0, 3) // whose means have no last digit
	mean = mustDo(newSparseSamples(bg, sparseOf(seven), nil, 1, true))(t)
	for j, m := range mean.mean {
		off, seventh := new(big.Float).SetPrec(300), new(big.Float).SetPrec(300).Quo(big.NewFloat(1), big.NewFloat(7))
		for i := range 7 {
			off.Add(off, big.NewFloat(math.Ldexp(seven.At(i, j), -mean.exp)))
		}
		off.Mul(off, seventh).Sub(off, big.NewFloat(m)).Sub(off, big.NewFloat(mean.fine.rest[j]))
		if v, _ := off.Float64(); math.Abs(v) > 0x1p-100 {
			t.Errorf("mean %d with its rest is off by %g", j, v)
		}
	}
}

// TestSparseErrors: what is wrong with rows is named, before any work.
func TestSparseErrors(t *testing.T) {
	good := func() *SparseMatrix {
		return &SparseMatrix{Rows: 2, Cols: 3, Indptr: []int{0, 2, 3}, Indices: []int{0, 2, 1},
			Data: []float64{1, 2, 3}}
	}
	for _, c := range []struct {
		change func(x *SparseMatrix)
		want   error
		text   string
	}{
		{func(x *SparseMatrix) { x.Rows = -1 }, ErrShape, "-1"},
		{func(x *SparseMatrix) { x.Cols = -1 }, ErrShape, "x is 2×-1"},
		{func(x *SparseMatrix) { x.Rows, x.Indptr, x.Indices, x.Data = 0, nil, nil, nil }, ErrTooFewSamples,
			"no rows"},
		{func(x *SparseMatrix) { x.Cols, x.Indptr, x.Indices, x.Data = 0, []int{0, 0, 0}, nil, nil },
			ErrShape, "no columns"},
		{func(x *SparseMatrix) { x.Cols = math.MaxInt }, ErrShape, strconv.Itoa(math.MaxInt)},
		{func(x *SparseMatrix) { x.Indptr = x.Indptr[:2] }, ErrShape, "2 Indptr for 2 rows"},
		{func(x *SparseMatrix) { x.Indptr[0] = 1 }, ErrShape, "Indptr from 1"},
		{func(x *SparseMatrix) { x.Indptr[1] = 5 }, ErrShape, "from 0 to 5 for row 0"},
		{func(x *SparseMatrix) { x.Indptr[1] = -5 }, ErrShape, "from 0 to -5 for row 0"},
		{func(x *SparseMatrix) { x.Indices = x.Indices[:2] }, ErrShape, "2 Indices for 3"},
		{func(x *SparseMatrix) { x.Indices[1] = 0 }, ErrShape, "column 0 after 0 in row 0"},
		{func(x *SparseMatrix) { x.Indices[2] = 3 }, ErrShape, "column 3 after -1 in row 1"},
		{func(x *SparseMatrix) { x.Indices[0] = -1 }, ErrShape, "row 0"},
		{func(x *SparseMatrix) { x.Data[1] = math.NaN() }, ErrNonFinite, "x[0,2]"},
		{func(x *SparseMatrix) { x.Data[2] = 0x1p501 }, ErrRange, "x[1,1]"},
		{func(x *SparseMatrix) { x.Data = []float64{0, 0x1p-600, 0} }, ErrRange, "x[0,2]"},
	} {
		x := good()
		c.change(x)
		_, fit := Fit(bg, x, 1, nil)
		_, floors := Floors(bg, x, nil)
		_, certify := Certify(bg, x, NewMatrix(1, 3, nil), NewMatrix(2, 1, nil), nil)
		for _, err := range []error{fit, floors, certify, second(FitMinVolume(bg, x, 1, nil)),
			second(FitAlternating(bg, x, 1, nil))} {
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%q: %v", c.text, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	two, three, bad := NewMatrix(1, 2, nil), NewMatrix(1, 3, nil), *good()
	bad.Indices = bad.Indices[1:]
	for _, c := range []struct{ err, want error }{
		{second(Fit(bg, good(), 1, &Options{Solver: SolverJacobi})), ErrOption},
		{second(Floors(bg, good(), &Options{MostK: -1})), ErrOption},
		{second(Floors(bg, good(), &Options{Sum: 9})), ErrOption},
		{second(Fit(bg, good(), 1, &Options{Weights: []float64{1}})), ErrShape},
		{second(Certify(bg, good(), two, NewMatrix(2, 1, nil), nil)), ErrShape},
		{second((&Model{Centers: two}).Predict(nil, good())), ErrShape},
		{second((&Model{Centers: three, Sum: 9}).Predict(nil, good())), ErrOption},
		{second(new(Model).Predict(nil, good())), ErrTooFewSamples},
		{second(Fit(ctx, good(), 1, nil)), context.Canceled},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%v, want %v", c.err, c.want)
		}
	}
	err := second((&Model{Centers: three, ClusterMeans: three}).PredictLabels(nil, &bad))
	if !errors.Is(err, ErrShape) || !strings.Contains(err.Error(), "Indices") {
		t.Error(err)
	}
}

// TestSamplesKinds: no rows at all are an error of every function, and those that need all
// entries fill sparse rows in or say that they do not take them.
func TestSamplesKinds(t *testing.T) {
	members := NewMatrix(2, 1, []float64{1, 1})
	for name, x := range map[string]Samples{"nil": nil, "matrix": (*Matrix)(nil),
		"sparse": (*SparseMatrix)(nil)} {
		m := &Model{Centers: NewMatrix(2, 3, nil), ClusterMeans: NewMatrix(2, 3, nil)}
		for call, err := range map[string]error{
			"Fit":    second(Fit(bg, x, 1, nil)),
			"Floors": second(Floors(bg, x, nil)), "Certify": second(Certify(bg, x, NewMatrix(1, 3, nil),
				members, nil)),
			"Predict": second(m.Predict(nil, x)), "PredictLabels": second(m.PredictLabels(nil, x)),
			"FitMinVolume":   second(FitMinVolume(bg, x, 2, nil)),
			"FitAlternating": second(FitAlternating(bg, x, 2, nil)),
		} {
			if !errors.Is(err, ErrShape) || !strings.Contains(err.Error(), "x is nil") {
				t.Errorf("%s of %s: %v", call, name, err)
			}
		}
	}
}

// FuzzSparse: whatever the rows are, what is certified of them is true, by the oracle of many digits.
func FuzzSparse(f *testing.F) {
	addMatrices(f)
	f.Add([]byte{2, 6, 0x1e, 90, 80, 70, 60, 50, 40, 30})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		x, w := in.samples(12, 12)
		if in.below(2) > 0 {
			for i := range x.Data {
				if in.byte()&1 > 0 {
					x.Data[i] = 0
				}
			}
		}
		x = thinned(x)
		s := sparseOf(x)
		if in.below(2) > 0 { // one row outweighs all others
			w = slices.Repeat([]float64{1}, x.Rows)
			w[0] = 1e20
		}
		if _, err := Fit(bg, s, 1, &Options{Weights: w}); errors.Is(err, ErrRange) { // the largest is gone
			return
		}
		k := 1 + in.below(6)
		o := &Options{Solver: []Solver{SolverAuto, SolverGram, SolverKrylov}[in.below(3)],
			Enclosure: Enclosure(in.below(2)), Weights: w, Workers: in.below(3)}
		m := mustDo(Fit(bg, s, k, o))(t)
		checkFeasible(t, m.Memberships)
		finiteModel(t, m)
		certifiedSparse(t, "fitted", x, w, m.Centers, m.Memberships, m.Certificate)
		centers, members := in.matrix(k, x.Cols), in.matrix(x.Rows, k)
		c := mustDo(Certify(bg, s, centers, members, &Options{Weights: w}))(t)
		certifiedSparse(t, "certified", x, w, centers, members, c)
		dense := mustDo(Certify(bg, x, centers, members, &Options{Weights: w}))(t)
		if c.Floor-c.FloorError > dense.Floor+dense.FloorError ||
			dense.Floor-dense.FloorError > c.Floor+c.FloorError || c.Repair != dense.Repair {
			t.Fatalf("%+v, of all entries %+v", c, dense)
		}
	})
}

// certifiedSparse is checkCertificate for a bound that may be wide.
func certifiedSparse(t *testing.T, name string, x *Matrix, w []float64, f, g *Matrix, c Certificate) {
	t.Helper()
	q := truthOf(x, w, nil, SumToOne)
	q.certificate(t, name, f, g, c)
	checkFloor(t, name, c.Floor, c.FloorError, q.minimum(f.Rows), lostSquares(x, w))
}

// TestFitSparseWeightless: a row of weight 0 has the memberships of its nearest mixture.
func TestFitSparseWeightless(t *testing.T) {
	x := words(40, 12, 3, 4, 5)
	w := without(40, 7, 5)
	m := mustDo(Fit(bg, sparseOf(x), 3, &Options{Weights: w}))(t)
	if off := maxDiff(m.Memberships, mustDo(m.Predict(nil, x))(t)); !(off < 1e-9) {
		t.Errorf("memberships are off by %g", off)
	}
}

// TestFilledBlocks: rows that are filled in block by block do not keep entries of the block before.
func TestFilledBlocks(t *testing.T) {
	const d = 1<<20 + 1 // a row a block
	x := &SparseMatrix{Rows: 2, Cols: d, Indptr: []int{0, 1, 2}, Indices: []int{3, 5}, Data: []float64{9, 1}}
	means := mustDo(x.Dense())(t)
	m := &Model{Centers: means, ClusterMeans: means}
	if labels := mustDo(m.PredictLabels(nil, x))(t); labels[0] != 0 || labels[1] != 1 {
		t.Error(labels)
	}
}
