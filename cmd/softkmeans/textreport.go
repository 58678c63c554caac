package main

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"softkmeans"
	"softkmeans/internal/scale"
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
func fitReport(t *result) []byte {
	m, c, k := t.model, t.cert, t.k
	var b bytes.Buffer
	writeHead(&b, t)

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

	units = ""
	if t.scale != nil {
		units = ", of the scaled columns"
	}
	fmt.Fprintf(&b, "\nSquared error%s\n\n", units)
	writeErrors(&b, k, c)

	from := "computed from the data, the centers and the memberships alone"
	if t.streamed {
		from = "the floor from the first passes over the data, the rest from the last"
	}
	fmt.Fprintf(&b, "\nCertificate, %s\n\n", from)
	line := func(name, value, remark string) { writeLine(&b, name, value, remark) }
	line("gap", small(c.Gap), "(objective − floor) / total variance")
	line("smallest membership", small(c.MinMembership), "must not be below 0")
	line("largest |row sum − 1|", small(c.MaxSumError), "memberships of a row must add up to 1")
	if !t.streamed {
		line("span error", small(c.SpanError), "distance of the centers from the best subspace")
	}
	if t.method == methodGlobal {
		b.WriteString("\n" + verdict(k, m, c) + "\n")
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
	return b.Bytes()
}

// writeHead says what was read, without a line's end.
func writeHead(b *bytes.Buffer, t *result) {
	fmt.Fprintf(b, "%s: %s, %s", t.Source, count(t.rows, "row"), count(len(t.Names), "column"))
	if t.Header {
		b.WriteString(", and a header")
	}
	left := func(column int, name, what string) {
		if column == 0 {
			return
		}
		fmt.Fprintf(b, "; column %d", column)
		if t.Header {
			fmt.Fprintf(b, " (%s)", name)
		}
		b.WriteString(what)
	}
	left(t.LabelColumn, t.LabelName, " is left out")
	left(t.WeightsColumn, t.WeightsName, " has the weights")
	switch t.scaleKind() {
	case scale.ZScore:
		b.WriteString("\nEach column is scaled to mean 0 and variance 1.")
	case scale.MinMax:
		b.WriteString("\nEach column is scaled to go from 0 to 1.")
	}
	if t.proposal != nil {
		fmt.Fprintf(b, "\n%s are proposed: %s.", centers(t.k), t.proposal.Reason)
	}
}

func (r *result) scaleKind() scale.Kind {
	if r.scale == nil {
		return scale.None
	}
	return r.scale.Kind
}

func sizeLines(sizes []int) string {
	var b strings.Builder
	for label, n := range sizes {
		fmt.Fprintf(&b, "  %-5s %8d\n", prototype(label), n)
	}
	return b.String()
}

// writeLine is a name, a figure and what it means.
func writeLine(b *bytes.Buffer, name, value, remark string) {
	fmt.Fprintf(b, "  %-22s %-16s %s\n", name, value, remark)
}

// writeErrors is the errors of a certificate.
func writeErrors(b *bytes.Buffer, k int, c softkmeans.Certificate) {
	share := "-"
	if v := explained(c); v != nil {
		share = fmt.Sprintf("%.4f%%", 100**v)
	}
	remark := fmt.Sprintf("the proven least that any %s can leave over", centers(k))
	if hasTotal(c) && c.FloorError > 1e-12*c.Total {
		remark += fmt.Sprintf(", at most %.1g too low", c.FloorError)
	}
	writeLine(b, "objective", number(c.Objective), "what the mixtures leave over of the data")
	writeLine(b, "floor", number(c.Floor), remark)
	writeLine(b, "total variance", number(c.Total), "the sum of squares about the mean")
	writeLine(b, "explained", share, "of the total variance")
}

// similarityReport is what fit prints of similarities.
func similarityReport(t *result) []byte {
	m := t.lsd
	var b bytes.Buffer
	writeHead(&b, t)
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
