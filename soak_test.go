//go:build !tinygo

package softkmeans

// Many small calls of every kind, as a server makes them for weeks: nothing grows, no goroutine stays, and
// every answer is one. A few hundred calls in the suite; all of them by
//
//	SOFTKMEANS_SOAK=1 go test -race -run TestSoak -timeout 60m -v .

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
)

// soakKinds are the calls, and how many of them: in a soak, and in the suite.
var soakKinds = []struct {
	soak, few int
	call      func(s *soak)
}{
	{100000, 100, (*soak).fit},
	{1000, 3, (*soak).minVolume},
	{400, 2, (*soak).alternating},
	{400, 2, (*soak).lsd},
	{400, 2, (*soak).tilsd},
	{400, 2, (*soak).seq},
	{200, 1, (*soak).minVolumeSeq},
	{400, 2, (*soak).predict},
	{400, 2, (*soak).parts},
	{400, 4, (*soak).forms},
}

// soak is the state of the test: what one call is made of, and what is counted.
type soak struct {
	*testing.T
	rng               *rand.Rand // of this call
	errors, cancelled int        // errors as expected, calls ended by their context
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

// ending is a context that ends after some looks.
func (s *soak) ending(most int) context.Context {
	ctx := &endingContext{Context: bg}
	ctx.left.Store(int64(s.rng.IntN(most)))
	return ctx
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
	before := x.Clone()
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
		m, err := Fit(s.ending(12), x, k, o)
		if s.ended(err) && m != nil {
			s.Fatal("a model of a cancelled Fit")
		}
	default:
		m, err := Fit(bg, x, k, o)
		if err != nil {
			s.Fatalf("%d×%d, k = %d, %+v: %v", x.Rows, x.Cols, k, o, err)
		}
		if finiteModel(s.T, m); m.Status != StatusOptimal {
			s.Fatalf("%d×%d, k = %d: %v", x.Rows, x.Cols, k, m.Status)
		}
	}
	if maxDiff(x, before) != 0 {
		s.Fatal("the data changed")
	}
}

func (s *soak) minVolume() {
	r := s.rng
	x := s.data(120, 10)
	k := 1 + r.IntN(5)
	o := &MinVolumeOptions{
		Weights: s.weights(x.Rows), Seed: r.Uint64(), Workers: r.IntN(4), Restarts: r.IntN(3),
		MaxIter: 20 * r.IntN(6),
		Init:    Init(r.IntN(int(initCount))), Volume: Volume(r.IntN(3)), Sum: Sum(r.IntN(2)),
	}
	switch r.IntN(10) {
	case 0:
		o.Slack = math.NaN()
		m, err := FitMinVolume(bg, x, k, o)
		s.fails(err, m == nil)
	case 1:
		_, err := FitMinVolume(s.ending(200), x, k, o)
		s.ended(err)
	default:
		finiteModel(s.T, mustDo(FitMinVolume(bg, x, k, o))(s.T))
	}
}

func (s *soak) alternating() {
	x := s.data(120, 10)
	o := &MinVolumeOptions{
		Weights: s.weights(x.Rows), Seed: s.rng.Uint64(), Workers: s.rng.IntN(4), Sum: Sum(s.rng.IntN(2)),
		MaxIter: 100,
	}
	finiteModel(s.T, mustDo(FitAlternating(bg, x, 1+s.rng.IntN(6), o))(s.T))
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

func (s *soak) lsd() {
	kernel, k := s.similar()
	m := mustDo(LSD(bg, kernel, k, &LSDOptions{Workers: s.rng.IntN(4), Seed: s.rng.Uint64(),
		MaxIter: 100}))(s.T)
	if m.Scale > 0 {
		mustDo(m.Predict(nil, kernel))(s.T)
	}
	kernel.Set(0, kernel.Cols-1, kernel.At(0, kernel.Cols-1)+10) // not symmetric
	m, err := LSD(bg, kernel, k, nil)
	s.fails(err, m == nil)
}

func (s *soak) tilsd() {
	kernel, k := s.similar()
	mustDo(TILSD(bg, kernel, k, &LSDOptions{Workers: s.rng.IntN(4),
		Enclosure: Enclosure(s.rng.IntN(2))}))(s.T)
	_, err := TILSD(s.ending(30), kernel, k, nil)
	s.ended(err)
}

func (s *soak) seq() {
	x := s.data(200, 12)
	full := errors.New("full")
	o := &Options{
		Weights: s.weights(x.Rows), Enclosure: Enclosure(s.rng.IntN(2)), Workers: s.rng.IntN(4),
		Solver:      Solver(s.rng.IntN(2)),
		Memberships: func(int, *Matrix) error { return full },
	}
	k, blocks := 1+s.rng.IntN(6), inBlocks(x, 1+s.rng.IntN(50), 1+s.rng.IntN(9))
	if _, err := FitSeq(bg, blocks, k, o); !errors.Is(err, full) {
		s.Fatal(err)
	}
	s.errors++
	o.Memberships = nil
	finiteModel(s.T, mustDo(FitSeq(bg, blocks, k, o))(s.T))
	_, err := FitSeq(s.ending(30), blocks, k, o)
	s.ended(err)
}

func (s *soak) minVolumeSeq() {
	k := 1 + s.rng.IntN(4)
	o := MinVolumeSeqOptions{MinVolumeOptions: MinVolumeOptions{Workers: s.rng.IntN(4), MaxIter: 100},
		SummaryRows: 32 * k}
	m, _ := seqFit(s.T, s.data(200, 8), k, o, 1+s.rng.IntN(50))
	finiteModel(s.T, m)
}

func (s *soak) predict() {
	x := s.data(300, 8)
	m := mustDo(Fit(bg, x, 1+s.rng.IntN(6), &Options{Enclosure: EnclosureTight}))(s.T)
	y := mapped(x, func(_, _ int, v float64) float64 { return v * (1 + s.rng.NormFloat64()) })
	checkFeasible(s.T, mustDo(m.Predict(nil, y))(s.T))
	mustDo(m.Nearest(nil, y))(s.T)
	y.Set(0, 0, math.NaN())
	none, err := m.Predict(nil, y)
	s.fails(err, none == nil)
}

func (s *soak) parts() {
	x := s.data(200, 8)
	cut := s.rng.IntN(x.Rows + 1)
	var all, first, second Stats
	err := errors.Join(first.Add(rowsOf(x, 0, cut)), second.Add(rowsOf(x, cut, x.Rows)),
		all.Merge(shipped(s.T, &first)), all.Merge(&second))
	p := shipped(s.T, mustDo(all.Subspace(1+s.rng.IntN(5), nil))(s.T))
	var e, f Extent
	err = errors.Join(err, e.Add(p, rowsOf(x, 0, cut), nil), f.Add(p, rowsOf(x, cut, x.Rows), nil),
		e.Merge(shipped(s.T, &f)))
	if err != nil {
		s.Fatal(err)
	}
	finiteModel(s.T, mustDo(p.Model(&e))(s.T))
	bad := NewMatrix(1, x.Cols+1, nil)
	s.fails(all.Add(bad), true)
	s.fails(e.Add(p, bad, nil), true)
}

func (s *soak) forms() {
	m := mustDo(Fit(bg, s.data(60, 6), 1+s.rng.IntN(4), nil))(s.T)
	b := formOf(m)
	if !bytes.Equal(b, formOf(shipped(s.T, m))) {
		s.Fatal("a form came back as another")
	}
	b[s.rng.IntN(len(b))] ^= 1 << s.rng.IntN(8)
	if err := m.UnmarshalBinary(b); !errors.Is(err, ErrFormat) {
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
		}
		for range n {
			order = append(order, kind)
		}
	}
	shuffle := rand.New(rand.NewPCG(1, 50))
	shuffle.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	s := &soak{T: t}
	goroutines := runtime.NumGoroutine()
	var live []uint64
	for i, kind := range order {
		s.rng = rand.New(rand.NewPCG(uint64(i), 51))
		soakKinds[kind].call(s)
		if (i+1)*10/len(order) > i*10/len(order) {
			noneLeft(t, goroutines)
			live = append(live, liveHeap())
		}
	}
	// If every call left the smallest object, of 8 bytes, twice as much would have come. The
	// runtime keeps some 0.5 kB for each of fewer than a hundred ended goroutines: 64 kB.
	grown, allowed := int64(live[len(live)-1])-int64(live[0]), int64(4*len(order)+64<<10)
	if grown > allowed {
		t.Errorf("%d kB more are live after %d calls than after the first tenth: %d", grown>>10, len(order),
			live)
	}
	t.Logf("%d calls, %d errors as expected, %d cancelled, live heap %+d bytes (%d allowed)", len(order),
		s.errors, s.cancelled, grown, allowed)
	if s.errors < len(order)/20 || s.cancelled < len(order)/100 {
		t.Error("too few errors or cancelled calls to say anything")
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
