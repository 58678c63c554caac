package softkmeans

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// above is the next number after v, away from 0.
func above(v float64) float64 { return math.Nextafter(v, math.Copysign(math.Inf(1), v)) }

// TestStatsBounds: statistics at a limit of what rows can give are read, those beyond it
// are not.
func TestStatsBounds(t *testing.T) {
	const most = 3 * (4 + 0x1p-20)
	try := func(what string, good bool, change func(s *Stats)) {
		t.Helper()
		s := &Stats{moments: moments{units: units{3, 2}, rows: 3, cols: 3, weight: 3, mean: make([]float64, 3), meanRest: make([]float64, 3)},
			scatter: []float64{1, 0, 0, 2, 0, 3}, scatterRest: make([]float64, 6)}
		change(s)
		b := mustDo(s.MarshalBinary())(t)
		if err := new(Stats).UnmarshalBinary(b); good != (err == nil) || err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", what, err)
		}
	}
	try("as it is", true, func(s *Stats) {})
	for i, c := range []struct{ good, bad float64 }{{1, above(1)}, {-1, above(-1)}} {
		for at := range 3 {
			try(fmt.Sprint("mean ", i), true, func(s *Stats) { s.mean[at] = c.good })
			try(fmt.Sprint("mean ", i), false, func(s *Stats) { s.mean[at] = c.bad })
			try(fmt.Sprint("mean's rest ", i), true, func(s *Stats) { s.meanRest[at] = c.good * 0x1p-40 })
			try(fmt.Sprint("mean's rest ", i), false, func(s *Stats) { s.meanRest[at] = c.bad * 0x1p-40 })
		}
	}
	for at := range 6 {
		diagonal := at == 0 || at == 3 || at == 5
		name := fmt.Sprint("scatter ", at)
		try(name+" most", true, func(s *Stats) { s.scatter[at] = most })
		try(name+" too much", false, func(s *Stats) { s.scatter[at] = above(most) })
		try(name+" 0", true, func(s *Stats) { s.scatter[at] = 0 })
		try(name+" below 0", !diagonal, func(s *Stats) { s.scatter[at] = -5e-324 })
		try(name+" least", !diagonal, func(s *Stats) { s.scatter[at] = -most })
		try(name+" too little", false, func(s *Stats) { s.scatter[at] = above(-most) })
		for _, sign := range []float64{1, -1} {
			try(name+" rest", true, func(s *Stats) { s.scatter[at], s.scatterRest[at] = 1, sign*0x1p-40 })
			try(name+" rest too much", false, func(s *Stats) { s.scatter[at], s.scatterRest[at] = 1, above(sign*0x1p-40) })
		}
	}
	for _, c := range []struct {
		what      string
		exp, wexp int
		good      bool
	}{
		{"exp least", leastExp, 0, true}, {"exp below", leastExp - 1, 0, false}, {"exp most", mostExp, 0, true}, {"exp above", mostExp + 1, 0, false},
		{"wexp least", 0, -1073, true}, {"wexp below", 0, -1074, false}, {"wexp most", 0, 1024, true}, {"wexp above", 0, 1025, false},
		{"exp far above", 5000, 0, false}, {"wexp far below", 0, -5000, false},
	} {
		try(c.what, c.good, func(s *Stats) { s.exp, s.wexp = c.exp, c.wexp })
	}
	for i := range 3 { // an error may be far larger than any true one
		field := func(s *Stats) *float64 { return []*float64{&s.weightOff, &s.meanOff, &s.scatterOff}[i] }
		for _, c := range []struct {
			v    float64
			good bool
		}{{0, true}, {5e-324, true}, {-5e-324, false}, {0x1p400, true}, {0x1p401, false}, {math.MaxFloat64, false}} {
			try(fmt.Sprint("error ", i, " is ", c.v), c.good, func(s *Stats) { *field(s) = c.v })
			try(fmt.Sprint("no weight, error ", i, " is ", c.v), c.v == 0, func(s *Stats) { *s = Stats{moments: moments{rows: 3}}; *field(s) = c.v })
		}
	}
	try("weight most", true, func(s *Stats) { s.weight = 3 * (1 + 0x1p-20) })
	try("weight too much", false, func(s *Stats) { s.weight = 3 * (1 + 0x1.8p-20) })
	try("weight small", true, func(s *Stats) { s.weight, s.scatter = 1e-9, make([]float64, 6) })
	empty := func(s *Stats) { *s = Stats{moments: moments{rows: 3}} }
	try("no weight", true, empty)
	try("no weight, as many rows as an int has", true, func(s *Stats) { empty(s); s.rows = math.MaxInt })
	try("no weight, below 0 rows", false, func(s *Stats) { empty(s); s.rows = -1 })
	try("no weight, columns", false, func(s *Stats) { empty(s); s.cols = 1 })
	try("no weight, exp", false, func(s *Stats) { empty(s); s.exp = 1 })
	try("no weight, wexp", false, func(s *Stats) { empty(s); s.wexp = 1 })
	try("weight, no columns", false, func(s *Stats) { empty(s); s.weight = 1 })
	try("weight below 0", false, func(s *Stats) { empty(s); s.weight = -1 })

	good := mustDo(statsOf(t, NewMatrix(2, 1, []float64{1, 2}), nil).MarshalBinary())(t)
	for _, at := range []int{6, 7, 11, 12, 15, 23, 63, 71, 72, 80, 87} { // flags, columns, nothing, rows, two errors' signs, two numbers of 0
		b := bytes.Clone(good)
		b[at] ^= 0x80
		if err := new(Stats).UnmarshalBinary(resum(b)); !errors.Is(err, ErrFormat) {
			t.Errorf("byte %d wrong: %v", at, err)
		}
	}
}

// TestSubspaceBounds is TestStatsBounds for a subspace.
func TestSubspaceBounds(t *testing.T) {
	x := NewMatrix(4, 3, []float64{1, 2, 3, 4, 5, 7, 1, 0, 1, 2, 2, 9})
	s := statsOf(t, x, nil)
	try := func(what string, good bool, change func(p *Subspace)) {
		t.Helper()
		p := mustDo(s.Subspace(3, &Options{Enclosure: EnclosureTight, Orientation: RandomOrientation(3, 1)}))(t)
		change(p)
		b := mustDo(marshal(subspaceForm, p.fields))(t)
		if err := new(Subspace).UnmarshalBinary(b); good != (err == nil) || err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", what, err)
		}
	}
	try("as it is", true, func(p *Subspace) {})
	most := 4 * 3 * s.weight * (1 + 0x1p-20)
	for i := range 4 {
		field := func(p *Subspace) *float64 {
			return []*float64{&p.pc.total, &p.pc.floor, &p.pc.floorError, &p.pc.totalError}[i]
		}
		for _, c := range []struct {
			v    float64
			good bool
		}{{0, true}, {-5e-324, false}, {most, true}, {above(most), i > 1}, {math.MaxFloat64, i > 1}} {
			try(fmt.Sprint("number ", i, " is ", c.v), c.good, func(p *Subspace) { *field(p) = c.v })
		}
	}
	for steps, good := range map[int]bool{0: true, 1: true, 31: true, math.MaxInt32: true, -1: false} {
		try(fmt.Sprint("steps ", steps), good, func(p *Subspace) {
			p.pc.steps = steps
			if good && shipped(t, p).pc.steps != steps {
				t.Error("other steps than", steps)
			}
		})
	}
	if math.MaxInt > math.MaxInt32 {
		try("more steps", false, func(p *Subspace) { p.pc.steps = math.MaxInt32; p.pc.steps++ })
	}
	for solver := SolverAuto; solver < solverCount; solver++ {
		for status := StatusNone; status < statusCount; status++ {
			try(fmt.Sprint(solver, status), true, func(p *Subspace) {
				p.pc.solver, p.pc.status = solver, status
				if back := shipped(t, p); back.pc.solver != solver || back.pc.status != status || back.enclosure != EnclosureTight || back.orientation == nil {
					t.Errorf("%v, %v came back as %+v", solver, status, back)
				}
			})
		}
	}
	try("a solver too many", false, func(p *Subspace) { p.pc.solver = solverCount })
	try("a status too many", false, func(p *Subspace) { p.pc.status = statusCount })
	for row := range 2 {
		try("a direction nearly of length 1", true, func(p *Subspace) { scale(p.pc.basis.row(row), 1+0.4e-10) })
		try("a direction too long", false, func(p *Subspace) { scale(p.pc.basis.row(row), 1+0.8e-10) })
		try("a direction too short", false, func(p *Subspace) { scale(p.pc.basis.row(row), 1-0.8e-10) })
	}
	try("no centers", false, func(p *Subspace) { p.k = 0 })
	try("one center of two directions", false, func(p *Subspace) { p.k = 1 })
	try("four centers of two directions", false, func(p *Subspace) { p.k, p.orientation = 4, nil })
	try("an orientation that is none", false, func(p *Subspace) { p.orientation.Data[0] += 0.1 })
	try("a basis of other columns", false, func(p *Subspace) { p.pc.basis = rowsOf(identity(2), 0, 2) })
	try("no weight", false, func(p *Subspace) { p.moments, p.pc.basis = moments{rows: 3}, NewMatrix(0, 0, nil) })

	// On a line 2^16 + 1 centers may travel, and one more may not.
	line := statsOf(t, NewMatrix(3, 1, []float64{1, 2, 4}), nil)
	for k, good := range map[int]bool{1<<16 + 1: true, 1<<16 + 2: false} {
		p := mustDo(line.Subspace(k, nil))(t)
		_, err := p.MarshalBinary()
		back := new(Subspace).UnmarshalBinary(mustDo(marshal(subspaceForm, p.fields))(t))
		if good != (err == nil) || good != (back == nil) {
			t.Errorf("%d centers: %v; read: %v", k, err, back)
		}
	}
}

// TestExtentBounds is TestStatsBounds for an extent.
func TestExtentBounds(t *testing.T) {
	try := func(what string, good bool, change func(e *Extent)) {
		t.Helper()
		e := &Extent{rows: 3, coneExtent: coneExtent{extent: extent{radius: 1, facets: []float64{1, 2}}}, objective: 1, squares: 2, fingerprint: 7, started: true}
		change(e)
		b := mustDo(e.MarshalBinary())(t)
		if err := new(Extent).UnmarshalBinary(b); good != (err == nil) || err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", what, err)
		}
	}
	try("as it is", true, func(e *Extent) {})
	const most = 8 * 3 * math.MaxInt32
	for i := range 7 {
		field := func(e *Extent) *float64 {
			return []*float64{&e.radius, &e.objective, &e.squares, &e.facets[0], &e.facets[1], &e.height, &e.outside}[i]
		}
		for _, c := range []struct {
			v    float64
			good bool
		}{{0, true}, {-5e-324, false}, {most, true}, {above(most), false}} {
			try(fmt.Sprint("number ", i, " is ", c.v), c.good, func(e *Extent) { *field(e) = c.v })
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
	try("nothing but a radius", false, func(e *Extent) { *e = Extent{coneExtent: coneExtent{extent: extent{radius: 1}}} })

	good := mustDo((&Extent{rows: 3, coneExtent: coneExtent{extent: extent{facets: []float64{1}}}, started: true}).MarshalBinary())(t)
	for _, at := range []int{7, 8, 11, 72, 80, 87} { // flags, nothing, two numbers of 0
		b := bytes.Clone(good)
		b[at] ^= 0x80
		if err := new(Extent).UnmarshalBinary(resum(b)); !errors.Is(err, ErrFormat) {
			t.Errorf("byte %d wrong: %v", at, err)
		}
	}
}

// TestFormsNames: an error of a wrong form names what it is and what was wanted.
func TestFormsNames(t *testing.T) {
	forms := partForms(t)
	kinds := []struct {
		form
		magic, name string
	}{
		{&Model{}, modelForm.magic, "a softkmeans model"}, {&LSDModel{}, lsdForm.magic, "a softkmeans model of similarities"},
		{forms["stats"][0], statsForm.magic, "softkmeans statistics"}, {forms["subspace"][0], subspaceForm.magic, "a softkmeans subspace"}, {forms["extent"][0], extentForm.magic, "a softkmeans extent"},
	}
	says := func(f form, b []byte, want string) {
		t.Helper()
		if err := f.UnmarshalBinary(b); !errors.Is(err, ErrFormat) || !strings.HasPrefix(err.Error(), "softkmeans: "+want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
	for _, least := range []form{&Model{}, &LSDModel{}, &Stats{}, &Extent{}} { // as short as they can be
		b := mustDo(least.MarshalBinary())(t)
		if err := least.UnmarshalBinary(b[:len(b)-1]); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), fmt.Sprint(" of ", len(b)-1, " bytes: too short")) {
			t.Error(err)
		}
	}
	for _, a := range kinds {
		for _, b := range kinds {
			data := mustDo(b.MarshalBinary())(t)
			if a.magic != b.magic {
				says(a, data, "this is "+b.name+", not "+a.name)
				says(a, data[:4], "this is "+b.name+", not "+a.name)
				continue
			}
			says(a, data[:4], a.name+" of 4 bytes: too short")
			says(a, nil, a.name+" of 0 bytes: too short")
			says(a, append([]byte("ABCD"), data[4:]...), "this is not "+a.name)
			old := bytes.Clone(data)
			old[4] = 9
			says(a, resum(old), a.name+" of version 9, this package reads version ")
			old = bytes.Clone(data)
			old[20] ^= 1
			says(a, old, a.name+" whose checksum is wrong")
		}
	}
}
