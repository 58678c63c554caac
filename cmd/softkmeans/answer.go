package main

// This file fills the answers of fits, and prints those of all commands.

import (
	"flag"
	"io"
	"math"
	"strconv"

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

// names are those of the prototypes.
func (r *result) names() (names []string) {
	for j := range r.k {
		names = append(names, r.center(j))
	}
	return names
}

// answer says what the fit found.
func (r *result) answer() *answer.Answer {
	a := answer.New(&r.Head, r.rows, scale.KindOf(r.scale))
	a.Method, a.K, a.Sizes, a.Bounds, a.LabelBy = r.method.String(), r.k, r.sizes, r.bounds.json(), "largest"
	a.Choice = answer.NewChoice(r.choice, r.proposal)
	if r.lsd != nil {
		r.meaning.Fill(a, view.Clusters("", r.k))
		r.tellSimilar(a)
		return a
	}
	r.meaning.Fill(a, r.names())
	r.fit().Fill(a)
	a.Bootstrap = r.sure
	if r.faint != "" {
		a.Warnings = append(a.Warnings, r.faint)
	}
	return a
}

// fit is the fit of rows as its answer needs it.
func (r *result) fit() *answer.Fit {
	f := &answer.Fit{Method: methods[r.method].of, Model: r.model, Certificate: r.cert, Compact: r.compact,
		Centers: r.centers, Others: r.others, Columns: r.columns, Names: r.Names, Scale: r.scale, Rows: r.rows,
		Missing: r.missing, Known: len(r.known), Mixtures: r.mixtures, Streamed: r.streamed, Summarised: r.summarised,
		SlackGiven: r.slack, BoundsGiven: r.kept}
	if r.bounds != nil {
		f.Bounds = r.bounds.String()
	}
	if r.likely.rows > 0 {
		f.Means, f.Sizes, f.Sure = r.clusterMeans(), r.likely.sizes, r.likely.sums
	}
	return f
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

// tellSimilar fills in the answer of a method of similarities.
func (r *result) tellSimilar(a *answer.Answer) {
	m := r.rated()
	a.Kernel, a.Gamma, a.Where = r.kernel.String(), r.gamma, "Similarities: "+kernelWords(r.kernel, r.gamma)
	if r.kernel == kernelMatrix {
		a.Where = "Large numbers mean similar rows."
	}
	a.Iterations, a.Status = m.Iterations, m.Status.String()
	q := answer.OfSimilarities(m.Certificate, r.k, r.rows, r.method == methodTILSD, r.byDuality())
	a.Certificate, a.Sentence, a.Quality = q.JSON(), q.Sentence(), q.Sentences()
	a.Certificate.Scale, a.Certificate.FloorBy = m.Scale, "eigenvalues"
	if r.clustered() {
		mean := r.likely.mean()
		a.LabelBy, a.Probability = "cluster", &mean
	}
	var empty []string
	for j, n := range r.sizes {
		if n == 0 {
			empty = append(empty, "cluster "+strconv.Itoa(j))
		}
	}
	if empty != nil {
		a.Warnings = append(a.Warnings, "No row has its label in "+view.And(empty)+". Fewer clusters may do.")
	}
	if a.Certificate.Certified {
		line := "The labels come from a search for clusters, and are not proved."
		if a.Probability != nil {
			line += " Rows are in their cluster with probability " + strconv.FormatFloat(*a.Probability, 'f', 2, 64) +
				" on average."
		}
		a.Quality = append(a.Quality, line)
	}
	if r.byDuality() {
		a.Certificate.FloorBy = "duality"
	}
}

// short cuts a name to at most so many characters; an empty one is "(none)".
func short(s string, most int) string { return table.Short(s, most) }

func plural(n int, one, more string) string { return table.Plural(n, one, more) }

func small(v float64) string { return view.Small(v) }
