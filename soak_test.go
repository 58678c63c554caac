//go:build !tinygo

package softkmeans

// Many small calls of every kind, as a server makes them for weeks: nothing grows, no
// goroutine stays, and every answer is one. A few hundred calls in the suite; all of
// them by
//
//	SOFTKMEANS_SOAK=1 go test -race -run TestSoak -timeout 60m -v .

import (
	"bytes"
	"context"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// soakKinds are the calls, and how many of them: in a soak, and in the suite.
var soakKinds = []struct {
	name      string
	soak, few int
	call      func(s *soak)
}{
	{"Fit", 100000, 300, (*soak).fit},
	{"FitMinVolume", 1000, 4, (*soak).minVolume},
	{"FitAlternating", 400, 2, (*soak).alternating},
	{"LSD", 400, 2, (*soak).lsd},
	{"TILSD", 400, 2, (*soak).tilsd},
	{"FitSeq", 400, 2, (*soak).seq},
	{"FitMinVolumeSeq", 200, 1, (*soak).minVolumeSeq},
	{"Predict", 400, 2, (*soak).predict},
	{"Stats, Subspace and Extent", 400, 2, (*soak).parts},
	{"forms", 400, 4, (*soak).forms},
}

// soak is the state of the test: what one call is made of, and what is counted.
type soak struct {
	*testing.T
	rng                        *rand.Rand // of this call
	errors, cancelled, largest int        // errors as expected, calls ended by their context, bytes of the largest data
}

// data is a matrix of a random shape, scale and mean, with gaps or without.
func (s *soak) data(rows, cols int) *Matrix {
	r := s.rng
	n, d := 1+r.IntN(rows), 1+r.IntN(cols)
	mean, unit := 0.0, 1.0
	if r.IntN(3) == 0 {
		mean = 20 * r.NormFloat64()
	}
	if r.IntN(8) == 0 {
		unit = math.Ldexp(1, r.IntN(400)-200)
	}
	x := mapped(randomData(n, d, mean, r.Uint64()), func(_, _ int, v float64) float64 { return unit * v })
	if r.IntN(6) == 0 { // ties, and rows that are the same
		x = mapped(x, func(_, _ int, v float64) float64 { return unit * math.Round(v/unit) })
	}
	if r.IntN(3) == 0 {
		x = laStrided(x)
	}
	s.largest = max(s.largest, 8*len(x.Data))
	return x
}

// weights of n rows: none, or some of them 0.
func (s *soak) weights(n int) []float64 {
	if s.rng.IntN(3) > 0 {
		return nil
	}
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(s.rng.IntN(3)) * s.rng.Float64()
	}
	w[s.rng.IntN(n)] = 1
	return w
}

func soakSum(x *Matrix) uint32 {
	sum := crc32.NewIEEE()
	for i := range x.Rows {
		for _, v := range x.Row(i) {
			b := math.Float64bits(v)
			sum.Write([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24), byte(b >> 32), byte(b >> 40), byte(b >> 48), byte(b >> 56)})
		}
	}
	return sum.Sum32()
}

// rounding is how far rounding may take an objective of the model from its floor, or
// from what Certify has. A residual x − Σg_j·f_j, of k+1 terms no larger than the row and
// the farthest center, is off by δ = (3k+d+8)·ε of these: by the terms, by the sums over d
// and k that give centers and memberships, and by the (3k+5)·ε/2 that the bound of an
// objective takes for rounding. Σw(r+δ)² then is off by
// 2·√(Σw·r²)·√(Σw·δ²) + Σw·δ², twice as the objective may stand on either side. The floor
// is off by min(n, d)·ε of the total in every solver's Gram matrix, and by FloorError where
// it is a bound.
func rounding(x *Matrix, w []float64, m *Model) float64 {
	const eps = 0x1p-52
	far := 0.0
	for j := range m.Centers.Rows {
		far = max(far, norm2(m.Centers.Row(j)))
	}
	squares := 0.0
	for i := range x.Rows {
		wi := 1.0
		if w != nil {
			wi = w[i]
		}
		size := norm2(x.Row(i)) + far
		squares += wi * size * size
	}
	n, d := x.Rows, x.Cols
	delta := float64(3*m.Centers.Rows+d+8) * eps * math.Sqrt(squares)
	return 2*(2*math.Sqrt(m.Objective)*delta+delta*delta) + 4*float64(min(n, d)+1)*eps*m.Total
}

// feasible fails unless rows are at least 0 and add up to 1, or at most to 1: k numbers,
// added here with a rounding each.
func (s *soak) feasible(g *Matrix, sum Sum) {
	s.Helper()
	tol := float64(g.Cols) * 0x1p-52
	for i := range g.Rows {
		total := 0.0
		for _, v := range g.Row(i) {
			if !(v >= 0) {
				s.Fatalf("a membership is %g", v)
			}
			total += v
		}
		if !(total <= 1+tol) || sum == SumToOne && !(total >= 1-tol) {
			s.Fatalf("memberships add up to 1%+g", total-1)
		}
	}
}

// model checks what is true of any model: the floor is one, the memberships are, and a
// certificate of it says the same. A global one ends at the floor.
func (s *soak) model(x *Matrix, w []float64, m *Model, global bool) {
	s.Helper()
	tol := rounding(x, w, m)
	if !(m.Objective >= m.Floor-tol) || global && m.Status == StatusOptimal && !(m.Objective <= m.Floor+m.FloorError+tol) {
		s.Fatalf("%d×%d, k = %d: objective %g, floor %g + %g; rounding is %g. %v, %v", x.Rows, x.Cols, m.Centers.Rows, m.Objective, m.Floor, m.FloorError, tol, m.Solver, m.Status)
	}
	for _, v := range m.Centers.Data {
		if !isFinite(v) {
			s.Fatalf("a center is %g", v)
		}
	}
	s.feasible(m.Memberships, m.Sum)
	if m.Sum == SumAtMostOne || global && s.rng.IntN(4) > 0 {
		return
	}
	c, err := Certify(context.Background(), x, m.Centers, m.Memberships, &Options{Weights: w})
	if err != nil {
		s.Fatal(err)
	}
	if !(math.Abs(c.Objective-m.Objective) <= tol) || !(math.Abs(c.Floor-m.Floor) <= tol+max(m.FloorError, c.FloorError)) ||
		!(c.MinMembership >= 0) || !(c.MaxSumError <= float64(m.Memberships.Cols)*0x1p-52) {
		s.Fatalf("certificate %+v; objective %g, floor %g, rounding %g", c, m.Objective, m.Floor, tol)
	}
}

// fails checks an error that was to be, and that there is no result.
func (s *soak) fails(err error, none bool) {
	s.Helper()
	for _, want := range []error{ErrShape, ErrNonFinite, ErrOption, ErrTooFewSamples} {
		if errors.Is(err, want) && none && strings.HasPrefix(err.Error(), "softkmeans: ") {
			s.errors++
			return
		}
	}
	s.Fatalf("bad input: %v, or a result", err)
}

// ended is a call whose context ends after some looks: whether it did.
func (s *soak) ended(err error) bool {
	s.Helper()
	if err == nil {
		return false
	}
	if !errors.Is(err, context.Canceled) {
		s.Fatal(err)
	}
	s.cancelled++
	return true
}

func (s *soak) fit() {
	r := s.rng
	x := s.data(40, 12)
	if r.IntN(500) == 0 { // of several blocks
		x = s.data(4000, 12)
	}
	w := s.weights(x.Rows)
	k := 1 + r.IntN(8)
	o := &Options{Weights: w, Solver: Solver(r.IntN(4)), Enclosure: Enclosure(r.IntN(2)), Workers: r.IntN(5)}
	if r.IntN(4) == 0 {
		o.Orientation = RandomOrientation(k, r.Uint64())
	}
	before := soakSum(x)
	switch r.IntN(12) {
	case 0: // bad input
		y := x.Clone()
		switch r.IntN(9) {
		case 0:
			y.Set(r.IntN(y.Rows), r.IntN(y.Cols), math.NaN())
		case 1:
			y.Set(r.IntN(y.Rows), r.IntN(y.Cols), math.Inf(-1))
		case 2:
			k = -r.IntN(3)
		case 3:
			o.Weights = append(make1(x.Rows), 1)
		case 4:
			o.Weights = make([]float64, x.Rows)
		case 5:
			o.Workers = -1
		case 6:
			o.Solver = 9
		case 7:
			y.Data = y.Data[:len(y.Data)-1]
		case 8:
			y = nil
		}
		m, err := Fit(bg, y, k, o)
		s.fails(err, m == nil)
	case 1: // cancelled
		ctx := &endingContext{Context: bg}
		ctx.left.Store(int64(r.IntN(12)))
		m, err := Fit(ctx, x, k, o)
		if !s.ended(err) {
			s.model(x, w, m, true)
		} else if m != nil {
			s.Fatal("a model of a cancelled Fit")
		}
	default:
		m, err := Fit(bg, x, k, o)
		if err != nil {
			s.Fatalf("%d×%d, k = %d, %+v: %v", x.Rows, x.Cols, k, o, err)
		}
		s.model(x, w, m, true)
	}
	if soakSum(x) != before {
		s.Fatal("the data changed")
	}
}

func (s *soak) minVolume() {
	r := s.rng
	x := s.data(120, 10)
	if r.IntN(3) == 0 {
		x, _ = mixtures(10+r.IntN(100), 2+r.IntN(9), 2+r.IntN(3), 0.7, 1, r.Uint64())
	}
	w := s.weights(x.Rows)
	k := 1 + r.IntN(5)
	o := &MinVolumeOptions{Weights: w, Seed: r.Uint64(), Workers: r.IntN(4), Restarts: r.IntN(3), MaxIter: 20 * r.IntN(6), Init: Init(r.IntN(int(initCount))),
		Volume: Volume(r.IntN(3)), Sum: Sum(r.IntN(2))}
	before := soakSum(x)
	switch r.IntN(10) {
	case 0:
		o.Slack = math.NaN()
		m, err := FitMinVolume(bg, x, k, o)
		s.fails(err, m == nil)
	case 1:
		ctx := &endingContext{Context: bg}
		ctx.left.Store(int64(r.IntN(200)))
		m, err := FitMinVolume(ctx, x, k, o)
		if s.ended(err) && m != nil {
			s.feasible(m.Memberships, m.Sum) // the best so far
		}
	default:
		m, err := FitMinVolume(bg, x, k, o)
		if err != nil {
			s.Fatalf("%d×%d, k = %d, %+v: %v", x.Rows, x.Cols, k, o, err)
		}
		s.model(x, w, m, false)
	}
	if soakSum(x) != before {
		s.Fatal("the data changed")
	}
}

func (s *soak) alternating() {
	x := s.data(120, 10)
	w := s.weights(x.Rows)
	m, err := FitAlternating(bg, x, 1+s.rng.IntN(6), &MinVolumeOptions{Weights: w, Seed: s.rng.Uint64(), Workers: s.rng.IntN(4), Sum: Sum(s.rng.IntN(2)), MaxIter: 100})
	if err != nil {
		s.Fatal(err)
	}
	s.model(x, w, m, false)
}

// similar is a kernel of random data, of size 1.
func (s *soak) similar() (kernel *Matrix, k int) {
	x, _ := mixtures(3+s.rng.IntN(30), 1+s.rng.IntN(6), 2+s.rng.IntN(3), 0.7, 1, s.rng.Uint64())
	kernel = outer(x)
	if s.rng.IntN(2) == 0 {
		kernel = laStrided(disturbed(kernel, 0.1, s.rng.Uint64()))
	}
	return kernel, 1 + s.rng.IntN(5)
}

// decomposition checks a model of similarities: an eigenvalue is right to n·ε of ‖K‖, a
// sum of n² squares to as much of the total, centred or not, each a few times.
func (s *soak) decomposition(kernel *Matrix, m *LSDModel, err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
	s.feasible(m.Memberships, SumToOne)
	tol := 16 * float64(kernel.Rows) * 0x1p-52 * sumSquares(kernel.Clone().Data)
	if !(m.Objective >= m.Floor-tol) {
		s.Fatalf("objective %g, floor %g, rounding %g", m.Objective, m.Floor, tol)
	}
	if m.Scale > 0 {
		g, err := m.Predict(nil, kernel)
		if err != nil {
			s.Fatal(err)
		}
		s.feasible(g, SumToOne)
	}
}

func (s *soak) lsd() {
	kernel, k := s.similar()
	m, err := LSD(bg, kernel, k, &LSDOptions{Workers: s.rng.IntN(4), Seed: s.rng.Uint64(), MaxIter: 100})
	s.decomposition(kernel, m, err)
	kernel.Set(0, kernel.Cols-1, kernel.At(0, kernel.Cols-1)+10) // not symmetric
	m, err = LSD(bg, kernel, k, nil)
	s.fails(err, m == nil)
}

func (s *soak) tilsd() {
	kernel, k := s.similar()
	m, err := TILSD(bg, kernel, k, &LSDOptions{Workers: s.rng.IntN(4), Enclosure: Enclosure(s.rng.IntN(2))})
	s.decomposition(kernel, m, err)
	ctx := &endingContext{Context: bg}
	ctx.left.Store(int64(s.rng.IntN(30)))
	_, err = TILSD(ctx, kernel, k, nil)
	s.ended(err)
}

func (s *soak) seq() {
	x := s.data(200, 12)
	w := s.weights(x.Rows)
	k := 1 + s.rng.IntN(6)
	g, next := NewMatrix(x.Rows, k, nil), 0
	o := &Options{Weights: w, Enclosure: Enclosure(s.rng.IntN(2)), Workers: s.rng.IntN(4), Solver: Solver(s.rng.IntN(2)), Seq: SeqOptions{Memberships: func(first int, part *Matrix) error {
		next += part.Rows
		copy(g.Data[first*k:], part.Data)
		return nil
	}}}
	blocks := inBlocks(x, 1+s.rng.IntN(50), 1+s.rng.IntN(9))
	m, err := FitSeq(bg, blocks, k, o)
	if err != nil || next != x.Rows {
		s.Fatalf("%d of %d rows, %v", next, x.Rows, err)
	}
	m.Memberships = g
	s.model(x, w, m, true)
	full := errors.New("full")
	o.Seq.Memberships = func(int, *Matrix) error { return full }
	if _, err := FitSeq(bg, blocks, k, o); !errors.Is(err, full) {
		s.Fatal(err)
	}
	s.errors++
	ctx := &endingContext{Context: bg}
	ctx.left.Store(int64(s.rng.IntN(30)))
	o.Seq.Memberships = nil
	_, err = FitSeq(ctx, blocks, k, o)
	s.ended(err)
}

func (s *soak) minVolumeSeq() {
	x := s.data(200, 8)
	k := 1 + s.rng.IntN(4)
	m, _ := seqFit(s.T, x, k, MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Workers: s.rng.IntN(4), MaxIter: 100}, SummaryRows: 32 * k}, 1+s.rng.IntN(50))
	s.model(x, nil, m, false)
}

func (s *soak) predict() {
	x := s.data(300, 8)
	m, err := Fit(bg, x, 1+s.rng.IntN(6), &Options{Enclosure: EnclosureTight})
	if err != nil {
		s.Fatal(err)
	}
	y := mapped(x, func(_, _ int, v float64) float64 { return v * (1 + s.rng.NormFloat64()) })
	g, err := m.Predict(nil, y)
	if err != nil {
		s.Fatal(err)
	}
	s.feasible(g, SumToOne)
	labels, err := m.Nearest(nil, y)
	if err != nil || len(labels) != y.Rows || len(m.Labels(nil)) != x.Rows {
		s.Fatal(len(labels), err)
	}
	y.Set(0, 0, math.NaN())
	none, err := m.Predict(g, y)
	s.fails(err, none == nil)
}

func (s *soak) parts() {
	x := s.data(200, 8)
	cut := s.rng.IntN(x.Rows + 1)
	var all, first, second Stats
	k := 1 + s.rng.IntN(5)
	if err := errors.Join(first.Add(rowsOf(x, 0, cut)), second.Add(rowsOf(x, cut, x.Rows)), all.Merge(shipped(s.T, &first)), all.Merge(&second)); err != nil {
		s.Fatal(err)
	}
	p, err := all.Subspace(k, nil)
	if err != nil {
		s.Fatal(err)
	}
	p = shipped(s.T, p)
	var e, f Extent
	if err := errors.Join(e.Add(p, rowsOf(x, 0, cut), nil), f.Add(p, rowsOf(x, cut, x.Rows), nil), e.Merge(shipped(s.T, &f))); err != nil {
		s.Fatal(err)
	}
	m, err := p.Model(&e)
	if err != nil {
		s.Fatal(err)
	}
	if m.Memberships, err = m.Predict(nil, x); err != nil {
		s.Fatal(err)
	}
	// It was found without memberships: a bound for all that could go wrong with these.
	if most := placedMost(m, all.Mean(), all.Weight(), m.Floor+m.FloorError); !(m.Objective <= most && m.Objective >= m.Floor-m.FloorError) {
		s.Fatalf("objective %g, at most %g, floor %g ± %g", m.Objective, most, m.Floor, m.FloorError)
	}
	m.Objective = plainObjective(x, m.Centers, m.Memberships, nil)
	s.model(x, nil, m, false)
	bad := NewMatrix(1, x.Cols+1, nil)
	s.fails(errors.Join(all.Add(bad)), true)
	s.fails(e.Add(p, bad, nil), true)
}

func (s *soak) forms() {
	m, err := Fit(bg, s.data(60, 6), 1+s.rng.IntN(4), nil)
	if err != nil {
		s.Fatal(err)
	}
	kernel, k := s.similar()
	l, err := TILSD(bg, kernel, k, nil)
	if err != nil {
		s.Fatal(err)
	}
	back, similar := shipped(s.T, m), shipped(s.T, l)
	if !bytes.Equal(formOf(m), formOf(back)) || !bytes.Equal(formOf(l), formOf(similar)) {
		s.Fatal("a form came back as another")
	}
	b := formOf(m)
	b[s.rng.IntN(len(b))] ^= 1 << s.rng.IntN(8)
	if err := back.UnmarshalBinary(b); !errors.Is(err, ErrFormat) {
		s.Fatal(err)
	}
	s.errors++
}

// TestSoak makes all calls in a random order. In the midst of them the live heap is
// measured after every tenth.
func TestSoak(t *testing.T) {
	long := os.Getenv("SOFTKMEANS_SOAK") == "1"
	var order []int
	for kind, k := range soakKinds {
		n := k.few
		if long {
			n = k.soak
		} else if quick() {
			n = (n + 2) / 3
		}
		for range n {
			order = append(order, kind)
		}
	}
	shuffle := rand.New(rand.NewPCG(1, 50))
	shuffle.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	s := &soak{T: t}
	goroutines := runtime.NumGoroutine()
	began := time.Now()
	var spent [16]time.Duration
	var live []uint64
	for i, kind := range order {
		s.rng = rand.New(rand.NewPCG(uint64(i), 51))
		start := time.Now()
		soakKinds[kind].call(s)
		spent[kind] += time.Since(start)
		if (i+1)*10/len(order) > i*10/len(order) {
			noneLeft(t, goroutines)
			live = append(live, liveHeap())
			if long {
				t.Logf("%d of %d calls after %.0f s: %d kB live", i+1, len(order), time.Since(began).Seconds(), live[len(live)-1]>>10)
			}
		}
	}
	// If every call left the smallest object, of 8 bytes, twice as much would have come. The
	// runtime keeps some 0.5 kB for each of fewer than a hundred ended goroutines: 64 kB.
	grown, allowed := int64(live[len(live)-1])-int64(live[0]), int64(4*len(order)+64<<10)
	if grown > allowed {
		t.Errorf("%d kB more are live after %d calls than after the first tenth: %d kB", grown>>10, len(order), live)
	}
	if long {
		for kind, k := range soakKinds {
			t.Logf("%6d %s, %.1f s", k.soak, k.name, spent[kind].Seconds())
		}
	}
	t.Logf("%d calls in %.1f s, %d errors as expected, %d cancelled, live heap %+d bytes since the first tenth (%d allowed)",
		len(order), time.Since(began).Seconds(), s.errors, s.cancelled, grown, allowed)
	if s.errors < len(order)/20 || s.cancelled < len(order)/100 {
		t.Error("too few errors or cancelled calls to say anything")
	}
	if !long { // the peak would be other tests'
		return
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	peak, where := m.Sys, "memory had of the system"
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		if high, ok := highWater(string(status)); ok {
			peak, where = high, "peak of resident memory"
		}
	}
	// A call has some 4 MB: data of 0.4, blocks of 256 kB for each of four workers, results.
	// The collector lets there be twice as much, and the program itself has 15 MB, so 64 MB
	// are ample. The race detector takes five to ten times as much memory.
	ceiling := uint64(64 << 20)
	if raceDetector {
		ceiling *= 5
	}
	t.Logf("%s: %d MB, the largest data had %d kB", where, peak>>20, s.largest>>10)
	if peak > ceiling {
		t.Errorf("%s: %d MB, more than %d", where, peak>>20, ceiling>>20)
	}
}

// liveHeap is what is still reachable.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers and pools let go in the first
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// highWater finds VmHWM in /proc/self/status, in bytes.
func highWater(status string) (bytes uint64, ok bool) {
	_, rest, ok := strings.Cut(status, "VmHWM:")
	line, _, _ := strings.Cut(rest, "\n")
	fields := strings.Fields(line)
	if !ok || len(fields) != 2 || fields[1] != "kB" {
		return 0, false
	}
	kb, err := strconv.ParseUint(fields[0], 10, 50)
	return kb << 10, err == nil
}
