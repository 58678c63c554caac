//go:build !tinygo

package softkmeans

// Many small calls of every kind, as a server makes them for weeks: nothing grows, no goroutine
// stays. Whether results are right the fuzz targets say. All of the calls by
//
//	SOFTKMEANS_SOAK=1 go test -race -run TestSoak -timeout 60m -v .

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
)

// soakCalls are the calls, and how many of them: in a soak, and in the suite.
var soakCalls = []struct {
	soak, few int
	call      func(s *soak) error
}{
	{100000, 100, func(s *soak) error { return second(Fit(s, s.x, s.k, &s.o)) }},
	{1000, 3, func(s *soak) error { return second(FitMinVolume(s, s.x, s.k, &s.v)) }},
	{400, 2, func(s *soak) error { return second(FitAlternating(s, s.x, s.k, &s.v)) }},
	{400, 2, func(s *soak) error {
		m, err := LSD(s, outer(s.x), s.k, &LSDOptions{Workers: s.v.Workers, Seed: s.v.Seed, MaxIter: 100})
		if err == nil && m.Scale > 0 {
			_, err = m.Predict(nil, outer(s.x))
		}
		return err
	}},
	{400, 2, func(s *soak) error {
		return second(TILSD(s, outer(s.x), s.k, &LSDOptions{Workers: s.v.Workers, Enclosure: s.o.Enclosure}))
	}},
	{400, 2, func(s *soak) error {
		m, err := Fit(bg, s.x, s.k, nil)
		if err != nil {
			return err
		}
		y := s.x.Clone()
		if s.IntN(2) == 0 {
			y.Set(0, 0, math.NaN())
		}
		_, err = m.Predict(nil, y)
		return errors.Join(err, second(m.Nearest(nil, y)))
	}},
	{400, 2, func(s *soak) error {
		var all, part Stats
		if err := errors.Join(part.Add(s.x), all.Merge(&part), all.Merge(&part)); err != nil {
			return err
		}
		b := formOf(&all)
		b[s.IntN(len(b))] ^= 1 << s.IntN(8)
		return errors.Join(new(Stats).UnmarshalBinary(b), all.UnmarshalBinary(formOf(&all)))
	}},
}

// soak is what one call is made of. One in eight is of bad input, one in eight is cancelled.
type soak struct {
	*rand.Rand
	context.Context
	x *Matrix
	k int
	o Options
	v MinVolumeOptions
}

func newSoak(seed uint64) *soak {
	r := rand.New(rand.NewPCG(seed, 51))
	s := &soak{Rand: r, Context: bg, k: 1 + r.IntN(6)}
	rows := 60
	if r.IntN(500) == 0 { // of several blocks
		rows = 4000
	}
	s.x = randomData(1+r.IntN(rows), 1+r.IntN(12), 20*r.NormFloat64(), r.Uint64())
	if r.IntN(3) == 0 {
		s.x = laStrided(s.x)
	}
	w := randomSlice(s.x.Rows, r)
	for i, v := range w {
		w[i] = max(v, 0)
	}
	w[0] = 1
	s.v = MinVolumeOptions{
		Workers: r.IntN(4), Seed: r.Uint64(), Restarts: r.IntN(3), MaxIter: 1 + r.IntN(100),
		Init: Init(r.IntN(int(initCount))), Volume: Volume(r.IntN(3)), Sum: Sum(r.IntN(2)),
	}
	s.o = Options{
		Weights: w, Solver: Solver(r.IntN(4)), Enclosure: Enclosure(r.IntN(2)), Workers: r.IntN(5),
		Sum: s.v.Sum,
	}
	switch r.IntN(16) {
	case 0:
		s.x.Set(s.x.Rows-1, 0, math.Inf(-1))
	case 1:
		s.o.Workers, s.v.Workers = -1, -1
	case 2, 3:
		s.Context = endingAt(r.IntN(12))
	}
	return s
}

// TestSoak makes all calls in a random order. In the midst of them the live heap is
// measured after every tenth.
func TestSoak(t *testing.T) {
	long := os.Getenv("SOFTKMEANS_SOAK") == "1"
	var order []func(s *soak) error
	for _, c := range soakCalls {
		n := c.few
		if long {
			n = c.soak
		}
		for range n {
			order = append(order, c.call)
		}
	}
	shuffle := rand.New(rand.NewPCG(1, 50))
	shuffle.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	goroutines, wrong, cancelled := runtime.NumGoroutine(), 0, 0
	var live []uint64
	for i, call := range order {
		err := call(newSoak(uint64(i)))
		switch {
		case errors.Is(err, context.Canceled):
			cancelled++
		case errors.Is(err, ErrNonFinite), errors.Is(err, ErrOption), errors.Is(err, ErrFormat),
			errors.Is(err, io.ErrShortWrite):
			wrong++
		case err != nil:
			t.Fatalf("call %d: %v", i, err)
		}
		if (i+1)*10/len(order) > i*10/len(order) {
			noneLeft(t, goroutines)
			live = append(live, liveHeap())
		}
	}
	// If every call left the smallest object, of 8 bytes, twice as much would have come. The
	// runtime keeps some 0.5 kB for each of fewer than a hundred ended goroutines: 64 kB.
	grown, allowed := int64(live[len(live)-1])-int64(live[0]), int64(4*len(order)+64<<10)
	if grown > allowed {
		t.Errorf("%d bytes more are live after %d calls than after a tenth: %d", grown, len(order), live)
	}
	t.Logf("%d calls, %d of bad input, %d cancelled, live heap %+d bytes (%d allowed)", len(order), wrong,
		cancelled, grown, allowed)
	if wrong < len(order)/20 || cancelled < len(order)/100 {
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
