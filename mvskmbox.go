package softkmeans

// Bounds of centers, and the sum that centers of closed rows keep (O. V. Thanh, N. Gillis and F. Lecron,
// Bounded simplex-structured matrix factorization, IEEE Trans. Signal Process. 71, 2023).

import (
	"math"
	"slices"
)

// box is where a center may be: low ≤ f ≤ high, and Σf = 0 where closed is set.
type box struct {
	low, high []float64
	closed    bool
}

// closedShare of the total is less than what the direction of sums has, (1, …, 1), where rows are not closed:
// compositions rounded to three digits have some 2e-6. It also has to be less than the floor.
const closedShare = 1e-4

// newBox returns the bounds in the coordinates of samples in the data's own axes. An F-step without bounds
// keeps the sum of closed rows, one in a box does not. Bounds that do not admit the sum come first.
func (p *minVolume) newBox() *box {
	s, b := p.data, &box{low: make([]float64, p.data.d), high: make([]float64, p.data.d)}
	var least, most, energy float64
	for c, mean := range s.mean {
		b.low[c] = min(math.Ldexp(p.low[c], -s.exp), 0x1p200) - mean
		b.high[c] = max(math.Ldexp(p.high[c], -s.exp), -0x1p200) - mean
		least += b.low[c]
		most += b.high[c]
	}
	sums := NewMatrix(s.n, 1, nil)
	// No error is lost: the next pass finds a context that ends here.
	if changeBasis(s, sums, NewMatrix(1, s.d, slices.Repeat([]float64{1}, s.d))) == nil {
		energy = squaresBeyond(s, sums, nil)
	}
	b.closed = p.o.Sum == SumToOne && least <= 0 && most >= 0 &&
		energy < min(closedShare*p.pc.total, p.reference())*float64(s.d)
	return b
}

// boundRounding is how far within its bound an entry counts as being there, as a share. A step with
// momentum leaves it there where both steps before it end at the bound.
const boundRounding = 0x1p-46

// clip returns the nearest v that column c admits.
func (b *box) clip(c int, v float64) float64 {
	switch low, high := b.low[c], b.high[c]; { // Inf − Inf is no number, and no bound
	case v <= low || v <= low+boundRounding*math.Abs(low):
		return low
	case v >= high || v >= high-boundRounding*math.Abs(high):
		return high
	}
	return v
}

// project moves a row to the nearest point of the box. With a sum all free entries move by the same amount,
// the zero of a function that falls piece by piece, by Newton's steps and halves of what encloses it.
func (b *box) project(row []float64) {
	shift, least, most := 0.0, -0x1p300, 0x1p300
	for range 500 {
		sum, free := 0.0, 0.0
		for c, v := range row {
			u := b.clip(c, v-shift)
			if sum += u; u > b.low[c] && u < b.high[c] {
				free++
			}
		}
		if sum > 0 {
			least = shift
		} else {
			most = shift
		}
		next := shift + sum/free
		if !(next > least && next < most) {
			next = least + (most-least)/2
		}
		if !b.closed || sum == 0 || math.Abs(next-shift) <= 0x1p-52*math.Abs(shift) {
			break
		}
		shift = next
	}
	for c, v := range row {
		row[c] = b.clip(c, v-shift)
	}
}

// along takes a direction from f, of which the box admits a part, to that part.
func (b *box) along(f, direction []float64) {
	size := norm2(direction)
	if size == 0 {
		return
	}
	step := 0x1p-26 * max(norm2(f), 0x1p-100) / size
	to := slices.Clone(f)
	axpy(to, step, direction)
	b.project(to)
	for c, v := range to {
		direction[c] = (v - f[c]) / step
	}
}
