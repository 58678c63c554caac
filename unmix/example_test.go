package unmix_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"softkmeans"
	"softkmeans/metrics"
	"softkmeans/unmix"
)

// An image of 400 pixels in ten bands: mixtures of two materials, with noise and varying brightness.
func ExampleFit() {
	rng := rand.New(rand.NewPCG(1, 2))
	x, truth := softkmeans.NewMatrix(400, 10, nil), make([]int, 400)
	for i := range x.Rows {
		share, brightness := rng.Float64(), 0.5+rng.Float64()
		if truth[i] = 0; share < 0.5 {
			truth[i] = 1
		}
		for c, row := 0, x.Row(i); c < x.Cols; c++ {
			soil, leaf := 0.2+0.05*float64(c), 0.6-0.04*float64(c)
			row[c] = brightness*(share*soil+(1-share)*leaf) + 0.002*rng.NormFloat64()
		}
	}
	r, err := unmix.Fit(context.Background(), x, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	right, err := metrics.Accuracy(truth, r.Labels(nil))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("scaling:", r.Scaling)
	fmt.Printf("spectra: %d×%d\n", r.Centers.Rows, r.Centers.Cols)
	fmt.Println("largest material right in 95 % of the pixels:", right > 0.95)
	// Output:
	// scaling: unit
	// spectra: 2×10
	// largest material right in 95 % of the pixels: true
}
