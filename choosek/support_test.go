package choosek

import (
	"math"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/tables"
)

// Where none is certain, two opinions go before standardized columns, and these before one opinion.
func TestSupported(t *testing.T) {
	t.Parallel()
	sure, unsure := &Choice{K: 7}, &Choice{Edge: 5}
	for _, c := range []struct {
		c    Choice
		k    int
		says string
	}{
		{Choice{K: 3, Reason: "so", Edge: 4, HeldOut: 4}, 3, "so"},
		{Choice{Reason: "so", Edge: 4, HeldOut: 4, Stable: 3, Standardized: sure}, 4,
			"no certain k: so; noise and held-out entries say 4"},
		{Choice{Edge: 4, HeldOut: 6, Stable: 4}, 4, "; noise and halves of the rows say 4"},
		{Choice{Edge: 4, HeldOut: 6, Stable: 2, Standardized: sure}, 7, "; standardized columns say 7"},
		{Choice{Edge: 4, HeldOut: 6, Stable: 2, Standardized: unsure}, 4, "; noise says 4"},
		{Choice{Edge: 4, HeldOut: 6, Stable: 7}, 7, "; halves of the rows say 7"},
		{Choice{Edge: 4, HeldOut: 13, Stable: 7}, 4, "; noise says 4"},
		{Choice{Edge: 22, HeldOut: 13, Stable: 4}, 4, "; halves of the rows say 4"},
		{Choice{Edge: 13, HeldOut: 13}, 0, ""},
		{Choice{Edge: 13, HeldOut: 6}, 6, "; held-out entries say 6"},
		{Choice{Edge: 1, HeldOut: 6, Reason: "so"}, 0, "so"},
		{Choice{Edge: 1, HeldOut: 1}, 0, ""},
		{Choice{}, 0, ""},
	} {
		c.c.most, c.c.limit = 12, 12
		if k, why := c.c.Supported(); k != c.k || !strings.HasSuffix(why, c.says) {
			t.Errorf("%+v: %d, %q", c.c, k, why)
		}
	}
}

// Standardized columns are tried where no two opinions are the same; their units make no difference.
func TestChooseStandardized(t *testing.T) {
	t.Parallel()
	x := blobs(96, 6, 3, 4)
	for i := range x.Rows {
		for j := range x.Cols {
			x.Row(i)[j] *= math.Exp2(float64(j))
		}
	}
	c := tables.Must(Choose(t.Context(), x, &Options{MaxK: 6}))(t)
	s := c.Standardized
	k, why := c.Supported()
	if c.K != 0 || s == nil || s.K != 3 || k != 3 || !strings.HasSuffix(why, "; standardized columns say 3") {
		t.Errorf("%+v, %+v: %d, %q", c, s, k, why)
	}
	if z := standardized(x); z == nil || standardized(z) != nil {
		t.Error("columns of variance 1 are standardized again")
	}
	if standardized(softkmeans.NewMatrix(9, 2, nil)) != nil {
		t.Error("constant columns are standardized")
	}
}
