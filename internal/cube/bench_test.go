package cube

import "testing"

// BenchmarkRead reads all pixels of an image, and says how fast.
func BenchmarkRead(b *testing.B) {
	for i, name := range []string{"bip", "bil", "bsq", "columns", "matlab"} {
		l := layouts(b, 100, 80, 200, "<i2")[i]
		file := memory{make([]byte, l.Bytes())}
		bands := make([]int, l.Bands)
		for j := range bands {
			bands[j] = j
		}
		dst := make([]float64, l.Lines*l.Samples*l.Bands)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(2 * len(dst)))
			for b.Loop() {
				if err := l.Read(&file, dst, Rect{Lines: l.Lines, Samples: l.Samples}, bands); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
