package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"softkmeans/internal/scenes"
)

// npyFile is a file of version 1 with a header and numbers in one byte order.
func npyFile(descr, order, shape string, byteOrder binary.AppendByteOrder, numbers ...any) []byte {
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	out = append(out, head...)
	for _, n := range numbers {
		switch n := n.(type) {
		case float64:
			out = byteOrder.AppendUint64(out, math.Float64bits(n))
		case float32:
			out = byteOrder.AppendUint32(out, math.Float32bits(n))
		case int16:
			out = byteOrder.AppendUint16(out, uint16(n))
		case uint8:
			out = append(out, n)
		}
	}
	return out
}

// writeNPY writes a table for a test.
func writeNPY(t *testing.T, path string, m *mat.Dense) {
	t.Helper()
	n, d := m.Dims()
	var numbers []any
	for i := range n {
		for _, v := range m.RawRowView(i) {
			numbers = append(numbers, v)
		}
	}
	raw := npyFile("<f8", "False", fmt.Sprintf("(%d, %d)", n, d), binary.LittleEndian, numbers...)
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestParseNPY(t *testing.T) {
	want := mat.NewDense(2, 3, []float64{1, -2, 3, 4, 5, 6})
	little, big := binary.LittleEndian, binary.BigEndian
	for name, raw := range map[string][]byte{
		"f8":      npyFile("<f8", "False", "(2, 3)", little, 1.0, -2.0, 3.0, 4.0, 5.0, 6.0),
		"columns": npyFile("<f8", "True", "(2, 3)", little, 1.0, 4.0, -2.0, 5.0, 3.0, 6.0),
		"f4":      npyFile(">f4", "False", "(2, 3)", big, float32(1), float32(-2), float32(3), float32(4), float32(5), float32(6)),
		"i2":      npyFile("<i2", "False", "(2, 3)", little, int16(1), int16(-2), int16(3), int16(4), int16(5), int16(6)),
	} {
		if got, err := parseNPY(raw); err != nil || !mat.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	bytes := npyFile("|u1", "False", "(1, 2)", little, uint8(7), uint8(255))
	if got, err := parseNPY(bytes); err != nil || !mat.Equal(got, mat.NewDense(1, 2, []float64{7, 255})) {
		t.Errorf("u1: %v, %v", got, err)
	}
	good := npyFile("<f8", "False", "(1, 2)", little, 1.0, 2.0)
	for name, raw := range map[string][]byte{
		"empty":         nil,
		"another file":  []byte("PK, and more than twelve bytes"),
		"no header":     good[:20],
		"a byte less":   good[:len(good)-1],
		"a number less": good[:len(good)-8],
		"three sides":   npyFile("<f8", "False", "(1, 1, 2)", little, 1.0, 2.0),
		"no rows":       npyFile("<f8", "False", "(0, 2)", little),
		"complex":       npyFile("<c8", "False", "(1, 2)", little, 1.0, 2.0),
		"f2":            npyFile("<f2", "False", "(1, 2)", little, int16(1), int16(2)),
	} {
		if got, err := parseNPY(raw); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestReadScenes(t *testing.T) {
	dir := t.TempDir()
	if _, err := readScenes(dir); err == nil {
		t.Error("a folder without scenes passes")
	}
	s := generated("", scenes.Recipe{Seed: 3, Lines: 8, Columns: 6, Bands: 7, Materials: 2, SNR: 30})
	write := func(name string, m *mat.Dense) { writeNPY(t, filepath.Join(dir, name+".npy"), m) }
	write("a_20db", s.x)
	write("a_endmembers", s.spectra)
	if _, err := readScenes(dir); err == nil {
		t.Error("a scene without abundances passes")
	}
	write("a_abundances", s.abundances)
	list, err := readScenes(dir)
	if err != nil || len(list) != 1 || list[0].name != "a_20db" || !mat.Equal(list[0].x, s.x) ||
		!mat.Equal(list[0].abundances, s.abundances) {
		t.Errorf("%v, %v", list, err)
	}
	write("a_20db_endmembers", mat.NewDense(2, 6, nil))
	if _, err := readScenes(dir); err == nil {
		t.Error("spectra of 6 bands for a scene of 7 pass")
	}
}
