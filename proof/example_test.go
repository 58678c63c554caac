package proof_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"softkmeans"
	"softkmeans/enclosure"
	"softkmeans/proof"
)

func ExampleVolumeFloor() {
	x, _ := softkmeans.FromRows([][]float64{{0, 0}, {4, 0}, {0, 3}, {1, 1}, {2, 1}})
	floor, err := proof.VolumeFloor(context.Background(), x, 3, 0, nil)
	if err != nil {
		log.Fatal(err)
	}
	m, err := softkmeans.Fit(context.Background(), x, 3, nil)
	if err == nil {
		m, err = enclosure.Smallest(context.Background(), m)
	}
	if err != nil {
		log.Fatal(err)
	}
	area, _ := softkmeans.LogVolume(m.Centers)
	fmt.Printf("no triangle below %.3f; the smallest is of %.3f\n", math.Exp(floor.LogVolume), math.Exp(area))
	// Output: no triangle below 6.000; the smallest is of 6.000
}
