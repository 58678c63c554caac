package answer

// The answer about the floors of every k.

import (
	"math"
	"strconv"

	"softkmeans/choosek"
)

// Curve is the floors of every k, and what they and the rows speak for.
type Curve struct {
	Floors   []float64         // of k = 1, 2, …
	Most     int               // the largest k that a text shows, beside the proposed one
	Proposal *choosek.Proposal // by the floors of rows; nil: of similarities
	Choice   *choosek.Choice   // by the data; nil: not
	Total    float64           // of which floors of similarities are shares
	Reached  bool              // floors of similarities are reached
}

// Fill says what the floors are, and which k they and the rows speak for.
func (c *Curve) Fill(a *Answer) {
	a.Floors, a.Most, a.Choice, a.Total = c.lines(), c.Most, NewChoice(c.Choice, c.Proposal), c.Total
	if of := c.Choice; of != nil && (c.Proposal != nil || of.Agreement != nil) {
		a.Evidence = &Evidence{Edge: of.Edge, HeldOut: of.HeldOut, Stable: of.Stable, Clusters: of.Clusters,
			Rows: of.Rows, Drawn: of.Drawn, Permuted: of.Permuted, Step: of.Step, Bound: of.Bound, Error: of.Error,
			Deviation: of.ErrorDeviation, Agreement: of.Agreement, Chance: of.Chance, Silhouette: of.Silhouette}
	}
	p := c.Proposal
	if p == nil {
		a.Where = c.proof()
		return
	}
	a.Where = "Floors: no k prototypes can have a smaller squared error, to within rounding (proved). \"explained\" " +
		"and the bars show how much of the variance k prototypes can explain, \"step\" how much prototype k adds, and " +
		"\"by chance\" the step if the variance were split at random."
	a.Choice.Elbow, a.Choice.Profile = AtLeastOne(p.Elbow), AtLeastOne(p.Profile)
	if c.Choice == nil && p.Elbow > 0 {
		a.Choice.Criteria = append(a.Choice.Criteria,
			"Elbow of the column explained: k = "+strconv.Itoa(p.Elbow)+".")
	}
	if c.Choice == nil && p.Profile > 0 {
		a.Choice.Criteria = append(a.Choice.Criteria, "End of the large steps: k = "+strconv.Itoa(p.Profile)+".")
	}
}

// proof says what the floors of similarities hold for.
func (c *Curve) proof() string {
	reach := "They are proved for every positive semidefinite matrix of rank k. Memberships of -method lsd may not reach them. "
	if c.Reached {
		reach = "-method tilsd reaches them. "
	}
	return "Floors: no memberships in k clusters can have a smaller squared error, to within rounding (proved). " + reach +
		"\"explained\" and the bars show how much of the sum of squares k clusters can explain, \"step\" how much " +
		"cluster k adds. A small floor proves that k directions are enough. It does not prove that there are k clusters."
}

// lines have a stick for floors of rows alone.
func (c *Curve) lines() []Floor {
	at := func(values []float64, i int) *float64 {
		if i < 0 || i >= len(values) {
			return nil
		}
		return &values[i]
	}
	lines := make([]Floor, len(c.Floors))
	for i, floor := range c.Floors {
		l := &lines[i]
		l.K, l.Floor = i+1, floor
		if p := c.Proposal; p != nil {
			l.Explained, l.Step, l.Stick = at(p.Explained, i), at(p.Step, i-1), at(p.Stick, i-1)
		} else if c.Total > 0 && c.Total < math.MaxFloat64 {
			explained := max(0, 1-floor/c.Total)
			if l.Explained = &explained; i > 0 {
				step := (c.Floors[i-1] - floor) / c.Total
				l.Step = &step
			}
		}
	}
	return lines
}

// FloorsCSV has a line for each k, with the stick if asked for. Numbers that do not exist are empty.
func FloorsCSV(floors []Floor, stick bool) []byte {
	head := []string{"k", "floor", "explained", "step", "stick"}
	if !stick {
		head = head[:4]
	}
	b := AppendLine(nil, head)
	for _, l := range floors {
		fields := []string{strconv.Itoa(l.K)}
		for _, v := range []*float64{&l.Floor, l.Explained, l.Step, l.Stick}[:len(head)-1] {
			if v == nil {
				fields = append(fields, "")
			} else {
				fields = AppendNumbers(fields, *v)
			}
		}
		b = AppendLine(b, fields)
	}
	return b
}
