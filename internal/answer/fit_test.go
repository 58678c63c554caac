package answer

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/scale"
)

// The share of the variance between clusters does not depend on where 0 is.
func TestBetween(t *testing.T) {
	for _, origin := range []float64{0, 1e8, -1e15} {
		rows := []float64{0, 1, 10, 11, 20, 22}
		for i := range rows {
			rows[i] += origin
		}
		f := &Fit{Means: new(softkmeans.Matrix), Columns: scale.ColumnsOf(rows, 1, nil, nil), Model: &softkmeans.Model{
			ClusterMeans:   softkmeans.NewMatrix(3, 1, []float64{origin + .5, origin + 10.5, origin + 21}),
			ClusterWeights: []float64{1. / 3, 1. / 3, 1. / 3}}}
		// Squares within clusters are .5, .5 and 2; those about the mean 64/6 are 1270/3.
		if got, want := f.between(), 1-3/(1270./3); math.Abs(got-want) > 1e-6 {
			t.Errorf("about %g: %g, want %g", origin, got, want)
		}
	}
}

// What is no mean of the rows, or a number of some rows, is not said to be one of all.
func TestEstimates(t *testing.T) {
	f := &Fit{Missing: 3, Model: &softkmeans.Model{}}
	if text := f.where(1); !strings.Contains(text, "estimate") {
		t.Error(text)
	}
	f = &Fit{Summarised: true, Model: &softkmeans.Model{}}
	a := &Answer{}
	f.Details(a)
	if text := strings.Join(a.How, " "); !strings.Contains(text, "Means and weights of clusters are of the sample") {
		t.Error(text)
	}
}

// Lists that were not looked for are left out, empty ones are not.
func TestLists(t *testing.T) {
	for want, p := range map[string]Prototype{
		`{"name":"p0","membership":1}`:                          {Name: "p0", Membership: 1},
		`{"name":"p0","membership":1,"columns":[],"purest":[]}`: {Name: "p0", Membership: 1, Columns: []Difference{}, Purest: []Row{}},
	} {
		if got, err := json.Marshal(p); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}
