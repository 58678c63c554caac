package main

import (
	"bytes"
	"reflect"
	"testing"

	"softkmeans"
	"softkmeans/stream"
)

func someSummary(t testing.TB) *summary {
	s := &summary{Shards: 3, Source: "a.csv", Header: true, Names: []string{"", "größe"}}
	if err := s.Stats.Add(softkmeans.NewMatrix(3, 2, []float64{1, 2, 3, 5, 8, 13})); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCoders(t *testing.T) {
	for _, s := range []*summary{{}, someSummary(t)} {
		data, err := encodeSummary(s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeSummary(data)
		if err != nil {
			t.Fatal(err)
		}
		again, err := encodeSummary(got)
		if err != nil || !bytes.Equal(again, data) || got.Shards != s.Shards || got.Source != s.Source || got.Header != s.Header || !reflect.DeepEqual(got.Names, s.Names) {
			t.Errorf("%+v became %+v, %v", s, got, err)
		}
		for n := range data {
			if _, err := decodeSummary(data[:n]); err == nil {
				t.Errorf("%d of %d bytes are a summary", n, len(data))
			}
		}
	}
	for _, q := range []*quality{newQuality(0), {Rows: 7, Objective: 1.5, MinMembership: -1e-300, MaxSumError: 2, Sizes: []int64{300, 0}}} {
		data, err := encodeQuality(q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeQuality(data)
		if err != nil || got.Rows != q.Rows || got.Objective != q.Objective || got.MinMembership != q.MinMembership || got.MaxSumError != q.MaxSumError || len(got.Sizes) != len(q.Sizes) {
			t.Errorf("%+v became %+v, %v", q, got, err)
		}
		for n := range data {
			if _, err := decodeQuality(data[:n]); err == nil {
				t.Errorf("%d of %d bytes are a quality", n, len(data))
			}
		}
		if _, err := decodeQuality(append(data, 0)); err == nil {
			t.Error("a byte too many is no error")
		}
	}
}

// What a decoder accepts it has understood: it comes back the same.
func FuzzCoders(f *testing.F) {
	data, err := encodeSummary(someSummary(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	if data, err = encodeQuality(&quality{Rows: 7, Sizes: []int64{300, 0}}); err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	var e stream.Extent
	p, err := stream.NewSubspace(f.Context(), &someSummary(f).Stats, 2, nil)
	if err != nil {
		f.Fatal(err)
	}
	if err := e.Add(p, softkmeans.NewMatrix(3, 2, []float64{1, 2, 3, 5, 8, 13}), nil); err != nil {
		f.Fatal(err)
	}
	m, err := p.Model(&e)
	if err != nil {
		f.Fatal(err)
	}
	for _, encode := range []func() ([]byte, error){func() ([]byte, error) { return encodeSubspace(p) }, func() ([]byte, error) { return encodeExtent(&e) }, func() ([]byte, error) { return encodeModel(m) }} {
		if data, err = encode(); err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := decodeSubspace(data); err == nil {
			if again, err := encodeSubspace(p); err != nil || !bytes.Equal(again, data) {
				t.Fatalf("a subspace came back as %x, %v", again, err)
			}
		}
		if e, err := decodeExtent(data); err == nil {
			if again, err := encodeExtent(e); err != nil || !bytes.Equal(again, data) {
				t.Fatalf("an extent came back as %x, %v", again, err)
			}
		}
		if m, err := decodeModel(data); err == nil {
			if _, err := encodeModel(m); err != nil {
				t.Fatalf("a model of %s is not written: %v", data, err)
			}
		}
		if s, err := decodeSummary(data); err == nil {
			if data, err = encodeSummary(s); err != nil {
				t.Fatal(err)
			}
			if again, err := decodeSummary(data); err != nil || again.Source != s.Source || !reflect.DeepEqual(again.Names, s.Names) {
				t.Fatalf("%+v became %+v, %v", s, again, err)
			}
		}
		if q, err := decodeQuality(data); err == nil {
			if data, err = encodeQuality(q); err != nil {
				t.Fatal(err)
			}
			if again, err := decodeQuality(data); err != nil || again.Rows != q.Rows || len(again.Sizes) != len(q.Sizes) {
				t.Fatalf("%+v became %+v, %v", q, again, err)
			}
		}
	})
}

// Merging keeps the names of a header over counted ones, and passes over shards
// without rows.
func TestMergeSummaries(t *testing.T) {
	one := func(source string, header bool, names ...string) *summary {
		s := &summary{Shards: 1, Source: source, Header: header, Names: names}
		if source != "" {
			if err := s.Stats.Add(softkmeans.NewMatrix(1, len(names), nil)); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	s := &summary{}
	for _, next := range []*summary{one("", false), one("a", false, "c1", "c2"), one("b", true, "u", "v"), one("", false), one("c", false, "c1", "c2")} {
		if err := s.merge(next); err != nil {
			t.Fatal(err)
		}
	}
	if s.Shards != 5 || s.Source != "b" || !s.Header || s.Names[1] != "v" {
		t.Errorf("%+v", s)
	}
	for _, next := range []*summary{one("d", true, "u", "w"), one("e", false, "c1")} {
		if err := s.merge(next); err == nil {
			t.Errorf("%+v is no error", next)
		}
	}
}
