package main

// The certificate in sentences, and its numbers.

import (
	"strconv"
	"strings"

	"softkmeans"
	"softkmeans/internal/answer"
	"softkmeans/internal/view"
	"softkmeans/metrics"
)

func (d *data) report(r *result) []part {
	m, c := r.model, r.certificate
	head, meaning := d.verdict(r)
	k, why := d.proposed()
	how := view.How(m, r.compact)
	if r.between {
		how = "interpolated"
	}
	parts := []part{
		{"verdict", head},
		{"proved", yesNo(c.Optimal(view.CertifiedTol) && !r.partial)},
		{"meaning", meaning},
		{"objective", view.Number(c.Objective)},
		{"floor", view.Number(c.Floor)},
		{"above", view.Above(c)},
		{"explained", view.Share(c, 1-c.Objective/c.Total)},
		{"possible", view.Share(c, 1-c.Floor/c.Total)},
		{"excess", view.AtMost(c.ExcessShare())},
		{"how", how},
		{"proposal", why},
		{"proposed", proposed(k)},
		{"k", itoa(r.options.k)},
		{"slack", strconv.FormatFloat(r.options.slack, 'g', -1, 64)}, // for the slider
		{"likely", r.sure()},
		{"warnings", strings.Join(view.Warnings(m), "\n")},
	}
	if d.given != nil { // the later parts count
		parts = append(parts, part{"floor", "none; about " + view.Number(c.Floor)}, part{"above", "not proved"}, part{"excess", "not proved"},
			part{"possible", "100 %"})
	}
	if len(d.Class) > 0 {
		labels := m.Labels(nil)
		accuracy, err := metrics.Accuracy(d.Class, labels)
		nmi, err2 := metrics.NMI(d.Class, labels)
		if err == nil && err2 == nil {
			return append(parts, part{"accuracy", view.Percent(accuracy)}, part{"nmi", strconv.FormatFloat(nmi, 'f', 3, 64)})
		}
	}
	return append(parts, part{"accuracy", ""}, part{"nmi", ""})
}

// sure is the mean probability of the rows' clusters; "" if there are none.
func (r *result) sure() string {
	if r.likely == nil {
		return ""
	}
	sum := 0.0
	for i, cluster := range r.clusters {
		sum += r.likely.At(i, cluster)
	}
	return view.Percent(sum / float64(len(r.clusters)))
}

func (d *data) verdict(r *result) (head, meaning string) {
	q := answer.Quality{Certificate: r.certificate, K: r.options.k, Tol: view.CertifiedTol,
		Trivial: d.trivial(r.options.k)}
	if !r.partial {
		q.Why = answer.Why(r.options.method)
	}
	head, meaning = q.Head(), strings.Join(append(q.Sentences(), answer.Proofs(&r.compact)...), " ")
	if d.given != nil {
		head = "Fitted to the values that are there"
		meaning = "The squared error is that of these values, and the memberships are the best for them. "
		if low := q.Floor - q.FloorError; low > 0 {
			meaning += "No " + view.Prototypes(q.K) + " can have less than " + view.Number(low) + ". "
		}
		meaning += "In the pictures they are filled in."
	}
	switch {
	case r.partial:
		head = "Cancelled. Best so far: " + lowerFirst(head)
		meaning = "The fit was stopped after " + view.Count(r.model.Iterations, "iteration") + ". " + meaning
	case r.between:
		head = "Slack " + view.Percent(r.options.slack) + ": " + lowerFirst(head)
		meaning = "A preview between two solutions while the slider moves. The fit follows when it rests."
	}
	return head, meaning
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func progress(step string, it softkmeans.Iteration) []part {
	return []part{
		{"step", step},
		{"text", "Fitting: " + step + ", squared error " + view.Number(it.Objective) + ", floor " + view.Number(it.Floor)},
	}
}

func readProgress(read, size int) []part {
	megabytes := func(n int) string { return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) }
	return []part{
		{"text", "Reading: " + megabytes(read) + " of " + megabytes(size) + " MB"},
		{"share", strconv.FormatFloat(float64(read)/float64(max(size, 1)), 'f', 3, 64)},
	}
}

// proposed is the proposed number of prototypes, "" if there is none.
func proposed(k int) string {
	if k < 1 || k > maxK {
		return ""
	}
	return itoa(k)
}
