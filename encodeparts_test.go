package softkmeans

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
)

// above is the next number after v, away from 0.
func above(v float64) float64 { return math.Nextafter(v, math.Copysign(math.Inf(1), v)) }

// reads expects that a form is read, or else an ErrFormat.
func reads(t *testing.T, what string, good bool, to form, b []byte) {
	t.Helper()
	if err := to.UnmarshalBinary(b); good != (err == nil) || err != nil && !errors.Is(err, ErrFormat) {
		t.Errorf("%s: %v", what, err)
	}
}

// TestStatsBounds: statistics at a limit of what rows can give are read, those beyond it are not.
func TestStatsBounds(t *testing.T) {
	const most = 3 * (4 + 0x1p-20)
	try := func(what string, good bool, change func(s *Stats)) {
		t.Helper()
		m := moments{units: units{3, 2}, rows: 3, cols: 3, weight: 3}
		m.mean, m.meanRest = make([]float64, 3), make([]float64, 3)
		s := &Stats{moments: m, scatter: []float64{1, 0, 0, 2, 0, 3}, scatterRest: make([]float64, 6)}
		change(s)
		reads(t, what, good, new(Stats), mustDo(s.MarshalBinary())(t))
	}
	try("as it is", true, func(s *Stats) {})
	for _, sign := range []float64{1, -1} {
		for at := range 3 {
			for v, good := range map[float64]bool{sign: true, above(sign): false} {
				try(fmt.Sprint("mean ", v), good, func(s *Stats) { s.mean[at] = v })
				try(fmt.Sprint("mean's rest ", v), good, func(s *Stats) { s.meanRest[at] = v * 0x1p-40 })
			}
		}
		for at := range 6 {
			v := sign * 0x1p-40
			rest := func(v float64) func(s *Stats) {
				return func(s *Stats) { s.scatter[at], s.scatterRest[at] = 1, v }
			}
			try(fmt.Sprint("rest ", at), true, rest(v))
			try(fmt.Sprint("rest too much ", at), false, rest(above(v)))
		}
	}
	for at := range 6 {
		diagonal := at == 0 || at == 3 || at == 5
		for v, good := range map[float64]bool{
			most: true, above(most): false, 0: true,
			-5e-324: !diagonal, -most: !diagonal, above(-most): false,
		} {
			try(fmt.Sprint("scatter ", at, " is ", v), good, func(s *Stats) { s.scatter[at] = v })
		}
	}
	for e, good := range map[int]bool{
		leastExp: true, leastExp - 1: false, mostExp: true, mostExp + 1: false, 5000: false,
	} {
		try(fmt.Sprint("exp ", e), good, func(s *Stats) { s.exp = e })
	}
	for e, good := range map[int]bool{-1073: true, -1074: false, 1024: true, 1025: false, -5000: false} {
		try(fmt.Sprint("wexp ", e), good, func(s *Stats) { s.wexp = e })
	}
	empty := func(s *Stats) { *s = Stats{moments: moments{rows: 3}} }
	for i := range 3 { // an error may be far larger than any true one
		field := func(s *Stats) *float64 { return []*float64{&s.weightOff, &s.meanOff, &s.scatterOff}[i] }
		for v, good := range map[float64]bool{
			0: true, 5e-324: true, -5e-324: false, 0x1p400: true, 0x1p401: false, math.MaxFloat64: false,
		} {
			try(fmt.Sprint("error ", i, " is ", v), good, func(s *Stats) { *field(s) = v })
			try(fmt.Sprint("no weight, error ", v), v == 0, func(s *Stats) { empty(s); *field(s) = v })
		}
	}
	try("weight most", true, func(s *Stats) { s.weight = 3 * (1 + 0x1p-20) })
	try("weight too much", false, func(s *Stats) { s.weight = 3 * (1 + 0x1.8p-20) })
	try("weight small", true, func(s *Stats) { s.weight, s.scatter = 1e-9, make([]float64, 6) })
	try("no weight", true, empty)
	try("no weight, as many rows as an int has", true, func(s *Stats) { empty(s); s.rows = math.MaxInt })
	try("no weight, below 0 rows", false, func(s *Stats) { empty(s); s.rows = -1 })
	try("no weight, columns", false, func(s *Stats) { empty(s); s.cols = 1 })
	try("no weight, exp", false, func(s *Stats) { empty(s); s.exp = 1 })
	try("no weight, wexp", false, func(s *Stats) { empty(s); s.wexp = 1 })
	try("weight, no columns", false, func(s *Stats) { empty(s); s.weight = 1 })
	try("weight below 0", false, func(s *Stats) { empty(s); s.weight = -1 })

	good := mustDo(statsOf(t, NewMatrix(2, 1, []float64{1, 2}), nil).MarshalBinary())(t)
	// Flags, columns, nothing, rows, two errors' signs, two numbers of 0.
	for _, at := range []int{6, 7, 11, 12, 15, 23, 63, 71, 72, 80, 87} {
		b := bytes.Clone(good)
		b[at] ^= 0x80
		reads(t, fmt.Sprint("byte ", at), false, new(Stats), resum(b))
	}
}

// TestSubspaceBounds is TestStatsBounds for a subspace.
func TestSubspaceBounds(t *testing.T) {
	s := statsOf(t, NewMatrix(4, 3, []float64{1, 2, 3, 4, 5, 7, 1, 0, 1, 2, 2, 9}), nil)
	o := &Options{Enclosure: EnclosureTight, Orientation: RandomOrientation(3, 1)}
	try := func(what string, good bool, change func(p *StreamSubspace)) {
		t.Helper()
		p := mustDo(s.StreamSubspace(3, o))(t)
		change(p)
		reads(t, what, good, new(StreamSubspace), mustDo(marshal(subspaceForm, p.fields))(t))
	}
	try("as it is", true, func(p *StreamSubspace) {})
	most := 4 * 3 * s.weight * (1 + 0x1p-20)
	for i := range 4 {
		field := func(p *StreamSubspace) *float64 {
			return []*float64{&p.pc.total, &p.pc.floor, &p.pc.floorError, &p.pc.totalError}[i]
		}
		for v, good := range map[float64]bool{
			0: true, -5e-324: false, most: true, above(most): i > 1, math.MaxFloat64: i > 1,
		} {
			try(fmt.Sprint("number ", i, " is ", v), good, func(p *StreamSubspace) { *field(p) = v })
		}
	}
	for steps, good := range map[int]bool{0: true, 1: true, math.MaxInt32: true, -1: false} {
		try(fmt.Sprint("steps ", steps), good, func(p *StreamSubspace) {
			p.pc.steps = steps
			if good && shipped(t, p).pc.steps != steps {
				t.Error("other steps than", steps)
			}
		})
	}
	if math.MaxInt > math.MaxInt32 {
		try("more steps", false, func(p *StreamSubspace) { p.pc.steps = math.MaxInt32; p.pc.steps++ })
	}
	for solver := SolverAuto; solver < solverCount; solver++ {
		for status := StatusNone; status < statusCount; status++ {
			try(fmt.Sprint(solver, status), true, func(p *StreamSubspace) {
				p.pc.solver, p.pc.status = solver, status
				if back := shipped(t, p); back.pc.solver != solver || back.pc.status != status ||
					back.enclosure != EnclosureTight || back.orientation == nil {
					t.Errorf("%v, %v came back as %+v", solver, status, back)
				}
			})
		}
	}
	try("a solver too many", false, func(p *StreamSubspace) { p.pc.solver = solverCount })
	try("a status too many", false, func(p *StreamSubspace) { p.pc.status = statusCount })
	for row := range 2 {
		for off, good := range map[float64]bool{0.4e-10: true, 0.8e-10: false, -0.8e-10: false} {
			try("a direction's length", good, func(p *StreamSubspace) { scale(p.pc.basis.row(row), 1+off) })
		}
	}
	try("no centers", false, func(p *StreamSubspace) { p.k = 0 })
	try("one center of two directions", false, func(p *StreamSubspace) { p.k = 1 })
	try("four centers of two directions", false, func(p *StreamSubspace) { p.k, p.orientation = 4, nil })
	try("an orientation that is none", false, func(p *StreamSubspace) { p.orientation.Data[0] += 0.1 })
	try("a basis of other columns", false, func(p *StreamSubspace) { p.pc.basis = identity(2) })
	none := NewMatrix(0, 0, nil)
	try("no weight", false, func(p *StreamSubspace) { p.moments, p.pc.basis = moments{rows: 3}, none })

	// On a line 2^16 + 1 centers may travel, and one more may not.
	line := statsOf(t, NewMatrix(3, 1, []float64{1, 2, 4}), nil)
	for k, good := range map[int]bool{1<<16 + 1: true, 1<<16 + 2: false} {
		p := mustDo(line.StreamSubspace(k, nil))(t)
		if _, err := p.MarshalBinary(); good != (err == nil) {
			t.Errorf("%d centers: %v", k, err)
		}
		reads(t, fmt.Sprint(k, " centers"), good, new(StreamSubspace), mustDo(marshal(subspaceForm, p.fields))(t))
	}
}

// TestExtentBounds is TestStatsBounds for an extent.
func TestExtentBounds(t *testing.T) {
	try := func(what string, good bool, change func(e *Extent)) {
		t.Helper()
		e := &Extent{rows: 3, objective: fineSum{sum: 1}, squares: 2, fingerprint: 7, started: true}
		e.radius, e.facets = 1, []float64{1, 2}
		change(e)
		reads(t, what, good, new(Extent), mustDo(e.MarshalBinary())(t))
	}
	try("as it is", true, func(e *Extent) {})
	const most = 8 * 3 * math.MaxInt32
	for i := range 5 {
		field := func(e *Extent) *float64 {
			return []*float64{&e.radius, &e.objective.sum, &e.squares, &e.facets[0], &e.facets[1]}[i]
		}
		for v, good := range map[float64]bool{0: true, -5e-324: false, most: true, above(most): false} {
			try(fmt.Sprint("number ", i, " is ", v), good, func(e *Extent) { *field(e) = v })
		}
	}
	try("one row", true, func(e *Extent) { e.rows = 1 })
	try("no rows", false, func(e *Extent) { e.rows = 0 })
	try("below 0 rows", false, func(e *Extent) { e.rows = -1 })
	try("no facets", false, func(e *Extent) { e.facets = nil })
	try("no subspace", false, func(e *Extent) { e.started = false })
	try("nothing", true, func(e *Extent) { *e = Extent{} })
	try("nothing but a fingerprint", false, func(e *Extent) { *e = Extent{fingerprint: 1} })
	try("nothing but a subspace", false, func(e *Extent) { *e = Extent{started: true} })
	try("nothing but a radius", false, func(e *Extent) { *e = Extent{}; e.radius = 1 })

	e := &Extent{rows: 3, started: true}
	e.facets = []float64{1}
	good := mustDo(e.MarshalBinary())(t)
	for _, at := range []int{7, 8, 11, 72, 80, 87} { // flags, nothing, two numbers of 0
		b := bytes.Clone(good)
		b[at] ^= 0x80
		reads(t, fmt.Sprint("byte ", at), false, new(Extent), resum(b))
	}
}

// TestFormsShared: several goroutines may write one value, which the race detector checks.
func TestFormsShared(t *testing.T) {
	forms := partForms(t)
	shared := []form{&Model{Trace: []float64{1}}, &LSDModel{}}
	for _, kind := range []string{"stats", "subspace", "extent"} {
		shared = append(shared, forms[kind][len(forms[kind])-1])
	}
	for _, f := range shared {
		written := make([][]byte, 4)
		var all sync.WaitGroup
		for i := range written {
			all.Add(1)
			go func() {
				defer all.Done()
				written[i], _ = f.MarshalBinary()
			}()
		}
		all.Wait()
		for _, b := range written {
			if len(b) == 0 || !bytes.Equal(b, written[0]) {
				t.Errorf("%T differs between goroutines", f)
			}
		}
	}
}

// TestFormsNames: an error of a wrong form names what it is and what was wanted.
func TestFormsNames(t *testing.T) {
	forms := partForms(t)
	kinds := map[form]formKind{
		&Model{}: modelForm, &LSDModel{}: lsdForm, forms["stats"][0]: statsForm,
		forms["subspace"][0]: subspaceForm, forms["extent"][0]: extentForm,
	}
	says := func(f form, b []byte, want string) {
		t.Helper()
		err := f.UnmarshalBinary(b)
		if !errors.Is(err, ErrFormat) || !strings.HasPrefix(err.Error(), "softkmeans: "+want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
	for f, a := range kinds {
		for of, b := range kinds {
			data := mustDo(of.MarshalBinary())(t)
			if a.magic != b.magic {
				says(f, data, "this is "+b.name+", not "+a.name)
				says(f, data[:4], "this is "+b.name+", not "+a.name)
				continue
			}
			says(f, data[:4], a.name+" of 4 bytes: too short")
			says(f, nil, a.name+" of 0 bytes: too short")
			says(f, data[:headerSize+3], a.name+" of 91 bytes: too short")
			says(f, append([]byte("ABCD"), data[4:]...), "this is not "+a.name)
			old := bytes.Clone(data)
			old[4] = 9
			says(f, resum(old), a.name+" of version 9, this package reads version ")
			old = bytes.Clone(data)
			old[20] ^= 1
			says(f, old, a.name+" whose checksum is wrong")
		}
	}
}
