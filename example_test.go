package softkmeans_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"softkmeans"
)

// Mixtures of two paints, measured in red, green and blue.
var paint = [][]float64{
	{8.1, 1.0, 0.9}, {0.9, 7.1, 2.0}, {4.4, 4.1, 1.5}, {2.7, 5.4, 1.9}, {6.2, 2.6, 1.2}, {7.2, 1.9, 0.9},
}

// Fit of four mixtures of two paints. The README fits the same rows by FitMinVolume.
func Example() {
	x, err := softkmeans.FromRows([][]float64{{8.1, 1, 0.9}, {0.9, 7.1, 2}, {4.4, 4.1, 1.5}, {2.7, 5.4, 1.9}})
	if err != nil {
		log.Fatal(err)
	}
	m, err := softkmeans.Fit(context.Background(), x, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("reached %.6f, least possible %.6f\n", m.Objective, m.Floor)
	fmt.Printf("centers %.2f\n", m.Centers.Data)
	fmt.Printf("shares %.2f, labels %v\n", m.Memberships.Data, m.Labels(nil))
	// Output:
	// reached 0.033178, least possible 0.033178
	// centers [8.09 0.99 0.92 -0.04 7.81 2.23]
	// shares [1.00 0.00 0.11 0.89 0.55 0.45 0.34 0.66], labels [0 1 0 1]
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

// Certify compares two clusters, made by hand, with the proved minimum.
func ExampleCertify() {
	x, _ := softkmeans.FromRows([][]float64{{0, 0}, {0, 1}, {5, 0}, {5, 1}})
	centers, _ := softkmeans.FromRows([][]float64{{0, 0.5}, {5, 0.5}})
	memberships, _ := softkmeans.FromRows([][]float64{{1, 0}, {1, 0}, {0, 1}, {0, 1}})
	c, err := softkmeans.Certify(context.Background(), x, centers, memberships, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("objective %.2f, floor %.2f, optimal %v\n", c.Objective, c.Floor, c.Optimal(0))

	centers.Set(1, 1, 0.9)
	c, _ = softkmeans.Certify(context.Background(), x, centers, memberships, nil)
	fmt.Printf("objective %.2f, floor %.2f, optimal %v\n", c.Objective, c.Floor, c.Optimal(0))
	// Output:
	// objective 1.00, floor 1.00, optimal true
	// objective 1.32, floor 1.00, optimal false
}

func ExampleFloors() {
	x, _ := softkmeans.FromRows(paint)
	floors, err := softkmeans.Floors(context.Background(), x, nil)
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

// FitMinVolume permits a squared error of up to a quarter above the floor. The prototypes therefore move from
// the simplex around the data into the data.
func ExampleFitMinVolume() {
	x, _ := softkmeans.FromRows([][]float64{
		{0, 0}, {1, 0}, {0, 1}, {1, 1}, {9, 0}, {10, 0}, {10, 1}, {4, 8}, {5, 8}, {5, 9}, {5, 3},
	})
	m, err := softkmeans.FitMinVolume(context.Background(), x, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: error %.2f, at least %.2f, allowed %.2f\n", m.Status, m.Objective, m.Floor, 1.25*m.Floor)
	fmt.Println("labels", m.Labels(nil))
	fmt.Println("warnings", m.Warnings)
	// Output:
	// converged: error 166.62, at least 133.31, allowed 166.64
	// labels [1 1 1 1 0 0 0 0 0 0 0]
	// warnings []
}

// Columns of different units get mean 0 and variance 1. New rows are scaled like the fitted rows.
func ExampleModel_PredictLabels() {
	x, _ := softkmeans.FromRows([][]float64{ // meters, grams
		{1.5, 4100}, {1.6, 4000}, {1.4, 4200}, {4.4, 4150}, {4.6, 4050}, {4.5, 4300},
	})
	n := float64(x.Rows)
	mean, spread := make([]float64, x.Cols), make([]float64, x.Cols)
	for j := range x.Cols {
		for i := range x.Rows {
			mean[j] += x.At(i, j) / n
		}
		for i := range x.Rows {
			spread[j] += (x.At(i, j) - mean[j]) * (x.At(i, j) - mean[j]) / n
		}
		spread[j] = math.Sqrt(spread[j])
	}
	scaled := func(x *softkmeans.Matrix) *softkmeans.Matrix {
		x = x.Clone()
		for i := range x.Rows {
			for j := range x.Cols {
				x.Set(i, j, (x.At(i, j)-mean[j])/spread[j])
			}
		}
		return x
	}
	m, err := softkmeans.FitMinVolume(context.Background(), scaled(x), 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	rows, _ := softkmeans.FromRows([][]float64{{1.7, 4100}, {4.2, 4000}})
	labels, err := m.PredictLabels(nil, scaled(rows))
	fmt.Println(m.Labels(nil), labels, err)
	// Output:
	// [1 1 1 0 0 0] [1 0] <nil>
}

// FitAlternating stays near its start, here centers chosen by hand. Floor shows how far the result is from
// the global minimum.
func ExampleFitAlternating() {
	x, _ := softkmeans.FromRows(paint)
	start, _ := softkmeans.FromRows([][]float64{{8, 1, 1}, {1, 7, 2}})
	m, err := softkmeans.FitAlternating(context.Background(), x, 2, &softkmeans.MinVolumeOptions{Centers: start})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: error %.4f, at least %.4f\n", m.Status, m.Objective, m.Floor)
	// Output:
	// converged: error 0.0641, at least 0.0641
}

// The similarities say how often one person answers the messages of another.
func ExampleLSD() {
	kernel, err := softkmeans.FromRows([][]float64{
		{9, 8, 7, 1, 0},
		{8, 9, 7, 0, 1},
		{7, 7, 7, 3, 3},
		{1, 0, 3, 8, 7},
		{0, 1, 3, 7, 9},
	})
	if err != nil {
		log.Fatal(err)
	}
	m, err := softkmeans.LSD(context.Background(), kernel, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	for i, label := range m.Labels(nil) {
		fmt.Printf("person %d: group %d, %.2f\n", i, label, m.Memberships.Row(i)[label])
	}
	fmt.Printf("error %.1f%% of ‖K‖², at least %.1f%%\n", 100*m.Objective/m.Total, 100*m.Floor/m.Total)
	// Output:
	// person 0: group 1, 0.98
	// person 1: group 1, 0.98
	// person 2: group 1, 0.76
	// person 3: group 0, 0.92
	// person 4: group 0, 0.94
	// error 1.1% of ‖K‖², at least 0.6%
}

// Five texts about two topics, as counts of six words. Words that do not occur in a text are not stored.
func ExampleFit_sparse() {
	x, err := softkmeans.SparseFromTriples(5, 6,
		[]int{0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4},
		[]int{0, 1, 2, 0, 1, 3, 4, 5, 3, 4, 1, 2, 4},
		[]float64{2, 1, 1, 3, 2, 1, 2, 2, 2, 3, 1, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	m, err := softkmeans.Fit(context.Background(), x, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("squared error %.3f of %.3f\n", m.Objective, m.Total)
	fmt.Println(m.Labels(nil))
	// Output:
	// squared error 6.463 of 25.200
	// [0 0 1 1 1]
}

// Each process adds its part of a table to a Stats, and sends the binary form of this Stats, a few kilobytes.
func ExampleStats() {
	x, _ := softkmeans.FromRows([][]float64{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {4, 5, 1}, {2, 2, 0}, {3, 1, 0}})
	parts := []*softkmeans.Matrix{
		{Rows: 2, Cols: 3, Stride: 3, Data: x.Data[:6]},
		{Rows: 4, Cols: 3, Stride: 3, Data: x.Data[6:]},
	}
	var all softkmeans.Stats
	for _, part := range parts {
		var s softkmeans.Stats // in the part's process
		if err := s.Add(part); err != nil {
			log.Fatal(err)
		}
		form, err := s.MarshalBinary() // which sends this
		if err != nil {
			log.Fatal(err)
		}
		var received softkmeans.Stats
		if err := received.UnmarshalBinary(form); err != nil {
			log.Fatal(err)
		}
		if err := all.Merge(&received); err != nil {
			log.Fatal(err)
		}
	}
	floors, err := all.Floors()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d rows, floors %.3f\n", all.Rows(), floors)
	// Output:
	// 6 rows, floors [32.167 4.527 0.660 0.000]
}

func ExampleLogVolume() {
	corners, _ := softkmeans.FromRows([][]float64{{0, 0, 0}, {4, 0, 0}, {0, 3, 0}})
	area, err := softkmeans.LogVolume(corners)
	if err != nil {
		log.Fatal(err)
	}
	line, _ := softkmeans.FromRows([][]float64{{0}, {1}, {2}})
	flat, _ := softkmeans.LogVolume(line)
	fmt.Printf("a triangle of area %.1f; on a line %v\n", math.Exp(area), flat)
	// Output: a triangle of area 6.0; on a line -Inf
}
