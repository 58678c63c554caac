package main

import (
	"bytes"
	"fmt"
	"math"

	"softkmeans"
)

// report describes the fit and its quality.
func (j *job) report(s *summary, m *softkmeans.Model, q *quality) []byte {
	c := q.certificate(m)
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, %s, %s; %s, enclosure %v\n\n", count(int(s.Shards), "shard"), count(int(q.Rows), "row"),
		count(len(s.Names), "column"), count(j.K, "center"), j.Enclosure)
	fmt.Fprintf(&b, "objective               %-16.10g measured on the rows with the memberships as written\n", c.Objective)
	fmt.Fprintf(&b, "floor                   %-16.10g the proven least that any %d centers can leave over\n", c.Floor, j.K)
	fmt.Fprintf(&b, "total variance          %-16.10g the sum of squares about the mean\n", c.Total)
	fmt.Fprintf(&b, "gap                     %-16.3g (objective − floor) / total variance\n", c.Gap)
	fmt.Fprintf(&b, "smallest membership     %-16.3g must not be below 0\n", c.MinMembership)
	fmt.Fprintf(&b, "largest |row sum − 1|   %-16.3g memberships of a row must add up to 1\n\n", c.MaxSumError)
	for label, n := range q.Sizes {
		fmt.Fprintf(&b, "p%-4d %12d rows\n", label, n)
	}
	if c.Optimal(0) {
		within := math.Abs(c.Gap)
		if c.Total > 0 {
			within = max(within, c.FloorError/c.Total)
		}
		fmt.Fprintf(&b, "\nCertified: the objective equals the proven minimum to within %.1g of the total variance.\n", within)
	} else {
		b.WriteString("\nNot certified: the numbers above do not meet the tolerance of 1e-9.\n")
	}
	return b.Bytes()
}
