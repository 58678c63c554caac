package main

// NumPy's .npy files, as far as tables have them: two dimensions, numbers.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

var (
	npyType  = regexp.MustCompile(`'descr': '([<>|]?)([fiu])([1248])'`)
	npyOrder = regexp.MustCompile(`'fortran_order': (True|False)`)
	npyShape = regexp.MustCompile(`'shape': \((\d+), (\d+)\)`)
)

// readNPY reads a table of real numbers.
func readNPY(path string) (*mat.Dense, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := parseNPY(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// parseNPY reads a table from the bytes of a file.
func parseNPY(raw []byte) (*mat.Dense, error) {
	head, data, err := splitNPY(raw)
	if err != nil {
		return nil, err
	}
	kind, order, shape := npyType.FindStringSubmatch(head), npyOrder.FindStringSubmatch(head), npyShape.FindStringSubmatch(head)
	if kind == nil || order == nil || shape == nil {
		return nil, fmt.Errorf("not a table of numbers: %s", head)
	}
	rows, err1 := strconv.Atoi(shape[1])
	cols, err2 := strconv.Atoi(shape[2])
	size := int(kind[3][0] - '0')
	switch {
	case err1 != nil || err2 != nil || rows < 1 || cols < 1:
		return nil, fmt.Errorf("the shape is (%s, %s)", shape[1], shape[2])
	case len(data)%size != 0 || len(data)/size%rows != 0 || len(data)/size/rows != cols:
		return nil, fmt.Errorf("%d bytes for %d×%d numbers of %d bytes", len(data), rows, cols, size)
	}
	number, err := npyNumber(kind[1], kind[2], size)
	if err != nil {
		return nil, err
	}
	return table(rows, cols, func(i, j int) float64 {
		at := i*cols + j
		if order[1] == "True" {
			at = j*rows + i
		}
		return number(data[at*size : (at+1)*size])
	}), nil
}

// splitNPY returns the header and the numbers.
func splitNPY(raw []byte) (head string, data []byte, err error) {
	if len(raw) < 12 || !bytes.HasPrefix(raw, []byte("\x93NUMPY")) {
		return "", nil, fmt.Errorf("not an .npy file")
	}
	start, length := 10, uint64(binary.LittleEndian.Uint16(raw[8:]))
	if raw[6] > 1 {
		start, length = 12, uint64(binary.LittleEndian.Uint32(raw[8:]))
	}
	if length > uint64(len(raw)-start) {
		return "", nil, fmt.Errorf("the header is cut off")
	}
	end := start + int(length)
	return string(raw[start:end]), raw[end:], nil
}

// npyNumber returns what reads one number.
func npyNumber(end, kind string, size int) (func(b []byte) float64, error) {
	var order binary.ByteOrder = binary.LittleEndian
	if end == ">" {
		order = binary.BigEndian
	}
	switch kind + strconv.Itoa(size) {
	case "f4":
		return func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }, nil
	case "f8":
		return func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }, nil
	case "u1":
		return func(b []byte) float64 { return float64(b[0]) }, nil
	case "u2":
		return func(b []byte) float64 { return float64(order.Uint16(b)) }, nil
	case "i2":
		return func(b []byte) float64 { return float64(int16(order.Uint16(b))) }, nil
	}
	return nil, fmt.Errorf("numbers of type %s%d; there are f4, f8, u1, u2 and i2", kind, size)
}
