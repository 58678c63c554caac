package softkmeans_test

import (
	"context"
	"fmt"
	"log"

	"softkmeans"
)

// Mixtures of two paints, measured in red, green and blue.
var paint = [][]float64{
	{8.1, 1.0, 0.9}, {0.9, 7.1, 2.0}, {4.4, 4.1, 1.5}, {2.7, 5.4, 1.9}, {6.2, 2.6, 1.2}, {7.2, 1.9, 0.9},
}

func ExampleFit() {
	x, err := softkmeans.FromRows(paint)
	if err != nil {
		log.Fatal(err)
	}
	m, err := softkmeans.Fit(context.Background(), x, 2, &softkmeans.Options{Enclosure: softkmeans.EnclosureTight})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("status %v, objective %.3f, floor %.3f\n", m.Status, m.Objective, m.Floor)
	for i := range m.Centers.Rows {
		fmt.Printf("center %d: %5.2f\n", i, m.Centers.Row(i))
	}
	fmt.Printf("row 2 is a mixture of %.2f\n", m.Memberships.Row(2))
	// Output:
	// status optimal, objective 0.064, floor 0.064
	// center 0: [ 8.12  1.03  0.85]
	// center 1: [ 0.87  7.04  2.09]
	// row 2 is a mixture of [0.49 0.51]
}

func ExampleModel_Predict() {
	x, _ := softkmeans.FromRows(paint)
	m, err := softkmeans.Fit(context.Background(), x, 2, &softkmeans.Options{Enclosure: softkmeans.EnclosureTight})
	if err != nil {
		log.Fatal(err)
	}
	more, _ := softkmeans.FromRows([][]float64{{4.5, 4, 1.5}, {20, 0, 0}})
	g, err := m.Predict(nil, more)
	if err != nil {
		log.Fatal(err)
	}
	for i := range g.Rows {
		fmt.Printf("%.2f\n", g.Row(i))
	}
	// Output:
	// [0.50 0.50]
	// [1.00 0.00]
}

// A pair of clusters by hand, held to the proven minimum.
func ExampleCertify() {
	x, _ := softkmeans.FromRows([][]float64{{0, 0}, {0, 1}, {5, 0}, {5, 1}})
	centers, _ := softkmeans.FromRows([][]float64{{0, 0.5}, {5, 0.5}})
	memberships, _ := softkmeans.FromRows([][]float64{{1, 0}, {1, 0}, {0, 1}, {0, 1}})
	c, err := softkmeans.Certify(x, centers, memberships)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("objective %.2f, floor %.2f, optimal %v\n", c.Objective, c.Floor, c.Optimal(0))

	centers.Set(1, 1, 0.9)
	c, _ = softkmeans.Certify(x, centers, memberships)
	fmt.Printf("objective %.2f, floor %.2f, optimal %v\n", c.Objective, c.Floor, c.Optimal(0))
	// Output:
	// objective 1.00, floor 1.00, optimal true
	// objective 1.32, floor 1.00, optimal false
}

func ExampleFloors() {
	x, _ := softkmeans.FromRows(paint)
	floors, err := softkmeans.Floors(x)
	if err != nil {
		log.Fatal(err)
	}
	for i, f := range floors {
		fmt.Printf("k=%d: at least %.3f\n", i+1, f)
	}
	// Output:
	// k=1: at least 65.817
	// k=2: at least 0.064
	// k=3: at least 0.000
	// k=4: at least 0.000
}

func ExampleProjectSimplex() {
	fmt.Println(softkmeans.ProjectSimplex(nil, []float64{0.5, 1.5, -1}))
	// Output:
	// [0 1 0]
}

func ExampleAccuracy() {
	truth := []int{0, 0, 0, 1, 1, 2}
	labels := []int{2, 2, 2, 0, 0, 0}
	acc, err := softkmeans.Accuracy(truth, labels)
	fmt.Printf("%.3f %v\n", acc, err)
	// Output:
	// 0.833 <nil>
}
