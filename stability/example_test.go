package stability_test

import (
	"fmt"
	"log"

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
