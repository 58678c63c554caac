package report

import "softkmeans"

// nearlyPure is the least membership of a row that is called nearly pure.
const nearlyPure = .9

// Tally counts rows by their label and memberships in the compact prototypes, and by class.
type Tally struct {
	rows    int
	size    []int     // of each prototype, the rows with its label
	pure    []int     // the rows that are nearly pure
	share   []float64 // the membership of all rows
	largest []float64 // the largest membership of a row that has weight
	classes [][]int   // the rows of each class by label
}

// NewTally returns a tally for k prototypes.
func NewTally(k int) *Tally {
	return &Tally{size: make([]int, k), pure: make([]int, k),
		share: make([]float64, k), largest: make([]float64, k)}
}

// Add adds the rows with memberships g. weights and class may be nil.
func (t *Tally) Add(labels []int, g *softkmeans.Matrix, weights []float64, class []int) {
	for i, label := range labels {
		t.size[label]++
		for j, v := range g.Row(i) {
			if t.share[j] += v; v >= nearlyPure {
				t.pure[j]++
			}
			if weights == nil || weights[i] > 0 {
				t.largest[j] = max(t.largest[j], v)
			}
		}
		if class == nil {
			continue
		}
		for class[i] >= len(t.classes) {
			t.classes = append(t.classes, make([]int, len(t.size)))
		}
		t.classes[class[i]][label]++
	}
	t.rows += len(labels)
}
