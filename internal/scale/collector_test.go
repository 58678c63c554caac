package scale

import (
	"math/rand/v2"
	"testing"
)

// One pass over blocks of any length finds the scaling that three passes over all rows
// find. Both are exact to rounding, near 0 and far from it.
func TestCollector(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const rows = 20000
	offsets := []float64{0, 1, 1e3, 1e6, -1e6, 1e9, 0, 0}
	units := []float64{1, 1, 1, 1, 1, 1, 1e300, 1e-300}
	cols := len(offsets)
	data := make([]float64, 0, rows*cols)
	for i := range rows {
		drift := float64(i) / rows
		for j, o := range offsets {
			data = append(data, units[j]*(o+drift+r.NormFloat64()))
		}
	}
	truth := &Scaling{Kind: ZScore, Shift: make([]float64, cols), Divisor: make([]float64, cols)}
	for j := range cols {
		column := make([]float64, rows)
		for i := range column {
			column[i] = data[i*cols+j]
		}
		truth.Shift[j], truth.Divisor[j] = exact(column)
	}
	near(t, Of(ZScore, data, cols, nil), truth, 1e-13)
	for _, block := range []int{1, 7, 1000, 8192, rows} {
		z, m := Collector{Kind: ZScore}, Collector{Kind: MinMax}
		for at := 0; at < rows; at += block {
			part := data[at*cols : min(at+block, rows)*cols]
			z.Add(part, cols, nil)
			m.Add(part, cols, nil)
		}
		near(t, z.Scaling(), truth, 1e-12)
		near(t, m.Scaling(), Of(MinMax, data, cols, nil), 0)
	}
}

// The sizes of a column's values may differ from block to block.
func TestCollectorSizes(t *testing.T) {
	column := []float64{0, 0, 1e-310, 3e-200, 1, -2, 3e250, 1e300, -2e300, 1, 0}
	for n := 1; n <= len(column); n++ {
		c := Collector{Kind: ZScore}
		for _, v := range column[:n] {
			c.Add([]float64{v}, 1, nil)
			c.Add(nil, 1, nil)
		}
		near(t, c.Scaling(), Of(ZScore, column[:n], 1, nil), 1e-12)
	}
}
