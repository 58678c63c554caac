package main

// How good a result is, in lines and in words: the same for fit, which has found the
// centers, and for certify, which knows nothing of how they were found.

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"softkmeans"
)

// certifiedTol is what reports call optimal: some thousand roundings of a
// float64, and far below what any data is measured to.
const certifiedTol = 1e-9

// writeQuality writes the squared error of any k centers with any memberships, and
// what certifies it. scaled: the columns were. streamed: the certificate is of passes
// over blocks of rows, which do not find SpanError.
func writeQuality(b *bytes.Buffer, k int, c softkmeans.Certificate, scaled, streamed bool) {
	units := ""
	if scaled {
		units = ", of the scaled columns"
	}
	fmt.Fprintf(b, "Squared error%s\n\n", units)
	writeErrors(b, k, c)
	from := "computed from the data, the centers and the memberships alone"
	if streamed {
		from = "the floor from the first passes over the data, the rest from the last"
	}
	fmt.Fprintf(b, "\nCertificate, %s\n\n", from)
	writeLine(b, "gap", small(c.Gap), "(objective − floor) / total variance")
	writeLine(b, "smallest membership", small(c.MinMembership), "must not be below 0")
	writeLine(b, "largest |row sum − 1|", small(c.MaxSumError), "memberships of a row must add up to 1")
	if !streamed {
		writeLine(b, "span error", small(c.SpanError), "distance of the centers from the best subspace")
	}
}

// writeLine is a name, a figure and what it means.
func writeLine(b *bytes.Buffer, name, value, remark string) {
	fmt.Fprintf(b, "  %-22s %-16s %s\n", name, value, remark)
}

// writeErrors is the errors of a certificate.
func writeErrors(b *bytes.Buffer, k int, c softkmeans.Certificate) {
	share := "-"
	if v := explained(c); v != nil {
		share = percent(*v)
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

// verdict is the certificate in a sentence.
func verdict(k int, c softkmeans.Certificate, tol float64) string {
	// The minimum lies between floor and objective. The floor's own rounding
	// keeps the sentence from claiming more digits than there are.
	within := math.Abs(c.Gap)
	if hasTotal(c) {
		within = max(within, c.FloorError/c.Total)
	}
	if c.Optimal(tol) {
		return fmt.Sprintf("Certified: the objective equals the proven minimum to within %.1g of the total variance;\n"+
			"no choice of %s and memberships can do better.", within, centers(k))
	}
	var reasons []string
	// "not at most" where a NaN, too, is a reason.
	switch {
	case c.Gap < -tol:
		reasons = append(reasons, fmt.Sprintf("the objective is below the proven minimum, by %.1g of the total variance, as no memberships with sums of 1 can be", within))
	case math.IsInf(100*c.Gap, 1): // there is next to no variance to take shares of
		reasons = append(reasons, "better centers exist")
	case c.Gap > tol && hasTotal(c) && c.FloorError < c.Gap*c.Total/2:
		// The floor is not only a bound: Fit reaches it.
		reasons = append(reasons, fmt.Sprintf("better centers or memberships exist, by %.1g of the total variance", c.Gap-c.FloorError/c.Total))
	case !(within <= tol):
		reasons = append(reasons, fmt.Sprintf("better centers may exist, by up to %.1g of the total variance", within))
	}
	if !(c.MinMembership >= -tol) {
		reasons = append(reasons, fmt.Sprintf("a membership is negative (%.1g)", c.MinMembership))
	}
	if !(c.MaxSumError <= tol) {
		reasons = append(reasons, fmt.Sprintf("the memberships of a row miss the sum of 1 by %.1g", c.MaxSumError))
	}
	if len(reasons) == 0 {
		reasons = append(reasons, "the numbers above do not meet the tolerance")
	}
	return fmt.Sprintf("Not certified: %s.", strings.Join(reasons, ", and "))
}

// distance says how far from the proven minimum the squared error is.
func distance(k int, c softkmeans.Certificate, tol float64) string {
	switch {
	case c.Optimal(tol):
		return "The squared error is at its proven minimum."
	case math.IsInf(100*c.Gap, 1):
		return fmt.Sprintf("The squared error is %s; the mean of the rows as the only center leaves over %s.", number(c.Objective), number(c.Total))
	case c.Floor > 0 && c.Floor > 1e-12*c.Total && c.Objective < math.MaxFloat64:
		return fmt.Sprintf("The squared error is %.3g%% above the least that any %s can leave over.", 100*(c.Objective/c.Floor-1), centers(k))
	case hasTotal(c):
		return fmt.Sprintf("The squared error is %.4g%% of the total variance; %s could leave over nothing.", 100*c.Objective/c.Total, centers(k))
	}
	// The squares are out of range, and with them the errors; their distance is not.
	return fmt.Sprintf("The squared error is %.4g%% of the total variance above the least that any %s can leave over.", 100*c.Gap, centers(k))
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

// percent is a share of the total variance.
func percent(share float64) string { return fmt.Sprintf("%.4f%%", 100*share) }
