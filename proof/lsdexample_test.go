package proof_test

import (
	"context"
	"fmt"

	"softkmeans"
	"softkmeans/proof"
)

// LSDFloor shows how far the objective of a clustering can be above the minimum.
func ExampleLSDFloor() {
	similarities, err := softkmeans.FromRows([][]float64{
		{.8, .7, .6, .2, .1},
		{.7, .7, .7, .1, .2},
		{.6, .7, .8, .2, .1},
		{.2, .1, .2, .9, .7},
		{.1, .2, .1, .7, .8},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := softkmeans.LSD(context.Background(), similarities, 2, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := proof.LSDFloor(context.Background(), similarities, 2, &proof.LSDFloorOptions{Model: m})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("error %.4f, floor by eigenvalues %.4f, by duality %.4f\n", m.Objective, m.Floor, bound.Floor)
	// Output: error 0.0975, floor by eigenvalues 0.0885, by duality 0.0975
}
