package view

import (
	"softkmeans"
	"softkmeans/internal/draws"
	"softkmeans/internal/la"
	"softkmeans/metrics"
)

// Match puts the prototypes of a model in the order of those of another model of the same rows, so that a
// number and a color mean about the same in both: matched prototypes share the most membership.
func Match(m, like *softkmeans.Model) *softkmeans.Model {
	place := metrics.Assignment(la.Product(la.Transpose(m.Memberships), like.Memberships))
	from := make([]int, len(place)) // prototype from[j] of m is matched to j
	for i, j := range place {
		from[j] = i
	}
	sorted := *m
	sorted.Centers, sorted.Memberships = draws.Chosen(m.Centers, from),
		softkmeans.NewMatrix(m.Memberships.Rows, len(from), nil)
	for r := range m.Memberships.Rows {
		old, row := m.Memberships.Row(r), sorted.Memberships.Row(r)
		for j, i := range from {
			row[j] = old[i]
		}
	}
	if m.ClusterMeans != nil {
		sorted.ClusterMeans = draws.Chosen(m.ClusterMeans, from)
	}
	if m.ClusterWeights != nil {
		sorted.ClusterWeights = make([]float64, len(from))
		for j, i := range from {
			sorted.ClusterWeights[j] = m.ClusterWeights[i]
		}
	}
	if m.Clusters != nil {
		sorted.Clusters = make([]int, len(m.Clusters))
		for r, i := range m.Clusters {
			sorted.Clusters[r] = place[i]
		}
	}
	sorted.Warnings = renumbered(m.Warnings, place)
	return &sorted
}
