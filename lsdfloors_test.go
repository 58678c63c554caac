package softkmeans

import (
	"errors"
	"math"
	"testing"
)

// refused returns the errors of f for these options.
func refused(list []*LSDOptions, f func(o *LSDOptions) error) (errs []error) {
	for _, o := range list {
		errs = append(errs, f(o))
	}
	return errs
}

// TestLSDUnread: an option that a function does not read is an error there.
func TestLSDUnread(t *testing.T) {
	k := identity(3)
	lsd := []*LSDOptions{{Starts: 1}, {MaxIter: -1}, {Tol: 1}, {Progress: func(Iteration) {}}}
	tilsd := []*LSDOptions{{Enclosure: EnclosureTight}}
	for name, err := range map[string][]error{
		"LSD":         refused(tilsd, func(o *LSDOptions) error { return second(LSD(bg, k, 2, o)) }),
		"TILSD":       refused(lsd, func(o *LSDOptions) error { return second(TILSD(bg, k, 2, o)) }),
		"LSDFloors":   refused(append(lsd, tilsd...), func(o *LSDOptions) error { return second(LSDFloors(bg, k, 2, o)) }),
		"TILSDFloors": refused(append(lsd, tilsd...), func(o *LSDOptions) error { return second(TILSDFloors(bg, k, 2, o)) }),
		"no clusters": {second(LSDFloors(bg, k, 0, nil)), second(TILSDFloors(bg, k, 0, nil))},
	} {
		for i, err := range err {
			if !errors.Is(err, ErrOption) {
				t.Errorf("%s, %d: %v", name, i, err)
			}
		}
	}
}

// TestLSDFloorsNegative: where no eigenvalue is above 0 random vectors leave much open, and a factorization
// closes it.
func TestLSDFloorsNegative(t *testing.T) {
	const n = provedOrder + 1
	k, all := NewMatrix(n, n, nil), 0.0
	for i := range n {
		v := -float64(i) / n
		k.Set(i, i, v)
		all += v * v
	}
	for i, v := range mustDo(LSDFloors(t.Context(), k, 2, nil))(t) {
		if math.Abs(v-all) > 1e-9*all {
			t.Errorf("%d clusters: a floor of %g, want %g", i+1, v, all)
		}
	}
}
