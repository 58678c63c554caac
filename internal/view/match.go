package view

import (
	"softkmeans"
)

// Match puts the prototypes of a model in the order of those of another model of the
// same rows, so that a number and a color mean about the same in both. It matches the
// two prototypes that share the most membership, then the next two, and so on.
func Match(m, like *softkmeans.Model) *softkmeans.Model {
	k := m.Centers.Rows
	shared := product(m.Memberships, like.Memberships)
	from, taken := make([]int, k), make([]bool, k) // prototype from[j] of m is matched to j
	for j := range from {
		from[j] = -1
	}
	for range k {
		a, b, most := -1, -1, 0.0
		for i := range k {
			for j := range k {
				if v := shared.At(i, j); !taken[i] && from[j] < 0 && (a < 0 || v > most) {
					a, b, most = i, j, v
				}
			}
		}
		from[b], taken[a] = a, true
	}
	place := make([]int, k)
	for j, i := range from {
		place[i] = j
	}
	sorted := *m
	sorted.Centers, sorted.Memberships = rowsAt(m.Centers, from),
		softkmeans.NewMatrix(m.Memberships.Rows, k, nil)
	for r := range m.Memberships.Rows {
		old, row := m.Memberships.Row(r), sorted.Memberships.Row(r)
		for j, i := range from {
			row[j] = old[i]
		}
	}
	if m.ClusterMeans != nil {
		sorted.ClusterMeans = rowsAt(m.ClusterMeans, from)
	}
	if m.Clusters != nil {
		sorted.Clusters = make([]int, len(m.Clusters))
		for r, i := range m.Clusters {
			sorted.Clusters[r] = place[i]
		}
	}
	sorted.Warnings = append([]softkmeans.Warning(nil), m.Warnings...)
	for i := range sorted.Warnings {
		w := &sorted.Warnings[i]
		switch w.Kind {
		case softkmeans.WarnCoincident:
			a, b := place[w.Cluster], place[w.Other]
			w.Cluster, w.Other = min(a, b), max(a, b)
		case softkmeans.WarnEmpty, softkmeans.WarnFar, softkmeans.WarnSeveral:
			w.Cluster = place[w.Cluster]
		}
	}
	return &sorted
}

// rowsAt returns the rows of m with the given numbers.
func rowsAt(m *softkmeans.Matrix, numbers []int) *softkmeans.Matrix {
	out := softkmeans.NewMatrix(len(numbers), m.Cols, nil)
	for j, i := range numbers {
		copy(out.Row(j), m.Row(i))
	}
	return out
}
