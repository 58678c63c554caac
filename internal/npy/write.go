package npy

import (
	"encoding/binary"
	"io"
	"slices"
	"strconv"
	"strings"
)

// WriteHeader writes the header of an array of type <f8 with two dimensions or more.
// Its values follow by WriteValues, the last index running fastest.
func WriteHeader(w io.Writer, shape ...int) error {
	_, err := io.WriteString(w, HeaderText(shape...))
	return err
}

// HeaderText returns what WriteHeader writes.
func HeaderText(shape ...int) string {
	sizes := make([]string, len(shape))
	for i, n := range shape {
		sizes[i] = strconv.Itoa(n)
	}
	text := "{'descr': '<f8', 'fortran_order': False, 'shape': (" + strings.Join(sizes, ", ") + "), }"
	// The values begin at a multiple of 64 bytes, after a line feed.
	text += strings.Repeat(" ", 63-(len(Magic)+4+len(text))%64) + "\n"
	return Magic + "\x01\x00" + string([]byte{byte(len(text)), byte(len(text) >> 8)}) + text
}

// WriteValues writes values as <f8.
func WriteValues(w io.Writer, values []float64) error {
	for chunk := range slices.Chunk(values, chunkSize/8) {
		if err := binary.Write(w, binary.LittleEndian, chunk); err != nil {
			return err
		}
	}
	return nil
}
