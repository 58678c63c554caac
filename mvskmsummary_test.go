package softkmeans

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// summaryOf returns the rows of a summary of 200, as samples.
func summaryOf(t *testing.T, x *Matrix, k int, w []float64, seed uint64) *samples {
	t.Helper()
	o := seqOptions(MinVolumeOptions{Seed: seed, Weights: w}, 200, 0)
	_, vf := streamed(t, x, k, o)
	return vf.s
}

// TestSummary: weights add up to that of all rows, estimates over many seeds to the
// truth, and the outermost rows are there.
func TestSummary(t *testing.T) {
	t.Parallel()
	x := noisy(firstOf(mixtures(2000, 4, 3, 0.5, 1, 1)), 20, 1)
	weights := make1(x.Rows)
	for i := range weights {
		weights[i] = float64(i % 4)
	}
	value := func(row []float64) float64 { return math.Abs(row[0]-row[1]) + row[2]*row[2] }
	var truth float64
	far, size := 0, 0.0
	mean := statsOf(t, x, weights).Mean()
	for i, w := range weights {
		truth += w * value(x.row(i))
		if d := squaredDistance(x.row(i), mean); w > 0 && d > size {
			far, size = i, d
		}
	}
	var sum, square float64
	const seeds = 40
	for seed := range uint64(seeds) {
		s := summaryOf(t, x, 3, weights, seed)
		estimate, found := 0.0, false
		for i, w := range s.weights {
			estimate += w * value(s.x.row(i))
			found = found || slices.Equal(s.x.row(i), x.row(far))
		}
		total, all := sumOf(s.weights), sumOf(weights)
		if math.Abs(total-all) > 1e-10*all || s.n > 200 || s.n < 120 || !found {
			t.Errorf("%d rows, of weight %g, not %g; the farthest is there: %v", s.n, total, all, found)
		}
		sum += estimate / seeds
		square += estimate * estimate / seeds
	}
	dev := math.Sqrt(max(square-sum*sum, 0))
	if math.Abs(sum-truth) > 5*dev/math.Sqrt(seeds) || dev > 0.1*truth {
		t.Errorf("the mean of estimates is %g, not %g; they deviate by %g", sum, truth, dev)
	}
}

// TestSummaryFlat: the corners of a flat simplex are in the summary, also the one over the
// middle of the others, which is out along the flat side only.
func TestSummaryFlat(t *testing.T) {
	t.Parallel()
	const n, k = 2000, 4
	corners := NewMatrix(k, 3, []float64{0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3, 0.3, 0.01})
	rng := rand.New(rand.NewPCG(3, 2))
	g := mapped(NewMatrix(n, k, nil), func(_, _ int, _ float64) float64 { return 1 + rng.Float64() })
	for i := range n {
		scale(g.row(i), 1/sumOf(g.row(i)))
	}
	x := product(g, corners)
	for a := range k {
		copy(x.row(100+500*a), corners.row(a))
	}
	for seed := range uint64(3) {
		s := summaryOf(t, x, k, nil, seed)
		for a := range k {
			found := false
			for i := range s.n {
				found = found || slices.Equal(s.x.row(i), corners.row(a))
			}
			if !found {
				t.Errorf("seed %d: corner %d of a flat simplex is not among %d rows", seed, a, s.n)
			}
		}
	}
}

// firstOf is the data of what mixtures returns.
func firstOf(x, _ *Matrix) *Matrix { return x }

// TestSummaryExtremes: along every line the rows that a summary keeps are the outermost of
// all with weight, however the rows are cut; and each draw falls on its share.
func TestSummaryExtremes(t *testing.T) {
	const n = 900
	for _, d := range []int{1, 2, 5} {
		x := mapped(randomData(n, 6, 0, 1), func(i, j int, v float64) float64 {
			return 5 + v/float64(1+3*j)*float64(1+i%7) // some far out
		})
		w := make1(n)
		for i := range w {
			w[i] = float64(i%3) / 2
		}
		p := mustDo(statsOf(t, x, w).StreamSubspace(d+1, nil))(t)
		pc := mustDo(statsOf(t, x, w).principal(bg, d, 1))(t)
		p.pc.squares = pc.squares
		var kept [2]*summary
		for run, step := range []int{n, 50} {
			s := newSummary(p, 200, 3)
			for at := 0; at < n; at += step {
				part := mustDo(p.part(bg, rowsOf(x, at, at+step), w[at:at+step], 1))(t)
				must(t, s.add(at, part))
			}
			kept[run] = s
		}
		s := kept[1]
		lines := min(16*(d+1), 25)
		if d == 1 {
			lines = 1
		}
		if s.lines.Rows != lines || len(s.extremes) != 2*lines || s.draws != 200-2*lines ||
			s.made != s.draws || math.Abs(s.below-1) > 1e-9 {
			t.Errorf("%d lines, %d draws of %d, probability %g", s.lines.Rows, s.made, s.draws, s.below)
		}
		whole := mustDo(p.part(bg, x, w, 1))(t)
		y := NewMatrix(n, d, nil)
		must(t, changeBasis(whole, y, p.pc.basis))
		for c := range d {
			if want := math.Sqrt(pc.squares[0] / pc.squares[c]); math.Abs(s.stretch[c]-want) > 1e-9*want {
				t.Errorf("stretch %g, want %g", s.stretch[c], want)
			}
		}
		for at, e := range s.extremes {
			best, far := -1, math.Inf(-1)
			for i := range n {
				v := 0.0
				for c, u := range s.lines.row(at / 2) {
					v += u * y.At(i, c) * s.stretch[c]
				}
				if at%2 == 1 {
					v = -v
				}
				if w[i] > 0 && v > far {
					best, far = i, v
				}
			}
			if e.number != best || math.Abs(s.reach[at]-far) > 1e-9*far ||
				!slices.Equal(e.row, x.row(best)) || math.Ldexp(e.weight, p.wexp) != w[best] {
				t.Errorf("d=%d, line %d: row %d at %g, not %d at %g", d, at, e.number, s.reach[at], best, far)
			}
			if o := kept[0].extremes[at]; o.number != e.number || !slices.Equal(o.row, e.row) {
				t.Errorf("d=%d, line %d: row %d in blocks, %d in one", d, at, e.number, o.number)
			}
		}
		numbers := func(s *summary) (list []int) {
			for _, r := range s.drawn {
				list = append(list, r.number)
			}
			return list
		}
		if !slices.Equal(numbers(s), numbers(kept[0])) || !slices.IsSorted(numbers(s)) {
			t.Error("other rows are drawn in blocks")
		}
		// A row's probability is the mean of its shares of the weight and of the squares.
		var weight, total float64
		for i := range n {
			weight += whole.weight(i)
			total += whole.weight(i) * squaredDistanceFromMean(whole, i)
		}
		for _, r := range s.drawn {
			number := r.number
			q := whole.weight(number) * (1/weight + squaredDistanceFromMean(whole, number)/total) / 2
			count := r.weight * float64(s.draws) * q / whole.weight(number)
			if math.Abs(count-math.Round(count)) > 1e-6 || math.Abs(count-float64(s.draws)*q) > 2+1e-6 ||
				count < 0.5 {
				t.Fatalf("row %d was drawn %g times, expected %g", number, count, float64(s.draws)*q)
			}
		}
		out := s.finish()
		sum := 0.0
		for i, r := range out {
			sum += r.weight
			after := i == 0 || r.number > out[i-1].number
			if !after || !slices.Equal(r.row, x.row(r.number)) || !(r.weight > 0) {
				t.Errorf("row %d after another, of weight %g", r.number, r.weight)
			}
		}
		if math.Abs(sum-weight) > 1e-9*weight || len(out) > 200 {
			t.Errorf("%d rows of weight %g, want %g", len(out), sum, weight)
		}
		for _, e := range kept[0].extremes {
			at := slices.IndexFunc(out, func(r weightedRow) bool { return r.number == e.number })
			if at < 0 || out[at].weight != e.weight {
				t.Errorf("row %d, an extreme, is in the summary at %d", e.number, at)
			}
		}
	}
	// Rows that are all equal have no lines.
	p := mustDo(statsOf(t, NewMatrix(9, 2, nil), nil).StreamSubspace(3, nil))(t)
	if s := newSummary(p, 64, 0); s.lines.Rows != 0 || s.draws != 64 {
		t.Errorf("%d lines, %d draws", s.lines.Rows, s.draws)
	}
}

func squaredDistanceFromMean(s *samples, i int) float64 {
	row := make([]float64, s.d)
	s.pack(row, i, i+1, false)
	return sumSquares(row)
}
