package view

import (
	"slices"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/tables"
)

// A model in another order comes back, with its warnings.
func TestMatch(t *testing.T) {
	x := tables.CSV(t, "iris")
	m := tables.Must(softkmeans.FitMinVolume(t.Context(), x, 4, nil))(t)
	order := []int{2, 0, 3, 1}
	other := &softkmeans.Model{Centers: m.Centers.Clone(),
		Memberships: m.Memberships.Clone(), Certificate: m.Certificate,
		Warnings: []softkmeans.Warning{{Kind: softkmeans.WarnFar, Cluster: 0, Value: 4},
			{Kind: softkmeans.WarnCoincident, Cluster: 2, Other: 3}, {Kind: softkmeans.WarnSlack, Value: 2}}}
	other.ClusterMeans, other.Clusters = m.ClusterMeans.Clone(), make([]int, x.Rows)
	for r, c := range m.Clusters {
		other.Clusters[r] = slices.Index(order, c)
	}
	for j, i := range order {
		copy(other.ClusterMeans.Row(j), m.ClusterMeans.Row(i))
		copy(other.Centers.Row(j), m.Centers.Row(i))
		for r := range x.Rows {
			other.Memberships.Set(r, j, m.Memberships.At(r, i))
		}
	}
	got := Match(other, m)
	if !slices.Equal(got.Centers.Data, m.Centers.Data) ||
		!slices.Equal(got.Memberships.Data, m.Memberships.Data) || got.Objective != m.Objective ||
		!slices.Equal(got.ClusterMeans.Data, m.ClusterMeans.Data) ||
		!slices.Equal(got.Labels(nil), m.Labels(nil)) {
		t.Error("the order is another")
	}
	want := []softkmeans.Warning{{Kind: softkmeans.WarnFar, Cluster: 2, Value: 4},
		{Kind: softkmeans.WarnCoincident, Cluster: 1, Other: 3}, {Kind: softkmeans.WarnSlack, Value: 2}}
	if !slices.Equal(got.Warnings, want) || other.Warnings[0].Cluster != 0 {
		t.Errorf("%+v", got.Warnings)
	}
	// Match numbers the prototypes of every kind anew, and leaves those that name none.
	names := map[string]bool{"coincident": true, "empty": true, "far": true, "several": true,
		"slack": false, "labels": false, "shares": false, "dimensions": false, "rows": false}
	for kind := softkmeans.WarningKind(0); !strings.Contains(kind.String(), "("); kind++ {
		moves, known := names[kind.String()]
		other.Warnings = []softkmeans.Warning{{Kind: kind}}
		if got := Match(other, m).Warnings[0]; !known || moves != (got.Cluster == 2 || got.Other == 2) {
			t.Errorf("%v: %+v", kind, got)
		}
	}
}
