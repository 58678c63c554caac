package kinds

import (
	"testing"

	"softkmeans"
)

// Similarities of many rows are a sample of them.
func TestSample(t *testing.T) {
	n := mostSimilar + 200
	s := softkmeans.NewMatrix(n, n, nil)
	for i := range s.Data {
		s.Data[i] = float64(min(i/n, i%n)*n + max(i/n, i%n))
	}
	part := sample(s, 0)
	if part.Rows != mostSimilar {
		t.Fatal(part.Rows)
	}
	for i := range part.Rows {
		at := int(part.At(i, i)) / n
		if int(part.At(i, i))%n != at || i > 0 && int(part.At(i-1, i)) != int(part.At(i-1, i-1))/n*n+at {
			t.Fatalf("row %d is %v", i, part.At(i, i))
		}
	}
}
