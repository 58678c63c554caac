package table

import (
	"strings"
	"testing"
)

func BenchmarkRead(b *testing.B) {
	for name, line := range map[string]string{
		"numbers": strings.Repeat("0.123456789,", 19) + "1\n",
		"digits":  strings.Repeat("13,", 63) + "0\n",
		"quotes":  strings.Repeat(`"1.5",`, 19) + "1\n",
	} {
		text := strings.Repeat(line, 5000)
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
