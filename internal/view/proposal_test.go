package view

import (
	"strings"
	"testing"

	"softkmeans/choosek"
)

// A direction above the bound of its noise that does not count is rounding: it is below 1e-12 of the variance.
func TestNoiseOpinion(t *testing.T) {
	c := choosek.Choice{Edge: 2, Step: []float64{0, .9, 2e-13}, Bound: []float64{0, .01, 5e-14}}
	want := "Noise: k = 2; direction 1 has 90\u00a0% of the variance (white noise up to 1\u00a0%), direction 2 has " +
		"2e-11\u00a0% of the variance, which may be rounding."
	if got := noiseOpinion(&c); got != want {
		t.Errorf("%q", got)
	}
	if c.Bound[2] = 3e-13; !strings.HasSuffix(noiseOpinion(&c), "(noise up to 3e-11\u00a0%).") {
		t.Errorf("%q", noiseOpinion(&c))
	}
}
