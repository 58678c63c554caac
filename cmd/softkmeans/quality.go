package main

// This file says how good a result is, in lines and in words. fit and certify share it.

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strconv"

	"softkmeans"
	"softkmeans/internal/table"
	"softkmeans/internal/view"
)

// certifiedTol is the tolerance of "optimal" in reports: some thousand roundings of a float64.
const certifiedTol = 1e-9

// quality is a certificate and what the reports need to explain it.
type quality struct {
	softkmeans.Certificate
	k        int
	noun     string // what a prototype is called; "": that
	sum      softkmeans.Sum
	tol      float64 // of "optimal"
	scaled   bool    // the columns are scaled
	streamed bool    // the certificate comes from passes over a file, without SpanError
	missing  int     // values of the table; above 0 Floor is an estimate, and Floor − FloorError is proved
	bounded  bool    // by -bounds
}

func (q *quality) write(b *bytes.Buffer) {
	if q.writeErrors(b); q.missing > 0 {
		return
	}
	from := "computed from the data, the prototypes and the memberships alone"
	if q.streamed {
		from = "the floor from the first passes over the data, the rest from the last"
	}
	fmt.Fprintf(b, "\nCertificate, %s\n\n", from)
	floors := "times the floor less its rounding"
	if q.ExcessFloors() == math.MaxFloat64 {
		floors = "the floor is 0 to rounding"
	}
	writeLine(b, "rounding of the floor", atMost(q.FloorError), "the minimum is at least the floor less this")
	writeLine(b, "excess", atMost(q.Excess()), "the error is at most this far above the minimum")
	writeLine(b, "excess, as a share", atMost(q.ExcessShare()), "of the "+q.totalName())
	writeLine(b, "excess, in floors", atMost(q.ExcessFloors()), floors)
	if q.isRepaired() {
		rule := "a row is divided by its sum"
		if q.sum == softkmeans.SumAtMostOne {
			rule = "a row above 1 is divided by its sum"
		}
		writeLine(b, "smallest membership", small(q.MinMembership), "below 0 counts as 0")
		writeLine(b, "largest error of a sum", small(q.MaxSumError), rule)
		writeLine(b, "repair", small(q.Repair), "largest change of a membership by these two")
	}
	if !q.streamed {
		writeLine(b, "span error", small(q.SpanError), "distance of the prototypes from the best subspace")
	}
}

func (q *quality) totalName() string {
	if q.sum == softkmeans.SumAtMostOne {
		return "total"
	}
	return "total variance"
}

func (q *quality) writeErrors(b *bytes.Buffer) {
	b.WriteString("Squared error")
	if q.scaled {
		b.WriteString(", of the scaled columns")
	}
	share := "-"
	if v := explained(q.Certificate); v != nil {
		share = percent(*v)
	}
	about := "the squared error of the mean of the rows alone"
	if q.sum == softkmeans.SumAtMostOne {
		about = "sum of squares"
	}
	if q.lost(q.Total) {
		about = "no more than its rounding"
	}
	b.WriteString("\n\n")
	writeLine(b, "objective", number(q.Objective), "the squared error of the mixtures, summed over the rows")
	switch {
	case q.missing > 0:
		writeLine(b, "floor, estimated", number(q.Floor),
			fmt.Sprintf("about the least of any %s; no proof", q.prototypes()))
		if low := q.Floor - q.FloorError; low > 0 {
			writeLine(b, "floor, proved", number(low), "of blocks of rows and columns without a gap")
		}
	case q.lost(q.Floor):
		writeLine(b, "floor", number(q.Floor), "no more than its rounding, so that nothing is proved")
	default:
		writeLine(b, "floor", number(q.Floor),
			fmt.Sprintf("no %s can have less, but for rounding: proved", q.prototypes()))
	}
	writeLine(b, q.totalName(), number(q.Total), about)
	writeLine(b, "explained", share, "of the "+q.totalName())
}

// lost reports whether v is no more than its rounding, where that is seen: numbers far from 0 have cancelled.
func (q *quality) lost(v float64) bool {
	return v <= q.FloorError && q.FloorError > 1e-9*q.Total
}

func (q *quality) word() string { return cmp.Or(q.noun, "prototype") }

// prototypes returns "1 prototype" or "2 prototypes".
func (q *quality) prototypes() string { return count(q.k, q.word()) }

func writeLine(b *bytes.Buffer, name, value, remark string) {
	fmt.Fprintf(b, "  %-22s %-16s %s\n", name, value, remark)
}

// verdict says whether the result is proved optimal, how far above the minimum it may be,
// and for which memberships that holds.
func (q *quality) verdict() string {
	if !(q.Excess() < math.MaxFloat64) {
		return "Not certified: the squared error is out of range." + q.repaired()
	}
	head := "Not certified: the squared error may be above the minimum by up to " + atMost(q.Excess()) + "."
	if q.Optimal(q.tol) {
		of := " "
		if q.sum == softkmeans.SumAtMostOne {
			of = " that add up to at most 1\n"
		}
		head = fmt.Sprintf("Certified: no %s and memberships%shave a squared error smaller by more than %s.",
			q.prototypes(), of, atMost(q.Excess()))
	}
	return head + q.relative() + q.repaired() + q.chance()
}

// relative gives the excess as a share of the total and as a multiple of the floor.
func (q *quality) relative() string {
	switch {
	case q.Excess() == 0:
		return ""
	case q.lost(q.Total):
		return fmt.Sprintf("\nThe %s is no more than its rounding.", q.totalName())
	case q.ExcessShare() == math.MaxFloat64: // the total variance is 0 or next to it
		return fmt.Sprintf("\nThe %s is %s.", q.totalName(), number(q.Total))
	}
	text := fmt.Sprintf("\nThat is %s of the %s", atMost(q.ExcessShare()), q.totalName())
	switch {
	case q.ExcessFloors() == math.MaxFloat64:
		return text + ".\nThe floor is 0 to rounding, so that nothing can be said relative to it."
	case q.ExcessFloors() > 1 && q.Optimal(q.tol):
		return text + ", but " + atMost(q.ExcessFloors()) + " times the proved floor."
	}
	return text + " and " + atMost(q.ExcessFloors()) + " times the proved floor."
}

// isRepaired reports whether memberships were changed to be on the simplex, beyond rounding.
func (q *quality) isRepaired() bool { return q.Repair > float64(q.k+4)*0x1p-52 }

func (q *quality) repaired() string {
	if !q.isRepaired() {
		return ""
	}
	text := fmt.Sprintf("\nThis is for repaired memberships, changed by up to %s: ", small(q.Repair))
	if q.MinMembership < 0 {
		text += fmt.Sprintf("negative ones (down to %s)\ncount as 0, and ", small(q.MinMembership))
	}
	if q.sum == softkmeans.SumAtMostOne {
		return text + fmt.Sprintf("rows are divided by sums above 1 (by up to %s).", small(q.MaxSumError))
	}
	return text + fmt.Sprintf("rows are divided by their sums\n(which miss 1 by up to %s).",
		small(q.MaxSumError))
}

func (q *quality) chance() string {
	if q.Solver != softkmeans.SolverKrylov {
		return ""
	}
	return "\nSolver krylov proves the floor by random vectors, but for a chance of 2e-10."
}

func (q *quality) distance() string {
	switch {
	case q.missing > 0:
		text := "The squared error is that of the values that are there, and the memberships are " +
			"the best for\nthese. "
		if low := q.Floor - q.FloorError; low > 0 {
			return text + fmt.Sprintf("No %s can have less than %s.", q.prototypes(), number(low))
		}
		return text + "Of these no floor above 0 is proved."
	case q.Optimal(q.tol):
		return q.verdict()
	case q.ExcessShare() == math.MaxFloat64:
		only := "the mean of the rows"
		if q.sum == softkmeans.SumAtMostOne {
			only = "0"
		}
		return fmt.Sprintf("The squared error is %s; with %s as the only prototype it is %s.",
			number(q.Objective), only, number(q.Total))
	case q.Floor-q.FloorError > 1e-12*q.Total:
		how := fmt.Sprintf("%.3g %% above", 100*q.ExcessFloors())
		if q.ExcessFloors() >= 10 {
			how = number(math.Round(1+q.ExcessFloors())) + " times"
		}
		return "The squared error is " + how + " the floor." + q.repaired() + q.chance()
	}
	return fmt.Sprintf("The squared error is %.4g %% of the %s; the proved floor is below 1e-12 of it.",
		100*q.Objective/q.Total, q.totalName()) +
		q.repaired() + q.chance()
}

// prototypes returns "1 prototype" or "2 prototypes".
func prototypes(k int) string { return count(k, "prototype") }

func plural(n int, one, more string) string { return table.Plural(n, one, more) }

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

// atMost formats a bound with three digits, rounded up: "-" where it is out of range.
func atMost(v float64) string {
	if !(v < math.MaxFloat64) {
		return "-"
	}
	return view.AtMost(v)
}

func percent(share float64) string { return view.Percent(share) }
