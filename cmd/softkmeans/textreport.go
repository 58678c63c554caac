package main

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"softkmeans"
)

const (
	// certifiedTol is what the report calls optimal: some thousand roundings
	// of a float64, and far below what any data is measured to.
	certifiedTol = 1e-9
	lineWidth    = 96 // of the table of centers; wider ones are broken
)

// fitReport is what fit prints. Every number about the quality of the result
// is from the certificate. That of a table in memory knows only the data, the
// centers and the memberships, and nothing of how they were found; that of a
// stream is what the passes found on their way.
func fitReport(t *result, by method) []byte {
	m, c, k := t.model, t.cert, t.model.Centers.Rows
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s, %s", t.Source, count(t.rows, "row"), count(len(t.Names), "column"))
	if t.Header {
		b.WriteString(", and a header")
	}
	if t.LabelColumn > 0 {
		fmt.Fprintf(&b, "; column %d", t.LabelColumn)
		if t.Header {
			fmt.Fprintf(&b, " (%s)", t.LabelName)
		}
		b.WriteString(" is left out")
	}

	where := "They enclose the data, so most lie outside of it"
	switch by {
	case methodMinVolume:
		where = "They are as compact as the error allows"
	case methodAlternating:
		where = "Nothing keeps them near the data"
	}
	fmt.Fprintf(&b, "\n\nCenters. %s; each row is a mixture of them,\n"+
		"but for the squared error below, and its memberships are the shares.\n\n", where)
	writeCenters(&b, t.Names, m.Centers)

	b.WriteString("\nRows by their largest membership\n\n")
	for label, n := range t.sizes {
		fmt.Fprintf(&b, "  label %-4d %8d\n", label, n)
	}

	explained := "-"
	if hasTotal(c) {
		explained = fmt.Sprintf("%.4f%%", 100*(1-c.Objective/c.Total))
	}
	b.WriteString("\nSquared error\n\n")
	line := func(name, value, remark string) { fmt.Fprintf(&b, "  %-22s %-16s %s\n", name, value, remark) }
	line("objective", number(c.Objective), "what the mixtures leave over of the data")
	remark := fmt.Sprintf("the proven least that any %s can leave over", centers(k))
	if hasTotal(c) && c.FloorError > 1e-12*c.Total {
		remark += fmt.Sprintf(", at most %.1g too low", c.FloorError)
	}
	line("floor", number(c.Floor), remark)
	line("total variance", number(c.Total), "the sum of squares about the mean")
	line("explained", explained, "of the total variance")

	from := "computed from the data, the centers and the memberships alone"
	if t.streamed {
		from = "the floor from the first passes over the data, the rest from the last"
	}
	fmt.Fprintf(&b, "\nCertificate, %s\n\n", from)
	line("gap", small(c.Gap), "(objective − floor) / total variance")
	line("smallest membership", small(c.MinMembership), "must not be below 0")
	line("largest |row sum − 1|", small(c.MaxSumError), "memberships of a row must add up to 1")
	if !t.streamed {
		line("span error", small(c.SpanError), "distance of the centers from the best subspace")
	}
	if by == methodGlobal {
		b.WriteString("\n" + verdict(k, m, c) + "\n")
	} else {
		b.WriteString("\n" + localVerdict(k, m, c) + "\n")
	}
	if t.summarised {
		b.WriteString("The centers were found on a sample of the rows and corrected by passes over all;\nevery figure above is of all rows.\n")
	}
	for _, w := range m.Warnings {
		fmt.Fprintf(&b, "Warning: %v.\n", w)
	}
	return b.Bytes()
}

// localVerdict says of an iteration's result how far from the proven minimum it
// is, and how it ended.
func localVerdict(k int, m *softkmeans.Model, c softkmeans.Certificate) string {
	far := "The squared error is at its proven minimum"
	switch {
	case c.Floor > 0 && c.Floor > 1e-12*c.Total && !c.Optimal(certifiedTol):
		far = fmt.Sprintf("The squared error is %.3g%% above the least that any %s can leave over", 100*(c.Objective/c.Floor-1), centers(k))
	case hasTotal(c) && !c.Optimal(certifiedTol):
		far = fmt.Sprintf("The squared error is %.4g%% of the total variance; %s could leave over nothing", 100*c.Objective/c.Total, centers(k))
	}
	return fmt.Sprintf("%s.\n(%s; it ended with: %v.)", far, count(m.Iterations, "iteration"), m.Status)
}

// verdict is the certificate in a sentence.
func verdict(k int, m *softkmeans.Model, c softkmeans.Certificate) string {
	// The minimum lies between floor and objective. The floor's own rounding
	// keeps the sentence from claiming more digits than there are.
	within := math.Abs(c.Gap)
	if hasTotal(c) {
		within = max(within, c.FloorError/c.Total)
	}
	if c.Optimal(certifiedTol) {
		return fmt.Sprintf("Certified: the objective equals the proven minimum to within %.1g of the total variance;\n"+
			"no choice of %s and memberships can do better.", within, centers(k))
	}
	var reasons []string
	// "not at most" where a NaN, too, is a reason.
	if !(within <= certifiedTol) {
		reasons = append(reasons, fmt.Sprintf("better centers may exist, by up to %.1g of the total variance", within))
	}
	if !(c.MinMembership >= -certifiedTol) {
		reasons = append(reasons, fmt.Sprintf("a membership is negative (%.1g)", c.MinMembership))
	}
	if !(c.MaxSumError <= certifiedTol) {
		reasons = append(reasons, fmt.Sprintf("the memberships of a row miss the sum of 1 by %.1g", c.MaxSumError))
	}
	if len(reasons) == 0 {
		reasons = append(reasons, "the numbers above do not meet the tolerance")
	}
	advice := ""
	if m.Solver == softkmeans.SolverKrylov && m.Status == softkmeans.StatusIterationLimit {
		d := float64(m.Centers.Cols)
		advice = fmt.Sprintf("\nIt may be the floor that is not tight, not the centers that are not best: -solver gram\nsettles that, with some %.2g GB of memory for %d columns.", 50e-9*d*d, m.Centers.Cols)
	}
	return fmt.Sprintf("Not certified: %s.\n(Solver: %v. It ended with: %v.)%s",
		strings.Join(reasons, ", and "), m.Solver, m.Status, advice)
}

func centers(k int) string { return fmt.Sprintf("%d %s", k, plural(k, "center", "centers")) }

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// hasTotal reports whether there is a total variance to take shares of: it is 0
// where all rows are equal, and MaxFloat64 where it is out of range.
func hasTotal(c softkmeans.Certificate) bool { return c.Total > 0 && c.Total < math.MaxFloat64 }

// number has ten digits, more than most data deserves, so that objective and
// floor can be compared.
func number(v float64) string {
	if v == math.MaxFloat64 {
		return "above 1.79e308"
	}
	return strconv.FormatFloat(v, 'g', 10, 64)
}

func small(v float64) string {
	if v == math.MaxFloat64 {
		return number(v)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// writeCenters writes a row for each center and a column for each column of
// the data, in as many blocks as the width of a line asks for.
func writeCenters(b *bytes.Buffer, names []string, m *softkmeans.Matrix) {
	label := len("label ") + len(strconv.Itoa(m.Rows-1))
	lines := make([]strings.Builder, m.Rows+1)
	width := 0
	flush := func() {
		for i := range lines {
			b.WriteString(strings.TrimRight(lines[i].String(), " ") + "\n")
			lines[i].Reset()
		}
	}
	for j, name := range names {
		cells := append([]string{name}, decimals(m, j)...)
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
				fmt.Fprintf(&lines[i+1], "  %-*s", label, fmt.Sprintf("label %d", i))
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
