package softkmeans

// Fuzz targets that go through several functions. Those of one decoder or one function
// stand beside its tests; helpers_fuzz_test.go makes their inputs.

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"
)

// addMatrices adds the seeds that targets of matrices begin with.
func addMatrices(f *testing.F) {
	f.Add([]byte{7, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add([]byte("1: sixteen oddities and five columns, weighted"))
	f.Add([]byte{5, 2, 3, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88})
	f.Add([]byte{11, 5, 0x1a, 250, 200, 100, 50, 25, 12, 6, 3, 1})
}

// FuzzFit: no panic, no NaN, feasible, and never off the floor by more than rounding. What
// may be asked of the model afterwards agrees with it.
func FuzzFit(f *testing.F) {
	addMatrices(f)
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
		if m.Status != StatusOptimal && !(o.Solver == SolverKrylov && m.Status == StatusIterationLimit) {
			t.Fatalf("%v of %+v", m.Status, o)
		}
		if !(m.Gap <= most && m.Objective >= (m.Floor-m.FloorError)*(1-1e-15)) {
			t.Fatalf("gap %g, objective %g, floor %g, total %g, %+v, k = %d of %v, %v, at most %g", m.Gap, m.Objective, m.Floor, m.Total, o, k, x, m.Status, most)
		}
		c := mustDo(Certify(bg, x, m.Centers, m.Memberships, &Options{Weights: w}))(t)
		if o.Solver == SolverAuto && (c.Floor != m.Floor || c.Total != m.Total) {
			t.Fatalf("fitted %+v, certified %+v", m, c)
		}
		checkCertifiedAs(t, m, x, w, c)
		if !(c.MinMembership >= 0 && c.MaxSumError <= 1e-12 && c.SpanError >= 0 && c.SpanError <= 1+1e-12) {
			t.Fatalf("certified %+v", c)
		}
		checkModel(t, in, m)
		in.beyond(t, x, func(x *Matrix) error { return second(Fit(bg, x, k, nil)) })
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
	for i, j := range m.Labels(nil) {
		if row := m.Memberships.Row(i); m.ClusterMeans == nil && row[j] != slices.Max(row) {
			t.Fatalf("label %d of %v", j, row)
		}
	}
	must(t, second(m.PredictLabels(nil, y)))
	must(t, m.Check())
	// A row that is not finite, or out of range, is an error, and dst is as it was.
	bad, what := y.Clone(), in.below(4)
	bad.Data[in.below(len(bad.Data))] = [...]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64}[what]
	kind := [...]error{ErrNonFinite, ErrNonFinite, ErrNonFinite, ErrRange}[what]
	before := slices.Clone(into.Data)
	if _, err := m.Predict(into, bad); !errors.Is(err, kind) || !laSameBits(into.Data, before) {
		t.Fatalf("%v, and dst is %v", err, into.Data)
	}
	labels := slices.Repeat([]int{-7}, y.Rows)
	if _, err := m.PredictLabels(labels, bad); !errors.Is(err, kind) || slices.Max(labels) != -7 {
		t.Fatalf("PredictLabels: %v, and dst is %v", err, labels)
	}
}

// FuzzCertificate: floors descend and agree with what is said of any solution, which
// may have any centers and memberships.
func FuzzCertificate(f *testing.F) {
	addMatrices(f)
	f.Add([]byte{2, 6, 0x1e, 90, 80, 70, 60, 50, 40, 30})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := newInput(data)
		x, w := in.samples(12, 12)
		floors := mustDo(Floors(bg, x, &Options{Weights: w}))(t)
		if len(floors) != min(x.Rows, x.Cols)+1 || floors[len(floors)-1] != 0 {
			t.Fatalf("floors of %d×%d: %v", x.Rows, x.Cols, floors)
		}
		finite(t, "floors", floors...)
		if !slices.IsSortedFunc(floors, func(a, b float64) int { return cmp.Compare(b, a) }) || floors[len(floors)-1] < 0 {
			t.Fatalf("floors rise: %v", floors)
		}

		k := 1 + in.below(8)
		centers, members := in.matrix(k, x.Cols), in.matrix(x.Rows, k)
		if in.byte()&1 > 0 {
			members = mustDo((&Model{Centers: centers}).Predict(nil, x))(t)
		}
		c := mustDo(Certify(bg, x, centers, members, &Options{Weights: w}))(t)
		finite(t, "certificate", c.Objective, c.Floor, c.Gap, c.MinMembership, c.MaxSumError, c.SpanError, c.Total, c.FloorError, c.Excess(), c.ExcessShare(), c.ExcessFloors(), c.Repair)
		if c.Objective < 0 || c.Floor < 0 || c.FloorError < 0 || c.MaxSumError < 0 || c.SpanError < 0 || c.SpanError > 1+1e-12 {
			t.Fatalf("%+v", c)
		}
		checkCertificate(t, "certified", x, w, centers, members, c)
		if c.Excess() < 0 || c.ExcessShare() < 0 || c.ExcessFloors() < 0 || c.Repair < max(0, -c.MinMembership) || c.Objective < (c.Floor-c.FloorError)*(1-1e-15) {
			t.Fatalf("below the floor: %+v, %v with weights %v in %v, %v", c, x, w, centers, members)
		}
		// min(n, d)·2^-52 of the total, as Floors says, times a constant. An entry's square has three more
		// roundings of 2^-1075, in a unit of at most 8 times the largest square and weight.
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
		in.finish(t)
	})
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
		few := &MinVolumeOptions{MaxIter: 2}
		other := *ti
		other.Memberships = m
		_, _, _, svd := SVD(m)
		_, _, eigen := EigenSym(m)
		for name, err := range map[string]error{
			"Fit":                 second(Fit(bg, m, 2, nil)),
			"FitAlternating":      second(FitAlternating(bg, m, 2, few)),
			"FitMinVolume":        second(FitMinVolume(bg, m, 2, few)),
			"starts at Centers":   second(FitMinVolume(bg, small, 2, &MinVolumeOptions{MaxIter: 2, Centers: m})),
			"Orientation":         second(Fit(bg, small, 3, &Options{Orientation: m})),
			"Floors":              second(Floors(bg, m, nil)),
			"LogVolume":           second(LogVolume(m)),
			"Certify x":           second(Certify(bg, m, small, NewMatrix(3, 3, nil), nil)),
			"Certify centers":     second(Certify(bg, small, m, small, nil)),
			"Certify memberships": second(Certify(bg, small, small, m, nil)),
			"SVD":                 svd,
			"EigenSym":            eigen,
			"SimplexLeastSquares": second(SimplexLeastSquares(nil, m, small, nil)),
			"vertices":            second(SimplexLeastSquares(nil, small, m, nil)),
			"Predict":             second(model.Predict(nil, m)),
			"Predict of centers":  second((&Model{Centers: m}).Predict(nil, small)),
			"PredictLabels":       second(model.PredictLabels(nil, m)),
			"Check":               (&Model{Memberships: m}).Check(),
			"LSD":                 second(LSD(bg, m, 2, &LSDOptions{MaxIter: 2})),
			"TILSD":               second(TILSD(bg, m, 2, nil)),
			"LSDModel.Predict":    second(ti.Predict(nil, m)),
			"Coordinates":         second(other.Coordinates(nil, m)),
			"Stats":               new(Stats).Add(m),
		} {
			if err == nil && !good || !good && !errors.Is(err, ErrShape) {
				t.Errorf("%s of %+v: %v", name, m, err)
			}
			for _, kind := range []error{ErrShape, ErrNonFinite, ErrRange, ErrTooFewSamples, ErrFormat, ErrChanged, ErrOption, context.Canceled} {
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
	if labels := mustDo(m.PredictLabels(nil, x))(t); !slices.Equal(labels, m.Clusters) {
		t.Fatalf("labels %v, predicted %v", m.Clusters, labels)
	}
}

// FuzzFitMinVolume: what iterates keeps its promises from every start, and so does its path over λ.
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
		a := mustDo(FitAlternating(bg, x, k, &MinVolumeOptions{Weights: w, Workers: o.Workers, Seed: o.Seed, Restarts: o.Restarts,
			MaxIter: o.MaxIter, Tol: o.Tol, Init: o.Init, Centers: o.Centers, Sum: o.Sum}))(t)
		checkIterated(t, x, a, o)
		if a.Lambda != 0 || a.Epsilon != 0 {
			t.Fatalf("%+v", a)
		}
		if o.Sum == SumToOne {
			c := mustDo(Certify(bg, x, a.Centers, a.Memberships, &Options{Weights: w}))(t)
			most := room(1e-12, x, w, a.Centers, a.Memberships) * max(1, math.Abs(a.Gap))
			checkCertificate(t, "certified", x, w, a.Centers, a.Memberships, c)
			if added := 2 * hides(x, w, a.Centers, a.Memberships, SumToOne); a.Total > 0 { // (r + h)² is r² and this much
				most += added * (2*math.Sqrt(a.Objective) + added) / a.Total
			}
			if math.Abs(c.Gap-a.Gap) > most {
				t.Fatalf("gap %g, certified %+v of %v with weights %v in %v, %v", a.Gap, c, x, w, a.Centers, a.Memberships)
			}
		}
		in.finish(t)
	})
}
