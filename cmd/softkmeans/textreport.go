package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

const (
	lineWidth = 96            // of the table of centers; wider ones are broken
	mostName  = 2 * lineWidth // characters of a column's name, which may have a million
)

// fitReport is what fit prints. Every number about the quality of the result
// is from the certificate. That of a table in memory knows only the data, the
// centers and the memberships, and nothing of how they were found; that of a
// stream is what the passes found on their way.
func fitReport(t *result) []byte {
	m, c, k := t.model, t.cert, t.k
	var b bytes.Buffer
	t.writeHead(&b)

	where := "They enclose the data, so most lie outside of it"
	switch t.method {
	case methodMinVolume:
		where = "They are as compact as the error allows"
	case methodAlternating:
		where = "Nothing keeps them near the data"
	}
	units := ""
	if t.scale != nil {
		units = " In the table's units:"
	}
	fmt.Fprintf(&b, "\n\nCenters. %s; each row is a mixture of them,\n"+
		"but for the squared error below, and its memberships are the shares.%s\n\n", where, units)
	writeCenters(&b, t.Names, t.centers)

	b.WriteString("\nRows by their largest membership\n\n" + sizeLines(t.sizes))

	b.WriteByte('\n')
	writeQuality(&b, k, c, t.scale != nil, t.streamed)
	if t.method == methodGlobal {
		b.WriteString("\n" + globalVerdict(k, m, c) + "\n")
		if k > 1 {
			b.WriteString("For clusters and mixtures to look at take -method minvol: its centers are near the data.\n")
		}
	} else {
		b.WriteString("\n" + localVerdict(k, m, c) + "\n")
	}
	if limit := min(t.rows-1, len(t.Names)); k > limit && k > 1 {
		fmt.Fprintf(&b, "So many centers fit any %s of %s without error: that says nothing of these.\n", count(t.rows, "row"), count(len(t.Names), "column"))
	}
	if t.summarised {
		b.WriteString("The centers were found on a sample of the rows and corrected by passes over all;\nevery figure above is of all rows.\n")
	}
	for _, w := range m.Warnings {
		fmt.Fprintf(&b, "Warning: %v.\n", w)
	}
	// As the status out of range has it, which no other method has, nor scaled columns.
	if atEnd(t.centers) {
		fmt.Fprintf(&b, "Warning: centers at the largest number, %.6g, may have had to stop there: other units give them room.\n", math.MaxFloat64)
	}
	return b.Bytes()
}

// writeHead says what was read, and what is to be found, without a line's end.
func (r *result) writeHead(b *bytes.Buffer) {
	writeHead(b, &r.Head, r.rows, r.scaleKind())
	if r.proposal != nil {
		b.WriteString("\n" + strings.TrimSuffix(proposed(r.proposal), "\n"))
	}
}

// writeHead says what was read, without a line's end.
func writeHead(b *bytes.Buffer, h *table.Head, rows int, kind scale.Kind) {
	fmt.Fprintf(b, "%s: %s, %s", h.Source, count(rows, "row"), count(len(h.Names), "column"))
	if h.Header {
		b.WriteString(", and a header")
	} else {
		b.WriteString(", no header") // or line 1, of years say, was taken for a row
	}
	left := func(column int, name, what string) {
		if column == 0 {
			return
		}
		fmt.Fprintf(b, "; column %d", column)
		if h.Header {
			fmt.Fprintf(b, " (%s)", short(name, mostName))
		}
		b.WriteString(what)
	}
	left(h.LabelColumn, h.LabelName, " is left out")
	left(h.WeightsColumn, h.WeightsName, " has the weights")
	switch kind {
	case scale.ZScore:
		b.WriteString("\nEach column is scaled to mean 0 and variance 1.")
	case scale.MinMax:
		b.WriteString("\nEach column is scaled to go from 0 to 1.")
	}
}

func (r *result) scaleKind() scale.Kind { return kindOf(r.scale) }

// kindOf is that of a scaling, which is nil where there is none.
func kindOf(s *scale.Scaling) scale.Kind {
	if s == nil {
		return scale.None
	}
	return s.Kind
}

func sizeLines(sizes []int) string {
	var b strings.Builder
	for label, n := range sizes {
		fmt.Fprintf(&b, "  %-5s %8d\n", prototype(label), n)
	}
	return b.String()
}

// similarityReport is what fit prints of similarities.
func similarityReport(t *result) []byte {
	m := t.lsd
	var b bytes.Buffer
	t.writeHead(&b)
	switch t.kernel {
	case kernelRBF:
		fmt.Fprintf(&b, "\n\nSimilarities: exp(−γ·squared distance) of every two rows, γ = %s.\n", small(t.gamma))
	case kernelLinear:
		b.WriteString("\n\nSimilarities: the product of every two rows.\n")
	default:
		b.WriteString("\n\nSimilarities: the table.\n")
	}
	b.WriteString("Each is taken for the overlap of two rows' memberships, times a scale.\n")
	b.WriteString("\nRows by their largest membership\n\n" + sizeLines(t.sizes))

	b.WriteString("\nSquared error of the similarities\n\n")
	total, floor := "the sum of squares of the similarities", "no memberships in "+clusters(t.k)+" can leave over less"
	if t.method == methodTILSD {
		total = "the sum of squares, rows and columns centred"
	}
	share := "-"
	if m.Total > 0 && m.Total < math.MaxFloat64 {
		share = fmt.Sprintf("%.4f%%", 100*(1-m.Objective/m.Total))
	}
	writeLine(&b, "objective", number(m.Objective), "what the overlaps leave over")
	writeLine(&b, "floor", number(m.Floor), floor)
	writeLine(&b, "total", number(m.Total), total)
	writeLine(&b, "explained", share, "of the total")
	writeLine(&b, "gap", small(m.Gap), "(objective − floor) / total")
	switch {
	case t.similarityCertified():
		fmt.Fprintf(&b, "\nCertified: the objective equals its floor to within %.1g of the total.\n", max(math.Abs(m.Gap), 1e-16))
	case t.method == methodTILSD:
		fmt.Fprintf(&b, "\nNot certified: better memberships may exist, by up to %.1g of the total.\n(It ended with: %v.)\n", m.Gap, m.Status)
	default:
		fmt.Fprintf(&b, "\nBetter memberships could take off %.3g%% of the total at most. The floor knows only of the\n"+
			"number of clusters, and may be out of reach.\n(%s; it ended with: %v.)\n", 100*m.Gap, count(m.Iterations, "iteration"), m.Status)
	}
	return b.Bytes()
}

// similarityCertified reports whether the similarities' error is proved to be
// the least.
func (r *result) similarityCertified() bool {
	m := r.lsd
	within := math.Abs(m.Gap)
	if m.Total > 0 {
		within = max(within, m.FloorError/m.Total)
	}
	return within <= certifiedTol
}

func clusters(k int) string { return count(k, "cluster") }

// globalVerdict is the certificate in a sentence, and how a result ended that it does
// not prove.
func globalVerdict(k int, m *softkmeans.Model, c softkmeans.Certificate) string {
	text := verdict(k, c, certifiedTol)
	if c.Optimal(certifiedTol) {
		return text
	}
	text += fmt.Sprintf("\n(Solver: %v. It ended with: %v.)", m.Solver, m.Status)
	if m.Solver == softkmeans.SolverKrylov && m.Status == softkmeans.StatusIterationLimit {
		d := float64(m.Centers.Cols)
		text += fmt.Sprintf("\nIt may be the floor that is not tight, not the centers that are not best: -solver gram\nsettles that, with some %.2g GB of memory for %d columns.", 50e-9*d*d, m.Centers.Cols)
	}
	return text
}

// localVerdict says of an iteration's result how far from the proven minimum it
// is, and how it ended.
func localVerdict(k int, m *softkmeans.Model, c softkmeans.Certificate) string {
	return fmt.Sprintf("%s\n(%s; it ended with: %v.)", distance(k, c, certifiedTol), count(m.Iterations, "iteration"), m.Status)
}

// writeCenters writes a row for each center and a column for each column of
// the data, in as many blocks as the width of a line asks for.
func writeCenters(b *bytes.Buffer, names []string, m *softkmeans.Matrix) {
	label := len(prototype(m.Rows - 1))
	lines := make([]strings.Builder, m.Rows+1)
	width := 0
	flush := func() {
		for i := range lines {
			b.WriteString(strings.TrimRight(lines[i].String(), " ") + "\n")
			lines[i].Reset()
		}
	}
	for j, name := range names {
		cells := append([]string{short(name, mostName)}, decimals(m, j)...)
		w := 0
		for _, s := range cells {
			w = max(w, utf8.RuneCountInString(s))
		}
		if j > 0 && width+2+w > lineWidth {
			flush()
			b.WriteByte('\n')
			width = 0
		}
		if width == 0 {
			width = 2 + label
			fmt.Fprintf(&lines[0], "  %-*s", label, "")
			for i := range m.Rows {
				fmt.Fprintf(&lines[i+1], "  %-*s", label, prototype(i))
			}
		}
		for i, s := range cells {
			fmt.Fprintf(&lines[i], "  %*s", w, s)
		}
		width += 2 + w
	}
	flush()
}

// decimals formats column j with the number of decimals that shows six digits
// of its largest value.
func decimals(m *softkmeans.Matrix, j int) []string {
	top := 0.0
	for i := range m.Rows {
		top = max(top, math.Abs(m.At(i, j)))
	}
	format, precision := byte('f'), 5
	if top > 0 {
		exponent := int(math.Floor(math.Log10(top)))
		precision = 5 - exponent
		if exponent < -4 || exponent > 8 {
			format, precision = 'e', 5
		}
	}
	cells := make([]string, m.Rows)
	for i := range cells {
		cells[i] = strconv.FormatFloat(m.At(i, j), format, max(precision, 0), 64)
	}
	return cells
}

// atEnd reports whether a number is at the end of float64's range.
func atEnd(m *softkmeans.Matrix) bool {
	return slices.ContainsFunc(m.Data, func(v float64) bool { return math.Abs(v) == math.MaxFloat64 })
}
