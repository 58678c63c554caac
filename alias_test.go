//go:build !tinygo

package softkmeans

// The package's one rule about destinations and receivers (see Errors in doc.go), held for every function
// that has one: TestTablesComplete compares the tables with the sources.

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writing is a call that writes to dst, on some inputs: all that it reads.
type writing struct {
	name string // of the function, as in the documentation
	in   []*Matrix
	call func(dst *Matrix, in []*Matrix) (*Matrix, error)
}

// asInts makes a writing of a call that writes integers: dst has them in its first column.
func asInts(f func(dst []int, in []*Matrix) ([]int, error)) func(*Matrix, []*Matrix) (*Matrix, error) {
	return func(dst *Matrix, in []*Matrix) (*Matrix, error) {
		var ints []int
		if dst != nil {
			ints = make([]int, dst.Rows)
			for i := range ints {
				ints[i] = -1
			}
		}
		out, err := f(ints, in)
		if err != nil || out == nil {
			return nil, err
		}
		if dst == nil {
			dst = NewMatrix(len(out), 1, nil)
		} else if &out[0] != &ints[0] {
			return nil, errors.New("the result is not dst")
		}
		for i, v := range out {
			dst.Set(i, 0, float64(v))
		}
		return dst, nil
	}
}

func destinations(t testing.TB) []writing {
	square := func(seed uint64) *Matrix { return randomData(5, 5, 0.5, seed) }
	leastSquares := func(dst *Matrix, in []*Matrix) (*Matrix, error) {
		return SimplexLeastSquares(dst, in[0], in[1], nil)
	}
	predict := func(dst *Matrix, in []*Matrix) (*Matrix, error) {
		return (&Model{Centers: in[1]}).Predict(dst, in[0])
	}
	atMost := func(dst *Matrix, in []*Matrix) (*Matrix, error) {
		return (&Model{Centers: in[1], Sum: SumAtMostOne}).Predict(dst, in[0])
	}
	sparse := func(dst *Matrix, in []*Matrix) (*Matrix, error) {
		if in[0] == nil || checkShape("x", in[0]) != nil {
			return nil, ErrShape
		}
		return (&Model{Centers: in[1]}).Predict(dst, sparseOf(in[0]))
	}
	lsd := func(in []*Matrix) *LSDModel {
		m := &LSDModel{Memberships: square(2), Scale: 0.5}
		if len(in) == 3 {
			m.Projection, m.Vertices, m.Means = in[1], in[2], square(9).Data[:5]
		} else {
			m.Memberships = in[1]
		}
		return m
	}
	similar := func(dst *Matrix, in []*Matrix) (*Matrix, error) { return lsd(in).Predict(dst, in[0]) }
	coordinates := func(dst *Matrix, in []*Matrix) (*Matrix, error) { return lsd(in).Coordinates(dst, in[0]) }
	subspace := mustDo(Principal(bg, randomData(9, 5, 1, 4), 5, nil))(t)
	// Coincident vertices have one answer for all rows; dependent ones are solved twice.
	same := mapped(NewMatrix(5, 5, nil), func(_, j int, _ float64) float64 { return float64(j) })
	twice := square(9)
	copy(twice.row(3), twice.row(1))
	many := randomData(500, 4, 0, 3) // several blocks
	means := randomData(4, 4, 0, 4)
	labels := []int{2, 1, 0, 1, 2}
	return []writing{
		{"SimplexLeastSquares", []*Matrix{square(1), square(2)}, leastSquares},
		{"SimplexLeastSquares", []*Matrix{square(1), same}, leastSquares},
		{"SimplexLeastSquares", []*Matrix{square(1), twice}, leastSquares},
		{"SimplexLeastSquares", []*Matrix{many, rowsOf(many, 0, 4)}, leastSquares},
		{"Model.Predict", []*Matrix{square(1), square(2)}, predict},
		{"Model.Predict", []*Matrix{NewMatrix(0, 5, nil), square(2)}, predict},
		{"Model.Predict", []*Matrix{many, rowsOf(many, 0, 4)}, atMost},
		{"Model.Predict", []*Matrix{square(1), square(2)}, sparse},
		{"Subspace.Coordinates", []*Matrix{square(1)}, func(dst *Matrix, in []*Matrix) (*Matrix, error) {
			return subspace.Coordinates(dst, in[0])
		}},
		{"LSDModel.Predict", []*Matrix{square(1), square(2)}, similar},
		{"LSDModel.Predict", []*Matrix{square(1), square(3), square(4)}, similar},
		{"LSDModel.Coordinates", []*Matrix{square(1), square(3), square(4)}, coordinates},
		{"Model.PredictLabels", []*Matrix{many, means}, asInts(func(dst []int, in []*Matrix) ([]int, error) {
			return (&Model{Centers: in[1]}).PredictLabels(dst, in[0])
		})},
		{"Model.PredictLabels", []*Matrix{many, means}, asInts(func(dst []int, in []*Matrix) ([]int, error) {
			return (&Model{Centers: in[1], ClusterMeans: rowsOf(many, 9, 13)}).PredictLabels(dst, in[0])
		})},
		{"Model.ClusterProbabilities", []*Matrix{square(1), square(2)},
			func(dst *Matrix, in []*Matrix) (*Matrix, error) {
				m := &Model{Centers: in[1], ClusterMeans: in[1], ClusterWeights: inTurn(5, 0.2), ClusterSpread: 2}
				return m.ClusterProbabilities(dst, in[0])
			}},
		{"Model.Labels", nil, asInts(func(dst []int, _ []*Matrix) ([]int, error) {
			return (&Model{Clusters: labels}).Labels(dst), nil
		})},
		{"Model.Labels", nil, asInts(func(dst []int, _ []*Matrix) ([]int, error) {
			return (&Model{Memberships: means}).Labels(dst), nil
		})},
		{"LSDModel.Labels", nil, asInts(func(dst []int, _ []*Matrix) ([]int, error) {
			return (&LSDModel{Memberships: means}).Labels(dst), nil
		})},
	}
}

// sameMatrix reports whether two matrices have the same shape and bits.
func sameMatrix(a, b *Matrix) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Rows == b.Rows && a.Cols == b.Cols && laSameBits(a.Clone().Data, b.Clone().Data)
}

// copies are the inputs with storage of their own, with NaN between their rows.
func copies(in []*Matrix) []*Matrix {
	out := make([]*Matrix, len(in))
	for i, m := range in {
		out[i] = laStrided(m)
	}
	return out
}

// paddingKept reports whether the gaps of a matrix of laStrided are as they were.
func paddingKept(m *Matrix) bool {
	for i := range m.Rows {
		for _, v := range m.Data[i*m.Stride+m.Cols : (i+1)*m.Stride] {
			if !math.IsNaN(v) {
				return false
			}
		}
	}
	return true
}

// panics reports whether f does, where canRecover.
func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// TestDestinations: whatever dst was, an input among it, the result has the bits of a call without one, and
// all else is as it was. After an error, or a panic for a wrong shape, so is dst.
func TestDestinations(t *testing.T) {
	t.Parallel()
	for _, c := range destinations(t) {
		want := mustDo(c.call(nil, copies(c.in)))(t).Clone()
		check := func(how string, dst *Matrix, in []*Matrix) {
			t.Helper()
			got, err := c.call(dst, in)
			if got != dst || err != nil || !sameMatrix(dst, want) || !paddingKept(dst) {
				t.Errorf("%s, dst %s: %v, or it differs", c.name, how, err)
			}
			for i, m := range in {
				if m != dst && !sameMatrix(m, c.in[i]) {
					t.Errorf("%s, dst %s: input %d changed", c.name, how, i)
				}
			}
		}
		dirty := laStrided(mapped(want, func(_, _ int, _ float64) float64 { return math.NaN() }))
		check("of NaN", dirty, copies(c.in))
		check("once more", dirty, copies(c.in))
		for i, m := range c.in {
			if own := copies(c.in); m.Rows == want.Rows && m.Cols == want.Cols {
				check("an input", own[i], own)
			}
			spoilt := m.Clone()
			if len(spoilt.Data) > 0 {
				spoilt.Data[len(spoilt.Data)-1] = math.NaN()
			}
			for wrong, is := range map[*Matrix]error{spoilt: ErrNonFinite, nil: nil,
				{Rows: m.Rows + 1, Cols: m.Cols, Stride: m.Cols, Data: m.Data}: ErrShape} {
				own, dst := copies(c.in), laStrided(want)
				own[i] = wrong
				if wrong == nil && c.name == "LSDModel.Coordinates" || wrong == spoilt && len(m.Data) == 0 {
					continue // it has coordinates of the samples, or nothing is spoilt
				}
				got, err := c.call(dst, own)
				if got != nil || err == nil || is != nil && !errors.Is(err, is) ||
					!sameMatrix(dst, want) || !paddingKept(dst) {
					t.Errorf("%s: input %d: %v, want %v, or dst changed", c.name, i, err, is)
				}
			}
		}
		for _, dst := range []*Matrix{NewMatrix(want.Rows+1, want.Cols, nil), {Rows: want.Rows, Cols: -1},
			NewMatrix(want.Rows, want.Cols+1, nil)} {
			if want.Cols == 1 && dst.Rows == want.Rows {
				continue // it fits a call of integers
			}
			before := slices.Clone(dst.Data)
			if canRecover() && !panics(func() { c.call(dst, copies(c.in)) }) || !laSameBits(dst.Data, before) {
				t.Errorf("%s: a dst of %d×%d: no panic, or it changed", c.name, dst.Rows, dst.Cols)
			}
		}
	}
}

// failure is a call of a method that must fail.
type failure struct {
	method string // as in the documentation
	of     func() *Stats
	call   func(s *Stats) error
}

func bytesOf(s *Stats) []byte {
	b, _ := s.MarshalBinary()
	return b
}

func failures(t *testing.T) []failure {
	x, w := randomData(30, 3, 1, 4), []float64{1, -1}
	two, short, nan := rowsOf(x, 0, 2), NewMatrix(2, 2, nil), rowsOf(x, 0, 2).Clone()
	nan.Set(1, 1, math.NaN())
	some := func() *Stats { return statsOf(t, x, nil) }
	full := func() *Stats { return &Stats{rows: math.MaxInt - 1} }
	return []failure{
		{"Stats.Add", some, func(s *Stats) error { return s.Add(nan) }},
		{"Stats.Add", some, func(s *Stats) error { return s.Add(short) }},
		{"Stats.Add", full, func(s *Stats) error { return s.Add(two) }},
		{"Stats.AddWeighted", some, func(s *Stats) error { return s.AddWeighted(two, w) }},
		{"Stats.AddWeighted", some, func(s *Stats) error { return s.AddWeighted(nan, make([]float64, 2)) }},
		{"Stats.Merge", some, func(s *Stats) error { return s.Merge(statsOf(t, short, nil)) }},
		{"Stats.Merge", full, func(s *Stats) error { return s.Merge(statsOf(t, two, nil)) }},
		{"Stats.UnmarshalBinary", some, func(s *Stats) error {
			b := bytesOf(some())
			return s.UnmarshalBinary(b[:len(b)-1])
		}},
	}
}

// TestReceivers: after an error the receiver is unchanged.
func TestReceivers(t *testing.T) {
	for _, f := range failures(t) {
		s := f.of()
		before := bytesOf(s)
		if err := f.call(s); err == nil || !bytes.Equal(bytesOf(s), before) {
			t.Errorf("%s: %v, or the receiver changed", f.method, err)
		}
	}
	// The receiver shares no memory with the bytes that it read.
	s := statsOf(t, randomData(9, 4, 3, 1), nil)
	b, again := bytesOf(s), new(Stats)
	must(t, again.UnmarshalBinary(b))
	clear(b)
	if !bytes.Equal(bytesOf(again), bytesOf(s)) {
		t.Error("the receiver shares memory with the bytes that it read")
	}
}

// TestMergeItself: the receiver as its own argument is as a copy of it.
func TestMergeItself(t *testing.T) {
	x := NewMatrix(2, 1, []float64{1, 2})
	for _, s := range []*Stats{{}, statsOf(t, randomData(9, 4, 3, 1), nil), statsOf(t, x, []float64{0, 0})} {
		rows, other := s.Rows(), shipped(t, s)
		must(t, errors.Join(other.Merge(shipped(t, s)), s.Merge(s)))
		if !bytes.Equal(bytesOf(s), bytesOf(other)) || s.Rows() != 2*rows {
			t.Errorf("%d rows: differs from merging a copy", rows)
		}
	}
}

// TestTablesComplete: every function that has a dst is among the destinations of
// alias_test.go, and every method that changes its receiver among the receivers.
func TestTablesComplete(t *testing.T) {
	table := map[string]bool{
		"ProjectSimplex": true, // in simplexproj_test.go
		"Matrix.Check":   true, // takes the name that its error has, and changes nothing
	}
	for _, c := range destinations(t) {
		table[c.name] = true
	}
	for _, f := range failures(t) {
		table[f.method] = true
	}
	hasDst := func(f *ast.FuncType) bool {
		return slices.ContainsFunc(f.Params.List, func(p *ast.Field) bool {
			return slices.ContainsFunc(p.Names, func(n *ast.Ident) bool { return n.Name == "dst" })
		})
	}
	found := 0
	want := func(name string) {
		found++
		if !table[name] {
			t.Errorf("the tables of alias_test.go are without %s", name)
		}
	}
	inspect := func(n ast.Node) bool {
		if n, ok := n.(*ast.FuncDecl); ok {
			if n.Recv == nil && n.Name.IsExported() && hasDst(n.Type) {
				want(n.Name.Name)
			}
			if n.Recv == nil || !n.Name.IsExported() {
				return false
			}
			typ := n.Recv.List[0].Type
			star, pointer := typ.(*ast.StarExpr)
			if pointer {
				typ = star.X
			}
			if of := typ.(*ast.Ident); of.IsExported() &&
				(hasDst(n.Type) || pointer && n.Name.Name != "Check" && changes(n.Type)) {
				want(of.Name + "." + n.Name.Name)
			}
			return false
		}
		return true
	}
	for _, name := range mustDo(filepath.Glob("*.go"))(t) {
		if !strings.HasSuffix(name, "_test.go") {
			ast.Inspect(mustDo(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t), inspect)
		}
	}
	if found == 0 {
		t.Skip("the package's sources are not here")
	}
	if found < 10 {
		t.Errorf("only %d functions were looked for", found)
	}
}

// changes reports whether a method with these parameters and results must change its receiver: it takes
// arguments and returns an error alone.
func changes(f *ast.FuncType) bool {
	if f.Params.NumFields() == 0 || f.Results.NumFields() != 1 {
		return false
	}
	result, ok := f.Results.List[0].Type.(*ast.Ident)
	return ok && result.Name == "error"
}
