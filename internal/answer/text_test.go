package answer

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/choosek"
)

// A wide table is broken into blocks that have every column once.
func TestWideTable(t *testing.T) {
	table := &Table{Head: []string{""}}
	for j := range 40 {
		table.Head = append(table.Head, fmt.Sprintf("name%d", j))
	}
	table.Head[3] = strings.Repeat("w", 2*LineWidth)
	for i := range 11 {
		row := []string{fmt.Sprintf("p%d", i)}
		for j := range 40 {
			row = append(row, fmt.Sprint(float64(i-5)*math.Pow(10, float64(j-20))))
		}
		table.Rows = append(table.Rows, row)
	}
	var b strings.Builder
	table.write(&b)
	var head []string
	for _, block := range strings.Split(b.String(), "\n\n") {
		lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
		if len(lines) != 12 {
			t.Fatalf("%d lines in\n%s", len(lines), block)
		}
		head = append(head, strings.Fields(lines[0])...)
		for i, line := range lines {
			if len([]rune(line)) > LineWidth && !strings.Contains(block, table.Head[3]) {
				t.Errorf("line of %d characters: %s", len(line), line)
			}
			if i > 0 && (!strings.HasPrefix(line, fmt.Sprintf("  p%d ", i-1)) ||
				len(strings.Fields(line)) != 1+len(strings.Fields(lines[0]))) {
				t.Errorf("line %d is %s", i, line)
			}
		}
	}
	if !slices.Equal(head, table.Head[1:]) {
		t.Errorf("columns %q", head)
	}
	for top, want := range map[float64]string{0: "0.00000", 1: "1.00000", 12345.678: "12345.7",
		0.00123456789: "0.00123457", 1e9: "1.00000e+09", -1e-5: "-1.00000e-05", 123456789: "123456789"} {
		if got := decimals([][]float64{{top}}, 0, 6)[0]; got != want {
			t.Errorf("%v is shown as %s, want %s", top, got, want)
		}
	}
}

// The bands of a peak are one difference, named by its top; columns without an order have one each.
func TestPeaks(t *testing.T) {
	const n = 60
	mean, spread, values := make([]float64, n), make([]float64, n), make([]float64, n)
	var bands, names []string
	for j := range n {
		bands, names = append(bands, fmt.Sprint(400+2*j)), append(names, fmt.Sprintf("v%d", j*j%61))
		x := float64(j)
		mean[j], spread[j] = 1, 1
		values[j] = 1 + 4*math.Exp(-(x-20)*(x-20)/18) - 3*math.Exp(-(x-45)*(x-45)/8)
	}
	centers := softkmeans.NewMatrix(1, n, values)
	got := NewColumns(bands, mean, spread, nil, centers).Differences(values)
	if len(got) < 2 || got[0].Name != "440" || got[1].Name != "490" || got[0].Around < 5 || got[0].Value != 4 {
		t.Errorf("%+v", got)
	}
	if text := differs(got[:2], 32); text != "near 440: +4.0, near 490: −3.0" {
		t.Error(text)
	}
	if got = NewColumns(names[:12], mean, spread, nil, softkmeans.NewMatrix(1, 12, values[14:26])).Differences(
		values[14:26]); got[0].Around != 0 || got[0].Name != names[6] || len(got) != mostApart {
		t.Errorf("%+v", got)
	}
}

// A choice says k and the reason, or that there is none.
func TestChoice(t *testing.T) {
	for want, p := range map[string]choosek.Proposal{
		"Proposed: k = 2, since all are equal.":                          {K: 2, Certain: true, Reason: "all are equal"},
		"Best supported: k = 2, but not certain. Prototype 2 adds much.": {K: 2, Reason: "prototype 2 adds much"},
		"No k is proposed: so it is.":                                    {Reason: "so it is"},
	} {
		if got := NewChoice(nil, &p).Sentence(); got != want {
			t.Errorf("%q", got)
		}
	}
	c := NewChoice(&choosek.Choice{K: 2, Certain: true, Reason: "halves agree", Agreement: []float64{1, .9, -.1}}, nil)
	if !c.Certain || *c.K != 2 || c.Lines() != "Halves of the rows: 0.90 for k = 2, 0.00 for k = 3.\n" {
		t.Errorf("%+v", c)
	}
}
