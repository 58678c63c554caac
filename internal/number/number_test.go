package number

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// checkScan compares Scan to strconv, bit for bit. What Scan reads of a text is a
// number to strconv too, and Scan reads all of a finite number in digits.
func checkScan(t *testing.T, s string) {
	t.Helper()
	v, end, ok := Scan([]byte(s+";7"), 0)
	want, err := strconv.ParseFloat(s, 64)
	if ok {
		part, err := strconv.ParseFloat(s[:min(end, len(s))], 64)
		if err != nil || end > len(s) || math.Float64bits(part) != math.Float64bits(v) {
			t.Fatalf("%.99q: %v of the first %d characters, which are %v, %v", s, v, end, part, err)
		}
	}
	if err == nil && !strings.ContainsAny(s, "xX_pPiInN") && (!ok || end != len(s)) {
		t.Fatalf("%.99q: %v, up to %d, %v, want %v", s, v, end, ok, want)
	}
}

var floatTexts = []string{
	"0", "-0", "+0.0", ".5", "5.", ".", "", "-", "+", "e5", ".e5", "1e", "1e+", "1e-", "1e5", "1E5",
	"-1.5e-3", "1e+05", "00012", "1..2", "1e5e5", "--1", "1-2",
	"9007199254740992", "9007199254740993", "9007199254740993.0000000001", "9007199254740995",
	"18014398509481985", "18446744073709551615", "9999999999999999999",
	"18446744073709551616", "99999999999999999999", "0000000000000000000000012345",
	"0.000000000000000000000000000012345", "0." + strings.Repeat("0", 400) + "1",
	"1" + strings.Repeat("0", 400), "1" + strings.Repeat("0", 308), "1.7976931348623157e308",
	"1.7976931348623159e308", "1e309", "5e-324", "2e-324", "1e-400",
	"0e999999999999999999999", "1e999999999999999999999", "1e-999999999999999999999", "0x1p-2", "inf", "nan",
	"1_000", "0.1", "0.3", "1e22", "1e23", "123456789e15",
	"12345678", "0.12345678", "0.1234567890123456", "0.12345678x", "0.1234567:", "0.1234567/",
	"1.2345678901234567e-01", "1.234567890123456789e+00", "8.5e-27",
	"9999999999999999999e-27", "9999999999999999999e27",
	strings.Repeat("0", 1000000) + "1e0", "1" + strings.Repeat("0", 1000001) + "e-1000001",
	"0." + strings.Repeat("0", 1000001) + "1e1000001",
}

func TestScan(t *testing.T) {
	for _, s := range floatTexts {
		checkScan(t, s)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100000 {
		m := random.Uint64() >> random.IntN(64)
		e := random.IntN(70) - 35
		s := strconv.FormatUint(m, 10)
		switch random.IntN(4) {
		case 0:
			s += "e" + strconv.Itoa(e)
		case 1: // a point somewhere
			i := random.IntN(len(s) + 1)
			s = s[:i] + "." + s[i:]
		case 2: // what prints a float64 back, or one digit less
			s = strconv.FormatFloat(math.Ldexp(random.Float64()-0.5, random.IntN(80)-40),
				"eg"[random.IntN(2)], 14+random.IntN(6), 64)
		case 3: // halfway between two float64, give or take a unit of the last digit
			f := math.Ldexp(float64(1<<52+random.Uint64N(1<<52)), -random.IntN(8))
			next := math.Nextafter(f, math.Inf(1))
			s = strconv.FormatFloat((next-f)/2, 'f', -1, 64)
			i := uint64(f)
			s = strconv.FormatUint(i, 10) + strings.TrimPrefix(s, "0")
			if random.IntN(2) == 0 {
				s += "1"
			}
		}
		checkScan(t, s)
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range floatTexts {
		if len(s) < 500 {
			f.Add(s)
		}
	}
	f.Fuzz(checkScan)
}
