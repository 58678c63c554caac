package choosek

import (
	"math"
	"slices"
	"testing"

	"softkmeans/internal/tables"
)

// TestHeldOutErrors: entries of noise are predicted worse by any direction, those of a
// mixture exactly by as many as it has.
func TestHeldOutErrors(t *testing.T) {
	t.Parallel()
	noise := tables.Normal(200, 8, 1)
	errs, deviation, err := heldOutErrors(t.Context(), noise, 20, 1)
	if err != nil || len(errs) != 5 || slices.Index(errs, slices.Min(errs)) != 0 {
		t.Errorf("noise: %v, %v", errs, err)
	}
	// Without directions the error is that of the means, and its deviation that of a sum.
	total := tables.Squares(noise.Data)
	if math.Abs(errs[0]/total-1) > 0.05 || deviation[0] < 0.01*total || deviation[0] > 0.1*total {
		t.Errorf("%g ± %g of %g", errs[0], deviation[0], total)
	}
	x := tables.Mixtures(200, 8, 4, 2)
	errs, _, err = heldOutErrors(t.Context(), x, 20, 1)
	if err != nil || errs[3] > 1e-20*errs[0] || errs[2] < 1e-6*errs[0] {
		t.Errorf("mixture: %v, %v", errs, err)
	}
	if errs, _, err := heldOutErrors(t.Context(), tables.Normal(20, 1, 1), 5, 1); err != nil || len(errs) > 1 {
		t.Errorf("one column: %v, %v", errs, err)
	}
}
