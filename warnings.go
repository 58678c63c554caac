package softkmeans

// What can be wrong with a solution that an iteration found, and that its
// numbers do not show at once.

import (
	"math"
	"strconv"
)

// WarningKind says what a [Warning] is about.
type WarningKind int

const (
	// WarnCoincident: centers Cluster and Other are the same to tolerance.
	// Value is their distance, relative to the root mean square distance of
	// the samples from their mean (from 0 under SumAtMostOne): at most 0.001.
	WarnCoincident WarningKind = iota
	// WarnEmpty: no sample of positive weight has its largest membership in
	// Cluster. Value is the share of all membership that it has.
	WarnEmpty
	// WarnFar: the center of Cluster is outside of the data by far. Value is its
	// distance from the mean (from 0 under SumAtMostOne), relative to that of the
	// farthest sample of positive weight: more than 3.
	WarnFar
	// WarnSlack: no λ gave an error within the slack. Value is the error
	// relative to what the slack allows; the model is the best that was found. Both
	// are of the centers before they stop at math.MaxFloat64.
	WarnSlack
)

const (
	coincidentShare = 1e-3
	farFactor       = 3
)

// Warning is a reason to look at a solution before it is used. Values are
// relative, without units.
type Warning struct {
	Kind    WarningKind
	Cluster int // from 0; 0 where no cluster is meant
	Other   int // the second center of WarnCoincident, otherwise 0
	Value   float64
}

// String returns the warning as a sentence.
func (w Warning) String() string {
	value := strconv.FormatFloat(w.Value, 'g', 3, 64)
	cluster := strconv.Itoa(w.Cluster)
	switch w.Kind {
	case WarnCoincident:
		return "centers " + cluster + " and " + strconv.Itoa(w.Other) + " coincide: they are " + value + " of the data's spread apart"
	case WarnEmpty:
		return "cluster " + cluster + " is empty: no sample has its largest membership there, and it has " + value + " of all membership"
	case WarnFar:
		return "center " + cluster + " is outside of the data: " + value + " times as far from the middle as the farthest sample"
	case WarnSlack:
		return "the error is " + value + " times what the slack allows, and no smaller one was found"
	}
	return "Warning(" + strconv.Itoa(int(w.Kind)) + ")"
}

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

// warnings looks for all that a Warning can say of centers f, in the order of the
// kinds.
func (j *job) warnings(f *Matrix, c *census) (list []Warning) {
	k := j.k
	spread := math.Sqrt(j.perWeight(j.total))
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
	if j.missed > 0 {
		list = append(list, Warning{WarnSlack, 0, 0, j.missed})
	}
	return list
}
