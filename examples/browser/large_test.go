package main

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"
)

// largeText is a table of mixtures of k prototypes and noise, as CSV.
func largeText(rows, cols, k int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	centers := make([]float64, k*cols)
	for i := range centers {
		centers[i] = 10 * r.Float64()
	}
	var b []byte
	g := make([]float64, k)
	for range rows {
		sum := 0.0
		for j := range g {
			e := r.ExpFloat64()
			g[j] = e * e
			sum += g[j]
		}
		for j := range cols {
			v := .1 * r.NormFloat64()
			for i, m := range g {
				v += m / sum * centers[i*cols+j]
			}
			if j > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendFloat(b, v, 'f', 5, 64)
		}
		b = append(b, '\n')
	}
	return bytes.TrimSpace(b)
}

// BenchmarkLarge reads, fits and draws a table of 51 MB, as the page does.
func BenchmarkLarge(b *testing.B) {
	text := string(largeText(100_000, 64, 5))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := &session{}
		from := time.Now()
		if _, err := s.open(b.Context(), fromText("t", text), options{}, nil); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(from).Seconds(), "s/open")
		from = time.Now()
		if _, err := s.fit(b.Context(), options{slack: .25}, nil, nil); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(from).Seconds(), "s/fit")
	}
}
