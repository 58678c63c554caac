package softkmeans

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"reflect"
	"testing"
)

func sampleModels(t testing.TB) []*Model {
	full, err := Fit(bg, loadCSV(t, "iris"), 3, &Options{Solver: SolverKrylov})
	if err != nil {
		t.Fatal(err)
	}
	full.Trace = []float64{3, 2, 1}
	full.Lambda, full.Epsilon = 0.5, 1e-9
	full.Sum, full.Volume = SumAtMostOne, VolumeAffine
	full.Warnings = []Warning{{WarnCoincident, 1, 2, 1e-9}, {WarnSlack, 0, 0, 1.5}}
	return []*Model{full, {}, {Centers: full.Centers}, {Centers: NewMatrix(0, 4, nil), Memberships: NewMatrix(5, 0, nil)}}
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
		{"iterations", 16, 1 << 40}, {"warnings", 184, 1 << 59}, {"warnings", 184, 2}, {"kind", 192, 4}, {"cluster", 200, 1 << 31}, {"solver", 8, 99}, {"status", 12, 99}, {"reserved", 80, 1},
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
		{Model{Iterations: -1}, ErrOption}, {Model{Sum: 2}, ErrOption}, {Model{Volume: 3}, ErrOption}, {Model{Warnings: []Warning{{Kind: 4}}}, ErrOption},
		{Model{Centers: NewMatrix(2, 2, nil), Memberships: NewMatrix(3, 1, nil)}, ErrShape},
		{Model{Memberships: NewMatrix(1<<16+1, 0, nil)}, ErrShape},
	} {
		if b, err := c.m.MarshalBinary(); b != nil || !errors.Is(err, c.want) {
			t.Errorf("%+v: %d bytes, %v, want %v", c.m, len(b), err, c.want)
		}
	}
}
