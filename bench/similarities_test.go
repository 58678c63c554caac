package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Generated similarities are symmetric and the same for the same seed, graphs have nothing on the diagonal, and all
// classes have rows. The table has a line for each kind and one for the means.
func TestSimilarities(t *testing.T) {
	for _, kind := range similarityKinds {
		for seed := range uint64(4) {
			s := kind.set(seed)
			n, _ := s.x.Dims()
			if !mat.Equal(s.x, s.x.T()) || !mat.Equal(s.x, kind.set(seed).x) || kind.graph != (mat.Trace(s.x) == 0) {
				t.Errorf("%s, seed %d", kind.name, seed)
			}
			count := make([]int, s.k)
			for _, c := range s.classes {
				count[c]++
			}
			for _, c := range count {
				if c < n/s.k/2 {
					t.Errorf("%s, seed %d: classes of %v rows", kind.name, seed, count)
				}
			}
		}
	}
	var out bytes.Buffer
	args := []string{"-similarities", "-python", "none", "-seeds", "0-0", "-only", "blocks with noise,random graphs"}
	if err := run(context.Background(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	table := out.String()[strings.Index(out.String(), "| kind"):]
	if lines := strings.Split(strings.TrimSpace(table), "\n"); len(lines) != 5 || !strings.HasPrefix(lines[4], "| mean") ||
		strings.Contains(table, "Spectral") {
		t.Error(table)
	}
}
