package softkmeans

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
)

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
	for k, o := range map[int]*Options{1: nil, 3: {Enclosure: EnclosureTight, Orientation: RandomOrientation(3, 1)}, 9: nil} {
		p, err := s.Subspace(k, o)
		if err != nil {
			t.Fatal(err)
		}
		var e Extent
		if err := e.Add(p, x); err != nil {
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
			for _, other := range []string{modelMagic, lsdMagic, statsMagic, subspaceMagic, extentMagic, "SKM?"} {
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
		"an extent of nothing with facets": {"extent", put(put(e, 16, 0), 4, partsVersion)},
		"columns beyond int":               {"stats", put(s, 8, math.MaxInt32)},
		"as many, but one":                 {"stats", put(s, 8, math.MaxInt32-1)},
		"2^27 centers on a line":           {"subspace", put(p, 8, 1|1<<27<<32)},
		"no centers":                       {"subspace", put(p, 8, 1)},

		"a weight above the rows'":     {"stats", number(s, 24, 151)},
		"half a power of two":          {"stats", number(s, 32, .5)},
		"half a power, of weights":     {"stats", number(s, 40, .5)},
		"powers beyond float64":        {"stats", number(s, 32, 1025)},
		"powers below":                 {"stats", number(s, 32, -1021)},
		"powers of weights beyond":     {"stats", number(s, 40, 1025)},
		"powers of weights below":      {"stats", number(s, 40, -1074)},
		"a number behind those":        {"stats", number(s, 48, 1)},
		"a mean above the entries":     {"stats", number(s, 88, -1.5)},
		"a rest that is none":          {"stats", number(s, 120, 1e-9)},
		"a negative variance":          {"stats", number(s, 152, -1)},
		"a variance above the entries": {"stats", number(s, 152, 700)},
		"a covariance like that":       {"stats", number(s, 160, -700)},
		"a rest of it that is none":    {"stats", number(s, 232, 1)},
		"a direction that is too long": {"subspace", number(p, 120, 1.1)},
		"no direction for two centers": {"subspace", resum(append(put(p, 104, 0)[:120], 0, 0, 0, 0))},
		"three centers in one column":  {"subspace", put(p, 104, 2)},
		"a negative total":             {"subspace", number(p, 48, -1)},
		"a total above the entries":    {"subspace", number(p, 48, 100)},
		"a negative floor":             {"subspace", number(p, 56, -1)},
		"a floor above the entries":    {"subspace", number(p, 56, 100)},
		"a negative error":             {"subspace", number(p, 64, -1)},
		"a number that is to be 0":     {"subspace", number(p, 72, 1)},
		"half a step":                  {"subspace", number(p, 80, .5)},
		"a solver of no name":          {"subspace", put(p, 4, partsVersion|4<<solverShift<<16|1<<32)},
		"a status of no name":          {"subspace", put(p, 4, partsVersion|7<<statusShift<<16|1<<32)},
		"a flag of no name":            {"subspace", put(p, 4, partsVersion|1<<8<<16|1<<32)},
		"a negative radius":            {"extent", number(e, 24, -1)},
		"a radius beyond all":          {"extent", number(e, 24, 1e300)},
		"a negative objective":         {"extent", number(e, 32, -1)},
		"negative squares":             {"extent", number(e, 40, -1)},
		"a number behind those of it":  {"extent", number(e, 48, 1)},
		"a negative facet":             {"extent", number(e, headerSize+8, -1)},
		"a flag of no name, of it":     {"extent", put(e, 4, partsVersion|3<<16)},
		"a mark without rows":          {"extent", resum(append(put(put(put(e, 4, partsVersion), 16, 0), headerSize, 0)[:headerSize+8], 0, 0, 0, 0))},
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
	for what, err := range map[string]error{"Add": e.Add(&p, NewMatrix(1, 1, nil)), "Add of no rows": e.Add(&p, &Matrix{}), "Model": model, "MarshalBinary": written} {
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

func FuzzStats(f *testing.F)    { fuzzForm(f, "stats") }
func FuzzSubspace(f *testing.F) { fuzzForm(f, "subspace") }
func FuzzExtent(f *testing.F)   { fuzzForm(f, "extent") }

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
			if err := e.Add(v, x); errors.Is(err, ErrChanged) != (weight < 1) || weight >= 1 && err != nil {
				t.Fatal(err)
			}
			if err := e.AddWeighted(v, x, []float64{weight, 0}); err != nil {
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
	if _, err := maxAbs("centers", m.Centers); err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{m.Objective, m.Floor, m.FloorError, m.Total, m.Gap} {
		if !isFinite(v) {
			t.Fatalf("%+v", m)
		}
	}
}
