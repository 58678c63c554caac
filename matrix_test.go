package softkmeans

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestMatrix(t *testing.T) {
	data := []float64{1, 2, 3, 4, 5, 6}
	m := NewMatrix(2, 3, data)
	if r, c := m.Rows, m.Cols; r != 2 || c != 3 || m.At(1, 0) != 4 {
		t.Error(m)
	}
	m.Set(1, 2, 9)
	if data[5] != 9 {
		t.Error("NewMatrix copied")
	}
	view := m.Row(0)
	view[1] = 7
	if m.At(0, 1) != 7 {
		t.Error("Row copied")
	}
	_ = append(view, 100)
	if m.At(1, 0) != 4 {
		t.Error("appending to a row wrote into the next")
	}
	s := &Matrix{Rows: 2, Cols: 2, Stride: 3, Data: data[:5]}
	if s.At(1, 1) != 5 || s.Clone().Stride != 2 || s.Clone().At(1, 1) != 5 {
		t.Error("strided view")
	}
	mustPanic(t, func() { s.At(0, 2) }) // inside of Data, outside of the view
	mustPanic(t, func() { NewMatrix(math.MaxInt, math.MaxInt, nil) })
	mustPanic(t, func() { NewMatrix(math.MaxInt/2+1, 4, nil) }) // whose product is 0 in an int
	if z := NewMatrix(2, 2, nil); len(z.Data) != 4 {
		t.Error(z)
	}
	var zero Matrix
	if r, c := zero.Rows, zero.Cols; r != 0 || c != 0 || zero.Clone().Rows != 0 {
		t.Error("zero value")
	}
}

func TestFromRows(t *testing.T) {
	rows := [][]float64{{1, 2}, {3, 4}}
	m, err := FromRows(rows)
	if err != nil || m.At(1, 1) != 4 {
		t.Error(m, err)
	}
	rows[1][1] = 0
	if m.At(1, 1) != 4 {
		t.Error("FromRows did not copy")
	}
	if m, err := FromRows(nil); err != nil || m.Rows != 0 {
		t.Error(m, err)
	}
	if m, err := FromRows([][]float64{{}, {}}); err != nil || m.Rows != 2 || m.Cols != 0 {
		t.Error(m, err)
	}
}

// TestHugeK: more centers than 32 bits index, or than 48 bits address, are an error
// wherever a k is taken. With 10^14 make panicked in Fit.
func TestHugeK(t *testing.T) {
	x := NewMatrix(3, 2, []float64{1, 2, 3, 4, 5, 7})
	kernel := outer(x)
	for name, call := range map[string]func(k int) error{
		"Fit": func(k int) error { return second(Fit(bg, x, k, nil)) },
		"Fit with weights": func(k int) error {
			return second(Fit(bg, x, k, &Options{Weights: make1(x.Rows)}))
		},
		"FitAlternating": func(k int) error { return second(FitAlternating(bg, x, k, nil)) },
		"FitMinVolume":   func(k int) error { return second(FitMinVolume(bg, x, k, nil)) },
		"LSD":            func(k int) error { return second(LSD(bg, kernel, k, nil)) },
		"TILSD":          func(k int) error { return second(TILSD(bg, kernel, k, nil)) },
	} {
		ks := []int{math.MaxInt, math.MaxInt / 2, min(1e14, math.MaxInt), math.MaxInt32}
		if name == "Fit with weights" || name == "FitAlternating" || name == "TILSD" {
			ks = append(ks, 1<<23) // whose k×k numbers are beyond any address
		}
		for _, k := range ks {
			if k < math.MaxInt32 && strconv.IntSize == 32 {
				continue // it is 2^30 on 32 bits, which two columns and three rows do address
			}
			err := call(k)
			if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "k is "+strconv.Itoa(k)) {
				t.Errorf("%s, k = %d: %v", name, k, err)
			}
		}
	}
}

// TestProductsBeyondInt: sizes whose products overflow an int of 32 bits.
func TestProductsBeyondInt(t *testing.T) {
	if math.MaxInt > math.MaxInt32 {
		skip(t, "int has 64 bits")
		return
	}
	const k = 20000 // k² floats are 3.2 GB
	x := NewMatrix(3, 1, []float64{1, 2, 4})
	o := &Options{Weights: []float64{1, 0, 1}}
	far := &Model{Centers: NewMatrix(k, 1, nil)}
	for name, c := range map[string]struct{ err, want error }{
		"Fit with a weight of 0": {second(Fit(bg, x, k, o)), ErrOption},
		"Predict":                {second(far.Predict(nil, x)), ErrShape},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	if m := mustDo(Fit(bg, x, k, nil))(t); !(math.Abs(m.Gap) <= 1e-12) {
		t.Errorf("without weights: %+v", m)
	}
}

// TestMatrixMessages: which numbers a panic or an error names, and in which order.
func TestMatrixMessages(t *testing.T) {
	m := NewMatrix(2, 3, nil)
	mustPanicWith(t, "NewMatrix with size -1×2", func() { NewMatrix(-1, 2, nil) })
	mustPanicWith(t, "NewMatrix with size 1×-2", func() { NewMatrix(1, -2, nil) })
	mustPanicWith(t, "NewMatrix of size 2×3 with 5 values", func() { NewMatrix(2, 3, make([]float64, 5)) })
	mustPanicWith(t, "NewMatrix of size 2×3 with 7 values", func() { NewMatrix(2, 3, make([]float64, 7)) })
	for _, at := range [][2]int{{2, 0}, {-1, 0}, {0, 3}, {0, -1}} {
		want := "index (" + strconv.Itoa(at[0]) + ", " + strconv.Itoa(at[1]) + ") out of a matrix of size 2×3"
		mustPanicWith(t, want, func() { m.At(at[0], at[1]) })
		mustPanicWith(t, want, func() { m.Set(at[0], at[1], 1) })
	}
	mustPanicWith(t, "row 2 of a matrix of size 2×3", func() { m.Row(2) })
	mustPanicWith(t, "row -1 of a matrix of size 2×3", func() { m.Row(-1) })
	mustPanicWith(t, "dst is 2×3, the result is 2×2", func() { destination(m, 2, 2) })
	mustPanicWith(t, "dst is 2×3, the result is 3×3", func() { destination(m, 3, 3) })
	mustPanicWith(t, "dst is 2×3, the result is 2×3", func() {
		destination(&Matrix{Rows: 2, Cols: 3, Stride: 3}, 2, 3)
	})
	if destination(m, 2, 3) != m {
		t.Error("dst is not the result")
	}
	if d := destination(nil, 3, 2); d.Rows != 3 || d.Cols != 2 || len(d.Data) != 6 {
		t.Error(d)
	}
	_, err := FromRows([][]float64{{1, 2}, {3, 4}, {5}})
	if mustSay(t, err, "row 2 has 1 values, row 0 has 2: wrong shape"); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	_, err = FromRows([][]float64{{1}, {3, 4, 5}})
	mustSay(t, err, "row 1 has 3 values, row 0 has 1: wrong shape")
	const most = math.MaxInt
	mustSay(t, checkSize("it", 3, most), "it of "+shape(3, most)+" is too large to address: wrong shape")
	mustSay(t, checkSizeOfK(7, 3, most), "k is 7: a matrix of "+shape(3,
		most)+" is too large to address: invalid option")
	if err := errors.Join(checkSize("it", 3, 4), checkSizeOfK(7, 3, 4)); err != nil {
		t.Error(err)
	}
	_, err = checkSymmetric("a", m)
	mustSay(t, err, "a is 2×3, not square: wrong shape")
	_, err = checkSymmetric("a", NewMatrix(3, 3, []float64{1, 2, 3, 2, 1, 5, 3, 4, 1}))
	mustSay(t, err, "a is not symmetric: worst at [2,1] = 4 and [1,2] = 5: wrong shape")
}

// TestAddressable at both sides of the bounds.
func TestAddressable(t *testing.T) {
	most := min(math.MaxInt/8, 1<<44)
	if runtime.GOARCH == "wasm" {
		most = min(math.MaxInt/8, 1<<29-1)
	}
	for _, c := range []struct {
		rows, cols int
		want       bool
	}{
		{0, 0, true}, {-1, 0, false}, {0, -1, false}, {-1, -1, false}, {math.MaxInt, 0, true},
		{0, math.MaxInt, true}, {1, math.MaxInt, false},
		{most, 1, true}, {most + 1, 1, false}, {1, most, true}, {1, most + 1, false}, {most / 2, 2, true},
		{most/2 + 1, 2, false},
		{2, most / 2, true}, {2, most/2 + 1, false}, {math.MaxInt, math.MaxInt, false},
	} {
		if got := addressable(c.rows, c.cols); got != c.want {
			t.Errorf("%d×%d: %v", c.rows, c.cols, got)
		}
	}
}

// TestEntryRange: the ends of the one range are in it, their neighbors are not, and an error
// names the first entry that is at fault.
func TestEntryRange(t *testing.T) {
	up := func(v float64) float64 { return math.Nextafter(v, math.Inf(1)) }
	down := func(v float64) float64 { return math.Nextafter(v, 0) }
	const entry, center, least = 0x1p500, 0x1p520, 0x1p-500
	for _, c := range []struct {
		v                float64
		data, any, other error // of checkData, checkMatrix, checkRange
	}{
		{0, nil, nil, nil}, {1, nil, nil, nil}, {entry, nil, nil, nil}, {up(entry), ErrRange, nil, ErrRange},
		{center, ErrRange, nil, ErrRange}, {up(center), ErrRange, ErrRange, ErrRange},
		{least, nil, nil, nil}, {down(least), ErrRange, nil, nil}, {5e-324, ErrRange, nil, nil},
		{math.NaN(), ErrNonFinite, ErrNonFinite, ErrNonFinite}, {math.Inf(1), ErrNonFinite, ErrNonFinite,
			ErrNonFinite},
	} {
		for _, v := range []float64{c.v, -c.v} {
			m := &Matrix{Rows: 3, Cols: 2, Stride: 3, Data: []float64{0, 0, math.NaN(), 0, v, math.NaN(), 0,
				v}}
			judge := func(err, want error) {
				t.Helper()
				if want == nil {
					if err != nil {
						t.Errorf("%g: %v", v, err)
					}
					return
				}
				var e *InputError
				if !errors.As(err, &e) || e.Arg != "m" || e.Row != 1 || e.Col != 1 ||
					math.Float64bits(e.Value) != math.Float64bits(v) || e.Err != want {
					t.Errorf("%g: %v, want %v", v, err, want)
				}
			}
			top, err := checkData("m", m)
			if judge(err, c.data); err == nil && top != math.Abs(v) {
				t.Errorf("%g: the largest is %g", v, top)
			}
			judge(checkMatrix("m", m, mostCenter), c.any)
			judge(checkRange(parallelism{bg, 1, nil}, "m", m), c.other)
		}
	}
	if top, err := checkEntries("m", &Matrix{Rows: math.MaxInt}, 1); top != 0 || err != nil {
		t.Error(top, err)
	}
	if err := checkMatrix("m", nil, mostCenter); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	// The largest of all rows; with entries that are too large before the one that is no number.
	m := NewMatrix(3, 2, []float64{1, -7, 3, 5, -6, 2})
	if top, err := checkEntries("m", m, 7); top != 7 || err != nil {
		t.Error(top, err)
	}
	m.Set(2, 0, math.NaN())
	for most, want := range map[float64]error{6: ErrRange, 7: ErrNonFinite} {
		if top, err := checkEntries("m", m, most); top != 0 || !errors.Is(err, want) {
			t.Error(most, top, err)
		}
	}
	// The largest entry is named where all are too small, not a zero or a smaller one before it.
	tiny := NewMatrix(2, 2, []float64{0, 0x1p-600, -0x1p-550, 0x1p-550})
	var e *InputError
	if _, err := checkData("m", tiny); !errors.As(err, &e) || e.Row != 1 || e.Col != 0 {
		t.Error(err)
	}
}

// TestCheckSymmetric: one pair that differs, in every tile and around their borders.
func TestCheckSymmetric(t *testing.T) {
	const n = 131
	m := mapped(NewMatrix(n, n, nil), func(i, j int, _ float64) float64 { return float64(i*j%7) / 8 })
	m.Set(0, 0, -2)
	if exact, err := checkSymmetric("m", m); !exact || err != nil {
		t.Error(exact, err)
	}
	for _, i := range []int{1, 63, 64, 65, 127, 128, 130} {
		for _, j := range []int{0, 62, 63, 64, 127, 128, 129} {
			if j >= i {
				continue
			}
			was := m.At(i, j)
			for _, by := range []float64{0x1p-60, 1.9e-8,
				-1.9e-8} { // half of the first two is symmetryTol of the largest
				m.Set(i, j, was+by)
				if exact, err := checkSymmetric("m", m); err != nil || exact != (was+by == was) {
					t.Fatalf("(%d,%d) off by %g: %v, %v", i, j, by, exact, err)
				}
			}
			m.Set(i, j, was-2.1e-8)
			if _, err := checkSymmetric("m", m); err == nil || !strings.Contains(err.Error(),
				"worst at ["+strconv.Itoa(i)+","+strconv.Itoa(j)+"] = ") {
				t.Fatalf("(%d,%d): %v", i, j, err)
			}
			m.Set(i, j, was)
		}
	}
	m.Set(5, 5, math.Inf(1))
	if _, err := checkSymmetric("m", m); !errors.Is(err, ErrNonFinite) {
		t.Error(err)
	}
	// Just at the tolerance, and above it.
	for diff, ok := range map[float64]bool{1e-8: true, 1.0000001e-8: false} {
		if exact, err := checkSymmetric("m", NewMatrix(2, 2, []float64{1, diff, 0, 1})); exact ||
			ok != (err == nil) {
			t.Errorf("%g: %v, %v", diff, exact, err)
		}
	}
}

// TestSparseFromTriples: numbers for one place are added up, in any order of the triples.
func TestSparseFromTriples(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range [][2]int{{0, 0}, {1, 1}, {5, 3}, {3, 9}, {20, 20}} {
		rows, cols := size[0], size[1]
		want := NewMatrix(rows, cols, nil)
		var i, j []int
		var v []float64
		for range rows * cols {
			r, c, x := rng.IntN(rows), rng.IntN(cols), float64(rng.IntN(9)-4)
			i, j, v = append(i, r), append(j, c), append(v, x)
			want.row(r)[c] += x
		}
		m := mustDo(SparseFromTriples(rows, cols, i, j, v))(t)
		got, err := m.Dense()
		if err != nil || !slices.Equal(got.Data, want.Data) {
			t.Errorf("%v: %v, not %v: %v", size, got, want, err)
		}
		c := m.rows(1)
		tr := c.transposed(cols)
		back := tr.transposed(rows)
		if !slices.Equal(back.index, c.index) || !slices.Equal(back.value, c.value) ||
			!slices.Equal(back.start, c.start) && rows > 0 {
			t.Errorf("%v: transposed twice is another matrix", size)
		}
		for r := range tr.count {
			index, value := tr.row(r)
			for l, at := range index {
				if want.row(at)[r] != value[l] {
					t.Errorf("%v: column %d, row %d is %v", size, r, at, value[l])
				}
			}
		}
	}
	for _, c := range []struct{ rows, cols, i, j int }{{2, 2, 2, 0}, {2, 2, 0, 2}, {2, 2, -1, 0},
		{2, 2, 0, -1}, {-1, 2, 0, 0}, {0, 0, 0, 0}} {
		if _, err := SparseFromTriples(c.rows, c.cols, []int{c.i}, []int{c.j}, []float64{1}); !errors.Is(err,
			ErrShape) {
			t.Error(c, err)
		}
	}
	if _, err := SparseFromTriples(2, 2, []int{1}, nil, []float64{1}); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	if m, err := new(SparseMatrix).Dense(); err != nil || m.Rows != 0 {
		t.Error(m, err)
	}
}

// TestSumDepth: a first term of 1 loses no more of the small ones after it than sumDepth says.
func TestSumDepth(t *testing.T) {
	for _, n := range []int{1, 1024, 1025, 2048, 5000} {
		for _, l := range []int{1, 16} { // with vectors, rows of 16 have other sums
			c := &compressed{count: 1, start: []int{0, n}, index: indices(n),
				value: slices.Repeat([]float64{0x1p-26}, n)}
			v := NewMatrix(n, l, slices.Repeat([]float64{0x1p-27}, n*l))
			c.value[0] = 1
			for j := range l {
				v.row(0)[j] = 1
			}
			out := make([]float64, l)
			c.addTo(out, 0, v, make([]float64, l))
			product, _ := c.dot(0, slices.Repeat([]float64{0x1p-27}, n))
			if off, most := math.Abs(out[0]-1-float64(n-1)*0x1p-53),
				gamma(sumDepth(n))*(1+float64(n)*0x1p-53); off > most {
				t.Errorf("%d numbers in rows of %d: off by %v, not %v", n, l, off, most)
			}
			if want := 0x1p-27 + float64(n-1)*0x1p-53; math.Abs(product-want) > gamma(sumDepth(n))*want {
				t.Errorf("product of %d numbers: %v", n, product)
			}
		}
	}
}
