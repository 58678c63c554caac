package draws

import (
	"math/rand/v2"
	"slices"

	"softkmeans"
)

// Sample is a sample of some rows, or all if there are fewer. Every row is as likely as any other (Algorithm R of
// Vitter 1985). It depends on the seed alone.
type Sample struct {
	Seen int // rows
	rng  *rand.Rand
	most int // rows of the sample
	cols int
	data []float64
}

// NewSample returns a sample of at most so many rows, without rows yet.
func NewSample(seed uint64, most int) *Sample {
	return &Sample{rng: rand.New(rand.NewPCG(seed, 0xd7a3)), most: most}
}

// Add adds rows without missing values.
func (d *Sample) Add(x *softkmeans.Matrix) error {
	d.cols = x.Cols
	for i := range x.Rows {
		row := x.Row(i)
		if j := slices.IndexFunc(row, func(v float64) bool { return v != v }); j >= 0 {
			return &softkmeans.InputError{Arg: "x", Row: i, Col: j,
				Value: row[j], Err: softkmeans.ErrNonFinite}
		}
		if d.Seen++; d.Seen <= d.most {
			d.data = append(d.data, row...)
		} else if at := d.rng.IntN(d.Seen); at < d.most {
			copy(d.data[at*d.cols:], row)
		}
	}
	return nil
}

// Table returns the rows of the sample.
func (d *Sample) Table() *softkmeans.Matrix {
	return softkmeans.NewMatrix(min(d.Seen, d.most), d.cols, d.data)
}
