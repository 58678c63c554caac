package main

// The coders of the values that machines exchange: the binary forms of the packages, JSON for the model, which
// travels once, and gob for the values of this program.

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
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

func encodeSummary(s *summary) ([]byte, error) { return encode(s) }
func encodeQuality(q *quality) ([]byte, error) { return encode(q) }

func decodeSummary(data []byte) (*summary, error) {
	s := &summary{}
	return s, decode(data, s)
}

func decodeQuality(data []byte) (*quality, error) {
	q := &quality{}
	return q, decode(data, q)
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decode(data []byte, v any) error {
	r := bytes.NewReader(data)
	if err := gob.NewDecoder(r).Decode(v); err != nil || r.Len() > 0 {
		return errors.New("a value is cut, or has another form")
	}
	return nil
}
