package modelfile_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"softkmeans"
	"softkmeans/modelfile"
)

// A model is written to a file with the names and the scaling of its columns. After Read it predicts
// memberships of new rows.
func Example() {
	x, _ := softkmeans.FromRows([][]float64{{1, 900}, {2, 800}, {8, 200}, {9, 100}, {5, 500}})
	shift, divisor := []float64{5, 500}, []float64{3.2, 320} // nearly mean and spread
	scale := func(x *softkmeans.Matrix) {
		for i := range x.Rows {
			for j := range x.Cols {
				x.Set(i, j, (x.At(i, j)-shift[j])/divisor[j])
			}
		}
	}
	scale(x)
	m, err := softkmeans.Fit(context.Background(), x, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	f := &modelfile.File{
		Model: m, Method: "global", Columns: []string{"red", "blue"}, Named: true,
		Scale: "zscore", Shift: shift, Divisor: divisor,
	}
	if _, err := f.WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	f, err = modelfile.Read(&file)
	if err != nil {
		log.Fatal(err)
	}
	rows, _ := softkmeans.FromRows([][]float64{{5, 500}})
	shift, divisor = f.Shift, f.Divisor
	scale(rows)
	g, err := f.Model.Predict(nil, rows)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.K(), f.Columns, f.Rows, f.Sizes)
	fmt.Printf("%.2f\n", g.Row(0))
	// Output:
	// 2 [red blue] 5 [3 2]
	// [0.50 0.50]
}
