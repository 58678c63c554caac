package choosek

import (
	"math"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/tables"
)

// asked is a choice of which up to 12 prototypes were tried, in 20 columns.
func asked(c Choice) Choice {
	c.most, c.limit, c.dims, c.Error = 12, 12, 20, make([]float64, 13)
	return c
}

// sure is K if it is certain, else 0.
func sure(c Choice) int {
	if c.Certain {
		return c.K
	}
	return 0
}

// TestDecideK: which numbers are certain.
func TestDecideK(t *testing.T) {
	t.Parallel()
	curve := []float64{1, 0.9, 0.9, 0.2, 0.9, 0.1} // stable: 2, 3, 5
	for _, c := range []struct {
		edge, held int
		permuted   bool
		k          int
	}{
		{3, 3, false, 3}, {3, 6, false, 3}, {4, 4, false, 0}, {4, 5, false, 5}, {1, 1, false, 0}, {9, 9, false, 0},
		{5, 5, true, 5}, {5, 4, true, 5}, {5, 7, true, 0}, {3, 3, true, 0}, {1, 5, true, 5},
	} {
		got := asked(Choice{Edge: c.edge, HeldOut: c.held, Permuted: c.permuted, Agreement: curve, Chance: make([]float64, 6)})
		if got.decide(); sure(got) != c.k || got.Stable != 5 || got.Reason == "" {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	// Halves that agree by 0.7 confirm what the others agree on, where noise is white.
	for _, c := range []struct {
		edge, held int
		permuted   bool
		k          int
	}{{3, 3, false, 3}, {3, 4, false, 0}, {3, 3, true, 0}, {2, 2, false, 0}, {4, 4, false, 0}} {
		got := asked(Choice{Edge: c.edge, HeldOut: c.held, Permuted: c.permuted, Agreement: []float64{1, 0.69, 0.75, 0.75}, Chance: []float64{0, 0, 0.6, 0.61}})
		if got.decide(); sure(got) != c.k || got.Stable != 0 || got.Certain && !strings.HasPrefix(got.Reason, "noise and held-out entries speak for 3") {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	none := asked(Choice{Edge: 2, HeldOut: 2, Agreement: []float64{1, 0.9}, Chance: []float64{1, 0.8}})
	if none.decide(); none.Certain || none.Stable != 0 {
		t.Errorf("no better than chance: %+v", none)
	}
}

// A criterion that says the most it can say in so many columns confirms nothing, but has a candidate.
func TestDecideBounded(t *testing.T) {
	t.Parallel()
	curve, chance := []float64{1, 0.9, 0.9, 0.2}, make([]float64, 4) // stable: 2, 3
	for _, c := range []struct {
		edge, held, dims, tried int
		permuted                bool
		k                       int
		says                    string
	}{
		{1, 2, 2, 2, true, 3, "not certain: 3 by halves of the rows, 1 by the noise, 2 or more by held-out entries"},
		{3, 3, 5, 3, true, 3, "not certain: 3 by the noise and held-out entries, 3 by halves of the rows"},
		{3, 2, 2, 3, true, 3, "not certain: 3 by the noise and halves of the rows, 2 by held-out entries"},
		{2, 3, 5, 3, true, 3, "not certain: 3 by held-out entries and halves of the rows, 2 by the noise"},
		{3, 3, 5, 3, false, 3, ""}, {3, 2, 3, 3, true, 3, ""}, {1, 3, 5, 4, true, 3, ""},
	} {
		got := Choice{Edge: c.edge, HeldOut: c.held, Permuted: c.permuted, Agreement: curve, Chance: chance}
		got.most, got.limit, got.dims, got.Error = 12, 12, c.dims, make([]float64, c.tried)
		if got.decide(); got.K != c.k || got.Certain != (c.says == "") || c.says != "" && got.Reason != c.says {
			t.Errorf("%+v: %d, %v, %q", c, got.K, got.Certain, got.Reason)
		}
	}
}

// If no number is certain, two criteria go before standardized columns, and these before one criterion.
func TestCandidate(t *testing.T) {
	t.Parallel()
	certain, unsure := &Choice{K: 7, Certain: true}, &Choice{K: 5}
	seven := []float64{1, 0, 0, 0, 0, 0, .9}
	stable := func(k int) []float64 { return append(make([]float64, k-1), .9) }
	for _, c := range []struct {
		c    Choice
		k    int
		says string
	}{
		{Choice{Edge: 4, HeldOut: 4, Agreement: stable(3), Standardized: certain}, 4,
			"4 by the noise and held-out entries, 3 by halves of the rows"},
		{Choice{Edge: 4, HeldOut: 6, Agreement: stable(4), Permuted: true}, 4,
			"4 by the noise and halves of the rows, 6 by held-out entries"},
		{Choice{Edge: 4, HeldOut: 6, Agreement: stable(2), Standardized: certain}, 7,
			"7 by standardized columns, 4 by the noise, 6 by held-out entries, 2 by halves of the rows"},
		{Choice{Edge: 4, HeldOut: 6, Agreement: stable(2), Standardized: unsure}, 4,
			"4 by the noise, 6 by held-out entries, 2 by halves of the rows"},
		{Choice{Edge: 4, HeldOut: 6, Agreement: seven}, 7,
			"7 by halves of the rows, 4 by the noise, 6 by held-out entries"},
		{Choice{Edge: 4, HeldOut: 13, Agreement: seven}, 4,
			"4 by the noise, 13 or more by held-out entries, 7 by halves of the rows"},
		{Choice{Edge: 22, HeldOut: 13, Agreement: stable(4)}, 4,
			"4 by halves of the rows, 22 or more by the noise, 13 or more by held-out entries"},
		{Choice{Edge: 13, HeldOut: 6}, 6,
			"6 by held-out entries, 13 or more by the noise, none by halves of the rows"},
		{Choice{Edge: 13, HeldOut: 13}, 0,
			"13 or more by the noise, 13 or more by held-out entries, none by halves of the rows"},
		{Choice{Edge: 1, HeldOut: 6}, 0, "1 by the noise, 6 by held-out entries, none by halves of the rows"},
		{Choice{Edge: 1, HeldOut: 1}, 0, "nothing stands out of the noise"},
		{Choice{Edge: 1}, 0, "nothing stands out of the noise"},
		{Choice{Edge: 4, HeldOut: 6, Clusters: 9}, 9, "the rows lie in about 9 clusters that are apart (silhouette " +
			"0.75); clusters that touch count as one. As mixtures, " +
			"4 by the noise, 6 by held-out entries, none by halves of the rows"},
		{Choice{Edge: 1, HeldOut: 1, Clusters: 9}, 9, "nothing stands out of the noise"},
		{Choice{Edge: 4, HeldOut: 6, Agreement: stable(4), Clusters: 9}, 9,
			"As mixtures, as many directions exceed the noise as 4 prototypes span, and halves of the rows " +
				"agree on them"},
	} {
		got := asked(c.c)
		got.Chance, got.Silhouette = make([]float64, len(got.Agreement)), []float64{8: 0.75}
		if got.decide(); got.K != c.k || got.Certain || !strings.HasSuffix(got.Reason, c.says) ||
			got.Clusters == 0 && strings.HasPrefix(got.Reason, "not certain: ") != (c.k > 0) {
			t.Errorf("%+v: %d, %q", c.c, got.K, got.Reason)
		}
	}
	// Clusters do not lower a number that is certain, and rows divided by their sums need no halves.
	for _, c := range []Choice{{Edge: 4, HeldOut: 6, Agreement: stable(4), Clusters: 4}, {Edge: 4, HeldOut: 4, divided: true}} {
		got := asked(c)
		got.Chance = make([]float64, len(got.Agreement))
		if got.decide(); got.K != 4 || !got.Certain {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// Standardized columns are tried if no two criteria are the same; their units make no difference.
func TestChooseStandardized(t *testing.T) {
	t.Parallel()
	x := blobs(96, 6, 3, 5)
	for i := range x.Rows {
		for j := range x.Cols {
			x.Row(i)[j] *= math.Exp2(float64(j))
		}
	}
	c := tables.Must(Choose(t.Context(), x, &Options{MaxK: 6}))(t)
	s := c.Standardized
	if c.Certain || s == nil || !s.Certain || s.K != 3 || c.K != 3 ||
		!strings.HasPrefix(c.Reason, "not certain: 3 by standardized columns, ") {
		t.Errorf("%+v, %+v", c, s)
	}
	if z := standardized(x); z == nil || standardized(z) != nil {
		t.Error("columns of variance 1 are standardized again")
	}
	if standardized(softkmeans.NewMatrix(9, 2, nil)) != nil {
		t.Error("constant columns are standardized")
	}
}
