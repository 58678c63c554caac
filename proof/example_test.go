package proof_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"softkmeans"
	"softkmeans/proof"
)

func ExampleVolumeFloor() {
	x, _ := softkmeans.FromRows([][]float64{{0, 0}, {4, 0}, {0, 3}, {1, 1}, {2, 1}})
	floor, err := proof.VolumeFloor(context.Background(), x, 3, 0, nil)
	if err != nil {
		log.Fatal(err)
	}
	smallest := &softkmeans.Options{Enclosure: softkmeans.EnclosureSmallest}
	m, err := softkmeans.Fit(context.Background(), x, 3, smallest)
	if err != nil {
		log.Fatal(err)
	}
	area, _ := softkmeans.LogVolume(m.Centers)
	fmt.Printf("no triangle below %.3f; Fit's is of %.3f\n", math.Exp(floor.LogVolume), math.Exp(area))
	// Output: no triangle below 6.000; Fit's is of 6.000
}
