package softkmeans

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"testing"
)

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
			m := moments{units: units{3, 2}, rows: 3, cols: 3, weight: 3}
			m.mean, m.meanRest = make([]float64, 3), make([]float64, 3)
			s := &Stats{moments: m, scatter: []float64{1, 0, 0, 2, 0, 3}, scatterRest: make([]float64, 6)}
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
	form := mustDo((&Stats{moments: moments{rows: 1, weight: 1}}).MarshalBinary())(t)
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

// FuzzStats: what the decoder takes comes back the same, and can be used.
func FuzzStats(f *testing.F) {
	for _, s := range []*Stats{{}, statsOf(f, randomData(5, 2, 1, 1), nil)} {
		f.Add(mustDo(s.MarshalBinary())(f))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Stats
		if s.UnmarshalBinary(data) != nil {
			return
		}
		if !bytes.Equal(mustDo(s.MarshalBinary())(t), data) {
			t.Fatalf("%x came back as another form", data)
		}
		if s.Weight() > 0 && s.Cols() < 50 {
			mustDo(s.Floors())(t)
			mustDo(s.Principal(0, nil))(t)
			must(t, s.Merge(&s))
		}
	})
}
