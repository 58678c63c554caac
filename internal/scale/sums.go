package scale

import "math"

// leastSum is the least sum of a row that counts, as a share of the sum of the sizes of its entries. Less is
// noise about 0, as of a row that was measured without a sample.
const leastSum = .1

// SumsOf returns the sum of each row, and 0 for a row whose entries cancel or are all 0. NaN is a row with a
// missing value.
func SumsOf(data []float64, cols int) (sums []float64) {
	for ; len(data) > 0; data = data[cols:] {
		sum, size := 0.0, 0.0
		for _, v := range data[:cols] {
			sum, size = sum+v, size+math.Abs(v)
		}
		if sum <= leastSum*size {
			sum = 0
		}
		sums = append(sums, sum)
	}
	return sums
}

// ofSums returns the scaling of rows with these sums, which are above 0: [Scaling.Divide] divides each row by
// its sum, and Undo multiplies what is so divided by the mean sum. nil weights are all 1.
func ofSums(sums []float64, cols int, weights []float64) *Scaling {
	s := &Scaling{Kind: Sums, Shift: make([]float64, cols), Divisor: make([]float64, cols)}
	mean, total := 0.0, 0.0
	for i, v := range sums {
		if w := weight(weights, i); w > 0 {
			total += w
			mean += (v - mean) * (w / total)
		}
	}
	if !(mean > 0) {
		mean = 1
	}
	for j := range s.Divisor {
		s.Divisor[j] = mean
	}
	return s
}

// Divide divides the rows by their sums, in place, and returns the weight of each: its length before, in units
// of the mean sum, times the square of sum/length. Rows of noise have large entries then, and little weight.
func (s *Scaling) Divide(data, sums []float64) (lights []float64) {
	cols := len(s.Divisor)
	for i, sum := range sums {
		row, square := data[i*cols:(i+1)*cols], 0.0
		for j := range row {
			row[j] /= sum
			square += row[j] * row[j]
		}
		lights = append(lights, sum/s.Divisor[0]/math.Sqrt(square))
	}
	return lights
}

// Closes reports whether rows are divided by their sums. A nil Scaling leaves them.
func (s *Scaling) Closes() bool { return s != nil && (s.Kind == Counts || s.Kind == Sums) }

// Close takes centers in the table's units to the sum that scaled rows have there, if rows are divided by
// theirs.
func (s *Scaling) Close(centers []float64) {
	if !s.Closes() {
		return
	}
	to, cols := 1.0, len(s.Divisor)
	if s.Kind == Sums {
		to = s.Divisor[0]
	}
	sums := SumsOf(centers, cols)
	for at := range centers {
		if sum := sums[at/cols]; sum > 0 {
			centers[at] = centers[at] / sum * to
		}
	}
}
