package main

// The coders of the values that machines exchange: the binary forms of the packages, and JSON for the model,
// which travels once.

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"softkmeans"
	"softkmeans/stream"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[*summary](), encodeSummary, decodeSummary)
	beam.RegisterCoder(reflect.TypeFor[*quality](), encodeQuality, decodeQuality)
	beam.RegisterCoder(reflect.TypeFor[*stream.Subspace](), encodeSubspace, decodeSubspace)
	beam.RegisterCoder(reflect.TypeFor[*stream.Extent](), encodeExtent, decodeExtent)
	beam.RegisterCoder(reflect.TypeFor[*softkmeans.Model](), encodeModel, decodeModel)
}

// Beam finds these by name on another machine, so they cannot be instances of one generic
// function, which have the same name.

func encodeSubspace(p *stream.Subspace) ([]byte, error) { return p.MarshalBinary() }
func encodeExtent(e *stream.Extent) ([]byte, error)     { return e.MarshalBinary() }
func encodeModel(m *softkmeans.Model) ([]byte, error)   { return json.Marshal(m) }

func decodeSubspace(data []byte) (*stream.Subspace, error) {
	p := &stream.Subspace{}
	return p, p.UnmarshalBinary(data)
}

func decodeExtent(data []byte) (*stream.Extent, error) {
	e := &stream.Extent{}
	return e, e.UnmarshalBinary(data)
}

func decodeModel(data []byte) (*softkmeans.Model, error) {
	m := &softkmeans.Model{}
	return m, json.Unmarshal(data, m)
}

// encodeSummary writes the number of shards, the source, 1 for a header, the names, each
// after its length, and the statistics.
func encodeSummary(s *summary) ([]byte, error) {
	stats, err := s.Stats.MarshalBinary()
	if err != nil {
		return nil, err
	}
	b := binary.AppendUvarint(nil, uint64(s.Shards))
	b = appendString(b, s.Source)
	header := byte(0)
	if s.Header {
		header = 1
	}
	b = append(b, header)
	b = binary.AppendUvarint(b, uint64(len(s.Names)))
	for _, name := range s.Names {
		b = appendString(b, name)
	}
	return append(b, stats...), nil
}

func decodeSummary(data []byte) (*summary, error) {
	d := decoder{data: data}
	s := &summary{Shards: int64(d.count())}
	s.Source = d.text()
	if header := d.take(1); header != nil {
		s.Header = header[0] == 1
	}
	for range d.length() {
		s.Names = append(s.Names, d.text())
	}
	if d.err != nil {
		return nil, d.err
	}
	return s, s.Stats.UnmarshalBinary(d.data)
}

// encodeQuality writes the numbers in their order.
func encodeQuality(q *quality) []byte {
	b := binary.AppendUvarint(nil, uint64(q.Rows))
	for _, v := range []float64{q.Objective, q.MinMembership, q.MaxSumError} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	b = binary.AppendUvarint(b, uint64(len(q.Sizes)))
	for _, n := range q.Sizes {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

func decodeQuality(data []byte) (*quality, error) {
	d := decoder{data: data}
	q := &quality{Rows: int64(d.count())}
	for _, v := range []*float64{&q.Objective, &q.MinMembership, &q.MaxSumError} {
		if b := d.take(8); b != nil {
			*v = math.Float64frombits(binary.LittleEndian.Uint64(b))
		}
	}
	for range d.length() {
		q.Sizes = append(q.Sizes, int64(d.count()))
	}
	if d.err == nil && len(d.data) > 0 {
		d.err = errCut
	}
	return q, d.err
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

var errCut = errors.New("a value is cut, or has another form")

// decoder reads values from the front of data, up to the first error.
type decoder struct {
	data []byte
	err  error
}

func (d *decoder) take(n uint64) []byte {
	if d.err != nil || n > uint64(len(d.data)) {
		d.err = errCut
		return nil
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

func (d *decoder) count() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.err = errCut
		return 0
	}
	d.take(uint64(n))
	return v
}

// length reads the number of items that take at least a byte each.
func (d *decoder) length() uint64 {
	n := d.count()
	if n > uint64(len(d.data)) {
		d.err = errCut
		return 0
	}
	return n
}

func (d *decoder) text() string { return string(d.take(d.count())) }
