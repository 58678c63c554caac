package choosek

// A proposal for the number of prototypes from the floors, which tell how much error each further
// prototype can remove at best.

import (
	"math"
	"strconv"

	"softkmeans"
	"softkmeans/internal/fault"
	"softkmeans/internal/la"
)

// Proposal is a proposed number of prototypes, with the evidence.
type Proposal struct {
	// K is the proposal; 0: the floors give no answer, and Reason says why.
	K      int
	Reason string // a sentence
	// Certain says that two criteria agree on K: all samples are equal, K prototypes mix them exactly, or, of
	// ProposeScene, no direction beyond K exceeds the noise.
	Certain bool
	// Explained is the fraction of the total variance that k prototypes can explain at best,
	// 1 − floor(k)/floor(1), for k = 1, 2, ….
	Explained []float64
	// Step is the part of Explained that the k-th prototype adds. Its first entry is for k = 2. Stick is the
	// part that this prototype would add on average if the total were split at random into as many parts (the
	// broken-stick model).
	Step, Stick []float64
	// Elbow and Profile are two other criteria, 0 if there are fewer than three steps.
	// Elbow is the k at which Explained is farthest above the straight line from its first
	// to its last value. Profile is the k that splits the steps best into a group of large
	// and a group of small ones of equal variance (Zhu & Ghodsi 2006).
	Elbow, Profile int
}

// Propose proposes a number of prototypes from the floors for k = 1, 2, …, as [softkmeans.Floors] returns
// them. Read K, Certain and Reason. The first of these rules that applies gives K:
//
//   - For an exact mixture K is the first k with a floor of 0, up to 1e-12 of the first floor. This k must be
//     at most half of len(floors)−1: a few redundant columns are no mixture.
//   - Otherwise K is one more than the number of leading steps that exceed the broken stick's (Frontier 1976;
//     Jackson 1993).
//   - K is 0 if no step or every step exceeds the broken stick's, or if there are fewer than 2 steps. For
//     equal samples K is 1.
//
// Use Propose if only floors are known; [Choose] reads the data. Propose counts directions, not clusters:
// clusters along a line share one direction. If one column is on a much larger scale than the others, this
// column alone determines K.
//
// Cost: O(m²) for m floors. Errors: [softkmeans.ErrTooFewSamples] without floors;
// [softkmeans.ErrNonFinite]; [softkmeans.ErrOption] for floors that are negative or rise.
func Propose(floors []float64) (Proposal, error) {
	var p Proposal
	if err := checkFloors(floors); err != nil {
		return p, err
	}
	m := len(floors) - 1
	total := floors[0]
	if total == 0 {
		p.K, p.Certain, p.Reason = 1, true, "all samples are equal"
		p.Explained = make([]float64, len(floors))
		return p, nil
	}
	for _, v := range floors {
		p.Explained = append(p.Explained, 1-v/total)
	}
	// Redundant columns are no part of the stick.
	parts := m
	for parts > 0 && floors[parts-1] <= exactFloor*total {
		parts--
	}
	for i := range parts {
		p.Step = append(p.Step, (floors[i]-floors[i+1])/total)
		var sum float64
		for j := parts; j > i; j-- {
			sum += 1 / float64(j)
		}
		p.Stick = append(p.Stick, sum/float64(parts))
	}
	if parts >= 3 {
		p.Elbow, p.Profile = elbow(p.Explained[:parts+1]), profile(p.Step)
	}
	if parts > 0 && parts+1 <= m/2 {
		p.K, p.Certain, p.Reason = parts+1, true, strconv.Itoa(parts+1)+" prototypes mix all samples exactly"
		return p, nil
	}
	lead := 0
	for lead < parts && p.Step[lead] > p.Stick[lead] {
		lead++
	}
	switch {
	case parts < 2:
		p.Reason = "the data has one direction only, and any number of prototypes may lie along it"
	case lead == 0:
		step, stick := percents(p.Step[0], p.Stick[0])
		p.Reason = "no direction stands out: the first explains " + step +
			", and " + stick + " is expected by chance"
	case lead == parts:
		p.Reason = "every direction stands out"
	default:
		p.K = lead + 1
		step, stick := percents(p.Step[lead-1], p.Stick[lead-1])
		next, rest := percents(p.Step[lead], p.Stick[lead])
		p.Reason = "prototype " + strconv.Itoa(p.K) + " adds " + step + " of the variance, more than the " + stick +
			" expected by chance; prototype " + strconv.Itoa(p.K+1) + " would add " + next + ", less than " + rest +
			" by chance"
	}
	return p, nil
}

func checkFloors(floors []float64) error {
	if len(floors) == 0 {
		return fault.New(softkmeans.ErrTooFewSamples, "no floors")
	}
	for i, v := range floors {
		switch {
		case !(math.Abs(v) <= math.MaxFloat64):
			return fault.Entry("floors", i, v, softkmeans.ErrNonFinite)
		case v < 0 || i > 0 && v > floors[i-1]:
			return fault.Entry("floors", i, v, softkmeans.ErrOption)
		}
	}
	return nil
}

// exactFloor is the fraction of the total up to which a floor counts as 0.
const exactFloor = 1e-12

// percents formats two fractions for messages, with enough digits to tell them apart.
func percents(v, w float64) (string, string) {
	text := func(v float64, digits int) string { return strconv.FormatFloat(100*v, 'f', digits, 64) + " %" }
	digits := 1
	for v != w && digits < 16 && text(v, digits) == text(w, digits) {
		digits++
	}
	return text(v, digits), text(w, digits)
}

// elbow returns the k at which the curve is farthest above its chord.
func elbow(explained []float64) int {
	n := len(explained)
	first, last := explained[0], explained[n-1]
	best, most := 0, 0.0
	for i, v := range explained {
		if d := v - first - (last-first)*float64(i)/float64(n-1); d > most {
			best, most = i+1, d
		}
	}
	return best
}

// profile returns one more than the number of leading steps that the profile likelihood
// puts into the first group: two normal distributions with a common variance.
func profile(step []float64) int {
	best, least := 0, math.Inf(1)
	for q := 1; q < len(step); q++ {
		if v := scatter(step[:q]) + scatter(step[q:]); v < least {
			best, least = q+1, v
		}
	}
	return best
}

// scatter returns Σ(v − mean)².
func scatter(v []float64) (sum float64) {
	mean := la.Sum(v) / float64(len(v))
	for _, x := range v {
		sum += (x - mean) * (x - mean)
	}
	return sum
}
