package stream_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"softkmeans"
	"softkmeans/stream"
)

// A program reads its table anew from a file for every pass; here a formula makes the rows. Only one block is
// in memory.
func ExampleFit() {
	blocks := func(yield func(*softkmeans.Matrix, error) bool) {
		block := softkmeans.NewMatrix(1000, 3, nil) // used again for every block
		for first := 0; first < 100000; first += block.Rows {
			for i := range block.Rows {
				a, b := math.Sincos(float64(first + i))
				copy(block.Row(i), []float64{7 + a, 5 + b, a + b + 0.01*math.Sin(3*float64(first+i))})
			}
			if !yield(block, nil) { // an error in its place ends the fit
				return
			}
		}
	}
	largest := 0.0
	m, err := stream.Fit(context.Background(), blocks, 3, &stream.Options{
		Memberships: func(first int, g *softkmeans.Matrix) error { // rows first, first+1, …
			for i := range g.Rows {
				largest = max(largest, g.At(i, 0))
			}
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("objective %.4f, floor %.4f, of %.0f\n", m.Objective, m.Floor, m.Total)
	fmt.Printf("largest membership of the first prototype: %.2f\n", largest)
	// Output:
	// objective 1.6666, floor 1.6666, of 200005
	// largest membership of the first prototype: 0.64
}

// Each process adds its part of a table to a Stats and an Extent, and sends only their binary forms.
func ExampleSubspace() {
	parts := []*softkmeans.Matrix{
		softkmeans.NewMatrix(2, 3, []float64{0, 0, 1, 1, 0, 1}),
		softkmeans.NewMatrix(4, 3, []float64{0, 1, 1, 4, 5, 1, 2, 2, 0, 3, 1, 0}),
	}
	var all softkmeans.Stats
	for _, part := range parts {
		var s softkmeans.Stats // in the part's process, which sends it by MarshalBinary
		if err := s.Add(part); err != nil {
			log.Fatal(err)
		}
		if err := all.Merge(&s); err != nil {
			log.Fatal(err)
		}
	}
	p, err := stream.NewSubspace(context.Background(), &all, 3, nil) // goes to all processes
	if err != nil {
		log.Fatal(err)
	}
	var reach stream.Extent
	for _, part := range parts {
		var e stream.Extent
		if err := e.Add(p, part, nil); err != nil {
			log.Fatal(err)
		}
		if err := reach.Merge(&e); err != nil {
			log.Fatal(err)
		}
	}
	m, err := p.Model(&reach)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("objective %.3f, floor %.3f\n", m.Objective, m.Floor)
	// Output:
	// objective 0.660, floor 0.660
}
