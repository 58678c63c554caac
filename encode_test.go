package softkmeans

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// sampleModels are models with every field, and with few.
func sampleModels(t testing.TB) []*Model {
	full := mustDo(Fit(bg, loadCSV(t, "iris"), 3, &Options{Solver: SolverKrylov}))(t)
	full.Trace = []float64{3, 2, 1}
	full.Lambda, full.Epsilon, full.Stationarity, full.LossGap = 0.5, 1e-9, 0.25, 0.125
	full.Sum, full.Volume = SumAtMostOne, VolumeAffine
	full.Warnings = []Warning{{WarnCoincident, 1, 2, 1e-9}, {WarnSlack, 0, 0, 1.5}, {WarnSeveral, 2, 0, 3}}
	full.ClusterMeans, full.Clusters = rowsOf(full.Centers, 0, 3).Clone(), slices.Repeat([]int{2, 0, 1}, 50)
	full.ClusterMeans.Set(1, 2, -3)
	full.ClusterAxes = NewMatrix(2, 4, []float64{0.5, 0, -0.25, 0, 0, 0, 0, 0.125})
	means := full.ClusterMeans
	return []*Model{
		full, {}, {Centers: full.Centers}, {Centers: full.Centers, ClusterMeans: means},
		{Centers: full.Centers, ClusterMeans: means, Clusters: []int{0, 2}},
		{Centers: NewMatrix(0, 4, nil), Memberships: NewMatrix(5, 0, nil)},
	}
}

// resum replaces the checksum, so that what lies behind it is reached.
func resum(b []byte) []byte {
	if len(b) >= 4 {
		binary.LittleEndian.PutUint32(b[len(b)-4:], crc32.ChecksumIEEE(b[:len(b)-4]))
	}
	return b
}

// forged is b with another number of eight bytes, or of four in the first 16.
func forged(b []byte, at int, v uint64) []byte {
	b = bytes.Clone(b)
	if at < 16 {
		binary.LittleEndian.PutUint32(b[at:], uint32(v))
	} else {
		binary.LittleEndian.PutUint64(b[at:], v)
	}
	return resum(b)
}

// form is what has a binary form.
type form interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// partForms has some of each kind, by the names of the kinds.
func partForms(t testing.TB) map[string][]form {
	t.Helper()
	x := loadCSV(t, "iris")
	s := statsOf(t, x, nil)
	out := map[string][]form{"extent": {&Extent{}}}
	out["stats"] = []form{s, &Stats{}, statsOf(t, NewMatrix(1, 1, nil), []float64{1e-300})}
	turned := &Options{Enclosure: EnclosureTight, Orientation: RandomOrientation(3, 1)}
	for k, o := range map[int]*Options{1: nil, 3: turned, 4: {Radius: 9}, 9: nil} {
		p := mustDo(s.StreamSubspace(k, o))(t)
		var e Extent
		must(t, e.Add(p, x, nil))
		out["subspace"], out["extent"] = append(out["subspace"], p), append(out["extent"], &e)
	}
	return out
}

// allForms has models, too.
func allForms(t testing.TB) map[string][]form {
	forms := partForms(t)
	for _, m := range sampleModels(t) {
		forms["model"] = append(forms["model"], m)
	}
	for _, m := range lsdModels(t) {
		forms["lsd"] = append(forms["lsd"], m)
	}
	return forms
}

func newForm(kind string) form {
	return map[string]form{
		"model": &Model{}, "lsd": &LSDModel{}, "stats": &Stats{}, "subspace": &StreamSubspace{},
		"extent": &Extent{},
	}[kind]
}

// TestBinary: every kind comes back as it was, into a receiver that was used before, and any
// damage is an ErrFormat that leaves the receiver alone.
func TestBinary(t *testing.T) {
	for kind, list := range allForms(t) {
		for i, v := range list {
			b := mustDo(v.MarshalBinary())(t)
			if !bytes.Equal(b, mustDo(v.MarshalBinary())(t)) || cap(b) != len(b) {
				t.Errorf("%s %d: other bytes, or a wrong size: %d for %d", kind, i, cap(b), len(b))
			}
			back := newForm(kind)
			if err := back.UnmarshalBinary(mustDo(list[0].MarshalBinary())(t)); err != nil {
				t.Fatal(kind, i, err)
			}
			if err := back.UnmarshalBinary(b); err != nil || !reflect.DeepEqual(back, v) {
				t.Fatalf("%s %d: %+v came back as %+v, %v", kind, i, v, back, err)
			}
			refuses := func(what string, at int, b []byte) {
				if err := back.UnmarshalBinary(b); !errors.Is(err, ErrFormat) {
					t.Errorf("%s %d, %s %d: %v", kind, i, what, at, err)
				}
			}
			for n := 0; n < len(b); n += 1 + n/300 {
				refuses("cut at", n, b[:n])
				refuses("cut, with a good checksum, at", n, resum(bytes.Clone(b[:n])))
				flipped := bytes.Clone(b)
				flipped[n] ^= 0x10
				refuses("flipped at", n, flipped)
			}
			refuses("longer", 8, resum(append(bytes.Clone(b), make([]byte, 8)...)))
			for at := 24; at+8 <= len(b)-4; at += 8 { // a NaN in any number, a huge count in any count
				refuses("NaN at", at, forged(b, at, math.Float64bits(math.NaN())))
			}
			refuses("another kind", 0, resum(append([]byte("SKM?"), b[4:]...)))
			if !reflect.DeepEqual(back, v) {
				t.Errorf("%s %d: what is refused changes the receiver to %+v", kind, i, back)
			}
		}
	}
	// A strided matrix is written without its gaps.
	m := &Model{Centers: &Matrix{Rows: 2, Cols: 1, Stride: 3, Data: []float64{1, math.NaN(), math.NaN(), 2}}}
	if shipped(t, m).Centers.At(1, 0) != 2 {
		t.Error("a strided matrix came back as another")
	}
}

// TestModelJSON: models survive encoding/json.
func TestModelJSON(t *testing.T) {
	for kind, v := range map[string]form{"model": sampleModels(t)[0], "lsd": lsdModels(t)[1]} {
		back := newForm(kind)
		err := json.Unmarshal(mustDo(json.Marshal(v))(t), back)
		if err != nil || !reflect.DeepEqual(back, v) {
			t.Errorf("%+v came back as %+v, %v", v, back, err)
		}
	}
}

// TestBinaryRefuses: nothing is written that would not be read.
func TestBinaryRefuses(t *testing.T) {
	nan := math.NaN()
	broken := &Matrix{Rows: 3, Cols: 3}
	one, two, line := NewMatrix(1, 1, nil), NewMatrix(2, 2, nil), NewMatrix(2, 1, nil)
	warn := func(w Warning) *Model { return &Model{Warnings: []Warning{{}, w}} }
	lists := map[error][]form{
		ErrOption: {
			&Model{Certificate: Certificate{Solver: -1}}, &Model{Certificate: Certificate{Solver: solverCount}}, &Model{Status: -1}, &Model{Status: statusCount},
			&Model{Volume: -1}, &Model{Volume: volumeCount}, &Model{Sum: -1}, &Model{Sum: 2},
			&Model{Iterations: -1}, warn(Warning{Kind: -1}),
			warn(Warning{Kind: warningCount}), warn(Warning{Cluster: -1}),
			warn(Warning{Other: -1}),
			&Model{Clusters: []int{0}}, &Model{Centers: line, ClusterMeans: line, Clusters: []int{0, -1}},
			&Model{Centers: line, ClusterMeans: line, Clusters: []int{0}, Memberships: NewMatrix(3, 2, nil)},
			&LSDModel{Status: -1}, &LSDModel{Status: statusCount},
			&LSDModel{Rank: -1}, &LSDModel{Iterations: -1},
		},
		ErrNonFinite: {
			&Model{Certificate: Certificate{Objective: nan}}, &Model{Trace: []float64{math.Inf(1)}},
			&Model{Centers: NewMatrix(1, 1, []float64{nan})}, &LSDModel{Scale: nan},
			&Model{Centers: one, ClusterMeans: NewMatrix(1, 1, []float64{nan})},
		},
		ErrShape: {
			&Model{Centers: two, Memberships: NewMatrix(3, 1, nil)}, &Model{Memberships: broken},
			&Model{Memberships: NewMatrix(1<<16+1, 0, nil)},
			&Model{ClusterMeans: two}, &Model{Centers: two, ClusterMeans: line},
			&Model{ClusterAxes: one},
			&Model{Centers: line, ClusterMeans: line, ClusterAxes: NewMatrix(1, 2, nil)},
			&LSDModel{Memberships: broken}, &LSDModel{Memberships: &Matrix{Cols: 1 << 29}, Scale: 1},
			&LSDModel{Memberships: one, Means: []float64{0}}, &LSDModel{Memberships: one, Projection: one},
			&LSDModel{Memberships: one, Vertices: one},
			&LSDModel{Means: []float64{}, Projection: one, Vertices: one},
			&LSDModel{Memberships: two, Means: []float64{0}, Projection: one, Vertices: one},
		},
	}
	if math.MaxInt > math.MaxInt32 {
		large := math.MaxInt32
		large++
		lists[ErrOption] = append(lists[ErrOption], &Model{Iterations: large}, warn(Warning{Cluster: large}),
			warn(Warning{Other: large}), &LSDModel{Rank: large}, &LSDModel{Iterations: large})
	}
	for want, list := range lists {
		for _, v := range list {
			if b, err := v.MarshalBinary(); b != nil || !errors.Is(err, want) {
				t.Errorf("%+v: %d bytes, %v, want %v", v, len(b), err, want)
			}
		}
	}
	if _, err := warn(Warning{Kind: -1}).MarshalBinary(); !strings.Contains(err.Error(), "warning 1 ") {
		t.Error(err)
	}
	var at *InputError
	if _, err := (&Model{Trace: []float64{1, 2, nan, math.Inf(1)}}).MarshalBinary(); !errors.As(err, &at) ||
		at.Arg != "Trace" || at.Row != 2 || at.Col != -1 || !math.IsNaN(at.Value) {
		t.Error(err)
	}
	// 2^17 centers on a line.
	many := mustDo(statsOf(t, NewMatrix(3, 1, []float64{1, 2, 4}), nil).StreamSubspace(1<<17, nil))(t)
	if _, err := many.MarshalBinary(); !errors.Is(err, ErrShape) {
		t.Errorf("2^17 centers: %v", err)
	}
}

// TestModelBinaryBounds: the last value that a fit may return is written and read, the
// next is not, nor is a form that contradicts itself.
func TestModelBinaryBounds(t *testing.T) {
	const large = math.MaxInt32
	line := NewMatrix(2, 1, nil)
	for _, m := range []*Model{
		{Certificate: Certificate{Solver: solverCount - 1}}, {Status: statusCount - 1}, {Volume: volumeCount - 1}, {Sum: SumAtMostOne},
		{Iterations: large}, {Warnings: []Warning{{Kind: warningCount - 1, Cluster: large, Other: large}}},
		{Centers: line, Memberships: NewMatrix(3, 2, nil)}, {Memberships: NewMatrix(1<<16, 0, nil)},
		{Centers: NewMatrix(1, 2, []float64{mostCenter, -mostCenter})},
	} {
		if back := shipped(t, m); !reflect.DeepEqual(back, m) {
			t.Errorf("%+v came back as %+v", m, back)
		}
	}
	for _, m := range []*LSDModel{{Status: statusCount - 1}, {Rank: large}, {Iterations: large}} {
		if back := shipped(t, m); !reflect.DeepEqual(back, m) {
			t.Errorf("%+v came back as %+v", m, back)
		}
	}
	centers := NewMatrix(1, 1, nil)
	one := &Model{Centers: centers, Warnings: make([]Warning, 1)}
	lsd := &LSDModel{Memberships: centers}
	full := &Model{Centers: NewMatrix(2, 2, nil), Memberships: NewMatrix(1, 2, []float64{.5, .5}),
		Trace: []float64{7}, Warnings: make([]Warning, 1)}
	labelled := &Model{Centers: centers, ClusterMeans: centers, Clusters: []int{0}}
	empty := &Model{Memberships: NewMatrix(1<<16, 0, nil)}
	f := math.Float64bits
	for _, c := range []struct {
		of   form
		at   int
		good []uint64
		bad  []uint64
	}{
		{one, 8, []uint64{uint64(solverCount) - 1}, []uint64{uint64(solverCount), 99}},
		{one, 12, []uint64{uint64(statusCount) - 1}, []uint64{uint64(statusCount)}},
		{one, 16, []uint64{large}, []uint64{large + 1, 1 << 40}}, {one, 24, nil, []uint64{f(math.Inf(1))}},
		{one, 80, []uint64{f(1)}, []uint64{f(math.Inf(1)), f(math.NaN())}},
		{one, 88, nil, []uint64{2, 1 << 40, math.MaxUint64}}, {one, 96, nil, []uint64{0, 2, 1 << 31}},
		{one, 104, []uint64{f(mostCenter)}, []uint64{f(above(mostCenter))}}, {one, 112, nil, []uint64{1}},
		{one, 128, nil, []uint64{0, 2, 1 << 59}},
		{one, 136, []uint64{uint64(warningCount) - 1}, []uint64{uint64(warningCount)}},
		{one, 144, []uint64{large}, []uint64{large + 1}}, {one, 152, []uint64{large}, []uint64{large + 1}},
		{one, 160, nil, []uint64{f(math.Inf(-1))}},
		{full, 88, nil, []uint64{3}}, {full, 168, nil, []uint64{1, 1 << 59}},
		{labelled, 112, nil, []uint64{2}}, {labelled, 120, nil, []uint64{2}},
		{labelled, 136, nil, []uint64{2}}, {labelled, 144, nil, []uint64{1}},
		{empty, 88, []uint64{1}, []uint64{1<<16 + 1}},
		{lsd, 8, []uint64{large}, []uint64{large + 1}},
		{lsd, 12, []uint64{uint64(statusCount) - 1}, []uint64{uint64(statusCount)}},
		{lsd, 16, []uint64{large}, []uint64{large + 1}}, {lsd, 80, nil, []uint64{1}},
		// Flags in the upper half: unknown, no volume; a map alone, unknown.
		{one, 4, nil, []uint64{6 | (hasCenters|1<<8)<<16, 6 | (hasCenters|3<<volumeShift)<<16, 5}},
		{lsd, 4, nil, []uint64{1 | lsdMap<<16, 1 | (lsdMembers|4)<<16, 1 | (lsdMembers|8)<<16}},
	} {
		b := mustDo(c.of.MarshalBinary())(t)
		to := reflect.New(reflect.TypeOf(c.of).Elem()).Interface().(form)
		for i, v := range append(slices.Clone(c.good), c.bad...) {
			b := forged(b, c.at, v)
			err := to.UnmarshalBinary(b)
			if i < len(c.good) {
				if err != nil || !bytes.Equal(mustDo(to.MarshalBinary())(t), b) {
					t.Errorf("%T, %d at %d: %v", to, v, c.at, err)
				}
			} else if !errors.Is(err, ErrFormat) {
				t.Errorf("%T, %d at %d: %v", to, v, c.at, err)
			}
		}
	}
	b := mustDo((&Model{Centers: line, Memberships: NewMatrix(1, 2, nil)}).MarshalBinary())(t)
	b = forged(forged(b, 88, 1), 96, 2) // centers 1×2 in place of 2×1
	if err := new(Model).UnmarshalBinary(b); !errors.Is(err, ErrFormat) {
		t.Errorf("centers and memberships: %v", err)
	}
	b = mustDo(lsd.MarshalBinary())(t)
	b = append(b[:len(b)-12], append([]byte{1}, make([]byte, 19)...)...)
	if err := new(LSDModel).UnmarshalBinary(resum(b)); !errors.Is(err, ErrFormat) {
		t.Errorf("means without a map: %v", err)
	}
}

// TestPartsForged: forms with a good checksum that nothing would have written, and that
// something would fail on later. Numbers on both sides of their bounds are in encodeparts_test.go.
func TestPartsForged(t *testing.T) {
	list := partForms(t)
	e, s := mustDo(list["extent"][1].MarshalBinary())(t), mustDo(list["stats"][0].MarshalBinary())(t)
	line := mustDo(statsOf(t, NewMatrix(3, 1, []float64{1, 2, 4}), nil).StreamSubspace(2, nil))(t)
	p := mustDo(line.MarshalBinary())(t)
	with := func(b []byte, more ...byte) []byte { return resum(append(bytes.Clone(b), more...)) }
	half := math.Float64bits(.5)
	for what, c := range map[string]struct {
		kind string
		b    []byte
	}{
		"an extent of nothing with facets": {"extent", forged(forged(e, 16, 0), 4, 2)},
		"a mark without rows": {"extent",
			with(forged(forged(forged(e, 4, 2), 16, 0), headerSize, 0)[:headerSize+8], 0, 0, 0, 0)},
		"a flag of no name, of an extent": {"extent", forged(e, 4, 2|3<<16)},
		"columns beyond int":              {"stats", forged(s, 8, math.MaxInt32)},
		"as many, but one":                {"stats", forged(s, 8, math.MaxInt32-1)},
		"half a power of two":             {"stats", forged(s, 32, half)},
		"half a power, of weights":        {"stats", forged(s, 40, half)},
		"2^27 centers on a line":          {"subspace", forged(forged(p, 8, 1), 12, 1<<27)},
		"no direction for two centers":    {"subspace", with(forged(p, 104, 0)[:120], 0, 0, 0, 0)},
		"half a step":                     {"subspace", forged(p, 80, half)},
		"a flag of no name":               {"subspace", forged(p, 4, 2|1<<10<<16)},
		"a radius of 0": {"subspace",
			with(forged(p, 4, 2|1<<9<<16)[:104], append(make([]byte, 8), p[104:]...)...)},
	} {
		if err := newForm(c.kind).UnmarshalBinary(c.b); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// A scatter matrix that is none: the positive eigenvalues add up to more than its
	// trace. What is made of it can travel still.
	rng := rand.New(rand.NewPCG(1, 1))
	indefinite := statsOf(t, NewMatrix(41, 40, nil), nil)
	for i, at := 0, 0; i < 40; i++ {
		for j := i; j < 40; j, at = j+1, at+1 {
			indefinite.scatter[at] = float64(320*rng.IntN(2) - 160)
			if i == j {
				indefinite.scatter[at] = 1
			}
		}
	}
	for k := 1; k < 4; k++ {
		shipped(t, mustDo(shipped(t, indefinite).StreamSubspace(k, nil))(t))
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestDecodersAllocate: a header that promises more than follows does not make a
// decoder allocate it. The first numbers of the forms are made large, one by one.
func TestDecodersAllocate(t *testing.T) {
	for kind, list := range allForms(t) {
		for _, v := range list[:min(len(list), 3)] {
			b := mustDo(v.MarshalBinary())(t)
			for _, large := range []uint64{1 << 20, 1 << 28, 1<<31 - 1, 1 << 40, math.MaxUint64} {
				for at := 8; at+8 <= min(len(b)-4, 300); at += 4 {
					bad, to := bytes.Clone(b), newForm(kind)
					binary.LittleEndian.PutUint64(bad[at:], large)
					resum(bad)
					decode := func() { to.UnmarshalBinary(bad) }
					used := allocated(decode)
					most := uint64(2*len(bad) + 4096)
					for i := 0; i < 3 && used > most; i++ { // other goroutines' may be among it
						used = min(used, allocated(decode))
					}
					if used > most {
						t.Fatalf("%s, %d bytes with %d at %d: %d allocated", kind, len(bad), large, at, used)
					}
				}
			}
		}
	}
}

func FuzzModelBinary(f *testing.F) { fuzzForm(f, "model") }

func FuzzLSDModelBinary(f *testing.F) { fuzzForm(f, "lsd") }

func FuzzStats(f *testing.F) { fuzzForm(f, "stats") }

func FuzzSubspace(f *testing.F) { fuzzForm(f, "subspace") }

func FuzzExtent(f *testing.F) { fuzzForm(f, "extent") }

// fuzzForm: what a decoder accepts is exactly what would be written, and can be worked with.
func fuzzForm(f *testing.F, kind string) {
	for _, v := range allForms(f)[kind] {
		b, _ := v.MarshalBinary()
		f.Add(b)
	}
	f.Add([]byte("SKMM"))
	f.Fuzz(func(t *testing.T, b []byte) {
		b = resum(bytes.Clone(b))
		v := newForm(kind)
		if err := v.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, ErrFormat) || !reflect.DeepEqual(v, newForm(kind)) {
				t.Fatal(err)
			}
			return
		}
		if again := mustDo(v.MarshalBinary())(t); !bytes.Equal(again, b) {
			t.Fatalf("%x came back as %x", b, again)
		}
		switch v := v.(type) {
		case *Model:
			useModel(t, v, newInput(b))
		case *LSDModel:
			useLSDModel(t, v, newInput(b))
		case *Stats:
			useStats(t, v)
		case *StreamSubspace:
			var e Extent
			x := NewMatrix(2, v.cols, nil)
			weight := math.Ldexp(1, v.wexp) // the largest that it knows of, and there may be
			err := e.Add(v, x, nil)
			if errors.Is(err, ErrChanged) != (weight < 1) || weight >= 1 && err != nil {
				t.Fatal(err)
			}
			must(t, e.Add(v, x, []float64{weight, 0}))
			if m, err := v.Model(&e); err == nil {
				finiteModel(t, m)
			}
		case *Extent:
			if err := v.Merge(shipped(t, v)); err != nil && !errors.Is(err, ErrShape) {
				t.Fatal(err) // other than too many rows to count
			}
		}
	})
}

// useModel does what a model of any bytes can do.
func useModel(t *testing.T, m *Model, in *input) {
	for _, w := range m.Warnings {
		if w.String() == "" {
			t.Fatalf("%+v", w)
		}
	}
	if f := m.Centers; f != nil && f.Rows > 0 && f.Rows <= 100 && f.Cols <= 100 {
		y := in.matrix(2, f.Cols)
		g := mustDo(m.Predict(nil, y))(t)
		if finite(t, "memberships", g.Data...); m.Sum == SumToOne {
			checkFeasible(t, g)
		}
		mustDo(m.Nearest(nil, y))(t)
		in.finish(t)
	}
}

// useLSDModel calls all methods of a model of similarities.
func useLSDModel(t *testing.T, m *LSDModel, in *input) {
	if p := m.Memberships; p != nil && p.Rows > 0 && p.Rows*p.Cols <= 1000 {
		rows := in.matrix(2, p.Rows)
		if g, err := m.Predict(nil, rows); err == nil {
			checkFeasible(t, g)
		}
		for _, rows := range []*Matrix{nil, rows} {
			if w, err := m.Coordinates(nil, rows); err == nil {
				finite(t, "coordinates", w.Data...)
			}
		}
		in.finish(t)
	}
}

// useStats does everything that statistics can do: no panic, no NaN.
func useStats(t *testing.T, s *Stats) {
	if s.Weight() == 0 || s.Cols() > 40 {
		return
	}
	if err := s.Merge(s); err != nil && !errors.Is(err, ErrShape) {
		t.Fatal(err)
	}
	if err := s.Add(NewMatrix(1, s.Cols(), nil)); err != nil && !errors.Is(err, ErrShape) {
		t.Fatal(err)
	}
	floors := mustDo(s.Floors())(t)
	for i, v := range floors {
		if !isFinite(v) || v < 0 || i > 0 && v > floors[i-1] {
			t.Fatalf("floors %v", floors)
		}
	}
	finite(t, "mean", s.Mean()...)
	finite(t, "scatter", s.Scatter().Data...)
	if p := mustDo(s.StreamSubspace(3, nil))(t); !reflect.DeepEqual(shipped(t, p), p) {
		t.Fatal("the subspace came back as another")
	}
}

func finiteModel(t *testing.T, m *Model) {
	t.Helper()
	finite(t, "centers", m.Centers.Data...)
	finite(t, "model", m.Objective, m.Floor, m.FloorError, m.Total, m.Gap)
}
