package main

// The answer of a fit, and the numbers that change while the slider moves.

import (
	"slices"
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/scale"
	"softkmeans/internal/view"
	"softkmeans/metrics"
)

func (d *data) report(r *result) []part {
	if r.known != nil {
		return d.knownReport(r)
	}
	c, a := r.certificate, d.answer(r)
	sections := slices.DeleteFunc(a.Sections(), func(s answer.Section) bool {
		return s.ID == "sentence" // the heading, and a note beside k
	})
	at := slices.IndexFunc(sections, func(s answer.Section) bool { return s.ID == "rows" })
	proposal, proposed := "", ""
	if a.Choice != nil {
		proposal = strings.ReplaceAll(a.Choice.Sentence(), " %", "\u00a0%")
	}
	if k := d.proposed(); k >= 1 && k <= maxK {
		proposed = itoa(k)
	}
	floor, above, accuracy, nmi := view.Number(c.Floor), view.Above(c), "", ""
	if d.given != nil {
		floor, above = "none; about "+floor, "not proved"
	}
	if len(d.Class) > 0 {
		labels := r.model.Labels(nil)
		share, err := metrics.Accuracy(d.Class, labels)
		information, err2 := metrics.NMI(d.Class, labels)
		if err == nil && err2 == nil {
			accuracy, nmi = view.Percent(share), strconv.FormatFloat(information, 'f', 3, 64)
		}
	}
	return []part{{"verdict", a.Sentence}, {"proved", yesNo(c.Optimal(view.CertifiedTol) && !r.partial)},
		{"objective", view.Number(c.Objective)}, {"floor", floor}, {"above", above}, {"accuracy", accuracy}, {"nmi", nmi},
		{"answer", answer.HTML(sections[:at], nothing)}, {"details", answer.HTML(sections[at:], nothing)},
		{"clusters", yesNo(r.likely != nil)}, {"proposal", proposal},
		{"proposed", proposed}, {"k", itoa(r.options.k)},
		{"slack", strconv.FormatFloat(r.options.slack, 'g', -1, 64)}} // for the slider
}

// nothing stands below sections: the page has its pictures elsewhere.
func nothing(string) string { return "" }

// answer is what the command says of the fit, without what was read, which stands beside the file.
func (d *data) answer(r *result) *answer.Answer {
	m, names := r.model, r.names()
	a := d.newAnswer(r)
	var rows answer.Rows
	rows.Add(m.Memberships, d.name)
	if r.clusters != nil {
		rows.Compare(r.clusters, m.Memberships)
	}
	rows.Fill(a, names)
	f := &answer.Fit{Method: r.options.method, Model: m, Certificate: r.certificate, Compact: r.compact,
		Centers: d.shown(m.Centers), Columns: d.spreads, Names: d.Names, Scale: d.scaling, Rows: d.Rows,
		Missing: d.gaps, Mixtures: d.mixtures, SlackGiven: r.slackGiven}
	if d.above && r.options.method != view.Global {
		f.Bounds = "at 0 or above"
	}
	for _, o := range m.Others {
		f.Others = append(f.Others, softkmeans.Answer{Factor: o.Factor, Moved: o.Moved, Centers: d.shown(o.Centers)})
	}
	if r.likely != nil {
		f.Means, f.Sizes, f.Sure = d.shown(m.ClusterMeans), make([]int, len(names)), make([]float64, len(names))
		for i, cluster := range r.clusters {
			f.Sizes[cluster]++
			f.Sure[cluster] += r.likely.At(i, cluster)
		}
	}
	f.Fill(a)
	a.Choice = d.choice
	if r.options.method == view.MinVolume && d.given == nil {
		a.Warnings = append(a.Warnings, texts(view.LastDirection(d.floors, len(names)))...)
	}
	return a
}

// roomEach is how many CSS pixels a character of a table takes, with the space between columns.
const roomEach = 8

// newAnswer returns an answer with the labels of the rows, whose tables are as wide as the page.
func (d *data) newAnswer(r *result) *answer.Answer {
	a := answer.New(&d.Head, d.Rows, scale.KindOf(d.scaling))
	a.About, a.Notes, a.K, a.Sizes = "", nil, r.options.k, make([]int, r.options.k)
	a.Room = r.options.wide / roomEach
	for _, label := range r.model.Labels(nil) {
		a.Sizes[label]++
	}
	switch {
	case r.partial:
		a.Warnings = append(a.Warnings, "The fit was stopped after "+view.Count(r.model.Iterations, "iteration")+".")
	case r.between:
		a.Warnings = append(a.Warnings, "A preview between two solutions while the slider moves. The fit follows when it rests.")
	}
	if d.given != nil {
		a.Warnings = append(a.Warnings, "In the pictures missing values are filled in.")
	}
	return a
}

func progress(step string, it softkmeans.Iteration) []part {
	return []part{{"step", step}, {"text", "Fitting: " + step + ", squared error " + view.Number(it.Objective) +
		", floor " + view.Number(it.Floor)}}
}

func readProgress(read, size int) []part {
	megabytes := func(n int) string { return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) }
	return []part{{"text", "Reading: " + megabytes(read) + " of " + megabytes(size) + " MB"},
		{"share", strconv.FormatFloat(float64(read)/float64(max(size, 1)), 'f', 3, 64)}}
}
