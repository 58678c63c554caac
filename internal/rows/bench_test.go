package rows

import (
	"bytes"
	"testing"

	"softkmeans/internal/table"
)

// The bytes are those of the text, also if it is compressed.
func BenchmarkReadAll(b *testing.B) {
	text := csvText(20, random(400000))
	for name, content := range map[string][]byte{"text": text, "gzip": packed(b, text)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := ReadAll(bytes.NewReader(content), "b", table.Dialect{Workers: 2}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
