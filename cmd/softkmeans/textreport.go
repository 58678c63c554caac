package main

// This file holds the text reports of fit.

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"softkmeans"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
)

const (
	lineWidth = 96            // characters of a line of the table of centers
	mostName  = 2 * lineWidth // characters shown of a column's name
)

// fitReport returns the report of a fit of rows. All numbers about its quality come
// from the certificate.
func fitReport(r *result) []byte {
	var b bytes.Buffer
	r.writeHead(&b)

	where := "They enclose the data and usually lie outside it"
	switch {
	case r.model.Status == softkmeans.StatusNoHalfSpace:
		where = "They enclose the data in part only: see below"
	case r.method == methodMinVolume:
		where = "They are pulled towards the data, at the cost of a larger error"
	case r.method == methodAlternating:
		where = "Nothing keeps them near the data"
	}
	units := ""
	if r.scale != nil {
		units = ", in the table's units"
	}
	fmt.Fprintf(&b, "\n\nCenters%s. %s.\n"+
		"Each row is a mixture of them, up to the squared error below; its memberships are the shares.\n\n", units, where)
	writeCenters(&b, r.Names, r.centers)
	b.WriteString("\nRows by label\n\n" + sizeLines(r.sizes) + "\n")

	q := &quality{Certificate: r.cert, k: r.k, sum: r.model.Sum, tol: certifiedTol, scaled: r.scale != nil, streamed: r.streamed, missing: r.model.Missing}
	q.write(&b)
	if r.method == methodGlobal {
		b.WriteString("\n" + globalVerdict(q, r.model) + "\n")
		if r.k > 1 {
			b.WriteString("For centers close to the data use -method minvol.\n")
		}
	} else {
		b.WriteString("\n" + localVerdict(q, r.model) + "\n")
	}
	if limit := min(r.rows-1, len(r.Names)); r.model.Sum == softkmeans.SumToOne && r.k > limit && r.k > 1 {
		fmt.Fprintf(&b, "%s fit any %s of %s without error, so a small error says nothing here.\n",
			centers(r.k), count(r.rows, "row"), count(len(r.Names), "column"))
	}
	if r.summarised {
		b.WriteString("The centers were fitted to a sample of the rows and corrected by passes over all rows.\n" +
			"All numbers above are of all rows. Other answers were not looked for.\n")
	}
	for _, w := range r.model.Warnings {
		fmt.Fprintf(&b, "Warning: %v.\n", w)
	}
	for _, other := range r.others {
		slack := "half the slack"
		if other.Factor > 1 {
			slack = "twice the slack"
		}
		fmt.Fprintf(&b, "\nCenters of a fit of half of the rows with %s%s: %.3g %% of all rows get another label.\n", slack, units, 100*other.Moved)
		if len(r.Names) > mostTold {
			b.WriteString("(They are in the report of -json.)\n")
			continue
		}
		b.WriteByte('\n')
		writeCenters(&b, r.Names, other.Centers)
	}
	if r.sure != nil {
		r.sure.write(&b, r)
	}
	return b.Bytes()
}

// mostTold is for how many columns the centers of other answers are written.
const mostTold = 20

// globalVerdict is the verdict on a global fit. If it is not certified, the solver
// and its status follow.
func globalVerdict(q *quality, m *softkmeans.Model) string {
	text := q.verdict()
	if q.Optimal(q.tol) {
		return text
	}
	text += fmt.Sprintf("\n(Solver: %v. Status: %v.)", m.Solver, m.Status)
	if m.Status == softkmeans.StatusNoHalfSpace {
		text += "\nSome rows point away from the others, so that no cone of these centers has all of them. The\n" +
			"floor may be out of reach; -method alternating -sum at-most-one may come nearer."
	}
	if m.Solver == softkmeans.SolverKrylov && m.Status == softkmeans.StatusIterationLimit {
		d := float64(m.Centers.Cols)
		text += fmt.Sprintf("\nThe centers may be optimal and the floor too low. -solver gram tells; it needs about\n"+
			"%.2g GB of memory for %d columns.", 50e-9*d*d, m.Centers.Cols)
	}
	return text
}

// localVerdict says how far the result of a local search is from the floor, and
// its status.
func localVerdict(q *quality, m *softkmeans.Model) string {
	text := q.distance()
	switch ratio := m.VolumeRatio; {
	case ratio == 0 || q.k == 1: // not known
	case ratio <= 1+1e-6:
		text += "\nNo simplex of centers with this error is smaller by more than a millionth; that is proved."
	case ratio == math.MaxFloat64:
		text += "\nHow small a simplex of centers with this error can be is not known."
	default:
		text += fmt.Sprintf("\nThe volume of the simplex of centers is at most %.3g times the least with this error.", ratio)
	}
	return fmt.Sprintf("%s\n(%s; status: %v.)", text, count(m.Iterations, "iteration"), m.Status)
}

// writeHead writes what was read and the proposal, without a final newline.
func (r *result) writeHead(b *bytes.Buffer) {
	writeHead(b, &r.Head, r.rows, r.scaleKind())
	switch {
	case r.choice != nil:
		b.WriteString("\n" + strings.TrimSuffix(chosen(r.choice)+opinions(r.choice), "\n"))
	case r.proposal != nil:
		b.WriteString("\n" + strings.TrimSuffix(proposed(r.proposal), "\n"))
	}
}

// writeHead writes what was read, without a final newline.
func writeHead(b *bytes.Buffer, h *table.Head, rows int, kind scale.Kind) {
	fmt.Fprintf(b, "%s: %s, %s", h.Source, count(rows, "row"), count(len(h.Names), "column"))
	if h.Header {
		b.WriteString(", and a header")
	} else {
		b.WriteString(", no header")
	}
	column := func(number int, name, what string) {
		if number == 0 {
			return
		}
		fmt.Fprintf(b, "; column %d", number)
		if h.Header {
			fmt.Fprintf(b, " (%s)", short(name, mostName))
		}
		b.WriteString(what)
	}
	column(h.LabelColumn, h.LabelName, " is left out")
	column(h.WeightsColumn, h.WeightsName, " has the weights")
	writeNotes(b, h.Notes)
	switch kind {
	case scale.ZScore:
		b.WriteString("\nEach column is scaled to mean 0 and variance 1.")
	case scale.MinMax:
		b.WriteString("\nEach column is scaled to the range from 0 to 1.")
	}
}

func (r *result) scaleKind() scale.Kind { return kindOf(r.scale) }

// kindOf returns the kind of a scaling; a nil one is scale.None.
func kindOf(s *scale.Scaling) scale.Kind {
	if s == nil {
		return scale.None
	}
	return s.Kind
}

// sizeLines returns a line with the number of rows of each center.
func sizeLines(sizes []int) string {
	var b strings.Builder
	for label, n := range sizes {
		fmt.Fprintf(&b, "  %-5s %8d\n", centerName(label), n)
	}
	return b.String()
}

// similarityReport returns the report of a fit of similarities.
func similarityReport(r *result) []byte {
	m := r.lsd
	var b bytes.Buffer
	r.writeHead(&b)
	b.WriteString("\n\nSimilarities: ")
	switch r.kernel {
	case kernelRBF:
		fmt.Fprintf(&b, "exp(−γ·squared distance) of every two rows, γ = %s.\n", small(r.gamma))
	case kernelLinear:
		b.WriteString("the inner product of every two rows.\n")
	default:
		b.WriteString("the table.\n")
	}
	b.WriteString("Each is approximated by a scale times the inner product of the two rows' memberships.\n")
	b.WriteString("\nRows by label\n\n" + sizeLines(r.sizes))

	total := "sum of squares of the similarities"
	if r.method == methodTILSD {
		total = "sum of squares after centring rows and columns"
	}
	share := "-"
	if m.Total > 0 {
		share = percent(1 - m.Objective/m.Total)
	}
	b.WriteString("\nSquared error of the similarities\n\n")
	writeLine(&b, "objective", number(m.Objective), "squared error of the approximation")
	writeLine(&b, "floor", number(m.Floor), "no memberships in "+clusters(r.k)+" can have a smaller squared error")
	writeLine(&b, "total", number(m.Total), total)
	writeLine(&b, "explained", share, "of the total")
	writeLine(&b, "gap", small(m.Gap), "(objective − floor) / total")
	switch {
	case r.similarityAtFloor():
		fmt.Fprintf(&b, "\nAt the floor: the objective, as computed, is at most %s of the total above the minimum.\n",
			atMost(max(r.similarityWithin(), 1e-16)))
	case r.method == methodTILSD:
		fmt.Fprintf(&b, "\nNot at the floor: better memberships may exist, by up to %s of the total.\n(Status: %v.)\n",
			atMost(r.similarityWithin()), m.Status)
	default:
		fmt.Fprintf(&b, "\nBetter memberships could lower the error by at most %s of the total. The floor depends\n"+
			"only on the similarities and the number of clusters; it may be out of reach.\n(%s; status: %v.)\n",
			atMost(r.similarityWithin()), count(m.Iterations, "iteration"), m.Status)
	}
	return b.Bytes()
}

// similarityWithin is how far the objective may be above the minimum, as a share of
// the total. The rounding of the objective itself is not counted.
func (r *result) similarityWithin() float64 {
	m := r.lsd
	v := max(0, m.Gap)
	if m.Total > 0 {
		v += m.FloorError / m.Total
	}
	return v
}

// similarityAtFloor reports whether the memberships reach the floor, to rounding.
func (r *result) similarityAtFloor() bool { return r.similarityWithin() <= certifiedTol }

func clusters(k int) string { return count(k, "cluster") }

// writeCenters writes a row for each center and a column for each column of the
// data, in blocks of at most lineWidth characters.
func writeCenters(b *bytes.Buffer, names []string, m *softkmeans.Matrix) {
	label := len(centerName(m.Rows - 1))
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
				fmt.Fprintf(&lines[i+1], "  %-*s", label, centerName(i))
			}
		}
		for i, s := range cells {
			fmt.Fprintf(&lines[i], "  %*s", w, s)
		}
		width += 2 + w
	}
	flush()
}

// decimals formats column j with as many decimals as six digits of its largest value
// need.
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
