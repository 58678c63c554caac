package softkmeans

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// onGrid rounds to multiples of 2^-20, so that moving the data by whole numbers is
// exact, and so what it must give is known.
func onGrid(x *Matrix) *Matrix {
	return mapped(x, func(_, _ int, v float64) float64 { return math.Round(v*0x1p20) * 0x1p-20 })
}

// treeOf cuts the rows at random into parts, down to single rows, and merges them in a random order.
func treeOf(t testing.TB, rng *rand.Rand, x *Matrix, w []float64) *Stats {
	t.Helper()
	if x.Rows == 1 || rng.IntN(8) == 0 {
		return statsOf(t, x, w)
	}
	at := 1 + rng.IntN(x.Rows-1)
	if rng.IntN(3) == 0 {
		at = 1
	}
	var wa, wb []float64
	if w != nil {
		wa, wb = w[:at], w[at:]
	}
	a, b := treeOf(t, rng, rowsOf(x, 0, at), wa), treeOf(t, rng, rowsOf(x, at, x.Rows), wb)
	if rng.IntN(2) == 0 {
		a, b = b, a
	}
	must(t, a.Merge(b))
	if !reflect.DeepEqual(shipped(t, a), a) { // what merging makes is what a reader takes for sound
		t.Fatal("the statistics came back as others")
	}
	return a
}

// offBy is the largest difference of floors, each relative to itself, but at least to
// the rounding of the first.
func offBy(got, want []float64, d int) (worst float64) {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	for i, v := range want {
		if diff := math.Abs(got[i] - v); diff > float64(8*d)*0x1p-52*want[0] {
			worst = max(worst, diff/v)
		}
	}
	return worst
}

// TestStatsFar: the total has all of its digits however the rows are cut and however
// far their mean is from 0, with any solver of Fit. The error of
// SolverKrylov's floor contains what the mean's rounding leaves open.
func TestStatsFar(t *testing.T) {
	if outgrown(t) {
		return
	}
	t.Parallel()
	times := fewer(50, 42) // more than one piece
	for _, by := range fewer([]float64{0, 1e4, -1e8, 1e12, 1e15}, []float64{0, -1e8, 1e15}) {
		x := moved(randomData(200, 3, 0, 7), by)
		w := make1(x.Rows)
		for i := range w {
			w[i] += float64(i%5) / 3
		}
		exact := bigFloors(x, w)
		want, minimum := double(exact[0]), bigFloor(exact, 2)
		f := mustDo(treeOf(t, rand.New(rand.NewPCG(0, 9)), x, w).Floors())(t)
		if off := math.Abs(f[0]-want) / want; off > 1e-14 {
			t.Errorf("moved by %g: total %g, want %g, off by %g", by, f[0], want, off)
		}
		long := NewMatrix(times*x.Rows, x.Cols, slices.Repeat(x.Data, times))
		weights := slices.Repeat(w, times)
		floors := mustDo(statsOf(t, long, weights).Floors())(t)
		minimum.Mul(minimum, new(big.Float).SetInt64(int64(times)))
		for _, solver := range []Solver{SolverGram, SolverKrylov} {
			name := fmt.Sprintf("moved by %g, %v", by, solver)
			m := mustDo(Fit(bg, long, 2, &Options{Solver: solver, Weights: weights}))(t)
			one := statsOf(t, x, w)
			checkPlaced(t, name, m, one.Mean(), float64(times)*one.Weight(), minimum, 0)
			off := math.Abs(m.Total/float64(times)-want) / want
			if off > 1e-13 || !close9(floors[1], double(minimum), 0) {
				t.Errorf("%s: total off by %g, floor %g + %g, objective %g, want %g",
					name, off, m.Floor, m.FloorError, m.Objective, floors[1])
			}
		}
	}
}

// TestStatsMany: the roundings of many merges do not add up.
func TestStatsMany(t *testing.T) {
	if outgrown(t) {
		return
	}
	x := moved(randomData(fewer(20000, 3000), 2, 0, 3), 1e3)
	var s Stats
	for i := range x.Rows {
		must(t, s.Add(rowsOf(x, i, i+1)))
	}
	want := double(bigFloors(x, nil)[0])
	if f := mustDo(s.Floors())(t); math.Abs(f[0]-want) > 4e-16*want {
		t.Errorf("total %v, want %g, off by %g", f, want, f[0]/want-1)
	}
}

// TestStatsNegligible: rows whose weights are below 2^-500 of the largest do not count,
// whichever come first, as in one table.
func TestStatsNegligible(t *testing.T) {
	const n = 8192
	for _, heavy := range []int{1, n} {
		for _, at := range []int{0, n} {
			x := NewMatrix(n+heavy, 1, slices.Repeat([]float64{1e150}, n+heavy))
			weights := slices.Repeat([]float64{1e145}, n+heavy)
			copy(x.Data[at:], randomData(heavy, 1, 2, 1).Data)
			copy(weights[at:], slices.Repeat([]float64{1e300}, heavy))
			want := mustDo(Fit(bg, x, 1, &Options{Weights: weights, Solver: SolverGram}))(t)
			parted := cmp.Or(at, heavy)
			first, last := rowsOf(x, 0, parted), rowsOf(x, parted, n+heavy)
			merged, added := statsOf(t, first, weights[:parted]), statsOf(t, first, weights[:parted])
			err1, err2 := merged.Merge(statsOf(t, last, weights[parted:])), added.AddWeighted(last, weights[parted:])
			must(t, errors.Join(err1, err2))
			for _, s := range []*Stats{merged, added} {
				f := mustDo(s.Floors())(t)
				if !close9(f[0], want.Total, want.Total) || s.Rows() != x.Rows || heavy > 1 && want.Total < 1e300 {
					t.Errorf("%d heavy rows from %d: floors %v, want %g", heavy, at, f, want.Total)
				}
			}
		}
	}
}

// TestStatsMerge: whatever the parts and the order of their merges, the floors are those
// of the whole at its own place, also where the mean is 1e4 spreads away.
func TestStatsMerge(t *testing.T) {
	for _, c := range []struct {
		n, d   int
		design bool // columns of ±1 without correlation: sums off the diagonal cancel
	}{
		{1, 3, false}, {2, 1, false}, {40, 5, false}, {7, 30, false}, {fewer(1500, 100), 8, false},
		{256, 8, true},
	} {
		near := onGrid(randomData(c.n, c.d, 0, uint64(c.n)))
		if c.design {
			design := func(i, j int, _ float64) float64 { return float64(2*(i>>j&1)-1) / 3 }
			near = onGrid(mapped(near, design))
		}
		weights := inTurn(c.n, 3, 0, 1, 2)
		for _, w := range [][]float64{nil, weights} {
			want := mustDo(Floors(bg, near, &Options{Weights: w}))(t)
			for seed, by := range []float64{0, 1e4, -1e6} {
				s := treeOf(t, rand.New(rand.NewPCG(uint64(seed), 5)), moved(near, by), w)
				off := offBy(mustDo(s.Floors())(t), want, c.d)
				if off > 1e-12 || s.Rows() != c.n || s.Cols() != c.d {
					t.Fatalf("%d×%d moved by %g, weights %v: floors off by %g", c.n, c.d, by, w != nil, off)
				}
			}
		}
	}
}

// TestMergeTakesCopies: what was merged into an empty receiver is not changed by what comes to that later.
func TestMergeTakesCopies(t *testing.T) {
	x := randomData(60, 5, 1, 4)
	lo, hi := rowsOf(x, 0, 20), rowsOf(x, 20, 60)
	part := statsOf(t, lo, nil)
	var s Stats
	before := shipped(t, part)
	if err := errors.Join(s.Merge(part), s.Add(hi)); err != nil || !reflect.DeepEqual(part, before) {
		t.Error("statistics were changed with those that took them in:", err)
	}
}

// TestStatsMoments: weight, mean and scatter by their definitions.
func TestStatsMoments(t *testing.T) {
	x := NewMatrix(4, 2, []float64{1, 10, 3, 30, 5, 20, 100, 100})
	s := statsOf(t, x, []float64{2, 1, 1, 0})
	if s.Rows() != 4 || s.Weight() != 4 || !slices.Equal(s.Mean(), []float64{2.5, 17.5}) {
		t.Error(s.Rows(), s.Weight(), s.Mean())
	}
	// Deviations (−1.5, −7.5) twice, (.5, 12.5), (2.5, 2.5).
	across := 22.5 + 6.25 + 6.25
	want := NewMatrix(2, 2, []float64{4.5 + .25 + 6.25, across, across, 112.5 + 156.25 + 6.25})
	if maxDiff(s.Scatter(), want) > 1e-13 {
		t.Error(s.Scatter().Data)
	}
	// No rows, of whatever width, and no weight change no number.
	before := shipped(t, s)
	var empty Stats
	if err := errors.Join(s.Merge(&empty), s.Add(NewMatrix(0, 9, nil)), s.Add(&Matrix{})); err != nil ||
		!reflect.DeepEqual(s, before) {
		t.Error("nothing changed statistics:", err)
	}
	err := empty.AddWeighted(NewMatrix(2, 5, nil), []float64{0, 0})
	if err := errors.Join(err, empty.Merge(s)); err != nil || empty.Rows() != 6 ||
		!slices.Equal(empty.Mean(), s.Mean()) {
		t.Error(err, empty)
	}
	heavy := statsOf(t, NewMatrix(3, 1, []float64{1, 2, 3}), slices.Repeat([]float64{1e308}, 3))
	if heavy.Weight() != math.MaxFloat64 || heavy.Mean()[0] != 2 {
		t.Error("a weight out of range is not the largest number:", heavy.Weight(), heavy.Mean())
	}
}

// TestStatsProved: mean and scatter are within their bounds of the exact ones after any
// merges, however far the mean is and whatever rows weigh, and the bounds are not far off.
func TestStatsProved(t *testing.T) {
	if outgrown(t) {
		return
	}
	for seed := range 8 * seeds() {
		rng := rand.New(rand.NewPCG(seed, 51))
		n, d := 2+rng.IntN(60), 1+rng.IntN(4)
		by := []float64{0, 1, -1e4, 1e8, 1e15}[rng.IntN(5)]
		x := moved(randomData(n, d, 0, seed), by)
		var w []float64
		if rng.IntN(2) == 0 {
			for range n {
				w = append(w, []float64{1, 3, 1e-3, 1e6, 0, .7}[rng.IntN(6)])
			}
			w[rng.IntN(n)] = 1
		}
		if rng.IntN(3) == 0 { // parts of other sizes
			scale(x.Data[:n/2*d], 1e-3)
		}
		s := treeOf(t, rng, x, w)
		within := func(what string, off, bound float64) {
			if !(off <= bound) {
				t.Errorf("seed %d, moved by %g: %s is %g off, bound %g", seed, by, what, off, bound)
			}
		}
		mean, scatter := bigMoments(x, w, s.units)
		within("the mean", bigApart(s.mean, s.meanRest, bigRows{mean}), s.meanOff)
		full, rest := s.full(), NewMatrix(d, d, nil)
		for i, at := 0, 0; i < d; i++ {
			at += copy(rest.row(i)[i:], s.scatterRest[at:])
		}
		mirror(rest.Data, d)
		within("the scatter", bigApart(full.Data, rest.Data, scatter), s.scatterOff)
		off := bigApart(full.Data, make([]float64, d*d), scatter)
		within("the scatter without its rests", off, 1.01*s.scatterOff+0x1p-52*trace(full))
		if by == 0 {
			within("the bound", s.scatterOff, 1e-12*max(trace(full), 0x1p-900))
		}
	}
	s := statsOf(t, NewMatrix(2, 1, []float64{1, -1}), nil) // about 0
	if must(t, s.Add(NewMatrix(2, 1, []float64{2, -2}))); !(s.meanOff < 1e-14 && s.scatterOff < 1e-14) {
		t.Errorf("a mean of 0 has the bound %g, its scatter %g", s.meanOff, s.scatterOff)
	}
}

// TestStatsRoundings: two parts for which nine roundings of the scatter go the same way, by .93 of the most.
func TestStatsRoundings(t *testing.T) {
	part := func(weight, mean, rest float64) *Stats {
		return &Stats{rows: 1, cols: 1, weight: weight, mean: []float64{mean}, meanRest: []float64{rest},
			scatter: []float64{0}, scatterRest: []float64{0}}
	}
	a, b := part(1.007213507529321, -0.002313073228001339, 0),
		part(1.010337671104242, 1.0020395029082019, 1.1102219658339725e-16)
	p := truthDigits
	v, w := p.num(a.weight), p.num(b.weight)
	apart := p.sub(p.add(p.num(b.mean[0]), p.num(b.meanRest[0])), p.num(a.mean[0]))
	exact := p.mul(p.quo(p.mul(v, w), p.add(v, w)), p.mul(apart, apart))
	must(t, a.Merge(b))
	off := double(p.sub(p.add(p.num(a.scatter[0]), p.num(a.scatterRest[0])), exact))
	if !(math.Abs(off) <= a.scatterOff) {
		t.Errorf("%g off, bound %g", off, a.scatterOff)
	}
}

// TestStatsWeight: weights add up to one rounding, however small the later ones are.
func TestStatsWeight(t *testing.T) {
	var s Stats
	must(t, s.AddWeighted(randomData(5, 2, 0, 1), []float64{1, 0x1p-54, 0x1p-54, 0x1p-54, 0x1p-54}))
	if s.Weight() != 1+0x1p-52 {
		t.Errorf("1 and 2^-52 more are %v", s.Weight())
	}
	// Weights that round up in each call, of rows of 1, whose scatter about 0 is their sum.
	const more, n = 0x1p-53 * (1 + 0x1p-20), 4000
	s = *statsOf(t, identity(1), nil)
	for range n {
		must(t, s.AddWeighted(identity(1), []float64{more}))
	}
	s.aboutZero()
	unit := math.Ldexp(1, 2*s.exp+s.wexp)
	if off := (s.scatter[0]*unit - 1) + s.scatterRest[0]*unit - n*more; !(math.Abs(off) <= s.scatterOff*unit) {
		t.Errorf("the scatter about 0 is %g off, bound %g", off, s.scatterOff*unit)
	}
}

// FuzzStats: what the decoder accepts is exactly what would be written, and can be worked with.
func FuzzStats(f *testing.F) {
	for _, s := range []*Stats{{}, statsOf(f, randomData(9, 4, 3, 1), nil)} {
		f.Add(mustDo(s.MarshalBinary())(f))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b, s := bytes.Clone(b), new(Stats)
		if body := len(b) - 4; body >= 0 { // so that what lies behind the checksum is reached
			binary.LittleEndian.PutUint32(b[body:], crc32.ChecksumIEEE(b[:body]))
		}
		if err := s.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, ErrFormat) || !reflect.DeepEqual(s, new(Stats)) {
				t.Fatal(err)
			}
			return
		}
		if again := mustDo(s.MarshalBinary())(t); !bytes.Equal(again, b) {
			t.Fatalf("%x came back as %x", b, again)
		}
		if s.Weight() > 0 {
			finite(t, "floors", mustDo(s.Floors())(t)...)
			finite(t, "mean", s.Mean()...)
			finite(t, "scatter", s.Scatter().Data...)
			finite(t, "basis", mustDo(s.Principal(bg, min(1, s.Rows()-1), nil))(t).Basis.Data...)
		}
	})
}

// TestStatsWide checks that rows whose scatter matrix no machine holds are refused, and change nothing.
func TestStatsWide(t *testing.T) {
	var s Stats
	if err := s.Add(NewMatrix(2, 850000, nil)); !errors.Is(err, ErrShape) || s.Rows() != 0 {
		t.Errorf("850 000 columns: %v, %d rows", err, s.Rows())
	}
}

// TestStatsForm: statistics at a limit of what rows can give are read, those beyond it are not, nor is any cut
// or changed form. A header that promises much allocates nothing.
func TestStatsForm(t *testing.T) {
	for _, s := range []*Stats{{}, statsOf(t, randomData(5, 3, 1, 1), []float64{1, 2, 0, 1e-9, 7})} {
		good := mustDo(s.MarshalBinary())(t)
		if cap(good) != len(good) || !bytes.Equal(mustDo(shipped(t, s).MarshalBinary())(t), good) {
			t.Error("a form with room, or another one after a way")
		}
		for i := range good {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << (i % 8)
			for _, b := range [][]byte{good[:i], bad, append(bytes.Clone(good), 0)} {
				if err := s.UnmarshalBinary(b); !errors.Is(err, ErrFormat) {
					t.Fatalf("byte %d: %v", i, err)
				}
			}
		}
	}
	const most = 3 * (4 + 0x1p-20)
	inf := math.Inf(1)
	for i, c := range []struct {
		field func(s *Stats) *float64
		good  float64
		up    float64 // towards what is beyond the limit
	}{
		{func(s *Stats) *float64 { return &s.weight }, 3 * (1 + 0x1p-20), inf},
		{func(s *Stats) *float64 { return &s.mean[2] }, 1, inf}, {func(s *Stats) *float64 { return &s.mean[0] }, -1, -inf},
		{func(s *Stats) *float64 { return &s.meanRest[1] }, 0x1p-40, inf},
		{func(s *Stats) *float64 { return &s.scatter[0] }, most, inf}, {func(s *Stats) *float64 { return &s.scatter[5] }, 0, -inf},
		{func(s *Stats) *float64 { return &s.scatter[1] }, -most, -inf},
		{func(s *Stats) *float64 { return &s.scatterRest[3] }, 0x1p-39, inf},
		{func(s *Stats) *float64 { return &s.weightOff }, 0x1p400, inf}, {func(s *Stats) *float64 { return &s.meanOff }, 0, -inf},
		{func(s *Stats) *float64 { return &s.scatterOff }, 0x1p400, inf},
	} {
		for _, good := range []bool{true, false} {
			s := &Stats{units: units{3, 2}, rows: 3, cols: 3, weight: 3, scatter: []float64{1, 0, 0, 2, 0, 3},
				scatterRest: make([]float64, 6)}
			s.mean, s.meanRest = make([]float64, 3), make([]float64, 3)
			if *c.field(s) = c.good; !good {
				*c.field(s) = math.Nextafter(c.good, c.up)
			}
			err := new(Stats).UnmarshalBinary(mustDo(s.MarshalBinary())(t))
			if good != (err == nil) || err != nil && !errors.Is(err, ErrFormat) {
				t.Errorf("%d, %v: %v", i, good, err)
			}
		}
	}
	for i, u := range []units{{leastExp - 1, 0}, {mostExp + 1, 0}, {0, -1074}, {0, 1025}, {1 << 20, 0}} {
		s := statsOf(t, NewMatrix(1, 1, []float64{1}), nil)
		if s.units = u; !errors.Is(new(Stats).UnmarshalBinary(mustDo(s.MarshalBinary())(t)), ErrFormat) {
			t.Errorf("units %d are read", i)
		}
	}
	form := mustDo((&Stats{rows: 1, weight: 1}).MarshalBinary())(t)
	binary.LittleEndian.PutUint32(form[8:], 1<<15)
	form = binary.LittleEndian.AppendUint32(form[:len(form)-4], crc32.ChecksumIEEE(form[:len(form)-4]))
	var err error
	if used := allocated(func() { err = new(Stats).UnmarshalBinary(form) }); used > 4096 || !errors.Is(err, ErrFormat) {
		t.Errorf("a short form takes %d bytes, %v", used, err)
	}
	bad := statsOf(t, NewMatrix(1, 1, []float64{1}), nil)
	if bad.mean[0] = math.NaN(); !errors.Is(second(bad.MarshalBinary()), ErrNonFinite) {
		t.Error("NaN is written")
	}
}
