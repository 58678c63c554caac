package main

import (
	"bytes"
	"fmt"

	"softkmeans"
	"softkmeans/internal/view"
)

// report describes the fit and its quality.
func (j *job) report(s *summary, m *softkmeans.Model, q *quality) []byte {
	c := m.Certificate
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, %s, %s; %s, enclosure %v\n\n", view.Count(int(s.Shards), "shard"), view.Count(int(q.Rows), "row"),
		view.Count(len(s.Names), "column"), view.Count(j.K, "center"), j.Enclosure)
	fmt.Fprintf(&b, "objective               %-16.10g of the model, with all rounding\n", c.Objective)
	fmt.Fprintf(&b, "measured                %-16.10g on the rows with the memberships as written\n", q.Objective)
	fmt.Fprintf(&b, "floor                   %-16.10g the smallest possible for %d centers, to within rounding\n", c.Floor, j.K)
	fmt.Fprintf(&b, "total variance          %-16.10g the sum of squares about the mean\n", c.Total)
	fmt.Fprintf(&b, "excess                  %-16.3g the model is at most this far above the minimum\n", c.Excess())
	fmt.Fprintf(&b, "smallest membership     %-16.3g must not be below 0\n", q.MinMembership)
	fmt.Fprintf(&b, "largest |row sum − 1|   %-16.3g memberships of a row must add up to 1\n\n", q.MaxSumError)
	for label, n := range q.Sizes {
		fmt.Fprintf(&b, "p%-4d %12d rows\n", label, n)
	}
	if c.Optimal(0) && q.agrees(c) {
		fmt.Fprintf(&b, "\nCertified: no %d centers and memberships are better by more than %.2g of the total variance,\nand what was measured agrees.\n", j.K, 1.05*c.ExcessShare()) // %.2g does not go below it
	} else {
		b.WriteString("\nNot certified: the model, or what was measured, misses the minimum by more than 1e-9 of the total\nvariance, or the memberships their limits.\n")
	}
	return b.Bytes()
}
