package main

// This file fills the answers of fits, and prints those of all commands.

import (
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

const (
	mostName = table.MostName
	mostWord = 40 // characters shown of an id or a column
	mostFar  = 5  // rows or columns named as far out
)

// certifiedTol is the tolerance of "optimal" in reports: some thousand roundings of a float64.
const certifiedTol = 1e-9

// printFlags say how an answer is printed.
type printFlags struct{ json, verbose bool }

const jsonHelp = `  -json         print the report as JSON, with all digits
  -v            print all digits, iterations, other answers, criteria for k
`

func (f *printFlags) add(fs *flag.FlagSet) {
	fs.BoolVar(&f.json, "json", false, "")
	fs.BoolVar(&f.verbose, "v", false, "")
}

func (f *printFlags) write(w io.Writer, a *answer.Answer) error {
	return writeAs(w, f.json, a, a.Text(f.verbose))
}

// writeAs writes the value as JSON, or the text.
func writeAs(w io.Writer, asJSON bool, value any, text []byte) (err error) {
	if asJSON {
		return writeJSON(w, value)
	}
	_, err = w.Write(text)
	return err
}

// tell prints an answer when all files are written.
func (o *outputs) tell(a *answer.Answer, f *printFlags) error {
	return o.finish(func(w io.Writer) error { return f.write(w, a) })
}

// newAnswer returns an answer about a table.
func newAnswer(h *table.Head, rows int, kind scale.Kind) *answer.Answer {
	return &answer.Answer{Version: answer.Version, Warnings: []string{}, Read: answer.Read{
		Source: h.Source, About: about(h, rows, kind), Rows: rows, Columns: h.Names, Label: h.LabelName,
		Weights: h.WeightsName, ID: h.IDName, Scale: kind.String(), Notes: slices.Clone(h.Notes)}}
}

// about says what was read.
func about(h *table.Head, rows int, kind scale.Kind) string {
	text := fmt.Sprintf("%s: %s, %s", h.Source, count(rows, "row"), count(len(h.Names), "column"))
	switch {
	case h.Header:
		text += ", and a header"
	case !h.Bare:
		text += ", no header"
	}
	column := func(number int, name, what string) {
		if number == 0 {
			return
		}
		text += fmt.Sprintf("; column %d", number)
		if h.Header {
			text += " (" + short(name, mostName) + ")"
		}
		text += what
	}
	if !h.LabelFirst { // else a note tells
		column(h.LabelColumn, h.LabelName, " is left out")
	}
	column(h.WeightsColumn, h.WeightsName, " has the weights")
	switch kind {
	case scale.ZScore:
		text += "; columns are scaled to mean 0 and variance 1"
	case scale.MinMax:
		text += "; columns are scaled to the range from 0 to 1"
	case scale.Counts:
		text += "; rows are scaled to sums of 1, and columns by the roots of their means"
	case scale.Sums:
		text += "; rows are scaled to sums of 1"
	case scale.Words:
		text += "; counts n are scaled to log(1+n), columns by how few rows have them, and rows to length 1"
	}
	return text
}

// names are those of the prototypes.
func (r *result) names() (names []string) {
	for j := range r.k {
		names = append(names, r.center(j))
	}
	return names
}

// answer says what the fit found.
func (r *result) answer() *answer.Answer {
	a := newAnswer(&r.Head, r.rows, scale.KindOf(r.scale))
	a.Method, a.K, a.Sizes, a.Bounds, a.LabelBy = r.method.String(), r.k, r.sizes, r.bounds.json(), "largest"
	a.Choice = answer.NewChoice(r.choice, r.proposal)
	names := r.names()
	r.meaning.Fill(a, names)
	if r.lsd != nil {
		r.tellSimilar(a)
		return a
	}
	a.Centers, a.Where = rowsOf(r.centers), r.where()
	r.tellColumns(a, names)
	r.tellQuality(a)
	a.Bootstrap = r.sure
	a.Warnings = append(a.Warnings, view.Warnings(r.model)...)
	if r.faint != "" {
		a.Warnings = append(a.Warnings, r.faint)
	}
	r.tellHow(a)
	return a
}

// tellColumns fills in what sets prototypes and clusters apart, and the means of these.
func (r *result) tellColumns(a *answer.Answer, names []string) {
	if r.columns == nil {
		return
	}
	columns := answer.NewColumns(r.Names, r.columns.Mean, r.columns.Spread, r.centers)
	a.Shown = columns.Shown(r.centers)
	for j := range a.Prototypes {
		if r.k > 1 {
			a.Prototypes[j].Columns = columns.Differences(r.centers.Row(j))
		}
	}
	if r.likely.rows > 0 {
		r.tellClusters(a, columns, names)
	}
}

// flatten sets the entries of centers in constant columns to the value of the column, which they are to within
// rounding where memberships add up to 1.
func (r *result) flatten(centers *softkmeans.Matrix) {
	if r.columns == nil || r.model.Sum != softkmeans.SumToOne {
		return
	}
	top := 0.0
	for _, v := range centers.Data {
		top = max(top, math.Abs(v))
	}
	for j, v := range r.columns.Least {
		if v != r.columns.Most[j] {
			continue
		}
		for i := range centers.Rows {
			if math.Abs(centers.At(i, j)-v) <= 1e-9*max(top, math.Abs(v)) {
				centers.Set(i, j, v)
			}
		}
	}
}

// where says how the prototypes lie to the data, and in which units.
func (r *result) where() (text string) {
	one := r.k == 1 && r.model.Sum == softkmeans.SumToOne
	switch {
	case r.counts():
		text = "Values are shares of a row's sum. "
	case r.open():
		text = "Each has the mean sum of a row. "
	case scale.KindOf(r.scale) == scale.Words:
		text = "Values are log(1+n) of counts n by the length of a row. "
	case r.scale != nil:
		text = "Values are in the table's units. "
	}
	switch {
	case len(r.known) == r.k:
		return text + "All are known (-known)."
	case one && r.bounds == nil:
		return text + "It is the mean of the rows."
	case one:
		return text + "It is the mean of the rows, with its values kept " + r.bounds.String() + "."
	case r.kept:
		text += "Values are kept " + r.bounds.String() + "."
	case r.method == methodMinVolume:
	case r.method == methodAlternating:
		return text + "Nothing keeps them near the data."
	case r.model.Status == softkmeans.StatusNoHalfSpace:
		return text + "They enclose the data in part only."
	default:
		return text + "They enclose the data: most lie outside of it, and are no typical rows."
	}
	return strings.TrimSpace(text)
}

// quality is the certificate with what sentences about it depend on.
func (r *result) quality() *answer.Quality {
	limit := min(r.rows-1, len(r.Names))
	if r.model.Sum == softkmeans.SumAtMostOne {
		limit = min(r.rows, len(r.Names)) - 1
	}
	return &answer.Quality{Certificate: r.cert, K: r.k, Sum: r.model.Sum, Tol: certifiedTol, Streamed: r.streamed,
		Missing: r.missing, Trivial: r.k > limit, Between: r.between()}
}

// between is the share of the variance between clusters; 0: they are not the labels.
func (r *result) between() float64 {
	if r.likely.rows == 0 || r.columns == nil || r.mixtures || r.summarised { // weights of a sample
		return 0
	}
	m, all, apart := r.model.ClusterMeans, 0.0, 0.0
	for j, spread := range r.columns.Spread {
		if r.scale != nil {
			spread /= r.scale.Divisor[j]
		}
		mean := 0.0
		for i, w := range r.model.ClusterWeights {
			mean += w * m.At(i, j)
		}
		for i, w := range r.model.ClusterWeights {
			apart += w * (m.At(i, j) - mean) * (m.At(i, j) - mean)
		}
		all += spread * spread
	}
	return min(apart/all, 1)
}

// tellQuality fills in the certificate, and sentences about it.
func (r *result) tellQuality(a *answer.Answer) {
	q, m := r.quality(), r.model
	switch {
	case r.missing > 0 || q.Optimal(q.Tol):
	case len(r.known) > 0:
		q.Why = "The known prototypes keep it above the floor"
		if m.Lambda > 0 {
			q.Why += ", and so does the pull of the others towards the data"
		}
		if q.Why += "."; q.Objective > q.Total && m.Sum == softkmeans.SumToOne {
			a.Warnings = append(a.Warnings, "The mean of the rows alone has a smaller squared error than these "+
				"prototypes: check the units of the known ones.")
		}
	case m.Lambda > 0 && r.bounds != nil:
		q.Why = "That is the price of prototypes near the data and within their bounds."
	case m.Lambda > 0:
		q.Why = answer.Why(view.MinVolume)
	}
	a.Certificate, a.Sentence, a.Quality = q.JSON(), q.Sentence(), q.Sentences()
	a.Undetermined = q.Trivial && q.Between > 0
	if r.k > 1 {
		a.Proofs = answer.Proofs(&r.compact)
	}
	if r.method == methodGlobal && r.k > 1 {
		a.Quality = append(a.Quality, "For prototypes near the data use -method minvol, the default.")
	}
	if q.Optimal(q.Tol) {
		return
	}
	if m.Status == softkmeans.StatusNoHalfSpace {
		a.Warnings = append(a.Warnings, "Some rows point away from the others, so that no cone of these prototypes "+
			"contains all of them. The floor may be out of reach; -method alternating -sum at-most-one may come nearer.")
	}
	if m.Solver == softkmeans.SolverKrylov && m.Status == softkmeans.StatusIterationLimit {
		d := float64(m.Centers.Cols)
		a.Warnings = append(a.Warnings, fmt.Sprintf("The prototypes may be optimal and the floor too low. -solver gram "+
			"tells; it needs about %.2g GB of memory for %d columns.", 50e-9*d*d, m.Centers.Cols))
	}
}

// tellHow fills in the details.
func (r *result) tellHow(a *answer.Answer) {
	m := r.model
	d := answer.Details{Streamed: r.streamed, Summarised: r.summarised, Mixed: a.Mixed, Moved: a.Moved,
		Solver: m.Solver.String(), Lambda: m.Lambda, Epsilon: m.Epsilon, Slack: m.Slack, Iterations: m.Iterations,
		Status: m.Status.String()}
	for _, o := range r.others {
		d.Others = append(d.Others, answer.Other{Factor: o.Factor, Moved: o.Moved, Centers: rowsOf(o.Centers)})
	}
	if v := r.compact.VolumeRatio; v < math.MaxFloat64 {
		d.Volume = v
	}
	if v := r.compact.LossGap; v < math.MaxFloat64 {
		d.LossGap = v
	}
	if v := r.compact.Unique; v != nil && v.Factor < math.MaxFloat64 {
		d.SameMixtures = &answer.Unique{Factor: v.Factor, Smallest: v.Smallest(), Only: v.Only()}
	}
	if r.clustered() {
		d.How = append(d.How, view.LabelBy(r.mixtures)+" "+count(a.Moved, "row")+
			" "+plural(a.Moved, "has its", "have their")+" largest membership in another cluster.")
	}
	if r.summarised {
		d.How = append(d.How, "The prototypes were fitted to a sample of the rows and corrected by passes over all "+
			"rows. All numbers are of all rows. Other answers were not looked for.")
	}
	slack := view.Slack(m, r.cert, r.quality().Trivial, r.slack)
	if slack != "" && r.known != nil {
		slack += fmt.Sprintf(" %d/%d of it is permitted above the least error found beside the known prototypes.",
			r.k-len(r.known), r.k)
	}
	for _, s := range []string{slack, sentence(strings.ReplaceAll(view.How(m, r.compact), "; proved", ". Proved"))} {
		if s != "" {
			d.How = append(d.How, s)
		}
	}
	a.Details = d
}

// tellSimilar fills in the answer of a method of similarities.
func (r *result) tellSimilar(a *answer.Answer) {
	m := r.rated()
	a.Kernel, a.Gamma, a.Where = r.kernel.String(), r.gamma, "Similarities: "+kernelWords(r.kernel, r.gamma)
	a.Iterations, a.Status = m.Iterations, m.Status.String()
	c := m.Certificate
	if c.Solver = softkmeans.SolverGram; r.rows > 512 && !r.byDuality() {
		c.Solver = softkmeans.SolverKrylov // whose theorem it is
	}
	q := &answer.Quality{Certificate: c, K: r.k, Noun: "cluster", Tol: certifiedTol,
		Whole: "sum of squares of the similarities", Loose: r.method == methodLSD && !r.byDuality()}
	if r.method == methodTILSD {
		q.Whole += ", rows and columns centred"
	}
	a.Certificate, a.Sentence, a.Quality = q.JSON(), q.Sentence(), q.Sentences()
	a.Certificate.Scale, a.Certificate.FloorBy = m.Scale, "eigenvalues"
	if r.clustered() {
		a.LabelBy = "cluster"
	}
	if a.Certificate.Certified {
		a.Quality = append(a.Quality, "The floor is proved, the labels are not.")
	}
	if r.byDuality() {
		a.Certificate.FloorBy = "duality"
	}
}

// prototypes returns "1 prototype" or "2 prototypes".
func prototypes(k int) string { return count(k, "prototype") }

func plural(n int, one, more string) string { return table.Plural(n, one, more) }

// number formats v with ten digits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }

func small(v float64) string { return view.Small(v) }
