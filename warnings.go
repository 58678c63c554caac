package softkmeans

// What can be wrong with a solution that an iteration found, and that its
// numbers do not show at once.

import "math"

const (
	coincidentShare = 1e-3
	farFactor       = 3
)

// census is what the memberships of all samples say of the clusters.
type census struct {
	members  []float64 // the weight that each has
	first    []bool    // whether it is the largest membership of some sample
	all      float64   // weight
	farthest float64   // distance of a sample from 0
}

// count takes in the samples z with memberships g.
func (c *census) count(s *samples, z, g *Matrix) {
	if c.members == nil {
		c.members, c.first = make([]float64, g.Cols), make([]bool, g.Cols)
	}
	for i := range z.Rows {
		w := s.weight(i)
		if w == 0 {
			continue
		}
		g := g.row(i)
		axpy(c.members, w, g)
		c.all += w
		best := 0
		for a, v := range g {
			if v > g[best] {
				best = a
			}
		}
		c.first[best] = true
		c.farthest = max(c.farthest, norm2(z.row(i)))
	}
}

// findWarnings looks for all that a Warning can say of centers f, in the order of the
// kinds.
func findWarnings(f *Matrix, c *census, spread, missed float64) (list []Warning) {
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
	for a, some := range c.first {
		if !some {
			list = append(list, Warning{WarnEmpty, a, 0, c.members[a] / c.all})
		}
	}
	for a := range k {
		if d := norm2(f.row(a)); d > farFactor*c.farthest {
			list = append(list, Warning{WarnFar, a, 0, min(d/max(c.farthest, math.SmallestNonzeroFloat64), math.MaxFloat64)})
		}
	}
	if missed > 0 {
		list = append(list, Warning{WarnSlack, 0, 0, missed})
	}
	return list
}
