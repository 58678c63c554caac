package modelfile_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"softkmeans"
	"softkmeans/modelfile"
)

// A model goes to a file with the names of its columns, and predicts after it was read.
func Example() {
	x, _ := softkmeans.FromRows([][]float64{{1, 9}, {2, 8}, {8, 2}, {9, 1}, {5, 5}})
	m, err := softkmeans.Fit(context.Background(), x, 2, nil)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	f := &modelfile.File{Model: m, Method: "global", Columns: []string{"red", "blue"}, Named: true}
	if _, err := f.WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	f, err = modelfile.Read(&file)
	if err != nil {
		log.Fatal(err)
	}
	g, err := f.Model.Predict(nil, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.K(), f.Columns, f.Rows, f.Sizes)
	fmt.Printf("%.2f\n", g.Row(4))
	// Output:
	// 2 [red blue] 5 [3 2]
	// [0.50 0.50]
}
