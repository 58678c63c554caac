package answer

// The answer of a fit of rows.

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/scale"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
	"softkmeans/metrics"
)

// Fit is a fit of rows, and what its answer needs beside the model.
type Fit struct {
	Method      view.Method
	Model       *softkmeans.Model
	Certificate softkmeans.Certificate
	Compact     view.Compact
	Centers     *softkmeans.Matrix  // in the table's units
	Others      []softkmeans.Answer // in the table's units
	Columns     *scale.Columns      // in the table's units; nil: they are not described
	Names       []string            // of the columns
	Scale       *scale.Scaling      // nil: none
	Rows        int
	Missing     int    // values
	Known       int    // prototypes, the first ones
	Mixtures    bool   // labels are the largest memberships
	Streamed    bool   // the certificate comes from passes over a file
	Summarised  bool   // the centers were fitted to a sample of the rows
	SlackGiven  bool   // by a flag
	Bounds      string // of the prototypes, as "at 0 or above"; "": none
	BoundsGiven bool   // by a flag

	Means *softkmeans.Matrix // of the clusters, in the table's units; nil: there are none
	Sizes []int              // of the clusters
	Sure  []float64          // the probabilities of the rows' own clusters, added up by cluster
}

// Fill fills in prototypes, clusters, quality, warnings and details. The answer has the names of the prototypes.
func (f *Fit) Fill(a *Answer) {
	a.LabelBy, a.Centers, a.Units, a.Where = "largest", RowsOf(f.Centers), f.units(), f.where(len(a.Prototypes))
	if f.Columns != nil {
		f.columns(a)
	}
	f.quality(a)
	m := *f.Model
	if f.Known > 0 { // memberships are asked for, and not clusters
		m.Warnings = slices.DeleteFunc(slices.Clone(m.Warnings), func(w softkmeans.Warning) bool {
			return w.Kind == softkmeans.WarnDimensions
		})
		if len(m.Warnings) < len(f.Model.Warnings) {
			a.Warnings = append(a.Warnings, "So many prototypes mix a row in more than one way: predict -centers FILE "+
				"gives the ranges of memberships in known prototypes.")
		}
	}
	aside := m
	aside.Warnings = slices.DeleteFunc(slices.Clone(m.Warnings), func(w softkmeans.Warning) bool {
		return w.Kind != softkmeans.WarnEmpty && (w.Kind != softkmeans.WarnDimensions || !a.Undetermined)
	})
	notes := view.Warnings(&aside, a.Undetermined) // nothing is to be done about these
	a.Notes = append(a.Notes, notes...)
	if a.Undetermined && !slices.ContainsFunc(m.Warnings, func(w softkmeans.Warning) bool {
		return w.Kind == softkmeans.WarnDimensions
	}) {
		size := view.Count(len(f.Names), "column")
		if a.K <= len(f.Names) {
			size = view.Count(f.Rows, "row")
		}
		a.Notes = append(a.Notes, strconv.Itoa(a.K)+" prototypes fit any table of "+size+
			": use the clusters, not the memberships.")
	}
	a.Warnings = append(a.Warnings, slices.DeleteFunc(view.Warnings(&m, a.Undetermined), func(line string) bool {
		return slices.Contains(notes, line)
	})...)
	f.Details(a)
	a.FillProofs(&f.Compact, len(a.Prototypes), "prototypes")
}

// RowsOf returns views of the rows.
func RowsOf(m *softkmeans.Matrix) (rows [][]float64) {
	for i := range m.Rows {
		rows = append(rows, m.Row(i))
	}
	return rows
}

// columns fills in what sets prototypes and clusters apart, and the clusters.
func (f *Fit) columns(a *Answer) {
	var unit []float64
	if f.Scale != nil {
		unit = f.Scale.Divisor
	}
	columns := NewColumns(f.Names, f.Columns.Mean, f.Columns.Spread, unit, f.Centers)
	a.Shown = columns.Shown(f.Centers)
	for j := range a.Prototypes {
		if len(a.Prototypes) > 1 {
			a.Prototypes[j].Columns = columns.Differences(f.Centers.Row(j))
		}
	}
	if f.Means == nil {
		return
	}
	sure, rows := 0.0, 0
	columns.Unit = columns.Spread // clusters differ most in the columns that are the most deviations apart
	for j := range a.Prototypes {
		c := Cluster{Name: strconv.Itoa(j), Rows: f.Sizes[j], Weight: f.Model.ClusterWeights[j], Mean: f.Means.Row(j),
			Columns: columns.Differences(f.Means.Row(j))}
		if c.Rows > 0 {
			c.Probability = f.Sure[j] / float64(c.Rows)
		}
		a.Clusters = append(a.Clusters, c)
		sure, rows = sure+f.Sure[j], rows+c.Rows
	}
	sure /= float64(rows)
	a.Probability, a.Doubt = &sure, f.Model.ClusterDoubt
	for _, w := range f.Model.Warnings {
		if w.Kind == softkmeans.WarnLabels {
			a.TypicalAccuracy = view.TypicalAccuracy(w.Value)
		}
	}
	if !f.Mixtures {
		a.LabelBy, a.Shown, a.Filled = "cluster", columns.Shown(f.Means), f.Missing > 0
		if between := f.between(); between > 0 {
			a.BetweenClusters = &between
		}
	}
}

// units says in which units the prototypes and means are, in a sentence; "" if they are the table's as it stands.
func (f *Fit) units() string {
	switch scale.KindOf(f.Scale) {
	case scale.None:
		return ""
	case scale.Counts:
		return "Values are shares of a row's sum."
	case scale.Sums:
		return "Values of a prototype add up to the mean sum of the rows."
	case scale.Words:
		return "Values are weights of words, not counts: compare them within a column."
	}
	return "Values are in the table's units."
}

// where says how the prototypes lie to the data.
func (f *Fit) where(k int) string {
	one := k == 1 && f.Model.Sum == softkmeans.SumToOne
	switch {
	case f.Known == k:
		return "All are known (-known)."
	case one && f.Missing > 0:
		return "It is an estimate of the mean of the rows, with their missing values."
	case one && f.Bounds == "":
		return "It is the mean of the rows."
	case one:
		return "It is the mean of the rows, with its values kept " + f.Bounds + "."
	case f.BoundsGiven:
		return "Values are kept " + f.Bounds + "."
	case f.Method == view.MinVolume:
		return ""
	case f.Method == view.Alternating:
		return "Nothing keeps them near the data."
	case f.Model.Status == softkmeans.StatusNoHalfSpace:
		return "The prototypes enclose only part of the data."
	}
	return "The prototypes enclose the data: most lie outside of it, and are not typical rows."
}

// Quality is the certificate of k prototypes with what sentences about it depend on.
func (f *Fit) Quality(k int) *Quality {
	limit := min(f.Rows-1, len(f.Names))
	if f.Model.Sum == softkmeans.SumAtMostOne {
		limit = min(f.Rows, len(f.Names)) - 1
	}
	return &Quality{Certificate: f.Certificate, K: k, Sum: f.Model.Sum, Tol: view.CertifiedTol, Streamed: f.Streamed,
		Missing: f.Missing, Trivial: k > limit, Columns: len(f.Names), Bounded: f.BoundsGiven, Between: f.between()}
}

// between is the share of the variance between clusters; 0: they are not the labels.
func (f *Fit) between() float64 {
	if f.Means == nil || f.Columns == nil || f.Mixtures || f.Summarised { // weights of a sample
		return 0
	}
	m, all, apart := f.Model.ClusterMeans, 0.0, 0.0
	for j, spread := range f.Columns.Spread {
		if f.Scale != nil {
			spread /= f.Scale.Divisor[j]
		}
		mean, origin := 0.0, m.At(0, j) // far from 0 sums are rounded
		for i, w := range f.Model.ClusterWeights {
			mean += w * (m.At(i, j) - origin)
		}
		for i, w := range f.Model.ClusterWeights {
			away := m.At(i, j) - origin - mean
			apart += w * away * away
		}
		all += spread * spread
	}
	return min(apart/all, 1)
}

// quality fills in the certificate, and sentences about it.
func (f *Fit) quality(a *Answer) {
	k := len(a.Prototypes)
	q, m := f.Quality(k), f.Model
	if f.Missing == 0 && f.Known > 0 && q.Objective > q.Total && m.Sum == softkmeans.SumToOne {
		a.Warnings = append(a.Warnings, "The mean of the rows alone has a smaller squared error than these prototypes: "+
			"check the units of the known ones.")
	}
	a.Certificate, a.Sentence, a.Quality = q.JSON(), q.Sentence(), q.Sentences()
	a.Undetermined = q.fitsAny() && f.Means != nil && !f.Mixtures
	if f.Method == view.Global && k > 1 {
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
		a.Warnings = append(a.Warnings, "The prototypes may be optimal and the floor too low. -solver gram tells; "+
			"it needs about "+strconv.FormatFloat(50e-9*d*d, 'g', 2, 64)+" GB of memory for "+
			view.Count(m.Centers.Cols, "column")+".")
	}
}

// Details fills in how the fit was found.
func (f *Fit) Details(a *Answer) {
	m, k := f.Model, len(a.Prototypes)
	d := Details{Streamed: f.Streamed, Summarised: f.Summarised, Mixed: a.Mixed, Moved: a.Moved,
		Solver: m.Solver.String(), Lambda: m.Lambda, Epsilon: m.Epsilon, Slack: m.Slack, Iterations: m.Iterations,
		Status: m.Status.String()}
	for _, o := range f.Others {
		d.Others = append(d.Others, Other{Factor: o.Factor, Moved: o.Moved, Centers: RowsOf(f.inOrder(o.Centers))})
	}
	if v := f.Compact.VolumeRatio; v < math.MaxFloat64 {
		d.Volume = v
	}
	if v := f.Compact.LossGap; v < math.MaxFloat64 {
		d.LossGap = v
	}
	if v := f.Compact.Unique; v != nil && v.Factor < math.MaxFloat64 {
		d.SameMixtures = &Unique{Factor: v.Factor, Smallest: v.Smallest(), Only: v.Only()}
	}
	if m.ClusterMeans != nil {
		label := "The label of a row is its cluster."
		if f.Mixtures {
			label = "The label of a row is the prototype of its largest membership."
		}
		d.How = append(d.How, label)
	}
	if f.Summarised {
		d.How = append(d.How, "The prototypes were fitted to a sample of the rows and corrected by passes over all "+
			"rows. Means and weights of clusters are of the sample, all other numbers of all rows. "+
			"Other answers were not looked for.")
	}
	slack := view.Slack(m, f.Certificate, f.Quality(k).Trivial, f.SlackGiven)
	if slack != "" && f.Known > 0 {
		slack += " " + strconv.Itoa(k-f.Known) + "/" + strconv.Itoa(k) + " of it is permitted above the least error found " +
			"beside the known prototypes."
	}
	how, proved, _ := strings.Cut(view.How(m, f.Compact), "; proved: ")
	if d.How = append(d.How, Capital(how)+"."); proved != "" {
		d.How = append(d.How, "Proved: "+proved+".")
	}
	if slack != "" {
		d.How = append(d.How, slack)
	}
	a.Details = d
}

// inOrder returns as many other prototypes in the order of the fit's, so that the sum of squared distances of pairs,
// in the fit's units, is the least.
func (f *Fit) inOrder(others *softkmeans.Matrix) *softkmeans.Matrix {
	gain := softkmeans.NewMatrix(f.Centers.Rows, others.Rows, nil)
	for i := range gain.Rows {
		for j := range gain.Cols {
			sum := 0.0
			for c, v := range f.Centers.Row(i) {
				if v -= others.At(j, c); f.Scale != nil {
					v /= f.Scale.Divisor[c]
				}
				sum += v * v
			}
			gain.Set(i, j, -sum)
		}
	}
	return draws.Chosen(others, metrics.Assignment(gain))
}

// New returns an answer about a table.
func New(h *table.Head, rows int, kind scale.Kind) *Answer {
	return &Answer{Version: Version, Warnings: []string{}, Read: Read{
		Source: h.Source, About: about(h, rows, kind), Rows: rows, Columns: h.Names, Label: h.LabelName,
		Weights: h.WeightsName, ID: h.IDName, Scale: kind.String(), Notes: slices.Clone(h.Notes)}}
}

// about says what was read.
func about(h *table.Head, rows int, kind scale.Kind) string {
	text := h.Source + ": " + view.Count(rows, "row") + ", " + view.Count(len(h.Names), "column")
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
		text += "; column " + strconv.Itoa(number)
		if h.Header {
			text += " (" + table.Short(name, table.MostName) + ")"
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
		text += "; rows are fitted as shares of their sums, and rare columns weigh more"
	case scale.Sums:
		text += "; rows are divided by their sums"
	case scale.Words:
		text += "; counts n become log(1+n), columns that are 0 in many rows weigh more, and rows are divided by their Euclidean lengths"
	}
	return text
}
