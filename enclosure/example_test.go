package enclosure_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"softkmeans"
	"softkmeans/enclosure"
)

// Fit encloses the rows by a regular simplex. Smallest finds the smallest triangle with the same mixtures.
func ExampleSmallest() {
	ctx := context.Background()
	x, _ := softkmeans.FromRows([][]float64{{0, 0}, {8, 0}, {0, 1}, {4, 0.5}, {2, 0.2}, {1, 0.6}})
	m, err := softkmeans.Fit(ctx, x, 3, nil)
	if err != nil {
		log.Fatal(err)
	}
	small, err := enclosure.Smallest(ctx, m)
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range []*softkmeans.Model{m, small} {
		area, _ := softkmeans.LogVolume(m.Centers)
		fmt.Printf("area %.1f, squared error %.1f\n", math.Exp(area), m.Objective)
	}
	// Output:
	// area 157.9, squared error 0.0
	// area 4.0, squared error 0.0
}

// Rows are mixtures of two spectra and of shadow, which is 0: memberships add up to at most 1.
func ExampleCone() {
	x, _ := softkmeans.FromRows([][]float64{{4, 0, 2}, {0, 6, 1}, {2, 3, 1.5}, {1, 1.5, 0.75}})
	m, err := enclosure.Cone(context.Background(), x, 2, &softkmeans.Options{Enclosure: softkmeans.EnclosureTight})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Status, m.Sum)
	for i := range m.Memberships.Rows {
		g := m.Memberships.Row(i)
		fmt.Printf("%.2f, sum %.2f\n", g, g[0]+g[1])
	}
	// Output:
	// optimal at most one
	// [0.74 0.00], sum 0.74
	// [0.00 1.00], sum 1.00
	// [0.37 0.50], sum 0.87
	// [0.18 0.25], sum 0.43
}
