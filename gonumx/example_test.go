package gonumx_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"softkmeans"
	"softkmeans/gonumx"
)

// The fit reads the numbers of a gonum matrix without a copy, and its centers become a gonum matrix.
func Example() {
	data := mat.NewDense(4, 3, []float64{8.1, 1, 0.9, 0.9, 7.1, 2, 4.4, 4.1, 1.5, 2.7, 5.4, 1.9})
	x, err := gonumx.Of(data)
	if err != nil {
		log.Fatal(err)
	}
	m, err := softkmeans.FitMinVolume(context.Background(), x, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	var mixed mat.Dense
	mixed.Mul(gonumx.Dense(m.Memberships), gonumx.Dense(m.Centers))
	mixed.Sub(data, &mixed)
	fmt.Printf("%.1f\n", mat.Formatted(gonumx.Dense(m.Centers)))
	fmt.Printf("squared error %.3f\n", mat.Norm(&mixed, 2)*mat.Norm(&mixed, 2))
	// Output:
	// ⎡0.9  7.0  2.1⎤
	// ⎣8.1  1.0  0.9⎦
	// squared error 0.037
}

// The mean and the spread of a column within each soft cluster.
func ExampleShares() {
	data := mat.NewDense(6, 1, []float64{1.0, 1.2, 0.9, 5.1, 4.9, 5.2})
	x, err := gonumx.Of(data)
	if err != nil {
		log.Fatal(err)
	}
	m, err := softkmeans.FitMinVolume(context.Background(), x, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	for j, w := range gonumx.Shares(m) {
		mean, deviation := stat.MeanStdDev(mat.Col(nil, 0, data), w)
		fmt.Printf("p%d: %.2f ± %.2f\n", j, mean, deviation)
	}
	// Output:
	// p0: 5.07 ± 0.15
	// p1: 1.03 ± 0.15
}
