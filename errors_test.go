package softkmeans

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestDecimal: what people type is printed as they do, any number to 14 digits.
func TestDecimal(t *testing.T) {
	same := func(v float64) {
		t.Helper()
		if got, want := decimal(v), strconv.FormatFloat(v, 'g', -1, 64); got != want {
			t.Fatalf("%s is printed as %s", want, got)
		}
	}
	for _, v := range []float64{
		0, math.NaN(), math.Inf(1), 1, 0.1, 0.25, 2.5, 10, 123456, 999999, 1e6, 1234567, 1e15, 99999999999999,
		0.001, 0.0001, 0.00012, 0.00001, 1e21, 1e22, 1e23, 1e150, 1e-150, 1e300, 1e-300, 1e-307,
	} {
		same(v)
		same(-v)
	}
	for _, v := range []float64{
		math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, 0x1p-1030, 0.1 + 0.2, 1.0 / 3,
		999999999999999,
	} {
		near(t, v)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		v, err := strconv.ParseFloat(strconv.FormatInt(rng.Int64N(1e14),
			10)+"e"+strconv.Itoa(rng.IntN(560)-300), 64)
		must(t, err)
		same(v)
		if v := math.Float64frombits(rng.Uint64()); isFinite(v) {
			near(t, v)
		}
	}
}

// near expects decimal(v) to be v to 14 digits.
func near(t *testing.T, v float64) {
	t.Helper()
	got, err := strconv.ParseFloat(decimal(v), 64)
	if tol := max(5.1e-14*math.Abs(v), math.SmallestNonzeroFloat64); err != nil || !(math.Abs(got-v) <= tol) {
		t.Fatalf("%g is printed as %s", v, decimal(v))
	}
}

// TestErrorNames: an error about one value names the argument of the function that was called.
func TestErrorNames(t *testing.T) {
	bad := NewMatrix(2, 2, []float64{1, 2, 3, math.NaN()})
	far := NewMatrix(2, 2, []float64{1, 2, 3, 0x1p600})
	ok := NewMatrix(2, 2, []float64{1, 2, 3, 4})
	for _, m := range []*Matrix{bad, far} {
		for _, c := range []struct {
			arg string
			err error
		}{
			{"a", second(thinSVD(bg, m))},
			{"vertices", second(SimplexLeastSquares(nil, ok, m, nil))},
			{"centers", second((&Model{Centers: m}).Predict(nil, ok))},
			{"centers", second((&Model{Centers: m}).Nearest(nil, ok))},
			{"x", second((&Model{Centers: ok}).Predict(nil, m))},
		} {
			var e *InputError
			if !errors.As(c.err, &e) || e.Arg != c.arg || e.Row != 1 || e.Col != 1 {
				t.Errorf("%v, not about %s[1,1]", c.err, c.arg)
			}
		}
	}
}

// TestErrorWords: an entry with one index and with two, a value, and the sentinel.
func TestErrorWords(t *testing.T) {
	for _, c := range []struct {
		e    InputError
		want string
	}{
		{InputError{"x", 3, 2, math.NaN(), ErrNonFinite}, "x[3,2] = NaN: not a finite number"},
		{InputError{"x", 3, 0, -1.5, ErrRange}, "x[3,0] = -1.5: " + ErrRange.Error()},
		{InputError{"x", 0, -1, math.Inf(-1), ErrNonFinite}, "x[0] = -Inf: not a finite number"},
		{InputError{"weights", 4, -1, -2, ErrOption}, "weights[4] = -2, below 0: invalid option"},
		{InputError{"weights", 4, -1, 0, ErrOption}, "weights[4] = 0: invalid option"},
		{InputError{"weights", 4, -1, 0.5, ErrOption}, "weights[4] = 0.5: invalid option"},
		{InputError{"weights", 4, -1, math.Inf(1), ErrNonFinite}, "weights[4] = +Inf: not a finite number"},
		{InputError{"x", 1, 1, 2, nil}, "x[1,1] = 2"},
	} {
		mustSay(t, &c.e, c.want)
		if c.e.Unwrap() != c.e.Err {
			t.Error(c.e.Unwrap())
		}
	}
	plain := fail(ErrShape, "words")
	mustSay(t, plain, "words: wrong shape")
	if !errors.Is(plain, ErrShape) || errors.Is(plain, ErrOption) {
		t.Error(plain)
	}
	for v, want := range map[float64]bool{0: true, -math.MaxFloat64: true, math.MaxFloat64: true,
		math.Inf(1): false, math.Inf(-1): false, math.NaN(): false} {
		if isFinite(v) != want {
			t.Errorf("%g: %v", v, !want)
		}
	}
}
