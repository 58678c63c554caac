package softkmeans

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestDecimal(t *testing.T) {
	check := func(v float64) {
		for _, v := range []float64{v, -v} {
			if got, want := decimal(v), strconv.FormatFloat(v, 'g', -1, 64); got != want {
				t.Fatalf("%x: decimal says %q, strconv %q", math.Float64bits(v), got, want)
			}
		}
	}
	for _, v := range []float64{0, math.NaN(), math.Inf(1), math.MaxFloat64, math.SmallestNonzeroFloat64, 5e-323, 0x1p-1022, 0x1.fffffffffffffp-1023, 0.1, 2.0 / 3, 9.5, 99.5, 1e21, 1e22, 1e23, 9007199254740993} {
		check(v)
	}
	for e := -1074; e <= 1023; e++ { // powers of two, whose neighbours are not equally far, and these
		v := math.Ldexp(1, e)
		check(v)
		check(math.Nextafter(v, 0))
		check(math.Nextafter(v, math.Inf(1)))
	}
	for e := -323; e <= 308; e++ {
		v, _ := strconv.ParseFloat("1e"+strconv.Itoa(e), 64)
		check(v)
		check(3 * v)
	}
	for i := range 2000 { // where the point moves and exponents begin
		check(float64(i) / 8)
		check(float64(i) * 1e-5)
		check(float64(i) * 1001)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		check(math.Float64frombits(rng.Uint64()))
		check(math.Round(rng.Float64()*1e6) / 1e3)
	}
}
