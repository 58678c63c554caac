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

func sampleModels(t testing.TB) []*Model {
	full, err := Fit(bg, loadCSV(t, "iris"), 3, &Options{Solver: SolverKrylov})
	if err != nil {
		t.Fatal(err)
	}
	full.Trace = []float64{3, 2, 1}
	full.Lambda, full.Epsilon, full.Stationarity = 0.5, 1e-9, 0.25
	full.Sum, full.Volume = SumAtMostOne, VolumeAffine
	full.Warnings = []Warning{{WarnCoincident, 1, 2, 1e-9}, {WarnSlack, 0, 0, 1.5}, {WarnSeveral, 2, 0, 3}}
	full.ClusterMeans, full.Clusters = rowsOf(full.Centers, 0, 3).Clone(), slices.Repeat([]int{2, 0, 1}, 50)
	full.ClusterMeans.Set(1, 2, -3)
	full.ClusterAxes = NewMatrix(2, 4, []float64{0.5, 0, -0.25, 0, 0, 0, 0, 0.125})
	full.Rows, full.Shade, full.Trimmed = RowsUnit, []float64{1, 0.5}, []int{3, 8}
	return []*Model{full, {}, {Centers: full.Centers}, {Centers: full.Centers, ClusterMeans: full.ClusterMeans}, {Centers: full.Centers, ClusterMeans: full.ClusterMeans, Clusters: []int{0, 2}}, {Centers: NewMatrix(0, 4, nil), Memberships: NewMatrix(5, 0, nil)}}
}

func TestModelBinary(t *testing.T) {
	for i, m := range sampleModels(t) {
		b, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		again, _ := m.MarshalBinary()
		if !bytes.Equal(b, again) || cap(b) != len(b) {
			t.Errorf("model %d: not the same bytes twice, or a wrong size", i)
		}
		var back Model
		back.Iterations = 99 // a used receiver
		if err := back.UnmarshalBinary(b); err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		if !reflect.DeepEqual(&back, m) {
			t.Errorf("model %d: %+v came back as %+v", i, m, back)
		}
	}
	// A strided matrix is written without its gaps.
	m := Model{Centers: &Matrix{Rows: 2, Cols: 1, Stride: 3, Data: []float64{1, math.NaN(), math.NaN(), 2}}}
	b, err := m.MarshalBinary()
	var back Model
	if err != nil || back.UnmarshalBinary(b) != nil || back.Centers.At(1, 0) != 2 {
		t.Error(err, back)
	}
	for _, bad := range []*Model{
		{Objective: math.NaN()}, {Trace: []float64{math.Inf(1)}},
		{Centers: NewMatrix(1, 1, []float64{math.NaN()})}, {Memberships: &Matrix{Rows: 3, Cols: 3}},
	} {
		if b, err := bad.MarshalBinary(); b != nil || !errors.Is(err, ErrNonFinite) && !errors.Is(err, ErrShape) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// resum replaces the checksum, so that what lies behind it is reached.
func resum(b []byte) []byte {
	if len(b) >= 4 {
		binary.LittleEndian.PutUint32(b[len(b)-4:], crc32.ChecksumIEEE(b[:len(b)-4]))
	}
	return b
}

// TestModelBinaryDamage: every cut, every changed byte, every longer input is
// an ErrFormat that leaves the receiver alone.
func TestModelBinaryDamage(t *testing.T) {
	small := &Model{Centers: NewMatrix(2, 2, []float64{1, 2, 3, 4}), Memberships: NewMatrix(1, 2, []float64{.5, .5}), Trace: []float64{7},
		Warnings: []Warning{{WarnFar, 1, 0, 4}}}
	good, err := small.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	m := Model{Iterations: 5}
	check := func(what string, b []byte) {
		t.Helper()
		if err := m.UnmarshalBinary(b); !errors.Is(err, ErrFormat) || !reflect.DeepEqual(m, Model{Iterations: 5}) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for n := range good {
		check("cut", good[:n])
		check("cut, with a good checksum", resum(append([]byte(nil), good[:n]...)))
		flipped := append([]byte(nil), good...)
		flipped[n] ^= 0x10
		check("flipped", flipped)
	}
	check("longer", resum(append(append([]byte(nil), good...), 0, 0, 0, 0, 0, 0, 0, 0)))
	for _, c := range []struct {
		what string
		at   int
		v    uint64
	}{
		{"rows", 88, 1 << 40}, {"rows", 88, math.MaxUint64}, {"rows", 88, 3}, {"columns", 96, 1 << 31}, {"columns", 96, 0},
		{"NaN", 104, math.Float64bits(math.NaN())}, {"Inf objective", 24, math.Float64bits(math.Inf(1))},
		{"iterations", 16, 1 << 40}, {"labels", 168, 1 << 59}, {"labels", 168, 1}, {"warnings", 192, 1 << 59}, {"warnings", 192, 2}, {"kind", 200, uint64(warningCount)}, {"cluster", 208, 1 << 31}, {"solver", 8, 99}, {"status", 12, 99}, {"volume ratio", 80, 1},
	} {
		b := append([]byte(nil), good...)
		binary.LittleEndian.PutUint64(b[c.at:], c.v)
		check(c.what, resum(b))
	}
	empty, err := (&Model{Memberships: NewMatrix(1<<16, 0, nil)}).MarshalBinary()
	if err != nil || new(Model).UnmarshalBinary(empty) != nil {
		t.Error("rows without columns are not read", err)
	}
	binary.LittleEndian.PutUint64(empty[88:], 1<<16+1)
	check("rows without columns", resum(empty))
	one := NewMatrix(1, 1, nil)
	labelled := mustDo((&Model{Centers: one, ClusterMeans: one, Clusters: []int{0}}).MarshalBinary())(t)
	if err := new(Model).UnmarshalBinary(labelled); err != nil {
		t.Error(err)
	}
	for at, v := range map[int]uint64{144: 1, 136: 2, 120: 2, 112: 2} {
		forged := bytes.Clone(labelled)
		binary.LittleEndian.PutUint64(forged[at:], v)
		check("labels or means", resum(forged))
	}
	b := append([]byte(nil), good...)
	b[6] = 0xff
	check("flags", resum(b))
	b = append([]byte(nil), good...)
	b[4] = 1
	check("version", resum(b))
}

func FuzzModelBinary(f *testing.F) {
	for _, m := range sampleModels(f) {
		b, _ := m.MarshalBinary()
		f.Add(b)
	}
	f.Add([]byte("SKMM"))
	f.Fuzz(func(t *testing.T, b []byte) {
		b = resum(append([]byte(nil), b...))
		var m Model
		if err := m.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		// What is accepted is exactly what would be written.
		again, err := m.MarshalBinary()
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%v: %x came back as %x", err, b, again)
		}
		for _, w := range m.Warnings {
			if w.String() == "" {
				t.Fatalf("%+v", w)
			}
		}
		if f := m.Centers; f != nil && f.Rows > 0 && f.Rows <= 100 && f.Cols <= 100 {
			in := newInput(b)
			y := in.matrix(2, f.Cols)
			g, err := m.Predict(nil, y)
			if err != nil {
				t.Fatal(err)
			}
			if finite(t, "memberships", g.Data...); m.Sum == SumToOne {
				checkFeasible(t, g)
			}
			if _, err := m.Nearest(nil, y); err != nil {
				t.Fatal(err)
			}
			in.finish(t)
		}
	})
}

// TestModelBinaryRefuses: nothing is written that would not be read.
func TestModelBinaryRefuses(t *testing.T) {
	for _, c := range []struct {
		m    Model
		want error
	}{
		{Model{Solver: -1}, ErrOption}, {Model{Solver: 4}, ErrOption}, {Model{Status: -1}, ErrOption}, {Model{Status: 6}, ErrOption},
		{Model{Iterations: -1}, ErrOption}, {Model{Sum: 2}, ErrOption}, {Model{Volume: 3}, ErrOption}, {Model{Warnings: []Warning{{Kind: warningCount}}}, ErrOption},
		{Model{Rows: RowsGiven}, ErrOption}, {Model{Trimmed: []int{-1}}, ErrOption}, {Model{Shade: []float64{math.NaN()}}, ErrNonFinite},
		{Model{Centers: NewMatrix(2, 2, nil), Memberships: NewMatrix(3, 1, nil)}, ErrShape},
		{Model{Memberships: NewMatrix(1<<16+1, 0, nil)}, ErrShape},
		{Model{ClusterMeans: NewMatrix(2, 2, nil)}, ErrShape}, {Model{Centers: NewMatrix(2, 2, nil), ClusterMeans: NewMatrix(2, 1, nil)}, ErrShape},
		{Model{Centers: NewMatrix(1, 1, nil), ClusterMeans: NewMatrix(1, 1, []float64{math.NaN()})}, ErrNonFinite}, {Model{Clusters: []int{0}}, ErrOption},
		{Model{ClusterAxes: NewMatrix(1, 1, nil)}, ErrShape}, {Model{Centers: NewMatrix(2, 1, nil), ClusterMeans: NewMatrix(2, 1, nil), ClusterAxes: NewMatrix(1, 2, nil)}, ErrShape},
		{Model{Centers: NewMatrix(2, 1, nil), ClusterMeans: NewMatrix(2, 1, nil), Clusters: []int{0, 1, 2}}, ErrOption},
		{Model{Centers: NewMatrix(2, 1, nil), ClusterMeans: NewMatrix(2, 1, nil), Clusters: []int{0, -1}}, ErrOption},
		{Model{Centers: NewMatrix(2, 1, nil), ClusterMeans: NewMatrix(2, 1, nil), Clusters: []int{0}, Memberships: NewMatrix(3, 2, nil)}, ErrOption},
	} {
		if b, err := c.m.MarshalBinary(); b != nil || !errors.Is(err, c.want) {
			t.Errorf("%+v: %d bytes, %v, want %v", c.m, len(b), err, c.want)
		}
	}
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
	out := map[string][]form{"stats": {s, &Stats{}, statsOf(t, NewMatrix(1, 1, nil), []float64{1e-300})}, "extent": {&Extent{}}}
	for k, o := range map[int]*Options{1: nil, 3: {Enclosure: EnclosureTight, Orientation: RandomOrientation(3, 1)}, 4: {Radius: 9}, 9: nil} {
		p, err := s.Subspace(k, o)
		if err != nil {
			t.Fatal(err)
		}
		var e Extent
		if err := e.Add(p, x, nil); err != nil {
			t.Fatal(err)
		}
		out["subspace"], out["extent"] = append(out["subspace"], p), append(out["extent"], &e)
	}
	return out
}

func newForm(kind string) form {
	switch kind {
	case "stats":
		return &Stats{}
	case "subspace":
		return &Subspace{}
	}
	return &Extent{}
}

// TestPartsBinary: every kind comes back as it was, and any damage is an ErrFormat that
// leaves the receiver alone.
func TestPartsBinary(t *testing.T) {
	for kind, list := range partForms(t) {
		for i, v := range list {
			b, err := v.MarshalBinary()
			if err != nil {
				t.Fatal(kind, i, err)
			}
			if again, _ := v.MarshalBinary(); !bytes.Equal(b, again) || cap(b) != len(b) {
				t.Errorf("%s %d: not the same bytes twice, or a wrong size: %d for %d", kind, i, cap(b), len(b))
			}
			back := newForm(kind)
			if err := back.UnmarshalBinary(b); err != nil {
				t.Fatal(kind, i, err)
			}
			if again, _ := back.MarshalBinary(); !bytes.Equal(b, again) {
				t.Errorf("%s %d came back as another", kind, i)
			}
			refuses := func(what string, b []byte) {
				t.Helper()
				before, _ := back.MarshalBinary()
				err := back.UnmarshalBinary(b)
				after, _ := back.MarshalBinary()
				if !errors.Is(err, ErrFormat) || !bytes.Equal(before, after) {
					t.Errorf("%s %d, %s: %v", kind, i, what, err)
				}
			}
			for n := range b {
				refuses("cut", b[:n])
				refuses("cut, with a good checksum", resum(bytes.Clone(b[:n])))
				flipped := bytes.Clone(b)
				flipped[n] ^= 0x10
				refuses("flipped", flipped)
			}
			refuses("longer", resum(append(bytes.Clone(b), 0, 0, 0, 0, 0, 0, 0, 0)))
			for at := 24; at+8 <= len(b)-4; at += 8 { // a NaN in any number, a huge count in any count
				bad := bytes.Clone(b)
				binary.LittleEndian.PutUint64(bad[at:], math.Float64bits(math.NaN()))
				refuses("NaN", resum(bad))
			}
			for _, other := range []string{modelForm.magic, lsdForm.magic, statsForm.magic, subspaceForm.magic, extentForm.magic, "SKM?"} {
				if other != string(b[:4]) {
					refuses("called "+other, resum(append([]byte(other), b[4:]...)))
				}
			}
		}
	}
}

// TestPartsForged: forms with a good checksum that nothing would have written, and that
// something would fail on later.
func TestPartsForged(t *testing.T) {
	list := partForms(t)
	bytesOf := func(v form) []byte {
		b, err := v.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	put := func(b []byte, at int, v uint64) []byte {
		b = bytes.Clone(b)
		binary.LittleEndian.PutUint64(b[at:], v)
		return resum(b)
	}
	number := func(b []byte, at int, v float64) []byte { return put(b, at, math.Float64bits(v)) }
	e, s := bytesOf(list["extent"][1]), bytesOf(list["stats"][0])
	line, err := statsOf(t, NewMatrix(3, 1, []float64{1, 2, 4}), nil).Subspace(2, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := bytesOf(line)
	for what, c := range map[string]struct {
		kind string
		b    []byte
	}{
		"an extent without facets":         {"extent", resum(append(bytes.Clone(e[:headerSize]), make([]byte, 12)...))},
		"an extent without rows":           {"extent", put(e, 16, 0)},
		"an extent of nothing with facets": {"extent", put(put(e, 16, 0), 4, 2)},
		"columns beyond int":               {"stats", put(s, 8, math.MaxInt32)},
		"as many, but one":                 {"stats", put(s, 8, math.MaxInt32-1)},
		"2^27 centers on a line":           {"subspace", put(p, 8, 1|1<<27<<32)},
		"no centers":                       {"subspace", put(p, 8, 1)},

		"a weight above the rows'":       {"stats", number(s, 24, 151)},
		"half a power of two":            {"stats", number(s, 32, .5)},
		"half a power, of weights":       {"stats", number(s, 40, .5)},
		"powers beyond float64":          {"stats", number(s, 32, 1025)},
		"powers below":                   {"stats", number(s, 32, -1021)},
		"powers of weights beyond":       {"stats", number(s, 40, 1025)},
		"powers of weights below":        {"stats", number(s, 40, -1074)},
		"a negative error of weights":    {"stats", number(s, 48, -1e-300)},
		"an infinite one of weights":     {"stats", number(s, 48, math.Inf(1))},
		"a negative error of the mean":   {"stats", number(s, 56, -1e-300)},
		"an infinite one":                {"stats", number(s, 56, math.Inf(1))},
		"a negative error of squares":    {"stats", number(s, 64, -1e-300)},
		"an infinite one of squares":     {"stats", number(s, 64, math.Inf(1))},
		"a number behind those":          {"stats", number(s, 72, 1)},
		"a mean above the entries":       {"stats", number(s, 88, -1.5)},
		"a rest that is none":            {"stats", number(s, 120, 1e-9)},
		"a negative variance":            {"stats", number(s, 152, -1)},
		"a variance above the entries":   {"stats", number(s, 152, 700)},
		"a covariance like that":         {"stats", number(s, 160, -700)},
		"a rest of it that is none":      {"stats", number(s, 232, 1)},
		"a direction that is too long":   {"subspace", number(p, 120, 1.1)},
		"no direction for two centers":   {"subspace", resum(append(put(p, 104, 0)[:120], 0, 0, 0, 0))},
		"three centers in one column":    {"subspace", put(p, 104, 2)},
		"a negative total":               {"subspace", number(p, 48, -1)},
		"a total above the entries":      {"subspace", number(p, 48, 100)},
		"a negative error of it":         {"subspace", number(p, 56, -1)},
		"an infinite error of it":        {"subspace", number(p, 56, math.Inf(1))},
		"a negative floor":               {"subspace", number(p, 64, -1)},
		"a floor above the entries":      {"subspace", number(p, 64, 100)},
		"a negative error":               {"subspace", number(p, 72, -1)},
		"an infinite error":              {"subspace", number(p, 72, math.Inf(1))},
		"half a step":                    {"subspace", number(p, 80, .5)},
		"a solver of no name":            {"subspace", put(p, 4, 2|4<<solverShift<<16|1<<32)},
		"a status of no name":            {"subspace", put(p, 4, 2|7<<statusShift<<16|1<<32)},
		"a radius of 0":                  {"subspace", resum(append(put(p, 4, 2|1<<9<<16|1<<32)[:104], append(make([]byte, 8), p[104:]...)...))},
		"a flag of no name":              {"subspace", put(p, 4, 2|1<<10<<16|1<<32)},
		"a negative radius":              {"extent", number(e, 24, -1)},
		"a radius beyond all":            {"extent", number(e, 24, 1e300)},
		"a negative objective":           {"extent", number(e, 32, -1)},
		"negative squares":               {"extent", number(e, 40, -1)},
		"a rest of squares that is none": {"extent", number(e, 48, math.Inf(1))},
		"a number behind those of it":    {"extent", number(e, 72, 1)},
		"a negative facet":               {"extent", number(e, headerSize+8, -1)},
		"a flag of no name, of it":       {"extent", put(e, 4, 2|3<<16)},
		"a mark without rows":            {"extent", resum(append(put(put(put(e, 4, 2), 16, 0), headerSize, 0)[:headerSize+8], 0, 0, 0, 0))},
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
		for j := i; j < 40; j++ {
			indefinite.scatter[at] = float64(320*rng.IntN(2) - 160)
			if i == j {
				indefinite.scatter[at] = 1
			}
			at++
		}
	}
	for k := 1; k < 4; k++ {
		p, err := shipped(t, indefinite).Subspace(k, nil)
		if err != nil {
			t.Fatal(err)
		}
		shipped(t, p)
	}
	many, err := statsOf(t, NewMatrix(3, 1, []float64{1, 2, 4}), nil).Subspace(1<<17, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := many.MarshalBinary(); !errors.Is(err, ErrShape) {
		t.Errorf("2^17 centers: %v", err)
	}
}

// TestSubspaceZero: the zero value is an error where one is needed.
func TestSubspaceZero(t *testing.T) {
	var p Subspace
	var e Extent
	_, model := p.Model(&e)
	_, written := p.MarshalBinary()
	for what, err := range map[string]error{"Add": e.Add(&p, NewMatrix(1, 1, nil), nil), "Add of no rows": e.Add(&p, &Matrix{}, nil), "Model": model, "MarshalBinary": written} {
		if !errors.Is(err, ErrTooFewSamples) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if p.Basis() != nil || p.K() != 0 || p.Floor() != 0 {
		t.Error(p.Basis(), p.K(), p.Floor())
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
// decoder allocate it. The forms are cut behind every number and every field of
// the header is made large.
func TestDecodersAllocate(t *testing.T) {
	kinds := map[string]func() form{"model": func() form { return &Model{} }, "lsd": func() form { return &LSDModel{} }}
	forms := map[string][]form{"lsd": {&LSDModel{Memberships: NewMatrix(3, 2, nil)}}}
	for _, m := range sampleModels(t) {
		forms["model"] = append(forms["model"], m)
	}
	for kind, list := range partForms(t) {
		forms[kind], kinds[kind] = list, func() form { return newForm(kind) }
	}
	worst := 0.0
	for kind, list := range forms {
		for _, v := range list {
			b, err := v.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			for _, large := range []uint64{1 << 20, 1 << 28, 1<<31 - 1, 1 << 31, 1 << 40, 1<<61 + 1, math.MaxUint64} {
				for at := 8; at+8 <= min(len(b)-4, 400); at += 4 {
					bad := bytes.Clone(b)
					binary.LittleEndian.PutUint64(bad[at:], large)
					resum(bad)
					to := kinds[kind]()
					decode := func() { to.UnmarshalBinary(bad) }
					used := allocated(decode)
					for i := 0; i < 3 && used > uint64(2*len(bad)+4096); i++ { // other goroutines' may be among it
						used = min(used, allocated(decode))
					}
					worst = max(worst, float64(used)/float64(len(bad)+1024))
					if used > uint64(2*len(bad)+4096) {
						t.Fatalf("%s of %d bytes with %d at %d: %d bytes allocated", kind, len(bad), large, at, used)
					}
				}
			}
		}
	}
	t.Logf("at most %.2f bytes for each byte read", worst)
}

func FuzzStats(f *testing.F) { fuzzForm(f, "stats") }

func FuzzSubspace(f *testing.F) { fuzzForm(f, "subspace") }

func FuzzExtent(f *testing.F) { fuzzForm(f, "extent") }

// fuzzForm: what a decoder accepts is exactly what would be written, and can be
// worked with.
func fuzzForm(f *testing.F, kind string) {
	for _, v := range partForms(f)[kind] {
		b, _ := v.MarshalBinary()
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = resum(bytes.Clone(b))
		v := newForm(kind)
		if err := v.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		if again, err := v.MarshalBinary(); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%v: %x came back as %x", err, b, again)
		}
		switch v := v.(type) {
		case *Stats:
			useStats(t, v)
		case *Subspace:
			var e Extent
			x := NewMatrix(2, v.cols, nil)
			weight := math.Ldexp(1, v.wexp) // the largest that it knows of, and there may be
			if err := e.Add(v, x, nil); errors.Is(err, ErrChanged) != (weight < 1) || weight >= 1 && err != nil {
				t.Fatal(err)
			}
			if err := e.Add(v, x, []float64{weight, 0}); err != nil {
				t.Fatal(err)
			}
			if m, err := v.Model(&e); err == nil {
				finiteModel(t, m)
			}
		case *Extent:
			if err := v.Merge(shipped(t, v)); err != nil && !errors.Is(err, ErrShape) { // too many rows to count
				t.Fatal(err)
			}
		}
	})
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
	floors, err := s.Floors()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range floors {
		if !isFinite(v) || v < 0 || i > 0 && v > floors[i-1] {
			t.Fatalf("floors %v", floors)
		}
	}
	for _, v := range append(s.Mean(), s.Scatter().Data...) {
		if !isFinite(v) {
			t.Fatalf("mean %v, scatter %v", s.Mean(), s.Scatter())
		}
	}
	p, err := s.Subspace(3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(shipped(t, p), p) {
		t.Fatal("the subspace came back as another")
	}
}

func finiteModel(t *testing.T, m *Model) {
	t.Helper()
	if _, err := checkEntries("centers", m.Centers, math.MaxFloat64); err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{m.Objective, m.Floor, m.FloorError, m.Total, m.Gap} {
		if !isFinite(v) {
			t.Fatalf("%+v", m)
		}
	}
}

func FuzzLSDModelBinary(f *testing.F) {
	for _, m := range lsdModels(f) {
		b, err := m.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = resum(append([]byte(nil), b...))
		m := LSDModel{Rank: 77}
		if err := m.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, ErrFormat) || m.Rank != 77 || m.Memberships != nil {
				t.Fatal(err)
			}
			return
		}
		again, err := m.MarshalBinary()
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%v: %x came back as %x", err, b, again)
		}
		if p := m.Memberships; p != nil && p.Rows > 0 && p.Rows*p.Cols <= 1000 {
			in := newInput(b)
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
	})
}

// TestLSDBinary: an LSDModel comes back from its bytes, and from nothing else.
func TestLSDBinary(t *testing.T) {
	kernel := similarityOf(dirichlet(30, 3, 1, 1), 2)
	lsd, err := LSD(bg, kernel, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	ti, err := TILSD(bg, kernel, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	single, err := TILSD(bg, kernel, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range []*LSDModel{lsd, ti, single, {}} {
		b, err := m.MarshalBinary()
		if err != nil || cap(b) != len(b) {
			t.Fatalf("model %d: %v, %d of %d bytes", i, err, len(b), cap(b))
		}
		back := LSDModel{Rank: 77}
		if err := back.UnmarshalBinary(b); err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		if !reflect.DeepEqual(&back, m) {
			t.Errorf("model %d came back as %+v, was %+v", i, back, m)
		}
		for cut := range b {
			if err := back.UnmarshalBinary(b[:cut]); !errors.Is(err, ErrFormat) {
				t.Fatalf("model %d cut at %d: %v", i, cut, err)
			}
			wrong := slices.Clone(b)
			wrong[cut] ^= 4
			if err := back.UnmarshalBinary(wrong); !errors.Is(err, ErrFormat) {
				t.Fatalf("model %d with byte %d wrong: %v", i, cut, err)
			}
		}
		if err := new(Model).UnmarshalBinary(b); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "a softkmeans model of similarities, not a softkmeans model") {
			t.Errorf("read as a Model: %v", err)
		}
		j, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var text LSDModel
		if err := json.Unmarshal(j, &text); err != nil || !reflect.DeepEqual(&text, m) {
			t.Errorf("model %d: json: %v", i, err)
		}
	}
	for _, bad := range []*LSDModel{
		{Status: 9}, {Rank: -1}, {Iterations: -1}, {Scale: math.NaN()}, {Memberships: &Matrix{Rows: 2, Cols: 2}},
		{Means: ti.Means, Projection: ti.Projection, Vertices: ti.Vertices}, {Memberships: NewMatrix(3, 3, nil), Means: ti.Means, Projection: ti.Projection, Vertices: ti.Vertices},
	} {
		if _, err := bad.MarshalBinary(); err == nil {
			t.Errorf("%+v was written", bad)
		}
	}
}

func TestModelJSON(t *testing.T) {
	x := loadCSV(t, "iris")
	m, err := Fit(bg, x, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back Model
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	p, err := back.Predict(nil, x)
	if err != nil || maxDiff(p, m.Memberships) > 1e-12 || back.Objective != m.Objective || back.Status != m.Status || back.Solver != m.Solver {
		t.Error("a model does not survive JSON", err)
	}
}

// TestModelBinaryBounds: the last value that a fit may return is written and read, the
// next is not.
func TestModelBinaryBounds(t *testing.T) {
	refuses := func(what string, err error, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	var large int = math.MaxInt32
	for _, m := range []*Model{
		{Solver: solverCount - 1}, {Status: statusCount - 1}, {Volume: volumeCount - 1}, {Sum: SumAtMostOne}, {Iterations: large},
		{Warnings: []Warning{{Kind: warningCount - 1, Cluster: large, Other: large}}},
		{Centers: NewMatrix(2, 1, nil), Memberships: NewMatrix(3, 2, nil)}, {Memberships: NewMatrix(1<<16, 0, nil)}, {Centers: NewMatrix(1, 2, []float64{mostCenter, -mostCenter})},
	} {
		if back := shipped(t, m); !reflect.DeepEqual(back, m) {
			t.Errorf("%+v came back as %+v", m, back)
		}
	}
	bad := []*Model{
		{Solver: -1}, {Solver: solverCount}, {Status: -1}, {Status: statusCount}, {Volume: -1}, {Volume: volumeCount}, {Sum: -1}, {Sum: 2}, {Iterations: -1},
		{Warnings: []Warning{{}, {Kind: -1}}}, {Warnings: []Warning{{Kind: warningCount}}}, {Warnings: []Warning{{Cluster: -1}}}, {Warnings: []Warning{{Other: -1}}},
	}
	badLSD := []*LSDModel{{Status: -1}, {Status: statusCount}, {Rank: -1}, {Iterations: -1}}
	for _, m := range []*LSDModel{{Status: statusCount - 1}, {Rank: large}, {Iterations: large}} {
		if back := shipped(t, m); !reflect.DeepEqual(back, m) {
			t.Errorf("%+v came back as %+v", m, back)
		}
	}
	if math.MaxInt > large {
		large++
		bad = append(bad, &Model{Iterations: large}, &Model{Warnings: []Warning{{Cluster: large}}}, &Model{Warnings: []Warning{{Other: large}}})
		badLSD = append(badLSD, &LSDModel{Rank: large}, &LSDModel{Iterations: large})
	}
	for i, m := range bad {
		_, err := m.MarshalBinary()
		refuses("model", err, ErrOption)
		if i == 9 && !strings.Contains(err.Error(), "warning 1 ") {
			t.Error(err)
		}
	}
	for _, m := range badLSD {
		_, err := m.MarshalBinary()
		refuses("model of similarities", err, ErrOption)
	}
	var nan *InputError
	if _, err := (&Model{Trace: []float64{1, 2, math.NaN(), math.Inf(1)}}).MarshalBinary(); !errors.As(err, &nan) || nan.Arg != "Trace" || nan.Row != 2 || nan.Col != -1 || !math.IsNaN(nan.Value) {
		t.Error(err)
	}
	one := mustDo((&Model{Centers: NewMatrix(1, 1, nil), Warnings: make([]Warning, 1)}).MarshalBinary())(t)
	lsd := mustDo((&LSDModel{Memberships: NewMatrix(1, 1, nil)}).MarshalBinary())(t)
	for _, c := range []struct {
		of   []byte
		to   form
		at   int
		bits uint64
		good bool
	}{
		{one, &Model{}, 8, uint64(solverCount) - 1, true}, {one, &Model{}, 8, uint64(solverCount), false}, {one, &Model{}, 12, uint64(statusCount) - 1, true}, {one, &Model{}, 12, uint64(statusCount), false},
		{one, &Model{}, 16, math.MaxInt32, true}, {one, &Model{}, 16, 1 << 31, false}, {one, &Model{}, 80, 1 << 63, false}, {one, &Model{}, 80, math.Float64bits(1), true}, {one, &Model{}, 80, math.Float64bits(.999), false},
		{one, &Model{}, 88, 2, false}, {one, &Model{}, 96, 2, false}, {one, &Model{}, 104, math.Float64bits(mostCenter), true}, {one, &Model{}, 104, math.Float64bits(above(mostCenter)), false},
		{one, &Model{}, 112, 1, false}, {one, &Model{}, 136, uint64(warningCount) - 1, true}, {one, &Model{}, 136, uint64(warningCount), false}, {one, &Model{}, 144, math.MaxInt32, true}, {one, &Model{}, 144, 1 << 31, false},
		{one, &Model{}, 152, math.MaxInt32, true}, {one, &Model{}, 152, 1 << 31, false}, {one, &Model{}, 160, math.Float64bits(math.Inf(-1)), false},
		{lsd, &LSDModel{}, 8, math.MaxInt32, true}, {lsd, &LSDModel{}, 8, 1 << 31, false}, {lsd, &LSDModel{}, 12, uint64(statusCount) - 1, true}, {lsd, &LSDModel{}, 12, uint64(statusCount), false},
		{lsd, &LSDModel{}, 16, math.MaxInt32, true}, {lsd, &LSDModel{}, 16, 1 << 31, false}, {lsd, &LSDModel{}, 80, 1, false},
	} {
		b := bytes.Clone(c.of)
		if c.at < 16 {
			binary.LittleEndian.PutUint32(b[c.at:], uint32(c.bits))
		} else {
			binary.LittleEndian.PutUint64(b[c.at:], c.bits)
		}
		err := c.to.UnmarshalBinary(resum(b))
		if c.good != (err == nil) {
			t.Errorf("%T, %d at %d: %v", c.to, c.bits, c.at, err)
		} else if !c.good {
			refuses("forged", err, ErrFormat)
		} else if again := mustDo(c.to.MarshalBinary())(t); !bytes.Equal(again, b) {
			t.Errorf("%T, %d at %d came back as another", c.to, c.bits, c.at)
		}
	}
	for i, flags := range []uint16{0x20, 3 << volumeShift, lsdMap, 4, lsdMembers | lsdMap | 8} { // unknown, no volume; a map alone, unknown
		b, to := bytes.Clone(one), form(&Model{})
		if i > 1 {
			b, to = bytes.Clone(lsd), &LSDModel{}
		}
		binary.LittleEndian.PutUint16(b[6:], flags)
		refuses("flags", to.UnmarshalBinary(resum(b)), ErrFormat)
	}
	means := append(bytes.Clone(lsd[:len(lsd)-12]), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	refuses("means without a map", new(LSDModel).UnmarshalBinary(resum(means)), ErrFormat)
	mismatch := &Model{Centers: NewMatrix(2, 1, nil), Memberships: NewMatrix(1, 2, nil)}
	b := mustDo(mismatch.MarshalBinary())(t)
	binary.LittleEndian.PutUint64(b[88:], 1) // centers 1×2 in place of 2×1
	binary.LittleEndian.PutUint64(b[96:], 2)
	refuses("centers and memberships", new(Model).UnmarshalBinary(resum(b)), ErrFormat)
	for _, m := range []*LSDModel{
		{Memberships: NewMatrix(1, 1, nil), Means: []float64{0}}, {Memberships: NewMatrix(1, 1, nil), Projection: NewMatrix(1, 1, nil)}, {Memberships: NewMatrix(1, 1, nil), Vertices: NewMatrix(1, 1, nil)},
		{Means: []float64{}, Projection: NewMatrix(1, 1, nil), Vertices: NewMatrix(1, 1, nil)},
	} {
		_, err := m.MarshalBinary()
		refuses("a part of a map", err, ErrShape)
	}
}
