package kernel_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"softkmeans"
	"softkmeans/kernel"
)

// Soft k-means with a kernel, and a new sample.
func ExampleRBF() {
	x, _ := softkmeans.FromRows([][]float64{{0, 0}, {1, 0}, {0, 1}, {8, 8}, {9, 8}, {8, 9}})
	k, err := kernel.RBF(x, 0) // the median heuristic
	if err != nil {
		log.Fatal(err)
	}
	m, err := softkmeans.TILSD(context.Background(), k, 2, &softkmeans.LSDOptions{Enclosure: softkmeans.EnclosureTight})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Labels(nil), m.Status)
	more, _ := softkmeans.FromRows([][]float64{{0.5, 0.5}, {4.5, 4.5}})
	rows, err := kernel.RBFBetween(more, x, 0)
	if err != nil {
		log.Fatal(err)
	}
	g, err := m.Predict(nil, rows)
	if err != nil {
		log.Fatal(err)
	}
	for i := range g.Rows {
		fmt.Printf("%.2f\n", g.Row(i))
	}
	// Output:
	// [0 0 0 1 1 1] optimal
	// [0.96 0.04]
	// [0.47 0.53]
}

// Compact prototypes with a kernel: FitMinVolume fits the leading coordinates of TILSD. No prototypes in the
// plane distinguish these two rings, one inside the other.
func Example_coordinates() {
	x := softkmeans.NewMatrix(60, 2, nil)
	for i := range 60 {
		radius := 1 + 4*float64(i%2)
		angle := 2 * math.Pi * float64(i) / 60
		x.Set(i, 0, radius*math.Cos(angle))
		x.Set(i, 1, radius*math.Sin(angle))
	}
	ctx := context.Background()
	similarities, err := kernel.RBF(x, 0.2)
	if err != nil {
		log.Fatal(err)
	}
	const k = 2
	space, err := softkmeans.TILSD(ctx, similarities, 3*k, nil)
	if err != nil {
		log.Fatal(err)
	}
	w, err := space.Coordinates(nil, nil) // of the training samples
	if err != nil {
		log.Fatal(err)
	}
	m, err := softkmeans.FitMinVolume(ctx, w, k, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Labels(nil)[:10])
	more, _ := softkmeans.FromRows([][]float64{{0, 1.1}, {-4.8, 0}})
	rows, err := kernel.RBFBetween(more, x, 0.2)
	if err != nil {
		log.Fatal(err)
	}
	if w, err = space.Coordinates(nil, rows); err != nil {
		log.Fatal(err)
	}
	g, err := m.Predict(nil, w)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f %.1f\n", g.Row(0), g.Row(1))
	// Output:
	// [1 0 1 0 1 0 1 0 1 0]
	// [0.0 1.0] [1.0 0.0]
}
