package softkmeans

// What to warn of in a solution that an iteration found: centers that coincide, empty
// clusters, centers far from the data, a slack that was not met.

import "math"

// Two centers coincide if their distance is at most coincidentShare of the data's spread. A
// center is far if its length is more than farFactor times that of the longest sample.
const (
	coincidentShare = 1e-3
	farFactor       = 3
)

// membershipStats is what the memberships of all samples say of the clusters.
type membershipStats struct {
	members  []float64 // the weight that each cluster has
	largest  []bool    // whether it is the largest membership of some sample
	total    float64   // the weight of all samples
	farthest float64   // the largest distance of a sample from the origin
}

// add takes in the samples z with memberships g. Those of weight 0 do not count.
func (c *membershipStats) add(s *samples, z, g *Matrix) {
	if c.members == nil {
		c.members, c.largest = make([]float64, g.Cols), make([]bool, g.Cols)
	}
	for i := range z.Rows {
		w := s.weight(i)
		if w == 0 {
			continue
		}
		g := g.row(i)
		axpy(c.members, w, g)
		c.total += w
		c.largest[argmax(g)] = true
		c.farthest = max(c.farthest, norm2(z.row(i)))
	}
}

// findWarnings returns the warnings about centers f, in the order of the kinds. spread
// is that of the data, and missed the objective relative to the slack rule's target, 0
// where it is met.
func findWarnings(f *Matrix, c *membershipStats, spread, missed float64) (list []Warning) {
	k := f.Rows
	diff := make([]float64, f.Cols)
	for a := range k {
		for b := a + 1; b < k; b++ {
			copy(diff, f.row(a))
			axpy(diff, -1, f.row(b))
			if d := norm2(diff); d <= coincidentShare*spread {
				value := 0.0
				if d > 0 {
					value = d / spread
				}
				list = append(list, Warning{WarnCoincident, a, b, value})
			}
		}
	}
	for a, some := range c.largest {
		if !some {
			list = append(list, Warning{WarnEmpty, a, 0, c.members[a] / c.total})
		}
	}
	for a := range k {
		if d := norm2(f.row(a)); d > farFactor*c.farthest {
			list = append(list, Warning{WarnFar, a, 0, min(d/c.farthest, math.MaxFloat64)})
		}
	}
	if missed > 0 {
		list = append(list, Warning{WarnSlack, 0, 0, missed})
	}
	return list
}
