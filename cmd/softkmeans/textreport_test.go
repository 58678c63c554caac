package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"softkmeans"
)

// A wide table is broken into blocks that have every column once.
func TestWriteCenters(t *testing.T) {
	m := softkmeans.NewMatrix(11, 40, nil)
	names := make([]string, 40)
	for j := range names {
		names[j] = fmt.Sprintf("name%d", j)
		for i := range 11 {
			m.Set(i, j, float64(i-5)*math.Pow(10, float64(j-20)))
		}
	}
	names[3] = strings.Repeat("w", 2*lineWidth)
	var b bytes.Buffer
	writeCenters(&b, names, m, centerName)
	var header []string
	for _, block := range strings.Split(b.String(), "\n\n") {
		lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
		if len(lines) != 12 {
			t.Fatalf("%d lines in\n%s", len(lines), block)
		}
		header = append(header, strings.Fields(lines[0])...)
		for i, line := range lines {
			if len([]rune(line)) > lineWidth && !strings.Contains(block, names[3]) {
				t.Errorf("line of %d characters: %s", len(line), line)
			}
			if i > 0 && !strings.HasPrefix(line, fmt.Sprintf("  p%d ", i-1)) {
				t.Errorf("line %d is %s", i, line)
			}
			if i > 0 && len(strings.Fields(line)) != 1+len(strings.Fields(lines[0])) {
				t.Errorf("cells are missing in %s", line)
			}
		}
	}
	if !slices.Equal(header, names) {
		t.Errorf("columns %q", header)
	}
	for top, want := range map[float64]string{0: "0.00000", 1: "1.00000", 12345.678: "12345.7",
		0.00123456789: "0.00123457", 1e9: "1.00000e+09", -1e-5: "-1.00000e-05", 123456789: "123456789"} {
		if got := decimals(softkmeans.NewMatrix(1, 1, []float64{top}), 0)[0]; got != want {
			t.Errorf("%v is shown as %s, want %s", top, got, want)
		}
	}
}

// If the floor may be too low, the verdict says how to find out.
func TestVerdictAdvice(t *testing.T) {
	m := &softkmeans.Model{Centers: softkmeans.NewMatrix(3, 3000, nil), Certificate: softkmeans.Certificate{Solver: softkmeans.SolverKrylov},
		Status: softkmeans.StatusIterationLimit}
	c := softkmeans.Certificate{Objective: 3, Floor: 1, Total: 10, Gap: 0.2, Solver: softkmeans.SolverKrylov}
	q := &quality{Certificate: c, k: 3, tol: certifiedTol}
	if s := globalVerdict(q, m); !strings.Contains(s, "Not certified") ||
		!strings.Contains(s, "-solver gram tells; it needs about\n0.45 GB of memory for 3000 columns.") {
		t.Error(s)
	}
	m.Solver = softkmeans.SolverGram
	if s := globalVerdict(q, m); strings.Contains(s, "-solver") {
		t.Error(s)
	}
}
