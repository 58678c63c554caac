package metrics_test

import (
	"fmt"

	"softkmeans/metrics"
)

func ExampleAccuracy() {
	truth := []int{0, 0, 0, 1, 1, 2}
	labels := []int{2, 2, 2, 0, 0, 0}
	acc, err := metrics.Accuracy(truth, labels)
	fmt.Printf("%.3f %v\n", acc, err)
	// Output:
	// 0.833 <nil>
}
