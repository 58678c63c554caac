package table

import (
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// benchTexts are 8 MB each: numbers of 17 digits, short numbers, counts, and quoted
// numbers, which plainRows does not read.
func benchTexts() map[string]string {
	random := rand.New(rand.NewPCG(1, 2))
	repeat := func(line string) string { return strings.Repeat(line, 8<<20/len(line)) }
	row := func(number func() string) string {
		fields := make([]string, 20)
		for j := range fields {
			fields[j] = number()
		}
		return strings.Join(fields, ",") + "\n"
	}
	rows := func(number func() string) string {
		var b strings.Builder
		for range 1000 {
			b.WriteString(row(number))
		}
		return repeat(b.String())
	}
	return map[string]string{
		"17digits": rows(func() string { return strconv.FormatFloat(random.NormFloat64(), 'g', 17, 64) }),
		"short":    rows(func() string { return strconv.FormatFloat(10*random.Float64(), 'f', 2, 64) }),
		"counts":   rows(func() string { return strconv.Itoa(random.IntN(17)) }),
		"quotes":   repeat(row(func() string { return `"1.5"` })),
	}
}

func BenchmarkRead(b *testing.B) {
	for name, text := range benchTexts() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(strings.NewReader(text), "b", Dialect{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReader(b *testing.B) {
	dst := make([]float64, 20000)
	for name, text := range benchTexts() {
		for _, workers := range []int{1, 2} {
			b.Run(name+"/workers="+strconv.Itoa(workers), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					r, err := NewReader(strings.NewReader(text), "b", Dialect{Workers: workers})
					for err == nil {
						_, err = r.ReadRows(dst)
					}
					if err != io.EOF {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
