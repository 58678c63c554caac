package stability_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"softkmeans"
	"softkmeans/stability"
)

// Match finds for each prototype of yesterday's model its match in today's model.
func ExampleMatch() {
	a, _ := softkmeans.FromRows([][]float64{{0, 0}, {10, 0}, {0, 10}})
	b, _ := softkmeans.FromRows([][]float64{{1, 9}, {0, 0}, {11, 0}, {5, 5}})
	m, err := stability.Match(&softkmeans.Model{Centers: a}, &softkmeans.Model{Centers: b})
	if err != nil {
		log.Fatal(err)
	}
	for i, j := range m.To {
		fmt.Printf("%d is %d now, and moved by %.1f\n", i, j, m.Moved[i])
	}
	fmt.Println("new:", m.From)
	// Output:
	// 0 is 1 now, and moved by 0.0
	// 1 is 2 now, and moved by 1.0
	// 2 is 0 now, and moved by 1.4
	// new: [2 0 1 -1]
}

// Two groups of rows, and how sure their prototypes and labels are.
func ExampleBootstrap() {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(1, 2))
	x := softkmeans.NewMatrix(60, 2, nil)
	for i := range x.Rows {
		x.Set(i, 0, float64(10*(i%2))+rng.NormFloat64())
		x.Set(i, 1, rng.NormFloat64())
	}
	m, err := softkmeans.FitMinVolume(ctx, x, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := stability.Others(ctx, x, m, nil); err != nil {
		log.Fatal(err)
	}
	b, err := stability.Bootstrap(ctx, x, m, &stability.BootstrapOptions{Resamples: 50})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("warnings:", len(m.Warnings))
	fmt.Printf("rows keep their label in %.0f %% of the refits\n", 100*b.Stability)
	fmt.Println("half width below 1:", (b.Upper.At(0, 0)-b.Lower.At(0, 0))/2 < 1)
	// Output:
	// warnings: 0
	// rows keep their label in 100 % of the refits
	// half width below 1: true
}
