package missing_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"softkmeans"
	"softkmeans/missing"
)

// Two groups of rows, in which NaN marks missing entries.
func ExampleFit() {
	nan := math.NaN()
	x, err := softkmeans.FromRows([][]float64{
		{1, 2, 1}, {1.2, nan, 1}, {0.9, 2.1, nan}, {1.1, 1.9, 1.2},
		{7, 8, 5}, {nan, 8.2, 5.1}, {7.1, nan, 4.9}, {6.9, 7.8, 5},
	})
	if err != nil {
		log.Fatal(err)
	}
	m, err := missing.Fit(context.Background(), x, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	labels := m.Labels(nil)
	fmt.Println("is row i labelled otherwise than row i+4:")
	for i := range 4 {
		fmt.Print(" ", labels[i] != labels[i+4])
	}
	fmt.Println()
	newRows := softkmeans.NewMatrix(1, 3, []float64{nan, 8, nan})
	of, err := missing.PredictLabels(m, nil, newRows)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("a new row is like row 4:", of[0] == labels[4])
	// Output:
	// is row i labelled otherwise than row i+4:
	//  true true true true
	// a new row is like row 4: true
}
