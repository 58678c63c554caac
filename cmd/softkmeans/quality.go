package main

// This file says how good a result is, in lines and in words. fit and certify
// share it.

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"softkmeans"
)

// certifiedTol is the tolerance of "optimal" in reports: some thousand roundings
// of a float64.
const certifiedTol = 1e-9

// quality is a certificate and what the reports need to explain it.
type quality struct {
	softkmeans.Certificate
	k        int
	tol      float64 // of "optimal"
	scaled   bool    // the columns are scaled
	streamed bool    // the certificate comes from passes over a file, without SpanError
}

// write writes the squared errors and the certificate.
func (q *quality) write(b *bytes.Buffer) {
	b.WriteString("Squared error")
	if q.scaled {
		b.WriteString(", of the scaled columns")
	}
	b.WriteString("\n\n")
	q.writeErrors(b)
	from := "computed from the data, the centers and the memberships alone"
	if q.streamed {
		from = "the floor from the first passes over the data, the rest from the last"
	}
	fmt.Fprintf(b, "\nCertificate, %s\n\n", from)
	writeLine(b, "gap", small(q.Gap), "(objective − floor) / total variance")
	writeLine(b, "smallest membership", small(q.MinMembership), "must be at least 0")
	writeLine(b, "largest |row sum − 1|", small(q.MaxSumError), "memberships of a row must add up to 1")
	if !q.streamed {
		writeLine(b, "span error", small(q.SpanError), "distance of the centers from the best subspace")
	}
}

// writeErrors writes the squared errors.
func (q *quality) writeErrors(b *bytes.Buffer) {
	share := "-"
	if v := explained(q.Certificate); v != nil {
		share = percent(*v)
	}
	remark := fmt.Sprintf("no %s can have a smaller squared error", centers(q.k))
	if q.Total > 0 && q.FloorError > 1e-12*q.Total {
		remark += fmt.Sprintf("; known to within %.1g", q.FloorError)
	}
	writeLine(b, "objective", number(q.Objective), "squared error of the mixtures")
	writeLine(b, "floor", number(q.Floor), remark)
	writeLine(b, "total variance", number(q.Total), "sum of squares about the mean")
	writeLine(b, "explained", share, "of the total variance")
}

// writeLine writes a name, a number and a remark.
func writeLine(b *bytes.Buffer, name, value, remark string) {
	fmt.Fprintf(b, "  %-22s %-16s %s\n", name, value, remark)
}

// within is how far the objective may be above the minimum, as a share of the total
// variance: the gap and the error of the floor.
func (q *quality) within() float64 {
	v := math.Abs(q.Gap)
	if q.Total > 0 {
		v += q.FloorError / q.Total
	}
	return v
}

// verdict says whether the result is optimal and, if not, why.
func (q *quality) verdict() string {
	if q.Optimal(q.tol) {
		return fmt.Sprintf("Certified: the objective is the minimum to within %.1g of the total variance;\n"+
			"no choice of %s and memberships can do better.", q.within(), centers(q.k))
	}
	if reasons := q.reasons(); len(reasons) > 0 {
		return fmt.Sprintf("Not certified: %s.", strings.Join(reasons, ", and "))
	}
	return "Not certified: the numbers above do not meet the tolerance."
}

// reasons says why the result is not certified. The comparisons are such that a NaN
// is a reason.
func (q *quality) reasons() (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	switch {
	case q.Gap < -q.tol:
		add("the objective is below the minimum, by %.1g of the total variance; row sums of 1 cannot do that", -q.Gap)
	case math.IsInf(100*q.Gap, 1): // the total variance is 0 or next to it
		add("better centers exist")
	case q.Gap > q.tol && q.Total > 0 && q.FloorError < q.Gap*q.Total/2:
		// A global fit reaches the floor.
		add("better centers or memberships exist, by %.1g of the total variance", q.Gap-q.FloorError/q.Total)
	case !(q.within() <= q.tol):
		add("better centers may exist, by up to %.1g of the total variance", q.within())
	}
	if !(q.MinMembership >= -q.tol) {
		add("a membership is negative (%.1g)", q.MinMembership)
	}
	if !(q.MaxSumError <= q.tol) {
		add("the memberships of a row miss the sum of 1 by %.1g", q.MaxSumError)
	}
	return list
}

// distance says how far the squared error is from the floor.
func (q *quality) distance() string {
	switch {
	case q.Optimal(q.tol):
		return "The squared error is at the floor."
	case math.IsInf(100*q.Gap, 1) || q.Total == 0:
		return fmt.Sprintf("The squared error is %s; with the mean of the rows as the only center it is %s.",
			number(q.Objective), number(q.Total))
	case q.Floor > 1e-12*q.Total:
		return fmt.Sprintf("The squared error is %.3g%% above the floor.", 100*(q.Objective/q.Floor-1))
	}
	return fmt.Sprintf("The squared error is %.4g%% of the total variance; the floor is below 1e-12 of it.", 100*q.Objective/q.Total)
}

// centers returns "1 center" or "2 centers".
func centers(k int) string { return count(k, "center") }

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// explained returns the explained share of the total variance, nil if that is 0.
func explained(c softkmeans.Certificate) *float64 {
	if !(c.Total > 0) {
		return nil
	}
	v := 1 - c.Objective/c.Total
	return &v
}

// number formats v with ten digits, so that objective and floor can be compared.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }

func small(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// percent formats a share of the total variance.
func percent(share float64) string { return fmt.Sprintf("%.4f%%", 100*share) }
