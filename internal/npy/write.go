package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// WriteHeader writes the header of a rows×cols array of type <f8. Its values
// follow, row after row, by WriteValues.
func WriteHeader(w io.Writer, rows, cols int) error {
	text := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", rows, cols)
	// The values begin at a multiple of 64 bytes, after a line feed.
	text += strings.Repeat(" ", 63-(len(Magic)+4+len(text))%64) + "\n"
	_, err := io.WriteString(w, Magic+"\x01\x00"+string([]byte{byte(len(text)), byte(len(text) >> 8)})+text)
	return err
}

// WriteValues writes values as <f8.
func WriteValues(w io.Writer, values []float64) error {
	b := make([]byte, 0, 8*min(len(values), chunkSize/8))
	for len(values) > 0 {
		b = b[:0]
		n := min(len(values), chunkSize/8)
		for _, v := range values[:n] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}
