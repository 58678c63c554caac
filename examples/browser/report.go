package main

// The certificate in words, and the figures.

import (
	"math"
	"strconv"
	"strings"

	"softkmeans"
)

// certifiedTol is what is called optimal: some thousand roundings of a float64,
// and far below what any data is measured to. cmd/softkmeans has the same.
const certifiedTol = 1e-9

// report is all that is said of a result.
func (d *data) report(r *result) []part {
	m, c := r.model, r.certificate
	head, meaning := d.verdict(r)
	parts := []part{
		{"verdict", head},
		{"proved", yesNo(c.Optimal(certifiedTol) && !r.partial)},
		{"meaning", meaning},
		{"objective", number(c.Objective)},
		{"floor", number(c.Floor)},
		{"above", d.above(c)},
		{"explained", share(c, 1-c.Objective/c.Total)},
		{"possible", share(c, 1-c.Floor/c.Total)},
		{"gap", gap(c)},
		{"how", how(r)},
		{"proposal", d.proposal()},
		{"proposed", proposed(d.propose.K)},
		{"k", itoa(r.options.k)},
		{"slack", slackWords(r.options)},
		{"warnings", warnings(m)},
	}
	if len(d.Class) > 0 {
		labels := m.Labels(nil)
		accuracy, err := softkmeans.Accuracy(d.Class, labels)
		nmi, err2 := softkmeans.NMI(d.Class, labels)
		if err == nil && err2 == nil { // no other than too few rows, which do not get here
			return append(parts, part{"accuracy", percent(accuracy)}, part{"nmi", strconv.FormatFloat(nmi, 'f', 3, 64)})
		}
	}
	return append(parts, part{"accuracy", ""}, part{"nmi", ""})
}

// verdict is a headline, and what it means.
func (d *data) verdict(r *result) (head, meaning string) {
	c, k := r.certificate, r.options.k
	optimal := c.Optimal(certifiedTol)
	least := prototypes(k) + " can leave over"
	switch {
	case optimal:
		// The minimum lies between floor and objective; its rounding is part of it.
		within := math.Abs(c.Gap)
		if hasTotal(c) {
			within = max(within, c.FloorError/c.Total)
		}
		head = "Proved optimal"
		meaning = "The squared error equals the proven floor to within " + strconv.FormatFloat(within, 'g', 1, 64) +
			" of the total variance: no choice of " + prototypes(k) + " and memberships leaves over less of this table."
		if r.options.method == global || r.options.slack < noSlack {
			meaning += " Every simplex in the best subspace that encloses the data reaches this minimum, and has corners outside of it or at its edge, " +
				"so memberships are vague; the minimal volume draws them in."
		}
	case c.Floor > 1e-12*c.Total && hasTotal(c):
		head = percent(c.Objective/c.Floor-1) + " above the floor"
		meaning = "The least that any " + least + " is proved to be " + number(c.Floor) + "; these leave over " + number(c.Objective) + "."
	case hasTotal(c):
		head = percent(c.Objective/c.Total) + " left over"
		meaning = "This table could be mixed from " + prototypes(k) + " exactly; these leave over that share of the total variance."
		if r.options.method == minVolume {
			part := "a millionth"
			if d.trivial(k) {
				part = "a tenth"
			}
			meaning += " With a floor of 0 the slack is a share of " + part + " of that variance."
		}
	case finite(c.Gap):
		head = percent(c.Gap) + " of the variance above the floor"
		meaning = "The squares of these numbers are out of range, and with them the error and the floor; their distance is not."
	default:
		head = "No variance to explain"
		meaning = "All rows are equal."
	}
	if !optimal && !r.partial {
		switch r.options.method {
		case minVolume:
			meaning += " That is the price of compact prototypes, as the slack allows. The floor is proved; that no smaller simplex has the same error is not."
		case alternating:
			meaning += " The iteration ended in a local minimum, or was still on its way; only the floor can tell."
		default:
			meaning += " Better prototypes may exist, by up to " + small(c.Gap) + " of the total variance."
		}
	}
	switch {
	case r.partial:
		head = "Cancelled. Best so far: " + lowerFirst(head)
		meaning = "The fit was stopped after " + count(r.model.Iterations, "iteration") + ". " + meaning
	case r.between:
		head = "Slack " + percent(r.options.slack) + ": " + lowerFirst(head)
		meaning = "A preview between two solutions, while the slider moves; the fit itself follows."
	}
	return head, meaning
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// above is how far the objective is above the floor, in shares of the floor.
func (d *data) above(c softkmeans.Certificate) string {
	switch {
	case c.Optimal(certifiedTol):
		return "0 %"
	case c.Floor > 1e-12*c.Total && hasTotal(c):
		return percent(c.Objective/c.Floor - 1)
	}
	return "–"
}

func how(r *result) string {
	m := r.model
	switch {
	case r.between:
		return "interpolated"
	case m.Trace == nil:
		return "in closed form"
	}
	how := count(m.Iterations, "iteration") + ", " + m.Status.String()
	if m.Lambda > 0 {
		how += ", λ\u00a0=\u00a0" + small(m.Lambda)
	}
	return how
}

func slackWords(o options) string {
	if o.slack < noSlack {
		return "0 %, the global simplex"
	}
	return percent(o.slack)
}

func (d *data) proposal() string {
	p := d.propose
	if p.K == 0 {
		return "No number stands out: " + p.Reason + "."
	}
	return "Proposed: " + itoa(p.K) + "; " + strings.ReplaceAll(p.Reason, " %", "\u00a0%") + "."
}

// warnings are a line each.
func warnings(m *softkmeans.Model) string {
	var lines []string
	for _, w := range m.Warnings {
		lines = append(lines, upperFirst(w.String())+".")
	}
	return strings.Join(lines, "\n")
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func prototypes(k int) string { return count(k, "prototype") }

// hasTotal reports whether there is a total variance to take shares of: it is 0
// where all rows are equal, and MaxFloat64 where it is out of range.
func hasTotal(c softkmeans.Certificate) bool { return c.Total > 0 && finite(c.Total) }

func share(c softkmeans.Certificate, v float64) string {
	if !hasTotal(c) {
		return "–"
	}
	return percent(v)
}

// percent has three digits, but no decimals that a share of 1 does not need.
func percent(v float64) string {
	v *= 100
	decimals := 2
	switch {
	case math.Abs(v) >= 99.995:
		decimals = 0
	case math.Abs(v) >= 9.995:
		decimals = 1
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + " %"
}

// number has seven digits, so that objective and floor can be compared.
func number(v float64) string {
	if !finite(v) {
		return "above 1.79e308"
	}
	return strconv.FormatFloat(v, 'g', 7, 64)
}

func small(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// progress is how far a fit is.
func progress(step string, it softkmeans.Iteration) []part {
	return []part{
		{"step", step},
		{"objective", number(it.Fit)},
		{"floor", number(it.Floor)},
	}
}

// proposed is the number to take, "" for none.
func proposed(k int) string {
	if k < 1 || k > maxK {
		return ""
	}
	return itoa(k)
}

// gap does not show the digits of rounding.
func gap(c softkmeans.Certificate) string {
	if math.Abs(c.Gap) < 1e-12 {
		return "0, to rounding"
	}
	return small(c.Gap)
}
