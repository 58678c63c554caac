package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/tables"
)

type matrix = softkmeans.Matrix

// mixtures returns n noisy mixtures of k points in d dimensions, moved by far.
func mixtures(n, d, k int, noise, far float64, seed uint64) *matrix {
	rng := rand.New(rand.NewPCG(seed, 1))
	f, x := softkmeans.NewMatrix(k, d, nil), softkmeans.NewMatrix(n, d, nil)
	for i := range f.Data {
		f.Data[i] = rng.NormFloat64()
	}
	for i := range n {
		g, sum := make([]float64, k), 0.0
		for j := range g {
			g[j] = math.Pow(rng.ExpFloat64(), 2)
			sum += g[j]
		}
		for j := range g {
			la.Axpy(x.Row(i), g[j]/sum, f.Row(j))
		}
		for c := range d {
			x.Row(i)[c] += noise*rng.NormFloat64() + far
		}
	}
	return x
}

// rowsOf returns a view of the rows lo, …, hi−1.
func rowsOf(x *matrix, lo, hi int) *matrix {
	return &matrix{Rows: hi - lo, Cols: x.Cols, Stride: x.Stride, Data: x.Data[lo*x.Stride:]}
}

// in yields the rows of x in blocks of these sizes, over and over, in memory that is used again.
func in(x *matrix, sizes ...int) iter.Seq2[*matrix, error] {
	return func(yield func(*matrix, error) bool) {
		memory := make([]float64, slices.Max(sizes)*(x.Cols+2))
		for at, i := 0, 0; at < x.Rows; i++ {
			n := min(sizes[i%len(sizes)], x.Rows-at)
			for j := range memory {
				memory[j] = math.NaN()
			}
			b := &matrix{Rows: n, Cols: x.Cols, Stride: x.Cols + 2, Data: memory}
			for j := range n {
				copy(b.Row(j), x.Row(at+j))
			}
			if at += n; !yield(b, nil) {
				return
			}
		}
	}
}

// collected receives memberships and labels.
type collected struct {
	t      *testing.T
	g, p   []float64
	labels []int
}

func (c *collected) likely(first int, p *matrix) error {
	if first*p.Cols != len(c.p) || len(c.p)+len(p.Data) != len(c.g) {
		c.t.Errorf("probabilities from row %d after %d numbers, and %d memberships", first, len(c.p), len(c.g))
	}
	c.p = append(c.p, p.Data...)
	return nil
}

func (c *collected) take(first int, g *matrix) error {
	if first*g.Cols != len(c.g) {
		c.t.Errorf("memberships from row %d after %d numbers", first, len(c.g))
	}
	c.g = append(c.g, g.Data...)
	return nil
}

func (c *collected) label(first int, labels []int) error {
	if first != len(c.labels) {
		c.t.Errorf("labels from row %d after %d", first, len(c.labels))
	}
	c.labels = append(c.labels, labels...)
	return nil
}

func close9(a, b, total float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b)+1e-13*total }

// exactly is ‖X − GF‖² for the memberships divided by their sums; at most one: by those above 1.
func exactly(x, f *matrix, g, weights []float64, atMost bool) float64 {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	all, k := num(0), f.Rows
	for i := range x.Rows {
		sum := num(0)
		for _, v := range g[i*k : (i+1)*k] {
			sum.Add(sum, num(v))
		}
		if atMost && sum.Cmp(num(1)) < 0 {
			sum = num(1)
		}
		row := num(0)
		for c, v := range x.Row(i) {
			mix := num(0)
			for j, m := range g[i*k : (i+1)*k] {
				mix.Add(mix, new(big.Float).Mul(num(m), num(f.At(j, c))))
			}
			r := num(v)
			r.Sub(r, mix.Quo(mix, sum))
			row.Add(row, r.Mul(r, r))
		}
		if weights != nil {
			row.Mul(row, num(weights[i]))
		}
		all.Add(all, row)
	}
	v, _ := all.Float64()
	return v
}

// TestFit: the model is that of softkmeans.Fit, its objective is that of the memberships handed out, and
// neither blocks nor workers change a bit.
func TestFit(t *testing.T) {
	for name, x := range map[string]*matrix{
		"noisy": mixtures(700, 5, 4, .2, 0, 1), "far": mixtures(300, 4, 3, .1, 1e4, 2), "very far": mixtures(90, 3, 2, .1, -1e9, 3),
		"exact": mixtures(200, 6, 3, 0, 1, 4), "wide": mixtures(7, 20, 3, 1, 0, 5), "one row": mixtures(1, 3, 1, 1, 0, 6),
		"tall": mixtures(9000, 2, 3, .3, 0, 7), "equal": softkmeans.NewMatrix(9, 2, slices.Repeat([]float64{.1}, 18)),
	} {
		weights := make([]float64, x.Rows)
		for i := range weights {
			weights[i] = []float64{1, 3, 0, 1e-3}[i%4]
		}
		for k := 1; k <= 6; k++ {
			for at, w := range [][]float64{nil, weights} {
				what, o := fmt.Sprintf("%s, k = %d, %d", name, k, at), &Options{Weights: w, Enclosure: softkmeans.Enclosure((k + at) % 2)}
				want, err1 := softkmeans.Fit(t.Context(), x, k, &softkmeans.Options{Weights: w, Enclosure: o.Enclosure})
				passes := 0
				o.Block = func(pass, rows int) { passes = pass }
				got, err2 := Fit(t.Context(), in(x, 1, 100, 7, 9000), k, o)
				if err := errors.Join(err1, err2); err != nil || passes != 2 || got.Memberships != nil {
					t.Fatalf("%s: %v, %d passes", what, err, passes)
				}
				size := 0.0
				for i := range x.Rows {
					size += la.SumSquares(x.Row(i))
				}
				// Centers so far from 0 are rounded, and the mean is: each by u of its length.
				far := 0x1p-51 * math.Sqrt(size)
				off := got.Total + (2*math.Sqrt(got.Objective)+far)*far*1e13
				if !close9(got.Floor, want.Floor, got.Total+1e-15*size) || !close9(got.Total, want.Total, got.Total+1e-15*size) ||
					!close9(got.Objective, want.Objective, off) || got.Total > 1e-20*size && !got.Optimal(max(1e-9, 1e-13*off/got.Total)) {
					t.Errorf("%s: %+v, want %+v", what, got.Certificate, want.Certificate)
				}
				to := &collected{t: t}
				o.Memberships, o.Workers = to.take, 3
				again, err := Fit(t.Context(), in(x, 9000), k, o)
				if err != nil || passes != 3 || !slices.Equal(again.Centers.Data, got.Centers.Data) || again.Certificate != got.Certificate {
					t.Fatalf("%s: other bits, or %d passes, %v", what, passes, err)
				}
				if exact := exactly(x, got.Centers, to.g, w, false); x.Rows < 1000 && exact > got.Objective*(1+1e-12)+1e-15*got.Total {
					t.Errorf("%s: the objective is %g, claimed %g, of %g", what, exact, got.Objective, got.Total)
				}
			}
		}
	}
}

// TestParts: statistics and extents of parts, by their binary forms and merged in any order, give the model.
func TestParts(t *testing.T) {
	x := mixtures(300, 4, 3, .1, 10, 1)
	for _, e := range []softkmeans.Enclosure{softkmeans.EnclosureBall, softkmeans.EnclosureTight} {
		for k := 1; k < 7; k++ {
			want, err := Fit(t.Context(), in(x, 50), k, &Options{Enclosure: e})
			if err != nil {
				t.Fatal(err)
			}
			var all softkmeans.Stats
			part := func(i int) *matrix { return rowsOf(x, i*60, (i+1)*60) }
			for _, i := range []int{3, 0, 4, 1, 2} {
				var s, shipped softkmeans.Stats
				err := s.Add(part(i))
				form, err2 := s.MarshalBinary()
				if err := errors.Join(err, err2, shipped.UnmarshalBinary(form), all.Merge(&shipped)); err != nil {
					t.Fatal(err)
				}
			}
			p, err := NewSubspace(t.Context(), &all, k, &Options{Enclosure: e})
			if err != nil {
				t.Fatal(err)
			}
			q, sum := new(Subspace), new(Extent)
			ship(t, p, q)
			for _, i := range []int{2, 4, 0, 1, 3} {
				e, shipped := new(Extent), new(Extent)
				if err := e.Add(q, part(i), nil); err != nil {
					t.Fatal(err)
				}
				if ship(t, e, shipped); i == 0 {
					sum, shipped = shipped, sum
				}
				if err := sum.Merge(shipped); err != nil {
					t.Fatal(err)
				}
			}
			got, err := q.Model(sum)
			if err != nil || sum.Rows() != x.Rows || !close9(got.Objective, want.Objective, want.Total) || !got.Optimal(0) {
				t.Fatalf("k = %d: %+v, want %+v, %v", k, got, want, err)
			}
			for i, v := range got.Centers.Data {
				if math.Abs(v-want.Centers.Data[i]) > 1e-8 {
					t.Fatalf("k = %d: centers %v, want %v", k, got.Centers, want.Centers)
				}
			}
		}
	}
}

type form interface {
	MarshalBinary() ([]byte, error)
	UnmarshalBinary([]byte) error
}

func ship(t *testing.T, from, to form) {
	t.Helper()
	b, err := from.MarshalBinary()
	if err := errors.Join(err, to.UnmarshalBinary(b)); err != nil {
		t.Fatal(err)
	}
}

// TestForms: no cut or changed form is read, and the receiver stays as it was.
func TestForms(t *testing.T) {
	p, e := small(t)
	for _, v := range []form{p, e} {
		good, err := v.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		for i := range good {
			bad := slices.Clone(good)
			bad[i] ^= 4
			for _, b := range [][]byte{good[:i], bad, append(slices.Clone(good), 0)} {
				if err := v.UnmarshalBinary(b); !errors.Is(err, softkmeans.ErrFormat) {
					t.Fatalf("byte %d: %v", i, err)
				}
			}
		}
		if after, _ := v.MarshalBinary(); !slices.Equal(after, good) {
			t.Error("errors changed the receiver")
		}
	}
	for i, numbers := range [][]float64{{}, {1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0}, {2, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, .5}, {1, 1, 0, 0, 1e15, 0, 0, 0, 1, 0, 0, 1}} {
		b, err := marshal(subspaceMagic, numbers)
		if err := errors.Join(err, new(Subspace).UnmarshalBinary(b)); !errors.Is(err, softkmeans.ErrFormat) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if _, err := new(Subspace).MarshalBinary(); !errors.Is(err, softkmeans.ErrTooFewSamples) {
		t.Error(err)
	}
}

// small returns a subspace and an extent in it.
func small(t testing.TB) (*Subspace, *Extent) {
	var s softkmeans.Stats
	var e Extent
	x := mixtures(9, 3, 2, .1, 0, 1)
	err := s.Add(x)
	p, err2 := NewSubspace(t.Context(), &s, 2, &Options{Enclosure: softkmeans.EnclosureTight})
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if err := e.Add(p, x, nil); err != nil {
		t.Fatal(err)
	}
	return p, &e
}

// FuzzForms: what a decoder takes comes back the same, and can be used.
func FuzzForms(f *testing.F) {
	p, e := small(f)
	for _, v := range []form{p, e} {
		b, _ := v.MarshalBinary()
		b = b[4 : len(b)-4]
		f.Add(b)
		b = slices.Clone(b)
		copy(b[2*8:], "\x00\x00\x00\x00\x00\x00\x00\x80") // −0: of a Subspace the enclosure
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		numbers := make([]float64, len(data)/8)
		for i := range numbers {
			var bits uint64
			for j := range 8 {
				bits |= uint64(data[8*i+j]) << (8 * j)
			}
			numbers[i] = math.Float64frombits(bits)
		}
		for magic, v := range map[string]form{subspaceMagic: new(Subspace), extentMagic: new(Extent)} {
			b, err := marshal(magic, numbers)
			if err != nil || v.UnmarshalBinary(b) != nil {
				continue
			}
			if again, err := v.MarshalBinary(); err != nil || !slices.Equal(again, b) {
				t.Fatalf("%x came back as %x, %v", b, again, err)
			}
			if q, ok := v.(*Subspace); ok {
				q.Model(e)
				new(Extent).Add(q, softkmeans.NewMatrix(2, q.Basis.Cols, nil), nil)
			} else {
				p.Model(v.(*Extent))
				v.(*Extent).Merge(e)
			}
		}
	})
}

// TestErrors: every fault of blocks and options is told, in whatever pass it comes.
func TestErrors(t *testing.T) {
	x := mixtures(300, 3, 3, .3, 0, 1)
	wide, huge, nan, moved := softkmeans.NewMatrix(300, 4, nil), x.Clone(), x.Clone(), x.Clone()
	huge.Data[7], nan.Data[7], moved.Data[7] = 1e200, math.NaN(), moved.Data[7]+1
	broken := errors.New("the disk is gone")
	fails := func(yield func(*matrix, error) bool) {
		if yield(rowsOf(x, 0, 50), nil) {
			yield(nil, broken)
		}
	}
	ask := func(first int, g *matrix) error { return broken }
	take := func(first int, g *matrix) error { return nil }
	for i, c := range []struct {
		first, later iter.Seq2[*matrix, error]
		k            int
		o            Options
		want         []error
	}{
		{nil, nil, 2, Options{}, []error{softkmeans.ErrShape}},
		{in(x, 9), nil, 0, Options{}, []error{softkmeans.ErrOption}}, {in(x, 9), nil, math.MaxInt, Options{}, []error{softkmeans.ErrOption}},
		{in(x, 9), nil, 2, Options{Weights: []float64{1}}, []error{softkmeans.ErrShape}},
		{in(x, 9), nil, 2, Options{Weights: []float64{-1}}, []error{softkmeans.ErrOption}},
		{in(x, 9), nil, 2, Options{Weights: make([]float64, 300)}, []error{softkmeans.ErrTooFewSamples}},
		{in(softkmeans.NewMatrix(0, 2, nil), 1), nil, 2, Options{}, []error{softkmeans.ErrTooFewSamples}},
		{fails, nil, 2, Options{}, []error{broken}}, {in(x, 9), fails, 2, Options{}, []error{broken}},
		{in(nan, 9), nil, 2, Options{}, []error{softkmeans.ErrNonFinite}}, {in(x, 9), in(nan, 9), 2, Options{}, []error{softkmeans.ErrNonFinite}},
		{in(huge, 9), nil, 2, Options{}, []error{softkmeans.ErrRange}}, {in(x, 9), in(huge, 9), 2, Options{}, []error{softkmeans.ErrRange}},
		{in(x, 9), in(wide, 9), 2, Options{}, []error{softkmeans.ErrChanged, softkmeans.ErrShape}},
		{in(x, 9), in(rowsOf(x, 0, 299), 9), 2, Options{}, []error{softkmeans.ErrChanged, softkmeans.ErrShape}},
		{in(rowsOf(x, 0, 299), 9), in(x, 9), 2, Options{}, []error{softkmeans.ErrChanged, softkmeans.ErrShape}},
		{in(x, 9), in(moved, 9), 2, Options{}, []error{softkmeans.ErrChanged}},
		{in(x, 9), nil, 2, Options{Memberships: ask}, []error{broken}}, {in(x, 9), nil, 2, Options{Memberships: take}, nil},
		{func(yield func(*matrix, error) bool) { yield(nil, nil) }, nil, 2, Options{}, []error{softkmeans.ErrShape}},
		{func(yield func(*matrix, error) bool) { yield(&matrix{Rows: 3, Cols: 2, Stride: 2}, nil) }, nil, 2, Options{}, []error{softkmeans.ErrShape}},
	} {
		changing := func() iter.Seq2[*matrix, error] {
			pass := 0
			if c.first == nil {
				return nil
			}
			return func(yield func(*matrix, error) bool) {
				if pass++; pass > 1 && c.later != nil {
					c.later(yield)
				} else {
					c.first(yield)
				}
			}
		}
		_, err := Fit(t.Context(), changing(), c.k, &c.o)
		v := &MinVolumeOptions{SummaryRows: 100, Memberships: c.o.Memberships}
		v.Weights = c.o.Weights
		_, err2 := FitMinVolume(t.Context(), changing(), c.k, v)
		for _, err := range []error{err, err2} {
			if len(c.want) == 0 && err != nil {
				t.Errorf("%d: %v", i, err)
			}
			for _, want := range c.want {
				if !errors.Is(err, want) {
					t.Errorf("%d: %v, want %v", i, err, want)
				}
			}
		}
		var at *softkmeans.InputError
		if errors.As(err, &at) && c.o.Weights == nil && (at.Row != 2 || at.Col != 1) {
			t.Errorf("%d: %v", i, err)
		}
	}
	p, e := small(t)
	for i, err := range []error{
		second(NewSubspace(t.Context(), new(softkmeans.Stats), 2, nil)), second(p.Model(new(Extent))),
		new(Extent).Add(p, wide, nil), new(Extent).Add(p, rowsOf(x, 0, 2), []float64{1}), new(Extent).Add(p, nan, nil),
		(&Extent{rows: 1, subspace: 7, facets: make([]float64, 2)}).Merge(e),
	} {
		if err == nil {
			t.Errorf("%d: no error", i)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestCancelled: ctx ends every pass within a block; FitMinVolume then has a model that proves nothing, or none.
func TestCancelled(t *testing.T) {
	x := mixtures(2000, 3, 3, .3, 0, 1)
	for pass := 1; pass <= 5; pass++ {
		ctx, cancel := context.WithCancel(t.Context())
		stop := func(p, rows int) {
			if p == pass && rows > 0 {
				cancel()
			}
		}
		o := &MinVolumeOptions{SummaryRows: 200, Refinements: 1, Block: stop, Memberships: func(int, *matrix) error { return nil }}
		m, err := FitMinVolume(ctx, in(x, 100), 3, o)
		if !errors.Is(err, context.Canceled) || (m != nil) != (pass > 2) || m != nil && (m.Status != softkmeans.StatusCancelled || m.Optimal(1)) {
			t.Errorf("pass %d: %+v, %v", pass, m, err)
		}
		if pass <= 3 {
			ctx, cancel = context.WithCancel(t.Context())
			if _, err := Fit(ctx, in(x, 100), 3, &Options{Block: stop, Memberships: o.Memberships}); !errors.Is(err, context.Canceled) {
				t.Errorf("pass %d: %v", pass, err)
			}
		}
		cancel()
	}
}

// TestFitMinVolume: with a summary of a part of the rows the error uses the slack of a fit of all rows, and the
// simplex is as small. What the model says of all rows is so.
func TestFitMinVolume(t *testing.T) {
	for name, c := range map[string]struct {
		x *matrix
		k int
		o softkmeans.MinVolumeOptions
	}{
		"noisy":       {mixtures(6000, 5, 3, .15, 0, 1), 3, softkmeans.MinVolumeOptions{}},
		"far":         {mixtures(6000, 4, 3, .1, 1e5, 2), 3, softkmeans.MinVolumeOptions{}},
		"exact":       {mixtures(5000, 6, 3, 0, 0, 3), 3, softkmeans.MinVolumeOptions{}},
		"one cluster": {mixtures(4000, 3, 1, .5, 0, 4), 1, softkmeans.MinVolumeOptions{}},
		"at most one": {mixtures(5000, 4, 2, .05, 3, 5), 2, softkmeans.MinVolumeOptions{Sum: softkmeans.SumAtMostOne}},
		"λ":           {mixtures(5000, 4, 3, .1, 0, 6), 3, softkmeans.MinVolumeOptions{Lambda: 20, Volume: softkmeans.VolumeAffine}},
	} {
		want, err := softkmeans.FitMinVolume(t.Context(), c.x, c.k, &c.o)
		if err != nil {
			t.Fatal(name, err)
		}
		var first *softkmeans.Model
		for _, workers := range []int{1, 3} {
			to := &collected{t: t}
			o := &MinVolumeOptions{MinVolumeOptions: c.o, SummaryRows: 600, Memberships: to.take, Probabilities: to.likely, Labels: to.label}
			o.Workers = workers
			m, err := FitMinVolume(t.Context(), in(c.x, 777*workers, 1), c.k, o)
			if err != nil {
				t.Fatal(name, err)
			}
			if first == nil {
				first = m
			} else if m.Certificate != first.Certificate || !slices.Equal(m.Centers.Data, first.Centers.Data) {
				t.Errorf("%s: other blocks or workers give other bits", name)
			}
			exact := exactly(c.x, m.Centers, to.g, nil, c.o.Sum == softkmeans.SumAtMostOne)
			if exact > m.Objective || m.Objective > exact*(1+1e-9)+1e-12*m.Total || !close9(m.Floor, want.Floor, m.Total) {
				t.Errorf("%s: objective %g, claimed %g, floor %g, want %g", name, exact, m.Objective, m.Floor, want.Floor)
			}
			labels, err := m.PredictLabels(nil, c.x)
			if err != nil || !slices.Equal(labels, to.labels) {
				t.Errorf("%s: other labels, %v", name, err)
			}
			if p, err := m.ClusterProbabilities(nil, c.x); err != nil || !slices.Equal(p.Data, to.p) {
				t.Errorf("%s: other probabilities, %v", name, err)
			}
			if m.Slack != want.Slack {
				t.Errorf("%s: a slack of %g, in memory %g", name, m.Slack, want.Slack)
			}
			used := (m.Objective - m.Floor) / (want.Objective - want.Floor)
			volume := 0.0
			if c.k > 1 {
				volume = tables.LogVolume(t, m.Centers) - tables.LogVolume(t, want.Centers)
			}
			if c.k > 1 && (math.Abs(volume) > .05 || !(used > .9 && used < 1.1)) {
				t.Errorf("%s: %g of the slack, log volume %+g", name, used, volume)
			}
		}
	}
}

// TestManyClusters: of far more prototypes than dimensions the centers are means of clusters of the summary. The
// certificate is of the memberships that are handed out, which are those of Predict.
func TestManyClusters(t *testing.T) {
	const k = 9
	x := mixtures(6000, 2, 3, 0, 100, 1)
	for i := range x.Rows { // nine points of a grid
		for c, v := range []int{i % 3, i % k / 3} {
			x.Row(i)[c] = 0.01*x.Row(i)[c] + float64(v)
		}
	}
	to := &collected{t: t}
	m, err := FitMinVolume(t.Context(), in(x, 777), k,
		&MinVolumeOptions{SummaryRows: 600, Memberships: to.take, Labels: to.label})
	if err != nil {
		t.Fatal(err)
	}
	truth := make([]int, x.Rows)
	for i := range truth {
		truth[i] = to.labels[i%k]
	}
	if !slices.Equal(to.labels, truth) || m.Lambda != 0 || m.Status != softkmeans.StatusConverged {
		t.Errorf("labels are not those of the grid, or λ is %g, %v", m.Lambda, m.Status)
	}
	exact := exactly(x, m.Centers, to.g, nil, false)
	if exact > m.Objective || m.Objective > exact*(1+1e-9)+1e-12*m.Total {
		t.Errorf("objective %g, claimed %g", exact, m.Objective)
	}
	g, err := m.Predict(nil, x)
	if err != nil || !slices.Equal(g.Data, to.g) || !slices.Equal(m.Centers.Data, m.ClusterMeans.Data) {
		t.Errorf("other memberships are predicted, or centers are not means, %v", err)
	}
}

// TestInMemory: rows that fit into the summary give the bits of softkmeans.FitMinVolume in one pass.
func TestInMemory(t *testing.T) {
	x := mixtures(300, 4, 3, .1, 0, 1)
	o := softkmeans.MinVolumeOptions{Weights: slices.Repeat([]float64{1, 2, 0}, 100)}
	want, err := softkmeans.FitMinVolume(t.Context(), x, 3, &o)
	if err != nil {
		t.Fatal(err)
	}
	to, passes := &collected{t: t}, 0
	m, err := FitMinVolume(t.Context(), in(x, 7), 3, &MinVolumeOptions{MinVolumeOptions: o, Memberships: to.take, Probabilities: to.likely, Labels: to.label,
		Block: func(p, _ int) { passes = p }})
	if err != nil || passes != 1 || !slices.Equal(m.Centers.Data, want.Centers.Data) || !slices.Equal(to.g, want.Memberships.Data) ||
		!slices.Equal(to.labels, want.Clusters) || !slices.Equal(to.p, tables.Must(m.ClusterProbabilities(nil, x))(t).Data) || m.Memberships != nil || m.Clusters != nil {
		t.Errorf("%d passes, %v, %+v", passes, err, m)
	}
}

// TestMinVolumeOptions: what the passes do not have is an error, as is what softkmeans.FitMinVolume refuses.
func TestMinVolumeOptions(t *testing.T) {
	x, passes := mixtures(900, 4, 3, .1, 0, 1), 0
	f, nan := rowsOf(x, 0, 3), softkmeans.NewMatrix(3, 4, slices.Repeat([]float64{math.NaN()}, 12))
	for i, o := range []MinVolumeOptions{
		{SummaryRows: -1}, {MinVolumeOptions: softkmeans.MinVolumeOptions{NonNegative: true}}, {MinVolumeOptions: softkmeans.MinVolumeOptions{Upper: []float64{1}}},
		{MinVolumeOptions: softkmeans.MinVolumeOptions{Slack: -1}}, {MinVolumeOptions: softkmeans.MinVolumeOptions{Init: 99}},
		{MinVolumeOptions: softkmeans.MinVolumeOptions{Centers: softkmeans.NewMatrix(2, 4, nil)}, SummaryRows: 100},
		{MinVolumeOptions: softkmeans.MinVolumeOptions{Init: softkmeans.InitGlobal, MaxIter: -1}}, {MinVolumeOptions: softkmeans.MinVolumeOptions{Centers: f, MaxIter: -1}},
		{MinVolumeOptions: softkmeans.MinVolumeOptions{Init: softkmeans.InitGlobal, Sum: softkmeans.SumAtMostOne}}, {MinVolumeOptions: softkmeans.MinVolumeOptions{Centers: nan}},
		{MinVolumeOptions: softkmeans.MinVolumeOptions{Centers: softkmeans.NewMatrix(3, 5, nil)}, SummaryRows: 100},
		{MinVolumeOptions: softkmeans.MinVolumeOptions{Fixed: rowsOf(x, 0, 1)}},
	} {
		o.Block = func(pass, _ int) { passes++ }
		_, err := FitMinVolume(t.Context(), in(x, 50), 3, &o)
		if !errors.Is(err, softkmeans.ErrOption) && !errors.Is(err, softkmeans.ErrShape) && !errors.Is(err, softkmeans.ErrNonFinite) || passes > 0 {
			t.Errorf("%d: %d blocks, %v", i, passes, err)
		}
	}
	for _, start := range []softkmeans.MinVolumeOptions{{Centers: f}, {Init: softkmeans.InitGlobal}} {
		if _, err := FitMinVolume(t.Context(), in(x, 50), 3, &MinVolumeOptions{MinVolumeOptions: start, SummaryRows: 100}); err != nil {
			t.Error(err)
		}
	}
	for _, o := range []*MinVolumeOptions{{SummaryRows: 100, Labels: func(int, []int) error { return io.ErrShortWrite }},
		{SummaryRows: 100, Probabilities: func(int, *matrix) error { return io.ErrShortWrite }}} {
		if _, err := FitMinVolume(t.Context(), in(x, 50), 3, o); !errors.Is(err, io.ErrShortWrite) {
			t.Error(err)
		}
	}
}

// TestOnePoint: where one point is the answer λ stays that of a fit of all rows, within a factor, and 0 for
// equal rows.
func TestOnePoint(t *testing.T) {
	for name, x := range map[string]*matrix{
		"noise": mixtures(20000, 2, 1, 1, 0, 1), "far": mixtures(900, 2, 1, 1, 1e4, 2), "large": mixtures(900, 2, 1, 1e140, 0, 3),
		"equal": softkmeans.NewMatrix(900, 2, slices.Repeat([]float64{.1}, 1800)),
	} {
		want, err1 := softkmeans.FitMinVolume(t.Context(), x, 1, nil)
		m, err2 := FitMinVolume(t.Context(), in(x, 50), 1, &MinVolumeOptions{SummaryRows: 200})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(name, err)
		}
		if !(m.Lambda >= want.Lambda/2 && m.Lambda <= want.Lambda*2 && m.Stationarity <= 1e-9) || m.Status != softkmeans.StatusConverged || len(m.Warnings) > 0 {
			t.Errorf("%s: λ = %g, want %g, stationarity %g, %v, %v", name, m.Lambda, want.Lambda, m.Stationarity, m.Status, m.Warnings)
		}
	}
}

// TestHeavy: weights whose sums of squares overflow give the centers of weights of 1.
func TestHeavy(t *testing.T) {
	x := mixtures(100, 2, 3, .1, 0, 1)
	la.Scale(1e140, x.Data)
	for k := 1; k <= 3; k++ {
		for _, lambda := range []float64{0, 1e280} {
			o, losses := &MinVolumeOptions{SummaryRows: 40}, [2][]float64{}
			var models [2]*softkmeans.Model
			for i, w := range []float64{1, 0x1p60} {
				o.Weights, o.Lambda = slices.Repeat([]float64{w}, 100), lambda*w
				o.Progress = func(at softkmeans.Iteration) { losses[i] = append(losses[i], at.Loss/w, at.Lambda/w) }
				var err error
				if models[i], err = FitMinVolume(t.Context(), in(x, 50), k, o); err != nil {
					t.Fatal(k, err)
				}
			}
			m, n := models[0], models[1]
			if !slices.Equal(m.Centers.Data, n.Centers.Data) || m.Lambda != n.Lambda/0x1p60 || m.Objective != n.Objective/0x1p60 || m.Gap != n.Gap || !slices.Equal(losses[0], losses[1]) {
				t.Errorf("k = %d: %+v, want %+v", k, n, m)
			}
			o.Weights, o.Progress = slices.Repeat([]float64{0x1p200}, 100), nil
			o.Lambda = min(lambda*0x1p200, math.MaxFloat64)
			n, err := FitMinVolume(t.Context(), in(x, 50), k, o)
			if err != nil || n.Objective != math.MaxFloat64 || lambda == 0 && (!slices.Equal(m.Centers.Data, n.Centers.Data) || m.Gap != n.Gap) {
				t.Errorf("k = %d: %+v, %v, want %+v", k, n, err, m)
			}
		}
	}
}

// TestSummary: the rows stand for the weight of all, are no more than asked for, and have the corners.
func TestSummary(t *testing.T) {
	x := mixtures(5000, 3, 3, 0, 0, 1)
	for c := range 3 { // corners of their own
		x.Row(1000 * c)[c] = 9
	}
	weights := make([]float64, x.Rows)
	for i := range weights {
		weights[i] = float64(i%5) + 1
	}
	var s softkmeans.Stats
	if err := s.AddWeighted(x, weights); err != nil {
		t.Fatal(err)
	}
	p, err := s.Principal(t.Context(), 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := newSummary(p, 400, 1)
	sum.add(&block{x: x, weights: weights}, 2)
	b, total, corners := sum.finish(), 0.0, 0
	for i := range b.x.Rows {
		if total += b.weights[i]; slices.Max(b.x.Row(i)) == 9 {
			corners++
		}
	}
	if b.x.Rows > 400 || b.x.Rows < 200 || math.Abs(total/p.Weight-1) > 1e-12 || corners != 3 {
		t.Errorf("%d rows of weight %g, %g, %d corners", b.x.Rows, total, p.Weight, corners)
	}
}

// BenchmarkFit is of 102 MB from memory, with memberships and without.
func BenchmarkFit(b *testing.B) {
	x := mixtures(200000, 64, 10, .1, 0, 1)
	for _, rows := range []int{100, 8192} {
		for name, o := range map[string]*Options{"alone": {}, "memberships": {Memberships: func(int, *matrix) error { return nil }}} {
			b.Run(fmt.Sprintf("n=200000,d=64,k=10,blocks=%d,%s", rows, name), func(b *testing.B) {
				for b.Loop() {
					if _, err := Fit(b.Context(), in(x, rows), 10, o); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
