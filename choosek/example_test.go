package choosek_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"softkmeans"
	"softkmeans/choosek"
)

func ExamplePropose() {
	floors := []float64{100, 40, 8, 6, 4.5, 3, 2, 1, 0}
	p, err := choosek.Propose(floors)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.K, "since", p.Reason)
	fmt.Println("second opinions:", p.Elbow, p.Profile)
	// Output:
	// 3 since prototype 3 adds 32.0 % of the variance, more than the 21.5 % expected by chance; prototype 4 would add 2.0 %, less than 15.2 % by chance
	// second opinions: 3 3
}

// Three clusters in six columns.
func ExampleChoose() {
	x := softkmeans.NewMatrix(90, 6, nil)
	for i := range x.Data {
		row, col := i/6, i%6
		x.Data[i] = 9*float64((row%3+col)%3) + math.Sin(float64(i*i))
	}
	c, err := choosek.Choose(context.Background(), x, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.K, "since", c.Reason)
	fmt.Println("opinions:", c.Edge, c.HeldOut, c.Stable)
	// Output:
	// 3 since as many directions exceed the noise as 3 prototypes span, and halves of the rows agree on them
	// opinions: 3 3 3
}
