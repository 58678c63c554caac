package main

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

var peerShapes = []shape{{150, 4, 3}, {1797, 64, 10}, {20000, 64, 10}, {2000, 256, 10}, {60, 700, 8}}

// pythonFor starts peers.py if there is a Python with NumPy; nil otherwise.
func pythonFor(t *testing.T) *python {
	path, err := findPython(context.Background(), "")
	if errors.Is(err, errNoNumPy) {
		t.Log(err)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	py, err := startPython(context.Background(), path, t.TempDir(), 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(py.close)
	t.Log(py.about)
	return py
}

// All peers compute the same result. The reference is the oracle's floor; all but
// scikit-learn's automatic solver reach it.
func TestPeers(t *testing.T) {
	py := pythonFor(t)
	for _, kind := range timedKinds {
		for _, at := range peerShapes {
			if kind.name != "decaying" && at.n*at.d > 500000 { // the same work once more
				continue
			}
			x := kind.data(at.n, at.d)
			if py != nil {
				if err := py.load(x, at.k); err != nil {
					t.Fatal(err)
				}
			}
			o := newOracle(t, wrap(x))
			unit := squares(x) / squares(o.x) // the oracle scales
			floor, total := o.floor(at.k)*unit, o.total*unit
			for _, p := range peersOf(x, at.k, 2, py) {
				s, _, err := p.solve()
				if err != nil {
					t.Fatal(err)
				}
				objective, err := s.check(x, p.exact, floor, total)
				if err != nil {
					t.Errorf("%s, %v: %s: %v", kind.name, at, p.name, err)
				}
				t.Logf("%s, %v: %s %s: %.1e of the total above the floor", kind.name, at, p.name, s.how, (objective-floor)/total)
			}
		}
	}
}

// Every kind of wrong answer is found.
func TestCheck(t *testing.T) {
	x := peerData(40, 5)
	good := func() *solution {
		s, err := ownFit(x, 3, 1)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	_, c := centred(x)
	floor, total := good().floor, squares(c)
	for name, c := range map[string]struct {
		ok, exactOK bool
		spoil       func(s *solution)
	}{
		"as it is":       {true, true, func(*solution) {}},
		"another floor":  {true, false, func(s *solution) { s.floor += 1e-11 * total }},
		"another center": {true, false, func(s *solution) { s.f.Set(0, 0, s.f.At(0, 0)+0.1) }},
		"negative":       {false, false, func(s *solution) { s.g.SetRow(3, []float64{-0.5, 1, 0.5}) }},
		"a wrong sum":    {false, false, func(s *solution) { s.g.Set(7, 2, s.g.At(7, 2)+0.1) }},
	} {
		s := good()
		c.spoil(s)
		_, err1 := s.check(x, false, floor, total)
		_, err2 := s.check(x, true, floor, total)
		if (err1 == nil) != c.ok || (err2 == nil) != c.exactOK {
			t.Errorf("%s: %v; if exact: %v", name, err1, err2)
		}
	}
	if _, err := good().check(x, false, 2*floor, total); err == nil {
		t.Error("an objective below the floor passes")
	}
}

// The global solution by this package and by gonum.
func BenchmarkPeers(b *testing.B) {
	for _, at := range peerShapes {
		x := peerData(at.n, at.d)
		for _, p := range peersOf(x, at.k, 2, nil) {
			b.Run(fmt.Sprintf("n=%d,d=%d,k=%d/impl=%s", at.n, at.d, at.k, p.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := p.repeat(1); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
