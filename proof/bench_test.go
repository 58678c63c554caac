package proof

import (
	"testing"

	"softkmeans"
	"softkmeans/internal/tables"
)

func BenchmarkVolumeFloor(b *testing.B) {
	x := tables.Standardized(tables.CSV(b, "digits"))
	for b.Loop() {
		tables.Must(VolumeFloor(b.Context(), x, 8, .1, &softkmeans.Options{Workers: 1}))(b)
	}
}
