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
	"softkmeans/internal/view"
)

const (
	lineWidth = 96 // characters of a line of the table of centers
	mostName  = table.MostName
)

// All numbers about the quality of a fit of rows come from the certificate.
func (r *result) text() []byte {
	if r.lsd != nil {
		return similarityReport(r)
	}
	var b bytes.Buffer
	r.writeHead(&b)
	fmt.Fprintf(&b, "\n\nPrototypes%s. Each row is about a mixture of them; its memberships are the "+
		"shares.\n%s\n\n", r.units(), r.where())
	r.writePrototypes(&b, r.centers)
	r.writeMeaning(&b)

	q := &quality{Certificate: r.cert, k: r.k, sum: r.model.Sum, tol: certifiedTol, scaled: r.scale != nil,
		streamed: r.streamed, missing: r.missing, bounded: r.bounds != nil}
	b.WriteByte('\n')
	if r.method == methodGlobal {
		q.write(&b)
		b.WriteString("\n" + globalVerdict(q, r.model) + "\n" + compactness(q, r))
		if r.k > 1 {
			b.WriteString("For prototypes near the data use -method minvol, the default.\n")
		}
	} else {
		q.writeErrors(&b)
		b.WriteString("\n" + localVerdict(q, r) + "\n")
	}
	limit := min(r.rows-1, len(r.Names))
	if r.model.Sum == softkmeans.SumAtMostOne {
		limit = min(r.rows, len(r.Names)) - 1
	}
	slack := view.Slack(r.model, &view.Fit{Certificate: r.cert, Trivial: r.k > limit}, r.slack)
	if slack != "" && r.known != nil {
		slack += fmt.Sprintf(" %d/%d of it is permitted above the least error found beside the known prototypes.",
			r.k-len(r.known), r.k)
	}
	for _, s := range []string{slack, r.faint} {
		if s != "" {
			b.WriteString(wrapped(s))
		}
	}
	if r.model.Sum == softkmeans.SumToOne && r.k > limit && r.k > 1 {
		fmt.Fprintf(&b, "%s fit any %s of %s without error, so a small error says nothing here.\n",
			prototypes(r.k), count(r.rows, "row"), count(len(r.Names), "column"))
	}
	if r.summarised {
		b.WriteString("The prototypes were fitted to a sample of the rows and corrected by passes over " +
			"all rows.\n" +
			"All numbers above are of all rows. Other answers were not looked for.\n")
	}
	writeWarnings(&b, r.model)
	r.writeOthers(&b)
	if r.sure != nil {
		r.sure.write(&b, r)
	}
	return b.Bytes()
}

// units says in which units prototypes are, where these are not those of the fit.
func (r *result) units() string {
	switch {
	case r.counts():
		return ", as shares of a row's sum"
	case r.open():
		return ", each with the mean sum of a row"
	case scale.KindOf(r.scale) == scale.Words:
		return ", as log(1+n) of counts n by the length of a row"
	case r.scale != nil:
		return ", in the table's units"
	}
	return ""
}

// where says how the prototypes lie to the data.
func (r *result) where() string {
	one := r.k == 1 && r.model.Sum == softkmeans.SumToOne
	switch {
	case len(r.known) == r.k && r.open():
		return "All are known (-known), and scaled to the mean sum of a row."
	case len(r.known) == r.k:
		return "All are known (-known), and stay as they are."
	case r.bounds != nil && one:
		return "It is the mean of the rows, with its values kept " + r.bounds.String() + "."
	case r.bounds != nil && r.method == methodMinVolume:
		return "They are pulled towards the data, and their values are kept " + r.bounds.String() +
			".\nBoth make the squared error larger." + r.outside()
	case r.bounds != nil:
		return "Their values are kept " + r.bounds.String() + ". Nothing else keeps them near the data."
	case r.model.Status == softkmeans.StatusNoHalfSpace:
		return "They enclose the data in part only: see below."
	case one:
		return "It is the mean of the rows."
	case r.method == methodMinVolume:
		return "They are pulled towards the data, which makes the squared error larger." + r.outside()
	case r.method == methodAlternating:
		return "Nothing keeps them near the data."
	}
	return "They enclose the data, so they are no typical rows: most lie outside of it."
}

// outside names the entry of a fitted prototype that is farthest outside of the range of its
// column, in standard deviations; "" where none is.
func (r *result) outside() string {
	if r.columns == nil || r.centers == nil {
		return ""
	}
	worst, text := 0.05, ""
	for p := len(r.known); p < r.centers.Rows; p++ {
		for j, v := range r.centers.Row(p) {
			least, most, spread := r.columns.Least[j], r.columns.Most[j], r.columns.Spread[j]
			if far := max(least-v, v-most); spread > 0 && far > worst*spread {
				bound, end := "least", least
				if v > most {
					bound, end = "largest", most
				}
				worst = far / spread
				text = fmt.Sprintf("\n%s is outside of the data: column %s is %.3g, where the %s value of a "+
					"row is %.3g.",
					short(r.center(p), mostWord), short(table.Printable(r.Names[j]), mostWord), v, bound, end)
			}
		}
	}
	return text
}

// mostTold is the largest number of columns of which prototypes are written in full.
const mostTold = 20

// writePrototypes writes prototypes in the table's units: of many columns those in which they differ most.
func (r *result) writePrototypes(b *bytes.Buffer, centers *softkmeans.Matrix) {
	if len(r.Names) <= mostTold {
		writeCenters(b, r.Names, centers, r.center)
		return
	}
	columns := view.Columns{Moments: view.Moments{Spread: r.columns.Spread}}
	shown := columns.Telling(r.centers, mostTold)
	slices.Sort(shown)
	names, part := make([]string, len(shown)), softkmeans.NewMatrix(centers.Rows, len(shown), nil)
	for c, j := range shown {
		names[c] = r.Names[j]
		for i := range centers.Rows {
			part.Set(i, c, centers.At(i, j))
		}
	}
	writeCenters(b, names, part, r.center)
	fmt.Fprintf(b, "\nThese are the %d of %d columns that tell the prototypes apart most. -centers "+
		"writes all.\n", len(shown), len(r.Names))
}

func writeWarnings(b *bytes.Buffer, m *softkmeans.Model) {
	for _, w := range view.Warnings(m) {
		b.WriteString(wrapped("Warning: " + w))
	}
}

func (r *result) writeOthers(b *bytes.Buffer) {
	for _, other := range r.others {
		slack := "half the slack"
		if other.Factor > 1 {
			slack = "twice the slack"
		}
		what := "rows get another label"
		if r.mixtures {
			what = "membership is with other prototypes"
		}
		fmt.Fprintf(b, "\nAnother answer: prototypes of half of the rows, with %s. %s of all %s.\n",
			slack, percent(other.Moved), what)
		if len(r.Names) <= mostTold {
			b.WriteByte('\n')
			writeCenters(b, r.Names, other.Centers, r.center)
		}
	}
	if len(r.others) > 0 && len(r.Names) > mostTold {
		b.WriteString("(The prototypes are in the report of -json.)\n")
	}
}

func globalVerdict(q *quality, m *softkmeans.Model) string {
	text := q.verdict()
	if q.Optimal(q.tol) {
		return text
	}
	text += fmt.Sprintf("\n(Solver: %v. Status: %v.)", m.Solver, m.Status)
	if m.Status == softkmeans.StatusNoHalfSpace {
		text += "\nSome rows point away from the others, so that no cone of these prototypes has all of " +
			"them. The\n" +
			"floor may be out of reach; -method alternating -sum at-most-one may come nearer."
	}
	if m.Solver == softkmeans.SolverKrylov && m.Status == softkmeans.StatusIterationLimit {
		d := float64(m.Centers.Cols)
		text += fmt.Sprintf("\nThe prototypes may be optimal and the floor too low. -solver gram tells; it "+
			"needs about\n"+
			"%.2g GB of memory for %d columns.", 50e-9*d*d, m.Centers.Cols)
	}
	return text
}

func compactness(q *quality, r *result) (text string) {
	for _, s := range []string{view.Volume(r.compact.VolumeRatio), view.Same(r.compact.Unique)} {
		if s = strings.TrimSpace(s); s != "" && q.k > 1 {
			text += strings.ReplaceAll(s, "prototype", q.word()) + "\n"
		}
	}
	return text
}

func localVerdict(q *quality, r *result) string {
	m := r.model
	text := q.distance()
	switch {
	case q.missing > 0 || q.Optimal(q.tol):
	case len(r.known) > 0:
		text += "\n" + r.besideKnown(q)
	case m.Lambda > 0:
		text += "\nThat is the price of " + q.word() + "s near the data"
		if q.bounded {
			text += " and within their bounds"
		}
		text += "."
	}
	proved := compactness(q, r)
	if gap := view.LossGap(r.compact); gap != "" {
		proved += "Proved: " + gap + ".\n"
	}
	return fmt.Sprintf("%s\n%s(%s; status: %v.)", text, proved, count(m.Iterations, "iteration"), m.Status)
}

// writeHead writes what was read and the proposal, without a final newline.
func (r *result) writeHead(b *bytes.Buffer) {
	writeHead(b, &r.Head, r.rows, scale.KindOf(r.scale))
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
	switch {
	case h.Header:
		b.WriteString(", and a header")
	case !h.Bare:
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
	if !h.LabelFirst { // else a note tells
		column(h.LabelColumn, h.LabelName, " is left out")
	}
	column(h.WeightsColumn, h.WeightsName, " has the weights")
	writeNotes(b, h.Notes)
	switch kind {
	case scale.ZScore:
		b.WriteString("\nEach column is scaled to mean 0 and variance 1.")
	case scale.MinMax:
		b.WriteString("\nEach column is scaled to the range from 0 to 1.")
	case scale.Counts:
		b.WriteString("\nRows are scaled to sums of 1, and columns by the roots of their means.")
	case scale.Sums:
		b.WriteString("\nRows are scaled to sums of 1.")
	case scale.Words:
		b.WriteString("\nCounts n are scaled to log(1+n), columns by how few rows have them, and rows to length 1.")
	}
}

func sizeLines(sizes []int, name func(int) string) string {
	var b strings.Builder
	width := max(5, widest(len(sizes), name))
	for label, n := range sizes {
		fmt.Fprintf(&b, "  %-*s %8d\n", width, short(name(label), mostWord), n)
	}
	return b.String()
}

func similarityReport(r *result) []byte {
	m := r.rated()
	var b bytes.Buffer
	r.writeHead(&b)
	b.WriteString("\n\nSimilarities: " + kernelWords(r.kernel, r.gamma) + "\n")
	b.WriteString("Each is approximated by a scale times the inner product of the two rows' memberships.\n")
	r.writeMeaning(&b)

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
	writeLine(&b, "floor", number(m.Floor),
		"no memberships in "+clusters(r.k)+" can have a smaller squared error")
	writeLine(&b, "total", number(m.Total), total)
	writeLine(&b, "explained", share, "of the total")
	writeLine(&b, "gap", small(m.Gap), "(objective − floor) / total")
	switch {
	case r.similarityAtFloor():
		fmt.Fprintf(&b,
			"\nAt the floor: the objective, as computed, is at most %s of the total above the minimum.\n"+
				"The floor is proved, the labels are not.\n",
			atMost(max(r.similarityWithin(), 1e-16)))
	case r.method == methodTILSD:
		fmt.Fprintf(&b,
			"\nNot at the floor: better memberships may exist, by up to %s of the total.\n(Status: %v.)\n",
			atMost(r.similarityWithin()), m.Status)
	case r.byDuality():
		fmt.Fprintf(&b,
			"\nProved: better memberships could lower the error by at most %s of the total.\n"+
				"It is at most %s %% above the least.\n(%s; status: %v.)\n",
			atMost(r.similarityWithin()), atMost(100*(m.Objective/m.Floor-1)),
			count(m.Iterations, "iteration"), m.Status)
	default:
		fmt.Fprintf(&b,
			"\nBetter memberships could lower the error by at most %s of the total. The floor depends\n"+
				"only on the similarities and the number of clusters; it may be out of reach.\n"+
				"(%s; status: %v.)\n",
			atMost(r.similarityWithin()), count(m.Iterations, "iteration"), m.Status)
	}
	return b.Bytes()
}

// similarityWithin is how far the objective may be above the minimum, as a share of
// the total. The rounding of the objective itself is not counted.
func (r *result) similarityWithin() float64 {
	m := r.rated()
	v := max(0, m.Gap)
	if m.Total > 0 {
		v += m.FloorError / m.Total
	}
	return v
}

// similarityAtFloor reports whether the memberships reach the floor, to rounding.
func (r *result) similarityAtFloor() bool { return r.similarityWithin() <= certifiedTol }

func clusters(k int) string { return count(k, "cluster") }

// widest returns how many characters the longest of k names of centers takes in reports.
func widest(k int, name func(int) string) (width int) {
	for j := range k {
		width = max(width, utf8.RuneCountInString(short(name(j), mostWord)))
	}
	return width
}

// writeCenters writes a row for each center, named by center, and a column for each column of the
// data, in blocks of at most lineWidth characters.
func writeCenters(b *bytes.Buffer, names []string, m *softkmeans.Matrix, center func(int) string) {
	label := widest(m.Rows, center)
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
				fmt.Fprintf(&lines[i+1], "  %-*s", label, short(center(i), mostWord))
			}
		}
		for i, s := range cells {
			fmt.Fprintf(&lines[i], "  %*s", w, s)
		}
		width += 2 + w
	}
	flush()
}

// decimals formats column j with six digits of its largest value.
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
		if strings.Trim(cells[i], "-0.") == "" {
			cells[i] = strings.TrimPrefix(cells[i], "-")
		}
	}
	return cells
}
