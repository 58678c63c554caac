package softkmeans

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// globalCheck: the pair is certified, the model predicts its own memberships, and weights
// do not matter to that.
func globalCheck(t *testing.T, name string, x *Matrix, m *Model, weights []float64) {
	t.Helper()
	c := mustDo(Certify(bg, x, m.Centers, m.Memberships, &Options{Weights: weights}))(t)
	if !c.Optimal(1e-10) {
		t.Errorf("%s: not optimal: %+v", name, c)
	}
	g := mustDo(m.Predict(nil, x))(t)
	for i := range x.Rows {
		if d := maxDiff(rowsOf(g, i, i+1), rowsOf(m.Memberships, i, i+1)); d > 3e-6 &&
			(weights == nil || weights[i] > 0) {
			t.Errorf("%s: row %d has memberships %v, Predict says %v", name, i, m.Memberships.row(i),
				g.row(i))
		}
	}
}

// TestEnclosureSmallest: an optimum whose simplex is no larger than any other.
func TestEnclosureSmallest(t *testing.T) {
	smallest := &Options{Enclosure: EnclosureSmallest}
	for _, c := range volumeCases(t, 40) {
		if c.k > fewer(8, 4) || gramOnly && c.k > 3 {
			continue
		}
		name := c.name + ", k = " + strconv.Itoa(c.k)
		m := mustDo(Fit(bg, c.x, c.k, &Options{Enclosure: EnclosureSmallest, Weights: c.weights}))(t)
		if m.Total == 0 {
			continue
		}
		globalCheck(t, name, c.x, m, c.weights)
		v := logVolume(t, m.Centers)
		for seed := range uint64(4) {
			q := RandomOrientation(c.k, seed)
			tight := mustDo(Fit(bg, c.x, c.k, &Options{Enclosure: EnclosureTight, Weights: c.weights,
				Orientation: q}))(t)
			if w := logVolume(t, tight.Centers); v > w+1e-9 && v > -20 {
				t.Errorf("%s: a tight simplex has the log volume %g, the smallest %g", name, w, v)
			}
		}
		for j := range c.k { // every facet is touched
			low := 1.0
			for i := range c.x.Rows {
				if c.weights == nil || c.weights[i] > 0 {
					low = min(low, m.Memberships.row(i)[j])
				}
			}
			if low > 1e-9 {
				t.Errorf("%s: the least membership of center %d is %g", name, j, low)
			}
		}
		turned := mustDo(Fit(bg, c.x, c.k, &Options{Enclosure: EnclosureSmallest, Weights: c.weights,
			Orientation: RandomOrientation(c.k, 3)}))(t)
		if !slices.Equal(turned.Centers.Data, m.Centers.Data) {
			t.Errorf("%s: the orientation matters", name)
		}
	}
	x, before := loadCSV(t, "iris"), math.Inf(1)
	for e := range EnclosureSmallest + 1 { // of the slice of a cone
		m := mustDo(Fit(bg, x, 3, &Options{Sum: SumAtMostOne, Enclosure: e}))(t)
		checkCone(t, m, x, nil)
		volume := logVolume(t, m.Centers)
		if !(volume < before) {
			t.Errorf("%v: log volume %g, of the one before %g", e, volume, before)
		}
		before = volume
	}
	if m := mustDo(Fit(bg, x, 1, smallest))(t); math.Abs(m.Gap) > 1e-14 {
		t.Errorf("k = 1: gap %g", m.Gap)
	}
	_, err := TILSD(bg, NewMatrix(2, 2, nil), 2, &LSDOptions{Enclosure: EnclosureSmallest})
	mustSay(t, err, "Enclosure is smallest, which Fit alone has: invalid option")
}

// TestDescended: descents end at the smallest triangle, and at the simplex of which the rows are mixtures,
// with pure rows or without.
func TestDescended(t *testing.T) {
	for seed := range uint64(fewer(200, 9)) {
		x := randomData(8+int(seed), 2, 0, seed)
		s := mustDo(newSamples(bg, x, nil, 1, true))(t)
		g := NewMatrix(x.Rows, 3, nil)
		for i := range x.Rows {
			copy(g.row(i), x.row(i))
		}
		want := logVolume(t, smallestAround(s, g, 3).vertices)
		at := descended(s, x)
		if got := logVolume(t, at.vertices); !(math.Abs(got-want) < 1e-3) {
			t.Errorf("seed %d: log area %g, the least is %g", seed, got, want)
		}
		for i := range x.Rows {
			at.coordinates.of(g.row(i), x.row(i))
		}
		if off := maxDiff(product(g, at.vertices), x); off > 1e-12 {
			t.Errorf("seed %d: mixtures are %g off", seed, off)
		}
	}
	// Weights keep rows of fewer dimensions from being flat but for rounding.
	m := mustDo(Fit(bg, randomData(4, 6, 0, 4), 5, &Options{Enclosure: EnclosureSmallest,
		Weights: []float64{1e8, 1e-8, 1e8, 1}}))(t)
	if !(math.Abs(m.Gap) < 1e-10) {
		t.Errorf("of flat rows: gap %g", m.Gap)
	}
	for k := 4; k < fewer(8, 6) && !gramOnly; k++ {
		for seed := range uint64(fewer(20, 1)) {
			for _, most := range []float64{1, .8} { // the largest share
				rng := rand.New(rand.NewPCG(seed, uint64(k)))
				f, g := randomData(k, 9, 1, seed), NewMatrix(0, k, nil)
				for ; g.Rows < 300*k || g.Rows < 400*k && most == 1; g.Rows++ {
					row := make([]float64, k)
					for sum := 0.0; sum == 0 || slices.Max(row) > most; {
						clear(row)
						for range 3 {
							row[rng.IntN(k)] += rng.ExpFloat64()
						}
						sum = sumOf(row)
						scale(row, 1/sum)
					}
					g.Data = append(g.Data, row...)
				}
				m := mustDo(Fit(bg, product(g, f), k, &Options{Enclosure: EnclosureSmallest}))(t)
				got, want := logVolume(t, m.Centers), logVolume(t, f)
				if math.Abs(got-want) > 1e-9+(1-most)/100 {
					t.Errorf("k = %d, seed %d, shares to %g: log volume %g, the truth's is %g", k, seed, most,
						got, want)
				}
			}
		}
	}
}

// TestSmallestOfRounding fits rows of few dimensions far from 0, whose rounding spans the others. The linear
// programs of some then have as many active bounds as coordinates, where none is left to move along.
func TestSmallestOfRounding(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{133, 263, 308} {
		rng := rand.New(rand.NewPCG(seed, 6))
		k := 5 + rng.IntN(3)
		n, d, rank := k+1+rng.IntN(3), k+rng.IntN(8), 2+rng.IntN(k-2)
		x, b, w := NewMatrix(n, d, nil), NewMatrix(rank, d, nil), make([]float64, n)
		for i := range b.Data {
			b.Data[i] = rng.NormFloat64()
		}
		far := math.Pow(10, 4+8*rng.Float64())
		for i := range n {
			for l := range rank {
				axpy(x.row(i), rng.NormFloat64(), b.row(l))
			}
			for j := range d {
				x.row(i)[j] += far
			}
		}
		for i := range w {
			if rng.IntN(4) > 0 {
				w[i] = rng.Float64()
			}
		}
		w[0] = 1
		m, err := Fit(bg, x, k, &Options{Weights: w, Enclosure: EnclosureSmallest})
		if err != nil {
			t.Fatal(err)
		}
		if !(m.Objective <= 1e-9*m.Total) { // rank is below k
			t.Errorf("seed %d: objective %g of %g", seed, m.Objective, m.Total)
		}
	}
}

// TestTightInFewDimensions: where the data has q < k−1 dimensions the tight simplex has
// q+1 vertices that touch it.
func TestTightInFewDimensions(t *testing.T) {
	line := NewMatrix(3, 1, []float64{-1, 0, 1})
	m := mustDo(Fit(bg, line, 3, &Options{Enclosure: EnclosureTight}))(t)
	if f := slices.Sorted(slices.Values(m.Centers.Data)); math.Abs(f[0]+1) > 1e-15 ||
		math.Abs(f[2]-1) > 1e-15 || math.Abs(f[1]) < 1-1e-15 {
		t.Errorf("−1, 0, 1 have centers %v", f)
	}
	for _, kind := range []Enclosure{EnclosureTight, EnclosureSmallest} {
		for d := 1; d < 7; d++ {
			for q := 0; q < min(d+1, 4); q++ {
				// Points of q dimensions in d columns, in directions without zeros.
				low := randomData(25, max(q, 1), 0, uint64(10*d+q))
				turn := RandomOrientation(d+1, uint64(d))
				x := NewMatrix(25, d, nil)
				for i := range x.Rows {
					for c := range q {
						axpy(x.row(i), low.row(i)[c], turn.row(c))
					}
				}
				for k := q + 2; k < 8; k++ {
					if gramOnly && kind == EnclosureSmallest && k > 3 {
						continue
					}
					name := fmt.Sprintf("%v, %d of %d dimensions, k = %d", kind, q, d, k)
					m := mustDo(Fit(bg, x, k, &Options{Enclosure: kind}))(t)
					globalCheck(t, name, x, m, nil)
					for j := range k {
						for a := range j {
							same := squaredDistance(m.Centers.row(a), m.Centers.row(j)) < 1e-24
							if q > 0 && same != (a%(q+1) == j%(q+1)) {
								t.Errorf("%s: centers %v", name, m.Centers.Data)
							}
						}
						low := 1.0
						for i := range x.Rows {
							low = min(low, m.Memberships.row(i)[j])
						}
						if q > 0 && low > 1e-12 {
							t.Errorf("%s: facet %d is %g away", name, j, low)
						}
					}
				}
			}
		}
	}
}

// TestRadius: Algorithm 1 with any r at least as large as the smallest. The simplex has
// that size, and stays optimal.
func TestRadius(t *testing.T) {
	for _, c := range volumeCases(t, 40) {
		name := c.name + ", k = " + strconv.Itoa(c.k)
		m := mustDo(Fit(bg, c.x, c.k, &Options{Weights: c.weights}))(t)
		mean := make([]float64, c.x.Cols)
		for row := range c.k {
			axpy(mean, 1/float64(c.k), m.Centers.row(row))
		}
		from := func(m *Matrix) (far float64) { // of the farthest center from the mean
			for j := range c.k {
				far = max(far, math.Sqrt(squaredDistance(m.row(j), mean)))
			}
			return far
		}
		if m.Total == 0 || c.k < 2 {
			continue
		}
		smallest := from(m.Centers) / float64(c.k-1)
		if c.x.Cols < c.k-1 { // the cut vertices are not as far
			continue
		}
		same := mustDo(Fit(bg, c.x, c.k, &Options{Weights: c.weights, Radius: smallest * (1 - 1e-10)}))(t)
		if maxDiff(same.Centers, m.Centers) > 1e-9*smallest {
			t.Errorf("%s: the smallest radius gives other centers", name)
		}
		for _, times := range []float64{1.5, 30} {
			o := &Options{Weights: c.weights, Radius: times * smallest, Orientation: RandomOrientation(c.k,
				1)}
			large := mustDo(Fit(bg, c.x, c.k, o))(t)
			globalCheck(t, name, c.x, large, c.weights)
			if got := from(large.Centers) / float64(c.k-1); math.Abs(got-o.Radius) > 1e-9*o.Radius {
				t.Errorf("%s: a radius of %g for %g", name, got, o.Radius)
			}
		}
		_, err := Fit(bg, c.x, c.k, &Options{Weights: c.weights, Radius: .999 * smallest})
		if !errors.Is(err, ErrOption) {
			t.Errorf("%s: a radius that is too small: %v", name, err)
		}
	}
}

// TestRadiusErrors: what no simplex has, and a subspace that keeps its radius.
func TestRadiusErrors(t *testing.T) {
	x := NewMatrix(4, 2, []float64{3, 0, -3, 0, 0, 1, 0, -1})
	const number, kind = "not a finite number of at least 0",
		"which is for the enclosure ball and sums of one"
	for want, o := range map[string]*Options{
		"NaN, " + number:  {Radius: math.NaN()},
		"-1, " + number:   {Radius: -1},
		"+Inf, " + number: {Radius: math.Inf(1)},
		"4, " + kind:      {Radius: 4, Enclosure: EnclosureTight},
		"5, " + kind:      {Radius: 5, Sum: SumAtMostOne},
		"2, below 3, the smallest that encloses the data":     {Radius: 2},
		"1e+156, and centers k times as far are out of range": {Radius: 1e156},
		"1e+100, more than 2^200 times the largest entry":     {Radius: 1e100},
	} {
		for _, err := range []error{second(Fit(bg, x, 3, o))} {
			mustSay(t, err, "Radius is "+want+": invalid option")
			if !errors.Is(err, ErrOption) {
				t.Error(err)
			}
		}
	}
	same := NewMatrix(2, 2, []float64{1, 2, 1, 2})
	m := mustDo(Fit(bg, same, 3, &Options{Radius: 7}))(t)
	if far := math.Hypot(m.Centers.At(0, 0)-1, m.Centers.At(0, 1)-2); math.Abs(far-14) > 1e-12 ||
		m.Objective > 1e-25 {
		t.Errorf("equal rows: the first center is %g away, objective %g", far, m.Objective)
	}
}

// TestProjectRowsOverwrites: what the rows held before is of no matter, as in passes that
// use one matrix again.
func TestProjectRowsOverwrites(t *testing.T) {
	for _, d := range []int{3, 64, 500} {
		x := randomData(60, d, 1, 1)
		s := mustDo(newSamples(bg, x, nil, 1, true))(t)
		pc := mustDo(findPrincipal(s, 3, SolverGram))(t)
		fresh, used := NewMatrix(60, 4, nil), randomData(60, 4, 0, 2)
		for _, g := range []*Matrix{fresh, used} {
			must(t, second(s.project(g, pc.basis, NewMatrix(0, 3, nil), EnclosureBall)))
		}
		for i := range 60 {
			if !slices.Equal(fresh.row(i)[:3], used.row(i)[:3]) {
				t.Fatalf("d = %d, row %d: %v over zeros, %v over other numbers", d, i, fresh.row(i),
					used.row(i))
			}
		}
	}
}

func logVolume(t *testing.T, vertices *Matrix) float64 {
	t.Helper()
	v := mustDo(LogVolume(vertices))(t)
	return v
}

// volumeCase is a table with a number of centers, and weights or nil.
type volumeCase struct {
	name    string
	x       *Matrix
	k       int
	weights []float64
}

// volumeCases are the sets of testdata, and small random ones: integers, duplicates, flat
// and exact ones, weights.
func volumeCases(t *testing.T, count int) (cases []volumeCase) {
	for _, set := range dataSets(t) {
		if set.x.Rows > fewer(math.MaxInt, 180) {
			continue
		}
		set.x = head(set.x, 100)
		for _, k := range []int{2, 3, 4} {
			cases = append(cases, volumeCase{set.name, set.x, k, nil})
		}
	}
	rng := rand.New(rand.NewPCG(3, 1))
	for i := range count {
		n, d, k := 5+rng.IntN(30), 1+rng.IntN(6), 2+rng.IntN(4)
		x := randomData(n, d, 0, uint64(i))
		c := volumeCase{"random " + strconv.Itoa(i), x, k, nil}
		switch i % 5 {
		case 1:
			c.x = mapped(x, func(_, _ int, v float64) float64 { return math.Round(2 * v) })
		case 2:
			c.x, _ = mixtures(n, d, k, 0.7, 1, uint64(i))
		case 3:
			c.weights = make([]float64, n)
			for j := range c.weights {
				c.weights[j] = float64(rng.IntN(4))
			}
			c.weights[0] = 1
		case 4:
			c.x = mapped(x, func(_, j int, v float64) float64 { return 1e6 + v*math.Pow(0.1, float64(j)) })
		}
		cases = append(cases, c)
	}
	return cases
}
