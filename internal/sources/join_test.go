package sources

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"softkmeans"
	"softkmeans/internal/la"
	"softkmeans/internal/table"
	"softkmeans/internal/tables"
)

// sheet is a table to be written: nil names are left out.
type sheet struct {
	x             *softkmeans.Matrix
	corner        string
	lines, header []string
}

func (s sheet) turned() sheet {
	return sheet{la.Transpose(s.x), s.corner, s.header, s.lines}
}

func (s sheet) text() []byte {
	var b strings.Builder
	line := func(name string, fields []string) {
		if s.lines != nil {
			fields = append([]string{name}, fields...)
		}
		b.WriteString(strings.Join(fields, ",") + "\n")
	}
	if s.header != nil {
		line(s.corner, s.header)
	}
	for i := range s.x.Rows {
		name := ""
		if s.lines != nil {
			name = s.lines[i]
		}
		line(name, numerals(s.x.Row(i)))
	}
	return []byte(b.String())
}

// reordered returns the columns of these numbers, their names, and further columns after them.
func (s sheet) reordered(r *rand.Rand, at []int, more int) sheet {
	to := sheet{softkmeans.NewMatrix(s.x.Rows, len(at)+more, nil), s.corner, s.lines, nil}
	for c := range to.x.Cols {
		for i := range s.x.Rows {
			if c < len(at) {
				to.x.Set(i, c, s.x.At(i, at[c]))
			} else {
				to.x.Set(i, c, float64(r.IntN(100))/100)
			}
		}
		if c < len(at) {
			to.header = append(to.header, s.header[at[c]])
		} else {
			to.header = append(to.header, fmt.Sprintf("more%d%s", c, to.lines[0]))
		}
	}
	return to
}

func named(what string, n int) (names []string) {
	for i := range n {
		names = append(names, what+strconv.Itoa(i))
	}
	return names
}

// A library is joined with the columns that are its own, or that is an error. It never takes another shape:
// numbers with two decimals or less coincide often.
func TestJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 8))
	read := func(text []byte, source string, d table.Dialect) (*table.Table, error) {
		return table.Read(bytes.NewReader(text), source, d)
	}
	const runs = 200
	right := 0
	for run := range runs {
		d, n := []int{3, 4, 6, 9, 20, 135}[r.IntN(6)], 1+r.IntN(80)
		k := 2 + r.IntN(min(6, d-1))
		levels := []float64{10, 100}[r.IntN(2)]
		library := sheet{x: softkmeans.NewMatrix(k, d, nil), corner: "name"}
		x := sheet{x: softkmeans.NewMatrix(n, d, nil), corner: "id"}
		for i := range library.x.Data {
			library.x.Data[i] = float64(r.IntN(int(levels))) / levels
		}
		for i := range n {
			g, sum := make([]float64, k), 0.0
			for j := range g {
				g[j] = math.Pow(r.ExpFloat64(), 4)
				sum += g[j]
			}
			for j := range g {
				la.Axpy(x.x.Row(i), g[j]/sum, library.x.Row(j))
			}
			for j, v := range x.x.Row(i) {
				x.x.Row(i)[j] = math.Round(v*levels) / levels
			}
		}
		want := tables.Must(softkmeans.SimplexLeastSquares(nil, x.x, library.x, nil))(t)
		what := ""
		names := named("v", d)
		if d > 4 && r.IntN(2) == 0 {
			names = names[:0]
			for j := range d {
				names = append(names, number(400*float64(run%2)+10*float64(j)/float64(10-9*(run%2))))
			}
			what = "numbers "
		}
		if r.IntN(3) > 0 {
			library.header = names
			what += "library "
		}
		if r.IntN(3) > 0 {
			x.header = names
			what += "rows "
		}
		both := x.header != nil && library.header != nil
		if both || r.IntN(2) == 0 {
			library.lines = named("source ", k)
		}
		if both || r.IntN(2) == 0 {
			x.lines = named([]string{"row ", "", "40"}[r.IntN(3)], n)
			if both && what[0] != 'n' {
				x.lines = named("row ", n)
			}
		}
		if both && r.IntN(2) == 0 && what[0] != 'n' {
			what += "shuffled "
			library = library.reordered(r, r.Perm(d), r.IntN(3))
			x = x.reordered(r, r.Perm(d), r.IntN(3))
		}
		if library.x.Rows != library.x.Cols && r.IntN(3) == 0 && (both || x.header == nil) {
			what += "turned "
			library = library.turned()
			if library.lines == nil && library.header == nil {
				what += "bare "
			}
		}
		if both && n > 1 && r.IntN(4) == 0 {
			what += "rows turned"
			x = x.turned()
		}
		got, err := joined(library.text(), x.text(), read)
		if err == nil && (got.Rows != want.Rows || got.Cols != want.Cols) {
			t.Errorf("run %d, %s, %d in %d×%d: memberships are %d×%d", run, what, n, k, d, got.Rows, got.Cols)
			continue
		}
		switch {
		case err == nil:
			right++
		case both && what[0] != 'n':
			t.Errorf("run %d, %s, %d in %d×%d: %v", run, what, n, k, d, err)
		}
		for i, v := range want.Data {
			if err == nil && math.Abs(got.Data[i]-v) > 1e-9 {
				t.Errorf("run %d, %s, %d in %d×%d: membership %d is %v, not %v", run, what, n, k, d, i,
					got.Data[i], v)
				break
			}
		}
	}
	if 4*right < 3*runs {
		t.Errorf("%d of %d were joined", right, runs)
	}
}

// joined returns the memberships of rows in a library, of two texts.
func joined(library, text []byte, read Reader) (*softkmeans.Matrix, error) {
	l, err := Read(library, "library", "", read)
	if err != nil {
		return nil, err
	}
	d := table.Dialect{Guess: true}
	rows := l.Rows(&d)
	x, err := read(text, "rows", d)
	if err != nil {
		return nil, err
	}
	rows.Settle(x)
	s, err := l.Join("rows", x.Names, x.Named())
	if err != nil {
		return nil, err
	}
	m, err := s.NewMixer(Options{})
	if err != nil {
		return nil, err
	}
	of, err := m.Mix(context.Background(), softkmeans.NewMatrix(x.Rows, len(x.Names), x.Data), false)
	if err != nil {
		return nil, err
	}
	return of.Shares, nil
}

// A unit in the name of a column is no other name, and another unit is an error.
func TestUnitsInNames(t *testing.T) {
	for names, want := range map[string]string{"Al,Fe [ppm],Ca": "", "Al (%),Fe,Ca": "has another unit"} {
		library := &Library{Source: "L", Columns: strings.Split("Al (mg/kg),Fe (ppm),Ca", ","),
			X: softkmeans.NewMatrix(2, 3, []float64{1, 2, 3, 3, 2, 2})}
		_, err := library.Join("R", strings.Split(names, ","), true)
		if err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", names, err)
		}
	}
}

// TestConstantSources keeps a column, or a source, with the same number throughout: rows may differ there.
func TestConstantSources(t *testing.T) {
	t.Parallel()
	down := "name,a,b,c,d\n"
	across := "name,P0,P1,P2,flat\n"
	for i := range 7 {
		down += fmt.Sprintf("P%d,%d,%d,%d,4\n", i, i*i%5, i*3%7, i%2)
		across += fmt.Sprintf("f%d,%d,%d,%d,1\n", i, i*i%5, i*3%7, i%2)
	}
	for _, text := range []string{down, across} {
		l, err := Read([]byte(text), "k.csv", "",
			func(text []byte, source string, d table.Dialect) (*table.Table, error) {
				return table.Read(bytes.NewReader(text), source, d)
			})
		if err != nil {
			t.Fatal(err)
		}
		if l.X.Cols != 4 {
			t.Errorf("%d columns of 4 are read, notes %q", l.X.Cols, l.Notes)
		}
	}
}
